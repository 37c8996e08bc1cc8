#include "sim/number_check.h"

#include "math/pair2.h"

#include <math.h>

int dp_first_beyond(const double *x, int n, double limit)
{
    // All together, as long as even the sum of their squares is below; two sums, since one would
    // wait.
    dp_pair2 sum[2] = {dp_pair2_zero(), dp_pair2_zero()};
    int first = 0;
    for (; first + 4 <= n; first += 4) {
        const dp_pair2 one = dp_pair2_load(x + first), two = dp_pair2_load(x + first + 2);
        sum[0] = dp_pair2_madd(sum[0], one, one);
        sum[1] = dp_pair2_madd(sum[1], two, two);
    }
    if (!(dp_pair2_sum(dp_pair2_add(sum[0], sum[1])) < limit * limit)) {
        first = 0;
    }
    for (int i = first; i < n; ++i) {
        if (!(fabs(x[i]) < limit)) {
            return i;
        }
    }
    return -1;
}
