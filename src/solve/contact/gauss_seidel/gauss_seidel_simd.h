// Gauss–Seidel iterations over single points of contact of free bodies, as in piles: everything
// that an update needs lies side by side, in the order of updates. With M̃ = Lᵀ D L of each body,
// rows
//
//     y = D^−½ L^−ᵀ Gᵀ / √a,   among velocities z = D^½ L v,                               (SW 1)
//
// represent both G and M̃⁻¹ Gᵀ: u/√a = y·z, and an impulse x √a adds itself times y to z. So
// scaled, y·y ≤ 1, and the law has no a.
//
// Points that have no body in common do not see each other: eight of them are updated at
// once, such that each comes after those before it that it sees. So an iteration is the same as one
// point by point, to the last bit.
//
// Gauss–Seidel iterations go from impulses whose velocities are known to all digits, and what they
// change is known to single precision: more than a loose tolerance asks for. Impulses of points
// that slide have no more digits than that; of others, the more the less there is to change.
#ifndef DP_SOLVE_COULOMB_POINTS_H
#define DP_SOLVE_COULOMB_POINTS_H

#include "solve/contact/coulomb.h"

#include <dashpot/advanced/law.h>

enum { DP_AT_ONCE = 8 };

/// Contacts of three rows between free bodies, or one of them and what is fixed: for each
/// number those of all. Those that are not there are zero.
typedef struct dp_points {
    float x[3][DP_AT_ONCE];      // normal and friction, scaled
    float turn[3][DP_AT_ONCE];   // from the start of the last iteration to that of this one
    float went[3][DP_AT_ONCE];   // by the last iteration
    float change[3][DP_AT_ONCE]; // of x since the first iteration
    float off[3][DP_AT_ONCE];    // velocities at the start, less those that the law asks for
    float stop[DP_AT_ONCE];      // the same of the normal where it stops
    float R[3][DP_AT_ONCE];
    float reach[DP_AT_ONCE];
    float beside[2][DP_AT_ONCE]; // how fast an impulse of the normal makes the point slide
    float enough[2][DP_AT_ONCE]; // squares of residuals that are, of normal and friction
    float y[3][2][DP_FREE_BODY][DP_AT_ONCE]; // of both bodies; zero for what is fixed
    int body[2][DP_AT_ONCE];                 // where their velocities begin
} dp_points;

/// Are all blocks such points, of different pairs? Then iterations may go by them.
bool dp_are_single_points(const dp_coulomb *c);
/// Room for that: c->points, and what is placed where in them.
DP_NODISCARD dp_status dp_gauss_seidel_lay_out(dp_coulomb *c, dp_arena *scratch);
/// Gauss–Seidel iterations from c->x, whose velocities are c->u, no longer than until a residual is
/// enough. Both end at the last. @return whether the tolerance was met
bool dp_gauss_seidel_until(dp_coulomb *c, int most, double enough);

#endif
