#include "sim/contacts.h"

#include "collide/closed_forms.h"
#include "geom/bounds.h"
#include "geom/hull_shape.h"
#include "geom/surface.h"
#include "geom/terrain.h"
#include "sim/query.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

// Memory

static double corner_radius(dp_v3 low, dp_v3 high)
{
    return dp_v3_norm((dp_v3){fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                              fmax(fabs(low.z), fabs(high.z))});
}

static double radius_of(const dp_shape *s)
{
    switch (s->kind) {
    case DP_PLANE:
        return INFINITY;
    case DP_SPHERE:
        return s->size[0];
    case DP_CAPSULE:
        return s->size[0] + s->size[1];
    case DP_CYLINDER:
        return sqrt(s->size[0] * s->size[0] + s->size[1] * s->size[1]);
    case DP_ELLIPSOID:
        return fmax(s->size[0], fmax(s->size[1], s->size[2]));
    case DP_BOX:
        return dp_v3_norm(dp_v3_load(s->size));
    case DP_MESH:
        return s->hull ? corner_radius(s->hull->low, s->hull->high)
                       : corner_radius(s->surface->low, s->surface->high);
    default:
        return corner_radius(s->terrain->low, s->terrain->high);
    }
}

static void carve(dp_contacts *c, dp_carver *carver, size_t ngeom, size_t nbody)
{
    c->placed = dp_carve(carver, ngeom, sizeof *c->placed);
    c->pose = dp_carve(carver, ngeom, sizeof *c->pose);
    c->swept = dp_carve(carver, ngeom, sizeof *c->swept);
    c->geom = dp_carve(carver, ngeom, sizeof *c->geom);
    c->stand = dp_carve(carver, nbody, sizeof *c->stand);
}

static bool can_touch(const dp_model *m, int g)
{
    return m->geom[g].contype != 0 || m->geom[g].conaffinity != 0 || m->paired[g];
}

// What stays as it is.
static void describe_geoms(dp_contacts *c, const dp_model *m)
{
    const double share = 1e-3; // of the smallest geom, that boxes are wider: enough at rest
    for (int b = 0; b < m->size.nbody; ++b) {
        c->stand[b] = (dp_body_stand){.ease = INFINITY};
    }
    for (int g = 0; g < m->size.ngeom; ++g) {
        const dp_pose *own = &m->geom[g].pose;
        dp_body_stand *stand = &c->stand[m->geom[g].body];
        const double radius = dp_has_shape(m, g) ? radius_of(&m->shape[g]) : 0.0;
        c->geom[g] =
            (dp_contact_geom){.radius = radius,
                              .margin = m->geom[g].contact.margin,
                              .p = own->p,
                              .body = m->geom[g].body,
                              .kind = m->shape[g].kind,
                              .has_shape = dp_has_shape(m, g),
                              .upright = memcmp(&own->q, &DP_IDENTITY_POSE.q, sizeof own->q) == 0};
        if (dp_has_shape(m, g)) {
            stand->arm = fmax(stand->arm, dp_v3_norm(own->p) + radius);
            stand->ease = fmin(stand->ease, share * radius);
            stand->touches = stand->touches || can_touch(m, g);
        }
    }
    for (int b = 0; b < m->size.nbody; ++b) {
        const bool stands = m->body[b].tree < 0 || isinf(c->stand[b].ease);
        c->stand[b].ease = stands ? 0.0 : c->stand[b].ease;
    }
}

static bool may_touch(const void *context, int a, int b)
{
    return dp_may_touch(context, a, b);
}

// Cubes stacked face to face have thirteen neighbours each, counted once, and twelve points.
enum { USUAL = 16 };

// So many pairs of each geom, and no more than there can be.
static int usual_pairs(const dp_model_size *n)
{
    const long long usual = (long long)USUAL * n->ngeom + 64;
    const long long most = n->ntouch >= 0 && n->ntouch < usual ? n->ntouch : usual;
    return most > INT_MAX ? INT_MAX : (int)most;
}

dp_status dp_contacts_create(dp_data *d)
{
    const dp_model *m = d->model;
    dp_contacts *c = &d->contacts;
    const size_t ngeom = (size_t)m->size.ngeom;
    dp_carver carver = {NULL, 0};
    carve(c, &carver, ngeom, (size_t)m->size.nbody);
    c->bytes = carver.used + 64; // room to align, whatever the allocator does
    DP_TRY(dp_allocate(&c->memory, &d->allocator, 1, c->bytes));
    const size_t misaligned = (uintptr_t)c->memory % 64;
    carver = (dp_carver){(char *)c->memory + (misaligned ? 64 - misaligned : 0), 0};
    carve(c, &carver, ngeom, (size_t)m->size.nbody);
    describe_geoms(c, m);
    DP_TRY(dp_broad_create(&c->broad, m->size.ngeom, 0, may_touch, m, &d->allocator));
    const int pairs = usual_pairs(&m->size);
    const long long points = pairs == 0 ? 0 : (long long)USUAL * m->size.ngeom + 512;
    return dp_data_reserve_contacts(d, pairs, points > INT_MAX ? INT_MAX : (int)points);
}

static void release_list(const dp_allocator *a, dp_contact_list *list, int room)
{
    const size_t n = (size_t)room;
    dp_release(a, list->point, n, sizeof *list->point);
    dp_release(a, list->place, n, sizeof *list->place);
    dp_release(a, list->owner, n, sizeof *list->owner);
    dp_release(a, list->pair, n, sizeof *list->pair);
    *list = (dp_contact_list){.point = NULL};
}

void dp_contacts_destroy(dp_data *d)
{
    dp_contacts *c = &d->contacts;
    release_list(&d->allocator, &c->now, c->npoint);
    release_list(&d->allocator, &c->next, c->npoint);
    if (c->broad.allocator.release) {
        dp_broad_destroy(&c->broad);
    }
    dp_release(&d->allocator, c->memory, 1, c->bytes);
}

static dp_status take_list(dp_contact_list *list, const dp_allocator *a, int room)
{
    const size_t n = (size_t)room;
    DP_TRY(dp_allocate_unset(&list->point, a, n, sizeof *list->point));
    DP_TRY(dp_allocate_unset(&list->place, a, n, sizeof *list->place));
    DP_TRY(dp_allocate_unset(&list->owner, a, n, sizeof *list->owner));
    return dp_allocate_unset(&list->pair, a, n, sizeof *list->pair);
}

static void move_list(dp_contact_list *to, const dp_contact_list *from)
{
    to->npoint = from->npoint;
    to->npair = from->npair;
    to->outcome = from->outcome;
    if (from->npoint > 0) {
        for (int i = 0; i < from->npoint; ++i) {
            to->place[i] = i;
            to->point[i] = from->point[from->place[i]];
        }
        memcpy(to->owner, from->owner, (size_t)from->npoint * sizeof *to->owner);
        memcpy(to->pair, from->pair, (size_t)from->npair * sizeof *to->pair);
    }
}

dp_status dp_data_reserve_contacts(dp_data *d, int npair, int npoint)
{
    dp_contacts *c = &d->contacts;
    if (npair < 0 || npoint < 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "room for %d pairs and %d points (expected numbers ≥ 0)",
                       npair, npoint);
    }
    DP_TRY(dp_broad_reserve(&c->broad, npair));
    if (npoint <= c->npoint) {
        return DP_OK;
    }
    dp_contact_list now = {.point = NULL}, next = {.point = NULL};
    dp_status status = take_list(&now, &d->allocator, npoint);
    status = status == DP_OK ? take_list(&next, &d->allocator, npoint) : status;
    if (status != DP_OK) {
        release_list(&d->allocator, &now, npoint);
        release_list(&d->allocator, &next, npoint);
        return status;
    }
    move_list(&now, &c->now);
    release_list(&d->allocator, &c->now, c->npoint);
    release_list(&d->allocator, &c->next, c->npoint);
    c->now = now;
    c->next = next;
    c->npoint = npoint;
    return DP_OK;
}

dp_status dp_contacts_copy(dp_data *to, const dp_data *from)
{
    const dp_contacts *c = &from->contacts;
    DP_TRY(dp_data_reserve_contacts(to, c->broad.pair_capacity, c->npoint));
    to->contacts.filter = c->filter;
    to->contacts.filter_context = c->filter_context;
    return DP_OK;
}

dp_contact_room dp_data_contact_room(const dp_data *d)
{
    const dp_contacts *c = &d->contacts;
    return (dp_contact_room){c->broad.pair_capacity, c->npoint, c->needed_pairs, c->needed_points};
}

void dp_data_set_contact_filter(dp_data *d, dp_contact_filter filter, void *context)
{
    d->contacts.filter = filter;
    d->contacts.filter_context = context;
}

// Placing

static bool is_fixed(const dp_model *m, int g)
{
    return m->weld[m->geom[g].body] == 0;
}

static inline void place(dp_data *d, int g)
{
    dp_contacts *c = &d->contacts;
    const dp_shape *shape = &d->model->shape[g];
    const dp_contact_geom *geom = &c->geom[g];
    const dp_link *link = &d->kin.link[geom->body];
    if (geom->upright) {
        const dp_v3 p = dp_v3_add(link->X.p, dp_quat_rotate(link->X.q, geom->p));
        c->pose[g] = (dp_pose){link->X.q, p};
        c->placed[g] = (dp_placed){shape, link->R, p};
    } else {
        c->pose[g] = dp_object_pose(d, DP_OBJECT_GEOM, g);
        c->placed[g] = dp_place(shape, c->pose[g]);
    }
}

// The velocity of body b at p. @param V of all bodies; NULL: as they move now
static inline dp_twist moves(const dp_data *d, const dp_twist *V, int b, dp_v3 p)
{
    const dp_link *link = &d->kin.link[b];
    return dp_twist_shift(V ? V[b] : link->V, dp_v3_sub(p, link->X.p));
}

// The box of a geom from now until so many seconds later, with room around it. A turn moves no
// point further than the turn times its distance from the origin; and no further than to the other
// side.
static dp_bounds sweep(const dp_data *d, const dp_twist *V, int g, double around, double seconds)
{
    const dp_contacts *c = &d->contacts;
    dp_bounds box = dp_placed_bounds(&c->placed[g]);
    const dp_twist own = moves(d, V, d->model->geom[g].body, c->pose[g].p);
    const dp_v3 way = dp_v3_scale(own.v, seconds);
    const double angle = seconds * dp_v3_norm(own.w), turn = angle < 2.0 ? angle : 2.0;
    const double wide = around + (turn > 0.0 ? turn * c->geom[g].radius : 0.0);
    box.low.x += (way.x < 0.0 ? way.x : 0.0) - wide;
    box.low.y += (way.y < 0.0 ? way.y : 0.0) - wide;
    box.low.z += (way.z < 0.0 ? way.z : 0.0) - wide;
    box.high.x += (way.x > 0.0 ? way.x : 0.0) + wide;
    box.high.y += (way.y > 0.0 ? way.y : 0.0) + wide;
    box.high.z += (way.z > 0.0 ? way.z : 0.0) + wide;
    return box;
}

// Whichever way it goes: as now, or as V says.
static dp_bounds sweep_both(const dp_data *d, const dp_twist *V, int g, double around,
                            double seconds)
{
    const dp_bounds now = sweep(d, NULL, g, around, seconds);
    if (!V) {
        return now;
    }
    const dp_bounds then = sweep(d, V, g, around, seconds);
    return (dp_bounds){
        {fmin(now.low.x, then.low.x), fmin(now.low.y, then.low.y), fmin(now.low.z, then.low.z)},
        {fmax(now.high.x, then.high.x), fmax(now.high.y, then.high.y),
         fmax(now.high.z, then.high.z)}};
}

static dp_v3 plane_normal(const dp_data *d, int g)
{
    return dp_m3_column(&d->contacts.placed[g].R, 2);
}

static double plane_offset(const dp_data *d, int g, double around)
{
    const dp_v3 normal = plane_normal(d, g), p = d->contacts.placed[g].p;
    // Of the sum that says how far below a box reaches: six roundings.
    const double round_off =
        0x1p-49 * (fabs(normal.x * p.x) + fabs(normal.y * p.y) + fabs(normal.z * p.z) + around);
    return dp_v3_dot(normal, p) + around + round_off;
}

// [m] How far a point of a body's geoms may go with this, at most.
static double way_of(const dp_body_stand *stand, const dp_twist *V, double seconds)
{
    const double turn = dp_v3_norm(V->w);
    return seconds * (dp_v3_norm(V->v) + (turn > 0.0 ? turn * stand->arm : 0.0));
}

// [m] The same for a change of place: points at a distance r go no further than r times twice the
// change of the quaternion.
static double way_between(const dp_body_stand *stand, const dp_pose *X, const dp_pose *Y)
{
    const dp_quat a = X->q, b = Y->q;
    const double w = a.w - b.w, x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    const double turn = 2.0 * sqrt(w * w + x * x + y * y + z * z);
    return dp_v3_norm(dp_v3_sub(X->p, Y->p)) + (turn > 0.0 ? turn * stand->arm : 0.0);
}

// Does a geom move, or may it do so? Sleepers do not, nor does what is fixed to the world unless it
// is on a mocap body that was moved.
static bool may_move(const dp_data *d, int g)
{
    const dp_model *m = d->model;
    const int body = m->geom[g].body, t = m->body[body].tree;
    if (t >= 0) {
        return !dp_is_asleep(d, t);
    }
    int b = d->sleep.mocap_moved ? body : 0;
    while (b > 0 && m->body[b].mocap < 0) {
        b = m->body[b].parent;
    }
    return b > 0;
}

// A search for contacts, of some geoms or pairs.
typedef struct searching {
    dp_data *d;
    const dp_contact_search *search;
    const dp_twist *V;
    const dp_id_pair *near;
    struct narrow *part; // of the pairs
    int nparts, npair;
    atomic_bool *loose; // a body is not within its box
} searching;

// So many geoms, or pairs of them, take as long as it takes to wake a thread, or longer.
enum { WORTHWHILE = 64 };

// Which bodies have moved, and whose boxes hold.
static dp_status look_at_bodies(void *job, int first, int end)
{
    const searching *s = job;
    const dp_data *d = s->d;
    const dp_twist *V = s->V;
    const double around = 0.5 * s->search->margin, seconds = s->search->seconds;
    bool loose = false;
    for (int b = first; b < end; ++b) {
        dp_body_stand *stand = &d->contacts.stand[b];
        const dp_link *link = &d->kin.link[b];
        stand->moved = !stand->placed || memcmp(&stand->X, &link->X, sizeof link->X) != 0;
        stand->X = link->X;
        stand->placed = true;
        const double now = way_of(stand, &link->V, seconds);
        const double then = V ? way_of(stand, &V[b], seconds) : 0.0;
        const double off = way_between(stand, &stand->X_put, &link->X);
        stand->held = stand->put && off + (now > then ? now : then) + (around - stand->around) <=
                                        0.5 * stand->ease; // the rest is more than round-off
        if (!stand->held) {
            stand->X_put = link->X;
            stand->around = around;
            stand->put = true;
            loose = true;
        }
    }
    if (loose) {
        atomic_store(s->loose, true);
    }
    return DP_OK;
}

static double room_around(const searching *s, int g)
{
    return s->d->model->reach[g] + 0.5 * s->search->margin;
}

// Those of bodies that hardly moved keep their boxes.
static dp_status sweep_geoms(void *job, int first, int end)
{
    const searching *s = job;
    dp_data *d = s->d;
    for (int g = first; g < end; ++g) {
        const dp_contact_geom *geom = &d->contacts.geom[g];
        const dp_body_stand *stand = &d->contacts.stand[geom->body];
        if (!geom->has_shape) {
            continue;
        }
        if (stand->moved) {
            place(d, g);
        }
        if (!stand->held) {
            d->contacts.swept[g] =
                sweep_both(d, s->V, g, room_around(s, g) + stand->ease, s->search->seconds);
        }
    }
    return DP_OK;
}

static dp_status put_geoms(const searching *s)
{
    dp_data *d = s->d;
    const dp_model *m = d->model;
    dp_contacts *c = &d->contacts;
    for (int g = 0; g < m->size.ngeom; ++g) {
        const dp_body_stand *stand = &c->stand[c->geom[g].body];
        if (stand->held || !c->geom[g].has_shape) {
            continue;
        }
        const dp_broad_kind kind = !can_touch(m, g) ? DP_BROAD_QUIET
                                   : is_fixed(m, g) ? DP_BROAD_FIXED
                                                    : DP_BROAD_MOVING;
        if (m->shape[g].kind == DP_PLANE && kind == DP_BROAD_FIXED) {
            DP_TRY(dp_broad_put_plane(&c->broad, g, plane_normal(d, g),
                                      plane_offset(d, g, room_around(s, g) + stand->ease)));
        } else {
            DP_TRY(dp_broad_put(&c->broad, g, kind, c->swept[g]));
        }
    }
    return DP_OK;
}

static dp_status place_all(searching *s)
{
    dp_data *d = s->d;
    atomic_bool loose = false;
    s->loose = &loose;
    dp_status status = dp_crew_spread(d->crew, d->model->size.nbody, WORTHWHILE, look_at_bodies, s);
    status = status != DP_OK
                 ? status
                 : dp_crew_spread(d->crew, d->model->size.ngeom, WORTHWHILE, sweep_geoms, s);
    status = status == DP_OK && loose ? put_geoms(s) : status;
    s->loose = NULL;
    for (int b = 0; status != DP_OK && b < d->model->size.nbody; ++b) { // who knows which
        d->contacts.stand[b].placed = d->contacts.stand[b].put = false;
    }
    return status;
}

dp_status dp_place_geoms(const dp_model *m, dp_data *d)
{
    (void)m;
    DP_TRY(dp_data_check(d));
    dp_data_refresh(d);
    const dp_contact_search here = {0.0, 0.0};
    searching s = {.d = d, .search = &here};
    return place_all(&s);
}

// Contacts

// How a body moves, seen from another one: the same for all geoms of both.
typedef struct passing {
    int body[2]; // −1: none
    dp_twist V;  // at its origin
    double turn; // |ω|
} passing;

static void look_at_passing(passing *p, const dp_data *d, const dp_twist *V, int own, int other)
{
    if (p->body[0] != own || p->body[1] != other) {
        const dp_v3 origin = d->kin.link[own].X.p;
        const dp_twist a = moves(d, V, own, origin), b = moves(d, V, other, origin);
        const dp_twist seen = {dp_v3_sub(a.w, b.w), dp_v3_sub(a.v, b.v)};
        *p = (passing){{own, other}, seen, dp_v3_norm(seen.w)};
    }
}

// How fast a geom may come nearer to another that has no end, at most [m/s]: its own motion, seen
// from the other's body.
static inline double approach_endless(passing *p, const dp_data *d, const dp_twist *V, int g,
                                      int endless)
{
    const dp_contact_geom *geom = d->contacts.geom;
    const int own = geom[g].body;
    look_at_passing(p, d, V, own, geom[endless].body);
    const dp_v3 arm = dp_v3_sub(d->contacts.pose[g].p, d->kin.link[own].X.p);
    return dp_v3_norm(dp_twist_shift(p->V, arm).v) + p->turn * geom[g].radius;
}

// The same for any two geoms.
static inline double approach(passing *p, const dp_data *d, const dp_twist *V, int a, int b)
{
    const dp_contacts *c = &d->contacts;
    if (isinf(c->geom[a].radius)) {
        return approach_endless(p, d, V, b, a);
    }
    if (isinf(c->geom[b].radius)) {
        return approach_endless(p, d, V, a, b);
    }
    const dp_twist A = moves(d, V, d->model->geom[a].body, c->pose[a].p);
    const dp_twist B = moves(d, V, d->model->geom[b].body, c->pose[b].p);
    return dp_v3_norm(dp_v3_sub(B.v, A.v)) + dp_v3_norm(A.w) * c->geom[a].radius +
           dp_v3_norm(B.w) * c->geom[b].radius;
}

static void sort_by_feature(dp_contact_point *point, int n)
{
    for (int i = 1; i < n; ++i) {
        const dp_contact_point one = point[i];
        int at = i;
        for (; at > 0 && point[at - 1].feature > one.feature; --at) {
            point[at] = point[at - 1];
        }
        point[at] = one;
    }
}

// The points of one pair, behind those that are there. When there is no room they are counted: the
// list is filled anew from its beginning, since it will be of no use.
static dp_status look_at(dp_data *d, dp_contact_buffer *buffer, long long *needed,
                         const dp_contact_pair *pair)
{
    dp_contacts *c = &d->contacts;
    const int before = buffer->count;
    const dp_placed *a = &c->placed[pair->geom[0]], *b = &c->placed[pair->geom[1]];
    dp_status status = dp_pair_contacts(buffer, a, b, pair->margin, NULL);
    if (status == DP_ERROR_CAPACITY && before > 0) {
        buffer->count = 0;
        *needed += before;
        status = dp_pair_contacts(buffer, a, b, pair->margin, NULL);
    }
    if (status == DP_ERROR_CAPACITY) { // one pair alone has more
        *needed += buffer->capacity + 1LL;
        return DP_OK;
    }
    return status;
}

// What is found of a run of pairs, in a part of the list that begins at `begin`. Pairs are counted
// from there.
typedef struct narrow {
    int begin;
    dp_contact_buffer buffer;
    int npair;
    long long beyond; // points that were counted and not kept
} narrow;

// The bounds of a geom within the search, as the broad phase would have them without ease.
static dp_bounds bounds_of(const searching *s, int g)
{
    return sweep_both(s->d, s->V, g, room_around(s, g), s->search->seconds);
}

// Do the boxes of two geoms meet that are apart by `gap`? Those of the broad phase are wider, by
// as much as their bodies have moved; what is found must not depend on that.
static bool truly_meet(const searching *s, int a, int b, double gap)
{
    const dp_data *d = s->d;
    const dp_model *m = d->model;
    if (gap <= m->reach[a] + m->reach[b] + s->search->margin) {
        return true;
    }
    for (int k = 0; k < 2; ++k) {
        const int one = k ? b : a, other = k ? a : b;
        if (m->shape[one].kind == DP_PLANE && is_fixed(m, one)) {
            const dp_bounds box = bounds_of(s, other);
            return dp_plane_meets(plane_normal(d, one), plane_offset(d, one, room_around(s, one)),
                                  &box);
        }
    }
    const dp_bounds box[2] = {bounds_of(s, a), bounds_of(s, b)};
    const dp_sides sides[2] = {dp_sides_of(&box[0]), dp_sides_of(&box[1])};
    return dp_sides_overlap(&sides[0], &sides[1]);
}

static double least_gap(const dp_contact_point *point, int n)
{
    double least = INFINITY;
    for (int i = 0; i < n; ++i) {
        least = point[i].gap < least ? point[i].gap : least;
    }
    return least;
}

// The points of a pair, from `before` on.
static inline void note_pair(narrow *out, const dp_contact_list *list, const dp_contact_pair *pair,
                             int before)
{
    for (int i = before; i < out->buffer.count; ++i) {
        list->owner[out->begin + i] = out->npair;
    }
    dp_contact_pair *to = &list->pair[out->begin + out->npair++];
    to->geom[0] = pair->geom[0];
    to->geom[1] = pair->geom[1];
    to->margin = pair->margin;
}

// A ball on a plane, of which a body may have many. @return false: it is a pair like any other
static inline bool look_at_ball(narrow *out, const searching *s, const dp_contact_pair *pair)
{
    const dp_model *m = s->d->model;
    const dp_contacts *c = &s->d->contacts;
    const int a = pair->geom[0], b = pair->geom[1];
    dp_contact_buffer *buffer = &out->buffer;
    if (c->geom[a].kind != DP_PLANE || c->geom[b].kind != DP_SPHERE ||
        buffer->count == buffer->capacity || out->beyond > 0) {
        return false;
    }
    const dp_placed *plane = &c->placed[a], *ball = &c->placed[b];
    dp_contact_point *point = &buffer->point[buffer->count];
    if (!dp_plane_sphere_point(point, dp_m3_column(&plane->R, 2), plane->p, ball->p,
                               c->geom[b].radius, pair->margin)) {
        return true;
    }
    if (!(point->gap <= m->reach[a] + m->reach[b] + s->search->margin)) {
        return false; // do they truly meet?
    }
    note_pair(out, &c->next, pair, buffer->count++);
    return true;
}

// dp_pair_margin, soon said where no pairs were given.
static inline double margin_of(const dp_data *d, int a, int b)
{
    if (d->model->given.count > 0) {
        return dp_pair_margin(d->model, a, b);
    }
    const double margin = d->contacts.geom[a].margin + d->contacts.geom[b].margin;
    return margin > 0.0 ? margin : 0.0;
}

static dp_status look_at_run(narrow *out, const searching *s, int first, int end)
{
    dp_data *d = s->d;
    dp_contacts *c = &d->contacts;
    const dp_contact_search *search = s->search;
    dp_contact_buffer *const buffer = &out->buffer;
    passing as_now = {{-1, -1}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, 0.0}, as_told = as_now;
    for (int k = first; k < end; ++k) {
        const int a = s->near[k].a, b = s->near[k].b;
        if (d->sleep.count > 0 && !may_move(d, a) && !may_move(d, b)) {
            continue;
        }
        if (c->filter && !c->filter(c->filter_context, d, (dp_geom_id){a}, (dp_geom_id){b})) {
            continue;
        }
        dp_contact_pair pair = {{a, b}, margin_of(d, a, b) + search->margin};
        if (search->seconds > 0.0) {
            const double now = approach(&as_now, d, NULL, a, b);
            const double then = s->V ? approach(&as_told, d, s->V, a, b) : 0.0;
            pair.margin += search->seconds * (now > then ? now : then);
        }
        if (look_at_ball(out, s, &pair)) {
            continue;
        }
        const int before = buffer->count;
        DP_TRY(look_at(d, buffer, &out->beyond, &pair));
        if (out->beyond == 0 && buffer->count > before &&
            !truly_meet(s, a, b, least_gap(buffer->point + before, buffer->count - before))) {
            buffer->count = before;
        }
        if (out->beyond == 0 && buffer->count > before) {
            sort_by_feature(buffer->point + before, buffer->count - before);
            note_pair(out, &c->next, &pair, before);
        }
    }
    return DP_OK;
}

// Where a share of `count` begins.
static int begin_of(int part, int nparts, int count)
{
    return (int)((long long)count * part / nparts);
}

static narrow room_of(const dp_contacts *c, int part, int nparts)
{
    const int begin = begin_of(part, nparts, c->npoint);
    return (narrow){.begin = begin,
                    .buffer = {.point = c->next.point + begin,
                               .capacity = begin_of(part + 1, nparts, c->npoint) - begin}};
}

static dp_status look_at_part(void *job, int part, int hand)
{
    (void)hand;
    const searching *s = job;
    narrow found = room_of(&s->d->contacts, part, s->nparts);
    DP_TRY(look_at_run(&found, s, begin_of(part, s->nparts, s->npair),
                       begin_of(part + 1, s->nparts, s->npair)));
    s->part[part] = found;
    return DP_OK;
}

// Put the next part behind those before it. Points stay where they are.
static void append_part(narrow *all, const dp_contact_list *list, const narrow *part)
{
    const size_t npair = (size_t)part->npair;
    const int to = all->buffer.count, from = part->begin;
    memmove(list->pair + all->npair, list->pair + from, npair * sizeof *list->pair);
    for (int i = 0; i < part->buffer.count; ++i) {
        list->place[to + i] = from + i;
        list->owner[to + i] = list->owner[from + i] + all->npair;
    }
    all->buffer.count += part->buffer.count;
    all->npair += part->npair;
    if (part->buffer.outcome > all->buffer.outcome) {
        all->buffer.outcome = part->buffer.outcome;
    }
}

// All pairs at once, each part in a share of the room. @return whether they had enough of it
static bool look_together(dp_status *status, narrow *all, const searching *search)
{
    const dp_contacts *c = &search->d->contacts;
    dp_crew *crew = search->d->crew;
    narrow part[DP_CREW_ORDERED];
    int key[DP_CREW_ORDERED];
    searching s = *search;
    s.part = part;
    s.nparts = dp_crew_parts(s.npair / WORTHWHILE);
    if (dp_crew_size(crew) == 1 || s.nparts < 2 || c->filter) { // which is the user's
        return false;
    }
    for (int i = 0; i < s.nparts; ++i) {
        key[i] = s.near[begin_of(i, s.nparts, s.npair)].b; // the first may be that of a floor
    }
    *status = dp_crew_run_by(crew, s.nparts, key, look_at_part, &s);
    for (int i = 0; *status == DP_OK && i < s.nparts; ++i) {
        if (part[i].beyond > 0) {
            return false;
        }
        append_part(all, &c->next, &part[i]);
    }
    return true;
}

static dp_status look_at_all(const searching *s)
{
    dp_contacts *c = &s->d->contacts;
    dp_contact_list *list = &c->next;
    narrow all = room_of(c, 0, 1);
    dp_status status = DP_OK;
    if (!look_together(&status, &all, s)) {
        all = room_of(c, 0, 1);
        status = look_at_run(&all, s, 0, s->npair);
        for (int i = 0; i < all.buffer.count; ++i) {
            list->place[i] = i;
        }
    }
    DP_TRY(status);
    const long long needed = all.beyond + all.buffer.count;
    c->needed_points = needed > INT_MAX ? INT_MAX : (int)needed;
    if (all.beyond > 0) {
        return dp_fail(DP_ERROR_CAPACITY,
                       "%lld contact points and room for %d (needed: dp_data_reserve_contacts with "
                       "%d pairs and %lld points)",
                       needed, c->npoint, c->needed_pairs, needed);
    }
    list->npair = all.npair;
    list->npoint = all.buffer.count;
    list->outcome = all.buffer.outcome;
    return DP_OK;
}

static dp_status check_search(const dp_contact_search *search)
{
    if (!(search->margin >= 0.0) || !isfinite(search->margin)) {
        return dp_fail(DP_ERROR_ARGUMENT, "the margin is %g m (expected a number ≥ 0)",
                       search->margin);
    }
    if (!(search->seconds >= 0.0) || !isfinite(search->seconds)) {
        return dp_fail(DP_ERROR_ARGUMENT, "contacts within %g s (expected a number ≥ 0)",
                       search->seconds);
    }
    return DP_OK;
}

dp_status dp_contacts_find(dp_data *d, const dp_contact_search *search, const dp_twist *V)
{
    dp_contacts *c = &d->contacts;
    searching s = {.d = d, .search = search, .V = V};
    DP_TRY(place_all(&s));
    c->needed_pairs = c->needed_points = 0;
    if (!d->options.disable_contact) {
        DP_TRY(dp_broad_pairs(&s.near, &c->needed_pairs, &c->broad));
    }
    s.npair = c->needed_pairs;
    DP_TRY(look_at_all(&s));
    const dp_contact_list before = c->now;
    c->now = c->next;
    c->next = before;
    return DP_OK;
}

dp_status dp_find_contacts(const dp_model *m, dp_data *d, const dp_contact_search *search)
{
    (void)m;
    const dp_contact_search now = {0.0, 0.0};
    search = search ? search : &now;
    DP_TRY(check_search(search));
    DP_TRY(dp_data_check(d));
    dp_data_refresh(d);
    d->sleep.ignored = true; // they touch, too
    const dp_status status = dp_contacts_find(d, search, NULL);
    d->sleep.ignored = false;
    return status;
}

// Where geoms go with V, and whether one strays.
typedef struct straying {
    const dp_data *d;
    const dp_twist *V;
    double seconds, room;
    atomic_bool any;
} straying;

static dp_status look_for_strays(void *job, int first, int end)
{
    straying *s = job;
    const dp_data *d = s->d;
    const dp_model *m = d->model;
    const dp_twist *V = s->V;
    for (int g = first; g < end; ++g) {
        const dp_contacts *c = &d->contacts;
        const int b = m->geom[g].body;
        if (m->body[b].tree < 0 || !dp_has_shape(m, g) || !can_touch(m, g)) {
            continue;
        }
        const dp_link *link = &d->kin.link[b];
        const dp_twist change = {dp_v3_sub(V[b].w, link->V.w), dp_v3_sub(V[b].v, link->V.v)};
        const dp_v3 way = dp_twist_shift(change, dp_v3_sub(c->pose[g].p, link->X.p)).v;
        const double turn = dp_v3_norm(change.w);
        const double off =
            dp_v3_norm(way) + (turn > 0.0 ? turn * c->geom[g].radius : 0.0); // planes are endless
        if (s->seconds * off > s->room) {
            atomic_store(&s->any, true);
            break;
        }
    }
    return DP_OK;
}

bool dp_bodies_may_stray(const dp_data *d, const dp_twist *V, double seconds, double room,
                         int first, int end)
{
    const dp_model *m = d->model;
    bool may = false;
    for (int b = first; b < end && !may; ++b) {
        const dp_body_stand *stand = &d->contacts.stand[b];
        const dp_twist now = d->kin.link[b].V;
        const dp_twist change = {dp_v3_sub(V[b].w, now.w), dp_v3_sub(V[b].v, now.v)};
        may = m->body[b].tree >= 0 && stand->touches && !(way_of(stand, &change, seconds) <= room);
    }
    return may;
}

bool dp_contacts_stray(const dp_data *d, const dp_twist *V, double seconds, double room)
{
    straying s = {.d = d, .V = V, .seconds = seconds, .room = room};
    const dp_status status =
        dp_crew_spread(d->crew, d->model->size.ngeom, 2 * WORTHWHILE, look_for_strays, &s);
    return status == DP_OK && s.any; // it cannot fail
}

int dp_data_contact_count(const dp_data *d)
{
    return d->contacts.now.npoint;
}

dp_query_outcome dp_data_contact_outcome(const dp_data *d)
{
    return d->contacts.now.outcome;
}

dp_contact dp_data_contact(const dp_data *d, int index)
{
    const dp_model *m = d->model;
    const dp_contact_list *list = &d->contacts.now;
    if (index < 0 || index >= list->npoint) {
        return (dp_contact){.geom = {{-1}, {-1}}, .body = {{-1}, {-1}}, .pair = {-1}};
    }
    const dp_contact_pair *pair = &list->pair[list->owner[index]];
    const int a = pair->geom[0], b = pair->geom[1];
    return (dp_contact){.geom = {{a}, {b}},
                        .body = {{m->geom[a].body}, {m->geom[b].body}},
                        .pair = {dp_pair_map_find(&m->given, a, b)},
                        .margin = pair->margin,
                        .at = list->point[list->place[index]]};
}
