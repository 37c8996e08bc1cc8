// The rows of a run: how many there were, what they cost and how well they were met.
#ifndef DASHPOT_CLI_RUN_ROWS_H
#define DASHPOT_CLI_RUN_ROWS_H

#include "common/element_names.h"
#include "common/json.h"
#include "common/table.h"

#include <dashpot/sim.h>

/// The entries of a certificate that are numbers, in the order of the tables.
enum {
    CLI_CERT_MOMENTUM,
    CLI_CERT_NORMAL_LAW,
    CLI_CERT_COMPLEMENTARITY,
    CLI_CERT_CONE,
    CLI_CERT_FRICTION_POWER,
    CLI_CERT_PENETRATION,
    CLI_CERT_LIFT_OFF,
    CLI_CERT_CREEP,
    CLI_CERT_DRIFT,
    CLI_CERT_GAP_ERROR,
    CLI_CERT_CORRECTION,
    CLI_CERT_HEADING,
    CLI_CERT_SHORTFALL,
    CLI_CERTS,
};

typedef struct cli_rows_seen {
    long long steps;     // of the run
    long long with_rows; // steps with rows
    long long rows;      // sum over these
    int most_rows;       // in one step
    long long passes, iterations, factorizations;
    long long parts, most_parts; // in which steps with rows were made: sum, most
    long long unsolved;          // steps with a part that was accepted although it is not solved
    double unsolved_residual;    // [m/s] the worst of them
    double unsolved_gap;         // [m] the same
    double first_unsolved;       // [s] the end of the first
    long long recovering;        // steps in which rigid gaps were too wide to be closed at once
    long long dropped;           // contact points left out since their geoms pass each other by
    long long fallbacks;         // steps with an island that another law has solved
    long long within_error;      // steps with an island that was solved to law.error_share alone
    long long painleve;          // steps in which an impulse stopped slip that no force can
    double first_painleve;       // [s] the end of the first
    long long impacts, gains;    // islands with impacts; those that gained energy
    long long by_rule;           // contacts that closed with a restitution, and have it by the rule
    long long by_spring;         // and by their spring
    long long corrected;         // steps that closed rigid rows which started violated
    long long jammed;            // steps in which none of these could be closed
    double open;                 // [m] what the last step began with and could not close at once
    double violation;            // [m] by so much
    int replaced;                // most rows in one step that were taken for rigid
    int frictionless;            // most springs of foundations that pushed without their friction
    int dependent;               // most in one step
    long long contradictory;     // steps in which rigid rows contradict each other
    double inconsistent;         // [m/s] worst
    cli_name contradicting;      // row that is off by most then
    long long capped_searches;   // steps whose search for contacts was cut short
    long long with_contacts;     // steps with contact points
    int most_contacts;           // points that pushed, in one step
    double overlap;              // [m] the deepest contact, over the size of the thinner geom …
    double overlap_depth;        // … and itself
    double thinnest;             // [m] of all geoms; 0: not looked for yet
    cli_name overlapping[2];     // geoms
    double worst[CLI_CERTS], sum[CLI_CERTS];
} cli_rows_seen;

/// Note the step that was just made.
void cli_rows_note(cli_rows_seen *seen, const dp_model *m, const dp_data *d);

/// Lines of the closing table, none where there were no rows: the outcome, and what is unusual.
void cli_rows_outcome_cells(cli_table *t, const cli_rows_seen *seen);
/// Rows, contacts, work of the law, and the certificate.
void cli_rows_certificate_cells(cli_table *t, const cli_rows_seen *seen);
/// "rows" and "certificate"; null where there were no rows.
void cli_rows_json(cli_json *j, const cli_rows_seen *seen);
/// What is off, and what to try, on stderr.
void cli_rows_complain(const cli_rows_seen *seen, dp_data *d, const char *scene);

/// Have one-sided or bounded rows stopped anything? Ends that are stiffer than the step resolves
/// give nothing back, which the ledger has in its remainder.
bool cli_rows_stop(const cli_rows_seen *seen);

/// Where energy went, as far as it went anywhere: "drives 0.3, dampers -0.1, …" [J]; "" where only
/// numerical dissipation has changed it.
void cli_ledger_words(char *out, size_t size, const dp_ledger *ledger);
/// "ledger"; null where none was kept.
void cli_ledger_json(cli_json *j, const dp_ledger *ledger, dp_energy first, dp_energy last);

#endif
