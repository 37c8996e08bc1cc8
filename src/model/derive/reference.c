#include "model/derive/reference.h"

#include <math.h>
#include <string.h>

typedef dp_reference_matrix matrix;
typedef dp_reference_vector vector;
typedef dp_reference reference;

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
    case DP_JOINT_SLIDE:
        S[k] = motion(zero, dp_m3_apply(&R, joint->axis));
        return;
    case DP_JOINT_HINGE: {
        const dp_v3 w = dp_m3_apply(&R, joint->axis);
        S[k] = motion(w, dp_v3_cross(anchor, w));
        return;
    }
    case DP_JOINT_FREE:
        for (; k < 3; ++k) {
            S[k] = motion(zero, (dp_v3){k == 0, k == 1, k == 2});
        }
        // fall through
    case DP_JOINT_BALL:
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

dp_status dp_reference_take(dp_reference *r, const dp_model *m, dp_pool *pool)
{
    const size_t nv = (size_t)m->size.nv, nbody = (size_t)m->size.nbody;
    DP_TRY(dp_pool_take(&r->X_WB, pool, nbody, sizeof *r->X_WB));
    DP_TRY(dp_pool_take(&r->S, pool, nv, sizeof *r->S));
    DP_TRY(dp_pool_take(&r->U, pool, nv, sizeof *r->U));
    DP_TRY(dp_pool_take(&r->D, pool, nv, sizeof *r->D));
    DP_TRY(dp_pool_take(&r->mobility, pool, nv, sizeof *r->mobility));
    DP_TRY(dp_pool_take(&r->articulated, pool, nbody, sizeof *r->articulated));
    DP_TRY(dp_pool_take(&r->omega, pool, nbody, sizeof *r->omega));
    DP_TRY(dp_pool_take(&r->force, pool, nbody, sizeof *r->force));
    DP_TRY(dp_pool_take(&r->drive, pool, nv, sizeof *r->drive));
    DP_TRY(dp_pool_take(&r->response, pool, nv, sizeof *r->response));
    DP_TRY(dp_pool_take(&r->motion, pool, nbody, sizeof *r->motion));
    r->nmarked = 0;
    DP_TRY(dp_pool_take(&r->marked, pool, nbody, sizeof *r->marked));
    return dp_pool_take(&r->is_marked, pool, nbody, sizeof *r->is_marked);
}

// Poses, motions and inertias of the bodies themselves.
static void find_bodies(reference *r, const dp_model *m)
{
    dp_pose *X_WB = r->X_WB;
    X_WB[0] = DP_IDENTITY_POSE;
    for (int b = 1; b < m->size.nbody; ++b) { // parents come before children
        const dp_body *body = &m->body[b];
        X_WB[b] = dp_pose_mul(X_WB[body->parent], body->pose);
        if (body->tree < 0) {
            continue;
        }
        const dp_v3 origin = X_WB[m->tree_body[body->tree]].p;
        r->articulated[b] = inertia_of_body(body, X_WB[b], origin);
        for (int k = 0; k < body->njoint; ++k) {
            const dp_joint *joint = &m->joint[m->body_joint[body->joint_start + k]];
            find_motions(r->S + joint->v_index, joint, X_WB[b], origin);
        }
    }
}

static void sweep_inward(reference *r, const dp_model *m)
{
    for (int b = m->size.nbody - 1; b > 0; --b) {
        const dp_body *body = &m->body[b];
        if (body->tree < 0) {
            continue;
        }
        for (int i = body->dof_start + body->ndof - 1; i >= body->dof_start; --i) {
            const vector S = r->S[i];
            r->U[i] = apply(&r->articulated[b], S);
            r->D[i] = dot(S, r->U[i]) + m->dof_armature[i];
            add_product(&r->articulated[b], -1.0 / r->D[i], r->U[i], r->U[i]);
        }
        if (m->body[body->parent].tree >= 0) {
            add_matrix(&r->articulated[body->parent], &r->articulated[b]);
        }
    }
}

static void sweep_outward(reference *r, const dp_model *m)
{
    for (int b = 1; b < m->size.nbody; ++b) {
        const dp_body *body = &m->body[b];
        if (body->tree < 0) {
            continue;
        }
        matrix omega = r->omega[body->parent]; // 0 where that is fixed
        for (int i = body->dof_start; i < body->dof_start + body->ndof; ++i) {
            const vector S = r->S[i], x = apply(&omega, r->U[i]); // Ω U
            const double w = 1.0 / r->D[i], xU = dot(x, r->U[i]);
            r->mobility[i] = w + xU * w * w;     // (M 1)
            add_product(&omega, -2.0 * w, S, x); // (M 2), multiplied out
            add_product(&omega, r->mobility[i], S, S);
        }
        r->omega[b] = omega;
    }
}

void dp_reference_find(dp_reference *r, const dp_model *m)
{
    find_bodies(r, m);
    sweep_inward(r, m);
    sweep_outward(r, m);
}

// ---- how easily things yield

// A force at a point of the world, about the origin of the tree.
static vector force_at(dp_v3 point, dp_v3 f, dp_v3 origin)
{
    return motion(dp_v3_cross(dp_v3_sub(point, origin), f), f);
}

static dp_v3 origin_of(const reference *r, const dp_model *m, int body)
{
    return r->X_WB[m->tree_body[m->body[body].tree]].p;
}

double dp_reference_give(const dp_reference *r, const dp_model *m, int body)
{
    if (m->body[body].tree < 0) {
        return 0.0;
    }
    const dp_v3 centre = dp_pose_apply(r->X_WB[body], m->body[body].inertial.frame.p);
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const dp_v3 axis = {k == 0, k == 1, k == 2};
        const vector f = force_at(centre, axis, origin_of(r, m, body));
        sum += dot(f, apply(&r->omega[body], f));
    }
    return sum / 3.0;
}

double dp_reference_turn(const dp_reference *r, const dp_model *m, int body)
{
    const matrix *omega = &r->omega[body];
    return m->body[body].tree < 0 ? 0.0 : (omega->m[0][0] + omega->m[1][1] + omega->m[2][2]) / 3.0;
}

double dp_reference_joint(const dp_reference *r, const dp_joint *joint)
{
    // A ball or free joint turns by its last three coordinates.
    const int n = joint->nv < 3 ? joint->nv : 3;
    double sum = 0.0;
    for (int k = joint->nv - n; k < joint->nv; ++k) {
        sum += r->mobility[joint->v_index + k];
    }
    return sum / n;
}

// A body that forces act on, once.
static void mark(reference *r, int body)
{
    if (!r->is_marked[body]) {
        r->is_marked[body] = true;
        r->marked[r->nmarked++] = body;
    }
}

// Which of the marked bodies has the highest number: nothing outward of it is marked.
static int outermost(const reference *r)
{
    int best = 0;
    for (int k = 1; k < r->nmarked; ++k) {
        best = r->marked[k] > r->marked[best] ? k : best;
    }
    return best;
}

// fᵀ M⁻¹ f of the forces in r->force and r->drive, which are used up: what each degree of freedom
// meets on the way inward, u, adds u²/D. Visits the marked bodies and those inward of them alone.
static double respond(reference *r, const dp_model *m)
{
    double sum = 0.0;
    while (r->nmarked > 0) {
        const int k = outermost(r), b = r->marked[k];
        const dp_body *body = &m->body[b];
        r->is_marked[b] = false;
        r->marked[k] = r->marked[--r->nmarked];
        for (int i = body->dof_start + body->ndof - 1; i >= body->dof_start; --i) {
            const double u = r->drive[i] + dot(r->S[i], r->force[b]);
            sum += u * u / r->D[i];
            r->response[i] = u / r->D[i];
            for (int n = 0; n < 6; ++n) {
                r->force[b].x[n] -= r->U[i].x[n] * u / r->D[i];
            }
            r->drive[i] = 0.0;
        }
        if (m->body[body->parent].tree >= 0) {
            mark(r, body->parent);
            for (int n = 0; n < 6; ++n) {
                r->force[body->parent].x[n] += r->force[b].x[n];
            }
        }
        r->force[b] = (vector){{0.0}};
    }
    return sum;
}

static void pull(reference *r, const dp_model *m, int body, dp_v3 point, dp_v3 f)
{
    if (m->body[body].tree >= 0) {
        const vector x = force_at(point, f, origin_of(r, m, body));
        mark(r, body);
        for (int k = 0; k < 6; ++k) {
            r->force[body].x[k] += x.x[k];
        }
    }
}

// From site to site along straight lines.
static void pull_along(reference *r, const dp_model *m, const dp_tendon *tendon)
{
    double share = 1.0;
    const dp_site *last = NULL;
    for (int k = 0; k < tendon->nwrap; ++k) {
        const dp_wrap *wrap = &tendon->wrap[k];
        if (wrap->kind == DP_WRAP_PULLEY) {
            share = 1.0 / wrap->coefficient;
            last = NULL;
        }
        if (wrap->kind != DP_WRAP_SITE) {
            continue;
        }
        const dp_site *site = &m->site[wrap->object];
        if (last) {
            const dp_v3 from = dp_pose_apply(r->X_WB[last->body], last->pose.p);
            const dp_v3 to = dp_pose_apply(r->X_WB[site->body], site->pose.p);
            const dp_v3 way = dp_v3_sub(to, from);
            const double length = dp_v3_norm(way);
            const double scale = length > 0.0 ? share / length : 0.0;
            pull(r, m, last->body, from, dp_v3_scale(way, -scale));
            pull(r, m, site->body, to, dp_v3_scale(way, scale));
        }
        last = site;
    }
}

static void pull_tendon(reference *r, const dp_model *m, const dp_tendon *tendon)
{
    if (tendon->spatial) {
        pull_along(r, m, tendon);
    }
    for (int k = 0; k < tendon->nwrap && !tendon->spatial; ++k) {
        const dp_joint *joint = &m->joint[tendon->wrap[k].object];
        mark(r, joint->body);
        r->drive[joint->v_index] += tendon->wrap[k].coefficient;
    }
}

double dp_reference_tendon(dp_reference *r, const dp_model *m, const dp_tendon *tendon)
{
    pull_tendon(r, m, tendon);
    return respond(r, m);
}

// From the root outward, what each degree of freedom does besides what moves its body already.
static double find_accelerations(reference *r, const dp_model *m)
{
    double sum = 0.0;
    for (int b = 1; b < m->size.nbody; ++b) {
        const dp_body *body = &m->body[b];
        if (body->tree < 0) {
            continue;
        }
        vector a = {{0.0}};
        if (m->body[body->parent].tree >= 0) {
            a = r->motion[body->parent];
        }
        for (int i = body->dof_start; i < body->dof_start + body->ndof; ++i) {
            const double x = r->response[i] - dot(r->U[i], a) / r->D[i];
            for (int n = 0; n < 6; ++n) {
                a.x[n] += x * r->S[i].x[n];
            }
            sum += x * x;
        }
        r->motion[b] = a;
    }
    return sum;
}

double dp_reference_acceleration(dp_reference *r, const dp_model *m, const dp_actuator *actuator)
{
    double factor = 1.0;
    memset(r->response, 0, (size_t)m->size.nv * sizeof *r->response);
    if (actuator->joint >= 0) {
        const dp_joint *joint = &m->joint[actuator->joint];
        mark(r, joint->body);
        for (int k = 0; k < joint->nv; ++k) {
            r->drive[joint->v_index + k] += actuator->gear[k];
        }
    } else if (actuator->tendon >= 0) {
        pull_tendon(r, m, &m->tendon[actuator->tendon]);
        factor = fabs(actuator->gear[0]);
    }
    respond(r, m);
    return factor * sqrt(find_accelerations(r, m));
}

double dp_reference_actuator(dp_reference *r, const dp_model *m, const dp_actuator *actuator)
{
    if (actuator->tendon >= 0) {
        const double gear = actuator->gear[0];
        return gear * gear * dp_reference_tendon(r, m, &m->tendon[actuator->tendon]);
    }
    if (actuator->joint < 0) {
        return 0.0;
    }
    const dp_joint *joint = &m->joint[actuator->joint];
    mark(r, joint->body);
    for (int k = 0; k < joint->nv; ++k) { // the reference of a ball joint is no rotation
        r->drive[joint->v_index + k] = actuator->gear[k];
    }
    return respond(r, m);
}
