// Meshes as files in memory, written without the code that reads them.
#ifndef DP_TESTS_MESH_WRITER_H
#define DP_TESTS_MESH_WRITER_H

#include "geom/mesh/mesh.h"

/// Bytes that grow; free(bytes) when done.
typedef struct test_file {
    unsigned char *bytes;
    size_t count, capacity;
} test_file;

void put_bytes(test_file *f, const void *bytes, size_t count);
void put_text(test_file *f, const char *format, ...) DP_PRINTF(2, 3);
void put_little32(test_file *f, uint32_t value);
void put_single(test_file *f, double value);
void put_big32(test_file *f, uint32_t value);

/// 17 digits; `corner` shows how a corner with the number %d (three times) is written: "%d",
/// "%d/%d", "%d//%d" or "%d/%d/%d".
test_file write_obj(const dp_mesh *m, const char *corner);
test_file write_stl_text(const dp_mesh *m);
/// `header` stands at the start of the 80 bytes.
test_file write_stl_binary(const dp_mesh *m, const char *header);
/// With or without normals and texture coordinates.
test_file write_msh(const dp_mesh *m, bool looks);

/// The same mesh with coordinates rounded to singles, in `pool`.
dp_mesh round_mesh(dp_pool *pool, const dp_mesh *m);

/// Write to a file; the test fails when that fails.
void save_file(const test_file *f, const char *path);

#endif
