// A box at rest on a ramp, with the friction that is asked for.
#ifndef DASHPOT_CLI_PAPER_D_RAMP_H
#define DASHPOT_CLI_PAPER_D_RAMP_H

#include "paper.h"

typedef struct cli_ramp {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    dp_body_id box;
    dp_v3 down, across, normal; // of the ramp
    double angle;               // [rad] of the slope
    double g;                   // [m/s²]
} cli_ramp;
void cli_ramp_end(cli_ramp *o);

/// The scene of this figure with this friction. The larger one of two surfaces counts, so both have
/// it. Complains and returns false; cli_ramp_end is due all the same
bool cli_ramp_begin(cli_ramp *o, cli_paper *p, double mu);

enum { CLI_PROGRAM_CASES = 4, CLI_PROGRAM_WEIGHTS = 3 };

/// What the published program [Drumwright2019, (181), (182)] makes of the box, for the plot. ζ =
/// 1/h and B = 1e6/h unless given.
typedef struct cli_ramp_program {
    cli_curve *way[CLI_PROGRAM_CASES], *height[CLI_PROGRAM_CASES]; // [m] over time
    cli_curve *printed, *heavy;          // [m] way after 1 s against μ, ζ = 1/h and 1e12/h
    cli_curve *force[CLI_PROGRAM_CASES]; // [N] all feet on the first step, against ζ h
    cli_curve *law;                      // [N] the same by the law
    cli_curve *plain, *bound; // [N] errors of forces against h B: double alone, bound of 106 bits
} cli_ramp_program;
/// Tell rows and fill curves.
bool cli_ramp_tell_program(cli_ramp_program *out, cli_paper *p);

#endif
