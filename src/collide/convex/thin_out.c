// Fewer corners of a patch: those that are needed to carry what rests on it.
//
// The corner whose absence takes the least area away goes first, as long as what is left has its
// share of the area. Its weight goes to its two neighbours, by its place along the line between
// them, or with hulls also to a corner across, in its affine coordinates: the weights then have the
// same sum and the same centroid, so that under a gap that is linear over the patch, as it is
// between two faces, the force is the same as with all corners (and, under an even gap, the
// moment). A corner whose gap is not that of its heirs at its place, as on hulls that show several
// faces, stays as long as there is room.
#include "base/error.h"
#include "collide/convex/outline.h"

#include <math.h>

// Of the lengths: heights that differ by less are the same.
#define LEVEL 0x1p-36

// Areas, relative to each other, that differ by less count as equal.
#define ALIKE 1e-6

// Of the depth: a gap that is off by less is linear.
#define BENT 0.05

// The corners that are left, as a ring, and what each takes away with it: twice the area between it
// and its neighbours, 0 where it is within the polygon of the others, ∞ for what is left out
// already or must stay.
typedef struct ring {
    dp_patch *patch;
    double turn; // −1: clockwise
    int deepest; // it stays. −1: all are as deep
    int count;
    int next[DP_PATCH_ROOM], last[DP_PATCH_ROOM]; // −1: left out
    double loss[DP_PATCH_ROOM];
} ring;

// Twice the area between a, c and b, positive where c is outside of the side from a to b.
static double area_at(const dp_corner *a, const dp_corner *c, const dp_corner *b)
{
    return (c->x - a->x) * (b->y - a->y) - (c->y - a->y) * (b->x - a->x);
}

static void measure(ring *r, int i)
{
    const dp_corner *c = r->patch->corner;
    const double area = r->turn * area_at(&c[r->last[i]], &c[i], &c[r->next[i]]);
    r->loss[i] = i == r->deepest ? (double)INFINITY : area > 0.0 ? area : 0.0;
}

// The deepest corner; −1: all are as deep, and round-off must not choose.
static int find_deepest(const dp_patch *p)
{
    int deepest = 0, highest = 0;
    for (int i = 1; i < p->count; ++i) {
        deepest = p->corner[i].gap < p->corner[deepest].gap ? i : deepest;
        highest = p->corner[i].gap > p->corner[highest].gap ? i : highest;
    }
    return p->corner[highest].gap - p->corner[deepest].gap <= LEVEL * p->size ? -1 : deepest;
}

// *whole: twice its area; *squares: of its sides.
static void begin(ring *r, double *whole, double *squares)
{
    const dp_patch *p = r->patch;
    *whole = *squares = 0.0;
    for (int i = 0; i < p->count; ++i) {
        const dp_corner *o = &p->corner[0], *c = &p->corner[i];
        const dp_corner *d = &p->corner[i + 1 < p->count ? i + 1 : 0];
        *whole += area_at(o, c, d);
        *squares += dp_square(d->x - c->x) + dp_square(d->y - c->y);
    }
    r->turn = *whole < 0.0 ? -1.0 : 1.0;
    r->count = p->count;
    r->deepest = find_deepest(p);
    *whole = fabs(*whole);
    for (int i = 0; i < p->count; ++i) {
        r->next[i] = (i + 1 < p->count ? i + 1 : 0);
        r->last[i] = (i > 0 ? i - 1 : p->count - 1);
    }
    for (int i = 0; i < p->count; ++i) {
        measure(r, i);
    }
}

// The first of those that take the least away.
static int find_least(const ring *r)
{
    int least = 0;
    double loss = INFINITY, less = INFINITY;
    for (int i = 0; i < r->patch->count; ++i) {
        if (r->loss[i] < less) {
            least = i;
            loss = r->loss[i];
            less = loss * (1.0 - ALIKE);
        }
    }
    return least;
}

// One that is left, about half-way around from corner i and none of its neighbours; −1: there is
// none.
static int find_across(const ring *r, int i)
{
    const int count = r->patch->count;
    for (int k = 0; k < count; ++k) {
        const int step = k % 2 == 0 ? k / 2 : -(k + 1) / 2;
        const int at = (i + count / 2 + step + count) % count;
        if (r->next[at] >= 0 && at != i && at != r->next[i] && at != r->last[i]) {
            return at;
        }
    }
    return -1;
}

// Who takes the weight of a corner, and how much of it each.
typedef struct heirs {
    int corner[3];
    double share[3];
} heirs;

// Its place along the line between its neighbours, within them.
static heirs heirs_along(const ring *r, int i)
{
    const dp_corner *corner = r->patch->corner, *c = &corner[i];
    const dp_corner *a = &corner[r->last[i]], *b = &corner[r->next[i]];
    const double ex = b->x - a->x, ey = b->y - a->y, ee = ex * ex + ey * ey;
    double t = ee > 0.0 ? ((c->x - a->x) * ex + (c->y - a->y) * ey) / ee : 0.5;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return (heirs){{r->last[i], r->next[i], i}, {1.0 - t, t, 0.0}};
}

// In affine coordinates of the neighbours and a corner across; along the line where there is none,
// or where a weight would not stay positive.
static heirs heirs_of(const ring *r, int i)
{
    const dp_corner *corner = r->patch->corner, *c = &corner[i];
    const int across = find_across(r, i);
    if (across < 0) {
        return heirs_along(r, i);
    }
    const dp_corner *a = &corner[r->last[i]], *b = &corner[r->next[i]], *d = &corner[across];
    const double by = 1.0 / area_at(a, b, d);
    const double of_a = by * area_at(c, b, d), of_d = by * area_at(a, b, c);
    const heirs h = {{r->last[i], r->next[i], across}, {of_a, 1.0 - of_a - of_d, of_d}};
    for (int k = 0; k < 3; ++k) {
        if (!(corner[h.corner[k]].weight + h.share[k] * c->weight > 0.0) || !(h.share[k] <= 2.0)) {
            return heirs_along(r, i);
        }
    }
    return h;
}

// How far the gap of corner i is from that of its heirs at its place.
static double bend(const ring *r, int i, const heirs *h)
{
    double there = 0.0;
    for (int k = 0; k < 3; ++k) {
        there += h->share[k] * r->patch->corner[h->corner[k]].gap;
    }
    return fabs(r->patch->corner[i].gap - there);
}

static void leave_out(ring *r, int i, const heirs *h)
{
    dp_corner *corner = r->patch->corner;
    for (int k = 0; k < 3; ++k) {
        corner[h->corner[k]].weight += h->share[k] * corner[i].weight;
    }
    const int last = r->last[i], next = r->next[i];
    r->next[last] = next;
    r->last[next] = last;
    r->next[i] = -1;
    r->loss[i] = (double)INFINITY;
    r->count--;
    measure(r, last);
    measure(r, next);
}

static void keep_ring(dp_patch *p, const ring *r)
{
    int kept = 0;
    for (int i = 0; i < p->count; ++i) {
        if (r->next[i] >= 0) {
            p->corner[kept++] = p->corner[i];
        }
    }
    p->count = kept;
}

void dp_patch_thin_out(dp_patch *p, int most, double keep)
{
    DP_ASSERT(most > 0);
    if (p->count <= (keep < 1.0 && most > 3 ? 3 : most)) {
        return;
    }
    ring r = {.patch = p};
    double whole, squares;
    begin(&r, &whole, &squares);
    const bool wide = dp_is_wide(0.5 * whole, squares);
    double budget = wide ? (1.0 - keep) * whole : -1.0; // of areas that may go without need
    const double depth = r.deepest >= 0 ? fabs(p->corner[r.deepest].gap) : 0.0;
    while (r.count > most || (budget >= 0.0 && keep < 1.0 && r.count > 3)) {
        const int i = find_least(&r);
        const heirs h = keep < 1.0 ? heirs_of(&r, i) : heirs_along(&r, i);
        const bool bent = bend(&r, i, &h) > BENT * depth + LEVEL * p->size;
        if (r.count <= most && (r.loss[i] > budget || bent)) {
            break;
        }
        budget -= r.loss[i];
        leave_out(&r, i, &h);
    }
    keep_ring(p, &r);
}
