// The sparsity of a Delassus matrix: the order of blocks, what they reach, and its envelope.
#include "solve/rows/delassus.h"

#include <string.h>

// Of one plan.
typedef struct plan_scratch {
    int *tree_of;      // nv
    int *seen;         // nv
    int *next, *round; // ntree
    int *stamp;        // nblock
    int *queue;        // nblock
} plan_scratch;

// The deepest branch that a forest with so many elements can have: a branch of depth d has
// d(d+1)/2 of them, and every other velocity at least one.
static size_t deepest(size_t nMt, size_t nv)
{
    size_t d = nv > 0;
    while (d < nv && d * (d + 1) / 2 <= nMt - nv) {
        ++d;
    }
    return d;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t dp_delassus_memory(const dp_step_size *max)
{
    const size_t nv = (size_t)max->nv, nblock = (size_t)max->nblock, nrow = (size_t)max->nrow;
    const size_t ntree = (size_t)max->ntree;
    const size_t depth = deepest(max->nMt > nv ? max->nMt : nv, nv);
    size_t bytes = dp_arena_bytes(max->nMt, sizeof(double)); // LD
    bytes += dp_arena_bytes(nv, sizeof(double));             // inverse
    bytes += 4 * dp_arena_bytes(nrow, sizeof(int));    // row, direction, direction_place, first
    bytes += 3 * dp_arena_bytes(nrow, sizeof(double)); // ratio, sum, rate
    bytes += dp_arena_bytes(nrow + 1, sizeof(size_t)); // start
    bytes += 5 * dp_arena_bytes(nblock,
                                sizeof(int)); // block, parallel_to, direction_start, stamp, queue
    bytes += 2 * dp_arena_bytes(nblock + 1, sizeof(int)); // place_start, reach_start
    bytes += 2 * dp_arena_bytes(nv, sizeof(int));         // tree_of, seen
    bytes += 3 * dp_arena_bytes(ntree + 1, sizeof(int));  // user_start, next, round
    bytes +=
        dp_arena_bytes(max->ncol + 1, sizeof(dp_reach)) + dp_arena_bytes(max->ncol, sizeof(int));
    bytes += dp_arena_bytes(smaller(nblock * nv, max->ncol * depth), sizeof(int)); // velocity
    bytes += dp_arena_bytes(DP_DELASSUS_ROWS * nv, sizeof(double));                // B
    bytes += dp_arena_bytes(smaller(nrow * nv, max->nG * depth), sizeof(double));  // C
    bytes += dp_arena_bytes(nrow * (nrow + 1) / 2, sizeof(double));                // W
    return bytes;
}

static void fill_int(int *x, int n, int value)
{
    for (int i = 0; i < n; ++i) {
        x[i] = value;
    }
}

// ---- order

enum { NONE = -1, VANISHED = -2 }; // a row of one velocity that does not move it

static bool is_single(const dp_step_problem *p, int b)
{
    return dp_block_rows(p, b) == 1 && p->col_start[b + 1] - p->col_start[b] == 1;
}

static bool has_vanished(const dp_step_problem *p, int b)
{
    return is_single(p, b) && p->G[p->G_start[b]] == 0.0;
}

static void find_parallel_rows(dp_delassus *d, const dp_step_problem *p, int *first)
{
    fill_int(first, p->nv, NONE); // the first block along this velocity alone
    for (int o = 0; o < p->nblock; ++o) {
        const int b = d->block[o];
        d->parallel_to[o] = has_vanished(p, b) ? VANISHED : NONE;
        if (is_single(p, b) && !has_vanished(p, b)) {
            int *of = &first[p->col[p->col_start[b]]];
            d->parallel_to[o] = *of;
            *of = *of < 0 ? o : *of;
        }
    }
}

// Which trees each block reaches, for blocks in the order of d->block, and by whom each tree is
// reached, without those that are parallel to others.
static void list_reaches(dp_delassus *d, const dp_step_problem *p, const plan_scratch *s)
{
    int count = 0;
    memset(d->user_start, 0, ((size_t)p->ntree + 1) * sizeof *d->user_start);
    for (int o = 0; o < p->nblock; ++o) {
        const int b = d->block[o];
        int last = -1;
        d->reach_start[o] = count;
        for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) { // ascending, and trees so
            const int tree = s->tree_of[p->col[k]];
            if (tree != last) {
                d->reach[count++] = (dp_reach){.block = o, .tree = tree};
                d->user_start[tree + 1] += d->parallel_to[o] < 0;
                last = tree;
            }
        }
    }
    d->reach_start[p->nblock] = count;
    for (int t = 0; t < p->ntree; ++t) {
        d->user_start[t + 1] += d->user_start[t];
        s->next[t] = d->user_start[t];
    }
    for (int r = 0; r < count; ++r) {
        if (d->parallel_to[d->reach[r].block] < 0) {
            d->user[s->next[d->reach[r].tree]++] = r;
        }
    }
}

// Breadth first from `from` over blocks that share trees. @param round marks what was met in this
// search. @return how many blocks
static int search_from(int from, const dp_delassus *d, const plan_scratch *s, int round)
{
    int count = 1;
    s->queue[0] = from;
    s->stamp[from] = round;
    for (int head = 0; head < count; ++head) {
        const int b = s->queue[head];
        for (int k = d->reach_start[b]; k < d->reach_start[b + 1]; ++k) {
            const int tree = d->reach[k].tree;
            for (int m = d->user_start[tree];
                 s->round[tree] != round && m < d->user_start[tree + 1]; ++m) {
                const int user = d->reach[d->user[m]].block;
                if (s->stamp[user] != round) {
                    s->stamp[user] = round;
                    s->queue[count++] = user;
                }
            }
            s->round[tree] = round;
        }
    }
    return count;
}

// Blocks in reversed breadth-first order, each connected part from one of its ends.
static void order_blocks(dp_delassus *d, const dp_step_problem *p, const plan_scratch *s)
{
    for (int b = 0; b < p->nblock; ++b) {
        d->block[b] = b;
    }
    fill_int(d->parallel_to, p->nblock, NONE);
    list_reaches(d, p, s);
    fill_int(s->round, p->ntree, 0);
    fill_int(s->stamp, p->nblock, 0);
    int done = 0;
    for (int b = 0; b < p->nblock; ++b) {
        if (s->stamp[b] == 0) {
            const int count = search_from(b, d, s, 1);
            search_from(s->queue[count - 1], d, s, 2);
            for (int k = 0; k < count; ++k) {
                d->block[done + k] = s->queue[count - 1 - k];
            }
            done += count;
        }
    }
    find_parallel_rows(d, p, s->seen);
    list_reaches(d, p, s);
    d->place_start[0] = 0;
    for (int o = 0; o < p->nblock; ++o) {
        const int rows = dp_block_rows(p, d->block[o]);
        d->place_start[o + 1] = d->place_start[o] + rows;
        for (int m = 0; m < rows; ++m) {
            d->row[d->place_start[o] + m] = p->row_start[d->block[o]] + m;
        }
    }
}

// ---- reach

// The velocities of reach r, descending. @param out NULL: only count. @return how many
static int collect_reach(int *out, const dp_delassus *d, const dp_step_problem *p, int r,
                         const plan_scratch *s, int mark)
{
    const int b = d->block[d->reach[r].block];
    int count = 0;
    for (int k = p->col_start[b + 1] - 1; k >= p->col_start[b]; --k) {
        if (s->tree_of[p->col[k]] != d->reach[r].tree) {
            continue;
        }
        for (int i = p->col[k]; i >= 0 && s->seen[i] != mark; i = p->parent[i]) {
            s->seen[i] = mark;
            int at = count++;
            for (; out && at > 0 && out[at - 1] < i; --at) { // mostly in place already
                out[at] = out[at - 1];
            }
            if (out) {
                out[at] = i;
            }
        }
    }
    return count;
}

static dp_status plan_reaches(dp_delassus *d, const dp_step_problem *p, const plan_scratch *s,
                              dp_arena *scratch)
{
    const int nreach = d->reach_start[p->nblock];
    int count = 0;
    size_t nC = 0;
    fill_int(s->seen, p->nv, -1);
    for (int r = 0; r < nreach; ++r) {
        dp_reach *reach = &d->reach[r];
        const int rows = dp_block_rows(p, d->block[reach->block]);
        reach->start = count;
        count += d->parallel_to[reach->block] < 0 ? collect_reach(NULL, d, p, r, s, r) : 0;
        reach->end = count;
        reach->C = nC;
        nC += (size_t)(count - reach->start) * (size_t)rows;
    }
    d->reach[nreach] = (dp_reach){.start = count, .end = count, .C = nC};
    DP_TRY(dp_arena_take(&d->velocity, scratch, (size_t)count, sizeof *d->velocity));
    DP_TRY(dp_arena_take(&d->C, scratch, nC, sizeof *d->C));
    const size_t nB = DP_DELASSUS_ROWS * (size_t)p->nv;
    DP_TRY(dp_arena_take(&d->B, scratch, nB, sizeof *d->B));
    if (nB > 0) {
        memset(d->B, 0, nB * sizeof *d->B);
    }
    for (int r = 0; r < nreach; ++r) {
        if (d->reach[r].end > d->reach[r].start) {
            collect_reach(d->velocity + d->reach[r].start, d, p, r, s, nreach + r);
        }
    }
    return DP_OK;
}

// ---- W

bool dp_delassus_is_reusable(const dp_delassus *d, const dp_step_problem *p)
{
    for (int o = 0; o < d->nblock; ++o) {
        if (has_vanished(p, d->block[o]) != (d->parallel_to[o] == VANISHED)) {
            return false;
        }
    }
    return true;
}

// One direction for each row of the blocks that are parallel to none before them.
static void number_directions(dp_delassus *d)
{
    d->ndirection = 0;
    for (int o = 0; o < d->nblock; ++o) {
        const bool own = d->parallel_to[o] < 0;
        d->direction_start[o] = own ? d->ndirection : d->direction_start[d->parallel_to[o]];
        const int nrow = d->place_start[o + 1] - d->place_start[o];
        for (int m = 0; m < nrow; ++m) {
            d->direction[d->place_start[o] + m] = d->direction_start[o] + m;
            if (own) {
                d->direction_place[d->direction_start[o] + m] = d->place_start[o] + m;
            }
        }
        d->ndirection += own ? nrow : 0;
    }
}

// The first direction that the rows of each block couple with. @return elements of W
static size_t lay_out(dp_delassus *d, int *first, size_t *start)
{
    for (int o = 0; o < d->nblock; ++o) {
        int lowest = o; // parallel to none: the one that it would be parallel to comes before
        for (int r = d->reach_start[o]; r < d->reach_start[o + 1]; ++r) {
            const int user = d->reach[d->user[d->user_start[d->reach[r].tree]]].block;
            lowest = user < lowest ? user : lowest;
        }
        const int nrow = d->place_start[o + 1] - d->place_start[o];
        for (int m = 0; d->parallel_to[o] < 0 && m < nrow; ++m) {
            first[d->direction_start[o] + m] = d->direction_start[lowest];
        }
    }
    d->at = (dp_envelope){d->ndirection, first, start};
    return dp_envelope_layout(start, d->ndirection, first);
}

dp_status dp_delassus_plan(dp_delassus *out, const dp_step_problem *p, dp_arena *scratch)
{
    const size_t nv = (size_t)p->nv, nblock = (size_t)p->nblock, nrow = (size_t)p->nrow;
    const size_t ntree = (size_t)p->ntree, ncol = (size_t)p->col_start[p->nblock];
    dp_delassus d = {.nrow = p->nrow, .nblock = p->nblock};
    plan_scratch s;
    int *first;
    size_t *start;
    DP_TRY(dp_arena_take(&d.LD, scratch, p->Mt_start[p->nv], sizeof *d.LD));
    DP_TRY(dp_arena_take(&d.inverse, scratch, nv, sizeof *d.inverse));
    DP_TRY(dp_arena_take(&d.row, scratch, nrow, sizeof *d.row));
    DP_TRY(dp_arena_take(&d.block, scratch, nblock, sizeof *d.block));
    DP_TRY(dp_arena_take(&d.parallel_to, scratch, nblock, sizeof *d.parallel_to));
    DP_TRY(dp_arena_take(&d.direction, scratch, nrow, sizeof *d.direction));
    DP_TRY(dp_arena_take(&d.direction_place, scratch, nrow, sizeof *d.direction_place));
    DP_TRY(dp_arena_take(&d.direction_start, scratch, nblock, sizeof *d.direction_start));
    DP_TRY(dp_arena_take(&d.ratio, scratch, nrow, sizeof *d.ratio));
    DP_TRY(dp_arena_take(&d.sum, scratch, nrow, sizeof *d.sum));
    DP_TRY(dp_arena_take(&d.rate, scratch, nrow, sizeof *d.rate));
    DP_TRY(dp_arena_take(&d.place_start, scratch, nblock + 1, sizeof *d.place_start));
    DP_TRY(dp_arena_take(&d.reach_start, scratch, nblock + 1, sizeof *d.reach_start));
    DP_TRY(dp_arena_take(&d.reach, scratch, ncol + 1, sizeof *d.reach));
    DP_TRY(dp_arena_take(&d.user_start, scratch, ntree + 1, sizeof *d.user_start));
    DP_TRY(dp_arena_take(&d.user, scratch, ncol, sizeof *d.user));
    DP_TRY(dp_arena_take(&first, scratch, nrow, sizeof *first));
    DP_TRY(dp_arena_take(&start, scratch, nrow + 1, sizeof *start));
    DP_TRY(dp_arena_take(&s.tree_of, scratch, nv, sizeof *s.tree_of));
    DP_TRY(dp_arena_take(&s.seen, scratch, nv, sizeof *s.seen));
    DP_TRY(dp_arena_take(&s.next, scratch, ntree, sizeof *s.next));
    DP_TRY(dp_arena_take(&s.round, scratch, ntree, sizeof *s.round));
    DP_TRY(dp_arena_take(&s.stamp, scratch, nblock, sizeof *s.stamp));
    DP_TRY(dp_arena_take(&s.queue, scratch, nblock, sizeof *s.queue));
    for (int t = 0; t < p->ntree; ++t) {
        for (int i = p->tree_start[t]; i < p->tree_start[t + 1]; ++i) {
            s.tree_of[i] = t;
        }
    }
    order_blocks(&d, p, &s);
    DP_TRY(plan_reaches(&d, p, &s, scratch));
    number_directions(&d);
    const size_t nC = d.reach[d.reach_start[nblock]].C; // that of parallel rows is left out
    d.is_short = d.ndirection == d.nrow && 2 * nC <= 2 * p->G_start[nblock] + p->Mt_start[nv];
    DP_TRY(dp_arena_take(&d.W, scratch, lay_out(&d, first, start), sizeof *d.W));
    *out = d;
    return DP_OK;
}
