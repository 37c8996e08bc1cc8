// The scenes of [Berard2006] and how they are run: by the mixed complementarity problem (34) of the
// report, put together from the rows of each step, or by a law of Dashpot.
#ifndef DASHPOT_CLI_PAPER_B_SCENE_H
#define DASHPOT_CLI_PAPER_B_SCENE_H

#include "berard/bars_ode.h"
#include "berard/mixed_step.h"

/// Who makes the steps.
typedef enum cli_bars_scheme {
    CLI_BARS_MIXED,       // (34)
    CLI_BARS_MIXED_RATES, // (34) without φ/h
    CLI_BARS_LAW,         // dp_step by law `lcp`
} cli_bars_scheme;

enum { CLI_BARS_POINTS = 3 }; // the block, the end of rod A, the centre of B

typedef struct cli_bars_scene {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    dp_body_id body[CLI_BARS_POINTS]; // block (−1: none), A, B
    dp_v3 pin[2];                     // on A: where it is held, where B is
    double pin_on_b;                  // [m] distance of the pin from the centre of B
    double height;                    // [m] of the pin of A
    double foot[2], foot_radius;      // [m] of the right one, from the centre of the block
    dp_geom_id pusher;
    cli_bars start; // as an ordinary differential equation
    cli_mixed_run run;
} cli_bars_scene;

/// Load and compile. @param number of the section: 1 … 6. Complains and returns false
bool cli_bars_open(cli_bars_scene *o, cli_paper *p, int number);
void cli_bars_close(cli_bars_scene *o);

/// A state from which to start: everything turns about the pin of A.
typedef struct cli_bars_place {
    double x;     // [m] of the pin; NAN: where the block touches the pusher
    double tilt;  // [rad] of the block, which rests on its lower foot
    double a, b;  // [rad] of the rods from the x axis; a particle hangs as its spring lets it
    double speed; // [m/s] of all, along x
} cli_bars_place;
void cli_bars_put(cli_bars_scene *o, const cli_bars_place *place);

/// Put the state of dp_data to the start of the scene, with steps of h.
bool cli_bars_restart(cli_bars_scene *o, double h);
bool cli_bars_step(cli_bars_scene *o, cli_bars_scheme scheme);
/// The velocities that law `lcp` finds for the mixed problem of the last step, by which it was
/// solved: the largest difference from those, in *off [m/s, rad/s].
bool cli_bars_compare(double *off, cli_bars_scene *o);

/// Where the points are now.
void cli_bars_points(double out[CLI_BARS_POINTS][2], const cli_bars_scene *o);
/// Where the reference has them.
void cli_bars_points_of(double out[CLI_BARS_POINTS][2], const cli_bars_scene *o,
                        const cli_bars *reference);
/// How far the pins are open [m], how deep contacts overlap [m], and gaps of the feet [m], now.
typedef struct cli_bars_gaps {
    double drift, depth, foot[2];
} cli_bars_gaps;
cli_bars_gaps cli_bars_look(const cli_bars_scene *o);

#endif
