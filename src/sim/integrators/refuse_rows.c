// What explicit integrators refuse: they have no rows.
#include "sim/integrators/integrators.h"

static dp_status refuse(const char *what, const char *name)
{
    return dp_fail(
        DP_ERROR_UNSUPPORTED,
        "%s '%s' needs the semi-implicit step (expected integrator semi-implicit, or the "
        "element disabled)",
        what, name);
}

static dp_status refuse_joints(const dp_model *m, const dp_options *o)
{
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        if (joint->limited && !o->disable_limits) {
            return refuse("the limit of joint", joint->name);
        }
        if (joint->friction_loss > 0.0) {
            return refuse("the friction of joint", joint->name);
        }
    }
    for (int i = 0; i < m->size.nmotion; ++i) {
        if (m->motion[i].joint >= 0) {
            return refuse("motion", m->motion[i].name);
        }
    }
    return DP_OK;
}

static dp_status refuse_tendons(const dp_model *m, const dp_options *o)
{
    for (int i = 0; i < m->size.ntendon; ++i) {
        const dp_tendon *tendon = &m->tendon[i];
        if ((tendon->limited && !o->disable_limits) ||
            (tendon->stiffness > 0.0 && !o->disable_springs) ||
            (tendon->damping > 0.0 && !o->disable_dampers) || tendon->friction_loss > 0.0) {
            return refuse("tendon", tendon->name);
        }
    }
    return DP_OK;
}

static dp_status refuse_contacts(const dp_model *m)
{
    if (m->size.nfoundation > 0) {
        return refuse("the foundation of geom", m->geom[m->foundation[0].geom].name);
    }
    if (m->size.ntouch != 0) {
        return dp_fail(DP_ERROR_UNSUPPORTED,
                       "geoms could touch, and contact needs the semi-implicit step (expected "
                       "integrator semi-implicit, or disable_contact)");
    }
    return DP_OK;
}

dp_status dp_refuse_rows(const dp_data *d)
{
    const dp_model *m = d->model;
    const dp_options *o = &d->options;
    DP_TRY(refuse_joints(m, o));
    for (int i = 0; i < m->size.nequality && !o->disable_equality; ++i) {
        if (d->rows.equality_active[i]) {
            return refuse("equality", m->equality[i].name);
        }
    }
    DP_TRY(refuse_tendons(m, o));
    if (!o->disable_contact) {
        DP_TRY(refuse_contacts(m));
    }
    for (int i = 0; i < d->rows.most.nuser; ++i) {
        if (d->rows.user_active[i]) {
            return dp_fail(DP_ERROR_UNSUPPORTED,
                           "row %d of the user needs the semi-implicit step (expected integrator "
                           "semi-implicit, or the row switched off)",
                           i);
        }
    }
    return DP_OK;
}
