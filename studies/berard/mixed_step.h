// Steps of a scene by the mixed complementarity problem (34) of [Berard2006].
#ifndef DASHPOT_CLI_MIXED_STEP_H
#define DASHPOT_CLI_MIXED_STEP_H

#include "berard/mixed.h"
#include "paper.h"

typedef struct cli_mixed_run {
    cli_paper *p;
    dp_data *data; // borrowed
    int directions;
    cli_mixed mixed;
    double *gap; // of the rows, at the start of the step
    int gaps;
} cli_mixed_run;
void cli_mixed_run_end(cli_mixed_run *run);

/// The problem of the present state. Complains and returns false
bool cli_mixed_run_build(cli_mixed_run *run, cli_stabilise stabilise);
/// Build, solve, and go to q + h v: joints that slide or are hinges only.
bool cli_mixed_run_step(cli_mixed_run *run, cli_stabilise stabilise);
/// The smallest change of q that closes the gaps of joints, to first order
/// [AnitescuPotraStewart1998, section 2.5]. Velocities stay.
bool cli_mixed_run_project(cli_mixed_run *run);

#endif
