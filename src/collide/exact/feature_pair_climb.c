// The normal of two smooth features near a guess, by Newton's method on the sphere: polish.c has
// the equations.
#include "collide/exact/feature_pair.h"

enum { MOST_STEPS = 32 };

// Both cores at n, in the frame of A.
typedef struct station {
    dp_v3 n, t1, t2;
    dp_v3 back; // −n in the frame of B
    dp_v3 w;
    double s;
    double H11, H12, H22;
} station;

static void stand(station *at, const dp_difference *m, const dp_feature f[2], dp_v3 n,
                  const dp_v3 *e)
{
    at->n = n;
    if (e) { // along the circle, then across it
        at->t1 = dp_v3_unit(dp_v3_cross(*e, n));
        at->t2 = dp_v3_cross(n, at->t1);
    } else {
        dp_axes_across(&at->t1, &at->t2, n);
    }
    at->back = dp_v3_back(dp_into_b(m, n));
    dp_piece a, b;
    dp_piece_evaluate(&a, m->a, &f[0], n, at->t1, at->t2);
    if (dp_core_is_curved(m->b)) {
        dp_piece_evaluate(&b, m->b, &f[1], at->back, dp_into_b(m, at->t1), dp_into_b(m, at->t2));
    } else {
        b = (dp_piece){.x = f[1].point[0]};
    }
    at->w = dp_v3_sub(dp_out_of_b(m, b.x), a.x);
    at->s = dp_v3_dot(n, at->w);
    at->H11 = a.H11 + b.H11 + at->s;
    at->H12 = a.H12 + b.H12;
    at->H22 = a.H22 + b.H22 + at->s;
}

// A step of Newton's method, across n. Where s is no hill its curvatures count as if it were:
// uphill, and far where it is nearly level.
static dp_v3 newton_step(const station *at, bool circle)
{
    const double g1 = dp_v3_dot(at->w, at->t1);
    if (circle) {
        return dp_v3_scale(at->t1, at->H11 != 0.0 ? g1 / fabs(at->H11) : 0.0);
    }
    const double g2 = dp_v3_dot(at->w, at->t2);
    const double H11 = at->H11, H12 = at->H12, H22 = at->H22;
    const double mean = 0.5 * (H11 + H22), half = 0.5 * (H11 - H22);
    const double radius = sqrt(half * half + H12 * H12);
    double x1, x2;
    if (mean > radius) {
        const double det = H11 * H22 - H12 * H12;
        if (!(det > 0.0)) {
            return (dp_v3){0.0, 0.0, 0.0};
        }
        x1 = (g1 * H22 - g2 * H12) / det;
        x2 = (g2 * H11 - g1 * H12) / det;
    } else { // along the axis (c, d) of the greater curvature, and across it
        double c = half + (half >= 0.0 ? radius : 0.0), d = H12;
        if (half < 0.0) {
            c = H12;
            d = radius - half;
        }
        const double length = sqrt(c * c + d * d);
        c = length > 0.0 ? c / length : 1.0;
        d = length > 0.0 ? d / length : 0.0;
        const double greater = fabs(mean + radius), less = fabs(mean - radius);
        const double least = 1e-15 * (greater + less + fabs(at->s));
        const double y1 = (c * g1 + d * g2) / fmax(greater, least);
        const double y2 = (c * g2 - d * g1) / fmax(less, least);
        x1 = c * y1 - d * y2;
        x2 = d * y1 + c * y2;
    }
    return dp_v3_madd(dp_v3_scale(at->t1, x1), x2, at->t2);
}

// A rim ends where the normal turns to the side or to the cap: then the feature is that. `n` and
// `next` are directions that the cylinder looks before and after a step.
static bool leaves_rim(dp_feature *f, const dp_shape *s, const dp_v3 *n, const dp_v3 *next)
{
    if (s->kind != DP_GEOM_CYLINDER || f->kind != DP_FEATURE_POINT) {
        return false;
    }
    if (f->z * next->z < 0.0) {
        f->kind = DP_FEATURE_EDGE;
        f->z = 0.0;
        f->axis = (dp_v3){0.0, 0.0, 1.0};
        return true;
    }
    if (n->x * next->x + n->y * next->y < 0.0) {
        f->kind = DP_FEATURE_FACE;
        return true;
    }
    return false;
}

// The greatest s(n) of these features near n, on the circle n·e = 0 when there is one. Stops where
// a feature ends, which is then changed.
dp_v3 dp_feature_pair_climb(bool *changed, const dp_difference *m, dp_feature f[2], dp_v3 n,
                            const dp_v3 *e)
{
    station pair[2], *at = &pair[0], *next = &pair[1];
    *changed = false;
    if (e) {
        n = dp_v3_unit(dp_v3_madd(n, -dp_v3_dot(*e, n), *e));
    }
    stand(at, m, f, n, e);
    for (int k = 0; k < MOST_STEPS; ++k) {
        dp_v3 t = newton_step(at, e != NULL);
        double length = dp_v3_norm(t);
        if (!(length > 1e-16)) {
            break;
        }
        if (length > 0.5) {
            t = dp_v3_scale(t, 0.5 / length);
            length = 0.5;
        }
        stand(next, m, f, dp_v3_unit(dp_v3_add(at->n, t)), e);
        if (leaves_rim(&f[0], m->a, &at->n, &next->n) ||
            leaves_rim(&f[1], m->b, &at->back, &next->back)) {
            *changed = true;
            return next->n;
        }
        // Far from the top steps must rise; near it round-off hides whether they do.
        for (int halved = 0; length > 1e-5 && !(next->s > at->s) && halved < 20; ++halved) {
            length *= 0.5;
            t = dp_v3_scale(t, 0.5);
            stand(next, m, f, dp_v3_unit(dp_v3_add(at->n, t)), e);
        }
        station *done = at;
        at = next;
        next = done;
        if (length < 1e-9) {
            break; // what is left is its square
        }
    }
    return at->n;
}
