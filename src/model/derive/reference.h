// What forces do to a mechanism at rest, as described, all joints at their reference. For numbers
// that are given relative to the inertia that they meet.
//
// Let I_A be the articulated inertia outward of a degree of freedom, U = I_A S, D = Sᵀ U + armature
// [Featherstone2008, §7.3], and Ω the acceleration that a force on a body gives that body. Then,
// from the root outward,
//
//     (M⁻¹)ᵢᵢ = 1/D + Uᵀ Ω U/D²                                                              (M 1)
//     Ω ← S Sᵀ/D + (1 − S Uᵀ/D) Ω (1 − U Sᵀ/D)                                               (M 2)
//
// Time and memory are linear in the mechanism. All of a tree is taken in world axes about the
// origin of its root.
#ifndef DP_MODEL_REFERENCE_H
#define DP_MODEL_REFERENCE_H

#include "model/model.h"

/// Symmetric, angular part first, like the vectors.
typedef struct dp_reference_matrix {
    double m[6][6];
} dp_reference_matrix;

typedef struct dp_reference_vector {
    double x[6];
} dp_reference_vector;

typedef struct dp_reference {
    dp_pose *X_WB;                    // nbody
    dp_reference_vector *S, *U;       // nv
    double *D;                        // nv
    double *mobility;                 // nv: (M⁻¹)ᵢᵢ
    dp_reference_matrix *articulated; // nbody
    dp_reference_matrix *omega;       // nbody, 0 where fixed
    dp_reference_vector *force;       // nbody: zero between calls
    double *drive;                    // nv: zero between calls
    double *response;                 // nv, scratch
    dp_reference_vector *motion;      // nbody, scratch
    int nmarked;                      // zero between calls
    int *marked;                      // nbody
    bool *is_marked;                  // nbody
} dp_reference;

/// Room for a model.
DP_NODISCARD dp_status dp_reference_take(dp_reference *r, const dp_model *m, dp_pool *pool);
/// Fill it from the bodies and joints of the model, and from dof_armature.
void dp_reference_find(dp_reference *r, const dp_model *m);

// G M⁻¹ Gᵀ, the inverse of an inertia, of what can be moved; 0 where nothing moves.

/// A body's centre of mass [1/kg], and its orientation [1/(kg m²)]: means over three axes.
double dp_reference_give(const dp_reference *r, const dp_model *m, int body);
double dp_reference_turn(const dp_reference *r, const dp_model *m, int body);
/// A joint: the mean over the coordinates of a ball, and over those that turn a free body.
double dp_reference_joint(const dp_reference *r, const dp_joint *joint);
/// The length of a tendon; a spatial one goes straight from site to site, through what it wraps.
double dp_reference_tendon(dp_reference *r, const dp_model *m, const dp_tendon *tendon);
/// The length of an actuator on a joint or a tendon; 0 for one on a site.
double dp_reference_actuator(dp_reference *r, const dp_model *m, const dp_actuator *actuator);

/// ‖M⁻¹ Jᵀ‖: the accelerations that a unit of force in an actuator on a joint or tendon makes; a
/// spatial one as above. 0: it drives a site.
double dp_reference_acceleration(dp_reference *r, const dp_model *m, const dp_actuator *actuator);

#endif
