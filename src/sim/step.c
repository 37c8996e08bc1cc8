// The step, and the evaluation of everything at the present state.
#include "sim/stepping.h"

#include "dynamics/composite.h"
#include "dynamics/recursive.h"
#include "model/label.h"
#include "sim/query.h"

#include <string.h>

// Beyond this a velocity or position [m/s, rad/s, m, rad] is no motion but an overflow on its way:
// its powers must stay finite in every formula.
static const double LARGEST_NUMBER = 1e60;

// What is worth a try when numbers grow without bound.
#define ADVICE "a smaller step may help, or less stiffness, gain or force on what is light"

dp_status dp_refuse_singular(const dp_data *d)
{
    const dp_model *m = d->model;
    const int k = d->art.singular;
    if (k < 0) {
        return DP_OK;
    }
    return dp_fail(DP_ERROR_NUMERIC,
                   "the joints of body '%s' move it alike at t = %.10g s: %s has no inertia of its "
                   "own (expected joints that do not line up, or an armature)",
                   m->body[m->dof_body[k]].name, d->time, dp_joint_label(m, m->dof_joint[k]).text);
}

dp_status dp_evaluate(dp_data *d)
{
    const dp_model *m = d->model;
    dp_data_refresh(d);
    DP_TRY(dp_forces_evaluate(d));
    dp_forces_total(d->scratch.rhs, d);
    for (int i = 1; i < m->size.nbody; ++i) {
        d->scratch.wrench[i] = d->kin.link[i].F0;
        if (d->forces.any_external) {
            d->scratch.wrench[i] = dp_wrench_sub(d->scratch.wrench[i], d->forces.external[i]);
        }
    }
    dp_articulated_factor_solve(d->acceleration, &d->art, &d->kin, m, m->dof_armature,
                                d->scratch.rhs, d->scratch.wrench);
    return dp_refuse_singular(d);
}

static bool is_sane(const double *x, int n, int *culprit)
{
    for (int i = 0; i < n; ++i) {
        if (!(fabs(x[i]) < LARGEST_NUMBER)) {
            *culprit = i;
            return false;
        }
    }
    return true;
}

dp_status dp_refuse_velocities(const dp_data *d, const double *v)
{
    const dp_model *m = d->model;
    int i;
    if (is_sane(v, m->size.nv, &i)) {
        return DP_OK;
    }
    return dp_fail(DP_ERROR_NUMERIC,
                   "velocity %d (%s) would be %g after the step from t = %.10g s (expected less "
                   "than %g; %s)",
                   i, dp_joint_label(m, m->dof_joint[i]).text, v[i], d->time, LARGEST_NUMBER,
                   ADVICE);
}

// t + h; on the lattice of multiples of h when t is, so that a thousand steps of 1 ms end at 1 s.
static double advance_time(double t, double h)
{
    const double shifter = 0x1.8p52; // adding it rounds to an integer
    const double count = (t + h) / h;
    const double whole = (count + shifter) - shifter;
    return fabs(count - whole) <= 1e-6 && fabs(whole) < 0x1p50 ? whole * h : t + h;
}

// The only place that writes the state: all of it or nothing.
static dp_status accept(dp_data *d, double h)
{
    const dp_model *m = d->model;
    const dp_scratch *next = &d->scratch;
    int i;
    DP_TRY(dp_refuse_velocities(d, next->v));
    if (!is_sane(next->q, m->size.nq, &i)) {
        return dp_fail(
            DP_ERROR_NUMERIC,
            "position %d (%s) would be %g after the step from t = %.10g s (expected less than %g; "
            "%s)",
            i, dp_position_label(m, i).text, next->q[i], d->time, LARGEST_NUMBER, ADVICE);
    }
    if (!is_sane(next->activation, m->size.na, &i)) {
        return dp_fail(
            DP_ERROR_NUMERIC,
            "activation %d would be %g after the step from t = %.10g s (expected less than "
            "%g; %s)",
            i, next->activation[i], d->time, LARGEST_NUMBER, ADVICE);
    }
    memcpy(d->q, next->q, (size_t)m->size.nq * sizeof *d->q);
    memcpy(d->v, next->v, (size_t)m->size.nv * sizeof *d->v);
    memcpy(d->activation, next->activation, (size_t)m->size.na * sizeof *d->activation);
    d->time = advance_time(d->time, h);
    dp_data_refresh(d);
    return DP_OK;
}

static dp_status step(dp_data *d, double h)
{
    switch (d->options.integrator) {
    case DP_SEMI_IMPLICIT:
        DP_TRY(dp_step_semi_implicit(d, h));
        break;
    case DP_RK4:
        DP_TRY(dp_step_rk4(d, h));
        break;
    case DP_RK45:
        DP_TRY(dp_step_rk45(d, h));
        break;
    default:
        return dp_fail(DP_ERROR_ARGUMENT, "unknown integrator %d", (int)d->options.integrator);
    }
    return accept(d, h);
}

dp_status dp_step(const dp_model *m, dp_data *d)
{
    if (m != d->model) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_step: the data belongs to another model");
    }
    if (d->in_callback) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_step was called by a callback of the step");
    }
    DP_TRY(dp_data_check(d));
    d->info = (dp_step_info){.substeps = 1};
    // Quaternions are normalised on the way; a step that fails leaves even those as they were.
    const size_t q_bytes = (size_t)m->size.nq * sizeof(double);
    const size_t mocap_bytes = (size_t)m->size.nmocap * sizeof(dp_pose);
    memcpy(d->scratch.q_given, d->q, q_bytes);
    memcpy(d->scratch.mocap_given, d->mocap, mocap_bytes);
    dp_data_refresh(d);
    const dp_status status = step(d, d->options.step);
    if (status != DP_OK) {
        dp_data_refresh(d);
        memcpy(d->q, d->scratch.q_given, q_bytes);
        memcpy(d->mocap, d->scratch.mocap_given, mocap_bytes);
    }
    return status;
}

// Every query of dynamics starts like this.
static dp_status prepare(const dp_model *m, dp_data *d)
{
    if (m != d->model) {
        return dp_fail(DP_ERROR_ARGUMENT, "the data belongs to another model");
    }
    DP_TRY(dp_data_check(d));
    dp_data_refresh(d);
    return DP_OK;
}

// What was finite may have products that are not.
static dp_status refuse_accelerations(const dp_data *d, const double *a)
{
    const dp_model *m = d->model;
    for (int k = 0; k < m->size.nv; ++k) {
        if (!isfinite(a[k])) {
            return dp_fail(DP_ERROR_NUMERIC,
                           "acceleration %d (%s) is %g at t = %.10g s (expected positions, "
                           "velocities and forces of physical size)",
                           k, dp_joint_label(m, m->dof_joint[k]).text, a[k], d->time);
        }
    }
    return DP_OK;
}

dp_status dp_kinematics(const dp_model *m, dp_data *d)
{
    return prepare(m, d);
}

dp_status dp_forward(const dp_model *m, dp_data *d)
{
    DP_TRY(prepare(m, d));
    DP_TRY(dp_evaluate(d));
    DP_TRY(refuse_accelerations(d, d->acceleration));
    dp_rnea(d->scratch.rhs, d->reaction, d->motion, &d->kin, m, d->acceleration,
            d->forces.any_external ? d->forces.external : NULL);
    for (int i = 0; i < m->size.nbody; ++i) {
        d->body_acceleration[i] = dp_acceleration_at(d, i, d->kin.link[i].X.p);
        d->body_acceleration[i].v = dp_v3_add(d->body_acceleration[i].v, d->key.gravity);
    }
    return DP_OK;
}

dp_status dp_mass_matrix(double *M, const dp_model *m, dp_data *d)
{
    DP_TRY(prepare(m, d));
    dp_crba(M, d->scratch.composite, &d->kin, m, m->dof_armature); // packed, at the front of M
    dp_branch_expand(M, dp_model_branch(m), M);
    return DP_OK;
}

dp_status dp_mass_solve(double *x, const dp_model *m, dp_data *d, const double *b)
{
    DP_TRY(prepare(m, d));
    dp_articulated_factor(&d->art, &d->kin, m, m->dof_armature);
    dp_articulated_solve(x, &d->art, &d->kin, m, b, NULL);
    return dp_refuse_singular(d);
}

dp_status dp_bias_force(double *c, const dp_model *m, dp_data *d)
{
    DP_TRY(prepare(m, d));
    dp_rnea(c, d->scratch.wrench, d->scratch.twist, &d->kin, m, NULL, NULL);
    return DP_OK;
}

dp_status dp_inverse_dynamics(double *tau, const dp_model *m, dp_data *d, const double *a)
{
    DP_TRY(prepare(m, d));
    dp_forces_passive(d);
    dp_rnea(tau, d->scratch.wrench, d->scratch.twist, &d->kin, m, a,
            d->forces.any_external ? d->forces.external : NULL);
    for (int k = 0; k < m->size.nv; ++k) {
        tau[k] -= d->forces.passive[k];
    }
    return DP_OK;
}

dp_status dp_forward_dynamics(double *a, const dp_model *m, dp_data *d, const double *tau)
{
    DP_TRY(prepare(m, d));
    dp_forces_passive(d);
    dp_wrench *wrench = d->scratch.wrench;
    for (int i = 1; i < m->size.nbody; ++i) {
        wrench[i] = d->kin.link[i].F0;
        if (d->forces.any_external) {
            wrench[i] = dp_wrench_sub(wrench[i], d->forces.external[i]);
        }
    }
    for (int k = 0; k < m->size.nv; ++k) {
        d->scratch.rhs[k] = tau[k] + d->forces.passive[k];
    }
    dp_articulated_factor_solve(a, &d->art, &d->kin, m, m->dof_armature, d->scratch.rhs, wrench);
    DP_TRY(dp_refuse_singular(d));
    return refuse_accelerations(d, a);
}
