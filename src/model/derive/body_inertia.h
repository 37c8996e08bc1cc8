// Mass properties of one body, and of bodies that move together: what is physical, and what the
// dynamics need of it. Messages begin with what is wrong, "has mass …": who asks says whose.
#ifndef DP_MODEL_BODY_INERTIA_H
#define DP_MODEL_BODY_INERTIA_H

#include "model/model.h"

/// @return DP_ERROR_ARGUMENT for a mass or moments that no body has
DP_NODISCARD dp_status dp_inertial_check(const dp_inertial *inertial);

/// Fill in what the dynamics need, about the origin of the body.
void dp_body_set_inertial(dp_body *body, const dp_inertial *inertial);

/// A body that moves and all that is welded to it, in the frame of that body.
typedef struct dp_cluster {
    dp_pose pose; // of each body in the frame of the body that moves it
    double mass;
    dp_v3 moment;
    dp_sym3 inertia; // about the origin
    bool complete;   // a single part has mass and moments: then so has the whole
} dp_cluster;

/// Refuse a body that moves without mass or moments, with all that is welded to it.
/// @param cluster nbody, scratch. @param body that was refused
DP_NODISCARD dp_status dp_moving_bodies_check(const dp_model *m, dp_cluster *cluster, int *body);

#endif
