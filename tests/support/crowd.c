#include "crowd.h"

#include "random_spec.h"
#include "test_random.h"

#include <stdio.h>
#include <string.h>

static const double tetra_vertex[] = {0.3,  0.0,   -0.1, -0.2, 0.25, -0.1,
                                      -0.2, -0.25, -0.1, 0.0,  0.0,  0.3};
static const double roof_vertex[] = {-2.0, -2.0, 0.0, 2.0, -2.0, 0.0, 2.0, 2.0,
                                     0.0,  -2.0, 2.0, 0.0, 0.0,  0.0, 0.5};
static const int roof_face[] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
static const double hills[] = {0.0, 0.2, 0.1, 0.4, 1.0, 0.3, 0.1, 0.0, 0.2};

static void add_assets(dp_spec *spec)
{
    dp_mesh_spec mesh = dp_mesh_spec_default();
    mesh.name = "tetra";
    mesh.vertex = tetra_vertex;
    mesh.nvertex = 4;
    assert_ok(dp_spec_add_mesh(NULL, spec, &mesh));
    mesh.name = "roof";
    mesh.vertex = roof_vertex;
    mesh.nvertex = 5;
    mesh.face = roof_face;
    mesh.nface = 4;
    assert_ok(dp_spec_add_mesh(NULL, spec, &mesh));
    dp_hfield_spec field = dp_hfield_spec_default();
    field.name = "hills";
    field.nrow = field.ncol = 3;
    field.elevation = hills;
    memcpy(field.size, (double[]){2.0, 2.0, 0.5, 0.1}, sizeof field.size);
    assert_ok(dp_spec_add_hfield(NULL, spec, &field));
}

static dp_geom_spec some_geom(random_source *r, bool fixed)
{
    dp_geom_spec geom = dp_geom_spec_default();
    const dp_geom_kind kind[] = {DP_GEOM_SPHERE,    DP_GEOM_CAPSULE, DP_GEOM_CYLINDER,
                                 DP_GEOM_ELLIPSOID, DP_GEOM_BOX,     DP_GEOM_MESH};
    geom.kind = kind[random_below(r, 6)];
    for (int k = 0; k < 3; ++k) {
        geom.size[k] = geom.kind == DP_GEOM_MESH ? 0.0 : random_between(r, 0.05, 0.3);
    }
    geom.mesh = geom.kind == DP_GEOM_MESH ? (fixed ? "roof" : "tetra") : NULL;
    geom.contact.margin = random_below(r, 3) == 0 ? 0.02 : 0.0;
    geom.group = random_below(r, 4);
    geom.contype = random_below(r, 6) == 0 && geom.kind != DP_GEOM_MESH ? 0 : 1;
    geom.conaffinity = geom.contype;
    return geom;
}

mechanism crowd_create(uint64_t seed)
{
    random_source r = {seed};
    mechanism x = mechanism_begin();
    assert_ok(dp_spec_allow(x.spec, "contact"));
    add_assets(x.spec);
    dp_geom_spec ground = dp_geom_spec_default();
    ground.kind = DP_GEOM_PLANE;
    ground.size[0] = ground.size[1] = ground.size[2] = 1.0;
    ground.pose.p.z = -0.5;
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &ground));
    ground.kind = DP_GEOM_HFIELD;
    ground.hfield = "hills";
    ground.pose.p = (dp_v3){2.0, 0.0, -0.6};
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &ground));
    ground.kind = DP_GEOM_MESH;
    ground.hfield = NULL;
    ground.mesh = "roof";
    ground.pose.p = (dp_v3){-2.0, 0.0, -0.6};
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &ground));
    for (int i = 0; i < CROWD_BODIES; ++i) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        const dp_v3 moments = {0.1, 0.1, 0.1}, zero = {0.0, 0.0, 0.0};
        const dp_body_id body = mechanism_body(&x, DP_WORLD, name, zero, 1.0, zero, moments);
        dp_spec_body(x.spec, body)->inertia_source = DP_INERTIA_SOURCE_GIVEN;
        mechanism_joint(&x, body, name, DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
        for (int k = 0; k <= i % 2; ++k) {
            dp_geom_spec geom = some_geom(&r, false);
            geom.pose.p.x = 0.2 * k;
            assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
        }
    }
    dp_exclude_spec exclude = dp_exclude_spec_default();
    exclude.body[0] = "b0";
    exclude.body[1] = "b2";
    assert_ok(dp_spec_add_exclude(NULL, x.spec, &exclude));
    mechanism_compile(&x);
    return x;
}

void crowd_scatter(mechanism *x, random_source *r, double speed)
{
    random_state(x->d, r, speed);
    double *q = dp_data_q(x->d);
    for (int i = 0; i < CROWD_BODIES; ++i) {
        q[7 * i] = random_between(r, -1.5, 1.5);
        q[7 * i + 1] = random_between(r, -1.0, 1.0);
        q[7 * i + 2] = random_between(r, -0.5, 0.7);
    }
    assert_ok(dp_kinematics(x->d));
}

dp_shape crowd_shape(const mechanism *x, int g)
{
    const dp_shape *shape = dp_model_shape(x->m, (dp_geom_id){g});
    assert_non_null(shape);
    return *shape;
}
