// Distances of primitive shapes in closed form, against the definition of the gap.
#include "math/v3.h"
#include "shape_parts.h"
#include "shape_reference.h"

#include <dashpot/base.h>

#include <math.h>
#include <string.h>

// Pairs that have a closed form.
static const struct {
    dp_geom_kind a, b;
} closed[] = {
    {DP_GEOM_PLANE, DP_GEOM_SPHERE},      {DP_GEOM_PLANE, DP_GEOM_CAPSULE},
    {DP_GEOM_PLANE, DP_GEOM_CYLINDER},    {DP_GEOM_PLANE, DP_GEOM_ELLIPSOID},
    {DP_GEOM_PLANE, DP_GEOM_BOX},         {DP_GEOM_SPHERE, DP_GEOM_SPHERE},
    {DP_GEOM_SPHERE, DP_GEOM_CAPSULE},    {DP_GEOM_SPHERE, DP_GEOM_CYLINDER},
    {DP_GEOM_SPHERE, DP_GEOM_ELLIPSOID},  {DP_GEOM_SPHERE, DP_GEOM_BOX},
    {DP_GEOM_CAPSULE, DP_GEOM_CAPSULE},   {DP_GEOM_CAPSULE, DP_GEOM_BOX},
    {DP_GEOM_CYLINDER, DP_GEOM_CYLINDER}, {DP_GEOM_CYLINDER, DP_GEOM_BOX},
    {DP_GEOM_BOX, DP_GEOM_BOX},
};
enum { NPAIR = sizeof closed / sizeof *closed };

typedef struct placed_pair {
    dp_shape a, b;
    dp_pose X_WA, X_WB;
    double size; // what the poses and sizes amount to [m]
} placed_pair;

// Random pairs between far apart and concentric, with parallel axes and faces now and then.
static placed_pair draw_pair(random_source *r, dp_geom_kind a, dp_geom_kind b, shape_draw how)
{
    placed_pair p = {.a = draw_shape(r, a, how), .b = draw_shape(r, b, how)};
    p.X_WA = (dp_pose){draw_rotation(r), {0.0, 0.0, 0.0}};
    const double distance =
        random_chance(r, 0.05) ? 0.0 : how.scale * pow(10.0, random_between(r, -3.0, 0.5));
    double d[3];
    random_direction(d, 3, r);
    if (random_chance(r, 0.3)) {
        d[random_below(r, 3)] = 0.0; // along axes and in planes of the other, where it is aligned
    }
    p.X_WB = (dp_pose){draw_rotation(r), {distance * d[0], distance * d[1], distance * d[2]}};
    p.size = distance + p.a.size[0] + p.a.size[1] + p.a.size[2] + p.b.size[0] + p.b.size[1] +
             p.b.size[2];
    return p;
}

static dp_distance distance_of(const placed_pair *p)
{
    dp_distance d;
    assert_int_equal(dp_shapes_distance(&d, &p->a, p->X_WA, &p->b, p->X_WB, INFINITY, NULL), DP_OK);
    return d;
}

// Round-off of a closed form: some tens of operations on numbers of this size, and 2⁷ of it in the
// normal of capsules whose axes nearly touch.
#define CLOSED 3e-14

static void assert_is_the_gap(const placed_pair *p)
{
    const dp_distance d = distance_of(p);
    const reference_body a = reference_place(&p->a, NULL, 0, p->X_WA);
    const reference_body b = reference_place(&p->b, NULL, 0, p->X_WB);
    reference_search how = reference_search_default(&a, &b);
    how.most_evaluations = 4000; // what is left between its bounds is left open
    const reference_answer truth = reference_gap(&a, &b, &how);
    const double round_off = CLOSED * p->size;
    assert_true(d.gap >= (double)truth.gap - round_off);
    assert_true(d.gap <= (double)truth.bound + round_off);
    // The normal is a unit vector along which the shapes are that far apart.
    assert_near(dp_v3_norm(d.normal), 1.0, 1e-15 * 4.0);
    assert_near((double)reference_gap_along(&a, &b, wide_from(d.normal)), d.gap, round_off);
    const dp_v3 between = dp_v3_sub(d.point[1], d.point[0]);
    assert_true(dp_v3_norm(dp_v3_madd(between, -d.gap, d.normal)) <= round_off);
    // The points belong to the shapes; where faces are all but parallel they are found to less.
    if (p->a.kind != DP_GEOM_PLANE) {
        assert_true((double)reference_outside(&a, wide_from(d.point[0])) <= 100.0 * round_off);
    }
    assert_true((double)reference_outside(&b, wide_from(d.point[1])) <= 100.0 * round_off);
}

static void every_closed_form_is_the_gap_by_definition(void **state)
{
    (void)state;
    for (int k = 0; k < NPAIR; ++k) {
        random_source r = {1000u + (unsigned)k};
        for (int i = 0; i < 60; ++i) {
            const placed_pair p = draw_pair(&r, closed[k].a, closed[k].b, (shape_draw){1.0, 10.0});
            assert_is_the_gap(&p);
        }
    }
}

static void scales_and_long_thin_shapes_change_nothing(void **state)
{
    (void)state;
    const shape_draw how[] = {{1e-6, 10.0}, {1e6, 10.0}, {1.0, 1e4}};
    for (int k = 0; k < NPAIR; ++k) {
        random_source r = {2000u + (unsigned)k};
        for (int i = 0; i < 45; ++i) {
            const placed_pair p = draw_pair(&r, closed[k].a, closed[k].b, how[i % 3]);
            assert_is_the_gap(&p);
        }
    }
}

static void assert_same_bits(dp_v3 a, dp_v3 b)
{
    assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
}

static void swapping_the_shapes_mirrors_every_bit(void **state)
{
    (void)state;
    const dp_geom_kind kinds[] = {DP_GEOM_PLANE,    DP_GEOM_SPHERE,    DP_GEOM_CAPSULE,
                                  DP_GEOM_CYLINDER, DP_GEOM_ELLIPSOID, DP_GEOM_BOX};
    random_source r = {3};
    for (int i = 0; i < 3000; ++i) {
        const int ka = random_below(&r, 6),
                  kb = ka == 0 ? 1 + random_below(&r, 5) : random_below(&r, 6);
        const placed_pair p = draw_pair(&r, kinds[ka], kinds[kb], (shape_draw){1.0, 10.0});
        const placed_pair q = {p.b, p.a, p.X_WB, p.X_WA, p.size};
        const dp_distance d = distance_of(&p), e = distance_of(&q);
        assert_true(d.gap == e.gap);
        assert_same_bits(d.point[0], e.point[1]);
        assert_same_bits(d.point[1], e.point[0]);
        assert_same_bits(d.normal, (dp_v3){-e.normal.x, -e.normal.y, -e.normal.z});
        assert_true(d.ambiguous == e.ambiguous && d.outcome == e.outcome);
    }
}

static void moving_both_shapes_along_changes_the_gap_by_round_off(void **state)
{
    (void)state;
    random_source r = {4};
    for (int i = 0; i < 2000; ++i) {
        const int k = random_below(&r, NPAIR);
        const placed_pair p = draw_pair(&r, closed[k].a, closed[k].b, (shape_draw){1.0, 10.0});
        const dp_pose X = {draw_rotation(&r), {3.0, -2.0, 5.0}};
        placed_pair q = p;
        q.X_WA = dp_pose_mul(X, p.X_WA);
        q.X_WB = dp_pose_mul(X, p.X_WB);
        // The poses themselves are rounded, at a distance of about 6 m.
        assert_near(distance_of(&q).gap, distance_of(&p).gap, 1e-14 * (p.size + 6.0));
    }
}

// Along a small motion of B the gap changes by the normal times the motion, to second order: of the
// size of h² over the radius of the sharpest bend, here at least 1 mm.
static void the_normal_is_the_gradient_of_the_gap(void **state)
{
    (void)state;
    random_source r = {5};
    int tried = 0;
    for (int i = 0; i < 3000; ++i) {
        const int k = random_below(&r, NPAIR);
        placed_pair p = draw_pair(&r, closed[k].a, closed[k].b, (shape_draw){1.0, 10.0});
        const dp_distance d = distance_of(&p);
        double u[3];
        random_direction(u, 3, &r);
        const double h = 1e-7;
        placed_pair ahead = p, behind = p;
        ahead.X_WB.p = dp_v3_madd(p.X_WB.p, h, dp_v3_load(u));
        behind.X_WB.p = dp_v3_madd(p.X_WB.p, -h, dp_v3_load(u));
        const dp_distance d1 = distance_of(&ahead), d0 = distance_of(&behind);
        const double turn = dp_v3_norm(dp_v3_sub(d1.normal, d0.normal));
        if (turn > 1e-3) {
            continue; // across a kink
        }
        assert_near((d1.gap - d0.gap) / (2.0 * h), dp_v3_dot(d.normal, dp_v3_load(u)),
                    1e-3 + 1e-15 * p.size / h);
        tried++;
    }
    assert_true(tried > 2500);
}

static void crossed_capsules_part_along_their_common_perpendicular(void **state)
{
    (void)state;
    const dp_shape a = capsule_shape(0.2, 1.0), b = capsule_shape(0.1, 0.7);
    const dp_quat along_x = {sqrt(0.5), 0.0, sqrt(0.5), 0.0}; // z to x
    const placed_pair p = {a, b, pose_at(0.0, 0.0, 0.0), {along_x, {0.1, 0.0, 0.2}}, 2.0};
    const dp_distance d = distance_of(&p);
    assert_near(d.gap, -0.3, 1e-15);
    assert_near(fabs(d.normal.y), 1.0, 1e-15);
    assert_true(d.ambiguous); // ±y
}

static void capsules_in_one_line_part_sideways(void **state)
{
    (void)state;
    const dp_shape a = capsule_shape(0.2, 1.0), b = capsule_shape(0.1, 0.7);
    const placed_pair p = {a, b, pose_at(0.0, 0.0, 0.0), pose_at(0.0, 0.0, 0.3), 2.0};
    const dp_distance d = distance_of(&p);
    assert_near(d.gap, -0.3, 1e-15);
    assert_near(d.normal.z, 0.0, 1e-15);
    assert_true(d.ambiguous);
}

static void a_ball_leaves_a_box_by_the_nearest_face(void **state)
{
    (void)state;
    const placed_pair p = {sphere_shape(0.1), box_shape(1.0, 2.0, 3.0), pose_at(0.3, 1.6, -1.0),
                           pose_at(0.0, 0.0, 0.0), 6.0};
    const dp_distance d = distance_of(&p);
    assert_near(d.gap, -0.4 - 0.1, 1e-15);
    assert_near(d.normal.y, -1.0, 1e-15); // the box must go down, the ball leaves upwards
    assert_false(d.ambiguous);
}

static void a_ball_leaves_a_cylinder_by_its_side_or_its_cap(void **state)
{
    (void)state;
    const dp_shape ball = sphere_shape(0.1), can = cylinder_shape(1.0, 2.0);
    const placed_pair near_side = {ball, can, pose_at(0.6, 0.0, 1.0), pose_at(0.0, 0.0, 0.0), 4.0};
    const placed_pair near_cap = {ball, can, pose_at(0.6, 0.0, -1.8), pose_at(0.0, 0.0, 0.0), 4.0};
    assert_near(distance_of(&near_side).gap, -0.4 - 0.1, 1e-15);
    assert_near(distance_of(&near_side).normal.x, -1.0, 1e-15);
    assert_near(distance_of(&near_cap).gap, -0.2 - 0.1, 1e-15);
    assert_near(distance_of(&near_cap).normal.z, 1.0, 1e-15);
}

static void equal_ways_out_are_called_ambiguous(void **state)
{
    (void)state;
    const dp_shape ball = sphere_shape(0.1);
    const placed_pair two_ways[] = {
        {ball, ball, pose_at(1.0, 2.0, 3.0), pose_at(1.0, 2.0, 3.0), 1.0},
        {ball, capsule_shape(0.2, 1.0), pose_at(0.0, 0.0, 0.5), pose_at(0.0, 0.0, 0.0), 1.0},
        {ball, cylinder_shape(1.0, 2.0), pose_at(0.0, 0.0, 0.5), pose_at(0.0, 0.0, 0.0), 1.0},
        {ball, cylinder_shape(1.0, 2.0), pose_at(0.5, 0.0, 1.5), pose_at(0.0, 0.0, 0.0), 1.0},
        {ball, ellipsoid_shape(1.0, 2.0, 3.0), pose_at(0.0, 0.5, 0.5), pose_at(0.0, 0.0, 0.0), 1.0},
        {ball, box_shape(1.0, 2.0, 3.0), pose_at(0.5, 1.5, 0.0), pose_at(0.0, 0.0, 0.0), 1.0},
        {ball, box_shape(1.0, 2.0, 3.0), pose_at(0.0, 0.5, 0.5), pose_at(0.0, 0.0, 0.0), 1.0},
        {box_shape(1.0, 1.0, 1.0), box_shape(0.5, 0.5, 0.5), pose_at(0.0, 0.0, 0.0),
         pose_at(0.3, 0.3, 0.0), 1.0},
        {capsule_shape(0.1, 0.3), box_shape(1.0, 1.0, 1.0), pose_at(0.5, 0.5, 0.0),
         pose_at(0.0, 0.0, 0.0), 1.0},
    };
    for (size_t i = 0; i < sizeof two_ways / sizeof *two_ways; ++i) {
        assert_true(distance_of(&two_ways[i]).ambiguous);
        placed_pair aside = two_ways[i];
        aside.X_WA.p = dp_v3_add(aside.X_WA.p, (dp_v3){1e-3, 2e-3, 3e-3});
        assert_false(distance_of(&aside).ambiguous);
    }
}

// A needle of 1 : 10⁴ and its tip, from which the distance along its axis is known.
static void a_ball_next_to_the_tip_of_a_needle_is_seen_exactly(void **state)
{
    (void)state;
    const dp_shape needle = ellipsoid_shape(1.0, 1e-4, 1e-4), ball = sphere_shape(1e-3);
    for (int i = 0; i <= 20; ++i) {
        const double outside = pow(10.0, -8.0 + 0.5 * i);
        const placed_pair p = {ball, needle, pose_at(1.0 + outside, 0.0, 0.0),
                               pose_at(0.0, 0.0, 0.0), 2.0 + outside};
        assert_near(distance_of(&p).gap, outside - 1e-3, 1e-15 * (2.0 + outside));
    }
}

static void beyond_the_limit_the_gap_is_at_least_a_bound(void **state)
{
    (void)state;
    random_source r = {6};
    int beyond = 0;
    for (int i = 0; i < 2000; ++i) {
        const int k = random_below(&r, NPAIR);
        const placed_pair p = draw_pair(&r, closed[k].a, closed[k].b, (shape_draw){1.0, 10.0});
        const dp_distance d = distance_of(&p);
        const double limit = random_between(&r, 0.0, 0.3);
        dp_distance e;
        assert_int_equal(dp_shapes_distance(&e, &p.a, p.X_WA, &p.b, p.X_WB, limit, NULL), DP_OK);
        if (e.outcome == DP_QUERY_OUTCOME_BEYOND) {
            assert_true(e.gap > limit && e.gap <= d.gap + 1e-14 * p.size);
            beyond++;
        } else {
            assert_true(d.gap <= limit && fabs(e.gap - d.gap) <= 1e-14 * p.size);
        }
    }
    assert_true(beyond > 100);
}

static void overlap_is_a_gap_that_is_not_positive(void **state)
{
    (void)state;
    random_source r = {7};
    for (int i = 0; i < 2000; ++i) {
        const int k = random_below(&r, NPAIR);
        const placed_pair p = draw_pair(&r, closed[k].a, closed[k].b, (shape_draw){1.0, 10.0});
        bool overlap;
        assert_int_equal(dp_shapes_overlap(&overlap, &p.a, p.X_WA, &p.b, p.X_WB), DP_OK);
        const double gap = distance_of(&p).gap;
        if (fabs(gap) > 1e-14 * p.size) {
            assert_true(overlap == (gap <= 0.0));
        }
    }
}

static void pairs_and_lengths_without_meaning_are_refused(void **state)
{
    (void)state;
    const dp_shape floor = plane_shape(), ball = sphere_shape(1.0);
    const dp_pose here = pose_at(0.0, 0.0, 0.0);
    dp_distance d;
    assert_int_equal(dp_shapes_distance(&d, &floor, here, &floor, here, 1.0, NULL),
                     DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "plane"));
    assert_int_equal(dp_shapes_distance(&d, &floor, here, &ball, here, -1.0, NULL),
                     DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "limit is -1"));
    assert_int_equal(dp_shapes_distance(&d, &floor, here, &ball, here, NAN, NULL),
                     DP_ERROR_ARGUMENT);
    dp_contact_point point[8];
    dp_contact_buffer buffer = {.point = point, .capacity = 8};
    assert_int_equal(dp_shapes_contacts(&buffer, &floor, here, &ball, here, -1.0, NULL),
                     DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "margin is -1"));
    dp_shape flat = ball;
    flat.size[0] = 0.0;
    assert_int_equal(dp_shapes_distance(&d, &floor, here, &flat, here, 1.0, NULL),
                     DP_ERROR_ARGUMENT);
    dp_pose nowhere = here;
    nowhere.p.y = NAN;
    assert_int_equal(dp_shapes_distance(&d, &floor, nowhere, &ball, here, 1.0, NULL),
                     DP_ERROR_ARGUMENT);
    bool overlap;
    const dp_shape hollow = {.kind = DP_GEOM_MESH};
    assert_int_equal(dp_shapes_overlap(&overlap, &hollow, here, &ball, here), DP_ERROR_ARGUMENT);
}

// The axes are parallel but for round-off, which must not choose the normal.
static void round_off_does_not_choose_the_normal_of_capsules_in_one_line(void **state)
{
    (void)state;
    random_source r = {17};
    const dp_shape a = capsule_shape(0.3, 0.5), b = capsule_shape(0.2, 0.8);
    for (int i = 0; i < 200; ++i) {
        double q[4], p[4];
        random_direction(q, 4, &r);
        for (int k = 0; k < 4; ++k) {
            p[k] = q[k] + 1e-16 * random_between(&r, -2.0, 2.0);
        }
        const dp_pose X = {dp_quat_load(q), {0.0, 0.0, 0.0}};
        dp_pose Y = {dp_quat_load(p), {0.0, 0.0, 0.0}};
        const dp_v3 u = dp_quat_rotate(X.q, (dp_v3){0.0, 0.0, 1.0});
        Y.p = dp_v3_scale(u, random_between(&r, -0.2, 0.2));
        dp_distance d;
        assert_int_equal(dp_shapes_distance(&d, &a, X, &b, Y, 1.0, NULL), DP_OK);
        assert_near(d.gap, -0.5, 1e-15);
        assert_near(dp_v3_dot(d.normal, u), 0.0, 1e-14);
        assert_true(d.ambiguous);
    }
}

// Faces in one plane whose common part is a sliver: the point must be in it.
static void faces_that_touch_in_a_sliver_share_the_point(void **state)
{
    (void)state;
    const dp_shape a = box_shape(1.0, 1.0, 1.0), b = box_shape(0.5, 0.5, 0.5);
    for (int i = 1; i < 40; ++i) {
        const double turn = 0.02 * i, deep = pow(10.0, -0.2 * i);
        // B upon A, turned about z: a corner of it reaches over the side x = 1 by `deep`.
        const double reach = 0.5 * (cos(turn) + sin(turn));
        const dp_pose X = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        const dp_pose Y = {{cos(0.5 * turn), 0.0, 0.0, sin(0.5 * turn)},
                           {1.0 + reach - deep, 0.3, 1.5}};
        dp_distance d;
        assert_int_equal(dp_shapes_distance(&d, &a, X, &b, Y, 1.0, NULL), DP_OK);
        assert_near(d.gap, 0.0, 1e-15);
        const dp_v3 x = dp_quat_rotate_back(Y.q, dp_v3_sub(d.point[1], Y.p));
        for (int k = 0; k < 2; ++k) {
            assert_true(fabs((&d.point[0].x)[k]) <= 1.0 + 1e-14);
            assert_true(fabs((&x.x)[k]) <= 0.5 + 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_closed_form_is_the_gap_by_definition),
        cmocka_unit_test(scales_and_long_thin_shapes_change_nothing),
        cmocka_unit_test(swapping_the_shapes_mirrors_every_bit),
        cmocka_unit_test(moving_both_shapes_along_changes_the_gap_by_round_off),
        cmocka_unit_test(the_normal_is_the_gradient_of_the_gap),
        cmocka_unit_test(crossed_capsules_part_along_their_common_perpendicular),
        cmocka_unit_test(capsules_in_one_line_part_sideways),
        cmocka_unit_test(a_ball_leaves_a_box_by_the_nearest_face),
        cmocka_unit_test(a_ball_leaves_a_cylinder_by_its_side_or_its_cap),
        cmocka_unit_test(equal_ways_out_are_called_ambiguous),
        cmocka_unit_test(a_ball_next_to_the_tip_of_a_needle_is_seen_exactly),
        cmocka_unit_test(beyond_the_limit_the_gap_is_at_least_a_bound),
        cmocka_unit_test(overlap_is_a_gap_that_is_not_positive),
        cmocka_unit_test(pairs_and_lengths_without_meaning_are_refused),
        cmocka_unit_test(round_off_does_not_choose_the_normal_of_capsules_in_one_line),
        cmocka_unit_test(faces_that_touch_in_a_sliver_share_the_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
