// Where a search begins: the impulses of the last step, how they go on from the last two, or none.
#include "solve/contact/coulomb.h"

#include <math.h>
#include <string.h>

void dp_coulomb_take_guess(dp_coulomb *c, const double *warm)
{
    const dp_step_problem *p = c->p;
    if (!warm) {
        memset(c->x, 0, (size_t)p->nrow * sizeof *c->x);
        return;
    }
    memcpy(c->x, warm, (size_t)p->nrow * sizeof *c->x);
    for (int b = 0; b < p->nblock; ++b) {
        if (c->block[b].unscaled) {
            b += c->block[b].batch > 0 ? c->block[b].batch - 1 : 0;
            continue;
        }
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            c->x[r] = c->scale[r] > 0.0 ? warm[r] / c->scale[r] : 0.0;
        }
    }
}

// Are all contacts compliant? How redundant rigid ones share a load is not determined, and
// extrapolation would let it drift.
static bool determines_loads(const dp_coulomb *c)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        if (c->block[b].ngroup > 0 && !(c->soft[c->p->row_start[b]].R > 0.0)) {
            return false;
        }
    }
    return true;
}

// Not all of the last change: what moves nothing fades.
double dp_coulomb_extrapolate(dp_coulomb *c, double first)
{
    const dp_step_problem *p = c->p;
    if (!c->change || !(first > c->tol.solved) || !determines_loads(c)) {
        return first;
    }
    for (int r = 0; r < p->nrow; ++r) {
        c->trial[r] =
            c->scale[r] > 0.0 ? c->x[r] + (1.0 - DP_FALL) * c->change[r] / c->scale[r] : 0.0;
        c->u_trial[r] = c->u[r];
    }
    dp_coulomb_project(c, c->trial);
    dp_coulomb_velocities(c, c->u_trial, c->trial);
    const double residual = dp_coulomb_residual(c, c->trial, c->u_trial);
    if (!(residual < first)) {
        dp_coulomb_velocities(c, c->u, c->x);
        return first;
    }
    memcpy(c->x, c->trial, (size_t)p->nrow * sizeof *c->x);
    memcpy(c->u, c->u_trial, (size_t)p->nrow * sizeof *c->u);
    return residual;
}

double dp_coulomb_begin_from_rest(dp_coulomb *c)
{
    memset(c->x, 0, (size_t)c->p->nrow * sizeof *c->x);
    dp_coulomb_velocities(c, c->u, c->x);
    return dp_coulomb_residual(c, c->x, c->u);
}
