// A box on one-sided springs as an ordinary differential equation, and two methods with error
// control for it. They know nothing of the library's step: it is judged by them.
#ifndef DASHPOT_CLI_CUBE_ODE_H
#define DASHPOT_CLI_CUBE_ODE_H

#include <dashpot/expression.h>
#include <dashpot/types.h>

/// Forces on a box, given by expressions in t, in world axes.
enum { CLI_CUBE_FORCES = 8 };
typedef struct cli_cube_force {
    dp_v3 point;             // [m] in the box
    dp_expression *along[3]; // [N] NULL: 0
} cli_cube_force;

typedef struct cli_cube {
    double mass, moments[3]; // about its axes
    double half[3];          // [m] of its sides
    double gap;              // [m] of its lower face at the start
    double gravity;          // [m/s²] downwards
    int nx, ny;              // springs under it
    double k, b;             // of each
    cli_cube_force force[CLI_CUBE_FORCES];
    int nforce;
} cli_cube;

/// Displacement since the start, rotation vector, velocity (world axes), angular velocity (box
/// axes). At the start all are zero.
enum { CLI_CUBE_STATES = 12 };

typedef enum cli_ode_method {
    CLI_ODE_EXPLICIT, // Dormand and Prince's pair of orders 5 and 4
    CLI_ODE_IMPLICIT, // Shampine's modified Rosenbrock pair of orders 2 and 3, L-stable
} cli_ode_method;

typedef struct cli_ode_result {
    double y[CLI_CUBE_STATES];
    long steps, rejected;
    bool failed; // an expression without a value, or steps that vanish
} cli_ode_result;

/// Solve from rest at t = 0 to `seconds`.
/// @param tolerance [m, rad] of each step; of velocities that times √(K/m), K of all springs
/// @param longest [s] of steps
cli_ode_result cli_cube_solve(const cli_cube *cube, cli_ode_method method, double seconds,
                              double tolerance, double longest);

/// By how many decimal digits a small disturbance of the start grows until `seconds`, in the norm
/// of displacement, rotation and velocities over √(K/m): that many are lost to any method.
/// @param small [m]
double cli_cube_growth(const cli_cube *cube, double seconds, double small);

/// Where it rests under the loads at `t`, as if they stayed: height and tilt, all else 0.
/// @return false where it finds no rest
bool cli_cube_rest(double *y, const cli_cube *cube, double t);

#endif
