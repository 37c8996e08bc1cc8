#include "mesh_writer.h"

#include "mesh_shapes.h"
#include "near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put_bytes(test_file *f, const void *bytes, size_t count)
{
    if (count == 0) {
        return;
    }
    if (f->count + count > f->capacity) {
        f->capacity = 2 * (f->count + count) + 64;
        f->bytes = realloc(f->bytes, f->capacity);
        assert_non_null(f->bytes);
    }
    memcpy(f->bytes + f->count, bytes, count);
    f->count += count;
}

void put_text(test_file *f, const char *format, ...)
{
    char line[400];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && n < (int)sizeof line);
    put_bytes(f, line, (size_t)n);
}

void put_little32(test_file *f, uint32_t value)
{
    const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8),
                                    (unsigned char)(value >> 16), (unsigned char)(value >> 24)};
    put_bytes(f, bytes, 4);
}

void put_big32(test_file *f, uint32_t value)
{
    const unsigned char bytes[4] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16),
                                    (unsigned char)(value >> 8), (unsigned char)value};
    put_bytes(f, bytes, 4);
}

void put_single(test_file *f, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put_little32(f, bits);
}

test_file write_obj(const dp_mesh *m, const char *corner)
{
    test_file f = {0};
    for (int i = 0; i < m->nvertex; ++i) {
        const dp_v3 x = dp_mesh_vertex(m, i);
        put_text(&f, "v %.17g %.17g %.17g\n", x.x, x.y, x.z);
    }
    for (int k = 0; k < 3 * m->nface; ++k) {
        char number[16], word[64] = "";
        snprintf(number, sizeof number, "%d", m->face[k] + 1);
        for (const char *c = corner; *c; ++c) { // %d stands for the number
            const bool place = c[0] == '%' && c[1] == 'd';
            strncat(word, place ? number : c, place ? sizeof number : 1);
            c += place;
        }
        put_text(&f, "%s %s%s", k % 3 == 0 ? "f" : "", word, k % 3 == 2 ? "\n" : "");
    }
    return f;
}

test_file write_stl_text(const dp_mesh *m)
{
    test_file f = {0};
    put_text(&f, "solid made for a test\n");
    for (int t = 0; t < m->nface; ++t) {
        put_text(&f, "  facet normal 0 0 0\n    outer loop\n");
        for (int k = 0; k < 3; ++k) {
            const dp_v3 x = dp_mesh_corner(m, t, k);
            put_text(&f, "      vertex %.17g %.17g %.17g\n", x.x, x.y, x.z);
        }
        put_text(&f, "    endloop\n  endfacet\n");
    }
    put_text(&f, "endsolid made for a test\n");
    return f;
}

test_file write_stl_binary(const dp_mesh *m, const char *header)
{
    test_file f = {0};
    char start[80] = {0};
    memcpy(start, header, strlen(header));
    put_bytes(&f, start, sizeof start);
    put_little32(&f, (uint32_t)m->nface);
    for (int t = 0; t < m->nface; ++t) {
        for (int k = 0; k < 3; ++k) {
            put_single(&f, 0.0); // a normal
        }
        for (int k = 0; k < 3; ++k) {
            const dp_v3 x = dp_mesh_corner(m, t, k);
            put_single(&f, x.x);
            put_single(&f, x.y);
            put_single(&f, x.z);
        }
        put_bytes(&f, "\0", 2);
    }
    return f;
}

test_file write_msh(const dp_mesh *m, bool looks)
{
    test_file f = {0};
    const uint32_t n = (uint32_t)m->nvertex;
    put_little32(&f, n);
    put_little32(&f, looks ? n : 0);
    put_little32(&f, looks ? n : 0);
    put_little32(&f, (uint32_t)m->nface);
    for (int i = 0; i < 3 * m->nvertex; ++i) {
        put_single(&f, m->vertex[i]);
    }
    for (int i = 0; looks && i < 5 * m->nvertex; ++i) {
        put_single(&f, 1.0);
    }
    for (int i = 0; i < 3 * m->nface; ++i) {
        put_little32(&f, (uint32_t)m->face[i]);
    }
    return f;
}

dp_mesh round_mesh(dp_pool *pool, const dp_mesh *m)
{
    double *vertex;
    int *face;
    const dp_mesh rounded = copy_mesh(&vertex, &face, pool, m);
    for (int i = 0; i < 3 * m->nvertex; ++i) {
        vertex[i] = (double)(float)vertex[i];
    }
    return rounded;
}

void save_file(const test_file *f, const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(f->bytes, 1, f->count, file), f->count);
    assert_int_equal(fclose(file), 0);
}
