// What an expression refuses, and in which words.
#include "counting_allocator.h"
#include "near.h"

#include <dashpot/expression.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct message_case {
    const char *text;
    int column;
    const char *message;
} message_case;

static void assert_message(const message_case *c)
{
    char shown[256], expected[512];
    dp_text_printable(shown, sizeof shown, c->text);
    snprintf(expected, sizeof expected, "expression '%s', column %d: %s", shown, c->column,
             c->message);
    if (strcmp(dp_last_error(), expected) != 0) {
        fail_msg("the message is\n  %s\nexpected\n  %s", dp_last_error(), expected);
    }
}

#define ALL_NAMES                                                                                  \
    "t, pi, e, sin, cos, tan, asin, acos, atan, atan2, exp, log, sqrt, pow, hypot, abs, sign, "    \
    "min, max, clamp, floor, ceil, mod, step, ramp, smooth, pulse, table, if"

static void a_text_that_is_no_expression_is_refused_with_column_found_and_expected(void **state)
{
    (void)state;
    static const message_case cases[] = {
        {"", 1, "found the end (expected a value)"},
        {"  ", 3, "found the end (expected a value)"},
        {"1 +", 4, "found the end (expected a value)"},
        {"* 2", 1, "found '*' (expected a value)"},
        {"2 * / 3", 5, "found '/' (expected a value)"},
        {"(1", 3, "found the end (expected an operator or ')')"},
        {"(1 2)", 4, "found '2' (expected an operator or ')')"},
        {"1)", 2, "found ')' (expected an operator or the end)"},
        {"1, 2", 2, "found ',' (expected an operator or the end)"},
        {"()", 2, "found ')' (expected a value)"},
        {"2t", 2, "found 't' (expected an operator such as '*', or the end)"},
        {"2 (t)", 3, "found '(' (expected an operator or the end)"},
        {"3 4", 3, "found '4' (expected an operator such as '*', or the end)"},
        {"t and", 6, "found the end (expected a value)"},
        {"and t", 1, "found 'and' (expected a value)"},
        {"1 + not 0", 5, "found 'not' (expected a value; put 'not ...' in parentheses)"},
        {"1 < 2 < 3", 7, "found '<' (expected one comparison; write 'a < b and b < c')"},
        {"2**3", 3, "found '*' (expected a value; powers are written '^')"},
        {"1 ? 2", 6, "found the end (expected ':' and the other value)"},
        {"1 : 2", 3, "found ':' (expected an operator or the end)"},
        {"t = 1", 3, "found '=' (expected '==')"},
        {"t & 1", 3, "found '&' (expected 'and')"},
        {"t | 1", 3, "found '|' (expected 'or')"},
        {"!t", 1, "found '!' (expected 'not' or '!=')"},
        {"t % 2", 3, "found '%' (expected mod(x, y))"},
        {"[1]", 1, "found '[' (expected '(')"},
        {"(1}", 3, "found '}' (expected ')')"},
        {"min(1; 2)", 6, "found ';' (expected ',')"},
        {"1 $ 2", 3, "found '$' (expected a number, a name or an operator)"},
        {"2\xC2\xB7t", 2, "found the byte 0xC2 (expected plain ASCII: numbers, names, operators)"},
        {"1.2.3", 4, "found '.3' (expected an operator such as '*', or the end)"},
        {".", 1, "malformed number '.' (expected digits, with a digit behind e)"},
        {"1 + 2e", 5, "malformed number '2e' (expected digits, with a digit behind e)"},
        {"2e+", 1, "malformed number '2e' (expected digits, with a digit behind e)"},
        {"1e309", 1, "'1e309' is too large (expected at most 1.8e308)"},
        {"0x10", 2, "found 'x10' (expected an operator such as '*', or the end)"},
        {"foo", 1, "unknown name 'foo' (expected one of " ALL_NAMES ")"},
        {"AzZ", 1, "unknown name 'AzZ' (expected one of " ALL_NAMES ")"},
        {"si(t)", 1, "unknown name 'si' (did you mean 'sin'?)"},
        {"\x7f", 1, "found the byte 0x7F (expected plain ASCII: numbers, names, operators)"},
        {"inf", 1, "unknown name 'inf' (did you mean 'if'?)"},
        {"1 + sine(2)", 5, "unknown name 'sine' (did you mean 'sin'?)"},
        {"Sin(t)", 1, "unknown name 'Sin' (did you mean 'sin'?)"},
        {"smoth(t, 0, 1)", 1, "unknown name 'smoth' (did you mean 'smooth'?)"},
        {"ln(t)", 1, "unknown name 'ln' (did you mean 'log'?)"},
        {"PI", 1, "unknown name 'PI' (did you mean 'pi'?)"},
        {"time", 1, "unknown name 'time' (did you mean 't'?)"},
        {"sin t", 5, "found 't' (expected sin(x))"},
        {"sin", 4, "found the end (expected sin(x))"},
        {"sin()", 1, "sin with 0 arguments (expected sin(x))"},
        {"1 + sin(1, 2)", 5, "sin with 2 arguments (expected sin(x))"},
        {"sin(,)", 5, "found ',' (expected a value)"},
        {"sin(1", 6, "found the end (expected an operator, ',' or ')')"},
        {"atan2(1)", 1, "atan2 with 1 argument (expected atan2(y, x))"},
        {"min(1)", 1, "min with 1 argument (expected min(x, y, ...))"},
        {"clamp(t, 1)", 1, "clamp with 2 arguments (expected clamp(x, low, high))"},
        {"if(t)", 5, "found ')' (expected if(condition, then, else))"},
        {"if(t, 1)", 8, "found ')' (expected if(condition, then, else))"},
        {"if(t, 1, 2, 3)", 11, "found ',' (expected if(condition, then, else))"},
        {"table()", 1, "table with 0 arguments (expected table(t, t0, v0, t1, v1, ...))"},
        {"table(t)", 1, "table with 0 numbers (expected table(t, t0, v0, t1, v1, ...))"},
        {"table(t, 0, 1)", 1, "table with 2 numbers (expected table(t, t0, v0, t1, v1, ...))"},
        {"table(t, 0, 1, 2)", 1, "table with 3 numbers (expected table(t, t0, v0, t1, v1, ...))"},
        {"table(t, 0, 1, 1, 2, 3)", 1,
         "table with 5 numbers (expected table(t, t0, v0, t1, v1, ...))"},
        {"table(t, 0, 1, 0, 2)", 16, "the time 0 of a table follows 0 (expected growing times)"},
        {"table(t, 0, 1, 2, 2, 1, 3)", 22,
         "the time 1 of a table follows 2 (expected growing times)"},
        {"table(t, 0, 2*t, 1, 2)", 13, "a knot of a table depends on t (expected a number)"},
        {"table(t, 0, log(-1), 1, 2)", 13, "log(-1) at t = 0 (expected an argument above 0)"},
        {"table(t, 0, 1, 2, 3", 20, "found the end (expected ',' or ')')"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        dp_expression *e = (dp_expression *)(void *)&e;
        assert_int_equal(dp_expression_parse(&e, cases[i].text, NULL), DP_ERROR_PARSE);
        assert_null(e);
        assert_message(&cases[i]);
    }
}

static void a_value_that_does_not_exist_is_told_with_function_argument_and_time(void **state)
{
    (void)state;
    static const message_case cases[] = {
        {"log(t - 1)", 1, "log(-0.5) at t = 0.5 (expected an argument above 0)"},
        {"log(0)", 1, "log(0) at t = 0.5 (expected an argument above 0)"},
        {"1 + sqrt(-t)", 5, "sqrt(-0.5) at t = 0.5 (expected an argument of at least 0)"},
        {"asin(t + 1)", 1, "asin(1.5) at t = 0.5 (expected an argument from -1 to 1)"},
        {"acos(-3*t)", 1, "acos(-1.5) at t = 0.5 (expected an argument from -1 to 1)"},
        {"1/(t - 0.5)", 2, "1 / 0 at t = 0.5 (expected a divisor other than 0)"},
        {"mod(t, 0)", 1, "mod(0.5, 0) at t = 0.5 (expected a second argument other than 0)"},
        {"atan2(0, 0*t)", 1, "atan2(0, 0) at t = 0.5 (expected a point other than the origin)"},
        {"(-8)^t", 5, "(-8) ^ 0.5 at t = 0.5 (expected a whole exponent for a negative base)"},
        {"pow(0, -2)", 1,
         "0 ^ -2 at t = 0.5 (expected a base other than 0 for a negative exponent)"},
        {"clamp(t, 2, 1)", 1, "clamp(0.5, 2, 1) at t = 0.5 (expected low <= high)"},
        {"ramp(t, 1, 1)", 1, "ramp(0.5, 1, 1) at t = 0.5 (expected t0 < t1)"},
        {"smooth(t, 2, 1)", 1, "smooth(0.5, 2, 1) at t = 0.5 (expected t0 < t1)"},
        {"pulse(t, 2, 1)", 1, "pulse(0.5, 2, 1) at t = 0.5 (expected t0 < t1)"},
        {"exp(2000*t)", 1, "overflow of exp(1000) at t = 0.5 (expected a finite number)"},
        {"1e308*20", 6, "overflow of 1e+308 * 20 at t = 0.5 (expected a finite number)"},
        {"1e308 + 1e308", 7, "overflow of 1e+308 + 1e+308 at t = 0.5 (expected a finite number)"},
        {"-1e308 - 1e308", 8,
         "overflow of (-1e+308) - 1e+308 at t = 0.5 (expected a finite number)"},
        {"1/1e-310", 2, "overflow of 1 / 1e-310 at t = 0.5 (expected a finite number)"},
        {"10^400", 3, "overflow of 10 ^ 400 at t = 0.5 (expected a finite number)"},
        {"hypot(1.5e308, 1.5e308)", 1,
         "overflow of hypot(1.5e+308, 1.5e+308) at t = 0.5 (expected a finite number)"},
        {"table(t, 0, 1e308, 1, -1e308)", 1,
         "overflow of table(0.5, ...) at t = 0.5 (expected a finite number)"},
        {"sqrt(t - 0.5)", 1, "no finite rate of sqrt(0) at t = 0.5 (expected a finite number)"},
        {"(t - 0.5)^1.5", 10,
         "no finite acceleration of 0 ^ 1.5 at t = 0.5 (expected a finite number)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        dp_expression *e;
        assert_int_equal(dp_expression_parse(&e, cases[i].text, NULL), DP_OK);
        double x = 7.0, y = 8.0, z = 9.0;
        assert_int_equal(dp_expression_eval(e, 0.5, &x, &y, &z), DP_ERROR_NUMERIC);
        assert_message(&cases[i]);
        assert_true(x == 7.0 && y == 8.0 && z == 9.0);
        dp_expression_destroy(e);
    }
}

static void a_time_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    dp_expression *e;
    assert_int_equal(dp_expression_parse(&e, "2*t", NULL), DP_OK);
    double x = 7.0;
    assert_int_equal(dp_expression_value(e, (double)NAN, &x), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_expression_value(e, -HUGE_VAL, &x), DP_ERROR_ARGUMENT);
    assert_string_equal(dp_last_error(), "expression '2*t': t is -inf (expected a finite time)");
    assert_true(x == 7.0);
    dp_expression_destroy(e);
}

// `count` times `unit`, then `middle`, then `count` times `close`
static char *repeated(const char *unit, int count, const char *middle, const char *close)
{
    const size_t n = strlen(unit), m = strlen(close);
    char *text = malloc((n + m) * (size_t)count + strlen(middle) + 1);
    assert_non_null(text);
    char *at = text;
    for (int i = 0; i < count; ++i, at += n) {
        memcpy(at, unit, n + 1);
    }
    memcpy(at, middle, strlen(middle) + 1);
    at += strlen(middle);
    for (int i = 0; i < count; ++i, at += m) {
        memcpy(at, close, m + 1);
    }
    return text;
}

static dp_status parse_repeated(const char *unit, int count, const char *middle, const char *close)
{
    char *text = repeated(unit, count, middle, close);
    dp_expression *e;
    const dp_status status = dp_expression_parse(&e, text, NULL);
    double x;
    if (status == DP_OK) {
        assert_int_equal(dp_expression_value(e, 0.5, &x), DP_OK);
    }
    dp_expression_destroy(e);
    free(text);
    return status;
}

static void nesting_is_allowed_to_its_limit_and_not_beyond(void **state)
{
    (void)state;
    static const char *const nest[][3] = {
        {"(", "t", ")"},        {"-", "t", ""},        {"2^", "t", ""},
        {"sin(", "t", ")"},     {"not ", "t", ""},     {"t > 1 ? 1 : (", "t", ")"},
        {"if(t, ", "t", ",2)"}, {"t ? ", "t", " : 2"}, {"min(t,", "t", ")"},
    };
    const int deep = DP_EXPRESSION_NESTING - 1; // one level is the expression itself
    for (size_t i = 0; i < sizeof nest / sizeof nest[0]; ++i) {
        if (strcmp(nest[i][0], "2^") == 0) { // a tower of 63 twos overflows; its nesting is fine
            assert_int_equal(parse_repeated("1^", deep, nest[i][1], nest[i][2]), DP_OK);
        } else {
            assert_int_equal(parse_repeated(nest[i][0], deep, nest[i][1], nest[i][2]), DP_OK);
        }
        assert_int_equal(parse_repeated(nest[i][0], deep + 1, nest[i][1], nest[i][2]),
                         DP_ERROR_PARSE);
        assert_non_null(strstr(dp_last_error(), "nested too deeply (expected at most 64 levels)"));
    }
    assert_int_equal(parse_repeated("(", 60000, "t", ""), DP_ERROR_PARSE);
}

static void values_that_wait_are_bounded(void **state)
{
    (void)state;
    // 1 < 1 + 1 * 1 ^ ( … leaves four values waiting on each level
    assert_int_equal(parse_repeated("1 < 1 + 1 * 1 ^ (", 15, "t", ")"), DP_OK);
    assert_int_equal(parse_repeated("1 < 1 + 1 * 1 ^ (", 16, "t", ")"), DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "more than 64 values wait for an operator"));
    // not so in a row, however long
    assert_int_equal(parse_repeated("1 + ", 10000, "t", ""), DP_OK);
    assert_int_equal(parse_repeated("t > 9 ? 1 : ", 5000, "t", ""), DP_OK);
    assert_int_equal(parse_repeated("t and ", 5000, "t", ""), DP_OK);
}

static void length_is_allowed_to_its_limit_and_not_beyond(void **state)
{
    (void)state;
    assert_int_equal(parse_repeated(" ", DP_EXPRESSION_LENGTH - 1, "t", ""), DP_OK);
    assert_int_equal(parse_repeated(" ", DP_EXPRESSION_LENGTH, "t", ""), DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "...': 65537 characters (expected at most 65536)"));
}

static void a_long_text_is_shortened_in_messages(void **state)
{
    (void)state;
    assert_int_equal(parse_repeated("1 + ", 20, "?", ""), DP_ERROR_PARSE);
    assert_string_equal(dp_last_error(),
                        "expression '1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + "
                        "...', column 81: found '?' (expected a value)");
    assert_int_equal(parse_repeated("x", 5000, "", ""), DP_ERROR_PARSE);
    assert_true(strlen(dp_last_error()) < 400);
}

static void each_allocation_that_fails_is_told_and_nothing_leaks(void **state)
{
    (void)state;
    static const char text[] = "if(t < 1, table(t, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), 1+2+3+4+5+6+7+8) "
                               "+ sin(t)*cos(t)*tan(t)*exp(t)*atan(t)";
    size_t fail_at = 1;
    for (;; ++fail_at) {
        counting_allocator counts = {.fail_at = fail_at};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_expression *e;
        const dp_status status = dp_expression_parse(&e, text, &allocator);
        if (status == DP_OK) {
            dp_expression_destroy(e);
        } else {
            assert_int_equal(status, DP_ERROR_MEMORY);
            assert_null(e);
        }
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
        if (status == DP_OK) {
            break;
        }
    }
    assert_true(fail_at > 6); // object, text, and both arrays, which grow
}

static void memory_is_linear_in_the_text(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    char *text = repeated("t+", 30000, "t", "");
    dp_expression *e;
    assert_int_equal(dp_expression_parse(&e, text, &allocator), DP_OK);
    // an instruction of 16 bytes per character; an array that grows by half is held twice
    assert_true(counts.most_bytes < (1 + 16 * 3) * strlen(text) + 1000);
    dp_expression_destroy(e);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_that_is_no_expression_is_refused_with_column_found_and_expected),
        cmocka_unit_test(a_value_that_does_not_exist_is_told_with_function_argument_and_time),
        cmocka_unit_test(a_time_that_is_not_finite_is_refused),
        cmocka_unit_test(nesting_is_allowed_to_its_limit_and_not_beyond),
        cmocka_unit_test(values_that_wait_are_bounded),
        cmocka_unit_test(length_is_allowed_to_its_limit_and_not_beyond),
        cmocka_unit_test(a_long_text_is_shortened_in_messages),
        cmocka_unit_test(each_allocation_that_fails_is_told_and_nothing_leaks),
        cmocka_unit_test(memory_is_linear_in_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
