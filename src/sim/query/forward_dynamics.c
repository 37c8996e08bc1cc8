// Dynamics at the present state: what the queries of a mechanism answer.
#include "base/interrupt.h"
#include "dynamics/composite.h"
#include "dynamics/recursive.h"
#include "model/label.h"
#include "sim/query/query.h"
#include "sim/step/step.h"

#include <math.h>

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

// Accelerations by the generalised forces d->scratch.rhs, the external wrenches and velocity terms,
// without the inertia of tendons.
static dp_status accelerate(double *a, dp_data *d)
{
    const dp_model *m = d->model;
    for (int i = 1; i < m->size.nbody; ++i) {
        d->scratch.wrench[i] = d->kin.link[i].F0;
        if (d->forces.any_external) {
            d->scratch.wrench[i] = dp_wrench_sub(d->scratch.wrench[i], d->forces.external[i]);
        }
    }
    dp_articulated_factor_solve(a, &d->art, &d->kin, m, m->dof_armature, (dp_body_drag){NULL, 0.0},
                                d->scratch.rhs, d->scratch.wrench);
    DP_TRY(dp_refuse_singular(d));
    dp_tendon_inertia_factor(&d->tendon_inertia, &d->tendon, &d->art, &d->kin, m, d->v);
    return DP_OK;
}

dp_status dp_evaluate_trees(dp_data *d)
{
    dp_data_refresh(d);
    DP_TRY(dp_forces_evaluate(d));
    dp_forces_actuate(d, NULL);
    dp_forces_total(d->scratch.rhs, d, 0, d->model->size.nv);
    return accelerate(d->acceleration, d);
}

dp_status dp_evaluate(dp_data *d)
{
    DP_TRY(dp_evaluate_trees(d));
    dp_tendon_inertia_correct(d->acceleration, &d->tendon_inertia, &d->tendon, d->model, true);
    return DP_OK;
}

// Every query of dynamics starts like this.
static dp_status prepare(dp_data *d)
{
    DP_TRY(dp_data_check(d));
    if (!d->callbacks.row_running) {
        DP_TRY(dp_timed_look(d, d->time));
        dp_timed_put(d);
    }
    dp_data_refresh(d);
    if (d->tendon_inertia.count > 0) {
        dp_tendon_update(&d->tendon, &d->kin, d->model, d->q);
    }
    return DP_OK;
}

// What was finite may have products that are not.
static dp_status refuse_accelerations(const dp_data *d, const double *a)
{
    return dp_numbers_check(d, DP_NUMBER_ACCELERATION, a, (double)INFINITY, false,
                            "positions, velocities and forces of physical size");
}

dp_status dp_kinematics(dp_data *d)
{
    return prepare(d);
}

// What acts on bodies other than through joints: the user's wrenches, tendons, rows.
static void gather_wrenches(dp_wrench *wrench, const dp_data *d)
{
    const dp_model *m = d->model;
    for (int i = 0; i < m->size.nbody; ++i) {
        wrench[i] = d->forces.any_external ? d->forces.external[i]
                                           : (dp_wrench){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
    for (int u = 0; u < m->size.nu; ++u) {
        dp_transmission_push(wrench, &d->kin, m, u, d->forces.actuator[u]);
    }
    dp_constrained_push(wrench, d, d->rows.lambda);
}

void dp_find_reactions(dp_data *d)
{
    dp_wrench *external = d->scratch.wrench;
    gather_wrenches(external, d);
    dp_rnea(d->scratch.rhs, d->sensed.reaction, d->sensed.motion, &d->kin, d->model,
            d->acceleration, external);
}

static dp_status forward(const dp_model *m, dp_data *d)
{
    DP_TRY(prepare(d));
    DP_TRY(dp_evaluate(d));
    DP_TRY(refuse_accelerations(d, d->acceleration));
    if (d->rows.possible) {
        DP_TRY(dp_mean_forces(d, d->options.step));
        DP_TRY(refuse_accelerations(d, d->acceleration));
    }
    dp_find_reactions(d);
    for (int i = 0; i < m->size.nbody; ++i) {
        d->sensed.body_acceleration[i] = dp_acceleration_at(d, i, d->kin.link[i].X.p);
        d->sensed.body_acceleration[i].v =
            dp_v3_add(d->sensed.body_acceleration[i].v, d->key.gravity);
    }
    return dp_interrupt_status();
}

dp_status dp_forward(dp_data *d)
{
    const dp_model *m = d->model;
    if (d->callbacks.row_running) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_forward was called by the callback of a row");
    }
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, d->callbacks.interrupt, d->callbacks.interrupt_user);
    const dp_status status = dp_end_interrupted(d, forward(m, d), "forces are not evaluated");
    dp_interrupt_end(&scope);
    return status;
}

dp_status dp_mass_matrix(double *M, dp_data *d)
{
    const dp_model *m = d->model;
    DP_TRY(prepare(d));
    dp_crba(M, d->scratch.composite, &d->kin, m, m->dof_armature); // packed, at the front of M
    dp_tree_ldl_expand(M, dp_model_branch(m), M);
    dp_tendon_inertia_matrix(M, &d->tendon_inertia, &d->tendon, m);
    return DP_OK;
}

dp_status dp_mass_solve(double *x, dp_data *d, const double *b)
{
    const dp_model *m = d->model;
    DP_TRY(prepare(d));
    dp_articulated_factor(&d->art, &d->kin, m, m->dof_armature, (dp_body_drag){NULL, 0.0});
    dp_articulated_solve(x, &d->art, &d->kin, m, b, NULL);
    DP_TRY(dp_refuse_singular(d));
    dp_tendon_inertia_factor(&d->tendon_inertia, &d->tendon, &d->art, &d->kin, m, d->v);
    dp_tendon_inertia_correct(x, &d->tendon_inertia, &d->tendon, m, false);
    return DP_OK;
}

dp_status dp_bias_force(double *c, dp_data *d)
{
    const dp_model *m = d->model;
    DP_TRY(prepare(d));
    dp_rnea(c, d->scratch.wrench, d->scratch.twist, &d->kin, m, NULL, NULL);
    dp_tendon_inertia_force(c, &d->tendon_inertia, &d->tendon, &d->kin, m, NULL, d->v);
    return DP_OK;
}

dp_status dp_inverse_dynamics(double *tau, dp_data *d, const double *a)
{
    const dp_model *m = d->model;
    DP_TRY(prepare(d));
    DP_TRY(dp_forces_passive(d));
    dp_rnea(tau, d->scratch.wrench, d->scratch.twist, &d->kin, m, a,
            d->forces.any_external ? d->forces.external : NULL);
    dp_tendon_inertia_force(tau, &d->tendon_inertia, &d->tendon, &d->kin, m, a, d->v);
    for (int k = 0; k < m->size.nv; ++k) {
        tau[k] -= d->forces.passive[k] + d->forces.timed[k];
    }
    return DP_OK;
}

dp_status dp_forward_dynamics(double *a, dp_data *d, const double *tau)
{
    const dp_model *m = d->model;
    DP_TRY(prepare(d));
    DP_TRY(dp_forces_passive(d));
    for (int k = 0; k < m->size.nv; ++k) {
        d->scratch.rhs[k] = tau[k] + d->forces.passive[k] + d->forces.timed[k];
    }
    DP_TRY(accelerate(a, d));
    dp_tendon_inertia_correct(a, &d->tendon_inertia, &d->tendon, m, true);
    return refuse_accelerations(d, a);
}
