#include "collide/broad/broad_phase.h"

#include "math/v3.h"

#include <float.h>
#include <limits.h>
#include <string.h>

// How much wider a fat box is, on every side: a part of the mean length of the box, plus, ahead, a
// few times the way it came since it was put last. Wider boxes leave the tree in peace for longer
// and make more candidates; these numbers are near the optimum of a gas and of a heap. In a heap
// that falls, where all boxes go far and many are near, less far ahead is better.
static const double SLACK = 0.06;               // [1] of the mean length
static const double AHEAD = 8.0, LEAST = 0.125; // [1] times the last way
static const double CROWD = 2.5, FEW = 1.5;     // candidates of each pair, beside one of each box

static const double TOO_FAT = 4.0; // [1] times the slack: a fat box beyond is made anew
enum { SELDOM = 16 };              // updates from one look for that to the next

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
    for (int k = 0; k < 2; ++k) {
        b->mark[k] = dp_carve(c, dp_tree_nodes(b->capacity), sizeof *b->mark[k]);
    }
}

dp_status dp_broad_create(dp_broad_phase *out, int capacity, int pair_capacity,
                          dp_broad_filter filter, const void *context,
                          const dp_allocator *allocator)
{
    *out = (dp_broad_phase){.allocator = dp_allocator_or_default(allocator),
                            .filter = filter,
                            .filter_context = context,
                            .capacity = capacity,
                            .ahead = AHEAD};
    dp_carver c = {NULL, 0};
    carve(out, &c);
    out->bytes = dp_carve_room(c.used);
    DP_TRY(dp_allocate(&out->memory, &out->allocator, 1, out->bytes));
    c = dp_carve_in(out->memory, 0);
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
    b->moved = true;
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
    b->moved = true;
    note_change(b, id);
}

static dp_status refuse_number(const dp_broad_phase *b, int id)
{
    return dp_fail(DP_ERROR_ARGUMENT, "no box can have the number %d (expected 0 to %d)", id,
                   b->capacity - 1);
}

// Numbers, in order, and neither end beyond everything.
static bool is_range(double low, double high)
{
    return low <= high && low <= DBL_MAX && high >= -DBL_MAX;
}

static bool is_box(const dp_bounds *box)
{
    return is_range(box->low.x, box->high.x) && is_range(box->low.y, box->high.y) &&
           is_range(box->low.z, box->high.z);
}

static double slack_of(const dp_sides *box)
{
    double minus = 0.0;
    for (int k = 0; k < 6; ++k) {
        minus += box->side[k];
    }
    return -SLACK / 3.0 * minus;
}

// Where a side goes, it goes on: a low side below what it was, a high side beyond. What is no
// number (infinite bounds) changes nothing.
static dp_sides fat_box(const dp_broad_phase *b, const dp_sides *box, const dp_sides *before)
{
    dp_sides fat = dp_sides_grown(box, slack_of(box));
    for (int k = 0; k < 6 && before; ++k) {
        const double way = box->side[k] - before->side[k];
        fat.side[k] += way < 0.0 ? b->ahead * way : 0.0;
    }
    return fat;
}

// Is a fat box so wide that it is in everybody's way, as when its body slows down?
static bool is_too_fat(const dp_broad_phase *b, const dp_sides *fat, const dp_sides *box,
                       const dp_sides *before)
{
    double way = 0.0;
    for (int k = 0; k < 6; k += 2) {
        way += fabs(box->side[k] - before->side[k]);
    }
    const dp_sides widest = dp_sides_grown(box, TOO_FAT * slack_of(box) + 2.0 * b->ahead * way);
    return !dp_sides_contain(&widest, fat);
}

// Put it in its tree anew, with a fat box of where it is and where it goes.
static void move(dp_broad_phase *b, int id, dp_broad_kind kind, const dp_sides *now)
{
    dp_dynamic_tree *tree = &b->tree[kind];
    const dp_sides before = b->box[id];
    if (b->kind[id] == kind) {
        const bool jumped = !dp_sides_overlap(&tree->node[b->leaf[id]].box, now);
        dp_tree_remove(tree, b->leaf[id]);
        b->leaf[id] = dp_tree_insert(tree, fat_box(b, now, jumped ? NULL : &before), id);
    } else {
        dp_broad_remove(b, id);
        b->kind[id] = (uint8_t)kind;
        b->leaf[id] = dp_tree_insert(tree, fat_box(b, now, NULL), id);
    }
    b->box[id] = *now;
    note_change(b, id);
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
    const dp_sides now = dp_sides_of(&box);
    b->moved = true;
    const bool looked_at = (id + b->updates) % SELDOM == 0;
    if (b->kind[id] == kind) {
        const dp_sides *fat = &b->tree[kind].node[b->leaf[id]].box;
        if (dp_sides_contain(fat, &now) && !(looked_at && is_too_fat(b, fat, &now, &b->box[id]))) {
            b->box[id] = now;
            return DP_OK;
        }
    }
    move(b, id, kind, &now);
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
    const dp_sides plane = {{normal.x, normal.y, normal.z, offset}};
    if (b->kind[id] == DP_BROAD_PLANE && memcmp(&b->box[id], &plane, sizeof plane) == 0) {
        return DP_OK;
    }
    if (b->kind[id] != DP_BROAD_PLANE) {
        dp_broad_remove(b, id);
        b->kind[id] = DP_BROAD_PLANE;
        b->plane[b->nplane++] = id;
    }
    b->box[id] = plane;
    b->moved = true;
    note_change(b, id);
    return DP_OK;
}

// Pairs

static double lower_end(double normal, const double side[2])
{
    return normal == 0.0 ? 0.0 : normal * (normal > 0.0 ? side[0] : -side[1]);
}

// Is the corner of a box that lies deepest below the plane? Rounding is monotone, so a box within
// another one never is where the other is not.
static bool meets_plane(const dp_sides *plane, const dp_sides *box)
{
    const double *n = plane->side;
    return lower_end(n[0], box->side) + lower_end(n[1], box->side + 2) +
               lower_end(n[2], box->side + 4) <=
           n[3];
}

bool dp_plane_meets(dp_v3 normal, double offset, const dp_bounds *box)
{
    const dp_sides plane = {{normal.x, normal.y, normal.z, offset}}, sides = dp_sides_of(box);
    return meets_plane(&plane, &sides);
}

static bool truly_overlap(const dp_broad_phase *b, int i, int j)
{
    if (b->kind[i] == DP_BROAD_PLANE) {
        return meets_plane(&b->box[i], &b->box[j]);
    }
    if (b->kind[j] == DP_BROAD_PLANE) {
        return meets_plane(&b->box[j], &b->box[i]);
    }
    return dp_sides_overlap(&b->box[i], &b->box[j]);
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
    long long count;
} gathering;

static void take(gathering *g, int i, int j)
{
    dp_broad_phase *b = g->b;
    if ((g->exact && !truly_overlap(b, i, j)) ||
        (b->filter && !b->filter(b->filter_context, i < j ? i : j, i < j ? j : i))) {
        return;
    }
    if (g->count < b->pair_capacity) {
        b->fresh[g->count] = key_of(i, j);
    }
    ++g->count;
}

// Set the marks of what has changed, up to the root, or take them away.
static void mark_changes(dp_broad_phase *b, uint8_t value)
{
    for (int k = 0; k < b->nchange; ++k) {
        const int id = b->change[k], kind = b->kind[id];
        if (kind != DP_BROAD_MOVING && kind != DP_BROAD_FIXED) {
            continue;
        }
        const dp_tree_node *node = b->tree[kind].node;
        for (int at = b->leaf[id]; at >= 0 && b->mark[kind][at] != value; at = node[at].parent) {
            b->mark[kind][at] = value;
        }
    }
}

// Two subtrees that may have leaves in common places; one subtree twice: leaves within it.
typedef struct meeting {
    int a, b;
} meeting;

// All pairs of overlapping leaves of two trees, or of one, at least one of each pair marked. Both
// are walked at once, so what is near in space is near in time.
static void gather_leaves(gathering *g, dp_broad_kind first, dp_broad_kind second)
{
    enum { DEEPEST = 4 * DP_DYNAMIC_DEPTH }; // three for one, then two for one at every level
    const dp_tree_node *s = g->b->tree[first].node, *t = g->b->tree[second].node;
    const uint8_t *mark_s = g->b->mark[first], *mark_t = g->b->mark[second];
    meeting stack[DEEPEST];
    int n = 0;
    if (g->b->tree[first].root >= 0 && g->b->tree[second].root >= 0) {
        stack[n++] = (meeting){g->b->tree[first].root, g->b->tree[second].root};
    }
    long long visits = 0;
    while (n > 0) {
        const meeting at = stack[--n];
        ++visits;
        const dp_tree_node *a = &s[at.a], *b = &t[at.b];
        if (!(mark_s[at.a] | mark_t[at.b])) {
            continue;
        }
        if (a == b) {
            if (!dp_node_is_leaf(a)) {
                stack[n++] = (meeting){a->child[0], a->child[1]};
                stack[n++] = (meeting){a->child[0], a->child[0]};
                stack[n++] = (meeting){a->child[1], a->child[1]};
            }
        } else if (!dp_sides_overlap(&a->box, &b->box)) {
            continue;
        } else if (a->height == 0 && b->height == 0) {
            take(g, a->child[1], b->child[1]);
        } else if (a->height >= b->height) {
            stack[n++] = (meeting){a->child[0], at.b};
            stack[n++] = (meeting){a->child[1], at.b};
        } else {
            stack[n++] = (meeting){at.a, b->child[0]};
            stack[n++] = (meeting){at.a, b->child[1]};
        }
    }
    g->b->visits += visits;
}

// A plane that has come or moved: every box that moves.
static void gather_below_plane(gathering *g, int plane)
{
    dp_broad_phase *b = g->b;
    const dp_dynamic_tree *tree = &b->tree[DP_BROAD_MOVING];
    int stack[DP_DYNAMIC_DEPTH + 1], n = 0;
    if (tree->root >= 0) {
        stack[n++] = tree->root;
    }
    while (n > 0) {
        const dp_tree_node *node = &tree->node[stack[--n]];
        if (!meets_plane(&b->box[plane], &node->box)) {
            continue;
        }
        if (dp_node_is_leaf(node)) {
            take(g, plane, node->child[1]);
        } else {
            stack[n++] = node->child[0];
            stack[n++] = node->child[1];
        }
    }
}

static void gather_planes(gathering *g)
{
    const dp_broad_phase *b = g->b;
    for (int k = 0; k < b->nchange && b->nplane > 0; ++k) {
        const int id = b->change[k];
        if (b->kind[id] == DP_BROAD_PLANE) {
            gather_below_plane(g, id);
        } else if (b->kind[id] == DP_BROAD_MOVING) {
            const dp_sides *box = &b->tree[DP_BROAD_MOVING].node[b->leaf[id]].box;
            for (int p = 0; p < b->nplane; ++p) {
                const int plane = b->plane[p];
                if (!b->changed[plane] && meets_plane(&b->box[plane], box)) {
                    take(g, plane, id);
                }
            }
        }
    }
}

// All pairs of what has changed. @return how many there are
static long long gather(dp_broad_phase *b, bool exact)
{
    gathering g = {.b = b, .exact = exact};
    mark_changes(b, 1);
    gather_leaves(&g, DP_BROAD_MOVING, DP_BROAD_MOVING);
    gather_leaves(&g, DP_BROAD_MOVING, DP_BROAD_FIXED);
    mark_changes(b, 0);
    gather_planes(&g);
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

// The candidates that remain, and the fresh ones, in one ascending list.
static void merge(dp_broad_phase *b, int nfresh)
{
    int n = 0, new = 0;
    for (int old = 0; old < b->ncandidate; ++old) {
        const uint64_t key = b->candidate[old];
        while (new < nfresh && b->fresh[new] < key) {
            b->to[n++] = b->fresh[new ++];
        }
        b->to[n] = key;
        n += !(b->changed[first_of(key)] | b->changed[second_of(key)]); // else found again
    }
    for (; new < nfresh; ++new) {
        b->to[n++] = b->fresh[new];
    }
    uint64_t *before = b->candidate;
    b->candidate = b->to;
    b->to = before;
    b->ncandidate = n;
}

// The candidates that overlap.
static int sift(dp_broad_phase *b)
{
    int npair = 0, held = -1;
    dp_sides reach = {{0.0}};
    for (int k = 0; k < b->ncandidate; ++k) {
        const int i = first_of(b->candidate[k]), j = second_of(b->candidate[k]);
        if (i != held) {
            held = i;
            reach = dp_sides_reach(&b->box[i]);
        }
        b->pair[npair] = (dp_id_pair){i, j};
        npair += b->nplane == 0 ? dp_sides_meet(&b->box[j], &reach) : truly_overlap(b, i, j);
    }
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

// Less far ahead where there are many candidates, or no room for them; further where there are few.
static void tune_ahead(dp_broad_phase *b)
{
    const bool roomy = b->ncandidate < b->pair_capacity / 2;
    if (b->stale || b->ncandidate > CROWD * b->npair + b->capacity) {
        b->ahead = fmax(0.5 * b->ahead, LEAST);
    } else if (roomy && b->ncandidate < FEW * b->npair + b->capacity) {
        b->ahead = fmin(2.0 * b->ahead, AHEAD);
    }
}

dp_status dp_broad_pairs(const dp_id_pair **out, int *count, dp_broad_phase *b)
{
    *out = NULL;
    if (!b->moved && !b->stale) {
        *count = b->npair;
        *out = b->pair;
        return DP_OK;
    }
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
    if (b->nchange > 0) {
        sort_fresh(b, (int)nfresh);
        merge(b, (int)nfresh);
        forget_changes(b);
    }
    *count = b->npair = sift(b);
    tune_ahead(b);
    b->moved = false;
    b->updates = (b->updates + 1) % SELDOM;
    *out = b->pair;
    return DP_OK;
}

// Questions

static bool ask_tree(const dp_broad_phase *b, const dp_dynamic_tree *tree, const dp_sides *reach,
                     dp_broad_visit visit, void *context)
{
    int stack[DP_DYNAMIC_DEPTH + 1], n = 0;
    if (tree->root >= 0) {
        stack[n++] = tree->root;
    }
    while (n > 0) {
        const dp_tree_node *node = &tree->node[stack[--n]];
        if (!dp_sides_meet(&node->box, reach)) {
            continue;
        }
        if (!dp_node_is_leaf(node)) {
            stack[n++] = node->child[0];
            stack[n++] = node->child[1];
        } else if (dp_sides_meet(&b->box[node->child[1]], reach) &&
                   !visit(context, node->child[1])) {
            return false;
        }
    }
    return true;
}

void dp_broad_overlaps(const dp_broad_phase *b, const dp_bounds *box, dp_broad_visit visit,
                       void *context)
{
    const dp_sides asked = dp_sides_of(box), reach = dp_sides_reach(&asked);
    for (int k = 0; k < b->nplane; ++k) {
        if (meets_plane(&b->box[b->plane[k]], &asked) && !visit(context, b->plane[k])) {
            return;
        }
    }
    for (int k = 0; k < DP_BROAD_TREES; ++k) {
        if (!ask_tree(b, &b->tree[k], &reach, visit, context)) {
            return;
        }
    }
}

// Where a ray is between two walls: from `*enter` to `*leave`.
static void clip(double *enter, double *leave, double from, double along, const double side[2])
{
    const double low = side[0], high = -side[1];
    if (along == 0.0) {
        *leave = low <= from && from <= high ? *leave : -1.0; // always or never
        return;
    }
    const double a = (low - from) / along, b = (high - from) / along;
    const double first = a < b ? a : b, last = a < b ? b : a;
    *enter = first > *enter ? first : *enter;
    *leave = last < *leave ? last : *leave;
}

static bool ray_meets(const dp_sides *box, dp_v3 origin, dp_v3 direction, double limit)
{
    double enter = 0.0, leave = limit;
    clip(&enter, &leave, origin.x, direction.x, box->side);
    clip(&enter, &leave, origin.y, direction.y, box->side + 2);
    clip(&enter, &leave, origin.z, direction.z, box->side + 4);
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
        int stack[DP_DYNAMIC_DEPTH + 1], n = 0;
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
