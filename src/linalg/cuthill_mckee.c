#include "linalg/cuthill_mckee.h"

#include <string.h>

typedef struct search {
    const dp_clique_graph *g;
    int *start, *member; // nclique+1, by clique: its vertices
    int *seen_clique;    // nclique: the last round that met it
    int *seen;           // n
} search;

size_t dp_cuthill_mckee_scratch(size_t n, size_t nclique, size_t entries)
{
    return (nclique + 1) + entries + nclique + n;
}

static search begin(const dp_clique_graph *g, int *scratch)
{
    const int entries = g->start[g->n];
    search s = {.g = g, .start = scratch, .member = scratch + g->nclique + 1};
    s.seen_clique = s.member + entries;
    s.seen = s.seen_clique + g->nclique;
    memset(scratch, 0,
           dp_cuthill_mckee_scratch((size_t)g->n, (size_t)g->nclique, (size_t)entries) *
               sizeof *scratch);
    int *next = s.start + 1; // where the next member of a clique goes: in the end, where it ends
    for (int k = 0; k < entries; ++k) {
        ++next[g->clique[k]];
    }
    for (int c = 0, sum = 0; c < g->nclique; ++c) {
        const int members = next[c];
        next[c] = sum;
        sum += members;
    }
    for (int v = 0; v < g->n; ++v) {
        for (int k = g->start[v]; k < g->start[v + 1]; ++k) {
            s.member[next[g->clique[k]]++] = v;
        }
    }
    return s;
}

// Breadth first from `from`. @param round marks what was met in this search. @return how many
static int search_from(int from, int *queue, const search *s, int round)
{
    int count = 1;
    queue[0] = from;
    s->seen[from] = round;
    for (int head = 0; head < count; ++head) {
        for (int k = s->g->start[queue[head]]; k < s->g->start[queue[head] + 1]; ++k) {
            const int clique = s->g->clique[k];
            const int end = s->seen_clique[clique] == round ? 0 : s->start[clique + 1];
            for (int m = s->start[clique]; m < end; ++m) {
                if (s->seen[s->member[m]] != round) {
                    s->seen[s->member[m]] = round;
                    queue[count++] = s->member[m];
                }
            }
            s->seen_clique[clique] = round;
        }
    }
    return count;
}

static void reverse(int *x, int count)
{
    for (int low = 0, high = count - 1; low < high; ++low, --high) {
        const int swapped = x[low];
        x[low] = x[high];
        x[high] = swapped;
    }
}

void dp_cuthill_mckee(int *order, const dp_clique_graph *g, int *scratch)
{
    const search s = begin(g, scratch);
    for (int v = 0, done = 0; v < g->n; ++v) {
        if (s.seen[v] == 0) {
            int *queue = order + done;
            const int count = search_from(v, queue, &s, 1);
            search_from(queue[count - 1], queue, &s, 2); // the last one met is at an end
            reverse(queue, count);
            done += count;
        }
    }
}
