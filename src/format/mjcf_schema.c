// The table itself. Names and types follow the MJCF reference of MuJoCo 3; a comment marks names
// that only older versions know. The verdicts are ours. The order of keywords is used by the
// readers.
#include "format/mjcf_schema.h"

#include <string.h>

// Verdicts
#define USED DP_IMPORT_USED, NULL, NULL
#define IGNORED(why) DP_IMPORT_IGNORED, NULL, why
#define REFUSED(feature, why) DP_IMPORT_REFUSED, feature, why
#define LOOKS IGNORED("looks only")
#define SOLVER IGNORED("a setting of MuJoCo's solver")
#define USER IGNORED("user data")
#define CONTACT IGNORED("matters in contact only, which is not simulated yet")
#define LIMIT IGNORED("matters at joint limits only, which are not simulated yet")
#define FRICTION IGNORED("matters for dry joint friction only, which is not simulated yet")
#define MESH IGNORED("meshes are not read yet; a geom that needs one is refused")
#define WITHIN IGNORED("part of what is refused or ignored") // the element decides
#define SAMPLING REFUSED("delay", "delayed and sampled signals are not simulated")

// Types
#define TEXT(name, ...)                                                                            \
    {                                                                                              \
        name, DP_MJCF_TEXT, 0, 0, NULL, false, false, __VA_ARGS__                                  \
    }
#define NUMBER(name, ...)                                                                          \
    {                                                                                              \
        name, DP_MJCF_NUMBERS, 1, 1, NULL, false, false, __VA_ARGS__                               \
    }
#define NUMBERS(name, n, ...)                                                                      \
    {                                                                                              \
        name, DP_MJCF_NUMBERS, n, n, NULL, false, false, __VA_ARGS__                               \
    }
#define UP_TO(name, n, ...)                                                                        \
    {                                                                                              \
        name, DP_MJCF_NUMBERS, 1, n, NULL, false, false, __VA_ARGS__                               \
    }
#define LIST(name, ...)                                                                            \
    {                                                                                              \
        name, DP_MJCF_NUMBERS, 0, DP_MJCF_ANY, NULL, true, false, __VA_ARGS__                      \
    }
#define INTEGER(name, ...)                                                                         \
    {                                                                                              \
        name, DP_MJCF_INTEGERS, 1, 1, NULL, false, false, __VA_ARGS__                              \
    }
#define INTEGERS(name, n, ...)                                                                     \
    {                                                                                              \
        name, DP_MJCF_INTEGERS, n, n, NULL, false, false, __VA_ARGS__                              \
    }
#define INTEGER_LIST(name, ...)                                                                    \
    {                                                                                              \
        name, DP_MJCF_INTEGERS, 0, DP_MJCF_ANY, NULL, true, false, __VA_ARGS__                     \
    }
#define KEYWORD(name, words, ...)                                                                  \
    {                                                                                              \
        name, DP_MJCF_KEYWORD, 0, 0, words, false, false, __VA_ARGS__                              \
    }
#define KEYWORDS(name, words, ...)                                                                 \
    {                                                                                              \
        name, DP_MJCF_KEYWORDS, 0, 0, words, false, false, __VA_ARGS__                             \
    }
#define SWITCH(name, ...) KEYWORD(name, "false true", __VA_ARGS__)
#define SWITCH_OR_AUTO(name, ...) KEYWORD(name, "false true auto", __VA_ARGS__)
#define FLAG(name, ...) KEYWORD(name, "disable enable", __VA_ARGS__)
#define UNUSUAL_FLAG(name, ...) KEYWORD(name, "enable disable", __VA_ARGS__) // enabled is harmless
// Of one element, never of a default class
#define OWN(name, ...)                                                                             \
    {                                                                                              \
        name, DP_MJCF_TEXT, 0, 0, NULL, true, false, __VA_ARGS__                                   \
    }
#define REQUIRED(name, ...)                                                                        \
    {                                                                                              \
        name, DP_MJCF_TEXT, 0, 0, NULL, true, true, __VA_ARGS__                                    \
    }
#define REQUIRED_KEYWORD(name, words, ...)                                                         \
    {                                                                                              \
        name, DP_MJCF_KEYWORD, 0, 0, words, true, true, __VA_ARGS__                                \
    }
#define REQUIRED_NUMBERS(name, n, ...)                                                             \
    {                                                                                              \
        name, DP_MJCF_NUMBERS, n, n, NULL, true, true, __VA_ARGS__                                 \
    }

// Elements
#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]) - 1) // without the end mark
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }
#define ELEMENT(name, attributes, children, ...)                                                   \
    {                                                                                              \
        name, attributes, COUNT(attributes), children, __VA_ARGS__, false                          \
    }
#define DEFAULT(name, attributes, ...)                                                             \
    {                                                                                              \
        name, attributes, COUNT(attributes), NULL, __VA_ARGS__, true                               \
    }
#define DEFAULT_WITH(name, attributes, children, ...)                                              \
    {                                                                                              \
        name, attributes, COUNT(attributes), children, __VA_ARGS__, true                           \
    }

// Groups of attributes that occur together
#define ORIENTATION(...)                                                                           \
    NUMBERS("quat", 4, __VA_ARGS__), NUMBERS("axisangle", 4, __VA_ARGS__),                         \
        NUMBERS("xyaxes", 6, __VA_ARGS__), NUMBERS("zaxis", 3, __VA_ARGS__),                       \
        NUMBERS("euler", 3, __VA_ARGS__)
#define SOLVER_PARAMETERS(solref, solimp, ...)                                                     \
    UP_TO(solref, 2, __VA_ARGS__), UP_TO(solimp, 5, __VA_ARGS__)
#define SIGNAL                                                                                     \
    INTEGER("nsample", SAMPLING), KEYWORD("interp", "zoh linear cubic", SAMPLING),                 \
        NUMBER("delay", SAMPLING)

static const dp_mjcf_attribute nothing[] = {END};

// ---- include, anywhere

static const dp_mjcf_attribute include_attributes[] = {REQUIRED("file", USED), END};
static const dp_mjcf_element include_element = ELEMENT("include", include_attributes, NULL, USED);

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
    SWITCH("strippath", IGNORED("matters for asset files only, which are not read yet")),
    KEYWORD("coordinate", "local global",
            REFUSED("coordinate", "MuJoCo 3 has local coordinates only")),
    KEYWORD("angle", "radian degree", USED),
    SWITCH("fitaabb", IGNORED("matters for meshes only, which are not read yet")),
    TEXT("eulerseq", USED),
    TEXT("meshdir", IGNORED("matters for asset files only, which are not read yet")),
    TEXT("texturedir", LOOKS),
    SWITCH("discardvisual", IGNORED("no effect on the motion")),
    SWITCH("convexhull", IGNORED("matters for meshes only, which are not read yet")), // older
    SWITCH("usethread", IGNORED("no effect on the result")),
    SWITCH("fusestatic", IGNORED("no effect on the motion: bodies are kept apart")),
    SWITCH_OR_AUTO("inertiafromgeom", USED),
    INTEGERS("inertiagrouprange", 2, USED),
    SWITCH("exactmeshinertia", IGNORED("matters for meshes only, which are not read yet")), // older
    SWITCH("saveinertial", IGNORED("a setting for writing files")),
    TEXT("assetdir", IGNORED("matters for asset files only, which are not read yet")),
    SWITCH("alignfree",
           REFUSED("alignfree", "moving the frames of free bodies to their centres is not done")),
    KEYWORD("conflict", "warning merge error", IGNORED("matters for attached models only")),
    END,
};
static const dp_mjcf_element *const compiler_children[] = {&include_element, &lengthrange_element,
                                                           NULL};
static const dp_mjcf_element compiler_element =
    ELEMENT("compiler", compiler_attributes, compiler_children, USED);

// ---- option

#define FLUID REFUSED("fluid", "forces of air and water are not simulated")

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
    NUMBERS("wind", 3, IGNORED("matters with density or viscosity only")),
    NUMBERS("magnetic", 3, USED),
    NUMBER("density", FLUID),
    NUMBER("viscosity", FLUID),
    NUMBER("o_margin", SOLVER),
    SOLVER_PARAMETERS("o_solref", "o_solimp", SOLVER),
    UP_TO("o_friction", 5, SOLVER),
    KEYWORD("integrator", "Euler RK4 implicit implicitfast", USED),
    KEYWORD("collision", "all predefined dynamic", CONTACT), // older
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
    FLAG("filterparent", CONTACT),
    FLAG("actuation", USED),
    FLAG("refsafe", SOLVER),
    FLAG("sensor", IGNORED("sensors are computed when they are asked for")),
    FLAG("midphase", SOLVER),
    FLAG("eulerdamp", IGNORED("joint dampers are always implicit")),
    FLAG("autoreset", IGNORED("a failed step is an error, never a reset")),
    FLAG("nativeccd", SOLVER),
    FLAG("island", SOLVER),
    FLAG("multiccd", SOLVER),
    FLAG("override", SOLVER),
    FLAG("energy", IGNORED("energies are computed when they are asked for")),
    FLAG("fwdinv", IGNORED("a self-check of MuJoCo")),
    FLAG("invdiscrete", IGNORED("no effect on the motion")),
    FLAG("sensornoise", IGNORED("sensors are exact")), // older
    FLAG("sleep", IGNORED("bodies never sleep")),
    FLAG("diagexact", SOLVER),
    END,
};
static const dp_mjcf_element flag_element = ELEMENT("flag", flag_attributes, NULL, USED);
static const dp_mjcf_element *const option_children[] = {&include_element, &flag_element, NULL};
static const dp_mjcf_element option_element =
    ELEMENT("option", option_attributes, option_children, USED);

static const dp_mjcf_attribute own_option_attributes[] = {
    NUMBER("step", USED),
    KEYWORD("integrator", "semi-implicit rk4 rk45", USED),
    NUMBER("relative_tolerance", USED),
    NUMBER("absolute_tolerance", USED),
    INTEGER("max_substeps", USED),
    NUMBER("large_rotation", USED),
    TEXT("law", REFUSED("law", "contact laws are not simulated yet")),
    NUMBER("accuracy", REFUSED("accuracy", "error control of a law is not simulated yet")),
    END,
};
static const dp_mjcf_element own_option_element =
    ELEMENT("dp:option", own_option_attributes, NULL, USED);

// Expressions in t: their attributes are settled when they are simulated, so anything goes for now.
static const dp_mjcf_element own_force_element =
    ELEMENT("dp:force", nothing, NULL,
            REFUSED("dp:force", "forces given by expressions are not simulated yet"));
static const dp_mjcf_element own_motion_element =
    ELEMENT("dp:motion", nothing, NULL,
            REFUSED("dp:motion", "motions given by expressions are not simulated yet"));

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
static const dp_mjcf_element size_element =
    ELEMENT("size", size_attributes, NULL, IGNORED("memory is sized by the model itself"));

static const dp_mjcf_attribute statistic_attributes[] = {
    NUMBER("meaninertia", WITHIN), NUMBER("meanmass", WITHIN),   NUMBER("meansize", WITHIN),
    NUMBER("extent", WITHIN),      NUMBERS("center", 3, WITHIN), END,
};
static const dp_mjcf_element statistic_element =
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
    &include_element, &global_element, &quality_element,     &headlight_element,
    &map_element,     &scale_element,  &visual_rgba_element, NULL,
};
static const dp_mjcf_element visual_element = ELEMENT("visual", nothing, visual_children, LOOKS);

// ---- plugins

static const dp_mjcf_attribute config_attributes[] = {REQUIRED("key", WITHIN),
                                                      TEXT("value", WITHIN), END};
static const dp_mjcf_element config_element = ELEMENT("config", config_attributes, NULL, USED);
static const dp_mjcf_element *const config_only[] = {&include_element, &config_element, NULL};
static const dp_mjcf_attribute instance_attributes[] = {REQUIRED("name", WITHIN), END};
static const dp_mjcf_element instance_element =
    ELEMENT("instance", instance_attributes, config_only, USED);
static const dp_mjcf_element *const instance_only[] = {&include_element, &instance_element, NULL};
static const dp_mjcf_attribute extension_plugin_attributes[] = {OWN("plugin", WITHIN), END};
static const dp_mjcf_element extension_plugin_element =
    ELEMENT("plugin", extension_plugin_attributes, instance_only,
            IGNORED("plugins are not run; an element that uses one is refused"));
static const dp_mjcf_element *const extension_children[] = {&include_element,
                                                            &extension_plugin_element, NULL};
static const dp_mjcf_element extension_element =
    ELEMENT("extension", nothing, extension_children, USED);

static const dp_mjcf_attribute plugin_attributes[] = {OWN("plugin", WITHIN),
                                                      OWN("instance", WITHIN), END};
static const dp_mjcf_element plugin_element = ELEMENT(
    "plugin", plugin_attributes, config_only, REFUSED("plugin", "MuJoCo's plugins are not run"));
static const dp_mjcf_element *const plugin_only[] = {&include_element, &plugin_element, NULL};

// ---- asset

static const dp_mjcf_attribute mesh_attributes[] = {
    OWN("name", WITHIN),
    OWN("class", WITHIN),
    OWN("content_type", WITHIN),
    OWN("file", WITHIN),
    LIST("vertex", WITHIN),
    LIST("normal", WITHIN),
    LIST("texcoord", WITHIN),
    INTEGER_LIST("face", WITHIN),
    NUMBERS("refpos", 3, WITHIN),
    NUMBERS("refquat", 4, WITHIN),
    NUMBERS("scale", 3, WITHIN),
    SWITCH("smoothnormal", WITHIN),
    INTEGER("maxhullvert", WITHIN),
    KEYWORD("inertia", "convex legacy exact shell", WITHIN),
    KEYWORD("builtin", "none sphere hemisphere cone supertorus supersphere wedge plate", WITHIN),
    LIST("params", WITHIN),
    OWN("material", WITHIN),
    END,
};
static const dp_mjcf_element mesh_element = ELEMENT("mesh", mesh_attributes, plugin_only, MESH);

static const dp_mjcf_attribute hfield_attributes[] = {
    OWN("name", WITHIN),       OWN("content_type", WITHIN),
    OWN("file", WITHIN),       INTEGER("nrow", WITHIN),
    INTEGER("ncol", WITHIN),   REQUIRED_NUMBERS("size", 4, WITHIN),
    LIST("elevation", WITHIN), END,
};
static const dp_mjcf_element hfield_element =
    ELEMENT("hfield", hfield_attributes, NULL,
            IGNORED("height fields are not read yet; a geom that needs one is refused"));

static const dp_mjcf_attribute bone_attributes[] = {
    REQUIRED("body", WITHIN),       NUMBERS("bindpos", 3, WITHIN), NUMBERS("bindquat", 4, WITHIN),
    INTEGER_LIST("vertid", WITHIN), LIST("vertweight", WITHIN),    END,
};
static const dp_mjcf_element bone_element = ELEMENT("bone", bone_attributes, NULL, LOOKS);
static const dp_mjcf_element *const bone_only[] = {&include_element, &bone_element, NULL};
static const dp_mjcf_attribute skin_attributes[] = {
    OWN("name", WITHIN),       OWN("file", WITHIN),
    OWN("material", WITHIN),   NUMBERS("rgba", 4, WITHIN),
    NUMBER("inflate", WITHIN), LIST("vertex", WITHIN),
    LIST("texcoord", WITHIN),  INTEGER_LIST("face", WITHIN),
    INTEGER("group", WITHIN),  END,
};
static const dp_mjcf_element skin_element = ELEMENT("skin", skin_attributes, bone_only, LOOKS);

static const dp_mjcf_attribute texture_attributes[] = {
    OWN("name", WITHIN),
    KEYWORD("type", "2d cube skybox", WITHIN),
    KEYWORD("colorspace", "auto linear sRGB", WITHIN),
    OWN("content_type", WITHIN),
    OWN("file", WITHIN),
    INTEGERS("gridsize", 2, WITHIN),
    OWN("gridlayout", WITHIN),
    OWN("fileright", WITHIN),
    OWN("fileleft", WITHIN),
    OWN("fileup", WITHIN),
    OWN("filedown", WITHIN),
    OWN("filefront", WITHIN),
    OWN("fileback", WITHIN),
    KEYWORD("builtin", "none gradient checker flat", WITHIN),
    NUMBERS("rgb1", 3, WITHIN),
    NUMBERS("rgb2", 3, WITHIN),
    KEYWORD("mark", "none edge cross random", WITHIN),
    NUMBERS("markrgb", 3, WITHIN),
    NUMBER("random", WITHIN),
    INTEGER("width", WITHIN),
    INTEGER("height", WITHIN),
    SWITCH("hflip", WITHIN),
    SWITCH("vflip", WITHIN),
    INTEGER("nchannel", WITHIN),
    END,
};
static const dp_mjcf_element texture_element = ELEMENT("texture", texture_attributes, NULL, LOOKS);

static const dp_mjcf_attribute layer_attributes[] = {OWN("texture", WITHIN),
                                                     REQUIRED("role", WITHIN), END};
static const dp_mjcf_element layer_element = ELEMENT("layer", layer_attributes, NULL, LOOKS);
static const dp_mjcf_element *const layer_only[] = {&include_element, &layer_element, NULL};
static const dp_mjcf_attribute material_attributes[] = {
    OWN("name", WITHIN),
    OWN("class", WITHIN),
    TEXT("texture", WITHIN),
    NUMBERS("texrepeat", 2, WITHIN),
    SWITCH("texuniform", WITHIN),
    NUMBER("emission", WITHIN),
    NUMBER("specular", WITHIN),
    NUMBER("shininess", WITHIN),
    NUMBER("reflectance", WITHIN),
    NUMBER("metallic", WITHIN),
    NUMBER("roughness", WITHIN),
    NUMBERS("rgba", 4, WITHIN),
    END,
};
static const dp_mjcf_element material_element =
    ELEMENT("material", material_attributes, layer_only, LOOKS);

static const dp_mjcf_attribute model_attributes[] = {OWN("name", WITHIN), OWN("file", WITHIN),
                                                     OWN("content_type", WITHIN), END};
static const dp_mjcf_element model_element =
    ELEMENT("model", model_attributes, NULL,
            IGNORED("attached models are not read yet; an <attach> is refused"));

static const dp_mjcf_element *const asset_children[] = {
    &include_element, &mesh_element,     &hfield_element, &skin_element,
    &texture_element, &material_element, &model_element,  NULL,
};
static const dp_mjcf_element asset_element = ELEMENT("asset", nothing, asset_children, USED);

// ---- body and what is in it

static const dp_mjcf_attribute inertial_attributes[] = {
    REQUIRED_NUMBERS("pos", 3, USED),  ORIENTATION(USED),
    REQUIRED_NUMBERS("mass", 1, USED), NUMBERS("diaginertia", 3, USED),
    NUMBERS("fullinertia", 6, USED),   END,
};
static const dp_mjcf_element inertial_element =
    ELEMENT("inertial", inertial_attributes, NULL, USED);

#define ACTUATOR_FORCE                                                                             \
    REFUSED("actuatorfrcrange", "limiting the sum of actuator forces at a joint is not simulated")

static const dp_mjcf_attribute joint_attributes[] = {
    OWN("name", USED),
    OWN("class", USED),
    KEYWORD("type", "free ball slide hinge", USED),
    INTEGER("group", LOOKS),
    NUMBERS("pos", 3, USED),
    NUMBERS("axis", 3, USED),
    NUMBERS("springdamper", 2,
            REFUSED("springdamper", "stiffness and damping from a time constant are not computed")),
    SWITCH_OR_AUTO("limited", USED),
    SWITCH_OR_AUTO("actuatorfrclimited", IGNORED("acts through actuatorfrcrange")),
    SOLVER_PARAMETERS("solreflimit", "solimplimit", LIMIT),
    SOLVER_PARAMETERS("solreffriction", "solimpfriction", FRICTION),
    UP_TO("stiffness", 3, USED),
    NUMBERS("range", 2, USED),
    NUMBERS("actuatorfrcrange", 2, ACTUATOR_FORCE),
    SWITCH("actuatorgravcomp",
           REFUSED("actuatorgravcomp", "gravity compensation by actuators is not simulated")),
    NUMBER("margin", LIMIT),
    NUMBER("ref", USED),
    NUMBER("springref", USED),
    NUMBER("armature", USED),
    UP_TO("damping", 3, USED),
    NUMBER("frictionloss", USED),
    LIST("user", USER),
    NUMBER("dp:stiffness", LIMIT),
    NUMBER("dp:damping", LIMIT),
    END,
};
static const dp_mjcf_element joint_element = ELEMENT("joint", joint_attributes, NULL, USED);

static const dp_mjcf_attribute freejoint_attributes[] = {
    OWN("name", USED),
    INTEGER("group", LOOKS),
    KEYWORD("align", "false true auto",
            REFUSED("alignfree", "moving the frame of a free body to its centre is not done")),
    END,
};
static const dp_mjcf_element freejoint_element =
    ELEMENT("freejoint", freejoint_attributes, NULL, USED);

static const dp_mjcf_attribute geom_attributes[] = {
    OWN("name", USED),
    OWN("class", USED),
    KEYWORD("type", "plane hfield sphere capsule ellipsoid cylinder box mesh sdf", USED),
    INTEGER("contype", USED),
    INTEGER("conaffinity", USED),
    INTEGER("condim", CONTACT),
    INTEGER("group", USED),
    INTEGER("priority", CONTACT),
    UP_TO("size", 3, USED),
    TEXT("material", LOOKS),
    UP_TO("friction", 3, USED),
    NUMBER("mass", USED),
    NUMBER("density", USED),
    SWITCH("shellinertia", REFUSED("shellinertia", "inertias of shells are not computed yet")),
    NUMBER("solmix", CONTACT),
    SOLVER_PARAMETERS("solref", "solimp", CONTACT),
    NUMBER("margin", CONTACT),
    NUMBER("gap", CONTACT),
    UP_TO("surfacevel", 6, CONTACT),
    NUMBER("adhesion", CONTACT),
    NUMBERS("fromto", 6, USED),
    NUMBERS("pos", 3, USED),
    ORIENTATION(USED),
    TEXT("hfield", USED),
    TEXT("mesh", USED),
    NUMBER("fitscale", MESH),
    NUMBERS("rgba", 4, USED),
    KEYWORD("fluidshape", "none ellipsoid", FLUID),
    UP_TO("fluidcoef", 5, IGNORED("acts through fluidshape")),
    LIST("user", USER),
    NUMBER("dp:stiffness", CONTACT),
    NUMBER("dp:damping", CONTACT),
    NUMBER("dp:youngs_modulus", CONTACT),
    NUMBER("dp:poisson", CONTACT),
    NUMBER("dp:dissipation", CONTACT),
    NUMBER("dp:restitution", CONTACT),
    NUMBER("dp:tangential_stiffness", CONTACT),
    INTEGERS("dp:foundation", 2, CONTACT),
    NUMBER("dp:depth", CONTACT),
    NUMBERS("dp:surface_velocity", 3, CONTACT),
    END,
};
static const dp_mjcf_element geom_element = ELEMENT("geom", geom_attributes, plugin_only, USED);

static const dp_mjcf_attribute site_attributes[] = {
    OWN("name", USED),
    OWN("class", USED),
    KEYWORD("type", "plane hfield sphere capsule ellipsoid cylinder box mesh sdf", USED),
    INTEGER("group", USED),
    NUMBERS("pos", 3, USED),
    ORIENTATION(USED),
    TEXT("material", LOOKS),
    UP_TO("size", 3, LOOKS),
    NUMBERS("fromto", 6, USED),
    NUMBERS("rgba", 4, LOOKS),
    LIST("user", USER),
    END,
};
static const dp_mjcf_element site_element = ELEMENT("site", site_attributes, NULL, USED);

#define CAMERA_MODE "fixed track trackcom targetbody targetbodycom"

static const dp_mjcf_attribute camera_attributes[] = {
    OWN("name", WITHIN),
    OWN("class", WITHIN),
    SWITCH("orthographic", WITHIN), // older
    KEYWORD("projection", "perspective orthographic", WITHIN),
    NUMBER("fovy", WITHIN),
    NUMBER("ipd", WITHIN),
    INTEGERS("resolution", 2, WITHIN),
    KEYWORDS("output", "rgb depth distance normal segmentation", WITHIN),
    NUMBERS("pos", 3, WITHIN),
    ORIENTATION(WITHIN),
    KEYWORD("mode", CAMERA_MODE, WITHIN),
    OWN("target", WITHIN),
    NUMBERS("focal", 2, WITHIN),
    NUMBERS("focalpixel", 2, WITHIN),
    NUMBERS("principal", 2, WITHIN),
    NUMBERS("principalpixel", 2, WITHIN),
    NUMBERS("sensorsize", 2, WITHIN),
    LIST("user", WITHIN),
    END,
};
static const dp_mjcf_element camera_element = ELEMENT("camera", camera_attributes, NULL, LOOKS);

static const dp_mjcf_attribute light_attributes[] = {
    OWN("name", WITHIN),
    OWN("class", WITHIN),
    SWITCH("directional", WITHIN),
    KEYWORD("type", "spot directional point image", WITHIN),
    SWITCH("castshadow", WITHIN),
    SWITCH("active", WITHIN),
    NUMBERS("pos", 3, WITHIN),
    NUMBERS("dir", 3, WITHIN),
    NUMBER("bulbradius", WITHIN),
    NUMBER("intensity", WITHIN),
    NUMBER("range", WITHIN),
    NUMBERS("attenuation", 3, WITHIN),
    NUMBER("cutoff", WITHIN),
    NUMBER("softness", WITHIN),
    NUMBER("exponent", WITHIN),
    NUMBERS("ambient", 3, WITHIN),
    NUMBERS("diffuse", 3, WITHIN),
    NUMBERS("specular", 3, WITHIN),
    KEYWORD("mode", CAMERA_MODE, WITHIN),
    OWN("target", WITHIN),
    OWN("texture", WITHIN),
    END,
};
static const dp_mjcf_element light_element = ELEMENT("light", light_attributes, NULL, LOOKS);

static const dp_mjcf_attribute attach_attributes[] = {
    OWN("model", WITHIN), OWN("body", WITHIN), OWN("frame", WITHIN), OWN("prefix", WITHIN), END,
};
static const dp_mjcf_element attach_element =
    ELEMENT("attach", attach_attributes, NULL,
            REFUSED("attach", "attaching other models is not done yet; use <include>"));

// What is refused as a whole is not checked below its own name.
static const dp_mjcf_element composite_element = ELEMENT(
    "composite", nothing, NULL, REFUSED("composite", "composite objects are not simulated"));
static const dp_mjcf_element flexcomp_element =
    ELEMENT("flexcomp", nothing, NULL, REFUSED("flex", "deformable bodies are not simulated"));

static const dp_mjcf_attribute body_attributes[] = {
    OWN("name", USED),
    OWN("childclass", USED),
    NUMBERS("pos", 3, USED),
    ORIENTATION(USED),
    SWITCH("mocap", USED),
    NUMBER("gravcomp", USED),
    KEYWORD("sleep", "auto never allowed init", IGNORED("bodies never sleep")),
    KEYWORD("simple", "false auto", SOLVER),
    LIST("user", USER),
    END,
};
static const dp_mjcf_attribute frame_attributes[] = {
    OWN("name", USED), OWN("childclass", USED), NUMBERS("pos", 3, USED), ORIENTATION(USED), END,
};
static const dp_mjcf_attribute replicate_attributes[] = {
    {"count", DP_MJCF_INTEGERS, 1, 1, NULL, true, true, USED},
    NUMBERS("offset", 3, USED),
    NUMBERS("euler", 3, USED),
    OWN("sep", USED),
    OWN("childclass", USED),
    END,
};
static const dp_mjcf_element body_element, frame_element, replicate_element;
static const dp_mjcf_element *const body_children[] = {
    &include_element,  &body_element,      &frame_element,     &replicate_element,
    &inertial_element, &joint_element,     &freejoint_element, &geom_element,
    &attach_element,   &site_element,      &camera_element,    &light_element,
    &plugin_element,   &composite_element, &flexcomp_element,  NULL,
};
static const dp_mjcf_element *const world_children[] = {
    &include_element,
    &body_element,
    &frame_element,
    &replicate_element,
    &geom_element,
    &attach_element,
    &site_element,
    &camera_element,
    &light_element,
    &plugin_element,
    &composite_element,
    &flexcomp_element,
    NULL,
};
static const dp_mjcf_element body_element = ELEMENT("body", body_attributes, body_children, USED);
static const dp_mjcf_element frame_element =
    ELEMENT("frame", frame_attributes, body_children, USED);
static const dp_mjcf_element replicate_element =
    ELEMENT("replicate", replicate_attributes, body_children, USED);
static const dp_mjcf_element worldbody_element =
    ELEMENT("worldbody", nothing, world_children, USED);

// ---- deformable, contact, tendon, equality
// Pairs and equalities are refused by mjcf_constraint.c, unless they are switched off.

static const dp_mjcf_element flex_element =
    ELEMENT("flex", nothing, NULL, REFUSED("flex", "deformable bodies are not simulated"));
static const dp_mjcf_element *const deformable_children[] = {&include_element, &flex_element,
                                                             &skin_element, NULL};
static const dp_mjcf_element deformable_element =
    ELEMENT("deformable", nothing, deformable_children, USED);

static const dp_mjcf_attribute pair_attributes[] = {
    OWN("name", WITHIN),
    OWN("class", WITHIN),
    OWN("geom1", WITHIN),
    OWN("geom2", WITHIN),
    INTEGER("condim", WITHIN),
    UP_TO("friction", 5, WITHIN),
    SOLVER_PARAMETERS("solref", "solimp", WITHIN),
    UP_TO("solreffriction", 2, WITHIN),
    NUMBER("gap", WITHIN),
    NUMBER("margin", WITHIN),
    NUMBER("adhesion", WITHIN),
    NUMBER("dp:stiffness", WITHIN),
    NUMBER("dp:damping", WITHIN),
    NUMBER("dp:youngs_modulus", WITHIN),
    NUMBER("dp:poisson", WITHIN),
    NUMBER("dp:dissipation", WITHIN),
    NUMBER("dp:restitution", WITHIN),
    NUMBER("dp:tangential_stiffness", WITHIN),
    INTEGERS("dp:foundation", 2, WITHIN),
    NUMBER("dp:depth", WITHIN),
    NUMBERS("dp:surface_velocity", 3, WITHIN),
    END,
};
static const dp_mjcf_element pair_element = ELEMENT("pair", pair_attributes, NULL, USED);
static const dp_mjcf_attribute exclude_attributes[] = {
    OWN("name", WITHIN), REQUIRED("body1", WITHIN), REQUIRED("body2", WITHIN), END};
static const dp_mjcf_element exclude_element =
    ELEMENT("exclude", exclude_attributes, NULL,
            IGNORED("takes away contacts, which are not simulated yet"));
static const dp_mjcf_element *const contact_children[] = {&include_element, &pair_element,
                                                          &exclude_element, NULL};
static const dp_mjcf_element contact_element = ELEMENT("contact", nothing, contact_children, USED);

#define TENDON_ATTRIBUTES                                                                          \
    OWN("name", WITHIN), OWN("class", WITHIN), INTEGER("group", WITHIN),                           \
        SWITCH_OR_AUTO("limited", WITHIN), SWITCH_OR_AUTO("actuatorfrclimited", WITHIN),           \
        NUMBERS("range", 2, WITHIN), NUMBERS("actuatorfrcrange", 2, WITHIN),                       \
        SOLVER_PARAMETERS("solreflimit", "solimplimit", WITHIN),                                   \
        SOLVER_PARAMETERS("solreffriction", "solimpfriction", WITHIN),                             \
        NUMBER("frictionloss", WITHIN), UP_TO("springlength", 2, WITHIN),                          \
        NUMBER("margin", WITHIN), UP_TO("stiffness", 3, WITHIN), UP_TO("damping", 3, WITHIN),      \
        NUMBER("armature", WITHIN), LIST("user", WITHIN)
#define TENDON REFUSED("tendon", "tendons are not simulated yet")

static const dp_mjcf_attribute spatial_attributes[] = {TENDON_ATTRIBUTES, NUMBER("width", WITHIN),
                                                       TEXT("material", WITHIN),
                                                       NUMBERS("rgba", 4, WITHIN), END};
static const dp_mjcf_attribute fixed_attributes[] = {TENDON_ATTRIBUTES, END};
static const dp_mjcf_attribute tendon_site_attributes[] = {REQUIRED("site", WITHIN), END};
static const dp_mjcf_attribute tendon_geom_attributes[] = {REQUIRED("geom", WITHIN),
                                                           OWN("sidesite", WITHIN), END};
static const dp_mjcf_attribute pulley_attributes[] = {NUMBER("divisor", WITHIN), END};
static const dp_mjcf_attribute tendon_joint_attributes[] = {REQUIRED("joint", WITHIN),
                                                            NUMBER("coef", WITHIN), END};
static const dp_mjcf_element tendon_site_element =
    ELEMENT("site", tendon_site_attributes, NULL, USED);
static const dp_mjcf_element tendon_geom_element =
    ELEMENT("geom", tendon_geom_attributes, NULL, USED);
static const dp_mjcf_element pulley_element = ELEMENT("pulley", pulley_attributes, NULL, USED);
static const dp_mjcf_element tendon_joint_element =
    ELEMENT("joint", tendon_joint_attributes, NULL, USED);
static const dp_mjcf_element *const spatial_children[] = {
    &include_element, &tendon_site_element, &tendon_geom_element, &pulley_element, NULL};
static const dp_mjcf_element *const fixed_children[] = {&include_element, &tendon_joint_element,
                                                        NULL};
static const dp_mjcf_element spatial_element =
    ELEMENT("spatial", spatial_attributes, spatial_children, TENDON);
static const dp_mjcf_element fixed_element =
    ELEMENT("fixed", fixed_attributes, fixed_children, TENDON);
static const dp_mjcf_element *const tendon_children[] = {&include_element, &spatial_element,
                                                         &fixed_element, NULL};
static const dp_mjcf_element tendon_element = ELEMENT("tendon", nothing, tendon_children, USED);

#define EQUALITY_ATTRIBUTES                                                                        \
    OWN("name", WITHIN), OWN("class", WITHIN), SWITCH("active", WITHIN),                           \
        SOLVER_PARAMETERS("solref", "solimp", WITHIN), NUMBER("dp:stiffness", WITHIN),             \
        NUMBER("dp:damping", WITHIN)

static const dp_mjcf_attribute connect_attributes[] = {EQUALITY_ATTRIBUTES,
                                                       OWN("body1", WITHIN),
                                                       OWN("body2", WITHIN),
                                                       NUMBERS("anchor", 3, WITHIN),
                                                       OWN("site1", WITHIN),
                                                       OWN("site2", WITHIN),
                                                       END};
static const dp_mjcf_attribute weld_attributes[] = {
    EQUALITY_ATTRIBUTES,           OWN("body1", WITHIN),          OWN("body2", WITHIN),
    NUMBERS("relpose", 7, WITHIN), NUMBERS("anchor", 3, WITHIN),  OWN("site1", WITHIN),
    OWN("site2", WITHIN),          NUMBER("torquescale", WITHIN), END};
static const dp_mjcf_attribute equality_joint_attributes[] = {
    EQUALITY_ATTRIBUTES, REQUIRED("joint1", WITHIN), OWN("joint2", WITHIN),
    UP_TO("polycoef", 5, WITHIN), END};
static const dp_mjcf_attribute equality_tendon_attributes[] = {
    EQUALITY_ATTRIBUTES, REQUIRED("tendon1", WITHIN), OWN("tendon2", WITHIN),
    UP_TO("polycoef", 5, WITHIN), END};
static const dp_mjcf_attribute equality_flex_attributes[] = {
    EQUALITY_ATTRIBUTES, REQUIRED("flex", WITHIN), NUMBERS("cell", 3, WITHIN), END};
static const dp_mjcf_attribute distance_attributes[] = {EQUALITY_ATTRIBUTES, OWN("geom1", WITHIN),
                                                        OWN("geom2", WITHIN),
                                                        NUMBER("distance", WITHIN), END};
static const dp_mjcf_element connect_element = ELEMENT("connect", connect_attributes, NULL, USED);
static const dp_mjcf_element weld_element = ELEMENT("weld", weld_attributes, NULL, USED);
static const dp_mjcf_element equality_joint_element =
    ELEMENT("joint", equality_joint_attributes, NULL, USED);
static const dp_mjcf_element equality_tendon_element =
    ELEMENT("tendon", equality_tendon_attributes, NULL, USED);
static const dp_mjcf_element equality_flex_element =
    ELEMENT("flex", equality_flex_attributes, NULL, USED);
static const dp_mjcf_element flexvert_element =
    ELEMENT("flexvert", equality_flex_attributes, NULL, USED);
static const dp_mjcf_element flexstrain_element =
    ELEMENT("flexstrain", equality_flex_attributes, NULL, USED);
static const dp_mjcf_element distance_element = // older
    ELEMENT("distance", distance_attributes, NULL, USED);
static const dp_mjcf_element *const equality_children[] = {
    &include_element,
    &connect_element,
    &weld_element,
    &equality_joint_element,
    &equality_tendon_element,
    &equality_flex_element,
    &flexvert_element,
    &flexstrain_element,
    &distance_element,
    NULL,
};
static const dp_mjcf_element equality_element =
    ELEMENT("equality", nothing, equality_children, USED);

// ---- actuator

#define ACTUATOR_BASE                                                                              \
    OWN("name", USED), OWN("class", USED), INTEGER("group", LOOKS), SIGNAL,                        \
        NUMBERS("ctrlrange", 2, USED), LIST("user", USER)
#define CONTROL_LIMITED SWITCH_OR_AUTO("ctrllimited", USED)
#define FORCE_LIMITED SWITCH_OR_AUTO("forcelimited", USED), NUMBERS("forcerange", 2, USED)
#define ACTIVATION_LIMITED SWITCH_OR_AUTO("actlimited", USED), NUMBERS("actrange", 2, USED)
#define DRIVE                                                                                      \
    {                                                                                              \
        "lengthrange",                                                                             \
        DP_MJCF_NUMBERS,                                                                           \
        2,                                                                                         \
        2,                                                                                         \
        NULL,                                                                                      \
        true,                                                                                      \
        false,                                                                                     \
        IGNORED("matters for muscles only")},                                                      \
        UP_TO("gear", 6, USED),                                                                    \
        UP_TO("damping", 3,                                                                        \
              REFUSED("actuator-damping", "dampers of actuators are not simulated")),              \
        NUMBER("armature",                                                                         \
               REFUSED("actuator-armature", "armatures of actuators are not simulated")),          \
        NUMBER("cranklength", IGNORED("acts through slidersite"))
#define TRANSMISSION                                                                               \
    OWN("joint", USED), OWN("jointinparent", USED), OWN("tendon", USED), OWN("slidersite", USED),  \
        OWN("cranksite", USED), OWN("site", USED), OWN("refsite", USED)
#define DAMPING_RATIO                                                                              \
    NUMBER("dampratio", REFUSED("dampratio", "damping from a ratio is not computed"))
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
    TEXT("input", REFUSED("actuator-input", "actuators with several inputs are not simulated")),
    NUMBERS("velrange", 2,
            REFUSED("actuator-input", "actuators with several inputs are not simulated")),
    NUMBERS("ffrange", 2,
            REFUSED("actuator-input", "actuators with several inputs are not simulated")),
    KEYWORD("dyntype", "none integrator filter filterexact muscle dcmotor pid user", USED),
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
static const dp_mjcf_element muscle_element =
    ELEMENT("muscle", nothing, NULL, REFUSED("muscle", "muscles are not simulated"));
static const dp_mjcf_element adhesion_element =
    ELEMENT("adhesion", nothing, NULL, REFUSED("adhesion", "adhesion is not simulated"));
static const dp_mjcf_element dcmotor_element =
    ELEMENT("dcmotor", nothing, NULL, REFUSED("dcmotor", "electric motors are not simulated"));
static const dp_mjcf_element pid_element =
    ELEMENT("pid", nothing, NULL, REFUSED("pid", "PID controllers are not simulated"));
static const dp_mjcf_element orientation_element =
    ELEMENT("orientation", nothing, NULL,
            REFUSED("orientation-actuator", "orientation servos are not simulated"));
static const dp_mjcf_element actuator_plugin_element =
    ELEMENT("plugin", nothing, NULL, REFUSED("plugin", "MuJoCo's plugins are not run"));
static const dp_mjcf_element *const actuator_children[] = {
    &include_element,     &general_element,         &motor_element,
    &position_element,    &velocity_element,        &intvelocity_element,
    &damper_element,      &cylinder_element,        &muscle_element,
    &adhesion_element,    &dcmotor_element,         &pid_element,
    &orientation_element, &actuator_plugin_element, NULL,
};
static const dp_mjcf_element actuator_element =
    ELEMENT("actuator", nothing, actuator_children, USED);

// ---- sensor

#define SENSOR_BASE                                                                                \
    OWN("name", USED), SIGNAL, UP_TO("interval", 2, SAMPLING), NUMBER("cutoff", USED),             \
        NUMBER("noise", IGNORED("sensors are exact")), LIST("user", USER)
#define FRAME_KINDS "body xbody geom site camera"

static const dp_mjcf_attribute site_sensor_attributes[] = {SENSOR_BASE, REQUIRED("site", USED),
                                                           END};
static const dp_mjcf_attribute joint_sensor_attributes[] = {SENSOR_BASE, REQUIRED("joint", USED),
                                                            END};
static const dp_mjcf_attribute actuator_sensor_attributes[] = {SENSOR_BASE,
                                                               REQUIRED("actuator", USED), END};
static const dp_mjcf_attribute body_sensor_attributes[] = {SENSOR_BASE, REQUIRED("body", USED),
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
SENSOR(jointpos, "jointpos", joint_sensor_attributes);
SENSOR(jointvel, "jointvel", joint_sensor_attributes);
SENSOR(ballquat, "ballquat", joint_sensor_attributes);
SENSOR(ballangvel, "ballangvel", joint_sensor_attributes);
SENSOR(actuatorpos, "actuatorpos", actuator_sensor_attributes);
SENSOR(actuatorvel, "actuatorvel", actuator_sensor_attributes);
SENSOR(actuatorfrc, "actuatorfrc", actuator_sensor_attributes);
SENSOR(jointactuatorfrc, "jointactuatorfrc", joint_sensor_attributes);
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

#define REFUSED_SENSOR(identifier, name)                                                           \
    static const dp_mjcf_element sensor_##identifier =                                             \
        ELEMENT(name, nothing, NULL, REFUSED("sensor", "this sensor is not simulated"))
REFUSED_SENSOR(touch, "touch");
REFUSED_SENSOR(camprojection, "camprojection");
REFUSED_SENSOR(rangefinder, "rangefinder");
REFUSED_SENSOR(tendonpos, "tendonpos");
REFUSED_SENSOR(tendonvel, "tendonvel");
REFUSED_SENSOR(tendonactuatorfrc, "tendonactuatorfrc");
REFUSED_SENSOR(jointlimitpos, "jointlimitpos");
REFUSED_SENSOR(jointlimitvel, "jointlimitvel");
REFUSED_SENSOR(jointlimitfrc, "jointlimitfrc");
REFUSED_SENSOR(tendonlimitpos, "tendonlimitpos");
REFUSED_SENSOR(tendonlimitvel, "tendonlimitvel");
REFUSED_SENSOR(tendonlimitfrc, "tendonlimitfrc");
REFUSED_SENSOR(insidesite, "insidesite");
REFUSED_SENSOR(distance, "distance");
REFUSED_SENSOR(normal, "normal");
REFUSED_SENSOR(fromto, "fromto");
REFUSED_SENSOR(contact, "contact");
REFUSED_SENSOR(tactile, "tactile");
REFUSED_SENSOR(user, "user");
REFUSED_SENSOR(plugin, "plugin");

static const dp_mjcf_element *const sensor_children[] = {
    &include_element,       &sensor_accelerometer,  &sensor_velocimeter,
    &sensor_gyro,           &sensor_force,          &sensor_torque,
    &sensor_magnetometer,   &sensor_jointpos,       &sensor_jointvel,
    &sensor_ballquat,       &sensor_ballangvel,     &sensor_actuatorpos,
    &sensor_actuatorvel,    &sensor_actuatorfrc,    &sensor_jointactuatorfrc,
    &sensor_framepos,       &sensor_framequat,      &sensor_framexaxis,
    &sensor_frameyaxis,     &sensor_framezaxis,     &sensor_framelinvel,
    &sensor_frameangvel,    &sensor_framelinacc,    &sensor_frameangacc,
    &sensor_subtreecom,     &sensor_subtreelinvel,  &sensor_subtreeangmom,
    &sensor_clock,          &sensor_e_potential,    &sensor_e_kinetic,
    &sensor_touch,          &sensor_camprojection,  &sensor_rangefinder,
    &sensor_tendonpos,      &sensor_tendonvel,      &sensor_tendonactuatorfrc,
    &sensor_jointlimitpos,  &sensor_jointlimitvel,  &sensor_jointlimitfrc,
    &sensor_tendonlimitpos, &sensor_tendonlimitvel, &sensor_tendonlimitfrc,
    &sensor_insidesite,     &sensor_distance,       &sensor_normal,
    &sensor_fromto,         &sensor_contact,        &sensor_tactile,
    &sensor_user,           &sensor_plugin,         NULL,
};
static const dp_mjcf_element sensor_element = ELEMENT("sensor", nothing, sensor_children, USED);

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
static const dp_mjcf_element *const tuple_children[] = {&include_element, &tuple_element_element,
                                                        NULL};
static const dp_mjcf_element numeric_element = ELEMENT("numeric", numeric_attributes, NULL, USER);
static const dp_mjcf_element text_element = ELEMENT("text", text_attributes, NULL, USER);
static const dp_mjcf_element tuple_element =
    ELEMENT("tuple", tuple_attributes, tuple_children, USER);
static const dp_mjcf_element *const custom_children[] = {&include_element, &numeric_element,
                                                         &text_element, &tuple_element, NULL};
static const dp_mjcf_element custom_element = ELEMENT("custom", nothing, custom_children, USER);

static const dp_mjcf_attribute key_attributes[] = {
    OWN("name", USED),  NUMBER("time", USED), LIST("qpos", USED),
    LIST("qvel", USED), LIST("act", USED),    LIST("ctrl", USED),
    LIST("mpos", USED), LIST("mquat", USED),  END,
};
static const dp_mjcf_element key_element = ELEMENT("key", key_attributes, NULL, USED);
static const dp_mjcf_element *const keyframe_children[] = {&include_element, &key_element, NULL};
static const dp_mjcf_element keyframe_element =
    ELEMENT("keyframe", nothing, keyframe_children, USED);

// ---- default

#define ELSEWHERE IGNORED("a default for elements that are ignored or refused where they occur")

static const dp_mjcf_attribute default_equality_attributes[] = {EQUALITY_ATTRIBUTES, END};
static const dp_mjcf_attribute default_attributes[] = {OWN("class", USED), END};
static const dp_mjcf_element default_joint = DEFAULT("joint", joint_attributes, USED);
static const dp_mjcf_element default_geom = DEFAULT("geom", geom_attributes, USED);
static const dp_mjcf_element default_site = DEFAULT("site", site_attributes, USED);
static const dp_mjcf_element default_camera = DEFAULT("camera", camera_attributes, ELSEWHERE);
static const dp_mjcf_element default_light = DEFAULT("light", light_attributes, ELSEWHERE);
static const dp_mjcf_element default_mesh = DEFAULT("mesh", mesh_attributes, ELSEWHERE);
static const dp_mjcf_element default_material =
    DEFAULT_WITH("material", material_attributes, layer_only, ELSEWHERE);
static const dp_mjcf_element default_pair = DEFAULT("pair", pair_attributes, ELSEWHERE);
static const dp_mjcf_element default_equality =
    DEFAULT("equality", default_equality_attributes, ELSEWHERE);
static const dp_mjcf_element default_tendon = DEFAULT("tendon", spatial_attributes, ELSEWHERE);
static const dp_mjcf_element default_general = DEFAULT("general", general_attributes, USED);
static const dp_mjcf_element default_motor = DEFAULT("motor", motor_attributes, USED);
static const dp_mjcf_element default_position = DEFAULT("position", position_attributes, USED);
static const dp_mjcf_element default_velocity = DEFAULT("velocity", velocity_attributes, USED);
static const dp_mjcf_element default_intvelocity =
    DEFAULT("intvelocity", intvelocity_attributes, USED);
static const dp_mjcf_element default_damper = DEFAULT("damper", damper_attributes, USED);
static const dp_mjcf_element default_cylinder = DEFAULT("cylinder", cylinder_attributes, USED);
static const dp_mjcf_element default_muscle = DEFAULT("muscle", nothing, ELSEWHERE);
static const dp_mjcf_element default_adhesion = DEFAULT("adhesion", nothing, ELSEWHERE);
static const dp_mjcf_element default_dcmotor = DEFAULT("dcmotor", nothing, ELSEWHERE);
static const dp_mjcf_element default_pid = DEFAULT("pid", nothing, ELSEWHERE);
static const dp_mjcf_element default_orientation = DEFAULT("orientation", nothing, ELSEWHERE);

static const dp_mjcf_element default_element;
static const dp_mjcf_element *const default_children[] = {
    &include_element,
    &default_element,
    &default_joint,
    &default_geom,
    &default_site,
    &default_camera,
    &default_light,
    &default_mesh,
    &default_material,
    &default_pair,
    &default_equality,
    &default_tendon,
    &default_general,
    &default_motor,
    &default_position,
    &default_velocity,
    &default_intvelocity,
    &default_damper,
    &default_cylinder,
    &default_muscle,
    &default_adhesion,
    &default_dcmotor,
    &default_pid,
    &default_orientation,
    NULL,
};
static const dp_mjcf_element default_element =
    ELEMENT("default", default_attributes, default_children, USED);

// ---- the root

static const dp_mjcf_attribute mujoco_attributes[] = {OWN("model", USED), END};
static const dp_mjcf_element *const mujoco_children[] = {
    &include_element,   &compiler_element,
    &option_element,    &own_option_element,
    &own_force_element, &own_motion_element,
    &size_element,      &statistic_element,
    &visual_element,    &default_element,
    &extension_element, &asset_element,
    &worldbody_element, &deformable_element,
    &contact_element,   &tendon_element,
    &equality_element,  &actuator_element,
    &sensor_element,    &custom_element,
    &keyframe_element,  NULL,
};
const dp_mjcf_element dp_mjcf_root = ELEMENT("mujoco", mujoco_attributes, mujoco_children, USED);

const dp_mjcf_attribute *dp_mjcf_attribute_rule(const dp_mjcf_element *element, const char *name)
{
    for (const dp_mjcf_attribute *rule = element->attribute; rule->name; ++rule) {
        if (strcmp(rule->name, name) == 0) {
            return rule;
        }
    }
    return NULL;
}

const dp_mjcf_element *dp_mjcf_kind_rule(dp_mjcf_kind kind)
{
    static const dp_mjcf_element *const rule[DP_MJCF_KINDS] = {
        [DP_MJCF_JOINT] = &joint_element,
        [DP_MJCF_GEOM] = &geom_element,
        [DP_MJCF_SITE] = &site_element,
    };
    return rule[kind];
}
