#include "solve/coulomb.h"

#include "linalg/branch.h"
#include "math/pair2.h"
#include "solve/coulomb_convex.h"
#include "solve/coulomb_plain.h"
#include "solve/coulomb_points.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    NEWTON_STEPS = 8, // with factors of their own, before the searches begin
    FEW_STEPS = 4,    // where they do little, and
    LAST_STEPS = 2,   // where the guess will do as well
    NEWTON_BAD = 3,
    SWEEPS = 32,
    POLISH_STEPS = 2,
    LEAST_ROUGH = 16, // sweeps towards a loose tolerance
    MOST_ROUGH = 512,
    POLISHES = 4, // of impulses that faces are looked for
};
// Shares of the tolerance.
static const double GOAL = 1e-3;      // what factorizations are spent for at rest
static const double ENOUGH = 7.5e-4;  // of that, what is left to a row that goes further
static const double NEAR_REST = 1e-2; // a guess off by this may be at rest
static const double STILL = 1e-5;     // by how much a guess may change velocities at rest
static const double FINE = 1e-6;      // what refinement is spent for
static const double STEADY = 1e-4; // about what round-off in gaps of bodies some metres away makes
// Of the largest velocity that an impulse makes: what the sum of impulses and weights is off by.
static const double ROUND_OFF = 4.0 * DBL_EPSILON;
static const double PART = 0x1p-4; // of the velocity that gaps ask for, given to them at rest
static const double NEAR_SHIFT = 1e-2, FAR_SHIFT = 1.0; // where the proximal search begins
// Proximal compliances of Newton's method. Where contacts are redundant, residuals along what moves
// nothing are divided by them.
static const double SHIFT = 1e-6, LESS_SHIFT = 1e-2, LEAST_SHIFT = 5e-9;
static const double MORE_SHIFT = 30.0, MOST_SHIFT = 0.03;
static const double NEAR_OF_TREES = 1e-3; // factors of one tree cost little
static const double SLOW = 0.1;           // refinement should do better
static const double MORE_DIGITS = 8.0;    // nothing is won beyond, in the last of them
static const double FALLS = 0.5;          // no step in vain
static const double HASTE = 0.1;          // of c->speed
static const double DIGITS = 1e-4;      // of the first residual: while things move, no more matter
static const double NEARBY = 1e-3;      // of c->speed
static const double HUGE_PUSH = 1e4;    // of c->speed: impulses that grow without end?
static const double LOOSE = 1e-4;       // of c->speed: a few hundred sweeps come that far
static const double LEAST_SPEED = 1e-3; // [m/s]

bool dp_has_friction(const dp_step_problem *p)
{
    for (int b = 0; p->friction_of && b < p->nblock; ++b) {
        if (p->friction_of[b] >= 0) {
            return true;
        }
    }
    return false;
}

static bool is_convex(const dp_coulomb *c)
{
    return c->cone || c->bound;
}

// ---- begin

static bool is_free_body(const dp_step_problem *p, int tree)
{
    const int from = p->tree_start[tree];
    bool is = p->tree_start[tree + 1] == from + DP_WHOLE;
    for (int i = 0; is && i < DP_WHOLE; ++i) {
        is = p->parent[from + i] == (i > 0 ? from + i - 1 : -1);
    }
    return is;
}

// The trees that each block meets.
static dp_status take_parts(dp_coulomb *c, dp_arena *scratch)
{
    const dp_step_problem *p = c->p;
    int *tree_of;
    if (c->by_links) {
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
    DP_TRY(dp_arena_take(&c->free_body, scratch, (size_t)p->ntree, sizeof *c->free_body));
    DP_TRY(dp_arena_take(&c->diagonal, scratch, (size_t)p->ntree, sizeof *c->diagonal));
    for (int t = 0; t < p->ntree; ++t) {
        c->free_body[t] = is_free_body(p, t);
        for (int i = p->tree_start[t]; i < p->tree_start[t + 1]; ++i) {
            tree_of[i] = t;
        }
    }
    int used = 0;
    for (int b = 0; b < p->nblock; ++b) {
        dp_coulomb_block *block = &c->block[b];
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        block->part = used;
        for (int k = 0; k < ncol; ++k) {
            if (k == 0 || tree_of[col[k]] != tree_of[col[k - 1]]) {
                const int tree = tree_of[col[k]];
                c->part[used++] =
                    (dp_block_part){.tree = tree, .from = p->tree_start[tree], .col = k};
            }
            ++c->part[used - 1].count;
        }
        block->nparts = used - block->part;
        block->whole = true;
        for (int m = block->part; m < used; ++m) {
            c->part[m].whole = c->part[m].count == DP_WHOLE && c->free_body[c->part[m].tree];
            block->whole = block->whole && c->part[m].whole;
        }
    }
    return DP_OK;
}

// Does a block meet the same trees as the one before it, as contacts of one pair of bodies do?
static bool meets_the_same(const dp_coulomb *c, int b)
{
    const dp_coulomb_block *one = &c->block[b - 1], *two = &c->block[b];
    bool same = one->nparts == two->nparts;
    if (c->by_links) {
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
        dp_block_view *at = c->H_at + block->H_at;
        for (int m = 0; c->coupled[block->clique] && m < block->nparts; ++m) {
            for (int n = 0; n < block->nparts; ++n) {
                *at++ = dp_block_at(&c->H, part[m].tree, part[n].tree);
            }
        }
    }
}

static dp_status take_matrix(dp_coulomb *c, dp_arena *scratch)
{
    const dp_step_problem *p = c->p;
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
    c->nclique = count;
    DP_TRY(dp_arena_take(&c->coupled, scratch, (size_t)count, sizeof *c->coupled));
    for (int k = 0; k < count; ++k) {
        c->coupled[k] = true;
    }
    DP_TRY(dp_block_analyse(&c->H, p->ntree, size, count, clique_start, clique, scratch));
    DP_TRY(dp_arena_take(&c->H_at, scratch, (size_t)places, sizeof *c->H_at));
    place_blocks(c);
    return DP_OK;
}

// Leave out what does not push now: while a heap comes down, most of its contacts are open, and
// what is left couples far fewer bodies.
void dp_coulomb_couple(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    memset(c->coupled, 0, (size_t)c->nclique * sizeof *c->coupled);
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const double *C = c->C + block->C;
        const int nrow = p->row_start[b + 1] - p->row_start[b];
        bool pushes = c->coupled[block->clique];
        for (int i = 0; block->ngroup == 0 && i < nrow; ++i) {
            pushes = pushes || C[i] != 0.0;
        }
        c->coupled[block->clique] = pushes || (block->ngroup > 0 && dp_coulomb_pushes(c, C, nrow));
    }
    if (dp_block_restrict(&c->H, c->coupled)) {
        place_blocks(c);
    }
}

static dp_status take_responses(dp_coulomb *c, dp_arena *scratch)
{
    const dp_step_problem *p = c->p;
    size_t at = 0;
    DP_TRY(dp_arena_take(&c->response_at, scratch, (size_t)p->nrow, sizeof *c->response_at));
    for (int b = 0; b < p->nblock; ++b) {
        size_t width = 0;
        for (int m = 0; m < c->block[b].nparts; ++m) {
            const int tree = c->part[c->block[b].part + m].tree;
            width += (size_t)(p->tree_start[tree + 1] - p->tree_start[tree]);
        }
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            c->response_at[r] = at;
            at += width;
        }
    }
    return dp_arena_take(&c->response, scratch, at, sizeof(double));
}

static dp_status take_points(dp_coulomb *c, dp_arena *scratch)
{
    if (!dp_points_serve(c)) {
        return DP_OK;
    }
    DP_TRY(dp_arena_take(&c->z, scratch, (size_t)c->p->nv + DP_WHOLE, sizeof *c->z));
    return dp_arena_take(&c->point, scratch, (size_t)c->p->nblock, sizeof *c->point);
}

static void respond(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    for (int b = 0; b < p->nblock; ++b) {
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            double *y = c->response + c->response_at[r];
            for (int m = 0; m < c->block[b].nparts; ++m) {
                const dp_block_part *part = &c->part[c->block[b].part + m];
                const int from = p->tree_start[part->tree];
                const int width = p->tree_start[part->tree + 1] - from;
                memset(y, 0, (size_t)width * sizeof *y);
                for (int k = part->col; k < part->col + part->count; ++k) {
                    y[col[k] - from] = c->scale[r] * G[k];
                }
                dp_coulomb_accelerate_tree(c, part->tree, y);
                y += width;
            }
        }
    }
}

static void respond_by_links(dp_coulomb *c)
{
    memset(c->trial, 0, (size_t)c->p->nrow * sizeof *c->trial);
    for (int r = 0; r < c->p->nrow; ++r) {
        c->trial[r] = 1.0;
        dp_coulomb_answer_of_links(c, &c->mass, c->response + c->response_at[r], NULL, c->trial);
        c->trial[r] = 0.0;
    }
}

void dp_coulomb_respond(dp_coulomb *c)
{
    if (c->by_links) {
        respond_by_links(c);
    } else {
        respond(c);
    }
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
    DP_ASSERT(p->friction_of); // else there were no contacts, and no run of them
    const int *f = p->friction_of + b;
    for (int i = 0; i < block->run; ++i) {
        if (f[i] != f[0]) {
            return false;
        }
    }
    dp_friction_group now[DP_CONTACT_GROUPS];
    (void)dp_friction_groups(now, &p->friction[f[0]], 3);
    return is_alike(&now[0], &block->group[0]) && !dp_normal_of(p, b);
}

// Scales and groups. @return whether a block is another than before
static bool describe_rows(dp_coulomb *c)
{
    bool changed = false;
    const dp_step_problem *p = c->p;
    const dp_friction *last = NULL; // of a contact of three rows, `known` is its group
    dp_friction_group known[DP_CONTACT_GROUPS];
    int looked = 0; // at runs up to here
    size_t at = 0;
    for (int b = 0; b < p->nblock; ++b) {
        dp_coulomb_block *block = &c->block[b];
        if (block->run > 0 && b >= looked) {
            looked = b + block->run;
            if (is_as_before(c, b)) {
                at += 9 * (size_t)block->run;
                b = looked - 1;
                continue;
            }
        }
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        const int f = p->friction_of ? p->friction_of[b] : -1;
        double *scale = c->scale + first;
        block->normal = dp_normal_of(p, b);
        block->C = at;
        at += f < 0 ? (size_t)nrow : (size_t)nrow * (size_t)nrow;
        if (f >= 0 && nrow == 3) {
            const dp_friction *own = &p->friction[f];
            const bool plain = !block->normal && !c->angular;
            if (!last || own->mu[0] != last->mu[0] || own->mu[1] != last->mu[1]) {
                dp_friction_groups(known, own, nrow);
                last = own;
            }
            changed = changed || plain != block->plain || !is_alike(&block->group[0], &known[0]);
            block->ngroup = 1;
            block->group[0] = known[0];
            block->plain = plain;
            block->round = known[0].scale[0] == 1.0 && known[0].scale[1] == 1.0;
            scale[0] = 1.0;
            scale[1] = known[0].scale[0];
            scale[2] = known[0].scale[1];
            continue;
        }
        block->ngroup = f < 0 ? 0 : dp_friction_groups(block->group, &p->friction[f], nrow);
        changed = changed || block->plain;
        block->plain = block->round = false;
        for (int i = 0; i < nrow; ++i) {
            scale[i] = 1.0;
        }
        for (int g = 0; g < block->ngroup; ++g) {
            for (int k = 0; k < block->group[g].count; ++k) {
                scale[block->group[g].first + k] = block->group[g].scale[k];
            }
        }
    }
    return changed;
}

static void note_runs(dp_coulomb *c)
{
    int end = c->p->nblock, tree = -1; // of the run that begins behind
    for (int b = c->p->nblock - 1; b >= 0; --b) {
        dp_coulomb_block *block = &c->block[b];
        const bool fits = block->plain && block->whole && block->nparts == 1;
        const int own = fits ? c->part[block->part].tree : -1;
        end = own == tree && tree >= 0 && is_alike(&block->group[0], &block[1].group[0]) ? end
                                                                                         : b + 1;
        tree = own;
        block->run = fits ? end - b : 0;
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
static inline void aim_plain(dp_coulomb *c, softness *last, int first)
{
    const dp_row *row = c->p->row + first;
    const double *scale = c->scale + first, *w = c->w + first;
    dp_soft *soft = c->soft + first;
    c->len[first] = row[0].len;
    c->len[first + 1] = row[1].len;
    c->len[first + 2] = row[2].len;
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
        c->len[r] = p->row[r].len;
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

// R, û and u_stop, scaled; mobilities with R, one for each group; lengths.
static void take_targets(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    softness last = {.k = -1.0};
    for (int b = 0; b < p->nblock; ++b) {
        if (c->block[b].plain) {
            const int first = p->row_start[b], n = c->block[b].run > 0 ? c->block[b].run : 1;
            for (int i = 0; i < n; ++i) {
                aim_plain(c, &last, first + 3 * i);
            }
            b += n - 1;
        } else {
            aim_any(c, &last, b);
        }
    }
}

// Of a convex law. In the limit of no compliance what rows have of it are their weights.
static void take_convex_targets(dp_coulomb *c)
{
    for (int r = 0; r < c->p->nrow; ++r) {
        dp_soft *soft = &c->soft[r];
        if (soft->u_hat == soft->u_stop) { // no matter which, where γ ≥ 0
            soft->u_stop = (double)INFINITY;
        }
        if (c->weight) {
            c->weight[r] = soft->R;
            const bool rigid = dp_convex_is_rigid(c, r);
            soft->R = rigid ? 0.0 : soft->R;
            c->weight[r] = rigid ? c->weight[r] : 0.0;
        }
    }
    dp_convex_agree(c);
}

// What M̃ and H need.
static dp_status take_matrices(dp_coulomb *c, dp_arena *scratch)
{
    const dp_step_problem *p = c->p;
    const size_t nv = (size_t)p->nv;
    DP_TRY(dp_arena_take(&c->inverse, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&c->run, scratch, nv, sizeof *c->run));
    for (int i = 0; i < p->nv; ++i) {
        c->run[i] = i > 0 && p->parent[i] == i - 1 ? c->run[i - 1] + 1 : 0;
    }
    DP_TRY(dp_arena_take(&c->LD, scratch, p->Mt_start[p->nv], sizeof(double)));
    int most = 0;
    for (int b = 0; b < p->nblock; ++b) {
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        most = ncol > most ? ncol : most;
    }
    DP_TRY(dp_arena_take(&c->CG, scratch, DP_CONTACT_ROWS * (size_t)most, sizeof(double)));
    DP_TRY(dp_arena_take(&c->both, scratch, 2 * DP_CONTACT_ROWS * (size_t)most, sizeof(double)));
    DP_TRY(dp_arena_take(&c->met, scratch, nv, sizeof *c->met));
    DP_TRY(dp_arena_take(&c->branch, scratch, nv, sizeof *c->branch));
    memset(c->met, 0, nv * sizeof *c->met);
    DP_TRY(take_matrix(c, scratch));
    c->one_tree = p->ntree == 1 && !c->free_body[0];
    return c->one_tree ? dp_branch_lu_analyse(&c->branches, p->nv, p->parent, p->nblock,
                                              p->col_start, p->col, scratch)
                       : DP_OK;
}

static dp_status take_links(dp_coulomb *c, dp_arena *scratch)
{
    const dp_links *l = c->p->links;
    const size_t n = (size_t)l->n;
    c->one_tree = true;
    DP_TRY(dp_arena_take(&c->square, scratch, DP_LINK_SQUARE * n, sizeof *c->square));
    DP_TRY(dp_link_factor_take(&c->mass, l, c->square, scratch));
    DP_TRY(dp_link_factor_take(&c->matrix, l, c->square, scratch));
    DP_TRY(dp_arena_take(&c->motion, scratch, n, sizeof *c->motion));
    DP_TRY(dp_arena_take(&c->wrench, scratch, n, sizeof *c->wrench));
    return dp_arena_take(&c->composite, scratch, n, sizeof *c->composite);
}

dp_status dp_coulomb_begin(dp_coulomb *c, const dp_step_problem *p, const dp_law_options *opt,
                           dp_arena *scratch)
{
    *c = (dp_coulomb){.p = p,
                      .angular = opt->law == DP_LAW_LCP || dp_law_is_convex(opt) ||
                                 dp_law_is_regularised(opt->law),
                      .cone = dp_law_is_convex(opt) && opt->vi_friction == DP_VI_CONE,
                      .slip_speed = dp_law_is_regularised(opt->law) ? opt->slip_speed : 0.0,
                      .by_links = p->links != NULL,
                      .tolerance = opt->tolerance,
                      .max_factorizations = opt->max_factorizations};
    const size_t nrow = (size_t)p->nrow, nv = (size_t)p->nv;
    double **of_row[] = {&c->scale,   &c->len,  &c->w,      &c->a,   &c->u_free,
                         &c->x,       &c->u,    &c->centre, &c->rho, &c->one_over_a,
                         &c->F,       &c->q,    &c->dx,     &c->du,  &c->trial,
                         &c->u_trial, &c->best, &c->u_best, &c->turn};
    for (size_t k = 0; k < sizeof of_row / sizeof *of_row; ++k) {
        DP_TRY(dp_arena_take(of_row[k], scratch, nrow, sizeof(double)));
    }
    c->compliance = dp_law_compliance(opt);
    if (dp_law_is_limit(opt)) {
        DP_TRY(dp_arena_take(&c->weight, scratch, nrow, sizeof(double)));
    }
    if (dp_law_is_convex(opt) && !c->cone) {
        DP_TRY(dp_arena_take(&c->bound, scratch, nrow, sizeof(double)));
        memset(c->bound, 0, nrow * sizeof *c->bound);
    }
    DP_TRY(dp_arena_take(&c->soft, scratch, nrow, sizeof *c->soft));
    DP_TRY(dp_arena_take(&c->block, scratch, (size_t)p->nblock, sizeof *c->block));
    DP_TRY(dp_arena_take(&c->force, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&c->v, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&c->v_best, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&c->drift, scratch, nv, sizeof(double)));
    memset(c->block, 0, (size_t)p->nblock * sizeof *c->block);
    (void)describe_rows(c);
    const dp_coulomb_block *last = &c->block[p->nblock - 1];
    const size_t rows = (size_t)(p->row_start[p->nblock] - p->row_start[p->nblock - 1]);
    c->nC = last->C + (last->ngroup > 0 ? rows * rows : rows);
    DP_TRY(dp_arena_take(&c->C, scratch, c->nC, sizeof(double)));
    DP_TRY(dp_arena_take(&c->C_factored, scratch, c->nC, sizeof(double)));
    memset(c->C, 0, c->nC * sizeof *c->C);
    DP_TRY(take_parts(c, scratch));
    note_runs(c);
    c->redundant = meet_twice(c);
    DP_TRY(c->by_links ? take_links(c, scratch) : take_matrices(c, scratch));
    DP_TRY(take_responses(c, scratch));
    DP_TRY(take_points(c, scratch));
    return dp_coulomb_restart(c, opt);
}

bool dp_coulomb_serves(const dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    if (c->by_links != (p->links != NULL)) {
        return false;
    }
    for (int b = 0; b < p->nblock;) {
        const bool rubs = c->block[b].ngroup > 0;
        for (int end = b + (c->block[b].run > 0 ? c->block[b].run : 1); b < end; ++b) {
            if (rubs != (p->friction_of && p->friction_of[b] >= 0)) {
                return false;
            }
        }
    }
    return true;
}

static dp_status refuse_mass(int velocity)
{
    return dp_fail(DP_ERROR_NUMERIC, "velocity %d: the mass matrix is not positive definite",
                   velocity);
}

static dp_status factor_links(dp_coulomb *c)
{
    const dp_links *l = c->p->links;
    dp_link_factor_begin(&c->mass, l);
    const int bad = dp_link_factor_make(&c->mass, l);
    if (bad >= 0) {
        return refuse_mass(bad);
    }
    for (int k = c->p->nv - 1; k >= 0; --k) {
        if (!(c->mass.inverse[k] > 0.0)) {
            return refuse_mass(k);
        }
    }
    return DP_OK;
}

static dp_status factor_mass(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    memcpy(c->LD, p->Mt, p->Mt_start[p->nv] * sizeof *c->LD);
    const dp_branch at = {p->nv, p->parent, p->Mt_start};
    for (int t = 0; t < p->ntree; ++t) {
        const int from = p->tree_start[t];
        c->diagonal[t] = c->free_body[t] && dp_six_is_diagonal(c->LD + p->Mt_start[from]);
        if (!c->diagonal[t]) {
            (void)dp_branch_factor_part(c->LD, at, from, p->tree_start[t + 1]); // pivots tell
        }
    }
    for (int i = p->nv - 1; i >= 0; --i) {
        const double pivot = c->LD[p->Mt_start[i]];
        if (!(pivot > 0.0)) {
            return refuse_mass(i);
        }
        c->inverse[i] = 1.0 / pivot;
    }
    c->may_go_along = c->one_tree && dp_branch_lu_load(&c->branches, p->parent, p->Mt_start, p->Mt);
    return DP_OK;
}

dp_status dp_coulomb_restart(dp_coulomb *c, const dp_law_options *opt)
{
    c->tolerance = opt->tolerance;
    c->max_factorizations = opt->max_factorizations;
    c->slip_speed = dp_law_is_regularised(opt->law) ? opt->slip_speed : 0.0;
    c->compliance = dp_law_compliance(opt);
    if (describe_rows(c)) {
        note_runs(c);
    }
    c->has_points = c->point && dp_points_serve(c);
    DP_TRY(c->by_links ? factor_links(c) : factor_mass(c));
    dp_coulomb_mobilities(c);
    c->responds = c->points_respond = false;
    return DP_OK;
}

void dp_coulomb_certify(dp_certificate *out, dp_coulomb *c, const dp_step_solution *found)
{
    const dp_links_scratch at = {.V = c->motion,
                                 .F = c->wrench,
                                 .composite = c->composite,
                                 .omega = c->square,
                                 .velocity = c->v,
                                 .other = c->force,
                                 .third = c->drift};
    dp_links_certify(out, c->p, found, &at);
}

// ---- solve

static void keep(dp_coulomb *c, const double *x, const double *u, double residual)
{
    c->best_residual = residual;
    memmove(c->best, x, (size_t)c->p->nrow * sizeof *x);
    memcpy(c->u_best, u, (size_t)c->p->nrow * sizeof *u);
    memcpy(c->v_best, c->v, (size_t)c->p->nv * sizeof *c->v);
    c->v_best_known = true;
}

double dp_coulomb_judge(dp_coulomb *c, const double *x, const double *u)
{
    const double residual = dp_coulomb_residual(c, x, u);
    if (residual < c->best_residual) {
        keep(c, x, u, residual);
    }
    return residual;
}

// After a Newton step dx: velocities change by what it was solved for, W dx = G dv, as far as the
// digits of the factors go. Far from the end that will do. @return the residual
static double follow(dp_coulomb *c)
{
    for (int r = 0; r < c->p->nrow; ++r) {
        c->x[r] += c->dx[r];
        c->u[r] += c->du[r];
    }
    if (c->one_tree) {
        const double residual = dp_coulomb_residual(c, c->x, c->u);
        if (residual > c->goal) {
            if (residual < c->best_residual) {
                keep(c, c->x, c->u, residual);
                c->v_best_known = false;
            }
            return residual;
        }
    }
    dp_coulomb_velocities(c, c->u, c->x);
    return dp_coulomb_judge(c, c->x, c->u);
}

// Where a step with the factors at hand led from `before` to `residual`. @return whether Newton's
// method should go on; with another shift, if *shift is changed
static bool adapt_shift(double *shift, const dp_coulomb *c, double before, double residual)
{
    if (residual < SLOW * before) {
        return true;
    }
    if (residual < before) { // the shift holds it back
        *shift *= LESS_SHIFT;
        return residual > c->goal && *shift >= LEAST_SHIFT;
    }
    *shift *= MORE_SHIFT; // digits are lost
    return c->best_residual > c->tolerance && *shift <= MOST_SHIFT;
}

typedef enum likeness { OTHER, NEAR, SAME } likeness;

// How C is like that of the factors at hand.
static likeness compare_factored(const dp_coulomb *c)
{
    if (memcmp(c->C, c->C_factored, c->nC * sizeof *c->C) == 0) {
        return SAME;
    }
    const double near = c->one_tree ? NEAR_OF_TREES : SLOW;
    for (int b = 0; b < c->p->nblock; ++b) {
        const size_t from = c->block[b].C, end = b + 1 < c->p->nblock ? c->block[b + 1].C : c->nC;
        double most = 0.0, change = 0.0;
        for (size_t k = from; k < end; ++k) {
            most = fmax(most, fabs(c->C_factored[k]));
            change = fmax(change, fabs(c->C[k] - c->C_factored[k]));
        }
        if (change > near * most) {
            return OTHER;
        }
    }
    return NEAR;
}

// A proximal compliance about each point keeps the matrix regular where rows depend on each other.
// It slows the steps down, but while rows keep their states, as good as, one factorization does for
// all of them: steps with the same factors are the refinement of the first.
bool dp_coulomb_newton(dp_coulomb *c, int most, int bad)
{
    const size_t bytes = (size_t)c->p->nrow * sizeof *c->x;
    const int limit = c->factorizations + most;
    // With a tree, refinement costs about as much as all else.
    const double refined = fmax(FINE * c->tolerance, c->one_tree ? GOAL * c->fine : 0.0);
    dp_coulomb_map map = {SHIFT, c->centre, c->one_over_a, true};
    double before = dp_coulomb_residual(c, c->x, c->u), least = before;
    const double falls = before <= HASTE * c->speed ? FALLS : 0.0; // in a collapse it tells nothing
    bool factored = false, stale = false;
    for (int worse = 0, changes = 0; worse < bad;) {
        memcpy(c->centre, c->x, bytes);
        dp_coulomb_tangents(c, c->x, c->u);
        dp_coulomb_evaluate(c, c->F, &map, c->x, c->u);
        dp_coulomb_linearise(c, &map, c->x, c->u);
        const likeness like = factored ? compare_factored(c) : OTHER;
        const bool refines = like == SAME || (like == NEAR && !stale);
        if (!refines) {
            const bool enough = factored && least <= c->goal;
            if (enough || c->factorizations == limit || !dp_coulomb_factor(c)) {
                break;
            }
            memcpy(c->C_factored, c->C, c->nC * sizeof *c->C);
            factored = true;
            ++changes;
        }
        ++c->iterations;
        dp_coulomb_step(c, c->dx);
        const double residual = follow(c);
        if (residual <= fmax(refines ? refined : c->fine, c->digits) ||
            !(residual < DP_COULOMB_HUGE) ||
            (like == SAME && !adapt_shift(&map.shift, c, before, residual))) {
            break;
        }
        stale = like == NEAR && residual > SLOW * before;
        if (stale && residual < before && map.shift * LESS_SHIFT >= LEAST_SHIFT) {
            map.shift *= LESS_SHIFT; // it holds the steps back
        }
        if (refines && !(residual < before)) {
            memcpy(c->x, c->best, bytes);
            dp_coulomb_velocities(c, c->u, c->x);
        } else if (residual <= c->tolerance && !(residual < 0.5 * least) && changes > 1) {
            break; // states change and nothing is gained
        }
        worse = residual < fmax(least, falls * before) ? 0 : worse + 1;
        least = residual < least ? residual : least;
        before = refines && !(residual < before) ? c->best_residual : residual;
    }
    if (!c->v_best_known) {
        dp_coulomb_velocities(c, c->u, c->best);
        keep(c, c->best, c->u, dp_coulomb_residual(c, c->best, c->u));
    }
    return c->best_residual <= c->tolerance;
}

// Does a group of friction hold, rather than slip? @param first row of its contact
static bool holds(const dp_coulomb *c, const dp_friction_group *group, int first)
{
    const double *x = c->x + first;
    const double nearly = 1.0 - 1e-6; // at its limit: who slips is there to round-off
    if (group->count == 2 && c->corners > 0) {
        return dp_coulomb_holds(c, group, x + group->first, nearly * group->reach * x[0]);
    }
    const double *t = x + group->first, across = group->count == 2 ? t[1] : 0.0;
    const double limit = nearly * (c->bound ? c->bound[first + group->first] : group->reach * x[0]);
    return t[0] * t[0] + across * across < limit * limit;
}

// [m/s] How much the rows gain or lose in the step from c->du, if it ends at c->u.
static double change_of_all(const dp_coulomb *c)
{
    const int nrow = c->p->nrow;
    const double *u = c->u, *u0 = c->du, *len = c->len;
    dp_pair2 worst = dp_pair2_zero();
    int r = 0;
    for (; r + 2 <= nrow; r += 2) {
        const dp_pair2 change = dp_pair2_sub(dp_pair2_load(u + r), dp_pair2_load(u0 + r));
        worst = dp_pair2_max(dp_pair2_mul(dp_pair2_abs(change), dp_pair2_load(len + r)), worst);
    }
    const double last = r < nrow ? fabs(u[r] - u0[r]) * len[r] : 0.0;
    return fmax(dp_pair2_larger(worst), last);
}

// [m/s] How much those that hold do: not those that are at an end of their range, and of contacts
// neither those that are open nor friction that slips.
static double change_of_held(const dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    double worst = 0.0;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int first = p->row_start[b];
        const int end = block->ngroup > 0 ? first + 1 : p->row_start[b + 1];
        for (int r = first; r < end; ++r) {
            const bool within = c->x[r] > p->row[r].lo && c->x[r] < p->row[r].hi;
            const double change = fabs(c->u[r] - c->du[r]) * c->len[r];
            worst = within && change > worst ? change : worst;
        }
        for (int g = 0; g < block->ngroup; ++g) {
            const dp_friction_group *group = &block->group[g];
            const bool held = c->x[first] > 0.0 && holds(c, group, first);
            for (int k = 0; held && k < group->count; ++k) {
                const int r = first + group->first + k;
                const double change = fabs(c->u[r] - c->du[r]) * c->len[r];
                worst = change > worst ? change : worst;
            }
        }
    }
    return worst;
}

// [m/s] The largest velocity that the impulse of a row makes by itself.
static double largest_push(const dp_coulomb *c, const double *x)
{
    const int nrow = c->p->nrow;
    dp_pair2 most = dp_pair2_zero();
    int r = 0;
    for (; r + 2 <= nrow; r += 2) {
        const dp_pair2 impulse = dp_pair2_abs(dp_pair2_load(x + r));
        most = dp_pair2_max(dp_pair2_mul(dp_pair2_load(c->w + r), impulse), most);
    }
    return fmax(dp_pair2_larger(most), r < nrow ? c->w[r] * fabs(x[r]) : 0.0);
}

// [m/s] What is no change of velocity at rest.
static double little_of(const dp_coulomb *c)
{
    return fmax(STILL * c->tolerance, ROUND_OFF * largest_push(c, c->x));
}

// The velocity that the law of a row asks for, at the impulse of the guess.
static double asked_of(const dp_coulomb *c, int r)
{
    return c->u[r] - dp_soft_slack(c->soft[r], c->x[r], c->u[r]);
}

// Rows of a block whose gap asks for a velocity: of a contact the normal.
static int end_of_gaps(const dp_coulomb *c, int b)
{
    return c->block[b].ngroup > 0 ? c->p->row_start[b] + 1 : c->p->row_start[b + 1];
}

// Does a row that is nearly as far off as it may be go further?
static bool strays(const dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    bool any = false;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < end_of_gaps(c, b); ++r) {
            const double asked = asked_of(c, r);
            const bool within = c->x[r] > p->row[r].lo && c->x[r] < p->row[r].hi;
            any = any || (within && fabs(asked) * c->len[r] > ENOUGH * c->tolerance &&
                          asked * c->u[r] < 0.0);
        }
    }
    return any;
}

// Do velocities change so little from v0 to v that no row can tell? By Cauchy and Schwarz in the
// metric of the mass, |g Δv|² ≤ (g M̃⁻¹ gᵀ)(Δvᵀ M̃ Δv): the rows themselves are not looked at.
static bool hardly_moves(dp_coulomb *c, const double *v)
{
    const dp_step_problem *p = c->p;
    if (c->by_links) {
        return false;
    }
    double *change = c->force, square = 0.0;
    for (int i = 0; i < p->nv; ++i) {
        change[i] = v[i] - p->v0[i];
    }
    const dp_branch at = {p->nv, p->parent, p->Mt_start};
    for (int t = 0; t < p->ntree; ++t) {
        square += dp_branch_square(at, p->Mt, change, p->tree_start[t], p->tree_start[t + 1]);
    }
    dp_pair2 most = dp_pair2_zero();
    int r = 0;
    for (; r + 2 <= p->nrow; r += 2) {
        const dp_pair2 len = dp_pair2_load(c->len + r);
        most = dp_pair2_max(dp_pair2_mul(dp_pair2_load(c->w + r), dp_pair2_mul(len, len)), most);
    }
    const double last = r < p->nrow ? c->w[r] * (c->len[r] * c->len[r]) : 0.0;
    const double little = STILL * c->tolerance;
    return fmax(dp_pair2_larger(most), last) * square <= little * little;
}

// Is the first guess good enough to be the answer? At rest, impulses that are off by a little leave
// a velocity that grows by as much in every step, and so do gaps with it: impulses that are off by
// hardly more than round-off do for many steps, others for a few, and then it takes several to come
// to rest again. While something moves, what is left is no beginning of a motion.
// @param v the velocities that it gives
static bool is_enough(dp_coulomb *c, double residual, const double *v)
{
    if (!(residual <= GOAL * c->tolerance) || (residual > ENOUGH * c->tolerance && strays(c))) {
        return false;
    }
    if (hardly_moves(c, v)) {
        return true;
    }
    dp_coulomb_row_velocities(c, c->du, c->p->v0);
    const double little = little_of(c);
    if (change_of_all(c) <= little) { // mostly, and soon said
        return true;
    }
    const double change = change_of_held(c);
    return change <= little || (residual <= STEADY * c->tolerance && change > c->tolerance);
}

// What rows are asked for at rest. Gaps are known to their last digits only, and the velocity that
// they ask for is no motion: impulses that follow it are wrong in the next step. Rows that are off
// by no more than factorizations are spent for are asked for a part of it only. They stay within
// that, the impulses balance, and serve many steps.
static void ask_for_less(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    const double most = GOAL * c->tolerance;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < end_of_gaps(c, b); ++r) {
            const double asked = asked_of(c, r);
            if (fabs(asked) * c->len[r] <= most) {
                c->soft[r].u_hat -= (1.0 - PART) * asked;
                c->soft[r].u_stop -= (1.0 - PART) * asked;
            }
        }
    }
}

// Are all rows, and their bodies with them, slower than the tolerance?
static bool is_at_rest(dp_coulomb *c)
{
    double fastest = 0.0;
    dp_coulomb_row_velocities(c, c->du, c->p->v0);
    for (int r = 0; r < c->p->nrow; ++r) {
        fastest = fmax(fastest, fabs(c->du[r]) * c->len[r]);
    }
    return fastest <= c->tolerance;
}

// From a guess near rest that would not serve for long. @return whether there is a better one,
// whose residual is no larger than a guess may have, in c->best
static bool calm(dp_coulomb *c, double first)
{
    if (!(first <= NEAR_REST * c->tolerance) || c->p->normal || is_convex(c) || !is_at_rest(c)) {
        return false;
    }
    const double goal = c->goal, little = little_of(c);
    c->goal = little;
    ask_for_less(c);
    keep(c, c->x, c->u, dp_coulomb_residual(c, c->x, c->u));
    (void)dp_coulomb_newton(c, NEWTON_BAD, NEWTON_BAD);
    const bool follows = c->best_residual <= little;
    c->goal = goal;
    take_targets(c);
    c->best_residual = dp_coulomb_residual(c, c->best, c->u_best);
    return follows && c->best_residual <= GOAL * c->tolerance;
}

// Is the best residual in the last digits of the velocities that impulses make? So large they are
// where joints hold bodies deep within each other.
static bool is_exhausted(const dp_coulomb *c)
{
    return c->best_residual <= DBL_EPSILON * largest_push(c, c->best);
}

// What a guess that is good enough does without.
static void prepare_search(dp_coulomb *c, double first)
{
    const dp_step_problem *p = c->p;
    c->goal = fmin(fmax(GOAL * c->tolerance, DIGITS * first), c->tolerance);
    c->fine = fmin(fmax(FINE * c->tolerance, GOAL * DIGITS * first), c->tolerance);
    c->digits = fmin(DBL_EPSILON * largest_push(c, c->x), c->tolerance);
    dp_coulomb_row_velocities(c, c->u_free, p->v_free);
    c->speed = LEAST_SPEED;
    for (int b = 0; b < p->nblock; ++b) {
        const int r = p->row_start[b];
        if (c->block[b].ngroup > 0) {
            const double approach = c->soft[r].u_hat - c->u_free[r];
            c->speed = approach > c->speed ? approach : c->speed;
        }
    }
}

// Of a residual, which may be no number.
static double finite_or_lost(double residual)
{
    return residual < (double)INFINITY ? residual : (double)INFINITY;
}

// Sweeps that cost as much as a few factorizations, which run at several times their pace.
static int sweeps_worth_it(const dp_coulomb *c)
{
    const double one = 72.0 * c->p->nblock; // multiplications of points of two bodies
    const double most = dp_block_work(&c->H) / one;
    return most < MOST_ROUGH ? (int)most : MOST_ROUGH;
}

// Is the tolerance one that sweeps alone may meet, sooner than a few factorizations?
static bool is_loose(const dp_coulomb *c)
{
    return !is_convex(c) && c->tolerance > LOOSE * c->speed && c->has_points &&
           sweeps_worth_it(c) >= LEAST_ROUGH;
}

// Sweeps from the guess until the tolerance is met. If it is, a few all the same: what is off then
// fades from step to step.
static bool sweep_roughly(dp_coulomb *c, double first)
{
    const bool met = first <= c->tolerance;
    c->by_points = true;
    keep(c, c->x, c->u, finite_or_lost(first));
    const bool solved = dp_coulomb_sweep_until(c, met ? LEAST_ROUGH : sweeps_worth_it(c),
                                               met ? GOAL * c->tolerance : c->tolerance);
    if (!solved && !met) {
        memcpy(c->x, c->best, (size_t)c->p->nrow * sizeof *c->x);
        dp_coulomb_velocities(c, c->u, c->x);
    }
    return solved || met;
}

typedef enum search { SEARCH_SWEEPS, SEARCH_CYCLES, SEARCH_NEAR, SEARCH_FAR, SEARCH_CONVEX } search;

// From the best point so far, or from nothing. @param limit of its factorizations
static bool search_by(dp_coulomb *c, search which, int limit)
{
    const size_t bytes = (size_t)c->p->nrow * sizeof *c->x;
    if (is_exhausted(c)) {
        return false;
    }
    if (which == SEARCH_FAR) {
        memset(c->x, 0, bytes);
        return dp_coulomb_proximal(c, FAR_SHIFT, limit);
    }
    memcpy(c->x, c->best, bytes);
    const double off = c->best_residual / c->speed; // a shift leaves about as much as itself
    switch (which) {
    case SEARCH_SWEEPS:
        return off > NEARBY && dp_coulomb_sweep(c, SWEEPS);
    case SEARCH_CYCLES:
        return dp_coulomb_cycle(c, limit);
    case SEARCH_CONVEX:
        return dp_convex_search(c, NEAR_SHIFT, limit);
    default:
        return dp_coulomb_proximal(c, off > NEARBY ? NEAR_SHIFT : fmax(off, SHIFT), limit);
    }
}

// Sweeps do much for single points of contact and little for faces, where several points share one
// load: there the proximal search comes first.
static bool search_first(dp_coulomb *c)
{
    const int most = c->max_factorizations;
    if (is_convex(c)) {
        return c->weight ? search_by(c, SEARCH_CONVEX, most) : search_by(c, SEARCH_NEAR, most);
    }
    return c->redundant ? search_by(c, SEARCH_SWEEPS, most) || search_by(c, SEARCH_NEAR, most / 2)
                        : search_by(c, SEARCH_CYCLES, most);
}

static bool search_on(dp_coulomb *c)
{
    const int most = c->max_factorizations;
    if (is_convex(c)) { // in the limit there is nothing else that would do more
        return !c->weight && search_by(c, SEARCH_CONVEX, most);
    }
    return search_by(c, c->redundant ? SEARCH_CYCLES : SEARCH_NEAR, most) ||
           search_by(c, SEARCH_FAR, 2 * most);
}

// Where rigid rows contradict each other there is nothing to be found, and impulses without end on
// the way: what they can have is asked for instead, and looked for anew from no impulses.
// @param yielded [m/s] by how much they do, 0: not to be seen
static bool search_without_contradictions(dp_coulomb *c, double *yielded)
{
    *yielded = dp_coulomb_yield(c);
    if (!(*yielded > 0.0)) {
        return false;
    }
    memset(c->x, 0, (size_t)c->p->nrow * sizeof *c->x);
    dp_coulomb_velocities(c, c->u, c->x);
    keep(c, c->x, c->u, dp_coulomb_residual(c, c->x, c->u));
    return dp_coulomb_newton(c, NEWTON_STEPS, NEWTON_BAD) || search_first(c) || search_on(c);
}

// From where Newton's method has left c->x.
static bool search_all(dp_coulomb *c, double *yielded)
{
    const bool suspect = !(largest_push(c, c->x) <= HUGE_PUSH * c->speed);
    *yielded = 0.0;
    if (suspect && (search_without_contradictions(c, yielded) || *yielded > 0.0)) {
        return c->best_residual <= c->tolerance;
    }
    if (search_first(c)) {
        return true;
    }
    if (!suspect && (search_without_contradictions(c, yielded) || *yielded > 0.0)) {
        return c->best_residual <= c->tolerance;
    }
    return search_on(c);
}

// Rigid faces touch at more points than they need to, and gaps that differ in their last digits
// decide which of these push: Newton's method takes all of them for what they were, the proximal
// search does better.
static int newton_steps(const dp_coulomb *c, double first)
{
    for (int b = 0; c->redundant && !is_convex(c) && b < c->p->nblock; ++b) {
        if (c->block[b].ngroup > 0) {
            return c->soft[c->p->row_start[b]].R > 0.0 ? NEWTON_STEPS
                   : first <= c->tolerance             ? LAST_STEPS
                                                       : FEW_STEPS;
        }
    }
    return NEWTON_STEPS;
}

// The faces that impulses lie on are known when velocities are, to more digits than the tolerance
// asks for.
static void find_least(dp_coulomb *c)
{
    const double tolerance = c->tolerance, goal = c->goal, fine = c->fine;
    double before = (double)INFINITY;
    c->tolerance = GOAL * tolerance;
    c->goal = GOAL * c->tolerance;
    c->fine = FINE * c->tolerance;
    c->digits = DBL_EPSILON * largest_push(c, c->best);
    for (int k = 0; k < POLISHES && c->best_residual > MORE_DIGITS * c->digits &&
                    c->best_residual < FALLS * before;
         ++k) {
        before = c->best_residual;
        memcpy(c->x, c->best, (size_t)c->p->nrow * sizeof *c->x);
        dp_coulomb_velocities(c, c->u, c->x);
        (void)(k % 2 == 0 ? dp_coulomb_newton(c, NEWTON_STEPS, NEWTON_BAD)
                          : dp_convex_search(c, NEAR_SHIFT, NEWTON_STEPS));
    }
    c->tolerance = tolerance;
    c->goal = goal;
    c->fine = fine;
    c->unbounded = false;
    dp_convex_least(c);
}

// Which impulses, of all that meet the tolerance.
static void find_impulses(dp_coulomb *c)
{
    if (c->weight) {
        find_least(c);
    } else {
        dp_convex_finish(c);
    }
}

static void take_guess(dp_coulomb *c, const double *warm)
{
    const dp_step_problem *p = c->p;
    if (!warm) {
        memset(c->x, 0, (size_t)p->nrow * sizeof *c->x);
        return;
    }
    memcpy(c->x, warm, (size_t)p->nrow * sizeof *c->x);
    for (int b = 0; b < p->nblock; ++b) {
        if (c->block[b].round) {
            b += c->block[b].run > 0 ? c->block[b].run - 1 : 0;
            continue;
        }
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            c->x[r] = c->scale[r] > 0.0 ? warm[r] / c->scale[r] : 0.0;
        }
    }
}

// [m/s] What a law that shares loads by a compliance s D is solved to: s w γ, by which that shows,
// may be far below what counts as solved.
static double tolerance_of(const dp_coulomb *c, const dp_law_options *opt)
{
    const double shows = 100.0; // times s
    const double share = c->compliance > 0.0 && !is_convex(c) ? shows * c->compliance : 1.0;
    return share < 1.0 ? share * opt->tolerance : opt->tolerance;
}

// @param v where the velocities of the guess go
static void aim(dp_coulomb *c, double *v, const double *warm, const dp_law_options *opt)
{
    const dp_step_problem *p = c->p;
    c->iterations = c->factorizations = 0;
    c->by_points = false;
    c->tolerance = tolerance_of(c, opt);
    if (p->normal || is_convex(c)) { // tangents of their laws look at them, and what ends a search
        dp_coulomb_row_velocities(c, c->u_free, p->v_free);
    }
    take_targets(c);
    c->inconsistent = 0.0;
    c->unbounded = false;
    if (is_convex(c)) {
        take_convex_targets(c);
    }
    take_guess(c, warm);
    if (c->by_links) {
        dp_coulomb_answer_of_links(c, &c->mass, c->v, NULL, c->x);
    } else {
        dp_coulomb_forces(c, c->force, c->x);
        dp_coulomb_accelerate(c, c->v, c->force);
    }
    for (int i = 0; i < p->nv; ++i) {
        v[i] = p->v_free[i] + c->v[i];
    }
    dp_coulomb_row_velocities(c, c->u, v);
}

void dp_coulomb_aim(dp_coulomb *c, const double *warm, const dp_law_options *opt)
{
    aim(c, c->v_best, warm, opt);
    const double first = dp_coulomb_residual(c, c->x, c->u);
    prepare_search(c, first);
    keep(c, c->x, c->u, finite_or_lost(first));
}

// A point as a solution, whose velocities are c->v_best. @param known its states are there, as
// dp_coulomb_residual_of_guess left them. @param yielded [m/s] what rigid rows gave way by
static void present(dp_step_solution *out, dp_coulomb *c, const double *x, const double *u,
                    bool known, bool solved, double yielded, dp_solve_info *info)
{
    const dp_step_problem *p = c->p;
    for (int i = 0; i < p->nv; ++i) {
        out->v[i] = p->v_free[i] + c->v_best[i];
    }
    for (int r = 0; r < p->nrow; ++r) {
        out->gamma[r] = c->scale[r] * x[r];
    }
    dp_coulomb_states(out->state, c, x, u, known);
    if (yielded > 0.0) { // what is told is told of the rows as they are
        take_targets(c);
        c->best_residual = dp_coulomb_residual(c, c->best, c->u_best);
    }
    *info = (dp_solve_info){.outcome = solved         ? DP_CONVERGED
                                       : c->unbounded ? DP_UNBOUNDED
                                                      : DP_CAPPED,
                            .residual = c->best_residual,
                            .islands = 1,
                            .iterations = c->iterations,
                            .factorizations = c->factorizations,
                            .inconsistent = fmax(yielded, c->inconsistent),
                            .exhausted = !solved && is_exhausted(c)};
}

void dp_coulomb_conclude(dp_step_solution *out, dp_coulomb *c, bool solved, dp_solve_info *info)
{
    present(out, c, c->best, c->u_best, false, solved, 0.0, info);
}

void dp_coulomb_solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                      const dp_law_options *opt, dp_solve_info *info)
{
    const dp_step_problem *p = c->p;
    aim(c, out->v, warm, opt);
    const double first = dp_coulomb_residual_of_guess(out->state, c, c->x, c->u);
    bool solved = is_enough(c, first, out->v);
    if (solved) {
        c->best_residual = first;
        memcpy(c->v_best, c->v, (size_t)p->nv * sizeof *c->v);
        if (is_convex(c)) {
            keep(c, c->x, c->u, first);
            find_impulses(c);
            present(out, c, c->best, c->u_best, false, true, 0.0, info);
        } else {
            present(out, c, c->x, c->u, true, true, 0.0, info);
        }
        return;
    }
    prepare_search(c, first);
    const bool loose = is_loose(c);
    solved = loose ? sweep_roughly(c, first) : calm(c, first);
    if (!solved) {
        if (c->factorizations > 0) { // back to the guess
            take_guess(c, warm);
            dp_coulomb_velocities(c, c->u, c->x);
        }
        if (!loose) {
            keep(c, c->x, c->u, finite_or_lost(first));
        }
        solved = dp_coulomb_newton(c, newton_steps(c, first), NEWTON_BAD);
    }
    if (!solved &&
        c->tolerance < opt->tolerance) { // round-off, or a search that need not be as fine
        c->tolerance = opt->tolerance;
        solved = c->best_residual <= c->tolerance;
    }
    const bool searched = !solved;
    double yielded = 0.0;
    solved = solved || search_all(c, &yielded);
    if (searched && solved && c->best_residual > c->goal) { // digits that cost little
        memcpy(c->x, c->best, (size_t)p->nrow * sizeof *c->x);
        dp_coulomb_velocities(c, c->u, c->x);
        solved = dp_coulomb_newton(c, POLISH_STEPS, 1);
    }
    if (is_convex(c) && (solved || !c->weight)) {
        find_impulses(c);
        solved = c->best_residual <= c->tolerance;
    }
    present(out, c, c->best, c->u_best, false, solved, yielded, info);
}
