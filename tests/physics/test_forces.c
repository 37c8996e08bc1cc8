// Forces on a mechanism and the loads they leave in its joints, against closed forms.
#include "mechanism.h"
#include "random_spec.h"

#include "dynamics/kinematics.h"
#include "math/angle.h"
#include "math/spatial.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const dp_v3 ZERO = {0.0, 0.0, 0.0};
static const double G = 9.81;

static void assert_v3(dp_v3 actual, dp_v3 expected, double tolerance)
{
    assert_near(actual.x, expected.x, tolerance);
    assert_near(actual.y, expected.y, tolerance);
    assert_near(actual.z, expected.z, tolerance);
}

// ---------------------------------------------------------------------------- gravity compensation

static void full_compensation_hovers_in_any_pose(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        random_spec_options o = {.seed = seed, .max_bodies = 8, .regular = true};
        dp_spec *spec = random_spec(&o);
        for (int b = 1; b < dp_spec_body_count(spec); ++b) {
            dp_spec_body(spec, (dp_body_id){b})->gravity_compensation = 1.0;
        }
        mechanism x = mechanism_from(spec);
        random_source r = {seed};
        random_state(x.d, &r, 0.0); // at rest
        assert_ok(dp_forward(x.d));
        for (int k = 0; k < dp_model_sizes(x.m)->nv; ++k) {
            assert_near(dp_data_acceleration(x.d)[k], 0.0, 1e-9); // round-off by the condition of M
        }
        assert_near(dp_data_energy(x.d).gravity, 0.0, 1e-12);
        mechanism_end(&x);
    }
}

static void compensation_of_two_falls_upwards(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "balloon", ZERO, 0.1, (dp_v3){0.1, 0.2, 0.3},
                                        (dp_v3){1e-3, 2e-3, 2e-3});
    dp_spec_body(x.spec, b)->gravity_compensation = 2.0;
    mechanism_joint(&x, b, "free", DP_JOINT_FREE, ZERO);
    mechanism_compile(&x);
    assert_ok(dp_forward(x.d));
    const double expected[6] = {0.0, 0.0, G, 0.0, 0.0, 0.0};
    for (int k = 0; k < 6; ++k) {
        assert_near(dp_data_acceleration(x.d)[k], expected[k], 1e-12);
    }
    mechanism_end(&x);
}

// ---------------------------------------------------------------------------------- free and
// pushed

static void a_pushed_body_obeys_newton_and_euler(void **state)
{
    (void)state;
    const double mass = 2.5;
    const dp_v3 I = {0.1, 0.2, 0.25}, com = {0.3, -0.1, 0.2};
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", ZERO, mass, com, I);
    mechanism_joint(&x, b, "free", DP_JOINT_FREE, ZERO);
    mechanism_compile(&x);
    random_source r = {4};
    random_state(x.d, &r, 4.0);
    const dp_wrench push = {{0.7, -0.4, 0.9}, {3.0, 5.0, -2.0}}; // about the centre of mass
    *dp_data_wrench(x.d, b) = push;
    assert_ok(dp_forward(x.d));

    const dp_pose C = dp_inertial_pose(x.d, b), X = dp_body_pose(x.d, b);
    const dp_twist V = dp_body_velocity(x.d, b), A = dp_body_acceleration(x.d, b);
    // The centre of mass: a = F/m + g.
    const dp_v3 arm = dp_v3_sub(C.p, X.p);
    const dp_v3 a =
        dp_v3_add(dp_v3_add(A.v, dp_v3_cross(A.w, arm)), dp_v3_cross(V.w, dp_v3_cross(V.w, arm)));
    assert_v3(a, (dp_v3){push.f.x / mass, push.f.y / mass, push.f.z / mass - G}, 1e-12);
    // About it, in principal axes: I ω̇ + ω × I ω = t.
    const dp_v3 w = dp_quat_rotate_back(C.q, V.w), wd = dp_quat_rotate_back(C.q, A.w);
    const dp_v3 L = {I.x * w.x, I.y * w.y, I.z * w.z}, Ld = {I.x * wd.x, I.y * wd.y, I.z * wd.z};
    assert_v3(dp_v3_add(Ld, dp_v3_cross(w, L)), dp_quat_rotate_back(C.q, push.t), 1e-12);
    mechanism_end(&x);
}

// A wrench on any body acts as Jᵀ f of the coordinates.
static void a_wrench_acts_through_the_jacobian(void **state)
{
    (void)state;
    enum { MAX_NV = 80 };
    for (uint64_t seed = 0; seed < 30; ++seed) {
        random_spec_options o = random_spec_default(seed);
        mechanism x = mechanism_from(random_spec(&o));
        const dp_model_size n = *dp_model_sizes(x.m);
        random_source r = {seed};
        random_state(x.d, &r, 1.0);
        const dp_body_id b = {n.nbody - 1};
        double zero[MAX_NV] = {0.0}, without[MAX_NV], with[MAX_NV], J[6 * MAX_NV];
        const dp_wrench w = {{1.0, 2.0, -3.0}, {4.0, -5.0, 6.0}};
        const double f[6] = {w.t.x, w.t.y, w.t.z, w.f.x, w.f.y, w.f.z};
        assert_true(n.nv <= MAX_NV);
        assert_ok(dp_inverse_dynamics(without, x.d, zero));
        *dp_data_wrench(x.d, b) = w;
        assert_ok(dp_inverse_dynamics(with, x.d, zero));
        dp_body_jacobian(J, x.d, b, dp_inertial_pose(x.d, b).p);
        for (int k = 0; k < n.nv; ++k) {
            double expected = 0.0;
            for (int i = 0; i < 6; ++i) {
                expected += J[i * n.nv + k] * f[i];
            }
            assert_near(without[k] - with[k], expected, 1e-11);
        }
        mechanism_end(&x);
    }
}

// It has a place for its mass, though none: a camera, a frame for a tool.
static void a_wrench_on_a_body_without_mass_acts_at_its_inertial_frame(void **state)
{
    (void)state;
    const dp_v3 I = {0.1, 0.2, 0.25}, place = {0.3, -0.2, 0.1}, offset = {0.0, 0.4, 0.7};
    mechanism x = mechanism_begin();
    const dp_body_id arm = mechanism_body(&x, DP_WORLD, "arm", ZERO, 2.0, ZERO, I);
    mechanism_joint(&x, arm, "ball", DP_JOINT_BALL, ZERO);
    const dp_body_id tool = mechanism_body(&x, arm, "tool", place, 0.0, offset, ZERO);
    mechanism_compile(&x);
    random_source r = {5};
    random_state(x.d, &r, 1.0);
    const dp_wrench w = {{1.0, 2.0, -3.0}, {4.0, -5.0, 6.0}};
    *dp_data_wrench(x.d, tool) = w;
    double zero[3] = {0.0}, with[3], without[3], J[18];
    assert_ok(dp_inverse_dynamics(with, x.d, zero));
    *dp_data_wrench(x.d, tool) = (dp_wrench){ZERO, ZERO};
    assert_ok(dp_inverse_dynamics(without, x.d, zero));
    dp_body_jacobian(J, x.d, tool, dp_inertial_pose(x.d, tool).p);
    for (int k = 0; k < 3; ++k) {
        assert_near(without[k] - with[k],
                    J[k] * w.t.x + J[3 + k] * w.t.y + J[6 + k] * w.t.z + J[9 + k] * w.f.x +
                        J[12 + k] * w.f.y + J[15 + k] * w.f.z,
                    1e-13);
    }
    mechanism_end(&x);
}

// ------------------------------------------------------------------------------------------
// reactions

// Four links that hang, as hinges, as welds under a hinge, and welded to the world.
static void a_hanging_chain_carries_the_weight_of_all_below(void **state)
{
    (void)state;
    const double mass[4] = {1.0, 2.0, 0.5, 4.0};
    for (int way = 0; way < 3; ++way) {
        mechanism x = mechanism_begin();
        dp_body_id parent = DP_WORLD, body[4];
        for (int i = 0; i < 4; ++i) {
            body[i] = parent =
                mechanism_body(&x, parent, NULL, (dp_v3){0.0, 0.0, i ? -0.5 : 2.0}, mass[i],
                               (dp_v3){0.0, 0.0, -0.2}, (dp_v3){0.1, 0.1, 0.01});
            if (way == 0 || (way == 1 && i == 0)) {
                mechanism_joint(&x, body[i], NULL, DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
            }
        }
        mechanism_compile(&x);
        assert_ok(dp_forward(x.d));
        double below = 0.0;
        for (int i = 3; i >= 0; --i) {
            below += mass[i];
            const dp_wrench reaction = dp_body_reaction(x.d, body[i]);
            assert_v3(reaction.f, (dp_v3){0.0, 0.0, below * G}, 1e-12);
            assert_v3(reaction.t, ZERO, 1e-12);
        }
        mechanism_end(&x);
    }
}

static void a_cantilever_carries_the_moment_of_all_beyond(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const double mass[3] = {1.0, 2.0, 3.0};
    dp_body_id parent = DP_WORLD, body[3];
    for (int i = 0; i < 3; ++i) {
        body[i] = parent = mechanism_body(&x, parent, NULL, (dp_v3){i ? 0.5 : 0.0, 0.0, 0.0},
                                          mass[i], (dp_v3){0.25, 0.1, 0.0}, (dp_v3){0.1, 0.1, 0.1});
    }
    mechanism_compile(&x);
    dp_data_wrench(x.d, body[2])->f.z = -10.0; // and a load at the last centre of mass
    assert_ok(dp_forward(x.d));
    for (int i = 0; i < 3; ++i) {
        double force = 10.0, about_y = 0.0, about_x = 0.0;
        for (int k = i; k < 3; ++k) {
            const double load = mass[k] * G + (k == 2 ? 10.0 : 0.0), arm = 0.25 + 0.5 * (k - i);
            force += mass[k] * G;
            about_y -= load * arm; // r × F with F upwards: (y F, −x F, 0)
            about_x += load * 0.1;
        }
        const dp_wrench reaction = dp_body_reaction(x.d, body[i]);
        assert_v3(reaction.f, (dp_v3){0.0, 0.0, force}, 1e-12);
        assert_v3(reaction.t, (dp_v3){about_x, about_y, 0.0}, 1e-12);
    }
    mechanism_end(&x);
}

// A rotor of mass m turns at ω about z. Its centre of mass runs at the distance e: the bearing
// pulls with m e ω² towards the axis. Its own axis leans by β against the bearing's: the bearing
// turns it with (I_a − I_c) ω² sin β cos β.
static void a_spinning_rotor_loads_its_bearing(void **state)
{
    (void)state;
    const double mass = 3.0, e = 0.02, height = 0.15, beta = 0.1, omega = 100.0;
    const dp_v3 I = {0.05, 0.05, 0.08};
    mechanism x = mechanism_begin();
    const dp_body_id b =
        mechanism_body(&x, DP_WORLD, "rotor", ZERO, mass, (dp_v3){e, 0.0, height}, I);
    dp_spec_body(x.spec, b)->inertial.frame.q = dp_quat_about((dp_v3){0.0, 1.0, 0.0}, beta);
    mechanism_joint(&x, b, "bearing", DP_JOINT_HINGE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_compile(&x);
    const double q = 0.4, v = omega;
    mechanism_set(&x, &q, &v);
    assert_ok(dp_forward(x.d));
    assert_near(dp_data_acceleration(x.d)[0], 0.0, 1e-11); // nothing brakes

    // In axes that turn with the rotor. The principal z axis leans towards +x, the tensor has
    // I_xz = −(I_c − I_a) sin β cos β; ω × I ω = (−I_yz ω², I_xz ω², 0) about the centre of mass.
    const double weight = mass * G, pull = mass * e * omega * omega;
    const double lean = (I.x - I.z) * sin(beta) * cos(beta) * omega * omega;
    const dp_quat turn = dp_quat_about((dp_v3){0.0, 0.0, 1.0}, q);
    const dp_wrench reaction = dp_body_reaction(x.d, b);
    // About the origin: the moment of the force at the centre of mass, and Euler's moment.
    const dp_v3 force = {-pull, 0.0, weight};
    const dp_v3 moment =
        dp_v3_add(dp_v3_cross((dp_v3){e, 0.0, height}, force), (dp_v3){0.0, -lean, 0.0});
    assert_v3(dp_quat_rotate_back(turn, reaction.f), force, 1e-10);
    assert_v3(dp_quat_rotate_back(turn, reaction.t), moment, 1e-10);
    mechanism_end(&x);
}

// What the world exerts on the roots, the weights and the user's wrenches are all that changes the
// momentum of the whole; inner reactions cancel.
static void reactions_weights_and_wrenches_change_the_momentum(void **state)
{
    (void)state;
    enum { MAX_NV = 80 };
    for (uint64_t seed = 0; seed < 50; ++seed) {
        random_spec_options o = {
            .seed = seed, .max_bodies = 8, .regular = true, .springs = true, .dampers = true};
        mechanism x = mechanism_from(random_spec(&o));
        const dp_model_size n = *dp_model_sizes(x.m);
        random_source r = {seed};
        random_state(x.d, &r, 2.0);
        random_inputs(x.d, &r);
        assert_ok(dp_forward(x.d));
        dp_v3 force = ZERO, moment = ZERO; // about the world's origin
        for (int b = 1; b < n.nbody; ++b) {
            const dp_body_id id = {b};
            const dp_body_info body = dp_model_body(x.m, id);
            const dp_v3 c = dp_inertial_pose(x.d, id).p, p = dp_body_pose(x.d, id).p;
            const dp_wrench given = *dp_data_wrench(x.d, id), reaction = dp_body_reaction(x.d, id);
            const dp_v3 load = dp_v3_madd(given.f, body.inertial.mass, (dp_v3){0.0, 0.0, -G});
            force = dp_v3_add(force, load);
            moment = dp_v3_add(moment, dp_v3_add(given.t, dp_v3_cross(c, load)));
            if (body.parent.index == 0) {
                force = dp_v3_add(force, reaction.f);
                moment = dp_v3_add(moment, dp_v3_add(reaction.t, dp_v3_cross(p, reaction.f)));
            }
        }
        double q0[100], v0[MAX_NV], a[MAX_NV], largest = 1.0;
        memcpy(q0, dp_data_q(x.d), (size_t)n.nq * sizeof *q0);
        memcpy(v0, dp_data_v(x.d), (size_t)n.nv * sizeof *v0);
        memcpy(a, dp_data_acceleration(x.d), (size_t)n.nv * sizeof *a);
        for (int k = 0; k < n.nv; ++k) {
            largest = fmax(largest, fabs(a[k]));
        }
        // Central differences of momentum, steps 2e-4 and 1e-4, extrapolated.
        dp_v3 P[4], L[4];
        const double t[4] = {2e-4, -2e-4, 1e-4, -1e-4};
        for (int s = 0; s < 4; ++s) {
            double v[MAX_NV];
            dp_kin_advance(dp_data_q(x.d), x.m, q0, v0, t[s]);
            for (int k = 0; k < n.nv; ++k) {
                v[k] = v0[k] + t[s] * a[k];
            }
            mechanism_set(&x, NULL, v);
            const dp_momentum now = dp_body_momentum(x.d, DP_WORLD);
            P[s] = now.linear;
            L[s] = dp_v3_add(now.angular, dp_v3_cross(now.com, now.linear));
        }
        const dp_v3 P_rate = dp_v3_scale(dp_v3_madd(dp_v3_scale(dp_v3_sub(P[2], P[3]), 4.0 / 2e-4),
                                                    -1.0 / 4e-4, dp_v3_sub(P[0], P[1])),
                                         1.0 / 3.0);
        const dp_v3 L_rate = dp_v3_scale(dp_v3_madd(dp_v3_scale(dp_v3_sub(L[2], L[3]), 4.0 / 2e-4),
                                                    -1.0 / 4e-4, dp_v3_sub(L[0], L[1])),
                                         1.0 / 3.0);
        assert_v3(P_rate, force, 1e-8 * largest);
        assert_v3(L_rate, moment, 1e-8 * largest);
        mechanism_end(&x);
    }
}

// -------------------------------------------------------------------------------------- callbacks

static mechanism cart(dp_integrator integrator, double step)
{
    mechanism x = mechanism_begin();
    const dp_body_id b =
        mechanism_body(&x, DP_WORLD, "cart", ZERO, 2.0, ZERO, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, b, "rail", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
    dp_spec_options(x.spec)->integrator = integrator;
    dp_spec_options(x.spec)->step = step;
    return x;
}

static dp_status drag(void *context, dp_data *d, double *force)
{
    force[0] -= *(const double *)context * dp_data_v(d)[0];
    return DP_OK;
}

static void a_force_callback_brakes_exponentially(void **state)
{
    (void)state;
    double b = 3.0;
    mechanism x = cart(DP_INTEGRATOR_RK4, 0.01);
    mechanism_compile(&x);
    dp_data_set_force_callback(x.d, drag, &b);
    dp_data_v(x.d)[0] = 2.0;
    mechanism_steps(&x, 100);
    assert_near(dp_data_v(x.d)[0], 2.0 * exp(-b / 2.0 * 1.0), 1e-9); // RK4: (h b/m)⁴/120 a step
    assert_near(dp_data_q(x.d)[0], 2.0 * 2.0 / b * (1.0 - exp(-b / 2.0)), 1e-9);
    mechanism_end(&x);
}

static dp_status sine(void *context, dp_data *d)
{
    int *calls = context;
    ++*calls;
    dp_data_control(d)[0] = sin(dp_data_time(d));
    return DP_OK;
}

// The control of every stage is taken at the time of the stage: the order of the integrator stays.
static void a_control_callback_sees_the_time_of_each_stage(void **state)
{
    (void)state;
    const dp_integrator integrators[] = {DP_INTEGRATOR_SEMI_IMPLICIT, DP_INTEGRATOR_RK4};
    const double tolerance[] = {2e-2, 1e-9};
    for (int k = 0; k < 2; ++k) {
        mechanism x = cart(integrators[k], 0.01);
        dp_actuator_spec motor = dp_actuator_spec_default();
        motor.joint = "rail";
        motor.gear[0] = 3.0;
        assert_ok(dp_spec_add_actuator(NULL, x.spec, &motor));
        mechanism_compile(&x);
        int calls = 0;
        dp_data_set_control_callback(x.d, sine, &calls);
        mechanism_steps(&x, 200);
        assert_int_equal(calls, k ? 800 : 200);
        // 2 kg v̇ = 3 sin t
        assert_near(dp_data_v(x.d)[0], 1.5 * (1.0 - cos(2.0)), tolerance[k]);
        assert_near(dp_data_q(x.d)[0], 1.5 * (2.0 - sin(2.0)), tolerance[k]);
        mechanism_end(&x);
    }
}

// ------------------------------------------------------------------------------------- actuators

static mechanism filtered(dp_actuator_dynamics dynamics, dp_integrator integrator)
{
    mechanism x = cart(integrator, 0.01);
    dp_actuator_spec a = dp_actuator_spec_default();
    a.joint = "rail";
    a.dynamics = dynamics;
    a.time_constant = 0.2;
    a.control_limited = true;
    a.control_range[0] = -2.0, a.control_range[1] = 2.0;
    a.activation_limited = true;
    a.activation_range[0] = -1.5, a.activation_range[1] = 1.5;
    assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
    mechanism_compile(&x);
    return x;
}

static void activations_follow_their_equations(void **state)
{
    (void)state;
    const double h = 0.01, tau = 0.2, u = 1.2;
    // The exact filter has no error at any step, also where it is far longer than the filter.
    mechanism x = filtered(DP_ACTUATOR_DYNAMICS_FILTER_EXACT, DP_INTEGRATOR_SEMI_IMPLICIT);
    dp_data_control(x.d)[0] = u;
    for (int n = 1; n <= 100; ++n) {
        mechanism_steps(&x, 1);
        assert_near(dp_data_activation(x.d)[0], u * (1.0 - exp(-n * h / tau)), 1e-14);
    }
    dp_data_options(x.d)->step = 10.0;
    dp_data_control(x.d)[0] = -0.5;
    mechanism_steps(&x, 1);
    assert_near(dp_data_activation(x.d)[0], -0.5, 1e-14);
    mechanism_end(&x);

    x = filtered(DP_ACTUATOR_DYNAMICS_FILTER, DP_INTEGRATOR_SEMI_IMPLICIT); // Euler's rule
    dp_data_control(x.d)[0] = u;
    double a = 0.0;
    for (int n = 1; n <= 100; ++n) {
        mechanism_steps(&x, 1);
        a += h / tau * (u - a);
        assert_near(dp_data_activation(x.d)[0], a, 1e-14);
    }
    mechanism_end(&x);

    x = filtered(DP_ACTUATOR_DYNAMICS_FILTER, DP_INTEGRATOR_RK4);
    dp_data_control(x.d)[0] = u;
    mechanism_steps(&x, 100);
    assert_near(dp_data_activation(x.d)[0], u * (1.0 - exp(-100 * h / tau)), 1e-8);
    mechanism_end(&x);

    x = filtered(DP_ACTUATOR_DYNAMICS_INTEGRATOR, DP_INTEGRATOR_SEMI_IMPLICIT);
    dp_data_control(x.d)[0] = u;
    mechanism_steps(&x, 50);
    assert_near(dp_data_activation(x.d)[0], u * 0.5, 1e-14);
    mechanism_end(&x);
}

static void controls_activations_and_forces_stay_in_their_ranges(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        const dp_integrator integrator = (dp_integrator[]){
            DP_INTEGRATOR_SEMI_IMPLICIT, DP_INTEGRATOR_RK4, DP_INTEGRATOR_RK45}[k];
        mechanism x = filtered(DP_ACTUATOR_DYNAMICS_INTEGRATOR, integrator);
        dp_data_control(x.d)[0] = 50.0; // clamped to 2
        mechanism_steps(&x, 10);
        assert_near(dp_data_activation(x.d)[0], 0.2, 1e-12);
        assert_near(dp_data_control(x.d)[0], 50.0, 0.0); // the user's number is not touched
        mechanism_steps(&x, 200);
        assert_near(dp_data_activation(x.d)[0], 1.5, 0.0); // held at the end of its range
        dp_data_control(x.d)[0] = -50.0;
        dp_data_options(x.d)->disable_clamp_control = true;
        mechanism_steps(&x, 1);
        assert_near(dp_data_activation(x.d)[0], 1.0, 1e-12); // −50 · 0.01
        mechanism_end(&x);

        x = cart(integrator, 0.01);
        dp_actuator_spec a = dp_actuator_spec_default();
        a.joint = "rail";
        a.force_limited = true;
        a.force_range[0] = -1.0, a.force_range[1] = 4.0;
        assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
        mechanism_compile(&x);
        dp_data_control(x.d)[0] = 10.0;
        assert_ok(dp_forward(x.d));
        assert_near(dp_data_actuator_force(x.d)[0], 4.0, 0.0);
        mechanism_steps(&x, 100);
        assert_near(dp_data_v(x.d)[0], 4.0 / 2.0, 1e-12);
        dp_data_control(x.d)[0] = -10.0;
        mechanism_steps(&x, 100);
        assert_near(dp_data_v(x.d)[0], 4.0 / 2.0 - 1.0 / 2.0, 1e-12);
        dp_data_options(x.d)->disable_actuation = true;
        mechanism_steps(&x, 100);
        assert_near(dp_data_v(x.d)[0], 1.5, 1e-12);
        mechanism_end(&x);
    }
}

// A ball joint's motor turns about its gear vector, in the axes of the body or of the parent.
static void a_motor_on_a_ball_or_free_joint_pulls_along_its_gear(void **state)
{
    (void)state;
    for (int way = 0; way < 4; ++way) {
        const bool is_free = way % 2, in_parent = way / 2;
        mechanism x = mechanism_begin();
        const dp_body_id b =
            mechanism_body(&x, DP_WORLD, "b", ZERO, 2.0, ZERO, (dp_v3){0.1, 0.2, 0.25});
        mechanism_joint(&x, b, "joint", is_free ? DP_JOINT_FREE : DP_JOINT_BALL, ZERO);
        dp_actuator_spec a = dp_actuator_spec_default();
        a.joint = "joint";
        a.in_parent = in_parent;
        const double gear[6] = {1.0, -2.0, 0.5, 0.3, 0.6, -0.9};
        memcpy(a.gear, gear, sizeof gear);
        assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
        dp_spec_options(x.spec)->gravity = ZERO;
        mechanism_compile(&x);
        random_source r = {9};
        random_state(x.d, &r, 0.0);
        dp_data_control(x.d)[0] = 2.0;
        assert_ok(dp_forward(x.d));
        const dp_pose X = dp_body_pose(x.d, b);
        const dp_v3 turn = dp_v3_load(is_free ? gear + 3 : gear);
        const dp_v3 torque = in_parent ? dp_quat_rotate_back(X.q, turn) : turn; // body axes
        const double *got = dp_data_acceleration(x.d) + (is_free ? 3 : 0);
        assert_v3(dp_v3_load(got),
                  (dp_v3){2.0 * torque.x / 0.1, 2.0 * torque.y / 0.2, 2.0 * torque.z / 0.25},
                  1e-12);
        if (is_free) { // forces act along the world's axes
            assert_v3(dp_v3_load(dp_data_acceleration(x.d)), (dp_v3){1.0, -2.0, 0.5}, 1e-12);
        }
        mechanism_end(&x);
    }
}

// From 3 rad to a target at −3 rad it is 2π − 6 forwards, not 6 backwards, whatever the gear.
static void a_servo_on_a_ball_joint_goes_the_nearest_way(void **state)
{
    (void)state;
    const double kp = 2.0, angle = 3.0; // tolerances: round-off of numbers of order ten
    for (int way = 0; way < 2; ++way) {
        const double length = way == 0 ? 1.0 : 0.5;
        mechanism x = mechanism_begin();
        const dp_body_id b =
            mechanism_body(&x, DP_WORLD, "b", ZERO, 2.0, ZERO, (dp_v3){0.1, 0.2, 0.25});
        mechanism_joint(&x, b, "joint", DP_JOINT_BALL, ZERO);
        dp_actuator_spec a = dp_actuator_spec_default();
        a.joint = "joint";
        a.gear[0] = 0.0;
        a.gear[2] = length;
        a.gain[0] = kp;
        a.bias[1] = -kp;
        assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
        a.bias[1] = -2.0 * kp; // no servo: it has no target
        assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
        mechanism_compile(&x);
        double *q = dp_data_q(x.d);
        q[0] = cos(angle / 2.0);
        q[3] = sin(angle / 2.0);
        dp_data_control(x.d)[0] = dp_data_control(x.d)[1] = -angle * length;
        assert_ok(dp_forward(x.d));
        const double *force = dp_data_actuator_force(x.d);
        assert_near(force[0], kp * length * (2.0 * DP_PI - 2.0 * angle), 1e-13);
        assert_near(force[1], -3.0 * kp * length * angle, 1e-13);
        dp_data_control(x.d)[0] += 4.0 * DP_PI * length; // two turns on are the same target
        assert_ok(dp_forward(x.d));
        assert_near(force[0], kp * length * (2.0 * DP_PI - 2.0 * angle), 1e-13);
        mechanism_end(&x);
    }
}

// ------------------------------------------------------------------------------- springs and
// dampers

static void passive_forces_are_what_springs_and_dampers_say(void **state)
{
    (void)state;
    mechanism x = cart(DP_INTEGRATOR_RK4, 0.01);
    dp_joint_spec *rail = dp_spec_joint(x.spec, (dp_joint_id){0});
    rail->stiffness = 50.0;
    rail->damping = 2.0;
    rail->spring_ref = 0.1;
    rail->ref = 0.3;
    mechanism_compile(&x);
    const double q = 0.7, v = -1.5;
    mechanism_set(&x, &q, &v);
    assert_ok(dp_forward(x.d));
    assert_near(dp_data_passive(x.d)[0], -50.0 * 0.6 + 2.0 * 1.5, 1e-12);
    assert_near(dp_data_energy(x.d).spring, 0.5 * 50.0 * 0.36, 1e-12);
    assert_near(dp_body_pose(x.d, (dp_body_id){1}).p.x, 0.7 - 0.3,
                1e-15); // ref is the pose as given
    dp_data_options(x.d)->disable_springs = true;
    assert_ok(dp_forward(x.d));
    assert_near(dp_data_passive(x.d)[0], 3.0, 1e-12);
    dp_data_options(x.d)->disable_dampers = true;
    assert_ok(dp_forward(x.d));
    assert_near(dp_data_passive(x.d)[0], 0.0, 0.0);
    assert_near(dp_data_acceleration(x.d)[0], 0.0, 0.0);
    mechanism_end(&x);
}

// x(t) = A e^(−ζω t) cos(ω_d t + φ)
static void a_damped_oscillator_follows_its_closed_form(void **state)
{
    (void)state;
    mechanism x = cart(DP_INTEGRATOR_RK4, 1e-3);
    dp_joint_spec *rail = dp_spec_joint(x.spec, (dp_joint_id){0});
    rail->stiffness = 50.0;
    rail->damping = 2.0;
    rail->armature = 1.0; // 3 kg in all
    mechanism_compile(&x);
    const double q = 0.2, v = 0.0;
    mechanism_set(&x, &q, &v);
    const double decay = 2.0 / (2.0 * 3.0), rate = sqrt(50.0 / 3.0 - decay * decay);
    for (int n = 1; n <= 2000; ++n) {
        mechanism_steps(&x, 1);
        const double t = n * 1e-3;
        const double expected =
            q * exp(-decay * t) * (cos(rate * t) + decay / rate * sin(rate * t));
        assert_near(dp_data_q(x.d)[0], expected, 1e-11); // (ω h)⁴/120 a step
    }
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_compensation_hovers_in_any_pose),
        cmocka_unit_test(compensation_of_two_falls_upwards),
        cmocka_unit_test(a_pushed_body_obeys_newton_and_euler),
        cmocka_unit_test(a_wrench_acts_through_the_jacobian),
        cmocka_unit_test(a_wrench_on_a_body_without_mass_acts_at_its_inertial_frame),
        cmocka_unit_test(a_hanging_chain_carries_the_weight_of_all_below),
        cmocka_unit_test(a_cantilever_carries_the_moment_of_all_beyond),
        cmocka_unit_test(a_spinning_rotor_loads_its_bearing),
        cmocka_unit_test(reactions_weights_and_wrenches_change_the_momentum),
        cmocka_unit_test(a_force_callback_brakes_exponentially),
        cmocka_unit_test(a_control_callback_sees_the_time_of_each_stage),
        cmocka_unit_test(activations_follow_their_equations),
        cmocka_unit_test(controls_activations_and_forces_stay_in_their_ranges),
        cmocka_unit_test(a_motor_on_a_ball_or_free_joint_pulls_along_its_gear),
        cmocka_unit_test(a_servo_on_a_ball_joint_goes_the_nearest_way),
        cmocka_unit_test(passive_forces_are_what_springs_and_dampers_say),
        cmocka_unit_test(a_damped_oscillator_follows_its_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
