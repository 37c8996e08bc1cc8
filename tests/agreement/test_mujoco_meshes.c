// Meshes and terrain in files against MuJoCo 2: mass, centre of mass and inertia of meshes, heights
// of terrain. MuJoCo keeps vertices and heights as singles, hence the tolerance. It is asked for
// exact inertia throughout: else it takes the mass of the box that has the inertia of the mesh.
#include "mesh_shapes.h"
#include "mesh_writer.h"
#include "near.h"
#include "png_writer.h"
#include "test_random.h"

#include "geom/hull.h"
#include "geom/mass.h"
#include "io/mesh/hfield_file.h"
#include "io/mesh/mesh_file.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SINGLE = 1e-6; // a few roundings to singles, 6e-8 each

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

static void keep_quiet(const char *message)
{
    (void)message;
}

static mjModel *load(const test_file *scene)
{
    const char *path = DP_SCRATCH "/test_mujoco_meshes.xml";
    save_file(scene, path);
    free(scene->bytes);
    mju_user_warning = keep_quiet;
    char message[1000] = "";
    mjModel *m = mj_loadXML(path, NULL, message, sizeof message);
    if (!m) {
        fail_msg("MuJoCo refuses: %s", message);
    }
    assert_int_equal(remove(path), 0);
    return m;
}

/// A free body with one mesh that has these attributes.
static mjModel *load_mesh(const char *mesh)
{
    test_file scene = {0};
    put_text(&scene, "<mujoco><compiler exactmeshinertia=\"true\"/><asset><mesh name=\"m\" ");
    put_bytes(&scene, mesh, strlen(mesh));
    put_text(&scene, "/></asset><worldbody><body><freejoint/><geom type=\"mesh\" mesh=\"m\" "
                     "density=\"700\"/></body></worldbody></mujoco>");
    return load(&scene);
}

/// The inertia tensor that MuJoCo has compiled, in the axes of the body.
static dp_sym3 their_tensor(const mjModel *m)
{
    const dp_inertial body = {.frame = {dp_quat_load(m->body_iquat + 4), {0.0, 0.0, 0.0}},
                              .moments = dp_v3_load(m->body_inertia + 3)};
    return dp_inertial_tensor(&body);
}

static void assert_same_body(const mjModel *theirs, const dp_mesh *m, dp_mesh_inertia kind)
{
    dp_mesh_moments I = {0};
    if (dp_mesh_integrate(&I, m, kind, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    const dp_inertial ours = dp_mesh_inertial(&I, 700.0 * I.measure);
    dp_v3 low, high;
    dp_mesh_bounds(&low, &high, m);
    const double extent = dp_v3_norm(dp_v3_sub(high, low)), reach = extent + dp_v3_norm(low);
    assert_near(theirs->body_mass[1] / ours.mass, 1.0, SINGLE);
    assert_near(theirs->body_ipos[3], ours.frame.p.x, SINGLE * reach);
    assert_near(theirs->body_ipos[4], ours.frame.p.y, SINGLE * reach);
    assert_near(theirs->body_ipos[5], ours.frame.p.z, SINGLE * reach);
    const dp_sym3 a = their_tensor(theirs), b = dp_inertial_tensor(&ours);
    const double scale = SINGLE * ours.moments.x;
    assert_near(a.xx, b.xx, scale);
    assert_near(a.yy, b.yy, scale);
    assert_near(a.zz, b.zz, scale);
    assert_near(a.xy, b.xy, scale);
    assert_near(a.xz, b.xz, scale);
    assert_near(a.yz, b.yz, scale);
}

enum { SHAPES = 12 };

/// Convex meshes with three different principal moments, away from the origin.
static dp_mesh convex_shape(dp_pool *pool, int i)
{
    random_source r = {100 + (uint64_t)i};
    dp_mesh m;
    switch (i % 4) {
    case 0:
        m = box_mesh(pool, 0.4, 0.5, 0.6);
        break;
    case 1:
        m = icosphere_mesh(pool, 0.5, 2);
        break;
    case 2:
        m = prism_mesh(pool, 9, 0.4, 0.3);
        break;
    default:
        m = cloud_mesh(pool, 60, &r);
        assert_int_equal(dp_mesh_hull(&m, pool, &m, 0), DP_OK);
        break;
    }
    const dp_m3 A = random_affine(&r, i % 2 == 1);
    const dp_v3 t = {random_between(&r, -0.5, 0.5), 0.2, random_between(&r, -0.5, 0.5)};
    assert_int_equal(dp_mesh_transform(&m, pool, &m, &A, t), DP_OK);
    return m;
}

/// Write the mesh in the format, read the file, and give MuJoCo the same file.
static dp_mesh read_back(dp_pool *pool, const dp_mesh *m, int format, const char **path)
{
    static const char *const file[] = {DP_SCRATCH "/agreement.obj", DP_SCRATCH "/agreement.stl",
                                       DP_SCRATCH "/agreement.msh"};
    const test_file f = format == 0   ? write_obj(m, "%d")
                        : format == 1 ? write_stl_binary(m, "")
                                      : write_msh(m, false);
    save_file(&f, file[format]);
    free(f.bytes);
    dp_mesh back;
    assert_int_equal(dp_mesh_load(&back, NULL, pool, file[format], DP_MESH_FORMAT_ANY), DP_OK);
    *path = file[format];
    return back;
}

static void convex_meshes_of_every_format_weigh_and_turn_alike(void **state)
{
    for (int i = 0; i < SHAPES; ++i) {
        const dp_mesh m = convex_shape(*state, i);
        for (int format = 0; format < 3; ++format) {
            const char *path;
            const dp_mesh back = read_back(*state, &m, format, &path);
            char attributes[600];
            snprintf(attributes, sizeof attributes, "file=\"%s\"", path);
            mjModel *theirs = load_mesh(attributes);
            assert_same_body(theirs, &back, DP_MESH_INERTIA_EXACT);
            assert_same_body(theirs, &back, DP_MESH_INERTIA_CONVEX);
            mj_deleteModel(theirs);
            assert_int_equal(remove(path), 0);
        }
    }
}

// MuJoCo subtracts refpos, turns by the inverse of refquat, and then scales.
static void reference_frames_and_scales_act_alike(void **state)
{
    random_source r = {7};
    for (int i = 0; i < SHAPES; ++i) {
        const dp_mesh m = convex_shape(*state, i);
        double q[4];
        random_direction(q, 4, &r);
        const dp_v3 ref = {0.3, -0.1, 0.2},
                    scale = {i % 3 ? 0.5 : -0.5, i % 2 ? 2.0 : -2.0, random_between(&r, 0.5, 1.5)};
        const char *path;
        const dp_mesh back = read_back(*state, &m, i % 3, &path);
        char attributes[600];
        snprintf(attributes, sizeof attributes,
                 "file=\"%s\" refpos=\"%.17g %.17g %.17g\" refquat=\"%.17g %.17g %.17g %.17g\" "
                 "scale=\"%.17g %.17g %.17g\"",
                 path, ref.x, ref.y, ref.z, q[0], q[1], q[2], q[3], scale.x, scale.y, scale.z);
        mjModel *theirs = load_mesh(attributes);

        const dp_m3 back_turn = dp_m3_from_quat(dp_quat_conjugate(dp_quat_load(q)));
        const dp_m3 S = {{{scale.x, 0.0, 0.0}, {0.0, scale.y, 0.0}, {0.0, 0.0, scale.z}}};
        const dp_m3 A = dp_m3_mul(&S, &back_turn);
        dp_mesh image;
        assert_int_equal(
            dp_mesh_transform(&image, *state, &back, &A, dp_v3_scale(dp_m3_apply(&A, ref), -1.0)),
            DP_OK);
        assert_same_body(theirs, &image, DP_MESH_INERTIA_EXACT);
        mj_deleteModel(theirs);
        assert_int_equal(remove(path), 0);
    }
}

static void points_alone_have_the_same_hull(void **state)
{
    random_source r = {8};
    for (int trial = 0; trial < 10; ++trial) {
        const dp_mesh cloud = cloud_mesh(*state, 30, &r);
        test_file attribute = {0};
        put_text(&attribute, "vertex=\"");
        for (int k = 0; k < 90; ++k) {
            put_text(&attribute, "%.17g ", cloud.vertex[k]);
        }
        put_bytes(&attribute, "\"", 2); // and the end of the text
        mjModel *theirs = load_mesh((const char *)attribute.bytes);
        free(attribute.bytes);
        assert_same_body(theirs, &cloud, DP_MESH_INERTIA_CONVEX);
        mj_deleteModel(theirs);
    }
}

static void meshes_that_are_not_convex_weigh_and_turn_alike(void **state)
{
    random_source r = {9};
    for (int trial = 0; trial < 10; ++trial) {
        const dp_mesh star = star_mesh(*state, 1 + trial % 2, &r);
        const char *path;
        const dp_mesh back = read_back(*state, &star, trial % 3, &path);
        char attributes[600];
        snprintf(attributes, sizeof attributes, "file=\"%s\"", path);
        mjModel *theirs = load_mesh(attributes);
        assert_same_body(theirs, &back, DP_MESH_INERTIA_EXACT);
        mj_deleteModel(theirs);
        assert_int_equal(remove(path), 0);
    }
}

// --- terrain

static void assert_same_terrain(const test_file *f, const char *path, double tolerance)
{
    save_file(f, path);
    free(f->bytes);
    dp_pool pool;
    dp_pool_init(&pool, NULL);
    dp_hfield_data ours;
    assert_int_equal(dp_hfield_load(&ours, &pool, path), DP_OK);
    test_file scene = {0};
    put_text(&scene,
             "<mujoco><asset><hfield name=\"h\" file=\"%s\" size=\"1 1 1 1\"/></asset><worldbody>"
             "<geom type=\"hfield\" hfield=\"h\"/></worldbody></mujoco>",
             path);
    mjModel *theirs = load(&scene);
    assert_int_equal(theirs->hfield_nrow[0], ours.nrow);
    assert_int_equal(theirs->hfield_ncol[0], ours.ncol);
    for (int i = 0; i < ours.nrow * ours.ncol; ++i) {
        assert_near((double)theirs->hfield_data[i], ours.elevation[i], tolerance);
    }
    mj_deleteModel(theirs);
    dp_pool_destroy(&pool);
    assert_int_equal(remove(path), 0);
}

static int hills(int x, int y, int c)
{
    return (40 + x * x + 7 * y + 90 * c + x * y) & 255;
}

static int fine_hills(int x, int y, int c)
{
    return 257 * hills(x, y, c) - (x * 31 & 127) * (hills(x, y, c) > 0);
}

static void terrain_files_give_the_same_heights(void **state)
{
    (void)state;
    random_source r = {10};
    test_file f = {0};
    put_little32(&f, 7);
    put_little32(&f, 5);
    for (int i = 0; i < 35; ++i) {
        put_single(&f, random_between(&r, -3.0, 8.0));
    }
    assert_same_terrain(&f, DP_SCRATCH "/agreement.bin", SINGLE);
    for (int colour = 0; colour <= 6; colour += 2) { // grey, RGB, grey and alpha, RGB and alpha
        for (int interlaced = 0; interlaced < 2; ++interlaced) {
            const png_layout layout = {.width = 13,
                                       .height = 9,
                                       .depth = 8,
                                       .colour = colour,
                                       .interlaced = interlaced,
                                       .filter = 5,
                                       .sample = hills};
            f = write_png(&layout);
            assert_same_terrain(&f, DP_SCRATCH "/agreement.png", SINGLE);
        }
    }
    // Of 16 bits MuJoCo keeps 8.
    const png_layout fine = {.width = 13, .height = 9, .depth = 16, .sample = fine_hills};
    f = write_png(&fine);
    assert_same_terrain(&f, DP_SCRATCH "/agreement.png", 2.0 / 255.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convex_meshes_of_every_format_weigh_and_turn_alike),
        cmocka_unit_test(reference_frames_and_scales_act_alike),
        cmocka_unit_test(points_alone_have_the_same_hull),
        cmocka_unit_test(meshes_that_are_not_convex_weigh_and_turn_alike),
        cmocka_unit_test(terrain_files_give_the_same_heights),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
