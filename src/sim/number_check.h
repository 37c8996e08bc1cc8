// Numbers that are none, or too large to go on with.
#ifndef DP_SIM_NUMBER_CHECK_H
#define DP_SIM_NUMBER_CHECK_H

#include "linalg/vector.h"

#include <dashpot/sim.h>

/// What numbers are, one for each position, velocity, actuator or activation of a model.
typedef enum dp_number {
    DP_NUMBER_POSITION,
    DP_NUMBER_VELOCITY,
    DP_NUMBER_ACCELERATION,
    DP_NUMBER_FORCE,
    DP_NUMBER_CONTROL,
    DP_NUMBER_ACTIVATION,
} dp_number;

/// Refuse numbers whose size is not below `limit`, and name the joint or actuator of the first.
/// @param next they are those at the end of the step. @param expected as the message has it
DP_NODISCARD dp_status dp_numbers_check(const dp_data *d, dp_number what, const double *x,
                                        double limit, bool next, const char *expected);

#endif
