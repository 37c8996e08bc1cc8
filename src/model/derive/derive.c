#include "model/derive/derive.h"

#include "model/combine_materials.h"

#include <string.h>

// What materials can do at most, for what is judged before pairs are known.
static void bound_materials(dp_model *m)
{
    double *most = m->most_friction;
    m->any_restitution = false;
    m->fastest_belt = 0.0;
    memset(most, 0, sizeof m->most_friction);
    for (int g = 0; g < m->size.ngeom; ++g) {
        const dp_geom *geom = &m->geom[g];
        m->any_restitution |= geom->contact.material.restitution > 0.0;
        m->fastest_belt =
            fmax(m->fastest_belt, dp_v3_norm(geom->contact.material.surface_velocity));
        for (int k = 0; k < 3; ++k) {
            most[k] = fmax(most[k], geom->friction[k]);
        }
    }
    for (int i = 0; i < m->size.npair; ++i) {
        const double *own = m->pair[i].friction;
        m->any_restitution |=
            m->pair[i].contact_given && m->pair[i].contact.material.restitution > 0.0;
        most[0] = fmax(most[0], fmax(own[0], own[1]));
        most[1] = fmax(most[1], own[2]);
        most[2] = fmax(most[2], fmax(own[3], own[4]));
    }
}

// What joints say of their degrees of freedom.
static void spread_joints(dp_model *m, const dp_tables *t)
{
    m->any_spring = m->any_damper = false;
    for (int i = 0; i < m->size.nv; ++i) {
        const dp_joint *joint = &m->joint[m->dof_joint[i]];
        t->dof_armature[i] = joint->armature;
        t->dof_damping[i] = joint->damping;
        t->dof_stiffness[i] = joint->stiffness;
        m->any_spring |= joint->stiffness > 0.0;
        m->any_damper |= joint->damping > 0.0;
    }
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        if (joint->kind == DP_JOINT_HINGE || joint->kind == DP_JOINT_SLIDE) {
            t->q_spring[joint->q_index] = joint->spring_ref;
        }
    }
}

// Half the sides of the box that has this inertia.
static void set_inertia_box(double r[3], const dp_inertial *of)
{
    const double I[3] = {of->moments.x, of->moments.y, of->moments.z};
    for (int i = 0; i < 3; ++i) {
        const double square = 1.5 / of->mass * (I[(i + 1) % 3] + I[(i + 2) % 3] - I[i]);
        r[i] = square > 0.0 ? sqrt(square) : 0.0;
    }
}

static void derive_fluid(dp_model *m, const dp_tables *t)
{
    for (int i = 0; i < m->nfluid; ++i) {
        dp_fluid_shape *shape = &t->fluid[i];
        if (!shape->ellipsoid) {
            const dp_inertial *inertial = &m->body[shape->body].inertial;
            shape->frame = inertial->frame;
            set_inertia_box(shape->r, inertial);
        }
    }
}

dp_status dp_derive(dp_model *m, const dp_tables *t, dp_reference *r, int *joint)
{
    bound_materials(m);
    m->any_compensation = false;
    for (int b = 0; b < m->size.nbody; ++b) {
        m->any_compensation |= m->body[b].gravity_compensation != 0.0;
    }
    spread_joints(m, t);
    derive_fluid(m, t);
    DP_TRY(dp_derive_ratios(m, t, r, joint));
    for (int i = 0; i < m->size.nfoundation; ++i) {
        dp_foundation *f = &t->foundation[i];
        dp_touch_law law;
        dp_combine(&law, m, f->geom, f->plane, dp_pair_map_find(&m->given, f->geom, f->plane));
        f->friction = law.condim > 1 ? fmax(law.friction.mu[0], law.friction.mu[1]) : 0.0;
    }
    return DP_OK;
}
