// A rigid table that slides on its legs, by the steps of [PreclikRuedePopa2011], section 2.
//
// The legs stay on the floor, so the table stays level: of its twelve reactions the normal ones N
// are unknown and friction follows, f_i = −μ_i N_i d_i with d_i the direction of slip. What holds
// it level are three equations for four unknowns,
//
//     Σ N_i = m g,   Σ (r_i × (N_i n − μ_i N_i d_i))_{x,y} = 0,   in short E N = e,         (PT 1)
//
// which have the solutions of the paper's (23). Which of them is taken decides how the table slows
// down. Departures: the paper chooses the ends of N ≥ 0 by the leg that loses its load; here the
// energy after the step is minimised or maximised over N ≥ 0, exactly.
#ifndef DASHPOT_CLI_PAPER_P_TABLE_H
#define DASHPOT_CLI_PAPER_P_TABLE_H

#include "paper.h"

enum { CLI_LEGS = 4 };

typedef struct cli_table_body {
    double mass, inertia, g; // inertia about the vertical
    double arm[CLI_LEGS][3]; // from the centre of mass to the legs [m], at yaw 0
    double mu[CLI_LEGS];
    double D[CLI_LEGS]; // weights of the norm: 1/k of springs, up to a factor
} cli_table_body;

typedef struct cli_table_state {
    double at[3]; // x, y, yaw
    double v[3];  // their rates
} cli_table_state;

typedef enum cli_table_rule {
    CLI_TABLE_LEAST_ENERGY, // left after the step, over all N ≥ 0
    CLI_TABLE_LEAST_NORM,   // Σ D_i N_i², the paper's pseudo-inverse
    CLI_TABLE_MOST_ENERGY,
    CLI_TABLE_SPRINGS, // N_i D_i is the depth of a plane: springs 1/D_i under a level table
    CLI_TABLE_RULES,
} cli_table_rule;

/// Solutions of (PT 1) with directions of slip from velocities v: N = least + t · null.
typedef struct cli_table_loads {
    double least[CLI_LEGS]; // of minimum norm
    double null[CLI_LEGS];  // unit in the norm
    double lo, hi;          // where N ≥ 0
} cli_table_loads;
/// @return false: there is no N ≥ 0
bool cli_table_solve(cli_table_loads *out, const cli_table_body *b, double yaw, const double v[3]);

/// The same minimum norm from the paper's own (23), a singular matrix of 4 × 4 and its
/// pseudo-inverse; D must be equal. @return the dimension of the null space
int cli_table_pseudo_inverse(double N[CLI_LEGS], const cli_table_body *b, double yaw,
                             const double v[3]);

/// Advance by h. @param N the loads that were taken
/// @param implicit directions of slip are those at the end of the step, as in Dashpot; else those
///        at its start, as in the paper
/// @return false: the legs cannot all stay on the floor
bool cli_table_step(cli_table_state *s, double N[CLI_LEGS], const cli_table_body *b,
                    cli_table_rule rule, double h, bool implicit);

double cli_table_energy(const cli_table_body *b, const double v[3]); // kinetic [J]

/// Which leg a geom of this name is, from 0; −1: none.
int cli_table_leg(const char *name);

/// The scene with other springs at its legs, at its first keyframe. Complains and returns false.
/// @param k [N/m]; NAN: as it is @param soft how much softer each leg is than that
bool cli_table_open(cli_scene *scene, dp_data **data, cli_paper *p, double k,
                    const double soft[CLI_LEGS]);

/// Read the table from its scene. Complains and returns false.
bool cli_table_read(cli_table_body *out, cli_paper *p, const cli_scene *scene);

#endif
