// Vectors, rotations, poses, screws and the exponential: identities that hold to round-off.
#include "near.h"

#include "math/exponential.h"
#include "math/spatial.h"

#include <float.h>

// Components are of order one and a claim takes some dozen operations.
static const double ROUND_OFF = 64.0 * DBL_EPSILON;

static random_source random_numbers = {.state = 2024};

static dp_v3 any_vector(void)
{
    return (dp_v3){random_between(&random_numbers, -1.0, 1.0),
                   random_between(&random_numbers, -1.0, 1.0),
                   random_between(&random_numbers, -1.0, 1.0)};
}

static dp_quat any_rotation(void)
{
    const dp_v3 u = any_vector();
    return dp_quat_unit((dp_quat){random_between(&random_numbers, -1.0, 1.0), u.x, u.y, u.z});
}

static dp_pose any_pose(void)
{
    return (dp_pose){any_rotation(), any_vector()};
}

static dp_twist any_twist(void)
{
    return (dp_twist){any_vector(), any_vector()};
}

static dp_wrench any_wrench(void)
{
    return (dp_wrench){any_vector(), any_vector()};
}

static void assert_same(dp_v3 actual, dp_v3 expected)
{
    assert_near(actual.x, expected.x, ROUND_OFF);
    assert_near(actual.y, expected.y, ROUND_OFF);
    assert_near(actual.z, expected.z, ROUND_OFF);
}

static void a_cross_product_is_orthogonal_right_handed_and_of_the_right_length(void **state)
{
    (void)state;
    assert_same(dp_v3_cross((dp_v3){1, 0, 0}, (dp_v3){0, 1, 0}), (dp_v3){0, 0, 1});
    for (int i = 0; i < 100; ++i) {
        const dp_v3 a = any_vector(), b = any_vector(), c = dp_v3_cross(a, b);
        assert_near(dp_v3_dot(a, c), 0.0, ROUND_OFF);
        assert_near(dp_v3_dot(b, c), 0.0, ROUND_OFF);
        const double ab = dp_v3_dot(a, b); // |a × b|² + (a·b)² = |a|²|b|²
        assert_near(dp_v3_dot(c, c) + ab * ab, dp_v3_dot(a, a) * dp_v3_dot(b, b), ROUND_OFF);
    }
}

static void a_quaternion_turns_x_into_y_for_a_quarter_turn_about_z(void **state)
{
    (void)state;
    const dp_quat q = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    assert_same(dp_quat_rotate(q, (dp_v3){1, 0, 0}), (dp_v3){0, 1, 0});
    assert_same(dp_quat_rotate_back(q, (dp_v3){0, 1, 0}), (dp_v3){1, 0, 0});
}

static void a_quaternion_and_its_matrix_turn_alike(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const dp_quat q = any_rotation();
        const dp_m3 R = dp_m3_from_quat(q);
        const dp_v3 x = any_vector();
        assert_same(dp_m3_apply(&R, x), dp_quat_rotate(q, x));
        assert_same(dp_m3_apply_transposed(&R, x), dp_quat_rotate_back(q, x));
        assert_same(dp_m3_column(&R, 1), dp_quat_rotate(q, (dp_v3){0, 1, 0}));
    }
}

static void a_product_turns_by_the_right_factor_first(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const dp_quat a = any_rotation(), b = any_rotation();
        const dp_m3 A = dp_m3_from_quat(a), B = dp_m3_from_quat(b), AB = dp_m3_mul(&A, &B);
        const dp_v3 x = any_vector();
        const dp_v3 expected = dp_quat_rotate(a, dp_quat_rotate(b, x));
        assert_same(dp_quat_rotate(dp_quat_mul(a, b), x), expected);
        assert_same(dp_m3_apply(&AB, x), expected);
    }
}

static void normalising_a_quaternion_keeps_its_direction_and_survives_zero(void **state)
{
    (void)state;
    const dp_quat q = dp_quat_unit((dp_quat){3.0, 0.0, 4.0, 0.0});
    assert_near(q.w, 0.6, ROUND_OFF);
    assert_near(q.y, 0.8, ROUND_OFF);
    const dp_quat none = dp_quat_unit((dp_quat){0.0, 0.0, 0.0, 0.0});
    assert_true(none.w == 1.0 && none.x == 0.0 && none.y == 0.0 && none.z == 0.0);
}

static void poses_compose_and_invert(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const dp_pose X_AB = any_pose(), X_BC = any_pose();
        const dp_v3 p = any_vector();
        assert_same(dp_pose_apply(dp_pose_mul(X_AB, X_BC), p),
                    dp_pose_apply(X_AB, dp_pose_apply(X_BC, p)));
        assert_same(dp_pose_apply(dp_pose_inverse(X_AB), dp_pose_apply(X_AB, p)), p);
    }
}

static void a_vector_is_finite_only_if_all_its_numbers_are(void **state)
{
    (void)state;
    assert_true(dp_v3_finite((dp_v3){1.0, DBL_MAX, 0.0}));
    assert_false(dp_v3_finite((dp_v3){1.0, 2.0, INFINITY}));
    assert_false(dp_v3_finite((dp_v3){NAN, 2.0, 3.0}));
}

// ---------------------------------------------------------------- screws

static void power_does_not_depend_on_the_point_it_is_taken_about(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const dp_twist s = any_twist();
        const dp_wrench f = any_wrench();
        const dp_v3 r = any_vector();
        // The twist moves by r to the new point; seen from there the old one lies at −r.
        const dp_wrench moved = dp_wrench_shift(f, dp_v3_scale(r, -1.0));
        assert_near(dp_power(dp_twist_shift(s, r), moved), dp_power(s, f), ROUND_OFF);
    }
}

static void the_two_cross_products_leave_power_invariant(void **state)
{
    (void)state;
    for (int i = 0; i < 100;
         ++i) { // d/dt (s·f) = 0 when both are carried along: (a×s)·f + s·(a×*f) = 0
        const dp_twist a = any_twist(), s = any_twist();
        const dp_wrench f = any_wrench();
        const double sum =
            dp_power(dp_twist_cross(a, s), f) + dp_power(s, dp_twist_cross_wrench(a, f));
        assert_near(sum, 0.0, ROUND_OFF);
    }
}

static dp_sym3 any_inertia(void)
{
    // Σ (|p|² I − p pᵀ) over a few points is an inertia, positive for points in general position.
    dp_sym3 I = {0};
    for (int i = 0; i < 4; ++i) {
        const dp_v3 p = any_vector();
        I.xx += p.y * p.y + p.z * p.z;
        I.yy += p.x * p.x + p.z * p.z;
        I.zz += p.x * p.x + p.y * p.y;
        I.xy -= p.x * p.y;
        I.xz -= p.x * p.z;
        I.yz -= p.y * p.z;
    }
    return I;
}

static void a_rotated_inertia_acts_on_rotated_vectors(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const dp_quat q = any_rotation();
        const dp_m3 R = dp_m3_from_quat(q);
        const dp_sym3 I = any_inertia();
        const dp_v3 w = any_vector();
        assert_same(dp_sym3_apply(dp_sym3_rotate(&R, I), dp_quat_rotate(q, w)),
                    dp_quat_rotate(q, dp_sym3_apply(I, w)));
    }
}

static void solving_undoes_applying(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        dp_sym3 I = any_inertia();
        I.xx += 0.1, I.yy += 0.1, I.zz += 0.1; // condition below 200
        const dp_v3 x = any_vector();
        const dp_v3 y = dp_sym3_solve(I, dp_sym3_apply(I, x));
        assert_near(y.x, x.x, 200.0 * ROUND_OFF);
        assert_near(y.y, x.y, 200.0 * ROUND_OFF);
        assert_near(y.z, x.z, 200.0 * ROUND_OFF);
    }
}

static void a_singular_inertia_gives_no_motion(void **state)
{
    (void)state;
    assert_same(dp_sym3_solve((dp_sym3){0}, (dp_v3){1, 2, 3}), (dp_v3){0, 0, 0});
}

// A rigid body made of points, about the origin.
typedef struct cloud {
    double m[5];
    dp_v3 p[5];
} cloud;

static cloud any_cloud(void)
{
    cloud c;
    for (int i = 0; i < 5; ++i) {
        c.m[i] = random_between(&random_numbers, 0.1, 1.0);
        c.p[i] = any_vector();
    }
    return c;
}

static dp_rigid_inertia inertia_of(const cloud *c)
{
    dp_rigid_inertia J = {0};
    for (int i = 0; i < 5; ++i) {
        const double m = c->m[i];
        const dp_v3 p = c->p[i];
        J.m += m;
        J.h = dp_v3_madd(J.h, m, p);
        J.I.xx += m * (p.y * p.y + p.z * p.z);
        J.I.yy += m * (p.x * p.x + p.z * p.z);
        J.I.zz += m * (p.x * p.x + p.y * p.y);
        J.I.xy -= m * p.x * p.y;
        J.I.xz -= m * p.x * p.z;
        J.I.yz -= m * p.y * p.z;
    }
    return J;
}

static void the_momentum_of_a_body_is_that_of_its_points(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const cloud c = any_cloud();
        const dp_rigid_inertia J = inertia_of(&c);
        const dp_twist s = any_twist();
        dp_wrench expected = {0};
        for (int k = 0; k < 5; ++k) {
            const dp_v3 momentum = dp_v3_scale(dp_twist_shift(s, c.p[k]).v, c.m[k]);
            expected.f = dp_v3_add(expected.f, momentum);
            expected.t = dp_v3_add(expected.t, dp_v3_cross(c.p[k], momentum));
        }
        const dp_wrench momentum = dp_rigid_inertia_apply(&J, s);
        assert_same(momentum.t, expected.t);
        assert_same(momentum.f, expected.f);
    }
}

static void accumulating_an_inertia_moves_it_to_the_other_point(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        cloud c = any_cloud();
        dp_rigid_inertia J = inertia_of(&c), sum = {0};
        const dp_v3 r = any_vector();
        dp_rigid_inertia_accumulate(&sum, &J, r);
        for (int k = 0; k < 5; ++k) {
            c.p[k] = dp_v3_add(c.p[k], r);
        }
        const dp_rigid_inertia expected = inertia_of(&c);
        assert_near(sum.m, expected.m, ROUND_OFF);
        assert_same(sum.h, expected.h);
        assert_same((dp_v3){sum.I.xx, sum.I.yy, sum.I.zz},
                    (dp_v3){expected.I.xx, expected.I.yy, expected.I.zz});
        assert_same((dp_v3){sum.I.xy, sum.I.xz, sum.I.yz},
                    (dp_v3){expected.I.xy, expected.I.xz, expected.I.yz});
    }
}

// ---------------------------------------------------------------- exponential

static void the_exponential_is_right_to_two_units_in_the_last_place(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; ++i) {
        const double x = random_between(&random_numbers, -1.0, 1.0) * (i % 2 ? 1.0 : 700.0);
        assert_near(ulps_between(dp_exp(x), expl((long double)x)), 0.0, 2.0);
    }
    assert_true(dp_exp(0.0) == 1.0);
}

static void the_exponential_neither_overflows_nor_goes_negative(void **state)
{
    (void)state;
    assert_true(dp_exp(-701.0) == 0.0);
    assert_true(dp_exp(-DBL_MAX) == 0.0);
    assert_true(dp_exp(DBL_MAX) == dp_exp(700.0));
    assert_true(isfinite(dp_exp(700.0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cross_product_is_orthogonal_right_handed_and_of_the_right_length),
        cmocka_unit_test(a_quaternion_turns_x_into_y_for_a_quarter_turn_about_z),
        cmocka_unit_test(a_quaternion_and_its_matrix_turn_alike),
        cmocka_unit_test(a_product_turns_by_the_right_factor_first),
        cmocka_unit_test(normalising_a_quaternion_keeps_its_direction_and_survives_zero),
        cmocka_unit_test(poses_compose_and_invert),
        cmocka_unit_test(a_vector_is_finite_only_if_all_its_numbers_are),
        cmocka_unit_test(power_does_not_depend_on_the_point_it_is_taken_about),
        cmocka_unit_test(the_two_cross_products_leave_power_invariant),
        cmocka_unit_test(a_rotated_inertia_acts_on_rotated_vectors),
        cmocka_unit_test(solving_undoes_applying),
        cmocka_unit_test(a_singular_inertia_gives_no_motion),
        cmocka_unit_test(the_momentum_of_a_body_is_that_of_its_points),
        cmocka_unit_test(accumulating_an_inertia_moves_it_to_the_other_point),
        cmocka_unit_test(the_exponential_is_right_to_two_units_in_the_last_place),
        cmocka_unit_test(the_exponential_neither_overflows_nor_goes_negative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
