// The inertia along tendons: T = ½ a l̇² is part of the kinetic energy, a Jᵀ J of M and a Jᵀ (J̇ v)
// of the bias force, whichever branches and trees a tendon joins.
#include "mechanism.h"
#include "test_random.h"

#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char SCENE[] =
    "<mujoco><option timestep='0.001' gravity='0 0 0'/>"
    "<worldbody><body><joint name='j' type='slide' axis='1 0 0'/>"
    "<geom size='0.1' mass='1' contype='0' conaffinity='0'/></body></worldbody>"
    "<tendon><fixed name='t' armature='3'><joint joint='j' coef='2'/></fixed></tendon></mujoco>";

static mechanism parse(const char *text)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "scene", NULL));
    dp_spec_options(spec)->ledger = true;
    return mechanism_from(spec);
}

// l = 2 q: the mass of 1 kg feels 2² · 3 kg more.
static void a_mass_on_a_tendon_carries_its_armature(void **state)
{
    (void)state;
    mechanism x = parse(SCENE);
    dp_data_force(x.d)[0] = 26.0;
    mechanism_steps(&x, 1000);
    assert_near(dp_data_v(x.d)[0], 2.0, 1e-12);
    assert_near(dp_data_energy(x.d).kinetic, 0.5 * 13.0 * 2.0 * 2.0, 1e-11);
    const dp_ledger *ledger = dp_data_ledger(x.d);
    assert_near(ledger->elastic, 0.0, 0.0);
    assert_near(dp_data_energy(x.d).kinetic, ledger->applied + ledger->remainder, 1e-11);
    assert_true(ledger->remainder <= 0.0 && ledger->remainder > -0.03); // ½ h a Σ F
    mechanism_end(&x);
}

// Two arms, a slider and, where %s is a free joint, a body at large; tendons across all of them:
// straight, around a sphere and a cylinder, through a ring, over a pulley, and fixed ones.
#define TREES                                                                                      \
    "<worldbody>"                                                                                  \
    "<geom name='post' type='cylinder' size='0.1 1' pos='0.8 0.1 0.2' euler='70 0 0' "             \
    "contype='0' conaffinity='0'/><site name='wall' pos='1.5 0.2 0.6'/>"                           \
    "<body name='arm'><joint name='a' axis='0 1 0.2'/>"                                            \
    "<geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.05' contype='0' conaffinity='0'/>"        \
    "<body name='hand' pos='0.5 0 0'><joint name='b' axis='0.1 1 0' damping='0'/>"                 \
    "<geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.04' contype='0' conaffinity='0'/>"        \
    "<geom name='ball' size='0.06' pos='0.2 0 0.1' contype='0' conaffinity='0' mass='0.1'/>"       \
    "<site name='ring' pos='0.2 0 0.1'/>"                                                          \
    "<site name='tip' pos='0.4 0.02 0.05'/></body><site name='elbow' pos='0.4 0.05 0.05'/>"        \
    "<body name='side' pos='0.25 0.3 0'><joint name='s' axis='0 0 1'/><joint name='s2' axis='1 0 " \
    "0'/><geom type='box' size='0.1 0.05 0.04' pos='0 0.1 0' contype='0' conaffinity='0'/>"        \
    "<site name='thumb' pos='0.1 0.2 0.1'/></body></body>"                                         \
    "<body name='cart' pos='1 -0.5 0.3'><joint name='c' type='slide' axis='1 0.2 0' "              \
    "stiffness='3'/><geom size='0.1' contype='0' conaffinity='0'/>"                                \
    "<site name='hook' pos='0.1 0.1 0.2'/></body>"
#define TENDONS                                                                                    \
    "<tendon><spatial name='t0' armature='0.7'><site site='elbow'/>"                               \
    "<geom geom='ball'/><site site='hook'/></spatial>"                                             \
    "<spatial name='t1' armature='1.9' %s><site site='thumb'/><geom geom='post'/>"                 \
    "<site site='wall'/><pulley divisor='2'/><site site='wall'/><site site='tip'/></spatial>"      \
    "<spatial name='t2' armature='2.5'><site site='hook'/><geom geom='ball' sidesite='ring'/>"     \
    "<site site='%s'/></spatial>"                                                                  \
    "<fixed name='t3' armature='0.4'><joint joint='a' coef='0.7'/><joint joint='c' coef='-2'/>"    \
    "<joint joint='s' coef='1.1'/></fixed></tendon></mujoco>"

static const char FREE_BODY[] =
    "<body name='stone' pos='0.3 0.6 0.8'><freejoint/>"
    "<geom type='box' size='0.1 0.15 0.2' mass='3' contype='0' conaffinity='0'/>"
    "<site name='corner' pos='0.1 0.15 0.2'/></body>";

/// @param stone with a body on a free joint. @param extra attributes of the tendon t1
static mechanism open_trees(bool stone, const char *extra)
{
    char text[8192];
    const int length = snprintf(text, sizeof text,
                                "<mujoco><compiler angle='degree'/><option timestep='0.001'/>" TREES
                                "%s</worldbody>" TENDONS,
                                stone ? FREE_BODY : "", extra, stone ? "corner" : "wall");
    assert_in_range(length, 1, (int)sizeof text - 1);
    return parse(text);
}

static void draw_state(mechanism *x, random_source *r, double speed)
{
    const dp_model_size *n = dp_model_sizes(x->m);
    double *q = dp_data_q(x->d), *v = dp_data_v(x->d);
    for (int i = 0; i < n->nq; ++i) {
        q[i] = random_between(r, -0.8, 0.8);
    }
    for (int i = 0; i < n->nv; ++i) {
        v[i] = random_between(r, -speed, speed);
    }
    assert_ok(dp_kinematics(x->d));
}

enum { MOST = 16, STATES = 50 };

static void product(double *y, const double *M, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (int k = 0; k < n; ++k) {
            y[i] += M[i * n + k] * x[k];
        }
    }
}

static double inner(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void mass_matrix_kinetic_energy_and_both_dynamics_agree(void **state)
{
    (void)state;
    mechanism x = open_trees(true, "");
    const int n = dp_model_sizes(x.m)->nv;
    assert_in_range(n, 10, MOST);
    random_source r = {3};
    for (int s = 0; s < STATES; ++s) {
        draw_state(&x, &r, 2.0);
        double M[MOST * MOST], y[MOST], a[MOST], tau[MOST], b[MOST], c[MOST];
        assert_ok(dp_mass_matrix(M, x.d));
        product(y, M, dp_data_v(x.d), n);
        const double T = dp_data_energy(x.d).kinetic;
        assert_near(0.5 * inner(y, dp_data_v(x.d), n), T, 1e-12 * T);
        for (int i = 0; i < n; ++i) {
            a[i] = random_between(&r, -3.0, 3.0);
        }
        product(y, M, a, n);
        assert_ok(dp_mass_solve(b, x.d, y));
        assert_ok(dp_inverse_dynamics(tau, x.d, a));
        assert_ok(dp_bias_force(c, x.d));
        const double spring = 3.0 * dp_data_q(x.d)[4]; // of the cart
        for (int i = 0; i < n; ++i) {
            assert_near(b[i], a[i], 1e-10);
            assert_near(tau[i], y[i] + c[i] + (i == 4 ? spring : 0.0), 1e-10);
        }
        assert_ok(dp_forward_dynamics(b, x.d, tau));
        for (int i = 0; i < n; ++i) {
            assert_near(b[i], a[i], 1e-9);
        }
    }
    mechanism_end(&x);
}

// c = Ṁ v − ∂T/∂q + ∂U/∂q by differences of the public mass matrix and energy; every coordinate is
// an angle or a length.
static void the_bias_force_is_that_of_the_lagrangian(void **state)
{
    (void)state;
    mechanism x = open_trees(false, "");
    const int n = dp_model_sizes(x.m)->nv;
    assert_int_equal(n, dp_model_sizes(x.m)->nq);
    random_source r = {5};
    int sharp = 0;
    for (int s = 0; s < STATES; ++s) {
        draw_state(&x, &r, 2.0);
        double *q = dp_data_q(x.d), *v = dp_data_v(x.d);
        double c[MOST], expected[MOST], coarse[MOST];
        assert_ok(dp_bias_force(c, x.d));
        for (int rough = 0; rough < 2; ++rough) {
            const double h = rough ? 2e-5 : 1e-5;
            double *out = rough ? coarse : expected;
            memset(out, 0, sizeof expected);
            for (int k = 0; k < n; ++k) {
                double M[2][MOST * MOST], T[2], U[2], p[2][MOST];
                const double kept = q[k];
                for (int side = 0; side < 2; ++side) {
                    q[k] = kept + (side ? h : -h);
                    assert_ok(dp_mass_matrix(M[side], x.d));
                    product(p[side], M[side], v, n);
                    const dp_energy e = dp_data_energy(x.d);
                    T[side] = e.kinetic;
                    U[side] = e.gravity;
                }
                q[k] = kept;
                for (int i = 0; i < n; ++i) {
                    out[i] += v[k] * (p[1][i] - p[0][i]) / (2.0 * h);
                }
                out[k] += (U[1] - U[0] - T[1] + T[0]) / (2.0 * h);
            }
        }
        for (int i = 0; i < n; ++i) {
            const double error = fabs(expected[i] - coarse[i]), size = 1.0 + fabs(c[i]);
            assert_near(c[i], expected[i], 1e-7 * size + 2.0 * error);
            sharp += error < 1e-6 * size;
        }
        assert_ok(dp_kinematics(x.d));
    }
    assert_true(sharp > STATES * n * 9 / 10); // elsewhere a bend begins or ends
    mechanism_end(&x);
}

/// Advance to t = 0.5 s. @return the energy gained
static double run(double *q, bool stone, dp_integrator integrator, dp_law_kind law, double h)
{
    mechanism x = open_trees(stone, "");
    dp_options *o = dp_data_options(x.d);
    o->integrator = integrator;
    o->solver.law = law;
    o->step = h;
    o->relative_tolerance = o->absolute_tolerance = 1e-11;
    o->max_substeps = 100000;
    random_source r = {11};
    draw_state(&x, &r, 1.0);
    const double before = mechanism_energy(&x);
    mechanism_steps(&x, (int)lround(0.5 / h));
    assert_ok(dp_kinematics(x.d));
    memcpy(q, dp_data_q(x.d), (size_t)dp_model_sizes(x.m)->nq * sizeof *q);
    const double gained = mechanism_energy(&x) - before;
    mechanism_end(&x);
    return gained;
}

static double apart(const double *a, const double *b, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

static void every_integrator_moves_tendon_inertia_alike(void **state)
{
    (void)state;
    const int n = 12; // 5 angles and lengths, and a pose
    double exact[MOST], q[MOST], error[3];
    assert_near(run(exact, true, DP_INTEGRATOR_RK45, DP_LAW_COMPLIANT, 0.01), 0.0, 1e-7);
    // l̈ jumps where a bend begins or ends, which costs a method with steps of its own O(h).
    assert_near(run(q, true, DP_INTEGRATOR_RK4, DP_LAW_COMPLIANT, 2e-4), 0.0, 1e-3);
    assert_near(apart(q, exact, n), 0.0, 1e-3);
    for (int k = 0; k < 3; ++k) {
        run(q, true, DP_INTEGRATOR_SEMI_IMPLICIT, DP_LAW_COMPLIANT, 1e-3 / (1 << k));
        error[k] = apart(q, exact, n);
    }
    print_message("             semi-implicit: %.2e %.2e %.2e\n", error[0], error[1], error[2]);
    assert_true(error[0] < 2e-2);
    assert_true(error[1] < 0.6 * error[0] && error[2] < 0.6 * error[1]);
}

// At 25 rad/s and 0.016 s bodies turn by 0.4 rad in a step, and paths jump around obstacles.
static void tendon_inertia_adds_no_energy_at_any_step(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        for (double h = 0.001; h < 0.05; h *= 4.0) {
            mechanism x = open_trees(true, "");
            dp_data_options(x.d)->step = h;
            dp_data_options(x.d)->gravity = (dp_v3){0.0, 0.0, 0.0};
            random_source r = {seed};
            draw_state(&x, &r, seed % 2 ? 25.0 : 1.0);
            const double before = mechanism_energy(&x);
            for (int n = 0; n < 300; ++n) {
                mechanism_steps(&x, 1);
                assert_ok(dp_kinematics(x.d));
                assert_true(mechanism_energy(&x) <= before * (1.0 + 1e-9));
            }
            mechanism_end(&x);
        }
    }
}

// A body of 40 g spins at 7000 rad/s, and a loop winds it up on a tendon with 30 t along it. In one
// step the loop takes more than all energy that there is: the body must end at rest, and the tendon
// with it.
static void a_tendon_gives_back_nothing_that_a_limit_on_energy_took(void **state)
{
    (void)state;
    static const char text[] =
        "<mujoco><option timestep='0.04' gravity='0 0 0'/>"
        "<worldbody><site name='post' pos='0 -2 2'/>"
        "<body><inertial pos='0 0 0' mass='0.04' diaginertia='0.1 0.1 0.1'/>"
        "<joint type='free'/><site name='eye' pos='0 1 -0.9'/></body></worldbody>"
        "<tendon><spatial name='t' armature='3e4'><site site='eye'/><site site='post'/></spatial>"
        "</tendon><equality><tendon tendon1='t'/></equality></mujoco>";
    mechanism x = parse(text);
    dp_data_options(x.d)->max_halvings = 0;
    dp_data_v(x.d)[5] = -7000.0;
    dp_data_force(x.d)[3] = 4e4 * sin(2.0);
    mechanism_steps(&x, 1);
    assert_ok(dp_kinematics(x.d));
    assert_near(dp_data_energy(x.d).kinetic, 0.0, 1e-9);
    mechanism_end(&x);
}

static void every_law_carries_tendon_inertia(void **state)
{
    (void)state;
    double expected[MOST], q[MOST];
    run(expected, true, DP_INTEGRATOR_SEMI_IMPLICIT, DP_LAW_COMPLIANT, 1e-3);
    const dp_law_kind law[] = {DP_LAW_NCP, DP_LAW_LCP, DP_LAW_VI, DP_LAW_TAMSI};
    for (int i = 0; i < 4; ++i) {
        run(q, true, DP_INTEGRATOR_SEMI_IMPLICIT, law[i], 1e-3);
        assert_near(apart(q, expected, 12), 0.0, 1e-6);
    }
}

// U = ½ k (distance outside the slack range)² and f = −∂U/∂q: of the forces at the end of a step
// that is next to nothing.
static void tendon_springs_pull_down_the_slope_of_their_energy(void **state)
{
    (void)state;
    const char *const range[] = {"stiffness='70' springlength='0.4'",
                                 "stiffness='70' springlength='0.9 1.4'",
                                 "stiffness='70' springlength='2 3'", "stiffness='70'"};
    for (int kind = 0; kind < 4; ++kind) {
        mechanism x = open_trees(false, range[kind]);
        const int n = dp_model_sizes(x.m)->nv;
        dp_data_options(x.d)->step = 1e-9;
        random_source r = {7};
        int loaded = 0;
        for (int s = 0; s < STATES; ++s) {
            draw_state(&x, &r, 0.0);
            double *q = dp_data_q(x.d), y[MOST], c[MOST], M[MOST * MOST];
            assert_ok(dp_sense(x.d));
            assert_ok(dp_mass_matrix(M, x.d));
            assert_ok(dp_bias_force(c, x.d));
            product(y, M, dp_data_acceleration(x.d), n);
            loaded += dp_data_energy(x.d).spring > 0.01;
            for (int k = 0; k < n; ++k) {
                const double h = 1e-5, kept = q[k];
                double U[4];
                for (int side = 0; side < 4; ++side) {
                    q[k] = kept + (side < 2 ? side - 2 : side - 1) * h;
                    assert_ok(dp_kinematics(x.d));
                    U[side] = dp_data_energy(x.d).spring;
                }
                q[k] = kept;
                const double slope = (U[2] - U[1]) / (2.0 * h), coarse = (U[3] - U[0]) / (4.0 * h);
                assert_near(y[k] + c[k], -slope, 1e-5 + 2.0 * fabs(slope - coarse));
            }
        }
        assert_true(loaded > STATES / 2);
        mechanism_end(&x);
    }
}

// The first row of a recording, the sensor and the ledger have the same number.
static void a_stretched_tendon_has_its_energy_from_the_start(void **state)
{
    (void)state;
    static const char text[] =
        "<mujoco><option timestep='0.001' gravity='0 0 0'/>"
        "<worldbody><body><joint name='j' type='slide' axis='1 0 0'/>"
        "<geom size='0.1' mass='1' contype='0' conaffinity='0'/></body></worldbody>"
        "<tendon><fixed name='t' stiffness='8' springlength='0.1 0.3'>"
        "<joint joint='j' coef='2'/></fixed></tendon>"
        "<sensor><e_potential name='e'/></sensor></mujoco>";
    mechanism x = parse(text);
    dp_data_q(x.d)[0] = 0.4; // l = 0.8: half a metre beyond the slack range
    assert_near(mechanism_sense(&x, "e")[0], 0.5 * 8.0 * 0.25, 1e-15);
    assert_near(dp_data_energy(x.d).spring, 1.0, 1e-15);
    dp_data_q(x.d)[0] = 0.1;
    assert_near(mechanism_sense(&x, "e")[0], 0.0, 0.0);
    dp_data_q(x.d)[0] = -0.2; // half a metre below
    assert_near(mechanism_sense(&x, "e")[0], 1.0, 1e-15);
    mechanism_steps(&x, 300);
    assert_ok(dp_kinematics(x.d));
    const dp_ledger *ledger = dp_data_ledger(x.d);
    assert_near(ledger->elastic_before, 0.0, 0.0);
    assert_near(ledger->elastic, 0.0, 0.0);
    assert_near(ledger->moved, 0.0, 0.0);
    assert_near(mechanism_energy(&x), 1.0 + ledger->remainder, 1e-13);
    assert_true(ledger->remainder < 0.0 && ledger->remainder > -0.02);
    dp_data_options(x.d)->disable_springs = true;
    assert_near(dp_data_energy(x.d).spring, 0.0, 0.0);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_on_a_tendon_carries_its_armature),
        cmocka_unit_test(mass_matrix_kinetic_energy_and_both_dynamics_agree),
        cmocka_unit_test(the_bias_force_is_that_of_the_lagrangian),
        cmocka_unit_test(every_integrator_moves_tendon_inertia_alike),
        cmocka_unit_test(tendon_inertia_adds_no_energy_at_any_step),
        cmocka_unit_test(a_tendon_gives_back_nothing_that_a_limit_on_energy_took),
        cmocka_unit_test(every_law_carries_tendon_inertia),
        cmocka_unit_test(tendon_springs_pull_down_the_slope_of_their_energy),
        cmocka_unit_test(a_stretched_tendon_has_its_energy_from_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
