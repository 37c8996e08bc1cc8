#include "collide/broad/dynamic_tree.h"

#include "base/error.h"

void dp_tree_init(dp_dynamic_tree *tree, dp_tree_node *node, int nleaf)
{
    const int count = (int)dp_tree_nodes(nleaf);
    *tree = (dp_dynamic_tree){node, -1, count > 0 ? 0 : -1};
    for (int i = 0; i < count; ++i) {
        node[i].parent = i + 1 < count ? i + 1 : -1;
    }
}

static int take_node(dp_dynamic_tree *tree)
{
    const int at = tree->free;
    DP_ASSERT(at >= 0);
    tree->free = tree->node[at].parent;
    return at;
}

static void free_node(dp_dynamic_tree *tree, int at)
{
    tree->node[at].parent = tree->free;
    tree->free = at;
}

static double joint_surface(const dp_sides *a, const dp_sides *b)
{
    const dp_sides both = dp_sides_join(a, b);
    return dp_sides_surface(&both);
}

static void set_child(dp_dynamic_tree *tree, int parent, int which, int child)
{
    tree->node[parent].child[which] = child;
    tree->node[child].parent = parent;
}

// Put `to` where `from` hangs.
static void replace(dp_dynamic_tree *tree, int from, int to)
{
    const int parent = tree->node[from].parent;
    if (parent < 0) {
        tree->root = to;
        tree->node[to].parent = -1;
    } else {
        set_child(tree, parent, tree->node[parent].child[1] == from, to);
    }
}

static void refit(dp_dynamic_tree *tree, int at)
{
    dp_tree_node *node = &tree->node[at];
    const dp_tree_node *a = &tree->node[node->child[0]], *b = &tree->node[node->child[1]];
    node->box = dp_sides_join(&a->box, &b->box);
    node->height = 1 + (a->height > b->height ? a->height : b->height);
}

// The child `which` of `at` is taller than its sibling by too much: it goes up, and `at` takes
// the lower of its children, or of two equal ones that which makes the smaller box.
static void rotate(dp_dynamic_tree *tree, int at, int which)
{
    const int up = tree->node[at].child[which], sibling = tree->node[at].child[1 - which];
    const int *grand = tree->node[up].child;
    const int first = tree->node[grand[0]].height, second = tree->node[grand[1]].height;
    int down = first < second ? 0 : 1;
    if (first == second) {
        const dp_sides *beside = &tree->node[sibling].box;
        down = joint_surface(beside, &tree->node[grand[0]].box) <
                       joint_surface(beside, &tree->node[grand[1]].box)
                   ? 0
                   : 1;
    }
    const int given = grand[down];
    replace(tree, at, up);
    set_child(tree, at, which, given);
    set_child(tree, up, down, at);
    refit(tree, at);
    refit(tree, up);
}

static int height(const dp_dynamic_tree *tree, int at, int which)
{
    return tree->node[tree->node[at].child[which]].height;
}

// From `at` to the root: boxes, heights, balance. A leaf beside a tall node sinks, rotation by
// rotation, until it stands beside a low one.
static void mend(dp_dynamic_tree *tree, int at)
{
    while (at >= 0) {
        const int lean = height(tree, at, 1) - height(tree, at, 0);
        if (lean > DP_DYNAMIC_LEAN || lean < -DP_DYNAMIC_LEAN) {
            rotate(tree, at, lean > 0 ? 1 : 0);
        } else {
            refit(tree, at);
            at = tree->node[at].parent;
        }
    }
}

// The node that a new leaf should stand beside. Every box on the way down grows, to the joint box;
// going on below a child costs at least by how much that one grows.
static int find_sibling(const dp_dynamic_tree *tree, const dp_sides *box)
{
    int at = tree->root;
    while (!dp_node_is_leaf(&tree->node[at])) {
        const dp_tree_node *node = &tree->node[at];
        const double own = dp_sides_surface(&node->box), joint = joint_surface(&node->box, box);
        const double here = 2.0 * joint, below = 2.0 * (joint - own);
        double cost[2];
        for (int k = 0; k < 2; ++k) {
            const dp_tree_node *child = &tree->node[node->child[k]];
            cost[k] = below + joint_surface(&child->box, box);
            cost[k] -= dp_node_is_leaf(child) ? 0.0 : dp_sides_surface(&child->box);
        }
        if (here < cost[0] && here < cost[1]) {
            break;
        }
        at = node->child[cost[1] < cost[0] ? 1 : 0];
    }
    return at;
}

int dp_tree_insert(dp_dynamic_tree *tree, dp_sides box, int id)
{
    const int leaf = take_node(tree);
    tree->node[leaf] = (dp_tree_node){box, -1, {-1, id}, 0};
    if (tree->root < 0) {
        tree->root = leaf;
        return leaf;
    }
    const int sibling = find_sibling(tree, &box), parent = take_node(tree);
    replace(tree, sibling, parent);
    set_child(tree, parent, 0, sibling);
    set_child(tree, parent, 1, leaf);
    mend(tree, parent);
    return leaf;
}

void dp_tree_remove(dp_dynamic_tree *tree, int leaf)
{
    const int parent = tree->node[leaf].parent;
    if (parent < 0) {
        tree->root = -1;
    } else {
        const int *child = tree->node[parent].child;
        const int sibling = child[0] == leaf ? child[1] : child[0];
        replace(tree, parent, sibling);
        const int above = tree->node[sibling].parent;
        free_node(tree, parent);
        mend(tree, above);
    }
    free_node(tree, leaf);
}
