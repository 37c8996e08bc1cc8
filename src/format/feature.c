// What files may ask for and is not simulated, by the names that dp_import_options.allow takes. A
// new refusal in a schema or a reader enters here first.
#include "format/report.h"

#include <string.h>

static const dp_feature known[] = {
    // of mechanisms: refused when a spec is compiled
    {"contact", "geoms that could touch"},
    {"limit", "limits of joints"},
    {"frictionloss", "dry friction of joints"},
    {"equality", "equality constraints"},
    {"tendon", "tendons, and what drives and measures them"},
    {"transmission", "actuators on anything but joints"},
    // of shapes and masses
    {"mesh", "geoms that need a mesh"},
    {"mesh-format", "meshes in files of other kinds"},
    {"mesh-file", "meshes of URDF whose files are missing"},
    {"hfield", "geoms that need a height field"},
    {"sdf", "geoms that are signed distance functions"},
    {"inertia", "moments of inertia that no mass has"},
    {"massless", "URDF links that move without mass"},
    {"inertiafromgeom", "masses of URDF links from their shapes"},
    // of motion
    {"fluid", "forces of air and water"},
    {"polynomial", "springs and dampers with higher powers"},
    {"joint-spring", "springs of URDF joints"},
    {"actuatorfrcrange", "bounds on the sum of actuator forces"},
    {"actuatorgravcomp", "gravity compensation by actuators"},
    {"alignfree", "free joints aligned with inertias"},
    {"coordinate", "what global coordinates leave open"},
    {"springyield", "springs that yield"},
    {"framescale", "frames that scale what is in them"},
    {"axis-rpy", "joint axes given by angles"},
    {"law", "the choice of a contact law"},
    {"accuracy", "the accuracy of a contact law"},
    {"dp:force", "forces given by expressions"},
    {"dp:motion", "motions given by expressions"},
    // of many parts at once
    {"unknown", "names that URDF does not have"},
    {"repeated", "elements of URDF that come twice"},
    {"mimic", "joints of URDF that mimic what is not there"},
    {"fragment", "bodies outside of <worldbody>"},
    {"composite", "composite bodies"},
    {"flex", "deformable bodies"},
    {"attach", "attached models"},
    {"plugin", "plugins"},
    {"loop_joint", "joints that close a loop"},
    {"gazebo", "extensions for Gazebo"},
    {"drake", "extensions for Drake"},
    {"drake:joint", "joints of Drake"},
    {"drake:ball_constraint", "ball constraints of Drake"},
    {"drake:tendon_constraint", "tendon constraints of Drake"},
    {"drake:linear_bushing_rpy", "bushings of Drake"},
    {"drake:linear_spring_damper", "springs between points of Drake"},
    // of actuators and sensors
    {"muscle", "muscles"},
    {"adhesion", "adhesion actuators"},
    {"dcmotor", "models of electric motors"},
    {"pid", "PID actuators"},
    {"orientation-actuator", "orientation actuators"},
    {"body-transmission", "actuators on bodies"},
    {"slidercrank", "actuators on slider-cranks"},
    {"dyntype", "activation dynamics of other kinds"},
    {"gaintype", "gains of other kinds"},
    {"biastype", "biases of other kinds"},
    {"actdim", "activations of more than one number"},
    {"actearly", "activations that act a step early"},
    {"actuator-damping", "damping by actuators"},
    {"actuator-armature", "armature by actuators"},
    {"actuator-input", "inputs of actuators other than controls"},
    {"actuatorgroupdisable", "groups of actuators switched off"},
    {"delay", "delayed and sampled signals"},
    {"sensor", "sensors of other kinds"},
};

enum { COUNT = sizeof known / sizeof known[0] };

int dp_feature_count(void)
{
    return COUNT;
}

dp_feature dp_feature_at(int index)
{
    return index >= 0 && index < COUNT ? known[index] : (dp_feature){"", ""};
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
