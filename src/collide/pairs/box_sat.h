// Two boxes seen from each other, and the fifteen directions that their difference has faces
// across: the axes of A, those of B, and the common perpendiculars of an edge of each.
#ifndef DP_COLLIDE_BOX_AXES_H
#define DP_COLLIDE_BOX_AXES_H

#include "collide/pairs/closed_forms.h"

// Two edges whose directions differ by less have no common perpendicular that is worth computing:
// what is lost is this share of the lengths.
#define DP_EDGES_PARALLEL 0x1p-46
// Below this sine, the perpendicular is made a unit vector first and lengths are measured along it:
// the products of the direction cosines lose too much.
#define DP_EDGES_NEARLY_PARALLEL 0x1p-10

// Kinds of directions: 0 … 2 across faces of A, 3 … 5 of B, 6 + 3i + j across edges i of A and j of
// B.
enum { DP_BOX_AXES = 15, DP_BOX_FIRST_EDGE = 6 };

typedef struct dp_box_sat {
    double a[3], b[3];         // half lengths
    double C[3][3];            // R_AB
    double absolute[3][3];     // |C|
    double d[3], e[3];         // p_AB in A and in B
    double small;              // round-off [m]
    double value[DP_BOX_AXES]; // signed distances along the directions, those of edges times their
                               // sine; below that of the best where they were not looked at closely
    int best;
    double gap; // along the best
} dp_box_sat;

/// Find the direction along which the boxes are furthest apart, or overlap the least. False as soon
/// as they are known to be further apart than `limit`: the gap is then a lower bound of their
/// distance, and only `best` is known besides.
bool dp_box_sat_find(dp_box_sat *f, const dp_placed *a, const dp_placed *b, double limit);

/// The unit normal of a kind of direction, from A to B, in the frame of A.
dp_v3 dp_box_normal(const dp_box_sat *f, int kind);

/// Does a direction other than m, the best, give the same separating direction?
bool dp_box_is_ambiguous(const dp_box_sat *f, dp_v3 m);

/// The nearest points where the boxes are apart and m, the best, may be none of the fifteen, or the
/// points that are deepest along m where not: x is the point of A, all in the frame of A. False
/// when a search among all directions is needed.
bool dp_box_nearest(dp_v3 *x, dp_v3 *m, double *gap, const dp_box_sat *f);

/// Column k of R_AB.
static inline dp_v3 dp_box_axis_of_b(const dp_box_sat *f, int k)
{
    return (dp_v3){f->C[0][k], f->C[1][k], f->C[2][k]};
}

#endif
