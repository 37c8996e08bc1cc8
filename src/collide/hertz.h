// How round two surfaces are against each other where they touch, as Hertz's theory wants to know.
#ifndef DP_COLLIDE_HERTZ_H
#define DP_COLLIDE_HERTZ_H

#include <dashpot/advanced/collide.h>

typedef enum dp_roundness {
    DP_ROUND, // the surfaces part in every direction
    DP_FLAT,  // they part in one direction at most: along a line, or not at all
    DP_SHARP, // an edge, a rim or a corner
} dp_roundness;

/// The radius r with which two surfaces resist as F = (4/3) E* √r δ^{3/2}: of two balls
/// 1/r = 1/r₁ + 1/r₂. Where the area of contact is an ellipse, that of Hertz's full solution
/// [Johnson1985, §4.2].
/// @param r [m] > 0, where they are round
dp_roundness dp_hertz_radius(double *r, const dp_curvature *a, const dp_curvature *b);

#endif
