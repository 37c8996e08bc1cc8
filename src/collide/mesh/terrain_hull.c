#include "collide/mesh/terrain_hull.h"

#include "collide/pair.h"

// Sizes, place and packed vertices of a hull whose vertices are known.
static void finish(dp_triangle_hull *out, dp_v3 place, int nvertex)
{
    dp_hull *hull = &out->hull;
    dp_v3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < nvertex; ++k) {
        sum = dp_v3_add(sum, dp_v3_load(out->vertex + 3 * (size_t)k));
    }
    hull->nvertex = nvertex;
    hull->vertex = out->vertex;
    hull->packed = out->packed;
    hull->face_plane = out->plane;
    hull->centre = dp_v3_scale(sum, 1.0 / nvertex);
    for (int k = 0; k < nvertex; ++k) {
        const dp_v3 arm = dp_v3_sub(dp_v3_load(out->vertex + 3 * (size_t)k), hull->centre);
        hull->size = fmax(hull->size, dp_v3_norm(arm));
    }
    dp_hull_pack(out->packed, out->vertex, nvertex);
    out->shape = (dp_shape){.kind = DP_GEOM_MESH, .hull = hull};
    const dp_m3 identity = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    out->placed = (dp_placed){&out->shape, identity, place};
}

static void set_plane(dp_triangle_hull *out, int face, dp_v3 normal, dp_v3 at)
{
    dp_v3_store(out->plane + 4 * (size_t)face, normal);
    out->plane[4 * face + 3] = dp_v3_dot(normal, at);
}

void dp_triangle_hull_flat(dp_triangle_hull *out, const dp_ground_triangle *t)
{
    static const int pair[4] = {0, 2, 4, 6}, neighbour[6] = {1, 2, 0, 2, 0, 1};
    static const int three[3] = {0, 3, 6}, corner[6] = {0, 1, 2, 0, 2, 1};
    static const int face[6] = {0, 1, 0, 1, 0, 1};
    out->hull = (dp_hull){.nface = 2,
                          .nedge = 3,
                          .neighbour_start = pair,
                          .neighbour = neighbour,
                          .face_start = three,
                          .face_vertex = corner,
                          .vertex_face_start = pair,
                          .vertex_face = face};
    const dp_v3 origin = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        dp_v3_store(out->vertex + 3 * (size_t)k, dp_v3_sub(t->corner[k], t->corner[0]));
    }
    set_plane(out, 0, t->normal, origin);
    set_plane(out, 1, dp_v3_negative(t->normal), origin);
    finish(out, t->corner[0], 3);
}

// A triangle of terrain and the column below it, down to the height z. Corners 0, 1, 2 are those of
// the triangle, 3, 4, 5 those below.
static void make_column(dp_triangle_hull *out, const dp_ground_triangle *t, double z)
{
    static const int three[7] = {0, 3, 6, 9, 12, 15, 18};
    static const int neighbour[18] = {1, 2, 3, 0, 2, 4, 0, 1, 5, 0, 4, 5, 1, 3, 5, 2, 3, 4};
    static const int face_start[6] = {0, 3, 6, 10, 14, 18};
    static const int corner[18] = {0, 1, 2, 3, 5, 4, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5, 3, 0};
    static const int face[18] = {0, 2, 4, 0, 2, 3, 0, 3, 4, 1, 2, 4, 1, 2, 3, 1, 3, 4};
    out->hull = (dp_hull){.nface = 5,
                          .nedge = 9,
                          .neighbour_start = three,
                          .neighbour = neighbour,
                          .face_start = face_start,
                          .face_vertex = corner,
                          .vertex_face_start = three,
                          .vertex_face = face};
    dp_v3 top[3], foot = {0.0, 0.0, z - t->corner[0].z};
    for (int k = 0; k < 3; ++k) {
        top[k] = dp_v3_sub(t->corner[k], t->corner[0]);
        dp_v3_store(out->vertex + 3 * (size_t)k, top[k]);
        dp_v3_store(out->vertex + 9 + 3 * (size_t)k, (dp_v3){top[k].x, top[k].y, foot.z});
    }
    set_plane(out, 0, t->normal, top[0]);
    set_plane(out, 1, (dp_v3){0.0, 0.0, -1.0}, foot);
    for (int k = 0; k < 3; ++k) {
        const dp_v3 side = dp_v3_sub(top[k == 2 ? 0 : k + 1], top[k]);
        const dp_v3 away = {side.y, -side.x, 0.0}; // seen from above it goes round to the left
        set_plane(out, 2 + k, dp_v3_over(away, dp_v3_norm(away)), top[k]);
    }
    finish(out, t->corner[0], 6);
}

bool dp_ground_overlaps(const dp_ground_query *q, const dp_ground_triangle *t)
{
    dp_triangle_hull solid;
    if (q->ground->kind == DP_GEOM_HFIELD) {
        // What is below its base does not count, so that it may as well reach deeper: it has no
        // columns without height then.
        const double base = -q->ground->terrain->depth - q->p.z;
        const double low = fmin(t->corner[0].z, fmin(t->corner[1].z, t->corner[2].z));
        make_column(&solid, t, fmin(base, low) - q->reach);
    } else {
        dp_triangle_hull_flat(&solid, t);
    }
    return dp_convex_overlap(&q->a, &solid.placed, NULL);
}
