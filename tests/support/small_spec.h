// A mechanism with one of everything, built by hand, and short ways to add to a spec.
#ifndef DP_TESTS_SMALL_SPEC_H
#define DP_TESTS_SMALL_SPEC_H

#include <dashpot/spec.h>

/// world ─ cart (slide) ─ pole (hinge) ─ tip (welded);  world ─ ball (free);  world ─ hand (mocap).
/// Geoms cart_box, pole_rod, ball_ball (none touch), site tip_site on tip, actuators motor and
/// servo (filter) on the joints slider and pivot, sensors imu (accelerometer) and tip_position
/// (relative to cart), keyframe home. nq = 9, nv = 8, na = 1, nu = 2, nmocap = 1.
/// On failure nothing is left and *out is NULL.
dp_status small_spec_create(dp_spec **out, const dp_allocator *allocator);

/// A body with a sphere of 0.1 m and 1 kg that touches nothing. Failures end the test.
dp_body_id add_ball_body(dp_spec *spec, dp_body_id parent, const char *name);
dp_joint_id add_joint(dp_spec *spec, dp_body_id body, const char *name, dp_joint_kind kind);

#endif
