// MuJoCo's MSH: four counts, then the vertices, normals and texture coordinates as singles, then
// the faces as three vertex numbers from 0; all little-endian, nothing else. There are as many
// normals and texture coordinates as vertices, or none; they are not used.
#include "io/codec/bytes.h"
#include "io/mesh/mesh_file.h"

enum { HEADER = 16 }; // bytes

typedef struct counts {
    int64_t nvertex, nnormal, ntexture, nface;
} counts;

static counts read_counts(const unsigned char *at)
{
    return (counts){dp_little_i32(at), dp_little_i32(at + 4), dp_little_i32(at + 8),
                    dp_little_i32(at + 12)};
}

static bool are_possible(const counts *n)
{
    return n->nvertex > 0 && n->nvertex <= DP_MESH_MAX && n->nface >= 0 &&
           n->nface <= DP_MESH_MAX && (n->nnormal == 0 || n->nnormal == n->nvertex) &&
           (n->ntexture == 0 || n->ntexture == n->nvertex);
}

static int64_t total_size(const counts *n)
{
    return HEADER + 12 * n->nvertex + 12 * n->nnormal + 8 * n->ntexture + 12 * n->nface;
}

bool dp_mesh_is_msh(const char *bytes, size_t count)
{
    if (count < HEADER) {
        return false;
    }
    const counts n = read_counts((const unsigned char *)bytes);
    return are_possible(&n) && (uint64_t)total_size(&n) == count;
}

static dp_status read_vertices(double *vertex, int nvertex, const unsigned char *bytes, size_t at,
                               const char *file)
{
    for (size_t k = 0; k < 3 * (size_t)nvertex; ++k) {
        vertex[k] = dp_little_f32(bytes + at + 4 * k);
        if (!isfinite(vertex[k])) {
            return dp_fail(
                DP_ERROR_PARSE,
                "%s: byte %zu: found a coordinate that is not finite (expected a number)", file,
                at + 4 * k);
        }
    }
    return DP_OK;
}

static dp_status read_faces(int *face, const counts *n, const unsigned char *bytes, size_t at,
                            const char *file)
{
    for (size_t k = 0; k < 3 * (size_t)n->nface; ++k) {
        const int64_t number = dp_little_i32(bytes + at + 4 * k);
        if (number < 0 || number >= n->nvertex) {
            return dp_fail(DP_ERROR_PARSE,
                           "%s: byte %zu: found vertex %lld of a face (expected 0 … %lld)", file,
                           at + 4 * k, (long long)number, (long long)n->nvertex - 1);
        }
        face[k] = (int)number;
    }
    return DP_OK;
}

dp_status dp_mesh_read_msh(dp_mesh *out, dp_pool *pool, const char *bytes, size_t count,
                           const char *file)
{
    if (count < HEADER) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: byte %zu: found the end of the file (expected four counts)", file,
                       count);
    }
    const unsigned char *data = (const unsigned char *)bytes;
    const counts n = read_counts(data);
    if (!are_possible(&n)) {
        return dp_fail(
            DP_ERROR_PARSE,
            "%s: byte 0: found %lld vertices, %lld normals, %lld texture coordinates and "
            "%lld faces (expected 1 … %d vertices, as many or none of the next two)",
            file, (long long)n.nvertex, (long long)n.nnormal, (long long)n.ntexture,
            (long long)n.nface, DP_MESH_MAX);
    }
    if ((uint64_t)total_size(&n) != count) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: found %zu bytes (expected %lld for %lld vertices, %lld normals, %lld "
                       "texture coordinates and %lld faces)",
                       file, count, (long long)total_size(&n), (long long)n.nvertex,
                       (long long)n.nnormal, (long long)n.ntexture, (long long)n.nface);
    }
    double *vertex;
    int *face;
    DP_TRY(dp_pool_take(&vertex, pool, (size_t)n.nvertex, 3 * sizeof *vertex));
    DP_TRY(dp_pool_take(&face, pool, (size_t)n.nface, 3 * sizeof *face));
    DP_TRY(read_vertices(vertex, (int)n.nvertex, data, HEADER, file));
    DP_TRY(read_faces(face, &n, data, count - 12 * (size_t)n.nface, file));
    *out = (dp_mesh){file, vertex, (int)n.nvertex, face, (int)n.nface};
    return DP_OK;
}
