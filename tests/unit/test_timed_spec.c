// Forces and motions given by expressions: from MJCF and back, and from spec to model.
#include "counting_allocator.h"
#include "imported.h"
#include "written.h"

#include "model/spec/spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SCENE[] =
    "<mujoco xmlns:dp='dashpot'><compiler angle='degree'/>\n"
    "<dp:motion name='early' joint='turn' position='t'/>\n" // before what it names
    "<worldbody><body name='table' mocap='true' pos='1 2 3'><geom size='.1'/></body>\n"
    "<body name='arm'><joint name='turn'/><geom size='.1'/><site name='tip' pos='1 0 0' "
    "euler='0 90 0'/>\n"
    "<body name='rod' pos='0 0 1'><joint name='slide' type='slide'/><geom size='.1'/>\n"
    "<body name='bob' pos='0 0 1'><joint name='ball' type='ball'/><geom size='.1'/></body></body>\n"
    "</body><body name='box'><freejoint name='free'/><geom size='.1'/></body></worldbody>\n"
    "<dp:force name='wind' body='arm' pos='0 0 2' force='20*sin(3*t); 0; max(1, t)'/>\n"
    "<dp:force name='thrust' site='tip' frame='local' force=';; 5' torque=' t ;;'/>\n"
    "<dp:force joint='turn' torque='t &lt; 1 ? 2 : 3'/>\n"
    "<dp:force joint='slide' force='4'/>\n"
    "<dp:force joint='ball' torque='1;2;3'/>\n"
    "<dp:force joint='free' force='1;2;3' torque='4;;6'/>\n"
    "<dp:motion name='soft' joint='slide' position='0.1*sin(t)' stiffness='100' damping='2'/>\n"
    "<dp:motion name='gimbal' joint='ball' rotation='0;t;'/>\n"
    "<dp:motion name='quake' body='table' position='t;;' rotation='0; 0; t'/>\n"
    "<option><flag contact='disable'/></option></mujoco>";

static dp_spec *read_scene(dp_import_report **report)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, report, SCENE, sizeof SCENE - 1, "a.xml", NULL));
    return spec;
}

static void elements_become_specs(void **state)
{
    (void)state;
    dp_spec *s = read_scene(NULL);
    assert_int_equal(dp_spec_force_count(s), 6);
    assert_int_equal(dp_spec_motion_count(s), 4);
    const dp_force_spec *wind = dp_spec_force(s, (dp_force_id){0});
    assert_string_equal(wind->name, "wind");
    assert_string_equal(wind->body, "arm");
    assert_v3(wind->point, 0.0, 0.0, 2.0);
    assert_false(wind->local);
    assert_string_equal(wind->force[0], "20*sin(3*t)");
    assert_string_equal(wind->force[1], "0");
    assert_string_equal(wind->force[2], "max(1, t)");
    assert_null(wind->torque[0]);
    assert_int_equal(wind->where.line, 8);
    const dp_force_spec *thrust = dp_spec_force(s, (dp_force_id){1});
    assert_true(thrust->local);
    assert_null(thrust->force[0]);
    assert_string_equal(thrust->force[2], "5");
    assert_string_equal(thrust->torque[0], "t"); // without the space around it
    assert_string_equal(dp_spec_force(s, (dp_force_id){2})->torque[0], "t < 1 ? 2 : 3");
    assert_string_equal(dp_spec_force(s, (dp_force_id){5})->torque[2], "6");
    const dp_motion_spec *early = dp_spec_motion(s, (dp_motion_id){0});
    assert_string_equal(early->joint, "turn");
    assert_true(isinf(early->bearing.stiffness));
    const dp_motion_spec *soft = dp_spec_motion(s, (dp_motion_id){1});
    assert_near(soft->bearing.stiffness, 100.0, 0.0);
    assert_near(soft->bearing.damping, 2.0, 0.0);
    const dp_motion_spec *quake = dp_spec_motion(s, (dp_motion_id){3});
    assert_string_equal(quake->body, "table");
    assert_string_equal(quake->position[0], "t");
    assert_null(quake->position[2]);
    assert_string_equal(quake->rotation[2], "t");
    assert_null(dp_spec_force(s, (dp_force_id){6}));
    assert_null(dp_spec_motion(s, (dp_motion_id){-1}));
    dp_spec_destroy(s);
}

static void every_attribute_is_used(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec_destroy(read_scene(&report));
    static const char *const used[][2] = {{"dp:force", ""},          {"dp:force", "pos"},
                                          {"dp:force", "frame"},     {"dp:force", "torque"},
                                          {"dp:motion", "position"}, {"dp:motion", "rotation"},
                                          {"dp:motion", "stiffness"}};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; ++i) {
        assert_int_equal(item_of(report, used[i][0], used[i][1]).verdict, DP_IMPORT_VERDICT_USED);
    }
    dp_import_report_destroy(report);
}

static void the_model_tells_what_was_compiled(void **state)
{
    (void)state;
    mechanism x = mechanism_from(read_scene(NULL));
    assert_int_equal(dp_model_sizes(x.m)->nforce, 6);
    assert_int_equal(dp_model_sizes(x.m)->nmotion, 4);
    dp_force_id thrust;
    assert_ok(dp_model_find_force(&thrust, x.m, "thrust"));
    const dp_force_info f = dp_model_force(x.m, thrust);
    assert_string_equal(f.name, "thrust");
    assert_string_equal(dp_model_body(x.m, f.body).name, "arm");
    assert_int_equal(f.joint.index, -1);
    assert_v3(f.frame.p, 1.0, 0.0, 0.0);
    assert_rotation(f.frame.q, (dp_quat){sqrt(0.5), 0.0, sqrt(0.5), 0.0});
    assert_true(f.local);
    assert_null(f.force[0]);
    assert_string_equal(dp_expression_text(f.force[2]), "5");
    assert_string_equal(dp_expression_text(f.torque[0]), "t");
    const dp_force_info turn = dp_model_force(x.m, (dp_force_id){2});
    assert_string_equal(turn.name, "");
    assert_string_equal(dp_model_joint(x.m, turn.joint).name, "turn");
    assert_int_equal(turn.body.index, -1);
    dp_motion_id quake;
    assert_ok(dp_model_find_motion(&quake, x.m, "quake"));
    const dp_motion_info o = dp_model_motion(x.m, quake);
    assert_string_equal(dp_model_body(x.m, o.body).name, "table");
    assert_int_equal(o.joint.index, -1);
    assert_string_equal(dp_expression_text(o.rotation[2]), "t");
    assert_near(dp_model_motion(x.m, (dp_motion_id){1}).bearing.stiffness, 100.0, 0.0);
    assert_string_equal(dp_model_force(x.m, (dp_force_id){6}).name, "");
    assert_string_equal(dp_model_motion(x.m, (dp_motion_id){-1}).name, "");
    assert_int_equal(dp_model_find_force(&thrust, x.m, "thrusd"), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "'thrust'"));
    assert_string_equal(dp_row_source_name(DP_ROW_SOURCE_MOTION), "motion");
    mechanism_end(&x);
}

static void what_is_written_reads_back_the_same(void **state)
{
    (void)state;
    dp_spec *s = read_scene(NULL);
    assert_round_trip(s);
    char *text = written(s);
    assert_holds(text, "force=\"; ; 5\"");
    assert_holds(text, "torque=\"t &lt; 1 ? 2 : 3\"");
    assert_holds(text, "position=\"t; ; \"");
    free(text);
    dp_spec_destroy(s);
}

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    dp_spec *s = read_scene(NULL);
    dp_force_spec *wind = dp_spec_force(s, (dp_force_id){0});
    wind->force[1] = "1; 2";
    assert_not_written(s, DP_ERROR_UNSUPPORTED,
                       "force 'wind' has '1; 2' for its force (expected no ';' in it)");
    wind->force[1] = NULL;
    dp_spec_motion(s, (dp_motion_id){1})->position[1] = "t";
    assert_not_written(s, DP_ERROR_UNSUPPORTED,
                       "motion 'soft' has 't' for its position (expected one expression)");
    dp_spec_destroy(s);
}

static void attached_parts_bring_their_forces_and_motions(void **state)
{
    (void)state;
    FILE *file = fopen(DP_SCRATCH "/timed_part.xml", "w");
    assert_non_null(file);
    fwrite(SCENE, 1, sizeof SCENE - 1, file);
    fclose(file);
    static const char text[] = "<mujoco><option><flag contact='disable'/></option><asset><model "
                               "name='m' file='timed_part.xml'/></asset><worldbody>"
                               "<attach model='m' body='arm' prefix='a_'/></worldbody></mujoco>";
    dp_spec *s;
    assert_ok(dp_mjcf_parse(&s, NULL, text, sizeof text - 1, DP_SCRATCH "/timed_whole.xml", NULL));
    assert_int_equal(dp_spec_force_count(s), 5);  // all but that on the box
    assert_int_equal(dp_spec_motion_count(s), 3); // all but that of the table
    assert_string_equal(dp_spec_force(s, (dp_force_id){0})->name, "a_wind");
    assert_string_equal(dp_spec_force(s, (dp_force_id){0})->body, "a_arm");
    assert_string_equal(dp_spec_force(s, (dp_force_id){1})->site, "a_tip");
    assert_string_equal(dp_spec_motion(s, (dp_motion_id){1})->joint, "a_slide");
    mechanism x = mechanism_from(s);
    mechanism_steps(&x, 1);
    mechanism_end(&x);
}

static void names_are_unique_among_forces_and_among_motions(void **state)
{
    (void)state;
    dp_spec *s = read_scene(NULL);
    dp_force_spec force = dp_force_spec_default();
    force.name = "quake"; // of a motion: no matter
    force.joint = "turn", force.torque[0] = "1";
    assert_ok(dp_spec_add_force(NULL, s, &force));
    assert_int_equal(dp_spec_add_force(NULL, s, &force), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "force 'quake' is already defined"));
    dp_spec_destroy(s);
}

// Each allocation of the compiler and of the state fails in turn.
static void nothing_leaks_where_memory_runs_out(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    const dp_import_options options = {.allocator = &allocator};
    for (size_t k = 1;; ++k) {
        counts = (counting_allocator){.fail_at = 0};
        dp_spec *s;
        assert_ok(dp_mjcf_parse(&s, NULL, SCENE, sizeof SCENE - 1, "a.xml", &options));
        const size_t blocks = counts.blocks;
        counts.fail_at = counts.calls + k;
        dp_model *m;
        dp_data *d = NULL;
        dp_status status = dp_model_compile(&m, s);
        status = status == DP_OK ? dp_data_create(&d, m, &allocator) : status;
        dp_data_destroy(d);
        dp_model_destroy(m);
        assert_int_equal(counts.blocks, blocks);
        assert_int_equal(counts.wrong_sizes, 0);
        const bool all = counts.calls < counts.fail_at;
        dp_spec_destroy(s);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(status, all ? DP_OK : DP_ERROR_MEMORY);
        if (all) {
            assert_true(k > 40); // the expressions among them
            break;
        }
    }
}

static void steps_take_no_memory(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_spec *s = read_scene(NULL);
    dp_model *m;
    dp_data *d;
    assert_ok(dp_model_compile(&m, s));
    assert_ok(dp_data_create(&d, m, &allocator));
    const size_t calls = counts.calls;
    for (int i = 0; i < 100; ++i) {
        assert_ok(dp_step(d));
    }
    assert_ok(dp_forward(d));
    assert_int_equal(counts.calls, calls);
    dp_data_destroy(d);
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

static void a_saved_state_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    mechanism x = mechanism_from(read_scene(NULL));
    mechanism_steps(&x, 50);
    unsigned char saved[4096];
    assert_true(dp_state_bytes(x.d) <= sizeof saved);
    const size_t bytes = dp_state_bytes(x.d);
    assert_ok(dp_state_save(saved, bytes, x.d));
    mechanism_steps(&x, 50);
    const uint64_t hash = dp_state_hash(x.d);
    dp_data_reset(x.d);
    assert_ok(dp_state_restore(x.d, saved, bytes));
    mechanism_steps(&x, 50);
    assert_true(dp_state_hash(x.d) == hash);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_become_specs),
        cmocka_unit_test(every_attribute_is_used),
        cmocka_unit_test(the_model_tells_what_was_compiled),
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(attached_parts_bring_their_forces_and_motions),
        cmocka_unit_test(names_are_unique_among_forces_and_among_motions),
        cmocka_unit_test(nothing_leaks_where_memory_runs_out),
        cmocka_unit_test(steps_take_no_memory),
        cmocka_unit_test(a_saved_state_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
