// Random mechanisms through the C API: forests with all kinds of joints, several joints on one
// body, welded and massless parts. Equal options give equal mechanisms. random_mechanism.h has the
// same as MJCF.
#ifndef DP_TESTS_RANDOM_SPEC_H
#define DP_TESTS_RANDOM_SPEC_H

#include "test_random.h"

#include <dashpot/sim.h>

typedef struct random_spec_options {
    uint64_t seed;
    int max_bodies;    // the number is drawn from 1 … max_bodies
    bool floating;     // one tree, its root on a free joint
    bool no_slides;    // nothing can run away
    bool held_slides;  // every slide has a spring: the same
    bool regular;      // the inertia matrix is regular in every configuration
    bool springs;      // some joints have springs
    bool dampers;      // some joints have dampers
    bool armature;     // some joints have armature
    bool compensation; // some bodies have gravity compensation
    bool actuators;    // some joints are driven
} random_spec_options;

/// Twelve bodies at most, everything but actuators.
random_spec_options random_spec_default(uint64_t seed);

/// A spec the caller owns. Bodies are called b1, b2, …, joints j0, j1, …; the site s<i> is on
/// body b<i>.
dp_spec *random_spec(const random_spec_options *options);

/// Any configuration: angles up to π, displacements up to half a metre, rotations uniform.
/// Velocities up to `speed` [rad/s, m/s].
void random_state(dp_data *d, random_source *r, double speed);
/// Controls up to 1 and external wrenches up to 1 N, 1 N m, on everything.
void random_inputs(dp_data *d, random_source *r);

#endif
