// Newton steps (FC 7): among the impulses that push, dense or sparse, or among the velocities.
#include "base/interrupt.h"
#include "linalg/subtract.h"
#include "solve/fc_search.h"

#include <string.h>

// Below so many rows a dense matrix is faster.
enum { DENSE = 90 };

// A residual of (FC 7) beyond this part of F asks for another solve with it.
static const double REFINED = 1e-10;

// ---- 3 × 3

static void product(double *restrict C, const double *restrict A, const double *restrict B)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
        }
    }
}

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

static bool pushes(const double *A)
{
    for (int k = 0; k < 9; ++k) {
        if (A[k] != 0.0) {
            return true;
        }
    }
    return false;
}

// ---- layout

// Block (i, j) of W; NULL: there is none.
static const double *block_at(const dp_fc_reduced *w, int i, int j)
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

static dp_status list_pairs(dp_fc_linear *l, dp_fc_reduced *w)
{
    const size_t most = (size_t)w->start[w->nc];
    DP_TRY(dp_pool_take(&l->pair, &w->pool, 2 * most, sizeof(int)));
    DP_TRY(dp_pool_take(&l->pair_start, &w->pool, most + 1, sizeof(int)));
    for (int i = 0; i < w->nc; ++i) {
        for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
            const int j = w->column[e];
            if (j > i || (j < i && !block_at(w, j, i))) {
                l->pair[2 * l->npair] = i;
                l->pair[2 * l->npair + 1] = j;
                l->npair += 1;
                l->pair_start[l->npair] = 2 * l->npair;
            }
        }
    }
    return dp_pool_take(&l->used, &w->pool, (size_t)l->npair, sizeof *l->used);
}

static dp_status begin_impulses(dp_fc_linear *l, dp_fc_reduced *w)
{
    const size_t nc = (size_t)w->nc, dense = DENSE + 3;
    DP_TRY(list_pairs(l, w));
    DP_TRY(dp_pool_take(&l->size, &w->pool, nc, sizeof(int)));
    DP_TRY(dp_pool_take(&l->at, &w->pool, nc + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&l->number, &w->pool, nc, sizeof(int)));
    DP_TRY(dp_pool_take(&l->matrix, &w->pool, dense * dense, sizeof(double)));
    DP_TRY(dp_pool_take(&l->exchange, &w->pool, dense, sizeof(int)));
    for (int i = 0; i < w->nc; ++i) {
        l->size[i] = 3;
        l->at[i + 1] = 3 * (i + 1);
    }
    return DP_OK;
}

// Cliques: what M couples, then the groups of each contact.
static dp_status list_cliques(dp_fc_linear *l, dp_fc_reduced *w)
{
    const dp_fc_groups *g = &w->groups;
    const int parts = g->part_start[w->nc];
    l->nclique = g->npair + w->nc;
    DP_TRY(dp_pool_take(&l->clique_start, &w->pool, (size_t)l->nclique + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&l->clique, &w->pool, (size_t)(2 * g->npair + parts), sizeof(int)));
    memcpy(l->clique, g->pair, 2 * (size_t)g->npair * sizeof(int));
    for (int c = 0; c < g->npair; ++c) {
        l->clique_start[c + 1] = 2 * (c + 1);
    }
    for (int i = 0; i < w->nc; ++i) {
        int at = l->clique_start[g->npair + i];
        for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
            l->clique[at++] = g->part_group[e];
        }
        l->clique_start[g->npair + i + 1] = at;
    }
    return DP_OK;
}

// What is left of the cost among impulses: contacts that are open leave the matrix.
static const double PUSHING = 0.25;

// W couples contacts that meet a group, or groups that M couples; the latter is left out.
dp_status dp_fc_linear_choose(bool *by_velocities, dp_fc_reduced *w, const dp_allocator *a)
{
    const dp_fc_groups *g = &w->groups;
    dp_fc_linear l = {.w = w};
    double velocities, impulses;
    int *size;
    DP_TRY(list_cliques(&l, w));
    DP_TRY(dp_pool_take(&size, &w->pool, (size_t)w->nc + 1, sizeof *size));
    for (int i = 0; i < w->nc; ++i) {
        size[i] = 3;
    }
    DP_TRY(dp_fc_matrix_cost(&velocities, g->n, g->size, l.nclique, l.clique_start, l.clique, a));
    DP_TRY(dp_fc_matrix_cost(&impulses, w->nc, size, g->n, g->meet_start, g->meet, a));
    *by_velocities = velocities < PUSHING * impulses;
    return DP_OK;
}

static dp_status begin_velocities(dp_fc_linear *l, dp_fc_reduced *w, const dp_allocator *a)
{
    const dp_fc_groups *g = &w->groups;
    DP_TRY(list_cliques(l, w));
    DP_TRY(dp_fc_matrix_begin(&l->K, g->n, g->size, l->nclique, l->clique_start, l->clique, a));
    dp_block_clear(&l->K.A, false);
    const dp_sparse *M = &w->p->M;
    for (int j = 0; j < w->nv; ++j) {
        const int column = g->place[j], b = g->of_place[column], c = column - g->start[b];
        for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
            const int row = g->place[M->row[k]], i = g->of_place[row], r = row - g->start[i];
            const dp_block_view at = dp_block_at(&l->K.A, i, b);
            at.value[at.by_columns ? (ptrdiff_t)c * at.stride + r : (ptrdiff_t)r * at.stride + c] +=
                M->value[k];
        }
    }
    const size_t numbers = l->K.A.nvalue, rows = 3 * (size_t)w->nc;
    DP_TRY(dp_pool_take(&l->upper, &w->pool, numbers, sizeof(double)));
    DP_TRY(dp_pool_take(&l->lower, &w->pool, numbers, sizeof(double)));
    memcpy(l->upper, l->K.A.upper, numbers * sizeof(double));
    for (int s = 0; s < l->K.A.npanel; ++s) { // what is not below the diagonal is not set
        const dp_block_panel *panel = &l->K.A.panel[s];
        if (panel->length > l->K.A.size[panel->begin]) {
            memcpy(l->lower + panel->at, l->K.A.lower + panel->at,
                   (size_t)panel->width * (size_t)panel->length * sizeof(double));
        }
    }
    DP_TRY(dp_pool_take(&l->inverse, &w->pool, 3 * rows, sizeof(double)));
    DP_TRY(dp_pool_take(&l->C, &w->pool, 3 * rows, sizeof(double)));
    DP_TRY(dp_pool_take(&l->force, &w->pool, (size_t)w->nv, sizeof(double)));
    DP_TRY(dp_pool_take(&l->v, &w->pool, (size_t)w->nv, sizeof(double)));
    DP_TRY(dp_pool_take(&l->view_start, &w->pool, (size_t)w->nc + 1, sizeof *l->view_start));
    size_t most = 0;
    for (int i = 0; i < w->nc; ++i) {
        const size_t n = (size_t)(g->part_start[i + 1] - g->part_start[i]);
        l->view_start[i + 1] = l->view_start[i] + n * n;
        size_t width = 0;
        for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
            width += (size_t)g->size[g->part_group[e]];
        }
        most = width > most ? width : most;
    }
    DP_TRY(dp_pool_take(&l->CG, &w->pool, 3 * most, sizeof(double)));
    DP_TRY(dp_pool_take(&l->view, &w->pool, l->view_start[w->nc], sizeof *l->view));
    for (int i = 0; i < w->nc; ++i) {
        dp_block_view *view = l->view + l->view_start[i];
        for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
            for (int f = g->part_start[i]; f < g->part_start[i + 1]; ++f) {
                *view++ = dp_block_at(&l->K.A, g->part_group[e], g->part_group[f]);
            }
        }
    }
    return DP_OK;
}

// ---- low rank

// A symmetric W of few directions, as many feet of one body have, is L Lᵀ with few columns:
// Cholesky with the largest pivot of what is left, until nothing is. What is left is round-off
// then, and steps are corrected with W itself.
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
            const double *B = w->block + 9 * (ptrdiff_t)e, *other = block_at(w, j, i);
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

// @param left 3 nc: the diagonal of what is left @return the rank, or 0 where it is more than most
static int factor_rank(double *L, double *left, const dp_fc_reduced *w, int most)
{
    const int rows = 3 * w->nc;
    double largest = 0.0;
    for (int i = 0; i < rows; ++i) {
        left[i] = block_at(w, i / 3, i / 3)[4 * (i % 3)];
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
            const double *B = block_at(w, i / 3, pivot / 3);
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

static dp_status begin_rank(dp_fc_linear *l, dp_fc_reduced *w, const dp_allocator *a)
{
    enum { PAYS = 4, LEAST = 300, SPARSE = 12 };
    const int rows = 3 * w->nc;
    const double full = (double)w->nc * (double)w->nc;
    if (rows < LEAST || SPARSE * (double)w->start[w->nc] < full || !is_symmetric(w)) {
        return DP_OK;
    }
    double cost;
    DP_TRY(dp_fc_matrix_cost(&cost, w->nc, l->size, l->npair, l->pair_start, l->pair, a));
    int most = 1;
    while (most < rows / 4 && PAYS * cost_of_rank(rows, 2 * most) < cost) {
        most *= 2;
    }
    double *L, *left, *tight;
    DP_TRY(dp_pool_take(&left, &w->pool, (size_t)rows, sizeof *left));
    DP_TRY(dp_pool_take(&L, &w->pool, (size_t)rows * (size_t)most, sizeof *L));
    l->rank = factor_rank(L, left, w, most);
    const size_t rank = (size_t)l->rank;
    if (rank == 0) {
        return DP_OK;
    }
    DP_TRY(dp_pool_take(&tight, &w->pool, (size_t)rows * rank, sizeof *tight));
    for (size_t i = 0; i < (size_t)rows; ++i) {
        memcpy(tight + i * rank, L + i * (size_t)most, rank * sizeof *tight);
    }
    l->L = tight;
    DP_TRY(dp_pool_take(&l->matrix, &w->pool, rank * rank, sizeof(double)));
    DP_TRY(dp_pool_take(&l->exchange, &w->pool, rank, sizeof(int)));
    DP_TRY(dp_pool_take(&l->CG, &w->pool, 3 * rank, sizeof(double)));
    DP_TRY(dp_pool_take(&l->force, &w->pool, rank, sizeof(double)));
    DP_TRY(dp_pool_take(&l->v, &w->pool, rank, sizeof(double)));
    DP_TRY(dp_pool_take(&l->inverse, &w->pool, 3 * (size_t)rows, sizeof(double)));
    return dp_pool_take(&l->C, &w->pool, 3 * (size_t)rows, sizeof(double));
}

static bool factor_low(dp_fc_linear *l, const double *A, const double *B)
{
    const int n = l->rank;
    double *K = l->matrix;
    memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
    for (int i = 0; i < n; ++i) {
        K[(ptrdiff_t)i * n + i] = 1.0;
    }
    for (int i = 0; i < l->w->nc; ++i) {
        const ptrdiff_t at = 9 * (ptrdiff_t)i;
        l->number[i] = 0; // all are among the unknowns
        if (!invert(l->inverse + at, B + at)) {
            return false;
        }
        product(l->C + at, l->inverse + at, A + at);
        if (!pushes(A + at)) {
            continue;
        }
        const double *C = l->C + at, *L = l->L + 3 * (ptrdiff_t)i * n;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < n; ++c) {
                l->CG[r * n + c] =
                    C[3 * r] * L[c] + C[3 * r + 1] * L[n + c] + C[3 * r + 2] * L[2 * n + c];
            }
        }
        dp_subtract_product(K, n, L, n, l->CG, n, 3, n, n);
    }
    for (ptrdiff_t k = 0; k < (ptrdiff_t)n * n; ++k) {
        K[k] = k % (n + 1) == 0 ? 2.0 - K[k] : -K[k]; // the products were taken away
    }
    l->factorizations += 1;
    return dp_rows_factor(K, n, l->exchange);
}

static void solve_low(dp_fc_linear *l, double *dx, const double *right)
{
    const int n = l->rank, rows = 3 * l->w->nc;
    memset(l->force, 0, (size_t)n * sizeof *l->force);
    for (int i = 0; i < rows; i += 3) {
        double y[3];
        image(y, l->inverse + 3 * (ptrdiff_t)i, right + i);
        for (int k = 0; k < 3; ++k) {
            const double *L = l->L + (ptrdiff_t)(i + k) * n;
            dx[i + k] += y[k];
            for (int c = 0; c < n; ++c) {
                l->force[c] += L[c] * y[k];
            }
        }
    }
    dp_rows_solve(l->v, l->matrix, l->exchange, l->force, n);
    for (int i = 0; i < rows; i += 3) {
        double u[3], back[3];
        for (int k = 0; k < 3; ++k) {
            const double *L = l->L + (ptrdiff_t)(i + k) * n;
            u[k] = 0.0;
            for (int c = 0; c < n; ++c) {
                u[k] += L[c] * l->v[c];
            }
        }
        image(back, l->C + 3 * (ptrdiff_t)i, u);
        for (int k = 0; k < 3; ++k) {
            dx[i + k] -= back[k];
        }
    }
}

dp_status dp_fc_linear_begin(dp_fc_linear *l, dp_fc_reduced *w, bool by_velocities,
                             const dp_allocator *a)
{
    *l = (dp_fc_linear){.w = w, .by_velocities = by_velocities};
    DP_TRY(dp_pool_take(&l->right, &w->pool, 6 * (size_t)w->nc + 1, sizeof(double)));
    if (by_velocities) {
        return begin_velocities(l, w, a);
    }
    DP_TRY(begin_impulses(l, w));
    if (3 * w->nc < DENSE) {
        return DP_OK;
    }
    DP_TRY(begin_rank(l, w, a));
    return l->rank > 0
               ? DP_OK
               : dp_fc_matrix_begin(&l->K, w->nc, l->size, l->npair, l->pair_start, l->pair, a);
}

void dp_fc_linear_end(dp_fc_linear *l)
{
    dp_fc_matrix_end(&l->K);
}

// ---- among impulses

static bool factor_dense(dp_fc_linear *l, const double *A, const double *B, int rows)
{
    const dp_fc_reduced *w = l->w;
    double *matrix = l->matrix;
    memset(matrix, 0, (size_t)rows * (size_t)rows * sizeof *matrix);
    for (int i = 0; i < w->nc; ++i) {
        const int from = l->number[i];
        for (int e = w->start[i]; from >= 0 && e < w->start[i + 1]; ++e) {
            const int to = l->number[w->column[e]];
            if (to < 0) {
                continue;
            }
            double block[9];
            product(block, A + 9 * (ptrdiff_t)i, w->block + 9 * (ptrdiff_t)e);
            for (int k = 0; k < 9; ++k) {
                matrix[(from + k / 3) * rows + to + k % 3] =
                    block[k] + (w->column[e] == i ? B[9 * (ptrdiff_t)i + k] : 0.0);
            }
        }
    }
    return dp_rows_factor(matrix, rows, l->exchange);
}

static bool factor_sparse(dp_fc_linear *l, const double *A, const double *B)
{
    const dp_fc_reduced *w = l->w;
    for (int k = 0; k < l->npair; ++k) {
        l->used[k] = l->number[l->pair[2 * k]] >= 0 && l->number[l->pair[2 * k + 1]] >= 0;
    }
    (void)dp_block_restrict(&l->K.A, l->used);
    dp_block_clear(&l->K.A, false);
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    for (int i = 0; i < w->nc; ++i) {
        if (l->number[i] < 0) {
            dp_fc_matrix_add(&l->K, i, i, 3, 3, unit);
            continue;
        }
        for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
            const int j = w->column[e];
            if (l->number[j] < 0) {
                continue;
            }
            double block[9];
            product(block, A + 9 * (ptrdiff_t)i, w->block + 9 * (ptrdiff_t)e);
            for (int k = 0; j == i && k < 9; ++k) {
                block[k] += B[9 * (ptrdiff_t)i + k];
            }
            dp_fc_matrix_add(&l->K, i, j, 3, 3, block);
        }
    }
    return dp_block_factor(&l->K.A);
}

static bool factor_impulses(dp_fc_linear *l, const double *A, const double *B)
{
    int rows = 0;
    for (int i = 0; i < l->w->nc; ++i) {
        const bool active = pushes(A + 9 * (ptrdiff_t)i);
        l->number[i] = active ? rows : -1;
        rows += active ? 3 : 0;
    }
    l->dense = rows < DENSE;
    l->factorizations += 1;
    return l->dense ? factor_dense(l, A, B, rows) : factor_sparse(l, A, B);
}

// dx += what answers `right`, which is what (FC 7) lacks.
static void solve_impulses(dp_fc_linear *l, double *dx, const double *right)
{
    const dp_fc_reduced *w = l->w;
    double *b = l->right;
    int rows = 0;
    if (!l->dense) {
        dp_block_solve(b, &l->K.A, l->at, right);
        for (int i = 0; i < 3 * w->nc; ++i) {
            dx[i] += b[i];
        }
        return;
    }
    double packed[DENSE + 3], y[DENSE + 3];
    for (int i = 0; i < w->nc; ++i) {
        for (int k = 0; k < 3 && l->number[i] >= 0; ++k) {
            packed[rows++] = right[3 * i + k];
        }
    }
    dp_rows_solve(y, l->matrix, l->exchange, packed, rows);
    for (int i = 0; i < w->nc; ++i) {
        for (int k = 0; k < 3; ++k) {
            dx[3 * i + k] += l->number[i] >= 0 ? y[l->number[i] + k] : right[3 * i + k];
        }
    }
}

// ---- among velocities

static void add_contact(dp_fc_linear *l, int i)
{
    const dp_fc_groups *g = &l->w->groups;
    const double *C = l->C + 9 * (ptrdiff_t)i;
    const dp_block_view *view = l->view + l->view_start[i];
    const int from = g->part_start[i], to = g->part_start[i + 1];
    for (int f = from; f < to; ++f) {
        const int n = g->size[g->part_group[f]];
        const double *G = g->part + g->part_at[f];
        double *restrict CG = l->CG;
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
            const ptrdiff_t down = at.by_columns ? 1 : at.stride;
            const ptrdiff_t along = at.by_columns ? at.stride : 1;
            for (int r = 0; r < m; ++r) {
                for (int c = 0; c < n; ++c) {
                    at.value[r * down + c * along] +=
                        E[r] * CG[c] + E[m + r] * CG[n + c] + E[2 * m + r] * CG[2 * n + c];
                }
            }
        }
    }
}

static bool factor_velocities(dp_fc_linear *l, const double *A, const double *B)
{
    dp_block_sparse *K = &l->K.A;
    memcpy(K->upper, l->upper, K->nvalue * sizeof(double));
    memcpy(K->lower, l->lower, K->nvalue * sizeof(double));
    for (int i = 0; i < l->w->nc; ++i) {
        const ptrdiff_t at = 9 * (ptrdiff_t)i;
        if (!invert(l->inverse + at, B + at)) {
            return false;
        }
        product(l->C + at, l->inverse + at, A + at);
        if (pushes(A + at)) {
            add_contact(l, i);
        }
    }
    l->factorizations += 1;
    return dp_block_factor(K);
}

static void solve_velocities(dp_fc_linear *l, double *dx, const double *right)
{
    const dp_fc_reduced *w = l->w;
    double *y = l->right;
    for (int i = 0; i < w->nc; ++i) {
        image(y + 3 * i, l->inverse + 9 * (ptrdiff_t)i, right + 3 * i);
    }
    dp_fc_push(l->force, w, y);
    for (int i = 0; i < 3 * w->nc; ++i) {
        dx[i] += y[i];
    }
    dp_block_solve(l->v, &l->K.A, w->groups.start, l->force);
    dp_fc_rates(y, w, l->v);
    for (int i = 0; i < w->nc; ++i) {
        double back[3];
        image(back, l->C + 9 * (ptrdiff_t)i, y + 3 * i);
        for (int k = 0; k < 3; ++k) {
            dx[3 * i + k] -= back[k];
        }
    }
}

// ---- a step

// right = −F − B dx − A du, with which dx is to be corrected; among impulses what is open goes
// first. @return its square beside that of F
static double lack(double *right, const dp_fc_linear *l, const double *dx, const double *du,
                   const double *F, const double *A, const double *B)
{
    double square = 0.0;
    for (int i = 0; i < l->w->nc; ++i) {
        double b[3], a[3];
        image(b, B + 9 * (ptrdiff_t)i, dx + 3 * i);
        image(a, A + 9 * (ptrdiff_t)i, du + 3 * i);
        for (int k = 0; k < 3; ++k) {
            right[3 * i + k] = -F[3 * i + k] - b[k] - a[k];
            square += right[3 * i + k] * right[3 * i + k];
        }
    }
    return square;
}

bool dp_fc_linear_step(dp_fc_linear *l, double *dx, double *du, const double *F, const double *A,
                       const double *B)
{
    enum { REFINEMENTS = 3 };
    const dp_fc_reduced *w = l->w;
    const size_t rows = 3 * (size_t)w->nc;
    if (!(l->by_velocities ? factor_velocities(l, A, B)
          : l->rank > 0    ? factor_low(l, A, B)
                           : factor_impulses(l, A, B))) {
        return false;
    }
    double size = 0.0;
    memset(dx, 0, rows * sizeof *dx);
    memset(du, 0, rows * sizeof *du);
    for (size_t i = 0; i < rows; ++i) {
        size += F[i] * F[i];
    }
    double *right = l->right + rows;
    if (!l->by_velocities && l->rank == 0) { // contacts that are open do not wait for others
        bool open = false;
        for (int i = 0; i < w->nc; ++i) {
            for (int k = 0; k < 3 && l->number[i] < 0; ++k) {
                dx[3 * i + k] = -F[3 * i + k];
                open = open || F[3 * i + k] != 0.0;
            }
        }
        if (open) {
            dp_fc_apply(du, w, dx);
        }
    }
    for (int turn = 0; turn <= REFINEMENTS; ++turn) {
        const double left = lack(right, l, dx, du, F, A, B);
        if (!isfinite(left)) {
            return false;
        }
        if (turn > 0 && left <= REFINED * REFINED * size) {
            break;
        }
        if (turn == REFINEMENTS) {
            break;
        }
        if (l->by_velocities) {
            solve_velocities(l, dx, right);
        } else if (l->rank > 0) {
            solve_low(l, dx, right);
        } else {
            solve_impulses(l, dx, right);
        }
        dp_fc_apply(du, w, dx);
    }
    return true;
}
