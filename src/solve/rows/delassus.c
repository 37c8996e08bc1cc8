#include "solve/rows/delassus.h"

#include "base/memory.h"
#include "base/span.h"
#include "linalg/cuthill_mckee.h"
#include "linalg/semidefinite.h"
#include "problem/gradient.h"

#include <string.h>

// ---- the order

// Of one plan.
typedef struct plan_scratch {
    int *search;     // dp_cuthill_mckee_scratch
    int *first_user; // ntree: the first block that meets each tree, in order
    int *first;      // nrow: those of the envelope
    size_t *start;   // nrow+1
} plan_scratch;

// All arrays but W.
static void carve(dp_delassus *d, plan_scratch *s, dp_carver *c, const dp_step_size *size)
{
    const size_t nv = (size_t)size->nv, nblock = (size_t)size->nblock, nrow = (size_t)size->nrow;
    const size_t ntree = (size_t)size->ntree;
    d->met_start = dp_carve(c, nblock + 1, sizeof(int));
    d->met = dp_carve(c, size->ncol, sizeof(int));
    d->row = dp_carve(c, nrow, sizeof(int));
    d->block = dp_carve(c, nblock, sizeof(int));
    d->place_start = dp_carve(c, nblock + 1, sizeof(int));
    d->lowest = dp_carve(c, nblock, sizeof(int));
    d->LD = dp_carve(c, size->nMt, sizeof(double));
    d->motion = dp_carve(c, nv, sizeof(double));
    s->search = dp_carve(c, dp_cuthill_mckee_scratch(nblock, ntree, size->ncol), sizeof(int));
    s->first_user = dp_carve(c, ntree, sizeof(int));
    s->first = dp_carve(c, nrow, sizeof(int));
    s->start = dp_carve(c, nrow + 1, sizeof(size_t));
}

size_t dp_delassus_memory(const dp_step_size *max)
{
    dp_delassus d;
    plan_scratch s;
    dp_carver c = {NULL, 0};
    carve(&d, &s, &c, max);
    return dp_arena_bytes(c.used, 1) + dp_arena_bytes(dp_triangle(max->nrow), sizeof(double));
}

// Which trees each block meets.
static void list_trees(dp_delassus *d)
{
    const dp_step_problem *p = d->p;
    int count = 0;
    for (int b = 0; b < p->nblock; ++b) {
        d->met_start[b] = count;
        for (int k = p->col_start[b]; k < p->col_start[b + 1];) { // ascending, and trees so
            const int tree = dp_span_of(p->tree_start, p->ntree, p->col[k]);
            d->met[count++] = tree;
            while (k < p->col_start[b + 1] && p->col[k] < p->tree_start[tree + 1]) {
                ++k;
            }
        }
    }
    d->met_start[p->nblock] = count;
}

// Places, and the first one that each row couples with. @return elements of W
static size_t lay_out(dp_delassus *d, const plan_scratch *s)
{
    const dp_step_problem *p = d->p;
    int *first_user = s->first_user;
    for (int t = 0; t < p->ntree; ++t) {
        first_user[t] = -1;
    }
    d->place_start[0] = 0;
    for (int o = 0, place = 0; o < p->nblock; ++o) {
        const int b = d->block[o];
        d->lowest[o] = o;
        for (int k = d->met_start[b]; k < d->met_start[b + 1]; ++k) {
            const int tree = d->met[k];
            first_user[tree] = first_user[tree] < 0 ? o : first_user[tree];
            d->lowest[o] = first_user[tree] < d->lowest[o] ? first_user[tree] : d->lowest[o];
        }
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, ++place) {
            d->row[place] = r;
            s->first[place] = d->place_start[d->lowest[o]];
        }
        d->place_start[o + 1] = place;
    }
    d->at = (dp_envelope){p->nrow, s->first, s->start};
    return dp_envelope_layout(s->start, p->nrow, s->first);
}

dp_status dp_delassus_plan(dp_delassus *out, const dp_step_problem *p, dp_arena *scratch)
{
    const dp_step_size size = dp_step_size_of(p);
    dp_delassus d = {.p = p, .tree = {p->nv, p->parent, p->Mt_start}};
    plan_scratch s;
    dp_carver c = {NULL, 0};
    carve(&d, &s, &c, &size);
    DP_TRY(dp_arena_take(&c.base, scratch, c.used, 1));
    c.used = 0;
    carve(&d, &s, &c, &size);
    list_trees(&d);
    dp_cuthill_mckee(d.block, &(dp_clique_graph){p->nblock, p->ntree, d.met_start, d.met},
                     s.search);
    DP_TRY(dp_arena_take(&d.W, scratch, lay_out(&d, &s), sizeof *d.W));
    *out = d;
    return DP_OK;
}

// ---- the numbers

static dp_status factor_mass(dp_delassus *d)
{
    const dp_step_problem *p = d->p;
    memcpy(d->LD, p->mass_factor ? p->mass_factor : p->Mt, p->Mt_start[p->nv] * sizeof *d->LD);
    const int bad = p->mass_factor ? -1 : dp_tree_ldl_factor(d->LD, d->tree);
    if (bad >= 0) {
        return dp_fail(DP_ERROR_NUMERIC,
                       "step problem: M̃ has the pivot %g at velocity %d (expected > 0)",
                       d->LD[p->Mt_start[bad]], bad);
    }
    d->least_pivot = 1.0;
    for (int i = 0; i < p->nv; ++i) {
        const double pivot = d->LD[p->Mt_start[i]], diagonal = p->Mt[p->Mt_start[i]];
        if (pivot < d->least_pivot * diagonal) {
            d->least_pivot = pivot / diagonal;
        }
    }
    return DP_OK;
}

// y = M̃⁻¹ g on the trees that a row meets. @param y zero
static void respond(double *y, const dp_delassus *d, int block, const double *g)
{
    const dp_step_problem *p = d->p;
    for (int k = p->col_start[block]; k < p->col_start[block + 1]; ++k) {
        y[p->col[k]] = *g++;
    }
    for (int m = d->met_start[block]; m < d->met_start[block + 1]; ++m) {
        const int *tree = p->tree_start + d->met[m];
        dp_tree_ldl_solve_part(y, d->tree, d->LD, tree[0], tree[1]);
    }
}

static void clear(double *y, const dp_delassus *d, int block)
{
    for (int m = d->met_start[block]; m < d->met_start[block + 1]; ++m) {
        const int *tree = d->p->tree_start + d->met[m];
        memset(y + tree[0], 0, (size_t)(tree[1] - tree[0]) * sizeof *y);
    }
}

// Row i of W, in block o, where y is what an impulse on the row does.
static void fill_row(const dp_delassus *d, int o, int i, const double *y)
{
    double *W = d->W + d->at.start[i + 1] - 1 - i; // W(i, j) at W + j
    for (int other = d->lowest[o]; other < o; ++other) {
        dp_gradient_apply(W + d->place_start[other], d->p, d->block[other], y);
    }
    for (int j = d->place_start[o]; j <= i; ++j) {
        W[j] = dp_gradient_rate(d->p, d->block[o], d->row[j], y);
    }
}

dp_status dp_delassus_fill(dp_delassus *d)
{
    const dp_step_problem *p = d->p;
    double *y = d->motion;
    DP_TRY(factor_mass(d));
    memset(y, 0, (size_t)p->nv * sizeof *y);
    for (int o = 0; o < p->nblock; ++o) {
        const int b = d->block[o], ncol = p->col_start[b + 1] - p->col_start[b];
        const double *g = p->G + p->G_start[b];
        for (int i = d->place_start[o]; i < d->place_start[o + 1]; ++i, g += ncol) {
            respond(y, d, b, g);
            fill_row(d, o, i, y);
            clear(y, d, b);
        }
    }
    return DP_OK;
}

// ---- products

void dp_delassus_accelerate(const dp_delassus *d, double *v)
{
    dp_tree_ldl_solve(v, d->tree, d->LD, v);
}

void dp_delassus_motion(double *v, const dp_delassus *d, const double *x)
{
    memset(v, 0, (size_t)d->p->nv * sizeof *v);
    for (int o = 0; o < d->p->nblock; ++o) {
        dp_gradient_add(v, d->p, d->block[o], x + d->place_start[o]);
    }
    dp_delassus_accelerate(d, v);
}

void dp_delassus_rates(double *u, const dp_delassus *d, const double *v)
{
    for (int o = 0; o < d->p->nblock; ++o) {
        dp_gradient_apply(u + d->place_start[o], d->p, d->block[o], v);
    }
}

void dp_delassus_apply(double *y, const dp_delassus *d, const double *x)
{
    dp_envelope_apply(y, d->at, d->W, x);
}
