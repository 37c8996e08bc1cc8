// The step, and the evaluation of everything at the present state.
#include "sim/stepping.h"

#include "base/interrupt.h"
#include "dynamics/composite.h"
#include "dynamics/recursive.h"
#include "math/pair2.h"
#include "model/label.h"
#include "sim/ledger.h"
#include "sim/query.h"
#include "sim/spread.h"

#include <stdatomic.h>
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

dp_status dp_evaluate_trees(dp_data *d)
{
    const dp_model *m = d->model;
    dp_data_refresh(d);
    DP_TRY(dp_forces_evaluate(d));
    dp_forces_actuate(d, NULL);
    dp_forces_total(d->scratch.rhs, d, 0, m->size.nv);
    for (int i = 1; i < m->size.nbody; ++i) {
        d->scratch.wrench[i] = d->kin.link[i].F0;
        if (d->forces.any_external) {
            d->scratch.wrench[i] = dp_wrench_sub(d->scratch.wrench[i], d->forces.external[i]);
        }
    }
    dp_articulated_factor_solve(d->acceleration, &d->art, &d->kin, m, m->dof_armature,
                                d->scratch.rhs, d->scratch.wrench);
    DP_TRY(dp_refuse_singular(d));
    dp_tendon_inertia_factor(&d->tendon_inertia, &d->tendon, &d->art, &d->kin, m, d->v);
    return DP_OK;
}

dp_status dp_evaluate(dp_data *d)
{
    DP_TRY(dp_evaluate_trees(d));
    dp_tendon_inertia_correct(d->acceleration, &d->tendon_inertia, &d->tendon, d->model, true);
    return DP_OK;
}

static bool is_sane(const double *x, int n, int *culprit)
{
    // All together, as long as even the sum of their squares is; two sums, since one would wait.
    dp_pair2 sum[2] = {dp_pair2_zero(), dp_pair2_zero()};
    int first = 0;
    for (; first + 4 <= n; first += 4) {
        const dp_pair2 one = dp_pair2_load(x + first), two = dp_pair2_load(x + first + 2);
        sum[0] = dp_pair2_madd(sum[0], one, one);
        sum[1] = dp_pair2_madd(sum[1], two, two);
    }
    if (!(dp_pair2_sum(dp_pair2_add(sum[0], sum[1])) < LARGEST_NUMBER * LARGEST_NUMBER)) {
        first = 0;
    }
    for (int i = first; i < n; ++i) {
        if (!(fabs(x[i]) < LARGEST_NUMBER)) {
            *culprit = i;
            return false;
        }
    }
    return true;
}

typedef struct judging {
    const dp_data *d;
    const double *v;
    atomic_bool insane;
} judging;

static dp_status judge_velocities(void *job, int first, int end)
{
    judging *s = job;
    const dp_trees part = dp_trees_of(s->d->model, first, end);
    int i;
    if (!is_sane(s->v + part.first_v, part.end_v - part.first_v, &i)) {
        atomic_store(&s->insane, true);
    }
    return DP_OK;
}

dp_status dp_refuse_velocities(const dp_data *d, const double *v)
{
    const dp_model *m = d->model;
    judging s = {.d = d, .v = v};
    int i;
    dp_spread_trees(d, judge_velocities, &s);
    if (!s.insane || is_sane(v, m->size.nv, &i)) {
        return DP_OK;
    }
    return dp_fail(DP_ERROR_NUMERIC,
                   "velocity %d (%s) would be %g after the step from t = %.10g s (expected less "
                   "than %g; %s)",
                   i, dp_joint_label(m, m->dof_joint[i]).text, v[i], d->time, LARGEST_NUMBER,
                   ADVICE);
}

double dp_next_time(double t, double h)
{
    const double shifter = 0x1.8p52; // adding it rounds to an integer
    const double count = (t + h) / h;
    const double whole = (count + shifter) - shifter;
    return fabs(count - whole) <= 1e-6 && fabs(whole) < 0x1p50 ? whole * h : t + h;
}

// Does the next state have all of its numbers in bounds?
typedef struct accepting {
    dp_data *d;
    atomic_bool insane;
} accepting;

static dp_status check_next(void *job, int first, int end)
{
    accepting *s = job;
    const dp_data *d = s->d;
    const dp_trees part = dp_trees_of(d->model, first, end);
    int i;
    if (!is_sane(d->scratch.v + part.first_v, part.end_v - part.first_v, &i) ||
        !is_sane(d->scratch.q + part.first_q, part.end_q - part.first_q, &i)) {
        atomic_store(&s->insane, true);
    }
    return DP_OK;
}

static dp_status put_next(void *job, int first, int end)
{
    const accepting *s = job;
    dp_data *d = s->d;
    const dp_trees part = dp_trees_of(d->model, first, end);
    memcpy(d->q + part.first_q, d->scratch.q + part.first_q,
           (size_t)(part.end_q - part.first_q) * sizeof *d->q);
    memcpy(d->v + part.first_v, d->scratch.v + part.first_v,
           (size_t)(part.end_v - part.first_v) * sizeof *d->v);
    return DP_OK;
}

// What is wrong with it.
static dp_status refuse_next(const dp_data *d)
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
    return DP_OK;
}

// The only place that writes the state: all of it or nothing. Loops that were interrupted have left
// what they had by then: none of it is accepted.
static dp_status accept(dp_data *d, double h)
{
    const dp_model *m = d->model;
    const dp_scratch *next = &d->scratch;
    accepting s = {.d = d};
    int i;
    DP_TRY(dp_interrupt_status());
    dp_spread_trees(d, check_next, &s);
    if (s.insane) {
        DP_TRY(refuse_next(d));
    }
    if (!is_sane(next->activation, m->size.na, &i)) {
        return dp_fail(
            DP_ERROR_NUMERIC,
            "activation %d would be %g after the step from t = %.10g s (expected less than "
            "%g; %s)",
            i, next->activation[i], d->time, LARGEST_NUMBER, ADVICE);
    }
    const double time = dp_next_time(d->time, h);
    DP_TRY(dp_timed_look(d, time));
    dp_timed_put(d);
    dp_spread_trees(d, put_next, &s);
    memcpy(d->activation, next->activation, (size_t)m->size.na * sizeof *d->activation);
    if (d->rows.possible) {
        dp_impulses_accept(&d->rows);
    }
    d->time = time;
    const bool is_there = dp_constrained_arrive(d);
    if (!is_there || m->size.nmocap > 0) {
        dp_data_refresh(d);
    }
    dp_sleep_fall(d, h);
    return DP_OK;
}

// One attempt: the state that follows goes to d->scratch. It may end without rows, so that nothing
// must be left of those of the attempt before.
static dp_status attempt(dp_data *d, double h)
{
    d->rows.end_known = false;
    d->rows.solved = true;
    if (d->rows.possible) {
        d->rows.recovering = false;
        d->rows.gap_error = 0.0;
        dp_constrained_clear(d);
    }
    if (dp_law_has(&d->options.law, DP_TRAIT_CONTINUOUS)) {
        switch (d->options.law.ode_integrator) {
        case DP_ODE_RUNGE_KUTTA:
            return dp_step_rk45(d, h);
        case DP_ODE_IMPLICIT_EULER:
            return dp_step_implicit_euler(d, h);
        case DP_ODE_CVODE:
            return dp_step_cvode(d, h);
        }
        return dp_fail(DP_ERROR_ARGUMENT, "unknown integrator %d of the law %s",
                       (int)d->options.law.ode_integrator, dp_law_of(&d->options.law)->name);
    }
    switch (d->options.integrator) {
    case DP_SEMI_IMPLICIT:
        return dp_step_semi_implicit(d, h);
    case DP_RK4:
        DP_TRY(dp_refuse_rows(d));
        return dp_step_rk4(d, h);
    case DP_RK45:
        DP_TRY(dp_refuse_rows(d));
        return dp_step_rk45(d, h);
    }
    return dp_fail(DP_ERROR_ARGUMENT, "unknown integrator %d", (int)d->options.integrator);
}

// Show a problem to the callback of the user.
static dp_status show_problem(dp_data *d)
{
    if (!d->problem_callback || d->rows.problem.nrow == 0) {
        return DP_OK;
    }
    d->in_callback = true;
    const dp_status status = d->problem_callback(d->problem_context, d->model, d);
    d->in_callback = false;
    if (status != DP_OK) {
        return dp_fail(DP_ERROR_CALLBACK, "the problem callback failed at t = %.10g s (%s)",
                       d->time, dp_status_name(status));
    }
    return DP_OK;
}

// Does the integrator count its substeps?
static bool counts_its_own(const dp_data *d)
{
    return d->options.integrator == DP_RK45 || dp_law_has(&d->options.law, DP_TRAIT_CONTINUOUS);
}

static void note_outcome(dp_data *d)
{
    const dp_constrained *c = &d->rows;
    dp_step_info *info = &d->info;
    info->substeps += !counts_its_own(d);
    if (!c->possible) {
        return;
    }
    if (!c->solved) {
        info->unsolved++;
        info->outcome = DP_CAPPED;
    } else if (info->outcome == DP_CONVERGED) {
        info->outcome = c->info.outcome;
    }
    info->recovering += c->recovering;
    if (c->split.impact.count > 0) {
        info->impacts += c->split.impact.count;
        info->impact_gains += c->split.impact.gains;
        info->impact_loss += c->split.impact.lost;
    }
    info->by_rule += c->split.by_rule;
    info->by_spring += c->split.by_spring;
    info->dropped += c->dropped;
    info->residual = fmax(info->residual, c->info.residual);
    info->gap_error = fmax(info->gap_error, c->gap_error);
    info->dependent = c->info.dependent > info->dependent ? c->info.dependent : info->dependent;
    info->inconsistent = fmax(info->inconsistent, c->info.inconsistent);
    c->verdict->pending = c->problem.nrow > 0;
}

// Keep the state as it was given, unless it is kept already: it is about to change.
static void keep_given(dp_data *d)
{
    if (!d->snapshot[DP_SNAPSHOT_GIVEN].taken) {
        dp_snapshot_take(d, DP_SNAPSHOT_GIVEN);
    }
    if (!d->snapshot[DP_SNAPSHOT_GIVEN].has_impulses) {
        dp_snapshot_take_impulses(d, DP_SNAPSHOT_GIVEN);
    }
}

dp_status dp_advance(dp_data *d, double h, int halvings)
{
    dp_constrained_certify(d); // the part before
    DP_TRY(attempt(d, h));
    DP_TRY(show_problem(d));
    if (!d->rows.solved && !d->rows.info.exhausted && halvings > 0) {
        d->info.rejected++;
        keep_given(d);                        // the second half may fail when the first is accepted
        dp_data_refresh(d);                   // the attempt has looked ahead
        dp_impulses_scale(&d->rows.now, 0.5); // what forces that stay do in that time
        DP_TRY(dp_advance(d, 0.5 * h, halvings - 1));
        DP_TRY(dp_advance(d, 0.5 * h, halvings - 1));
        dp_impulses_scale(&d->rows.now, 2.0);
        return DP_OK;
    }
    dp_stage_enter(&d->stopwatch, DP_STAGE_STEP);
    note_outcome(d);
    DP_TRY(accept(d, h));
    if (d->options.ledger && d->options.integrator == DP_SEMI_IMPLICIT &&
        !dp_law_has(&d->options.law, DP_TRAIT_CONTINUOUS)) {
        dp_stage_enter(&d->stopwatch, DP_STAGE_LEDGER);
        dp_ledger_close(d);
        dp_stage_enter(&d->stopwatch, DP_STAGE_STEP);
    }
    return DP_OK;
}

// What can a step that fails have touched before a part of it is accepted? Quaternions are
// normalised on the way, expressions move mocap bodies, callbacks may do as they like.
static void keep_what_is_at_risk(dp_data *d)
{
    const dp_model_size *n = &d->model->size;
    d->snapshot[DP_SNAPSHOT_GIVEN].taken = false;
    if (d->options.accuracy > 0.0 || d->control_callback || d->force_callback ||
        d->options.sleep_speed > 0.0) {
        keep_given(d);
    } else if (n->nq > n->nv || n->nmocap > 0) {
        dp_snapshot_take(d, DP_SNAPSHOT_GIVEN);
    }
}

// The step, or the state as it was.
static dp_status step_or_stay(dp_data *d)
{
    d->info = (dp_step_info){.substeps = 0};
    d->euler.known = false;
    if (d->rows.possible) {
        d->rows.verdict->certified = (dp_certificate){.nrow = 0};
        d->rows.verdict->pending = false;
        dp_constrained_clear(d);
    }
    keep_what_is_at_risk(d);
    DP_TRY(dp_timed_look(d, d->time));
    dp_timed_put(d);
    dp_sleep_check_state(d);
    dp_data_refresh(d);
    const double h = d->options.step;
    const dp_status status = d->options.accuracy > 0.0 ? dp_advance_accurately(d, h)
                                                       : dp_advance(d, h, d->options.max_halvings);
    if (status != DP_OK) {
        dp_snapshot_restore(d, DP_SNAPSHOT_GIVEN);
        dp_data_refresh(d);
        dp_snapshot_restore(d, DP_SNAPSHOT_GIVEN); // even quaternions are as they were
    }
    return status;
}

// What an interrupted call has left half done is not used again, whatever the status it ended with.
// @param status of the call @param undone what became of it
static dp_status end_interrupted(dp_data *d, dp_status status, const char *undone)
{
    if (status == DP_OK || !dp_interrupt_is_raised()) {
        return status;
    }
    d->rows.task = NULL;
    d->euler.known = false;
    return dp_fail(DP_ERROR_INTERRUPTED, "interrupted at t = %.10g s; %s", d->time, undone);
}

// Contacts come as they like: where there is no room for them, the step is not made, more room is,
// and it is tried again.
static const int MAX_GROWTHS = 40;

static dp_status step_with_room(dp_data *d)
{
    DP_TRY(dp_data_check_together(d));
    if (dp_euler_needs_room(d)) {
        DP_TRY(dp_euler_make_room(d));
    }
    dp_status status = step_or_stay(d);
    for (int k = 0; k < MAX_GROWTHS && status == DP_ERROR_CAPACITY && dp_constrained_lacks_room(d);
         ++k) {
        DP_TRY(dp_constrained_grow(d));
        status = step_or_stay(d);
    }
    return status;
}

// May a step begin? @param name of the function that was called
static dp_status check_start(const dp_model *m, const dp_data *d, const char *name)
{
    if (m != d->model) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s: the data belongs to another model", name);
    }
    if (d->in_callback || d->in_row_callback) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s was called by a callback of the step", name);
    }
    return DP_OK;
}

dp_status dp_step(const dp_model *m, dp_data *d)
{
    DP_TRY(check_start(m, d, "dp_step"));
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, d->interrupt, d->interrupt_user);
    dp_stage_begin(&d->stopwatch);
    dp_data_share(d);
    const dp_status status =
        end_interrupted(d, step_with_room(d), "the state is as it was before the step");
    dp_stage_end(&d->stopwatch);
    dp_interrupt_end(&scope);
    return status;
}

dp_status dp_step_sampled(const dp_model *m, dp_data *d, int count, double *q, double *v)
{
    DP_TRY(check_start(m, d, "dp_step_sampled")); // samples of a step on its way stay
    if (count < 1) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_step_sampled: %d samples (expected 1 or more)",
                       count);
    }
    if (!dp_has_tolerances(&d->options)) {
        return dp_fail(
            DP_ERROR_ARGUMENT,
            "dp_step_sampled needs the integrator rk45, or a continuous law with ode.integrator "
            "runge-kutta or cvode: other methods know nothing between the ends of a step");
    }
    d->samples = (dp_samples){.count = count, .q = q, .v = v};
    const dp_status status = dp_step(m, d);
    d->samples = (dp_samples){.count = 0};
    DP_TRY(status);
    memcpy(q + (size_t)(count - 1) * (size_t)m->size.nq, d->q, (size_t)m->size.nq * sizeof *q);
    memcpy(v + (size_t)(count - 1) * (size_t)m->size.nv, d->v, (size_t)m->size.nv * sizeof *v);
    return DP_OK;
}

// Every query of dynamics starts like this.
static dp_status prepare(const dp_model *m, dp_data *d)
{
    if (m != d->model) {
        return dp_fail(DP_ERROR_ARGUMENT, "the data belongs to another model");
    }
    DP_TRY(dp_data_check(d));
    if (!d->in_row_callback) {
        DP_TRY(dp_timed_look(d, d->time));
        dp_timed_put(d);
    }
    dp_data_refresh(d);
    if (d->tendon_inertia.count > 0) {
        dp_tendon_update(&d->tendon, &d->kin, m, d->q);
    }
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
    dp_constrained_wrenches(wrench, d);
}

void dp_find_reactions(dp_data *d)
{
    dp_wrench *external = d->scratch.wrench;
    gather_wrenches(external, d);
    dp_rnea(d->scratch.rhs, d->reaction, d->motion, &d->kin, d->model, d->acceleration, external);
}

static dp_status forward(const dp_model *m, dp_data *d)
{
    DP_TRY(prepare(m, d));
    DP_TRY(dp_evaluate(d));
    DP_TRY(refuse_accelerations(d, d->acceleration));
    if (d->rows.possible) {
        dp_status status = dp_mean_forces(d, d->options.step);
        for (int k = 0;
             k < MAX_GROWTHS && status == DP_ERROR_CAPACITY && dp_constrained_lacks_room(d); ++k) {
            DP_TRY(dp_constrained_grow(d));
            dp_data_refresh(d);
            status = dp_mean_forces(d, d->options.step);
        }
        DP_TRY(status);
        DP_TRY(refuse_accelerations(d, d->acceleration));
    }
    dp_find_reactions(d);
    for (int i = 0; i < m->size.nbody; ++i) {
        d->body_acceleration[i] = dp_acceleration_at(d, i, d->kin.link[i].X.p);
        d->body_acceleration[i].v = dp_v3_add(d->body_acceleration[i].v, d->key.gravity);
    }
    return dp_interrupt_status();
}

dp_status dp_forward(const dp_model *m, dp_data *d)
{
    if (d->in_row_callback) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_forward was called by the callback of a row");
    }
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, d->interrupt, d->interrupt_user);
    const dp_status status = end_interrupted(d, forward(m, d), "forces are not evaluated");
    dp_interrupt_end(&scope);
    return status;
}

dp_status dp_mass_matrix(double *M, const dp_model *m, dp_data *d)
{
    DP_TRY(prepare(m, d));
    dp_crba(M, d->scratch.composite, &d->kin, m, m->dof_armature); // packed, at the front of M
    dp_branch_expand(M, dp_model_branch(m), M);
    dp_tendon_inertia_matrix(M, &d->tendon_inertia, &d->tendon, m);
    return DP_OK;
}

dp_status dp_mass_solve(double *x, const dp_model *m, dp_data *d, const double *b)
{
    DP_TRY(prepare(m, d));
    dp_articulated_factor(&d->art, &d->kin, m, m->dof_armature);
    dp_articulated_solve(x, &d->art, &d->kin, m, b, NULL);
    DP_TRY(dp_refuse_singular(d));
    dp_tendon_inertia_factor(&d->tendon_inertia, &d->tendon, &d->art, &d->kin, m, d->v);
    dp_tendon_inertia_correct(x, &d->tendon_inertia, &d->tendon, m, false);
    return DP_OK;
}

dp_status dp_bias_force(double *c, const dp_model *m, dp_data *d)
{
    DP_TRY(prepare(m, d));
    dp_rnea(c, d->scratch.wrench, d->scratch.twist, &d->kin, m, NULL, NULL);
    dp_tendon_inertia_force(c, &d->tendon_inertia, &d->tendon, &d->kin, m, NULL, d->v);
    return DP_OK;
}

dp_status dp_inverse_dynamics(double *tau, const dp_model *m, dp_data *d, const double *a)
{
    DP_TRY(prepare(m, d));
    DP_TRY(dp_forces_passive(d));
    dp_rnea(tau, d->scratch.wrench, d->scratch.twist, &d->kin, m, a,
            d->forces.any_external ? d->forces.external : NULL);
    dp_tendon_inertia_force(tau, &d->tendon_inertia, &d->tendon, &d->kin, m, a, d->v);
    for (int k = 0; k < m->size.nv; ++k) {
        tau[k] -= d->forces.passive[k] + d->forces.timed[k];
    }
    return DP_OK;
}

dp_status dp_forward_dynamics(double *a, const dp_model *m, dp_data *d, const double *tau)
{
    DP_TRY(prepare(m, d));
    DP_TRY(dp_forces_passive(d));
    dp_wrench *wrench = d->scratch.wrench;
    for (int i = 1; i < m->size.nbody; ++i) {
        wrench[i] = d->kin.link[i].F0;
        if (d->forces.any_external) {
            wrench[i] = dp_wrench_sub(wrench[i], d->forces.external[i]);
        }
    }
    for (int k = 0; k < m->size.nv; ++k) {
        d->scratch.rhs[k] = tau[k] + d->forces.passive[k] + d->forces.timed[k];
    }
    dp_articulated_factor_solve(a, &d->art, &d->kin, m, m->dof_armature, d->scratch.rhs, wrench);
    DP_TRY(dp_refuse_singular(d));
    dp_tendon_inertia_factor(&d->tendon_inertia, &d->tendon, &d->art, &d->kin, m, d->v);
    dp_tendon_inertia_correct(a, &d->tendon_inertia, &d->tendon, m, true);
    return refuse_accelerations(d, a);
}
