// The schema. Names and types follow the MJCF reference of MuJoCo 3; a comment marks names that
// only older versions know. The verdicts are ours. Readers rely on the order of keywords.
#include "io/mjcf/mjcf_words.h"

#include <string.h>

// ---- default

static const dp_mjcf_attribute default_attributes[] = {OWN("class", USED), END};

static const dp_mjcf_element default_element;
static const dp_mjcf_element *const default_children[] = {
    &dp_mjcf_include_element,     &default_element,
    &dp_mjcf_default_joint,       &dp_mjcf_default_geom,
    &dp_mjcf_default_site,        &dp_mjcf_default_camera,
    &dp_mjcf_default_light,       &dp_mjcf_default_mesh,
    &dp_mjcf_default_texture,     &dp_mjcf_default_material,
    &dp_mjcf_default_pair,        &dp_mjcf_default_equality,
    &dp_mjcf_default_tendon,      &dp_mjcf_default_general,
    &dp_mjcf_default_motor,       &dp_mjcf_default_position,
    &dp_mjcf_default_velocity,    &dp_mjcf_default_intvelocity,
    &dp_mjcf_default_damper,      &dp_mjcf_default_cylinder,
    &dp_mjcf_default_muscle,      &dp_mjcf_default_adhesion,
    &dp_mjcf_default_dcmotor,     &dp_mjcf_default_pid,
    &dp_mjcf_default_orientation, NULL,
};
static const dp_mjcf_element default_element =
    ELEMENT("default", default_attributes, default_children, USED);

// ---- the root

static const dp_mjcf_attribute mujoco_attributes[] = {OWN("model", USED), END};
static const dp_mjcf_element *const mujoco_children[] = {
    &dp_mjcf_include_element,
    &dp_mjcf_compiler_element,
    &dp_mjcf_option_element,
    &dp_mjcf_own_option_element,
    &dp_mjcf_own_force_element,
    &dp_mjcf_own_motion_element,
    &dp_mjcf_size_element,
    &dp_mjcf_statistic_element,
    &dp_mjcf_visual_element,
    &default_element,
    &dp_mjcf_extension_element,
    &dp_mjcf_asset_element,
    &dp_mjcf_worldbody_element,
    &dp_mjcf_deformable_element,
    &dp_mjcf_contact_element,
    &dp_mjcf_tendon_element,
    &dp_mjcf_equality_element,
    &dp_mjcf_actuator_element,
    &dp_mjcf_sensor_element,
    &dp_mjcf_custom_element,
    &dp_mjcf_keyframe_element,
    &dp_mjcf_stray_body_element,
    NULL,
};
const dp_mjcf_element dp_mjcf_root = ELEMENT("mujoco", mujoco_attributes, mujoco_children, USED);

const dp_mjcf_attribute *dp_mjcf_attribute_rule(const dp_mjcf_element *element, const char *name)
{
    for (const dp_mjcf_attribute *rule = element->attribute; rule->name; ++rule) {
        if (strcmp(rule->name, name) == 0) {
            return rule;
        }
    }
    return NULL;
}

const dp_mjcf_element *dp_mjcf_kind_rule(dp_mjcf_kind kind)
{
    static const dp_mjcf_element *const rule[DP_MJCF_KINDS] = {
        [DP_MJCF_JOINT] = &dp_mjcf_default_joint,   [DP_MJCF_GEOM] = &dp_mjcf_default_geom,
        [DP_MJCF_SITE] = &dp_mjcf_default_site,     [DP_MJCF_MESH] = &dp_mjcf_default_mesh,
        [DP_MJCF_PAIR] = &dp_mjcf_default_pair,     [DP_MJCF_EQUALITY] = &dp_mjcf_default_equality,
        [DP_MJCF_TENDON] = &dp_mjcf_default_tendon,
    };
    return rule[kind];
}

const dp_mjcf_element *dp_mjcf_frame_rule(void)
{
    return &dp_mjcf_frame_element;
}
