// The inertia matrix by the composite-rigid-body algorithm and its branch-sparse LᵀDL factorisation
// [Featherstone2008, §6.2, §6.5]. Needed where rows act on a tree and where M itself is asked for;
// a step without rows uses articulated.h.
//
// Packed form: row i holds M(i, i), M(i, p), M(i, p(p)) … along the chain p = dof_parent, starting
// at dof_packed[i]; all other elements of the lower triangle are zero.
#ifndef DP_DYNAMICS_COMPOSITE_H
#define DP_DYNAMICS_COMPOSITE_H

#include "dynamics/kinematics.h"

/// @param M packed. @param composite nbody, scratch. @param diagonal nv, added: armature and more
void dp_crba(double *M, dp_rigid_inertia *composite, const dp_kin *kin, const dp_model *m,
             const double *diagonal);

/// Packed → dense nv × nv, symmetric.
void dp_packed_expand(double *dense, const dp_model *m, const double *M);

/// M = LᵀDL in place: D on the diagonal, L (unit) beside it.
void dp_packed_factor(double *M, const dp_model *m);
/// x with LᵀDL x = b. x may be b.
void dp_packed_solve(double *x, const dp_model *m, const double *LD, const double *b);

#endif
