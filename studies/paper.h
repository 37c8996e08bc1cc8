// Figures and tables of papers, computed again: the paper's numbers beside ours, curves and plots.
//
// A figure is a function with a row in the table of paper_list.c. It loads its scene, runs what the
// paper ran, tells rows and draws one plot.
#ifndef DASHPOT_CLI_PAPER_H
#define DASHPOT_CLI_PAPER_H

#include "common/scene.h"

#include <dashpot/record.h>

#include <math.h>

typedef struct cli_paper cli_paper;

typedef struct cli_paper_item {
    const char *id;            // "d-fig1"
    const char *source;        // "Drumwright, Fig. 1"
    const char *about;         // one line
    const char *scene;         // its file in scenes/paper; NULL: it has none
    bool (*run)(cli_paper *p); // false: it failed and complained
} cli_paper_item;
extern const cli_paper_item cli_papers[];
extern const int cli_npaper;

bool cli_paper_explicit(cli_paper *p);
bool cli_paper_semi_implicit(cli_paper *p);
bool cli_paper_implicit(cli_paper *p);
bool cli_paper_pendulum(cli_paper *p);
bool cli_paper_limit(cli_paper *p);
bool cli_paper_cube_times(cli_paper *p);
bool cli_paper_cube_errors(cli_paper *p);
bool cli_paper_pressure(cli_paper *p);
bool cli_paper_ramp(cli_paper *p);
bool cli_paper_stack(cli_paper *p);
bool cli_paper_recipe(cli_paper *p);
bool cli_paper_cone(cli_paper *p);
bool cli_paper_painleve(cli_paper *p);
bool cli_paper_quaternion(cli_paper *p);
bool cli_paper_impact(cli_paper *p);
bool cli_paper_drift(cli_paper *p);
bool cli_paper_islands(cli_paper *p);
bool cli_paper_ncp(cli_paper *p);
bool cli_paper_wedge(cli_paper *p);
bool cli_paper_table(cli_paper *p);
bool cli_paper_damper(cli_paper *p);
bool cli_paper_spring(cli_paper *p);
bool cli_paper_rates(cli_paper *p);
bool cli_paper_transition(cli_paper *p);
bool cli_paper_work(cli_paper *p);
bool cli_paper_paces(cli_paper *p);
bool cli_paper_gripper(cli_paper *p);
bool cli_paper_hand(cli_paper *p);
bool cli_paper_arm(cli_paper *p);

/// A file of scenes/paper, built into the program.
typedef struct cli_paper_scene {
    const char *name;
    const unsigned char *text;
    size_t bytes;
} cli_paper_scene;
extern const cli_paper_scene cli_paper_scenes[];
extern const int cli_npaper_scene;

/// One number of the paper beside ours.
typedef struct cli_paper_row {
    const cli_paper_item *item;
    char of[96]; // the case
    char quantity[96];
    const char *unit;
    double paper; // NAN: it gives none
    double ours;
    char note[512]; // why they differ, what to know; "" for none
} cli_paper_row;

/// Points of a curve, in order.
typedef struct cli_curve {
    double *x, *y;
    size_t count, capacity;
    struct cli_curve *next;
} cli_curve;

/// A run of figures. Start with the first five fields; cli_paper_end releases the rest.
struct cli_paper {
    const char *scene; // NULL: as built in
    const char *out;   // folder for files; NULL: none
    bool quick;        // less of what takes long
    const cli_paper_item *item;
    bool bad_input; // the scene could not be used
    cli_paper_row *row;
    int count, capacity;
    cli_curve *curves;
    bool out_of_memory;
};
void cli_paper_end(cli_paper *p);

/// The scene of this figure, or the user's in its place, not compiled. Complains and returns false.
bool cli_paper_load(cli_scene *out, cli_paper *p);
/// Load and compile it. @param mu friction of all its geoms in the place of theirs; NAN: as it is.
/// Complains and returns false
bool cli_paper_open(cli_scene *out, cli_paper *p, double mu);
/// Whether a call of the library worked. Complains otherwise.
bool cli_paper_works(cli_paper *p, dp_status status);
/// Complain that the scene is not what this figure is about. Returns false.
bool cli_paper_refuse(cli_paper *p, const char *expected);

void cli_paper_tell(cli_paper *p, const char *of, const char *quantity, const char *unit,
                    double paper, double ours, const char *note, ...) DP_PRINTF(7, 8);

/// A new curve, which lives as long as `p`; never NULL.
cli_curve *cli_paper_curve(cli_paper *p);
void cli_curve_add(cli_paper *p, cli_curve *curve, double x, double y);
dp_plot_series cli_curve_series(const cli_curve *curve, const char *name, dp_plot_style style,
                                int colour);

/// Write the plot, its curves as CSV and the scene to the folder for files, where there is one.
bool cli_paper_draw(cli_paper *p, const dp_plot *plot);

#endif
