// Mesh files: OBJ, STL and MSH as they are written and as they are miswritten.
#include "counting_allocator.h"
#include "mesh_shapes.h"
#include "mesh_writer.h"

#include "io/mesh/mesh_file.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_pool(void **state)
{
    static dp_pool pool;
    dp_pool_init(&pool, NULL);
    *state = &pool;
    return 0;
}

static int close_pool(void **state)
{
    dp_pool_destroy(*state);
    return 0;
}

static dp_mesh read_bytes(dp_mesh_file_info *info, dp_pool *pool, const void *bytes, size_t count,
                          const char *name)
{
    dp_mesh m = {0};
    if (dp_mesh_parse(&m, info, pool, bytes, count, name, DP_MESH_FORMAT_ANY) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    assert_int_equal(dp_mesh_check(&m), DP_OK);
    assert_string_equal(m.name, name);
    return m;
}

/// Read a file, and be done with it.
static dp_mesh read_file(dp_mesh_file_info *info, dp_pool *pool, test_file f, const char *name)
{
    const dp_mesh m = read_bytes(info, pool, f.bytes, f.count, name);
    free(f.bytes);
    return m;
}

static dp_mesh read_text(dp_mesh_file_info *info, dp_pool *pool, const char *text, const char *name)
{
    return read_bytes(info, pool, text, strlen(text), name);
}

// A copy without a byte to spare, so that a sanitizer sees what is read behind it.
static void assert_bytes_refused(const void *bytes, size_t count, const char *name,
                                 const char *message)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_pool pool;
    dp_pool_init(&pool, &allocator);
    void *copy = malloc(count + (count == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    dp_mesh m;
    assert_int_equal(dp_mesh_parse(&m, NULL, &pool, copy, count, name, DP_MESH_FORMAT_ANY),
                     DP_ERROR_PARSE);
    assert_null(m.vertex);
    assert_string_equal(dp_last_error(), message);
    free(copy);
    dp_pool_destroy(&pool);
    assert_int_equal(counts.blocks, 0);
}

static void assert_refused(const char *text, const char *name, const char *message)
{
    assert_bytes_refused(text, strlen(text), name, message);
}

static void assert_file_refused(test_file f, const char *name, const char *message)
{
    assert_bytes_refused(f.bytes, f.count, name, message);
    free(f.bytes);
}

static void assert_equal_meshes(const dp_mesh *a, const dp_mesh *b)
{
    assert_int_equal(a->nvertex, b->nvertex);
    assert_int_equal(a->nface, b->nface);
    assert_memory_equal(a->vertex, b->vertex, (size_t)a->nvertex * 3 * sizeof(double));
    assert_memory_equal(a->face, b->face, (size_t)a->nface * 3 * sizeof(int));
}

/// The same triangles, whatever the numbers of their vertices.
static void assert_equal_triangles(const dp_mesh *a, const dp_mesh *b)
{
    assert_int_equal(a->nvertex, b->nvertex);
    assert_int_equal(a->nface, b->nface);
    for (int k = 0; k < 3 * a->nface; ++k) {
        const dp_v3 x = dp_mesh_corner(a, k / 3, k % 3), y = dp_mesh_corner(b, k / 3, k % 3);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

static double volume_of(const dp_mesh *m)
{
    dp_mesh_moments I = {0};
    if (dp_mesh_integrate(&I, m, DP_MESH_INERTIA_EXACT, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return I.measure;
}

// --- OBJ

static void an_obj_file_gives_back_its_mesh_to_the_last_bit(void **state)
{
    random_source r = {1};
    const dp_mesh star = star_mesh(*state, 2, &r);
    static const char *const corner[] = {"%d", "%d/%d", "%d//%d", "%d/%d/%d", "%d/", "%d//"};
    for (size_t i = 0; i < sizeof corner / sizeof *corner; ++i) {
        dp_mesh_file_info info;
        const dp_mesh m = read_file(&info, *state, write_obj(&star, corner[i]), "star.obj");
        assert_equal_meshes(&m, &star);
        assert_int_equal(info.format, DP_MESH_FORMAT_OBJ);
        assert_int_equal(info.welded.nvertex + info.welded.nface + info.nskipped + info.nunknown,
                         0);
    }
}

static const char cube_of_quads[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static void polygons_become_fans(void **state)
{
    dp_mesh m = read_text(NULL, *state, cube_of_quads, "cube.obj");
    assert_int_equal(m.nface, 12);
    assert_near(volume_of(&m), 1.0, 1e-15);

    test_file f = {0}; // a prism over a heptagon, its ends in one piece each
    const dp_mesh prism = prism_mesh(*state, 7, 1.0, 0.5);
    for (int i = 0; i < 14; ++i) {
        const dp_v3 x = dp_mesh_vertex(&prism, i);
        put_text(&f, "v %.17g %.17g %.17g\n", x.x, x.y, x.z);
    }
    put_text(&f, "f 7 6 5 4 3 2 1\nf 8 9 10 11 12 13 14\n");
    for (int i = 0; i < 7; ++i) {
        put_text(&f, "f %d %d %d %d\n", i + 1, (i + 1) % 7 + 1, (i + 1) % 7 + 8, i + 8);
    }
    m = read_file(NULL, *state, f, "prism.obj");
    assert_int_equal(m.nface, prism.nface);
    assert_near(volume_of(&m), volume_of(&prism), 1e-14);
}

static void negative_numbers_count_back_from_the_last_vertex_so_far(void **state)
{
    const dp_mesh a = read_text(NULL, *state,
                                "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                                "v 0 0 1\nf 1 4 2\nf 2 4 3\nf 1 3 4\n",
                                "a.obj");
    const dp_mesh b = read_text(NULL, *state,
                                "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n"
                                "v 0 0 1\nf -4/-4 -1/-1 -3/-3\nf -3//-3 4//-1 -2//-2\nf 1 3 -1\n",
                                "b.obj");
    assert_equal_meshes(&a, &b);
}

static void faces_may_come_before_their_vertices(void **state)
{
    const dp_mesh m = read_text(NULL, *state, "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", "m.obj");
    assert_int_equal(m.nface, 1);
}

static void lines_end_and_join_in_every_known_way(void **state)
{
    const dp_mesh plain = read_text(NULL, *state, cube_of_quads, "plain.obj");
    test_file dos = {0}, mac = {0}, wild = {0};
    put_text(&wild, "\xEF\xBB\xBF# a mark of UTF-8 in front\n\n   \n");
    for (const char *c = cube_of_quads; *c; ++c) {
        put_text(&dos, "%s%c", *c == '\n' ? "\r" : "", *c);
        put_text(&mac, "%c", *c == '\n' ? '\r' : *c);
        // A space may be a tab, or the end of a line that goes on; a line may carry a comment.
        put_text(&wild, *c == ' ' ? (c - cube_of_quads) % 3 ? " \\\n\t " : "\t" : "%c", *c);
        if (*c == '\n') {
            wild.count -= 1;
            put_text(&wild, "  # f 1 2\n");
        }
    }
    const dp_mesh a = read_file(NULL, *state, dos, "dos.obj");
    const dp_mesh b = read_file(NULL, *state, mac, "mac.obj");
    const dp_mesh c = read_file(NULL, *state, wild, "wild.obj");
    assert_equal_meshes(&a, &plain);
    assert_equal_meshes(&b, &plain);
    assert_equal_meshes(&c, &plain);
    const dp_mesh d =
        read_bytes(NULL, *state, cube_of_quads, sizeof cube_of_quads - 2, "no-newline.obj");
    assert_equal_meshes(&d, &plain);
}

static void statements_about_looks_are_counted_and_skipped(void **state)
{
    dp_mesh_file_info info;
    const dp_mesh m = read_text(&info, *state,
                                "mtllib a.mtl\no first\nvt 0 1\nvn 0 0 1\nv 0 0 0\nv 1 0 0\n"
                                "v 0 1 0\ns off\nusemtl red\nf 1 2 3\ng second\nf 1 3 2\nf 2 1 3\n"
                                "l 1 2\np 1\nvp 1\n"
                                "curv2 1 2\nend\nv 5 5 5\n",
                                "m.obj");
    assert_int_equal(m.nface, 3);
    assert_int_equal(m.nvertex, 4);
    assert_int_equal(info.nskipped, 10);
    assert_int_equal(info.nunknown, 2);
    assert_int_equal(info.unknown_line, 17);
    assert_string_equal(info.unknown, "curv2");
    assert_int_equal(info.ngroup, 2);
}

static void vertices_may_carry_a_weight_and_a_colour(void **state)
{
    const dp_mesh m = read_text(
        NULL, *state, "v 0 0 0 1\nv 1 0 0 0.5 0.25 1\nv 0 1 0 1 0.5 0.25 1\nf 1 2 3\n", "m.obj");
    assert_int_equal(m.nvertex, 3);
    assert_true(m.vertex[3] == 1.0 && m.vertex[4] == 0.0 && m.vertex[5] == 0.0);
    assert_refused("v 0 0 0 1 2 3 4 5\n", "m.obj",
                   "m.obj:1: found '5' (expected at most 7 numbers of a vertex)");
}

static void equal_vertices_of_an_obj_file_become_one(void **state)
{
    const dp_mesh box = box_mesh(*state, 1, 2, 3), loose = explode_mesh(*state, &box);
    dp_mesh_file_info info;
    const dp_mesh m = read_file(&info, *state, write_obj(&loose, "%d"), "box.obj");
    assert_int_equal(info.welded.nvertex, 36 - 8);
    assert_near(volume_of(&m), 48.0, 1e-12);
}

static void a_face_of_two_corners_is_a_line(void **state)
{
    dp_mesh_file_info info;
    const dp_mesh m =
        read_text(&info, *state, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\nf 1 2 3\nf 2 3\n", "m.obj");
    assert_int_equal(m.nface, 1);
    assert_int_equal(info.nskipped, 2);
}

static void an_obj_file_that_errs_is_refused_with_the_line(void **state)
{
    (void)state;
#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    assert_refused("v 1 2\n", "m.obj",
                   "m.obj:1: found the end of the line (expected three coordinates)");
    assert_refused("v 1 2", "m.obj",
                   "m.obj:1: found the end of the file (expected three coordinates)");
    assert_refused("# a\n\nv 1 zwei 3\n", "m.obj",
                   "m.obj:3: found 'zwei' (expected a coordinate of a vertex)");
    assert_refused("v 1 0x10 3\n", "m.obj",
                   "m.obj:1: found '0x10' (expected a coordinate of a vertex)");
    assert_refused("v 1 1,5 3\n", "m.obj",
                   "m.obj:1: found '1,5' (expected a coordinate of a vertex)");
    assert_refused("v 1 nan 3\n", "m.obj",
                   "m.obj:1: found 'nan', which is not finite (expected a coordinate of a vertex)");
    assert_refused(
        "v 1 -inf 3\n", "m.obj",
        "m.obj:1: found '-inf', which is not finite (expected a coordinate of a vertex)");
    assert_refused(
        "v 1 1e999 3\n", "m.obj",
        "m.obj:1: found '1e999', which is not finite (expected a coordinate of a vertex)");
    assert_refused(THREE "f 1\n", "m.obj",
                   "m.obj:4: found the end of the line (expected three corners of a face)");
    assert_refused(THREE "f 1 2 0\n", "m.obj",
                   "m.obj:4: found a corner '0' of a face (expected a vertex 1 … 3, or -1 … -3 "
                   "counted back from here)");
    assert_refused(THREE "f 1 2 4/1\n", "m.obj",
                   "m.obj:4: found a corner '4/1' of a face (expected a vertex 1 … 3, or -1 … -3 "
                   "counted back from here)");
    assert_refused("v 0 0 0\nf -1 -1 -2\n", "m.obj",
                   "m.obj:2: found a corner '-2' of a face (expected a vertex 1 … 1, or -1 … -1 "
                   "counted back from here)");
    assert_refused(
        THREE "f 1 2 99999999999999999999\n", "m.obj",
        "m.obj:4: found a corner '99999999999999999999' of a face (expected a vertex 1 … "
        "3, or -1 … -3 counted back from here)");
    static const char *const corner[] = {"x", "1.5", "1/2/3/4", "1\\2", "-", "1/x", "/1", "1 / 2"};
    for (size_t i = 0; i < sizeof corner / sizeof *corner; ++i) {
        test_file f = {0};
        put_text(&f, THREE "f 1 2 %s\n", corner[i]);
        char message[200], word[16];
        snprintf(word, sizeof word, "%s", i == 7 ? "/" : corner[i]);
        snprintf(message, sizeof message,
                 "m.obj:4: found '%s' (expected a corner of a face: v, v/t, v//n or v/t/n)", word);
        assert_file_refused(f, "m.obj", message);
    }
    assert_refused("# nothing\n", "m.obj",
                   "m.obj: found 0 vertices and 0 triangles (expected at least one vertex, and at "
                   "most 715827882 of each)");
    assert_refused("", "m.obj", "m.obj: found an empty file (expected a mesh)");
#undef THREE
}

static void messages_show_strange_bytes_as_question_marks(void **state)
{
    (void)state;
    const char text[] = "v 1 \x01\xC3-\x00tail 3\n";
    assert_bytes_refused(text, sizeof text - 1, "m.obj",
                         "m.obj:1: found '?\?-?tail' (expected a coordinate of a vertex)");
    test_file f = {0};
    put_text(&f, "v 1 ");
    for (int i = 0; i < 1000; ++i) {
        put_text(&f, "9");
    }
    assert_file_refused(f, "m.obj",
                        "m.obj:1: found '9999999999999999999999999999999999999999...' (expected a "
                        "coordinate of a vertex)");
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    const char *text = "v 0.5 -1.25e-1 .5\nf 1 1 1\n";
    const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}; // the first that exists
    for (int i = 0; i < 3 && !setlocale(LC_ALL, names[i]); ++i) {
    }
    const dp_mesh m = read_text(NULL, *state, text, "m.obj");
    setlocale(LC_ALL, "C");
    assert_true(m.vertex[0] == 0.5 && m.vertex[1] == -0.125 && m.vertex[2] == 0.5);
    assert_int_equal(m.nface, 0); // it had one place only
}

// --- STL

static void stl_files_give_back_their_triangles(void **state)
{
    random_source r = {2};
    const dp_mesh star = star_mesh(*state, 2, &r), single = round_mesh(*state, &star);
    dp_mesh_file_info info;
    dp_mesh m = read_file(&info, *state, write_stl_text(&star), "star.stl");
    assert_equal_triangles(&m, &star); // all 17 digits
    assert_int_equal(info.format, DP_MESH_FORMAT_STL);
    assert_int_equal(info.welded.nvertex, 3 * star.nface - star.nvertex);
    m = read_file(&info, *state, write_stl_binary(&star, "made for a test"), "star.STL");
    assert_equal_triangles(&m, &single);
    assert_int_equal(info.nbehind, 0);
    dp_mesh_topology t;
    assert_int_equal(dp_mesh_edges(&t, &m, NULL), DP_OK);
    assert_int_equal(t.nopen + t.nturned, 0);
    assert_int_equal(t.euler, 2);
}

static void a_binary_stl_file_may_begin_with_solid(void **state)
{
    const dp_mesh box = box_mesh(*state, 1, 2, 3);
    static const char *const header[] = {"solid", "solid of a CAD program", "solid facet normal",
                                         "SOLID ", ""};
    for (size_t i = 0; i < sizeof header / sizeof *header; ++i) {
        const dp_mesh m = read_file(NULL, *state, write_stl_binary(&box, header[i]), "box.stl");
        assert_equal_triangles(&m, &box);
    }
    test_file f = write_stl_binary(&box, "solid"); // and have something behind it
    put_bytes(&f, "tail", 4);
    dp_mesh_file_info info;
    const dp_mesh m = read_file(&info, *state, f, "box.stl");
    assert_equal_triangles(&m, &box);
    assert_int_equal(info.nbehind, 4);
}

static void stl_text_is_read_in_any_layout(void **state)
{
    const dp_mesh m = read_text(NULL, *state,
                                "  SOLID vertex of a name, facet\n"
                                "Facet Normal nan -nan(ind) 1.#QNAN OUTER LOOP\r\n"
                                "vertex 0 0 0 vertex 1\n0 0\n\nvertex 0 1 0 EndLoop EndFacet\n"
                                "endsolid\n"
                                "solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 0 1 0 "
                                "vertex 1 1 0 endloop endfacet\nendsolid two\n",
                                "two.stl");
    assert_int_equal(m.nvertex, 4);
    assert_int_equal(m.nface, 2);
    assert_int_equal(m.face[5], 3);
}

static void triangles_that_shrink_to_a_line_are_left_out_and_counted(void **state)
{
    dp_mesh_file_info info;
    const dp_mesh m =
        read_text(&info, *state,
                  "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                  "vertex 0 1 0\nendloop\nendfacet\nfacet normal 0 0 0\nouter loop\n"
                  "vertex 0 0 0\nvertex 1 0 0\nvertex -0.0 0 0\nendloop\nendfacet\n"
                  "endsolid\n",
                  "m.stl");
    assert_int_equal(m.nface, 1);
    assert_int_equal(info.welded.nface, 1);
    assert_int_equal(info.welded.nvertex, 3);
}

static void a_text_stl_file_that_errs_is_refused_with_the_line(void **state)
{
    (void)state;
#define FACET "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    assert_refused("solid a\n", "m.stl",
                   "m.stl:2: found the end of the file (expected facet or endsolid)");
    assert_refused("solid a\nendsolid a\n", "m.stl",
                   "m.stl:3: found the end of the file (expected at least one facet)");
    assert_refused("solid a\nface normal 0 0 1\n", "m.stl",
                   "m.stl:2: found 'face' (expected facet or endsolid)");
    assert_refused("solid a\nfacet 0 0 1\n", "m.stl", "m.stl:2: found '0' (expected normal)");
    assert_refused("solid a\nfacet normal 0 1 outer loop\n", "m.stl",
                   "m.stl:2: found 'outer' (expected three components of a normal)");
    assert_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n", "m.stl",
                   "m.stl:4: found 'zero' (expected a coordinate of a vertex)");
    assert_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", "m.stl",
                   "m.stl:4: found 'inf', which is not finite (expected a coordinate of a vertex)");
    assert_refused(FACET "vertex 1 1 0\nendloop\n", "m.stl",
                   "m.stl:7: found 'vertex' (expected endloop)");
    assert_refused(FACET "endloop\n", "m.stl",
                   "m.stl:8: found the end of the file (expected endfacet)");
    assert_refused(FACET "endloop\nendfacet\n", "m.stl",
                   "m.stl:9: found the end of the file (expected facet or endsolid)");
    assert_refused(FACET "endloop\nendfacet\nendsolid\nfacet\n", "m.stl",
                   "m.stl:10: found 'facet' (expected solid)");
#undef FACET
}

static void a_binary_stl_file_that_errs_is_refused_with_the_byte(void **state)
{
    assert_refused("abc", "m.stl",
                   "m.stl: byte 3: found the end of the file (expected the word solid, or the 84 "
                   "bytes in front of binary triangles)");
    const dp_mesh box = box_mesh(*state, 1, 1, 1);
    test_file f = write_stl_binary(&box, "");
    f.count -= 1;
    assert_file_refused(f, "m.stl",
                        "m.stl: byte 80: found 12 triangles (expected at least 1, and 11 at most "
                        "in a file of 683 bytes)");
    f = write_stl_binary(&box, "");
    memset(f.bytes + 80, 0, 4);
    assert_file_refused(f, "m.stl",
                        "m.stl: byte 80: found 0 triangles (expected at least 1, and 12 at most in "
                        "a file of 684 bytes)");
    f = write_stl_binary(&box, "");
    memcpy(f.bytes + 84 + 50 + 12 + 8, "\x00\x00\x80\x7F", 4); // the second triangle's first z: ∞
    assert_file_refused(
        f, "m.stl", "m.stl: byte 154: found a coordinate that is not finite (expected a number)");
}

// --- MSH

static void msh_files_give_back_their_mesh(void **state)
{
    random_source r = {3};
    const dp_mesh star = star_mesh(*state, 1, &r), single = round_mesh(*state, &star);
    for (int looks = 0; looks < 2; ++looks) {
        dp_mesh_file_info info;
        const dp_mesh m = read_file(&info, *state, write_msh(&star, looks), "star.msh");
        assert_equal_meshes(&m, &single);
        assert_int_equal(info.format, DP_MESH_FORMAT_MSH);
    }
    dp_mesh points = star;
    points.nface = 0;
    const dp_mesh m = read_file(NULL, *state, write_msh(&points, false), "points.msh");
    assert_int_equal(m.nvertex, star.nvertex);
    assert_int_equal(m.nface, 0);
}

static void an_msh_file_that_errs_is_refused_with_the_byte(void **state)
{
    const dp_mesh box = box_mesh(*state, 1, 1, 1);
    assert_refused("short", "m.msh",
                   "m.msh: byte 5: found the end of the file (expected four counts)");
    test_file f = write_msh(&box, false);
    put_bytes(&f, "!", 1);
    assert_file_refused(f, "m.msh",
                        "m.msh: found 257 bytes (expected 256 for 8 vertices, 0 normals, 0 texture "
                        "coordinates and 12 faces)");
    static const struct {
        size_t at;
        const char *bytes, *message;
    } change[] = {
        {0, "\xFF\xFF\xFF\xFF",
         "m.msh: byte 0: found -1 vertices, 0 normals, 0 texture coordinates and 12 faces "
         "(expected "
         "1 … 715827882 vertices, as many or none of the next two)"},
        {4, "\x07\x00\x00\x00",
         "m.msh: byte 0: found 8 vertices, 7 normals, 0 texture coordinates and 12 faces (expected "
         "1 … 715827882 vertices, as many or none of the next two)"},
        {12, "\xFF\xFF\xFF\x7F",
         "m.msh: byte 0: found 8 vertices, 0 normals, 0 texture coordinates and 2147483647 faces "
         "(expected 1 … 715827882 vertices, as many or none of the next two)"},
        {12, "\xAA\xAA\xAA\x2A",
         "m.msh: found 256 bytes (expected 8589934696 for 8 vertices, 0 normals, 0 texture "
         "coordinates and 715827882 faces)"},
        {16 + 20, "\x00\x00\xC0\x7F",
         "m.msh: byte 36: found a coordinate that is not finite (expected a number)"},
        {112 + 8, "\x08\x00\x00\x00", "m.msh: byte 120: found vertex 8 of a face (expected 0 … 7)"},
        {112 + 8, "\x00\x00\x00\x80",
         "m.msh: byte 120: found vertex -2147483648 of a face (expected 0 … 7)"},
    };
    for (size_t i = 0; i < sizeof change / sizeof *change; ++i) {
        f = write_msh(&box, false);
        memcpy(f.bytes + change[i].at, change[i].bytes, 4);
        assert_file_refused(f, "m.msh", change[i].message);
    }
}

// --- all of them

static void counts_that_the_file_cannot_hold_cost_no_memory(void **state)
{
    (void)state;
    unsigned char stl[134] = {0}, msh[64] = {0};
    memset(stl + 80, 0xFF, 4);
    memcpy(msh, "\xAA\xAA\xAA\x2A\xAA\xAA\xAA\x2A\xAA\xAA\xAA\x2A\xAA\xAA\xAA\x2A", 16);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_pool pool;
    dp_pool_init(&pool, &allocator);
    dp_mesh m;
    assert_int_equal(dp_mesh_parse(&m, NULL, &pool, stl, sizeof stl, "m.stl", DP_MESH_FORMAT_ANY),
                     DP_ERROR_PARSE);
    assert_int_equal(dp_mesh_parse(&m, NULL, &pool, msh, sizeof msh, "m.msh", DP_MESH_FORMAT_ANY),
                     DP_ERROR_PARSE);
    assert_int_equal(counts.calls, 0);
    dp_pool_destroy(&pool);
}

static void the_format_is_found_by_name_then_by_content(void **state)
{
    const dp_mesh box = box_mesh(*state, 1, 2, 3);
    dp_mesh_file_info info;
    read_file(&info, *state, write_stl_binary(&box, ""), "folder.obj/box");
    assert_int_equal(info.format, DP_MESH_FORMAT_STL);
    read_file(&info, *state, write_stl_text(&box), "box.txt");
    assert_int_equal(info.format, DP_MESH_FORMAT_STL);
    read_file(&info, *state, write_msh(&box, true), "box.mesh");
    assert_int_equal(info.format, DP_MESH_FORMAT_MSH);
    read_file(&info, *state, write_obj(&box, "%d"), "BOX.Obj");
    assert_int_equal(info.format, DP_MESH_FORMAT_OBJ);

    dp_mesh m;
    const test_file f = write_obj(&box, "%d");
    assert_int_equal(
        dp_mesh_parse(&m, &info, *state, f.bytes, f.count, "box.3ds", DP_MESH_FORMAT_OBJ),
        DP_OK); // told, so not guessed
    assert_int_equal(
        dp_mesh_parse(&m, NULL, *state, f.bytes, f.count, "box.3ds", DP_MESH_FORMAT_ANY),
        DP_ERROR_UNSUPPORTED);
    assert_string_equal(dp_last_error(), "box.3ds: found a mesh file of an unknown kind (expected "
                                         ".obj, .stl, .msh or .dae)");
    free(f.bytes);
}

static void meshes_are_loaded_from_files(void **state)
{
    const char *path = DP_SCRATCH "/test_mesh_files.stl";
    const dp_mesh box = box_mesh(*state, 1, 2, 3);
    const test_file f = write_stl_binary(&box, "solid");
    save_file(&f, path);
    free(f.bytes);
    dp_mesh m;
    dp_mesh_file_info info;
    assert_int_equal(dp_mesh_load(&m, &info, *state, path, DP_MESH_FORMAT_ANY), DP_OK);
    assert_string_equal(m.name, path);
    assert_equal_triangles(&m, &box);
    assert_int_equal(remove(path), 0);
    assert_int_equal(dp_mesh_load(&m, &info, *state, path, DP_MESH_FORMAT_ANY), DP_ERROR_IO);
    assert_null(m.vertex);
}

static void each_allocation_may_fail_in_turn(void **state)
{
    random_source r = {4};
    const dp_mesh star = star_mesh(*state, 2, &r);
    const test_file file[] = {write_obj(&star, "%d"), write_stl_text(&star),
                              write_stl_binary(&star, ""), write_msh(&star, true)};
    const char *const path[] = {DP_SCRATCH "/failing.obj", DP_SCRATCH "/failing_text.stl",
                                DP_SCRATCH "/failing.stl", DP_SCRATCH "/failing.msh"};
    counting_allocator counts;
    const dp_allocator allocator = counting_allocator_for(&counts);
    for (int i = 0; i < 4; ++i) {
        save_file(&file[i], path[i]);
        free(file[i].bytes);
        size_t calls = 1;
        for (size_t k = 0; k <= calls; ++k) {
            counts = (counting_allocator){.fail_at = k}; // 0: none fails
            dp_pool pool;
            dp_pool_init(&pool, &allocator);
            dp_mesh m;
            assert_int_equal(dp_mesh_load(&m, NULL, &pool, path[i], DP_MESH_FORMAT_ANY),
                             k > 0 ? DP_ERROR_MEMORY : DP_OK);
            assert_true((k > 0) == (m.vertex == NULL));
            calls = k > 0 ? calls : counts.calls;
            dp_pool_destroy(&pool);
            assert_int_equal(counts.blocks, 0);
            assert_int_equal(counts.wrong_sizes, 0);
        }
        assert_true(calls > 5);
        assert_int_equal(remove(path[i]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_obj_file_gives_back_its_mesh_to_the_last_bit),
        cmocka_unit_test(polygons_become_fans),
        cmocka_unit_test(negative_numbers_count_back_from_the_last_vertex_so_far),
        cmocka_unit_test(faces_may_come_before_their_vertices),
        cmocka_unit_test(lines_end_and_join_in_every_known_way),
        cmocka_unit_test(statements_about_looks_are_counted_and_skipped),
        cmocka_unit_test(vertices_may_carry_a_weight_and_a_colour),
        cmocka_unit_test(equal_vertices_of_an_obj_file_become_one),
        cmocka_unit_test(a_face_of_two_corners_is_a_line),
        cmocka_unit_test(an_obj_file_that_errs_is_refused_with_the_line),
        cmocka_unit_test(messages_show_strange_bytes_as_question_marks),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(stl_files_give_back_their_triangles),
        cmocka_unit_test(a_binary_stl_file_may_begin_with_solid),
        cmocka_unit_test(stl_text_is_read_in_any_layout),
        cmocka_unit_test(triangles_that_shrink_to_a_line_are_left_out_and_counted),
        cmocka_unit_test(a_text_stl_file_that_errs_is_refused_with_the_line),
        cmocka_unit_test(a_binary_stl_file_that_errs_is_refused_with_the_byte),
        cmocka_unit_test(msh_files_give_back_their_mesh),
        cmocka_unit_test(an_msh_file_that_errs_is_refused_with_the_byte),
        cmocka_unit_test(counts_that_the_file_cannot_hold_cost_no_memory),
        cmocka_unit_test(the_format_is_found_by_name_then_by_content),
        cmocka_unit_test(meshes_are_loaded_from_files),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
