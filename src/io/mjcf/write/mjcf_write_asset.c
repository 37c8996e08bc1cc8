// Meshes and height fields, their numbers in the text itself.
#include "io/mjcf/write/mjcf_write.h"

#include <string.h>

// A reader makes one vertex of those in one place, and 0 of −0: so the latter are written as 0.
static dp_status put_vertices(dp_mjcf_writer *w, const dp_mesh_spec *mesh)
{
    const size_t count = 3 * (size_t)mesh->nvertex;
    double *vertex;
    DP_TRY(dp_pool_take(&vertex, &w->scratch, count, sizeof *vertex));
    for (size_t i = 0; i < count; ++i) {
        vertex[i] = mesh->vertex[i] + 0.0;
    }
    dp_xml_put_numbers(&w->xml, "vertex", vertex, count);
    return DP_OK;
}

static dp_status write_mesh(dp_mjcf_writer *w, int i)
{
    const dp_mesh_spec *mesh = &dp_spec_meshes(w->spec)[i];
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_MESH, i, "inertia", (int)mesh->inertia,
                              DP_MESH_INERTIA_LEGACY));
    if (!mesh->vertex || mesh->nvertex < 1) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_MESH, i,
                            "has no vertices (expected at least 4)");
    }
    dp_xml_begin(&w->xml, "mesh");
    dp_xml_put_text(&w->xml, "name", mesh->name);
    dp_xml_put_text(&w->xml, "inertia", dp_mesh_inertia_name(mesh->inertia));
    dp_mjcf_put_integer(w, "maxhullvert", mesh->max_hull_vertices, 0);
    DP_TRY(put_vertices(w, mesh));
    if (mesh->face && mesh->nface > 0) {
        dp_xml_put_integers(&w->xml, "face", mesh->face, 3 * (size_t)mesh->nface);
    }
    dp_xml_end(&w->xml, "mesh");
    return dp_mjcf_written(w, DP_ELEMENT_MESH, i);
}

// A reader of MJCF stretches elevations to 0 … 1 [MuJoCo's XML reference, hfield/elevation]. So
// they must reach both ends, or be zero.
static dp_status check_elevation(const dp_mjcf_writer *w, int i, const double *x, size_t count)
{
    double low = x[0], high = x[0];
    for (size_t k = 0; k < count; ++k) {
        low = x[k] < low ? x[k] : low;
        high = x[k] > high ? x[k] : high;
    }
    if (low == 0.0 && (high == 1.0 || high == 0.0)) {
        return DP_OK;
    }
    return dp_mjcf_cannot_say(w, DP_ELEMENT_HFIELD, i,
                              "has elevations from %g to %g, which a reader of MJCF would stretch "
                              "(expected them to reach from 0 to 1)",
                              low, high);
}

// Rows are written as on a map: the first is that of the largest y, which is the last of ours.
static dp_status write_elevation(dp_mjcf_writer *w, const dp_hfield_spec *hfield)
{
    const size_t nrow = (size_t)hfield->nrow, ncol = (size_t)hfield->ncol;
    double *map;
    DP_TRY(dp_pool_take(&map, &w->scratch, nrow * ncol, sizeof *map));
    for (size_t row = 0; row < nrow; ++row) {
        memcpy(map + row * ncol, hfield->elevation + (nrow - 1 - row) * ncol, ncol * sizeof *map);
    }
    dp_xml_put_numbers(&w->xml, "elevation", map, nrow * ncol);
    return DP_OK;
}

static dp_status write_hfield(dp_mjcf_writer *w, int i)
{
    const dp_hfield_spec *hfield = &dp_spec_hfields(w->spec)[i];
    if (hfield->nrow < 1 || hfield->ncol < 1) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_HFIELD, i,
                            "has %d rows and %d columns (expected at least 2 of each)",
                            hfield->nrow, hfield->ncol);
    }
    dp_xml_begin(&w->xml, "hfield");
    dp_xml_put_text(&w->xml, "name", hfield->name);
    dp_xml_put_integers(&w->xml, "nrow", &hfield->nrow, 1);
    dp_xml_put_integers(&w->xml, "ncol", &hfield->ncol, 1);
    dp_xml_put_numbers(&w->xml, "size", hfield->size, 4);
    if (hfield->elevation) {
        DP_TRY(write_elevation(w, hfield));
    }
    dp_xml_end(&w->xml, "hfield");
    DP_TRY(dp_mjcf_written(w, DP_ELEMENT_HFIELD, i));
    return hfield->elevation ? check_elevation(w, i, hfield->elevation,
                                               (size_t)hfield->nrow * (size_t)hfield->ncol)
                             : DP_OK;
}

dp_status dp_mjcf_write_assets(dp_mjcf_writer *w)
{
    const dp_mjcf_part part[] = {{dp_spec_mesh_count(w->spec), write_mesh},
                                 {dp_spec_hfield_count(w->spec), write_hfield}};
    return dp_mjcf_write_section(w, "asset", part, 2);
}
