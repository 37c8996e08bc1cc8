// The distance of convex shapes on 1e5 random pairs and more, of all kinds and in all situations.
#include "convex_trial.h"
#include "mesh_shapes.h"
#include "polyhedron_reference.h"

#include "collide/pair.h"
#include "geom/hull.h"

#include <math.h>

// Relative to the size of both shapes: some tens of roundings. Where faces, edges and rims touch to
// round-off, two features may both be nearest, and what is found is as near as they are to a tie.
static const double ROUND_OFF = 2e-14, TOUCHING_ROUND_OFF = 5e-13;

static const dp_geom_kind kinds[] = {DP_GEOM_SPHERE,    DP_GEOM_CAPSULE, DP_GEOM_CYLINDER,
                                     DP_GEOM_ELLIPSOID, DP_GEOM_BOX,     DP_GEOM_MESH};
enum { NKIND = 6 };

static double any_scale(random_source *r)
{
    return pow(10.0, 3.0 * random_below(r, 5) - 6.0);
}

static polyhedron place_box(dp_pool *pool, const convex_trial *t, int i)
{
    const double *size = t->shape[i].size;
    const dp_mesh mesh = box_mesh(pool, size[0], size[1], size[2]);
    return polyhedron_place(&mesh, t->pose[i]);
}

static void boxes_agree_with_every_axis_and_every_pair_of_features(void **state)
{
    (void)state;
    random_source r = {1};
    for (int k = 0; k < 50000; ++k) {
        dp_pool pool;
        dp_pool_init(&pool, NULL);
        convex_trial t;
        convex_trial_begin(&t, &r, DP_GEOM_BOX, DP_GEOM_BOX, (situation)(k % SITUATIONS),
                           any_scale(&r));
        const polyhedron p = place_box(&pool, &t, 0), q = place_box(&pool, &t, 1);
        const dp_distance d = convex_trial_distance(&t);
        assert_near(d.gap, (double)polyhedron_gap(&p, &q), ROUND_OFF * t.size);
        dp_pool_destroy(&pool);
        convex_trial_end(&t);
    }
}

static void curved_shapes_agree_with_the_definition_of_the_gap(void **state)
{
    (void)state;
    random_source r = {2};
    for (int k = 0; k < 2100; ++k) {
        const situation s = (situation)(k % SITUATIONS);
        const dp_geom_kind a = k / 7 % 2 == 0 ? DP_GEOM_CYLINDER : DP_GEOM_ELLIPSOID;
        convex_trial t;
        convex_trial_begin(&t, &r, a, kinds[k / 7 % NKIND], s, any_scale(&r));
        const dp_distance d = convex_trial_distance(&t);
        const reference_body p = reference_place(&t.shape[0], t.vertex[0], t.nvertex[0], t.pose[0]);
        const reference_body q = reference_place(&t.shape[1], t.vertex[1], t.nvertex[1], t.pose[1]);
        const wide_v3 n = wide_from(d.normal);
        reference_search how = reference_search_default(&p, &q);
        how.known = reference_gap_along(&p, &q, wide_scale(n, 1.0L / wide_norm(n)));
        how.tolerance = 1e-13L * (long double)t.size;
        how.most_evaluations = 20000; // rings and spheres of ties are not searched to the end
        const reference_answer answer = reference_gap(&p, &q, &how);
        const double tolerance = (s == TOUCHING ? TOUCHING_ROUND_OFF : ROUND_OFF) * t.size;
        assert_near(d.gap, (double)fmaxl(how.known, answer.gap), tolerance);
        convex_trial_end(&t);
    }
}

static void hardly_a_random_query_hits_the_cap(void **state)
{
    (void)state;
    random_source r = {3};
    int capped = 0;
    for (int k = 0; k < 300000; ++k) {
        const situation s = (situation)(k % SITUATIONS);
        convex_trial t;
        const int n = k % 20 == 0 ? NKIND : NKIND - 1; // hulls take longer to make than to ask
        convex_trial_begin(&t, &r, kinds[random_below(&r, n)], kinds[random_below(&r, n)], s,
                           any_scale(&r));
        const dp_distance d = convex_trial_distance(&t);
        capped += d.outcome == DP_QUERY_OUTCOME_CAPPED;
        const dp_v3 between = dp_v3_sub(d.point[1], d.point[0]);
        assert_near(dp_v3_norm(dp_v3_madd(between, -d.gap, d.normal)), 0.0, ROUND_OFF * t.size);
        convex_trial_end(&t);
    }
    assert_in_range(capped, 0, 3); // 1e-5 of them
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_agree_with_every_axis_and_every_pair_of_features),
        cmocka_unit_test(curved_shapes_agree_with_the_definition_of_the_gap),
        cmocka_unit_test(hardly_a_random_query_hits_the_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
