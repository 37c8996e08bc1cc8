// Faces of a hull that are near as a whole, beside those that it shows.
#ifndef DP_COLLIDE_SUNK_FACES_H
#define DP_COLLIDE_SUNK_FACES_H

#include "geom/support.h"

typedef struct dp_sunk_faces {
    dp_face_choice choice;
    double behind[DP_FACE_CHOICES]; // [m] that the nearest corner of each lies behind the furthest
} dp_sunk_faces;

/// Give faces a share that are near with all their corners, and level with those that the hull
/// shows along m, which is in its frame. @param f the choice has these. @param depth > 0, how far
/// within the margin the furthest vertex is
void dp_sunk_faces_add(dp_sunk_faces *f, const dp_hull *hull, dp_v3 m, double depth);

/// From faces to their panels (geom/panels.c), each of them once.
void dp_sunk_faces_to_panels(dp_sunk_faces *f, const dp_hull *hull);

#endif
