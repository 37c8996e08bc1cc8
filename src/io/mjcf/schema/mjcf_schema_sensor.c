// Schema of sensors.
#include "io/mjcf/mjcf_words.h"

static const dp_mjcf_attribute nothing[] = {END};

#define SENSOR_BASE                                                                                \
    OWN("name", USED), SIGNAL, UP_TO("interval", 2, SAMPLING), NUMBER("cutoff", USED),             \
        NUMBER("noise", IGNORED("sensors are exact")), LIST("user", USER)
static const dp_mjcf_attribute site_sensor_attributes[] = {SENSOR_BASE, REQUIRED("site", USED),
                                                           END};
static const dp_mjcf_attribute joint_sensor_attributes[] = {SENSOR_BASE, REQUIRED("joint", USED),
                                                            END};
static const dp_mjcf_attribute actuator_sensor_attributes[] = {SENSOR_BASE,
                                                               REQUIRED("actuator", USED), END};
static const dp_mjcf_attribute body_sensor_attributes[] = {SENSOR_BASE, REQUIRED("body", USED),
                                                           END};
static const dp_mjcf_attribute tendon_sensor_attributes[] = {SENSOR_BASE, REQUIRED("tendon", USED),
                                                             END};
static const dp_mjcf_attribute plain_sensor_attributes[] = {SENSOR_BASE, END};
static const dp_mjcf_attribute frame_sensor_attributes[] = {
    SENSOR_BASE,
    REQUIRED_KEYWORD("objtype", FRAME_KINDS, USED),
    REQUIRED("objname", USED),
    KEYWORD("reftype", FRAME_KINDS, USED),
    OWN("refname", USED),
    END,
};
static const dp_mjcf_attribute acceleration_sensor_attributes[] = {
    SENSOR_BASE, REQUIRED_KEYWORD("objtype", FRAME_KINDS, USED), REQUIRED("objname", USED), END};

#define SENSOR(identifier, name, attributes)                                                       \
    static const dp_mjcf_element sensor_##identifier = ELEMENT(name, attributes, NULL, USED)
SENSOR(accelerometer, "accelerometer", site_sensor_attributes);
SENSOR(velocimeter, "velocimeter", site_sensor_attributes);
SENSOR(gyro, "gyro", site_sensor_attributes);
SENSOR(force, "force", site_sensor_attributes);
SENSOR(torque, "torque", site_sensor_attributes);
SENSOR(magnetometer, "magnetometer", site_sensor_attributes);
SENSOR(touch, "touch", site_sensor_attributes);
SENSOR(jointpos, "jointpos", joint_sensor_attributes);
SENSOR(jointvel, "jointvel", joint_sensor_attributes);
SENSOR(ballquat, "ballquat", joint_sensor_attributes);
SENSOR(ballangvel, "ballangvel", joint_sensor_attributes);
SENSOR(actuatorpos, "actuatorpos", actuator_sensor_attributes);
SENSOR(actuatorvel, "actuatorvel", actuator_sensor_attributes);
SENSOR(actuatorfrc, "actuatorfrc", actuator_sensor_attributes);
SENSOR(jointactuatorfrc, "jointactuatorfrc", joint_sensor_attributes);
SENSOR(tendonpos, "tendonpos", tendon_sensor_attributes);
SENSOR(tendonvel, "tendonvel", tendon_sensor_attributes);
SENSOR(tendonactuatorfrc, "tendonactuatorfrc", tendon_sensor_attributes);
SENSOR(jointlimitpos, "jointlimitpos", joint_sensor_attributes);
SENSOR(jointlimitvel, "jointlimitvel", joint_sensor_attributes);
SENSOR(jointlimitfrc, "jointlimitfrc", joint_sensor_attributes);
SENSOR(tendonlimitpos, "tendonlimitpos", tendon_sensor_attributes);
SENSOR(tendonlimitvel, "tendonlimitvel", tendon_sensor_attributes);
SENSOR(tendonlimitfrc, "tendonlimitfrc", tendon_sensor_attributes);
SENSOR(framepos, "framepos", frame_sensor_attributes);
SENSOR(framequat, "framequat", frame_sensor_attributes);
SENSOR(framexaxis, "framexaxis", frame_sensor_attributes);
SENSOR(frameyaxis, "frameyaxis", frame_sensor_attributes);
SENSOR(framezaxis, "framezaxis", frame_sensor_attributes);
SENSOR(framelinvel, "framelinvel", frame_sensor_attributes);
SENSOR(frameangvel, "frameangvel", frame_sensor_attributes);
SENSOR(framelinacc, "framelinacc", acceleration_sensor_attributes);
SENSOR(frameangacc, "frameangacc", acceleration_sensor_attributes);
SENSOR(subtreecom, "subtreecom", body_sensor_attributes);
SENSOR(subtreelinvel, "subtreelinvel", body_sensor_attributes);
SENSOR(subtreeangmom, "subtreeangmom", body_sensor_attributes);
SENSOR(clock, "clock", plain_sensor_attributes);
SENSOR(e_potential, "e_potential", plain_sensor_attributes);
SENSOR(e_kinetic, "e_kinetic", plain_sensor_attributes);

static const dp_mjcf_attribute camprojection_attributes[] = {SENSOR_BASE, OWN("site", WITHIN),
                                                             OWN("camera", WITHIN), END};
static const dp_mjcf_attribute rangefinder_attributes[] = {
    SENSOR_BASE, OWN("site", USED),
    OWN("camera", REFUSED("sensor", "images of rangefinders are not simulated")),
    KEYWORDS("data", DP_MJCF_RAY_FIELDS, USED), END};
static const dp_mjcf_attribute insidesite_attributes[] = {
    SENSOR_BASE,
    REQUIRED("site", USED),
    REQUIRED_KEYWORD("objtype", FRAME_KINDS, USED),
    REQUIRED("objname", USED),
    KEYWORD("enclosed", "false true",
            REFUSED("sensor", "whole bodies inside of a site are not sensed")),
    END};
static const dp_mjcf_attribute distance_sensor_attributes[] = {
    SENSOR_BASE,        OWN("geom1", USED), OWN("geom2", USED),
    OWN("body1", USED), OWN("body2", USED), END};
static const dp_mjcf_attribute contact_sensor_attributes[] = {
    SENSOR_BASE,
    OWN("geom1", USED),
    OWN("geom2", USED),
    OWN("body1", USED),
    OWN("body2", USED),
    OWN("subtree1", USED),
    OWN("subtree2", USED),
    OWN("site", USED),
    INTEGER("num", USED),
    KEYWORDS("data", DP_MJCF_CONTACT_FIELDS, USED),
    KEYWORD("reduce", "none mindist maxforce netforce", USED),
    END,
};
static const dp_mjcf_attribute tactile_attributes[] = {SENSOR_BASE, OWN("geom", WITHIN),
                                                       OWN("mesh", WITHIN), END};
static const dp_mjcf_attribute user_sensor_attributes[] = {
    SENSOR_BASE,
    OWN("objtype", IGNORED("its values are zeros, for a program to overwrite")),
    OWN("objname", IGNORED("its values are zeros, for a program to overwrite")),
    KEYWORD("datatype", "real positive axis quaternion",
            IGNORED("its values are zeros, for a program to overwrite")),
    KEYWORD("needstage", "none pos vel acc",
            IGNORED("its values are zeros, for a program to overwrite")),
    INTEGER("dim", USED),
    END,
};
static const dp_mjcf_attribute plugin_sensor_attributes[] = {
    SENSOR_BASE,
    OWN("plugin", WITHIN),
    OWN("instance", WITHIN),
    OWN("objtype", WITHIN),
    OWN("objname", WITHIN),
    OWN("reftype", WITHIN),
    OWN("refname", WITHIN),
    END,
};

#define REFUSED_SENSOR(identifier, name, attributes, children)                                     \
    static const dp_mjcf_element sensor_##identifier =                                             \
        ELEMENT(name, attributes, children, REFUSED("sensor", "this sensor is not simulated"))
REFUSED_SENSOR(camprojection, "camprojection", camprojection_attributes, NULL);
SENSOR(rangefinder, "rangefinder", rangefinder_attributes);
SENSOR(insidesite, "insidesite", insidesite_attributes);
SENSOR(distance, "distance", distance_sensor_attributes);
SENSOR(normal, "normal", distance_sensor_attributes);
SENSOR(fromto, "fromto", distance_sensor_attributes);
SENSOR(contact, "contact", contact_sensor_attributes);
REFUSED_SENSOR(tactile, "tactile", tactile_attributes, NULL);
SENSOR(user, "user", user_sensor_attributes);
REFUSED_SENSOR(plugin, "plugin", plugin_sensor_attributes, dp_mjcf_config_only);

static const dp_mjcf_element *const sensor_children[] = {
    &dp_mjcf_include_element,
    &sensor_accelerometer,
    &sensor_velocimeter,
    &sensor_gyro,
    &sensor_force,
    &sensor_torque,
    &sensor_magnetometer,
    &sensor_jointpos,
    &sensor_jointvel,
    &sensor_ballquat,
    &sensor_ballangvel,
    &sensor_actuatorpos,
    &sensor_actuatorvel,
    &sensor_actuatorfrc,
    &sensor_jointactuatorfrc,
    &sensor_framepos,
    &sensor_framequat,
    &sensor_framexaxis,
    &sensor_frameyaxis,
    &sensor_framezaxis,
    &sensor_framelinvel,
    &sensor_frameangvel,
    &sensor_framelinacc,
    &sensor_frameangacc,
    &sensor_subtreecom,
    &sensor_subtreelinvel,
    &sensor_subtreeangmom,
    &sensor_clock,
    &sensor_e_potential,
    &sensor_e_kinetic,
    &sensor_touch,
    &sensor_camprojection,
    &sensor_rangefinder,
    &sensor_tendonpos,
    &sensor_tendonvel,
    &sensor_tendonactuatorfrc,
    &sensor_jointlimitpos,
    &sensor_jointlimitvel,
    &sensor_jointlimitfrc,
    &sensor_tendonlimitpos,
    &sensor_tendonlimitvel,
    &sensor_tendonlimitfrc,
    &sensor_insidesite,
    &sensor_distance,
    &sensor_normal,
    &sensor_fromto,
    &sensor_contact,
    &sensor_tactile,
    &sensor_user,
    &sensor_plugin,
    NULL,
};
const dp_mjcf_element dp_mjcf_sensor_element = ELEMENT("sensor", nothing, sensor_children, USED);
