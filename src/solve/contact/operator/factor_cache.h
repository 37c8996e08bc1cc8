// Factors that are reused from step to step. At rest Newton's method goes by numbers on coarse
// grids: G, M̃ and C to some eight digits. That is enough for steps that are refined, and from one
// step to the next bodies at rest move by less than the last digit of their places, so that nearly
// always these numbers are those of the last step, and their factors, too.
//
// Nothing but time depends on whether factors are reused or made again: they are those of the same
// numbers. So they are no part of the state.
#ifndef DP_SOLVE_COULOMB_KEPT_H
#define DP_SOLVE_COULOMB_KEPT_H

#include "solve/contact/coulomb.h"

#include <dashpot/advanced/law.h>

/// Are all rows those of free bodies, and bodies so many that factors are worth keeping?
bool dp_cache_is_usable(const dp_coulomb *c);
/// [1] Numbers in the cache.
size_t dp_cache_count(const dp_coulomb *c);
/// Room for them.
DP_NODISCARD dp_status dp_cache_take(dp_coulomb *c, dp_arena *scratch);

/// From here to the end Newton's method goes by rounded numbers. @return false: it does not, as
/// there is no room or they are of no use
bool dp_cache_begin(dp_coulomb *c);
void dp_cache_end(dp_coulomb *c);

// In between

/// Round C.
void dp_cache_round(dp_coulomb *c);
/// As dp_coulomb_factor. Counted like it, whether it had to be done or not, since limits of work
/// must not depend on that; c->spared has those that were not.
bool dp_cache_factor(dp_coulomb *c);
/// As dp_coulomb_step.
void dp_cache_step(dp_coulomb *c, double *dx);

#endif
