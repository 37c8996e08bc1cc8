#include "sim/data.h"

#include "dynamics/recursive.h"
#include "math/angle.h"
#include "math/exponential.h"
#include "model/label.h"

#include <math.h>
#include <string.h>

void dp_forces_carve(dp_forces *f, dp_carver *c, const dp_model *m)
{
    const size_t nv = (size_t)m->size.nv, nu = (size_t)m->size.nu, na = (size_t)m->size.na;
    f->drive = dp_carve(c, nu, sizeof(dp_drive));
    f->actuator = dp_carve(c, nu, sizeof(double));
    f->activation_rate = dp_carve(c, na, sizeof(double));
    f->actuation = dp_carve(c, nv, sizeof(double));
    f->passive = dp_carve(c, nv, sizeof(double));
    f->applied = dp_carve(c, nv, sizeof(double));
    f->extra = dp_carve(c, nv, sizeof(double));
    f->external = dp_carve(c, (size_t)m->size.nbody, sizeof(dp_wrench));
    f->stiffness = dp_carve(c, nv, sizeof(double));
    f->damping = dp_carve(c, nv, sizeof(double));
}

static double clamp(double x, const double range[2])
{
    return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

static double clamped_control(const dp_data *d, int u)
{
    const dp_actuator *actuator = &d->model->actuator[u];
    if (actuator->control_limited && !d->options.disable_clamp_control) {
        return clamp(d->control[u], actuator->control_range);
    }
    return d->control[u];
}

// How the joint's coordinates enter the actuator's length: l̇ = moment · v, and the length itself.
static double transmission(double moment[6], const dp_actuator *actuator, const dp_joint *joint,
                           const double *q)
{
    const double *qj = q + joint->q_index;
    switch (joint->kind) {
    case DP_HINGE:
    case DP_SLIDE:
        moment[0] = actuator->gear[0];
        return moment[0] * qj[0];
    case DP_BALL:
    case DP_FREE: {
        const bool is_free = joint->kind == DP_FREE;
        const dp_quat turn = dp_quat_load(qj + (is_free ? 3 : 0));
        dp_v3 axis = dp_v3_load(actuator->gear + (is_free ? 3 : 0));
        if (actuator->in_parent) {
            axis = dp_quat_rotate_back(turn, axis);
        }
        if (is_free) { // a body at large has no length
            memcpy(moment, actuator->gear, 3 * sizeof *moment);
            dp_v3_store(moment + 3, axis);
            return 0.0;
        }
        dp_v3_store(moment, axis);
        return dp_v3_dot(dp_quat_log(turn), axis);
    }
    }
    return 0.0;
}

// By how much the target of a servo of a ball joint is off the nearest one: whole turns of
// 2π ‖gear‖, which the length does not tell apart. 0 for all others.
static double turns_off(const dp_actuator *actuator, const dp_joint *joint, double error)
{
    const bool servo = actuator->gain[0] == -actuator->bias[1] && actuator->gain[1] == 0.0 &&
                       actuator->gain[2] == 0.0;
    if (joint->kind != DP_BALL || !servo) {
        return 0.0;
    }
    const double turn = 2.0 * DP_PI * dp_v3_norm(dp_v3_load(actuator->gear));
    return turn > 0.0 ? turn * round(error / turn) : 0.0;
}

// At which end of its range a force is held: −1, 0 (at none) or +1.
static int8_t range_end(const dp_actuator *actuator, double force)
{
    return (int8_t)((force > actuator->force_range[1]) - (force < actuator->force_range[0]));
}

// Length, rate, force and slopes of every actuator; force ranges judged by the forces of this
// moment.
static void measure_drives(dp_data *d)
{
    const dp_model *m = d->model;
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_actuator *actuator = &m->actuator[u];
        dp_drive *drive = &d->forces.drive[u];
        if (actuator->joint < 0) { // it drives what is left out: no length, no force
            *drive = (dp_drive){.length = 0.0};
            continue;
        }
        const dp_joint *joint = &m->joint[actuator->joint];
        const double length = transmission(drive->moment, actuator, joint, d->q);
        double rate = 0.0;
        for (int k = 0; k < joint->nv; ++k) {
            rate += drive->moment[k] * d->v[joint->v_index + k];
        }
        const int a = actuator->activation_index;
        const double w = a >= 0 ? d->activation[a] : clamped_control(d, u);
        const double length_slope = actuator->gain[1] * w + actuator->bias[1];
        const double rate_slope = actuator->gain[2] * w + actuator->bias[2];
        const double target = w - turns_off(actuator, joint, w - length);
        const double force = actuator->gain[0] * target + actuator->bias[0] +
                             length_slope * length + rate_slope * rate;
        drive->length = length;
        drive->rate = rate;
        drive->free_force = force;
        drive->stiffness = joint->nv == 1 && length_slope < 0.0 ? -length_slope : 0.0;
        drive->damping = joint->nv == 1 && rate_slope < 0.0 ? -rate_slope : 0.0;
        drive->saturated = actuator->force_limited ? range_end(actuator, force) : 0;
    }
}

// The forces along the coordinates, and the stiffness of the drives that are free.
static void actuate(dp_data *d)
{
    const dp_model *m = d->model;
    dp_forces *f = &d->forces;
    f->any_stiffness = false;
    if (m->size.nu == 0) {
        return; // the arrays stay zero as they were made
    }
    const size_t nv = (size_t)m->size.nv;
    memset(f->actuation, 0, nv * sizeof(double));
    memset(f->stiffness, 0, nv * sizeof(double));
    memset(f->damping, 0, nv * sizeof(double));
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_actuator *actuator = &m->actuator[u];
        const dp_drive *drive = &f->drive[u];
        if (d->options.disable_actuation || actuator->joint < 0) {
            f->actuator[u] = 0.0;
            continue;
        }
        const dp_joint *joint = &m->joint[actuator->joint];
        const int at = joint->v_index;
        const double force =
            drive->saturated == 0 ? drive->free_force : actuator->force_range[drive->saturated > 0];
        f->actuator[u] = force;
        for (int k = 0; k < joint->nv; ++k) {
            f->actuation[at + k] += drive->moment[k] * force;
        }
        if (drive->saturated == 0 && drive->stiffness + drive->damping > 0.0) {
            const double square = drive->moment[0] * drive->moment[0];
            f->stiffness[at] += drive->stiffness * square;
            f->damping[at] += drive->damping * square;
            f->any_stiffness = true;
        }
    }
}

// Has drive u a force range, and a force that resists the motion?
static bool is_limited_servo(const dp_data *d, int u)
{
    const dp_drive *drive = &d->forces.drive[u];
    return d->model->actuator[u].force_limited && drive->stiffness + drive->damping > 0.0 &&
           !d->options.disable_actuation;
}

void dp_forces_release(dp_data *d)
{
    bool any = false;
    for (int u = 0; u < d->model->size.nu; ++u) {
        if (d->forces.drive[u].saturated != 0 && is_limited_servo(d, u)) {
            d->forces.drive[u].saturated = 0;
            any = true;
        }
    }
    if (any) {
        actuate(d);
    }
}

bool dp_forces_saturate(dp_data *d, const double *v1, double h, bool may_release)
{
    const dp_model *m = d->model;
    bool any = false;
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_actuator *actuator = &m->actuator[u];
        dp_drive *drive = &d->forces.drive[u];
        if (!is_limited_servo(d, u) || (drive->saturated != 0 && !may_release)) {
            continue;
        }
        const double rate = drive->moment[0] * v1[m->joint[actuator->joint].v_index];
        const double force =
            drive->free_force - drive->stiffness * h * rate - drive->damping * (rate - drive->rate);
        int8_t end = range_end(actuator, force);
        if (drive->saturated != 0 && end != drive->saturated) {
            end = 0; // from one end to the other by way of freedom: else it could go on for ever
        }
        any = any || end != drive->saturated;
        drive->saturated = end;
    }
    if (any) {
        actuate(d);
    }
    return any;
}

static void activate(dp_data *d)
{
    const dp_model *m = d->model;
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_actuator *actuator = &m->actuator[u];
        const int a = actuator->activation_index;
        if (a < 0) {
            continue;
        }
        if (d->options.disable_actuation || actuator->joint < 0) {
            d->forces.activation_rate[a] = 0.0; // actuators that are off stand still
            continue;
        }
        const double control = clamped_control(d, u), now = d->activation[a];
        double rate = actuator->dynamics == DP_DYNAMICS_INTEGRATOR
                          ? control
                          : (control - now) / actuator->time_constant;
        if (actuator->activation_limited &&
            ((now <= actuator->activation_range[0] && rate < 0.0) ||
             (now >= actuator->activation_range[1] && rate > 0.0))) {
            rate = 0.0; // it stands at the end of its range
        }
        d->forces.activation_rate[a] = rate;
    }
}

void dp_forces_clamp_activation(double *activation, const dp_model *m)
{
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_actuator *actuator = &m->actuator[u];
        if (actuator->activation_index >= 0 && actuator->activation_limited) {
            double *a = &activation[actuator->activation_index];
            *a = clamp(*a, actuator->activation_range);
        }
    }
}

void dp_forces_advance_activation(double *next, const dp_data *d, double h)
{
    const dp_model *m = d->model;
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_actuator *actuator = &m->actuator[u];
        const int a = actuator->activation_index;
        if (a >= 0) {
            const double rate = d->forces.activation_rate[a], tau = actuator->time_constant;
            next[a] = d->activation[a] + (actuator->dynamics == DP_DYNAMICS_FILTER_EXACT
                                              ? rate * tau * (1.0 - dp_exp(-h / tau))
                                              : rate * h);
        }
    }
    dp_forces_clamp_activation(next, m);
}

// Springs, dampers and gravity compensation.
static void resist(dp_data *d)
{
    const dp_model *m = d->model;
    double *passive = d->forces.passive;
    memset(passive, 0, (size_t)m->size.nv * sizeof(double));
    if (m->any_damper && !d->options.disable_dampers) {
        for (int k = 0; k < m->size.nv; ++k) {
            passive[k] = -m->dof_damping[k] * d->v[k];
        }
    }
    if (m->any_spring && !d->options.disable_springs) {
        for (int j = 0; j < m->size.njoint; ++j) {
            const dp_joint *joint = &m->joint[j];
            if (joint->stiffness > 0.0) {
                double e[6];
                dp_kin_joint_displacement(e, m, joint, d->q);
                for (int k = 0; k < joint->nv; ++k) {
                    passive[joint->v_index + k] -= joint->stiffness * e[k];
                }
            }
        }
    }
    if (m->any_compensation && !d->options.disable_gravity) {
        dp_wrench *wrench = d->scratch.wrench;
        for (int i = 0; i < m->size.nbody; ++i) {
            const dp_rigid_inertia *J = &d->kin.link[i].J;
            const dp_v3 lift = dp_v3_scale(d->options.gravity, -m->body[i].gravity_compensation);
            wrench[i] = (dp_wrench){dp_v3_cross(J->h, lift), dp_v3_scale(lift, J->m)};
        }
        dp_project_wrenches(passive, wrench, &d->kin, m);
    }
}

// The user's wrenches, moved from the centres of mass to the origins.
static void push(dp_data *d)
{
    const dp_model *m = d->model;
    dp_forces *f = &d->forces;
    double size = 0.0;
    for (int i = 0; i < m->size.nbody; ++i) {
        const dp_wrench w = d->wrench[i];
        size += fabs(w.f.x) + fabs(w.f.y) + fabs(w.f.z) + fabs(w.t.x) + fabs(w.t.y) + fabs(w.t.z);
    }
    f->any_external = size != 0.0;
    if (f->any_external) {
        for (int i = 0; i < m->size.nbody; ++i) {
            const dp_rigid_inertia *J = &d->kin.link[i].J;
            const dp_v3 c = J->m > 0.0 ? dp_v3_scale(J->h, 1.0 / J->m) : (dp_v3){0.0, 0.0, 0.0};
            f->external[i] = dp_wrench_shift(d->wrench[i], c);
        }
    }
}

void dp_forces_passive(dp_data *d)
{
    resist(d);
    push(d);
}

static dp_status call_control(dp_data *d)
{
    const dp_model *m = d->model;
    d->in_callback = true;
    const dp_status status = d->control_callback(d->control_context, m, d);
    d->in_callback = false;
    if (status != DP_OK) {
        return dp_fail(DP_ERROR_CALLBACK, "the control callback failed at t = %.10g s (%s)",
                       d->time, dp_status_name(status));
    }
    for (int u = 0; u < m->size.nu; ++u) {
        if (!isfinite(d->control[u])) {
            return dp_fail(DP_ERROR_NUMERIC,
                           "the control callback gave %g to actuator %d '%s' at t = %.10g s",
                           d->control[u], u, m->actuator[u].name, d->time);
        }
    }
    return DP_OK;
}

static dp_status call_force(dp_data *d)
{
    const dp_model *m = d->model;
    double *extra = d->forces.extra;
    memset(extra, 0, (size_t)m->size.nv * sizeof(double));
    d->in_callback = true;
    const dp_status status = d->force_callback(d->force_context, m, d, extra);
    d->in_callback = false;
    if (status != DP_OK) {
        return dp_fail(DP_ERROR_CALLBACK, "the force callback failed at t = %.10g s (%s)", d->time,
                       dp_status_name(status));
    }
    for (int k = 0; k < m->size.nv; ++k) {
        if (!isfinite(extra[k])) {
            return dp_fail(DP_ERROR_NUMERIC,
                           "the force callback gave %g for velocity %d (%s) at t = %.10g s",
                           extra[k], k, dp_joint_label(m, m->dof_joint[k]).text, d->time);
        }
    }
    return DP_OK;
}

dp_status dp_forces_evaluate(dp_data *d)
{
    const dp_model *m = d->model;
    dp_forces *f = &d->forces;
    const bool nested = d->in_callback;
    if (d->control_callback && !nested) {
        DP_TRY(call_control(d));
    }
    if (d->force_callback && !nested) {
        DP_TRY(call_force(d));
    }
    memcpy(f->applied, d->force, (size_t)m->size.nv * sizeof(double));
    for (int k = 0; d->force_callback && !nested && k < m->size.nv; ++k) {
        f->applied[k] += f->extra[k];
    }
    measure_drives(d);
    actuate(d);
    activate(d);
    dp_forces_passive(d);
    return DP_OK;
}

void dp_forces_total(double *tau, const dp_data *d)
{
    const dp_forces *f = &d->forces;
    for (int k = 0; k < d->model->size.nv; ++k) {
        tau[k] = f->actuation[k] + f->passive[k] + f->applied[k];
    }
}
