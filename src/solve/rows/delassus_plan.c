// The sparsity of a Delassus matrix: the order of blocks, what they reach, and its envelope.
#include "base/memory.h"
#include "linalg/semidefinite.h"
#include "problem/row_law.h"
#include "solve/rows/delassus.h"
#include "solve/rows/row_constants.h"

#include <float.h>
#include <string.h>

// Of one plan.
typedef struct plan_scratch {
    int *tree_of, *seen; // nv
    int *next, *round;   // ntree
    int *stamp;          // nblock
    int *first;          // nrow: those of the envelope
    size_t *start;       // nrow+1
} plan_scratch;

// ---- memory

// The deepest branch that a forest with so many elements can have: a branch of depth d has
// d(d+1)/2 of them, and every other velocity at least one.
static size_t deepest(size_t nMt, size_t nv)
{
    size_t d = nv > 0;
    while (d < nv && d * (d + 1) / 2 + nv <= nMt) {
        ++d;
    }
    return d;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// All arrays but W.
static void carve(dp_delassus *d, plan_scratch *s, dp_carver *c, const dp_step_size *size)
{
    const size_t nv = (size_t)size->nv, nblock = (size_t)size->nblock, nrow = (size_t)size->nrow;
    const size_t ntree = (size_t)size->ntree, depth = deepest(size->nMt, nv);
    d->row = dp_carve(c, nrow, sizeof(int));
    d->block = dp_carve(c, nblock, sizeof(int));
    d->place_start = dp_carve(c, nblock + 1, sizeof(int));
    d->reach_start = dp_carve(c, nblock + 1, sizeof(int));
    d->reach = dp_carve(c, size->ncol, sizeof(dp_reach));
    d->velocity = dp_carve(c, smaller(nblock * nv, size->ncol * depth), sizeof(int));
    d->user_start = dp_carve(c, ntree + 1, sizeof(int));
    d->user = dp_carve(c, size->ncol, sizeof(int));
    d->LD = dp_carve(c, size->nMt, sizeof(double));
    d->inverse = dp_carve(c, nv, sizeof(double));
    d->B = dp_carve(c, DP_DELASSUS_ROWS * nv, sizeof(double));
    d->C = dp_carve(c, smaller(nrow * nv, size->nG * depth), sizeof(double));
    d->motion = dp_carve(c, nv, sizeof(double));
    s->tree_of = dp_carve(c, nv, sizeof(int));
    s->seen = dp_carve(c, nv, sizeof(int));
    s->next = dp_carve(c, ntree, sizeof(int));
    s->round = dp_carve(c, ntree, sizeof(int));
    s->stamp = dp_carve(c, nblock, sizeof(int));
    s->first = dp_carve(c, nrow, sizeof(int));
    s->start = dp_carve(c, nrow + 1, sizeof(size_t));
}

size_t dp_delassus_memory(const dp_step_size *max)
{
    dp_delassus d;
    plan_scratch s;
    dp_carver c = {NULL, 0};
    carve(&d, &s, &c, max);
    return dp_arena_bytes(c.used, 1) + dp_arena_bytes(dp_triangle(max->nrow), sizeof(double));
}

// ---- order

// Which trees each block reaches, in the order of `block`, and by whom each tree is reached.
// @param block NULL: as in the problem
static void list_reaches(dp_delassus *d, const plan_scratch *s, const int *block)
{
    const dp_step_problem *p = d->p;
    int count = 0;
    memset(d->user_start, 0, ((size_t)p->ntree + 1) * sizeof *d->user_start);
    for (int o = 0; o < p->nblock; ++o) {
        const int b = block ? block[o] : o;
        int last = -1;
        d->reach_start[o] = count;
        for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) { // ascending, and trees so
            const int tree = s->tree_of[p->col[k]];
            if (tree != last) {
                d->reach[count++] = (dp_reach){.block = o, .tree = tree};
                ++d->user_start[tree + 1];
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
        d->user[s->next[d->reach[r].tree]++] = r;
    }
}

// Breadth first from `from` over blocks that share trees. @param round marks what was met in this
// search. @return how many blocks
static int search_from(int from, int *queue, const dp_delassus *d, const plan_scratch *s, int round)
{
    int count = 1;
    queue[0] = from;
    s->stamp[from] = round;
    for (int head = 0; head < count; ++head) {
        for (int k = d->reach_start[queue[head]]; k < d->reach_start[queue[head] + 1]; ++k) {
            const int tree = d->reach[k].tree;
            const int end = s->round[tree] == round ? 0 : d->user_start[tree + 1];
            for (int m = d->user_start[tree]; m < end; ++m) {
                const int user = d->reach[d->user[m]].block;
                if (s->stamp[user] != round) {
                    s->stamp[user] = round;
                    queue[count++] = user;
                }
            }
            s->round[tree] = round;
        }
    }
    return count;
}

// Blocks in reversed breadth-first order, each connected part from one of its ends.
static void order_blocks(dp_delassus *d, const plan_scratch *s)
{
    const dp_step_problem *p = d->p;
    list_reaches(d, s, NULL);
    memset(s->round, 0, (size_t)p->ntree * sizeof *s->round);
    memset(s->stamp, 0, (size_t)p->nblock * sizeof *s->stamp);
    for (int b = 0, done = 0; b < p->nblock; ++b) {
        if (s->stamp[b] == 0) {
            int *queue = d->block + done;
            const int count = search_from(b, queue, d, s, 1);
            search_from(queue[count - 1], queue, d, s, 2);
            for (int low = 0, high = count - 1; low < high; ++low, --high) {
                const int swapped = queue[low];
                queue[low] = queue[high];
                queue[high] = swapped;
            }
            done += count;
        }
    }
    list_reaches(d, s, d->block);
    d->place_start[0] = 0;
    for (int o = 0; o < p->nblock; ++o) {
        int place = d->place_start[o];
        for (int r = p->row_start[d->block[o]]; r < p->row_start[d->block[o] + 1]; ++r) {
            d->row[place++] = r;
        }
        d->place_start[o + 1] = place;
    }
}

// ---- reach and envelope

static void find_reaches(dp_delassus *d, const plan_scratch *s)
{
    const dp_step_problem *p = d->p;
    int count = 0;
    size_t nC = 0;
    memset(s->seen, 0, (size_t)p->nv * sizeof *s->seen);
    for (int o = 0; o < p->nblock; ++o) {
        const int b = d->block[o], mark = o + 1;
        for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
            s->seen[p->col[k]] = mark;
        }
        for (int r = d->reach_start[o]; r < d->reach_start[o + 1]; ++r) {
            dp_reach *reach = &d->reach[r];
            reach->start = count;
            reach->C = nC;
            for (int i = p->tree_start[reach->tree + 1] - 1; i >= p->tree_start[reach->tree]; --i) {
                if (s->seen[i] == mark) {
                    d->velocity[count++] = i;
                    if (p->parent[i] >= 0) {
                        s->seen[p->parent[i]] = mark;
                    }
                }
            }
            reach->end = count;
            nC += (size_t)(count - reach->start) *
                  (size_t)(d->place_start[o + 1] - d->place_start[o]);
        }
    }
}

// The first place that each row couples with. @return elements of W
static size_t lay_out(dp_delassus *d, const plan_scratch *s)
{
    for (int o = 0; o < d->p->nblock; ++o) {
        int lowest = o;
        for (int r = d->reach_start[o]; r < d->reach_start[o + 1]; ++r) {
            const int user = d->reach[d->user[d->user_start[d->reach[r].tree]]].block;
            lowest = user < lowest ? user : lowest;
        }
        for (int i = d->place_start[o]; i < d->place_start[o + 1]; ++i) {
            s->first[i] = d->only_diagonal ? i : d->place_start[lowest];
        }
    }
    d->at = (dp_envelope){d->p->nrow, s->first, s->start};
    return dp_envelope_layout(s->start, d->p->nrow, s->first);
}

// Are there many springs on few velocities, and nothing else? The mobility of a row is taken to be
// Σ G²/diag M̃.
static bool has_many_springs(const dp_step_problem *p)
{
    bool all = p->nrow >= DP_WIDE_ROWS && p->nrow >= DP_WIDE_ROWS_PER_VELOCITY * p->nv;
    for (int b = 0; all && b < p->nblock; ++b) {
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; all && r < p->row_start[b + 1]; ++r) {
            const double R = dp_row_softness(p->row + r, p->h).R;
            double w = 0.0;
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k, ++G) {
                w += *G * *G / p->Mt[p->Mt_start[p->col[k]]];
            }
            all = R >= DP_WIDE_COMPLIANCE * w && R <= DBL_MAX && w > 0.0;
        }
    }
    return all;
}

bool dp_delassus_is_reusable(const dp_delassus *d, const dp_step_problem *p)
{
    return d->only_diagonal == has_many_springs(p);
}

dp_status dp_delassus_plan(dp_delassus *out, const dp_step_problem *p, dp_arena *scratch)
{
    const dp_step_size size = {.nv = p->nv,
                               .ntree = p->ntree,
                               .nblock = p->nblock,
                               .nrow = p->nrow,
                               .nMt = p->Mt_start[p->nv],
                               .ncol = (size_t)p->col_start[p->nblock],
                               .nG = p->G_start[p->nblock]};
    dp_delassus d = {
        .p = p, .only_diagonal = has_many_springs(p), .tree = {p->nv, p->parent, p->Mt_start}};
    plan_scratch s;
    dp_carver c = {NULL, 0};
    carve(&d, &s, &c, &size);
    DP_TRY(dp_arena_take(&c.base, scratch, c.used, 1));
    c.used = 0;
    carve(&d, &s, &c, &size);
    for (int t = 0; t < p->ntree; ++t) {
        for (int i = p->tree_start[t]; i < p->tree_start[t + 1]; ++i) {
            s.tree_of[i] = t;
        }
    }
    order_blocks(&d, &s);
    find_reaches(&d, &s);
    memset(d.B, 0, DP_DELASSUS_ROWS * (size_t)p->nv * sizeof *d.B);
    DP_TRY(dp_arena_take(&d.W, scratch, lay_out(&d, &s), sizeof *d.W));
    *out = d;
    return DP_OK;
}
