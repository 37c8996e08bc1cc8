#include "rich_spec.h"

#include "mechanism.h"

#include "model/names.h"

#include <math.h>
#include <stdio.h>

static void add_bodies_with_everything(dp_spec *spec)
{
    dp_body_spec body = dp_body_spec_default();
    body.name = "arm";
    body.pose = (dp_pose){{0.5, -0.5, 0.5, -0.5}, {0.1, -0.0, 1.0 / 3.0}};
    body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    body.inertial = (dp_inertial){1.0 / 7.0, {{0.8, 0.0, -0.6, 0.0}, {-0.0, 0.2, 0.3}}, {3, 4, 5}};
    body.gravity_compensation = 0.7;
    dp_body_id arm, hand, ball;
    assert_ok(dp_spec_add_body(&arm, spec, DP_WORLD, &body));

    body = dp_body_spec_default();
    body.name = "hand";
    assert_ok(dp_spec_add_body(&hand, spec, arm, &body));
    body.name = "ball";
    assert_ok(dp_spec_add_body(&ball, spec, DP_WORLD, &body));
    body.name = "puppet";
    body.mocap = true;
    body.pose.p.x = -3.0;
    assert_ok(dp_spec_add_body(NULL, spec, DP_WORLD, &body));

    static const dp_joint_kind kinds[] = {DP_JOINT_HINGE, DP_JOINT_SLIDE, DP_JOINT_BALL,
                                          DP_JOINT_FREE};
    static const char *const names[] = {"hinge", "slide", "ball", "free"};
    for (int k = 0; k < 4; ++k) {
        dp_joint_spec joint = dp_joint_spec_default();
        joint.name = names[k];
        joint.kind = kinds[k];
        joint.anchor = (dp_v3){0.1 * k, -0.0, 0.3};
        joint.axis = (dp_v3){1.0, -0.0, 2.0};
        joint.ref = k < 2 ? 0.1 : 0.0;
        joint.armature = 0.01 * (k + 1);
        joint.damping = 0.2;
        joint.stiffness = 3.3;
        joint.spring_ref = k < 2 ? -0.4 : 0.0;
        joint.spring_damper[0] = k % 2 ? 0.0 : 0.3;
        joint.spring_damper[1] = k % 2 ? 0.0 : 0.9;
        joint.friction_loss = 0.05;
        joint.limited = k < 3;
        joint.range[0] = k == 2 ? 0.0 : -1.1;
        joint.range[1] = 1.3;
        assert_ok(dp_spec_add_joint(NULL, spec, k < 3 ? arm : ball, &joint));
        if (k == 2) {
            dp_joint_spec loose = dp_joint_spec_default();
            loose.range[0] = -1.0; // a range that does not count, and no name
            assert_ok(dp_spec_add_joint(NULL, spec, hand, &loose));
        }
    }
}

static void add_geoms_and_sites(dp_spec *spec)
{
    for (int k = 0; k < 12; ++k) {
        dp_geom_spec geom = dp_geom_spec_default();
        char name[16];
        snprintf(name, sizeof name, "g%d", k);
        geom.name = k == 7 ? NULL : name;
        geom.kind = (dp_geom_kind)(k % 6);
        geom.size[0] = 0.1 / 3.0, geom.size[1] = 0.2, geom.size[2] = 0.3;
        geom.group = k - 3;
        if (k % 2 == 0) {
            geom.mass = 0.25 * k;
        }
        if (k % 3 == 0) {
            geom.density = 7850.0;
            geom.shell = true;
            geom.contact = (dp_contact_spec){.condim = 4,
                                             .priority = -k,
                                             .solmix = 0.1,
                                             .solref = {-1e5, -200},
                                             .solimp = {0.8, 0.9, 0.01, 0.4, 3},
                                             .solver_given = k > 0,
                                             .margin = 0.01,
                                             .gap = 0.002,
                                             .material = dp_material_default()};
            geom.contact.material_given = k > 3;
            geom.contact.material.stiffness = k > 6 ? 1e5 : 2e7;
            geom.contact.material.poisson = 0.1;
            geom.contact.material.surface_velocity = (dp_v3){0.1, -0.0, 0.3};
            geom.contype = 6;
            geom.conaffinity = -1;
            geom.friction[1] = 0.01;
            geom.rgba[2] = 0.93f;
            geom.pose = (dp_pose){{0.6, 0.0, 0.8, -0.0}, {1e-300, 1e300, -0.0}};
        }
        assert_ok(dp_spec_add_geom(NULL, spec, (dp_body_id){k < 6 ? 0 : 1 + (k - 6) / 3}, &geom));
        dp_site_spec site = dp_site_spec_default();
        site.name = geom.name;
        site.pose = geom.pose;
        site.group = k;
        site.kind = (dp_geom_kind)(DP_GEOM_SPHERE + k % 5);
        site.size[k % 3] = 0.1 * (k + 1);
        assert_ok(dp_spec_add_site(NULL, spec, (dp_body_id){k < 6 ? 0 : 1 + (k - 6) / 3}, &site));
    }
}

static void add_actuators_of_all_kinds(dp_spec *spec)
{
    static const char *const joints[] = {"hinge", "slide", "ball", "free"};
    for (int k = 0; k < 20; ++k) {
        dp_actuator_spec a = dp_actuator_spec_default();
        char name[16];
        snprintf(name, sizeof name, "a%d", k);
        a.name = k == 5 ? NULL : name;
        a.joint = joints[k % 4];
        a.in_parent = k % 3 == 0;
        for (int i = 0; i < 6; ++i) {
            a.gear[i] = k == 4 ? 0.0 : k % 4 < 2 ? (i == 0) * 2.5 : 0.1 * (i - 2);
        }
        a.dynamics = (dp_actuator_dynamics)(k / 4);
        a.time_constant = k == 3 ? 1.0 : 0.1 * k + 0.01;
        a.gain[0] = 2.0, a.gain[1] = k % 2, a.gain[2] = k == 8 ? -0.0 : 0.0;
        a.bias[0] = k == 9, a.bias[1] = k > 10 ? -2.0 : 0.0, a.bias[2] = k == 12 ? 0.7 : -0.0;
        if (k == 14) {
            a.gain[1] = 0.0;
            a.damping_ratio = 0.75;
        }
        if (a.dynamics == DP_ACTUATOR_DYNAMICS_MUSCLE) {
            a.relaxation_time = 0.1 / 3.0;
            a.smoothing = k % 2 ? 0.3 : 0.0;
            a.muscle_gain = k != 17;
            a.muscle_bias = k != 18;
            a.gain_muscle.force = 1.0 / 7.0;
            a.bias_muscle.longest = 1.7;
            a.length_range[0] = -0.3, a.length_range[1] = 0.1 * k;
        }
        a.control_limited = k % 2;
        a.control_range[0] = -0.1 * k, a.control_range[1] = 0.3;
        a.force_limited = k % 3 == 1;
        a.force_range[1] = k;
        a.activation_limited = a.dynamics != DP_ACTUATOR_DYNAMICS_NONE && k % 2;
        a.activation_range[0] = a.activation_limited ? -1e-3 : 0.0;
        assert_ok(dp_spec_add_actuator(NULL, spec, &a));
    }
}

static void add_sensors_of_all_kinds(dp_spec *spec)
{
    for (int kind = 0; kind < DP_SENSOR_KINDS; ++kind) {
        dp_sensor_spec s = dp_sensor_spec_default();
        s.kind = (dp_sensor_kind)kind;
        s.name = kind % 5 ? dp_sensor_kind_name(s.kind) : NULL;
        const dp_object_kind object = dp_sensor_object_kind(s.kind);
        const bool of_ball =
            s.kind == DP_SENSOR_BALL_QUATERNION || s.kind == DP_SENSOR_BALL_VELOCITY;
        switch (object) {
        case DP_OBJECT_TENDON:
            continue;
        case DP_OBJECT_NONE:
            s.count = s.kind == DP_SENSOR_CONTACT || s.kind == DP_SENSOR_USER ? 3 : 1;
            if (s.kind == DP_SENSOR_CONTACT) {
                s.object_kind = DP_OBJECT_SUBTREE;
                s.object = "arm";
                s.data = DP_CONTACT_FIELD_FORCE | DP_CONTACT_FIELD_TANGENT;
                s.reduction = DP_CONTACT_REDUCTION_STRONGEST;
            }
            break;
        case DP_OBJECT_GEOM:
            s.object_kind = DP_OBJECT_GEOM;
            s.object = "g8";
            s.reference_kind = DP_OBJECT_BODY;
            s.reference = "hand";
            break;
        case DP_OBJECT_SITE:
            s.object = "g2";
            break;
        case DP_OBJECT_JOINT:
            s.object = of_ball ? "ball" : "hinge";
            break;
        case DP_OBJECT_ACTUATOR:
            s.object = "a1";
            break;
        case DP_OBJECT_BODY:
            s.object = "hand";
            break;
        default: { // frames
            static const dp_object_kind frames[] = {DP_OBJECT_BODY, DP_OBJECT_INERTIAL,
                                                    DP_OBJECT_GEOM, DP_OBJECT_SITE};
            const int k = kind % 4;
            s.object_kind = frames[k];
            s.object = k < 2 ? "arm" : "g8";
            if (s.kind == DP_SENSOR_INSIDE_SITE) {
                s.reference_kind = DP_OBJECT_SITE;
                s.reference = "g2";
            } else if (dp_sensor_has_reference(s.kind)) {
                s.reference_kind = frames[(k + 1) % 4];
                s.reference = (k + 1) % 4 < 2 ? "world" : "g1";
            }
        }
        }
        s.cutoff = kind % 3 ? 0.0 : 1.0 / 3.0;
        assert_ok(dp_spec_add_sensor(NULL, spec, &s));
    }
}

static void add_keys(dp_spec *spec)
{
    double x[64];
    for (int i = 0; i < 64; ++i) {
        x[i] = i % 7 ? sin(i) : -0.0;
    }
    dp_key_spec key = dp_key_spec_default();
    assert_ok(dp_spec_add_key(NULL, spec, &key)); // says nothing
    key.name = "all";
    key.time = 2.5;
    key.q = x, key.nq = 14;
    key.v = x + 1, key.nv = 12;
    key.activation = x + 2, key.na = 16;
    key.control = x + 3, key.nu = 20;
    key.mocap_position = x + 4, key.nmocap_position = 3;
    key.mocap_quaternion = x + 5, key.nmocap_quaternion = 4;
    assert_ok(dp_spec_add_key(NULL, spec, &key));
}

dp_spec *rich_spec_create(void)
{
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    assert_ok(dp_spec_set_title(spec, "everything"));
    add_bodies_with_everything(spec);
    add_geoms_and_sites(spec);
    add_actuators_of_all_kinds(spec);
    add_sensors_of_all_kinds(spec);
    add_keys(spec);
    return spec;
}
