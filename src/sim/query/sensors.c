#include "sim/query/sense.h"

#include "assemble/turn.h"

// In the axes of the world.
static dp_v3 value_at(const dp_data *d, dp_sensor_kind kind, int b, dp_v3 p)
{
    const dp_wrench reaction =
        dp_wrench_shift(d->sensed.reaction[b], dp_v3_sub(d->kin.link[b].X.p, p)); // about the site
    switch (kind) {
    case DP_SENSOR_ACCELEROMETER:
        return dp_acceleration_at(d, b, p).v;
    case DP_SENSOR_VELOCIMETER:
        return dp_velocity_at(d, b, p).v;
    case DP_SENSOR_GYRO:
        return dp_velocity_at(d, b, p).w;
    case DP_SENSOR_FORCE:
        return reaction.f;
    case DP_SENSOR_TORQUE:
        return reaction.t;
    default:
        return d->options.magnetic;
    }
}

static void sense_site(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_pose X = dp_object_pose(d, DP_OBJECT_SITE, sensor->object);
    const dp_v3 value = value_at(d, sensor->kind, d->model->site[sensor->object].body, X.p);
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

// A frame: in the world, or seen from a reference frame that moves itself.
typedef struct frame {
    int body;
    dp_pose X, X_ref, X_rel;
    dp_twist V, V_ref; // at the place of the frame
} frame;

static frame frame_of(const dp_data *d, const dp_sensor *sensor)
{
    const dp_model *m = d->model;
    frame f = {.body = dp_object_body(m, sensor->object_kind, sensor->object),
               .X = dp_object_pose(d, sensor->object_kind, sensor->object),
               .X_ref = DP_IDENTITY_POSE};
    f.V = dp_velocity_at(d, f.body, f.X.p);
    if (sensor->reference_kind != DP_OBJECT_NONE) {
        const int reference = dp_object_body(m, sensor->reference_kind, sensor->reference);
        f.X_ref = dp_object_pose(d, sensor->reference_kind, sensor->reference);
        f.V_ref = dp_velocity_at(d, reference, f.X.p);
    }
    f.X_rel = dp_pose_mul(dp_pose_inverse(f.X_ref), f.X);
    return f;
}

static dp_v3 value_of_frame(const dp_data *d, dp_sensor_kind kind, const frame *f)
{
    const dp_m3 R = dp_m3_from_quat(f->X_rel.q);
    switch (kind) {
    case DP_SENSOR_FRAME_POSITION:
        return f->X_rel.p;
    case DP_SENSOR_FRAME_X_AXIS:
    case DP_SENSOR_FRAME_Y_AXIS:
    case DP_SENSOR_FRAME_Z_AXIS:
        return dp_m3_column(&R, (int)kind - (int)DP_SENSOR_FRAME_X_AXIS);
    case DP_SENSOR_FRAME_LINEAR_VELOCITY:
        return dp_quat_rotate_back(f->X_ref.q, dp_v3_sub(f->V.v, f->V_ref.v));
    case DP_SENSOR_FRAME_ANGULAR_VELOCITY:
        return dp_quat_rotate_back(f->X_ref.q, dp_v3_sub(f->V.w, f->V_ref.w));
    case DP_SENSOR_FRAME_LINEAR_ACCELERATION:
        return dp_acceleration_at(d, f->body, f->X.p).v;
    default:
        return dp_acceleration_at(d, f->body, f->X.p).w;
    }
}

static void sense_frame(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const frame f = frame_of(d, sensor);
    if (sensor->kind == DP_SENSOR_FRAME_QUATERNION) {
        dp_quat_store(out, f.X_rel.q);
    } else {
        dp_v3_store(out, value_of_frame(d, sensor->kind, &f));
    }
}

static void sense_subtree(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const dp_momentum p = dp_body_momentum(d, (dp_body_id){sensor->object});
    const dp_v3 v = p.mass > 0.0 ? dp_v3_scale(p.linear, 1.0 / p.mass) : p.linear;
    dp_v3_store(out, sensor->kind == DP_SENSOR_SUBTREE_COM               ? p.com
                     : sensor->kind == DP_SENSOR_SUBTREE_LINEAR_VELOCITY ? v
                                                                         : p.angular);
}

// Of the actuators of a tendon, before their gears.
static double actuation_of(const dp_data *d, int tendon)
{
    double sum = 0.0;
    for (int u = 0; u < d->model->size.nu; ++u) {
        sum += d->model->actuator[u].tendon == tendon ? d->forces.actuator[u] : 0.0;
    }
    return sum;
}

static void sense_tendon(double *out, const dp_data *d, const dp_sensor *sensor)
{
    const int i = sensor->object;
    out[0] = sensor->kind == DP_SENSOR_TENDON_POSITION   ? d->tendon.length[i]
             : sensor->kind == DP_SENSOR_TENDON_VELOCITY ? dp_tendon_rate(&d->tendon, i, d->v)
                                                         : actuation_of(d, i);
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
        return (ranged){DP_ROW_SOURCE_TENDON_LIMIT, m->tendon[i].range, d->tendon.length[i],
                        dp_tendon_rate(&d->tendon, i, d->v), 0};
    }
    const dp_joint *joint = &m->joint[i];
    if (joint->kind != DP_JOINT_BALL) {
        return (ranged){DP_ROW_SOURCE_JOINT_LIMIT, joint->range, d->q[joint->q_index],
                        d->v[joint->v_index], 0};
    }
    const dp_v3 turn = dp_turn_vector(dp_turn_short(dp_quat_load(d->q + joint->q_index)));
    const double angle = dp_v3_norm(turn);
    const double rate = dp_v3_dot(turn, dp_v3_load(d->v + joint->v_index));
    return (ranged){DP_ROW_SOURCE_JOINT_LIMIT, joint->range, angle,
                    angle > 0.0 ? rate / angle : 0.0, 1};
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
    const dp_sensor_kind kind = sensor->kind;
    const bool gap =
        kind == DP_SENSOR_JOINT_LIMIT_POSITION || kind == DP_SENSOR_TENDON_LIMIT_POSITION;
    const bool rate =
        kind == DP_SENSOR_JOINT_LIMIT_VELOCITY || kind == DP_SENSOR_TENDON_LIMIT_VELOCITY;
    out[0] = gap ? l.gap : rate ? l.rate : l.force;
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

// What finds the values of kinds, up to the last of each group; of touch, which may fail, nothing.
static const struct {
    dp_sensor_kind last;
    void (*sense)(double *out, const dp_data *d, const dp_sensor *sensor);
} GROUP[] = {
    {DP_SENSOR_MAGNETOMETER, sense_site},
    {DP_SENSOR_TOUCH, NULL},
    {DP_SENSOR_BALL_VELOCITY, sense_joint},
    {DP_SENSOR_ACTUATOR_FORCE, sense_actuator},
    {DP_SENSOR_JOINT_ACTUATOR_FORCE, sense_joint},
    {DP_SENSOR_FRAME_ANGULAR_ACCELERATION, sense_frame},
    {DP_SENSOR_SUBTREE_ANGULAR_MOMENTUM, sense_subtree},
    {DP_SENSOR_TENDON_ACTUATOR_FORCE, sense_tendon},
    {DP_SENSOR_TENDON_LIMIT_FORCE, sense_limit},
    {DP_SENSOR_KINETIC_ENERGY, sense_world},
};

static dp_status sense(double *out, const dp_data *d, const dp_sensor *sensor)
{
    if (sensor->kind == DP_SENSOR_TOUCH) {
        const dp_site *site = &d->model->site[sensor->object];
        return dp_contact_touch(out, d, (dp_body_id){site->body}, &site->shape,
                                dp_object_pose(d, DP_OBJECT_SITE, sensor->object));
    }
    if (sensor->kind == DP_SENSOR_CONTACT) {
        return dp_sense_contacts(out, d, sensor);
    }
    if (sensor->kind > DP_SENSOR_KINETIC_ENERGY) {
        return sensor->kind == DP_SENSOR_USER ? DP_OK : dp_sense_scene(out, d, sensor);
    }
    int group = 0;
    while (GROUP[group].last < sensor->kind) {
        ++group;
    }
    GROUP[group].sense(out, d, sensor);
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
    default: // of those behind, the cutoff is a limit of what they look for
        return sensor->cutoff > 0.0 && sensor->kind <= DP_SENSOR_KINETIC_ENERGY;
    }
}

dp_status dp_sense(dp_data *d)
{
    const dp_model *m = d->model;
    DP_TRY(dp_forward(d));
    if (m->has_rangefinders) {
        DP_TRY(dp_place_geoms(d));
    }
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
