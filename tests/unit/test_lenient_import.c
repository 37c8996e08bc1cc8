// What MuJoCo and other readers of models pass over: accepted, with a line in the report.
#include "near.h"
#include "spec_parts.h"

#include <dashpot/format.h>

#include <stdio.h>
#include <string.h>

#define IN_BODY(text)                                                                              \
    "<mujoco><worldbody><body>" text "<geom size='1'/></body></worldbody></mujoco>"

static dp_spec *load(dp_import_report **report, const char *text, bool repair)
{
    dp_spec *s;
    dp_import_options options = dp_import_options_default();
    options.repair = repair;
    if (dp_model_file_parse(&s, report, text, strlen(text), "a.xml", &options) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return s;
}

static void assert_reported(const dp_import_report *report, const char *element,
                            const char *attribute, const char *note)
{
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (strcmp(item.element, element) == 0 && strcmp(item.attribute, attribute) == 0 &&
            strstr(item.note, note)) {
            return;
        }
    }
    fail_msg("nothing in the report says '%s' of <%s> %s", note, element, attribute);
}

static void what_follows_the_root_is_left_out(void **state)
{
    (void)state;
    static const char *const files[] = {"<mujoco/></mujoco>", "<mujoco/>\n<mujoco/>",
                                        "<mujoco></mujoco> and so on", "<mujoco/>&"};
    for (int i = 0; i < 4; ++i) {
        dp_import_report *report;
        dp_spec_destroy(load(&report, files[i], false));
        assert_reported(report, "mujoco", "", "what follows the end of the root");
        dp_import_report_destroy(report);
    }
    dp_import_report *report;
    dp_spec_destroy(load(&report, "<robot><link name='a'/></robot></robot>", false));
    assert_reported(report, "robot", "", "what follows the end of the root");
    dp_import_report_destroy(report);
}

static void comments_may_have_dashes_and_lines_still_count(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *s = load(&report,
                      "<mujoco><!-- a -- b\n---><worldbody><!--- c ---><body name='--'>\n"
                      "<geom size='1'/></body></worldbody></mujoco>",
                      false);
    assert_string_equal(body(s, 1)->name, "--");
    assert_int_equal(geom(s, 0)->where.line, 3);
    assert_reported(report, "mujoco", "", "two dashes in a comment");
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void an_empty_attribute_is_as_none(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *s = load(&report, IN_BODY("<joint range='' damping=' ' armature='2'/>"), false);
    assert_false(joint(s, 0)->limited);
    assert_near(joint(s, 0)->armature, 2.0, 0.0);
    assert_reported(report, "joint", "range", "empty");
    assert_reported(report, "joint", "damping", "empty");
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
    s = load(&report,
             "<robot><link name='a'><inertial><origin xyz='' rpy=''/><mass value='1'/>"
             "<inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>",
             false);
    assert_reported(report, "origin", "xyz", "empty");
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void a_short_keyframe_is_completed_as_described(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *s = load(&report,
                      "<mujoco><compiler angle='radian'/><worldbody>"
                      "<body><joint name='j'/><geom size='1'/></body>"
                      "<body pos='0 0 3'><freejoint/><geom size='1'/></body>"
                      "<body><joint type='ball'/><geom size='1'/></body>"
                      "<body><joint ref='0.5'/><geom size='1'/></body>"
                      "</worldbody><actuator><motor joint='j'/><motor joint='j'/></actuator>"
                      "<keyframe><key qpos='1 2' qvel='7' ctrl='8'/></keyframe></mujoco>",
                      false);
    const dp_key_spec *key = dp_spec_key(s, (dp_key_id){0});
    static const double q[] = {1.0, 2.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5};
    assert_int_equal(key->nq, 13);
    assert_memory_equal(key->q, q, sizeof q);
    assert_int_equal(key->nv, 11);
    assert_near(key->v[0], 7.0, 0.0);
    assert_near(key->v[10], 0.0, 0.0);
    assert_int_equal(key->nu, 2);
    assert_reported(report, "key", "qpos", "fewer numbers than the model has");
    dp_model *m;
    if (dp_model_compile(&m, s) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    dp_model_destroy(m);
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void numbers_below_zero_are_zero_where_flaws_are_repaired(void **state)
{
    (void)state;
    static const char text[] = IN_BODY("<joint damping='-1' stiffness='-2' armature='-3' "
                                       "frictionloss='-4'/><geom size='1' friction='-1 1 1'/>");
    dp_spec *s;
    assert_int_equal(dp_mjcf_parse(&s, NULL, text, strlen(text), "a.xml", NULL),
                     DP_ERROR_UNSUPPORTED);
    assert_string_equal(
        dp_last_error(),
        "a.xml:1: joint has damping: found -1 (expected 0 or more) (to go on without: "
        "allow \"negative\"); 4 more like this");
    dp_import_report *report;
    s = load(&report, text, true);
    const dp_joint_spec *j = joint(s, 0);
    assert_true(j->damping == 0.0 && j->stiffness == 0.0 && j->armature == 0.0 &&
                j->friction_loss == 0.0);
    assert_near(geom(s, 0)->friction[0], 0.0, 0.0);
    assert_reported(report, "geom", "friction", "found -1 (expected 0 or more): 0 instead");
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

static void unknown_names_of_urdf_are_left_out_where_flaws_are(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *s = load(&report,
                      "<robot><lnk name='x'/><link name='a' weight='1'><visual/><visual><geometry/>"
                      "</visual><collision><geometry><cone radius='1'/><box size='1 1 1'/>"
                      "<sphere radius='1'/></geometry></collision></link></robot>",
                      true);
    assert_reported(report, "lnk", "", "an unknown name: left out");
    assert_reported(report, "link", "weight", "an unknown name: left out");
    assert_reported(report, "visual", "", "it has no shape");
    assert_reported(report, "cone", "", "an unknown name");
    assert_reported(report, "sphere", "", "the first counts");
    assert_int_equal(dp_spec_geom_count(s), 1);
    assert_int_equal(geom(s, 0)->kind, DP_GEOM_BOX);
    dp_import_report_destroy(report);
    dp_spec_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_the_root_is_left_out),
        cmocka_unit_test(comments_may_have_dashes_and_lines_still_count),
        cmocka_unit_test(an_empty_attribute_is_as_none),
        cmocka_unit_test(a_short_keyframe_is_completed_as_described),
        cmocka_unit_test(numbers_below_zero_are_zero_where_flaws_are_repaired),
        cmocka_unit_test(unknown_names_of_urdf_are_left_out_where_flaws_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
