// Channels, the recorder, and its CSV and npz files.
#include "counting_allocator.h"
#include "near.h"

#include "base/output.h"
#include "io/codec/zip.h"
#include "math/v3.h"
#include "record/pattern.h"

#include <dashpot/dashpot.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EXPECT_OK(call)                                                                            \
    do {                                                                                           \
        if ((call) != DP_OK) {                                                                     \
            fail_msg("%s: %s", #call, dp_last_error());                                            \
        }                                                                                          \
    } while (0)

// --- a mechanism with one of everything
// ------------------------------------------------------------

static dp_body_id add_body(dp_spec *spec, dp_body_id parent, const char *name, dp_v3 p)
{
    dp_body_spec body = dp_body_spec_default();
    body.name = name;
    body.pose.p = p;
    body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    body.inertial = (dp_inertial){.mass = 2.0,
                                  .frame = {{1.0, 0.0, 0.0, 0.0}, {0.1, 0.0, -0.2}},
                                  .moments = {0.03, 0.04, 0.05}};
    dp_body_id id;
    EXPECT_OK(dp_spec_add_body(&id, spec, parent, &body));
    return id;
}

static void add_joint(dp_spec *spec, dp_body_id body, dp_joint_kind kind, const char *name)
{
    dp_joint_spec joint = dp_joint_spec_default();
    joint.kind = kind;
    joint.name = name;
    joint.axis = (dp_v3){0.0, 1.0, 0.0};
    joint.damping = kind == DP_JOINT_HINGE ? 0.25 : 0.0;
    EXPECT_OK(dp_spec_add_joint(NULL, spec, body, &joint));
}

static void add_sensor(dp_spec *spec, dp_sensor_kind kind, const char *name,
                       dp_object_kind object_kind, const char *object)
{
    dp_sensor_spec sensor = dp_sensor_spec_default();
    sensor.kind = kind;
    sensor.name = name;
    sensor.object_kind = object_kind;
    sensor.object = object;
    EXPECT_OK(dp_spec_add_sensor(NULL, spec, &sensor));
}

static dp_spec *machine_spec(const dp_allocator *allocator)
{
    dp_spec *spec;
    EXPECT_OK(dp_spec_create(&spec, allocator));
    const dp_body_id arm = add_body(spec, DP_WORLD, "arm", (dp_v3){0.0, 0.0, 2.0});
    add_joint(spec, arm, DP_JOINT_HINGE, "elbow");
    const dp_body_id slider = add_body(spec, arm, "slider, \"the\" *one*", (dp_v3){0.5, 0.0, 0.0});
    add_joint(spec, slider, DP_JOINT_SLIDE, "a.b,c");
    const dp_body_id bob = add_body(spec, slider, "bob", (dp_v3){0.2, 0.1, 0.0});
    add_joint(spec, bob, DP_JOINT_BALL, NULL);
    const dp_body_id kite = add_body(spec, DP_WORLD, "kite", (dp_v3){3.0, 0.0, 1.0});
    add_joint(spec, kite, DP_JOINT_FREE, "string");

    dp_site_spec site = dp_site_spec_default();
    site.name = "tip";
    site.pose.p = (dp_v3){0.0, 0.0, 0.3};
    EXPECT_OK(dp_spec_add_site(NULL, spec, bob, &site));

    dp_actuator_spec motor = dp_actuator_spec_default();
    motor.name = "motor";
    motor.joint = "elbow";
    motor.gear[0] = 2.0;
    EXPECT_OK(dp_spec_add_actuator(NULL, spec, &motor));
    dp_actuator_spec servo = dp_actuator_spec_default();
    servo.name = "servo";
    servo.joint = "a.b,c";
    servo.dynamics = DP_ACTUATOR_DYNAMICS_FILTER;
    servo.time_constant = 0.1;
    servo.gain[0] = 50.0;
    servo.bias[1] = -50.0;
    EXPECT_OK(dp_spec_add_actuator(NULL, spec, &servo));

    add_sensor(spec, DP_SENSOR_GYRO, "gyro", DP_OBJECT_SITE, "tip");
    add_sensor(spec, DP_SENSOR_JOINT_POSITION, "reach", DP_OBJECT_JOINT, "a.b,c");
    add_sensor(spec, DP_SENSOR_FRAME_QUATERNION, "turn", DP_OBJECT_BODY, "kite");
    return spec;
}

typedef struct machine {
    dp_model *m;
    dp_data *d;
} machine;

static int build_machine(void **state)
{
    static machine it;
    dp_spec *spec = machine_spec(NULL);
    EXPECT_OK(dp_model_compile(&it.m, spec));
    dp_spec_destroy(spec);
    EXPECT_OK(dp_data_create(&it.d, it.m, NULL));
    double *v = dp_data_v(it.d);
    for (int i = 0; i < dp_model_sizes(it.m)->nv; ++i) {
        v[i] = 0.3 + 0.1 * i;
    }
    dp_data_control(it.d)[0] = 1.5;
    dp_data_control(it.d)[1] = 0.05;
    for (int i = 0; i < 20; ++i) {
        EXPECT_OK(dp_step(it.d));
    }
    *state = &it;
    return 0;
}

static int destroy_machine(void **state)
{
    machine *it = *state;
    dp_data_destroy(it->d);
    dp_model_destroy(it->m);
    return 0;
}

// The value of one channel at the present state.
static double channel(const machine *it, const char *name)
{
    dp_recorder *r;
    EXPECT_OK(dp_recorder_create(&r, it->m, name, NULL));
    assert_int_equal(dp_recorder_columns(r), strcmp(name, "time") == 0 ? 1 : 2);
    EXPECT_OK(dp_recorder_sample(r, it->d));
    const double value = dp_recorder_value(r, 0, dp_recorder_columns(r) - 1);
    dp_recorder_destroy(r);
    return value;
}

static dp_v3 channel_v3(const machine *it, const char *stem)
{
    char x[100], y[100], z[100];
    snprintf(x, sizeof x, "%s.x", stem);
    snprintf(y, sizeof y, "%s.y", stem);
    snprintf(z, sizeof z, "%s.z", stem);
    return (dp_v3){channel(it, x), channel(it, y), channel(it, z)};
}

static void assert_same_v3(dp_v3 a, dp_v3 b)
{
    assert_near(a.x, b.x, 0.0);
    assert_near(a.y, b.y, 0.0);
    assert_near(a.z, b.z, 0.0);
}

static const char *unit_of(const machine *it, const char *name)
{
    static char unit[32];
    dp_recorder *r;
    EXPECT_OK(dp_recorder_create(&r, it->m, name, NULL));
    snprintf(unit, sizeof unit, "%s", dp_recorder_unit(r, 1));
    dp_recorder_destroy(r);
    return unit;
}

// --- choosing ----------------------------------------------------------------------------------

static void time_comes_first_also_when_it_is_not_asked_for(void **state)
{
    const machine *it = *state;
    dp_recorder *r;
    EXPECT_OK(dp_recorder_create(&r, it->m, "energy.total,time,com.z", NULL));
    assert_int_equal(dp_recorder_columns(r), 3);
    assert_string_equal(dp_recorder_name(r, 0), "time");
    assert_string_equal(dp_recorder_unit(r, 0), "s");
    assert_string_equal(dp_recorder_name(r, 1), "energy.total");
    assert_string_equal(dp_recorder_name(r, 2), "com.z");
    dp_recorder_destroy(r);
}

static void the_default_set_is_joints_controls_sensors_and_energies(void **state)
{
    const machine *it = *state;
    const dp_model_size *size = dp_model_sizes(it->m);
    dp_recorder *r;
    EXPECT_OK(dp_recorder_create(&r, it->m, NULL, NULL));
    assert_int_equal(dp_recorder_columns(r),
                     1 + size->nq + size->nv + size->nu + size->nsensordata + 3);
    assert_string_equal(dp_recorder_name(r, 1), "joint.elbow.q");
    assert_string_equal(dp_recorder_name(r, dp_recorder_columns(r) - 1), "sensor.turn.z");
    dp_recorder_destroy(r);

    EXPECT_OK(dp_recorder_create(&r, it->m, "step.evaluations, default", NULL));
    assert_int_equal(dp_recorder_columns(r),
                     1 + 1 + size->nq + size->nv + size->nu + size->nsensordata + 3);
    dp_recorder_destroy(r);
}

static void stars_and_question_marks_match_any_part_of_a_name(void **state)
{
    const machine *it = *state;
    dp_recorder *r;
    EXPECT_OK(dp_recorder_create(&r, it->m, "joint.*.q", NULL));
    assert_int_equal(dp_recorder_columns(r), 3); // time, the hinge and the slide
    dp_recorder_destroy(r);
    EXPECT_OK(dp_recorder_create(&r, it->m, "body.kite.pos.?", NULL));
    assert_int_equal(dp_recorder_columns(r), 4);
    dp_recorder_destroy(r);
    EXPECT_OK(dp_recorder_create(&r, it->m, "energy.*,energy.kinetic,*.kinetic", NULL));
    assert_int_equal(dp_recorder_columns(r), 18); // none twice
    dp_recorder_destroy(r);
}

typedef struct name_check {
    const machine *it;
    int count;
} name_check;

static bool can_be_chosen_alone(void *context, const char *name, const char *unit)
{
    name_check *check = context;
    char escaped[400];
    size_t n = 0;
    for (const char *c = name; *c != '\0'; ++c) {
        if (strchr(",*?\\", *c)) {
            escaped[n++] = '\\';
        }
        escaped[n++] = *c;
    }
    escaped[n] = '\0';
    dp_recorder *r;
    EXPECT_OK(dp_recorder_create(&r, check->it->m, escaped, NULL));
    const int last = dp_recorder_columns(r) - 1;
    assert_int_equal(last, strcmp(name, "time") == 0 ? 0 : 1);
    assert_string_equal(dp_recorder_name(r, last), name);
    assert_string_equal(dp_recorder_unit(r, last), unit);
    assert_true(unit[0] != '\0');
    EXPECT_OK(dp_recorder_sample(r, check->it->d));
    assert_true(isfinite(dp_recorder_value(r, 0, last)));
    dp_recorder_destroy(r);
    ++check->count;
    return true;
}

static void every_channel_is_found_by_its_name_whatever_it_contains(void **state)
{
    name_check check = {.it = *state};
    dp_channel_list(check.it->m, can_be_chosen_alone, &check);
    // time; hinge 5 + 6, slide 5 + 6, ball 10 + 6, free 7 + 6 + 6; system 17 + 9 + 6 + 20; 4 bodies
    // with 16 + 6; site 7; actuators 2 and 3; sensors 3, 1 and 4
    assert_int_equal(check.count, 1 + (11 + 11 + 16 + 19) + 52 + 4 * 22 + 7 + 5 + 8);
}

static bool stop_at_the_third(void *context, const char *name, const char *unit)
{
    (void)name;
    (void)unit;
    return ++*(int *)context < 3;
}

static void listing_stops_when_the_visitor_says_so(void **state)
{
    const machine *it = *state;
    int count = 0;
    dp_channel_list(it->m, stop_at_the_third, &count);
    assert_int_equal(count, 3);
}

static void an_unnamed_joint_goes_by_its_number(void **state)
{
    const machine *it = *state;
    assert_near(channel(it, "joint.2.quat.w"), dp_data_q(it->d)[2], 0.0);
}

static void numbers_are_marked_when_a_joint_is_named_like_one(void **state)
{
    (void)state;
    dp_spec *spec;
    EXPECT_OK(dp_spec_create(&spec, NULL));
    const dp_body_id a = add_body(spec, DP_WORLD, "a", (dp_v3){0.0, 0.0, 0.0});
    add_joint(spec, a, DP_JOINT_HINGE, NULL);
    const dp_body_id b = add_body(spec, a, "b", (dp_v3){0.0, 0.0, 0.0});
    add_joint(spec, b, DP_JOINT_HINGE, "0");
    machine it;
    EXPECT_OK(dp_model_compile(&it.m, spec));
    EXPECT_OK(dp_data_create(&it.d, it.m, NULL));
    dp_data_q(it.d)[0] = 0.25;
    dp_data_q(it.d)[1] = 0.75;
    assert_near(channel(&it, "joint.0.q"), 0.75, 0.0);
    assert_near(channel(&it, "joint.#0.q"), 0.25, 0.0);
    dp_data_destroy(it.d);
    dp_model_destroy(it.m);
    dp_spec_destroy(spec);
}

static void a_mistyped_channel_is_refused_with_the_nearest(void **state)
{
    const machine *it = *state;
    dp_recorder *r = (dp_recorder *)1;
    assert_int_equal(dp_recorder_create(&r, it->m, "joint.elbwo.q", NULL), DP_ERROR_ARGUMENT);
    assert_null(r);
    assert_string_equal(dp_last_error(),
                        "no channel matches 'joint.elbwo.q' (did you mean 'joint.elbow.q'?)");
    assert_int_equal(dp_recorder_create(&r, it->m, "time,,com.x", NULL), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "empty name"));
    assert_int_equal(dp_recorder_create(&r, it->m, "", NULL), DP_ERROR_ARGUMENT);
    char longest[3000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(dp_recorder_create(&r, it->m, longest, NULL), DP_ERROR_ARGUMENT);
}

static void patterns_match_as_described(void **state)
{
    (void)state;
    assert_true(dp_pattern_matches("*", ""));
    assert_true(dp_pattern_matches("a*b*c", "aXbYbZc"));
    assert_false(dp_pattern_matches("a*b*c", "aXbYbZ"));
    assert_true(dp_pattern_matches("a\\*", "a*"));
    assert_false(dp_pattern_matches("a\\*", "ab"));
    assert_true(dp_pattern_matches("r?d", "rüd")); // one character, two bytes
    assert_false(dp_pattern_matches("r??d", "rüd"));
    assert_false(dp_pattern_matches("", "a"));
    assert_int_equal(dp_text_distance("elbow", "elbwo"), 1);
    assert_int_equal(dp_text_distance("", "abc"), 3);
    assert_int_equal(dp_text_distance("kitten", "sitting"), 3);
}

// --- values ------------------------------------------------------------------------------------

static void channels_say_what_the_simulation_says(void **state)
{
    const machine *it = *state;
    dp_body_id kite;
    dp_site_id tip;
    EXPECT_OK(dp_model_find_body(&kite, it->m, "kite"));
    EXPECT_OK(dp_model_find_site(&tip, it->m, "tip"));
    EXPECT_OK(dp_sense(it->d));
    const double *v = dp_data_v(it->d), *a = dp_data_acceleration(it->d);
    dp_joint_id string;
    EXPECT_OK(dp_model_find_joint(&string, it->m, "string"));
    const int free_v = dp_model_joint(it->m, string).v_index;

    assert_near(channel(it, "time"), dp_data_time(it->d), 0.0);
    assert_same_v3(channel_v3(it, "body.kite.pos"), dp_body_pose(it->d, kite).p);
    assert_near(channel(it, "body.kite.quat.y"), dp_body_pose(it->d, kite).q.y, 0.0);
    assert_same_v3(channel_v3(it, "body.kite.vel"), dp_body_velocity(it->d, kite).v);
    assert_same_v3(channel_v3(it, "body.kite.angvel"), dp_body_velocity(it->d, kite).w);
    assert_same_v3(channel_v3(it, "body.kite.com"), dp_inertial_pose(it->d, kite).p);
    assert_same_v3(channel_v3(it, "site.tip.pos"), dp_site_pose(it->d, tip).p);
    assert_near(channel(it, "site.tip.quat.z"), dp_site_pose(it->d, tip).q.z, 0.0);
    assert_same_v3(channel_v3(it, "joint.string.vel"), dp_v3_load(v + free_v));
    assert_same_v3(channel_v3(it, "joint.string.angvel"), dp_v3_load(v + free_v + 3));
    assert_same_v3(channel_v3(it, "joint.string.acc"), dp_v3_load(a + free_v));
    assert_near(channel(it, "joint.elbow.a"), a[0], 0.0);
    assert_near(channel(it, "joint.elbow.actuation"), 2.0 * 1.5, 0.0);    // gear 2
    assert_near(channel(it, "joint.elbow.passive"), -0.25 * v[0], 1e-15); // one rounding
    assert_near(channel(it, "actuator.motor.force"), 1.5, 0.0);
    assert_near(channel(it, "actuator.motor.control"), 1.5, 0.0);
    assert_near(channel(it, "actuator.servo.activation"), dp_data_activation(it->d)[0], 0.0);
    assert_same_v3(channel_v3(it, "sensor.gyro"), dp_v3_load(dp_data_sensors(it->d)));
    assert_near(channel(it, "sensor.reach"), dp_data_q(it->d)[1], 0.0);
    assert_near(channel(it, "sensor.turn.w"), dp_body_pose(it->d, kite).q.w, 1e-15); // one rounding
    const dp_energy e = dp_data_energy(it->d);
    assert_near(channel(it, "energy.kinetic"), e.kinetic, 0.0);
    assert_near(channel(it, "energy.potential"), e.gravity + e.spring, 0.0);
    assert_near(channel(it, "energy.total"), e.kinetic + e.gravity + e.spring, 0.0);
    assert_near(channel(it, "step.evaluations"), dp_data_report(it->d)->work.evaluations, 0.0);
}

static void units_follow_the_joint_and_the_actuator(void **state)
{
    const machine *it = *state;
    assert_string_equal(unit_of(it, "joint.elbow.v"), "rad/s");
    assert_string_equal(unit_of(it, "joint.a.b\\,c.q"), "m");
    assert_string_equal(unit_of(it, "actuator.motor.control"), "N m"); // a motor takes a torque
    assert_string_equal(unit_of(it, "actuator.servo.force"), "N");
    assert_string_equal(unit_of(it, "actuator.servo.control"), "m"); // a servo takes a target
    assert_string_equal(unit_of(it, "sensor.reach"), "m");
    assert_string_equal(unit_of(it, "sensor.gyro.y"), "rad/s");
    assert_string_equal(unit_of(it, "momentum.angular.x"), "kg m²/s");
}

static void momentum_is_that_of_all_trees_about_their_common_centre(void **state)
{
    const machine *it = *state;
    EXPECT_OK(dp_kinematics(it->d));
    // The same sums body by body.
    dp_v3 linear = {0.0, 0.0, 0.0}, moment = {0.0, 0.0, 0.0}, angular = {0.0, 0.0, 0.0};
    double mass = 0.0;
    const int nbody = dp_model_sizes(it->m)->nbody;
    for (int pass = 0; pass < 2; ++pass) {
        const dp_v3 com = mass > 0.0 ? dp_v3_scale(moment, 1.0 / mass) : moment;
        for (int b = 1; b < nbody; ++b) {
            const dp_body_id body = {b};
            const dp_inertial inertial = dp_model_body(it->m, body).inertial;
            const dp_pose X_WC = dp_inertial_pose(it->d, body);
            const dp_twist V = dp_body_velocity(it->d, body);
            const dp_v3 arm = dp_v3_sub(X_WC.p, dp_body_pose(it->d, body).p);
            const dp_v3 v_com = dp_v3_add(V.v, dp_v3_cross(V.w, arm));
            const dp_v3 p = dp_v3_scale(v_com, inertial.mass);
            if (pass == 0) {
                mass += inertial.mass;
                moment = dp_v3_madd(moment, inertial.mass, X_WC.p);
                linear = dp_v3_add(linear, p);
                continue;
            }
            const dp_v3 w = dp_quat_rotate_back(X_WC.q, V.w), I = inertial.moments;
            const dp_v3 spin = dp_quat_rotate(X_WC.q, (dp_v3){I.x * w.x, I.y * w.y, I.z * w.z});
            angular = dp_v3_add(angular, spin);
            angular = dp_v3_add(angular, dp_v3_cross(dp_v3_sub(X_WC.p, com), p));
        }
    }
    const double round_off = 1e-12;
    assert_near(channel(it, "momentum.linear.x"), linear.x, round_off);
    assert_near(channel(it, "momentum.linear.z"), linear.z, round_off);
    assert_near(channel(it, "momentum.angular.x"), angular.x, round_off);
    assert_near(channel(it, "momentum.angular.y"), angular.y, round_off);
    assert_near(channel(it, "momentum.angular.z"), angular.z, round_off);
    assert_near(channel(it, "com.x"), moment.x / mass, round_off);
}

static void a_bearing_carries_the_weight_that_hangs_on_it(void **state)
{
    (void)state;
    dp_spec *spec;
    EXPECT_OK(dp_spec_create(&spec, NULL));
    dp_body_spec body = dp_body_spec_default();
    body.name = "rod";
    body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    body.inertial = (dp_inertial){.mass = 3.0,
                                  .frame = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, -0.5}},
                                  .moments = {0.1, 0.1, 0.01}};
    dp_body_id rod;
    EXPECT_OK(dp_spec_add_body(&rod, spec, DP_WORLD, &body));
    dp_joint_spec hinge = dp_joint_spec_default();
    hinge.name = "bearing";
    hinge.axis = (dp_v3){0.0, 1.0, 0.0};
    hinge.anchor = (dp_v3){0.0, 0.2, 0.3}; // beside the origin of the body
    EXPECT_OK(dp_spec_add_joint(NULL, spec, rod, &hinge));
    machine it;
    EXPECT_OK(dp_model_compile(&it.m, spec));
    EXPECT_OK(dp_data_create(&it.d, it.m, NULL));
    const double weight = 3.0 * 9.81, round_off = 1e-12;
    assert_near(channel(&it, "joint.bearing.reaction.fz"), weight, round_off);
    assert_near(channel(&it, "joint.bearing.reaction.fx"), 0.0, round_off);
    // The weight pulls 0.2 m beside the anchor: the bearing holds against its moment about x.
    assert_near(channel(&it, "joint.bearing.reaction.tx"), -0.2 * weight, round_off);
    assert_near(channel(&it, "body.rod.reaction.tx"), 0.0, round_off); // about the body's origin
    assert_near(channel(&it, "body.rod.reaction.fz"), weight, round_off);
    dp_data_destroy(it.d);
    dp_model_destroy(it.m);
    dp_spec_destroy(spec);
}

static void recording_does_not_disturb_the_run(void **state)
{
    const machine *it = *state;
    uint64_t hash[2];
    for (int recorded = 0; recorded < 2; ++recorded) {
        dp_recorder *r;
        EXPECT_OK(dp_recorder_create(&r, it->m, "*", NULL));
        dp_data_reset(it->d);
        dp_data_v(it->d)[0] = 1.0;
        for (int i = 0; i < 50; ++i) {
            if (recorded) {
                EXPECT_OK(dp_recorder_sample(r, it->d));
            }
            EXPECT_OK(dp_step(it->d));
        }
        hash[recorded] = dp_state_hash(it->d);
        assert_int_equal(dp_recorder_rows(r), recorded ? 50 : 0);
        dp_recorder_destroy(r);
    }
    assert_true(hash[0] == hash[1]);
}

static void a_sample_of_another_model_is_refused(void **state)
{
    const machine *it = *state;
    dp_spec *spec = machine_spec(NULL);
    dp_model *other;
    dp_data *data;
    dp_recorder *r;
    EXPECT_OK(dp_model_compile(&other, spec));
    EXPECT_OK(dp_data_create(&data, other, NULL));
    EXPECT_OK(dp_recorder_create(&r, it->m, NULL, NULL));
    assert_int_equal(dp_recorder_sample(r, data), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_recorder_rows(r), 0);
    dp_recorder_destroy(r);
    dp_data_destroy(data);
    dp_model_destroy(other);
    dp_spec_destroy(spec);
}

static void columns_and_rows_out_of_range_are_harmless(void **state)
{
    const machine *it = *state;
    dp_recorder *r;
    EXPECT_OK(dp_recorder_create(&r, it->m, "com.x", NULL));
    assert_string_equal(dp_recorder_name(r, 2), "");
    assert_string_equal(dp_recorder_unit(r, -1), "");
    assert_true(isnan(dp_recorder_value(r, 0, 0)));
    dp_recorder_destroy(r);
    dp_recorder_destroy(NULL);
}

// --- files -------------------------------------------------------------------------------------

static char *read_all(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    *bytes = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static dp_recorder *some_rows(const machine *it, const char *names, int rows)
{
    dp_recorder *r;
    EXPECT_OK(dp_recorder_create(&r, it->m, names, NULL));
    for (int i = 0; i < rows; ++i) {
        EXPECT_OK(dp_step(it->d));
        EXPECT_OK(dp_recorder_sample(r, it->d));
    }
    return r;
}

static void csv_gives_back_every_bit(void **state)
{
    const machine *it = *state;
    const char *path = DP_SCRATCH "/recorder.csv";
    dp_recorder *r = some_rows(it, "joint.*,energy.*", 30);
    EXPECT_OK(dp_recorder_write_csv(r, path));
    size_t bytes;
    char *text = read_all(path, &bytes);
    char *at = strchr(text, '\n');
    assert_non_null(at);
    ++at;
    for (size_t row = 0; row < dp_recorder_rows(r); ++row) {
        for (int column = 0; column < dp_recorder_columns(r); ++column) {
            char *end;
            const double value = strtod(at, &end), expected = dp_recorder_value(r, row, column);
            assert_memory_equal(&value, &expected, sizeof value);
            assert_int_equal(*end, column + 1 < dp_recorder_columns(r) ? ',' : '\n');
            at = end + 1;
        }
    }
    assert_int_equal(*at, '\0');
    free(text);
    dp_recorder_destroy(r);
}

static void csv_quotes_names_with_commas_and_quotes(void **state)
{
    const machine *it = *state;
    const char *path = DP_SCRATCH "/recorder_names.csv";
    dp_recorder *r = some_rows(it, "joint.a.b\\,c.q,body.slider*pos.x,joint.elbow.q", 0);
    EXPECT_OK(dp_recorder_write_csv(r, path));
    size_t bytes;
    char *text = read_all(path, &bytes);
    assert_string_equal(
        text, "time,\"joint.a.b,c.q\",\"body.slider, \"\"the\"\" *one*.pos.x\",joint.elbow.q\n");
    free(text);
    dp_recorder_destroy(r);
}

static uint32_t little_endian(const char *bytes, int count)
{
    uint32_t value = 0;
    for (int i = count; i-- > 0;) {
        value = value << 8 | (unsigned char)bytes[i];
    }
    return value;
}

// The definition: division by the polynomial, bit by bit.
static uint32_t slow_crc(const char *bytes, size_t count)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < 8 * count; ++i) {
        const uint32_t bit = ((uint32_t)(unsigned char)bytes[i / 8] >> (i % 8)) & 1u;
        crc = (crc >> 1) ^ (((crc ^ bit) & 1u) != 0 ? 0xEDB88320u : 0u);
    }
    return ~crc;
}

static void the_checksum_is_the_polynomial_division(void **state)
{
    (void)state;
    assert_int_equal(dp_crc32(0, "123456789", 9), 0xCBF43926u); // the check value of CRC-32
    char bytes[1000];
    for (int i = 0; i < 1000; ++i) {
        bytes[i] = (char)(i * i % 251);
    }
    assert_int_equal(dp_crc32(dp_crc32(0, bytes, 333), bytes + 333, 667), slow_crc(bytes, 1000));
}

static void npz_holds_one_array_per_channel_with_every_bit(void **state)
{
    const machine *it = *state;
    const char *path = DP_SCRATCH "/recorder.npz";
    dp_recorder *r = some_rows(it, "joint.*,energy.*", 17);
    EXPECT_OK(dp_recorder_write_npz(r, path));
    size_t bytes;
    char *zip = read_all(path, &bytes);
    const char *end = zip + bytes - 22;
    assert_int_equal(little_endian(end, 4), 0x06054B50u);
    const int count = (int)little_endian(end + 10, 2);
    assert_int_equal(count, dp_recorder_columns(r));
    const char *entry = zip + little_endian(end + 16, 4);
    for (int column = 0; column < count; ++column) {
        assert_int_equal(little_endian(entry, 4), 0x02014B50u);
        const uint32_t crc = little_endian(entry + 16, 4), size = little_endian(entry + 24, 4);
        const uint32_t name_bytes = little_endian(entry + 28, 2);
        const char *local = zip + little_endian(entry + 42, 4);
        char name[200];
        snprintf(name, sizeof name, "%s.npy", dp_recorder_name(r, column));
        assert_int_equal(name_bytes, strlen(name));
        assert_memory_equal(entry + 46, name, name_bytes);
        assert_int_equal(little_endian(local, 4), 0x04034B50u);
        assert_memory_equal(local + 4, entry + 6, 26); // both records say the same
        assert_memory_equal(local + 30, name, name_bytes);

        const char *npy = local + 30 + name_bytes;
        assert_int_equal(slow_crc(npy, size), crc);
        assert_memory_equal(npy, "\x93NUMPY\x01\x00", 8);
        const size_t header = 10 + little_endian(npy + 8, 2);
        assert_int_equal(header % 64, 0);
        assert_int_equal(npy[header - 1], '\n');
        assert_non_null(
            strstr(npy + 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (17,), }"));
        assert_int_equal(size, header + 8 * 17);
        for (size_t row = 0; row < 17; ++row) {
            const double expected = dp_recorder_value(r, row, column);
            uint64_t bits;
            memcpy(&bits, &expected, sizeof bits);
            assert_int_equal(little_endian(npy + header + 8 * row, 4), (uint32_t)bits);
            assert_int_equal(little_endian(npy + header + 8 * row + 4, 4), (uint32_t)(bits >> 32));
        }
        entry += 46 + name_bytes;
    }
    assert_ptr_equal(entry, end);
    free(zip);
    dp_recorder_destroy(r);
}

static void numbers_keep_their_point_in_every_locale(void **state)
{
    (void)state;
    char comma[] = "-3,25e-07",
         arabic[] = "1\xD9\xAB"
                    "5",
         plain[] = "12";
    dp_plain_number(comma);
    dp_plain_number(arabic); // U+066B, two bytes
    dp_plain_number(plain);
    assert_string_equal(comma, "-3.25e-07");
    assert_string_equal(arabic, "1.5");
    assert_string_equal(plain, "12");
}

static void a_file_that_cannot_be_written_is_named(void **state)
{
    const machine *it = *state;
    dp_recorder *r = some_rows(it, NULL, 3);
    const char *nowhere = DP_SCRATCH "/no such folder/out.csv";
    assert_int_equal(dp_recorder_write_csv(r, nowhere), DP_ERROR_IO);
    assert_non_null(strstr(dp_last_error(), nowhere));
    assert_int_equal(dp_recorder_write_npz(r, nowhere), DP_ERROR_IO);
    assert_int_equal(dp_recorder_write_svg(r, nowhere, "title"), DP_ERROR_IO);
    assert_int_equal(dp_recorder_write_csv(r, DP_SCRATCH), DP_ERROR_IO); // a folder
    dp_recorder_destroy(r);
}

static void a_full_disk_is_an_error_and_a_device_stays_a_device(void **state)
{
    const machine *it = *state;
    struct stat info;
    if (stat("/dev/full", &info) != 0) {
        skip();
    }
    dp_recorder *r = some_rows(it, NULL, 100);
    assert_int_equal(dp_recorder_write_csv(r, "/dev/full"), DP_ERROR_IO);
    assert_non_null(strstr(dp_last_error(), "/dev/full"));
    assert_int_equal(dp_recorder_write_npz(r, "/dev/full"), DP_ERROR_IO);
    assert_int_equal(dp_recorder_write_svg(r, "/dev/full", NULL), DP_ERROR_IO);
    EXPECT_OK(dp_recorder_write_csv(r, "/dev/null"));
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    dp_recorder_destroy(r);
}

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state)
{
    const machine *it = *state;
    bool all_worked = false;
    for (size_t fail_at = 1; !all_worked; ++fail_at) {
        assert_true(fail_at < 200);
        counting_allocator counts = {.fail_at = fail_at};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_recorder *r;
        dp_status status = dp_recorder_create(&r, it->m, "*", &allocator);
        for (int i = 0; i < 40 && status == DP_OK; ++i) {
            status = dp_recorder_sample(r, it->d);
        }
        status = status == DP_OK ? dp_recorder_write_csv(r, DP_SCRATCH "/fail.csv") : status;
        status = status == DP_OK ? dp_recorder_write_npz(r, DP_SCRATCH "/fail.npz") : status;
        status = status == DP_OK ? dp_recorder_write_svg(r, DP_SCRATCH "/fail.svg", "x") : status;
        all_worked = status == DP_OK;
        if (!all_worked) {
            assert_int_equal(status, DP_ERROR_MEMORY);
        }
        dp_recorder_destroy(r);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_comes_first_also_when_it_is_not_asked_for),
        cmocka_unit_test(the_default_set_is_joints_controls_sensors_and_energies),
        cmocka_unit_test(stars_and_question_marks_match_any_part_of_a_name),
        cmocka_unit_test(every_channel_is_found_by_its_name_whatever_it_contains),
        cmocka_unit_test(listing_stops_when_the_visitor_says_so),
        cmocka_unit_test(an_unnamed_joint_goes_by_its_number),
        cmocka_unit_test(numbers_are_marked_when_a_joint_is_named_like_one),
        cmocka_unit_test(a_mistyped_channel_is_refused_with_the_nearest),
        cmocka_unit_test(patterns_match_as_described),
        cmocka_unit_test(channels_say_what_the_simulation_says),
        cmocka_unit_test(units_follow_the_joint_and_the_actuator),
        cmocka_unit_test(momentum_is_that_of_all_trees_about_their_common_centre),
        cmocka_unit_test(a_bearing_carries_the_weight_that_hangs_on_it),
        cmocka_unit_test(recording_does_not_disturb_the_run),
        cmocka_unit_test(a_sample_of_another_model_is_refused),
        cmocka_unit_test(columns_and_rows_out_of_range_are_harmless),
        cmocka_unit_test(csv_gives_back_every_bit),
        cmocka_unit_test(csv_quotes_names_with_commas_and_quotes),
        cmocka_unit_test(the_checksum_is_the_polynomial_division),
        cmocka_unit_test(npz_holds_one_array_per_channel_with_every_bit),
        cmocka_unit_test(numbers_keep_their_point_in_every_locale),
        cmocka_unit_test(a_file_that_cannot_be_written_is_named),
        cmocka_unit_test(a_full_disk_is_an_error_and_a_device_stays_a_device),
        cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, build_machine, destroy_machine);
}
