// One step of the embedded Runge–Kutta pair 5(4) of Dormand and Prince.
#ifndef DASHPOT_CLI_PAIR_5_4_H
#define DASHPOT_CLI_PAIR_5_4_H

#include <stdbool.h>

enum { CLI_PAIR_MOST = 12 }; // states

/// The rates of n states; false: they have none there.
typedef bool (*cli_rates)(double *out, void *context, double t, const double *y);

typedef struct cli_pair_step {
    double next[CLI_PAIR_MOST];   // states at t + h
    double f_next[CLI_PAIR_MOST]; // rates there
    double error[CLI_PAIR_MOST];  // what the two orders differ by
} cli_pair_step;

/// @param y, f n states at t and their rates
bool cli_pair_try(cli_pair_step *out, cli_rates rates, void *context, int n, double t, double h,
                  const double *y, const double *f);

#endif
