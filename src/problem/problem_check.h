// Parts of dp_problem_check, for readers that build a problem piece by piece.
#ifndef DP_PROBLEM_PROBLEM_CHECK_H
#define DP_PROBLEM_PROBLEM_CHECK_H

#include "base/memory.h"

#include <dashpot/advanced/problem.h>

/// h, sizes, starts, parents, columns and ids: all that decides how long the other arrays are.
/// Reads none of those.
DP_NODISCARD dp_status dp_problem_check_places(const dp_step_problem *p);

/// Elements of row i of M̃, given Mt_start up to i.
size_t dp_problem_tree_row(const dp_step_problem *p, const size_t *Mt_start, int i);
/// Elements of G in a block.
size_t dp_problem_block_elements(const dp_step_problem *p, int block);

/// n + 1 ascending numbers from 0 on. @param end what the last must be; -1: anything
DP_NODISCARD dp_status dp_problem_check_starts(const int *start, int n, int end, const char *name);

/// Of the links of a problem: places, so that nothing is read where nothing is.
DP_NODISCARD dp_status dp_links_check_places(const dp_step_problem *p);
/// All of them, against matrices that are sound.
DP_NODISCARD dp_status dp_links_check(const dp_step_problem *p, const dp_allocator *a);

/// Ids, starts and finite impulses.
DP_NODISCARD dp_status dp_warm_check(const dp_warm *warm);

#endif
