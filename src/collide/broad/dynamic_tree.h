// A binary tree of boxes that come, move and go, balanced at all times.
//
// Every inner node holds the box around its two children. A leaf enters where the boxes grow least;
// rotations on the way back up keep the heights of siblings within DP_DYNAMIC_LEAN of each other,
// as in an AVL tree, so that a tree of n leaves is never deeper than 2.2 log₂ n. A lean of 1 would
// make lower trees whose boxes overlap more: a walk meets twice as many. Flat arrays, nothing is
// allocated.
#ifndef DP_COLLIDE_DYNAMIC_TREE_H
#define DP_COLLIDE_DYNAMIC_TREE_H

#include "collide/pairs/sides.h"

/// 64 bytes: one line of the cache.
typedef struct dp_tree_node {
    dp_sides box;
    int parent;   // −1 at the root; of a free node: the next free one, −1 at the end
    int child[2]; // of a leaf: −1, and what it stands for
    int height;   // 0 of a leaf
} dp_tree_node;

typedef struct dp_dynamic_tree {
    dp_tree_node *node;
    int root; // −1: empty
    int free;
} dp_dynamic_tree;

/// By how much a node may be taller than its sibling, and what follows: deeper than any tree of 2³¹
/// leaves, for stacks of walks that keep one sibling per level.
enum { DP_DYNAMIC_LEAN = 3, DP_DYNAMIC_DEPTH = 72 };

/// How many nodes `nleaf` leaves need.
static inline size_t dp_tree_nodes(int nleaf)
{
    return nleaf > 0 ? 2 * (size_t)nleaf - 1 : 0;
}

/// An empty tree for `nleaf` leaves in `node`, dp_tree_nodes(nleaf) of them.
void dp_tree_init(dp_dynamic_tree *tree, dp_tree_node *node, int nleaf);

/// Add a leaf. @return its node, which stays the same until it is removed
int dp_tree_insert(dp_dynamic_tree *tree, dp_sides box, int id);
void dp_tree_remove(dp_dynamic_tree *tree, int leaf);

static inline bool dp_node_is_leaf(const dp_tree_node *node)
{
    return node->height == 0;
}

#endif
