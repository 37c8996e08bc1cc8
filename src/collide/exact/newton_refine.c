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
#include "collide/exact/feature_pair.h"

enum { MOST_FEATURES = 6 };

// Points whose heights differ by less, relative to the size of both, may be one feature.
static const double NEARLY_LEVEL = 0.02;

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
static dp_v3 solve(bool *changed, const dp_difference *m, dp_feature f[2], dp_v3 n)
{
    const dp_v3 e[2] = {f[0].axis, dp_m3_apply(&m->R, f[1].axis)};
    *changed = false;
    if (f[0].kind == DP_FEATURE_FACE) {
        return e[0];
    }
    if (f[1].kind == DP_FEATURE_FACE) {
        return dp_v3_back(e[1]);
    }
    if (f[0].kind == DP_FEATURE_EDGE && f[1].kind == DP_FEATURE_EDGE) {
        const dp_v3 c = across_both(e[0], e[1]);
        if (dp_v3_dot(c, c) > 0.0) {
            return dp_v3_dot(c, n) >= 0.0 ? c : dp_v3_back(c);
        }
        return dp_feature_pair_climb(changed, m, f, n, &e[0]); // parallel: one circle is left
    }
    return dp_feature_pair_climb(
        changed, m, f, n,
        f[0].kind == DP_FEATURE_EDGE ? &e[0] : (f[1].kind == DP_FEATURE_EDGE ? &e[1] : NULL));
}

// Of a feature only the points that are `active`, in the order of list_points: a face may become an
// edge, either a point. False: it is as it was.
static bool keep_active(dp_feature *f, const dp_shape *s, uint64_t active, dp_v3 n)
{
    if (s->kind == DP_GEOM_ELLIPSOID || f->kind == DP_FEATURE_POINT) {
        return false;
    }
    if (s->kind == DP_GEOM_CYLINDER) {
        if (f->kind == DP_FEATURE_EDGE && active != 3) {
            f->kind = DP_FEATURE_POINT;
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
    dp_feature_span(f, s, n);
    return true;
}

// The corner that the support map has found belongs to the feature. False: it did before.
static bool add_nearest(dp_feature *f, const dp_shape *s, int vertex, dp_v3 n)
{
    if (dp_core_is_curved(s) || f->kind == DP_FEATURE_FACE) {
        return false;
    }
    for (int i = 0; i < f->count; ++i) {
        if (f->vertex[i] == vertex) {
            return false;
        }
    }
    f->vertex[f->count] = vertex;
    f->point[f->count++] = dp_core_vertex(s, vertex);
    dp_feature_span(f, s, n);
    return true;
}

// Of a face only what the support map has found.
static void keep_nearest(dp_feature *f, const dp_shape *s, int vertex)
{
    f->kind = DP_FEATURE_POINT;
    if (s->kind != DP_GEOM_CYLINDER) {
        f->vertex[0] = vertex;
        f->point[0] = dp_core_vertex(s, vertex);
        f->count = 1;
    }
}

// Two faces that are not level: the one that is further from the other shape stays.
static void keep_one_face(dp_feature f[2], dp_difference *m)
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

static bool are_tilted_faces(const dp_feature f[2], const dp_difference *m)
{
    if (f[0].kind != DP_FEATURE_FACE || f[1].kind != DP_FEATURE_FACE) {
        return false;
    }
    const dp_v3 across = dp_v3_cross(f[0].axis, dp_m3_apply(&m->R, f[1].axis));
    return dp_v3_dot(across, across) > DP_FACING_PROVED * DP_FACING_PROVED;
}

// Another corner of a polyhedron next to corner `vertex`, number k of them. False: there are fewer.
static bool find_neighbour(int *out, const dp_shape *s, int vertex, int k)
{
    if (s->kind == DP_GEOM_MESH) {
        const int at = s->hull->neighbour_start[vertex] + k;
        *out = at < s->hull->neighbour_start[vertex + 1] ? s->hull->neighbour[at] : 0;
        return at < s->hull->neighbour_start[vertex + 1];
    }
    *out = vertex ^ 1 << k;
    return k < (s->kind == DP_GEOM_BOX ? 3 : (s->kind == DP_GEOM_CAPSULE ? 1 : 0));
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
static bool turn_to_rim(dp_feature f[2], const dp_difference *m, dp_v3 *n)
{
    const int cap = m->a->kind == DP_GEOM_CYLINDER && f[0].kind == DP_FEATURE_FACE ? 0 : 1;
    const dp_shape *s = cap == 0 ? m->a : m->b, *t = cap == 0 ? m->b : m->a;
    dp_feature *g = &f[1 - cap];
    if (s->kind != DP_GEOM_CYLINDER || f[cap].kind != DP_FEATURE_FACE || dp_core_is_curved(t) ||
        g->kind == DP_FEATURE_FACE) {
        return false;
    }
    const int end[2] = {g->vertex[0], g->vertex[g->kind == DP_FEATURE_EDGE ? 1 : 0]};
    for (int i = 0, k = 0, vertex; i < 2;) {
        if (!find_neighbour(&vertex, t, end[i], k++)) {
            ++i;
            k = 0;
            continue;
        }
        const dp_v3 x = dp_core_vertex(t, end[i]), y = dp_core_vertex(t, vertex);
        const dp_v3 way = dp_v3_sub(y, x);
        dp_v3 out;
        if (cap == 0 ? normal_at_rim(&out, s, f[0].z, dp_out_of_b(m, x), dp_m3_apply(&m->R, way))
                     : normal_at_rim(&out, s, f[1].z, dp_into_b(m, dp_v3_sub(x, m->p)),
                                     dp_into_b(m, way))) {
            *g = (dp_feature){.kind = DP_FEATURE_EDGE,
                              .axis = dp_v3_unit(way),
                              .point = {x, y},
                              .vertex = {end[i], vertex},
                              .count = 2};
            f[cap].kind = DP_FEATURE_POINT;
            *n = cap == 0 ? out : dp_v3_back(dp_m3_apply(&m->R, out));
            return true;
        }
    }
    return false;
}

// A cap, but what is nearest to it is beside it and curved: then the rim is next to it. `n` leans
// outward there.
static bool lean_to_rim(dp_feature f[2], const dp_difference *m, const dp_evidence *e, dp_v3 *n)
{
    const double lean = 0.3; // anything but 0, where the rim has no direction
    const int cap = m->a->kind == DP_GEOM_CYLINDER && f[0].kind == DP_FEATURE_FACE ? 0 : 1;
    const dp_shape *s = cap == 0 ? m->a : m->b, *t = cap == 0 ? m->b : m->a;
    if (s->kind != DP_GEOM_CYLINDER || f[cap].kind != DP_FEATURE_FACE || !dp_core_is_curved(t) ||
        f[1 - cap].kind == DP_FEATURE_FACE) {
        return false;
    }
    const dp_v3 y = cap == 0 ? e->nearest.b : dp_into_b(m, dp_v3_sub(e->nearest.a, m->p));
    const double length = sqrt(y.x * y.x + y.y * y.y);
    if (!(length > s->size[0])) {
        return false;
    }
    const dp_v3 out =
        dp_v3_unit((dp_v3){lean * y.x / length, lean * y.y / length, f[cap].z > 0.0 ? 1.0 : -1.0});
    f[cap].kind = DP_FEATURE_POINT;
    *n = cap == 0 ? out : dp_v3_back(dp_m3_apply(&m->R, out));
    return true;
}

// Other features, beside those that have failed: the ends of those that end before they face each
// other, or more of those that end before what is nearest.
static bool move_on(dp_feature f[2], dp_difference *m, const dp_evidence *e, dp_v3 *normal,
                    bool *turned)
{
    if (f[0].kind == DP_FEATURE_FACE && f[1].kind == DP_FEATURE_FACE) {
        keep_one_face(f, m);
        return true;
    }
    const dp_v3 n = *normal, back = dp_v3_back(dp_into_b(m, n));
    if (e->hidden > DP_FACING_PROVED * m->size) {
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
static void keep_end(dp_feature *f, const dp_shape *s, dp_v3 n)
{
    f->kind = DP_FEATURE_POINT;
    if (s->kind == DP_GEOM_CYLINDER) {
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
static bool polish_ends(dp_refined_normal *out, dp_difference *m, const dp_feature f[2], dp_v3 n)
{
    bool changed;
    dp_feature g[2] = {f[0], f[1]};
    const dp_v3 e = f[0].axis;
    n = dp_feature_pair_climb(&changed, m, g, n, &e); // as if they were parallel
    for (int k = 0; k < 3; ++k) {
        g[0] = f[0];
        g[1] = f[1];
        if (k != 0) {
            keep_end(&g[0], m->a, n);
        }
        if (k != 1) {
            keep_end(&g[1], m->b, dp_v3_back(dp_into_b(m, n)));
        }
        const dp_v3 found = solve(&changed, m, g, n);
        dp_evidence e_found;
        if (!changed && dp_v3_finite(found) && dp_feature_pair_prove(out, &e_found, m, g, found)) {
            return true;
        }
    }
    return false;
}

static bool are_nearly_parallel(const dp_feature f[2], const dp_difference *m)
{
    const double nearly_parallel = 0.99; // cosine
    return f[0].kind == DP_FEATURE_EDGE && f[1].kind == DP_FEATURE_EDGE &&
           fabs(dp_v3_dot(f[0].axis, dp_m3_apply(&m->R, f[1].axis))) > nearly_parallel;
}

// The features that the corners of a simplex lie on.
static void find_features(dp_feature f[2], const dp_difference *m, const dp_simplex *s, dp_v3 n)
{
    DP_ASSERT(s->count > 0);
    dp_v3 x[2][4];
    int vertex[2][4];
    for (int i = 0; i < s->count; ++i) {
        x[0][i] = s->corner[i].a;
        x[1][i] = dp_core_is_curved(m->b) ? dp_into_b(m, dp_v3_sub(s->corner[i].b, m->p))
                                          : dp_core_vertex(m->b, s->corner[i].vertex[1]);
        vertex[0][i] = s->corner[i].vertex[0];
        vertex[1][i] = s->corner[i].vertex[1];
    }
    dp_feature_find(&f[0], m->a, x[0], vertex[0], s->count, n);
    dp_feature_find(&f[1], m->b, x[1], vertex[1], s->count, dp_v3_back(dp_into_b(m, n)));
}

bool dp_newton_refine_leads_to(const dp_refined_normal *p, const dp_difference *m,
                               const dp_simplex *s, dp_v3 n)
{
    dp_feature f[2];
    find_features(f, m, s, n);
    return dp_feature_key(&f[0], m->a) == p->key[0] && dp_feature_key(&f[1], m->b) == p->key[1];
}

bool dp_newton_refine(dp_refined_normal *out, dp_difference *m, const dp_simplex *s, dp_v3 n)
{
    dp_feature f[2];
    if (s->count == 0) {
        dp_feature_guess(&f[0], m->a, n, NEARLY_LEVEL * m->size);
        dp_feature_guess(&f[1], m->b, dp_v3_back(dp_into_b(m, n)), NEARLY_LEVEL * m->size);
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
        dp_evidence e;
        const bool solved = !changed && dp_v3_finite(n);
        if (solved && dp_feature_pair_prove(out, &e, m, f, n)) {
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
