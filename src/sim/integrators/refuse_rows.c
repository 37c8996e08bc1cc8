// What explicit integrators refuse: they have no rows.
#include "sim/integrators/integrators.h"

static dp_status refuse_if(bool asks_for_rows, const char *what, const char *name)
{
    return asks_for_rows ? dp_fail(DP_ERROR_UNSUPPORTED,
                                   "%s '%s' needs the semi-implicit step (expected integrator "
                                   "semi-implicit, or the element disabled)",
                                   what, name)
                         : DP_OK;
}

static dp_status refuse_contacts(const dp_model *m)
{
    if (m->size.nfoundation > 0) {
        return refuse_if(true, "the foundation of geom", m->geom[m->foundation[0].geom].name);
    }
    return m->size.ntouch == 0
               ? DP_OK
               : dp_fail(DP_ERROR_UNSUPPORTED,
                         "geoms could touch, and contact needs the semi-implicit step (expected "
                         "integrator semi-implicit, or disable_contact)");
}

dp_status dp_refuse_rows(const dp_data *d)
{
    const dp_model *m = d->model;
    const dp_options *o = &d->options;
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        DP_TRY(refuse_if(joint->limited && !o->disable_limits, "the limit of joint", joint->name));
        DP_TRY(refuse_if(joint->friction_loss > 0.0, "the friction of joint", joint->name));
    }
    for (int i = 0; i < m->size.nmotion; ++i) {
        DP_TRY(refuse_if(m->motion[i].joint >= 0, "motion", m->motion[i].name));
    }
    for (int i = 0; i < m->size.nequality; ++i) {
        DP_TRY(refuse_if(d->rows.equality_active[i] && !o->disable_equality, "equality",
                         m->equality[i].name));
    }
    for (int i = 0; i < m->size.ntendon; ++i) {
        const dp_tendon *tendon = &m->tendon[i];
        const bool pulls = (tendon->limited && !o->disable_limits) ||
                           (tendon->stiffness > 0.0 && !o->disable_springs) ||
                           (tendon->damping > 0.0 && !o->disable_dampers);
        DP_TRY(refuse_if(pulls || tendon->friction_loss > 0.0, "tendon", tendon->name));
    }
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
