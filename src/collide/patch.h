// Contact points that share one area, in the plane across their normal: who has which weight, and
// who may go.
//
// A corner has the share (A_left + A_right)/2A of the area, where A_left and A_right are the
// triangles that its edges span with the centroid: the mean of the corners is then the centroid,
// and a corner that splits shares its weight. Thin areas are measured by length instead. The share
// is multiplied by a taper that falls to zero
//   - towards the margin, so that corners come and go without a jump, and
//   - for corners from which the gap falls steeply to another corner: what rises at more than 20°
//     takes no part. So nothing is left of a face when a shape turns on to the next one.
#ifndef DP_COLLIDE_PATCH_H
#define DP_COLLIDE_PATCH_H

#include "geom/support.h"

enum { DP_PATCH_ROOM = 2 * DP_FACE_CORNERS + 2 };

// Slopes (as sines) where the taper begins and where it ends: 6° and 20°.
#define DP_PATCH_FLAT 0.1
#define DP_PATCH_STEEP 0.35

/// A corner of the common area, counterclockwise.
typedef struct dp_patch_corner {
    double x, y; // in the plane
    double gap;
    double weight;
    int from; // whatever the owner of the patch knows it by
} dp_patch_corner;

typedef struct dp_patch {
    int count;
    dp_patch_corner corner[DP_PATCH_ROOM];
} dp_patch;

/// 0 below `from`, 1 above `to`, smooth in between.
static inline double dp_rise(double x, double from, double to)
{
    const double t = (x - from) / (to - from);
    return t <= 0.0 ? 0.0 : t >= 1.0 ? 1.0 : t * t * (3.0 - 2.0 * t);
}

/// How much of the weight a face of a shape leaves to the nearest point, for its slope to the
/// normal n: flat faces meet in corners, but the rim of a cap and the end of a side are only met by
/// the nearest point.
double dp_face_missed(const dp_placed *s, const dp_face *f, dp_v3 n);

/// Give each corner its share of the area.
void dp_patch_share(dp_patch *p);

/// Taper the shares, leave out corners of no weight. Returns the sum of the weights.
double dp_patch_taper(dp_patch *p, double margin);

/// Leave out the corner whose absence takes the least area away, but not the deepest, until there
/// are no more than `most`. Its weight goes to its neighbours, by their distance along the line
/// between them. Corners whose areas differ by less than a millionth are alike: then the first one
/// goes.
void dp_patch_thin_out(dp_patch *p, int most);

#endif
