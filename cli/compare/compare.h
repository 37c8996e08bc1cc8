// One scene under several laws: what is run, what is kept of each run, and how they differ.
#ifndef DASHPOT_CLI_COMPARE_H
#define DASHPOT_CLI_COMPARE_H

#include "common/arguments.h"
#include "common/scene.h"
#include "report/run_rows.h"

#include <dashpot/record.h>

enum { CLI_MOST_COMPARED = 64 };

typedef struct cli_compare_options {
    const char *scene, *keyframe, *reference, *csv, *html;
    cli_list laws, steps, settings;
    cli_allow allow;
    double seconds, stiffness, friction, accuracy, patience; // NaN: not given
    long long threads;
    bool json;
} cli_compare_options;

/// A law with settings of its own, as in --laws: "vi", "lcp+lcp.directions=16", or an integrator
/// without laws: "ode", "implicit-euler".
typedef struct cli_compared_law {
    const char *name;
    dp_options options;
} cli_compared_law;

typedef enum cli_compared_outcome {
    CLI_COMPARED_DONE,
    CLI_COMPARED_REFUSED, // before the first step
    CLI_COMPARED_FAILED,  // a step failed
    CLI_COMPARED_GAVE_UP, // --patience ran out
    CLI_COMPARED_INTERRUPTED,
} cli_compared_outcome;

/// One run: a law with a step.
typedef struct cli_compared {
    const cli_compared_law *law;
    double h; // [s]

    cli_compared_outcome outcome;
    char message[512]; // why it did not go on; "" where it did
    long long steps;   // that were made
    long long iterations;
    double seconds;          // of the processor, for the steps
    double force, top_force; // [N] sum of the normal forces: mean over the steps, largest
    double overlap;          // [m] deepest, by the shapes, at the samples
    double remainder;        // [J] of the ledger; NaN where none was kept
    double energy[2];        // [J] at the start and the end, what is in contacts not included
    double kinetic;          // [J] most of it, at the samples
    cli_rows_seen rows;

    int samples;       // that were taken
    dp_pose *pose;     // of the centres of mass: samples × nbody
    dp_replay *replay; // NULL without a page
    dp_recorder *channels;

    int judged;         // samples that were compared with the reference; 0: there is none
    double apart[2];    // [m], [rad] at the last of them, of the body that is furthest off
    double most_apart;  // [m] over the run
    double parted;      // [s] first sample that is more than 1 mm off; infinite: none
    dp_body_id body;    // the one that is furthest off in position at the end
    double *difference; // [m] at every sample, of the body that is furthest off
    double from_first;  // [m] at most from the first run with the same step; NaN: it is the first
} cli_compared;

typedef struct cli_comparison {
    const cli_compare_options *o;
    cli_scene scene;
    dp_options of_law, of_ode; // what the scene and the user say for all laws, and for "ode"
    cli_compared_law law[CLI_MOST_COMPARED];
    int nlaw;
    double step[CLI_MOST_COMPARED]; // descending
    int nstep;
    double seconds; // to simulate: a whole number of samples
    double sample;  // [s] between two
    int samples;    // of a whole run, the start included
    cli_compared run[CLI_MOST_COMPARED];
    int nrun;
    const cli_compared *reference; // the one that the others are compared with; NULL: none
    cli_compared extra;            // a run that is made for that alone
    cli_compared_law extra_law;
} cli_comparison;

/// Make all runs, `o->threads` at a time, and judge them. Complains and returns false where nothing
/// could be begun; runs that fail say so themselves.
bool cli_compare_run_all(cli_comparison *c);
void cli_compare_release(cli_comparison *c);

/// Something to call it by: "ncp", "ncp, 1 ms" where there are several steps.
void cli_compared_name(char *out, size_t size, const cli_comparison *c, const cli_compared *r);
/// What it stands for as a reference: "ode", "compliant with steps of 0.1 ms".
void cli_compare_reference_name(char *out, size_t size, const cli_comparison *c);

/// What is measured of each run, in the order of the tables.
typedef struct cli_compared_measure {
    const char *key, *label;                // of JSON and CSV; of the table, with the unit
    double (*value)(const cli_compared *r); // NaN: the law does not say
} cli_compared_measure;
extern const cli_compared_measure cli_compared_measures[];
extern const int cli_ncompared_measure;

void cli_compare_table(const cli_comparison *c);
void cli_compare_json(const cli_comparison *c);
/// Complains and returns false.
bool cli_compare_csv(const cli_comparison *c, const char *path);
/// One page with everything. Complains and returns false.
bool cli_compare_page(const cli_comparison *c, const char *path);

/// What is worth reading, sentence by sentence: whether laws agree, what each did not honour, its
/// symptoms. `names`: the runs that it is true of; "": the comparison as a whole. Complains and
/// returns false.
typedef void (*cli_compare_teller)(void *context, const char *names, const char *sentence);
bool cli_compare_words(const cli_comparison *c, cli_compare_teller tell, void *context);

#endif
