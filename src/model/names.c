#include "model/names.h"

static const struct {
    const char *name;
    int size;
    dp_object_kind object;
    const char *unit; // q, v, f: those of position, velocity and force of the joint or actuator
} sensor[DP_SENSOR_KINDS] = {
    [DP_SENSOR_ACCELEROMETER] = {"accelerometer", 3, DP_OBJECT_SITE, "m/s²"},
    [DP_SENSOR_VELOCIMETER] = {"velocimeter", 3, DP_OBJECT_SITE, "m/s"},
    [DP_SENSOR_GYRO] = {"gyro", 3, DP_OBJECT_SITE, "rad/s"},
    [DP_SENSOR_FORCE] = {"force", 3, DP_OBJECT_SITE, "N"},
    [DP_SENSOR_TORQUE] = {"torque", 3, DP_OBJECT_SITE, "N m"},
    [DP_SENSOR_MAGNETOMETER] = {"magnetometer", 3, DP_OBJECT_SITE, "T"},
    [DP_SENSOR_TOUCH] = {"touch", 1, DP_OBJECT_SITE, "N"},
    [DP_SENSOR_JOINT_POSITION] = {"jointpos", 1, DP_OBJECT_JOINT, "q"},
    [DP_SENSOR_JOINT_VELOCITY] = {"jointvel", 1, DP_OBJECT_JOINT, "v"},
    [DP_SENSOR_BALL_QUATERNION] = {"ballquat", 4, DP_OBJECT_JOINT, "1"},
    [DP_SENSOR_BALL_VELOCITY] = {"ballangvel", 3, DP_OBJECT_JOINT, "rad/s"},
    [DP_SENSOR_ACTUATOR_POSITION] = {"actuatorpos", 1, DP_OBJECT_ACTUATOR, "q"},
    [DP_SENSOR_ACTUATOR_VELOCITY] = {"actuatorvel", 1, DP_OBJECT_ACTUATOR, "v"},
    [DP_SENSOR_ACTUATOR_FORCE] = {"actuatorfrc", 1, DP_OBJECT_ACTUATOR, "f"},
    [DP_SENSOR_JOINT_ACTUATOR_FORCE] = {"jointactuatorfrc", 1, DP_OBJECT_JOINT, "f"},
    [DP_SENSOR_FRAME_POSITION] = {"framepos", 3, DP_OBJECT_INERTIAL, "m"},
    [DP_SENSOR_FRAME_QUATERNION] = {"framequat", 4, DP_OBJECT_INERTIAL, "1"},
    [DP_SENSOR_FRAME_X_AXIS] = {"framexaxis", 3, DP_OBJECT_INERTIAL, "1"},
    [DP_SENSOR_FRAME_Y_AXIS] = {"frameyaxis", 3, DP_OBJECT_INERTIAL, "1"},
    [DP_SENSOR_FRAME_Z_AXIS] = {"framezaxis", 3, DP_OBJECT_INERTIAL, "1"},
    [DP_SENSOR_FRAME_LINEAR_VELOCITY] = {"framelinvel", 3, DP_OBJECT_INERTIAL, "m/s"},
    [DP_SENSOR_FRAME_ANGULAR_VELOCITY] = {"frameangvel", 3, DP_OBJECT_INERTIAL, "rad/s"},
    [DP_SENSOR_FRAME_LINEAR_ACCELERATION] = {"framelinacc", 3, DP_OBJECT_INERTIAL, "m/s²"},
    [DP_SENSOR_FRAME_ANGULAR_ACCELERATION] = {"frameangacc", 3, DP_OBJECT_INERTIAL, "rad/s²"},
    [DP_SENSOR_SUBTREE_COM] = {"subtreecom", 3, DP_OBJECT_BODY, "m"},
    [DP_SENSOR_SUBTREE_LINEAR_VELOCITY] = {"subtreelinvel", 3, DP_OBJECT_BODY, "m/s"},
    [DP_SENSOR_SUBTREE_ANGULAR_MOMENTUM] = {"subtreeangmom", 3, DP_OBJECT_BODY, "kg m²/s"},
    [DP_SENSOR_TENDON_POSITION] = {"tendonpos", 1, DP_OBJECT_TENDON, "m"},
    [DP_SENSOR_TENDON_VELOCITY] = {"tendonvel", 1, DP_OBJECT_TENDON, "m/s"},
    [DP_SENSOR_TENDON_ACTUATOR_FORCE] = {"tendonactuatorfrc", 1, DP_OBJECT_TENDON, "N"},
    [DP_SENSOR_JOINT_LIMIT_POSITION] = {"jointlimitpos", 1, DP_OBJECT_JOINT, "q"},
    [DP_SENSOR_JOINT_LIMIT_VELOCITY] = {"jointlimitvel", 1, DP_OBJECT_JOINT, "v"},
    [DP_SENSOR_JOINT_LIMIT_FORCE] = {"jointlimitfrc", 1, DP_OBJECT_JOINT, "f"},
    [DP_SENSOR_TENDON_LIMIT_POSITION] = {"tendonlimitpos", 1, DP_OBJECT_TENDON, "m"},
    [DP_SENSOR_TENDON_LIMIT_VELOCITY] = {"tendonlimitvel", 1, DP_OBJECT_TENDON, "m/s"},
    [DP_SENSOR_TENDON_LIMIT_FORCE] = {"tendonlimitfrc", 1, DP_OBJECT_TENDON, "N"},
    [DP_SENSOR_CLOCK] = {"clock", 1, DP_OBJECT_NONE, "s"},
    [DP_SENSOR_POTENTIAL_ENERGY] = {"e_potential", 1, DP_OBJECT_NONE, "J"},
    [DP_SENSOR_KINETIC_ENERGY] = {"e_kinetic", 1, DP_OBJECT_NONE, "J"},
    [DP_SENSOR_RANGEFINDER] = {"rangefinder", 1, DP_OBJECT_SITE, "m"},
    [DP_SENSOR_DISTANCE] = {"distance", 1, DP_OBJECT_GEOM, "m"},
    [DP_SENSOR_DISTANCE_NORMAL] = {"normal", 3, DP_OBJECT_GEOM, "1"},
    [DP_SENSOR_DISTANCE_SEGMENT] = {"fromto", 6, DP_OBJECT_GEOM, "m"},
    [DP_SENSOR_CONTACT] = {"contact", 1, DP_OBJECT_NONE, "1"},
    [DP_SENSOR_INSIDE_SITE] = {"insidesite", 1, DP_OBJECT_INERTIAL, "1"},
    [DP_SENSOR_USER] = {"user", 1, DP_OBJECT_NONE, "1"},
};

const char *dp_element_kind_name(dp_element_kind kind)
{
    static const char *const name[DP_ELEMENT_KINDS] = {
        [DP_ELEMENT_BODY] = "body",         [DP_ELEMENT_JOINT] = "joint",
        [DP_ELEMENT_GEOM] = "geom",         [DP_ELEMENT_SITE] = "site",
        [DP_ELEMENT_ACTUATOR] = "actuator", [DP_ELEMENT_SENSOR] = "sensor",
        [DP_ELEMENT_MESH] = "mesh",         [DP_ELEMENT_HFIELD] = "hfield",
        [DP_ELEMENT_PAIR] = "pair",         [DP_ELEMENT_EXCLUDE] = "exclude",
        [DP_ELEMENT_TENDON] = "tendon",     [DP_ELEMENT_EQUALITY] = "equality",
        [DP_ELEMENT_KEY] = "key",           [DP_ELEMENT_FORCE] = "force",
        [DP_ELEMENT_MOTION] = "motion"};
    return name[kind];
}

const char *dp_joint_kind_name(dp_joint_kind kind)
{
    switch (kind) {
    case DP_JOINT_FREE:
        return "free";
    case DP_JOINT_BALL:
        return "ball";
    case DP_JOINT_HINGE:
        return "hinge";
    case DP_JOINT_SLIDE:
        return "slide";
    }
    return "unknown";
}

const char *dp_geom_kind_name(dp_geom_kind kind)
{
    switch (kind) {
    case DP_GEOM_PLANE:
        return "plane";
    case DP_GEOM_SPHERE:
        return "sphere";
    case DP_GEOM_CAPSULE:
        return "capsule";
    case DP_GEOM_CYLINDER:
        return "cylinder";
    case DP_GEOM_ELLIPSOID:
        return "ellipsoid";
    case DP_GEOM_BOX:
        return "box";
    case DP_GEOM_MESH:
        return "mesh";
    case DP_GEOM_HFIELD:
        return "hfield";
    }
    return "unknown";
}

dp_element_kind dp_object_element(dp_object_kind kind)
{
    switch (kind) {
    case DP_OBJECT_JOINT:
        return DP_ELEMENT_JOINT;
    case DP_OBJECT_GEOM:
        return DP_ELEMENT_GEOM;
    case DP_OBJECT_SITE:
        return DP_ELEMENT_SITE;
    case DP_OBJECT_TENDON:
        return DP_ELEMENT_TENDON;
    case DP_OBJECT_ACTUATOR:
        return DP_ELEMENT_ACTUATOR;
    default:
        return DP_ELEMENT_BODY;
    }
}

const char *dp_object_kind_name(dp_object_kind kind)
{
    switch (kind) {
    case DP_OBJECT_NONE:
        return "none";
    case DP_OBJECT_BODY:
        return "body";
    case DP_OBJECT_INERTIAL:
        return "inertial";
    case DP_OBJECT_JOINT:
        return "joint";
    case DP_OBJECT_GEOM:
        return "geom";
    case DP_OBJECT_SITE:
        return "site";
    case DP_OBJECT_ACTUATOR:
        return "actuator";
    case DP_OBJECT_TENDON:
        return "tendon";
    case DP_OBJECT_SUBTREE:
        return "subtree";
    }
    return "unknown";
}

const char *dp_mesh_inertia_name(dp_mesh_inertia inertia)
{
    switch (inertia) {
    case DP_MESH_INERTIA_CONVEX:
        return "convex";
    case DP_MESH_INERTIA_EXACT:
        return "exact";
    case DP_MESH_INERTIA_SHELL:
        return "shell";
    case DP_MESH_INERTIA_LEGACY:
        return "legacy";
    }
    return "unknown";
}

const char *dp_transmission_name(dp_transmission transmission)
{
    switch (transmission) {
    case DP_TRANSMISSION_JOINT:
        return "joint";
    case DP_TRANSMISSION_TENDON:
        return "tendon";
    case DP_TRANSMISSION_SITE:
        return "site";
    case DP_TRANSMISSION_BODY:
        return "body";
    }
    return "unknown";
}

const char *dp_wrap_kind_name(dp_wrap_kind kind)
{
    switch (kind) {
    case DP_WRAP_JOINT:
        return "joint";
    case DP_WRAP_SITE:
        return "site";
    case DP_WRAP_GEOM:
        return "geom";
    case DP_WRAP_PULLEY:
        return "pulley";
    }
    return "unknown";
}

const char *dp_equality_kind_name(dp_equality_kind kind)
{
    switch (kind) {
    case DP_EQUALITY_CONNECT:
        return "connect";
    case DP_EQUALITY_WELD:
        return "weld";
    case DP_EQUALITY_JOINT:
        return "joint";
    case DP_EQUALITY_TENDON:
        return "tendon";
    case DP_EQUALITY_DISTANCE:
        return "distance";
    case DP_EQUALITY_PLANE:
        return "plane";
    }
    return "unknown";
}

const char *dp_sensor_kind_name(dp_sensor_kind kind)
{
    return (unsigned)kind < DP_SENSOR_KINDS ? sensor[kind].name : "unknown";
}

int dp_sensor_kind_size(dp_sensor_kind kind)
{
    return (unsigned)kind < DP_SENSOR_KINDS ? sensor[kind].size : 0;
}

int dp_sensor_size(const dp_sensor_spec *of)
{
    static const int ray[] = {1, 3, 3, 3, 3, 1}, contact[] = {1, 3, 3, 1, 3, 3, 3, 3, 3};
    const bool ranges = of->kind == DP_SENSOR_RANGEFINDER;
    if (of->kind == DP_SENSOR_USER) {
        return of->count;
    }
    if (!ranges && of->kind != DP_SENSOR_CONTACT) {
        return dp_sensor_kind_size(of->kind);
    }
    const int *size = ranges ? ray : contact, fields = ranges ? 6 : 9;
    const unsigned data = of->data ? of->data : 1;
    int sum = 0;
    for (int k = 0; k < fields; ++k) {
        sum += data >> k & 1u ? size[k] : 0;
    }
    return ranges ? sum : sum * of->count;
}

static bool is_frame(dp_object_kind kind)
{
    return kind == DP_OBJECT_BODY || kind == DP_OBJECT_INERTIAL || kind == DP_OBJECT_GEOM ||
           kind == DP_OBJECT_SITE;
}

bool dp_sensor_is_of_pair(dp_sensor_kind kind)
{
    return kind >= DP_SENSOR_DISTANCE && kind <= DP_SENSOR_CONTACT;
}

bool dp_sensor_takes(dp_sensor_kind kind, dp_object_kind object, bool as_reference)
{
    const bool geoms = object == DP_OBJECT_GEOM || object == DP_OBJECT_BODY;
    if (kind == DP_SENSOR_CONTACT) {
        return geoms || object == DP_OBJECT_NONE || object == DP_OBJECT_SUBTREE ||
               (object == DP_OBJECT_SITE && !as_reference);
    }
    if (dp_sensor_is_of_pair(kind)) {
        return geoms;
    }
    if (as_reference) {
        return kind == DP_SENSOR_INSIDE_SITE ? object == DP_OBJECT_SITE
                                             : dp_sensor_has_reference(kind) && is_frame(object);
    }
    const dp_object_kind wanted = dp_sensor_object_kind(kind);
    return wanted == DP_OBJECT_INERTIAL ? is_frame(object) : object == wanted;
}

dp_object_kind dp_sensor_object_kind(dp_sensor_kind kind)
{
    return (unsigned)kind < DP_SENSOR_KINDS ? sensor[kind].object : DP_OBJECT_NONE;
}

const char *dp_sensor_unit(dp_sensor_kind kind)
{
    return (unsigned)kind < DP_SENSOR_KINDS ? sensor[kind].unit : "1";
}

bool dp_sensor_has_reference(dp_sensor_kind kind)
{
    return (kind >= DP_SENSOR_FRAME_POSITION && kind <= DP_SENSOR_FRAME_ANGULAR_VELOCITY) ||
           kind == DP_SENSOR_INSIDE_SITE;
}

bool dp_sensor_needs_limit(dp_sensor_kind kind)
{
    return kind >= DP_SENSOR_JOINT_LIMIT_POSITION && kind <= DP_SENSOR_TENDON_LIMIT_FORCE;
}
