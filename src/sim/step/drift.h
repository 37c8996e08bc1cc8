// Where velocities lead.
#ifndef DP_SIM_DRIFT_H
#define DP_SIM_DRIFT_H

#include "sim/data.h"

/// q₁ and v₁ after moving with `move`, and ending with `end`, for the time of each tree: the share
/// of h of its budget where it is limited, else h. kin is at q₀.
void dp_drift(double *q1, double *v1, dp_data *d, const double *move, const double *end, double h);
/// The same for an attempt whose trees go all the way and end with what moves them.
void dp_drift_all_the_way(double *q1, double *v1, dp_data *d, const double *v, double h);
/// Give bodies and tendons with armature the velocities at q₁ that are nearest to those that they
/// have (SI 4). @param v nv: before the drift
void dp_tendons_carry(dp_data *d, const double *v, const double *q1, double *v1);

#endif
