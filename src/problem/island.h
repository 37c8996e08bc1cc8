// Islands: parts of a step problem that have no row in common, so that each is solved alone. Nodes
// are trees, edges are blocks.
#ifndef DP_PROBLEM_ISLAND_H
#define DP_PROBLEM_ISLAND_H

#include "base/arena.h"

#include <dashpot/advanced/problem.h>

/// The islands of a problem in the order of their lowest trees, each a problem of its own whose
/// trees and blocks have the order of the whole. Trees without blocks belong to none: there
/// v = v_free. A single island with all trees is the problem itself, not a copy.
typedef struct dp_islands {
    int count;
    dp_step_problem *island;  // count
    int *v_start, *row_start; // count+1: where the islands begin in the maps below
    int *v_of, *row_of;       // velocities and rows of the whole, island by island
    // The numbers that the islands read, island by island; NULL: those of the whole
    double *Mt, *v0, *v_free, *G;
    uint64_t *id;
    dp_row *row;
    int *block_of;    // blocks of the whole, island by island
    int *block_start; // count: where the islands begin there
    int *friction_of; // which friction each of these blocks has
} dp_islands;

/// Bytes that dp_islands_split takes of an arena for any problem within `max`.
size_t dp_islands_memory(const dp_step_size *max);

/// @return DP_ERROR_CAPACITY
DP_NODISCARD dp_status dp_islands_split(dp_islands *out, const dp_step_problem *p,
                                        dp_arena *scratch);

/// Is there a single island with all trees? Then its velocities and rows are those of the whole.
static inline bool dp_islands_are_one(const dp_islands *islands)
{
    return islands->count == 1 && !islands->row;
}

/// Take all numbers anew from `p`, which has the structure of the problem that was split.
void dp_islands_reload(dp_islands *islands, const dp_step_problem *p);
void dp_islands_reload_one(dp_islands *islands, const dp_step_problem *p, int i);

/// Take v_free and row.phi, phi_t, b_ref of one island anew from `p`, which else is as it was when
/// it was split.
void dp_islands_refresh_one(dp_islands *islands, const dp_step_problem *p, int i);

/// Add the certificate of another island: sums where it is one, else the worse.
void dp_certificate_add(dp_certificate *sum, const dp_certificate *part);

/// Put what was found for island `i` where it belongs in the solution of the whole.
void dp_islands_scatter(dp_step_solution *out, const dp_islands *islands, int i,
                        const dp_step_solution *found);

#endif
