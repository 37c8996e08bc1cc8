// What expressions in the time prescribe: forces, and motions of joints and mocap bodies.
#ifndef DP_SIM_TIMED_H
#define DP_SIM_TIMED_H

#include "assemble/rows.h"

#include <dashpot/sim.h>

typedef struct dp_timed {
    dp_pose *mocap;           // nmocap: of those that are moved, when dp_timed_look looked last
    dp_motion_target *target; // nmotion: of joints, at the two ends of the step
} dp_timed;

void dp_timed_carve(dp_timed *timed, dp_carver *c, const dp_model *m);

/// Evaluate the poses of moved mocap bodies at `time`, without moving them.
/// @return DP_ERROR_NUMERIC where an expression has no value; the message names the motion.
DP_NODISCARD dp_status dp_timed_look(dp_data *d, double time);
/// Move the mocap bodies to where they were seen.
void dp_timed_put(dp_data *d);

/// For a step of length h from the present time: targets of joints, and the mocap bodies of
/// kin_end at its end.
DP_NODISCARD dp_status dp_timed_expect(dp_data *d, double h);

/// Evaluate the forces at the present time: those on joints go to forces.timed, those on bodies are
/// added to forces.external. Kinematics must be up to date.
DP_NODISCARD dp_status dp_timed_forces(dp_data *d);

#endif
