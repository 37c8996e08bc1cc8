// Contact points: a one-sided row along the normal, and friction beside it.
//
// Both surfaces are taken to pass through the point midway between them. With n from A to B, the
// rows are n · (v_B − v_A), the same along two tangents, n · (ω_B − ω_A) for torsion, and along the
// tangents for rolling. The stiffness of a contact is that of its patch, of which each point has a
// share. What moves by itself, a mocap body, and the belts of conveyors are in φ_t and b_ref.
#include "assemble/contact_laws.h"
#include "assemble/row_sources.h"
#include "model/combine_materials.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { GEOM_BITS = DP_CONTACT_GEOM_BITS, KEY_BITS = DP_CONTACT_KEY_BITS };

void dp_contact_room_for(dp_rows_room *room, const dp_model *m, int most)
{
    size_t longest = 0; // chain of degrees of freedom, whatever hangs from it
    for (int dof = 0; dof < m->size.nv; ++dof) {
        const size_t length = m->dof_packed[dof + 1] - m->dof_packed[dof];
        longest = length > longest ? length : longest;
    }
    for (int i = 0; i < most; ++i) {
        dp_room_add(room, DP_BLOCK_ROWS, 2 * (int)longest);
    }
    room->nfriction += most;
}

// ---- order

static uint16_t key_of(uint64_t feature)
{
    const uint64_t mixed = feature * 0x9e3779b97f4a7c15u;
    return (uint16_t)(mixed >> 48);
}

static bool same_pair(const dp_touching *a, const dp_touching *b)
{
    return a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1];
}

// By key; points of equal key stay in their order and get the next free one.
static void order_pair(dp_touching *list, int count)
{
    for (int i = 0; i < count; ++i) {
        const dp_touching held = list[i];
        int j = i;
        for (; j > 0 && list[j - 1].key > held.key; --j) {
            list[j] = list[j - 1];
        }
        list[j] = held;
    }
    for (int i = 1; i < count; ++i) {
        if (list[i].key <= list[i - 1].key) {
            list[i].key = (uint16_t)(list[i - 1].key + 1);
        }
    }
    // Keys at the upper end may have run over: push them back.
    for (int i = count - 1; i > 0 && list[i - 1].key >= list[i].key; --i) {
        list[i].key = (uint16_t)(UINT16_MAX - (count - 1 - i));
        list[i - 1].key =
            list[i - 1].key >= list[i].key ? (uint16_t)(list[i].key - 1) : list[i - 1].key;
    }
}

void dp_touching_order(dp_touching *list, int count)
{
    for (int first = 0, end; first < count; first = end) {
        for (end = first; end < count && same_pair(&list[first], &list[end]); ++end) {
            list[end].key = key_of(list[end].at.feature);
        }
        if (end > first + 1) {
            order_pair(list + first, end - first);
        }
    }
}

static uint64_t contact_id(const dp_touching *t)
{
    return (uint64_t)DP_ROW_SOURCE_CONTACT << 56 | (uint64_t)t->geom[0] << (GEOM_BITS + KEY_BITS) |
           (uint64_t)t->geom[1] << KEY_BITS | t->key;
}

// ---- rows

// Two tangents, t₁ × t₂ = n. Where friction depends on the direction, t₁ is the x axis of the first
// geom as far as that is possible; else the first axis of the world that is hardly more along n
// than others: normals along an axis or midway between two keep theirs in spite of round-off, and
// the impulses of the last step mean the same in this one.
static void find_tangents(dp_v3 tangent[2], const dp_rows_input *in, const dp_touching *t,
                          bool turned)
{
    const dp_v3 n = t->at.normal;
    const double hardly = 0.1;
    const double x = fabs(n.x) - hardly, y = fabs(n.y), z = fabs(n.z);
    dp_v3 axis = x <= y && x <= z  ? (dp_v3){1.0, 0.0, 0.0}
                 : y - hardly <= z ? (dp_v3){0.0, 1.0, 0.0}
                                   : (dp_v3){0.0, 0.0, 1.0};
    if (turned) {
        const double nearly_along = 0.99;
        const dp_geom *a = &in->start.m->geom[t->geom[0]];
        const dp_v3 x_axis = dp_quat_rotate(a->pose.q, (dp_v3){1.0, 0.0, 0.0});
        const dp_v3 wanted = dp_m3_apply(&in->start.kin->link[a->body].R, x_axis);
        axis = fabs(dp_v3_dot(wanted, n)) < nearly_along ? wanted : axis;
    }
    const dp_v3 along = dp_v3_madd(axis, -dp_v3_dot(axis, n), n);
    tangent[0] = dp_v3_scale(along, 1.0 / dp_v3_norm(along));
    tangent[1] = dp_v3_cross(n, tangent[0]);
}

// How fast the surface of a geom passes `point` by itself: a belt, or a body that no joint moves. A
// belt runs along the surface: what is given across it moves nothing.
static dp_v3 own_velocity(const dp_rows_input *in, int geom, dp_v3 point, dp_v3 normal)
{
    const dp_model *m = in->start.m;
    const dp_geom *g = &m->geom[geom];
    const dp_link *link = &in->start.kin->link[g->body];
    dp_v3 v = {0.0, 0.0, 0.0};
    if (dp_is_belt(g)) {
        v = dp_quat_rotate(g->pose.q, g->contact.material.surface_velocity);
        v = dp_m3_apply(&link->R, v);
        v = dp_v3_madd(v, -dp_v3_dot(v, normal), normal);
    }
    if (in->moved && m->body[g->body].tree < 0) {
        const dp_link *moved = &in->moved->link[g->body];
        const dp_v3 local = dp_m3_apply_transposed(&link->R, dp_v3_sub(point, link->X.p));
        const dp_v3 there = dp_v3_add(moved->X.p, dp_m3_apply(&moved->R, local));
        v = dp_v3_madd(v, 1.0 / in->h, dp_v3_sub(there, point));
    }
    return v;
}

static const dp_row FRICTION = {
    .b = INFINITY, .lo = -INFINITY, .hi = INFINITY, .len = 1.0}; // k = 0

// The weight of a point over the largest of its patch: 1 for all points of a face that lies flat.
static double share_of_largest(const dp_rows_input *in, const dp_touching *t)
{
    const dp_touching *const first = in->touching, *const end = first + in->ntouching;
    double most = t->at.weight;
    for (const dp_touching *p = t; p > first && same_pair(p - 1, t); --p) {
        most = p[-1].at.patch == t->at.patch ? fmax(most, p[-1].at.weight) : most;
    }
    for (const dp_touching *p = t + 1; p < end && same_pair(p, t); ++p) {
        most = p->at.patch == t->at.patch ? fmax(most, p->at.weight) : most;
    }
    return most > 0.0 ? t->at.weight / most : 0.0;
}

// Spring and dashpot of solref and solimp: each point has them for itself, as in MuJoCo, and those
// of its depth at the start of the step (MX 4). Where the spring stiffens fast with depth,
// F ∝ δ¹⁺ᵖ, the next step finds another one: the motion about a rest does not grow with a dashpot
// of 4 + 2 h b/m ≥ (p − 1) h² k/m, whatever m is.
static void soften(dp_row *row, const dp_rows_input *in, const dp_touching *t,
                   const dp_touch_law *law)
{
    const dp_impedance at = dp_impedance_at(law->solimp, fmax(0.0, -row->phi));
    const double share = share_of_largest(in, t);
    row->k = share * law->stiffness * at.stiffness;
    row->b = fmax(share * law->damping * at.damping, 0.5 * in->h * row->k * (at.exponent - 1.0));
}

static inline void set_normal(dp_row *row, const dp_rows_input *in, const dp_touching *t,
                              const dp_touch_law *law)
{
    const double weight = t->at.weight;
    *row = (dp_row){.phi = t->at.gap,
                    .k = weight * law->stiffness,
                    .b = weight * law->damping,
                    .hi = INFINITY,
                    .len = 1.0};
    if (law->curved) {
        soften(row, in, t, law);
    }
}

static void set_rows(dp_row *row, const dp_rows_input *in, const dp_touching *t,
                     const dp_touch_law *law, bool belts, const dp_v3 *direction)
{
    set_normal(row, in, t, law);
    for (int i = 1; i < law->condim; ++i) {
        row[i] = FRICTION;
    }
    if (in->moved || belts) {
        const dp_v3 n = t->at.normal;
        const dp_v3 passing = dp_v3_sub(own_velocity(in, t->geom[1], t->at.point, n),
                                        own_velocity(in, t->geom[0], t->at.point, n));
        for (int i = 0; i < 3 && i < law->condim; ++i) {
            row[i].b_ref = dp_v3_dot(direction[i], passing);
        }
        row[0].phi_t = row[0].b_ref;
    }
}

// [m] What an angle of torsion or rolling counts as: the arm at which friction acts.
static double arm_of(double reach, double mu)
{
    return mu > 0.0 && reach > 0.0 ? reach / mu : 1.0;
}

static bool is_turned(const dp_touch_law *law)
{
    return law->friction.mu[0] != law->friction.mu[1];
}

static void find_directions(dp_v3 direction[3], const dp_rows_input *in, const dp_touching *t,
                            const dp_touch_law *law)
{
    direction[0] = t->at.normal;
    find_tangents(direction + 1, in, t, is_turned(law));
}

// How contacts one after the other are laid out: mostly as the one before.
typedef struct layout {
    int body[2]; // −1: none
    int ncol;
    bool one_tree;
    int contact, law; // of the last, −2: none
    int friction;     // of that law
} layout;

static inline void look_at_bodies(layout *last, const dp_model *m, const dp_touching *t)
{
    const int a = t->body[0], b = t->body[1];
    if (last->body[0] != a || last->body[1] != b) {
        last->body[0] = a;
        last->body[1] = b;
        last->ncol = dp_chain_length(m, a) + dp_chain_length(m, b);
        last->one_tree = m->body[a].tree == m->body[b].tree;
        last->contact = -2;
    }
}

// A law that is not that of the contact before: contacts one after the other share the friction.
static void look_at_law(layout *last, dp_rows *rows, int law)
{
    const dp_touch_law *is = &rows->mixed[law].law;
    last->law = law;
    last->contact = -2;
    last->friction = -1;
    if (is->condim > 1) {
        last->friction = rows->nfriction++;
        rows->friction[last->friction] = is->friction;
        rows->normal[last->friction] = is->normal;
        rows->has_normals = rows->has_normals || is->normal.kind != DP_NORMAL_SPRING;
    }
}

// Two bodies of one tree, or turns: the block takes the scratch of all to write its gradients.
// @return false: bodies do not move relative to each other, it is left out
static bool write_block(dp_rows *rows, const dp_rows_input *in, dp_row_owner owner,
                        const dp_touch_law *law, const layout *last)
{
    const dp_model *m = in->start.m;
    const dp_touching *t = &in->touching[owner.element];
    const dp_two_points at = {{last->body[0], last->body[1]}, {t->at.point, t->at.point}};
    dp_v3 direction[3];
    find_directions(direction, in, t, law);
    dp_block_open(rows, law->condim);
    dp_block_add_points(rows, 0, law->condim < 3 ? law->condim : 3, direction, &at, in->start.kin,
                        m);
    if (law->condim > 3) {
        dp_block_add_turns(rows, 3, law->condim - 3, direction, at.body, in->start.kin, m);
    }
    return dp_block_close(rows, owner) != NULL;
}

// Any other block is filled by itself, when all have their places. @return false: left out
static inline bool lay_out(dp_rows *rows, const dp_rows_input *in, int contact, int law,
                           layout *last)
{
    const dp_touch_law *is = &rows->mixed[law].law;
    look_at_bodies(last, in->start.m, &in->touching[contact]);
    if (last->law != law) {
        look_at_law(last, rows, law);
    }
    const bool alike = last->contact == contact - 1 && !is_turned(is);
    last->contact = contact;
    if (rows->lifted || (is->condim <= 3 && !last->one_tree)) {
        const int ncol = rows->lifted ? 1 : last->ncol;
        dp_row_owner *owner = dp_block_reserve(rows, is->condim, ncol, last->friction);
        owner->source =
            DP_ROW_SOURCE_CONTACT; // one by one: a whole would have to wait for its parts
        owner->feature = 0;
        owner->nonlinear = false;
        owner->alike = alike;
        owner->element = contact;
        if (rows->lifted) {
            dp_lift_reserved(rows, in->start.m, last->body);
        }
        return true;
    }
    const dp_row_owner owner = {
        .source = DP_ROW_SOURCE_CONTACT, .alike = alike, .element = contact};
    const bool moves = write_block(rows, in, owner, is, last);
    if (moves) {
        rows->friction_of[rows->nblock - 1] = last->friction;
    }
    return moves;
}

// The blocks of contacts, once their places are known.
typedef struct filling {
    dp_rows *rows;
    const dp_rows_input *in;
    bool stands; // friction is there already
} filling;

static const dp_combined *mixed_of(const dp_rows *rows, int contact)
{
    return &rows->mixed[rows->mixed_of[contact]];
}

static void find_directions_of(dp_v3 direction[3], const filling *s, int block)
{
    const int contact = s->rows->owner[block].element;
    find_directions(direction, s->in, &s->in->touching[contact], &mixed_of(s->rows, contact)->law);
}

static int rows_of(const dp_rows *rows, int block)
{
    return rows->row_start[block + 1] - rows->row_start[block];
}

// How many blocks from `block` on have the same bodies, law and directions, as many contacts on one
// face do.
static int count_alike(const filling *s, int block, int end)
{
    const dp_row_owner *owner = s->rows->owner + block;
    const dp_touching *t = &s->in->touching[owner->element];
    const dp_v3 n = t->at.normal;
    int count = 1;
    while (block + count < end && owner[count].alike && t[count].at.normal.x == n.x &&
           t[count].at.normal.y == n.y && t[count].at.normal.z == n.z) {
        ++count;
    }
    return count;
}

// All of a block but its gradients.
static inline void fill_block(const filling *s, int block, const dp_touch_law *law, bool belts,
                              const dp_v3 *direction)
{
    dp_rows *rows = s->rows;
    const int contact = rows->owner[block].element;
    const dp_touching *t = &s->in->touching[contact];
    dp_row *row = rows->row + rows->row_start[block];
    rows->tangent[contact] = direction[1];
    rows->id[block] = contact_id(t);
    set_rows(row, s->in, t, law, belts, direction);
    if (law->condim > 3) {
        row[3].len = arm_of(law->friction.torsion, law->friction.mu[0]);
    }
    for (int k = 4; k < law->condim; ++k) {
        row[k].len = arm_of(law->friction.roll[k - 4], law->friction.mu[0]);
    }
}

// The same for n of three rows, where nothing moves by itself.
static void fill_threes(const filling *s, int block, int n, const dp_touch_law *law, dp_v3 tangent)
{
    dp_rows *rows = s->rows;
    const int contact = rows->owner[block].element;
    const dp_touching *t = &s->in->touching[contact];
    dp_row *row = rows->row + rows->row_start[block];
    uint64_t *id = rows->id + block;
    dp_v3 *tangents = rows->tangent + contact;
    const dp_touch_law is = *law;
    for (int i = 0; i < n; ++i, row += 3) {
        tangents[i] = tangent;
        id[i] = contact_id(&t[i]);
        set_normal(row, s->in, &t[i], &is);
        if (!s->stands) {
            row[1] = FRICTION;
            row[2] = FRICTION;
        }
    }
}

// The same for n blocks that are alike.
static dp_status fill_blocks(const filling *s, int block, int n, const dp_v3 *direction)
{
    const int contact = s->rows->owner[block].element;
    const dp_combined *mixed = mixed_of(s->rows, contact);
    if (mixed->law.modulus > 0.0) {
        dp_touch_law bent = mixed->law;
        for (int i = 0; i < n; ++i) {
            DP_TRY(dp_contact_find_hertz(&bent, s->in, &s->in->touching[contact + i]));
            fill_block(s, block + i, &bent, mixed->belts, direction);
        }
        return DP_OK;
    }
    if (mixed->law.condim == 3 && !mixed->belts && !s->in->moved) {
        fill_threes(s, block, n, &mixed->law, direction[1]);
        return DP_OK;
    }
    for (int i = 0; i < n; ++i) {
        fill_block(s, block + i, &mixed->law, mixed->belts, direction);
    }
    return DP_OK;
}

static dp_status fill_part(void *job, int part, int first, int end)
{
    const filling *s = job;
    dp_rows *rows = s->rows;
    const dp_rows_input *in = s->in;
    if (part == 0 || first == end) {
        return DP_OK; // what is no contact is made
    }
    dp_two_chains chains;
    chains.body[0] = chains.body[1] = -1;
    dp_v3 next[3];
    find_directions_of(next, s, first);
    for (int b = first, n; b < end; b += n) {
        const int contact = rows->owner[b].element;
        n = count_alike(s, b, end);
        memcpy(chains.direction, next, sizeof next);
        if (b + n < end) { // a root and a quotient, which are not waited for here
            find_directions_of(next, s, b + n);
        }
        dp_chains_look(&chains, in->touching[contact].body, in->start.kin, in->start.m);
        for (int i = 0; rows->lifted && i < n; ++i) {
            dp_lift_contact(rows, in, b + i, chains.direction);
        }
        const bool filled = chains.one_tree || rows_of(rows, b) > 3 || rows->lifted;
        if (!filled) {
            dp_block_fill(rows, b, n, &in->touching[contact], &chains, in->start.kin, in->start.m);
        }
        DP_TRY(fill_blocks(s, b, n, chains.direction));
    }
    return DP_OK;
}

// So many contacts take as long as it takes to wake a thread, or longer.
enum { WORTHWHILE = 64 };

static void note_parts(dp_rows *rows, const dp_rows_input *in, int first)
{
    dp_contact_parts *p = &rows->contacts;
    p->first = first;
    p->count = rows->nblock - first;
    p->nparts = dp_thread_pool_parts(p->count / WORTHWHILE);
    for (int i = 0; p->count > 0 && i < p->nparts; ++i) {
        const int block = first + (int)((long long)p->count * i / p->nparts);
        p->key[i] = in->touching[rows->owner[block].element].geom[1]; // the other may be a floor
    }
}

static dp_status lay_out_all(dp_rows *rows, const dp_rows_input *in)
{
    const int first = rows->nblock;
    rows->layout = (dp_contact_layout){.ncontact = in->ntouching,
                                       .first = first,
                                       .row = rows->nrow,
                                       .col = rows->col_start[first],
                                       .friction = rows->nfriction,
                                       .G = rows->G_start[first]};
    layout last = {.body = {-1, -1}, .contact = -2, .law = -2};
    const int made = dp_contact_made_for(rows, in);
    bool kept = true;
    int npair = 0, law = -1;
    for (int i = 0; i < in->ntouching; ++i) {
        const dp_touching *t = &in->touching[i];
        if (t->dropped) { // with all others of its pair
            kept = false;
            continue;
        }
        if (i == 0 || !same_pair(t, t - 1)) {
            if (!dp_contact_is_mixed(rows, t, npair, made)) {
                DP_TRY(dp_contact_mix(rows, in, t, npair, law));
            }
            law = rows->mixed_pair[npair++].law;
        }
        rows->mixed_of[i] = law;
        rows->pair_of[i] = npair - 1;
        (void)lay_out(rows, in, i, law, &last);
        kept = kept && rows->mixed[law].law.condim <= 3 && !last.one_tree; // else it is written
    }
    rows->layout.nblock = rows->nblock;
    rows->layout.nrow = rows->nrow;
    rows->layout.nfriction = rows->nfriction;
    rows->layout.has_normals = rows->has_normals;
    rows->layout.kept = kept;
    return DP_OK;
}

// Are contacts those that were laid out?
typedef struct comparing {
    const dp_rows *rows;
    const dp_rows_input *in;
    atomic_bool differ;
} comparing;

static dp_status compare_contacts(void *job, int first, int end)
{
    comparing *s = job;
    const int made = dp_contact_made_for(s->rows, s->in);
    bool same = true;
    for (int i = first; i < end && same; ++i) {
        const dp_touching *t = &s->in->touching[i];
        same = !t->dropped && dp_contact_is_mixed(s->rows, t, s->rows->pair_of[i], made);
    }
    if (!same) {
        atomic_store(&s->differ, true);
    }
    return DP_OK;
}

static int key_of_contact(const void *job, int i)
{
    const comparing *s = job;
    return s->in->touching[i].geom[1];
}

// @return whether they are put where they were
static bool take_layout(dp_rows *rows, const dp_rows_input *in)
{
    dp_contact_layout *known = &rows->layout;
    const int first = rows->nblock;
    comparing s = {.rows = rows, .in = in};
    if (!known->kept || known->ncontact != in->ntouching || known->first != first ||
        known->row != rows->nrow || known->col != rows->col_start[first] ||
        known->friction != rows->nfriction || known->G != rows->G_start[first] ||
        dp_thread_pool_spread_by(in->workers, in->ntouching, WORTHWHILE, key_of_contact,
                                 compare_contacts, &s) != DP_OK ||
        s.differ) {
        return false;
    }
    rows->nblock = known->nblock;
    rows->nrow = known->nrow;
    rows->nfriction = known->nfriction;
    rows->has_normals = known->has_normals;
    known->taken = true;
    return true;
}

dp_status dp_contact_make(dp_rows *rows, const dp_rows_input *in)
{
    const int first = rows->nblock, nrow = rows->nrow;
    if (in->ntouching == 0) {
        rows->layout.kept = false;
        return DP_OK;
    }
    dp_contact_look_at_scales(rows, in->options);
    rows->lifted = dp_lift_is_possible(rows, in);
    if (rows->lifted) {
        DP_TRY(lay_out_all(rows, in));
        rows->layout.kept = false; // it is no other's
    }
    if (rows->lifted && rows->nfriction == 0) { // laws that know no friction know no links
        rows->lifted = false;
        rows->nblock = first;
        rows->nrow = nrow;
    }
    if (!rows->lifted && !take_layout(rows, in)) {
        DP_TRY(lay_out_all(rows, in));
    }
    note_parts(rows, in, first);
    filling s = {rows, in, rows->layout.taken && rows->layout.stands};
    rows->layout.stands = false;
    DP_TRY(dp_rows_share(rows, in->workers, fill_part, &s));
    rows->layout.stands = !in->moved;
    return DP_OK;
}

dp_wrench dp_contact_push(const dp_rows *rows, const dp_touching *t, int contact, int nrow,
                          const double *lambda)
{
    const dp_v3 n = t->at.normal, t1 = rows->tangent[contact];
    const dp_v3 direction[3] = {n, t1, dp_v3_cross(n, t1)};
    dp_wrench w = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < nrow; ++i) {
        if (i < 3) {
            w.f = dp_v3_madd(w.f, lambda[i], direction[i]);
        } else {
            w.t = dp_v3_madd(w.t, lambda[i], direction[i - 3]);
        }
    }
    return w;
}

void dp_contact_wrench(dp_wrench *wrench, const dp_rows *rows, const dp_rows_input *in, int contact,
                       int nrow, const double *lambda)
{
    const dp_touching *t = &in->touching[contact];
    const dp_wrench w = dp_contact_push(rows, t, contact, nrow, lambda);
    for (int k = 0; k < 2; ++k) {
        const int body = t->body[k];
        const dp_v3 arm = dp_v3_sub(t->at.point, in->start.kin->link[body].X.p);
        const dp_wrench about = {dp_v3_add(w.t, dp_v3_cross(arm, w.f)), w.f};
        wrench[body] = dp_wrench_madd(wrench[body], k ? 1.0 : -1.0, about);
    }
}
