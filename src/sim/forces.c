#include "sim/parallel_for.h"

#include "dynamics/recursive.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

void dp_forces_carve(dp_forces *f, dp_carver *c, const dp_model *m)
{
    const size_t nv = (size_t)m->size.nv, nu = (size_t)m->size.nu, na = (size_t)m->size.na;
    f->drive = dp_carve(c, nu, sizeof(dp_drive));
    f->stand = dp_carve(c, nu, sizeof(uint8_t));
    f->actuator = dp_carve(c, nu, sizeof(double));
    f->activation_rate = dp_carve(c, na, sizeof(double));
    dp_carve_doubles(c, nv,
                     (double **[]){&f->actuation, &f->passive, &f->applied, &f->extra, &f->timed,
                                   &f->stiffness, &f->damping, NULL});
    f->external = dp_carve(c, (size_t)m->size.nbody, sizeof(dp_wrench));
    const size_t wet = m->nfluid > 0 ? (size_t)m->size.nbody : 0;
    f->fluid.wrench = dp_carve(c, wet, sizeof *f->fluid.wrench);
    f->fluid.slope = dp_carve(c, wet, sizeof *f->fluid.slope);
}

static double clamped_control(const dp_data *d, int u)
{
    const dp_actuator *actuator = &d->model->actuator[u];
    return actuator->control_limited && !d->options.disable_clamp_control
               ? dp_clamp_range(d->control[u], actuator->control_range)
               : d->control[u];
}

// Length, rate, force and slopes of every actuator.
static void measure_drives(dp_data *d)
{
    const dp_model *m = d->model;
    const dp_transmission_set *t = &d->transmission;
    if (m->size.nu > 0) {
        dp_transmission_update(&d->transmission, &d->kin, m, d->q, &d->tendon);
    }
    for (int u = 0; u < m->size.nu; ++u) {
        const int a = m->actuator[u].activation_index;
        const double w = a >= 0 ? d->activation[a] : clamped_control(d, u);
        d->forces.drive[u] = (dp_drive){.length = 0.0};
        if (m->actuator[u].body >= 0) {
            d->forces.drive[u] = dp_drive_at(m, &m->actuator[u], 0.0, 0.0, w);
        } else if (t->count[u] > 0) { // else it drives what is left out
            d->forces.drive[u] =
                dp_drive_at(m, &m->actuator[u], t->length[u], dp_transmission_rate(t, u, d->v), w);
        }
    }
}

// The forces along the coordinates, and the stiffness of the drives that are part of M̃.
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
        f->actuator[u] = 0.0;
        if (d->options.disable_actuation) {
            continue;
        }
        double force = drive->free_force;
        if (f->stand[u] == DP_STANDS_AS_ROW) {
            force = dp_least_force(actuator);
        } else if (f->stand[u] == DP_STANDS_EXPLICIT) {
            const int end = dp_force_end(actuator, force);
            force = end == 0 ? force : actuator->force_range[end > 0];
        } else if (f->stand[u] != DP_STANDS_WITHIN) {
            force = actuator->force_range[f->stand[u] == DP_STANDS_AT_HI];
        } else {
            const int k = d->transmission.dof[d->transmission.start[u]];
            const double moment = d->transmission.moment[d->transmission.start[u]];
            f->stiffness[k] += drive->stiffness * moment * moment;
            f->damping[k] += drive->damping * moment * moment;
            f->any_stiffness = true;
        }
        f->actuator[u] = force;
        dp_transmission_add(f->actuation, &d->transmission, u, force);
    }
}

void dp_forces_actuate(dp_data *d, const uint8_t *stand)
{
    for (int u = 0; u < d->model->size.nu; ++u) {
        const bool is_explicit =
            !stand || (stand[u] == DP_STANDS_WITHIN && !dp_drive_resists(&d->forces.drive[u]));
        d->forces.stand[u] = is_explicit ? DP_STANDS_EXPLICIT : stand[u];
    }
    actuate(d);
}

bool dp_drive_needs_row(const dp_data *d, int u)
{
    const dp_drive *drive = &d->forces.drive[u];
    return dp_drive_resists(drive) && d->transmission.count[u] > 1 && !d->options.disable_actuation;
}

dp_drive_law dp_drive_law_of(const dp_data *d, int u)
{
    const dp_actuator *actuator = &d->model->actuator[u];
    const dp_drive *drive = &d->forces.drive[u];
    const double least = dp_least_force(actuator);
    return (dp_drive_law){
        .force = drive->free_force + drive->damping * drive->rate - least,
        .stiffness = drive->stiffness,
        .damping = drive->damping,
        .lo = actuator->force_limited ? actuator->force_range[0] - least : -INFINITY,
        .hi = actuator->force_limited ? actuator->force_range[1] - least : INFINITY};
}

void dp_forces_foresee(uint8_t *stand, const dp_data *d, double h)
{
    for (int u = 0; u < d->model->size.nu; ++u) {
        const dp_drive *drive = &d->forces.drive[u];
        stand[u] = DP_STANDS_WITHIN;
        if (dp_drive_resists(drive) && !d->options.disable_actuation) {
            const int end = dp_drive_end(&d->model->actuator[u], drive, drive->rate, h);
            stand[u] = end < 0 ? DP_STANDS_AT_LO : end > 0 ? DP_STANDS_AT_HI : DP_STANDS_WITHIN;
        }
    }
}

int dp_forces_judge(uint8_t *stand, const dp_data *d, const double *v1, double h)
{
    int count = 0;
    for (int u = 0; u < d->model->size.nu; ++u) {
        const dp_actuator *actuator = &d->model->actuator[u];
        const dp_drive *drive = &d->forces.drive[u];
        const uint8_t now = d->forces.stand[u];
        if (!actuator->force_limited || now == DP_STANDS_EXPLICIT || now == DP_STANDS_AS_ROW) {
            continue;
        }
        const int thought = (now == DP_STANDS_AT_HI) - (now == DP_STANDS_AT_LO);
        if (dp_drive_end(actuator, drive, dp_transmission_rate(&d->transmission, u, v1), h) !=
            thought) {
            stand[u] = DP_STANDS_AS_ROW;
            ++count;
        }
    }
    return count;
}

void dp_forces_finish(dp_data *d, const double *v1, double h, const double *row_force)
{
    const dp_model *m = d->model;
    dp_forces *f = &d->forces;
    memset(f->actuation, 0, (size_t)m->size.nv * sizeof(double));
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_drive *drive = &f->drive[u];
        if (f->stand[u] == DP_STANDS_AS_ROW && !d->options.disable_actuation) {
            f->actuator[u] = dp_least_force(&m->actuator[u]) + row_force[u];
        } else if (f->stand[u] == DP_STANDS_WITHIN && !d->options.disable_actuation) {
            const double rate = dp_transmission_rate(&d->transmission, u, v1);
            f->actuator[u] = drive->free_force - h * drive->stiffness * rate -
                             drive->damping * (rate - drive->rate);
        }
        dp_transmission_add(f->actuation, &d->transmission, u, f->actuator[u]);
    }
    for (int k = 0; k < m->size.nv; ++k) {
        const double damping = d->options.disable_dampers ? 0.0 : m->dof_damping[k];
        const double stiffness = d->options.disable_springs ? 0.0 : m->dof_stiffness[k];
        f->passive[k] -= damping * (v1[k] - d->v[k]) + h * stiffness * v1[k];
    }
    if (f->any_fluid) {
        dp_kin_velocities(d->scratch.twist, &d->kin, m, v1);
    }
    for (int i = 1; f->any_fluid && i < m->size.nbody; ++i) {
        f->external[i] = dp_forces_external_at(d, i, d->scratch.twist[i]);
    }
}

// Actuators that are off stay as they are.
static void activate(dp_data *d)
{
    const dp_model *m = d->model;
    for (int u = 0; u < m->size.nu; ++u) {
        const int a = m->actuator[u].activation_index;
        const bool off = d->options.disable_actuation || d->transmission.count[u] == 0;
        if (a >= 0) {
            d->forces.activation_rate[a] =
                off ? 0.0
                    : dp_activation_rate(&m->actuator[u], clamped_control(d, u), d->activation[a]);
        }
    }
}

void dp_forces_advance_activation(double *next, const dp_data *d, double h)
{
    const dp_model *m = d->model;
    for (int u = 0; u < m->size.nu; ++u) {
        const int a = m->actuator[u].activation_index;
        if (a >= 0) {
            next[a] = dp_activation_after(&m->actuator[u], clamped_control(d, u), d->activation[a],
                                          d->forces.activation_rate[a], h);
        }
    }
    dp_activations_clamp(next, m);
}

// What acts on trees whatever they are: forces along the coordinates that the user applies,
// dampers; and whether the user pushes at a body.
typedef struct gathering {
    dp_data *d;
    bool applied; // those of the user are wanted
    atomic_bool pushed;
} gathering;

static bool is_pushed(const dp_data *d, int first, int end)
{
    double size = 0.0;
    for (int i = first; i < end; ++i) {
        const dp_wrench w = d->wrench[i];
        size += fabs(w.f.x) + fabs(w.f.y) + fabs(w.f.z) + fabs(w.t.x) + fabs(w.t.y) + fabs(w.t.z);
    }
    return size != 0.0;
}

static dp_status gather(void *job, int first, int end)
{
    gathering *s = job;
    const dp_data *d = s->d;
    const dp_model *m = d->model;
    const dp_forces *f = &d->forces;
    const dp_trees part = dp_trees_of(m, first, end);
    const size_t bytes = (size_t)(part.end_v - part.first_v) * sizeof(double);
    if (s->applied) {
        memcpy(f->applied + part.first_v, d->force + part.first_v, bytes);
    }
    memset(f->passive + part.first_v, 0, bytes);
    if (m->any_damper && !d->options.disable_dampers) {
        for (int k = part.first_v; k < part.end_v; ++k) {
            f->passive[k] = -m->dof_damping[k] * d->v[k];
        }
    }
    if (is_pushed(d, part.first_body, part.end_body)) {
        atomic_store(&s->pushed, true);
    }
    return DP_OK;
}

// Springs and gravity compensation, besides dampers.
static void resist(dp_data *d)
{
    const dp_model *m = d->model;
    if (m->any_spring && !d->options.disable_springs) {
        dp_add_spring_forces(d->forces.passive, m, d->q);
    }
    if (m->any_compensation && !d->options.disable_gravity) {
        dp_add_compensation(d->forces.passive, d->scratch.wrench, &d->kin, m, d->options.gravity);
    }
}

// The user's wrenches, moved from the centres of mass to the origins.
static void push(dp_data *d)
{
    const dp_model *m = d->model;
    for (int i = 0; i < m->size.nbody; ++i) {
        d->forces.external[i] = dp_wrench_shift(d->wrench[i], dp_body_centre(&d->kin, m, i));
    }
}

// The forces of the medium, to the external wrenches.
static void immerse(dp_data *d)
{
    const dp_model *m = d->model;
    dp_forces *f = &d->forces;
    const dp_fluid fluid = {d->options.fluid_density, d->options.fluid_viscosity, d->options.wind};
    f->any_fluid = m->nfluid > 0 && (fluid.density > 0.0 || fluid.viscosity > 0.0);
    if (!f->any_fluid) {
        return;
    }
    if (!f->any_external) {
        memset(f->external, 0, (size_t)m->size.nbody * sizeof *f->external);
        f->any_external = true;
    }
    dp_fluid_evaluate(&f->fluid, &d->kin, m, &fluid);
    for (int i = 0; i < m->size.nbody; ++i) {
        f->external[i] = dp_wrench_add(f->external[i], f->fluid.wrench[i]);
    }
}

dp_body_drag dp_forces_drag(const dp_data *d, double h)
{
    return (dp_body_drag){.slope = d->forces.any_fluid ? d->forces.fluid.slope : NULL, .time = h};
}

// Share the force of an adhesive body among its contacts: it pulls both together.
static void adhere(dp_data *d, int u)
{
    const dp_model *m = d->model;
    const dp_actuator *actuator = &m->actuator[u];
    const dp_contact_list *list = &d->contacts.now;
    int count = 0;
    for (int i = 0; i < list->npoint; ++i) {
        const int *geom = list->pair[list->owner[i]].geom;
        count += m->geom[geom[0]].body == actuator->body || m->geom[geom[1]].body == actuator->body;
    }
    double force = d->forces.drive[u].free_force;
    const int end = dp_force_end(actuator, force);
    force = end == 0 ? force : actuator->force_range[end > 0];
    for (int i = 0; i < list->npoint; ++i) {
        const int *geom = list->pair[list->owner[i]].geom;
        const int a = m->geom[geom[0]].body, b = m->geom[geom[1]].body;
        if (a != actuator->body && b != actuator->body) {
            continue;
        }
        const dp_wrench pull = {{0.0, 0.0, 0.0},
                                dp_v3_scale(list->point[i].normal, force / count)}; // on A
        const dp_v3 p = list->point[i].point;
        dp_wrench *of_a = &d->forces.external[a], *of_b = &d->forces.external[b];
        *of_a = dp_wrench_add(*of_a, dp_wrench_shift(pull, dp_v3_sub(p, d->kin.link[a].X.p)));
        *of_b = dp_wrench_sub(*of_b, dp_wrench_shift(pull, dp_v3_sub(p, d->kin.link[b].X.p)));
    }
}

// The contacts of the present state alone, so that a state that is restored moves as before.
static dp_status adhere_all(dp_data *d)
{
    const dp_model *m = d->model;
    if (!m->has_adhesion || d->options.disable_actuation) {
        return DP_OK;
    }
    const dp_contact_search here = {0.0, 0.0};
    const bool ignored = d->sleep.ignored;
    d->sleep.ignored = true;
    const dp_status status = dp_contacts_find(d, &here, NULL);
    d->sleep.ignored = ignored;
    d->rows.candidates.no_room = status == DP_ERROR_CAPACITY; // which a step makes
    DP_TRY(status);
    if (!d->forces.any_external) {
        memset(d->forces.external, 0, (size_t)m->size.nbody * sizeof *d->forces.external);
        d->forces.any_external = true;
    }
    for (int u = 0; u < m->size.nu; ++u) {
        if (m->actuator[u].body >= 0) {
            adhere(d, u);
        }
    }
    return DP_OK;
}

// How much less drag there is than at the start of the step.
static dp_wrench drag_change(const dp_data *d, int body, dp_twist V1)
{
    const dp_twist change = dp_twist_madd(V1, -1.0, d->kin.link[body].V);
    return dp_articulated_apply(&d->forces.fluid.slope[body], change);
}

dp_wrench dp_forces_fluid_at(const dp_data *d, int body, dp_twist V1)
{
    return dp_wrench_sub(d->forces.fluid.wrench[body], drag_change(d, body, V1));
}

dp_wrench dp_forces_external_at(const dp_data *d, int body, dp_twist V1)
{
    const dp_wrench now = d->forces.external[body];
    return d->forces.any_fluid ? dp_wrench_sub(now, drag_change(d, body, V1)) : now;
}

// @param applied forces of the user along the coordinates are wanted, too
static dp_status gather_forces(dp_data *d, bool applied)
{
    const dp_model_size *n = &d->model->size;
    gathering s = {.d = d, .applied = applied};
    dp_spread_trees(d, gather, &s);
    d->forces.any_external = s.pushed || is_pushed(d, 0, n->ntree > 0 ? 1 : n->nbody);
    if (d->forces.any_external) {
        push(d);
    }
    resist(d);
    DP_TRY(dp_timed_forces(d));
    immerse(d);
    return DP_OK;
}

dp_status dp_forces_passive(dp_data *d)
{
    return gather_forces(d, false);
}

dp_status dp_callback_end(dp_data *d, dp_status status, const char *name)
{
    d->callbacks.running = false;
    return status == DP_OK
               ? DP_OK
               : dp_fail(DP_ERROR_CALLBACK, "the %s callback failed at t = %.10g s (%s)", name,
                         d->time, dp_status_name(status));
}

static dp_status call_control(dp_data *d)
{
    d->callbacks.running = true;
    DP_TRY(dp_callback_end(d, d->callbacks.control(d->callbacks.control_context, d), "control"));
    return dp_numbers_check(d, DP_NUMBER_CONTROL, d->control, (double)INFINITY, false,
                            "a finite number from the control callback");
}

static dp_status call_force(dp_data *d)
{
    double *extra = d->forces.extra;
    memset(extra, 0, (size_t)d->model->size.nv * sizeof(double));
    d->callbacks.running = true;
    DP_TRY(dp_callback_end(d, d->callbacks.force(d->callbacks.force_context, d, extra), "force"));
    return dp_numbers_check(d, DP_NUMBER_FORCE, extra, (double)INFINITY, false,
                            "a finite number from the force callback");
}

dp_status dp_forces_evaluate(dp_data *d)
{
    const dp_model *m = d->model;
    dp_forces *f = &d->forces;
    const bool nested = d->callbacks.running;
    if (d->callbacks.control && !nested) {
        DP_TRY(call_control(d));
    }
    if (d->callbacks.force && !nested) {
        DP_TRY(call_force(d));
    }
    if (m->size.ntendon > 0) {
        dp_tendon_update(&d->tendon, &d->kin, m, d->q);
    }
    measure_drives(d);
    activate(d);
    DP_TRY(gather_forces(d, true));
    DP_TRY(adhere_all(d));
    for (int k = 0; d->callbacks.force && !nested && k < m->size.nv; ++k) {
        f->applied[k] += f->extra[k];
    }
    for (int k = 0; m->size.nforce > 0 && k < m->size.nv; ++k) {
        f->applied[k] += f->timed[k];
    }
    return DP_OK;
}

void dp_forces_total(double *tau, const dp_data *d, int first, int end)
{
    const dp_forces *f = &d->forces;
    for (int k = first; k < end; ++k) {
        tau[k] = f->actuation[k] + f->passive[k] + f->applied[k];
    }
}
