// Contact points of convex shapes: where they are, what they weigh, and that nothing jumps.
#include "collide/pair.h"
#include "math/angle.h"
#include "shape_parts.h"
#include "test_random.h"

#include <dashpot/base.h>

#include <math.h>
#include <string.h>

typedef struct touching {
    dp_shape a, b;
    dp_pose X_WA, X_WB;
} touching;

typedef struct manifold {
    dp_contact_point point[DP_PATCH_POINTS];
    int count;
} manifold;

static manifold contacts_of(const touching *t, double margin)
{
    manifold m;
    dp_contact_buffer buffer = {.point = m.point, .capacity = DP_PATCH_POINTS};
    assert_int_equal(dp_shapes_contacts(&buffer, &t->a, t->X_WA, &t->b, t->X_WB, margin, NULL),
                     DP_OK);
    m.count = buffer.count;
    return m;
}

static dp_distance distance_of(const touching *t)
{
    dp_distance d;
    assert_int_equal(dp_shapes_distance(&d, &t->a, t->X_WA, &t->b, t->X_WB, INFINITY, NULL), DP_OK);
    return d;
}

static const dp_v3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};

static dp_pose turned(dp_quat q, double x, double y, double z)
{
    return (dp_pose){q, {x, y, z}};
}

static double sum_of_weights(const manifold *m)
{
    double sum = 0.0;
    for (int i = 0; i < m->count; ++i) {
        sum += m->point[i].weight;
    }
    return sum;
}

static dp_v3 centre_of(const manifold *m)
{
    dp_v3 c = {0.0, 0.0, 0.0};
    for (int i = 0; i < m->count; ++i) {
        c = dp_v3_madd(c, m->point[i].weight, m->point[i].point);
    }
    return c;
}

static double deepest_of(const manifold *m, double none)
{
    double deepest = none;
    for (int i = 0; i < m->count; ++i) {
        deepest = fmin(deepest, m->point[i].gap);
    }
    return deepest;
}

// --- At rest

static void a_box_on_a_plane_rests_on_its_four_corners(void **state)
{
    (void)state;
    random_source r = {1};
    for (int k = 0; k < 200; ++k) {
        const double heading = random_between(&r, -3.0, 3.0), gap = random_between(&r, -1e-3, 1e-4);
        const touching t = {plane_shape(), box_shape(0.5, 0.3, 0.2), pose_at(0.0, 0.0, 0.0),
                            turned(dp_quat_about(Z, heading), 3.0, -2.0, 0.2 + gap)};
        const manifold m = contacts_of(&t, 1e-3);
        assert_int_equal(m.count, 4);
        assert_near(sum_of_weights(&m), 1.0, 1e-15);
        for (int i = 0; i < 4; ++i) {
            assert_near(m.point[i].gap, gap, 1e-15);
            assert_near(m.point[i].weight, 0.25, 1e-15);
            const dp_v3 x = dp_quat_rotate_back(t.X_WB.q, dp_v3_sub(m.point[i].point, t.X_WB.p));
            assert_near(fabs(x.x), 0.5, 1e-15);
            assert_near(fabs(x.y), 0.3, 1e-15);
            assert_near(x.z, -0.2 - 0.5 * gap, 1e-15); // midway
        }
    }
}

// Area and centroid of what a rectangle at a heading shares with the square |x|, |y| ≤ 1, by
// strips: exact in y, midpoint rule in x.
static dp_v3 common_centroid(dp_pose X_WB, double a, double b)
{
    enum { STRIPS = 4000 };
    double area = 0.0, cx = 0.0, cy = 0.0;
    for (int i = 0; i < STRIPS; ++i) {
        const double x = -1.0 + (i + 0.5) * (2.0 / STRIPS);
        double low = -1.0, high = 1.0;
        for (int side = 0; side < 4; ++side) {
            const dp_v3 n = dp_quat_rotate(X_WB.q, side < 2 ? X : Y);
            const double sign = side % 2 ? 1.0 : -1.0, h = side < 2 ? a : b;
            // sign·n·((x, y) − p) ≤ h
            const double rest = h - sign * (n.x * (x - X_WB.p.x) - n.y * X_WB.p.y);
            const double slope = sign * n.y;
            if (slope > 0.0) {
                high = fmin(high, rest / slope);
            } else if (slope < 0.0) {
                low = fmax(low, rest / slope);
            } else if (rest < 0.0) {
                high = low;
            }
        }
        const double width = fmax(high - low, 0.0);
        area += width;
        cx += width * x;
        cy += width * 0.5 * (low + high);
    }
    return (dp_v3){cx / area, cy / area, area};
}

static void a_box_on_a_box_is_held_at_the_centroid_of_the_common_area(void **state)
{
    (void)state;
    random_source r = {2};
    for (int k = 0; k < 100; ++k) {
        const double y = random_between(&r, -1.0, 1.0), x = random_between(&r, -1.0, 1.0);
        const dp_quat heading = dp_quat_about(Z, random_between(&r, -3.0, 3.0));
        const touching t = {box_shape(1.0, 1.0, 0.5), box_shape(0.7, 0.4, 0.2),
                            pose_at(0.0, 0.0, 0.0), turned(heading, x, y, 0.7 - 1e-4)};
        const manifold m = contacts_of(&t, 1e-3);
        const dp_v3 truth = common_centroid(t.X_WB, 0.7, 0.4);
        const dp_v3 c = centre_of(&m);
        assert_true(m.count >= 3 && m.count <= 8);
        assert_near(sum_of_weights(&m), 1.0, 1e-15 * 4.0);
        for (int i = 0; i < m.count; ++i) {
            assert_near(m.point[i].gap, -1e-4, 1e-15);
            assert_true(m.point[i].weight > 0.0);
        }
        // The midpoint rule is off by a strip's width squared at each corner; no draw is a sliver.
        assert_near(c.x, truth.x, 1e-5);
        assert_near(c.y, truth.y, 1e-5);
    }
}

// Poses off by 1e-12: gaps and points change by as much, and nothing else does.
static void a_hairs_breadth_changes_neither_count_nor_features(void **state)
{
    (void)state;
    random_source r = {3};
    const dp_shape base[] = {plane_shape(), box_shape(1.0, 1.0, 0.5), box_shape(0.5, 0.3, 0.2)};
    const double top[] = {0.0, 0.5, 0.2};
    for (int k = 0; k < 600; ++k) {
        const int which = k % 3;
        // on the third, of the same size, all edges lie on each other
        const double heading = which == 2 ? 0.0 : random_between(&r, -3.0, 3.0);
        const touching t = {base[which], box_shape(0.5, 0.3, 0.2), pose_at(0.0, 0.0, 0.0),
                            turned(dp_quat_about(Z, heading), 0.0, 0.0, top[which] + 0.2 - 1e-5)};
        const manifold m = contacts_of(&t, 1e-3);
        double axis[3];
        random_direction(axis, 3, &r);
        touching moved = t;
        moved.X_WB.q = dp_quat_mul(dp_quat_about(dp_v3_load(axis), 1e-12), t.X_WB.q);
        random_direction(axis, 3, &r);
        moved.X_WB.p = dp_v3_madd(t.X_WB.p, 1e-12, dp_v3_load(axis));
        const manifold n = contacts_of(&moved, 1e-3);
        assert_int_equal(m.count, 4);
        assert_int_equal(n.count, 4);
        for (int i = 0; i < 4; ++i) {
            assert_true(m.point[i].feature == n.point[i].feature);
            assert_near(n.point[i].gap, m.point[i].gap, 3e-12);
            assert_near(n.point[i].weight, m.point[i].weight, 3e-11);
            assert_true(dp_v3_norm(dp_v3_sub(n.point[i].point, m.point[i].point)) <= 3e-12);
        }
    }
}

static void features_tell_the_corners_apart_and_stay_with_them(void **state)
{
    (void)state;
    touching t = {box_shape(1.0, 1.0, 0.5), box_shape(0.5, 0.3, 0.2), pose_at(0.0, 0.0, 0.0),
                  turned(dp_quat_about(Z, 0.3), 0.6, 0.0, 0.7 - 1e-4)};
    const manifold m = contacts_of(&t, 1e-3);
    t.X_WB.p.x += 0.01;
    const manifold n = contacts_of(&t, 1e-3);
    assert_int_equal(m.count, n.count);
    for (int i = 0; i < m.count; ++i) {
        assert_true(m.point[i].feature == n.point[i].feature);
        for (int k = 0; k < i; ++k) {
            assert_true(m.point[i].feature != m.point[k].feature);
        }
    }
}

static void a_cylinder_stands_on_six_points_of_its_rim(void **state)
{
    (void)state;
    const dp_shape base[] = {plane_shape(), box_shape(1.0, 1.0, 0.5)};
    const double top[] = {0.0, 0.5};
    for (int which = 0; which < 2; ++which) {
        const touching t = {base[which], cylinder_shape(0.3, 0.4), pose_at(0.0, 0.0, 0.0),
                            turned(dp_quat_about(Z, 0.2), 0.1, 0.2, top[which] + 0.4 - 1e-4)};
        const manifold m = contacts_of(&t, 1e-3);
        assert_int_equal(m.count, 6);
        for (int i = 0; i < 6; ++i) {
            assert_near(m.point[i].gap, -1e-4, 1e-15);
            assert_near(m.point[i].weight, 1.0 / 6.0, 1e-12);
            assert_near(hypot(m.point[i].point.x - 0.1, m.point[i].point.y - 0.2), 0.3, 1e-14);
        }
    }
}

static void capsules_and_cylinders_lie_on_two_points(void **state)
{
    (void)state;
    const dp_shape lying[] = {capsule_shape(0.2, 0.6), cylinder_shape(0.2, 0.6)};
    const dp_shape base[] = {plane_shape(), box_shape(1.0, 0.4, 0.5), cylinder_shape(2.0, 0.5)};
    const double top[] = {0.0, 0.5, 0.5}, end[] = {0.6, 0.4, 0.6};
    for (int k = 0; k < 6; ++k) {
        const int b = k / 2;
        const touching t = {base[b], lying[k % 2], pose_at(0.0, 0.0, 0.0),
                            turned(dp_quat_about(X, 0.5 * DP_PI), 0.0, 0.0, top[b] + 0.2 - 1e-4)};
        const manifold m = contacts_of(&t, 1e-3);
        assert_int_equal(m.count, 2);
        for (int i = 0; i < 2; ++i) {
            assert_near(m.point[i].gap, -1e-4, 1e-15);
            assert_near(m.point[i].weight, 0.5, 1e-9);
            assert_near(fabs(m.point[i].point.y), end[b], 1e-9);
        }
    }
}

static void parallel_capsules_touch_along_their_common_length(void **state)
{
    (void)state;
    const touching t = {capsule_shape(0.2, 0.6), capsule_shape(0.1, 0.5), pose_at(0.0, 0.0, 0.0),
                        pose_at(0.3 - 1e-4, 0.0, 0.4)};
    const manifold m = contacts_of(&t, 1e-3);
    assert_int_equal(m.count, 2);
    assert_near(m.point[0].point.z, -0.1, 1e-15);
    assert_near(m.point[1].point.z, 0.6, 1e-15);
    assert_near(m.point[0].gap, -1e-4, 1e-15);
    assert_near(m.point[1].weight, 0.5, 1e-15);
}

static void round_shapes_touch_in_one_point(void **state)
{
    (void)state;
    const dp_shape round[] = {sphere_shape(0.2), ellipsoid_shape(0.3, 0.4, 0.2)};
    const dp_shape other[] = {plane_shape(), box_shape(1.0, 1.0, 0.5)};
    const double top[] = {0.0, 0.5};
    for (int k = 0; k < 4; ++k) {
        const touching t = {other[k / 2], round[k % 2], pose_at(0.0, 0.0, 0.0),
                            pose_at(0.1, 0.2, top[k / 2] + 0.2 - 1e-4)};
        const manifold m = contacts_of(&t, 1e-3);
        assert_int_equal(m.count, 1);
        assert_near(m.point[0].gap, -1e-4, 1e-12);
        assert_true(m.point[0].weight == 1.0);
    }
}

static void a_sphere_touches_midway_between_the_nearest_points(void **state)
{
    (void)state;
    const dp_shape other[] = {cylinder_shape(0.3, 0.5), box_shape(0.3, 0.3, 0.5)};
    const dp_v3 at[] = {{0.45, 0.1, 0.2}, {0.1, 0.05, -0.65}, {0.4, 0.1, 0.6}, {0.55, 0.0, 0.0}};
    for (int k = 0; k < 8; ++k) { // beside, below, over the rim, apart
        const dp_v3 p = at[k / 2];
        const touching t = {sphere_shape(0.2), other[k % 2], pose_at(p.x, p.y, p.z),
                            pose_at(0.0, 0.0, 0.0)};
        const dp_distance d = distance_of(&t);
        const manifold m = contacts_of(&t, 0.1);
        assert_int_equal(m.count, 1);
        const dp_v3 middle = dp_v3_scale(dp_v3_add(d.point[0], d.point[1]), 0.5);
        assert_near(dp_v3_norm(dp_v3_sub(m.point[0].point, middle)), 0.0, 1e-15);
        assert_near(dp_v3_norm(dp_v3_sub(m.point[0].normal, d.normal)), 0.0, 1e-15);
        assert_true(m.point[0].gap == d.gap && m.point[0].weight == 1.0);
    }
}

static void two_edges_cross_in_one_point(void **state)
{
    (void)state;
    // Both on edge, one along x, the other along y.
    const double reach = 0.5 * sqrt(2.0);
    const touching t = {box_shape(1.0, 0.5, 0.5), box_shape(0.5, 1.0, 0.5),
                        turned(dp_quat_about(X, 0.25 * DP_PI), 0.0, 0.0, 0.0),
                        turned(dp_quat_about(Y, 0.25 * DP_PI), 0.2, 0.1, 2.0 * reach - 1e-4)};
    const manifold m = contacts_of(&t, 1e-3);
    assert_int_equal(m.count, 1);
    assert_near(m.point[0].gap, -1e-4, 1e-14);
    assert_near(m.point[0].point.x, 0.2, 1e-14);
    assert_near(m.point[0].point.y, 0.0 + 0.0, 1e-14);
    assert_near(m.point[0].normal.z, 1.0, 1e-14);
}

// --- What holds for every pair

static touching draw_touching(random_source *r)
{
    const dp_geom_kind kinds[] = {DP_GEOM_PLANE,    DP_GEOM_SPHERE,    DP_GEOM_CAPSULE,
                                  DP_GEOM_CYLINDER, DP_GEOM_ELLIPSOID, DP_GEOM_BOX};
    const int ka = random_below(r, 6), kb = 1 + random_below(r, 5);
    const shape_draw how = {1.0, 5.0};
    touching t = {draw_shape(r, kinds[ka], how),
                  draw_shape(r, kinds[kb], how),
                  {draw_rotation(r), {0.0, 0.0, 0.0}},
                  {draw_rotation(r), {0.0, 0.0, 0.0}}};
    double d[3];
    random_direction(d, 3, r);
    t.X_WB.p = dp_v3_scale(dp_v3_load(d), 3.0);
    // Bring B up to a gap around zero.
    for (int k = 0; k < 20; ++k) {
        const dp_distance apart = distance_of(&t);
        const double wanted = random_between(r, -0.02, 0.01);
        t.X_WB.p = dp_v3_madd(t.X_WB.p, 0.9 * (wanted - apart.gap), apart.normal);
    }
    return t;
}

static void the_deepest_point_is_as_deep_as_the_pair(void **state)
{
    (void)state;
    random_source r = {4};
    for (int k = 0; k < 2000; ++k) {
        const touching t = draw_touching(&r);
        const dp_distance d = distance_of(&t);
        const manifold m = contacts_of(&t, 0.02);
        if (d.gap >= 0.02 - 1e-9) {
            continue;
        }
        assert_true(m.count >= 1);
        assert_near(deepest_of(&m, INFINITY), d.gap, 1e-12);
        assert_near(sum_of_weights(&m), 1.0, 1e-14);
        for (int i = 0; i < m.count; ++i) {
            assert_true(m.point[i].gap < 0.02 && m.point[i].weight >= 0.0);
            assert_int_equal(m.point[i].patch, 0);
        }
    }
}

static void swapped_shapes_have_mirrored_points(void **state)
{
    (void)state;
    random_source r = {5};
    for (int k = 0; k < 2000; ++k) {
        const touching t = draw_touching(&r), u = {t.b, t.a, t.X_WB, t.X_WA};
        const manifold m = contacts_of(&t, 0.02), n = contacts_of(&u, 0.02);
        assert_int_equal(m.count, n.count);
        for (int i = 0; i < m.count; ++i) {
            const dp_contact_point *p = &m.point[i], *q = &n.point[i];
            assert_true(p->point.x == q->point.x && p->point.y == q->point.y &&
                        p->point.z == q->point.z);
            assert_true(p->normal.x == -q->normal.x && p->normal.z == -q->normal.z);
            assert_true(p->gap == q->gap && p->weight == q->weight);
            assert_true(p->feature == (q->feature << 32 | q->feature >> 32));
        }
    }
}

static void a_buffer_that_is_too_small_is_left_alone(void **state)
{
    (void)state;
    const dp_shape floor = plane_shape(), box = box_shape(0.5, 0.3, 0.2);
    dp_contact_point point[5];
    dp_contact_buffer buffer = {.point = point, .count = 2, .capacity = 5};
    assert_int_equal(dp_shapes_contacts(&buffer, &floor, pose_at(0.0, 0.0, 0.0), &box,
                                        pose_at(0.0, 0.0, 0.2), 1e-3, NULL),
                     DP_ERROR_CAPACITY);
    assert_non_null(strstr(dp_last_error(), "6"));
    assert_int_equal(buffer.count, 2);
}

static void points_further_than_the_margin_are_left_out(void **state)
{
    (void)state;
    touching t = {plane_shape(), box_shape(0.5, 0.3, 0.2), pose_at(0.0, 0.0, 0.0),
                  pose_at(0.0, 0.0, 0.2 + 2e-3)};
    assert_int_equal(contacts_of(&t, 1e-3).count, 0);
    assert_int_equal(contacts_of(&t, 3e-3).count, 4);
    assert_int_equal(contacts_of(&t, 0.0).count, 0);
    // tilted by 0.01: two corners are 0.01 higher than the others
    t.X_WB = turned(dp_quat_about(Y, 0.01), 0.0, 0.0, 0.2 + 0.005 - 1e-4);
    assert_int_equal(contacts_of(&t, 1e-3).count, 2);
    assert_int_equal(contacts_of(&t, 2e-2).count, 4);
}

// --- Motions

// What an overlap of unit stiffness does.
typedef struct push {
    double deepest, force;
    dp_v3 moment;
} push;

static push push_of(const manifold *m, double margin)
{
    push s = {deepest_of(m, margin), 0.0, {0.0, 0.0, 0.0}};
    for (int i = 0; i < m->count; ++i) {
        const double f = m->point[i].weight * fmax(-m->point[i].gap, 0.0);
        s.force += f;
        s.moment = dp_v3_madd(s.moment, f, dp_v3_cross(m->point[i].point, m->point[i].normal));
    }
    return s;
}

// Within `by`, and what is handed on within eight times as much.
static void assert_pushes_near(const push *a, const push *b, double by)
{
    assert_near(a->deepest, b->deepest, by);
    assert_near(a->force, b->force, 8.0 * by);
    assert_near(a->moment.x, b->moment.x, 8.0 * by);
    assert_near(a->moment.y, b->moment.y, 8.0 * by);
    assert_near(a->moment.z, b->moment.z, 8.0 * by);
}

#define OVERLAP 0.01
#define MARGIN 0.005

// B at this attitude, lowered on to a floor at z = `top`.
static dp_pose lowered(const dp_shape *b, dp_quat q, double x, double y, double top)
{
    const touching t = {plane_shape(), *b, pose_at(0.0, 0.0, 0.0), {q, {0.0, 0.0, 0.0}}};
    return (dp_pose){q, {x, y, top - distance_of(&t).gap - OVERLAP}};
}

static touching box_slides_over_an_edge(double t)
{
    return (touching){box_shape(1.0, 1.0, 0.5), box_shape(0.5, 0.3, 0.2), pose_at(0.0, 0.0, 0.0),
                      turned(dp_quat_about(Z, 0.3), 1.45 * t, 0.8, 0.7 - OVERLAP)};
}

static touching box_turns_on_its_equal(double t)
{
    return (touching){box_shape(0.5, 0.5, 0.5), box_shape(0.5, 0.5, 0.5), pose_at(0.0, 0.0, 0.0),
                      turned(dp_quat_about(Z, t), 0.0, 0.0, 1.0 - OVERLAP)};
}

static dp_quat face_edge_corner(double t)
{
    return t < 0.5
               ? dp_quat_about(X, 0.5 * DP_PI * t)
               : dp_quat_mul(dp_quat_about(Y, DP_PI * (t - 0.5)), dp_quat_about(X, 0.25 * DP_PI));
}

static touching box_tilts_on_a_plane(double t)
{
    const dp_shape b = box_shape(0.5, 0.3, 0.2);
    return (touching){plane_shape(), b, pose_at(0.0, 0.0, 0.0),
                      lowered(&b, face_edge_corner(t), 0.0, 0.0, 0.0)};
}

static touching box_tilts_on_a_box(double t)
{
    const dp_shape b = box_shape(0.5, 0.3, 0.2);
    return (touching){box_shape(1.0, 1.5, 0.5), b, pose_at(0.0, 0.0, 0.0),
                      lowered(&b, face_edge_corner(t), 0.3, 0.2, 0.5)};
}

static touching cylinder_from_cap_to_side(double t)
{
    const dp_shape b = cylinder_shape(0.3, 0.4);
    const dp_quat q =
        dp_quat_mul(dp_quat_about(Y, 0.5 * DP_PI * t), dp_quat_about(Z, 0.3 + 0.5 * t));
    return (touching){box_shape(1.0, 1.5, 0.5), b, pose_at(0.0, 0.0, 0.0),
                      lowered(&b, q, 0.1, 0.2, 0.5)};
}

// Around the edge x = 1, z = 0.5, first on the top, then down the side.
static touching roll_over_an_edge(dp_shape b, double skew, double t)
{
    const double s = -0.5 + 1.5 * t, r = b.size[0] - OVERLAP;
    dp_v3 p;
    if (s < 0.0) {
        p = (dp_v3){1.0 + s, 0.3, 0.5 + r};
    } else {
        const double angle = fmin(s / b.size[0], 0.5 * DP_PI);
        p = (dp_v3){1.0 + r * sin(angle), 0.3,
                    0.5 + r * cos(angle) - fmax(s - 0.5 * DP_PI * b.size[0], 0.0)};
    }
    const dp_quat q = dp_quat_mul(dp_quat_about(Z, skew), dp_quat_about(X, 0.5 * DP_PI));
    return (touching){box_shape(1.0, 1.0, 0.5), b, pose_at(0.0, 0.0, 0.0), {q, p}};
}

static touching capsule_rolls_over_an_edge(double t)
{
    return roll_over_an_edge(capsule_shape(0.2, 0.6), 0.0, t);
}

static touching capsule_rolls_askew_by_a_little(double t)
{
    return roll_over_an_edge(capsule_shape(0.2, 0.6), 1e-6, t);
}

static touching capsule_rolls_askew(double t)
{
    return roll_over_an_edge(capsule_shape(0.2, 0.6), 0.02, t);
}

static touching capsule_turns_on_a_capsule(double t)
{
    const dp_quat lying = dp_quat_about(X, 0.5 * DP_PI);
    return (touching){
        capsule_shape(0.2, 0.6), capsule_shape(0.15, 0.5), turned(lying, 0.0, 0.0, 0.0),
        turned(dp_quat_mul(dp_quat_about(Z, DP_PI * t), lying), 0.01, 0.1, 0.35 - OVERLAP)};
}

static touching capsule_falls_over(double t)
{
    const dp_shape b = capsule_shape(0.15, 0.5);
    return (touching){box_shape(1.0, 1.5, 0.5), b, pose_at(0.0, 0.0, 0.0),
                      lowered(&b, dp_quat_about(Y, DP_PI * t), 0.0, 0.1, 0.5)};
}

// In a step of 5e-5 the shapes move by about as much. A corner that rises by the margin hands the
// force of the overlap on to others: force and moment then change at the rate overlap/margin times
// lengths of up to a metre, here a few units. Any jump would be as large as the overlap itself,
// 1e-2.
static void force_and_moment_of_an_overlap_do_not_jump(void **state)
{
    (void)state;
    touching (*const motion[])(double) = {
        box_slides_over_an_edge,
        box_turns_on_its_equal,
        box_tilts_on_a_plane,
        box_tilts_on_a_box,
        cylinder_from_cap_to_side,
        capsule_rolls_over_an_edge,
        capsule_rolls_askew_by_a_little,
        capsule_rolls_askew,
        capsule_turns_on_a_capsule,
        capsule_falls_over,
    };
    enum { STEPS = 20000 };
    for (size_t k = 0; k < sizeof motion / sizeof *motion; ++k) {
        push last = {0};
        for (int i = 0; i <= STEPS; ++i) {
            const touching t = motion[k]((double)i / STEPS);
            const manifold m = contacts_of(&t, MARGIN);
            const push now = push_of(&m, MARGIN);
            assert_true(m.count > 0);
            if (i > 0) {
                assert_pushes_near(&now, &last, 1.0 / STEPS);
            }
            last = now;
        }
    }
}

// A box whose bottom is two faces with a ridge of 1.5° between them, and rocks over it; of the
// forces of springs no more than a share changes hands in a step of 2e-5 rad.
static void a_hull_rocks_from_face_to_face_without_a_jump(void **state)
{
    (void)state;
    static const double ROOF[] = {0.5, 0.0,    -0.2, -0.5, 0.0,    -0.2, 0.5,  0.3,    -0.196, -0.5,
                                  0.3, -0.196, 0.5,  -0.3, -0.196, -0.5, -0.3, -0.196, 0.5,    0.3,
                                  0.2, -0.5,   0.3,  0.2,  0.5,    -0.3, 0.2,  -0.5,   -0.3,   0.2};
    dp_hull *hull;
    assert_int_equal(dp_hull_create(&hull, ROOF, 10, NULL), DP_OK);
    const dp_shape roof = {.kind = DP_GEOM_MESH, .hull = hull};
    const dp_shape floor = box_shape(1.0, 1.5, 0.5);
    enum { STEPS = 20000 };
    push last = {0};
    for (int i = 0; i <= STEPS; ++i) {
        const dp_quat q =
            dp_quat_mul(dp_quat_about(X, 0.2 - 0.4 * i / STEPS), dp_quat_about(Y, 0.003));
        const touching t = {floor, roof, pose_at(0.0, 0.0, 0.0), lowered(&roof, q, 0.1, 0.2, 0.5)};
        const manifold m = contacts_of(&t, MARGIN);
        const push now = push_of(&m, MARGIN);
        assert_true(m.count > 0);
        if (i > 0) {
            assert_pushes_near(&now, &last, 1.0 / STEPS);
        }
        last = now;
    }
    dp_hull_destroy(hull);
}

static bool has_point_at(const manifold *m, dp_v3 vertex, double top)
{
    for (int i = 0; i < m->count; ++i) {
        const dp_v3 x = m->point[i].point;
        if (fabs(x.x - vertex.x) < 1e-9 && fabs(x.y - vertex.y) < 1e-9 &&
            fabs(m->point[i].gap - (vertex.z - top)) < 1e-9 && m->point[i].weight > 0.0) {
            return true;
        }
    }
    return false;
}

// A flat tetrahedron: below it has two faces, a large one and a small one, 1° from each other. At
// any attitude near level all of its corners are deep in the floor, whichever face is the flattest.
static void corners_of_nearly_level_faces_that_are_deep_have_contacts(void **state)
{
    (void)state;
    static const double FLAT[] = {0.27, -0.28, -0.144, -0.2,  0.26,   -0.12,
                                  -0.3, -0.23, 0.14,   0.205, -0.355, -0.076};
    dp_hull *hull;
    assert_int_equal(dp_hull_create(&hull, FLAT, 4, NULL), DP_OK);
    const dp_shape flat = {.kind = DP_GEOM_MESH, .hull = hull};
    const dp_shape floor[2] = {box_shape(1.0, 1.5, 0.5), plane_shape()};
    const dp_v3 p[3] = {dp_v3_load(FLAT), dp_v3_load(FLAT + 3), dp_v3_load(FLAT + 6)};
    const dp_v3 n = dp_v3_cross(dp_v3_sub(p[1], p[0]), dp_v3_sub(p[2], p[0]));
    const dp_quat level = dp_quat_mul(dp_quat_about(Y, -atan2(n.x, hypot(n.y, n.z))),
                                      dp_quat_about(X, atan2(n.y, n.z)));
    for (int i = -5; i <= 5; ++i) {
        for (int k = -5; k <= 5; ++k) {
            const dp_quat tilt =
                dp_quat_mul(dp_quat_about(X, 2e-3 * i), dp_quat_about(Y, 2e-3 * k));
            const dp_quat q = dp_quat_mul(tilt, level);
            for (int on = 0; on < 2; ++on) {
                const double top = on == 0 ? 0.5 : 0.0;
                const touching t = {floor[on], flat, pose_at(0.0, 0.0, 0.0),
                                    lowered(&flat, q, 0.1, 0.2, top - 0.01)};
                const manifold m = contacts_of(&t, MARGIN);
                for (int v = 0; v < 4; ++v) {
                    const dp_v3 x =
                        dp_v3_add(t.X_WB.p, dp_quat_rotate(q, dp_v3_load(FLAT + 3 * (size_t)v)));
                    assert_true(x.z < top);
                    assert_true(has_point_at(&m, x, top));
                }
            }
        }
    }
    dp_hull_destroy(hull);
}

// Until only their rims overlap, by 4 % of the radius: polygons of twelve corners do not meet any
// more. Steps are of 5e-7; from the corner where the polygons meet to where the rims do are 5e-2,
// so that a jump of the moment would be 5e-4.
static void a_cap_that_slides_off_a_cap_is_held_by_the_rims_in_the_end(void **state)
{
    (void)state;
    const dp_shape a = cylinder_shape(0.3, 0.4);
    enum { STEPS = 20000 };
    push last = {0};
    for (int i = 0; i <= STEPS; ++i) {
        const touching t = {
            a, a, turned(dp_quat_about(Z, DP_PI / 12.0), 0.0, 0.0, 0.0),
            turned(dp_quat_about(Z, DP_PI / 9.0), 0.578 + 0.01 * i / STEPS, 0.0, 0.8 - OVERLAP)};
        const manifold m = contacts_of(&t, MARGIN);
        const push now = push_of(&m, MARGIN);
        assert_true(m.count > 0);
        if (i > 0) {
            assert_pushes_near(&now, &last, 1e-6);
        }
        last = now;
    }
}

// A vertex of a prism of 24 sides lies in the line on the side of a capsule that runs nearly along
// the rim. Round-off says which of the two edges at the vertex cuts the line.
static void a_capsule_over_a_vertex_does_not_flicker(void **state)
{
    (void)state;
    double prism[3 * 48];
    for (int i = 0; i < 48; ++i) {
        const double angle = DP_PI / 12.0 * (i / 2);
        dp_v3_store(prism + 3 * i, (dp_v3){0.5 * cos(angle), 0.5 * sin(angle), i % 2 ? 0.2 : -0.2});
    }
    dp_hull *hull;
    assert_int_equal(dp_hull_create(&hull, prism, 48, NULL), DP_OK);
    const dp_shape below = {.kind = DP_GEOM_MESH, .hull = hull};
    random_source r = {5};
    const dp_v3 out = {0.3, 0.0, sqrt(1.0 - 0.09)}, down = {out.z, 0.0, -out.x};
    for (int i = 0; i < 200; ++i) {
        const double askew = random_between(&r, -0.3, 0.3);
        const dp_v3 axis = dp_v3_madd(dp_v3_scale(Y, cos(askew)), sin(askew), down);
        const dp_v3 turn = dp_v3_cross(Z, axis);
        const dp_quat q = dp_quat_about(dp_v3_scale(turn, 1.0 / dp_v3_norm(turn)), acos(axis.z));
        touching t = {below, capsule_shape(0.2, 0.4), pose_at(0.0, 0.0, 0.0),
                      turned(q, 0.5 + 0.199 * out.x, 0.0, 0.2 + 0.199 * out.z)};
        const manifold m = contacts_of(&t, MARGIN);
        const push first = push_of(&m, MARGIN);
        for (int k = 0; k < 20; ++k) {
            t.X_WB.p.x += random_between(&r, -1e-13, 1e-13);
            t.X_WB.p.y += random_between(&r, -1e-13, 1e-13);
            const manifold again = contacts_of(&t, MARGIN);
            const push now = push_of(&again, MARGIN);
            assert_pushes_near(&now, &first, 1e-10);
        }
    }
    dp_hull_destroy(hull);
}

// Triangles above a plane have a way of their own, and the vertex that was lowest before is tried
// first; what all faces take is another route to the same points.
static void a_hull_that_rolls_on_a_plane_is_held_as_by_any_face(void **state)
{
    (void)state;
    random_source r = {6};
    double vertex[3 * 24];
    for (int i = 0; i < 24; ++i) {
        random_direction(vertex + 3 * i, 3, &r);
        vertex[3 * i] *= 0.4;
        vertex[3 * i + 1] *= 0.6;
    }
    dp_hull *hull;
    assert_int_equal(dp_hull_create(&hull, vertex, 24, NULL), DP_OK);
    const dp_shape roller = {.kind = DP_GEOM_MESH, .hull = hull}, floor = plane_shape();
    dp_pair_memory memory = {.count = 0};
    dp_quat q = {1.0, 0.0, 0.0, 0.0};
    dp_v3 axis = X;
    int several = 0;
    for (int i = 0; i < 5000; ++i) {
        if (i % 50 == 0) {
            double x[3];
            random_direction(x, 3, &r);
            axis = dp_v3_load(x);
        }
        q = dp_quat_unit(dp_quat_mul(dp_quat_about(axis, i % 50 == 0 ? 1.0 : 0.01), q));
        const touching t = {floor, roller, turned(dp_quat_about(X, 0.4), 0.1, 0.2, 0.3),
                            turned(q, 0.5, -0.2, 0.6 + 0.3 * sin(0.01 * i))};
        manifold m, other;
        dp_contact_buffer buffer = {.point = m.point, .capacity = DP_PATCH_POINTS};
        assert_int_equal(dp_shapes_contacts(&buffer, &t.a, t.X_WA, &t.b, t.X_WB, MARGIN, &memory),
                         DP_OK);
        const dp_placed a = dp_place(&t.a, t.X_WA), b = dp_place(&t.b, t.X_WB);
        const dp_distance d = distance_of(&t);
        dp_contact_buffer by_faces = {.point = other.point, .capacity = DP_PATCH_POINTS};
        assert_int_equal(dp_convex_contacts(&by_faces, &a, &b, &d, MARGIN), DP_OK);
        assert_int_equal(buffer.count, by_faces.count);
        several += buffer.count > 1;
        for (int k = 0; k < buffer.count; ++k) { // round-off of sums of a few numbers below 1
            assert_near(m.point[k].gap, other.point[k].gap, 1e-14);
            assert_near(m.point[k].weight, other.point[k].weight, 1e-12);
            const dp_v3 off = dp_v3_sub(m.point[k].point, other.point[k].point);
            assert_near(dp_v3_norm(off), 0.0, 1e-14);
            assert_true(m.point[k].feature == other.point[k].feature);
        }
    }
    assert_true(several > 500);
    dp_hull_destroy(hull);
}

static void a_cylinder_that_stands_on_a_plane_is_held_as_by_any_face(void **state)
{
    (void)state;
    random_source r = {41};
    const dp_shape floor = plane_shape();
    int standing = 0;
    for (int i = 0; i < 5000; ++i) {
        const double radius = random_between(&r, 0.1, 1.0), half = random_between(&r, 0.1, 1.0);
        const dp_shape can = cylinder_shape(radius, half);
        const double lean = i % 3 == 0 ? 0.0 : random_between(&r, 1e-4, i % 3 == 1 ? 1e-3 : 0.12);
        const dp_quat up = dp_quat_about(Z, random_between(&r, -3.0, 3.0));
        const dp_quat down = dp_quat_about(X, i % 2 == 0 ? 0.0 : DP_PI);
        const dp_quat q = dp_quat_mul(dp_quat_about(Y, lean), dp_quat_mul(up, down));
        const dp_quat tilted = dp_quat_about(X, 0.4);
        const dp_v3 n = dp_quat_rotate(tilted, Z);
        const dp_v3 p = dp_v3_scale(n, half + random_between(&r, -0.03, 0.03));
        const touching t = {floor, can, turned(tilted, 0.1, 0.2, 0.3),
                            turned(dp_quat_mul(tilted, q), 0.1 + p.x, 0.2 + p.y, 0.3 + p.z)};
        const manifold m = contacts_of(&t, MARGIN);
        manifold other;
        const dp_placed a = dp_place(&t.a, t.X_WA), b = dp_place(&t.b, t.X_WB);
        const dp_distance d = distance_of(&t);
        dp_contact_buffer by_faces = {.point = other.point, .capacity = DP_PATCH_POINTS};
        assert_int_equal(dp_convex_contacts(&by_faces, &a, &b, &d, MARGIN), DP_OK);
        assert_int_equal(m.count, by_faces.count);
        standing += m.count >= 6;
        for (int k = 0; k < m.count; ++k) { // round-off of sums of a few numbers of about 1
            assert_near(m.point[k].gap, other.point[k].gap, 1e-14);
            // Of what is missed, by the length over which it counts, 1e-3 m at least.
            assert_near(m.point[k].weight, other.point[k].weight, 1e-10);
            const dp_v3 off = dp_v3_sub(m.point[k].point, other.point[k].point);
            assert_near(dp_v3_norm(off), 0.0, 1e-14);
            assert_true(m.point[k].feature == other.point[k].feature);
        }
    }
    assert_true(standing > 1000);
}

// A tilted disc of radius r and half height l touches with height z − r sin θ − l cos θ whatever
// its turn about its own axis.
static void a_coin_that_rolls_on_its_rim_sees_a_smooth_floor(void **state)
{
    (void)state;
    const double r = 0.3, l = 0.02;
    const double tilt[] = {1e-3, 0.05, 0.3, 0.8, 1.4};
    const dp_shape floor[] = {plane_shape(), box_shape(2.0, 2.0, 1.0)};
    for (int k = 0; k < 10; ++k) {
        const double theta = tilt[k / 2], top = k % 2 ? 1.0 : 0.0;
        const double z = r * sin(theta) + l * cos(theta) - 1e-4;
        for (int i = 0; i < 1000; ++i) {
            const dp_quat q =
                dp_quat_mul(dp_quat_about(Y, theta), dp_quat_about(Z, 2e-3 * DP_PI * i));
            const touching t = {floor[k % 2], cylinder_shape(r, l), pose_at(0.0, 0.0, 0.0),
                                turned(q, 0.1, 0.2, top + z)};
            const manifold m = contacts_of(&t, 1e-3);
            assert_near(deepest_of(&m, INFINITY), -1e-4, 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_on_a_plane_rests_on_its_four_corners),
        cmocka_unit_test(a_box_on_a_box_is_held_at_the_centroid_of_the_common_area),
        cmocka_unit_test(a_hairs_breadth_changes_neither_count_nor_features),
        cmocka_unit_test(features_tell_the_corners_apart_and_stay_with_them),
        cmocka_unit_test(a_cylinder_stands_on_six_points_of_its_rim),
        cmocka_unit_test(capsules_and_cylinders_lie_on_two_points),
        cmocka_unit_test(parallel_capsules_touch_along_their_common_length),
        cmocka_unit_test(round_shapes_touch_in_one_point),
        cmocka_unit_test(a_sphere_touches_midway_between_the_nearest_points),
        cmocka_unit_test(two_edges_cross_in_one_point),
        cmocka_unit_test(the_deepest_point_is_as_deep_as_the_pair),
        cmocka_unit_test(swapped_shapes_have_mirrored_points),
        cmocka_unit_test(a_buffer_that_is_too_small_is_left_alone),
        cmocka_unit_test(points_further_than_the_margin_are_left_out),
        cmocka_unit_test(force_and_moment_of_an_overlap_do_not_jump),
        cmocka_unit_test(a_hull_rocks_from_face_to_face_without_a_jump),
        cmocka_unit_test(corners_of_nearly_level_faces_that_are_deep_have_contacts),
        cmocka_unit_test(a_cap_that_slides_off_a_cap_is_held_by_the_rims_in_the_end),
        cmocka_unit_test(a_capsule_over_a_vertex_does_not_flicker),
        cmocka_unit_test(a_hull_that_rolls_on_a_plane_is_held_as_by_any_face),
        cmocka_unit_test(a_cylinder_that_stands_on_a_plane_is_held_as_by_any_face),
        cmocka_unit_test(a_coin_that_rolls_on_its_rim_sees_a_smooth_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
