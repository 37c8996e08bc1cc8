// What a run did to the mechanism: where it is, how fast, what pushes on it and what its actuators
// do.
#ifndef DASHPOT_CLI_RUN_MOTION_H
#define DASHPOT_CLI_RUN_MOTION_H

#include "common/json.h"
#include "common/table.h"

#include <dashpot/contact.h>

typedef struct cli_motion_seen {
    double most_force;    // [N] of all contact points between two geoms, in one step
    double time_of_force; // [s] the end of that step
    dp_geom_id geom[2];   // where; index −1: nothing has pushed
} cli_motion_seen;

cli_motion_seen cli_motion_begin(void);
/// Note the step that was just made.
void cli_motion_note(cli_motion_seen *seen, const dp_data *d);

/// Lines of the closing table: final pose, speed, contact force, actuator load. Evaluates forces.
void cli_motion_cells(cli_table *t, const cli_motion_seen *seen, dp_data *d);
/// "motion"
void cli_motion_json(cli_json *j, const cli_motion_seen *seen, dp_data *d);

#endif
