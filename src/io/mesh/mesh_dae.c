// Collada (.dae): the triangles of every geometry that the scene shows, placed by its nodes.
//
//     <COLLADA>
//       <asset> <unit meter="0.001"/> <up_axis>Z_UP</up_axis> </asset>
//       <library_geometries> <geometry id="g"> <mesh>
//         <source id="s"> <float_array>x y z …</float_array> … <accessor stride="3"/> </source>
//         <vertices id="v"> <input semantic="POSITION" source="#s"/> </vertices>
//         <triangles count="2"> <input semantic="VERTEX" source="#v" offset="0"/> <p>0 1 2 …</p>
//       <library_visual_scenes> <visual_scene id="w">
//         <node> <matrix>…</matrix> <instance_geometry url="#g"/> <node>…
//       <scene> <instance_visual_scene url="#w"/>
//
// Lengths are scaled to metres. <up_axis> turns nothing: robots name their meshes in the axes of
// the link, and the tools that they were made with (RViz, MoveIt, Pinocchio) do not turn them
// either. Skins, lines, and what a file says of looks are left out.
#include "io/mesh/mesh_file.h"

#include "base/interrupt.h"
#include "base/text/number.h"
#include "io/codec/xml.h"
#include "math/angle.h"
#include "model/name_index.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// x ↦ A x + b
typedef struct affine {
    dp_m3 A;
    dp_v3 b;
} affine;

typedef struct named {
    const char *id;
    dp_xml_node *node;
} named;

// The positions of a geometry. Read once, however often it is shown.
typedef struct positions {
    double *x; // 3·count
    int count;
} positions;

// A tree of nodes that is still to be looked at, and where it is.
typedef struct placed {
    dp_xml_node *root;
    affine X;
    struct placed *next;
} placed;

typedef struct dae {
    const char *file;
    dp_pool *pool;
    named *id; // of all elements that have one
    int nid;
    dp_name_index index;
    placed *pending;
    size_t bytes;   // of the file; no more triangles than that
    size_t budget;  // nodes and corners that may still come: a node may hold others many times
    double *vertex; // three of each triangle; NULL: they are counted
    size_t ntriangle;
} dae;

static dp_status fail(const dp_xml_node *node, const char *found, const char *expected)
{
    return dp_fail(DP_ERROR_PARSE, "%s:%d: %s: found %s (expected %s)", node->file, node->line,
                   node->name, found, expected);
}

static bool is(const dp_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

static const dp_xml_node *child(const dp_xml_node *node, const char *name)
{
    const dp_xml_node *c = node->child;
    while (c && !is(c, name)) {
        c = c->next;
    }
    return c;
}

// ---- ids

static dp_name_list names(const dae *d)
{
    return (dp_name_list){d->nid > 0 ? &d->id[0].id : NULL, sizeof *d->id, d->nid};
}

static dp_status index_ids(dae *d, dp_xml_node *root)
{
    for (dp_xml_node *n = root; n; n = dp_xml_next(root, n, false)) {
        d->nid += dp_xml_find(n, "id") != NULL;
    }
    DP_TRY(dp_pool_take(&d->id, d->pool, (size_t)d->nid, sizeof *d->id));
    d->index.nslot = dp_name_slots(d->nid);
    DP_TRY(dp_pool_take(&d->index.slot, d->pool, d->index.nslot, sizeof *d->index.slot));
    int count = 0;
    for (dp_xml_node *n = root; n; n = dp_xml_next(root, n, false)) {
        const char *id = dp_xml_value(n, "id", NULL);
        if (id) {
            d->id[count] = (named){id, n};
            const dp_name_list all = {&d->id[0].id, sizeof *d->id, count + 1};
            if (dp_name_find(&d->index, all, id) < 0) { // the first one counts
                dp_name_insert(&d->index, all, count);
            }
            ++count;
        }
    }
    return DP_OK;
}

// The element of `name` that an attribute points to: "#id".
static dp_status follow(dp_xml_node **out, const dae *d, const dp_xml_node *node,
                        const char *attribute, const char *name)
{
    const char *url = dp_xml_value(node, attribute, "");
    const int i = url[0] == '#' ? dp_name_find(&d->index, names(d), url + 1) : -1;
    if (i < 0 || !is(d->id[i].node, name)) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: %s: found %s '%.100s' (expected '#' and the id of a "
                       "<%s> of this file)",
                       node->file, node->line, node->name, attribute, url, name);
    }
    *out = d->id[i].node;
    return DP_OK;
}

// ---- numbers

static dp_status read_numbers(double *x, int count, const dp_xml_node *node)
{
    const char *at = node->text ? node->text : "";
    for (int i = 0; i < count; ++i) {
        if (dp_number_read(&x[i], &at) != DP_NUMBER_OK) {
            return dp_fail(DP_ERROR_PARSE,
                           "%s:%d: %s: found '%.20s' as number %d (expected %d "
                           "finite numbers)",
                           node->file, node->line, node->name, at, i + 1, count);
        }
    }
    return DP_OK;
}

// The next whole number, which is at least 0. False: there is none.
static bool read_index(int *out, const char **at)
{
    const char *start = *at;
    double x;
    if (dp_number_read(&x, at) != DP_NUMBER_OK || !(x >= 0.0) || x > DP_MESH_MAX ||
        x != (double)(int)x) {
        *at = start;
        return false;
    }
    *out = (int)x;
    return true;
}

static dp_status read_count(int *out, const dp_xml_node *node, const char *attribute, int otherwise)
{
    const char *at = dp_xml_value(node, attribute, NULL);
    *out = otherwise;
    return !at || read_index(out, &at) ? DP_OK
                                       : fail(node, attribute, "a whole number that is 0 or more");
}

// ---- positions

static size_t count_words(const char *text)
{
    static const char blanks[] = " \t\r\n";
    size_t n = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        text += strcspn(text, blanks);
        ++n;
    }
    return n;
}

static dp_status read_source(positions *out, dae *d, const dp_xml_node *source)
{
    const dp_xml_node *array = child(source, "float_array");
    const dp_xml_node *technique = child(source, "technique_common");
    const dp_xml_node *accessor = technique ? child(technique, "accessor") : NULL;
    if (!array) {
        return fail(source, "no <float_array>", "one with the positions");
    }
    int stride = 3, offset = 0;
    if (accessor) {
        DP_TRY(read_count(&stride, accessor, "stride", 3));
        DP_TRY(read_count(&offset, accessor, "offset", 0));
    }
    const size_t words = count_words(array->text ? array->text : "");
    if (stride < 3 || words > DP_MESH_MAX) {
        return fail(accessor ? accessor : array, "an array that holds no positions",
                    "x, y, z of each, and at most 7e8 numbers");
    }
    double *raw;
    DP_TRY(dp_interrupt_check(20 * words));
    DP_TRY(dp_pool_take(&raw, d->pool, words, sizeof *raw));
    DP_TRY(read_numbers(raw, (int)words, array));
    const size_t left = words > (size_t)offset ? words - (size_t)offset : 0;
    out->count = (int)((left + (size_t)stride - 3) / (size_t)stride);
    for (int i = 0; i < out->count; ++i) { // to the front, in place
        memmove(raw + 3 * (size_t)i, raw + (size_t)offset + (size_t)stride * (size_t)i,
                3 * sizeof *raw);
    }
    out->x = raw;
    return DP_OK;
}

// From the <vertices> that a primitive names.
static dp_status find_positions(const positions **out, dae *d, const dp_xml_node *input)
{
    dp_xml_node *vertices = NULL, *source = NULL;
    DP_TRY(follow(&vertices, d, input, "source", "vertices"));
    DP_ASSERT(vertices);
    const dp_xml_node *position = vertices->child;
    for (; position; position = position->next) {
        if (is(position, "input") &&
            strcmp(dp_xml_value(position, "semantic", ""), "POSITION") == 0) {
            break;
        }
    }
    if (!position) {
        return fail(vertices, "no <input semantic=\"POSITION\">", "one");
    }
    DP_TRY(follow(&source, d, position, "source", "source"));
    DP_ASSERT(source);
    if (!source->scope) {
        positions *read;
        DP_TRY(dp_pool_take(&read, d->pool, 1, sizeof *read));
        DP_TRY(read_source(read, d, source));
        source->scope = read;
    }
    *out = source->scope;
    return DP_OK;
}

// ---- triangles

// One <triangles>, <polylist> … while it is read.
typedef struct primitive {
    dae *d;
    const dp_xml_node *node;
    const positions *from;
    int stride, offset; // numbers a corner has, and which of them is the vertex
    const affine *X;
    bool mirrored; // corners then run the other way
} primitive;

static dp_status too_many(const dp_xml_node *node)
{
    return fail(node, "more copies than a file of this size needs",
                "nodes that do not hold each other");
}

static dp_status spend(dae *d, const dp_xml_node *node)
{
    if (d->budget == 0) {
        return too_many(node);
    }
    --d->budget;
    return DP_OK;
}

static dp_status add_triangle(const primitive *p, const int corner[3])
{
    dae *d = p->d;
    if (d->ntriangle >= d->bytes || d->ntriangle >= DP_MESH_MAX / 3) {
        return too_many(p->node);
    }
    if (d->vertex) {
        for (int k = 0; k < 3; ++k) {
            const int from = corner[p->mirrored ? 2 - k : k];
            const dp_v3 x = dp_v3_load(p->from->x + 3 * (size_t)from);
            const dp_v3 y = dp_v3_add(dp_m3_apply(&p->X->A, x), p->X->b);
            if (!(dp_v3_norm(y) < FLT_MAX)) {
                return fail(p->node, "a vertex that is not finite", "finite numbers");
            }
            dp_v3_store(d->vertex + 9 * d->ntriangle + 3 * (size_t)k, y);
        }
    }
    ++d->ntriangle;
    return DP_OK;
}

// The next corner of `*at`. `*more` is false at the end of the text.
static dp_status read_corner(int *out, bool *more, const primitive *p, const char **at)
{
    DP_TRY(spend(p->d, p->node));
    for (int k = 0; k < p->stride; ++k) {
        int index;
        if (!read_index(&index, at)) {
            *at += strspn(*at, " \t\r\n");
            *more = false;
            return **at == '\0' ? DP_OK : fail(p->node, "no number in <p>", "numbers of vertices");
        }
        if (k == p->offset) {
            *out = index;
        }
    }
    *more = true;
    return *out < p->from->count
               ? DP_OK
               : dp_fail(DP_ERROR_PARSE, "%s:%d: %s: found vertex %d (expected 0 to %d)",
                         p->node->file, p->node->line, p->node->name, *out, p->from->count - 1);
}

typedef enum winding { FAN, STRIP } winding;

// Up to `count` corners as a fan or a strip of triangles.
static dp_status read_polygon(bool *more, const primitive *p, const char **at, int count,
                              winding as)
{
    int first = 0, last[2] = {0, 0}; // corners i − 2 and i − 1
    *more = true;
    for (int i = 0; i < count; ++i) {
        int corner = 0;
        DP_TRY(dp_interrupt_check(200));
        DP_TRY(read_corner(&corner, more, p, at));
        if (!*more) {
            return DP_OK;
        }
        first = i == 0 ? corner : first;
        if (i >= 2) {
            const bool odd = i % 2 == 1;
            const int fan[3] = {first, last[1], corner};
            const int strip[3] = {last[odd ? 1 : 0], last[odd ? 0 : 1], corner};
            DP_TRY(add_triangle(p, as == FAN ? fan : strip));
        }
        last[0] = last[1];
        last[1] = corner;
    }
    return DP_OK;
}

static dp_status read_triangles(const primitive *p, const char *text)
{
    for (bool more = true; more;) {
        DP_TRY(read_polygon(&more, p, &text, 3, FAN));
    }
    return DP_OK;
}

static dp_status read_polylist(const primitive *p, const char *text)
{
    const dp_xml_node *counts = child(p->node, "vcount");
    const char *at = counts && counts->text ? counts->text : "";
    bool more = true;
    for (int count; more && read_index(&count, &at);) {
        DP_TRY(read_polygon(&more, p, &text, count, FAN));
    }
    return DP_OK;
}

// Each <p> is one polygon, fan or strip. Holes are filled.
static dp_status read_pieces(const primitive *p, winding as)
{
    for (const dp_xml_node *piece = p->node->child; piece; piece = piece->next) {
        const dp_xml_node *corners = is(piece, "ph") ? child(piece, "p") : piece;
        if (corners && is(corners, "p")) {
            const char *text = corners->text ? corners->text : "";
            bool more;
            DP_TRY(read_polygon(&more, p, &text, DP_MESH_MAX, as));
        }
    }
    return DP_OK;
}

// Where in each corner the number of the vertex is.
static dp_status read_inputs(primitive *p)
{
    const dp_xml_node *vertex = NULL;
    for (const dp_xml_node *input = p->node->child; input; input = input->next) {
        if (is(input, "input")) {
            int offset;
            DP_TRY(read_count(&offset, input, "offset", 0));
            if (offset >= 100) {
                return fail(input, "an offset of 100 or more", "less");
            }
            p->stride = offset >= p->stride ? offset + 1 : p->stride;
            if (strcmp(dp_xml_value(input, "semantic", ""), "VERTEX") == 0) {
                vertex = input;
                p->offset = offset;
            }
        }
    }
    if (!vertex) {
        return fail(p->node, "no <input semantic=\"VERTEX\">", "one");
    }
    return find_positions(&p->from, p->d, vertex);
}

static double determinant(const dp_m3 *A)
{
    return dp_v3_dot(dp_m3_column(A, 0), dp_v3_cross(dp_m3_column(A, 1), dp_m3_column(A, 2)));
}

static dp_status read_primitive(dae *d, const dp_xml_node *node, const affine *X)
{
    primitive p = {.d = d, .node = node, .X = X, .mirrored = determinant(&X->A) < 0.0};
    const bool triangles = is(node, "triangles"), polylist = is(node, "polylist");
    const bool strips = is(node, "tristrips");
    if (!triangles && !polylist && !strips && !is(node, "polygons") && !is(node, "trifans")) {
        return DP_OK; // lines, sources
    }
    DP_TRY(read_inputs(&p));
    if (!triangles && !polylist) {
        return read_pieces(&p, strips ? STRIP : FAN);
    }
    const dp_xml_node *corners = child(node, "p");
    const char *text = corners && corners->text ? corners->text : "";
    return triangles ? read_triangles(&p, text) : read_polylist(&p, text);
}

static dp_status read_geometry(dae *d, const dp_xml_node *geometry, const affine *X)
{
    const dp_xml_node *mesh = child(geometry, "mesh");
    for (const dp_xml_node *node = mesh ? mesh->child : NULL; node; node = node->next) {
        DP_TRY(read_primitive(d, node, X));
    }
    return DP_OK;
}

// ---- nodes

static affine compose(const affine *X, const affine *Y)
{
    return (affine){dp_m3_mul(&X->A, &Y->A), dp_v3_add(dp_m3_apply(&X->A, Y->b), X->b)};
}

static const affine IDENTITY = {{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}},
                                {0.0, 0.0, 0.0}};

// One element of a node: <matrix>, <translate>, <rotate>, <scale>; else the identity.
static dp_status read_transform(affine *out, const dp_xml_node *node)
{
    double x[16];
    *out = IDENTITY;
    if (is(node, "matrix")) {
        DP_TRY(read_numbers(x, 16, node));
        for (int i = 0; i < 3; ++i) {
            memcpy(out->A.m[i], x + 4 * i, 3 * sizeof *x);
        }
        out->b = (dp_v3){x[3], x[7], x[11]};
    } else if (is(node, "translate")) {
        DP_TRY(read_numbers(x, 3, node));
        out->b = dp_v3_load(x);
    } else if (is(node, "scale")) {
        DP_TRY(read_numbers(x, 3, node));
        for (int i = 0; i < 3; ++i) {
            out->A.m[i][i] = x[i];
        }
    } else if (is(node, "rotate")) {
        DP_TRY(read_numbers(x, 4, node));
        const dp_v3 axis = dp_v3_load(x);
        const double length = dp_v3_norm(axis);
        if (length > 0.0 && length < FLT_MAX) {
            out->A = dp_m3_from_quat(
                dp_quat_about(dp_v3_scale(axis, 1.0 / length), x[3] * (DP_PI / 180.0)));
        }
    } else if (is(node, "lookat") || is(node, "skew")) {
        return fail(node, "a transformation that is not read", "matrix, translate, rotate, scale");
    }
    return DP_OK;
}

// From the frame of `node`, which is in the tree of `from->root`, to the scene.
static dp_status find_frame(affine *out, const placed *from, const dp_xml_node *node)
{
    enum { DEEPEST = 200 };
    affine X = IDENTITY; // from the outside of what was looked at so far
    int depth = 0;
    for (const dp_xml_node *n = node;; n = n->parent) {
        if (++depth > DEEPEST) {
            return fail(node, "nodes in each other, more than 200 deep", "less");
        }
        affine own = IDENTITY;
        for (const dp_xml_node *c = is(n, "node") ? n->child : NULL; c; c = c->next) {
            affine step;
            DP_TRY(read_transform(&step, c));
            own = compose(&own, &step);
        }
        X = compose(&own, &X);
        if (n == from->root) {
            break;
        }
    }
    *out = compose(&from->X, &X);
    return DP_OK;
}

static dp_status push(dae *d, dp_xml_node *root, const affine *X)
{
    placed *p;
    DP_TRY(dp_pool_take(&p, d->pool, 1, sizeof *p));
    *p = (placed){root, *X, d->pending};
    d->pending = p;
    return DP_OK;
}

static dp_status read_instance(dae *d, const placed *tree, const dp_xml_node *node)
{
    const bool geometry = is(node, "instance_geometry");
    if (!geometry && !is(node, "instance_node")) {
        return DP_OK;
    }
    dp_xml_node *target = NULL;
    affine X = IDENTITY;
    DP_TRY(dp_interrupt_check(2000));
    DP_TRY(follow(&target, d, node, "url", geometry ? "geometry" : "node"));
    DP_TRY(find_frame(&X, tree, node->parent));
    DP_ASSERT(target);
    return geometry ? read_geometry(d, target, &X) : push(d, target, &X);
}

// The scene that is shown, in metres. A file of geometries alone shows each of them once.
static dp_status read_scene(dae *d, dp_xml_node *root, double unit)
{
    affine X = IDENTITY;
    for (int i = 0; i < 3; ++i) {
        X.A.m[i][i] = unit;
    }
    d->ntriangle = 0;
    d->budget = 8 * d->bytes;
    d->pending = NULL;
    const dp_xml_node *scene = child(root, "scene");
    const dp_xml_node *instance = scene ? child(scene, "instance_visual_scene") : NULL;
    if (!instance) {
        const dp_xml_node *library = child(root, "library_geometries");
        for (const dp_xml_node *g = library ? library->child : NULL; g; g = g->next) {
            DP_TRY(is(g, "geometry") ? read_geometry(d, g, &X) : DP_OK);
        }
        return DP_OK;
    }
    dp_xml_node *shown = NULL;
    DP_TRY(follow(&shown, d, instance, "url", "visual_scene"));
    DP_TRY(push(d, shown, &X));
    while (d->pending) {
        const placed tree = *d->pending;
        d->pending = tree.next;
        for (dp_xml_node *n = tree.root; n; n = dp_xml_next(tree.root, n, false)) {
            DP_TRY(spend(d, n));
            DP_TRY(read_instance(d, &tree, n));
        }
    }
    return DP_OK;
}

static dp_status read_asset(double *unit, char *up, const dp_xml_node *root)
{
    const dp_xml_node *asset = child(root, "asset");
    const dp_xml_node *length = asset ? child(asset, "unit") : NULL;
    const dp_xml_node *axis = asset ? child(asset, "up_axis") : NULL;
    const char *meter = length ? dp_xml_value(length, "meter", "1") : "1";
    *up = !axis || !axis->text      ? 'y'
          : strstr(axis->text, "Z") ? 'z'
          : strstr(axis->text, "X") ? 'x'
                                    : 'y';
    if (dp_number_read(unit, &meter) != DP_NUMBER_OK || !(*unit > 0.0)) {
        return fail(length ? length : root, "a unit that is no length", "metres above 0");
    }
    return DP_OK;
}

static dp_status read_file(dp_mesh *out, dp_mesh_file_info *info, dae *d, dp_xml_node *root)
{
    if (!is(root, "COLLADA")) {
        return fail(root, "no <COLLADA> at the root", "a Collada file");
    }
    double unit;
    DP_TRY(read_asset(&unit, &info->up, root));
    DP_TRY(index_ids(d, root));
    DP_TRY(read_scene(d, root, unit));
    const size_t count = d->ntriangle;
    if (count == 0) {
        return fail(root, "no triangles in the scene", "at least one");
    }
    int *face;
    DP_TRY(dp_pool_take(&d->vertex, d->pool, 9 * count, sizeof *d->vertex));
    DP_TRY(dp_pool_take(&face, d->pool, 3 * count, sizeof *face));
    DP_TRY(read_scene(d, root, unit));
    for (size_t i = 0; i < 3 * count; ++i) {
        face[i] = (int)i;
    }
    *out = (dp_mesh){.name = d->file,
                     .vertex = d->vertex,
                     .nvertex = (int)(3 * count),
                     .face = face,
                     .nface = (int)count};
    return DP_OK;
}

dp_status dp_mesh_read_dae(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const char *text,
                           size_t count, const char *file)
{
    dp_xml_node *root;
    DP_TRY(dp_xml_parse_text(&root, pool, text, count, file));
    dae d = {.file = file, .pool = pool, .bytes = count};
    return read_file(out, info, &d, root);
}
