#include "base/text/number.h"
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
    {"rangefinder", DP_SENSOR_RANGEFINDER, "site", DP_OBJECT_SITE},
    {"distance", DP_SENSOR_DISTANCE, NULL, DP_OBJECT_NONE},
    {"normal", DP_SENSOR_DISTANCE_NORMAL, NULL, DP_OBJECT_NONE},
    {"fromto", DP_SENSOR_DISTANCE_SEGMENT, NULL, DP_OBJECT_NONE},
    {"contact", DP_SENSOR_CONTACT, NULL, DP_OBJECT_NONE},
    {"insidesite", DP_SENSOR_INSIDE_SITE, "objname", DP_OBJECT_NONE},
    {"user", DP_SENSOR_USER, NULL, DP_OBJECT_NONE},
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

// ---- several fields, two objects

// The fields that `data` names, as bits in the order of `words`, in which they must come.
static dp_status read_fields(unsigned *out, const dp_xml_node *node, const char *words)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, "data");
    int next = 0; // the first word that may follow
    for (const char *at = attribute ? dp_skip_space(attribute->value) : ""; *at;) {
        const int length = dp_word_length(at);
        int k = 0;
        const char *word = words;
        while (dp_word_length(word) != length || strncmp(word, at, (size_t)length) != 0) {
            word = dp_skip_space(word + dp_word_length(word)); // the schema knows no others
            ++k;
        }
        if (k < next) {
            return dp_mjcf_fail(node,
                                "found data '%.100s' (expected them in the order %s, each once)",
                                attribute->value, words);
        }
        *out |= 1u << k;
        next = k + 1;
        at = dp_skip_space(at + length);
    }
    return DP_OK;
}

// geom1, body1 … or those of the second object, which has no site.
static dp_status read_object(const char **name, dp_object_kind *kind, const dp_xml_node *node,
                             const char *const attribute[4])
{
    static const dp_object_kind kinds[] = {DP_OBJECT_GEOM, DP_OBJECT_BODY, DP_OBJECT_SUBTREE,
                                           DP_OBJECT_SITE};
    for (int k = 0; k < 4 && attribute[k]; ++k) {
        const char *value = dp_xml_value(node, attribute[k], NULL);
        if (!value) {
            continue;
        }
        if (*kind != DP_OBJECT_NONE) {
            return dp_mjcf_fail(node, "found %s besides another object (expected one of them)",
                                attribute[k]);
        }
        *name = value;
        *kind = kinds[k];
    }
    return DP_OK;
}

static dp_status read_pair(dp_sensor_spec *out, const dp_xml_node *node)
{
    static const char *const first[] = {"geom1", "body1", "subtree1", "site"};
    static const char *const second[] = {"geom2", "body2", "subtree2", NULL};
    DP_TRY(read_object(&out->object, &out->object_kind, node, first));
    DP_TRY(read_object(&out->reference, &out->reference_kind, node, second));
    if (out->kind == DP_SENSOR_CONTACT) {
        return read_fields(&out->data, node, DP_MJCF_CONTACT_FIELDS);
    }
    if (out->object_kind == DP_OBJECT_NONE || out->reference_kind == DP_OBJECT_NONE) {
        return dp_mjcf_fail(node, "found one object or none (expected geom1 or body1, and geom2 or "
                                  "body2)");
    }
    return DP_OK;
}

// What is not in every sensor.
static dp_status read_own(dp_sensor_spec *out, const dp_xml_node *node)
{
    const dp_mjcf_view view = {.node = node};
    switch (out->kind) {
    case DP_SENSOR_RANGEFINDER:
        if (!out->object) {
            return dp_mjcf_fail(node, "found no site (expected site=\"…\")");
        }
        return read_fields(&out->data, node, DP_MJCF_RAY_FIELDS);
    case DP_SENSOR_INSIDE_SITE:
        out->reference_kind = DP_OBJECT_SITE;
        out->reference = dp_xml_value(node, "site", NULL);
        return DP_OK;
    case DP_SENSOR_USER:
        out->count = dp_mjcf_integer(&view, "dim", 0);
        return DP_OK;
    case DP_SENSOR_CONTACT:
        out->count = dp_mjcf_integer(&view, "num", 1);
        out->reduction = (dp_contact_reduction)dp_mjcf_keyword(&view, "reduce", 0);
        if (out->reduction == DP_CONTACT_REDUCTION_SUM) {
            out->count = 1;
        }
        return read_pair(out, node);
    default:
        return dp_sensor_is_of_pair(out->kind) ? read_pair(out, node) : DP_OK;
    }
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
    if (out.object && dp_xml_find(node, "objtype")) {
        bool refused = false;
        DP_TRY(read_frames(&out, &refused, m, node));
        if (refused) {
            return DP_OK;
        }
    }
    if (dp_xml_find(node, "camera")) {
        return DP_OK; // refused by the schema
    }
    DP_TRY(read_own(&out, node));
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
