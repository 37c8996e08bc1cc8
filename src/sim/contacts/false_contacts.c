// A contact point stands for the plane across its normal, where geoms are at the start of the step.
// What flies past an edge crosses that plane and meets nothing: its row would deflect it in
// mid-air.
//
// The contacts of a pair of geoms are false if
//  * none of its points touched at the start, and some push;                              (PB 1)
//  * the geoms are apart at the end of the step although these do;                        (PB 2)
//  * they stay apart all the way if they do not.                                          (PB 3)
//
// (PB 2) is cheap, and false for what lands on a face. (PB 3) keeps what is thrown at a thin wall
// on its side; it is looked at twice, for the free velocities, which saves most of the solves that
// would be in vain, and for those that are found without the pair.
#include "collide/pair.h"
#include "collide/passage.h"
#include "linalg/tree_ldl.h"
#include "math/angle.h"
#include "sim/parallel_for.h"
#include "sim/step/step.h"

#include <string.h>

static dp_pose pose_in(const dp_kin *kin, const dp_model *m, int geom)
{
    return dp_pose_mul(kin->link[m->geom[geom].body].X, m->geom[geom].pose);
}

// Planes stand.
static dp_passage passage_of(const dp_data *d, const int geom[2], const dp_pose end[2])
{
    const dp_model *m = d->model;
    const int moving = isinf(d->contacts.geom[geom[1]].radius) ? 0 : 1, standing = 1 - moving;
    const dp_pose start = pose_in(&d->kin, m, geom[standing]);
    return (dp_passage){
        .moving = &m->shape[geom[moving]],
        .standing = &m->shape[geom[standing]],
        .from = dp_pose_mul(dp_pose_inverse(start), pose_in(&d->kin, m, geom[moving])),
        .to = dp_pose_mul(dp_pose_inverse(end[standing]), end[moving]),
        .radius = d->contacts.geom[geom[moving]].radius,
    };
}

static void look_at_the_end(dp_data *d, const dp_attempt *s)
{
    if (s->once || !d->rows.end_known) {
        dp_spread_kin(&d->kin_end, d, s->q1, s->v1);
        d->rows.end_known = !s->once;
    }
}

// (PB 2), where the last solve ends.
static bool end_apart(const dp_data *d, const int geom[2])
{
    const dp_model *m = d->model;
    const dp_placed a = dp_place(&m->shape[geom[0]], pose_in(&d->kin_end, m, geom[0]));
    const dp_placed b = dp_place(&m->shape[geom[1]], pose_in(&d->kin_end, m, geom[1]));
    dp_distance near;
    dp_pair_distance(&near, &a, &b, (double)INFINITY, NULL);
    return near.gap > d->options.gap_tolerance;
}

// (PB 3), where the last solve ends.
static bool pass_by(const dp_data *d, const int geom[2])
{
    const dp_model *m = d->model;
    const dp_pose end[2] = {pose_in(&d->kin_end, m, geom[0]), pose_in(&d->kin_end, m, geom[1])};
    const dp_passage p = passage_of(d, geom, end);
    return dp_stay_apart(&p);
}

// The points of the pair to which point `first` belongs end here.
static int end_of_pair(const dp_constrained *c, int first)
{
    const int *geom = c->candidates.point[first].geom;
    int end = first + 1;
    while (end < c->candidates.count && c->candidates.point[end].geom[0] == geom[0] &&
           c->candidates.point[end].geom[1] == geom[1]) {
        ++end;
    }
    return end;
}

static void set_dropped(dp_constrained *c, int first, int end, bool dropped)
{
    for (int i = first; i < end; ++i) {
        c->candidates.point[i].dropped = dropped;
    }
    c->candidates.dropped += dropped ? end - first : first - end;
}

// ---- what a pair gives to the velocities

// A pair of geoms: its points, and their blocks.
typedef struct pair {
    int first, end;
    int first_block, end_block;
} pair;

// The next one, {0} before the first. Points may have no blocks.
static bool next_pair(pair *p, const dp_constrained *c)
{
    if (p->end == c->candidates.count) {
        return false;
    }
    p->first_block = p->end == 0 ? dp_first_contact(&c->rows) : p->end_block;
    p->first = p->end;
    p->end = end_of_pair(c, p->first);
    p->end_block = p->first_block;
    while (p->end_block < c->rows.nblock && c->rows.owner[p->end_block].element < p->end) {
        ++p->end_block;
    }
    return true;
}

// One behind the last velocity that moves a body of a tree.
static int end_of_way(const dp_model *m, int body)
{
    while (m->body[body].ndof == 0) {
        body = m->body[body].parent;
    }
    return m->body[body].dof_start + m->body[body].ndof;
}

// M̃⁻¹ Gᵀ γ of the pair, as far as the last velocities that move its bodies; the rest of `change` is
// of no use.
static void find_change(double *change, dp_data *d, const pair *p, const int body[2])
{
    const dp_model *m = d->model;
    const dp_constrained *c = &d->rows;
    const int tree[2] = {m->body[body[0]].tree, m->body[body[1]].tree}; // −1: none
    int first[2] = {0, 0}, end[2] = {0, 0};
    if (c->problem.links) {
        memset(change, 0, (size_t)m->size.nv * sizeof *change);
    }
    for (int k = 0; k < 2; ++k) {
        const int way = tree[k] >= 0 ? end_of_way(m, body[k]) : 0;
        if (tree[k] >= 0 && (k == 0 || tree[1] != tree[0])) {
            first[k] = m->tree_start[tree[k]];
            end[k] = way;
        } else if (way > end[0]) { // both in one tree
            end[0] = way;
        }
    }
    for (int k = 0; k < 2; ++k) {
        memset(change + first[k], 0, (size_t)(end[k] - first[k]) * sizeof *change);
    }
    for (int b = p->first_block; b < p->end_block; ++b) {
        dp_rows_add_block(change, &c->rows, b, c->solution.gamma);
    }
    if (c->problem.links) {
        dp_articulated_solve(change, &d->art, &d->kin, m, change, NULL);
        return;
    }
    for (int k = 0; k < 2; ++k) {
        dp_tree_ldl_solve_part(change, dp_model_branch(m), c->inertia.LD, first[k], end[k]);
    }
}

// Where a geom would be after the time h with velocities v − change.
static dp_pose pose_without(const dp_data *d, int geom, const double *v, const double *change,
                            double h)
{
    const dp_model *m = d->model;
    const int b = m->geom[geom].body;
    if (m->body[b].tree < 0) {
        return pose_in(&d->kin_end, m, geom);
    }
    const dp_pose X = d->kin.link[b].X;
    dp_twist V = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = b; i > 0; i = m->body[i].parent) {
        const dp_v3 r = dp_v3_sub(X.p, d->kin.link[i].X.p);
        for (int k = m->body[i].dof_start; k < m->body[i].dof_start + m->body[i].ndof; ++k) {
            V = dp_twist_madd(V, v[k] - change[k], dp_twist_shift(d->kin.S[k], r));
        }
    }
    const dp_quat turn = dp_quat_cayley(dp_v3_scale(V.w, h));
    return dp_pose_mul((dp_pose){dp_quat_mul(turn, X.q), dp_v3_madd(X.p, h, V.v)},
                       m->geom[geom].pose);
}

// (PB 3), with what the other rows give.
static bool would_pass_by(dp_data *d, const pair *p, const dp_attempt *s)
{
    const dp_model *m = d->model;
    const int *geom = d->rows.candidates.point[p->first].geom;
    const int body[2] = {m->geom[geom[0]].body, m->geom[geom[1]].body};
    double *const change = d->rows.scratch;
    find_change(change, d, p, body);
    const dp_pose end[2] = {pose_without(d, geom[0], s->v, change, s->h),
                            pose_without(d, geom[1], s->v, change, s->h)};
    const dp_passage way = passage_of(d, geom, end);
    return dp_stay_apart(&way);
}

// M̃ is factored where the kick did so. False: joints lock.
static bool factor(dp_data *d)
{
    dp_constrained *c = &d->rows;
    const dp_tree_ldl at = dp_model_branch(d->model);
    if (c->problem.links) {
        dp_articulated_factor(&d->art, &d->kin, d->model, d->scratch.diagonal,
                              (dp_body_drag){NULL, 0.0}); // links have no fluid
        return d->art.singular < 0;
    }
    if (!c->inertia.known) {
        memcpy(c->inertia.LD, c->inertia.Mt, at.start[at.n] * sizeof *c->inertia.LD);
        c->inertia.known = dp_tree_ldl_factor(c->inertia.LD, at) < 0;
    }
    return c->inertia.known;
}

// ---- false contacts

// (PB 1)
static bool pushes_from_afar(const dp_constrained *c, const pair *p)
{
    bool pushes = false;
    for (int b = p->first_block; b < p->end_block; ++b) {
        const double gamma = c->solution.gamma[c->rows.row_start[b]];
        if (!(c->candidates.point[c->rows.owner[b].element].at.gap > 0.0)) {
            return false;
        }
        pushes = pushes || gamma > 0.0;
    }
    return pushes;
}

static int drop(dp_data *d, const dp_attempt *s)
{
    dp_constrained *c = &d->rows;
    bool looked = false;
    for (pair p = {0}; next_pair(&p, c);) {
        if (!pushes_from_afar(c, &p)) {
            continue;
        }
        if (!looked) {
            look_at_the_end(d, s);
            looked = true;
        }
        if (end_apart(d, c->candidates.point[p.first].geom) && factor(d) &&
            would_pass_by(d, &p, s)) {
            set_dropped(c, p.first, p.end, true);
        }
    }
    return c->candidates.dropped;
}

static int take_back(dp_data *d, const dp_attempt *s)
{
    dp_constrained *c = &d->rows;
    const int before = c->candidates.dropped;
    if (before == 0) {
        return 0;
    }
    look_at_the_end(d, s);
    for (int first = 0, end; first < c->candidates.count; first = end) {
        end = end_of_pair(c, first);
        if (c->candidates.point[first].dropped && !pass_by(d, c->candidates.point[first].geom)) {
            set_dropped(c, first, end, false);
        }
    }
    return before - c->candidates.dropped;
}

int dp_false_contacts_find(dp_data *d, const dp_attempt *s)
{
    dp_constrained *c = &d->rows;
    if (dp_law_has(&d->options.solver,
                   DP_LAW_TRAIT_LIFTS_OFF)) { // sliding contacts act across a gap
        return 0;
    }
    const int changed = c->candidates.judged ? take_back(d, s) : drop(d, s);
    c->candidates.judged = true;
    c->again = changed > 0;
    return changed;
}
