// Logarithm, powers, tangent and their kin against the C library in extended precision.
#include "near.h"

#include "math/angle.h"
#include "math/elementary.h"

#include <float.h>
#include <math.h>
#include <string.h>

// One rounding at the end, and what the last sum but one leaves.
static const double ONE_ULP = 1.0;
// The last rounding alone: what comes before has twice the digits.
static const double ROUNDED = 0.51;

enum { SAMPLES = 100000 };

// A positive number of any size, 1e-300 to 1e300, evenly in its logarithm.
static double any_size(random_source *r, double decades)
{
    return exp(random_between(r, -decades, decades) * log(10.0));
}

static void the_logarithm_is_right_to_its_last_rounding(void **state)
{
    (void)state;
    random_source r = {1};
    for (int i = 0; i < SAMPLES; ++i) {
        const double x = i % 3 == 0 ? any_size(&r, 300.0)
                         : i % 3 == 1
                             ? random_between(&r, 0.5, 2.0)
                             : 1.0 + random_between(&r, -1.0, 1.0) * any_size(&r, 8.0) * 1e-9;
        if (x > 0.0) {
            assert_near(ulps_between(dp_log(x), logl((long double)x)), 0.0, ROUNDED);
        }
    }
    assert_true(dp_log(1.0) == 0.0);
    assert_near(ulps_between(dp_log(0x1p-1074), logl(0x1p-1074L)), 0.0, ROUNDED);
    assert_near(ulps_between(dp_log(DBL_MAX), logl((long double)DBL_MAX)), 0.0, ROUNDED);
}

static void the_exponential_is_right_to_one_unit_in_the_last_place(void **state)
{
    (void)state;
    random_source r = {2};
    for (int i = 0; i < SAMPLES; ++i) {
        const double x = i % 2 ? random_between(&r, -708.0, 709.7) : random_between(&r, -1.0, 1.0);
        assert_near(ulps_between(dp_exp_wide(x), expl((long double)x)), 0.0, ONE_ULP);
    }
    assert_true(dp_exp_wide(0.0) == 1.0);
}

static void the_exponential_ends_where_numbers_end(void **state)
{
    (void)state;
    assert_true(isfinite(dp_exp_wide(709.782712893383)));
    assert_true(isinf(dp_exp_wide(709.7827128933842)));
    assert_true(isinf(dp_exp_wide(DBL_MAX)));
    assert_true(dp_exp_wide(-745.1) == 0x1p-1074); // the smallest denormal is e^−744.44
    assert_true(dp_exp_wide(-745.2) == 0.0);
    assert_true(dp_exp_wide(-DBL_MAX) == 0.0);
    // Denormals: to one unit of their own, coarser last place.
    for (double x = -744.0; x < -708.0; x += 0.37) {
        assert_near(dp_exp_wide(x), (double)expl((long double)x), 0x1p-1074);
    }
}

// |xʸ − reference| in units in the last place, 0 where the reference leaves the normal numbers.
static double power_error(double x, double y)
{
    const long double reference = powl((long double)x, (long double)y);
    if (!(fabsl(reference) > 2.0L * (long double)DBL_MIN &&
          fabsl(reference) < 0.5L * (long double)DBL_MAX)) {
        return 0.0;
    }
    return ulps_between(dp_pow(x, y), reference);
}

static void powers_are_right_to_one_unit_in_the_last_place(void **state)
{
    (void)state;
    random_source r = {3};
    for (int i = 0; i < SAMPLES; ++i) {
        const double x = i % 2 ? any_size(&r, 300.0) : random_between(&r, 0.5, 2.0);
        const double most = 700.0 / fabs(log(x)); // just inside the range, where errors are largest
        assert_near(power_error(x, random_between(&r, -most, most)), 0.0, ONE_ULP);
        assert_near(power_error(x, random_between(&r, -3.0, 3.0)), 0.0, ONE_ULP);
        const double whole = floor(random_between(&r, -60.0, 60.0));
        assert_near(power_error(x, whole), 0.0, ONE_ULP);
        assert_near(power_error(-x, whole), 0.0, ONE_ULP);
    }
}

static void whole_powers_that_fit_are_exact(void **state)
{
    (void)state;
    for (int base = 2; base <= 100; ++base) {
        double exact = 1.0;
        for (int n = 0; exact < 0x1p53; ++n, exact *= base) {
            assert_true(dp_pow(base, n) == exact);
            assert_true(dp_pow(-base, n) == (n % 2 ? -exact : exact));
        }
    }
    for (int n = -1074; n <= 1023; ++n) {
        assert_true(dp_pow(2.0, n) == ldexp(1.0, n));
        assert_true(dp_pow(0.5, -n) == ldexp(1.0, n));
    }
}

static void powers_know_zero_one_and_the_ends_of_the_range(void **state)
{
    (void)state;
    assert_true(dp_pow(0.0, 0.0) == 1.0);
    assert_true(dp_pow(0.0, 0.5) == 0.0);
    assert_true(dp_pow(0.0, 3.0) == 0.0);
    assert_true(dp_pow(1.0, 1e300) == 1.0);
    assert_true(dp_pow(-1.0, 1e300) == 1.0); // 1e300 is even
    assert_true(dp_pow(-1.0, 9007199254740991.0) == -1.0);
    assert_true(dp_pow(7.5, 0.0) == 1.0);
    assert_true(dp_pow(7.5, 1e-310) == 1.0);
    assert_true(isinf(dp_pow(10.0, 309.0)) && isinf(dp_pow(10.0, 1e300)));
    assert_true(dp_pow(-10.0, 309.0) == -HUGE_VAL);
    assert_true(dp_pow(10.0, -400.0) == 0.0 && dp_pow(10.0, -1e300) == 0.0);
    assert_true(isinf(dp_pow(0.1, -1e300)) && isinf(dp_pow(1e300, 1.5)));
    assert_true(dp_pow(1e-300, 1.5) == 0.0);
    assert_near(ulps_between(dp_pow(DBL_MAX, 1.0), (long double)DBL_MAX), 0.0, 0.0);
}

static void the_tangent_is_right_to_one_unit_in_the_last_place(void **state)
{
    (void)state;
    static const double range[] = {1e-3, 1.6, 100.0, 1e6};
    random_source r = {4};
    for (size_t k = 0; k < sizeof range / sizeof range[0]; ++k) {
        for (int i = 0; i < SAMPLES; ++i) {
            const double x = random_between(&r, -range[k], range[k]);
            assert_near(ulps_between(dp_tan(x), tanl((long double)x)), 0.0, ONE_ULP);
        }
    }
    for (int n = -999; n < 1000; ++n) { // zeros and poles, rounded
        const double x = n * (DP_PI / 2.0);
        assert_near(ulps_between(dp_tan(x), tanl((long double)x)), 0.0, ONE_ULP);
    }
}

static void arcsine_and_arccosine_are_right_to_one_unit_in_the_last_place(void **state)
{
    (void)state;
    random_source r = {5};
    for (int i = 0; i < SAMPLES; ++i) {
        const double near_one = 1.0 - any_size(&r, 8.0) * 1e-9;
        const double x = i % 4 == 0   ? random_between(&r, -1.0, 1.0)
                         : i % 4 == 1 ? any_size(&r, 150.0) * 1e-151
                         : i % 4 == 2 ? near_one
                                      : -near_one;
        assert_near(ulps_between(dp_asin(x), asinl((long double)x)), 0.0, ONE_ULP);
        assert_near(ulps_between(dp_acos(x), acosl((long double)x)), 0.0, ONE_ULP);
    }
    assert_true(dp_asin(0.0) == 0.0 && dp_acos(1.0) == 0.0);
    assert_true(dp_asin(1.0) == DP_PI / 2.0 && dp_asin(-1.0) == -DP_PI / 2.0);
    assert_true(dp_acos(0.0) == DP_PI / 2.0 && dp_acos(-1.0) == DP_PI);
}

static void the_hypotenuse_is_right_to_its_last_rounding_at_any_size(void **state)
{
    (void)state;
    random_source r = {6};
    for (int i = 0; i < SAMPLES; ++i) {
        const double size = any_size(&r, 307.0);
        const double x = random_between(&r, -size, size), y = random_between(&r, -size, size);
        assert_near(ulps_between(dp_hypot(x, y), hypotl((long double)x, (long double)y)), 0.0,
                    ROUNDED);
    }
    assert_true(dp_hypot(0.0, 0.0) == 0.0);
    assert_true(dp_hypot(3.0 * 0x1p600, -4.0 * 0x1p600) == 5.0 * 0x1p600);
    assert_true(dp_hypot(0.0, 0x1p-1074) == 0x1p-1074);
    assert_true(dp_hypot(DBL_MAX, 1.0) == DBL_MAX);
    assert_true(isinf(dp_hypot(DBL_MAX, DBL_MAX)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_logarithm_is_right_to_its_last_rounding),
        cmocka_unit_test(the_exponential_is_right_to_one_unit_in_the_last_place),
        cmocka_unit_test(the_exponential_ends_where_numbers_end),
        cmocka_unit_test(powers_are_right_to_one_unit_in_the_last_place),
        cmocka_unit_test(whole_powers_that_fit_are_exact),
        cmocka_unit_test(powers_know_zero_one_and_the_ends_of_the_range),
        cmocka_unit_test(the_tangent_is_right_to_one_unit_in_the_last_place),
        cmocka_unit_test(arcsine_and_arccosine_are_right_to_one_unit_in_the_last_place),
        cmocka_unit_test(the_hypotenuse_is_right_to_its_last_rounding_at_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
