// A step moves bodies by one velocity and ends with another where
//  * rigid rows start violated: closing their gaps moves bodies, and leaves no velocity behind;
//  * contacts have impacts with restitution (solve/impact.h);
//  * rigid.stabilisation=projection asks for it.
//
// Position correction. With the rows of the step, v_P ends in positions without violation. The
// velocity that ends the step is v_V, by the same rows less the gaps that were violated at its
// start; v_P − v_V is the correcting velocity. Momentum balances with v_V, and no kinetic energy
// comes of closing gaps.
#ifndef DP_SIM_VELOCITY_SPLIT_H
#define DP_SIM_VELOCITY_SPLIT_H

#include "sim/data.h"

/// Does a row have no spring? What a rigid law regularises by is none.
bool dp_row_is_rigid(const dp_constrained *c, const dp_law_options *law, int row);

/// The gap that a rigid row closes of what it was violated by at the start of the step, at no more
/// than options.correction_speed; 0: the row is not violated. @param phi its gap at the start
double dp_correction_of(const dp_data *d, int block, int row, double phi, double h);

/// After the rows of an attempt are solved, kin at its start: both velocities, where they differ.
DP_NODISCARD dp_status dp_velocity_split_find(dp_data *d, const dp_attempt *s);

#endif
