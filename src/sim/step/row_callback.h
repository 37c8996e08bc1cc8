// Rows of the user: what callbacks say of them, at the start and at the end of a step.
#ifndef DP_SIM_ROW_CALLBACK_H
#define DP_SIM_ROW_CALLBACK_H

#include "sim/data.h"

/// Who asks: of `solve`, its length and where it ends.
typedef struct dp_row_caller {
    dp_data *d;
    const dp_row_solve *solve;
} dp_row_caller;

/// The rows of the user, by their callbacks. `caller` is borrowed for as long as they are used.
dp_user_rows dp_row_callbacks(dp_row_caller *caller);

#endif
