// Collada: the triangles that the scene shows, where its nodes put them.
#include "counting_allocator.h"
#include "near.h"

#include "io/mesh/mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SOURCE(numbers)                                                                            \
    "<source id='s'><float_array id='f' count='12'>" numbers "</float_array><technique_common>"    \
    "<accessor source='#f' count='4' stride='3'/></technique_common></source>"                     \
    "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"
#define CORNERS "<input semantic='VERTEX' source='#v' offset='0'/>"
#define TETRAHEDRON "<triangles count='4'>" CORNERS "<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>"
#define GEOMETRY(faces)                                                                            \
    "<library_geometries><geometry id='g'><mesh>" SOURCE("0 0 0 1 0 0 0 1 0 0 0 1") faces          \
        "</mesh></geometry></library_geometries>"
#define SHOWN(nodes)                                                                               \
    "<library_visual_scenes><visual_scene id='w'>" nodes "</visual_scene></library_visual_scenes>" \
    "<scene><instance_visual_scene url='#w'/></scene>"
#define ONCE SHOWN("<node><instance_geometry url='#g'/></node>")
#define FILE_OF(content) "<COLLADA><asset><up_axis>Z_UP</up_axis></asset>" content "</COLLADA>"

static dp_pool pool;

static int open_pool(void **state)
{
    (void)state;
    dp_pool_init(&pool, NULL);
    return 0;
}

static int close_pool(void **state)
{
    (void)state;
    dp_pool_destroy(&pool);
    return 0;
}

static dp_mesh read(const char *text)
{
    dp_mesh m;
    if (dp_mesh_parse(&m, NULL, &pool, text, strlen(text), "a.dae", DP_MESH_FORMAT_ANY) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    assert_int_equal(dp_mesh_check(&m), DP_OK);
    return m;
}

static void assert_moments(const dp_mesh *m, double volume, dp_v3 centre)
{
    dp_mesh_moments I;
    assert_int_equal(dp_mesh_integrate(&I, m, DP_MESH_INERTIA_EXACT, NULL), DP_OK);
    const double round_off = 1e-14;
    assert_true(fabs(I.measure - volume) < round_off * volume);
    assert_true(dp_v3_norm(dp_v3_sub(I.centre, centre)) < round_off);
}

static void a_tetrahedron_is_read_from_every_kind_of_faces(void **state)
{
    (void)state;
    static const char *const files[] = {
        FILE_OF(GEOMETRY(TETRAHEDRON) ONCE),
        FILE_OF(GEOMETRY("<polylist count='4'>" CORNERS "<vcount>3 3 3 3</vcount>"
                         "<p>0 2 1 0 1 3 0 3 2 1 2 3</p></polylist>") ONCE),
        FILE_OF(GEOMETRY("<polygons count='4'>" CORNERS "<p>0 2 1</p><p>0 1 3</p><p>0 3 2</p>"
                         "<ph><p>1 2 3</p><h>0 0 0</h></ph></polygons>") ONCE),
        FILE_OF(GEOMETRY("<tristrips count='1'>" CORNERS "<p>0 2 1 3 0 2</p></tristrips>") ONCE),
        FILE_OF(GEOMETRY("<trifans count='2'>" CORNERS "<p>0 2 1 3 2</p><p>1 2 3</p></trifans>")
                    ONCE),
        // a normal beside each vertex, lines, and comments in the text
        FILE_OF(GEOMETRY("<lines count='1'>" CORNERS "<p>0 1</p></lines><triangles count='4'>"
                         "<input semantic='NORMAL' source='#n' offset='0'/>"
                         "<input semantic='VERTEX' source='#v' offset='1'/>"
                         "<p>9 0 9 2 9 1 9 0 9 1 9 3 <!-- so --> 9 0 9 3 9 2 9 1 9 2 9 3</p>"
                         "</triangles>") ONCE),
        FILE_OF(GEOMETRY(TETRAHEDRON)), // shown by no scene: as it is
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        const dp_mesh m = read(files[i]);
        assert_int_equal(m.nvertex, 4);
        assert_int_equal(m.nface, 4);
        assert_moments(&m, 1.0 / 6.0, (dp_v3){0.25, 0.25, 0.25});
    }
}

static void polygons_become_fans_and_unused_vertices_vanish(void **state)
{
    (void)state;
    const dp_mesh m = read(FILE_OF(GEOMETRY("<polylist count='1'>" CORNERS
                                            "<vcount>4</vcount><p>0 1 2 0</p></polylist>") ONCE));
    assert_int_equal(m.nvertex, 3); // the fourth is on no face
    assert_int_equal(m.nface, 1);   // the other triangle has two equal corners
}

static void nodes_place_what_they_hold(void **state)
{
    (void)state;
    // In this order: twice as large, turned from x to y, then moved by 1 along x.
    const dp_mesh m = read(FILE_OF(GEOMETRY(TETRAHEDRON) SHOWN(
        "<node><translate>1 0 0</translate><node><rotate>0 0 1 90</rotate><scale>2 2 2</scale>"
        "<instance_geometry url='#g'/></node></node>")));
    assert_moments(&m, 8.0 / 6.0, (dp_v3){0.5, 0.5, 0.5});
    const dp_mesh same = read(FILE_OF(GEOMETRY(TETRAHEDRON) SHOWN(
        "<node><matrix>0 -2 0 1 2 0 0 0 0 0 2 0 0 0 0 1</matrix><instance_geometry url='#g'/>"
        "</node>")));
    assert_moments(&same, 8.0 / 6.0, (dp_v3){0.5, 0.5, 0.5});
}

static void a_mirror_keeps_faces_outside(void **state)
{
    (void)state;
    const dp_mesh m = read(FILE_OF(GEOMETRY(TETRAHEDRON) SHOWN(
        "<node><scale>-1 1 1</scale><instance_geometry url='#g'/></node>")));
    assert_moments(&m, 1.0 / 6.0, (dp_v3){-0.25, 0.25, 0.25});
}

static void a_node_may_be_shown_twice(void **state)
{
    (void)state;
    const dp_mesh m = read(FILE_OF(GEOMETRY(
        TETRAHEDRON) "<library_nodes><node id='n'><translate>0 0 1</translate>"
                     "<instance_geometry url='#g'/></node></library_nodes>" SHOWN(
                         "<node><translate>-2 0 0</translate><instance_node url='#n'/></node>"
                         "<node><translate>2 0 0</translate><instance_node url='#n'/></node>")));
    assert_int_equal(m.nface, 8);
    assert_moments(&m, 2.0 / 6.0, (dp_v3){0.25, 0.25, 1.25});
}

static void lengths_are_in_metres_and_the_up_axis_is_reported(void **state)
{
    (void)state;
    static const char text[] =
        "<COLLADA><asset><unit name='cm' meter='0.01'/><up_axis>Y_UP</up_axis></asset>" GEOMETRY(
            TETRAHEDRON) ONCE "</COLLADA>";
    dp_mesh_file_info info;
    dp_mesh m;
    assert_int_equal(
        dp_mesh_parse(&m, &info, &pool, text, strlen(text), "a.dae", DP_MESH_FORMAT_DAE), DP_OK);
    assert_moments(&m, 1e-6 / 6.0, (dp_v3){0.0025, 0.0025, 0.0025});
    assert_int_equal(info.up, 'y');
}

static void a_file_that_errs_is_refused_with_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"<mujoco/>", "a.dae:1: mujoco: found no <COLLADA> at the root (expected a Collada file)"},
        {"<COLLADA>\n<scene>", "a.dae:2: found no element"},
        {FILE_OF(""), "found no triangles in the scene (expected at least one)"},
        {"<COLLADA><asset><unit meter='0'/></asset></COLLADA>",
         "unit: found a unit that is no length (expected metres above 0)"},
        {FILE_OF(GEOMETRY("\n<triangles><input semantic='VERTEX' source='#x'/></triangles>") ONCE),
         "a.dae:2: input: found source '#x' (expected '#' and the id of a <vertices> of this "
         "file)"},
        {FILE_OF(GEOMETRY("\n<triangles><p>0 1 2</p></triangles>") ONCE),
         "a.dae:2: triangles: found no <input semantic=\"VERTEX\"> (expected one)"},
        {FILE_OF(GEOMETRY("\n<triangles>" CORNERS "<p>0 1 4</p></triangles>") ONCE),
         "a.dae:2: triangles: found vertex 4 (expected 0 to 3)"},
        {FILE_OF(GEOMETRY("\n<triangles>" CORNERS "<p>0 1 x</p></triangles>") ONCE),
         "a.dae:2: triangles: found no number in <p> (expected numbers of vertices)"},
        {FILE_OF(GEOMETRY("\n<triangles>" CORNERS "<p>0 1 -2</p></triangles>") ONCE),
         "a.dae:2: triangles: found no number in <p>"},
        {FILE_OF(GEOMETRY(TETRAHEDRON) SHOWN("\n<node><lookat>0</lookat>"
                                             "<instance_geometry url='#g'/></node>")),
         "a.dae:2: lookat: found a transformation that is not read (expected matrix, translate"},
        {FILE_OF(GEOMETRY(TETRAHEDRON) SHOWN("\n<node><matrix>1 0</matrix>"
                                             "<instance_geometry url='#g'/></node>")),
         "a.dae:2: matrix: found '' as number 3 (expected 16 finite numbers)"},
        {FILE_OF(GEOMETRY(TETRAHEDRON) SHOWN("\n<node><translate>1e308 0 0</translate><node>"
                                             "<translate>1e308 0 0</translate>"
                                             "<instance_geometry url='#g'/></node></node>")),
         "triangles: found a vertex that is not finite"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        dp_mesh m;
        assert_int_equal(dp_mesh_parse(&m, NULL, &pool, bad[i].text, strlen(bad[i].text), "a.dae",
                                       DP_MESH_FORMAT_ANY),
                         DP_ERROR_PARSE);
        if (!strstr(dp_last_error(), bad[i].message)) {
            fail_msg("'%s' (expected '%s')", dp_last_error(), bad[i].message);
        }
    }
}

// Nodes that show each other, twice each: 2^n copies, or no end at all.
static void copies_of_copies_end_with_a_message(void **state)
{
    (void)state;
    char text[20000];
    size_t n =
        (size_t)snprintf(text, sizeof text, "<COLLADA>" GEOMETRY(TETRAHEDRON) "<library_nodes>");
    for (int i = 0; i < 60; ++i) {
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<node id='n%d'><instance_node url='#n%d'/><instance_node "
                              "url='#n%d'/><instance_geometry url='#g'/></node>",
                              i, (i + 1) % 60, (i + 1) % 60);
    }
    snprintf(text + n, sizeof text - n, "</library_nodes>%s</COLLADA>",
             SHOWN("<node><instance_node url='#n0'/></node>"));
    dp_mesh m;
    assert_int_equal(
        dp_mesh_parse(&m, NULL, &pool, text, strlen(text), "a.dae", DP_MESH_FORMAT_ANY),
        DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "more copies than a file of this size needs"));
}

static void each_allocation_may_fail_in_turn(void **state)
{
    (void)state;
    static const char text[] = FILE_OF(GEOMETRY(TETRAHEDRON) ONCE);
    dp_status status = DP_ERROR_MEMORY;
    for (size_t n = 1; status != DP_OK; ++n) {
        counting_allocator counts = {.fail_at = n};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_pool own;
        dp_pool_init(&own, &allocator);
        dp_mesh m;
        status = dp_mesh_parse(&m, NULL, &own, text, strlen(text), "a.dae", DP_MESH_FORMAT_ANY);
        assert_true(status == DP_OK || status == DP_ERROR_MEMORY);
        assert_true(status == DP_OK || !m.vertex);
        dp_pool_destroy(&own);
        assert_int_equal(counts.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tetrahedron_is_read_from_every_kind_of_faces),
        cmocka_unit_test(polygons_become_fans_and_unused_vertices_vanish),
        cmocka_unit_test(nodes_place_what_they_hold),
        cmocka_unit_test(a_mirror_keeps_faces_outside),
        cmocka_unit_test(a_node_may_be_shown_twice),
        cmocka_unit_test(lengths_are_in_metres_and_the_up_axis_is_reported),
        cmocka_unit_test(a_file_that_errs_is_refused_with_the_line),
        cmocka_unit_test(copies_of_copies_end_with_a_message),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
