// Which trees belong together: each points to a lower one of the same island, the lowest to itself.
#ifndef DP_PROBLEM_LOWEST_TREE_H
#define DP_PROBLEM_LOWEST_TREE_H

/// The lowest tree of the island of `tree`. Ways become shorter.
static inline int dp_lowest_tree(int *lowest, int tree)
{
    while (lowest[tree] != tree) {
        lowest[tree] = lowest[lowest[tree]];
        tree = lowest[tree];
    }
    return tree;
}

/// The islands of two trees are one.
static inline void dp_join_trees(int *lowest, int one, int two)
{
    const int a = dp_lowest_tree(lowest, one), b = dp_lowest_tree(lowest, two);
    lowest[a < b ? b : a] = a < b ? a : b;
}

#endif
