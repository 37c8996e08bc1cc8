// Newton on the stand of the rows: solve for the impulses that (CL 1) gives if the rows stand as
// they do, let every row stand anew, repeat. This is the semismooth Newton method on the natural
// map of (CL 1), or the primal-dual active set method [HintermuellerItoKunisch2002]. It ends, with
// the exact solution, as soon as no row changes: mostly after one to three steps. It may cycle.
#include "solve/compliant.h"

#include "base/interrupt.h"

bool dp_active_set(dp_compliant *c, int most)
{
    const dp_prox none = {0.0, NULL};
    for (int k = 0; k < most && c->factorizations < c->max_factorizations; ++k) {
        if (dp_interrupted((size_t)c->n * (size_t)c->n)) {
            return false;
        }
        ++c->iterations;
        dp_free_set_factor(c, 0.0);
        dp_free_set_impulses(c, none);
        dp_compliant_velocities(c);
        if (dp_stand_update(c, none) == 0) {
            return true;
        }
    }
    return false;
}
