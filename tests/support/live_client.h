// `dashpot view` and pages that talk to it: a client of HTTP and WebSocket, as small as it can be.
#ifndef DP_TESTS_LIVE_CLIENT_H
#define DP_TESTS_LIVE_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct live_server {
    pid_t child;
    int port;
    char token[64];
} live_server;

/// Start the program with these arguments behind `view`, which end with NULL, and wait for it.
void live_start(live_server *server, const char *const *arguments);
#define LIVE_START(server, ...) live_start(server, (const char *const[]){__VA_ARGS__, NULL})
/// Ctrl-C. @return the exit code; −1: it was ended by a signal
enum { CTRL_C = 130 }; // the exit code where all is well
int live_stop(live_server *server);

/// The status of a request, e.g. 404. @param headers each with its end of line
int live_ask(const live_server *server, const char *method, const char *path, const char *headers,
             char *answer, size_t bytes);
/// The same of a plain one. `host` NULL: its own. @param body what came, may be NULL
int live_get(const live_server *server, const char *path, const char *host, char *body,
             size_t bytes);

typedef struct live_page {
    int socket;
    unsigned char *message; // the last one
    size_t bytes;
    size_t at;  // of them, where the next of its frames begins
    int number; // of that frame
} live_page;

/// What a page says of itself. NULL: as it ought to be; "": nothing
typedef struct live_claim {
    const char *origin, *host, *token, *path;
    int room; // [bytes] that its socket has for what it has not read yet; 0: as usual
} live_claim;

/// @return the status of the answer: 101 where the page is connected
int live_connect(live_page *page, const live_server *server, const live_claim *claim);
void live_close(live_page *page);

void live_send(live_page *page, const char *text);
/// The same in two parts.
void live_send_in_parts(live_page *page, const char *text);

/// Messages until one has this opcode, or closes the connection. @return its opcode
int live_next_opcode(live_page *page, int opcode);
/// The next text of a kind; what comes before it is skipped. Lasts until the next message.
const char *live_text(live_page *page, const char *kind);

/// The head of a frame, and the pose of one body.
typedef struct live_frame {
    uint32_t version, flags, nbody, ncontact, nchannel;
    double time;
    float factor, cost_us, residual, overlap, creep, iterations, energy, share;
    float x, y, z;
    float control; // of the last actuator
    int number;    // in its message, from 0
} live_frame;
/// Frames may come together in one message.
live_frame live_next_frame(live_page *page, int body);

#endif
