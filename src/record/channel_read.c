// Channels at the present state: one number each.
#include "record/channel.h"

#include "base/error.h"
#include "math/v3.h"
#include "model/model.h"

// Everything that moves, taken together: p = Σ pᵢ, L about the common centre of mass.
static dp_momentum momentum_of_all(const dp_model *m, const dp_data *d)
{
    dp_momentum sum = {0};
    dp_v3 first_moment = {0.0, 0.0, 0.0};
    for (int t = 0; t < m->size.ntree; ++t) {
        const dp_momentum tree = dp_body_momentum(d, (dp_body_id){m->tree_body[t]});
        sum.mass += tree.mass;
        sum.linear = dp_v3_add(sum.linear, tree.linear);
        first_moment = dp_v3_madd(first_moment, tree.mass, tree.com);
    }
    if (sum.mass > 0.0) {
        sum.com = dp_v3_scale(first_moment, 1.0 / sum.mass);
    }
    for (int t = 0; t < m->size.ntree; ++t) {
        const dp_momentum tree = dp_body_momentum(d, (dp_body_id){m->tree_body[t]});
        const dp_v3 arm = dp_v3_sub(tree.com, sum.com);
        sum.angular = dp_v3_add(sum.angular, tree.angular);
        sum.angular = dp_v3_add(sum.angular, dp_v3_cross(arm, tree.linear));
    }
    return sum;
}

// The wrench through joint `j` about its anchor, world axes. dp_body_reaction is about the origin.
static dp_wrench joint_reaction(const dp_model *m, const dp_data *d, int j)
{
    const dp_body_id body = {m->joint[j].body};
    dp_wrench reaction = dp_body_reaction(d, body);
    const dp_v3 arm = dp_v3_sub(dp_body_pose(d, body).p, dp_joint_anchor(d, (dp_joint_id){j}));
    reaction.t = dp_v3_add(reaction.t, dp_v3_cross(arm, reaction.f));
    return reaction;
}

static double of_v3(dp_v3 a, int component)
{
    return component == 0 ? a.x : component == 1 ? a.y : a.z;
}

static double of_quat(dp_quat q, int component)
{
    return component == 0 ? q.w : component == 1 ? q.x : component == 2 ? q.y : q.z;
}

static double of_wrench(dp_wrench w, int component)
{
    return component < 3 ? of_v3(w.f, component) : of_v3(w.t, component - 3);
}

// @param elastic [J] in springs of rows
static double of_energy(dp_energy e, double elastic, int component)
{
    switch ((dp_channel_energy)component) {
    case DP_CHANNEL_KINETIC:
        return e.kinetic;
    case DP_CHANNEL_GRAVITY:
        return e.gravity;
    case DP_CHANNEL_SPRING:
        return e.spring;
    case DP_CHANNEL_POTENTIAL:
        return e.gravity + e.spring;
    case DP_CHANNEL_TOTAL:
        break;
    }
    return e.kinetic + e.gravity + e.spring + elastic;
}

static double of_step(const dp_step_report *info, int component)
{
    switch ((dp_channel_step)component) {
    case DP_CHANNEL_EVALUATIONS:
        return info->work.evaluations;
    case DP_CHANNEL_SUBSTEPS:
        return info->work.substeps;
    case DP_CHANNEL_REJECTED:
        return info->work.rejected;
    case DP_CHANNEL_TRANSPORTED:
        return info->transported;
    case DP_CHANNEL_LIMITED:
        return info->limited;
    case DP_CHANNEL_ASLEEP:
        break;
    }
    return info->asleep;
}

static double of_certificate(const dp_certificate *c, const dp_step_report *info, int component)
{
    switch ((dp_channel_certificate)component) {
    case DP_CHANNEL_MOMENTUM:
        return c->momentum;
    case DP_CHANNEL_NORMAL_LAW:
        return c->normal_law;
    case DP_CHANNEL_COMPLEMENTARITY:
        return c->complementarity;
    case DP_CHANNEL_CONE:
        return c->cone;
    case DP_CHANNEL_FRICTION_POWER:
        return c->friction_power;
    case DP_CHANNEL_PENETRATION:
        return c->penetration;
    case DP_CHANNEL_LIFT_OFF:
        return c->lift_off;
    case DP_CHANNEL_CREEP:
        return c->creep;
    case DP_CHANNEL_DRIFT:
        return c->drift;
    case DP_CHANNEL_CORRECTION:
        return c->correction;
    case DP_CHANNEL_HEADING:
        return c->heading;
    case DP_CHANNEL_SHORTFALL:
        return c->shortfall;
    case DP_CHANNEL_FALLBACKS:
        return c->fallbacks;
    case DP_CHANNEL_WITHIN_ERROR:
        return c->within_error;
    case DP_CHANNEL_GAP_ERROR:
        return info->gap_error;
    case DP_CHANNEL_DROPPED:
        return info->dropped;
    case DP_CHANNEL_ROWS:
        return c->nrow;
    case DP_CHANNEL_PASSES:
        return info->work.passes;
    case DP_CHANNEL_ITERATIONS:
        return info->work.iterations;
    case DP_CHANNEL_FACTORIZATIONS:
        break;
    }
    return info->work.factorizations;
}

static double of_ledger(const dp_ledger *ledger, int component)
{
    switch ((dp_channel_ledger)component) {
    case DP_CHANNEL_ELASTIC:
        return ledger->elastic;
    case DP_CHANNEL_APPLIED:
        return ledger->applied;
    case DP_CHANNEL_DRIVES:
        return ledger->drives;
    case DP_CHANNEL_MOVED:
        return ledger->moved;
    case DP_CHANNEL_CORRECTED:
        return ledger->corrected;
    case DP_CHANNEL_DAMPED:
        return ledger->damped;
    case DP_CHANNEL_FRICTION:
        return ledger->friction;
    case DP_CHANNEL_IMPACTS:
        return ledger->impacts;
    case DP_CHANNEL_CONTACT:
        return ledger->contact;
    case DP_CHANNEL_CONTACT_DAMPED:
        return ledger->contact_damped;
    case DP_CHANNEL_CONTACT_FRICTION:
        return ledger->contact_friction;
    case DP_CHANNEL_REMAINDER:
        break;
    }
    return ledger->remainder;
}

// Zeros where there is no such row.
static dp_row_info row_of(const dp_data *d, dp_row_source source, int element, int component)
{
    return dp_data_row(d, dp_data_find_row(d, source, element, component));
}

// Along the coordinate: the lower end pushes up. The angle of a ball has an upper end alone.
static double limit_force(const dp_data *d, int joint)
{
    return row_of(d, DP_ROW_SOURCE_JOINT_LIMIT, joint, 0).force -
           row_of(d, DP_ROW_SOURCE_JOINT_LIMIT, joint, 1).force;
}

static double of_foundation(const dp_foundation_load *load, int component)
{
    switch ((dp_channel_foundation)component) {
    case DP_CHANNEL_FOUNDATION_FORCE:
        return load->force;
    case DP_CHANNEL_PRESSURE_MAX:
        return load->pressure;
    case DP_CHANNEL_PRESSURE_CENTRE:
        break;
    }
    return of_v3(load->centre, component - DP_CHANNEL_PRESSURE_CENTRE);
}

static double pressure_of(const dp_data *d, int geom, int spring)
{
    const double *pressure = dp_foundation_pressure(d, (dp_geom_id){geom}, NULL, NULL);
    return pressure ? pressure[spring] : 0.0;
}

// What all channels of one sample share, computed once.
typedef struct sample {
    const dp_model *m;
    dp_data *d;
    dp_step_report step; // of the last step, before sensing
    dp_energy energy;
    dp_momentum momentum;
    dp_foundation_load load; // of one geom at a time
    int load_of;             // which; −1: none yet
} sample;

// Accelerations, forces, rows, tendons, foundations and contacts.
static double read_force(sample *s, const dp_channel *c)
{
    const dp_data *d = s->d;
    const dp_body_id body = {c->element};
    const dp_tendon_id tendon = {c->element};
    switch (c->source) {
    case DP_CHANNEL_ACCELERATION:
        return dp_data_acceleration(d)[c->component];
    case DP_CHANNEL_ACTUATION:
        return dp_data_actuation(d)[c->component];
    case DP_CHANNEL_PASSIVE:
        return dp_data_passive(d)[c->component];
    case DP_CHANNEL_BODY_REACTION:
        return of_wrench(dp_body_reaction(d, body), c->component);
    case DP_CHANNEL_JOINT_REACTION:
        return of_wrench(joint_reaction(s->m, d, c->element), c->component);
    case DP_CHANNEL_ACTUATOR_FORCE:
        return dp_data_actuator_force(d)[c->element];
    case DP_CHANNEL_SENSOR:
        return dp_data_sensors(d)[c->component];
    case DP_CHANNEL_EQUALITY_GAP:
        return row_of(d, DP_ROW_SOURCE_EQUALITY, c->element, c->component).start_gap;
    case DP_CHANNEL_EQUALITY_FORCE:
        return row_of(d, DP_ROW_SOURCE_EQUALITY, c->element, c->component).force;
    case DP_CHANNEL_MOTION_GAP:
        return row_of(d, DP_ROW_SOURCE_MOTION, c->element, c->component).start_gap;
    case DP_CHANNEL_MOTION_FORCE:
        return row_of(d, DP_ROW_SOURCE_MOTION, c->element, c->component).force;
    case DP_CHANNEL_LIMIT_FORCE:
        return limit_force(d, c->element);
    case DP_CHANNEL_FRICTION_FORCE:
        return row_of(d, DP_ROW_SOURCE_JOINT_FRICTION, c->element, c->component).force;
    case DP_CHANNEL_TENDON_LENGTH:
        return dp_tendon_length(d, tendon);
    case DP_CHANNEL_TENDON_VELOCITY:
        return dp_tendon_velocity(d, tendon);
    case DP_CHANNEL_TENDON_FORCE:
        return dp_tendon_tension(d, tendon);
    case DP_CHANNEL_FOUNDATION:
        if (s->load_of != c->element) {
            s->load_of = c->element;
            s->load = dp_foundation_sum(d, (dp_geom_id){c->element});
        }
        return of_foundation(&s->load, c->component);
    case DP_CHANNEL_PRESSURE:
        return pressure_of(d, c->element, c->component);
    case DP_CHANNEL_CONTACT_OF_BODIES:
    case DP_CHANNEL_CONTACT_OF_GEOMS:
        return dp_channel_read_contact(d, c);
    default:
        return 0.0;
    }
}

static double read_one(sample *s, const dp_channel *c)
{
    const dp_data *d = s->d;
    const dp_body_id body = {c->element};
    const dp_site_id site = {c->element};
    switch (c->source) {
    case DP_CHANNEL_TIME:
        return dp_data_time(d);
    case DP_CHANNEL_Q:
        return dp_data_q(s->d)[c->component];
    case DP_CHANNEL_V:
        return dp_data_v(s->d)[c->component];
    case DP_CHANNEL_CONTROL:
        return dp_data_control(s->d)[c->element];
    case DP_CHANNEL_ACTIVATION:
        return dp_data_activation(s->d)[c->component];
    case DP_CHANNEL_STEP:
        return of_step(&s->step, c->component);
    case DP_CHANNEL_CERTIFICATE:
        return of_certificate(&dp_data_report(d)->certificate, &s->step, c->component);
    case DP_CHANNEL_LEDGER:
        return of_ledger(dp_data_ledger(d), c->component);
    case DP_CHANNEL_BODY_POSITION:
        return of_v3(dp_body_pose(d, body).p, c->component);
    case DP_CHANNEL_BODY_ROTATION:
        return of_quat(dp_body_pose(d, body).q, c->component);
    case DP_CHANNEL_BODY_VELOCITY:
        return of_v3(dp_body_velocity(d, body).v, c->component);
    case DP_CHANNEL_BODY_ANGULAR_VELOCITY:
        return of_v3(dp_body_velocity(d, body).w, c->component);
    case DP_CHANNEL_BODY_COM:
        return of_v3(dp_inertial_pose(d, body).p, c->component);
    case DP_CHANNEL_SITE_POSITION:
        return of_v3(dp_site_pose(d, site).p, c->component);
    case DP_CHANNEL_SITE_ROTATION:
        return of_quat(dp_site_pose(d, site).q, c->component);
    case DP_CHANNEL_ENERGY:
        return of_energy(s->energy, dp_data_ledger(d)->elastic, c->component);
    case DP_CHANNEL_COM:
        return of_v3(s->momentum.com, c->component);
    case DP_CHANNEL_LINEAR_MOMENTUM:
        return of_v3(s->momentum.linear, c->component);
    case DP_CHANNEL_ANGULAR_MOMENTUM:
        return of_v3(s->momentum.angular, c->component);
    default:
        return read_force(s, c);
    }
}

dp_status dp_channel_read(double *values, const dp_channel *channels, int count, const dp_model *m,
                          dp_data *d)
{
    bool kinematics = false, energy = false, momentum = false, forces = false;
    for (int i = 0; i < count; ++i) {
        const dp_channel_source source = channels[i].source;
        kinematics = kinematics || source >= DP_CHANNEL_BODY_POSITION;
        energy = energy || source == DP_CHANNEL_ENERGY;
        momentum = momentum || source == DP_CHANNEL_COM || source == DP_CHANNEL_LINEAR_MOMENTUM ||
                   source == DP_CHANNEL_ANGULAR_MOMENTUM;
        forces = forces || source >= DP_CHANNEL_ACCELERATION;
    }
    sample s = {.m = m, .d = d, .step = *dp_data_report(d), .load_of = -1};
    if (forces) {
        DP_TRY(dp_sense(d));
    } else if (kinematics) {
        DP_TRY(dp_kinematics(d));
    }
    if (energy) {
        s.energy = dp_data_energy(d);
    }
    if (momentum) {
        s.momentum = momentum_of_all(m, d);
    }
    for (int i = 0; i < count; ++i) {
        values[i] = read_one(&s, &channels[i]);
    }
    return DP_OK;
}
