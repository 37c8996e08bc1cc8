#include "mechanism.h"

#include <string.h>

void assert_ok_at(dp_status status, const char *call, const char *file, int line)
{
    if (status != DP_OK) {
        print_error("%s gave %s: %s\n", call, dp_status_name(status), dp_last_error());
        _fail(file, line);
    }
}

mechanism mechanism_begin(void)
{
    mechanism x = {NULL, NULL, NULL};
    assert_ok(dp_spec_create(&x.spec, NULL));
    return x;
}

void mechanism_compile(mechanism *x)
{
    assert_ok(dp_model_compile(&x->m, x->spec));
    assert_ok(dp_data_create(&x->d, x->m, NULL));
}

mechanism mechanism_from(dp_spec *spec)
{
    mechanism x = {spec, NULL, NULL};
    mechanism_compile(&x);
    return x;
}

void mechanism_end(mechanism *x)
{
    dp_data_destroy(x->d);
    dp_model_destroy(x->m);
    dp_spec_destroy(x->spec);
    *x = (mechanism){NULL, NULL, NULL};
}

dp_body_id mechanism_body(mechanism *x, dp_body_id parent, const char *name, dp_v3 at, double mass,
                          dp_v3 com, dp_v3 moments)
{
    dp_body_spec body = dp_body_spec_default();
    body.name = name;
    body.pose.p = at;
    body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    body.inertial.mass = mass;
    body.inertial.frame = (dp_pose){{1.0, 0.0, 0.0, 0.0}, com};
    body.inertial.moments = moments;
    dp_body_id id;
    assert_ok(dp_spec_add_body(&id, x->spec, parent, &body));
    return id;
}

dp_joint_spec *mechanism_joint(mechanism *x, dp_body_id body, const char *name, dp_joint_kind kind,
                               dp_v3 axis)
{
    dp_joint_spec joint = dp_joint_spec_default();
    joint.name = name;
    joint.kind = kind;
    joint.axis = axis;
    dp_joint_id id;
    assert_ok(dp_spec_add_joint(&id, x->spec, body, &joint));
    return dp_spec_joint(x->spec, id);
}

void mechanism_site(mechanism *x, dp_body_id body, const char *name, dp_pose pose)
{
    dp_site_spec site = dp_site_spec_default();
    site.name = name;
    site.pose = pose;
    assert_ok(dp_spec_add_site(NULL, x->spec, body, &site));
}

void mechanism_sensor(mechanism *x, const char *name, dp_sensor_kind kind, dp_object_kind of,
                      const char *object)
{
    dp_sensor_spec sensor = dp_sensor_spec_default();
    sensor.name = name;
    sensor.kind = kind;
    sensor.object_kind = of;
    sensor.object = object;
    assert_ok(dp_spec_add_sensor(NULL, x->spec, &sensor));
}

void mechanism_set(mechanism *x, const double *q, const double *v)
{
    const dp_model_size *n = dp_model_sizes(x->m);
    if (q) {
        memcpy(dp_data_q(x->d), q, (size_t)n->nq * sizeof *q);
    }
    if (v) {
        memcpy(dp_data_v(x->d), v, (size_t)n->nv * sizeof *v);
    }
    assert_ok(dp_kinematics(x->d));
}

void mechanism_steps(mechanism *x, int count)
{
    for (int i = 0; i < count; ++i) {
        assert_ok(dp_step(x->d));
    }
}

double mechanism_energy(const mechanism *x)
{
    const dp_energy e = dp_data_energy(x->d);
    return e.kinetic + e.gravity + e.spring;
}

const double *mechanism_sense(mechanism *x, const char *sensor)
{
    dp_sensor_id id;
    assert_ok(dp_model_find_sensor(&id, x->m, sensor));
    assert_ok(dp_sense(x->d));
    return dp_data_sensors(x->d) + dp_model_sensor(x->m, id).data_index;
}
