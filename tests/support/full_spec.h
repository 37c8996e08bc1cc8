// The small mechanism with meshes, terrain, contact pairs, tendons and equalities on top.
#ifndef DP_TESTS_FULL_SPEC_H
#define DP_TESTS_FULL_SPEC_H

#include <dashpot/spec.h>

/// small_spec and, after its elements:
/// meshes tetra (four faces, exact) and cube (corners only, convex); height field hills (3 × 2);
/// geoms ball_mesh (tetra, on ball), terrain (hills) and post (cylinder), both on the world;
/// sites post_top and post_side on the world, cart_site on cart;
/// pair grip (ball_ball, cart_box), exclude apart (cart, pole);
/// tendons sum (fixed: slider − ½ pivot) and rope (spatial, limited: post_top, around post on the
/// side of post_side, tip_site; pulley 2; cart_site, post_top);
/// equalities pin (connect ball, hand), grip (weld of sites tip_site, post_top), gear (joints
/// pivot, slider), ropes (tendons rope, sum), stuck (joint slider alone, inactive); actuators winch
/// (on rope) and thruster (on tip_site, seen from post_top); sensor length (of rope). Allowed:
/// contact, equality, tendon, transmission. nu = 4, na = 1. On failure nothing is left and *out is
/// NULL.
dp_status full_spec_create(dp_spec **out, const dp_allocator *allocator);

#endif
