// What files may ask for and is not simulated, by the names that dp_import_options.allow takes. A
// new refusal in a schema or a reader enters here first.
#include "io/report.h"

#include <string.h>

static const dp_feature known[] = {
    // simulated by now
    {"contact", "geoms that could touch", true},
    {"limit", "limits of joints", true},
    {"frictionloss", "dry friction of joints", true},
    {"equality", "equality constraints", true},
    {"tendon", "tendons, and what drives and measures them", true},
    {"transmission", "actuators on anything but joints", true},
    {"law", "the choice of a contact law", true},
    {"accuracy", "the accuracy of a contact law", true},
    {"drake:ball_constraint", "ball constraints of Drake", true},
    {"drake:linear_spring_damper", "springs between points of Drake", true},
    {"dp:force", "forces given by expressions", true},
    {"dp:motion", "motions given by expressions", true},
    {"fluid", "forces of air and water", true},
    // of shapes and masses
    {"mesh", "geoms that need a mesh", false},
    {"mesh-format", "meshes in files of other kinds", false},
    {"mesh-file", "meshes of URDF whose files are missing", false},
    {"hfield", "geoms that need a height field", false},
    {"flat", "URDF shapes without volume", false},
    {"tangential-stiffness", "contacts that stick and give way", false},
    {"collision", "a choice between masks and pairs", false},
    {"filterparent", "contact of bodies with those that they hang from", false},
    {"override", "numbers that all contacts share", false},
    {"surfacevel", "surfaces of geoms that turn in place", false},
    {"sdf", "geoms that are signed distance functions", false},
    {"inertia", "moments of inertia that no mass has", false},
    {"massless", "URDF links that move without mass", false},
    {"inertiafromgeom", "masses of URDF links from their shapes", false},
    // of motion
    {"polynomial", "springs and dampers with higher powers", false},
    {"joint-spring", "springs of URDF joints", false},
    {"actuatorfrcrange", "bounds on the sum of actuator forces", false},
    {"actuatorgravcomp", "gravity compensation by actuators", false},
    {"alignfree", "free joints aligned with inertias", false},
    {"coordinate", "what global coordinates leave open", false},
    {"springyield", "springs that yield", false},
    {"geom-distance", "geoms held at a distance", false},
    {"framescale", "frames that scale what is in them", false},
    {"ball-limit", "bounds of URDF ball joints", false},
    {"axis-rpy", "joint axes given by angles", false},
    // of many parts at once
    {"unknown", "names that URDF does not have", false},
    {"repeated", "elements of URDF that come twice", false},
    {"mimic", "joints of URDF that mimic what is not there", false},
    {"fragment", "bodies outside of <worldbody>", false},
    {"composite", "composite bodies", false},
    {"flex", "deformable bodies", false},
    {"attach", "attached models", false},
    {"plugin", "plugins", false},
    {"loop_joint", "joints that close a loop", false},
    {"gazebo", "extensions for Gazebo", false},
    {"drake", "extensions for Drake", false},
    {"drake:joint", "joints of Drake", false},
    {"drake:tendon_constraint", "tendon constraints of Drake", false},
    {"drake:linear_bushing_rpy", "bushings of Drake", false},
    // of actuators and sensors
    {"muscle", "muscles whose lengths have no limits", false},
    {"adhesion", "adhesion of geoms", false},
    {"dcmotor", "models of electric motors", false},
    {"pid", "PID actuators", false},
    {"orientation-actuator", "orientation actuators", false},
    {"body-transmission", "actuators on bodies", true},
    {"slidercrank", "actuators on slider-cranks", false},
    {"dyntype", "activation dynamics of other kinds", false},
    {"gaintype", "gains of other kinds", false},
    {"biastype", "biases of other kinds", false},
    {"actdim", "activations of more than one number", false},
    {"actearly", "activations that act a step early", false},
    {"actuator-damping", "damping by actuators", false},
    {"actuator-armature", "armature by actuators", false},
    {"actuator-input", "inputs of actuators other than controls", false},
    {"actuatorgroupdisable", "groups of actuators switched off", false},
    {"delay", "delayed and sampled signals", false},
    {"sensor", "sensors of other kinds", false},
};

enum { COUNT = sizeof known / sizeof known[0] };

int dp_feature_count(void)
{
    return COUNT;
}

dp_feature dp_feature_at(int index)
{
    return index >= 0 && index < COUNT ? known[index] : (dp_feature){"", "", false};
}

bool dp_feature_known(const char *name)
{
    for (int i = 0; i < COUNT; ++i) {
        if (strcmp(known[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}
