#include "collide/exact/ellipse.h"

enum { MOST_STEPS = 40 };

// f, its slope in the angle, and −f″. A step of Newton's method that is less than `small` leaves an
// error of its square only: a thin ellipse turns fast.
typedef struct slope {
    double slope, bend;
    double small;
} slope;

static slope slope_at(const dp_ellipse *e, dp_flat n)
{
    const double rr = e->r * e->r, qq = e->q * e->q;
    const double height = sqrt(rr * n.x * n.x + qq * n.y * n.y), by = 1.0 / height;
    return (slope){e->c.y * n.x - e->c.x * n.y + (rr - qq) * (n.x * n.y) * by,
                   dp_flat_dot(e->c, n) - height + rr * by * qq * by * by,
                   fmax(1e-8 * height / e->r, 1e-16)};
}

static dp_flat unit(dp_flat n)
{
    const double by = 1.0 / sqrt(dp_flat_dot(n, n));
    return (dp_flat){n.x * by, n.y * by};
}

static dp_flat turned(dp_flat n, double angle)
{
    return unit((dp_flat){n.x - angle * n.y, n.y + angle * n.x});
}

// Newton's method between two normals from which f rises toward each other. False: it has not
// arrived.
static bool climb(dp_flat *n, int *steps, const dp_ellipse *e, dp_flat low, dp_flat high)
{
    double last = INFINITY; // the size of the step before
    for (int k = 0; k < MOST_STEPS; ++k) {
        if (!(n->x < low.x && n->x > high.x)) {
            *n = unit((dp_flat){low.x + high.x, low.y + high.y});
        }
        const slope at = slope_at(e, *n);
        ++*steps;
        if (at.slope > 0.0) {
            low = *n;
        } else {
            high = *n;
        }
        const double step = at.bend > 0.0 ? at.slope / at.bend : INFINITY;
        if (!(fabs(step) < 1.0 && fabs(step) < 0.5 * last)) {
            *n = high; // that leads nowhere, or to and fro: halfway, then
            last = INFINITY;
            continue;
        }
        last = fabs(step);
        *n = turned(*n, step);
        if (fabs(step) < at.small) {
            return true;
        }
    }
    return false;
}

// Where c is on the other side of the long axis (c_y ≤ 0) f may have a top besides two bottoms. Of
// the points (r x, q √(1 − x²)) of the ellipse those are where
//
//     F(x) = r c_x/x + q |c_y|/√(1 − x²) − (r² − q²) = 0,     c_x ≥ 0,
//
// the top is the lesser root, and Newton's method from x = r c_x/(r² − q²), left of it, climbs to
// it since F is convex.
static dp_top find_far_top(dp_flat *n, int *steps, const dp_ellipse *e)
{
    const double r = e->r, q = e->q, D = (r - q) * (r + q);
    const double cx = r * fabs(e->c.x), cy = q * fabs(e->c.y);
    if (!(cx < D && cy < D)) {
        return DP_TOP_NONE;
    }
    double x = cx / D;
    for (int k = 0; cx > 0.0 && k < MOST_STEPS; ++k) {
        const double by = 1.0 / x, w = 1.0 / sqrt(1.0 - x * x);
        const double F = cx * by + cy * w - D, slope_of_F = cy * x * w * w * w - cx * by * by;
        ++*steps;
        if (!(slope_of_F < 0.0)) {
            return F > 0.0 ? DP_TOP_NONE : DP_TOP_LOST;
        }
        const double step = -F / slope_of_F;
        x += step;
        if (!(x < 1.0)) {
            return DP_TOP_NONE;
        }
        if (step <= 1e-5 * x) {
            break;
        }
    }
    *n = unit((dp_flat){copysign(x * q, e->c.x), sqrt(1.0 - x * x) * r});
    for (int k = 0; k < 4; ++k) {
        const slope at = slope_at(e, *n);
        const double step = at.slope / at.bend;
        if (!(at.bend > 0.0 && fabs(step) < 0.1)) {
            return DP_TOP_LOST;
        }
        *n = turned(*n, step);
        if (fabs(step) < at.small) {
            return DP_TOP_FOUND;
        }
    }
    return DP_TOP_LOST;
}

dp_half_axes dp_half_axes_of(dp_v3 a, dp_v3 b)
{
    const double aa = dp_v3_dot(a, a), ab = dp_v3_dot(a, b), bb = dp_v3_dot(b, b);
    const double half = 0.5 * (aa - bb), root = sqrt(half * half + ab * ab);
    dp_half_axes e = {.u = {1.0, 0.0}, .r = sqrt(0.5 * (aa + bb) + root)};
    if (root > 0.0) {
        e.u = unit(half >= 0.0 ? (dp_flat){half + root, ab} : (dp_flat){ab, root - half});
    }
    e.v = (dp_flat){-e.u.y, e.u.x};
    e.q = fmin(dp_v3_norm(dp_v3_cross(a, b)) / e.r, e.r);
    return e;
}

dp_top dp_ellipse_top(dp_flat *n, int *steps, const dp_ellipse *e, dp_flat low, dp_flat high,
                      dp_flat from)
{
    if (e->c.y > 0.0) { // one top, and no bottom, on the whole half
        if (!(slope_at(e, low).slope > 0.0 && slope_at(e, high).slope < 0.0)) {
            return DP_TOP_NONE;
        }
        *n = unit(from);
        return climb(n, steps, e, low, high) ? DP_TOP_FOUND : DP_TOP_LOST;
    }
    const dp_top top = find_far_top(n, steps, e);
    return top == DP_TOP_FOUND && !(n->x < low.x && n->x > high.x) ? DP_TOP_NONE : top;
}
