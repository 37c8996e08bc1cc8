// How messages call elements: by name, or by number and what they belong to.
#ifndef DP_MODEL_LABEL_H
#define DP_MODEL_LABEL_H

#include <dashpot/model.h>

/// "joint 'knee'", "joint 2 (unnamed) of body 'leg'"
typedef struct dp_label {
    char text[320];
} dp_label;

/// A joint of a model that is compiled, and so without the places of a file.
dp_label dp_joint_label(const dp_model *m, int joint);
/// The same for a geom.
dp_label dp_geom_label(const dp_model *m, int geom);
/// The joint that position `i` belongs to.
dp_label dp_position_label(const dp_model *m, int i);

#endif
