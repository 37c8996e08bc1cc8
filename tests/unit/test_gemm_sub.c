// Products that are subtracted in place, whatever registers they run in, against plain sums.
#include "linalg/gemm_sub.h"
#include "test_random.h"

#include <math.h>
#include <string.h>

enum { MOST = 24, MOST_COLUMNS = 45, ROOM = MOST * (MOST_COLUMNS + 4) };

static void fill(double *x, random_source *r)
{
    for (int i = 0; i < ROOM; ++i) {
        x[i] = random_between(r, -1.0, 1.0);
    }
}

// One product after the other, to the bit; what is beside the matrix stays.
static void each_element_takes_its_products_in_order(void **state)
{
    (void)state;
    random_source r = {.state = 3};
    for (int draw = 0; draw < 3000; ++draw) {
        static double C[ROOM], expected[ROOM], P[ROOM], Q[ROOM];
        const bool whole = random_chance(&r, 0.3); // as blocks of free bodies are
        const int k = random_below(&r, MOST), m = whole ? 6 : random_below(&r, 13);
        const int n = whole && random_chance(&r, 0.5) ? 6 : random_below(&r, MOST_COLUMNS);
        const int C_stride = n + random_below(&r, 4), P_stride = m + random_below(&r, 4);
        const int Q_stride = n + random_below(&r, 4);
        fill(C, &r);
        fill(P, &r);
        fill(Q, &r);
        memcpy(expected, C, sizeof C);
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
                for (int l = 0; l < k; ++l) {
                    expected[i * C_stride + j] -= P[l * P_stride + i] * Q[l * Q_stride + j];
                }
            }
        }
        dp_gemm_sub(C, C_stride, P, P_stride, Q, Q_stride, k, m, n);
        assert_memory_equal(C, expected, sizeof C);
    }
}

static void dots_are_subtracted(void **state)
{
    (void)state;
    random_source r = {.state = 4};
    for (int draw = 0; draw < 1000; ++draw) {
        static double A[ROOM], x[ROOM], y[ROOM], expected[ROOM];
        const int m = random_below(&r, MOST), n = random_below(&r, MOST_COLUMNS);
        const int stride = n + random_below(&r, 4);
        fill(A, &r);
        fill(x, &r);
        fill(y, &r);
        memcpy(expected, y, sizeof y);
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
                expected[i] -= A[i * stride + j] * x[j];
            }
        }
        dp_dots_sub(y, A, stride, x, m, n);
        for (int i = 0; i < ROOM; ++i) {
            // Sums of 46 numbers below 1, in two orders.
            assert_true(i < m ? fabs(y[i] - expected[i]) < 2e-13 : y[i] == expected[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_element_takes_its_products_in_order),
        cmocka_unit_test(dots_are_subtracted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
