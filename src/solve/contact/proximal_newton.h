// The search for the impulses of an island: semi-smooth Newton iterations on the natural map
// (CO 2), inside a proximal point method whose centre moves with factors that are reused.
#ifndef DP_SOLVE_PROXIMAL_NEWTON_H
#define DP_SOLVE_PROXIMAL_NEWTON_H

#include "solve/contact/coulomb.h"

/// How a search goes about it.
typedef struct dp_search_plan {
    double shift;       ///< [1] proximal compliance s to begin with, of a = w + R
    double drop;        ///< [1] by which s falls after a centre that was found easily
    double inner;       ///< [1] of the residual: how well the problem of each centre is solved
    bool reuse;         ///< factors are used again while modes stay
    int factorizations; ///< budget
} dp_search_plan;

/// What changed since the last step: from the impulses of that step.
extern const dp_search_plan DP_SEARCH_FOLLOW;
/// Nothing is reused and s falls slowly: impacts, folds, and the digits of stiff problems.
extern const dp_search_plan DP_SEARCH_PATIENT;
/// The same from contacts as compliant as bodies are heavy: another branch of solutions.
extern const dp_search_plan DP_SEARCH_FAR;

/// Search from c->x; the best point is kept in c. @return whether the tolerance was met
bool dp_proximal_newton(dp_coulomb *c, const dp_search_plan *plan);

#endif
