// Springs, dampers and servos far beyond what an explicit step could bear: the default step decays,
// by the recursion that its formula promises.
#include "mechanism.h"

#include "math/angle.h"
#include "math/v3.h"

#include <dashpot/advanced/step.h>
#include <dashpot/format.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const dp_v3 ZERO = {0.0, 0.0, 0.0};

// One body on one joint, no gravity. The inertia of the coordinate is MASS in every case.
static const double MASS = 2.0; // [kg, kg m²]

static mechanism oscillator(dp_joint_kind kind, double stiffness, double damping, double step)
{
    mechanism x = mechanism_begin();
    const dp_body_id b =
        mechanism_body(&x, DP_WORLD, "body", ZERO, MASS, ZERO, (dp_v3){MASS, MASS, MASS});
    dp_joint_spec *joint = mechanism_joint(&x, b, "joint", kind, (dp_v3){0.0, 0.0, 1.0});
    joint->stiffness = stiffness;
    joint->damping = damping;
    joint->spring_ref = kind == DP_JOINT_BALL || kind == DP_JOINT_FREE ? 0.0 : 0.25;
    dp_spec_options(x.spec)->gravity = ZERO;
    dp_spec_options(x.spec)->step = step;
    mechanism_compile(&x);
    return x;
}

// (m + h b + h² k) v₁ = m v₀ − h k (q₀ − q_ref),   q₁ = q₀ + h v₁
static void springs_follow_the_implicit_recursion(void **state)
{
    (void)state;
    const double stiffness[] = {0.0, 1.0, 1e3, 1e6, 1e12}, damping[] = {0.0, 1.0, 1e6};
    const double steps[] = {1e-4, 1e-2, 1.0};
    for (int i = 0; i < 2 * 5 * 3 * 3; ++i) {
        const dp_joint_kind kind = i % 2 ? DP_JOINT_HINGE : DP_JOINT_SLIDE;
        const double k = stiffness[i / 2 % 5], b = damping[i / 10 % 3], h = steps[i / 30];
        mechanism x = oscillator(kind, k, b, h);
        double q = 0.75, v = 0.05;
        mechanism_set(&x, &q, &v);
        for (int n = 0; n < 50; ++n) {
            v = (MASS * v - h * k * (q - 0.25)) / (MASS + h * b + h * h * k);
            q += h * v;
            mechanism_steps(&x, 1);
            // A stiff spring subtracts numbers of size hk(q − q_ref): that is the round-off in v.
            const double round_off = 64.0 * DBL_EPSILON / h + 64.0 * DBL_EPSILON * fabs(v);
            assert_near(dp_data_v(x.d)[0], v, round_off);
            assert_near(dp_data_q(x.d)[0], q, 64.0 * DBL_EPSILON * (n + 1));
        }
        mechanism_end(&x);
    }
}

static double displacement(const mechanism *x, dp_joint_kind kind)
{
    const double *q = dp_data_q(x->d);
    return kind == DP_JOINT_FREE   ? dp_v3_norm(dp_v3_load(q))
           : kind == DP_JOINT_BALL ? dp_v3_norm(dp_quat_log(dp_quat_load(q)))
                                   : fabs(q[0] - 0.25);
}

// The eigenvalues of the recursion are 1/(1 ± i h √(k/m)): at 7 rad a step each step divides the
// amplitude by seven. Monotonic in energy always, in displacement where it dies within a step.
static void a_spring_of_a_million_decays_at_ten_milliseconds(void **state)
{
    (void)state;
    const dp_joint_kind kinds[] = {DP_JOINT_HINGE, DP_JOINT_SLIDE, DP_JOINT_BALL, DP_JOINT_FREE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        mechanism x = oscillator(kinds[i], 1e6, 0.0, 0.01);
        double *q = dp_data_q(x.d);
        if (kinds[i] == DP_JOINT_FREE) {
            q[0] = 0.3, q[1] = -0.2, q[2] = 0.1;
        } else if (kinds[i] == DP_JOINT_BALL) {
            dp_quat_store(q, dp_quat_about((dp_v3){0.6, 0.0, 0.8}, 0.5));
        } else {
            q[0] = 0.75;
        }
        assert_ok(dp_kinematics(x.d));
        const double start = displacement(&x, kinds[i]),
                     shrink = 1.0 / sqrt(1.0 + 1e-4 * 1e6 / MASS);
        double energy = mechanism_energy(&x), envelope = start;
        for (int n = 0; n < 15; ++n) {
            mechanism_steps(&x, 1);
            assert_true(mechanism_energy(&x) < energy);
            energy = mechanism_energy(&x);
            envelope *= shrink;
            // Rotations turn by the Cayley map, up to a few per cent less than asked.
            if (energy > 1e-20) {
                assert_true(displacement(&x, kinds[i]) <= 1.5 * envelope + 0.06 * start);
            }
        }
        print_message("%s: %.1e of the displacement after 15 steps\n", dp_joint_kind_name(kinds[i]),
                      displacement(&x, kinds[i]) / start);
        assert_true(displacement(&x, kinds[i]) < 1e-9 * start);
        mechanism_end(&x);
    }
}

// A rotation of nearly half a turn, released at any stiffness, comes to rest.
static void a_ball_spring_comes_home_from_half_a_turn(void **state)
{
    (void)state;
    for (double k = 1.0; k < 1e13; k *= 1e3) {
        mechanism x = oscillator(DP_JOINT_BALL, k, 0.0, 0.01);
        dp_quat_store(dp_data_q(x.d), dp_quat_about((dp_v3){0.6, 0.0, 0.8}, 3.1));
        dp_data_v(x.d)[1] = 5.0; // not along the axis of the displacement
        assert_ok(dp_kinematics(x.d));
        double energy = mechanism_energy(&x);
        const double start = energy;
        for (int n = 0; n < 20000; ++n) {
            mechanism_steps(&x, 1);
            const double now = mechanism_energy(&x);
            // Soft springs at large angles: the implicit formula sees the displacement as flat.
            assert_true(now <= energy * (1.0 + 1e-3) + 1e-12 * start);
            energy = now;
        }
        print_message("k = %.0e: energy falls to %.1e of its start in 200 s\n", k, energy / start);
        assert_true(energy < 0.5 * start);
        mechanism_end(&x);
    }
}

static void a_damper_alone_brings_to_rest_without_turning_back(void **state)
{
    (void)state;
    const dp_joint_kind kinds[] = {DP_JOINT_HINGE, DP_JOINT_SLIDE, DP_JOINT_BALL, DP_JOINT_FREE};
    const double h = 0.1, b = 1e6;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        mechanism x = oscillator(kinds[i], 0.0, b, h);
        const int nv = dp_model_sizes(x.m)->nv;
        double *v = dp_data_v(x.d), expected[6];
        for (int k = 0; k < nv; ++k) {
            expected[k] = v[k] = 1.0 + k;
        }
        for (int n = 0; n < 5; ++n) {
            mechanism_steps(&x, 1);
            for (int k = 0; k < nv; ++k) {
                // v₁ = v₀ + h a: what is left has the round-off of v₀. A sphere's rates in body
                // axes do not change as it turns.
                const double round_off = 8.0 * DBL_EPSILON * fabs(expected[k]);
                expected[k] *= MASS / (MASS + h * b);
                assert_near(v[k], expected[k], round_off);
                expected[k] = v[k];
            }
        }
        mechanism_end(&x);
    }
}

// A chain of three links with a stiff spring in each joint, far from rest and kicked.
static void a_stiff_chain_comes_to_rest(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_body_id parent = DP_WORLD;
    for (int i = 0; i < 3; ++i) {
        parent = mechanism_body(&x, parent, NULL, (dp_v3){0.0, 0.0, i ? -0.5 : 0.0}, 1.0,
                                (dp_v3){0.0, 0.0, -0.25}, (dp_v3){0.02, 0.02, 0.001});
        dp_joint_spec *joint =
            mechanism_joint(&x, parent, NULL, DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
        joint->stiffness = 1e6;
    }
    dp_spec_options(x.spec)->step = 0.01;
    mechanism_compile(&x);
    const double q[3] = {0.8, -0.5, 0.7}, v[3] = {10.0, -20.0, 30.0};
    mechanism_set(&x, q, v);
    const double start = mechanism_energy(&x);
    for (int n = 0; n < 200; ++n) {
        mechanism_steps(&x, 1);
        assert_true(mechanism_energy(&x) <= start);
    }
    print_message("angles %.1e %.1e %.1e rad, rate %.1e rad/s\n", dp_data_q(x.d)[0],
                  dp_data_q(x.d)[1], dp_data_q(x.d)[2], dp_data_v(x.d)[0]);
    for (int k = 0; k < 3; ++k) {
        assert_near(dp_data_q(x.d)[k], 0.0, 1e-9); // it hangs straight: no torque at rest
        assert_near(dp_data_v(x.d)[k], 0.0, 1e-9);
    }
    mechanism_end(&x);
}

// A servo: force = kp (u − gear q) − kd gear q̇, on a slide of mass MASS.
static mechanism servo(double kp, double kd, double gear, double limit, double step)
{
    mechanism x = mechanism_begin();
    const dp_body_id b =
        mechanism_body(&x, DP_WORLD, "body", ZERO, MASS, ZERO, (dp_v3){MASS, MASS, MASS});
    mechanism_joint(&x, b, "joint", DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    dp_actuator_spec a = dp_actuator_spec_default();
    a.name = "servo";
    a.joint = "joint";
    a.gear[0] = gear;
    a.gain[0] = kp;
    a.bias[1] = -kp;
    a.bias[2] = -kd;
    a.force_limited = limit > 0.0;
    a.force_range[0] = -limit, a.force_range[1] = limit;
    assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
    dp_spec_options(x.spec)->gravity = ZERO;
    dp_spec_options(x.spec)->step = step;
    mechanism_compile(&x);
    return x;
}

static void a_position_servo_of_a_million_is_a_spring_that_reaches_its_target(void **state)
{
    (void)state;
    const double h = 0.1, kp = 1e6, kd = 10.0, gear = 2.0, target = 0.8;
    mechanism x = servo(kp, kd, gear, 0.0, h);
    dp_data_control(x.d)[0] = target;
    double q = 0.0, v = 3.0;
    mechanism_set(&x, &q, &v);
    for (int n = 0; n < 100; ++n) {
        const double k = kp * gear * gear, b = kd * gear * gear;
        v = (MASS * v - h * k * (q - target / gear)) / (MASS + h * b + h * h * k);
        q += h * v;
        mechanism_steps(&x, 1);
        assert_near(dp_data_v(x.d)[0], v, 64.0 * DBL_EPSILON / h * 4.0);
        assert_near(dp_data_q(x.d)[0], q, 64.0 * DBL_EPSILON * (n + 1));
    }
    assert_near(dp_data_q(x.d)[0], target / gear, 1e-12);
    mechanism_end(&x);
}

// The force of a step is m Δv/h: never beyond the range; and the servo still arrives and stays. The
// law is that of an implicit spring behind a clamp: λ = clamp(kp (u − q₁) − kd v₁), v₁ = v₀ + h
// λ/m.
static void a_force_range_is_honoured_and_the_servo_still_arrives(void **state)
{
    (void)state;
    const double limits[] = {0.5, 10.0, 1e3, 1e5};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        const double h = 0.1, kp = 1e6, kd = 1e6, limit = limits[i], target = 0.8;
        mechanism x = servo(kp, kd, 1.0, limit, h);
        dp_data_control(x.d)[0] = target;
        double q = 0.0, v = 3.0;
        mechanism_set(&x, &q, &v);
        for (int n = 0; n < 2000; ++n) {
            const double free_v = (MASS * v + h * kp * (target - q)) / (MASS + h * kd + h * h * kp);
            const double force = MASS * (free_v - v) / h;
            const double clamped = fmin(fmax(force, -limit), limit);
            const double expected = v + h * clamped / MASS;
            mechanism_steps(&x, 1);
            const double got = dp_data_v(x.d)[0];
            assert_true(fabs(MASS * (got - v) / h) <= limit * (1.0 + 1e-12) + 1e-11);
            assert_near(got, expected, 1e-9);
            v = got;
            q = dp_data_q(x.d)[0];
        }
        print_message("range ±%g N: off by %.1e m, %.1e m/s after 200 s\n", limit, q - target, v);
        assert_near(q, target, 1e-6);
        assert_near(v, 0.0, 1e-6);
        mechanism_end(&x);
    }
}

static void a_velocity_servo_of_a_million_reaches_its_speed(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id b =
        mechanism_body(&x, DP_WORLD, "body", ZERO, MASS, ZERO, (dp_v3){MASS, MASS, MASS});
    mechanism_joint(&x, b, "joint", DP_JOINT_HINGE, (dp_v3){0.0, 0.0, 1.0});
    dp_actuator_spec a = dp_actuator_spec_default();
    a.joint = "joint";
    a.gain[0] = 1e6;
    a.bias[2] = -1e6;
    assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
    dp_spec_options(x.spec)->step = 0.1;
    mechanism_compile(&x);
    dp_data_control(x.d)[0] = 0.7;
    double gap = 0.7;
    for (int n = 0; n < 3; ++n) {
        mechanism_steps(&x, 1);
        gap *= MASS / (MASS + 0.1 * 1e6);
        assert_near(dp_data_v(x.d)[0], 0.7 - gap, 1e-14);
    }
    mechanism_end(&x);
}

// Two servos on one arm, one of them saturated: the other must not notice more than the mechanism
// tells it.
static void a_saturated_servo_does_not_upset_its_neighbour(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_body_id parent = DP_WORLD;
    const char *names[2] = {"shoulder", "elbow"};
    for (int i = 0; i < 2; ++i) {
        parent = mechanism_body(&x, parent, NULL, (dp_v3){i ? 0.5 : 0.0, 0.0, 0.0}, 1.0,
                                (dp_v3){0.25, 0.0, 0.0}, (dp_v3){0.01, 0.02, 0.02});
        mechanism_joint(&x, parent, names[i], DP_JOINT_HINGE, (dp_v3){0.0, -1.0, 0.0});
        dp_actuator_spec a = dp_actuator_spec_default();
        a.joint = names[i];
        a.gain[0] = 1e6;
        a.bias[1] = -1e6;
        a.bias[2] = -1e3;
        a.force_limited = true;
        // The shoulder cannot carry the arm (9.8 N m), the elbow can.
        a.force_range[0] = i ? -50.0 : -2.0, a.force_range[1] = i ? 50.0 : 2.0;
        assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
    }
    dp_spec_options(x.spec)->step = 0.01;
    mechanism_compile(&x);
    dp_data_control(x.d)[1] = 0.3;
    mechanism_set(&x, (double[2]){0.0, 0.3}, NULL);
    for (int n = 0; n < 3000; ++n) {
        mechanism_steps(&x, 1);
        // Held, although the shoulder swings: at most 50 N m/1e6 N m/rad off.
        assert_near(dp_data_q(x.d)[1], 0.3, 5e-5);
    }
    mechanism_end(&x);
}

// A ball of 1 kg m² on a joint of 1e4 N m/rad, h² K = 0.25 kg m², beside a weld that is far apart
// and cannot close. Its kinetic energy of 1.4 J is less than that of 1 rad/s about each axis, so
// that it keeps the velocity that solves the step; with the share of the spring it would be more.
static void a_stiff_joint_throws_nothing_that_is_slow(void **state)
{
    (void)state;
    static const char text[] =
        "<mujoco xmlns:dp='dashpot'><compiler angle='radian'/>"
        "<option timestep='0.005' gravity='0 0 0'/><worldbody><body name='b' pos='0 0 0.2'>"
        "<inertial pos='0 0 0' mass='30' diaginertia='1 1 1'/>"
        "<joint type='ball' stiffness='1e4'/></body></worldbody><equality>"
        "<weld body1='b' relpose='0 0 -0.2 1 0 0 0' anchor='-0.09 0.17 -0.14' dp:stiffness='7e7' "
        "dp:damping='0'/></equality></mujoco>";
    static const double start[4] = {0.9999037417542573, 0.01210861906086453, 0.006774110293952031,
                                    0.0};
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "ball", NULL));
    mechanism x = mechanism_from(spec);
    dp_data_options(x.d)->max_halvings = 0;
    memcpy(dp_data_q(x.d), start, sizeof start);
    dp_data_v(x.d)[0] = 0.4;
    mechanism_steps(&x, 1);
    const double *v = dp_data_solution(x.d)->v;
    assert_true(dp_v3_norm(dp_v3_load(v)) > 1.0);
    for (int k = 0; k < 3; ++k) {
        assert_near(dp_data_v(x.d)[k], v[k], 1e-12);
    }
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_follow_the_implicit_recursion),
        cmocka_unit_test(a_spring_of_a_million_decays_at_ten_milliseconds),
        cmocka_unit_test(a_ball_spring_comes_home_from_half_a_turn),
        cmocka_unit_test(a_damper_alone_brings_to_rest_without_turning_back),
        cmocka_unit_test(a_stiff_chain_comes_to_rest),
        cmocka_unit_test(a_position_servo_of_a_million_is_a_spring_that_reaches_its_target),
        cmocka_unit_test(a_force_range_is_honoured_and_the_servo_still_arrives),
        cmocka_unit_test(a_velocity_servo_of_a_million_reaches_its_speed),
        cmocka_unit_test(a_saturated_servo_does_not_upset_its_neighbour),
        cmocka_unit_test(a_stiff_joint_throws_nothing_that_is_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
