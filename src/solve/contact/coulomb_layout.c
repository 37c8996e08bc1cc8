// What a search needs of an island, laid out once and filled in for each step.
#include "solve/contact/coulomb.h"

#include "linalg/tree_ldl.h"
#include "math/f64x2.h"
#include "solve/contact/convex_search.h"
#include "solve/contact/gauss_seidel/gauss_seidel_simd.h"
#include "solve/contact/operator/factor_cache.h"
#include "solve/contact/operator/operator.h"
#include "solve/contact/three_row.h"

#include <math.h>
#include <string.h>

bool dp_has_friction(const dp_step_problem *p)
{
    for (int b = 0; p->friction_of && b < p->nblock; ++b) {
        if (p->friction_of[b] >= 0) {
            return true;
        }
    }
    return false;
}

static bool is_free_body(const dp_step_problem *p, int tree)
{
    const int from = p->tree_start[tree];
    bool is = p->tree_start[tree + 1] == from + DP_FREE_BODY;
    for (int i = 0; is && i < DP_FREE_BODY; ++i) {
        is = p->parent[from + i] == (i > 0 ? from + i - 1 : -1);
    }
    return is;
}

// The trees that each block meets.
static dp_status take_parts(dp_coulomb *c, dp_arena *scratch)
{
    const dp_step_problem *p = c->p;
    int *tree_of;
    if (c->op.by_links) {
        DP_TRY(dp_arena_take(&c->part, scratch, 1, sizeof *c->part));
        c->part[0] = (dp_block_part){.tree = 0};
        for (int b = 0; b < p->nblock; ++b) {
            c->block[b].part = 0;
            c->block[b].nparts = 1;
        }
        return DP_OK;
    }
    DP_TRY(dp_arena_take(&c->part, scratch, (size_t)p->col_start[p->nblock], sizeof *c->part));
    DP_TRY(dp_arena_take(&tree_of, scratch, (size_t)p->nv, sizeof *tree_of));
    DP_TRY(dp_arena_take(&c->op.free_body, scratch, (size_t)p->ntree, sizeof *c->op.free_body));
    DP_TRY(dp_arena_take(&c->op.diagonal, scratch, (size_t)p->ntree, sizeof *c->op.diagonal));
    for (int t = 0; t < p->ntree; ++t) {
        c->op.free_body[t] = is_free_body(p, t);
        for (int i = p->tree_start[t]; i < p->tree_start[t + 1]; ++i) {
            tree_of[i] = t;
        }
    }
    int used = 0;
    for (int b = 0; b < p->nblock; ++b) {
        dp_coulomb_block *block = &c->block[b];
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        block->part = used;
        for (int k = 0; k < ncol;) {
            const int tree = tree_of[col[k]], end = p->tree_start[tree + 1];
            dp_block_part *part = &c->part[used++];
            *part = (dp_block_part){.tree = tree, .from = p->tree_start[tree], .col = k};
            // All of a free body, mostly: columns ascend.
            const int last = k + DP_FREE_BODY - 1;
            k += c->op.free_body[tree] && last < ncol && col[last] == end - 1 ? DP_FREE_BODY : 1;
            while (k < ncol && col[k] < end) {
                ++k;
            }
            part->count = k - part->col;
        }
        block->nparts = used - block->part;
        block->full_wrench = true;
        for (int m = block->part; m < used; ++m) {
            c->part[m].full_wrench =
                c->part[m].count == DP_FREE_BODY && c->op.free_body[c->part[m].tree];
            block->full_wrench = block->full_wrench && c->part[m].full_wrench;
        }
    }
    return DP_OK;
}

// Does a block meet the same trees as the one before it, as contacts of one pair of bodies do?
static bool meets_the_same(const dp_coulomb *c, int b)
{
    const dp_coulomb_block *one = &c->block[b - 1], *two = &c->block[b];
    bool same = one->nparts == two->nparts;
    if (c->op.by_links) {
        return c->p->links->on[b] == c->p->links->on[b - 1];
    }
    for (int m = 0; same && m < one->nparts; ++m) {
        same = c->part[one->part + m].tree == c->part[two->part + m].tree;
    }
    return same;
}

// Do two contacts in a row? Their friction along the line between them is the same then.
static bool meet_twice(const dp_coulomb *c)
{
    for (int b = 1; b < c->p->nblock; ++b) {
        if (c->block[b - 1].ngroup > 0 && c->block[b].ngroup > 0 && meets_the_same(c, b)) {
            return true;
        }
    }
    return false;
}

static void place_blocks(dp_coulomb *c)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const dp_block_part *part = c->part + block->part;
        dp_block_view *at = c->op.H_at + block->H_at;
        for (int m = 0; c->op.coupled[block->clique] && m < block->nparts; ++m) {
            for (int n = 0; n < block->nparts; ++n) {
                *at++ = dp_block_at(&c->op.H, part[m].tree, part[n].tree);
            }
        }
    }
}

// What follows from the structure of H. In a large island it takes as long as dozens of iterations.
static dp_status take_matrix(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    dp_arena *scratch = c->room.scratch;
    int *size, *clique_start, *clique;
    const int nparts =
        p->nblock > 0 ? c->block[p->nblock - 1].part + c->block[p->nblock - 1].nparts : 0;
    DP_TRY(dp_arena_take(&size, scratch, (size_t)p->ntree, sizeof *size));
    DP_TRY(dp_arena_take(&clique_start, scratch, (size_t)p->nblock + 1, sizeof *clique_start));
    DP_TRY(dp_arena_take(&clique, scratch, (size_t)nparts, sizeof *clique));
    for (int t = 0; t < p->ntree; ++t) {
        size[t] = p->tree_start[t + 1] - p->tree_start[t];
    }
    int count = 0, used = 0, places = 0;
    for (int b = 0; b < p->nblock; ++b) {
        dp_coulomb_block *block = &c->block[b];
        if (b == 0 || !meets_the_same(c, b)) {
            clique_start[count++] = used;
            for (int m = 0; m < block->nparts; ++m) {
                clique[used++] = c->part[block->part + m].tree;
            }
        }
        block->clique = count - 1;
        block->H_at = places;
        places += block->nparts * block->nparts;
    }
    clique_start[count] = used;
    c->op.nclique = count;
    DP_TRY(dp_arena_take(&c->op.coupled, scratch, (size_t)count, sizeof *c->op.coupled));
    for (int k = 0; k < count; ++k) {
        c->op.coupled[k] = true;
    }
    DP_TRY(dp_block_analyse(&c->op.H, p->ntree, size, count, clique_start, clique, scratch));
    DP_TRY(dp_arena_take(&c->op.H_at, scratch, (size_t)places, sizeof *c->op.H_at));
    place_blocks(c);
    return c->op.cache.usable ? dp_cache_take(c, scratch) : DP_OK;
}

bool dp_coulomb_take_matrix(dp_coulomb *c)
{
    if (!c->op.has_matrix) {
        c->room.status = take_matrix(c);
        c->op.has_matrix = c->room.status == DP_OK;
        // Without room for it nothing can be found, and any point will do to end the search.
        c->tol.solved = c->op.has_matrix ? c->tol.solved : (double)INFINITY;
    }
    return c->op.has_matrix;
}

// Leave out what does not push now: while a pile collapses, most of its contacts are open, and
// what is left couples far fewer bodies.
void dp_coulomb_couple(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    memset(c->op.coupled, 0, (size_t)c->op.nclique * sizeof *c->op.coupled);
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const double *C = c->C + block->C;
        const int nrow = p->row_start[b + 1] - p->row_start[b];
        bool pushes = c->op.coupled[block->clique];
        for (int i = 0; block->ngroup == 0 && i < nrow; ++i) {
            pushes = pushes || C[i] != 0.0;
        }
        c->op.coupled[block->clique] =
            pushes || (block->ngroup > 0 && dp_coulomb_pushes(c, C, nrow));
    }
    if (dp_block_restrict(&c->op.H, c->op.coupled)) {
        place_blocks(c);
    }
}

int dp_coulomb_loops(const dp_coulomb *c)
{
    int pairs = 0;
    for (int b = 0; b < c->p->nblock; ++b) {
        pairs += c->block[b].nparts > 1;
    }
    return pairs - (c->p->ntree - 1); // so many an island has at least
}

// What H takes is known when it is laid out, and that may come after many iterations: a guess saves
// doing them again with more room.
static size_t guess_room(const dp_coulomb *c)
{
    const double bodies = c->p->ntree, loops = dp_coulomb_loops(c);
    const double blocks = 2.0 * bodies + loops * sqrt(loops); // rather more than piles have
    const double lists = 256 * bodies;                        // of numbers
    const double cached = c->op.cache.usable ? (double)dp_cache_count(c) : 0.0;
    return (size_t)((2 * 36 * blocks + lists + cached) * (double)sizeof(double));
}

static dp_status take_points(dp_coulomb *c, dp_arena *scratch)
{
    if (!dp_are_single_points(c)) {
        return DP_OK;
    }
    c->room.later = guess_room(c);
    return dp_gauss_seidel_lay_out(c, scratch);
}

static bool is_alike(const dp_friction_group *a, const dp_friction_group *b)
{
    return a->reach == b->reach && a->scale[0] == b->scale[0] && a->scale[1] == b->scale[1];
}

// Do all contacts of a run have the friction that it had, and springs?
static bool is_as_before(const dp_coulomb *c, int b)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    DP_ASSERT(p->friction_of); // else there were no contacts, and no batch of them
    const int *f = p->friction_of + b;
    for (int i = 0; i < block->batch; ++i) {
        if (f[i] != f[0]) {
            return false;
        }
    }
    dp_friction_group now[DP_CONTACT_GROUPS];
    (void)dp_friction_groups(now, &p->friction[f[0]], 3);
    return is_alike(&now[0], &block->group[0]) && !dp_normal_of(p, b);
}

// Friction groups of contacts of three rows, most of which have the friction of the one before.
typedef struct known_friction {
    const dp_friction *of; // NULL: none yet
    dp_friction_group group[DP_CONTACT_GROUPS];
} known_friction;

// A contact of three rows. @return whether it is another than before
static bool describe_contact(dp_coulomb *c, int b, known_friction *known, const dp_friction *own)
{
    dp_coulomb_block *block = &c->block[b];
    double *scale = c->scale + c->p->row_start[b];
    const bool three_row = !block->normal && !c->law.general;
    if (!known->of || own->mu[0] != known->of->mu[0] || own->mu[1] != known->of->mu[1]) {
        dp_friction_groups(known->group, own, 3);
        known->of = own;
    }
    const dp_friction_group *group = &known->group[0];
    const bool changed = three_row != block->three_row || !is_alike(&block->group[0], group);
    block->ngroup = 1;
    block->group[0] = *group;
    block->three_row = three_row;
    block->unscaled = group->scale[0] == 1.0 && group->scale[1] == 1.0;
    scale[0] = 1.0;
    scale[1] = group->scale[0];
    scale[2] = group->scale[1];
    return changed;
}

// Any other block. @param friction −1: none. @return whether it is another than before
static bool describe_block(dp_coulomb *c, int b, int friction)
{
    const dp_step_problem *p = c->p;
    dp_coulomb_block *block = &c->block[b];
    const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
    const bool changed = block->three_row;
    double *scale = c->scale + first;
    block->ngroup =
        friction < 0 ? 0 : dp_friction_groups(block->group, &p->friction[friction], nrow);
    block->three_row = block->unscaled = false;
    for (int i = 0; i < nrow; ++i) {
        scale[i] = 1.0;
    }
    for (int g = 0; g < block->ngroup; ++g) {
        for (int k = 0; k < block->group[g].count; ++k) {
            scale[block->group[g].first + k] = block->group[g].scale[k];
        }
    }
    return changed;
}

// Scales and groups. @return whether a block is another than before
static bool describe_rows(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    known_friction known = {.of = NULL};
    bool changed = false;
    int looked = 0; // at batches up to here
    size_t at = 0;
    for (int b = 0; b < p->nblock; ++b) {
        dp_coulomb_block *block = &c->block[b];
        if (block->batch > 0 && b >= looked) {
            looked = b + block->batch;
            if (is_as_before(c, b)) {
                at += 9 * (size_t)block->batch;
                b = looked - 1;
                continue;
            }
        }
        const int nrow = p->row_start[b + 1] - p->row_start[b];
        const int f = p->friction_of ? p->friction_of[b] : -1;
        block->normal = dp_normal_of(p, b);
        block->C = at;
        at += f < 0 ? (size_t)nrow : (size_t)nrow * (size_t)nrow;
        const bool other = f >= 0 && nrow == 3 ? describe_contact(c, b, &known, &p->friction[f])
                                               : describe_block(c, b, f);
        changed = changed || other;
    }
    return changed;
}

static void note_batches(dp_coulomb *c)
{
    int end = c->p->nblock, tree = -1; // of the batch that begins behind
    for (int b = c->p->nblock - 1; b >= 0; --b) {
        dp_coulomb_block *block = &c->block[b];
        const bool fits = block->three_row && block->full_wrench && block->nparts == 1;
        const int own = fits ? c->part[block->part].tree : -1;
        end = own == tree && tree >= 0 && is_alike(&block->group[0], &block[1].group[0]) ? end
                                                                                         : b + 1;
        tree = own;
        block->batch = fits ? end - b : 0;
    }
}

// The softness of rows one after the other, most of which are like those before.
typedef struct softness {
    double k, b;
    dp_softness is;
} softness;

static inline bool is_rigid_friction(const dp_row *row)
{
    return row->b == (double)INFINITY && row->k < (double)INFINITY;
}

static inline dp_soft soften(softness *last, const dp_row *row, double h)
{
    if (is_rigid_friction(row)) {
        return dp_softness_at((dp_softness){0.0, 0.0, 1.0}, row, h);
    }
    if (row->k != last->k || row->b != last->b) {
        *last = (softness){row->k, row->b, dp_row_softness(row, h)};
    }
    return dp_softness_at(last->is, row, h);
}

static inline dp_soft scaled(dp_soft soft, double scale)
{
    return (dp_soft){soft.R * (scale * scale), soft.u_hat * scale, soft.u_stop};
}

static inline double positive(double a)
{
    return a > 0.0 ? a : 1.0;
}

// Of a contact of three rows.
static inline void aim_three_row(dp_coulomb *c, softness *last, int first)
{
    const dp_row *row = c->p->row + first;
    const double *scale = c->scale + first, *w = c->w + first;
    dp_soft *soft = c->soft + first;
    for (int i = 0; i < 3; ++i) {
        c->gauge[first + i] = c->len[first + i] = row[i].len;
    }
    soft[0] = soften(last, &row[0], c->p->h);
    if (is_rigid_friction(&row[1]) && is_rigid_friction(&row[2])) {
        soft[1] = (dp_soft){0.0, -row[1].b_ref * scale[1], (double)INFINITY};
        soft[2] = (dp_soft){0.0, -row[2].b_ref * scale[2], (double)INFINITY};
    } else {
        soft[1] = scaled(soften(last, &row[1], c->p->h), scale[1]);
        soft[2] = scaled(soften(last, &row[2], c->p->h), scale[2]);
    }
    const double normal = positive(w[0] + soft[0].R);
    const double across = 0.5 * (positive(w[1] + soft[1].R) + positive(w[2] + soft[2].R));
    c->a[first] = normal;
    c->a[first + 1] = c->a[first + 2] = across;
    c->one_over_a[first] = 1.0 / normal;
    c->one_over_a[first + 1] = c->one_over_a[first + 2] = 1.0 / across;
}

static void aim_any(dp_coulomb *c, softness *last, int b)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const int first = p->row_start[b], end = p->row_start[b + 1];
    for (int r = first; r < end; ++r) {
        c->gauge[r] = c->len[r] = p->row[r].len;
        c->soft[r] = scaled(soften(last, &p->row[r], p->h), c->scale[r]);
        c->a[r] = positive(c->w[r] + c->soft[r].R);
    }
    if (block->normal) {
        dp_coulomb_tangent(c, b, 0.0, (double)INFINITY);
        c->a[first] = c->w[first] + c->soft[first].R;
    }
    for (int g = 0; g < block->ngroup; ++g) {
        const int r = first + block->group[g].first;
        if (block->group[g].count == 2) {
            c->a[r] = c->a[r + 1] = 0.5 * (c->a[r] + c->a[r + 1]);
        }
    }
    for (int r = first; r < end; ++r) {
        c->one_over_a[r] = 1.0 / c->a[r];
    }
}

void dp_coulomb_take_targets(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    softness last = {.k = -1.0};
    for (int b = 0; b < p->nblock; ++b) {
        if (c->block[b].three_row) {
            const int first = p->row_start[b], n = c->block[b].batch > 0 ? c->block[b].batch : 1;
            for (int i = 0; i < n; ++i) {
                aim_three_row(c, &last, first + 3 * i);
            }
            b += n - 1;
        } else {
            aim_any(c, &last, b);
        }
    }
}

void dp_coulomb_take_convex_targets(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            dp_soft *soft = &c->soft[r];
            soft->R = c->scale[r] > 0.0 ? soft->R : dp_row_soft(&p->row[r], p->h).R; // any will do
            if (soft->u_hat == soft->u_stop) { // no matter which, where γ ≥ 0
                soft->u_stop = (double)INFINITY;
            }
            if (c->law.weight) {
                c->law.weight[r] = soft->R;
                const bool end = c->block[b].ngroup > 0 || dp_row_is_one_sided(&p->row[r]);
                const bool rigid = end || dp_convex_is_nearly_rigid(c, r);
                soft->R = rigid ? 0.0 : soft->R;
                c->law.weight[r] = rigid ? c->law.weight[r] : 0.0;
            }
        }
    }
    dp_make_rows_consistent(c);
}

dp_status dp_coulomb_lay_out(dp_coulomb *c, const dp_step_problem *p, const dp_law_options *opt,
                             dp_arena *scratch)
{
    *c = (dp_coulomb){.p = p,
                      .room.scratch = scratch,
                      .law.general = dp_law_has(opt, DP_LAW_TRAIT_POLYHEDRAL | DP_LAW_TRAIT_CONVEX |
                                                         DP_LAW_TRAIT_REGULARISED),
                      .law.cone = dp_law_has(opt, DP_LAW_TRAIT_LIFTS_OFF),
                      .law.slip_speed = dp_law_slip_speed(opt),
                      .op.by_links = p->links != NULL,
                      .op.use = p->links ? &dp_links_operator : &dp_trees_operator,
                      .tol.solved = opt->tolerance,
                      .work.most = opt->max_factorizations};
    const size_t nrow = (size_t)p->nrow, nv = (size_t)p->nv;
    double **of_row[] = {&c->gauge,      &c->scale,   &c->len,    &c->w,      &c->a,
                         &c->u_free,     &c->x,       &c->u,      &c->centre, &c->rho,
                         &c->one_over_a, &c->F,       &c->q,      &c->dx,     &c->du,
                         &c->trial,      &c->u_trial, &c->best.x, &c->best.u, &c->direction,
                         &c->last.x,     &c->last.u};
    for (size_t k = 0; k < sizeof of_row / sizeof *of_row; ++k) {
        DP_TRY(dp_arena_take(of_row[k], scratch, nrow, sizeof(double)));
    }
    c->law.compliance = dp_law_compliance(opt);
    if (dp_law_has(opt, DP_LAW_TRAIT_LIMIT)) {
        DP_TRY(dp_arena_take(&c->law.weight, scratch, nrow, sizeof(double)));
    }
    if (dp_law_has(opt, DP_LAW_TRAIT_CONVEX) && !c->law.cone) {
        DP_TRY(dp_arena_take(&c->law.bound, scratch, nrow, sizeof(double)));
        memset(c->law.bound, 0, nrow * sizeof *c->law.bound);
    }
    DP_TRY(dp_arena_take(&c->soft, scratch, nrow, sizeof *c->soft));
    DP_TRY(dp_arena_take(&c->block, scratch, (size_t)p->nblock, sizeof *c->block));
    DP_TRY(dp_arena_take(&c->force, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&c->v, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&c->best.v, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&c->v_direction, scratch, nv, sizeof(double)));
    memset(c->block, 0, (size_t)p->nblock * sizeof *c->block);
    (void)describe_rows(c);
    const dp_coulomb_block *last = &c->block[p->nblock - 1];
    const size_t rows = (size_t)(p->row_start[p->nblock] - p->row_start[p->nblock - 1]);
    c->op.nC = last->C + (last->ngroup > 0 ? rows * rows : rows);
    DP_TRY(dp_arena_take(&c->C, scratch, c->op.nC, sizeof(double)));
    DP_TRY(dp_arena_take(&c->op.C_factored, scratch, c->op.nC, sizeof(double)));
    memset(c->C, 0, c->op.nC * sizeof *c->C);
    DP_TRY(take_parts(c, scratch));
    note_batches(c);
    c->redundant = meet_twice(c);
    DP_TRY(c->op.use->take(c, scratch));
    c->op.cache.usable = dp_cache_is_usable(c);
    return take_points(c, scratch);
}

dp_status dp_coulomb_begin(dp_coulomb *c, const dp_step_problem *p, const dp_law_options *opt,
                           dp_arena *scratch)
{
    DP_TRY(dp_coulomb_lay_out(c, p, opt, scratch));
    return dp_coulomb_restart(c, opt);
}

bool dp_coulomb_is_reusable(const dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    if (c->op.by_links != (p->links != NULL)) {
        return false;
    }
    for (int b = 0; b < p->nblock;) {
        const bool rubs = c->block[b].ngroup > 0;
        for (int end = b + (c->block[b].batch > 0 ? c->block[b].batch : 1); b < end; ++b) {
            if (rubs != (p->friction_of && p->friction_of[b] >= 0)) {
                return false;
            }
        }
    }
    return true;
}

dp_status dp_coulomb_restart(dp_coulomb *c, const dp_law_options *opt)
{
    c->tol.solved = opt->tolerance;
    c->work.most = opt->max_factorizations;
    c->law.slip_speed = dp_law_slip_speed(opt);
    c->law.compliance = dp_law_compliance(opt);
    c->room.status = DP_OK;
    if (describe_rows(c)) {
        note_batches(c);
    }
    c->gs.has_points = c->gs.points && dp_are_single_points(c);
    c->op.factored = false;
    DP_TRY(c->op.use->restart(c));
    c->op.use->mobilities(c);
    c->gs.responds = false;
    return DP_OK;
}
