// One mechanism put into another.
#include "full_spec.h"
#include "near.h"
#include "rich_spec.h"
#include "same_spec.h"
#include "spec_parts.h"

#include <dashpot/dashpot.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ROUND_OFF = 1e-14;

static dp_spec *parse(const char *text)
{
    dp_spec *s;
    if (dp_mjcf_parse(&s, NULL, text, strlen(text), "a.xml", NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return s;
}

static dp_model *compile(const dp_spec *s)
{
    dp_model *m;
    if (dp_model_compile(&m, s) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return m;
}

static const dp_pose HERE = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
static const dp_pose TURNED = {{0.8, 0.0, 0.0, 0.6}, {1.0, 2.0, 3.0}};

static void assert_arrives_whole(dp_spec *part)
{
    dp_spec *s;
    assert_int_equal(dp_spec_create(&s, NULL), DP_OK);
    assert_int_equal(dp_spec_attach(s, part, HERE, NULL), DP_OK);
    for (int kind = 0; kind < DP_ELEMENT_KINDS; ++kind) {
        if (kind != DP_ELEMENT_KEY) {
            assert_same_elements(part, s, (dp_element_kind)kind);
        }
    }
    assert_int_equal(dp_spec_key_count(s), 0);
    dp_spec_destroy(s);
    dp_spec_destroy(part);
}

static void what_is_put_into_nothing_is_what_it_was(void **state)
{
    (void)state;
    assert_arrives_whole(rich_spec_create());
    dp_spec *full;
    assert_int_equal(full_spec_create(&full, NULL), DP_OK);
    assert_arrives_whole(full);
}

// Gravity along z and a pose that turns about it: the motion is the same, turned and moved.
static void a_part_moves_as_it_does_alone_where_it_is_put(void **state)
{
    (void)state;
    static const char text[] =
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
        "<site name='hook' pos='0 0 1'/>"
        "<body name='a' pos='0.1 0.2 0.5'><freejoint name='f'/><geom name='g' size='0.1'/>"
        "<site name='s' pos='0.1 0 0'/>"
        "<body name='b' pos='0.3 0 0'><joint name='h' axis='0 1 0'/><geom name='k' size='0.05'/>"
        "</body></body></worldbody>"
        "<equality><connect name='c' body1='a' anchor='0 0 0.4'/></equality>"
        "<actuator><motor name='m' joint='h'/></actuator>"
        "<sensor><framepos name='p' objtype='site' objname='s'/></sensor></mujoco>";
    dp_spec *part = parse(text), *s = parse("<mujoco/>");
    assert_int_equal(dp_spec_attach(s, part, TURNED, "left/"), DP_OK);
    dp_model *alone = compile(part), *whole = compile(s);
    dp_data *da, *dw;
    assert_int_equal(dp_data_create(&da, alone, NULL), DP_OK);
    assert_int_equal(dp_data_create(&dw, whole, NULL), DP_OK);
    dp_body_id body;
    assert_int_equal(dp_model_find_body(&body, whole, "left/b"), DP_OK);
    dp_actuator_id motor;
    assert_int_equal(dp_model_find_actuator(&motor, whole, "left/m"), DP_OK);
    for (int i = 0; i < 100; ++i) {
        dp_data_control(da)[0] = dp_data_control(dw)[motor.index] = 0.01;
        assert_int_equal(dp_step(da), DP_OK);
        assert_int_equal(dp_step(dw), DP_OK);
    }
    assert_int_equal(dp_kinematics(da), DP_OK);
    assert_int_equal(dp_kinematics(dw), DP_OK);
    const dp_v3 p = dp_body_pose(da, body).p, found = dp_body_pose(dw, body).p;
    const double c = 0.28, si = 0.96; // of the turn
    const double tolerance = 1e-9;    // rounding of the other axes, over 100 steps
    assert_near(found.x, 1.0 + c * p.x - si * p.y, tolerance);
    assert_near(found.y, 2.0 + si * p.x + c * p.y, tolerance);
    assert_near(found.z, 3.0 + p.z, tolerance);
    dp_data_destroy(da);
    dp_data_destroy(dw);
    dp_model_destroy(alone);
    dp_model_destroy(whole);
    dp_spec_destroy(s);
    dp_spec_destroy(part);
}

static void a_name_that_is_in_both_needs_a_prefix(void **state)
{
    (void)state;
    static const char text[] = "<mujoco><worldbody><body name='a'><joint name='j'/>"
                               "<geom size='1'/></body></worldbody></mujoco>";
    dp_spec *part = parse(text), *s = parse(text);
    assert_int_equal(dp_spec_attach(s, part, HERE, NULL), DP_ERROR_ARGUMENT);
    assert_string_equal(dp_last_error(), "body 'a' is in both mechanisms (expected a prefix that "
                                         "keeps names apart)");
    assert_int_equal(dp_spec_error(s), DP_OK); // nothing was added
    assert_int_equal(dp_spec_body_count(s), 2);
    assert_int_equal(dp_spec_attach(s, part, HERE, "other_"), DP_OK);
    assert_int_equal(dp_spec_body_count(s), 3);
    assert_string_equal(body(s, 2)->name, "other_a");
    assert_string_equal(joint(s, 1)->name, "other_j");
    assert_int_equal(dp_spec_attach(s, part, HERE, "other_"), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_spec_attach(s, s, HERE, "mine_"), DP_ERROR_ARGUMENT);
    dp_spec_destroy(s);
    dp_spec_destroy(part);
}

static void keyframes_get_the_part_as_described(void **state)
{
    (void)state;
    dp_spec *s = parse("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody>"
                       "<keyframe><key name='up' qpos='0.5'/><key name='still'/></keyframe>"
                       "</mujoco>");
    dp_spec *part =
        parse("<mujoco><worldbody><body pos='1 0 0'><freejoint name='f'/><geom size='1'/></body>"
              "<body name='hand' mocap='true' pos='0 1 0'/></worldbody>"
              "<actuator><motor name='m' joint='f'/></actuator>"
              "<keyframe><key name='other' qpos='0 0 0 1 0 0 0'/></keyframe></mujoco>");
    assert_int_equal(dp_spec_attach(s, part, TURNED, NULL), DP_OK);
    assert_int_equal(dp_spec_key_count(s), 2);
    const dp_key_spec *key = dp_spec_key(s, (dp_key_id){0});
    static const double expected[] = {0.5, 1.28, 2.96, 3.0, 0.8, 0.0, 0.0, 0.6};
    assert_int_equal(key->nq, 8);
    for (int i = 0; i < 8; ++i) {
        assert_near(key->q[i], expected[i], ROUND_OFF);
    }
    assert_null(dp_spec_key(s, (dp_key_id){1})->q);
    dp_model_destroy(compile(s));
    dp_spec_destroy(s);
    dp_spec_destroy(part);
}

static void what_is_held_to_the_world_is_held_where_the_part_is(void **state)
{
    (void)state;
    dp_spec *part = parse("<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body>"
                          "</worldbody><equality><weld body1='a'/><weld body1='world' body2='a' "
                          "relpose='1 0 0 1 0 0 0'/><connect body1='world' body2='a' "
                          "anchor='1 0 0'/></equality></mujoco>");
    dp_spec *s = parse("<mujoco/>");
    assert_int_equal(dp_spec_attach(s, part, TURNED, "p_"), DP_OK);
    const dp_equality_spec *weld = dp_spec_equality(s, (dp_equality_id){1});
    assert_string_equal(weld->object[0], "world");
    assert_string_equal(weld->object[1], "p_a");
    assert_near(weld->relative.p.x, 1.28, ROUND_OFF);
    assert_near(weld->relative.p.y, 2.96, ROUND_OFF);
    const dp_equality_spec *connect = dp_spec_equality(s, (dp_equality_id){2});
    assert_near(connect->anchor.x, 1.28, ROUND_OFF);
    dp_model_destroy(compile(s));
    dp_spec_destroy(s);
    dp_spec_destroy(part);
}

static void expressions_of_the_world_are_not_turned(void **state)
{
    (void)state;
    dp_spec *part = parse("<mujoco xmlns:dp='dashpot'><worldbody><body name='a'><freejoint/>"
                          "<geom size='1'/></body></worldbody><dp:force body='a' force='t;;'/>"
                          "</mujoco>");
    dp_spec *s = parse("<mujoco/>");
    const dp_pose moved = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
    assert_int_equal(dp_spec_attach(s, part, moved, "p_"), DP_OK);
    assert_int_equal(dp_spec_attach(s, part, TURNED, "q_"), DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "axes of the world"));
    const dp_pose nowhere = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    assert_int_equal(dp_spec_attach(s, part, nowhere, "r_"), DP_ERROR_ARGUMENT);
    dp_spec_destroy(s);
    dp_spec_destroy(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_into_nothing_is_what_it_was),
        cmocka_unit_test(a_part_moves_as_it_does_alone_where_it_is_put),
        cmocka_unit_test(a_name_that_is_in_both_needs_a_prefix),
        cmocka_unit_test(keyframes_get_the_part_as_described),
        cmocka_unit_test(what_is_held_to_the_world_is_held_where_the_part_is),
        cmocka_unit_test(expressions_of_the_world_are_not_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
