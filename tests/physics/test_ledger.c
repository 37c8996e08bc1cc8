// The accounts of energy: each against a closed form, and what the method itself adds or loses.
#include "mechanism.h"

#include <float.h>
#include <math.h>

static const double MASS = 2.0;

// A mass on a slide along z, to be changed before it is compiled.
static mechanism sliding(double h, dp_joint_spec **joint)
{
    mechanism x = mechanism_begin();
    dp_options *options = dp_spec_options(x.spec);
    options->gravity = (dp_v3){0.0, 0.0, 0.0};
    options->step = h;
    options->ledger = true;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, MASS,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
    *joint = mechanism_joint(&x, body, "j", DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    return x;
}

static void add_joint_spring(mechanism *x, double k, double b)
{
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_JOINT;
    e.object[0] = "j";
    e.bearing = (dp_bearing){k, b};
    assert_ok(dp_spec_add_equality(NULL, x->spec, &e));
}

// What is there, less what came in, plus what went out.
static double balance(const mechanism *x)
{
    const dp_ledger *l = dp_data_ledger(x->d);
    return mechanism_energy(x) + l->elastic - (l->applied + l->drives + l->moved) + l->damped +
           l->friction + l->impacts - l->remainder;
}

static void a_constant_force_is_entered_as_force_times_way(void **state)
{
    (void)state;
    dp_joint_spec *joint;
    mechanism x = sliding(0.01, &joint);
    mechanism_compile(&x);
    dp_data_force(x.d)[0] = 3.0;
    dp_data_wrench(x.d, (dp_body_id){1})->f.z = 4.0;
    mechanism_steps(&x, 100);
    const dp_ledger *l = dp_data_ledger(x.d);
    assert_near(l->applied, 7.0 * dp_data_q(x.d)[0], 1e-12);
    // Each step loses ½ m (Δv)².
    assert_near(l->remainder, -0.5 * MASS * 100.0 * pow(0.01 * 7.0 / MASS, 2.0), 1e-12);
    assert_near(l->damped + l->friction + l->drives + l->moved + l->elastic, 0.0, 0.0);
    mechanism_end(&x);
}

static void a_soft_row_stores_half_k_x_squared(void **state)
{
    (void)state;
    dp_joint_spec *joint;
    mechanism x = sliding(0.01, &joint);
    add_joint_spring(&x, 50.0, 40.0);
    mechanism_compile(&x);
    dp_data_force(x.d)[0] = 10.0;
    mechanism_steps(&x, 5000); // settled at 0.2 m
    const dp_ledger *l = dp_data_ledger(x.d);
    assert_near(l->elastic, 0.5 * 50.0 * 0.04, 1e-9);
    assert_near(l->applied, 10.0 * 0.2, 1e-9);
    assert_near(balance(&x), 0.0, 1e-9);
    mechanism_end(&x);
}

// v₁ = v/(1 + h b/m): the dashpot takes h b v₁² a step.
static void dashpots_of_joints_and_rows_take_what_they_say(void **state)
{
    (void)state;
    const double h = 0.01, b = 3.0;
    for (int row = 0; row < 2; ++row) {
        dp_joint_spec *joint;
        mechanism x = sliding(h, &joint);
        if (row) {
            const dp_wrap_spec wrap = {.kind = DP_WRAP_JOINT, .object = "j", .coefficient = 1.0};
            dp_tendon_spec tendon = dp_tendon_spec_default();
            tendon.wrap = &wrap;
            tendon.nwrap = 1;
            tendon.damping = b;
            assert_ok(dp_spec_add_tendon(NULL, x.spec, &tendon));
        } else {
            joint->damping = b;
        }
        mechanism_compile(&x);
        dp_data_v(x.d)[0] = 2.0;
        double v = 2.0, lost = 0.0;
        for (int n = 0; n < 200; ++n) {
            v /= 1.0 + h * b / MASS;
            lost += h * b * v * v;
        }
        mechanism_steps(&x, 200);
        assert_near(dp_data_ledger(x.d)->damped, lost, 1e-12);
        // Of the kinetic energy the rest is the method's: ½ m Σ (Δv)².
        const double whole = 0.5 * MASS * (4.0 - v * v);
        assert_near(dp_data_ledger(x.d)->remainder, lost - whole, 1e-12);
        assert_true(dp_data_ledger(x.d)->remainder < 0.0);
        mechanism_end(&x);
    }
}

// It comes with v and stays: ½ m v² is lost in the impact, in one step or two.
static void a_rigid_end_takes_the_kinetic_energy_as_an_impact(void **state)
{
    (void)state;
    for (int phase = 0; phase < 10; ++phase) {
        dp_joint_spec *joint;
        mechanism x = sliding(0.01, &joint);
        joint->limited = true;
        joint->range[0] = -1.0;
        joint->range[1] = 0.3 + 1e-3 * phase;
        mechanism_compile(&x);
        dp_data_v(x.d)[0] = 2.0;
        assert_ok(dp_kinematics(x.d));
        mechanism_steps(&x, 100);
        const dp_ledger *l = dp_data_ledger(x.d);
        assert_near(dp_data_v(x.d)[0], 0.0, 1e-12);
        assert_near(l->impacts, 0.5 * MASS * 4.0, 1e-12);
        assert_near(l->remainder, 0.0, 1e-12);
        assert_near(balance(&x), 4.0, 1e-12);
        mechanism_end(&x);
    }
}

// Not rigid: what it presses into the end comes back, without a loss but that of the method.
static void a_soft_end_takes_no_impact_and_holds_half_k_x_squared(void **state)
{
    (void)state;
    const double k = 800.0, v = 2.0, h = 1e-4;
    dp_joint_spec *joint;
    mechanism x = sliding(h, &joint);
    joint->limited = true;
    joint->range[0] = -1.0;
    joint->range[1] = 0.0;
    joint->limit = (dp_bearing){k, 0.0};
    mechanism_compile(&x);
    dp_data_v(x.d)[0] = v;
    double deepest = 0.0, most = 0.0;
    for (int n = 0; n < 2000; ++n) { // half a period is π √(m/k) = 0.157 s
        mechanism_steps(&x, 1);
        deepest = fmax(deepest, dp_data_q(x.d)[0]);
        most = fmax(most, dp_data_ledger(x.d)->elastic);
    }
    const dp_ledger *l = dp_data_ledger(x.d);
    assert_near(most, 0.5 * k * deepest * deepest, 1e-12);
    assert_near(most, 0.5 * MASS * v * v, 0.02 * MASS * v * v); // implicit Euler: ω h = 2e-3
    assert_near(l->elastic + l->impacts + l->damped, 0.0, 0.0); // it is gone again
    assert_near(l->remainder, mechanism_energy(&x) - 0.5 * MASS * v * v, 1e-12);
    mechanism_end(&x);
}

// A pendulum that is let go at the level of its pivot meets a rigid end at the bottom with ½ I ω² =
// m g l. What the method adds is of first order.
static void a_dropped_pendulum_loses_its_fall_at_a_rigid_end(void **state)
{
    (void)state;
    const double length = 0.7, fall = MASS * 9.81 * length;
    double error[2], remainder[2];
    for (int i = 0; i < 2; ++i) {
        mechanism x = mechanism_begin();
        dp_options *options = dp_spec_options(x.spec);
        options->step = i == 0 ? 1e-3 : 5e-4;
        options->ledger = true;
        const dp_body_id bob = mechanism_body(&x, DP_WORLD, "bob", (dp_v3){0.0, 0.0, 0.0}, MASS,
                                              (dp_v3){length, 0.0, 0.0}, (dp_v3){0.01, 0.02, 0.02});
        dp_joint_spec *joint =
            mechanism_joint(&x, bob, "j", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
        joint->limited = true;
        joint->range[0] = -1.0;
        joint->range[1] = 0.5 * acos(-1.0);
        mechanism_compile(&x);
        assert_ok(dp_kinematics(x.d));
        mechanism_steps(&x, i == 0 ? 2000 : 4000);
        const dp_ledger *l = dp_data_ledger(x.d);
        assert_near(dp_data_v(x.d)[0], 0.0, 1e-9);
        assert_near(mechanism_energy(&x), -fall, 1e-8);
        assert_near(balance(&x), 0.0, 1e-11);
        error[i] = l->impacts - fall;
        remainder[i] = l->remainder;
        mechanism_end(&x);
    }
    print_message("impact %.3g J, off by %.2e and %.2e J; remainder %.2e and %.2e J\n", fall,
                  error[0], error[1], remainder[0], remainder[1]);
    // ½ h times the power of gravity on the way, at most m g ω l.
    const double power = fall * sqrt(2.0 * fall / (MASS * length * length + 0.02));
    for (int i = 0; i < 2; ++i) {
        assert_true(fabs(error[i]) <= (i == 0 ? 1e-3 : 5e-4) * power);
        assert_near(remainder[i], error[i], 1e-9); // all that there is
    }
}

static void friction_takes_its_bound_times_the_way(void **state)
{
    (void)state;
    dp_joint_spec *joint;
    mechanism x = sliding(0.01, &joint);
    joint->friction_loss = 5.0;
    mechanism_compile(&x);
    dp_data_v(x.d)[0] = 3.0;
    mechanism_steps(&x, 100); // stopped at once by 1.2 s; not yet
    const double way = dp_data_q(x.d)[0];
    assert_near(dp_data_ledger(x.d)->friction, 5.0 * way, 1e-12);
    mechanism_steps(&x, 200);
    // It stops within a step where the bound is not reached: there the force is smaller.
    assert_near(dp_data_ledger(x.d)->friction, 5.0 * dp_data_q(x.d)[0], 1e-9);
    assert_near(dp_data_v(x.d)[0], 0.0, 1e-15);
    assert_near(balance(&x), 9.0, 1e-12); // ½ m v₀²
    mechanism_end(&x);
}

// A servo: the work of its force along the way, whether it is part of M̃ or a row at its end.
static void drives_are_entered_with_their_work(void **state)
{
    (void)state;
    const double h = 0.01, kp = 400.0, kv = 10.0;
    for (int limited = 0; limited < 2; ++limited) {
        dp_joint_spec *joint;
        mechanism x = sliding(h, &joint);
        dp_actuator_spec a = dp_actuator_spec_default();
        a.joint = "j";
        a.gain[0] = kp;
        a.bias[1] = -kp;
        a.bias[2] = -kv;
        a.force_limited = limited;
        a.force_range[0] = -30.0;
        a.force_range[1] = 30.0;
        assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
        mechanism_compile(&x);
        dp_data_control(x.d)[0] = 0.5;
        double work = 0.0;
        for (int n = 0; n < 400; ++n) {
            const double before = dp_data_v(x.d)[0];
            mechanism_steps(&x, 1);
            const double after = dp_data_v(x.d)[0];
            work += MASS * (after - before) * after; // force · h v₁
        }
        assert_near(dp_data_ledger(x.d)->drives, work, 1e-11);
        assert_true(dp_data_ledger(x.d)->drives > 0.0);
        assert_near(balance(&x), 0.0, 1e-11);
        mechanism_end(&x);
    }
}

// The hook of a spring is lifted by the user: what it costs is entered as moved.
static dp_status lifted_row(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    (void)m, (void)end;
    const double speed = *(const double *)context;
    row->phi = dp_data_q(d)[0] - speed * dp_data_time(d);
    row->phi_t = -speed;
    row->b_ref = -speed;
    row->k = 800.0;
    row->b = 30.0;
    gradient[0] = 1.0;
    return DP_OK;
}

static void what_moves_a_reference_does_its_work(void **state)
{
    (void)state;
    double speed = 0.5;
    dp_joint_spec *joint;
    mechanism x = sliding(1e-3, &joint);
    dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, -9.81};
    mechanism_compile(&x);
    assert_ok(dp_data_add_row(NULL, x.d, lifted_row, &speed));
    double work = 0.0;
    for (int n = 0; n < 10000; ++n) {
        const double before = dp_data_v(x.d)[0];
        mechanism_steps(&x, 1);
        const double force = MASS * ((dp_data_v(x.d)[0] - before) / 1e-3 + 9.81);
        work += force * speed * 1e-3;
    }
    const dp_ledger *l = dp_data_ledger(x.d);
    assert_near(l->moved, work, 1e-7);
    // In the end: lifted, moving, stretched, less what was damped.
    assert_near(dp_data_v(x.d)[0], speed, 1e-9);
    assert_near(l->elastic, 0.5 * 800.0 * pow(MASS * 9.81 / 800.0, 2.0), 1e-8);
    assert_near(l->moved - l->damped + l->remainder, mechanism_energy(&x) + l->elastic, 1e-7);
    mechanism_end(&x);
}

// Masses on slides along all axes with everything between them that does not turn.
static mechanism translating(uint64_t seed, double h)
{
    random_source r = {seed};
    mechanism x = mechanism_begin();
    dp_options *options = dp_spec_options(x.spec);
    options->step = h;
    options->ledger = true;
    const char *const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; ++i) {
        const dp_body_id body =
            mechanism_body(&x, DP_WORLD, NULL, (dp_v3){0.0, 0.0, 0.0}, random_between(&r, 0.1, 3.0),
                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
        dp_joint_spec *joint =
            mechanism_joint(&x, body, names[i], DP_JOINT_SLIDE,
                            (dp_v3){random_between(&r, -1.0, 1.0), random_between(&r, -1.0, 1.0),
                                    random_between(&r, 0.1, 1.0)});
        joint->limited = i % 2;
        joint->range[0] = -random_between(&r, 0.0, 0.5);
        joint->range[1] = random_between(&r, 0.0, 0.5);
        joint->limit.stiffness = i == 1 ? pow(10.0, random_between(&r, 0.0, 12.0)) : INFINITY;
        joint->limit.damping = i == 1 ? pow(10.0, random_between(&r, -2.0, 5.0)) : 0.0;
        joint->friction_loss = i == 0 ? random_between(&r, 0.0, 2.0) : 0.0;
        joint->damping = i == 2 ? random_between(&r, 0.0, 2.0) : 0.0;
        joint->stiffness = i == 2 ? random_between(&r, 0.0, 1e3) : 0.0;
    }
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_JOINT;
    e.object[0] = "a";
    e.object[1] = "b";
    e.bearing = (dp_bearing){pow(10.0, random_between(&r, 0.0, 9.0)),
                             pow(10.0, random_between(&r, -2.0, 4.0))};
    assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    dp_actuator_spec servo = dp_actuator_spec_default();
    servo.joint = "d";
    servo.gain[0] = pow(10.0, random_between(&r, 0.0, 6.0));
    servo.bias[1] = -servo.gain[0];
    servo.bias[2] = -random_between(&r, 0.0, 10.0);
    servo.force_limited = true;
    servo.force_range[0] = -random_between(&r, 1.0, 100.0);
    servo.force_range[1] = random_between(&r, 1.0, 100.0);
    assert_ok(dp_spec_add_actuator(NULL, x.spec, &servo));
    mechanism_compile(&x);
    for (int k = 0; k < 4; ++k) {
        dp_data_v(x.d)[k] = random_between(&r, -2.0, 2.0);
        dp_data_force(x.d)[k] = random_between(&r, -5.0, 5.0);
    }
    dp_data_control(x.d)[0] = random_between(&r, -0.5, 0.5);
    assert_ok(dp_kinematics(x.d));
    return x;
}

static void while_nothing_turns_the_method_never_adds_energy(void **state)
{
    (void)state;
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        const double h = seed % 3 == 0 ? 1e-3 : seed % 3 == 1 ? 0.01 : 0.1;
        mechanism x = translating(seed, h);
        const double start = balance(&x);
        double before = 0.0;
        for (int n = 0; n < 300; ++n) {
            mechanism_steps(&x, 1);
            const dp_ledger *l = dp_data_ledger(x.d);
            const double scale = 1.0 + fabs(mechanism_energy(&x)) + fabs(l->applied) +
                                 fabs(l->drives) + l->damped + l->friction + l->elastic;
            assert_near(balance(&x), start, 1e-12 * scale * (n + 1)); // by definition
            worst = fmax(worst, (l->remainder - before) / scale);
            // Round-off of the accounts, which are sums.
            assert_true(l->remainder <= before + 1e-13 * scale);
            assert_true(l->damped >= 0.0 && l->friction >= -1e-13 * scale && l->elastic >= 0.0);
            before = l->remainder;
        }
        mechanism_end(&x);
    }
    print_message("remainder at most %.1e of the energies in a step\n", worst);
}

static dp_status yielding_row(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    (void)context, (void)m, (void)end;
    row->phi = dp_data_q(d)[0];
    row->k = 500.0;
    row->b = 8.0;
    row->lo = -20.0;
    row->hi = 20.0;
    gradient[0] = 1.0;
    return DP_OK;
}

// V = F |x| − F²/2k beyond the yield F/k.
static void a_spring_that_yields_stores_what_its_force_has_done(void **state)
{
    (void)state;
    dp_joint_spec *joint;
    mechanism x = sliding(0.01, &joint);
    mechanism_compile(&x);
    int row;
    assert_ok(dp_data_add_row(&row, x.d, yielding_row, NULL));
    dp_data_v(x.d)[0] = 2.0;
    double before = 0.0, stored = 0.0;
    for (int n = 0; n < 500; ++n) {
        mechanism_steps(&x, 1);
        const double q = fabs(dp_data_q(x.d)[0]);
        stored = q > 0.04 ? 20.0 * q - 0.4 : 250.0 * q * q;
        assert_near(dp_data_ledger(x.d)->elastic, stored, 1e-12);
        assert_true(dp_data_ledger(x.d)->remainder <= before + 1e-13);
        before = dp_data_ledger(x.d)->remainder;
    }
    assert_near(dp_data_ledger(x.d)->moved, 0.0, 1e-12);

    dp_data_q(x.d)[0] = 0.1; // stretched by hand while it is off, then switched on
    dp_data_v(x.d)[0] = 0.0;
    dp_data_set_row_active(x.d, row, false);
    mechanism_steps(&x, 1);
    assert_near(dp_data_ledger(x.d)->moved, -stored, 1e-12);
    dp_data_set_row_active(x.d, row, true);
    before = dp_data_ledger(x.d)->remainder;
    mechanism_steps(&x, 1);
    assert_near(dp_data_ledger(x.d)->moved, 20.0 * 0.1 - 0.4 - stored, 1e-12);
    assert_true(dp_data_ledger(x.d)->remainder <= before + 1e-13);
    mechanism_end(&x);
}

// A body on a pin, which turns: the remainder is of first order.
static double remainder_of_turning(double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = h;
    dp_spec_options(x.spec)->ledger = true;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "bob", (dp_v3){1.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.1, 0.2, 0.3});
    (void)mechanism_joint(&x, body, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_CONNECT;
    e.object[0] = "bob";
    e.anchor = (dp_v3){-1.0, 0.0, 0.0};
    assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    mechanism_compile(&x);
    dp_data_v(x.d)[3] = 2.0;
    dp_data_v(x.d)[1] = 1.0;
    dp_data_v(x.d)[5] = 1.0; // about z, with the velocity that the pin allows
    assert_ok(dp_kinematics(x.d));
    const double start = mechanism_energy(&x);
    mechanism_steps(&x, (int)lround(0.7 / h));
    assert_near(balance(&x), start, 1e-10);
    const double remainder_now = dp_data_ledger(x.d)->remainder;
    mechanism_end(&x);
    return remainder_now;
}

static void where_things_turn_the_remainder_is_of_first_order(void **state)
{
    (void)state;
    const double coarse = remainder_of_turning(1e-3), fine = remainder_of_turning(0.5e-3);
    print_message("remainder %.3e, %.3e J\n", coarse, fine);
    assert_near(coarse / fine, 2.0, 0.1);
}

static void the_ledger_begins_anew_with_a_reset_and_is_off_unless_asked_for(void **state)
{
    (void)state;
    mechanism x = translating(5, 0.01);
    mechanism_steps(&x, 50);
    assert_true(dp_data_ledger(x.d)->remainder < 0.0);
    dp_data_reset(x.d);
    assert_near(dp_data_ledger(x.d)->remainder, 0.0, 0.0);
    assert_near(dp_data_ledger(x.d)->applied, 0.0, 0.0);
    dp_data_options(x.d)->ledger = false;
    dp_data_v(x.d)[0] = 1.0;
    mechanism_steps(&x, 50);
    assert_near(dp_data_ledger(x.d)->remainder, 0.0, 0.0);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_force_is_entered_as_force_times_way),
        cmocka_unit_test(a_soft_row_stores_half_k_x_squared),
        cmocka_unit_test(dashpots_of_joints_and_rows_take_what_they_say),
        cmocka_unit_test(a_rigid_end_takes_the_kinetic_energy_as_an_impact),
        cmocka_unit_test(a_soft_end_takes_no_impact_and_holds_half_k_x_squared),
        cmocka_unit_test(a_dropped_pendulum_loses_its_fall_at_a_rigid_end),
        cmocka_unit_test(friction_takes_its_bound_times_the_way),
        cmocka_unit_test(drives_are_entered_with_their_work),
        cmocka_unit_test(what_moves_a_reference_does_its_work),
        cmocka_unit_test(while_nothing_turns_the_method_never_adds_energy),
        cmocka_unit_test(a_spring_that_yields_stores_what_its_force_has_done),
        cmocka_unit_test(where_things_turn_the_remainder_is_of_first_order),
        cmocka_unit_test(the_ledger_begins_anew_with_a_reset_and_is_off_unless_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
