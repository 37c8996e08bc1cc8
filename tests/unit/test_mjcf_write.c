// From a spec to MJCF text and back.
#include "mechanism.h"
#include "random_mechanism.h"
#include "random_spec.h"
#include "same_spec.h"
#include "small_spec.h"

#include "format/number.h"
#include "math/v3.h"
#include "model/names.h"

#include <dashpot/format.h>

#include <dirent.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

// ---- helpers

// The text of a spec; free() it.
static char *written(const dp_spec *spec)
{
    static char *text; // gcc 12 warns that a local one might come back pointing to itself
    size_t bytes;
    assert_ok(dp_mjcf_write(&text, &bytes, spec, NULL));
    assert_int_equal(strlen(text), bytes);
    return text;
}

static dp_spec *read_text(const char *text)
{
    dp_spec *spec;
    if (dp_mjcf_parse(&spec, NULL, text, strlen(text), "written.xml", NULL) != DP_OK) {
        fail_msg("%s\n%s", dp_last_error(), text);
    }
    return spec;
}

static dp_spec *empty_spec(void)
{
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    return spec;
}

// Write, read: the same spec; write again: the same text. Returns what was read.
static dp_spec *round_trip(const dp_spec *spec)
{
    char *text = written(spec);
    dp_spec *again = read_text(text);
    assert_same_spec(spec, again);
    char *second = written(again);
    assert_string_equal(text, second);
    free(text);
    free(second);
    return again;
}

static void assert_round_trip(const dp_spec *spec)
{
    dp_spec_destroy(round_trip(spec));
}

// Hash of the state after some steps from the first keyframe, or from rest.
static uint64_t hash_after_steps(const dp_spec *spec, int steps)
{
    dp_model *m;
    assert_ok(dp_model_compile(&m, spec));
    dp_data *d;
    assert_ok(dp_data_create(&d, m, NULL));
    if (dp_model_sizes(m)->nkey > 0) {
        assert_ok(dp_data_reset_to_key(d, (dp_key_id){0}));
    }
    for (int i = 0; i < dp_model_sizes(m)->nu; ++i) {
        dp_data_control(d)[i] = 0.25 * (i + 1);
    }
    for (int i = 0; i < steps; ++i) {
        if (dp_step(m, d) != DP_OK) { // it leaves the state as it was, in both
            break;
        }
    }
    const uint64_t hash = dp_state_hash(d);
    dp_data_destroy(d);
    dp_model_destroy(m);
    return hash;
}

// The text holds this, once.
static void assert_holds(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    if (!at || strstr(at + 1, part)) {
        fail_msg("%s: %s in\n%s", at ? "found twice" : "not found", part, text);
    }
}

static void assert_refused(const dp_spec *spec, dp_status expected, const char *part)
{
    char *text = (char *)1;
    size_t bytes = 1;
    const dp_status status = dp_mjcf_write(&text, &bytes, spec, NULL);
    if (status != expected || !strstr(dp_last_error(), part)) {
        fail_msg("%s: %s (expected %s: … %s …)", dp_status_name(status), dp_last_error(),
                 dp_status_name(expected), part);
    }
    assert_null(text);
    assert_int_equal(bytes, 0);
}

// ---- numbers

static void every_number_reads_back_to_the_same_bits(void **state)
{
    (void)state;
    random_source r = {1};
    const double special[] = {0.0,      -0.0,      1.0 / 3.0,
                              0.1,      DBL_MAX,   -DBL_MAX,
                              DBL_MIN,  0x1p-1074, 5e-324,
                              1e22,     1e23,      0.30000000000000004,
                              123456.0, -1e-5,     9007199254740993.0};
    const int nspecial = (int)(sizeof special / sizeof special[0]);
    for (int i = 0; i < 20000; ++i) {
        double x;
        const uint64_t bits = random_bits(&r);
        memcpy(&x, &bits, sizeof x);
        x = i < nspecial ? special[i] : isfinite(x) ? x : random_between(&r, -1.0, 1.0);
        char text[DP_NUMBER_BYTES];
        const int length = dp_number_text(text, x);
        assert_int_equal(length, strlen(text));
        const char *cursor = text;
        double back;
        assert_int_equal(dp_number_read(&back, &cursor), DP_NUMBER_OK);
        assert_memory_equal(&x, &back, sizeof x);
    }
}

static void every_float_reads_back_through_a_double(void **state)
{
    (void)state;
    random_source r = {2};
    for (int i = 0; i < 20000; ++i) {
        float x;
        const uint32_t bits = (uint32_t)random_bits(&r);
        memcpy(&x, &bits, sizeof x);
        x = isfinite(x) ? x : 0.7f;
        char text[DP_NUMBER_BYTES];
        const int length = dp_float_text(text, x);
        assert_int_equal(length, strlen(text));
        const char *cursor = text;
        double wide;
        assert_int_equal(dp_number_read(&wide, &cursor), DP_NUMBER_OK);
        const float back = (float)wide;
        assert_memory_equal(&x, &back, sizeof x);
    }
}

static void numbers_that_people_write_stay_short(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *text;
    } short_number[] = {{0.1, "0.1"},   {-9.81, "-9.81"}, {1e-8, "1e-08"},
                        {100.0, "100"}, {0.0, "0"},       {2.0 / 3.0, "0.6666666666666666"}};
    char text[DP_NUMBER_BYTES];
    for (size_t i = 0; i < sizeof short_number / sizeof short_number[0]; ++i) {
        dp_number_text(text, short_number[i].x);
        assert_string_equal(text, short_number[i].text);
    }
    dp_float_text(text, 0.93f);
    assert_string_equal(text, "0.93");
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    char text[DP_NUMBER_BYTES];
    for (size_t i = 0; i < sizeof comma / sizeof comma[0]; ++i) {
        setlocale(LC_NUMERIC, comma[i]); // those that are not installed change nothing
        dp_number_text(text, 0.1);
        assert_string_equal(text, "0.1");
        setlocale(LC_NUMERIC, "C");
    }
}

// ---- the smallest texts

static void an_empty_spec_is_written_with_its_settings_only(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    char *text = written(spec);
    assert_string_equal(text, "<mujoco>\n"
                              "  <compiler angle=\"radian\" autolimits=\"false\"/>\n"
                              "  <option timestep=\"0.002\" gravity=\"0 0 -9.81\"/>\n"
                              "  <worldbody/>\n"
                              "</mujoco>\n");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void a_free_joint_without_numbers_is_a_freejoint(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id a = add_ball_body(spec, DP_WORLD, "a"), b = add_ball_body(spec, DP_WORLD, "b");
    add_joint(spec, a, "plain", DP_FREE);
    const dp_joint_id damped = add_joint(spec, b, "damped", DP_FREE);
    dp_spec_joint(spec, damped)->damping = 0.5;
    char *text = written(spec);
    assert_holds(text, "<freejoint name=\"plain\"/>");
    assert_holds(text, "<joint name=\"damped\" type=\"free\" damping=\"0.5\"/>");
    free(text);
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

// ---- every field

static void add_bodies_with_everything(dp_spec *spec)
{
    dp_body_spec body = dp_body_spec_default();
    body.name = "arm";
    body.pose = (dp_pose){{0.5, -0.5, 0.5, -0.5}, {0.1, -0.0, 1.0 / 3.0}};
    body.inertia_source = DP_INERTIA_GIVEN;
    body.inertial = (dp_inertial){1.0 / 7.0, {{0.8, 0.0, -0.6, 0.0}, {-0.0, 0.2, 0.3}}, {3, 4, 5}};
    body.gravity_compensation = 0.7;
    dp_body_id arm, hand, ball;
    assert_ok(dp_spec_add_body(&arm, spec, DP_WORLD, &body));

    body = dp_body_spec_default();
    body.name = "hand";
    assert_ok(dp_spec_add_body(&hand, spec, arm, &body));
    body.name = "ball";
    assert_ok(dp_spec_add_body(&ball, spec, DP_WORLD, &body));
    body.name = "puppet";
    body.mocap = true;
    body.pose.p.x = -3.0;
    assert_ok(dp_spec_add_body(NULL, spec, DP_WORLD, &body));

    static const dp_joint_kind kinds[] = {DP_HINGE, DP_SLIDE, DP_BALL, DP_FREE};
    static const char *const names[] = {"hinge", "slide", "ball", "free"};
    for (int k = 0; k < 4; ++k) {
        dp_joint_spec joint = dp_joint_spec_default();
        joint.name = names[k];
        joint.kind = kinds[k];
        joint.anchor = (dp_v3){0.1 * k, -0.0, 0.3};
        joint.axis = (dp_v3){1.0, -0.0, 2.0};
        joint.ref = k < 2 ? 0.1 : 0.0;
        joint.armature = 0.01 * (k + 1);
        joint.damping = 0.2;
        joint.stiffness = 3.3;
        joint.spring_ref = k < 2 ? -0.4 : 0.0;
        joint.friction_loss = 0.05;
        joint.limited = k < 3;
        joint.range[0] = k == 2 ? 0.0 : -1.1;
        joint.range[1] = 1.3;
        assert_ok(dp_spec_add_joint(NULL, spec, k < 3 ? arm : ball, &joint));
        if (k == 2) {
            dp_joint_spec loose = dp_joint_spec_default();
            loose.range[0] = -1.0; // a range that does not count, and no name
            assert_ok(dp_spec_add_joint(NULL, spec, hand, &loose));
        }
    }
}

static void add_geoms_and_sites(dp_spec *spec)
{
    for (int k = 0; k < 12; ++k) {
        dp_geom_spec geom = dp_geom_spec_default();
        char name[16];
        snprintf(name, sizeof name, "g%d", k);
        geom.name = k == 7 ? NULL : name;
        geom.kind = (dp_geom_kind)(k % 6);
        geom.size[0] = 0.1 / 3.0, geom.size[1] = 0.2, geom.size[2] = 0.3;
        geom.group = k - 3;
        if (k % 2 == 0) {
            geom.mass = 0.25 * k;
        }
        if (k % 3 == 0) {
            geom.density = 7850.0;
            geom.contype = 6;
            geom.conaffinity = -1;
            geom.friction[1] = 0.01;
            geom.rgba[2] = 0.93f;
            geom.pose = (dp_pose){{0.6, 0.0, 0.8, -0.0}, {1e-300, 1e300, -0.0}};
        }
        assert_ok(dp_spec_add_geom(NULL, spec, (dp_body_id){k < 6 ? 0 : 1 + (k - 6) / 3}, &geom));
        dp_site_spec site = dp_site_spec_default();
        site.name = geom.name;
        site.pose = geom.pose;
        site.group = k;
        assert_ok(dp_spec_add_site(NULL, spec, (dp_body_id){k < 6 ? 0 : 1 + (k - 6) / 3}, &site));
    }
}

static void add_actuators_of_all_kinds(dp_spec *spec)
{
    static const char *const joints[] = {"hinge", "slide", "ball", "free"};
    for (int k = 0; k < 16; ++k) {
        dp_actuator_spec a = dp_actuator_spec_default();
        char name[16];
        snprintf(name, sizeof name, "a%d", k);
        a.name = k == 5 ? NULL : name;
        a.joint = joints[k % 4];
        a.in_parent = k % 3 == 0;
        for (int i = 0; i < 6; ++i) {
            a.gear[i] = k == 4 ? 0.0 : k % 4 < 2 ? (i == 0) * 2.5 : 0.1 * (i - 2);
        }
        a.dynamics = (dp_actuator_dynamics)(k / 4);
        a.time_constant = k == 3 ? 1.0 : 0.1 * k + 0.01;
        a.gain[0] = 2.0, a.gain[1] = k % 2, a.gain[2] = k == 8 ? -0.0 : 0.0;
        a.bias[0] = k == 9, a.bias[1] = k > 10 ? -2.0 : 0.0, a.bias[2] = k == 12 ? 0.7 : -0.0;
        a.control_limited = k % 2;
        a.control_range[0] = -0.1 * k, a.control_range[1] = 0.3;
        a.force_limited = k % 3 == 1;
        a.force_range[1] = k;
        a.activation_limited = a.dynamics != DP_DYNAMICS_NONE && k % 2;
        a.activation_range[0] = a.activation_limited ? -1e-3 : 0.0;
        assert_ok(dp_spec_add_actuator(NULL, spec, &a));
    }
}

static void add_sensors_of_all_kinds(dp_spec *spec)
{
    for (int kind = 0; kind < DP_SENSOR_KINDS; ++kind) {
        dp_sensor_spec s = dp_sensor_spec_default();
        s.kind = (dp_sensor_kind)kind;
        s.name = kind % 5 ? dp_sensor_kind_name(s.kind) : NULL;
        const dp_object_kind object = dp_sensor_object_kind(s.kind);
        const bool of_ball =
            s.kind == DP_SENSOR_BALL_QUATERNION || s.kind == DP_SENSOR_BALL_VELOCITY;
        switch (object) {
        case DP_OBJECT_TENDON:
            continue;
        case DP_OBJECT_NONE:
            break;
        case DP_OBJECT_SITE:
            s.object = "g2";
            break;
        case DP_OBJECT_JOINT:
            s.object = of_ball ? "ball" : "hinge";
            break;
        case DP_OBJECT_ACTUATOR:
            s.object = "a1";
            break;
        case DP_OBJECT_BODY:
            s.object = "hand";
            break;
        default: { // frames
            static const dp_object_kind frames[] = {DP_OBJECT_BODY, DP_OBJECT_INERTIAL,
                                                    DP_OBJECT_GEOM, DP_OBJECT_SITE};
            const int k = kind % 4;
            s.object_kind = frames[k];
            s.object = k < 2 ? "arm" : "g8";
            if (dp_sensor_has_reference(s.kind)) {
                s.reference_kind = frames[(k + 1) % 4];
                s.reference = (k + 1) % 4 < 2 ? "world" : "g1";
            }
        }
        }
        s.cutoff = kind % 3 ? 0.0 : 1.0 / 3.0;
        assert_ok(dp_spec_add_sensor(NULL, spec, &s));
    }
}

static void add_keys(dp_spec *spec)
{
    double x[64];
    for (int i = 0; i < 64; ++i) {
        x[i] = i % 7 ? sin(i) : -0.0;
    }
    dp_key_spec key = dp_key_spec_default();
    assert_ok(dp_spec_add_key(NULL, spec, &key)); // says nothing
    key.name = "all";
    key.time = 2.5;
    key.q = x, key.nq = 14;
    key.v = x + 1, key.nv = 12;
    key.activation = x + 2, key.na = 12;
    key.control = x + 3, key.nu = 16;
    key.mocap_position = x + 4, key.nmocap_position = 3;
    key.mocap_quaternion = x + 5, key.nmocap_quaternion = 4;
    assert_ok(dp_spec_add_key(NULL, spec, &key));
}

static dp_spec *spec_with_everything(void)
{
    dp_spec *spec = empty_spec();
    assert_ok(dp_spec_set_title(spec, "everything"));
    add_bodies_with_everything(spec);
    add_geoms_and_sites(spec);
    add_actuators_of_all_kinds(spec);
    add_sensors_of_all_kinds(spec);
    add_keys(spec);
    return spec;
}

static void every_field_survives(void **state)
{
    (void)state;
    dp_spec *spec = spec_with_everything();
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void every_option_survives(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_options *o = dp_spec_options(spec);
    o->step = 1.0 / 240.0;
    o->gravity = (dp_v3){0.1, -0.0, 1.62};
    o->magnetic = (dp_v3){1.0, 2.0, -0.0};
    o->relative_tolerance = 1e-11;
    o->absolute_tolerance = 3e-13;
    o->max_substeps = 7;
    o->large_rotation = 0.0;
    bool *const flags[] = {&o->disable_gravity,  &o->disable_contact,      &o->disable_limits,
                           &o->disable_springs,  &o->disable_dampers,      &o->disable_actuation,
                           &o->disable_equality, &o->disable_clamp_control};
    for (int integrator = DP_SEMI_IMPLICIT; integrator <= DP_RK45; ++integrator) {
        o->integrator = (dp_integrator)integrator;
        for (int k = 0; k < 8; ++k) {
            *flags[k] = !*flags[k];
            assert_round_trip(spec);
        }
    }
    dp_spec_destroy(spec);
}

static void our_own_options_are_written_only_where_they_differ(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_spec_options(spec)->integrator = DP_RK4;
    char *text = written(spec);
    assert_null(strstr(text, "dashpot")); // so that others can read it
    assert_holds(text, "integrator=\"RK4\"");
    free(text);
    dp_spec_options(spec)->integrator = DP_RK45;
    text = written(spec);
    assert_holds(text, "<dp:option xmlns:dp=\"dashpot\" integrator=\"rk45\"/>");
    free(text);
    dp_spec_destroy(spec);
}

// MuJoCo takes fixed gain kp, bias 0 −kp +x for a damping ratio x.
static void a_servo_with_negative_damping_is_not_taken_for_a_damping_ratio(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    add_joint(spec, add_ball_body(spec, DP_WORLD, "b"), "j", DP_HINGE);
    dp_actuator_spec a = dp_actuator_spec_default();
    a.joint = "j";
    a.gain[0] = 4.0, a.bias[1] = -4.0, a.bias[2] = 0.5;
    assert_ok(dp_spec_add_actuator(NULL, spec, &a));
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void geoms_of_every_group_keep_their_mass(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id body = add_ball_body(spec, DP_WORLD, "b");
    for (int group = -4; group < 12; ++group) {
        dp_geom_spec geom = dp_geom_spec_default();
        geom.size[0] = 0.1;
        geom.group = group;
        assert_ok(dp_spec_add_geom(NULL, spec, body, &geom));
    }
    assert_round_trip(spec);
    dp_spec_destroy(spec);
}

static void a_quaternion_is_written_with_unit_length(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id b = add_ball_body(spec, DP_WORLD, "b");
    dp_spec_body(spec, b)->pose.q = (dp_quat){0.0, 0.0, -3e250, 0.0};
    char *text = written(spec);
    assert_holds(text, "quat=\"0 0 -1 0\"");
    free(text);
    dp_spec_destroy(spec);
}

// ---- names

static const char *const difficult[] = {
    "a \"quoted\" 'name'",
    "<b> & </b> &amp; ]]>",
    "  blanks  ",
    "tab\tand\nline\r\nends",
    "Gelenk für Äpfel, 関節, 🦾",
    "\x7f\xc2\x80",                 // control characters that XML does hold
    "\xef\xbf\xbd\xf4\x8f\xbf\xbf", // the last of their kinds: U+FFFD, U+10FFFF
    "<!-- ${x} %s %n -->",
};
enum { NDIFFICULT = sizeof difficult / sizeof difficult[0] };

static void names_with_markup_white_space_and_any_script_survive(void **state)
{
    (void)state;
    for (int k = 0; k < NDIFFICULT; ++k) {
        const char *name = difficult[k];
        dp_spec *spec = empty_spec();
        assert_ok(dp_spec_set_title(spec, name));
        const dp_body_id body = add_ball_body(spec, DP_WORLD, name);
        add_joint(spec, body, name, DP_HINGE);
        dp_site_spec site = dp_site_spec_default();
        site.name = name;
        assert_ok(dp_spec_add_site(NULL, spec, body, &site));
        dp_actuator_spec a = dp_actuator_spec_default();
        a.name = a.joint = name;
        assert_ok(dp_spec_add_actuator(NULL, spec, &a));
        dp_sensor_spec s = dp_sensor_spec_default();
        s.name = s.object = name;
        assert_ok(dp_spec_add_sensor(NULL, spec, &s));
        dp_key_spec key = dp_key_spec_default();
        key.name = name;
        assert_ok(dp_spec_add_key(NULL, spec, &key));
        assert_round_trip(spec);
        dp_spec_destroy(spec);
    }
}

static void names_that_xml_cannot_hold_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message;
    } bad[] = {
        {"bell\a", "U+0007 at place 5 of its name, which XML cannot hold"},
        {"\x1b[31m", "U+001B at place 1"},
        {"\xef\xbf\xbe", "U+FFFE at place 1"},
        {"a\xff", "byte 0xff at place 2 of its name, which is not UTF-8"},
        {"\xc3", "byte 0xc3 at place 1"},  // ends too early
        {"\xc3(", "byte 0xc3 at place 1"}, // goes on wrongly
        {"\xc0\x80", "byte 0xc0"},         // longer than needed
        {"\xe0\x9f\xbf", "byte 0xe0"},     // the same
        {"\xed\xa0\x80", "byte 0xed"},     // half a pair
        {"\xf4\x90\x80\x80", "byte 0xf4"}, // beyond the last
        {"\xf8\x88\x80\x80\x80", "byte 0xf8"},
        {"\x80", "0x80"}, // no first byte
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        dp_spec *spec = empty_spec();
        const dp_body_id body = add_ball_body(spec, DP_WORLD, "b");
        add_joint(spec, body, bad[k].name, DP_HINGE);
        assert_refused(spec, DP_ERROR_UNSUPPORTED, bad[k].message);
        assert_non_null(strstr(dp_last_error(), "joint '"));
        dp_spec_destroy(spec);
    }
    dp_spec *spec = empty_spec();
    assert_ok(dp_spec_set_title(spec, "\x01"));
    assert_refused(spec, DP_ERROR_UNSUPPORTED, "the model has the character U+0001");
    dp_spec_destroy(spec);
}

// ---- order

static int child_of(dp_spec *spec, int parent, const char *name)
{
    return add_ball_body(spec, (dp_body_id){parent}, name).index;
}

static void bodies_are_written_depth_first(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const int a = child_of(spec, 0, "a"), b = child_of(spec, 0, "b"), a1 = child_of(spec, a, "a1");
    child_of(spec, b, "b1");
    child_of(spec, a1, "a11");
    child_of(spec, a, "a2");
    child_of(spec, 0, "c");
    dp_geom_spec ground = dp_geom_spec_default();
    ground.kind = DP_PLANE;
    ground.name = "ground";
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &ground));
    char *text = written(spec);
    dp_spec *again = read_text(text);
    static const char *const order[] = {"world", "a", "a1", "a11", "a2", "b", "b1", "c"};
    for (int i = 0; i < 8; ++i) {
        assert_string_equal(dp_spec_body(again, (dp_body_id){i})->name, order[i]);
    }
    assert_string_equal(dp_spec_geom(again, (dp_geom_id){0})->name, "ground");
    assert_round_trip(again); // from now on nothing moves
    free(text);
    dp_spec_destroy(spec);
    dp_spec_destroy(again);
}

// Joints of one body act in their order, whatever was added between them.
static void joints_of_a_body_keep_their_order(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_body_id a = add_ball_body(spec, DP_WORLD, "a"), b = add_ball_body(spec, a, "b");
    add_joint(spec, b, "b1", DP_SLIDE);
    add_joint(spec, a, "a1", DP_HINGE);
    add_joint(spec, b, "b2", DP_HINGE);
    add_joint(spec, a, "a2", DP_SLIDE);
    char *text = written(spec);
    dp_spec *again = read_text(text);
    static const char *const order[] = {"a1", "a2", "b1", "b2"};
    for (int i = 0; i < 4; ++i) {
        assert_string_equal(dp_spec_joint(again, (dp_joint_id){i})->name, order[i]);
    }
    assert_true(hash_after_steps(spec, 20) == hash_after_steps(again, 20));
    free(text);
    dp_spec_destroy(spec);
    dp_spec_destroy(again);
}

// ---- mechanisms

static void scenes_come_back_the_same_and_move_the_same(void **state)
{
    (void)state;
    DIR *folder = opendir(DP_SCENES);
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, ".xml") != 0) {
            continue;
        }
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", DP_SCENES, entry->d_name);
        dp_spec *spec;
        assert_ok(dp_mjcf_load(&spec, NULL, path, NULL));
        dp_spec *again = round_trip(spec);
        assert_true(hash_after_steps(spec, 50) == hash_after_steps(again, 50));
        dp_spec_destroy(spec);
        dp_spec_destroy(again);
        ++count;
    }
    closedir(folder);
    assert_true(count >= 12);
}

static void random_mechanisms_come_back_the_same_and_move_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; ++seed) {
        const random_mechanism_options options = random_mechanism_default(seed);
        char *original = random_mechanism(&options);
        dp_spec *spec = read_text(original);
        dp_spec *again = round_trip(spec);
        if (hash_after_steps(spec, 10) != hash_after_steps(again, 10)) {
            fail_msg("seed %d moves differently", (int)seed);
        }
        dp_spec_destroy(spec);
        dp_spec_destroy(again);
        free(original);
    }
}

// Their bodies are in any order.
static void random_specs_move_the_same_after_a_round_trip(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        random_spec_options options = random_spec_default(seed);
        options.actuators = true;
        dp_spec *spec = random_spec(&options);
        char *text = written(spec);
        dp_spec *again = read_text(text);
        assert_round_trip(again);
        if (hash_after_steps(spec, 10) != hash_after_steps(again, 10)) {
            fail_msg("seed %d moves differently", (int)seed);
        }
        free(text);
        dp_spec_destroy(spec);
        dp_spec_destroy(again);
    }
}

// ---- what only other programs read yet

static void meshes_are_written_with_their_vertices_and_faces(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const double corner[12] = {0, 0, 0, 0.5, 0, 0, 0, 0.25, 0, 0, 0, 1.0 / 3.0};
    const int face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    dp_mesh_spec mesh = dp_mesh_spec_default();
    mesh.name = "hull";
    mesh.vertex = corner, mesh.nvertex = 4;
    assert_ok(dp_spec_add_mesh(NULL, spec, &mesh));
    mesh.name = "solid";
    mesh.face = face, mesh.nface = 4;
    mesh.inertia = DP_MESH_EXACT;
    assert_ok(dp_spec_add_mesh(NULL, spec, &mesh));
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_MESH;
    geom.mesh = "solid";
    dp_geom_id id;
    assert_ok(dp_spec_add_geom(&id, spec, add_ball_body(spec, DP_WORLD, "b"), &geom));
    geom.kind = DP_BOX;
    geom.size[0] = geom.size[1] = geom.size[2] = 0.5;
    geom.shell = true;
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    char *text = written(spec);
    assert_holds(text, "  <asset>\n"
                       "    <mesh name=\"hull\" inertia=\"convex\" "
                       "vertex=\"0 0 0 0.5 0 0 0 0.25 0 0 0 0.3333333333333333\"/>\n"
                       "    <mesh name=\"solid\" inertia=\"exact\" "
                       "vertex=\"0 0 0 0.5 0 0 0 0.25 0 0 0 0.3333333333333333\"\n"
                       "        face=\"0 2 1 0 1 3 0 3 2 1 2 3\"/>\n"
                       "  </asset>\n");
    assert_holds(text, "<geom type=\"mesh\" mesh=\"solid\"/>");
    assert_holds(text, "<geom type=\"box\" size=\"0.5 0.5 0.5\" shellinertia=\"true\"/>");
    free(text);
    dp_spec_geom(spec, id)->shell = true;
    assert_refused(spec, DP_ERROR_UNSUPPORTED, "is a hollow mesh");
    dp_spec_destroy(spec);
}

// The first row of the text is the one of the largest y, as on a map.
static void elevations_are_written_from_north_to_south(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const double elevation[6] = {0.0, 0.1, 0.2, 0.3, 1.0, 0.5};
    dp_hfield_spec hfield = dp_hfield_spec_default();
    hfield.name = "hills";
    hfield.nrow = 3, hfield.ncol = 2;
    hfield.elevation = elevation;
    hfield.size[0] = 5.0;
    assert_ok(dp_spec_add_hfield(NULL, spec, &hfield));
    hfield.name = "flat";
    hfield.elevation = NULL;
    assert_ok(dp_spec_add_hfield(NULL, spec, &hfield));
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_HFIELD;
    geom.hfield = "hills";
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    char *text = written(spec);
    assert_holds(text, "<hfield name=\"hills\" nrow=\"3\" ncol=\"2\" size=\"5 1 1 1\" "
                       "elevation=\"1 0.5 0.2 0.3 0 0.1\"/>");
    assert_holds(text, "<hfield name=\"flat\" nrow=\"3\" ncol=\"2\" size=\"5 1 1 1\"/>");
    assert_holds(text, "<geom type=\"hfield\" hfield=\"hills\"/>");
    free(text);
    dp_spec_destroy(spec);
}

static void elevations_that_a_reader_would_stretch_are_refused(void **state)
{
    (void)state;
    static const double bad[][4] = {{0, 0.1, 0.2, 0.9}, {0.1, 0.5, 0.6, 1}, {0.5, 0.5, 0.5, 0.5}};
    static const double good[][4] = {{0, 1, 0.2, 0.9}, {0, 0, 0, 0}};
    dp_spec *spec = empty_spec();
    dp_hfield_spec hfield = dp_hfield_spec_default();
    hfield.name = "hills";
    hfield.nrow = hfield.ncol = 2;
    dp_hfield_id id;
    assert_ok(dp_spec_add_hfield(&id, spec, &hfield));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        dp_spec_hfield(spec, id)->elevation = bad[k];
        assert_refused(spec, DP_ERROR_UNSUPPORTED, "hfield 'hills' has elevations from");
    }
    for (size_t k = 0; k < sizeof good / sizeof good[0]; ++k) {
        dp_spec_hfield(spec, id)->elevation = good[k];
        free(written(spec));
    }
    dp_spec_destroy(spec);
}

static void contact_numbers_are_written_where_they_are_not_the_default(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_geom_spec geom = dp_geom_spec_default();
    geom.size[0] = 1.0;
    geom.name = "plain";
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    geom.name = "stated";
    geom.contact.solver_given = true; // the author wrote what is the default anyway
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    geom.name = "special";
    geom.contact = (dp_contact_spec){.condim = 6,
                                     .priority = -2,
                                     .solmix = 0.5,
                                     .solref = {-1e5, -200},
                                     .solimp = {0.8, 0.9, 0.01, 0.4, 3},
                                     .solver_given = true,
                                     .margin = 0.01,
                                     .gap = 0.002};
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    dp_pair_spec pair = dp_pair_spec_default();
    pair.name = "p";
    pair.geom[0] = "plain", pair.geom[1] = "special";
    for (int k = 0; k < 5; ++k) {
        pair.friction[k] = 0.5 * k;
    }
    pair.contact_given = true;
    assert_ok(dp_spec_add_pair(NULL, spec, &pair));
    pair.name = NULL;
    pair.contact = geom.contact;
    assert_ok(dp_spec_add_pair(NULL, spec, &pair));
    dp_exclude_spec exclude = {.name = "e", .body = {"world", "b"}};
    assert_ok(dp_spec_add_exclude(NULL, spec, &exclude));
    char *text = written(spec);
    assert_holds(text, "<geom name=\"plain\" size=\"1\"/>\n");
    assert_holds(text, "<geom name=\"stated\" size=\"1\" solref=\"0.02 1\" "
                       "solimp=\"0.9 0.95 0.001 0.5 2\"/>\n");
    assert_holds(text, "<geom name=\"special\" size=\"1\" condim=\"6\" priority=\"-2\" "
                       "solmix=\"0.5\" solref=\"-100000 -200\"\n"
                       "        solimp=\"0.8 0.9 0.01 0.4 3\" margin=\"0.01\" gap=\"0.002\"/>\n");
    assert_holds(text, "  <contact>\n"
                       "    <pair name=\"p\" geom1=\"plain\" geom2=\"special\" condim=\"3\" "
                       "friction=\"0 0.5 1 1.5 2\" margin=\"0\"\n"
                       "        gap=\"0\"/>\n"
                       "    <pair geom1=\"plain\" geom2=\"special\" condim=\"6\" "
                       "friction=\"0 0.5 1 1.5 2\" solref=\"-100000 -200\"\n"
                       "        solimp=\"0.8 0.9 0.01 0.4 3\" margin=\"0.01\" gap=\"0.002\"/>\n"
                       "    <exclude name=\"e\" body1=\"world\" body2=\"b\"/>\n"
                       "  </contact>\n");
    free(text);
    dp_spec_destroy(spec);
}

// Where a <pair> is silent MuJoCo takes fixed numbers, not those of the geoms.
static void a_pair_with_the_numbers_of_its_geoms_is_refused(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_pair_spec pair = dp_pair_spec_default();
    pair.name = "grip";
    pair.geom[0] = "a", pair.geom[1] = "b";
    dp_pair_id id;
    assert_ok(dp_spec_add_pair(&id, spec, &pair));
    assert_refused(spec, DP_ERROR_UNSUPPORTED, "pair 'grip' takes its contact numbers from");
    dp_spec_pair(spec, id)->contact_given = true;
    assert_refused(spec, DP_ERROR_UNSUPPORTED, "pair 'grip' takes friction from its geoms");
    dp_spec_destroy(spec);
}

// MuJoCo moves the frames of meshes to their centres.
static void a_sensor_on_a_mesh_is_refused(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    dp_mesh_spec mesh = dp_mesh_spec_default();
    mesh.name = "m";
    mesh.vertex = corner, mesh.nvertex = 4;
    assert_ok(dp_spec_add_mesh(NULL, spec, &mesh));
    dp_geom_spec geom = dp_geom_spec_default();
    geom.name = "g";
    geom.kind = DP_MESH;
    geom.mesh = "m";
    assert_ok(dp_spec_add_geom(NULL, spec, DP_WORLD, &geom));
    dp_sensor_spec s = dp_sensor_spec_default();
    s.name = "s";
    s.kind = DP_SENSOR_FRAME_POSITION;
    s.object_kind = DP_OBJECT_GEOM;
    s.object = "g";
    dp_sensor_id id;
    assert_ok(dp_spec_add_sensor(&id, spec, &s));
    assert_refused(spec, DP_ERROR_UNSUPPORTED, "sensor 's' is attached to a mesh");
    s.object_kind = DP_OBJECT_BODY;
    s.object = "world";
    s.reference_kind = DP_OBJECT_GEOM;
    s.reference = "g";
    *dp_spec_sensor(spec, id) = s;
    assert_refused(spec, DP_ERROR_UNSUPPORTED, "sensor 's' is attached to a mesh");
    dp_spec_destroy(spec);
}

static void equalities_are_written_in_their_order(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_equality_spec e = dp_equality_spec_default();
    e.name = "pin";
    e.object[0] = "a", e.object[1] = "b";
    e.anchor = (dp_v3){0.1, 0.2, 0.3};
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_JOINT;
    e.object[0] = "j", e.object[1] = "k";
    e.polynomial[0] = 0.25, e.polynomial[1] = 2.0, e.polynomial[4] = -1.0;
    e.active = false;
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    e = dp_equality_spec_default();
    e.name = "weld";
    e.kind = DP_EQUALITY_WELD;
    e.object[0] = "a";
    e.relative_given = true;
    e.relative = (dp_pose){{0.0, 2.0, 0.0, 0.0}, {1.0, 2.0, 3.0}};
    e.anchor = (dp_v3){0.0, 0.0, 0.5};
    e.torque_scale = 2.5;
    e.solver_given = true;
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_WELD;
    e.object_kind = DP_OBJECT_SITE;
    e.object[0] = "s", e.object[1] = "t";
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_TENDON;
    e.object[0] = "rope";
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    e = dp_equality_spec_default();
    e.object[0] = "a"; // to the world, at its own origin
    assert_ok(dp_spec_add_equality(NULL, spec, &e));

    char *text = written(spec);
    assert_holds(
        text, "  <equality>\n"
              "    <connect name=\"pin\" body1=\"a\" body2=\"b\" anchor=\"0.1 0.2 0.3\"/>\n"
              "    <joint joint1=\"j\" joint2=\"k\" polycoef=\"0.25 2 0 0 -1\" active=\"false\"/>\n"
              "    <weld name=\"weld\" body1=\"a\" relpose=\"1 2 2.5 0 1 0 0\" anchor=\"0 0 0.5\" "
              "torquescale=\"2.5\"\n"
              "        solref=\"0.02 1\" solimp=\"0.9 0.95 0.001 0.5 2\"/>\n"
              "    <weld site1=\"s\" site2=\"t\"/>\n"
              "    <tendon tendon1=\"rope\"/>\n"
              "    <connect body1=\"a\" anchor=\"0 0 0\"/>\n"
              "  </equality>\n");
    free(text);
    dp_spec_destroy(spec);
}

// A reader computes relative = relpose − R anchor; what is written makes that come out to the bit.
static void a_relpose_holds_the_anchor_and_gives_it_back(void **state)
{
    (void)state;
    random_source r = {5};
    dp_spec *spec = empty_spec();
    dp_equality_spec e = dp_equality_spec_default();
    e.name = "e";
    e.kind = DP_EQUALITY_WELD;
    e.object[0] = "a", e.object[1] = "b";
    e.relative_given = true;
    dp_equality_id id;
    assert_ok(dp_spec_add_equality(&id, spec, &e));
    for (int k = 0; k < 500; ++k) {
        double q[4], x[7];
        random_direction(q, 4, &r);
        e.anchor = (dp_v3){random_between(&r, -1, 1), random_between(&r, -1, 1), 0.0};
        e.relative.q = dp_quat_unit(dp_quat_load(q));
        // As if it had been read: the difference of a relpose and the anchor.
        const dp_v3 held = {random_between(&r, -3, 3), random_between(&r, -1e-3, 1e-3), 0.0};
        const dp_v3 turned = dp_quat_rotate(e.relative.q, e.anchor);
        e.relative.p = dp_v3_sub(held, turned);
        *dp_spec_equality(spec, id) = e;
        char *text = written(spec);
        const char *cursor = strstr(text, "relpose=\"") + strlen("relpose=\"");
        *strchr(cursor, '"') = '\0';
        for (int i = 0; i < 7; ++i) {
            assert_int_equal(dp_number_read(&x[i], &cursor), DP_NUMBER_OK);
        }
        const dp_v3 back = dp_v3_sub(dp_v3_load(x), turned);
        assert_memory_equal(&back, &e.relative.p, sizeof back);
        free(text);
    }
    e.anchor = (dp_v3){1e9, 0.0, 0.0};
    e.relative = (dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.1, 0.0, 0.0}};
    *dp_spec_equality(spec, id) = e;
    assert_refused(spec, DP_ERROR_UNSUPPORTED, "equality 'e' has a relative position that is lost");
    dp_spec_destroy(spec);
}

static void tendons_are_written_with_their_paths(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    const dp_wrap_spec path[] = {{.kind = DP_WRAP_SITE, .object = "s"},
                                 {.kind = DP_WRAP_GEOM, .object = "g", .side = "side"},
                                 {.kind = DP_WRAP_SITE, .object = "t"},
                                 {.kind = DP_WRAP_PULLEY, .coefficient = 2.0},
                                 {.kind = DP_WRAP_SITE, .object = "t"},
                                 {.kind = DP_WRAP_GEOM, .object = "h"},
                                 {.kind = DP_WRAP_SITE, .object = "u"}};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.name = "rope";
    tendon.spatial = true;
    tendon.wrap = path, tendon.nwrap = 7;
    tendon.limited = true;
    tendon.range[1] = 0.75;
    tendon.stiffness = 10.0;
    tendon.damping = 0.5;
    tendon.spring_range[0] = 0.25, tendon.spring_range[1] = 0.5;
    tendon.friction_loss = 0.125;
    tendon.armature = 0.0625;
    tendon.limit_solref[0] = 0.01;
    tendon.limit_solimp[4] = 3.0;
    tendon.margin = 0.001;
    assert_ok(dp_spec_add_tendon(NULL, spec, &tendon));
    const dp_wrap_spec sum[] = {{.kind = DP_WRAP_JOINT, .object = "j", .coefficient = -0.5},
                                {.kind = DP_WRAP_JOINT, .object = "k", .coefficient = 0.0}};
    tendon = dp_tendon_spec_default();
    tendon.wrap = sum, tendon.nwrap = 2;
    assert_ok(dp_spec_add_tendon(NULL, spec, &tendon));
    char *text = written(spec);
    assert_holds(text, "  <tendon>\n"
                       "    <spatial name=\"rope\" limited=\"true\" range=\"0 0.75\" "
                       "stiffness=\"10\" damping=\"0.5\"\n"
                       "        springlength=\"0.25 0.5\" frictionloss=\"0.125\" "
                       "armature=\"0.0625\" solreflimit=\"0.01 1\"\n"
                       "        solimplimit=\"0.9 0.95 0.001 0.5 3\" margin=\"0.001\">\n"
                       "      <site site=\"s\"/>\n"
                       "      <geom geom=\"g\" sidesite=\"side\"/>\n"
                       "      <site site=\"t\"/>\n"
                       "      <pulley divisor=\"2\"/>\n"
                       "      <site site=\"t\"/>\n"
                       "      <geom geom=\"h\"/>\n"
                       "      <site site=\"u\"/>\n"
                       "    </spatial>\n"
                       "    <fixed>\n"
                       "      <joint joint=\"j\" coef=\"-0.5\"/>\n"
                       "      <joint joint=\"k\" coef=\"0\"/>\n"
                       "    </fixed>\n"
                       "  </tendon>\n");
    free(text);
    dp_spec_destroy(spec);
}

static void actuators_and_sensors_of_tendons_and_sites_name_them(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_actuator_spec a = dp_actuator_spec_default();
    a.transmission = DP_DRIVES_TENDON;
    a.tendon = "rope";
    assert_ok(dp_spec_add_actuator(NULL, spec, &a));
    a.transmission = DP_DRIVES_SITE;
    a.site = "s";
    a.reference_site = "t";
    a.gear[0] = 0.0, a.gear[5] = 1.0;
    assert_ok(dp_spec_add_actuator(NULL, spec, &a));
    for (int kind = DP_SENSOR_TENDON_POSITION; kind <= DP_SENSOR_TENDON_ACTUATOR_FORCE; ++kind) {
        dp_sensor_spec s = dp_sensor_spec_default();
        s.kind = (dp_sensor_kind)kind;
        s.object = "rope";
        assert_ok(dp_spec_add_sensor(NULL, spec, &s));
    }
    char *text = written(spec);
    assert_holds(text, "<general tendon=\"rope\" dyntype=\"none\" gaintype=\"fixed\" "
                       "gainprm=\"1\" biastype=\"none\"/>");
    assert_holds(text, "<general site=\"s\" refsite=\"t\" gear=\"0 0 0 0 0 1\" dyntype=\"none\" "
                       "gaintype=\"fixed\" gainprm=\"1\"\n        biastype=\"none\"/>");
    assert_holds(text, "    <tendonpos tendon=\"rope\"/>\n"
                       "    <tendonvel tendon=\"rope\"/>\n"
                       "    <tendonactuatorfrc tendon=\"rope\"/>\n");
    free(text);
    dp_spec_destroy(spec);
}

// ---- what no file can say

// Every number of the spec, one after the other, made to be none.
static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    dp_spec *spec = spec_with_everything();
    dp_options *o = dp_spec_options(spec);
    dp_body_spec *body = dp_spec_body(spec, (dp_body_id){1});
    dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){0});
    dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){5});
    dp_site_spec *site = dp_spec_site(spec, (dp_site_id){2});
    dp_actuator_spec *a = dp_spec_actuator(spec, (dp_actuator_id){9});
    double *const number[] = {&o->step,
                              &o->gravity.y,
                              &o->magnetic.z,
                              &o->relative_tolerance,
                              &o->absolute_tolerance,
                              &o->large_rotation,
                              &body->pose.p.x,
                              &body->pose.q.z,
                              &body->gravity_compensation,
                              &body->inertial.mass,
                              &body->inertial.frame.p.z,
                              &body->inertial.frame.q.w,
                              &body->inertial.moments.y,
                              &joint->anchor.x,
                              &joint->axis.y,
                              &joint->ref,
                              &joint->armature,
                              &joint->damping,
                              &joint->stiffness,
                              &joint->spring_ref,
                              &joint->friction_loss,
                              &joint->range[1],
                              &geom->size[2],
                              &geom->pose.p.y,
                              &geom->pose.q.x,
                              &geom->mass,
                              &geom->density,
                              &geom->friction[2],
                              &geom->contact.solmix,
                              &geom->contact.margin,
                              &geom->contact.gap,
                              &site->pose.p.z,
                              &site->pose.q.y,
                              &a->gear[3],
                              &a->time_constant,
                              &a->gain[2],
                              &a->bias[0],
                              &a->control_range[0],
                              &a->force_range[1],
                              &a->activation_range[0],
                              &dp_spec_sensor(spec, (dp_sensor_id){0})->cutoff,
                              &dp_spec_key(spec, (dp_key_id){0})->time};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; ++i) {
        const double before = *number[i];
        *number[i] = i % 2 ? NAN : INFINITY;
        assert_refused(spec, DP_ERROR_ARGUMENT, "(expected finite numbers)");
        *number[i] = before;
    }
    geom->rgba[3] = NAN;
    assert_refused(spec, DP_ERROR_ARGUMENT, "geom 'g5' has nan in its rgba");
    geom->rgba[3] = 1.0f;
    const double q[] = {1.0, INFINITY};
    dp_spec_key(spec, (dp_key_id){0})->q = q;
    dp_spec_key(spec, (dp_key_id){0})->nq = 2;
    assert_refused(spec, DP_ERROR_ARGUMENT, "key 0 (unnamed) has inf in its qpos");
    dp_spec_destroy(spec);
}

static void what_no_mechanism_has_is_refused(void **state)
{
    (void)state;
    dp_spec *spec = spec_with_everything();
    dp_body_spec *body = dp_spec_body(spec, (dp_body_id){2});
    const dp_quat none = {0.0, 0.0, 0.0, 0.0}, q = body->pose.q;
    body->pose.q = none;
    assert_refused(spec, DP_ERROR_ARGUMENT, "body 'hand' has a zero quaternion");
    body->pose.q = q;

    body->inertia_source = (dp_inertia_source)9;
    assert_refused(spec, DP_ERROR_ARGUMENT, "inertia source number 9");
    body->inertia_source = DP_INERTIA_FROM_GEOMS;

    dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){1});
    joint->kind = (dp_joint_kind)7;
    assert_refused(spec, DP_ERROR_ARGUMENT, "joint 'slide' has kind number 7");
    joint->kind = DP_SLIDE;

    dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){3});
    const dp_geom_kind kind = geom->kind;
    geom->kind = (dp_geom_kind)-1;
    assert_refused(spec, DP_ERROR_ARGUMENT, "geom 'g3' has kind number -1");
    geom->kind = DP_MESH;
    assert_refused(spec, DP_ERROR_ARGUMENT, "geom 'g3' is a mesh but names none");
    geom->kind = kind;

    dp_actuator_spec *a = dp_spec_actuator(spec, (dp_actuator_id){0});
    a->dynamics = (dp_actuator_dynamics)4;
    assert_refused(spec, DP_ERROR_ARGUMENT, "actuator 'a0' has dynamics number 4");
    a->dynamics = DP_DYNAMICS_NONE;
    a->transmission = (dp_transmission)3;
    assert_refused(spec, DP_ERROR_ARGUMENT, "actuator 'a0' has transmission number 3");
    a->transmission = DP_DRIVES_JOINT;

    dp_sensor_spec *s = dp_spec_sensor(spec, (dp_sensor_id){1});
    s->kind = DP_SENSOR_KINDS;
    assert_refused(spec, DP_ERROR_ARGUMENT, "sensor 'velocimeter' has kind number");
    s->kind = DP_SENSOR_CLOCK;
    assert_refused(spec, DP_ERROR_ARGUMENT, "of kind clock is attached to");
    s->kind = DP_SENSOR_FRAME_POSITION;
    assert_refused(spec, DP_ERROR_ARGUMENT, "does not say what kind of object");
    s->object_kind = DP_OBJECT_TENDON;
    assert_refused(spec, DP_ERROR_ARGUMENT, "attached to object kind 'tendon'");
    s->kind = DP_SENSOR_GYRO;
    assert_refused(spec, DP_ERROR_ARGUMENT, "attached to object kind 'tendon' (expected site)");
    s->object_kind = DP_OBJECT_NONE;
    s->reference = "world";
    assert_refused(spec, DP_ERROR_ARGUMENT, "(expected none: it cannot be relative)");
    s->reference = NULL;

    dp_spec_options(spec)->integrator = (dp_integrator)5;
    assert_refused(spec, DP_ERROR_ARGUMENT, "integrator number 5");
    dp_spec_options(spec)->integrator = DP_RK4;
    assert_round_trip(spec); // all is well again
    dp_spec_destroy(spec);
}

static void a_world_that_moves_or_has_another_name_is_refused(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_body_spec *world = dp_spec_body(spec, DP_WORLD);
    world->name = "ground";
    assert_refused(spec, DP_ERROR_UNSUPPORTED, "the world is called 'ground'");
    world->name = "world";
    world->pose.p.z = 1.0;
    assert_refused(spec, DP_ERROR_ARGUMENT, "the world has been moved");
    world->pose.p.z = 0.0;
    add_joint(spec, DP_WORLD, "j", DP_HINGE);
    assert_refused(spec, DP_ERROR_ARGUMENT, "joint 'j' is on the world");
    dp_spec_destroy(spec);
}

static void constraints_that_mjcf_cannot_say_are_refused(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_equality_spec e = dp_equality_spec_default();
    e.name = "e";
    e.object[0] = "s";
    e.object_kind = DP_OBJECT_SITE;
    dp_equality_id id;
    assert_ok(dp_spec_add_equality(&id, spec, &e));
    dp_equality_spec *at = dp_spec_equality(spec, id);
    assert_refused(spec, DP_ERROR_ARGUMENT, "equality 'e' holds site 's' alone");
    at->object[1] = "t";
    at->anchor.x = 1.0;
    assert_refused(spec, DP_ERROR_UNSUPPORTED, "has an anchor beside its sites");
    at->relative_given = true;
    assert_refused(spec, DP_ERROR_UNSUPPORTED, "has a relative pose beside its sites");
    at->object_kind = DP_OBJECT_GEOM;
    assert_refused(spec, DP_ERROR_ARGUMENT, "holds objects of kind 'geom'");
    at->object_kind = DP_OBJECT_BODY;
    at->kind = DP_EQUALITY_WELD;
    at->relative.q = (dp_quat){0.0, 0.0, 0.0, 0.0};
    assert_refused(spec, DP_ERROR_ARGUMENT, "equality 'e' has a zero quaternion");
    at->kind = (dp_equality_kind)4;
    assert_refused(spec, DP_ERROR_ARGUMENT, "equality 'e' has kind number 4");
    at->kind = DP_EQUALITY_CONNECT;

    dp_wrap_spec wrap = {.kind = DP_WRAP_SITE, .object = "s"};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.name = "rope";
    tendon.wrap = &wrap, tendon.nwrap = 1;
    dp_tendon_id rope;
    assert_ok(dp_spec_add_tendon(&rope, spec, &tendon));
    assert_refused(spec, DP_ERROR_ARGUMENT, "tendon 'rope' is fixed but has a site at station 1");
    dp_spec_tendon(spec, rope)->spatial = true;
    free(written(spec));
    wrap.kind = DP_WRAP_JOINT;
    dp_spec_tendon(spec, rope)->wrap = &wrap;
    assert_refused(spec, DP_ERROR_ARGUMENT, "is spatial but has a joint at station 1");
    wrap.kind = DP_WRAP_PULLEY;
    wrap.coefficient = NAN;
    assert_refused(spec, DP_ERROR_ARGUMENT, "tendon 'rope' has nan in its divisor");
    wrap.kind = (dp_wrap_kind)9;
    assert_refused(spec, DP_ERROR_ARGUMENT, "tendon 'rope' has station kind number 9");
    dp_spec_destroy(spec);
}

static void assets_without_content_are_refused(void **state)
{
    (void)state;
    dp_spec *spec = empty_spec();
    dp_mesh_spec mesh = dp_mesh_spec_default();
    mesh.name = "m";
    dp_mesh_id id;
    assert_ok(dp_spec_add_mesh(&id, spec, &mesh));
    assert_refused(spec, DP_ERROR_ARGUMENT, "mesh 'm' has no vertices");
    const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    dp_spec_mesh(spec, id)->vertex = corner;
    dp_spec_mesh(spec, id)->nvertex = 4;
    dp_spec_mesh(spec, id)->inertia = (dp_mesh_inertia)9;
    assert_refused(spec, DP_ERROR_ARGUMENT, "mesh 'm' has inertia number 9");
    dp_spec_mesh(spec, id)->inertia = DP_MESH_SHELL;
    dp_hfield_spec hfield = dp_hfield_spec_default();
    hfield.name = "h";
    hfield.nrow = 3;
    assert_ok(dp_spec_add_hfield(NULL, spec, &hfield));
    assert_refused(spec, DP_ERROR_ARGUMENT, "hfield 'h' has 3 rows and 0 columns");
    dp_spec_destroy(spec);
}

// ---- files

static void a_saved_file_holds_what_is_written(void **state)
{
    (void)state;
    const char *path = DP_SCRATCH "/saved.xml";
    dp_spec *spec = spec_with_everything();
    assert_ok(dp_mjcf_save(path, spec));
    assert_ok(dp_mjcf_save(path, spec)); // replaces the first
    dp_spec *again;
    assert_ok(dp_mjcf_load(&again, NULL, path, NULL));
    assert_same_spec(spec, again);
    dp_spec_destroy(again);
    remove(path);
    dp_spec_destroy(spec);
}

static void a_file_that_cannot_be_written_is_not_touched(void **state)
{
    (void)state;
    const char *path = DP_SCRATCH "/untouched.xml";
    dp_spec *spec = empty_spec();
    assert_ok(dp_mjcf_save(path, spec));
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    assert_ok(dp_spec_set_title(spec, "\x01"));
    assert_int_equal(dp_mjcf_save(path, spec), DP_ERROR_UNSUPPORTED);
    assert_int_equal(stat(path, &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
    remove(path);

    assert_ok(dp_spec_set_title(spec, ""));
    assert_int_equal(dp_mjcf_save(DP_SCRATCH "/no/such/folder/a.xml", spec), DP_ERROR_IO);
    assert_non_null(strstr(dp_last_error(), "no/such/folder/a.xml"));
    dp_spec_destroy(spec);
}

// ---- size

static dp_spec *many_bodies(int count, bool chain)
{
    dp_spec *spec = empty_spec();
    dp_body_id parent = DP_WORLD;
    for (int i = 0; i < count; ++i) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        const dp_body_id body = add_ball_body(spec, parent, name);
        snprintf(name, sizeof name, "j%d", i);
        dp_spec_joint(spec, add_joint(spec, body, name, DP_HINGE))->damping = 1.0 / (i + 3);
        parent = chain ? body : DP_WORLD;
    }
    return spec;
}

// The text of a chain grows with its length, not with the square of it as its nesting would
// ask.
static void ten_thousand_bodies_are_written_in_well_under_a_second(void **state)
{
    (void)state;
    for (int chain = 0; chain < 2; ++chain) {
        dp_spec *spec = many_bodies(10000, chain);
        const clock_t start = clock();
        char *text = written(spec);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        assert_true(seconds < 0.5); // 0.03 s in a release build; sanitizers take their share
        assert_true(strlen(text) < 10000 * 400);
        dp_spec *again = read_text(text);
        assert_same_spec(spec, again);
        free(text);
        dp_spec_destroy(spec);
        dp_spec_destroy(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_reads_back_to_the_same_bits),
        cmocka_unit_test(every_float_reads_back_through_a_double),
        cmocka_unit_test(numbers_that_people_write_stay_short),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(an_empty_spec_is_written_with_its_settings_only),
        cmocka_unit_test(a_free_joint_without_numbers_is_a_freejoint),
        cmocka_unit_test(every_field_survives),
        cmocka_unit_test(every_option_survives),
        cmocka_unit_test(our_own_options_are_written_only_where_they_differ),
        cmocka_unit_test(a_servo_with_negative_damping_is_not_taken_for_a_damping_ratio),
        cmocka_unit_test(geoms_of_every_group_keep_their_mass),
        cmocka_unit_test(a_quaternion_is_written_with_unit_length),
        cmocka_unit_test(names_with_markup_white_space_and_any_script_survive),
        cmocka_unit_test(names_that_xml_cannot_hold_are_refused),
        cmocka_unit_test(bodies_are_written_depth_first),
        cmocka_unit_test(joints_of_a_body_keep_their_order),
        cmocka_unit_test(scenes_come_back_the_same_and_move_the_same),
        cmocka_unit_test(random_mechanisms_come_back_the_same_and_move_the_same),
        cmocka_unit_test(random_specs_move_the_same_after_a_round_trip),
        cmocka_unit_test(meshes_are_written_with_their_vertices_and_faces),
        cmocka_unit_test(elevations_are_written_from_north_to_south),
        cmocka_unit_test(elevations_that_a_reader_would_stretch_are_refused),
        cmocka_unit_test(contact_numbers_are_written_where_they_are_not_the_default),
        cmocka_unit_test(a_pair_with_the_numbers_of_its_geoms_is_refused),
        cmocka_unit_test(a_sensor_on_a_mesh_is_refused),
        cmocka_unit_test(equalities_are_written_in_their_order),
        cmocka_unit_test(a_relpose_holds_the_anchor_and_gives_it_back),
        cmocka_unit_test(tendons_are_written_with_their_paths),
        cmocka_unit_test(actuators_and_sensors_of_tendons_and_sites_name_them),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(what_no_mechanism_has_is_refused),
        cmocka_unit_test(a_world_that_moves_or_has_another_name_is_refused),
        cmocka_unit_test(constraints_that_mjcf_cannot_say_are_refused),
        cmocka_unit_test(assets_without_content_are_refused),
        cmocka_unit_test(a_saved_file_holds_what_is_written),
        cmocka_unit_test(a_file_that_cannot_be_written_is_not_touched),
        cmocka_unit_test(ten_thousand_bodies_are_written_in_well_under_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
