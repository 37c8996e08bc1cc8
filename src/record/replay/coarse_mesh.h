// Meshes that are only seen, with fewer faces, so that pages stay small.
#ifndef DP_RECORD_COARSE_MESH_H
#define DP_RECORD_COARSE_MESH_H

#include "base/memory.h"

/// Faces of a mesh that need not be made coarser.
enum { DP_COARSE_FACES = 6000 };

typedef struct dp_coarse_mesh {
    double *vertex; // 3 nvertex
    int nvertex;
    int *face; // 3 nface
    int nface;
    dp_pool pool; // owns both
} dp_coarse_mesh;

/// Vertices of one cell of a grid become one, at their mean; faces that become lines vanish. The
/// grid is the finest of some that leaves DP_COARSE_FACES at most.
/// @param out to be destroyed, also after a failure
DP_NODISCARD dp_status dp_coarse_mesh_make(dp_coarse_mesh *out, const double *vertex, int nvertex,
                                           const int *face, int nface,
                                           const dp_allocator *allocator);
void dp_coarse_mesh_destroy(dp_coarse_mesh *mesh);

#endif
