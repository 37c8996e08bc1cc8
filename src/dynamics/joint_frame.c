// Wrenches (t, f) and twists (w, v) are taken as vectors (t/L, f) and (w L, v) of six numbers of
// one unit each, so that lengths and angles between them mean something.
#include "dynamics/joint_frame.h"

#include "linalg/vector.h"

static const double DEPENDENT = 1e-8; // rest of a unit vector that is round-off
static const double CLEAR = 0.5;      // rest that makes a direction a good one

typedef struct six {
    double x[6];
} six;

static six of_twist(dp_twist s, double length)
{
    six out = {{0.0}};
    dp_v3_store(out.x, dp_v3_scale(s.w, length));
    dp_v3_store(out.x + 3, s.v);
    return out;
}

static dp_wrench to_wrench(six a, double length)
{
    return (dp_wrench){dp_v3_scale(dp_v3_load(a.x), length), dp_v3_load(a.x + 3)};
}

static void madd(six *a, double s, const six *b)
{
    for (int i = 0; i < 6; ++i) {
        a->x[i] += s * b->x[i];
    }
}

// Orthonormal vectors, to which one more is added where it is not in their span.
typedef struct span {
    int count;
    six basis[6];
} span;

// Take from `a` what lies in the span, twice for all digits. @param part of each, may be NULL
static double rest_of(six *a, const span *of, double *part)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < of->count; ++i) {
            const double along = dp_dot(a->x, of->basis[i].x, 6);
            madd(a, -along, &of->basis[i]);
            if (part) {
                part[i] += along;
            }
        }
    }
    return dp_norm(a->x, 6);
}

static void add_to(span *s, six a, double size)
{
    for (int i = 0; i < 6; ++i) {
        a.x[i] /= size;
        a.x[i] = fabs(a.x[i]) < 1e-15 ? 0.0 : a.x[i];
    }
    s->basis[s->count++] = a;
}

// Twists about the point r from the origin are Q R; what drives them is Q R⁻ᵀ. Those that depend on
// others, where joints line up, are left to them.
static span motions(dp_wrench *drive, const dp_kin *kin, const dp_body *body, dp_v3 r,
                    double length)
{
    span s = {.count = 0};
    double R[6][6] = {{0.0}}; // R[k]: of twist k along the basis
    int own[6];               // the basis vector that a twist added, −1: none
    for (int k = 0; k < body->ndof; ++k) {
        six a = of_twist(dp_twist_shift(kin->S[body->dof_start + k], r), length);
        const double whole = dp_norm(a.x, 6), rest = rest_of(&a, &s, R[k]);
        own[k] = rest > DEPENDENT * whole ? s.count : -1;
        if (own[k] >= 0) {
            R[k][s.count] = rest;
            add_to(&s, a, rest);
        }
    }
    for (int k = 0; k < body->ndof; ++k) { // w with R[j]·w = (j == k), by substitution
        double w[6] = {0.0};
        six sum = {{0.0}};
        for (int j = 0; j < body->ndof; ++j) {
            if (own[j] < 0) {
                continue;
            }
            double value = j == k ? 1.0 : 0.0;
            for (int i = 0; i < own[j]; ++i) {
                value -= R[j][i] * w[i];
            }
            w[own[j]] = value / R[j][own[j]];
            madd(&sum, w[own[j]], &s.basis[own[j]]);
        }
        drive[k] = to_wrench(sum, length);
    }
    return s;
}

// Axes to look along: that of the first hinge or slide, and two across it that are near those of
// the world.
static void look_along(dp_v3 axis[3], const dp_kin *kin, const dp_model *m, int b)
{
    const dp_body *body = &m->body[b];
    double e[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int pass = 0; pass < 2; ++pass) { // hinges before slides
        for (int k = 0; k < body->njoint; ++k) {
            const int j = m->body_joint[body->joint_start + k];
            if (m->joint[j].kind != (pass == 0 ? DP_JOINT_HINGE : DP_JOINT_SLIDE)) {
                continue;
            }
            double a[3];
            dp_v3_store(a, kin->axis[j]);
            int most = 0;
            for (int i = 1; i < 3; ++i) {
                most = fabs(a[i]) > fabs(a[most]) ? i : most;
            }
            const dp_v3 next = dp_v3_load(e[(most + 1) % 3]), along = dp_v3_load(a);
            const dp_v3 across = dp_v3_madd(next, -dp_v3_dot(next, along), along);
            axis[0] = along;
            axis[1] = dp_v3_scale(across, 1.0 / dp_v3_norm(across));
            axis[2] = dp_v3_cross(along, axis[1]);
            return;
        }
    }
    for (int i = 0; i < 3; ++i) {
        axis[i] = dp_v3_load(e[i]);
    }
}

dp_v3 dp_joint_frame_point(const dp_kin *kin, const dp_model *m, int b)
{
    const dp_body *body = &m->body[b];
    return body->njoint > 0 ? kin->anchor[m->body_joint[body->joint_start]] : kin->link[b].X.p;
}

dp_joint_frame dp_joint_frame_of(const dp_kin *kin, const dp_model *m, int b, double length)
{
    dp_joint_frame out = {.point = dp_joint_frame_point(kin, m, b)};
    dp_v3 axis[3];
    look_along(axis, kin, m, b);
    span s = motions(out.drive, kin, &m->body[b], dp_v3_sub(out.point, kin->link[b].X.p), length);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 6 && s.count < 6; ++i) { // forces, then moments
            six a = {{0.0}};
            dp_v3_store(a.x + (i < 3 ? 3 : 0), axis[i % 3]);
            const double rest = rest_of(&a, &s, NULL);
            if (rest > (pass == 0 ? CLEAR : DEPENDENT)) {
                add_to(&s, a, rest);
                const six *unit = &s.basis[s.count - 1];
                const bool moment = unit->x[3] == 0.0 && unit->x[4] == 0.0 && unit->x[5] == 0.0;
                out.moment[out.count] = moment;
                out.reaction[out.count++] = to_wrench(*unit, moment ? 1.0 : length);
            }
        }
    }
    return out;
}
