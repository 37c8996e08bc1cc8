#include "collide/broad_phase.h"

#include "math/v3.h"

#include <limits.h>
#include <string.h>

// How much wider a fat box is, on every side: a part of the mean length of the box, plus, ahead, a
// few times the way it came since it was put last. Wider boxes leave the tree in peace for longer
// and make more candidates; these numbers are near the optimum of a gas and of a heap.
static const double SLACK = 0.06;  // [1] of the mean length
static const double AHEAD = 4.0;   // [1] times the last way
static const double TOO_FAT = 4.0; // [1] times the slack: a fat box beyond is made anew

static void carve(dp_broad_phase *b, dp_carver *c)
{
    const size_t n = (size_t)b->capacity;
    b->kind = dp_carve(c, n, sizeof *b->kind);
    b->changed = dp_carve(c, n, sizeof *b->changed);
    b->leaf = dp_carve(c, n, sizeof *b->leaf);
    b->box = dp_carve(c, n, sizeof *b->box);
    b->plane = dp_carve(c, n, sizeof *b->plane);
    b->change = dp_carve(c, n, sizeof *b->change);
    b->count = dp_carve(c, n + 1, sizeof *b->count);
    for (int k = 0; k < DP_BROAD_TREES; ++k) {
        b->tree[k].node = dp_carve(c, dp_tree_nodes(b->capacity), sizeof *b->tree[k].node);
    }
}

dp_status dp_broad_create(dp_broad_phase *out, int capacity, int pair_capacity,
                          dp_broad_filter filter, const void *context,
                          const dp_allocator *allocator)
{
    *out = (dp_broad_phase){.allocator = dp_allocator_or_default(allocator),
                            .filter = filter,
                            .filter_context = context,
                            .capacity = capacity};
    dp_carver c = {NULL, 0};
    carve(out, &c);
    out->bytes = c.used + 64; // room to align, whatever the allocator does
    DP_TRY(dp_allocate(&out->memory, &out->allocator, 1, out->bytes));
    const size_t misaligned = (uintptr_t)out->memory % 64;
    c = (dp_carver){(char *)out->memory + (misaligned ? 64 - misaligned : 0), 0};
    carve(out, &c);
    memset(out->kind, DP_BROAD_ABSENT, (size_t)capacity);
    for (int k = 0; k < DP_BROAD_TREES; ++k) {
        dp_tree_init(&out->tree[k], out->tree[k].node, capacity);
    }
    const dp_status status = dp_broad_reserve(out, pair_capacity);
    if (status != DP_OK) {
        dp_broad_destroy(out);
    }
    return status;
}

static void release_pairs(dp_broad_phase *b)
{
    const size_t n = (size_t)b->pair_capacity;
    dp_release(&b->allocator, b->candidate, n, sizeof *b->candidate);
    dp_release(&b->allocator, b->fresh, n, sizeof *b->fresh);
    dp_release(&b->allocator, b->to, n, sizeof *b->to);
    dp_release(&b->allocator, b->pair, n, sizeof *b->pair);
    b->candidate = b->fresh = b->to = NULL;
    b->pair = NULL;
    b->pair_capacity = 0;
}

void dp_broad_destroy(dp_broad_phase *b)
{
    release_pairs(b);
    dp_release(&b->allocator, b->memory, 1, b->bytes);
    b->memory = NULL;
}

dp_status dp_broad_reserve(dp_broad_phase *b, int pair_capacity)
{
    if (pair_capacity <= b->pair_capacity) {
        return DP_OK;
    }
    dp_broad_phase more = {.allocator = b->allocator, .pair_capacity = pair_capacity};
    const size_t n = (size_t)pair_capacity;
    dp_status status = dp_allocate_unset(&more.candidate, &b->allocator, n, sizeof *b->candidate);
    status = status ? status : dp_allocate_unset(&more.fresh, &b->allocator, n, sizeof *b->fresh);
    status = status ? status : dp_allocate_unset(&more.to, &b->allocator, n, sizeof *b->to);
    status = status ? status : dp_allocate_unset(&more.pair, &b->allocator, n, sizeof *b->pair);
    if (status != DP_OK) {
        release_pairs(&more);
        return status;
    }
    if (b->ncandidate > 0) {
        memcpy(more.candidate, b->candidate, (size_t)b->ncandidate * sizeof *b->candidate);
    }
    release_pairs(b);
    b->candidate = more.candidate;
    b->fresh = more.fresh;
    b->to = more.to;
    b->pair = more.pair;
    b->pair_capacity = pair_capacity;
    return DP_OK;
}

// Boxes

static void note_change(dp_broad_phase *b, int id)
{
    if (!b->changed[id]) {
        b->changed[id] = 1;
        b->change[b->nchange++] = id;
    }
}

void dp_broad_remove(dp_broad_phase *b, int id)
{
    if (id < 0 || id >= b->capacity || b->kind[id] == DP_BROAD_ABSENT) {
        return;
    }
    if (b->kind[id] == DP_BROAD_PLANE) {
        int at = 0;
        while (b->plane[at] != id) {
            ++at;
        }
        b->plane[at] = b->plane[--b->nplane];
    } else {
        dp_tree_remove(&b->tree[b->kind[id]], b->leaf[id]);
    }
    b->kind[id] = DP_BROAD_ABSENT;
    note_change(b, id);
}

static dp_status refuse_number(const dp_broad_phase *b, int id)
{
    return dp_fail(DP_ERROR_ARGUMENT, "no box can have the number %d (expected 0 to %d)", id,
                   b->capacity - 1);
}

static bool is_range(double low, double high)
{
    return low <= high && low < INFINITY && high > -INFINITY;
}

static bool is_box(const dp_bounds *box)
{
    return is_range(box->low.x, box->high.x) && is_range(box->low.y, box->high.y) &&
           is_range(box->low.z, box->high.z);
}

static dp_bounds grown(const dp_bounds *box, double by)
{
    return (dp_bounds){{box->low.x - by, box->low.y - by, box->low.z - by},
                       {box->high.x + by, box->high.y + by, box->high.z + by}};
}

static double slack_of(const dp_bounds *box)
{
    return SLACK / 3.0 *
           ((box->high.x - box->low.x) + (box->high.y - box->low.y) + (box->high.z - box->low.z));
}

// One side of a fat box, moved on by the way that the true one came. What is no number (infinite
// bounds) leaves the box as wide as it is.
static void go_ahead(double *low, double *high, double way)
{
    if (way < 0.0) {
        *low += AHEAD * way;
    } else if (way > 0.0) {
        *high += AHEAD * way;
    }
}

static dp_bounds fat_box(const dp_bounds *box, const dp_bounds *before)
{
    dp_bounds fat = grown(box, slack_of(box));
    if (before) {
        go_ahead(&fat.low.x, &fat.high.x, box->low.x - before->low.x);
        go_ahead(&fat.low.y, &fat.high.y, box->low.y - before->low.y);
        go_ahead(&fat.low.z, &fat.high.z, box->low.z - before->low.z);
    }
    return fat;
}

// Is a fat box so wide that it is in everybody's way, as when its body slows down?
static bool is_too_fat(const dp_bounds *fat, const dp_bounds *box, const dp_bounds *before)
{
    const double way = fabs(box->low.x - before->low.x) + fabs(box->low.y - before->low.y) +
                       fabs(box->low.z - before->low.z);
    const dp_bounds widest = grown(box, TOO_FAT * slack_of(box) + 2.0 * AHEAD * way);
    return !dp_bounds_contain(&widest, fat);
}

dp_status dp_broad_put(dp_broad_phase *b, int id, dp_broad_kind kind, dp_bounds box)
{
    DP_ASSERT(kind < DP_BROAD_TREES);
    if (id < 0 || id >= b->capacity) {
        return refuse_number(b, id);
    }
    if (!is_box(&box)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "box %d goes from (%g, %g, %g) to (%g, %g, %g) (expected numbers, low ≤ "
                       "high)",
                       id, box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z);
    }
    dp_dynamic_tree *tree = &b->tree[kind];
    const bool here = b->kind[id] == kind;
    const dp_bounds before = b->box[id];
    b->box[id] = box;
    if (here) {
        const dp_bounds fat = tree->node[b->leaf[id]].box;
        if (dp_bounds_contain(&fat, &box) && !is_too_fat(&fat, &box, &before)) {
            return DP_OK;
        }
        const bool jumped = !dp_bounds_overlap(&fat, &box);
        dp_tree_remove(tree, b->leaf[id]);
        b->leaf[id] = dp_tree_insert(tree, fat_box(&box, jumped ? NULL : &before), id);
    } else {
        dp_broad_remove(b, id);
        b->kind[id] = (uint8_t)kind;
        b->leaf[id] = dp_tree_insert(tree, fat_box(&box, NULL), id);
    }
    note_change(b, id);
    return DP_OK;
}

dp_status dp_broad_put_plane(dp_broad_phase *b, int id, dp_v3 normal, double offset)
{
    if (id < 0 || id >= b->capacity) {
        return refuse_number(b, id);
    }
    if (!dp_v3_finite(normal) || !isfinite(offset)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "plane %d has the normal (%g, %g, %g) and the offset %g (expected finite "
                       "numbers)",
                       id, normal.x, normal.y, normal.z, offset);
    }
    const dp_bounds plane = {normal, {offset, 0.0, 0.0}};
    if (b->kind[id] == DP_BROAD_PLANE && memcmp(&b->box[id], &plane, sizeof plane) == 0) {
        return DP_OK;
    }
    if (b->kind[id] != DP_BROAD_PLANE) {
        dp_broad_remove(b, id);
        b->kind[id] = DP_BROAD_PLANE;
        b->plane[b->nplane++] = id;
    }
    b->box[id] = plane;
    note_change(b, id);
    return DP_OK;
}

// Pairs

static double lower_end(double normal, double low, double high)
{
    return normal == 0.0 ? 0.0 : normal > 0.0 ? normal * low : normal * high;
}

// Is the corner of a box that lies deepest below the plane? Rounding is monotone, so a box within
// another one never is where the other is not.
static bool meets_plane(const dp_bounds *plane, const dp_bounds *box)
{
    const dp_v3 n = plane->low;
    return lower_end(n.x, box->low.x, box->high.x) + lower_end(n.y, box->low.y, box->high.y) +
               lower_end(n.z, box->low.z, box->high.z) <=
           plane->high.x;
}

static bool truly_overlap(const dp_broad_phase *b, int i, int j)
{
    if (b->kind[i] == DP_BROAD_PLANE) {
        return meets_plane(&b->box[i], &b->box[j]);
    }
    if (b->kind[j] == DP_BROAD_PLANE) {
        return meets_plane(&b->box[j], &b->box[i]);
    }
    return dp_bounds_overlap(&b->box[i], &b->box[j]);
}

static uint64_t key_of(int i, int j)
{
    return i < j ? (uint64_t)i << 32 | (uint64_t)j : (uint64_t)j << 32 | (uint64_t)i;
}

static int first_of(uint64_t key)
{
    return (int)(key >> 32);
}

static int second_of(uint64_t key)
{
    return (int)(key & 0xffffffffu);
}

// What is gathered: `count` goes on beyond the room there is.
typedef struct gathering {
    dp_broad_phase *b;
    bool exact; // by true boxes
    int id;     // for whom
    long long count;
} gathering;

// Found from both sides when both have changed: the lower number keeps it.
static void take(gathering *g, int other)
{
    dp_broad_phase *b = g->b;
    const int id = g->id;
    if (other == id || (b->changed[other] && other < id) ||
        (g->exact && !truly_overlap(b, id, other)) ||
        (b->filter &&
         !b->filter(b->filter_context, id < other ? id : other, id < other ? other : id))) {
        return;
    }
    if (g->count < b->pair_capacity) {
        b->fresh[g->count] = key_of(id, other);
    }
    ++g->count;
}

static void gather_from_tree(gathering *g, const dp_dynamic_tree *tree, const dp_bounds *box)
{
    const dp_tree_node *node = tree->node;
    int stack[DP_TREE_DEPTH], n = 0;
    if (tree->root < 0 || !dp_bounds_overlap(&node[tree->root].box, box)) {
        return;
    }
    int at = tree->root;
    for (;;) {
        if (dp_node_is_leaf(&node[at])) {
            take(g, node[at].child[1]);
        } else {
            const int a = node[at].child[0], b = node[at].child[1];
            const bool meets_a = dp_bounds_overlap(&node[a].box, box);
            const bool meets_b = dp_bounds_overlap(&node[b].box, box);
            if (meets_a || meets_b) {
                at = meets_a ? a : b;
                if (meets_a && meets_b) {
                    stack[n++] = b;
                }
                continue;
            }
        }
        if (n == 0) {
            return;
        }
        at = stack[--n];
    }
}

static void gather_planes(gathering *g, const dp_bounds *box)
{
    const dp_broad_phase *b = g->b;
    for (int k = 0; k < b->nplane; ++k) {
        if (meets_plane(&b->box[b->plane[k]], box)) {
            take(g, b->plane[k]);
        }
    }
}

// A plane that has come or moved: every box that moves.
static void gather_below_plane(gathering *g)
{
    dp_broad_phase *b = g->b;
    const dp_dynamic_tree *tree = &b->tree[DP_BROAD_MOVING];
    int stack[DP_TREE_DEPTH + 1], n = 0;
    if (tree->root >= 0) {
        stack[n++] = tree->root;
    }
    while (n > 0) {
        const dp_tree_node *node = &tree->node[stack[--n]];
        if (!meets_plane(&b->box[g->id], &node->box)) {
            continue;
        }
        if (dp_node_is_leaf(node)) {
            take(g, node->child[1]);
        } else {
            stack[n++] = node->child[0];
            stack[n++] = node->child[1];
        }
    }
}

// All pairs of what has changed. @return how many there are
static long long gather(dp_broad_phase *b, bool exact)
{
    gathering g = {.b = b, .exact = exact};
    for (int k = 0; k < b->nchange; ++k) {
        g.id = b->change[k];
        const dp_broad_kind kind = (dp_broad_kind)b->kind[g.id];
        if (kind == DP_BROAD_PLANE) {
            gather_below_plane(&g);
        } else if (kind == DP_BROAD_MOVING || kind == DP_BROAD_FIXED) {
            const dp_bounds *box = exact ? &b->box[g.id] : &b->tree[kind].node[b->leaf[g.id]].box;
            gather_from_tree(&g, &b->tree[DP_BROAD_MOVING], box);
            if (kind == DP_BROAD_MOVING) {
                gather_from_tree(&g, &b->tree[DP_BROAD_FIXED], box);
                gather_planes(&g, box);
            }
        }
    }
    return g.count;
}

// One pass of a counting sort by one of the two numbers.
static void sort_by(uint64_t *to, const uint64_t *from, int n, int *count, int capacity,
                    int (*digit)(uint64_t))
{
    memset(count, 0, ((size_t)capacity + 1) * sizeof *count);
    for (int i = 0; i < n; ++i) {
        ++count[digit(from[i]) + 1];
    }
    for (int k = 0; k < capacity; ++k) {
        count[k + 1] += count[k];
    }
    for (int i = 0; i < n; ++i) {
        to[count[digit(from[i])]++] = from[i];
    }
}

static void sort_fresh(dp_broad_phase *b, int n)
{
    if (n > 1) {
        sort_by(b->to, b->fresh, n, b->count, b->capacity, second_of);
        sort_by(b->fresh, b->to, n, b->count, b->capacity, first_of);
    }
}

// The candidates that remain, and the fresh ones, in one ascending list; and of these the pairs.
static int merge(dp_broad_phase *b, int nfresh)
{
    int npair = 0, n = 0, old = 0, new = 0;
    const uint64_t none = UINT64_MAX;
    while (old < b->ncandidate || new < nfresh) {
        const uint64_t kept = old < b->ncandidate ? b->candidate[old] : none;
        const uint64_t added = new < nfresh ? b->fresh[new] : none;
        const bool take_old = kept < added;
        const uint64_t key = take_old ? kept : added;
        const int i = first_of(key), j = second_of(key);
        old += take_old;
        new += !take_old;
        if (take_old && (b->changed[i] || b->changed[j])) {
            continue; // found again, if it still is one
        }
        b->to[n++] = key;
        b->pair[npair] = (dp_id_pair){i, j};
        npair += truly_overlap(b, i, j);
    }
    uint64_t *before = b->candidate;
    b->candidate = b->to;
    b->to = before;
    b->ncandidate = n;
    return npair;
}

static int count_kept(const dp_broad_phase *b)
{
    int n = 0;
    for (int k = 0; k < b->ncandidate; ++k) {
        n += !b->changed[first_of(b->candidate[k])] && !b->changed[second_of(b->candidate[k])];
    }
    return n;
}

static void forget_changes(dp_broad_phase *b)
{
    for (int k = 0; k < b->nchange; ++k) {
        b->changed[b->change[k]] = 0;
    }
    b->nchange = 0;
}

static void change_all(dp_broad_phase *b)
{
    for (int id = 0; id < b->capacity; ++id) {
        if (b->kind[id] != DP_BROAD_ABSENT) {
            note_change(b, id);
        }
    }
    b->ncandidate = 0;
}

dp_status dp_broad_pairs(const dp_id_pair **out, int *count, dp_broad_phase *b)
{
    *out = NULL;
    if (b->stale) {
        change_all(b);
    }
    long long nfresh = gather(b, false);
    if (nfresh > b->pair_capacity ||
        (nfresh + b->ncandidate > b->pair_capacity && nfresh + count_kept(b) > b->pair_capacity)) {
        // More candidates than there is room for; the pairs themselves may still fit.
        change_all(b);
        b->stale = true;
        nfresh = gather(b, true);
        if (nfresh > b->pair_capacity) {
            *count = nfresh > INT_MAX ? INT_MAX : (int)nfresh;
            return dp_fail(DP_ERROR_CAPACITY,
                           "%lld pairs of boxes overlap and there is room for %d (needed: %lld)",
                           nfresh, b->pair_capacity, nfresh);
        }
    } else {
        b->stale = false;
    }
    sort_fresh(b, (int)nfresh);
    *count = merge(b, (int)nfresh);
    *out = b->pair;
    forget_changes(b);
    return DP_OK;
}

// Questions

static bool ask_tree(const dp_broad_phase *b, const dp_dynamic_tree *tree, const dp_bounds *box,
                     dp_broad_visit visit, void *context)
{
    int stack[DP_TREE_DEPTH + 1], n = 0;
    if (tree->root >= 0) {
        stack[n++] = tree->root;
    }
    while (n > 0) {
        const dp_tree_node *node = &tree->node[stack[--n]];
        if (!dp_bounds_overlap(&node->box, box)) {
            continue;
        }
        if (!dp_node_is_leaf(node)) {
            stack[n++] = node->child[0];
            stack[n++] = node->child[1];
        } else if (dp_bounds_overlap(&b->box[node->child[1]], box) &&
                   !visit(context, node->child[1])) {
            return false;
        }
    }
    return true;
}

void dp_broad_overlaps(const dp_broad_phase *b, const dp_bounds *box, dp_broad_visit visit,
                       void *context)
{
    for (int k = 0; k < b->nplane; ++k) {
        if (meets_plane(&b->box[b->plane[k]], box) && !visit(context, b->plane[k])) {
            return;
        }
    }
    for (int k = 0; k < DP_BROAD_TREES; ++k) {
        if (!ask_tree(b, &b->tree[k], box, visit, context)) {
            return;
        }
    }
}

// Where a ray is between two walls: from `*enter` to `*leave`.
static void clip(double *enter, double *leave, double from, double along, double low, double high)
{
    if (along == 0.0) {
        if (!(low <= from && from <= high)) {
            *leave = -1.0; // never
        }
        return;
    }
    const double a = (low - from) / along, b = (high - from) / along;
    *enter = dp_greater(*enter, dp_lesser(a, b));
    *leave = dp_lesser(*leave, dp_greater(a, b));
}

static bool ray_meets(const dp_bounds *box, dp_v3 origin, dp_v3 direction, double limit)
{
    double enter = 0.0, leave = limit;
    clip(&enter, &leave, origin.x, direction.x, box->low.x, box->high.x);
    clip(&enter, &leave, origin.y, direction.y, box->low.y, box->high.y);
    clip(&enter, &leave, origin.z, direction.z, box->low.z, box->high.z);
    // Quotients are off by three roundings at most.
    return enter <= leave * (1.0 + 0x1p-50) && leave >= 0.0;
}

void dp_broad_ray(const dp_broad_phase *b, dp_v3 origin, dp_v3 direction, double limit,
                  dp_broad_meet meet, void *context)
{
    for (int k = 0; k < b->nplane; ++k) {
        limit = meet(context, b->plane[k], limit);
    }
    for (int k = 0; k < DP_BROAD_TREES; ++k) {
        const dp_dynamic_tree *tree = &b->tree[k];
        int stack[DP_TREE_DEPTH + 1], n = 0;
        if (tree->root >= 0) {
            stack[n++] = tree->root;
        }
        while (n > 0) {
            const dp_tree_node *node = &tree->node[stack[--n]];
            if (!ray_meets(&node->box, origin, direction, limit)) {
                continue;
            }
            if (dp_node_is_leaf(node)) {
                limit = meet(context, node->child[1], limit);
            } else {
                stack[n++] = node->child[0];
                stack[n++] = node->child[1];
            }
        }
    }
}
