// A binary tree of boxes that come, move and go, balanced at all times.
//
// Every inner node holds the box around its two children. A leaf enters where the boxes grow least;
// rotations on the way back up keep the heights of siblings within one of each other, so that a
// tree of n leaves is never deeper than 1.45 log₂ n (an AVL tree without order). Flat arrays,
// nothing is allocated.
#ifndef DP_COLLIDE_DYNAMIC_TREE_H
#define DP_COLLIDE_DYNAMIC_TREE_H

#include <dashpot/collide.h>

/// 64 bytes: one line of the cache.
typedef struct dp_tree_node {
    dp_bounds box;
    int parent;   // −1 at the root; of a free node: the next free one, −1 at the end
    int child[2]; // of a leaf: −1, and what it stands for
    int height;   // 0 of a leaf
} dp_tree_node;

typedef struct dp_dynamic_tree {
    dp_tree_node *node;
    int root; // −1: empty
    int free;
} dp_dynamic_tree;

/// Deeper than any tree of 2³¹ leaves, for stacks of walks that keep one sibling per level.
enum { DP_TREE_DEPTH = 64 };

/// How many nodes `nleaf` leaves need.
static inline size_t dp_tree_nodes(int nleaf)
{
    return nleaf > 0 ? 2 * (size_t)nleaf - 1 : 0;
}

/// An empty tree for `nleaf` leaves in `node`, dp_tree_nodes(nleaf) of them.
void dp_tree_init(dp_dynamic_tree *tree, dp_tree_node *node, int nleaf);

/// Add a leaf. @return its node, which stays the same until it is removed
int dp_tree_insert(dp_dynamic_tree *tree, dp_bounds box, int id);
void dp_tree_remove(dp_dynamic_tree *tree, int leaf);

static inline bool dp_node_is_leaf(const dp_tree_node *node)
{
    return node->height == 0;
}

/// Do two boxes share a point? Faces count.
static inline bool dp_bounds_overlap(const dp_bounds *a, const dp_bounds *b)
{
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) &
           (b->low.y <= a->high.y) & (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}

static inline bool dp_bounds_contain(const dp_bounds *outer, const dp_bounds *inner)
{
    return (outer->low.x <= inner->low.x) & (inner->high.x <= outer->high.x) &
           (outer->low.y <= inner->low.y) & (inner->high.y <= outer->high.y) &
           (outer->low.z <= inner->low.z) & (inner->high.z <= outer->high.z);
}

static inline double dp_lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double dp_greater(double a, double b)
{
    return a > b ? a : b;
}

/// The box around both.
static inline dp_bounds dp_bounds_join(const dp_bounds *a, const dp_bounds *b)
{
    return (dp_bounds){{dp_lesser(a->low.x, b->low.x), dp_lesser(a->low.y, b->low.y),
                        dp_lesser(a->low.z, b->low.z)},
                       {dp_greater(a->high.x, b->high.x), dp_greater(a->high.y, b->high.y),
                        dp_greater(a->high.z, b->high.z)}};
}

#endif
