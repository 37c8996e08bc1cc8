// Normal laws of contacts that are no spring and dashpot, force and derivatives, for every law and
// every solver. With the depth δ = −φ and its rate δ̇,
//
//     F = k δ₊ᵖ (1 + d δ̇)₊,   p = 1 [HuntCrossley1975] or 3/2, the exponent of Hertz,       (NL 1)
//
// taken at the end of the step, where δ = −φ − h (u + φ_t) and δ̇ = −(u + φ_t): the impulse is
//
//     γ = N(u) = h k (h s − φ)₊ᵖ (1 + d s)₊,   s = −(u + φ_t).                             (NL 2)
//
// Both factors grow with s and neither is below 0, so N does not grow with u, whatever the step;
// and it is convex, so that tangents at the deeper of two points lie below it all the way.
#ifndef DP_PROBLEM_NORMAL_LAW_H
#define DP_PROBLEM_NORMAL_LAW_H

#include <dashpot/advanced/problem.h>

#include <math.h>
#include <stdbool.h>

/// F and what it changes by.
typedef struct dp_normal_force {
    double force;     // [N]
    double stiffness; // ∂F/∂δ ≥ 0
    double damping;   // ∂F/∂δ̇ ≥ 0
} dp_normal_force;

static inline bool dp_normal_is_hertz(const dp_normal *law)
{
    return law->kind == DP_NORMAL_HERTZ;
}

/// (NL 1). @param k [N/m] or [N/m^{3/2}], > 0
static inline dp_normal_force dp_normal_force_at(const dp_normal *law, double k, double depth,
                                                 double rate)
{
    const double drag = 1.0 + law->dissipation * rate;
    if (!(depth > 0.0 && drag > 0.0)) {
        return (dp_normal_force){0.0, 0.0, 0.0};
    }
    const double root = dp_normal_is_hertz(law) ? sqrt(depth) : 1.0;
    const double spring = k * depth * root;
    return (dp_normal_force){.force = spring * drag,
                             .stiffness = (dp_normal_is_hertz(law) ? 1.5 : 1.0) * k * root * drag,
                             .damping = spring * law->dissipation};
}
/// [J] What the spring of (NL 1) holds: F without d, integrated from δ = 0.
double dp_normal_energy(const dp_normal *law, double k, double depth);

/// N(u) of (NL 2) and −dN/du ≥ 0. @param row its k, φ and φ_t count
static inline double dp_normal_impulse(double *slope, const dp_normal *law, const dp_row *row,
                                       double h, double u)
{
    const double s = -(u + row->phi_t);
    const dp_normal_force f = dp_normal_force_at(law, row->k, h * s - row->phi, s);
    *slope = h * (h * f.stiffness + f.damping);
    return h * f.force;
}
/// The velocity at which the impulse is γ; for γ ≤ 0 the least one at which there is none.
double dp_normal_velocity(const dp_normal *law, const dp_row *row, double h, double gamma);

/// The law next to (γ, u), as a spring: its tangent at u or at γ, whichever is stiffer. Where there
/// is no impulse at either, the slope is that at `u_deep`, or 1/R_open where that is open too.
dp_soft dp_normal_tangent(const dp_normal *law, const dp_row *row, double h, double gamma, double u,
                          double u_deep, double R_open);
/// The law at γ itself, such that dp_soft_slack is u − N⁻¹(γ): what judges use.
dp_soft dp_normal_exact(const dp_normal *law, const dp_row *row, double h, double gamma);

/// [m/s] No less than the residual of the law at (γ, u), |u − N⁻¹(γ)| where it pushes, and the same
/// to first order. @param gamma ≥ 0. @param a > 0, the mobility of the row
double dp_normal_bound(const dp_normal *law, const dp_row *row, double h, double a, double gamma,
                       double u);

/// The law of a block, NULL: a spring and a dashpot, as in its row.
static inline const dp_normal *dp_normal_of(const dp_step_problem *p, int block)
{
    const int i = p->normal && p->friction_of ? p->friction_of[block] : -1;
    return i >= 0 && p->normal[i].kind != DP_NORMAL_SPRING ? &p->normal[i] : NULL;
}

#endif
