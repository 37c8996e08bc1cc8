// Numbers that are none, or too large to go on with: whose they are.
#include "linalg/vector.h"
#include "model/label.h"
#include "sim/data.h"

#include <math.h>
#include <stdio.h>

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
