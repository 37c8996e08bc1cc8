// A shape at its place, as pairs of shapes see it.
#ifndef DP_GEOM_PLACED_H
#define DP_GEOM_PLACED_H

#include "math/spatial.h"

#include <dashpot/advanced/collide.h>

/// A shape and its pose, with the rotation as a matrix. Pair code works with p_B − p_A, never with
/// world coordinates: far from the origin nothing is lost but what the poses themselves lost.
typedef struct dp_placed {
    const dp_shape *shape;
    dp_m3 R; // R_WS
    dp_v3 p; // p_WS
} dp_placed;

static inline dp_placed dp_place(const dp_shape *shape, dp_pose X_WS)
{
    return (dp_placed){shape, dp_m3_from_quat(X_WS.q), X_WS.p};
}

/// Is it a shape that has an inside without dents? All but surfaces and terrains; planes too.
static inline bool dp_shape_is_convex(const dp_shape *s)
{
    return s->kind != DP_GEOM_HFIELD && !(s->kind == DP_GEOM_MESH && s->surface);
}

#endif
