// Equalities as rows: what they measure and how they push, in configurations where that is known.
#include "rows_scene.h"

#include "assemble/turn.h"
#include "math/angle.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static const dp_v3 X_AXIS = {1.0, 0.0, 0.0}, Z_AXIS = {0.0, 0.0, 1.0}, NOWHERE = {0.0, 0.0, 0.0},
                   UNIT = {1.0, 1.0, 1.0};
static const double ROUND_OFF = 1e-14; // of a few products of lengths and angles up to 4

// Two free bodies, held together as `e` says.
static void begin_pair(rows_scene *s, const dp_equality_spec *e)
{
    mechanism x = mechanism_begin();
    const char *const name[2] = {"a", "b"};
    for (int i = 0; i < 2; ++i) {
        const dp_body_id b =
            mechanism_body(&x, DP_WORLD, name[i], (dp_v3){2.0 * i, 0.0, 0.0}, 1.0, NOWHERE, UNIT);
        mechanism_joint(&x, b, NULL, DP_JOINT_FREE, Z_AXIS);
    }
    dp_equality_spec copy = *e;
    copy.object[0] = "a";
    copy.object[1] = "b";
    assert_ok(dp_spec_add_equality(NULL, x.spec, &copy));
    rows_scene_begin(s, x.spec, 0.01, NULL);
}

static dp_equality_spec equality_of(dp_equality_kind kind)
{
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = kind;
    return e;
}

// Put free body i (0, 1) somewhere.
static void put(rows_scene *s, int i, dp_v3 at, dp_quat turn)
{
    dp_v3_store(s->start.q + 7 * i, at);
    dp_quat_store(s->start.q + 7 * i + 3, turn);
    rows_scene_place(s, &s->start);
}

static dp_v3 random_axis(random_source *r)
{
    double x[3];
    random_direction(x, 3, r);
    return dp_v3_load(x);
}

static void assert_vector(dp_v3 actual, dp_v3 expected, double tolerance)
{
    assert_near(actual.x, expected.x, tolerance);
    assert_near(actual.y, expected.y, tolerance);
    assert_near(actual.z, expected.z, tolerance);
}

// The wrench on each body of forces −k φ.
static void springs(dp_wrench wrench[3], const rows_scene *s)
{
    double lambda[6];
    memset(wrench, 0, 3 * sizeof *wrench);
    for (int i = 0; i < s->rows.nrow; ++i) {
        lambda[i] = -s->rows.row[i].k * s->rows.row[i].phi;
    }
    dp_rows_add_wrenches(wrench, &s->rows, &s->in, lambda);
}

static void the_spring_of_a_weld_turns_back_by_the_angle_whatever_it_is(void **state)
{
    (void)state;
    dp_equality_spec e = equality_of(DP_EQUALITY_WELD);
    e.relative_given = true;
    e.bearing = (dp_bearing){100.0, 3.0};
    e.torque_scale = 0.5;
    rows_scene s;
    begin_pair(&s, &e);
    random_source r = {3};
    const double angle[] = {0.0, 1e-9, 1e-3, 0.02, 1.0, 3.0, 3.14159};
    for (int i = 0; i < 7; ++i) {
        const dp_v3 axis = random_axis(&r), at = {0.1, 0.2, 0.3};
        const dp_quat turn = dp_quat_about(random_axis(&r), 2.0);
        put(&s, 0, at, turn);
        put(&s, 1, at, dp_quat_mul(turn, dp_quat_about(axis, angle[i])));
        rows_scene_make(&s);
        assert_int_equal(s.rows.nrow, 6);
        assert_true(s.rows.row[5].k == 25.0 && s.rows.row[5].b == 0.75);
        assert_true(s.rows.row[5].len == 0.5 && s.rows.row[2].len == 1.0);
        assert_true(s.rows.row[2].k == 100.0 && s.rows.row[2].b == 3.0);
        dp_wrench wrench[3];
        springs(wrench, &s);
        const dp_v3 torque = dp_v3_scale(dp_quat_rotate(turn, axis), 25.0 * angle[i]);
        assert_vector(wrench[1].t, torque, 100.0 * ROUND_OFF);
        assert_vector(wrench[2].t, dp_v3_scale(torque, -1.0), 100.0 * ROUND_OFF);
    }
    rows_scene_end(&s);
}

static void a_weld_that_turns_past_half_a_turn_in_a_step_does_not_jump(void **state)
{
    (void)state;
    dp_equality_spec e = equality_of(DP_EQUALITY_WELD);
    e.relative_given = true;
    rows_scene s;
    begin_pair(&s, &e);
    put(&s, 0, NOWHERE, (dp_quat){1.0, 0.0, 0.0, 0.0});
    put(&s, 1, NOWHERE, dp_quat_about(Z_AXIS, 3.0));
    rows_scene_make(&s);
    assert_near(s.rows.row[5].phi, 3.0, ROUND_OFF);
    const double at_rest[12] = {0.0};
    double worst;
    memcpy(s.end.q, s.start.q, 14 * sizeof *s.end.q);
    dp_quat_store(s.end.q + 10, dp_quat_about(Z_AXIS, 3.4));
    rows_scene_place(&s, &s.end);
    assert_ok(dp_rows_refresh(&worst, &s.rows, &s.in, &s.end.at, at_rest));
    assert_near(s.rows.row[5].phi, 3.4, ROUND_OFF);
    assert_near(worst, 0.4, ROUND_OFF);
    rows_scene_end(&s);
}

static void a_weld_without_torque_is_a_connect(void **state)
{
    (void)state;
    dp_equality_spec e = equality_of(DP_EQUALITY_WELD);
    e.torque_scale = 0.0;
    rows_scene s;
    begin_pair(&s, &e);
    rows_scene_make(&s);
    assert_int_equal(s.rows.nrow, 3);
    rows_scene_end(&s);
}

// A boom on a hinge of the world, and two arms on hinges of the boom, held together as `e` says:
// everything below the arms moves both.
static void begin_arms(rows_scene *s, const dp_equality_spec *e)
{
    mechanism x = mechanism_begin();
    const dp_body_id boom = mechanism_body(&x, DP_WORLD, "boom", NOWHERE, 1.0, NOWHERE, UNIT);
    mechanism_joint(&x, boom, NULL, DP_JOINT_HINGE, Z_AXIS);
    const char *const name[2] = {"a", "b"};
    for (int i = 0; i < 2; ++i) {
        const dp_body_id b =
            mechanism_body(&x, boom, name[i], (dp_v3){2.0 * i, 0.0, 0.0}, 1.0, NOWHERE, UNIT);
        mechanism_joint(&x, b, NULL, DP_JOINT_HINGE, i == 0 ? X_AXIS : (dp_v3){0.0, 1.0, 0.0});
        mechanism_joint(&x, b, NULL, DP_JOINT_SLIDE, Z_AXIS);
    }
    dp_equality_spec copy = *e;
    copy.object[0] = "a";
    copy.object[1] = "b";
    assert_ok(dp_spec_add_equality(NULL, x.spec, &copy));
    rows_scene_begin(s, x.spec, 0.01, NULL);
}

static void a_connect_has_the_gradient_of_a_weld_without_torque(void **state)
{
    (void)state;
    dp_equality_spec pin = equality_of(DP_EQUALITY_CONNECT), weld = equality_of(DP_EQUALITY_WELD);
    pin.anchor = (dp_v3){2.0, 0.0, 0.0}; // the origin of b, where welds have their point
    weld.torque_scale = 0.0;
    random_source r = {.state = 3};
    for (int repeat = 0; repeat < 20; ++repeat) {
        rows_scene a, b;
        if (repeat % 2 == 0) {
            begin_arms(&a, &pin);
            begin_arms(&b, &weld);
        } else {
            begin_pair(&a, &pin);
            begin_pair(&b, &weld);
        }
        for (int i = 0; i < a.m->size.nv; ++i) {
            a.end.v[i] = b.end.v[i] = random_between(&r, -1.0, 1.0);
        }
        dp_kin_advance(a.start.q, a.m, a.m->q_reference, a.end.v, 1.0);
        dp_kin_advance(b.start.q, b.m, b.m->q_reference, b.end.v, 1.0);
        rows_scene_place(&a, &a.start);
        rows_scene_place(&b, &b.start);
        const dp_step_problem p = rows_scene_make(&a), q = rows_scene_make(&b);
        assert_int_equal(p.nrow, 3);
        assert_int_equal(q.nrow, 3);
        assert_int_equal(p.col_start[1], q.col_start[1]);
        assert_memory_equal(p.col, q.col, (size_t)p.col_start[1] * sizeof *p.col);
        for (size_t k = 0; k < p.G_start[1]; ++k) {
            assert_near(p.G[k], q.G[k], ROUND_OFF);
        }
        for (int i = 0; i < 3; ++i) {
            assert_near(p.row[i].phi, q.row[i].phi, ROUND_OFF);
        }
        rows_scene_end(&a);
        rows_scene_end(&b);
    }
}

static void a_connect_measures_the_gap_along_world_axes(void **state)
{
    (void)state;
    dp_equality_spec e = equality_of(DP_EQUALITY_CONNECT);
    e.anchor = X_AXIS; // half way, as described: (1, 0, 0), in b (−1, 0, 0)
    rows_scene s;
    begin_pair(&s, &e);
    put(&s, 0, NOWHERE, dp_quat_about(Z_AXIS, 0.5 * DP_PI));
    put(&s, 1, (dp_v3){3.0, 4.0, 5.0}, (dp_quat){1.0, 0.0, 0.0, 0.0});
    rows_scene_make(&s);
    assert_int_equal(s.rows.nrow, 3);
    const double gap[3] = {2.0, 3.0, 5.0}; // from (0, 1, 0) to (2, 4, 5)
    for (int i = 0; i < 3; ++i) {
        assert_near(s.rows.row[i].phi, gap[i], ROUND_OFF);
        assert_true(s.rows.row[i].k == INFINITY && s.rows.row[i].b == 0.0);
    }
    rows_scene_end(&s);
}

static void a_distance_is_a_spring_between_its_points(void **state)
{
    (void)state;
    dp_equality_spec e = equality_of(DP_EQUALITY_DISTANCE);
    e.anchor = (dp_v3){0.0, 0.0, 1.0};
    e.second_anchor = (dp_v3){0.0, 1.0, 0.0};
    e.distance = 2.0;
    e.bearing = (dp_bearing){10.0, 0.0};
    rows_scene s;
    begin_pair(&s, &e);
    put(&s, 0, NOWHERE, (dp_quat){1.0, 0.0, 0.0, 0.0});
    put(&s, 1, (dp_v3){3.0, 3.0, 1.0}, (dp_quat){1.0, 0.0, 0.0, 0.0}); // (0, 0, 1) to (3, 4, 1)
    rows_scene_make(&s);
    assert_int_equal(s.rows.nrow, 1);
    assert_near(s.rows.row[0].phi, 3.0, ROUND_OFF);
    dp_wrench wrench[3];
    springs(wrench, &s);
    assert_vector(wrench[1].f, (dp_v3){18.0, 24.0, 0.0}, 100.0 * ROUND_OFF); // pulls a towards b
    assert_vector(wrench[2].f, (dp_v3){-18.0, -24.0, 0.0}, 100.0 * ROUND_OFF);
    assert_vector(wrench[1].t, (dp_v3){-24.0, 18.0, 0.0}, 100.0 * ROUND_OFF);
    assert_vector(wrench[2].t, (dp_v3){0.0, 0.0, 18.0}, 100.0 * ROUND_OFF);
    rows_scene_end(&s);
}

static void a_point_is_measured_from_the_plane_that_the_first_body_carries(void **state)
{
    (void)state;
    dp_equality_spec e = equality_of(DP_EQUALITY_PLANE);
    e.relative_given = true;
    e.relative = (dp_pose){dp_quat_about(X_AXIS, -0.5 * DP_PI), {0.0, 0.5, 0.0}}; // y = 0.5
    e.anchor = (dp_v3){0.0, 0.25, 0.0};
    rows_scene s;
    begin_pair(&s, &e);
    put(&s, 0, NOWHERE, dp_quat_about(Z_AXIS, 0.5 * DP_PI)); // its y is −x of the world
    put(&s, 1, (dp_v3){-2.0, 7.0, 8.0}, (dp_quat){1.0, 0.0, 0.0, 0.0});
    rows_scene_make(&s);
    assert_int_equal(s.rows.nrow, 1);
    assert_near(s.rows.row[0].phi, 1.5, ROUND_OFF);
    // Turning the first body moves the plane where the point is: at y = 7.25, by −7.25 along x.
    double v[12] = {0.0};
    v[5] = 1.0;
    assert_near(rows_scene_rate(&s, 0, v), -7.25, 10.0 * ROUND_OFF);
    rows_scene_end(&s);
}

static void what_cannot_move_relative_to_each_other_has_no_rows(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id a = mechanism_body(&x, DP_WORLD, "a", NOWHERE, 1.0, X_AXIS, UNIT);
    mechanism_joint(&x, a, "j", DP_JOINT_HINGE, Z_AXIS);
    mechanism_body(&x, a, "welded", X_AXIS, 1.0, NOWHERE, UNIT);
    mechanism_body(&x, DP_WORLD, "post", X_AXIS, 1.0, NOWHERE, UNIT);
    dp_body_spec hand = dp_body_spec_default();
    hand.name = "hand";
    hand.mocap = true;
    assert_ok(dp_spec_add_body(NULL, x.spec, DP_WORLD, &hand));
    const char *const pair[][2] = {
        {"a", "welded"}, {"post", NULL}, {"post", "hand"}, {"hand", "a"}};
    for (int i = 0; i < 4; ++i) {
        dp_equality_spec e = equality_of(DP_EQUALITY_WELD);
        e.object[0] = pair[i][0];
        e.object[1] = pair[i][1];
        assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    }
    rows_scene s;
    rows_scene_begin(&s, x.spec, 0.01, NULL);
    const dp_step_problem p = rows_scene_make(&s);
    assert_int_equal(p.nblock, 1);
    assert_true(p.id[0] == dp_row_id(DP_ROW_SOURCE_EQUALITY, 3, 0));
    assert_int_equal(p.col_start[1], 1);
    rows_scene_end(&s);
}

static void an_equality_that_is_off_has_no_rows(void **state)
{
    (void)state;
    const dp_equality_spec e = equality_of(DP_EQUALITY_CONNECT);
    rows_scene s;
    begin_pair(&s, &e);
    s.active[0] = 0;
    assert_int_equal(rows_scene_make(&s).nrow, 0);
    s.active[0] = 1;
    assert_int_equal(rows_scene_make(&s).nrow, 3);
    s.options.disable_equality = true;
    assert_int_equal(rows_scene_make(&s).nrow, 0);
    rows_scene_end(&s);
}

static void a_joint_follows_the_polynomial_of_another(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const char *const name[2] = {"y", "x"};
    for (int i = 0; i < 2; ++i) {
        const dp_body_id b = mechanism_body(&x, DP_WORLD, NULL, NOWHERE, 1.0, X_AXIS, UNIT);
        mechanism_joint(&x, b, name[i], DP_JOINT_HINGE, Z_AXIS)->ref = 0.5 + i;
    }
    dp_equality_spec e = equality_of(DP_EQUALITY_JOINT);
    e.object[0] = "y";
    e.object[1] = "x";
    const double c[5] = {1.0, -2.0, 3.0, -4.0, 5.0};
    memcpy(e.polynomial, c, sizeof c);
    assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    e.object[1] = NULL;
    assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    rows_scene s;
    rows_scene_begin(&s, x.spec, 0.01, NULL);
    s.start.q[0] = 7.0, s.start.q[1] = 3.5; // y − y₀ = 6.5, x − x₀ = 2
    const dp_step_problem p = rows_scene_make(&s);
    assert_int_equal(p.nrow, 2);
    assert_near(p.row[0].phi, 6.5 - (1.0 - 4.0 + 12.0 - 32.0 + 80.0), ROUND_OFF);
    assert_near(p.G[0], 1.0, 0.0);
    assert_near(p.G[1], -(-2.0 + 12.0 - 48.0 + 160.0), ROUND_OFF);
    assert_near(p.row[1].phi, 6.5 - 1.0, ROUND_OFF); // alone: x = x₀
    assert_int_equal(p.col_start[2] - p.col_start[1], 1);
    rows_scene_end(&s);
}

static void a_slack_spring_of_a_tendon_pulls_and_pushes_beyond_its_ends(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", NOWHERE, 1.0, NOWHERE, UNIT);
    mechanism_joint(&x, b, "j", DP_JOINT_SLIDE, X_AXIS);
    const dp_wrap_spec wrap = {.kind = DP_WRAP_JOINT, .object = "j", .coefficient = 2.0};
    dp_tendon_spec t = dp_tendon_spec_default();
    t.wrap = &wrap;
    t.nwrap = 1;
    t.stiffness = 100.0;
    t.damping = 3.0;
    t.spring_range[0] = 0.5, t.spring_range[1] = 1.5;
    assert_ok(dp_spec_add_tendon(NULL, x.spec, &t)); // slack
    t.spring_range[0] = t.spring_range[1] = 0.25;
    assert_ok(dp_spec_add_tendon(NULL, x.spec, &t)); // one length
    rows_scene s;
    rows_scene_begin(&s, x.spec, 0.01, NULL);
    s.start.q[0] = 1.0; // length 2
    rows_scene_place(&s, &s.start);
    const dp_step_problem p = rows_scene_make(&s);
    assert_int_equal(p.nrow, 4);
    const dp_row expected[4] = {
        {.phi = 1.5, .k = 100.0, .lo = 0.0, .hi = INFINITY, .len = 1.0},
        {.phi = -0.5, .k = 100.0, .lo = 0.0, .hi = INFINITY, .len = 1.0},
        {.phi = 0.0, .b = 3.0, .lo = -INFINITY, .hi = INFINITY, .len = 1.0},
        {.phi = 1.75, .k = 100.0, .b = 3.0, .lo = -INFINITY, .hi = INFINITY, .len = 1.0}};
    const double G[4] = {2.0, -2.0, 2.0, 2.0};
    for (int i = 0; i < 4; ++i) {
        assert_memory_equal(&p.row[i], &expected[i], sizeof expected[i]);
        assert_true(p.G[i] == G[i]);
    }
    s.options.disable_springs = true;
    assert_int_equal(rows_scene_make(&s).nrow, 2);
    s.options.disable_dampers = true;
    assert_int_equal(rows_scene_make(&s).nrow, 0);
    s.options.disable_springs = false;
    assert_int_equal(rows_scene_make(&s).nrow, 3);
    rows_scene_end(&s);
}

static void the_rate_of_a_rotation_vector_is_known_for_all_angles(void **state)
{
    (void)state;
    random_source r = {5};
    const double angle[] = {1e-12, 1e-5, 9e-3, 1.1e-2, 1.0, 3.1, 3.2, 5.0};
    const double t = 1e-4;
    for (int i = 0; i < 8; ++i) {
        const dp_v3 axis = random_axis(&r), w = random_axis(&r);
        const dp_quat q = dp_quat_about(axis, angle[i]);
        const dp_quat turn[2] = {dp_quat_about(w, t), dp_quat_about(w, -t)};
        const dp_v3 plus = dp_turn_vector(dp_quat_mul(q, turn[0])),
                    minus = dp_turn_vector(dp_quat_mul(q, turn[1]));
        const dp_v3 rate = dp_v3_scale(dp_v3_sub(plus, minus), 0.5 / t);
        const dp_m3 A = dp_turn_rate(dp_turn_vector(q));
        assert_vector(dp_m3_apply(&A, w), rate, 1e-7); // t² times third derivatives
        assert_vector(dp_m3_apply_transposed(&A, axis), axis, ROUND_OFF);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_spring_of_a_weld_turns_back_by_the_angle_whatever_it_is),
        cmocka_unit_test(a_weld_that_turns_past_half_a_turn_in_a_step_does_not_jump),
        cmocka_unit_test(a_weld_without_torque_is_a_connect),
        cmocka_unit_test(a_connect_has_the_gradient_of_a_weld_without_torque),
        cmocka_unit_test(a_connect_measures_the_gap_along_world_axes),
        cmocka_unit_test(a_distance_is_a_spring_between_its_points),
        cmocka_unit_test(a_point_is_measured_from_the_plane_that_the_first_body_carries),
        cmocka_unit_test(what_cannot_move_relative_to_each_other_has_no_rows),
        cmocka_unit_test(an_equality_that_is_off_has_no_rows),
        cmocka_unit_test(a_joint_follows_the_polynomial_of_another),
        cmocka_unit_test(a_slack_spring_of_a_tendon_pulls_and_pushes_beyond_its_ends),
        cmocka_unit_test(the_rate_of_a_rotation_vector_is_known_for_all_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
