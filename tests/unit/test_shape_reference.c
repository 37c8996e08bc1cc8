// The judge of distances, judged: known answers, and polyhedra by all their features.
#include "shape_reference.h"
#include "test_random.h"

#include <float.h>
#include <math.h>

static dp_pose pose_at(double x, double y, double z)
{
    return (dp_pose){{1.0, 0.0, 0.0, 0.0}, {x, y, z}};
}

static dp_pose random_pose(random_source *r, double reach)
{
    double q[4], p[3];
    random_direction(q, 4, r);
    for (int i = 0; i < 3; ++i) {
        p[i] = random_between(r, -reach, reach);
    }
    return (dp_pose){{q[0], q[1], q[2], q[3]}, {p[0], p[1], p[2]}};
}

static reference_answer search(const reference_body *a, const reference_body *b)
{
    const reference_search how = reference_search_default(a, b);
    const reference_answer answer = reference_gap(a, b, &how);
    assert_true(answer.bound - answer.gap <= how.tolerance);
    assert_true(answer.evaluations < how.most_evaluations);
    return answer;
}

static dp_shape sphere(double r)
{
    return (dp_shape){.kind = DP_GEOM_SPHERE, .size = {r}};
}

static dp_shape box(double a, double b, double c)
{
    return (dp_shape){.kind = DP_GEOM_BOX, .size = {a, b, c}};
}

static void a_ball_is_as_far_from_a_box_as_its_centre_less_its_radius(void **state)
{
    (void)state;
    const dp_shape ball = sphere(0.25), cube = box(1.0, 2.0, 3.0);
    const struct {
        double x, y, z, gap;
    } known[] = {
        {1.5, 0.1, -0.2, 0.5 - 0.25},       {4.0, 6.0, 0.5, 5.0 - 0.25},
        {3.0, 5.0, 9.0, 7.0 - 0.25},        {0.9, 0.1, -0.2, -0.1 - 0.25},
        {0.3, 1.9, -0.7, -0.1 - 0.25},      {0.25, 1.0, 2.5, -0.5 - 0.25},
        {2.0, 2.0 + 1e-9, 0.0, 1.0 - 0.25}, // to 5e-19
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        const reference_body a = reference_place(&cube, NULL, 0, pose_at(0.0, 0.0, 0.0));
        const reference_body b =
            reference_place(&ball, NULL, 0, pose_at(known[i].x, known[i].y, known[i].z));
        assert_near((double)search(&a, &b).gap, known[i].gap, 1e-14 * 20.0);
        assert_near((double)search(&b, &a).gap, known[i].gap, 1e-14 * 20.0);
    }
}

static void nested_balls_come_apart_by_their_radii_less_their_distance(void **state)
{
    (void)state;
    const dp_shape large = sphere(2.0), small = sphere(0.5);
    const reference_body a = reference_place(&large, NULL, 0, pose_at(1.0, 1.0, 1.0));
    const reference_body b = reference_place(&small, NULL, 0, pose_at(1.0, 1.3, 1.4));
    const reference_answer answer = search(&a, &b);
    assert_near((double)answer.gap, 0.5 - 2.5, 1e-14 * 3.0);
    assert_near((double)answer.normal.y, 0.6, 1e-6); // an error of the gap's root
    assert_near((double)answer.normal.z, 0.8, 1e-6);
}

static void crossing_capsules_are_as_far_apart_as_their_axes_less_their_radii(void **state)
{
    (void)state;
    const dp_shape rod = {.kind = DP_GEOM_CAPSULE, .size = {0.1, 1.0}};
    const double s = sqrt(0.5);
    for (int i = 0; i < 2; ++i) {
        const double apart = i == 0 ? 0.5 : 0.15;
        const reference_body a = reference_place(&rod, NULL, 0, pose_at(0.0, 0.0, 0.2));
        const reference_body b =
            reference_place(&rod, NULL, 0, (dp_pose){{s, 0.0, s, 0.0}, {0.3, apart, 0.1}});
        assert_near((double)search(&a, &b).gap, apart - 0.2, 1e-14 * 3.0);
    }
}

// The support map itself, against the equation of the surface and its gradient.
static void supports_lie_on_the_surface_where_it_looks_along_the_direction(void **state)
{
    (void)state;
    random_source r = {11};
    const dp_shape shape[] = {{.kind = DP_GEOM_SPHERE, .size = {0.7}},
                              {.kind = DP_GEOM_CAPSULE, .size = {0.3, 0.9}},
                              {.kind = DP_GEOM_CYLINDER, .size = {0.4, 0.6}},
                              {.kind = DP_GEOM_ELLIPSOID, .size = {0.2, 0.5, 1.1}},
                              {.kind = DP_GEOM_BOX, .size = {0.5, 0.6, 0.7}}};
    for (int k = 0; k < 5; ++k) {
        for (int i = 0; i < 200; ++i) {
            const reference_body s = reference_place(&shape[k], NULL, 0, random_pose(&r, 2.0));
            double n[3];
            random_direction(n, 3, &r);
            const wide_v3 up = {n[0], n[1], n[2]};
            const wide_v3 x = reference_support(&s, up);
            const wide_v3 at = {s.p.x + x.x, s.p.y + x.y, s.p.z + x.z};
            assert_near((double)reference_outside(&s, at), 0.0, 1e-17);
            const wide_v3 above = {at.x + 1e-3L * up.x, at.y + 1e-3L * up.y, at.z + 1e-3L * up.z};
            // An ellipsoid's measure is along the ray, which is longer.
            const long double outside = reference_outside(&s, above);
            assert_true(outside >= 1e-3L - 1e-17L && outside <= 10e-3L);
            assert_true(k == 3 || outside <= 1e-3L + 1e-17L);
        }
    }
}

// Whatever the shapes: two support points that face each other at a distance are the nearest ones.
static void facing_supports_at_a_distance_are_the_nearest_points(void **state)
{
    (void)state;
    random_source r = {12};
    static const double points[] = {1.0, 0.0, 0.1, -0.8, 0.5, 0.0, 0.1, -0.9,
                                    0.3, 0.0, 0.2, 1.2,  0.2, 0.1, -1.0};
    const dp_shape shape[] = {{.kind = DP_GEOM_SPHERE, .size = {0.7}},
                              {.kind = DP_GEOM_CAPSULE, .size = {0.3, 0.9}},
                              {.kind = DP_GEOM_CYLINDER, .size = {0.4, 0.6}},
                              {.kind = DP_GEOM_ELLIPSOID, .size = {0.2, 0.5, 1.1}},
                              {.kind = DP_GEOM_BOX, .size = {0.5, 0.6, 0.7}},
                              {.kind = DP_GEOM_MESH}};
    for (int k = 0; k < 36; ++k) {
        for (int i = 0; i < 4; ++i) {
            const double gap = pow(10.0, i == 0 ? -8.0 : random_between(&r, -6.0, 1.0));
            double n[3];
            random_direction(n, 3, &r);
            const wide_v3 up = {n[0], n[1], n[2]};
            const reference_body a =
                reference_place(&shape[k % 6], points, 5, random_pose(&r, 1.0));
            reference_body b = reference_place(&shape[k / 6], points, 5, random_pose(&r, 1.0));
            const wide_v3 x = reference_support(&a, up);
            const wide_v3 y = reference_support(&b, wide_scale(up, -1.0L));
            b.p = (wide_v3){a.p.x + x.x - y.x + gap * up.x, a.p.y + x.y - y.y + gap * up.y,
                            a.p.z + x.z - y.z + gap * up.z};
            assert_near((double)search(&a, &b).gap, gap, 1e-14 * (5.0 + gap));
        }
    }
}

// Polyhedra: a box as its eight corners and twelve edges, by all pairs of features.

static const int EDGE[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

static void box_corners(wide_v3 out[8], const reference_body *s)
{
    for (int i = 0; i < 8; ++i) {
        const long double x = (i & 1 ? 1 : -1) * s->size[0], y = (i & 2 ? 1 : -1) * s->size[1],
                          z = (i & 4 ? 1 : -1) * s->size[2];
        out[i] = (wide_v3){s->p.x + s->R[0][0] * x + s->R[0][1] * y + s->R[0][2] * z,
                           s->p.y + s->R[1][0] * x + s->R[1][1] * y + s->R[1][2] * z,
                           s->p.z + s->R[2][0] * x + s->R[2][1] * y + s->R[2][2] * z};
    }
}

static long double clamp01(long double t)
{
    return t > 0.0L ? fminl(t, 1.0L) : 0.0L;
}

// Of two segments p + s u, q + t v: the least over their inner points and over the ends of each.
static long double segment_distance(wide_v3 p, wide_v3 u, wide_v3 q, wide_v3 v)
{
    const wide_v3 w = wide_sub(p, q);
    const long double uu = wide_dot(u, u), vv = wide_dot(v, v), uv = wide_dot(u, v);
    const long double uw = wide_dot(u, w), vw = wide_dot(v, w), det = uu * vv - uv * uv;
    long double best = INFINITY;
    for (int i = 0; i < 5; ++i) {
        long double s, t;
        if (i == 0) {
            s = det > 0.0L ? (uv * vw - vv * uw) / det : 0.0L;
            t = det > 0.0L ? (uu * vw - uv * uw) / det : 0.0L;
            if (!(s >= 0.0L && s <= 1.0L && t >= 0.0L && t <= 1.0L)) {
                continue;
            }
        } else if (i < 3) {
            s = i - 1;
            t = clamp01((vw + s * uv) / vv);
        } else {
            t = i - 3;
            s = clamp01((t * uv - uw) / uu);
        }
        best = fminl(best, wide_norm((wide_v3){w.x + s * u.x - t * v.x, w.y + s * u.y - t * v.y,
                                               w.z + s * u.z - t * v.z}));
    }
    return best;
}

static long double box_gap_by_features(const reference_body *a, const reference_body *b)
{
    wide_v3 corner[2][8], normal[15];
    box_corners(corner[0], a);
    box_corners(corner[1], b);
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        normal[count++] = (wide_v3){a->R[0][i], a->R[1][i], a->R[2][i]};
        normal[count++] = (wide_v3){b->R[0][i], b->R[1][i], b->R[2][i]};
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const wide_v3 n = wide_cross(normal[2 * i], normal[2 * j + 1]);
            if (wide_norm(n) > 0.0L) {
                normal[count++] = wide_scale(n, 1.0L / wide_norm(n));
            }
        }
    }
    long double most = -INFINITY;
    for (int i = 0; i < count; ++i) {
        most = fmaxl(most, reference_gap_along(a, b, normal[i]));
        most = fmaxl(most, reference_gap_along(a, b, wide_scale(normal[i], -1.0L)));
    }
    if (most <= 0.0L) {
        return most;
    }
    long double least = INFINITY;
    for (int i = 0; i < 8; ++i) {
        least = fminl(least, reference_outside(b, corner[0][i]));
        least = fminl(least, reference_outside(a, corner[1][i]));
    }
    for (int i = 0; i < 144; ++i) {
        const int *e = EDGE[i / 12], *f = EDGE[i % 12];
        least = fminl(
            least, segment_distance(corner[0][e[0]], wide_sub(corner[0][e[1]], corner[0][e[0]]),
                                    corner[1][f[0]], wide_sub(corner[1][f[1]], corner[1][f[0]])));
    }
    return least;
}

static void boxes_agree_with_the_enumeration_of_their_features(void **state)
{
    (void)state;
    random_source r = {13};
    int apart = 0, overlapping = 0;
    for (int i = 0; i < 400; ++i) {
        double size[6];
        for (int k = 0; k < 6; ++k) {
            size[k] = pow(10.0, random_between(&r, i % 4 == 0 ? -4.0 : -0.5, 0.0));
        }
        const dp_shape one = box(size[0], size[1], size[2]), two = box(size[3], size[4], size[5]);
        const reference_body a = reference_place(&one, NULL, 0, random_pose(&r, 0.0));
        const reference_body b = reference_place(&two, NULL, 0, random_pose(&r, 1.2));
        const long double expected = box_gap_by_features(&a, &b);
        assert_near((double)search(&a, &b).gap, (double)expected, 1e-13);
        ++*(expected > 0.0L ? &apart : &overlapping);
    }
    assert_true(apart > 50 && overlapping > 50);
}

static void a_search_apart_from_the_answer_finds_the_second_best(void **state)
{
    (void)state;
    const dp_shape cube = box(1.0, 1.0, 1.0), ball = sphere(0.1);
    const reference_body a = reference_place(&cube, NULL, 0, pose_at(0.0, 0.0, 0.0));
    const reference_body b = reference_place(&ball, NULL, 0, pose_at(0.2, 0.1, 0.4));
    reference_search how = reference_search_default(&a, &b);
    how.apart_from = (wide_v3){0.0L, 0.0L, 1.0L};
    how.cos_angle = cos(1.2); // in between, every direction is worse
    const reference_answer answer = reference_gap(&a, &b, &how);
    assert_near((double)answer.gap, 0.2 - 1.0 - 0.1, 1e-13); // out through x = 1
    assert_near((double)answer.normal.x, 1.0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_as_far_from_a_box_as_its_centre_less_its_radius),
        cmocka_unit_test(nested_balls_come_apart_by_their_radii_less_their_distance),
        cmocka_unit_test(crossing_capsules_are_as_far_apart_as_their_axes_less_their_radii),
        cmocka_unit_test(supports_lie_on_the_surface_where_it_looks_along_the_direction),
        cmocka_unit_test(facing_supports_at_a_distance_are_the_nearest_points),
        cmocka_unit_test(boxes_agree_with_the_enumeration_of_their_features),
        cmocka_unit_test(a_search_apart_from_the_answer_finds_the_second_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
