// The law `lcp` in steps: closed forms of what sticks and slides, with the bias that polygons
// bring. What all rigid laws have in common: test_rigid_scenes.c.
#include "contact_scene.h"
#include "trial.h"

#include <math.h>

static const double PI = 3.14159265358979323846, GRAVITY = 9.81;

static void use_lcp(mechanism *x, int directions)
{
    dp_data_options(x->d)->solver.law = DP_LAW_LCP;
    dp_data_options(x->d)->solver.lcp.directions = directions;
}

static void assert_solved(const mechanism *x)
{
    const dp_step_report *info = dp_data_report(x->d);
    assert_int_equal(info->unsolved, 0);
    assert_int_equal(dp_data_report(x->d)->certificate.fallbacks, 0);
}

// ---- a body that slides

// Where it comes to rest from the speed V at `heading`: along the nearest corner of the polygon
// friction is μ g against that corner alone, until the slip is midway between two corners; from
// there on it is μ g cos π/r along the way.
static void predict(double way[2], double V, double heading, double mu, int r)
{
    const double brake = mu * GRAVITY, sector = 2.0 * PI / r;
    const double corner = sector * floor(heading / sector + 0.5), off = heading - corner;
    const double along = V * cos(off), across = V * fabs(sin(off)), side = off < 0.0 ? -1.0 : 1.0;
    const double limit = across / tan(PI / r); // midway is reached with this along the corner
    const double t = (along - limit) / brake;
    double x = along * t - 0.5 * brake * t * t, y = across * t;
    const double left = across / sin(PI / r), rest = 0.5 * left * left / (brake * cos(PI / r));
    x += rest * cos(PI / r);
    y += rest * sin(PI / r);
    way[0] = x * cos(corner) - side * y * sin(corner);
    way[1] = x * sin(corner) + side * y * cos(corner);
}

static void a_sliding_body_ends_where_the_polygon_leads_it(void **state)
{
    (void)state;
    const double V = 1.0, mu = 0.5, h = 5e-4;
    random_source random = {.state = 11};
    for (int r = 4; r <= 16; r *= 2) {
        for (int k = 0; k < 6; ++k) { // along a corner, midway, and at random
            const double heading = k == 0   ? 2.0 * PI / r
                                   : k == 1 ? PI / r
                                            : random_between(&random, 0.0, 2.0 * PI);
            mechanism x = contact_scene_slider(mu, h, -1.0, 0.0);
            use_lcp(&x, r);
            mechanism_set(&x, dp_data_q(x.d), (double[]){V * cos(heading), V * sin(heading), 0.0});
            mechanism_steps(&x, (int)(1.6 * V / (mu * GRAVITY) / h));
            double way[2];
            predict(way, V, heading, mu, r);
            const double *q = dp_data_q(x.d), *v = dp_data_v(x.d);
            assert_near(q[0], way[0], V * h); // symplectic Euler: half of that along a line
            assert_near(q[1], way[1], V * h);
            assert_near(hypot(v[0], v[1]), 0.0, 1e-15);
            assert_near(q[2], 0.0, 1e-15);
            assert_solved(&x);
            if (k == 1) { // longer than with the disc by 1/cos π/r
                assert_near(hypot(q[0], q[1]) * cos(PI / r), 0.5 * V * V / (mu * GRAVITY), V * h);
            }
            mechanism_end(&x);
        }
    }
}

static void the_certificate_of_a_run_tells_the_bias(void **state)
{
    (void)state;
    mechanism x = contact_scene_slider(0.5, 1e-3, -1.0, 0.0);
    use_lcp(&x, 8);
    mechanism_set(&x, dp_data_q(x.d), (double[]){cos(0.3), sin(0.3), 0.0});
    mechanism_steps(&x, 1);
    assert_near(dp_data_report(x.d)->certificate.heading, 0.3, 0.01); // the slip turns by μ g h/V
    assert_near(dp_data_report(x.d)->certificate.shortfall, 0.0, 1e-12);
    assert_near(dp_data_report(x.d)->certificate.normal_law, 0.0, 1e-14);
    mechanism_end(&x);
}

// ---- a body that sticks

// A box on a ramp, that is, with gravity aslant. The polygon ends at `edge` of μ in the heading.
static void a_box_on_a_ramp_sticks_to_the_edge_of_the_polygon(void **state)
{
    (void)state;
    const double mu = 0.5, g = 9.81;
    random_source random = {.state = 3};
    for (int r = 4; r <= 8; r += 4) {
        for (int k = 0; k < 8; ++k) {
            const double heading = k == 0   ? 0.0
                                   : k == 1 ? PI / r
                                            : random_between(&random, 0.0, 2.0 * PI);
            const double off = fabs(remainder(heading, 2.0 * PI / r));
            const double edge = cos(PI / r) / cos(PI / r - off);
            for (int side = -1; side <= 1; side += 2) {
                const double slope = mu * edge * (1.0 + 1e-3 * side), down = g / hypot(1.0, slope);
                const dp_v3 gravity = {slope * down * cos(heading), slope * down * sin(heading),
                                       -down};
                mechanism x = contact_scene_begin((contact_stuff){.mu = mu}, gravity, 0.01);
                contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 1.0, 0.1, (contact_stuff){.mu = mu});
                mechanism_compile(&x);
                use_lcp(&x, r);
                mechanism_steps(&x, 20);
                const double *v = dp_data_v(x.d);
                const double speed = hypot(v[0], v[1]);
                if (side < 0) {
                    assert_true(speed <= 1e-15);
                    assert_near(hypot(dp_data_q(x.d)[0], dp_data_q(x.d)[1]), 0.0, 1e-15);
                } else { // by the thousandth that friction lacks, or what of it points down the
                         // edge
                    assert_true(speed >= 0.9e-3 * slope * down * 0.2 * cos(PI / r));
                }
                assert_solved(&x);
                mechanism_end(&x);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sliding_body_ends_where_the_polygon_leads_it),
        cmocka_unit_test(the_certificate_of_a_run_tells_the_bias),
        cmocka_unit_test(a_box_on_a_ramp_sticks_to_the_edge_of_the_polygon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
