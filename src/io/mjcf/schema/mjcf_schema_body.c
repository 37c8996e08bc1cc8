// Schema of bodies and what is in them.
#include "io/mjcf/mjcf_words.h"

static const dp_mjcf_attribute nothing[] = {END};

static const dp_mjcf_attribute inertial_attributes[] = {
    REQUIRED_NUMBERS("pos", 3, USED),  ORIENTATION(USED),
    REQUIRED_NUMBERS("mass", 1, USED), NUMBERS("diaginertia", 3, USED),
    NUMBERS("fullinertia", 6, USED),   END,
};
static const dp_mjcf_element inertial_element =
    ELEMENT("inertial", inertial_attributes, NULL, USED);

static const dp_mjcf_attribute joint_attributes[] = {
    OWN("name", USED),
    OWN("class", USED),
    KEYWORD("type", "free ball slide hinge", USED),
    INTEGER("group", LOOKS),
    NUMBERS("pos", 3, USED),
    NUMBERS("axis", 3, USED),
    NUMBERS("springdamper", 2, USED),
    SWITCH_OR_AUTO("limited", USED),
    SWITCH_OR_AUTO("actuatorfrclimited", USED),
    SOLVER_PARAMETERS("solreflimit", "solimplimit", USED),
    SOLVER_PARAMETERS("solreffriction", "solimpfriction", CREEP),
    UP_TO("stiffness", 3, USED),
    NUMBERS("range", 2, USED),
    NUMBERS("actuatorfrcrange", 2, USED),
    SWITCH("actuatorgravcomp", USED),
    NUMBER("margin", MARGIN),
    NUMBER("ref", USED),
    NUMBER("springref", USED),
    NUMBER("springyield", YIELD),
    NUMBER("armature", USED),
    UP_TO("damping", 3, USED),
    NUMBER("frictionloss", USED),
    LIST("user", USER),
    BEARING,
    END,
};
const dp_mjcf_element dp_mjcf_joint_element = ELEMENT("joint", joint_attributes, NULL, USED);

static const dp_mjcf_attribute freejoint_attributes[] = {
    OWN("name", USED),
    INTEGER("group", LOOKS),
    KEYWORD("align", "false true auto", USED),
    END,
};
static const dp_mjcf_element freejoint_element =
    ELEMENT("freejoint", freejoint_attributes, NULL, USED);

static const dp_mjcf_attribute geom_attributes[] = {
    OWN("name", USED),
    OWN("class", USED),
    KEYWORD("type", SHAPES, USED),
    INTEGER("contype", USED),
    INTEGER("conaffinity", USED),
    INTEGER("condim", USED),
    INTEGER("group", USED),
    INTEGER("priority", USED),
    UP_TO("size", 3, USED),
    TEXT("material", LOOKS),
    UP_TO("friction", 3, USED),
    NUMBER("mass", USED),
    NUMBER("density", USED),
    SWITCH("shellinertia", USED),
    NUMBER("solmix", USED),
    SOLVER_PARAMETERS("solref", "solimp", USED),
    NUMBER("margin", USED),
    NUMBER("gap", SETS_IN),
    UP_TO("surfacevel", 6, USED),
    NUMBER("adhesion", STICKY),
    NUMBERS("fromto", 6, USED),
    NUMBERS("pos", 3, USED),
    ORIENTATION(USED),
    TEXT("hfield", USED),
    TEXT("mesh", USED),
    NUMBER("fitscale", USED),
    NUMBERS("rgba", 4, USED),
    SWITCH("castshadow", LOOKS),
    KEYWORD("fluidshape", "none ellipsoid", USED),
    UP_TO("fluidcoef", 5, USED),
    LIST("user", USER),
    MATERIAL,
    NUMBERS("dp:surface_velocity", 3, USED),
    NUMBER("dp:depth", USED),
    INTEGERS("dp:foundation", 2, USED),
    KEYWORD("dp:foundation_face", FACES, USED),
    KEYWORD("dp:mesh_contact", "auto hull triangles", USED),
    END,
};
const dp_mjcf_element dp_mjcf_geom_element =
    ELEMENT("geom", geom_attributes, dp_mjcf_plugin_only, USED);

static const dp_mjcf_attribute site_attributes[] = {
    OWN("name", USED),
    OWN("class", USED),
    KEYWORD("type", SHAPES, USED),
    INTEGER("group", USED),
    NUMBERS("pos", 3, USED),
    ORIENTATION(USED),
    TEXT("material", LOOKS),
    UP_TO("size", 3, USED),
    NUMBERS("fromto", 6, USED),
    NUMBERS("rgba", 4, LOOKS),
    TEXT("mesh", LOOKS),
    LIST("user", USER),
    END,
};
const dp_mjcf_element dp_mjcf_site_element = ELEMENT("site", site_attributes, NULL, USED);

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
    OWN("model", USED),
    OWN("body", USED),
    OWN("frame", REFUSED("attach", "attaching a frame of a model is not done; attach a body")),
    OWN("prefix", USED),
    END,
};
static const dp_mjcf_element attach_element = ELEMENT("attach", attach_attributes, NULL, USED);

static const dp_mjcf_attribute body_attributes[] = {
    OWN("name", USED),
    OWN("childclass", USED),
    NUMBERS("pos", 3, USED),
    ORIENTATION(USED),
    SWITCH("mocap", USED),
    NUMBER("gravcomp", USED),
    KEYWORD("sleep", "auto never allowed init", IGNORED("dp:option sleep_speed lets bodies sleep")),
    KEYWORD("simple", "false auto", SOLVER),
    KEYWORD("fuse", "false auto", IGNORED("no effect on the motion: bodies are kept apart")),
    LIST("user", USER),
    END,
};
static const dp_mjcf_attribute frame_attributes[] = {
    OWN("name", USED),
    OWN("childclass", USED),
    NUMBERS("pos", 3, USED),
    ORIENTATION(USED),
    UP_TO("scale", 3, REFUSED("framescale", "scaling what is in a frame is not done")),
    KEYWORD("scaling", "similar geometry", IGNORED("acts through scale")),
    NUMBER("massscale", REFUSED("framescale", "scaling what is in a frame is not done")),
    END,
};
static const dp_mjcf_attribute replicate_attributes[] = {
    REQUIRED_INTEGER("count", USED), NUMBERS("offset", 3, USED),
    NUMBERS("euler", 3, USED),       OWN("sep", USED),
    OWN("childclass", USED),         END,
};
static const dp_mjcf_element body_element, replicate_element;
static const dp_mjcf_element *const body_children[] = {
    &dp_mjcf_include_element,  &body_element,
    &dp_mjcf_frame_element,    &replicate_element,
    &inertial_element,         &dp_mjcf_joint_element,
    &freejoint_element,        &dp_mjcf_geom_element,
    &attach_element,           &dp_mjcf_site_element,
    &camera_element,           &light_element,
    &dp_mjcf_plugin_element,   &dp_mjcf_composite_element,
    &dp_mjcf_flexcomp_element, NULL,
};
static const dp_mjcf_element *const world_children[] = {
    &dp_mjcf_include_element,
    &body_element,
    &dp_mjcf_frame_element,
    &replicate_element,
    &dp_mjcf_geom_element,
    &attach_element,
    &dp_mjcf_site_element,
    &camera_element,
    &light_element,
    &dp_mjcf_plugin_element,
    &dp_mjcf_composite_element,
    &dp_mjcf_flexcomp_element,
    NULL,
};
static const dp_mjcf_element body_element = ELEMENT("body", body_attributes, body_children, USED);
const dp_mjcf_element dp_mjcf_stray_body_element =
    ELEMENT("body", body_attributes, body_children,
            REFUSED("fragment", "a body outside of <worldbody> is part of no model; this file may "
                                "be meant for <include> in one"));
const dp_mjcf_element dp_mjcf_frame_element =
    ELEMENT("frame", frame_attributes, body_children, USED);
static const dp_mjcf_element replicate_element =
    ELEMENT("replicate", replicate_attributes, body_children, USED);
const dp_mjcf_element dp_mjcf_worldbody_element =
    ELEMENT("worldbody", nothing, world_children, USED);

// ---- defaults

const dp_mjcf_element dp_mjcf_default_joint = DEFAULT("joint", joint_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_geom = DEFAULT("geom", geom_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_site = DEFAULT("site", site_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_camera =
    DEFAULT("camera", camera_attributes, NULL, ELSEWHERE);
const dp_mjcf_element dp_mjcf_default_light = DEFAULT("light", light_attributes, NULL, ELSEWHERE);
