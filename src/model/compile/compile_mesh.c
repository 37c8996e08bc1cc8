// Meshes and height fields: what geoms refer to by name. Hulls and moments are sought only where
// something needs them, so a flat or open mesh that is only looked at is no error.
#include "geom/hull.h"
#include "geom/mesh/terrain.h"
#include "model/check.h"
#include "model/compile/compile.h"

#include <string.h>

// Put the place of mesh i in front of a message that already calls it by name.
static dp_status fail_at_mesh(dp_status status, const dp_spec *spec, int i)
{
    const dp_location where = dp_spec_where(spec, DP_ELEMENT_MESH, i);
    return where.file ? dp_fail_context(status, "%s:%d: ", where.file, where.line) : status;
}

dp_mesh dp_spec_mesh_view(const dp_spec *spec, int i)
{
    const dp_mesh_spec *mesh = &dp_spec_meshes(spec)[i];
    const bool faces = mesh->face && mesh->nface > 0;
    return (dp_mesh){.name = mesh->name,
                     .vertex = mesh->vertex,
                     .nvertex = mesh->vertex ? mesh->nvertex : 0,
                     .face = faces ? mesh->face : NULL,
                     .nface = faces ? mesh->nface : 0};
}

dp_status dp_check_mesh(const dp_spec *spec, int i)
{
    const dp_mesh_spec *mesh = &dp_spec_meshes(spec)[i];
    const dp_mesh view = dp_spec_mesh_view(spec, i);
    if ((unsigned)mesh->inertia > DP_MESH_INERTIA_LEGACY) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_MESH, i,
                            "has inertia number %d (expected convex, exact, shell or legacy)",
                            (int)mesh->inertia);
    }
    if (view.nvertex < 4) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_MESH, i,
                            "has %d vertices (expected at least 4)", view.nvertex);
    }
    if (mesh->max_hull_vertices != 0 && mesh->max_hull_vertices < 4) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_MESH, i,
                            "asks for a hull of at most %d vertices (expected 4 or more, or 0 for "
                            "all)",
                            mesh->max_hull_vertices);
    }
    if (mesh->nface < 0 || (mesh->nface > 0 && !mesh->face)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_MESH, i,
                            "has %d faces and %s (expected as many as it says, or none)",
                            mesh->nface, mesh->face ? "an array" : "no array");
    }
    const dp_status status = dp_mesh_check(&view);
    return status == DP_OK ? DP_OK : fail_at_mesh(status, spec, i);
}

// The fixed base of a mechanism is one of its links: it may reach into what hangs from it, and the
// inside of a surface of triangles is no place to be.
bool dp_touches_by_triangles(const dp_compiler *c, int g)
{
    const dp_geom *geom = &c->geom[g];
    const dp_geom_spec *from = &dp_spec_geoms(c->spec)[g].spec;
    return geom->mesh >= 0 && dp_spec_mesh_view(c->spec, geom->mesh).nface > 0 &&
           c->weld[geom->body] == 0 &&
           (from->mesh_contact == DP_MESH_CONTACT_AUTO
                ? !c->carries[geom->body]
                : from->mesh_contact == DP_MESH_CONTACT_TRIANGLES);
}

// What is asked of a mesh.
typedef struct demand {
    bool hull, moments;
} demand;

static void add_demand(demand *of_mesh, const dp_compiler *c, int g, bool paired)
{
    const dp_geom *geom = &c->geom[g];
    const dp_geom_spec *from = &dp_spec_geoms(c->spec)[g].spec;
    const dp_mesh_spec *mesh = &dp_spec_meshes(c->spec)[geom->mesh];
    const bool faces = mesh->face && mesh->nface > 0;
    const bool from_geoms =
        dp_spec_bodies(c->spec)[geom->body].spec.inertia_source == DP_INERTIA_SOURCE_GEOMS;
    const bool weighs =
        geom->body != 0 && from_geoms && (from->mass < 0.0 ? from->density : from->mass) > 0.0;
    const bool touches = paired || geom->contype != 0 || geom->conaffinity != 0;
    const bool touches_by_hull = touches && !dp_touches_by_triangles(c, g);
    const bool integrated = weighs || from->fluid_ellipsoid;
    of_mesh->moments |= integrated;
    of_mesh->hull |=
        touches_by_hull || !faces || (integrated && mesh->inertia == DP_MESH_INERTIA_CONVEX);
}

static dp_status find_demands(demand **out, dp_compiler *c)
{
    DP_TRY(dp_pool_take(out, &c->scratch, (size_t)c->m->size.nmesh, sizeof **out));
    bool *paired;
    DP_TRY(dp_pool_take(&paired, &c->scratch, (size_t)c->m->size.ngeom, sizeof *paired));
    for (int i = 0; i < c->m->size.npair; ++i) {
        paired[c->pair[i].geom[0]] = true;
        paired[c->pair[i].geom[1]] = true;
    }
    for (int g = 0; g < c->m->size.ngeom; ++g) {
        if (c->geom[g].mesh >= 0) {
            add_demand(&(*out)[c->geom[g].mesh], c, g, paired[g]);
        }
    }
    return DP_OK;
}

static dp_status copy_mesh(dp_mesh *out, dp_pool *pool, const dp_mesh *from, const char *name)
{
    double *vertex;
    int *face;
    const size_t nnumber = 3 * (size_t)from->nvertex, ncorner = 3 * (size_t)from->nface;
    DP_TRY(dp_pool_take(&vertex, pool, nnumber, sizeof *vertex));
    DP_TRY(dp_pool_take(&face, pool, ncorner, sizeof *face));
    memcpy(vertex, from->vertex, nnumber * sizeof *vertex);
    if (ncorner > 0) {
        memcpy(face, from->face, ncorner * sizeof *face);
    }
    *out = (dp_mesh){name, vertex, from->nvertex, face, from->nface};
    return DP_OK;
}

static dp_status compile_mesh(dp_compiler *c, int i, demand wanted)
{
    dp_mesh_asset *asset = &c->mesh[i];
    const dp_mesh from = dp_spec_mesh_view(c->spec, i);
    asset->inertia = dp_spec_meshes(c->spec)[i].inertia;
    if (wanted.hull) {
        const int most = dp_spec_meshes(c->spec)[i].max_hull_vertices;
        DP_TRY(dp_mesh_hull(&asset->hull, &c->m->pool, &from, most));
        asset->hull.name = asset->name;
    }
    if (from.nface == 0 && wanted.hull) {
        asset->own = asset->hull;
    } else {
        DP_TRY(copy_mesh(&asset->own, &c->m->pool, &from, asset->name));
    }
    if (wanted.moments) {
        const dp_allocator *allocator = &c->spec->allocator;
        const bool convex = asset->inertia == DP_MESH_INERTIA_CONVEX;
        DP_TRY(dp_mesh_integrate(&asset->moments, convex ? &asset->hull : &asset->own,
                                 convex ? DP_MESH_INERTIA_EXACT : asset->inertia, allocator));
    }
    return DP_OK;
}

dp_status dp_compile_meshes(dp_compiler *c)
{
    demand *wanted;
    DP_TRY(find_demands(&wanted, c));
    for (int i = 0; i < c->m->size.nmesh; ++i) {
        const dp_status status = compile_mesh(c, i, wanted[i]);
        if (status != DP_OK) {
            return status == DP_ERROR_MEMORY ? status : fail_at_mesh(status, c->spec, i);
        }
    }
    return DP_OK;
}

// Height fields

static const dp_field hfield_field[] = {DP_FIELD(dp_hfield_spec, size, "size")};

dp_status dp_check_hfield(const dp_spec *spec, int i)
{
    const dp_hfield_spec *hfield = &dp_spec_hfields(spec)[i];
    DP_TRY(dp_check_finite(spec, DP_ELEMENT_HFIELD, i, hfield, hfield_field,
                           DP_FIELD_COUNT(hfield_field)));
    if (hfield->nrow < 2 || hfield->ncol < 2) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_HFIELD, i,
                            "has %d rows and %d columns (expected at least 2 of each)",
                            hfield->nrow, hfield->ncol);
    }
    for (int k = 0; k < 4; ++k) {
        const bool length = k < 2; // height and depth may vanish
        if (length ? hfield->size[k] <= 0.0 : hfield->size[k] < 0.0) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_HFIELD, i,
                                "has size %g at place %d (expected two half lengths > 0, then a "
                                "height and a depth ≥ 0)",
                                hfield->size[k], k + 1);
        }
    }
    for (int row = 0; hfield->elevation && row < hfield->nrow; ++row) {
        for (int column = 0; column < hfield->ncol; ++column) {
            const double z = hfield->elevation[(size_t)row * (size_t)hfield->ncol + (size_t)column];
            if (!(z >= 0.0 && z <= 1.0)) {
                return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_HFIELD, i,
                                    "has elevation %g in row %d, column %d (expected 0 to 1)", z,
                                    row + 1, column + 1);
            }
        }
    }
    return DP_OK;
}

dp_status dp_compile_hfields(dp_compiler *c)
{
    int64_t points = 0; // a few characters of a file can ask for any number of them
    for (int i = 0; i < c->m->size.nhfield; ++i) {
        const dp_hfield_spec *from = &dp_spec_hfields(c->spec)[i];
        dp_hfield *hfield = &c->hfield[i];
        points += (int64_t)from->nrow * from->ncol;
        if (points > DP_HFIELD_POINTS) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_HFIELD, i,
                                "has %d × %d points, with the height fields before it %lld "
                                "(expected at most %d in all)",
                                from->nrow, from->ncol, (long long)points, DP_HFIELD_POINTS);
        }
        hfield->nrow = from->nrow;
        hfield->ncol = from->ncol;
        memcpy(hfield->size, from->size, sizeof hfield->size);
        if (from->elevation) {
            const size_t count = (size_t)from->nrow * (size_t)from->ncol;
            double *elevation;
            DP_TRY(dp_pool_take(&elevation, &c->m->pool, count, sizeof *elevation));
            memcpy(elevation, from->elevation, count * sizeof *elevation);
            hfield->elevation = elevation;
        }
    }
    return DP_OK;
}
