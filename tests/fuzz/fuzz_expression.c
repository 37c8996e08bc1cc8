// libFuzzer target: any bytes as an expression. What parses gives finite numbers or a message at
// every time, the same value whether or not derivatives are asked for.
#include <dashpot/expression.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

static void evaluate(const dp_expression *e, double t)
{
    double alone = 0.0, value = 0.0, rate = 0.0, accel = 0.0;
    const dp_status status = dp_expression_value(e, t, &alone);
    check(status == DP_OK ? (bool)isfinite(alone) : status == DP_ERROR_NUMERIC);
    if (dp_expression_eval(e, t, &value, &rate, &accel) == DP_OK) {
        check(isfinite(value) && isfinite(rate) && isfinite(accel));
        check(status == DP_OK && memcmp(&alone, &value, sizeof value) == 0);
        check(dp_expression_varies(e) || (rate == 0.0 && accel == 0.0));
    } else {
        check(dp_last_error()[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char *text = malloc(count + 1);
    if (!text) {
        return 0;
    }
    if (count > 0) {
        memcpy(text, bytes, count);
    }
    text[count] = '\0';
    dp_expression *e;
    if (dp_expression_parse(&e, text, NULL) == DP_OK) {
        static const double time[] = {0.0, 1.0, -1.0, 0.3, 2.0, 1e6, -1e300, 5e-324};
        for (size_t i = 0; i < sizeof time / sizeof time[0]; ++i) {
            evaluate(e, time[i]);
        }
        check(strcmp(dp_expression_text(e), text) == 0);
        dp_expression_destroy(e);
    } else {
        check(!e && dp_last_error()[0] != '\0');
    }
    free(text);
    return 0;
}
