#include "row_draw.h"

#include "mechanism.h"
#include "random_rows.h"

#include "math/v3.h"

#include <dashpot/advanced/step.h>

#include <math.h>

enum { STEPS = 200 };

// C
static const double BOUND = 8.0;

row_tally row_tally_begin(void)
{
    return (row_tally){.gain = -INFINITY};
}

static double energy_scale(const mechanism *x)
{
    const dp_energy e = dp_data_energy(x->d);
    double reach = 0.0;
    for (int i = 1; i < dp_model_sizes(x->m)->nbody; ++i) {
        reach += dp_v3_norm(dp_model_body(x->m, (dp_body_id){i}).pose.p) + 1.0;
    }
    return e.kinetic + e.spring + dp_body_momentum(x->d, DP_WORLD).mass * 9.81 * reach;
}

static mechanism draw(uint64_t seed)
{
    const random_rows_options o = {.seed = seed, .max_bodies = 6};
    mechanism x = {random_rows(&o), NULL, NULL};
    assert_ok(dp_spec_allow(x.spec, "contact"));
    mechanism_compile(&x);
    random_source r = {seed * 7 + 1};
    for (int k = 0; k < dp_model_sizes(x.m)->nv; ++k) {
        dp_data_v(x.d)[k] = random_between(&r, -5.0, 5.0);
    }
    for (int u = 0; u < dp_model_sizes(x.m)->nu; ++u) {
        dp_data_control(x.d)[u] = random_between(&r, -0.5, 0.5);
    }
    dp_data_options(x.d)->ledger = true;
    assert_ok(dp_kinematics(x.d));
    return x;
}

typedef struct drive_work {
    double seen, most; // [J] the sum when it was seen last; the most since any earlier moment
} drive_work;

static void look_at_drives(drive_work *w, const dp_data *d)
{
    const double sum = dp_data_ledger(d)->drives;
    w->most = fmax(0.0, w->most + sum - w->seen);
    w->seen = sum;
}

// Called before each part of a step.
static dp_status look_within_the_step(void *context, const dp_data *d)
{
    look_at_drives(context, d);
    return DP_OK;
}

// What was found in the step that was just made.
static void note_step(row_tally *t, row_tally *own, const mechanism *x)
{
    const dp_step_report *info = dp_data_report(x->d);
    const double tolerance = dp_data_options(x->d)->solver.tolerance;
    ++t->steps;
    t->limited += info->limited;
    own->contradictory += info->outcome == DP_OUTCOME_CONTRADICTORY;
    if (info->unsolved > 0) {
        ++own->unsolved;
        own->residual = fmax(own->residual, info->residual);
        own->gap = fmax(own->gap, info->gap_error);
    } else if (info->inconsistent <= tolerance) {
        own->unexplained = fmax(own->unexplained, info->residual);
    }
}

void row_draw(row_tally *t, uint64_t seed)
{
    mechanism x = draw(seed);
    const double start = mechanism_energy(&x), scale = energy_scale(&x);
    const double h = dp_data_options(x.d)->step;
    const unsigned long long number = seed;
    row_tally own = row_tally_begin();
    drive_work work = {0.0, 0.0};
    dp_data_set_problem_callback(x.d, look_within_the_step, &work);
    for (int n = 0; n < STEPS; ++n) {
        const dp_status status = dp_step(x.d);
        const double energy = mechanism_energy(&x);
        if (status != DP_OK || !isfinite(energy)) {
            print_error("seed %llu, step %d of %g s: %s, energy %g\n", number, n, h,
                        status == DP_OK ? "" : dp_last_error(), energy);
            ++t->failed;
            break;
        }
        note_step(t, &own, &x);
        look_at_drives(&work, x.d);
        own.gain = fmax(own.gain, (energy - start - work.most) / scale);
    }
    if (own.unsolved > 0) {
        print_message("seed %llu, step %g s: %lld steps not solved, residual %.1e m/s, gaps %.1e "
                      "m\n",
                      number, h, own.unsolved, own.residual, own.gap);
    }
    if (own.gain > BOUND) {
        print_error("seed %llu, step %g s: energy grows by %.3g of its scale\n", number, h,
                    own.gain);
        ++t->beyond;
    }
    t->unsolved += own.unsolved;
    t->contradictory += own.contradictory;
    t->gain = fmax(t->gain, own.gain);
    t->residual = fmax(t->residual, own.residual);
    t->gap = fmax(t->gap, own.gap);
    t->unexplained = fmax(t->unexplained, own.unexplained);
    mechanism_end(&x);
}

void row_tally_judge(const row_tally *t)
{
    print_message("%lld steps: %lld not solved (%.4f %%; residual up to %.1e m/s, gaps up to %.1e "
                  "m), %lld with contradictory rows, others off by up to %.1e m/s; energy grows by "
                  "up to %.3f of its scale\n",
                  t->steps, t->unsolved, 100.0 * (double)t->unsolved / (double)t->steps,
                  t->residual, t->gap, t->contradictory, t->unexplained, t->gain);
    assert_int_equal(t->failed, 0);
    assert_int_equal(t->beyond, 0);
    assert_true((double)t->unsolved <= 1e-3 * (double)t->steps);
    assert_true(t->unexplained <= 1e-6); // the tolerance, and round-off of the fastest velocities
}
