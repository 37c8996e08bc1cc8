// A box on a floor that is pushed to and fro, as one equation in its velocity, and implicit Euler's
// method on it with every choice that [CastroQuKuppuswamyAlspachSherman2020] compares, and those
// that it leaves open:
//
//     m v̇ = A cos ωt − F m(v),   m(v) = v/v_s where |v| ≤ v_s, the sign of v beyond
#ifndef DASHPOT_CLI_BOX_EULER_H
#define DASHPOT_CLI_BOX_EULER_H

#include <stdbool.h>

typedef struct cli_box {
    double mass;  // [kg]
    double grip;  // [N] friction at its largest
    double v_s;   // [m/s] from which it has that
    double push;  // [N] amplitude of the force
    double omega; // [rad/s] its frequency
} cli_box;

/// [m/s²]
double cli_box_rate(const cli_box *box, double t, double v);

/// The velocity at t1 after v at t0, from closed forms of its parts.
double cli_box_flow(const cli_box *box, double t0, double t1, double v);

/// What Newton's method does when it does not get on.
typedef enum cli_newton_policy {
    CLI_NEWTON_STRICT,  ///< gives up when increments grow, or fall too slowly for ten of them
    CLI_NEWTON_PATIENT, ///< gives up after fifty
} cli_newton_policy;

/// The iterates of one solution, at most as many as fit.
typedef struct cli_newton_history {
    double v[64], residual[64]; // [m/s]
    int count;
} cli_newton_history;

/// Start with the first four fields.
typedef struct cli_box_euler {
    cli_box box;
    bool quasi;      // Jacobians are kept as long as they will do
    bool transition; // steps end where friction changes
    cli_newton_policy policy;
    bool has_slope;
    double slope; // ∂v̇/∂v [1/s] as it was taken last
    long evaluations, iterations, failures;
} cli_box_euler;

/// One step of length h from v at t. @return whether Newton's method came to an end; *v is as it
/// was otherwise. @param history may be NULL
bool cli_box_euler_step(double *v, cli_box_euler *e, double t, double h, double tolerance,
                        cli_newton_history *history);
/// The same in as many parts as it takes. Tolerances are `share` h² of each part.
void cli_box_euler_fixed(double *v, cli_box_euler *e, double t, double h, double share);
/// From t0 to t1 in steps whose error, by one step against two halves, is below `accuracy` [m/s].
/// @param h the step to begin with, and to go on with
void cli_box_euler_controlled(double *v, cli_box_euler *e, double t0, double t1, double accuracy,
                              double *h);

#endif
