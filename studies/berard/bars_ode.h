// The six mechanisms of [Berard2006] by Lagrange's equations in the fewest coordinates, with
// Coulomb's law as a sequence of smooth motions: the block sticks to the floor, slides, or is
// pushed, and each change is found where it happens. It knows nothing of the library's step, which
// is judged by it; the block stays level, and what it takes to tip it is watched.
#ifndef DASHPOT_CLI_BARS_ODE_H
#define DASHPOT_CLI_BARS_ODE_H

#include <dashpot/expression.h>

/// What moves the block along x.
typedef enum cli_bars_mode {
    CLI_BARS_HELD,  // there is none: rod A is on a pin in the world
    CLI_BARS_STICK, // it goes with the floor
    CLI_BARS_SLIDE, // friction opposes the slip
    CLI_BARS_PUSH,  // it goes with the pusher
} cli_bars_mode;

enum { CLI_BARS_STATES = 8 };

typedef struct cli_bars {
    // What there is. Rods are slender or not: the inertia is about the centre.
    bool has_block, has_pusher, on_spring;
    double g;
    double block_mass, half_length, half_height;
    double mass[2], inertia[2], length[2]; // of A and of B; a particle has neither of the last
    double stiffness, damping, rest;       // of the spring between A and the particle
    double mu, belt;                       // of the floor: friction, speed along x
    double pusher_mu, pusher_radius;
    const dp_expression *push[2]; // x and z of the pusher

    // Where it is: x of the block, angle of A from the x axis, angle of B or position of the
    // particle, and their rates.
    double t;
    double y[CLI_BARS_STATES];
    int n; // coordinates
    cli_bars_mode mode;
    double way; // SLIDE, PUSH: +1 or −1, the sign of the slip on the floor

    // What happened.
    int changes;       // of the mode
    double impact;     // [m/s] fastest meeting with the pusher
    double least_load; // [N] of a foot: below 0 the block would have tipped
    bool failed;
} cli_bars;

/// Begin where t and y are.
void cli_bars_begin(cli_bars *o);
/// Advance to time `until`. @param tolerance of a step, of positions [m, rad] and velocities
/// [1/s] of these. False: an expression has no value, or steps vanish
bool cli_bars_advance(cli_bars *o, double until, double tolerance);
/// Kinetic energy and that of gravity and spring [J], heights counted from the pin of rod A.
double cli_bars_energy(const cli_bars *o);

#endif
