#include "random_rows.h"

#include "mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Any size from 10^low to 10^high, all alike.
static double random_size(random_source *r, double low, double high)
{
    return pow(10.0, random_between(r, low, high));
}

static dp_bearing random_bearing(random_source *r)
{
    dp_bearing bearing = {.stiffness = INFINITY, .damping = 0.0};
    if (random_chance(r, 0.6)) {
        bearing.stiffness = random_size(r, 0.0, 15.0);
        bearing.damping = random_chance(r, 0.5) ? random_size(r, -3.0, 12.0) : 0.0;
    }
    return bearing;
}

static dp_v3 random_offset(random_source *r)
{
    return (dp_v3){random_between(r, -0.3, 0.3), random_between(r, -0.3, 0.3),
                   random_between(r, -0.3, 0.3)};
}

static const char *random_body(char *name, size_t size, random_source *r, const dp_spec *spec)
{
    snprintf(name, size, "b%d", 1 + random_below(r, dp_spec_body_count(spec) - 1));
    return name;
}

// A joint of one coordinate, or −1.
static int random_scalar_joint(random_source *r, dp_spec *spec)
{
    for (int attempt = 0; attempt < 8; ++attempt) {
        const int j = random_below(r, dp_spec_joint_count(spec));
        const dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){j});
        if (joint->kind == DP_JOINT_HINGE || joint->kind == DP_JOINT_SLIDE) {
            return j;
        }
    }
    return -1;
}

static void add_equality(dp_spec *spec, random_source *r, bool may_couple)
{
    char first[16], second[16];
    dp_equality_spec e = dp_equality_spec_default();
    e.bearing = random_bearing(r);
    e.anchor = random_offset(r);
    e.object[0] = random_body(first, sizeof first, r, spec);
    e.object[1] = random_chance(r, 0.5) ? NULL : random_body(second, sizeof second, r, spec);
    if (e.object[1] && strcmp(first, second) == 0) {
        e.object[1] = NULL;
    }
    e.kind = random_chance(r, 0.6) ? DP_EQUALITY_CONNECT : DP_EQUALITY_WELD;
    if (may_couple && random_chance(r, 0.4)) {
        const int y = random_scalar_joint(r, spec), x = random_scalar_joint(r, spec);
        if (y >= 0) {
            e.kind = DP_EQUALITY_JOINT;
            e.object[0] = dp_spec_joint(spec, (dp_joint_id){y})->name;
            e.object[1] = x >= 0 && x != y ? dp_spec_joint(spec, (dp_joint_id){x})->name : NULL;
            e.polynomial[2] = random_between(r, -0.5, 0.5);
        }
    }
    const int copies = random_chance(r, 0.3) ? 1 + random_below(r, 4) : 1;
    for (int i = 0; i < copies; ++i) {
        assert_ok(dp_spec_add_equality(NULL, spec, &e));
        if (random_chance(r, 0.3)) {
            e.bearing = random_bearing(r);
            if (e.kind == DP_EQUALITY_WELD && !e.relative_given) {
                e.anchor.x += random_between(r, -0.1, 0.1);
            }
        }
    }
}

static void limit_joint(dp_joint_spec *joint, random_source *r)
{
    joint->limited = true;
    joint->limit = random_bearing(r);
    const double reach = random_size(r, joint->kind == DP_JOINT_BALL ? -1.0 : -3.0, 0.3);
    joint->range[0] = joint->kind == DP_JOINT_BALL ? 0.0 : joint->ref - reach;
    joint->range[1] =
        joint->kind == DP_JOINT_BALL ? reach : joint->ref + reach * random_between(r, 0.1, 1.0);
}

static void add_drive(dp_spec *spec, random_source *r, const char *joint)
{
    dp_actuator_spec servo = dp_actuator_spec_default();
    const double kp = random_size(r, 0.0, 9.0);
    servo.joint = joint;
    servo.gain[0] = kp;
    servo.bias[1] = -kp;
    servo.bias[2] = random_chance(r, 0.5) ? -random_size(r, -2.0, 6.0) : 0.0;
    if (random_chance(r, 0.5)) {
        servo.force_limited = true;
        servo.force_range[1] = random_size(r, -1.0, 3.0);
        servo.force_range[0] = -servo.force_range[1];
    }
    assert_ok(dp_spec_add_actuator(NULL, spec, &servo));
}

dp_spec *random_rows(const random_rows_options *options)
{
    random_source r = {options->seed * 31 + 7};
    random_spec_options o = {.seed = options->seed,
                             .max_bodies = options->max_bodies,
                             .regular = true,
                             .held_slides = true,
                             .springs = random_chance(&r, 0.3),
                             .dampers = random_chance(&r, 0.3),
                             .armature = random_chance(&r, 0.3)};
    dp_spec *spec = random_spec(&o);
    dp_spec_options(spec)->step = random_size(&r, -5.0, log10(0.2));
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){j});
        const bool scalar = joint->kind == DP_JOINT_HINGE || joint->kind == DP_JOINT_SLIDE;
        if ((scalar || joint->kind == DP_JOINT_BALL) && random_chance(&r, 0.4)) {
            limit_joint(joint, &r);
        }
        if (joint->kind != DP_JOINT_FREE && random_chance(&r, 0.2)) {
            joint->friction_loss = random_size(&r, -2.0, 2.0);
        }
        if (scalar && random_chance(&r, 0.3)) {
            add_drive(spec, &r, joint->name);
        }
    }
    const int equalities = random_below(&r, 4);
    for (int i = 0; i < equalities; ++i) {
        add_equality(spec, &r, i == 0); // two couplings of one joint would lock it
    }
    return spec;
}
