// Symmetric matrices over degrees of freedom with the sparsity of the kinematic branches, and their
// LᵀDL factorisation [Featherstone2008, §6.5].
//
// Packed form: row i holds M(i, i), M(i, p), M(i, p(p)) … along the chain p = dof_parent, starting
// at dof_packed[i]; all other elements of the lower triangle are zero.
#ifndef DP_MODEL_PACKED_H
#define DP_MODEL_PACKED_H

#include "model/model.h"

/// Packed → dense nv × nv, symmetric. M may be `dense` itself.
void dp_packed_expand(double *dense, const dp_model *m, const double *M);

/// M = LᵀDL in place: D on the diagonal, L (unit) beside it.
void dp_packed_factor(double *M, const dp_model *m);
/// x with LᵀDL x = b. x may be b.
void dp_packed_solve(double *x, const dp_model *m, const double *LD, const double *b);

#endif
