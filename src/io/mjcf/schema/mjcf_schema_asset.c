// Schema of <asset>.
#include "io/mjcf/mjcf_words.h"

static const dp_mjcf_attribute nothing[] = {END};

static const dp_mjcf_attribute mesh_attributes[] = {
    OWN("name", USED),
    OWN("class", USED),
    OWN("content_type", USED),
    OWN("file", USED),
    LIST("vertex", USED),
    LIST("normal", LOOKS),
    LIST("texcoord", LOOKS),
    INTEGER_LIST("face", USED),
    NUMBERS("refpos", 3, USED),
    NUMBERS("refquat", 4, USED),
    NUMBERS("scale", 3, USED),
    SWITCH("smoothnormal", LOOKS),
    INTEGER("maxhullvert", USED),
    KEYWORD("inertia", "convex legacy exact shell", USED),
    KEYWORD("builtin", "none sphere hemisphere cone supertorus supersphere wedge plate", USED),
    LIST("params", IGNORED("acts through builtin")),
    OWN("material", LOOKS),
    END,
};
static const dp_mjcf_element mesh_element =
    ELEMENT("mesh", mesh_attributes, dp_mjcf_plugin_only, USED);

static const dp_mjcf_attribute hfield_attributes[] = {
    OWN("name", USED),       OWN("content_type", USED),
    OWN("file", USED),       INTEGER("nrow", USED),
    INTEGER("ncol", USED),   REQUIRED_NUMBERS("size", 4, USED),
    LIST("elevation", USED), END,
};
static const dp_mjcf_element hfield_element = ELEMENT("hfield", hfield_attributes, NULL, USED);

static const dp_mjcf_attribute bone_attributes[] = {
    REQUIRED("body", WITHIN),       NUMBERS("bindpos", 3, WITHIN), NUMBERS("bindquat", 4, WITHIN),
    INTEGER_LIST("vertid", WITHIN), LIST("vertweight", WITHIN),    END,
};
static const dp_mjcf_element bone_element = ELEMENT("bone", bone_attributes, NULL, LOOKS);
static const dp_mjcf_element *const bone_only[] = {&dp_mjcf_include_element, &bone_element, NULL};
static const dp_mjcf_attribute skin_attributes[] = {
    OWN("name", WITHIN),       OWN("file", WITHIN),
    OWN("material", WITHIN),   NUMBERS("rgba", 4, WITHIN),
    NUMBER("inflate", WITHIN), LIST("vertex", WITHIN),
    LIST("texcoord", WITHIN),  INTEGER_LIST("face", WITHIN),
    INTEGER("group", WITHIN),  END,
};
const dp_mjcf_element dp_mjcf_skin_element = ELEMENT("skin", skin_attributes, bone_only, LOOKS);

static const dp_mjcf_attribute texture_attributes[] = {
    OWN("name", WITHIN),
    OWN("class", WITHIN),
    SWITCH_OR_AUTO("embed", WITHIN),
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
static const dp_mjcf_element *const layer_only[] = {&dp_mjcf_include_element, &layer_element, NULL};
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

static const dp_mjcf_attribute model_attributes[] = {
    OWN("name", USED), REQUIRED("file", USED),
    OWN("content_type", IGNORED("attached models are MJCF files")), END};
static const dp_mjcf_element model_element = ELEMENT("model", model_attributes, NULL, USED);

static const dp_mjcf_element *const asset_children[] = {
    &dp_mjcf_include_element, &mesh_element,     &hfield_element, &dp_mjcf_skin_element,
    &texture_element,         &material_element, &model_element,  NULL,
};
const dp_mjcf_element dp_mjcf_asset_element = ELEMENT("asset", nothing, asset_children, USED);

// ---- defaults

const dp_mjcf_element dp_mjcf_default_mesh = DEFAULT("mesh", mesh_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_texture =
    DEFAULT("texture", texture_attributes, NULL, ELSEWHERE);
const dp_mjcf_element dp_mjcf_default_material =
    DEFAULT("material", material_attributes, layer_only, ELSEWHERE);
