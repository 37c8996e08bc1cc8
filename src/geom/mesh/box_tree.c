// A tree of boxes, built from the top by the surface area heuristic.
//
// A box that is entered at random is entered in proportion to its surface. A fork is therefore cut
// where the sum of surface · count of both sides is least, among a few planes across the widest
// extent of the middles of the boxes.
#include "geom/mesh/box_tree.h"

#include <float.h>

enum {
    BINS = 16,      // planes that are tried, plus one
    LEAF = 4,       // no leaf holds more, unless its things cannot be distinguished
    CUT_DEPTH = 30, // from here on cut in the middle: at most 31 levels more
};

typedef struct builder {
    const dp_bounds *box;
    int *order;
    dp_box_node *node;
    int nnode;
} builder;

// A part of the order that waits for its node.
typedef struct part {
    int begin, end, depth;
    int fork; // whose second branch it is; −1: of none
} part;

static dp_bounds empty_box(void)
{
    return (dp_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

// Half the surface.
static double surface_of(const dp_bounds *b)
{
    const double x = b->high.x - b->low.x, y = b->high.y - b->low.y, z = b->high.z - b->low.z;
    return x * y + y * z + z * x;
}

static double along(dp_v3 v, int axis)
{
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

// Twice the middle.
static dp_v3 middle_of(const dp_bounds *b)
{
    return dp_v3_add(b->low, b->high);
}

// Where a part is cut: across this axis, behind this bin.
typedef struct cut {
    int axis, bin;
    double low, scale; // of the bins
} cut;

static int bin_of(const cut *c, const dp_bounds *b)
{
    const int bin = (int)((along(middle_of(b), c->axis) - c->low) * c->scale);
    return bin < 0 ? 0 : (bin >= BINS ? BINS - 1 : bin);
}

// The best cut of a part with these middles. @return false where none separates anything
static bool find_cut(cut *out, const builder *b, part p, const dp_bounds *middles)
{
    const dp_v3 extent = dp_v3_sub(middles->high, middles->low);
    const int axis =
        extent.x >= extent.y && extent.x >= extent.z ? 0 : (extent.y >= extent.z ? 1 : 2);
    const double width = along(extent, axis);
    *out = (cut){axis, -1, along(middles->low, axis), BINS / width};
    if (!(width > 0.0) || !isfinite(out->scale)) {
        return false;
    }
    dp_bounds box[BINS];
    int count[BINS] = {0};
    for (int k = 0; k < BINS; ++k) {
        box[k] = empty_box();
    }
    for (int i = p.begin; i < p.end; ++i) {
        const dp_bounds *item = &b->box[b->order[i]];
        const int bin = bin_of(out, item);
        box[bin] = dp_bounds_join(box[bin], *item);
        ++count[bin];
    }
    double right[BINS]; // surface · count of the bins from here on
    dp_bounds joined = empty_box();
    for (int k = BINS - 1, n = 0; k > 0; --k) {
        joined = dp_bounds_join(joined, box[k]);
        n += count[k];
        right[k] = n > 0 ? n * surface_of(&joined) : INFINITY;
    }
    double best = INFINITY;
    joined = empty_box();
    for (int k = 0, n = 0; k < BINS - 1; ++k) {
        joined = dp_bounds_join(joined, box[k]);
        n += count[k];
        const double cost = n > 0 ? n * surface_of(&joined) + right[k + 1] : INFINITY;
        if (cost < best) {
            best = cost;
            out->bin = k;
        }
    }
    return out->bin >= 0;
}

// Put what is on the near side of the cut in front. Returns where the far side begins.
static int divide(const builder *b, part p, const cut *c)
{
    int i = p.begin, j = p.end;
    while (i < j) {
        if (bin_of(c, &b->box[b->order[i]]) <= c->bin) {
            ++i;
        } else {
            --j;
            const int item = b->order[i];
            b->order[i] = b->order[j];
            b->order[j] = item;
        }
    }
    return i;
}

// Make the node of a part. Returns where it is cut in two; its end: it is a leaf
static int make_node(builder *b, part p)
{
    dp_box_node *node = &b->node[b->nnode];
    dp_bounds middles = empty_box();
    node->box = empty_box();
    for (int i = p.begin; i < p.end; ++i) {
        const dp_bounds *item = &b->box[b->order[i]];
        const dp_v3 middle = middle_of(item);
        node->box = dp_bounds_join(node->box, *item);
        middles = dp_bounds_join(middles, (dp_bounds){middle, middle});
    }
    if (p.fork >= 0) {
        b->node[p.fork].first = b->nnode;
    }
    ++b->nnode;
    if (p.end - p.begin <= LEAF) {
        node->first = p.begin;
        node->count = p.end - p.begin;
        return p.end;
    }
    cut c;
    if (p.depth < CUT_DEPTH && find_cut(&c, b, p, &middles)) {
        return divide(b, p, &c);
    }
    return p.begin + (p.end - p.begin) / 2;
}

dp_status dp_box_tree_build(dp_box_tree *out, int *order, dp_pool *pool, const dp_bounds *box,
                            int count)
{
    builder b = {.box = box, .order = order};
    DP_TRY(dp_pool_take(&b.node, pool, 2 * (size_t)count, sizeof *b.node));
    for (int i = 0; i < count; ++i) {
        order[i] = i;
    }
    part waiting[DP_TREE_DEPTH + 1] = {{0, count, 0, -1}};
    for (int n = 1; n > 0;) {
        const part p = waiting[--n];
        const int node = b.nnode;
        const int middle = make_node(&b, p);
        if (middle < p.end) {
            DP_ASSERT(n + 2 <= DP_TREE_DEPTH + 1);
            waiting[n++] = (part){middle, p.end, p.depth + 1, node};
            waiting[n++] = (part){p.begin, middle, p.depth + 1, -1};
        }
    }
    *out = (dp_box_tree){b.node, b.nnode};
    return DP_OK;
}

// --- walks

void dp_tree_walk_begin(dp_tree_walk *walk, const dp_box_tree *tree)
{
    walk->node = tree->node;
    walk->count = 1;
    walk->waiting[0] = 0;
    walk->bound[0] = 0.0;
}

const dp_box_node *dp_tree_next_in_box(dp_tree_walk *walk, const dp_bounds *box)
{
    while (walk->count > 0) {
        const int i = walk->waiting[--walk->count];
        const dp_box_node *node = &walk->node[i];
        if (!dp_bounds_meet(&node->box, box)) {
            continue;
        }
        if (node->count > 0) {
            return node;
        }
        walk->waiting[walk->count++] = node->first;
        walk->waiting[walk->count++] = i + 1;
    }
    return NULL;
}

// Let both branches of a fork wait, the nearer on top; those beyond the limit do not.
static void wait_both(dp_tree_walk *walk, int first, double near1, int second, double near2,
                      double limit)
{
    const bool swap = near2 < near1;
    const int far_node = swap ? first : second, near_node = swap ? second : first;
    const double far_bound = swap ? near1 : near2, near_bound = swap ? near2 : near1;
    if (far_bound < limit) {
        walk->waiting[walk->count] = far_node;
        walk->bound[walk->count++] = far_bound;
    }
    if (near_bound < limit) {
        walk->waiting[walk->count] = near_node;
        walk->bound[walk->count++] = near_bound;
    }
}

const dp_box_node *dp_tree_next_near(dp_tree_walk *walk, const dp_bounds *box, double limit)
{
    const double limit2 = limit * limit;
    while (walk->count > 0) {
        const int i = walk->waiting[--walk->count];
        if (!(walk->bound[walk->count] < limit2)) {
            continue;
        }
        const dp_box_node *node = &walk->node[i];
        if (node->count > 0) {
            return node;
        }
        wait_both(walk, i + 1, dp_bounds_distance2(&walk->node[i + 1].box, box), node->first,
                  dp_bounds_distance2(&walk->node[node->first].box, box), limit2);
    }
    return NULL;
}

dp_tree_ray dp_tree_ray_make(dp_v3 origin, dp_v3 direction)
{
    return (dp_tree_ray){{origin.x, origin.y, origin.z},
                         {1.0 / direction.x, 1.0 / direction.y, 1.0 / direction.z}};
}

// Where the ray enters a box; INFINITY: it does not.
static double entry(const dp_tree_ray *ray, const dp_bounds *b)
{
    const double low[3] = {b->low.x, b->low.y, b->low.z};
    const double high[3] = {b->high.x, b->high.y, b->high.z};
    double enter = 0.0, leave = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double from = low[k] - ray->origin[k], to = high[k] - ray->origin[k];
        if (isinf(ray->inverse[k])) { // runs along this slab
            if (from > 0.0 || to < 0.0) {
                return INFINITY;
            }
            continue;
        }
        const double a = from * ray->inverse[k], c = to * ray->inverse[k];
        enter = fmax(enter, fmin(a, c));
        leave = fmin(leave, fmax(a, c));
    }
    // Three roundings each: wider by 8 units in the last place.
    enter *= 1.0 - 4.0 * DBL_EPSILON;
    return enter <= leave * (1.0 + 4.0 * DBL_EPSILON) ? enter : INFINITY;
}

const dp_box_node *dp_tree_next_on_ray(dp_tree_walk *walk, const dp_tree_ray *ray, double limit)
{
    while (walk->count > 0) {
        const int i = walk->waiting[--walk->count];
        if (!(walk->bound[walk->count] <= limit)) {
            continue;
        }
        const dp_box_node *node = &walk->node[i];
        if (node->count > 0) {
            return node;
        }
        wait_both(walk, i + 1, entry(ray, &walk->node[i + 1].box), node->first,
                  entry(ray, &walk->node[node->first].box), INFINITY);
    }
    return NULL;
}
