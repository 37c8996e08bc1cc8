// The law `vi` where some contacts have friction rows and no friction: of all impulses that carry a
// load it has the least ones, against answers in long double. Theorem 4.1 of
// [PreclikRuedePopa2011].
#include "law_problem.h"

#include <math.h>
#include <string.h>

static const double h = 0.01;
enum { BODY = 6, MOST_LEGS = 9, MOST_ROWS = 6 };
static const double mass = 2.0, inertia[3] = {0.7, 1.1, 0.9};

static dp_law_options vi_options(void)
{
    dp_law_options opt = dp_law_options_default();
    opt.law = DP_LAW_VI;
    return opt;
}

static void add_body(law_problem *lp, const double v[BODY])
{
    for (int i = 0; i < BODY; ++i) {
        law_problem_particle(lp, i < 3 ? mass : inertia[i - 3], v[i]);
    }
}

// Rows of a force along z, x and y at r, and of moments about z, x and y.
static dp_row *add_leg(law_problem *lp, int nrow, const double r[3], const dp_friction *friction)
{
    const double G[MOST_ROWS][BODY] = {{0, 0, 1, r[1], -r[0], 0}, {1, 0, 0, 0, r[2], -r[1]},
                                       {0, 1, 0, -r[2], 0, r[0]}, {0, 0, 0, 0, 0, 1},
                                       {0, 0, 0, 1, 0, 0},        {0, 0, 0, 0, 1, 0}};
    static const int col[BODY] = {0, 1, 2, 3, 4, 5};
    return law_problem_contact(lp, nrow, BODY, col, &G[0][0], friction);
}

// What a load of `force` N at (x, y) does to a body in a step.
static void press(double v[BODY], double force, double x, double y)
{
    const double p = -force * h;
    memset(v, 0, BODY * sizeof *v);
    v[2] = p / mass;
    v[3] = y * p / inertia[0];
    v[4] = -x * p / inertia[1];
}

// ---- answers

// The N ≥ 0 of least Σ D N² with Σ N (1, y, −x) = load: of every set of legs that push those of
// minimum norm, until none pulls and none of the others would push. @return false: no set will do
static bool least_loads(long double *N, int n, double (*at)[3], const double *D,
                        const long double load[3])
{
    for (int set = (1 << n) - 1; set > 0; --set) {
        long double A[3][4] = {{0.0L}}, y[3];
        for (int i = 0; i < n; ++i) {
            const long double g[3] = {1.0L, at[i][1], -at[i][0]};
            for (int k = 0; (set >> i & 1) && k < 9; ++k) {
                A[k / 3][k % 3] += g[k / 3] * g[k % 3] / D[i];
            }
        }
        bool regular = true;
        for (int k = 0; k < 3; ++k) {
            A[k][3] = load[k];
        }
        for (int k = 0; k < 3 && regular; ++k) { // Gauss and Jordan
            int p = k;
            for (int i = k; i < 3; ++i) {
                p = fabsl(A[i][k]) > fabsl(A[p][k]) ? i : p;
            }
            regular = fabsl(A[p][k]) > 1e-12L;
            for (int j = 0; j < 4; ++j) {
                const long double t = A[k][j];
                A[k][j] = A[p][j];
                A[p][j] = t;
            }
            for (int i = 0; i < 3 && regular; ++i) {
                const long double f = i == k ? 0.0L : A[i][k] / A[k][k];
                for (int j = 0; j < 4; ++j) {
                    A[i][j] -= f * A[k][j];
                }
            }
        }
        for (int k = 0; k < 3 && regular; ++k) {
            y[k] = A[k][3] / A[k][k];
        }
        bool right = regular;
        for (int i = 0; i < n && right; ++i) {
            const long double pull = (y[0] + at[i][1] * y[1] - at[i][0] * y[2]) / D[i];
            right = (set >> i & 1) ? pull >= 0.0L : pull <= 0.0L;
            N[i] = (set >> i & 1) ? pull : 0.0L;
        }
        if (right) {
            return true;
        }
    }
    return false;
}

// ---- claims

static void a_table_on_five_legs_without_friction_has_the_least_loads(void **state)
{
    (void)state;
    static const double x[5] = {-0.0655, 0.5549, -0.1158, -0.6599, -0.1450},
                        y[5] = {0.5782, -0.1039, -0.6542, -0.0338, -0.0220},
                        expected[5] = {7.27, 8.14, 4.73, 4.01, 5.84};
    const dp_friction smooth = {{0.0, 0.0}, 0.0, {0.0, 0.0}};
    double v[BODY], at[5][3], D[5];
    law_problem lp = law_problem_create(h, BODY, 15);
    press(v, 29.99, 0.0, 0.0);
    add_body(&lp, v);
    for (int i = 0; i < 5; ++i) {
        const double leg[3] = {x[i], y[i], -0.4};
        memcpy(at[i], leg, sizeof leg);
        D[i] = 1.0;
        add_leg(&lp, 3, leg, &smooth);
    }
    const dp_law_options opt = vi_options();
    assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
    long double N[5];
    assert_true(least_loads(N, 5, at, D, (long double[]){29.99L, 0.0L, 0.0L}));
    for (int i = 0; i < 5; ++i) {
        assert_near(lp.s.gamma[3 * i] / h, expected[i], 0.005);
        assert_near(lp.s.gamma[3 * i] / h, (double)N[i], 1e-10);
        assert_true(lp.s.gamma[3 * i + 1] == 0.0 && lp.s.gamma[3 * i + 2] == 0.0);
    }
    law_problem_destroy(&lp);
}

// Contacts of 1, 3, 4 and 6 rows without friction, on legs of different stiffness, pressed
// anywhere between them, moving along the floor or not.
static law_problem smooth_table(double (*at)[3], double *D, int *normal, int n, double load[3],
                                random_source *r)
{
    static const int sizes[] = {3, 3, 4, 6};
    const dp_friction smooth = {{0.0, 0.0}, 0.0, {0.0, 0.0}};
    double v[BODY];
    const double force = random_between(r, 5.0, 50.0), x = random_between(r, -0.3, 0.3),
                 y = random_between(r, -0.3, 0.3);
    law_problem lp = law_problem_create(h, BODY, MOST_ROWS * n);
    press(v, force, x, y);
    v[0] = random_between(r, -0.1, 0.1);
    v[5] = random_between(r, -0.1, 0.1);
    load[0] = force * h;
    load[1] = force * h * y;
    load[2] = -force * h * x;
    add_body(&lp, v);
    for (int i = 0; i < n; ++i) {
        at[i][0] = i < 4 ? (i % 2 ? 0.5 : -0.5) : random_between(r, -0.6, 0.6);
        at[i][1] = i < 4 ? (i / 2 ? 0.5 : -0.5) : random_between(r, -0.6, 0.6);
        at[i][2] = -0.4;
        normal[i] = lp.p.nrow;
        dp_row *row = add_leg(&lp, sizes[(int)random_between(r, 0.0, 3.999)], at[i], &smooth);
        row->k = 1e6 * random_between(r, 0.2, 5.0);
        D[i] = 1e6 / row->k;
    }
    return lp;
}

static void loads_without_friction_are_the_least_of_all_that_carry(void **state)
{
    (void)state;
    random_source r = {25};
    int lifted = 0;
    for (int k = 0; k < 69; ++k) {
        const int n = 4 + k % (MOST_LEGS - 3);
        double at[MOST_LEGS][3], D[MOST_LEGS], load[3];
        int normal[MOST_LEGS];
        law_problem lp = smooth_table(at, D, normal, n, load, &r);
        const dp_law_options opt = vi_options();
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        long double N[MOST_LEGS];
        assert_true(least_loads(N, n, at, D, (long double[]){load[0], load[1], load[2]}));
        for (int i = 0; i < n; ++i) {
            assert_near(lp.s.gamma[normal[i]], (double)N[i], 1e-11);
            lifted += N[i] == 0.0L;
        }
        law_problem_destroy(&lp);
    }
    assert_true(lifted > 10); // where the norm alone would pull
}

// (36): with s D the loads come to the least ones at the first order.
static void loads_without_friction_come_to_the_least_at_the_rate_of_the_compliance(void **state)
{
    (void)state;
    random_source r = {26};
    for (int k = 0; k < 12; ++k) {
        double at[MOST_LEGS][3], D[MOST_LEGS], load[3], error[2] = {0.0, 0.0};
        int normal[MOST_LEGS];
        law_problem lp = smooth_table(at, D, normal, 7, load, &r);
        long double N[MOST_LEGS];
        assert_true(least_loads(N, 7, at, D, (long double[]){load[0], load[1], load[2]}));
        dp_law_options opt = vi_options();
        for (int i = 0; i < 2; ++i) {
            opt.rigid.compliance = i == 0 ? 1e-4 : 1e-5;
            assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
            for (int m = 0; m < 7; ++m) {
                error[i] = fmax(error[i], fabs(lp.s.gamma[normal[m]] - (double)N[m]));
            }
        }
        assert_true(error[0] <= 1e-3 * load[0]);
        assert_near(log10(error[0] / error[1]), 1.0, 0.02);
        law_problem_destroy(&lp);
    }
}

// Some legs smooth or smooth one way, the others so rough that no cone is in the way: the
// pseudo-inverse of the rows that may push.
static void smooth_legs_among_rough_ones_leave_the_least_impulses(void **state)
{
    (void)state;
    enum { LEGS = 7, ROWS = 3 * LEGS };
    random_source r = {27};
    int compared = 0;
    for (int k = 0; k < 40; ++k) {
        double v[BODY], D[ROWS];
        press(v, 20.0, 0.05, -0.04);
        v[0] = 0.002;
        v[1] = -0.003;
        v[5] = 0.001;
        law_problem lp = law_problem_create(h, BODY, ROWS);
        add_body(&lp, v);
        for (int i = 0; i < LEGS; ++i) {
            const double leg[3] = {i < 4 ? (i % 2 ? 0.5 : -0.5) : random_between(&r, -0.5, 0.5),
                                   i < 4 ? (i / 2 ? 0.5 : -0.5) : random_between(&r, -0.5, 0.5),
                                   -0.4};
            const int kind = (i + k) % 4;
            const dp_friction friction = {
                {kind == 1 || kind == 2 ? 0.0 : 20.0, kind == 1 || kind == 3 ? 0.0 : 20.0},
                0.0,
                {0.0, 0.0}};
            dp_row *row = add_leg(&lp, 3, leg, &friction);
            row->k = 1e6 * random_between(&r, 0.5, 2.0);
            for (int m = 0; m < 3; ++m) { // 0: it carries nothing
                D[3 * i + m] = m > 0 && friction.mu[m - 1] == 0.0 ? 0.0 : 1e6 / row->k;
            }
        }
        const dp_law_options opt = vi_options();
        assert_int_equal(law_problem_solve(&lp, NULL, &opt).outcome, DP_OUTCOME_CONVERGED);
        long double A[BODY][BODY + 1] = {{0.0L}};
        for (int i = 0; i < BODY; ++i) {
            A[i][BODY] = -(long double)v[i] * (i < 3 ? mass : inertia[i - 3]);
            for (int j = 0; j < BODY; ++j) {
                for (int m = 0; m < ROWS; ++m) {
                    A[i][j] += D[m] > 0.0
                                   ? (long double)lp.G[m * BODY + i] * lp.G[m * BODY + j] / D[m]
                                   : 0.0L;
                }
            }
        }
        for (int i = 0; i < BODY; ++i) { // positive definite: no pivots
            for (int m = 0; m < BODY; ++m) {
                const long double f = m == i ? 0.0L : A[m][i] / A[i][i];
                for (int j = 0; j <= BODY; ++j) {
                    A[m][j] -= f * A[i][j];
                }
            }
        }
        long double x[ROWS] = {0.0L};
        bool pulls = false;
        for (int m = 0; m < ROWS; ++m) {
            for (int i = 0; D[m] > 0.0 && i < BODY; ++i) {
                x[m] += lp.G[m * BODY + i] * A[i][BODY] / A[i][i] / D[m];
            }
            pulls = pulls || (m % 3 == 0 && x[m] < 0.0L);
        }
        for (int m = 0; !pulls && m < ROWS; ++m) {
            assert_near(lp.s.gamma[m], (double)x[m], 1e-11);
        }
        compared += !pulls;
        law_problem_destroy(&lp);
    }
    assert_true(compared >= 35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_on_five_legs_without_friction_has_the_least_loads),
        cmocka_unit_test(loads_without_friction_are_the_least_of_all_that_carry),
        cmocka_unit_test(loads_without_friction_come_to_the_least_at_the_rate_of_the_compliance),
        cmocka_unit_test(smooth_legs_among_rough_ones_leave_the_least_impulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
