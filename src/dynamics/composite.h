// The inertia matrix by the composite-rigid-body algorithm [Featherstone2008, §6.2]. Needed where
// rows act on a tree and where M itself is asked for; a step without rows uses articulated.h.
#ifndef DP_DYNAMICS_COMPOSITE_H
#define DP_DYNAMICS_COMPOSITE_H

#include "dynamics/articulated.h"
#include "linalg/tree_ldl.h"

/// @param M packed. @param composite nbody, scratch. @param diagonal nv, added: armature and more
void dp_crba(double *M, dp_rigid_inertia *composite, const dp_kin *kin, const dp_model *m,
             const double *diagonal);
/// The same of the bodies first … end − 1, first ≥ 1: whole trees.
void dp_crba_part(double *M, dp_rigid_inertia *composite, const dp_kin *kin, const dp_model *m,
                  const double *diagonal, int first, int end);
/// Add what drag adds to M of these bodies. @param composite nbody, scratch
void dp_crba_add_drag(double *M, dp_articulated_inertia *composite, const dp_kin *kin,
                      const dp_model *m, dp_body_drag drag, int first, int end);

#endif
