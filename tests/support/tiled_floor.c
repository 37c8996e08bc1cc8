#include "tiled_floor.h"

#include "test_random.h"

#include <math.h>
#include <stdlib.h>

floor_mesh floor_mesh_make(random_source *r, int tiles, double half, double jitter, double sliver)
{
    const int n = tiles + 1;
    floor_mesh f = {.nvertex = n * n, .nface = 2 * tiles * tiles};
    f.vertex = malloc(sizeof(double) * 3 * (size_t)f.nvertex);
    f.face = malloc(sizeof(int) * 3 * (size_t)f.nface);
    assert_non_null(f.vertex);
    assert_non_null(f.face);
    const double width = 2.0 * half / tiles;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double *x = f.vertex + 3 * (i * n + j);
            // Every other column moves next to the one before it: slivers.
            const double shift = sliver > 0.0 && j % 2 == 1 ? -(1.0 - sliver) * width : 0.0;
            const bool inner = i > 0 && i < tiles && j > 0 && j < tiles;
            x[0] = -half + j * width + (j < tiles ? shift : 0.0) +
                   (inner ? jitter * width * random_between(r, -1.0, 1.0) : 0.0);
            x[1] =
                -half + i * width + (inner ? jitter * width * random_between(r, -1.0, 1.0) : 0.0);
            x[2] = 0.0;
        }
    }
    int *face = f.face;
    for (int i = 0; i < tiles; ++i) {
        for (int j = 0; j < tiles; ++j) {
            const int a = i * n + j, b = a + 1, c = a + n + 1, d = a + n;
            const bool along = random_chance(r, 0.5);
            const int corner[6] = {a, b, along ? c : d, along ? a : b, c, d};
            for (int k = 0; k < 6; ++k) {
                *face++ = corner[k];
            }
        }
    }
    return f;
}

void floor_mesh_bend(floor_mesh *f, double (*height)(double x, double y))
{
    for (int i = 0; i < f->nvertex; ++i) {
        double *x = f->vertex + 3 * i;
        x[2] = height(x[0], x[1]);
    }
}

void floor_mesh_free(floor_mesh *f)
{
    free(f->vertex);
    free(f->face);
}

dp_surface *floor_surface(const floor_mesh *f)
{
    dp_surface *s;
    if (dp_surface_create(&s, f->vertex, f->nvertex, f->face, f->nface, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return s;
}
