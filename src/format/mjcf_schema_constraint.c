// Schema of contact, tendons and equalities.
#include "format/mjcf_words.h"

static const dp_mjcf_attribute nothing[] = {END};

// Pairs and equalities are refused by mjcf_constraint.c, unless they are switched off.

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
static const dp_mjcf_element *const contact_children[] = {&dp_mjcf_include_element, &pair_element,
                                                          &exclude_element, NULL};
const dp_mjcf_element dp_mjcf_contact_element = ELEMENT("contact", nothing, contact_children, USED);

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
    &dp_mjcf_include_element, &tendon_site_element, &tendon_geom_element, &pulley_element, NULL};
static const dp_mjcf_element *const fixed_children[] = {&dp_mjcf_include_element,
                                                        &tendon_joint_element, NULL};
static const dp_mjcf_element spatial_element =
    ELEMENT("spatial", spatial_attributes, spatial_children, TENDON);
static const dp_mjcf_element fixed_element =
    ELEMENT("fixed", fixed_attributes, fixed_children, TENDON);
static const dp_mjcf_element *const tendon_children[] = {&dp_mjcf_include_element, &spatial_element,
                                                         &fixed_element, NULL};
const dp_mjcf_element dp_mjcf_tendon_element = ELEMENT("tendon", nothing, tendon_children, USED);

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
const dp_mjcf_element dp_mjcf_default_pair = DEFAULT("pair", pair_attributes, NULL, ELSEWHERE);
const dp_mjcf_element dp_mjcf_default_equality =
    DEFAULT("equality", default_equality_attributes, NULL, ELSEWHERE);
const dp_mjcf_element dp_mjcf_default_tendon =
    DEFAULT("tendon", spatial_attributes, NULL, ELSEWHERE);
