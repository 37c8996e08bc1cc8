// strtod reads the decimal point of the program's locale. Only the point depends on the locale, so
// we take it out: "12.5e3" is handed over as "125e2", which every locale rounds in the same way.
#include "base/number.h"

#include "base/output.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A double is decided by 768 significant digits and whether any later digit is not zero.
enum { SIGNIFICANT_DIGITS = 770, EXPONENT_LIMIT = 1000000 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
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

// The exponent behind "e"; false when no digit follows.
static bool read_exponent(long *exponent, const char **cursor)
{
    const char *at = *cursor;
    const bool negative = *at == '-';
    if (*at == '-' || *at == '+') {
        ++at;
    }
    if (!is_digit(*at)) {
        return false;
    }
    long value = 0;
    for (; is_digit(*at); ++at) {
        value = value < EXPONENT_LIMIT ? 10 * value + (*at - '0') : EXPONENT_LIMIT;
    }
    *exponent += negative ? -value : value;
    *cursor = at;
    return true;
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

    char buffer[SIGNIFICANT_DIGITS + 32]; // sign, digits, one sticky digit, exponent
    int n = 0, digits = 0;
    long exponent = 0;
    bool any = false, point = false, sticky = false;
    if (*at == '-' || *at == '+') {
        buffer[n++] = *at++;
    }
    for (; is_digit(*at) || (*at == '.' && !point); ++at) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        exponent -= point && exponent > -EXPONENT_LIMIT;
        if (digits == 0 && *at == '0') {
            continue; // leading zeros say nothing
        }
        if (digits < SIGNIFICANT_DIGITS) {
            buffer[n++] = *at;
            ++digits;
        } else { // dropped, but it may break a tie
            sticky = sticky || *at != '0';
            exponent += exponent < EXPONENT_LIMIT;
        }
    }
    if (!any) {
        return DP_NUMBER_MALFORMED;
    }
    if (*at == 'e' || *at == 'E') {
        ++at;
        if (!read_exponent(&exponent, &at)) {
            return DP_NUMBER_MALFORMED;
        }
    }
    if (*at != '\0' && !is_space(*at)) {
        return DP_NUMBER_MALFORMED;
    }
    if (digits == 0) {
        *out = n > 0 && buffer[0] == '-' ? -0.0 : 0.0;
        *cursor = at;
        return DP_NUMBER_OK;
    }
    if (sticky) {
        buffer[n++] = '1';
        exponent -= 1;
    }
    snprintf(buffer + n, sizeof buffer - (size_t)n, "e%ld", exponent);
    const double value = strtod(buffer, NULL);
    if (!isfinite(value)) {
        return DP_NUMBER_TOO_LARGE;
    }
    *out = value;
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
