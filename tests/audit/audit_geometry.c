#include "audit_geometry.h"

#include <stdlib.h>
#include <string.h>

// The gap of convex sets A and B is the largest, over unit vectors n, of
//
//     g(n) = min_B n·b − max_A n·a = min over D of n·d,     D = B − A                   (GE 1)
//
// Every n is a lower bound of the gap. Apart, the nearest point of D to the origin is an upper
// bound (GJK: the nearest point of a simplex of points of D). Where D holds the origin, a polytope
// of points of D holds a ball about the origin that is no larger than the one in D: its radius
// bounds the depth from below, and (GE 1) with the normal of its nearest face bounds it from above.
// Balls and capsules are a point and a segment with a radius, which is subtracted at the end.

enum { MAX_GJK = 300, MAX_CORNERS = 500, MAX_FACES = 2 * MAX_CORNERS + 8 };

typedef struct placed {
    const shape *s;
    const pose *X;
} placed;

static double core_radius(const shape *s)
{
    return s->kind == SHAPE_SPHERE || s->kind == SHAPE_CAPSULE ? s->size[0] : 0.0;
}

static v3 farthest_point(const shape *s, v3 n)
{
    v3 best = v3_load(s->point);
    for (int i = 1; i < s->npoint; ++i) {
        const v3 p = v3_load(s->point + (size_t)i * 3);
        best = v3_dot(v3_sub(p, best), n) > 0.0 ? p : best;
    }
    return best;
}

static v3 core_support(const shape *s, v3 n)
{
    const double *a = s->size;
    switch (s->kind) {
    case SHAPE_CAPSULE:
        return (v3){0, 0, copysign(a[1], n.z)};
    case SHAPE_CYLINDER: {
        const double r = hypot(n.x, n.y), c = r > 0.0 ? a[0] / r : 0.0;
        return (v3){c * n.x, c * n.y, copysign(a[1], n.z)};
    }
    case SHAPE_ELLIPSOID: {
        const v3 s2 = {a[0] * n.x, a[1] * n.y, a[2] * n.z};
        const double r = v3_norm(s2), c = r > 0.0 ? 1.0 / r : 0.0;
        return (v3){c * a[0] * s2.x, c * a[1] * s2.y, c * a[2] * s2.z};
    }
    case SHAPE_BOX:
        return (v3){copysign(a[0], n.x), copysign(a[1], n.y), copysign(a[2], n.z)};
    case SHAPE_POLYHEDRON:
        return farthest_point(s, n);
    default:
        return (v3){0, 0, 0};
    }
}

bool shape_is_convex(const shape *s)
{
    return s->kind != SHAPE_PLANE && s->kind != SHAPE_HEIGHTS && s->kind != SHAPE_TRIANGLES;
}

v3 shape_support(const shape *s, v3 n)
{
    return v3_madd(core_support(s, n), core_radius(s), v3_unit(n));
}

double shape_reach(const shape *s)
{
    const double *a = s->size;
    switch (s->kind) {
    case SHAPE_SPHERE:
        return a[0];
    case SHAPE_CAPSULE:
        return a[0] + a[1];
    case SHAPE_CYLINDER:
        return hypot(a[0], a[1]);
    case SHAPE_ELLIPSOID:
        return fmax(a[0], fmax(a[1], a[2]));
    case SHAPE_BOX:
        return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    default: {
        double reach = 0.0;
        for (int i = 0; i < s->npoint; ++i) {
            reach = fmax(reach, v3_norm(v3_load(s->point + (size_t)i * 3)));
        }
        return reach;
    }
    }
}

// Directions spread evenly over the sphere.
static v3 spread_direction(int i, int n)
{
    const double z = 1.0 - (2.0 * i + 1.0) / n, angle = 2.399963229728653 * i;
    const double r = sqrt(fmax(0.0, 1.0 - z * z));
    return (v3){r * cos(angle), r * sin(angle), z};
}

double shape_thickness(const shape *s)
{
    enum { N = 200 };
    double least = INFINITY;
    for (int i = 0; i < N + 3; ++i) {
        const v3 n = i < N ? spread_direction(i, N) : (v3){i == N, i == N + 1, i == N + 2};
        const v3 across = v3_sub(shape_support(s, n), shape_support(s, v3_scale(n, -1.0)));
        least = fmin(least, v3_dot(across, n));
    }
    return least;
}

static v3 placed_core(placed a, v3 n)
{
    return pose_apply(a.X, core_support(a.s, m3_apply_transposed(&a.X->R, n)));
}

// The point of the cores' differences that is farthest along n.
static v3 difference(placed a, placed b, v3 n)
{
    return v3_sub(placed_core(b, n), placed_core(a, v3_scale(n, -1.0)));
}

// The nearest point to the origin of the simplex of n ≤ 4 points: every face is tried. On return
// only the corners of the face with that point are left.
static v3 nearest_of_simplex(v3 *p, int *n)
{
    double best = INFINITY;
    v3 nearest = p[0];
    int faces = 1 << *n, best_face = 1;
    for (int face = 1; face < faces; ++face) {
        v3 c[4];
        int k = 0;
        for (int i = 0; i < *n; ++i) {
            if (face & (1 << i)) {
                c[k++] = p[i];
            }
        }
        v3 x = c[0];
        bool inside = true;
        if (k == 2) {
            const v3 e = v3_sub(c[1], c[0]);
            const double ee = v3_dot(e, e), t = ee > 0.0 ? -v3_dot(c[0], e) / ee : -1.0;
            inside = t >= 0.0 && t <= 1.0;
            x = v3_madd(c[0], t, e);
        } else if (k == 3) {
            const v3 e = v3_sub(c[1], c[0]), f = v3_sub(c[2], c[0]), m = v3_cross(e, f);
            const double mm = v3_dot(m, m);
            if (mm <= 1e-28 * v3_dot(e, e) * v3_dot(f, f)) {
                continue;
            }
            x = v3_scale(m, v3_dot(c[0], m) / mm);
            const v3 y = v3_sub(x, c[0]);
            const double s = v3_dot(v3_cross(y, f), m) / mm, t = v3_dot(v3_cross(e, y), m) / mm;
            inside = s >= 0.0 && t >= 0.0 && s + t <= 1.0;
        } else if (k == 4) {
            const v3 e = v3_sub(c[1], c[0]), f = v3_sub(c[2], c[0]), g = v3_sub(c[3], c[0]);
            const double det = v3_dot(e, v3_cross(f, g));
            const v3 y = v3_scale(c[0], -1.0);
            if (det == 0.0) {
                continue;
            }
            const double s = v3_dot(y, v3_cross(f, g)) / det, t = v3_dot(e, v3_cross(y, g)) / det,
                         u = v3_dot(e, v3_cross(f, y)) / det;
            inside = s >= 0.0 && t >= 0.0 && u >= 0.0 && s + t + u <= 1.0;
            x = (v3){0, 0, 0};
        }
        if (inside && v3_dot(x, x) < best) {
            best = v3_dot(x, x);
            nearest = x;
            best_face = face;
        }
    }
    int k = 0;
    for (int i = 0; i < *n; ++i) {
        if (best_face & (1 << i)) {
            p[k++] = p[i];
        }
    }
    *n = k;
    return nearest;
}

// A polytope that grows.
typedef struct face {
    int corner[3];
    v3 normal;
    double distance; // of its plane from the origin along the normal
} face;

typedef struct polytope {
    v3 corner[MAX_CORNERS];
    face face[MAX_FACES];
    int ncorner, nface;
} polytope;

static bool add_face(polytope *P, int a, int b, int c)
{
    const v3 e = v3_sub(P->corner[b], P->corner[a]), f = v3_sub(P->corner[c], P->corner[a]);
    const v3 m = v3_cross(e, f);
    const double size = v3_norm(m);
    if (P->nface == MAX_FACES || !(size > 0.0)) {
        return false;
    }
    const v3 n = v3_scale(m, 1.0 / size);
    P->face[P->nface++] = (face){{a, b, c}, n, v3_dot(n, P->corner[a])};
    return true;
}

// Take in the point p, which is beyond face k. False: numbers are at an end.
static bool grow(polytope *P, v3 p, int k, double tiny)
{
    static _Thread_local int edge[3 * MAX_FACES][2];
    int nedge = 0, kept = 0;
    if (P->ncorner == MAX_CORNERS) {
        return false;
    }
    for (int i = 0; i < P->nface; ++i) {
        const face f = P->face[i];
        if (i != k && v3_dot(f.normal, p) - f.distance <= tiny) {
            P->face[kept++] = f;
            continue;
        }
        for (int c = 0; c < 3; ++c) { // edges that two faces lose are inside the hole
            const int from = f.corner[c], to = f.corner[(c + 1) % 3];
            int at = 0;
            while (at < nedge && !(edge[at][0] == to && edge[at][1] == from)) {
                ++at;
            }
            if (at < nedge) {
                --nedge;
                edge[at][0] = edge[nedge][0];
                edge[at][1] = edge[nedge][1];
            } else {
                edge[nedge][0] = from;
                edge[nedge++][1] = to;
            }
        }
    }
    P->nface = kept;
    P->corner[P->ncorner++] = p;
    for (int i = 0; i < nedge; ++i) {
        if (!add_face(P, edge[i][0], edge[i][1], P->ncorner - 1)) {
            return false;
        }
    }
    return true;
}

// Four points of D that span a good volume; false where D is flat, with a normal of it.
static bool begin_polytope(polytope *P, placed a, placed b, v3 *flat)
{
    enum { N = 40 };
    v3 p[N];
    for (int i = 0; i < N; ++i) {
        p[i] = difference(a, b, spread_direction(i, N)); // no direction along an axis
    }
    int chosen[4] = {0};
    double most = 0.0;
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < i; ++j) {
            const double d = v3_norm(v3_sub(p[i], p[j]));
            if (d > most) {
                most = d;
                chosen[0] = i;
                chosen[1] = j;
            }
        }
    }
    const double length = most;
    const v3 e = v3_sub(p[chosen[1]], p[chosen[0]]);
    most = 0.0;
    for (int i = 0; i < N; ++i) {
        const double d = v3_norm(v3_cross(e, v3_sub(p[i], p[chosen[0]])));
        if (d > most) {
            most = d;
            chosen[2] = i;
        }
    }
    if (most <= 1e-12 * length * length) {
        *flat = length > 0.0 ? v3_perpendicular(e) : (v3){0, 0, 1};
        return false;
    }
    const v3 m = v3_unit(v3_cross(e, v3_sub(p[chosen[2]], p[chosen[0]])));
    most = 0.0;
    double side = 0.0;
    for (int i = 0; i < N; ++i) {
        const double d = v3_dot(m, v3_sub(p[i], p[chosen[0]]));
        if (fabs(d) > most) {
            most = fabs(d);
            side = d;
            chosen[3] = i;
        }
    }
    if (most <= 1e-11 * length) {
        *flat = m;
        return false;
    }
    P->ncorner = 4;
    P->nface = 0;
    for (int i = 0; i < 4; ++i) {
        P->corner[i] = p[chosen[i]];
    }
    const int s = side < 0.0 ? 1 : 2, t = side < 0.0 ? 2 : 1; // outward normals
    return add_face(P, 0, s, t) && add_face(P, 0, 3, s) && add_face(P, 0, t, 3) &&
           add_face(P, s, 3, t);
}

static int nearest_face(const polytope *P)
{
    int best = 0;
    for (int i = 1; i < P->nface; ++i) {
        best = P->face[i].distance < P->face[best].distance ? i : best;
    }
    return best;
}

static const v3 BESIDE = {0.5377, -0.2861, 0.7931};

// Depth of the origin in D.
static separation depth(placed a, placed b, double enough, double size)
{
    static _Thread_local polytope P;
    separation out = {.lower = -INFINITY, .upper = 0.0, .normal = {0, 0, 1}, .signed_ = true};
    v3 flat;
    if (!begin_polytope(&P, a, b, &flat)) {
        const double up = v3_dot(flat, difference(a, b, flat)),
                     down = -v3_dot(flat, difference(a, b, v3_scale(flat, -1.0)));
        out.lower = -fmax(0.0, fmin(up, down));
        out.normal = flat;
        return out;
    }
    for (;;) {
        const int k = nearest_face(&P);
        const face f = P.face[k];
        const v3 p = difference(a, b, f.normal);
        const double reach = v3_dot(f.normal, p);
        if (-reach > out.lower) {
            out.lower = -reach;
            out.normal = v3_scale(f.normal, -1.0);
        }
        out.upper = fmin(0.0, -f.distance);
        if (out.lower > 0.0) { // apart after all, by round-off
            out.upper = out.lower;
            return out;
        }
        // Of points that are equally far along the normal one is a corner of D, and others lie
        // between corners: a direction beside the normal finds a corner.
        const v3 corner = difference(a, b, v3_madd(f.normal, 1e-8, BESIDE));
        if (out.upper - out.lower <= enough ||
            v3_dot(f.normal, corner) - f.distance <= 1e-14 * size ||
            !grow(&P, corner, k, 1e-15 * size)) {
            return out;
        }
    }
}

static separation convex_separation(placed a, placed b, double enough)
{
    const double radius = core_radius(a.s) + core_radius(b.s);
    const double size = shape_reach(a.s) + shape_reach(b.s) + v3_norm(v3_sub(a.X->p, b.X->p));
    v3 p[4];
    int n = 1;
    p[0] = difference(a, b, v3_sub(a.X->p, b.X->p));
    v3 x = p[0];
    separation out = {.lower = -INFINITY, .upper = INFINITY, .signed_ = true};
    bool apart = true;
    for (int i = 0; i < MAX_GJK; ++i) {
        const double distance = v3_norm(x);
        if (distance <= 1e-14 * size) {
            apart = false;
            break;
        }
        out.upper = fmin(out.upper, distance);
        const v3 normal = v3_scale(x, 1.0 / distance);
        const v3 s = difference(a, b, v3_scale(normal, -1.0));
        const double proved = v3_dot(normal, s);
        if (proved > out.lower) {
            out.lower = proved;
            out.normal = normal;
        }
        if (out.upper - out.lower <= enough || n == 4) {
            break;
        }
        bool known = false;
        for (int j = 0; j < n; ++j) {
            known = known || v3_norm(v3_sub(p[j], s)) == 0.0;
        }
        if (known) {
            break;
        }
        p[n++] = s;
        const v3 next = nearest_of_simplex(p, &n);
        if (n == 4 || v3_norm(next) <= 1e-14 * size) {
            apart = false;
            break;
        }
        if (!(v3_norm(next) < distance)) {
            break;
        }
        x = next;
    }
    if (!apart || out.lower < 0.0) {
        const separation inner = depth(a, b, enough, size);
        if (apart) { // the search ended at round-off: both bounds hold
            out.lower = fmax(out.lower, inner.lower);
            out.normal = inner.normal;
        } else {
            out = inner;
        }
    }
    out.lower -= radius;
    out.upper -= radius;
    return out;
}

double shape_gap_along(const shape *a, const pose *X_WA, const shape *b, const pose *X_WB, v3 n)
{
    const placed A = {a, X_WA}, B = {b, X_WB};
    return v3_dot(n, difference(A, B, v3_scale(n, -1.0))) - core_radius(a) - core_radius(b);
}

static separation plane_separation(const pose *X, placed b)
{
    const v3 n = {X->R.m[0][2], X->R.m[1][2], X->R.m[2][2]};
    const v3 low = placed_core(b, v3_scale(n, -1.0));
    const double gap = v3_dot(n, v3_sub(low, X->p)) - core_radius(b.s);
    return (separation){gap, gap, n, true};
}

// Terrain: the nearest of its triangles.

typedef struct triangle {
    double corner[9];
} triangle;

static int terrain_count(const shape *s)
{
    return s->kind == SHAPE_HEIGHTS ? 2 * (s->nrow - 1) * (s->ncol - 1) : s->nface;
}

static v3 height_at(const shape *s, int row, int col)
{
    return (v3){-s->half_x + 2.0 * s->half_x * col / (s->ncol - 1),
                -s->half_y + 2.0 * s->half_y * row / (s->nrow - 1),
                s->height[(size_t)row * (size_t)s->ncol + (size_t)col]};
}

// Cells are cut along the diagonal from (row, column) to (row + 1, column + 1).
static triangle terrain_triangle(const shape *s, int i)
{
    triangle t;
    if (s->kind == SHAPE_HEIGHTS) {
        const int cell = i / 2, row = cell / (s->ncol - 1), col = cell % (s->ncol - 1);
        v3_store(t.corner, height_at(s, row, col));
        if (i % 2 == 0) {
            v3_store(t.corner + 3, height_at(s, row, col + 1));
            v3_store(t.corner + 6, height_at(s, row + 1, col + 1));
        } else {
            v3_store(t.corner + 3, height_at(s, row + 1, col + 1));
            v3_store(t.corner + 6, height_at(s, row + 1, col));
        }
    } else {
        for (int c = 0; c < 3; ++c) {
            memcpy(t.corner + (size_t)c * 3, s->point + (size_t)s->face[3 * i + c] * 3,
                   3 * sizeof *t.corner);
        }
    }
    return t;
}

// Is the point, in the frame of a height field, below its top?
static bool is_below(const shape *s, v3 x)
{
    if (fabs(x.x) > s->half_x || fabs(x.y) > s->half_y) {
        return false;
    }
    const double u = (x.x + s->half_x) / (2.0 * s->half_x) * (s->ncol - 1),
                 w = (x.y + s->half_y) / (2.0 * s->half_y) * (s->nrow - 1);
    const int col = (int)fmin(floor(u), s->ncol - 2), row = (int)fmin(floor(w), s->nrow - 2);
    const double du = u - col, dw = w - row;
    const double z00 = height_at(s, row, col).z, z11 = height_at(s, row + 1, col + 1).z;
    const double z = dw <= du ? z00 + du * (height_at(s, row, col + 1).z - z00) +
                                    dw * (z11 - height_at(s, row, col + 1).z)
                              : z00 + dw * (height_at(s, row + 1, col).z - z00) +
                                    du * (z11 - height_at(s, row + 1, col).z);
    return x.z < z;
}

static separation terrain_separation(placed a, placed b, double enough)
{
    separation out = {.lower = INFINITY, .upper = INFINITY, .normal = {0, 0, 1}, .signed_ = true};
    const double reach = shape_reach(b.s);
    double front = 1.0; // of the nearest: cosine of its normal and the shortest way
    const int n = terrain_count(a.s);
    for (int i = 0; i < n; ++i) {
        const triangle t = terrain_triangle(a.s, i);
        const shape one = {.kind = SHAPE_POLYHEDRON, .point = t.corner, .npoint = 3};
        v3 middle = {0, 0, 0};
        for (int c = 0; c < 3; ++c) {
            middle = v3_madd(middle, 1.0 / 3.0, v3_load(t.corner + (size_t)c * 3));
        }
        double spread = 0.0;
        for (int c = 0; c < 3; ++c) {
            spread = fmax(spread, v3_norm(v3_sub(v3_load(t.corner + (size_t)c * 3), middle)));
        }
        const double away = v3_norm(v3_sub(pose_apply(a.X, middle), b.X->p)) - spread - reach;
        if (away > out.upper) {
            continue;
        }
        const separation s = convex_separation((placed){&one, a.X}, b, enough);
        if (s.upper <= 0.0) {
            return (separation){-INFINITY, 0.0, s.normal, false};
        }
        if (s.lower < out.lower) {
            out.normal = s.normal;
            const v3 x = v3_load(t.corner), y = v3_load(t.corner + 3), z = v3_load(t.corner + 6);
            const v3 up = v3_unit(v3_cross(v3_sub(y, x), v3_sub(z, x)));
            front = v3_dot(m3_apply(&a.X->R, up), s.normal);
        }
        out.lower = fmin(out.lower, s.lower);
        out.upper = fmin(out.upper, s.upper);
    }
    // Only the front touches: of what is below a rim, beside it, nothing is claimed.
    out.signed_ = front > -1e-6;
    if (a.s->kind == SHAPE_HEIGHTS && is_below(a.s, pose_apply_inverse(a.X, b.X->p))) {
        return (separation){-INFINITY, 0.0, {0, 0, 1}, false};
    }
    return out;
}

separation shape_separation(const shape *a, const pose *X_WA, const shape *b, const pose *X_WB,
                            double enough)
{
    const placed A = {a, X_WA}, B = {b, X_WB};
    if (!shape_is_convex(b)) {
        separation turned = a->kind == SHAPE_PLANE || !shape_is_convex(a)
                                ? (separation){-INFINITY, INFINITY, {0, 0, 1}, false}
                                : shape_separation(b, X_WB, a, X_WA, enough);
        turned.normal = v3_scale(turned.normal, -1.0);
        return turned;
    }
    if (a->kind == SHAPE_PLANE) {
        return plane_separation(X_WA, B);
    }
    return shape_is_convex(a) ? convex_separation(A, B, enough) : terrain_separation(A, B, enough);
}

double shape_point_distance(const shape *s, const pose *X, v3 point)
{
    const shape ball = {.kind = SHAPE_SPHERE};
    const pose at = {m3_identity(), point};
    const separation d = shape_separation(s, X, &ball, &at, 1e-12 * (1.0 + v3_norm(point)));
    return 0.5 * (d.lower + d.upper);
}
