// Damaged expressions: whatever the damage, parsing ends with an expression or a message, gives all
// memory back, and an evaluation gives finite numbers or a message. The short, deterministic
// relative of tests/fuzz/fuzz_expression.c.
#include "counting_allocator.h"
#include "damage.h"

#include <dashpot/expression.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MUTANTS = 2000, LONGEST = 4000 };

static const char *const seed[] = {
    "4*cos(2*pi*t)",
    "t < 1 ? 3*t^2 : t < 2 ? exp(-t)/2 : not (t == 4 or t >= 5) and 1",
    "if(t > 0, log(t), sqrt(-t)) + clamp(t, -1, 1)*min(1, t, -3.5e-2, mod(t, 0.3))",
    "table(t, -1, 2*pi, 0, 0.5, 1, -3, 2e3, 1e-3) + smooth(t, 0, 1)*ramp(t, -1, 2)",
    "pow(abs(t) + 1, sin(t)) - atan2(t, 2)^-3^0.5 + hypot(t, tan(t)) - asin(t/9)*acos(t/9)",
    "sign(t)*floor(t) + ceil(t) + pulse(t, 0, 1)*step(t, 0) - max(atan(t), e)",
};
enum { SEEDS = sizeof seed / sizeof seed[0] };

static const char *const word[] = {
    "t",     "pi", "sin(", "log(", "sqrt(", "table(t,", "if(",  "min(", ")",    "(",     ",",
    "?",     ":",  "^",    "-",    "not ",  " and ",    " or ", "<",    "==",   "1e308", "1e-308",
    "1e999", ".",  "e",    "\x80", "/0",    "mod(",     "pow(", "0",    "((((", "----",  "2^2^",
};
enum { WORDS = sizeof word / sizeof word[0] };

static int evaluated, refused; // by all mutants

static void evaluate(const dp_expression *e, unsigned long long mutant)
{
    static const double time[] = {0.0, 0.5, -1.0, 1.0, 1e9, -1e300};
    for (size_t i = 0; i < sizeof time / sizeof time[0]; ++i) {
        double alone = 0.0, x[3] = {7.0, 8.0, 9.0};
        const bool has_value = dp_expression_value(e, time[i], &alone) == DP_OK;
        const dp_status status = dp_expression_eval(e, time[i], &x[0], &x[1], &x[2]);
        if (status == DP_OK) {
            const bool finite = isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
            if (!finite || !has_value || memcmp(&alone, &x[0], sizeof alone) != 0) {
                fail_msg("mutant %llu: '%s' at %g", mutant, dp_expression_text(e), time[i]);
            }
            ++evaluated;
        } else if (status != DP_ERROR_NUMERIC || dp_last_error()[0] == '\0' || x[0] != 7.0 ||
                   (has_value && !isfinite(alone))) {
            fail_msg("mutant %llu: '%s' fails without a message", mutant, dp_expression_text(e));
        } else {
            ++refused;
        }
    }
}

static bool swallow(const char *text, unsigned long long mutant)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_expression *e;
    const dp_status status = dp_expression_parse(&e, text, &allocator);
    if (status == DP_OK) {
        evaluate(e, mutant);
    } else if (status != DP_ERROR_PARSE || e ||
               !(strstr(dp_last_error(), "expected") || strstr(dp_last_error(), "did you mean"))) {
        fail_msg("mutant %llu: '%s': %s", mutant, text, dp_last_error());
    }
    dp_expression_destroy(e);
    if (counts.blocks != 0 || counts.wrong_sizes != 0) {
        fail_msg("mutant %llu leaks %zu blocks", mutant, counts.blocks);
    }
    return status == DP_OK;
}

static void a_damaged_expression_gives_finite_numbers_or_a_message(void **state)
{
    (void)state;
    char text[LONGEST + 1];
    int parsed = 0;
    for (int k = 0; k < SEEDS; ++k) {
        for (int i = 0; i < MUTANTS; ++i) {
            const uint64_t mutant = (uint64_t)(k * MUTANTS + i);
            random_source r = {mutant};
            damaged_text damaged = {text, strlen(seed[k]), LONGEST};
            memcpy(text, seed[k], damaged.count);
            for (int c = 0; c < i % 4; ++c) { // none: the seed itself
                damage_text(&damaged, word, WORDS, &r);
            }
            text[damaged.count] = '\0';
            parsed += swallow(text, mutant);
        }
    }
    // The damage must not be so heavy that nothing of the evaluation is seen.
    assert_true(parsed > SEEDS * MUTANTS / 4 && parsed < SEEDS * MUTANTS);
    assert_true(evaluated > 1000 && refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_expression_gives_finite_numbers_or_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
