#include "model/motion.h"
#include "sim/step/step.h"

#include <string.h>

void dp_timed_carve(dp_timed *timed, dp_carver *c, const dp_model *m)
{
    timed->mocap = dp_carve(c, (size_t)m->size.nmocap, sizeof *timed->mocap);
    timed->target = dp_carve(c, (size_t)m->size.nmotion, sizeof *timed->target);
}

// Say whose expression has no value.
static dp_status blame(dp_status status, const char *kind, int index, const char *name)
{
    if (status == DP_OK) {
        return DP_OK;
    }
    return *name ? dp_fail_context(status, "%s '%s': ", kind, name)
                 : dp_fail_context(status, "%s %d (unnamed): ", kind, index);
}

// ---- motions

dp_status dp_timed_look(dp_data *d, double time)
{
    const dp_model *m = d->model;
    for (int i = 0; m->moves_mocap && i < m->size.nmotion; ++i) {
        const dp_motion *o = &m->motion[i];
        if (o->mocap >= 0) {
            DP_TRY(
                blame(dp_motion_pose(&d->timed.mocap[o->mocap], m, o, time), "motion", i, o->name));
        }
    }
    return DP_OK;
}

void dp_timed_put(dp_data *d)
{
    const dp_model *m = d->model;
    for (int i = 0; m->moves_mocap && i < m->size.nmotion; ++i) {
        const int mocap = m->motion[i].mocap;
        if (mocap >= 0) {
            d->mocap[mocap] = d->timed.mocap[mocap];
        }
    }
}

// The fixed bodies of kin_end, where mocap bodies are moved.
static dp_status look_ahead(dp_data *d, double time)
{
    const dp_model *m = d->model;
    if (!m->moves_mocap) {
        return DP_OK;
    }
    memcpy(d->timed.mocap, d->mocap, (size_t)m->size.nmocap * sizeof *d->mocap);
    DP_TRY(dp_timed_look(d, time));
    if (d->rows.possible) {
        dp_kin_fix(&d->kin_end, m, d->timed.mocap, d->key.gravity);
    }
    return DP_OK;
}

static dp_status refuse_speed(const dp_motion_target *target, double t, double h)
{
    const double largest = 1e60; // as in a step: its powers must stay finite
    const double rate = (target->end - target->start) / h;
    if (fabs(rate) < largest && fabs(target->start) < largest) {
        return DP_OK;
    }
    return dp_fail(DP_ERROR_NUMERIC,
                   "from %g to %g in a step of %g s at t = %.10g s (expected numbers of physical "
                   "size)",
                   target->start, target->end, h, t);
}

static dp_status aim(dp_motion_target *target, const dp_motion *o, double start, double end,
                     double h)
{
    if (!o->position[0]) {
        DP_TRY(dp_motion_turn(&target->turn_start, o, start));
        return dp_motion_turn(&target->turn_end, o, end);
    }
    if (target->end_known && target->end_time == start) { // the step before ended here
        target->start = target->end;
    } else {
        DP_TRY(dp_expression_value(o->position[0], start, &target->start));
    }
    target->end_known = false;
    DP_TRY(dp_expression_value(o->position[0], end, &target->end));
    target->end_known = true;
    target->end_time = end;
    return refuse_speed(target, start, h);
}

dp_status dp_timed_expect(dp_data *d, double h)
{
    const dp_model *m = d->model;
    const double end = dp_next_time(d->time, h);
    for (int i = 0; i < m->size.nmotion; ++i) {
        const dp_motion *o = &m->motion[i];
        if (o->joint < 0) {
            continue;
        }
        dp_motion_target *target = &d->timed.target[i];
        DP_TRY(blame(aim(target, o, d->time, end, h), "motion", i, o->name));
    }
    return look_ahead(d, end);
}

// ---- forces

static dp_status evaluate_three(double x[3], dp_expression *const e[3], double t)
{
    for (int k = 0; k < 3; ++k) {
        x[k] = 0.0;
        if (e[k]) {
            DP_TRY(dp_expression_value(e[k], t, &x[k]));
        }
    }
    return DP_OK;
}

static void push_joint(dp_data *d, const dp_joint *joint, const double force[3],
                       const double torque[3])
{
    double *tau = d->forces.timed + joint->v_index;
    const int along = joint->kind == DP_FREE ? 3 : joint->kind == DP_SLIDE ? 1 : 0;
    for (int k = 0; k < joint->nv; ++k) {
        tau[k] += k < along ? force[k] : torque[k - along];
    }
}

static void push_body(dp_data *d, const dp_force *f, dp_v3 force, dp_v3 torque)
{
    const dp_link *link = &d->kin.link[f->body];
    if (f->local) {
        const dp_quat axes = dp_quat_mul(link->X.q, f->frame.q);
        force = dp_quat_rotate(axes, force);
        torque = dp_quat_rotate(axes, torque);
    }
    const dp_v3 arm = dp_quat_rotate(link->X.q, f->frame.p);
    const dp_wrench w = {dp_v3_add(torque, dp_v3_cross(arm, force)), force};
    d->forces.external[f->body] = dp_wrench_madd(d->forces.external[f->body], 1.0, w);
}

dp_status dp_timed_forces(dp_data *d)
{
    const dp_model *m = d->model;
    if (m->size.nforce == 0) {
        return DP_OK; // the array stays zero as it was made
    }
    memset(d->forces.timed, 0, (size_t)m->size.nv * sizeof *d->forces.timed);
    if (!d->forces.any_external) {
        memset(d->forces.external, 0, (size_t)m->size.nbody * sizeof *d->forces.external);
        d->forces.any_external = true;
    }
    for (int i = 0; i < m->size.nforce; ++i) {
        const dp_force *f = &m->force[i];
        double force[3], torque[3];
        DP_TRY(blame(evaluate_three(force, f->force, d->time), "force", i, f->name));
        DP_TRY(blame(evaluate_three(torque, f->torque, d->time), "force", i, f->name));
        if (f->joint >= 0) {
            push_joint(d, &m->joint[f->joint], force, torque);
        } else {
            push_body(d, f, dp_v3_load(force), dp_v3_load(torque));
        }
    }
    return DP_OK;
}
