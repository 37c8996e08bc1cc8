// Newton steps (FC 7), by a block-sparse matrix. Of a product W = Hᵀ M⁻¹ H velocities are unknowns,
// too,
//
//     M dv − H dx = 0,   A Hᵀ dv + B dx = −F,                                            (FC 8)
//
// so that the order of elimination finds out whether steps are found among impulses or among
// velocities; of a W that is formed it is A W + B. Contacts that are open leave the matrix. All
// steps are refined with the numbers of the problem.
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

// ---- layout

// Nodes that share a block.
static void couple(dp_fc_linear *l, int i, int j)
{
    l->clique[2 * l->nclique] = i;
    l->clique[2 * l->nclique + 1] = j;
    l->nclique += 1;
    l->clique_start[l->nclique] = 2 * l->nclique;
}

// Contacts that W couples, or a contact and each group of velocities that it acts on.
static void couple_contact(dp_fc_linear *l, int i)
{
    const dp_fc_reduced *w = l->w;
    const dp_fc_groups *g = &w->groups;
    if (!w->formed) {
        for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
            couple(l, g->part_group[e], l->ngroup + i);
        }
        return;
    }
    for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
        if (w->column[e] != i) {
            couple(l, i, w->column[e]);
        }
    }
}

static dp_status list_couples(dp_fc_linear *l, dp_pool *pool)
{
    const dp_fc_reduced *w = l->w;
    const dp_fc_groups *g = &w->groups;
    const size_t most = (size_t)(w->formed ? w->start[w->nc] : g->part_start[w->nc] + g->npair);
    DP_TRY(dp_pool_take(&l->clique, pool, 2 * most, sizeof(int)));
    DP_TRY(dp_pool_take(&l->clique_start, pool, most + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&l->used, pool, most, sizeof *l->used));
    for (int i = 0; i < w->nc; ++i) {
        couple_contact(l, i);
    }
    for (int k = 0; !w->formed && k < g->npair; ++k) { // that M couples
        couple(l, g->pair[2 * k], g->pair[2 * k + 1]);
    }
    return DP_OK;
}

dp_status dp_fc_linear_begin(dp_fc_linear *l, dp_fc_reduced *w, const dp_allocator *a)
{
    *l = (dp_fc_linear){.w = w, .ngroup = w->formed ? 0 : w->groups.n};
    const int nodes = l->ngroup + w->nc;
    int *size, widest = 3;
    DP_TRY(dp_pool_take(&size, &w->pool, (size_t)nodes, sizeof(int)));
    DP_TRY(dp_pool_take(&l->at, &w->pool, (size_t)nodes + 1, sizeof(int)));
    for (int i = 0; i < nodes; ++i) {
        size[i] = i < l->ngroup ? w->groups.size[i] : 3;
        widest = size[i] > widest ? size[i] : widest;
        l->at[i + 1] = l->at[i] + size[i];
    }
    const size_t unknowns = (size_t)l->at[nodes], nc = (size_t)w->nc;
    DP_TRY(dp_pool_take(&l->x, &w->pool, unknowns, sizeof(double)));
    DP_TRY(dp_pool_take(&l->right, &w->pool, unknowns, sizeof(double)));
    DP_TRY(dp_pool_take(&l->block, &w->pool, 3 * (size_t)widest, sizeof(double)));
    DP_TRY(dp_pool_take(&l->pushes, &w->pool, nc, sizeof *l->pushes));
    DP_TRY(list_couples(l, &w->pool));
    return dp_fc_matrix_begin(&l->K, nodes, size, l->nclique, l->clique_start, l->clique, a);
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

static void add_mass(dp_fc_linear *l)
{
    const dp_sparse *M = &l->w->p->M;
    const dp_fc_groups *g = &l->w->groups;
    for (int j = 0; j < l->w->nv; ++j) {
        const int column = g->place[j], b = g->of_place[column];
        for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
            const int row = g->place[M->row[k]], a = g->of_place[row];
            *dp_fc_matrix_element(&l->K, a, b, row - g->start[a], column - g->start[b]) +=
                M->value[k];
        }
    }
}

// A Hᵀ and −H of a contact.
static void add_product(dp_fc_linear *l, int i, const double A[9])
{
    const dp_fc_groups *g = &l->w->groups;
    for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
        const int group = g->part_group[e], n = g->size[group];
        const double *H = g->part + g->part_at[e];
        times(l->block, A, H, n);
        dp_fc_matrix_add(&l->K, l->ngroup + i, group, 3, n, l->block);
        for (int k = 0; k < 3 * n; ++k) {
            l->block[k % n * 3 + k / n] = -H[k];
        }
        dp_fc_matrix_add(&l->K, group, l->ngroup + i, n, 3, l->block);
    }
}

// A W of a contact.
static void add_formed(dp_fc_linear *l, int i, const double A[9])
{
    const dp_fc_reduced *w = l->w;
    for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
        if (l->pushes[w->column[e]]) {
            times(l->block, A, w->block + 9 * (ptrdiff_t)e, 3);
            dp_fc_matrix_add(&l->K, i, w->column[e], 3, 3, l->block);
        }
    }
}

static bool is_used(const dp_fc_linear *l, int node)
{
    return node < l->ngroup || l->pushes[node - l->ngroup];
}

static bool factor(dp_fc_linear *l, const double *A, const double *B)
{
    const dp_fc_reduced *w = l->w;
    for (int i = 0; i < w->nc; ++i) {
        l->pushes[i] = pushes(A + 9 * (ptrdiff_t)i);
    }
    for (int k = 0; k < l->nclique; ++k) {
        l->used[k] = is_used(l, l->clique[2 * k]) && is_used(l, l->clique[2 * k + 1]);
    }
    (void)dp_block_restrict(&l->K.A, l->used);
    dp_block_clear(&l->K.A, false);
    if (!w->formed) {
        add_mass(l);
    }
    for (int i = 0; i < w->nc; ++i) {
        const ptrdiff_t at = 9 * (ptrdiff_t)i;
        dp_fc_matrix_add(&l->K, l->ngroup + i, l->ngroup + i, 3, 3, B + at);
        if (l->pushes[i]) {
            (w->formed ? add_formed : add_product)(l, i, A + at);
        }
    }
    return dp_block_factor(&l->K.A);
}

// The rows of contacts in a vector of the matrix.
static double *of_contacts(const dp_fc_linear *l, double *x)
{
    return x + l->at[l->ngroup];
}

// dx += the solution for l->right, which is 0 in the rows of velocities.
static void solve(dp_fc_linear *l, double *dx)
{
    dp_block_solve(l->x, &l->K.A, l->at, l->right);
    const double *x = of_contacts(l, l->x);
    for (int i = 0; i < 3 * l->w->nc; ++i) {
        dx[i] += x[i];
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
    double *right = of_contacts(l, l->right);
    l->factorizations += 1;
    if (!factor(l, A, B)) {
        return false;
    }
    memset(dx, 0, rows * sizeof *dx);
    memset(du, 0, rows * sizeof *du);
    const double size = residual_of(right, l, dx, du, F, A, B);
    step_open(l, dx, du, F);
    double left = residual_of(right, l, dx, du, F, A, B);
    for (int k = 0; k < SOLVES && isfinite(left); ++k) {
        if (k > 0 && left <= REFINED * REFINED * size) {
            break;
        }
        solve(l, dx);
        dp_fc_apply(du, l->w, dx);
        left = residual_of(right, l, dx, du, F, A, B);
    }
    return isfinite(left);
}
