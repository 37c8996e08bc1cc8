// Schema of contact, tendons and equalities. They go into the spec, which refuses what it cannot
// simulate when it is compiled; the readers enter that into the report.
#include "format/mjcf_words.h"

static const dp_mjcf_attribute nothing[] = {END};

// ---- contact

static const dp_mjcf_attribute pair_attributes[] = {
    OWN("name", USED),
    OWN("class", USED),
    REQUIRED("geom1", CONTACT),
    REQUIRED("geom2", CONTACT),
    INTEGER("condim", CONTACT),
    UP_TO("friction", 5, CONTACT),
    SOLVER_PARAMETERS("solref", "solimp", CONTACT),
    UP_TO("solreffriction", 2, CONTACT),
    NUMBER("gap", CONTACT),
    NUMBER("margin", CONTACT),
    NUMBER("adhesion", CONTACT),
    MATERIAL,
    END,
};
static const dp_mjcf_element pair_element = ELEMENT("pair", pair_attributes, NULL, USED);
static const dp_mjcf_attribute exclude_attributes[] = {
    OWN("name", USED), REQUIRED("body1", CONTACT), REQUIRED("body2", CONTACT), END};
static const dp_mjcf_element exclude_element = ELEMENT("exclude", exclude_attributes, NULL, USED);
static const dp_mjcf_element *const contact_children[] = {&dp_mjcf_include_element, &pair_element,
                                                          &exclude_element, NULL};
const dp_mjcf_element dp_mjcf_contact_element = ELEMENT("contact", nothing, contact_children, USED);

// ---- tendon

#define TENDON_ATTRIBUTES                                                                          \
    OWN("name", USED), OWN("class", USED), INTEGER("group", LOOKS),                                \
        SWITCH_OR_AUTO("limited", TENDON), SWITCH_OR_AUTO("actuatorfrclimited", TENDON),           \
        NUMBERS("range", 2, TENDON), NUMBERS("actuatorfrcrange", 2, TENDON),                       \
        SOLVER_PARAMETERS("solreflimit", "solimplimit", TENDON),                                   \
        SOLVER_PARAMETERS("solreffriction", "solimpfriction", TENDON),                             \
        NUMBER("frictionloss", TENDON), UP_TO("springlength", 2, TENDON),                          \
        NUMBER("margin", TENDON), UP_TO("stiffness", 3, TENDON), UP_TO("damping", 3, TENDON),      \
        NUMBER("armature", TENDON), NUMBER("springyield", YIELD), LIST("user", USER)

static const dp_mjcf_attribute spatial_attributes[] = {TENDON_ATTRIBUTES, NUMBER("width", LOOKS),
                                                       TEXT("material", LOOKS),
                                                       NUMBERS("rgba", 4, LOOKS), END};
static const dp_mjcf_attribute fixed_attributes[] = {TENDON_ATTRIBUTES, END};
static const dp_mjcf_attribute tendon_site_attributes[] = {REQUIRED("site", TENDON), END};
static const dp_mjcf_attribute tendon_geom_attributes[] = {REQUIRED("geom", TENDON),
                                                           OWN("sidesite", TENDON), END};
static const dp_mjcf_attribute pulley_attributes[] = {REQUIRED_NUMBERS("divisor", 1, TENDON), END};
static const dp_mjcf_attribute tendon_joint_attributes[] = {
    REQUIRED("joint", TENDON), REQUIRED_NUMBERS("coef", 1, TENDON), END};
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
        SOLVER_PARAMETERS("solref", "solimp", EQUALITY), NUMBER("dp:stiffness", EQUALITY),         \
        NUMBER("dp:damping", EQUALITY)

static const dp_mjcf_attribute connect_attributes[] = {EQUALITY_ATTRIBUTES,
                                                       OWN("body1", EQUALITY),
                                                       OWN("body2", EQUALITY),
                                                       NUMBERS("anchor", 3, EQUALITY),
                                                       OWN("site1", EQUALITY),
                                                       OWN("site2", EQUALITY),
                                                       END};
static const dp_mjcf_attribute weld_attributes[] = {
    EQUALITY_ATTRIBUTES,
    OWN("body1", EQUALITY),
    OWN("body2", EQUALITY),
    NUMBERS("relpose", 7, EQUALITY),
    NUMBERS("anchor", 3, EQUALITY),
    OWN("site1", EQUALITY),
    OWN("site2", EQUALITY),
    NUMBER("torquescale", EQUALITY),
    END,
};
static const dp_mjcf_attribute equality_joint_attributes[] = {
    EQUALITY_ATTRIBUTES, REQUIRED("joint1", EQUALITY), OWN("joint2", EQUALITY),
    UP_TO("polycoef", 5, EQUALITY), END};
static const dp_mjcf_attribute equality_tendon_attributes[] = {
    EQUALITY_ATTRIBUTES, REQUIRED("tendon1", EQUALITY), OWN("tendon2", EQUALITY),
    UP_TO("polycoef", 5, EQUALITY), END};
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
    ELEMENT("flex", equality_flex_attributes, NULL, FLEX);
static const dp_mjcf_element flexvert_element =
    ELEMENT("flexvert", equality_flex_attributes, NULL, FLEX);
static const dp_mjcf_element flexstrain_element =
    ELEMENT("flexstrain", equality_flex_attributes, NULL, FLEX);
static const dp_mjcf_element distance_element = // older
    ELEMENT("distance", distance_attributes, NULL,
            REFUSED("equality", "MuJoCo has given up holding geoms at a distance"));
static const dp_mjcf_element *const equality_children[] = {
    &dp_mjcf_include_element,
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
const dp_mjcf_element dp_mjcf_equality_element =
    ELEMENT("equality", nothing, equality_children, USED);

// ---- defaults

static const dp_mjcf_attribute default_equality_attributes[] = {EQUALITY_ATTRIBUTES, END};
const dp_mjcf_element dp_mjcf_default_pair = DEFAULT("pair", pair_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_equality =
    DEFAULT("equality", default_equality_attributes, NULL, USED);
const dp_mjcf_element dp_mjcf_default_tendon = DEFAULT("tendon", spatial_attributes, NULL, USED);
