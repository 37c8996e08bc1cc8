// Forces and motions given by expressions in the time: <dp:force> and <dp:motion>, elements of our
// own below the root. Expressions of several components stand in one attribute, separated by ';'.
#include "io/mjcf/mjcf_words.h"

static const dp_mjcf_attribute own_force_attributes[] = {
    OWN("name", USED),  OWN("body", USED),       OWN("site", USED),
    OWN("joint", USED), NUMBERS("pos", 3, USED), KEYWORD("frame", "world local", USED),
    OWN("force", USED), OWN("torque", USED),     END,
};
const dp_mjcf_element dp_mjcf_own_force_element =
    ELEMENT("dp:force", own_force_attributes, NULL, USED);

static const dp_mjcf_attribute own_motion_attributes[] = {
    OWN("name", USED),       OWN("joint", USED),
    OWN("body", USED),       OWN("position", USED),
    OWN("rotation", USED),   NUMBER("stiffness", USED),
    NUMBER("damping", USED), END,
};
const dp_mjcf_element dp_mjcf_own_motion_element =
    ELEMENT("dp:motion", own_motion_attributes, NULL, USED);
