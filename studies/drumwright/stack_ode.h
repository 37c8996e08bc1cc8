// Balls that move along one line above a floor, as an ordinary differential equation with forces of
// Hertz and of Hunt and Crossley, and a method with error control for it. It knows nothing of the
// library's step: that is judged by it.
#ifndef DASHPOT_CLI_STACK_ODE_H
#define DASHPOT_CLI_STACK_ODE_H

#include <stdbool.h>

enum { CLI_STACK_MOST = 8 };
typedef struct cli_stack {
    int n;
    double mass, radius, gravity;
    double k[2]; // [N/m^{3/2}] of the floor with a ball, and of two balls
    double d[2]; // [s/m] the same, dissipation
    double z[CLI_STACK_MOST], v[CLI_STACK_MOST]; // [m] of centres, ascending; [m/s]
} cli_stack;

typedef struct cli_stack_result {
    long steps;
    bool failed; // steps that vanish
} cli_stack_result;

/// Advance by `seconds`. @param tolerance [m] of each step; of velocities that over 1e-5 s
cli_stack_result cli_stack_advance(cli_stack *s, double seconds, double tolerance);

#endif
