// Newton steps (FC 7): among the impulses of the contacts that push, or among velocities
// (fc_velocity_space.c). Either is refined with the numbers of the problem.
#include "solve/fc/fc_search.h"

#include <string.h>

// A residual of (FC 7) beyond this part of F asks for another solve with it.
static const double REFINED = 1e-10;

bool dp_fc_pushes(const double A[9])
{
    for (int k = 0; k < 9; ++k) {
        if (A[k] != 0.0) {
            return true;
        }
    }
    return false;
}

const double *dp_fc_block(const dp_fc_reduced *w, int i, int j)
{
    int low = w->start[i], high = w->start[i + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (w->column[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < w->start[i + 1] && w->column[low] == j ? w->block + 9 * (ptrdiff_t)low : NULL;
}

// ---- among impulses

static dp_status list_pairs(dp_fc_impulse_space *s, dp_fc_reduced *w)
{
    const size_t most = (size_t)w->start[w->nc];
    DP_TRY(dp_pool_take(&s->pair, &w->pool, 2 * most, sizeof(int)));
    DP_TRY(dp_pool_take(&s->pair_start, &w->pool, most + 1, sizeof(int)));
    for (int i = 0; i < w->nc; ++i) {
        for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
            const int j = w->column[e];
            if (j > i || (j < i && !dp_fc_block(w, j, i))) {
                s->pair[2 * s->npair] = i;
                s->pair[2 * s->npair + 1] = j;
                s->npair += 1;
                s->pair_start[s->npair] = 2 * s->npair;
            }
        }
    }
    return dp_pool_take(&s->used, &w->pool, (size_t)s->npair, sizeof *s->used);
}

static dp_status begin_impulses(dp_fc_impulse_space *s, dp_fc_reduced *w)
{
    const size_t nc = (size_t)w->nc;
    s->w = w;
    DP_TRY(list_pairs(s, w));
    DP_TRY(dp_pool_take(&s->size, &w->pool, nc, sizeof(int)));
    DP_TRY(dp_pool_take(&s->at, &w->pool, nc + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&s->pushes, &w->pool, nc, sizeof *s->pushes));
    DP_TRY(dp_pool_take(&s->x, &w->pool, 3 * nc, sizeof(double)));
    for (int i = 0; i < w->nc; ++i) {
        s->size[i] = 3;
        s->at[i + 1] = 3 * (i + 1);
    }
    return DP_OK;
}

// K = A W + B of the contacts that push, and 1 of the others.
static bool factor_impulses(dp_fc_impulse_space *s, const double *A, const double *B)
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const dp_fc_reduced *w = s->w;
    for (int i = 0; i < w->nc; ++i) {
        s->pushes[i] = dp_fc_pushes(A + 9 * (ptrdiff_t)i);
    }
    for (int k = 0; k < s->npair; ++k) {
        s->used[k] = s->pushes[s->pair[2 * k]] && s->pushes[s->pair[2 * k + 1]];
    }
    (void)dp_block_restrict(&s->K.A, s->used);
    dp_block_clear(&s->K.A, false);
    for (int i = 0; i < w->nc; ++i) {
        dp_fc_matrix_add(&s->K, i, i, 3, 3, s->pushes[i] ? B + 9 * (ptrdiff_t)i : unit);
        for (int e = w->start[i]; s->pushes[i] && e < w->start[i + 1]; ++e) {
            const double *own = A + 9 * (ptrdiff_t)i, *W = w->block + 9 * (ptrdiff_t)e;
            double block[9];
            if (!s->pushes[w->column[e]]) {
                continue;
            }
            for (int k = 0; k < 9; ++k) {
                const double *row = own + 3 * (k / 3), *column = W + k % 3;
                block[k] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
            }
            dp_fc_matrix_add(&s->K, i, w->column[e], 3, 3, block);
        }
    }
    return dp_block_factor(&s->K.A);
}

// dx += the solution for `right`.
static void solve_impulses(dp_fc_impulse_space *s, double *dx, const double *right)
{
    dp_block_solve(s->x, &s->K.A, s->at, right);
    for (int i = 0; i < 3 * s->w->nc; ++i) {
        dx[i] += s->x[i];
    }
}

// ---- a step

dp_status dp_fc_linear_begin(dp_fc_linear *l, dp_fc_reduced *w, bool by_velocities,
                             const dp_allocator *a)
{
    dp_fc_impulse_space *s = &l->impulses;
    *l = (dp_fc_linear){.w = w, .by_velocities = by_velocities, .by_product = by_velocities};
    DP_TRY(dp_pool_take(&l->residual, &w->pool, 3 * (size_t)w->nc + 1, sizeof(double)));
    if (by_velocities) {
        return dp_fc_velocity_space_begin(&l->velocities, w, a);
    }
    DP_TRY(begin_impulses(s, w));
    double cost;
    DP_TRY(dp_fc_matrix_cost(&cost, w->nc, s->size, s->npair, s->pair_start, s->pair, a));
    DP_TRY(dp_fc_low_rank_begin(&l->by_product, &l->velocities, w, cost, a));
    return l->by_product
               ? DP_OK
               : dp_fc_matrix_begin(&s->K, w->nc, s->size, s->npair, s->pair_start, s->pair, a);
}

void dp_fc_linear_end(dp_fc_linear *l)
{
    dp_fc_matrix_end(&l->velocities.K);
    dp_fc_matrix_end(&l->impulses.K);
}

// −F − B dx − A du. @return its square
static double residual_of(double *out, const dp_fc_linear *l, const double *dx, const double *du,
                          const double *F, const double *A, const double *B)
{
    double square = 0.0;
    for (int i = 0; i < l->w->nc; ++i) {
        const double *x = dx + 3 * i, *u = du + 3 * i;
        for (int k = 0; k < 3; ++k) {
            const double *b = B + 9 * (ptrdiff_t)i + 3 * k, *a = A + 9 * (ptrdiff_t)i + 3 * k;
            const double r = -F[3 * i + k] - (b[0] * x[0] + b[1] * x[1] + b[2] * x[2]) -
                             (a[0] * u[0] + a[1] * u[1] + a[2] * u[2]);
            out[3 * i + k] = r;
            square += r * r;
        }
    }
    return square;
}

// Contacts that are open do not wait for others: dx = −F, and du of it.
static void step_open(const dp_fc_linear *l, double *dx, double *du, const double *F)
{
    bool any = false;
    for (int i = 0; i < 3 * l->w->nc; ++i) {
        if (!l->impulses.pushes[i / 3]) {
            dx[i] = -F[i];
            any = any || F[i] != 0.0;
        }
    }
    if (any) {
        dp_fc_apply(du, l->w, dx);
    }
}

bool dp_fc_linear_step(dp_fc_linear *l, double *dx, double *du, const double *F, const double *A,
                       const double *B)
{
    enum { SOLVES = 3 };
    const size_t rows = 3 * (size_t)l->w->nc;
    l->factorizations += 1;
    if (!(l->by_product ? dp_fc_velocity_space_factor(&l->velocities, A, B)
                        : factor_impulses(&l->impulses, A, B))) {
        return false;
    }
    memset(dx, 0, rows * sizeof *dx);
    memset(du, 0, rows * sizeof *du);
    const double size = residual_of(l->residual, l, dx, du, F, A, B);
    if (!l->by_product) {
        step_open(l, dx, du, F);
    }
    double left = residual_of(l->residual, l, dx, du, F, A, B);
    for (int k = 0; k < SOLVES && isfinite(left); ++k) {
        if (k > 0 && left <= REFINED * REFINED * size) {
            break;
        }
        if (l->by_product) {
            dp_fc_velocity_space_solve(&l->velocities, dx, l->residual);
        } else {
            solve_impulses(&l->impulses, dx, l->residual);
        }
        dp_fc_apply(du, l->w, dx);
        left = residual_of(l->residual, l, dx, du, F, A, B);
    }
    return isfinite(left);
}
