// What files may ask for and is not simulated, by the names that dp_import_options.allow takes. A
// new refusal in a schema or a reader enters here first.
#include "io/report.h"

#include <string.h>

static const dp_feature known[] = {
    // simulated by now
    {"contact", "geoms that could touch", true, false},
    {"limit", "limits of joints", true, false},
    {"frictionloss", "dry friction of joints", true, false},
    {"equality", "equality constraints", true, false},
    {"tendon", "tendons, and what drives and measures them", true, false},
    {"transmission", "actuators on anything but joints", true, false},
    {"law", "the choice of a contact law", true, false},
    {"accuracy", "the accuracy of a contact law", true, false},
    {"drake:ball_constraint", "ball constraints of Drake", true, false},
    {"drake:linear_spring_damper", "springs between points of Drake", true, false},
    {"dp:force", "forces given by expressions", true, false},
    {"dp:motion", "motions given by expressions", true, false},
    {"fluid", "forces of air and water", true, false},
    // of shapes and masses
    {"mesh", "geoms that need a mesh", false, false},
    {"mesh-format", "meshes in files of other kinds", false, true},
    {"mesh-file", "meshes of URDF whose files are missing", false, true},
    {"hfield", "geoms that need a height field", false, false},
    {"flat", "URDF shapes without volume", false, true},
    {"tangential-stiffness", "contacts with tangential stiffness", false, false},
    {"collision", "a choice between masks and pairs", false, false},
    {"filterparent", "contact of bodies with those that they hang from", false, false},
    {"override", "numbers that all contacts share", false, false},
    {"surfacevel", "surfaces of geoms that turn in place", false, false},
    {"sdf", "geoms that are signed distance functions", false, false},
    {"inertia", "moments of inertia that no mass has", false, true},
    {"negative", "damping, stiffness, friction or armature below zero", false, true},
    {"massless", "URDF links that move without mass", false, true},
    {"inertiafromgeom", "masses of URDF links from their shapes", false, false},
    // of motion
    {"polynomial", "springs and dampers with higher powers", false, false},
    {"joint-spring", "springs of URDF joints", false, false},
    {"actuatorfrcrange", "bounds on the sum of actuator forces", false, false},
    {"actuatorgravcomp", "gravity compensation by actuators", false, false},
    {"alignfree", "free joints aligned with inertias", false, false},
    {"coordinate", "what global coordinates leave open", false, false},
    {"springyield", "springs that yield", false, false},
    {"geom-distance", "geoms held at a distance", false, false},
    {"framescale", "frames that scale what is in them", false, false},
    {"ball-limit", "bounds of URDF ball joints", false, false},
    {"axis-rpy", "joint axes given by angles", false, false},
    // of many parts at once
    {"unknown", "names that URDF does not have", false, true},
    {"repeated", "elements of URDF that come twice", false, true},
    {"sdf-joint", "screws and gearboxes of SDFormat", false, false},
    {"sdf-shape", "shapes of SDFormat that are not read", false, false},
    {"sdf-frame", "models of SDFormat placed by a frame of theirs", false, false},
    {"mimic", "joints of URDF that mimic what is not there", false, true},
    {"fragment", "bodies outside of <worldbody>", false, false},
    {"composite", "composite bodies", false, false},
    {"flex", "deformable bodies", false, false},
    {"attach", "attached models", false, false},
    {"plugin", "plugins", false, false},
    {"loop_joint", "joints that close a loop", false, false},
    {"gazebo", "extensions for Gazebo", false, false},
    {"drake", "extensions for Drake", false, false},
    {"drake:joint", "joints of Drake", false, false},
    {"drake:tendon_constraint", "tendon constraints of Drake", false, false},
    {"drake:linear_bushing_rpy", "bushings of Drake", false, false},
    // of actuators and sensors
    {"muscle", "muscles whose lengths have no limits", false, false},
    {"adhesion", "adhesion of geoms", false, false},
    {"dcmotor", "models of electric motors", false, false},
    {"pid", "PID actuators", false, false},
    {"orientation-actuator", "orientation actuators", false, false},
    {"body-transmission", "actuators on bodies", true, false},
    {"slidercrank", "actuators on slider-cranks", false, false},
    {"dyntype", "activation dynamics of other kinds", false, false},
    {"gaintype", "gains of other kinds", false, false},
    {"biastype", "biases of other kinds", false, false},
    {"actdim", "activations of more than one number", false, false},
    {"actearly", "activations that act a step early", false, false},
    {"actuator-damping", "damping by actuators", false, false},
    {"actuator-armature", "armature by actuators", false, false},
    {"actuator-input", "inputs of actuators other than controls", false, false},
    {"actuatorgroupdisable", "groups of actuators switched off", false, false},
    {"delay", "delayed and sampled signals", false, false},
    {"sensor", "sensors of other kinds", false, false},
};

enum { COUNT = sizeof known / sizeof known[0] };

int dp_feature_count(void)
{
    return COUNT;
}

dp_feature dp_feature_at(int index)
{
    return index >= 0 && index < COUNT ? known[index] : (dp_feature){"", "", false, false};
}

static const dp_feature *find(const char *name)
{
    for (int i = 0; i < COUNT; ++i) {
        if (strcmp(known[i].name, name) == 0) {
            return &known[i];
        }
    }
    return NULL;
}

bool dp_feature_known(const char *name)
{
    return find(name) != NULL;
}

bool dp_feature_is_flaw(const char *name)
{
    const dp_feature *feature = find(name);
    return feature && feature->flaw;
}
