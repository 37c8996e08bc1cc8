// Principal pivoting by the least index [Murty1974], [CottlePangStone2009, §4.2]: of the rows that
// stand wrong only the first changes. On one-sided rows it never cycles where W + R is positive
// definite, but may take many steps: the last resort of small islands.
#include "solve/compliant.h"

#include "base/interrupt.h"

bool dp_pivoting(dp_compliant *c, int most)
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
        int i = 0;
        while (i < c->n && dp_stand_next(c, i, none) == c->stand[i]) {
            ++i;
        }
        if (i == c->n) {
            return true;
        }
        c->stand[i] = dp_stand_next(c, i, none);
    }
    return false;
}
