// Blocks that slide, stick and stand: the discrete answers are known, step by step.
#include "mechanism.h"
#include "test_random.h"

#include <dashpot/contact.h>

#include <math.h>

#define INF ((double)INFINITY)

// A box of 1 kg on a plane, with friction μ and the stiffness of the contact as a whole.
static mechanism box_on_plane(double mu, double stiffness, dp_v3 gravity, double h)
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = gravity;
    o->step = h;
    dp_geom_spec floor = dp_geom_spec_default();
    floor.kind = DP_GEOM_PLANE;
    floor.friction[0] = mu;
    floor.contact.material_given = true;
    floor.contact.material.stiffness = INF;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &floor));
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "box", (dp_v3){0.0, 0.0, 0.05}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.01, 0.01});
    mechanism_joint(&x, body, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_geom_spec box = dp_geom_spec_default();
    box.kind = DP_GEOM_BOX;
    box.size[0] = box.size[1] = 0.1;
    box.size[2] = 0.05;
    box.friction[0] = mu;
    box.contact.material_given = true;
    box.contact.material.stiffness = stiffness;
    box.contact.material.damping = 0.0;
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &box));
    mechanism_compile(&x);
    return x;
}

// At rest on its springs, with this velocity.
static void start(mechanism *x, double depth, dp_v3 v)
{
    const double q[7] = {0.0, 0.0, 0.05 - depth, 1.0, 0.0, 0.0, 0.0};
    const double v0[6] = {v.x, v.y, v.z, 0.0, 0.0, 0.0};
    mechanism_set(x, q, v0);
}

// v ← max(0, v − μ g h): the way of a particle that semi-implicit steps brake.
static double discrete_way(double v, double brake, double h)
{
    double way = 0.0;
    while (v > 0.0) {
        v = v > brake ? v - brake : 0.0;
        way += h * v;
    }
    return way;
}

// Torques about the contact points turn a box that brakes, but not one that is braked in the plane
// of its centre: gravity acts there and friction 5 cm below. So the floor pushes harder in front,
// on springs: the box tilts by a little. A stiff one goes the particle's way.
static void a_box_slides_as_far_as_a_particle(void **state)
{
    (void)state;
    random_source r = {.state = 7};
    const double h = 0.01, g = 10.0;
    for (int i = 0; i < 12; ++i) {
        const double mu = 0.125 * (i % 4 + 1), stiffness = pow(10.0, 8 + i % 5);
        const double heading = random_between(&r, 0.0, 6.2831853), speed = 1.0;
        mechanism x = box_on_plane(mu, stiffness, (dp_v3){0.0, 0.0, -g}, h);
        const double cx = cos(heading), cy = sin(heading);
        start(&x, g / stiffness, (dp_v3){speed * cx, speed * cy, 0.0});
        mechanism_steps(&x, 200);
        const double *q = dp_data_q(x.d);
        const double way = discrete_way(speed, mu * g * h, h);
        const double tilt = 40.0 * g / stiffness; // of the depth: what tilting may change
        assert_near(q[0] * cx + q[1] * cy, way, 1e-9 + tilt);
        assert_near(q[1] * cx - q[0] * cy, 0.0, 1e-9 + tilt);
        const dp_certificate *c = &dp_data_report(x.d)->certificate;
        assert_true(c->creep <= 1e-9 && c->lift_off <= 1e-12 && c->cone <= 1e-12);
        mechanism_end(&x);
    }
}

static void a_box_inside_the_cone_does_not_creep(void **state)
{
    (void)state;
    const double h = 0.01;
    const double mu = 0.5;
    for (int i = 0; i < 8; ++i) {
        const double slope = atan(mu * (0.2 + 0.11 * i)), stiffness = pow(10.0, 4 + i);
        const dp_v3 gravity = {9.81 * sin(slope), 0.0, -9.81 * cos(slope)};
        mechanism x = box_on_plane(mu, stiffness, gravity, h);
        start(&x, 0.0, (dp_v3){0.0, 0.0, 0.0});
        mechanism_steps(&x, 300); // to come to rest on its springs
        const double before = dp_data_q(x.d)[0];
        mechanism_steps(&x, 1000);
        assert_near(dp_data_q(x.d)[0], before, 1e-9 * 10.0); // less than 1e-9 m/s for 10 s
        // To a part of the weight, and to what the law may leave of a row: a thousandth of its
        // tolerance, 1e-9 m/s, over a step.
        const double solved = 1e-12 * h;
        assert_near(0.05 - dp_data_q(x.d)[2], -gravity.z / stiffness, 1e-4 / stiffness + solved);
        assert_true(dp_data_report(x.d)->certificate.creep < 1e-9);
        mechanism_end(&x);
    }
}

static void beyond_the_cone_it_slides_down(void **state)
{
    (void)state;
    const double h = 0.01, mu = 0.3, slope = atan(0.6);
    const dp_v3 gravity = {9.81 * sin(slope), 0.0, -9.81 * cos(slope)};
    mechanism x = box_on_plane(mu, 1e10, gravity, h);
    start(&x, -gravity.z / 1e10, (dp_v3){0.0, 0.0, 0.0});
    mechanism_steps(&x, 100);
    const double a = gravity.x + mu * gravity.z; // v = a h n, x = Σ h v
    assert_near(dp_data_v(x.d)[0], a * h * 100, 1e-8);
    assert_near(dp_data_q(x.d)[0], a * h * h * 100.0 * 101.0 / 2.0, 1e-7);
    mechanism_end(&x);
}

// A ball that is thrown flat: rolls from t = 2v/(7μg) on, with 5/7 of its speed.
static void a_sliding_ball_begins_to_roll(void **state)
{
    (void)state;
    const double mu = 0.2, g = 10.0, v = 2.0, radius = 0.1;
    double error[2];
    for (int k = 0; k < 2; ++k) {
        const double h = k == 0 ? 0.002 : 0.001;
        mechanism x = mechanism_begin();
        dp_options *o = dp_spec_options(x.spec);
        o->gravity = (dp_v3){0.0, 0.0, -g};
        o->step = h;
        dp_geom_spec geom = dp_geom_spec_default();
        geom.kind = DP_GEOM_PLANE;
        geom.friction[0] = mu;
        assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &geom));
        const double I = 0.4 * radius * radius;
        const dp_body_id ball = mechanism_body(&x, DP_WORLD, "ball", (dp_v3){0.0, 0.0, radius}, 1.0,
                                               (dp_v3){0.0, 0.0, 0.0}, (dp_v3){I, I, I});
        mechanism_joint(&x, ball, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
        geom.kind = DP_GEOM_SPHERE;
        geom.size[0] = radius;
        assert_ok(dp_spec_add_geom(NULL, x.spec, ball, &geom));
        mechanism_compile(&x);
        const double q[7] = {0.0, 0.0, radius - g / 1e7, 1.0, 0.0, 0.0, 0.0};
        const double v0[6] = {v, 0.0, 0.0, 0.0, 0.0, 0.0};
        mechanism_set(&x, q, v0);
        double rolls = -1.0;
        for (int i = 0; i * h < 0.6; ++i) {
            mechanism_steps(&x, 1);
            const double *now = dp_data_v(x.d);
            // the arm is shorter by 5e-7 m, and it turns at 14 rad/s
            if (rolls < 0.0 && fabs(now[0] - radius * now[4]) < 1e-5) {
                rolls = (i + 1) * h;
            }
        }
        // Friction acts half the depth of 1e-6 m above the lowest point: 5e-6 of the arm.
        assert_near(dp_data_v(x.d)[0], 5.0 / 7.0 * v, 5e-6 * v);
        error[k] = fabs(rolls - 2.0 * v / (7.0 * mu * g));
        assert_true(error[k] <= 1.01 * h); // to the step in which it happens
        mechanism_end(&x);
    }
}

static void a_belt_carries_a_box(void **state)
{
    (void)state;
    const double h = 0.01, mu = 0.4, g = 10.0, belt = 0.5;
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, -g};
    o->step = h;
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_PLANE;
    geom.friction[0] = mu;
    geom.contact.material.surface_velocity = (dp_v3){belt, 0.0, 0.0};
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &geom));
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "box", (dp_v3){0.0, 0.0, 0.001}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.01, 0.01});
    mechanism_joint(&x, body, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    geom.kind = DP_GEOM_BOX;
    geom.size[0] = geom.size[1] = 0.1;
    geom.size[2] = 0.001;
    geom.contact.material.surface_velocity = (dp_v3){0.0, 0.0, 0.0};
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
    mechanism_compile(&x);
    mechanism_steps(&x, 100);
    assert_near(dp_data_v(x.d)[0], belt, 1e-9);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_slides_as_far_as_a_particle),
        cmocka_unit_test(a_box_inside_the_cone_does_not_creep),
        cmocka_unit_test(beyond_the_cone_it_slides_down),
        cmocka_unit_test(a_sliding_ball_begins_to_roll),
        cmocka_unit_test(a_belt_carries_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
