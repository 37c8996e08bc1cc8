// The depth of the origin in a convex set, by a polytope that grows inside of it
// [VandenBergen2001].
//
// Faces of an inner polytope are lower bounds of the depth, each support in the direction of a face
// is an upper bound. The face next to the origin is pushed out until the bounds meet.
//
// Departures. The origin may be outside by round-off: distances of faces are signed, so touching is
// nothing special. A face that cannot be pushed although its bounds differ (its corners are in
// line, to round-off) is set aside: it has been measured, which is all that was needed of it.
#include "collide/convex/polytope.h"

// Bounds that differ by no more, relative to the size of both, have met.
static const double MET = 2e-15;
static const double CURVED_MET = 1e-13;

// A point that is as near to where it should be, relative to the size, is there.
static const double EXACT = 1e-15;

// From here a face is seen, relative to the size: level ones are.
static const double LEVEL = -1e-15;

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
// that looks along a proved normal, within about 0.001 rad: at an angle θ from a separating
// direction of depth δ no other is less deep than δ cos θ, since the point where that ends is of M.
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

// --- The answer

// s(n) and the corner of M that it belongs to.
static double gap_along(dp_difference *m, dp_v3 n)
{
    dp_corner c;
    dp_difference_support(&c, m, dp_v3_back(n));
    return dp_v3_dot(n, c.w);
}

// The point of a face next to `target`, if it is nearer than *least.
static void try_witness(dp_depth *out, double *least, const dp_polytope *p, const dp_facet *g,
                        dp_v3 target)
{
    const double off = dp_v3_dot(g->n, target) - g->d;
    if (!(off * off < *least) || !g->alive || !(dp_v3_dot(g->n, out->normal) < -0.5)) {
        return;
    }
    dp_simplex t;
    t.count = 3;
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

// Of all faces that look along −n the one that the separating direction passes, most likely the
// `last` that was looked at: among level ones round-off decided which is nearest. None is better
// than `exact`.
static void find_witness(dp_depth *out, const dp_polytope *p, int last, double exact)
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
static bool find_tie(const dp_depth *out, const dp_polytope *p, dp_difference *m)
{
    const double tie = TIE * m->size;
    for (int f = 0; f < p->nface; ++f) {
        const dp_facet *g = &p->face[f];
        if (-g->d >= out->gap - tie && g->alive && -dp_v3_dot(g->n, out->normal) < ANOTHER_COSINE &&
            gap_along(m, dp_v3_back(g->n)) >= out->gap - tie) {
            return true;
        }
    }
    return false;
}

// What has been proved: each is the bottom of a hollow of the depth as a function of the direction.
typedef struct hollows {
    dp_refined_normal found[MOST_HOLLOWS];
    int count, best;
    int ties;     // others as good as the best
    double worth; // bounds that are nearer are worth polishing
    int again;    // how many faces have led to one that was known
} hollows;

// How near the bounds of a face must be: the shallower the overlap, the nearer are other separating
// directions.
static double same_hollow(const hollows *h, const dp_difference *m)
{
    DP_ASSERT(h->count > 0);
    return SAME_HOLLOW *
           fmin(fmax(-h->found[h->best].gap, SHALLOW * m->size), NOT_SO_DEEP * m->size);
}

// The one found nearest to where a face looks, and the cosine of the angle between them. NULL: none
// has been found.
static const dp_refined_normal *nearest_hollow(double *cosine, const hollows *h, dp_v3 face_normal)
{
    const dp_refined_normal *nearest = NULL;
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
    const dp_refined_normal *best = &h->found[h->best];
    int count = 0;
    for (int i = 0; i < h->count; ++i) {
        const dp_refined_normal *p = &h->found[i];
        count += i != h->best && p->gap >= best->gap - TIE * size &&
                 dp_v3_dot(p->normal, best->normal) < ANOTHER_COSINE;
    }
    return count;
}

static dp_simplex corners_of(const dp_polytope *p, const dp_facet *f)
{
    dp_simplex t = {.count = 3};
    for (int k = 0; k < 3; ++k) {
        t.corner[k] = p->corner[f->corner[k]];
    }
    return t;
}

// Is there nothing better than a separating direction of `depth` wherever a face can be pushed to?
// That would be a point of the boundary beyond the plane of the face and less than `depth` away, so
// its direction and the normal of the face make an angle of no more than φ, cos φ = d/depth.
static bool is_settled(const hollows *h, const dp_facet *f, double depth)
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
static bool look_for_hollow(hollows *h, dp_difference *m, const dp_polytope *p, const dp_facet *f,
                            double slack, bool ring)
{
    const dp_simplex t = corners_of(p, f);
    dp_refined_normal found;
    if (!dp_newton_refine(&found, m, &t, dp_v3_back(f->n))) {
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

// Of polyhedra: push faces out until the bounds meet. Returns the last face; −1: one of them is
// stuck or there is no room for more, and `strict` is set.
static int push_out(dp_depth *out, dp_difference *m, dp_polytope *p, bool strict)
{
    const double met = MET * m->size, level = LEVEL * m->size;
    for (;;) {
        const int number = dp_polytope_nearest(p);
        if (number < 0 || p->face[number].d >= -out->gap - met) {
            return number;
        }
        const dp_facet *f = &p->face[number];
        ++out->iterations;
        dp_corner c;
        m->hint[0] = p->corner[f->corner[0]].vertex[0];
        m->hint[1] = p->corner[f->corner[0]].vertex[1];
        dp_difference_support(&c, m, f->n);
        const double depth = dp_v3_dot(f->n, c.w), slack = depth - f->d;
        if (-depth > out->gap) {
            out->gap = -depth;
            out->normal = dp_v3_back(f->n);
        }
        if (slack <= met) {
            return number;
        }
        const bool known =
            (strict || slack <= NEAR_CORNERS * m->size) && dp_polytope_has_corner(p, c.w);
        const dp_push pushed = known ? DP_STUCK : dp_polytope_grow(p, number, &c, level);
        if (pushed != DP_PUSHED && strict) {
            return -1;
        }
        if (pushed == DP_FULL) {
            out->capped = true;
            return number;
        }
        if (pushed == DP_STUCK) {
            dp_polytope_set_aside(p, number);
        }
    }
}

bool dp_epa_again(dp_depth *out, dp_difference *m, dp_pair_polytope *kept)
{
    dp_polytope p;
    *out = (dp_depth){.gap = -INFINITY};
    if (m->curved || !dp_polytope_recall(&p, m, kept)) {
        return false;
    }
    const int last = push_out(out, m, &p, true);
    if (last < 0 || !(-out->gap > SHALLOW * m->size)) {
        return false;
    }
    find_witness(out, &p, last, EXACT * m->size);
    out->ambiguous = find_tie(out, &p, m);
    if (out->iterations > 1) {
        dp_polytope_keep(kept, &p);
    }
    return true;
}

// Does face f belong to a hollow that is known?
static bool leads_to_hollow(const dp_refined_normal *hollow, double cosine, dp_difference *m,
                            const dp_polytope *p, int f)
{
    const dp_simplex corners = corners_of(p, &p->face[f]);
    return cosine >= SAME_NORMAL_COSINE ||
           dp_newton_refine_leads_to(hollow, m, &corners, dp_v3_back(p->face[f].n));
}

// The best hollow is the separating direction so far, where it is shorter. @return whether there is
// no other
static bool take_best_hollow(dp_depth *out, const hollows *h)
{
    if (h->count == 0) {
        return false;
    }
    const dp_refined_normal *best = &h->found[h->best];
    if (best->gap > out->gap) {
        out->gap = best->gap;
        out->normal = best->normal;
    }
    return best->only;
}

// @param known a hollow that was proved before; NULL: none
static void begin_hollows(hollows *h, dp_depth *out, double worth, const dp_refined_normal *known)
{
    h->count = h->best = h->ties = h->again = 0;
    h->worth = worth;
    if (known) {
        h->found[h->count++] = *known;
        out->gap = known->gap;
        out->normal = known->normal;
    }
}

// Move face f out to a corner, unless it is one of the polytope. @return whether there is room
static bool grow_or_set_aside(dp_polytope *p, int f, const dp_corner *c, bool near, double level)
{
    const bool known = near && dp_polytope_has_corner(p, c->w);
    const dp_push pushed = known ? DP_STUCK : dp_polytope_grow(p, f, c, level);
    if (pushed == DP_STUCK) {
        dp_polytope_set_aside(p, f);
    }
    return pushed != DP_FULL;
}

// Of others: look for separating directions until no other can be shorter.
static void look_for_hollows(dp_depth *out, dp_difference *m, dp_polytope *p,
                             const dp_refined_normal *known)
{
    hollows h;
    begin_hollows(&h, out, WORTH_POLISHING * m->size, known);
    const double met = CURVED_MET * m->size, level = LEVEL * m->size;
    int last = -1;
    for (;;) {
        const int f = dp_polytope_nearest(p);
        last = f;
        if (f < 0 || p->face[f].d >= -out->gap - met) {
            break;
        }
        if (is_settled(&h, &p->face[f], -out->gap)) {
            dp_polytope_set_aside(p, f);
            continue;
        }
        ++out->iterations;
        dp_corner c;
        const dp_v3 n = p->face[f].n;
        m->hint[0] = p->corner[p->face[f].corner[0]].vertex[0];
        m->hint[1] = p->corner[p->face[f].corner[0]].vertex[1];
        dp_difference_support(&c, m, n);
        const double depth = dp_v3_dot(n, c.w);
        if (-depth > out->gap) {
            out->gap = -depth;
            out->normal = dp_v3_back(n);
        }
        if (depth - p->face[f].d <= met) {
            // The bounds have met; the points may be beyond what has been found.
            look_for_hollow(&h, m, p, &p->face[f], depth - p->face[f].d, false);
            break;
        }
        const double slack = depth - p->face[f].d;
        const bool ring =
            slack <= ON_RING * m->size && (h.ties >= RING || out->iterations > MANY_ITERATIONS);
        double cosine;
        const dp_refined_normal *hollow = nearest_hollow(&cosine, &h, n);
        const bool same = cosine >= SAME_HOLLOW_COSINE;
        if (same && slack <= same_hollow(&h, m) && !is_better(&h, out->gap, met) &&
            leads_to_hollow(hollow, cosine, m, p, f)) {
            dp_polytope_set_aside(p, f);
            continue;
        }
        const bool enough = (same || h.again >= ENOUGH) && !is_better(&h, out->gap, met);
        if (ring || slack <= (enough ? same_hollow(&h, m) : h.worth)) {
            const bool done = look_for_hollow(&h, m, p, &p->face[f], slack, ring);
            if (take_best_hollow(out, &h)) {
                break;
            }
            if (done && !is_better(&h, out->gap, met)) {
                dp_polytope_set_aside(p, f);
                continue;
            }
        }
        if (!grow_or_set_aside(p, f, &c, slack <= NEAR_CORNERS * m->size, level)) {
            out->capped = true;
            break;
        }
    }
    if (h.count > 0 && h.found[h.best].gap >= out->gap - met) {
        const dp_refined_normal *best = &h.found[h.best];
        out->proved = true;
        out->gap = best->gap;
        out->normal = best->normal;
        out->point[0] = best->point[0];
        out->point[1] = best->point[1];
        out->ambiguous = h.ties > 0 || find_tie(out, p, m);
        return;
    }
    find_witness(out, p, last, EXACT * m->size);
    out->ambiguous = find_tie(out, p, m);
}

void dp_epa(dp_depth *out, dp_difference *m, const dp_simplex *start,
            const dp_refined_normal *known, dp_pair_polytope *kept)
{
    *out = (dp_depth){.gap = -INFINITY};
    dp_simplex first = *start;
    dp_v3 flat;
    if (!complete(&first, m, &flat)) {
        stay_flat(out, m, start, flat);
        return;
    }
    dp_polytope p;
    dp_polytope_begin(&p, &first);
    if (m->curved) {
        look_for_hollows(out, m, &p, known);
        return;
    }
    const int last = push_out(out, m, &p, false);
    find_witness(out, &p, last, EXACT * m->size);
    out->ambiguous = find_tie(out, &p, m);
    if (kept) {
        dp_polytope_keep(kept, &p);
    }
}
