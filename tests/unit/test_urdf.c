// What URDF means: from text to a spec. The order and names of joints were confirmed with MuJoCo
// (tests/agreement/test_mujoco_urdf.c); here every rule is compared with its definition.
#include "imported.h"
#include "mechanism.h"
#include "spec_parts.h"
#include "text_file.h"

#include "geom/mass.h"
#include "io/urdf/urdf.h"
#include "math/angle.h"

#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static dp_status try_load(dp_spec **out, dp_import_report **report, const char *text,
                          const dp_import_options *options)
{
    return dp_urdf_parse(out, report, text, strlen(text), "a.urdf", options);
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

static void assert_item(const dp_import_report *report, const char *element, const char *attribute,
                        dp_import_verdict verdict, const char *note)
{
    const dp_import_item item = item_of(report, element, attribute);
    if (item.verdict != verdict || !strstr(item.note, note)) {
        fail_msg("%s %s: verdict %d, '%s' (expected %d, '%s')", element, attribute, item.verdict,
                 item.note, verdict, note);
    }
}

#define MASS "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
// Two links and a joint between them.
#define TWO_LINKS(type, content)                                                                   \
    "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS                           \
    "</link><joint name='j' type='" type "'><parent link='a'/><child link='b'/>" content           \
    "</joint></robot>"

// ---- links

static void a_single_link_is_a_body_fixed_to_the_world(void **state)
{
    (void)state;
    dp_spec *s = load("<robot name='stone'><link name='stone'>" MASS "</link></robot>");
    assert_string_equal(dp_spec_title(s), "stone");
    assert_int_equal(dp_spec_body_count(s), 2);
    assert_int_equal(dp_spec_joint_count(s), 0);
    assert_string_equal(body(s, 1)->name, "stone");
    assert_true(body(s, 1)->inertial.mass == 1.0);
    dp_spec_destroy(s);
}

static void every_shipped_robot_loads(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int nbody, njoint;
    } robots[] = {{"arm_6dof", 9, 6}, {"gripper", 5, 3}, {"walker_12dof", 18, 13}};
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/urdf/%s.urdf", DP_SCENES, robots[i].name);
        dp_spec *s;
        assert_ok(dp_urdf_load(&s, NULL, path, NULL));
        assert_int_equal(dp_spec_body_count(s), robots[i].nbody);
        assert_int_equal(dp_spec_joint_count(s), robots[i].njoint);
        dp_spec_destroy(s);
    }
}

static void roll_pitch_and_yaw_turn_about_fixed_axes_in_this_order(void **state)
{
    (void)state;
    dp_spec *s = load(TWO_LINKS("fixed", "<origin xyz='1 2 3' rpy='0.3 -0.4 0.5'/>"));
    assert_v3(body(s, 2)->pose.p, 1, 2, 3);
    const dp_quat roll = dp_quat_about(X, 0.3), pitch = dp_quat_about(Y, -0.4);
    const dp_quat yaw = dp_quat_about(Z, 0.5);
    assert_rotation(body(s, 2)->pose.q, dp_quat_mul(yaw, dp_quat_mul(pitch, roll)));
    dp_spec_destroy(s);
}

static void an_orientation_may_be_a_quaternion(void **state)
{
    (void)state;
    dp_spec *s = load(TWO_LINKS("fixed", "<origin quat_xyzw='0.2 0.4 0.6 0.8'/>"));
    assert_rotation(body(s, 2)->pose.q, dp_quat_unit((dp_quat){0.8, 0.2, 0.4, 0.6}));
    dp_spec_destroy(s);
}

static void an_inertia_is_in_the_axes_of_its_origin(void **state)
{
    (void)state;
    dp_spec *s = load("<robot><link name='a'><inertial><origin xyz='1 2 3' rpy='0.1 0.2 0.3'/>"
                      "<mass value='2'/><inertia ixx='3' ixy='0.1' ixz='-0.2' iyy='4' iyz='0.3' "
                      "izz='5'/></inertial></link></robot>");
    const dp_inertial *I = &body(s, 1)->inertial;
    assert_v3(I->frame.p, 1, 2, 3);
    const dp_quat q = dp_quat_mul(dp_quat_about(Z, 0.3),
                                  dp_quat_mul(dp_quat_about(Y, 0.2), dp_quat_about(X, 0.1)));
    const dp_m3 R = dp_m3_from_quat(q);
    const dp_sym3 expected =
        dp_sym3_rotate(&R, (dp_sym3){.xx = 3, .yy = 4, .zz = 5, .xy = 0.1, .xz = -0.2, .yz = 0.3});
    const dp_sym3 found = dp_inertial_tensor(I);
    const double tolerance = 5e-14; // a hundred roundings of 5: eigenvectors there and back
    assert_near(found.xx, expected.xx, tolerance);
    assert_near(found.yy, expected.yy, tolerance);
    assert_near(found.zz, expected.zz, tolerance);
    assert_near(found.xy, expected.xy, tolerance);
    assert_near(found.xz, expected.xz, tolerance);
    assert_near(found.yz, expected.yz, tolerance);
    dp_spec_destroy(s);
}

static void shapes_weigh_nothing(void **state)
{
    (void)state;
    dp_spec *s = load("<robot><link name='a'>" MASS "<collision><geometry><sphere radius='1'/>"
                      "</geometry></collision></link></robot>");
    assert_int_equal(body(s, 1)->inertia_source, DP_INERTIA_SOURCE_GIVEN);
    assert_true(body(s, 1)->inertial.mass == 1.0);
    dp_spec_destroy(s);
}

static void links_without_mass_may_be_fixed_to_others(void **state)
{
    (void)state;
    mechanism x = mechanism_from(load(
        "<robot><link name='base'/><link name='wheel'/><link name='rim'>" MASS "</link>"
        "<link name='frame'/>"
        "<joint name='j' type='continuous'><parent link='base'/><child link='wheel'/></joint>"
        "<joint name='k' type='fixed'><parent link='wheel'/><child link='rim'/></joint>"
        "<joint name='l' type='fixed'><parent link='rim'/><child link='frame'/></joint></robot>"));
    assert_int_equal(dp_model_sizes(x.m)->nv, 1);
    mechanism_end(&x);
}

// ---- the root

static void the_root_floats_where_it_is_asked_to(void **state)
{
    (void)state;
    dp_import_options options = dp_import_options_default();
    options.urdf_floating_base = true;
    dp_spec *s;
    assert_ok(try_load(&s, NULL, "<robot><link name='a'>" MASS "</link></robot>", &options));
    assert_int_equal(dp_spec_joint_count(s), 1);
    assert_int_equal(joint(s, 0)->kind, DP_JOINT_FREE);
    assert_string_equal(joint(s, 0)->name, "a_free_joint");
    dp_spec_destroy(s);
}

static void a_root_called_world_is_the_world(void **state)
{
    (void)state;
    dp_spec *s = load("<robot><link name='world'><collision><geometry><plane normal='0 1 0'/>"
                      "</geometry></collision></link><link name='a'>" MASS "</link><joint name='j' "
                      "type='floating'><parent link='world'/><child link='a'/><origin xyz='1 2 "
                      "3'/></joint></robot>");
    assert_int_equal(dp_spec_body_count(s), 2);
    assert_int_equal(joint(s, 0)->kind, DP_JOINT_FREE);
    assert_string_equal(joint(s, 0)->name, "j");
    assert_v3(body(s, 1)->pose.p, 1, 2, 3);
    assert_int_equal(geom(s, 0)->kind, DP_GEOM_PLANE);
    assert_v3(dp_quat_rotate(geom(s, 0)->pose.q, Z), 0, 1, 0);
    dp_spec_destroy(s);
}

static void a_world_that_is_the_root_cannot_float(void **state)
{
    (void)state;
    dp_import_options options = dp_import_options_default();
    options.urdf_floating_base = true;
    dp_spec *s;
    assert_int_equal(try_load(&s, NULL, "<robot><link name='world'/></robot>", &options),
                     DP_ERROR_ARGUMENT);
    assert_null(s);
    assert_non_null(strstr(dp_last_error(), "a.urdf:1: link 'world' is the root of the robot"));
}

static void bodies_come_depth_first_in_the_order_of_their_joints(void **state)
{
    (void)state;
#define LINK(name) "<link name='" name "'>" MASS "</link>"
#define JOINT(name, parent, child)                                                                 \
    "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child      \
    "'/></joint>"
    dp_spec *s = load("<robot>" LINK("d") LINK("c") LINK("b") LINK("a") LINK("root")
                          JOINT("root-b", "root", "b") JOINT("b-d", "b", "d")
                              JOINT("root-a", "root", "a") JOINT("b-c", "b", "c") "</robot>");
    static const char *const order[] = {"world", "root", "b", "d", "c", "a"};
    for (int i = 0; i < 6; ++i) {
        assert_string_equal(body(s, i)->name, order[i]);
    }
    assert_string_equal(joint(s, 0)->name, "root-b");
    assert_string_equal(joint(s, 2)->name, "b-c");
    dp_spec_destroy(s);
}

// ---- joints

static void hinges_and_slides_take_their_axis_from_the_joint_frame(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        dp_joint_kind kind;
    } cases[] = {
        {TWO_LINKS("revolute", "<axis xyz='0 3 4'/><limit lower='-1' upper='2'/>"), DP_JOINT_HINGE},
        {TWO_LINKS("continuous", "<axis xyz='0 3 4'/>"), DP_JOINT_HINGE},
        {TWO_LINKS("prismatic", "<axis xyz='0 3 4'/><limit lower='-1' upper='2'/>"),
         DP_JOINT_SLIDE},
    };
    for (int i = 0; i < 3; ++i) {
        dp_spec *s = load(cases[i].text);
        assert_string_equal(joint(s, 0)->name, "j");
        assert_int_equal(joint(s, 0)->kind, cases[i].kind);
        assert_v3(joint(s, 0)->axis, 0, 0.6, 0.8);
        assert_v3(joint(s, 0)->anchor, 0, 0, 0);
        dp_spec_destroy(s);
    }
}

static void an_axis_is_x_unless_it_is_given(void **state)
{
    (void)state;
    dp_spec *s = load(TWO_LINKS("continuous", ""));
    assert_v3(joint(s, 0)->axis, 1, 0, 0);
    dp_spec_destroy(s);
}

static void a_fixed_joint_is_no_joint_and_its_parts_are_ignored(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(&s, &report,
                       TWO_LINKS("fixed", "<axis xyz='0 0 0'/><limit lower='1' upper='2'/>"
                                          "<dynamics friction='1'/><mimic joint='k'/>"),
                       NULL));
    assert_int_equal(dp_spec_joint_count(s), 0);
    assert_int_equal(dp_spec_equality_count(s), 0);
    static const char *const part[] = {"axis", "limit", "dynamics", "mimic"};
    for (int i = 0; i < 4; ++i) {
        assert_item(report, part[i], "", DP_IMPORT_VERDICT_IGNORED, "a fixed joint does not move");
    }
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static void a_spherical_joint_is_a_ball(void **state)
{
    (void)state;
    dp_spec *s = load(TWO_LINKS("spherical", "<dynamics damping='2'/>"));
    assert_int_equal(joint(s, 0)->kind, DP_JOINT_BALL);
    assert_true(joint(s, 0)->damping == 2.0);
    dp_spec_destroy(s);
}

static void a_planar_joint_moves_across_its_axis_and_turns_about_it(void **state)
{
    (void)state;
    dp_spec *s = load(TWO_LINKS("planar", "<axis xyz='2 -1 0.5'/><dynamics damping='3'/>"));
    assert_int_equal(dp_spec_joint_count(s), 3);
    assert_string_equal(joint(s, 0)->name, "j_TX");
    assert_string_equal(joint(s, 1)->name, "j_TY");
    assert_string_equal(joint(s, 2)->name, "j_RZ");
    assert_int_equal(joint(s, 0)->kind, DP_JOINT_SLIDE);
    assert_int_equal(joint(s, 1)->kind, DP_JOINT_SLIDE);
    assert_int_equal(joint(s, 2)->kind, DP_JOINT_HINGE);
    const dp_v3 x = joint(s, 0)->axis, y = joint(s, 1)->axis, n = joint(s, 2)->axis;
    const double length = sqrt(5.25);
    assert_v3(n, 2 / length, -1 / length, 0.5 / length);
    assert_v3(dp_v3_cross(x, y), n.x, n.y, n.z); // right-handed, hence square to each other
    for (int i = 0; i < 3; ++i) {
        assert_true(joint(s, i)->damping == 3.0);
    }
    dp_spec_destroy(s);
}

static void a_plane_across_minus_z_keeps_its_x(void **state)
{
    (void)state;
    dp_spec *s = load(TWO_LINKS("planar", "<axis xyz='0 0 -1'/>"));
    assert_v3(joint(s, 0)->axis, 1, 0, 0);
    assert_v3(joint(s, 1)->axis, 0, -1, 0);
    assert_v3(joint(s, 2)->axis, 0, 0, -1);
    dp_spec_destroy(s);
}

static void what_floats_on_a_fixed_link_hangs_from_the_world(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(&s, &report,
                       "<robot><link name='stand'/><link name='arm'/><link name='kite'>" MASS
                       "</link><joint name='f' type='fixed'><parent link='stand'/><child "
                       "link='arm'/><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/></joint>"
                       "<joint name='g' type='floating'><parent link='arm'/><child link='kite'/>"
                       "<origin xyz='0 2 0'/></joint></robot>",
                       NULL));
    assert_int_equal(joint(s, 0)->kind, DP_JOINT_FREE);
    assert_v3(body(s, 3)->pose.p, -1, 0, 0);
    assert_rotation(body(s, 3)->pose.q, dp_quat_about(Z, DP_PI / 2));
    bool told = false;
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        told = told ||
               (strcmp(item.name, "g") == 0 && item.verdict == DP_IMPORT_VERDICT_APPROXIMATED &&
                strstr(item.note, "hangs from the world"));
    }
    assert_true(told);
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static void what_floats_on_a_moving_link_has_three_slides_and_a_ball(void **state)
{
    (void)state;
    mechanism x = mechanism_from(load("<robot><link name='a'/>" LINK("b") LINK("c") JOINT(
        "ab", "a",
        "b") "<joint name='f' type='floating'><parent link='b'/><child link='c'/><origin "
             "xyz='1 2 3' rpy='0.1 0.2 0.3'/></joint></robot>"));
    static const char *const name[] = {"ab", "f_TX", "f_TY", "f_TZ", "f_R"};
    static const dp_joint_kind kind[] = {DP_JOINT_HINGE, DP_JOINT_SLIDE, DP_JOINT_SLIDE,
                                         DP_JOINT_SLIDE, DP_JOINT_BALL};
    assert_int_equal(dp_spec_joint_count(x.spec), 5);
    for (int i = 0; i < 5; ++i) {
        assert_string_equal(joint(x.spec, i)->name, name[i]);
        assert_int_equal(joint(x.spec, i)->kind, kind[i]);
    }
    // It follows its parent, is shifted along the joint's own axes, then turned.
    const dp_quat turn = dp_quat_unit((dp_quat){0.5, 0.1, -0.7, 0.2});
    const double q[] = {0.4, 5, 6, 7, turn.w, turn.x, turn.y, turn.z};
    const double v[7] = {0};
    mechanism_set(&x, q, v);
    const dp_pose hinge = {dp_quat_about(X, 0.4), {0, 0, 0}};
    const dp_quat rpy = dp_quat_mul(dp_quat_about(Z, 0.3),
                                    dp_quat_mul(dp_quat_about(Y, 0.2), dp_quat_about(X, 0.1)));
    const dp_pose origin = {rpy, {1, 2, 3}}, moved = {turn, {5, 6, 7}};
    const dp_pose expected = dp_pose_mul(hinge, dp_pose_mul(origin, moved));
    const dp_pose found = dp_body_pose(x.d, (dp_body_id){3});
    assert_v3(dp_v3_sub(found.p, expected.p), 0, 0, 0);
    assert_rotation(found.q, expected.q);
    mechanism_end(&x);
}

// ---- limits, dynamics, mimic

static void check_limit(const char *text, bool limited, double low, double high,
                        const char *element, dp_import_verdict verdict, const char *note)
{
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(&s, &report, text, NULL));
    assert_int_equal(joint(s, 0)->limited, limited);
    if (limited) {
        assert_true(joint(s, 0)->range[0] == low && joint(s, 0)->range[1] == high);
    }
    assert_item(report, element, "", verdict, note);
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static void a_range_is_a_limit_and_the_lack_of_one_is_told(void **state)
{
    (void)state;
    check_limit(TWO_LINKS("revolute", "<limit lower='-1' upper='2'/>"), true, -1, 2, "limit",
                DP_IMPORT_VERDICT_USED, "");
    check_limit(TWO_LINKS("prismatic", "<limit upper='2'/>"), true, 0, 2, "limit",
                DP_IMPORT_VERDICT_USED, "");
    check_limit(TWO_LINKS("prismatic", ""), false, 0, 0, "joint", DP_IMPORT_VERDICT_APPROXIMATED,
                "it has no <limit>");
    check_limit(TWO_LINKS("revolute", "<limit effort='1' velocity='1'/>"), false, 0, 0, "limit",
                DP_IMPORT_VERDICT_APPROXIMATED, "neither lower nor upper");
    check_limit(TWO_LINKS("revolute", "<limit lower='0' upper='0'/>"), false, 0, 0, "limit",
                DP_IMPORT_VERDICT_APPROXIMATED, "lower is not below upper");
    check_limit(TWO_LINKS("revolute", "<limit lower='1' upper='-1'/>"), false, 0, 0, "limit",
                DP_IMPORT_VERDICT_APPROXIMATED, "lower is not below upper");
}

static void half_a_range_and_bounds_of_drives_are_told(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(&s, &report,
                       TWO_LINKS("revolute", "<limit upper='2' effort='1' velocity='3'/>"), NULL));
    assert_item(report, "limit", "upper", DP_IMPORT_VERDICT_APPROXIMATED,
                "the other end of the range");
    assert_item(report, "limit", "effort", DP_IMPORT_VERDICT_IGNORED, "a bound for drives");
    assert_item(report, "limit", "velocity", DP_IMPORT_VERDICT_IGNORED, "a bound for drives");
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static void a_continuous_joint_has_no_limit(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *report;
    assert_ok(
        try_load(&s, &report, TWO_LINKS("continuous", "<limit lower='-1' upper='1'/>"), NULL));
    assert_false(joint(s, 0)->limited);
    assert_item(report, "limit", "lower", DP_IMPORT_VERDICT_IGNORED,
                "a continuous joint has no bounds");
    assert_item(report, "limit", "upper", DP_IMPORT_VERDICT_IGNORED,
                "a continuous joint has no bounds");
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static void damping_and_friction_reach_the_joint(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(&s, &report,
                       TWO_LINKS("continuous", "<dynamics damping='0.5' friction='0.25'/>"), NULL));
    assert_true(joint(s, 0)->damping == 0.5);
    assert_true(joint(s, 0)->friction_loss == 0.25);
    assert_item(report, "dynamics", "friction", DP_IMPORT_VERDICT_USED, "");
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static void a_mimic_is_an_equality_of_two_joints(void **state)
{
    (void)state;
    dp_spec *s = load("<robot>" LINK("a") LINK("b") LINK("c") JOINT(
        "lead", "a", "b") "<joint name='follow' type='prismatic'><parent link='b'/><child "
                          "link='c'/><limit lower='0' upper='1'/><mimic joint='lead' "
                          "multiplier='-2' offset='0.5'/></joint></robot>");
    assert_int_equal(dp_spec_equality_count(s), 1);
    const dp_equality_spec *e = dp_spec_equality(s, (dp_equality_id){0});
    assert_int_equal(e->kind, DP_EQUALITY_JOINT);
    assert_string_equal(e->name, "follow");
    assert_string_equal(e->object[0], "follow"); // q_follow = 0.5 − 2 q_lead
    assert_string_equal(e->object[1], "lead");
    assert_true(e->polynomial[0] == 0.5 && e->polynomial[1] == -2.0);
    assert_true(e->polynomial[2] == 0.0 && e->polynomial[3] == 0.0 && e->polynomial[4] == 0.0);
    dp_spec_destroy(s);
}

static void a_mimic_follows_one_to_one_unless_told_otherwise(void **state)
{
    (void)state;
    dp_spec *s = load("<robot>" LINK("a") LINK("b") LINK("c") JOINT(
        "lead", "a", "b") "<joint name='follow' type='continuous'><parent link='b'/><child "
                          "link='c'/><mimic joint='lead'/></joint></robot>");
    const dp_equality_spec *e = dp_spec_equality(s, (dp_equality_id){0});
    assert_true(e->polynomial[0] == 0.0 && e->polynomial[1] == 1.0);
    dp_spec_destroy(s);
}

// ---- shapes

static void springs_and_balls_of_drake_act_between_points(void **state)
{
    (void)state;
    dp_spec *s = load(
        "<robot xmlns:drake='http://drake.mit.edu'>" LINK("a") LINK("b") LINK("c")
            JOINT("j", "a", "b") JOINT(
                "k", "a",
                "c") "<drake:linear_spring_damper><drake:linear_spring_damper_body_A name='b'/>"
                     "<drake:linear_spring_damper_p_AP value='1 2 3'/>"
                     "<drake:linear_spring_damper_body_B name='c'/>"
                     "<drake:linear_spring_damper_p_BQ value='4 5 6'/>"
                     "<drake:linear_spring_damper_free_length value='0.5'/>"
                     "<drake:linear_spring_damper_stiffness value='100'/>"
                     "<drake:linear_spring_damper_damping value='2'/></drake:linear_spring_damper>"
                     "<drake:ball_constraint><drake:ball_constraint_body_A name='a'/>"
                     "<drake:ball_constraint_body_B name='c'/><drake:ball_constraint_p_AP value='0 "
                     "0 1'/>"
                     "<drake:ball_constraint_p_BQ value='0 1 0'/></drake:ball_constraint></robot>");
    const dp_tendon_spec *t = dp_spec_tendon(s, (dp_tendon_id){0});
    assert_non_null(t);
    assert_true(t->spatial && t->stiffness == 100.0 && t->damping == 2.0);
    assert_true(t->spring_range[0] == 0.5 && t->spring_range[1] == 0.5);
    const dp_equality_spec *e = dp_spec_equality(s, (dp_equality_id){0});
    assert_non_null(e);
    assert_int_equal(e->kind, DP_EQUALITY_CONNECT);
    assert_int_equal(e->object_kind, DP_OBJECT_SITE);
    static const dp_v3 at[] = {{1, 2, 3}, {4, 5, 6}, {0, 0, 1}, {0, 1, 0}};
    const char *const name[] = {t->wrap[0].object, t->wrap[1].object, e->object[0], e->object[1]};
    for (int i = 0; i < 4; ++i) {
        const dp_site_spec *site = dp_spec_site(s, (dp_site_id){i});
        assert_non_null(site);
        assert_string_equal(site->name, name[i]);
        assert_memory_equal(&site->pose.p, &at[i], sizeof at[i]);
    }
    dp_model *m;
    assert_ok(dp_model_compile(&m, s));
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

static void shapes_that_touch_have_half_lengths_and_names(void **state)
{
    (void)state;
    dp_spec *s =
        load("<robot xmlns:drake='http://drake.mit.edu'><link name='a'>" MASS
             "<collision name='one'><origin xyz='1 0 0'/><geometry><box size='2 4 6'/></geometry>"
             "</collision><collision name='two'><geometry><cylinder radius='1' length='4'/>"
             "</geometry></collision><collision name='one'><geometry><sphere radius='3'/>"
             "</geometry></collision><collision><geometry><capsule radius='1' length='4'/>"
             "</geometry></collision><collision><geometry><drake:ellipsoid a='1' b='2' c='3'/>"
             "</geometry></collision></link></robot>");
    static const dp_geom_kind kind[] = {DP_GEOM_BOX, DP_GEOM_CYLINDER, DP_GEOM_SPHERE,
                                        DP_GEOM_CAPSULE, DP_GEOM_ELLIPSOID};
    static const double size[][3] = {{1, 2, 3}, {1, 2, 0}, {3, 0, 0}, {1, 2, 0}, {1, 2, 3}};
    static const int count[] = {3, 2, 1, 2, 3};
    assert_int_equal(dp_spec_geom_count(s), 5);
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(geom(s, i)->kind, kind[i]);
        assert_int_equal(geom(s, i)->contype, 1);
        assert_int_equal(geom(s, i)->group, 0);
        for (int k = 0; k < count[i]; ++k) {
            assert_true(geom(s, i)->size[k] == size[i][k]);
        }
    }
    assert_string_equal(geom(s, 0)->name, "one");
    assert_string_equal(geom(s, 1)->name, "two");
    assert_null(geom(s, 2)->name); // the second of this name
    assert_v3(geom(s, 0)->pose.p, 1, 0, 0);
    dp_spec_destroy(s);
}

#define VISUAL                                                                                     \
    "<visual name='v'><geometry><box size='1 1 1'/></geometry><material name='m'><color "          \
    "rgba='blue'/></material></visual>"

static void shapes_that_are_seen_touch_nothing(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(&s, &report,
                       "<robot><link name='a'>" VISUAL "<visual><geometry><mesh "
                       "filename='no/such/file.dae'/></geometry></visual></link></robot>",
                       NULL));
    assert_int_equal(dp_spec_geom_count(s), 1); // meshes that are only seen are not opened
    assert_int_equal(geom(s, 0)->contype, 0);
    assert_int_equal(geom(s, 0)->conaffinity, 0);
    assert_int_equal(geom(s, 0)->group, 1);
    assert_true(geom(s, 0)->mass == 0.0);
    assert_item(report, "visual", "", DP_IMPORT_VERDICT_IGNORED, "looks only");
    assert_item(report, "mesh", "filename", DP_IMPORT_VERDICT_IGNORED, "looks only");
    assert_item(report, "color", "rgba", DP_IMPORT_VERDICT_IGNORED, "looks only");
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

// ---- contact

static void contact_numbers_are_those_of_the_shapes(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><link name='a'><contact><lateral_friction value='0.3'/>"
        "<rolling_friction value=' 0.01 '/><stiffness value='3e4'/><damping value='0'/>"
        "<contact_cfm value='0'/></contact>"
        "<collision><geometry><sphere radius='1'/></geometry></collision>"
        "<collision><geometry><sphere radius='1'/></geometry>"
        "<contact_coefficients mu='0.7' kp='1000' kd='150'/></collision>"
        "<collision><geometry><sphere radius='1'/></geometry>"
        "<contact><spinning_friction value='0.02'/><restitution value='0.5'/></contact></collision>"
        "</link><link name='b'><collision><geometry><sphere radius='1'/></geometry>"
        "<contact_coefficients mu='0 1' kp='0' kd='-1'/></collision></link>"
        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>";
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(&s, &report, text, NULL));
    const struct {
        double friction[3], stiffness, damping, restitution;
        int condim;
        bool given;
    } is[] = {{{0.3, 0.005, 0.01}, 3e4, 0.0, -1.0, 6, true},
              {{0.7, 0.005, 0.01}, 1000.0, 150.0, -1.0, 6, true},
              {{0.3, 0.02, 0.01}, 3e4, 0.0, 0.5, 6, true},
              {{1.0, 0.005, 0.0001}, 2e7, 2e4, -1.0, 3, false}}; // of b: our default
    for (int i = 0; i < 4; ++i) {
        const dp_geom_spec *g = geom(s, i);
        for (int k = 0; k < 3; ++k) {
            assert_true(g->friction[k] == is[i].friction[k]);
        }
        assert_true(g->contact.material.stiffness == is[i].stiffness);
        assert_true(g->contact.material.damping == is[i].damping);
        assert_true(g->contact.material.restitution == is[i].restitution);
        assert_int_equal(g->contact.condim, is[i].condim);
        assert_int_equal(g->contact.material_given, is[i].given);
    }
    assert_item(report, "lateral_friction", "value", DP_IMPORT_VERDICT_USED,
                "friction of the shape");
    assert_item(report, "contact_coefficients", "kp", DP_IMPORT_VERDICT_USED, "N/m");
    assert_item(report, "contact_cfm", "value", DP_IMPORT_VERDICT_IGNORED, "not read");
    int ignored = 0;
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        ignored += strcmp(item.element, "contact_coefficients") == 0 &&
                   item.verdict == DP_IMPORT_VERDICT_IGNORED;
    }
    assert_int_equal(ignored, 4); // of b: the element and its three attributes
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

// ---- extensions

static void extensions_are_listed_and_left_alone(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r' version='1.0' nosuch:attribute='1'>\n"
        "<gazebo reference='a'><mu1>1</mu1><sensor name='s' type='imu'/></gazebo>\n"
        "<transmission name='t'><joint name='j'/></transmission>\n"
        "<undeclared:thing colour='red'><deep/></undeclared:thing>\n"
        "<link name='a'><contact><lateral_friction value='1'/></contact>\n"
        "<drake:proximity_properties><drake:mu_static value='1'/></drake:proximity_properties>"
        "</link>\n<ros2_control name='c'/>\n</robot>";
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(&s, &report, text, NULL));
    assert_int_equal(dp_spec_body_count(s), 2);
    static const char *const element[] = {"gazebo",
                                          "mu1",
                                          "sensor",
                                          "transmission",
                                          "undeclared:thing",
                                          "deep",
                                          "contact",
                                          "lateral_friction",
                                          "drake:proximity_properties",
                                          "drake:mu_static",
                                          "ros2_control"};
    for (size_t i = 0; i < sizeof element / sizeof element[0]; ++i) {
        assert_item(report, element[i], "", DP_IMPORT_VERDICT_IGNORED, "");
        assert_true(strlen(item_of(report, element[i], "").note) > 0);
    }
    assert_item(report, "undeclared:thing", "colour", DP_IMPORT_VERDICT_IGNORED, "an extension");
    assert_int_equal(item_of(report, "drake:mu_static", "value").line, 6);
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static void every_element_and_attribute_is_in_the_report_once_in_order(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/urdf/gripper.urdf", DP_SCENES);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char text[100000];
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    int elements = 0, attributes = 0; // by their first letters; the file has no prefixes
    for (size_t i = 0; i + 1 < n; ++i) {
        elements +=
            text[i] == '<' && text[i + 1] != '/' && text[i + 1] != '!' && text[i + 1] != '?';
        attributes += text[i] == '=' && text[i + 1] == '"';
    }
    attributes -= 1; // of <?xml version="1.0"?>
    dp_spec *s;
    dp_import_report *report;
    assert_ok(dp_urdf_load(&s, &report, path, NULL));
    assert_int_equal(dp_import_report_count(report), elements + attributes);
    for (int i = 1; i < dp_import_report_count(report); ++i) {
        assert_true(dp_import_report_item(report, i).line >=
                    dp_import_report_item(report, i - 1).line);
    }
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static void settings_of_mujoco_are_taken_over(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(
        &s, &report,
        "<robot><mujoco><compiler angle='degree' balanceinertia='true' "
        "boundmass='3' discardvisual='true'/><option timestep='0.004' gravity='0 0 "
        "-1'><flag limit='disable'/></option><asset><mesh file='x.stl'/></asset>"
        "</mujoco><link name='a'><inertial><mass value='1'/><inertia ixx='1' "
        "iyy='2' izz='6'/></inertial>" VISUAL
        "</link>" LINK("b") "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
                            "<limit lower='-1' upper='1'/></joint></robot>",
        NULL));
    assert_true(dp_spec_options(s)->step == 0.004);
    assert_v3(dp_spec_options(s)->gravity, 0, 0, -1);
    assert_true(dp_spec_options(s)->disable_limits);
    assert_true(body(s, 1)->inertial.mass == 3.0);
    assert_v3(body(s, 1)->inertial.moments, 3, 3, 3); // balanced: the mean of 1, 2 and 6
    assert_int_equal(dp_spec_geom_count(s), 0);
    assert_item(report, "compiler", "angle", DP_IMPORT_VERDICT_IGNORED, "URDF has radians");
    assert_item(report, "asset", "", DP_IMPORT_VERDICT_IGNORED, "MuJoCo reads only");
    assert_item(report, "limit", "", DP_IMPORT_VERDICT_IGNORED, "limits are switched off");
    dp_model *m;
    assert_ok(dp_model_compile(&m, s));
    dp_model_destroy(m);
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static void unknown_names_can_be_passed_over(void **state)
{
    (void)state;
    static const char text[] =
        "<robot><link name='a' colour='red'><inertia_origin xyz='0'><deep er='1'/></inertia_origin>"
        "</link><wheels/></robot>";
    const char *const allow[] = {"unknown"};
    const dp_import_options options = {.allow = allow, .nallow = 1};
    dp_spec *s;
    dp_import_report *report;
    assert_int_equal(try_load(&s, NULL, text, NULL), DP_ERROR_PARSE);
    assert_ok(try_load(&s, &report, text, &options));
    assert_int_equal(dp_spec_body_count(s), 2);
    static const char *const item[][2] = {{"link", "colour"},
                                          {"inertia_origin", ""},
                                          {"inertia_origin", "xyz"},
                                          {"deep", "er"},
                                          {"wheels", ""}};
    for (size_t i = 0; i < sizeof item / sizeof item[0]; ++i) {
        assert_item(report, item[i][0], item[i][1], DP_IMPORT_VERDICT_IGNORED, "an unknown name");
    }
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static dp_import_item item_in_line(const dp_import_report *report, const char *element,
                                   const char *attribute, int line)
{
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (strcmp(item.element, element) == 0 && strcmp(item.attribute, attribute) == 0 &&
            item.line == line) {
            return item;
        }
    }
    fail_msg("nothing is said of %s %s in line %d", element, attribute, line);
    return (dp_import_item){0};
}

static void assert_judged(const dp_import_report *report, const char *element,
                          const char *attribute, int line, dp_import_verdict verdict,
                          const char *note)
{
    const dp_import_item item = item_in_line(report, element, attribute, line);
    assert_int_equal(item.verdict, verdict);
    if (!strstr(item.note, note)) {
        fail_msg("'%s' is not in '%s'", note, item.note);
    }
}

static const double ROUND_OFF = 1e-15; // of a few operations on numbers of order one

#define SOLID(mass, I)                                                                             \
    "<inertial><mass value='" mass "'/><inertia ixx='" I "' iyy='" I "' izz='" I "'/></inertial>"

static void a_parent_called_world_need_not_be_a_link(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(
        &s, &report,
        "<robot><link name='a'>" SOLID(
            "2", "1") "</link><link name='b'/>\n"
                      "<joint name='j' type='continuous'><parent link='world'/><child link='a'/>"
                      "<origin xyz='0 0 3'/></joint><joint name='k' type='fixed'><parent "
                      "link='world'/><child link='b'/></joint></robot>",
        NULL));
    assert_int_equal(dp_spec_body_count(s), 3); // the world, a and b
    assert_string_equal(body(s, 1)->name, "a");
    assert_v3(body(s, 1)->pose.p, 0, 0, 3);
    assert_int_equal(dp_spec_joint_count(s), 1);
    assert_judged(report, "parent", "link", 2, DP_IMPORT_VERDICT_APPROXIMATED, "the world itself");
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void the_first_of_two_counts_where_that_is_allowed(void **state)
{
    (void)state;
    static const char *const repeated[] = {"repeated"};
    const dp_import_options options = {.allow = repeated, .nallow = 1};
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(&s, &report,
                       "<robot><link name='a'>\n" SOLID("2", "1") "\n" SOLID("3", "4") "</link>"
                                                                                       "</robot>",
                       &options));
    assert_near(body(s, 1)->inertial.mass, 2.0, 0.0);
    assert_near(body(s, 1)->inertial.moments.x, 1.0, ROUND_OFF);
    assert_judged(report, "inertial", "", 3, DP_IMPORT_VERDICT_APPROXIMATED, "the first counts");
    assert_judged(report, "mass", "value", 3, DP_IMPORT_VERDICT_IGNORED, "the first counts");
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void what_is_said_twice_alike_is_no_error(void **state)
{
    (void)state;
    dp_spec *s;
    dp_import_report *report;
    assert_ok(try_load(
        &s, &report,
        "<robot><link name='a'/><link name='b'>" SOLID(
            "2", "1") "</link><joint "
                      "name='j' type='continuous'><parent link='a'/><child link='b'/><axis "
                      "xyz='0 1 0'/>\n<axis xyz='0 1 0'/></joint></robot>",
        NULL));
    assert_v3(joint(s, 0)->axis, 0, 1, 0);
    assert_judged(report, "axis", "xyz", 2, DP_IMPORT_VERDICT_IGNORED, "the same again");
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void a_mimic_without_a_leader_can_be_left_out(void **state)
{
    (void)state;
    static const char *const mimic[] = {"mimic"};
    const dp_import_options options = {.allow = mimic, .nallow = 1};
    dp_spec *s;
    assert_ok(try_load(
        &s, NULL,
        "<robot><link name='a'/><link name='b'>" SOLID(
            "2", "1") "</link><joint "
                      "name='j' type='continuous'><parent link='a'/><child link='b'/><mimic "
                      "joint='nobody'/></joint></robot>",
        &options));
    assert_int_equal(dp_spec_equality_count(s), 0);
    assert_int_equal(dp_spec_joint_count(s), 1);
    dp_spec_destroy(s);
}

static void the_declaration_may_follow_a_comment_and_lines_count(void **state)
{
    (void)state;
    dp_spec_destroy(load("\n <!-- a\n licence -->\n<?xml version='1.0'?>\n<robot><link name='a'/>"
                         "</robot>"));
    dp_spec *s;
    assert_int_equal(
        try_load(&s, NULL, "\n<!-- a\nb -->\n<?xml version='1.0'?>\n<robot>\n<lnk/></robot>", NULL),
        DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "a.urdf:6: unknown element <lnk>"));
    assert_int_equal(try_load(&s, NULL, "<robot/><?xml version='1.0'?>", NULL), DP_ERROR_PARSE);
    assert_int_equal(try_load(&s, NULL, "<!-- <?xml version='1.0'?><robot/>", NULL),
                     DP_ERROR_PARSE);
}

static void zeros_behind_the_text_are_passed_over(void **state)
{
    (void)state;
    static const char text[] = "<robot><link name='a'/></robot>\n\0"; // and the one of the literal
    dp_spec *s;
    assert_ok(dp_urdf_parse(&s, NULL, text, sizeof text, "a.urdf", NULL));
    dp_spec_destroy(s);
    static const char inside[] = "<robot><link name='a'/>\0</robot>";
    assert_int_equal(dp_urdf_parse(&s, NULL, inside, sizeof inside - 1, "a.urdf", NULL),
                     DP_ERROR_PARSE);
    assert_int_equal(dp_urdf_parse(&s, NULL, "\0\0\0", 3, "a.urdf", NULL), DP_ERROR_PARSE);
}

static void text_that_is_not_utf_8_is_read_as_latin_1(void **state)
{
    (void)state;
    dp_spec *s = load("<?xml version='1.0' encoding='GBK'?><!-- \xBB\xFA\xD0\xB5 --><robot><link "
                      "name='caf\xE9'/></robot>");
    assert_string_equal(body(s, 1)->name, "caf\xC3\xA9");
    dp_spec_destroy(s);
    s = load("<robot><link name='caf\xC3\xA9'/></robot>"); // UTF-8 stays what it is
    assert_string_equal(body(s, 1)->name, "caf\xC3\xA9");
    dp_spec_destroy(s);
}

// Efforts, velocities, settings of controllers and meshes to see are not looked at.
static void what_has_no_effect_cannot_spoil_a_robot(void **state)
{
    (void)state;
    dp_spec *s = load("<robot><link name='a'/><link name='b'>" SOLID(
        "2", "1") "</link><joint "
                  "name='j' type='continuous'><parent link='a'/><child link='b'/><limit "
                  "effort='inf' velocity='1e999'/><calibration rising=''/></joint></robot>");
    assert_int_equal(dp_spec_joint_count(s), 1);
    dp_spec_destroy(s);
    s = load("<robot><link name='a'><visual><geometry><mesh filename='a.dae' scale='1 1 1 1'/>"
             "</geometry></visual></link></robot>");
    assert_int_equal(dp_spec_geom_count(s), 0);
    dp_spec_destroy(s);
}

#define MOVED(content)                                                                             \
    "<robot><link name='a'/><joint name='j' type='continuous'><parent link='a'/><child "           \
    "link='b'/></joint><link name='b'>\n" content "</link></robot>"

static void a_point_that_moves_can_have_small_moments(void **state)
{
    (void)state;
    static const char *const inertia[] = {"inertia"};
    const dp_import_options options = {.allow = inertia, .nallow = 1};
    static const char *const robot[] = {
        MOVED("<inertial><origin xyz='0 0 1'/><mass value='3'/></inertial>"),
        MOVED("<inertial><origin xyz='0 0 1'/><mass value='3'/><inertia ixx='0' iyy='0' izz='0'/>"
              "</inertial>")};
    for (int i = 0; i < 2; ++i) {
        dp_spec *s;
        dp_import_report *report;
        assert_ok(try_load(&s, &report, robot[i], &options));
        assert_v3(body(s, 2)->inertial.moments, 3e-4, 3e-4, 3e-4); // 3 kg at 0.01 m
        assert_judged(report, i == 0 ? "inertial" : "inertia", "", 2,
                      DP_IMPORT_VERDICT_APPROXIMATED, "its mass at 0.01 m");
        dp_import_report_destroy(report);
        dp_spec_destroy(s);
    }
}

// Two points a metre apart are a rod, and three that are not on a line are a body.
static void points_that_are_fixed_together_can_be_a_body(void **state)
{
    (void)state;
#define POINT(name, at)                                                                            \
    "<link name='" name "'><inertial><mass value='1'/></inertial></link><joint name='to_" name     \
    "' type='fixed'><origin xyz='" at "'/><parent link='b'/><child link='" name "'/></joint>"
    static const char start[] =
        "<robot><link name='a'/><joint name='j' type='continuous'><parent "
        "link='a'/><child link='b'/></joint><link name='b'/>" POINT("p", "1 0 0")
            POINT("q", "2 0 0");
    char text[2000];
    dp_spec *s;
    snprintf(text, sizeof text, "%s</robot>", start);
    assert_int_equal(try_load(&s, NULL, text, NULL), DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "principal moments 0.5, 0.5, 0 kg m²"));
    snprintf(text, sizeof text, "%s" POINT("r", "0 1 0") "</robot>", start);
    s = load(text);
    dp_model *m;
    assert_ok(dp_model_compile(&m, s));
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

static void links_without_mass_or_shapes_can_have_a_millionth(void **state)
{
    (void)state;
    static const char *const massless[] = {"massless"};
    const dp_import_options options = {.allow = massless, .nallow = 1};
    static const char robot[] =
        "<robot><link name='a'/><joint name='j' type='prismatic'><parent link='a'/><child "
        "link='b'/></joint>\n<link name='b'/><joint name='k' type='prismatic'><axis xyz='0 1 0'/>"
        "<parent link='b'/><child link='c'/></joint><link name='c'>" SOLID("3", "1") "</link>"
                                                                                     "</robot>";
    dp_spec *s;
    dp_import_report *report;
    assert_int_equal(try_load(&s, NULL, robot, NULL), DP_ERROR_UNSUPPORTED);
    assert_ok(try_load(&s, &report, robot, &options));
    assert_near(body(s, 2)->inertial.mass, 3e-6, 3e-6 * ROUND_OFF);
    assert_near(body(s, 2)->inertial.moments.z, 3e-8, 3e-8 * 4 * ROUND_OFF);
    assert_near(body(s, 3)->inertial.mass, 3.0, 0.0);
    assert_judged(report, "link", "", 2, DP_IMPORT_VERDICT_APPROXIMATED,
                  "a millionth of the robot's");
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void a_density_weighs_the_shapes(void **state)
{
    (void)state;
    dp_spec *s = load(MOVED("<inertial><density value='500'/></inertial><collision><geometry><box "
                            "size='1 2 3'/></geometry></collision>"));
    dp_model *m;
    assert_ok(dp_spec_allow(s, "contact"));
    assert_ok(dp_model_compile(&m, s));
    assert_near(dp_model_body(m, (dp_body_id){2}).inertial.mass, 3000.0, 3000.0 * 4 * ROUND_OFF);
    dp_model_destroy(m);
    dp_spec_destroy(s);
    s = load(MOVED("<inertial><mass value='1'/><density value='500'/><inertia ixx='1' iyy='1' "
                   "izz='1'/></inertial>"));
    assert_near(body(s, 2)->inertial.mass, 1.0, 0.0);
    dp_spec_destroy(s);
}

static void the_lower_half_of_an_inertia_may_repeat_the_upper_one(void **state)
{
    (void)state;
    dp_spec *s = load(MOVED("<inertial><mass value='1'/><inertia ixx='2' iyy='2' izz='2' ixy='0.5' "
                            "iyx='0.5' ixz='0' izx='0' iyz='0' izy='0'/></inertial>"));
    assert_v3(body(s, 2)->inertial.moments, 2.5, 2, 1.5);
    dp_spec_destroy(s);
}

static void links_without_mass_can_take_that_of_their_shapes(void **state)
{
    (void)state;
    static const char text[] =
        "<robot><link name='base'/><link name='a'>\n"
        "<visual><geometry><sphere radius='9'/></geometry></visual></link><link "
        "name='b'><collision>"
        "<geometry><box size='0.1 0.2 0.5'/></geometry></collision></link>" JOINT(
            "j", "base", "a") "<joint name='k' type='fixed'><parent link='a'/><child "
                              "link='b'/><origin xyz='1 0 0'/>"
                              "</joint></robot>";
    const char *const allow[] = {"massless", "contact"};
    const dp_import_options options = {.allow = allow, .nallow = 2};
    dp_spec *s;
    assert_int_equal(try_load(&s, NULL, text, NULL), DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "a.urdf:1: link 'a': found no mass, although joint 'j' "
                                            "moves it"));
    assert_ok(try_load(&s, NULL, text, &options));
    mechanism x = mechanism_from(s);
    assert_true(dp_model_body(x.m, (dp_body_id){2}).inertial.mass == 0.0);
    assert_near(dp_model_body(x.m, (dp_body_id){3}).inertial.mass, 10.0, 1e-14); // of water
    mechanism_end(&x);
}

static void armature_of_other_engines_is_taken_over(void **state)
{
    (void)state;
    dp_spec *s = load(TWO_LINKS("continuous", "<dynamics armature='0.25'/>"));
    assert_true(joint(s, 0)->armature == 0.25);
    dp_spec_destroy(s);
}

static void impossible_moments_can_be_replaced_by_equal_ones(void **state)
{
    (void)state;
    static const char text[] =
        "<robot><link name='base'/><link name='a'><inertial><mass value='1'/>\n"
        "<inertia ixx='1' iyy='2' izz='6'/></inertial></link>" JOINT("j", "base", "a") "</robot>";
    dp_spec *s;
    dp_import_report *report;
    assert_int_equal(try_load(&s, NULL, text, NULL), DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "a.urdf:2: inertia: link 'a' has principal moments 6, "
                                            "2, 1 kg m², which no mass has"));
    assert_non_null(strstr(dp_last_error(), "balanceinertia"));
    const char *const allow[] = {"inertia"};
    const dp_import_options options = {.allow = allow, .nallow = 1};
    assert_ok(try_load(&s, &report, text, &options));
    assert_v3(body(s, 2)->inertial.moments, 3, 3, 3);
    assert_item(report, "inertia", "", DP_IMPORT_VERDICT_APPROXIMATED, "three equal ones");
    dp_spec_destroy(s);
    dp_import_report_destroy(report);
}

static void impossible_moments_of_a_fixed_link_are_of_no_effect(void **state)
{
    (void)state;
    mechanism x = mechanism_from(
        load("<robot><link name='base'><inertial><mass value='1'/><inertia ixx='-1' iyy='2' "
             "izz='6'/></inertial></link>" LINK("a") JOINT("j", "base", "a") "</robot>"));
    assert_int_equal(dp_model_sizes(x.m)->nv, 1);
    mechanism_end(&x);
}

// ---- the documentation

static char page[100000];

static void assert_documented(const char *name)
{
    char quoted[200];
    snprintf(quoted, sizeof quoted, "`%s`", name);
    if (!strstr(page, quoted)) {
        fail_msg("docs/urdf.md does not mention %s", quoted);
    }
}

static void look_up(const dp_mjcf_element *element)
{
    assert_documented(element->name);
    for (const dp_mjcf_attribute *attribute = element->attribute; attribute->name; ++attribute) {
        assert_documented(attribute->name);
    }
    for (const dp_mjcf_element *const *child = element->child; child && *child; ++child) {
        look_up(*child); // three levels deep
    }
}

static void the_documentation_has_every_name_of_the_schema(void **state)
{
    (void)state;
    FILE *file = fopen(DP_SOURCE "/docs/urdf.md", "rb");
    assert_non_null(file);
    const size_t n = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    page[n] = '\0';
    look_up(&dp_urdf_root);
}

// ---- the same in MJCF

static const char arm_urdf[] =
    "<robot name='arm'>"
    "<link name='base'/>"
    "<link name='upper'><inertial><origin xyz='0.1 0.2 -0.3'/><mass value='2'/><inertia "
    "ixx='0.3' ixy='0.01' ixz='-0.02' iyy='0.4' iyz='0.03' izz='0.5'/></inertial></link>"
    "<link name='lower'><inertial><origin xyz='0 0 -0.4'/><mass value='1.5'/><inertia ixx='0.2' "
    "iyy='0.21' izz='0.02'/></inertial><collision name='hull'><origin xyz='0 0 -0.4'/><geometry>"
    "<cylinder radius='0.05' length='0.8'/></geometry></collision></link>"
    "<link name='tip'/>"
    "<link name='rail'><inertial><mass value='0.5'/><inertia ixx='0.01' iyy='0.02' izz='0.025'/>"
    "</inertial></link>"
    "<joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/><origin "
    "xyz='0 0 1' rpy='0 1.5707963267948966 0'/><axis xyz='0 1 0'/><dynamics damping='0.7'/></joint>"
    "<joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/><origin "
    "xyz='0.5 0 0' rpy='1.5707963267948966 0 0'/><axis xyz='1 0 1'/><limit lower='-2' "
    "upper='2'/></joint>"
    "<joint name='mount' type='fixed'><parent link='lower'/><child link='tip'/><origin xyz='0 0 "
    "-0.8'/></joint>"
    "<joint name='slide' type='prismatic'><parent link='tip'/><child link='rail'/><origin "
    "rpy='0 0 1.5707963267948966'/><axis xyz='1 0 0'/><limit lower='0' upper='0.3'/></joint>"
    "</robot>";

static const char arm_mjcf[] =
    "<mujoco model='arm'><compiler angle='radian'/><worldbody><body name='base'>"
    "<body name='upper' pos='0 0 1' axisangle='0 1 0 1.5707963267948966'>"
    "<joint name='shoulder' axis='0 1 0' damping='0.7'/>"
    "<inertial pos='0.1 0.2 -0.3' mass='2' fullinertia='0.3 0.4 0.5 0.01 -0.02 0.03'/>"
    "<body name='lower' pos='0.5 0 0' axisangle='1 0 0 1.5707963267948966'>"
    "<joint name='elbow' axis='1 0 1' range='-2 2'/>"
    "<inertial pos='0 0 -0.4' mass='1.5' diaginertia='0.2 0.21 0.02'/>"
    "<geom name='hull' type='cylinder' pos='0 0 -0.4' size='0.05 0.4' mass='0'/>"
    "<body name='tip' pos='0 0 -0.8'>"
    "<body name='rail' axisangle='0 0 1 1.5707963267948966'>"
    "<joint name='slide' type='slide' axis='1 0 0' range='0 0.3'/>"
    "<inertial pos='0 0 0' mass='0.5' diaginertia='0.01 0.02 0.025'/>"
    "</body></body></body></body></body></worldbody></mujoco>";

static void the_same_arm_in_urdf_and_mjcf_moves_alike(void **state)
{
    (void)state;
    dp_spec *mjcf_spec;
    assert_ok(dp_mjcf_parse(&mjcf_spec, NULL, arm_mjcf, strlen(arm_mjcf), "a.xml", NULL));
    dp_spec *both[] = {load(arm_urdf), mjcf_spec};
    mechanism x[2];
    for (int i = 0; i < 2; ++i) {
        assert_ok(dp_spec_allow(both[i], "limit"));
        x[i] = mechanism_from(both[i]);
        const double q[] = {0.3, -1.1, 0.2}, v[] = {1.5, -0.7, 0.4};
        mechanism_set(&x[i], q, v);
    }
    const int nbody = dp_model_sizes(x[0].m)->nbody;
    assert_int_equal(nbody, dp_model_sizes(x[1].m)->nbody);
    for (int b = 0; b < nbody; ++b) {
        const dp_pose p = dp_body_pose(x[0].d, (dp_body_id){b});
        const dp_pose r = dp_body_pose(x[1].d, (dp_body_id){b});
        assert_string_equal(body(x[0].spec, b)->name, body(x[1].spec, b)->name);
        assert_v3(dp_v3_sub(p.p, r.p), 0, 0, 0);
        assert_rotation(p.q, r.q);
    }
    double M[2][9], c[2][3], a[2][3];
    for (int i = 0; i < 2; ++i) {
        assert_ok(dp_mass_matrix(M[i], x[i].d));
        assert_ok(dp_bias_force(c[i], x[i].d));
        assert_ok(dp_sense(x[i].d));
        memcpy(a[i], dp_data_acceleration(x[i].d), sizeof a[i]);
    }
    const double tolerance = 1e-13; // round-off of numbers of order 10
    for (int k = 0; k < 9; ++k) {
        assert_near(M[0][k], M[1][k], tolerance);
    }
    for (int k = 0; k < 3; ++k) {
        assert_near(c[0][k], c[1][k], tolerance);
        assert_near(a[0][k], a[1][k], 10 * tolerance); // times the condition of M
    }
    mechanism_end(&x[0]);
    mechanism_end(&x[1]);
}

// ---- files

#define FILES DP_SCRATCH "/urdf_files"
// A tetrahedron, by its corners 0, x, y, z.
static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                  "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

// urdf_files/bot/urdf (the robots), urdf_files/bot/meshes, urdf_files/other/meshes
static int make_folders(void **state)
{
    (void)state;
    static const char *const folder[] = {FILES,
                                         FILES "/bot",
                                         FILES "/bot/urdf",
                                         FILES "/bot/urdf/parts",
                                         FILES "/bot/meshes",
                                         FILES "/other",
                                         FILES "/other/meshes"};
    for (size_t i = 0; i < sizeof folder / sizeof folder[0]; ++i) {
        mkdir(folder[i], 0777);
    }
    write_text(FILES "/bot/urdf/parts/a.obj", tetrahedron);
    write_text(FILES "/bot/meshes/b.obj", tetrahedron);
    write_text(FILES "/other/meshes/c.OBJ", tetrahedron);
    remove(FILES "/bot/urdf/link.obj"); // to a file whose name says nothing
    write_text(FILES "/bot/urdf/parts/blob", tetrahedron);
    write_text(FILES "/bot/urdf/.obj", tetrahedron);
    assert_int_equal(symlink("parts/blob", FILES "/bot/urdf/link.obj"), 0);
    return 0;
}

static dp_status load_mesh(dp_spec **out, const char *mesh, const char *mujoco,
                           const dp_import_options *options)
{
    char text[2000];
    snprintf(text, sizeof text,
             "<robot>%s<link name='a'>\n<collision><geometry><mesh %s/></geometry></collision>"
             "</link></robot>",
             mujoco, mesh);
    return dp_urdf_parse(out, NULL, text, strlen(text), FILES "/bot/urdf/bot.urdf", options);
}

static void assert_found(const char *mesh, const dp_import_options *options, const char *name)
{
    dp_spec *s;
    if (load_mesh(&s, mesh, "", options) != DP_OK) {
        fail_msg("%s: %s", mesh, dp_last_error());
    }
    assert_int_equal(dp_spec_mesh_count(s), 1);
    assert_string_equal(dp_spec_mesh(s, (dp_mesh_id){0})->name, name);
    assert_int_equal(geom(s, 0)->kind, DP_GEOM_MESH);
    assert_string_equal(geom(s, 0)->mesh, name);
    dp_spec_destroy(s);
}

static void assert_not_found(const char *mesh, const dp_import_options *options, dp_status status,
                             const char *message)
{
    dp_spec *s;
    assert_int_equal(load_mesh(&s, mesh, "", options), status);
    assert_null(s);
    if (!strstr(dp_last_error(), message)) {
        fail_msg("%s: '%s' (expected '%s')", mesh, dp_last_error(), message);
    }
}

static void meshes_that_are_seen_are_read_for_pages_alone(void **state)
{
    (void)state;
    const char *text =
        "<robot><material name='red'><color rgba='1 0.25 0 1'/></material><link name='a'>"
        "<visual><geometry><mesh filename='parts/a.obj'/></geometry><material name='red'/></visual>"
        "<visual><geometry><mesh filename='none.stl'/></geometry></visual>"
        "<collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";
    static const float red[4] = {1.0F, 0.25F, 0.0F, 1.0F};
    for (int i = 0; i < 2; ++i) {
        dp_import_options options = dp_import_options_default();
        options.visuals = i == 1;
        dp_spec *s;
        dp_import_report *report;
        assert_int_equal(
            dp_urdf_parse(&s, &report, text, strlen(text), FILES "/bot/urdf/bot.urdf", &options),
            DP_OK);
        assert_int_equal(dp_spec_mesh_count(s), i);
        assert_int_equal(dp_spec_geom_count(s), 1 + i); // what is missing is left out
        const dp_geom_spec *touches = geom(s, i);
        assert_int_equal(touches->kind, DP_GEOM_SPHERE);
        assert_int_equal(touches->group, i == 1 ? 3 : 0); // hidden behind what is seen
        assert_memory_equal(touches->rgba, red, sizeof red);
        if (i == 1) {
            assert_int_equal(geom(s, 0)->contype + geom(s, 0)->conaffinity, 0);
            assert_memory_equal(geom(s, 0)->rgba, red, sizeof red);
        }
        dp_import_report_destroy(report);
        dp_spec_destroy(s);
    }
}

static void a_mesh_is_found_beside_the_robot_and_in_its_package(void **state)
{
    (void)state;
    assert_found("filename='parts/a.obj'", NULL, "a");
    assert_found("filename='file://" FILES "/bot/urdf/parts/a.obj'", NULL, "a");
    assert_found("filename='" FILES "/bot/urdf/parts/a.obj'", NULL, "a");
    assert_found("filename='package://bot/meshes/b.obj'", NULL, "b");
    assert_found("filename='model://bot/meshes/b.obj'", NULL, "b");
    assert_found("filename='package://parts/a.obj'", NULL, "a");
    assert_found("filename='link.obj'", NULL, "link");
    assert_found("filename='.obj'", NULL, "mesh");
    assert_found("filename='parts\\a.obj'", NULL, "parts\\a"); // from Windows
}

static void a_mesh_elsewhere_must_be_allowed(void **state)
{
    (void)state;
    static const char *const outside[] = {
        "filename='package://other/meshes/c.OBJ'", "filename='../meshes/b.obj'",
        "filename='" FILES "/other/meshes/c.OBJ'", "filename='parts/../../meshes/b.obj'",
        "filename='package://bot/../other/meshes/c.OBJ'"};
    dp_import_options anywhere = dp_import_options_default();
    anywhere.allow_outside = true;
    for (int i = 0; i < 5; ++i) {
        assert_not_found(outside[i], NULL, DP_ERROR_PARSE, "outside of the folder of the robot");
        assert_found(outside[i], &anywhere, strstr(outside[i], "b.obj") ? "b" : "c");
    }
    const char *const paths[] = {"/no/such/folder", FILES};
    dp_import_options options = dp_import_options_default();
    options.package_path = paths;
    options.npackage_path = 2;
    assert_found("filename='package://other/meshes/c.OBJ'", &options, "c");
    assert_found("filename='bot/meshes/b.obj'", &options, "b");
    const char *const package[] = {FILES "/other/"}; // the package itself
    options.package_path = package;
    options.npackage_path = 1;
    assert_found("filename='package://other/meshes/c.OBJ'", &options, "c");
    assert_not_found("filename='package://other/../bot/meshes/b.obj'", &options, DP_ERROR_PARSE,
                     "outside of the folder of the robot");
}

static void a_file_without_a_package_lies_beside_the_robot(void **state)
{
    (void)state;
    assert_found("filename='package://link.obj'", NULL, "link");
    assert_found("filename='package:///link.obj'", NULL, "link");
    assert_found("filename='package:///bot/meshes/b.obj'", NULL, "b");
    assert_not_found("filename='package://../meshes/b.obj'", NULL, DP_ERROR_PARSE,
                     "outside of the folder of the robot");
}

static void a_file_outside_is_told_with_the_folder_to_name(void **state)
{
    (void)state;
    assert_not_found("filename='package://other/meshes/c.OBJ'", NULL, DP_ERROR_PARSE,
                     "package_path '" FILES "' adds a folder that holds it");
    assert_not_found("filename='../meshes/b.obj'", NULL, DP_ERROR_PARSE,
                     "package_path '" FILES "/bot' adds a folder that holds it");
    const char *const bot[] = {FILES "/bot"};
    const dp_import_options options = {.package_path = bot, .npackage_path = 1};
    assert_found("filename='../meshes/b.obj'", &options, "b");
    assert_not_found("filename='../../other/meshes/c.OBJ'", &options, DP_ERROR_PARSE,
                     "outside of the folder of the robot");
}

// bot is a package called "machine" while this runs.
static void a_package_may_be_read_by_the_robot_in_it(void **state)
{
    (void)state;
    remove(FILES "/bot/meshes/out.obj");
    assert_int_equal(symlink("../../other/meshes/c.OBJ", FILES "/bot/meshes/out.obj"), 0);
    assert_not_found("filename='../meshes/b.obj'", NULL, DP_ERROR_PARSE, "outside");
    write_text(FILES "/bot/package.xml",
               "<?xml version='1.0'?>\n<package format='2'>\n  <name> machine </name>\n</package>");
    assert_found("filename='../meshes/b.obj'", NULL, "b");
    assert_found("filename='parts/../../meshes/b.obj'", NULL, "b");
    assert_found("filename='" FILES "/bot/meshes/b.obj'", NULL, "b");
    assert_found("filename='package://machine/meshes/b.obj'", NULL, "b");
    assert_found("filename='package://bot/meshes/b.obj'", NULL, "b"); // by the folder's name
    static const char *const outside[] = {"filename='../../other/meshes/c.OBJ'",
                                          "filename='../meshes/../../other/meshes/c.OBJ'",
                                          "filename='package://machine/../other/meshes/c.OBJ'",
                                          "filename='../meshes/out.obj'",
                                          "filename='package://machine/meshes/out.obj'",
                                          "filename='package://other/meshes/c.OBJ'"};
    for (int i = 0; i < 6; ++i) {
        assert_not_found(outside[i], NULL, DP_ERROR_PARSE, "outside of the folder of the robot");
    }
    assert_not_found("filename='package://mach/meshes/b.obj'", NULL, DP_ERROR_IO, "found no file");
    remove(FILES "/bot/package.xml");
    remove(FILES "/bot/meshes/out.obj");
}

// bot/urdf is a package of its own inside of "machine" while this runs.
static void a_package_around_the_nearest_one_is_found_by_its_name(void **state)
{
    (void)state;
    write_text(FILES "/bot/urdf/package.xml", "<package><name>part</name></package>");
    write_text(FILES "/bot/package.xml", "<package><name>machine</name></package>");
    dp_import_options anywhere = dp_import_options_default();
    anywhere.allow_outside = true;
    assert_found("filename='package://machine/meshes/b.obj'", &anywhere, "b");
    assert_found("filename='package://part/parts/a.obj'", &anywhere, "a");
    assert_not_found("filename='package://machine/meshes/b.obj'", NULL, DP_ERROR_PARSE, "outside");
    remove(FILES "/bot/urdf/package.xml");
    remove(FILES "/bot/package.xml");
}

// What programs may allow unasked: defects of files, each of them reported by its name.
static void flaws_are_repaired_where_that_is_wanted(void **state)
{
    (void)state;
    static const struct {
        const char *feature, *element, *text;
    } flaws[] = {
        {"inertia", "inertia",
         "<inertial><mass value='1'/>\n<inertia ixx='1' iyy='1' izz='9'/></inertial>"},
        {"inertia", "inertia",
         "<inertial><mass value='1'/>\n<inertia ixx='1' iyy='1' izz='1' ixz='.1' izx='.2'/>"
         "</inertial>"},
        {"massless", "link", ""},
        {"mesh-file", "mesh",
         SOLID("1", "1") "<collision><geometry>\n<mesh filename='none.stl'/></geometry>"
                         "</collision>"},
        {"mesh-format", "mesh",
         SOLID("1", "1") "<collision><geometry>\n<mesh filename='a.3ds'/></geometry></collision>"},
        {"flat", "sphere",
         SOLID("1", "1") "<collision><geometry>\n<sphere radius='0'/></geometry></collision>"},
        {"repeated", "inertial", SOLID("1", "1") "\n" SOLID("2", "2")},
    };
    for (size_t i = 0; i < sizeof flaws / sizeof flaws[0]; ++i) {
        char text[800];
        snprintf(text, sizeof text,
                 "<robot><link name='a'/>\n<joint name='j' type='continuous'><parent link='a'/>"
                 "<child link='b'/></joint><link name='b'>%s</link></robot>",
                 flaws[i].text);
        dp_spec *s;
        dp_import_report *report;
        dp_import_options options = dp_import_options_default();
        assert_int_not_equal(try_load(&s, NULL, text, &options), DP_OK);
        assert_string_equal(dp_last_feature(), flaws[i].feature);
        options.repair = true;
        assert_ok(try_load(&s, &report, text, &options));
        bool found = false;
        for (int k = 0; k < dp_import_report_count(report); ++k) {
            const dp_import_item item = dp_import_report_item(report, k);
            found = found || (strcmp(item.feature, flaws[i].feature) == 0 &&
                              strcmp(item.element, flaws[i].element) == 0 && item.note[0] != '\0');
        }
        assert_true(found);
        dp_import_report_destroy(report);
        dp_model *m;
        assert_ok(dp_model_compile(&m, s));
        dp_model_destroy(m);
        dp_spec_destroy(s);
    }
}

static void a_mesh_that_is_nowhere_is_told_with_what_to_do(void **state)
{
    (void)state;
    assert_not_found("filename='package://bot/meshes/x.stl'", NULL, DP_ERROR_IO,
                     "bot.urdf:2: mesh: found no file 'package://bot/meshes/x.stl'");
    assert_not_found("filename='x.stl'", NULL, DP_ERROR_IO, "package_path adds a folder");
    assert_not_found("filename='x.stl'", NULL, DP_ERROR_IO, "allow \"mesh-file\"");
    assert_not_found("filename='package://.stl'", NULL, DP_ERROR_IO, "found no file");
    assert_not_found("filename='package:///.stl/'", NULL, DP_ERROR_UNSUPPORTED, "mesh-format");
    assert_not_found("filename='package://?.stl'", NULL, DP_ERROR_IO, "found no file");
    assert_not_found("filename='https://host/x.stl'", NULL, DP_ERROR_PARSE,
                     "expected a path, file://, package:// or model://");
    assert_not_found("filename='parts/a.3ds'", NULL, DP_ERROR_UNSUPPORTED,
                     "convert it to .stl, .obj, .msh or .dae (to go on without: allow "
                     "\"mesh-format\"");
    assert_not_found("filename='parts/a.obj' scale='1 0 1'", NULL, DP_ERROR_PARSE, "a scale of 0");
}

static void meshes_can_be_left_out(void **state)
{
    (void)state;
    static const char *const allow[] = {"mesh", "mesh-format", "mesh-file"};
    static const char *const mesh[] = {"filename='parts/a.obj'", "filename='a.3ds'",
                                       "filename='no/such.stl'"};
    for (int i = 0; i < 3; ++i) {
        const dp_import_options options = {.allow = &allow[i], .nallow = 1};
        dp_spec *s;
        assert_ok(load_mesh(&s, mesh[i], "", &options));
        assert_int_equal(dp_spec_geom_count(s), 0);
        dp_spec_destroy(s);
    }
}

static void meshdir_of_mujoco_is_where_bare_names_are(void **state)
{
    (void)state;
    dp_spec *s;
    assert_ok(load_mesh(&s, "filename='package://gone/away/a.obj'",
                        "<mujoco><compiler meshdir='parts'/></mujoco>", NULL));
    assert_string_equal(dp_spec_mesh(s, (dp_mesh_id){0})->name, "a");
    dp_spec_destroy(s);
}

static void a_mesh_is_read_once_per_scale(void **state)
{
    (void)state;
#define MESH(scale)                                                                                \
    "<collision><geometry><mesh filename='parts/a.obj'" scale "/></geometry></collision>"
    static const char text[] = "<robot><link name='a'>" MESH("") MESH(" scale='1 1 1'")
        MESH(" scale='2 -3 4'") "</link></robot>";
    dp_spec *s;
    assert_ok(dp_urdf_parse(&s, NULL, text, strlen(text), FILES "/bot/urdf/bot.urdf", NULL));
    assert_int_equal(dp_spec_mesh_count(s), 2);
    assert_string_equal(geom(s, 0)->mesh, "a");
    assert_string_equal(geom(s, 1)->mesh, "a");
    assert_string_equal(geom(s, 2)->mesh, "a_2");
    const dp_mesh_spec *mirrored = dp_spec_mesh(s, (dp_mesh_id){1});
    dp_v3 sum = {0, 0, 0}; // of the corners: (2, −3, 4)
    for (int i = 0; i < mirrored->nvertex; ++i) {
        sum = dp_v3_add(sum, dp_v3_load(mirrored->vertex + 3 * i));
    }
    assert_v3(sum, 2, -3, 4);
    dp_spec_destroy(s);
}

static void the_root_element_says_which_format_a_file_has(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        dp_status status;
        const char *message;
    } cases[] = {
        {"<robot name='urdf'><link name='a'/></robot>", DP_OK, NULL},
        {"<?xml version='1.0'?>\n<!-- <mujoco> -->\n<robot name='urdf'><link name='a'/></robot>",
         DP_OK, NULL},
        {"<mujoco model='mjcf'/>", DP_OK, NULL},
        {"<!DOCTYPE mujoco>\n<mujoco model='mjcf'></mujoco>", DP_OK, NULL},
        {"<sdf version='1.6'/>", DP_ERROR_PARSE, "sdf: found no <model>"},
        {"<world/>", DP_ERROR_PARSE, "found <world> (expected <mujoco>, an MJCF file, <robot>, a"},
        {"<robots/>", DP_ERROR_PARSE, "found <robots> (expected"},
        {"", DP_ERROR_PARSE, "found no element"},
        {"hello", DP_ERROR_PARSE, "syntax error"},
        {"<!-- <robot>", DP_ERROR_PARSE, "unclosed token"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        write_text(FILES "/either", cases[i].text);
        dp_spec *s;
        dp_import_report *report;
        assert_int_equal(dp_model_file_load(&s, &report, FILES "/either", NULL), cases[i].status);
        if (cases[i].status == DP_OK) {
            assert_string_equal(dp_spec_title(s),
                                strstr(cases[i].text, "<robot") ? "urdf" : "mjcf");
        } else if (!strstr(dp_last_error(), cases[i].message)) {
            fail_msg("'%s' (expected '%s')", dp_last_error(), cases[i].message);
        }
        dp_spec_destroy(s);
        dp_import_report_destroy(report);
    }
    dp_spec *s;
    assert_int_equal(dp_model_file_load(&s, NULL, FILES "/no such file", NULL), DP_ERROR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_link_is_a_body_fixed_to_the_world),
        cmocka_unit_test(every_shipped_robot_loads),
        cmocka_unit_test(roll_pitch_and_yaw_turn_about_fixed_axes_in_this_order),
        cmocka_unit_test(an_orientation_may_be_a_quaternion),
        cmocka_unit_test(an_inertia_is_in_the_axes_of_its_origin),
        cmocka_unit_test(shapes_weigh_nothing),
        cmocka_unit_test(links_without_mass_may_be_fixed_to_others),
        cmocka_unit_test(the_root_floats_where_it_is_asked_to),
        cmocka_unit_test(a_root_called_world_is_the_world),
        cmocka_unit_test(a_world_that_is_the_root_cannot_float),
        cmocka_unit_test(bodies_come_depth_first_in_the_order_of_their_joints),
        cmocka_unit_test(hinges_and_slides_take_their_axis_from_the_joint_frame),
        cmocka_unit_test(an_axis_is_x_unless_it_is_given),
        cmocka_unit_test(a_fixed_joint_is_no_joint_and_its_parts_are_ignored),
        cmocka_unit_test(a_spherical_joint_is_a_ball),
        cmocka_unit_test(a_planar_joint_moves_across_its_axis_and_turns_about_it),
        cmocka_unit_test(a_plane_across_minus_z_keeps_its_x),
        cmocka_unit_test(what_floats_on_a_fixed_link_hangs_from_the_world),
        cmocka_unit_test(what_floats_on_a_moving_link_has_three_slides_and_a_ball),
        cmocka_unit_test(a_range_is_a_limit_and_the_lack_of_one_is_told),
        cmocka_unit_test(half_a_range_and_bounds_of_drives_are_told),
        cmocka_unit_test(a_continuous_joint_has_no_limit),
        cmocka_unit_test(damping_and_friction_reach_the_joint),
        cmocka_unit_test(a_mimic_is_an_equality_of_two_joints),
        cmocka_unit_test(a_mimic_follows_one_to_one_unless_told_otherwise),
        cmocka_unit_test(springs_and_balls_of_drake_act_between_points),
        cmocka_unit_test(shapes_that_touch_have_half_lengths_and_names),
        cmocka_unit_test(shapes_that_are_seen_touch_nothing),
        cmocka_unit_test(contact_numbers_are_those_of_the_shapes),
        cmocka_unit_test(extensions_are_listed_and_left_alone),
        cmocka_unit_test(every_element_and_attribute_is_in_the_report_once_in_order),
        cmocka_unit_test(settings_of_mujoco_are_taken_over),
        cmocka_unit_test(unknown_names_can_be_passed_over),
        cmocka_unit_test(a_parent_called_world_need_not_be_a_link),
        cmocka_unit_test(the_first_of_two_counts_where_that_is_allowed),
        cmocka_unit_test(what_is_said_twice_alike_is_no_error),
        cmocka_unit_test(a_mimic_without_a_leader_can_be_left_out),
        cmocka_unit_test(the_declaration_may_follow_a_comment_and_lines_count),
        cmocka_unit_test(zeros_behind_the_text_are_passed_over),
        cmocka_unit_test(text_that_is_not_utf_8_is_read_as_latin_1),
        cmocka_unit_test(what_has_no_effect_cannot_spoil_a_robot),
        cmocka_unit_test(a_point_that_moves_can_have_small_moments),
        cmocka_unit_test(points_that_are_fixed_together_can_be_a_body),
        cmocka_unit_test(links_without_mass_or_shapes_can_have_a_millionth),
        cmocka_unit_test(a_density_weighs_the_shapes),
        cmocka_unit_test(the_lower_half_of_an_inertia_may_repeat_the_upper_one),
        cmocka_unit_test(links_without_mass_can_take_that_of_their_shapes),
        cmocka_unit_test(armature_of_other_engines_is_taken_over),
        cmocka_unit_test(impossible_moments_can_be_replaced_by_equal_ones),
        cmocka_unit_test(impossible_moments_of_a_fixed_link_are_of_no_effect),
        cmocka_unit_test(the_documentation_has_every_name_of_the_schema),
        cmocka_unit_test(the_same_arm_in_urdf_and_mjcf_moves_alike),
        cmocka_unit_test(meshes_that_are_seen_are_read_for_pages_alone),
        cmocka_unit_test(a_mesh_is_found_beside_the_robot_and_in_its_package),
        cmocka_unit_test(a_mesh_elsewhere_must_be_allowed),
        cmocka_unit_test(a_file_without_a_package_lies_beside_the_robot),
        cmocka_unit_test(a_file_outside_is_told_with_the_folder_to_name),
        cmocka_unit_test(a_package_may_be_read_by_the_robot_in_it),
        cmocka_unit_test(a_package_around_the_nearest_one_is_found_by_its_name),
        cmocka_unit_test(flaws_are_repaired_where_that_is_wanted),
        cmocka_unit_test(a_mesh_that_is_nowhere_is_told_with_what_to_do),
        cmocka_unit_test(meshes_can_be_left_out),
        cmocka_unit_test(meshdir_of_mujoco_is_where_bare_names_are),
        cmocka_unit_test(a_mesh_is_read_once_per_scale),
        cmocka_unit_test(the_root_element_says_which_format_a_file_has),
    };
    return cmocka_run_group_tests(tests, make_folders, NULL);
}
