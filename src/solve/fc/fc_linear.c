// Newton steps (FC 7), by a block-sparse matrix.
//
// Of a W that is given they are found among the impulses of the contacts that push, with A W + B;
// of a product W = Hᵀ M⁻¹ H among velocities,
//
//     (M + H C Hᵀ) dv = −H B⁻¹F,   C = B⁻¹A,   dx = −B⁻¹F − C Hᵀ dv.                      (FC 8)
//
// All are refined with the numbers of the problem.
#include "math/v3.h"
#include "solve/fc/fc_search.h"

#include <string.h>

// A residual of (FC 7) beyond this part of F asks for another solve with it.
static const double REFINED = 1e-10;

static bool pushes(const double A[9])
{
    for (int k = 0; k < 9; ++k) {
        if (A[k] != 0.0) {
            return true;
        }
    }
    return false;
}

// Block (i, j) of a W that is formed; NULL: there is none.
static const double *block_of(const dp_fc_reduced *w, int i, int j)
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

// ---- layout

// Nodes are contacts, cliques pairs that W couples.
static dp_status list_pairs(dp_fc_linear *l, dp_pool *pool)
{
    const dp_fc_reduced *w = l->w;
    const size_t most = (size_t)w->start[w->nc];
    DP_TRY(dp_pool_take(&l->clique, pool, 2 * most, sizeof(int)));
    DP_TRY(dp_pool_take(&l->clique_start, pool, most + 1, sizeof(int)));
    for (int i = 0; i < w->nc; ++i) {
        for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
            const int j = w->column[e];
            if (j > i || (j < i && !block_of(w, j, i))) {
                l->clique[2 * l->nclique] = i;
                l->clique[2 * l->nclique + 1] = j;
                l->nclique += 1;
                l->clique_start[l->nclique] = 2 * l->nclique;
            }
        }
    }
    return DP_OK;
}

// Nodes are groups of velocities, cliques those of a contact, and behind them pairs that M couples.
static dp_status list_contacts(dp_fc_linear *l, dp_pool *pool)
{
    const dp_fc_groups *g = &l->w->groups;
    const int nc = l->w->nc, parts = g->part_start[nc];
    l->nclique = nc + g->npair;
    DP_TRY(dp_pool_take(&l->clique, pool, (size_t)(parts + 2 * g->npair), sizeof(int)));
    DP_TRY(dp_pool_take(&l->clique_start, pool, (size_t)l->nclique + 1, sizeof(int)));
    for (int k = 0; k <= l->nclique; ++k) {
        l->clique_start[k] = k <= nc ? g->part_start[k] : parts + 2 * (k - nc);
    }
    for (int k = 0; k < parts + 2 * g->npair; ++k) {
        l->clique[k] = k < parts ? g->part_group[k] : g->pair[k - parts];
    }
    return DP_OK;
}

// M, which stays, and where the blocks of each contact stand.
static dp_status keep_product(dp_fc_linear *l, dp_pool *pool)
{
    const dp_fc_reduced *w = l->w;
    const dp_fc_groups *g = &l->w->groups;
    const dp_sparse *M = &w->p->M;
    dp_block_sparse *K = &l->K.A;
    dp_block_clear(K, false);
    for (int j = 0; j < w->nv; ++j) {
        const int column = g->place[j], b = g->of_place[column];
        for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
            const int row = g->place[M->row[k]], a = g->of_place[row];
            *dp_fc_matrix_element(&l->K, a, b, row - g->start[a], column - g->start[b]) +=
                M->value[k];
        }
    }
    DP_TRY(dp_pool_take(&l->upper, pool, K->nvalue, sizeof(double)));
    DP_TRY(dp_pool_take(&l->lower, pool, K->nvalue, sizeof(double)));
    memcpy(l->upper, K->upper, K->nvalue * sizeof(double));
    memcpy(l->lower, K->lower, K->nvalue * sizeof(double));
    DP_TRY(dp_pool_take(&l->view_start, pool, (size_t)w->nc + 1, sizeof *l->view_start));
    for (int i = 0; i < w->nc; ++i) {
        const size_t parts = (size_t)(g->part_start[i + 1] - g->part_start[i]);
        l->view_start[i + 1] = l->view_start[i] + parts * parts;
    }
    DP_TRY(dp_pool_take(&l->view, pool, l->view_start[w->nc], sizeof *l->view));
    for (int i = 0; i < w->nc; ++i) {
        dp_block_view *view = l->view + l->view_start[i];
        for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
            for (int f = g->part_start[i]; f < g->part_start[i + 1]; ++f) {
                *view++ = dp_block_at(K, g->part_group[e], g->part_group[f]);
            }
        }
    }
    return DP_OK;
}

dp_status dp_fc_linear_begin(dp_fc_linear *l, dp_fc_reduced *w, const dp_allocator *a)
{
    *l = (dp_fc_linear){.w = w, .by_velocities = !w->formed};
    const dp_fc_groups *g = l->by_velocities ? &w->groups : NULL;
    const size_t nc = (size_t)w->nc;
    const int nodes = g ? g->n : w->nc;
    int *size, widest = 3;
    DP_TRY(dp_pool_take(&size, &w->pool, (size_t)nodes, sizeof(int)));
    DP_TRY(dp_pool_take(&l->at, &w->pool, (size_t)nodes + 1, sizeof(int)));
    for (int i = 0; i < nodes; ++i) {
        size[i] = g ? g->size[i] : 3;
        widest = size[i] > widest ? size[i] : widest;
        l->at[i + 1] = l->at[i] + size[i];
    }
    DP_TRY(dp_pool_take(&l->x, &w->pool, (size_t)l->at[nodes], sizeof(double)));
    DP_TRY(dp_pool_take(&l->force, &w->pool, (size_t)l->at[nodes], sizeof(double)));
    DP_TRY(dp_pool_take(&l->right, &w->pool, 3 * nc, sizeof(double)));
    DP_TRY(dp_pool_take(&l->inverse, &w->pool, 9 * nc, sizeof(double)));
    DP_TRY(dp_pool_take(&l->C, &w->pool, 9 * nc, sizeof(double)));
    DP_TRY(dp_pool_take(&l->CH, &w->pool, 3 * (size_t)widest, sizeof(double)));
    DP_TRY(dp_pool_take(&l->pushes, &w->pool, nc, sizeof *l->pushes));
    DP_TRY(g ? list_contacts(l, &w->pool) : list_pairs(l, &w->pool));
    DP_TRY(dp_pool_take(&l->used, &w->pool, (size_t)l->nclique, sizeof *l->used));
    DP_TRY(dp_fc_matrix_begin(&l->K, nodes, size, l->nclique, l->clique_start, l->clique, a));
    return g ? keep_product(l, &w->pool) : DP_OK;
}

void dp_fc_linear_end(dp_fc_linear *l)
{
    dp_fc_matrix_end(&l->K);
}

// ---- factor and solve

// out = A P, P of 3 × n.
static void times(double *restrict out, const double A[9], const double *restrict P, int n)
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < n; ++c) {
            out[r * n + c] =
                A[3 * r] * P[c] + A[3 * r + 1] * P[n + c] + A[3 * r + 2] * P[2 * n + c];
        }
    }
}

// The columns of the inverse are the cross products of the rows over their triple product.
static bool invert(double out[9], const double A[9])
{
    const dp_v3 a = {A[0], A[1], A[2]}, b = {A[3], A[4], A[5]}, c = {A[6], A[7], A[8]};
    const dp_v3 column[3] = {dp_v3_cross(b, c), dp_v3_cross(c, a), dp_v3_cross(a, b)};
    const double inverse = 1.0 / dp_v3_dot(a, column[0]);
    for (int k = 0; k < 3; ++k) {
        out[k] = inverse * column[k].x;
        out[3 + k] = inverse * column[k].y;
        out[6 + k] = inverse * column[k].z;
    }
    return isfinite(inverse);
}

// C += Pᵀ Q, P and Q of three rows.
static void add_product(double *restrict C, int stride, const double *P, int m,
                        const double *restrict Q, int n)
{
    for (int r = 0; r < m; ++r, C += stride) {
        for (int c = 0; c < n; ++c) {
            C[c] += P[r] * Q[c] + P[m + r] * Q[n + c] + P[2 * m + r] * Q[2 * n + c];
        }
    }
}

// H C Hᵀ of a contact.
static void add_contact(dp_fc_linear *l, int i)
{
    const dp_fc_groups *g = &l->w->groups;
    const dp_block_view *view = l->view + l->view_start[i];
    const int from = g->part_start[i], to = g->part_start[i + 1];
    for (int f = from; f < to; ++f) {
        const int n = g->size[g->part_group[f]];
        times(l->CH, l->C + 9 * (ptrdiff_t)i, g->part + g->part_at[f], n);
        for (int e = from; e < to; ++e) {
            const int m = g->size[g->part_group[e]];
            const double *H = g->part + g->part_at[e];
            const dp_block_view at = view[(e - from) * (to - from) + f - from];
            if (at.by_columns) {
                add_product(at.value, at.stride, l->CH, n, H, m);
            } else {
                add_product(at.value, at.stride, H, m, l->CH, n);
            }
        }
    }
}

static bool factor_product(dp_fc_linear *l, const double *A, const double *B)
{
    dp_block_sparse *K = &l->K.A;
    memcpy(K->upper, l->upper, K->nvalue * sizeof(double));
    memcpy(K->lower, l->lower, K->nvalue * sizeof(double));
    for (int i = 0; i < l->w->nc; ++i) {
        const ptrdiff_t at = 9 * (ptrdiff_t)i;
        if (!invert(l->inverse + at, B + at)) {
            return false;
        }
        times(l->C + at, l->inverse + at, A + at, 3);
        if (pushes(A + at)) {
            add_contact(l, i);
        }
    }
    return dp_block_factor(K);
}

// A W + B of the contacts that push, and 1 of the others.
static bool factor_impulses(dp_fc_linear *l, const double *A, const double *B)
{
    const dp_fc_reduced *w = l->w;
    for (int i = 0; i < w->nc; ++i) {
        l->pushes[i] = pushes(A + 9 * (ptrdiff_t)i);
    }
    for (int k = 0; k < l->nclique; ++k) {
        l->used[k] = l->pushes[l->clique[2 * k]] && l->pushes[l->clique[2 * k + 1]];
    }
    (void)dp_block_restrict(&l->K.A, l->used);
    dp_block_clear(&l->K.A, false);
    for (int i = 0; i < w->nc; ++i) {
        dp_fc_matrix_add(&l->K, i, i, 3, 3, B + 9 * (ptrdiff_t)i);
        for (int e = w->start[i]; l->pushes[i] && e < w->start[i + 1]; ++e) {
            if (l->pushes[w->column[e]]) {
                times(l->CH, A + 9 * (ptrdiff_t)i, w->block + 9 * (ptrdiff_t)e, 3);
                dp_fc_matrix_add(&l->K, i, w->column[e], 3, 3, l->CH);
            }
        }
    }
    return dp_block_factor(&l->K.A);
}

// dx += the solution for l->right, which is lost.
static void solve(dp_fc_linear *l, double *dx)
{
    const int nc = l->w->nc;
    if (!l->by_velocities) {
        dp_block_solve(l->x, &l->K.A, l->at, l->right);
        for (int i = 0; i < 3 * nc; ++i) {
            dx[i] += l->x[i];
        }
        return;
    }
    double *y = l->right, image[3];
    for (int i = 0; i < nc; ++i) {
        times(image, l->inverse + 9 * (ptrdiff_t)i, y + 3 * i, 1);
        for (int k = 0; k < 3; ++k) {
            y[3 * i + k] = image[k];
            dx[3 * i + k] += image[k];
        }
    }
    dp_fc_push(l->force, l->w, y);
    dp_block_solve(l->x, &l->K.A, l->at, l->force);
    dp_fc_rates(y, l->w, l->x);
    for (int i = 0; i < nc; ++i) {
        times(image, l->C + 9 * (ptrdiff_t)i, y + 3 * i, 1);
        for (int k = 0; k < 3; ++k) {
            dx[3 * i + k] -= image[k];
        }
    }
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
        if (!l->pushes[i / 3]) {
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
    if (!(l->by_velocities ? factor_product(l, A, B) : factor_impulses(l, A, B))) {
        return false;
    }
    memset(dx, 0, rows * sizeof *dx);
    memset(du, 0, rows * sizeof *du);
    const double size = residual_of(l->right, l, dx, du, F, A, B);
    if (!l->by_velocities) {
        step_open(l, dx, du, F);
    }
    double left = residual_of(l->right, l, dx, du, F, A, B);
    for (int k = 0; k < SOLVES && isfinite(left); ++k) {
        if (k > 0 && left <= REFINED * REFINED * size) {
            break;
        }
        solve(l, dx);
        dp_fc_apply(du, l->w, dx);
        left = residual_of(l->right, l, dx, du, F, A, B);
    }
    return isfinite(left);
}
