// A particle against planes: the discrete answer is known for any stiffness, friction and heading.
#include "mechanism.h"
#include "test_random.h"

#include <dashpot/contact.h>

#include <math.h>

#define INF ((double)INFINITY)

// A small ball of 1 kg that cannot turn. Its springs have the stiffness, planes are rigid.
static mechanism particle(double stiffness, double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = h;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "ball", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, body, "x", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
    mechanism_joint(&x, body, "y", DP_JOINT_SLIDE, (dp_v3){0.0, 1.0, 0.0});
    mechanism_joint(&x, body, "z", DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_SPHERE;
    geom.size[0] = 0.01;
    geom.friction[0] = 0.0;
    geom.contact.material_given = true;
    geom.contact.material.stiffness = stiffness;
    geom.contact.material.damping = 0.0;
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
    return x;
}

// A plane that the ball just touches at q = 0, turned about the y axis.
static void add_plane(mechanism *x, double angle, double mu)
{
    dp_geom_spec plane = dp_geom_spec_default();
    plane.kind = DP_GEOM_PLANE;
    plane.friction[0] = mu;
    plane.pose.q = (dp_quat){cos(angle / 2.0), 0.0, sin(angle / 2.0), 0.0};
    plane.pose.p = (dp_v3){-0.01 * sin(angle), 0.0, -0.01 * cos(angle)};
    plane.contact.material_given = true;
    plane.contact.material.stiffness = INF;
    assert_ok(dp_spec_add_geom(NULL, x->spec, DP_WORLD, &plane));
}

// v ← max(0, v − brake) step by step, and where that leads.
static double discrete_way(double v, double brake, double h, int steps)
{
    double way = 0.0;
    for (int i = 0; i < steps; ++i) {
        v = v > brake ? v - brake : 0.0;
        way += h * v;
    }
    return way;
}

// μ = 0, 1/8 … 5/8; k = 1e4 … 1e12; any heading.
static void a_particle_slides_the_discrete_way_to_the_nanometre(void **state)
{
    (void)state;
    random_source r = {.state = 11};
    const double h = 0.01, g = 10.0, speed = 1.0;
    for (int i = 0; i < 54; ++i) {
        const double mu = 0.125 * (i % 6), stiffness = pow(10.0, 4 + i / 6);
        const double heading = random_between(&r, 0.0, 6.2831853);
        mechanism x = particle(stiffness, h);
        dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, -g};
        add_plane(&x, 0.0, mu);
        mechanism_compile(&x);
        const double cx = cos(heading), cy = sin(heading);
        mechanism_set(&x, (double[]){0.0, 0.0, -g / stiffness},
                      (double[]){speed * cx, speed * cy, 0.0});
        mechanism_steps(&x, 120);
        const double *q = dp_data_q(x.d);
        assert_near(q[0] * cx + q[1] * cy, discrete_way(speed, mu * g * h, h, 120), 1e-9);
        assert_near(q[1] * cx - q[0] * cy, 0.0, 1e-9); // it does not leave its heading
        assert_near(q[2], -g / stiffness, 1e-9 * h);   // load/k, to the tolerance of the law
        const dp_certificate *c = &dp_data_report(x.d)->certificate;
        assert_true(c->creep <= 1e-9 && c->lift_off <= 1e-12 && c->cone <= 1e-12);
        mechanism_end(&x);
    }
}

static void a_particle_inside_the_cone_stays_where_it_is(void **state)
{
    (void)state;
    random_source r = {.state = 12};
    for (int i = 0; i < 36; ++i) {
        const double mu = 0.125 * (i % 4 + 1), stiffness = pow(10.0, 4 + i / 4);
        const double heading = random_between(&r, 0.0, 6.2831853), share = 0.999;
        mechanism x = particle(stiffness, 0.01);
        dp_spec_options(x.spec)->gravity =
            (dp_v3){share * mu * 10.0 * cos(heading), share * mu * 10.0 * sin(heading), -10.0};
        add_plane(&x, 0.0, mu);
        mechanism_compile(&x);
        mechanism_set(&x, (double[]){0.0, 0.0, -10.0 / stiffness}, (double[]){0.0, 0.0, 0.0});
        mechanism_steps(&x, 1000);
        assert_near(dp_data_q(x.d)[0], 0.0, 1e-8); // 1e-9 m/s for 10 s
        assert_near(dp_data_q(x.d)[1], 0.0, 1e-8);
        mechanism_end(&x);
    }
}

// Between two planes a force can grow as much as it likes: friction of one side calls for more
// normal force on the other, which calls for more friction. Pulled in directions at random.
static void a_wedge_is_solved_whatever_pulls_at_it(void **state)
{
    (void)state;
    random_source r = {.state = 13};
    for (int i = 0; i < 60; ++i) {
        const double mu = random_between(&r, 0.05, 2.0), half = random_between(&r, 0.05, 1.4);
        const double stiffness = pow(10.0, random_between(&r, 4.0, 12.0));
        mechanism x = particle(stiffness, 0.01);
        add_plane(&x, half - 1.5707963267948966, mu);
        add_plane(&x, 1.5707963267948966 - half, mu);
        mechanism_compile(&x);
        for (int k = 0; k < 50; ++k) {
            dp_data_options(x.d)->gravity =
                (dp_v3){random_between(&r, -20.0, 20.0), random_between(&r, -20.0, 20.0),
                        random_between(&r, -40.0, 2.0)};
            mechanism_steps(&x, 1);
            assert_int_equal(dp_data_report(x.d)->outcome, DP_OUTCOME_CONVERGED);
            assert_int_equal(dp_data_report(x.d)->work.substeps, 1);
        }
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_slides_the_discrete_way_to_the_nanometre),
        cmocka_unit_test(a_particle_inside_the_cone_stays_where_it_is),
        cmocka_unit_test(a_wedge_is_solved_whatever_pulls_at_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
