// With the angle β of a point P of the other circle, C = cos β and S = sin β, let ρ be its distance
// from z and z its height. The square of its distance from the first circle is
//
//     F = (ρ − r₀)² + z²,                                                               (1)
//
// and what is asked for are the roots of F′ where F″ > 0. They are isolated by bounds: the distance
// itself changes by no more than r₁ along β, and with ρ ≥ m
//
//     ½ |F‴| ≤ L = r₁ |q| + r₀ (r₁ + 3 r₁²/m + 1.16 r₁³/m²),                            (2)
//
// (the last term has the squared speed around z times that along ρ, of r₁ or less together,)
// so that F″ cannot change its sign between two points, nor F′ vanish, nor F be small, where they
// are large enough at both. Else what is between is halved.
#include "collide/exact/circle_circle.h"

#include <math.h>

enum { MOST_LOOKS = 96, MOST_WAITING = 24, MOST_STEPS = 24 };

typedef struct spot {
    double C, S;
    double rho, distance;
    double slope, bend; // ½ F′ and ½ F″
} spot;

typedef struct arc {
    spot from, to;
} arc;

typedef struct search {
    const dp_circle_circle *t;
    double middle; // |q|
    arc waiting[MOST_WAITING];
    int count;
    int looks;
} search;

static spot look(search *s, double C, double S)
{
    const dp_circle_circle *t = s->t;
    const double r0 = t->r[0], r1 = t->r[1], c = t->cosine;
    const double x = t->q.x - r1 * S, y = t->q.y + r1 * c * C, z = t->q.z - r1 * t->sine * C;
    const double rho = sqrt(x * x + y * y), out = rho - r0, by = 1.0 / rho;
    const double dz = r1 * t->sine * S, drho = -r1 * (x * C + c * S * y) * by;
    const double ddrho =
        (r1 * r1 * (C * C + c * c * S * S) + r1 * (x * S - c * C * y) - drho * drho) * by;
    ++s->looks;
    return (spot){.C = C,
                  .S = S,
                  .rho = rho,
                  .distance = sqrt(out * out + z * z),
                  .slope = out * drho + z * dz,
                  .bend = drho * drho + out * ddrho + dz * dz + z * (r1 * t->sine * C)};
}

static spot between(search *s, const spot *a, const spot *b)
{
    const double C = a->C + b->C, S = a->S + b->S, by = 1.0 / sqrt(C * C + S * S);
    return look(s, C * by, S * by);
}

// Newton's method between two points of which F falls toward each other, and bends upward between.
static bool descend(spot *at, search *s, arc x)
{
    *at = between(s, &x.from, &x.to);
    for (int k = 0; k < MOST_STEPS; ++k) {
        if (at->slope > 0.0) {
            x.to = *at;
        } else {
            x.from = *at;
        }
        const double step = -at->slope / at->bend;
        if (fabs(step) < 1e-7) {
            return true; // what is left is its square, and for others to find
        }
        const double C = at->C - step * at->S, S = at->S + step * at->C;
        const double by = 1.0 / sqrt(C * C + S * S);
        // Within the arc: left of its end and right of its beginning.
        const bool inside = (x.from.C * S - x.from.S * C) > 0.0 && (x.to.C * S - x.to.S * C) < 0.0;
        *at = inside && fabs(step) < 0.5 ? look(s, C * by, S * by) : between(s, &x.from, &x.to);
    }
    return false;
}

typedef enum verdict { NOTHING, ONE, UNKNOWN } verdict;

// The first terms of ½ F on the `way` from a point, at least.
static double least_within(const spot *at, double slope, double way)
{
    return 0.5 * at->distance * at->distance + fmin(slope, 0.0) * way +
           0.5 * fmin(at->bend, 0.0) * way * way;
}

static verdict judge(const search *s, const arc *x)
{
    const dp_circle_circle *t = s->t;
    const double dx = x->to.C - x->from.C, dy = x->to.S - x->from.S,
                 half2 = 0.25 * (dx * dx + dy * dy);
    const double angle = 2.0 * sqrt(half2) * (1.0 + 0.571 * half2); // or less
    const double r0 = t->r[0], r1 = t->r[1];
    if (x->from.distance + x->to.distance - r1 * angle > 2.0 * t->enough) {
        return NOTHING;
    }
    const double m = fmin(x->from.rho, x->to.rho) - 0.5 * r1 * angle;
    if (!(m > 0.0 && m < r0)) {
        return m > 0.0 ? NOTHING : UNKNOWN; // beside the cylinder, or next to its axis
    }
    const double by = r1 / m;
    const double L = r1 * (s->middle + r0 * (1.0 + 3.0 * by + 1.16 * by * by));
    const double change = 0.5 * L * angle, least = fmin(x->from.bend, x->to.bend);
    const bool up = least > change, down = fmax(x->from.bend, x->to.bend) < -change;
    const double a = x->from.slope, b = x->to.slope;
    // From either end to the middle, by the series of F.
    const double way = 0.5 * angle, rest = L * way * way * way / 6.0;
    const double enough = 0.5 * t->enough * t->enough + rest;
    if (least_within(&x->from, a, way) > enough && least_within(&x->to, -b, way) > enough) {
        return NOTHING;
    }
    if (down || (a * b > 0.0 && (up || fmin(fabs(a), fabs(b)) > 0.25 * change * angle))) {
        return NOTHING;
    }
    return up && a < 0.0 && b > 0.0 ? ONE : UNKNOWN;
}

// The arc on one side of x, for values of C.
static void wait(search *s, double low, double high, double side)
{
    if (low < high) {
        const spot a = look(s, low, side * sqrt(1.0 - low * low));
        const spot b = look(s, high, side * sqrt(1.0 - high * high));
        s->waiting[s->count++] = side > 0.0 ? (arc){b, a} : (arc){a, b}; // β grows
    }
}

int dp_circle_circle_nearest(double C[DP_RIMS_MOST], double S[DP_RIMS_MOST], int *steps,
                             const dp_circle_circle *t)
{
    search s;
    s.t = t;
    s.middle = dp_v3_norm(t->q);
    s.count = s.looks = 0;
    const double side = t->q.x < 0.0 ? -1.0 : 1.0;
    // By the height: −enough ≤ side z ≤ 0.
    const double by = 1.0 / (t->r[1] * t->sine);
    const double first = t->q.z * by, second = (t->q.z + t->side * t->enough) * by;
    const double low = fmax(fmin(first, second), -1.0), high = fmin(fmax(first, second), 1.0);
    // The point next to it of the first circle is on the same side of x.
    const double part = fmin(fabs(t->q.x) / t->r[1], 1.0), inner = sqrt(1.0 - part * part);
    if (inner > 0.0) {
        wait(&s, low, fmin(high, -inner), side);
        wait(&s, fmax(low, inner), high, side);
    } else {
        wait(&s, low, high, side);
    }
    int found = 0;
    while (s.count > 0) {
        const arc x = s.waiting[--s.count];
        const verdict v = judge(&s, &x);
        if (v == NOTHING) {
            continue;
        }
        spot at;
        if (v == ONE) {
            if (!descend(&at, &s, x) || found == DP_RIMS_MOST) {
                return -1;
            }
            C[found] = at.C;
            S[found++] = at.S;
            continue;
        }
        if (s.looks > MOST_LOOKS || s.count + 2 > MOST_WAITING) {
            return -1;
        }
        at = between(&s, &x.from, &x.to);
        s.waiting[s.count++] = (arc){x.from, at};
        s.waiting[s.count++] = (arc){at, x.to};
    }
    *steps += s.looks;
    return found;
}
