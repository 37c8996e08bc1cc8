// Terrain: heights on a grid, two triangles to a cell.
//
// Cell (row, column) has the corners (row, column) … (row + 1, column + 1). The diagonal runs from
// the first to the last of these, as in MuJoCo. Triangle 2·cell lies on the side of greater x
// (corner (row, column + 1)), triangle 2·cell + 1 on that of greater y.
//
// The ground is solid from the surface down to the base at z = −depth, within the rectangle of the
// grid. Only its top touches: sides and base stop rays, and nothing else. The rim of the top is an
// edge like any other that ends at an upright wall.
#ifndef DP_GEOM_TERRAIN_H
#define DP_GEOM_TERRAIN_H

#include "geom/mesh/box_tree.h"

#include <dashpot/advanced/collide.h>

/// Cells along a side of the blocks that the tree holds.
enum { DP_TERRAIN_BLOCK = 4 };

/// The most points of a height field, and of all height fields of a model: 512 MiB of heights.
enum { DP_HFIELD_POINTS = 1 << 26 };

struct dp_terrain {
    int nrow, ncol;       // of vertices, ≥ 2
    const double *height; // nrow·ncol [m]
    const int *region; // 2·(nrow − 1)·(ncol − 1): triangles joined by flat edges have one number
    double half[2];    // half lengths in x and y [m]
    double depth;      // of the base below 0 [m]
    dp_box_tree tree;  // of the blocks
    const int *block;  // number of the block, from 0 by rows, at each place of the tree
    int block_columns; // blocks in a row
    dp_v3 low, high;   // bounds in its own frame, base included
    dp_allocator allocator;
    void *memory;
};

static inline double dp_terrain_height(const dp_terrain *t, int row, int column)
{
    return t->height[(size_t)row * (size_t)t->ncol + (size_t)column];
}

/// Vertex (row, column). Those of the rim lie exactly on it.
static inline dp_v3 dp_terrain_vertex(const dp_terrain *t, int row, int column)
{
    return (dp_v3){t->half[0] * ((double)(2 * (long long)column - (t->ncol - 1)) / (t->ncol - 1)),
                   t->half[1] * ((double)(2 * (long long)row - (t->nrow - 1)) / (t->nrow - 1)),
                   dp_terrain_height(t, row, column)};
}

/// Make the query form of heights in `pool`.
/// @return DP_ERROR_ARGUMENT for fewer than two rows or columns, sizes that are not finite or not
///         positive (height and depth may be 0), elevations outside 0 … 1.
dp_status dp_terrain_build(dp_terrain *out, dp_pool *pool, const dp_hfield_spec *heights);

#endif
