// Newton's method on the modes of the rows: solve for the impulses that (CL 1) gives in these
// modes, let every row take the mode that it would have by itself, repeat. This is the semismooth
// Newton method on the natural map of (CL 1), or the primal-dual active set method
// [HintermuellerItoKunisch2002]. It ends, with the exact solution, as soon as no row changes:
// mostly after one to three steps. It may cycle.
#include "base/interrupt.h"
#include "solve/rows/compliant.h"

void dp_newton_point(dp_compliant *c, dp_prox prox)
{
    ++c->iterations;
    dp_active_factor_update(c, prox.shift);
    dp_active_impulses(c, prox);
    dp_compliant_velocities(c);
}

bool dp_active_set(dp_compliant *c, int most)
{
    const dp_prox none = {0.0, NULL};
    for (int k = 0; k < most && c->factorizations < c->max_factorizations; ++k) {
        if (dp_interrupted((size_t)c->n * (size_t)c->n)) {
            return false;
        }
        dp_newton_point(c, none);
        if (dp_row_modes_update(c, none) == 0) {
            return true;
        }
    }
    return false;
}
