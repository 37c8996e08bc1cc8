// Sums and products in doubled precision.
#include "linalg/double_double.h"
#include "test_random.h"

#include <float.h>
#include <math.h>

enum { DRAWS = 10000 };

static double any_number(random_source *r)
{
    return ldexp(random_between(r, -1.0, 1.0), random_below(r, 60) - 30);
}

static void a_sum_and_its_error_are_exact(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    for (int k = 0; k < DRAWS; ++k) {
        const double a = any_number(&r);
        const double b = ldexp(a, random_below(&r, 40) - 20) * random_between(&r, -1.0, 1.0);
        const dp_double_double s = dp_two_sum(a, b);
        assert_true(s.hi == a + b);
        if (fabs(b) > 0.0 && fabs(log2(fabs(a / b))) < 10.0) { // 53 + 10 bits fit a long double
            assert_true((long double)s.hi + (long double)s.lo == (long double)a + (long double)b);
        }
        assert_true(fabs(s.lo) <= 0.5 * DBL_EPSILON * fabs(s.hi));
    }
    const dp_double_double far = dp_two_sum(1.0, 1e-30);
    assert_true(far.hi == 1.0 && far.lo == 1e-30);
}

static void a_product_and_its_error_are_exact(void **state)
{
    (void)state;
    random_source r = {.state = 2};
    for (int k = 0; k < DRAWS; ++k) {
        const double a = any_number(&r), b = any_number(&r);
        const dp_double_double p = dp_two_product(a, b);
        assert_true(p.hi == a * b);
        // The error fits a double: fma gives it.
        assert_true(p.lo == fma(a, b, -p.hi));
    }
}

static void what_a_double_loses_is_kept(void **state)
{
    (void)state;
    // (1 + e)(1 − e) − 1 = −e², which needs 2·53 bits.
    const double e = ldexp(1.0, -40);
    dp_double_double sum = {-1.0, 0.0};
    sum = dp_double_double_madd(sum, 1.0 + e, (dp_double_double){1.0 - e, 0.0});
    assert_true(sum.hi + sum.lo == -e * e);
    sum = dp_double_double_add((dp_double_double){1.0, 0.0}, 1e-25);
    sum = dp_double_double_sum(sum, (dp_double_double){-1.0, 0.0});
    assert_true(sum.hi + sum.lo == 1e-25);
}

static void a_cancelling_dot_product_has_all_digits(void **state)
{
    (void)state;
    random_source r = {.state = 3};
    for (int k = 0; k < 100; ++k) {
        dp_double_double sum = {0.0, 0.0};
        double a[20], b[20];
        for (int i = 0; i < 20; ++i) {
            a[i] = any_number(&r);
            b[i] = any_number(&r);
            sum = dp_double_double_madd(sum, a[i], (dp_double_double){b[i], 0.0});
        }
        sum = dp_double_double_add(sum, 1e-8);
        for (int i = 0; i < 20; ++i) { // everything back again, in another order
            sum = dp_double_double_madd(sum, -b[19 - i], (dp_double_double){a[19 - i], 0.0});
        }
        // terms up to 2^60, 40 roundings of 2^-105 each
        assert_near(sum.hi + sum.lo, 1e-8, 40.0 * ldexp(1.0, 60 - 105));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_and_its_error_are_exact),
        cmocka_unit_test(a_product_and_its_error_are_exact),
        cmocka_unit_test(what_a_double_loses_is_kept),
        cmocka_unit_test(a_cancelling_dot_product_has_all_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
