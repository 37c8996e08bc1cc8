#include "io/mjcf/mjcf.h"

#include "math/v3.h"

#include <string.h>

static const struct {
    const char *name;
    dp_equality_kind kind;
    const char *object[2]; // the attributes that name what is held
    dp_object_kind object_kind;
} equality[] = {
    {"connect", DP_EQUALITY_CONNECT, {"body1", "body2"}, DP_OBJECT_BODY},
    {"weld", DP_EQUALITY_WELD, {"body1", "body2"}, DP_OBJECT_BODY},
    {"joint", DP_EQUALITY_JOINT, {"joint1", "joint2"}, DP_OBJECT_JOINT},
    {"tendon", DP_EQUALITY_TENDON, {"tendon1", "tendon2"}, DP_OBJECT_TENDON},
    {"dp:distance", DP_EQUALITY_DISTANCE, {"body1", "body2"}, DP_OBJECT_BODY},
    {"dp:plane", DP_EQUALITY_PLANE, {"body1", "body2"}, DP_OBJECT_BODY},
};

// Two sites instead of bodies.
static dp_status read_sites(dp_equality_spec *out, const dp_xml_node *node)
{
    static const char *const other[] = {"body1",   "body2",   "anchor", "anchor1",
                                        "anchor2", "relpose", "pos"};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; ++i) {
        if (dp_xml_find(node, other[i])) {
            return dp_mjcf_fail(node, "found sites and %s (expected sites alone, or bodies)",
                                other[i]);
        }
    }
    for (int i = 0; i < node->nattribute; ++i) {
        if (dp_mjcf_is_orientation(node->attribute[i].name)) {
            return dp_mjcf_fail(node, "found sites and %s (expected sites alone, or bodies)",
                                node->attribute[i].name);
        }
    }
    out->object_kind = DP_OBJECT_SITE;
    out->object[0] = dp_xml_value(node, "site1", NULL);
    out->object[1] = dp_xml_value(node, "site2", NULL);
    if (!out->object[0] || !out->object[1]) {
        return dp_mjcf_fail(node, "found one site (expected site1 and site2)");
    }
    return DP_OK;
}

// Where two bodies are held. MuJoCo's relpose is where the first body holds the anchor of the
// second; a quaternion of zeros stands for the poses as described.
static dp_status read_bodies(dp_equality_spec *out, dp_mjcf *m, const dp_xml_node *node)
{
    if (!out->object[0]) {
        return dp_mjcf_fail(node, "found neither body1 nor sites (expected body1, or site1 and "
                                  "site2)");
    }
    const dp_xml_attribute *anchor = dp_xml_find(node, "anchor");
    const dp_xml_attribute *pose = dp_xml_find(node, "relpose");
    if (out->kind == DP_EQUALITY_CONNECT && !anchor) {
        return dp_mjcf_fail(node, "found no anchor (expected anchor=\"x y z\" in body1)");
    }
    if (anchor) {
        out->anchor = dp_v3_load(anchor->number);
    }
    if (anchor && m->compiler.global) {
        DP_TRY(dp_mjcf_refuse(m, node, anchor, "coordinate",
                              "anchors in global coordinates are not converted"));
    }
    if (!pose) {
        return DP_OK;
    }
    const dp_quat q = dp_quat_load(pose->number + 3);
    if (q.w != 0.0 || q.x != 0.0 || q.y != 0.0 || q.z != 0.0) {
        out->relative.q = dp_quat_unit(q);
        out->relative.p =
            dp_v3_sub(dp_v3_load(pose->number), dp_quat_rotate(out->relative.q, out->anchor));
        out->relative_given = true;
    }
    return DP_OK;
}

static bool read_vector(dp_v3 *out, const dp_xml_node *node, const char *name)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, name);
    if (attribute) {
        *out = dp_v3_load(attribute->number);
    }
    return attribute;
}

// Two points, or a point and a plane.
static dp_status read_own_bodies(dp_equality_spec *out, const dp_mjcf *m, const dp_xml_node *node)
{
    if (!out->object[0]) {
        return dp_mjcf_fail(node, "found neither body1 nor sites (expected body1, or site1 and "
                                  "site2)");
    }
    if (out->kind == DP_EQUALITY_DISTANCE) {
        read_vector(&out->anchor, node, "anchor1");
        read_vector(&out->second_anchor, node, "anchor2");
        return DP_OK;
    }
    read_vector(&out->anchor, node, "anchor");
    out->relative_given = dp_xml_find(node, "pos");
    for (int i = 0; i < node->nattribute; ++i) {
        out->relative_given =
            out->relative_given || dp_mjcf_is_orientation(node->attribute[i].name);
    }
    const dp_mjcf_view view = {.node = node};
    return out->relative_given ? dp_mjcf_pose(&out->relative, m, &view) : DP_OK;
}

static dp_status read_distance(dp_equality_spec *out, const dp_xml_node *node)
{
    const dp_xml_attribute *distance = dp_xml_find(node, "distance");
    if (distance) {
        out->distance = distance->number[0];
    }
    if (distance && !(out->distance > 0.0)) {
        return dp_mjcf_fail(node,
                            "found distance %g (expected a length above 0; without one: as "
                            "described)",
                            out->distance);
    }
    return DP_OK;
}

static dp_status read_objects(dp_equality_spec *out, dp_mjcf *m, const dp_xml_node *node)
{
    size_t i = 0;
    while (strcmp(node->name, equality[i].name) != 0) {
        ++i; // the schema knows no others
    }
    out->kind = equality[i].kind;
    out->object[0] = dp_xml_value(node, equality[i].object[0], NULL);
    out->object[1] = dp_xml_value(node, equality[i].object[1], NULL);
    if (equality[i].object_kind != DP_OBJECT_BODY) {
        return DP_OK;
    }
    out->object_kind = DP_OBJECT_BODY;
    DP_TRY(read_distance(out, node));
    if (dp_xml_find(node, "site1") || dp_xml_find(node, "site2")) {
        return read_sites(out, node);
    }
    return out->kind == DP_EQUALITY_DISTANCE || out->kind == DP_EQUALITY_PLANE
               ? read_own_bodies(out, m, node)
               : read_bodies(out, m, node);
}

// What is switched off has no effect, but may be switched on later by whoever has the spec.
static dp_status report(dp_mjcf *m, const dp_xml_node *node, const dp_equality_spec *out,
                        const dp_mjcf_bearing *bearing)
{
    if (m->disabled.equality || !out->active) {
        return dp_mjcf_judge(m, node, NULL, DP_IMPORT_VERDICT_IGNORED, "it is switched off");
    }
    const bool ours = out->kind == DP_EQUALITY_DISTANCE || out->kind == DP_EQUALITY_PLANE;
    return ours ? DP_OK : dp_mjcf_judge_rigid(m, node, NULL, bearing);
}

static dp_status read_equality(dp_mjcf *m, dp_xml_node *node)
{
    dp_mjcf_view view;
    DP_TRY(dp_mjcf_open(&view, m, node, DP_MJCF_EQUALITY, m->main));
    dp_equality_spec out = dp_equality_spec_default();
    out.name = dp_xml_value(node, "name", NULL);
    out.where = dp_mjcf_where(node);
    DP_TRY(read_objects(&out, m, node));
    const dp_object_kind object_kind = out.kind == DP_EQUALITY_JOINT    ? DP_OBJECT_JOINT
                                       : out.kind == DP_EQUALITY_TENDON ? DP_OBJECT_TENDON
                                                                        : out.object_kind;
    for (int i = 0; i < 2; ++i) {
        const char *missing = dp_mjcf_left_out(m, object_kind, out.object[i]);
        if (missing) {
            return dp_mjcf_refuse(m, node, NULL, missing, "what it refers to is left out");
        }
    }
    dp_mjcf_numbers(out.polynomial, &view, "polycoef");
    out.torque_scale = dp_mjcf_number(&view, "torquescale", out.torque_scale);
    out.active = dp_mjcf_keyword(&view, "active", 1) == 1;
    dp_mjcf_bearing bearing = {.own = out.bearing};
    memcpy(bearing.solref, out.solref, sizeof bearing.solref);
    memcpy(bearing.solimp, out.solimp, sizeof bearing.solimp);
    DP_TRY(dp_mjcf_read_bearing(&bearing, m, &view, "solref", "solimp"));
    out.bearing = bearing.own;
    out.solver_given = bearing.solver_given;
    memcpy(out.solref, bearing.solref, sizeof bearing.solref);
    memcpy(out.solimp, bearing.solimp, sizeof bearing.solimp);
    DP_TRY(report(m, node, &out, &bearing));
    return dp_mjcf_located(node, dp_spec_add_equality(NULL, m->spec, &out));
}

dp_status dp_mjcf_read_equalities(dp_mjcf *m)
{
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "equality", s));) {
        for (dp_xml_node *node = s->child; node; node = node->next) {
            if (strcmp(node->name, "include") != 0 && dp_mjcf_used(node)) {
                DP_TRY(read_equality(m, node));
            }
        }
    }
    return DP_OK;
}
