// Rows of the user: what callbacks say of them, at the start and at the end of a step.
#ifndef DP_SIM_ROW_CALLBACK_H
#define DP_SIM_ROW_CALLBACK_H

#include "sim/data.h"

/// The rows of the user, by their callbacks. `s` is borrowed for as long as they are used: of it
/// the length of the step, and where it ends.
dp_user_rows dp_row_callbacks(dp_attempt *s);

#endif
