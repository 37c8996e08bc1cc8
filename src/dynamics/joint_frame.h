// How a body hangs on its parent: what its joints yield to, and what they do not.
#ifndef DP_DYNAMICS_JOINT_FRAME_H
#define DP_DYNAMICS_JOINT_FRAME_H

#include "dynamics/kinematics.h"

/// Unit wrenches of the reactions of a body's joints and of its degrees of freedom, about one
/// point, in the axes of the world.
typedef struct dp_joint_frame {
    dp_v3 point;
    int count;             // of reactions, 6 − dof unless joints line up
    dp_wrench reaction[6]; // what joints cannot yield to
    bool moment[6];
    dp_wrench drive[6]; // of each degree of freedom: of all that have unit power along it and none
                        // along the others, the one of minimum norm
} dp_joint_frame;

/// The anchor of the body's first joint, the origin of a body without joints.
dp_v3 dp_joint_frame_point(const dp_kin *kin, const dp_model *m, int body);

/// @param length [m] of the norm
dp_joint_frame dp_joint_frame_of(const dp_kin *kin, const dp_model *m, int body, double length);

#endif
