// Whether two features face each other along a normal, and whether that is the only one.
#include "collide/exact/feature_pair.h"

// Points of the features at n, in the frame of A. Those of caps come later.
static int list_points(dp_v3 *x, const dp_difference *m, const dp_feature *f, int which, dp_v3 n)
{
    const dp_shape *s = which == 0 ? m->a : m->b;
    int count = 0;
    if (dp_core_is_curved(s)) {
        if (f->kind == DP_FEATURE_FACE) {
            return 0;
        }
        dp_piece p;
        const dp_v3 zero = {0.0, 0.0, 0.0};
        dp_piece_evaluate(&p, s, f, which == 0 ? n : dp_v3_back(dp_into_b(m, n)), zero, zero);
        x[count++] = p.x;
        if (f->kind == DP_FEATURE_EDGE) {
            x[0].z = -s->size[1];
            x[count++] = (dp_v3){p.x.x, p.x.y, s->size[1]};
        }
    } else {
        for (; count < f->count; ++count) {
            x[count] = f->point[count];
        }
    }
    for (int i = 0; i < count && which == 1; ++i) {
        x[i] = dp_out_of_b(m, x[i]);
    }
    return count;
}

// The points of a cap next to the points y and to what of their hull is next to its middle.
static int list_cap(dp_v3 *x, const dp_difference *m, const dp_feature *f, int which,
                    const dp_v3 *y, int ny)
{
    const dp_shape *s = which == 0 ? m->a : m->b;
    const dp_v3 centre_own = {0.0, 0.0, f->z};
    const dp_v3 centre = which == 0 ? centre_own : dp_out_of_b(m, centre_own);
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
static dp_v3 furthest(const dp_difference *m, const dp_feature *f, int which, const dp_v3 *list,
                      int count, dp_v3 t)
{
    const dp_shape *s = which == 0 ? m->a : m->b;
    if (s->kind == DP_GEOM_CYLINDER && f->kind == DP_FEATURE_FACE) {
        const dp_v3 own = which == 0 ? t : dp_into_b(m, t);
        const dp_v3 x = {s->size[0] * own.x, s->size[0] * own.y, f->z};
        return which == 0 ? x : dp_out_of_b(m, x);
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
static bool is_least_in_pyramid(dp_difference *m, const dp_feature f[2], dp_v3 *x, int nx, dp_v3 *y,
                                int ny, const dp_refined_normal *p)
{
    enum { CORNERS = 8 };
    const dp_v3 n = p->normal;
    dp_v3 t1 = dp_v3_cross(fabs(n.z) < 0.7 ? (dp_v3){0.0, 0.0, 1.0} : (dp_v3){1.0, 0.0, 0.0}, n);
    t1 = dp_v3_unit(t1);
    const dp_v3 t2 = dp_v3_cross(n, t1);
    const double enough = DP_DIFFERENCE_TIE * m->size - p->gap;
    nx = keep_level(x, nx, n, DP_FACING_PROVED * m->size);
    ny = keep_level(y, ny, dp_v3_back(n), DP_FACING_PROVED * m->size);
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
double dp_ball_in_shape(const dp_shape *s, const dp_feature *f, dp_v3 x, dp_v3 n)
{
    const double *size = s->size;
    if (s->kind == DP_GEOM_ELLIPSOID) {
        const double least = fmin(size[0], fmin(size[1], size[2]));
        return least * least / dp_v3_norm((dp_v3){size[0] * n.x, size[1] * n.y, size[2] * n.z});
    }
    if (s->kind == DP_GEOM_CYLINDER && f->kind != DP_FEATURE_POINT) {
        const double to_cap = size[1] - fabs(x.z), to_side = size[0] - sqrt(x.x * x.x + x.y * x.y);
        return f->kind == DP_FEATURE_EDGE ? fmin(size[0], to_cap) : fmin(size[1], to_side);
    }
    if (s->kind == DP_GEOM_BOX && f->kind == DP_FEATURE_FACE) {
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
// the edge is an ellipse. How large a ball touches the oblique cylinder from within at the
// separating direction, at most?
static double ball_in_oblique_cylinder(const dp_difference *m, const dp_feature f[2], int rim,
                                       const dp_v3 edge[2], const dp_refined_normal *p)
{
    const dp_shape *s = rim == 0 ? m->a : m->b;
    const dp_v3 axis = {m->R.m[0][2], m->R.m[1][2], m->R.m[2][2]};
    const dp_v3 a = rim == 0 ? (dp_v3){0.0, 0.0, 1.0} : axis;
    const dp_v3 e = rim == 0 ? dp_m3_apply(&m->R, f[1].axis) : f[0].axis;
    const double slope = dp_v3_dot(a, e), g = dp_v3_norm(dp_v3_cross(a, p->normal));
    // Heights along the axis, from the point of the separating direction to the ends, in M; then
    // from the ball.
    const dp_v3 from = p->point[rim == 0 ? 1 : 0];
    const double sign = rim == 0 ? 1.0 : -1.0;
    const double h0 = sign * dp_v3_dot(a, dp_v3_sub(edge[0], from));
    const double h1 = sign * dp_v3_dot(a, dp_v3_sub(edge[1], from));
    const double down = -fmin(h0, h1), up = fmax(h0, h1), lean = dp_v3_dot(a, p->normal);
    return fmin(s->size[0] * slope * (slope / g), fmin(down / (1.0 - lean), up / (1.0 + lean)));
}

// Is a proved normal the only one that is greatest of all? It is when apart, where s is concave,
// and when it is less deep than a ball inside that touches there: that keeps all else further away.
static bool is_only(dp_difference *m, const dp_feature f[2], dp_v3 *x, int nx, dp_v3 *y, int ny,
                    const dp_refined_normal *p)
{
    if (p->gap >= 0.0) {
        return true;
    }
    const double enough = DP_DIFFERENCE_TIE * m->size - p->gap;
    const dp_v3 n = p->normal, back = dp_v3_back(dp_into_b(m, n));
    if (dp_ball_in_shape(m->a, &f[0], p->point[0], n) +
            dp_ball_in_shape(m->b, &f[1], dp_into_b(m, dp_v3_sub(p->point[1], m->p)), back) >
        enough) {
        return true;
    }
    const bool rim[2] = {m->a->kind == DP_GEOM_CYLINDER && f[0].kind == DP_FEATURE_POINT,
                         m->b->kind == DP_GEOM_CYLINDER && f[1].kind == DP_FEATURE_POINT};
    if (rim[0] && rim[1]) {
        return ball_in_two_discs(m, n) > enough;
    }
    for (int k = 0; k < 2; ++k) {
        if (rim[k] && f[1 - k].kind == DP_FEATURE_EDGE) {
            return ball_in_oblique_cylinder(m, f, k, k == 0 ? y : x, p) > enough;
        }
    }
    const bool level = f[0].kind == DP_FEATURE_FACE || f[1].kind == DP_FEATURE_FACE ||
                       (f[0].kind == DP_FEATURE_EDGE && f[1].kind == DP_FEATURE_EDGE);
    return level && is_least_in_pyramid(m, f, x, nx, y, ny, p);
}

bool dp_feature_pair_prove(dp_refined_normal *out, dp_evidence *e, dp_difference *m,
                           const dp_feature f[2], dp_v3 n)
{
    dp_difference_support(&e->nearest, m, dp_v3_back(n));
    out->normal = n;
    out->gap = dp_v3_dot(n, e->nearest.w);
    dp_v3 x[DP_FEATURE_POINTS + 1], y[DP_FEATURE_POINTS + 1];
    int nx = list_points(x, m, &f[0], 0, n), ny = list_points(y, m, &f[1], 1, n);
    if (nx == 0 && ny == 0) { // two caps: from the middle of one
        const dp_v3 own = {0.0, 0.0, f[0].z};
        ny = list_cap(y, m, &f[1], 1, &own, 1);
    }
    if (nx == 0) {
        nx = list_cap(x, m, &f[0], 0, y, ny < DP_FEATURE_POINTS ? ny : DP_FEATURE_POINTS);
    }
    if (ny == 0) {
        ny = list_cap(y, m, &f[1], 1, x, nx < DP_FEATURE_POINTS ? nx : DP_FEATURE_POINTS);
    }
    e->active[0] = e->active[1] = 0;
    e->hidden = dp_v3_dot(n, dp_v3_sub(y[0], x[0])) - out->gap;
    const double off = facing_points(out->point, e->active, x, nx, y, ny, dp_v3_scale(n, out->gap));
    if (!(off <= DP_FACING_PROVED * m->size)) {
        return false;
    }
    out->key[0] = dp_feature_key(&f[0], m->a);
    out->key[1] = dp_feature_key(&f[1], m->b);
    out->only = is_only(m, f, x, nx, y, ny, out);
    out->cosine = out->only ? -1.0 : dp_cosine_by_ellipsoids(m, f, out);
    if (out->cosine > -1.0) {
        out->cosine = fmin(out->cosine, dp_cosine_around(m, f, out));
    }
    out->only = out->cosine == -1.0;
    return true;
}
