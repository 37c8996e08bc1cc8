#include "drumwright/pair_5_4.h"

#include <string.h>

enum { STAGES = 7 };

bool cli_pair_try(cli_pair_step *out, cli_rates rates, void *context, int n, double t, double h,
                  const double *y, const double *f)
{
    static const double at[STAGES - 1] = {0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0};
    static const double a[STAGES - 1][STAGES - 1] = {
        {1.0 / 5.0},
        {3.0 / 40.0, 9.0 / 40.0},
        {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
        {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
        {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
        {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0},
    };
    static const double e[STAGES] = {
        71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
        -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
    double k[STAGES][CLI_PAIR_MOST];
    memcpy(k[0], f, (size_t)n * sizeof *f);
    for (int s = 0; s < STAGES - 1; ++s) {
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int j = 0; j <= s; ++j) {
                sum += a[s][j] * k[j][i];
            }
            out->next[i] = y[i] + h * sum;
        }
        if (!rates(k[s + 1], context, t + at[s] * h, out->next)) {
            return false;
        }
    }
    for (int i = 0; i < n; ++i) {
        out->error[i] = 0.0;
        for (int s = 0; s < STAGES; ++s) {
            out->error[i] += h * e[s] * k[s][i];
        }
    }
    memcpy(out->f_next, k[STAGES - 1], (size_t)n * sizeof *f);
    return true;
}
