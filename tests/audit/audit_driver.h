// What the parts of the driver share: settings, what was found, and what it adds up to.
#ifndef AUDIT_DRIVER_H
#define AUDIT_DRIVER_H

#include "audit_check.h"
#include "audit_recording.h"
#include "audit_scene.h"

// Claims of the driver itself follow those of the checks.
enum {
    AUDIT_CLAIM_STEPS = AUDIT_CLAIMS, // every step is made
    AUDIT_CLAIM_ENDS,                 // no run crashes or hangs
    AUDIT_ALL_CLAIMS,
    AUDIT_KEPT = 2000, // violations that are listed
    AUDIT_JOBS = 64,
    AUDIT_RUN_SECONDS = 20, // of processor time: a run that takes longer hangs
};

// A violation that was found.
typedef struct audit_finding {
    uint64_t seed;
    audit_law law;
    int claim, step;
    double value, bound;
    char unit[16], text[160];
} audit_finding;

// What the workers add up, in memory that they share with the one that waits for them.
typedef struct audit_tally {
    int64_t runs[AUDIT_LAWS], refused[AUDIT_LAWS], given_up[AUDIT_LAWS], steps[AUDIT_LAWS];
    int64_t cut[AUDIT_LAWS];
    int64_t tested[AUDIT_LAWS][AUDIT_ALL_CLAIMS], failed[AUDIT_LAWS][AUDIT_ALL_CLAIMS],
        scenes[AUDIT_LAWS][AUDIT_ALL_CLAIMS];
    double worst[AUDIT_LAWS][AUDIT_ALL_CLAIMS];
    uint64_t first_seed[AUDIT_LAWS][AUDIT_ALL_CLAIMS];
    int64_t touched[8][8], rows[AUDIT_ROW_SOURCES]; // that pushed: kinds of geoms, sources of rows
    int nfinding;
    audit_finding finding[AUDIT_KEPT];
    uint64_t at; // seed and law that the worker is at
    int law;
    bool busy;
} audit_tally;

typedef struct audit_settings {
    uint64_t seed, draws;
    int64_t steps; // that each law is to make, however many draws that takes; 0: draws count
    bool done[AUDIT_LAWS]; // it has made them
    int law;               // −1: all
    int jobs;
    bool verbose, refusals, coverage;
    const char *out, *resume;
    double shrink_seconds;
    int shrink_most; // of one claim under one law
} audit_settings;

// Of all claims. Never NULL.
const char *audit_any_claim_name(int claim);
const char *audit_any_claim_text(int claim);

// Run and check a scene as it is. @return the claims that failed, as bits
uint64_t audit_examine(audit_tally *t, const audit_settings *o, const audit_scene *s, bool hashes);
// Are the hashes of other runs compared, too? Of some draws, since it takes three more runs.
bool audit_wants_hashes(uint64_t seed);
void audit_add_failure(audit_tally *t, const audit_finding *f, int64_t steps);
void audit_add_tally(audit_tally *sum, const audit_tally *t);
void audit_print_finding(const audit_finding *f);
// @return whether a claim was violated
bool audit_print_table(const audit_tally *t);
void audit_print_coverage(const audit_tally *t);
// Scene-steps and violations of each law, all claims together, and runs that crashed or hung.
void audit_print_totals(const audit_tally *t);

// What an audit that is made in pieces has come to, and the seed that is next. False: there is no
// such file. Ends the program where it is one of another auditor, or cannot be written.
bool audit_load_tally(audit_tally *t, uint64_t *seed, const char *path);
void audit_save_tally(const audit_tally *t, uint64_t seed, const char *path);

// Reduce the first violations of each claim under each law to files in o->out. The findings are
// sorted by claim and law.
void audit_reduce_all(const audit_settings *o, const audit_tally *t);
// Audit files that were left so. @return the exit status
int audit_files(char **path, int n, bool verbose);

#endif
