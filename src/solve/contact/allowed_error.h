// What of the error of a step may be left in its contacts.
#ifndef DP_SOLVE_CONTACT_ALLOWED_ERROR_H
#define DP_SOLVE_CONTACT_ALLOWED_ERROR_H

#include "solve/contact/coulomb.h"

/// Let contacts leave residuals up to the tolerance and a share of the discretisation error of the
/// step beside it (problem/step_error.h): c->gauge and c->tol.solved. Laws whose impulses are least
/// ones, or those of a compliance of their own, allow none.
/// @param share law.error_share. @return whether any contact may leave more than the tolerance
bool dp_allow_error(dp_coulomb *c, double share);
/// Allow none any more.
void dp_allow_no_error(dp_coulomb *c);

#endif
