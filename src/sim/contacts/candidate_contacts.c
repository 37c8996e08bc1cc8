// Points that may touch within a step: those that bodies come to as they move now, and those that
// they come to when blows send them elsewhere.
#include "math/angle.h"
#include "sim/parallel_for.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// How far bodies fall in the step, which their velocities do not yet know [m].
static double fall_of(const dp_data *d, double h)
{
    const dp_options *o = &d->options;
    return o->disable_gravity ? 0.0 : h * h * dp_v3_norm(o->gravity);
}

// How far a contact that slides pushes, if the law lets it lift off: no more than this [m].
static double lift_of(const dp_data *d, double h, const dp_twist *V)
{
    const dp_model *m = d->model;
    const double *most = m->most_friction;
    double lift = 0.0;
    if (!dp_law_has(&d->options.solver, DP_LAW_TRAIT_LIFTS_OFF)) {
        return 0.0;
    }
    for (int b = 0; b < m->size.nbody; ++b) {
        const double arm = d->contacts.stand[b].arm;
        for (int k = 0; k < (V ? 2 : 1); ++k) {
            const dp_twist own = k ? V[b] : d->kin.link[b].V;
            const double turn = dp_v3_norm(own.w), by = isfinite(arm) ? turn * arm : 0.0;
            lift = fmax(lift, most[0] * (dp_v3_norm(own.v) + by) + (most[1] + most[2]) * turn);
        }
    }
    return 2.0 * h * (lift + most[0] * m->fastest_belt); // either of both may move
}

// Faces at rest on each other touch at all their corners, though some are round-off apart.
static dp_contact_search search_of(const dp_data *d, double h, const dp_twist *V)
{
    const double margin = 2.0 * fall_of(d, h) + lift_of(d, h, V) + d->options.gap_tolerance;
    return (dp_contact_search){.margin = margin, .seconds = h};
}

// The points that may touch within the step: bodies move as they do now, and fall.
// @param V or as this says; NULL: not
static dp_status search_touching(dp_data *d, double h, const dp_twist *V)
{
    dp_constrained *c = &d->rows;
    const dp_contact_search search = search_of(d, h, V);
    if (d->callbacks.control || d->callbacks.force) { // what they leave is not known to be sound
        DP_TRY(dp_data_check(d));
        dp_data_refresh(d);
    }
    dp_status status;
    do {
        status = dp_contacts_find(d, &search, V);
    } while (status == DP_OK && dp_sleep_check_contacts(d));
    c->candidates.no_room = status == DP_ERROR_CAPACITY;
    return status;
}

static bool has_contacts(const dp_data *d)
{
    return d->rows.most.ncontact > 0 && !d->options.disable_contact;
}

static dp_status make_room_for(dp_constrained *c, int count)
{
    c->candidates.no_room = count > c->most.ncontact;
    c->candidates.wanted = count;
    if (c->candidates.no_room) {
        return dp_fail(DP_ERROR_CAPACITY, "%d contact points and room for %d", count,
                       c->most.ncontact);
    }
    return DP_OK;
}

// Point number i of those that were found.
static void take_point(dp_touching *out, const dp_data *d, int i)
{
    const dp_contact_list *list = &d->contacts.now;
    const int *geom = list->pair[list->owner[i]].geom;
    out->geom[0] = geom[0];
    out->geom[1] = geom[1];
    out->body[0] = d->contacts.geom[geom[0]].body;
    out->body[1] = d->contacts.geom[geom[1]].body;
    out->pair = dp_pair_map_find(&d->model->given, geom[0], geom[1]);
    out->dropped = false;
    out->at = list->point[i];
}

// Points of whole pairs: those of a pair belong to the run in which its first one is.
static dp_status take_points(void *job, int first, int end)
{
    dp_data *d = job;
    const dp_contact_list *list = &d->contacts.now;
    while (first > 0 && first < end && list->owner[first] == list->owner[first - 1]) {
        ++first;
    }
    while (end > first && end < list->npoint && list->owner[end] == list->owner[end - 1]) {
        ++end;
    }
    for (int i = first; i < end; ++i) {
        take_point(&d->rows.candidates.point[i], d, i);
    }
    dp_touching_order(d->rows.candidates.point + first, end - first);
    return DP_OK;
}

// The other geom may be a floor.
static int key_of(const void *job, int i)
{
    const dp_data *d = job;
    const dp_contact_list *list = &d->contacts.now;
    return list->pair[list->owner[i]].geom[1];
}

// So many points take as long as it takes to wake a thread, or longer.
enum { WORTHWHILE = 64 };

// How a body that no joint moves goes to where expressions put it at the end of the step.
static dp_twist fixed_velocity(const dp_data *d, int b, double h)
{
    if (!d->model->moves_mocap) {
        return d->kin.link[b].V;
    }
    const dp_pose from = d->kin.link[b].X, to = d->kin_end.link[b].X;
    const dp_v3 turn = dp_quat_log(dp_quat_mul(to.q, dp_quat_conjugate(from.q)));
    return (dp_twist){dp_v3_scale(turn, 1.0 / h), dp_v3_scale(dp_v3_sub(to.p, from.p), 1.0 / h)};
}

// As bodies move now, and as expressions move mocap bodies. NULL: none does
static const dp_twist *moved_velocities(dp_data *d, double h)
{
    const dp_model *m = d->model;
    dp_twist *V = d->scratch.twist;
    for (int b = 0; m->moves_mocap && b < m->size.nbody; ++b) {
        V[b] = m->body[b].tree < 0 ? fixed_velocity(d, b, h) : d->kin.link[b].V;
    }
    return m->moves_mocap ? V : NULL;
}

dp_status dp_candidates_find(dp_data *d, double h)
{
    dp_constrained *c = &d->rows;
    c->candidates.count = c->candidates.dropped = 0;
    c->candidates.judged = c->again = false;
    if (!has_contacts(d)) {
        return DP_OK;
    }
    DP_TRY(search_touching(d, h, moved_velocities(d, h)));
    const int count = dp_data_found_contact_count(d);
    DP_TRY(make_room_for(c, count));
    DP_TRY(dp_thread_pool_spread_by(d->workers, count, WORTHWHILE, key_of, take_points, d));
    c->candidates.count = count;
    return DP_OK;
}

static int compare_pairs(const dp_touching *a, const dp_contact_pair *b)
{
    const int by_first = a->geom[0] - b->geom[0];
    return by_first != 0 ? by_first : a->geom[1] - b->geom[1];
}

// The points of a pair among the candidates, [at, at + before), become those of the list from
// `first` on.
static dp_status replace_pair(dp_data *d, int at, int before, int first, int n)
{
    dp_constrained *c = &d->rows;
    dp_touching *point = c->candidates.point + at;
    DP_TRY(make_room_for(c, c->candidates.count + n - before));
    memmove(point + n, point + before, (size_t)(c->candidates.count - at - before) * sizeof *point);
    for (int i = 0; i < n; ++i) {
        take_point(&point[i], d, first + i);
    }
    dp_touching_order(point, n);
    c->candidates.count += n - before;
    return DP_OK;
}

// Where bodies go by the end of the step, and whether one may go elsewhere than was thought.
typedef struct leaving {
    const dp_data *d;
    dp_twist *V;
    const double *v;
    double seconds, room;
    atomic_bool any;
} leaving;

static dp_status look_at_leaving(void *job, int first, int end)
{
    leaving *s = job;
    const dp_data *d = s->d;
    const dp_model *m = d->model;
    const dp_trees part = dp_trees_of(m, first, end);
    dp_kin_velocities_part(s->V, &d->kin, m, s->v, part.first_body, part.end_body);
    for (int b = part.first_body; b < part.end_body; ++b) {
        if (m->body[b].tree < 0) {
            s->V[b] = fixed_velocity(d, b, s->seconds);
        }
    }
    if (dp_bodies_may_stray(d, s->V, s->seconds, s->room, part.first_body, part.end_body)) {
        atomic_store(&s->any, true);
    }
    return DP_OK;
}

static bool is_among(const dp_touching *point, int n, uint64_t feature)
{
    int i = 0;
    while (i < n && point[i].at.feature != feature) {
        ++i;
    }
    return i < n;
}

// Would a point of the list from `first` on overlap at the end, that is not among the candidates?
static bool meets_more(const dp_data *d, const dp_touching *point, int before, int first, int n,
                       const leaving *left)
{
    const dp_contact_list *list = &d->contacts.now;
    const int *geom = list->pair[list->owner[first]].geom;
    for (int i = first; i < first + n; ++i) {
        if (!is_among(point, before, list->point[i].feature) &&
            dp_gap_after(d, &list->point[i], geom, left->V, left->seconds) <
                -d->options.gap_tolerance) {
            return true;
        }
    }
    return false;
}

// Pairs that would overlap at points that are no candidates. Those that pass each other by are left
// to false_contacts.c.
static dp_status add_pairs(int *more, dp_data *d, const leaving *left)
{
    const dp_contact_list *list = &d->contacts.now;
    dp_candidates *c = &d->rows.candidates;
    for (int first = 0, n, at = 0; first < list->npoint; first += n) {
        const dp_contact_pair *pair = &list->pair[list->owner[first]];
        int before = 0;
        for (n = 1; first + n < list->npoint && list->owner[first + n] == list->owner[first];) {
            ++n;
        }
        while (at < c->count && compare_pairs(&c->point[at], pair) < 0) {
            ++at;
        }
        while (at + before < c->count && compare_pairs(&c->point[at + before], pair) == 0) {
            ++before;
        }
        const bool dropped = before > 0 && c->point[at].dropped;
        if (!dropped && meets_more(d, c->point + at, before, first, n, left)) {
            DP_TRY(replace_pair(d, at, before, first, n));
            *more += n;
        }
    }
    return DP_OK;
}

// Blows change where bodies go: what is stopped is met by what follows it, what is pushed meets
// what lies ahead, what is tilted comes down on another corner. Pairs that would overlap at the end
// of the step, at points that nobody looked at, are taken in with all their points. Each round can
// bring some more, so a blow that runs through a row takes one for each; those that are left after
// the last round meet in the next step, which finds an overlap.
dp_status dp_contacts_add(int *more, dp_data *d, const dp_attempt *s)
{
    const double h = s->h, known = fall_of(d, h) * (1.0 + 1e-9) + d->options.gap_tolerance;
    *more = 0;
    if (!has_contacts(d)) {
        return DP_OK;
    }
    dp_stage_enter(&d->stopwatch, DP_STAGE_CONTACTS);
    dp_twist *V = d->scratch.twist;
    V[0] = fixed_velocity(d, 0, h);
    leaving left = {.d = d, .V = V, .v = s->v, .seconds = h, .room = known};
    dp_spread_trees(d, look_at_leaving, &left);
    if (!left.any) {
        return DP_OK;
    }
    const int asleep = d->sleep.count;
    d->contacts.again = true;
    const dp_status status = search_touching(d, h, V);
    d->contacts.again = false;
    DP_TRY(status);
    if (d->sleep.count < asleep) { // it goes on with those that have woken
        DP_TRY(dp_candidates_find(d, h));
        *more = 1;
        return DP_OK;
    }
    return add_pairs(more, d, &left);
}
