#include "sim/query/query.h"

#include "constraint/turn.h"

static void sense_site(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_model *m = d->model;
    const int b = m->site[sensor->object].body;
    const dp_pose X = dp_object_pose(d, DP_OBJECT_SITE, sensor->object);
    const dp_wrench reaction = dp_wrench_shift(
        d->sensed.reaction[b], dp_v3_sub(d->kin.link[b].X.p, X.p)); // about the site
    dp_v3 value = {0.0, 0.0, 0.0};
    switch (sensor->kind) {
    case DP_SENSOR_ACCELEROMETER:
        value = dp_acceleration_at(d, b, X.p).v;
        break;
    case DP_SENSOR_VELOCIMETER:
        value = dp_velocity_at(d, b, X.p).v;
        break;
    case DP_SENSOR_GYRO:
        value = dp_velocity_at(d, b, X.p).w;
        break;
    case DP_SENSOR_FORCE:
        value = reaction.f;
        break;
    case DP_SENSOR_TORQUE:
        value = reaction.t;
        break;
    case DP_SENSOR_MAGNETOMETER:
        value = d->options.magnetic;
        break;
    default:
        break;
    }
    dp_v3_store(out, dp_quat_rotate_back(X.q, value));
}

static void sense_joint(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_model *m = d->model;
    const dp_joint *joint = &m->joint[sensor->object];
    switch (sensor->kind) {
    case DP_SENSOR_JOINT_POSITION:
        out[0] = d->q[joint->q_index];
        break;
    case DP_SENSOR_JOINT_VELOCITY:
        out[0] = d->v[joint->v_index];
        break;
    case DP_SENSOR_BALL_QUATERNION:
        dp_quat_store(out, dp_quat_load(d->q + joint->q_index));
        break;
    case DP_SENSOR_BALL_VELOCITY:
        dp_v3_store(out, dp_v3_load(d->v + joint->v_index));
        break;
    case DP_SENSOR_JOINT_ACTUATOR_FORCE:
        out[0] = d->forces.actuation[joint->v_index];
        break;
    default:
        break;
    }
}

// Frames, in the world or relative to a reference frame that moves itself.
static void sense_frame(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_model *m = d->model;
    const int b = dp_object_body(m, sensor->object_kind, sensor->object);
    const dp_pose X = dp_object_pose(d, sensor->object_kind, sensor->object);
    dp_pose X_ref = DP_IDENTITY_POSE;
    dp_twist V_ref = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}; // of the reference at the frame's position
    if (sensor->reference_kind != DP_OBJECT_NONE) {
        X_ref = dp_object_pose(d, sensor->reference_kind, sensor->reference);
        V_ref =
            dp_velocity_at(d, dp_object_body(m, sensor->reference_kind, sensor->reference), X.p);
    }
    const dp_pose X_rel = dp_pose_mul(dp_pose_inverse(X_ref), X);
    const dp_m3 R = dp_m3_from_quat(X_rel.q);
    switch (sensor->kind) {
    case DP_SENSOR_FRAME_POSITION:
        dp_v3_store(out, X_rel.p);
        break;
    case DP_SENSOR_FRAME_QUATERNION:
        dp_quat_store(out, X_rel.q);
        break;
    case DP_SENSOR_FRAME_X_AXIS:
        dp_v3_store(out, dp_m3_column(&R, 0));
        break;
    case DP_SENSOR_FRAME_Y_AXIS:
        dp_v3_store(out, dp_m3_column(&R, 1));
        break;
    case DP_SENSOR_FRAME_Z_AXIS:
        dp_v3_store(out, dp_m3_column(&R, 2));
        break;
    case DP_SENSOR_FRAME_LINEAR_VELOCITY:
        dp_v3_store(out,
                    dp_quat_rotate_back(X_ref.q, dp_v3_sub(dp_velocity_at(d, b, X.p).v, V_ref.v)));
        break;
    case DP_SENSOR_FRAME_ANGULAR_VELOCITY:
        dp_v3_store(out,
                    dp_quat_rotate_back(X_ref.q, dp_v3_sub(dp_velocity_at(d, b, X.p).w, V_ref.w)));
        break;
    case DP_SENSOR_FRAME_LINEAR_ACCELERATION:
        dp_v3_store(out, dp_acceleration_at(d, b, X.p).v);
        break;
    case DP_SENSOR_FRAME_ANGULAR_ACCELERATION:
        dp_v3_store(out, dp_acceleration_at(d, b, X.p).w);
        break;
    default:
        break;
    }
}

static void sense_subtree(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_momentum p = dp_body_momentum(d, (dp_body_id){sensor->object});
    switch (sensor->kind) {
    case DP_SENSOR_SUBTREE_COM:
        dp_v3_store(out, p.com);
        break;
    case DP_SENSOR_SUBTREE_LINEAR_VELOCITY:
        dp_v3_store(out, p.mass > 0.0 ? dp_v3_scale(p.linear, 1.0 / p.mass) : p.linear);
        break;
    case DP_SENSOR_SUBTREE_ANGULAR_MOMENTUM:
        dp_v3_store(out, p.angular);
        break;
    default:
        break;
    }
}

static void sense_tendon(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_model *m = d->model;
    const int tendon = sensor->object;
    switch (sensor->kind) {
    case DP_SENSOR_TENDON_POSITION:
        out[0] = d->tendon.length[tendon];
        break;
    case DP_SENSOR_TENDON_VELOCITY:
        out[0] = dp_tendon_rate(&d->tendon, tendon, d->v);
        break;
    case DP_SENSOR_TENDON_ACTUATOR_FORCE: // before the gear
        out[0] = 0.0;
        for (int u = 0; u < m->size.nu; ++u) {
            out[0] += m->actuator[u].tendon == tendon ? d->forces.actuator[u] : 0.0;
        }
        break;
    default:
        break;
    }
}

// What has a range: its coordinate (a ball: the angle), length and rate now.
typedef struct ranged {
    dp_row_source source;
    const double *range;
    double x, rate;
    int first; // end: a ball has no lower one
} ranged;

static ranged ranged_of(const dp_data *d, const dp_sensor *sensor)
{
    const dp_model *m = d->model;
    const int i = sensor->object;
    if (sensor->object_kind == DP_OBJECT_TENDON) {
        return (ranged){DP_ROWS_TENDON_LIMIT, m->tendon[i].range, d->tendon.length[i],
                        dp_tendon_rate(&d->tendon, i, d->v), 0};
    }
    const dp_joint *joint = &m->joint[i];
    if (joint->kind != DP_BALL) {
        return (ranged){DP_ROWS_JOINT_LIMIT, joint->range, d->q[joint->q_index],
                        d->v[joint->v_index], 0};
    }
    const dp_v3 turn = dp_turn_vector(dp_turn_short(dp_quat_load(d->q + joint->q_index)));
    const double angle = dp_v3_norm(turn);
    const double rate = dp_v3_dot(turn, dp_v3_load(d->v + joint->v_index));
    return (ranged){DP_ROWS_JOINT_LIMIT, joint->range, angle, angle > 0.0 ? rate / angle : 0.0, 1};
}

typedef struct limit {
    double gap, rate, force;
} limit;

// The end that is passed or pushes, the lower one first as in MuJoCo; zeros: none.
static limit limit_of(const dp_data *d, const dp_sensor *sensor)
{
    const ranged of = ranged_of(d, sensor);
    for (int end = of.first; end < 2 && !d->options.disable_limits; ++end) {
        const int row = dp_data_find_row(d, of.source, sensor->object, end);
        const double sign = end == 0 ? 1.0 : -1.0;
        const limit found = {sign * (of.x - of.range[end]), sign * of.rate,
                             dp_data_row(d, row).force};
        if (found.gap < 0.0 || found.force > 0.0) {
            return found;
        }
    }
    return (limit){0.0, 0.0, 0.0};
}

static void sense_limit(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const limit l = limit_of(d, sensor);
    switch (sensor->kind) {
    case DP_SENSOR_JOINT_LIMIT_POSITION:
    case DP_SENSOR_TENDON_LIMIT_POSITION:
        out[0] = l.gap;
        break;
    case DP_SENSOR_JOINT_LIMIT_VELOCITY:
    case DP_SENSOR_TENDON_LIMIT_VELOCITY:
        out[0] = l.rate;
        break;
    default:
        out[0] = l.force;
        break;
    }
}

static void sense_actuator(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_drive *drive = &d->forces.drive[sensor->object];
    out[0] = sensor->kind == DP_SENSOR_ACTUATOR_POSITION   ? drive->length
             : sensor->kind == DP_SENSOR_ACTUATOR_VELOCITY ? drive->rate
                                                           : d->forces.actuator[sensor->object];
}

static void sense_world(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_energy e = dp_data_energy(d);
    out[0] = sensor->kind == DP_SENSOR_CLOCK              ? d->time
             : sensor->kind == DP_SENSOR_POTENTIAL_ENERGY ? e.gravity + e.spring
                                                          : e.kinetic;
}

// What finds the value of each kind; all but touch, which may fail.
static void (*const SENSE[DP_SENSOR_KINDS])(double *, const dp_data *, const dp_sensor *) = {
    [DP_SENSOR_ACCELEROMETER] = sense_site,
    [DP_SENSOR_VELOCIMETER] = sense_site,
    [DP_SENSOR_GYRO] = sense_site,
    [DP_SENSOR_FORCE] = sense_site,
    [DP_SENSOR_TORQUE] = sense_site,
    [DP_SENSOR_MAGNETOMETER] = sense_site,
    [DP_SENSOR_JOINT_POSITION] = sense_joint,
    [DP_SENSOR_JOINT_VELOCITY] = sense_joint,
    [DP_SENSOR_BALL_QUATERNION] = sense_joint,
    [DP_SENSOR_BALL_VELOCITY] = sense_joint,
    [DP_SENSOR_JOINT_ACTUATOR_FORCE] = sense_joint,
    [DP_SENSOR_ACTUATOR_POSITION] = sense_actuator,
    [DP_SENSOR_ACTUATOR_VELOCITY] = sense_actuator,
    [DP_SENSOR_ACTUATOR_FORCE] = sense_actuator,
    [DP_SENSOR_FRAME_POSITION] = sense_frame,
    [DP_SENSOR_FRAME_QUATERNION] = sense_frame,
    [DP_SENSOR_FRAME_X_AXIS] = sense_frame,
    [DP_SENSOR_FRAME_Y_AXIS] = sense_frame,
    [DP_SENSOR_FRAME_Z_AXIS] = sense_frame,
    [DP_SENSOR_FRAME_LINEAR_VELOCITY] = sense_frame,
    [DP_SENSOR_FRAME_ANGULAR_VELOCITY] = sense_frame,
    [DP_SENSOR_FRAME_LINEAR_ACCELERATION] = sense_frame,
    [DP_SENSOR_FRAME_ANGULAR_ACCELERATION] = sense_frame,
    [DP_SENSOR_SUBTREE_COM] = sense_subtree,
    [DP_SENSOR_SUBTREE_LINEAR_VELOCITY] = sense_subtree,
    [DP_SENSOR_SUBTREE_ANGULAR_MOMENTUM] = sense_subtree,
    [DP_SENSOR_TENDON_POSITION] = sense_tendon,
    [DP_SENSOR_TENDON_VELOCITY] = sense_tendon,
    [DP_SENSOR_TENDON_ACTUATOR_FORCE] = sense_tendon,
    [DP_SENSOR_JOINT_LIMIT_POSITION] = sense_limit,
    [DP_SENSOR_JOINT_LIMIT_VELOCITY] = sense_limit,
    [DP_SENSOR_JOINT_LIMIT_FORCE] = sense_limit,
    [DP_SENSOR_TENDON_LIMIT_POSITION] = sense_limit,
    [DP_SENSOR_TENDON_LIMIT_VELOCITY] = sense_limit,
    [DP_SENSOR_TENDON_LIMIT_FORCE] = sense_limit,
    [DP_SENSOR_CLOCK] = sense_world,
    [DP_SENSOR_POTENTIAL_ENERGY] = sense_world,
    [DP_SENSOR_KINETIC_ENERGY] = sense_world,
};

static dp_status sense(double *out, const dp_data *d, const dp_sensor *sensor)
{
    if (sensor->kind == DP_SENSOR_TOUCH) {
        const dp_site *site = &d->model->site[sensor->object];
        return dp_contact_touch(out, d, (dp_body_id){site->body}, &site->shape,
                                dp_object_pose(d, DP_OBJECT_SITE, sensor->object));
    }
    SENSE[sensor->kind](out, d, sensor);
    return DP_OK;
}

// Directions and quaternions have no cutoff.
static bool has_cutoff(const dp_sensor *sensor)
{
    switch (sensor->kind) {
    case DP_SENSOR_BALL_QUATERNION:
    case DP_SENSOR_FRAME_QUATERNION:
    case DP_SENSOR_FRAME_X_AXIS:
    case DP_SENSOR_FRAME_Y_AXIS:
    case DP_SENSOR_FRAME_Z_AXIS:
        return false;
    default:
        return sensor->cutoff > 0.0;
    }
}

dp_status dp_sense(const dp_model *m, dp_data *d)
{
    DP_TRY(dp_forward(m, d));
    for (int i = 0; i < m->size.nsensor; ++i) {
        const dp_sensor *sensor = &m->sensor[i];
        double *out = d->sensed.sensor + sensor->data_index;
        DP_TRY(sense(out, d, sensor));
        for (int k = 0; has_cutoff(sensor) && k < sensor->ndata; ++k) {
            const double c = sensor->cutoff;
            out[k] = out[k] > c ? c : out[k] < -c ? -c : out[k];
        }
    }
    return DP_OK;
}
