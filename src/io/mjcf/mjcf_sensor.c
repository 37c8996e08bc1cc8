#include "io/mjcf/mjcf.h"

#include "model/spec/spec.h"

#include <string.h>

static const struct {
    const char *name;
    dp_sensor_kind kind;
    const char *object; // the attribute that names what is measured; NULL: none
    dp_object_kind object_kind;
} sensor[] = {
    {"accelerometer", DP_SENSOR_ACCELEROMETER, "site", DP_OBJECT_SITE},
    {"velocimeter", DP_SENSOR_VELOCIMETER, "site", DP_OBJECT_SITE},
    {"gyro", DP_SENSOR_GYRO, "site", DP_OBJECT_SITE},
    {"force", DP_SENSOR_FORCE, "site", DP_OBJECT_SITE},
    {"torque", DP_SENSOR_TORQUE, "site", DP_OBJECT_SITE},
    {"magnetometer", DP_SENSOR_MAGNETOMETER, "site", DP_OBJECT_SITE},
    {"touch", DP_SENSOR_TOUCH, "site", DP_OBJECT_SITE},
    {"jointpos", DP_SENSOR_JOINT_POSITION, "joint", DP_OBJECT_JOINT},
    {"jointvel", DP_SENSOR_JOINT_VELOCITY, "joint", DP_OBJECT_JOINT},
    {"ballquat", DP_SENSOR_BALL_QUATERNION, "joint", DP_OBJECT_JOINT},
    {"ballangvel", DP_SENSOR_BALL_VELOCITY, "joint", DP_OBJECT_JOINT},
    {"actuatorpos", DP_SENSOR_ACTUATOR_POSITION, "actuator", DP_OBJECT_ACTUATOR},
    {"actuatorvel", DP_SENSOR_ACTUATOR_VELOCITY, "actuator", DP_OBJECT_ACTUATOR},
    {"actuatorfrc", DP_SENSOR_ACTUATOR_FORCE, "actuator", DP_OBJECT_ACTUATOR},
    {"jointactuatorfrc", DP_SENSOR_JOINT_ACTUATOR_FORCE, "joint", DP_OBJECT_JOINT},
    {"tendonpos", DP_SENSOR_TENDON_POSITION, "tendon", DP_OBJECT_TENDON},
    {"tendonvel", DP_SENSOR_TENDON_VELOCITY, "tendon", DP_OBJECT_TENDON},
    {"tendonactuatorfrc", DP_SENSOR_TENDON_ACTUATOR_FORCE, "tendon", DP_OBJECT_TENDON},
    {"framepos", DP_SENSOR_FRAME_POSITION, "objname", DP_OBJECT_NONE},
    {"framequat", DP_SENSOR_FRAME_QUATERNION, "objname", DP_OBJECT_NONE},
    {"framexaxis", DP_SENSOR_FRAME_X_AXIS, "objname", DP_OBJECT_NONE},
    {"frameyaxis", DP_SENSOR_FRAME_Y_AXIS, "objname", DP_OBJECT_NONE},
    {"framezaxis", DP_SENSOR_FRAME_Z_AXIS, "objname", DP_OBJECT_NONE},
    {"framelinvel", DP_SENSOR_FRAME_LINEAR_VELOCITY, "objname", DP_OBJECT_NONE},
    {"frameangvel", DP_SENSOR_FRAME_ANGULAR_VELOCITY, "objname", DP_OBJECT_NONE},
    {"framelinacc", DP_SENSOR_FRAME_LINEAR_ACCELERATION, "objname", DP_OBJECT_NONE},
    {"frameangacc", DP_SENSOR_FRAME_ANGULAR_ACCELERATION, "objname", DP_OBJECT_NONE},
    {"subtreecom", DP_SENSOR_SUBTREE_COM, "body", DP_OBJECT_BODY},
    {"subtreelinvel", DP_SENSOR_SUBTREE_LINEAR_VELOCITY, "body", DP_OBJECT_BODY},
    {"subtreeangmom", DP_SENSOR_SUBTREE_ANGULAR_MOMENTUM, "body", DP_OBJECT_BODY},
    {"jointlimitpos", DP_SENSOR_JOINT_LIMIT_POSITION, "joint", DP_OBJECT_JOINT},
    {"jointlimitvel", DP_SENSOR_JOINT_LIMIT_VELOCITY, "joint", DP_OBJECT_JOINT},
    {"jointlimitfrc", DP_SENSOR_JOINT_LIMIT_FORCE, "joint", DP_OBJECT_JOINT},
    {"tendonlimitpos", DP_SENSOR_TENDON_LIMIT_POSITION, "tendon", DP_OBJECT_TENDON},
    {"tendonlimitvel", DP_SENSOR_TENDON_LIMIT_VELOCITY, "tendon", DP_OBJECT_TENDON},
    {"tendonlimitfrc", DP_SENSOR_TENDON_LIMIT_FORCE, "tendon", DP_OBJECT_TENDON},
    {"clock", DP_SENSOR_CLOCK, NULL, DP_OBJECT_NONE},
    {"e_potential", DP_SENSOR_POTENTIAL_ENERGY, NULL, DP_OBJECT_NONE},
    {"e_kinetic", DP_SENSOR_KINETIC_ENERGY, NULL, DP_OBJECT_NONE},
};

// "body" of a frame sensor is the inertial frame, "xbody" the body's own.
static dp_object_kind frame_kind(const dp_xml_attribute *attribute)
{
    static const dp_object_kind by_keyword[] = {DP_OBJECT_INERTIAL, DP_OBJECT_BODY, DP_OBJECT_GEOM,
                                                DP_OBJECT_SITE, DP_OBJECT_NONE};
    return by_keyword[attribute->keyword];
}

// MuJoCo moves the frames of meshes to their centres of mass and principal axes.
static bool is_mesh(const dp_mjcf *m, dp_object_kind kind, const char *name)
{
    if (kind != DP_OBJECT_GEOM) {
        return false;
    }
    const int i = dp_name_find(&m->spec->list[DP_ELEMENT_GEOM].index,
                               dp_spec_names(m->spec, DP_ELEMENT_GEOM), name);
    return i >= 0 && dp_spec_geoms(m->spec)[i].spec.kind == DP_GEOM_MESH;
}

// What a frame sensor measures and from where; refused: cameras and meshes.
static dp_status read_frames(dp_sensor_spec *out, bool *refused, dp_mjcf *m,
                             const dp_xml_node *node)
{
    const dp_xml_attribute *object = dp_xml_find(node, "objtype");
    const dp_xml_attribute *reference = dp_xml_find(node, "reftype");
    out->reference = dp_xml_value(node, "refname", NULL);
    if (!reference != !out->reference) {
        return dp_mjcf_fail(node, "found reftype or refname alone (expected both or none)");
    }
    out->object_kind = frame_kind(object);
    out->reference_kind = reference ? frame_kind(reference) : DP_OBJECT_NONE;
    *refused =
        out->object_kind == DP_OBJECT_NONE || (reference && out->reference_kind == DP_OBJECT_NONE);
    if (*refused) {
        return dp_mjcf_refuse(m, node, NULL, "sensor", "frames of cameras are not simulated");
    }
    *refused = is_mesh(m, out->object_kind, out->object) ||
               (reference && is_mesh(m, out->reference_kind, out->reference));
    if (*refused) {
        return dp_mjcf_refuse(m, node, NULL, "sensor",
                              "MuJoCo measures a mesh at its centre of mass; put a site there");
    }
    return DP_OK;
}

// A site without volume, of a mesh. One that does not exist is found by the compiler.
static bool is_point(const dp_mjcf *m, const char *name)
{
    const int i = dp_name_find(&m->spec->list[DP_ELEMENT_SITE].index,
                               dp_spec_names(m->spec, DP_ELEMENT_SITE), name);
    return i >= 0 && dp_spec_sites(m->spec)[i].spec.size[0] == 0.0;
}

static dp_status read_sensor(dp_mjcf *m, const dp_xml_node *node)
{
    size_t i = 0;
    while (strcmp(sensor[i].name, node->name) != 0) {
        ++i; // the schema knows no others
    }
    dp_sensor_spec out = dp_sensor_spec_default();
    out.name = dp_xml_value(node, "name", NULL);
    out.where = dp_mjcf_where(node);
    out.kind = sensor[i].kind;
    out.object_kind = sensor[i].object_kind;
    out.object = sensor[i].object ? dp_xml_value(node, sensor[i].object, NULL) : NULL;
    const dp_mjcf_view view = {.node = node};
    out.cutoff = dp_mjcf_number(&view, "cutoff", 0.0);
    if (out.cutoff < 0.0) {
        return dp_mjcf_fail(node, "found cutoff %g (expected 0 or more)", out.cutoff);
    }
    if (dp_xml_find(node, "objtype")) {
        bool refused = false;
        DP_TRY(read_frames(&out, &refused, m, node));
        if (refused) {
            return DP_OK;
        }
    }
    const char *missing = dp_mjcf_left_out(m, out.object_kind, out.object);
    if (!missing) {
        missing = dp_mjcf_left_out(m, out.reference_kind, out.reference);
    }
    if (missing) {
        return dp_mjcf_refuse(m, node, NULL, missing, "what it refers to is left out");
    }
    if (out.kind == DP_SENSOR_TOUCH && is_point(m, out.object)) {
        return dp_mjcf_refuse(
            m, node, NULL, "sensor",
            "its site has the volume of a mesh; give the site a shape and a size");
    }
    return dp_mjcf_located(node, dp_spec_add_sensor(NULL, m->spec, &out));
}

dp_status dp_mjcf_read_sensors(dp_mjcf *m)
{
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "sensor", s));) {
        for (dp_xml_node *node = s->child; node; node = node->next) {
            if (strcmp(node->name, "include") != 0 && dp_mjcf_used(node)) {
                DP_TRY(read_sensor(m, node));
            }
        }
    }
    return DP_OK;
}
