// Independent routes to the same number, on random mechanisms: the articulated-body algorithm
// against the inertia matrix, inverse after forward dynamics, sums over bodies by Jacobians.
#include "mechanism.h"
#include "random_spec.h"

#include "dynamics/composite.h"
#include "sim/data.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MECHANISMS = 300, MAX_NV = 80 };

// Two routes to M⁻¹ b differ by round-off times the condition of M. Measured: 1.8.
static const double SOLVED = 10.0 * DBL_EPSILON;
// What is left of M a + c − τ for a computed a, relative to the accelerations (masses are a few
// kg). Measured: 11, whatever the condition.
static const double LEFT = 100.0 * DBL_EPSILON;
// No solve, only sums.
static const double SUMMED = 1e-12;

static mechanism random_mechanism_at(uint64_t seed)
{
    random_spec_options o = random_spec_default(seed);
    o.actuators = true;
    mechanism x = mechanism_from(random_spec(&o));
    assert_true(dp_model_sizes(x.m)->nv <= MAX_NV);
    random_source r = {seed + 5000};
    random_state(x.d, &r, 3.0);
    random_inputs(x.d, &r);
    for (int k = 0; k < dp_model_sizes(x.m)->nv; ++k) {
        dp_data_force(x.d)[k] = random_between(&r, -1.0, 1.0);
    }
    return x;
}

static double largest(const double *x, int n)
{
    double size = 0.0;
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(x[i]));
    }
    return size;
}

static void assert_all_near(const double *actual, const double *expected, int n, double tolerance)
{
    const double size = fmax(1.0, largest(expected, n));
    for (int i = 0; i < n; ++i) {
        assert_near(actual[i], expected[i], tolerance * size);
    }
}

// ‖M‖ ‖M⁻¹‖ in the largest row sum, of M with its diagonal scaled to ones: metres and radians
// should not count.
static double condition(mechanism *x)
{
    const int nv = dp_model_sizes(x->m)->nv;
    double M[MAX_NV * MAX_NV], column[MAX_NV], row[MAX_NV] = {0.0}, norm = 0.0;
    assert_ok(dp_mass_matrix(M, x->d));
    for (int i = 0; i < nv; ++i) {
        double sum = 0.0;
        for (int j = 0; j < nv; ++j) {
            sum += fabs(M[i * nv + j]) / sqrt(M[i * nv + i] * M[j * nv + j]);
        }
        norm = fmax(norm, sum);
        memset(column, 0, sizeof column);
        column[i] = 1.0;
        assert_ok(dp_mass_solve(column, x->d, column));
        for (int j = 0; j < nv; ++j) {
            row[j] += fabs(column[j]) * sqrt(M[i * nv + i] * M[j * nv + j]);
        }
    }
    return norm * largest(row, nv);
}

static void forward_dynamics_solve_the_equations_of_motion(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const int nv = dp_model_sizes(x.m)->nv;
        double tau[MAX_NV], c[MAX_NV], a[MAX_NV], direct[MAX_NV];
        random_source r = {seed};
        for (int k = 0; k < nv; ++k) {
            tau[k] = random_between(&r, -10.0, 10.0);
        }
        assert_ok(dp_forward_dynamics(a, x.d, tau)); // articulated bodies

        // M a = tau − c + passive + Σ Jᵀ wrench: inertia matrix, Newton–Euler, Jacobians
        assert_ok(dp_bias_force(c, x.d));
        assert_ok(dp_forward(x.d));
        double rhs[MAX_NV], J[6 * MAX_NV];
        for (int k = 0; k < nv; ++k) {
            rhs[k] = tau[k] - c[k] + dp_data_passive(x.d)[k];
        }
        for (int b = 1; b < dp_model_sizes(x.m)->nbody; ++b) {
            const dp_wrench w = *dp_data_wrench(x.d, (dp_body_id){b});
            const double f[6] = {w.t.x, w.t.y, w.t.z, w.f.x, w.f.y, w.f.z};
            dp_body_jacobian(J, x.d, (dp_body_id){b}, dp_inertial_pose(x.d, (dp_body_id){b}).p);
            for (int i = 0; i < 6; ++i) {
                for (int k = 0; k < nv; ++k) {
                    rhs[k] += J[i * nv + k] * f[i];
                }
            }
        }
        assert_ok(dp_mass_solve(direct, x.d, rhs));
        assert_all_near(a, direct, nv, SOLVED * condition(&x));
        mechanism_end(&x);
    }
}

static void inverse_dynamics_undo_forward_dynamics(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const int nv = dp_model_sizes(x.m)->nv;
        double tau[MAX_NV], a[MAX_NV], again[MAX_NV];
        random_source r = {seed};
        for (int k = 0; k < nv; ++k) {
            tau[k] = random_between(&r, -10.0, 10.0);
        }
        assert_ok(dp_forward_dynamics(a, x.d, tau));
        assert_ok(dp_inverse_dynamics(again, x.d, a));
        for (int k = 0; k < nv; ++k) {
            assert_near(again[k], tau[k], LEFT * fmax(10.0, largest(a, nv)));
        }
        mechanism_end(&x);
    }
}

static void the_acceleration_is_that_of_all_forces_together(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const int nv = dp_model_sizes(x.m)->nv;
        double tau[MAX_NV], a[MAX_NV];
        assert_ok(dp_forward(x.d));
        memcpy(a, dp_data_acceleration(x.d), (size_t)nv * sizeof *a);
        assert_ok(dp_inverse_dynamics(tau, x.d, a));
        for (int k = 0; k < nv; ++k) {
            const double expected = dp_data_actuation(x.d)[k] + dp_data_force(x.d)[k];
            assert_near(tau[k], expected, LEFT * fmax(10.0, largest(a, nv)));
        }
        mechanism_end(&x);
    }
}

// T(v) = ½ vᵀ M v, so M(i, j) = T(e_i + e_j) − T(e_i) − T(e_j). Kinetic energy knows bodies only.
static void the_inertia_matrix_is_the_hessian_of_kinetic_energy(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS / 10; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const int nv = dp_model_sizes(x.m)->nv;
        double M[MAX_NV * MAX_NV], T[MAX_NV], v[MAX_NV];
        assert_ok(dp_mass_matrix(M, x.d));
        const double size = fmax(1.0, largest(M, nv * nv));
        for (int i = 0; i < nv; ++i) {
            memset(v, 0, sizeof v);
            v[i] = 1.0;
            mechanism_set(&x, NULL, v);
            T[i] = dp_data_energy(x.d).kinetic;
            assert_near(M[i * nv + i], 2.0 * T[i], SUMMED * size);
            for (int j = 0; j < i; ++j) {
                v[j] = 1.0;
                mechanism_set(&x, NULL, v);
                const double both = dp_data_energy(x.d).kinetic;
                assert_near(M[i * nv + j], both - T[i] - T[j], SUMMED * size);
                assert_true(M[i * nv + j] == M[j * nv + i]);
                v[j] = 0.0;
            }
        }
        mechanism_end(&x);
    }
}

static void inverse_dynamics_at_rest_without_weight_is_the_inertia_matrix(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS / 10; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const int nv = dp_model_sizes(x.m)->nv;
        double M[MAX_NV * MAX_NV], bias[MAX_NV], tau[MAX_NV], a[MAX_NV] = {0.0};
        assert_ok(dp_mass_matrix(M, x.d));
        assert_ok(dp_inverse_dynamics(bias, x.d, a));
        for (int i = 0; i < nv; ++i) {
            a[i] = 1.0;
            assert_ok(dp_inverse_dynamics(tau, x.d, a));
            a[i] = 0.0;
            const double size = fmax(fmax(1.0, largest(M, nv * nv)), largest(bias, nv));
            for (int k = 0; k < nv; ++k) {
                assert_near(tau[k] - bias[k], M[k * nv + i], SUMMED * size);
            }
        }
        mechanism_end(&x);
    }
}

// Dense Cholesky from the last row up: A = UUᵀ... with U upper triangular, so that LᵀDL has D = the
// squares of its diagonal.
static void dense_factor(double *U, const double *A, int n)
{
    memset(U, 0, (size_t)(n * n) * sizeof *U);
    for (int j = n - 1; j >= 0; --j) {
        double d = A[j * n + j];
        for (int k = j + 1; k < n; ++k) {
            d -= U[j * n + k] * U[j * n + k];
        }
        assert_true(d > 0.0);
        U[j * n + j] = sqrt(d);
        for (int i = 0; i < j; ++i) {
            double s = A[i * n + j];
            for (int k = j + 1; k < n; ++k) {
                s -= U[i * n + k] * U[j * n + k];
            }
            U[i * n + j] = s / U[j * n + j];
        }
    }
}

static void the_packed_factor_is_the_dense_one(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS / 3; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const dp_model *m = x.m;
        const int nv = m->size.nv;
        double M[MAX_NV * MAX_NV], U[MAX_NV * MAX_NV], LD[MAX_NV * MAX_NV];
        assert_ok(dp_mass_matrix(M, x.d));
        dense_factor(U, M, nv);
        const double tolerance = SOLVED * condition(&x);
        dp_crba(LD, x.d->scratch.composite, &x.d->kin, m, m->dof_armature);
        assert_int_equal(dp_tree_ldl_factor(LD, dp_model_branch(m)), -1);
        for (int i = 0; i < nv; ++i) {
            const double *row = LD + m->dof_packed[i];
            assert_close(row[0], U[i * nv + i] * U[i * nv + i], tolerance);
            int at = 1;
            for (int j = m->dof_parent[i]; j >= 0; j = m->dof_parent[j], ++at) {
                const double expected = U[j * nv + i] / U[i * nv + i];
                assert_near(row[at], expected, tolerance * fmax(1.0, fabs(expected)));
                U[j * nv + i] = 0.0;
            }
            for (int j = 0; j < i; ++j) { // no fill-in where the packed form has no place
                assert_near(U[j * nv + i], 0.0, tolerance * fmax(1.0, largest(M, nv * nv)));
            }
        }
        mechanism_end(&x);
    }
}

static void the_pivots_of_both_algorithms_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS / 3; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const dp_model *m = x.m;
        double LD[MAX_NV * MAX_NV];
        dp_crba(LD, x.d->scratch.composite, &x.d->kin, m, m->dof_armature);
        assert_int_equal(dp_tree_ldl_factor(LD, dp_model_branch(m)), -1);
        const double tolerance = SOLVED * condition(&x);
        dp_articulated_factor(&x.d->art, &x.d->kin, m, m->dof_armature, (dp_body_drag){NULL, 0.0});
        for (int k = 0; k < m->size.nv; ++k) {
            assert_near(x.d->art.inverse_pivot[k] * LD[m->dof_packed[k]], 1.0, tolerance);
        }
        mechanism_end(&x);
    }
}

static void momentum_is_the_sum_over_bodies_by_their_jacobians(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const dp_model *m = x.m;
        const int nv = m->size.nv;
        const double *v = dp_data_v(x.d);
        const dp_momentum got = dp_body_momentum(x.d, DP_WORLD);
        double mass = 0.0, kinetic = 0.0, J[6 * MAX_NV];
        dp_v3 moment = {0.0, 0.0, 0.0}, p = {0.0, 0.0, 0.0}, L = {0.0, 0.0, 0.0};
        for (int b = 1; b < m->size.nbody; ++b) {
            const dp_pose C = dp_inertial_pose(x.d, (dp_body_id){b});
            const dp_inertial I = dp_model_body(m, (dp_body_id){b}).inertial;
            dp_body_jacobian(J, x.d, (dp_body_id){b}, C.p);
            double V[6] = {0.0};
            for (int i = 0; i < 6; ++i) {
                for (int k = 0; k < nv; ++k) {
                    V[i] += J[i * nv + k] * v[k];
                }
            }
            const dp_v3 w = dp_quat_rotate_back(C.q, dp_v3_load(V)); // principal axes
            const dp_v3 spin = {I.moments.x * w.x, I.moments.y * w.y, I.moments.z * w.z};
            const dp_v3 push = dp_v3_scale(dp_v3_load(V + 3), I.mass);
            mass += I.mass;
            moment = dp_v3_madd(moment, I.mass, C.p);
            p = dp_v3_add(p, push);
            L = dp_v3_add(L, dp_v3_add(dp_quat_rotate(C.q, spin), dp_v3_cross(C.p, push)));
            kinetic += 0.5 * (dp_v3_dot(w, spin) + dp_v3_dot(dp_v3_load(V + 3), push));
        }
        for (int k = 0; k < nv; ++k) {
            kinetic += 0.5 * m->dof_armature[k] * v[k] * v[k];
        }
        const dp_v3 com = dp_v3_scale(moment, 1.0 / mass);
        L = dp_v3_sub(L, dp_v3_cross(com, p));
        const double size = fmax(1.0, kinetic);
        assert_near(got.mass, mass, SUMMED * mass);
        assert_near(dp_v3_norm(dp_v3_sub(got.com, com)), 0.0, SUMMED * 10.0);
        assert_near(dp_v3_norm(dp_v3_sub(got.linear, p)), 0.0, SUMMED * size);
        assert_near(dp_v3_norm(dp_v3_sub(got.angular, L)), 0.0, SUMMED * size);
        assert_near(dp_data_energy(x.d).kinetic, kinetic, SUMMED * size);
        mechanism_end(&x);
    }
}

// A subtree's momentum is a part of the whole, and the parts of the world make up the whole.
static void the_momenta_of_the_trees_make_up_that_of_the_world(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MECHANISMS / 3; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const dp_momentum all = dp_body_momentum(x.d, DP_WORLD);
        double mass = 0.0;
        dp_v3 linear = {0.0, 0.0, 0.0}, angular = {0.0, 0.0, 0.0};
        for (int b = 1; b < x.m->size.nbody; ++b) {
            if (x.m->body[b].parent == 0) {
                const dp_momentum part = dp_body_momentum(x.d, (dp_body_id){b});
                mass += part.mass;
                linear = dp_v3_add(linear, part.linear);
                const dp_v3 arm = dp_v3_sub(part.com, all.com);
                angular =
                    dp_v3_add(angular, dp_v3_add(part.angular, dp_v3_cross(arm, part.linear)));
            }
        }
        const double size = fmax(1.0, dp_data_energy(x.d).kinetic);
        assert_near(mass, all.mass, SUMMED * mass);
        assert_near(dp_v3_norm(dp_v3_sub(linear, all.linear)), 0.0, SUMMED * size);
        assert_near(dp_v3_norm(dp_v3_sub(angular, all.angular)), 0.0, SUMMED * size);
        mechanism_end(&x);
    }
}

// Euler's and Newton's laws, body by body: the bias force is what the rates of change of the
// bodies' momenta ask for while v stays, less their weights.
static void the_bias_force_is_the_rate_of_the_bodies_momenta_less_their_weight(void **state)
{
    (void)state;
    enum { MAX_BODIES = 16 };
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const dp_model *m = x.m;
        const int nv = m->size.nv;
        double c[MAX_NV], sum[MAX_NV] = {0.0}, q0[100], J[6 * MAX_NV];
        assert_ok(dp_bias_force(c, x.d));
        memcpy(q0, dp_data_q(x.d), (size_t)m->size.nq * sizeof *q0);

        // d/dt (R I Rᵀ ω) and d/dt (m v) of each body by Richardson's extrapolation.
        dp_wrench at[4][MAX_BODIES];
        const double t[4] = {2e-4, -2e-4, 1e-4, -1e-4};
        assert_true(m->size.nbody <= MAX_BODIES);
        for (int s = 0; s < 4; ++s) {
            dp_kin_advance(dp_data_q(x.d), m, q0, dp_data_v(x.d), t[s]);
            assert_ok(dp_kinematics(x.d));
            for (int b = 1; b < m->size.nbody; ++b) {
                const dp_pose C = dp_inertial_pose(x.d, (dp_body_id){b});
                const dp_v3 I = m->body[b].inertial.moments;
                const dp_twist V = dp_body_velocity(x.d, (dp_body_id){b});
                const dp_v3 w = dp_quat_rotate_back(C.q, V.w);
                const dp_v3 arm = dp_v3_sub(C.p, dp_body_pose(x.d, (dp_body_id){b}).p);
                at[s][b].t = dp_quat_rotate(C.q, (dp_v3){I.x * w.x, I.y * w.y, I.z * w.z});
                at[s][b].f = dp_v3_scale(dp_v3_add(V.v, dp_v3_cross(V.w, arm)), m->body[b].mass);
            }
        }
        mechanism_set(&x, q0, NULL);
        for (int b = 1; b < m->size.nbody; ++b) {
            const dp_v3 coarse_t = dp_v3_scale(dp_v3_sub(at[0][b].t, at[1][b].t), 1.0 / 4e-4);
            const dp_v3 coarse_f = dp_v3_scale(dp_v3_sub(at[0][b].f, at[1][b].f), 1.0 / 4e-4);
            const dp_v3 fine_t = dp_v3_scale(dp_v3_sub(at[2][b].t, at[3][b].t), 1.0 / 2e-4);
            const dp_v3 fine_f = dp_v3_scale(dp_v3_sub(at[2][b].f, at[3][b].f), 1.0 / 2e-4);
            const dp_v3 moment = dp_v3_scale(dp_v3_madd(coarse_t, -4.0, fine_t), -1.0 / 3.0);
            dp_v3 force = dp_v3_scale(dp_v3_madd(coarse_f, -4.0, fine_f), -1.0 / 3.0);
            force = dp_v3_madd(force, -m->body[b].mass, dp_data_options(x.d)->gravity);
            const double f[6] = {moment.x, moment.y, moment.z, force.x, force.y, force.z};
            dp_body_jacobian(J, x.d, (dp_body_id){b}, dp_inertial_pose(x.d, (dp_body_id){b}).p);
            for (int i = 0; i < 6; ++i) {
                for (int k = 0; k < nv; ++k) {
                    sum[k] += J[i * nv + k] * f[i];
                }
            }
        }
        // Truncation (1e-4)⁴·(30 rad/s)⁵ ≈ 1e-9, round-off 1e-16/1e-4, both relative to the forces.
        assert_all_near(c, sum, nv, 1e-8);
        mechanism_end(&x);
    }
}

// The power of all forces is the rate of change of energy: nothing is gained by velocity terms.
static void the_power_of_the_forces_is_the_rate_of_energy(void **state)
{
    (void)state;
    int skipped = 0;
    for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
        mechanism x = random_mechanism_at(seed);
        const dp_model *m = x.m;
        const int nv = m->size.nv;
        assert_ok(dp_forward(x.d));
        double power = 0.0, q0[100], v0[MAX_NV], a[MAX_NV];
        memcpy(q0, dp_data_q(x.d), (size_t)m->size.nq * sizeof *q0);
        memcpy(v0, dp_data_v(x.d), (size_t)nv * sizeof *v0);
        memcpy(a, dp_data_acceleration(x.d), (size_t)nv * sizeof *a);
        if (largest(a, nv) > 1e5) { // nearly singular: differences would be too coarse
            ++skipped;
            mechanism_end(&x);
            continue;
        }
        for (int k = 0; k < nv; ++k) {
            power +=
                (dp_data_actuation(x.d)[k] + dp_data_force(x.d)[k] - m->dof_damping[k] * v0[k]) *
                v0[k];
        }
        for (int b = 1; b < m->size.nbody; ++b) {
            const dp_twist V = dp_body_velocity(x.d, (dp_body_id){b});
            const dp_v3 arm = dp_v3_sub(dp_inertial_pose(x.d, (dp_body_id){b}).p,
                                        dp_body_pose(x.d, (dp_body_id){b}).p);
            power += dp_power(dp_twist_shift(V, arm), *dp_data_wrench(x.d, (dp_body_id){b}));
        }
        double E[4], v[MAX_NV];
        const double t[4] = {2e-4, -2e-4, 1e-4, -1e-4};
        for (int s = 0; s < 4; ++s) {
            for (int k = 0; k < nv; ++k) {
                v[k] = v0[k] + t[s] * a[k];
            }
            dp_kin_advance(dp_data_q(x.d), m, q0, v0, t[s]);
            mechanism_set(&x, NULL, v);
            E[s] = mechanism_energy(&x);
        }
        const double coarse = (E[0] - E[1]) / 4e-4, fine = (E[2] - E[3]) / 2e-4;
        // Truncation as above, where accelerations have a share too; round-off of E over 1e-4.
        const double size = fmax(1.0, fabs(E[0])) + fabs(power);
        assert_near((4.0 * fine - coarse) / 3.0, power, 1e-6 * size);
        mechanism_end(&x);
    }
    assert_in_range(skipped, 0, MECHANISMS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_dynamics_solve_the_equations_of_motion),
        cmocka_unit_test(inverse_dynamics_undo_forward_dynamics),
        cmocka_unit_test(the_acceleration_is_that_of_all_forces_together),
        cmocka_unit_test(the_inertia_matrix_is_the_hessian_of_kinetic_energy),
        cmocka_unit_test(inverse_dynamics_at_rest_without_weight_is_the_inertia_matrix),
        cmocka_unit_test(the_packed_factor_is_the_dense_one),
        cmocka_unit_test(the_pivots_of_both_algorithms_agree),
        cmocka_unit_test(momentum_is_the_sum_over_bodies_by_their_jacobians),
        cmocka_unit_test(the_momenta_of_the_trees_make_up_that_of_the_world),
        cmocka_unit_test(the_bias_force_is_the_rate_of_the_bodies_momenta_less_their_weight),
        cmocka_unit_test(the_power_of_the_forces_is_the_rate_of_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
