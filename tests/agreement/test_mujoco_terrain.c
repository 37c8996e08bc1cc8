// Terrain against MuJoCo: where its rays meet it, which tells along which diagonal cells are cut.
#include "mesh_writer.h"
#include "near.h"

#include <dashpot/advanced/collide.h>

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 7, COLUMNS = 5 };

static void rays_meet_terrain_where_they_meet_it_in_mujoco(void **state)
{
    (void)state;
    const char *path = DP_SCRATCH "/test_mujoco_terrain.xml";
    test_file scene = {0};
    put_text(
        &scene,
        "<mujoco><asset><hfield name=\"h\" nrow=\"%d\" ncol=\"%d\" size=\"3 2 0.7 0.5\"/></asset>"
        "<worldbody><geom type=\"hfield\" hfield=\"h\"/></worldbody></mujoco>",
        ROWS, COLUMNS);
    save_file(&scene, path);
    free(scene.bytes);
    char message[1000] = "";
    mjModel *m = mj_loadXML(path, NULL, message, sizeof message);
    if (!m) {
        fail_msg("MuJoCo refuses: %s", message);
    }
    assert_int_equal(remove(path), 0);

    random_source r = {1};
    double elevation[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; ++i) {
        elevation[i] = (double)(float)random_between(&r, 0.0, 1.0); // singles in MuJoCo
        m->hfield_data[i] = (float)elevation[i];
    }
    mjData *d = mj_makeData(m);
    mj_forward(m, d);
    const dp_hfield_spec spec = {
        .nrow = ROWS, .ncol = COLUMNS, .elevation = elevation, .size = {3.0, 2.0, 0.7, 0.5}};
    dp_terrain *terrain;
    assert_int_equal(dp_terrain_create(&terrain, &spec, NULL), DP_OK);
    const dp_shape ground = {.kind = DP_GEOM_HFIELD, .terrain = terrain};
    for (int i = 0; i < 2000; ++i) {
        const double x[3] = {random_between(&r, -2.9, 2.9), random_between(&r, -1.9, 1.9), 0.8};
        const double v[3] = {random_between(&r, -0.1, 0.1), random_between(&r, -0.1, 0.1), -1.0};
        const double theirs = mj_rayHfield(m, d, 0, x, v);
        dp_ray_hit ours;
        assert_int_equal(dp_shape_ray(&ours, &ground, DP_IDENTITY_POSE, (dp_v3){x[0], x[1], x[2]},
                                      (dp_v3){v[0], v[1], v[2]}, INFINITY),
                         DP_OK);
        const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        assert_int_equal(ours.hit, theirs >= 0.0);
        if (ours.hit) {
            assert_near(ours.distance, theirs * length, 1e-12);
        }
    }
    dp_terrain_destroy(terrain);
    mj_deleteData(d);
    mj_deleteModel(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_terrain_where_they_meet_it_in_mujoco),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
