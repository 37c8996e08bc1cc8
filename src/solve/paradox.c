#include "solve/paradox.h"

#include "problem/gradient.h"
#include "problem/rigid.h"

#include <math.h>

// W_n· of the rows of a contact: what its normal gives to them.
static void respond_to_normal(double *W, dp_coulomb *c, int b)
{
    const dp_step_problem *p = c->p;
    if (!c->op.responds) {
        dp_coulomb_respond(c);
        c->op.responds = true;
    }
    const double *y = c->op.response + c->op.response_at[p->row_start[b]];
    for (int m = 0; m < c->block[b].nparts; ++m) {
        const int from = p->tree_start[c->part[c->block[b].part + m].tree];
        const int end = p->tree_start[c->part[c->block[b].part + m].tree + 1];
        for (int i = from; i < end; ++i) {
            c->v[i] = y[i - from];
        }
        y += end - from;
    }
    dp_gradient_apply(W, p, b, c->v);
}

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
        respond_to_normal(W, c, b);
        const double A =
            W[0] - (friction->mu[0] * W[1] * slip[0] + friction->mu[1] * W[2] * slip[1]) / speed;
        count += A <= 0.0;
    }
    return count;
}
