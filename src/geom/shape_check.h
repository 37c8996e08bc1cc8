// Shapes and poses as users give them: are they what a query can work with?
#ifndef DP_GEOM_SHAPE_CHECK_H
#define DP_GEOM_SHAPE_CHECK_H

#include "base/error.h"
#include "geom/hull_shape.h"
#include "geom/placed.h"

#include <dashpot/advanced/collide.h>

/// The radius of a ball around the place of a shape that it lies in, if the shape has its sizes and
/// the rotation of X_WS unit length to round-off; INFINITY for planes. Usually nothing more needs
/// to be looked at. 0 where more does.
static inline double dp_ball_of_plain(const dp_shape *s, const dp_pose *X_WS)
{
    // |q|² of a quaternion that dp_quat_unit would leave as it is.
    const double unit = 0x1p-49, *size = s->size;
    const dp_quat q = X_WS->q;
    const dp_v3 p = X_WS->p;
    const double n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(fabs(n2 - 1.0) <= unit && fabs(p.x + p.y + p.z) < INFINITY)) {
        return 0.0;
    }
    double ball = 0.0;
    switch (s->kind) {
    case DP_GEOM_PLANE:
        return INFINITY;
    case DP_GEOM_SPHERE:
        ball = size[0];
        break;
    case DP_GEOM_CAPSULE:
        ball = size[0] > 0.0 && size[1] > 0.0 ? size[0] + size[1] : 0.0;
        break;
    case DP_GEOM_CYLINDER:
        ball = size[0] > 0.0 && size[1] > 0.0 ? sqrt(size[0] * size[0] + size[1] * size[1]) : 0.0;
        break;
    case DP_GEOM_ELLIPSOID:
    case DP_GEOM_BOX:
        ball = size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0
                   ? sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2])
                   : 0.0;
        break;
    case DP_GEOM_MESH:
        ball = s->hull && !s->surface ? dp_v3_norm(s->hull->centre) + s->hull->size : 0.0;
        break;
    case DP_GEOM_HFIELD:
        break;
    }
    return ball > 0.0 && ball < INFINITY ? ball : 0.0;
}

/// Can a query work with a shape and a pose that a user gave? `where` is the function and `what`
/// the argument that a message names.
/// @return DP_ERROR_ARGUMENT for a shape that is NULL, without its size, or without what it points
///         to; for a pose that is not finite or whose rotation is off unit length by more than
///         1e-6.
dp_status dp_check_placed(const char *where, const char *what, const dp_shape *shape,
                          const dp_pose *X_WS);

/// Place a shape that was checked, with its rotation made of unit length to the last bit, which it
/// is if it is plain. Spheres are not turned.
static inline void dp_place_unit(dp_placed *out, const dp_shape *shape, const dp_pose *X_WS,
                                 bool plain)
{
    out->shape = shape;
    out->p = X_WS->p;
    if (shape->kind == DP_GEOM_SPHERE) {
        out->R = (dp_m3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    } else {
        out->R = dp_m3_from_quat(plain ? X_WS->q : dp_quat_unit(X_WS->q));
    }
}

/// Both.
dp_status dp_place_checked(dp_placed *out, const char *where, const char *what,
                           const dp_shape *shape, const dp_pose *X_WS);

#endif
