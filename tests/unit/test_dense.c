// Dense systems by elimination, against the product with what was found.
#include "near.h"

#include "linalg/dense.h"
#include "test_random.h"

#include <math.h>

enum { MOST = 12, STRIDE = MOST + 2 };

// Elements that call for exchanges of rows, some of them 0.
static void random_matrix(double A[MOST][STRIDE], random_source *r)
{
    for (int i = 0; i < MOST; ++i) {
        for (int j = 0; j < STRIDE; ++j) {
            A[i][j] = random_chance(r, 0.3) ? 0.0 : random_between(r, -1.0, 1.0);
        }
        A[i][(i + 1) % MOST] += 3.0; // far from singular, and nothing on the diagonal
        A[i][i] *= 1e-3;
    }
}

static void what_is_found_solves_the_system(void **state)
{
    (void)state;
    random_source r = {1};
    for (int trial = 0; trial < 300; ++trial) {
        double A[MOST][STRIDE], x[MOST], lost[MOST * STRIDE];
        random_matrix(A, &r);
        const int n = MOST, stride = n + 2;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < stride; ++j) {
                lost[i * stride + j] = A[i][j];
            }
        }
        assert_true(dp_rows_eliminate(x, lost, n, stride));
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) {
                sum += A[i][j] * x[j];
            }
            assert_near(sum, A[i][n], 1e-12); // round-off, of numbers that grow a little
        }
    }
}

static void eight_rows_are_solved_as_any_others_are(void **state)
{
    (void)state;
    random_source r = {2};
    for (int trial = 0; trial < 100; ++trial) {
        double known[8 * 12], any[8 * 10], x[8], y[8];
        for (int i = 0; i < 8; ++i) {
            for (int j = 0; j < 9; ++j) {
                known[i * 12 + j] = any[i * 10 + j] = random_between(&r, -1.0, 1.0);
            }
        }
        assert_true(dp_rows_eliminate(x, known, 8, 12) && dp_rows_eliminate(y, any, 8, 10));
        assert_memory_equal(x, y, sizeof x);
    }
}

static void a_singular_system_is_refused(void **state)
{
    (void)state;
    double A[] = {1.0, 2.0, 3.0, 0.0, 2.0, 4.0, 6.0, 0.0}, x[2];
    assert_false(dp_rows_eliminate(x, A, 2, 4));
    double B[] = {(double)NAN, 2.0, 3.0, 0.0, 2.0, 4.0, 6.0, 0.0};
    B[4] = (double)INFINITY;
    assert_false(dp_rows_eliminate(x, B, 2, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_solves_the_system),
        cmocka_unit_test(eight_rows_are_solved_as_any_others_are),
        cmocka_unit_test(a_singular_system_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
