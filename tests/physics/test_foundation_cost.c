// The time of a step grows with the springs of a foundation, and no faster.
#include "foundation_rig.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { SIZES = 5, REPEATS = 5 };

static const dp_body_id BODY = {1};

// [s] of one step, the best of a few tries: what else the machine does only ever adds.
static double time_of_step(int n)
{
    mechanism x = foundation_rig(RIG_FREE, n, n, 1e7, 1.0);
    dp_data_options(x.d)->ledger = true;
    dp_data_wrench(x.d, BODY)->t = (dp_v3){0.0, 20.0, 0.0}; // a part of it lifts
    mechanism_steps(&x, 5);
    const int steps = 200000 / (n * n) + 1;
    double best = INFINITY;
    for (int k = 0; k < REPEATS; ++k) {
        const clock_t start = clock();
        mechanism_steps(&x, steps);
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC / steps);
    }
    assert_int_equal(dp_data_row_count(x.d), n * n);
    mechanism_end(&x);
    return best;
}

static void the_cost_is_linear_in_the_springs(void **state)
{
    (void)state;
    const int n[SIZES] = {10, 18, 32, 56, 100};
    double sum_x = 0.0, sum_y = 0.0, sum_xx = 0.0, sum_xy = 0.0;
    for (int i = 0; i < SIZES; ++i) {
        const double seconds = time_of_step(n[i]), x = log((double)n[i] * n[i]), y = log(seconds);
        printf("%5d springs: %8.1f us per step\n", n[i] * n[i], 1e6 * seconds);
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
    }
    const double exponent =
        (SIZES * sum_xy - sum_x * sum_y) / (SIZES * sum_xx - sum_x * sum_x); // least squares
    printf("time ~ springs^%.3f\n", exponent);
    assert_true(exponent <= 1.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cost_is_linear_in_the_springs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
