// Wavefront OBJ: "v x y z" and "f i j k …", one statement per line; the rest is looks.
//
// Vertices are numbered from 1; negative numbers count back from the last vertex so far. A corner
// may carry the numbers of a texture coordinate and a normal, "v/t/n", which are not used. Vertices
// may be followed by a weight, a colour or both, which are not used either.
#include "io/mesh/mesh_file.h"
#include "io/mesh/mesh_text.h"

#include <string.h>

// Statements that say nothing of the triangles.
static bool is_looks(dp_word keyword)
{
    static const char *const looks[] = {"vt",       "vn",       "vp",         "g",        "o",
                                        "s",        "mg",       "l",          "p",        "mtllib",
                                        "usemtl",   "maplib",   "usemap",     "lod",      "bevel",
                                        "c_interp", "d_interp", "shadow_obj", "trace_obj"};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; ++i) {
        if (dp_word_is(keyword, looks[i])) {
            return true;
        }
    }
    return false;
}

// How many vertices and triangles there are at most.
static void count_statements(size_t *nvertex, size_t *nface, dp_mesh_text t)
{
    *nvertex = *nface = 0;
    do {
        const dp_word keyword = dp_mesh_word(&t);
        if (dp_word_is(keyword, "v")) {
            ++*nvertex;
        } else if (dp_word_is(keyword, "f")) {
            size_t corners = 0;
            while (dp_mesh_word(&t).length > 0) {
                ++corners;
            }
            *nface += corners > 2 ? corners - 2 : 0;
        }
    } while (dp_mesh_next_line(&t));
}

static dp_status read_vertex(double x[3], dp_mesh_text *t)
{
    enum { MOST = 7 }; // three coordinates, a weight, a colour
    int n = 0;
    for (dp_word word = dp_mesh_word(t); word.length > 0; word = dp_mesh_word(t), ++n) {
        double value;
        DP_TRY(dp_mesh_number(&value, t, word, "a coordinate of a vertex"));
        if (n == MOST) {
            return dp_mesh_text_fail(t, word, "at most 7 numbers of a vertex");
        }
        if (n < 3) {
            x[n] = value;
        }
    }
    return n >= 3 ? DP_OK : dp_mesh_text_fail(t, (dp_word){t->at, 0}, "three coordinates");
}

// An integer at *at, which moves behind it. False: there is none.
static bool read_integer(long long *out, const char **at, const char *end)
{
    const long long limit = 1000000000000; // beyond any number of vertices
    const char *c = *at;
    const bool negative = c < end && *c == '-';
    c += c < end && (*c == '-' || *c == '+');
    if (c == end || *c < '0' || *c > '9') {
        return false;
    }
    long long value = 0;
    for (; c < end && *c >= '0' && *c <= '9'; ++c) {
        value = value < limit ? 10 * value + (*c - '0') : limit;
    }
    *out = negative ? -value : value;
    *at = c;
    return true;
}

// "v", "v/t", "v//n" or "v/t/n" → the number of the vertex from 0. `count` vertices were defined so
// far, `total` are in the file.
static dp_status read_corner(int *out, const dp_mesh_text *t, dp_word word, int count, int total)
{
    const char *at = word.at, *end = word.at + word.length;
    long long index, unused;
    bool sound = read_integer(&index, &at, end);
    for (int k = 0; k < 2 && sound && at < end; ++k) {
        sound = *at++ == '/';
        read_integer(&unused, &at, end); // may be missing
    }
    if (!sound || at < end) {
        return dp_mesh_text_fail(t, word, "a corner of a face: v, v/t, v//n or v/t/n");
    }
    const long long number = index < 0 ? count + index : index - 1;
    if (number < 0 || number >= total) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: found a corner '%s' of a face (expected a vertex 1 … %d, or -1 … "
                       "-%d counted back from here)",
                       t->file, t->line, dp_quote(word).text, total, count);
    }
    *out = (int)number;
    return DP_OK;
}

// Appends a fan of triangles. A face of two corners is a line, and says nothing of the triangles.
static dp_status read_face(int *face, int *nface, dp_mesh_file_info *info, dp_mesh_text *t,
                           int count, int total)
{
    int first = 0, last = 0, n = 0;
    for (dp_word word = dp_mesh_word(t); word.length > 0; word = dp_mesh_word(t), ++n) {
        int corner = 0;
        DP_TRY(read_corner(&corner, t, word, count, total));
        first = n == 0 ? corner : first;
        if (n > 1) {
            int *triangle = face + 3 * (size_t)(*nface)++;
            triangle[0] = first;
            triangle[1] = last;
            triangle[2] = corner;
        }
        last = corner;
    }
    info->nskipped += n == 2;
    return n > 1 ? DP_OK : dp_mesh_text_fail(t, (dp_word){t->at, 0}, "three corners of a face");
}

static void note_other(dp_mesh_file_info *info, const dp_mesh_text *t, dp_word keyword)
{
    if (is_looks(keyword)) {
        ++info->nskipped;
        return;
    }
    if (info->nunknown++ == 0) {
        info->unknown_line = t->line;
        const dp_quoted name = dp_quote(keyword);
        memcpy(info->unknown, name.text, sizeof name.text);
    }
}

static dp_status read_statements(double *vertex, int *face, int *nface, dp_mesh_file_info *info,
                                 dp_mesh_text t, int total)
{
    int count = 0;
    bool in_group = false; // faces of the present group were met
    do {
        const dp_word keyword = dp_mesh_word(&t);
        if (keyword.length == 0) {
            continue;
        }
        if (dp_word_is(keyword, "v")) {
            DP_TRY(read_vertex(vertex + 3 * (size_t)count, &t));
            ++count;
        } else if (dp_word_is(keyword, "f")) {
            DP_TRY(read_face(face, nface, info, &t, count, total));
            info->ngroup += !in_group;
            in_group = true;
        } else {
            in_group = in_group && !dp_word_is(keyword, "g") && !dp_word_is(keyword, "o");
            note_other(info, &t, keyword);
        }
    } while (dp_mesh_next_line(&t));
    return DP_OK;
}

dp_status dp_mesh_read_obj(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const char *text,
                           size_t count, const char *file)
{
    static const char mark[] = "\xEF\xBB\xBF"; // of UTF-8, which some editors put in front
    const size_t skip = count >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    const dp_mesh_text t = {text + skip, text + count, file, 1, true};
    size_t nvertex, nface;
    count_statements(&nvertex, &nface, t);
    if (nvertex == 0 || nvertex > DP_MESH_MAX || nface > DP_MESH_MAX) {
        return dp_fail(
            DP_ERROR_PARSE,
            "%s: found %zu vertices and %zu triangles (expected at least one vertex, and "
            "at most %d of each)",
            file, nvertex, nface, DP_MESH_MAX);
    }
    dp_mesh mesh = {.name = file, .nvertex = (int)nvertex};
    double *vertex;
    int *face;
    DP_TRY(dp_pool_take(&vertex, pool, nvertex, 3 * sizeof *vertex));
    DP_TRY(dp_pool_take(&face, pool, nface, 3 * sizeof *face));
    DP_TRY(read_statements(vertex, face, &mesh.nface, info, t, mesh.nvertex));
    mesh.vertex = vertex;
    mesh.face = face;
    *out = mesh;
    return DP_OK;
}
