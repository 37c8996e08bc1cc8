// The files that a run leaves behind.
#ifndef DASHPOT_CLI_OUTPUTS_H
#define DASHPOT_CLI_OUTPUTS_H

#include <dashpot/record.h>

typedef struct cli_outputs {
    const char *csv, *npz, *plot; // NULL: not asked for
} cli_outputs;

/// Whether a file can be written. Complains and returns false, `what` in front. Leaves no trace.
bool cli_can_be_written(const char *what, const char *path);

bool cli_outputs_any(const cli_outputs *outputs);

/// Whether every file can be written, no two are the same and none is one of the inputs (NULL ends
/// them). Complains and returns false. Leaves no trace.
bool cli_outputs_check(const cli_outputs *outputs, const char *const *inputs);

/// Write every file, also when one fails. Complains and returns false when one did; `written` lists
/// those that did not, at most three.
bool cli_outputs_write(const char *written[3], int *count, const cli_outputs *outputs,
                       const dp_recorder *recorder, const char *title);

#endif
