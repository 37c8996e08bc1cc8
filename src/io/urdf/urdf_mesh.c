// <mesh> in <collision>: a file, scaled, becomes a mesh of the spec. The same file with the same
// scale is read once.
#include "io/urdf/urdf.h"

#include "io/mesh/mesh_file.h"
#include "model/spec/spec.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct dp_urdf_mesh {
    const char *path; // real
    double scale[3];
    const char *name; // in the spec
    dp_urdf_mesh *next;
};

// By the end of the name; the link or file that it leads to may be called otherwise. ANY: none that
// is read.
static dp_mesh_format format_of(const char *file)
{
    static const struct {
        const char *end;
        dp_mesh_format format;
    } known[] = {{".stl", DP_MESH_FORMAT_STL},
                 {".obj", DP_MESH_FORMAT_OBJ},
                 {".msh", DP_MESH_FORMAT_MSH},
                 {".dae", DP_MESH_FORMAT_DAE}};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof known[0]; ++i) {
        if (strcasecmp(dot, known[i].end) == 0) {
            return known[i].format;
        }
    }
    return DP_MESH_FORMAT_ANY;
}

static dp_status read_scale(double scale[3], dp_urdf *u, const dp_xml_node *node)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, "scale");
    if (attribute && attribute->count > 3) {
        DP_TRY(dp_mjcf_judge(&u->m, node, attribute, DP_IMPORT_VERDICT_APPROXIMATED,
                             "the fourth number is left out"));
    }
    for (int i = 0; i < 3; ++i) {
        scale[i] = attribute ? attribute->number[i] : 1.0;
        if (scale[i] == 0.0) {
            return dp_mjcf_fail(node, "found a scale of 0 (expected a mesh with a volume)");
        }
    }
    return DP_OK;
}

// The name of the file without folders and ending; with a number where it is taken.
static dp_status choose_name(const char **out, dp_urdf *u, const dp_xml_node *node)
{
    const char *path = dp_xml_value(node, "filename", "");
    const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const int length = (int)(strrchr(file, '.') - file); // it has an ending that we know
    const char *stem = length > 0 ? file : "mesh";
    const int taken = length <= 0 ? 4 : length < 250 ? length : 250;
    const dp_spec *spec = u->m.spec;
    char name[300];
    snprintf(name, sizeof name, "%.*s", taken, stem);
    for (int k = dp_spec_mesh_count(spec) + 1;
         dp_name_find(&spec->list[DP_ELEMENT_MESH].index, dp_spec_names(spec, DP_ELEMENT_MESH),
                      name) >= 0;
         ++k) {
        snprintf(name, sizeof name, "%.*s_%d", taken, stem, k);
    }
    return dp_pool_text(out, &u->m.pool, name);
}

static dp_status load(dp_mesh *out, dp_urdf *u, const dp_xml_node *node, const char *path,
                      const double scale[3])
{
    dp_mesh_file_info info;
    const dp_m3 A = {{{scale[0], 0.0, 0.0}, {0.0, scale[1], 0.0}, {0.0, 0.0, scale[2]}}};
    dp_status status =
        dp_mesh_load(out, &info, &u->m.pool, path, format_of(dp_xml_value(node, "filename", "")));
    if (status == DP_OK && info.format == DP_MESH_FORMAT_DAE && info.up != 'z') {
        status = dp_mjcf_judge(&u->m, node, NULL, DP_IMPORT_VERDICT_USED,
                               "<up_axis> of the file is not z: not turned, as in ROS");
    }
    if (status == DP_OK && (scale[0] != 1.0 || scale[1] != 1.0 || scale[2] != 1.0)) {
        status = dp_mesh_transform(out, &u->m.pool, out, &A, (dp_v3){0.0, 0.0, 0.0});
    }
    return dp_mjcf_located(node, status);
}

static dp_status add(const char **out, dp_urdf *u, const dp_xml_node *node, const char *path,
                     const double scale[3])
{
    dp_mesh mesh;
    DP_TRY(load(&mesh, u, node, path, scale));
    dp_mesh_spec spec = dp_mesh_spec_default();
    DP_TRY(choose_name(&spec.name, u, node));
    spec.where = dp_mjcf_where(node);
    spec.vertex = mesh.vertex;
    spec.nvertex = mesh.nvertex;
    spec.face = mesh.nface > 0 ? mesh.face : NULL;
    spec.nface = mesh.nface;
    DP_TRY(dp_mjcf_located(node, dp_spec_add_mesh(NULL, u->m.spec, &spec)));

    dp_urdf_mesh *entry;
    DP_TRY(dp_pool_take(&entry, &u->m.pool, 1, sizeof *entry));
    *entry = (dp_urdf_mesh){path, {scale[0], scale[1], scale[2]}, spec.name, u->mesh};
    u->mesh = entry;
    *out = spec.name;
    return DP_OK;
}

static dp_status add_once(const char **out, dp_urdf *u, const dp_xml_node *node, const char *path,
                          const double scale[3])
{
    for (const dp_urdf_mesh *known = u->mesh; known; known = known->next) {
        if (memcmp(known->scale, scale, sizeof known->scale) == 0 &&
            strcmp(known->path, path) == 0) {
            *out = known->name;
            return DP_OK;
        }
    }
    return add(out, u, node, path, scale);
}

dp_status dp_urdf_read_mesh(const char **out, dp_urdf *u, const dp_xml_node *node)
{
    *out = NULL;
    if (dp_mjcf_allowed(&u->m, "mesh")) {
        return dp_mjcf_refuse(&u->m, node, NULL, "mesh", "it would be read from a file");
    }
    const char *file = dp_xml_value(node, "filename", "");
    if (format_of(file) == DP_MESH_FORMAT_ANY) {
        char why[300];
        snprintf(why, sizeof why,
                 "'%.200s' is of a kind that is not read: convert it to .stl, "
                 ".obj, .msh or .dae",
                 file);
        return dp_mjcf_refuse(&u->m, node, NULL, "mesh-format", why);
    }
    double scale[3] = {1.0, 1.0, 1.0};
    DP_TRY(read_scale(scale, u, node));
    const char *path;
    DP_TRY(dp_urdf_find_file(&path, u, node));
    if (!path) {
        return DP_OK;
    }
    return add_once(out, u, node, path, scale);
}

// Why a mesh that is only seen is not read; NULL: it is.
static dp_status try_visual(const char **out, const char **why, dp_urdf *u, const dp_xml_node *node)
{
    *why = "its mesh is of a kind that is not read, or scaled to nothing";
    double scale[3] = {1.0, 1.0, 1.0};
    if (format_of(dp_xml_value(node, "filename", "")) == DP_MESH_FORMAT_ANY ||
        read_scale(scale, u, node) != DP_OK) {
        return DP_OK;
    }
    const char *path;
    DP_TRY(dp_urdf_look_for_file(&path, u, node));
    if (!path) {
        *why = "found no file of its mesh";
        return DP_OK;
    }
    const dp_status status = add_once(out, u, node, path, scale);
    *why = status == DP_OK ? NULL : dp_last_error();
    dp_spec_clear_error(u->m.spec); // the mechanism does without it
    return status == DP_ERROR_MEMORY || status == DP_ERROR_INTERRUPTED ? status : DP_OK;
}

dp_status dp_urdf_read_visual_mesh(const char **out, dp_urdf *u, const dp_xml_node *node)
{
    *out = NULL;
    const char *why;
    DP_TRY(try_visual(out, &why, u, node));
    if (!why) {
        return DP_OK;
    }
    *out = NULL;
    char note[400];
    snprintf(note, sizeof note, "looks only: %.300s", why);
    return dp_mjcf_judge(&u->m, node, NULL, DP_IMPORT_VERDICT_IGNORED, note);
}
