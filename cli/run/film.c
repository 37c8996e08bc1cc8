#include "run/film.h"

#include "common/program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Enough for a smooth picture, as the page draws what lies between them.
static const long long MOST_FRAMES = 600;

static const char *const USUAL_CHANNELS = "energy.*,cert.*,step.*";

bool cli_film_begin(cli_film *film, const dp_model *m, long long steps, const char *channels)
{
    const size_t bytes = strlen(USUAL_CHANNELS) + (channels ? strlen(channels) : 0) + 2;
    char *names = malloc(bytes);
    if (!names) {
        cli_complain("out of memory");
        return false;
    }
    snprintf(names, bytes, "%s%s%s", USUAL_CHANNELS, channels ? "," : "", channels ? channels : "");
    dp_status status = dp_recorder_create(&film->channels, m, names, NULL);
    free(names);
    if (status == DP_OK) {
        status = dp_replay_create(&film->replay, m, NULL);
    }
    if (status != DP_OK) {
        cli_complain("%s%s", channels ? "--channels: " : "", dp_last_error());
    }
    film->every = steps <= MOST_FRAMES ? 1 : (steps + MOST_FRAMES - 1) / MOST_FRAMES;
    return status == DP_OK;
}

void cli_film_end(cli_film *film)
{
    dp_replay_destroy(film->replay);
    dp_recorder_destroy(film->channels);
    free(film->fact);
}

long long cli_film_wait(const cli_film *film, long long done)
{
    return film->replay ? film->every - done % film->every : LLONG_MAX;
}

dp_status cli_film_look(cli_film *film, dp_data *d, long long done, long long steps)
{
    if (!film->replay || (done % film->every != 0 && done != steps)) {
        return DP_OK;
    }
    const dp_status status = dp_replay_sample(film->replay, d);
    return status == DP_OK ? dp_recorder_sample(film->channels, d) : status;
}

const dp_replay_fact *cli_film_facts(cli_film *film, const cli_table *table)
{
    const size_t rows = table->count / 2;
    film->fact = film->replay && !table->failed ? calloc(rows + 1, sizeof *film->fact) : NULL;
    for (size_t i = 0; film->fact && i < rows; ++i) {
        film->fact[i] = (dp_replay_fact){table->cell[2 * i], table->cell[2 * i + 1]};
        film->nfact = (int)i + 1;
    }
    return film->fact;
}
