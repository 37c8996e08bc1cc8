// Mesh files: OBJ, STL (text and binary), MuJoCo's MSH and Collada, from memory into a pool.
//
// Files are not trusted. Counts are held against the bytes that are there before memory is taken,
// which stays proportional to the file, as does the time but for the sort that joins vertices.
#ifndef DP_FORMAT_MESH_FILE_H
#define DP_FORMAT_MESH_FILE_H

#include "geom/mesh/mesh.h"

typedef enum dp_mesh_format {
    DP_MESH_FORMAT_ANY, ///< by the end of the name, ".obj", ".stl", ".msh" or ".dae"; else by the
                        ///< content
    DP_MESH_FORMAT_OBJ,
    DP_MESH_FORMAT_STL,
    DP_MESH_FORMAT_MSH,
    DP_MESH_FORMAT_DAE,
} dp_mesh_format;

/// What a file held besides the mesh.
typedef struct dp_mesh_file_info {
    dp_mesh_format format; // what it was read as
    dp_mesh_welded welded; // equal vertices made one, and faces that vanished by it
    int ngroup;            // OBJ: runs of faces that no g or o statement interrupts
    int nskipped;          // OBJ: statements that say nothing of the shape: vt, vn, usemtl …
    int nunknown;          // OBJ: statements that nobody knows
    int unknown_line;      // of the first of them
    char unknown[44];      // its keyword
    size_t nbehind;        // binary STL: bytes behind the last triangle
    char up;               // Collada: 'x', 'y' or 'z', which nothing is turned by
} dp_mesh_file_info;

/// Read a mesh from memory; it lives in `pool`. `file` stands for it in messages and becomes its
/// name. Polygons become fans of triangles; vertices with equal coordinates become one. There is at
/// least one vertex; there may be no faces. `info` may be NULL.
/// @return DP_ERROR_PARSE with "file:line: found, expected" for text, "file: byte N: found,
///         expected" for binary files; DP_ERROR_UNSUPPORTED for a format that is none of these.
dp_status dp_mesh_parse(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const void *bytes,
                        size_t count, const char *file, dp_mesh_format format);
/// The same from a file.
dp_status dp_mesh_load(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const char *path,
                       dp_mesh_format format);

// The readers: one format each, vertices as they are in the file.

dp_status dp_mesh_read_obj(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const char *text,
                           size_t count, const char *file);
dp_status dp_mesh_read_stl(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const char *bytes,
                           size_t count, const char *file);
dp_status dp_mesh_read_msh(dp_mesh *out, dp_pool *pool, const char *bytes, size_t count,
                           const char *file);
dp_status dp_mesh_read_dae(dp_mesh *out, dp_mesh_file_info *info, dp_pool *pool, const char *text,
                           size_t count, const char *file);
/// Whether bytes can be nothing else: a binary STL or MSH file has exactly the size that its header
/// says.
bool dp_mesh_is_stl(const char *bytes, size_t count);
bool dp_mesh_is_msh(const char *bytes, size_t count);

#endif
