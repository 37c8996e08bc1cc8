// Rays into a scene, against asking every shape in turn.
#include "counting_allocator.h"
#include "crowd.h"
#include "test_random.h"

#include <math.h>

static void a_ray_finds_the_nearest_geom_that_is_seen(void **state)
{
    (void)state;
    random_source r = {8};
    mechanism x = crowd_create(8);
    const int ngeom = dp_model_sizes(x.m)->ngeom;
    int hits = 0;
    for (int draw = 0; draw < 300; ++draw) {
        if (draw % 30 == 0) {
            crowd_scatter(&x, &r, 0.0);
            assert_ok(dp_place_geoms(x.d));
        }
        double u[3];
        random_direction(u, 3, &r);
        const dp_v3 origin = {random_between(&r, -3.0, 3.0), random_between(&r, -3.0, 3.0),
                              random_between(&r, -0.4, 2.0)};
        const dp_v3 direction = {7.0 * u[0], 7.0 * u[1], 7.0 * u[2]};
        const double limit = draw % 3 ? INFINITY : 1.0;
        const dp_scene_filter filter = {.groups = draw % 2 ? ~2u : ~0u, .without = {draw % 5}};
        int nearest = -1;
        double distance = INFINITY;
        for (int g = 0; g < ngeom; ++g) {
            const dp_geom_info geom = dp_model_geom(x.m, (dp_geom_id){g});
            const dp_shape shape = crowd_shape(&x, g);
            dp_ray_hit hit;
            assert_ok(dp_shape_ray(&hit, &shape, dp_geom_pose(x.d, (dp_geom_id){g}), origin,
                                   direction, limit));
            if (hit.hit && (filter.groups >> geom.group & 1u) && geom.body.index != draw % 5 &&
                hit.distance < distance) {
                nearest = g;
                distance = hit.distance;
            }
        }
        dp_scene_hit hit;
        assert_ok(dp_scene_ray(&hit, x.d, origin, direction, limit, &filter));
        assert_int_equal(hit.geom.index, nearest);
        assert_int_equal(hit.at.hit, nearest >= 0);
        if (nearest >= 0) {
            assert_near(hit.at.distance, distance, 1e-12 * (1.0 + distance));
            ++hits;
        }
    }
    assert_true(hits > 50);
    mechanism_end(&x);
}

static void a_ray_that_is_none_is_refused(void **state)
{
    (void)state;
    mechanism x = crowd_create(6);
    assert_ok(dp_place_geoms(x.d));
    dp_scene_hit hit;
    const dp_v3 zero = {0.0, 0.0, 0.0}, up = {0.0, 0.0, 1.0};
    assert_int_equal(dp_scene_ray(&hit, x.d, zero, zero, 1.0, NULL), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_scene_ray(&hit, x.d, zero, (dp_v3){NAN, 0.0, 0.0}, 1.0, NULL),
                     DP_ERROR_ARGUMENT);
    assert_int_equal(dp_scene_ray(&hit, x.d, zero, up, NAN, NULL), DP_ERROR_ARGUMENT);
    mechanism_end(&x);
}

static void a_ray_allocates_nothing(void **state)
{
    (void)state;
    mechanism x = crowd_create(7);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_data *d;
    assert_ok(dp_data_create(&d, x.m, &allocator));
    const size_t calls = counts.calls;
    const dp_v3 eye = {0.0, 0.0, 5.0}, along = {0.0, 0.1, -1.0};
    dp_scene_hit hit;
    assert_ok(dp_place_geoms(d));
    assert_ok(dp_scene_ray(&hit, d, eye, along, INFINITY, NULL));
    assert_true(hit.at.hit);
    assert_int_equal(counts.calls, calls);
    dp_data_destroy(d);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ray_finds_the_nearest_geom_that_is_seen),
        cmocka_unit_test(a_ray_that_is_none_is_refused),
        cmocka_unit_test(a_ray_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
