// STL: triangles, each with its own three corners, as text or binary.
//
// Binary: 80 bytes of anything, the number of triangles, and for each 12 singles (a normal, which
// is not used, and three corners) and two more bytes. The 80 bytes may begin with "solid", as text
// does: a file is binary when it has the size that the number of triangles demands, which no text
// has, since four letters make a number beyond 10⁸; or when there is a zero byte near its start.
#include "io/codec/bytes.h"
#include "io/mesh/mesh_file.h"
#include "io/mesh/mesh_text.h"

enum { HEADER = 84, TRIANGLE = 50 }; // bytes

static bool starts_with_solid(const char *bytes, size_t count)
{
    dp_mesh_text t = {bytes, bytes + count, "", 1, false};
    return dp_word_is(dp_mesh_word_anywhere(&t), "solid");
}

static uint64_t binary_size(const char *bytes)
{
    return HEADER + (uint64_t)TRIANGLE * dp_little_u32((const unsigned char *)bytes + 80);
}

bool dp_mesh_is_stl(const char *bytes, size_t count)
{
    return (count > HEADER && binary_size(bytes) == count) || starts_with_solid(bytes, count);
}

static bool is_text(const char *bytes, size_t count)
{
    const size_t start = count < 512 ? count : 512;
    return !(count >= HEADER && binary_size(bytes) == count) && starts_with_solid(bytes, count) &&
           memchr(bytes, '\0', start) == NULL;
}

// Each corner is a vertex for now: the faces are 0 1 2, 3 4 5, …
static dp_status number_corners(dp_mesh *out, dp_pool *pool, const double *vertex, int nvertex,
                                const char *file)
{
    int *face;
    DP_TRY(dp_pool_take(&face, pool, (size_t)nvertex, sizeof *face));
    for (int i = 0; i < nvertex; ++i) {
        face[i] = i;
    }
    *out = (dp_mesh){file, vertex, nvertex, face, nvertex / 3};
    return DP_OK;
}

// --- binary

static dp_status read_binary(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool,
                             const char *bytes, size_t count, const char *file)
{
    if (count < HEADER) {
        return dp_fail(
            DP_ERROR_PARSE,
            "%s: byte %zu: found the end of the file (expected the word solid, or the %d "
            "bytes in front of binary triangles)",
            file, count, HEADER);
    }
    const unsigned char *at = (const unsigned char *)bytes + HEADER;
    const uint32_t n = dp_little_u32(at - 4);
    const size_t fit = (count - HEADER) / TRIANGLE;
    if (n == 0 || n > fit || n > DP_MESH_MAX / 3) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: byte 80: found %lu triangles (expected at least 1, and %zu at most "
                       "in a file of %zu bytes)",
                       file, (unsigned long)n, fit < DP_MESH_MAX / 3 ? fit : DP_MESH_MAX / 3,
                       count);
    }
    info->nbehind = count - (size_t)binary_size(bytes);

    double *vertex;
    DP_TRY(dp_pool_take(&vertex, pool, n, 9 * sizeof *vertex));
    for (size_t k = 0; k < 9 * (size_t)n; ++k) {
        const unsigned char *number = at + k / 9 * TRIANGLE + 12 + k % 9 * 4;
        vertex[k] = dp_little_f32(number);
        if (!isfinite(vertex[k])) {
            return dp_fail(
                DP_ERROR_PARSE,
                "%s: byte %zu: found a coordinate that is not finite (expected a number)", file,
                (size_t)(number - (const unsigned char *)bytes));
        }
    }
    return number_corners(out, pool, vertex, 3 * (int)n, file);
}

// --- text

static dp_status expect(dp_mesh_text *t, const char *keyword)
{
    const dp_word word = dp_mesh_word_anywhere(t);
    return dp_word_is(word, keyword) ? DP_OK : dp_mesh_text_fail(t, word, keyword);
}

// Behind the word "facet": its normal, which may be anything, and three corners.
static dp_status read_facet(double x[9], dp_mesh_text *t)
{
    DP_TRY(expect(t, "normal"));
    for (int k = 0; k < 3; ++k) {
        const dp_word word = dp_mesh_word_anywhere(t);
        if (word.length == 0 || dp_word_is(word, "outer")) {
            return dp_mesh_text_fail(t, word, "three components of a normal");
        }
    }
    DP_TRY(expect(t, "outer"));
    DP_TRY(expect(t, "loop"));
    for (int k = 0; k < 9; ++k) {
        if (k % 3 == 0) {
            DP_TRY(expect(t, "vertex"));
        }
        DP_TRY(dp_mesh_number(&x[k], t, dp_mesh_word_anywhere(t), "a coordinate of a vertex"));
    }
    DP_TRY(expect(t, "endloop"));
    return expect(t, "endfacet");
}

// How often the word "vertex" occurs: the corners, and names that contain it.
static size_t count_corners(dp_mesh_text t)
{
    size_t count = 0;
    for (dp_word word = dp_mesh_word_anywhere(&t); word.length > 0;
         word = dp_mesh_word_anywhere(&t)) {
        count += dp_word_is(word, "vertex");
    }
    return count;
}

static dp_status read_solids(double *vertex, size_t *nvertex, dp_mesh_text *t)
{
    bool inside = false; // between solid and endsolid
    for (;;) {
        const dp_word word = dp_mesh_word_anywhere(t);
        if (!inside && word.length == 0) {
            return DP_OK;
        }
        if (inside && dp_word_is(word, "facet")) {
            DP_TRY(read_facet(vertex + 3 * *nvertex, t));
            *nvertex += 3;
        } else if (dp_word_is(word, inside ? "endsolid" : "solid")) {
            inside = !inside;
            dp_mesh_next_line(t); // behind its name
        } else {
            return dp_mesh_text_fail(t, word, inside ? "facet or endsolid" : "solid");
        }
    }
}

static dp_status read_text(dp_mesh *out, dp_pool *pool, const char *text, size_t count,
                           const char *file)
{
    dp_mesh_text t = {text, text + count, file, 1, false};
    const size_t most = count_corners(t);
    if (most > DP_MESH_MAX) {
        return dp_fail(DP_ERROR_PARSE, "%s: found %zu corners (expected %d at most)", file, most,
                       DP_MESH_MAX);
    }
    double *vertex;
    size_t nvertex = 0;
    DP_TRY(dp_pool_take(&vertex, pool, most, 3 * sizeof *vertex));
    DP_TRY(read_solids(vertex, &nvertex, &t));
    if (nvertex == 0) {
        return dp_mesh_text_fail(&t, (dp_word){t.at, 0}, "at least one facet");
    }
    return number_corners(out, pool, vertex, (int)nvertex, file);
}

dp_status dp_mesh_read_stl(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const char *bytes,
                           size_t count, const char *file)
{
    return is_text(bytes, count) ? read_text(out, pool, bytes, count, file)
                                 : read_binary(out, info, pool, bytes, count, file);
}
