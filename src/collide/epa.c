// The depth of the origin in a convex set, by a polytope that grows inside of it
// [VandenBergen2001].
//
// Faces of an inner polytope are lower bounds of the depth, each support in the direction of a face
// is an upper bound. The face next to the origin is pushed out until the bounds meet.
//
// Departures. The origin may be outside by round-off: distances of faces are signed, so touching is
// nothing special. A face that cannot be pushed although its bounds differ (its corners are in
// line, to round-off) is set aside: it has been measured, which is all that was needed of it.
#include "collide/minkowski.h"

enum { MOST_FACES = 512, MOST_CORNERS = MOST_FACES / 2 + 2 };
enum { MOST_RIMS = MOST_FACES + 2 }; // of n faces, each but one entered across an edge

// Bounds that differ by no more, relative to the size of both, have met.
static const double MET = 2e-15;
static const double CURVED_MET = 1e-13;

// A point that is as near to where it should be, relative to the size, is there.
static const double EXACT = 1e-16;

// Thinner than this, relative to its size, M is flat.
static const double THIN = 1e-14;

// A face whose bounds are this near, relative to the size, is a good guess to polish.
static const double WORTH_POLISHING = 0.05, BETTER = 0.1;

// A face is done with when its normal, polished, has led to the bottom of a hollow of the depth
// where the face looks, within about 0.2 rad, and its bounds are so near, relative to the size,
// that a second hollow behind the same face would be odd.
static const double SAME_HOLLOW_COSINE = 0.98, SAME_HOLLOW = 1e-2;
static const double SHALLOW = 1e-11, NOT_SO_DEEP = 0.002; // limits of that depth, by size
enum { MOST_HOLLOWS = 16 };

// Of those, a face from which the depth falls towards that bottom needs no polish, nor does one
// that looks along a proved normal, within about 0.001 rad: at an angle θ from a way out of depth δ
// no other is less deep than δ cos θ, since the point where that ends is of M.
static const double SAME_NORMAL_COSINE = 0.999999;

// After so many that have led to a hollow that was known, only what is better is worth a polish
// early.
enum { ENOUGH = 1 };

// So many that are alike are a ring or a sphere of them, or nearly so when many iterations have not
// decided: then a face is done with earlier, wherever it has led to.
enum { RING = 4, MANY_ITERATIONS = 64 };
static const double ON_RING = 0.02;

// Corners are this near to the planes of all faces, relative to the size, or behind them. It is
// much more than round-off makes of a plane: what is farther before one is no corner yet.
static const double NEAR_CORNERS = 1e-3;

// Normals this far apart are two, if both give the same gap to round-off.
static const double ANOTHER_COSINE = 1.0 - 1e-6;
static const double TIE = DP_DIFFERENCE_TIE;

typedef struct face {
    int corner[3]; // counterclockwise from outside
    int next[3];   // the face across the edge from corner k
    dp_v3 n;       // outward, unit
    double d;      // n·x on the face
    bool alive;
    bool visible;
} face;

typedef struct polytope {
    dp_corner corner[MOST_CORNERS];
    face face[MOST_FACES];
    double key[MOST_FACES]; // d of faces that may be pushed, ∞ of others
    int ncorner, nface;     // faces in use or dead
    int unused[MOST_FACES], nunused;
    int passed[MOST_CORNERS], loops; // the last loop through a corner, and how many there were
} polytope;

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static int add_corner(polytope *p, const dp_corner *c)
{
    p->corner[p->ncorner] = *c;
    p->passed[p->ncorner] = 0;
    return p->ncorner++;
}

static inline void measure_face(polytope *p, int number, const dp_v3 *otherwise)
{
    face *f = &p->face[number];
    const dp_v3 a = p->corner[f->corner[0]].w, b = p->corner[f->corner[1]].w,
                c = p->corner[f->corner[2]].w;
    const dp_v3 n = dp_v3_cross(dp_v3_sub(b, a), dp_v3_sub(c, a));
    const double area = dp_v3_norm(n);
    f->n = area > 0.0 ? dp_v3_scale(n, 1.0 / area) : *otherwise;
    // The least of three: what round-off makes of a plane is no reason to call a face far.
    f->d = lesser(lesser(dp_v3_dot(f->n, a), dp_v3_dot(f->n, b)), dp_v3_dot(f->n, c));
    f->alive = true;
    f->visible = false;
    p->key[number] = f->d;
}

// It cannot be pushed, or need not be.
static void set_aside(polytope *p, int f)
{
    p->key[f] = INFINITY;
}

// --- The first tetrahedron

static void take_farther(dp_corner *best, double *most, double value, const dp_corner *c)
{
    if (value > *most) {
        *most = value;
        *best = *c;
    }
}

// Any unit vector across d.
static dp_v3 across(dp_v3 d)
{
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    const dp_v3 axis = x <= y && x <= z
                           ? (dp_v3){1.0, 0.0, 0.0}
                           : (y <= z ? (dp_v3){0.0, 1.0, 0.0} : (dp_v3){0.0, 0.0, 1.0});
    const dp_v3 e = dp_v3_cross(d, axis);
    return dp_v3_scale(e, 1.0 / dp_v3_norm(e));
}

// Complete the simplex to a tetrahedron. False: M is flat, and *flat is a direction across it.
static bool complete(dp_simplex *s, dp_difference *m, dp_v3 *flat)
{
    const double thin = THIN * m->size;
    dp_corner c, best = s->corner[0];
    double most = thin;
    *flat = (dp_v3){0.0, 0.0, 1.0};
    if (s->count == 4) {
        const dp_v3 a = s->corner[0].w;
        const dp_v3 n = dp_v3_cross(dp_v3_sub(s->corner[1].w, a), dp_v3_sub(s->corner[2].w, a));
        if (fabs(dp_v3_dot(n, dp_v3_sub(s->corner[3].w, a))) > thin * dp_v3_norm(n)) {
            return true;
        }
        s->count = 3;
    }
    if (s->count == 1) {
        const dp_v3 axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
        for (int k = 0; k < 6; ++k) {
            dp_difference_support(&c, m, axes[k]);
            take_farther(&best, &most, dp_v3_norm(dp_v3_sub(c.w, s->corner[0].w)), &c);
        }
        if (!(most > thin)) {
            return false;
        }
        s->corner[s->count++] = best;
    }
    if (s->count == 2) {
        dp_v3 d = dp_v3_sub(s->corner[1].w, s->corner[0].w);
        d = dp_v3_scale(d, 1.0 / dp_v3_norm(d));
        const dp_v3 e = across(d), f = dp_v3_cross(d, e);
        const dp_v3 around[4] = {e, {-e.x, -e.y, -e.z}, f, {-f.x, -f.y, -f.z}};
        most = thin;
        for (int k = 0; k < 4; ++k) {
            dp_difference_support(&c, m, around[k]);
            const dp_v3 height = dp_v3_cross(d, dp_v3_sub(c.w, s->corner[0].w));
            take_farther(&best, &most, dp_v3_norm(height), &c);
        }
        *flat = e;
        if (!(most > thin)) {
            return false;
        }
        s->corner[s->count++] = best;
    }
    const dp_v3 a = s->corner[0].w;
    dp_v3 n = dp_v3_cross(dp_v3_sub(s->corner[1].w, a), dp_v3_sub(s->corner[2].w, a));
    n = dp_v3_scale(n, 1.0 / dp_v3_norm(n));
    most = thin;
    for (int k = 0; k < 2; ++k) {
        const dp_v3 d = dp_v3_scale(n, k == 0 ? 1.0 : -1.0);
        dp_difference_support(&c, m, d);
        take_farther(&best, &most, fabs(dp_v3_dot(n, dp_v3_sub(c.w, a))), &c);
    }
    *flat = n;
    if (!(most > thin)) {
        return false;
    }
    s->corner[s->count++] = best;
    return true;
}

static void begin(polytope *p, const dp_simplex *s)
{
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    static const int next[4][3] = {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}};
    const dp_v3 a = s->corner[0].w;
    const dp_v3 n = dp_v3_cross(dp_v3_sub(s->corner[1].w, a), dp_v3_sub(s->corner[2].w, a));
    const bool turned = dp_v3_dot(n, dp_v3_sub(s->corner[3].w, a)) > 0.0;
    p->ncorner = p->nunused = p->loops = 0;
    p->nface = 4;
    for (int i = 0; i < 4; ++i) {
        add_corner(p, &s->corner[turned && i < 2 ? 1 - i : i]);
    }
    const dp_v3 up = {0.0, 0.0, 1.0};
    for (int f = 0; f < 4; ++f) {
        for (int k = 0; k < 3; ++k) {
            p->face[f].corner[k] = corner[f][k];
            p->face[f].next[k] = next[f][k];
        }
        measure_face(p, f, &up);
    }
}

// --- Growing

static int nearest_face(const polytope *p)
{
    int best = -1;
    double least = INFINITY;
    for (int f = 0; f < p->nface; ++f) {
        if (p->key[f] < least) {
            least = p->key[f];
            best = f;
        }
    }
    return best;
}

static bool is_corner(const polytope *p, dp_v3 w)
{
    for (int i = 0; i < p->ncorner; ++i) {
        if (dp_v3_same(p->corner[i].w, w)) {
            return true;
        }
    }
    return false;
}

// An edge of the horizon: from corner u to v, beyond it the face `outer`, whose edge is `side`.
typedef struct rim {
    int u, v, outer, side;
} rim;

// The edge of a face that begins at a corner.
static int edge_from(const face *f, int corner)
{
    return f->corner[0] == corner ? 0 : (f->corner[1] == corner ? 1 : 2);
}

// Mark what is seen from w, beginning with the face `first`, and collect the horizon on the way:
// faces are entered across an edge, and their other two edges are looked at counterclockwise, so
// that the edges of the horizon follow each other. Level faces are seen, so that the new ones are
// large. Returns the number of edges; 0: all is seen.
static int find_horizon(rim *horizon, int *seen, int *nseen, polytope *p, int first, dp_v3 w,
                        double level)
{
    struct {
        int face, edge;
    } ahead[MOST_RIMS];
    int nahead = 0, count = 0;
    for (int k = 3; k-- > 0; ++nahead) {
        ahead[nahead].face = first;
        ahead[nahead].edge = k;
    }
    *nseen = 0;
    seen[(*nseen)++] = first;
    p->face[first].visible = true;
    while (nahead > 0) {
        const face *f = &p->face[ahead[--nahead].face];
        const int k = ahead[nahead].edge, outer = f->next[k];
        face *g = &p->face[outer];
        if (g->visible) {
            continue;
        }
        const int v = f->corner[k == 2 ? 0 : k + 1], side = edge_from(g, v);
        if (dp_v3_dot(g->n, w) - g->d > level) {
            g->visible = true;
            seen[(*nseen)++] = outer;
            ahead[nahead].face = ahead[nahead + 1].face = outer;
            ahead[nahead++].edge = side == 0 ? 2 : side - 1;
            ahead[nahead++].edge = side == 2 ? 0 : side + 1;
        } else {
            horizon[count++] = (rim){f->corner[k], v, outer, side};
        }
    }
    return count;
}

// Is the horizon one loop that passes each corner once?
static bool is_loop(const rim *horizon, int count, polytope *p)
{
    ++p->loops;
    for (int i = 0; i < count; ++i) {
        const int u = horizon[i].u;
        if (p->passed[u] == p->loops || horizon[i].v != horizon[i + 1 < count ? i + 1 : 0].u) {
            return false;
        }
        p->passed[u] = p->loops;
    }
    return true;
}

typedef enum push { PUSHED, STUCK, FULL } push;

// Make `c` a corner of the polytope, which the face `first` sees.
static push grow(polytope *p, int first, const dp_corner *c, double level)
{
    rim horizon[MOST_RIMS];
    int seen[MOST_FACES], nseen, made[MOST_FACES];
    const int count = find_horizon(horizon, seen, &nseen, p, first, c->w, level);
    push result = PUSHED;
    if (count < 3 || !is_loop(horizon, count, p)) {
        result = STUCK;
    } else if (p->ncorner == MOST_CORNERS || MOST_FACES - p->nface + p->nunused + nseen < count) {
        result = FULL;
    }
    for (int i = 0; i < nseen; ++i) {
        p->face[seen[i]].visible = false;
        if (result == PUSHED) {
            p->face[seen[i]].alive = false;
            set_aside(p, seen[i]);
            p->unused[p->nunused++] = seen[i];
        }
    }
    if (result != PUSHED) {
        return result;
    }
    const int apex = add_corner(p, c);
    for (int i = 0; i < count; ++i) {
        made[i] = p->nunused > 0 ? p->unused[--p->nunused] : p->nface++;
    }
    for (int i = 0; i < count; ++i) {
        const rim *e = &horizon[i];
        face *f = &p->face[made[i]];
        f->corner[0] = e->u;
        f->corner[1] = e->v;
        f->corner[2] = apex;
        f->next[0] = e->outer;
        f->next[1] = made[i + 1 < count ? i + 1 : 0];
        f->next[2] = made[i > 0 ? i - 1 : count - 1];
        p->face[e->outer].next[e->side] = made[i];
        measure_face(p, made[i], &p->face[e->outer].n);
    }
    return PUSHED;
}

// --- The answer

// s(n) and the corner of M that it belongs to.
static double gap_along(dp_difference *m, dp_v3 n)
{
    dp_corner c;
    dp_difference_support(&c, m, dp_v3_back(n));
    return dp_v3_dot(n, c.w);
}

// The point of a face next to `target`, if it is nearer than *least.
static void try_witness(dp_depth *out, double *least, const polytope *p, const face *g,
                        dp_v3 target)
{
    const double off = dp_v3_dot(g->n, target) - g->d;
    if (!(off * off < *least) || !g->alive || !(dp_v3_dot(g->n, out->normal) < -0.5)) {
        return;
    }
    dp_simplex t = {.count = 3};
    for (int k = 0; k < 3; ++k) {
        t.corner[k] = p->corner[g->corner[k]];
        t.corner[k].w = dp_v3_sub(t.corner[k].w, target);
    }
    dp_simplex_reduce(&t);
    if (t.vv < *least) {
        *least = t.vv;
        out->triangle = t;
    }
}

// Of all faces that look along −n the one that the way out passes, most likely the `last` that was
// looked at: among level ones round-off decided which is nearest. None is better than `exact`.
static void find_witness(dp_depth *out, const polytope *p, int last, double exact)
{
    const dp_v3 target = dp_v3_scale(out->normal, out->gap);
    double least = INFINITY;
    if (last >= 0) {
        try_witness(out, &least, p, &p->face[last], target);
    }
    for (int f = 0; f < p->nface && least > exact * exact; ++f) {
        try_witness(out, &least, p, &p->face[f], target);
    }
    for (int k = 0; k < out->triangle.count; ++k) {
        dp_corner *c = &out->triangle.corner[k];
        c->w = dp_v3_sub(c->b, c->a);
    }
}

// Does another normal give as much?
static bool find_tie(const dp_depth *out, const polytope *p, dp_difference *m)
{
    const double tie = TIE * m->size;
    for (int f = 0; f < p->nface; ++f) {
        const face *g = &p->face[f];
        if (g->alive && -g->d >= out->gap - tie && -dp_v3_dot(g->n, out->normal) < ANOTHER_COSINE &&
            gap_along(m, dp_v3_back(g->n)) >= out->gap - tie) {
            return true;
        }
    }
    return false;
}

// What has been proved: each is the bottom of a hollow of the depth as a function of the direction.
typedef struct hollows {
    dp_polished found[MOST_HOLLOWS];
    int count, best;
    int ties;     // others as good as the best
    double worth; // bounds that are nearer are worth polishing
    int again;    // how many faces have led to one that was known
} hollows;

// How near the bounds of a face must be: the shallower the overlap, the nearer are other ways out.
static double same_hollow(const hollows *h, const dp_difference *m)
{
    DP_ASSERT(h->count > 0);
    return SAME_HOLLOW *
           fmin(fmax(-h->found[h->best].gap, SHALLOW * m->size), NOT_SO_DEEP * m->size);
}

// The one found nearest to where a face looks, and the cosine of the angle between them. NULL: none
// has been found.
static const dp_polished *nearest_hollow(double *cosine, const hollows *h, dp_v3 face_normal)
{
    const dp_polished *nearest = NULL;
    *cosine = -1.0;
    for (int i = 0; i < h->count; ++i) {
        const double to_this = -dp_v3_dot(face_normal, h->found[i].normal);
        if (to_this > *cosine) {
            *cosine = to_this;
            nearest = &h->found[i];
        }
    }
    return nearest;
}

// Is a gap that was measured better than all that was proved? Then there is a hollow to be found.
static bool is_better(const hollows *h, double gap, double met)
{
    return h->count == 0 || gap > h->found[h->best].gap + met;
}

// How many others are as good as the best?
static int count_ties(const hollows *h, double size)
{
    const dp_polished *best = &h->found[h->best];
    int count = 0;
    for (int i = 0; i < h->count; ++i) {
        const dp_polished *p = &h->found[i];
        count += i != h->best && p->gap >= best->gap - TIE * size &&
                 dp_v3_dot(p->normal, best->normal) < ANOTHER_COSINE;
    }
    return count;
}

static dp_simplex corners_of(const polytope *p, const face *f)
{
    dp_simplex t = {.count = 3};
    for (int k = 0; k < 3; ++k) {
        t.corner[k] = p->corner[f->corner[k]];
    }
    return t;
}

// Is there nothing better than a way out of `depth` wherever a face can be pushed to? That would be
// a point of the boundary beyond the plane of the face and less than `depth` away, so its direction
// and the normal of the face make an angle of no more than φ, cos φ = d/depth.
static bool is_settled(const hollows *h, const face *f, double depth)
{
    if (h->count == 0 || !(f->d > 0.0)) {
        return false; // nothing is found, or the origin is on it: no directions are known
    }
    const double cosine = f->d / depth, sine = sqrt(1.0 - cosine * cosine);
    for (int i = 0; i < h->count; ++i) {
        const double to_this = -dp_v3_dot(f->n, h->found[i].normal);
        const double turned = sqrt(fmax(1.0 - to_this * to_this, 0.0));
        // Both angles together are less than that around the hollow.
        if (to_this > -cosine && to_this * cosine - turned * sine > h->found[i].cosine) {
            return true;
        }
    }
    return false;
}

// Polish the normal of a face. True: it leads to a hollow, and there is no other behind the face.
static bool look_for_hollow(hollows *h, dp_difference *m, const polytope *p, const face *f,
                            double slack, bool ring)
{
    const dp_simplex t = corners_of(p, f);
    dp_polished found;
    if (!dp_polish(&found, m, &t, dp_v3_back(f->n))) {
        h->worth = fmin(h->worth, slack) * BETTER;
        return false;
    }
    h->worth = WORTH_POLISHING * m->size;
    bool known = false;
    for (int i = 0; i < h->count; ++i) {
        known = known || dp_v3_dot(found.normal, h->found[i].normal) >= ANOTHER_COSINE;
    }
    h->again += known;
    const bool better = h->count == 0 || found.gap > h->found[h->best].gap;
    if (h->count < MOST_HOLLOWS && (!known || better)) {
        h->best = better ? h->count : h->best;
        h->found[h->count++] = found;
    } else if (better) {
        h->found[h->best] = found;
    }
    h->ties = count_ties(h, m->size);
    return ring ||
           (slack <= same_hollow(h, m) && -dp_v3_dot(f->n, found.normal) >= SAME_HOLLOW_COSINE);
}

static void stay_flat(dp_depth *out, dp_difference *m, const dp_simplex *s, dp_v3 n)
{
    out->normal = n;
    out->gap = gap_along(m, n);
    const dp_v3 back = {-n.x, -n.y, -n.z};
    const double other = gap_along(m, back);
    if (other > out->gap) {
        out->gap = other;
        out->normal = back;
    }
    out->triangle = *s;
    if (s->count == 4) {
        out->triangle.count = 3;
    }
    dp_simplex_reduce(&out->triangle);
    out->ambiguous = true;
}

void dp_epa(dp_depth *out, dp_difference *m, const dp_simplex *start, const dp_polished *known)
{
    *out = (dp_depth){.gap = -INFINITY};
    dp_simplex first = *start;
    dp_v3 flat;
    if (!complete(&first, m, &flat)) {
        stay_flat(out, m, start, flat);
        return;
    }
    polytope p;
    begin(&p, &first);
    hollows h;
    h.count = h.best = h.ties = h.again = 0;
    h.worth = m->curved ? WORTH_POLISHING * m->size : -1.0;
    if (known) {
        h.found[h.count++] = *known;
        out->gap = known->gap;
        out->normal = known->normal;
    }
    const double met = (m->curved ? CURVED_MET : MET) * m->size;
    const double level = -1e-15 * m->size;
    int last = -1;
    for (;;) {
        const int f = nearest_face(&p);
        last = f;
        if (f < 0 || p.face[f].d >= -out->gap - met) {
            break;
        }
        if (is_settled(&h, &p.face[f], -out->gap)) {
            set_aside(&p, f);
            continue;
        }
        ++out->iterations;
        dp_corner c;
        const dp_v3 n = p.face[f].n;
        m->hint[0] = p.corner[p.face[f].corner[0]].vertex[0];
        m->hint[1] = p.corner[p.face[f].corner[0]].vertex[1];
        dp_difference_support(&c, m, n);
        const double depth = dp_v3_dot(n, c.w);
        if (-depth > out->gap) {
            out->gap = -depth;
            out->normal = dp_v3_back(n);
        }
        if (depth - p.face[f].d <= met) {
            if (m->curved) { // the bounds have met; the points may be beyond what has been found
                look_for_hollow(&h, m, &p, &p.face[f], depth - p.face[f].d, false);
            }
            break;
        }
        const double slack = depth - p.face[f].d;
        const bool ring = m->curved && slack <= ON_RING * m->size &&
                          (h.ties >= RING || out->iterations > MANY_ITERATIONS);
        double cosine;
        const dp_polished *hollow = nearest_hollow(&cosine, &h, n);
        const bool same = m->curved && cosine >= SAME_HOLLOW_COSINE;
        if (same && slack <= same_hollow(&h, m) && !is_better(&h, out->gap, met)) {
            const dp_simplex corners = corners_of(&p, &p.face[f]);
            if (cosine >= SAME_NORMAL_COSINE ||
                dp_polish_leads_to(hollow, m, &corners, dp_v3_back(n))) {
                set_aside(&p, f);
                continue;
            }
        }
        const bool enough = (same || h.again >= ENOUGH) && !is_better(&h, out->gap, met);
        if (ring || slack <= (enough ? same_hollow(&h, m) : h.worth)) {
            const bool done = look_for_hollow(&h, m, &p, &p.face[f], slack, ring);
            if (h.count > 0 && h.found[h.best].gap > out->gap) {
                out->gap = h.found[h.best].gap;
                out->normal = h.found[h.best].normal;
            }
            if (h.count > 0 && h.found[h.best].only) {
                break;
            }
            if (done && !is_better(&h, out->gap, met)) {
                set_aside(&p, f);
                continue;
            }
        }
        const bool known_corner = slack <= NEAR_CORNERS * m->size && is_corner(&p, c.w);
        const push pushed = known_corner ? STUCK : grow(&p, f, &c, level);
        if (pushed == FULL) {
            out->capped = true;
            break;
        }
        if (pushed == STUCK) {
            set_aside(&p, f);
        }
    }
    if (h.count > 0 && h.found[h.best].gap >= out->gap - met) {
        const dp_polished *best = &h.found[h.best];
        out->proved = true;
        out->gap = best->gap;
        out->normal = best->normal;
        out->point[0] = best->point[0];
        out->point[1] = best->point[1];
        out->ambiguous = h.ties > 0 || find_tie(out, &p, m);
        return;
    }
    find_witness(out, &p, last, EXACT * m->size);
    out->ambiguous = find_tie(out, &p, m);
}
