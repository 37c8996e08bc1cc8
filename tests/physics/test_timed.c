// Forces and motions given by expressions in the time, against closed forms and each other.
#include "mechanism.h"
#include "written.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const dp_v3 ZERO = {0.0, 0.0, 0.0};
static const dp_v3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};
static const double G = 9.81;

static dp_body_id ball(mechanism *x, dp_body_id parent, const char *name, dp_v3 at, double mass)
{
    const double I = 0.02 * mass;
    return mechanism_body(x, parent, name, at, mass, ZERO, (dp_v3){I, I, I});
}

static dp_force_spec *named_force(const char *name)
{
    static dp_force_spec force;
    force = dp_force_spec_default();
    force.name = name;
    return &force;
}

static void push_joint(mechanism *x, const char *name, const char *joint, const char *force,
                       const char *torque)
{
    dp_force_spec *f = named_force(name);
    f->joint = joint;
    f->force[0] = force;
    f->torque[0] = torque;
    assert_ok(dp_spec_add_force(NULL, x->spec, f));
}

static void move_joint(mechanism *x, const char *name, const char *joint, const char *position)
{
    dp_motion_spec motion = dp_motion_spec_default();
    motion.name = name;
    motion.joint = joint;
    motion.position[0] = position;
    assert_ok(dp_spec_add_motion(NULL, x->spec, &motion));
}

static void assert_last_error_has(const char *text)
{
    if (!strstr(dp_last_error(), text)) {
        fail_msg("\"%s\" does not contain \"%s\"", dp_last_error(), text);
    }
}

// ---- forces

// A mass on a spring under F₀ sin ωt, from rest.
typedef struct oscillator {
    double mass, stiffness, amplitude, frequency;
} oscillator;
static const oscillator FORCED = {2.0, 98.0, 3.0, 5.0}; // eigenfrequency 7 rad/s

static double forced_response(double t)
{
    const double w0 = sqrt(FORCED.stiffness / FORCED.mass), w = FORCED.frequency;
    return FORCED.amplitude / (FORCED.mass * (w0 * w0 - w * w)) *
           (sin(w * t) - w / w0 * sin(w0 * t));
}

static mechanism forced_oscillator(dp_integrator integrator, double h)
{
    mechanism x = mechanism_begin();
    const dp_body_id b = ball(&x, DP_WORLD, "mass", ZERO, FORCED.mass);
    mechanism_joint(&x, b, "slide", DP_JOINT_SLIDE, X)->stiffness = FORCED.stiffness;
    push_joint(&x, "shaker", "slide", "3*sin(5*t)", NULL);
    dp_spec_options(x.spec)->integrator = integrator;
    dp_spec_options(x.spec)->step = h;
    mechanism_compile(&x);
    return x;
}

static double forced_error(dp_integrator integrator, double h)
{
    mechanism x = forced_oscillator(integrator, h);
    double worst = 0.0;
    for (int i = 0; i < (int)(2.0 / h + 0.5); ++i) {
        mechanism_steps(&x, 1);
        worst = fmax(worst, fabs(dp_data_q(x.d)[0] - forced_response(dp_data_time(x.d))));
    }
    mechanism_end(&x);
    return worst;
}

static void a_forced_oscillator_follows_its_closed_form(void **state)
{
    (void)state;
    // The amplitude is about 0.1 m. RK4: (h ω)⁴ of it per radian at most.
    assert_near(forced_error(DP_INTEGRATOR_RK4, 1e-3), 0.0, 0.1 * 14.0 * pow(7e-3, 4.0));
    assert_near(forced_error(DP_INTEGRATOR_RK45, 1e-2), 0.0,
                1e-7); // relative tolerance 1e-8 in each substep
}

static void the_semi_implicit_step_sees_forces_to_first_order(void **state)
{
    (void)state;
    const double coarse = forced_error(DP_INTEGRATOR_SEMI_IMPLICIT, 2e-3);
    const double fine = forced_error(DP_INTEGRATOR_SEMI_IMPLICIT, 1e-3);
    assert_near(coarse / fine, 2.0, 0.1);
    assert_near(fine, 0.0, 0.1 * 14.0 * 7e-3); // h ω of the amplitude per radian
}

// A chain with every kind of joint, and a site that is turned.
static mechanism chain(void)
{
    mechanism x = mechanism_begin();
    const dp_body_id base = mechanism_body(&x, DP_WORLD, "base", ZERO, 2.0, (dp_v3){0.1, 0.0, 0.05},
                                           (dp_v3){0.1, 0.2, 0.25});
    mechanism_joint(&x, base, "free", DP_JOINT_FREE, ZERO);
    const dp_body_id arm = ball(&x, base, "arm", (dp_v3){0.3, 0.1, 0.0}, 1.0);
    mechanism_joint(&x, arm, "hinge", DP_JOINT_HINGE, Y);
    const dp_body_id rod = ball(&x, arm, "rod", (dp_v3){0.0, 0.2, 0.1}, 0.5);
    mechanism_joint(&x, rod, "slide", DP_JOINT_SLIDE, (dp_v3){0.6, 0.0, 0.8});
    const dp_body_id tip = ball(&x, rod, "tip", (dp_v3){0.0, 0.0, 0.3}, 0.4);
    mechanism_joint(&x, tip, "ball", DP_JOINT_BALL, ZERO);
    const dp_pose turned = {{0.6, 0.0, 0.8, 0.0}, {0.1, -0.2, 0.3}};
    mechanism_site(&x, rod, "site", turned);
    return x;
}

static const double CHAIN_Q[13] = {0.1, 0.2, 0.3, 0.5, 0.5, -0.5, 0.5,
                                   0.7, 0.1, 0.8, 0.0, 0.6, 0.0};
static const double CHAIN_V[11] = {0.3, -0.2, 0.1, 1.0, -2.0, 0.5, 0.4, 0.1, -0.3, 0.2, 0.6};

// What a force does, and what it is compared with.
typedef struct force_case {
    const char *body, *site, *joint;
    dp_v3 point;
    bool local;
    const char *force[3], *torque[3];
    dp_v3 f, t; // the values of the expressions at t = 2
} force_case;

static const force_case cases[] = {
    {.body = "arm",
     .force = {"t", "-3", "2*t^2"},
     .torque = {"0.5", NULL, "1"},
     .point = {0.3, 0.0, -0.1},
     .f = {2.0, -3.0, 8.0},
     .t = {0.5, 0.0, 1.0}},
    {.body = "tip", .local = true, .force = {NULL, "3*t"}, .f = {0.0, 6.0, 0.0}},
    {.site = "site", .force = {"1", "2", "3"}, .f = {1.0, 2.0, 3.0}},
    {.site = "site",
     .local = true,
     .force = {"1", "2", "3"},
     .torque = {"t"},
     .f = {1.0, 2.0, 3.0},
     .t = {2.0, 0.0, 0.0}},
    {.joint = "hinge", .torque = {"5"}, .t = {5.0, 0.0, 0.0}},
    {.joint = "slide", .force = {"t"}, .f = {2.0, 0.0, 0.0}},
    {.joint = "ball", .torque = {"1", NULL, "3"}, .t = {1.0, 0.0, 3.0}},
    {.joint = "free",
     .force = {"1", "2", "3"},
     .torque = {"4", "5", "6"},
     .f = {1.0, 2.0, 3.0},
     .t = {4.0, 5.0, 6.0}},
};

static dp_v3 turned(dp_quat q, dp_v3 x)
{
    const dp_v3 u = {q.x, q.y, q.z};
    const dp_v3 c = {u.y * x.z - u.z * x.y + q.w * x.x, u.z * x.x - u.x * x.z + q.w * x.y,
                     u.x * x.y - u.y * x.x + q.w * x.z};
    return (dp_v3){x.x + 2.0 * (u.y * c.z - u.z * c.y), x.y + 2.0 * (u.z * c.x - u.x * c.z),
                   x.z + 2.0 * (u.x * c.y - u.y * c.x)};
}

// The same load by the inputs of the simulation.
static void load_by_hand(mechanism *y, const force_case *c)
{
    if (c->joint) {
        dp_joint_id id;
        assert_ok(dp_model_find_joint(&id, y->m, c->joint));
        const dp_joint_info joint = dp_model_joint(y->m, id);
        const double both[6] = {c->f.x, c->f.y, c->f.z, c->t.x, c->t.y, c->t.z};
        const int first = joint.kind == DP_JOINT_FREE || joint.kind == DP_JOINT_SLIDE ? 0 : 3;
        memcpy(dp_data_force(y->d) + joint.v_index, both + first,
               (size_t)joint.nv * sizeof(double));
        return;
    }
    dp_pose at;
    dp_body_id body;
    if (c->site) {
        dp_site_id site;
        assert_ok(dp_model_find_site(&site, y->m, c->site));
        at = dp_site_pose(y->d, site);
        body = dp_model_site(y->m, site).body;
    } else {
        assert_ok(dp_model_find_body(&body, y->m, c->body));
        at = dp_body_pose(y->d, body);
        const dp_v3 arm = turned(at.q, c->point);
        at.p = (dp_v3){at.p.x + arm.x, at.p.y + arm.y, at.p.z + arm.z};
    }
    const dp_v3 f = c->local ? turned(at.q, c->f) : c->f, t = c->local ? turned(at.q, c->t) : c->t;
    const dp_v3 com = dp_inertial_pose(y->d, body).p;
    const dp_v3 r = {at.p.x - com.x, at.p.y - com.y, at.p.z - com.z};
    *dp_data_wrench(y->d, body) = (dp_wrench){
        {t.x + r.y * f.z - r.z * f.y, t.y + r.z * f.x - r.x * f.z, t.z + r.x * f.y - r.y * f.x}, f};
}

static void a_force_acts_like_the_input_of_the_same_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const force_case *c = &cases[i];
        mechanism x = chain(), y = chain();
        dp_force_spec *f = named_force("load");
        f->body = c->body, f->site = c->site, f->joint = c->joint;
        f->point = c->point, f->local = c->local;
        memcpy(f->force, c->force, sizeof f->force);
        memcpy(f->torque, c->torque, sizeof f->torque);
        assert_ok(dp_spec_add_force(NULL, x.spec, f));
        mechanism_compile(&x);
        mechanism_compile(&y);
        mechanism_set(&x, CHAIN_Q, CHAIN_V);
        mechanism_set(&y, CHAIN_Q, CHAIN_V);
        dp_data_set_time(x.d, 2.0);
        load_by_hand(&y, c);
        assert_ok(dp_forward(x.d));
        assert_ok(dp_forward(y.d));
        for (int k = 0; k < 11; ++k) { // round-off of accelerations up to 300
            assert_near(dp_data_acceleration(x.d)[k], dp_data_acceleration(y.d)[k], 1e-11);
        }
        mechanism_end(&x);
        mechanism_end(&y);
    }
}

static void inverse_dynamics_take_forces_as_given(void **state)
{
    (void)state;
    mechanism x = chain();
    push_joint(&x, "turn", "hinge", NULL, "1 + t");
    dp_force_spec *f = named_force("pull");
    f->site = "site";
    f->force[0] = "10*cos(t)";
    assert_ok(dp_spec_add_force(NULL, x.spec, f));
    mechanism_compile(&x);
    mechanism_set(&x, CHAIN_Q, CHAIN_V);
    assert_ok(dp_forward(x.d));
    double a[11], tau[11], zero[11] = {0.0}, b[11];
    memcpy(a, dp_data_acceleration(x.d), sizeof a);
    assert_ok(dp_inverse_dynamics(tau, x.d, a));
    assert_ok(dp_forward_dynamics(b, x.d, zero));
    for (int k = 0; k < 11; ++k) { // nothing else is needed
        assert_near(tau[k], 0.0, 1e-11);
        assert_near(b[k], a[k], 1e-11);
    }
    mechanism_end(&x);
}

static void the_work_of_a_force_is_applied_work(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    mechanism_joint(&x, ball(&x, DP_WORLD, "cart", ZERO, 2.0), "slide", DP_JOINT_SLIDE, X);
    push_joint(&x, "push", "slide", "4*t", NULL);
    dp_spec_options(x.spec)->ledger = true;
    mechanism_compile(&x);
    mechanism_steps(&x, 500);
    const dp_ledger *ledger = dp_data_ledger(x.d);
    const double kinetic = dp_data_energy(x.d).kinetic;
    // v = t² − t h after each step, so ½ m v² is 1 J to h/t; the remainder is −½ Σ m Δv².
    assert_near(kinetic, 1.0, 2.0 * 0.002);
    assert_near(ledger->applied + ledger->remainder, kinetic, 1e-12);
    assert_true(ledger->remainder < 0.0 && ledger->remainder > -0.01);
    assert_near(ledger->moved + ledger->drives, 0.0, 0.0);
    mechanism_end(&x);
}

// ---- motions of joints

// Two rods; the first hinge is driven.
static mechanism driven_pendulum(const char *position, double h)
{
    mechanism x = mechanism_begin();
    const dp_body_id upper = mechanism_body(&x, DP_WORLD, "upper", ZERO, 1.0, (dp_v3){0, 0, -0.5},
                                            (dp_v3){0.08, 0.08, 0.01});
    mechanism_joint(&x, upper, "shoulder", DP_JOINT_HINGE, Y);
    const dp_body_id lower = mechanism_body(&x, upper, "lower", (dp_v3){0, 0, -1.0}, 0.7,
                                            (dp_v3){0, 0, -0.3}, (dp_v3){0.03, 0.03, 0.01});
    mechanism_joint(&x, lower, "elbow", DP_JOINT_HINGE, Y);
    move_joint(&x, "drive", "shoulder", position);
    dp_spec_options(x.spec)->step = h;
    mechanism_compile(&x);
    return x;
}

static double swing(double t)
{
    return 0.3 * sin(5.0 * t) + t * t;
}

static void a_driven_joint_is_where_its_expression_says_after_every_step(void **state)
{
    (void)state;
    static const double step[] = {1e-3, 0.01, 0.1};
    for (int s = 0; s < 3; ++s) {
        mechanism x = driven_pendulum("0.3*sin(5*t) + t^2", step[s]);
        for (int i = 0; i < 300; ++i) {
            mechanism_steps(&x, 1);
            const double f = swing(dp_data_time(x.d));
            assert_near(dp_data_q(x.d)[0], f, 1e-12 * fmax(1.0, fabs(f)));
        }
        mechanism_end(&x);
    }
}

static void a_driven_joint_stays_exact_where_steps_are_made_in_parts(void **state)
{
    (void)state;
    mechanism x = driven_pendulum("0.3*sin(5*t) + t^2", 0.05);
    dp_data_options(x.d)->accuracy = 1e-5;
    for (int i = 0; i < 20; ++i) {
        mechanism_steps(&x, 1);
        assert_true(dp_data_report(x.d)->work.substeps > 1);
        assert_near(dp_data_q(x.d)[0], swing(dp_data_time(x.d)), 1e-12);
    }
    mechanism_end(&x);
}

static void the_force_of_a_drive_is_that_of_inverse_dynamics(void **state)
{
    (void)state;
    mechanism x = driven_pendulum("0.3*sin(5*t) + t^2", 1e-3);
    for (int i = 0; i < 200; ++i) {
        double q0[2], v0[2], a[2], tau[2];
        memcpy(q0, dp_data_q(x.d), sizeof q0);
        memcpy(v0, dp_data_v(x.d), sizeof v0);
        mechanism_steps(&x, 1);
        assert_int_equal(dp_data_row_count(x.d), 1);
        const dp_row_info row = dp_data_row(x.d, 0);
        assert_int_equal(row.source, DP_ROW_SOURCE_MOTION);
        assert_int_equal(row.element, 0);
        a[0] = (dp_data_v(x.d)[0] - v0[0]) / 1e-3;
        a[1] = (dp_data_v(x.d)[1] - v0[1]) / 1e-3;
        mechanism y = driven_pendulum("0", 1e-3);
        mechanism_set(&y, q0, v0);
        assert_ok(dp_inverse_dynamics(tau, y.d, a));
        // Round-off of v over h: 1e-16/1e-3, times the inertia of about 1.
        assert_near(row.force, tau[0], 1e-11 * fmax(1.0, fabs(tau[0])));
        assert_near(tau[1], 0.0, 1e-11 * fmax(1.0, fabs(tau[0])));
        mechanism_end(&y);
    }
    mechanism_end(&x);
}

static void the_torque_of_a_driven_pendulum_follows_its_closed_form(void **state)
{
    (void)state;
    const double h = 1e-4, I = 0.25 + 0.08, weight = G * 0.5;
    mechanism x = mechanism_begin();
    const dp_body_id rod = mechanism_body(&x, DP_WORLD, "rod", ZERO, 1.0, (dp_v3){0, 0, -0.5},
                                          (dp_v3){0.08, 0.08, 0.01});
    mechanism_joint(&x, rod, "hinge", DP_JOINT_HINGE, Y);
    move_joint(&x, "drive", "hinge", "1 - cos(5*t)");
    dp_spec_options(x.spec)->step = h;
    mechanism_compile(&x);
    mechanism_steps(&x, 1); // from rest in place: half of the acceleration
    for (int i = 0; i < 5000; ++i) {
        const double t = dp_data_time(x.d), f = 1.0 - cos(5.0 * t);
        mechanism_steps(&x, 1);
        const double torque = I * 25.0 * cos(5.0 * t) + weight * sin(f);
        assert_near(dp_data_row(x.d, 0).force, torque, I * 125.0 * h); // h times the largest jerk
    }
    mechanism_end(&x);
}

static void the_work_of_a_motion_is_what_it_lifts(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    mechanism_joint(&x, ball(&x, DP_WORLD, "load", ZERO, 3.0), "hoist", DP_JOINT_SLIDE, Z);
    move_joint(&x, "lift", "hoist", "0.5*smooth(t, 0.1, 1.1)");
    dp_spec_options(x.spec)->ledger = true;
    dp_spec_options(x.spec)->step = 1e-3;
    mechanism_compile(&x);
    mechanism_steps(&x, 1200); // from rest to rest
    const dp_ledger *ledger = dp_data_ledger(x.d);
    assert_near(ledger->moved + ledger->remainder, 3.0 * G * 0.5, 1e-10);
    // The remainder is −½ Σ m Δv² = −½ m h ∫ a² dt, with ∫ a² = 120/7 · 0.5² [m²/s³]
    assert_near(ledger->remainder, -0.5 * 3.0 * 1e-3 * 120.0 / 7.0 * 0.25, 1e-5);
    assert_near(ledger->applied + ledger->drives, 0.0, 0.0);
    mechanism_end(&x);
}

static void a_motion_with_a_bearing_is_a_spring_and_a_dashpot_to_where_it_says(void **state)
{
    (void)state;
    const double m = 2.0, k = 300.0, c = 7.0, h = 0.01;
    mechanism x = mechanism_begin();
    mechanism_joint(&x, ball(&x, DP_WORLD, "mass", ZERO, m), "slide", DP_JOINT_SLIDE, X);
    move_joint(&x, "base", "slide", "0.1*sin(9*t)");
    dp_spec_motion(x.spec, (dp_motion_id){0})->bearing = (dp_bearing){k, c};
    dp_spec_options(x.spec)->step = h;
    dp_spec_options(x.spec)->ledger = true;
    mechanism_compile(&x);
    double q = 0.0, v = 0.0;
    for (int i = 0; i < 400; ++i) {
        const double f0 = 0.1 * sin(9.0 * h * i), f1 = 0.1 * sin(9.0 * h * (i + 1));
        v = (m * v - h * k * (q - f1) + c * (f1 - f0)) / (m + h * h * k + h * c);
        q += h * v;
        mechanism_steps(&x, 1);
        assert_near(dp_data_v(x.d)[0], v, 1e-12); // sums of 400 round-offs
        assert_near(dp_data_q(x.d)[0], q, 1e-12);
    }
    const dp_ledger *l = dp_data_ledger(x.d);
    const double stored = dp_data_energy(x.d).kinetic + l->elastic;
    assert_near(stored, l->moved - l->damped + l->remainder, 1e-10);
    assert_true(l->damped > 0.0 && l->moved > 0.0);
    mechanism_end(&x);
}

// A body on a ball joint with its centre of mass beside it, and a rod that swings on it.
static void a_driven_ball_turns_as_its_rotation_vector_says(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id head = mechanism_body(&x, DP_WORLD, "head", ZERO, 2.0, (dp_v3){0.1, 0.0, 0.2},
                                           (dp_v3){0.1, 0.2, 0.25});
    mechanism_joint(&x, head, "neck", DP_JOINT_BALL, ZERO);
    mechanism_joint(&x, ball(&x, head, "rod", (dp_v3){0.3, 0.0, 0.0}, 0.5), "hinge", DP_JOINT_HINGE,
                    Y);
    dp_motion_spec motion = dp_motion_spec_default();
    motion.name = "nod";
    motion.joint = "neck";
    motion.rotation[0] = "2*(1 - cos(t))", motion.rotation[1] = "t^2"; // past a whole turn
    assert_ok(dp_spec_add_motion(NULL, x.spec, &motion));
    dp_spec_options(x.spec)->step = 2e-3;
    mechanism_compile(&x);
    for (int i = 0; i < 1500; ++i) {
        double q0[5], v0[4], a[4], tau[4];
        memcpy(q0, dp_data_q(x.d), sizeof q0);
        memcpy(v0, dp_data_v(x.d), sizeof v0);
        mechanism_steps(&x, 1);
        assert_int_equal(dp_data_report(x.d)->outcome, DP_OUTCOME_CONVERGED);
        const double t = dp_data_time(x.d), r[2] = {2.0 * (1.0 - cos(t)), t * t};
        const double angle = hypot(r[0], r[1]), s = sin(0.5 * angle) / angle;
        const double *q = dp_data_q(x.d);
        const double sign = q[0] * cos(0.5 * angle) + q[1] * s * r[0] + q[2] * s * r[1];
        assert_near(fabs(sign), 1.0, 1e-15);
        const double turned_by[4] = {cos(0.5 * angle), s * r[0], s * r[1], 0.0};
        for (int k = 0; k < 4; ++k) { // half of the gap
            assert_near(sign * q[k], turned_by[k], dp_data_options(x.d)->gap_tolerance);
        }
        // The moments of the drive are those of inverse dynamics; the rod gets none.
        double moment[3];
        for (int k = 0; k < 3; ++k) {
            moment[k] = dp_data_row(x.d, dp_data_find_row(x.d, DP_ROW_SOURCE_MOTION, 0, k)).force;
        }
        if (i % 100 == 0 && i * 2e-3 < 1.5) { // while the tree turns slowly
            for (int k = 0; k < 4; ++k) {
                a[k] = (dp_data_v(x.d)[k] - v0[k]) / 2e-3;
            }
            uint64_t before = dp_state_hash(x.d);
            unsigned char saved[4096];
            const size_t bytes = dp_state_bytes(x.d);
            assert_true(bytes <= sizeof saved);
            assert_ok(dp_state_save(saved, bytes, x.d));
            mechanism_set(&x, q0, v0);
            assert_ok(dp_inverse_dynamics(tau, x.d, a));
            for (int k = 0; k < 3; ++k) { // θ = 0 at the start of a step: the gradient is I
                assert_near(moment[k], tau[k], 1e-6 * fmax(1.0, fabs(tau[k])));
            }
            assert_near(tau[3], 0.0, 1e-10);
            assert_ok(dp_state_restore(x.d, saved, bytes));
            assert_true(dp_state_hash(x.d) == before);
        }
    }
    mechanism_end(&x);
}

static void explicit_integrators_refuse_driven_joints(void **state)
{
    (void)state;
    static const dp_integrator explicit_ones[] = {DP_INTEGRATOR_RK4, DP_INTEGRATOR_RK45};
    mechanism x = driven_pendulum("t", 1e-3);
    for (int i = 0; i < 2; ++i) {
        dp_data_options(x.d)->integrator = explicit_ones[i];
        assert_int_equal(dp_step(x.d), DP_ERROR_UNSUPPORTED);
        assert_last_error_has(i == 0 ? "motion 'drive' needs the semi-implicit step"
                                     : "motion 'drive' is rigid");
    }
    mechanism_end(&x);
}

// ---- motions of mocap bodies

// A body welded to a table that is moved.
static mechanism shaken(const char *const position[3], const char *const rotation[3], double h)
{
    mechanism x = mechanism_begin();
    const dp_body_id table = ball(&x, DP_WORLD, "table", (dp_v3){1.0, 2.0, 3.0}, 2.0);
    dp_spec_body(x.spec, table)->mocap = true;
    const dp_body_id load = mechanism_body(&x, DP_WORLD, "load", (dp_v3){1.0, 2.0, 3.5}, 3.0,
                                           (dp_v3){0.1, 0.0, 0.2}, (dp_v3){0.1, 0.2, 0.25});
    mechanism_joint(&x, load, "free", DP_JOINT_FREE, ZERO);
    dp_equality_spec weld = dp_equality_spec_default();
    weld.kind = DP_EQUALITY_WELD;
    weld.object[0] = "table", weld.object[1] = "load";
    assert_ok(dp_spec_add_equality(NULL, x.spec, &weld));
    dp_motion_spec motion = dp_motion_spec_default();
    motion.name = "shake";
    motion.body = "table";
    memcpy(motion.position, position, sizeof motion.position);
    memcpy(motion.rotation, rotation, sizeof motion.rotation);
    assert_ok(dp_spec_add_motion(NULL, x.spec, &motion));
    dp_spec_options(x.spec)->step = h;
    mechanism_compile(&x);
    return x;
}

static const char *const NOTHING[3] = {NULL, NULL, NULL};

static void a_moved_body_starts_where_its_expressions_say(void **state)
{
    (void)state;
    static const char *const position[3] = {"0.5 + t", NULL, "cos(t)"};
    mechanism x = shaken(position, NOTHING, 0.01);
    const dp_pose *table = dp_data_mocap(x.d, 0);
    assert_near(table->p.x, 0.5, 0.0);
    assert_near(table->p.y, 2.0, 0.0); // as described
    assert_near(table->p.z, 1.0, 0.0);
    mechanism_steps(&x, 30);
    assert_near(table->p.x, 0.8, 1e-15);
    assert_near(dp_body_pose(x.d, (dp_body_id){1}).p.x, 0.8, 1e-15);
    dp_data_set_time(x.d, 2.0);
    dp_data_mocap(x.d, 0)->p.x = 7.0; // the time decides
    assert_ok(dp_kinematics(x.d));
    assert_near(dp_body_pose(x.d, (dp_body_id){1}).p.x, 2.5, 0.0);
    dp_data_reset(x.d);
    assert_near(table->p.x, 0.5, 0.0);
    mechanism_end(&x);
}

static void a_key_puts_moved_bodies_where_its_time_says(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id table = ball(&x, DP_WORLD, "table", ZERO, 1.0);
    dp_spec_body(x.spec, table)->mocap = true;
    dp_motion_spec motion = dp_motion_spec_default();
    motion.name = "slide";
    motion.body = "table";
    motion.position[0] = "sqrt(3 - t)";
    assert_ok(dp_spec_add_motion(NULL, x.spec, &motion));
    dp_key_spec key = dp_key_spec_default();
    key.name = "later";
    key.time = 2.0;
    assert_ok(dp_spec_add_key(NULL, x.spec, &key));
    key.name = "too late";
    key.time = 4.0;
    assert_ok(dp_spec_add_key(NULL, x.spec, &key));
    mechanism_compile(&x);
    assert_ok(dp_data_reset_to_key(x.d, (dp_key_id){0}));
    assert_near(dp_data_mocap(x.d, 0)->p.x, 1.0, 0.0);
    const uint64_t before = dp_state_hash(x.d);
    assert_int_equal(dp_data_reset_to_key(x.d, (dp_key_id){1}), DP_ERROR_NUMERIC);
    assert_last_error_has("motion 'slide': ");
    assert_true(dp_state_hash(x.d) == before);
    mechanism_end(&x);
}

static void what_is_welded_to_a_moved_body_goes_with_it(void **state)
{
    (void)state;
    static const char *const position[3] = {"1 + 0.3*sin(4*t)", "2 + 0.1*t^2",
                                            "2.8 + 0.2*cos(3*t)"};
    static const char *const rotation[3] = {"0.4*sin(2*t)", "t", "0"};
    mechanism x = shaken(position, rotation, 2e-3);
    const double tolerance = dp_data_options(x.d)->gap_tolerance;
    mechanism_steps(&x, 1);
    for (int i = 0; i < 500; ++i) {
        mechanism_steps(&x, 1);
        assert_int_equal(dp_data_report(x.d)->outcome, DP_OUTCOME_CONVERGED);
        const dp_pose table = dp_body_pose(x.d, (dp_body_id){1});
        const dp_pose load = dp_body_pose(x.d, (dp_body_id){2});
        const dp_v3 arm = turned(table.q, (dp_v3){0.0, 0.0, 0.5});
        assert_near(load.p.x, table.p.x + arm.x, 2.0 * tolerance);
        assert_near(load.p.y, table.p.y + arm.y, 2.0 * tolerance);
        assert_near(load.p.z, table.p.z + arm.z, 2.0 * tolerance);
    }
    mechanism_end(&x);
}

static void moving_a_table_does_the_work_of_lifting(void **state)
{
    (void)state;
    static const char *const position[3] = {NULL, NULL, "3 + 0.5*smooth(t, 0.1, 1.1)"};
    mechanism x = shaken(position, NOTHING, 1e-3);
    dp_data_options(x.d)->ledger = true;
    mechanism_steps(&x, 1200);
    const dp_ledger *ledger = dp_data_ledger(x.d);
    // The table of 2 kg and the load of 3 kg.
    assert_near(ledger->moved + ledger->remainder, 5.0 * G * 0.5, 1e-8);
    assert_near(ledger->remainder, -0.5 * 3.0 * 1e-3 * 120.0 / 7.0 * 0.25, 1e-5);
    mechanism_end(&x);
}

static void a_soft_hold_on_a_moved_body_pulls_by_its_bearing(void **state)
{
    (void)state;
    // A mass on a slide, tied to the table by a connect that gives: the same recurrence as a motion
    // with a bearing, along x.
    const double m = 2.0, k = 300.0, c = 7.0, h = 0.01;
    mechanism x = mechanism_begin();
    const dp_body_id table = ball(&x, DP_WORLD, "table", ZERO, 1.0);
    dp_spec_body(x.spec, table)->mocap = true;
    mechanism_joint(&x, ball(&x, DP_WORLD, "mass", ZERO, m), "slide", DP_JOINT_SLIDE, X);
    dp_equality_spec tie = dp_equality_spec_default();
    tie.object[0] = "table", tie.object[1] = "mass";
    tie.bearing = (dp_bearing){k, c};
    assert_ok(dp_spec_add_equality(NULL, x.spec, &tie));
    dp_motion_spec motion = dp_motion_spec_default();
    motion.body = "table";
    motion.position[0] = "0.1*sin(9*t)";
    assert_ok(dp_spec_add_motion(NULL, x.spec, &motion));
    dp_spec_options(x.spec)->step = h;
    mechanism_compile(&x);
    double q = 0.0, v = 0.0;
    for (int i = 0; i < 200; ++i) {
        const double f0 = 0.1 * sin(9.0 * h * i), f1 = 0.1 * sin(9.0 * h * (i + 1));
        v = (m * v - h * k * (q - f1) + c * (f1 - f0)) / (m + h * h * k + h * c);
        q += h * v;
        mechanism_steps(&x, 1);
        assert_near(dp_data_q(x.d)[0], q, 1e-11);
    }
    mechanism_end(&x);
}

static void explicit_integrators_move_mocap_bodies(void **state)
{
    (void)state;
    static const char *const position[3] = {"t^3", NULL, NULL};
    mechanism x = shaken(position, NOTHING, 0.25);
    dp_data_options(x.d)->disable_equality = true;
    dp_data_options(x.d)->integrator = DP_INTEGRATOR_RK4;
    mechanism_steps(&x, 4);
    assert_near(dp_data_mocap(x.d, 0)->p.x, 1.0, 0.0);
    mechanism_end(&x);
}

// ---- failures

static void an_expression_without_a_value_stops_the_step_and_changes_nothing(void **state)
{
    (void)state;
    static const char *const what[] = {"force 'fades': ", "motion 'ends': ", "motion 'shakes': "};
    for (int i = 0; i < 3; ++i) {
        mechanism x = mechanism_begin();
        const dp_body_id table = ball(&x, DP_WORLD, "table", ZERO, 1.0);
        dp_spec_body(x.spec, table)->mocap = true;
        mechanism_joint(&x, ball(&x, DP_WORLD, "mass", ZERO, 1.0), "slide", DP_JOINT_SLIDE, X);
        push_joint(&x, "fades", "slide", i == 0 ? "sqrt(0.0105 - t)" : "1", NULL);
        move_joint(&x, "ends", "slide", i == 1 ? "t*log(0.0105 - t)" : "0");
        dp_motion_spec motion = dp_motion_spec_default();
        motion.name = "shakes";
        motion.body = "table";
        motion.position[1] = i == 2 ? "acos(0.9895 + t)" : "t";
        assert_ok(dp_spec_add_motion(NULL, x.spec, &motion));
        dp_spec_options(x.spec)->step = 1e-3;
        mechanism_compile(&x);
        dp_status status = DP_OK;
        uint64_t before = 0;
        while (status == DP_OK && dp_data_time(x.d) < 0.1) {
            before = dp_state_hash(x.d);
            status = dp_step(x.d);
        }
        assert_int_equal(status, DP_ERROR_NUMERIC);
        assert_last_error_has(what[i]);
        assert_last_error_has("at t = 0.011");
        assert_true(dp_state_hash(x.d) == before);
        assert_near(dp_data_time(x.d), i == 0 ? 0.011 : 0.010, 1e-15);
        mechanism_end(&x);
    }
}

static void a_motion_faster_than_anything_is_refused(void **state)
{
    (void)state;
    mechanism x = driven_pendulum("1e70*t", 1e-3);
    assert_int_equal(dp_step(x.d), DP_ERROR_NUMERIC);
    assert_last_error_has("motion 'drive': from 0 to 1e+67 in a step of 0.001 s");
    mechanism_end(&x);
}

// ---- scenes

static mechanism scene(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.xml", DP_SCENES, name);
    dp_spec *spec;
    assert_ok(dp_mjcf_load(&spec, NULL, path, NULL));
    return mechanism_from(spec);
}

static void the_driven_slider_crank_keeps_its_loop_and_its_speed(void **state)
{
    (void)state;
    mechanism x = scene("driven_slider_crank");
    dp_data_options(x.d)->ledger = true;
    for (int i = 0; i < 3000; ++i) {
        mechanism_steps(&x, 1);
        const double t = dp_data_time(x.d), f = t < 1.0 ? 10.0 * t * t : 20.0 * t - 10.0;
        const double *q = dp_data_q(x.d);
        assert_near(q[0], f, 1e-12 * fmax(1.0, f));
        // The piston is where the crank of 0.1 and the rod of √0.1 m put it.
        const double pin[2] = {0.1 * sin(f), 0.1 * cos(f)};
        assert_near(0.3 + q[2], pin[0] + sqrt(0.1 - pin[1] * pin[1]), 1e-9);
    }
    // The gas pushes the piston down and does work: the drive brakes on the whole.
    const dp_ledger *ledger = dp_data_ledger(x.d);
    assert_true(ledger->applied > 0.0);
    const dp_energy e = dp_data_energy(x.d);
    mechanism y = scene("driven_slider_crank");
    const dp_energy e0 = dp_data_energy(y.d);
    assert_near(e.kinetic + e.gravity - e0.gravity,
                ledger->applied + ledger->moved + ledger->remainder, 1e-9);
    mechanism_end(&y);
    mechanism_end(&x);
}

static void the_shaking_table_holds_the_foundation_and_excites_the_frame(void **state)
{
    (void)state;
    mechanism x = scene("shaking_table");
    dp_joint_id id;
    assert_ok(dp_model_find_joint(&id, x.m, "second_floor"));
    const int top = dp_model_joint(x.m, id).q_index;
    double early = 0.0, resonant = 0.0;
    for (int i = 0; i < 7000; ++i) {
        mechanism_steps(&x, 1);
        assert_int_equal(dp_data_report(x.d)->outcome, DP_OUTCOME_CONVERGED);
        double *at = dp_data_time(x.d) < 2.0 ? &early : &resonant;
        *at = fmax(*at, fabs(dp_data_q(x.d)[top]));
    }
    assert_true(resonant > 5.0 * early); // the lower mode is passed after 5 s
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forced_oscillator_follows_its_closed_form),
        cmocka_unit_test(the_semi_implicit_step_sees_forces_to_first_order),
        cmocka_unit_test(a_force_acts_like_the_input_of_the_same_size),
        cmocka_unit_test(inverse_dynamics_take_forces_as_given),
        cmocka_unit_test(the_work_of_a_force_is_applied_work),
        cmocka_unit_test(a_driven_joint_is_where_its_expression_says_after_every_step),
        cmocka_unit_test(a_driven_joint_stays_exact_where_steps_are_made_in_parts),
        cmocka_unit_test(the_force_of_a_drive_is_that_of_inverse_dynamics),
        cmocka_unit_test(the_torque_of_a_driven_pendulum_follows_its_closed_form),
        cmocka_unit_test(the_work_of_a_motion_is_what_it_lifts),
        cmocka_unit_test(a_motion_with_a_bearing_is_a_spring_and_a_dashpot_to_where_it_says),
        cmocka_unit_test(a_driven_ball_turns_as_its_rotation_vector_says),
        cmocka_unit_test(explicit_integrators_refuse_driven_joints),
        cmocka_unit_test(a_moved_body_starts_where_its_expressions_say),
        cmocka_unit_test(a_key_puts_moved_bodies_where_its_time_says),
        cmocka_unit_test(what_is_welded_to_a_moved_body_goes_with_it),
        cmocka_unit_test(moving_a_table_does_the_work_of_lifting),
        cmocka_unit_test(a_soft_hold_on_a_moved_body_pulls_by_its_bearing),
        cmocka_unit_test(explicit_integrators_move_mocap_bodies),
        cmocka_unit_test(an_expression_without_a_value_stops_the_step_and_changes_nothing),
        cmocka_unit_test(a_motion_faster_than_anything_is_refused),
        cmocka_unit_test(the_driven_slider_crank_keeps_its_loop_and_its_speed),
        cmocka_unit_test(the_shaking_table_holds_the_foundation_and_excites_the_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
