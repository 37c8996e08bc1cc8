// Blocks of six numbers, against plain sums.
#include "linalg/mat6.h"
#include "test_random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SQUARE = DP_SIX * DP_SIX, STRIDE = 8 };

// M + Σ c g gᵀ of a few rows, as stiff contacts add them to a mass.
static void draw_stiff(double *A, random_source *r, double stiffness)
{
    memset(A, 0, SQUARE * sizeof *A);
    for (int i = 0; i < DP_SIX; ++i) {
        A[DP_SIX * i + i] = random_between(r, 0.5, 2.0);
    }
    for (int row = 0; row < 3; ++row) {
        double g[DP_SIX];
        for (int i = 0; i < DP_SIX; ++i) {
            g[i] = random_between(r, -1.0, 1.0);
        }
        for (int i = 0; i < DP_SIX; ++i) {
            for (int j = 0; j < DP_SIX; ++j) {
                A[DP_SIX * i + j] += stiffness * g[i] * g[j];
            }
        }
    }
}

static double largest(const double *A)
{
    double most = 0.0;
    for (int i = 0; i < SQUARE; ++i) {
        most = fmax(most, fabs(A[i]));
    }
    return most;
}

// To the digits that the condition of the matrix leaves.
static void an_inverse_is_one(void **state)
{
    (void)state;
    random_source r = {.state = 21};
    for (int draw = 0; draw < 2000; ++draw) {
        double A[SQUARE], inverse[SQUARE];
        draw_stiff(A, &r, pow(10.0, random_between(&r, 0.0, 9.0)));
        memcpy(inverse, A, sizeof A);
        assert_true(dp_mat6_invert(inverse));
        const double lost = DBL_EPSILON * largest(A) * largest(inverse);
        for (int i = 0; i < DP_SIX; ++i) {
            for (int j = 0; j < DP_SIX; ++j) {
                double sum = i == j ? -1.0 : 0.0;
                for (int k = 0; k < DP_SIX; ++k) {
                    sum += A[DP_SIX * i + k] * inverse[DP_SIX * k + j];
                }
                assert_true(fabs(sum) < 64.0 * lost);
            }
        }
    }
}

static void what_is_not_positive_is_refused(void **state)
{
    (void)state;
    random_source r = {.state = 22};
    const double bad[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    for (int c = 0; c < DP_SIX; ++c) {
        for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
            double A[SQUARE];
            draw_stiff(A, &r, 0.0);
            A[DP_SIX * c + c] = bad[k];
            assert_false(dp_mat6_invert(A));
        }
    }
}

static void products_are_those_of_plain_sums(void **state)
{
    (void)state;
    random_source r = {.state = 23};
    for (int draw = 0; draw < 500; ++draw) {
        double A[DP_SIX * STRIDE], x[DP_SIX], y[DP_SIX], less[DP_SIX], product[DP_SIX];
        for (int i = 0; i < DP_SIX * STRIDE; ++i) {
            A[i] = random_between(&r, -1.0, 1.0);
        }
        for (int i = 0; i < DP_SIX; ++i) {
            x[i] = random_between(&r, -1.0, 1.0);
            y[i] = random_between(&r, -1.0, 1.0);
        }
        dp_mat6_copy(less, y);
        dp_mat6_subtract(less, A, STRIDE, x);
        dp_mat6_apply(product, A, STRIDE, x);
        for (int i = 0; i < DP_SIX; ++i) {
            double sum = 0.0, transposed = 0.0;
            for (int k = 0; k < DP_SIX; ++k) {
                sum += A[STRIDE * i + k] * x[k];
                transposed += A[STRIDE * k + i] * x[k];
            }
            assert_true(fabs(product[i] - sum) < 1e-15);
            assert_true(fabs(less[i] - (y[i] - transposed)) < 1e-15);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inverse_is_one),
        cmocka_unit_test(what_is_not_positive_is_refused),
        cmocka_unit_test(products_are_those_of_plain_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
