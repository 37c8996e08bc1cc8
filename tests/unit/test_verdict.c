// What is known about two convex shapes without finding their distance: that they share a point,
// and that a separating direction of an overlap is the shortest.
#include "convex_trial.h"
#include "near.h"

#include "collide/convex/minkowski.h"
#include "collide/pair.h"

#include <math.h>

static const dp_geom_kind kinds[] = {DP_GEOM_SPHERE,    DP_GEOM_CAPSULE, DP_GEOM_CYLINDER,
                                     DP_GEOM_ELLIPSOID, DP_GEOM_BOX,     DP_GEOM_MESH};
enum { NKIND = 6 };

// Relative to the size of both: nearer than this they touch, to round-off.
static const double TOUCH = 1e-12;

static void assert_true_verdict(dp_verdict verdict, double gap, double size)
{
    if (verdict == DP_VERDICT_APART) {
        assert_true(gap > -TOUCH * size);
    } else if (verdict == DP_VERDICT_SHARED) {
        assert_true(gap < TOUCH * size);
    }
}

// How often there is a verdict where it is no close thing.
typedef struct tally {
    int clear, by_line, by_portal, portals;
} tally;

static void hear(tally *sum, const convex_trial *t)
{
    const dp_placed a = dp_place(&t->shape[0], t->pose[0]), b = dp_place(&t->shape[1], t->pose[1]);
    const double gap = convex_trial_distance(t).gap;
    const bool clear = fabs(gap) > 0.05 * t->size;
    const dp_verdict line = dp_overlap_test(&a, &b);
    assert_true_verdict(line, gap, t->size);
    assert_int_equal(line, dp_overlap_test(&b, &a));
    sum->clear += clear;
    sum->by_line += clear && line != DP_VERDICT_NONE;

    dp_difference m = dp_difference_of(&a, &b);
    const dp_v3 middle = t->shape[0].kind == DP_GEOM_MESH || t->shape[1].kind == DP_GEOM_MESH
                             ? (dp_v3){0.0, 0.0, 0.0} // hulls may lie beside their origin
                             : m.p;
    if (m.radius == 0.0 && dp_v3_norm(middle) > 0.0) {
        const dp_verdict portal = dp_portal_decide(&m, middle);
        assert_true_verdict(portal, gap, t->size);
        sum->portals += clear;
        sum->by_portal += clear && portal != DP_VERDICT_NONE;
    }
}

static void lines_and_portals_never_contradict_the_gap_and_mostly_decide(void **state)
{
    (void)state;
    random_source r = {21};
    tally sum = {0};
    for (int k = 0; k < 6000; ++k) {
        convex_trial t;
        const situation s = (situation)(k % SITUATIONS);
        convex_trial_begin(&t, &r, kinds[k / 7 % NKIND], kinds[k / 42 % NKIND], s, 1.0);
        hear(&sum, &t);
        convex_trial_end(&t);
    }
    print_message("%d clear: %d by the line; %d of %d by a portal\n", sum.clear, sum.by_line,
                  sum.by_portal, sum.portals);
    assert_true(sum.clear > 1000 && sum.portals > 200);
    assert_true(2 * sum.by_line > sum.clear);
    assert_true(5 * sum.by_portal > 4 * sum.portals); // not where v₀ is next to the origin
}

static dp_v3 any_direction(random_source *r)
{
    double x[3];
    random_direction(x, 3, r);
    return dp_v3_load(x);
}

// Is no separating direction less deep that can be found from other directions?
static void assert_shortest(const dp_refined_normal *p, dp_difference *m, random_source *r)
{
    const dp_simplex none = {.count = 0};
    for (int k = 0; k < 40; ++k) {
        const dp_v3 n = any_direction(r);
        dp_corner c;
        dp_difference_support(&c, m, dp_v3_back(n));
        assert_true(dp_v3_dot(n, c.w) <= p->gap + TOUCH * m->size);
        dp_refined_normal q;
        if (dp_newton_refine(&q, m, &none, n)) {
            assert_true(q.gap <= p->gap + TOUCH * m->size);
        }
    }
}

static void a_way_out_called_the_only_one_is_the_shortest(void **state)
{
    (void)state;
    random_source r = {22};
    const dp_geom_kind curved[2] = {DP_GEOM_CYLINDER, DP_GEOM_ELLIPSOID};
    const dp_simplex none = {.count = 0};
    int only = 0, rims = 0;
    for (int k = 0; k < 6000; ++k) {
        convex_trial t;
        const situation s = (situation)(k % SITUATIONS);
        convex_trial_begin(&t, &r, curved[k / 7 % 2], kinds[k / 14 % NKIND], s, 1.0);
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_difference m = dp_difference_of(&a, &b);
        for (int i = 0; i < 6; ++i) {
            dp_refined_normal p;
            const dp_v3 n = any_direction(&r);
            if (dp_newton_refine(&p, &m, &none, n) && p.only && p.gap < 0.0) {
                assert_shortest(&p, &m, &r);
                ++only;
                rims += t.shape[0].kind == DP_GEOM_CYLINDER && t.shape[1].kind == DP_GEOM_CYLINDER;
            }
        }
        convex_trial_end(&t);
    }
    print_message("%d ways out, %d of two cylinders\n", only, rims);
    assert_true(only > 1000 && rims > 100);
}

// Hulls are no sums of segments, as boxes are: what is known of their edges and of the rest of them
// must not be added up.
static void a_way_out_of_a_hull_called_the_only_one_is_the_shortest(void **state)
{
    (void)state;
    random_source r = {24};
    const dp_simplex none = {.count = 0};
    int only = 0;
    for (int k = 0; k < 6000; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_ELLIPSOID, DP_GEOM_MESH, k % 2 == 0 ? DEEP : ANYHOW,
                           1.0);
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_difference m = dp_difference_of(&a, &b);
        dp_refined_normal p;
        if (dp_newton_refine(&p, &m, &none, any_direction(&r)) && p.only && p.gap < 0.0) {
            assert_shortest(&p, &m, &r);
            ++only;
        }
        convex_trial_end(&t);
    }
    print_message("%d ways out\n", only);
    assert_true(only > 100);
}

// Two cylinders that cross, moved together until their rims overlap a little: the ball within both
// discs proves the separating direction, and no polytope is needed.
static void rims_that_overlap_a_little_need_no_polytope(void **state)
{
    (void)state;
    random_source r = {23};
    int proved = 0, all = 0;
    for (int k = 0; k < 400; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_CYLINDER, DP_GEOM_CYLINDER, ANYHOW, 1.0);
        const dp_v3 n = any_direction(&r);
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]);
        dp_placed b = dp_place(&t.shape[1], t.pose[1]);
        // Rim to rim along n.
        int vertex = -1;
        const dp_v3 x = dp_core_support(&t.shape[0], dp_m3_apply_transposed(&a.R, n), &vertex);
        const dp_v3 y =
            dp_core_support(&t.shape[1], dp_m3_apply_transposed(&b.R, dp_v3_back(n)), &vertex);
        const dp_v3 at = dp_v3_add(a.p, dp_m3_apply(&a.R, x));
        b.p = dp_v3_madd(dp_v3_sub(at, dp_m3_apply(&b.R, y)), -1e-4 * t.size, n);
        dp_difference m = dp_difference_of(&a, &b);
        const dp_simplex none = {.count = 0};
        dp_refined_normal p;
        if (dp_newton_refine(&p, &m, &none, dp_m3_apply_transposed(&a.R, n)) && p.gap < 0.0) {
            ++all;
            proved += p.only;
            dp_distance d;
            dp_convex_distance(&d, &a, &b, INFINITY, NULL);
            assert_true(!p.only || fabs(d.gap - p.gap) <= TOUCH * t.size);
        }
        convex_trial_end(&t);
    }
    print_message("%d of %d\n", proved, all);
    assert_true(all > 100 && 4 * proved > 3 * all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_portals_never_contradict_the_gap_and_mostly_decide),
        cmocka_unit_test(a_way_out_called_the_only_one_is_the_shortest),
        cmocka_unit_test(a_way_out_of_a_hull_called_the_only_one_is_the_shortest),
        cmocka_unit_test(rims_that_overlap_a_little_need_no_polytope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
