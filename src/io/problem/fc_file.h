// What readers of friction-contact problems fill in.
#ifndef DP_PROBLEM_FC_FILE_H
#define DP_PROBLEM_FC_FILE_H

#include "problem/sparse.h"

#include <dashpot/advanced/fc.h>

struct dp_fc_file {
    dp_pool pool;
    dp_fc p;
    const double *r;
    const char *title;
};

DP_NODISCARD dp_status dp_fc_file_new(dp_fc_file **out, const dp_allocator *a);

/// Numbers in the pool. @param count 0: NULL is allowed
DP_NODISCARD dp_status dp_fc_file_keep(const double **out, dp_fc_file *file, const double *x,
                                       size_t count);

/// Read HDF5. @return DP_ERROR_UNSUPPORTED where there is no plugin for it
DP_NODISCARD dp_status dp_fclib_load(dp_fc_file **out, const char *path, const dp_allocator *a);

#endif
