#include "math/exponential.h"

#include <stdint.h>
#include <string.h>

// 2ⁿ for −1022 ≤ n ≤ 1023, put together from its bits.
static double power_of_two(int n)
{
    const uint64_t bits = (uint64_t)(n + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double dp_exp(double x)
{
    if (x < -700.0) {
        return 0.0;
    }
    if (x > 700.0) {
        x = 700.0;
    }
    // x = n ln 2 + r, |r| ≤ ½ ln 2, with ln 2 in two pieces [CodyWaite1980]; then the Taylor
    // series.
    const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    const double shifter = 0x1.8p52; // adding it rounds to an integer
    const double n = (x * 1.44269504088896340736 + shifter) - shifter;
    const double r = (x - n * ln2_high) - n * ln2_low;
    double p = 1.0;
    for (int k = 14; k >= 1; --k) { // the next term is below 2⁻⁵³ of the sum
        p = 1.0 + r * p / k;
    }
    return p * power_of_two((int)n);
}
