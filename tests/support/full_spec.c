#include "full_spec.h"

#include "small_spec.h"

enum { CART = 1, BALL = 4 }; // bodies of the small spec

static dp_status add_assets(dp_spec *spec)
{
    const double corner[12] = {0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.1};
    const int face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    dp_mesh_spec tetra = dp_mesh_spec_default();
    tetra.name = "tetra";
    tetra.vertex = corner, tetra.nvertex = 4;
    tetra.face = face, tetra.nface = 4;
    tetra.inertia = DP_MESH_INERTIA_EXACT;
    dp_status status = dp_spec_add_mesh(NULL, spec, &tetra);

    const double cube_vertex[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                    -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
    dp_mesh_spec cube = dp_mesh_spec_default();
    cube.name = "cube";
    cube.vertex = cube_vertex, cube.nvertex = 8;
    status = status ? status : dp_spec_add_mesh(NULL, spec, &cube);

    const double elevation[6] = {0.0, 1.0, 0.25, 0.5, 0.75, 0.125};
    dp_hfield_spec hills = dp_hfield_spec_default();
    hills.name = "hills";
    hills.nrow = 3, hills.ncol = 2;
    hills.elevation = elevation;
    hills.size[2] = 0.5;
    return status ? status : dp_spec_add_hfield(NULL, spec, &hills);
}

static dp_status add_geom(dp_spec *spec, int body, const char *name, dp_geom_kind kind)
{
    dp_geom_spec geom = dp_geom_spec_default();
    geom.name = name;
    geom.kind = kind;
    geom.mesh = kind == DP_GEOM_MESH ? "tetra" : NULL;
    geom.hfield = kind == DP_GEOM_HFIELD ? "hills" : NULL;
    geom.size[0] = 0.1, geom.size[1] = 0.5;
    geom.contype = geom.conaffinity = 0;
    return dp_spec_add_geom(NULL, spec, (dp_body_id){body}, &geom);
}

static dp_status add_site(dp_spec *spec, int body, const char *name, dp_v3 at)
{
    dp_site_spec site = dp_site_spec_default();
    site.name = name;
    site.pose.p = at;
    return dp_spec_add_site(NULL, spec, (dp_body_id){body}, &site);
}

static dp_status add_places(dp_spec *spec)
{
    dp_status status = add_geom(spec, BALL, "ball_mesh", DP_GEOM_MESH);
    status = status ? status : add_geom(spec, 0, "terrain", DP_GEOM_HFIELD);
    status = status ? status : add_geom(spec, 0, "post", DP_GEOM_CYLINDER);
    status = status ? status : add_site(spec, 0, "post_top", (dp_v3){-1.0, 0.0, 2.0});
    status = status ? status : add_site(spec, 0, "post_side", (dp_v3){0.0, 0.2, 0.0});
    return status ? status : add_site(spec, CART, "cart_site", (dp_v3){0.0, 0.0, 0.1});
}

static dp_status add_contacts(dp_spec *spec)
{
    dp_pair_spec grip = dp_pair_spec_default();
    grip.name = "grip";
    grip.geom[0] = "ball_ball", grip.geom[1] = "cart_box";
    grip.friction[0] = 0.5;
    grip.contact.condim = 4;
    grip.contact_given = true;
    dp_status status = dp_spec_add_pair(NULL, spec, &grip);

    dp_exclude_spec apart = dp_exclude_spec_default();
    apart.name = "apart";
    apart.body[0] = "cart", apart.body[1] = "pole";
    return status ? status : dp_spec_add_exclude(NULL, spec, &apart);
}

static dp_status add_tendons(dp_spec *spec)
{
    const dp_wrap_spec term[2] = {{.kind = DP_WRAP_JOINT, .object = "slider", .coefficient = 1.0},
                                  {.kind = DP_WRAP_JOINT, .object = "pivot", .coefficient = -0.5}};
    dp_tendon_spec sum = dp_tendon_spec_default();
    sum.name = "sum";
    sum.wrap = term, sum.nwrap = 2;
    dp_status status = dp_spec_add_tendon(NULL, spec, &sum);

    const dp_wrap_spec path[6] = {
        {.kind = DP_WRAP_SITE, .object = "post_top"},
        {.kind = DP_WRAP_GEOM, .object = "post", .side = "post_side"},
        {.kind = DP_WRAP_SITE, .object = "tip_site"},
        {.kind = DP_WRAP_PULLEY, .coefficient = 2.0},
        {.kind = DP_WRAP_SITE, .object = "cart_site"},
        {.kind = DP_WRAP_SITE, .object = "post_top"},
    };
    dp_tendon_spec rope = dp_tendon_spec_default();
    rope.name = "rope";
    rope.spatial = true;
    rope.wrap = path, rope.nwrap = 6;
    rope.limited = true;
    rope.range[1] = 3.0;
    return status ? status : dp_spec_add_tendon(NULL, spec, &rope);
}

static dp_status add_equality(dp_spec *spec, const char *name, dp_equality_kind kind,
                              const char *first, const char *second)
{
    dp_equality_spec equality = dp_equality_spec_default();
    equality.name = name;
    equality.kind = kind;
    equality.object[0] = first, equality.object[1] = second;
    equality.object_kind = kind == DP_EQUALITY_WELD ? DP_OBJECT_SITE : DP_OBJECT_BODY;
    equality.anchor.x = kind == DP_EQUALITY_CONNECT ? 0.5 : 0.0;
    equality.active = second != NULL;
    return dp_spec_add_equality(NULL, spec, &equality);
}

static dp_status add_equalities(dp_spec *spec)
{
    dp_status status = add_equality(spec, "pin", DP_EQUALITY_CONNECT, "ball", "hand");
    status = status ? status : add_equality(spec, "grip", DP_EQUALITY_WELD, "tip_site", "post_top");
    status = status ? status : add_equality(spec, "gear", DP_EQUALITY_JOINT, "pivot", "slider");
    status = status ? status : add_equality(spec, "ropes", DP_EQUALITY_TENDON, "rope", "sum");
    return status ? status : add_equality(spec, "stuck", DP_EQUALITY_JOINT, "slider", NULL);
}

static dp_status add_drives(dp_spec *spec)
{
    dp_actuator_spec winch = dp_actuator_spec_default();
    winch.name = "winch";
    winch.transmission = DP_TRANSMISSION_TENDON;
    winch.tendon = "rope";
    dp_status status = dp_spec_add_actuator(NULL, spec, &winch);

    dp_actuator_spec thruster = dp_actuator_spec_default();
    thruster.name = "thruster";
    thruster.transmission = DP_TRANSMISSION_SITE;
    thruster.site = "tip_site", thruster.reference_site = "post_top";
    thruster.gear[0] = 0.0, thruster.gear[2] = 3.0;
    status = status ? status : dp_spec_add_actuator(NULL, spec, &thruster);

    dp_sensor_spec length = dp_sensor_spec_default();
    length.name = "length";
    length.kind = DP_SENSOR_TENDON_POSITION;
    length.object = "rope";
    status = status ? status : dp_spec_add_sensor(NULL, spec, &length);

    // The key of the small spec gave two controls; there are four now.
    static const double control[4] = {0.5, -0.5, 1.0, 2.0};
    dp_key_spec *home = dp_spec_key(spec, (dp_key_id){0});
    home->control = control;
    home->nu = 4;
    return status;
}

dp_status full_spec_create(dp_spec **out, const dp_allocator *allocator)
{
    static const char *const feature[] = {"contact", "tendon", "transmission"};
    dp_status status = small_spec_create(out, allocator);
    if (status != DP_OK) {
        return status;
    }
    for (int i = 0; i < 3; ++i) {
        status = status ? status : dp_spec_allow(*out, feature[i]);
    }
    status = status ? status : add_assets(*out);
    status = status ? status : add_places(*out);
    status = status ? status : add_contacts(*out);
    status = status ? status : add_tendons(*out);
    status = status ? status : add_equalities(*out);
    status = status ? status : add_drives(*out);
    if (status != DP_OK) {
        dp_spec_destroy(*out);
        *out = NULL;
    }
    return status;
}
