// How rows are gathered: which are there, in what order, with which numbers, and the problem that
// they pose.
#include "rows_scene.h"

#include "assemble/block.h"
#include "linalg/tree_ldl.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MECHANISMS = 60, MAX_NV = 80, MAX_USER = 3 };

static const dp_v3 X_AXIS = {1.0, 0.0, 0.0}, Z_AXIS = {0.0, 0.0, 1.0}, NOWHERE = {0.0, 0.0, 0.0},
                   UNIT = {1.0, 1.0, 1.0};

// A row of the user over all degrees of freedom.
static dp_status dense_row(void *context, int index, bool end, dp_row *row, double *gradient)
{
    const int nv = *(const int *)context;
    row->phi = end ? 2.0 : 1.0;
    row->k = 3.0 + index;
    for (int k = 0; k < nv; ++k) {
        gradient[k] = 1.0 + k;
    }
    return DP_OK;
}

// All that a random mechanism can have: every end of every limit, every drive, the user's rows.
static void begin_full(rows_scene *s, uint64_t seed, int *nv)
{
    const dp_user_rows user = {MAX_USER, nv, dense_row};
    rows_scene_begin(s, random_rows_spec(seed), 0.01, &user);
    *nv = s->m->size.nv;
    assert_true(*nv <= MAX_NV);
    random_source r = {seed + 77};
    rows_scene_randomise(s, &r, 1.0);
    for (int u = 0; u < s->m->size.nu; ++u) {
        s->drive[u] = (dp_drive_law){1.0, 10.0, 1.0, -2.0, 2.0};
    }
    rows_scene_take_all(s);
}

static void the_largest_problem_fits_exactly_into_its_memory(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        rows_scene s;
        int nv;
        begin_full(&s, seed, &nv);
        rows_scene_make(&s);
        const int nblock = s.rows.nblock;
        assert_true(nblock <= s.rows.max_block && s.rows.nrow <= s.rows.max_row);
        assert_true((size_t)s.rows.col_start[nblock] <= s.rows.max_col);
        assert_true(s.rows.G_start[nblock] <= s.rows.max_G);
        // What is short of the bound are equalities and tendons that hold nothing that moves.
        int without = 0;
        for (int i = 0; i < s.m->size.nequality; ++i) {
            without += rows_scene_find(&s, DP_ROW_SOURCE_EQUALITY, i, 0) < 0;
        }
        int tendons = 0;
        for (int i = 0; i < s.m->size.ntendon; ++i) {
            tendons += s.start.tendon.count[i] == 0;
        }
        if (tendons == 0) {
            assert_int_equal(nblock + without, s.rows.max_block);
        }
        rows_scene_end(&s);
    }
}

static void ids_ascend_and_columns_too(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        rows_scene s;
        int nv;
        begin_full(&s, seed, &nv);
        const dp_step_problem p = rows_scene_make(&s);
        for (int b = 0; b < p.nblock; ++b) {
            assert_true(b == 0 || p.id[b] > p.id[b - 1]);
            assert_true(p.col_start[b + 1] > p.col_start[b]);
            for (int i = p.col_start[b] + 1; i < p.col_start[b + 1]; ++i) {
                assert_true(p.col[i] > p.col[i - 1] && p.col[i] < p.nv);
            }
        }
        rows_scene_end(&s);
    }
}

static void every_row_is_one_that_a_law_can_take(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        rows_scene s;
        int nv;
        begin_full(&s, seed, &nv);
        rows_scene_make(&s);
        for (int i = 0; i < s.rows.nrow; ++i) {
            const dp_row *row = &s.rows.row[i];
            assert_true(isfinite(row->phi) && isfinite(row->phi_t) && isfinite(row->b_ref));
            assert_true(row->k >= 0.0 && row->b >= 0.0 && row->k + row->b > 0.0);
            assert_true(row->lo <= 0.0 && row->hi >= 0.0 && row->lo < row->hi);
            assert_true(row->len > 0.0);
        }
        rows_scene_end(&s);
    }
}

// ---- the problem

// Rows on some trees of a forest: those of joints, chosen at random, and a few equalities.
static void begin_sparse(rows_scene *s, uint64_t seed, random_source *r)
{
    random_spec_options o = random_spec_default(seed);
    dp_spec *spec = random_spec(&o);
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        dp_spec_joint(spec, (dp_joint_id){j})->friction_loss = random_chance(r, 0.2);
    }
    if (dp_spec_body_count(spec) > 2 && random_chance(r, 0.5)) {
        dp_equality_spec e = dp_equality_spec_default();
        e.object[0] = "b1";
        e.object[1] = "b2";
        assert_ok(dp_spec_add_equality(NULL, spec, &e));
    }
    rows_scene_begin(s, spec, 0.01, NULL);
    assert_true(s->m->size.nv <= MAX_NV);
    rows_scene_randomise(s, r, 1.0);
    for (size_t i = 0; i < s->m->dof_packed[s->m->size.nv]; ++i) {
        s->Mt[i] = random_between(r, -1.0, 1.0);
    }
    for (int i = 0; i < s->m->size.nv; ++i) {
        s->v_free[i] = random_between(r, -1.0, 1.0);
    }
}

// The model's number of every velocity of the problem: whole trees, where one of their velocities
// has a row.
static int velocities_with_rows(int *dof, const rows_scene *s)
{
    bool has_row[MAX_NV] = {false};
    for (int i = 0; i < s->rows.col_start[s->rows.nblock]; ++i) {
        has_row[s->rows.col[i]] = true;
    }
    int n = 0;
    for (int t = 0; t < s->m->size.ntree; ++t) {
        bool any = false;
        for (int k = s->m->tree_start[t]; k < s->m->tree_start[t + 1]; ++k) {
            any = any || has_row[k];
        }
        for (int k = s->m->tree_start[t]; any && k < s->m->tree_start[t + 1]; ++k) {
            dof[n++] = k;
        }
    }
    return n;
}

static void the_problem_is_the_part_of_the_mechanism_that_has_rows(void **state)
{
    (void)state;
    int left_out = 0;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        rows_scene s;
        random_source r = {seed + 9};
        begin_sparse(&s, seed, &r);
        const dp_step_problem p = rows_scene_make(&s);
        int dof[MAX_NV];
        const int n = velocities_with_rows(dof, &s), nv = s.m->size.nv;
        left_out += n < nv;
        assert_int_equal(p.nv, n);
        double *whole = calloc((size_t)(nv * nv + n * n + 1), sizeof *whole);
        double *part = whole + nv * nv;
        dp_tree_ldl_expand(whole, dp_model_branch(s.m), s.Mt);
        dp_tree_ldl_expand(part, (dp_tree_ldl){p.nv, p.parent, p.Mt_start}, p.Mt);
        for (int i = 0; i < n; ++i) {
            assert_true(p.v0[i] == s.start.v[dof[i]] && p.v_free[i] == s.v_free[dof[i]]);
            for (int j = 0; j < n; ++j) {
                assert_true(part[i * n + j] == whole[dof[i] * nv + dof[j]]);
            }
        }
        free(whole);
        for (int i = 0; i < p.col_start[p.nblock]; ++i) {
            assert_int_equal(dof[p.col[i]], s.rows.col[i]);
        }
        rows_scene_end(&s);
    }
    assert_true(left_out > 10);
}

static void a_mechanism_without_rows_poses_an_empty_problem(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", NOWHERE, 1.0, X_AXIS, UNIT);
    mechanism_joint(&x, b, "j", DP_JOINT_HINGE, Z_AXIS);
    rows_scene s;
    rows_scene_begin(&s, x.spec, 0.01, NULL);
    assert_false(dp_rows_possible(s.m, (dp_rows_most){0, 0}));
    assert_true(dp_rows_possible(s.m, (dp_rows_most){1, 0}));
    const dp_step_problem p = rows_scene_make(&s);
    assert_int_equal(p.nv, 0);
    assert_int_equal(p.ntree, 0);
    assert_int_equal(p.nblock, 0);
    rows_scene_end(&s);
}

// ---- on demand

// A hinge within [−1, 1] and a ball within 1 rad, with a fixed tendon within [−2, 2] on the hinge
// that counts double.
static void begin_limits(rows_scene *s)
{
    mechanism x = mechanism_begin();
    const dp_body_id a = mechanism_body(&x, DP_WORLD, "a", NOWHERE, 1.0, X_AXIS, UNIT);
    dp_joint_spec *joint = mechanism_joint(&x, a, "hinge", DP_JOINT_HINGE, Z_AXIS);
    joint->limited = true;
    joint->range[0] = -1.0, joint->range[1] = 1.0;
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", X_AXIS, 1.0, X_AXIS, UNIT);
    joint = mechanism_joint(&x, b, "ball", DP_JOINT_BALL, Z_AXIS);
    joint->limited = true;
    joint->range[1] = 1.0;
    const dp_wrap_spec wrap = {.kind = DP_WRAP_JOINT, .object = "hinge", .coefficient = 2.0};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.wrap = &wrap;
    tendon.nwrap = 1;
    tendon.limited = true;
    tendon.range[0] = -2.2, tendon.range[1] = 2.2;
    assert_ok(dp_spec_add_tendon(NULL, x.spec, &tendon));
    rows_scene_begin(s, x.spec, 0.01, NULL);
}

enum { HINGE, BALL };

static void expect_at(rows_scene *s, double q, double v, const dp_warm *warm)
{
    s->start.q[0] = q;
    rows_scene_place(s, &s->start);
    const double velocity[4] = {v, 0.0, 0.0, 0.0};
    dp_rows_expect(&s->rows, &s->in, warm, velocity);
}

static void an_end_is_expected_where_the_step_would_pass_it(void **state)
{
    (void)state;
    rows_scene s;
    begin_limits(&s);
    expect_at(&s, 0.9, 9.0, NULL); // to 0.99
    assert_int_equal(s.rows.joint_limit[HINGE], 0);
    expect_at(&s, 0.9, 11.0, NULL); // to 1.01: the hinge's end, not yet the tendon's at 1.1
    assert_int_equal(s.rows.joint_limit[HINGE], 2);
    assert_int_equal(s.rows.tendon_limit[0], 0);
    expect_at(&s, 0.9, 21.0, NULL); // to 1.11
    assert_int_equal(s.rows.joint_limit[HINGE], 2);
    assert_int_equal(s.rows.tendon_limit[0], 2);
    expect_at(&s, -0.9, -21.0, NULL);
    assert_int_equal(s.rows.joint_limit[HINGE], 1);
    assert_int_equal(s.rows.tendon_limit[0], 1);
    expect_at(&s, 1.01, -0.5, NULL); // beyond, and still beyond after the step
    assert_int_equal(s.rows.joint_limit[HINGE], 2);

    s.options.disable_limits = true;
    expect_at(&s, 0.9, 21.0, NULL);
    assert_int_equal(s.rows.joint_limit[HINGE], 0);
    assert_int_equal(s.rows.tendon_limit[0], 0);
    rows_scene_end(&s);
}

static void an_end_that_pushed_in_the_last_step_is_expected(void **state)
{
    (void)state;
    rows_scene s;
    begin_limits(&s);
    const uint64_t id[] = {dp_row_id(DP_ROW_SOURCE_JOINT_LIMIT, HINGE, 1),
                           dp_row_id(DP_ROW_SOURCE_JOINT_LIMIT, BALL, 1),
                           dp_row_id(DP_ROW_SOURCE_JOINT_LIMIT, 99, 1), // of another model
                           dp_row_id(DP_ROW_SOURCE_TENDON_LIMIT, 0, 0)};
    const int row_start[] = {0, 1, 2, 3, 4};
    const double gamma[] = {0.5, 0.0, 1.0, 2.0};
    const dp_warm warm = {4, id, row_start, gamma, NULL};
    expect_at(&s, 0.0, 0.0, &warm);
    assert_int_equal(s.rows.joint_limit[HINGE], 2);
    assert_int_equal(s.rows.joint_limit[BALL], 0); // it did not push
    assert_int_equal(s.rows.tendon_limit[0], 1);
    rows_scene_end(&s);
}

static void an_end_that_is_passed_is_taken_in_once(void **state)
{
    (void)state;
    rows_scene s;
    begin_limits(&s);
    expect_at(&s, 0.0, 0.0, NULL);
    s.end.q[0] = 1.05;
    rows_scene_place(&s, &s.end);
    assert_int_equal(dp_rows_miss(&s.rows, &s.in, &s.end.at), 1);
    assert_int_equal(s.rows.joint_limit[HINGE], 2);
    assert_int_equal(dp_rows_miss(&s.rows, &s.in, &s.end.at), 0);
    s.end.q[0] = -1.2;                            // both lower ends
    s.end.q[1] = cos(0.6), s.end.q[2] = sin(0.6); // and the ball's, at 1.2 rad
    rows_scene_place(&s, &s.end);
    assert_int_equal(dp_rows_miss(&s.rows, &s.in, &s.end.at), 3);
    assert_int_equal(s.rows.joint_limit[HINGE], 3);
    assert_int_equal(s.rows.joint_limit[BALL], 2);
    assert_int_equal(s.rows.tendon_limit[0], 1);

    rows_scene_make(&s);
    assert_int_equal(s.rows.nblock, 4);
    s.options.disable_limits = true;
    expect_at(&s, 0.0, 0.0, NULL);
    assert_int_equal(dp_rows_miss(&s.rows, &s.in, &s.end.at), 0);
    rows_scene_end(&s);
}

static void a_ball_is_limited_about_the_axis_it_is_turned_about(void **state)
{
    (void)state;
    rows_scene s;
    begin_limits(&s);
    const double angle = 0.8;
    s.start.q[1] = cos(0.5 * angle);
    s.start.q[3] = -sin(0.5 * angle); // about −y
    rows_scene_place(&s, &s.start);
    rows_scene_take_all(&s);
    rows_scene_make(&s);
    const int b = rows_scene_find(&s, DP_ROW_SOURCE_JOINT_LIMIT, BALL, 1);
    assert_true(b >= 0);
    assert_int_equal(rows_scene_find(&s, DP_ROW_SOURCE_JOINT_LIMIT, BALL, 0), -1);
    const dp_row *row = &s.rows.row[s.rows.row_start[b]];
    const double *G = s.rows.G + s.rows.G_start[b];
    assert_near(row->phi, 1.0 - angle, 1e-15);
    assert_true(row->lo == 0.0 && row->hi == INFINITY && row->k == INFINITY);
    assert_near(G[0], 0.0, 1e-15);
    assert_near(G[1], 1.0, 1e-15);
    assert_near(G[2], 0.0, 1e-15);
    rows_scene_end(&s);
}

static void a_ball_in_its_reference_is_limited_about_the_axis_it_turns_about(void **state)
{
    (void)state;
    rows_scene s;
    begin_limits(&s);
    s.start.v[3] = 200.0; // 2 rad in one step
    rows_scene_place(&s, &s.start);
    dp_rows_expect(&s.rows, &s.in, NULL, s.start.v);
    assert_int_equal(s.rows.joint_limit[BALL], 2);
    rows_scene_make(&s);
    const int b = rows_scene_find(&s, DP_ROW_SOURCE_JOINT_LIMIT, BALL, 1);
    assert_near(s.rows.G[s.rows.G_start[b] + 2], -1.0, 0.0);
    assert_near(s.rows.row[s.rows.row_start[b]].phi, 1.0, 0.0);
    rows_scene_end(&s);
}

// Turned about x and turning about z: the plane of the row touches the sphere of rotation vectors
// ahead of the ball.
static void a_ball_is_limited_where_its_motion_meets_the_limit(void **state)
{
    (void)state;
    rows_scene s;
    begin_limits(&s);
    const double angle = 0.01, turn = 2.0; // [rad] so small that rotation vectors add
    s.start.q[1] = cos(0.5 * angle);
    s.start.q[2] = sin(0.5 * angle);
    s.start.v[3] = turn / s.in.h;
    rows_scene_place(&s, &s.start);
    dp_rows_expect(&s.rows, &s.in, NULL, s.start.v);
    rows_scene_make(&s);
    const int b = rows_scene_find(&s, DP_ROW_SOURCE_JOINT_LIMIT, BALL, 1);
    const double *G = s.rows.G + s.rows.G_start[b];
    const double n = angle / hypot(angle, turn);
    assert_near(G[0], -n, 2e-4); // angle²
    assert_near(G[2], -sqrt(1.0 - n * n), 2e-4);
    assert_near(s.rows.row[s.rows.row_start[b]].phi, 1.0 - n * angle, 2e-4);
    rows_scene_end(&s);
}

// ---- drives

static void begin_servo(rows_scene *s)
{
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", NOWHERE, 1.0, X_AXIS, UNIT);
    mechanism_joint(&x, b, "j", DP_JOINT_HINGE, Z_AXIS);
    dp_actuator_spec a = dp_actuator_spec_default();
    a.joint = "j";
    a.gear[0] = 3.0;
    a.gain[0] = 100.0, a.bias[1] = -100.0, a.bias[2] = -1.0;
    assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
    rows_scene_begin(s, x.spec, 0.01, NULL);
}

// (SP 2) without the range
static double impulse(const dp_row *row, double h, double u)
{
    const double end = row->phi + h * (u + row->phi_t);
    return -h * (row->k > 0.0 ? row->k * end : 0.0) - h * row->b * (u + row->b_ref);
}

static void the_row_of_a_drive_gives_its_force_within_its_range(void **state)
{
    (void)state;
    rows_scene s;
    begin_servo(&s);
    static const dp_drive_law law[] = {{7.0, 1e9, 0.0, -50.0, 40.0},
                                       {7.0, 0.0, 2.0, -1.0, 0.0},
                                       {-3.0, 100.0, 1e5, -1.0, 2.0},
                                       {5e8, 1e9, 1e3, -INFINITY, INFINITY}};
    const double h = s.in.h, v = 0.7;
    for (int i = 0; i < 4; ++i) {
        s.drive[0] = law[i];
        rows_scene_take_all(&s);
        rows_scene_make(&s);
        assert_int_equal(s.rows.nblock, 1);
        const dp_row *row = &s.rows.row[0];
        const double rate = rows_scene_rate(&s, 0, &v);
        assert_near(rate, 3.0 * v, 1e-15);
        const double force = law[i].force - (h * law[i].stiffness + law[i].damping) * rate;
        assert_near(impulse(row, h, rate) / h, force, 1e-14 * (fabs(law[i].force) + fabs(force)));
        assert_true(row->lo == h * law[i].lo && row->hi == h * law[i].hi);
    }
    rows_scene_end(&s);
}

static void a_drive_is_expected_at_the_end_of_the_range_that_its_force_leaves(void **state)
{
    (void)state;
    rows_scene s;
    begin_servo(&s);
    const double at_rest[] = {0.0}, fast[] = {-1.0};
    s.drive[0] = (dp_drive_law){5.0, 100.0, 1.0, -6.0, 6.0};
    dp_rows_expect(&s.rows, &s.in, NULL, at_rest); // 5
    assert_int_equal(s.rows.drive[0], 0);
    dp_rows_expect(&s.rows, &s.in, NULL, fast); // 5 + 2·3
    assert_int_equal(s.rows.drive[0], DP_STANDS_AT_HI);

    const uint64_t id = dp_row_id(DP_ROW_SOURCE_DRIVE, 0, 0);
    const int row_start[] = {0, 1};
    double gamma = 0.06;
    const dp_warm warm = {1, &id, row_start, &gamma, NULL};
    dp_rows_expect(&s.rows, &s.in, &warm, at_rest); // it was at its end
    assert_int_equal(s.rows.drive[0], DP_STANDS_AS_ROW);
    gamma = 0.05;
    dp_rows_expect(&s.rows, &s.in, &warm, at_rest); // it was a row within its range
    assert_int_equal(s.rows.drive[0], 0);
    s.options.disable_actuation = true;
    dp_rows_expect(&s.rows, &s.in, NULL, fast);
    assert_int_equal(s.rows.drive[0], 0);
    rows_scene_end(&s);
}

// ---- friction

static void friction_stops_every_coordinate_of_a_joint(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", NOWHERE, 1.0, X_AXIS, UNIT);
    mechanism_joint(&x, b, "j", DP_JOINT_FREE, Z_AXIS)->friction_loss = 5.0;
    rows_scene s;
    rows_scene_begin(&s, x.spec, 0.01, NULL);
    const dp_step_problem p = rows_scene_make(&s);
    assert_int_equal(p.nblock, 1);
    assert_int_equal(p.nrow, 6);
    for (int i = 0; i < 6; ++i) {
        const dp_row *row = &p.row[i];
        assert_true(row->k == 0.0 && row->b == INFINITY && row->b_ref == 0.0);
        assert_near(row->lo, -0.05, 1e-17);
        assert_near(row->hi, 0.05, 1e-17);
        for (int j = 0; j < 6; ++j) {
            assert_true(p.G[6 * i + j] == (i == j));
        }
    }
    rows_scene_end(&s);
}

// ---- the user's rows

typedef struct user_script {
    dp_row row;
    double gradient[2];
    dp_status status;
} user_script;

static dp_status follow_script(void *context, int index, bool end, dp_row *row, double *gradient)
{
    const user_script *script = (const user_script *)context + index;
    assert_true(row->phi == 0.0 && row->k == 0.0 && row->len == 1.0 && row->lo == -INFINITY);
    assert_true(gradient[0] == 0.0 && gradient[1] == 0.0);
    *row = script->row;
    row->phi += end ? 1.0 : 0.0;
    memcpy(gradient, script->gradient, sizeof script->gradient);
    return script->status;
}

static void begin_user(rows_scene *s, user_script *script, int count)
{
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", NOWHERE, 1.0, X_AXIS, UNIT);
    mechanism_joint(&x, b, "slide", DP_JOINT_SLIDE, X_AXIS);
    mechanism_joint(&x, b, "hinge", DP_JOINT_HINGE, Z_AXIS);
    const dp_user_rows user = {count, script, follow_script};
    rows_scene_begin(s, x.spec, 0.01, &user);
}

static dp_row spring(double phi, double k)
{
    return (dp_row){.phi = phi, .k = k, .lo = -INFINITY, .hi = INFINITY, .len = 1.0};
}

static void rows_of_the_user_are_there_as_they_are_said(void **state)
{
    (void)state;
    user_script script[] = {{spring(0.1, 0.0), {1.0, 0.0}, DP_OK}, // off: no spring, no dashpot
                            {spring(0.2, 5.0), {0.0, 0.0}, DP_OK}, // meets nothing
                            {spring(0.3, 6.0), {0.0, 2.0}, DP_OK},
                            {spring(0.4, INFINITY), {3.0, 4.0}, DP_OK}};
    rows_scene s;
    begin_user(&s, script, 4);
    const dp_step_problem p = rows_scene_make(&s);
    assert_int_equal(p.nblock, 2);
    assert_true(p.id[0] == dp_row_id(DP_ROW_SOURCE_USER, 2, 0));
    assert_true(p.id[1] == dp_row_id(DP_ROW_SOURCE_USER, 3, 0));
    assert_int_equal(p.col_start[1], 1);
    assert_int_equal(p.col[0], 1);
    assert_true(p.G[0] == 2.0 && p.G[1] == 3.0 && p.G[2] == 4.0);
    assert_memory_equal(&p.row[0], &script[2].row, sizeof(dp_row));

    const double v[] = {1.0, -1.0};
    double worst;
    assert_ok(dp_rows_refresh(&worst, &s.rows, &s.in, &s.end.at, v));
    assert_near(p.row[0].phi, 1.3 + 0.01 * 2.0, 1e-15);
    assert_near(p.row[1].phi, 1.4 + 0.01 * 1.0, 1e-15);
    assert_near(worst, 1.02, 1e-15);
    rows_scene_end(&s);
}

static void a_row_of_the_user_that_no_law_can_take_is_refused(void **state)
{
    (void)state;
    user_script bad[] = {
        {spring(NAN, 1.0), {1.0, 0.0}, DP_OK}, {spring(0.0, -1.0), {1.0, 0.0}, DP_OK},
        {spring(0.0, 1.0), {NAN, 0.0}, DP_OK}, {spring(0.0, 1.0), {1.0, 0.0}, DP_OK},
        {spring(0.0, 1.0), {1.0, 0.0}, DP_OK}, {spring(0.0, 1.0), {1.0, 0.0}, DP_ERROR_CALLBACK}};
    bad[3].row.lo = 1.0;
    bad[4].row.len = 0.0;
    for (int i = 0; i < 6; ++i) {
        rows_scene s;
        begin_user(&s, bad + i, 1);
        assert_int_equal(dp_rows_make(&s.rows, &s.in),
                         i == 5 ? DP_ERROR_CALLBACK : DP_ERROR_ARGUMENT);
        // and leaves nothing behind that the next one would see
        bad[i] = (user_script){spring(0.0, 1.0), {0.0, 1.0}, DP_OK};
        const dp_step_problem p = rows_scene_make(&s);
        assert_int_equal(p.nblock, 1);
        assert_int_equal(p.col_start[1], 1);
        rows_scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_problem_fits_exactly_into_its_memory),
        cmocka_unit_test(ids_ascend_and_columns_too),
        cmocka_unit_test(every_row_is_one_that_a_law_can_take),
        cmocka_unit_test(the_problem_is_the_part_of_the_mechanism_that_has_rows),
        cmocka_unit_test(a_mechanism_without_rows_poses_an_empty_problem),
        cmocka_unit_test(an_end_is_expected_where_the_step_would_pass_it),
        cmocka_unit_test(an_end_that_pushed_in_the_last_step_is_expected),
        cmocka_unit_test(an_end_that_is_passed_is_taken_in_once),
        cmocka_unit_test(a_ball_is_limited_about_the_axis_it_is_turned_about),
        cmocka_unit_test(a_ball_in_its_reference_is_limited_about_the_axis_it_turns_about),
        cmocka_unit_test(a_ball_is_limited_where_its_motion_meets_the_limit),
        cmocka_unit_test(the_row_of_a_drive_gives_its_force_within_its_range),
        cmocka_unit_test(a_drive_is_expected_at_the_end_of_the_range_that_its_force_leaves),
        cmocka_unit_test(friction_stops_every_coordinate_of_a_joint),
        cmocka_unit_test(rows_of_the_user_are_there_as_they_are_said),
        cmocka_unit_test(a_row_of_the_user_that_no_law_can_take_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
