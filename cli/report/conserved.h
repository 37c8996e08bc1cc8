// What ought to stay the same in a run, and why it may not.
#ifndef DASHPOT_CLI_CONSERVED_H
#define DASHPOT_CLI_CONSERVED_H

#include <dashpot/sim.h>

/// Sums over everything that moves, at the present state (after dp_kinematics). Angular: about the
/// centre of mass.
dp_momentum cli_total_momentum(const dp_model *m, const dp_data *d);

/// Why momentum is exchanged with the world, in words; "" when only uniform gravity acts from
/// outside. Then the linear momentum changes by the weight and the angular momentum about the
/// centre of mass stays.
void cli_momentum_exchange(char *why, size_t size, const dp_model *m, const dp_options *options);

/// What puts energy in or takes it out, in words; "" when nothing does.
void cli_energy_exchange(char *why, size_t size, const dp_model *m, const dp_options *options);

/// Change of linear momentum less that by gravity, and of angular momentum: their lengths.
void cli_momentum_drift(double drift[2], const dp_momentum *first, const dp_momentum *last,
                        const dp_options *options, double seconds);

#endif
