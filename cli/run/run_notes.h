// What a run says on stderr of what looks wrong, and what to try.
#ifndef DASHPOT_CLI_RUN_NOTES_H
#define DASHPOT_CLI_RUN_NOTES_H

#include "run/run.h"

/// An implicit step takes the life out of what swings too fast for it, and nothing looks wrong.
void cli_note_periods(const cli_run_state *r);
/// A start that the rows do not allow: the first step corrects it, with a jerk.
void cli_note_start(const cli_run_state *r);
/// Long steps take the life out of a mechanism with loops, and every certificate is fine.
void cli_note_energy(const cli_run_state *r);
/// A scene drawn at rest stays there: say how to make it move.
void cli_hint_at_keyframes(const cli_run_state *r, const cli_run_options *o);
/// What to try after a step that failed.
void cli_advise(const cli_run_state *r, const cli_run_options *o);

#endif
