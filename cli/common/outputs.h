// The files that a run leaves behind.
#ifndef DASHPOT_CLI_OUTPUTS_H
#define DASHPOT_CLI_OUTPUTS_H

#include <dashpot/record.h>

typedef struct cli_outputs {
    const char *csv, *npz, *plot; // of the channels. NULL: not asked for
    const char *pressure;         // of foundations at the end
    const char *html;             // a replay
} cli_outputs;

enum { CLI_OUTPUTS = 5 };

/// Whether a file can be written. Complains and returns false, `what` in front. Leaves no trace.
bool cli_can_be_written(const char *what, const char *path);

/// The same, and whether it is none of the inputs (NULL ends them), nor "-".
bool cli_output_check(const char *option, const char *path, const char *const *inputs);

/// Is a file asked for that needs channels?
bool cli_outputs_any(const cli_outputs *outputs);

/// Whether every file can be written, no two are the same and none is one of the inputs (NULL ends
/// them). Complains and returns false. Leaves no trace.
bool cli_outputs_check(const cli_outputs *outputs, const char *const *inputs);

/// What there is to write.
typedef struct cli_results {
    const dp_model *m;
    const dp_data *d;
    const char *title;
    const dp_recorder *recorder; // NULL where no channels are asked for
    const dp_replay *replay;     // NULL where no replay is asked for
    const dp_replay_page *page;  // of the replay
} cli_results;

/// Write every file, also when one fails. Complains and returns false when one did; `written` lists
/// those that did not.
bool cli_outputs_write(const char *written[CLI_OUTPUTS], int *count, const cli_outputs *outputs,
                       const cli_results *results);

#endif
