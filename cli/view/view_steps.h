// Steps of a session in time with the clock, and frames of them.
#ifndef DASHPOT_CLI_VIEW_STEPS_H
#define DASHPOT_CLI_VIEW_STEPS_H

#include "view/view_sim.h"

/// Before the first of them.
void view_steps_begin(view_sim *s);
/// Make one. Where it fails the simulation pauses, and pages get the reason. @return false: it was
/// given up for an urgent command, and the state is as before
bool view_step(view_sim *s);
/// Steps that are due by now, as far as a slice of time goes. @return when the next one is due [s]
double view_steps(view_sim *s);

/// Make and send the frames that are due by now. @return when there will be more [s]
double view_show(view_sim *s, double now);

#endif
