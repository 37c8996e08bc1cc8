// <mesh> and <hfield>. They are read when a geom needs them for more than its looks, so that a file
// which is only seen is never opened, and may be missing.
#include "io/mjcf/mjcf.h"

#include "geom/mass.h"
#include "io/mesh/hfield_file.h"
#include "io/mesh/mesh_file.h"
#include "model/spec/spec.h"

#include <stdio.h>
#include <string.h>

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/'), *backslash = strrchr(path, '\\');
    const char *last = slash > backslash ? slash : backslash;
    return last ? last + 1 : path;
}

// `name`, else that of the file without folders and ending.
static dp_status read_name(const char **out, dp_mjcf *m, const dp_xml_node *node)
{
    *out = dp_xml_value(node, "name", "");
    const char *file = dp_xml_value(node, "file", "");
    if ((*out)[0] != '\0' || file[0] == '\0') {
        return DP_OK;
    }
    const char *last = last_part(file), *dot = strrchr(last, '.');
    char *name;
    const size_t n = dot ? (size_t)(dot - last) : strlen(last);
    DP_TRY(dp_pool_take(&name, &m->pool, n + 1, 1));
    memcpy(name, last, n);
    name[n] = '\0';
    *out = name;
    return DP_OK;
}

static dp_name_list names_of(const dp_mjcf_assets *list)
{
    return (dp_name_list){list->at ? &list->at[0].name : NULL, sizeof *list->at, list->count};
}

// All elements of one name in all sections.
static dp_status list_assets(dp_mjcf_assets *list, dp_mjcf *m, const char *what)
{
    for (int pass = 0; pass < 2; ++pass) { // count, then list
        int n = 0;
        for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "asset", s));) {
            for (dp_xml_node *node = s->child; node; node = node->next) {
                if (strcmp(node->name, what) != 0) {
                    continue;
                }
                if (pass == 1) {
                    list->at[n].node = node;
                    DP_TRY(read_name(&list->at[n].name, m, node));
                }
                ++n;
            }
        }
        if (pass == 0) {
            DP_TRY(dp_pool_take(&list->at, &m->pool, (size_t)n, sizeof *list->at));
            list->count = n;
        }
    }
    list->index.nslot = dp_name_slots(list->count);
    DP_TRY(dp_pool_take(&list->index.slot, &m->pool, list->index.nslot, sizeof(int)));
    for (int i = 0; i < list->count; ++i) {
        const int same = dp_name_find(&list->index, names_of(list), list->at[i].name);
        if (same >= 0) {
            return dp_mjcf_fail(
                list->at[i].node, "found '%.60s' a second time, after %s:%d (expected a new name)",
                list->at[i].name, list->at[same].node->file, list->at[same].node->line);
        }
        dp_name_insert(&list->index, names_of(list), i);
    }
    return DP_OK;
}

dp_status dp_mjcf_find_asset(dp_mjcf_asset **out, const dp_mjcf_assets *list,
                             const dp_mjcf_view *view, const char *what)
{
    *out = NULL;
    const dp_xml_attribute *name = dp_mjcf_find(view, what);
    if (!name) {
        return dp_mjcf_fail(view->node, "found no %s (expected %s=\"…\")", what, what);
    }
    const int i = dp_name_find(&list->index, names_of(list), name->value);
    if (i < 0) {
        return dp_mjcf_located(view->node, dp_name_fail(names_of(list), what, name->value));
    }
    *out = &list->at[i];
    return DP_OK;
}

// The failure of a node without "file:line: element: " in front: whoever tells it names the place.
static const char *without_place(const dp_xml_node *node, const char *message)
{
    char place[512];
    const int n =
        snprintf(place, sizeof place, "%.400s:%d: %.60s", node->file, node->line, node->name);
    const char *colon = strncmp(message, place, (size_t)n) == 0 ? strstr(message + n, ": ") : NULL;
    return colon ? colon + 2 : message;
}

// Why an asset cannot be used: the failure that is on its way up. Memory stays a failure.
static dp_status note_problem(dp_mjcf_asset *asset, dp_mjcf *m, dp_status status)
{
    if (status == DP_OK || status == DP_ERROR_MEMORY) {
        return status;
    }
    return dp_pool_text(&asset->problem, &m->pool, without_place(asset->node, dp_last_error()));
}

static dp_status find_file(dp_mjcf_file *out, const dp_mjcf *m, const dp_xml_node *node)
{
    const char *file = dp_xml_value(node, "file", "");
    return dp_mjcf_find_file(out, m, node, m->compiler.mesh_folder,
                             m->compiler.strip_path ? last_part(file) : file);
}

// ---- meshes

static dp_status check_mesh(const dp_mjcf_view *view)
{
    const dp_xml_node *node = view->node;
    const dp_xml_attribute *vertex = dp_xml_find(node, "vertex"), *face = dp_xml_find(node, "face");
    const dp_xml_attribute *builtin = dp_xml_find(node, "builtin");
    const bool has_file = dp_xml_value(node, "file", "")[0] != '\0';
    if (node->child) {
        return DP_OK; // a plugin makes its shape
    }
    if (vertex && has_file) {
        return dp_mjcf_fail(node, "found both file and vertex (expected one of them)");
    }
    if (!vertex && !has_file && (!builtin || builtin->keyword == 0)) {
        return dp_mjcf_fail(node, "found neither file nor vertex (expected one of them)");
    }
    if (face && !vertex) {
        return dp_mjcf_fail(node, "found face without vertex (expected both)");
    }
    if (vertex && (vertex->count % 3 != 0 || vertex->count < 12)) {
        return dp_mjcf_fail(node,
                            "found %d numbers in vertex (expected three for each of four or more)",
                            vertex->count);
    }
    if (face && face->count % 3 != 0) {
        return dp_mjcf_fail(node, "found %d numbers in face (expected three for each)",
                            face->count);
    }
    const int nvertex = vertex ? vertex->count / 3 : 0;
    for (int i = 0; face && i < face->count; ++i) {
        if (face->number[i] < 0.0 || face->number[i] >= nvertex) {
            return dp_mjcf_fail(node, "found vertex %g in face (expected 0 to %d)", face->number[i],
                                nvertex - 1);
        }
    }
    return DP_OK;
}

// Inline vertices, without faces as MuJoCo has them: the convex hull.
static dp_status read_inline(dp_mesh *out, dp_pool *pool, const dp_xml_node *node)
{
    const dp_xml_attribute *vertex = dp_xml_find(node, "vertex"), *face = dp_xml_find(node, "face");
    *out = (dp_mesh){.vertex = vertex->number, .nvertex = vertex->count / 3};
    if (!face || face->count == 0) {
        return DP_OK;
    }
    int *corner;
    DP_TRY(dp_pool_take(&corner, pool, (size_t)face->count, sizeof *corner));
    for (int i = 0; i < face->count; ++i) {
        corner[i] = (int)face->number[i];
    }
    out->face = corner;
    out->nface = face->count / 3;
    return dp_mesh_weld(out, NULL, pool, out);
}

static dp_status read_file(dp_mesh *out, dp_pool *pool, const dp_mjcf *m, const dp_xml_node *node)
{
    static const struct {
        const char *type;
        dp_mesh_format format;
    } known[] = {{"model/obj", DP_MESH_FORMAT_OBJ},
                 {"model/stl", DP_MESH_FORMAT_STL},
                 {"model/vnd.mujoco.msh", DP_MESH_FORMAT_MSH}};
    dp_mjcf_file file;
    DP_TRY(find_file(&file, m, node));
    dp_mesh_format format = DP_MESH_FORMAT_ANY;
    const char *type = dp_xml_value(node, "content_type", "");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        format = strcmp(type, known[i].type) == 0 ? known[i].format : format;
    }
    if (type[0] != '\0' && format == DP_MESH_FORMAT_ANY) {
        return dp_mjcf_fail(node, "found content_type '%.60s' (expected %s, %s or %s)", type,
                            known[0].type, known[1].type, known[2].type);
    }
    return dp_mesh_load(out, NULL, pool, file.path, format);
}

// x → scale · R(refquat)ᵀ (x − refpos)
static dp_status place_mesh(dp_mesh *mesh, dp_pool *pool, const dp_mjcf_view *view)
{
    double scale[3] = {1.0, 1.0, 1.0}, pos[3] = {0.0, 0.0, 0.0}, quat[4] = {1.0, 0.0, 0.0, 0.0};
    const bool scaled = dp_mjcf_numbers(scale, view, "scale");
    const bool moved = dp_mjcf_numbers(pos, view, "refpos");
    const bool turned = dp_mjcf_numbers(quat, view, "refquat");
    if (!scaled && !moved && !turned) {
        return DP_OK;
    }
    const dp_m3 R = dp_m3_from_quat(dp_quat_unit(dp_quat_load(quat)));
    dp_m3 A = dp_m3_transpose(&R);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            A.m[i][j] *= scale[i];
        }
    }
    const dp_v3 t = dp_m3_apply(&A, dp_v3_load(pos));
    return dp_mesh_transform(mesh, pool, mesh, &A, dp_v3_scale(t, -1.0));
}

static dp_mesh_inertia read_inertia(const dp_mjcf *m, const dp_mjcf_view *view)
{
    enum { CONVEX, LEGACY, EXACT, SHELL }; // the order of the schema's keywords
    switch (dp_mjcf_keyword(view, "inertia", m->compiler.exact_mesh_inertia ? EXACT : LEGACY)) {
    case CONVEX:
        return DP_MESH_INERTIA_CONVEX;
    case EXACT:
        return DP_MESH_INERTIA_EXACT;
    case SHELL:
        return DP_MESH_INERTIA_SHELL;
    default:
        return DP_MESH_INERTIA_LEGACY;
    }
}

static dp_status add_mesh(dp_mjcf *m, const dp_mjcf_asset *asset, const dp_mjcf_view *view,
                          dp_pool *scratch)
{
    dp_mesh mesh;
    if (view->node->child || dp_mjcf_keyword(view, "builtin", 0) != 0) {
        return dp_mjcf_fail(view->node,
                            "shapes made by MuJoCo or its plugins are not known (expected a file "
                            "or vertices)");
    }
    DP_TRY(dp_xml_find(view->node, "vertex") ? read_inline(&mesh, scratch, view->node)
                                             : read_file(&mesh, scratch, m, view->node));
    DP_TRY(place_mesh(&mesh, scratch, view));
    const int most = dp_mjcf_integer(view, "maxhullvert", -1);
    if (most >= 0 && most < 4) {
        return dp_mjcf_fail(view->node, "found maxhullvert %d (expected −1 or 4 and more)", most);
    }
    const dp_mesh_spec spec = {
        .name = asset->name,
        .vertex = mesh.vertex,
        .nvertex = mesh.nvertex,
        .face = mesh.nface > 0 ? mesh.face : NULL,
        .nface = mesh.nface,
        .inertia = read_inertia(m, view),
        .max_hull_vertices = most > 0 ? most : 0,
        .where = dp_mjcf_where(view->node),
    };
    return dp_spec_add_mesh(NULL, m->spec, &spec);
}

dp_status dp_mjcf_need_mesh(dp_mjcf_asset *asset, dp_mjcf *m)
{
    if (asset->asked) {
        return DP_OK;
    }
    asset->asked = true;
    dp_mjcf_view view;
    DP_TRY(dp_mjcf_open(&view, m, asset->node, DP_MJCF_MESH, m->main));
    dp_pool scratch;
    dp_pool_init(&scratch, &m->pool.allocator);
    const dp_status status = add_mesh(m, asset, &view, &scratch);
    dp_pool_destroy(&scratch);
    return note_problem(asset, m, status);
}

// ---- height fields

static dp_status check_hfield(const dp_xml_node *node)
{
    const dp_mjcf_view view = {.node = node};
    const dp_xml_attribute *elevation = dp_xml_find(node, "elevation");
    const int nrow = dp_mjcf_integer(&view, "nrow", 0), ncol = dp_mjcf_integer(&view, "ncol", 0);
    if (dp_xml_value(node, "file", "")[0] != '\0') {
        return DP_OK;
    }
    if (nrow < 2 || ncol < 2) {
        return dp_mjcf_fail(node, "found %d rows and %d columns (expected 2 or more, or a file)",
                            nrow, ncol);
    }
    if (elevation && (long long)nrow * ncol != elevation->count) {
        return dp_mjcf_fail(node, "found %d numbers in elevation (expected %d × %d)",
                            elevation->count, nrow, ncol);
    }
    return DP_OK;
}

// Inline elevation, the row with the greatest y first.
static dp_status read_elevation(dp_hfield_data *out, dp_pool *pool, const dp_xml_node *node)
{
    const dp_mjcf_view view = {.node = node};
    const dp_xml_attribute *elevation = dp_xml_find(node, "elevation");
    *out = (dp_hfield_data){.nrow = dp_mjcf_integer(&view, "nrow", 0),
                            .ncol = dp_mjcf_integer(&view, "ncol", 0)};
    if (!elevation) {
        return DP_OK; // flat
    }
    const size_t ncol = (size_t)out->ncol, n = (size_t)elevation->count;
    double *z;
    DP_TRY(dp_pool_take(&z, pool, n, sizeof *z));
    for (size_t at = 0; at < n; at += ncol) {
        memcpy(z + n - ncol - at, elevation->number + at, ncol * sizeof *z);
    }
    dp_hfield_scale(&out->low, &out->high, z, n);
    out->elevation = z;
    return DP_OK;
}

static dp_status add_hfield(dp_mjcf *m, const dp_mjcf_asset *asset, dp_pool *scratch)
{
    dp_hfield_data data;
    if (dp_xml_value(asset->node, "file", "")[0] != '\0') {
        dp_mjcf_file file;
        DP_TRY(find_file(&file, m, asset->node));
        DP_TRY(dp_hfield_load(&data, scratch, file.path));
    } else {
        DP_TRY(read_elevation(&data, scratch, asset->node));
    }
    dp_hfield_spec spec = {.name = asset->name,
                           .nrow = data.nrow,
                           .ncol = data.ncol,
                           .elevation = data.elevation,
                           .where = dp_mjcf_where(asset->node)};
    memcpy(spec.size, dp_xml_find(asset->node, "size")->number, sizeof spec.size);
    return dp_spec_add_hfield(NULL, m->spec, &spec);
}

dp_status dp_mjcf_need_hfield(dp_mjcf_asset *asset, dp_mjcf *m)
{
    if (asset->asked) {
        return DP_OK;
    }
    asset->asked = true;
    dp_pool scratch;
    dp_pool_init(&scratch, &m->pool.allocator);
    const dp_status status = add_hfield(m, asset, &scratch);
    dp_pool_destroy(&scratch);
    return note_problem(asset, m, status);
}

// ---- all of them

dp_status dp_mjcf_list_assets(dp_mjcf *m)
{
    DP_TRY(list_assets(&m->mesh, m, "mesh"));
    DP_TRY(list_assets(&m->hfield, m, "hfield"));
    for (int i = 0; i < m->mesh.count; ++i) {
        const dp_mjcf_view view = {.node = m->mesh.at[i].node};
        DP_TRY(check_mesh(&view));
    }
    for (int i = 0; i < m->hfield.count; ++i) {
        DP_TRY(check_hfield(m->hfield.at[i].node));
    }
    return DP_OK;
}

dp_status dp_mjcf_judge_assets(dp_mjcf *m)
{
    const dp_mjcf_assets *list[] = {&m->mesh, &m->hfield};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < list[k]->count; ++i) {
            const dp_mjcf_asset *asset = &list[k]->at[i];
            if (!asset->asked) {
                DP_TRY(dp_mjcf_judge_all(m, asset->node, DP_IMPORT_VERDICT_IGNORED,
                                         "no geom that weighs or touches anything has this shape"));
            } else if (asset->problem) {
                DP_TRY(
                    dp_mjcf_judge_all(m, asset->node, DP_IMPORT_VERDICT_REFUSED, asset->problem));
            }
        }
    }
    return DP_OK;
}

// ---- primitives in the place of a mesh

// Half lengths of the box with the same inertia as the mesh, or around it along its principal axes,
// and where its centre is.
static dp_status measure_mesh(double half[3], dp_pose *frame, const dp_mjcf *m, int i)
{
    dp_mesh_moments moments;
    DP_TRY(dp_spec_mesh_moments(&moments, m->spec, i));
    const dp_inertial body = dp_mesh_inertial(&moments, 1.0);
    *frame = body.frame;
    const dp_v3 I = body.moments; // of 1 kg, in decreasing order
    if (!m->compiler.fit_box) {
        half[0] = 0.5 * sqrt(6.0 * fmax(I.y + I.z - I.x, 0.0));
        half[1] = 0.5 * sqrt(6.0 * (I.x + I.z - I.y));
        half[2] = 0.5 * sqrt(6.0 * (I.x + I.y - I.z));
        return DP_OK;
    }
    const dp_mesh mesh = dp_spec_mesh_view(m->spec, i);
    dp_v3 low = {0.0, 0.0, 0.0}, high = low;
    for (int k = 0; k < mesh.nvertex; ++k) {
        const dp_v3 x =
            dp_quat_rotate_back(frame->q, dp_v3_sub(dp_mesh_vertex(&mesh, k), frame->p));
        low = k == 0 ? x : (dp_v3){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
        high = k == 0 ? x : (dp_v3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
    }
    dp_v3_store(half, dp_v3_scale(dp_v3_sub(high, low), 0.5));
    frame->p = dp_pose_apply(*frame, dp_v3_scale(dp_v3_add(low, high), 0.5));
    return DP_OK;
}

dp_status dp_mjcf_fit(dp_geom_spec *geom, dp_pose *frame, const dp_mjcf *m,
                      const dp_mjcf_asset *asset)
{
    const int i = dp_name_find(&m->spec->list[DP_ELEMENT_MESH].index,
                               dp_spec_names(m->spec, DP_ELEMENT_MESH), asset->name);
    double half[3];
    DP_TRY(measure_mesh(half, frame, m, i));
    const bool box = m->compiler.fit_box;
    const double across = box ? fmax(half[0], half[1]) : 0.5 * (half[0] + half[1]);
    memset(geom->size, 0, sizeof geom->size);
    switch (geom->kind) {
    case DP_GEOM_SPHERE:
        geom->size[0] = box ? fmax(across, half[2]) : (half[0] + half[1] + half[2]) / 3.0;
        return DP_OK;
    case DP_GEOM_CAPSULE:
        geom->size[0] = across;
        geom->size[1] = fmax(0.0, half[2] - (box ? across : 0.5 * across));
        return DP_OK;
    case DP_GEOM_CYLINDER:
        geom->size[0] = across;
        geom->size[1] = half[2];
        return DP_OK;
    default:
        memcpy(geom->size, half, sizeof half);
        return DP_OK;
    }
}
