// H = M̃ + Gᵀ C G of a single tree, along its branches.
#include "solve/contact/coulomb.h"

#include "math/f64x2.h"

#include <string.h>

// What blocks of the same columns add along the branches of a single tree: some products aᵀ b of
// two rows, each of them to each pair of columns k ≥ l both aₖ bₗ and bₖ aₗ.
typedef struct pile {
    const int *col;
    int ncol, n;  // products
    double *both; // of each column DP_CONTACT_ROWS pairs (b, a), n of them filled
} pile;
enum { PILE_STEP = 2 * DP_CONTACT_ROWS };

// @param gaps other velocities lie between the columns on their way to the root
static inline void add_pairs(dp_tree_lu *H, const pile *of, const int n, const bool gaps)
{
    const int *col = of->col, top = H->depth[col[0]];
    for (int k = 0; k < of->ncol; ++k) {
        double *out = H->pair + 2 * H->start[col[k]];
        dp_f64x2 of_k[DP_CONTACT_ROWS];
        for (int i = 0; i < n; ++i) {
            const double *from = of->both + (ptrdiff_t)PILE_STEP * k + 2 * (ptrdiff_t)i;
            of_k[i] = dp_f64x2_of(from[1], from[0]);
        }
        const double *of_l = of->both;
        double *to = out + 2 * (ptrdiff_t)top;
        for (int l = 0; l <= k; ++l, of_l += PILE_STEP, to += 2) {
            to = gaps ? out + 2 * (ptrdiff_t)H->depth[col[l]] : to;
            dp_f64x2 sum = dp_f64x2_load(to);
            for (int i = 0; i < n; ++i) {
                sum = dp_f64x2_madd(sum, of_k[i], dp_f64x2_load(of_l + 2 * (ptrdiff_t)i));
            }
            dp_f64x2_store(to, sum);
        }
    }
}

// Lengths that the compiler knows.
static inline void add_pile_over(dp_tree_lu *H, const pile *of, const bool gaps)
{
    switch (of->n) {
    case 1:
        add_pairs(H, of, 1, gaps);
        return;
    case 2:
        add_pairs(H, of, 2, gaps);
        return;
    case 3:
        add_pairs(H, of, 3, gaps);
        return;
    case 4:
        add_pairs(H, of, 4, gaps);
        return;
    case 5:
        add_pairs(H, of, 5, gaps);
        return;
    default:
        add_pairs(H, of, of->n, gaps);
    }
}

static void add_pile(dp_tree_lu *H, pile *of)
{
    const int *col = of->col;
    if (of->n > 0 && H->depth[col[of->ncol - 1]] - H->depth[col[0]] == of->ncol - 1) {
        add_pile_over(H, of, false);
    } else if (of->n > 0) {
        add_pile_over(H, of, true);
    }
    of->n = 0;
}

// A contact of three rows that slips has C = C_n (1, ν)ᵀ (1, 0) + κ s sᵀ, where s is orthogonal to
// ν: two products are enough.
static void put_slip(double *restrict both, const double *G, int ncol, const double *C,
                     const double *scale)
{
    const double *g1 = G + ncol, *g2 = g1 + ncol;
    const double kappa = (C[4] + C[8]) / (C[3] * C[3] + C[6] * C[6]);
    const double along[3] = {C[0] * scale[0] * scale[0], C[3] * scale[1] * scale[0],
                             C[6] * scale[2] * scale[0]};
    const double across[2] = {-C[6] * scale[1], C[3] * scale[2]};
    for (int k = 0; k < ncol; ++k, both += PILE_STEP) {
        const double side = across[0] * g1[k] + across[1] * g2[k];
        both[0] = G[k];
        both[1] = along[0] * G[k] + (along[1] * g1[k] + along[2] * g2[k]);
        both[2] = kappa * side;
        both[3] = side;
    }
}

// One that holds has C diagonal.
static void put_hold(double *restrict both, const double *G, int ncol, const double *C,
                     const double *scale)
{
    const double *g1 = G + ncol, *g2 = g1 + ncol;
    const double D[3] = {C[0] * scale[0] * scale[0], C[4] * scale[1] * scale[1],
                         C[8] * scale[2] * scale[2]};
    for (int k = 0; k < ncol; ++k, both += PILE_STEP) {
        both[0] = D[0] * G[k];
        both[1] = G[k];
        both[2] = D[1] * g1[k];
        both[3] = g1[k];
        both[4] = D[2] * g2[k];
        both[5] = g2[k];
    }
}

// Any rows that C couples, from c->op.CG.
static void put_any(double *restrict both, const double *G, const double *CG, int step, int ncol)
{
    for (int k = 0; k < ncol; ++k, both += PILE_STEP) {
        for (int i = 0; i < step; ++i) {
            both[2 * i] = CG[i * ncol + k];
            both[2 * i + 1] = G[i * ncol + k];
        }
    }
}

// Room for n more products of a block's columns.
static double *make_room(pile *on, dp_tree_lu *H, const int *col, int ncol, int n)
{
    const bool same =
        on->n > 0 && on->ncol == ncol && memcmp(on->col, col, (size_t)ncol * sizeof *col) == 0;
    if (!same || on->n + n > DP_CONTACT_ROWS) {
        add_pile(H, on);
        on->col = col;
        on->ncol = ncol;
    }
    on->n += n;
    return on->both + 2 * (ptrdiff_t)(on->n - n);
}

static void add_along(dp_coulomb *c, pile *on, int b)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const int nrow = p->row_start[b + 1] - p->row_start[b];
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    const double *C = c->C + block->C, *G = p->G + p->G_start[b];
    const double *scale = c->scale + p->row_start[b];
    const bool coulomb =
        !c->law.cone && !(c->law.slip_speed > 0.0); // C_tt of what slips is of rank one
    if (block->ngroup == 1 && nrow == 3 && coulomb && C[0] != 0.0) {
        if (C[3] != 0.0 || C[6] != 0.0) {
            put_slip(make_room(on, &c->op.branches, col, ncol, 2), G, ncol, C, scale);
            return;
        }
        if (C[5] == 0.0 && C[7] == 0.0) {
            put_hold(make_room(on, &c->op.branches, col, ncol, 3), G, ncol, C, scale);
            return;
        }
    }
    const int step = block->ngroup > 0 ? nrow : 1;
    for (int top = 0; top < nrow; top += step, G += step * ncol) {
        if (dp_coulomb_pushes(c, C + top, step)) {
            dp_coulomb_multiply(c, b, top, step, ncol);
            put_any(make_room(on, &c->op.branches, col, ncol, step), G, c->op.CG, step, ncol);
        }
    }
}

void dp_coulomb_assemble_tree(dp_coulomb *c)
{
    pile on = {.both = c->op.both};
    dp_tree_lu_begin(&c->op.branches);
    for (int b = 0; b < c->p->nblock; ++b) {
        add_along(c, &on, b);
    }
    add_pile(&c->op.branches, &on);
}
