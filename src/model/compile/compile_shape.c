// Shapes for queries: hulls of meshes of mechanisms, triangles of scenery, terrains. One for each
// asset, made only where some geom needs it.
#include "geom/hull_shape.h"
#include "geom/mesh/surface.h"
#include "geom/mesh/terrain.h"
#include "model/touch.h"

#include <math.h>

// Geoms of pairs that are given touch whatever their masks say.
static dp_status find_paired(bool **out, dp_compiler *c)
{
    DP_TRY(dp_pool_take(out, &c->m->pool, (size_t)c->m->size.ngeom, sizeof **out));
    for (int i = 0; i < c->m->size.npair; ++i) {
        (*out)[c->pair[i].geom[0]] = (*out)[c->pair[i].geom[1]] = true;
    }
    return DP_OK;
}

static dp_status build_solid(dp_mesh_asset *asset, dp_pool *pool)
{
    if (asset->solid) {
        return DP_OK;
    }
    dp_hull *solid;
    DP_TRY(dp_pool_take(&solid, pool, 1, sizeof *solid));
    DP_TRY(dp_hull_build(solid, pool, &asset->hull));
    asset->solid = solid;
    return DP_OK;
}

static dp_status build_faces(dp_mesh_asset *asset, dp_pool *pool)
{
    if (asset->faces) {
        return DP_OK;
    }
    dp_surface *faces;
    DP_TRY(dp_pool_take(&faces, pool, 1, sizeof *faces));
    DP_TRY(dp_surface_build(faces, pool, &asset->own));
    asset->faces = faces;
    return DP_OK;
}

static dp_status build_terrain(dp_hfield *hfield, dp_pool *pool)
{
    if (hfield->terrain) {
        return DP_OK;
    }
    const dp_hfield_spec heights = {
        .name = hfield->name,
        .nrow = hfield->nrow,
        .ncol = hfield->ncol,
        .elevation = hfield->elevation,
        .size = {hfield->size[0], hfield->size[1], hfield->size[2], hfield->size[3]}};
    dp_terrain *terrain;
    DP_TRY(dp_pool_take(&terrain, pool, 1, sizeof *terrain));
    DP_TRY(dp_terrain_build(terrain, pool, &heights));
    hfield->terrain = terrain;
    return DP_OK;
}

static dp_status shape_mesh(dp_shape *shape, dp_compiler *c, int g)
{
    const dp_geom *geom = &c->geom[g];
    dp_mesh_asset *asset = &c->mesh[geom->mesh];
    if (dp_touches_by_triangles(c, g)) {
        DP_TRY(build_faces(asset, &c->m->pool));
        shape->surface = asset->faces;
    } else {
        DP_TRY(build_solid(asset, &c->m->pool));
        shape->hull = asset->solid;
    }
    return DP_OK;
}

static dp_status shape_geom(dp_shape *shape, dp_compiler *c, int g, bool touches)
{
    const dp_geom *geom = &c->geom[g];
    *shape = (dp_shape){.kind = geom->kind, .size = {geom->size[0], geom->size[1], geom->size[2]}};
    if (geom->kind == DP_GEOM_MESH && touches) {
        return shape_mesh(shape, c, g);
    }
    if (geom->kind == DP_GEOM_HFIELD && touches) {
        DP_TRY(build_terrain(&c->hfield[geom->hfield], &c->m->pool));
        shape->terrain = c->hfield[geom->hfield].terrain;
    }
    return DP_OK;
}

double dp_pair_margin(const dp_model *m, int a, int b)
{
    const int given = dp_pair_map_find(&m->given, a, b);
    const double margin = given >= 0 && m->pair[given].contact_given
                              ? m->pair[given].contact.margin
                              : m->geom[a].contact.margin + m->geom[b].contact.margin;
    return margin > 0.0 ? margin : 0.0;
}

// No pair of a geom has a margin beyond the sum of the two reaches.
static dp_status find_reaches(dp_compiler *c)
{
    double *reach;
    DP_TRY(dp_pool_take(&reach, &c->m->pool, (size_t)c->m->size.ngeom, sizeof *reach));
    for (int g = 0; g < c->m->size.ngeom; ++g) {
        reach[g] = fmax(c->geom[g].contact.margin, 0.0);
    }
    for (int i = 0; i < c->m->size.npair; ++i) {
        for (int k = 0; k < 2 && c->pair[i].contact_given; ++k) {
            double *own = &reach[c->pair[i].geom[k]];
            *own = fmax(*own, c->pair[i].contact.margin);
        }
    }
    c->m->reach = reach;
    return DP_OK;
}

dp_status dp_compile_shapes(dp_compiler *c)
{
    bool *paired;
    dp_shape *shape;
    DP_TRY(find_paired(&paired, c));
    DP_TRY(dp_pool_take(&shape, &c->m->pool, (size_t)c->m->size.ngeom, sizeof *shape));
    for (int g = 0; g < c->m->size.ngeom; ++g) {
        const bool touches = paired[g] || c->geom[g].contype != 0 || c->geom[g].conaffinity != 0;
        const dp_status status = shape_geom(&shape[g], c, g, touches);
        const dp_location where = dp_spec_where(c->spec, DP_ELEMENT_GEOM, g);
        if (status != DP_OK) {
            return status == DP_ERROR_MEMORY || !where.file
                       ? status
                       : dp_fail_context(status, "%s:%d: ", where.file, where.line);
        }
    }
    c->m->shape = shape;
    c->m->paired = paired;
    DP_TRY(find_reaches(c));
    return dp_compile_touch(c);
}
