// What sensors read, against closed forms.
#include "mechanism.h"
#include "random_spec.h"

#include "math/angle.h"
#include "math/v3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const dp_v3 ZERO = {0.0, 0.0, 0.0};
static const double G = 9.81;
static const double PI = 3.14159265358979323846;
static const double ROUND_OFF = 1e-12; // of numbers up to some hundred

static void assert_reads(mechanism *x, const char *sensor, dp_v3 expected)
{
    const double *got = mechanism_sense(x, sensor);
    assert_near(got[0], expected.x, ROUND_OFF);
    assert_near(got[1], expected.y, ROUND_OFF);
    assert_near(got[2], expected.z, ROUND_OFF);
}

// A body with a site that is turned by a third of a turn about (1, 1, 1): its x, y, z axes are the
// body's y, z, x.
static const dp_quat CYCLE = {0.5, 0.5, 0.5, 0.5};

// A vector of the body, in site axes.
static dp_v3 in_site(dp_v3 a)
{
    return (dp_v3){a.y, a.z, a.x};
}

static void add_imu(mechanism *x, dp_body_id body, dp_v3 at)
{
    mechanism_site(x, body, "imu", (dp_pose){CYCLE, at});
    mechanism_sensor(x, "accelerometer", DP_SENSOR_ACCELEROMETER, DP_OBJECT_SITE, "imu");
    mechanism_sensor(x, "gyro", DP_SENSOR_GYRO, DP_OBJECT_SITE, "imu");
    mechanism_sensor(x, "velocimeter", DP_SENSOR_VELOCIMETER, DP_OBJECT_SITE, "imu");
    mechanism_sensor(x, "magnetometer", DP_SENSOR_MAGNETOMETER, DP_OBJECT_SITE, "imu");
    mechanism_sensor(x, "force", DP_SENSOR_FORCE, DP_OBJECT_SITE, "imu");
    mechanism_sensor(x, "torque", DP_SENSOR_TORQUE, DP_OBJECT_SITE, "imu");
}

static void an_accelerometer_at_rest_reads_the_lift_against_gravity(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id post =
        mechanism_body(&x, DP_WORLD, "post", ZERO, 1.0, ZERO, (dp_v3){1.0, 1.0, 1.0});
    add_imu(&x, post, (dp_v3){0.3, 0.2, 0.1});
    mechanism_compile(&x);
    assert_reads(&x, "accelerometer", in_site((dp_v3){0.0, 0.0, G}));
    assert_reads(&x, "gyro", ZERO);
    assert_reads(&x, "velocimeter", ZERO);
    assert_reads(&x, "magnetometer", in_site((dp_v3){0.0, -0.5, 0.0}));
    mechanism_end(&x);
}

static void an_accelerometer_in_free_fall_reads_nothing(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", ZERO, 1.0, ZERO, (dp_v3){1.0, 2.0, 2.5});
    mechanism_joint(&x, b, "free", DP_JOINT_FREE, ZERO);
    add_imu(&x, b, ZERO); // in the centre of mass
    mechanism_compile(&x);
    random_source r = {5};
    random_state(x.d, &r, 5.0); // also while it tumbles
    assert_reads(&x, "accelerometer", ZERO);
    assert_reads(&x, "force", ZERO);
    assert_reads(&x, "torque", ZERO);
    mechanism_end(&x);
}

// A turntable about z at rate ω with angular acceleration α, the sensor at (r, 0, 0).
static void an_accelerometer_on_a_turntable_reads_centripetal_and_tangential(void **state)
{
    (void)state;
    const double omega = 7.0, r = 0.4, torque = 3.0, moment = 1.5;
    mechanism x = mechanism_begin();
    const dp_body_id table =
        mechanism_body(&x, DP_WORLD, "table", ZERO, 2.0, ZERO, (dp_v3){1.0, 1.0, moment});
    mechanism_joint(&x, table, "axis", DP_JOINT_HINGE, (dp_v3){0.0, 0.0, 1.0});
    add_imu(&x, table, (dp_v3){r, 0.0, 0.0});
    mechanism_compile(&x);
    const double q = 1.1;
    mechanism_set(&x, &q, &omega);
    dp_data_force(x.d)[0] = torque;
    assert_reads(&x, "accelerometer", in_site((dp_v3){-omega * omega * r, torque / moment * r, G}));
    assert_reads(&x, "gyro", in_site((dp_v3){0.0, 0.0, omega}));
    assert_reads(&x, "velocimeter", in_site((dp_v3){0.0, omega * r, 0.0}));
    const double s = sin(q), c = cos(q); // a field along −y seen from the table
    assert_reads(&x, "magnetometer", in_site((dp_v3){-0.5 * s, -0.5 * c, 0.0}));
    mechanism_end(&x);
}

// What a clamped part is held with: force and moment of the parent on the body, about the site.
static void a_force_sensor_reads_what_holds_the_body(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id arm =
        mechanism_body(&x, DP_WORLD, "arm", ZERO, 2.0, ZERO, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, arm, "axis", DP_JOINT_HINGE, (dp_v3){0.0, 0.0, 1.0});
    // A tool welded to the arm: mass 0.5 kg at (0.3, 0, 0) from its own origin.
    const dp_body_id tool = mechanism_body(&x, arm, "tool", (dp_v3){1.0, 0.0, 0.0}, 0.5,
                                           (dp_v3){0.3, 0.0, 0.0}, (dp_v3){0.01, 0.01, 0.01});
    add_imu(&x, tool, (dp_v3){0.1, 0.0, 0.0});
    mechanism_compile(&x);
    // At rest: its weight upwards; r × F with r = 0.2 m from site to centre of mass.
    assert_reads(&x, "force", in_site((dp_v3){0.0, 0.0, 0.5 * G}));
    assert_reads(&x, "torque", in_site((dp_v3){0.0, -0.2 * 0.5 * G, 0.0}));
    // Turning: also towards the axis, 1.3 m away.
    const double q = 0.0, omega = 3.0;
    mechanism_set(&x, &q, &omega);
    assert_reads(&x, "force", in_site((dp_v3){-0.5 * 1.3 * omega * omega, 0.0, 0.5 * G}));
    // A load that pulls down at the tool's centre of mass.
    const double rest = 0.0;
    mechanism_set(&x, &q, &rest);
    dp_data_wrench(x.d, tool)->f.z = -4.0;
    assert_reads(&x, "force", in_site((dp_v3){0.0, 0.0, 0.5 * G + 4.0}));
    assert_reads(&x, "torque", in_site((dp_v3){0.0, -0.2 * (0.5 * G + 4.0), 0.0}));
    mechanism_end(&x);
}

static void frame_sensor(mechanism *x, const char *name, dp_sensor_kind kind, dp_object_kind of,
                         const char *object, dp_object_kind to, const char *reference)
{
    dp_sensor_spec sensor = dp_sensor_spec_default();
    sensor.name = name;
    sensor.kind = kind;
    sensor.object_kind = of;
    sensor.object = object;
    sensor.reference_kind = to;
    sensor.reference = reference;
    assert_ok(dp_spec_add_sensor(NULL, x->spec, &sensor));
}

// A post at rest seen from a turntable: it seems to turn the other way round.
static void a_rotating_reference_sees_the_world_turn_backwards(void **state)
{
    (void)state;
    const double omega = 2.0, q = PI / 2.0;
    mechanism x = mechanism_begin();
    const dp_body_id table = mechanism_body(&x, DP_WORLD, "table", (dp_v3){1.0, 0.0, 0.0}, 1.0,
                                            ZERO, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, table, "axis", DP_JOINT_HINGE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_site(&x, table, "eye", (dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.5}});
    const dp_body_id post = mechanism_body(&x, DP_WORLD, "post", (dp_v3){1.0, 3.0, 0.0}, 1.0, ZERO,
                                           (dp_v3){1.0, 1.0, 1.0});
    mechanism_site(&x, post, "top", (dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}});
    const dp_object_kind S = DP_OBJECT_SITE;
    frame_sensor(&x, "p", DP_SENSOR_FRAME_POSITION, S, "top", S, "eye");
    frame_sensor(&x, "v", DP_SENSOR_FRAME_LINEAR_VELOCITY, S, "top", S, "eye");
    frame_sensor(&x, "w", DP_SENSOR_FRAME_ANGULAR_VELOCITY, S, "top", S, "eye");
    frame_sensor(&x, "x", DP_SENSOR_FRAME_X_AXIS, S, "top", S, "eye");
    frame_sensor(&x, "q", DP_SENSOR_FRAME_QUATERNION, S, "top", S, "eye");
    frame_sensor(&x, "back", DP_SENSOR_FRAME_LINEAR_VELOCITY, S, "eye", S, "top");
    mechanism_compile(&x);
    mechanism_set(&x, &q, &omega);
    // From the eye the post is 3 m away along the world's y, which is the table's x now.
    assert_reads(&x, "p", (dp_v3){3.0, 0.0, 0.5});
    assert_reads(&x, "v", (dp_v3){0.0, -omega * 3.0, 0.0});
    assert_reads(&x, "w", (dp_v3){0.0, 0.0, -omega});
    assert_reads(&x, "x", (dp_v3){0.0, -1.0, 0.0});
    const double *turn = mechanism_sense(&x, "q");
    assert_near(turn[0], sqrt(0.5), ROUND_OFF);
    assert_near(turn[3], -sqrt(0.5), ROUND_OFF);
    assert_reads(&x, "back", ZERO); // the eye is on the axis
    mechanism_end(&x);
}

static void relative_velocity_is_the_derivative_of_relative_position(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        random_spec_options o = {.seed = seed, .max_bodies = 6, .regular = true};
        mechanism x = {random_spec(&o), NULL, NULL};
        char last[16];
        snprintf(last, sizeof last, "s%d", dp_spec_body_count(x.spec) - 1);
        frame_sensor(&x, "p", DP_SENSOR_FRAME_POSITION, DP_OBJECT_SITE, last, DP_OBJECT_INERTIAL,
                     "b1");
        frame_sensor(&x, "v", DP_SENSOR_FRAME_LINEAR_VELOCITY, DP_OBJECT_SITE, last,
                     DP_OBJECT_INERTIAL, "b1");
        frame_sensor(&x, "z", DP_SENSOR_FRAME_Z_AXIS, DP_OBJECT_SITE, last, DP_OBJECT_INERTIAL,
                     "b1");
        frame_sensor(&x, "w", DP_SENSOR_FRAME_ANGULAR_VELOCITY, DP_OBJECT_SITE, last,
                     DP_OBJECT_INERTIAL, "b1");
        mechanism_compile(&x);
        random_source r = {seed};
        random_state(x.d, &r, 1.0);
        const dp_v3 v = dp_v3_load(mechanism_sense(&x, "v")),
                    w = dp_v3_load(mechanism_sense(&x, "w"));
        const dp_v3 z = dp_v3_load(mechanism_sense(&x, "z"));
        dp_options *options = dp_data_options(x.d);
        options->integrator = DP_INTEGRATOR_RK4;
        options->step = 1e-5;
        dp_v3 p[2], axis[2];
        char start[4096];
        assert_ok(dp_state_save(start, sizeof start, x.d));
        for (int side = 0; side < 2; ++side) { // once forwards, once with time reversed
            assert_ok(dp_state_restore(x.d, start, dp_state_bytes(x.d)));
            for (int k = 0; side && k < dp_model_sizes(x.m)->nv; ++k) {
                dp_data_v(x.d)[k] *= -1.0;
            }
            mechanism_steps(&x, 1);
            p[side] = dp_v3_load(mechanism_sense(&x, "p"));
            axis[side] = dp_v3_load(mechanism_sense(&x, "z"));
        }
        const dp_v3 rate = dp_v3_scale(dp_v3_sub(p[0], p[1]), 1.0 / 2e-5);
        const dp_v3 turning = dp_v3_scale(dp_v3_sub(axis[0], axis[1]), 1.0 / 2e-5);
        assert_near(dp_v3_norm(dp_v3_sub(rate, v)), 0.0, 1e-7); // accelerations up to 1e3 m/s²
        assert_near(dp_v3_norm(dp_v3_sub(turning, dp_v3_cross(w, z))), 0.0, 1e-7);
        mechanism_end(&x);
    }
}

static void frame_accelerations_include_the_lift_against_gravity(void **state)
{
    (void)state;
    const double omega = 4.0, r = 0.5;
    mechanism x = mechanism_begin();
    const dp_body_id table =
        mechanism_body(&x, DP_WORLD, "table", ZERO, 1.0, ZERO, (dp_v3){1.0, 1.0, 2.0});
    mechanism_joint(&x, table, "axis", DP_JOINT_HINGE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_site(&x, table, "rim", (dp_pose){CYCLE, {r, 0.0, 0.0}});
    mechanism_sensor(&x, "a", DP_SENSOR_FRAME_LINEAR_ACCELERATION, DP_OBJECT_SITE, "rim");
    mechanism_sensor(&x, "alpha", DP_SENSOR_FRAME_ANGULAR_ACCELERATION, DP_OBJECT_SITE, "rim");
    mechanism_sensor(&x, "p", DP_SENSOR_FRAME_POSITION, DP_OBJECT_SITE, "rim");
    mechanism_sensor(&x, "y", DP_SENSOR_FRAME_Y_AXIS, DP_OBJECT_SITE, "rim");
    mechanism_compile(&x);
    const double q = PI / 2.0;
    mechanism_set(&x, &q, &omega);
    dp_data_force(x.d)[0] = 5.0;                                     // α = 2.5 rad/s²
    assert_reads(&x, "a", (dp_v3){-2.5 * r, -omega * omega * r, G}); // world axes
    assert_reads(&x, "alpha", (dp_v3){0.0, 0.0, 2.5});
    assert_reads(&x, "p", (dp_v3){0.0, r, 0.0});
    assert_reads(&x, "y", (dp_v3){0.0, 0.0, 1.0}); // the site's y is the body's z
    mechanism_end(&x);
}

// Two equal masses on a massless-looking bar of half length r that turns freely about its middle.
static void subtree_sensors_add_up_the_parts(void **state)
{
    (void)state;
    const double omega = 3.0, r = 0.7;
    mechanism x = mechanism_begin();
    const dp_v3 tiny = {1e-6, 1e-6, 1e-6};
    const dp_body_id bar = mechanism_body(&x, DP_WORLD, "bar", ZERO, 1e-6, ZERO, tiny);
    mechanism_joint(&x, bar, "free", DP_JOINT_FREE, ZERO);
    mechanism_body(&x, bar, "left", (dp_v3){-r, 0.0, 0.0}, 2.0, ZERO, tiny);
    mechanism_body(&x, bar, "right", (dp_v3){r, 0.0, 0.0}, 2.0, ZERO, tiny);
    mechanism_sensor(&x, "com", DP_SENSOR_SUBTREE_COM, DP_OBJECT_BODY, "bar");
    mechanism_sensor(&x, "velocity", DP_SENSOR_SUBTREE_LINEAR_VELOCITY, DP_OBJECT_BODY, "bar");
    mechanism_sensor(&x, "momentum", DP_SENSOR_SUBTREE_ANGULAR_MOMENTUM, DP_OBJECT_BODY, "bar");
    mechanism_sensor(&x, "part", DP_SENSOR_SUBTREE_LINEAR_VELOCITY, DP_OBJECT_BODY, "right");
    mechanism_sensor(&x, "kinetic", DP_SENSOR_KINETIC_ENERGY, DP_OBJECT_NONE, NULL);
    mechanism_sensor(&x, "potential", DP_SENSOR_POTENTIAL_ENERGY, DP_OBJECT_NONE, NULL);
    mechanism_sensor(&x, "clock", DP_SENSOR_CLOCK, DP_OBJECT_NONE, NULL);
    mechanism_compile(&x);
    const double q[7] = {1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0},
                 v[6] = {0.5, 0.0, -0.25, 0.0, 0.0, omega};
    mechanism_set(&x, q, v);
    dp_data_set_time(x.d, 12.5);
    const double moment = 2.0 * 2.0 * r * r + 3e-6, mass = 4.0 + 1e-6;
    assert_reads(&x, "com", (dp_v3){1.0, 2.0, 3.0});
    assert_reads(&x, "velocity", (dp_v3){0.5, 0.0, -0.25});
    assert_reads(&x, "momentum", (dp_v3){0.0, 0.0, moment * omega});
    assert_reads(&x, "part", (dp_v3){0.5, omega * r, -0.25});
    assert_near(*mechanism_sense(&x, "kinetic"),
                0.5 * (moment * omega * omega + mass * (0.25 + 0.0625)), ROUND_OFF);
    assert_near(*mechanism_sense(&x, "potential"), mass * G * 3.0, 100.0 * ROUND_OFF);
    assert_near(*mechanism_sense(&x, "clock"), 12.5, 0.0);
    mechanism_end(&x);
}

static void joint_and_actuator_sensors_read_what_they_are_on(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id a = mechanism_body(&x, DP_WORLD, "a", ZERO, 1.0, ZERO, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, a, "hinge", DP_JOINT_HINGE, (dp_v3){0.0, 0.0, 1.0});
    const dp_body_id b = mechanism_body(&x, a, "b", ZERO, 1.0, ZERO, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, b, "ball", DP_JOINT_BALL, ZERO);
    for (int i = 0; i < 2; ++i) { // two motors on one hinge
        dp_actuator_spec motor = dp_actuator_spec_default();
        motor.name = i ? "second" : "first";
        motor.joint = "hinge";
        motor.gear[0] = i ? -3.0 : 2.0;
        assert_ok(dp_spec_add_actuator(NULL, x.spec, &motor));
    }
    mechanism_sensor(&x, "position", DP_SENSOR_JOINT_POSITION, DP_OBJECT_JOINT, "hinge");
    mechanism_sensor(&x, "velocity", DP_SENSOR_JOINT_VELOCITY, DP_OBJECT_JOINT, "hinge");
    mechanism_sensor(&x, "quaternion", DP_SENSOR_BALL_QUATERNION, DP_OBJECT_JOINT, "ball");
    mechanism_sensor(&x, "spin", DP_SENSOR_BALL_VELOCITY, DP_OBJECT_JOINT, "ball");
    mechanism_sensor(&x, "length", DP_SENSOR_ACTUATOR_POSITION, DP_OBJECT_ACTUATOR, "second");
    mechanism_sensor(&x, "rate", DP_SENSOR_ACTUATOR_VELOCITY, DP_OBJECT_ACTUATOR, "second");
    mechanism_sensor(&x, "force", DP_SENSOR_ACTUATOR_FORCE, DP_OBJECT_ACTUATOR, "second");
    mechanism_sensor(&x, "sum", DP_SENSOR_JOINT_ACTUATOR_FORCE, DP_OBJECT_JOINT, "hinge");
    mechanism_compile(&x);
    const double q[5] = {0.7, 0.6, 0.0, 0.8, 0.0}, v[4] = {-1.5, 1.0, 2.0, 3.0};
    mechanism_set(&x, q, v);
    dp_data_control(x.d)[0] = 5.0;
    dp_data_control(x.d)[1] = 0.5;
    assert_near(*mechanism_sense(&x, "position"), 0.7, 0.0);
    assert_near(*mechanism_sense(&x, "velocity"), -1.5, 0.0);
    assert_memory_equal(mechanism_sense(&x, "quaternion"), q + 1, 4 * sizeof *q);
    assert_reads(&x, "spin", (dp_v3){1.0, 2.0, 3.0});
    assert_near(*mechanism_sense(&x, "length"), -3.0 * 0.7, ROUND_OFF);
    assert_near(*mechanism_sense(&x, "rate"), 3.0 * 1.5, ROUND_OFF);
    assert_near(*mechanism_sense(&x, "force"), 0.5, 0.0);
    assert_near(*mechanism_sense(&x, "sum"), 2.0 * 5.0 - 3.0 * 0.5, ROUND_OFF);
    mechanism_end(&x);
}

static void a_cutoff_clamps_numbers_but_no_directions(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id post =
        mechanism_body(&x, DP_WORLD, "post", ZERO, 1.0, ZERO, (dp_v3){1.0, 1.0, 1.0});
    mechanism_site(&x, post, "imu", DP_IDENTITY_POSE);
    const dp_sensor_kind kinds[] = {DP_SENSOR_ACCELEROMETER, DP_SENSOR_FRAME_Z_AXIS};
    for (int i = 0; i < 2; ++i) {
        dp_sensor_spec sensor = dp_sensor_spec_default();
        sensor.name = i ? "axis" : "accelerometer";
        sensor.kind = kinds[i];
        sensor.object_kind = DP_OBJECT_SITE;
        sensor.object = "imu";
        sensor.cutoff = 0.5;
        assert_ok(dp_spec_add_sensor(NULL, x.spec, &sensor));
    }
    mechanism_compile(&x);
    assert_reads(&x, "accelerometer", (dp_v3){0.0, 0.0, 0.5});
    assert_reads(&x, "axis", (dp_v3){0.0, 0.0, 1.0});
    dp_data_options(x.d)->gravity.z = G; // upwards
    assert_reads(&x, "accelerometer", (dp_v3){0.0, 0.0, -0.5});
    mechanism_end(&x);
}

static void add_tendon_motor(mechanism *x, const char *name, double gear)
{
    dp_actuator_spec motor = dp_actuator_spec_default();
    motor.name = name;
    motor.transmission = DP_TRANSMISSION_TENDON;
    motor.tendon = "rope";
    motor.gear[0] = gear;
    assert_ok(dp_spec_add_actuator(NULL, x->spec, &motor));
}

static void tendon_sensors_read_length_rate_and_the_forces_of_actuators(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id body =
        mechanism_body(&x, DP_WORLD, "body", ZERO, 1.0, ZERO, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, body, "slide", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
    mechanism_site(&x, body, "end", DP_IDENTITY_POSE);
    mechanism_site(&x, DP_WORLD, "hook", (dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.8, 0.0}});
    const dp_wrap_spec path[] = {
        {.kind = DP_WRAP_SITE, .object = "hook"},
        {.kind = DP_WRAP_SITE, .object = "end"},
    };
    dp_tendon_spec rope = dp_tendon_spec_default();
    rope.name = "rope";
    rope.spatial = true;
    rope.wrap = path;
    rope.nwrap = 2;
    assert_ok(dp_spec_add_tendon(NULL, x.spec, &rope));
    add_tendon_motor(&x, "weak", 2.0);
    add_tendon_motor(&x, "strong", 5.0);
    mechanism_sensor(&x, "length", DP_SENSOR_TENDON_POSITION, DP_OBJECT_TENDON, "rope");
    mechanism_sensor(&x, "rate", DP_SENSOR_TENDON_VELOCITY, DP_OBJECT_TENDON, "rope");
    mechanism_sensor(&x, "force", DP_SENSOR_TENDON_ACTUATOR_FORCE, DP_OBJECT_TENDON, "rope");
    mechanism_compile(&x);
    dp_data_q(x.d)[0] = 0.6; // 3, 4, 5
    dp_data_v(x.d)[0] = -2.0;
    dp_data_control(x.d)[0] = 1.0;
    dp_data_control(x.d)[1] = 10.0;
    assert_near(mechanism_sense(&x, "length")[0], 1.0, ROUND_OFF);
    assert_near(mechanism_sense(&x, "rate")[0], -1.2, ROUND_OFF);
    assert_near(mechanism_sense(&x, "force")[0], 11.0, ROUND_OFF); // before the gear, as in MuJoCo
    assert_near(dp_data_actuation(x.d)[0], (2.0 + 50.0) * 0.6, ROUND_OFF);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accelerometer_at_rest_reads_the_lift_against_gravity),
        cmocka_unit_test(an_accelerometer_in_free_fall_reads_nothing),
        cmocka_unit_test(an_accelerometer_on_a_turntable_reads_centripetal_and_tangential),
        cmocka_unit_test(a_force_sensor_reads_what_holds_the_body),
        cmocka_unit_test(a_rotating_reference_sees_the_world_turn_backwards),
        cmocka_unit_test(relative_velocity_is_the_derivative_of_relative_position),
        cmocka_unit_test(frame_accelerations_include_the_lift_against_gravity),
        cmocka_unit_test(subtree_sensors_add_up_the_parts),
        cmocka_unit_test(joint_and_actuator_sensors_read_what_they_are_on),
        cmocka_unit_test(tendon_sensors_read_length_rate_and_the_forces_of_actuators),
        cmocka_unit_test(a_cutoff_clamps_numbers_but_no_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
