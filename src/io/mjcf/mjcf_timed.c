// <dp:force> and <dp:motion>. The expressions themselves are read when the spec is compiled.
#include "io/mjcf/mjcf.h"

#include "math/v3.h"
#include "model/spec/spec.h"

#include <string.h>

// A copy of the text from `at` up to `end` without the space around it; NULL where nothing is left.
static dp_status copy_part(const char **out, dp_mjcf *m, const char *at, const char *end)
{
    static const char space[] = " \t\r\n";
    *out = NULL;
    while (at < end && strchr(space, *at)) {
        ++at;
    }
    while (at < end && strchr(space, end[-1])) {
        --end;
    }
    if (at == end) {
        return DP_OK;
    }
    char *copy;
    DP_TRY(dp_pool_take(&copy, &m->pool, (size_t)(end - at) + 1, 1));
    memcpy(copy, at, (size_t)(end - at));
    *out = copy;
    return DP_OK;
}

// `count` expressions, separated by ';'. Where the attribute is missing there are none.
static dp_status read_expressions(const char *out[3], dp_mjcf *m, const dp_xml_node *node,
                                  const char *name, int count)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, name);
    if (!attribute) {
        return DP_OK;
    }
    int found = 0;
    for (const char *at = attribute->value; at;) {
        const char *end = strchr(at, ';');
        const char *stop = end ? end : at + strlen(at);
        if (found < count) {
            DP_TRY(copy_part(&out[found], m, at, stop));
        }
        ++found;
        at = end ? end + 1 : NULL;
    }
    if (found == count) {
        return DP_OK;
    }
    return dp_mjcf_fail(node, "found %d expression%s for %s (expected %s)", found,
                        found == 1 ? "" : "s", name,
                        count == 1 ? "one" : "three, separated by ';'; an empty one is none");
}

// How many expressions a joint takes: one for a hinge or slide. Where there is no such joint the
// compiler says so.
static int joint_components(const dp_mjcf *m, const char *name)
{
    const dp_name_list names = dp_spec_names(m->spec, DP_ELEMENT_JOINT);
    const int j = dp_name_find(&m->spec->list[DP_ELEMENT_JOINT].index, names, name);
    const dp_joint_kind kind = j < 0 ? DP_JOINT_HINGE : dp_spec_joints(m->spec)[j].spec.kind;
    return kind == DP_JOINT_BALL || kind == DP_JOINT_FREE ? 3 : 1;
}

static const char *left_out(const dp_mjcf *m, const char *body, const char *site, const char *joint)
{
    const char *missing = body ? dp_mjcf_left_out(m, DP_OBJECT_BODY, body) : NULL;
    missing = missing || !site ? missing : dp_mjcf_left_out(m, DP_OBJECT_SITE, site);
    return missing || !joint ? missing : dp_mjcf_left_out(m, DP_OBJECT_JOINT, joint);
}

static dp_status read_force(dp_mjcf *m, const dp_xml_node *node)
{
    const dp_mjcf_view view = {.node = node};
    dp_force_spec out = dp_force_spec_default();
    out.name = dp_xml_value(node, "name", NULL);
    out.where = dp_mjcf_where(node);
    out.body = dp_xml_value(node, "body", NULL);
    out.site = dp_xml_value(node, "site", NULL);
    out.joint = dp_xml_value(node, "joint", NULL);
    const char *missing = left_out(m, out.body, out.site, out.joint);
    if (missing) {
        return dp_mjcf_refuse(m, node, NULL, missing, "what it acts on is left out");
    }
    const dp_xml_attribute *pos = dp_xml_find(node, "pos");
    if (pos && !out.body) {
        return dp_mjcf_fail(node, "found pos without body (expected body and pos, or neither)");
    }
    out.point = pos ? dp_v3_load(pos->number) : out.point;
    out.local = dp_mjcf_keyword(&view, "frame", 0) == 1;
    const int count = out.joint ? joint_components(m, out.joint) : 3;
    DP_TRY(read_expressions(out.force, m, node, "force", count));
    DP_TRY(read_expressions(out.torque, m, node, "torque", count));
    return dp_mjcf_located(node, dp_spec_add_force(NULL, m->spec, &out));
}

static dp_status read_motion(dp_mjcf *m, const dp_xml_node *node)
{
    const dp_mjcf_view view = {.node = node};
    dp_motion_spec out = dp_motion_spec_default();
    out.name = dp_xml_value(node, "name", NULL);
    out.where = dp_mjcf_where(node);
    out.joint = dp_xml_value(node, "joint", NULL);
    out.body = dp_xml_value(node, "body", NULL);
    const char *missing = left_out(m, out.body, NULL, out.joint);
    if (missing) {
        return dp_mjcf_refuse(m, node, NULL, missing, "what it moves is left out");
    }
    const int turns = out.joint ? joint_components(m, out.joint) : 3;
    DP_TRY(read_expressions(out.position, m, node, "position", out.joint ? 1 : 3));
    DP_TRY(read_expressions(out.rotation, m, node, "rotation", turns));
    out.bearing.stiffness = dp_mjcf_number(&view, "stiffness", out.bearing.stiffness);
    out.bearing.damping = dp_mjcf_number(&view, "damping", out.bearing.damping);
    return dp_mjcf_located(node, dp_spec_add_motion(NULL, m->spec, &out));
}

dp_status dp_mjcf_read_forces(dp_mjcf *m)
{
    for (dp_xml_node *node = NULL; (node = dp_mjcf_section(m, "dp:force", node));) {
        DP_TRY(read_force(m, node));
    }
    return DP_OK;
}

dp_status dp_mjcf_read_motions(dp_mjcf *m)
{
    for (dp_xml_node *node = NULL; (node = dp_mjcf_section(m, "dp:motion", node));) {
        DP_TRY(read_motion(m, node));
    }
    return DP_OK;
}
