// The rows of a mechanism before its first step.
#ifndef DASHPOT_CLI_ROWS_AT_START_H
#define DASHPOT_CLI_ROWS_AT_START_H

#include <dashpot/advanced/law.h>
#include <dashpot/sim.h>

/// How far an equality is from being met, the worst of its rows.
typedef struct cli_gap {
    bool there;  // it has rows: it is in force and something can change it
    double gap;  // [m, rad] with its sign; turns of a weld in metres (torque_scale)
    double rate; // [m/s, rad/s] the same
} cli_gap;

/// After dp_forward.
cli_gap cli_equality_gap(const dp_model *m, const dp_data *d, dp_equality_id equality);

/// What the law finds in the rows of the present state. After dp_forward; false: out of memory, or
/// there are no rows.
bool cli_solve_at_start(dp_solve_info *out, const dp_law_options *law, const dp_data *d);

#endif
