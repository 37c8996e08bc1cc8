#include "trial.h"

#include <math.h>
#include <string.h>

int trial_run(double y[MAX_STATE], mechanism (*make)(void), const trial *t)
{
    mechanism x = make();
    const dp_model_size n = *dp_model_sizes(x.m);
    assert_true(n.nq + n.nv <= MAX_STATE);
    dp_options *o = dp_data_options(x.d);
    o->integrator = t->integrator;
    o->step = t->seconds / t->steps;
    o->relative_tolerance = o->absolute_tolerance = t->tolerance;
    o->large_rotation = t->large_rotation;
    for (int k = 0; k < n.nv; ++k) {
        dp_data_v(x.d)[k] = 1.0 + 0.5 * (k % 3) - 0.7 * (k % 2);
    }
    for (int i = 0; i < t->steps; ++i) {
        mechanism_steps(&x, 1);
        if (t->check) {
            t->check(t, dp_data_report(x.d));
        }
    }
    memcpy(y, dp_data_q(x.d), (size_t)n.nq * sizeof *y);
    memcpy(y + n.nq, dp_data_v(x.d), (size_t)n.nv * sizeof *y);
    mechanism_end(&x);
    return n.nq + n.nv;
}

double fitted_order(const double *h, const double *error, int count)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < count; ++i) {
        assert_true(error[i] > 0.0);
        x += log(h[i]) / count;
        y += log(error[i]) / count;
    }
    for (int i = 0; i < count; ++i) {
        xx += (log(h[i]) - x) * (log(h[i]) - x);
        xy += (log(h[i]) - x) * (log(error[i]) - y);
    }
    print_message("errors %.2e … %.2e: order %.3f\n", error[0], error[count - 1], xy / xx);
    return xy / xx;
}

double trial_order(mechanism (*make)(void), const trial *t, const trial *reference)
{
    double y[MAX_STATE], exact[MAX_STATE], error[2] = {0.0, 0.0};
    const int n = trial_run(exact, make, reference);
    for (int level = 0; level < 2; ++level) {
        trial finer = *t;
        finer.steps <<= level;
        trial_run(y, make, &finer);
        for (int i = 0; i < n; ++i) {
            error[level] = fmax(error[level], fabs(y[i] - exact[i]));
        }
    }
    const double order = log2(error[0] / error[1]);
    print_message("errors %.2e, %.2e: order %.3f\n", error[0], error[1], order);
    return order;
}
