// The door of `dashpot view`: one thread that listens on 127.0.0.1 and waits for all requests at
// once. The number of connections that are not finished and the time that each of them has are
// bounded; where there are too many, the one that has waited longest has to go. So whoever sends a
// request without delay is answered, however many others do not.
#ifndef DASHPOT_CLI_VIEW_GATE_H
#define DASHPOT_CLI_VIEW_GATE_H

#include "view/server/view_request.h"

enum { VIEW_MOST_HEAD = 8192 }; // bytes of a request

typedef struct view_answer {
    char head[1536];  // of the answer, complete
    const char *body; // borrowed; NULL: none
    size_t body_bytes;
    bool upgrade; // the connection is then another's
} view_answer;

typedef struct view_gate_host {
    void *context;
    /// Answer a request; NULL: it is malformed or too long.
    void (*answer)(void *context, view_answer *out, const view_request *request);
    /// Take over the socket of an upgrade, which has not been answered yet, and what has come
    /// behind its request. False: there is no place, and the answer is another.
    bool (*adopt)(void *context, int socket, view_answer *answer, const void *early, size_t count);
} view_gate_host;

typedef struct view_gate view_gate;

/// Listen and answer, in a thread of its own. @param port 0: any that is free; where it listens
/// @return false, with errno
bool view_gate_open(view_gate **out, int *port, const view_gate_host *host);
/// Stop listening, and hang up on all who wait. NULL is allowed
void view_gate_close(view_gate *gate);

#endif
