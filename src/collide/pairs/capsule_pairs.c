// A capsule is a segment with a skin. Segments have no volume, nor has the difference of two: the
// gap of two capsules is the distance of their segments less both radii, however deep they overlap.
// With a box it is that of the segment and the box, which may overlap.
#include "collide/pairs/closed_forms.h"

// The difference of two nearby points has lost digits. Below this share of the lengths, the normal
// is made to stand across the axes where it must.
#define SHORT 0x1p-7

// Directions whose sine is less are the same.
#define SAME 0x1p-20

// v made to stand across the unit vector u.
static dp_v3 across(dp_v3 v, dp_v3 u)
{
    return dp_v3_madd(v, -dp_v3_dot(u, v), u);
}

// The parameters of the nearest points of the segments s u, |s| ≤ la, and d + t v, |t| ≤ lb.
// `w` is u × v. The distance is convex in (s, t): clamping one, then the other, is exact
// [Ericson2005, 5.1.9].
static void nearest_on_segments(double *s_out, double *t_out, dp_v3 u, double la, dp_v3 v,
                                double lb, dp_v3 d, dp_v3 w)
{
    const double ww = dp_v3_dot(w, w), uv = dp_v3_dot(u, v);
    const double ud = dp_v3_dot(u, d), vd = dp_v3_dot(v, d);
    double s;
    if (ww > 0.0) {
        // By w the error of s is round-off/|w|, and that of the distance round-off.
        s = dp_clamp(dp_v3_dot(d, dp_v3_cross(v, w)) / ww, la);
    } else { // parallel: the middle of the common part
        const double low = fmax(-la, ud - lb), high = fmin(la, ud + lb);
        s = dp_clamp(0.5 * (low + high), la);
    }
    double t = uv * s - vd;
    if (fabs(t) > lb) {
        t = dp_clamp(t, lb);
        s = dp_clamp(uv * t + ud, la);
    }
    *s_out = s;
    *t_out = t;
}

void dp_capsule_capsule(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    const double ra = a->shape->size[0], la = a->shape->size[1];
    const double rb = b->shape->size[0], lb = b->shape->size[1];
    const dp_v3 u = dp_m3_column(&a->R, 2), v = dp_m3_column(&b->R, 2);
    const dp_v3 d = dp_v3_sub(b->p, a->p), w = dp_v3_cross(u, v);
    double s, t;
    nearest_on_segments(&s, &t, u, la, v, lb, d, w);
    dp_v3 e = dp_v3_madd(dp_v3_madd(d, t, v), -s, u);
    double distance = dp_v3_norm(e);

    const double length = la + lb + distance, sine2 = dp_v3_dot(w, w);
    const bool inner_a = fabs(s) < la, inner_b = fabs(t) < lb;
    dp_v3 n;
    bool ambiguous = false;
    if (inner_a && inner_b && distance * distance < sine2 * length * length) {
        const double sine = sqrt(sine2);
        // Of the two ways to the common perpendicular, w is the more accurate here. Where the axes
        // are nearly parallel it has lost digits; what matters is that it stands across them.
        n = dp_v3_over(w, sine);
        if (sine < SAME) {
            n = across(n, u);
            const double left = dp_v3_norm(n);
            n = left > 0.5 ? dp_v3_over(n, left) : dp_v3_across(u);
        }
        distance = dp_v3_dot(n, d);
        if (distance < 0.0) {
            distance = -distance;
            n = dp_v3_scale(n, -1.0);
        }
        ambiguous = distance <= DP_ROUND_OFF * length;
    } else if (distance > DP_ROUND_OFF * length) {
        if (distance < SHORT * length) {
            e = inner_a ? across(e, u) : e;
            e = inner_b ? across(e, v) : e;
            const double left = dp_v3_norm(e);
            n = left > 0.0 ? dp_v3_over(e, left) : dp_v3_across(u);
        } else {
            n = dp_v3_over(e, distance);
        }
    } else { // the segments touch at an end, or lie in one line
        n = sine2 > SAME * SAME ? dp_v3_over(w, sqrt(sine2)) : dp_v3_across(u);
        ambiguous = true;
    }
    const dp_v3 on_a = dp_v3_madd(dp_v3_madd(a->p, s, u), ra, n);
    dp_distance_set(out, distance - (ra + rb), n, on_a, ambiguous);
}

// How far p + t u is outside of the box of half lengths h, component by component.
static dp_v3 outside(dp_v3 p, dp_v3 u, double t, const double *h)
{
    const dp_v3 x = dp_v3_madd(p, t, u);
    return (dp_v3){x.x - dp_clamp(x.x, h[0]), x.y - dp_clamp(x.y, h[1]), x.z - dp_clamp(x.z, h[2])};
}

// The t in [−l, l] whose point p + t u is nearest to the box: the zero of half the slope of the
// squared distance, u·outside(t), which grows with t and is linear between the places where the
// line crosses the planes of faces. Where it is zero all along, the middle of that part.
static double nearest_to_box(dp_v3 p, dp_v3 u, double l, const double *h)
{
    double low = -l, high = l;
    double at_low = dp_v3_dot(u, outside(p, u, low, h));
    double at_high = dp_v3_dot(u, outside(p, u, high, h));
    if (at_low > 0.0) {
        return low;
    }
    if (at_high < 0.0) {
        return high;
    }
    double zero_from = at_low == 0.0 ? low : high, zero_to = at_high == 0.0 ? high : low;
    bool zero = at_low == 0.0 || at_high == 0.0;
    if (zero && at_low < 0.0) {
        zero_to = high;
    } else if (zero && at_high > 0.0) {
        zero_from = low;
    }
    const double pk[3] = {p.x, p.y, p.z}, uk[3] = {u.x, u.y, u.z};
    for (int k = 0; k < 3; ++k) {
        const double inverse = 1.0 / uk[k];
        for (int side = -1; side <= 1; side += 2) {
            const double t = (side * h[k] - pk[k]) * inverse;
            if (!(t > low && t < high)) { // nor where the line never crosses
                continue;
            }
            const double slope = dp_v3_dot(u, outside(p, u, t, h));
            if (slope < 0.0) {
                low = t;
                at_low = slope;
            } else if (slope > 0.0) {
                high = t;
                at_high = slope;
            } else {
                zero_from = fmin(zero_from, t);
                zero_to = fmax(zero_to, t);
                zero = true;
            }
        }
    }
    if (zero) {
        return 0.5 * (zero_from + zero_to);
    }
    return low + (high - low) * (-at_low / (at_high - at_low));
}

// The best of the directions across faces of the sum of box and segment: the three axes of the box
// and those across u and one of them. `c` is the middle of the segment, in the frame of the box.
typedef struct way_out {
    double value;  // signed distance of the segment from the box along m
    dp_v3 m;       // outward, in the frame of the box
    double second; // the best value of a direction that is not m
} way_out;

static void try_way(way_out *best, dp_v3 m, double value)
{
    if (value > best->value) {
        // What is nearly the same direction is no second one.
        if (fabs(dp_v3_dot(m, best->m)) < 1.0 - SAME) {
            best->second = best->value;
        }
        best->value = value;
        best->m = m;
    } else if (fabs(dp_v3_dot(m, best->m)) < 1.0 - SAME) {
        best->second = fmax(best->second, value);
    }
}

static way_out way_out_of_box(dp_v3 c, dp_v3 u, double l, const double *h)
{
    way_out best = {-INFINITY, {0.0, 0.0, 0.0}, -INFINITY};
    const double ck[3] = {c.x, c.y, c.z}, uk[3] = {u.x, u.y, u.z};
    for (int k = 0; k < 3; ++k) {
        const double sign = copysign(1.0, ck[k]);
        const dp_v3 m = {k == 0 ? sign : 0.0, k == 1 ? sign : 0.0, k == 2 ? sign : 0.0};
        try_way(&best, m, fabs(ck[k]) - (h[k] + l * fabs(uk[k])));
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double length = sqrt(uk[i] * uk[i] + uk[j] * uk[j]);
        if (!(length > DP_ROUND_OFF)) {
            continue; // along axis k: its faces do as well
        }
        double mk[3] = {0.0, 0.0, 0.0};
        mk[i] = -uk[j] / length;
        mk[j] = uk[i] / length;
        const double along = ck[i] * mk[i] + ck[j] * mk[j];
        if (along < 0.0) {
            mk[i] = -mk[i];
            mk[j] = -mk[j];
        }
        const dp_v3 m = {mk[0], mk[1], mk[2]};
        try_way(&best, m,
                fabs(along) -
                    (h[i] * fabs(mk[i]) + h[j] * fabs(mk[j]) + l * fabs(dp_v3_dot(m, u))));
    }
    if (fabs(dp_v3_dot(best.m, c)) <= DP_ROUND_OFF * (l + h[0] + h[1] + h[2])) {
        best.second = best.value; // the way back is as short
    }
    return best;
}

// A point of the segment c + t u that is furthest in, along −m, and whose point on the face or edge
// of the box that m leads to belongs to the box.
static double deepest_on_segment(dp_v3 c, dp_v3 u, double l, const double *h, const way_out *way)
{
    // The segment lowered to the surface: it touches the box where it is nearest to it.
    return nearest_to_box(dp_v3_madd(c, -way->value, way->m), u, l, h);
}

void dp_capsule_box(dp_distance *out, const dp_placed *a, const dp_placed *b)
{
    const double r = a->shape->size[0], l = a->shape->size[1];
    const double *h = b->shape->size;
    const dp_v3 c = dp_m3_apply_transposed(&b->R, dp_v3_sub(a->p, b->p));
    const dp_v3 axis = dp_m3_column(&a->R, 2), u = dp_m3_apply_transposed(&b->R, axis);
    double t = nearest_to_box(c, u, l, h);
    const dp_v3 e = outside(c, u, t, h);
    double distance = dp_v3_norm(e);
    const double length = l + h[0] + h[1] + h[2];
    dp_v3 m;
    bool ambiguous = false;
    if (distance > SHORT * length) {
        m = dp_v3_over(e, distance);
    } else {
        const way_out way = way_out_of_box(c, u, l, h);
        const double small = DP_ROUND_OFF * length;
        if (distance > small && distance > way.value + small) { // at a corner, hardly apart
            m = dp_v3_over(e, distance);
        } else {
            distance = way.value;
            m = way.m;
            ambiguous = distance <= small && way.second >= way.value - small;
            t = deepest_on_segment(c, u, l, h, &way);
        }
    }
    const dp_v3 outward = dp_m3_apply(&b->R, m), n = {-outward.x, -outward.y, -outward.z};
    const dp_v3 on_a = dp_v3_madd(dp_v3_madd(a->p, t, axis), r, n);
    dp_distance_set(out, distance - r, n, on_a, ambiguous);
}
