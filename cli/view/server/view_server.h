// The server of `dashpot view`: one page and one WebSocket, for this machine alone. What is not a
// page of its own is refused: by the host it asks for, its origin and its token (docs/live.md).
#ifndef DASHPOT_CLI_VIEW_SERVER_H
#define DASHPOT_CLI_VIEW_SERVER_H

#include "view/view_session.h"

typedef struct view_server view_server;

/// Make a server that does not listen yet. False: the complaint has been printed.
bool view_server_create(view_server **out);
/// Who hears what the session says.
view_audience view_server_audience(view_server *server);
/// Listen. @param port 0: any that is free. @return the port; 0: the complaint has been printed
int view_server_open(view_server *server, view_session *session, int port);
/// Part with all pages. Nothing calls the session any more.
void view_server_close(view_server *server);
void view_server_destroy(view_server *server);

#endif
