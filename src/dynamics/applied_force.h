// Forces that expressions in the time give.
#ifndef DP_DYNAMICS_APPLIED_FORCE_H
#define DP_DYNAMICS_APPLIED_FORCE_H

#include "dynamics/kinematics.h"

/// Add one at time t: along the coordinates of its joint to tau (nv), or to the wrench on its body
/// (nbody, about origins). @return DP_ERROR_NUMERIC where an expression has no value
DP_NODISCARD dp_status dp_force_apply(double *tau, dp_wrench *external, const dp_kin *kin,
                                      const dp_model *m, const dp_force *f, double t);

#endif
