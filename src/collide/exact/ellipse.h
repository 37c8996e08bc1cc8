// The point of an ellipse next to a point in its plane, by normals: what is left of the rim of a
// cylinder in its shadow.
//
// For an ellipse with half axes r along x and q ≤ r along y and a point c let
//
//     f(n) = c·n − |(r n_x, q n_y)|                                                     (1)
//
// for unit vectors n. Its greatest value is the distance of c from the ellipse, negative inside.
#ifndef DP_COLLIDE_ELLIPSE_H
#define DP_COLLIDE_ELLIPSE_H

#include "math/v3.h"

#include <stdbool.h>

typedef struct dp_flat {
    double x, y;
} dp_flat;

static inline double dp_flat_dot(dp_flat a, dp_flat b)
{
    return a.x * b.x + a.y * b.y;
}

typedef struct dp_ellipse {
    double r, q;
    dp_flat c;
} dp_ellipse;

/// f(n)
static inline double dp_ellipse_height(const dp_ellipse *e, dp_flat n)
{
    const double x = e->r * n.x, y = e->q * n.y;
    return dp_flat_dot(e->c, n) - sqrt(x * x + y * y);
}

/// The half axes of an ellipse: r along u and q ≤ r along v, both unit.
typedef struct dp_half_axes {
    dp_flat u, v;
    double r, q;
} dp_half_axes;

/// Of the shadow of an ellipsoid: its points are (a·x, b·x) with |x| ≤ 1.
dp_half_axes dp_half_axes_of(dp_v3 a, dp_v3 b);

typedef enum dp_top { DP_TOP_NONE, DP_TOP_FOUND, DP_TOP_LOST } dp_top;

/// The top of f between two normals with n_y ≥ 0 and low.x > high.x, from the direction `from` (any
/// length but 0). There is one at most on this half of the ellipse. LOST: it was not found whether
/// there is. `*steps` grows by those that were made.
dp_top dp_ellipse_top(dp_flat *n, int *steps, const dp_ellipse *e, dp_flat low, dp_flat high,
                      dp_flat from);

#endif
