// The operator of trees: M̃ is factored along the branches of each. H = M̃ + Gᵀ C G of one tree is
// factored along its branches, too (tree_matrix.c), as long as no pivot is lost in round-off; else
// by blocks over trees.
#include "solve/contact/operator/operator.h"

#include "base/error.h"
#include "linalg/tree_ldl.h"

#include <string.h>

// What M̃ and H need.
static dp_status take(dp_coulomb *c, dp_arena *scratch)
{
    const dp_step_problem *p = c->p;
    const size_t nv = (size_t)p->nv;
    DP_TRY(dp_arena_take(&c->op.inverse, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&c->op.chain, scratch, nv, sizeof *c->op.chain));
    for (int i = 0; i < p->nv; ++i) {
        c->op.chain[i] = i > 0 && p->parent[i] == i - 1 ? c->op.chain[i - 1] + 1 : 0;
    }
    DP_TRY(dp_arena_take(&c->op.LD, scratch, p->Mt_start[p->nv], sizeof(double)));
    int most = 0;
    for (int b = 0; b < p->nblock; ++b) {
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        most = ncol > most ? ncol : most;
    }
    DP_TRY(dp_arena_take(&c->op.CG, scratch, DP_CONTACT_ROWS * (size_t)most, sizeof(double)));
    DP_TRY(dp_arena_take(&c->op.both, scratch, 2 * DP_CONTACT_ROWS * (size_t)most, sizeof(double)));
    DP_TRY(dp_arena_take(&c->op.side_by_side, scratch, 4 * nv, sizeof(double)));
    DP_TRY(dp_arena_take(&c->op.met, scratch, nv, sizeof *c->op.met));
    DP_TRY(dp_arena_take(&c->op.branch, scratch, nv, sizeof *c->op.branch));
    memset(c->op.met, 0, nv * sizeof *c->op.met);
    c->op.one_tree = p->ntree == 1 && !c->op.free_body[0];
    return c->op.one_tree ? dp_tree_lu_analyse(&c->op.branches, p->nv, p->parent, p->nblock,
                                               p->col_start, p->col, scratch)
                          : DP_OK;
}

static dp_status restart(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    memcpy(c->op.LD, p->mass_factor ? p->mass_factor : p->Mt,
           p->Mt_start[p->nv] * sizeof *c->op.LD);
    const dp_tree_ldl at = {p->nv, p->parent, p->Mt_start};
    for (int t = 0; t < p->ntree; ++t) {
        const int from = p->tree_start[t];
        c->op.diagonal[t] = c->op.free_body[t] && dp_mat6_is_diagonal(c->op.LD + p->Mt_start[from]);
        if (!c->op.diagonal[t] && !p->mass_factor) {
            (void)dp_tree_ldl_factor_part(c->op.LD, at, from,
                                          p->tree_start[t + 1]); // pivots are checked below
        }
    }
    for (int i = p->nv - 1; i >= 0; --i) {
        const double pivot = c->op.LD[p->Mt_start[i]];
        if (!(pivot > 0.0)) {
            return dp_operator_refuse_mass(i);
        }
        c->op.inverse[i] = 1.0 / pivot;
    }
    c->op.tree_applies =
        c->op.one_tree && dp_tree_lu_load(&c->op.branches, p->parent, p->Mt_start, p->Mt);
    return DP_OK;
}

static void respond(dp_coulomb *c, double *v, double *u, const double *x)
{
    dp_coulomb_forces(c, c->force, x);
    dp_coulomb_accelerate(c, v, c->force);
    if (u) {
        dp_trees_row_velocities(c, u, v);
    }
}

static bool factor(dp_coulomb *c)
{
    c->op.by_tree = false;
    if (c->op.tree_applies) {
        dp_coulomb_assemble_tree(c);
        c->op.by_tree = dp_tree_lu_factor(&c->op.branches);
    }
    if (c->op.by_tree) {
        return true;
    }
    if (!dp_coulomb_take_matrix(c)) {
        return false;
    }
    dp_coulomb_couple(c);
    dp_coulomb_assemble(c);
    return c->op.symmetric ? dp_block_factor_symmetric(&c->op.H) : dp_block_factor(&c->op.H);
}

void dp_coulomb_solve_factored(const dp_coulomb *c, double *v, const double *force)
{
    if (c->op.by_tree) {
        dp_tree_lu_solve(v, &c->op.branches, force);
    } else {
        dp_block_solve(v, &c->op.H, c->p->tree_start, force);
    }
}

static void answer(dp_coulomb *c, double *v, double *u, const double *q)
{
    dp_coulomb_forces(c, c->force, q);
    dp_coulomb_solve_factored(c, v, c->force);
    dp_trees_row_velocities(c, u, v);
}

const dp_operator dp_trees_operator = {.name = "trees",
                                       .take = take,
                                       .restart = restart,
                                       .mobilities = dp_trees_mobilities,
                                       .row_velocities = dp_trees_row_velocities,
                                       .respond = respond,
                                       .respond_to_row = dp_trees_respond_to_row,
                                       .factor = factor,
                                       .answer = answer};
