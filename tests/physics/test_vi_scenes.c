// The law `vi` in steps: what sticks, slides, hovers and hangs.
#include "contact_scene.h"
#include "trial.h"

#include <math.h>
#include <string.h>

static const double GRAVITY = 9.81;
static const dp_v3 DOWN = {0.0, 0.0, -9.81};

static void use_vi(mechanism *x)
{
    dp_data_options(x->d)->solver.law = DP_LAW_VI;
}

static void advance(mechanism *x)
{
    assert_ok(dp_step(x->d));
    assert_int_equal(dp_data_report(x->d)->unsolved, 0);
}

// A ball of 2 kg that cannot turn, on the floor.
static mechanism slider(double mu, double h)
{
    mechanism x = contact_scene_begin((contact_stuff){.mu = mu}, DOWN, h);
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "ball", (dp_v3){0.0, 0.0, 0.1}, 2.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.01, 0.01});
    static const dp_v3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    static const char *const name[3] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) {
        mechanism_joint(&x, body, name[i], DP_JOINT_SLIDE, axis[i]);
    }
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_SPHERE;
    geom.size[0] = 0.1;
    geom.friction[0] = mu;
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
    mechanism_compile(&x);
    use_vi(&x);
    return x;
}

// After the flight that its first step sends it on. The gap at the end of each step is h μ ‖u_t‖ of
// that step, and what brakes it is μ times the load that this height, which falls, leaves.
static void a_body_that_slides_hovers_at_h_mu_v(void **state)
{
    (void)state;
    static const double mus[] = {0.1, 0.5, 1.5}, steps[] = {0.01, 0.002};
    for (int k = 0; k < 6; ++k) {
        const double mu = mus[k / 2], h = steps[k % 2];
        mechanism x = slider(mu, h);
        mechanism_set(&x, dp_data_q(x.d), (double[]){2.4, -1.8, 0.0});
        const int last = 100 + (int)(3.5 / (mu * GRAVITY * h)); // it brakes by μ g h in a step
        int hovering = 0;
        for (int i = 0; i < last; ++i) {
            advance(&x);
            const double *q = dp_data_q(x.d), *v = dp_data_v(x.d), speed = hypot(v[0], v[1]);
            const dp_certificate *c = &dp_data_report(x.d)->certificate;
            if (c->nactive > 0 && speed > 1e-3) {
                assert_near(q[2], h * mu * speed, 1e-12);
                assert_near(c->lift_off, h * mu * speed, 1e-12);
                ++hovering;
            }
            assert_true(fabs(v[0] * 1.8 + v[1] * 2.4) <= 1e-12); // straight on
        }
        assert_true(hovering > (mu < 1.0 ? 10 : 0)); // much friction throws it up high
        assert_near(hypot(dp_data_v(x.d)[0], dp_data_v(x.d)[1]), 0.0, 1e-12);
        assert_near(dp_data_q(x.d)[2], 0.0, 1e-12);
        mechanism_end(&x);
    }
}

// Symplectic Euler with n = V/(μ g h) steps: ½ V²/(μ g) (1 + 1/n), as under the other rigid laws.
static void with_de_saxces_term_it_stays_down_and_stops_where_ncp_stops(void **state)
{
    (void)state;
    const double mu = 0.4, h = 0.005, V = 1.5;
    double way[2];
    for (int k = 0; k < 2; ++k) {
        mechanism x = slider(mu, h);
        dp_data_options(x.d)->solver.vi.desaxce = true;
        if (k == 1) {
            dp_data_options(x.d)->solver.law = DP_LAW_NCP;
        }
        mechanism_set(&x, dp_data_q(x.d), (double[]){V, 0.0, 0.0});
        for (int i = 0; i < 200; ++i) {
            advance(&x);
            assert_near(dp_data_q(x.d)[2], 0.0, 1e-9);
        }
        way[k] = dp_data_q(x.d)[0];
        mechanism_end(&x);
    }
    assert_near(way[0], way[1], 1e-9);
    assert_near(way[1], 0.5 * V * V / (mu * GRAVITY), mu * GRAVITY * h * h + 0.5 * V * h);
}

static void with_discs_a_body_stays_down_and_stops_on_its_way(void **state)
{
    (void)state;
    const double mu = 0.4, h = 0.005;
    mechanism x = slider(mu, h);
    dp_data_options(x.d)->solver.vi.friction = DP_VI_FRICTION_DISC;
    mechanism_set(&x, dp_data_q(x.d), (double[]){1.2, 0.9, 0.0});
    for (int i = 0; i < 200; ++i) {
        const double before = hypot(dp_data_v(x.d)[0], dp_data_v(x.d)[1]);
        advance(&x);
        const double *v = dp_data_v(x.d), now = hypot(v[0], v[1]);
        assert_near(now, fmax(before - mu * GRAVITY * h, 0.0), 1e-11);
        assert_near(dp_data_q(x.d)[2], 0.0, 1e-12);
    }
    mechanism_end(&x);
}

// A box of 4 corners, with more on top: no creep, no lift-off, and the floor has all the weight.
static void boxes_on_each_other_stay_where_they_are(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.5};
    mechanism x = contact_scene_begin(stuff, DOWN, 0.01);
    static const char *const name[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 5; ++i) {
        contact_scene_add(&x, name[i], DP_GEOM_BOX, 0.1, 1.0 + i, 0.1 + 0.2 * i, stuff);
    }
    mechanism_compile(&x);
    use_vi(&x);
    double start[64];
    const size_t bytes = 5 * 7 * sizeof *start;
    memcpy(start, dp_data_q(x.d), bytes);
    for (int i = 0; i < 100; ++i) {
        advance(&x);
    }
    for (size_t i = 0; i < bytes / sizeof *start; ++i) {
        assert_near(dp_data_q(x.d)[i], start[i], 1e-12);
    }
    const dp_certificate *c = &dp_data_report(x.d)->certificate;
    assert_true(c->creep <= 1e-11 && c->lift_off <= 1e-12 && c->normal_law <= 1e-11);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_slides_hovers_at_h_mu_v),
        cmocka_unit_test(with_de_saxces_term_it_stays_down_and_stops_where_ncp_stops),
        cmocka_unit_test(with_discs_a_body_stays_down_and_stops_on_its_way),
        cmocka_unit_test(boxes_on_each_other_stay_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
