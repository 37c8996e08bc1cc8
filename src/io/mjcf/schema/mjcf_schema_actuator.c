// Schema of actuators.
#include "io/mjcf/mjcf_words.h"

static const dp_mjcf_attribute nothing[] = {END};

#define ACTUATOR_BASE                                                                              \
    OWN("name", USED), OWN("class", USED), INTEGER("group", LOOKS), SIGNAL,                        \
        NUMBERS("ctrlrange", 2, USED), LIST("user", USER)
#define CONTROL_LIMITED SWITCH_OR_AUTO("ctrllimited", USED)
#define FORCE_LIMITED SWITCH_OR_AUTO("forcelimited", USED), NUMBERS("forcerange", 2, USED)
#define ACTIVATION_LIMITED SWITCH_OR_AUTO("actlimited", USED), NUMBERS("actrange", 2, USED)
#define DRIVE                                                                                      \
    NUMBERS("lengthrange", 2, USED), UP_TO("gear", 6, USED),                                       \
        UP_TO("damping", 3,                                                                        \
              REFUSED("actuator-damping", "dampers of actuators are not simulated")),              \
        NUMBER("armature",                                                                         \
               REFUSED("actuator-armature", "armatures of actuators are not simulated")),          \
        NUMBER("cranklength", IGNORED("acts through slidersite"))
#define SLIDERCRANK REFUSED("slidercrank", "this transmission is not simulated")
#define TRANSMISSION                                                                               \
    OWN("joint", USED), OWN("jointinparent", USED), OWN("tendon", USED),                           \
        OWN("slidersite", SLIDERCRANK), OWN("cranksite", SLIDERCRANK), OWN("site", USED),          \
        OWN("refsite", USED)
#define DAMPING_RATIO NUMBER("dampratio", USED)
#define INHERIT_RANGE NUMBER("inheritrange", USED)

static const dp_mjcf_attribute general_attributes[] = {
    ACTUATOR_BASE,
    CONTROL_LIMITED,
    FORCE_LIMITED,
    ACTIVATION_LIMITED,
    DRIVE,
    TRANSMISSION,
    OWN("body", USED),
    INTEGER("actdim", USED),
    INHERIT_RANGE,
    TEXT("input", REFUSED("actuator-input", "actuators with several inputs are not simulated")),
    NUMBERS("velrange", 2,
            REFUSED("actuator-input", "actuators with several inputs are not simulated")),
    NUMBERS("ffrange", 2,
            REFUSED("actuator-input", "actuators with several inputs are not simulated")),
    KEYWORD("dyntype", DYNAMICS, USED),
    KEYWORD("gaintype", "fixed affine muscle dcmotor so3 pid user", USED),
    KEYWORD("biastype", "none affine muscle dcmotor so3 user", USED),
    UP_TO("dynprm", 10, USED),
    UP_TO("gainprm", 10, USED),
    UP_TO("biasprm", 10, USED),
    SWITCH("actearly", REFUSED("actearly", "forces from the next activation are not simulated")),
    END,
};
static const dp_mjcf_attribute motor_attributes[] = {ACTUATOR_BASE, CONTROL_LIMITED, FORCE_LIMITED,
                                                     DRIVE,         TRANSMISSION,    END};
static const dp_mjcf_attribute position_attributes[] = {
    ACTUATOR_BASE, CONTROL_LIMITED,    FORCE_LIMITED,      DRIVE,         TRANSMISSION,
    INHERIT_RANGE, NUMBER("kp", USED), NUMBER("kv", USED), DAMPING_RATIO, NUMBER("timeconst", USED),
    END,
};
static const dp_mjcf_attribute velocity_attributes[] = {
    ACTUATOR_BASE, CONTROL_LIMITED, FORCE_LIMITED, DRIVE, TRANSMISSION, NUMBER("kv", USED), END,
};
static const dp_mjcf_attribute intvelocity_attributes[] = {
    ACTUATOR_BASE, CONTROL_LIMITED,    FORCE_LIMITED,      ACTIVATION_LIMITED, DRIVE, TRANSMISSION,
    INHERIT_RANGE, NUMBER("kp", USED), NUMBER("kv", USED), DAMPING_RATIO,      END,
};
static const dp_mjcf_attribute damper_attributes[] = {
    ACTUATOR_BASE, CONTROL_LIMITED, FORCE_LIMITED, DRIVE, TRANSMISSION, NUMBER("kv", USED), END,
};
static const dp_mjcf_attribute cylinder_attributes[] = {
    ACTUATOR_BASE,
    CONTROL_LIMITED,
    FORCE_LIMITED,
    DRIVE,
    TRANSMISSION,
    NUMBER("timeconst", USED),
    NUMBER("area", USED),
    NUMBER("diameter", USED),
    NUMBERS("bias", 3, USED),
    END,
};
static const dp_mjcf_element general_element = ELEMENT("general", general_attributes, NULL, USED);
static const dp_mjcf_element motor_element = ELEMENT("motor", motor_attributes, NULL, USED);
static const dp_mjcf_element position_element =
    ELEMENT("position", position_attributes, NULL, USED);
static const dp_mjcf_element velocity_element =
    ELEMENT("velocity", velocity_attributes, NULL, USED);
static const dp_mjcf_element intvelocity_element =
    ELEMENT("intvelocity", intvelocity_attributes, NULL, USED);
static const dp_mjcf_element damper_element = ELEMENT("damper", damper_attributes, NULL, USED);
static const dp_mjcf_element cylinder_element =
    ELEMENT("cylinder", cylinder_attributes, NULL, USED);

// Kinds that are refused. Their attributes are checked all the same.
#define CONTROLLER_GAINS NUMBER("kp", WITHIN), NUMBER("kv", WITHIN), NUMBER("dampratio", WITHIN)
#define INPUTS "pos vel ff voltage"

static const dp_mjcf_attribute muscle_attributes[] = {
    ACTUATOR_BASE,
    CONTROL_LIMITED,
    FORCE_LIMITED,
    DRIVE,
    TRANSMISSION,
    NUMBERS("timeconst", 2, USED),
    NUMBER("tausmooth", USED),
    NUMBERS("range", 2, USED),
    NUMBER("force", USED),
    NUMBER("scale", USED),
    NUMBER("lmin", USED),
    NUMBER("lmax", USED),
    NUMBER("vmax", USED),
    NUMBER("fpmax", USED),
    NUMBER("fvmax", USED),
    END,
};
static const dp_mjcf_attribute adhesion_attributes[] = {
    ACTUATOR_BASE, CONTROL_LIMITED, FORCE_LIMITED, OWN("body", USED), NUMBER("gain", USED), END,
};
static const dp_mjcf_attribute dcmotor_attributes[] = {
    ACTUATOR_BASE,
    CONTROL_LIMITED,
    DRIVE,
    TRANSMISSION,
    UP_TO("motorconst", 2, WITHIN),
    NUMBER("resistance", WITHIN),
    UP_TO("nominal", 3, WITHIN),
    UP_TO("saturation", 3, WITHIN),
    UP_TO("inductance", 2, WITHIN),
    UP_TO("cogging", 3, WITHIN),
    UP_TO("controller", 6, WITHIN),
    UP_TO("thermal", 6, WITHIN),
    UP_TO("lugre", 5, WITHIN),
    KEYWORDS("input", INPUTS " none", WITHIN),
    END,
};
static const dp_mjcf_attribute pid_attributes[] = {
    ACTUATOR_BASE,
    CONTROL_LIMITED,
    FORCE_LIMITED,
    DRIVE,
    TRANSMISSION,
    CONTROLLER_GAINS,
    NUMBERS("posrange", 2, WITHIN),
    NUMBERS("velrange", 2, WITHIN),
    NUMBERS("ffrange", 2, WITHIN),
    NUMBER("inheritrange", WITHIN),
    NUMBER("ki", WITHIN),
    NUMBER("imax", WITHIN),
    NUMBER("slewmax", WITHIN),
    KEYWORDS("input", INPUTS, WITHIN),
    END,
};
static const dp_mjcf_attribute orientation_attributes[] = {
    ACTUATOR_BASE,
    FORCE_LIMITED,
    OWN("joint", WITHIN),
    OWN("site", WITHIN),
    OWN("refsite", WITHIN),
    CONTROLLER_GAINS,
    KEYWORD("input", "expmap quat", WITHIN),
    END,
};
static const dp_mjcf_attribute actuator_plugin_attributes[] = {
    ACTUATOR_BASE,
    CONTROL_LIMITED,
    FORCE_LIMITED,
    ACTIVATION_LIMITED,
    DRIVE,
    TRANSMISSION,
    OWN("plugin", WITHIN),
    OWN("instance", WITHIN),
    INTEGER("actdim", WITHIN),
    KEYWORD("dyntype", DYNAMICS, WITHIN),
    UP_TO("dynprm", 10, WITHIN),
    SWITCH("actearly", WITHIN),
    END,
};
static const dp_mjcf_element muscle_element = ELEMENT("muscle", muscle_attributes, NULL, USED);
static const dp_mjcf_element adhesion_element =
    ELEMENT("adhesion", adhesion_attributes, NULL, USED);
static const dp_mjcf_element dcmotor_element = ELEMENT(
    "dcmotor", dcmotor_attributes, NULL, REFUSED("dcmotor", "electric motors are not simulated"));
static const dp_mjcf_element pid_element =
    ELEMENT("pid", pid_attributes, NULL, REFUSED("pid", "PID controllers are not simulated"));
static const dp_mjcf_element orientation_element =
    ELEMENT("orientation", orientation_attributes, NULL,
            REFUSED("orientation-actuator", "orientation servos are not simulated"));
static const dp_mjcf_element actuator_plugin_element =
    ELEMENT("plugin", actuator_plugin_attributes, dp_mjcf_config_only,
            REFUSED("plugin", "MuJoCo's plugins are not run"));
static const dp_mjcf_element *const actuator_children[] = {
    &dp_mjcf_include_element, &general_element,         &motor_element,
    &position_element,        &velocity_element,        &intvelocity_element,
    &damper_element,          &cylinder_element,        &muscle_element,
    &adhesion_element,        &dcmotor_element,         &pid_element,
    &orientation_element,     &actuator_plugin_element, NULL,
};
const dp_mjcf_element dp_mjcf_actuator_element =
    ELEMENT("actuator", nothing, actuator_children, USED);

// ---- defaults

const dp_mjcf_element dp_mjcf_default_general = DEFAULT("general", general_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_motor = DEFAULT("motor", motor_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_position =
    DEFAULT("position", position_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_velocity =
    DEFAULT("velocity", velocity_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_intvelocity =
    DEFAULT("intvelocity", intvelocity_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_damper = DEFAULT("damper", damper_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_cylinder =
    DEFAULT("cylinder", cylinder_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_muscle = DEFAULT("muscle", muscle_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_adhesion =
    DEFAULT("adhesion", adhesion_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_dcmotor = DEFAULT("dcmotor", dcmotor_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_pid = DEFAULT("pid", pid_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_orientation =
    DEFAULT("orientation", orientation_attributes, NULL, USED);
