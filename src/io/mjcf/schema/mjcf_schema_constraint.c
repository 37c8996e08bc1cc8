// Schema of contact, tendons and equalities.
#include "io/mjcf/mjcf_words.h"

static const dp_mjcf_attribute nothing[] = {END};

// ---- contact

static const dp_mjcf_attribute pair_attributes[] = {
    OWN("name", USED),
    OWN("class", USED),
    REQUIRED("geom1", USED),
    REQUIRED("geom2", USED),
    INTEGER("condim", USED),
    UP_TO("friction", 5, USED),
    SOLVER_PARAMETERS("solref", "solimp", USED),
    UP_TO("solreffriction", 2, CREEP),
    NUMBER("gap", SETS_IN),
    NUMBER("margin", USED),
    NUMBER("adhesion", STICKY),
    MATERIAL,
    END,
};
static const dp_mjcf_element pair_element = ELEMENT("pair", pair_attributes, NULL, USED);
static const dp_mjcf_attribute exclude_attributes[] = {OWN("name", USED), REQUIRED("body1", USED),
                                                       REQUIRED("body2", USED), END};
static const dp_mjcf_element exclude_element = ELEMENT("exclude", exclude_attributes, NULL, USED);
static const dp_mjcf_element *const contact_children[] = {&dp_mjcf_include_element, &pair_element,
                                                          &exclude_element, NULL};
const dp_mjcf_element dp_mjcf_contact_element = ELEMENT("contact", nothing, contact_children, USED);

// ---- tendon

#define TENDON_ATTRIBUTES                                                                          \
    OWN("name", USED), OWN("class", USED), INTEGER("group", LOOKS),                                \
        SWITCH_OR_AUTO("limited", USED), SWITCH_OR_AUTO("actuatorfrclimited", USED),               \
        NUMBERS("range", 2, USED), NUMBERS("actuatorfrcrange", 2, USED),                           \
        SOLVER_PARAMETERS("solreflimit", "solimplimit", USED),                                     \
        SOLVER_PARAMETERS("solreffriction", "solimpfriction", CREEP),                              \
        NUMBER("frictionloss", USED), UP_TO("springlength", 2, USED), NUMBER("margin", MARGIN),    \
        UP_TO("stiffness", 3, USED), UP_TO("damping", 3, USED), NUMBER("armature", USED),          \
        NUMBER("springyield", YIELD), LIST("user", USER), BEARING

static const dp_mjcf_attribute spatial_attributes[] = {TENDON_ATTRIBUTES, NUMBER("width", LOOKS),
                                                       TEXT("material", LOOKS),
                                                       NUMBERS("rgba", 4, LOOKS), END};
static const dp_mjcf_attribute fixed_attributes[] = {TENDON_ATTRIBUTES, END};
static const dp_mjcf_attribute tendon_site_attributes[] = {REQUIRED("site", USED), END};
static const dp_mjcf_attribute tendon_geom_attributes[] = {REQUIRED("geom", USED),
                                                           OWN("sidesite", USED), END};
static const dp_mjcf_attribute pulley_attributes[] = {REQUIRED_NUMBERS("divisor", 1, USED), END};
static const dp_mjcf_attribute tendon_joint_attributes[] = {REQUIRED("joint", USED),
                                                            REQUIRED_NUMBERS("coef", 1, USED), END};
static const dp_mjcf_element tendon_site_element =
    ELEMENT("site", tendon_site_attributes, NULL, USED);
static const dp_mjcf_element tendon_geom_element =
    ELEMENT("geom", tendon_geom_attributes, NULL, USED);
static const dp_mjcf_element pulley_element = ELEMENT("pulley", pulley_attributes, NULL, USED);
static const dp_mjcf_element tendon_joint_element =
    ELEMENT("joint", tendon_joint_attributes, NULL, USED);
static const dp_mjcf_element *const spatial_children[] = {
    &dp_mjcf_include_element, &tendon_site_element, &tendon_geom_element, &pulley_element, NULL};
static const dp_mjcf_element *const fixed_children[] = {&dp_mjcf_include_element,
                                                        &tendon_joint_element, NULL};
static const dp_mjcf_element spatial_element =
    ELEMENT("spatial", spatial_attributes, spatial_children, USED);
static const dp_mjcf_element fixed_element =
    ELEMENT("fixed", fixed_attributes, fixed_children, USED);
static const dp_mjcf_element *const tendon_children[] = {&dp_mjcf_include_element, &spatial_element,
                                                         &fixed_element, NULL};
const dp_mjcf_element dp_mjcf_tendon_element = ELEMENT("tendon", nothing, tendon_children, USED);

// ---- equality

#define EQUALITY_ATTRIBUTES                                                                        \
    OWN("name", USED), OWN("class", USED), SWITCH("active", USED),                                 \
        SOLVER_PARAMETERS("solref", "solimp", USED), BEARING

static const dp_mjcf_attribute connect_attributes[] = {EQUALITY_ATTRIBUTES,
                                                       OWN("body1", USED),
                                                       OWN("body2", USED),
                                                       NUMBERS("anchor", 3, USED),
                                                       OWN("site1", USED),
                                                       OWN("site2", USED),
                                                       END};
static const dp_mjcf_attribute weld_attributes[] = {
    EQUALITY_ATTRIBUTES,         OWN("body1", USED),          OWN("body2", USED),
    NUMBERS("relpose", 7, USED), NUMBERS("anchor", 3, USED),  OWN("site1", USED),
    OWN("site2", USED),          NUMBER("torquescale", USED), END,
};
static const dp_mjcf_attribute equality_joint_attributes[] = {
    EQUALITY_ATTRIBUTES, REQUIRED("joint1", USED), OWN("joint2", USED), UP_TO("polycoef", 5, USED),
    END};
static const dp_mjcf_attribute equality_tendon_attributes[] = {
    EQUALITY_ATTRIBUTES, REQUIRED("tendon1", USED), OWN("tendon2", USED),
    UP_TO("polycoef", 5, USED), END};
static const dp_mjcf_attribute equality_flex_attributes[] = {
    EQUALITY_ATTRIBUTES, REQUIRED("flex", WITHIN), NUMBERS("cell", 3, WITHIN), END};
static const dp_mjcf_attribute distance_attributes[] = {EQUALITY_ATTRIBUTES, OWN("geom1", WITHIN),
                                                        OWN("geom2", WITHIN),
                                                        NUMBER("distance", WITHIN), END};
// Ours: two points at a distance, a point on a plane
static const dp_mjcf_attribute own_distance_attributes[] = {
    EQUALITY_ATTRIBUTES,         OWN("body1", USED),          OWN("body2", USED),
    NUMBERS("anchor1", 3, USED), NUMBERS("anchor2", 3, USED), OWN("site1", USED),
    OWN("site2", USED),          NUMBER("distance", USED),    END};
static const dp_mjcf_attribute own_plane_attributes[] = {
    EQUALITY_ATTRIBUTES,        OWN("body1", USED),      OWN("body2", USED),
    NUMBERS("anchor", 3, USED), NUMBERS("pos", 3, USED), ORIENTATION(USED),
    OWN("site1", USED),         OWN("site2", USED),      END};
static const dp_mjcf_element connect_element = ELEMENT("connect", connect_attributes, NULL, USED);
static const dp_mjcf_element weld_element = ELEMENT("weld", weld_attributes, NULL, USED);
static const dp_mjcf_element equality_joint_element =
    ELEMENT("joint", equality_joint_attributes, NULL, USED);
static const dp_mjcf_element equality_tendon_element =
    ELEMENT("tendon", equality_tendon_attributes, NULL, USED);
static const dp_mjcf_element equality_flex_element =
    ELEMENT("flex", equality_flex_attributes, NULL, FLEX);
static const dp_mjcf_element flexvert_element =
    ELEMENT("flexvert", equality_flex_attributes, NULL, FLEX);
static const dp_mjcf_element flexstrain_element =
    ELEMENT("flexstrain", equality_flex_attributes, NULL, FLEX);
static const dp_mjcf_element distance_element = // older
    ELEMENT("distance", distance_attributes, NULL,
            REFUSED("geom-distance", "MuJoCo has given up holding geoms at a distance"));
static const dp_mjcf_element own_distance_element =
    ELEMENT("dp:distance", own_distance_attributes, NULL, USED);
static const dp_mjcf_element own_plane_element =
    ELEMENT("dp:plane", own_plane_attributes, NULL, USED);
static const dp_mjcf_element *const equality_children[] = {
    &dp_mjcf_include_element, &connect_element,       &weld_element,      &equality_joint_element,
    &equality_tendon_element, &equality_flex_element, &flexvert_element,  &flexstrain_element,
    &distance_element,        &own_distance_element,  &own_plane_element, NULL,
};
const dp_mjcf_element dp_mjcf_equality_element =
    ELEMENT("equality", nothing, equality_children, USED);

// ---- defaults

static const dp_mjcf_attribute default_equality_attributes[] = {EQUALITY_ATTRIBUTES, END};
const dp_mjcf_element dp_mjcf_default_pair = DEFAULT("pair", pair_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_equality =
    DEFAULT("equality", default_equality_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_tendon = DEFAULT("tendon", spatial_attributes, NULL, USED);
