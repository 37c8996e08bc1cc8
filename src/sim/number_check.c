#include "sim/number_check.h"

#include "math/pair2.h"
#include "model/label.h"
#include "sim/data.h"

#include <math.h>
#include <stdio.h>

int dp_first_beyond(const double *x, int n, double limit)
{
    // All together, as long as even the sum of their squares is below; two sums, since one would
    // wait.
    dp_pair2 sum[2] = {dp_pair2_zero(), dp_pair2_zero()};
    int first = 0;
    for (; first + 4 <= n; first += 4) {
        const dp_pair2 one = dp_pair2_load(x + first), two = dp_pair2_load(x + first + 2);
        sum[0] = dp_pair2_madd(sum[0], one, one);
        sum[1] = dp_pair2_madd(sum[1], two, two);
    }
    if (!(dp_pair2_sum(dp_pair2_add(sum[0], sum[1])) < limit * limit)) {
        first = 0;
    }
    for (int i = first; i < n; ++i) {
        if (!(fabs(x[i]) < limit)) {
            return i;
        }
    }
    return -1;
}

// How many there are, and what has number i.
static int count_of(const dp_model_size *n, dp_number what)
{
    return what == DP_NUMBER_POSITION     ? n->nq
           : what == DP_NUMBER_CONTROL    ? n->nu
           : what == DP_NUMBER_ACTIVATION ? n->na
                                          : n->nv;
}

static dp_label owner_of(const dp_model *m, dp_number what, int i)
{
    dp_label out;
    if (what == DP_NUMBER_POSITION) {
        return dp_position_label(m, i);
    }
    if (what != DP_NUMBER_CONTROL && what != DP_NUMBER_ACTIVATION) {
        return dp_joint_label(m, m->dof_joint[i]);
    }
    for (int u = 0; what == DP_NUMBER_ACTIVATION && u < m->size.nu; ++u) {
        if (m->actuator[u].activation_index == i) {
            i = u;
            break;
        }
    }
    snprintf(out.text, sizeof out.text, "'%.300s'", m->actuator[i].name);
    return out;
}

dp_status dp_numbers_check(const dp_data *d, dp_number what, const double *x, double limit,
                           bool next, const char *expected)
{
    static const char *const name[] = {"position",      "velocity", "acceleration",
                                       "applied force", "control",  "activation"};
    const dp_model *m = d->model;
    const int i = dp_first_beyond(x, count_of(&m->size, what), limit);
    return i < 0 ? DP_OK
                 : dp_fail(DP_ERROR_NUMERIC, "%s %d (%s) %s %g %s t = %.10g s (expected %s)",
                           name[what], i, owner_of(m, what, i).text, next ? "would be" : "is", x[i],
                           next ? "after the step from" : "at", d->time, expected);
}
