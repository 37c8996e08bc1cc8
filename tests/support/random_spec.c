#include "random_spec.h"

#include "mechanism.h"

#include "math/v3.h"

#include <stdio.h>

random_spec_options random_spec_default(uint64_t seed)
{
    return (random_spec_options){
        .seed = seed,
        .max_bodies = 12,
        .springs = true,
        .dampers = true,
        .armature = true,
        .compensation = true,
    };
}

static dp_v3 random_point(random_source *r, double size)
{
    return (dp_v3){random_between(r, -size, size), random_between(r, -size, size),
                   random_between(r, -size, size)};
}

static dp_quat random_rotation(random_source *r)
{
    double x[4];
    random_direction(x, 4, r);
    return (dp_quat){x[0], x[1], x[2], x[3]};
}

// The axes of one body's joints are at right angles (slides along parallel axes would have no
// inertia between them), often along those of the body: zeros in many places.
typedef struct axes {
    dp_v3 axis[3];
} axes;

static axes random_axes(random_source *r)
{
    axes a = {{{1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, 2.0}}};
    if (random_chance(r, 0.7)) {
        const dp_quat turn = random_rotation(r);
        for (int k = 0; k < 3; ++k) {
            a.axis[k] = dp_quat_rotate(turn, a.axis[k]);
        }
    }
    return a;
}

// A box of some density, so the moments are those of a mass that exists.
static dp_inertial random_inertial(random_source *r)
{
    const double a = random_between(r, 0.05, 0.5), b = random_between(r, 0.05, 0.5),
                 c = random_between(r, 0.05, 0.5);
    const double mass = random_between(r, 0.2, 5.0);
    return (dp_inertial){
        .mass = mass,
        .frame = {random_rotation(r), random_point(r, 0.2)},
        .moments = {mass * (b * b + c * c) / 12.0, mass * (a * a + c * c) / 12.0,
                    mass * (a * a + b * b) / 12.0},
    };
}

static dp_body_id add_body(dp_spec *spec, random_source *r, const random_spec_options *o, int i,
                           dp_body_id parent, bool moves)
{
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    dp_body_spec body = dp_body_spec_default();
    body.name = name;
    body.pose.p = random_point(r, 0.5);
    if (random_chance(r, 0.6)) {
        body.pose.q = random_rotation(r);
    }
    body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    if (moves || random_chance(r, 0.7)) { // a welded part may be massless
        body.inertial = random_inertial(r);
    }
    if (o->compensation && random_chance(r, 0.2)) {
        body.gravity_compensation = random_between(r, 0.0, 1.5);
    }
    dp_body_id id;
    assert_ok(dp_spec_add_body(&id, spec, parent, &body));

    snprintf(name, sizeof name, "s%d", i);
    dp_site_spec site = dp_site_spec_default();
    site.name = name;
    site.pose = (dp_pose){random_rotation(r), random_point(r, 0.2)};
    assert_ok(dp_spec_add_site(NULL, spec, id, &site));
    return id;
}

static void add_joint_of_kind(dp_spec *spec, random_source *r, const random_spec_options *o,
                              dp_body_id body, dp_joint_kind kind, dp_v3 axis)
{
    char name[16];
    snprintf(name, sizeof name, "j%d", dp_spec_joint_count(spec));
    dp_joint_spec joint = dp_joint_spec_default();
    joint.name = name;
    joint.kind = kind;
    joint.anchor = random_point(r, 0.3);
    joint.axis = axis;
    const bool scalar = kind == DP_JOINT_HINGE || kind == DP_JOINT_SLIDE;
    joint.ref = scalar && random_chance(r, 0.3) ? random_between(r, -0.5, 0.5) : 0.0;
    if ((o->springs && random_chance(r, 0.3)) || (o->held_slides && kind == DP_JOINT_SLIDE)) {
        joint.stiffness = random_between(r, 0.0, 20.0);
        joint.spring_ref = scalar ? random_between(r, -0.5, 0.5) : 0.0;
    }
    if (o->dampers && random_chance(r, 0.3)) {
        joint.damping = random_between(r, 0.0, 1.0);
    }
    if (o->armature && random_chance(r, 0.3)) {
        joint.armature = random_between(r, 0.0, 0.2);
    }
    assert_ok(dp_spec_add_joint(NULL, spec, body, &joint));

    if (o->actuators && random_chance(r, 0.6)) {
        dp_actuator_spec a = dp_actuator_spec_default();
        a.joint = name;
        for (int k = 0; k < 6; ++k) {
            a.gear[k] = random_between(r, 0.5, 2.0);
        }
        a.in_parent = random_chance(r, 0.5);
        a.dynamics = (dp_actuator_dynamics)random_below(r, 4);
        a.time_constant = random_between(r, 0.05, 0.5);
        if (scalar && random_chance(r, 0.5)) { // a servo
            a.gain[0] = random_between(r, 1.0, 20.0);
            a.bias[1] = -a.gain[0];
            a.bias[2] = random_between(r, -1.0, 0.0);
        }
        a.force_limited = random_chance(r, 0.3);
        a.force_range[0] = -3.0, a.force_range[1] = 2.0;
        assert_ok(dp_spec_add_actuator(NULL, spec, &a));
    }
}

// The kinds of joints that one body may have, in the order they act.
typedef struct pattern {
    int count;
    dp_joint_kind kind[6];
    bool irregular; // in some configuration two degrees of freedom become one
} pattern;
static const pattern PATTERN[] = {
    {1, {DP_JOINT_HINGE}, false},
    {1, {DP_JOINT_HINGE}, false},
    {1, {DP_JOINT_BALL}, false},
    {2, {DP_JOINT_HINGE, DP_JOINT_HINGE}, false},
    {3, {DP_JOINT_HINGE, DP_JOINT_HINGE, DP_JOINT_HINGE}, true}, // gimbal lock
    {2, {DP_JOINT_HINGE, DP_JOINT_BALL}, true},
    {1, {DP_JOINT_SLIDE}, false},
    {2, {DP_JOINT_SLIDE, DP_JOINT_BALL}, false},
    {2, {DP_JOINT_BALL, DP_JOINT_SLIDE}, false},
    {3, {DP_JOINT_SLIDE, DP_JOINT_SLIDE, DP_JOINT_HINGE}, false},
    {6,
     {DP_JOINT_SLIDE, DP_JOINT_HINGE, DP_JOINT_SLIDE, DP_JOINT_HINGE, DP_JOINT_SLIDE,
      DP_JOINT_HINGE},
     true},
};
enum { PATTERNS = sizeof PATTERN / sizeof *PATTERN };

static const pattern *random_pattern(random_source *r, const random_spec_options *o)
{
    for (;;) {
        const pattern *p = &PATTERN[random_below(r, PATTERNS)];
        bool slides = false;
        for (int k = 0; k < p->count; ++k) {
            slides = slides || p->kind[k] == DP_JOINT_SLIDE;
        }
        if (!(slides && o->no_slides) && !(p->irregular && o->regular)) {
            return p;
        }
    }
}

dp_spec *random_spec(const random_spec_options *o)
{
    random_source r = {o->seed};
    dp_spec *spec;
    assert_ok(dp_spec_create(&spec, NULL));
    const int nbody = 1 + random_below(&r, o->max_bodies);
    for (int i = 1; i <= nbody; ++i) {
        // Long chains, bushy trees and forests: the parent is often the last body.
        const bool root = i == 1 || (!o->floating && random_chance(&r, 0.15));
        const dp_body_id parent = {root                     ? 0
                                   : random_chance(&r, 0.6) ? i - 1
                                                            : 1 + random_below(&r, i - 1)};
        const bool welded = i > 1 && random_chance(&r, 0.15);
        const dp_body_id body = add_body(spec, &r, o, i, parent, !welded);
        if (welded) {
            continue;
        }
        if (o->floating ? i == 1 : parent.index == 0 && random_chance(&r, 0.35)) {
            add_joint_of_kind(spec, &r, o, body, DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
            continue;
        }
        const pattern *p = random_pattern(&r, o);
        const axes a = random_axes(&r);
        int used[DP_JOINT_SLIDE + 1] = {0};
        for (int k = 0; k < p->count; ++k) {
            const dp_joint_kind kind = p->kind[k];
            add_joint_of_kind(spec, &r, o, body, kind, a.axis[used[kind]++]);
        }
    }
    return spec;
}

void random_state(dp_data *d, random_source *r, double speed)
{
    const dp_model *m = dp_data_model(d);
    const dp_model_size *n = dp_model_sizes(m);
    double *q = dp_data_q(d);
    for (int j = 0; j < n->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        double *at = q + joint.q_index;
        switch (joint.kind) {
        case DP_JOINT_FREE:
            for (int k = 0; k < 3; ++k) {
                *at++ = random_between(r, -1.0, 1.0);
            }
            random_direction(at, 4, r);
            break;
        case DP_JOINT_BALL:
            random_direction(at, 4, r);
            break;
        case DP_JOINT_HINGE:
            at[0] = random_between(r, -3.14, 3.14);
            break;
        case DP_JOINT_SLIDE:
            at[0] = random_between(r, -0.5, 0.5);
            break;
        }
    }
    for (int k = 0; k < n->nv; ++k) {
        dp_data_v(d)[k] = random_between(r, -speed, speed);
    }
    for (int k = 0; k < n->na; ++k) {
        dp_data_activation(d)[k] = random_between(r, -1.0, 1.0);
    }
    assert_ok(dp_kinematics(d));
}

void random_inputs(dp_data *d, random_source *r)
{
    const dp_model_size *n = dp_model_sizes(dp_data_model(d));
    for (int u = 0; u < n->nu; ++u) {
        dp_data_control(d)[u] = random_between(r, -1.0, 1.0);
    }
    for (int b = 1; b < n->nbody; ++b) {
        *dp_data_wrench(d, (dp_body_id){b}) =
            (dp_wrench){random_point(r, 1.0), random_point(r, 1.0)};
    }
}
