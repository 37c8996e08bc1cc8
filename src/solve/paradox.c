#include "solve/paradox.h"

#include "problem/gradient.h"
#include "problem/laws/rigid.h"

#include <math.h>

int dp_count_paradoxes(dp_coulomb *c, const dp_step_solution *found)
{
    const double least_slip = 1e-3; // [m/s]
    const dp_step_problem *p = c->p;
    int count = 0;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_friction *friction = dp_friction_of(p, b);
        const int r = p->row_start[b];
        if (!friction || !(found->gamma[r] > 0.0)) {
            continue;
        }
        double u[DP_CONTACT_ROWS] = {0.0}, W[DP_CONTACT_ROWS] = {0.0};
        dp_gradient_apply(u, p, b, p->v0);
        const double slip[2] = {u[1] + p->row[r + 1].b_ref, u[2] + p->row[r + 2].b_ref};
        const double speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
        if (speed < least_slip) {
            continue;
        }
        dp_coulomb_respond(c, b, r);
        dp_gradient_apply(W, p, b, c->v); // W_n·: what the normal gives to the rows
        const double A =
            W[0] - (friction->mu[0] * W[1] * slip[0] + friction->mu[1] * W[2] * slip[1]) / speed;
        count += A <= 0.0;
    }
    return count;
}
