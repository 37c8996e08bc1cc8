// What MJCF means: from text to a spec. Values that MuJoCo defines were confirmed with MuJoCo 2.2.2
// where it knows the element; frames and replicate, which it does not know, are compared with their
// definition.
#include "imported.h"
#include "near.h"
#include "spec_parts.h"
#include "text_file.h"

#include "geom/mass.h"
#include "io/mjcf/schema/mjcf_schema.h"
#include "math/angle.h"

#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double ROUND_OFF = 1e-15; // of a few operations on numbers of order one

static dp_status try_load(dp_spec **out, dp_import_report **report, const char *text,
                          const dp_import_options *options)
{
    return dp_mjcf_parse(out, report, text, strlen(text), "a.xml", options);
}

static dp_spec *load(const char *text)
{
    dp_spec *spec;
    if (try_load(&spec, NULL, text, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return spec;
}

static const dp_v3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

// ---- the smallest files

static void an_empty_model_is_a_world_and_nothing_else(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco model='nothing'/>");
    assert_string_equal(dp_spec_title(s), "nothing");
    assert_int_equal(dp_spec_body_count(s), 1);
    assert_int_equal(dp_spec_geom_count(s), 0);
    dp_spec_destroy(s);
}

static void every_shipped_scene_loads(void **state)
{
    (void)state;
    static const char *const scene[] = {
        "pendulum",  "double_pendulum", "cart_pole",  "spinning_top", "chain_10", "chain_50",
        "chain_100", "arm_7dof",        "hand_16dof", "quadruped",    "humanoid"};
    for (size_t i = 0; i < sizeof scene / sizeof scene[0]; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.xml", DP_SCENES, scene[i]);
        dp_spec *s;
        if (dp_mjcf_load(&s, NULL, path, NULL) != DP_OK) {
            fail_msg("%s", dp_last_error());
        }
        assert_true(dp_spec_joint_count(s) > 0);
        dp_spec_destroy(s);
    }
}

// ---- options

static void options_and_flags_reach_the_spec(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><option timestep='0.004' gravity='1 2 3' magnetic='4 5 6' integrator='RK4'>"
             "<flag contact='disable' limit='disable' spring='disable' damper='disable' "
             "gravity='disable' actuation='disable' clampctrl='disable'/></option></mujoco>");
    const dp_options *o = dp_spec_options(s);
    assert_true(o->step == 0.004);
    assert_v3(o->gravity, 1, 2, 3);
    assert_v3(o->magnetic, 4, 5, 6);
    assert_int_equal(o->integrator, DP_INTEGRATOR_RK4);
    assert_true(o->disable_contact && o->disable_limits && o->disable_springs);
    assert_true(o->disable_dampers && o->disable_gravity && o->disable_actuation);
    assert_true(o->disable_clamp_control);
    dp_spec_destroy(s);

    s = load("<mujoco><option><flag passive='disable' constraint='disable'/></option></mujoco>");
    o = dp_spec_options(s);
    assert_true(o->disable_springs && o->disable_dampers && o->disable_contact &&
                o->disable_limits);
    assert_false(o->disable_gravity);
    dp_spec_destroy(s);
}

static void a_later_option_changes_only_what_it_names(void **state)
{
    (void)state;
    dp_spec *s = load(
        "<mujoco><option timestep='0.01' gravity='0 0 -1'/><option timestep='0.02'/></mujoco>");
    assert_true(dp_spec_options(s)->step == 0.02);
    assert_v3(dp_spec_options(s)->gravity, 0, 0, -1);
    dp_spec_destroy(s);
}

static void our_own_options_are_read_from_our_namespace(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco xmlns:dp='dashpot'><option timestep='0.01'/>"
             "<dp:option step='0.003' integrator='rk45' relative_tolerance='1e-6' "
             "absolute_tolerance='1e-7' max_substeps='50' large_rotation='0.2'/></mujoco>");
    const dp_options *o = dp_spec_options(s);
    assert_true(o->step == 0.003); // ours comes last
    assert_int_equal(o->integrator, DP_INTEGRATOR_RK45);
    assert_true(o->relative_tolerance == 1e-6 && o->absolute_tolerance == 1e-7);
    assert_int_equal(o->max_substeps, 50);
    assert_true(o->large_rotation == 0.2);
    dp_spec_destroy(s);
}

// ---- angles and orientations

static void angles_are_degrees_unless_radians_are_asked_for(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><worldbody><body euler='0 0 90'><joint ref='180' springref='-90' "
                      "range='-60 30'/><joint type='slide' ref='2' range='-3 4'/>"
                      "<joint type='ball' range='0 45'/></body></worldbody></mujoco>");
    assert_rotation(body(s, 1)->pose.q, dp_quat_about(Z, DP_PI / 2));
    assert_near(joint(s, 0)->ref, DP_PI, ROUND_OFF);
    assert_near(joint(s, 0)->spring_ref, -DP_PI / 2, ROUND_OFF);
    assert_near(joint(s, 0)->range[0], -DP_PI / 3, 2 * ROUND_OFF);
    assert_near(joint(s, 0)->range[1], DP_PI / 6, ROUND_OFF);
    assert_true(joint(s, 1)->ref == 2.0 && joint(s, 1)->range[1] == 4.0);
    assert_near(joint(s, 2)->range[1], DP_PI / 4, ROUND_OFF);
    dp_spec_destroy(s);

    s = load(
        "<mujoco><worldbody><body euler='0 0 1'><joint ref='1' range='-1 1'/></body></worldbody>"
        "<compiler angle='radian'/></mujoco>"); // settings count wherever they stand
    assert_rotation(body(s, 1)->pose.q, dp_quat_about(Z, 1.0));
    assert_true(joint(s, 0)->ref == 1.0 && joint(s, 0)->range[0] == -1.0);
    dp_spec_destroy(s);
}

static void lower_case_euler_letters_turn_about_moving_axes(void **state)
{
    (void)state;
    static const char *const order[] = {"xyz", "zyx", "XYZ", "zXy"};
    const dp_quat a = dp_quat_about(X, 0.3), b = dp_quat_about(Y, 0.5), c = dp_quat_about(Z, 0.7);
    const dp_quat A = dp_quat_about(Z, 0.3), C = dp_quat_about(X, 0.7);
    const dp_quat expected[] = {
        dp_quat_mul(dp_quat_mul(a, b), c),
        dp_quat_mul(dp_quat_mul(A, b), C),
        dp_quat_mul(c, dp_quat_mul(b, a)),
        // z moving, X fixed, y moving
        dp_quat_mul(dp_quat_mul(dp_quat_about(X, 0.5), A), dp_quat_about(Y, 0.7)),
    };
    for (int i = 0; i < 4; ++i) {
        char text[256];
        snprintf(text, sizeof text,
                 "<mujoco><compiler angle='radian' eulerseq='%s'/><worldbody>"
                 "<body euler='0.3 0.5 0.7'/></worldbody></mujoco>",
                 order[i]);
        dp_spec *s = load(text);
        assert_rotation(body(s, 1)->pose.q, expected[i]);
        dp_spec_destroy(s);
    }
}

static void five_ways_to_say_one_orientation_agree(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><worldbody>"
                      "<body axisangle='0 0 2 30'/><body euler='0 0 30'/>"
                      "<body quat='9.6592582628906829 0 0 2.5881904510252074'/>"
                      "<body xyaxes='8.6602540378443865 5 0 1 7 0'/>"
                      "<body zaxis='3 0 4'/>"
                      "</worldbody></mujoco>");
    const dp_quat turn = dp_quat_about(Z, DP_PI / 6);
    for (int i = 1; i <= 4; ++i) {
        assert_rotation(body(s, i)->pose.q, turn);
        assert_near(dp_quat_norm(body(s, i)->pose.q), 1.0, ROUND_OFF);
    }
    const dp_quat q = body(s, 5)->pose.q; // the shortest way from z to (3, 0, 4)/5: about y
    assert_v3(dp_quat_rotate(q, Z), 0.6, 0, 0.8);
    assert_v3(dp_quat_rotate(q, Y), 0, 1, 0);
    dp_spec_destroy(s);
}

static void an_orientation_may_be_any_rotation(void **state)
{
    (void)state;
    random_source r = {5};
    for (int i = 0; i < 200; ++i) {
        const dp_v3 x = {random_between(&r, -1, 1), random_between(&r, -1, 1),
                         random_between(&r, -1, 1)};
        const dp_v3 y = {random_between(&r, -1, 1), random_between(&r, -1, 1),
                         random_between(&r, -1, 1)};
        char text[512];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body xyaxes='%.17g %.17g %.17g %.17g %.17g %.17g'/>"
                 "<body zaxis='%.17g %.17g %.17g'/></worldbody></mujoco>",
                 x.x, x.y, x.z, y.x, y.y, y.z, x.x, x.y, x.z);
        dp_spec *s = load(text);
        const dp_v3 unit = dp_v3_scale(x, 1.0 / dp_v3_norm(x));
        assert_v3(dp_quat_rotate(body(s, 1)->pose.q, X), unit.x, unit.y, unit.z);
        assert_v3(dp_quat_rotate(body(s, 2)->pose.q, Z), unit.x, unit.y, unit.z);
        const dp_v3 across = dp_quat_rotate(body(s, 1)->pose.q, Y);
        assert_true(dp_v3_dot(across, y) > 0.0);
        assert_near(dp_v3_dot(across, unit), 0.0, 8 * ROUND_OFF);
        dp_spec_destroy(s);
    }
}

static void the_direction_against_z_turns_about_x(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><worldbody><body zaxis='0 0 -1'/><body zaxis='0 0 1'/></worldbody></mujoco>");
    assert_rotation(body(s, 1)->pose.q, dp_quat_about(X, DP_PI));
    assert_rotation(body(s, 2)->pose.q, (dp_quat){1, 0, 0, 0});
    dp_spec_destroy(s);
}

// ---- defaults

static void a_class_starts_from_the_class_around_it(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><default><joint damping='1' armature='2'/>"
                      "<default class='a'><joint damping='3'/>"
                      "<default class='b'><joint stiffness='4'/></default></default></default>"
                      "<worldbody><body><joint/><joint class='a'/><joint class='b'/>"
                      "<joint class='b' damping='5'/></body></worldbody></mujoco>");
    const double damping[] = {1, 3, 3, 5}, stiffness[] = {0, 0, 4, 4};
    for (int i = 0; i < 4; ++i) {
        assert_true(joint(s, i)->damping == damping[i]);
        assert_true(joint(s, i)->stiffness == stiffness[i]);
        assert_true(joint(s, i)->armature == 2.0);
    }
    dp_spec_destroy(s);
}

static void elements_of_a_class_reach_the_classes_nested_before_them(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><default><default class='a'/><joint damping='1'/></default>"
                      "<default><joint damping='2'/></default>" // too late for a
                      "<worldbody><body><joint/><joint class='a'/></body></worldbody></mujoco>");
    assert_true(joint(s, 0)->damping == 2.0);
    assert_true(joint(s, 1)->damping == 1.0);
    dp_spec_destroy(s);
}

static void the_class_comes_from_the_element_or_the_nearest_childclass(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><default><default class='a'><joint damping='1'/></default>"
             "<default class='b'><joint damping='2'/></default></default><worldbody>"
             "<body childclass='a'><joint/><joint class='b'/><joint class='main'/>"
             "<body><joint/><frame childclass='b'><joint/><body><joint/></body></frame></body>"
             "<body childclass='b'><joint/></body></body></worldbody></mujoco>");
    // own content of a body comes before its children
    const double damping[] = {1, 2, 0, 1, 2, 2, 2};
    assert_int_equal(dp_spec_joint_count(s), 7);
    for (int i = 0; i < 7; ++i) {
        assert_true(joint(s, i)->damping == damping[i]);
    }
    dp_spec_destroy(s);
}

static void a_short_array_overwrites_only_its_own_length(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><default><geom type='box' size='1 2 3' friction='.5 .6'/>"
             "<default class='a'><geom size='4 5' friction='.7'/></default></default>"
             "<worldbody><geom/><geom class='a'/><geom class='a' size='6'/></worldbody></mujoco>");
    const double size[3][3] = {{1, 2, 3}, {4, 5, 3}, {6, 5, 3}};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            assert_true(geom(s, i)->size[k] == size[i][k]);
        }
    }
    assert_true(geom(s, 1)->friction[0] == 0.7 && geom(s, 1)->friction[1] == 0.6);
    assert_true(geom(s, 1)->friction[2] == 0.0001); // MJCF's own default
    dp_spec_destroy(s);
}

static void the_orientation_given_last_overrides_that_of_the_class(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><default><geom size='1' euler='90 0 0'/><site quat='0 0 1 0'/>"
             "<default class='a'><geom quat='0 0 1 0'/><site zaxis='1 0 0'/></default></default>"
             "<worldbody><geom/><geom class='a'/><geom class='a' zaxis='0 0 1'/>"
             "<geom quat='0 0 1 0'/><site/><site quat='0 1 0 0'/><site class='a'/>"
             "<site class='a' quat='0 1 0 0'/></worldbody></mujoco>");
    assert_rotation(geom(s, 0)->pose.q, dp_quat_about(X, DP_PI / 2));
    assert_rotation(geom(s, 1)->pose.q, dp_quat_about(Y, DP_PI));
    assert_rotation(geom(s, 2)->pose.q, (dp_quat){1, 0, 0, 0});
    assert_rotation(geom(s, 3)->pose.q, dp_quat_about(Y, DP_PI));
    assert_rotation(site(s, 0)->pose.q, dp_quat_about(Y, DP_PI));
    assert_rotation(site(s, 1)->pose.q, dp_quat_about(X, DP_PI));
    assert_rotation(site(s, 2)->pose.q, dp_quat_about(Y, DP_PI / 2));
    assert_rotation(site(s, 3)->pose.q, dp_quat_about(X, DP_PI));
    dp_spec_destroy(s);
}

static void a_freejoint_takes_no_defaults_and_a_joint_of_type_free_does(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><default><joint damping='1' armature='2'/></default><worldbody>"
                      "<body><freejoint name='f'/></body><body><joint type='free'/></body>"
                      "</worldbody></mujoco>");
    assert_int_equal(joint(s, 0)->kind, DP_JOINT_FREE);
    assert_string_equal(joint(s, 0)->name, "f");
    assert_true(joint(s, 0)->damping == 0.0 && joint(s, 0)->armature == 0.0);
    assert_int_equal(joint(s, 1)->kind, DP_JOINT_FREE);
    assert_true(joint(s, 1)->damping == 1.0 && joint(s, 1)->armature == 2.0);
    dp_spec_destroy(s);
}

static void an_old_name_for_the_outermost_class_still_means_main(void **state)
{
    (void)state;
    dp_spec *s = load(
        "<mujoco><default class='robot'><joint damping='1'/></default><worldbody>"
        "<body><joint/><joint class='robot'/><joint class='main'/></body></worldbody></mujoco>");
    for (int i = 0; i < 3; ++i) {
        assert_true(joint(s, i)->damping == 1.0);
    }
    dp_spec_destroy(s);
}

// ---- bodies, frames, geoms

static void a_frame_moves_everything_in_it(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><compiler angle='radian'/><worldbody><body>"
                      "<frame pos='1 2 3' euler='0.1 0.2 0.3'><frame euler='0 0 0.5' pos='0 1 0'>"
                      "<joint pos='1 0 0' axis='0 1 0'/><joint type='free' axis='1 0 0'/>"
                      "<geom size='1' pos='.1 .2 .3' euler='0 1 0'/><site pos='.4 0 0'/>"
                      "<body pos='0 0 1' euler='1 0 0'><geom size='1' pos='7 8 9'/></body>"
                      "</frame></frame></body></worldbody></mujoco>");
    const dp_quat turn = dp_quat_mul(dp_quat_mul(dp_quat_about(X, 0.1), dp_quat_about(Y, 0.2)),
                                     dp_quat_about(Z, 0.3));
    const dp_pose frame =
        dp_pose_mul((dp_pose){turn, {1, 2, 3}}, (dp_pose){dp_quat_about(Z, 0.5), {0, 1, 0}});
    const dp_v3 anchor = dp_pose_apply(frame, X), axis = dp_quat_rotate(frame.q, Y);
    assert_v3(joint(s, 0)->anchor, anchor.x, anchor.y, anchor.z);
    assert_v3(joint(s, 0)->axis, axis.x, axis.y, axis.z);
    assert_v3(joint(s, 1)->anchor, 0, 0, 0); // a free joint is at the body's origin

    const dp_pose of_geom = dp_pose_mul(frame, (dp_pose){dp_quat_about(Y, 1), {0.1, 0.2, 0.3}});
    assert_v3(geom(s, 0)->pose.p, of_geom.p.x, of_geom.p.y, of_geom.p.z);
    assert_rotation(geom(s, 0)->pose.q, of_geom.q);
    const dp_v3 of_site = dp_pose_apply(frame, (dp_v3){0.4, 0, 0});
    assert_v3(site(s, 0)->pose.p, of_site.x, of_site.y, of_site.z);
    const dp_pose of_body = dp_pose_mul(frame, (dp_pose){dp_quat_about(X, 1), {0, 0, 1}});
    assert_v3(body(s, 2)->pose.p, of_body.p.x, of_body.p.y, of_body.p.z);
    assert_rotation(body(s, 2)->pose.q, of_body.q);
    assert_v3(geom(s, 1)->pose.p, 7, 8, 9); // inside the body the frame is gone
    dp_spec_destroy(s);
}

static void what_is_in_a_frame_belongs_to_the_body_around_it(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><option><flag contact='disable'/></option><worldbody>"
                      "<body name='first'><geom size='1'/></body><body name='a'><geom size='1'/>"
                      "<frame pos='1 0 0'><joint/><geom size='1'/><site/><body name='b'>"
                      "<geom size='1'/></body></frame><replicate count='2'><body name='c'>"
                      "<geom size='1'/></body></replicate></body></worldbody></mujoco>");
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, s), DP_OK);
    const int a = 2;
    assert_string_equal(dp_model_body(m, (dp_body_id){a}).name, "a");
    assert_int_equal(dp_model_joint(m, (dp_joint_id){0}).body.index, a);
    assert_int_equal(dp_model_geom(m, (dp_geom_id){2}).body.index, a);
    assert_int_equal(dp_model_site(m, (dp_site_id){0}).body.index, a);
    for (int child = 3; child < 6; ++child) { // b and both copies of c
        assert_int_equal(dp_model_body(m, (dp_body_id){child}).parent.index, a);
    }
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

static void ids_are_those_of_mujoco(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><worldbody><body name='a'><body name='b'><geom name='gb' size='1'/></body>"
             "<geom name='ga' size='1'/></body><geom name='g0' size='1'/></worldbody>"
             "<worldbody><geom name='g1' size='1'/><body name='c'/></worldbody></mujoco>");
    static const char *const bodies[] = {"world", "a", "b", "c"};
    static const char *const geoms[] = {"g0", "g1", "ga", "gb"};
    for (int i = 0; i < 4; ++i) {
        assert_string_equal(body(s, i)->name, bodies[i]);
        assert_string_equal(geom(s, i)->name, geoms[i]);
    }
    dp_spec_destroy(s);
}

static void fromto_gives_centre_direction_and_half_length(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><worldbody>"
                      "<geom type='capsule' size='.1' fromto='1 0 0 1 0 4'/>"
                      "<geom type='box' size='.2' fromto='0 0 0 3 4 0'/>"
                      "<site type='cylinder' fromto='0 0 0 0 2 0'/></worldbody></mujoco>");
    assert_v3(geom(s, 0)->pose.p, 1, 0, 2);
    assert_true(geom(s, 0)->size[0] == 0.1 && geom(s, 0)->size[1] == 2.0);
    assert_v3(dp_quat_rotate(geom(s, 0)->pose.q, Z), 0, 0, -1); // back to the first end
    assert_v3(geom(s, 1)->pose.p, 1.5, 2, 0);
    assert_v3(dp_quat_rotate(geom(s, 1)->pose.q, Z), -0.6, -0.8, 0);
    assert_true(geom(s, 1)->size[0] == 0.2 && geom(s, 1)->size[1] == 0.2);
    assert_near(geom(s, 1)->size[2], 2.5, ROUND_OFF);
    assert_v3(site(s, 0)->pose.p, 0, 1, 0);
    dp_spec_destroy(s);
}

static void geoms_have_the_kind_and_numbers_that_the_file_says(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><worldbody><geom size='1'/><geom type='plane' size='0 0 1'/>"
                      "<geom type='ellipsoid' size='1 2 3' mass='4' rgba='1 0 .5 .25' group='2' "
                      "contype='3' conaffinity='0'/><geom type='cylinder' size='1 2' density='7'/>"
                      "</worldbody></mujoco>");
    assert_int_equal(geom(s, 0)->kind, DP_GEOM_SPHERE);
    assert_true(geom(s, 0)->mass < 0.0 && geom(s, 0)->density == 1000.0);
    assert_int_equal(geom(s, 0)->contype, 1);
    assert_int_equal(geom(s, 1)->kind, DP_GEOM_PLANE);
    assert_int_equal(geom(s, 2)->kind, DP_GEOM_ELLIPSOID);
    assert_true(geom(s, 2)->mass == 4.0);
    assert_int_equal(geom(s, 2)->group, 2);
    assert_int_equal(geom(s, 2)->contype, 3);
    assert_int_equal(geom(s, 2)->conaffinity, 0);
    assert_true(geom(s, 2)->rgba[2] == 0.5f && geom(s, 2)->rgba[3] == 0.25f);
    assert_int_equal(geom(s, 3)->kind, DP_GEOM_CYLINDER);
    assert_true(geom(s, 3)->density == 7.0);
    dp_spec_destroy(s);
}

static void bodies_carry_mocap_and_gravity_compensation(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><worldbody><body mocap='true' pos='1 2 3'/>"
                      "<body gravcomp='0.5'/></worldbody></mujoco>");
    assert_true(body(s, 1)->mocap);
    assert_v3(body(s, 1)->pose.p, 1, 2, 3);
    assert_false(body(s, 2)->mocap);
    assert_true(body(s, 2)->gravity_compensation == 0.5);
    dp_spec_destroy(s);
}

static void a_range_limits_a_joint_unless_it_is_said_not_to(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><default><default class='a'><joint range='-1 1'/></default></default>"
             "<worldbody><body><joint/><joint range='-1 1'/><joint range='-1 1' limited='false'/>"
             "<joint class='a'/><joint range='0 0'/></body></worldbody></mujoco>");
    const bool limited[] = {false, true, false, true, false};
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(joint(s, i)->limited, limited[i]);
    }
    dp_spec_destroy(s);
}

// ---- mass

static void a_frame_moves_an_inertial(void **state)
{
    (void)state;
    static const char *const moments[] = {"diaginertia='3 4 5'", "fullinertia='3 4 5 0 0 0'"};
    for (int i = 0; i < 2; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body><frame pos='1 2 3' euler='0 0 90'><frame pos='1 0 0'>"
                 "<inertial pos='.1 .2 .3' mass='4' %s/></frame></frame></body></worldbody>"
                 "</mujoco>",
                 moments[i]);
        dp_spec *s = load(text);
        assert_v3(body(s, 1)->inertial.frame.p, 1 - 0.2, 2 + 1.1, 3.3); // x is y, y is −x
        const dp_sym3 I = dp_inertial_tensor(&body(s, 1)->inertial);
        assert_v3((dp_v3){I.xx, I.yy, I.zz}, 4, 3, 5);
        dp_spec_destroy(s);
    }
}

static void a_full_inertia_becomes_principal_moments(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><worldbody><body><inertial pos='1 2 3' mass='4' "
                      "fullinertia='3 4 5 .1 -.2 .3'/></body></worldbody></mujoco>");
    const dp_body_spec *b = body(s, 1);
    assert_int_equal(b->inertia_source, DP_INERTIA_SOURCE_GIVEN);
    assert_true(b->inertial.mass == 4.0);
    assert_v3(b->inertial.frame.p, 1, 2, 3);
    const dp_sym3 I = dp_inertial_tensor(&b->inertial);
    const double expected[] = {3, 4, 5, 0.1, -0.2, 0.3};
    const double found[] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
    for (int i = 0; i < 6; ++i) {
        assert_near(found[i], expected[i], 20 * ROUND_OFF);
    }
    dp_spec_destroy(s);
}

static void the_compiler_decides_where_mass_comes_from(void **state)
{
    (void)state;
    static const char scene[] =
        "<mujoco><compiler inertiafromgeom='%s'/><worldbody>"
        "<body><inertial pos='0 0 0' mass='4' diaginertia='1 1 1'/><geom size='1'/></body>"
        "<body><geom size='1'/></body>"
        "<body><inertial pos='0 0 0' mass='4' diaginertia='1 1 1'/></body></worldbody></mujoco>";
    const dp_inertia_source G = DP_INERTIA_SOURCE_GIVEN, F = DP_INERTIA_SOURCE_GEOMS;
    const struct {
        const char *mode;
        dp_inertia_source expected[3];
    } cases[] = {{"auto", {G, F, G}}, {"true", {F, F, G}}, {"false", {G, G, G}}};
    for (int i = 0; i < 3; ++i) {
        char text[sizeof scene + 8];
        snprintf(text, sizeof text, scene, cases[i].mode);
        dp_spec *s = load(text);
        for (int b = 1; b <= 3; ++b) {
            assert_int_equal(body(s, b)->inertia_source, cases[i].expected[b - 1]);
        }
        dp_spec_destroy(s);
    }
}

static double mass_of_geom(dp_spec *s, int i)
{
    dp_inertial x;
    assert_int_equal(dp_geom_inertial(&x, geom(s, i)), DP_OK);
    return x.mass;
}

static void geoms_of_other_groups_have_no_mass(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><compiler inertiagrouprange='1 2'/><worldbody><body>"
                      "<geom size='1' group='0' mass='5'/><geom size='1' group='1' mass='6'/>"
                      "<geom size='1' group='3'/></body></worldbody></mujoco>");
    const double mass[] = {0, 6, 0};
    for (int i = 0; i < 3; ++i) {
        assert_true(mass_of_geom(s, i) == mass[i]);
    }
    dp_spec_destroy(s);
}

static void settotalmass_scales_every_body_alike(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><compiler settotalmass='30'/><worldbody><geom size='1' mass='100'/>"
                      "<body><inertial pos='0 0 1' mass='1' diaginertia='1 2 3'/>"
                      "<body><geom size='1' mass='2'/></body></body></worldbody></mujoco>");
    assert_near(body(s, 1)->inertial.mass, 10, 20 * ROUND_OFF); // the world does not count
    assert_near(body(s, 1)->inertial.moments.z, 30, 50 * ROUND_OFF);
    assert_near(body(s, 2)->inertial.mass, 20, 40 * ROUND_OFF);
    assert_near(body(s, 2)->inertial.moments.x, 0.4 * 20, 20 * ROUND_OFF); // 2/5 m r²
    dp_spec_destroy(s);
}

static void bounds_and_balance_mend_what_a_file_gives(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><compiler boundmass='2' boundinertia='.5' balanceinertia='true'/><worldbody>"
             "<body/><body><inertial pos='0 0 0' mass='3' diaginertia='1 2 9'/></body>"
             "<body><geom size='1' mass='10'/></body></worldbody></mujoco>");
    assert_true(body(s, 1)->inertial.mass == 2.0 && body(s, 1)->inertial.moments.y == 0.5);
    assert_true(body(s, 2)->inertial.mass == 3.0);
    assert_v3(body(s, 2)->inertial.moments, 4, 4, 4); // the mean
    assert_v3(body(s, 3)->inertial.moments, 4, 4, 4); // sound: 2/5 m r²
    dp_spec_destroy(s);
}

// ---- actuators

static void assert_law(const dp_actuator_spec *a, double g0, double g1, double g2, double b0,
                       double b1, double b2)
{
    const double gain[] = {g0, g1, g2}, bias[] = {b0, b1, b2};
    for (int i = 0; i < 3; ++i) {
        assert_near(a->gain[i], gain[i], ROUND_OFF);
        assert_near(a->bias[i], bias[i], ROUND_OFF);
    }
}

#define ONE_HINGE                                                                                  \
    "<worldbody><body><joint name='h' range='-90 30'/><geom size='1'/></body></worldbody>"

static void actuator_shortcuts_are_settings_of_the_general_form(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco>" ONE_HINGE "<actuator>"
             "<motor joint='h' gear='2 3' ctrlrange='-1 1'/>"
             "<position joint='h' kp='5' kv='2' forcerange='-7 8'/>"
             "<position joint='h' kp='5' timeconst='.1'/>"
             "<velocity joint='h' kv='3'/>"
             "<intvelocity joint='h' kp='4' actrange='-2 2'/>"
             "<damper joint='h' kv='6' ctrlrange='0 1'/>"
             "<cylinder joint='h' diameter='2' bias='1 2 3' timeconst='.5'/>"
             "<general joint='h' gaintype='affine' biastype='affine' gainprm='1 2 3' "
             "biasprm='4 5 6' dyntype='filter' dynprm='.2' ctrllimited='false' ctrlrange='-1 1'/>"
             "</actuator></mujoco>");
    assert_int_equal(dp_spec_actuator_count(s), 8);
    assert_law(actuator(s, 0), 1, 0, 0, 0, 0, 0);
    assert_true(actuator(s, 0)->gear[0] == 2.0 && actuator(s, 0)->gear[1] == 3.0);
    assert_true(actuator(s, 0)->control_limited && actuator(s, 0)->control_range[0] == -1.0);
    assert_law(actuator(s, 1), 5, 0, 0, 0, -5, -2);
    assert_true(actuator(s, 1)->force_limited && actuator(s, 1)->force_range[1] == 8.0);
    assert_false(actuator(s, 1)->control_limited);
    assert_law(actuator(s, 2), 5, 0, 0, 0, -5, 0);
    assert_int_equal(actuator(s, 2)->dynamics, DP_ACTUATOR_DYNAMICS_FILTER_EXACT);
    assert_true(actuator(s, 2)->time_constant == 0.1);
    assert_law(actuator(s, 3), 3, 0, 0, 0, 0, -3);
    assert_law(actuator(s, 4), 4, 0, 0, 0, -4, 0);
    assert_int_equal(actuator(s, 4)->dynamics, DP_ACTUATOR_DYNAMICS_INTEGRATOR);
    assert_true(actuator(s, 4)->activation_limited && actuator(s, 4)->activation_range[1] == 2.0);
    assert_law(actuator(s, 5), 0, 0, -6, 0, 0, 0);
    assert_true(actuator(s, 5)->control_limited);
    assert_law(actuator(s, 6), DP_PI, 0, 0, 1, 2, 3);
    assert_int_equal(actuator(s, 6)->dynamics, DP_ACTUATOR_DYNAMICS_FILTER);
    assert_true(actuator(s, 6)->time_constant == 0.5);
    assert_law(actuator(s, 7), 1, 2, 3, 4, 5, 6);
    assert_false(actuator(s, 7)->control_limited);
    dp_spec_destroy(s);
}

static void an_actuator_inherits_the_law_of_its_kind_and_all_limits(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><default><position kp='5' ctrlrange='-1 1'/>"
             "<default class='a'><motor gear='3'/></default></default>" ONE_HINGE "<actuator>"
             "<position joint='h'/><general joint='h'/><general class='a' joint='h'/>"
             "<velocity joint='h'/></actuator></mujoco>");
    assert_law(actuator(s, 0), 5, 0, 0, 0, -5, 0);
    assert_law(actuator(s, 1), 5, 0, 0, 0, -5, 0);
    assert_law(actuator(s, 2), 1, 0, 0, 0, 0, 0); // the motor has undone the servo
    assert_true(actuator(s, 2)->gear[0] == 3.0 && actuator(s, 2)->control_range[1] == 1.0);
    assert_law(actuator(s, 3), 1, 0, 0, 0, 0, -1); // of another kind than the servo
    assert_true(actuator(s, 3)->control_range[1] == 1.0);
    dp_spec_destroy(s);
}

static void the_law_of_an_actuator_is_that_of_the_nearest_class_with_its_kind(void **state)
{
    (void)state;
    dp_spec *s = load(
        "<mujoco><default><position kp='5' kv='1'/><default class='a'><velocity kv='3'/>"
        "<default class='b'><motor gear='2' ctrlrange='-1 1'/><default class='c'>"
        "<position kv='4'/></default></default></default>"
        "<default class='d'><position kp='9'/><motor/></default></default>" ONE_HINGE "<actuator>"
        "<position class='b' joint='h'/><velocity class='b' joint='h'/>"
        "<position class='c' joint='h'/><position class='d' joint='h'/>"
        "<intvelocity class='b' joint='h'/></actuator></mujoco>");
    assert_law(actuator(s, 0), 5, 0, 0, 0, -5, -1);
    assert_true(actuator(s, 0)->gear[0] == 2.0 && actuator(s, 0)->control_range[1] == 1.0);
    assert_law(actuator(s, 1), 3, 0, 0, 0, 0, -3);
    assert_law(actuator(s, 2), 5, 0, 0, 0, -5, -4);
    assert_law(actuator(s, 3), 5, 0, 0, 0, -5, -1); // its own class has lost kp = 9 to the motor
    assert_law(actuator(s, 4), 1, 0, 0, 0, -1, 0);  // no class has this kind
    dp_spec_destroy(s);
}

static void a_servo_can_inherit_the_range_of_its_joint(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco>" ONE_HINGE "<actuator><position joint='h' inheritrange='0.5'/>"
                      "<intvelocity joint='h' inheritrange='1'/></actuator></mujoco>");
    const double degree = DP_PI / 180;
    assert_true(actuator(s, 0)->control_limited);
    assert_near(actuator(s, 0)->control_range[0], -60 * degree, 2 * ROUND_OFF);
    assert_near(actuator(s, 0)->control_range[1], 0, 2 * ROUND_OFF);
    assert_near(actuator(s, 1)->activation_range[0], -90 * degree, 2 * ROUND_OFF);
    assert_near(actuator(s, 1)->activation_range[1], 30 * degree, 2 * ROUND_OFF);
    dp_spec_destroy(s);
}

static void gears_may_be_in_the_axes_of_the_parent(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><worldbody><body><joint type='ball' name='b'/></body></worldbody><actuator>"
             "<motor joint='b' gear='1 2 3'/><motor jointinparent='b' gear='1 2 3'/>"
             "</actuator></mujoco>");
    assert_string_equal(actuator(s, 1)->joint, "b");
    assert_false(actuator(s, 0)->in_parent);
    assert_true(actuator(s, 1)->in_parent);
    assert_true(actuator(s, 1)->gear[2] == 3.0);
    dp_spec_destroy(s);
}

// ---- sensors, keyframes

static void assert_volume(dp_site_spec *s, dp_geom_kind kind, double a, double b, double c)
{
    assert_int_equal(s->kind, kind);
    assert_v3(dp_v3_load(s->size), a, b, c);
}

static void sites_have_the_volume_that_touch_sensors_feel_in(void **state)
{
    (void)state;
    dp_spec *s = load("<mujoco><default><site size='0.2 0.3'/><default class='b'><site type='box'/>"
                      "</default></default><worldbody><site name='s'/><site class='b'/>"
                      "<site type='ellipsoid' size='1 2 3'/>"
                      "<site type='capsule' size='0.1' fromto='0 0 0 0 0 2'/></worldbody>"
                      "<sensor><touch name='t' site='s' cutoff='3'/></sensor></mujoco>");
    assert_volume(site(s, 0), DP_GEOM_SPHERE, 0.2, 0.3, 0.005);
    assert_volume(site(s, 1), DP_GEOM_BOX, 0.2, 0.3, 0.005);
    assert_volume(site(s, 2), DP_GEOM_ELLIPSOID, 1, 2, 3);
    assert_volume(site(s, 3), DP_GEOM_CAPSULE, 0.1, 1, 0.005);
    const dp_sensor_spec *x = dp_spec_sensor(s, (dp_sensor_id){0});
    assert_int_equal(x->kind, DP_SENSOR_TOUCH);
    assert_string_equal(x->object, "s");
    dp_spec_destroy(s);
}

static void a_touch_sensor_on_a_site_with_a_mesh_is_refused(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *r;
    assert_int_equal(
        try_load(&s, &r,
                 "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
                 "<worldbody><site name='s' type='box' mesh='m'/></worldbody>"
                 "<sensor><touch site='s'/></sensor></mujoco>",
                 NULL),
        DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "volume of a mesh"));
    dp_import_report_destroy(r);
}

static void body_means_the_inertial_frame_and_xbody_the_body(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><worldbody><body name='b'><site name='s'/></body></worldbody><sensor>"
             "<framepos objtype='body' objname='b'/><framequat objtype='xbody' objname='b' "
             "reftype='site' refname='s' name='q'/><gyro site='s' cutoff='3'/><clock/>"
             "<subtreecom body='b'/></sensor></mujoco>");
    const dp_sensor_spec *x = dp_spec_sensor(s, (dp_sensor_id){0});
    assert_int_equal(x[0].kind, DP_SENSOR_FRAME_POSITION);
    assert_int_equal(x[0].object_kind, DP_OBJECT_INERTIAL);
    assert_int_equal(x[0].reference_kind, DP_OBJECT_NONE);
    x = dp_spec_sensor(s, (dp_sensor_id){1});
    assert_string_equal(x->name, "q");
    assert_int_equal(x->object_kind, DP_OBJECT_BODY);
    assert_int_equal(x->reference_kind, DP_OBJECT_SITE);
    assert_string_equal(x->reference, "s");
    x = dp_spec_sensor(s, (dp_sensor_id){2});
    assert_int_equal(x->kind, DP_SENSOR_GYRO);
    assert_int_equal(x->object_kind, DP_OBJECT_SITE);
    assert_true(x->cutoff == 3.0);
    assert_int_equal(dp_spec_sensor(s, (dp_sensor_id){3})->kind, DP_SENSOR_CLOCK);
    assert_string_equal(dp_spec_sensor(s, (dp_sensor_id){4})->object, "b");
    dp_spec_destroy(s);
}

static void keyframes_keep_their_arrays(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><keyframe><key name='k' time='2' qpos='1 2' qvel='3 4 5' act='6' ctrl='7 8' "
             "mpos='1 2 3' mquat='1 0 0 0'/><key/></keyframe></mujoco>");
    const dp_key_spec *k = dp_spec_key(s, (dp_key_id){0});
    assert_string_equal(k->name, "k");
    assert_true(k->time == 2.0);
    assert_int_equal(k->nq, 2);
    assert_true(k->q[1] == 2.0);
    assert_int_equal(k->nv, 3);
    assert_int_equal(k->na, 1);
    assert_int_equal(k->nu, 2);
    assert_true(k->control[1] == 8.0);
    assert_int_equal(k->nmocap_position, 3);
    assert_int_equal(k->nmocap_quaternion, 4);
    assert_null(dp_spec_key(s, (dp_key_id){1})->q);
    dp_spec_destroy(s);
}

// ---- include

static void included_files_stand_where_they_are_included(void **state)
{
    (void)state;
    mkdir(DP_SCRATCH "/mjcf_include", 0777);
    mkdir(DP_SCRATCH "/mjcf_include/parts", 0777);
    write_text(DP_SCRATCH "/mjcf_include/main.xml",
               "<mujoco>\n<include file='settings.xml'/>\n<worldbody>\n"
               "<body name='a'/>\n<include file='parts/b.xml'/>\n"
               "<body name='d'/></worldbody></mujoco>");
    write_text(DP_SCRATCH "/mjcf_include/settings.xml",
               "<mujoco model='x'><option timestep='.01'/></mujoco>");
    // looked for beside the main file first, then beside the including file
    write_text(DP_SCRATCH "/mjcf_include/parts/b.xml",
               "<mujocoinclude>\n<body name='b'/>\n<include file='c.xml'/>"
               "</mujocoinclude>");
    write_text(DP_SCRATCH "/mjcf_include/parts/c.xml", "<any><body name='c'/></any>");
    dp_spec *s;
    dp_import_report *r;
    if (dp_mjcf_load(&s, &r, DP_SCRATCH "/mjcf_include/main.xml", NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    static const char *const name[] = {"world", "a", "b", "c", "d"};
    assert_int_equal(dp_spec_body_count(s), 5);
    for (int i = 1; i < 5; ++i) {
        assert_string_equal(body(s, i)->name, name[i]);
    }
    assert_true(dp_spec_options(s)->step == 0.01);
    assert_int_equal(body(s, 2)->where.line, 2);
    assert_string_equal(body(s, 2)->where.file, DP_SCRATCH "/mjcf_include/parts/b.xml");
    dp_spec_destroy(s);
    dp_import_report_destroy(r);
}

// ---- replicate

// The order is that of MuJoCo 4: what refers to nothing inside, then copy by copy all the rest.
static void what_refers_to_the_inside_of_a_replicate_is_copied_with_it(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><worldbody><site name='hook' pos='0 0 2'/><body name='z'><joint name='zj'/>"
             "<geom name='zg' size='1'/></body><replicate count='2' offset='0 1 0' sep='_'>"
             "<replicate count='2' offset='1 0 0' sep='-'><body name='b'><joint name='j'/>"
             "<geom name='g' size='1'/><site name='s'/></body></replicate></replicate></worldbody>"
             "<tendon><spatial name='t'><site site='hook'/><site site='s'/></spatial>"
             "<fixed name='f'><joint joint='zj' coef='1'/></fixed></tendon>"
             "<actuator><motor name='m' tendon='t'/><motor name='z' joint='zj'/></actuator>"
             "<contact><exclude name='x' body1='b' body2='z'/></contact>"
             "<sensor><actuatorfrc name='a' actuator='m'/><jointpos name='p' joint='zj'/>"
             "<framepos name='q' objtype='xbody' objname='b' reftype='site' refname='s'/></sensor>"
             "</mujoco>");
    static const char *const tendons[] = {"f", "t-0_0", "t-1_0", "t-0_1", "t-1_1"};
    assert_int_equal(dp_spec_tendon_count(s), 5);
    for (int i = 0; i < 5; ++i) {
        assert_string_equal(dp_spec_tendon(s, (dp_tendon_id){i})->name, tendons[i]);
    }
    assert_string_equal(dp_spec_tendon(s, (dp_tendon_id){3})->wrap[0].object, "hook");
    assert_string_equal(dp_spec_tendon(s, (dp_tendon_id){3})->wrap[1].object, "s-0_1");
    assert_string_equal(dp_spec_actuator(s, (dp_actuator_id){0})->name, "z");
    assert_string_equal(dp_spec_actuator(s, (dp_actuator_id){2})->tendon, "t-1_0");
    assert_string_equal(dp_spec_exclude(s, (dp_exclude_id){1})->body[0], "b-1_0");
    assert_string_equal(dp_spec_exclude(s, (dp_exclude_id){1})->body[1], "z");
    static const char *const sensors[] = {"p",     "a-0_0", "q-0_0", "a-1_0", "q-1_0",
                                          "a-0_1", "q-0_1", "a-1_1", "q-1_1"};
    assert_int_equal(dp_spec_sensor_count(s), 9);
    for (int i = 0; i < 9; ++i) {
        assert_string_equal(dp_spec_sensor(s, (dp_sensor_id){i})->name, sensors[i]);
    }
    assert_string_equal(dp_spec_sensor(s, (dp_sensor_id){4})->reference, "s-1_0");
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, s), DP_OK);
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

static void replicate_makes_numbered_copies_that_move_on(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><worldbody><replicate count='12' offset='1 0 0' euler='0 0 90' sep='-'>"
             "<body name='b' pos='0 2 0'><joint name='j'/><geom size='1'/></body></replicate>"
             "</worldbody></mujoco>");
    assert_int_equal(dp_spec_body_count(s), 13);
    assert_string_equal(body(s, 1)->name, "b-00");
    assert_string_equal(body(s, 12)->name, "b-11");
    assert_string_equal(joint(s, 3)->name, "j-03");
    assert_v3(body(s, 1)->pose.p, 0, 2, 0);
    // the second stands at (1, 0, 0), turned by 90°; the third one step along its x axis from there
    assert_v3(body(s, 2)->pose.p, 1 - 2, 0, 0);
    assert_v3(body(s, 3)->pose.p, 1, 1 - 2, 0);
    assert_rotation(body(s, 3)->pose.q, dp_quat_about(Z, DP_PI));
    dp_spec_destroy(s);
}

static void nested_copies_number_the_inner_one_first(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><worldbody><replicate count='2' offset='10 0 0'>"
             "<replicate count='3' offset='0 1 0' sep='_'><geom name='g' size='1'/></replicate>"
             "</replicate></worldbody></mujoco>");
    assert_int_equal(dp_spec_geom_count(s), 6);
    assert_string_equal(geom(s, 0)->name, "g_00");
    assert_string_equal(geom(s, 2)->name, "g_20");
    assert_string_equal(geom(s, 5)->name, "g_21");
    assert_v3(geom(s, 5)->pose.p, 10, 2, 0);
    dp_spec_destroy(s);
}

// ---- the report

static int count_verdict(const dp_import_report *r, dp_import_verdict verdict)
{
    int count = 0;
    for (int i = 0; i < dp_import_report_count(r); ++i) {
        count += dp_import_report_item(r, i).verdict == verdict;
    }
    return count;
}

static void every_element_and_attribute_has_one_item_in_the_order_of_the_file(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *r;
    assert_int_equal(
        try_load(&s, &r,
                 "<mujoco model='m'>\n<visual><map znear='1'/></visual>\n<worldbody>\n"
                 "<body name='b'><joint type='slide' damping='1'/></body></worldbody></mujoco>",
                 NULL),
        DP_OK);
    static const struct {
        const char *element, *attribute, *name;
        int line;
        dp_import_verdict verdict;
    } expected[] = {
        {"mujoco", "", "", 1, DP_IMPORT_VERDICT_USED},
        {"mujoco", "model", "", 1, DP_IMPORT_VERDICT_USED},
        {"visual", "", "", 2, DP_IMPORT_VERDICT_IGNORED},
        {"map", "", "", 2, DP_IMPORT_VERDICT_IGNORED},
        {"map", "znear", "", 2, DP_IMPORT_VERDICT_IGNORED},
        {"worldbody", "", "", 3, DP_IMPORT_VERDICT_USED},
        {"body", "", "b", 4, DP_IMPORT_VERDICT_USED},
        {"body", "name", "b", 4, DP_IMPORT_VERDICT_USED},
        {"joint", "", "", 4, DP_IMPORT_VERDICT_USED},
        {"joint", "type", "", 4, DP_IMPORT_VERDICT_USED},
        {"joint", "damping", "", 4, DP_IMPORT_VERDICT_USED},
    };
    const int n = (int)(sizeof expected / sizeof expected[0]);
    assert_int_equal(dp_import_report_count(r), n);
    for (int i = 0; i < n; ++i) {
        const dp_import_item item = dp_import_report_item(r, i);
        assert_string_equal(item.element, expected[i].element);
        assert_string_equal(item.attribute, expected[i].attribute);
        assert_string_equal(item.name, expected[i].name);
        assert_string_equal(item.file, "a.xml");
        assert_int_equal(item.line, expected[i].line);
        assert_int_equal(item.verdict, expected[i].verdict);
        assert_true((item.note[0] == '\0') == (item.verdict == DP_IMPORT_VERDICT_USED));
    }
    dp_spec_destroy(s);
    dp_import_report_destroy(r); // items are the report's own
}

static void the_report_of_a_scene_has_as_many_items_as_the_file(void **state)
{
    (void)state;
    static const char *const scene[] = {"humanoid", "arm_7dof", "quadruped"}; // without includes
    for (int i = 0; i < 3; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.xml", DP_SCENES, scene[i]);
        dp_pool pool;
        dp_pool_init(&pool, NULL);
        char *text;
        size_t bytes;
        dp_xml_node *root;
        assert_int_equal(dp_file_read(&text, &bytes, path, &pool.allocator), DP_OK);
        assert_int_equal(dp_xml_parse(&root, &pool, text, bytes, path), DP_OK);
        int count = 0;
        for (dp_xml_node *node = root; node; node = dp_xml_next(root, node, false)) {
            count += 1 + node->nattribute;
        }
        dp_spec *s;
        dp_import_report *r;
        assert_int_equal(dp_mjcf_parse(&s, &r, text, bytes, path, NULL), DP_OK);
        assert_true(count > 200);
        assert_int_equal(dp_import_report_count(r), count);
        dp_spec_destroy(s);
        dp_import_report_destroy(r);
        dp_release(&pool.allocator, text, bytes + 1, 1);
        dp_pool_destroy(&pool);
    }
}

static void an_implicit_integrator_is_approximated_and_says_how(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *r;
    assert_int_equal(try_load(&s, &r, "<mujoco><option integrator='implicitfast'/></mujoco>", NULL),
                     DP_OK);
    assert_int_equal(dp_spec_options(s)->integrator, DP_INTEGRATOR_SEMI_IMPLICIT);
    const dp_import_item item = item_of(r, "option", "integrator");
    assert_int_equal(item.verdict, DP_IMPORT_VERDICT_APPROXIMATED);
    assert_non_null(strstr(item.note, "semi-implicit"));
    dp_spec_destroy(s);
    dp_import_report_destroy(r);
}

static void what_is_refused_stops_the_import_and_the_report_is_still_there(void **state)
{
    (void)state;
    dp_spec *s = (dp_spec *)1;
    dp_import_report *r;
    assert_int_equal(
        try_load(
            &s, &r,
            "<mujoco>\n<sensor>\n<tactile geom='a' name='t'/><camprojection site='a'/></sensor>"
            "</mujoco>",
            NULL),
        DP_ERROR_UNSUPPORTED);
    assert_null(s);
    assert_string_equal(dp_last_error(), "a.xml:3: tactile 't': this sensor is not simulated "
                                         "(to go on without: allow \"sensor\"); 1 more like "
                                         "this");
    assert_int_equal(count_verdict(r, DP_IMPORT_VERDICT_REFUSED),
                     5); // two elements, three attributes
    assert_string_equal(dp_last_feature(), "sensor");
    assert_string_equal(item_of(r, "tactile", "").feature, "sensor");
    dp_import_report_destroy(r);
}

static void what_is_allowed_is_left_out_and_stays_in_the_report(void **state)
{
    (void)state;
    const char *const allow[] = {"flex", "collision"};
    const dp_import_options options = {.allow = allow, .nallow = 2};
    dp_spec *s;
    dp_import_report *r;
    assert_int_equal(
        try_load(
            &s, &r,
            "<mujoco><option collision='dynamic'/><equality><flex flex='a'/></equality></mujoco>",
            &options),
        DP_OK);
    assert_int_equal(count_verdict(r, DP_IMPORT_VERDICT_REFUSED), 3); // an element, two attributes
    assert_string_equal(item_of(r, "flex", "").feature, "flex");
    assert_string_equal(item_of(r, "option", "collision").feature, "collision");
    dp_spec_destroy(s);
    dp_import_report_destroy(r);
}

static void zero_asks_for_nothing_and_is_not_refused(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><compiler coordinate='local' alignfree='false'/>"
             "<option density='0' viscosity='0'/><worldbody><body><joint springdamper='0 0' "
             "actuatorgravcomp='false'/><freejoint align='auto'/>"
             "<geom size='1' fluidshape='none' shellinertia='false'/></body></worldbody></mujoco>");
    dp_spec_destroy(s);
}

static void what_a_class_asks_for_is_refused_where_it_is_used(void **state)
{
    (void)state;
    static const char unused[] = "<mujoco><default><default class='a'><geom adhesion='1'/>"
                                 "<position delay='1'/></default></default>" ONE_HINGE "</mujoco>";
    dp_spec_destroy(load(unused));

    dp_spec *s;
    assert_int_equal(
        try_load(&s, NULL,
                 "<mujoco><default><default class='a'><geom adhesion='1'/></default>"
                 "</default>\n<worldbody><geom class='a' name='g' size='1'/></worldbody></mujoco>",
                 NULL),
        DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "a.xml:2: geom 'g': adhesion (from its class 'a')"));
    assert_int_equal(try_load(&s, NULL,
                              "<mujoco><default><position delay='1'/></default>" ONE_HINGE
                              "<actuator><position joint='h'/></actuator></mujoco>",
                              NULL),
                     DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "delay (from its class 'main')"));
    dp_spec_destroy(load("<mujoco><default><position delay='1'/></default>" ONE_HINGE
                         "<actuator><position joint='h' delay='0'/></actuator></mujoco>"));
}

static void limits_are_used_and_the_report_says_that_they_are_rigid(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *r;
    assert_int_equal(try_load(&s, &r, "<mujoco>" ONE_HINGE "</mujoco>", NULL), DP_OK);
    assert_true(joint(s, 0)->limited);
    assert_true(isinf(joint(s, 0)->limit.stiffness));
    assert_false(joint(s, 0)->limit_solver_given);
    const dp_import_item range = item_of(r, "joint", "range");
    assert_int_equal(range.verdict, DP_IMPORT_VERDICT_USED);
    assert_non_null(strstr(range.note, "rigid by default"));
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, s), DP_OK);
    dp_model_destroy(m);
    dp_spec_destroy(s);
    dp_import_report_destroy(r);
}

static void constraints_that_are_switched_off_are_not_refused(void **state)
{
    (void)state;
    dp_spec *s =
        load("<mujoco><option><flag contact='disable' frictionloss='disable' limit='disable'/>"
             "</option><worldbody><body name='b'><joint range='-1 1' frictionloss='2'/>"
             "<geom name='g' size='1'/></body><geom name='h' size='1'/></worldbody>"
             "<contact><pair geom1='g' geom2='h'/><exclude body1='b' body2='world'/></contact>"
             "<equality><weld body1='b' active='false'/></equality></mujoco>");
    assert_true(joint(s, 0)->friction_loss == 0.0);
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, s), DP_OK);
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

static void a_missing_mesh_that_is_only_seen_is_ignored_and_others_are_refused(void **state)
{
    (void)state;
    static const char scene[] =
        "<mujoco><asset><mesh name='m' file='m.stl'/></asset><worldbody><body>"
        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
        "<geom type='mesh' mesh='m' %s name='seen'/></body></worldbody></mujoco>";
    char text[sizeof scene + 64];
    dp_spec *s;
    dp_import_report *r;
    snprintf(text, sizeof text, scene, "contype='0' conaffinity='0'");
    assert_int_equal(try_load(&s, &r, text, NULL), DP_OK);
    assert_int_equal(dp_spec_geom_count(s), 0);
    assert_int_equal(item_of(r, "geom", "").verdict, DP_IMPORT_VERDICT_IGNORED);
    dp_spec_destroy(s);
    dp_import_report_destroy(r);

    snprintf(text, sizeof text, scene, "");
    assert_int_equal(try_load(&s, NULL, text, NULL), DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "allow \"mesh\""));

    // no <inertial>: the mesh would give the mass
    assert_int_equal(try_load(&s, NULL,
                              "<mujoco><asset><mesh file='m.stl'/></asset><worldbody><body>"
                              "<geom type='mesh' mesh='m' contype='0' conaffinity='0'/></body>"
                              "</worldbody></mujoco>",
                              NULL),
                     DP_ERROR_UNSUPPORTED);
}

static void what_refers_to_something_left_out_follows_it(void **state)
{
    (void)state;
    static const char scene[] =
        "<mujoco><worldbody><body><joint name='h'/><geom size='1'/></body></worldbody><actuator>"
        "<motor joint='h'/><muscle joint='h' name='m'/><general joint='h' "
        "dyntype='integrator'/></actuator>"
        "<sensor><actuatorfrc actuator='m'/><jointpos joint='h'/></sensor>"
        "<keyframe><key ctrl='1 2 3' act='4 5'/></keyframe></mujoco>";
    const char *const allow[] = {"muscle"};
    dp_spec *s;
    assert_int_equal(try_load(&s, NULL, scene, &(dp_import_options){.allow = allow, .nallow = 1}),
                     DP_OK);
    assert_int_equal(dp_spec_actuator_count(s), 2);
    assert_int_equal(dp_spec_sensor_count(s), 1);
    const dp_key_spec *k = dp_spec_key(s, (dp_key_id){0});
    assert_int_equal(k->nu, 2);
    assert_true(k->control[0] == 1.0 && k->control[1] == 3.0);
    assert_int_equal(k->na, 1);
    assert_true(k->activation[0] == 5.0);
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, s), DP_OK);
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

// ---- our own names

static const dp_mjcf_element *child_rule(const dp_mjcf_element *of, const char *name)
{
    for (const dp_mjcf_element *const *child = of->child; *child; ++child) {
        if (strcmp((*child)->name, name) == 0) {
            return *child;
        }
    }
    fail_msg("<%s> has no <%s>", of->name, name);
    return NULL;
}

static void a_geom_without_a_colour_has_that_of_its_material(void **state)
{
    (void)state;
    dp_spec *s = load(
        "<mujoco><asset><texture name='t' builtin='checker' rgb1='.25 .5 .75' rgb2='.5 .75 1' "
        "width='8' height='8'/><material name='red' rgba='.75 0 0 .5'/>"
        "<material name='tiles' texture='t'/></asset><default><geom material='tiles'/></default>"
        "<worldbody><geom size='1'/><geom size='1' material='red'/>"
        "<geom size='1' material='red' rgba='0 1 0 1'/></worldbody></mujoco>");
    static const float expected[3][4] = {
        {0.375F, 0.625F, 0.875F, 1.0F}, {0.75F, 0.0F, 0.0F, 0.5F}, {0.0F, 1.0F, 0.0F, 1.0F}};
    for (int i = 0; i < 3; ++i) {
        assert_memory_equal(dp_spec_geom(s, (dp_geom_id){i})->rgba, expected[i],
                            sizeof expected[i]);
    }
    dp_spec_destroy(s);
}

static void a_file_can_say_every_setting(void **state)
{
    (void)state;
    const dp_mjcf_element *option = child_rule(&dp_mjcf_root, "dp:option");
    assert_int_equal(option->nattribute, dp_options_name_count());
    for (int i = 0; i < option->nattribute; ++i) {
        assert_string_equal(option->attribute[i].name, dp_options_name(i));
    }
    dp_spec *s = load("<mujoco xmlns:dp='dashpot'><dp:option gravity='0 0 -1' law='compliant' "
                      "law.tolerance='1e-12' vi.friction='disc' accuracy='1e-3' "
                      "gap_tolerance='1e-8' max_passes='4' max_halvings='2' ledger='true' "
                      "sleep_speed='1e-3' sleep_time='0.2' disable_equality='true'/></mujoco>");
    const dp_options *o = dp_spec_options(s);
    assert_true(o->gravity.z == -1.0 && o->solver.tolerance == 1e-12 && o->accuracy == 1e-3);
    assert_true(o->gap_tolerance == 1e-8 && o->ledger && o->disable_equality);
    assert_int_equal(o->solver.vi.friction, DP_VI_FRICTION_DISC);
    assert_int_equal(o->max_passes, 4);
    assert_int_equal(o->max_halvings, 2);
    assert_true(o->sleep_speed == 1e-3 && o->sleep_time == 0.2);
    dp_spec_destroy(s);
}

// ---- the documentation

static void assert_documented(const char *page, const char *feature)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "`%s`", feature);
    if (!strstr(page, quoted)) {
        fail_msg("docs/mjcf.md does not mention %s", quoted);
    }
}

// Elements hang together in circles; a few steps down reach all of them.
static void assert_element_documented(const char *page, const dp_mjcf_element *element, int depth)
{
    if (element->feature) {
        assert_documented(page, element->feature);
    }
    for (int i = 0; i < element->nattribute; ++i) {
        if (element->attribute[i].feature) {
            assert_documented(page, element->attribute[i].feature);
        }
    }
    for (const dp_mjcf_element *const *child = element->child; depth > 0 && child && *child;
         ++child) {
        assert_element_documented(page, *child, depth - 1);
    }
}

static void every_feature_of_the_schema_is_in_the_documentation(void **state)
{
    (void)state;
    const dp_allocator a = dp_allocator_default();
    char *page;
    size_t bytes;
    assert_int_equal(dp_file_read(&page, &bytes, DP_SOURCE "/docs/mjcf.md", &a), DP_OK);
    assert_element_documented(page, &dp_mjcf_root, 4);
    dp_release(&a, page, bytes + 1, 1);
}

// ---- size

static void a_hundred_thousand_nested_bodies_load(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    static const char open[] = "<body><joint/><geom size='1'/>", close[] = "</body>";
    const size_t no = sizeof open - 1, nc = sizeof close - 1;
    static const char head[] = "<mujoco><worldbody>", tail[] = "</worldbody></mujoco>";
    const size_t bytes = sizeof head + sizeof tail + DEPTH * (no + nc);
    char *text = malloc(bytes), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", head);
    for (int i = 0; i < DEPTH; ++i, at += no) {
        memcpy(at, open, no);
    }
    for (int i = 0; i < DEPTH; ++i, at += nc) {
        memcpy(at, close, nc);
    }
    sprintf(at, "%s", tail);
    dp_spec *s = load(text);
    assert_int_equal(dp_spec_body_count(s), DEPTH + 1);
    assert_int_equal(dp_spec_joint_count(s), DEPTH);
    dp_spec_destroy(s);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_model_is_a_world_and_nothing_else),
        cmocka_unit_test(every_shipped_scene_loads),
        cmocka_unit_test(options_and_flags_reach_the_spec),
        cmocka_unit_test(a_later_option_changes_only_what_it_names),
        cmocka_unit_test(our_own_options_are_read_from_our_namespace),
        cmocka_unit_test(angles_are_degrees_unless_radians_are_asked_for),
        cmocka_unit_test(lower_case_euler_letters_turn_about_moving_axes),
        cmocka_unit_test(five_ways_to_say_one_orientation_agree),
        cmocka_unit_test(an_orientation_may_be_any_rotation),
        cmocka_unit_test(the_direction_against_z_turns_about_x),
        cmocka_unit_test(a_class_starts_from_the_class_around_it),
        cmocka_unit_test(elements_of_a_class_reach_the_classes_nested_before_them),
        cmocka_unit_test(the_class_comes_from_the_element_or_the_nearest_childclass),
        cmocka_unit_test(a_short_array_overwrites_only_its_own_length),
        cmocka_unit_test(the_orientation_given_last_overrides_that_of_the_class),
        cmocka_unit_test(a_freejoint_takes_no_defaults_and_a_joint_of_type_free_does),
        cmocka_unit_test(an_old_name_for_the_outermost_class_still_means_main),
        cmocka_unit_test(a_frame_moves_everything_in_it),
        cmocka_unit_test(what_is_in_a_frame_belongs_to_the_body_around_it),
        cmocka_unit_test(ids_are_those_of_mujoco),
        cmocka_unit_test(fromto_gives_centre_direction_and_half_length),
        cmocka_unit_test(geoms_have_the_kind_and_numbers_that_the_file_says),
        cmocka_unit_test(bodies_carry_mocap_and_gravity_compensation),
        cmocka_unit_test(a_range_limits_a_joint_unless_it_is_said_not_to),
        cmocka_unit_test(a_frame_moves_an_inertial),
        cmocka_unit_test(a_full_inertia_becomes_principal_moments),
        cmocka_unit_test(the_compiler_decides_where_mass_comes_from),
        cmocka_unit_test(geoms_of_other_groups_have_no_mass),
        cmocka_unit_test(settotalmass_scales_every_body_alike),
        cmocka_unit_test(bounds_and_balance_mend_what_a_file_gives),
        cmocka_unit_test(actuator_shortcuts_are_settings_of_the_general_form),
        cmocka_unit_test(an_actuator_inherits_the_law_of_its_kind_and_all_limits),
        cmocka_unit_test(the_law_of_an_actuator_is_that_of_the_nearest_class_with_its_kind),
        cmocka_unit_test(a_servo_can_inherit_the_range_of_its_joint),
        cmocka_unit_test(gears_may_be_in_the_axes_of_the_parent),
        cmocka_unit_test(sites_have_the_volume_that_touch_sensors_feel_in),
        cmocka_unit_test(a_touch_sensor_on_a_site_with_a_mesh_is_refused),
        cmocka_unit_test(body_means_the_inertial_frame_and_xbody_the_body),
        cmocka_unit_test(keyframes_keep_their_arrays),
        cmocka_unit_test(included_files_stand_where_they_are_included),
        cmocka_unit_test(what_refers_to_the_inside_of_a_replicate_is_copied_with_it),
        cmocka_unit_test(replicate_makes_numbered_copies_that_move_on),
        cmocka_unit_test(nested_copies_number_the_inner_one_first),
        cmocka_unit_test(every_element_and_attribute_has_one_item_in_the_order_of_the_file),
        cmocka_unit_test(the_report_of_a_scene_has_as_many_items_as_the_file),
        cmocka_unit_test(an_implicit_integrator_is_approximated_and_says_how),
        cmocka_unit_test(what_is_refused_stops_the_import_and_the_report_is_still_there),
        cmocka_unit_test(what_is_allowed_is_left_out_and_stays_in_the_report),
        cmocka_unit_test(zero_asks_for_nothing_and_is_not_refused),
        cmocka_unit_test(what_a_class_asks_for_is_refused_where_it_is_used),
        cmocka_unit_test(a_geom_without_a_colour_has_that_of_its_material),
        cmocka_unit_test(a_file_can_say_every_setting),
        cmocka_unit_test(limits_are_used_and_the_report_says_that_they_are_rigid),
        cmocka_unit_test(constraints_that_are_switched_off_are_not_refused),
        cmocka_unit_test(a_missing_mesh_that_is_only_seen_is_ignored_and_others_are_refused),
        cmocka_unit_test(what_refers_to_something_left_out_follows_it),
        cmocka_unit_test(every_feature_of_the_schema_is_in_the_documentation),
        cmocka_unit_test(a_hundred_thousand_nested_bodies_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
