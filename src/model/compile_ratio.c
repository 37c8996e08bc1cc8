// Springs and dampers that are given by a time constant and a damping ratio. What stiffness and
// damping that means depends on the inertia that they meet, all joints at their reference:
//
//     actuator, l̇ = J v:  I = Σ Mᵢᵢ/Jᵢ² over all Jᵢ ≠ 0,  b = 2 ζ √(k I)                     (R 1)
//
//     joint of n coordinates:  I = n/Σ(M⁻¹)ᵢᵢ,  k = I/(τ ζ)²,  b = 2 I/τ                     (R 2)
//
// as in MuJoCo up to 3.14. Later versions take I = 1/(J M⁻¹ Jᵀ) in (R 1).
//
// Mᵢᵢ = Sᵀ I_c S with the composite inertia I_c. For the diagonal of M⁻¹, let I_A be the
// articulated inertia outward of a degree of freedom, U = I_A S, D = Sᵀ U + armature
// [Featherstone2008, §7.3], and Ω the acceleration that a force on a body gives that body. Then,
// from the root outward,
//
//     (M⁻¹)ᵢᵢ = 1/D + Uᵀ Ω U/D²                                                              (R 3)
//     Ω ← S Sᵀ/D + (1 − S Uᵀ/D) Ω (1 − U Sᵀ/D)                                               (R 4)
//
// Time and memory are linear in the mechanism. All of a tree is taken in world axes about the
// origin of its root.
#include "model/compile.h"

// Symmetric, angular part first, like the vectors.
typedef struct matrix {
    double m[6][6];
} matrix;

typedef struct vector {
    double x[6];
} vector;

static double dot(vector a, vector b)
{
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) {
        sum += a.x[i] * b.x[i];
    }
    return sum;
}

static vector apply(const matrix *A, vector x)
{
    vector y;
    for (int i = 0; i < 6; ++i) {
        y.x[i] = 0.0;
        for (int j = 0; j < 6; ++j) {
            y.x[i] += A->m[i][j] * x.x[j];
        }
    }
    return y;
}

// A + s (a bᵀ + b aᵀ)/2
static void add_product(matrix *A, double s, vector a, vector b)
{
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            A->m[i][j] += 0.5 * s * (a.x[i] * b.x[j] + b.x[i] * a.x[j]);
        }
    }
}

static void add_matrix(matrix *A, const matrix *B)
{
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            A->m[i][j] += B->m[i][j];
        }
    }
}

static vector motion(dp_v3 w, dp_v3 v)
{
    return (vector){{w.x, w.y, w.z, v.x, v.y, v.z}};
}

// The motion along each degree of freedom of a joint.
static void find_motions(vector *S, const dp_joint *joint, dp_pose X_WB, dp_v3 origin)
{
    const dp_m3 R = dp_m3_from_quat(X_WB.q);
    const dp_v3 anchor = dp_v3_sub(dp_pose_apply(X_WB, joint->anchor), origin);
    const dp_v3 zero = {0.0, 0.0, 0.0};
    int k = 0;
    switch (joint->kind) {
    case DP_SLIDE:
        S[k] = motion(zero, dp_m3_apply(&R, joint->axis));
        return;
    case DP_HINGE: {
        const dp_v3 w = dp_m3_apply(&R, joint->axis);
        S[k] = motion(w, dp_v3_cross(anchor, w));
        return;
    }
    case DP_FREE:
        for (; k < 3; ++k) {
            S[k] = motion(zero, (dp_v3){k == 0, k == 1, k == 2});
        }
        // fall through
    case DP_BALL:
        for (int axis = 0; axis < 3; ++axis, ++k) {
            const dp_v3 w = dp_m3_column(&R, axis);
            S[k] = motion(w, dp_v3_cross(anchor, w));
        }
        return;
    }
}

static matrix inertia_of_body(const dp_body *body, dp_pose X_WB, dp_v3 origin)
{
    const dp_m3 R = dp_m3_from_quat(X_WB.q);
    const dp_rigid_inertia own = {body->mass, dp_m3_apply(&R, body->moment),
                                  dp_sym3_rotate(&R, body->inertia)};
    dp_rigid_inertia J = {0};
    dp_rigid_inertia_accumulate(&J, &own, dp_v3_sub(X_WB.p, origin));
    matrix A;
    for (int k = 0; k < 6; ++k) { // by columns
        const dp_twist unit = {{k == 0, k == 1, k == 2}, {k == 3, k == 4, k == 5}};
        const dp_wrench p = dp_rigid_inertia_apply(&J, unit);
        const double column[6] = {p.t.x, p.t.y, p.t.z, p.f.x, p.f.y, p.f.z};
        for (int i = 0; i < 6; ++i) {
            A.m[i][k] = column[i];
        }
    }
    return A;
}

// What is known of a mechanism at its reference.
typedef struct reference {
    vector *S, *U;       // nv
    double *D;           // nv
    double *inertia;     // nv: Mᵢᵢ
    double *mobility;    // nv: (M⁻¹)ᵢᵢ
    matrix *composite;   // nbody
    matrix *articulated; // nbody
    matrix *omega;       // nbody
} reference;

static dp_status take_reference(reference *r, dp_compiler *c)
{
    const size_t nv = (size_t)c->m->size.nv, nbody = (size_t)c->m->size.nbody;
    DP_TRY(dp_pool_take(&r->S, &c->scratch, nv, sizeof *r->S));
    DP_TRY(dp_pool_take(&r->U, &c->scratch, nv, sizeof *r->U));
    DP_TRY(dp_pool_take(&r->D, &c->scratch, nv, sizeof *r->D));
    DP_TRY(dp_pool_take(&r->inertia, &c->scratch, nv, sizeof *r->inertia));
    DP_TRY(dp_pool_take(&r->mobility, &c->scratch, nv, sizeof *r->mobility));
    DP_TRY(dp_pool_take(&r->composite, &c->scratch, nbody, sizeof *r->composite));
    DP_TRY(dp_pool_take(&r->articulated, &c->scratch, nbody, sizeof *r->articulated));
    return dp_pool_take(&r->omega, &c->scratch, nbody, sizeof *r->omega);
}

// Poses, motions and inertias of the bodies themselves.
static dp_status find_bodies(reference *r, dp_compiler *c)
{
    dp_pose *X_WB;
    DP_TRY(dp_pool_take(&X_WB, &c->scratch, (size_t)c->m->size.nbody, sizeof *X_WB));
    X_WB[0] = DP_IDENTITY_POSE;
    for (int b = 1; b < c->m->size.nbody; ++b) { // parents come before children
        const dp_body *body = &c->body[b];
        X_WB[b] = dp_pose_mul(X_WB[body->parent], body->pose);
        if (body->tree < 0) {
            continue;
        }
        const dp_v3 origin = X_WB[c->m->tree_body[body->tree]].p;
        r->composite[b] = r->articulated[b] = inertia_of_body(body, X_WB[b], origin);
        for (int k = 0; k < body->njoint; ++k) {
            const dp_joint *joint = &c->joint[c->body_joint[body->joint_start + k]];
            find_motions(r->S + joint->v_index, joint, X_WB[b], origin);
        }
    }
    return DP_OK;
}

static void sweep_inward(reference *r, const dp_compiler *c)
{
    const dp_model *m = c->m;
    for (int b = m->size.nbody - 1; b > 0; --b) {
        const dp_body *body = &c->body[b];
        if (body->tree < 0) {
            continue;
        }
        for (int i = body->dof_start + body->ndof - 1; i >= body->dof_start; --i) {
            const vector S = r->S[i];
            r->inertia[i] = dot(S, apply(&r->composite[b], S)) + m->dof_armature[i];
            r->U[i] = apply(&r->articulated[b], S);
            r->D[i] = dot(S, r->U[i]) + m->dof_armature[i];
            add_product(&r->articulated[b], -1.0 / r->D[i], r->U[i], r->U[i]);
        }
        if (c->body[body->parent].tree >= 0) {
            add_matrix(&r->composite[body->parent], &r->composite[b]);
            add_matrix(&r->articulated[body->parent], &r->articulated[b]);
        }
    }
}

static void sweep_outward(reference *r, const dp_compiler *c)
{
    for (int b = 1; b < c->m->size.nbody; ++b) {
        const dp_body *body = &c->body[b];
        if (body->tree < 0) {
            continue;
        }
        matrix omega = r->omega[body->parent]; // 0 where that is fixed
        for (int i = body->dof_start; i < body->dof_start + body->ndof; ++i) {
            const vector S = r->S[i], x = apply(&omega, r->U[i]); // Ω U
            const double w = 1.0 / r->D[i], xU = dot(x, r->U[i]);
            r->mobility[i] = w + xU * w * w;     // (R 3)
            add_product(&omega, -2.0 * w, S, x); // (R 4), multiplied out
            add_product(&omega, r->mobility[i], S, S);
        }
        r->omega[b] = omega;
    }
}

// (R 2)
static dp_status set_joint(dp_compiler *c, int j, const reference *r)
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

// The share of one degree of freedom in (R 1).
static double share(const reference *r, int i, double J)
{
    const double smallest = 1e-15; // of J², as in MuJoCo: what turns less is not driven
    return J * J > smallest ? r->inertia[i] / (J * J) : 0.0;
}

static double met_inertia(const dp_compiler *c, const dp_actuator *actuator, const reference *r)
{
    double I = 0.0;
    if (actuator->joint >= 0) {
        const dp_joint *joint = &c->joint[actuator->joint];
        for (int k = 0; k < joint->nv; ++k) { // the reference of a ball joint is no rotation
            I += share(r, joint->v_index + k, actuator->gear[k]);
        }
    } else if (actuator->tendon >= 0 && !c->tendon[actuator->tendon].spatial) {
        const dp_tendon *tendon = &c->tendon[actuator->tendon];
        for (int k = 0; k < tendon->nwrap; ++k) {
            const dp_wrap *wrap = &tendon->wrap[k];
            I += share(r, c->joint[wrap->object].v_index, actuator->gear[0] * wrap->coefficient);
        }
    }
    return I; // 0: it drives what is not simulated
}

// (R 1)
static void set_actuator(dp_compiler *c, int u, const reference *r)
{
    dp_actuator *actuator = &c->actuator[u];
    const double ratio = dp_spec_actuators(c->spec)[u].damping_ratio;
    const double I = met_inertia(c, actuator, r);
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
    reference r;
    DP_TRY(take_reference(&r, c));
    DP_TRY(find_bodies(&r, c));
    sweep_inward(&r, c);
    sweep_outward(&r, c);
    for (int j = 0; j < c->m->size.njoint; ++j) {
        if (joint_has_ratio(c, j)) {
            DP_TRY(set_joint(c, j, &r));
        }
    }
    for (int u = 0; u < c->m->size.nactuator; ++u) {
        if (actuator_has_ratio(c, u)) {
            set_actuator(c, u, &r);
        }
    }
    return DP_OK;
}
