// A step as named stages (stages.c).
#ifndef DP_SIM_STAGES_H
#define DP_SIM_STAGES_H

#include "sim/data.h"

/// Advance by h, in halves, quarters … h/2ⁿ where rows cannot be solved otherwise, n ≤ halvings.
DP_NODISCARD dp_status dp_advance(dp_data *d, double h, int halvings);
/// The forces of rows in a step of length h from the present state, and, where there are any, the
/// means of the other forces and of the acceleration. Forces must have been evaluated.
DP_NODISCARD dp_status dp_mean_forces(dp_data *d, double h);

#endif
