#include "law_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

law_problem law_problem_create(double h, int max_v, int max_row)
{
    const size_t nv = (size_t)max_v, nrow = (size_t)max_row;
    law_problem lp = {
        .tree_start = zeros(nv + 1, sizeof(int)),
        .parent = zeros(nv, sizeof(int)),
        .row_start = zeros(nrow + 1, sizeof(int)),
        .col_start = zeros(nrow + 1, sizeof(int)),
        .col = zeros(nrow * 12 + nrow * (nv < 100 ? nv : 0), sizeof(int)),
        .Mt_start = zeros(nv + 1, sizeof(size_t)),
        .G_start = zeros(nrow + 1, sizeof(size_t)),
        .Mt = zeros(nv * (nv < 100 ? nv : 60), sizeof(double)),
        .v0 = zeros(nv, sizeof(double)),
        .v_free = zeros(nv, sizeof(double)),
        .G = zeros(nrow * 12 + nrow * (nv < 100 ? nv : 0), sizeof(double)),
        .id = zeros(nrow, sizeof(uint64_t)),
        .row = zeros(nrow, sizeof(dp_row)),
        .friction_of = zeros(nrow, sizeof(int)),
        .friction = zeros(nrow, sizeof(dp_friction)),
        .normal = zeros(nrow, sizeof(dp_normal)),
        .s = {.v = zeros(nv, sizeof(double)),
              .gamma = zeros(nrow, sizeof(double)),
              .state = zeros(nrow, 1)},
    };
    lp.p = (dp_step_problem){.h = h,
                             .tree_start = lp.tree_start,
                             .parent = lp.parent,
                             .Mt_start = lp.Mt_start,
                             .Mt = lp.Mt,
                             .v0 = lp.v0,
                             .v_free = lp.v_free,
                             .row_start = lp.row_start,
                             .id = lp.id,
                             .col_start = lp.col_start,
                             .col = lp.col,
                             .G_start = lp.G_start,
                             .G = lp.G,
                             .row = lp.row,
                             .friction_of = lp.friction_of,
                             .friction = lp.friction};
    return lp;
}

void law_problem_destroy(law_problem *lp)
{
    void *all[] = {lp->tree_start, lp->parent,  lp->row_start, lp->col_start,   lp->col,
                   lp->Mt_start,   lp->G_start, lp->Mt,        lp->v0,          lp->v_free,
                   lp->G,          lp->id,      lp->row,       lp->friction_of, lp->friction,
                   lp->normal,     lp->s.v,     lp->s.gamma,   lp->s.state};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        free(all[i]);
    }
}

void law_problem_tree(law_problem *lp, int n, bool chain, double m, random_source *r)
{
    const int base = lp->p.nv;
    for (int i = base; i < base + n; ++i) {
        lp->parent[i] = i == base ? -1 : chain ? i - 1 : base + random_below(r, i - base);
        int depth = 1;
        for (int j = lp->parent[i]; j >= 0; j = lp->parent[j]) {
            ++depth;
        }
        lp->Mt_start[i + 1] = lp->Mt_start[i] + (size_t)depth;
        lp->v_free[i] = random_between(r, -1.0, 1.0);
        lp->v0[i] = lp->v_free[i];
        double g[64];
        g[0] = 1.0;
        for (int k = 1; k < depth && k < 64; ++k) {
            g[k] = random_between(r, -1.0, 1.0);
        }
        const double mass = m * random_between(r, 0.5, 2.0);
        int a = 0;
        for (int j = i; j >= 0; j = lp->parent[j], ++a) { // m g gᵀ along the way to the root
            double *row = lp->Mt + lp->Mt_start[j];
            for (int b = a; b < depth; ++b) {
                *row++ += mass * g[a] * g[b];
            }
        }
    }
    lp->p.nv += n;
    lp->tree_start[++lp->p.ntree] = lp->p.nv;
}

void law_problem_particle(law_problem *lp, double m, double v_free)
{
    const int i = lp->p.nv++;
    lp->parent[i] = -1;
    lp->Mt_start[i + 1] = lp->Mt_start[i] + 1;
    lp->Mt[lp->Mt_start[i]] = m;
    lp->v_free[i] = lp->v0[i] = v_free;
    lp->tree_start[++lp->p.ntree] = lp->p.nv;
}

dp_row *law_problem_block(law_problem *lp, int nrow, int ncol, const int *col, const double *G)
{
    dp_step_problem *p = &lp->p;
    const int b = p->nblock++;
    lp->id[b] = (uint64_t)b + 1;
    for (int k = 0; k < ncol; ++k) {
        lp->col[lp->col_start[b] + k] = col[k];
    }
    for (int k = 0; k < ncol * nrow; ++k) {
        lp->G[lp->G_start[b] + (size_t)k] = G[k];
    }
    lp->col_start[b + 1] = lp->col_start[b] + ncol;
    lp->G_start[b + 1] = lp->G_start[b] + (size_t)ncol * (size_t)nrow;
    lp->row_start[b + 1] = lp->row_start[b] + nrow;
    lp->friction_of[b] = -1;
    dp_row *row = lp->row + p->nrow;
    for (int r = 0; r < nrow; ++r) {
        row[r] = (dp_row){
            .k = (double)INFINITY, .lo = -(double)INFINITY, .hi = (double)INFINITY, .len = 1.0};
    }
    p->nrow += nrow;
    return row;
}

dp_row *law_problem_contact(law_problem *lp, int nrow, int ncol, const int *col, const double *G,
                            const dp_friction *friction)
{
    dp_row *row = law_problem_block(lp, nrow, ncol, col, G);
    row[0].lo = 0.0;
    for (int r = 1; r < nrow; ++r) {
        row[r].k = 0.0;
        row[r].b = (double)INFINITY;
    }
    lp->friction_of[lp->p.nblock - 1] = lp->p.nfriction;
    lp->friction[lp->p.nfriction++] = *friction;
    return row;
}

static double power_between(random_source *r, double least, double most)
{
    return pow(10.0, random_between(r, log10(least), log10(most)));
}

void law_problem_random_row(dp_row *row, const law_rows *kinds, random_source *r)
{
    row->phi = random_between(r, -1e-2, 1e-2);
    row->phi_t = random_chance(r, 0.3) ? random_between(r, -1.0, 1.0) : 0.0;
    row->k = random_chance(r, kinds->rigid) ? (double)INFINITY
                                            : power_between(r, kinds->k_least, kinds->k_most);
    row->b = random_chance(r, kinds->damped) ? power_between(r, 1e-2, 1e6) : 0.0;
    row->b_ref = random_chance(r, 0.5) ? row->phi_t : random_between(r, -1.0, 1.0);
    if (random_chance(r, kinds->one_sided)) {
        row->lo = 0.0;
    } else if (random_chance(r, kinds->bounded)) {
        row->lo = -random_between(r, 0.0, 0.5);
        row->hi = random_between(r, 0.0, 0.5);
    }
}

void law_problem_random_block(law_problem *lp, const law_rows *kinds, random_source *r)
{
    const int a = random_below(r, lp->p.ntree), b = random_below(r, lp->p.ntree);
    law_problem_link(lp, a < b ? a : b, a < b ? b : a, kinds, r);
}

void law_problem_link(law_problem *lp, int low, int high, const law_rows *kinds, random_source *r)
{
    int col[64], ncol = 0;
    for (int t = low; t <= high; t += high > low ? high - low : 1) {
        for (int j = lp->tree_start[t]; j < lp->tree_start[t + 1]; ++j) {
            if (random_chance(r, 0.7) || (ncol == 0 && j == lp->tree_start[t + 1] - 1)) {
                col[ncol++] = j;
            }
        }
    }
    double G[3 * 64];
    const int nrow = 1 + random_below(r, 3);
    for (int k = 0; k < nrow * ncol; ++k) {
        G[k] = random_between(r, -1.0, 1.0);
    }
    dp_row *row = law_problem_block(lp, nrow, ncol, col, G);
    for (int k = 0; k < nrow; ++k) {
        law_problem_random_row(row + k, kinds, r);
    }
}

law_problem law_problem_random(double h, int ntree, int nblock, const law_rows *kinds,
                               random_source *r)
{
    law_problem lp = law_problem_create(h, 5 * ntree, 3 * nblock);
    for (int t = 0; t < ntree; ++t) {
        law_problem_tree(&lp, 1 + random_below(r, 5), false, 1.0, r);
    }
    for (int b = 0; b < nblock; ++b) {
        law_problem_random_block(&lp, kinds, r);
    }
    return lp;
}

law_problem law_problem_random_contacts(int most, random_source *r)
{
    const law_rows kinds = {.k_least = 1e2,
                            .k_most = 1e8,
                            .rigid = 0.3,
                            .damped = 0.3,
                            .one_sided = 0.3,
                            .bounded = 0.3};
    const int ncontact = 1 + random_below(r, most), nblock = random_below(r, 3);
    law_problem lp = law_problem_create(0.01, 32, (most + 3) * LAW_BLOCK_ROWS);
    for (int t = 0; t < 3; ++t) {
        law_problem_tree(&lp, 6, random_chance(r, 0.5), 1.0, r);
    }
    for (int b = 0; b < nblock; ++b) {
        law_problem_random_block(&lp, &kinds, r);
    }
    for (int c = 0; c < ncontact; ++c) {
        static const int sizes[] = {3, 4, 6};
        const int nrow = sizes[random_below(r, 3)], low = random_below(r, 2);
        int col[12];
        double G[6 * 12];
        for (int k = 0; k < 12; ++k) {
            col[k] = 6 * low + k;
        }
        for (int k = 0; k < nrow * 12; ++k) {
            G[k] = random_between(r, -1.0, 1.0);
        }
        dp_friction friction = {{0.0, 0.0}, 0.0, {0.0, 0.0}};
        friction.mu[0] = random_between(r, 0.0, 1.0);
        friction.mu[1] = random_chance(r, 0.5) ? friction.mu[0] : random_between(r, 0.0, 1.0);
        friction.torsion = random_between(r, 0.0, 0.1);
        friction.roll[0] = random_between(r, 0.0, 0.1);
        friction.roll[1] = random_between(r, 0.0, 0.1);
        dp_row *row = law_problem_contact(&lp, nrow, 12, col, G, &friction);
        row[0].phi = random_between(r, -0.002, 0.002);
        row[0].phi_t = random_between(r, -0.1, 0.1);
        row[1].b_ref = random_between(r, -0.1, 0.1);
    }
    for (int i = 0; i < lp.p.nv; ++i) {
        lp.v_free[i] = random_between(r, -1.0, 1.0);
    }
    return lp;
}

dp_solve_info law_problem_solve(law_problem *lp, const dp_warm *warm, const dp_law_options *opt)
{
    const dp_law_options usual = dp_law_options_default();
    dp_solve_info info;
    const dp_status status = dp_law_solve(&lp->s, &lp->p, warm, opt ? opt : &usual, NULL, &info);
    if (status != DP_OK) {
        print_error("%s\n", dp_last_error());
    }
    assert_int_equal(status, DP_OK);
    return info;
}

void law_problem_force(double *force, const dp_step_problem *p, const double *gamma)
{
    memset(force, 0, (size_t)p->nv * sizeof *force);
    for (int b = 0; b < p->nblock; ++b) {
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                force[p->col[k]] += *G++ * gamma[r];
            }
        }
    }
}
