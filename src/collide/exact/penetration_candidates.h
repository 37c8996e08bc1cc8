// The list of what may be the separating direction of an overlap, or the way apart: unit normals,
// each with its gap. The greatest gap is the answer.
#ifndef DP_COLLIDE_WAYS_OUT_H
#define DP_COLLIDE_WAYS_OUT_H

#include "collide/convex/minkowski.h"

enum { DP_MOST_WAYS = 48 };

/// By so much, relative to the size, a later one must be better than an earlier, simpler one: then
/// what is one normal but for round-off is taken for what it is.
#define DP_WAYS_BETTER 1e-15

typedef struct dp_way {
    int kind, i; // of features, and which of them: the pair knows
    double gap;
    dp_v3 n;
    double along_u, along_v; // n in the shadow where it was found, for those who need it
} dp_way;

typedef struct dp_ways {
    dp_way list[DP_MOST_WAYS];
    int count, best;
    double size; // of both shapes together: what round-off is relative to
} dp_ways;

/// Empty it.
static inline void dp_ways_begin(dp_ways *w, double size)
{
    w->count = w->best = 0;
    w->size = size;
}

/// The best of a list that is not empty.
static inline const dp_way *dp_ways_best(const dp_ways *w)
{
    return &w->list[w->best];
}

/// @return whether it is the best now. One more than there is room for is none
static inline bool dp_ways_enter(dp_ways *w, dp_way way)
{
    if (w->count == DP_MOST_WAYS) {
        return false;
    }
    const bool best = w->count == 0 || way.gap > dp_ways_best(w)->gap + DP_WAYS_BETTER * w->size;
    w->best = best ? w->count : w->best;
    w->list[w->count++] = way;
    return best;
}

/// Does another normal give the same gap? @param p from the middle of the one shape to that of the
/// other, as normals go: a normal across it is as good as its opposite
static inline bool dp_ways_tie(const dp_ways *w, dp_v3 p)
{
    const double another = 1.0 - 1e-6; // cosine of normals that are two
    const double tie = DP_DIFFERENCE_TIE * w->size;
    const dp_way *best = dp_ways_best(w);
    bool found = 2.0 * dp_v3_dot(best->n, p) <= tie;
    for (int k = 0; k < w->count && !found; ++k) {
        const dp_way *e = &w->list[k];
        found = e->gap >= best->gap - tie && dp_v3_dot(e->n, best->n) < another;
    }
    return found;
}

#endif
