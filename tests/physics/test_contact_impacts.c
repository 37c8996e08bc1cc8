// Impacts on undamped springs and blocks that rock: closed forms, met at first order.
#include "standing_scene.h"

#include <dashpot/contact.h>

#include <math.h>
#include <stdio.h>

#define INF ((double)INFINITY)

static dp_geom_spec springy(dp_geom_kind kind, double size, double stiffness)
{
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = kind;
    geom.size[0] = size;
    geom.contact.material_given = true;
    geom.contact.material.stiffness = stiffness;
    geom.contact.material.damping = 0.0;
    geom.contact.condim = 1;
    return geom;
}

static dp_body_id sliding_ball(mechanism *x, const char *name, dp_v3 at, dp_v3 axis, double radius,
                               double mass, double stiffness)
{
    const double moment = 0.4 * mass * radius * radius;
    const dp_body_id ball = mechanism_body(x, DP_WORLD, name, at, mass, (dp_v3){0.0, 0.0, 0.0},
                                           (dp_v3){moment, moment, moment});
    mechanism_joint(x, ball, name, DP_SLIDE, axis);
    const dp_geom_spec geom = springy(DP_SPHERE, radius, stiffness);
    assert_ok(dp_spec_add_geom(NULL, x->spec, ball, &geom));
    return ball;
}

// How much of its height a ball loses when it bounces once.
static double lost_height(double h)
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, -10.0};
    o->step = h;
    o->ledger = true;
    const dp_geom_spec floor = springy(DP_PLANE, 1.0, INF);
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &floor));
    sliding_ball(&x, "ball", (dp_v3){0.0, 0.0, 0.1}, (dp_v3){0.0, 0.0, 1.0}, 0.1, 1.0, 1e4);
    mechanism_compile(&x);
    mechanism_set(&x, (double[]){0.5}, (double[]){0.0});
    double top = -1.0;
    bool bounced = false;
    for (int i = 0; i * h < 0.7; ++i) {
        mechanism_steps(&x, 1);
        bounced = bounced || dp_data_q(x.d)[0] < 0.0;
        top = bounced ? fmax(top, dp_data_q(x.d)[0]) : top;
        // the method takes energy and gives none; round-off of 5 J
        assert_true(dp_data_ledger(x.d)->remainder <= 1e-13);
    }
    mechanism_end(&x);
    return 0.5 - top;
}

static void an_undamped_ball_returns_to_where_it_was_dropped(void **state)
{
    (void)state;
    const double coarse = lost_height(1e-4), fine = lost_height(5e-5);
    assert_true(coarse > 0.0 && coarse < 0.05);
    assert_near(coarse / fine, 2.0, 0.1); // first order
}

// What the first of five balls that do not touch each other keeps from the last.
static double lost_speed(double h)
{
    enum { BALLS = 5 };
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, 0.0};
    o->step = h;
    for (int i = 0; i < BALLS; ++i) {
        char name[24];
        snprintf(name, sizeof name, "ball_%d", i);
        sliding_ball(&x, name, (dp_v3){0.201 * i, 0.0, 0.0}, (dp_v3){1.0, 0.0, 0.0}, 0.1, 1.0, 1e6);
    }
    mechanism_compile(&x);
    const double q[BALLS] = {0.0}, v[BALLS] = {1.0};
    mechanism_set(&x, q, v);
    mechanism_steps(&x, (int)lround(0.05 / h));
    const double *now = dp_data_v(x.d);
    double momentum = 0.0;
    for (int i = 0; i < BALLS; ++i) {
        momentum += now[i];
    }
    assert_near(momentum, 1.0, 1e-9);
    const double lost = 1.0 - now[BALLS - 1];
    mechanism_end(&x);
    return lost;
}

static void speed_passes_through_a_row_of_balls(void **state)
{
    (void)state;
    const double coarse = lost_speed(2e-5), fine = lost_speed(1e-5);
    assert_true(coarse > 0.0 && coarse < 0.1);
    assert_near(coarse / fine, 2.0, 0.1); // first order
}

// θ¨ = −p² sin(α − θ) until θ = 0, for a block that turns about its edge [Housner's block].
static double time_to_land(double p, double alpha, double theta)
{
    const double dt = 1e-6;
    double rate = 0.0, t = 0.0;
    while (theta > 0.0) { // symplectic, 1e-6 s
        rate -= dt * p * p * sin(alpha - theta);
        theta += dt * rate;
        t += dt;
    }
    return t;
}

// On springs that give by 1e-8 m.
static void a_rocking_block_lands_when_it_should(void **state)
{
    (void)state;
    const double half_width = 0.1, half_height = 0.4, g = 9.81, tilt = 0.0872664625997164788;
    const double R = sqrt(half_width * half_width + half_height * half_height);
    const double expected =
        time_to_land(sqrt(3.0 * g / (4.0 * R)), atan(half_width / half_height), tilt);
    double error[2];
    for (int k = 0; k < 2; ++k) {
        mechanism x = mechanism_begin();
        dp_options *o = dp_spec_options(x.spec);
        o->gravity = (dp_v3){0.0, 0.0, -g};
        o->step = k == 0 ? 1e-3 : 5e-4;
        dp_geom_spec geom = springy(DP_PLANE, 1.0, INF);
        geom.contact.condim = 3;
        assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &geom));
        dp_body_spec body = dp_body_spec_default();
        body.name = "block";
        dp_body_id block;
        assert_ok(dp_spec_add_body(&block, x.spec, DP_WORLD, &body));
        mechanism_joint(&x, block, "free", DP_FREE, (dp_v3){0.0, 0.0, 1.0});
        geom = springy(DP_BOX, half_width, 1e11);
        geom.contact.condim = 3;
        geom.size[1] = half_width;
        geom.size[2] = half_height;
        assert_ok(dp_spec_add_geom(NULL, x.spec, block, &geom));
        mechanism_compile(&x);
        const double c = cos(tilt), s = sin(tilt);
        const double q[7] = {half_height * s - half_width * c,
                             0.0,
                             half_height * c + half_width * s,
                             cos(tilt / 2.0),
                             0.0,
                             sin(tilt / 2.0),
                             0.0};
        mechanism_set(&x, q, (double[6]){0.0});
        double before = tilt, t = 0.0;
        for (; before > 0.0 && t < 1.0;) {
            mechanism_steps(&x, 1);
            const double *now = dp_data_q(x.d), step = dp_data_options(x.d)->step;
            const double angle = 2.0 * asin(now[5]);
            t += angle > 0.0 ? step : step * before / (before - angle);
            before = angle;
        }
        error[k] = fabs(t - expected);
        assert_true(error[k] < dp_data_options(x.d)->step);
        mechanism_end(&x);
    }
    assert_near(error[0] / error[1], 2.0, 0.3); // first order, when it lands within a step
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_undamped_ball_returns_to_where_it_was_dropped),
        cmocka_unit_test(speed_passes_through_a_row_of_balls),
        cmocka_unit_test(a_rocking_block_lands_when_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
