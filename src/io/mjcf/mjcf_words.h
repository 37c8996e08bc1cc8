// The words in which the schema is written: types, verdicts, groups of attributes. Included by the
// files of the schema only.
#ifndef DP_FORMAT_MJCF_WORDS_H
#define DP_FORMAT_MJCF_WORDS_H

#include "io/mjcf/schema/mjcf_schema.h"

// Verdicts
#define USED DP_IMPORT_VERDICT_USED, NULL, NULL
#define IGNORED(why) DP_IMPORT_VERDICT_IGNORED, NULL, why
#define WAITS(feature, why)                                                                        \
    DP_IMPORT_VERDICT_IGNORED, feature, why // belongs to what is not simulated yet
#define REFUSED(feature, why) DP_IMPORT_VERDICT_REFUSED, feature, why
#define LOOKS IGNORED("looks only")
#define SOLVER IGNORED("a setting of MuJoCo's solver")
#define USER IGNORED("user data")
#define MARGIN IGNORED("an end acts where it is reached")
#define CREEP IGNORED("dry friction holds without creeping")
#define SETS_IN IGNORED("the force sets in where surfaces meet")
#define STICKY REFUSED("adhesion", "contacts that pull are not simulated")
#define FLEX REFUSED("flex", "deformable bodies are not simulated")
#define YIELD REFUSED("springyield", "springs that yield are not simulated")
#define SAMPLING REFUSED("delay", "delayed and sampled signals are not simulated")
#define ELSEWHERE IGNORED("a default for elements that are ignored or refused where they occur")
#define WITHIN IGNORED("part of what is refused or ignored") // the element decides

// Types
#define RULE(name, type, min, max, words, own, required, ...)                                      \
    {                                                                                              \
        name, type, min, max, words, own, required, __VA_ARGS__                                    \
    }
#define TEXT(name, ...) RULE(name, DP_MJCF_TEXT, 0, 0, NULL, false, false, __VA_ARGS__)
#define NUMBERS(name, n, ...) RULE(name, DP_MJCF_NUMBERS, n, n, NULL, false, false, __VA_ARGS__)
#define NUMBER(name, ...) NUMBERS(name, 1, __VA_ARGS__)
#define UP_TO(name, n, ...) RULE(name, DP_MJCF_NUMBERS, 1, n, NULL, false, false, __VA_ARGS__)
#define LIST(name, ...) RULE(name, DP_MJCF_NUMBERS, 0, DP_MJCF_ANY, NULL, false, false, __VA_ARGS__)
#define INTEGERS(name, n, ...) RULE(name, DP_MJCF_INTEGERS, n, n, NULL, false, false, __VA_ARGS__)
#define INTEGER(name, ...) INTEGERS(name, 1, __VA_ARGS__)
#define INTEGER_LIST(name, ...)                                                                    \
    RULE(name, DP_MJCF_INTEGERS, 0, DP_MJCF_ANY, NULL, false, false, __VA_ARGS__)
#define KEYWORD(name, words, ...)                                                                  \
    RULE(name, DP_MJCF_KEYWORD, 0, 0, words, false, false, __VA_ARGS__)
#define KEYWORDS(name, words, ...)                                                                 \
    RULE(name, DP_MJCF_KEYWORDS, 0, 0, words, false, false, __VA_ARGS__)
#define SWITCH(name, ...) KEYWORD(name, "false true", __VA_ARGS__)
#define SWITCH_OR_AUTO(name, ...) KEYWORD(name, "false true auto", __VA_ARGS__)
#define FLAG(name, ...) KEYWORD(name, "disable enable", __VA_ARGS__)

// Of one element, never of a default class
#define OWN(name, ...) RULE(name, DP_MJCF_TEXT, 0, 0, NULL, true, false, __VA_ARGS__)
#define REQUIRED(name, ...) RULE(name, DP_MJCF_TEXT, 0, 0, NULL, true, true, __VA_ARGS__)
#define REQUIRED_KEYWORD(name, words, ...)                                                         \
    RULE(name, DP_MJCF_KEYWORD, 0, 0, words, true, true, __VA_ARGS__)
#define REQUIRED_NUMBERS(name, n, ...)                                                             \
    RULE(name, DP_MJCF_NUMBERS, n, n, NULL, true, true, __VA_ARGS__)
#define REQUIRED_INTEGER(name, ...)                                                                \
    RULE(name, DP_MJCF_INTEGERS, 1, 1, NULL, true, true, __VA_ARGS__)

// Elements. Arrays of attributes end with END, which is not counted.
#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]) - 1)
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }
#define ELEMENT(name, attributes, children, ...)                                                   \
    {                                                                                              \
        name, attributes, COUNT(attributes), children, __VA_ARGS__, false                          \
    }
#define DEFAULT(name, attributes, children, ...)                                                   \
    {                                                                                              \
        name, attributes, COUNT(attributes), children, __VA_ARGS__, true                           \
    }

// Groups of attributes that occur together
#define ORIENTATION(...)                                                                           \
    NUMBERS("quat", 4, __VA_ARGS__), NUMBERS("axisangle", 4, __VA_ARGS__),                         \
        NUMBERS("xyaxes", 6, __VA_ARGS__), NUMBERS("zaxis", 3, __VA_ARGS__),                       \
        NUMBERS("euler", 3, __VA_ARGS__)
#define SOLVER_PARAMETERS(solref, solimp, ...)                                                     \
    UP_TO(solref, 2, __VA_ARGS__), UP_TO(solimp, 5, __VA_ARGS__)
// In our own namespace: how an end or an equality gives
#define BEARING NUMBER("dp:stiffness", USED), NUMBER("dp:damping", USED)
// The same of what touches
#define MATERIAL                                                                                   \
    BEARING, NUMBER("dp:youngs_modulus", USED), NUMBER("dp:poisson", USED),                        \
        NUMBER("dp:dissipation", USED), NUMBER("dp:restitution", USED),                            \
        NUMBER("dp:tangential_stiffness",                                                          \
               REFUSED("tangential-stiffness", "what sticks does not give way"))
#define FACES "-z +z -y +y -x +x"
#define SIGNAL                                                                                     \
    INTEGER("nsample", SAMPLING), KEYWORD("interp", "zoh linear cubic", SAMPLING),                 \
        NUMBER("delay", SAMPLING)
#define FRAME_KINDS "body xbody geom site camera"
#define SHAPES "plane hfield sphere capsule ellipsoid cylinder box mesh sdf"
#define DYNAMICS "none integrator filter filterexact muscle dcmotor pid user"

// Elements that one file of the schema has and another refers to
extern const dp_mjcf_element dp_mjcf_actuator_element;
extern const dp_mjcf_element dp_mjcf_asset_element;
extern const dp_mjcf_element dp_mjcf_compiler_element;
extern const dp_mjcf_element dp_mjcf_composite_element;
extern const dp_mjcf_element *const dp_mjcf_config_only[];
extern const dp_mjcf_element dp_mjcf_contact_element;
extern const dp_mjcf_element dp_mjcf_custom_element;
extern const dp_mjcf_element dp_mjcf_deformable_element;
extern const dp_mjcf_element dp_mjcf_equality_element;
extern const dp_mjcf_element dp_mjcf_extension_element;
extern const dp_mjcf_element dp_mjcf_flexcomp_element;
extern const dp_mjcf_element dp_mjcf_frame_element;
extern const dp_mjcf_element dp_mjcf_geom_element;
extern const dp_mjcf_element dp_mjcf_include_element;
extern const dp_mjcf_element dp_mjcf_joint_element;
extern const dp_mjcf_element dp_mjcf_keyframe_element;
extern const dp_mjcf_element dp_mjcf_option_element;
extern const dp_mjcf_element dp_mjcf_own_force_element;
extern const dp_mjcf_element dp_mjcf_own_motion_element;
extern const dp_mjcf_element dp_mjcf_own_option_element;
extern const dp_mjcf_element dp_mjcf_plugin_element;
extern const dp_mjcf_element *const dp_mjcf_plugin_only[];
extern const dp_mjcf_element dp_mjcf_sensor_element;
extern const dp_mjcf_element dp_mjcf_site_element;
extern const dp_mjcf_element dp_mjcf_size_element;
extern const dp_mjcf_element dp_mjcf_skin_element;
extern const dp_mjcf_element dp_mjcf_statistic_element;
extern const dp_mjcf_element dp_mjcf_stray_body_element;
extern const dp_mjcf_element dp_mjcf_tendon_element;
extern const dp_mjcf_element dp_mjcf_visual_element;
extern const dp_mjcf_element dp_mjcf_worldbody_element;
extern const dp_mjcf_element dp_mjcf_default_joint;
extern const dp_mjcf_element dp_mjcf_default_geom;
extern const dp_mjcf_element dp_mjcf_default_site;
extern const dp_mjcf_element dp_mjcf_default_camera;
extern const dp_mjcf_element dp_mjcf_default_light;
extern const dp_mjcf_element dp_mjcf_default_mesh;
extern const dp_mjcf_element dp_mjcf_default_texture;
extern const dp_mjcf_element dp_mjcf_default_material;
extern const dp_mjcf_element dp_mjcf_default_pair;
extern const dp_mjcf_element dp_mjcf_default_equality;
extern const dp_mjcf_element dp_mjcf_default_tendon;
extern const dp_mjcf_element dp_mjcf_default_general;
extern const dp_mjcf_element dp_mjcf_default_motor;
extern const dp_mjcf_element dp_mjcf_default_position;
extern const dp_mjcf_element dp_mjcf_default_velocity;
extern const dp_mjcf_element dp_mjcf_default_intvelocity;
extern const dp_mjcf_element dp_mjcf_default_damper;
extern const dp_mjcf_element dp_mjcf_default_cylinder;
extern const dp_mjcf_element dp_mjcf_default_muscle;
extern const dp_mjcf_element dp_mjcf_default_adhesion;
extern const dp_mjcf_element dp_mjcf_default_dcmotor;
extern const dp_mjcf_element dp_mjcf_default_pid;
extern const dp_mjcf_element dp_mjcf_default_orientation;

#endif
