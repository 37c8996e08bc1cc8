// Pairs of convex shapes in all the situations that are hard for queries between them.
#ifndef DP_TESTS_CONVEX_TRIAL_H
#define DP_TESTS_CONVEX_TRIAL_H

#include "test_random.h"

#include "geom/mesh/mesh.h"

#include <dashpot/advanced/collide.h>

typedef enum situation {
    ANYHOW,     // from concentric to apart
    DEEP,       // one far in the other
    SLENDER,    // sizes from 1 to 1e-4 of each other
    PARALLEL,   // equal attitudes, often moved along an axis
    ALIGNED,    // along the axes of the world
    TOUCHING,   // moved until they touch, but for 0 … 1e-7 of their size
    CONCENTRIC, // or off by 1e-14 or 1e-8 of their size
    SITUATIONS
} situation;

/// Two shapes at their places. Hulls are owned: convex_trial_end.
typedef struct convex_trial {
    dp_shape shape[2];
    dp_pose pose[2];
    double size;       // of both together [m]
    dp_hull *hull[2];  // of meshes
    double *vertex[2]; // what these are the hulls of
    int nvertex[2];
} convex_trial;

/// Draw a pair of these kinds (no planes and fields), of about `scale` [m].
void convex_trial_begin(convex_trial *t, random_source *r, dp_geom_kind a, dp_geom_kind b,
                        situation s, double scale);
void convex_trial_end(convex_trial *t);

/// The distance by dp_convex_distance, whatever the kinds.
dp_distance convex_trial_distance(const convex_trial *t);

#endif
