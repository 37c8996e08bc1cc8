// The free flight of one rigid body: rotation by dp_spin about its centre of mass, or the anchor of
// its ball joint, and the centre of mass along a line.
#ifndef DP_DYNAMICS_FREE_FLIGHT_H
#define DP_DYNAMICS_FREE_FLIGHT_H

#include "dynamics/kinematics.h"

/// Of body b on a free or ball joint, with all that is welded to it, for the time h. kin is at q.
/// @param q1 nq, its coordinates: out. @param v1 nv, its velocities: those that it ends with,
/// before and after the turn. @param move nv: what moves it
/// @param J of all of it about the origin of b, axes of the world
void dp_free_flight(double *q1, double *v1, const dp_kin *kin, const dp_model *m, const double *q,
                    const double *move, int b, const dp_rigid_inertia *J, double h);

#endif
