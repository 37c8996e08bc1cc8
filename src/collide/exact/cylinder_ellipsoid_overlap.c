// Do a cylinder and an ellipsoid share a point?
//
// Where the ellipsoid is the unit ball the points of the cylinder are
//
//     y = c + u b₀ + v b₁ + z b₂,   u² + v² ≤ 1,   |z| ≤ 1,                             (1)
//
// with the middle c and a frame b of it, which is oblique now. They share a point if the least |y|
// is no more than 1, and do not if a plane across some y has the ball behind it:
//
//     c·y − |(b₀·y, b₁·y)| − |b₂·y| > |y|.                                              (2)
//
// For the least |y|² with z free, or at one end, x = (u, v) solves (G + λ) x = −g with G = bᵢ·bⱼ
// and g = bᵢ·c, of what is across b₂ if z is free, λ ≥ 0, and either λ = 0 or |x| = 1. Newton's
// method on 1/|x| = 1 climbs from 0 to that λ [MoreSorensen1983]; on the way every x is asked for
// its y, which mostly tells long before the end.
#include "collide/convex/minkowski.h"
#include "collide/pairs/closed_forms.h"

enum { MOST_STEPS = 12 };

// Of |y|² = 1, and of (2), relative to what goes in: within that it is a close thing.
static const double CLOSE = 1e-10;

typedef struct pair {
    dp_v3 c, b[3];
    double close;
    double bb; // b₂·b₂
} pair;

static void place(pair *t, const dp_placed *cylinder, const dp_placed *ellipsoid)
{
    const double *size = ellipsoid->shape->size;
    const dp_v3 by = {1.0 / size[0], 1.0 / size[1], 1.0 / size[2]};
    const double length[3] = {cylinder->shape->size[0], cylinder->shape->size[0],
                              cylinder->shape->size[1]};
    const dp_v3 d = dp_m3_apply_transposed(&ellipsoid->R, dp_v3_sub(cylinder->p, ellipsoid->p));
    t->c = (dp_v3){by.x * d.x, by.y * d.y, by.z * d.z};
    t->close = 1.0 + dp_v3_norm(t->c);
    for (int k = 0; k < 3; ++k) {
        const dp_v3 e = dp_m3_apply_transposed(
            &ellipsoid->R, (dp_v3){cylinder->R.m[0][k], cylinder->R.m[1][k], cylinder->R.m[2][k]});
        t->b[k] = (dp_v3){length[k] * by.x * e.x, length[k] * by.y * e.y, length[k] * by.z * e.z};
        t->close += dp_v3_norm(t->b[k]);
    }
    t->close *= CLOSE;
    t->bb = dp_v3_dot(t->b[2], t->b[2]);
}

// What the point y of the cylinder tells.
static dp_verdict ask(const pair *t, dp_v3 y)
{
    const double yy = dp_v3_dot(y, y);
    if (yy <= 1.0 - t->close) {
        return DP_VERDICT_SHARED;
    }
    const double u = dp_v3_dot(t->b[0], y), v = dp_v3_dot(t->b[1], y), length = sqrt(yy);
    const double least = dp_v3_dot(t->c, y) - sqrt(u * u + v * v) - fabs(dp_v3_dot(t->b[2], y));
    return least > (1.0 + t->close) * length ? DP_VERDICT_APART : DP_VERDICT_NONE;
}

// Look for the least |y| with z at an `end`, −1 or 1, or free (0). There *wants is the end that z
// would pass: then it is for the caller to look there.
static dp_verdict look(double *wants, const pair *t, double end)
{
    const dp_v3 c = dp_v3_madd(t->c, end, t->b[2]), b0 = t->b[0], b1 = t->b[1];
    const bool is_free = end == 0.0;
    const double s0 = is_free ? dp_v3_dot(b0, t->b[2]) : 0.0;
    const double s1 = is_free ? dp_v3_dot(b1, t->b[2]) : 0.0;
    const double sc = is_free ? dp_v3_dot(c, t->b[2]) : 0.0, by = 1.0 / t->bb;
    const double G00 = dp_v3_dot(b0, b0) - s0 * s0 * by, G01 = dp_v3_dot(b0, b1) - s0 * s1 * by;
    const double G11 = dp_v3_dot(b1, b1) - s1 * s1 * by;
    const double g0 = dp_v3_dot(b0, c) - s0 * sc * by, g1 = dp_v3_dot(b1, c) - s1 * sc * by;
    double lambda = 0.0;
    for (int k = 0; k < MOST_STEPS; ++k) {
        const double H00 = G00 + lambda, H11 = G11 + lambda, det = H00 * H11 - G01 * G01;
        if (!(det > 0.0)) {
            break; // an ellipsoid that is hardly more than a needle or a disc
        }
        const double over = 1.0 / det;
        const double u = over * (G01 * g1 - H11 * g0), v = over * (G01 * g0 - H00 * g1);
        const double xx = u * u + v * v, length = sqrt(xx), into = xx > 1.0 ? 1.0 / length : 1.0;
        dp_v3 y = dp_v3_madd(dp_v3_madd(c, into * u, b0), into * v, b1);
        if (is_free) {
            const double z = -by * (sc + into * (u * s0 + v * s1));
            *wants = z > 1.0 ? 1.0 : (z < -1.0 ? -1.0 : 0.0);
            y = dp_v3_madd(y, fmin(fmax(z, -1.0), 1.0), t->b[2]);
        }
        const dp_verdict verdict = ask(t, y);
        if (verdict != DP_VERDICT_NONE || !(xx > 1.0) || (*wants != 0.0 && k > 0)) {
            return verdict;
        }
        const double slope = over * (H11 * u * u - 2.0 * G01 * u * v + H00 * v * v);
        lambda += xx / slope * (length - 1.0);
    }
    return DP_VERDICT_NONE;
}

bool dp_cylinder_ellipsoid_decide(bool *overlap, const dp_placed *a, const dp_placed *b)
{
    dp_verdict verdict = dp_overlap_test(a, b);
    if (verdict == DP_VERDICT_NONE) {
        pair t;
        place(&t, a, b);
        double wants = 0.0;
        verdict = look(&wants, &t, 0.0);
        if (verdict == DP_VERDICT_NONE && wants != 0.0) {
            double none = 0.0;
            verdict = look(&none, &t, wants);
        }
    }
    *overlap = verdict == DP_VERDICT_SHARED;
    return verdict != DP_VERDICT_NONE;
}
