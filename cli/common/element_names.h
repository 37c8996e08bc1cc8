// How the program calls the elements of a model: in messages as the library does, in tables
// briefly.
#ifndef DASHPOT_CLI_ELEMENT_NAMES_H
#define DASHPOT_CLI_ELEMENT_NAMES_H

#include <dashpot/sim.h>

typedef struct cli_name {
    char text[320];
} cli_name;

// In messages: "joint 'knee'", "joint 2 (unnamed) of body 'leg'", "actuator 0 (unnamed)".
cli_name cli_body_name(const dp_model *m, dp_body_id body);
cli_name cli_joint_name(const dp_model *m, dp_joint_id joint);
cli_name cli_actuator_name(const dp_model *m, dp_actuator_id actuator);
cli_name cli_mesh_name(const dp_model *m, dp_mesh_id mesh);
cli_name cli_key_name(const dp_model *m, dp_key_id key);
cli_name cli_equality_name(const dp_model *m, dp_equality_id equality);
cli_name cli_tendon_name(const dp_model *m, dp_tendon_id tendon);
/// Whose row it is: "equality 'pin'", "lower limit of joint 'knee'", "friction of tendon 'rope'".
cli_name cli_row_name(const dp_model *m, const dp_row_info *row);

/// In tables: the name of an element, or its kind and number when it has none: "geom 3".
cli_name cli_label(const char *kind, const char *name, int index);
cli_name cli_body_label(const dp_model *m, dp_body_id body); ///< "world" for the world
cli_name cli_geom_label(const dp_model *m, dp_geom_id geom); ///< "geom 3 of hand"
/// What --keyframe takes: a name, or a number marked as such.
cli_name cli_key_label(const dp_model *m, dp_key_id key);

#endif
