// Terrain: heights on a grid, with a tree over blocks of cells.
#include "geom/mesh/terrain.h"

#include <limits.h>

static dp_status check_heights(const dp_hfield_spec *h)
{
    const char *name = h->name ? h->name : "";
    if (h->nrow < 2 || h->ncol < 2) {
        return dp_fail(
            DP_ERROR_ARGUMENT,
            "height field '%s': found %d rows and %d columns (expected at least 2 of each)", name,
            h->nrow, h->ncol);
    }
    if ((int64_t)h->nrow * h->ncol > DP_HFIELD_POINTS) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "height field '%s': found %d × %d points (expected at most %d)", name,
                       h->nrow, h->ncol, DP_HFIELD_POINTS);
    }
    for (int k = 0; k < 4; ++k) {
        const bool sound = k < 2 ? h->size[k] > 0.0 : h->size[k] >= 0.0;
        if (!sound || !isfinite(h->size[k])) {
            return dp_fail(
                DP_ERROR_ARGUMENT,
                "height field '%s': found size %g at place %d (expected two half lengths "
                "> 0, then a height and a depth ≥ 0)",
                name, h->size[k], k + 1);
        }
    }
    const size_t count = (size_t)h->nrow * (size_t)h->ncol;
    for (size_t i = 0; h->elevation && i < count; ++i) {
        if (!(h->elevation[i] >= 0.0 && h->elevation[i] <= 1.0)) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "height field '%s': found elevation %g in row %d, column %d (expected 0 "
                           "to 1)",
                           name, h->elevation[i], (int)(i / (size_t)h->ncol) + 1,
                           (int)(i % (size_t)h->ncol) + 1);
        }
    }
    return DP_OK;
}

static int blocks_along(int nvertex)
{
    return (nvertex - 2) / DP_TERRAIN_BLOCK + 1;
}

// The box around the cells of a block.
static dp_bounds block_box(const dp_terrain *t, int block_row, int block_column)
{
    const int r0 = block_row * DP_TERRAIN_BLOCK, c0 = block_column * DP_TERRAIN_BLOCK;
    dp_bounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int r = r0; r <= r0 + DP_TERRAIN_BLOCK && r < t->nrow; ++r) {
        for (int c = c0; c <= c0 + DP_TERRAIN_BLOCK && c < t->ncol; ++c) {
            const dp_v3 x = dp_terrain_vertex(t, r, c);
            box = dp_bounds_join(box, (dp_bounds){x, x});
        }
    }
    return box;
}

static dp_status build_tree(dp_terrain *t, dp_pool *pool, dp_pool *scratch)
{
    const int rows = blocks_along(t->nrow), columns = blocks_along(t->ncol);
    if ((long long)rows * columns > INT_MAX / (2 * DP_TERRAIN_BLOCK * DP_TERRAIN_BLOCK)) {
        return dp_fail(DP_ERROR_ARGUMENT, "height field: %d rows and %d columns are too many",
                       t->nrow, t->ncol);
    }
    const size_t count = (size_t)rows * (size_t)columns;
    dp_bounds *box;
    int *order;
    DP_TRY(dp_pool_take(&box, scratch, count, sizeof *box));
    DP_TRY(dp_pool_take(&order, pool, count, sizeof *order));
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            box[(size_t)r * (size_t)columns + (size_t)c] = block_box(t, r, c);
        }
    }
    t->block = order;
    t->block_columns = columns;
    return dp_box_tree_build(&t->tree, order, pool, box, (int)count);
}

dp_status dp_terrain_build(dp_terrain *out, dp_pool *pool, const dp_hfield_spec *heights)
{
    DP_TRY(check_heights(heights));
    const size_t count = (size_t)heights->nrow * (size_t)heights->ncol;
    double *height;
    DP_TRY(dp_pool_take(&height, pool, count, sizeof *height));
    DP_ASSERT(height); // there are four at least
    dp_terrain t = {.nrow = heights->nrow,
                    .ncol = heights->ncol,
                    .height = height,
                    .half = {heights->size[0], heights->size[1]},
                    .depth = heights->size[3]};
    for (size_t i = 0; heights->elevation && i < count; ++i) {
        height[i] = heights->size[2] * heights->elevation[i];
    }
    dp_pool scratch;
    dp_pool_init(&scratch, &pool->allocator);
    const dp_status status = build_tree(&t, pool, &scratch);
    dp_pool_destroy(&scratch);
    if (status == DP_OK) {
        DP_ASSERT(t.tree.node);
        t.low = t.tree.node[0].box.low;
        t.high = t.tree.node[0].box.high;
        t.low.z = -t.depth;
        *out = t;
    }
    return status;
}

// Terrain of its own, with the pool that all its arrays are in.
typedef struct owned_terrain {
    dp_terrain terrain;
    dp_pool pool;
} owned_terrain;

dp_status dp_terrain_create(dp_terrain **out, const dp_hfield_spec *heights,
                            const dp_allocator *allocator)
{
    if (!out || !heights) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_terrain_create: %s is NULL",
                       out ? "the height field" : "out");
    }
    *out = NULL;
    const dp_allocator a = dp_allocator_or_default(allocator);
    owned_terrain *owned;
    DP_TRY(dp_allocate(&owned, &a, 1, sizeof *owned));
    dp_pool_init(&owned->pool, &a);
    const dp_status status = dp_terrain_build(&owned->terrain, &owned->pool, heights);
    if (status != DP_OK) {
        dp_pool_destroy(&owned->pool);
        dp_release(&a, owned, 1, sizeof *owned);
        return status;
    }
    owned->terrain.allocator = a;
    owned->terrain.memory = owned;
    *out = &owned->terrain;
    return DP_OK;
}

void dp_terrain_destroy(dp_terrain *terrain)
{
    if (terrain) {
        owned_terrain *owned = terrain->memory;
        const dp_allocator a = terrain->allocator;
        dp_pool_destroy(&owned->pool);
        dp_release(&a, owned, 1, sizeof *owned);
    }
}
