// A free joint, for studies that find velocities of their own.
#ifndef DASHPOT_CLI_FREE_JOINT_H
#define DASHPOT_CLI_FREE_JOINT_H

/// q + h N v: position and quaternion (w, x, y, z) after h at velocities v in world axes and spin
/// in body axes.
void cli_free_joint_move(double *q, const double *v, double h);

#endif
