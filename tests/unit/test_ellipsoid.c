// Points of ellipsoids whose normals pass through a point, and ellipsoids that overlap boxes.
#include "convex_trial.h"

#include "collide/convex/minkowski.h"
#include "collide/exact/ellipsoid.h"
#include "collide/pairs/closed_forms.h"

#include <math.h>

enum { AROUND = 96, UP = 48 };

static dp_v3 on_sphere(int i, int k)
{
    const double pi = acos(-1.0), turn = 2.0 * pi * i / AROUND, high = pi * k / UP;
    return (dp_v3){sin(high) * cos(turn), sin(high) * sin(turn), cos(high)};
}

static double distance_from(const double e[3], const double c[3], dp_v3 x)
{
    return dp_v3_norm((dp_v3){e[0] * x.x - c[0], e[1] * x.y - c[1], e[2] * x.z - c[2]});
}

// Is the point nearer than all that are next to it on a grid of the sphere?
static bool is_least(double distance[AROUND][UP + 1], int i, int k)
{
    for (int di = -2; di <= 2; ++di) {
        for (int dk = -2; dk <= 2; ++dk) {
            if ((di != 0 || dk != 0) &&
                distance[(i + di + AROUND) % AROUND][k + dk] <= distance[i][k]) {
                return false;
            }
        }
    }
    return true;
}

// Downhill along the sphere.
static dp_v3 descend(const double e[3], const double c[3], dp_v3 x)
{
    for (int step = 0; step < 2000; ++step) {
        const dp_v3 g = {e[0] * (e[0] * x.x - c[0]), e[1] * (e[1] * x.y - c[1]),
                         e[2] * (e[2] * x.z - c[2])};
        x = dp_v3_unit(dp_v3_madd(x, -0.03, g));
    }
    return x;
}

static void draw_point(double e[3], double c[3], random_source *r)
{
    e[0] = 1.0;
    e[1] = random_between(r, 1.05, 3.0);
    e[2] = random_between(r, 1.05, 3.0);
    for (int i = 0; i < 3; ++i) {
        c[i] = e[i] * random_between(r, -0.7, 0.7) * (i == 0 ? random_between(r, 0.0, 1.0) : 1.0);
    }
}

static void every_point_nearer_than_those_around_it_is_one_of_two(void **state)
{
    (void)state;
    static double distance[AROUND][UP + 1];
    random_source r = {5};
    int second = 0;
    for (int trial = 0; trial < 600; ++trial) {
        double e[3], c[3], x[3], y[3];
        draw_point(e, c, &r);
        bool middle;
        assert_true(dp_ellipsoid_nearest(x, &middle, e, c, 0) < DP_ELLIPSOID_STEPS);
        const dp_far_point far = dp_ellipsoid_far(y, e, c, 0);
        assert_int_not_equal(far, DP_FAR_LOST);
        for (int i = 0; i < AROUND; ++i) {
            for (int k = 0; k <= UP; ++k) {
                distance[i][k] = distance_from(e, c, on_sphere(i, k));
            }
        }
        for (int i = 0; i < AROUND; ++i) {
            for (int k = 4; k <= UP - 4; ++k) { // the grid is too uneven at the poles
                if (is_least(distance, i, k)) {
                    const dp_v3 at = descend(e, c, on_sphere(i, k));
                    const double to_first = dp_v3_dot(at, dp_v3_load(x));
                    const double to_second =
                        far == DP_FAR_FOUND ? dp_v3_dot(at, dp_v3_load(y)) : -1.0;
                    // In a flat valley the way down is long.
                    assert_true(fmax(to_first, to_second) > 0.999);
                    second += to_second > to_first;
                }
            }
        }
    }
    assert_true(second > 20);
}

static void normals_at_both_points_pass_through_the_point(void **state)
{
    (void)state;
    random_source r = {6};
    int found = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        double e[3], c[3], y[3];
        draw_point(e, c, &r);
        if (dp_ellipsoid_far(y, e, c, 0) != DP_FAR_FOUND) {
            continue;
        }
        ++found;
        const dp_v3 out = {e[0] * y[0] - c[0], e[1] * y[1] - c[1], e[2] * y[2] - c[2]};
        const dp_v3 n = dp_v3_unit((dp_v3){y[0] / e[0], y[1] / e[1], y[2] / e[2]});
        // Steps end where they no longer climb: round-off of a double root is its square root.
        assert_true(dp_v3_norm(dp_v3_cross(out, n)) < 1e-7);
        assert_true(dp_v3_dot(out, n) > 0.0 && y[0] * c[0] < 0.0); // beyond the middle surface
    }
    assert_true(found > 100);
}

static void ellipsoids_in_boxes_have_the_depth_that_the_polytope_finds(void **state)
{
    (void)state;
    static const situation some[] = {ANYHOW, DEEP, SLENDER, PARALLEL};
    random_source r = {7};
    int overlaps = 0, listed = 0;
    for (int k = 0; k < 8000; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_ELLIPSOID, DP_GEOM_BOX, some[k % 4], 1.0);
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_distance by_list, by_polytope;
        dp_convex_distance(&by_polytope, &a, &b, INFINITY, NULL);
        overlaps += by_polytope.gap < 0.0;
        if (dp_ellipsoid_box(&by_list, &a, &b)) {
            ++listed;
            dp_difference m = dp_difference_of(&a, &b);
            // The polytope ends at 1e-13 of the size, and so does a proof.
            assert_true(fabs(by_list.gap - by_polytope.gap) <= 1e-12 * m.size);
            dp_corner c;
            const dp_v3 n = dp_m3_apply_transposed(&a.R, by_list.normal);
            dp_difference_support(&c, &m, dp_v3_back(n));
            assert_true(fabs(dp_v3_dot(n, c.w) - by_list.gap) <= 1e-14 * m.size);
        }
        convex_trial_end(&t);
    }
    assert_true(2 * listed > overlaps && overlaps > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_nearer_than_those_around_it_is_one_of_two),
        cmocka_unit_test(normals_at_both_points_pass_through_the_point),
        cmocka_unit_test(ellipsoids_in_boxes_have_the_depth_that_the_polytope_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
