// The parts of a spec by number, in few letters.
#ifndef DP_TESTS_SPEC_PARTS_H
#define DP_TESTS_SPEC_PARTS_H

#include <dashpot/spec.h>

dp_body_spec *body(dp_spec *s, int i);
dp_joint_spec *joint(dp_spec *s, int i);
dp_geom_spec *geom(dp_spec *s, int i);
dp_site_spec *site(dp_spec *s, int i);
dp_actuator_spec *actuator(dp_spec *s, int i);

#endif
