// Springs and dampers that are given by a time constant and a damping ratio. What stiffness and
// damping that means depends on the inertia that they meet, all joints at their reference:
//
//     actuator, l̇ = J v:  I = 1/(J M⁻¹ Jᵀ),  b = 2 ζ √(k I)                                 (R 1)
//
//     joint of n coordinates:  I = n/Σ(M⁻¹)ᵢᵢ,  k = I/(τ ζ)²,  b = 2 I/τ                     (R 2)
//
// as in MuJoCo. Its versions before 3.15 take I = Σ Mᵢᵢ/Jᵢ² in (R 1).
//
// Limits and equalities may be given by MuJoCo's solref and solimp. There a row of mobility
// A = G M⁻¹ Gᵀ has the force
//
//     f = −(d/(1 − d)) (φ̈ + b φ̇ + k φ)/A,                                                   (R 3)
//     k = 1/(d τ² ζ²), b = 2/(d τ)    or    k = −solref₀/d, b = −solref₁/d,
//
// with the impedance d, here that of large gaps, solimp₁. That is a spring, a damper and a mass
// that is not there. We take the spring and the damper:
//
//     k = 1/((1 − d) τ² ζ² A), b = 2/((1 − d) τ A)    or    −solref/((1 − d) A)              (R 4)
//
// Under a steady load it rests where MuJoCo's does, and creeps there as slowly (b/k = 2 τ ζ²); what
// hits it meets a harder stop, since MuJoCo's mass first takes up the blow. A is as in MuJoCo: of
// joints and tendons their own, between two of anything the sum of both, of bodies that of the
// centre of mass.
#include "model/combine_materials.h"
#include "model/reference.h"

// (R 2)
static dp_status set_joint(dp_compiler *c, int j, const dp_reference *r)
{
    const double *given = dp_spec_joints(c->spec)[j].spec.spring_damper;
    dp_joint *joint = &c->joint[j];
    double sum = 0.0;
    for (int k = 0; k < joint->nv; ++k) {
        sum += r->mobility[joint->v_index + k];
    }
    const double I = joint->nv / sum, tau = given[0], zeta = given[1];
    joint->stiffness = I / (tau * tau * zeta * zeta);
    joint->damping = 2.0 * I / tau;
    if (!isfinite(joint->stiffness) || !isfinite(joint->damping)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_JOINT, j,
                            "has springdamper %g, %g, but meets no inertia of its own (expected a "
                            "joint that can move alone)",
                            tau, zeta);
    }
    for (int k = 0; k < joint->nv; ++k) {
        c->dof_stiffness[joint->v_index + k] = joint->stiffness;
        c->dof_damping[joint->v_index + k] = joint->damping;
    }
    c->m->any_spring = c->m->any_damper = true;
    return DP_OK;
}

// (R 1)
static void set_actuator(dp_compiler *c, int u, dp_reference *r)
{
    dp_actuator *actuator = &c->actuator[u];
    const double ratio = dp_spec_actuators(c->spec)[u].damping_ratio;
    const double A = dp_reference_actuator(r, c, actuator);
    const double I = A > 0.0 ? 1.0 / A : 0.0; // 0: it drives a site, or nothing that moves
    actuator->bias[2] = -2.0 * ratio * sqrt(fmax(actuator->gain[0], 0.0) * I);
}

static double mobility_between(const dp_compiler *c, const dp_equality *e, dp_reference *r)
{
    double A = 0.0;
    for (int k = 0; k < 2; ++k) {
        const int i = e->object[k];
        if (i < 0) {
            continue;
        }
        A += e->kind == DP_EQUALITY_JOINT    ? dp_reference_joint(r, &c->joint[i])
             : e->kind == DP_EQUALITY_TENDON ? dp_reference_tendon(r, c, &c->tendon[i])
                                             : dp_reference_give(r, c, i);
    }
    return A;
}

// MuJoCo measures the turn of a weld by torquescale · sin ½θ.
static void set_equality(dp_compiler *c, int i, dp_reference *r)
{
    dp_equality *e = &c->equality[i];
    e->bearing = dp_bearing_of(e->solref, e->solimp, mobility_between(c, e, r));
    if (e->kind == DP_EQUALITY_WELD) {
        const double A =
            dp_reference_turn(r, c, e->object[0]) + dp_reference_turn(r, c, e->object[1]);
        const double arm = 0.5 * e->torque_scale;
        e->turning = dp_bearing_of(e->solref, e->solimp, A);
        e->turning.stiffness *= arm * arm;
        e->turning.damping *= arm * arm;
    }
}

static bool joint_has_ratio(const dp_compiler *c, int j)
{
    const double *given = dp_spec_joints(c->spec)[j].spec.spring_damper;
    return given[0] > 0.0 && given[1] > 0.0;
}

static bool actuator_has_ratio(const dp_compiler *c, int u)
{
    return dp_spec_actuators(c->spec)[u].damping_ratio > 0.0;
}

static bool limit_has_solref(const dp_compiler *c, int j)
{
    const dp_joint_spec *joint = &dp_spec_joints(c->spec)[j].spec;
    return joint->limited && joint->limit_solver_given;
}

static bool tendon_has_solref(const dp_compiler *c, int i)
{
    const dp_tendon_spec *tendon = &dp_spec_tendons(c->spec)[i];
    return tendon->limited && tendon->limit_solver_given;
}

dp_status dp_compile_ratios(dp_compiler *c)
{
    dp_reference r;
    DP_TRY(dp_reference_find(&r, c));
    for (int j = 0; j < c->m->size.njoint; ++j) {
        if (joint_has_ratio(c, j)) {
            DP_TRY(set_joint(c, j, &r));
        }
        if (limit_has_solref(c, j)) {
            const dp_joint_spec *from = &dp_spec_joints(c->spec)[j].spec;
            c->joint[j].limit = dp_bearing_of(from->limit_solref, from->limit_solimp,
                                              dp_reference_joint(&r, &c->joint[j]));
        }
    }
    for (int u = 0; u < c->m->size.nactuator; ++u) {
        if (actuator_has_ratio(c, u)) {
            set_actuator(c, u, &r);
        }
    }
    for (int i = 0; i < c->m->size.ntendon; ++i) {
        dp_tendon *tendon = &c->tendon[i];
        if (tendon_has_solref(c, i)) {
            tendon->limit = dp_bearing_of(tendon->limit_solref, tendon->limit_solimp,
                                          dp_reference_tendon(&r, c, tendon));
        }
    }
    for (int i = 0; i < c->m->size.nequality; ++i) {
        if (c->equality[i].solver_given) {
            set_equality(c, i, &r);
        }
    }
    for (int b = 0; b < c->m->size.nbody; ++b) {
        c->body[b].give = dp_reference_give(&r, c, b);
    }
    return DP_OK;
}
