// The normal of two features that face each other, right to round-off.
//
// Corners of a simplex tell what is in touch: a point of a smooth piece or a vertex, an edge, a
// face. On each smooth piece the support functions have gradients and Hessians, and the greatest
// s(n) = −h_A(n) − h_B(−n) on the unit sphere is where
//
//     w(n) = x_B(−n) − x_A(n) = s n,                                                    (1)
//
// found by Newton's method on the sphere: (H_A + H_B + s 1) t = w − s n for t across n. An edge
// along e is a kink of h: it leaves the circle n·e = 0, where the same holds along the circle. Two
// edges, or a face, leave nothing to solve.
//
// Whatever is found is then proved: by a point of each feature, apart along n (1) and no more and
// no less than s(n), where s(n) is asked from the support map, which knows nothing of features.
#include "collide/minkowski.h"

enum { MOST_STEPS = 32, MOST_POINTS = 32, MOST_FEATURES = 6 };

// How far the points of a proof may be from facing each other, relative to the size of both.
static const double PROVED = 1e-13;

// Points whose heights differ by less, relative to the size of both, may be one feature.
static const double NEARLY_LEVEL = 0.02;
// Edges of hulls that rise by less (a sine) may be level.
static const double NEARLY_ACROSS = 0.005;

typedef enum feature_kind { POINT, EDGE, FACE } feature_kind;

// A feature of one core, in its own frame.
typedef struct feature {
    feature_kind kind;
    dp_v3 axis;               // of an edge; the outward normal of a face. Unit
    double z;                 // of cylinders: the height of the rim or cap, 0 for the side
    dp_v3 point[MOST_POINTS]; // corners of polyhedral features
    int vertex[MOST_POINTS];  // their numbers
    int count;
} feature;

// --- What the corners lie on

// Points of a cylinder at both ends: its side. At one end and far from each other: its cap. Neither
// is likely when it looks another way.
static void cylinder_feature(feature *f, const dp_shape *s, const dp_v3 *x, int count, dp_v3 n)
{
    const double up = fabs(n.z);
    const double r = s->size[0], h = s->size[1];
    bool top = false, bottom = false, spread = false;
    for (int i = 0; i < count; ++i) {
        top = top || x[i].z > 0.0;
        bottom = bottom || x[i].z < 0.0;
        for (int k = 0; k < i; ++k) {
            const double dx = x[i].x - x[k].x, dy = x[i].y - x[k].y;
            spread = spread || dx * dx + dy * dy > 0.25 * r * r;
        }
    }
    f->kind = top && bottom && up < 0.5 ? EDGE : (spread && up > 0.9 ? FACE : POINT);
    f->z = f->kind == EDGE ? 0.0 : (n.z >= 0.0 ? h : -h);
    f->axis = (dp_v3){0.0, 0.0, n.z >= 0.0 ? 1.0 : -1.0};
}

static void box_face(feature *f, const dp_shape *s, dp_v3 n)
{
    const double size[3] = {s->size[0], s->size[1], s->size[2]}, along[3] = {n.x, n.y, n.z};
    int k = 0;
    for (int i = 1; i < 3; ++i) {
        k = fabs(along[i]) > fabs(along[k]) ? i : k;
    }
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double side = along[k] >= 0.0 ? 1.0 : -1.0;
    f->axis = (dp_v3){k == 0 ? side : 0.0, k == 1 ? side : 0.0, k == 2 ? side : 0.0};
    f->count = 4;
    for (int c = 0; c < 4; ++c) {
        double x[3];
        x[k] = side * size[k];
        x[i] = c == 0 || c == 3 ? size[i] : -size[i];
        x[j] = c < 2 ? size[j] : -size[j];
        f->point[c] = dp_v3_load(x);
        f->vertex[c] = (x[0] >= 0.0) | (x[1] >= 0.0) << 1 | (x[2] >= 0.0) << 2;
    }
}

// The face at one of the vertices that looks along n most.
static void hull_face(feature *f, const dp_shape *s, dp_v3 n)
{
    const dp_hull *h = s->hull;
    int best = -1;
    double most = -INFINITY;
    for (int i = 0; i < f->count; ++i) {
        const int v = f->vertex[i];
        for (int k = h->vertex_face_start[v]; k < h->vertex_face_start[v + 1]; ++k) {
            const double along = dp_v3_dot(n, dp_v3_load(h->face_plane + 4 * h->vertex_face[k]));
            if (along > most) {
                most = along;
                best = h->vertex_face[k];
            }
        }
    }
    f->axis = dp_v3_load(h->face_plane + 4 * best);
    const int first = h->face_start[best], ncorner = h->face_start[best + 1] - first;
    if (ncorner <= MOST_POINTS) { // else the vertices of the simplex have to do
        f->count = ncorner;
        for (int k = 0; k < ncorner; ++k) {
            f->vertex[k] = h->face_vertex[first + k];
            f->point[k] = dp_v3_load(h->vertex + 3 * f->vertex[k]);
        }
    }
}

// What the corners of a polyhedron that are in f span.
static void span(feature *f, const dp_shape *s, dp_v3 n)
{
    f->kind = f->count == 1 ? POINT : (f->count == 2 ? EDGE : FACE);
    if (f->kind == EDGE) {
        f->axis = dp_v3_unit(dp_v3_sub(f->point[1], f->point[0]));
    } else if (f->kind == FACE) {
        if (s->kind == DP_BOX) {
            box_face(f, s, n);
        } else {
            hull_face(f, s, n);
        }
    }
}

// `x`: points of the core in its frame, `n`: the direction it looks.
static void find_feature(feature *f, const dp_shape *s, const dp_v3 *x, const int *vertex,
                         int count, dp_v3 n)
{
    f->kind = POINT;
    f->count = 0;
    f->z = 0.0;
    f->axis = (dp_v3){0.0, 0.0, 1.0};
    if (s->kind == DP_CYLINDER) {
        cylinder_feature(f, s, x, count, n);
        return;
    }
    if (s->kind == DP_ELLIPSOID) {
        return;
    }
    if (s->kind == DP_SPHERE) {
        f->vertex[0] = 0;
        f->point[f->count++] = (dp_v3){0.0, 0.0, 0.0};
        return;
    }
    for (int i = 0; i < count; ++i) {
        bool known = false;
        for (int k = 0; k < f->count; ++k) {
            known = known || dp_v3_same(f->point[k], x[i]);
        }
        if (!known) {
            f->vertex[f->count] = vertex[i];
            f->point[f->count++] = x[i];
        }
    }
    span(f, s, n);
}

// Neighbours of a vertex of a hull that are as high, but for a slope of NEARLY_ACROSS: none, that
// of an edge, or two of a face. Returns the number of points, with the vertex.
static int add_level_neighbours(dp_v3 *point, int *number, const dp_hull *h, dp_v3 n)
{
    double least[2] = {NEARLY_ACROSS * NEARLY_ACROSS, NEARLY_ACROSS * NEARLY_ACROSS};
    int count = 1;
    for (int k = h->neighbour_start[number[0]]; k < h->neighbour_start[number[0] + 1]; ++k) {
        const dp_v3 x = dp_v3_load(h->vertex + 3 * (size_t)h->neighbour[k]);
        const dp_v3 e = dp_v3_sub(x, point[0]);
        const double fall = dp_v3_dot(n, e), slope2 = fall * fall / dp_v3_dot(e, e);
        if (slope2 < least[1]) {
            const int at = slope2 < least[0] ? 1 : 2;
            least[1] = at == 1 ? least[0] : slope2;
            least[0] = at == 1 ? slope2 : least[0];
            number[2] = at == 1 ? number[1] : number[2];
            point[2] = at == 1 ? point[1] : point[2];
            number[at] = h->neighbour[k];
            point[at] = x;
            count = count < 3 ? count + 1 : 3;
        }
    }
    return count;
}

// The feature that looks along n, or so nearly that the heights of its points differ by no more
// than `level`.
static void guess_feature(feature *f, const dp_shape *s, dp_v3 n, double level)
{
    int vertex = -1;
    const dp_v3 x = dp_core_support_of(s, n, &vertex);
    if (s->kind == DP_CYLINDER) {
        const double across = 2.0 * s->size[0] * sqrt(n.x * n.x + n.y * n.y);
        const bool side = 2.0 * s->size[1] * fabs(n.z) < level;
        f->count = 0;
        f->kind = side ? EDGE : (across < level ? FACE : POINT);
        f->z = side ? 0.0 : x.z;
        f->axis = (dp_v3){0.0, 0.0, n.z >= 0.0 ? 1.0 : -1.0};
        return;
    }
    dp_v3 point[4] = {x};
    int number[4] = {vertex}, count = 1;
    if (s->kind != DP_BOX && s->kind != DP_CAPSULE) {
        if (s->kind == DP_MESH) {
            count = add_level_neighbours(point, number, s->hull, n);
        }
        find_feature(f, s, point, number, count, n);
        return;
    }
    const bool box = s->kind == DP_BOX;
    const double height[3] = {box ? s->size[0] * fabs(n.x) : INFINITY,
                              box ? s->size[1] * fabs(n.y) : INFINITY,
                              box ? s->size[2] * fabs(n.z) : s->size[1] * fabs(n.z)};
    for (int k = 0; k < 3 && count < 4; ++k) {
        if (2.0 * height[k] < level) {
            for (int i = 0, had = count; i < had; ++i) {
                number[count] = number[i] ^ (box ? 1 << k : 1);
                point[count] = dp_core_vertex(s, number[count]);
                ++count;
            }
        }
    }
    find_feature(f, s, point, number, count, n);
}

// --- Smooth pieces

// A core at n, in its own frame: the point that looks along n, and tᵢᵀ H tⱼ for two directions.
typedef struct piece {
    dp_v3 x;
    double H11, H12, H22;
} piece;

DP_INLINE void evaluate(piece *p, const dp_shape *s, const feature *f, dp_v3 n, dp_v3 t1, dp_v3 t2)
{
    const double *size = s->size;
    p->H11 = p->H12 = p->H22 = 0.0;
    if (s->kind == DP_ELLIPSOID) { // h = |D n|, H = (D² − D e eᵀ D) / |D n| with e = D n / |D n|
        dp_v3 e = {size[0] * n.x, size[1] * n.y, size[2] * n.z};
        const double h = dp_v3_norm(e);
        e = dp_v3_scale(e, 1.0 / h);
        const dp_v3 c1 = dp_v3_cross(e, (dp_v3){size[0] * t1.x, size[1] * t1.y, size[2] * t1.z});
        const dp_v3 c2 = dp_v3_cross(e, (dp_v3){size[0] * t2.x, size[1] * t2.y, size[2] * t2.z});
        p->x = (dp_v3){size[0] * e.x, size[1] * e.y, size[2] * e.z};
        p->H11 = dp_v3_dot(c1, c1) / h;
        p->H12 = dp_v3_dot(c1, c2) / h;
        p->H22 = dp_v3_dot(c2, c2) / h;
        return;
    }
    if (s->kind == DP_CYLINDER) { // h = r |n_xy| + z n_z
        const double length = sqrt(n.x * n.x + n.y * n.y);
        if (!(length > 0.0)) {
            p->x = (dp_v3){0.0, 0.0, f->z};
            return;
        }
        const double ex = n.x / length, ey = n.y / length, bend = size[0] / length;
        const double c1 = ex * t1.y - ey * t1.x, c2 = ex * t2.y - ey * t2.x;
        p->x = (dp_v3){size[0] * ex, size[0] * ey, f->z};
        p->H11 = bend * c1 * c1;
        p->H12 = bend * c1 * c2;
        p->H22 = bend * c2 * c2;
        return;
    }
    p->x = f->point[0];
}

// Both cores at n, in the frame of A.
typedef struct station {
    dp_v3 n, t1, t2;
    dp_v3 back; // −n in the frame of B
    dp_v3 w;
    double s;
    double H11, H12, H22;
} station;

static dp_v3 to_b(const dp_difference *m, dp_v3 v)
{
    return dp_m3_apply_transposed(&m->R, v);
}

static dp_v3 from_b(const dp_difference *m, dp_v3 x)
{
    return dp_v3_add(m->p, dp_m3_apply(&m->R, x));
}

// Two axes across n, without a square root.
static void find_axes_across(dp_v3 *t1, dp_v3 *t2, dp_v3 n)
{
    const double sign = n.z < 0.0 ? -1.0 : 1.0;
    const double k = -1.0 / (sign + n.z), xy = n.x * n.y * k;
    *t1 = (dp_v3){1.0 + sign * n.x * n.x * k, sign * xy, -sign * n.x};
    *t2 = (dp_v3){xy, sign + n.y * n.y * k, -n.y};
}

static void stand(station *at, const dp_difference *m, const feature f[2], dp_v3 n, const dp_v3 *e)
{
    at->n = n;
    if (e) { // along the circle, then across it
        at->t1 = dp_v3_unit(dp_v3_cross(*e, n));
        at->t2 = dp_v3_cross(n, at->t1);
    } else {
        find_axes_across(&at->t1, &at->t2, n);
    }
    at->back = dp_v3_back(to_b(m, n));
    piece a, b;
    evaluate(&a, m->a, &f[0], n, at->t1, at->t2);
    if (dp_core_is_curved(m->b)) {
        evaluate(&b, m->b, &f[1], at->back, to_b(m, at->t1), to_b(m, at->t2));
    } else {
        b = (piece){.x = f[1].point[0]};
    }
    at->w = dp_v3_sub(from_b(m, b.x), a.x);
    at->s = dp_v3_dot(n, at->w);
    at->H11 = a.H11 + b.H11 + at->s;
    at->H12 = a.H12 + b.H12;
    at->H22 = a.H22 + b.H22 + at->s;
}

// A step of Newton's method, across n. Where s is no hill its curvatures count as if it were:
// uphill, and far where it is nearly level.
static dp_v3 newton_step(const station *at, bool circle)
{
    const double g1 = dp_v3_dot(at->w, at->t1);
    if (circle) {
        return dp_v3_scale(at->t1, at->H11 != 0.0 ? g1 / fabs(at->H11) : 0.0);
    }
    const double g2 = dp_v3_dot(at->w, at->t2);
    const double H11 = at->H11, H12 = at->H12, H22 = at->H22;
    const double mean = 0.5 * (H11 + H22), half = 0.5 * (H11 - H22);
    const double radius = sqrt(half * half + H12 * H12);
    double x1, x2;
    if (mean > radius) {
        const double det = H11 * H22 - H12 * H12;
        if (!(det > 0.0)) {
            return (dp_v3){0.0, 0.0, 0.0};
        }
        x1 = (g1 * H22 - g2 * H12) / det;
        x2 = (g2 * H11 - g1 * H12) / det;
    } else { // along the axis (c, d) of the greater curvature, and across it
        double c = half + (half >= 0.0 ? radius : 0.0), d = H12;
        if (half < 0.0) {
            c = H12;
            d = radius - half;
        }
        const double length = sqrt(c * c + d * d);
        c = length > 0.0 ? c / length : 1.0;
        d = length > 0.0 ? d / length : 0.0;
        const double greater = fabs(mean + radius), less = fabs(mean - radius);
        const double least = 1e-15 * (greater + less + fabs(at->s));
        const double y1 = (c * g1 + d * g2) / fmax(greater, least);
        const double y2 = (c * g2 - d * g1) / fmax(less, least);
        x1 = c * y1 - d * y2;
        x2 = d * y1 + c * y2;
    }
    return dp_v3_madd(dp_v3_scale(at->t1, x1), x2, at->t2);
}

// A rim ends where the normal turns to the side or to the cap: then the feature is that. `n` and
// `next` are directions that the cylinder looks before and after a step.
static bool leaves_rim(feature *f, const dp_shape *s, const dp_v3 *n, const dp_v3 *next)
{
    if (s->kind != DP_CYLINDER || f->kind != POINT) {
        return false;
    }
    if (f->z * next->z < 0.0) {
        f->kind = EDGE;
        f->z = 0.0;
        f->axis = (dp_v3){0.0, 0.0, 1.0};
        return true;
    }
    if (n->x * next->x + n->y * next->y < 0.0) {
        f->kind = FACE;
        return true;
    }
    return false;
}

// The greatest s(n) of these features near n, on the circle n·e = 0 when there is one. Stops where
// a feature ends, which is then changed.
static dp_v3 climb(bool *changed, const dp_difference *m, feature f[2], dp_v3 n, const dp_v3 *e)
{
    station pair[2], *at = &pair[0], *next = &pair[1];
    *changed = false;
    if (e) {
        n = dp_v3_unit(dp_v3_madd(n, -dp_v3_dot(*e, n), *e));
    }
    stand(at, m, f, n, e);
    for (int k = 0; k < MOST_STEPS; ++k) {
        dp_v3 t = newton_step(at, e != NULL);
        double length = dp_v3_norm(t);
        if (!(length > 1e-16)) {
            break;
        }
        if (length > 0.5) {
            t = dp_v3_scale(t, 0.5 / length);
            length = 0.5;
        }
        stand(next, m, f, dp_v3_unit(dp_v3_add(at->n, t)), e);
        if (leaves_rim(&f[0], m->a, &at->n, &next->n) ||
            leaves_rim(&f[1], m->b, &at->back, &next->back)) {
            *changed = true;
            return next->n;
        }
        // Far from the top steps must rise; near it round-off hides whether they do.
        for (int halved = 0; length > 1e-5 && !(next->s > at->s) && halved < 20; ++halved) {
            length *= 0.5;
            t = dp_v3_scale(t, 0.5);
            stand(next, m, f, dp_v3_unit(dp_v3_add(at->n, t)), e);
        }
        station *done = at;
        at = next;
        next = done;
        if (length < 1e-9) {
            break; // what is left is its square
        }
    }
    return at->n;
}

// --- Proof

// Points of the features at n, in the frame of A. Those of caps come later.
static int list_points(dp_v3 *x, const dp_difference *m, const feature *f, int which, dp_v3 n)
{
    const dp_shape *s = which == 0 ? m->a : m->b;
    int count = 0;
    if (dp_core_is_curved(s)) {
        if (f->kind == FACE) {
            return 0;
        }
        piece p;
        const dp_v3 zero = {0.0, 0.0, 0.0};
        evaluate(&p, s, f, which == 0 ? n : dp_v3_back(to_b(m, n)), zero, zero);
        x[count++] = p.x;
        if (f->kind == EDGE) {
            x[0].z = -s->size[1];
            x[count++] = (dp_v3){p.x.x, p.x.y, s->size[1]};
        }
    } else {
        for (; count < f->count; ++count) {
            x[count] = f->point[count];
        }
    }
    for (int i = 0; i < count && which == 1; ++i) {
        x[i] = from_b(m, x[i]);
    }
    return count;
}

// The points of a cap next to the points y and to what of their hull is next to its middle.
static int list_cap(dp_v3 *x, const dp_difference *m, const feature *f, int which, const dp_v3 *y,
                    int ny)
{
    const dp_shape *s = which == 0 ? m->a : m->b;
    const dp_v3 centre_own = {0.0, 0.0, f->z};
    const dp_v3 centre = which == 0 ? centre_own : from_b(m, centre_own);
    const dp_v3 axis = which == 0 ? f->axis : dp_m3_apply(&m->R, f->axis);
    dp_simplex t = {.count = 0};
    int count = 0;
    for (int i = 0; i <= ny; ++i) {
        dp_v3 d;
        if (i < ny) {
            d = dp_v3_sub(y[i], centre);
            d = dp_v3_madd(d, -dp_v3_dot(d, axis), axis);
            if (t.count < 3) {
                t.corner[t.count++].w = d;
            }
        } else {
            dp_simplex_reduce(&t);
            d = t.v;
        }
        const double length = dp_v3_norm(d);
        const double inside = length > s->size[0] ? s->size[0] / length : 1.0;
        x[count++] = dp_v3_madd(centre, inside, d);
    }
    return count;
}

// A number that tells features of one shape apart. The first two corners of a face are an edge,
// which no other face has the same way around.
static uint64_t key_of(const feature *f, const dp_shape *s)
{
    const uint64_t kind = (uint64_t)f->kind << 62;
    if (dp_core_is_curved(s)) {
        return kind | (f->z > 0.0);
    }
    const uint64_t u = (uint64_t)f->vertex[0], v = f->kind == POINT ? u : (uint64_t)f->vertex[1];
    return kind | (f->kind == EDGE && u > v ? v << 31 | u : u << 31 | v);
}

// What a proof has found out about the features.
typedef struct evidence {
    uint64_t active[2]; // bits: the points that make up the pair that faces each other best
    dp_corner nearest;  // by the support map
    double hidden;      // how much nearer that is than the features
} evidence;

// The pair of points of the hulls of x and y that is apart by `target` as nearly as can be. Returns
// how much it is off.
static double facing_points(dp_v3 point[2], uint64_t active[2], const dp_v3 *x, int nx,
                            const dp_v3 *y, int ny, dp_v3 target)
{
    if (nx == 1 && ny == 1) {
        point[0] = x[0];
        point[1] = y[0];
        active[0] = active[1] = 1;
        return dp_v3_norm(dp_v3_sub(dp_v3_sub(y[0], x[0]), target));
    }
    dp_simplex s = {.vv = INFINITY};
    for (int k = 0; k < 32 && s.count < 4; ++k) {
        int i = 0, j = 0;
        const dp_v3 v = s.v;
        if (k > 0) {
            for (int l = 1; l < nx; ++l) {
                i = dp_v3_dot(v, x[l]) > dp_v3_dot(v, x[i]) ? l : i;
            }
            for (int l = 1; l < ny; ++l) {
                j = dp_v3_dot(v, y[l]) < dp_v3_dot(v, y[j]) ? l : j;
            }
        }
        dp_corner *c = &s.corner[s.count];
        c->a = x[i];
        c->b = y[j];
        c->w = dp_v3_sub(dp_v3_sub(y[j], x[i]), target);
        c->vertex[0] = i;
        c->vertex[1] = j;
        bool known = false;
        for (int l = 0; l < s.count; ++l) {
            known = known || dp_v3_same(s.corner[l].w, c->w);
        }
        ++s.count;
        if (known || !dp_simplex_improve(&s)) {
            s.count -= known;
            break;
        }
    }
    point[0] = point[1] = (dp_v3){0.0, 0.0, 0.0};
    if (s.count == 4) { // inside: only flat things by round-off; any corner will do
        s.count = 3;
        dp_simplex_reduce(&s);
    }
    for (int l = 0; l < s.count; ++l) {
        point[0] = dp_v3_madd(point[0], s.weight[l], s.corner[l].a);
        point[1] = dp_v3_madd(point[1], s.weight[l], s.corner[l].b);
        active[0] |= (uint64_t)1 << s.corner[l].vertex[0];
        active[1] |= (uint64_t)1 << s.corner[l].vertex[1];
    }
    return sqrt(s.vv);
}

// The point of a level feature furthest along t, of those in `list` or of a cap.
static dp_v3 furthest(const dp_difference *m, const feature *f, int which, const dp_v3 *list,
                      int count, dp_v3 t)
{
    const dp_shape *s = which == 0 ? m->a : m->b;
    if (s->kind == DP_CYLINDER && f->kind == FACE) {
        const dp_v3 own = which == 0 ? t : to_b(m, t);
        const dp_v3 x = {s->size[0] * own.x, s->size[0] * own.y, f->z};
        return which == 0 ? x : from_b(m, x);
    }
    int best = 0;
    for (int i = 1; i < count; ++i) {
        best = dp_v3_dot(t, list[i]) > dp_v3_dot(t, list[best]) ? i : best;
    }
    return list[best];
}

// Only the points that are level with the one furthest along n. Returns how many.
static int keep_level(dp_v3 *list, int count, dp_v3 n, double level)
{
    double most = -INFINITY;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, dp_v3_dot(n, list[i]));
    }
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (dp_v3_dot(n, list[i]) >= most - level) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

// Where M has a face, the pyramid over it with the point opposite for its top is part of M. Is the
// origin nearer to the base than to any side? Then the way through the base is the shortest.
static bool is_least_in_pyramid(dp_difference *m, const feature f[2], dp_v3 *x, int nx, dp_v3 *y,
                                int ny, const dp_polished *p)
{
    enum { CORNERS = 8 };
    const dp_v3 n = p->normal;
    dp_v3 t1 = dp_v3_cross(fabs(n.z) < 0.7 ? (dp_v3){0.0, 0.0, 1.0} : (dp_v3){1.0, 0.0, 0.0}, n);
    t1 = dp_v3_unit(t1);
    const dp_v3 t2 = dp_v3_cross(n, t1);
    const double enough = DP_DIFFERENCE_TIE * m->size - p->gap;
    nx = keep_level(x, nx, n, PROVED * m->size);
    ny = keep_level(y, ny, dp_v3_back(n), PROVED * m->size);
    dp_v3 corner[CORNERS];
    int count = 0;
    for (int k = 0; k < CORNERS; ++k) {
        static const double cosine[CORNERS + 2] = {1.0,     0.7071, 0.0,    -0.7071, -1.0,
                                                   -0.7071, 0.0,    0.7071, 1.0,     0.7071};
        const dp_v3 t = dp_v3_madd(dp_v3_scale(t1, cosine[k]), cosine[(k + 6) % CORNERS], t2);
        const dp_v3 w =
            dp_v3_sub(furthest(m, &f[1], 1, y, ny, t), furthest(m, &f[0], 0, x, nx, dp_v3_back(t)));
        if (count == 0 || !(dp_v3_same(w, corner[count - 1]) || dp_v3_same(w, corner[0]))) {
            corner[count++] = w;
        }
    }
    if (count < 3) {
        return false;
    }
    dp_corner top;
    dp_difference_support(&top, m, n);
    for (int i = 0; i < count; ++i) {
        const dp_v3 u = corner[i], v = corner[i + 1 < count ? i + 1 : 0];
        const dp_v3 side = dp_v3_cross(dp_v3_sub(v, u), dp_v3_sub(top.w, u));
        const double height = dp_v3_dot(side, u);
        if (!(height > 0.0 && height * height > enough * enough * dp_v3_dot(side, side))) {
            return false;
        }
    }
    return true;
}

// How large a ball touches a shape from within, at the point x of a feature that looks along n
// (both in its own frame), at most? Not of rims: see below. M holds the sum of the balls of both
// shapes.
static double ball_in_shape(const dp_shape *s, const feature *f, dp_v3 x, dp_v3 n)
{
    const double *size = s->size;
    if (s->kind == DP_ELLIPSOID) {
        const double least = fmin(size[0], fmin(size[1], size[2]));
        return least * least / dp_v3_norm((dp_v3){size[0] * n.x, size[1] * n.y, size[2] * n.z});
    }
    if (s->kind == DP_CYLINDER && f->kind != POINT) {
        const double to_cap = size[1] - fabs(x.z), to_side = size[0] - sqrt(x.x * x.x + x.y * x.y);
        return f->kind == EDGE ? fmin(size[0], to_cap) : fmin(size[1], to_side);
    }
    if (s->kind == DP_BOX && f->kind == FACE) {
        const dp_v3 a = f->axis; // along one of the axes
        return fmin(fmin(size[0] - (a.x == 0.0 ? fabs(x.x) : 0.0),
                         size[1] - (a.y == 0.0 ? fabs(x.y) : 0.0)),
                    size[2] - (a.z == 0.0 ? fabs(x.z) : 0.0));
    }
    return 0.0;
}

// Rims, and the shadows of ellipsoids, by this: the largest circle that touches an ellipse from
// within has its centre on the long axis and the radius q²/h, q the short half axis and h the
// support of the ellipse in the direction of the touch.

// The shadow of a disc along a unit vector b across n is an ellipse with q = r |b·axis| and h = r
// g, where g is the sine of the angle between axis and n. Two discs: M holds one led around the
// other, and in its shadow the circle of both together. How large is the least of all shadows? That
// is the lesser eigenvalue of Σ (r/g) axis axisᵀ across n, from its trace and its determinant.
static double ball_in_two_discs(const dp_difference *m, dp_v3 n)
{
    const dp_v3 b = {m->R.m[0][2], m->R.m[1][2], m->R.m[2][2]};
    const double ra = m->a->size[0], ga = dp_v3_norm((dp_v3){n.x, n.y, 0.0});
    const double rb = m->b->size[0], gb = dp_v3_norm(dp_v3_cross(n, b));
    const double volume = n.y * b.x - n.x * b.y; // of n, the axis of A, which is z, and b
    const double trace = ra * ga + rb * gb, det = ra * rb * (volume / ga) * (volume / gb);
    return 2.0 * det / (trace + sqrt(fmax(trace * trace - 4.0 * det, 0.0)));
}

// A rim and an edge: M holds the disc led along the edge, an oblique cylinder, whose shadow along
// the edge is an ellipse. How large a ball touches the oblique cylinder from within at the way out,
// at most?
static double ball_in_oblique_cylinder(const dp_difference *m, const feature f[2], int rim,
                                       const dp_v3 edge[2], const dp_polished *p)
{
    const dp_shape *s = rim == 0 ? m->a : m->b;
    const dp_v3 axis = {m->R.m[0][2], m->R.m[1][2], m->R.m[2][2]};
    const dp_v3 a = rim == 0 ? (dp_v3){0.0, 0.0, 1.0} : axis;
    const dp_v3 e = rim == 0 ? dp_m3_apply(&m->R, f[1].axis) : f[0].axis;
    const double slope = dp_v3_dot(a, e), g = dp_v3_norm(dp_v3_cross(a, p->normal));
    // Heights along the axis, from the point of the way out to the ends, in M; then from the ball.
    const dp_v3 from = p->point[rim == 0 ? 1 : 0];
    const double sign = rim == 0 ? 1.0 : -1.0;
    const double h0 = sign * dp_v3_dot(a, dp_v3_sub(edge[0], from));
    const double h1 = sign * dp_v3_dot(a, dp_v3_sub(edge[1], from));
    const double down = -fmin(h0, h1), up = fmax(h0, h1), lean = dp_v3_dot(a, p->normal);
    return fmin(s->size[0] * slope * (slope / g), fmin(down / (1.0 - lean), up / (1.0 + lean)));
}

// Is a proved normal the only one that is greatest of all? It is when apart, where s is concave,
// and when it is less deep than a ball inside that touches there: that keeps all else further away.
static bool is_only(dp_difference *m, const feature f[2], dp_v3 *x, int nx, dp_v3 *y, int ny,
                    const dp_polished *p)
{
    if (p->gap >= 0.0) {
        return true;
    }
    const double enough = DP_DIFFERENCE_TIE * m->size - p->gap;
    const dp_v3 n = p->normal, back = dp_v3_back(to_b(m, n));
    if (ball_in_shape(m->a, &f[0], p->point[0], n) +
            ball_in_shape(m->b, &f[1], to_b(m, dp_v3_sub(p->point[1], m->p)), back) >
        enough) {
        return true;
    }
    const bool rim[2] = {m->a->kind == DP_CYLINDER && f[0].kind == POINT,
                         m->b->kind == DP_CYLINDER && f[1].kind == POINT};
    if (rim[0] && rim[1]) {
        return ball_in_two_discs(m, n) > enough;
    }
    for (int k = 0; k < 2; ++k) {
        if (rim[k] && f[1 - k].kind == EDGE) {
            return ball_in_oblique_cylinder(m, f, k, k == 0 ? y : x, p) > enough;
        }
    }
    const bool level =
        f[0].kind == FACE || f[1].kind == FACE || (f[0].kind == EDGE && f[1].kind == EDGE);
    return level && is_least_in_pyramid(m, f, x, nx, y, ny, p);
}

// How far around a proved normal is no other better? Let its depth be δ = −s(n), and let u make the
// angle θ with it, u = n cos θ + t sin θ. The two points that face each other are of the cores: so
// the depth along u is no less than δ cos θ. With what is next to these points it is no less than
//
//     δ cos θ + Σ l |e·t| sin θ + Σ ½ tᵀH t A sin²θ / (A + C sin θ),                    (2)
//
// first for edges along e, l from their nearer ends, and for faces, l from their border, for any e;
// then for ellipsoids x = D y, |y| ≤ 1, and for the discs of cylinders, which are flat ones. With
// the support function h(u) = |D u|, its Hessian H at n, A = |D n| and C ≥ |D t| for all t,
//
//     h(u) − u·∇h(n) = |D u| − D u·D n/A = |D u × D n|²/(A² |D u| + A D u·D n),
//
// where |D u × D n|² = A³ tᵀH t sin²θ and D u·D n ≤ A |D u| ≤ A (A + C sin θ). Since |e·t| ≥ (e·t)²
// it is a quadratic form of t that must exceed δ (1 − cos θ), for θ > 90° with C in place of
// C sin θ. If it does for one angle then for all that are less.
typedef struct surroundings {
    double l11, l12, l22; // Σ l e eᵀ
    struct {
        double H11, H12, H22, A, C;
    } piece[2];
    int count;
} surroundings;

static void add_length(surroundings *q, double l, dp_v3 e, dp_v3 t1, dp_v3 t2)
{
    const double e1 = dp_v3_dot(e, t1), e2 = dp_v3_dot(e, t2), length = fmax(l, 0.0);
    q->l11 += length * e1 * e1;
    q->l12 += length * e1 * e2;
    q->l22 += length * e2 * e2;
}

static void add_piece(surroundings *q, const piece *p, double A, double C)
{
    q->piece[q->count].H11 = p->H11;
    q->piece[q->count].H12 = p->H12;
    q->piece[q->count].H22 = p->H22;
    q->piece[q->count].A = A;
    q->piece[q->count++].C = C;
}

// How far the point x of a polygon is from its border.
static double within_polygon(const feature *f, dp_v3 x)
{
    double least = INFINITY;
    for (int k = 0; k < f->count; ++k) {
        const dp_v3 p = f->point[k], e = dp_v3_sub(f->point[k + 1 < f->count ? k + 1 : 0], p);
        const double height = dp_v3_dot(f->axis, dp_v3_cross(e, dp_v3_sub(x, p)));
        least = fmin(least, height / dp_v3_norm(e));
    }
    return least;
}

// How far the point x of an edge is from its ends.
static double within_edge(const feature *f, dp_v3 x)
{
    return fmin(dp_v3_norm(dp_v3_sub(x, f->point[0])), dp_v3_norm(dp_v3_sub(x, f->point[1])));
}

// `x` is the point of the feature; it and the directions are in the frame of the shape.
static void add_feature(surroundings *q, const dp_shape *s, const feature *f, dp_v3 x, dp_v3 n,
                        dp_v3 t1, dp_v3 t2)
{
    const double *size = s->size;
    piece p;
    if (s->kind == DP_ELLIPSOID) {
        evaluate(&p, s, f, n, t1, t2);
        add_piece(q, &p, dp_v3_norm((dp_v3){size[0] * n.x, size[1] * n.y, size[2] * n.z}),
                  fmax(size[0], fmax(size[1], size[2])));
    } else if (f->kind == FACE) {
        const double l =
            s->kind == DP_CYLINDER ? size[0] - sqrt(x.x * x.x + x.y * x.y) : within_polygon(f, x);
        add_length(q, l, t1, t1, t2);
        add_length(q, l, t2, t1, t2);
    } else if (s->kind == DP_CYLINDER) {
        evaluate(&p, s, f, n, t1, t2);
        add_piece(q, &p, sqrt(n.x * n.x + n.y * n.y), 1.0);
        if (f->kind == EDGE) {
            add_length(q, size[1] - fabs(x.z), (dp_v3){0.0, 0.0, 1.0}, t1, t2);
        }
    } else if (f->kind == EDGE) {
        add_length(q, within_edge(f, x), f->axis, t1, t2);
    }
}

// What (2) must exceed: that depth, and something that makes all others differ from it by more than
// DP_DIFFERENCE_TIE of the size where cos θ < 1 − 1e-6.
static const double TO_SPARE = 1.0005, APART = 1e6 * DP_DIFFERENCE_TIE;

// Does (2) hold at an angle?
static bool holds_at(const surroundings *q, double sine, double cosine, double depth)
{
    double M11 = sine * q->l11, M12 = sine * q->l12, M22 = sine * q->l22;
    for (int i = 0; i < q->count; ++i) {
        const double A = q->piece[i].A, C = q->piece[i].C;
        const double by = 0.5 * sine * sine * A / (A + C * (cosine < 0.0 ? 1.0 : sine));
        M11 += by * q->piece[i].H11;
        M12 += by * q->piece[i].H12;
        M22 += by * q->piece[i].H22;
    }
    const double half = 0.5 * (M11 - M22);
    return 0.5 * (M11 + M22) - sqrt(half * half + M12 * M12) > depth * (1.0 - cosine);
}

// The cosine of the greatest of some angles at which (2) holds; 2: of none.
static double cosine_around(const dp_difference *m, const feature f[2], const dp_polished *p)
{
    enum { ANGLES = 15, SQUARE = 12 }; // the latter is 90°
    static const double sine[ANGLES] = {0.03, 0.045, 0.065, 0.09, 0.13, 0.19, 0.27, 0.38,
                                        0.5,  0.62,  0.76,  0.9,  1.0,  0.9,  0.5};
    const dp_v3 n = p->normal, back = dp_v3_back(to_b(m, n));
    dp_v3 t1, t2;
    find_axes_across(&t1, &t2, n);
    surroundings q = {.count = 0};
    add_feature(&q, m->a, &f[0], p->point[0], n, t1, t2);
    add_feature(&q, m->b, &f[1], to_b(m, dp_v3_sub(p->point[1], m->p)), back, to_b(m, t1),
                to_b(m, t2));
    const double depth = TO_SPARE * -p->gap + APART * m->size;
    int low = -1, high = ANGLES;
    double best = 2.0;
    while (high - low > 1) {
        const int i = (low + high) / 2;
        const double c2 = 1.0 - sine[i] * sine[i], cosine = i < SQUARE ? sqrt(c2) : -sqrt(c2);
        if (holds_at(&q, sine[i], cosine, depth)) {
            low = i;
            best = cosine;
        } else {
            high = i;
        }
    }
    return best;
}

// --- An ellipsoid within M

// Ellipsoids, discs and segments have support functions |A u|, with A of rank three, two and one,
// and the cores but hulls are sums of these. Whatever rotations Q are, |Σ Q A u| ≤ Σ |A u|: so M
// holds the ellipsoid of C = Σ Q A. With Q that turn every A n into one direction it touches M
// where the way out ends, and with the best of those C u = (g·u, T t) for u = n + t, t across n: g
// leads from the centre to the touch, T = Σ √(h H) with h = |A n| and H the Hessian of |A u| at n.
// Where A n = 0 a segment of half length l along e has l e eᵀ in T, a disc of radius l has l, l
// from the touch to the border. Let h be g·n and δ the depth. At an angle θ from n, k = tan θ/2,
// towards the unit vector t the ellipsoid is no less deep than δ where
//
//     tᵀT²t − δ h − 2 δ g·t k + δ (h − δ) k² ≥ 0,                                       (3)
//
// which holds for all angles when h > δ and T² − δ h − δ/(h − δ) g gᵀ across n is positive. Any
// share of a part may be left away, towards the touch: of straight ones, which have no T, that with
// the least trace of what is subtracted; of round ones, for which the ball that touches from within
// comes instead, some.
typedef struct part {
    double h, g1, g2;     // how high the touch is along n, and where across n, from the centre
    double T11, T12, T22; // along the axes across n
} part;

typedef struct inner {
    part straight, level; // all of them together; those with A n = 0 have only T
    part round[2];        // of either shape
    double ball[2];       // radius
} inner;

// The root of a positive matrix.
static void add_root(part *p, double M11, double M12, double M22)
{
    const double root = sqrt(fmax(M11 * M22 - M12 * M12, 0.0));
    const double trace = M11 + M22 + 2.0 * root, by = trace > 0.0 ? 1.0 / sqrt(trace) : 0.0;
    p->T11 += by * (M11 + root);
    p->T12 += by * M12;
    p->T22 += by * (M22 + root);
}

static void add_level(part *p, double l, dp_v3 e, dp_v3 t1, dp_v3 t2)
{
    const double e1 = dp_v3_dot(e, t1), e2 = dp_v3_dot(e, t2), length = fmax(l, 0.0);
    p->T11 += length * e1 * e1;
    p->T12 += length * e1 * e2;
    p->T22 += length * e2 * e2;
}

// `x`: where a part touches, from its centre.
static void add_touch(part *p, dp_v3 x, dp_v3 n, dp_v3 t1, dp_v3 t2, double sign)
{
    p->h += dp_v3_dot(x, n);
    p->g1 += sign * dp_v3_dot(x, t1);
    p->g2 += sign * dp_v3_dot(x, t2);
}

// Segments of boxes and capsules.
static void add_segments(inner *q, const dp_shape *s, const feature *f, dp_v3 x, dp_v3 n, dp_v3 t1,
                         dp_v3 t2, double sign)
{
    const bool box = s->kind == DP_BOX;
    const double half[3] = {s->size[0], s->size[1], box ? s->size[2] : s->size[1]};
    const double at[3] = {x.x, x.y, x.z}, along[3] = {n.x, n.y, n.z};
    const double axis[3] = {f->axis.x, f->axis.y, f->axis.z};
    dp_v3 corner = {0.0, 0.0, 0.0};
    for (int i = box ? 0 : 2; i < 3; ++i) {
        const dp_v3 e = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
        if (f->kind == EDGE ? axis[i] != 0.0 : f->kind == FACE && axis[i] == 0.0) {
            add_level(&q->level, half[i] - fabs(at[i]), e, t1, t2);
        } else {
            corner = dp_v3_madd(corner, dp_toward(along[i], half[i]), e);
        }
    }
    add_touch(&q->straight, corner, n, t1, t2, sign);
}

// The parts of shape `which`, +n or −n for it, all in its own frame.
static void add_parts(inner *q, const dp_shape *s, int which, const feature *f, dp_v3 x, dp_v3 n,
                      dp_v3 t1, dp_v3 t2)
{
    const double *size = s->size, sign = which == 0 ? 1.0 : -1.0;
    const dp_v3 z = {0.0, 0.0, 1.0};
    part *round = &q->round[which];
    piece p;
    switch (s->kind) {
    case DP_ELLIPSOID: {
        evaluate(&p, s, f, n, t1, t2);
        add_touch(round, p.x, n, t1, t2, sign);
        add_root(round, round->h * p.H11, round->h * p.H12, round->h * p.H22);
        q->ball[which] = ball_in_shape(s, f, x, n);
        break;
    }
    case DP_CYLINDER:
        if (f->kind == FACE) {
            const double l = size[0] - sqrt(x.x * x.x + x.y * x.y);
            add_level(&q->level, l, t1, t1, t2);
            add_level(&q->level, l, t2, t1, t2);
        } else {
            evaluate(&p, s, f, n, t1, t2);
            add_touch(round, (dp_v3){p.x.x, p.x.y, 0.0}, n, t1, t2, sign);
            add_root(round, round->h * p.H11, round->h * p.H12, round->h * p.H22);
        }
        if (f->kind == EDGE) {
            add_level(&q->level, size[1] - fabs(x.z), z, t1, t2);
        } else {
            add_touch(&q->straight, dp_v3_scale(z, f->z), n, t1, t2, sign);
        }
        break;
    case DP_BOX:
    case DP_CAPSULE:
        add_segments(q, s, f, x, n, t1, t2, sign);
        break;
    case DP_MESH: { // what touches of it, and the line to the vertex opposite
        if (f->kind == EDGE) {
            add_level(&q->level, within_edge(f, x), f->axis, t1, t2);
        } else if (f->kind == FACE) {
            const double l = within_polygon(f, x);
            add_level(&q->level, l, t1, t1, t2);
            add_level(&q->level, l, t2, t1, t2);
        }
        int vertex = -1;
        const dp_v3 y = dp_core_support_of(s, dp_v3_back(n), &vertex);
        add_touch(&q->straight, dp_v3_scale(dp_v3_sub(x, y), 0.5), n, t1, t2, sign);
        break;
    }
    case DP_SPHERE:
    case DP_PLANE:
    case DP_HFIELD:
    default:
        break;
    }
}

// The share of the straight parts, of which h and g are in s, for the least δ h + δ/(h − δ) g·g.
// With u = h − δ and g = v + u w that is u + (v + u w)²/u, but for constants.
static double best_share(const part *s, const part *others, double depth)
{
    if (!(s->h > 0.0)) {
        return 0.0;
    }
    const double none = (depth - others->h) / s->h, w1 = s->g1 / s->h, w2 = s->g2 / s->h;
    const double v1 = others->g1 + none * s->g1, v2 = others->g2 + none * s->g2;
    const double u = sqrt((v1 * v1 + v2 * v2) / (1.0 + w1 * w1 + w2 * w2));
    return fmin(fmax(none + u / s->h, 0.0), 1.0);
}

// T² − δ h.
static part squared(const part *p, double depth)
{
    const double level = depth * p->h;
    return (part){.T11 = p->T11 * p->T11 + p->T12 * p->T12 - level,
                  .T12 = p->T12 * (p->T11 + p->T22),
                  .T22 = p->T22 * p->T22 + p->T12 * p->T12 - level};
}

// Does (3) hold for all angles?
static bool holds_everywhere(const part *p, double depth)
{
    const double above = p->h - depth;
    if (!(above > 0.0)) {
        return false;
    }
    const part S = squared(p, depth);
    const double by = depth / above;
    const double M11 = S.T11 - by * p->g1 * p->g1, M12 = S.T12 - by * p->g1 * p->g2;
    const double M22 = S.T22 - by * p->g2 * p->g2;
    return M11 > 0.0 && M11 * M22 > M12 * M12;
}

// The cosine of the greatest angle up to which (3) holds for all t; 2: of none.
static double cosine_within(const part *p, double depth)
{
    const part S = squared(p, depth);
    const double half = 0.5 * (S.T11 - S.T22);
    const double least = 0.5 * (S.T11 + S.T22) - sqrt(half * half + S.T12 * S.T12);
    if (!(least > 0.0)) {
        return 2.0;
    }
    const double g = depth * sqrt(p->g1 * p->g1 + p->g2 * p->g2);
    const double root = sqrt(fmax(g * g - least * depth * (p->h - depth), 0.0));
    const double k = least / (g + root);
    return (1.0 - k * k) / (1.0 + k * k);
}

static void add_share(part *sum, const part *p, double share)
{
    sum->h += share * p->h;
    sum->g1 += share * p->g1;
    sum->g2 += share * p->g2;
    sum->T11 += share * p->T11;
    sum->T12 += share * p->T12;
    sum->T22 += share * p->T22;
}

// What of a hull is known to be round is seldom enough, but for an ellipsoid with it.
static bool has_ellipsoids(const dp_difference *m)
{
    return m->a->kind == DP_ELLIPSOID || m->b->kind == DP_ELLIPSOID ||
           (m->a->kind != DP_MESH && m->b->kind != DP_MESH);
}

// The cosine of an angle within which no other normal is as good, by ellipsoids within M; −1: there
// is none at all.
static double cosine_by_ellipsoids(const dp_difference *m, const feature f[2], const dp_polished *p)
{
    enum { SHARES = 5 };
    static const double share[SHARES][2] = {
        {1.0, 1.0}, {0.5, 0.5}, {1.0, 0.0}, {0.0, 1.0}, {0.0, 0.0}};
    const dp_v3 n = p->normal, back = dp_v3_back(to_b(m, n));
    dp_v3 t1, t2;
    find_axes_across(&t1, &t2, n);
    inner q = {.ball = {0.0, 0.0}};
    add_parts(&q, m->a, 0, &f[0], p->point[0], n, t1, t2);
    add_parts(&q, m->b, 1, &f[1], to_b(m, dp_v3_sub(p->point[1], m->p)), back, to_b(m, t1),
              to_b(m, t2));
    const double depth = TO_SPARE * -p->gap + APART * m->size;
    double best = 2.0;
    for (int i = 0; i < SHARES; ++i) {
        part sum = q.level;
        for (int k = 0; k < 2; ++k) {
            const double ball = (1.0 - share[i][k]) * q.ball[k];
            add_share(&sum, &q.round[k], share[i][k]);
            sum.h += ball;
            sum.T11 += ball;
            sum.T22 += ball;
        }
        if (i == 0) {
            best = cosine_within(&sum, depth); // nothing straight: that is best nearby
        }
        add_share(&sum, &q.straight, best_share(&q.straight, &sum, depth));
        if (holds_everywhere(&sum, depth)) {
            return -1.0;
        }
    }
    return best;
}

static bool prove(dp_polished *out, evidence *e, dp_difference *m, const feature f[2], dp_v3 n)
{
    dp_difference_support(&e->nearest, m, dp_v3_back(n));
    out->normal = n;
    out->gap = dp_v3_dot(n, e->nearest.w);
    dp_v3 x[MOST_POINTS + 1], y[MOST_POINTS + 1];
    int nx = list_points(x, m, &f[0], 0, n), ny = list_points(y, m, &f[1], 1, n);
    if (nx == 0 && ny == 0) { // two caps: from the middle of one
        const dp_v3 own = {0.0, 0.0, f[0].z};
        ny = list_cap(y, m, &f[1], 1, &own, 1);
    }
    if (nx == 0) {
        nx = list_cap(x, m, &f[0], 0, y, ny < MOST_POINTS ? ny : MOST_POINTS);
    }
    if (ny == 0) {
        ny = list_cap(y, m, &f[1], 1, x, nx < MOST_POINTS ? nx : MOST_POINTS);
    }
    e->active[0] = e->active[1] = 0;
    e->hidden = dp_v3_dot(n, dp_v3_sub(y[0], x[0])) - out->gap;
    const double off = facing_points(out->point, e->active, x, nx, y, ny, dp_v3_scale(n, out->gap));
    if (!(off <= PROVED * m->size)) {
        return false;
    }
    out->key[0] = key_of(&f[0], m->a);
    out->key[1] = key_of(&f[1], m->b);
    out->only = is_only(m, f, x, nx, y, ny, out);
    out->cosine = out->only ? -1.0 : 2.0;
    if (!out->only && has_ellipsoids(m)) {
        out->cosine = cosine_by_ellipsoids(m, f, out);
    }
    if (out->cosine > -1.0) {
        out->cosine = fmin(out->cosine, cosine_around(m, f, out));
    }
    out->only = out->cosine == -1.0;
    return true;
}

// --- All of it

// The unit vector across both; zero when they are parallel to round-off. Of edges that are nearly
// parallel the product is poor, but what it has along one of them can be taken out.
static dp_v3 across_both(dp_v3 e, dp_v3 g)
{
    const double parallel = 1e-14;
    dp_v3 c = dp_v3_cross(e, g);
    if (!(dp_v3_norm(c) > parallel)) {
        return (dp_v3){0.0, 0.0, 0.0};
    }
    c = dp_v3_unit(c);
    c = dp_v3_unit(dp_v3_madd(c, -dp_v3_dot(c, e), e));
    return dp_v3_unit(dp_v3_madd(c, -dp_v3_dot(c, e), e));
}

// The normal of these features near n.
static dp_v3 solve(bool *changed, const dp_difference *m, feature f[2], dp_v3 n)
{
    const dp_v3 e[2] = {f[0].axis, dp_m3_apply(&m->R, f[1].axis)};
    *changed = false;
    if (f[0].kind == FACE) {
        return e[0];
    }
    if (f[1].kind == FACE) {
        return dp_v3_back(e[1]);
    }
    if (f[0].kind == EDGE && f[1].kind == EDGE) {
        const dp_v3 c = across_both(e[0], e[1]);
        if (dp_v3_dot(c, c) > 0.0) {
            return dp_v3_dot(c, n) >= 0.0 ? c : dp_v3_back(c);
        }
        return climb(changed, m, f, n, &e[0]); // parallel: one circle is left
    }
    return climb(changed, m, f, n, f[0].kind == EDGE ? &e[0] : (f[1].kind == EDGE ? &e[1] : NULL));
}

// Of a feature only the points that are `active`, in the order of list_points: a face may become an
// edge, either a point. False: it is as it was.
static bool keep_active(feature *f, const dp_shape *s, uint64_t active, dp_v3 n)
{
    if (s->kind == DP_ELLIPSOID || f->kind == POINT) {
        return false;
    }
    if (s->kind == DP_CYLINDER) {
        if (f->kind == EDGE && active != 3) {
            f->kind = POINT;
            f->z = active == 1 ? -s->size[1] : s->size[1];
            return true;
        }
        return false;
    }
    const int before = f->count;
    int count = 0;
    for (int i = 0; i < before; ++i) {
        if (active >> i & 1) {
            f->vertex[count] = f->vertex[i];
            f->point[count++] = f->point[i];
        }
    }
    if (count == 0 || count >= 3 || count == before) { // 0: heights that overflow
        return false;
    }
    f->count = count;
    span(f, s, n);
    return true;
}

// The corner that the support map has found belongs to the feature. False: it did before.
static bool add_nearest(feature *f, const dp_shape *s, int vertex, dp_v3 n)
{
    if (dp_core_is_curved(s) || f->kind == FACE) {
        return false;
    }
    for (int i = 0; i < f->count; ++i) {
        if (f->vertex[i] == vertex) {
            return false;
        }
    }
    f->vertex[f->count] = vertex;
    f->point[f->count++] = dp_core_vertex(s, vertex);
    span(f, s, n);
    return true;
}

// Of a face only what the support map has found.
static void keep_nearest(feature *f, const dp_shape *s, int vertex)
{
    f->kind = POINT;
    if (s->kind != DP_CYLINDER) {
        f->vertex[0] = vertex;
        f->point[0] = dp_core_vertex(s, vertex);
        f->count = 1;
    }
}

// Two faces that are not level: the one that is further from the other shape stays.
static void keep_one_face(feature f[2], dp_difference *m)
{
    const dp_v3 n = f[0].axis, other = dp_v3_back(dp_m3_apply(&m->R, f[1].axis));
    dp_corner c, d;
    dp_difference_support(&c, m, dp_v3_back(n));
    dp_difference_support(&d, m, dp_v3_back(other));
    if (dp_v3_dot(other, d.w) > dp_v3_dot(n, c.w)) {
        keep_nearest(&f[0], m->a, d.vertex[0]);
    } else {
        keep_nearest(&f[1], m->b, c.vertex[1]);
    }
}

static bool are_tilted_faces(const feature f[2], const dp_difference *m)
{
    if (f[0].kind != FACE || f[1].kind != FACE) {
        return false;
    }
    const dp_v3 across = dp_v3_cross(f[0].axis, dp_m3_apply(&m->R, f[1].axis));
    return dp_v3_dot(across, across) > PROVED * PROVED;
}

// Another corner of a polyhedron next to corner `vertex`, number k of them. False: there are fewer.
static bool find_neighbour(int *out, const dp_shape *s, int vertex, int k)
{
    if (s->kind == DP_MESH) {
        const int at = s->hull->neighbour_start[vertex] + k;
        *out = at < s->hull->neighbour_start[vertex + 1] ? s->hull->neighbour[at] : 0;
        return at < s->hull->neighbour_start[vertex + 1];
    }
    *out = vertex ^ 1 << k;
    return k < (s->kind == DP_BOX ? 3 : (s->kind == DP_CAPSULE ? 1 : 0));
}

// Where does the line from x along e, both in the frame of a cylinder, enter or leave its side? The
// normal of rim and line there, outward. False: nowhere between x and x + e.
static bool normal_at_rim(dp_v3 *n, const dp_shape *s, double z, dp_v3 x, dp_v3 e)
{
    const double ee = e.x * e.x + e.y * e.y, xe = x.x * e.x + x.y * e.y;
    const double root2 = xe * xe - ee * (x.x * x.x + x.y * x.y - s->size[0] * s->size[0]);
    if (!(root2 > 0.0)) {
        return false;
    }
    const double root = sqrt(root2);
    const double t = xe + root < 0.0 ? (-xe - root) / ee : (root - xe) / ee;
    if (!(t > 0.0 && t < 1.0)) {
        return false;
    }
    const dp_v3 tangent = {-(x.y + t * e.y), x.x + t * e.x, 0.0};
    const dp_v3 across = dp_v3_unit(dp_v3_cross(e, tangent));
    *n = across.z * z >= 0.0 ? across : dp_v3_back(across);
    return true;
}

// A cap, but what is nearest to it is beside it: then the rim is next to an edge, of a lone corner
// to one that leads below the cap. `n`, from A to B, becomes a guess for them.
static bool turn_to_rim(feature f[2], const dp_difference *m, dp_v3 *n)
{
    const int cap = m->a->kind == DP_CYLINDER && f[0].kind == FACE ? 0 : 1;
    const dp_shape *s = cap == 0 ? m->a : m->b, *t = cap == 0 ? m->b : m->a;
    feature *g = &f[1 - cap];
    if (s->kind != DP_CYLINDER || f[cap].kind != FACE || dp_core_is_curved(t) || g->kind == FACE) {
        return false;
    }
    const int end[2] = {g->vertex[0], g->vertex[g->kind == EDGE ? 1 : 0]};
    for (int i = 0, k = 0, vertex; i < 2;) {
        if (!find_neighbour(&vertex, t, end[i], k++)) {
            ++i;
            k = 0;
            continue;
        }
        const dp_v3 x = dp_core_vertex(t, end[i]), y = dp_core_vertex(t, vertex);
        const dp_v3 way = dp_v3_sub(y, x);
        dp_v3 out;
        if (cap == 0 ? normal_at_rim(&out, s, f[0].z, from_b(m, x), dp_m3_apply(&m->R, way))
                     : normal_at_rim(&out, s, f[1].z, to_b(m, dp_v3_sub(x, m->p)), to_b(m, way))) {
            *g = (feature){.kind = EDGE,
                           .axis = dp_v3_unit(way),
                           .point = {x, y},
                           .vertex = {end[i], vertex},
                           .count = 2};
            f[cap].kind = POINT;
            *n = cap == 0 ? out : dp_v3_back(dp_m3_apply(&m->R, out));
            return true;
        }
    }
    return false;
}

// A cap, but what is nearest to it is beside it and curved: then the rim is next to it. `n` leans
// outward there.
static bool lean_to_rim(feature f[2], const dp_difference *m, const evidence *e, dp_v3 *n)
{
    const double lean = 0.3; // anything but 0, where the rim has no direction
    const int cap = m->a->kind == DP_CYLINDER && f[0].kind == FACE ? 0 : 1;
    const dp_shape *s = cap == 0 ? m->a : m->b, *t = cap == 0 ? m->b : m->a;
    if (s->kind != DP_CYLINDER || f[cap].kind != FACE || !dp_core_is_curved(t) ||
        f[1 - cap].kind == FACE) {
        return false;
    }
    const dp_v3 y = cap == 0 ? e->nearest.b : to_b(m, dp_v3_sub(e->nearest.a, m->p));
    const double length = sqrt(y.x * y.x + y.y * y.y);
    if (!(length > s->size[0])) {
        return false;
    }
    const dp_v3 out =
        dp_v3_unit((dp_v3){lean * y.x / length, lean * y.y / length, f[cap].z > 0.0 ? 1.0 : -1.0});
    f[cap].kind = POINT;
    *n = cap == 0 ? out : dp_v3_back(dp_m3_apply(&m->R, out));
    return true;
}

// Other features, beside those that have failed: the ends of those that end before they face each
// other, or more of those that end before what is nearest.
static bool move_on(feature f[2], dp_difference *m, const evidence *e, dp_v3 *normal, bool *turned)
{
    if (f[0].kind == FACE && f[1].kind == FACE) {
        keep_one_face(f, m);
        return true;
    }
    const dp_v3 n = *normal, back = dp_v3_back(to_b(m, n));
    if (e->hidden > PROVED * m->size) {
        const bool more = add_nearest(&f[0], m->a, e->nearest.vertex[0], n);
        return add_nearest(&f[1], m->b, e->nearest.vertex[1], back) || more;
    }
    const bool less = keep_active(&f[0], m->a, e->active[0], n);
    if (keep_active(&f[1], m->b, e->active[1], back) || less) {
        return true;
    }
    const bool before = *turned;
    *turned = true;
    return !before && (turn_to_rim(f, m, normal) || lean_to_rim(f, m, e, normal));
}

// The end of an edge that looks along n.
static void keep_end(feature *f, const dp_shape *s, dp_v3 n)
{
    f->kind = POINT;
    if (s->kind == DP_CYLINDER) {
        f->z = n.z >= 0.0 ? s->size[1] : -s->size[1];
    } else {
        const int end = dp_v3_dot(n, dp_v3_sub(f->point[1], f->point[0])) > 0.0 ? 1 : 0;
        f->vertex[0] = f->vertex[end];
        f->point[0] = f->point[end];
        f->count = 1;
    }
}

// Edges that are nearly parallel and do not cross where they are: the end of one is next to the
// other, or ends are next to each other.
static bool polish_ends(dp_polished *out, dp_difference *m, const feature f[2], dp_v3 n)
{
    bool changed;
    feature g[2] = {f[0], f[1]};
    const dp_v3 e = f[0].axis;
    n = climb(&changed, m, g, n, &e); // as if they were parallel
    for (int k = 0; k < 3; ++k) {
        g[0] = f[0];
        g[1] = f[1];
        if (k != 0) {
            keep_end(&g[0], m->a, n);
        }
        if (k != 1) {
            keep_end(&g[1], m->b, dp_v3_back(to_b(m, n)));
        }
        const dp_v3 found = solve(&changed, m, g, n);
        evidence e_found;
        if (!changed && dp_v3_finite(found) && prove(out, &e_found, m, g, found)) {
            return true;
        }
    }
    return false;
}

static bool are_nearly_parallel(const feature f[2], const dp_difference *m)
{
    const double nearly_parallel = 0.99; // cosine
    return f[0].kind == EDGE && f[1].kind == EDGE &&
           fabs(dp_v3_dot(f[0].axis, dp_m3_apply(&m->R, f[1].axis))) > nearly_parallel;
}

// The features that the corners of a simplex lie on.
static void find_features(feature f[2], const dp_difference *m, const dp_simplex *s, dp_v3 n)
{
    DP_ASSERT(s->count > 0);
    dp_v3 x[2][4];
    int vertex[2][4];
    for (int i = 0; i < s->count; ++i) {
        x[0][i] = s->corner[i].a;
        x[1][i] = dp_core_is_curved(m->b) ? to_b(m, dp_v3_sub(s->corner[i].b, m->p))
                                          : dp_core_vertex(m->b, s->corner[i].vertex[1]);
        vertex[0][i] = s->corner[i].vertex[0];
        vertex[1][i] = s->corner[i].vertex[1];
    }
    find_feature(&f[0], m->a, x[0], vertex[0], s->count, n);
    find_feature(&f[1], m->b, x[1], vertex[1], s->count, dp_v3_back(to_b(m, n)));
}

bool dp_polish_leads_to(const dp_polished *p, const dp_difference *m, const dp_simplex *s, dp_v3 n)
{
    feature f[2];
    find_features(f, m, s, n);
    return key_of(&f[0], m->a) == p->key[0] && key_of(&f[1], m->b) == p->key[1];
}

bool dp_polish(dp_polished *out, dp_difference *m, const dp_simplex *s, dp_v3 n)
{
    feature f[2];
    if (s->count == 0) {
        guess_feature(&f[0], m->a, n, NEARLY_LEVEL * m->size);
        guess_feature(&f[1], m->b, dp_v3_back(to_b(m, n)), NEARLY_LEVEL * m->size);
    } else {
        find_features(f, m, s, n);
    }
    if (are_tilted_faces(f, m)) {
        keep_one_face(f, m);
    }
    const dp_v3 guess = n;
    bool turned = false; // once is enough
    for (int k = 0; k < MOST_FEATURES; ++k) {
        bool changed = true;
        for (int l = 0; l < 3 && changed; ++l) {
            n = solve(&changed, m, f, n);
        }
        evidence e;
        const bool solved = !changed && dp_v3_finite(n);
        if (solved && prove(out, &e, m, f, n)) {
            return true;
        }
        if (k == 0 && are_nearly_parallel(f, m) && polish_ends(out, m, f, guess)) {
            return true;
        }
        if (!solved || !move_on(f, m, &e, &n, &turned)) {
            return false;
        }
    }
    return false;
}
