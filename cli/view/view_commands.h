// What a session does when pages come, speak and go.
#ifndef DASHPOT_CLI_VIEW_COMMANDS_H
#define DASHPOT_CLI_VIEW_COMMANDS_H

#include "view/view_sim.h"

void view_join(view_sim *s, int client);
void view_leave(view_sim *s, int client);
/// @param scene of VIEW_SCENE, read already: it may be taken over
void view_obey(view_sim *s, int client, const view_message *message, view_scene *scene);

#endif
