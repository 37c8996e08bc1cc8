// libFuzzer target: any bytes as the points of a hull. Making it must end with a hull or a message;
// a hull must have its points within its faces and answer queries.
#include "geom/hull_shape.h"
#include "math/v3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { MOST_POINTS = 200 };

static void demand(bool holds)
{
    if (!holds) {
        abort();
    }
}

// The first byte says how: small integers, which make flat faces and equal points, or any doubles.
static int read_points(double *x, const uint8_t *bytes, size_t count)
{
    const bool raw = bytes[0] & 1;
    const double scale = ldexp(1.0, (bytes[0] >> 1) % 64 - 32);
    const size_t width = raw ? sizeof(double) : 1;
    int n = 0;
    for (size_t at = 1; at + 3 * width <= count && n < MOST_POINTS; at += 3 * width, ++n) {
        for (int k = 0; k < 3; ++k) {
            if (raw) {
                memcpy(&x[3 * n + k], bytes + at + (size_t)k * width, width);
            } else {
                x[3 * n + k] = scale * (double)(int8_t)bytes[at + (size_t)k];
            }
        }
    }
    return n;
}

static void check_faces(const dp_hull *hull, const double *x, int n)
{
    demand(hull->nvertex >= 4 && hull->nface >= 4 && hull->size > 0.0);
    for (int f = 0; f < hull->nface; ++f) {
        const double *plane = hull->face_plane + 4 * f;
        for (int i = 0; i < n; ++i) {
            const double above =
                plane[0] * x[3 * i] + plane[1] * x[3 * i + 1] + plane[2] * x[3 * i + 2] - plane[3];
            // What qhull takes for round-off, with coordinates far from the hull's centre.
            const double far = fabs(x[3 * i]) + fabs(x[3 * i + 1]) + fabs(x[3 * i + 2]);
            demand(above <= 1e-9 * (hull->size + far));
        }
    }
}

static bool is_well_inside(const dp_hull *hull, dp_v3 x)
{
    for (int f = 0; f < hull->nface; ++f) {
        const double *plane = hull->face_plane + 4 * (size_t)f;
        const double height = plane[0] * x.x + plane[1] * x.y + plane[2] * x.z - plane[3];
        if (!(fabs(height) > 1e-9 * hull->size)) {
            return false;
        }
    }
    return true;
}

static void ask(const dp_hull *hull)
{
    const dp_shape mesh = {.kind = DP_GEOM_MESH, .hull = hull};
    const double s = hull->size;
    const dp_shape other[] = {{.kind = DP_GEOM_BOX, .size = {s, 0.5 * s, 0.25 * s}},
                              {.kind = DP_GEOM_SPHERE, .size = {0.3 * s}},
                              {.kind = DP_GEOM_CYLINDER, .size = {s, 0.1 * s}},
                              mesh};
    const dp_pose here = DP_IDENTITY_POSE;
    for (int i = 0; i < 12; ++i) {
        const double away = i < 4 ? 0.0 : i < 8 ? 0.7 * s : 2.5 * s;
        const dp_pose there = {{0.6, 0.0, 0.8, 0.0},
                               {hull->centre.x + away, hull->centre.y - away, hull->centre.z}};
        dp_distance d, e;
        demand(dp_shapes_distance(&d, &mesh, here, &other[i % 4], there, (double)INFINITY, NULL) ==
               DP_OK);
        demand(isfinite(d.gap) && fabs(dp_v3_norm(d.normal) - 1.0) < 1e-9);
        demand(dp_shapes_distance(&e, &other[i % 4], there, &mesh, here, (double)INFINITY, NULL) ==
               DP_OK);
        demand(d.gap == e.gap);
        dp_contact_point point[DP_PATCH_POINTS];
        dp_contact_buffer found = {.point = point, .capacity = DP_PATCH_POINTS};
        demand(dp_shapes_contacts(&found, &mesh, here, &other[i % 4], there, 0.1 * s, NULL) ==
               DP_OK);
        double sum = 0.0;
        for (int k = 0; k < found.count; ++k) {
            sum += point[k].weight;
        }
        demand(found.count == 0 || fabs(sum - 1.0) < 1e-9);
    }
    dp_ray_hit hit;
    const dp_v3 from = {hull->centre.x + 3.0 * s, hull->centre.y, hull->centre.z};
    demand(dp_shape_ray(&hit, &mesh, here, from, (dp_v3){-1.0, 0.0, 0.0}, (double)INFINITY) ==
           DP_OK);
    // The centre is inside; of hulls that are almost flat, to round-off only.
    demand(!is_well_inside(hull, hull->centre) ||
           (hit.hit && hit.distance <= 3.0 * s * (1.0 + 1e-9)));
    dp_bounds bounds;
    demand(dp_shape_bounds(&bounds, &mesh, here) == DP_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count == 0) {
        return 0;
    }
    static double x[3 * MOST_POINTS];
    const int n = read_points(x, bytes, count);
    dp_hull *hull;
    if (dp_hull_create(&hull, x, n, NULL) != DP_OK) {
        demand(!hull && dp_last_error()[0] != '\0');
        return 0;
    }
    // Beyond this squares and cubes of lengths leave the range of numbers.
    if (hull->size > 1e-60 && hull->size < 1e60 && dp_v3_norm(hull->centre) < 1e6 * hull->size) {
        check_faces(hull, x, n);
        ask(hull);
    }
    dp_hull_destroy(hull);
    return 0;
}
