// Two models of MuJoCo [MuJoCo, Computation: Fluid forces]; v and ω are those of the centre of a
// shape against the fluid, in the axes of the shape, ρ the density and β the viscosity.
//
// A body as the box of equal inertia, half sides r, with r_D the mean of r:
//
//     f_i = −2 ρ r_j r_k |v_i| v_i − 6π β r_D v_i                                           (FL 1)
//     g_i = −½ ρ r_i (r_j⁴ + r_k⁴) |ω_i| ω_i − 8π β r_D³ ω_i
//
// A geom as an ellipsoid of semi-axes r and volume V, with the added mass m and inertia I of
// (FL 4), the area A that it shows the flow, and n normal to where it shows it:
//
//     f = (m∘v) × ω + C₄ ρ V ω × v + C₃ ρ A (v̂·n)(n × v) × v
//         − ρ (C₀ A + C₁ (A_max − A)) |v| v − 6π β r_D v                                    (FL 2)
//     g = (m∘v) × v + (I∘ω) × ω − ρ ‖(C₂ D + C₁ (D_max − D))∘ω‖ ω − 8π β r_D³ ω
//
//     A = π ‖s∘v‖/√(v·(s∘v)),   s_i = (r_j r_k)²,   n ∥ s∘v,   D_i = 8π/15 r_i max(r_j, r_k)⁴
//
// The slope has of the derivative what opposes motion: of drag −c |v| v all but how c depends on
// direction, c |v| (1 + v̂ v̂ᵀ); of lift what pushes against n.
#include "dynamics/fluid.h"

#include "math/angle.h"

#include <math.h>
#include <string.h>

// A shape in the flow.
typedef struct immersed {
    dp_v3 v, w;
    dp_v3 f, t;           // force and torque about its centre, in its axes
    dp_sym3 along, about; // their slopes
} immersed;

static void add_diagonal(dp_sym3 *A, dp_v3 d)
{
    A->xx += d.x;
    A->yy += d.y;
    A->zz += d.z;
}

// A + s a aᵀ
static void add_square(dp_sym3 *A, double s, dp_v3 a)
{
    A->xx += s * a.x * a.x;
    A->yy += s * a.y * a.y;
    A->zz += s * a.z * a.z;
    A->xy += s * a.x * a.y;
    A->xz += s * a.x * a.z;
    A->yz += s * a.y * a.z;
}

static dp_v3 times(dp_v3 a, dp_v3 b)
{
    return (dp_v3){a.x * b.x, a.y * b.y, a.z * b.z};
}

// Stokes: −6π β r v and −8π β r³ ω of a sphere.
static void add_resistance(immersed *at, double viscosity, dp_v3 r)
{
    const double mean = (r.x + r.y + r.z) / 3.0;
    const double along = 6.0 * DP_PI * viscosity * mean;
    const double about = 8.0 * DP_PI * viscosity * mean * mean * mean;
    at->f = dp_v3_madd(at->f, -along, at->v);
    at->t = dp_v3_madd(at->t, -about, at->w);
    add_diagonal(&at->along, (dp_v3){along, along, along});
    add_diagonal(&at->about, (dp_v3){about, about, about});
}

// −c_i |x_i| x_i
static void add_axial_drag(dp_v3 *force, dp_sym3 *slope, dp_v3 c, dp_v3 x)
{
    const dp_v3 rate = times(c, (dp_v3){fabs(x.x), fabs(x.y), fabs(x.z)});
    *force = dp_v3_sub(*force, times(rate, x));
    add_diagonal(slope, dp_v3_scale(rate, 2.0));
}

// (FL 1)
static void push_box(immersed *at, dp_v3 r, double density)
{
    const dp_v3 square = times(r, r), fourth = times(square, square);
    const dp_v3 sides = {r.y * r.z, r.z * r.x, r.x * r.y};
    const dp_v3 arms = {fourth.y + fourth.z, fourth.z + fourth.x, fourth.x + fourth.y};
    add_axial_drag(&at->f, &at->along, dp_v3_scale(sides, 2.0 * density), at->v);
    add_axial_drag(&at->t, &at->about, dp_v3_scale(times(r, arms), 0.5 * density), at->w);
}

static double largest(dp_v3 x)
{
    return fmax(x.x, fmax(x.y, x.z));
}

// −c x with a rate c = |x| times a constant, or the like
static void add_drag(dp_v3 *force, dp_sym3 *slope, double rate, dp_v3 x)
{
    const double size = dp_v3_norm(x), falls = rate > 0.0 ? rate : 0.0;
    *force = dp_v3_madd(*force, -rate, x);
    add_diagonal(slope, (dp_v3){falls, falls, falls});
    add_square(slope, size > 0.0 ? falls / (size * size) : 0.0, x);
}

static void push_along(immersed *at, const dp_fluid_shape *shape, double density)
{
    const double *c = shape->coefficient;
    const dp_v3 r = dp_v3_load(shape->r), v = at->v;
    const dp_v3 sides = {r.y * r.z, r.z * r.x, r.x * r.y}, sv = times(times(sides, sides), v);
    const double speed = dp_v3_norm(v), most = DP_PI * largest(sides);
    const double across = dp_v3_dot(v, sv), size = dp_v3_norm(sv);
    if (!(across > 0.0)) {
        return; // it does not move
    }
    const double area = DP_PI * size / sqrt(across);
    const dp_v3 n = dp_v3_scale(sv, 1.0 / size);
    add_drag(&at->f, &at->along, density * (c[0] * area + c[1] * (most - area)) * speed, v);
    const double lift = c[3] * density * area;
    at->f = dp_v3_madd(at->f, lift * dp_v3_dot(v, n) / speed, dp_v3_cross(dp_v3_cross(n, v), v));
    add_square(&at->along, lift > 0.0 ? lift * speed : 0.0, n);
}

static void turn_about(immersed *at, const dp_fluid_shape *shape, double density)
{
    const double *c = shape->coefficient;
    const dp_v3 r = dp_v3_load(shape->r);
    const dp_v3 arm = {fmax(r.y, r.z), fmax(r.z, r.x), fmax(r.x, r.y)};
    const dp_v3 square = times(arm, arm);
    const dp_v3 swept = dp_v3_scale(times(r, times(square, square)), 8.0 * DP_PI / 15.0);
    const double most = largest(swept);
    const dp_v3 rest = dp_v3_sub((dp_v3){most, most, most}, swept);
    const dp_v3 weight = dp_v3_madd(dp_v3_scale(rest, c[1]), c[2], swept);
    add_drag(&at->t, &at->about, density * dp_v3_norm(times(weight, at->w)), at->w);
}

// (FL 2)
static void push_ellipsoid(immersed *at, const dp_fluid_shape *shape, double density)
{
    const dp_v3 r = dp_v3_load(shape->r);
    const double volume = 4.0 / 3.0 * DP_PI * r.x * r.y * r.z;
    const dp_v3 p = dp_v3_scale(times(dp_v3_load(shape->added_mass), at->v), density);
    const dp_v3 L = dp_v3_scale(times(dp_v3_load(shape->added_inertia), at->w), density);
    const dp_v3 spin = dp_v3_cross(at->w, at->v);
    at->f = dp_v3_madd(dp_v3_cross(p, at->w), shape->coefficient[4] * density * volume, spin);
    at->t = dp_v3_add(dp_v3_cross(p, at->v), dp_v3_cross(L, at->w));
    push_along(at, shape, density);
    turn_about(at, shape, density);
}

static void add_shape(const dp_fluid_forces *out, const dp_kin *kin, const dp_fluid_shape *shape,
                      const dp_fluid *fluid)
{
    const dp_link *link = &kin->link[shape->body];
    const dp_m3 R = dp_m3_from_quat(dp_quat_mul(link->X.q, shape->frame.q));
    const dp_v3 arm = dp_quat_rotate(link->X.q, shape->frame.p);
    const dp_v3 v = dp_v3_sub(dp_v3_add(link->V.v, dp_v3_cross(link->V.w, arm)), fluid->wind);
    immersed at = {.v = dp_m3_apply_transposed(&R, v), .w = dp_m3_apply_transposed(&R, link->V.w)};
    if (shape->ellipsoid) {
        push_ellipsoid(&at, shape, fluid->density);
    } else {
        push_box(&at, dp_v3_load(shape->r), fluid->density);
    }
    add_resistance(&at, fluid->viscosity, dp_v3_load(shape->r));

    const dp_wrench w = {dp_m3_apply(&R, at.t), dp_m3_apply(&R, at.f)};
    const dp_articulated_inertia slope = {.A = dp_sym3_rotate(&R, at.about),
                                          .C = dp_sym3_rotate(&R, at.along)};
    dp_wrench *sum = &out->wrench[shape->body];
    *sum = dp_wrench_add(*sum, dp_wrench_shift(w, arm));
    dp_articulated_accumulate(&out->slope[shape->body], &slope, arm);
}

void dp_fluid_evaluate(const dp_fluid_forces *out, const dp_kin *kin, const dp_model *m,
                       const dp_fluid *fluid)
{
    const size_t nbody = (size_t)m->size.nbody;
    memset(out->wrench, 0, nbody * sizeof *out->wrench);
    memset(out->slope, 0, nbody * sizeof *out->slope);
    for (int i = 0; i < m->nfluid; ++i) {
        add_shape(out, kin, &m->fluid[i], fluid);
    }
}
