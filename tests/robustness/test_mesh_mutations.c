// Damaged meshes, images and terrain: whatever the damage, a reader ends with something sound or
// with a message, gives all memory back, and never takes more than the file's size allows. The
// short, deterministic relatives of tests/fuzz/fuzz_mesh.c and fuzz_png.c.
#include "counting_allocator.h"
#include "damage.h"
#include "mesh_shapes.h"
#include "mesh_writer.h"
#include "png_writer.h"

#include "io/mesh/hfield_file.h"
#include "io/mesh/mesh_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MUTANTS = 3000, GROWTH = 2000 };

// Words that mean something to one of the readers.
static const char *const word[] = {
    "v 1 2 3\n",
    "f 1 2 3\n",
    "f -1 -2 -3 -4\n",
    "f 1/1/1 2//2 3/\n",
    "\\\n",
    "#",
    "\r",
    "\n",
    " ",
    "nan",
    "-inf",
    "1e999",
    "1e-999",
    "-",
    "0",
    "99999999999",
    "solid x",
    "endsolid\n",
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n",
    "vertex 1 1 1",
    "endloop",
    "IDAT",
    "IEND",
    "PLTE",
    "\xFF\xFF\xFF\x7F",
    "\x80\x3F",
    "o a\n",
    "\xEF\xBB\xBF",
};
enum { WORDS = sizeof word / sizeof *word };

// What was accepted is a mesh, and everything that can be asked of it has an answer.
static void use_mesh(const dp_mesh *m, const dp_allocator *allocator)
{
    assert_int_equal(dp_mesh_check(m), DP_OK);
    dp_mesh_topology t;
    assert_int_equal(dp_mesh_edges(&t, m, allocator), DP_OK);
    for (int kind = DP_MESH_INERTIA_CONVEX; kind <= DP_MESH_INERTIA_SHELL; ++kind) {
        dp_mesh_moments I;
        const dp_status status = dp_mesh_integrate(&I, m, (dp_mesh_inertia)kind, allocator);
        assert_true(status == DP_OK || status == DP_ERROR_ARGUMENT || status == DP_ERROR_NUMERIC);
        if (status == DP_OK) {
            const dp_inertial body = dp_mesh_inertial(&I, 1.0);
            assert_true(I.measure > 0.0 && dp_v3_finite(I.centre) && dp_v3_finite(body.moments));
        }
    }
}

static bool swallow_mesh(const void *bytes, size_t count, const char *name, dp_mesh_format format)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_pool pool;
    dp_pool_init(&pool, &allocator);
    dp_mesh m;
    dp_mesh_file_info info;
    const dp_status status = dp_mesh_parse(&m, &info, &pool, bytes, count, name, format);
    // A vertex in the shortest text, 8 bytes, takes 116: in the file's order, welded, and twice in
    // the sort. Pools come in blocks of 4096.
    assert_true(counts.most_bytes <= 16 * count + 8 * 4200);
    if (status == DP_OK) {
        use_mesh(&m, &allocator);
    } else {
        assert_true(status == DP_ERROR_PARSE || status == DP_ERROR_UNSUPPORTED);
        assert_true(strncmp(dp_last_error(), name, strlen(name)) == 0);
        assert_null(m.vertex);
    }
    dp_pool_destroy(&pool);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
    return status == DP_OK;
}

// Damage `file` over and over; each mutant is a copy without a byte to spare, so that a sanitizer
// sees what is read behind it. Reports how many were accepted nevertheless.
static int mutate(test_file file, uint64_t seed, bool (*swallow)(const unsigned char *, size_t))
{
    random_source r = {seed};
    const size_t longest = file.count + GROWTH;
    char *buffer = malloc(longest);
    int accepted = 0;
    for (int i = 0; i < MUTANTS; ++i) {
        damaged_text text = {buffer, file.count, longest};
        memcpy(buffer, file.bytes, file.count);
        for (uint64_t k = 1 + random_bits(&r) % 4; k > 0; --k) {
            damage_text(&text, word, WORDS, &r);
        }
        unsigned char *exact = malloc(text.count + (text.count == 0));
        memcpy(exact, buffer, text.count);
        accepted += swallow(exact, text.count);
        free(exact);
    }
    free(buffer);
    free(file.bytes);
    return accepted;
}

static dp_mesh small_star(dp_pool *pool)
{
    random_source r = {1};
    dp_pool_init(pool, NULL);
    return star_mesh(pool, 0, &r);
}

static bool swallow_obj(const unsigned char *bytes, size_t count)
{
    return swallow_mesh(bytes, count, "m.obj", DP_MESH_FORMAT_ANY);
}

static bool swallow_stl(const unsigned char *bytes, size_t count)
{
    return swallow_mesh(bytes, count, "m.stl", DP_MESH_FORMAT_STL);
}

static bool swallow_msh(const unsigned char *bytes, size_t count)
{
    return swallow_mesh(bytes, count, "m.msh", DP_MESH_FORMAT_ANY);
}

static bool swallow_any(const unsigned char *bytes, size_t count)
{
    return swallow_mesh(bytes, count, "m", DP_MESH_FORMAT_ANY);
}

static void damaged_obj_files_are_read_or_refused(void **state)
{
    (void)state;
    dp_pool pool;
    const dp_mesh star = small_star(&pool);
    const int accepted = mutate(write_obj(&star, "%d/%d/%d"), 2, swallow_obj);
    assert_true(accepted > 0 && accepted < MUTANTS);
    dp_pool_destroy(&pool);
}

static void damaged_stl_files_are_read_or_refused(void **state)
{
    (void)state;
    dp_pool pool;
    const dp_mesh star = small_star(&pool);
    int accepted = mutate(write_stl_text(&star), 3, swallow_stl);
    assert_true(accepted > 0 && accepted < MUTANTS);
    accepted = mutate(write_stl_binary(&star, "solid"), 4, swallow_stl);
    assert_true(accepted > 0 && accepted < MUTANTS);
    dp_pool_destroy(&pool);
}

static void damaged_msh_files_are_read_or_refused(void **state)
{
    (void)state;
    dp_pool pool;
    const dp_mesh star = small_star(&pool);
    const int accepted = mutate(write_msh(&star, true), 5, swallow_msh);
    assert_true(accepted > 0 && accepted < MUTANTS);
    dp_pool_destroy(&pool);
}

static void damaged_files_of_unknown_kind_are_read_or_refused(void **state)
{
    (void)state;
    dp_pool pool;
    const dp_mesh star = small_star(&pool);
    assert_true(mutate(write_stl_text(&star), 6, swallow_any) > 0);
    assert_true(mutate(write_msh(&star, false), 7, swallow_any) > 0);
    dp_pool_destroy(&pool);
}

static bool swallow_terrain(const unsigned char *bytes, size_t count)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_pool pool;
    dp_pool_init(&pool, &allocator);
    dp_hfield_data field;
    const dp_status status = dp_hfield_parse(&field, &pool, bytes, count, "t.png");
    if (status == DP_OK) {
        for (int i = 0; i < field.nrow * field.ncol; ++i) {
            assert_true(field.elevation[i] >= 0.0 && field.elevation[i] <= 1.0);
        }
    } else {
        assert_true(status == DP_ERROR_PARSE || status == DP_ERROR_UNSUPPORTED);
        assert_true(strncmp(dp_last_error(), "t.png: ", 7) == 0);
        assert_null(field.elevation);
    }
    dp_pool_destroy(&pool);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
    return status == DP_OK;
}

// With the checksums of chunks made good again, damage reaches what is behind them.
static bool swallow_repaired(const unsigned char *bytes, size_t count)
{
    unsigned char *copy = malloc(count + (count == 0));
    memcpy(copy, bytes, count);
    repair_png(copy, count);
    const bool accepted = swallow_terrain(copy, count);
    free(copy);
    return accepted;
}

static int hills(int x, int y, int c)
{
    return (x * x / 3 + 5 * y + 17 * c) & 15;
}

static void damaged_images_are_read_or_refused(void **state)
{
    (void)state;
    static const unsigned char palette[48] = {1, 2, 3, 9, 9, 9, 200, 100, 50};
    for (int colour = 0; colour <= 6; colour += 3) { // grey, palette, RGB and alpha
        const png_layout layout = {.width = 19,
                                   .height = 11,
                                   .depth = colour == 6 ? 8 : 4,
                                   .colour = colour,
                                   .interlaced = colour == 3,
                                   .filter = 5,
                                   .pieces = 3,
                                   .sample = hills,
                                   .palette = palette,
                                   .npalette = colour == 3 ? 16 : 0};
        const uint64_t seed = 8 + (uint64_t)colour;
        assert_true(mutate(write_png(&layout), seed, swallow_terrain) < MUTANTS / 4);
        assert_true(mutate(write_png(&layout), seed, swallow_repaired) < MUTANTS);
    }
}

static void damaged_terrain_is_read_or_refused(void **state)
{
    (void)state;
    test_file f = {0};
    put_little32(&f, 9);
    put_little32(&f, 7);
    for (int i = 0; i < 63; ++i) {
        put_single(&f, sin(i));
    }
    const int accepted = mutate(f, 20, swallow_terrain);
    assert_true(accepted > 0 && accepted < MUTANTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_obj_files_are_read_or_refused),
        cmocka_unit_test(damaged_stl_files_are_read_or_refused),
        cmocka_unit_test(damaged_msh_files_are_read_or_refused),
        cmocka_unit_test(damaged_files_of_unknown_kind_are_read_or_refused),
        cmocka_unit_test(damaged_images_are_read_or_refused),
        cmocka_unit_test(damaged_terrain_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
