// How surfaces bend: textbook values, and the bend of the surface itself.
#include "math/v3.h"
#include "shape_parts.h"

#include <dashpot/base.h>

#include <math.h>

static dp_curvature curvature_at(const dp_shape *s, dp_pose X, dp_v3 point)
{
    dp_curvature c;
    assert_int_equal(dp_shape_curvature(&c, s, X, point), DP_OK);
    assert_near(dp_v3_norm(c.direction), 1.0, 1e-14);
    assert_true(c.along <= c.across);
    return c;
}

static void spheres_capsules_and_cylinders_follow_the_textbook(void **state)
{
    (void)state;
    const dp_pose X = {{0.5, 0.5, 0.5, 0.5}, {1.0, 2.0, 3.0}}; // z to x, x to y, y to z
    const dp_shape ball = sphere_shape(0.5), rod = capsule_shape(0.5, 2.0),
                   can = cylinder_shape(0.5, 2.0);
    const dp_v3 side = {1.3, 2.5, 3.0}, end = {3.5, 2.0, 3.0}, cap = {3.0, 2.1, 3.0};
    const dp_v3 rim = {3.1, 2.6, 3.0};
    assert_near(curvature_at(&ball, X, side).along, 2.0, 1e-15);
    assert_near(curvature_at(&ball, X, side).across, 2.0, 1e-15);
    assert_near(curvature_at(&rod, X, side).along, 0.0, 0.0);
    assert_near(curvature_at(&rod, X, side).across, 2.0, 1e-15);
    assert_near(fabs(curvature_at(&rod, X, side).direction.x), 1.0, 1e-15);
    assert_near(curvature_at(&rod, X, end).along, 2.0, 1e-15);
    assert_near(curvature_at(&can, X, side).across, 2.0, 1e-15);
    assert_near(fabs(curvature_at(&can, X, side).direction.x), 1.0, 1e-15);
    assert_near(curvature_at(&can, X, cap).across, 0.0, 0.0);
    // at 45° half of the circle's curvature is along the normal, √½ of it
    assert_near(curvature_at(&can, X, rim).along, 2.0 * sqrt(0.5), 1e-12);
    assert_true(isinf(curvature_at(&can, X, rim).across));
    assert_near(fabs(curvature_at(&can, X, rim).direction.z), 1.0, 1e-12);
}

static void boxes_and_planes_are_flat_but_for_edges_and_corners(void **state)
{
    (void)state;
    const dp_shape box = box_shape(1.0, 2.0, 3.0), floor = plane_shape();
    const dp_pose X = pose_at(0.0, 0.0, 0.0);
    assert_near(curvature_at(&floor, X, (dp_v3){1.0, 2.0, 0.0}).across, 0.0, 0.0);
    assert_near(curvature_at(&box, X, (dp_v3){1.0, 0.5, 0.5}).across, 0.0, 0.0);
    assert_near(curvature_at(&box, X, (dp_v3){0.9, 0.5, 0.5}).across, 0.0, 0.0); // from inside
    const dp_curvature edge = curvature_at(&box, X, (dp_v3){1.0, 2.0, 0.5});
    assert_true(edge.along == 0.0 && isinf(edge.across));
    assert_near(fabs(edge.direction.z), 1.0, 1e-15);
    const dp_curvature corner = curvature_at(&box, X, (dp_v3){1.1, 2.1, 3.1});
    assert_true(isinf(corner.along) && isinf(corner.across));
}

static void hulls_are_flat_but_for_edges_and_corners(void **state)
{
    (void)state;
    const double vertex[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    dp_hull *hull;
    assert_int_equal(dp_hull_create(&hull, vertex, 4, NULL), DP_OK);
    const dp_shape tetra = {.kind = DP_GEOM_MESH, .hull = hull};
    const dp_pose X = pose_at(0.0, 0.0, 0.0);
    assert_near(curvature_at(&tetra, X, (dp_v3){0.2, 0.2, -0.1}).across, 0.0, 0.0);
    const dp_curvature edge = curvature_at(&tetra, X, (dp_v3){0.4, -0.1, -0.1});
    assert_true(edge.along == 0.0 && isinf(edge.across));
    assert_near(fabs(edge.direction.x), 1.0, 1e-12);
    assert_true(isinf(curvature_at(&tetra, X, (dp_v3){-0.1, -0.1, -0.2}).along));
    dp_hull_destroy(hull);
}

// How far the surface of an ellipsoid falls below its tangent plane at q + h t, by a quadratic
// equation.
static double fall(const double *e, dp_v3 q, dp_v3 n, dp_v3 t, double h)
{
    const dp_v3 D = {1.0 / (e[0] * e[0]), 1.0 / (e[1] * e[1]), 1.0 / (e[2] * e[2])};
    const dp_v3 p = dp_v3_madd(q, h, t);
    // Σ D (p − s n)² = 1
    const double a = D.x * n.x * n.x + D.y * n.y * n.y + D.z * n.z * n.z;
    const double b = D.x * n.x * p.x + D.y * n.y * p.y + D.z * n.z * p.z;
    const double c = D.x * t.x * t.x + D.y * t.y * t.y + D.z * t.z * t.z;
    const double cross = D.x * q.x * t.x + D.y * q.y * t.y + D.z * q.z * t.z;
    const double rest = h * h * c + 2.0 * h * cross; // Σ D p² − 1
    return rest / (b + sqrt(b * b - a * rest));
}

static void an_ellipsoid_falls_away_from_its_tangent_as_its_curvature_says(void **state)
{
    (void)state;
    random_source r = {1};
    for (int k = 0; k < 500; ++k) {
        const dp_shape s = draw_shape(&r, DP_GEOM_ELLIPSOID, (shape_draw){1.0, k % 2 ? 5.0 : 50.0});
        double x[3];
        random_direction(x, 3, &r);
        const dp_v3 q = {x[0] * s.size[0], x[1] * s.size[1], x[2] * s.size[2]};
        const dp_curvature c = curvature_at(&s, pose_at(0.0, 0.0, 0.0), q);
        dp_v3 n = {x[0] / s.size[0], x[1] / s.size[1], x[2] / s.size[2]};
        n = dp_v3_scale(n, 1.0 / dp_v3_norm(n));
        assert_near(dp_v3_dot(n, c.direction), 0.0, 1e-12);
        const dp_v3 t[2] = {c.direction, dp_v3_cross(n, c.direction)};
        const double curvature[2] = {c.along, c.across};
        for (int i = 0; i < 2; ++i) {
            // A step that falls by 1e-8 of the radius; odd terms cancel, the next is as small
            // again.
            const double h = 1e-4 / curvature[i];
            const double mean = 0.5 * (fall(s.size, q, n, t[i], h) + fall(s.size, q, n, t[i], -h));
            // round-off of the tangent plane, 1e-15 of the size, over what it falls
            assert_near(2.0 * mean / (h * h), curvature[i], 1e-4 * c.across);
        }
    }
}

static void the_lesser_curvature_of_a_round_ellipsoid_is_not_the_greater_one(void **state)
{
    (void)state;
    random_source r = {8};
    for (int i = 0; i < 1000; ++i) {
        const double a = random_between(&r, 0.1, 10.0);
        const dp_shape ball = {.kind = DP_GEOM_ELLIPSOID, .size = {a, a, a}};
        const dp_pose here = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        double x[3];
        random_direction(x, 3, &r);
        dp_curvature c;
        assert_int_equal(dp_shape_curvature(&c, &ball, here, (dp_v3){a * x[0], a * x[1], a * x[2]}),
                         DP_OK);
        assert_true(c.along <= c.across);
        assert_near(c.along * a, 1.0, 1e-14); // round-off
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_capsules_and_cylinders_follow_the_textbook),
        cmocka_unit_test(boxes_and_planes_are_flat_but_for_edges_and_corners),
        cmocka_unit_test(hulls_are_flat_but_for_edges_and_corners),
        cmocka_unit_test(an_ellipsoid_falls_away_from_its_tangent_as_its_curvature_says),
        cmocka_unit_test(the_lesser_curvature_of_a_round_ellipsoid_is_not_the_greater_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
