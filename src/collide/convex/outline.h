// Faces that look at each other along a normal n, seen in the plane across n, and what they share.
#ifndef DP_COLLIDE_OUTLINE_H
#define DP_COLLIDE_OUTLINE_H

#include "collide/pairs/closed_forms.h"
#include "geom/support.h"

#include <dashpot/advanced/collide.h>

// Slopes (as sines) where a face begins to lose its say and where it has lost it: 6° and 20°.
#define DP_FLAT 0.1
#define DP_STEEP 0.35

/// 0 below `from`, 1 above `to`, smooth in between.
static inline double dp_rise(double x, double from, double to)
{
    const double t = (x - from) / (to - from);
    return t <= 0.0 ? 0.0 : t >= 1.0 ? 1.0 : t * t * (3.0 - 2.0 * t);
}

/// 1 for overlap, 0 from the margin on.
static inline double dp_margin_taper(double gap, double margin)
{
    return gap <= 0.0 ? 1.0 : gap < margin ? 1.0 - dp_rise(gap, 0.0, margin) : 0.0;
}

/// 1 for what falls gently to another corner, 0 for what falls steeply. Of sines, squared.
static inline double dp_slope_taper(double fall2)
{
    return fall2 <= DP_FLAT * DP_FLAT    ? 1.0
           : fall2 < DP_STEEP * DP_STEEP ? 1.0 - dp_rise(sqrt(fall2), DP_FLAT, DP_STEEP)
                                         : 0.0;
}

/// Areas by their share of the sum of the squared sides (1/4 for squares): below the first they are
/// measured by their length, above the second by their area.
#define DP_THIN 1e-6
#define DP_WIDE 1e-4
static inline bool dp_is_wide(double area, double squares)
{
    return area >= DP_WIDE * squares;
}

/// Where it is looked from: n from A to B, t1 and t2 across it.
typedef struct dp_view {
    dp_v3 origin, t1, t2, n;
} dp_view;

/// Axes across the unit vector n, without a square root.
static inline dp_view dp_view_along(dp_v3 n, dp_v3 origin)
{
    const double sign = n.z < 0.0 ? -1.0 : 1.0;
    const double s = -1.0 / (sign + n.z), xy = n.x * n.y * s;
    return (dp_view){origin,
                     {1.0 + sign * n.x * n.x * s, sign * xy, -sign * n.x},
                     {xy, sign + n.y * n.y * s, -n.y},
                     n};
}

/// A face in the plane across n: a polygon, counterclockwise about n, or a side (2) or a point (1).
typedef struct dp_outline {
    int count;
    bool turned;        // corners in the order opposite to that of the face, as those of B
    bool disc;          // a cap, whose corners stand for a circle
    bool parallelogram; // a face of a box
    double x[DP_FACE_CORNERS], y[DP_FACE_CORNERS], z[DP_FACE_CORNERS];
    uint32_t id[DP_FACE_CORNERS];
    uint32_t face;
    double slope_x, slope_y; // of the height z
    double tilt;             // sine of the angle of a disc, or of the axis of a side, to the plane
    double extent;           // greatest distance from the origin, in x or y
    double size;             // of the face, about its diameter, wherever the origin is
} dp_outline;

/// The face of A that looks along n, or that of B that looks along −n; of hulls face `face`.
void dp_outline_look(dp_outline *out, const dp_placed *s, const dp_view *view, bool is_b, int face);

/// The numbers of a face of a box and of its corners: that across axis k, on its positive side or
/// not. With i = k + 1 and j = k + 2 (from 0 again after 2) and s = ±1 for that side, the corners
/// of A are at (h_i, s h_j), (−h_i, s h_j), (−h_i, −s h_j) and (h_i, −s h_j); those of B, whose
/// face is seen from behind, begin at the same one and run the other way.
static inline void dp_outline_name_box(dp_outline *o, int k, bool up, bool is_b)
{
    const int i = k < 2 ? k + 1 : 0, j = k > 0 ? k - 1 : 2;
    const uint32_t bi = 1u << i, bj = 1u << j, base = up ? 1u << k : 0u;
    const uint32_t plus = up ? bj : 0u, minus = up ? 0u : bj;
    o->count = 4;
    o->id[0] = base | bi | plus;
    o->id[is_b ? 3 : 1] = base | plus;
    o->id[2] = base | minus;
    o->id[is_b ? 1 : 3] = base | bi | minus;
    o->face = (uint32_t)(2 * k) + (up ? 1u : 0u);
    o->turned = is_b;
}

/// A corner of what two outlines share.
typedef struct dp_corner {
    double x, y;
    double low, high; // heights of A and of B
    double gap;
    double weight;
    int8_t a, b;    // the vertices of A and of B that it is; −1: none
    int8_t cut, by; // else the edges of A and of B that cross there; −1: the face
    uint64_t feature;
} dp_corner;

enum { DP_PATCH_ROOM = 2 * DP_FACE_CORNERS + 2 };

typedef struct dp_patch {
    int count;
    bool shared;    // the weights are known; else they are shares of the area
    double size;    // of the smaller face [m]
    double slope2;  // square of the slope of the gap over a polygon; of sides INFINITY
    double missing; // share of the nearest point whatever the corners say, 0 … 1
    bool splits;    // corners come and go next to others, as edges cross
    bool rim;       // the nearest point may be none of the corners: there is room for it
    dp_corner corner[DP_PATCH_ROOM];
} dp_patch;

/// The corners of B above a plane at height `low`.
void dp_patch_over_plane(dp_patch *p, const dp_outline *b, double low);
/// What two polygons share. The deepest corner is at the origin of the view, with this gap; corners
/// beyond the margin may be missing where only one is nearer.
void dp_patch_of_polygons(dp_patch *p, const dp_outline *a, const dp_outline *b, double gap,
                          double margin);
/// A side over a polygon. `first`: the side belongs to A.
void dp_patch_of_side(dp_patch *p, const dp_outline *side, const dp_outline *polygon, bool first,
                      double radius, double margin);
/// Two sides.
void dp_patch_of_sides(dp_patch *p, const dp_outline *a, const dp_outline *b, double radius_a,
                       double radius_b);

/// The length of its sides.
double dp_patch_girth(const dp_patch *p);
/// Give the corners that are nearer than the margin weights that sum to one: shares of the area
/// unless they are known, tapered.
void dp_patch_weigh(dp_patch *p, double margin);
/// Leave out corners, each time the one whose absence takes the least area away, but not the
/// deepest: as long as there are more than `most`, and then as long as the others have this share
/// of the area (1: no more) and the gap is linear over them (thin_out.c). Corners whose areas
/// differ by less than a millionth count as equal: then the first one goes.
void dp_patch_thin_out(dp_patch *p, int most, double keep);

/// The share of the nearest point, whose gap is `gap`: what the corners miss of its depth.
double dp_patch_share_of_nearest(const dp_patch *p, double gap, double margin);

/// The share of the area of a patch that the contact points of hulls keep.
#define DP_KEPT_AREA 0.95

/// How many points a patch of hulls may have in this buffer: a face needs four.
static inline int dp_points_of_patch(const dp_contact_buffer *buffer)
{
    const int most = buffer->patch_points;
    return most <= 0 || most > DP_PATCH_POINTS ? DP_PATCH_POINTS : most < 4 ? 4 : most;
}

/// How many corners of a patch become contact points.
typedef struct dp_thinning {
    int most;    // with the nearest point
    double keep; // the share of the area that they must have; 1: all that there is room for
} dp_thinning;

/// From corners to contact points: no gap below that of the nearest point, weights, and no more
/// corners than there is room for. Returns the share of the nearest point.
double dp_patch_settle(dp_patch *p, double gap, double margin, dp_thinning thinning);

/// Append the corners, if there is room for the nearest point too where it has a share.
dp_status dp_patch_append(dp_contact_buffer *out, const dp_patch *p, const dp_view *view,
                          double by_nearest);
/// Append the nearest point, midway between the shapes.
static inline void dp_append_nearest(dp_contact_buffer *out, dp_v3 at, dp_v3 n, double gap,
                                     double share)
{
    out->point[out->count++] =
        (dp_contact_point){.point = at, .normal = n, .gap = gap, .weight = share};
}

/// Parts of features: vertices by their number in the shape, edges by that in the face.
enum { DP_PART_VERTEX = 1, DP_PART_EDGE = 2, DP_PART_FACE = 3 };

/// The vertex, or the edge behind it, or the face. Features name the part of A in their upper half
/// and that of B in their lower half.
static inline uint64_t dp_outline_part(int kind, const dp_outline *o, int i)
{
    uint32_t number = o->face;
    if (kind == DP_PART_VERTEX) {
        number = o->id[i];
    } else if (kind == DP_PART_EDGE) {
        const int next = i + 1 < o->count ? i + 1 : 0;
        number = o->face * DP_FACE_CORNERS + (uint32_t)(o->turned ? o->count - 1 - next : i);
    }
    return (uint64_t)kind << 30 | (number & 0x3fffffffu);
}

static inline uint64_t dp_outline_feature(const dp_outline *a, const dp_outline *b,
                                          const dp_corner *c)
{
    const uint64_t of_a = c->a >= 0     ? dp_outline_part(DP_PART_VERTEX, a, c->a)
                          : c->cut >= 0 ? dp_outline_part(DP_PART_EDGE, a, c->cut)
                                        : dp_outline_part(DP_PART_FACE, a, 0);
    const uint64_t of_b = c->b >= 0    ? dp_outline_part(DP_PART_VERTEX, b, c->b)
                          : c->by >= 0 ? dp_outline_part(DP_PART_EDGE, b, c->by)
                                       : dp_outline_part(DP_PART_FACE, b, 0);
    return of_a << 32 | of_b;
}

/// The height of the face's plane.
static inline double dp_outline_height(const dp_outline *o, double x, double y)
{
    return o->z[0] + o->slope_x * (x - o->x[0]) + o->slope_y * (y - o->y[0]);
}

/// Closer than this to an edge is on it [m]: far more than round-off, far less than matters.
static inline double dp_on_edge(const dp_outline *a, const dp_outline *b)
{
    const bool a_is_less = a->extent < b->extent;
    const double less = a_is_less ? a->extent : b->extent, more = a_is_less ? b->extent : a->extent;
    return 0x1p-30 * less + 0x1p-44 * more;
}

#endif
