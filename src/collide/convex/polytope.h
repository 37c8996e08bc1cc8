// A polytope of triangles that grows inside of M, corner by corner.
#ifndef DP_COLLIDE_POLYTOPE_H
#define DP_COLLIDE_POLYTOPE_H

#include "collide/convex/minkowski.h"

#include <dashpot/advanced/collide.h>

enum { DP_MOST_FACES = 512, DP_MOST_CORNERS = DP_MOST_FACES / 2 + 2 };

typedef struct dp_facet {
    dp_v3 n;       // outward, unit
    double d;      // n·x on the face
    int corner[3]; // counterclockwise from outside
    int link[3];   // beyond the edge from corner k: four times the face, and which edge it is there
    bool alive;
    bool visible;
} dp_facet;

typedef struct dp_polytope {
    dp_corner corner[DP_MOST_CORNERS];
    dp_facet face[DP_MOST_FACES];
    double key[DP_MOST_FACES]; // d of faces that may be pushed, ∞ of others
    int ncorner, nface;        // faces in use or dead
    int unused[DP_MOST_FACES], nunused;
    int passed[DP_MOST_CORNERS], loops; // the last loop through a corner, and how many there were
} dp_polytope;

/// Begin with a tetrahedron.
void dp_polytope_begin(dp_polytope *p, const dp_simplex *s);

/// Begin with one that was kept, its corners where the vertices are now. False: it does not fit the
/// shapes, or the origin is not on the inner side of all its faces.
bool dp_polytope_recall(dp_polytope *p, const dp_difference *m, const dp_pair_polytope *kept);

/// Keep it (no corners: it is too large to be kept).
void dp_polytope_keep(dp_pair_polytope *kept, const dp_polytope *p);

/// It cannot be pushed, or need not be.
static inline void dp_polytope_set_aside(dp_polytope *p, int f)
{
    p->key[f] = INFINITY;
}

/// The face next to the origin, of those that have not been set aside. −1: there is none.
static inline int dp_polytope_nearest(const dp_polytope *p)
{
    int best = -1;
    double least = INFINITY;
    for (int f = 0; f < p->nface; ++f) {
        if (p->key[f] < least) {
            least = p->key[f];
            best = f;
        }
    }
    return best;
}

static inline bool dp_polytope_has_corner(const dp_polytope *p, dp_v3 w)
{
    for (int i = 0; i < p->ncorner; ++i) {
        if (dp_v3_same(p->corner[i].w, w)) {
            return true;
        }
    }
    return false;
}

typedef enum dp_push { DP_PUSHED, DP_STUCK, DP_FULL } dp_push;

/// Make `c` a corner, which the face `first` sees. Faces that see it by more than `level` go.
dp_push dp_polytope_grow(dp_polytope *p, int first, const dp_corner *c, double level);

#endif
