#include "solve/contact/operator/factor_cache.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { THREE = 3 }; // velocities of a body that have a unit in common

bool dp_cache_is_usable(const dp_coulomb *c)
{
    bool whole = !c->op.one_tree && !c->op.by_links;
    for (int b = 0; whole && b < c->p->nblock; ++b) {
        whole = c->block[b].full_wrench;
    }
    for (int t = 0; whole && t < c->p->ntree; ++t) {
        whole = c->op.free_body[t];
    }
    return whole;
}

size_t dp_cache_count(const dp_coulomb *c)
{
    return c->p->G_start[c->p->nblock] + c->p->Mt_start[c->p->nv] + (size_t)c->p->nrow;
}

dp_status dp_cache_take(dp_coulomb *c, dp_arena *scratch)
{
    const dp_step_problem *p = c->p;
    DP_TRY(dp_arena_take(&c->op.cache.G, scratch, p->G_start[p->nblock], sizeof *c->op.cache.G));
    DP_TRY(dp_arena_take(&c->op.cache.Mt, scratch, p->Mt_start[p->nv], sizeof *c->op.cache.Mt));
    DP_TRY(dp_arena_take(&c->op.cache.scale, scratch, (size_t)p->nrow, sizeof *c->op.cache.scale));
    memset(c->op.cache.G, 0, p->G_start[p->nblock] * sizeof *c->op.cache.G);
    memset(c->op.cache.Mt, 0, p->Mt_start[p->nv] * sizeof *c->op.cache.Mt);
    memset(c->op.cache.scale, 0, (size_t)p->nrow * sizeof *c->op.cache.scale);
    return DP_OK;
}

// ---- grids

// The power of two below a size, or a little above it: sizes of one, and those that are one but for
// their last digits, have the same, and so have those of usual lengths in metres.
static double power_of(double size)
{
    const double off = DP_OFF_POWERS * size;
    uint64_t bits;
    memcpy(&bits, &off, sizeof bits);
    bits &= UINT64_C(0x7ff) << 52; // the exponent
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

// What is added to numbers of about that size, and taken away again, to round them to 2^−bits of
// it.
static double grid_of(double size, int bits)
{
    return 3.0 * (double)(UINT64_C(1) << (51 - bits)) * power_of(size);
}

static inline double on_grid(double x, double grid)
{
    return (x + grid) - grid;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

// Three columns of the rows of a block go to the cache. @return whether they were there
static inline bool put_three(double *restrict cached, const double *restrict G, const int nrow,
                             int ncol)
{
    double most = 0.0;
    for (int r = 0; r < nrow; ++r) {
        const double *g = G + (ptrdiff_t)r * ncol;
        most = larger(larger(fabs(g[0]), fabs(g[1])), larger(fabs(g[2]), most));
    }
    const double grid = grid_of(most, DP_CACHE_BITS);
    bool same = true;
    for (int r = 0; r < nrow; ++r) {
        for (int k = 0; k < THREE; ++k) {
            const ptrdiff_t at = (ptrdiff_t)r * ncol + k;
            const double x = on_grid(G[at], grid);
            same &= x == cached[at];
            cached[at] = x;
        }
    }
    return same;
}

static bool put_rows(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    bool same = true;
    for (int b = 0; b < p->nblock; ++b) {
        const int nrow = p->row_start[b + 1] - p->row_start[b];
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        double *cached = c->op.cache.G + p->G_start[b];
        const double *G = p->G + p->G_start[b];
        for (int k = 0; k < ncol; k += THREE) {
            same &= nrow == 3 ? put_three(cached + k, G + k, 3, ncol) // as the compiler likes it
                              : put_three(cached + k, G + k, nrow, ncol);
        }
    }
    return same;
}

// The mass of a free body. Elements between velocities of different units are smaller than the mean
// of both.
static bool put_mass(dp_coulomb *c, int from)
{
    const dp_step_problem *p = c->p;
    double size[DP_FREE_BODY / THREE] = {0.0};
    for (int i = 0; i < DP_FREE_BODY; ++i) {
        size[i / THREE] = larger(p->Mt[p->Mt_start[from + i]], size[i / THREE]);
    }
    const double own[] = {grid_of(size[0], DP_CACHE_BITS), grid_of(size[1], DP_CACHE_BITS)};
    const double both = grid_of(sqrt(size[0] * size[1]), DP_CACHE_BITS);
    bool same = true;
    for (int i = 0; i < DP_FREE_BODY; ++i) {
        for (int j = i; j >= 0; --j) { // from the diagonal to the root
            const size_t at = p->Mt_start[from + i] + (size_t)(i - j);
            const double x = on_grid(p->Mt[at], i / THREE == j / THREE ? own[i / THREE] : both);
            same &= x == c->op.cache.Mt[at];
            c->op.cache.Mt[at] = x;
        }
    }
    return same;
}

// ---- C

// Friction at its limit is as stiff as what is left of the slip says, in its first digits: the size
// of its part is rounded to a few bits, and what it does not hold back stays that.
static void round_group(double *C, const dp_friction_group *group, int nrow)
{
    double *part = C + (ptrdiff_t)group->first * nrow + group->first, trace = 0.0;
    for (int k = 0; k < group->count; ++k) {
        trace += part[(ptrdiff_t)k * nrow + k];
    }
    if (!(trace > 0.0)) {
        return;
    }
    const double size = on_grid(trace, grid_of(trace, DP_SIZE_BITS)), times = size / trace;
    const double grid = grid_of(size, DP_CACHE_BITS);
    for (int i = 0; i < group->count; ++i) {
        for (int j = 0; j < group->count; ++j) {
            double *at = part + (ptrdiff_t)i * nrow + j;
            *at = on_grid(times * *at, grid);
        }
    }
}

void dp_cache_round(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int nrow = p->row_start[b + 1] - p->row_start[b];
        double *C = c->C + block->C;
        if (block->ngroup == 0) {
            for (int i = 0; i < nrow; ++i) {
                C[i] = on_grid(C[i], grid_of(C[i], DP_CACHE_BITS));
            }
            continue;
        }
        const double grid = grid_of(C[0], DP_CACHE_BITS);
        for (int i = 0; i < nrow; ++i) { // what friction takes from the normal is of its size
            C[i * nrow] = on_grid(C[i * nrow], grid);
        }
        for (int g = 0; g < block->ngroup; ++g) {
            round_group(C, &block->group[g], nrow);
        }
    }
}

// ---- Newton's method

bool dp_cache_begin(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    c->op.cache.in_use = false;
    if (!c->op.cache.usable || !dp_coulomb_take_matrix(c)) {
        return false;
    }
    bool same = put_rows(c);
    for (int t = 0; t < p->ntree; ++t) {
        same &= put_mass(c, p->tree_start[t]);
    }
    const size_t bytes = (size_t)p->nrow * sizeof *c->scale;
    same &= memcmp(c->op.cache.scale, c->scale, bytes) == 0;
    memcpy(c->op.cache.scale, c->scale, bytes);
    c->op.cache.valid = c->op.cache.valid && same;
    c->op.cache.in_use = true;
    return true;
}

void dp_cache_end(dp_coulomb *c)
{
    c->op.cache.in_use = false;
}

// The problem with rounded numbers.
static dp_step_problem rounded(const dp_coulomb *c)
{
    dp_step_problem p = *c->p;
    p.G = c->op.cache.G;
    p.Mt = c->op.cache.Mt;
    return p;
}

bool dp_cache_factor(dp_coulomb *c)
{
    if (c->op.cache.valid && c->op.cache.symmetric == c->op.symmetric &&
        memcmp(c->C, c->op.C_factored, c->op.nC * sizeof *c->C) == 0) {
        ++c->work.factorizations;
        ++c->work.spared;
        return true;
    }
    const dp_step_problem *given = c->p, p = rounded(c);
    c->p = &p;
    c->op.factored = false; // what there is is of numbers that are not rounded,
    c->op.cache.valid = dp_coulomb_factor(c);
    c->op.factored = false; // and this of those that are
    c->p = given;
    c->op.cache.symmetric = c->op.symmetric;
    return c->op.cache.valid;
}

void dp_cache_step(dp_coulomb *c, double *dx)
{
    const dp_step_problem *given = c->p, p = rounded(c);
    c->p = &p;
    dp_coulomb_step(c, dx);
    c->p = given;
}
