#include "io/mjcf/mjcf.h"

#include "math/v3.h"

#include <string.h>

// In the order of the schema's keywords.
static const dp_joint_kind joint_kind[] = {DP_JOINT_FREE, DP_JOINT_BALL, DP_JOINT_SLIDE,
                                           DP_JOINT_HINGE};
enum { KEYWORD_HINGE = 3 };
enum { KEYWORD_FALSE, KEYWORD_TRUE, KEYWORD_AUTO };

dp_status dp_mjcf_linear(double *out, dp_mjcf *m, const dp_mjcf_view *view, const char *name)
{
    double coefficient[3] = {0.0, 0.0, 0.0};
    dp_mjcf_numbers(coefficient, view, name);
    *out = coefficient[0];
    if (coefficient[1] != 0.0 || coefficient[2] != 0.0) {
        return dp_mjcf_refuse(m, view->node, dp_xml_find(view->node, name), "polynomial",
                              "springs and dampers with higher powers are not simulated");
    }
    return DP_OK;
}

static dp_status report_limit(dp_mjcf *m, const dp_mjcf_view *view, const dp_mjcf_bearing *bearing)
{
    const dp_xml_attribute *range = dp_xml_find(view->node, "range");
    if (m->disabled.limits) {
        return range ? dp_mjcf_judge(m, view->node, range, DP_IMPORT_VERDICT_IGNORED,
                                     "limits are switched off")
                     : DP_OK;
    }
    return range ? dp_mjcf_judge_rigid(m, view->node, range, bearing) : DP_OK;
}

static dp_status read_friction(dp_joint_spec *joint, dp_mjcf *m, const dp_mjcf_view *view)
{
    const dp_xml_attribute *own = dp_xml_find(view->node, "frictionloss");
    joint->friction_loss = dp_mjcf_number(view, "frictionloss", 0.0);
    if (joint->friction_loss == 0.0) {
        return DP_OK;
    }
    if (m->disabled.friction_loss) {
        joint->friction_loss = 0.0;
        return own ? dp_mjcf_judge(m, view->node, own, DP_IMPORT_VERDICT_IGNORED,
                                   "dry friction is switched off")
                   : DP_OK;
    }
    return DP_OK;
}

static dp_status read_limit(dp_joint_spec *joint, dp_mjcf *m, const dp_mjcf_view *view)
{
    dp_mjcf_numbers(joint->range, view, "range");
    if (joint->kind == DP_JOINT_FREE) {
        return DP_OK; // never limited
    }
    DP_TRY(dp_mjcf_limited(&joint->limited, m, view->node, "",
                           dp_mjcf_keyword(view, "limited", KEYWORD_AUTO), joint->range));
    if (joint->kind != DP_JOINT_SLIDE) {
        joint->range[0] = dp_mjcf_angle(m, joint->range[0]);
        joint->range[1] = dp_mjcf_angle(m, joint->range[1]);
    }
    dp_mjcf_bearing bearing = {.own = joint->limit};
    memcpy(bearing.solref, joint->limit_solref, sizeof bearing.solref);
    memcpy(bearing.solimp, joint->limit_solimp, sizeof bearing.solimp);
    DP_TRY(dp_mjcf_read_bearing(&bearing, m, view, "solreflimit", "solimplimit"));
    joint->limit = bearing.own;
    joint->limit_solver_given = bearing.solver_given;
    memcpy(joint->limit_solref, bearing.solref, sizeof bearing.solref);
    memcpy(joint->limit_solimp, bearing.solimp, sizeof bearing.solimp);
    return joint->limited ? report_limit(m, view, &bearing) : DP_OK;
}

// What is asked of the actuators of a joint together.
static dp_status read_force_range(dp_mjcf *m, const dp_mjcf_view *view, dp_joint_id joint)
{
    double range[2] = {0.0, 0.0};
    bool limited;
    dp_mjcf_numbers(range, view, "actuatorfrcrange");
    DP_TRY(dp_mjcf_limited(&limited, m, view->node, "actuatorfrc",
                           dp_mjcf_keyword(view, "actuatorfrclimited", KEYWORD_AUTO), range));
    const bool lifts = dp_mjcf_keyword(view, "actuatorgravcomp", KEYWORD_FALSE) == KEYWORD_TRUE;
    const dp_xml_attribute *own = dp_xml_find(view->node, "actuatorgravcomp");
    if (lifts && limited) {
        return dp_mjcf_refuse(m, view->node, own, "actuatorgravcomp",
                              "gravity compensation within the force range of a joint's actuators "
                              "is not simulated");
    }
    if (lifts && own) {
        DP_TRY(dp_mjcf_judge(m, view->node, own, DP_IMPORT_VERDICT_APPROXIMATED,
                             "the body is lifted all the same, but sensors of actuator forces do "
                             "not show it"));
    }
    return limited ? dp_mjcf_limit_joint(m, view->node, joint, range) : DP_OK;
}

static dp_status read_spring_damper(dp_joint_spec *joint, const dp_mjcf_view *view)
{
    double *x = joint->spring_damper;
    if (dp_mjcf_numbers(x, view, "springdamper") && (x[0] != 0.0 || x[1] != 0.0) &&
        !(x[0] > 0.0 && x[1] > 0.0)) {
        return dp_mjcf_fail(view->node,
                            "found springdamper %g %g (expected a time constant and a damping "
                            "ratio, both positive)",
                            x[0], x[1]);
    }
    return DP_OK;
}

dp_status dp_mjcf_read_joint(dp_mjcf *m, dp_xml_node *node, const dp_mjcf_scope *in)
{
    dp_mjcf_view view;
    DP_TRY(dp_mjcf_open(&view, m, node, DP_MJCF_JOINT, in->class));
    dp_joint_spec joint = dp_joint_spec_default();
    joint.name = dp_xml_value(node, "name", NULL);
    joint.where = dp_mjcf_where(node);
    joint.kind = joint_kind[dp_mjcf_keyword(&view, "type", KEYWORD_HINGE)];

    double x[3] = {0.0, 0.0, 0.0};
    dp_mjcf_numbers(x, &view, "pos");
    if (joint.kind != DP_JOINT_FREE) {
        joint.anchor = dp_mjcf_place(in, (dp_pose){DP_IDENTITY_POSE.q, dp_v3_load(x)}).p;
    }
    dp_v3_store(x, joint.axis);
    dp_mjcf_numbers(x, &view, "axis");
    if (joint.kind == DP_JOINT_HINGE || joint.kind == DP_JOINT_SLIDE) {
        joint.axis = dp_mjcf_direction(in, dp_v3_load(x));
    }

    joint.armature = dp_mjcf_number(&view, "armature", 0.0);
    DP_TRY(dp_mjcf_linear(&joint.damping, m, &view, "damping"));
    DP_TRY(dp_mjcf_linear(&joint.stiffness, m, &view, "stiffness"));
    joint.ref = dp_mjcf_number(&view, "ref", 0.0);
    joint.spring_ref = dp_mjcf_number(&view, "springref", 0.0);
    if (joint.kind == DP_JOINT_HINGE) {
        joint.ref = dp_mjcf_angle(m, joint.ref);
        joint.spring_ref = dp_mjcf_angle(m, joint.spring_ref);
    }
    DP_TRY(read_friction(&joint, m, &view));
    DP_TRY(dp_mjcf_not_negative(&joint.damping, m, node, "damping"));
    DP_TRY(dp_mjcf_not_negative(&joint.stiffness, m, node, "stiffness"));
    DP_TRY(dp_mjcf_not_negative(&joint.armature, m, node, "armature"));
    DP_TRY(dp_mjcf_not_negative(&joint.friction_loss, m, node, "frictionloss"));
    DP_TRY(read_limit(&joint, m, &view));
    DP_TRY(read_spring_damper(&joint, &view));
    dp_joint_id id;
    DP_TRY(dp_mjcf_located(node, dp_spec_add_joint(&id, m->spec, in->body, &joint)));
    return read_force_range(m, &view, id);
}

// A free joint of this name takes nothing from its class.
dp_status dp_mjcf_read_freejoint(dp_mjcf *m, dp_xml_node *node, const dp_mjcf_scope *in)
{
    dp_joint_spec joint = dp_joint_spec_default();
    joint.name = dp_xml_value(node, "name", NULL);
    joint.where = dp_mjcf_where(node);
    joint.kind = DP_JOINT_FREE;
    const dp_xml_attribute *align = dp_xml_find(node, "align");
    if (align && align->keyword == KEYWORD_TRUE) {
        DP_TRY(dp_mjcf_refuse(m, node, align, "alignfree",
                              "moving the frame of a free body to its centre is not done"));
    }
    return dp_mjcf_located(node, dp_spec_add_joint(NULL, m->spec, in->body, &joint));
}
