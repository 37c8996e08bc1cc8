// Sweeps over single points of contact of free bodies, as in heaps: everything that a visit needs
// stands side by side, in the order of visits. With M̃ = Lᵀ D L of each body, rows
//
//     y = D^−½ L^−ᵀ Gᵀ,   among velocities z = D^½ L v,                                    (SW 1)
//
// stand for both G and M̃⁻¹ Gᵀ: u = y·z, and an impulse adds itself times y to z.
#ifndef DP_SOLVE_COULOMB_POINTS_H
#define DP_SOLVE_COULOMB_POINTS_H

#include "solve/coulomb.h"

/// A contact of three rows between free bodies, or one of them and what stands still.
typedef struct dp_point {
    double y[3][2 * DP_WHOLE]; // of both bodies; zero for what stands still
    double off[3];             // velocities without impulses, less those that the law asks for
    double stop;               // the same of the normal where it stops
    double R[3];
    double along, across; // 1/a of the normal and of friction
    double weight[2];     // a of them
    double beside[2];     // how fast an impulse of the normal makes the point slide
    double reach;
    int body[2]; // where their velocities begin
    int row;
} dp_point;

/// Are all blocks such points, of different pairs? Then sweeps may go by them.
bool dp_points_serve(const dp_coulomb *c);
/// Sweeps from c->x, which ends at the last, no longer than until a residual is enough.
/// @return whether the tolerance was met
bool dp_points_sweep_until(dp_coulomb *c, int most, double enough);

#endif
