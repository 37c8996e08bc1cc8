// A hand that holds a body by a spring: three rows of the user's.
#ifndef DASHPOT_CLI_VIEW_GRAB_H
#define DASHPOT_CLI_VIEW_GRAB_H

#include <dashpot/sim.h>

typedef struct view_grab view_grab;

/// One coordinate of the spring.
typedef struct view_grab_axis {
    view_grab *grab;
    int number; // 0 … 2
} view_grab_axis;

/// Stays where it is as long as the simulation knows its rows. Begin with all zeros.
struct view_grab {
    bool made, held;
    int row[3];
    view_grab_axis axis[3];
    dp_body_id body;
    dp_v3 at;         // [m] in the body's frame
    dp_v3 to;         // [m] in the world
    double k, b;      // [N/m], [N s/m]
    double *jacobian; // 6 × nv, free() it
};

/// Hold the point `at` of a body where it is. The spring swings at 3 Hz with the mass that the
/// point has, at the critical damping. @return DP_ERROR_ARGUMENT for a body that does not move
DP_NODISCARD dp_status view_grab_hold(view_grab *g, const dp_model *m, dp_data *d, dp_body_id body,
                                      dp_v3 at);
void view_grab_release(view_grab *g, dp_data *d);

#endif
