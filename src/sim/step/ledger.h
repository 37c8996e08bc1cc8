// Where the energy goes: the accounts of a step.
#ifndef DP_SIM_LEDGER_H
#define DP_SIM_LEDGER_H

#include "sim/data.h"

/// [J] Kinetic and potential energy of the present state, without what rows hold.
double dp_ledger_stored(const dp_data *d);
/// The energy that is there at the present state.
void dp_ledger_open(dp_data *d);
/// After an attempt with velocities v (nv, before drift) of length h: what was done in it. kin must
/// be at the start of the step.
void dp_ledger_enter(dp_data *d, const double *v, double h);
/// Some trees go only a share of their way (transport.h): take back what was not done.
void dp_ledger_shorten(dp_data *d, const double *v, double h);
/// After the attempt was accepted: the remainder.
void dp_ledger_close(dp_data *d);

/// [J] What the spring of a row holds at the end of the last solve, 0: it is rigid.
double dp_ledger_held(const dp_data *d, int row);

#endif
