#include "sim/data.h"

#include "dynamics/recursive.h"
#include "math/angle.h"
#include "math/exponential.h"

#include <string.h>

void dp_forces_carve(dp_forces *f, dp_carver *c, const dp_model *m)
{
    const size_t nv = (size_t)m->size.nv, nu = (size_t)m->size.nu, na = (size_t)m->size.na;
    f->actuator = dp_carve(c, nu, sizeof(double));
    f->length = dp_carve(c, nu, sizeof(double));
    f->rate = dp_carve(c, nu, sizeof(double));
    f->activation_rate = dp_carve(c, na, sizeof(double));
    f->actuation = dp_carve(c, nv, sizeof(double));
    f->passive = dp_carve(c, nv, sizeof(double));
    f->applied = dp_carve(c, nv, sizeof(double));
    f->external = dp_carve(c, (size_t)m->size.nbody, sizeof(dp_wrench));
    f->stiffness = dp_carve(c, nv, sizeof(double));
    f->damping = dp_carve(c, nv, sizeof(double));
    f->saturated = dp_carve(c, nu, sizeof(int8_t));
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

// ∂force/∂length and ∂force/∂rate at input w.
static double length_slope(const dp_actuator *actuator, double w)
{
    return actuator->gain[1] * w + actuator->bias[1];
}

static double rate_slope(const dp_actuator *actuator, double w)
{
    return actuator->gain[2] * w + actuator->bias[2];
}

static double actuator_input(const dp_data *d, int u)
{
    const int a = d->model->actuator[u].activation_index;
    return a >= 0 ? d->activation[a] : clamped_control(d, u);
}

static double actuator_free_force(const dp_data *d, int u)
{
    const dp_actuator *actuator = &d->model->actuator[u];
    const double w = actuator_input(d, u);
    return actuator->gain[0] * w + actuator->bias[0] +
           length_slope(actuator, w) * d->forces.length[u] +
           rate_slope(actuator, w) * d->forces.rate[u];
}

// At which end of its range a force is held: −1, 0 (at none) or +1.
static int8_t range_end(const dp_actuator *actuator, double force)
{
    return (int8_t)((force > actuator->force_range[1]) - (force < actuator->force_range[0]));
}

// Has the actuator a force range, and a force that resists the motion of one coordinate? The
// implicit step then judges the range by the force at the end of the step.
static bool is_limited_servo(const dp_data *d, int u)
{
    const dp_actuator *actuator = &d->model->actuator[u];
    if (!actuator->force_limited || d->model->joint[actuator->joint].nv != 1 ||
        d->options.disable_actuation) {
        return false;
    }
    const double w = actuator_input(d, u);
    return length_slope(actuator, w) < 0.0 || rate_slope(actuator, w) < 0.0;
}

// The force of actuator u from its length and rate; those marked as saturated are held at the end
// of their range. Tells the slopes, as positive stiffness and damping where the force resists and
// is free.
static double actuator_force(const dp_data *d, int u, double *stiffness, double *damping)
{
    const dp_actuator *actuator = &d->model->actuator[u];
    const int8_t end = d->forces.saturated[u];
    if (end != 0) {
        *stiffness = *damping = 0.0;
        return actuator->force_range[end > 0];
    }
    const double w = actuator_input(d, u);
    const double k = length_slope(actuator, w), b = rate_slope(actuator, w);
    *stiffness = k < 0.0 ? -k : 0.0;
    *damping = b < 0.0 ? -b : 0.0;
    return actuator_free_force(d, u);
}

// The length of every actuator and its rate.
static void measure_actuators(dp_data *d)
{
    const dp_model *m = d->model;
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_joint *joint = &m->joint[m->actuator[u].joint];
        double moment[6] = {0}, rate = 0.0;
        d->forces.length[u] = transmission(moment, &m->actuator[u], joint, d->q);
        for (int k = 0; k < joint->nv; ++k) {
            rate += moment[k] * d->v[joint->v_index + k];
        }
        d->forces.rate[u] = rate;
    }
}

// Judge every force range by the forces of this moment.
static void saturate_now(dp_data *d)
{
    const dp_model *m = d->model;
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_actuator *actuator = &m->actuator[u];
        d->forces.saturated[u] =
            actuator->force_limited ? range_end(actuator, actuator_free_force(d, u)) : 0;
    }
}

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
        const dp_joint *joint = &m->joint[actuator->joint];
        const int at = joint->v_index;
        double moment[6] = {0}, stiffness, damping;
        f->length[u] = transmission(moment, actuator, joint, d->q);
        double rate = 0.0;
        for (int k = 0; k < joint->nv; ++k) {
            rate += moment[k] * d->v[at + k];
        }
        f->rate[u] = rate;
        if (d->options.disable_actuation) {
            f->actuator[u] = 0.0;
            continue;
        }
        f->actuator[u] = actuator_force(d, u, &stiffness, &damping);
        for (int k = 0; k < joint->nv; ++k) {
            f->actuation[at + k] += moment[k] * f->actuator[u];
        }
        if (joint->nv == 1 && stiffness + damping > 0.0) {
            const double square = moment[0] * moment[0];
            f->stiffness[at] += stiffness * square;
            f->damping[at] += damping * square;
            f->any_stiffness = true;
        }
    }
}

void dp_forces_release(dp_data *d)
{
    bool any = false;
    for (int u = 0; u < d->model->size.nu; ++u) {
        if (d->forces.saturated[u] != 0 && is_limited_servo(d, u)) {
            d->forces.saturated[u] = 0;
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
    dp_forces *f = &d->forces;
    bool any = false;
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_actuator *actuator = &m->actuator[u];
        if (!is_limited_servo(d, u) || (f->saturated[u] != 0 && !may_release)) {
            continue;
        }
        const double w = actuator_input(d, u);
        const double rate = actuator->gear[0] * v1[m->joint[actuator->joint].v_index];
        const double k = -length_slope(actuator, w), b = -rate_slope(actuator, w);
        const double force = actuator_free_force(d, u) - (k > 0.0 ? k * h * rate : 0.0) -
                             (b > 0.0 ? b * (rate - f->rate[u]) : 0.0);
        int8_t end = range_end(actuator, force);
        if (f->saturated[u] != 0 && end != f->saturated[u]) {
            end = 0; // from one end to the other by way of freedom: else it could go on for ever
        }
        any = any || end != f->saturated[u];
        f->saturated[u] = end;
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
        if (d->options.disable_actuation) {
            d->forces.activation_rate[a] = 0.0; // actuators that are off stand still
            continue;
        }
        const double control = clamped_control(d, u);
        d->forces.activation_rate[a] = actuator->dynamics == DP_DYNAMICS_INTEGRATOR
                                           ? control
                                           : (control - d->activation[a]) / actuator->time_constant;
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

dp_status dp_forces_evaluate(dp_data *d)
{
    const dp_model *m = d->model;
    dp_forces *f = &d->forces;
    if (d->control_callback) {
        const dp_status status = d->control_callback(d->control_context, m, d);
        if (status != DP_OK) {
            return dp_fail(DP_ERROR_CALLBACK, "the control callback failed at t = %.17g s (%s)",
                           d->time, dp_status_name(status));
        }
        for (int u = 0; u < m->size.nu; ++u) {
            if (!isfinite(d->control[u])) {
                return dp_fail(DP_ERROR_NUMERIC,
                               "the control callback gave %g to actuator %d '%s' at t = %.17g s",
                               d->control[u], u, m->actuator[u].name, d->time);
            }
        }
    }
    memcpy(f->applied, d->force, (size_t)m->size.nv * sizeof(double));
    if (d->force_callback) {
        double *extra = d->scratch.rhs;
        memset(extra, 0, (size_t)m->size.nv * sizeof(double));
        const dp_status status = d->force_callback(d->force_context, m, d, extra);
        if (status != DP_OK) {
            return dp_fail(DP_ERROR_CALLBACK, "the force callback failed at t = %.17g s (%s)",
                           d->time, dp_status_name(status));
        }
        for (int k = 0; k < m->size.nv; ++k) {
            if (!isfinite(extra[k])) {
                return dp_fail(
                    DP_ERROR_NUMERIC,
                    "the force callback gave %g for velocity %d (joint '%s') at t = %.17g s",
                    extra[k], k, m->joint[m->dof_joint[k]].name, d->time);
            }
            f->applied[k] += extra[k];
        }
    }
    measure_actuators(d);
    saturate_now(d);
    actuate(d);
    activate(d);
    resist(d);
    push(d);
    return DP_OK;
}

void dp_forces_total(double *tau, const dp_data *d)
{
    const dp_forces *f = &d->forces;
    for (int k = 0; k < d->model->size.nv; ++k) {
        tau[k] = f->actuation[k] + f->passive[k] + f->applied[k];
    }
}
