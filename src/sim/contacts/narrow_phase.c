// The points of pairs that are near each other.
#include "base/interrupt.h"
#include "collide/pair.h"
#include "sim/contacts/contact_search.h"

#include <limits.h>
#include <string.h>

// [m/s] How fast a geom may come nearer to another that has no end: its own motion, seen from the
// other's body.
static double approach_endless(const dp_data *d, const dp_twist *V, int g, int endless)
{
    const dp_contact_geom *geom = d->contacts.geom;
    const int own = geom[g].body;
    const dp_v3 origin = d->kin.link[own].X.p, arm = dp_v3_sub(d->contacts.placed[g].p, origin);
    const dp_twist a = dp_body_moves(d, V, own, origin);
    const dp_twist b = dp_body_moves(d, V, geom[endless].body, origin);
    const dp_twist seen = {dp_v3_sub(a.w, b.w), dp_v3_sub(a.v, b.v)};
    return dp_v3_norm(dp_twist_shift(seen, arm).v) + dp_v3_norm(seen.w) * geom[g].radius;
}

// [m/s] The same for any two geoms: their centres, and the rims of balls around these that hold
// them.
static double approach(const dp_data *d, const dp_twist *V, int a, int b)
{
    const dp_contact_geom *geom = d->contacts.geom;
    if (isinf(geom[a].radius)) {
        return approach_endless(d, V, b, a);
    }
    if (isinf(geom[b].radius)) {
        return approach_endless(d, V, a, b);
    }
    const dp_twist one = dp_body_moves(d, V, geom[a].body, d->contacts.placed[a].p);
    const dp_twist two = dp_body_moves(d, V, geom[b].body, d->contacts.placed[b].p);
    return dp_v3_norm(dp_v3_sub(two.v, one.v)) + dp_v3_norm(one.w) * geom[a].radius +
           dp_v3_norm(two.w) * geom[b].radius;
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

// What is found of a run of pairs, in a part of the list that begins at `begin`. Pairs are counted
// from there.
typedef struct narrow {
    int begin;
    dp_contact_buffer buffer;
    int npair;
    long long beyond; // points that were counted and not kept
} narrow;

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

// Points are looked for up to this gap: what two geoms may close within the search, whichever way
// bodies go.
static double search_margin(const dp_searching *s, int a, int b)
{
    const dp_contact_search *search = s->search;
    double margin = dp_pair_margin(s->d->model, a, b) + search->margin;
    if (search->seconds > 0.0) {
        const double now = approach(s->d, NULL, a, b);
        const double then = s->V ? approach(s->d, s->V, a, b) : 0.0;
        margin += search->seconds * (now > then ? now : then);
    }
    return margin;
}

// The first point of a pair in a list; npoint: it has none. Pairs and points ascend.
static int first_point_of(const dp_contact_list *list, int a, int b)
{
    int low = 0, high = list->npoint;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int *geom = list->pair[list->owner[middle]].geom;
        if (geom[0] < a || (geom[0] == a && geom[1] < b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const int *geom = low < list->npoint ? list->pair[list->owner[low]].geom : NULL;
    return geom && geom[0] == a && geom[1] == b ? low : list->npoint;
}

// May a point beyond the margin that a pair was looked at with overlap if bodies go as s->V says?
static bool may_reach_more(const dp_searching *s, const dp_contact_pair *pair)
{
    return s->V &&
           s->search->seconds * approach(s->d, s->V, pair->geom[0], pair->geom[1]) > pair->margin;
}

// Points that are known stay: bodies are where they were. @return whether there were any, and no
// others may be met
static bool take_known(narrow *out, const dp_searching *s, int a, int b)
{
    const dp_contact_list *list = s->known;
    const int first = list ? first_point_of(list, a, b) : 0;
    int end = first;
    while (list && end < list->npoint && list->owner[end] == list->owner[first]) {
        ++end;
    }
    const int n = end - first;
    if (n == 0 || may_reach_more(s, &list->pair[list->owner[first]])) {
        return false;
    }
    if (out->beyond > 0 || out->buffer.count + n > out->buffer.capacity) {
        out->beyond += n;
        return true;
    }
    const int before = out->buffer.count;
    memcpy(out->buffer.point + before, list->point + first, (size_t)n * sizeof *list->point);
    out->buffer.count += n;
    note_pair(out, &s->d->contacts.next, &list->pair[list->owner[first]], before);
    return true;
}

// Pairs between two polls, and what one takes at the least [multiplications].
enum { POLL = 32, PAIR_WORK = 200 };

static dp_status look_at_run(narrow *out, const dp_searching *s, int first, int end)
{
    dp_data *d = s->d;
    dp_contacts *c = &d->contacts;
    dp_contact_buffer *const buffer = &out->buffer;
    for (int k = first; k < end; ++k) {
        if ((unsigned)k % POLL == POLL - 1) {
            DP_TRY(dp_interrupt_check(POLL * PAIR_WORK));
        }
        const int a = s->near[k].a, b = s->near[k].b;
        if (d->sleep.count > 0 && !may_move(d, a) && !may_move(d, b)) {
            continue;
        }
        if (c->filter && !c->filter(c->filter_context, d, (dp_geom_id){a}, (dp_geom_id){b})) {
            continue;
        }
        if (take_known(out, s, a, b)) {
            continue;
        }
        const dp_contact_pair pair = {{a, b}, search_margin(s, a, b)};
        const int before = buffer->count;
        DP_TRY(look_at(d, buffer, &out->beyond, &pair));
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

static narrow room_of(const dp_data *d, int part, int nparts)
{
    const dp_contacts *c = &d->contacts;
    const int begin = begin_of(part, nparts, c->npoint);
    return (narrow){.begin = begin,
                    .buffer = {.point = c->next.point + begin,
                               .capacity = begin_of(part + 1, nparts, c->npoint) - begin,
                               .patch_points = d->options.patch_points}};
}

static dp_status look_at_part(void *job, int part, int hand)
{
    (void)hand;
    const dp_searching *s = job;
    narrow found = room_of(s->d, part, s->nparts);
    DP_TRY(look_at_run(&found, s, begin_of(part, s->nparts, s->npair),
                       begin_of(part + 1, s->nparts, s->npair)));
    s->part[part] = found;
    return DP_OK;
}

// Put the next part behind those before it.
static void append_part(narrow *all, const dp_contact_list *list, const narrow *part)
{
    const size_t npair = (size_t)part->npair, npoint = (size_t)part->buffer.count;
    const int to = all->buffer.count, from = part->begin;
    if (npoint > 0) { // else there may be no list
        memmove(list->pair + all->npair, list->pair + from, npair * sizeof *list->pair);
        memmove(list->point + to, list->point + from, npoint * sizeof *list->point);
    }
    for (int i = 0; i < part->buffer.count; ++i) {
        list->owner[to + i] = list->owner[from + i] + all->npair;
    }
    all->buffer.count += part->buffer.count;
    all->npair += part->npair;
    all->beyond += part->beyond;
    if (part->buffer.outcome > all->buffer.outcome) {
        all->buffer.outcome = part->buffer.outcome;
    }
}

// In parts, each with a share of the room; all at once where one had too little of it.
dp_status dp_pairs_look(const dp_searching *search)
{
    dp_contacts *c = &search->d->contacts;
    dp_contact_list *list = &c->next;
    narrow part[DP_CREW_ORDERED], all;
    int key[DP_CREW_ORDERED] = {0};
    dp_searching s = *search;
    dp_thread_pool *workers = c->filter ? NULL : s.d->workers; // filters are the user's
    s.part = part;
    s.nparts =
        dp_thread_pool_size(workers) == 1 ? 1 : dp_thread_pool_parts(s.npair / DP_GEOMS_WORTHWHILE);
    for (bool again = true; again; s.nparts = 1) {
        for (int i = 0; s.nparts > 1 && i < s.nparts; ++i) {
            key[i] = s.near[begin_of(i, s.nparts, s.npair)].b; // the first may be that of a floor
        }
        DP_TRY(
            dp_thread_pool_run_by(s.nparts > 1 ? workers : NULL, s.nparts, key, look_at_part, &s));
        all = (narrow){.begin = 0};
        for (int i = 0; i < s.nparts; ++i) {
            append_part(&all, list, &part[i]);
        }
        again = all.beyond > 0 && s.nparts > 1;
    }
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

double dp_gap_after(const dp_data *d, const dp_contact_point *at, const int geom[2],
                    const dp_twist *V, double seconds)
{
    dp_v3 u[2];
    for (int k = 0; k < 2; ++k) {
        u[k] = dp_body_moves(d, V, d->contacts.geom[geom[k]].body, at->point).v;
    }
    return at->gap + seconds * dp_v3_dot(at->normal, dp_v3_sub(u[1], u[0]));
}
