#include "made_problem.h"

#include "test_random.h"

#include <math.h>

static void connect_arrays(made_problem *m)
{
    m->p.tree_start = m->tree_start;
    m->p.parent = m->parent;
    m->p.Mt_start = m->Mt_start;
    m->p.Mt = m->Mt;
    m->p.v0 = m->v0;
    m->p.v_free = m->v_free;
    m->p.row_start = m->row_start;
    m->p.id = m->id;
    m->p.col_start = m->col_start;
    m->p.col = m->col;
    m->p.G_start = m->G_start;
    m->p.G = m->G;
    m->p.row = m->row;
}

// A tree whose part of M̃ is diagonally dominant, hence positive definite.
static void add_tree(made_problem *m, random_source *r)
{
    const int first = m->p.nv;
    m->p.nv += 1 + random_below(r, 5);
    for (int i = first; i < m->p.nv; ++i) {
        m->parent[i] = first + random_below(r, i - first + 1) - 1;
        m->parent[i] = m->parent[i] < first ? -1 : m->parent[i];
        double *element = m->Mt + m->Mt_start[i];
        *element++ = 6.0 + random_between(r, 0.0, 1.0);
        for (int j = m->parent[i]; j >= 0; j = m->parent[j]) {
            *element++ = random_between(r, -1.0, 1.0);
        }
        m->Mt_start[i + 1] = (size_t)(element - m->Mt);
        m->v0[i] = random_between(r, -1.0, 1.0);
        m->v_free[i] = random_between(r, -1.0, 1.0);
    }
    m->tree_start[++m->p.ntree] = m->p.nv;
}

static dp_row random_row(random_source *r)
{
    const double infinity = (double)INFINITY;
    dp_row row = {.phi = random_between(r, -0.01, 0.02),
                  .phi_t = random_between(r, -1.0, 1.0),
                  .k = infinity,
                  .lo = -infinity,
                  .hi = infinity,
                  .len = 1.0};
    row.b_ref = row.phi_t;
    switch (random_below(r, 5)) {
    case 0: // rigid
        break;
    case 1: // spring and dashpot
        row.k = exp(random_between(r, 0.0, 30.0));
        row.b = exp(random_between(r, -5.0, 10.0));
        break;
    case 2: // dry friction
        row.k = 0.0;
        row.b = infinity;
        row.hi = random_between(r, 0.0, 1.0);
        row.lo = -row.hi;
        break;
    case 3: // a rigid limit
        row.lo = 0.0;
        break;
    default: // a soft one, angular
        row.k = exp(random_between(r, 0.0, 30.0));
        row.b = exp(random_between(r, -5.0, 10.0));
        row.lo = 0.0;
        row.len = 0.25;
        break;
    }
    return row;
}

static void add_columns(made_problem *m, int *end, int tree)
{
    for (int j = m->tree_start[tree]; j < m->tree_start[tree + 1]; ++j) {
        m->col[(*end)++] = j;
    }
}

static void add_block(made_problem *m, random_source *r)
{
    const int block = m->p.nblock++, rows = 1 + random_below(r, 3);
    m->id[block] = (block > 0 ? m->id[block - 1] : 0) + 1 + (random_bits(r) >> 8);
    const int a = random_below(r, m->p.ntree), b = random_below(r, m->p.ntree);
    int end = m->col_start[block];
    add_columns(m, &end, a < b ? a : b);
    if (a != b && random_chance(r, 0.5)) {
        add_columns(m, &end, a < b ? b : a);
    }
    m->col_start[block + 1] = end;
    m->row_start[block + 1] = m->row_start[block] + rows;
    m->G_start[block + 1] = m->G_start[block] + (size_t)rows * (size_t)(end - m->col_start[block]);
    for (size_t i = m->G_start[block]; i < m->G_start[block + 1]; ++i) {
        m->G[i] = random_between(r, -1.0, 1.0);
    }
    for (int i = 0; i < rows; ++i) {
        m->row[m->p.nrow++] = random_row(r);
    }
}

void make_problem(made_problem *out, int ntree, int nblock, random_source *r)
{
    *out = (made_problem){.p = {.h = 0.01}};
    connect_arrays(out);
    for (int t = 0; t < ntree; ++t) {
        add_tree(out, r);
    }
    for (int i = 0; i < nblock; ++i) {
        add_block(out, r);
    }
}

void make_particle(made_problem *out, double m, double v_free)
{
    const double infinity = (double)INFINITY;
    *out = (made_problem){
        .p = {.h = 0.1, .nv = 1, .ntree = 1, .nblock = 1, .nrow = 1},
        .tree_start = {0, 1},
        .parent = {-1},
        .Mt_start = {0, 1},
        .Mt = {m},
        .v0 = {v_free},
        .v_free = {v_free},
        .row_start = {0, 1},
        .col_start = {0, 1},
        .id = {7},
        .G_start = {0, 1},
        .G = {1.0},
        .row = {{.k = infinity, .lo = -infinity, .hi = infinity, .len = 1.0}},
    };
    connect_arrays(out);
}
