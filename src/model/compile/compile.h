// The stages of compilation, in their order. Each works on one dp_compiler and fills its part of
// the model.
#ifndef DP_MODEL_COMPILE_H
#define DP_MODEL_COMPILE_H

#include "model/model.h"
#include "model/spec/spec.h"

typedef struct dp_compiler {
    const dp_spec *spec;
    dp_model *m;
    dp_pool scratch; // gone when compilation ends

    // The arrays of the model while they may be written.
    dp_body *body;
    dp_joint *joint;
    dp_geom *geom;
    dp_site *site;
    dp_actuator *actuator;
    dp_sensor *sensor;
    dp_mesh_asset *mesh;
    dp_hfield *hfield;
    dp_pair *pair;
    dp_exclude *exclude;
    dp_tendon *tendon;
    dp_equality *equality;
    dp_key *key;
    dp_force *force;
    dp_motion *motion;
    int *body_joint;
    dp_joint_ratio *joint_ratio;
    dp_foundation *foundation;
    dp_fluid_shape *fluid;
    double *q_reference, *q_spring;
    double *dof_armature, *dof_damping, *dof_stiffness;

    // Scratch: children and geoms of body b are child[child_start[b] …] up to the next start.
    const int *child_start, *child;
    const int *geom_start, *body_geom;
    const int
        *weld; // nbody: the body that moves b, itself or the nearest above with joints; 0: fixed
    const bool *carries; // nbody: on a fixed body, the first one above it below the world: does
                         // anything that moves hang from it, or from what is welded to it?
} dp_compiler;

/// Numbers of options and elements that no mechanism has: not finite, negative, reversed …
dp_status dp_check_numbers(const dp_spec *spec);
/// Its parts that are beside the kind's own stage.
dp_status dp_check_mesh(const dp_spec *spec, int i);
dp_status dp_check_hfield(const dp_spec *spec, int i);
dp_status dp_check_pair(const dp_spec *spec, int i);
dp_status dp_check_muscle(const dp_spec *spec, int i);
dp_status dp_check_tendon(const dp_spec *spec, int i);
dp_status dp_check_equality(const dp_spec *spec, int i);
dp_status dp_check_force(const dp_spec *spec, int i);
dp_status dp_check_motion(const dp_spec *spec, int i);
/// Normalise; false for a vector without direction. Safe against overflow and underflow.
bool dp_normalise_v3(dp_v3 *x);
bool dp_normalise_quat(dp_quat *q);

/// Joints per body, depth-first numbers of coordinates, trees, degrees of freedom.
dp_status dp_compile_topology(dp_compiler *c);
/// Who touches by numbers of their own, and who never does.
dp_status dp_compile_pairs(dp_compiler *c);
dp_status dp_compile_excludes(dp_compiler *c);
/// Does a geom of a mesh touch by the triangles, not by the hull?
bool dp_touches_by_triangles(const dp_compiler *c, int g);
/// Meshes, with hulls and moments where geoms need them, and height fields.
dp_status dp_compile_meshes(dp_compiler *c);
dp_status dp_compile_hfields(dp_compiler *c);
/// Shapes for queries, and who may touch whom.
dp_status dp_compile_shapes(dp_compiler *c);
/// Mass properties of bodies; refuses bodies that move without mass.
dp_status dp_compile_inertia(dp_compiler *c);
/// What a fluid sees of bodies that move.
dp_status dp_compile_fluid(dp_compiler *c);
/// Tendons: names to numbers along their paths.
dp_status dp_compile_tendons(dp_compiler *c);
/// Equalities: what they hold, and where.
dp_status dp_compile_equalities(dp_compiler *c);
/// Actuators and sensors: names to numbers, places of activations and sensor data.
dp_status dp_compile_actuators(dp_compiler *c);
/// The lengths between which an actuator operates, where it is a muscle.
dp_status dp_compile_length_range(dp_compiler *c, int i);
dp_status dp_compile_sensors(dp_compiler *c);
/// Forces and motions given by expressions.
dp_status dp_compile_forces(dp_compiler *c);
dp_status dp_compile_motions(dp_compiler *c);
/// Destroy the expressions of a model, which need not be complete.
void dp_destroy_expressions(dp_model *m);
/// Keyframes, completed with initial values.
dp_status dp_compile_keys(dp_compiler *c);
/// Elastic foundations with the planes that they may rest on.
dp_status dp_compile_foundations(dp_compiler *c);
/// Refuse a Young's modulus between shapes that are never round where they touch.
dp_status dp_check_hertz(const dp_compiler *c);
/// Its checks of one geom that has a foundation.
dp_status dp_check_foundation(const dp_spec *spec, int geom);

/// Mass properties of a geom in its body's frame. `mesh` may be NULL for anything but a mesh.
/// @return DP_ERROR_ARGUMENT, with a message that begins with what the geom is: "a box with …".
dp_status dp_geom_inertial_with(dp_inertial *out, const dp_geom_spec *geom,
                                const dp_mesh_moments *mesh);

/// Find what element `index` of `kind` refers to; a failure says who asked.
dp_status dp_resolve(int *out, const dp_compiler *c, dp_element_kind kind, int index,
                     dp_element_kind wanted, const char *name);

#endif
