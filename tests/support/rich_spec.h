// A spec in which no field of a body, joint, geom, site, actuator, sensor or key has its default
// value everywhere. Written to be read, not to move.
#ifndef DP_TESTS_RICH_SPEC_H
#define DP_TESTS_RICH_SPEC_H

#include <dashpot/spec.h>

/// Bodies arm, hand (on arm), ball, puppet (mocap), in the order of the tree; joints hinge, slide
/// and ball on arm, one without a name on hand, free on ball; geoms and sites g0 … g11, the seventh
/// without a name; actuators a0 … a15, the fifth without a name; all sensors but those of tendons;
/// two keys. Negative zeros in many places.
dp_spec *rich_spec_create(void);

#endif
