// A complementarity problem from numbers in any order, for readers of other formats.
#ifndef DP_PROBLEM_LCP_MAKE_H
#define DP_PROBLEM_LCP_MAKE_H

#include "problem/sparse.h"

#include <dashpot/advanced/lcp.h>

/// @param out address of a pointer to a dp_lcp_file @param q as many as M has rows
DP_NODISCARD dp_status dp_lcp_make(dp_lcp_file **out, const dp_triplets *M, const double *q,
                                   const dp_allocator *a);

#endif
