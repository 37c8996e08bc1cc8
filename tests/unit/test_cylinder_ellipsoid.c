// A cylinder and an ellipsoid: whether they overlap, and how deep.
#include "convex_trial.h"

#include "collide/convex/minkowski.h"
#include "collide/exact/local_minima.h"
#include "collide/pairs/closed_forms.h"

#include <math.h>

// Also where they hardly touch: B is moved along the normal until the gap is one of these.
static void cylinders_and_ellipsoids_overlap_where_their_gap_is_not_positive(void **state)
{
    (void)state;
    static const double gaps[] = {0.0, 1e-3, -1e-3, 1e-6, -1e-6, 1e-12, -1e-12};
    enum { GAPS = sizeof gaps / sizeof *gaps };
    random_source r = {3};
    int asked = 0, decided = 0;
    for (int k = 0; k < 20000; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_CYLINDER, DP_GEOM_ELLIPSOID, (situation)(k % SITUATIONS),
                           1.0);
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]);
        dp_placed b = dp_place(&t.shape[1], t.pose[1]);
        dp_distance d;
        dp_convex_distance(&d, &a, &b, INFINITY, NULL);
        const double move = gaps[k % GAPS];
        if (move != 0.0) {
            b.p = dp_v3_madd(b.p, move - d.gap, d.normal);
            dp_convex_distance(&d, &a, &b, INFINITY, NULL);
        }
        const double size = dp_difference_of(&a, &b).size;
        bool overlap;
        const bool known = dp_cylinder_ellipsoid_decide(&overlap, &a, &b);
        if (known && fabs(d.gap) > 1e-12 * size) {
            assert_true(overlap == (d.gap <= 0.0));
        }
        if (fabs(d.gap) >= 1e-6) {
            ++asked;
            decided += known;
        }
        convex_trial_end(&t);
    }
    print_message("%d of %d are decided\n", decided, asked);
    assert_true(decided > 0.99 * asked);
}

static void cylinders_in_ellipsoids_have_the_depth_that_the_polytope_finds(void **state)
{
    (void)state;
    static const situation some[] = {ANYHOW, DEEP, SLENDER, PARALLEL};
    random_source r = {4};
    int overlaps = 0, found = 0;
    for (int k = 0; k < 8000; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_CYLINDER, DP_GEOM_ELLIPSOID, some[k % 4], 1.0);
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_distance by_list, by_polytope;
        dp_convex_distance(&by_polytope, &a, &b, INFINITY, NULL);
        overlaps += by_polytope.gap < 0.0;
        if (dp_cylinder_ellipsoid(&by_list, &a, &b, NULL)) {
            ++found;
            dp_difference m = dp_difference_of(&a, &b);
            // The polytope ends at 1e-13 of the size, and so does a proof.
            assert_true(fabs(by_list.gap - by_polytope.gap) <= 1e-12 * m.size);
            assert_false(by_polytope.ambiguous && by_polytope.outcome == DP_QUERY_OUTCOME_EXACT);
            dp_corner c;
            const dp_v3 n = dp_m3_apply_transposed(&a.R, by_list.normal);
            dp_difference_support(&c, &m, dp_v3_back(n));
            assert_true(fabs(dp_v3_dot(n, c.w) - by_list.gap) <= 1e-14 * m.size);
        }
        convex_trial_end(&t);
    }
    print_message("%d of %d overlaps\n", found, overlaps);
    assert_true(found > 0.8 * overlaps && overlaps > 1000);
}

// A normal that is proved only nearby, from the best of many: what is swept must be no better, and
// what is better must not be called the shortest.
static void a_sweep_never_passes_a_shorter_way(void **state)
{
    (void)state;
    random_source r = {5};
    const dp_simplex none = {.count = 0};
    int shortest = 0, another = 0;
    for (int k = 0; k < 3000; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_CYLINDER, DP_GEOM_ELLIPSOID, k % 2 ? ANYHOW : DEEP, 1.0);
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_difference m = dp_difference_of(&a, &b);
        dp_swept s = dp_swept_of(&m);
        dp_distance best;
        dp_convex_distance(&best, &a, &b, INFINITY, NULL);
        for (int i = 0; i < 8; ++i) { // anywhere
            const dp_v3 u =
                dp_v3_unit((dp_v3){random_between(&r, -1.0, 1.0), random_between(&r, -1.0, 1.0),
                                   random_between(&r, -1.0, 1.0)});
            dp_refined_normal way;
            if (best.gap < 0.0 && dp_newton_refine(&way, &m, &none, u) && !way.only) {
                dp_v3 suspect;
                int looks = 0;
                const dp_local_minima verdict = dp_local_minima_around(&suspect, &looks, &s, &way);
                const bool is_best = way.gap >= best.gap - 1e-12 * m.size;
                assert_true(verdict != DP_SWEEP_SHORTEST || is_best);
                shortest += verdict == DP_SWEEP_SHORTEST;
                another += verdict == DP_SWEEP_ANOTHER && !is_best;
            }
        }
        convex_trial_end(&t);
    }
    print_message("%d are the shortest, %d are not\n", shortest, another);
    assert_true(shortest > 500 && another > 500);
}

// Any normal, depth and angle will do to ask whether all beyond that angle is deeper. Directions
// are those of a spiral, on the side of the middle of the ellipsoid.
static double least_depth_beyond(const dp_swept *s, dp_v3 n, double cosine)
{
    enum { DIRECTIONS = 4000 };
    const double turn = acos(-1.0) * (3.0 - sqrt(5.0));
    double least = INFINITY;
    for (int i = 0; i < DIRECTIONS; ++i) {
        const double z = (2.0 * i + 1.0) / DIRECTIONS - 1.0, out = sqrt(1.0 - z * z);
        const dp_v3 u = {out * cos(turn * i), out * sin(turn * i), z};
        if (dp_v3_dot(u, n) < cosine && dp_v3_dot(u, s->p) > 0.0) {
            least = fmin(least, dp_swept_depth(s, u));
        }
    }
    return least;
}

static void what_was_swept_is_deeper(void **state)
{
    (void)state;
    random_source r = {6};
    int settled = 0, refused = 0;
    for (int k = 0; k < 4000; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_CYLINDER, DP_GEOM_ELLIPSOID, DEEP, 1.0);
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        const dp_difference m = dp_difference_of(&a, &b);
        const dp_swept s = dp_swept_of(&m);
        dp_refined_normal way = {.normal = dp_v3_unit(m.p),
                                 .cosine = random_between(&r, -0.5, 0.99)};
        const double least = least_depth_beyond(&s, way.normal, way.cosine);
        way.gap = -least * random_between(&r, 0.97, 1.01);
        dp_v3 suspect;
        int looks = 0;
        const dp_local_minima verdict = dp_local_minima_around(&suspect, &looks, &s, &way);
        if (verdict == DP_SWEEP_SHORTEST) {
            assert_true(-way.gap <= least);
            ++settled;
        }
        refused += verdict == DP_SWEEP_ANOTHER && -way.gap > least;
        convex_trial_end(&t);
    }
    print_message("%d are settled, %d refused\n", settled, refused);
    assert_true(settled > 500 && refused > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinders_and_ellipsoids_overlap_where_their_gap_is_not_positive),
        cmocka_unit_test(cylinders_in_ellipsoids_have_the_depth_that_the_polytope_finds),
        cmocka_unit_test(a_sweep_never_passes_a_shorter_way),
        cmocka_unit_test(what_was_swept_is_deeper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
