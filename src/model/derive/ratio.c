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
#include "model/derive/derive.h"
#include "model/label.h"

// (R 2)
static dp_status set_joint(dp_model *m, const dp_tables *t, int j, const dp_reference *r)
{
    const double *given = m->joint_ratio[j].spring_damper;
    dp_joint *joint = &t->joint[j];
    double sum = 0.0;
    for (int k = 0; k < joint->nv; ++k) {
        sum += r->mobility[joint->v_index + k];
    }
    const double I = joint->nv / sum, tau = given[0], zeta = given[1];
    joint->stiffness = I / (tau * tau * zeta * zeta);
    joint->damping = 2.0 * I / tau;
    if (!isfinite(joint->stiffness) || !isfinite(joint->damping)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "%s has springdamper %g, %g, but meets no inertia of its own (expected a "
                       "joint that can move alone)",
                       dp_joint_label(m, j).text, tau, zeta);
    }
    for (int k = 0; k < joint->nv; ++k) {
        t->dof_stiffness[joint->v_index + k] = joint->stiffness;
        t->dof_damping[joint->v_index + k] = joint->damping;
    }
    m->any_spring = m->any_damper = true;
    return DP_OK;
}

// (R 1)
static void set_actuator(const dp_model *m, dp_actuator *actuator, dp_reference *r)
{
    const double A = dp_reference_actuator(r, m, actuator);
    const double I = A > 0.0 ? 1.0 / A : 0.0; // 0: it drives a site, or nothing that moves
    actuator->bias[2] = -2.0 * actuator->damping_ratio * sqrt(fmax(actuator->gain[0], 0.0) * I);
}

static bool is_muscle_of_unknown_force(const dp_actuator *a)
{
    return (a->muscle_gain && a->gain_muscle.force < 0.0) ||
           (a->muscle_bias && a->bias_muscle.force < 0.0);
}

// F₀ = scale over the acceleration that a unit of force gives to the mechanism; none moves nothing.
static void set_muscle(const dp_model *m, dp_actuator *a, dp_reference *r)
{
    const dp_muscle *const curves[] = {&a->gain_muscle, &a->bias_muscle};
    const double unit = is_muscle_of_unknown_force(a) ? dp_reference_acceleration(r, m, a) : 0.0;
    for (int k = 0; k < 2; ++k) {
        a->peak_force[k] = curves[k]->force >= 0.0 ? curves[k]->force
                           : unit > 0.0            ? curves[k]->scale / unit
                                                   : 0.0;
    }
}

static double mobility_between(const dp_model *m, const dp_equality *e, dp_reference *r)
{
    double A = 0.0;
    for (int k = 0; k < 2; ++k) {
        const int i = e->object[k];
        if (i < 0) {
            continue;
        }
        A += e->kind == DP_EQUALITY_JOINT    ? dp_reference_joint(r, &m->joint[i])
             : e->kind == DP_EQUALITY_TENDON ? dp_reference_tendon(r, m, &m->tendon[i])
                                             : dp_reference_give(r, m, i);
    }
    return A;
}

// MuJoCo measures the turn of a weld by torquescale · sin ½θ.
static void set_equality(const dp_model *m, dp_equality *e, dp_reference *r)
{
    e->bearing = dp_bearing_of(e->solref, e->solimp, mobility_between(m, e, r));
    if (e->kind == DP_EQUALITY_WELD) {
        const double A =
            dp_reference_turn(r, m, e->object[0]) + dp_reference_turn(r, m, e->object[1]);
        const double arm = 0.5 * e->torque_scale;
        e->turning = dp_bearing_of(e->solref, e->solimp, A);
        e->turning.stiffness *= arm * arm;
        e->turning.damping *= arm * arm;
    }
}

static bool joint_has_ratio(const dp_joint_ratio *ratio)
{
    return ratio->spring_damper[0] > 0.0 && ratio->spring_damper[1] > 0.0;
}

static dp_status set_joints(dp_model *m, const dp_tables *t, const dp_reference *r, int *joint)
{
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint_ratio *ratio = &m->joint_ratio[j];
        if (joint_has_ratio(ratio)) {
            *joint = j;
            DP_TRY(set_joint(m, t, j, r));
        }
        if (ratio->limit_given) {
            t->joint[j].limit = dp_bearing_of(ratio->limit_solref, ratio->limit_solimp,
                                              dp_reference_joint(r, &m->joint[j]));
        }
    }
    return DP_OK;
}

dp_status dp_derive_ratios(dp_model *m, const dp_tables *t, dp_reference *r, int *joint)
{
    dp_reference_find(r, m);
    DP_TRY(set_joints(m, t, r, joint));
    for (int u = 0; u < m->size.nactuator; ++u) {
        if (m->actuator[u].damping_ratio > 0.0) {
            set_actuator(m, &t->actuator[u], r);
        }
        if (m->actuator[u].muscle_gain || m->actuator[u].muscle_bias) {
            set_muscle(m, &t->actuator[u], r);
        }
    }
    for (int i = 0; i < m->size.ntendon; ++i) {
        dp_tendon *tendon = &t->tendon[i];
        if (tendon->limit_given) {
            tendon->limit = dp_bearing_of(tendon->limit_solref, tendon->limit_solimp,
                                          dp_reference_tendon(r, m, tendon));
        }
    }
    for (int i = 0; i < m->size.nequality; ++i) {
        if (m->equality[i].solver_given) {
            set_equality(m, &t->equality[i], r);
        }
    }
    for (int b = 0; b < m->size.nbody; ++b) {
        t->body[b].give = dp_reference_give(r, m, b);
    }
    return DP_OK;
}
