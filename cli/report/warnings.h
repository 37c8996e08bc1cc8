// What is likely to go wrong with a mechanism, found without running it.
#ifndef DASHPOT_CLI_WARNINGS_H
#define DASHPOT_CLI_WARNINGS_H

#include "common/scene.h"

#include <dashpot/sim.h>

/// One thing to look out for. Codes stay the same from version to version: "W-…" is probably a
/// mistake, "N-…" is worth knowing.
typedef struct cli_warning {
    const char *code;
    const char *advice; // what to do about it
    char *text;         // one sentence
} cli_warning;

typedef struct cli_warning_list {
    cli_warning *item;
    int count, capacity;
    bool failed; // out of memory: some are missing
} cli_warning_list;

/// Examine the mechanism of a scene. `d` is at its reference configuration, and is again when this
/// returns. Release with cli_warnings_destroy.
void cli_warnings_find(cli_warning_list *out, const cli_scene *scene, dp_data *d);
void cli_warnings_destroy(cli_warning_list *list);

/// All codes that there are.
extern const char *const cli_warning_codes[];
extern const int cli_nwarning_code;

// --- for the parts of the search

/// Add a warning. The code is one of those with an advice.
void cli_warn(cli_warning_list *list, const char *code, const char *format, ...) DP_PRINTF(3, 4);

/// Masses and inertias, also against the geoms of their bodies. warnings_mass.c
void cli_look_at_masses(cli_warning_list *list, dp_spec *spec, const dp_model *m);
/// Actuators, and what is too stiff for the step. warnings_drive.c
/// Oscillations that are too fast for an implicit step, at the settings and the state of `d`;
/// N-UNRESOLVED.
void cli_look_at_periods(cli_warning_list *list, dp_spec *spec, const dp_model *m, dp_data *d);
void cli_look_at_drives(cli_warning_list *list, dp_spec *spec, const dp_model *m, dp_data *d);

/// Rows before the first step: loops that are open or come apart, limits of tendons, at the
/// reference configuration and at every keyframe; what has no effect or says the same.
/// warnings_rows.c
void cli_look_at_rows(cli_warning_list *list, const dp_model *m, dp_data *d);
/// What is switched off, approximated or has no effect. warnings_rows.c
void cli_look_at_caveats(cli_warning_list *list, const cli_scene *scene);
/// The first part of this at the present state. @param where ends a sentence: " at …", or ""
void cli_look_at_start(cli_warning_list *list, const dp_model *m, dp_data *d, const char *where);

#endif
