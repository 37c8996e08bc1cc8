// The replay of a run: frames at even distances, and what its page says.
#ifndef DASHPOT_CLI_FILM_H
#define DASHPOT_CLI_FILM_H

#include "common/table.h"

#include <dashpot/record.h>

/// All zeros: no replay is asked for.
typedef struct cli_film {
    dp_replay *replay;
    dp_recorder *channels; // for plots
    long long every;       // steps from frame to frame
    dp_replay_fact *fact;
    int nfact;
} cli_film;

/// @param channels what the user asks for, to be plotted besides energies and certificates; NULL:
///        nothing else. Complains and returns false.
bool cli_film_begin(cli_film *film, const dp_model *m, long long steps, const char *channels);
void cli_film_end(cli_film *film);

/// Steps until the next frame.
long long cli_film_wait(const cli_film *film, long long done);
/// Take a frame, if one is due after so many steps of all.
DP_NODISCARD dp_status cli_film_look(cli_film *film, dp_data *d, long long done, long long steps);

/// The lines of a table of two columns, borrowed from it; NULL without a replay.
const dp_replay_fact *cli_film_facts(cli_film *film, const cli_table *table);

#endif
