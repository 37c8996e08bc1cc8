// Balls that fall into a bin and come to rest there. All of scenes/contact/balls_in_bin.xml takes
// its time: DP_SECONDS chooses for how long it is watched.
#include "standing_scene.h"

#include <dashpot/contact.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double RADIUS = 0.05, HALF_BIN = 0.5, GRAVITY = 9.81, STIFFNESS = 1e7;
static const double HIGHEST = 2.1; // [m] where a ball can come from

static void add_wall(mechanism *x, double px, double py, double sx, double sy)
{
    dp_geom_spec wall = dp_geom_spec_default();
    wall.kind = DP_BOX;
    wall.friction[0] = 0.5;
    wall.pose.p = (dp_v3){px, py, 0.75};
    wall.size[0] = sx;
    wall.size[1] = sy;
    wall.size[2] = 0.75;
    assert_ok(dp_spec_add_geom(NULL, x->spec, DP_WORLD, &wall));
}

// The bin of the scene with fewer layers of 36 balls, each turned by 31 degrees.
static mechanism bin_with(int layers)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = 0.01;
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_PLANE;
    geom.friction[0] = 0.5;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &geom));
    add_wall(&x, 0.55, 0.0, 0.05, 0.6);
    add_wall(&x, -0.55, 0.0, 0.05, 0.6);
    add_wall(&x, 0.0, 0.55, 0.5, 0.05);
    add_wall(&x, 0.0, -0.55, 0.5, 0.05);
    geom.kind = DP_SPHERE;
    geom.size[0] = RADIUS;
    for (int i = 0; i < 36 * layers; ++i) {
        const int layer = i / 36;
        const double turn = 31.0 * 3.14159265358979323846 / 180.0 * layer;
        const double px = 0.11 * (i % 6) - 0.275, py = 0.11 * (i / 6 % 6) - 0.275;
        dp_body_spec body = dp_body_spec_default();
        body.pose.p = (dp_v3){cos(turn) * px - sin(turn) * py, sin(turn) * px + cos(turn) * py,
                              0.06 + 0.11 * layer};
        dp_body_id id;
        assert_ok(dp_spec_add_body(&id, x.spec, DP_WORLD, &body));
        mechanism_joint(&x, id, NULL, DP_FREE, (dp_v3){0.0, 0.0, 1.0});
        assert_ok(dp_spec_add_geom(NULL, x.spec, id, &geom));
    }
    mechanism_compile(&x);
    return x;
}

// [m] What a ball that fell from the top would go into the floor, were it not damped.
static double deepest(void)
{
    const double mass = 1000.0 * 4.0 / 3.0 * 3.14159265358979323846 * RADIUS * RADIUS * RADIUS;
    return sqrt(2.0 * GRAVITY * HIGHEST * mass / STIFFNESS);
}

static void assert_all_inside(const mechanism *x)
{
    const double depth = deepest(), room = HALF_BIN - RADIUS + depth;
    for (int b = 1; b < dp_model_sizes(x->m)->nbody; ++b) {
        const dp_v3 p = dp_body_pose(x->d, (dp_body_id){b}).p;
        if (!(fabs(p.x) <= room && fabs(p.y) <= room && p.z >= RADIUS - depth && p.z < HIGHEST)) {
            fail_msg("ball %d is at %g %g %g", b, p.x, p.y, p.z);
        }
    }
}

static void watch(mechanism *x, double seconds)
{
    long steps = 0, again = 0, worse = 0, passes = 0;
    double residual = 0.0, depth = 0.0;
    for (; dp_data_time(x->d) < seconds - 1e-9; ++steps) {
        mechanism_steps(x, 1);
        const dp_step_info *info = dp_data_step_info(x->d);
        again += info->substeps > 1;
        worse += info->unsolved > 0;
        passes += info->factorizations;
        residual = fmax(residual, info->residual);
        depth = fmax(depth, dp_data_certificate(x->d)->penetration);
        assert_all_inside(x);
    }
    print_message("%ld steps, %ld made in parts, %ld unsolved, residual %.1e m/s, %ld "
                  "factorizations, deepest %.1e m\n",
                  steps, again, worse, residual, passes, depth);
    assert_true(depth <= deepest());
    assert_true(worse * 200 <= steps); // 0.5 %
    assert_true(residual <= 1e-4);
}

static void balls_stay_in_their_bin_and_come_to_rest(void **state)
{
    (void)state;
    mechanism x = bin_with(4);
    const double start = mechanism_energy(&x);
    watch(&x, 2.0);
    const dp_energy end = dp_data_energy(x.d);
    assert_true(end.kinetic < 1e-4 * start);
    const double weight = dp_body_momentum(x.d, DP_WORLD).mass * GRAVITY;
    assert_near(dp_contact_on_body(x.d, DP_WORLD, (dp_v3){0.0, 0.0, 0.0}).f.z, -weight,
                0.01 * weight);
    mechanism_end(&x);
}

static void all_666_balls_stay_in_their_bin(void **state)
{
    (void)state;
    const char *seconds = getenv("DP_SECONDS");
    mechanism x = standing_scene("contact/balls_in_bin.xml", NULL);
    watch(&x, seconds ? atof(seconds) : 0.35);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_stay_in_their_bin_and_come_to_rest),
        cmocka_unit_test(all_666_balls_stay_in_their_bin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
