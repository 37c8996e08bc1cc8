// Does any velocity have u_n ≥ 0 at all contacts? There is none if and only if some z ≥ 0 on the
// normals has no effect and qᵀz < 0: what closes is held by nothing that could move. Friction
// cannot help. The least of
//
//     ‖N z / d‖² + (qᵀz/max‖q‖ + 1)²   over z ≥ 0                                          (FC 5)
//
// is 0 then: non-negative least squares, whose optimality conditions are the complementarity
// problem 0 ≤ z ⊥ Aᵀ(A z + a) ≥ 0 [CottlePangStone2009, §1.2], by Lemke's method.
#include "base/interrupt.h"
#include "linalg/vector.h"
#include "solve/fc/fc_search.h"

#include <dashpot/advanced/lcp.h>

#include <string.h>

enum { MOST = 2000 }; // contacts: the matrix is dense

// Column j of A, N/d with q_n/max‖q‖ below it, 3 nc + 1 numbers, made of unit size.
static void take_column(double *out, const dp_fc_reduced *w, int j, double *unit)
{
    const int rows = 3 * w->nc;
    unit[3 * j] = 1.0;
    dp_fc_apply(out, w, unit);
    unit[3 * j] = 0.0;
    for (int i = 0; i < rows; ++i) {
        out[i] /= w->d[i / 3];
    }
    out[rows] = w->q[3 * j] / w->q_most;
    const double size = dp_norm(out, rows + 1);
    for (int i = 0; size > 0.0 && i <= rows; ++i) {
        out[i] /= size;
    }
}

static dp_status find(double *out, const dp_fc_reduced *w, dp_pool *pool)
{
    const size_t nc = (size_t)w->nc, rows = 3 * nc + 1;
    double *A, *AtA, *Ata, *z, *slack, *rest;
    DP_TRY(dp_pool_take(&A, pool, rows * nc, sizeof *A));
    DP_TRY(dp_pool_take(&AtA, pool, nc * nc, sizeof *AtA));
    DP_TRY(dp_pool_take(&Ata, pool, nc, sizeof *Ata));
    DP_TRY(dp_pool_take(&z, pool, nc, sizeof *z));
    DP_TRY(dp_pool_take(&slack, pool, nc, sizeof *slack));
    DP_TRY(dp_pool_take(&rest, pool, rows, sizeof *rest));
    for (size_t j = 0; j < nc; ++j) {
        const double *column = A + j * rows;
        take_column(A + j * rows, w, (int)j, rest);
        Ata[j] = column[rows - 1]; // a is 1 in the last row
        for (size_t k = 0; k <= j; ++k) {
            AtA[j * nc + k] = AtA[k * nc + j] = dp_dot(column, A + k * rows, (int)rows);
        }
        DP_TRY(dp_interrupt_check(rows * (j + 1)));
    }
    const dp_lcp problem = {.n = w->nc, .M = AtA, .q = Ata};
    const dp_lcp_solution found = {.z = z, .w = slack};
    dp_lcp_options opt = dp_lcp_options_default();
    dp_lcp_info info;
    opt.method = DP_LCP_METHOD_LEMKE;
    DP_TRY(dp_lcp_solve(&found, &problem, &opt, &pool->allocator, &info));
    rest[rows - 1] = 1.0;
    dp_add_transposed(rest, A, z, w->nc, (int)rows, 1.0);
    *out = dp_dot(rest, rest, (int)rows);
    return DP_OK;
}

dp_status dp_fc_feasibility(double *out, const dp_fc_reduced *w, const dp_allocator *a)
{
    *out = -1.0;
    if (w->nc > MOST || !(w->q_most > 0.0)) {
        return DP_OK;
    }
    dp_pool pool;
    dp_pool_init(&pool, a);
    const dp_status status = find(out, w, &pool);
    dp_pool_destroy(&pool);
    return status;
}
