// Least degree on a quotient graph. What is not yet eliminated is a variable; it is next to other
// variables and to elements, the traces of what was. Eliminating p makes an element of all that p
// is next to, L_p, which is the pattern of its column; the elements that p was next to lie in L_p
// and vanish. A variable gains one element then and loses at least one neighbour, so lists never
// grow beyond the room they began with. Degrees are those of [AmestoyDavisDuff1996]: an upper bound
// by what the elements beside a variable have outside of the newest. One that has nothing there
// vanishes, too.
#include "linalg/min_degree.h"

#include <string.h>

static void link_degree(dp_block_graph *g, int i)
{
    const int d = g->degree[i];
    g->previous[i] = -1;
    g->next[i] = g->head[d];
    if (g->head[d] >= 0) {
        g->previous[g->head[d]] = i;
    }
    g->head[d] = i;
}

static void unlink_degree(dp_block_graph *g, int i)
{
    if (g->previous[i] >= 0) {
        g->next[g->previous[i]] = g->next[i];
    } else {
        g->head[g->degree[i]] = g->next[i];
    }
    if (g->next[i] >= 0) {
        g->previous[g->next[i]] = g->previous[i];
    }
}

// ---- neighbours

static dp_status take_lists(dp_block_graph *g, dp_arena *arena)
{
    const size_t nodes = (size_t)g->n;
    int **of_node[] = {&g->elements, &g->variables, &g->members, &g->column,
                       &g->degree,   &g->head,      &g->next,    &g->previous,
                       &g->mark,     &g->place,     &g->seen,    &g->outside};
    for (size_t k = 0; k < sizeof of_node / sizeof *of_node; ++k) {
        DP_TRY(dp_arena_take(of_node[k], arena, nodes, sizeof(int)));
    }
    DP_TRY(dp_arena_take(&g->member, arena, nodes, sizeof *g->member));
    DP_TRY(dp_arena_take(&g->pattern, arena, nodes, sizeof *g->pattern));
    DP_TRY(dp_arena_take(&g->begin, arena, nodes + 1, sizeof(int)));
    DP_TRY(dp_arena_take(&g->in_start, arena, nodes + 1, sizeof(int)));
    return dp_arena_take(&g->in, arena, (size_t)g->clique_start[g->nclique], sizeof(int));
}

static void list_cliques(dp_block_graph *g)
{
    const int *start = g->clique_start, *node = g->clique_node;
    int *fill = g->next; // not yet in use
    memset(g->in_start, 0, ((size_t)g->n + 1) * sizeof(int));
    for (int k = 0; k < start[g->nclique]; ++k) {
        ++g->in_start[node[k] + 1];
    }
    for (int i = 0; i < g->n; ++i) {
        g->in_start[i + 1] += g->in_start[i];
        fill[i] = g->in_start[i];
    }
    for (int c = 0; c < g->nclique; ++c) {
        for (int k = start[c]; k < start[c + 1]; ++k) {
            g->in[fill[node[k]]++] = c;
        }
    }
}

// Each neighbour of node i once. @param out NULL: only count @return how many
static int list_neighbours(dp_block_graph *g, int i, const bool *used, int *out)
{
    int count = 0;
    g->mark[i] = ++g->stamp;
    for (int k = g->in_start[i]; k < g->in_start[i + 1]; ++k) {
        const int c = g->in[k];
        for (int m = g->clique_start[c]; (!used || used[c]) && m < g->clique_start[c + 1]; ++m) {
            const int j = g->clique_node[m];
            if (g->mark[j] != g->stamp) {
                g->mark[j] = g->stamp;
                if (out) {
                    out[count] = j;
                }
                ++count;
            }
        }
    }
    return count;
}

dp_status dp_block_graph_begin(dp_block_graph *g, int n, int nclique, const int *clique_start,
                               const int *clique_node, dp_arena *arena)
{
    *g = (dp_block_graph){
        .n = n, .nclique = nclique, .clique_start = clique_start, .clique_node = clique_node};
    DP_TRY(take_lists(g, arena));
    memset(g->mark, 0, (size_t)n * sizeof *g->mark);
    list_cliques(g);
    g->begin[0] = 0;
    for (int i = 0; i < n; ++i) {
        g->begin[i + 1] = g->begin[i] + list_neighbours(g, i, NULL, NULL);
    }
    DP_TRY(dp_arena_take(&g->list, arena, (size_t)g->begin[n], sizeof(int)));
    DP_TRY(dp_block_graph_order(g, NULL, arena));
    return dp_arena_take(&g->pool, arena, g->room, sizeof(int));
}

// ---- elimination

// Room for the members of an element. @param arena NULL: of the pool
static dp_status take_members(int **out, dp_block_graph *g, size_t count, dp_arena *arena)
{
    if (arena) {
        g->room += count;
        return dp_arena_take(out, arena, count, sizeof(int));
    }
    if (g->taken + count > g->room) {
        return DP_ERROR_CAPACITY;
    }
    *out = g->pool + g->taken;
    g->taken += count;
    return DP_OK;
}

// The members of the element that p becomes.
static dp_status make_element(dp_block_graph *g, int p, dp_arena *arena)
{
    const int *list = g->list + g->begin[p];
    size_t most = (size_t)g->variables[p];
    for (int k = 0; k < g->elements[p]; ++k) {
        most += (size_t)g->members[list[k]];
    }
    most = most < (size_t)g->n ? most : (size_t)g->n;
    int *member, count = 0;
    DP_TRY(take_members(&member, g, most, arena));
    g->mark[p] = ++g->stamp;
    for (int k = 0; k < g->elements[p]; ++k) {
        const int e = list[k];
        for (int m = 0; m < g->members[e]; ++m) {
            const int j = g->member[e][m];
            if (g->mark[j] != g->stamp) {
                g->mark[j] = g->stamp;
                member[count++] = j;
            }
        }
        g->member[e] = NULL;
    }
    for (int k = g->elements[p]; k < g->elements[p] + g->variables[p]; ++k) {
        const int j = list[k];
        if (g->mark[j] != g->stamp && g->degree[j] >= 0) {
            g->mark[j] = g->stamp;
            member[count++] = j;
        }
    }
    g->member[p] = g->pattern[p] = member;
    g->members[p] = g->column[p] = count;
    return DP_OK;
}

// How many members each element beside p has outside of it.
static void look_outside(dp_block_graph *g, int p)
{
    for (int m = 0; m < g->members[p]; ++m) {
        const int i = g->member[p][m], *list = g->list + g->begin[i];
        for (int k = 0; k < g->elements[i]; ++k) {
            const int e = list[k];
            if (g->seen[e] != g->stamp) {
                g->seen[e] = g->stamp;
                g->outside[e] = g->members[e];
            }
            --g->outside[e];
        }
    }
}

// Variable i is next to element p now: what lies within p need not be listed any more. Members of p
// carry the present mark.
static void meet_element(dp_block_graph *g, int i, int p)
{
    int *list = g->list + g->begin[i];
    const int elements = g->elements[i], variables = g->variables[i];
    int *kept = list, degree = g->members[p] - 1;
    // The lists are packed in place; p takes the room of whatever went, see above.
    int buffer_element = p, written = 0;
    for (int k = 0; k < elements; ++k) {
        const int e = list[k];
        if (g->member[e] && g->outside[e] > 0) {
            degree += g->outside[e];
            const int keep = buffer_element;
            buffer_element = e;
            kept[written++] = keep;
        }
    }
    int nvariable = 0;
    const int *variable = list + elements;
    int held = buffer_element; // still to be written
    for (int k = 0; k < variables; ++k) {
        const int j = variable[k];
        if (g->mark[j] != g->stamp && g->degree[j] >= 0) {
            kept[written + nvariable] = held;
            held = j;
            ++nvariable;
            ++degree;
        }
    }
    kept[written + nvariable] = held;
    g->elements[i] = written + 1;
    g->variables[i] = nvariable;
    unlink_degree(g, i);
    g->degree[i] = degree < g->n ? degree : g->n - 1;
    link_degree(g, i);
}

static void begin_degrees(dp_block_graph *g, const bool *used)
{
    for (int i = 0; i < g->n; ++i) {
        g->variables[i] = list_neighbours(g, i, used, g->list + g->begin[i]);
        g->elements[i] = 0;
        g->member[i] = NULL;
        g->head[i] = -1;
    }
    for (int i = g->n - 1; i >= 0; --i) { // the lowest number of a degree comes first
        g->degree[i] = g->variables[i];
        link_degree(g, i);
    }
}

dp_status dp_block_graph_order(dp_block_graph *g, const bool *used, dp_arena *arena)
{
    memset(g->mark, 0, (size_t)g->n * sizeof *g->mark);
    memset(g->seen, 0, (size_t)g->n * sizeof *g->seen);
    g->stamp = 0;
    g->taken = 0;
    begin_degrees(g, used);
    int least = 0;
    for (int at = 0; at < g->n; ++at) {
        while (g->head[least] < 0) {
            ++least;
        }
        const int p = g->head[least];
        unlink_degree(g, p);
        DP_TRY(make_element(g, p, arena));
        g->degree[p] = -1;
        g->place[p] = at;
        look_outside(g, p);
        for (int m = 0; m < g->members[p]; ++m) {
            meet_element(g, g->member[p][m], p);
            const int d = g->degree[g->member[p][m]];
            least = d < least ? d : least;
        }
    }
    return DP_OK;
}
