// A tree of boxes around many things that do not move, for finding those near a box, a ray or a
// point.
//
// Built once, from boxes alone: equal input gives an equal tree. The nodes lie in one array in the
// order of a walk that takes the first branch first, so what is near in space is near in memory. No
// branch is longer than DP_TREE_DEPTH: a walk needs no more than so many nodes on its stack.
#ifndef DP_GEOM_BOX_TREE_H
#define DP_GEOM_BOX_TREE_H

#include "base/memory.h"
#include "math/v3.h"

#include <dashpot/advanced/collide.h>

enum { DP_TREE_DEPTH = 64 };

typedef struct dp_box_node {
    dp_bounds box;
    int first; // a leaf: its first place in the order; a fork: its second branch, the first is next
    int count; // of things in a leaf; 0: a fork
} dp_box_node;

typedef struct dp_box_tree {
    const dp_box_node *node; // [0]: the root
    int nnode;
} dp_box_tree;

/// The tree of `count` ≥ 1 boxes, in `pool`. order[k] becomes the number of the box that stands at
/// place k: put the things in this order, and the leaves name them.
dp_status dp_box_tree_build(dp_box_tree *out, int *order, dp_pool *pool, const dp_bounds *box,
                            int count);

/// A walk over the leaves that are of interest, nearest first where nearness has a meaning.
typedef struct dp_tree_walk {
    const dp_box_node *node;
    int count;
    int waiting[DP_TREE_DEPTH];
    double bound[DP_TREE_DEPTH]; // of the nodes that wait: least distance, along a ray or in space
} dp_tree_walk;

void dp_tree_walk_begin(dp_tree_walk *walk, const dp_box_tree *tree);

/// The next leaf whose box has a point in common with `box`; NULL: there is no other.
const dp_box_node *dp_tree_next_in_box(dp_tree_walk *walk, const dp_bounds *box);

/// The next leaf whose box is less than `limit` away from `box` (which may be a point), near ones
/// before far ones as the forks have it. The limit may shrink from call to call.
const dp_box_node *dp_tree_next_near(dp_tree_walk *walk, const dp_bounds *box, double limit);

/// A ray in the axes of the tree, with what its boxes need. The direction has no length to speak
/// of: parameters are in units of it.
typedef struct dp_tree_ray {
    double origin[3], inverse[3]; // inverse: 1/direction, infinite where that is zero
} dp_tree_ray;
dp_tree_ray dp_tree_ray_make(dp_v3 origin, dp_v3 direction);

/// The next leaf that the ray enters before `limit`, which may shrink from call to call. Boxes
/// count as wider by a few units in the last place, so that nothing slips between two.
const dp_box_node *dp_tree_next_on_ray(dp_tree_walk *walk, const dp_tree_ray *ray, double limit);

static inline bool dp_bounds_meet(const dp_bounds *a, const dp_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static inline dp_bounds dp_bounds_join(dp_bounds a, dp_bounds b)
{
    return (dp_bounds){
        {fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)},
        {fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z)}};
}

/// The square of the distance between two boxes; 0 where they meet.
static inline double dp_bounds_distance2(const dp_bounds *a, const dp_bounds *b)
{
    const double x = fmax(0.0, fmax(a->low.x - b->high.x, b->low.x - a->high.x));
    const double y = fmax(0.0, fmax(a->low.y - b->high.y, b->low.y - a->high.y));
    const double z = fmax(0.0, fmax(a->low.z - b->high.z, b->low.z - a->high.z));
    return x * x + y * y + z * z;
}

#endif
