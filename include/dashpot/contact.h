// What touches what in a simulation: contacts of a state, rays and other questions to the scene.
//
//     for (int i = 0; i < dp_data_contact_count(d); ++i) {
//         const dp_contact c = dp_data_contact(d, i); // geoms, point, normal, gap, force, state
//         …
//     }
//
// Shapes by themselves, without a model, are in collide.h.
#ifndef DASHPOT_CONTACT_H
#define DASHPOT_CONTACT_H

#include <dashpot/advanced/collide.h>
#include <dashpot/sim.h>

DP_BEGIN_C

// The model

/// The shape of a geom in its own frame, for the queries of collide.h. Borrowed from the model.
/// A mesh is its convex hull where it moves, or where it has no faces, and else its triangles.
/// NULL: there is no such geom, or it is a mesh or height field that can touch nothing, by its
/// masks and pairs, and is only looked at.
DP_API const dp_shape *dp_model_shape(const dp_model *m, dp_geom_id geom);

/// May two geoms touch, wherever they are? Masks and excludes decide, and so do bodies: those that
/// are welded together, and a body and its parent, do not touch, unless the parent is fixed. A
/// pair that is given touches whatever else is said, as long as its geoms move against each other.
/// Not planes, height fields and triangles among themselves, and not an elastic foundation and a
/// plane: these have springs instead.
DP_API bool dp_model_may_touch(const dp_model *m, dp_geom_id a, dp_geom_id b);

// Contacts of a step, as of the last dp_step (its last part), dp_forward or dp_sense: forces are
// means over that step. These are the points that the step has looked at, also those that stayed
// apart; calls of dp_find_contacts do not change them. The springs of elastic foundations are not
// among them (dp_foundation_sum). Nothing here allocates; each call takes time linear in the
// contacts or less.

/// What a contact point does.
typedef enum dp_contact_state {
    DP_CONTACT_STATE_OPEN,  ///< no force
    DP_CONTACT_STATE_STICK, ///< pushes, and friction holds it
    DP_CONTACT_STATE_SLIP,  ///< pushes, and slides or is about to: friction is all it can be. Also
                            ///< where there is no friction
} dp_contact_state;
DP_API const char *dp_contact_state_name(dp_contact_state state); ///< "stick". Never NULL

/// A contact point of a step. World axes; force and torque act on B, the opposite ones on A.
typedef struct dp_contact {
    dp_geom_id geom[2];     ///< A and B, ascending
    dp_body_id body[2];     ///< theirs
    dp_pair_id pair;        ///< the pair that was given for them; index −1: none
    dp_v3 point;            ///< [m] at the start of the step, midway between the surfaces
    dp_v3 normal;           ///< unit, from A to B
    dp_v3 tangent[2];       ///< unit; tangent[0] × tangent[1] = normal
    dp_v3 force;            ///< [N] normal force and friction
    dp_v3 torque;           ///< [N m] about the point: torsion and rolling
    double start_gap;       ///< [m] at the start of the step: after dp_forward, now
    double gap;             ///< [m] at the end of it, along the normal; negative: overlap
    double normal_force;    ///< [N] ≥ 0
    double friction[2];     ///< [N] along the tangents
    double torsion;         ///< [N m] about the normal
    double roll[2];         ///< [N m] about the tangents
    double approach;        ///< [m/s] rate of the gap at the end of the step, > 0 apart
    double slip[2];         ///< [m/s] of B's surface past A's along the tangents, belts included
    double spin;            ///< [rad/s] of B against A about the normal; 0 without torsion
    dp_contact_state state; ///< of sliding
    dp_normal law;          ///< of the normal force
    double stiffness;       ///< [N/m], Hertz: [N/m^{3/2}], of this point: its share in the pair's
    double damping;         ///< [N s/m] the same
    int condim;             ///< rows: 1 no friction, 3, 4 with torsion, 6 with rolling
    dp_friction limit;      ///< largest friction over the normal force; 0 where there is none
} dp_contact;

DP_API int dp_data_contact_count(const dp_data *d);
/// In ascending order of geom A and geom B. Out of range: zeros with ids of −1.
DP_API dp_contact dp_data_contact(const dp_data *d, int index);
/// The sum of what contacts with A do to body B: force, and moment about the world point `about`.
/// Bodies that are welded to them count for themselves. Zeros for bodies that do not exist.
DP_API dp_wrench dp_contact_between_bodies(const dp_data *d, dp_body_id a, dp_body_id b,
                                           dp_v3 about);
/// The same for all contacts of a body.
DP_API dp_wrench dp_contact_on_body(const dp_data *d, dp_body_id b, dp_v3 about);
/// [N] The sum of the normal forces between two geoms, ≥ 0.
DP_API double dp_contact_normal_force(const dp_data *d, dp_geom_id a, dp_geom_id b);
/// [N] What a body feels within `shape` at X_WS: the sum of the normal forces of its contacts that
/// lie in the shape, or from which the normal out of the body leads into it. A touch sensor is this
/// with the volume of a site.
/// @return DP_ERROR_ARGUMENT for a body that does not exist, a pose that is not finite or not of
///         unit length, and a shape without size
DP_API DP_NODISCARD dp_status dp_contact_touch(double *out, const dp_data *d, dp_body_id b,
                                               const dp_shape *shape, dp_pose X_WS);

// A search for contacts at the present state

/// Which contacts to look for. All zero: what touches now.
typedef struct dp_contact_search {
    double margin;  ///< [m] ≥ 0: also where geoms are nearer than this, beyond their own margins
    double seconds; ///< [s] ≥ 0: also where they may meet within this time, as they move now
} dp_contact_search;

/// A point that a search has found.
typedef struct dp_found_contact {
    dp_geom_id geom[2];  ///< A and B, ascending
    dp_body_id body[2];  ///< theirs
    dp_pair_id pair;     ///< the pair that was given for them; index −1: none
    double margin;       ///< [m] up to which points of these two were looked for
    dp_contact_point at; ///< its normal points from A to B
} dp_found_contact;

/// Find the contacts of the present state, after kinematics (dp_kinematics is run where needed).
/// Two geoms are looked at up to the sum of their margins, or that of the pair that is given for
/// them, plus search->margin, plus what they may approach in search->seconds. None are found while
/// options.disable_contact is set. Allocates nothing: room is made by dp_data_create, for sixteen
/// pairs and points of each geom, and by dp_data_reserve_contacts.
///
/// The list is in ascending order of geom A, geom B and feature, and depends on the state alone:
/// not on what was asked before. @param search may be NULL: all zero
/// @return DP_ERROR_CAPACITY, with the numbers needed, when there are more than room was made for;
///         DP_ERROR_NUMERIC for a state that is not finite; DP_ERROR_ARGUMENT. The list of before
///         is then still there.
DP_API DP_NODISCARD dp_status dp_find_contacts(dp_data *d, const dp_contact_search *search);

/// Make room for so many pairs of geoms whose boxes overlap, and for so many points. Room is never
/// taken away. Takes memory, so not from a callback. The list of contacts stays.
DP_API DP_NODISCARD dp_status dp_data_reserve_contacts(dp_data *d, int npair, int npoint);

/// What the last dp_find_contacts needed, and what there is room for.
typedef struct dp_contact_room {
    int npair, npoint;               ///< there is
    int needed_pairs, needed_points; ///< were needed, at least; beyond: it failed
} dp_contact_room;
DP_API dp_contact_room dp_data_contact_room(const dp_data *d);

/// Called with pairs of geoms, a < b, that could touch and are near: false keeps them apart. It
/// must depend on the state alone and change nothing. Copied by dp_data_copy. NULL: none
typedef bool (*dp_contact_filter)(void *context, const dp_data *d, dp_geom_id a, dp_geom_id b);
DP_API void dp_data_set_contact_filter(dp_data *d, dp_contact_filter filter, void *context);

/// The points that the last dp_find_contacts found. A step looks for contacts, too, and leaves a
/// list of its own here, of points that it might have met: ask anew after one.
DP_API int dp_data_found_contact_count(const dp_data *d);
/// Out of range: a struct of zeros with ids of −1.
DP_API dp_found_contact dp_data_found_contact(const dp_data *d, int index);
/// How the worst of its narrow queries ended; see dp_query_outcome.
DP_API dp_query_outcome dp_data_found_contact_outcome(const dp_data *d);

// Questions to the scene. They see every geom that has a shape (dp_model_shape), whatever its
// masks, where it was at the last dp_find_contacts or dp_place_geoms; before the first, nothing.
// They change nothing, so several threads may ask at once.

/// Bring the places of geoms up to date after a step, or after q or mocap poses were written.
/// Allocates nothing.
DP_API DP_NODISCARD dp_status dp_place_geoms(dp_data *d);

/// Whom to leave out.
typedef struct dp_scene_filter {
    uint32_t groups;    ///< bit k: geoms of group k, 0 … 31, are seen; others always. Default all
    dp_body_id without; ///< its geoms are not seen; index −1: none. Default none
} dp_scene_filter;
DP_API dp_scene_filter dp_scene_filter_default(void);

/// The signed distance of two geoms, up to `limit` [m], as of the last kinematics; otherwise as
/// dp_shapes_distance.
/// @return DP_ERROR_ARGUMENT also for a geom that does not exist or has no shape
DP_API DP_NODISCARD dp_status dp_geoms_distance(dp_distance *out, const dp_data *d, dp_geom_id a,
                                                dp_geom_id b, double limit);

/// What a ray meets first.
typedef struct dp_scene_hit {
    dp_geom_id geom; ///< index −1: nothing. Of several at one distance the first
    dp_body_id body;
    dp_ray_hit at;
} dp_scene_hit;
/// The first geom on the ray from `origin` along `direction` (any length but 0), up to `limit` [m]
/// (may be INFINITY). A geom that the ray starts in is met at distance 0: leave out the body that
/// carries the eye. @param filter NULL: all are seen
DP_API DP_NODISCARD dp_status dp_scene_ray(dp_scene_hit *out, const dp_data *d, dp_v3 origin,
                                           dp_v3 direction, double limit,
                                           const dp_scene_filter *filter);

/// The geoms that share a point with `shape` at X_WS, ascending; of planes, surfaces and terrains
/// only those that have a distance to it. @param count how many there are @param filter NULL: all
/// @return DP_ERROR_CAPACITY when there are more than `capacity`; *count is the number needed, and
///         what `out` holds is of no use
DP_API DP_NODISCARD dp_status dp_scene_overlap(dp_geom_id *out, int capacity, int *count,
                                               const dp_data *d, const dp_shape *shape,
                                               dp_pose X_WS, const dp_scene_filter *filter);

DP_END_C
#endif
