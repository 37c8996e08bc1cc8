// A cube on an elastic foundation: rest, tilt, lift-off, rocking, energy.
#include "counting_allocator.h"
#include "foundation_rig.h"
#include "spec_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double E = 1e7; // [Pa] rubber
static const dp_geom_id CUBE = {RIG_CUBE};
static const dp_body_id BODY = {1};

static void settle(mechanism *x)
{
    mechanism_steps(x, 300);
    const double *v = dp_data_v(x->d);
    for (int k = 0; k < dp_model_sizes(x->m)->nv; ++k) {
        assert_near(v[k], 0.0, 1e-13);
    }
}

static const double *pressures(const mechanism *x)
{
    return dp_foundation_pressure(x->d, CUBE, NULL, NULL);
}

// ---- at rest

// The depth of 8 µm is the difference of positions of 0.5 m: 1e-16/8e-6 of it is round-off.
static const double DEPTH = 1e-10;

static void the_cube_sinks_in_by_its_weight(void **state)
{
    (void)state;
    const double moduli[] = {1e5, 1e7, 1e9};
    for (int i = 0; i < 3; ++i) {
        mechanism x = foundation_rig(RIG_FREE, 30, 30, moduli[i], 1.0);
        settle(&x);
        const double depth = RIG_WEIGHT / moduli[i];
        assert_near(-(dp_data_q(x.d)[2] - 0.5) / depth, 1.0, fmax(1e-9, 1e-16 / depth * 10.0));
        mechanism_end(&x);
    }
}

static void pressures_sum_to_the_weight(void **state)
{
    (void)state;
    mechanism x = foundation_rig(RIG_FREE, 30, 30, E, 1.0);
    settle(&x);
    int nx, ny;
    const double *p = dp_foundation_pressure(x.d, CUBE, &nx, &ny);
    assert_int_equal(nx, 30);
    assert_int_equal(ny, 30);
    double sum = 0.0;
    for (int i = 0; i < nx * ny; ++i) {
        assert_close(p[i], RIG_WEIGHT, 1e-10); // over 1 m²
        sum += p[i] / (nx * ny);
    }
    assert_close(sum, RIG_WEIGHT, 1e-12);
    const dp_foundation_load load = dp_foundation_sum(x.d, CUBE);
    assert_close(load.force, RIG_WEIGHT, 1e-12);
    assert_close(load.pressure, RIG_WEIGHT, 1e-10);
    assert_near(load.centre.x, 0.0, 1e-12);
    assert_near(load.centre.y, 0.0, 1e-12);
    assert_near(load.centre.z, -0.5, 0.0);
    mechanism_end(&x);
}

static void the_stiffness_does_not_depend_on_the_tiling(void **state)
{
    (void)state;
    const int grid[][2] = {{1, 1}, {2, 3}, {10, 10}, {7, 30}, {100, 100}};
    for (int i = 0; i < 5; ++i) {
        mechanism x = foundation_rig(RIG_SLIDES, grid[i][0], grid[i][1], E, 0.0);
        settle(&x);
        assert_near(-dp_data_q(x.d)[0] / (RIG_WEIGHT / E), 1.0, DEPTH);
        mechanism_end(&x);
    }
}

static void the_forward_dynamics_know_the_pressures(void **state)
{
    (void)state;
    mechanism x = foundation_rig(RIG_FREE, 10, 10, E, 1.0);
    settle(&x);
    assert_ok(dp_forward(x.d));
    assert_close(dp_foundation_sum(x.d, CUBE).force, RIG_WEIGHT, 1e-12);
    assert_near(dp_data_acceleration(x.d)[2], 0.0, 1e-9);
    dp_data_reset(x.d);
    assert_near(dp_foundation_sum(x.d, CUBE).force, 0.0, 0.0);
    mechanism_end(&x);
}

static void any_face_may_be_down(void **state)
{
    (void)state;
    const double half = sqrt(0.5);
    // Turn the cube such that the face looks down.
    const dp_quat turn[] = {{1.0, 0.0, 0.0, 0.0},    {0.0, 1.0, 0.0, 0.0},
                            {half, half, 0.0, 0.0},  {half, -half, 0.0, 0.0},
                            {half, 0.0, -half, 0.0}, {half, 0.0, half, 0.0}};
    for (int i = 0; i < 6; ++i) {
        dp_spec *s = foundation_spec(RIG_SLIDES, 6, 4, E, 0.0);
        dp_geom_spec *box = dp_spec_geom(s, CUBE);
        box->foundation.face = (dp_box_face)i;
        box->pose.q = turn[i];
        mechanism x = mechanism_from(s);
        settle(&x);
        assert_near(-dp_data_q(x.d)[0] / (RIG_WEIGHT / E), 1.0, DEPTH);
        mechanism_end(&x);
    }
}

static void a_cube_on_two_planes_rests_on_both(void **state)
{
    (void)state;
    dp_spec *s = foundation_spec(RIG_SLIDES, 5, 5, E, 0.0);
    dp_geom_spec second = *dp_spec_geom(s, (dp_geom_id){RIG_FLOOR});
    second.name = "the same again";
    assert_ok(dp_spec_add_geom(NULL, s, DP_WORLD, &second));
    mechanism x = mechanism_from(s);
    settle(&x);
    assert_int_equal(dp_model_sizes(x.m)->nfoundation, 2);
    assert_int_equal(dp_data_row_count(x.d), 50);
    assert_near(-dp_data_q(x.d)[0] / (0.5 * RIG_WEIGHT / E), 1.0, DEPTH);
    assert_close(dp_foundation_sum(x.d, CUBE).force, RIG_WEIGHT, 1e-12);
    mechanism_end(&x);
}

// ---- tilted

// Σ A x² of the tiles, along one axis.
static double second_moment(int n)
{
    return (1.0 - 1.0 / ((double)n * n)) / 12.0;
}

// The weight W at the height c over the face helps to tip it: θ = T/(E I − W c).
static double tilt_by(double torque, int n)
{
    return torque / (E * second_moment(n) - 0.5 * RIG_WEIGHT);
}

static void a_moment_tilts_the_pressures(void **state)
{
    (void)state;
    const double Tx = 4.0, Ty = 7.0; // [N m] below W s/6 together: nothing lifts
    mechanism x = foundation_rig(RIG_FREE, 12, 20, E, 1.0);
    dp_data_wrench(x.d, BODY)->t = (dp_v3){Tx, Ty, 0.0};
    settle(&x);
    const double about_x = tilt_by(Tx, 20), about_y = tilt_by(Ty, 12);
    const double *p = pressures(&x);
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 20; ++j) {
            const double at_x = (i + 0.5) / 12.0 - 0.5, at_y = (j + 0.5) / 20.0 - 0.5;
            // A turn about +y presses where x > 0, one about +x where y < 0.
            const double expected = RIG_WEIGHT + E * (about_y * at_x - about_x * at_y);
            assert_true(expected > 0.0);
            assert_close(p[i + 12 * j], expected, 1e-9); // 1e-16 m of gap are 1e-9 Pa; θ² = 1e-10
        }
    }
    const dp_foundation_load load = dp_foundation_sum(x.d, CUBE);
    const double E_I = E * second_moment(12);
    assert_near(load.centre.x, about_y * E_I / RIG_WEIGHT, 1e-9);
    mechanism_end(&x);
}

static void beyond_a_sixth_of_the_side_the_far_edge_lifts(void **state)
{
    (void)state;
    enum { N = 60 };
    const double eccentricity = 0.3; // [m] of 0.5; the kern ends at 1/6
    mechanism x = foundation_rig(RIG_FREE, N, 8, E, 1.0);
    dp_data_wrench(x.d, BODY)->t = (dp_v3){0.0, eccentricity * RIG_WEIGHT, 0.0};
    settle(&x);
    const double *p = pressures(&x);
    int pressed = 0;
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < 8; ++j) {
            assert_close(p[i + N * j], p[i], 1e-9); // the same across
        }
        pressed += p[i] > 0.0;
        assert_true(i == 0 || p[i] >= p[i - 1]);
    }
    // A triangle over the length 3 (s/2 − e), the highest pressure 2 W/(that length).
    const double length = 3.0 * (0.5 - eccentricity);
    assert_near(pressed / (double)N, length, 1.0 / N);
    // The middle of the last tile is half a tile inside; sums over tiles are good to the square.
    const double highest = 2.0 * RIG_WEIGHT / length, tile = 1.0 / (N * length);
    assert_near(p[N - 1], highest * (1.0 - 0.5 * tile), highest * tile * tile);
    const dp_foundation_load load = dp_foundation_sum(x.d, CUBE);
    assert_close(load.force, RIG_WEIGHT, 1e-10);
    // The weight moves by c θ to the side, θ = slope of the pressures/E.
    const double tilt = (p[N - 1] - p[N - 2]) * N / E;
    assert_near(load.centre.x, eccentricity + 0.5 * tilt, 1e-9);
    mechanism_end(&x);
}

static void beyond_half_the_side_the_cube_falls_over(void **state)
{
    (void)state;
    mechanism x = foundation_rig(RIG_FREE, 10, 10, E, 1.0);
    dp_data_wrench(x.d, BODY)->t = (dp_v3){0.0, 0.51 * RIG_WEIGHT, 0.0};
    mechanism_steps(&x, 200);
    assert_true(fabs(dp_data_q(x.d)[5]) > 0.1); // it turns about y
    mechanism_end(&x);
}

// ---- in motion

static void floating_bodies_keep_their_momentum(void **state)
{
    (void)state;
    // A plate that carries the plane floats towards the cube.
    dp_spec *s = foundation_spec(RIG_FREE, 10, 10, 1e5, 1.0);
    dp_body_spec body = dp_body_spec_default();
    body.name = "plate";
    body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    body.inertial = (dp_inertial){3.0, DP_IDENTITY_POSE, {1.0, 1.0, 2.0}};
    body.pose.p = (dp_v3){0.2, 0.1, -0.01};
    dp_body_id plate;
    assert_ok(dp_spec_add_body(&plate, s, DP_WORLD, &body));
    dp_joint_spec joint = dp_joint_spec_default();
    joint.kind = DP_JOINT_FREE;
    assert_ok(dp_spec_add_joint(NULL, s, plate, &joint));
    dp_geom_spec plane = dp_geom_spec_default();
    plane.kind = DP_GEOM_PLANE;
    plane.contype = plane.conaffinity = 2;
    dp_spec_geom(s, CUBE)->contype = dp_spec_geom(s, CUBE)->conaffinity = 2;
    dp_spec_geom(s, (dp_geom_id){RIG_FLOOR})->contype = 4;
    dp_spec_geom(s, (dp_geom_id){RIG_FLOOR})->conaffinity = 4;
    assert_ok(dp_spec_add_geom(NULL, s, plate, &plane));
    dp_spec_options(s)->disable_gravity = true;
    dp_spec_options(s)->step = 0.001;
    mechanism x = mechanism_from(s);
    double v[12] = {0.0};
    v[2] = -0.5;
    v[8] = 0.5;
    v[3] = 0.02; // and turns a little
    mechanism_set(&x, NULL, v);
    const dp_momentum before = dp_body_momentum(x.d, DP_WORLD);
    double most = 0.0;
    for (int i = 0; i < 100; ++i) {
        assert_ok(dp_step(x.d));
        most = fmax(most, dp_foundation_sum(x.d, CUBE).force);
        const dp_momentum now = dp_body_momentum(x.d, DP_WORLD);
        assert_near(now.linear.z, before.linear.z, 1e-13);
        assert_near(now.linear.x, before.linear.x, 1e-13);
    }
    assert_true(most > 100.0); // they met
    assert_near(dp_foundation_sum(x.d, CUBE).force, 0.0, 0.0);
    assert_true(dp_data_v(x.d)[2] > dp_data_v(x.d)[8]); // and part
    mechanism_end(&x);
}

// A floor on a mocap body that accelerates upwards by 2 m/s².
static void a_floor_that_accelerates_adds_to_the_weight(void **state)
{
    (void)state;
    dp_spec *s = foundation_spec(RIG_FREE, 10, 10, E, 1.0);
    geom(s, RIG_FLOOR)->contype = geom(s, RIG_FLOOR)->conaffinity = 0;
    dp_body_spec body = dp_body_spec_default();
    body.name = "lift";
    body.mocap = true;
    dp_body_id lift;
    assert_ok(dp_spec_add_body(&lift, s, DP_WORLD, &body));
    dp_geom_spec plane = dp_geom_spec_default();
    plane.kind = DP_GEOM_PLANE;
    assert_ok(dp_spec_add_geom(NULL, s, lift, &plane));
    dp_motion_spec motion = dp_motion_spec_default();
    motion.body = "lift";
    motion.position[2] = "t^2";
    assert_ok(dp_spec_add_motion(NULL, s, &motion));
    mechanism x = mechanism_from(s);
    mechanism_steps(&x, 100);
    assert_close(dp_foundation_sum(x.d, CUBE).force, 8.0 * 11.81, 1e-9);
    const double depth = dp_data_time(x.d) * dp_data_time(x.d) + 0.5 - dp_data_q(x.d)[2];
    assert_near(depth / (8.0 * 11.81 / E), 1.0, 1e-9);
    mechanism_end(&x);
}

static void the_accounts_of_energy_close(void **state)
{
    (void)state;
    double remainder[3], damped[3];
    for (int k = 0; k < 3; ++k) {
        mechanism x = foundation_rig(RIG_SLIDES, 8, 8, 1e5, 1.0);
        dp_data_options(x.d)->step = 2e-5 / (1 << k);
        dp_data_options(x.d)->ledger = true;
        mechanism_set(&x, (const double[1]){0.001}, NULL);
        const double start = RIG_WEIGHT * 0.001;
        mechanism_steps(&x, 2500 << k);
        const dp_ledger *ledger = dp_data_ledger(x.d);
        const double q = dp_data_q(x.d)[0], v = dp_data_v(x.d)[0];
        const double left = 4.0 * v * v + RIG_WEIGHT * q + 0.5 * 1e5 * fmin(q, 0.0) * q;
        assert_close(ledger->elastic, 0.5 * 1e5 * fmin(q, 0.0) * q, 1e-12);
        assert_near(left, start - ledger->damped + ledger->remainder, 1e-12);
        assert_true(ledger->remainder <= 0.0 && ledger->damped > 0.0);
        remainder[k] = ledger->remainder;
        damped[k] = ledger->damped;
        mechanism_end(&x);
    }
    // The method's own loss is of first order, what the dashpots take is not.
    for (int k = 0; k < 2; ++k) {
        assert_near(remainder[k] / remainder[k + 1], 2.0, 0.1);
        assert_near(damped[k] / damped[k + 1], 1.0, 0.05);
    }
}

static void a_dropped_cube_gains_no_energy(void **state)
{
    (void)state;
    const double moduli[] = {1e5, 1e7, 1e11}, tilts[] = {0.0, 0.1, 0.5};
    for (int i = 0; i < 9; ++i) {
        mechanism x = foundation_rig(RIG_FREE, 20, 20, moduli[i / 3], 1.0);
        const double half = 0.5 * tilts[i % 3];
        dp_data_options(x.d)->ledger = true;
        mechanism_set(
            &x, (const double[7]){0, 0, 1.5, cos(half), 0.6 * sin(half), 0.8 * sin(half), 0}, NULL);
        double before = mechanism_energy(&x), most = 0.0;
        for (int step = 0; step < 200; ++step) {
            assert_ok(dp_step(x.d));
            assert_int_equal(dp_data_report(x.d)->unsolved, 0);
            const double now = mechanism_energy(&x) + dp_data_ledger(x.d)->elastic;
            assert_true(now <= before + 1e-12);
            before = now;
            most = fmax(most, dp_foundation_sum(x.d, CUBE).force);
        }
        assert_true(most > 2.0 * RIG_WEIGHT); // it struck
        mechanism_end(&x);
    }
}

// Height and tilt of a cube that rocks, by Runge and Kutta's method with small steps.
typedef struct rocking {
    double z, tilt, z_rate, tilt_rate;
} rocking;

enum { ROCK_N = 10 };
static const double ROCK_E = 1e5, ROCK_B = 2.0; // B of each of 100 springs

static rocking rate_of(rocking x)
{
    const double c = cos(x.tilt), s = sin(x.tilt);
    double force = -RIG_WEIGHT, torque = 0.0;
    for (int i = 0; i < ROCK_N; ++i) {
        const double a = (i + 0.5) / ROCK_N - 0.5; // along the face, in the cube
        const double arm = c * a - s * 0.5;        // x of the tile over the centre
        const double gap = 0.5 + x.z - s * a - c * 0.5, rate = x.z_rate - arm * x.tilt_rate;
        const double push = gap < 0.0 ? -ROCK_E / ROCK_N * gap - ROCK_N * ROCK_B * rate : 0.0;
        force += fmax(push, 0.0);
        torque -= fmax(push, 0.0) * arm;
    }
    return (rocking){x.z_rate, x.tilt_rate, force / 8.0, torque / (8.0 / 6.0)};
}

static rocking add(rocking x, double h, rocking rate)
{
    return (rocking){x.z + h * rate.z, x.tilt + h * rate.tilt, x.z_rate + h * rate.z_rate,
                     x.tilt_rate + h * rate.tilt_rate};
}

static rocking rock_for(rocking x, double h, int steps)
{
    for (int i = 0; i < steps; ++i) {
        const rocking a = rate_of(x), b = rate_of(add(x, 0.5 * h, a)),
                      c = rate_of(add(x, 0.5 * h, b)), d = rate_of(add(x, h, c));
        x = add(add(add(add(x, h / 6.0, a), h / 3.0, b), h / 3.0, c), h / 6.0, d);
    }
    return x;
}

static void a_rocking_cube_converges_with_order_one(void **state)
{
    (void)state;
    const rocking start = {0.0015, 0.002, 0.0, 0.0};
    const double seconds = 0.1;
    const rocking expected = rock_for(start, 1e-6, 100000), again = rock_for(start, 5e-7, 200000);
    double error[4];
    bool lifted = false, pressed = false;
    for (int k = 0; k < 4; ++k) {
        const int steps = 1000 << k;
        mechanism x = foundation_rig(RIG_ROCKS, ROCK_N, ROCK_N, ROCK_E, ROCK_B);
        dp_data_options(x.d)->step = seconds / steps;
        mechanism_set(&x, (const double[2]){start.z, start.tilt}, NULL);
        for (int i = 0; i < steps; ++i) {
            assert_ok(dp_step(x.d));
            int open = 0;
            for (int j = 0; j < ROCK_N * ROCK_N; ++j) {
                open += pressures(&x)[j] == 0.0;
            }
            lifted = lifted || (open > 0 && open < ROCK_N * ROCK_N);
            pressed = pressed || open == 0;
        }
        const double *q = dp_data_q(x.d);
        error[k] = fmax(fabs(q[0] - expected.z), fabs(q[1] - expected.tilt));
        mechanism_end(&x);
    }
    assert_true(lifted && pressed);
    // The reference is better than the finest run by orders of magnitude.
    assert_near(again.z, expected.z, 1e-3 * error[3]);
    assert_near(again.tilt, expected.tilt, 1e-3 * error[3]);
    for (int k = 1; k < 3; ++k) {
        assert_near(error[k] / error[k + 1], 2.0, 0.2);
    }
}

// ---- effort

// The load of the paper: it goes round on top of the cube.
static dp_status load_goes_round(void *context, dp_data *d)
{
    const double force = *(const double *)context, t = dp_data_time(d);
    const double x = 0.5 * cos(10.0 * t), y = 0.5 * sin(10.0 * t); // tilts are 1e-5
    *dp_data_wrench(d, BODY) = (dp_wrench){{-y * force, x * force, 0.0}, {0.0, 0.0, -force}};
    return DP_OK;
}

static void ten_iterations_are_enough_for_900_springs(void **state)
{
    (void)state;
    const double moduli[] = {1e7, 1e11}, loads[] = {5.0, 50.0};
    for (int i = 0; i < 4; ++i) {
        mechanism x = foundation_rig(RIG_FREE, 30, 30, moduli[i / 2], 1.0);
        double load = loads[i % 2];
        dp_data_set_control_callback(x.d, load_goes_round, &load);
        int most = 0, passes = 0;
        for (int step = 0; step < 100; ++step) {
            assert_ok(dp_step(x.d));
            const dp_step_report *info = dp_data_report(x.d);
            most = info->work.iterations > most ? info->work.iterations : most;
            passes = info->work.passes > passes ? info->work.passes : passes;
            assert_int_equal(info->outcome, DP_OUTCOME_CONVERGED);
            assert_int_equal(info->work.substeps, 1);
            assert_near(dp_data_report(x.d)->certificate.normal_law, 0.0, 1e-9);
        }
        printf("E = %g Pa, %g N: at most %d iterations, %d passes\n", moduli[i / 2], load, most,
               passes);
        assert_in_range(most, 1, 10);
        mechanism_end(&x);
    }
}

static void the_step_takes_no_memory(void **state)
{
    (void)state;
    dp_spec *s = foundation_spec(RIG_FREE, 30, 30, E, 1.0);
    dp_model *m;
    assert_ok(dp_model_compile(&m, s));
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_data *d;
    assert_ok(dp_data_create(&d, m, &allocator));
    const size_t calls = counts.calls;
    for (int i = 0; i < 10; ++i) {
        assert_ok(dp_step(d));
    }
    assert_true(dp_foundation_sum(d, CUBE).force > 0.0);
    assert_int_equal(counts.calls, calls);
    dp_data_destroy(d);
    assert_int_equal(counts.blocks, 0);
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

static void a_saved_state_goes_on_bit_by_bit(void **state)
{
    (void)state;
    mechanism x = foundation_rig(RIG_FREE, 12, 12, E, 1.0);
    double load = 50.0;
    dp_data_set_control_callback(x.d, load_goes_round, &load);
    mechanism_steps(&x, 20);
    const size_t bytes = dp_state_bytes(x.d);
    void *saved = malloc(bytes);
    assert_non_null(saved);
    assert_ok(dp_state_save(saved, bytes, x.d));
    mechanism_steps(&x, 20);
    const uint64_t hash = dp_state_hash(x.d);
    assert_ok(dp_state_restore(x.d, saved, bytes));
    mechanism_steps(&x, 20);
    assert_true(dp_state_hash(x.d) == hash);
    free(saved);
    mechanism_end(&x);
}

static void rows_can_be_found_by_their_spring(void **state)
{
    (void)state;
    mechanism x = foundation_rig(RIG_FREE, 30, 20, E, 1.0);
    dp_data_wrench(x.d, BODY)->t = (dp_v3){4.0, 5.0, 0.0};
    settle(&x);
    const double area = 1.0 / 600.0;
    for (int spring = 0; spring < 600; ++spring) {
        const int row = dp_data_find_row(x.d, DP_ROW_SOURCE_FOUNDATION, 0, spring);
        const dp_row_info info = dp_data_row(x.d, row);
        assert_int_equal(info.source, DP_ROW_SOURCE_FOUNDATION);
        assert_int_equal(info.component, spring);
        assert_close(info.force / area, pressures(&x)[spring], 1e-14);
    }
    assert_int_equal(dp_data_find_row(x.d, DP_ROW_SOURCE_FOUNDATION, 0, 600), -1);
    assert_int_equal(dp_data_find_row(x.d, DP_ROW_SOURCE_FOUNDATION, 1, 0), -1);
    assert_string_equal(dp_row_source_name(DP_ROW_SOURCE_FOUNDATION), "foundation");
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cube_sinks_in_by_its_weight),
        cmocka_unit_test(pressures_sum_to_the_weight),
        cmocka_unit_test(the_stiffness_does_not_depend_on_the_tiling),
        cmocka_unit_test(the_forward_dynamics_know_the_pressures),
        cmocka_unit_test(any_face_may_be_down),
        cmocka_unit_test(a_cube_on_two_planes_rests_on_both),
        cmocka_unit_test(a_moment_tilts_the_pressures),
        cmocka_unit_test(beyond_a_sixth_of_the_side_the_far_edge_lifts),
        cmocka_unit_test(beyond_half_the_side_the_cube_falls_over),
        cmocka_unit_test(floating_bodies_keep_their_momentum),
        cmocka_unit_test(a_floor_that_accelerates_adds_to_the_weight),
        cmocka_unit_test(the_accounts_of_energy_close),
        cmocka_unit_test(a_dropped_cube_gains_no_energy),
        cmocka_unit_test(a_rocking_cube_converges_with_order_one),
        cmocka_unit_test(ten_iterations_are_enough_for_900_springs),
        cmocka_unit_test(the_step_takes_no_memory),
        cmocka_unit_test(a_saved_state_goes_on_bit_by_bit),
        cmocka_unit_test(rows_can_be_found_by_their_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
