// strtod reads the decimal point of the program's locale. Only the point depends on the locale, so
// we take it out: "12.5e3" is handed over as "125e2", which every locale rounds in the same way.
#include "base/text/decimal.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>

// A double is decided by 768 significant digits and whether any later digit is not zero.
enum { SIGNIFICANT_DIGITS = 770, EXPONENT_LIMIT = 1000000 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
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

// Few digits and a small exponent, as most numbers have: both the digits and the power of ten are
// doubles, so that the one product or quotient is rounded as strtod rounds it [Clinger1990].
enum { EXACT_DIGITS = 15, EXACT_POWER = 22 };

static double scale_exactly(const char *digit, int digits, long exponent)
{
    static const double power[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    DP_ASSERT(-EXACT_POWER <= exponent && exponent <= EXACT_POWER);
    long long whole = 0;
    for (int i = 0; i < digits; ++i) {
        whole = 10 * whole + (digit[i] - '0');
    }
    return exponent < 0 ? (double)whole / power[-exponent] : (double)whole * power[exponent];
}

bool dp_decimal_read(double *out, const char **cursor)
{
    const char *at = *cursor;
    char buffer[SIGNIFICANT_DIGITS + 32]; // digits, one sticky digit, exponent
    int digits = 0;
    long exponent = 0;
    bool any = false, point = false, sticky = false;
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
            buffer[digits++] = *at;
        } else { // dropped, but it may break a tie
            sticky = sticky || *at != '0';
            exponent += exponent < EXPONENT_LIMIT;
        }
    }
    if (!any) {
        return false;
    }
    if (*at == 'e' || *at == 'E') {
        ++at;
        if (!read_exponent(&exponent, &at)) {
            return false;
        }
    }
    *cursor = at;
    if (digits == 0) {
        *out = 0.0;
        return true;
    }
    if (digits <= EXACT_DIGITS && labs(exponent) <= EXACT_POWER) {
        *out = scale_exactly(buffer, digits, exponent);
        return true;
    }
    if (sticky) {
        buffer[digits++] = '1';
        exponent -= 1;
    }
    snprintf(buffer + digits, sizeof buffer - (size_t)digits, "e%ld", exponent);
    *out = strtod(buffer, NULL);
    return true;
}
