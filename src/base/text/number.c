#include "base/text/number.h"

#include "base/output.h"
#include "base/text/decimal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const char *dp_skip_space(const char *text)
{
    while (is_space(*text)) {
        ++text;
    }
    return text;
}

int dp_word_length(const char *text)
{
    int n = 0;
    while (text[n] != '\0' && !is_space(text[n]) && n < 1000000) {
        ++n;
    }
    return n;
}

// "inf", "-infinity", "nan": numbers to other readers, never to us
static bool is_not_finite_word(const char *text)
{
    if (*text == '+' || *text == '-') {
        ++text;
    }
    if (*text < 'A') {
        return false; // a digit or a point, as of most numbers
    }
    static const char *const word[] = {"inf", "nan"};
    for (int w = 0; w < 2; ++w) {
        if (tolower((unsigned char)text[0]) == word[w][0] &&
            tolower((unsigned char)text[1]) == word[w][1] &&
            tolower((unsigned char)text[2]) == word[w][2]) {
            return true;
        }
    }
    return false;
}

dp_number_outcome dp_number_read(double *out, const char **cursor)
{
    const char *at = dp_skip_space(*cursor);
    *cursor = at;
    if (*at == '\0') {
        return DP_NUMBER_END;
    }
    if (is_not_finite_word(at)) {
        return DP_NUMBER_TOO_LARGE;
    }

    const bool negative = *at == '-';
    if (*at == '-' || *at == '+') {
        ++at;
    }
    double size;
    if (!dp_decimal_read(&size, &at) || (*at != '\0' && !is_space(*at))) {
        return DP_NUMBER_MALFORMED;
    }
    if (!isfinite(size)) {
        return DP_NUMBER_TOO_LARGE;
    }
    *out = negative ? -size : size;
    *cursor = at;
    return DP_NUMBER_OK;
}

// Printed and read in the same locale; the point comes last.
int dp_number_text(char out[DP_NUMBER_BYTES], double x)
{
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(out, DP_NUMBER_BYTES, "%.*g", digits, x);
        if (strtod(out, NULL) == x) {
            break; // with 17 digits always
        }
    }
    dp_plain_number(out);
    return (int)strlen(out);
}

int dp_float_text(char out[DP_NUMBER_BYTES], float x)
{
    for (int digits = 6; digits <= 9; ++digits) {
        snprintf(out, DP_NUMBER_BYTES, "%.*g", digits, (double)x);
        if ((float)strtod(out, NULL) == x) {
            break;
        }
    }
    dp_plain_number(out);
    return (int)strlen(out);
}
