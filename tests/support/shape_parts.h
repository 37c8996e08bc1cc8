// Shapes, poses and draws of both for tests of queries between shapes.
#ifndef DP_TESTS_SHAPE_PARTS_H
#define DP_TESTS_SHAPE_PARTS_H

#include "test_random.h"

#include <dashpot/advanced/collide.h>

dp_shape plane_shape(void);
dp_shape sphere_shape(double radius);
dp_shape capsule_shape(double radius, double half_length);
dp_shape cylinder_shape(double radius, double half_length);
dp_shape ellipsoid_shape(double a, double b, double c);
dp_shape box_shape(double a, double b, double c);

dp_pose pose_at(double x, double y, double z);

/// How shapes are drawn.
typedef struct shape_draw {
    double scale;  // [m] the largest size
    double aspect; // the smallest size is at least scale/aspect
} shape_draw;

/// A shape of this kind (not of meshes and fields).
dp_shape draw_shape(random_source *r, dp_geom_kind kind, shape_draw how);

/// A rotation: anything, or one of the 24 of a cube, or one of these turned by 1e-16 … 1e-2 rad.
dp_quat draw_rotation(random_source *r);

#endif
