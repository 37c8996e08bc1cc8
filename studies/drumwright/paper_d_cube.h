// The cube of [Drumwright2019], section 5.5: the scene with other springs and loads, as Dashpot
// steps it and as the ODE that it stands for.
#ifndef DASHPOT_CLI_PAPER_D_CUBE_H
#define DASHPOT_CLI_PAPER_D_CUBE_H

#include "drumwright/cube_ode.h"
#include "paper.h"

/// What is 0 is as in the scene.
typedef struct cli_cube_case {
    int side;    // springs along each side
    double E;    // [Pa] Young's modulus
    double load; // [N] at t = 0; the forces of the scene are scaled to it
} cli_cube_case;

/// Position and quaternion.
typedef struct cli_cube_place {
    double q[7];
} cli_cube_place;

enum { CLI_CUBE_TEXT = 256 };
typedef struct cli_cube_run {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    dp_geom_id geom; // with the springs
    cli_cube cube;
    double depth; // [m] to which its weight presses it: what tolerances are compared to
    char text[CLI_CUBE_FORCES][3][CLI_CUBE_TEXT];
} cli_cube_run;

/// Complains and returns false where the scene is not one of a box on level springs. Call
/// cli_cube_end in any case.
bool cli_cube_begin(cli_cube_run *o, cli_paper *p, const cli_cube_case *which);
void cli_cube_end(cli_cube_run *o);

/// From the start, by steps of h.
bool cli_cube_advance(cli_cube_run *o, double h, int steps);
/// The same by the published program instead of the law (paper_d_qp.h).
bool cli_cube_advance_printed(cli_cube_run *o, double h, int steps);
cli_cube_place cli_cube_stepped(const cli_cube_run *o);
/// That of a state of the ODE.
cli_cube_place cli_cube_placed(const cli_cube_run *o, const double *y);
/// Euclidean norm of the difference, as the paper measures errors.
double cli_cube_distance(const cli_cube_place *a, const cli_cube_place *b);

#endif
