// Every element and attribute of MJCF (MuJoCo 3, and the older names that files in the wild still
// use), its type, and what Dashpot makes of it.
#ifndef DP_FORMAT_MJCF_SCHEMA_H
#define DP_FORMAT_MJCF_SCHEMA_H

#include "io/codec/xml.h"
#include "io/report.h"

typedef enum dp_mjcf_type {
    DP_MJCF_TEXT,
    DP_MJCF_KEYWORD,  ///< one of `keywords`
    DP_MJCF_KEYWORDS, ///< several of them
    DP_MJCF_NUMBERS,  ///< min … max real numbers
    DP_MJCF_INTEGERS, ///< min … max whole numbers
} dp_mjcf_type;

enum { DP_MJCF_ANY = 0x7fffffff }; ///< as `max`: no bound on how many

// The fields of sensors that have several, in the order of their bits.
#define DP_MJCF_RAY_FIELDS "dist dir origin point normal depth"
#define DP_MJCF_CONTACT_FIELDS "found force torque dist pos normal tangent linvel angvel"

struct dp_mjcf_attribute {
    const char *name;
    dp_mjcf_type type;
    int min, max;
    const char *
        keywords; ///< separated by one space; the first is the harmless one where a verdict refuses
    bool own;     ///< of this element only: never in a default class
    bool required; ///< outside of default classes
    dp_import_verdict verdict;
    const char *feature; ///< refused: the name that dp_import_options.allow takes. A value of
                         ///< zeros, or the first keyword, is harmless. Ignored: the physics that it
                         ///< belongs to
    const char *note;    ///< ignored or refused: why
};

struct dp_mjcf_element {
    const char *name;
    const dp_mjcf_attribute *attribute; ///< ends with a name of NULL
    int nattribute;
    const dp_mjcf_element *const *child; ///< ends with NULL; NULL: none
    dp_import_verdict verdict;           ///< ignored or refused: so is everything below
    const char *feature, *note;
    bool is_default; ///< it states defaults for elements of its name
};

/// <mujoco>
extern const dp_mjcf_element dp_mjcf_root;

/// The rule for an attribute of an element, NULL when there is none.
const dp_mjcf_attribute *dp_mjcf_attribute_rule(const dp_mjcf_element *element, const char *name);

/// Kinds of elements whose classes are sets of attributes. Actuators have their own struct, since
/// one kind of actuator sets the defaults of all others.
typedef enum dp_mjcf_kind {
    DP_MJCF_JOINT,
    DP_MJCF_GEOM,
    DP_MJCF_SITE,
    DP_MJCF_MESH,
    DP_MJCF_PAIR,
    DP_MJCF_EQUALITY, ///< all equalities: what they have in common
    DP_MJCF_TENDON,   ///< spatial and fixed
    DP_MJCF_KINDS,
} dp_mjcf_kind;

/// What a class can say of a kind: the schema of the element of that name in <default>.
const dp_mjcf_element *dp_mjcf_kind_rule(dp_mjcf_kind kind);
/// The schema of <frame>.
const dp_mjcf_element *dp_mjcf_frame_rule(void);

#endif
