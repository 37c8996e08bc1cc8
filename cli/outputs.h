// The files that a run leaves behind.
#ifndef DASHPOT_CLI_OUTPUTS_H
#define DASHPOT_CLI_OUTPUTS_H

#include <dashpot/record.h>

typedef struct cli_outputs {
    const char *csv, *npz, *plot; // of the channels. NULL: not asked for
    const char *pressure;         // of foundations at the end
} cli_outputs;

enum { CLI_OUTPUTS = 4 };

/// Whether a file can be written. Complains and returns false, `what` in front. Leaves no trace.
bool cli_can_be_written(const char *what, const char *path);

/// Is a file asked for that needs channels?
bool cli_outputs_any(const cli_outputs *outputs);

/// Whether every file can be written, no two are the same and none is one of the inputs (NULL ends
/// them). Complains and returns false. Leaves no trace.
bool cli_outputs_check(const cli_outputs *outputs, const char *const *inputs);

/// Write every file, also when one fails. Complains and returns false when one did; `written` lists
/// those that did not. @param recorder NULL where no channels are asked for
bool cli_outputs_write(const char *written[CLI_OUTPUTS], int *count, const cli_outputs *outputs,
                       const dp_recorder *recorder, const dp_model *m, const dp_data *d,
                       const char *title);

#endif
