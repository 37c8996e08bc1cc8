// What rigid contacts throw back at the end of a step (solve/impact.h), and velocities without the
// part that closes gaps.
#ifndef DP_SIM_IMPACTS_H
#define DP_SIM_IMPACTS_H

#include "sim/data.h"

/// After the rows of an attempt are solved, kin at its start: the velocities that end it, where
/// these are not those that moved the bodies. Nothing to do for laws that are not rigid.
DP_NODISCARD dp_status dp_impacts_find(dp_data *d, const dp_row_solve *s);

/// Put them where they belong. @param v1 nv: the velocities at the end of the attempt
void dp_impacts_land(dp_data *d, double *v1);

#endif
