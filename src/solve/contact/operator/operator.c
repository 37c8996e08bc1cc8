#include "solve/contact/operator/operator.h"

#include "base/error.h"

#include <string.h>

dp_status dp_operator_refuse_mass(int velocity)
{
    return dp_fail(DP_ERROR_NUMERIC, "velocity %d: the mass matrix is not positive definite",
                   velocity);
}

void dp_coulomb_row_velocities(const dp_coulomb *c, double *u, const double *v)
{
    c->op.use->row_velocities(c, u, v);
}

void dp_coulomb_mobility(dp_coulomb *c, double *du, const double *dx)
{
    c->op.use->respond(c, c->v, du, dx);
}

void dp_coulomb_velocities(dp_coulomb *c, double *u, const double *x)
{
    dp_coulomb_mobility(c, u, x);
    for (int r = 0; r < c->p->nrow; ++r) {
        u[r] += c->u_free[r];
    }
}

void dp_coulomb_respond(dp_coulomb *c, int block, int row)
{
    c->op.use->respond_to_row(c, block, row);
}

bool dp_coulomb_factor(dp_coulomb *c)
{
    ++c->work.factorizations;
    if (c->op.factored && c->op.factored_symmetric == c->op.symmetric &&
        memcmp(c->C, c->op.C_factored, c->op.nC * sizeof *c->C) == 0) {
        ++c->work.spared;
        return true;
    }
    c->op.cache.valid = false;
    c->op.factored = c->op.use->factor(c);
    c->op.factored_symmetric = c->op.symmetric;
    memcpy(c->op.C_factored, c->C, c->op.nC * sizeof *c->C);
    return c->op.factored;
}
