// Rows by callback: a constraint that the library knows nothing of, one-sided ones, moving ones,
// and what happens when they fail or are switched.
#include "mechanism.h"

#include <math.h>
#include <string.h>

static const double LENGTH = 0.8, GRAVITY = 9.81;

// A particle of mass 1 in the x-z plane.
static mechanism particle(double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = h;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "bob", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1e-3, 1e-3, 1e-3});
    (void)mechanism_joint(&x, body, "x", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
    (void)mechanism_joint(&x, body, "z", DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_compile(&x);
    return x;
}

// A rod from the origin to the particle: φ = ‖p‖ − L, with L = LENGTH + rate t.
typedef struct rod {
    double rate; // [m/s]
    bool rope;   // pulls only
    int starts, ends;
    double time_of_end;
    int fail_at_start, fail_at_end; // which call is to fail, 1, 2 …; 0: none
} rod;

static dp_status rod_row(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    rod *r = context;
    r->starts += !end;
    r->ends += end;
    r->time_of_end = end ? dp_data_time(d) : r->time_of_end;
    if (end ? r->ends == r->fail_at_end : r->starts == r->fail_at_start) {
        return DP_ERROR_NUMERIC;
    }
    const double *q = dp_data_q(d);
    const double sign = r->rope ? -1.0 : 1.0; // a rope's gap is what is left of it
    const double distance = hypot(q[0], q[1]);
    row->phi = sign * (distance - LENGTH - r->rate * dp_data_time(d));
    row->phi_t = -sign * r->rate;
    row->b_ref = row->phi_t;
    if (r->rope) {
        row->lo = 0.0;
    }
    gradient[0] = sign * q[0] / distance;
    gradient[1] = sign * q[1] / distance;
    return DP_OK;
}

static double distance_of(mechanism *x)
{
    return hypot(dp_data_q(x->d)[0], dp_data_q(x->d)[1]);
}

// Angle from the x axis after one second of fall from the horizontal.
static double angle_of_rod(double h)
{
    mechanism x = particle(h);
    rod r = {.rate = 0.0};
    assert_ok(dp_data_add_row(NULL, x.d, rod_row, &r));
    dp_data_q(x.d)[0] = LENGTH;
    double worst = 0.0;
    for (int n = 0; n < (int)lround(1.0 / h); ++n) {
        mechanism_steps(&x, 1);
        worst = fmax(worst, fabs(distance_of(&x) - LENGTH));
    }
    assert_true(worst <= 1e-10); // options.gap_tolerance
    const double angle = atan2(dp_data_q(x.d)[1], dp_data_q(x.d)[0]);
    mechanism_end(&x);
    return angle;
}

// The same by a hinge, by a step of order 4.
static double angle_of_hinge(void)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = 1e-3;
    dp_spec_options(x.spec)->integrator = DP_INTEGRATOR_RK4;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "bob", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){LENGTH, 0.0, 0.0}, (dp_v3){1e-15, 1e-15, 1e-15});
    (void)mechanism_joint(&x, body, "hinge", DP_JOINT_HINGE, (dp_v3){0.0, -1.0, 0.0});
    mechanism_compile(&x);
    mechanism_steps(&x, 1000);
    const double angle = dp_data_q(x.d)[0];
    mechanism_end(&x);
    return angle;
}

static void a_rod_by_callback_is_a_hinge_pendulum_to_first_order(void **state)
{
    (void)state;
    const double pi = acos(-1.0), exact = remainder(angle_of_hinge(), 2.0 * pi);
    double error[3];
    for (int i = 0; i < 3; ++i) {
        const double h = 2e-3 / (1 << i);
        error[i] = remainder(angle_of_rod(h) - exact, 2.0 * pi);
    }
    print_message("angle off by %.2e, %.2e, %.2e rad\n", error[0], error[1], error[2]);
    assert_near(error[0] / error[1], 2.0, 0.1);
    assert_near(error[1] / error[2], 2.0, 0.05);
    assert_near(2.0 * error[2] - error[1], 0.0, 0.05 * fabs(error[2])); // extrapolated
}

// The gap at the end counts: one pass alone makes the rod longer by what a tangent leaves,
// ½ (v h)²/L in a step, which only the next start sees.
static void gaps_are_met_at_the_end_of_the_step(void **state)
{
    (void)state;
    const double h = 0.01;
    double worst[2] = {0.0, 0.0};
    int unsolved[2] = {0, 0};
    for (int once = 0; once < 2; ++once) {
        mechanism x = particle(h);
        rod r = {.rate = 0.0};
        assert_ok(dp_data_add_row(NULL, x.d, rod_row, &r));
        dp_data_options(x.d)->max_halvings = 0;
        if (once) {
            dp_data_options(x.d)->max_passes = 1;
        }
        dp_data_q(x.d)[0] = LENGTH;
        for (int n = 0; n < 200; ++n) {
            mechanism_steps(&x, 1);
            worst[once] = fmax(worst[once], fabs(distance_of(&x) - LENGTH));
            unsolved[once] += dp_data_report(x.d)->unsolved;
        }
        assert_true(r.ends >= 200);
        assert_near(r.time_of_end, dp_data_time(x.d), 1e-12);
        mechanism_end(&x);
    }
    print_message("drift %.1e m, with one pass %.1e m\n", worst[0], worst[1]);
    assert_int_equal(unsolved[0], 0);
    assert_true(unsolved[1] > 100); // one pass may do where the last steps tell what is to come
    assert_true(worst[0] <= 1e-10);
    assert_near(worst[1], 0.5 * 2.0 * GRAVITY * LENGTH * h * h / LENGTH, 1e-4); // v² = 2gL
}

// φ_t: the rod grows by itself, and so does the distance.
static void a_moving_reference_is_followed(void **state)
{
    (void)state;
    mechanism x = particle(1e-3);
    rod r = {.rate = 0.3};
    assert_ok(dp_data_add_row(NULL, x.d, rod_row, &r));
    dp_data_options(x.d)->ledger = true;
    dp_data_q(x.d)[1] = -LENGTH; // hanging: let down at 0.3 m/s
    mechanism_steps(&x, 1000);
    assert_near(distance_of(&x), LENGTH + 0.3, 1e-10);
    assert_near(dp_data_v(x.d)[1], -0.3, 1e-9);
    assert_near(dp_data_row(x.d, 0).force, -GRAVITY, 1e-6); // pulls
    assert_near(dp_data_row(x.d, 0).rate, 0.0, 1e-9);       // φ̇ = G v + φ_t
    // What lets it down takes its weight along 0.3 m, less what set it in motion in one step.
    assert_near(dp_data_ledger(x.d)->moved, -GRAVITY * 0.3 + 0.3 * 0.3, 1e-6);
    mechanism_end(&x);
}

static void a_rope_pulls_and_does_not_push(void **state)
{
    (void)state;
    const double h = 1e-3;
    mechanism x = particle(h);
    rod r = {.rope = true};
    assert_ok(dp_data_add_row(NULL, x.d, rod_row, &r));
    dp_data_q(x.d)[1] = -0.3; // half a metre of slack
    int slack = 0;
    double v = 0.0, q = -0.3;
    for (; q - h * GRAVITY * h + h * v > -LENGTH; ++slack) {
        v -= h * GRAVITY;
        q += h * v;
        mechanism_steps(&x, 1);
        assert_near(dp_data_q(x.d)[1], q, 1e-13);
        assert_true(dp_data_row_count(x.d) == 0 || dp_data_row(x.d, 0).force == 0.0);
    }
    assert_true(slack > 100);
    mechanism_steps(&x, 1); // it comes taut within this step, and does not rebound
    assert_near(dp_data_q(x.d)[1], -LENGTH, 1e-12);
    mechanism_steps(&x, 100);
    assert_near(dp_data_q(x.d)[1], -LENGTH, 1e-12);
    assert_near(dp_data_row(x.d, 0).force, GRAVITY, 1e-9);
    dp_data_v(x.d)[1] = 1.0; // thrown up: slack again at once
    mechanism_steps(&x, 1);
    assert_near(dp_data_v(x.d)[1], 1.0 - h * GRAVITY, 1e-13);
    mechanism_end(&x);
}

typedef struct spring {
    double k, b, hi;
} spring;

static dp_status spring_row(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    (void)m, (void)end;
    const spring *s = context;
    row->phi = dp_data_q(d)[0];
    row->k = s->k;
    row->b = s->b;
    row->hi = s->hi;
    row->lo = -s->hi;
    gradient[0] = 1.0;
    return DP_OK;
}

static void a_soft_row_by_callback_is_the_spring_that_it_says(void **state)
{
    (void)state;
    const double h = 0.01;
    mechanism x = particle(h);
    spring s = {300.0, 2.0, 5.0};
    assert_ok(dp_data_add_row(NULL, x.d, spring_row, &s));
    double q = 0.1, v = 0.0;
    dp_data_q(x.d)[0] = q;
    int held = 0;
    for (int n = 0; n < 300; ++n) {
        double v1 = (v - h * s.k * q) / (1.0 + h * s.b + h * h * s.k);
        const double force = (v1 - v) / h;
        if (fabs(force) > s.hi) { // lo and hi are forces
            v1 = v + h * copysign(s.hi, force);
            ++held;
        }
        v = v1;
        q += h * v;
        mechanism_steps(&x, 1);
        assert_near(dp_data_v(x.d)[0], v, 1e-13);
        assert_near(dp_data_q(x.d)[0], q, 1e-13);
    }
    assert_true(held > 0 && held < 300);
    mechanism_end(&x);
}

static void a_failing_callback_leaves_the_state(void **state)
{
    (void)state;
    for (int at_end = 0; at_end < 2; ++at_end) {
        mechanism x = particle(1e-3);
        rod r = {.rate = 0.0};
        assert_ok(dp_data_add_row(NULL, x.d, rod_row, &r));
        dp_data_q(x.d)[0] = LENGTH;
        mechanism_steps(&x, 10);
        const uint64_t before = dp_state_hash(x.d);
        const double time = dp_data_time(x.d);
        *(at_end ? &r.fail_at_end : &r.fail_at_start) = (at_end ? r.ends : r.starts) + 1;
        assert_int_equal(dp_step(x.d), DP_ERROR_CALLBACK);
        assert_non_null(strstr(dp_last_error(), "row 0"));
        assert_true(dp_state_hash(x.d) == before);
        assert_true(dp_data_time(x.d) == time);

        // As if nothing had happened.
        mechanism y = particle(1e-3);
        rod other = {.rate = 0.0};
        assert_ok(dp_data_add_row(NULL, y.d, rod_row, &other));
        dp_data_q(y.d)[0] = LENGTH;
        mechanism_steps(&y, 20);
        mechanism_steps(&x, 10);
        assert_memory_equal(dp_data_q(x.d), dp_data_q(y.d), 2 * sizeof(double));
        assert_memory_equal(dp_data_v(x.d), dp_data_v(y.d), 2 * sizeof(double));
        mechanism_end(&y);
        mechanism_end(&x);
    }
}

static dp_row bad_row;
static double bad_gradient;

static dp_status bad_callback(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    (void)context, (void)m, (void)d, (void)end;
    *row = bad_row;
    gradient[0] = bad_gradient;
    return DP_OK;
}

static void rows_that_no_law_can_take_are_refused(void **state)
{
    (void)state;
    mechanism x = particle(1e-3);
    assert_ok(dp_data_add_row(NULL, x.d, bad_callback, NULL));
    const dp_row good = {.k = 1.0, .lo = -INFINITY, .hi = INFINITY, .len = 1.0};
    for (int i = 0; i < 13; ++i) {
        bad_row = good;
        bad_gradient = 1.0;
        double *const field[] = {&bad_row.phi, &bad_row.phi_t, &bad_row.b_ref, &bad_row.k,
                                 &bad_row.b,   &bad_row.len,   &bad_gradient};
        if (i < 7) {
            *field[i] = NAN;
        } else if (i == 7) {
            bad_row.k = -1.0;
        } else if (i == 8) {
            bad_row.b = -1.0;
        } else if (i == 9) {
            bad_row.lo = 1.0;
        } else if (i == 10) {
            bad_row.hi = -1.0;
        } else if (i == 11) {
            bad_row.len = 0.0;
        } else {
            bad_gradient = INFINITY;
        }
        const uint64_t before = dp_state_hash(x.d);
        const dp_status status = dp_step(x.d);
        assert_true(status == DP_ERROR_NUMERIC || status == DP_ERROR_ARGUMENT);
        assert_non_null(strstr(dp_last_error(), "row 0"));
        assert_true(dp_state_hash(x.d) == before);
    }
    bad_row = good;
    bad_gradient = 1.0;
    mechanism_steps(&x, 1);
    assert_int_equal(dp_data_add_row(NULL, x.d, NULL, NULL), DP_ERROR_ARGUMENT);
    mechanism_end(&x);
}

static void rows_can_be_switched_between_steps(void **state)
{
    (void)state;
    const double h = 1e-3;
    mechanism x = particle(h);
    rod r = {.rate = 0.0};
    int number = -1;
    assert_ok(dp_data_add_row(&number, x.d, rod_row, &r));
    assert_int_equal(number, 0);
    dp_data_q(x.d)[1] = -LENGTH;
    mechanism_steps(&x, 10);
    assert_near(distance_of(&x), LENGTH, 1e-12);

    dp_data_set_row_active(x.d, number, false); // falls
    mechanism_steps(&x, 10);
    assert_near(dp_data_v(x.d)[1], -10.0 * h * GRAVITY, 1e-12);
    assert_int_equal(dp_data_row_count(x.d), 0);

    dp_data_set_row_active(x.d, 7, true); // no such row: nothing happens
    mechanism_steps(&x, 1);
    assert_int_equal(dp_data_row_count(x.d), 0);

    dp_data_set_row_active(x.d, number, true); // caught, after a step that fails
    r.fail_at_start = r.starts + 1;
    assert_int_equal(dp_step(x.d), DP_ERROR_CALLBACK);
    mechanism_steps(&x, 10);
    assert_near(distance_of(&x), LENGTH, 1e-10);
    assert_near(dp_data_v(x.d)[1], 0.0, 1e-6);

    r.fail_at_start = r.starts + 1;
    assert_int_equal(dp_step(x.d), DP_ERROR_CALLBACK);
    dp_data_set_row_active(x.d, number, false); // let go after a failure
    mechanism_steps(&x, 1);
    assert_near(dp_data_v(x.d)[1], -h * GRAVITY, 1e-6);
    mechanism_end(&x);
}

static void equalities_can_be_switched_between_steps(void **state)
{
    (void)state;
    const double h = 1e-3;
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = h;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "bob", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
    (void)mechanism_joint(&x, body, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_equality_spec e = dp_equality_spec_default();
    e.name = "hook";
    e.kind = DP_EQUALITY_CONNECT;
    e.object[0] = "bob";
    assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    mechanism_compile(&x);
    const dp_equality_id hook = {0}, none = {3};
    assert_true(dp_data_equality_active(x.d, hook));
    assert_false(dp_data_equality_active(x.d, none));
    mechanism_steps(&x, 10);
    assert_near(dp_data_q(x.d)[2], 0.0, 1e-13);

    dp_data_set_equality_active(x.d, hook, false);
    assert_false(dp_data_equality_active(x.d, hook));
    dp_data_set_equality_active(x.d, none, true);
    mechanism_steps(&x, 10);
    assert_near(dp_data_v(x.d)[2], -10.0 * h * GRAVITY, 1e-12);
    dp_data_set_equality_active(x.d, hook, true);
    mechanism_steps(&x, 20);
    assert_near(dp_data_q(x.d)[2], 0.0, 1e-12);
    assert_near(dp_data_v(x.d)[2], 0.0, 1e-9);

    dp_data_force(x.d)[0] = NAN; // a step that fails changes nothing, and switching still works
    assert_int_not_equal(dp_step(x.d), DP_OK);
    assert_true(dp_data_equality_active(x.d, hook));
    dp_data_force(x.d)[0] = 0.0;
    dp_data_set_equality_active(x.d, hook, false);
    mechanism_steps(&x, 1);
    assert_near(dp_data_v(x.d)[2], -h * GRAVITY, 1e-9);
    dp_data_reset(x.d); // as the model says
    assert_true(dp_data_equality_active(x.d, hook));
    mechanism_end(&x);
}

static dp_status forbidden[4];

static dp_status meddling_row(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    forbidden[0] = dp_step(d);
    forbidden[1] = dp_forward(d);
    forbidden[2] = dp_sense(d);
    forbidden[3] = dp_data_add_row(NULL, d, meddling_row, NULL);
    return rod_row(context, d, end, row, gradient);
}

static void a_callback_may_neither_step_nor_evaluate_nor_add_rows(void **state)
{
    (void)state;
    mechanism x = particle(1e-3), y = particle(1e-3);
    rod r = {.rate = 0.0}, other = {.rate = 0.0};
    assert_ok(dp_data_add_row(NULL, x.d, meddling_row, &r));
    assert_ok(dp_data_add_row(NULL, y.d, rod_row, &other));
    dp_data_q(x.d)[0] = dp_data_q(y.d)[0] = LENGTH;
    mechanism_steps(&x, 100);
    mechanism_steps(&y, 100);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(forbidden[i], DP_ERROR_ARGUMENT);
    }
    assert_memory_equal(dp_data_q(x.d), dp_data_q(y.d), 2 * sizeof(double)); // and no harm is done
    mechanism_end(&x);
    mechanism_end(&y);
}

// Poses and Jacobians of the end are those of the end: a row on a turning body may use them.
static dp_status tip_row(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    (void)end;
    const dp_body_id body = dp_model_joint(m, (dp_joint_id){0}).body;
    const dp_pose pose = dp_body_pose(d, body);
    const double *q = dp_data_q(d);
    double *worst = context;
    // What the pose says and what q says.
    *worst = fmax(*worst, fabs(pose.p.x - q[0]) + fabs(pose.p.z - q[1]));
    double jacobian[6 * 2];
    dp_body_jacobian(jacobian, d, body, pose.p);
    row->phi = pose.p.z + 0.5 * pose.p.x * pose.p.x;
    for (int k = 0; k < 2; ++k) {
        gradient[k] = jacobian[5 * 2 + k] + pose.p.x * jacobian[3 * 2 + k];
    }
    return DP_OK;
}

// By how much the energy is off after a second on the parabola.
static double energy_gained_by_a_bead(double h)
{
    mechanism x = particle(h);
    double worst = 0.0;
    assert_ok(dp_data_add_row(NULL, x.d, tip_row, &worst));
    dp_data_v(x.d)[0] = 1.0; // z = −x²/2: flying it would fall less
    assert_ok(dp_kinematics(x.d));
    const double before = mechanism_energy(&x);
    for (int n = 0; n < (int)lround(1.0 / h); ++n) {
        mechanism_steps(&x, 1);
        const double *q = dp_data_q(x.d);
        assert_near(q[1], -0.5 * q[0] * q[0], 1e-10);
    }
    assert_true(worst == 0.0);
    const double after = mechanism_energy(&x);
    mechanism_end(&x);
    return after - before;
}

static void a_bead_on_a_parabola_stays_on_it(void **state)
{
    (void)state;
    const double coarse = energy_gained_by_a_bead(1e-3), fine = energy_gained_by_a_bead(0.5e-3);
    print_message("energy off by %.2e, %.2e J\n", coarse, fine);
    assert_near(coarse / fine, 2.0, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_by_callback_is_a_hinge_pendulum_to_first_order),
        cmocka_unit_test(gaps_are_met_at_the_end_of_the_step),
        cmocka_unit_test(a_moving_reference_is_followed),
        cmocka_unit_test(a_rope_pulls_and_does_not_push),
        cmocka_unit_test(a_soft_row_by_callback_is_the_spring_that_it_says),
        cmocka_unit_test(a_failing_callback_leaves_the_state),
        cmocka_unit_test(rows_that_no_law_can_take_are_refused),
        cmocka_unit_test(rows_can_be_switched_between_steps),
        cmocka_unit_test(equalities_can_be_switched_between_steps),
        cmocka_unit_test(a_callback_may_neither_step_nor_evaluate_nor_add_rows),
        cmocka_unit_test(a_bead_on_a_parabola_stays_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
