// Expressions in t: grammar, functions, derivatives. Messages and limits: test_expression_errors.c.
#include "counting_allocator.h"
#include "near.h"

#include <dashpot/expression.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dp_expression *parsed(const char *text)
{
    dp_expression *e;
    if (dp_expression_parse(&e, text, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return e;
}

// value, rate and acceleration of `text` at t
static void evaluate(double out[3], const char *text, double t)
{
    dp_expression *e = parsed(text);
    if (dp_expression_eval(e, t, &out[0], &out[1], &out[2]) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    dp_expression_destroy(e);
}

static double value_of(const char *text, double t)
{
    double x[3];
    evaluate(x, text, t);
    return x[0];
}

typedef struct value_case {
    const char *text;
    double t, expected;
} value_case;

// Exact: every number and every result here is a small multiple of a power of two.
static void assert_exact(const value_case *c, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const double x = value_of(c[i].text, c[i].t);
        if (!(x == c[i].expected)) {
            fail_msg("%s is %.17g at t = %g, expected %.17g", c[i].text, x, c[i].t, c[i].expected);
        }
    }
}
#define ASSERT_EXACT(cases) assert_exact(cases, sizeof(cases) / sizeof(cases)[0])

static void operators_bind_as_in_mathematics(void **state)
{
    (void)state;
    static const value_case cases[] = {
        {"1 + 2 * 3", 0.0, 7.0},       {"1 * 2 + 3", 0.0, 5.0},
        {"(1 + 2) * 3", 0.0, 9.0},     {"8 - 6 / 2", 0.0, 5.0},
        {"2 * 3 ^ 2", 0.0, 18.0},      {"-2 ^ 2", 0.0, -4.0},
        {"(-2) ^ 2", 0.0, 4.0},        {"2 ^ -1", 0.0, 0.5},
        {"2 ^ -1 * 4", 0.0, 2.0},      {"-2 * -3", 0.0, 6.0},
        {"2 - -3", 0.0, 5.0},          {"2 * -3 ^ 2", 0.0, -18.0},
        {"+ - + 3", 0.0, -3.0},        {"--3", 0.0, 3.0},
        {"1 + 2 < 2 * 2", 0.0, 1.0},   {"1 < 2 and 2 < 1", 0.0, 0.0},
        {"1 < 2 or 2 < 1", 0.0, 1.0},  {"1 or 1 and 0", 0.0, 1.0},
        {"(1 or 1) and 0", 0.0, 0.0},  {"not 1 < 0", 0.0, 1.0},
        {"not 1 and 0", 0.0, 0.0},     {"not (1 and 0)", 0.0, 1.0},
        {"not not 5", 0.0, 1.0},       {"1 + (2 < 3)", 0.0, 2.0},
        {"0 or 1 ? 2 : 3", 0.0, 2.0},  {"1 ? 2 : 3 + 4", 0.0, 2.0},
        {"(1 ? 2 : 3) + 4", 0.0, 6.0}, {"-t ^ 2", 3.0, -9.0},
    };
    ASSERT_EXACT(cases);
}

static void operators_of_one_level_group_from_the_left_and_powers_from_the_right(void **state)
{
    (void)state;
    static const value_case cases[] = {
        {"8 - 4 - 2", 0.0, 2.0},
        {"8 / 4 / 2", 0.0, 1.0},
        {"8 / 4 * 2", 0.0, 4.0},
        {"8 * 4 / 2", 0.0, 16.0},
        {"2 ^ 3 ^ 2", 0.0, 512.0},
        {"(2 ^ 3) ^ 2", 0.0, 64.0},
        {"2 ^ -1 ^ 2", 0.0, 0.5},
        {"0 ? 1 : 0 ? 2 : 3", 0.0, 3.0},
        {"1 ? 0 ? 4 : 5 : 6", 0.0, 5.0},
        {"t < 1 ? 1 : t < 2 ? 2 : t < 3 ? 4 : 8", 0.5, 1.0},
        {"t < 1 ? 1 : t < 2 ? 2 : t < 3 ? 4 : 8", 1.5, 2.0},
        {"t < 1 ? 1 : t < 2 ? 2 : t < 3 ? 4 : 8", 2.5, 4.0},
        {"t < 1 ? 1 : t < 2 ? 2 : t < 3 ? 4 : 8", 3.5, 8.0},
    };
    ASSERT_EXACT(cases);
}

static void comparisons_and_logic_give_one_or_zero(void **state)
{
    (void)state;
    static const char *const operators[] = {"<", "<=", ">", ">=", "==", "!="};
    static const double expected[][3] = {{1, 0, 0}, {1, 1, 0}, {0, 0, 1},
                                         {0, 1, 1}, {0, 1, 0}, {1, 0, 1}}; // below, equal, above
    for (int i = 0; i < 6; ++i) {
        char text[32];
        snprintf(text, sizeof text, "t %s 2", operators[i]);
        for (int k = 0; k < 3; ++k) {
            assert_true(value_of(text, 1.0 + k) == expected[i][k]);
        }
    }
    static const value_case cases[] = {
        {"7 and 8", 0.0, 1.0},         {"7 and 0", 0.0, 0.0},
        {"0 and 7", 0.0, 0.0},         {"0 or 7", 0.0, 1.0},
        {"7 or 0", 0.0, 1.0},          {"0 or 0", 0.0, 0.0},
        {"not 0.5", 0.0, 0.0},         {"not 0", 0.0, 1.0},
        {"if(7, 2, 3)", 0.0, 2.0},     {"if(0, 2, 3)", 0.0, 3.0},
        {"if(1, 2, 3) * 2", 0.0, 4.0}, {"1 + if(t < 1, if(t < 0, 1, 2), 4)", 0.5, 3.0},
    };
    ASSERT_EXACT(cases);
}

static void what_is_not_chosen_is_not_computed(void **state)
{
    (void)state;
    static const value_case cases[] = {
        {"t > 0 ? log(t) : 8", -1.0, 8.0},
        {"if(t <= 0, 8, log(t))", -1.0, 8.0},
        {"t != 0 and 1/t > 0", 0.0, 0.0},
        {"t == 0 or 1/t > 0", 0.0, 1.0},
    };
    ASSERT_EXACT(cases);
}

static void numbers_constants_and_spaces_read_as_written(void **state)
{
    (void)state;
    static const value_case cases[] = {
        {"12.5", 0.0, 12.5},
        {".5", 0.0, 0.5},
        {"2.", 0.0, 2.0},
        {"2e3", 0.0, 2000.0},
        {"2.5E-1", 0.0, 0.25},
        {"0.1", 0.0, 0.1},
        {"t", 0.75, 0.75},
        {" \t\n\r1+\t2 ", 0.0, 3.0},
        {"1e-400", 0.0, 0.0},
        {"1.7976931348623157e308", 0.0, DBL_MAX},
        {"2*e", 0.0, 2.0 * 2.71828182845904523536},
        {"pi", 0.0, 3.14159265358979323846},
    };
    ASSERT_EXACT(cases);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof comma / sizeof comma[0]; ++i) {
        setlocale(LC_NUMERIC, comma[i]); // those that are not installed change nothing
        assert_true(value_of("min(1.5, 2.5)", 0.0) == 1.5);
        setlocale(LC_NUMERIC, "C");
    }
}

typedef struct function_case {
    const char *text;
    long double (*reference)(long double);
    double low, high;
} function_case;

static void functions_of_one_argument_are_those_of_the_c_library(void **state)
{
    (void)state;
    static const function_case cases[] = {
        {"sin(t)", sinl, -50.0, 50.0},   {"cos(t)", cosl, -50.0, 50.0},
        {"tan(t)", tanl, -50.0, 50.0},   {"asin(t)", asinl, -1.0, 1.0},
        {"acos(t)", acosl, -1.0, 1.0},   {"atan(t)", atanl, -50.0, 50.0},
        {"exp(t)", expl, -700.0, 700.0}, {"log(t)", logl, 1e-9, 1e9},
        {"sqrt(t)", sqrtl, 0.0, 1e9},    {"abs(t)", fabsl, -5.0, 5.0},
        {"floor(t)", floorl, -5.0, 5.0}, {"ceil(t)", ceill, -5.0, 5.0},
    };
    random_source r = {1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        dp_expression *e = parsed(cases[i].text);
        for (int k = 0; k < 2000; ++k) {
            const double t = random_between(&r, cases[i].low, cases[i].high);
            double x;
            assert_int_equal(dp_expression_value(e, t, &x), DP_OK);
            // three units in the last place: sin, cos and atan2 (test_angle.c); others have one
            assert_near(ulps_between(x, cases[i].reference((long double)t)), 0.0, 3.0);
        }
        dp_expression_destroy(e);
    }
}

static void functions_of_several_arguments_have_their_values(void **state)
{
    (void)state;
    static const value_case cases[] = {
        {"pow(2, 10)", 0.0, 1024.0},
        {"pow(t, 3)", -2.0, -8.0},
        {"0 ^ 0", 0.0, 1.0},
        {"hypot(3, -4)", 0.0, 5.0},
        {"atan2(0, 2)", 0.0, 0.0},
        {"min(3, 2, 5)", 0.0, 2.0},
        {"max(3, 7, 5, 6)", 0.0, 7.0},
        {"clamp(t, 1, 2)", 0.0, 1.0},
        {"clamp(t, 1, 2)", 1.5, 1.5},
        {"clamp(t, 1, 2)", 9.0, 2.0},
        {"clamp(t, 2, 2)", 9.0, 2.0},
        {"mod(7, 3)", 0.0, 1.0},
        {"mod(-7, 3)", 0.0, 2.0},
        {"mod(7, -3)", 0.0, -2.0},
        {"mod(-6, 3)", 0.0, 0.0},
        {"sign(t)", -0.25, -1.0},
        {"sign(t)", 0.0, 0.0},
        {"sign(t)", 0.25, 1.0},
        {"step(t, 1)", 0.5, 0.0},
        {"step(t, 1)", 1.0, 1.0},
        {"step(t, 1)", 1.5, 1.0},
        {"ramp(t, 1, 3)", 0.5, 0.0},
        {"ramp(t, 1, 3)", 1.0, 0.0},
        {"ramp(t, 1, 3)", 1.5, 0.25},
        {"ramp(t, 1, 3)", 3.0, 1.0},
        {"ramp(t, 1, 3)", 4.0, 1.0},
        {"smooth(t, 0, 2)", -1.0, 0.0},
        {"smooth(t, 0, 2)", 0.5, 0.103515625},
        {"smooth(t, 0, 2)", 1.0, 0.5},
        {"smooth(t, 0, 2)", 1.5, 0.896484375},
        {"smooth(t, 0, 2)", 2.0, 1.0},
        {"smooth(t, 0, 2)", 7.0, 1.0},
        {"pulse(t, 1, 2)", 0.5, 0.0},
        {"pulse(t, 1, 2)", 1.0, 1.0},
        {"pulse(t, 1, 2)", 1.5, 1.0},
        {"pulse(t, 1, 2)", 2.0, 0.0},
    };
    ASSERT_EXACT(cases);
    assert_near(value_of("atan2(t, -1)", 2.0), atan2(2.0, -1.0), 4.0 * DBL_EPSILON);
    assert_near(value_of("atan2(-1, t)", 2.0), atan2(-1.0, 2.0), 4.0 * DBL_EPSILON);
    assert_near(value_of("t ^ 0.3", 2.0), pow(2.0, 0.3), 4.0 * DBL_EPSILON);
}

static void a_table_is_linear_between_its_knots_and_constant_beyond(void **state)
{
    (void)state;
    static const char text[] = "table(t, -1, 8, 0, 2*2, 2^1, 8, 3, -8)";
    static const value_case cases[] = {
        {text, -5.0, 8.0},
        {text, -1.0, 8.0},
        {text, -0.5, 6.0},
        {text, 0.0, 4.0},
        {text, 0.5, 5.0},
        {text, 1.5, 7.0},
        {text, 2.0, 8.0},
        {text, 2.5, 0.0},
        {text, 3.0, -8.0},
        {text, 9.0, -8.0},
        {"1 + table(t, 0, table(1, 0, 0, 2, 8), 1, 2) * 2", 0.5, 7.0},
        {"table(table(t, 0, 1, 1, 0), 0, 5, 1, 7)", 0.25, 6.5},
    };
    ASSERT_EXACT(cases);
}

// The derivative of component k (0 the value, 1 the rate) by central differences of order 6.
static double difference(const dp_expression *e, double t, int k)
{
    static const double weight[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    const double h = 0.005;
    double sum = 0.0;
    for (int i = 1; i <= 3; ++i) {
        double ahead[3], behind[3];
        if (dp_expression_eval(e, t + i * h, &ahead[0], &ahead[1], &ahead[2]) != DP_OK ||
            dp_expression_eval(e, t - i * h, &behind[0], &behind[1], &behind[2]) != DP_OK) {
            fail_msg("%s", dp_last_error());
        }
        sum += weight[i - 1] * (ahead[k] - behind[k]) / h;
    }
    return sum;
}

static void derivatives_are_the_limits_of_difference_quotients(void **state)
{
    (void)state;
    // Away from kinks and poles, with scales of about 1.
    static const char *const text[] = {
        "t",
        "3",
        "2*t - t*5",
        "t*t*t",
        "1/(6 + t)",
        "(1 + t)/(6 - t)",
        "-t^3 + +t",
        "t^0",
        "t^1",
        "t^2",
        "t^5",
        "(t - 3)^3",
        "(6 + t)^-2",
        "(6 + t)^0.7",
        "2^t",
        "(6 + t)^sin(t)",
        "pow(6 + t, t)",
        "sin(t)",
        "cos(2*t)",
        "tan(t/4)",
        "asin(t/4)",
        "acos(t/4)",
        "atan(t)",
        "atan2(t, 2)",
        "atan2(sin(t), cos(t) + 3)",
        "atan2(3 - t, t)",
        "exp(-t/2)",
        "log(6 + t)",
        "sqrt(6 + t)",
        "abs(t - 4)",
        "abs(4 - t^2/9)",
        "hypot(t, 2)",
        "hypot(6 + t, sin(t))",
        "min(t, 9, 4 - t)",
        "max(t, -9, t - 1)",
        "clamp(t, -9, 9)",
        "clamp(sin(t), 2, 3)",
        "floor(t + 0.31)*t",
        "ceil(t/9 + 0.31)*t",
        "mod(t^2, 50)",
        "mod(50.5 + t, 7 + t/9)",
        "sign(t - 4)*t",
        "step(t, -9)*t^2",
        "step(t, 9)*t^2",
        "ramp(t, -4, 4)",
        "ramp(t, -4 - t/9, 5 + t/9)",
        "smooth(t, -4, 5)",
        "smooth(sin(t), -2, 2 + t/9)",
        "smooth(t, 8, 9)",
        "pulse(t, -9, 9)*sin(t)",
        "table(t^2/4, -1, 2, 9, 7)",
        "table(t, 7, 2, 9, 7)",
        "t > -9 ? sin(t) : t",
        "t > 9 ? sin(t) : t*t",
        "if(t < -9, 1, cos(t))",
        "t*(t < 9 and t > -9)",
        "4*cos(2*pi*t/5)",
        "exp(-t^2/4)*sin(3*t)/(2 + cos(t))",
        "sqrt(4 + sin(t)^2)^3",
    };
    random_source r = {2};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; ++i) {
        dp_expression *e = parsed(text[i]);
        for (int k = 0; k < 20; ++k) {
            const double t = random_between(&r, -1.9, 1.9);
            double x[3];
            assert_int_equal(dp_expression_eval(e, t, &x[0], &x[1], &x[2]), DP_OK);
            // Truncation h⁶ f⁽⁷⁾/140 ≤ 1e-16 · 5⁷ here (the nearest pole is 1 away, frequencies
            // reach 4), round-off 1e-16 · |f|/h.
            const double tolerance = 1e-10;
            if (floor(t + 0.31) != floor(t + 0.31 + 0.015) || floor(t + 0.31) != floor(t + 0.295)) {
                continue; // a jump of "floor" within reach of the difference
            }
            const double rate = difference(e, t, 0), accel = difference(e, t, 1);
            if (!(fabs(x[1] - rate) <= tolerance * fmax(1.0, fabs(rate)) &&
                  fabs(x[2] - accel) <= tolerance * fmax(1.0, fabs(accel)))) {
                fail_msg("%s at t = %.17g: %.17g %.17g, expected %.17g %.17g", text[i], t, x[1],
                         x[2], rate, accel);
            }
        }
        dp_expression_destroy(e);
    }
}

static void derivatives_of_an_oscillation_are_exact_to_round_off(void **state)
{
    (void)state;
    const double w = 2.0 * 3.14159265358979323846;
    for (int i = 0; i < 100; ++i) {
        const double t = 0.0371 * i;
        double x[3];
        evaluate(x, "4*cos(2*pi*t)", t);
        const double round_off = 8.0 * DBL_EPSILON * (1.0 + w * t); // of the argument, too
        assert_near(x[0], 4.0 * cos(w * t), 4.0 * round_off);
        assert_near(x[1], -4.0 * w * sin(w * t), 4.0 * w * round_off);
        assert_near(x[2], -4.0 * w * w * cos(w * t), 4.0 * w * w * round_off);
    }
}

typedef struct kink_case {
    const char *text;
    double t, value, rate, accel;
} kink_case;

static void derivatives_at_kinks_are_those_to_the_right(void **state)
{
    (void)state;
    static const kink_case cases[] = {
        {"abs(t - 1)", 1, 0, 1, 0},
        {"abs(1 - t)", 1, 0, 1, 0},
        {"abs((t - 1)^2 - t + 1)", 1, 0, 1, -2},
        {"abs(-(t - 1)^2)", 1, 0, 0, 2},
        {"min(t, 2 - t)", 1, 1, -1, 0},
        {"min(2 - t, t)", 1, 1, -1, 0},
        {"max(t, 2 - t)", 1, 1, 1, 0},
        {"max(t, t + (t - 1)^2)", 1, 1, 1, 2},
        {"min(t, t + (t - 1)^2)", 1, 1, 1, 0},
        {"clamp(t, 1, 2)", 1, 1, 1, 0},
        {"clamp(t, 1, 2)", 2, 2, 0, 0},
        {"clamp(-t, -2, -1)", 1, -1, -1, 0},
        {"ramp(t, 1, 3)", 1, 0, 0.5, 0},
        {"ramp(t, 1, 3)", 3, 1, 0, 0},
        {"ramp(-t, -3, -1)", 1, 1, -0.5, 0},
        {"ramp(-t, -3, -1)", 3, 0, 0, 0},
        {"smooth(t, 1, 3)", 1, 0, 0, 0},
        {"smooth(t, 1, 3)", 3, 1, 0, 0},
        {"table(t, 0, 0, 1, 2, 2, 6)", 1, 2, 4, 0},
        {"table(t, 0, 0, 1, 2, 2, 6)", 0, 0, 2, 0},
        {"table(t, 0, 0, 1, 2, 2, 6)", 2, 6, 0, 0},
        {"table(2 - t, 0, 0, 1, 2, 2, 6)", 1, 2, -2, 0},
        {"table(2 - t, 0, 0, 1, 2, 2, 6)", 0, 6, -4, 0},
        {"table(2 - t, 0, 0, 1, 2, 2, 6)", 2, 0, 0, 0},
        {"table(1 - (t - 1)^2, 0, 0, 1, 2, 2, 6)", 1, 2, 0, -4},
        {"hypot(3*(t - 1), 4*(t - 1))", 1, 0, 5, 0},
        {"hypot(3*(t - 1)^2, 4*(t - 1)^2)", 1, 0, 0, 10},
        {"hypot(t - 1, (t - 1)^2)", 1, 0, 1, 0},
        {"hypot(2*(t - 1) + 2*(t - 1)^2, 0)", 1, 0, 2, 4},
        {"hypot(0, 2*(t - 1) + 2*(t - 1)^2)", 1, 0, 2, 4},
        {"step(t, 1)", 1, 1, 0, 0},
        {"pulse(t, 0, 1)", 1, 0, 0, 0},
        {"floor(t)", 1, 1, 0, 0},
        {"ceil(t)", 1, 1, 0, 0},
        {"sign(t - 1)", 1, 0, 0, 0},
        {"mod(t, 1)", 1, 0, 1, 0},
        {"t >= 1 ? t^2 : 0", 1, 1, 2, 2},
        {"t > 1 ? t^2 : 0", 1, 0, 0, 0}, // the branch that holds at t
        {"step(t, 1)*(t - 1)", 1, 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const kink_case *c = &cases[i];
        double x[3];
        evaluate(x, c->text, c->t);
        if (!(x[0] == c->value && x[1] == c->rate && x[2] == c->accel)) {
            fail_msg("%s at t = %g: %.17g %.17g %.17g, expected %g %g %g", c->text, c->t, x[0],
                     x[1], x[2], c->value, c->rate, c->accel);
        }
    }
}

static void the_smooth_step_has_no_jump_in_its_acceleration(void **state)
{
    (void)state;
    const double h = 1e-9;
    for (int end = 0; end <= 2; end += 2) {
        double inside[3];
        evaluate(inside, "smooth(t, 0, 2)", end == 0 ? h : end - h);
        assert_near(inside[1], 0.0, 1e-15);
        assert_near(inside[2], 0.0,
                    15.0 * h * 1.01); // s‴ = 60/2³ = 7.5 at the ends, twice that for 1 ulp
    }
}

static void a_derivative_that_is_not_asked_for_cannot_fail(void **state)
{
    (void)state;
    static const char *const text[] = {"sqrt(t)", "t^0.5", "asin(1 - t)", "acos(t - 1)", "t^t"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; ++i) {
        dp_expression *e = parsed(text[i]);
        double value = -1.0, rate = -2.0;
        assert_int_equal(dp_expression_value(e, 0.0, &value), DP_OK);
        assert_true(value >= 0.0);
        value = -1.0;
        assert_int_equal(dp_expression_eval(e, 0.0, &value, &rate, NULL), DP_ERROR_NUMERIC);
        assert_non_null(strstr(dp_last_error(), "no finite rate of "));
        assert_true(value == -1.0 && rate == -2.0); // a failure writes nothing
        dp_expression_destroy(e);
    }
    dp_expression *e = parsed("t^1.5");
    double value, rate, accel;
    assert_int_equal(dp_expression_eval(e, 0.0, &value, &rate, NULL), DP_OK);
    assert_true(value == 0.0 && rate == 0.0);
    assert_int_equal(dp_expression_eval(e, 0.0, &value, &rate, &accel), DP_ERROR_NUMERIC);
    assert_non_null(strstr(dp_last_error(), "no finite acceleration of 0 ^ 1.5"));
    dp_expression_destroy(e);
}

static void a_constant_has_rate_zero_where_its_function_is_steep(void **state)
{
    (void)state;
    static const char *const text[] = {"sqrt(0)",
                                       "asin(1)",
                                       "acos(-1)",
                                       "0^0.5",
                                       "sqrt(step(t, 2))",
                                       "sqrt(floor(t))",
                                       "sqrt(ramp(t, 1, 2))",
                                       "sqrt(t < 0)",
                                       "sqrt(1 - ramp(t, 0, 0.2))",
                                       "sqrt(table(t, 0, 1, 0.2, 0))"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; ++i) {
        double x[3];
        evaluate(x, text[i], 0.5);
        assert_true(x[1] == 0.0 && x[2] == 0.0);
    }
    // Flat to second order is not constant: √(t⁴) = t², whose acceleration is not 0.
    static const char *const flat[] = {"sqrt(t^4)", "sqrt(ramp(t^4, 0, 1))", "sqrt(max(t^4, 0))",
                                       "sqrt(1 - ramp(1 - t^4, 0, 1))",
                                       "sqrt(table(1 - t^4, 0, 1, 1, 0))"};
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; ++i) {
        dp_expression *e = parsed(flat[i]);
        double rate;
        assert_int_equal(dp_expression_eval(e, 0.0, NULL, &rate, NULL), DP_ERROR_NUMERIC);
        dp_expression_destroy(e);
    }
}

static void the_value_is_the_same_bits_whatever_is_asked_for(void **state)
{
    (void)state;
    static const char *const text[] = {
        "sin(t)*exp(-t)",   "(2 + t)^sin(3*t)",    "min(t, -t)",
        "max(0*t, -0*t)",   "abs(t)^1.5 + tan(t)", "table(t, -1, 0.1, 0, 0.7, 1, 0.3)",
        "smooth(t, -1, 1)", "atan2(t, 1 - t)",     "hypot(t, t/3)",
        "mod(t, 0.3)",      "clamp(t, -0.5, 0.5)", "ramp(-t, -1, 1)/3"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; ++i) {
        dp_expression *e = parsed(text[i]);
        for (int k = -8; k <= 8; ++k) {
            double value = 0.0, with_rate = 0.0, with_both = 0.0, rate = 0.0, same_rate, accel;
            const double t = k == 0 ? 1e-9 : 0.125 * k;
            assert_int_equal(dp_expression_value(e, t, &value), DP_OK);
            assert_int_equal(dp_expression_eval(e, t, &with_rate, &rate, NULL), DP_OK);
            assert_int_equal(dp_expression_eval(e, t, &with_both, &same_rate, &accel), DP_OK);
            assert_memory_equal(&value, &with_rate, sizeof value);
            assert_memory_equal(&value, &with_both, sizeof value);
            assert_true(rate == same_rate);
        }
        dp_expression_destroy(e);
    }
}

static void an_expression_keeps_its_text_and_knows_whether_it_varies(void **state)
{
    (void)state;
    char text[] = " 2*pi * sin(t)";
    dp_expression *e = parsed(text);
    text[1] = '3';
    assert_string_equal(dp_expression_text(e), " 2*pi * sin(t)");
    assert_true(dp_expression_varies(e));
    dp_expression_destroy(e);
    e = parsed("2*pi + table(1, 0, 1, 2, 3)");
    assert_false(dp_expression_varies(e));
    dp_expression_destroy(e);
    dp_expression_destroy(NULL);
}

static void evaluation_allocates_nothing(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_expression *e;
    assert_int_equal(dp_expression_parse(&e, "table(t, 0, 1, 2, 3) + min(t, 2)^3", &allocator),
                     DP_OK);
    const size_t calls = counts.calls;
    double x[3];
    assert_int_equal(dp_expression_eval(e, 1.0, &x[0], &x[1], &x[2]), DP_OK);
    assert_int_equal(counts.calls, calls);
    dp_expression_destroy(e);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_in_mathematics),
        cmocka_unit_test(operators_of_one_level_group_from_the_left_and_powers_from_the_right),
        cmocka_unit_test(comparisons_and_logic_give_one_or_zero),
        cmocka_unit_test(what_is_not_chosen_is_not_computed),
        cmocka_unit_test(numbers_constants_and_spaces_read_as_written),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(functions_of_one_argument_are_those_of_the_c_library),
        cmocka_unit_test(functions_of_several_arguments_have_their_values),
        cmocka_unit_test(a_table_is_linear_between_its_knots_and_constant_beyond),
        cmocka_unit_test(derivatives_are_the_limits_of_difference_quotients),
        cmocka_unit_test(derivatives_of_an_oscillation_are_exact_to_round_off),
        cmocka_unit_test(derivatives_at_kinks_are_those_to_the_right),
        cmocka_unit_test(the_smooth_step_has_no_jump_in_its_acceleration),
        cmocka_unit_test(a_derivative_that_is_not_asked_for_cannot_fail),
        cmocka_unit_test(a_constant_has_rate_zero_where_its_function_is_steep),
        cmocka_unit_test(the_value_is_the_same_bits_whatever_is_asked_for),
        cmocka_unit_test(an_expression_keeps_its_text_and_knows_whether_it_varies),
        cmocka_unit_test(evaluation_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
