// The structure of a Delassus matrix: the order of blocks, what they reach, and which couple.
#include "solve/delassus.h"

#include <string.h>

// Which roots of the forest the blocks reach, both ways round.
typedef struct reach_graph {
    int *root;       // nv: the root below each velocity
    int *root_start; // nblock+1
    int *roots;      // of each block
    int *user_start; // nv+1
    int *users;      // blocks of each root
} reach_graph;

// Scratch by velocity and by block.
typedef struct marks {
    int *seen, *place; // nv
    int *stamp;        // nblock
} marks;

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
    const size_t depth = deepest(max->nMt > nv ? max->nMt : nv, nv);
    const size_t nreach = smaller(nblock * nv, max->ncol * depth);
    const size_t nC = smaller(nrow * nv, max->nG * depth);
    size_t bytes = dp_arena_bytes(max->nMt, sizeof(double)); // LD
    bytes += dp_arena_bytes(nv, sizeof(double));             // inverse
    bytes += 3 * dp_arena_bytes(nrow, sizeof(int));          // row, kind, first
    bytes += 3 * dp_arena_bytes(nrow, sizeof(double));       // ratio, sum, rate
    bytes += 5 * dp_arena_bytes(nblock, sizeof(int));     // block, twin, kind_start, queue, stamp
    bytes += 2 * dp_arena_bytes(nblock + 1, sizeof(int)); // place_start, root_start
    bytes += 4 * dp_arena_bytes(nv, sizeof(int));         // root, next, seen, place
    bytes += 2 * dp_arena_bytes(max->ncol, sizeof(int));  // roots, users
    bytes += dp_arena_bytes(nv + 1, sizeof(int));         // user_start
    bytes += dp_arena_bytes(nrow + 1, sizeof(size_t));    // start
    bytes += 2 * dp_arena_bytes(nblock + 1, sizeof(int)); // reach: start, column_start
    bytes += dp_arena_bytes(nblock + 1, sizeof(size_t));  // reach: C_start
    bytes += 3 * dp_arena_bytes(nreach, sizeof(int));     // reach: velocity, next, run
    bytes += dp_arena_bytes(max->ncol, sizeof(int));      // reach: column
    bytes += dp_arena_bytes(nblock + 1, sizeof(int));     // coupling_start
    bytes += dp_arena_bytes(nblock * (nblock + 1) / 2, sizeof(dp_coupling));
    bytes += 2 * dp_arena_bytes(nC, sizeof(double));                // B, C
    bytes += dp_arena_bytes(nrow * (nrow + 1) / 2, sizeof(double)); // W
    return bytes;
}

// ---- order

// users from roots, for blocks numbered as in `block` (NULL: as they come).
static void list_users(reach_graph *g, const dp_step_problem *p, const int *block, int *next)
{
    memset(g->user_start, 0, ((size_t)p->nv + 1) * sizeof *g->user_start);
    for (int k = 0; k < g->root_start[p->nblock]; ++k) {
        ++g->user_start[g->roots[k] + 1];
    }
    for (int i = 0; i < p->nv; ++i) {
        g->user_start[i + 1] += g->user_start[i];
        next[i] = g->user_start[i];
    }
    for (int o = 0; o < p->nblock; ++o) {
        const int b = block ? block[o] : o;
        for (int k = g->root_start[b]; k < g->root_start[b + 1]; ++k) {
            g->users[next[g->roots[k]]++] = o;
        }
    }
}

static void find_roots(reach_graph *g, const dp_step_problem *p, int *seen)
{
    for (int i = 0; i < p->nv; ++i) {
        g->root[i] = p->parent[i] < 0 ? i : g->root[p->parent[i]];
        seen[i] = -1;
    }
    int count = 0;
    for (int b = 0; b < p->nblock; ++b) {
        g->root_start[b] = count;
        for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
            const int root = g->root[p->col[k]];
            if (seen[root] != b) {
                seen[root] = b;
                g->roots[count++] = root;
            }
        }
    }
    g->root_start[p->nblock] = count;
}

// Breadth first from `from` over blocks that share roots; `seen` tells visited roots, `stamp`
// visited blocks, by the number `round`. @return how many blocks were met
static int visit(int *queue, const reach_graph *g, int from, marks *at, int round)
{
    int count = 1;
    queue[0] = from;
    at->stamp[from] = round;
    for (int head = 0; head < count; ++head) {
        const int b = queue[head];
        for (int k = g->root_start[b]; k < g->root_start[b + 1]; ++k) {
            const int root = g->roots[k];
            if (at->seen[root] == round) {
                continue;
            }
            at->seen[root] = round;
            for (int m = g->user_start[root]; m < g->user_start[root + 1]; ++m) {
                if (at->stamp[g->users[m]] != round) {
                    at->stamp[g->users[m]] = round;
                    queue[count++] = g->users[m];
                }
            }
        }
    }
    return count;
}

static void fill_int(int *x, int n, int value)
{
    for (int i = 0; i < n; ++i) {
        x[i] = value;
    }
}

// Blocks in reversed breadth-first order, each connected part from one of its ends.
static void order_blocks(int *block, const dp_step_problem *p, const reach_graph *g, marks *at,
                         int *queue)
{
    fill_int(at->seen, p->nv, 0);
    fill_int(at->stamp, p->nblock, 0);
    int done = 0;
    for (int b = 0; b < p->nblock; ++b) {
        if (at->stamp[b] == 0) {
            const int count = visit(queue, g, b, at, 1);
            visit(queue, g, queue[count - 1], at, 2);
            for (int k = 0; k < count; ++k) {
                block[done + k] = queue[count - 1 - k];
            }
            done += count;
        }
    }
}

static dp_status order(dp_delassus *d, reach_graph *g, const dp_step_problem *p, marks *at,
                       dp_arena *scratch)
{
    const size_t nv = (size_t)p->nv, nblock = (size_t)p->nblock;
    const size_t ncol = (size_t)p->col_start[p->nblock];
    int *queue, *next;
    DP_TRY(dp_arena_take(&g->root, scratch, nv, sizeof(int)));
    DP_TRY(dp_arena_take(&g->root_start, scratch, nblock + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&g->roots, scratch, ncol, sizeof(int)));
    DP_TRY(dp_arena_take(&g->user_start, scratch, nv + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&g->users, scratch, ncol, sizeof(int)));
    DP_TRY(dp_arena_take(&queue, scratch, nblock, sizeof(int)));
    DP_TRY(dp_arena_take(&next, scratch, nv, sizeof(int)));
    find_roots(g, p, at->seen);
    list_users(g, p, NULL, next);
    order_blocks(d->block, p, g, at, queue);
    list_users(g, p, d->block, next); // from here on blocks are known by their place in order

    d->place_start[0] = 0;
    for (int o = 0; o < p->nblock; ++o) {
        const int rows = dp_block_rows(p, d->block[o]);
        d->place_start[o + 1] = d->place_start[o] + rows;
        for (int m = 0; m < rows; ++m) {
            d->row[d->place_start[o] + m] = p->row_start[d->block[o]] + m;
        }
    }
    return DP_OK;
}

// ---- reach

// The velocities from the columns of a block down to the roots, descending. @return how many
static int collect_reach(int *velocity, const dp_step_problem *p, int b, int *seen)
{
    int count = 0;
    for (int k = p->col_start[b + 1] - 1; k >= p->col_start[b]; --k) {
        for (int i = p->col[k]; i >= 0 && seen[i] != b; i = p->parent[i]) {
            seen[i] = b;
            int at = count++;
            for (; at > 0 && velocity[at - 1] < i; --at) { // mostly in place already
                velocity[at] = velocity[at - 1];
            }
            velocity[at] = i;
        }
    }
    return count;
}

// From each velocity of a reach towards the root.
static void chain_up(dp_reach *r, const dp_step_problem *p, int o, const int *place)
{
    const int from = r->start[o], count = r->start[o + 1] - from;
    for (int k = count - 1; k >= 0; --k) {
        const int parent = p->parent[r->velocity[from + k]];
        const int next = parent < 0 ? -1 : place[parent];
        r->next[from + k] = next;
        r->run[from + k] = next < 0                                   ? 1
                           : next == k + 1 && r->run[from + next] > 0 ? 1 + r->run[from + next]
                                                                      : 0;
    }
}

static size_t count_reach(const dp_step_problem *p, int b, int *seen)
{
    size_t count = 0;
    for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
        for (int i = p->col[k]; i >= 0 && seen[i] != b; i = p->parent[i]) {
            seen[i] = b;
            ++count;
        }
    }
    return count;
}

static dp_status plan_reach(dp_delassus *d, const dp_step_problem *p, marks *at, dp_arena *scratch)
{
    const size_t nblock = (size_t)p->nblock;
    dp_reach *r = &d->reach;
    DP_TRY(dp_arena_take(&r->start, scratch, nblock + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&r->column_start, scratch, nblock + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&r->C_start, scratch, nblock + 1, sizeof(size_t)));
    size_t nreach = 0, nC = 0, most = 0;
    int ncol = 0;
    fill_int(at->seen, p->nv, -1);
    for (int o = 0; o < p->nblock; ++o) {
        const int b = d->block[o];
        const size_t count = count_reach(p, b, at->seen);
        r->start[o] = (int)nreach;
        r->column_start[o] = ncol;
        r->C_start[o] = nC;
        nreach += count;
        ncol += p->col_start[b + 1] - p->col_start[b];
        const size_t elements = count * (size_t)dp_block_rows(p, b);
        nC += elements;
        most = elements > most ? elements : most;
    }
    r->start[nblock] = (int)nreach;
    r->column_start[nblock] = ncol;
    r->C_start[nblock] = nC;
    DP_TRY(dp_arena_take(&r->velocity, scratch, nreach, sizeof(int)));
    DP_TRY(dp_arena_take(&r->next, scratch, nreach, sizeof(int)));
    DP_TRY(dp_arena_take(&r->run, scratch, nreach, sizeof(int)));
    DP_TRY(dp_arena_take(&r->column, scratch, (size_t)ncol, sizeof(int)));
    DP_TRY(dp_arena_take(&d->B, scratch, most, sizeof *d->B));
    DP_TRY(dp_arena_take(&d->C, scratch, nC, sizeof *d->C));
    fill_int(at->seen, p->nv, -1);
    for (int o = 0; o < p->nblock; ++o) {
        const int b = d->block[o];
        int *velocity = r->velocity + r->start[o];
        const int count = collect_reach(velocity, p, b, at->seen);
        for (int k = 0; k < count; ++k) {
            at->place[velocity[k]] = k;
        }
        chain_up(r, p, o, at->place);
        for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
            r->column[r->column_start[o] + k - p->col_start[b]] = at->place[p->col[k]];
        }
    }
    return DP_OK;
}

// ---- W

enum { NO_TWIN = -1, VANISHED = -2 }; // a row of one velocity that does not move it

static bool is_single(const dp_step_problem *p, int b)
{
    return dp_block_rows(p, b) == 1 && p->col_start[b + 1] - p->col_start[b] == 1;
}

static bool has_vanished(const dp_step_problem *p, int b)
{
    return is_single(p, b) && p->G[p->G_start[b]] == 0.0;
}

static void find_twins(dp_delassus *d, const dp_step_problem *p, int *first)
{
    fill_int(first, p->nv, NO_TWIN); // the first block that this velocity alone moves
    for (int o = 0; o < p->nblock; ++o) {
        const int b = d->block[o];
        d->twin[o] = has_vanished(p, b) ? VANISHED : NO_TWIN;
        if (is_single(p, b) && !has_vanished(p, b)) {
            int *of = &first[p->col[p->col_start[b]]];
            d->twin[o] = *of;
            *of = *of < 0 ? o : *of;
        }
    }
}

bool dp_delassus_serves(const dp_delassus *d, const dp_step_problem *p)
{
    for (int o = 0; o < d->nblock; ++o) {
        if (has_vanished(p, d->block[o]) != (d->twin[o] == VANISHED)) {
            return false;
        }
    }
    return true;
}

// One kind for each row of the blocks that have no twin.
static void number_kinds(dp_delassus *d)
{
    d->nkind = 0;
    for (int o = 0; o < d->nblock; ++o) {
        const bool own = d->twin[o] < 0;
        d->kind_start[o] = own ? d->nkind : d->kind_start[d->twin[o]];
        const int nrow = d->place_start[o + 1] - d->place_start[o];
        for (int m = 0; m < nrow; ++m) {
            d->kind[d->place_start[o] + m] = d->kind_start[o] + m;
        }
        d->nkind += own ? nrow : 0;
    }
}

// The first kind that the rows of each block couple with. @return elements of W
static size_t lay_out(dp_delassus *d, const reach_graph *g, int *first, size_t *start)
{
    for (int o = 0; o < d->nblock; ++o) {
        if (d->twin[o] >= 0) {
            continue;
        }
        int lowest = o; // never a twin: its first comes before
        for (int k = g->root_start[d->block[o]]; k < g->root_start[d->block[o] + 1]; ++k) {
            const int user = g->users[g->user_start[g->roots[k]]];
            lowest = user < lowest ? user : lowest;
        }
        const int nrow = d->place_start[o + 1] - d->place_start[o];
        for (int m = 0; m < nrow; ++m) {
            first[d->kind_start[o] + m] = d->kind_start[lowest];
        }
    }
    d->at = (dp_envelope){d->nkind, first, start};
    return dp_envelope_layout(start, d->nkind, first);
}

// @param place where each velocity stands in the reach of block o, −1: not there
static dp_coupling coupling_of(const dp_reach *r, int o, int q, const int *place)
{
    const int *mine = r->velocity + r->start[o], *other = r->velocity + r->start[q];
    const int n_mine = r->start[o + 1] - r->start[o], n_other = r->start[q + 1] - r->start[q];
    int k = 0;
    while (place[other[k]] < 0) { // they share a root
        ++k;
    }
    dp_coupling c = {.before = q, .at = place[other[k]], .at_other = k};
    while (c.at + c.length < n_mine && k < n_other && mine[c.at + c.length] == other[k]) {
        ++c.length;
        ++k;
    }
    for (; k < n_other; ++k) {
        c.length = place[other[k]] >= 0 ? 0 : c.length;
    }
    return c;
}

// Each block that has no twin with such before it. @param out NULL: only count
static void list_couplings(dp_delassus *d, const dp_step_problem *p, const reach_graph *g,
                           marks *at, dp_coupling *out)
{
    int count = 0;
    fill_int(at->place, p->nv, -1);
    fill_int(at->stamp, p->nblock, -1);
    for (int o = 0; o < p->nblock; ++o) {
        d->coupling_start[o] = count;
        if (d->twin[o] >= 0) {
            continue;
        }
        const int *velocity = d->reach.velocity + d->reach.start[o];
        const int n = d->reach.start[o + 1] - d->reach.start[o];
        for (int k = 0; k < n; ++k) {
            at->place[velocity[k]] = k;
        }
        const int b = d->block[o];
        for (int k = g->root_start[b]; k < g->root_start[b + 1]; ++k) {
            const int root = g->roots[k];
            for (int m = g->user_start[root]; m < g->user_start[root + 1] && g->users[m] <= o;
                 ++m) {
                const int q = g->users[m];
                if (at->stamp[q] == o || d->twin[q] >= 0) {
                    continue;
                }
                at->stamp[q] = o;
                if (out) {
                    out[count] = coupling_of(&d->reach, o, q, at->place);
                }
                ++count;
            }
        }
        for (int k = 0; k < n; ++k) {
            at->place[velocity[k]] = -1;
        }
    }
    d->coupling_start[p->nblock] = count;
}

dp_status dp_delassus_plan(dp_delassus *out, const dp_step_problem *p, dp_arena *scratch)
{
    const size_t nv = (size_t)p->nv, nblock = (size_t)p->nblock, nrow = (size_t)p->nrow;
    dp_delassus d = {.nrow = p->nrow, .nblock = p->nblock};
    int *first;
    size_t *start;
    marks at;
    DP_TRY(dp_arena_take(&d.LD, scratch, p->Mt_start[p->nv], sizeof *d.LD));
    DP_TRY(dp_arena_take(&d.inverse, scratch, nv, sizeof *d.inverse));
    DP_TRY(dp_arena_take(&d.row, scratch, nrow, sizeof(int)));
    DP_TRY(dp_arena_take(&d.block, scratch, nblock, sizeof(int)));
    DP_TRY(dp_arena_take(&d.twin, scratch, nblock, sizeof(int)));
    DP_TRY(dp_arena_take(&d.kind, scratch, nrow, sizeof(int)));
    DP_TRY(dp_arena_take(&d.kind_start, scratch, nblock, sizeof(int)));
    DP_TRY(dp_arena_take(&d.ratio, scratch, nrow, sizeof *d.ratio));
    DP_TRY(dp_arena_take(&d.sum, scratch, nrow, sizeof *d.sum));
    DP_TRY(dp_arena_take(&d.rate, scratch, nrow, sizeof *d.rate));
    DP_TRY(dp_arena_take(&d.place_start, scratch, nblock + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&d.coupling_start, scratch, nblock + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&first, scratch, nrow, sizeof(int)));
    DP_TRY(dp_arena_take(&start, scratch, nrow + 1, sizeof(size_t)));
    DP_TRY(dp_arena_take(&at.stamp, scratch, nblock, sizeof(int)));
    DP_TRY(dp_arena_take(&at.seen, scratch, nv, sizeof(int)));
    DP_TRY(dp_arena_take(&at.place, scratch, nv, sizeof(int)));
    reach_graph g;
    DP_TRY(order(&d, &g, p, &at, scratch));
    DP_TRY(plan_reach(&d, p, &at, scratch));
    find_twins(&d, p, at.seen);
    number_kinds(&d);
    d.is_short = 2 * d.reach.C_start[nblock] <= 2 * p->G_start[nblock] + p->Mt_start[p->nv];
    for (int o = 0; o < p->nblock; ++o) {
        d.is_short = d.is_short && d.twin[o] < 0; // twins have no C
    }
    list_couplings(&d, p, &g, &at, NULL);
    DP_TRY(dp_arena_take(&d.coupling, scratch, (size_t)d.coupling_start[p->nblock],
                         sizeof *d.coupling));
    list_couplings(&d, p, &g, &at, d.coupling);
    const size_t nW = lay_out(&d, &g, first, start);
    DP_TRY(dp_arena_take(&d.W, scratch, nW, sizeof *d.W));
    if (nW > 0) {
        memset(d.W, 0, nW * sizeof *d.W); // where nothing couples it stays so
    }
    *out = d;
    return DP_OK;
}
