// Where two circles in space are nearest to each other, for rims of cylinders that overlap.
#ifndef DP_COLLIDE_RIMS_H
#define DP_COLLIDE_RIMS_H

#include "math/v3.h"

#include <stdbool.h>

/// Two circles whose planes are not parallel. In the frame of the first, which is about z, the
/// plane of the other contains x and −sine z + … : a point of it is q − r₁ (C v + S x), C² + S² =
/// 1, with v = (0, −cosine, sine).
typedef struct dp_circle_circle {
    double r[2];
    dp_v3 q;             // the middle of the other
    double cosine, sine; // of the angle between the axes
    double enough;       // what is further apart does not matter [m]
    double side; // −1 or 1: the first circle is looked at where side·z ≤ 0 of the other
} dp_circle_circle;

enum { DP_RIMS_MOST = 4 };

/// The points of the other circle, as (C, S), that are nearest to the first of those around them,
/// inside of the cylinder over it and on one side of its plane. Returns how many there are, −1: it
/// was not found.
int dp_circle_circle_nearest(double C[DP_RIMS_MOST], double S[DP_RIMS_MOST], int *steps,
                             const dp_circle_circle *t);

#endif
