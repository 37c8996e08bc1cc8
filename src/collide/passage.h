// Two shapes that move past each other.
#ifndef DP_COLLIDE_PASSAGE_H
#define DP_COLLIDE_PASSAGE_H

#include "geom/placed.h"

#include <dashpot/advanced/collide.h>

/// What moves past what, as the second one sees it.
typedef struct dp_passage {
    const dp_shape *moving, *standing;
    dp_pose from, to; // of `moving`, in the frame of `standing`
    double radius;    // [m] of a ball around the origin of `moving` that holds it
} dp_passage;

/// Do they stay apart on the straight way, with an even turn? Two convex shapes that are apart by a
/// gap along a normal stay so until one has moved that far along it: so the way is gone in steps
/// that nothing can happen in. Where it takes too many, they come so near that they may as well
/// touch.
bool dp_stay_apart(const dp_passage *p);

#endif
