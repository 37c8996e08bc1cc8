// Random robots as URDF text: trees of links with all types of joints, full inertias, shapes that
// are seen and shapes that touch, frames without mass. In the dialect that MuJoCo 2.2.2 and Dashpot
// both read. Equal seeds give equal text.
#ifndef DP_TESTS_RANDOM_URDF_H
#define DP_TESTS_RANDOM_URDF_H

#include <stdint.h>

/// The text of a robot, from malloc; free() it. Every third robot floats on a joint of its own.
char *random_urdf(uint64_t seed);

#endif
