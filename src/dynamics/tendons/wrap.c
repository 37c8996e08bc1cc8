// Paths around spheres and cylinders are plane problems. On a sphere the path stays in the plane of
// the two points and the centre. Around a cylinder it climbs evenly, so its projection along the
// axis is the plane path, and with the plane length l and the rise z its own length is √(l² + z²).
//
// In the plane, with points a, b outside a circle of radius r about the origin:
//
// * around: the tangents from a and b touch the circle at angles α = acos(r/|a|), β = acos(r/|b|)
//   from a and b. The path that turns by δ ∈ [0, 2π) from a to b has an arc of δ − α − β between
//   them; there is one such path for either sense of turning.
// * by way of: the path touches the circle in one point p, where it is reflected:
//   |a − p| + |b − p| is least. With φ and ψ the angles of p from a and b, φ + ψ = γ fixed,
//       |a||b| sin(φ − ψ) = r (|a| sin φ − |b| sin ψ)                              (WRAP 1)
//   which has one root between 0 and γ (Alhazen's problem with both points on the same side).
//
// A side that was asked for is the side on which the middle of the arc lies.
//
// Departures. MuJoCo (2.2 to 3.17) takes the middle of the chord, which for arcs of more than half
// a turn is on the other side. It also knows paths that go once around more than they must.
//
// Directions come from the tangents themselves and not from differences of points, so they are
// good when a point lies on the surface.
#include "dynamics/tendons/wrap.h"

#include "math/angle.h"

typedef struct v2 {
    double x, y;
} v2;

typedef struct plane_path {
    double length;
    v2 leave, arrive;
    bool through;    // by way of the circle, which it touches in one point
    v2 touch[2];     // unit: from the centre to where it meets the circle, first and last
    double reach[2]; // from a to the first of these points, from the last to b
} plane_path;

static const double TWO_PI = 2.0 * DP_PI;
// Of the radius: a point that is no deeper counts as on the surface. It is meant to be there, and
// only the rounding of its pose put it inside.
static const double ON_SURFACE = 1e-10;
// Of |a||b|: below this the sine of the angle between a and b is round-off.
static const double PARALLEL = 1e-14;

static double dot(v2 a, v2 b)
{
    return a.x * b.x + a.y * b.y;
}

static double cross(v2 a, v2 b)
{
    return a.x * b.y - a.y * b.x;
}

static double norm(v2 a)
{
    return sqrt(dot(a, a));
}

// c a + s (a turned by 90°)
static v2 turned(v2 a, double c, double s)
{
    return (v2){c * a.x - s * a.y, c * a.y + s * a.x};
}

// The point nearest to the origin on the segment from a to b.
static v2 nearest(v2 a, v2 b)
{
    const v2 d = {b.x - a.x, b.y - a.y};
    const double dd = dot(d, d);
    double s = dd > 0.0 ? -dot(a, d) / dd : 0.0;
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    return (v2){a.x + s * d.x, a.y + s * d.y};
}

// The tangent from a point to the circle.
typedef struct tangent {
    double length, angle; // angle: from the point to where it touches
    double c, s;          // cos and sin of the angle
    v2 unit;              // the point's direction
} tangent;

static tangent tangent_from(v2 a, double r)
{
    const double distance = norm(a), square = (distance - r) * (distance + r);
    tangent t;
    t.length = square > 0.0 ? sqrt(square) : 0.0;
    t.angle = dp_atan2(t.length, r);
    const double hypotenuse = sqrt(r * r + t.length * t.length);
    t.c = r / hypotenuse;
    t.s = t.length / hypotenuse;
    t.unit = (v2){a.x / distance, a.y / distance};
    return t;
}

static bool go_around(plane_path *out, v2 a, v2 b, double r, const v2 *side)
{
    const double least = r * (1.0 - ON_SURFACE);
    if (norm(a) < least || norm(b) < least) {
        return false;
    }
    const v2 closest = nearest(a, b);
    const bool is_free = dot(closest, closest) > r * r;
    if (is_free && (!side || dot(*side, closest) >= 0.0)) {
        return false;
    }
    const tangent ta = tangent_from(a, r), tb = tangent_from(b, r);
    const double gap = dp_atan2(cross(a, b), dot(a, b));
    double best_turn = 0.0, best_arc = 0.0, best_merit = 0.0;
    for (int i = 0; i < 2; ++i) {
        const double turn = i == 0 ? 1.0 : -1.0; // counter-clockwise, clockwise
        const double delta = turn * gap < 0.0 ? turn * gap + TWO_PI : turn * gap;
        double arc = delta - ta.angle - tb.angle;
        if (arc < 0.0 && is_free) {
            continue; // its tangents cross before they touch
        }
        arc = arc < 0.0 ? 0.0 : arc; // where the straight way is barred, by round-off only
        double merit = -arc;
        if (side) { // the middle of the arc is to be on that side
            double s, c;
            dp_sincos(&s, &c, turn * (ta.angle + 0.5 * arc));
            merit = dot(*side, turned(ta.unit, c, s));
        }
        if (best_turn == 0.0 || merit > best_merit) {
            best_turn = turn;
            best_arc = arc;
            best_merit = merit;
        }
    }
    if (best_turn == 0.0) {
        return false;
    }
    const v2 touch_a = turned(ta.unit, ta.c, best_turn * ta.s); // directions from the centre
    const v2 touch_b = turned(tb.unit, tb.c, -best_turn * tb.s);
    out->length = ta.length + r * best_arc + tb.length;
    out->leave = turned(touch_a, 0.0, best_turn);
    out->arrive = turned(touch_b, 0.0, best_turn);
    out->through = false;
    out->touch[0] = touch_a;
    out->touch[1] = touch_b;
    out->reach[0] = ta.length;
    out->reach[1] = tb.length;
    return true;
}

// The root φ of (WRAP 1) in [0, γ]: Newton's method, kept in the bracket by bisection. The left
// side minus the right has the sign of the difference between the angles of incidence and
// reflection, which increases with φ.
static double angle_of_reflection(double a, double b, double gamma, double r)
{
    enum { MAX_ITERATIONS = 100 }; // bisection alone needs 53
    const double round_off = 0x1p-52;
    double lo = 0.0, hi = gamma;
    double phi = gamma * (a - r) / ((a - r) + (b - r));
    for (int i = 0; i < MAX_ITERATIONS; ++i) {
        double sin_phi, cos_phi, sin_psi, cos_psi, sin_dif, cos_dif;
        dp_sincos(&sin_phi, &cos_phi, phi);
        dp_sincos(&sin_psi, &cos_psi, gamma - phi);
        dp_sincos(&sin_dif, &cos_dif, phi - (gamma - phi));
        const double f = a * b * sin_dif - r * (a * sin_phi - b * sin_psi);
        const double slope = 2.0 * a * b * cos_dif - r * (a * cos_phi + b * cos_psi);
        if (f > 0.0) {
            hi = phi;
        } else {
            lo = phi;
        }
        double next = phi - f / slope;
        if (!(next > lo && next < hi)) {
            next = 0.5 * (lo + hi);
        }
        const double change = fabs(next - phi);
        phi = next;
        if (change <= round_off * gamma) {
            break;
        }
    }
    return phi;
}

static bool go_through(plane_path *out, v2 a, v2 b, double r)
{
    const double length_a = norm(a), length_b = norm(b);
    const v2 closest = nearest(a, b);
    if (length_a <= r || length_b <= r || dot(closest, closest) <= r * r) {
        return false; // the straight way goes through it
    }
    const double gap = dp_atan2(cross(a, b), dot(a, b));
    double s, c;
    dp_sincos(&s, &c, angle_of_reflection(length_a, length_b, fabs(gap), r));
    const v2 p = turned(a, r / length_a * c, r / length_a * (gap < 0.0 ? -s : s));
    const v2 to = {p.x - a.x, p.y - a.y}, from = {b.x - p.x, b.y - p.y};
    const double d = norm(to), e = norm(from);
    if (!(d > 0.0 && e > 0.0)) {
        return false; // a point on the surface
    }
    out->length = d + e;
    out->leave = (v2){to.x / d, to.y / d};
    out->arrive = (v2){from.x / e, from.y / e};
    out->through = true;
    out->touch[0] = out->touch[1] = (v2){p.x / r, p.y / r};
    out->reach[0] = d;
    out->reach[1] = e;
    return true;
}

// c − (c·u) u for a unit vector u
static v2 off(v2 c, v2 u)
{
    const double along = dot(c, u);
    return (v2){c.x - along * u.x, c.y - along * u.y};
}

// A tangent rolls on the circle about the point where it touches: its far end, which moves with v,
// turns it by v·m per length, m being the direction from the centre to that point. A tangent
// without length has no such rate: the point is on the surface, where it is meant to stay.
static v2 tangent_rate(v2 v, v2 m, double reach, double r, double sign)
{
    const double shortest = 1e-6; // of the radius
    const double turn = reach > shortest * r ? sign * dot(v, m) / reach : 0.0;
    return (v2){turn * m.x, turn * m.y};
}

// How the directions of a path change while a and b move with va and vb.
static void plane_rates(v2 rate[2], const plane_path *path, double r, v2 va, v2 vb)
{
    if (!path->through) {
        rate[0] = tangent_rate(va, path->touch[0], path->reach[0], r, -1.0);
        rate[1] = tangent_rate(vb, path->touch[1], path->reach[1], r, 1.0);
        return;
    }
    // The point of reflection p = r m stays where F(θ) = |p − a| + |b − p| is least:
    // F″ θ̇ + ∂F′/∂a · va + ∂F′/∂b · vb = 0.
    const v2 u = path->leave, w = path->arrive, m = path->touch[0], along = turned(m, 0.0, 1.0);
    const double d = path->reach[0], e = path->reach[1];
    const v2 across_u = off(along, u), across_w = off(along, w);
    const double slope =
        r * (dot(across_u, across_u) / d + dot(across_w, across_w) / e) - (dot(m, u) - dot(m, w));
    const double speed = (dot(across_u, va) / d + dot(across_w, vb) / e) * r / slope;
    const v2 vp = {speed * along.x, speed * along.y};
    rate[0] = off((v2){(vp.x - va.x) / d, (vp.y - va.y) / d}, u);
    rate[1] = off((v2){(vb.x - vp.x) / e, (vb.y - vp.y) / e}, w);
}

// A unit vector across the unit vector e, on the side of `towards` where that has one.
static dp_v3 across(dp_v3 e, const dp_v3 *towards)
{
    if (towards) {
        const dp_v3 x = dp_v3_madd(*towards, -dp_v3_dot(*towards, e), e);
        const double length = dp_v3_norm(x);
        if (length > PARALLEL * dp_v3_norm(*towards)) {
            return dp_v3_scale(x, 1.0 / length);
        }
    }
    const double ax = fabs(e.x), ay = fabs(e.y), az = fabs(e.z);
    const dp_v3 axis = {ax <= ay && ax <= az, ay < ax && ay <= az, az < ax && az < ay};
    const dp_v3 x = dp_v3_cross(e, axis);
    return dp_v3_scale(x, 1.0 / dp_v3_norm(x));
}

// The plane of a sphere's path: axes through the centre, the first towards a.
static void plane_of_sphere(dp_v3 axis[2], dp_v3 a, dp_v3 b, const dp_v3 *side)
{
    const double length = dp_v3_norm(a);
    axis[0] = dp_v3_scale(a, 1.0 / length);
    const dp_v3 normal = dp_v3_cross(a, b), x = dp_v3_cross(normal, axis[0]);
    if (dp_v3_norm(normal) > PARALLEL * length * dp_v3_norm(b)) {
        axis[1] = dp_v3_scale(x, 1.0 / dp_v3_norm(x));
    } else { // every plane through a is as good
        axis[1] = across(axis[0], side);
    }
}

// The axes in which a path is a plane problem, and that problem.
typedef struct plane_view {
    dp_v3 axis[3]; // of a sphere: the last is the normal of the plane
    v2 a, b;
    double rise; // along axis[2]; 0 for a sphere
    plane_path path;
} plane_view;

static bool find_path(dp_bent_path *out, plane_view *view, dp_v3 x0, dp_v3 x1,
                      const dp_obstacle *obstacle, const dp_v3 *side)
{
    const double r = obstacle->radius;
    const dp_v3 centre = obstacle->X.p;
    const dp_v3 a = dp_v3_sub(x0, centre), b = dp_v3_sub(x1, centre);
    dp_v3 s = {0.0, 0.0, 0.0};
    if (side) {
        s = dp_v3_sub(*side, centre);
    }
    dp_v3 *axis = view->axis;
    view->rise = 0.0;
    if (obstacle->is_cylinder) {
        const dp_m3 R = dp_m3_from_quat(obstacle->X.q);
        for (int i = 0; i < 3; ++i) {
            axis[i] = dp_m3_column(&R, i);
        }
        view->rise = dp_v3_dot(dp_v3_sub(x1, x0), axis[2]);
    } else {
        if (!(dp_v3_dot(a, a) > 0.0 && dp_v3_dot(b, b) > 0.0)) {
            return false; // a point in the centre, or a state that is not finite
        }
        plane_of_sphere(axis, a, b, side ? &s : NULL);
        axis[2] = dp_v3_cross(axis[0], axis[1]);
    }
    view->a = (v2){dp_v3_dot(a, axis[0]), dp_v3_dot(a, axis[1])};
    view->b = (v2){dp_v3_dot(b, axis[0]), dp_v3_dot(b, axis[1])};
    const v2 s2 = {dp_v3_dot(s, axis[0]), dp_v3_dot(s, axis[1])};
    const double rise = view->rise;
    plane_path *path = &view->path;
    const bool bends = side && dp_v3_dot(s, s) < r * r
                           ? go_through(path, view->a, view->b, r)
                           : go_around(path, view->a, view->b, r, dot(s2, s2) > 0.0 ? &s2 : NULL);
    if (!bends) {
        return false;
    }
    out->length = sqrt(path->length * path->length + rise * rise);
    if (!(out->length > 0.0)) {
        return false; // twice the same point of the surface
    }
    const double flat = path->length / out->length, steep = rise / out->length;
    const v2 direction[2] = {path->leave, path->arrive};
    dp_v3 *const to[2] = {&out->leave, &out->arrive};
    for (int i = 0; i < 2; ++i) {
        const dp_v3 level =
            dp_v3_madd(dp_v3_scale(axis[0], direction[i].x), direction[i].y, axis[1]);
        *to[i] = dp_v3_madd(dp_v3_scale(level, flat), steep, axis[2]);
    }
    return true;
}

bool dp_wrap_path(dp_bent_path *out, dp_v3 x0, dp_v3 x1, const dp_obstacle *obstacle,
                  const dp_v3 *side)
{
    plane_view view = {.rise = 0.0};
    return find_path(out, &view, x0, x1, obstacle, side);
}

// A sphere's plane turns with the points: about the axis Ω in it for which (Ω × a)·n and (Ω × b)·n
// are the velocities of the points across it.
static v2 turn_of_plane(const plane_view *view, double across_a, double across_b)
{
    const v2 a = view->a, b = view->b;
    const double determinant = cross(a, b);
    if (!(fabs(determinant) > PARALLEL * norm(a) * norm(b))) {
        return (v2){0.0, 0.0}; // every plane through a is as good
    }
    return (v2){(a.x * across_b - b.x * across_a) / determinant,
                (a.y * across_b - b.y * across_a) / determinant};
}

bool dp_wrap_path_moving(dp_bent_path *out, dp_bent_rates *rates, dp_v3 x0, dp_v3 x1,
                         const dp_obstacle *obstacle, const dp_v3 *side, dp_v3 v0, dp_v3 v1)
{
    plane_view view = {.rise = 0.0};
    if (!find_path(out, &view, x0, x1, obstacle, side)) {
        return false;
    }
    const dp_v3 *axis = view.axis;
    const plane_path *path = &view.path;
    const v2 va = {dp_v3_dot(v0, axis[0]), dp_v3_dot(v0, axis[1])};
    const v2 vb = {dp_v3_dot(v1, axis[0]), dp_v3_dot(v1, axis[1])};
    const double climb[2] = {dp_v3_dot(v0, axis[2]), dp_v3_dot(v1, axis[2])};
    v2 rate[2], turn = {0.0, 0.0};
    plane_rates(rate, path, obstacle->radius, va, vb);
    double flat = 1.0, flat_rate = 0.0, steep_rate = 0.0;
    if (obstacle->is_cylinder) { // (flat, steep) = (l, z)/√(l² + z²) turns in its own plane
        const double length_rate = dot(path->arrive, vb) - dot(path->leave, va);
        flat = path->length / out->length;
        const double steep = view.rise / out->length;
        const double angle_rate =
            (flat * (climb[1] - climb[0]) - steep * length_rate) / out->length;
        flat_rate = -steep * angle_rate;
        steep_rate = flat * angle_rate;
    } else {
        turn = turn_of_plane(&view, climb[0], climb[1]);
    }
    const v2 direction[2] = {path->leave, path->arrive};
    dp_v3 *const to[2] = {&rates->leave, &rates->arrive};
    for (int i = 0; i < 2; ++i) {
        const v2 d = direction[i];
        *to[i] = dp_v3_scale(axis[0], flat_rate * d.x + flat * rate[i].x);
        *to[i] = dp_v3_madd(*to[i], flat_rate * d.y + flat * rate[i].y, axis[1]);
        *to[i] = dp_v3_madd(*to[i], steep_rate + cross(turn, d), axis[2]);
    }
    return true;
}
