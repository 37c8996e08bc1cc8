// <attach>: parts of other models in a model.
#include "imported.h"
#include "near.h"
#include "spec_parts.h"
#include "text_file.h"

#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ROUND_OFF = 1e-15; // of a few operations on numbers of order one

static const char CHILD[] =
    "<mujoco model='child'><compiler angle='radian'/><option timestep='1'/><default><geom "
    "density='500'/></default><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
    "<worldbody><site name='base' pos='0 0 1'/><body name='arm' pos='1 0 0' euler='0 0 1'>"
    "<joint name='j' range='-1 1'/><geom name='g' type='mesh' mesh='m'/><body name='tip'>"
    "<joint name='k'/><geom size='.1'/><site name='s'/></body></body><body name='other'>"
    "<joint name='o'/><geom size='.1'/></body></worldbody>"
    "<tendon><fixed name='t'><joint joint='j' coef='1'/><joint joint='k' coef='2'/></fixed>"
    "<fixed name='u'><joint joint='j' coef='1'/><joint joint='o' coef='2'/></fixed></tendon>"
    "<equality><weld name='w' body1='tip'/><joint joint1='o' joint2='j'/></equality>"
    "<contact><exclude body1='arm' body2='tip'/><exclude body1='arm' body2='other'/></contact>"
    "<actuator><motor name='a' joint='k'/><motor tendon='t'/><motor joint='o'/></actuator>"
    "<sensor><gyro name='gyro' site='s'/><actuatorfrc actuator='a'/><jointpos joint='o'/><clock/>"
    "</sensor><keyframe><key qpos='1 2 3'/></keyframe></mujoco>";

static dp_spec *load_beside(const char *child, const char *text, dp_import_report **report)
{
    write_text(DP_SCRATCH "/child.xml", child);
    dp_spec *s;
    if (dp_mjcf_parse(&s, report, text, strlen(text), DP_SCRATCH "/parent.xml", NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    assert_int_equal(remove(DP_SCRATCH "/child.xml"), 0);
    return s;
}

static dp_spec *load_beside_child(const char *text, dp_import_report **report)
{
    return load_beside(CHILD, text, report);
}

static void an_attached_body_brings_all_that_belongs_to_it_alone(void **state)
{
    (void)state;
    dp_import_report *r;
    dp_spec *s = load_beside_child(
        "<mujoco><compiler angle='degree'/><asset><model name='c' file='child.xml'/></asset>"
        "<worldbody><body name='base'><freejoint/><geom size='1'/><frame pos='0 0 2'>"
        "<attach model='c' body='arm' prefix='left_'/></frame></body></worldbody>"
        "<actuator><motor joint='left_j'/></actuator></mujoco>",
        &r);
    assert_int_equal(dp_spec_body_count(s), 4);
    assert_string_equal(body(s, 2)->name, "left_arm");
    assert_v3(body(s, 2)->pose.p, 1, 0, 2);
    assert_near(body(s, 2)->pose.q.w, cos(0.5), ROUND_OFF); // its own angles are radians
    assert_string_equal(body(s, 3)->name, "left_tip");
    assert_int_equal(dp_spec_joint_count(s), 3);
    assert_string_equal(joint(s, 1)->name, "left_j");
    assert_true(joint(s, 1)->range[1] == 1.0);
    assert_string_equal(geom(s, 1)->mesh, "left_m");
    assert_true(geom(s, 1)->density == 500.0 && geom(s, 0)->density == 1000.0);
    assert_string_equal(dp_spec_mesh(s, (dp_mesh_id){0})->name, "left_m");
    assert_int_equal(dp_spec_site_count(s), 1);
    assert_int_equal(dp_spec_tendon_count(s), 1);
    assert_string_equal(dp_spec_tendon(s, (dp_tendon_id){0})->wrap[1].object, "left_k");
    assert_int_equal(dp_spec_equality_count(s), 1);
    assert_string_equal(dp_spec_equality(s, (dp_equality_id){0})->object[0], "left_tip");
    assert_int_equal(dp_spec_exclude_count(s), 1);
    assert_int_equal(dp_spec_actuator_count(s), 3);
    assert_null(actuator(s, 0)->name); // that of the file itself comes first, as in MuJoCo
    assert_string_equal(actuator(s, 0)->joint, "left_j");
    assert_string_equal(actuator(s, 2)->tendon, "left_t");
    assert_int_equal(dp_spec_sensor_count(s), 2);
    assert_int_equal(dp_spec_key_count(s), 0);
    assert_true(dp_spec_options(s)->step == 0.002);
    assert_int_equal(item_of(r, "option", "timestep").verdict, DP_IMPORT_VERDICT_IGNORED);
    assert_int_equal(item_of(r, "key", "").verdict, DP_IMPORT_VERDICT_IGNORED);
    dp_spec_destroy(s);
    dp_import_report_destroy(r);
}

static void a_whole_model_is_attached_in_a_frame_and_as_often_as_asked(void **state)
{
    (void)state;
    dp_spec *s = load_beside_child(
        "<mujoco><asset><model file='child.xml'/></asset><worldbody><replicate count='2' sep='-' "
        "offset='0 5 0'><frame pos='0 0 1'><attach model='child' prefix='p_'/></frame></replicate>"
        "</worldbody></mujoco>",
        NULL);
    assert_int_equal(dp_spec_body_count(s), 7);
    assert_string_equal(body(s, 1)->name, "p_arm-0");
    assert_string_equal(body(s, 6)->name, "p_other-1");
    assert_v3(body(s, 6)->pose.p, 0, 5, 1);
    assert_string_equal(site(s, 0)->name, "p_base-0"); // of the other world
    assert_v3(site(s, 0)->pose.p, 0, 0, 2);
    assert_int_equal(dp_spec_tendon_count(s), 4);
    assert_int_equal(dp_spec_actuator_count(s), 6);
    assert_string_equal(actuator(s, 3)->name, "p_a-1");
    dp_spec_destroy(s);
}

static void a_model_that_attaches_itself_is_an_error(void **state)
{
    (void)state;
    write_text(DP_SCRATCH "/self.xml",
               "<mujoco><asset><model name='s' file='self.xml'/></asset><worldbody>"
               "<attach model='s' prefix='p'/></worldbody></mujoco>");
    dp_spec *s;
    assert_int_equal(dp_mjcf_load(&s, NULL, DP_SCRATCH "/self.xml", NULL), DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "which attaches itself (expected no cycle)"));
    assert_int_equal(remove(DP_SCRATCH "/self.xml"), 0);
}

static void what_an_attached_model_asks_for_is_refused_here(void **state)
{
    (void)state;
    write_text(DP_SCRATCH "/child.xml",
               "<mujoco model='c'>\n<worldbody><body name='b'><joint name='j'/><geom size='1'/>"
               "</body></worldbody><actuator><muscle name='m' joint='j'/></actuator></mujoco>");
    const char *text = "<mujoco><asset><model file='child.xml'/></asset><worldbody><attach "
                       "model='c' body='b' prefix='p'/></worldbody><sensor><actuatorfrc "
                       "actuator='pm'/></sensor></mujoco>";
    const char *const allow[] = {"muscle"};
    dp_spec *s;
    assert_int_equal(dp_mjcf_parse(&s, NULL, text, strlen(text), DP_SCRATCH "/parent.xml", NULL),
                     DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "child.xml:2: muscle 'm': it has no lengthrange"));
    assert_int_equal(dp_mjcf_parse(&s, NULL, text, strlen(text), DP_SCRATCH "/parent.xml",
                                   &(dp_import_options){.allow = allow, .nallow = 1}),
                     DP_OK);
    assert_int_equal(dp_spec_sensor_count(s), 0); // it follows what it measured
    dp_spec_destroy(s);
    assert_int_equal(remove(DP_SCRATCH "/child.xml"), 0);
}

// Bodies: r and z of the file, x and y attached, the ground of the other model on r.
static void masses_are_bounded_by_the_model_they_come_from(void **state)
{
    (void)state;
    static const char child[] =
        "<mujoco><compiler boundmass='2' settotalmass='100'/><worldbody><geom size='1' mass='4'/>"
        "<body name='x'><joint/><geom size='1' mass='3'/><body name='y'><joint/><geom size='1' "
        "mass='1'/></body></body></worldbody></mujoco>";
    static const char parent[] =
        "<mujoco><compiler boundmass='5' %s/><asset><model name='c' file='child.xml'/></asset>"
        "<worldbody><body name='r'><joint/><geom size='1' mass='6'/><body name='z'><joint/>"
        "<geom size='1' mass='1'/></body><attach model='c'/></body></worldbody></mujoco>";
    static const char *const total[] = {"", "settotalmass='40'"};
    const double mass[] = {0, 10, 5, 3, 2}; // r and the ground, z (bounded), x, y (bounded there)
    for (int k = 0; k < 2; ++k) {
        char text[512];
        snprintf(text, sizeof text, parent, total[k]);
        dp_import_report *r;
        dp_spec *s = load_beside(child, text, &r);
        assert_string_equal(body(s, 2)->name, "z");
        assert_string_equal(body(s, 3)->name, "x");
        for (int b = 1; b <= 4; ++b) {
            assert_int_equal(body(s, b)->inertia_source, DP_INERTIA_SOURCE_GIVEN);
            assert_near(body(s, b)->inertial.mass, (k + 1) * mass[b], 64 * ROUND_OFF);
        }
        assert_int_equal(item_of(r, "compiler", "settotalmass").verdict,
                         k == 0 ? DP_IMPORT_VERDICT_IGNORED : DP_IMPORT_VERDICT_USED);
        dp_spec_destroy(s);
        dp_import_report_destroy(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_attached_body_brings_all_that_belongs_to_it_alone),
        cmocka_unit_test(a_whole_model_is_attached_in_a_frame_and_as_often_as_asked),
        cmocka_unit_test(a_model_that_attaches_itself_is_an_error),
        cmocka_unit_test(what_an_attached_model_asks_for_is_refused_here),
        cmocka_unit_test(masses_are_bounded_by_the_model_they_come_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
