// Random mechanisms as MJCF text: trees of bodies with all kinds of joints, shapes, inertias,
// orientations, defaults, actuators, sensors and a keyframe, in the dialect that MuJoCo 2.2.2 and
// Dashpot both read. Equal options give equal text.
#ifndef DP_RANDOM_MECHANISM_H
#define DP_RANDOM_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct random_mechanism_options {
    uint64_t seed;
    int max_bodies;     ///< at most; the number is drawn from 1 … max_bodies
    bool scalar_joints; ///< hinges and slides only: no quaternions in q
    bool tendons;       ///< with fixed and spatial tendons, and actuators on tendons and sites
} random_mechanism_options;

/// 20 bodies, everything allowed.
random_mechanism_options random_mechanism_default(uint64_t seed);

/// The text of a mechanism, from malloc; free() it. Every body, joint, site, actuator and sensor
/// has a name, most geoms have.
char *random_mechanism(const random_mechanism_options *options);

#endif
