// Positions, velocities and accelerations of random mechanisms: each is the derivative of the one
// before.
#include "mechanism.h"
#include "random_spec.h"

#include "dynamics/kinematics.h"
#include "math/angle.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MECHANISMS = 100, MAX_NV = 80, MAX_NQ = 100 };

// Sums over chains of up to a dozen bodies, metres and tens of rad/s.
static const double ROUND_OFF = 1e-12;
// Richardson's extrapolation of two central differences, steps 2e-4 and 1e-4: truncation
// (1e-4)⁴·O(1e5), round-off 1e-16·O(10)/1e-4.
static const double DIFFERENCING = 1e-9;

static mechanism random_mechanism_at(uint64_t seed, double speed)
{
    random_spec_options o = random_spec_default(seed);
    mechanism x = mechanism_from(random_spec(&o));
    assert_true(dp_model_sizes(x.m)->nv <= MAX_NV && dp_model_sizes(x.m)->nq <= MAX_NQ);
    random_source r = {seed + 1000};
    random_state(x.d, &r, speed);
    return x;
}

static void assert_same(dp_v3 actual, dp_v3 expected, double tolerance)
{
    assert_near(actual.x, expected.x, tolerance);
    assert_near(actual.y, expected.y, tolerance);
    assert_near(actual.z, expected.z, tolerance);
}

// A curve through the present state: q ⊕ t v, v + t a. Puts the state at t and leaves the start in
// q0, v0.
typedef struct curve {
    double q0[MAX_NQ], v0[MAX_NV];
    double direction[MAX_NV], acceleration[MAX_NV];
} curve;

static void curve_start(curve *c, const mechanism *x)
{
    const dp_model_size *n = dp_model_sizes(x->m);
    memcpy(c->q0, dp_data_q(x->d), (size_t)n->nq * sizeof(double));
    memcpy(c->v0, dp_data_v(x->d), (size_t)n->nv * sizeof(double));
    memcpy(c->direction, c->v0, sizeof c->direction);
    memset(c->acceleration, 0, sizeof c->acceleration);
}

static void curve_at(const curve *c, mechanism *x, double t)
{
    dp_kin_advance(dp_data_q(x->d), x->m, c->q0, c->direction, t);
    for (int k = 0; k < dp_model_sizes(x->m)->nv; ++k) {
        dp_data_v(x->d)[k] = c->v0[k] + t * c->acceleration[k];
    }
    assert_ok(dp_kinematics(x->d));
}

// d/dt of six numbers along the curve.
typedef void (*observable)(double out[6], const mechanism *x, int body);

static void differentiate(double out[6], const curve *c, mechanism *x, int body, observable f)
{
    double slope[2][6];
    for (int level = 0; level < 2; ++level) {
        const double t = level ? 1e-4 : 2e-4;
        double plus[6], minus[6];
        curve_at(c, x, t);
        f(plus, x, body);
        curve_at(c, x, -t);
        f(minus, x, body);
        for (int i = 0; i < 6; ++i) {
            slope[level][i] = (plus[i] - minus[i]) / (2.0 * t);
        }
    }
    curve_at(c, x, 0.0);
    for (int i = 0; i < 6; ++i) {
        out[i] = (4.0 * slope[1][i] - slope[0][i]) / 3.0;
    }
}

static void observe_position_and_axis(double out[6], const mechanism *x, int body)
{
    const dp_pose X = dp_body_pose(x->d, (dp_body_id){body});
    dp_v3_store(out, X.p);
    dp_v3_store(out + 3, dp_quat_rotate(X.q, (dp_v3){0.6, 0.0, 0.8}));
}

static void observe_other_axis(double out[6], const mechanism *x, int body)
{
    const dp_pose X = dp_body_pose(x->d, (dp_body_id){body});
    memset(out, 0, 6 * sizeof *out);
    dp_v3_store(out, dp_quat_rotate(X.q, (dp_v3){0.0, 1.0, 0.0}));
}

static void observe_velocity(double out[6], const mechanism *x, int body)
{
    const dp_twist V = dp_body_velocity(x->d, (dp_body_id){body});
    dp_v3_store(out, V.w);
    dp_v3_store(out + 3, V.v);
}

static void a_body_s_velocity_is_the_derivative_of_its_pose(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed, 1.0);
        curve c;
        curve_start(&c, &x);
        for (int b = 1; b < dp_model_sizes(x.m)->nbody; ++b) {
            const dp_twist V = dp_body_velocity(x.d, (dp_body_id){b});
            const dp_quat q = dp_body_pose(x.d, (dp_body_id){b}).q;
            double rate[6];
            differentiate(rate, &c, &x, b, observe_position_and_axis);
            assert_same(dp_v3_load(rate), V.v, DIFFERENCING);
            assert_same(dp_v3_load(rate + 3),
                        dp_v3_cross(V.w, dp_quat_rotate(q, (dp_v3){0.6, 0.0, 0.8})), DIFFERENCING);
            differentiate(rate, &c, &x, b, observe_other_axis);
            assert_same(dp_v3_load(rate),
                        dp_v3_cross(V.w, dp_quat_rotate(q, (dp_v3){0.0, 1.0, 0.0})), DIFFERENCING);
        }
        mechanism_end(&x);
    }
}

static void every_column_of_a_jacobian_is_a_derivative(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS / 4; ++seed) {
        mechanism x = random_mechanism_at(seed, 0.0);
        const dp_model_size n = *dp_model_sizes(x.m);
        const dp_body_id b = {n.nbody - 1};
        double *J = malloc(6 * (size_t)n.nv * sizeof *J + 1);
        curve c;
        curve_start(&c, &x);
        dp_body_jacobian(J, x.d, b, dp_body_pose(x.d, b).p);
        for (int k = 0; k < n.nv; ++k) {
            memset(c.direction, 0, sizeof c.direction);
            c.direction[k] = 1.0;
            double rate[6];
            differentiate(rate, &c, &x, b.index, observe_position_and_axis);
            const dp_v3 w = {J[k], J[n.nv + k], J[2 * n.nv + k]};
            const dp_v3 v = {J[3 * n.nv + k], J[4 * n.nv + k], J[5 * n.nv + k]};
            const dp_v3 axis = dp_quat_rotate(dp_body_pose(x.d, b).q, (dp_v3){0.6, 0.0, 0.8});
            assert_same(dp_v3_load(rate), v, DIFFERENCING);
            assert_same(dp_v3_load(rate + 3), dp_v3_cross(w, axis), DIFFERENCING);
        }
        free(J);
        mechanism_end(&x);
    }
}

static void a_jacobian_times_v_is_the_velocity_of_the_point(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed, 3.0);
        const dp_model_size n = *dp_model_sizes(x.m);
        double *J = malloc(6 * (size_t)n.nv * sizeof *J + 1);
        for (int b = 0; b < n.nbody; ++b) {
            const dp_v3 r = {0.3, -0.2, 0.7};
            const dp_body_id id = {b};
            const dp_twist V = dp_body_velocity(x.d, id);
            dp_body_jacobian(J, x.d, id, dp_v3_add(dp_body_pose(x.d, id).p, r));
            double Jv[6] = {0.0};
            for (int i = 0; i < 6; ++i) {
                for (int k = 0; k < n.nv; ++k) {
                    Jv[i] += J[i * n.nv + k] * dp_data_v(x.d)[k];
                }
            }
            assert_same(dp_v3_load(Jv), V.w, ROUND_OFF * 10.0);
            assert_same(dp_v3_load(Jv + 3), dp_v3_add(V.v, dp_v3_cross(V.w, r)), ROUND_OFF * 10.0);
        }
        free(J);
        mechanism_end(&x);
    }
}

static void a_body_s_acceleration_is_the_derivative_of_its_velocity(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed, 1.0);
        assert_ok(dp_forward(x.d));
        curve c;
        curve_start(&c, &x);
        double size = 1.0; // a light last body can be thrown hard by its spring
        for (int k = 0; k < dp_model_sizes(x.m)->nv; ++k) {
            c.acceleration[k] = dp_data_acceleration(x.d)[k];
            size = fmax(size, fabs(c.acceleration[k]));
        }
        for (int b = 1; b < dp_model_sizes(x.m)->nbody; ++b) {
            const dp_twist A = dp_body_acceleration(x.d, (dp_body_id){b});
            double rate[6];
            differentiate(rate, &c, &x, b, observe_velocity);
            assert_same(dp_v3_load(rate), A.w, DIFFERENCING * size);
            assert_same(dp_v3_load(rate + 3), A.v, DIFFERENCING * size);
            assert_ok(dp_forward(x.d)); // the present state again
        }
        mechanism_end(&x);
    }
}

static void the_rate_of_q_is_the_derivative_of_advancing_it(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed, 1.0);
        const int nq = dp_model_sizes(x.m)->nq;
        double rate[MAX_NQ], plus[MAX_NQ], minus[MAX_NQ];
        const double t = 1e-5; // central difference: 1e-10·O(1) and 1e-16/1e-5
        dp_kin_rate(rate, x.m, dp_data_q(x.d), dp_data_v(x.d));
        dp_kin_advance(plus, x.m, dp_data_q(x.d), dp_data_v(x.d), t);
        dp_kin_advance(minus, x.m, dp_data_q(x.d), dp_data_v(x.d), -t);
        for (int i = 0; i < nq; ++i) {
            assert_near((plus[i] - minus[i]) / (2.0 * t), rate[i], 1e-9);
        }
        mechanism_end(&x);
    }
}

static void advancing_there_and_back_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed, 5.0);
        const int nq = dp_model_sizes(x.m)->nq;
        double there[MAX_NQ], back[MAX_NQ];
        dp_kin_advance(there, x.m, dp_data_q(x.d), dp_data_v(x.d), 0.3);
        dp_kin_advance(back, x.m, there, dp_data_v(x.d), -0.3);
        for (int i = 0; i < nq; ++i) {
            assert_near(back[i], dp_data_q(x.d)[i], 16.0 * DBL_EPSILON);
        }
        mechanism_end(&x);
    }
}

// A joint's frame is fixed in the body: with a single joint, anchor and axis come out where the
// body carries them, and for hinges and slides also where the parent does.
static void anchor_and_axis_are_where_the_body_carries_them(void **state)
{
    (void)state;
    int met = 0;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed, 0.0);
        for (int j = 0; j < dp_model_sizes(x.m)->njoint; ++j) {
            const dp_joint_info joint = dp_model_joint(x.m, (dp_joint_id){j});
            const dp_body_info body = dp_model_body(x.m, joint.body);
            if (body.njoint != 1 || joint.kind == DP_JOINT_FREE) {
                continue;
            }
            const dp_pose X = dp_body_pose(x.d, joint.body);
            const dp_pose X_parent = dp_body_pose(x.d, body.parent);
            const dp_v3 anchor = dp_joint_anchor(x.d, (dp_joint_id){j});
            const dp_v3 axis = dp_joint_axis(x.d, (dp_joint_id){j});
            if (joint.kind != DP_JOINT_SLIDE) { // a slide's anchor stays behind
                assert_same(anchor, dp_pose_apply(X, joint.anchor), ROUND_OFF);
            }
            assert_same(anchor, dp_pose_apply(dp_pose_mul(X_parent, body.pose), joint.anchor),
                        ROUND_OFF);
            if (joint.kind != DP_JOINT_BALL) {
                assert_same(axis, dp_quat_rotate(X.q, joint.axis), ROUND_OFF);
                assert_same(axis,
                            dp_quat_rotate(X_parent.q, dp_quat_rotate(body.pose.q, joint.axis)),
                            ROUND_OFF);
            }
            ++met;
        }
        mechanism_end(&x);
    }
    assert_true(met > 100);
}

// dp_state_restore and dp_step normalise what is normalised already; no bit may change.
static void normalising_twice_is_normalising_once(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "ball", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                        (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, b, "joint", DP_JOINT_BALL, (dp_v3){0.0, 0.0, 1.0});
    mechanism_compile(&x);
    random_source r = {9};
    for (int i = 0; i < 1000000; ++i) {
        double q[4], again[4];
        for (int k = 0; k < 4; ++k) {
            q[k] = random_between(&r, -2.0, 2.0) * (i % 3 == 0 ? 1e200 : i % 3 == 1 ? 1e-200 : 1.0);
        }
        dp_kin_normalise(q, x.m);
        assert_near(dp_quat_norm(dp_quat_load(q)), 1.0, 8.0 * DBL_EPSILON);
        memcpy(again, q, sizeof q);
        dp_kin_normalise(again, x.m);
        assert_memory_equal(again, q, sizeof q);
    }
    mechanism_end(&x);
}

// e is the gradient of ½ e·e in the velocities: a spring that pulls by −K e stores ½ K e·e.
static void a_displacement_is_the_gradient_of_half_its_square(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed, 1.0);
        for (int j = 0; j < dp_model_sizes(x.m)->njoint; ++j) {
            const dp_joint *joint = &x.m->joint[j];
            double half_square[2], e[6], q[MAX_NQ], power = 0.0;
            const double t = 1e-5;
            for (int side = 0; side < 2; ++side) {
                dp_kin_advance(q, x.m, dp_data_q(x.d), dp_data_v(x.d), side ? t : -t);
                dp_kin_joint_displacement(e, x.m, joint, q);
                half_square[side] = 0.0;
                for (int k = 0; k < joint->nv; ++k) {
                    half_square[side] += 0.5 * e[k] * e[k];
                }
            }
            dp_kin_joint_displacement(e, x.m, joint, dp_data_q(x.d));
            for (int k = 0; k < joint->nv; ++k) {
                power += e[k] * dp_data_v(x.d)[joint->v_index + k];
            }
            // Near half a turn the logarithm bends sharply; nearer than 1e-5 is unlikely.
            assert_near((half_square[1] - half_square[0]) / (2.0 * t), power, 1e-8);
        }
        mechanism_end(&x);
    }
}

static void far_from_the_origin_relative_positions_keep_their_digits(void **state)
{
    (void)state;
    random_spec_options o = random_spec_default(5);
    o.floating = true;
    o.springs = false; // one at the root would pull from afar
    mechanism near = mechanism_from(random_spec(&o)), far = mechanism_from(random_spec(&o));
    random_source r = {1};
    random_state(near.d, &r, 1.0);
    mechanism_set(&far, dp_data_q(near.d), dp_data_v(near.d));
    const double distance = 1e6; // [m]
    dp_data_q(far.d)[0] += distance;
    assert_ok(dp_kinematics(far.d));
    assert_ok(dp_forward(near.d));
    assert_ok(dp_forward(far.d));
    double size = 0.0;
    for (int k = 0; k < dp_model_sizes(near.m)->nv; ++k) {
        size = fmax(size, fabs(dp_data_acceleration(near.d)[k]));
    }
    for (int k = 0; k < dp_model_sizes(near.m)->nv; ++k) {
        // Quantities are about each body's origin, so only differences of positions (rounded to
        // 1e-10 m there) are hurt, not their squares (1e12 m²).
        assert_near(dp_data_acceleration(far.d)[k], dp_data_acceleration(near.d)[k],
                    distance * DBL_EPSILON * 100.0 * size);
    }
    mechanism_end(&near);
    mechanism_end(&far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_s_velocity_is_the_derivative_of_its_pose),
        cmocka_unit_test(every_column_of_a_jacobian_is_a_derivative),
        cmocka_unit_test(a_jacobian_times_v_is_the_velocity_of_the_point),
        cmocka_unit_test(a_body_s_acceleration_is_the_derivative_of_its_velocity),
        cmocka_unit_test(the_rate_of_q_is_the_derivative_of_advancing_it),
        cmocka_unit_test(advancing_there_and_back_changes_nothing),
        cmocka_unit_test(anchor_and_axis_are_where_the_body_carries_them),
        cmocka_unit_test(normalising_twice_is_normalising_once),
        cmocka_unit_test(a_displacement_is_the_gradient_of_half_its_square),
        cmocka_unit_test(far_from_the_origin_relative_positions_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
