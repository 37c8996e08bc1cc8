// A plane and a convex shape. The plane is the boundary of a half space, so the shortest separating
// direction is always its own normal n, and the gap is n·(p_B − p_A) − h_B(−n): never ambiguous.
#include "collide/convex/outline.h"
#include "collide/convex/sunk_faces.h"
#include "geom/core.h"

static int lowest_vertex(const dp_shape *s, dp_v3 m, dp_pair_memory *memory)
{
    int vertex = memory ? memory->vertex[1][0] : 0;
    (void)dp_core_support_of(s, (dp_v3){-m.x, -m.y, -m.z}, &vertex);
    if (memory) {
        memory->vertex[1][0] = vertex;
    }
    return vertex;
}

// The point of B furthest along −n, relative to p_B, and h_B(−n). `m` is n in the frame of B.
static dp_v3 lowest(double *reach, const dp_shape *s, dp_v3 m, dp_pair_memory *memory)
{
    const double *size = s->size;
    switch (s->kind) {
    case DP_GEOM_SPHERE:
        *reach = size[0];
        return dp_v3_scale(m, -size[0]);
    case DP_GEOM_CAPSULE: {
        *reach = size[0] + size[1] * fabs(m.z);
        const dp_v3 skin = dp_v3_scale(m, -size[0]);
        return (dp_v3){skin.x, skin.y, skin.z - copysign(size[1], m.z)};
    }
    case DP_GEOM_CYLINDER: {
        const double across = sqrt(m.x * m.x + m.y * m.y);
        *reach = size[0] * across + size[1] * fabs(m.z);
        // Standing upright, the middle of the cap is as low as its rim.
        const double rim = across > 0.0 ? -size[0] / across : 0.0;
        return (dp_v3){rim * m.x, rim * m.y, -copysign(size[1], m.z)};
    }
    case DP_GEOM_ELLIPSOID: {
        const dp_v3 w = {size[0] * m.x, size[1] * m.y, size[2] * m.z};
        const double length = dp_v3_norm(w);
        *reach = length;
        const double t = -1.0 / length;
        return (dp_v3){t * size[0] * w.x, t * size[1] * w.y, t * size[2] * w.z};
    }
    case DP_GEOM_BOX:
        *reach = size[0] * fabs(m.x) + size[1] * fabs(m.y) + size[2] * fabs(m.z);
        return (dp_v3){-copysign(size[0], m.x), -copysign(size[1], m.y), -copysign(size[2], m.z)};
    case DP_GEOM_PLANE:
    case DP_GEOM_MESH:
    case DP_GEOM_HFIELD:
        break;
    }
    const dp_v3 x = dp_core_vertex(s, lowest_vertex(s, m, memory));
    *reach = -dp_v3_dot(m, x);
    return x;
}

void dp_plane_convex(dp_distance *out, const dp_placed *a, const dp_placed *b,
                     dp_pair_memory *memory)
{
    const dp_v3 n = dp_m3_column(&a->R, 2);
    const dp_v3 d = dp_v3_sub(b->p, a->p);
    double reach;
    const dp_v3 x = lowest(&reach, b->shape, dp_m3_apply_transposed(&b->R, n), memory);
    const double gap = dp_v3_dot(n, d) - reach;
    const dp_v3 on_b = dp_v3_add(b->p, dp_m3_apply(&b->R, x));
    dp_distance_set(out, gap, n, dp_v3_madd(on_b, -gap, n), false);
    out->point[1] = on_b;
}

dp_status dp_plane_sphere_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                                   double margin)
{
    dp_contact_point point;
    if (dp_plane_sphere_point(&point, dp_m3_column(&a->R, 2), a->p, b->p, b->shape->size[0],
                              margin)) {
        DP_TRY(dp_check_room(out, 1));
        out->point[out->count++] = point;
    }
    return DP_OK;
}

// The face of a hull above a plane, as it is seen from below its lowest vertex: along m, the normal
// of the plane in the frame of the hull.
typedef struct lowest_face {
    int corner[DP_FACE_CORNERS];
    int lowest;
    dp_v3 t1, t2; // across m
} lowest_face;

static void find_lowest_face(dp_patch *p, lowest_face *f, const dp_hull *h, int panel, dp_v3 m,
                             double gap)
{
    const dp_v3 x0 = dp_v3_load(h->vertex + 3 * (size_t)f->lowest);
    const dp_view view = dp_view_along(m, x0);
    f->t1 = view.t1;
    f->t2 = view.t2;
    p->count = dp_hull_panel_corners(f->corner, h, panel);
    p->size = 0.0;
    for (int i = 0; i < p->count; ++i) {
        const int k = p->count - 1 - i; // counterclockwise from above
        const dp_v3 x = dp_v3_sub(dp_v3_load(h->vertex + 3 * (size_t)f->corner[k]), x0);
        dp_corner *c = &p->corner[i];
        c->x = dp_v3_dot(view.t1, x);
        c->y = dp_v3_dot(view.t2, x);
        c->gap = gap + dp_v3_dot(m, x);
        c->b = (int8_t)k;
        const double x_or_y = fabs(c->x) > fabs(c->y) ? fabs(c->x) : fabs(c->y);
        p->size = x_or_y > p->size ? x_or_y : p->size;
    }
    const dp_v3 normal = dp_hull_panel_normal(h, panel);
    const dp_v3 across = dp_v3_cross(normal, m);
    p->slope2 = dp_v3_dot(across, across) / dp_square(dp_v3_dot(normal, m));
    p->missing = 0.0;
    p->shared = p->rim = p->splits = false;
}

// A triangle above a plane, without the detour over a patch: its corners weigh the same, so only
// the tapers of dp_patch_settle are left, and the lowest corner is the nearest point.
typedef struct triangle {
    const int *corner;
    dp_v3 x[3]; // from the lowest one
    double gap[3], weight[3];
} triangle;

// False: the face is no triangle, or so thin that its corners do not weigh the same.
static bool weigh_triangle(triangle *t, const dp_hull *h, int face, int lowest, dp_v3 m, double gap,
                           double margin)
{
    if (h->face_start[face + 1] - h->face_start[face] != 3) {
        return false;
    }
    t->corner = h->face_vertex + h->face_start[face];
    const dp_v3 x0 = dp_v3_load(h->vertex + 3 * (size_t)lowest);
    double rise[3], fall2[3] = {0.0, 0.0, 0.0}, squares = 0.0, sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        t->x[k] = dp_v3_sub(dp_v3_load(h->vertex + 3 * (size_t)t->corner[k]), x0);
        const double along = dp_v3_dot(m, t->x[k]);
        rise[k] = along > 0.0 ? along : 0.0; // what is on an edge may be beyond it, by a little
        t->gap[k] = gap + rise[k];
    }
    const dp_v3 normal = dp_v3_load(h->face_plane + 4 * (size_t)face);
    const double upright = dp_v3_dot(normal, m);
    const bool sloping = 1.0 - upright * upright > DP_FLAT * DP_FLAT * (upright * upright);
    for (int k = 0; k < 3; ++k) {
        const int i = k < 2 ? k + 1 : 0;
        const dp_v3 e = dp_v3_sub(t->x[i], t->x[k]);
        const double length2 = dp_v3_dot(e, e), fall = rise[i] - rise[k], square = fall * fall;
        squares += length2 - square;
        const int high = fall > 0.0 ? i : k;
        if (sloping && square > fall2[high] * length2) {
            fall2[high] = square / length2;
        }
    }
    const dp_v3 twice = dp_v3_cross(dp_v3_sub(t->x[1], t->x[0]), dp_v3_sub(t->x[2], t->x[0]));
    if (!dp_is_wide(-0.5 * dp_v3_dot(m, twice), squares)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        t->weight[k] = dp_margin_taper(t->gap[k], margin) * dp_slope_taper(fall2[k]);
        sum += t->weight[k];
    }
    const double by = 1.0 / sum;
    for (int k = 0; k < 3; ++k) {
        t->weight[k] *= by;
    }
    return true;
}

static dp_status append_triangle(dp_contact_buffer *out, const triangle *t, const dp_placed *b,
                                 dp_v3 nearest, dp_v3 n, uint64_t feature)
{
    DP_TRY(dp_check_room(out, (t->weight[0] > 0.0) + (t->weight[1] > 0.0) + (t->weight[2] > 0.0)));
    for (int k = 2; k >= 0; --k) { // counterclockwise from above
        if (t->weight[k] > 0.0) {
            const dp_v3 x = dp_v3_add(nearest, dp_m3_apply(&b->R, t->x[k]));
            dp_append_nearest(out, dp_v3_madd(x, -0.5 * t->gap[k], n), n, t->gap[k], t->weight[k]);
            out->point[out->count - 1].feature = feature | (uint64_t)t->corner[k];
        }
    }
    return DP_OK;
}

// Is what was the lowest vertex before still the lowest? It is if all its edges rise.
static bool is_still_lowest(dp_hull_edges *out, const dp_shape *s, dp_v3 m,
                            const dp_pair_memory *memory)
{
    if (!memory || s->hull->nvertex > DP_HULL_SCAN || // larger ones are walked over, from there
        !dp_core_has_vertex(s, memory->vertex[1][0])) {
        return false;
    }
    dp_hull_edges_at(out, s->hull, memory->vertex[1][0], (dp_v3){-m.x, -m.y, -m.z});
    return out->drop > 0.0;
}

dp_status dp_plane_hull_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                                 double margin, dp_pair_memory *memory)
{
    const dp_hull *h = b->shape->hull;
    const dp_v3 n = dp_m3_column(&a->R, 2), m = dp_m3_apply_transposed(&b->R, n);
    dp_hull_edges edges;
    const bool known = is_still_lowest(&edges, b->shape, m, memory);
    lowest_face f;
    f.lowest = known ? edges.vertex : lowest_vertex(b->shape, m, memory);
    const dp_v3 x0 = dp_v3_load(h->vertex + 3 * (size_t)f.lowest);
    const double gap = dp_v3_dot(n, dp_v3_sub(b->p, a->p)) + dp_v3_dot(m, x0);
    if (!(gap < margin)) {
        return DP_OK;
    }
    if (!known) {
        dp_hull_edges_at(&edges, h, f.lowest, (dp_v3){-m.x, -m.y, -m.z});
    }
    const dp_v3 nearest = dp_v3_add(b->p, dp_m3_apply(&b->R, x0));
    const dp_v3 origin = dp_v3_madd(nearest, -0.5 * gap, n);
    // The plane is face 0 of A.
    const uint64_t feature = (uint64_t)DP_PART_FACE << 62 | (uint64_t)DP_PART_VERTEX << 30;
    // Is every other corner of its faces beyond the margin, or does every edge rise so steeply that
    // nothing but the vertex takes part?
    if (edges.drop >= margin - gap || edges.least >= DP_STEEP) {
        DP_TRY(dp_check_room(out, 1));
        dp_append_nearest(out, origin, n, gap, 1.0);
        out->point[out->count - 1].feature = feature | (uint64_t)f.lowest;
        return DP_OK;
    }
    // As on the triangles of a floor: one face at a time.
    const dp_v3 down = {-m.x, -m.y, -m.z};
    const int face = dp_hull_best_at(h, &edges, down);
    dp_sunk_faces faces = {.choice = {.count = 1, .face = {face}, .share = {1.0}}};
    dp_sunk_faces_add(&faces, h, down, margin - gap);
    dp_sunk_faces_to_panels(&faces, h);
    if (faces.choice.count > 1) { // others are as near as a whole
        const dp_distance d = {.gap = gap,
                               .normal = n,
                               .point = {dp_v3_madd(nearest, -gap, n), nearest},
                               .outcome = DP_QUERY_OUTCOME_EXACT};
        return dp_convex_contacts(out, a, b, &d, margin);
    }
    triangle t;
    if (!h->panel && weigh_triangle(&t, h, face, f.lowest, m, gap, margin)) {
        return append_triangle(out, &t, b, nearest, n, feature);
    }
    dp_patch p;
    find_lowest_face(&p, &f, h, faces.choice.face[0], m, gap);
    const double by_nearest =
        dp_patch_settle(&p, gap, margin, (dp_thinning){dp_points_of_patch(out), DP_KEPT_AREA});
    for (int i = 0; i < p.count; ++i) {
        dp_corner *c = &p.corner[i];
        c->low = -0.5 * gap;
        c->high = c->gap - 0.5 * gap;
        c->feature = feature | (uint64_t)f.corner[c->b];
    }
    const dp_view view = {origin, dp_m3_apply(&b->R, f.t1), dp_m3_apply(&b->R, f.t2), n};
    DP_TRY(dp_patch_append(out, &p, &view, by_nearest));
    if (by_nearest > 0.0) {
        dp_append_nearest(out, origin, n, gap, by_nearest);
    }
    return DP_OK;
}
