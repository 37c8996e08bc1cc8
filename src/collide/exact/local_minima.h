// Is a separating direction of a cylinder and an ellipsoid that overlap the shortest? By looking
// all around it.
#ifndef DP_COLLIDE_SWEEP_H
#define DP_COLLIDE_SWEEP_H

#include "collide/convex/minkowski.h"

/// A cylinder and an ellipsoid, in the frame of the cylinder.
typedef struct dp_swept {
    double r, h;
    dp_v3 row[3]; // of Mᵀ: the support function of the ellipsoid about its middle is |M u|
    dp_v3 p;      // its middle
    double size;  // of both
} dp_swept;

/// A is the cylinder, B the ellipsoid.
dp_swept dp_swept_of(const dp_difference *m);

/// M u, of which the length is the support function.
static inline dp_v3 dp_swept_stretched(const dp_swept *t, dp_v3 u)
{
    return dp_v3_madd(dp_v3_madd(dp_v3_scale(t->row[0], u.x), u.y, t->row[1]), u.z, t->row[2]);
}

/// How deep they overlap along the unit vector u from the cylinder to the ellipsoid.
double dp_swept_depth(const dp_swept *t, dp_v3 u);

typedef enum dp_local_minima {
    DP_SWEEP_SHORTEST,
    DP_SWEEP_ANOTHER, // there may be a shorter one near `suspect`
    DP_SWEEP_UNKNOWN,
} dp_local_minima;

/// Is no other normal as good as that of `way`, which is proved with an angle around it? `suspect`
/// is of any length but 0. `*looks` grows by the number of those that were made.
dp_local_minima dp_local_minima_around(dp_v3 *suspect, int *looks, const dp_swept *t,
                                       const dp_refined_normal *way);

#endif
