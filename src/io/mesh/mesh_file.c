#include "io/mesh/mesh_file.h"

#include "io/codec/xml.h"
#include "io/mesh/mesh_text.h"

#include <string.h>

// What follows the last dot of the file's own name; "" when there is none.
static const char *extension(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *dot = strrchr(slash ? slash : file, '.');
    return dot ? dot + 1 : "";
}

static dp_status find_format(dp_mesh_format *format, const char *bytes, size_t count,
                             const char *file)
{
    static const struct {
        const char *extension;
        dp_mesh_format format;
    } known[] = {{"obj", DP_MESH_FORMAT_OBJ},
                 {"stl", DP_MESH_FORMAT_STL},
                 {"msh", DP_MESH_FORMAT_MSH},
                 {"dae", DP_MESH_FORMAT_DAE}};
    const char *end = extension(file);
    const dp_word word = {end, strlen(end)};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (dp_word_is(word, known[i].extension)) {
            *format = known[i].format;
            return DP_OK;
        }
    }
    if (dp_mesh_is_stl(bytes, count) || dp_mesh_is_msh(bytes, count)) {
        *format = dp_mesh_is_stl(bytes, count) ? DP_MESH_FORMAT_STL : DP_MESH_FORMAT_MSH;
        return DP_OK;
    }
    return dp_fail(DP_ERROR_UNSUPPORTED,
                   "%s: found a mesh file of an unknown kind (expected .obj, .stl, .msh or .dae)",
                   file);
}

static dp_status read_as(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const char *bytes,
                         size_t count, const char *file)
{
    switch (info->format) {
    case DP_MESH_FORMAT_OBJ:
        return dp_mesh_read_obj(out, info, pool, bytes, count, file);
    case DP_MESH_FORMAT_STL:
        return dp_mesh_read_stl(out, info, pool, bytes, count, file);
    case DP_MESH_FORMAT_DAE:
        return dp_mesh_read_dae(out, info, pool, bytes, count, file);
    default:
        return dp_mesh_read_msh(out, pool, bytes, count, file);
    }
}

dp_status dp_mesh_parse(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const void *bytes,
                        size_t count, const char *file, dp_mesh_format format)
{
    *out = (dp_mesh){.name = NULL};
    if (count == 0) {
        return dp_fail(DP_ERROR_PARSE, "%s: found an empty file (expected a mesh)", file);
    }
    dp_mesh_file_info found = {.format = format};
    if (format == DP_MESH_FORMAT_ANY) {
        DP_TRY(find_format(&found.format, bytes, count, file));
    }
    dp_pool scratch;
    dp_pool_init(&scratch, &pool->allocator);
    dp_mesh raw, mesh;
    dp_status status = read_as(&raw, &found, &scratch, bytes, count, file);
    if (status == DP_OK) {
        status = dp_mesh_weld(&mesh, &found.welded, pool, &raw);
    }
    dp_pool_destroy(&scratch);
    if (status != DP_OK) {
        return status;
    }
    DP_TRY(dp_pool_text(&mesh.name, pool, file));
    *out = mesh;
    if (info) {
        *info = found;
    }
    return DP_OK;
}

dp_status dp_mesh_load(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const char *path,
                       dp_mesh_format format)
{
    *out = (dp_mesh){.name = NULL};
    char *bytes;
    size_t count;
    DP_TRY(dp_file_read(&bytes, &count, path, &pool->allocator));
    const dp_status status = dp_mesh_parse(out, info, pool, bytes, count, path, format);
    dp_release(&pool->allocator, bytes, count + 1, 1);
    return status;
}
