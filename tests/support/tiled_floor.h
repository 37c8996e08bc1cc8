// Floors cut into triangles at random.
#ifndef DP_TESTS_TILED_FLOOR_H
#define DP_TESTS_TILED_FLOOR_H

#include "near.h"

#include <dashpot/advanced/collide.h>

typedef struct floor_mesh {
    double *vertex;
    int *face;
    int nvertex, nface;
} floor_mesh;

/// tiles × tiles over [−half, half]² at z = 0, each cut along one of its diagonals at random. Inner
/// vertices are moved by up to `jitter` (< 1/4) of the width of a tile; with `sliver` > 0 every
/// other column of tiles is only that share of its width wide, and the jitter must be smaller
/// still.
floor_mesh floor_mesh_make(random_source *r, int tiles, double half, double jitter, double sliver);
/// Lift the vertices.
void floor_mesh_bend(floor_mesh *f, double (*height)(double x, double y));
void floor_mesh_free(floor_mesh *f);

dp_surface *floor_surface(const floor_mesh *f);

#endif
