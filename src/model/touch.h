// Which geoms could touch, judged by masks, bodies, pairs and excludes, not by place.
#ifndef DP_MODEL_TOUCH_H
#define DP_MODEL_TOUCH_H

#include "model/compile.h"

/// Note who is excluded and which pairs are given, so that it can be looked up.
dp_status dp_compile_touch(dp_compiler *c);

typedef struct dp_touch {
    long long count; // pairs of geoms that could touch; −1: some, too different to be counted
    int geom[2];     // the first of them
    int pair;        // the pair that was given for them; −1: their masks meet
} dp_touch;

/// Find the pairs, in time linear in the mechanism unless its masks are of very many kinds.
dp_status dp_find_touch(dp_touch *out, dp_compiler *c);

/// An elastic foundation and a plane that it may stand on.
typedef struct dp_stand {
    int geom, plane;
} dp_stand;

/// All of them, by geom and then plane, in scratch of the compiler.
dp_status dp_find_stands(dp_stand **out, int *count, dp_compiler *c);

#endif
