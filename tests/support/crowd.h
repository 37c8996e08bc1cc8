// Many bodies of all shapes in a small place.
#ifndef DP_TESTS_CROWD_H
#define DP_TESTS_CROWD_H

#include "mechanism.h"
#include "near.h"

#include <dashpot/contact.h>

enum { CROWD_BODIES = 40 };

/// Bodies of one or two geoms that fly about over a floor (geom 0), hills (1) and a roof (2), by
/// free joints. All shapes, some margins, some that touch nothing, one exclude.
mechanism crowd_create(uint64_t seed);

/// Random places near each other, and velocities.
void crowd_scatter(mechanism *x, random_source *r, double speed);

/// The shape of a geom, which must have one.
dp_shape crowd_shape(const mechanism *x, int geom);

#endif
