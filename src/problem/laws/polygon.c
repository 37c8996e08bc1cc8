#include "problem/laws/polygon.h"

#include "math/angle.h"

#include <math.h>

// The edge that looks most towards y has it.
dp_polygon_point dp_polygon_nearest(const double y[2], double radius, int corners)
{
    const double turn = 2.0 * DP_PI / corners, angle = dp_atan2(y[1], y[0]);
    const double mid = turn * (floor(angle / turn) + 0.5);
    double half_edge, apothem, out[2];
    dp_sincos(&half_edge, &apothem, 0.5 * turn);
    dp_sincos(&out[1], &out[0], mid);
    const double height = out[0] * y[0] + out[1] * y[1];
    if (height <= apothem * radius) {
        return (dp_polygon_point){.within = true, .at = {y[0], y[1]}};
    }
    const double along = out[0] * y[1] - out[1] * y[0], end = half_edge * radius;
    if (fabs(along) < end) {
        const double up = apothem * radius;
        return (dp_polygon_point){
            .at = {up * out[0] - along * out[1], up * out[1] + along * out[0]},
            .out = {out[0], out[1]},
            .side = {-out[1], out[0]},
            .slide = 1.0,
            .grow = apothem};
    }
    double corner[2];
    dp_sincos(&corner[1], &corner[0], mid + (along > 0.0 ? 0.5 : -0.5) * turn);
    return (dp_polygon_point){.at = {radius * corner[0], radius * corner[1]},
                              .out = {corner[0], corner[1]},
                              .side = {-corner[1], corner[0]},
                              .slide = 0.0,
                              .grow = 1.0};
}
