// Meshes and height fields of MJCF files: where they are found, what is made of them, what geoms of
// them weigh. The numbers are closed forms; test_mujoco_import.c asks MuJoCo.
#include "imported.h"
#include "mesh_shapes.h"
#include "mesh_writer.h"
#include "near.h"
#include "png_writer.h"

#include "math/angle.h"

#include <dashpot/format.h>
#include <dashpot/model.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double ROUND_OFF = 1e-12; // of sums over a few dozen faces of size one

// A box of half lengths 1, 2, 3 around (10, 0, 0).
#define BOX                                                                                        \
    "vertex='9 -2 -3 11 -2 -3 9 2 -3 11 2 -3 9 -2 3 11 -2 3 9 2 3 11 2 3' "                        \
    "face='0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5' "
// A prism over an L of three unit squares: 3 m³, not convex, all of it seen from its centre.
#define L_PRISM                                                                                    \
    "vertex='0 0 0 2 0 0 2 1 0 1 1 0 1 2 0 0 2 0 0 0 1 2 0 1 2 1 1 1 1 1 1 2 1 0 2 1' "            \
    "face='2 1 0 3 2 0 4 3 0 5 4 0 6 7 8 6 8 9 6 9 10 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 "            \
    "2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11' "

static dp_spec *load_with(const char *text, const dp_import_options *options,
                          dp_import_report **report)
{
    dp_spec *spec;
    if (dp_mjcf_parse(&spec, report, text, strlen(text), DP_SCRATCH "/a.xml", options) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return spec;
}

static dp_spec *load(const char *text)
{
    return load_with(text, NULL, NULL);
}

// A free body with one geom; `more` stands in front of the assets.
static dp_spec *load_geom(const char *more, const char *assets, const char *geom)
{
    char text[4096];
    const int n = snprintf(text, sizeof text,
                           "<mujoco>%s<asset>%s</asset><worldbody><body name='b'><freejoint/>"
                           "<geom name='g' %s/></body></worldbody></mujoco>",
                           more, assets, geom);
    assert_true(n > 0 && n < (int)sizeof text);
    return load(text);
}

static dp_geom_spec *first_geom(dp_spec *spec)
{
    return dp_spec_geom(spec, (dp_geom_id){0});
}

static dp_inertial weigh(dp_spec *spec)
{
    dp_inertial body;
    if (dp_spec_geom_inertial(&body, spec, (dp_geom_id){0}) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    dp_spec_destroy(spec);
    return body;
}

static void assert_sums(dp_v3 a, double x, double y, double z)
{
    assert_near(a.x, x, ROUND_OFF * fmax(1.0, fabs(x)));
    assert_near(a.y, y, ROUND_OFF * fmax(1.0, fabs(y)));
    assert_near(a.z, z, ROUND_OFF * fmax(1.0, fabs(z)));
}

// ---- what meshes weigh

static void a_mesh_of_a_box_weighs_what_the_box_does(void **state)
{
    (void)state;
    static const char *const kind[] = {"", "inertia='legacy'", "inertia='convex'",
                                       "inertia='exact'"};
    for (int i = 0; i < 4; ++i) {
        char mesh[1024];
        snprintf(mesh, sizeof mesh, "<mesh name='m' " BOX "%s/>", kind[i]);
        const dp_inertial I = weigh(load_geom("", mesh, "type='mesh' mesh='m' density='2'"));
        assert_near(I.mass, 2.0 * 48.0, 96.0 * ROUND_OFF);
        assert_sums(I.frame.p, 10.0, 0.0, 0.0);
        // m/3 (b² + c²) and so on, in decreasing order
        assert_sums(I.moments, 96.0 / 3.0 * 13.0, 96.0 / 3.0 * 10.0, 96.0 / 3.0 * 5.0);
    }
}

static void four_kinds_of_inertia_are_told_apart(void **state)
{
    (void)state;
    const struct {
        const char *kind;
        double measure;
    } expected[] = {{"legacy", 3.0}, {"exact", 3.0}, {"convex", 3.5}, {"shell", 14.0}};
    for (int i = 0; i < 4; ++i) {
        char mesh[1024];
        snprintf(mesh, sizeof mesh, "<mesh name='m' " L_PRISM "inertia='%s'/>", expected[i].kind);
        const dp_inertial I = weigh(load_geom("", mesh, "type='mesh' mesh='m' density='1'"));
        assert_near(I.mass, expected[i].measure, ROUND_OFF * 14.0);
    }
}

static void legacy_counts_every_pyramid_positive(void **state)
{
    (void)state;
    // Faces turned inside out, and a box without a lid: pyramids from the centre of the surface.
    const dp_inertial turned = weigh(load_geom("",
                                               "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
                                               "face='0 1 2 0 3 1 0 2 3 1 3 2'/>",
                                               "type='mesh' mesh='m' density='6'"));
    assert_near(turned.mass, 1.0, ROUND_OFF); // a corner of the unit cube: 1/6 m³
    assert_sums(turned.frame.p, 0.25, 0.25, 0.25);

    // A cube of side 2 without its top: the centre of its surface lies at z = −1/5.
    const dp_inertial open =
        weigh(load_geom("",
                        "<mesh name='m' vertex='-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 "
                        "1 -1 1 1' face='0 2 1 0 3 2 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 "
                        "7'/>",
                        "type='mesh' mesh='m' density='1'"));
    // From height z above the middle: the bottom gives 4 (1 + z)/3, each side 4/3.
    const double z0 = -0.2, bottom = 4.0 * (1.0 + z0) / 3.0, sides = 16.0 / 3.0;
    const double z1 = (bottom * (-0.75 + 0.25 * z0) + sides * (0.25 * z0)) / (bottom + sides);
    assert_sums(open.frame.p, 0.0, 0.0, z1);
    assert_near(open.mass, 4.0 * (1.0 + z1) / 3.0 + sides, ROUND_OFF * 8.0);
}

static void vertices_alone_stand_for_their_hull(void **state)
{
    (void)state;
    const dp_inertial I =
        weigh(load_geom("", "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1 .1 .1 .1'/>",
                        "type='mesh' mesh='m' density='6'"));
    assert_near(I.mass, 1.0, ROUND_OFF);
    assert_sums(I.frame.p, 0.25, 0.25, 0.25);
}

static void a_mesh_is_moved_then_turned_then_scaled(void **state)
{
    (void)state;
    // x → scale · Rᵀ (x − refpos): (10, 0, 0) − (9, 0, 0) = (1, 0, 0), turned back about z by 90°:
    // (0, −1, 0), scaled: (0, −3, 0).
    dp_spec *spec =
        load_geom("", "<mesh name='m' " BOX "refpos='9 0 0' refquat='1 0 0 1' scale='2 3 -1'/>",
                  "type='mesh' mesh='m' density='1'");
    const dp_mesh_spec *mesh = dp_spec_mesh(spec, (dp_mesh_id){0});
    assert_int_equal(mesh->nvertex, 8);
    assert_int_equal(mesh->nface, 12);
    const dp_inertial I = weigh(spec);
    assert_sums(I.frame.p, 0.0, -3.0, 0.0);
    assert_near(I.mass, 48.0 * 6.0, 288.0 * ROUND_OFF); // a mirror image has a positive volume
}

static void a_class_gives_meshes_their_scale_and_inertia(void **state)
{
    (void)state;
    const dp_inertial I = weigh(load_geom("<default><default class='half'><mesh scale='.5 .5 .5' "
                                          "inertia='shell'/></default></default>",
                                          "<mesh name='m' class='half' " BOX "/>",
                                          "type='mesh' mesh='m' density='1'"));
    assert_near(I.mass, 88.0 / 4.0, ROUND_OFF * 22.0); // the surface: 8 (ab + bc + ca)/4
}

static void the_older_switch_for_exact_inertia_counts(void **state)
{
    (void)state;
    dp_spec *spec = load_geom("<compiler exactmeshinertia='true'/>", "<mesh name='m' " L_PRISM "/>",
                              "type='mesh' mesh='m'");
    assert_int_equal(dp_spec_mesh(spec, (dp_mesh_id){0})->inertia, DP_MESH_INERTIA_EXACT);
    dp_spec_destroy(spec);
}

static void hollow_geoms_have_their_mass_on_the_surface(void **state)
{
    (void)state;
    const dp_inertial I =
        weigh(load_geom("", "", "type='sphere' size='.5' shellinertia='true' density='2'"));
    assert_near(I.mass, 2.0 * DP_PI, ROUND_OFF * 7.0);                // 4 π r² · 2
    assert_sums(I.moments, I.mass / 6.0, I.mass / 6.0, I.mass / 6.0); // 2/3 m r²
}

static void total_mass_counts_meshes(void **state)
{
    (void)state;
    dp_spec *spec = load_geom("<compiler settotalmass='7'/>", "<mesh name='m' " BOX "/>",
                              "type='mesh' mesh='m'");
    const dp_inertial *I = &dp_spec_body(spec, (dp_body_id){1})->inertial;
    assert_near(I->mass, 7.0, 7.0 * ROUND_OFF);
    assert_sums(I->frame.p, 10.0, 0.0, 0.0);
    dp_spec_destroy(spec);
}

// ---- primitives in the place of a mesh

static void assert_fit(const char *compiler, const char *geom, double a, double b, double c)
{
    dp_spec *spec = load_geom(compiler, "<mesh name='m' " BOX "/>", geom);
    const dp_geom_spec *g = first_geom(spec);
    assert_sums((dp_v3){g->size[0], g->size[1], g->size[2]}, a, b, c);
    assert_sums(g->pose.p, 10.0, 0.0, 0.0);
    assert_null(g->mesh);
    dp_spec_destroy(spec);
}

static void a_primitive_with_a_mesh_has_the_size_of_its_box_of_equal_inertia(void **state)
{
    (void)state;
    // The box is its own box of equal inertia; its longest side becomes z.
    assert_fit("", "type='box' mesh='m'", 1.0, 2.0, 3.0);
    assert_fit("", "type='ellipsoid' mesh='m'", 1.0, 2.0, 3.0);
    assert_fit("", "type='sphere' mesh='m'", 2.0, 0.0, 0.0);
    assert_fit("", "mesh='m'", 2.0, 0.0, 0.0);
    assert_fit("", "type='cylinder' mesh='m'", 1.5, 3.0, 0.0);
    assert_fit("", "type='capsule' mesh='m'", 1.5, 3.0 - 0.75, 0.0);
    assert_fit("", "type='box' mesh='m' fitscale='2'", 2.0, 4.0, 6.0);
}

static void or_that_of_the_box_around_it(void **state)
{
    (void)state;
    const char *around = "<compiler fitaabb='true'/>";
    assert_fit(around, "type='box' mesh='m'", 1.0, 2.0, 3.0);
    assert_fit(around, "type='sphere' mesh='m'", 3.0, 0.0, 0.0);
    assert_fit(around, "type='cylinder' mesh='m'", 2.0, 3.0, 0.0);
    assert_fit(around, "type='capsule' mesh='m'", 2.0, 1.0, 0.0);
}

// ---- files

static void write_tetrahedron(const char *path)
{
    dp_pool pool;
    dp_pool_init(&pool, NULL);
    const dp_v3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const dp_mesh mesh = tetrahedron_mesh(&pool, p);
    const test_file file = write_stl_binary(&mesh, "");
    save_file(&file, path);
    free(file.bytes);
    dp_pool_destroy(&pool);
}

static dp_status try_file(dp_spec **out, const char *compiler, const char *asset, bool outside)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco>%s<asset><mesh %s/></asset><worldbody><body><geom type='mesh' mesh='corner' "
             "density='6'/></body></worldbody></mujoco>",
             compiler, asset);
    const dp_import_options options = {.allow_outside = outside};
    return dp_mjcf_parse(out, NULL, text, strlen(text), DP_SCRATCH "/import/model/a.xml", &options);
}

static void mesh_files_are_found_by_the_rules_of_mujoco(void **state)
{
    (void)state;
    mkdir(DP_SCRATCH "/import", 0777);
    mkdir(DP_SCRATCH "/import/model", 0777);
    mkdir(DP_SCRATCH "/import/model/meshes", 0777);
    mkdir(DP_SCRATCH "/import/model/meshes/sub", 0777);
    write_tetrahedron(DP_SCRATCH "/import/model/corner.stl");
    write_tetrahedron(DP_SCRATCH "/import/model/meshes/corner.STL");
    write_tetrahedron(DP_SCRATCH "/import/model/meshes/sub/corner.stl");
    write_tetrahedron(DP_SCRATCH "/import/corner.stl");
    static const struct {
        const char *compiler, *asset;
        bool outside, found;
    } cases[] = {
        {"", "file='corner.stl'", false, true},
        {"", "name='corner' file='meshes/corner.STL'", false, true},
        {"<compiler meshdir='meshes'/>", "file='corner.STL'", false, true},
        {"<compiler meshdir='meshes/'/>", "file='sub/corner.stl'", false, true},
        {"<compiler assetdir='meshes'/>", "file='sub/corner.stl'", false, true},
        {"<compiler assetdir='none' meshdir='meshes'/>", "file='sub/corner.stl'", false, true},
        {"<compiler strippath='true'/>", "file='anywhere/else/corner.stl'", false, true},
        {"<compiler meshdir='meshes'/>", "file='sub\\corner.stl'", false, true},
        {"<compiler meshdir='meshes'/>", "file='none/corner.stl'", false, false},
        {"", "file='" DP_SCRATCH "/import/model/corner.stl'", false, true},
        {"", "file='../corner.stl'", false, false},
        {"", "file='../corner.stl'", true, true},
        {"<compiler meshdir='..'/>", "file='model/corner.stl'", false, true},
        {"", "name='corner' file='meshes/corner.STL' content_type='model/stl'", false, true},
        {"", "name='corner' file='meshes/corner.STL' content_type='model/obj'", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        dp_spec *spec;
        const dp_status status =
            try_file(&spec, cases[i].compiler, cases[i].asset, cases[i].outside);
        if ((status == DP_OK) != cases[i].found) {
            fail_msg("%s %s: %s", cases[i].compiler, cases[i].asset, dp_last_error());
        }
        if (status == DP_OK) {
            assert_near(weigh(spec).mass, 1.0, 1e-6); // STL has singles
        } else {
            assert_int_equal(status, DP_ERROR_UNSUPPORTED);
            assert_string_equal(dp_last_feature(), "mesh");
        }
    }
}

static void a_file_outside_of_the_scene_is_named_in_the_refusal(void **state)
{
    (void)state;
    dp_spec *spec;
    assert_int_equal(try_file(&spec, "", "file='../corner.stl'", false), DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "lies outside of the folder of the scene"));
    assert_non_null(strstr(dp_last_error(), "allow_outside lifts this"));
}

static void an_asset_that_only_looks_need_is_never_opened(void **state)
{
    (void)state;
    dp_import_report *report;
    dp_spec *spec = load_with(
        "<mujoco><asset><mesh name='seen' file='/none/at/all.stl'/><hfield name='h' size='1 1 1 1' "
        "file='/none.png'/><texture file='/none.png'/><mesh name='m' " BOX "/></asset><worldbody>"
        "<geom type='hfield' hfield='h' contype='0' conaffinity='0'/>"
        "<body><freejoint/><geom type='mesh' mesh='seen' contype='0' conaffinity='0' mass='0'/>"
        "<geom type='mesh' mesh='seen' contype='0' conaffinity='0' density='0'/>"
        "<geom type='mesh' mesh='seen' contype='0' conaffinity='0' group='7'/>"
        "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
        NULL, &report);
    assert_int_equal(dp_spec_geom_count(spec), 1);
    assert_int_equal(dp_spec_mesh_count(spec), 1);
    assert_int_equal(item_of(report, "mesh", "file").verdict, DP_IMPORT_VERDICT_IGNORED);
    assert_int_equal(item_of(report, "hfield", "").verdict, DP_IMPORT_VERDICT_IGNORED);
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
}

static void a_geom_that_a_pair_names_is_more_than_looks(void **state)
{
    (void)state;
    dp_spec *spec =
        load("<mujoco><asset><mesh name='m' " BOX "/></asset><worldbody>"
             "<geom name='floor' type='plane' size='1 1 1'/><body><freejoint/><geom size='1'/>"
             "<geom name='foot' type='mesh' mesh='m' contype='0' conaffinity='0' mass='0'/></body>"
             "</worldbody><contact><pair geom1='floor' geom2='foot'/></contact></mujoco>");
    assert_int_equal(dp_spec_geom_count(spec), 3);
    dp_spec_destroy(spec);
}

static void what_cannot_be_read_is_left_out_when_allowed(void **state)
{
    (void)state;
    const char *const allow[] = {"mesh"};
    const dp_import_options options = {.allow = allow, .nallow = 1};
    dp_import_report *report;
    dp_spec *spec = load_with("<mujoco><asset><mesh file='none.stl'/></asset><worldbody><body>"
                              "<freejoint/><geom size='1'/><geom name='m' type='mesh' mesh='none'/>"
                              "</body></worldbody><contact><pair geom1='m' geom2='m'/></contact>"
                              "<sensor><framepos objtype='geom' objname='m'/></sensor></mujoco>",
                              &options, &report);
    assert_int_equal(dp_spec_geom_count(spec), 1);
    assert_int_equal(dp_spec_pair_count(spec), 0);
    assert_int_equal(dp_spec_sensor_count(spec), 0);
    assert_int_equal(item_of(report, "mesh", "").verdict, DP_IMPORT_VERDICT_REFUSED);
    assert_non_null(strstr(item_of(report, "mesh", "").note, "found no file 'none.stl'"));
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
}

static void sensors_of_mesh_frames_are_refused_because_mujoco_moves_those(void **state)
{
    (void)state;
    dp_spec *spec;
    const char *text = "<mujoco><asset><mesh name='m' " BOX "/></asset><worldbody><body><geom "
                       "name='g' type='mesh' mesh='m'/></body></worldbody><sensor><framepos "
                       "objtype='geom' objname='g'/></sensor></mujoco>";
    assert_int_equal(dp_mjcf_parse(&spec, NULL, text, strlen(text), "a.xml", NULL),
                     DP_ERROR_UNSUPPORTED);
    assert_string_equal(dp_last_feature(), "sensor");
}

// ---- height fields

static void inline_terrain_starts_with_the_row_of_greatest_y(void **state)
{
    (void)state;
    dp_spec *spec = load("<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='1 2 3 4' "
                         "elevation='10 11 12 13 14 15'/></asset><worldbody>"
                         "<geom type='hfield' hfield='h' pos='1 2 3'/></worldbody></mujoco>");
    const dp_hfield_spec *h = dp_spec_hfield(spec, (dp_hfield_id){0});
    const double expected[6] = {0.6, 0.8, 1.0, 0.0, 0.2, 0.4};
    for (int i = 0; i < 6; ++i) {
        assert_near(h->elevation[i], expected[i], ROUND_OFF);
    }
    assert_int_equal(h->nrow, 2);
    assert_int_equal(h->ncol, 3);
    assert_true(h->size[0] == 1.0 && h->size[1] == 2.0 && h->size[2] == 3.0 && h->size[3] == 4.0);
    assert_string_equal(first_geom(spec)->hfield, "h");
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, spec), DP_OK);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

static void terrain_without_elevation_is_flat(void **state)
{
    (void)state;
    dp_spec *spec =
        load("<mujoco><asset><hfield name='h' nrow='4' ncol='3' size='1 2 3 4'/>"
             "</asset><worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>");
    assert_null(dp_spec_hfield(spec, (dp_hfield_id){0})->elevation);
    assert_int_equal(dp_spec_hfield(spec, (dp_hfield_id){0})->nrow, 4);
    dp_spec_destroy(spec);
}

static int slope(int x, int y, int c)
{
    (void)c;
    return 10 * x + y;
}

static void terrain_is_read_from_an_image(void **state)
{
    (void)state;
    const png_layout layout = {
        .width = 3, .height = 2, .depth = 8, .colour = 0, .pieces = 1, .sample = slope};
    const test_file file = write_png(&layout);
    save_file(&file, DP_SCRATCH "/slope.png");
    free(file.bytes);
    dp_spec *spec = load("<mujoco><asset><hfield file='slope.png' size='1 2 3 4'/></asset>"
                         "<worldbody><geom type='hfield' hfield='slope'/></worldbody></mujoco>");
    const dp_hfield_spec *h = dp_spec_hfield(spec, (dp_hfield_id){0});
    assert_int_equal(h->nrow, 2);
    assert_int_equal(h->ncol, 3);
    assert_near(h->elevation[0], 1.0 / 21.0, ROUND_OFF); // the bottom row first, 1 of 0 … 21
    assert_near(h->elevation[5], 20.0 / 21.0, ROUND_OFF);
    dp_spec_destroy(spec);
    assert_int_equal(remove(DP_SCRATCH "/slope.png"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_of_a_box_weighs_what_the_box_does),
        cmocka_unit_test(four_kinds_of_inertia_are_told_apart),
        cmocka_unit_test(legacy_counts_every_pyramid_positive),
        cmocka_unit_test(vertices_alone_stand_for_their_hull),
        cmocka_unit_test(a_mesh_is_moved_then_turned_then_scaled),
        cmocka_unit_test(a_class_gives_meshes_their_scale_and_inertia),
        cmocka_unit_test(the_older_switch_for_exact_inertia_counts),
        cmocka_unit_test(hollow_geoms_have_their_mass_on_the_surface),
        cmocka_unit_test(total_mass_counts_meshes),
        cmocka_unit_test(a_primitive_with_a_mesh_has_the_size_of_its_box_of_equal_inertia),
        cmocka_unit_test(or_that_of_the_box_around_it),
        cmocka_unit_test(mesh_files_are_found_by_the_rules_of_mujoco),
        cmocka_unit_test(a_file_outside_of_the_scene_is_named_in_the_refusal),
        cmocka_unit_test(an_asset_that_only_looks_need_is_never_opened),
        cmocka_unit_test(a_geom_that_a_pair_names_is_more_than_looks),
        cmocka_unit_test(what_cannot_be_read_is_left_out_when_allowed),
        cmocka_unit_test(sensors_of_mesh_frames_are_refused_because_mujoco_moves_those),
        cmocka_unit_test(inline_terrain_starts_with_the_row_of_greatest_y),
        cmocka_unit_test(terrain_without_elevation_is_flat),
        cmocka_unit_test(terrain_is_read_from_an_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
