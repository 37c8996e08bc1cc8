// A cube on an elastic foundation: side 1 m, 8 kg, over the plane z = 0.
#ifndef DP_TESTS_FOUNDATION_RIG_H
#define DP_TESTS_FOUNDATION_RIG_H

#include "mechanism.h"

enum { RIG_FLOOR = 0, RIG_CUBE = 1 }; // geoms; the cube's body is 1

/// What the cube is allowed to do.
typedef enum rig_freedom {
    RIG_FREE,
    RIG_SLIDES, // along z
    RIG_ROCKS,  // along z, and about y through its centre
} rig_freedom;

/// nx × ny springs under it, depth 1 m. The cube touches the plane and no spring is pressed.
dp_spec *foundation_spec(rig_freedom freedom, int nx, int ny, double youngs_modulus,
                         double damping);
mechanism foundation_rig(rig_freedom freedom, int nx, int ny, double youngs_modulus,
                         double damping);

#define RIG_WEIGHT (8.0 * 9.81) // [N]

#endif
