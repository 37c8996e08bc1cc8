// Two placed shapes: their distance and their contact points. What the public queries and the step
// call; arguments are not checked again.
#ifndef DP_COLLIDE_PAIR_H
#define DP_COLLIDE_PAIR_H

#include "geom/placed.h"

#include <dashpot/advanced/collide.h>

/// As dp_shapes_distance. Closed forms where there are any, else dp_convex_distance.
/// The order of A and B does not matter: swapping them turns the normal and swaps the points, to
/// the last bit.
void dp_pair_distance(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                      dp_pair_memory *memory);

/// As dp_shapes_contacts.
dp_status dp_pair_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                           double margin, dp_pair_memory *memory);

// Parts

/// Any two convex shapes but planes, by support maps: GJK between the cores, EPA where these
/// overlap, then Newton steps on the curved parts until the gap is right to round-off.
void dp_convex_distance(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                        dp_pair_memory *memory);

/// Do two convex shapes share a point?
bool dp_convex_overlap(const dp_placed *a, const dp_placed *b, dp_pair_memory *memory);

/// The contact points of two convex shapes (planes too) whose distance is known: the common part of
/// the two faces that look at each other along its normal.
dp_status dp_convex_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                             const dp_distance *nearest, double margin);

/// A convex shape `a` (planes not) on a surface or terrain `b`. Edges between triangles that meet
/// flat, or inward, give no contact of their own.
dp_status dp_terrain_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                              double margin, dp_pair_memory *memory);
void dp_terrain_distance(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                         dp_pair_memory *memory);

#endif
