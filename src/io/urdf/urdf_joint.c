// <joint>: what moves a link against its parent. The child's frame is the joint's frame, so anchors
// are zero and axes are as written.
#include "io/urdf/urdf.h"

#include "math/angle.h"

#include <stdio.h>

// The parts of a joint that must say something for it to move, or else say nothing.
static dp_status ignore_parts(dp_urdf *u, const dp_xml_node *joint, const char *const *part,
                              int count, const char *note)
{
    for (int i = 0; i < count; ++i) {
        const dp_xml_node *node = dp_urdf_child(joint, part[i]);
        if (node) {
            DP_TRY(dp_mjcf_judge(&u->m, node, NULL, DP_IMPORT_VERDICT_IGNORED, note));
        }
    }
    return DP_OK;
}

static dp_status read_axis(dp_v3 *out, const dp_xml_node *joint)
{
    *out = (dp_v3){1.0, 0.0, 0.0};
    const dp_xml_node *axis = dp_urdf_child(joint, "axis");
    const dp_xml_attribute *xyz = axis ? dp_xml_find(axis, "xyz") : NULL;
    if (!xyz) {
        return DP_OK;
    }
    *out = dp_v3_load(xyz->number);
    const double largest = fmax(fabs(out->x), fmax(fabs(out->y), fabs(out->z)));
    if (largest == 0.0) {
        return dp_mjcf_fail(axis, "found xyz of length 0 (expected a direction)");
    }
    const dp_v3 scaled = dp_v3_scale(*out, 1.0 / largest); // its square is a number for sure
    *out = dp_v3_scale(scaled, 1.0 / dp_v3_norm(scaled));
    return DP_OK;
}

// ---- dynamics

static dp_status read_dynamics(dp_joint_spec *spec, dp_urdf *u, const dp_xml_node *joint)
{
    const dp_xml_node *dynamics = dp_urdf_child(joint, "dynamics");
    spec->damping = dp_urdf_number(dynamics, "damping", 0.0);
    spec->friction_loss = dp_urdf_number(dynamics, "friction", 0.0);
    spec->armature = dp_urdf_number(dynamics, "armature", 0.0);
    DP_TRY(dp_mjcf_not_negative(&spec->damping, &u->m, dynamics, "damping"));
    DP_TRY(dp_mjcf_not_negative(&spec->friction_loss, &u->m, dynamics, "friction"));
    DP_TRY(dp_mjcf_not_negative(&spec->armature, &u->m, dynamics, "armature"));
    if (spec->friction_loss == 0.0) {
        return DP_OK;
    }
    const dp_xml_attribute *friction = dp_xml_find(dynamics, "friction");
    if (u->m.disabled.friction_loss) {
        spec->friction_loss = 0.0;
        return dp_mjcf_judge(&u->m, dynamics, friction, DP_IMPORT_VERDICT_IGNORED,
                             "dry friction is switched off");
    }
    return DP_OK;
}

// ---- limits

// A range that is empty or missing is none, as in MuJoCo and Bullet; half of a range is completed
// by the format's default, 0.
static dp_status read_limit(dp_joint_spec *spec, dp_urdf *u, const dp_xml_node *joint)
{
    const dp_xml_node *limit = dp_urdf_child(joint, "limit");
    if (!limit) {
        return dp_mjcf_judge(&u->m, joint, NULL, DP_IMPORT_VERDICT_APPROXIMATED,
                             "it has no <limit>: it moves without bounds");
    }
    const dp_xml_attribute *lower = dp_xml_find(limit, "lower");
    const dp_xml_attribute *upper = dp_xml_find(limit, "upper");
    if (!lower && !upper) {
        return dp_mjcf_judge(&u->m, limit, NULL, DP_IMPORT_VERDICT_APPROXIMATED,
                             "it has neither lower nor upper: the joint moves without bounds");
    }
    spec->range[0] = lower ? lower->number[0] : 0.0;
    spec->range[1] = upper ? upper->number[0] : 0.0;
    if (spec->range[0] >= spec->range[1]) {
        return dp_mjcf_judge(&u->m, limit, NULL, DP_IMPORT_VERDICT_APPROXIMATED,
                             "lower is not below upper: the joint moves without bounds");
    }
    if (!lower || !upper) {
        DP_TRY(dp_mjcf_judge(&u->m, limit, lower ? lower : upper, DP_IMPORT_VERDICT_APPROXIMATED,
                             "the other end of the range is missing: 0, as the format says"));
    }
    spec->limited = true;
    if (u->m.disabled.limits) {
        return dp_mjcf_judge(&u->m, limit, NULL, DP_IMPORT_VERDICT_IGNORED,
                             "limits are switched off");
    }
    return DP_OK;
}

// ---- the types

static dp_status add(dp_urdf *u, const dp_urdf_joint *joint, const dp_joint_spec *like,
                     const char *suffix)
{
    dp_joint_spec spec = *like;
    char name[512];
    if (suffix[0] != '\0') {
        const int n = snprintf(name, sizeof name, "%s%s", joint->name, suffix);
        if (n < 0 || n >= (int)sizeof name) {
            return dp_mjcf_fail(joint->node, "found a name of more than 500 letters");
        }
        spec.name = name;
    } else {
        spec.name = joint->name;
    }
    const dp_body_id body = u->link[joint->child].body;
    return dp_mjcf_located(joint->node, dp_spec_add_joint(NULL, u->m.spec, body, &spec));
}

static dp_status add_slide(dp_urdf *u, const dp_urdf_joint *joint, const dp_joint_spec *like,
                           dp_v3 axis, const char *suffix)
{
    dp_joint_spec slide = *like;
    slide.kind = DP_JOINT_SLIDE;
    slide.axis = axis;
    return add(u, joint, &slide, suffix);
}

static dp_status add_scalar(dp_urdf *u, const dp_urdf_joint *joint, dp_joint_spec *spec)
{
    spec->kind = joint->kind == DP_URDF_PRISMATIC ? DP_JOINT_SLIDE : DP_JOINT_HINGE;
    DP_TRY(read_axis(&spec->axis, joint->node));
    if (joint->kind == DP_URDF_CONTINUOUS) {
        const dp_xml_node *limit = dp_urdf_child(joint->node, "limit");
        static const char *const end[] = {"lower", "upper"};
        for (int i = 0; limit && i < 2; ++i) {
            const dp_xml_attribute *attribute = dp_xml_find(limit, end[i]);
            if (attribute) {
                DP_TRY(dp_mjcf_judge(&u->m, limit, attribute, DP_IMPORT_VERDICT_IGNORED,
                                     "a continuous joint has no bounds"));
            }
        }
    } else {
        DP_TRY(read_limit(spec, u, joint->node));
    }
    return add(u, joint, spec, "");
}

// In the plane whose normal is the axis. Its x and y are those of the joint's frame, turned the
// shortest way from z to the axis, as in MuJoCo.
static dp_status add_planar(dp_urdf *u, const dp_urdf_joint *joint, const dp_joint_spec *like)
{
    dp_v3 normal;
    DP_TRY(read_axis(&normal, joint->node));
    const dp_v3 z = {0.0, 0.0, 1.0}, across = dp_v3_cross(z, normal);
    const double sine = dp_v3_norm(across);
    const double angle = dp_atan2(sine, normal.z);
    // Without a sine the axis of this turn is anybody's choice.
    const dp_v3 about = sine > 0.0 ? dp_v3_scale(across, 1.0 / sine) : (dp_v3){1.0, 0.0, 0.0};
    const dp_quat turn = dp_quat_about(about, angle);
    DP_TRY(add_slide(u, joint, like, dp_quat_rotate(turn, (dp_v3){1.0, 0.0, 0.0}), "_TX"));
    DP_TRY(add_slide(u, joint, like, dp_quat_rotate(turn, (dp_v3){0.0, 1.0, 0.0}), "_TY"));
    dp_joint_spec hinge = *like;
    hinge.axis = normal;
    return add(u, joint, &hinge, "_RZ");
}

// Against a parent that moves: three slides and a ball.
static dp_status add_floating(dp_urdf *u, const dp_urdf_joint *joint, const dp_joint_spec *like)
{
    const dp_urdf_link *parent = &u->link[joint->parent];
    dp_joint_spec spec = *like;
    if (parent->mover < 0) {
        spec.kind = DP_JOINT_FREE;
        if (parent->body.index != DP_WORLD.index) {
            DP_TRY(dp_mjcf_judge(&u->m, joint->node, NULL, DP_IMPORT_VERDICT_APPROXIMATED,
                                 "it hangs from the world, to which its parent is fixed; q is the "
                                 "pose in the world"));
        }
        return add(u, joint, &spec, "");
    }
    DP_TRY(dp_mjcf_judge(&u->m, joint->node, NULL, DP_IMPORT_VERDICT_APPROXIMATED,
                         "its parent moves: three slides (_TX, _TY, _TZ) and a ball (_R)"));
    DP_TRY(add_slide(u, joint, like, (dp_v3){1.0, 0.0, 0.0}, "_TX"));
    DP_TRY(add_slide(u, joint, like, (dp_v3){0.0, 1.0, 0.0}, "_TY"));
    DP_TRY(add_slide(u, joint, like, (dp_v3){0.0, 0.0, 1.0}, "_TZ"));
    spec.kind = DP_JOINT_BALL;
    return add(u, joint, &spec, "_R");
}

dp_status dp_urdf_add_joint(dp_urdf *u, const dp_urdf_link *link)
{
    static const char *const parts[] = {"limit", "axis", "dynamics", "mimic"};
    const dp_urdf_joint *joint = &u->joint[link->joint];
    if (joint->kind == DP_URDF_FIXED) {
        return ignore_parts(u, joint->node, parts, 4, "a fixed joint does not move");
    }
    dp_joint_spec spec = dp_joint_spec_default();
    spec.where = dp_mjcf_where(joint->node);
    DP_TRY(read_dynamics(&spec, u, joint->node));
    switch (joint->kind) {
    case DP_URDF_REVOLUTE:
    case DP_URDF_CONTINUOUS:
    case DP_URDF_PRISMATIC:
        return add_scalar(u, joint, &spec);
    case DP_URDF_PLANAR:
        DP_TRY(ignore_parts(u, joint->node, parts, 1, "bounds of a plane are not defined"));
        return add_planar(u, joint, &spec);
    case DP_URDF_FLOATING:
        DP_TRY(ignore_parts(u, joint->node, parts, 2, "a floating joint has neither"));
        return add_floating(u, joint, &spec);
    case DP_URDF_SPHERICAL:
        DP_TRY(ignore_parts(u, joint->node, parts, 2, "a spherical joint has neither"));
        spec.kind = DP_JOINT_BALL;
        return add(u, joint, &spec, "");
    case DP_URDF_FIXED:
        break;
    }
    return DP_OK;
}

// ---- mimic

static bool is_scalar(const dp_urdf_joint *joint)
{
    return joint->kind == DP_URDF_REVOLUTE || joint->kind == DP_URDF_CONTINUOUS ||
           joint->kind == DP_URDF_PRISMATIC;
}

// NULL: there is none, which has been refused.
static dp_status find_leader(const dp_urdf_joint **out, dp_urdf *u, const dp_urdf_joint *joint,
                             const dp_xml_node *mimic)
{
    *out = NULL;
    const dp_name_list names = {&u->joint[0].name, sizeof *u->joint, u->njoint};
    const char *name = dp_xml_value(mimic, "joint", "");
    const int leader = dp_name_find(&u->joint_index, names, name);
    if (leader < 0) {
        char why[600];
        const dp_status status = dp_name_fail(names, "joint", name);
        if (status == DP_ERROR_MEMORY) {
            return status;
        }
        snprintf(why, sizeof why, "joint '%.100s' mimics what is not there: %.400s", joint->name,
                 dp_last_error());
        return dp_mjcf_refuse(&u->m, mimic, NULL, "mimic", why);
    }
    *out = &u->joint[leader];
    if (*out == joint) {
        return dp_mjcf_fail(mimic, "found joint '%s' mimicking itself (expected another joint)",
                            name);
    }
    if (is_scalar(joint) && (*out)->kind == DP_URDF_FIXED) {
        *out = NULL;
        return dp_mjcf_refuse(&u->m, mimic, NULL, "mimic", "the joint that it mimics is fixed");
    }
    if (!is_scalar(joint) || !is_scalar(*out)) {
        return dp_mjcf_fail(mimic,
                            "found joint '%s' mimicking '%s' (expected both to be revolute, "
                            "continuous or prismatic)",
                            joint->name, name);
    }
    return DP_OK;
}

// q = multiplier · q of the other joint + offset
static dp_status read_mimic(dp_urdf *u, const dp_urdf_joint *joint, const dp_xml_node *mimic)
{
    const dp_urdf_joint *leader = NULL;
    DP_TRY(find_leader(&leader, u, joint, mimic));
    if (!leader) {
        return DP_OK;
    }
    if (u->m.disabled.equality) {
        return dp_mjcf_judge(&u->m, mimic, NULL, DP_IMPORT_VERDICT_IGNORED,
                             "equalities are switched off");
    }
    dp_equality_spec equality = dp_equality_spec_default();
    equality.name = joint->name;
    equality.where = dp_mjcf_where(mimic);
    equality.kind = DP_EQUALITY_JOINT;
    equality.object_kind = DP_OBJECT_JOINT;
    equality.object[0] = joint->name;
    equality.object[1] = leader->name;
    equality.polynomial[0] = dp_urdf_number(mimic, "offset", 0.0);
    equality.polynomial[1] = dp_urdf_number(mimic, "multiplier", 1.0);
    return dp_mjcf_located(mimic, dp_spec_add_equality(NULL, u->m.spec, &equality));
}

dp_status dp_urdf_read_mimics(dp_urdf *u)
{
    for (int j = 0; j < u->njoint; ++j) {
        const dp_xml_node *mimic = dp_urdf_child(u->joint[j].node, "mimic");
        if (mimic && u->joint[j].kind != DP_URDF_FIXED) {
            DP_TRY(read_mimic(u, &u->joint[j], mimic));
        }
    }
    return DP_OK;
}
