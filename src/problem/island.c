#include "problem/island.h"

#include "base/union_find.h"

#include <string.h>

// The arrays that the islands share: those of one island follow those of the one before.
typedef struct shared_arrays {
    int *tree_start, *parent, *row_start, *col_start, *col;
    size_t *Mt_start, *G_start;
    double *Mt, *v0, *v_free, *G;
    uint64_t *id;
    dp_row *row;
    int *v_of, *row_of, *block_of, *friction_of;
} shared_arrays;

typedef struct splitter {
    const dp_step_problem *p;
    int *tree_of;         // nv
    int *lowest;          // ntree: a tree of the same island, the lowest at the end of the way
    int *island_of;       // ntree: −1 for trees without blocks
    int *local;           // nv: number of a velocity within its island
    dp_step_size *begin;  // of each island: where its part of the arrays begins
    dp_step_size *filled; // how much of it is written
    shared_arrays to;
} splitter;

static int most_islands(int ntree, int nblock)
{
    const int most = ntree < nblock ? ntree : nblock;
    return most > 1 ? most : 1;
}

typedef struct piece {
    void *out;
    size_t count, size;
} piece;

static dp_status take(size_t *bytes, const piece *list, size_t n, dp_arena *scratch)
{
    for (size_t i = 0; i < n; ++i) {
        *bytes += dp_arena_bytes(list[i].count, list[i].size);
        if (scratch) {
            DP_TRY(dp_arena_take(list[i].out, scratch, list[i].count, list[i].size));
        }
    }
    return DP_OK;
}

// What it takes to find the islands, only measured where the arena is NULL: one list for both, so
// that they cannot differ.
static dp_status take_first(size_t *bytes, splitter *s, dp_islands *out, const dp_step_size *size,
                            int count, dp_arena *scratch)
{
    const size_t n = (size_t)count, nv = (size_t)size->nv, ntree = (size_t)size->ntree;
    const piece first[] = {
        {&s->tree_of, nv, sizeof *s->tree_of},
        {&s->lowest, ntree, sizeof *s->lowest},
        {&s->island_of, ntree, sizeof *s->island_of},
        {&out->island, n, sizeof *out->island},
        {&out->v_start, n + 1, sizeof *out->v_start},
        {&out->row_start, n + 1, sizeof *out->row_start},
        {&out->block_start, n, sizeof *out->block_start},
        {&s->to.v_of, nv, sizeof *s->to.v_of},
        {&s->to.row_of, (size_t)size->nrow, sizeof *s->to.row_of},
    };
    return take(bytes, first, sizeof first / sizeof *first, scratch);
}

// What it takes to part them, where there are several.
static dp_status take_rest(size_t *bytes, splitter *s, const dp_step_size *size, int count,
                           dp_arena *scratch)
{
    const size_t n = (size_t)count, nv = (size_t)size->nv, ntree = (size_t)size->ntree;
    const size_t nblock = (size_t)size->nblock, nrow = (size_t)size->nrow;
    shared_arrays *to = &s->to;
    const piece rest[] = {
        {&s->local, nv, sizeof *s->local},
        {&s->begin, n, sizeof *s->begin},
        {&s->filled, n, sizeof *s->filled},
        {&to->tree_start, ntree + n, sizeof *to->tree_start},
        {&to->parent, nv, sizeof *to->parent},
        {&to->Mt_start, nv + n, sizeof *to->Mt_start},
        {&to->Mt, size->nMt, sizeof *to->Mt},
        {&to->v0, nv, sizeof *to->v0},
        {&to->v_free, nv, sizeof *to->v_free},
        {&to->row_start, nblock + n, sizeof *to->row_start},
        {&to->id, nblock, sizeof *to->id},
        {&to->col_start, nblock + n, sizeof *to->col_start},
        {&to->col, size->ncol, sizeof *to->col},
        {&to->G_start, nblock + n, sizeof *to->G_start},
        {&to->G, size->nG, sizeof *to->G},
        {&to->row, nrow, sizeof *to->row},
        {&to->block_of, nblock, sizeof *to->block_of},
        {&to->friction_of, nblock, sizeof *to->friction_of},
    };
    return take(bytes, rest, sizeof rest / sizeof *rest, scratch);
}

size_t dp_islands_memory(const dp_step_size *max)
{
    size_t bytes = 0;
    splitter s;
    dp_islands islands;
    const int most = most_islands(max->ntree, max->nblock);
    (void)take_first(&bytes, &s, &islands, max, most, NULL);
    (void)take_rest(&bytes, &s, max, most, NULL);
    return bytes;
}

// The tree by which a block finds its island. A block without columns moves nothing and may stand
// anywhere: it stands with the first.
static int tree_of_block(const splitter *s, int block)
{
    const int begin = s->p->col_start[block];
    return begin < s->p->col_start[block + 1] ? s->tree_of[s->p->col[begin]] : 0;
}

static void join_trees(splitter *s)
{
    const dp_step_problem *p = s->p;
    for (int t = 0; t < p->ntree; ++t) {
        s->lowest[t] = t;
        s->island_of[t] = -1;
        for (int j = p->tree_start[t]; j < p->tree_start[t + 1]; ++j) {
            s->tree_of[j] = t;
        }
    }
    for (int block = 0; block < p->nblock; ++block) {
        int last = tree_of_block(s, block);
        for (int c = p->col_start[block]; c < p->col_start[block + 1]; ++c) {
            const int tree = s->tree_of[p->col[c]];
            if (tree != last) { // columns of one tree stand together
                dp_union_join(s->lowest, last, tree);
                last = tree;
            }
        }
    }
}

// Number the islands by their lowest trees. @return how many; *covered is the number of their trees
static int number_islands(int *covered, splitter *s)
{
    const dp_step_problem *p = s->p;
    for (int block = 0; block < p->nblock; ++block) {
        s->island_of[dp_union_lowest(s->lowest, tree_of_block(s, block))] = 0; // there is one
    }
    int count = 0;
    *covered = 0;
    for (int t = 0; t < p->ntree; ++t) {
        const int first = dp_union_lowest(s->lowest, t);
        if (first == t && s->island_of[t] == 0) {
            s->island_of[t] = count++;
        } else if (first < t) {
            s->island_of[t] = s->island_of[first];
        }
        *covered += s->island_of[t] >= 0;
    }
    return count;
}

static void add_block_size(dp_step_size *size, const dp_step_problem *p, int block)
{
    size->nblock += 1;
    size->nrow += p->row_start[block + 1] - p->row_start[block];
    size->ncol += (size_t)(p->col_start[block + 1] - p->col_start[block]);
    size->nG += p->G_start[block + 1] - p->G_start[block];
}

static void add_tree_size(dp_step_size *size, const dp_step_problem *p, int tree)
{
    const int begin = p->tree_start[tree], end = p->tree_start[tree + 1];
    size->ntree += 1;
    size->nv += end - begin;
    size->nMt += p->Mt_start[end] - p->Mt_start[begin];
}

static void lay_out(splitter *s, int count)
{
    const dp_step_problem *p = s->p;
    memset(s->filled, 0, (size_t)count * sizeof *s->filled);
    for (int t = 0; t < p->ntree; ++t) {
        if (s->island_of[t] >= 0) {
            add_tree_size(&s->filled[s->island_of[t]], p, t);
        }
    }
    for (int block = 0; block < p->nblock; ++block) {
        add_block_size(&s->filled[s->island_of[tree_of_block(s, block)]], p, block);
    }
    dp_step_size at = {0};
    for (int i = 0; i < count; ++i) {
        const dp_step_size size = s->filled[i];
        s->begin[i] = at;
        s->filled[i] = (dp_step_size){0};
        at.nv += size.nv;
        at.ntree += size.ntree;
        at.nblock += size.nblock;
        at.nrow += size.nrow;
        at.nMt += size.nMt;
        at.ncol += size.ncol;
        at.nG += size.nG;
    }
}

static void place_tree(splitter *s, int tree)
{
    const dp_step_problem *p = s->p;
    const int i = s->island_of[tree];
    const dp_step_size begin = s->begin[i];
    dp_step_size *filled = &s->filled[i];
    const int first = p->tree_start[tree], shift = filled->nv - first;
    s->to.tree_start[begin.ntree + i + filled->ntree] = filled->nv;
    for (int j = first; j < p->tree_start[tree + 1]; ++j) {
        const int to = begin.nv + j + shift;
        s->local[j] = j + shift;
        s->to.v_of[to] = j;
        s->to.parent[to] = p->parent[j] < 0 ? -1 : p->parent[j] + shift;
        s->to.Mt_start[to + i] = filled->nMt + (p->Mt_start[j] - p->Mt_start[first]);
    }
    add_tree_size(filled, p, tree);
}

static void place_block(splitter *s, int block)
{
    const dp_step_problem *p = s->p;
    const int i = s->island_of[tree_of_block(s, block)];
    const dp_step_size begin = s->begin[i];
    dp_step_size *filled = &s->filled[i];
    const int place = begin.nblock + i + filled->nblock;
    s->to.row_start[place] = filled->nrow;
    s->to.col_start[place] = (int)filled->ncol;
    s->to.G_start[place] = filled->nG;
    s->to.block_of[begin.nblock + filled->nblock] = block;
    s->to.friction_of[begin.nblock + filled->nblock] = p->friction_of ? p->friction_of[block] : -1;
    int to = begin.nrow + filled->nrow;
    for (int r = p->row_start[block]; r < p->row_start[block + 1]; ++r, ++to) {
        s->to.row_of[to] = r;
    }
    int *col = s->to.col + begin.ncol + filled->ncol;
    for (int c = p->col_start[block]; c < p->col_start[block + 1]; ++c) {
        *col++ = s->local[p->col[c]];
    }
    add_block_size(filled, p, block);
}

// Island i, whose arrays are filled but for the ends of their starts.
static dp_step_problem island_view(splitter *s, int i)
{
    const dp_step_size begin = s->begin[i], size = s->filled[i];
    shared_arrays *to = &s->to;
    int *tree_start = to->tree_start + begin.ntree + i;
    size_t *Mt_start = to->Mt_start + begin.nv + i;
    int *row_start = to->row_start + begin.nblock + i;
    int *col_start = to->col_start + begin.nblock + i;
    size_t *G_start = to->G_start + begin.nblock + i;
    tree_start[size.ntree] = size.nv;
    Mt_start[size.nv] = size.nMt;
    row_start[size.nblock] = size.nrow;
    col_start[size.nblock] = (int)size.ncol;
    G_start[size.nblock] = size.nG;
    return (dp_step_problem){
        .h = s->p->h,
        .nv = size.nv,
        .ntree = size.ntree,
        .tree_start = tree_start,
        .parent = to->parent + begin.nv,
        .Mt_start = Mt_start,
        .Mt = to->Mt + begin.nMt,
        .v0 = to->v0 + begin.nv,
        .v_free = to->v_free + begin.nv,
        .nblock = size.nblock,
        .nrow = size.nrow,
        .row_start = row_start,
        .id = to->id + begin.nblock,
        .col_start = col_start,
        .col = to->col + begin.ncol,
        .G_start = G_start,
        .G = to->G + begin.nG,
        .row = to->row + begin.nrow,
        .nfriction = s->p->nfriction,
        .friction_of = s->p->friction_of ? to->friction_of + begin.nblock : NULL,
        .friction = s->p->friction,
        .normal = s->p->normal,
    };
}

static void keep_whole(dp_islands *out, splitter *s)
{
    for (int j = 0; j < s->p->nv; ++j) {
        s->to.v_of[j] = j;
    }
    for (int r = 0; r < s->p->nrow; ++r) {
        s->to.row_of[r] = r;
    }
    out->v_start[0] = out->row_start[0] = 0;
    out->v_start[1] = s->p->nv;
    out->row_start[1] = s->p->nrow;
    out->count = 1;
    out->island[0] = *s->p;
}

dp_status dp_islands_split(dp_islands *out, const dp_step_problem *p, dp_arena *scratch)
{
    *out = (dp_islands){.count = 0};
    if (p->nblock == 0) {
        return DP_OK;
    }
    const dp_step_size size = {.nv = p->nv,
                               .ntree = p->ntree,
                               .nblock = p->nblock,
                               .nrow = p->nrow,
                               .nMt = p->Mt_start[p->nv],
                               .ncol = (size_t)p->col_start[p->nblock],
                               .nG = p->G_start[p->nblock]};
    splitter s = {.p = p};
    dp_islands islands = {.count = 0};
    size_t bytes = 0;
    const int most = most_islands(p->ntree, p->nblock);
    DP_TRY(take_first(&bytes, &s, &islands, &size, most, scratch));
    islands.v_of = s.to.v_of;
    islands.row_of = s.to.row_of;

    int covered = 0;
    join_trees(&s);
    const int count = p->ntree > 0 ? number_islands(&covered, &s) : 1;
    if (count == 1 && covered == p->ntree) {
        keep_whole(&islands, &s);
        *out = islands;
        return DP_OK;
    }
    DP_TRY(take_rest(&bytes, &s, &size, most, scratch));
    lay_out(&s, count);
    for (int t = 0; t < p->ntree; ++t) {
        if (s.island_of[t] >= 0) {
            place_tree(&s, t);
        }
    }
    for (int block = 0; block < p->nblock; ++block) {
        place_block(&s, block);
    }
    for (int i = 0; i < count; ++i) {
        islands.island[i] = island_view(&s, i);
        islands.v_start[i] = s.begin[i].nv;
        islands.row_start[i] = s.begin[i].nrow;
        islands.block_start[i] = s.begin[i].nblock;
    }
    islands.v_start[count] = s.begin[count - 1].nv + s.filled[count - 1].nv;
    islands.row_start[count] = s.begin[count - 1].nrow + s.filled[count - 1].nrow;
    islands.count = count;
    islands.Mt = s.to.Mt;
    islands.v0 = s.to.v0;
    islands.v_free = s.to.v_free;
    islands.G = s.to.G;
    islands.id = s.to.id;
    islands.row = s.to.row;
    islands.block_of = s.to.block_of;
    islands.friction_of = s.to.friction_of;
    *out = islands;
    dp_islands_reload(out, p);
    return DP_OK;
}

void dp_islands_reload(dp_islands *islands, const dp_step_problem *p)
{
    for (int i = 0; i < islands->count; ++i) {
        dp_islands_reload_one(islands, p, i);
    }
}

void dp_islands_reload_one(dp_islands *islands, const dp_step_problem *p, int i)
{
    dp_step_problem *island = &islands->island[i];
    if (!islands->row) {
        *island = *p;
        return;
    }
    double *Mt = islands->Mt + (island->Mt - islands->Mt);
    double *G = islands->G + (island->G - islands->G);
    for (int j = islands->v_start[i]; j < islands->v_start[i + 1]; ++j) {
        const int from = islands->v_of[j];
        islands->v0[j] = p->v0[from];
        islands->v_free[j] = p->v_free[from];
        const size_t count = p->Mt_start[from + 1] - p->Mt_start[from];
        memcpy(Mt, p->Mt + p->Mt_start[from], count * sizeof *Mt);
        Mt += count;
    }
    for (int r = islands->row_start[i]; r < islands->row_start[i + 1]; ++r) {
        islands->row[r] = p->row[islands->row_of[r]];
    }
    const int first = islands->block_start[i];
    for (int b = first; b < first + island->nblock; ++b) {
        const int from = islands->block_of[b];
        islands->id[b] = p->id[from];
        islands->friction_of[b] = p->friction_of ? p->friction_of[from] : -1;
        const size_t count = p->G_start[from + 1] - p->G_start[from];
        memcpy(G, p->G + p->G_start[from], count * sizeof *G);
        G += count;
    }
    island->h = p->h;
    island->nfriction = p->nfriction;
    island->friction = p->friction;
    island->normal = p->normal;
    island->friction_of = p->friction_of ? islands->friction_of + first : NULL;
}

void dp_islands_refresh_one(dp_islands *islands, const dp_step_problem *p, int i)
{
    if (!islands->row) { // no copy
        islands->island[i].v_free = p->v_free;
        islands->island[i].row = p->row;
        return;
    }
    for (int j = islands->v_start[i]; j < islands->v_start[i + 1]; ++j) {
        islands->v_free[j] = p->v_free[islands->v_of[j]];
    }
    for (int r = islands->row_start[i]; r < islands->row_start[i + 1]; ++r) {
        const dp_row *from = &p->row[islands->row_of[r]];
        islands->row[r].phi = from->phi;
        islands->row[r].phi_t = from->phi_t;
        islands->row[r].b_ref = from->b_ref;
    }
}

void dp_islands_scatter(dp_step_solution *out, const dp_islands *islands, int i,
                        const dp_step_solution *found)
{
    const int *v_of = islands->v_of + islands->v_start[i];
    for (int j = 0; j < islands->island[i].nv; ++j) {
        out->v[v_of[j]] = found->v[j];
    }
    const int *row_of = islands->row_of + islands->row_start[i];
    for (int r = 0; r < islands->island[i].nrow; ++r) {
        out->gamma[row_of[r]] = found->gamma[r];
        out->state[row_of[r]] = found->state[r];
    }
}
