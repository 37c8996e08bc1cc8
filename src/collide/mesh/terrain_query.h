// A convex shape A on ground, while its contacts are sought: shared by the terrain_*.c files.
#ifndef DP_COLLIDE_TERRAIN_QUERY_H
#define DP_COLLIDE_TERRAIN_QUERY_H

#include "collide/convex/outline.h"
#include "collide/pair.h"
#include "geom/core.h"
#include "geom/mesh/ground.h"

#include <dashpot/advanced/collide.h>

enum {
    DP_QUERY_PATCHES = 16,  // clusters at once; where there are more, the deepest stay
    DP_QUERY_LANDINGS = 64, // places where A touches; where there are more, the shallowest stay
    DP_CLUSTER_SPOTS = 48,  // points of a cluster, before it is reduced to its outline
};
_Static_assert((int)DP_PATCH_ROOM >= (int)DP_CLUSTER_SPOTS, "a cluster fits in a patch");

// Normals of a cluster are within 0.02 rad of that of the first: the cosine.
#define DP_LIKE_NORMALS 0.9998

// Points nearer to each other than this, relative to the size of A, are one.
#define DP_SAME_PLACE 1e-9

// A place where A may touch. All vectors in the axes of the ground, from the place of A.
typedef struct dp_spot {
    dp_v3 at;     // on the ground
    dp_v3 normal; // m, towards A
    double gap;
    double x, y; // in the plane of the cluster
    uint64_t feature;
} dp_spot;

// Where A could be moved out.
typedef struct dp_way_out {
    dp_v3 m;
    double phi;   // of all of A
    double level; // of the ground along m
} dp_way_out;

// A place where A touches by itself: its lowest point over a face, or a point over an edge.
typedef struct dp_landing {
    dp_spot spot;
    dp_way_out out;
    int cluster;
} dp_landing;

typedef struct dp_cluster {
    dp_v3 normal, t1, t2;
    int count;
    dp_spot spot[DP_CLUSTER_SPOTS];
    dp_spot lowest;
    bool sound;    // is there one?
    double least;  // gap of any point
    double missed; // share of the weight that the lowest point takes whatever the corners say
} dp_cluster;

typedef struct dp_ground_query {
    const dp_shape *ground;
    dp_placed a; // in the axes of the ground, at their origin
    dp_v3 p;     // where it is
    double radius, reach, margin, tiny;
    bool round;      // does it touch in single points?
    bool polyhedron; // are its separating directions through faces and edges?
    dp_bounds box;   // around A, with the margin
    dp_bounds own;   // the same along its own axes
    int hint;
    bool near; // is A below the margin over the plane of a triangle?
    bool cuts; // does A share a point with a triangle?
    bool full; // was something left out?
    int count, nlanding;
    dp_cluster cluster[DP_QUERY_PATCHES];
    dp_landing landing[DP_QUERY_LANDINGS];
} dp_ground_query;

// A normal of an edge or vertex at which φ is greatest.
typedef struct dp_peak {
    dp_v3 m;
    double gap;
    dp_v3 at;     // on the ground
    bool reached; // does the feature itself lie under A there?
} dp_peak;

static inline dp_v3 dp_v3_negative(dp_v3 v)
{
    return (dp_v3){-v.x, -v.y, -v.z};
}

// The point of the core of A furthest along d.
static inline dp_v3 dp_core_along(dp_ground_query *q, dp_v3 d)
{
    const dp_v3 local = dp_m3_apply_transposed(&q->a.R, d);
    return dp_m3_apply(&q->a.R, dp_core_support_of(q->a.shape, local, &q->hint));
}

static inline void dp_ground_shift(dp_ground_triangle *t, dp_v3 p)
{
    for (int k = 0; k < 3; ++k) {
        t->corner[k] = dp_v3_sub(t->corner[k], p);
    }
}

static inline bool dp_is_ridge(const dp_ground_edge *edge)
{
    return edge->kind == DP_EDGE_CONVEX || edge->kind == DP_EDGE_OPEN;
}

// A number for a normal, so that a vertex that touches two walls has two features.
static inline uint64_t dp_feature_pair(dp_v3 m)
{
    const double part[3] = {m.x, m.y, m.z};
    uint64_t number = 0;
    for (int k = 0; k < 3; ++k) {
        number = number << 6 | (uint64_t)(32.0 + 31.0 * part[k]);
    }
    return number;
}

/// The cluster of points with normals like m, new where there is none; NULL: there are too many,
/// and all are deeper than `gap`.
dp_cluster *dp_cluster_of(dp_ground_query *q, dp_v3 m, double gap);

/// Add a point. One in the place of another stays if it is deeper.
void dp_cluster_add(dp_ground_query *q, dp_cluster *c, const dp_spot *s);

/// Replace the points by the corners of their convex outline, counterclockwise, and by what lies on
/// its edges, deeper than they do.
void dp_cluster_outline(dp_cluster *c, double tiny);

/// A touches here by itself, not only with part of a face.
void dp_query_land(dp_ground_query *q, dp_cluster *c, const dp_spot *s, dp_way_out out);

/// Leave out places that are passed on another separating direction, and clusters that are only
/// parts of faces.
void dp_query_settle(dp_ground_query *q);

/// The greatest φ at edge k strictly between the normals on both sides. @return false: at one of
/// them
bool dp_edge_peak(dp_peak *out, dp_ground_query *q, const dp_ground_triangle *t, int k,
                  dp_v3 beyond);

/// The greatest φ at corner k, for a triangle behind whose plane A is by −phi.
bool dp_corner_peak(dp_peak *out, dp_ground_query *q, const dp_ground_triangle *t, int k,
                    double phi);

/// Add what A shares with a triangle.
void dp_query_meet(dp_ground_query *q, int number);

#endif
