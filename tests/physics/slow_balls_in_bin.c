// Balls that fall into a bin and come to rest there. DP_SECONDS chooses for how long all of
// scenes/contact/balls_in_bin.xml are watched.
#include "standing_scene.h"

#include <dashpot/contact.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RADIUS = 0.05, HALF_BIN = 0.5, GRAVITY = 9.81, STIFFNESS = 1e7;
static const double HIGHEST = 2.1; // [m] where a ball can come from

static void add_wall(mechanism *x, double px, double py, double sx, double sy)
{
    dp_geom_spec wall = dp_geom_spec_default();
    wall.kind = DP_GEOM_BOX;
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
    geom.kind = DP_GEOM_PLANE;
    geom.friction[0] = 0.5;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &geom));
    add_wall(&x, 0.55, 0.0, 0.05, 0.6);
    add_wall(&x, -0.55, 0.0, 0.05, 0.6);
    add_wall(&x, 0.0, 0.55, 0.5, 0.05);
    add_wall(&x, 0.0, -0.55, 0.5, 0.05);
    geom.kind = DP_GEOM_SPHERE;
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
        mechanism_joint(&x, id, NULL, DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
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

// [m/s] How fast two balls can pass each other where they touch.
static double fastest(const mechanism *x)
{
    const double *v = dp_data_v(x->d);
    double most = 0.0;
    for (int i = 0; i < dp_model_sizes(x->m)->nv; i += 6) {
        const double goes = sqrt(v[i] * v[i] + v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2]);
        const double spins = sqrt(v[i + 3] * v[i + 3] + v[i + 4] * v[i + 4] + v[i + 5] * v[i + 5]);
        most = fmax(most, goes + RADIUS * spins);
    }
    return 2.0 * most;
}

static void watch(mechanism *x, double seconds)
{
    long steps = 0, again = 0, worse = 0, passes = 0, heaps = 0;
    double residual = 0.0, depth = 0.0;
    for (; dp_data_time(x->d) < seconds - 1e-9; ++steps) {
        const double speed = fastest(x);
        mechanism_steps(x, 1);
        const dp_step_report *info = dp_data_report(x->d);
        again += info->work.substeps > 1;
        worse += info->unsolved > 0;
        passes += info->work.factorizations;
        residual = fmax(residual, info->residual);
        heaps += dp_data_report(x->d)->certificate.within_error > 0;
        if (info->unsolved == 0) {
            assert_true(info->residual <= fmax(1e-9, 1e-2 * speed));
        }
        depth = fmax(depth, dp_data_report(x->d)->certificate.penetration);
        assert_all_inside(x);
    }
    print_message("%ld steps, %ld made in parts, %ld unsolved, %ld of heaps that moved, residual "
                  "%.1e m/s, %ld factorizations, deepest %.1e m\n",
                  steps, again, worse, heaps, residual, passes, depth);
    assert_true(depth <= deepest());
    assert_true(worse * 200 <= steps); // 0.5 %
}

static void come_to_rest(mechanism *x, double seconds)
{
    const double start = mechanism_energy(x);
    watch(x, seconds);
    const dp_energy end = dp_data_energy(x->d);
    assert_true(end.kinetic < 1e-4 * start);
    assert_true(dp_data_report(x->d)->residual < 1e-4);
    const double weight = dp_body_momentum(x->d, DP_WORLD).mass * GRAVITY;
    assert_near(dp_contact_on_body(x->d, DP_WORLD, (dp_v3){0.0, 0.0, 0.0}).f.z, -weight,
                0.01 * weight);
}

static void balls_stay_in_their_bin_and_come_to_rest(void **state)
{
    (void)state;
    mechanism x = bin_with(4);
    come_to_rest(&x, 2.0);
    mechanism_end(&x);
}

static void all_666_balls_stay_in_their_bin_and_come_to_rest(void **state)
{
    (void)state;
    const char *seconds = getenv("DP_SECONDS");
    mechanism x = standing_scene("contact/balls_in_bin.xml", NULL);
    come_to_rest(&x, seconds ? atof(seconds) : 3.0);
    mechanism_end(&x);
}

// Their heap is all but at rest in the end, and then sweeps take long and factors do not help.
static void rigid_balls_take_few_factorizations(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/balls_in_bin.xml", NULL);
    dp_data_options(x.d)->solver.law = DP_LAW_NCP;
    dp_data_options(x.d)->step = 0.005;
    dp_data_options(x.d)->contact_friction_scale = 1.000001;
    long factorizations = 0, unsolved = 0;
    const int steps = 360;
    for (int k = 0; k < steps; ++k) {
        mechanism_steps(&x, 1);
        factorizations += dp_data_report(x.d)->work.factorizations;
        unsolved += dp_data_report(x.d)->unsolved;
    }
    print_message("%ld factorizations in %d steps\n", factorizations, steps);
    assert_true(unsolved == 0);
    assert_true(factorizations <= 5L * steps);
    mechanism_end(&x);
}

// ---- what the tolerance of heaps does to a step

// [m/s] By how much balls move differently, in the root of the mean square.
static double difference(const double *v, const double *w, int nv)
{
    double square = 0.0;
    for (int i = 0; i < nv; ++i) {
        const bool moves = i % 6 < 3; // and does not turn
        square += moves ? (v[i] - w[i]) * (v[i] - w[i]) : 0.0;
    }
    return sqrt(square / (nv / 6));
}

// So many steps of h/steps from where `from` is. @return the velocities, of d
static const double *go(dp_data *d, const dp_data *from, int steps, double error_share)
{
    assert_ok(dp_data_copy(d, from));
    dp_data_options(d)->step /= steps;
    dp_data_options(d)->solver.error_share = error_share;
    for (int k = 0; k < steps; ++k) {
        assert_ok(dp_step(d));
    }
    return dp_data_v(d);
}

// The same step to all digits, and in two halves: from one to the other velocities change far more
// than the tolerance leaves.
static void the_tolerance_of_heaps_is_small_beside_the_error_of_the_step(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/balls_in_bin.xml", NULL);
    dp_data_options(x.d)->step = 0.005;
    dp_data *y;
    assert_ok(dp_data_create(&y, x.m, NULL));
    const int nv = dp_model_sizes(x.m)->nv;
    const size_t bytes = (size_t)nv * sizeof(double);
    double *rough = malloc(bytes), *fine = malloc(bytes), left = 0.0, off = 0.0;
    assert_true(rough && fine);
    for (int k = 0; k < 9; ++k) {
        mechanism_steps(&x, k == 0 ? 40 : 20);
        const double usual = dp_data_options(x.d)->solver.error_share;
        memcpy(rough, go(y, x.d, 1, usual), bytes);
        assert_int_equal(dp_data_report(y)->certificate.within_error, 1);
        memcpy(fine, go(y, x.d, 1, 0.0), bytes);
        assert_true(dp_data_report(y)->residual <= 1e-9);
        const double by_tolerance = difference(rough, fine, nv);
        const double by_step = difference(fine, go(y, x.d, 2, 0.0), nv);
        print_message("%.2f s: %.1e m/s by the tolerance, %.1e by the step\n", dp_data_time(x.d),
                      by_tolerance, by_step);
        left += by_tolerance * by_tolerance;
        off += by_step * by_step;
    }
    assert_true(sqrt(left) <= 0.2 * sqrt(off));
    free(rough);
    free(fine);
    dp_data_destroy(y);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_stay_in_their_bin_and_come_to_rest),
        cmocka_unit_test(all_666_balls_stay_in_their_bin_and_come_to_rest),
        cmocka_unit_test(rigid_balls_take_few_factorizations),
        cmocka_unit_test(the_tolerance_of_heaps_is_small_beside_the_error_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
