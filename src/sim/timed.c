#include "dynamics/applied_force.h"
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
        DP_TRY(blame(dp_motion_aim(target, o, d->time, end, h), "motion", i, o->name));
    }
    return look_ahead(d, end);
}

// ---- forces

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
        DP_TRY(blame(dp_force_apply(d->forces.timed, d->forces.external, &d->kin, m, f, d->time),
                     "force", i, f->name));
    }
    return DP_OK;
}
