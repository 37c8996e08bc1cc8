// M̃ of a problem on its own, factored along its trees: for laws that are not of this library.
#include "base/error.h"
#include "linalg/branch.h"

#include <dashpot/problem.h>

#include <string.h>

static dp_branch place_of(const dp_step_problem *p)
{
    return (dp_branch){p->nv, p->parent, p->Mt_start};
}

dp_status dp_problem_factor_mass(double *LD, const dp_step_problem *p)
{
    memcpy(LD, p->Mt, p->Mt_start[p->nv] * sizeof *LD);
    const int bad = dp_branch_factor(LD, place_of(p));
    return bad < 0 ? DP_OK
                   : dp_fail(DP_ERROR_NUMERIC,
                             "velocity %d: the mass matrix is not positive definite", bad);
}

void dp_problem_solve_mass(double *x, const dp_step_problem *p, const double *LD)
{
    dp_branch_solve(x, place_of(p), LD, x);
}
