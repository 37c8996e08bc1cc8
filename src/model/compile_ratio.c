// Springs and dampers that are given by a time constant and a damping ratio. What stiffness and
// damping that means depends on the inertia that they meet, all joints at their reference:
//
//     actuator, l̇ = J v:  I = Σ Mᵢᵢ/Jᵢ² over all Jᵢ ≠ 0,  b = 2 ζ √(k I)                     (R 1)
//
//     joint of n coordinates:  I = n/Σ(M⁻¹)ᵢᵢ,  k = I/(τ ζ)²,  b = 2 I/τ                     (R 2)
//
// as in MuJoCo up to 3.14. Later versions take I = 1/(J M⁻¹ Jᵀ) in (R 1).
#include "model/compile.h"
#include "model/packed.h"

#include <string.h>

// The motion along each degree of freedom, in world axes about `origin`.
static void find_motions(dp_twist *S, const dp_joint *joint, dp_pose X_WB, dp_v3 origin)
{
    const dp_m3 R = dp_m3_from_quat(X_WB.q);
    const dp_v3 anchor = dp_v3_sub(dp_pose_apply(X_WB, joint->anchor), origin);
    const dp_v3 zero = {0.0, 0.0, 0.0};
    int k = 0;
    switch (joint->kind) {
    case DP_SLIDE:
        S[k] = (dp_twist){zero, dp_m3_apply(&R, joint->axis)};
        return;
    case DP_HINGE: {
        const dp_v3 w = dp_m3_apply(&R, joint->axis);
        S[k] = (dp_twist){w, dp_v3_cross(anchor, w)};
        return;
    }
    case DP_FREE:
        for (; k < 3; ++k) {
            S[k] = (dp_twist){zero, {k == 0, k == 1, k == 2}};
        }
        // fall through
    case DP_BALL:
        for (int axis = 0; axis < 3; ++axis, ++k) {
            const dp_v3 w = dp_m3_column(&R, axis);
            S[k] = (dp_twist){w, dp_v3_cross(anchor, w)};
        }
        return;
    }
}

// The inertia of a body in world axes, added about `origin`.
static void add_body(dp_rigid_inertia *sum, const dp_body *body, dp_pose X_WB, dp_v3 origin)
{
    const dp_m3 R = dp_m3_from_quat(X_WB.q);
    const dp_rigid_inertia J = {body->mass, dp_m3_apply(&R, body->moment),
                                dp_sym3_rotate(&R, body->inertia)};
    dp_rigid_inertia_accumulate(sum, &J, dp_v3_sub(X_WB.p, origin));
}

// M at the reference.
typedef struct inertia {
    double *diagonal; // nv
    double *factor;   // packed
} inertia;

// All of a tree is taken about the origin of its root.
static dp_status find_inertia(inertia *M, dp_compiler *c)
{
    const dp_model *m = c->m;
    const size_t nbody = (size_t)m->size.nbody, nv = (size_t)m->size.nv;
    dp_pose *X_WB;
    dp_rigid_inertia *composite;
    dp_twist *S;
    DP_TRY(dp_pool_take(&X_WB, &c->scratch, nbody, sizeof *X_WB));
    DP_TRY(dp_pool_take(&composite, &c->scratch, nbody, sizeof *composite));
    DP_TRY(dp_pool_take(&S, &c->scratch, nv, sizeof *S));
    DP_TRY(dp_pool_take(&M->diagonal, &c->scratch, nv, sizeof *M->diagonal));
    DP_TRY(dp_pool_take(&M->factor, &c->scratch, m->dof_packed[nv], sizeof *M->factor));

    X_WB[0] = DP_IDENTITY_POSE;
    for (int b = 1; b < m->size.nbody; ++b) { // parents come before children
        const dp_body *body = &c->body[b];
        X_WB[b] = dp_pose_mul(X_WB[body->parent], body->pose);
        if (body->tree < 0) {
            continue;
        }
        const dp_v3 origin = X_WB[m->tree_body[body->tree]].p;
        add_body(&composite[b], body, X_WB[b], origin);
        for (int k = 0; k < body->njoint; ++k) {
            const dp_joint *joint = &c->joint[c->body_joint[body->joint_start + k]];
            find_motions(S + joint->v_index, joint, X_WB[b], origin);
        }
    }
    for (int b = m->size.nbody - 1; b > 0; --b) {
        const dp_body *body = &c->body[b];
        if (body->tree < 0) {
            continue;
        }
        for (int i = body->dof_start; i < body->dof_start + body->ndof; ++i) {
            const dp_wrench momentum = dp_rigid_inertia_apply(&composite[b], S[i]);
            double *row = M->factor + m->dof_packed[i];
            row[0] = m->dof_armature[i];
            for (int j = i, k = 0; j >= 0; j = m->dof_parent[j], ++k) {
                row[k] += dp_power(S[j], momentum);
            }
            M->diagonal[i] = row[0];
        }
        if (c->body[body->parent].tree >= 0) {
            const dp_v3 here = {0.0, 0.0, 0.0};
            dp_rigid_inertia_accumulate(&composite[body->parent], &composite[b], here);
        }
    }
    dp_packed_factor(M->factor, m);
    return DP_OK;
}

// (M⁻¹)ᵢᵢ. @param x nv, scratch
static double mobility(double *x, const dp_model *m, const inertia *M, int i)
{
    memset(x, 0, (size_t)m->size.nv * sizeof *x);
    x[i] = 1.0;
    dp_packed_solve(x, m, M->factor, x);
    return x[i];
}

// (R 2)
static dp_status set_joint(dp_compiler *c, int j, const inertia *M, double *x)
{
    const double *given = dp_spec_joints(c->spec)[j].spec.spring_damper;
    dp_joint *joint = &c->joint[j];
    double sum = 0.0;
    for (int k = 0; k < joint->nv; ++k) {
        sum += mobility(x, c->m, M, joint->v_index + k);
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

// The share of one degree of freedom in (R 1).
static double share(const inertia *M, int i, double J)
{
    const double smallest = 1e-15; // of J², as in MuJoCo: what turns less is not driven
    return J * J > smallest ? M->diagonal[i] / (J * J) : 0.0;
}

static double met_inertia(const dp_compiler *c, const dp_actuator *actuator, const inertia *M)
{
    double I = 0.0;
    if (actuator->joint >= 0) {
        const dp_joint *joint = &c->joint[actuator->joint];
        for (int k = 0; k < joint->nv; ++k) { // the reference of a ball joint is no rotation
            I += share(M, joint->v_index + k, actuator->gear[k]);
        }
    } else if (actuator->tendon >= 0 && !c->tendon[actuator->tendon].spatial) {
        const dp_tendon *tendon = &c->tendon[actuator->tendon];
        for (int k = 0; k < tendon->nwrap; ++k) {
            const dp_wrap *wrap = &tendon->wrap[k];
            I += share(M, c->joint[wrap->object].v_index, actuator->gear[0] * wrap->coefficient);
        }
    }
    return I; // 0: it drives what is not simulated
}

// (R 1)
static void set_actuator(dp_compiler *c, int u, const inertia *M)
{
    dp_actuator *actuator = &c->actuator[u];
    const double ratio = dp_spec_actuators(c->spec)[u].damping_ratio;
    const double I = met_inertia(c, actuator, M);
    actuator->bias[2] = -2.0 * ratio * sqrt(fmax(actuator->gain[0], 0.0) * I);
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

dp_status dp_compile_ratios(dp_compiler *c)
{
    bool any = false;
    for (int j = 0; j < c->m->size.njoint && !any; ++j) {
        any = joint_has_ratio(c, j);
    }
    for (int u = 0; u < c->m->size.nactuator && !any; ++u) {
        any = actuator_has_ratio(c, u);
    }
    if (!any) {
        return DP_OK;
    }
    inertia M;
    double *x;
    DP_TRY(find_inertia(&M, c));
    DP_TRY(dp_pool_take(&x, &c->scratch, (size_t)c->m->size.nv, sizeof *x));
    for (int j = 0; j < c->m->size.njoint; ++j) {
        if (joint_has_ratio(c, j)) {
            DP_TRY(set_joint(c, j, &M, x));
        }
    }
    for (int u = 0; u < c->m->size.nactuator; ++u) {
        if (actuator_has_ratio(c, u)) {
            set_actuator(c, u, &M);
        }
    }
    return DP_OK;
}
