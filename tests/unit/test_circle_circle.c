// Circles in space that are nearest to each other, and cylinders that overlap.
#include "convex_trial.h"

#include "collide/convex/minkowski.h"
#include "collide/exact/circle_circle.h"
#include "collide/pairs/closed_forms.h"

#include <math.h>

enum { GRID = 1200 };

// A point of the other circle, by its distance from the axis of the first, its height, and x.
typedef struct place {
    double rho, z, x;
    double distance;
} place;

static place place_of(const dp_circle_circle *t, double C, double S)
{
    const double x = t->q.x - t->r[1] * S, y = t->q.y + t->r[1] * t->cosine * C;
    const double z = t->q.z - t->r[1] * t->sine * C, rho = sqrt(x * x + y * y);
    return (place){rho, z, x, sqrt((rho - t->r[0]) * (rho - t->r[0]) + z * z)};
}

static dp_circle_circle draw_rims(random_source *r)
{
    dp_circle_circle t;
    t.r[0] = random_between(r, 0.3, 1.0);
    t.r[1] = random_between(r, 0.3, 1.0);
    t.q.x = random_between(r, -1.0, 1.0);
    t.q.y = random_between(r, -1.0, 1.0);
    t.q.z = random_between(r, -0.8, 0.8);
    t.cosine = random_between(r, -0.95, 0.95);
    t.sine = sqrt(1.0 - t.cosine * t.cosine);
    t.enough = random_between(r, 0.05, 0.5);
    t.side = random_between(r, -1.0, 1.0) < 0.0 ? -1.0 : 1.0;
    return t;
}

// Of what the list is for: inside of the cylinder, below its rim, near enough, and on its own side
// of x, with something to spare for the grid.
static bool counts(const dp_circle_circle *t, place at, double S)
{
    const double spare = 0.01;
    return at.rho < t->r[0] - spare && t->side * at.z < -spare && at.distance < t->enough - spare &&
           at.x * t->q.x > 0.0 && S * t->q.x > 0.0 && fabs(at.x) > spare && fabs(S) > spare;
}

static void every_least_distance_on_a_fine_grid_is_found(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    random_source r = {8};
    int known = 0, lost = 0;
    for (int trial = 0; trial < 9000; ++trial) {
        const dp_circle_circle t = draw_rims(&r);
        double C[DP_RIMS_MOST], S[DP_RIMS_MOST];
        int steps = 0;
        const int count = dp_circle_circle_nearest(C, S, &steps, &t);
        lost += count < 0;
        for (int i = 0; i < GRID && count >= 0; ++i) {
            place at[3];
            for (int k = 0; k < 3; ++k) {
                const double angle = 2.0 * pi * (i + k - 1) / GRID;
                at[k] = place_of(&t, cos(angle), sin(angle));
            }
            const double c = cos(2.0 * pi * i / GRID), s = sin(2.0 * pi * i / GRID);
            if (counts(&t, at[1], s) && at[1].distance < at[0].distance &&
                at[1].distance < at[2].distance) {
                double nearest = -1.0;
                for (int k = 0; k < count; ++k) {
                    nearest = fmax(nearest, c * C[k] + s * S[k]);
                }
                assert_true(nearest > cos(4.0 * pi / GRID));
                ++known;
            }
        }
    }
    assert_true(known > 200);
    assert_true(lost < 90);
}

static void cylinders_have_the_depth_that_the_polytope_finds(void **state)
{
    (void)state;
    static const situation some[] = {ANYHOW, DEEP, SLENDER, PARALLEL, TOUCHING};
    random_source r = {9};
    int overlaps = 0, listed = 0;
    for (int k = 0; k < 8000; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_CYLINDER, DP_GEOM_CYLINDER, some[k % 5], 1.0);
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_distance by_list, by_polytope;
        dp_convex_distance(&by_polytope, &a, &b, INFINITY, NULL);
        overlaps += by_polytope.gap < 0.0;
        if (dp_cylinder_cylinder(&by_list, &a, &b, INFINITY, NULL)) {
            listed += by_list.gap < 0.0;
            dp_difference m = dp_difference_of(&a, &b);
            // The polytope ends at 1e-13 of the size, and so does a proof.
            const double length = m.size + fmax(by_list.gap, 0.0);
            assert_true(fabs(by_list.gap - by_polytope.gap) <= 1e-12 * length);
            dp_corner c;
            const dp_v3 n = dp_m3_apply_transposed(&a.R, by_list.normal);
            dp_difference_support(&c, &m, dp_v3_back(n));
            assert_true(fabs(dp_v3_dot(n, c.w) - by_list.gap) <= 1e-14 * length);
        }
        convex_trial_end(&t);
    }
    assert_true(2 * listed > overlaps && overlaps > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_least_distance_on_a_fine_grid_is_found),
        cmocka_unit_test(cylinders_have_the_depth_that_the_polytope_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
