// An arm with a parallel gripper goes from keyframe to keyframe of its tool, and holds what it
// grasps. Shared by examples/arm_shakes.c and `dashpot paper t-iiwa`.
//
// Poses of the tool are joined by minimum-jerk motions, turned into motions of the joints by damped
// least squares, and followed by inverse dynamics. Forces at the fingers tell what is held.
#ifndef DASHPOT_EXAMPLES_ARM_CONTROL_H
#define DASHPOT_EXAMPLES_ARM_CONTROL_H

#include <dashpot/dashpot.h>

enum { ARM_JOINTS = 7, ARM_FINGERS = 2 };

/// What must be felt before the arm goes on.
typedef enum arm_wait {
    ARM_NOTHING,
    ARM_GRASPED, ///< both fingers push as they should
    ARM_WEIGHED, ///< nothing, for a moment: what is carried then is reckoned with
    ARM_STANDS,  ///< the fingers no longer carry what they carried: ends the motion, too
    ARM_OPEN,    ///< the fingers touch nothing
} arm_wait;

typedef struct arm_keyframe {
    const char *name;
    const char *site; ///< of the scene: where the tool is to be; NULL: where it is, or
    dp_v3 offset;     ///< [m] beside it, world axes,
    dp_v3 turn;       ///< [rad] and turned by this much about this axis of the world
    double seconds;   ///< on the way, from rest to rest
    double grip;      ///< [N] of each finger; 0: open
    arm_wait wait;
} arm_keyframe;

/// Fetch the bottle, shake it, put it down elsewhere.
extern const arm_keyframe arm_shakes_bottle[];
extern const int arm_nshakes_bottle;

/// What is wanted, and what was felt, as of the last update.
typedef struct arm_state {
    int keyframe;                        ///< on the way to it; all of them: done
    bool missed;                         ///< what was waited for did not come: the arm stays
    dp_pose tool;                        ///< X_WT wanted
    dp_v3 acceleration;                  ///< [m/s²] of the tool, wanted
    double q[ARM_JOINTS], v[ARM_JOINTS]; ///< [rad, rad/s] wanted
    double squeeze[ARM_FINGERS];         ///< [N] felt by each finger
    double load;                         ///< [N] carried by both, > 0 downwards
} arm_state;

/// The scene has hinges joint_1 … joint_7 with motors motor_1 … motor_7, slides `left` and `right`
/// that a motor `grip` closes, a site `tool` on what joint_7 turns, and the sites of the keyframes.
typedef struct arm_control arm_control;

/// The keyframes are borrowed. The caller owns *out (arm_control_destroy) and keeps `m` alive.
/// @return DP_ERROR_ARGUMENT for a scene that has not what it takes, DP_ERROR_MEMORY
dp_status arm_control_create(arm_control **out, const dp_model *m, const arm_keyframe *keyframe,
                             int count);
void arm_control_destroy(arm_control *c); ///< NULL is allowed

/// Begin at the present state of `d`.
dp_status arm_control_start(arm_control *c, dp_data *d);
/// Before each step of `d`: feel, plan, and set the controls for the next options.step.
dp_status arm_control_update(arm_control *c, dp_data *d);

const arm_state *arm_control_state(const arm_control *c);
/// Hinge k of the arm, 0 … 6.
dp_joint_id arm_control_joint(const arm_control *c, int k);
/// The pose of the tool, as of the last step of `d`.
dp_pose arm_control_tool(const arm_control *c, const dp_data *d);
/// Of the motion from A to B: [m] how far, and [rad] by how much it turns.
double arm_distance(dp_pose a, dp_pose b);
double arm_angle(dp_pose a, dp_pose b);
/// X_AB of two poses in the world.
dp_pose arm_relative(dp_pose X_WA, dp_pose X_WB);

/// Within a function that returns dp_status: pass a failure up.
#define ARM_TRY(call)                                                                              \
    do {                                                                                           \
        const dp_status status_of_call = (call);                                                   \
        if (status_of_call != DP_OK) {                                                             \
            return status_of_call;                                                                 \
        }                                                                                          \
    } while (0)

#endif
