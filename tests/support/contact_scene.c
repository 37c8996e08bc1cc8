#include "contact_scene.h"

#include <math.h>

static dp_geom_spec geom_of(dp_geom_kind kind, contact_stuff stuff)
{
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = kind;
    geom.friction[0] = stuff.mu;
    geom.friction[1] = stuff.torsion;
    geom.friction[2] = stuff.roll;
    geom.contact.condim = stuff.condim > 0 ? stuff.condim : 3;
    geom.contact.material_given = true;
    geom.contact.material.stiffness = stuff.stiffness > 0.0 ? stuff.stiffness : (double)INFINITY;
    geom.contact.material.damping = stuff.damping;
    return geom;
}

mechanism contact_scene_begin(contact_stuff floor, dp_v3 gravity, double h)
{
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = gravity;
    o->step = h;
    dp_geom_spec plane = geom_of(DP_GEOM_PLANE, floor);
    plane.name = "floor";
    assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &plane));
    return x;
}

dp_body_id contact_scene_add(mechanism *x, const char *name, dp_geom_kind kind, double half,
                             double mass, double height, contact_stuff stuff)
{
    const double moment = (kind == DP_GEOM_SPHERE ? 0.4 : 2.0 / 3.0) * mass * half * half;
    const dp_body_id body = mechanism_body(x, DP_WORLD, name, (dp_v3){0.0, 0.0, height}, mass,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){moment, moment, moment});
    mechanism_joint(x, body, NULL, DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_geom_spec geom = geom_of(kind, stuff);
    geom.name = name;
    geom.size[0] = geom.size[1] = geom.size[2] = half;
    assert_ok(dp_spec_add_geom(NULL, x->spec, body, &geom));
    return body;
}

double contact_scene_load(const dp_data *d)
{
    double sum = 0.0;
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        sum += dp_data_contact(d, i).normal_force;
    }
    return sum;
}

mechanism contact_scene_slider(double mu, double h, double restitution, double height)
{
    mechanism x = contact_scene_begin((contact_stuff){.mu = mu}, (dp_v3){0.0, 0.0, -9.81}, h);
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "ball", (dp_v3){0.0, 0.0, 0.1 + height},
                                           2.0, (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.01, 0.01});
    static const dp_v3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    static const char *const name[3] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) {
        mechanism_joint(&x, body, name[i], DP_JOINT_SLIDE, axis[i]);
    }
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_SPHERE;
    geom.size[0] = 0.1;
    geom.friction[0] = mu;
    geom.contact.material_given = true;
    geom.contact.material.restitution = restitution;
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
    mechanism_compile(&x);
    return x;
}
