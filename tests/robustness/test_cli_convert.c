// `dashpot convert`, run as a user runs it.
#include "near.h"
#include "program_run.h"
#include "same_spec.h"

#include <dashpot/format.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARM DP_SCENES "/arm_7dof.xml"
#define SCRATCH(name) DP_SCRATCH "/convert_" name

static dp_spec *load(const char *path)
{
    dp_spec *spec;
    if (dp_model_file_load(&spec, NULL, path, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return spec;
}

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("found no '%s' in: %s", part, text);
    }
}

static void a_converted_file_is_the_same_mechanism(void **state)
{
    (void)state;
    static const char *const files[] = {
        ARM, DP_SCENES "/quadruped.xml", DP_SCENES "/urdf/arm_6dof.urdf",
        DP_SCENES "/urdf/gripper.urdf", DP_SCENES "/urdf/walker_12dof.urdf"};
    for (int i = 0; i < 5; ++i) {
        const program_result *r = RUN("convert", files[i], SCRATCH("out.xml"));
        assert_int_equal(r->code, 0);
        assert_string_equal(r->out, "");
        dp_spec *before = load(files[i]), *after = load(SCRATCH("out.xml"));
        assert_same_spec(before, after);
        dp_spec_destroy(before);
        dp_spec_destroy(after);
        remove(SCRATCH("out.xml"));
    }
}

static void a_dash_writes_to_the_standard_output(void **state)
{
    (void)state;
    const program_result *r = RUN("convert", ARM, "-");
    assert_int_equal(r->code, 0);
    assert_memory_equal(r->out, "<mujoco model=\"arm_7dof\">\n", 26);
    assert_string_equal(r->out + strlen(r->out) - 10, "</mujoco>\n");
}

static void for_mujoco_names_of_ours_are_left_out_with_a_note_each(void **state)
{
    (void)state;
    write_text(
        SCRATCH("ours.xml"),
        "<mujoco xmlns:dp='dashpot'><dp:option law='ncp' accuracy='1e-3'/><worldbody>"
        "<geom type='plane' size='1 1 1' dp:surface_velocity='1 0 0'/>"
        "<body name='b'><joint name='j' type='slide' limited='true' range='0 1' dp:stiffness='10'/>"
        "<geom name='g' type='box' size='1 1 1' dp:restitution='0.5'/></body></worldbody>"
        "<equality><dp:distance name='rod' body1='b' anchor2='0 0 9'/></equality>"
        "<dp:force name='push' body='b' force='1;;'/>"
        "<dp:motion name='turn' joint='j' position='t'/></mujoco>");
    const program_result *r = RUN("convert", SCRATCH("ours.xml"), SCRATCH("out.xml"), "--mujoco");
    assert_int_equal(r->code, 0);
    static const char *const notes[] = {
        "note: option: MuJoCo does not have law",
        "note: option: MuJoCo does not have accuracy",
        "note: joint 'j': MuJoCo does not have its stiffness and damping",
        "note: equality 'rod': MuJoCo does not have a kind of equality of Dashpot's",
        "note: force 'push': MuJoCo does not have a force given by expressions",
        "note: motion 'turn': MuJoCo does not have a motion given by expressions"};
    for (int i = 0; i < 6; ++i) {
        assert_says(r->err, notes[i]);
    }
    dp_spec *after = load(SCRATCH("out.xml")); // and our reader takes it back
    assert_int_equal(dp_spec_equality_count(after) + dp_spec_force_count(after), 0);
    const dp_geom_spec *g = dp_spec_geom(after, (dp_geom_id){1});
    assert_true(g->contact.solver_given && !g->contact.material_given);
    assert_true(dp_spec_geom(after, (dp_geom_id){0})->contact.material.surface_velocity.x == 1.0);
    dp_spec_destroy(after);
    r = RUN("convert", SCRATCH("ours.xml"), "-", "--mujoco", "--quiet");
    assert_string_equal(r->err, "");
    assert_null(strstr(r->out, "dp:"));
}

static void the_input_is_never_overwritten(void **state)
{
    (void)state;
    write_text(SCRATCH("in.xml"), "<mujoco><include file='convert_part.xml'/></mujoco>");
    write_text(SCRATCH("part.xml"), "<mujoco><option timestep='0.25'/></mujoco>");
    unlink(SCRATCH("link.xml"));
    assert_int_equal(symlink(SCRATCH("in.xml"), SCRATCH("link.xml")), 0);
    static const char *const out[] = {SCRATCH("in.xml"), SCRATCH("link.xml"), SCRATCH("part.xml"),
                                      DP_SCRATCH "/../tests/convert_in.xml"};
    for (int i = 0; i < 4; ++i) {
        const program_result *r = RUN("convert", SCRATCH("in.xml"), out[i]);
        assert_int_equal(r->code, 2);
        assert_says(r->err, "would be overwritten while it is read (expected another file)");
    }
    const program_result *r = RUN("convert", SCRATCH("in.xml"), SCRATCH("other.xml"));
    assert_int_equal(r->code, 0); // both files are as they were
    dp_spec *spec = load(SCRATCH("other.xml"));
    assert_true(dp_spec_options(spec)->step == 0.25);
    dp_spec_destroy(spec);
}

static void an_older_file_is_replaced(void **state)
{
    (void)state;
    write_text(SCRATCH("old.xml"), "something else");
    assert_int_equal(RUN("convert", ARM, SCRATCH("old.xml"))->code, 0);
    dp_spec_destroy(load(SCRATCH("old.xml")));
}

static void bad_usage_ends_with_code_2_and_touches_nothing(void **state)
{
    (void)state;
    const program_result *r = RUN("convert", ARM);
    assert_int_equal(r->code, 2);
    assert_says(r->err, "no OUT given (usage: dashpot convert IN OUT [options])");
    r = RUN("convert");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "no IN given");
    r = RUN("convert", "a.xml", "b.xml", "c.xml");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "found 'c.xml' behind 'a.xml' and 'b.xml'");
    r = RUN("convert", ARM, SCRATCH("out.urdf"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "only MJCF is written");
    assert_false(exists(SCRATCH("out.urdf")));
    r = RUN("convert", SCRATCH("missing.xml"), SCRATCH("never.xml"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "convert_missing.xml: cannot be opened");
    assert_false(exists(SCRATCH("never.xml")));
}

static void what_cannot_be_written_ends_with_code_2_and_a_full_disk_with_1(void **state)
{
    (void)state;
    const program_result *r = RUN("convert", ARM, SCRATCH("no/such/folder.xml"));
    assert_int_equal(r->code, 2); // as for the files of a run
    assert_says(r->err, "cannot be written: No such file or directory");
    if (!exists("/dev/full")) {
        return;
    }
    remove(SCRATCH("full.xml"));
    assert_int_equal(symlink("/dev/full", SCRATCH("full.xml")), 0);
    r = RUN("convert", ARM, SCRATCH("full.xml"));
    assert_int_equal(r->code, 1);
    assert_says(r->err, "could not be written: No space left on device");
}

static void what_is_lost_is_told(void **state)
{
    (void)state;
    write_text(SCRATCH("lost.xml"),
               "<mujoco><option collision='dynamic'/><visual><map znear='0.1'/></visual></mujoco>");
    const program_result *r = RUN("convert", SCRATCH("lost.xml"), SCRATCH("kept.xml"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "--allow collision");
    assert_false(exists(SCRATCH("kept.xml")));
    r = RUN("convert", SCRATCH("lost.xml"), SCRATCH("kept.xml"), "--allow", "collision");
    assert_int_equal(r->code, 0);
    assert_says(r->err, "note: 1 part of ");
    assert_says(r->err, " is left out, as allowed");
    assert_says(r->err, " are left behind, without effect on the motion");
    r = RUN("convert", SCRATCH("lost.xml"), SCRATCH("kept.xml"), "--allow", "collision", "-q");
    assert_string_equal(r->err, "");
    remove(SCRATCH("kept.xml"));
}

// Limits and the like are in the file although they are not simulated: no note, no permission.
static void what_a_spec_holds_is_written_without_permission(void **state)
{
    (void)state;
    write_text(SCRATCH("limit.xml"),
               "<mujoco><compiler angle='radian'/><worldbody><body><geom size='1'/>"
               "<joint range='-1 2' frictionloss='0.5'/></body></worldbody></mujoco>");
    const program_result *r = RUN("convert", SCRATCH("limit.xml"), "-");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
    assert_says(r->out, "<joint frictionloss=\"0.5\" limited=\"true\" range=\"-1 2\"/>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_converted_file_is_the_same_mechanism),
        cmocka_unit_test(a_dash_writes_to_the_standard_output),
        cmocka_unit_test(for_mujoco_names_of_ours_are_left_out_with_a_note_each),
        cmocka_unit_test(the_input_is_never_overwritten),
        cmocka_unit_test(an_older_file_is_replaced),
        cmocka_unit_test(bad_usage_ends_with_code_2_and_touches_nothing),
        cmocka_unit_test(what_cannot_be_written_ends_with_code_2_and_a_full_disk_with_1),
        cmocka_unit_test(what_is_lost_is_told),
        cmocka_unit_test(what_a_spec_holds_is_written_without_permission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
