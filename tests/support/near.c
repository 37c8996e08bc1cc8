#include "near.h"

#include <float.h>
#include <math.h>

void assert_near_at(double actual, double expected, double tolerance, const char *what,
                    const char *file, int line)
{
    if (!(fabs(actual - expected) <= tolerance)) {
        print_error("%s is %.17g, expected %.17g to within %g (off by %g)\n", what, actual,
                    expected, tolerance, fabs(actual - expected));
        _fail(file, line);
    }
}

void assert_close_at(double actual, double expected, double tolerance, const char *what,
                     const char *file, int line)
{
    assert_near_at(actual, expected, tolerance * fmax(1.0, fabs(expected)), what, file, line);
}

double ulps_between(double x, long double reference)
{
    int exponent;
    frexp(fmax(fabs(x), DBL_MIN), &exponent);
    return (double)(fabsl((long double)x - reference) / ldexpl(1.0L, exponent - DBL_MANT_DIG));
}

uint64_t random_bits(random_source *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double random_between(random_source *r, double low, double high)
{
    const double unit = (double)(random_bits(r) >> 11) * 0x1p-53; // [0, 1)
    return low + unit * (high - low);
}
