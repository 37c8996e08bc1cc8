#include "shape_parts.h"

#include <math.h>

dp_shape plane_shape(void)
{
    return (dp_shape){.kind = DP_GEOM_PLANE};
}

dp_shape sphere_shape(double radius)
{
    return (dp_shape){.kind = DP_GEOM_SPHERE, .size = {radius}};
}

dp_shape capsule_shape(double radius, double half_length)
{
    return (dp_shape){.kind = DP_GEOM_CAPSULE, .size = {radius, half_length}};
}

dp_shape cylinder_shape(double radius, double half_length)
{
    return (dp_shape){.kind = DP_GEOM_CYLINDER, .size = {radius, half_length}};
}

dp_shape ellipsoid_shape(double a, double b, double c)
{
    return (dp_shape){.kind = DP_GEOM_ELLIPSOID, .size = {a, b, c}};
}

dp_shape box_shape(double a, double b, double c)
{
    return (dp_shape){.kind = DP_GEOM_BOX, .size = {a, b, c}};
}

dp_pose pose_at(double x, double y, double z)
{
    return (dp_pose){{1.0, 0.0, 0.0, 0.0}, {x, y, z}};
}

dp_shape draw_shape(random_source *r, dp_geom_kind kind, shape_draw how)
{
    dp_shape s = {.kind = kind};
    for (int i = 0; i < 3; ++i) {
        s.size[i] = how.scale * pow(how.aspect, -random_between(r, 0.0, 1.0));
    }
    return s;
}

// Twice a rotation by a multiple of 90° about an axis each: all 24 of the cube.
static void turn_right(double q[4], int axis, int quarters)
{
    for (int k = 0; k < quarters; ++k) {
        const double half = sqrt(0.5);
        double p[4] = {half * q[0], half * q[1], half * q[2], half * q[3]};
        const int x = 1 + axis, y = 1 + (axis + 1) % 3, z = 1 + (axis + 2) % 3;
        q[0] = p[0] - p[x];
        q[x] = p[x] + p[0];
        q[y] = p[y] + p[z];
        q[z] = p[z] - p[y];
    }
}

dp_quat draw_rotation(random_source *r)
{
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    const int mode = random_below(r, 3);
    if (mode == 0) {
        random_direction(q, 4, r);
    } else {
        turn_right(q, random_below(r, 3), random_below(r, 4));
        turn_right(q, random_below(r, 3), random_below(r, 4));
        const double turn = mode == 1 ? 0.0 : pow(10.0, random_between(r, -16.0, -2.0));
        for (int i = 0; i < 4; ++i) {
            q[i] += turn * random_between(r, -1.0, 1.0);
        }
    }
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (dp_quat){q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm};
}
