// What a scene or its settings ask for and a run does without or replaces.
#ifndef DASHPOT_CLI_CAVEATS_H
#define DASHPOT_CLI_CAVEATS_H

#include "common/json.h"
#include "common/scene.h"
#include "common/table.h"

typedef enum cli_caveat_kind {
    CLI_CAVEAT_DISABLED,     ///< a part of the physics is switched off
    CLI_CAVEAT_APPROXIMATED, ///< what the file asks for is done in another way
    CLI_CAVEAT_FRICTION,     ///< friction that is not simulated
    CLI_CAVEAT_NO_EFFECT,    ///< a setting that the law or the integrator does not use
    CLI_CAVEAT_KINDS,
} cli_caveat_kind;

typedef struct cli_caveat {
    cli_caveat_kind kind;
    char *text; // one sentence, without a full stop
} cli_caveat;

typedef struct cli_caveats {
    cli_caveat *item; // in the order of their kinds
    int count;
    bool failed; // out of memory: some are missing
} cli_caveats;

/// Everything that concerns a run with these settings. Release with cli_caveats_destroy.
void cli_caveats_find(cli_caveats *out, const cli_scene *scene, const dp_options *settings);
void cli_caveats_destroy(cli_caveats *caveats);

/// A setting of a law that has no effect under it: "lcp.directions=16 under the law …".
/// @return the number of the first such option from `first` on, −1: there is none
int cli_idle_option(char *out, size_t size, const dp_law_options *law, int first);

/// Lines of a table: a few of each kind, and how many more there are.
void cli_caveats_cells(cli_table *t, const cli_caveats *caveats);
/// "caveats", an array of objects with "kind" and "message".
void cli_caveats_json(cli_json *j, const cli_caveats *caveats);

#endif
