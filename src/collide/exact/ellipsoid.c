// The nearest point of an ellipsoid with semi-axes e to c is q with c − q = t n, where n is along
// (q_i/e_i²). With x_i = q_i/e_i, a unit vector,
//
//     x_i = e_i c_i/(e_i² + t),   |x(t)| = 1,   t > −e_k², e_k the smallest semi-axis (E)
//
// As in trust regions, 1/|x(t)| is concave and grows with t: Newton's method on 1/|x| = 1 from the
// left of the root climbs to it without overshooting, and fast [MoreSorensen1983]. The unknown is
// s = t + e_k², so that nothing cancels next to the pole. Where c_k = 0 the root may be the pole
// itself: c then lies on the middle surface, and both ±x_k solve (E).
//
// Other roots belong to points that are the nearest of those around them where the second
// derivative of the distance is positive along the surface. It has the factors 1 + t/e_i², of which
// one at most may be negative, so −e_j² < t < −e_k² with e_j the next larger semi-axis; and then
// the sum of (e_i c_i)²/(e_i² + t)³ must be negative, where |x(t)|² rises with t. That is convex
// there, and ∞ at both ends: of its two roots, if there are any, it is the one next to −e_k².
#include "collide/exact/ellipsoid.h"

int dp_ellipsoid_nearest(double x[3], bool *middle, const double e[3], const double c[3], int k)
{
    double more[3]; // e_i² − e_k²
    double s = 0.0; // left of the root, where one term alone has length 1
    for (int i = 0; i < 3; ++i) {
        more[i] = (e[i] - e[k]) * (e[i] + e[k]);
        s = fmax(s, e[i] * fabs(c[i]) - more[i]);
    }
    *middle = false;
    int step = 0;
    double last = INFINITY; // of |x|
    for (;; ++step) {
        double xx = 0.0, xdx = 0.0; // |x|² and −½ d|x|²/ds
        bool pole = false;
        for (int i = 0; i < 3; ++i) {
            const double below = s + more[i];
            if (below > 0.0) {
                x[i] = e[i] * c[i] / below;
                xx += x[i] * x[i];
                xdx += x[i] * x[i] / below;
            } else {
                x[i] = 0.0;
                pole = true;
            }
        }
        if (pole && xx <= 1.0) { // on the middle surface: the rest of x is along axis k
            x[k] = sqrt(1.0 - xx);
            *middle = true;
            return step;
        }
        const double length = sqrt(xx);
        // It climbs, so it has arrived when the length no longer falls.
        if (length <= 1.0 || length >= last || step == DP_ELLIPSOID_STEPS) {
            const double scale = 1.0 / length;
            x[0] *= scale;
            x[1] *= scale;
            x[2] *= scale;
            return step;
        }
        last = length;
        s += xx / xdx * (length - 1.0);
    }
}

dp_far_point dp_ellipsoid_far(double x[3], const double e[3], const double c[3], int k)
{
    double more[3], ec[3], end = INFINITY;
    for (int i = 0; i < 3; ++i) {
        more[i] = (e[i] - e[k]) * (e[i] + e[k]);
        ec[i] = e[i] * c[i];
        end = i == k ? end : fmin(end, more[i]);
    }
    double s = fabs(ec[k]); // −t − e_k², before the root: one term alone has length 1
    for (int i = 0; i < 3; ++i) {
        if (fabs(ec[i]) >= more[i] && i != k) {
            return DP_FAR_NONE; // with this term alone it is longer for all s
        }
    }
    if (!(s < end)) {
        return DP_FAR_NONE;
    }
    if (!(s > 0.0)) {
        return DP_FAR_LOST; // the pole
    }
    for (int step = 0; step < DP_ELLIPSOID_STEPS; ++step) {
        double xx = 0.0, xdx = 0.0; // |x|² and ½ d|x|²/ds
        for (int i = 0; i < 3; ++i) {
            const double below = more[i] - s;
            x[i] = ec[i] / below;
            xx += x[i] * x[i];
            xdx += x[i] * x[i] / below;
        }
        if (!(xx > 1.0)) {
            xx = 1.0 / sqrt(xx);
            x[0] *= xx;
            x[1] *= xx;
            x[2] *= xx;
            return DP_FAR_FOUND;
        }
        if (!(xdx < 0.0)) {
            return xx > 1.0 + 1e-6 ? DP_FAR_NONE : DP_FAR_LOST;
        }
        const double before = s;
        s += 0.5 * (xx - 1.0) / -xdx;
        if (!(s < end)) {
            return DP_FAR_NONE;
        }
        if (!(s > before)) {
            return DP_FAR_FOUND;
        }
    }
    return DP_FAR_LOST;
}
