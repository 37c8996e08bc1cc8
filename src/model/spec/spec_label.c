// How messages call the elements of a spec, and where those were written.
#include "model/spec/spec.h"

#include <stdarg.h>
#include <stdio.h>

// The body that an element hangs from, −1 for those that hang from none.
static int owner(const dp_spec *spec, dp_element_kind kind, int index)
{
    switch (kind) {
    case DP_ELEMENT_BODY:
        return dp_spec_bodies(spec)[index].parent;
    case DP_ELEMENT_JOINT:
        return dp_spec_joints(spec)[index].body;
    case DP_ELEMENT_GEOM:
        return dp_spec_geoms(spec)[index].body;
    case DP_ELEMENT_SITE:
        return dp_spec_sites(spec)[index].body;
    default:
        return -1;
    }
}

dp_label dp_spec_label(const dp_spec *spec, dp_element_kind kind, int index)
{
    const char *kind_name = dp_element_kind_name(kind);
    const char *name = dp_name_at(dp_spec_names(spec, kind), index);
    dp_label label;
    if (*name) {
        snprintf(label.text, sizeof label.text, "%s '%s'", kind_name, name);
        return label;
    }
    const int body = owner(spec, kind, index);
    if (body < 0) {
        snprintf(label.text, sizeof label.text, "%s %d (unnamed)", kind_name, index);
        return label;
    }
    const char *relation = kind == DP_ELEMENT_BODY ? ", child of" : " of body";
    const char *body_name = dp_name_at(dp_spec_names(spec, DP_ELEMENT_BODY), body);
    if (*body_name) {
        snprintf(label.text, sizeof label.text, "%s %d (unnamed)%s '%s'", kind_name, index,
                 relation, body_name);
    } else {
        snprintf(label.text, sizeof label.text, "%s %d (unnamed)%s %d (unnamed)", kind_name, index,
                 relation, body);
    }
    return label;
}

dp_location dp_spec_where(const dp_spec *spec, dp_element_kind kind, int index)
{
    switch (kind) {
    case DP_ELEMENT_BODY:
        return dp_spec_bodies(spec)[index].spec.where;
    case DP_ELEMENT_JOINT:
        return dp_spec_joints(spec)[index].spec.where;
    case DP_ELEMENT_GEOM:
        return dp_spec_geoms(spec)[index].spec.where;
    case DP_ELEMENT_SITE:
        return dp_spec_sites(spec)[index].spec.where;
    case DP_ELEMENT_ACTUATOR:
        return dp_spec_actuators(spec)[index].where;
    case DP_ELEMENT_SENSOR:
        return dp_spec_sensors(spec)[index].where;
    case DP_ELEMENT_MESH:
        return dp_spec_meshes(spec)[index].where;
    case DP_ELEMENT_HFIELD:
        return dp_spec_hfields(spec)[index].where;
    case DP_ELEMENT_PAIR:
        return dp_spec_pairs(spec)[index].where;
    case DP_ELEMENT_EXCLUDE:
        return dp_spec_excludes(spec)[index].where;
    case DP_ELEMENT_TENDON:
        return dp_spec_tendons(spec)[index].where;
    case DP_ELEMENT_EQUALITY:
        return dp_spec_equalities(spec)[index].where;
    case DP_ELEMENT_KEY:
        return dp_spec_keys(spec)[index].where;
    case DP_ELEMENT_FORCE:
        return dp_spec_forces(spec)[index].where;
    case DP_ELEMENT_MOTION:
        return dp_spec_motions(spec)[index].where;
    default:
        return (dp_location){NULL, 0};
    }
}

dp_status dp_fail_at(dp_status status, dp_location where, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!where.file) {
        return dp_fail(status, "%s", message);
    }
    return dp_fail(status, "%s:%d: %s", where.file, where.line, message);
}

dp_status dp_spec_fail(dp_status status, const dp_spec *spec, dp_element_kind kind, int index,
                       const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return dp_fail_at(status, dp_spec_where(spec, kind, index), "%s %s",
                      dp_spec_label(spec, kind, index).text, message);
}
