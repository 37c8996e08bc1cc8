#include "solve/delassus.h"

#include <math.h>
#include <string.h>

// Which roots of the forest the blocks reach, both ways round. Couplings are in lists by block
// and by root.
typedef struct reach_graph {
    int *root;       // nv: the root below each velocity
    int *root_start; // nblock+1
    int *roots;      // of each block
    int *user_start; // nv+1
    int *users;      // blocks of each root
} reach_graph;

// The velocities from the columns of each block down to their roots, and B over them.
typedef struct reach {
    size_t *start; // nblock+1, in the order of blocks
    int *velocity; // descending
    size_t *B_start;
    double *B; // by velocity, then row of the block
} reach;

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
    const size_t nB = smaller(nrow * nv, max->nG * depth);
    size_t bytes = dp_arena_bytes(max->nMt, sizeof(double));        // LD
    bytes += 2 * dp_arena_bytes(nrow, sizeof(int));                 // row, first
    bytes += 4 * dp_arena_bytes(nblock, sizeof(int));               // block, spare, queue, stamp
    bytes += 2 * dp_arena_bytes(nblock + 1, sizeof(int));           // place_start, root_start
    bytes += 4 * dp_arena_bytes(nv, sizeof(int));                   // root, seen, place, mark
    bytes += 2 * dp_arena_bytes(max->ncol, sizeof(int));            // roots, users
    bytes += dp_arena_bytes(nv + 1, sizeof(int));                   // user_start
    bytes += dp_arena_bytes(nrow + 1, sizeof(size_t));              // start
    bytes += 2 * dp_arena_bytes(nblock + 1, sizeof(size_t));        // reach: start, B_start
    bytes += dp_arena_bytes(nreach, sizeof(int));                   // reach: velocity
    bytes += dp_arena_bytes(nB, sizeof(double));                    // reach: B
    bytes += dp_arena_bytes(nrow * (nrow + 1) / 2, sizeof(double)); // W
    return bytes;
}

static int block_rows(const dp_step_problem *p, int block)
{
    return p->row_start[block + 1] - p->row_start[block];
}

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
static int visit(int *queue, const reach_graph *g, int from, int *seen, int *stamp, int round)
{
    int count = 1;
    queue[0] = from;
    stamp[from] = round;
    for (int head = 0; head < count; ++head) {
        const int b = queue[head];
        for (int k = g->root_start[b]; k < g->root_start[b + 1]; ++k) {
            const int root = g->roots[k];
            if (seen[root] == round) {
                continue;
            }
            seen[root] = round;
            for (int m = g->user_start[root]; m < g->user_start[root + 1]; ++m) {
                if (stamp[g->users[m]] != round) {
                    stamp[g->users[m]] = round;
                    queue[count++] = g->users[m];
                }
            }
        }
    }
    return count;
}

// Blocks in reversed breadth-first order, each connected part from one of its ends.
static void order_blocks(int *block, const dp_step_problem *p, const reach_graph *g, int *seen,
                         int *stamp, int *queue)
{
    for (int i = 0; i < p->nv; ++i) {
        seen[i] = 0;
    }
    for (int b = 0; b < p->nblock; ++b) {
        stamp[b] = 0;
    }
    int done = 0;
    for (int b = 0; b < p->nblock; ++b) {
        if (stamp[b] == 0) {
            const int count = visit(queue, g, b, seen, stamp, 1);
            visit(queue, g, queue[count - 1], seen, stamp, 2);
            for (int k = 0; k < count; ++k) {
                block[done + k] = queue[count - 1 - k];
            }
            done += count;
        }
    }
}

// The velocities from the columns of a block down to the roots, descending. @return how many
static int collect_reach(int *velocity, const dp_step_problem *p, int b, int *mark)
{
    int count = 0;
    for (int k = p->col_start[b + 1] - 1; k >= p->col_start[b]; --k) {
        for (int i = p->col[k]; i >= 0 && mark[i] != b; i = p->parent[i]) {
            mark[i] = b;
            int at = count++;
            for (; at > 0 && velocity[at - 1] < i; --at) { // mostly in place already
                velocity[at] = velocity[at - 1];
            }
            velocity[at] = i;
        }
    }
    return count;
}

// Rows of D^(−1/2) L⁻ᵀ Gᵀ of block b over its reach. place: where each velocity of it stands.
static void fill_B(double *B, const dp_delassus *d, const dp_step_problem *p, int b,
                   const int *velocity, int count, const int *place)
{
    const int nrow = block_rows(p, b), ncol = p->col_start[b + 1] - p->col_start[b];
    const double *G = p->G + p->G_start[b];
    memset(B, 0, (size_t)count * (size_t)nrow * sizeof *B);
    for (int r = 0; r < nrow; ++r) {
        for (int k = 0; k < ncol; ++k) {
            B[place[p->col[p->col_start[b] + k]] * nrow + r] = *G++;
        }
    }
    for (int k = 0; k < count; ++k) {
        const int i = velocity[k];
        const double *L = d->LD + d->tree.start[i];
        const int depth = (int)(d->tree.start[i + 1] - d->tree.start[i]);
        double *x = B + (ptrdiff_t)k * nrow;
        // Where no other branch comes in between, the way to the root is the rest of the reach.
        const bool straight = depth == count - k;
        if (straight && nrow == 1) {
            const double pivot = *x;
            for (int n = 1; n < depth; ++n) {
                x[n] -= L[n] * pivot;
            }
        } else {
            for (int n = 1, j = d->tree.parent[i]; n < depth; ++n, j = d->tree.parent[j]) {
                double *y = B + (ptrdiff_t)(straight ? k + n : place[j]) * nrow;
                for (int r = 0; r < nrow; ++r) {
                    y[r] -= L[n] * x[r];
                }
            }
        }
        const double scale = 1.0 / sqrt(L[0]);
        for (int r = 0; r < nrow; ++r) {
            x[r] *= scale;
        }
    }
}

// W of the blocks o and q ≤ o. place: where a velocity stands in the reach of o, −1: not there.
static void couple(dp_delassus *d, const dp_step_problem *p, const reach *r, int o, int q,
                   const int *place)
{
    const int rows_o = block_rows(p, d->block[o]), rows_q = block_rows(p, d->block[q]);
    const double *B_o = r->B + r->B_start[o], *B_q = r->B + r->B_start[q];
    const int i = d->place_start[o];
    double *W = d->W + d->at.start[i] + (d->place_start[q] - d->at.first[i]);
    size_t k = r->start[q]; // the first velocity that both reach
    while (k < r->start[q + 1] && place[r->velocity[k]] < 0) {
        ++k;
    }
    const size_t left = r->start[q + 1] - k;
    if (left == 0) {
        return;
    }
    const int first = r->velocity[k], at_first = place[first];
    const size_t depth = d->tree.start[first + 1] - d->tree.start[first];
    const size_t left_o = r->start[o + 1] - r->start[o] - (size_t)at_first;
    B_o += (ptrdiff_t)at_first * rows_o;
    B_q += (ptrdiff_t)(k - r->start[q]) * rows_q;
    if (rows_o == 1 && rows_q == 1 && left == depth && left_o == depth) {
        // Limits and drives, of which there may be many: from here on both go one way to the root.
        double even = 0.0, odd = 0.0;
        for (size_t n = 0; n + 1 < depth; n += 2) {
            even += B_o[n] * B_q[n];
            odd += B_o[n + 1] * B_q[n + 1];
        }
        *W = depth % 2 == 1 ? even + odd + B_o[depth - 1] * B_q[depth - 1] : even + odd;
        return;
    }
    for (; k < r->start[q + 1]; ++k, B_q += rows_q) {
        const int at = place[r->velocity[k]] - at_first;
        if (at < 0) {
            continue;
        }
        const double *b_o = B_o + (ptrdiff_t)at * rows_o;
        double *row = W;
        for (int m = 0; m < rows_o; ++m) {
            const int upto = o == q ? m + 1 : rows_q;
            for (int n = 0; n < upto; ++n) {
                row[n] += b_o[m] * B_q[n];
            }
            row += i + m + 1 - d->at.first[i + m]; // to the next row of the envelope
        }
    }
}

static dp_status factor_mass(dp_delassus *d, const dp_step_problem *p, dp_arena *scratch)
{
    d->tree = (dp_branch){p->nv, p->parent, p->Mt_start};
    const size_t nMt = p->Mt_start[p->nv];
    DP_TRY(dp_arena_take(&d->LD, scratch, nMt, sizeof *d->LD));
    if (nMt > 0) {
        memcpy(d->LD, p->Mt, nMt * sizeof *d->LD);
    }
    const int bad = dp_branch_factor(d->LD, d->tree);
    if (bad >= 0) {
        return dp_fail(DP_ERROR_NUMERIC,
                       "step problem: M̃ has the pivot %g at velocity %d (expected > 0)",
                       d->LD[p->Mt_start[bad]], bad);
    }
    d->least_pivot = 1.0;
    for (int i = 0; i < p->nv; ++i) {
        const double pivot = d->LD[p->Mt_start[i]] / p->Mt[p->Mt_start[i]];
        d->least_pivot = pivot < d->least_pivot ? pivot : d->least_pivot;
    }
    return DP_OK;
}

static dp_status order(dp_delassus *d, reach_graph *g, const dp_step_problem *p, int *seen,
                       int *stamp, dp_arena *scratch)
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
    find_roots(g, p, seen);
    list_users(g, p, NULL, next);
    order_blocks(d->block, p, g, seen, stamp, queue);
    list_users(g, p, d->block, next); // from here on blocks are known by their place in order

    d->place_start[0] = 0;
    for (int o = 0; o < p->nblock; ++o) {
        const int rows = block_rows(p, d->block[o]);
        d->place_start[o + 1] = d->place_start[o] + rows;
        for (int m = 0; m < rows; ++m) {
            d->row[d->place_start[o] + m] = p->row_start[d->block[o]] + m;
        }
    }
    return DP_OK;
}

static dp_status make_reach(reach *r, const dp_delassus *d, const dp_step_problem *p, int *mark,
                            int *place, dp_arena *scratch)
{
    const size_t nblock = (size_t)p->nblock;
    DP_TRY(dp_arena_take(&r->start, scratch, nblock + 1, sizeof *r->start));
    DP_TRY(dp_arena_take(&r->B_start, scratch, nblock + 1, sizeof *r->B_start));
    size_t nreach = 0, nB = 0;
    for (int i = 0; i < p->nv; ++i) {
        mark[i] = -1;
    }
    for (int o = 0; o < p->nblock; ++o) { // count
        const int b = d->block[o];
        size_t count = 0;
        for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
            for (int i = p->col[k]; i >= 0 && mark[i] != b; i = p->parent[i]) {
                mark[i] = b;
                ++count;
            }
        }
        r->start[o] = nreach;
        r->B_start[o] = nB;
        nreach += count;
        nB += count * (size_t)block_rows(p, b);
    }
    r->start[nblock] = nreach;
    r->B_start[nblock] = nB;
    DP_TRY(dp_arena_take(&r->velocity, scratch, nreach, sizeof *r->velocity));
    DP_TRY(dp_arena_take(&r->B, scratch, nB, sizeof *r->B));
    for (int i = 0; i < p->nv; ++i) {
        mark[i] = -1;
    }
    for (int o = 0; o < p->nblock; ++o) {
        int *velocity = r->velocity + r->start[o];
        const int count = collect_reach(velocity, p, d->block[o], mark);
        for (int k = 0; k < count; ++k) {
            place[velocity[k]] = k;
        }
        fill_B(r->B + r->B_start[o], d, p, d->block[o], velocity, count, place);
    }
    return DP_OK;
}

// The first place that the rows of each block couple with. @return elements of W
static size_t lay_out(dp_delassus *d, const reach_graph *g, int *first, size_t *start)
{
    for (int o = 0; o < d->nblock; ++o) {
        const int b = d->block[o];
        int lowest = o;
        for (int k = g->root_start[b]; k < g->root_start[b + 1]; ++k) {
            const int user = g->users[g->user_start[g->roots[k]]];
            lowest = user < lowest ? user : lowest;
        }
        for (int i = d->place_start[o]; i < d->place_start[o + 1]; ++i) {
            first[i] = d->place_start[lowest];
        }
    }
    d->at = (dp_envelope){d->nrow, first, start};
    return dp_envelope_layout(start, d->nrow, first);
}

// The one velocity that moves the one row of a block; −1: there are more.
static int single_velocity(const dp_step_problem *p, int b)
{
    const bool single = block_rows(p, b) == 1 && p->col_start[b + 1] - p->col_start[b] == 1;
    return single && p->G[p->G_start[b]] != 0.0 ? p->col[p->col_start[b]] : -1;
}

// W of a row at place i that is `ratio` times the row at place j < i: friction, limit and drive of
// one joint. Both have the same first place.
static void repeat_row(dp_delassus *d, int i, int j, double ratio)
{
    const int first = d->at.first[i];
    double *W = d->W + d->at.start[i] - first;
    const double *W_j = d->W + d->at.start[j] - first;
    for (int k = first; k <= j; ++k) {
        W[k] = ratio * W_j[k];
    }
    for (int k = j + 1; k < i; ++k) {
        const int first_k = d->at.first[k];
        W[k] = first_k <= j ? ratio * d->W[d->at.start[k] + (size_t)(j - first_k)] : 0.0;
    }
    W[i] = ratio * ratio * W_j[j];
}

// @param twin nv: scratch
static void fill_W(dp_delassus *d, const dp_step_problem *p, const reach_graph *g, const reach *r,
                   int *place, int *stamp, int *twin)
{
    for (int i = 0; i < p->nv; ++i) {
        place[i] = -1;
        twin[i] = -1; // the first block that this velocity alone moves
    }
    for (int o = 0; o < p->nblock; ++o) {
        stamp[o] = -1;
    }
    for (int o = 0; o < p->nblock; ++o) {
        const int b = d->block[o];
        const int alone = single_velocity(p, b);
        if (alone >= 0 && twin[alone] >= 0) {
            const int first = twin[alone];
            repeat_row(d, d->place_start[o], d->place_start[first],
                       p->G[p->G_start[b]] / p->G[p->G_start[d->block[first]]]);
            continue;
        }
        if (alone >= 0) {
            twin[alone] = o;
        }
        for (size_t k = r->start[o]; k < r->start[o + 1]; ++k) {
            place[r->velocity[k]] = (int)(k - r->start[o]);
        }
        for (int k = g->root_start[b]; k < g->root_start[b + 1]; ++k) {
            const int root = g->roots[k];
            for (int m = g->user_start[root]; m < g->user_start[root + 1]; ++m) {
                const int q = g->users[m];
                if (q > o) {
                    break;
                }
                if (stamp[q] != o) {
                    stamp[q] = o;
                    couple(d, p, r, o, q, place);
                }
            }
        }
        for (size_t k = r->start[o]; k < r->start[o + 1]; ++k) {
            place[r->velocity[k]] = -1;
        }
    }
}

dp_status dp_delassus_build(dp_delassus *out, const dp_step_problem *p, dp_arena *scratch)
{
    const size_t nv = (size_t)p->nv, nblock = (size_t)p->nblock, nrow = (size_t)p->nrow;
    dp_delassus d = {.nrow = p->nrow, .nblock = p->nblock};
    DP_TRY(factor_mass(&d, p, scratch));
    int *first, *stamp, *seen, *mark;
    size_t *start;
    DP_TRY(dp_arena_take(&d.row, scratch, nrow, sizeof(int)));
    DP_TRY(dp_arena_take(&d.block, scratch, nblock, sizeof(int)));
    DP_TRY(dp_arena_take(&d.place_start, scratch, nblock + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&first, scratch, nrow, sizeof(int)));
    DP_TRY(dp_arena_take(&start, scratch, nrow + 1, sizeof(size_t)));
    DP_TRY(dp_arena_take(&stamp, scratch, nblock, sizeof(int)));
    DP_TRY(dp_arena_take(&seen, scratch, nv, sizeof(int)));
    DP_TRY(dp_arena_take(&mark, scratch, nv, sizeof(int)));
    reach_graph g;
    DP_TRY(order(&d, &g, p, seen, stamp, scratch));
    reach r;
    DP_TRY(make_reach(&r, &d, p, mark, seen, scratch));
    const size_t nW = lay_out(&d, &g, first, start);
    DP_TRY(dp_arena_take(&d.W, scratch, nW, sizeof *d.W));
    if (nW > 0) {
        memset(d.W, 0, nW * sizeof *d.W);
    }
    fill_W(&d, p, &g, &r, seen, stamp, mark);
    *out = d;
    return DP_OK;
}
