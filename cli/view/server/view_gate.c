#include "view/server/view_gate.h"

#include "common/progress.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_WAITING = 64,   // connections that are not finished
    MOST_ACCEPTED = 16,  // at once, so that nobody has to go before it was looked at
    MOST_DRAINED = 65536 // bytes that come behind an answer
};
// [s] For a request; without progress of an answer; for hanging up.
static const double REQUEST_TIME = 2.0, ANSWER_TIME = 5.0, DRAIN_TIME = 1.0;

typedef enum stage { FREE, READING, WRITING, DRAINING } stage;

typedef struct waiting {
    stage stage;
    int socket;
    double since; // [s] READING: it came; else: the last progress
    char request[VIEW_MOST_HEAD];
    size_t count; // bytes read
    view_answer answer;
    size_t head_bytes, sent;
} waiting;

struct view_gate {
    view_gate_host host;
    int listener;
    int wake[2]; // a pipe that is closed to end the thread
    pthread_t thread;
    waiting waiting[MOST_WAITING];
};

static void hang_up(waiting *w)
{
    close(w->socket);
    w->stage = FREE;
}

static double patience(const waiting *w)
{
    return w->stage == READING ? REQUEST_TIME : w->stage == WRITING ? ANSWER_TIME : DRAIN_TIME;
}

static void write_answer(waiting *w)
{
    const size_t total = w->head_bytes + (w->answer.body ? w->answer.body_bytes : 0);
    while (w->sent < total) {
        const bool head = w->sent < w->head_bytes;
        const char *from =
            head ? w->answer.head + w->sent : w->answer.body + (w->sent - w->head_bytes);
        const ssize_t n =
            send(w->socket, from, head ? w->head_bytes - w->sent : total - w->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK) {
                hang_up(w);
            }
            return;
        }
        w->sent += (size_t)n;
        w->since = cli_clock();
    }
    // Whoever closes with bytes unread takes the answer back: they are read first.
    shutdown(w->socket, SHUT_WR);
    w->stage = DRAINING;
    w->count = 0;
}

static void begin_answer(waiting *w)
{
    w->stage = WRITING;
    w->since = cli_clock();
    w->head_bytes = strlen(w->answer.head);
    w->sent = 0;
    write_answer(w);
}

static void decide(view_gate *gate, waiting *w)
{
    const size_t bytes = view_request_bytes(w->request, w->count);
    if (bytes == 0 && w->count < sizeof w->request) {
        return; // there is more to come
    }
    view_request request;
    const bool sound = bytes > 0 && view_request_read(&request, w->request, bytes);
    w->answer = (view_answer){.body = NULL};
    gate->host.answer(gate->host.context, &w->answer, sound ? &request : NULL);
    if (w->answer.upgrade && gate->host.adopt(gate->host.context, w->socket, &w->answer,
                                              w->request + bytes, w->count - bytes)) {
        w->stage = FREE;
        return;
    }
    begin_answer(w);
}

static void read_request(view_gate *gate, waiting *w)
{
    for (;;) {
        const ssize_t n =
            recv(w->socket, w->request + w->count, sizeof w->request - w->count, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        }
        if (n <= 0) {
            hang_up(w);
            return;
        }
        w->count += (size_t)n;
        decide(gate, w);
        if (w->stage != READING) {
            return;
        }
    }
}

static void drain(waiting *w)
{
    char nothing[4096];
    const ssize_t n = recv(w->socket, nothing, sizeof nothing, MSG_DONTWAIT);
    w->count += n > 0 ? (size_t)n : 0;
    const bool later = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    if ((n <= 0 && !later) || w->count > MOST_DRAINED) {
        hang_up(w);
    }
}

static void serve(view_gate *gate, waiting *w)
{
    switch (w->stage) {
    case READING:
        read_request(gate, w);
        break;
    case WRITING:
        write_answer(w);
        break;
    case DRAINING:
        drain(w);
        break;
    case FREE:
        break;
    }
}

// A free place, or that of whoever has waited longest: for its request, or to be read.
static waiting *make_place(view_gate *gate)
{
    waiting *oldest = &gate->waiting[0];
    for (int i = 0; i < MOST_WAITING; ++i) {
        waiting *w = &gate->waiting[i];
        if (w->stage == FREE) {
            return w;
        }
        oldest = w->since < oldest->since ? w : oldest;
    }
    hang_up(oldest);
    return oldest;
}

static void accept_all(view_gate *gate)
{
    for (int i = 0; i < MOST_ACCEPTED; ++i) {
        const int s = accept(gate->listener, NULL, NULL);
        if (s < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                make_place(gate); // hangs up on somebody
                nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
            }
            return;
        }
        fcntl(s, F_SETFD, FD_CLOEXEC);
        fcntl(s, F_SETFL, O_NONBLOCK);
        waiting *w = make_place(gate);
        w->stage = READING;
        w->socket = s;
        w->since = cli_clock();
        w->count = 0;
    }
}

static void *keep(void *context)
{
    view_gate *gate = context;
    for (;;) {
        struct pollfd on[MOST_WAITING + 2] = {{.fd = gate->wake[0], .events = POLLIN},
                                              {.fd = gate->listener, .events = POLLIN}};
        waiting *of[MOST_WAITING + 2] = {NULL};
        nfds_t n = 2;
        double next = 60.0; // [s] until somebody's time is up
        const double before = cli_clock();
        for (int i = 0; i < MOST_WAITING; ++i) {
            waiting *w = &gate->waiting[i];
            if (w->stage == FREE) {
                continue;
            }
            const double left = w->since + patience(w) - before;
            if (left <= 0.0) {
                hang_up(w);
                continue;
            }
            next = left < next ? left : next;
            of[n] = w;
            on[n++] =
                (struct pollfd){.fd = w->socket, .events = w->stage == WRITING ? POLLOUT : POLLIN};
        }
        if (poll(on, n, (int)(1000.0 * next) + 1) < 0 && errno != EINTR) {
            return NULL;
        }
        if (on[0].revents != 0) {
            return NULL;
        }
        for (nfds_t i = 2; i < n; ++i) {
            if (on[i].revents != 0) {
                serve(gate, of[i]);
            }
        }
        if (on[1].revents != 0) {
            accept_all(gate);
        }
    }
}

// For this machine alone.
static int listen_on(int *port)
{
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0) {
        return -1;
    }
    union {
        struct sockaddr_in in;
        struct sockaddr any;
    } at = {.in = {.sin_family = AF_INET,
                   .sin_port = htons((uint16_t)*port),
                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t bytes = sizeof at.in;
    const int yes = 1;
    fcntl(s, F_SETFD, FD_CLOEXEC);
    fcntl(s, F_SETFL, O_NONBLOCK);
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(s, &at.any, bytes) != 0 || listen(s, SOMAXCONN) != 0 ||
        getsockname(s, &at.any, &bytes) != 0) {
        const int reason = errno;
        close(s);
        errno = reason;
        return -1;
    }
    *port = ntohs(at.in.sin_port);
    return s;
}

bool view_gate_open(view_gate **out, int *port, const view_gate_host *host)
{
    *out = NULL;
    view_gate *gate = calloc(1, sizeof *gate);
    if (!gate) {
        return false;
    }
    gate->host = *host;
    gate->listener = listen_on(port);
    int reason = gate->listener < 0 ? errno : 0;
    if (reason == 0 && pipe(gate->wake) != 0) {
        reason = errno;
        close(gate->listener);
    }
    if (reason == 0) {
        fcntl(gate->wake[0], F_SETFD, FD_CLOEXEC);
        fcntl(gate->wake[1], F_SETFD, FD_CLOEXEC);
        reason = pthread_create(&gate->thread, NULL, keep, gate);
        if (reason != 0) {
            close(gate->listener);
            close(gate->wake[0]);
            close(gate->wake[1]);
        }
    }
    if (reason != 0) {
        free(gate);
        errno = reason;
        return false;
    }
    *out = gate;
    return true;
}

void view_gate_close(view_gate *gate)
{
    if (!gate) {
        return;
    }
    close(gate->wake[1]);
    pthread_join(gate->thread, NULL);
    close(gate->wake[0]);
    close(gate->listener);
    for (int i = 0; i < MOST_WAITING; ++i) {
        if (gate->waiting[i].stage != FREE) {
            hang_up(&gate->waiting[i]);
        }
    }
    free(gate);
}
