// A cylinder and a box, by a list.
//
// In the frame of the box let p be the middle of the cylinder, a its axis, r and h its radius and
// half length, b the half lengths of the box, and n a unit vector from the box to the cylinder:
//
//     g(n) = n·p − Σ bᵢ|nᵢ| − r |n × a| − h |n·a|,                                      (1)
//
// and the gap is the greatest g. Where the two overlap, a ball about the origin fits into the set
// of differences K and touches its boundary there, so K has one normal at that point. What of K has
// one normal is made by
//
//     a face and whatever faces it             n = ±eᵢ,
//     a cap and whatever faces it              n = ±a,
//     the side and an edge                     n = ±(a × eᵢ)/|a × eᵢ|,
//     the side and a vertex                    n across a,
//     the rim and an edge                      n across eᵢ,
//
// and the last two are distances of a point from a polygon and from an ellipse, in the shadows of K
// along a and along eᵢ. The greatest of this list is the gap, then. Where the two are apart there
// are a vertex and the rim besides, the distance of a point from a disc; and g has a single top, so
// a normal whose features face each other needs no comparison. With that the list has every way to
// be apart: where none is, they overlap.
//
// What is left undecided (features that end where they should meet, to round-off) is for
// dp_convex_distance.
#include "collide/exact/ellipse.h"
#include "collide/exact/penetration_candidates.h"
#include "collide/pairs/closed_forms.h"

// Points whose heights differ by no more, relative to the size of both, are level.
static const double LEVEL = 1e-13;
// Nearer than this, relative to the size, a direction from point to point is not known well.
static const double NEARLY_TOUCHING = 1e-6;

// i of a way: of the axis of the face or edge; of the vertex (bits: +x, +y, +z). Of a rim, n in the
// shadow along eᵢ.
typedef enum kind { FACE, CAP, SIDE_EDGE, SIDE_VERTEX, RIM_EDGE, RIM_VERTEX } kind;

typedef struct pair {
    double p[3], a[3], b[3];
    double sine[3]; // of the angle between a and eᵢ
    double r, h;
    dp_ways ways;
    int steps;
    double enough; // what is deeper than this does not matter; −∞: they are apart, no depth does
} pair;

static const int NEXT[3] = {1, 2, 0}, AFTER[3] = {2, 0, 1};

static double sign_of(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

static double dot(const double x[3], const double y[3])
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static void enter(pair *t, kind k, int i, double gap, dp_v3 n)
{
    dp_ways_enter(&t->ways, (dp_way){(int)k, i, gap, n, 0.0, 0.0});
}

// --- Faces, caps, side and edges

static void list_flat(pair *t)
{
    const double *p = t->p, *a = t->a, *b = t->b;
    for (int i = 0; i < 3; ++i) {
        double n[3] = {0.0, 0.0, 0.0};
        n[i] = sign_of(p[i]);
        enter(t, FACE, i, fabs(p[i]) - b[i] - (t->r * t->sine[i] + t->h * fabs(a[i])),
              dp_v3_load(n));
    }
    const double up = dot(a, p);
    enter(t, CAP, 0, fabs(up) - (b[0] * fabs(a[0]) + b[1] * fabs(a[1]) + b[2] * fabs(a[2])) - t->h,
          dp_v3_scale(dp_v3_load(a), sign_of(up)));
    for (int i = 0; i < 3; ++i) {
        const int j = NEXT[i], k = AFTER[i];
        if (t->sine[i] > 0.0) {
            const double by = 1.0 / t->sine[i], u[2] = {a[k] * by, -(a[j] * by)};
            const double along = u[0] * p[j] + u[1] * p[k], side = sign_of(along);
            double n[3] = {0.0, 0.0, 0.0};
            n[j] = side * u[0];
            n[k] = side * u[1];
            enter(t, SIDE_EDGE, i, fabs(along) - (b[j] * fabs(u[0]) + b[k] * fabs(u[1])) - t->r,
                  dp_v3_load(n));
        }
    }
}

// --- The side and a vertex

// The shadow of the box along a is a hexagon. Is the axis outside, next to a corner of it? False:
// it was not found which.
static bool list_vertex(pair *t)
{
    const dp_way *e = NULL;
    for (int k = 0; k < t->ways.count; ++k) {
        if (t->ways.list[k].kind == SIDE_EDGE && (!e || t->ways.list[k].gap > e->gap)) {
            e = &t->ways.list[k];
        }
    }
    if (!e || !(e->gap + t->r > 0.0)) {
        return true;
    }
    const dp_v3 p = dp_v3_load(t->p), a = dp_v3_load(t->a);
    const double n[3] = {e->n.x, e->n.y, e->n.z};
    double v[3] = {dp_toward(n[0], t->b[0]), dp_toward(n[1], t->b[1]), dp_toward(n[2], t->b[2])};
    v[e->i] = 0.0;
    const dp_v3 w = dp_v3_cross(a, e->n); // along the edge, in the shadow
    const double along = e->i == 0 ? w.x : (e->i == 1 ? w.y : w.z);
    const double beyond = dp_v3_dot(w, dp_v3_sub(p, dp_v3_load(v)));
    if (fabs(beyond) <= t->b[e->i] * fabs(along)) {
        return true;
    }
    v[e->i] = dp_toward(beyond * along, t->b[e->i]);
    for (int k = 0; k < 4; ++k) {
        dp_v3 d = dp_v3_sub(p, dp_v3_load(v));
        d = dp_v3_madd(d, -dp_v3_dot(d, a), a);
        const double length = dp_v3_norm(d);
        if (!(length > 0.0)) {
            return false;
        }
        d = dp_v3_scale(d, 1.0 / length);
        d = dp_v3_madd(d, -dp_v3_dot(d, a), a); // again: of a long way little may be across a
        const double m[3] = {d.x, d.y, d.z};
        bool other = false;
        for (int i = 0; i < 3; ++i) {
            if (m[i] * v[i] < 0.0) {
                v[i] = -v[i];
                other = true;
            }
        }
        if (!other) {
            enter(t, SIDE_VERTEX, (v[0] > 0.0) | (v[1] > 0.0) << 1 | (v[2] > 0.0) << 2,
                  length - t->r, d);
            return true;
        }
    }
    return false;
}

// --- The rim and a vertex, apart

static double vertex_of(const pair *t, int vertex, int i)
{
    return vertex >> i & 1 ? t->b[i] : -t->b[i];
}

// A vertex is next to a rim when the normal from it to the disc that the rim goes around looks away
// from the box there. False: they are so near that the normal is not known from the distance.
static bool list_corner(pair *t, int vertex)
{
    double d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = t->p[i] - vertex_of(t, vertex, i);
    }
    const double high = dot(t->a, d), beyond = fabs(high) - t->h;
    if (!(beyond > 0.0)) {
        return true;
    }
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        d[i] -= high * t->a[i];
        square += d[i] * d[i];
    }
    if (!(square > t->r * t->r)) {
        return true;
    }
    const double length = sqrt(square), out = length - t->r, up = sign_of(high) * beyond;
    const double gap = sqrt(out * out + beyond * beyond),
                 small = DP_WAYS_BETTER * t->ways.size * gap;
    double n[3];
    for (int i = 0; i < 3; ++i) {
        n[i] = d[i] * (out / length) + up * t->a[i];
        if (2.0 * vertex_of(t, vertex, i) * n[i] < -small) {
            return true;
        }
    }
    enter(t, RIM_VERTEX, vertex, gap, dp_v3_unit(dp_v3_load(n)));
    return gap > NEARLY_TOUCHING * t->ways.size;
}

static bool list_corners(pair *t)
{
    bool known = true;
    for (int vertex = 0; vertex < 8; ++vertex) {
        known = list_corner(t, vertex) && known;
    }
    return known;
}

// --- The rim and an edge

// K along eᵢ: a rectangle, a segment of half length `half` along v, and an ellipse with half axes r
// along u and q along v.
typedef struct shadow {
    int i;
    dp_flat u, v;
    double q, half;
} shadow;

// Normals from n1 to n2, on one corner of the rectangle and one end of the segment (side: 1 or −1
// along v), where the middle of the ellipse is at c.
typedef struct arc {
    dp_flat n[2];
    dp_flat rim[2]; // points of the ellipse that look along them
    dp_flat c;
    double side;
} arc;

// The top of g within the arc, if there is one. False: it was not found.
static bool list_arc(pair *t, const shadow *s, const arc *x, dp_flat from)
{
    const dp_flat v = {x->side * s->v.x, x->side * s->v.y};
    const dp_ellipse e = {t->r, s->q, {dp_flat_dot(x->c, s->u), dp_flat_dot(x->c, v)}};
    if (!(e.c.y > 0.0) && dp_ways_best(&t->ways)->gap > 0.0) {
        return true; // apart from the ellipse, but on the other side of it
    }
    dp_flat low = {dp_flat_dot(x->n[0], s->u), dp_flat_dot(x->n[0], v)};
    dp_flat high = {dp_flat_dot(x->n[1], s->u), dp_flat_dot(x->n[1], v)};
    if (low.x < high.x) {
        const dp_flat other = low;
        low = high;
        high = other;
    }
    dp_flat n = {dp_flat_dot(from, s->u), dp_flat_dot(from, v)};
    const dp_top top = dp_ellipse_top(&n, &t->steps, &e, low, high, n);
    if (top == DP_TOP_FOUND) {
        double m[3] = {0.0, 0.0, 0.0};
        m[NEXT[s->i]] = n.x * s->u.x + n.y * v.x;
        m[AFTER[s->i]] = n.x * s->u.y + n.y * v.y;
        dp_ways_enter(&t->ways, (dp_way){RIM_EDGE, s->i, dp_ellipse_height(&e, n), dp_v3_load(m),
                                         n.x, x->side * n.y});
    }
    return top != DP_TOP_LOST;
}

// Where normals begin and end K has the points y and z. Is the line through them further from the
// origin than what matters? Then so is all that looks along a normal between them. `n` becomes the
// direction across the line.
static bool is_deeper(dp_flat *n, const pair *t, dp_flat y, dp_flat z, dp_flat between)
{
    const dp_flat e = {z.x - y.x, z.y - y.y};
    *n = (dp_flat){-e.y, e.x};
    if (dp_flat_dot(*n, between) < 0.0) {
        *n = (dp_flat){e.y, -e.x};
    }
    const double nn = dp_flat_dot(*n, *n), inside = -dp_flat_dot(*n, y);
    return !(nn > 0.0) || (inside > 0.0 && inside * inside > t->enough * t->enough * nn);
}

static bool look_at_arc(pair *t, const shadow *s, const arc *x)
{
    const dp_flat y = {x->c.x - x->rim[0].x, x->c.y - x->rim[0].y};
    const dp_flat z = {x->c.x - x->rim[1].x, x->c.y - x->rim[1].y};
    dp_flat n;
    return is_deeper(&n, t, y, z, (dp_flat){x->n[0].x + x->n[1].x, x->n[0].y + x->n[1].y}) ||
           list_arc(t, s, x, n);
}

// The middle of the ellipse on a corner of the rectangle and an end of the segment.
static dp_flat middle_of(const shadow *s, dp_flat corner, double side)
{
    const double by = side * s->half;
    return (dp_flat){corner.x - by * s->v.x, corner.y - by * s->v.y};
}

// Normals with these signs, on one corner of the rectangle. `on`: points of the ellipse that look
// along the axes.
static bool look_at_corner(pair *t, const shadow *s, const dp_flat on[2], dp_flat corner, double sj,
                           double sk)
{
    const double vj = sj * s->v.x, vk = sk * s->v.y;
    arc x;
    x.n[0] = (dp_flat){sj, 0.0};
    x.rim[0] = (dp_flat){sj * on[0].x, sj * on[0].y};
    x.side = sign_of(vj * vk >= 0.0 ? vj + vk : vj);
    x.c = middle_of(s, corner, x.side);
    if (vj * vk < 0.0) { // the side of the cylinder looks into this quadrant
        const double su = sign_of(sj * s->u.x);
        x.n[1] = (dp_flat){su * s->u.x, su * s->u.y};
        x.rim[1] = (dp_flat){t->r * x.n[1].x, t->r * x.n[1].y};
        if (!look_at_arc(t, s, &x)) {
            return false;
        }
        x.n[0] = x.n[1];
        x.rim[0] = x.rim[1];
        x.side = -x.side;
        x.c = middle_of(s, corner, x.side);
    }
    x.n[1] = (dp_flat){0.0, sk};
    x.rim[1] = (dp_flat){sk * on[1].x, sk * on[1].y};
    return look_at_arc(t, s, &x);
}

// The greatest g across eᵢ. False: it was not found.
static bool list_rim(pair *t, int i)
{
    const int j = NEXT[i], k = AFTER[i];
    const double *p = t->p, *a = t->a, *b = t->b;
    shadow s = {.i = i, .u = {0.0, 1.0}, .v = {1.0, 0.0}};
    s.q = t->r * fabs(a[i]);
    if (!(s.q > 0.0)) {
        return true; // the ellipse is a segment: nothing is round
    }
    // Points of the ellipse that look along the axes j and k; aᵢ is not 0, so no sine is, either.
    const double by_j = t->r * a[j] / t->sine[j], by_k = t->r * a[k] / t->sine[k];
    const dp_flat on[2] = {{t->r * t->sine[j], -by_j * a[k]}, {-by_k * a[j], t->r * t->sine[k]}};
    const double ends[2] = {t->h * sign_of(a[j]), t->h * sign_of(a[k])};
    const dp_flat at_j = {on[0].x + ends[0] * a[j], on[0].y + ends[0] * a[k]};
    const dp_flat at_k = {on[1].x + ends[1] * a[j], on[1].y + ends[1] * a[k]};
    bool ready = false;
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
        const double sj = quadrant & 1 ? -1.0 : 1.0, sk = quadrant & 2 ? -1.0 : 1.0;
        if (sj != sign_of(p[j]) && sk != sign_of(p[k])) {
            continue; // the other way is no longer
        }
        const dp_flat corner = {p[j] - sj * b[j], p[k] - sk * b[k]};
        const dp_flat y = {corner.x - sj * at_j.x, corner.y - sj * at_j.y};
        const dp_flat z = {corner.x - sk * at_k.x, corner.y - sk * at_k.y};
        dp_flat n;
        if (is_deeper(&n, t, y, z, (dp_flat){sj, sk})) {
            continue;
        }
        if (!ready) {
            ready = true;
            s.half = t->h * t->sine[i];
            if (t->sine[i] > 0.0) {
                const double by = 1.0 / t->sine[i];
                s.v = (dp_flat){a[j] * by, a[k] * by};
                s.u = (dp_flat){s.v.y, -s.v.x};
            }
        }
        if (!look_at_corner(t, &s, on, corner, sj, sk)) {
            return false;
        }
    }
    return true;
}

// False: not all was found.
static bool list_rims(pair *t)
{
    for (int i = 0; i < 3; ++i) {
        if (dp_ways_best(&t->ways)->gap > 0.0) {
            t->enough = -INFINITY;
        } else if (t->enough > -INFINITY) {
            t->enough =
                fmin(t->enough, DP_DIFFERENCE_TIE * t->ways.size - dp_ways_best(&t->ways)->gap);
        }
        if (!list_rim(t, i)) {
            return false;
        }
    }
    return true;
}

// --- Do the features face each other? Then *x is a point of that of the cylinder.

static bool face_meets(double x[3], const pair *t, const dp_way *e)
{
    const int i = e->i, j = NEXT[i], k = AFTER[i];
    const double *a = t->a, side = sign_of(t->p[i]), lean = side * a[i];
    const double level = LEVEL * t->ways.size;
    const bool cap = 2.0 * t->r * t->sine[i] <= level;
    // The point of the rim next to the face, or the middle of the cap.
    const double by = cap ? 0.0 : t->r / t->sine[i];
    double out[3] = {by * lean * a[0], by * lean * a[1], by * lean * a[2]};
    out[i] = cap ? 0.0 : -t->r * side * t->sine[i];
    const double up = -t->h * sign_of(lean);
    for (int l = 0; l < 3; ++l) {
        x[l] = t->p[l] + out[l] + up * a[l];
    }
    if (!cap && 2.0 * t->h * fabs(a[i]) <= level) { // the side: the middle of what is over the face
        double from = -t->h, to = t->h;
        for (int l = 0; l < 2; ++l) {
            const int m = l == 0 ? j : k;
            const double c = t->p[m] + out[m];
            if (fabs(a[m]) * t->h > level) {
                const double s0 = (-t->b[m] - c) / a[m], s1 = (t->b[m] - c) / a[m];
                from = fmax(from, fmin(s0, s1));
                to = fmin(to, fmax(s0, s1));
            }
        }
        const double at = 0.5 * (from + to);
        if (!(from <= to)) {
            return false;
        }
        for (int l = 0; l < 3; ++l) {
            x[l] = t->p[l] + out[l] + at * a[l];
        }
    }
    if (cap) {
        const double dj = x[j] - dp_clamp(x[j], t->b[j]), dk = x[k] - dp_clamp(x[k], t->b[k]);
        if (!(dj * dj + dk * dk <= t->r * t->r)) {
            return false;
        }
        x[j] -= dj;
        x[k] -= dk;
    }
    return fabs(x[j]) <= t->b[j] && fabs(x[k]) <= t->b[k];
}

static bool cap_meets(double x[3], const pair *t, const dp_way *e)
{
    const double n[3] = {e->n.x, e->n.y, e->n.z};
    double d[3];
    for (int i = 0; i < 3; ++i) {
        const double c = t->p[i] - t->h * n[i];
        const bool level = 2.0 * t->b[i] * fabs(n[i]) <= LEVEL * t->ways.size;
        d[i] = (level ? dp_clamp(c, t->b[i]) : dp_toward(n[i], t->b[i])) - c;
    }
    const double along = dot(d, n);
    double dd = 0.0;
    for (int i = 0; i < 3; ++i) {
        d[i] -= along * n[i];
        dd += d[i] * d[i];
        x[i] = t->p[i] - t->h * n[i] + d[i];
    }
    return dd <= t->r * t->r;
}

static bool side_meets_edge(double x[3], const pair *t, const dp_way *e)
{
    const int i = e->i, j = NEXT[i], k = AFTER[i];
    const double n[3] = {e->n.x, e->n.y, e->n.z}, *a = t->a;
    double d[3];
    for (int l = 0; l < 3; ++l) {
        d[l] = t->p[l] - t->r * n[l] - (l == i ? 0.0 : dp_toward(n[l], t->b[l]));
    }
    // d + along a − at eᵢ is along n.
    const double volume = n[j] * a[k] - n[k] * a[j]; // n·(a × eᵢ), ± the sine
    const double along = (d[k] * n[j] - d[j] * n[k]) / -volume;
    const double at = d[i] + along * a[i];
    for (int l = 0; l < 3; ++l) {
        x[l] = t->p[l] - t->r * n[l] + along * a[l];
    }
    return fabs(at) <= t->b[i] && fabs(along) <= t->h;
}

static bool meets_vertex(double x[3], const pair *t, const dp_way *e)
{
    const double n[3] = {e->n.x, e->n.y, e->n.z};
    double along = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double v = vertex_of(t, e->i, i);
        x[i] = v + e->gap * n[i];
        along += t->a[i] * (v - t->p[i]);
    }
    return e->kind == RIM_VERTEX || t->h >= fabs(along);
}

static bool rim_meets_edge(double x[3], const pair *t, const dp_way *e)
{
    const int i = e->i, j = NEXT[i], k = AFTER[i];
    const double *a = t->a, sine = t->sine[i];
    if (!(sine > 0.0)) {
        return false; // an edge along the side
    }
    // n = along_u u + along_v v, and across the axis along_u u − aᵢ along_v (s eᵢ − aᵢ v), v the
    // shadow of a: nothing cancels where n is nearly along a.
    const double nu = e->along_u, nw = -a[i] * e->along_v, length = sqrt(nu * nu + nw * nw);
    const double by = t->r / length, up = t->h * sign_of(e->along_v);
    const double v[2] = {a[j] / sine, a[k] / sine};
    x[i] = t->p[i] - by * nw * sine - up * a[i];
    x[j] = t->p[j] - by * (nu * v[1] - nw * a[i] * v[0]) - up * a[j];
    x[k] = t->p[k] - by * (-nu * v[0] - nw * a[i] * v[1]) - up * a[k];
    return fabs(x[i]) <= t->b[i];
}

static bool meets(double x[3], const pair *t, const dp_way *e)
{
    switch (e->kind) {
    case FACE:
        return face_meets(x, t, e);
    case CAP:
        return cap_meets(x, t, e);
    case SIDE_EDGE:
        return side_meets_edge(x, t, e);
    case SIDE_VERTEX:
    case RIM_VERTEX:
        return meets_vertex(x, t, e);
    case RIM_EDGE:
        return rim_meets_edge(x, t, e);
    }
    return false;
}

static void answer(dp_distance *out, const pair *t, const dp_placed *box, const double x[3],
                   bool ambiguous)
{
    const dp_way *e = dp_ways_best(&t->ways);
    const dp_v3 on_a = dp_v3_add(box->p, dp_m3_apply(&box->R, dp_v3_load(x)));
    dp_distance_set(out, e->gap, dp_m3_apply(&box->R, dp_v3_back(e->n)), on_a, ambiguous);
    out->iterations = t->steps;
}

static void place(pair *t, const dp_placed *a, const dp_placed *b)
{
    const dp_m3 *R = &a->R;
    const dp_v3 axis = {R->m[0][2], R->m[1][2], R->m[2][2]};
    dp_v3_store(t->p, dp_m3_apply_transposed(&b->R, dp_v3_sub(a->p, b->p)));
    dp_v3_store(t->a, dp_m3_apply_transposed(&b->R, axis));
    t->r = a->shape->size[0];
    t->h = a->shape->size[1];
    double size = t->r + t->h;
    for (int i = 0; i < 3; ++i) {
        const double x = t->a[NEXT[i]], y = t->a[AFTER[i]];
        t->sine[i] = sqrt(x * x + y * y);
        t->b[i] = b->shape->size[i];
        size += t->b[i];
    }
    dp_ways_begin(&t->ways, size);
    t->steps = 0;
    t->enough = INFINITY;
}

bool dp_cylinder_box(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit)
{
    pair t;
    place(&t, a, b);
    double x[3] = {t.p[0], t.p[1], t.p[2]};
    list_flat(&t);
    if (dp_ways_best(&t.ways)->gap > limit) {
        answer(out, &t, b, x, false);
        return true;
    }
    if (!list_vertex(&t)) {
        return false;
    }
    if (dp_ways_best(&t.ways)->gap > 0.0 && meets(x, &t, dp_ways_best(&t.ways))) {
        answer(out, &t, b, x, false);
        return true;
    }
    if (!list_corners(&t) || (dp_ways_best(&t.ways)->kind != RIM_VERTEX && !list_rims(&t))) {
        return false;
    }
    if (!meets(x, &t, dp_ways_best(&t.ways))) {
        return false;
    }
    answer(out, &t, b, x,
           dp_ways_best(&t.ways)->gap <= 0.0 && dp_ways_tie(&t.ways, dp_v3_load(t.p)));
    return true;
}

bool dp_cylinder_box_decide(bool *overlap, const dp_placed *a, const dp_placed *b)
{
    const dp_verdict verdict = dp_overlap_test(a, b);
    *overlap = verdict == DP_VERDICT_SHARED;
    if (verdict != DP_VERDICT_NONE) {
        return true;
    }
    pair t;
    place(&t, a, b);
    t.enough = DP_DIFFERENCE_TIE * t.ways.size;
    list_flat(&t);
    if (dp_ways_best(&t.ways)->gap > 0.0) {
        return true;
    }
    if (!list_vertex(&t)) {
        return false;
    }
    (void)list_corners(&t);
    if (!(dp_ways_best(&t.ways)->gap > 0.0) && !list_rims(&t)) {
        return false;
    }
    *overlap = dp_ways_best(&t.ways)->gap <= 0.0;
    return true;
}
