// Singular values and spans, of matrices that are made of known ones.
#include "linalg/jacobi_svd.h"
#include "test_random.h"

#include <math.h>
#include <string.h>

enum { MOST = 24 };

// Orthonormal columns, n of m numbers, by Gram–Schmidt on random ones.
static void draw_orthonormal(double *Q, int m, int n, random_source *r)
{
    for (int j = 0; j < n; ++j) {
        double *q = Q + j * m;
        for (int i = 0; i < m; ++i) {
            q[i] = random_between(r, -1.0, 1.0);
        }
        for (int pass = 0; pass < 2; ++pass) {
            for (int k = 0; k < j; ++k) {
                double along = 0.0;
                for (int i = 0; i < m; ++i) {
                    along += q[i] * Q[k * m + i];
                }
                for (int i = 0; i < m; ++i) {
                    q[i] -= along * Q[k * m + i];
                }
            }
        }
        double size = 0.0;
        for (int i = 0; i < m; ++i) {
            size += q[i] * q[i];
        }
        for (int i = 0; i < m; ++i) {
            q[i] /= sqrt(size);
        }
    }
}

// A = X diag(sigma) Yᵀ, m × n by columns.
static void make(double *A, const double *X, const double *sigma, const double *Y, int m, int n,
                 int rank)
{
    memset(A, 0, (size_t)(m * n) * sizeof *A);
    for (int k = 0; k < rank; ++k) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
                A[j * m + i] += sigma[k] * X[k * m + i] * Y[k * n + j];
            }
        }
    }
}

// Round-off of the largest: some 1e-15 times the size of the matrix.
static void singular_values_are_those_that_a_matrix_was_made_of(void **state)
{
    (void)state;
    random_source r = {.state = 5};
    for (int draw = 0; draw < 200; ++draw) {
        static double X[MOST * MOST], Y[MOST * MOST], A[MOST * MOST], U[MOST * MOST];
        static double R[MOST * MOST];
        double made[MOST], sigma[MOST];
        const int m = 1 + random_below(&r, MOST), n = 1 + random_below(&r, MOST);
        const int rank = 1 + random_below(&r, m < n ? m : n);
        draw_orthonormal(X, m, rank, &r);
        draw_orthonormal(Y, n, rank, &r);
        for (int k = 0; k < rank; ++k) {
            made[k] = k == 0 ? 1.0 : made[k - 1] * random_between(&r, 0.2, 1.0);
        }
        make(A, X, made, Y, m, n, rank);
        dp_jacobi_svd(U, sigma, A, R, m, n);
        for (int k = 0; k < n; ++k) {
            assert_near(sigma[k], k < rank ? made[k] : 0.0, 1e-14);
        }
        for (int k = 0; k < rank; ++k) { // X is in the span of U, which is orthonormal
            double square = 0.0;
            for (int j = 0; j < rank; ++j) {
                double along = 0.0, itself = 0.0;
                for (int i = 0; i < m; ++i) {
                    along += X[k * m + i] * U[j * m + i];
                    itself += U[k * m + i] * U[j * m + i];
                }
                square += along * along;
                // directions of small values are known as well as these stand out of round-off
                assert_near(itself, j == k ? 1.0 : 0.0, 1e-13 / made[rank - 1]);
            }
            assert_near(square, 1.0, 1e-13 / made[rank - 1]);
        }
    }
}

static void a_span_is_orthonormal_and_holds_every_column(void **state)
{
    (void)state;
    random_source r = {.state = 6};
    for (int draw = 0; draw < 200; ++draw) {
        static double X[MOST * MOST], Y[MOST * MOST], A[MOST * MOST], used[MOST * MOST];
        static double Q[MOST * MOST];
        double one[MOST];
        const int m = 1 + random_below(&r, MOST), n = 1 + random_below(&r, MOST);
        const int rank = 1 + random_below(&r, m < n ? m : n);
        draw_orthonormal(X, m, rank, &r);
        draw_orthonormal(Y, n, rank, &r);
        for (int k = 0; k < rank; ++k) {
            one[k] = random_between(&r, 0.5, 1.0);
        }
        make(A, X, one, Y, m, n, rank);
        memcpy(used, A, sizeof A);
        dp_span(Q, used, m, n, rank);
        for (int j = 0; j < n; ++j) {
            double left = 0.0;
            for (int i = 0; i < m; ++i) {
                double rest = A[j * m + i];
                for (int k = 0; k < rank; ++k) {
                    double along = 0.0;
                    for (int l = 0; l < m; ++l) {
                        along += Q[k * m + l] * A[j * m + l];
                    }
                    rest -= along * Q[k * m + i];
                }
                left = fmax(left, fabs(rest));
            }
            assert_near(left, 0.0, 1e-13);
        }
    }
}

static void nothing_has_no_singular_values(void **state)
{
    (void)state;
    double U[2], sigma[2] = {7.0, 7.0}, A[4] = {0.0, 0.0, 0.0, 0.0}, R[4];
    dp_jacobi_svd(U, sigma, A, R, 0, 0);
    assert_near(sigma[0], 7.0, 0.0);
    dp_jacobi_svd(U, sigma, A, R, 1, 2);
    assert_near(sigma[0], 0.0, 0.0);
    assert_near(sigma[1], 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_values_are_those_that_a_matrix_was_made_of),
        cmocka_unit_test(a_span_is_orthonormal_and_holds_every_column),
        cmocka_unit_test(nothing_has_no_singular_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
