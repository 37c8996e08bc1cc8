// Which geoms could touch, judged by masks, bodies, pairs and excludes, not by place.
#ifndef DP_MODEL_TOUCH_H
#define DP_MODEL_TOUCH_H

#include "model/compile/compile.h"

/// Note who is excluded and which pairs are given, so that it can be looked up.
dp_status dp_compile_touch(dp_compiler *c);

/// How many pairs of geoms could touch, in time linear in the mechanism unless its masks are of
/// very many kinds. −1: some, too different to be counted.
dp_status dp_count_touch(long long *out, dp_compiler *c);

/// An elastic foundation and a plane that it may rest on.
typedef struct dp_stand {
    int geom, plane;
} dp_stand;

/// All of them, by geom and then plane, in scratch of the compiler.
dp_status dp_find_stands(dp_stand **out, int *count, dp_compiler *c);

#endif
