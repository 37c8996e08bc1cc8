// An order in which to eliminate the nodes of a graph with little fill: by least degree
// [AmestoyDavisDuff1996]. The quotient graph gives order and pattern of the factor at once.
#ifndef DP_LINALG_BLOCK_ORDER_H
#define DP_LINALG_BLOCK_ORDER_H

#include "base/arena.h"

#include <stdbool.h>

/// A graph in which each of some cliques is full, and what eliminating its nodes leaves.
typedef struct dp_block_graph {
    int n, nclique;
    const int *clique_start, *clique_node; // borrowed
    int *in_start, *in;                    // cliques of each node
    // The result
    int *place;    // n: when each node is eliminated
    int *column;   // n: how many later ones it is next to then
    int **pattern; // n: which
    // Scratch
    int *begin;                  // n + 1: room of each variable in `list`
    int *list;                   // elements from the front, variables after them
    int *elements, *variables;   // n: how many of each
    int **member;                // n: variables of an element; NULL: no element (any more)
    int *members;                // n
    int *degree;                 // n; −1: eliminated
    int *head, *next, *previous; // n each: variables of equal degree
    int *mark, *seen;            // n
    int *outside;                // n: members of an element that the newest has not
    int stamp;
    int *pool; // of members
    size_t room, taken;
} dp_block_graph;

/// Order the whole graph, and keep room for orders of its parts. @return DP_ERROR_CAPACITY
DP_NODISCARD dp_status dp_block_graph_begin(dp_block_graph *g, int n, int nclique,
                                            const int *clique_start, const int *clique_node,
                                            dp_arena *arena);

/// Order the part of the graph that these cliques make. It follows from `used` alone.
/// @param used nclique; NULL: all @param arena NULL: take what is kept
/// @return DP_ERROR_CAPACITY where the part has far more fill than the whole, dp_last_error() aside
DP_NODISCARD dp_status dp_block_graph_order(dp_block_graph *g, const bool *used, dp_arena *arena);

#endif
