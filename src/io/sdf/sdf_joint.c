// <joint>: what it lets the child do, where its frame is, along axes in whatever frame they name.
#include "io/sdf/sdf.h"

#include <stdio.h>
#include <string.h>

// The axis in the child's frame.
static dp_status read_axis(dp_v3 *out, dp_sdf *s, const dp_sdf_frame *joint, dp_pose X_WC,
                           const dp_xml_node *axis)
{
    double xyz[3] = {0.0, 0.0, 1.0};
    DP_TRY(dp_sdf_numbers(xyz, 3, s, axis, "xyz"));
    const dp_xml_node *node = axis ? dp_sdf_child(s, axis, "xyz") : NULL;
    const char *in = node ? dp_xml_value(node, "expressed_in", "") : "";
    bool of_model = false; // before version 1.7
    DP_TRY(dp_sdf_flag(&of_model, s, axis, "use_parent_model_frame"));
    dp_quat q = joint->X.q;
    if (*in || of_model) {
        int frame = joint->scope;
        DP_TRY(*in ? dp_sdf_find(&frame, s, node, joint->scope, in) : DP_OK);
        q = frame < 0 ? DP_IDENTITY_POSE.q : s->frame[frame].X.q;
    }
    const dp_v3 a = dp_v3_load(xyz);
    if (!(dp_v3_norm(a) > 0.0) || !isfinite(dp_v3_norm(a))) {
        return dp_mjcf_fail(node ? node : joint->node,
                            "found an axis of length %g (expected a "
                            "direction)",
                            dp_v3_norm(a));
    }
    *out = dp_quat_rotate_back(X_WC.q, dp_quat_rotate(q, a));
    return DP_OK;
}

static dp_status read_limit(dp_joint_spec *spec, dp_sdf *s, const dp_xml_node *axis)
{
    const double none = 1e16; // what the format writes for no bound
    const double far = 1e10;  // [m, rad] where the other end is, then
    const dp_xml_node *limit = dp_sdf_child(s, axis, "limit");
    double lower = -none, upper = none;
    DP_TRY(limit ? dp_sdf_number(&lower, s, limit, "lower") : DP_OK);
    DP_TRY(limit ? dp_sdf_number(&upper, s, limit, "upper") : DP_OK);
    if (lower <= -none && upper >= none) {
        return DP_OK;
    }
    if (!(lower < upper)) {
        return dp_mjcf_judge(&s->u.m, limit, NULL, DP_IMPORT_VERDICT_APPROXIMATED,
                             "lower is not below upper: the joint moves without bounds");
    }
    spec->limited = true;
    spec->range[0] = fmax(lower, -far);
    spec->range[1] = fmin(upper, far);
    return DP_OK;
}

static dp_status read_dynamics(dp_joint_spec *spec, dp_sdf *s, const dp_xml_node *axis)
{
    const dp_xml_node *dynamics = dp_sdf_child(s, axis, "dynamics");
    if (!dynamics) {
        return DP_OK;
    }
    DP_TRY(dp_sdf_number(&spec->damping, s, dynamics, "damping"));
    DP_TRY(dp_sdf_number(&spec->friction_loss, s, dynamics, "friction"));
    DP_TRY(dp_sdf_number(&spec->stiffness, s, dynamics, "spring_stiffness"));
    DP_TRY(dp_sdf_number(&spec->spring_ref, s, dynamics, "spring_reference"));
    DP_TRY(dp_mjcf_not_negative(&spec->damping, &s->u.m, dynamics, "damping"));
    DP_TRY(dp_mjcf_not_negative(&spec->friction_loss, &s->u.m, dynamics, "friction"));
    return dp_mjcf_not_negative(&spec->stiffness, &s->u.m, dynamics, "spring_stiffness");
}

static const char *short_name(const dp_sdf *s, int frame)
{
    const char *behind = strstr(s->frame[frame].name, "::");
    return s->nmodel == 1 && behind ? behind + 2 : s->frame[frame].name;
}

// One coordinate along <axis> or <axis2>.
static dp_status add_scalar(dp_sdf *s, int link, dp_joint_kind kind, const char *element,
                            const char *suffix)
{
    const dp_sdf_frame *child = &s->frame[link], *joint = &s->frame[child->joint];
    const dp_xml_node *axis = dp_sdf_child(s, joint->node, element);
    char name[512];
    snprintf(name, sizeof name, "%.490s%s", short_name(s, child->joint), suffix);
    dp_joint_spec spec = dp_joint_spec_default();
    spec.name = name;
    spec.kind = kind;
    spec.where = dp_mjcf_where(joint->node);
    spec.anchor = dp_pose_apply(dp_pose_inverse(child->X), joint->X.p);
    DP_TRY(read_axis(&spec.axis, s, joint, child->X, axis));
    if (axis) {
        DP_TRY(read_limit(&spec, s, axis));
        DP_TRY(read_dynamics(&spec, s, axis));
        if (strcmp(dp_xml_value(joint->node, "type", ""), "continuous") == 0) {
            spec.limited = false;
        }
    }
    return dp_mjcf_located(joint->node, dp_spec_add_joint(NULL, s->u.m.spec, child->body, &spec));
}

static dp_status add_ball(dp_sdf *s, int link)
{
    const dp_sdf_frame *child = &s->frame[link], *joint = &s->frame[child->joint];
    dp_joint_spec spec = dp_joint_spec_default();
    spec.name = short_name(s, child->joint);
    spec.kind = DP_JOINT_BALL;
    spec.where = dp_mjcf_where(joint->node);
    spec.anchor = dp_pose_apply(dp_pose_inverse(child->X), joint->X.p);
    return dp_mjcf_located(joint->node, dp_spec_add_joint(NULL, s->u.m.spec, child->body, &spec));
}

dp_status dp_sdf_add_joint(dp_sdf *s, int link)
{
    const dp_xml_node *node = s->frame[s->frame[link].joint].node;
    const char *type = dp_xml_value(node, "type", "");
    if (strcmp(type, "fixed") == 0) {
        return DP_OK;
    }
    if (strcmp(type, "revolute") == 0 || strcmp(type, "continuous") == 0) {
        return add_scalar(s, link, DP_JOINT_HINGE, "axis", "");
    }
    if (strcmp(type, "prismatic") == 0) {
        return add_scalar(s, link, DP_JOINT_SLIDE, "axis", "");
    }
    if (strcmp(type, "universal") == 0 || strcmp(type, "revolute2") == 0) {
        DP_TRY(add_scalar(s, link, DP_JOINT_HINGE, "axis", "_1"));
        return add_scalar(s, link, DP_JOINT_HINGE, "axis2", "_2");
    }
    if (strcmp(type, "ball") == 0) {
        return add_ball(s, link);
    }
    if (strcmp(type, "screw") == 0 || strcmp(type, "gearbox") == 0) {
        return dp_mjcf_refuse(&s->u.m, node, NULL, "sdf-joint",
                              "screws and gearboxes are not simulated");
    }
    return dp_mjcf_fail(node,
                        "found type '%.60s' (expected revolute, continuous, prismatic, fixed, "
                        "ball, universal, revolute2, screw or gearbox)",
                        type);
}
