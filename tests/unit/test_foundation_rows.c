// Rows of elastic foundations: gaps, gradients, wrenches, and when they are there.
#include "foundation_rig.h"
#include "rows_scene.h"

#include "model/model.h"

#include <math.h>
#include <string.h>

enum { NX = 3, NY = 4, SPRINGS = NX * NY, MAX_NV = 16, TRIALS = 40 };

// Lengths up to ten metres.
static const double ROUND_OFF = 1e-13;
// Richardson's extrapolation of two central differences, steps 2e-4 and 1e-4: truncation
// (1e-4)⁴·O(100), round-off 1e-16·O(10)/1e-4.
static const double DIFFERENCING = 1e-10;

static const dp_box_face FACES[] = {DP_BOX_FACE_MINUS_Z, DP_BOX_FACE_PLUS_Z,  DP_BOX_FACE_MINUS_Y,
                                    DP_BOX_FACE_PLUS_Y,  DP_BOX_FACE_MINUS_X, DP_BOX_FACE_PLUS_X};
enum { NFACE = sizeof FACES / sizeof FACES[0] };

// A tray on a hinge and a slide carries a tilted plane; a box with a turned geom flies over it, and
// a second one hangs on the tray's own chain by two hinges.
static dp_spec *moving_plane(dp_box_face face)
{
    dp_spec *s;
    assert_ok(dp_spec_create(&s, NULL));
    assert_ok(dp_spec_allow(s, "contact"));
    const dp_inertial inertial = {1.0, DP_IDENTITY_POSE, {1.0, 1.0, 1.0}};
    dp_body_spec body = dp_body_spec_default();
    body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    body.inertial = inertial;
    dp_body_id tray, box, arm, hand;
    body.name = "tray";
    assert_ok(dp_spec_add_body(&tray, s, DP_WORLD, &body));
    body.name = "box";
    body.pose = (dp_pose){{0.8, 0.1, 0.3, 0.2}, {0.3, 0.2, 1.0}};
    assert_ok(dp_spec_add_body(&box, s, DP_WORLD, &body));
    body.name = "arm";
    assert_ok(dp_spec_add_body(&arm, s, tray, &body));
    body.name = "hand";
    assert_ok(dp_spec_add_body(&hand, s, arm, &body));
    dp_joint_spec joint = dp_joint_spec_default();
    joint.axis = (dp_v3){0.3, 0.5, 0.8};
    joint.anchor = (dp_v3){0.1, 0.4, 0.2};
    assert_ok(dp_spec_add_joint(NULL, s, tray, &joint));
    assert_ok(dp_spec_add_joint(NULL, s, arm, &joint));
    joint.axis.x = -0.7;
    assert_ok(dp_spec_add_joint(NULL, s, hand, &joint));
    joint.kind = DP_JOINT_SLIDE;
    assert_ok(dp_spec_add_joint(NULL, s, tray, &joint));
    joint.kind = DP_JOINT_FREE;
    assert_ok(dp_spec_add_joint(NULL, s, box, &joint));
    dp_geom_spec plane = dp_geom_spec_default();
    plane.kind = DP_GEOM_PLANE;
    plane.pose = (dp_pose){{0.9, -0.2, 0.1, 0.3}, {0.5, -0.1, 0.2}};
    assert_ok(dp_spec_add_geom(NULL, s, tray, &plane));
    dp_geom_spec founded = dp_geom_spec_default();
    founded.kind = DP_GEOM_BOX;
    founded.pose = (dp_pose){{0.7, 0.3, -0.3, 0.1}, {0.2, 0.1, 0.4}};
    founded.size[0] = 0.3;
    founded.size[1] = 0.5;
    founded.size[2] = 0.7;
    founded.foundation.nx = NX;
    founded.foundation.ny = NY;
    founded.foundation.face = face;
    assert_ok(dp_spec_add_geom(NULL, s, box, &founded));
    assert_ok(dp_spec_add_geom(NULL, s, hand, &founded));
    return s;
}

static void begin(rows_scene *s, dp_box_face face, uint64_t seed)
{
    rows_scene_begin(s, moving_plane(face), 0.01, NULL);
    assert_int_equal(s->m->size.nfoundation, 2);
    assert_true(s->m->size.nv <= MAX_NV);
    random_source r = {seed};
    rows_scene_randomise(s, &r, 1.0);
    rows_scene_take_all(s);
    rows_scene_make(s);
    assert_int_equal(s->rows.nrow, 2 * SPRINGS);
    assert_int_equal(s->rows.nblock, 2);
}

// Where a spring is and how far over the plane, straight from the definition.
static double height_of(const rows_scene *s, const dp_kin *kin, int foundation, int spring)
{
    const dp_foundation *f = &s->m->foundation[foundation];
    const dp_geom *geom = &s->m->geom[f->geom], *plane = &s->m->geom[f->plane];
    const dp_pose X = dp_pose_mul(kin->link[geom->body].X, geom->pose);
    const dp_pose P = dp_pose_mul(kin->link[plane->body].X, plane->pose);
    const int normal = 2 - (int)geom->foundation.face / 2;
    const int first = normal == 0 ? 1 : 0, second = normal == 2 ? 1 : 2;
    double at[3];
    at[normal] = ((int)geom->foundation.face % 2 ? 1.0 : -1.0) * geom->size[normal];
    at[first] = geom->size[first] * ((2.0 * (spring % NX) + 1.0) / NX - 1.0);
    at[second] = geom->size[second] * ((2.0 * (spring / NX) + 1.0) / NY - 1.0);
    return dp_pose_apply(dp_pose_inverse(P), dp_pose_apply(X, dp_v3_load(at))).z;
}

static void a_gap_is_the_height_of_a_tile_over_the_plane(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; ++k) {
        rows_scene s;
        begin(&s, FACES[k % NFACE], (uint64_t)k);
        for (int i = 0; i < 2 * SPRINGS; ++i) {
            assert_near(s.rows.row[i].phi, height_of(&s, &s.start.kin, i / SPRINGS, i % SPRINGS),
                        ROUND_OFF);
        }
        rows_scene_end(&s);
    }
}

static void a_spring_has_the_stiffness_of_its_area(void **state)
{
    (void)state;
    rows_scene s;
    begin(&s, DP_BOX_FACE_PLUS_Y, 1); // 0.6 m × 1.4 m
    const dp_row *row = &s.rows.row[5];
    assert_close(row->k, 1e7 * (0.6 * 1.4 / SPRINGS) / 1.0, 1e-15);
    assert_true(row->lo == 0.0 && row->hi == INFINITY && row->b == 0.0);
    rows_scene_end(&s);
}

static void gradients_are_the_derivatives_of_gaps(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; ++k) {
        rows_scene s;
        begin(&s, FACES[k % NFACE], (uint64_t)k);
        random_source r = {(uint64_t)k + 100};
        double v[MAX_NV], phi[4][2 * SPRINGS];
        const double t[4] = {2e-4, -2e-4, 1e-4, -1e-4};
        for (int j = 0; j < s.m->size.nv; ++j) {
            v[j] = random_between(&r, -1.0, 1.0);
        }
        for (int j = 0; j < 4; ++j) {
            rows_scene_advance(&s, v, t[j]);
            for (int i = 0; i < 2 * SPRINGS; ++i) {
                phi[j][i] = height_of(&s, &s.end.kin, i / SPRINGS, i % SPRINGS);
            }
        }
        for (int i = 0; i < 2 * SPRINGS; ++i) {
            const double coarse = (phi[0][i] - phi[1][i]) / 4e-4;
            const double fine = (phi[2][i] - phi[3][i]) / 2e-4;
            assert_close(rows_scene_rate(&s, i, v), (4.0 * fine - coarse) / 3.0, DIFFERENCING);
        }
        rows_scene_end(&s);
    }
}

static void a_refresh_sees_the_gaps_at_the_end(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; ++k) {
        rows_scene s;
        begin(&s, FACES[k % NFACE], (uint64_t)k);
        const double at_rest[MAX_NV] = {0.0};
        double v[MAX_NV], worst;
        random_source r = {(uint64_t)k + 200};
        for (int j = 0; j < s.m->size.nv; ++j) {
            v[j] = random_between(&r, -1.0, 1.0);
        }
        rows_scene_advance(&s, v, 0.3);
        assert_ok(dp_rows_refresh(&worst, &s.rows, &s.in, &s.end.at, at_rest));
        for (int i = 0; i < 2 * SPRINGS; ++i) {
            assert_near(s.rows.row[i].phi, height_of(&s, &s.end.kin, i / SPRINGS, i % SPRINGS),
                        ROUND_OFF);
        }
        rows_scene_end(&s);
    }
}

static void wrenches_do_what_the_forces_do(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; ++k) {
        rows_scene s;
        begin(&s, FACES[k % NFACE], (uint64_t)k);
        random_source r = {(uint64_t)k + 300};
        const int nv = s.m->size.nv;
        double lambda[2 * SPRINGS], tau[MAX_NV] = {0.0}, by_wrench[MAX_NV] = {0.0};
        double jacobian[6 * MAX_NV];
        dp_wrench wrench[8];
        memset(wrench, 0, sizeof wrench);
        for (int i = 0; i < 2 * SPRINGS; ++i) {
            lambda[i] = random_between(&r, 0.0, 1.0);
        }
        dp_rows_add_forces(tau, &s.rows, lambda);
        dp_rows_add_wrenches(wrench, &s.rows, &s.in, lambda);
        for (int b = 1; b < s.m->size.nbody; ++b) {
            dp_kin_jacobian(jacobian, &s.start.kin, s.m, b, s.start.kin.link[b].X.p);
            const dp_wrench w = wrench[b];
            const double part[6] = {w.t.x, w.t.y, w.t.z, w.f.x, w.f.y, w.f.z};
            for (int i = 0; i < 6 * nv; ++i) {
                by_wrench[i % nv] += jacobian[i] * part[i / nv];
            }
        }
        for (int j = 0; j < nv; ++j) {
            assert_near(by_wrench[j], tau[j], 100.0 * ROUND_OFF); // sums over 24 springs
        }
        rows_scene_end(&s);
    }
}

// ---- on demand

static bool is_expected(double height, double speed, double turning, const dp_warm *warm)
{
    rows_scene s;
    rows_scene_begin(&s, foundation_spec(RIG_FREE, NX, NY, 1e7, 0.0), 0.01, NULL);
    s.start.q[2] += height;
    s.start.v[2] = -speed;
    s.start.v[4] = turning;
    rows_scene_place(&s, &s.start);
    dp_rows_expect(&s.rows, &s.in, warm, s.start.v);
    const bool expected = s.rows.foundation[0];
    rows_scene_make(&s);
    assert_int_equal(s.rows.nrow, expected ? SPRINGS : 0);
    rows_scene_end(&s);
    return expected;
}

static void springs_are_rows_when_the_face_can_reach_the_plane(void **state)
{
    (void)state;
    assert_true(is_expected(-0.001, 0.0, 0.0, NULL));
    assert_true(is_expected(0.009, 1.0, 0.0, NULL));  // 1 m/s · 0.01 s
    assert_false(is_expected(0.012, 1.0, 0.0, NULL)); // falls by 1 mm besides
    assert_true(is_expected(0.012, 1.0, 2.0, NULL));  // an edge comes down
    assert_false(is_expected(1.0, 0.0, 0.0, NULL));
}

static void springs_that_pushed_are_rows_again(void **state)
{
    (void)state;
    const uint64_t id = dp_row_id(DP_ROW_SOURCE_FOUNDATION, 0, 0);
    const int start[2] = {0, SPRINGS};
    double gamma[SPRINGS] = {0.0};
    const dp_warm warm = {1, &id, start, gamma, NULL};
    assert_false(is_expected(1.0, 0.0, 0.0, &warm));
    gamma[SPRINGS - 1] = 0.1;
    assert_true(is_expected(1.0, 0.0, 0.0, &warm));
}

static void springs_below_the_plane_at_the_end_are_missed_once(void **state)
{
    (void)state;
    rows_scene s;
    rows_scene_begin(&s, foundation_spec(RIG_FREE, NX, NY, 1e7, 0.0), 0.01, NULL);
    double v[6] = {0.0};
    v[2] = -1.0;
    rows_scene_advance(&s, v, 0.01);
    assert_int_equal(dp_rows_miss(&s.rows, &s.in, &s.end.at), 1);
    assert_int_equal(dp_rows_miss(&s.rows, &s.in, &s.end.at), 0);
    s.rows.foundation[0] = 0;
    s.options.disable_contact = true;
    assert_int_equal(dp_rows_miss(&s.rows, &s.in, &s.end.at), 0);
    rows_scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_is_the_height_of_a_tile_over_the_plane),
        cmocka_unit_test(a_spring_has_the_stiffness_of_its_area),
        cmocka_unit_test(gradients_are_the_derivatives_of_gaps),
        cmocka_unit_test(a_refresh_sees_the_gaps_at_the_end),
        cmocka_unit_test(wrenches_do_what_the_forces_do),
        cmocka_unit_test(springs_are_rows_when_the_face_can_reach_the_plane),
        cmocka_unit_test(springs_that_pushed_are_rows_again),
        cmocka_unit_test(springs_below_the_plane_at_the_end_are_missed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
