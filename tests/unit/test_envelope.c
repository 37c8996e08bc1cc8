// Matrices within an envelope, and semidefinite ones, against the same matrices held densely.
#include "linalg/envelope.h"
#include "linalg/semidefinite.h"
#include "test_random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { N = 14, DRAWS = 100 };

typedef struct matrix {
    int first[N];
    size_t start[N + 1];
    double packed[N * N], dense[N][N];
} matrix;

static dp_envelope pattern(const matrix *m)
{
    return (dp_envelope){N, m->first, m->start};
}

// Diagonally dominant with a diagonal of 1, hence positive definite.
static matrix random_matrix(random_source *r)
{
    matrix m = {.first = {0}};
    for (int i = 0; i < N; ++i) {
        m.first[i] = random_below(r, i + 1);
    }
    dp_envelope_layout(m.start, N, m.first);
    for (int i = 0; i < N; ++i) {
        for (int j = m.first[i]; j <= i; ++j) {
            const double x = i == j ? 1.0 : random_between(r, -0.9 / N, 0.9 / N);
            m.packed[m.start[i] + (size_t)(j - m.first[i])] = x;
            m.dense[i][j] = m.dense[j][i] = x;
        }
    }
    return m;
}

static void random_vector(double *x, random_source *r)
{
    for (int i = 0; i < N; ++i) {
        x[i] = random_between(r, -1.0, 1.0);
    }
}

static void the_product_is_the_dense_one(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    for (int k = 0; k < DRAWS; ++k) {
        const matrix m = random_matrix(&r);
        double x[N], y[N];
        random_vector(x, &r);
        dp_envelope_apply(y, pattern(&m), m.packed, x);
        for (int i = 0; i < N; ++i) {
            double sum = 0.0;
            for (int j = 0; j < N; ++j) {
                sum += m.dense[i][j] * x[j];
            }
            assert_near(y[i], sum, 4.0 * DBL_EPSILON); // sums of N terms of 1/N, and one of 1
        }
    }
}

static void a_solution_gives_back_its_right_hand_side(void **state)
{
    (void)state;
    random_source r = {.state = 2};
    for (int k = 0; k < DRAWS; ++k) {
        const matrix m = random_matrix(&r);
        matrix f = m;
        double b[N], x[N], y[N], smallest;
        random_vector(b, &r);
        assert_int_equal(dp_envelope_factor(f.packed, pattern(&f), 1e-12, &smallest), -1);
        assert_true(smallest > 0.05 && smallest <= 1.0); // diagonally dominant by a tenth
        dp_envelope_solve(x, pattern(&f), f.packed, b);
        dp_envelope_apply(y, pattern(&m), m.packed, x);
        for (int i = 0; i < N; ++i) {
            assert_near(y[i], b[i], 1e-13); // condition below 20, |x| below 10
        }
    }
}

static void a_row_that_depends_on_others_is_named(void **state)
{
    (void)state;
    const int first[3] = {0, 0, 0};
    const size_t start[4] = {0, 1, 3, 6};
    const dp_envelope at = {3, first, start};
    double twins[6] = {1.0, 1.0, 1.0, 0.5, 0.5, 1.0}; // the second row is the first
    assert_int_equal(dp_envelope_factor(twins, at, 1e-14, NULL), 1);
    double bad[6] = {1.0, 0.0, 1.0, 0.0, (double)NAN, 1.0};
    assert_int_equal(dp_envelope_factor(bad, at, 1e-14, NULL), 2);
}

// V Vᵀ with V N × rank, scaled to a diagonal of 1.
static void random_semidefinite(double dense[N][N], int rank, random_source *r)
{
    double V[N][N];
    for (int i = 0; i < N; ++i) {
        random_direction(V[i], rank, r);
    }
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            dense[i][j] = 0.0;
            for (int k = 0; k < rank; ++k) {
                dense[i][j] += V[i][k] * V[j][k];
            }
        }
    }
}

static void multiply(double *y, double A[N][N], const double *x)
{
    for (int i = 0; i < N; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < N; ++j) {
            y[i] += A[i][j] * x[j];
        }
    }
}

// The determinant of the rows and columns first[0] … first[n − 1], by elimination.
static double minor_of(double A[N][N], const int *first, int n)
{
    double B[N][N], product = 1.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            B[i][j] = A[first[i]][first[j]];
        }
    }
    for (int k = 0; k < n; ++k) {
        product *= B[k][k];
        for (int i = k + 1; i < n; ++i) {
            for (int j = n - 1; j >= k; --j) {
                B[i][j] -= B[i][k] / B[k][k] * B[k][j];
            }
        }
    }
    return product;
}

static void the_rank_is_found_and_penrose_holds(void **state)
{
    (void)state;
    random_source r = {.state = 4};
    for (int k = 0; k < DRAWS; ++k) {
        const int rank = 1 + random_below(&r, 8); // well below N: the condition stays modest
        double A[N][N], L[N * (N + 1) / 2], tau[N], work[N], x[N], b[N], Ax[N], y[N], z[N];
        int order[N];
        random_semidefinite(A, rank, &r);
        for (int i = 0; i < N; ++i) {
            memcpy(L + dp_triangle(i), A[i], ((size_t)i + 1) * sizeof *L);
        }
        dp_semidefinite f = {.order = order, .L = L, .tau = tau, .work = work};
        dp_semidefinite_factor(&f, N, 1e-11);
        assert_int_equal(f.rank, rank);
        const double minor = minor_of(A, order, rank);
        assert_near(f.determinant, minor, 1e-11 * minor); // eps times the condition
        random_vector(b, &r);
        double null = 0.0; // the trace of the projection on the null space is its dimension
        for (int i = 0; i < N; ++i) {
            null += dp_semidefinite_null(&f, i);
        }
        assert_near(null, N - rank, 1e-13);
        dp_semidefinite_solve(x, &f, b); // x = A⁺ b
        double size = 1.0;
        for (int i = 0; i < N; ++i) {
            size = fmax(size, fabs(x[i]));
        }
        multiply(Ax, A, x);
        dp_semidefinite_solve(y, &f, Ax); // A⁺ A A⁺ b = A⁺ b: no part in the null space
        multiply(z, A, Ax);
        multiply(work, A, b); // A A A⁺ b = A b: least squares
        for (int i = 0; i < N; ++i) {
            assert_near(y[i], x[i], 1e-11 * size * size); // eps times condition, about |x|
            assert_near(z[i], work[i], 1e-11 * size);
        }
    }
}

static void equal_rows_share_equally(void **state)
{
    (void)state;
    double L[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, tau[3], work[3];
    double x[3] = {1.0, 2.0, 3.0}; // contradictory: the mean is what least squares takes
    int order[3];
    dp_semidefinite f = {.order = order, .L = L, .tau = tau, .work = work};
    dp_semidefinite_factor(&f, 3, 1e-14);
    assert_int_equal(f.rank, 1);
    dp_semidefinite_solve(x, &f, x);
    for (int i = 0; i < 3; ++i) {
        assert_near(x[i], 2.0 / 3.0, 4.0 * DBL_EPSILON);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_the_dense_one),
        cmocka_unit_test(a_solution_gives_back_its_right_hand_side),
        cmocka_unit_test(a_row_that_depends_on_others_is_named),
        cmocka_unit_test(the_rank_is_found_and_penrose_holds),
        cmocka_unit_test(equal_rows_share_equally),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
