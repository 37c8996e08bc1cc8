// A run of the simulation: what was asked for and how it went.
#ifndef DASHPOT_CLI_RUN_H
#define DASHPOT_CLI_RUN_H

#include "common/arguments.h"
#include "common/outputs.h"
#include "common/scene.h"
#include "report/caveats.h"
#include "report/overlaps.h"
#include "report/run_rows.h"
#include "run/controls.h"
#include "run/dump.h"
#include "run/film.h"
#include "run/run_motion.h"

typedef struct cli_run_options {
    const char *scene;
    double step, seconds, tolerance, accuracy, sample; // NaN: not given, as below
    double stiffness_scale, friction_scale;
    long long every, threads; // −1: not given
    const char *integrator, *law, *keyframe, *control, *channels, *dump;
    bool interpolate, json, quiet, report, profile, certificate;
    cli_outputs outputs;
    cli_allow allow;
    cli_list set;
} cli_run_options;

typedef enum cli_run_outcome { CLI_RUN_DONE, CLI_RUN_FAILED, CLI_RUN_INTERRUPTED } cli_run_outcome;

typedef struct cli_run_state {
    cli_scene scene;
    const dp_model *m;
    dp_data *d;
    dp_recorder *recorder; // NULL: nothing is recorded
    cli_film film;
    cli_missing without; // what the scene asks for and was allowed to leave out
    cli_controls controls;
    bool controlled;

    double h, start;        // [s]
    long long steps, every; // to do
    long long done;
    cli_run_outcome outcome;
    dp_status status;   // of what failed, in the preparations or in the run
    char message[2048]; // why it failed

    long long evaluations, substeps, rejected;
    long long transported_steps; // steps in which a tree was advanced by momentum transport
    int asleep, most_asleep;     // trees that sleep: in the end, at most
    cli_caveats caveats;
    cli_overlaps overlaps; // at the start
    cli_rows_seen rows;
    cli_motion_seen motion;
    cli_dump dump;
    double stepping_seconds, real_seconds;
    double largest_kinetic;
    dp_energy first_energy, last_energy;
    dp_momentum first_momentum, last_momentum;
    const char *written[CLI_OUTPUTS];
    int nwritten;
} cli_run_state;

/// The lines of the closing table: what, and how much.
cli_table cli_run_facts(const cli_run_state *r, const cli_run_options *o);
/// The closing table.
void cli_run_table(const cli_run_state *r, const cli_run_options *o);
/// The same and more as one JSON object.
void cli_run_json(const cli_run_state *r, const cli_run_options *o, bool fine);
/// An object with nothing but the error of a run that did not begin.
void cli_run_json_refusal(const cli_run_state *r);

#endif
