// Rays and bounds against the reference: a hit is the first point that is not outside, and bounds
// are the supports along the axes.
#include "shape_draw.h"

#include <float.h>
#include <math.h>

static dp_v3 along(dp_v3 origin, dp_v3 direction, double t)
{
    return (dp_v3){origin.x + t * direction.x, origin.y + t * direction.y,
                   origin.z + t * direction.z};
}

typedef struct ray_case {
    drawn_pair pair; // the second shape
    dp_v3 origin, direction;
    double size;
} ray_case;

static ray_case draw_ray(int kind, draw_situation s, random_source *r)
{
    ray_case c;
    const dp_geom_kind both[2] = {DP_GEOM_SPHERE, (dp_geom_kind)kind};
    draw_pair(&c.pair, both, s, r);
    c.size = kind == DP_GEOM_PLANE ? 1.0 : (double)reference_radius(&c.pair.body[1]);
    double x[3], y[3];
    random_direction(x, 3, r);
    random_direction(y, 3, r);
    const dp_v3 p = c.pair.pose[1].p;
    const double far = c.size * random_between(r, 1.1, 4.0);
    c.origin = (dp_v3){p.x + far * x[0], p.y + far * x[1], p.z + far * x[2]};
    // Towards a point near the middle.
    const double aside = c.size * random_between(r, 0.0, 1.2), unit = 1.0 / far;
    c.direction =
        (dp_v3){unit * (p.x + aside * y[0] - c.origin.x), unit * (p.y + aside * y[1] - c.origin.y),
                unit * (p.z + aside * y[2] - c.origin.z)};
    return c;
}

static void a_hit_is_on_the_surface_and_nothing_before_it_is_inside(void **state)
{
    (void)state;
    random_source r = {32};
    int hits = 0, misses = 0;
    for (int i = 0; i < 14000; ++i) {
        const int kind = i % 7;
        const ray_case c = draw_ray(kind,
                                    i % 3 == 0   ? DRAW_SLENDER
                                    : i % 3 == 1 ? DRAW_SCALES
                                                 : DRAW_ANY,
                                    &r);
        dp_ray_hit hit;
        assert_int_equal(dp_shape_ray(&hit, &c.pair.shape[1], c.pair.pose[1], c.origin, c.direction,
                                      (double)INFINITY),
                         DP_OK);
        const double length = sqrt(c.direction.x * c.direction.x + c.direction.y * c.direction.y +
                                   c.direction.z * c.direction.z);
        const double near = 1e-9 * c.size;
        if (hit.hit && hit.distance == 0.0) { // half of the rays at planes start below them
            assert_true(drawn_outside(&c.pair, 1, c.origin) <= near);
            continue;
        }
        // Points of the ray up to the hit, or up to well behind the shape.
        const double end = hit.hit ? hit.distance : 8.0 * c.size;
        for (int k = 0; k < 60; ++k) {
            const dp_v3 x = along(c.origin, c.direction, (k + 0.5) / 60.0 * end / length);
            const double outside = (double)drawn_outside(&c.pair, 1, x);
            if (outside == 0.0) { // a miss, or a hit that came late, by less than round-off
                const dp_v3 p = c.pair.pose[1].p;
                const dp_v3 further = {x.x + 1e-9 * (x.x - p.x), x.y + 1e-9 * (x.y - p.y),
                                       x.z + 1e-9 * (x.z - p.z)};
                assert_true(drawn_outside(&c.pair, 1, further) > 0.0L);
            }
        }
        if (!hit.hit) {
            ++misses;
            continue;
        }
        ++hits;
        const dp_v3 there = along(c.origin, c.direction, hit.distance / length);
        assert_near(hit.point.x, there.x, near);
        assert_near(hit.point.y, there.y, near);
        assert_near(hit.point.z, there.z, near);
        assert_near((double)drawn_outside(&c.pair, 1, hit.point), 0.0, near);
        // The normal is outward, and the point is as high along it as the shape goes.
        const wide_v3 n = wide_from(hit.normal);
        assert_near((double)wide_norm(n), 1.0, 1e-14);
        if (kind != DP_GEOM_PLANE) {
            const reference_body *s = &c.pair.body[1];
            const long double top = wide_dot(n, reference_support(s, n));
            const long double reached = wide_dot(n, wide_sub(wide_from(hit.point), s->p));
            assert_near((double)((top - reached) / c.size), 0.0, 1e-9);
            assert_true(hit.normal.x * c.direction.x + hit.normal.y * c.direction.y +
                            hit.normal.z * c.direction.z <=
                        1e-9 * length);
        }
        // No further than the limit.
        dp_ray_hit again;
        assert_int_equal(dp_shape_ray(&again, &c.pair.shape[1], c.pair.pose[1], c.origin,
                                      c.direction, hit.distance * (1.0 - 1e-9)),
                         DP_OK);
        assert_false(again.hit);
    }
    assert_true(hits > 3000 && misses > 1000);
}

static void a_ray_from_inside_hits_at_once(void **state)
{
    (void)state;
    random_source r = {33};
    for (int i = 0; i < 700; ++i) {
        const ray_case c = draw_ray(i % 7, DRAW_ANY, &r);
        if (drawn_outside(&c.pair, 1, c.pair.pose[1].p) > 0.0L) {
            continue;
        }
        dp_v3 inside = c.pair.pose[1].p;
        if (i % 7 == DP_GEOM_PLANE) {
            const reference_body *s = &c.pair.body[1];
            inside.x -= (double)s->R[0][2];
            inside.y -= (double)s->R[1][2];
            inside.z -= (double)s->R[2][2];
        } else if (i % 7 == DP_GEOM_MESH) {
            continue; // its place may be outside
        }
        dp_ray_hit hit;
        assert_int_equal(dp_shape_ray(&hit, &c.pair.shape[1], c.pair.pose[1], inside, c.direction,
                                      (double)INFINITY),
                         DP_OK);
        assert_true(hit.hit && hit.distance == 0.0);
        assert_true(hit.normal.x * c.direction.x + hit.normal.y * c.direction.y +
                        hit.normal.z * c.direction.z <
                    0.0);
    }
}

static void bounds_hold_the_shape_and_little_more(void **state)
{
    (void)state;
    random_source r = {34};
    for (int i = 0; i < 6000; ++i) {
        drawn_pair pair;
        const dp_geom_kind both[2] = {DP_GEOM_SPHERE, (dp_geom_kind)(1 + i % 6)};
        draw_pair(&pair, both, (draw_situation)(i % DRAW_SITUATIONS), &r);
        dp_bounds b;
        assert_int_equal(dp_shape_bounds(&b, &pair.shape[1], pair.pose[1]), DP_OK);
        const reference_body *s = &pair.body[1];
        const double radius = (double)reference_radius(s);
        for (int k = 0; k < 3; ++k) {
            wide_v3 n = {k == 0, k == 1, k == 2};
            const long double at = (&s->p.x)[k];
            const long double high = at + wide_dot(n, reference_support(s, n));
            n = wide_scale(n, -1.0L);
            const long double low = at - wide_dot(n, reference_support(s, n));
            const long double far = fabsl(at) + radius;
            assert_true((&b.high.x)[k] >= high && (&b.low.x)[k] <= low);
            assert_true((&b.high.x)[k] <= high + 64.0L * DBL_EPSILON * far);
            assert_true((&b.low.x)[k] >= low - 64.0L * DBL_EPSILON * far);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_is_on_the_surface_and_nothing_before_it_is_inside),
        cmocka_unit_test(a_ray_from_inside_hits_at_once),
        cmocka_unit_test(bounds_hold_the_shape_and_little_more),
    };
    return cmocka_run_group_tests(tests, stock_fill, stock_clear);
}
