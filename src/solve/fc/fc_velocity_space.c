// Newton steps (FC 7) among the velocities of a product W = Hᵀ M⁻¹ H.
//
// A W that is given may be of few directions, as many feet of one body have: with W = L Lᵀ it is
// such a product, H = Lᵀ and M = 1. What is left of it is round-off then, and steps are corrected
// with W itself (fc_linear.c).
#include "base/interrupt.h"
#include "solve/fc/fc_search.h"

#include <string.h>

// ---- 3 × 3

static void image(double *restrict y, const double *restrict A, const double *restrict x)
{
    for (int i = 0; i < 3; ++i) {
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
    }
}

static bool invert(double *restrict out, const double *restrict A)
{
    const double a = A[4] * A[8] - A[5] * A[7], b = A[5] * A[6] - A[3] * A[8],
                 c = A[3] * A[7] - A[4] * A[6];
    const double determinant = A[0] * a + A[1] * b + A[2] * c;
    const double inverse = 1.0 / determinant;
    if (!isfinite(inverse)) {
        return false;
    }
    out[0] = inverse * a;
    out[1] = inverse * (A[2] * A[7] - A[1] * A[8]);
    out[2] = inverse * (A[1] * A[5] - A[2] * A[4]);
    out[3] = inverse * b;
    out[4] = inverse * (A[0] * A[8] - A[2] * A[6]);
    out[5] = inverse * (A[2] * A[3] - A[0] * A[5]);
    out[6] = inverse * c;
    out[7] = inverse * (A[1] * A[6] - A[0] * A[7]);
    out[8] = inverse * (A[0] * A[4] - A[1] * A[3]);
    return true;
}

// ---- layout

// Cliques: what M couples, then the groups of each contact.
static dp_status list_cliques(dp_fc_velocity_space *s, const dp_fc_groups *g, int nc, dp_pool *pool)
{
    const int parts = g->part_start[nc];
    s->nclique = g->npair + nc;
    DP_TRY(dp_pool_take(&s->clique_start, pool, (size_t)s->nclique + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&s->clique, pool, (size_t)(2 * g->npair + parts), sizeof(int)));
    for (int c = 0; c < g->npair; ++c) {
        s->clique_start[c + 1] = 2 * (c + 1);
        s->clique[2 * c] = g->pair[2 * c];
        s->clique[2 * c + 1] = g->pair[2 * c + 1];
    }
    for (int i = 0; i < nc; ++i) {
        s->clique_start[g->npair + i + 1] = 2 * g->npair + g->part_start[i + 1];
    }
    for (int e = 0; e < parts; ++e) {
        s->clique[2 * g->npair + e] = g->part_group[e];
    }
    return DP_OK;
}

// What is left of the cost among impulses: contacts that are open leave the matrix.
static const double PUSHING = 0.25;

// W couples contacts that meet a group, or groups that M couples; the latter is left out.
dp_status dp_fc_prefer_velocities(bool *out, dp_fc_reduced *w, const dp_allocator *a)
{
    const dp_fc_groups *g = &w->groups;
    dp_fc_velocity_space s = {.product = w};
    double velocities, impulses;
    int *size;
    DP_TRY(list_cliques(&s, g, w->nc, &w->pool));
    DP_TRY(dp_pool_take(&size, &w->pool, (size_t)w->nc + 1, sizeof *size));
    for (int i = 0; i < w->nc; ++i) {
        size[i] = 3;
    }
    DP_TRY(dp_fc_matrix_cost(&velocities, g->n, g->size, s.nclique, s.clique_start, s.clique, a));
    DP_TRY(dp_fc_matrix_cost(&impulses, w->nc, size, g->n, g->meet_start, g->meet, a));
    *out = velocities < PUSHING * impulses;
    return DP_OK;
}

// Views of the blocks of each contact, and room for the widest.
static dp_status list_views(dp_fc_velocity_space *s, const dp_fc_groups *g, int nc, dp_pool *pool)
{
    size_t most = 0;
    DP_TRY(dp_pool_take(&s->view_start, pool, (size_t)nc + 1, sizeof *s->view_start));
    for (int i = 0; i < nc; ++i) {
        const size_t n = (size_t)(g->part_start[i + 1] - g->part_start[i]);
        s->view_start[i + 1] = s->view_start[i] + n * n;
        for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
            const size_t width = (size_t)g->size[g->part_group[e]];
            most = width > most ? width : most;
        }
    }
    DP_TRY(dp_pool_take(&s->CG, pool, 3 * most, sizeof(double)));
    DP_TRY(dp_pool_take(&s->view, pool, s->view_start[nc], sizeof *s->view));
    for (int i = 0; i < nc; ++i) {
        dp_block_view *view = s->view + s->view_start[i];
        for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
            for (int f = g->part_start[i]; f < g->part_start[i + 1]; ++f) {
                *view++ = dp_block_at(&s->K.A, g->part_group[e], g->part_group[f]);
            }
        }
    }
    return DP_OK;
}

static dp_status lay_out(dp_fc_velocity_space *s, dp_pool *pool, const dp_allocator *a)
{
    const dp_fc_groups *g = &s->product->groups;
    const size_t rows = 3 * (size_t)s->product->nc, nv = (size_t)s->product->nv;
    DP_TRY(list_cliques(s, g, s->product->nc, pool));
    DP_TRY(dp_fc_matrix_begin(&s->K, g->n, g->size, s->nclique, s->clique_start, s->clique, a));
    dp_block_clear(&s->K.A, false);
    DP_TRY(list_views(s, g, s->product->nc, pool));
    DP_TRY(dp_pool_take(&s->upper, pool, s->K.A.nvalue, sizeof(double)));
    DP_TRY(dp_pool_take(&s->lower, pool, s->K.A.nvalue, sizeof(double)));
    DP_TRY(dp_pool_take(&s->inverse, pool, 3 * rows, sizeof(double)));
    DP_TRY(dp_pool_take(&s->C, pool, 3 * rows, sizeof(double)));
    DP_TRY(dp_pool_take(&s->y, pool, rows, sizeof(double)));
    DP_TRY(dp_pool_take(&s->force, pool, nv, sizeof(double)));
    return dp_pool_take(&s->v, pool, nv, sizeof(double));
}

static void keep_mass(dp_fc_velocity_space *s)
{
    memcpy(s->upper, s->K.A.upper, s->K.A.nvalue * sizeof(double));
    memcpy(s->lower, s->K.A.lower, s->K.A.nvalue * sizeof(double));
}

dp_status dp_fc_velocity_space_begin(dp_fc_velocity_space *s, dp_fc_reduced *w,
                                     const dp_allocator *a)
{
    const dp_fc_groups *g = &w->groups;
    const dp_sparse *M = &w->p->M;
    *s = (dp_fc_velocity_space){.product = w};
    DP_TRY(lay_out(s, &w->pool, a));
    for (int j = 0; j < w->nv; ++j) {
        const int column = g->place[j], b = g->of_place[column], c = column - g->start[b];
        for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
            const int row = g->place[M->row[k]], i = g->of_place[row], r = row - g->start[i];
            const dp_block_view at = dp_block_at(&s->K.A, i, b);
            at.value[at.by_columns ? (ptrdiff_t)c * at.stride + r : (ptrdiff_t)r * at.stride + c] +=
                M->value[k];
        }
    }
    keep_mass(s);
    return DP_OK;
}

// ---- low rank

static const double NOTHING_LEFT = 1e-13, SYMMETRIC = 1e-12;

// How many multiplications a step takes with such an L.
static double cost_of_rank(int rows, int rank)
{
    const double r = rank;
    return 2.0 * rows * r * r + 0.67 * r * r * r;
}

static bool is_symmetric(const dp_fc_reduced *w)
{
    for (int i = 0; i < w->nc; ++i) {
        for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
            const int j = w->column[e];
            const double *B = w->block + 9 * (ptrdiff_t)e, *other = dp_fc_block(w, j, i);
            const double size = sqrt(w->d[i] * w->d[j]);
            for (int k = 0; k < 9; ++k) {
                const double across = other ? other[3 * (k % 3) + k / 3] : 0.0;
                if (!(fabs(B[k] - across) <= SYMMETRIC * size)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// W = L Lᵀ by Cholesky with the largest pivot of what is left, until nothing is.
// @param left 3 nc: the diagonal of what is left @return the rank, or 0 where it is more than most
static int factor_rank(double *L, double *left, const dp_fc_reduced *w, int most)
{
    const int rows = 3 * w->nc;
    double largest = 0.0;
    for (int i = 0; i < rows; ++i) {
        left[i] = dp_fc_block(w, i / 3, i / 3)[4 * (i % 3)];
        largest = fmax(largest, left[i]);
    }
    for (int rank = 0; rank < most; ++rank) {
        int pivot = 0;
        for (int i = 1; i < rows; ++i) {
            pivot = left[i] > left[pivot] ? i : pivot;
        }
        if (!(left[pivot] > NOTHING_LEFT * largest)) {
            return rank;
        }
        if (dp_interrupted((size_t)rows * (size_t)(rank + 10))) {
            return 0;
        }
        const double *own = L + (size_t)pivot * (size_t)most, root = sqrt(left[pivot]);
        for (int i = 0; i < rows; ++i) {
            double *row = L + (size_t)i * (size_t)most;
            const double *B = dp_fc_block(w, i / 3, pivot / 3);
            double sum = B ? B[3 * (i % 3) + pivot % 3] : 0.0;
            for (int k = 0; k < rank; ++k) {
                sum -= row[k] * own[k];
            }
            row[rank] = i == pivot ? root : sum / root;
        }
        for (int i = 0; i < rows; ++i) {
            const double x = L[(size_t)i * (size_t)most + (size_t)rank];
            left[i] = i == pivot ? 0.0 : left[i] - x * x;
        }
    }
    return 0;
}

// H = Lᵀ with one group of velocities, which every contact meets.
static dp_status make_groups(dp_fc_groups *g, const double *L, int nc, int rank, int stride,
                             dp_pool *pool)
{
    const size_t n = (size_t)rank, count = (size_t)nc;
    *g = (dp_fc_groups){.n = 1};
    DP_TRY(dp_pool_take(&g->start, pool, 2, sizeof(int)));
    DP_TRY(dp_pool_take(&g->size, pool, 1, sizeof(int)));
    DP_TRY(dp_pool_take(&g->part_start, pool, count + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&g->part_group, pool, count, sizeof(int)));
    DP_TRY(dp_pool_take(&g->part_at, pool, count, sizeof *g->part_at));
    DP_TRY(dp_pool_take(&g->part, pool, 3 * count * n, sizeof *g->part));
    g->start[1] = g->size[0] = rank;
    for (size_t i = 0; i < count; ++i) {
        g->part_start[i + 1] = (int)i + 1;
        g->part_at[i] = 3 * i * n;
    }
    for (size_t i = 0; i < 3 * count; ++i) {
        memcpy(g->part + i * n, L + i * (size_t)stride, n * sizeof *g->part);
    }
    return DP_OK;
}

dp_status dp_fc_low_rank_begin(bool *out, dp_fc_velocity_space *s, dp_fc_reduced *w, double cost,
                               const dp_allocator *a)
{
    enum { PAYS = 4, LEAST = 300, SPARSE = 12 };
    const int rows = 3 * w->nc;
    const double full = (double)w->nc * (double)w->nc;
    int most = 1;
    *out = false;
    if (rows < LEAST || SPARSE * (double)w->start[w->nc] < full || !is_symmetric(w)) {
        return DP_OK;
    }
    while (most < rows / 4 && PAYS * cost_of_rank(rows, 2 * most) < cost) {
        most *= 2;
    }
    double *L, *left;
    DP_TRY(dp_pool_take(&left, &w->pool, (size_t)rows, sizeof *left));
    DP_TRY(dp_pool_take(&L, &w->pool, (size_t)rows * (size_t)most, sizeof *L));
    const int rank = factor_rank(L, left, w, most);
    if (rank == 0) {
        return DP_OK;
    }
    *s = (dp_fc_velocity_space){.product = &s->low_rank};
    s->low_rank = (dp_fc_reduced){.nc = w->nc, .nv = rank};
    DP_TRY(make_groups(&s->low_rank.groups, L, w->nc, rank, most, &w->pool));
    DP_TRY(lay_out(s, &w->pool, a));
    const dp_block_view M = dp_block_at(&s->K.A, 0, 0);
    for (int i = 0; i < rank; ++i) {
        M.value[(ptrdiff_t)i * (M.stride + 1)] = 1.0;
    }
    keep_mass(s);
    *out = true;
    return DP_OK;
}

// ---- factor and solve

// C −= Pᵀ Q, P and Q of three rows: as dp_subtract_product, faster for bodies of six velocities.
static void subtract_product(double *restrict C, int stride, const double *P, int m,
                             const double *restrict Q, int n)
{
    for (int r = 0; r < m; ++r, C += stride) {
        for (int c = 0; c < n; ++c) {
            C[c] -= P[r] * Q[c] + P[m + r] * Q[n + c] + P[2 * m + r] * Q[2 * n + c];
        }
    }
}

// K += H_c C H_cᵀ of one contact, whose −C is at hand.
static void add_contact(dp_fc_velocity_space *s, int i)
{
    const dp_fc_groups *g = &s->product->groups;
    const double *C = s->C + 9 * (ptrdiff_t)i;
    const dp_block_view *view = s->view + s->view_start[i];
    const int from = g->part_start[i], to = g->part_start[i + 1];
    double *restrict CG = s->CG;
    for (int f = from; f < to; ++f) {
        const int n = g->size[g->part_group[f]];
        const double *G = g->part + g->part_at[f];
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < n; ++c) {
                CG[r * n + c] =
                    C[3 * r] * G[c] + C[3 * r + 1] * G[n + c] + C[3 * r + 2] * G[2 * n + c];
            }
        }
        for (int e = from; e < to; ++e) {
            const int m = g->size[g->part_group[e]];
            const double *E = g->part + g->part_at[e];
            const dp_block_view at = view[(e - from) * (to - from) + f - from];
            if (at.by_columns) {
                subtract_product(at.value, at.stride, CG, n, E, m);
            } else {
                subtract_product(at.value, at.stride, E, m, CG, n);
            }
        }
    }
}

bool dp_fc_velocity_space_factor(dp_fc_velocity_space *s, const double *A, const double *B)
{
    dp_block_sparse *K = &s->K.A;
    memcpy(K->upper, s->upper, K->nvalue * sizeof(double));
    memcpy(K->lower, s->lower, K->nvalue * sizeof(double));
    for (int i = 0; i < s->product->nc; ++i) {
        const ptrdiff_t at = 9 * (ptrdiff_t)i;
        const double *inverse = s->inverse + at;
        if (!invert(s->inverse + at, B + at)) {
            return false;
        }
        for (int k = 0; k < 9; ++k) {
            const double *row = inverse + 3 * (k / 3), *column = A + at + k % 3;
            s->C[at + k] = -(row[0] * column[0] + row[1] * column[3] + row[2] * column[6]);
        }
        if (dp_fc_pushes(A + at)) {
            add_contact(s, i);
        }
    }
    return dp_block_factor(K);
}

void dp_fc_velocity_space_solve(dp_fc_velocity_space *s, double *dx, const double *right)
{
    const dp_fc_reduced *h = s->product;
    for (int i = 0; i < h->nc; ++i) {
        image(s->y + 3 * i, s->inverse + 9 * (ptrdiff_t)i, right + 3 * i);
    }
    dp_fc_push(s->force, h, s->y);
    for (int i = 0; i < 3 * h->nc; ++i) {
        dx[i] += s->y[i];
    }
    dp_block_solve(s->v, &s->K.A, h->groups.start, s->force);
    dp_fc_rates(s->y, h, s->v);
    for (int i = 0; i < h->nc; ++i) {
        double back[3];
        image(back, s->C + 9 * (ptrdiff_t)i, s->y + 3 * i);
        for (int k = 0; k < 3; ++k) {
            dx[3 * i + k] += back[k];
        }
    }
}
