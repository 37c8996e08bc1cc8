// Numbers of 106 bits: a double and what it leaves out, at most half a unit of its last place
// [Dekker1971], [Knuth1997]. No fused multiply-add is asked for, and none may be put in.
//
// With CLI_PLAIN_DOUBLE nothing is ever left out: the same code in double alone, to be compared.
#ifndef DASHPOT_CLI_TWOFOLD_H
#define DASHPOT_CLI_TWOFOLD_H

#include <math.h>

typedef struct cli_twofold {
    double hi, lo;
} cli_twofold;

static inline cli_twofold cli_twofold_of(double a)
{
    return (cli_twofold){a, 0.0};
}

/// a + b, exactly.
static inline cli_twofold cli_two_sum(double a, double b)
{
    const double s = a + b;
#ifdef CLI_PLAIN_DOUBLE
    return cli_twofold_of(s);
#else
    const double of_b = s - a;
    return (cli_twofold){s, (a - (s - of_b)) + (b - of_b)};
#endif
}

/// a b, exactly: halves of 26 bits have exact products.
static inline cli_twofold cli_two_product(double a, double b)
{
    const double p = a * b;
#ifdef CLI_PLAIN_DOUBLE
    return cli_twofold_of(p);
#else
    const double split = 134217729.0; // 2²⁷ + 1
    const double s = split * a, t = split * b;
    const double a_hi = s - (s - a), b_hi = t - (t - b);
    const double a_lo = a - a_hi, b_lo = b - b_hi;
    return (cli_twofold){p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
#endif
}

static inline cli_twofold cli_plus(cli_twofold a, cli_twofold b)
{
    const cli_twofold s = cli_two_sum(a.hi, b.hi), t = cli_two_sum(a.lo, b.lo);
    const cli_twofold u = cli_two_sum(s.hi, s.lo + t.hi);
    return cli_two_sum(u.hi, u.lo + t.lo);
}

static inline cli_twofold cli_minus(cli_twofold a, cli_twofold b)
{
    return cli_plus(a, (cli_twofold){-b.hi, -b.lo});
}

static inline cli_twofold cli_times(cli_twofold a, cli_twofold b)
{
    const cli_twofold p = cli_two_product(a.hi, b.hi);
    return cli_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline cli_twofold cli_over(cli_twofold a, cli_twofold b)
{
    const double first = a.hi / b.hi;
    const cli_twofold left = cli_minus(a, cli_times(cli_twofold_of(first), b));
    const double second = left.hi / b.hi;
    const cli_twofold rest = cli_minus(left, cli_times(cli_twofold_of(second), b));
    return cli_plus(cli_two_sum(first, second), cli_twofold_of(rest.hi / b.hi));
}

/// √a, 0 where a is not above 0.
static inline cli_twofold cli_root(cli_twofold a)
{
    if (!(a.hi > 0.0)) {
        return cli_twofold_of(0.0);
    }
    const double first = sqrt(a.hi);
    const cli_twofold left = cli_minus(a, cli_two_product(first, first));
    return cli_two_sum(first, left.hi / (2.0 * first));
}

static inline double cli_rounded(cli_twofold a)
{
    return a.hi + a.lo;
}

#endif
