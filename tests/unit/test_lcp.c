// Linear complementarity problems against what is plain: all bases one by one, solutions that the
// problem was made from, theorems.
#include "counting_allocator.h"
#include "lcp_draw.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 400 };

// Values of draws are about 1 and their bases up to about 1e4 badly conditioned; what the solver
// gives is exact to round-off. lcp_error and residuals are round-off themselves.
static const double ROUND_OFF = 1e-13, CONDITIONED = 1e-9;

static int draw_size(random_source *r, int most)
{
    return 1 + (int)(random_bits(r) % (uint64_t)most);
}

static void assert_solved(const drawn_lcp *x, const dp_lcp_info *info, int draw)
{
    if (info->outcome != DP_LCP_OUTCOME_SOLVED || !(info->residual <= ROUND_OFF) ||
        !(lcp_error(&x->p, x->z) <= ROUND_OFF)) {
        fail_msg("draw %d, %d variables: %s, residual %g, error %g", draw, x->p.n,
                 dp_lcp_outcome_name(info->outcome), info->residual, lcp_error(&x->p, x->z));
    }
}

// ---- against enumeration

static void the_one_solution_of_a_p_matrix_is_found(dp_lcp_method method, lcp_kind kind)
{
    for (int draw = 0; draw < DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)(1000 * draw + (int)kind)};
        drawn_lcp x = lcp_new(draw_size(&r, 8));
        lcp_draw_matrix(&x, kind, &r);
        lcp_draw_vector(&x, draw % 4 == 0, &r);
        const dp_lcp_info info = lcp_solve(&x, method);
        assert_solved(&x, &info, draw);
        assert_true(lcp_is_enumerated(&x.p, x.z, CONDITIONED));
        lcp_free(&x);
    }
}

static void every_method_solves_symmetric_positive_definite_problems(void **state)
{
    (void)state;
    for (dp_lcp_method method = DP_LCP_METHOD_AUTOMATIC; method <= DP_LCP_METHOD_PIVOTING;
         ++method) {
        the_one_solution_of_a_p_matrix_is_found(method, LCP_POSITIVE_DEFINITE);
    }
}

static void lemke_and_principal_pivoting_solve_every_p_matrix(void **state)
{
    (void)state;
    static const lcp_kind kind[] = {LCP_P, LCP_MONOTONE};
    for (size_t k = 0; k < 2; ++k) {
        the_one_solution_of_a_p_matrix_is_found(DP_LCP_METHOD_AUTOMATIC, kind[k]);
        the_one_solution_of_a_p_matrix_is_found(DP_LCP_METHOD_LEMKE, kind[k]);
        the_one_solution_of_a_p_matrix_is_found(DP_LCP_METHOD_PIVOTING, kind[k]);
    }
}

// [CottlePangStone2009, theorem 4.4.9 and corollary]
static void lemke_solves_every_strictly_copositive_problem(void **state)
{
    (void)state;
    for (int draw = 0; draw < DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(draw_size(&r, 8));
        lcp_draw_matrix(&x, LCP_COPOSITIVE, &r);
        lcp_draw_vector(&x, draw % 4 == 0, &r);
        const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_LEMKE);
        assert_solved(&x, &info, draw);
        assert_true(lcp_is_enumerated(&x.p, x.z, CONDITIONED));
        lcp_free(&x);
    }
}

// For positive semidefinite matrices a ray means that there is no solution, and only then.
static void a_semidefinite_problem_is_solved_or_proven_to_have_no_solution(void **state)
{
    (void)state;
    int solved = 0;
    for (int draw = 0; draw < 2 * DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(draw_size(&r, 8));
        lcp_draw_matrix(&x, draw % 2 == 0 ? LCP_SEMIDEFINITE : LCP_SKEW, &r);
        lcp_draw_vector(&x, false, &r);
        double z[8];
        const int solutions = lcp_enumerate(z, &x.p);
        const dp_lcp_info info =
            lcp_solve(&x, draw % 3 == 0 ? DP_LCP_METHOD_AUTOMATIC : DP_LCP_METHOD_LEMKE);
        if (solutions > 0) {
            assert_solved(&x, &info, draw);
            ++solved;
        } else {
            assert_int_equal(info.outcome, DP_LCP_OUTCOME_RAY);
            assert_true(info.infeasible);
            assert_int_equal(info.restarts, 0); // the proof ends the search
            assert_true(info.residual > 0.01 && info.residual <= 1.0);
        }
        lcp_free(&x);
    }
    assert_true(solved > DRAWS / 2 && solved < 2 * DRAWS - DRAWS / 8); // both were met
}

// M u = 0 with u ≥ 0, and qᵀu < 0: (M z + q)ᵀu = qᵀu cannot be ≥ 0, for M is symmetric.
static void a_problem_made_without_a_solution_ends_in_a_ray(void **state)
{
    (void)state;
    for (int draw = 0; draw < DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        const int n = 1 + draw_size(&r, 7);
        drawn_lcp x = lcp_new(n);
        double u[8], square = 0.0;
        for (int i = 0; i < n; ++i) {
            u[i] = random_between(&r, 0.2, 1.0);
            square += u[i] * u[i];
        }
        for (int i = 0; i < n; ++i) { // I − u uᵀ/uᵀu
            for (int j = 0; j < n; ++j) {
                x.M[i * n + j] = (i == j ? 1.0 : 0.0) - u[i] * u[j] / square;
            }
        }
        lcp_draw_vector(&x, false, &r);
        double along = 0.0;
        for (int i = 0; i < n; ++i) {
            along += x.q[i] * u[i];
        }
        for (int i = 0; i < n; ++i) { // qᵀu = −0.1 uᵀu
            x.q[i] -= (along / square + 0.1) * u[i];
        }
        const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_LEMKE);
        assert_int_equal(info.outcome, DP_LCP_OUTCOME_RAY);
        assert_true(info.infeasible);
        lcp_free(&x);
    }
}

// Whatever M is: what is called solved is a solution, what is proven impossible has none.
static void of_any_matrix_only_truth_is_told(void **state)
{
    (void)state;
    int outcomes[DP_LCP_OUTCOME_CONTRADICTORY + 1] = {0}, proven = 0, solvable = 0;
    for (int draw = 0; draw < 3 * DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(draw_size(&r, 7));
        lcp_draw_matrix(&x, LCP_GENERAL, &r);
        lcp_draw_vector(&x, draw % 3 == 0, &r);
        double z[7];
        const bool has_solution = lcp_enumerate(z, &x.p) > 0;
        const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_AUTOMATIC);
        if (info.outcome == DP_LCP_OUTCOME_SOLVED) {
            assert_solved(&x, &info, draw);
            assert_true(lcp_is_enumerated(&x.p, x.z, 1e-7)); // bases of any condition
        }
        assert_false(info.infeasible && has_solution);
        outcomes[info.outcome] += 1;
        proven += info.infeasible;
        solvable += has_solution;
        lcp_free(&x);
    }
    assert_true(outcomes[DP_LCP_OUTCOME_SOLVED] >
                solvable * 8 / 10); // Lemke's has no guarantee here
    assert_true(proven > 50 && outcomes[DP_LCP_OUTCOME_RAY] > proven);
}

// ---- ties

static void ties_do_not_stop_lemke_on_semidefinite_problems(void **state)
{
    (void)state;
    int solved = 0;
    for (int draw = 0; draw < 3 * DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(1 + draw_size(&r, 7));
        lcp_draw_whole(&x, x.p.n - 1, draw % 2 == 0, &r);
        lcp_draw_vector(&x, true, &r);
        double z[8];
        const bool has_solution = lcp_enumerate(z, &x.p) > 0;
        const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_LEMKE);
        if (info.outcome == DP_LCP_OUTCOME_SOLVED) {
            assert_solved(&x, &info, draw);
        } else {
            assert_int_equal(info.outcome, DP_LCP_OUTCOME_RAY);
        }
        assert_true(info.outcome == DP_LCP_OUTCOME_SOLVED || !has_solution);
        solved += has_solution;
        lcp_free(&x);
    }
    assert_true(solved > DRAWS);
}

// Circulant P matrices on which least-index rules cycle [Kostreva1979], with every ratio the same.
static void circulant_problems_with_equal_ratios_are_solved(void **state)
{
    (void)state;
    static const double M[2][9] = {{1, 2, 0, 0, 1, 2, 2, 0, 1}, {1, 0, 2, 2, 1, 0, 0, 2, 1}};
    for (int k = 0; k < 2; ++k) {
        for (dp_lcp_method method = DP_LCP_METHOD_AUTOMATIC; method <= DP_LCP_METHOD_PIVOTING;
             ++method) {
            drawn_lcp x = lcp_new(3);
            memcpy(x.M, M[k], sizeof M[k]);
            x.q[0] = x.q[1] = x.q[2] = -1.0;
            const dp_lcp_info info = lcp_solve(&x, method);
            assert_solved(&x, &info, k);
            for (int i = 0; i < 3; ++i) {
                assert_near(x.z[i], 1.0 / 3.0, 1e-15); // the sums of the rows are 3
            }
            lcp_free(&x);
        }
    }
}

// min cᵀx, A x ≤ b, x ≥ 0 and its dual as one problem with a skew matrix. On this one the simplex
// method cycles [Beale1955]; the optimum is −1/20 at x = (1/25, 0, 1, 0).
static void the_linear_program_on_which_the_simplex_method_cycles_is_solved(void **state)
{
    (void)state;
    static const double c[4] = {-0.75, 150.0, -0.02, 6.0}, b[3] = {0.0, 0.0, 1.0};
    static const double A[3][4] = {
        {0.25, -60.0, -0.04, 9.0}, {0.5, -90.0, -0.02, 3.0}, {0.0, 0.0, 1.0, 0.0}};
    drawn_lcp x = lcp_new(7);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            x.M[j * 7 + 4 + i] = A[i][j];
            x.M[(4 + i) * 7 + j] = -A[i][j];
        }
        x.q[4 + i] = b[i];
    }
    memcpy(x.q, c, sizeof c);
    const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_LEMKE);
    assert_solved(&x, &info, 0);
    assert_near(x.z[0], 0.04, 1e-14);
    assert_near(x.z[2], 1.0, 1e-14);
    assert_near(c[0] * x.z[0] + c[1] * x.z[1] + c[2] * x.z[2] + c[3] * x.z[3], -0.05, 1e-14);
    lcp_free(&x);
}

// M of ones on the diagonal and twos below, q_i = −2ⁿ − 2ⁿ⁻¹ − … − 2ⁿ⁻ⁱ⁺¹, d of ones: 2ⁿ pivots
// [Murty1978], [Cottle1980].
static void murtys_problem_takes_lemke_two_to_the_n_pivots(void **state)
{
    (void)state;
    for (int n = 2; n <= 12; ++n) {
        drawn_lcp x = lcp_new(n);
        double ones[12], q = 0.0;
        for (int i = 0; i < n; ++i) {
            ones[i] = 1.0;
            q -= ldexp(1.0, n - i);
            x.q[i] = q;
            for (int j = 0; j <= i; ++j) {
                x.M[i * n + j] = i == j ? 1.0 : 2.0;
            }
        }
        dp_lcp_options opt = dp_lcp_options_default();
        opt.method = DP_LCP_METHOD_LEMKE;
        opt.covering = ones;
        opt.restarts = 0;
        opt.max_pivots = 1 << n;
        const dp_lcp_solution out = {x.z, x.w, x.state};
        dp_lcp_info info;
        assert_int_equal(dp_lcp_solve(&out, &x.p, &opt, NULL, &info), DP_OK);
        assert_solved(&x, &info, n);
        assert_int_equal(info.pivots, 1 << n);

        opt.max_pivots = (1 << n) - 2; // one is not enough: the cap is reported
        assert_int_equal(dp_lcp_solve(&out, &x.p, &opt, NULL, &info), DP_OK);
        assert_int_equal(info.outcome, DP_LCP_OUTCOME_CAPPED);
        assert_true(info.residual > opt.tolerance && info.residual <= 1.0);
        lcp_free(&x);
    }
}

// ---- bounds, equations

// Over a box there is always a solution, and with d = 0 on the rows of the ranges no ray.
static void lemke_solves_every_problem_over_a_box(void **state)
{
    (void)state;
    for (int draw = 0; draw < 3 * DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(draw_size(&r, 6));
        lcp_draw_matrix(&x, (lcp_kind)(draw % LCP_KINDS), &r);
        lcp_draw_vector(&x, draw % 4 == 0, &r);
        x.p.lo = x.lo;
        x.p.hi = x.hi;
        for (int i = 0; i < x.p.n; ++i) {
            x.lo[i] = random_between(&r, -1.0, 1.0);
            x.hi[i] = x.lo[i] + random_between(&r, 0.0, 1.0);
        }
        const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_LEMKE);
        assert_solved(&x, &info, draw);
        if (draw % LCP_KINDS != LCP_SEMIDEFINITE && draw % LCP_KINDS != LCP_SKEW) {
            assert_true(lcp_is_enumerated(&x.p, x.z, 1e-7)); // bases of any condition
        }
        lcp_free(&x);
    }
}

// Any mixture of free, fixed, one- and two-sided variables; P matrices, so that all are solvable.
static void mixed_problems_agree_with_enumeration(void **state)
{
    (void)state;
    const double inf = (double)INFINITY;
    for (int draw = 0; draw < 3 * DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(draw_size(&r, 6));
        static const lcp_kind kind[] = {LCP_POSITIVE_DEFINITE, LCP_P, LCP_MONOTONE};
        lcp_draw_matrix(&x, kind[draw % 3], &r);
        lcp_draw_vector(&x, draw % 4 == 0, &r);
        x.p.lo = x.lo;
        x.p.hi = x.hi;
        for (int i = 0; i < x.p.n; ++i) {
            const double a = random_between(&r, -1.0, 1.0), width = random_between(&r, 0.1, 1.0);
            const double lo[] = {0.0, -inf, a, -inf, a}, hi[] = {inf, inf, a + width, a, a};
            const int k = (int)(random_bits(&r) % 5);
            x.lo[i] = lo[k];
            x.hi[i] = hi[k];
        }
        const dp_lcp_info info = lcp_solve(&x, (dp_lcp_method)(draw / 3 % 3));
        assert_solved(&x, &info, draw);
        assert_true(lcp_is_enumerated(&x.p, x.z, CONDITIONED));
        for (int i = 0; i < x.p.n; ++i) { // the state is what z says
            assert_true(x.state[i] != DP_LCP_STATE_AT_LO || x.z[i] == x.lo[i]);
            assert_true(x.state[i] != DP_LCP_STATE_AT_HI || x.z[i] == x.hi[i]);
            assert_true(x.state[i] != DP_LCP_STATE_BETWEEN || fabs(x.w[i]) <= 1e-13);
        }
        lcp_free(&x);
    }
}

// min ½ xᵀH x + cᵀx over x ≥ 0, G x ≥ g, E x = f, with its multipliers. c, g and f are made from a
// solution; with H positive definite it is the only x.
static void convex_quadratic_programs_have_the_x_that_they_were_made_from(void **state)
{
    (void)state;
    enum { X = 6, MOST_G = 4, MOST_E = 2 };
    for (int draw = 0; draw < DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        const int ng = (int)(random_bits(&r) % (MOST_G + 1));
        const int ne = (int)(random_bits(&r) % (MOST_E + 1));
        const int n = X + ng + ne;
        drawn_lcp h = lcp_new(X), x = lcp_new(n);
        lcp_draw_matrix(&h, LCP_POSITIVE_DEFINITE, &r);
        for (int i = 0; i < X; ++i) {
            for (int j = 0; j < X; ++j) {
                x.M[i * n + j] = h.M[i * X + j];
            }
        }
        for (int k = X; k < n; ++k) {
            for (int j = 0; j < X; ++j) {
                const double g = random_between(&r, -1.0, 1.0);
                x.M[k * n + j] = g;
                x.M[j * n + k] = -g;
            }
        }
        x.p.lo = x.lo;
        for (int k = X + ng; k < n; ++k) {
            x.lo[k] = -(double)INFINITY;
        }
        lcp_draw_solution(&x, &r);
        double made[X + MOST_G + MOST_E];
        memcpy(made, x.z, (size_t)n * sizeof *made);
        const dp_lcp_info info =
            lcp_solve(&x, draw % 2 == 0 ? DP_LCP_METHOD_LEMKE : DP_LCP_METHOD_AUTOMATIC);
        assert_solved(&x, &info, draw);
        for (int i = 0; i < X; ++i) {
            assert_near(x.z[i], made[i], CONDITIONED);
        }
        lcp_free(&h);
        lcp_free(&x);
    }
}

// Equations between bounded variables alone: x ≥ 0, E x = f, no H at all; the multipliers of E are
// free and their block of M is zero. The least cᵀx over a simplex is the least c.
static void multipliers_of_a_linear_program_are_eliminated(void **state)
{
    (void)state;
    enum { X = 5, N = X + 1 };
    for (int draw = 0; draw < DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(N);
        double least = (double)INFINITY;
        for (int j = 0; j < X; ++j) {
            x.M[X * N + j] = 1.0;
            x.M[j * N + X] = -1.0;
            x.q[j] = random_between(&r, -1.0, 1.0);
            least = fmin(least, x.q[j]);
        }
        x.q[X] = -1.0;
        x.p.lo = x.lo;
        x.lo[X] = -(double)INFINITY;
        const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_LEMKE);
        assert_solved(&x, &info, draw);
        assert_near(x.z[X], least, 1e-14);
        lcp_free(&x);
    }
}

// A row said twice changes nothing but is reported; said twice with different numbers, that is
// reported.
static void dependent_rows_are_dropped_and_contradictions_told(void **state)
{
    (void)state;
    enum { N = 5 }; // two velocities, two copies of one joint, one contact
    static const double joint[2] = {1.0, -1.0}, contact[2] = {0.0, 1.0}, v_free[2] = {-1.0, -3.0};
    for (int k = 0; k < 2; ++k) {
        drawn_lcp x = lcp_new(N);
        x.p.lo = x.lo;
        for (int i = 0; i < 4; ++i) {
            x.lo[i] = -(double)INFINITY;
        }
        for (int i = 0; i < 2; ++i) {
            x.M[i * N + i] = i == 0 ? -2.0 : -0.5; // −m
            x.q[i] = -x.M[i * N + i] * v_free[i];
            for (int copy = 0; copy < 2; ++copy) {
                x.M[i * N + 2 + copy] = x.M[(2 + copy) * N + i] = (1.0 + copy) * joint[i];
            }
            x.M[i * N + 4] = x.M[4 * N + i] = contact[i];
        }
        x.q[3] = k == 0 ? 0.0 : 0.25;
        const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_AUTOMATIC);
        assert_int_equal(info.dependent, 1);
        assert_true((x.state[2] == DP_LCP_STATE_DEPENDENT) !=
                    (x.state[3] == DP_LCP_STATE_DEPENDENT));
        if (k == 0) { // both masses stop: 2·1 + 0.5·3 N s from the contact, 2 through the joint
            assert_solved(&x, &info, k);
            assert_near(x.z[0], 0.0, 1e-15);
            assert_near(x.z[1], 0.0, 1e-15);
            assert_near(x.z[2] + 2.0 * x.z[3], 2.0, 1e-14);
            assert_near(x.z[4], 3.5, 1e-14);
        } else {
            assert_int_equal(info.outcome, DP_LCP_OUTCOME_CONTRADICTORY);
            assert_true(info.inconsistent > 1e-3);
            assert_false(info.infeasible);
        }
        lcp_free(&x);
    }
}

// ---- scales

// z of a problem whose rows and columns were multiplied by anything is that of the problem over
// the factors of the columns.
static void scales_of_rows_and_columns_change_nothing_but_the_units(void **state)
{
    (void)state;
    static const int exponent[] = {20, 330};
    static const lcp_kind kind[] = {LCP_POSITIVE_DEFINITE, LCP_P, LCP_MONOTONE};
    for (int draw = 0; draw < 2 * DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(draw_size(&r, 8));
        const int n = x.p.n, most = exponent[draw % 2]; // up to 2^660 in M
        lcp_draw_matrix(&x, kind[draw / 2 % 3], &r);
        lcp_draw_vector(&x, false, &r);
        dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_AUTOMATIC);
        assert_solved(&x, &info, draw);
        double plain[8];
        memcpy(plain, x.z, (size_t)n * sizeof *plain);
        int column[8];
        for (int i = 0; i < n; ++i) {
            const int row = (int)random_between(&r, -most, most);
            column[i] = (int)random_between(&r, -most, most);
            x.q[i] = ldexp(x.q[i], row);
            for (int j = 0; j < n; ++j) {
                x.M[i * n + j] = ldexp(x.M[i * n + j], row);
                x.M[j * n + i] = ldexp(x.M[j * n + i], column[i]);
            }
        }
        info = lcp_solve(&x, draw % 3 == 0 ? DP_LCP_METHOD_LEMKE : DP_LCP_METHOD_AUTOMATIC);
        assert_int_equal(info.outcome, DP_LCP_OUTCOME_SOLVED);
        assert_true(info.residual <= ROUND_OFF);
        for (int i = 0; i < n; ++i) {
            assert_near(ldexp(x.z[i], column[i]), plain[i], CONDITIONED * fmax(1.0, plain[i]));
        }
        lcp_free(&x);
    }
}

static void whatever_the_numbers_nothing_is_nan_and_no_bad_residual_is_called_solved(void **state)
{
    (void)state;
    static const double odd[] = {0.0,    1.0,     -1.0,  5e-324, -5e-324, 1e308, -1e308, DBL_MIN,
                                 1e-200, -1e-200, 1e200, -1e200, 1e-16,   3.0,   -2.0,   DBL_MAX};
    enum { ODD = sizeof odd / sizeof *odd };
    int solved = 0;
    for (int draw = 0; draw < 6 * DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(draw_size(&r, 6));
        const int n = x.p.n;
        for (int k = 0; k < n * n; ++k) {
            x.M[k] = odd[random_bits(&r) % ODD];
        }
        for (int i = 0; i < n; ++i) {
            x.q[i] = odd[random_bits(&r) % ODD];
            const double a = odd[random_bits(&r) % ODD], b = odd[random_bits(&r) % ODD];
            x.lo[i] = random_bits(&r) % 4 == 0 ? -(double)INFINITY : fmin(a, b);
            x.hi[i] = random_bits(&r) % 2 == 0 ? (double)INFINITY : fmax(a, b);
        }
        if (draw % 2 == 0) {
            x.p.lo = x.lo;
            x.p.hi = x.hi;
        }
        const dp_lcp_info info = lcp_solve(&x, (dp_lcp_method)(draw % 3));
        for (int i = 0; i < n; ++i) {
            assert_true(isfinite(x.z[i]) && isfinite(x.w[i]));
            assert_true(x.z[i] >= (x.p.lo ? x.lo[i] : 0.0));
            assert_true(!x.p.hi || x.z[i] <= x.hi[i]);
        }
        int scratch[4 * 6];
        assert_true(info.residual == dp_lcp_residual(&x.p, x.z, NULL, scratch));
        assert_true(info.outcome != DP_LCP_OUTCOME_SOLVED ||
                    info.residual <= dp_lcp_options_default().tolerance);
        solved += info.outcome == DP_LCP_OUTCOME_SOLVED;
        lcp_free(&x);
    }
    assert_true(solved > DRAWS);
}

static void the_residual_is_what_elements_must_change_to_make_z_a_solution(void **state)
{
    (void)state;
    const double M[4] = {2.0, 1.0, 0.0, 4.0}, q[2] = {-3.0, -8.0};
    const dp_lcp p = {.n = 2, .M = M, .q = q};
    double w[2];
    int scratch[8];
    assert_near(dp_lcp_residual(&p, (double[]){0.5, 2.0}, w, scratch), 0.0, 0.0);
    assert_near(w[0], 0.0, 0.0);
    // w₁ = 4·2.5 − 8 = 2 of terms of 18, w₀ = 0.5 of 6.5
    assert_near(dp_lcp_residual(&p, (double[]){0.5, 2.5}, w, scratch), 2.0 / 18.0, 1e-16);
    assert_near(w[1], 2.0, 0.0);
    // w₀ = −1 of 5
    assert_near(dp_lcp_residual(&p, (double[]){0.0, 2.0}, w, scratch), 1.0 / 5.0, 1e-16);
    assert_true(isinf(dp_lcp_residual(&p, (double[]){-1e-300, 2.0}, NULL, scratch)));
    assert_true(isinf(dp_lcp_residual(&p, (double[]){(double)NAN, 2.0}, NULL, scratch)));
    const double huge[4] = {1e300, 0.0, 0.0, 1e-300}, far[2] = {-1e300, -1e-300};
    const dp_lcp wide = {.n = 2, .M = huge, .q = far};
    assert_near(dp_lcp_residual(&wide, (double[]){1.0, 1.0}, w, scratch), 0.0, 0.0);
    assert_near(dp_lcp_residual(&wide, (double[]){1.0, 3.0}, w, scratch), 0.5, 1e-15); // 2 of 4
    assert_near(dp_lcp_residual(&wide, (double[]){1e200, 1.0}, w, scratch), 1.0, 1e-15);
    assert_near(w[0], DBL_MAX, 0.0);
}

// Friction of a contact at rest: the normal impulse is 1, the tangential speed is round-off, and so
// are the impulses against it. Row 3 says how large they might be.
static void round_off_in_a_row_of_nothing_is_no_error(void **state)
{
    (void)state;
    const double M[16] = {1.0, 0.0,  0.0, 0.0, 0.0, 1.0,  -1.0, 1.0,
                          0.0, -1.0, 1.0, 1.0, 0.5, -1.0, -1.0, 0.0};
    const double q[4] = {-1.0, 1e-20, -1e-20, 0.0};
    const dp_lcp p = {.n = 4, .M = M, .q = q};
    int scratch[16];
    // w₂ = −1e-20, beside 2⁻¹⁶ of 0.5 to within powers of two
    const double residual = dp_lcp_residual(&p, (double[]){1.0, 0.0, 0.0, 0.0}, NULL, scratch);
    assert_true(residual > 1e-16 && residual < 1e-14);
    // the same miss where nothing larger is near
    const double alone[1] = {1.0}, small[1] = {-1e-20};
    const dp_lcp one = {.n = 1, .M = alone, .q = small};
    assert_near(dp_lcp_residual(&one, (double[]){0.0}, NULL, scratch), 1.0, 0.0);
}

// ---- the call

static void nothing_to_solve_is_solved(void **state)
{
    (void)state;
    dp_lcp_info info;
    const dp_lcp none = {0};
    assert_int_equal(dp_lcp_solve(&(dp_lcp_solution){0}, &none, NULL, NULL, &info), DP_OK);
    assert_int_equal(info.outcome, DP_LCP_OUTCOME_SOLVED);
    // all free, all fixed
    for (int k = 0; k < 2; ++k) {
        const double end = k == 0 ? (double)INFINITY : 3.0;
        const double M = 2.0, q = -5.0, lo = k == 0 ? -end : end, hi = end;
        for (dp_lcp_method method = DP_LCP_METHOD_AUTOMATIC; method <= DP_LCP_METHOD_PIVOTING;
             ++method) {
            dp_lcp_options opt = dp_lcp_options_default();
            opt.method = method;
            double z;
            const dp_lcp p = {1, &M, &q, &lo, &hi};
            assert_int_equal(dp_lcp_solve(&(dp_lcp_solution){.z = &z}, &p, &opt, NULL, &info),
                             DP_OK);
            assert_int_equal(info.outcome, DP_LCP_OUTCOME_SOLVED);
            assert_near(z, k == 0 ? 2.5 : 3.0, 0.0);
        }
    }
}

static void bad_problems_and_options_are_refused_with_their_place(void **state)
{
    (void)state;
    const double M[4] = {1.0, 0.0, 0.0, 1.0}, bad_M[4] = {1.0, 0.0, (double)NAN, 1.0};
    const double q[2] = {-1.0, -1.0}, bad_q[2] = {0.0, (double)INFINITY};
    const double lo[2] = {0.0, 2.0}, hi[2] = {1.0, 1.0}, inf[2] = {0.0, (double)INFINITY};
    const double minus[2] = {0.0, -(double)INFINITY}, nan[2] = {(double)NAN, 1.0};
    const double zero[2] = {1.0, 0.0};
    const dp_lcp_options plain = dp_lcp_options_default();
    dp_lcp_options o[6];
    for (int i = 0; i < 6; ++i) {
        o[i] = plain;
    }
    o[0].tolerance = 0.0;
    o[1].threshold = 1.0;
    o[2].restarts = -1;
    o[3].covering = zero;
    o[4].method = (dp_lcp_method)7;
    o[5].max_pivots = -3;
    const struct {
        dp_lcp p;
        const dp_lcp_options *opt;
        const char *message;
    } cases[] = {
        {{-1, M, q, NULL, NULL}, NULL, "n is -1 (expected 0 or more)"},
        {{2, bad_M, q, NULL, NULL}, NULL, "M(1, 0) is nan (expected a finite number)"},
        {{2, M, bad_q, NULL, NULL}, NULL, "q[1] is inf (expected a finite number)"},
        {{2, M, q, lo, hi}, NULL, "hi[1] is 1 (expected no less than lo, 2)"},
        {{2, M, q, inf, NULL}, NULL, "lo[1] is inf (expected a number or -inf)"},
        {{2, M, q, NULL, minus}, NULL, "hi[1] is -inf (expected a number or inf)"},
        {{2, M, q, nan, NULL}, NULL, "lo[0] is nan (expected a number or -inf)"},
        {{2, M, q, NULL, nan}, NULL, "hi[0] is nan (expected a number or inf)"},
        {{2, M, q, NULL, NULL}, &o[0], "tolerance is 0 (expected a number between 0 and 1)"},
        {{2, M, q, NULL, NULL}, &o[1], "threshold is 1 (expected a number between 0 and 1)"},
        {{2, M, q, NULL, NULL}, &o[2], "restarts is -1 (expected 0 or more)"},
        {{2, M, q, NULL, NULL}, &o[3], "covering[1] is 0 (expected a positive number)"},
        {{2, M, q, NULL, NULL}, &o[4], "method is 7 (expected 0 to 2)"},
        {{2, M, q, NULL, NULL}, &o[5], "max_pivots is -3 (expected 0 or more)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double z[2] = {7.0, 7.0};
        dp_lcp_info info;
        assert_int_equal(
            dp_lcp_solve(&(dp_lcp_solution){.z = z}, &cases[i].p, cases[i].opt, NULL, &info),
            DP_ERROR_ARGUMENT);
        assert_string_equal(dp_last_error(), cases[i].message);
        assert_true(z[0] == 7.0 && info.outcome != DP_LCP_OUTCOME_SOLVED);
    }
}

static void options_are_set_by_name(void **state)
{
    (void)state;
    dp_lcp_options o = dp_lcp_options_default();
    assert_int_equal(dp_lcp_options_set(&o, "lcp.method", "pivoting"), DP_OK);
    assert_int_equal(o.method, DP_LCP_METHOD_PIVOTING);
    assert_int_equal(dp_lcp_options_set(&o, "tolerance", "1e-8"), DP_OK);
    assert_int_equal(dp_lcp_options_set(&o, "threshold", "0.01"), DP_OK);
    assert_int_equal(dp_lcp_options_set(&o, "max_pivots", "17"), DP_OK);
    assert_int_equal(dp_lcp_options_set(&o, "lcp.restarts", "0"), DP_OK);
    assert_int_equal(dp_lcp_options_set(&o, "seed", "5"), DP_OK);
    assert_true(o.tolerance == 1e-8 && o.threshold == 0.01 && o.max_pivots == 17);
    assert_true(o.restarts == 0 && o.seed == 5);
    static const char *const bad[][3] = {
        {"method", "simplex",
         "method: 'simplex' is unknown (expected automatic, lemke or "
         "pivoting)"},
        {"tolerance", "2", "tolerance: '2' is too large (expected less than 1)"},
        {"tolerance", "-1", "tolerance: '-1' is not a positive number"},
        {"restarts", "many", "restarts: 'many' is not a whole number"},
        {"speed", "1", "unknown option 'speed' (expected lcp.method, "},
    };
    const dp_lcp_options before = o;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(dp_lcp_options_set(&o, bad[i][0], bad[i][1]), DP_ERROR_ARGUMENT);
        assert_memory_equal(dp_last_error(), bad[i][2], strlen(bad[i][2]));
    }
    assert_true(o.method == before.method && o.tolerance == before.tolerance);
    for (int i = 0; i < dp_lcp_options_name_count(); ++i) {
        assert_memory_equal(dp_lcp_options_name(i), "lcp.", 4);
    }
    assert_string_equal(dp_lcp_options_name(-1), "");
    assert_string_equal(dp_lcp_method_name((dp_lcp_method)9), "unknown");
    assert_string_equal(dp_lcp_outcome_name(DP_LCP_OUTCOME_CAPPED), "capped");
}

static void each_allocation_may_fail_in_turn(void **state)
{
    (void)state;
    random_source r = {.state = 3};
    drawn_lcp x = lcp_new(6);
    lcp_draw_matrix(&x, LCP_GENERAL, &r); // no method solves it: all are tried
    x.M[0] = 0.0;
    x.p.lo = x.lo;
    x.p.hi = x.hi;
    x.lo[1] = -(double)INFINITY;
    x.hi[2] = 1.0;
    for (int i = 0; i < 6; ++i) {
        x.q[i] = -1.0;
    }
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_lcp_info info;
    const dp_lcp_solution out = {x.z, x.w, x.state};
    assert_int_equal(dp_lcp_solve(&out, &x.p, NULL, &allocator, &info), DP_OK);
    const size_t calls = counts.calls;
    assert_int_equal(calls, 1); // one block for all methods and starts
    assert_int_equal(counts.blocks, 0);
    for (size_t k = 1; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        x.z[0] = 7.0;
        assert_int_equal(dp_lcp_solve(&out, &x.p, NULL, &allocator, &info), DP_ERROR_MEMORY);
        assert_true(x.z[0] == 7.0);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
    }
    lcp_free(&x);
}

// Any matrix, any bounds, and a q that some z makes a solution to round-off, not seldom with every
// variable at an end: what is left of rows there is no proof that they cannot be met.
static void what_has_a_solution_is_never_proven_to_have_none(void **state)
{
    (void)state;
    const double inf = (double)INFINITY;
    int solved = 0;
    for (int draw = 0; draw < 20 * DRAWS; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new(draw_size(&r, 5));
        lcp_draw_matrix(&x, LCP_GENERAL, &r);
        x.p.lo = x.lo;
        x.p.hi = x.hi;
        for (int i = 0; i < x.p.n; ++i) {
            const double a = random_between(&r, -1.0, 1.0), width = random_between(&r, 0.1, 1.0);
            const double lo[] = {0.0, -inf, a, -inf, a, a}, hi[] = {inf, inf, a + width, a, a, inf};
            const int k = (int)(random_bits(&r) % 6);
            x.lo[i] = lo[k];
            x.hi[i] = hi[k];
        }
        lcp_draw_solution(&x, &r);
        for (int i = 0; draw % 2 == 0 && i < x.p.n; ++i) { // all at an end, and all rows at rest
            x.z[i] = isfinite(x.lo[i]) ? x.lo[i] : isfinite(x.hi[i]) ? x.hi[i] : x.z[i];
        }
        for (int i = 0; draw % 2 == 0 && i < x.p.n; ++i) {
            x.q[i] = 0.0;
            for (int j = 0; j < x.p.n; ++j) {
                x.q[i] -= x.M[i * x.p.n + j] * x.z[j];
            }
        }
        const dp_lcp_info info = lcp_solve(&x, DP_LCP_METHOD_AUTOMATIC);
        assert_false(info.infeasible);
        assert_true(info.outcome == DP_LCP_OUTCOME_SOLVED || info.residual > 1e-10);
        solved += info.outcome == DP_LCP_OUTCOME_SOLVED;
        lcp_free(&x);
    }
    assert_true(solved > 19 * DRAWS);
}

// M_i ≤ 0 and q_i < 0 with z ≥ 0, by every method; and the same from above, with other ends.
static void a_row_that_no_z_can_meet_proves_that_there_is_no_solution(void **state)
{
    (void)state;
    random_source r = {91};
    for (int k = 0; k < 240; ++k) {
        const int n = 2 + (int)random_between(&r, 0.0, 7.99), bad = (int)random_between(&r, 0.0, n);
        drawn_lcp x = lcp_new(n);
        lcp_draw_matrix(&x, LCP_GENERAL, &r);
        lcp_draw_vector(&x, false, &r);
        const double sign = k % 2 ? 1.0 : -1.0;
        for (int j = 0; j < n; ++j) {
            x.M[bad * n + j] = sign * fabs(x.M[bad * n + j]);
            x.lo[j] = k % 2 ? (j == bad ? -(double)INFINITY : 0.0) : 0.0;
            x.hi[j] = k % 2 ? (j == bad ? 0.0 : 3.0) : (double)INFINITY;
        }
        x.M[bad * n + bad] = k % 2 ? -fabs(x.M[bad * n + bad]) : x.M[bad * n + bad];
        x.q[bad] = sign * (0.1 + fabs(x.q[bad]));
        x.p.lo = x.lo;
        x.p.hi = x.hi;
        const dp_lcp_info info = lcp_solve(&x, (dp_lcp_method)(k / 2 % 3));
        assert_int_equal(info.outcome, DP_LCP_OUTCOME_RAY);
        assert_true(info.infeasible);
        lcp_free(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_solves_symmetric_positive_definite_problems),
        cmocka_unit_test(lemke_and_principal_pivoting_solve_every_p_matrix),
        cmocka_unit_test(lemke_solves_every_strictly_copositive_problem),
        cmocka_unit_test(a_semidefinite_problem_is_solved_or_proven_to_have_no_solution),
        cmocka_unit_test(a_problem_made_without_a_solution_ends_in_a_ray),
        cmocka_unit_test(of_any_matrix_only_truth_is_told),
        cmocka_unit_test(ties_do_not_stop_lemke_on_semidefinite_problems),
        cmocka_unit_test(circulant_problems_with_equal_ratios_are_solved),
        cmocka_unit_test(the_linear_program_on_which_the_simplex_method_cycles_is_solved),
        cmocka_unit_test(murtys_problem_takes_lemke_two_to_the_n_pivots),
        cmocka_unit_test(lemke_solves_every_problem_over_a_box),
        cmocka_unit_test(mixed_problems_agree_with_enumeration),
        cmocka_unit_test(convex_quadratic_programs_have_the_x_that_they_were_made_from),
        cmocka_unit_test(multipliers_of_a_linear_program_are_eliminated),
        cmocka_unit_test(dependent_rows_are_dropped_and_contradictions_told),
        cmocka_unit_test(scales_of_rows_and_columns_change_nothing_but_the_units),
        cmocka_unit_test(whatever_the_numbers_nothing_is_nan_and_no_bad_residual_is_called_solved),
        cmocka_unit_test(the_residual_is_what_elements_must_change_to_make_z_a_solution),
        cmocka_unit_test(round_off_in_a_row_of_nothing_is_no_error),
        cmocka_unit_test(nothing_to_solve_is_solved),
        cmocka_unit_test(bad_problems_and_options_are_refused_with_their_place),
        cmocka_unit_test(options_are_set_by_name),
        cmocka_unit_test(what_has_a_solution_is_never_proven_to_have_none),
        cmocka_unit_test(a_row_that_no_z_can_meet_proves_that_there_is_no_solution),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
