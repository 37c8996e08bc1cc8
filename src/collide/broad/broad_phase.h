// Which of many boxes overlap: the first, coarse answer to the question of what touches.
//
// It knows numbers and boxes, nothing of bodies. Moving boxes live in a dynamic tree as fat boxes,
// which they may move in for a while before the tree changes; fixed boxes have a tree of their own,
// planes a list. Pairs of fat boxes that overlap are remembered from one update to the next and
// sifted by the true boxes, so what is reported depends on the boxes as they are now, and on
// nothing else: not on the order in which they came, nor on how they moved.
#ifndef DP_COLLIDE_BROAD_PHASE_H
#define DP_COLLIDE_BROAD_PHASE_H

#include "base/memory.h"
#include "collide/broad/dynamic_tree.h"

#include <dashpot/advanced/collide.h>

typedef enum dp_broad_kind {
    DP_BROAD_MOVING, ///< pairs with boxes that move, fixed boxes and planes
    DP_BROAD_FIXED,  ///< pairs with boxes that move; may be put elsewhere now and then
    DP_BROAD_QUIET,  ///< never in a pair: only rays and boxes that ask see it
    DP_BROAD_TREES,
    DP_BROAD_PLANE = DP_BROAD_TREES, ///< pairs with boxes that move
    DP_BROAD_ABSENT,
} dp_broad_kind;

/// Two numbers, a < b.
typedef struct dp_id_pair {
    int a, b;
} dp_id_pair;

/// May a and b, a < b, be a pair? The answer is remembered: it must always be the same.
typedef bool (*dp_broad_filter)(const void *context, int a, int b);

typedef struct dp_broad_phase {
    dp_allocator allocator;
    dp_broad_filter filter; // NULL: all
    const void *filter_context;
    int capacity; // numbers 0 … capacity − 1
    void *memory; // of all that has `capacity` elements
    size_t bytes;

    uint8_t *kind;    // dp_broad_kind
    uint8_t *changed; // its fat box is another than at the last update
    int *leaf;        // in the tree of its kind
    dp_sides *box;    // the true box; of a plane: its normal and its offset
    int *plane;       // the numbers of planes
    int *change;      // the numbers that have `changed`
    int *count;       // scratch, capacity + 1
    int nplane, nchange;
    uint8_t *mark[2]; // of nodes of the first two trees: something below has changed
    dp_dynamic_tree tree[DP_BROAD_TREES];

    int pair_capacity;
    int updates;          // so far
    long long visits;     // pairs of nodes that were compared, so far
    double ahead;         // [1] how far fat boxes look, times the way they came last
    bool stale;           // the candidates are not those of the trees
    bool moved;           // some box is another than at the last update
    uint64_t *candidate;  // pairs of fat boxes, ascending: a in the upper half, b in the lower
    uint64_t *fresh, *to; // scratch of the same size
    dp_id_pair *pair;     // the answer of the last update
    int ncandidate, npair;
} dp_broad_phase;

/// Make room for boxes numbered 0 … capacity − 1 and for so many pairs, none there yet.
dp_status dp_broad_create(dp_broad_phase *out, int capacity, int pair_capacity,
                          dp_broad_filter filter, const void *context,
                          const dp_allocator *allocator);
void dp_broad_destroy(dp_broad_phase *b);

/// Make room for at least so many pairs. What was reported before is gone.
dp_status dp_broad_reserve(dp_broad_phase *b, int pair_capacity);

/// Put box `id` at its place: it comes, moves or changes its kind. For a fast body, the box around
/// the start and the end of its way. Bounds may be infinite.
/// @return DP_ERROR_ARGUMENT for a number out of range, bounds that are no numbers or low > high
dp_status dp_broad_put(dp_broad_phase *b, int id, dp_broad_kind kind, dp_bounds box);
/// The same for a plane: all points x with normal · x ≤ offset.
dp_status dp_broad_put_plane(dp_broad_phase *b, int id, dp_v3 normal, double offset);
/// Does a box meet that plane? As pairs have it.
bool dp_plane_meets(dp_v3 normal, double offset, const dp_bounds *box);
/// Take it away; nothing happens where it is not.
void dp_broad_remove(dp_broad_phase *b, int id);

/// All pairs that overlap and that the filter lets through, ascending in a and then b. Boxes that
/// share a face overlap. Borrowed until the next call. Allocates nothing.
/// @return DP_ERROR_CAPACITY with the number of pairs when there are more than room was made for;
///         nothing is lost by that: dp_broad_reserve and ask again. *count is then that number.
dp_status dp_broad_pairs(const dp_id_pair **out, int *count, dp_broad_phase *b);

/// Call `visit` with each number whose box overlaps `box`, in no certain order, until it returns
/// false.
typedef bool (*dp_broad_visit)(void *context, int id);
void dp_broad_overlaps(const dp_broad_phase *b, const dp_bounds *box, dp_broad_visit visit,
                       void *context);

/// Call `meet` with each number whose box a ray meets, in no certain order. It returns how far the
/// ray reaches from then on, in units of `direction`.
typedef double (*dp_broad_meet)(void *context, int id, double limit);
void dp_broad_ray(const dp_broad_phase *b, dp_v3 origin, dp_v3 direction, double limit,
                  dp_broad_meet meet, void *context);

#endif
