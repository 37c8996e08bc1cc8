// How two geoms touch: what the numbers of both make together, or those of the pair that names
// them.
//
// Friction and the number of rows are mixed as in MJCF: by the geom of higher priority, else the
// larger of each. Materials act in series,
//
//     1/k = 1/k₁ + 1/k₂,   b = k² (b₁/k₁² + b₂/k₂²),                                       (MX 1)
//
// exact for loads that change slowly. Where the author gave solref or solimp and no material, both
// follow from these and from the masses that meet (R 4).
#ifndef DP_MODEL_MIX_H
#define DP_MODEL_MIX_H

#include "model/model.h"

#include <dashpot/problem.h>

typedef struct dp_touch_law {
    int condim; // 1, 3, 4 or 6 rows
    dp_friction friction;
    double stiffness;            // [N/m] of the whole contact, may be infinite
    double damping;              // [N s/m]
    double tangential_stiffness; // [N/m] may be infinite
} dp_touch_law;

/// @param pair the number of the pair that was given for them, −1: none
void dp_mix(dp_touch_law *out, const dp_model *m, int a, int b, int pair);

/// The spring and damper that solref and solimp mean for a row of mobility A [1/kg]: (R 4) of
/// compile_ratio.c. What nothing can move is rigid.
dp_bearing dp_bearing_of(const double solref[2], const double solimp[5], double A);

#endif
