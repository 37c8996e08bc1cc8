// The editable mechanism inside: growing arrays of elements, an index of names per kind, and how
// messages call an element.
#ifndef DP_MODEL_SPEC_H
#define DP_MODEL_SPEC_H

#include "geom/mesh/mesh.h"
#include "model/label.h"
#include "model/name_index.h"
#include "model/names.h"

#include <dashpot/spec.h>

// An element and the body it hangs from. The spec comes first, so its name is at the start of the
// entry.
typedef struct dp_body_entry {
    dp_body_spec spec;
    int parent; // −1 for the world
} dp_body_entry;
typedef struct dp_joint_entry {
    dp_joint_spec spec;
    int body;
} dp_joint_entry;
typedef struct dp_geom_entry {
    dp_geom_spec spec;
    int body;
} dp_geom_entry;
typedef struct dp_site_entry {
    dp_site_spec spec;
    int body;
} dp_site_entry;

/// All elements of one kind: an array of entries, and where their names are.
typedef struct dp_element_list {
    void *at; // the typed pointer of dp_spec_bodies() and its neighbours
    int count;
    size_t capacity;
    dp_name_index index;
} dp_element_list;

struct dp_spec {
    dp_allocator allocator;
    dp_pool pool; // strings and arrays of the elements
    dp_options options;
    const char *title;
    const char *last_file; // of the latest location; files repeat, so it is stored once
    dp_element_list list[DP_ELEMENT_KINDS];
    dp_status failed; // of the first element that could not be added, with its message
    char failure[2048];
    const char **feature; // what dp_spec_allow named
    int nfeature;
    size_t feature_capacity;
};

const dp_body_entry *dp_spec_bodies(const dp_spec *spec);
const dp_joint_entry *dp_spec_joints(const dp_spec *spec);
const dp_geom_entry *dp_spec_geoms(const dp_spec *spec);
const dp_site_entry *dp_spec_sites(const dp_spec *spec);
const dp_actuator_spec *dp_spec_actuators(const dp_spec *spec);
const dp_sensor_spec *dp_spec_sensors(const dp_spec *spec);
const dp_mesh_spec *dp_spec_meshes(const dp_spec *spec);
const dp_hfield_spec *dp_spec_hfields(const dp_spec *spec);
const dp_pair_spec *dp_spec_pairs(const dp_spec *spec);
const dp_exclude_spec *dp_spec_excludes(const dp_spec *spec);
const dp_tendon_spec *dp_spec_tendons(const dp_spec *spec);
const dp_equality_spec *dp_spec_equalities(const dp_spec *spec);
const dp_key_spec *dp_spec_keys(const dp_spec *spec);
const dp_force_spec *dp_spec_forces(const dp_spec *spec);
const dp_motion_spec *dp_spec_motions(const dp_spec *spec);

/// The entry with that number, NULL when there is none. Its spec is its first member.
void *dp_spec_entry(dp_spec *spec, dp_element_kind kind, int index);

/// The names of one kind.
dp_name_list dp_spec_names(const dp_spec *spec, dp_element_kind kind);

/// Mesh i as the geometry sees it. No faces: the convex hull.
dp_mesh dp_spec_mesh_view(const dp_spec *spec, int i);
/// A body of 1 kg in the shape of mesh i.
dp_status dp_spec_mesh_moments(dp_mesh_moments *out, const dp_spec *spec, int i);
/// dp_spec_geom_inertial() for all geoms, `out` with room for each; zeros for those of bodies whose
/// mass is given. A mesh is integrated once, however many geoms show it.
dp_status dp_spec_geom_inertials(dp_inertial *out, const dp_spec *spec, dp_pool *scratch);

/// The lengths between which an actuator operates: its own, or those that the limits of its joint,
/// of its tendon or of the joints of that allow. False: there are none
bool dp_spec_length_range(double out[2], const dp_spec *spec, const dp_actuator_spec *actuator);

/// Was the feature named in dp_spec_allow()?
bool dp_spec_allows(const dp_spec *spec, const char *feature);

/// How a message calls an element: "body 'arm'", "joint 2 (unnamed) of body 'arm'".
dp_label dp_spec_label(const dp_spec *spec, dp_element_kind kind, int index);
/// Where an element was written.
dp_location dp_spec_where(const dp_spec *spec, dp_element_kind kind, int index);

/// Record a failure at a place: "file:line: " when there is one, and the message.
dp_status dp_fail_at(dp_status status, dp_location where, const char *format, ...) DP_PRINTF(3, 4);
/// Record a failure of one element: "file:line: body 'arm' " and the message.
dp_status dp_spec_fail(dp_status status, const dp_spec *spec, dp_element_kind kind, int index,
                       const char *format, ...) DP_PRINTF(5, 6);

#endif
