#ifndef DP_SOLVE_COULOMB_REST_H
#define DP_SOLVE_COULOMB_REST_H

#include "solve/contact/coulomb.h"

/// Is the first guess, c->x with its velocities c->u, good enough to be the answer?
/// @param v nv: all velocities that it gives
bool dp_guess_is_enough(dp_coulomb *c, double residual, const double *v);
/// From a guess near rest that would not be valid for long. @return whether there is a better one,
/// whose residual is no larger than a guess may have, in c->best
bool dp_settle_at_rest(dp_coulomb *c, double first);

#endif
