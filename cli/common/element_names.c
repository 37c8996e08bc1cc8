#include "common/element_names.h"

#include <stdio.h>

// "kind 'name'", or the number with what it belongs to.
static cli_name call(const char *kind, const char *name, int index, const char *relation,
                     const char *owner)
{
    cli_name out;
    if (name[0] != '\0') {
        snprintf(out.text, sizeof out.text, "%s '%.120s'", kind, name);
    } else {
        snprintf(out.text, sizeof out.text, "%s %d (unnamed)%s%.200s", kind, index, relation,
                 owner);
    }
    return out;
}

// "'name'" or "3 (unnamed)": the body that something hangs from.
static cli_name owner_name(const dp_model *m, dp_body_id body)
{
    const char *name = body.index == 0 ? "world" : dp_model_body(m, body).name;
    cli_name out;
    if (name[0] != '\0') {
        snprintf(out.text, sizeof out.text, "'%.120s'", name);
    } else {
        snprintf(out.text, sizeof out.text, "%d (unnamed)", body.index);
    }
    return out;
}

cli_name cli_body_name(const dp_model *m, dp_body_id body)
{
    const dp_body_info info = dp_model_body(m, body);
    return call("body", body.index == 0 ? "world" : info.name, body.index, ", child of ",
                owner_name(m, info.parent).text);
}

cli_name cli_joint_name(const dp_model *m, dp_joint_id joint)
{
    const dp_joint_info info = dp_model_joint(m, joint);
    return call("joint", info.name, joint.index, " of body ", owner_name(m, info.body).text);
}

cli_name cli_actuator_name(const dp_model *m, dp_actuator_id actuator)
{
    return call("actuator", dp_model_actuator(m, actuator).name, actuator.index, "", "");
}

cli_name cli_mesh_name(const dp_model *m, dp_mesh_id mesh)
{
    return call("mesh", dp_model_mesh(m, mesh).name, mesh.index, "", "");
}

cli_name cli_key_name(const dp_model *m, dp_key_id key)
{
    return call("keyframe", dp_model_key_name(m, key), key.index, "", "");
}

cli_name cli_equality_name(const dp_model *m, dp_equality_id equality)
{
    return call("equality", dp_model_equality(m, equality).name, equality.index, "", "");
}

cli_name cli_tendon_name(const dp_model *m, dp_tendon_id tendon)
{
    return call("tendon", dp_model_tendon(m, tendon).name, tendon.index, "", "");
}

cli_name cli_row_name(const dp_model *m, const dp_row_info *row)
{
    const int i = row->element;
    const char *what = "", *end = row->component == 0 ? "lower limit of " : "upper limit of ";
    cli_name of = {""}, out;
    switch (row->source) {
    case DP_ROW_SOURCE_EQUALITY:
        return cli_equality_name(m, (dp_equality_id){i});
    case DP_ROW_SOURCE_DRIVE:
        return cli_actuator_name(m, (dp_actuator_id){i});
    case DP_ROW_SOURCE_JOINT_LIMIT:
    case DP_ROW_SOURCE_JOINT_FRICTION:
        what = row->source == DP_ROW_SOURCE_JOINT_LIMIT ? end : "friction of ";
        of = cli_joint_name(m, (dp_joint_id){i});
        break;
    case DP_ROW_SOURCE_TENDON_LIMIT:
    case DP_ROW_SOURCE_TENDON_SPRING:
    case DP_ROW_SOURCE_TENDON_FRICTION:
        what = row->source == DP_ROW_SOURCE_TENDON_LIMIT    ? end
               : row->source == DP_ROW_SOURCE_TENDON_SPRING ? "spring of "
                                                            : "friction of ";
        of = cli_tendon_name(m, (dp_tendon_id){i});
        break;
    case DP_ROW_SOURCE_MOTION:
        return call("motion", dp_model_motion(m, (dp_motion_id){i}).name, i, "", "");
    case DP_ROW_SOURCE_FOUNDATION:
        what = "foundation of ";
        of = cli_geom_label(m, dp_model_foundation(m, i).geom);
        break;
    case DP_ROW_SOURCE_CONTACT:
    case DP_ROW_SOURCE_USER:
    case DP_ROW_SOURCES:
        snprintf(of.text, sizeof of.text, "%s %d", dp_row_source_name(row->source), i);
        break;
    }
    snprintf(out.text, sizeof out.text, "%s%.300s", what, of.text);
    return out;
}

cli_name cli_label(const char *kind, const char *name, int index)
{
    cli_name out;
    if (name[0] != '\0') {
        snprintf(out.text, sizeof out.text, "%.250s", name);
    } else {
        snprintf(out.text, sizeof out.text, "%s %d", kind, index);
    }
    return out;
}

cli_name cli_body_label(const dp_model *m, dp_body_id body)
{
    return cli_label("body", body.index == 0 ? "world" : dp_model_body(m, body).name, body.index);
}

cli_name cli_geom_label(const dp_model *m, dp_geom_id geom)
{
    const dp_geom_info info = dp_model_geom(m, geom);
    cli_name out = cli_label("geom", info.name, geom.index);
    if (info.name[0] == '\0') {
        snprintf(out.text, sizeof out.text, "geom %d of %.200s", geom.index,
                 cli_body_label(m, info.body).text);
    }
    return out;
}

cli_name cli_key_label(const dp_model *m, dp_key_id key)
{
    const char *name = dp_model_key_name(m, key);
    cli_name out = cli_label("", name, key.index);
    if (name[0] == '\0') {
        snprintf(out.text, sizeof out.text, "%d (unnamed)", key.index);
    }
    return out;
}
