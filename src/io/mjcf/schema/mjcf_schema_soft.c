// Schema of composite and deformable objects: known, and refused as a whole.
#include "io/mjcf/mjcf_words.h"

static const dp_mjcf_attribute nothing[] = {END};

#define SOFT_CONTACT                                                                               \
    INTEGER("contype", WITHIN), INTEGER("conaffinity", WITHIN), INTEGER("condim", WITHIN),         \
        INTEGER("priority", WITHIN), UP_TO("friction", 3, WITHIN), NUMBER("solmix", WITHIN),       \
        SOLVER_PARAMETERS("solref", "solimp", WITHIN), NUMBER("margin", WITHIN),                   \
        NUMBER("gap", WITHIN)

static const dp_mjcf_attribute composite_attributes[] = {
    OWN("prefix", WITHIN),
    KEYWORD("type", "particle grid rope loop cable cloth box cylinder ellipsoid", WITHIN),
    {"count", DP_MJCF_INTEGERS, 1, 3, NULL, true, false, WITHIN},
    NUMBERS("offset", 3, WITHIN),
    LIST("vertex", WITHIN),
    OWN("initial", WITHIN),
    OWN("curve", WITHIN),
    UP_TO("size", 3, WITHIN),
    NUMBERS("quat", 4, WITHIN),
    NUMBER("spacing", WITHIN), // older, as all below
    NUMBER("flatinertia", WITHIN),
    SOLVER_PARAMETERS("solrefsmooth", "solimpsmooth", WITHIN),
    END,
};
static const dp_mjcf_attribute composite_joint_attributes[] = {
    OWN("kind", WITHIN),
    INTEGER("group", WITHIN),
    NUMBER("stiffness", WITHIN),
    NUMBER("damping", WITHIN),
    NUMBER("armature", WITHIN),
    SOLVER_PARAMETERS("solreffix", "solimpfix", WITHIN),
    KEYWORD("type", "free ball slide hinge", WITHIN),
    NUMBERS("axis", 3, WITHIN),
    SWITCH_OR_AUTO("limited", WITHIN),
    NUMBERS("range", 2, WITHIN),
    NUMBER("margin", WITHIN),
    SOLVER_PARAMETERS("solreflimit", "solimplimit", WITHIN),
    NUMBER("frictionloss", WITHIN),
    SOLVER_PARAMETERS("solreffriction", "solimpfriction", WITHIN),
    END,
};
static const dp_mjcf_attribute composite_tendon_attributes[] = {
    // older
    OWN("kind", WITHIN),
    INTEGER("group", WITHIN),
    NUMBER("stiffness", WITHIN),
    NUMBER("damping", WITHIN),
    NUMBER("width", WITHIN),
    OWN("material", WITHIN),
    NUMBERS("rgba", 4, WITHIN),
    SOLVER_PARAMETERS("solreffix", "solimpfix", WITHIN),
    SWITCH_OR_AUTO("limited", WITHIN),
    NUMBERS("range", 2, WITHIN),
    NUMBER("margin", WITHIN),
    SOLVER_PARAMETERS("solreflimit", "solimplimit", WITHIN),
    NUMBER("frictionloss", WITHIN),
    SOLVER_PARAMETERS("solreffriction", "solimpfriction", WITHIN),
    END,
};
static const dp_mjcf_attribute composite_skin_attributes[] = {
    SWITCH("texcoord", WITHIN),
    OWN("material", WITHIN),
    INTEGER("group", WITHIN),
    NUMBERS("rgba", 4, WITHIN),
    NUMBER("inflate", WITHIN),
    INTEGER("subgrid", WITHIN),
    END,
};
static const dp_mjcf_attribute composite_geom_attributes[] = {
    KEYWORD("type", SHAPES, WITHIN),
    SOFT_CONTACT,
    INTEGER("group", WITHIN),
    UP_TO("size", 3, WITHIN),
    OWN("material", WITHIN),
    NUMBERS("rgba", 4, WITHIN),
    NUMBER("mass", WITHIN),
    NUMBER("density", WITHIN),
    UP_TO("surfacevel", 6, WITHIN),
    NUMBER("adhesion", WITHIN),
    END,
};
static const dp_mjcf_attribute composite_site_attributes[] = {
    OWN("mesh", WITHIN),     INTEGER("group", WITHIN),   UP_TO("size", 3, WITHIN),
    OWN("material", WITHIN), NUMBERS("rgba", 4, WITHIN), END,
};
static const dp_mjcf_attribute composite_pin_attributes[] = {INTEGER_LIST("coord", WITHIN), END};
static const dp_mjcf_element composite_joint_element =
    ELEMENT("joint", composite_joint_attributes, NULL, USED);
static const dp_mjcf_element composite_tendon_element =
    ELEMENT("tendon", composite_tendon_attributes, NULL, USED);
static const dp_mjcf_element composite_skin_element =
    ELEMENT("skin", composite_skin_attributes, NULL, USED);
static const dp_mjcf_element composite_geom_element =
    ELEMENT("geom", composite_geom_attributes, NULL, USED);
static const dp_mjcf_element composite_site_element =
    ELEMENT("site", composite_site_attributes, NULL, USED);
static const dp_mjcf_element composite_pin_element =
    ELEMENT("pin", composite_pin_attributes, NULL, USED);
static const dp_mjcf_element *const composite_children[] = {
    &dp_mjcf_include_element, &composite_joint_element, &composite_tendon_element,
    &composite_skin_element,  &composite_geom_element,  &composite_site_element,
    &composite_pin_element,   &dp_mjcf_plugin_element,  NULL,
};
const dp_mjcf_element dp_mjcf_composite_element =
    ELEMENT("composite", composite_attributes, composite_children,
            REFUSED("composite", "composite objects are not simulated"));

#define FLEX_DOF "full radial trilinear quadratic 2d"

static const dp_mjcf_attribute flexcomp_attributes[] = {
    OWN("name", WITHIN),
    KEYWORD("type", "grid box cylinder ellipsoid square disc circle mesh gmsh direct", WITHIN),
    INTEGER("group", WITHIN),
    INTEGER("dim", WITHIN),
    KEYWORD("dof", FLEX_DOF, WITHIN),
    INTEGERS("count", 3, WITHIN),
    INTEGERS("cellcount", 3, WITHIN),
    NUMBERS("spacing", 3, WITHIN),
    NUMBER("radius", WITHIN),
    SWITCH("rigid", WITHIN),
    NUMBER("mass", WITHIN),
    NUMBER("inertiabox", WITHIN),
    NUMBERS("scale", 3, WITHIN),
    OWN("file", WITHIN),
    OWN("mesh", WITHIN),
    LIST("point", WITHIN),
    LIST("element", WITHIN),
    LIST("texcoord", WITHIN),
    OWN("material", WITHIN),
    NUMBERS("rgba", 4, WITHIN),
    SWITCH("flatskin", WITHIN),
    NUMBERS("pos", 3, WITHIN),
    ORIENTATION(WITHIN),
    NUMBERS("origin", 3, WITHIN),
    END,
};
static const dp_mjcf_attribute flex_edge_attributes[] = {
    KEYWORD("equality", "false true vert strain", WITHIN),
    SOLVER_PARAMETERS("solref", "solimp", WITHIN),
    NUMBER("stiffness", WITHIN),
    NUMBER("damping", WITHIN),
    END,
};
static const dp_mjcf_attribute elasticity_attributes[] = {
    NUMBER("young", WITHIN),
    NUMBER("poisson", WITHIN),
    NUMBER("damping", WITHIN),
    NUMBER("thickness", WITHIN),
    KEYWORD("section", "circle box", WITHIN),
    UP_TO("sectionsize", 2, WITHIN),
    NUMBER("shear", WITHIN),
    NUMBER("yield", WITHIN),
    KEYWORD("elastic2d", "none bend stretch both", WITHIN),
    END,
};
static const dp_mjcf_attribute flex_contact_attributes[] = {
    SOFT_CONTACT,
    SWITCH("internal", WITHIN),
    KEYWORD("selfcollide", "none narrow bvh sap auto", WITHIN),
    INTEGER("activelayers", WITHIN),
    SWITCH("vertcollide", WITHIN),
    SWITCH("passive", WITHIN),
    END,
};
static const dp_mjcf_attribute pin_attributes[] = {
    INTEGER_LIST("id", WITHIN),
    INTEGER_LIST("range", WITHIN),
    INTEGER_LIST("grid", WITHIN),
    INTEGER_LIST("gridrange", WITHIN),
    END,
};
static const dp_mjcf_element flex_edge_element = ELEMENT("edge", flex_edge_attributes, NULL, USED);
static const dp_mjcf_element elasticity_element =
    ELEMENT("elasticity", elasticity_attributes, NULL, USED);
static const dp_mjcf_element flex_contact_element =
    ELEMENT("contact", flex_contact_attributes, NULL, USED);
static const dp_mjcf_element pin_element = ELEMENT("pin", pin_attributes, NULL, USED);
static const dp_mjcf_element *const flexcomp_children[] = {
    &dp_mjcf_include_element,
    &flex_edge_element,
    &elasticity_element,
    &flex_contact_element,
    &pin_element,
    &dp_mjcf_plugin_element,
    NULL,
};
const dp_mjcf_element dp_mjcf_flexcomp_element =
    ELEMENT("flexcomp", flexcomp_attributes, flexcomp_children, FLEX);

static const dp_mjcf_attribute flex_attributes[] = {
    OWN("name", WITHIN),
    INTEGER("group", WITHIN),
    INTEGER("dim", WITHIN),
    NUMBER("radius", WITHIN),
    OWN("material", WITHIN),
    NUMBERS("rgba", 4, WITHIN),
    SWITCH("flatskin", WITHIN),
    OWN("body", WITHIN),
    LIST("vertex", WITHIN),
    INTEGER_LIST("element", WITHIN),
    LIST("texcoord", WITHIN),
    INTEGER_LIST("elemtexcoord", WITHIN),
    OWN("node", WITHIN),
    LIST("nodecoord", WITHIN),
    INTEGERS("cellcount", 3, WITHIN),
    KEYWORD("dof", FLEX_DOF, WITHIN),
    END,
};
static const dp_mjcf_element *const flex_children[] = {
    &dp_mjcf_include_element, &flex_contact_element, &flex_edge_element, &elasticity_element, NULL};
static const dp_mjcf_element flex_element = ELEMENT("flex", flex_attributes, flex_children, FLEX);
static const dp_mjcf_element *const deformable_children[] = {
    &dp_mjcf_include_element, &flex_element, &dp_mjcf_skin_element, NULL};
const dp_mjcf_element dp_mjcf_deformable_element =
    ELEMENT("deformable", nothing, deformable_children, USED);
