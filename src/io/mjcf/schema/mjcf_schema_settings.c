// Schema of the settings, of what has no effect on the motion, and of keyframes.
#include "io/mjcf/mjcf_words.h"

static const dp_mjcf_attribute nothing[] = {END};

// ---- include, anywhere

static const dp_mjcf_attribute include_attributes[] = {REQUIRED("file", USED), END};
const dp_mjcf_element dp_mjcf_include_element = ELEMENT("include", include_attributes, NULL, USED);

// ---- compiler

static const dp_mjcf_attribute lengthrange_attributes[] = {
    KEYWORD("mode", "none muscle muscleuser all", WITHIN),
    SWITCH("useexisting", WITHIN),
    SWITCH("uselimit", WITHIN),
    NUMBER("accel", WITHIN),
    NUMBER("maxforce", WITHIN),
    NUMBER("timeconst", WITHIN),
    NUMBER("timestep", WITHIN),
    NUMBER("inttotal", WITHIN),
    NUMBER("inteval", WITHIN), // older
    NUMBER("interval", WITHIN),
    NUMBER("tolrange", WITHIN),
    END,
};
static const dp_mjcf_element lengthrange_element =
    ELEMENT("lengthrange", lengthrange_attributes, NULL, IGNORED("matters for muscles only"));

static const dp_mjcf_attribute compiler_attributes[] = {
    SWITCH("autolimits", USED),
    NUMBER("boundmass", USED),
    NUMBER("boundinertia", USED),
    NUMBER("settotalmass", USED),
    SWITCH("balanceinertia", USED),
    SWITCH("strippath", USED),
    KEYWORD("coordinate", "local global", USED), // older
    KEYWORD("angle", "radian degree", USED),
    SWITCH("fitaabb", USED),
    TEXT("eulerseq", USED),
    TEXT("meshdir", USED),
    TEXT("texturedir", LOOKS),
    SWITCH("discardvisual", IGNORED("no effect on the motion")),
    SWITCH("convexhull", IGNORED("hulls are made where they are needed")), // older
    SWITCH("usethread", IGNORED("no effect on the result")),
    SWITCH("fusestatic", IGNORED("no effect on the motion: bodies are kept apart")),
    SWITCH_OR_AUTO("inertiafromgeom", USED),
    INTEGERS("inertiagrouprange", 2, USED),
    SWITCH("exactmeshinertia", USED), // older
    SWITCH("saveinertial", IGNORED("a setting for writing files")),
    SWITCH("savecompiled", IGNORED("a setting for writing files")),
    SWITCH("savecanonical", IGNORED("a setting for writing files")),
    KEYWORD("passthrough", "none textures", LOOKS),
    TEXT("assetdir", USED),
    SWITCH("alignfree",
           REFUSED("alignfree", "moving the frames of free bodies to their centres is not done")),
    KEYWORD("conflict", "warning merge error", IGNORED("matters for attached models only")),
    END,
};
static const dp_mjcf_element *const compiler_children[] = {&dp_mjcf_include_element,
                                                           &lengthrange_element, NULL};
const dp_mjcf_element dp_mjcf_compiler_element =
    ELEMENT("compiler", compiler_attributes, compiler_children, USED);

// ---- option

#define OVERRIDE IGNORED("acts through the flag override")
static const dp_mjcf_attribute option_attributes[] = {
    NUMBER("timestep", USED),
    NUMBER("apirate", IGNORED("no effect on the motion")), // older
    NUMBER("impratio", SOLVER),
    NUMBER("tolerance", SOLVER),
    NUMBER("ls_tolerance", SOLVER),
    NUMBER("noslip_tolerance", SOLVER),
    NUMBER("mpr_tolerance", SOLVER), // older
    NUMBER("ccd_tolerance", SOLVER),
    NUMBER("sleep_tolerance", SOLVER),
    NUMBERS("gravity", 3, USED),
    NUMBERS("wind", 3, USED),
    NUMBERS("magnetic", 3, USED),
    NUMBER("density", USED),
    NUMBER("viscosity", USED),
    NUMBER("o_margin", OVERRIDE),
    SOLVER_PARAMETERS("o_solref", "o_solimp", OVERRIDE),
    UP_TO("o_friction", 5, OVERRIDE),
    KEYWORD("integrator", "Euler RK4 implicit implicitfast discrete", USED),
    KEYWORD("collision", "all predefined dynamic", // older
            REFUSED("collision", "geoms touch by masks and by pairs, both")),
    KEYWORD("cone", "pyramidal elliptic", SOLVER),
    KEYWORD("jacobian", "dense sparse auto", SOLVER),
    KEYWORD("solver", "PGS CG Newton", SOLVER),
    INTEGER("iterations", SOLVER),
    INTEGER("ls_iterations", SOLVER),
    INTEGER("noslip_iterations", SOLVER),
    INTEGER("mpr_iterations", SOLVER), // older
    INTEGER("ccd_iterations", SOLVER),
    INTEGER("sdf_iterations", SOLVER),
    INTEGER("sdf_initpoints", SOLVER),
    INTEGER_LIST(
        "actuatorgroupdisable",
        REFUSED("actuatorgroupdisable", "switching off groups of actuators is not simulated")),
    END,
};

static const dp_mjcf_attribute flag_attributes[] = {
    FLAG("constraint", USED),
    FLAG("equality", USED),
    FLAG("frictionloss", USED),
    FLAG("limit", USED),
    FLAG("contact", USED),
    FLAG("passive", USED), // older: springs and dampers
    FLAG("spring", USED),
    FLAG("damper", USED),
    FLAG("gravity", USED),
    FLAG("clampctrl", USED),
    FLAG("warmstart", SOLVER),
    FLAG("filterparent", USED),
    FLAG("actuation", USED),
    FLAG("refsafe", SOLVER),
    FLAG("sensor", IGNORED("sensors are computed when they are asked for")),
    FLAG("midphase", SOLVER),
    FLAG("eulerdamp", IGNORED("joint dampers are always implicit")),
    FLAG("autoreset", IGNORED("a failed step is an error, never a reset")),
    FLAG("nativeccd", SOLVER),
    FLAG("island", SOLVER),
    FLAG("multiccd", SOLVER),
    FLAG("override", REFUSED("override", "each contact has numbers of its own")),
    FLAG("energy", IGNORED("energies are computed when they are asked for")),
    FLAG("fwdinv", IGNORED("a self-check of MuJoCo")),
    FLAG("invdiscrete", IGNORED("no effect on the motion")),
    FLAG("sensornoise", IGNORED("sensors are exact")), // older
    FLAG("sleep", IGNORED("dp:option sleep_speed lets bodies sleep")),
    FLAG("diagexact", SOLVER),
    FLAG("ipc", SOLVER),
    FLAG("speculative", SOLVER),
    END,
};
static const dp_mjcf_element flag_element = ELEMENT("flag", flag_attributes, NULL, USED);
static const dp_mjcf_element *const option_children[] = {&dp_mjcf_include_element, &flag_element,
                                                         NULL};
const dp_mjcf_element dp_mjcf_option_element =
    ELEMENT("option", option_attributes, option_children, USED);

// The names of dp_options_set, which reads the values.
static const dp_mjcf_attribute own_option_attributes[] = {
    TEXT("step", USED),
    TEXT("gravity", USED),
    TEXT("magnetic", USED),
    TEXT("fluid_density", USED),
    TEXT("fluid_viscosity", USED),
    TEXT("wind", USED),
    TEXT("relative_tolerance", USED),
    TEXT("absolute_tolerance", USED),
    TEXT("ode.stiffness", USED),
    TEXT("max_substeps", USED),
    TEXT("large_rotation", USED),
    TEXT("gap_tolerance", USED),
    TEXT("correction_speed", USED),
    TEXT("max_passes", USED),
    TEXT("patch_points", USED),
    TEXT("max_halvings", USED),
    TEXT("accuracy", USED),
    TEXT("sleep_speed", USED),
    TEXT("sleep_time", USED),
    TEXT("contact_stiffness_scale", USED),
    TEXT("contact_friction_scale", USED),
    TEXT("ledger", USED),
    TEXT("disable_gravity", USED),
    TEXT("disable_contact", USED),
    TEXT("disable_limits", USED),
    TEXT("disable_equality", USED),
    TEXT("disable_springs", USED),
    TEXT("disable_dampers", USED),
    TEXT("disable_actuation", USED),
    TEXT("disable_clamp_control", USED),
    TEXT("integrator", USED),
    TEXT("law", USED),
    TEXT("law.tolerance", USED),
    TEXT("law.error_share", USED),
    TEXT("law.max_factorizations", USED),
    TEXT("lcp.directions", USED),
    TEXT("lcp.method", USED),
    TEXT("rigid.stabilisation", USED),
    TEXT("rigid.compliance", USED),
    TEXT("rigid.weights", USED),
    TEXT("vi.friction", USED),
    TEXT("vi.desaxce", USED),
    TEXT("impact.rule", USED),
    TEXT("impact.speed", USED),
    TEXT("friction.slip_speed", USED),
    TEXT("tamsi.slip_turn", USED),
    END,
};
const dp_mjcf_element dp_mjcf_own_option_element =
    ELEMENT("dp:option", own_option_attributes, NULL, USED);

// ---- size, statistic, visual

static const dp_mjcf_attribute size_attributes[] = {
    TEXT("memory", WITHIN),
    INTEGER("njmax", WITHIN),
    INTEGER("nconmax", WITHIN),
    INTEGER("nstack", WITHIN),
    INTEGER("nuserdata", WITHIN),
    INTEGER("nkey", WITHIN),
    INTEGER("nuser_body", WITHIN),
    INTEGER("nuser_jnt", WITHIN),
    INTEGER("nuser_geom", WITHIN),
    INTEGER("nuser_site", WITHIN),
    INTEGER("nuser_cam", WITHIN),
    INTEGER("nuser_tendon", WITHIN),
    INTEGER("nuser_actuator", WITHIN),
    INTEGER("nuser_sensor", WITHIN),
    END,
};
const dp_mjcf_element dp_mjcf_size_element =
    ELEMENT("size", size_attributes, NULL, IGNORED("memory is sized by the model itself"));

static const dp_mjcf_attribute statistic_attributes[] = {
    NUMBER("meaninertia", WITHIN), NUMBER("meanmass", WITHIN),   NUMBER("meansize", WITHIN),
    NUMBER("extent", WITHIN),      NUMBERS("center", 3, WITHIN), END,
};
const dp_mjcf_element dp_mjcf_statistic_element =
    ELEMENT("statistic", statistic_attributes, NULL, LOOKS);

static const dp_mjcf_attribute global_attributes[] = {
    INTEGER("cameraid", WITHIN), SWITCH("orthographic", WITHIN),
    NUMBER("fovy", WITHIN),      NUMBER("ipd", WITHIN),
    NUMBER("azimuth", WITHIN),   NUMBER("elevation", WITHIN),
    NUMBER("linewidth", WITHIN), NUMBER("glow", WITHIN),
    INTEGER("offwidth", WITHIN), INTEGER("offheight", WITHIN),
    NUMBER("realtime", WITHIN),  SWITCH("ellipsoidinertia", WITHIN),
    SWITCH("bvactive", WITHIN),  END,
};
static const dp_mjcf_attribute quality_attributes[] = {
    INTEGER("shadowsize", WITHIN), INTEGER("offsamples", WITHIN), INTEGER("numslices", WITHIN),
    INTEGER("numstacks", WITHIN),  INTEGER("numquads", WITHIN),   END,
};
static const dp_mjcf_attribute headlight_attributes[] = {
    NUMBERS("ambient", 3, WITHIN),
    NUMBERS("diffuse", 3, WITHIN),
    NUMBERS("specular", 3, WITHIN),
    INTEGER("active", WITHIN),
    END,
};
static const dp_mjcf_attribute map_attributes[] = {
    NUMBER("stiffness", WITHIN),      NUMBER("stiffnessrot", WITHIN),
    NUMBER("force", WITHIN),          NUMBER("torque", WITHIN),
    NUMBER("alpha", WITHIN),          NUMBER("fogstart", WITHIN),
    NUMBER("fogend", WITHIN),         NUMBER("znear", WITHIN),
    NUMBER("zfar", WITHIN),           NUMBER("haze", WITHIN),
    NUMBER("shadowclip", WITHIN),     NUMBER("shadowscale", WITHIN),
    NUMBER("actuatortendon", WITHIN), END,
};
static const dp_mjcf_attribute scale_attributes[] = {
    NUMBER("forcewidth", WITHIN),
    NUMBER("contactwidth", WITHIN),
    NUMBER("contactheight", WITHIN),
    NUMBER("connect", WITHIN),
    NUMBER("com", WITHIN),
    NUMBER("camera", WITHIN),
    NUMBER("light", WITHIN),
    NUMBER("selectpoint", WITHIN),
    NUMBER("jointlength", WITHIN),
    NUMBER("jointwidth", WITHIN),
    NUMBER("actuatorlength", WITHIN),
    NUMBER("actuatorwidth", WITHIN),
    NUMBER("framelength", WITHIN),
    NUMBER("framewidth", WITHIN),
    NUMBER("constraint", WITHIN),
    NUMBER("slidercrank", WITHIN),
    NUMBER("frustum", WITHIN),
    END,
};
static const dp_mjcf_attribute visual_rgba_attributes[] = {
    NUMBERS("fog", 4, WITHIN),
    NUMBERS("haze", 4, WITHIN),
    NUMBERS("force", 4, WITHIN),
    NUMBERS("inertia", 4, WITHIN),
    NUMBERS("joint", 4, WITHIN),
    NUMBERS("actuator", 4, WITHIN),
    NUMBERS("actuatornegative", 4, WITHIN),
    NUMBERS("actuatorpositive", 4, WITHIN),
    NUMBERS("com", 4, WITHIN),
    NUMBERS("camera", 4, WITHIN),
    NUMBERS("light", 4, WITHIN),
    NUMBERS("selectpoint", 4, WITHIN),
    NUMBERS("connect", 4, WITHIN),
    NUMBERS("contactpoint", 4, WITHIN),
    NUMBERS("contactforce", 4, WITHIN),
    NUMBERS("contactfriction", 4, WITHIN),
    NUMBERS("contacttorque", 4, WITHIN),
    NUMBERS("contactgap", 4, WITHIN),
    NUMBERS("rangefinder", 4, WITHIN),
    NUMBERS("constraint", 4, WITHIN),
    NUMBERS("slidercrank", 4, WITHIN),
    NUMBERS("crankbroken", 4, WITHIN),
    NUMBERS("frustum", 4, WITHIN),
    NUMBERS("bv", 4, WITHIN),
    NUMBERS("bvactive", 4, WITHIN),
    END,
};
static const dp_mjcf_element global_element = ELEMENT("global", global_attributes, NULL, LOOKS);
static const dp_mjcf_element quality_element = ELEMENT("quality", quality_attributes, NULL, LOOKS);
static const dp_mjcf_element headlight_element =
    ELEMENT("headlight", headlight_attributes, NULL, LOOKS);
static const dp_mjcf_element map_element = ELEMENT("map", map_attributes, NULL, LOOKS);
static const dp_mjcf_element scale_element = ELEMENT("scale", scale_attributes, NULL, LOOKS);
static const dp_mjcf_element visual_rgba_element =
    ELEMENT("rgba", visual_rgba_attributes, NULL, LOOKS);
static const dp_mjcf_element *const visual_children[] = {
    &dp_mjcf_include_element,
    &global_element,
    &quality_element,
    &headlight_element,
    &map_element,
    &scale_element,
    &visual_rgba_element,
    NULL,
};
const dp_mjcf_element dp_mjcf_visual_element = ELEMENT("visual", nothing, visual_children, LOOKS);

// ---- plugins

static const dp_mjcf_attribute config_attributes[] = {REQUIRED("key", WITHIN),
                                                      TEXT("value", WITHIN), END};
static const dp_mjcf_element config_element = ELEMENT("config", config_attributes, NULL, USED);
const dp_mjcf_element *const dp_mjcf_config_only[] = {&dp_mjcf_include_element, &config_element,
                                                      NULL};
static const dp_mjcf_attribute instance_attributes[] = {REQUIRED("name", WITHIN), END};
static const dp_mjcf_element instance_element =
    ELEMENT("instance", instance_attributes, dp_mjcf_config_only, USED);
static const dp_mjcf_element *const instance_only[] = {&dp_mjcf_include_element, &instance_element,
                                                       NULL};
static const dp_mjcf_attribute extension_plugin_attributes[] = {OWN("plugin", WITHIN), END};
static const dp_mjcf_element extension_plugin_element =
    ELEMENT("plugin", extension_plugin_attributes, instance_only,
            IGNORED("plugins are not run; an element that uses one is refused"));
static const dp_mjcf_element *const extension_children[] = {&dp_mjcf_include_element,
                                                            &extension_plugin_element, NULL};
const dp_mjcf_element dp_mjcf_extension_element =
    ELEMENT("extension", nothing, extension_children, USED);

static const dp_mjcf_attribute plugin_attributes[] = {OWN("plugin", WITHIN),
                                                      OWN("instance", WITHIN), END};
const dp_mjcf_element dp_mjcf_plugin_element =
    ELEMENT("plugin", plugin_attributes, dp_mjcf_config_only,
            REFUSED("plugin", "MuJoCo's plugins are not run"));
const dp_mjcf_element *const dp_mjcf_plugin_only[] = {&dp_mjcf_include_element,
                                                      &dp_mjcf_plugin_element, NULL};

// ---- custom, keyframe

static const dp_mjcf_attribute numeric_attributes[] = {
    REQUIRED("name", WITHIN), INTEGER("size", WITHIN), LIST("data", WITHIN), END};
static const dp_mjcf_attribute text_attributes[] = {REQUIRED("name", WITHIN), OWN("data", WITHIN),
                                                    END};
static const dp_mjcf_attribute tuple_attributes[] = {REQUIRED("name", WITHIN), END};
static const dp_mjcf_attribute tuple_element_attributes[] = {
    REQUIRED("objtype", WITHIN), REQUIRED("objname", WITHIN), NUMBER("prm", WITHIN), END};
static const dp_mjcf_element tuple_element_element =
    ELEMENT("element", tuple_element_attributes, NULL, USER);
static const dp_mjcf_element *const tuple_children[] = {&dp_mjcf_include_element,
                                                        &tuple_element_element, NULL};
static const dp_mjcf_element numeric_element = ELEMENT("numeric", numeric_attributes, NULL, USER);
static const dp_mjcf_element text_element = ELEMENT("text", text_attributes, NULL, USER);
static const dp_mjcf_element tuple_element =
    ELEMENT("tuple", tuple_attributes, tuple_children, USER);
static const dp_mjcf_element *const custom_children[] = {&dp_mjcf_include_element, &numeric_element,
                                                         &text_element, &tuple_element, NULL};
const dp_mjcf_element dp_mjcf_custom_element = ELEMENT("custom", nothing, custom_children, USER);

static const dp_mjcf_attribute key_attributes[] = {
    OWN("name", USED),
    NUMBER("time", USED),
    LIST("qpos", USED),
    LIST("qvel", USED),
    LIST("act", USED),
    LIST("ctrl", USED),
    LIST("mpos", USED),
    LIST("mquat", USED),
    LIST("plastic", IGNORED("springs that yield are refused")),
    END,
};
static const dp_mjcf_element key_element = ELEMENT("key", key_attributes, NULL, USED);
static const dp_mjcf_element *const keyframe_children[] = {&dp_mjcf_include_element, &key_element,
                                                           NULL};
const dp_mjcf_element dp_mjcf_keyframe_element =
    ELEMENT("keyframe", nothing, keyframe_children, USED);
