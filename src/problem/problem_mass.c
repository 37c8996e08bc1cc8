// M̃ of a problem on its own, factored along its trees: for laws that are not of this library.
#include "problem/problem_mass.h"

#include "base/error.h"
#include "linalg/tree_ldl.h"
#include "problem/gradient.h"

#include <string.h>

static dp_tree_ldl place_of(const dp_step_problem *p)
{
    return (dp_tree_ldl){p->nv, p->parent, p->Mt_start};
}

dp_status dp_problem_factor_mass(double *LD, const dp_step_problem *p)
{
    memcpy(LD, p->Mt, p->Mt_start[p->nv] * sizeof *LD);
    const int bad = dp_tree_ldl_factor(LD, place_of(p));
    return bad < 0 ? DP_OK
                   : dp_fail(DP_ERROR_NUMERIC,
                             "velocity %d: the mass matrix is not positive definite", bad);
}

void dp_problem_solve_mass(double *x, const dp_step_problem *p, const double *LD)
{
    dp_tree_ldl_solve(x, place_of(p), LD, x);
}

dp_status dp_problem_mobilities(double *w, const dp_step_problem *p, double *room)
{
    double *y = room + p->Mt_start[p->nv];
    DP_TRY(dp_problem_factor_mass(room, p));
    for (int b = 0; b < p->nblock; ++b) {
        const int *col = p->col + p->col_start[b];
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        const double *g = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, g += ncol) {
            memset(y, 0, (size_t)p->nv * sizeof *y);
            for (int k = 0; k < ncol; ++k) {
                y[col[k]] = g[k];
            }
            dp_problem_solve_mass(y, p, room);
            w[r] = dp_gradient_rate(p, b, r, y);
        }
    }
    return DP_OK;
}
