// Controls over time from a CSV file: `time,<actuators…>`, rows in the order of time.
#ifndef DASHPOT_CLI_CONTROLS_H
#define DASHPOT_CLI_CONTROLS_H

#include <dashpot/sim.h>

typedef struct cli_controls {
    int columns;   // besides time
    int *actuator; // columns: which control each sets
    double *value; // rows × (1 + columns), time first
    size_t rows, capacity;
    int *outside; // columns: the first line with a value outside of the control range; 0: none
    bool interpolate;
    size_t row;       // the last one found, where the next search starts
    double tolerance; // [s] a row counts as reached this much earlier: times are sums of steps
} cli_controls;

/// Read a file. Complains and returns false.
bool cli_controls_load(cli_controls *out, const char *path, const dp_model *m);
void cli_controls_destroy(cli_controls *controls);

/// Note on stderr, once per column, where a control is clamped to its range.
void cli_controls_note_clamped(const cli_controls *controls, const char *path, const dp_model *m);

/// The time of the last row [s].
double cli_controls_end(const cli_controls *controls);

/// Set the controls for time `t`: those of the last row that is not later, or between it and the
/// next. Before the first row they stay as they are.
void cli_controls_apply(cli_controls *controls, dp_data *d, double t);

/// The same as a control callback; the context is the cli_controls.
dp_status cli_controls_callback(void *context, dp_data *d);

#endif
