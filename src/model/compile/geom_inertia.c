// Mass properties of geoms: primitives by closed forms, meshes by what they enclose.
#include "geom/hull.h"
#include "geom/mass.h"
#include "geom/shell.h"
#include "model/compile/compile.h"

dp_status dp_geom_inertial_with(dp_inertial *out, const dp_geom_spec *geom,
                                const dp_mesh_moments *mesh)
{
    *out = (dp_inertial){.frame = DP_IDENTITY_POSE};
    const char *kind_name = dp_geom_kind_name(geom->kind);
    const int nsize = dp_shape_size_count(geom->kind);
    for (int k = 0; k < nsize; ++k) {
        if (!(geom->size[k] > 0.0) || !isfinite(geom->size[k])) {
            return dp_fail(DP_ERROR_ARGUMENT, "a %s with size %g (expected a size > 0)", kind_name,
                           geom->size[k]);
        }
    }
    dp_pose frame = geom->pose;
    if (!dp_normalise_quat(&frame.q) || !dp_v3_finite(frame.p)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "a %s without a proper pose (expected a finite position and "
                       "a quaternion that is not zero)",
                       kind_name);
    }
    const double measure = geom->kind == DP_GEOM_MESH ? mesh->measure
                           : geom->shell              ? dp_shape_area(geom->kind, geom->size)
                                                      : dp_shape_volume(geom->kind, geom->size);
    const double mass = geom->mass >= 0.0 ? geom->mass : geom->density * measure;
    if (!isfinite(geom->mass) || !isfinite(mass) || mass < 0.0) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "a %s with mass %g kg and density %g kg/m%s (expected "
                       "finite numbers ≥ 0)",
                       kind_name, geom->mass, geom->density, geom->shell ? "²" : "³");
    }
    if (geom->kind == DP_GEOM_PLANE || geom->kind == DP_GEOM_HFIELD) {
        return DP_OK;
    }
    out->mass = mass;
    out->frame = frame;
    if (geom->kind == DP_GEOM_MESH) {
        if (mass > 0.0) {
            *out = dp_mesh_inertial(mesh, mass);
            out->frame = dp_pose_mul(frame, out->frame);
        }
        return DP_OK;
    }
    out->moments = dp_v3_scale(geom->shell ? dp_shell_moments(geom->kind, geom->size)
                                           : dp_shape_moments(geom->kind, geom->size),
                               mass);
    return DP_OK;
}

dp_status dp_geom_inertial(dp_inertial *out, const dp_geom_spec *geom)
{
    if (geom->kind == DP_GEOM_MESH) {
        *out = (dp_inertial){.frame = DP_IDENTITY_POSE};
        return dp_fail(DP_ERROR_ARGUMENT,
                       "a mesh alone (expected a geom of a spec: dp_spec_geom_inertial)");
    }
    return dp_geom_inertial_with(out, geom, NULL);
}

dp_status dp_spec_mesh_moments(dp_mesh_moments *out, const dp_spec *spec, int i)
{
    DP_TRY(dp_check_mesh(spec, i));
    const dp_mesh mesh = dp_spec_mesh_view(spec, i);
    const dp_mesh_inertia inertia = dp_spec_meshes(spec)[i].inertia;
    if (mesh.nface > 0 && inertia != DP_MESH_INERTIA_CONVEX) {
        return dp_mesh_integrate(out, &mesh, inertia, &spec->allocator);
    }
    dp_pool pool;
    dp_pool_init(&pool, &spec->allocator);
    dp_mesh hull;
    dp_status status = dp_mesh_hull(&hull, &pool, &mesh, dp_spec_meshes(spec)[i].max_hull_vertices);
    if (status == DP_OK) {
        status = dp_mesh_integrate(
            out, &hull, inertia == DP_MESH_INERTIA_SHELL ? inertia : DP_MESH_INERTIA_EXACT,
            &spec->allocator);
    }
    dp_pool_destroy(&pool);
    return status;
}

// The number of the mesh that geom i shows.
static dp_status find_mesh(int *out, const dp_spec *spec, int i)
{
    const char *name = dp_spec_geoms(spec)[i].spec.mesh;
    const dp_name_list names = dp_spec_names(spec, DP_ELEMENT_MESH);
    *out = dp_name_find(&spec->list[DP_ELEMENT_MESH].index, names, name);
    if (*out < 0) {
        return dp_fail_context(dp_name_fail(names, "mesh", name),
                               "%s: ", dp_spec_label(spec, DP_ELEMENT_GEOM, i).text);
    }
    return DP_OK;
}

// `known` has room for the moments of every mesh, and measure 0 where they were not asked for yet.
// NULL: they are not kept.
static dp_status inertial_of_geom(dp_inertial *out, const dp_spec *spec, int i,
                                  dp_mesh_moments *known)
{
    *out = (dp_inertial){.frame = DP_IDENTITY_POSE};
    const dp_geom_spec *geom = &dp_spec_geoms(spec)[i].spec;
    const bool weighs = (geom->mass < 0.0 ? geom->density : geom->mass) != 0.0;
    dp_mesh_moments once = {.measure = 0.0}, *moments = &once;
    if (geom->kind == DP_GEOM_MESH && weighs) {
        int mesh;
        DP_TRY(find_mesh(&mesh, spec, i));
        moments = known ? &known[mesh] : &once;
        if (moments->measure == 0.0) {
            DP_TRY(dp_spec_mesh_moments(moments, spec, mesh));
        }
    }
    const dp_status status = dp_geom_inertial_with(out, geom, moments);
    if (status != DP_OK) {
        return dp_fail_context(status, "%s is ", dp_spec_label(spec, DP_ELEMENT_GEOM, i).text);
    }
    return DP_OK;
}

dp_status dp_spec_geom_inertial(dp_inertial *out, const dp_spec *spec, dp_geom_id geom)
{
    if (geom.index < 0 || geom.index >= dp_spec_geom_count(spec)) {
        *out = (dp_inertial){.frame = DP_IDENTITY_POSE};
        return dp_fail(DP_ERROR_ARGUMENT, "geom %d does not exist (expected 0 to %d)", geom.index,
                       dp_spec_geom_count(spec) - 1);
    }
    return inertial_of_geom(out, spec, geom.index, NULL);
}

dp_status dp_spec_geom_inertials(dp_inertial *out, const dp_spec *spec, dp_pool *scratch)
{
    dp_mesh_moments *known;
    DP_TRY(dp_pool_take(&known, scratch, (size_t)dp_spec_mesh_count(spec), sizeof *known));
    for (int i = 0; i < dp_spec_geom_count(spec); ++i) {
        const dp_body_spec *body = &dp_spec_bodies(spec)[dp_spec_geoms(spec)[i].body].spec;
        out[i] = (dp_inertial){.frame = DP_IDENTITY_POSE};
        if (body->inertia_source == DP_INERTIA_SOURCE_GEOMS) {
            DP_TRY(inertial_of_geom(&out[i], spec, i, known));
        }
    }
    return DP_OK;
}
