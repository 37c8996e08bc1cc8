#include "sim/query/query.h"

#include "dynamics/recursive.h"

static const dp_twist NO_MOTION = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

static bool has_body(const dp_data *d, dp_body_id b)
{
    return b.index >= 0 && b.index < d->model->size.nbody;
}

int dp_object_body(const dp_model *m, dp_object_kind kind, int index)
{
    return kind == DP_OBJECT_GEOM   ? m->geom[index].body
           : kind == DP_OBJECT_SITE ? m->site[index].body
                                    : index;
}

dp_pose dp_object_pose(const dp_data *d, dp_object_kind kind, int index)
{
    const dp_model *m = d->model;
    const dp_pose X = d->kin.link[dp_object_body(m, kind, index)].X;
    switch (kind) {
    case DP_OBJECT_INERTIAL:
        return dp_pose_mul(X, m->body[index].inertial.frame);
    case DP_OBJECT_GEOM:
        return dp_pose_mul(X, m->geom[index].pose);
    case DP_OBJECT_SITE:
        return dp_pose_mul(X, m->site[index].pose);
    default:
        return X;
    }
}

dp_twist dp_velocity_at(const dp_data *d, int b, dp_v3 p)
{
    const dp_link *link = &d->kin.link[b];
    return dp_twist_shift(link->V, dp_v3_sub(p, link->X.p));
}

dp_twist dp_acceleration_at(const dp_data *d, int b, dp_v3 p)
{
    // The screw acceleration at a point lacks ω × v of that point.
    dp_twist a = dp_twist_shift(d->sensed.motion[b], dp_v3_sub(p, d->kin.link[b].X.p));
    const dp_twist V = dp_velocity_at(d, b, p);
    a.v = dp_v3_add(a.v, dp_v3_cross(V.w, V.v));
    return a;
}

dp_pose dp_body_pose(const dp_data *d, dp_body_id b)
{
    return has_body(d, b) ? d->kin.link[b.index].X : DP_IDENTITY_POSE;
}

dp_pose dp_inertial_pose(const dp_data *d, dp_body_id b)
{
    return has_body(d, b) ? dp_object_pose(d, DP_OBJECT_INERTIAL, b.index) : DP_IDENTITY_POSE;
}

dp_pose dp_geom_pose(const dp_data *d, dp_geom_id g)
{
    return g.index >= 0 && g.index < d->model->size.ngeom
               ? dp_object_pose(d, DP_OBJECT_GEOM, g.index)
               : DP_IDENTITY_POSE;
}

dp_pose dp_site_pose(const dp_data *d, dp_site_id s)
{
    return s.index >= 0 && s.index < d->model->size.nsite
               ? dp_object_pose(d, DP_OBJECT_SITE, s.index)
               : DP_IDENTITY_POSE;
}

dp_v3 dp_joint_anchor(const dp_data *d, dp_joint_id j)
{
    return j.index >= 0 && j.index < d->model->size.njoint ? d->kin.anchor[j.index] : NO_MOTION.v;
}

dp_v3 dp_joint_axis(const dp_data *d, dp_joint_id j)
{
    return j.index >= 0 && j.index < d->model->size.njoint ? d->kin.axis[j.index] : NO_MOTION.v;
}

dp_twist dp_body_velocity(const dp_data *d, dp_body_id b)
{
    return has_body(d, b) ? d->kin.link[b.index].V : NO_MOTION;
}

void dp_body_jacobian(double *jacobian, const dp_data *d, dp_body_id b, dp_v3 p)
{
    dp_kin_jacobian(jacobian, &d->kin, d->model, has_body(d, b) ? b.index : 0, p);
}

const double *dp_data_acceleration(const dp_data *d)
{
    return d->acceleration;
}

const double *dp_data_actuator_force(const dp_data *d)
{
    return d->forces.actuator;
}

const double *dp_data_actuation(const dp_data *d)
{
    return d->forces.actuation;
}

const double *dp_data_passive(const dp_data *d)
{
    return d->forces.passive;
}

const double *dp_data_sensors(const dp_data *d)
{
    return d->sensed.sensor;
}

dp_twist dp_body_acceleration(const dp_data *d, dp_body_id b)
{
    if (!has_body(d, b)) {
        return NO_MOTION;
    }
    return d->sensed.body_acceleration[b.index];
}

dp_wrench dp_body_reaction(const dp_data *d, dp_body_id b)
{
    return has_body(d, b) ? d->sensed.reaction[b.index] : (dp_wrench){NO_MOTION.w, NO_MOTION.v};
}

dp_energy dp_data_energy(const dp_data *d)
{
    const dp_model *m = d->model;
    return (dp_energy){
        .kinetic = dp_kinetic_energy(&d->kin, m, d->key.v) +
                   dp_tendon_kinetic_energy(&d->kin, m, d->key.v),
        .gravity = dp_gravity_energy(&d->kin, m, d->key.gravity),
        .spring = d->options.disable_springs
                      ? 0.0
                      : dp_spring_energy(m, d->key.q) +
                            dp_tendon_spring_energy(&d->tendon, &d->kin, m, d->key.q),
    };
}

dp_momentum dp_body_momentum(const dp_data *d, dp_body_id b)
{
    return dp_subtree_momentum(&d->kin, d->model, has_body(d, b) ? b.index : 0);
}
