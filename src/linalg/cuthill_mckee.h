// An order of the vertices of a graph in which neighbours are near each other, so that matrices
// over it have a small envelope: breadth first from an end [CuthillMcKee1969], reversed
// [GeorgeLiu1981, §4]. The graph is given by cliques: vertices with a clique in common are
// neighbours.
#ifndef DP_LINALG_CUTHILL_MCKEE_H
#define DP_LINALG_CUTHILL_MCKEE_H

#include <stddef.h>

typedef struct dp_clique_graph {
    int n, nclique;
    const int *start;  // n+1
    const int *clique; // of each vertex, every one once
} dp_clique_graph;

/// Numbers of scratch for a graph with so many entries in `clique`.
size_t dp_cuthill_mckee_scratch(size_t n, size_t nclique, size_t entries);

/// Each connected part one after the other, from one of its ends. @param order n
void dp_cuthill_mckee(int *order, const dp_clique_graph *g, int *scratch);

#endif
