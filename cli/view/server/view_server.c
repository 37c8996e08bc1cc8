// Pages of `dashpot view`. The gate (view_gate.h) answers requests; each page that opens the
// WebSocket has two threads, one that sends what it is to hear and one that reads what it says.
#include "view/server/view_server.h"

#include "common/program.h"
#include "common/progress.h"
#include "view/server/view_admission.h"
#include "view/server/view_gate.h"
#include "view/server/websocket.h"
#include "view/view_frame.h"
#include "view/view_words.h"

#include <dashpot/record.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_TEXTS = 64, // that wait for a page; it is lost beyond
    TOKEN = 32,      // characters
    SILENCE = 10, // [s] after which a page is asked whether it is there, or is too slow to write to
    MOST_PINGS = 5,   // that are not answered
    LAST_WORDS = 500, // [ms] for a page to hang up after it was asked to
    FAREWELL = 50     // [ms] the same when the program ends
};

typedef struct text {
    struct text *next;
    int opcode;
    size_t bytes;
    char byte[];
} text;

// A page, at one of the places. Its reader owns it: made with it, and the last to leave.
typedef struct client {
    view_server *server;
    int number;
    bool taken;
    bool joinable; // its reader has been started and not been waited for
    int socket;
    pthread_t reader, sender;
    char answer[256]; // of the handshake
    unsigned char early[VIEW_MOST_HEAD];
    size_t early_at, early_count; // of what came with the request
    pthread_cond_t wake;
    bool closing;
    int status; // of the close frame
    bool cut;   // what was sent last; nothing can follow it
    text *first, *last;
    int texts;
    long long seen;   // the number of the message of frames that it got last
    view_bytes sent;  // the sender's own
    double clock;     // [s] the sender's, as far as it is counted
    view_bytes heard; // of a message that comes in parts
    bool in_parts, too_long;
    int pings; // without an answer
} client;

struct view_server {
    view_gate *gate;
    view_session *session;
    char *page;
    size_t page_bytes;
    char token[TOKEN + 1], nonce[TOKEN + 1];
    atomic_int port;    // 0 until it is known; nothing is own before
    atomic_bool ending; // the program is

    pthread_mutex_t lock; // of all below
    client client[VIEW_MOST_CLIENTS];
    view_bytes frames; // the newest message of them
    long long messages;
    double spent; // [s]
};

// --- sending

static void add_text(client *c, int opcode, const char *words, size_t bytes)
{
    text *t = c->texts < MOST_TEXTS ? malloc(sizeof *t + bytes) : NULL;
    if (!t) {
        c->closing = true; // it would miss something: it has to come again
        pthread_cond_signal(&c->wake);
        return;
    }
    t->next = NULL;
    t->opcode = opcode;
    t->bytes = bytes;
    if (bytes > 0) {
        memcpy(t->byte, words, bytes);
    }
    if (c->last) {
        c->last->next = t;
    } else {
        c->first = t;
    }
    c->last = t;
    ++c->texts;
    pthread_cond_signal(&c->wake);
}

static void tell(void *context, int number, const char *words, size_t bytes)
{
    view_server *server = context;
    pthread_mutex_lock(&server->lock);
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        client *c = &server->client[i];
        if (c->taken && !c->closing && (number < 0 || number == i)) {
            add_text(c, WEBSOCKET_TEXT, words, bytes);
        }
    }
    pthread_mutex_unlock(&server->lock);
}

static void show(void *context, const void *frames, size_t bytes)
{
    view_server *server = context;
    bool taken[VIEW_MOST_CLIENTS] = {false};
    pthread_mutex_lock(&server->lock);
    if (view_bytes_reserve(&server->frames, bytes)) {
        memcpy(server->frames.byte, frames, bytes);
        server->frames.count = bytes;
        ++server->messages;
        for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
            taken[i] = server->client[i].taken;
        }
    }
    pthread_mutex_unlock(&server->lock);
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) { // who wakes up finds the lock open
        if (taken[i]) {
            pthread_cond_signal(&server->client[i].wake);
        }
    }
}

static double get_spent(void *context)
{
    view_server *server = context;
    pthread_mutex_lock(&server->lock);
    const double spent = server->spent;
    pthread_mutex_unlock(&server->lock);
    return spent;
}

// A frame in the client's buffer, so that all of it is sent at once.
static bool pack(client *c, int opcode, const void *bytes, size_t count)
{
    if (!view_bytes_reserve(&c->sent, count + WEBSOCKET_HEAD)) {
        return false;
    }
    const size_t head = websocket_write_head(c->sent.byte, opcode, count);
    if (count > 0) {
        memcpy(c->sent.byte + head, bytes, count);
    }
    c->sent.count = head + count;
    return true;
}

// Pack the next text, or the newest frames where they are new. False: there is nothing more to send
static bool wait_for_work(client *c)
{
    view_server *server = c->server;
    pthread_mutex_lock(&server->lock);
    while (!c->closing && !c->first && c->seen == server->messages) {
        pthread_cond_wait(&c->wake, &server->lock);
    }
    bool open = !c->closing;
    text *t = c->first;
    if (open && t) {
        c->first = t->next;
        c->last = c->first ? c->last : NULL;
        --c->texts;
        open = pack(c, t->opcode, t->byte, t->bytes);
        free(t);
    } else if (open) {
        c->seen = server->messages;
        open = pack(c, WEBSOCKET_BINARY, server->frames.byte, server->frames.count);
    }
    pthread_mutex_unlock(&server->lock);
    return open;
}

// All of it, unless the other side takes nothing for long.
static bool send_bytes(int s, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        const ssize_t n = send(s, (const char *)bytes + done, count - done, MSG_NOSIGNAL);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void send_work(client *c)
{
    const bool done = send_bytes(c->socket, c->sent.byte, c->sent.count);
    const double now = cli_thread_clock(); // all that the thread does is sending
    pthread_mutex_lock(&c->server->lock);
    c->server->spent += now - c->clock;
    c->clock = now;
    c->cut = !done;
    c->closing = c->closing || c->cut;
    pthread_mutex_unlock(&c->server->lock);
}

static void *send_all(void *context)
{
    client *c = context;
    c->clock = cli_thread_clock();
    while (wait_for_work(c)) {
        send_work(c);
    }
    if (!c->cut) {
        const unsigned char status[2] = {(unsigned char)(c->status >> 8),
                                         (unsigned char)(c->status & 0xff)};
        if (pack(c, WEBSOCKET_CLOSE, status, sizeof status)) {
            (void)send_bytes(c->socket, c->sent.byte, c->sent.count);
        }
    }
    shutdown(c->socket, SHUT_RD); // its reader wakes up
    return NULL;
}

// --- answers

// Of all answers: nothing is kept, guessed at, framed or told to others.
#define SAFE_HEADERS                                                                               \
    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"      \
    "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"                \
    "Cross-Origin-Opener-Policy: same-origin\r\nConnection: close\r\n"

static void refuse(view_answer *out, int code, const char *words)
{
    snprintf(out->head, sizeof out->head,
             "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\n"
             "Content-Security-Policy: default-src 'none'\r\n" SAFE_HEADERS
             "Content-Length: %zu\r\n\r\n%s\n",
             code,
             code == 400   ? "Bad Request"
             : code == 403 ? "Forbidden"
             : code == 404 ? "Not Found"
                           : "Service Unavailable",
             strlen(words) + 1, words);
}

static void answer(void *context, view_answer *out, const view_request *request)
{
    const view_server *server = context;
    const char *words = "a request is expected, of 8 KiB at most";
    const int code = request ? view_find_fault(&words, request, server->port, server->token) : 400;
    if (code != 0) {
        refuse(out, code, words);
    } else if (request->upgrade[0] != '\0') {
        char accept[WEBSOCKET_ACCEPT + 1];
        websocket_accept(accept, request->key);
        snprintf(out->head, sizeof out->head,
                 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                 "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
                 accept);
        out->upgrade = true;
    } else {
        // Scripts by the nonce alone; uPlot and three set styles.
        snprintf(out->head, sizeof out->head,
                 "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                 "Content-Length: %zu\r\n"
                 "Content-Security-Policy: default-src 'none'; script-src 'nonce-%s'; style-src "
                 "'unsafe-inline'; img-src data: blob:; media-src blob:; connect-src 'self' "
                 "ws://127.0.0.1:%d ws://localhost:%d; base-uri 'none'; form-action 'none'; "
                 "frame-ancestors 'none'\r\n" SAFE_HEADERS "\r\n",
                 server->page_bytes, server->nonce, server->port, server->port);
        const bool get = strcmp(request->method, "GET") == 0;
        out->body = get ? server->page : NULL;
        out->body_bytes = server->page_bytes;
    }
}

// --- what a page says

// Under no lock.
static bool is_closing(client *c)
{
    pthread_mutex_lock(&c->server->lock);
    const bool closing = c->closing;
    pthread_mutex_unlock(&c->server->lock);
    return closing;
}

static void send_control(client *c, int opcode, const unsigned char *bytes, size_t count)
{
    pthread_mutex_lock(&c->server->lock);
    if (!c->closing) {
        add_text(c, opcode, (const char *)bytes, count);
    }
    pthread_mutex_unlock(&c->server->lock);
}

// Wait until something can be read. A page that is silent is asked whether it is there.
static bool wait_for_bytes(client *c)
{
    for (;;) {
        struct pollfd on = {.fd = c->socket, .events = POLLIN};
        const int n = poll(&on, 1, 1000 * SILENCE);
        if (n != 0) {
            return n > 0 || errno == EINTR;
        }
        if (c->pings++ >= MOST_PINGS || is_closing(c)) {
            return false;
        }
        send_control(c, WEBSOCKET_PING, NULL, 0);
    }
}

// All of them. False: the page has gone, or is to go
static bool read_bytes(client *c, unsigned char *out, size_t count)
{
    const size_t early = c->early_count - c->early_at;
    const size_t first = early < count ? early : count;
    memcpy(out, c->early + c->early_at, first);
    c->early_at += first;
    for (size_t done = first; done < count;) {
        if (!wait_for_bytes(c)) {
            return false;
        }
        const ssize_t n = recv(c->socket, out + done, count - done, 0);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    c->pings = 0;
    return true;
}

static void hear(client *c)
{
    if (c->too_long) {
        const view_words words = view_words_say(true, "the message is too long (at most 32 MiB)");
        if (words.text) {
            tell(c->server, c->number, words.text, words.bytes);
            free(words.text);
        }
        return;
    }
    view_session_hear(c->server->session, c->number, (const char *)c->heard.byte, c->heard.count);
}

// The payload of a frame of text. A message that is too long is read and forgotten.
static bool read_part(client *c, const websocket_head *head)
{
    unsigned char piece[16384];
    for (uint64_t done = 0; done < head->bytes;) {
        const uint64_t left = head->bytes - done;
        const size_t n = left < sizeof piece ? (size_t)left : sizeof piece;
        if (!read_bytes(c, piece, n)) {
            return false;
        }
        c->too_long = c->too_long || n > VIEW_MOST_BYTES - c->heard.count ||
                      !view_bytes_reserve(&c->heard, c->heard.count + n + 1);
        for (size_t i = 0; !c->too_long && i < n; ++i) {
            c->heard.byte[c->heard.count++] = piece[i] ^ head->mask[(done + i) % 4];
        }
        done += n;
    }
    return true;
}

static bool read_control(client *c, const websocket_head *head)
{
    unsigned char bytes[125];
    if (!read_bytes(c, bytes, (size_t)head->bytes)) {
        return false;
    }
    for (size_t i = 0; i < head->bytes; ++i) {
        bytes[i] ^= head->mask[i % 4];
    }
    if (head->opcode == WEBSOCKET_PING) {
        send_control(c, WEBSOCKET_PONG, bytes, (size_t)head->bytes);
    }
    return head->opcode != WEBSOCKET_CLOSE;
}

// The next frame. @return 0: go on; otherwise the status to close the connection with
static int read_frame(client *c)
{
    unsigned char bytes[WEBSOCKET_MOST_HEAD];
    if (!read_bytes(c, bytes, 2)) {
        return WEBSOCKET_NORMAL;
    }
    const size_t n = websocket_head_bytes(bytes);
    if (n == 0) {
        return WEBSOCKET_PROTOCOL;
    }
    websocket_head head;
    if (!read_bytes(c, bytes + 2, n - 2)) {
        return WEBSOCKET_NORMAL;
    }
    if (!websocket_read_head(&head, bytes)) {
        return WEBSOCKET_PROTOCOL;
    }
    if (head.opcode >= WEBSOCKET_CLOSE) {
        return read_control(c, &head) ? 0 : WEBSOCKET_NORMAL;
    }
    if ((head.opcode == WEBSOCKET_CONTINUATION) != c->in_parts) {
        return WEBSOCKET_PROTOCOL;
    }
    if (head.opcode == WEBSOCKET_BINARY) {
        return WEBSOCKET_UNSUPPORTED;
    }
    if (!c->in_parts) {
        c->heard.count = 0;
        c->too_long = false;
        if (!view_bytes_reserve(&c->heard, 1)) {
            return WEBSOCKET_NORMAL;
        }
    }
    if (!read_part(c, &head)) {
        return WEBSOCKET_NORMAL;
    }
    c->in_parts = !head.last;
    if (head.last) {
        hear(c);
        c->heard.count = 0;
    }
    return 0;
}

// --- pages

// Under the lock.
static void leave_place(client *c)
{
    while (c->first) {
        text *t = c->first;
        c->first = t->next;
        free(t);
    }
    c->last = NULL;
    c->texts = 0;
    c->taken = false;
}

static void begin_closing(client *c, int status)
{
    pthread_mutex_lock(&c->server->lock);
    if (!c->closing) {
        c->closing = true;
        c->status = status;
    }
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->server->lock);
}

// Closing with bytes unread would take back what was sent last: the page is waited for a little.
static void hang_up(const view_server *server, int s)
{
    shutdown(s, SHUT_WR);
    const double end = cli_clock() + 1e-3 * (atomic_load(&server->ending) ? FAREWELL : LAST_WORDS);
    for (double left; (left = end - cli_clock()) > 0.0;) {
        char nothing[4096];
        struct pollfd on = {.fd = s, .events = POLLIN};
        if (poll(&on, 1, (int)(1000.0 * left) + 1) <= 0 ||
            recv(s, nothing, sizeof nothing, MSG_DONTWAIT) <= 0) {
            break;
        }
    }
    close(s);
}

static void *keep_page(void *context)
{
    client *c = context;
    view_server *server = c->server;
    const bool begun = send_bytes(c->socket, c->answer, strlen(c->answer)) &&
                       pthread_create(&c->sender, NULL, send_all, c) == 0;
    if (begun) {
        view_session_join(server->session, c->number);
        int status = 0;
        while (status == 0 && !is_closing(c)) {
            status = read_frame(c);
        }
        begin_closing(c, status == 0 ? WEBSOCKET_NORMAL : status);
        pthread_join(c->sender, NULL);
    }
    hang_up(server, c->socket);
    // Whoever hears that it has gone finds its place free; whoever takes it comes later.
    pthread_mutex_lock(&server->lock);
    if (begun) {
        view_session_leave(server->session, c->number);
    }
    leave_place(c);
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

static client *take_place(view_server *server)
{
    client *c = NULL;
    pthread_mutex_lock(&server->lock);
    for (int i = 0; i < VIEW_MOST_CLIENTS && !c; ++i) {
        if (!server->client[i].taken) {
            c = &server->client[i];
            c->taken = true;
            c->closing = false;
            c->status = WEBSOCKET_NORMAL;
            c->cut = false;
            c->seen = server->messages; // the session sends a new one
            c->heard.count = 0;
            c->in_parts = c->too_long = false;
            c->pings = 0;
        }
    }
    pthread_mutex_unlock(&server->lock);
    return c;
}

static bool adopt(void *context, int socket, view_answer *out, const void *early, size_t count)
{
    view_server *server = context;
    client *c = take_place(server);
    if (c && c->joinable) {
        pthread_join(c->reader, NULL); // it has left
        c->joinable = false;
    }
    if (c) {
        const struct timeval patience = {.tv_sec = SILENCE};
        const int yes = 1;
        fcntl(socket, F_SETFL, 0); // threads may wait
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        c->socket = socket;
        snprintf(c->answer, sizeof c->answer, "%.255s", out->head);
        memcpy(c->early, early, count);
        c->early_at = 0;
        c->early_count = count;
        c->joinable = pthread_create(&c->reader, NULL, keep_page, c) == 0;
        if (c->joinable) {
            return true;
        }
        fcntl(socket, F_SETFL, O_NONBLOCK);
        pthread_mutex_lock(&server->lock);
        leave_place(c);
        pthread_mutex_unlock(&server->lock);
    }
    out->upgrade = false;
    refuse(out, 503, "there are as many pages as there can be");
    return false;
}

// --- beginning and end

static bool draw(char out[TOKEN + 1])
{
    unsigned char byte[TOKEN / 2];
    FILE *source = fopen("/dev/urandom", "rb");
    const bool drawn = source && fread(byte, 1, sizeof byte, source) == sizeof byte;
    if (source) {
        fclose(source);
    }
    for (size_t i = 0; drawn && i < sizeof byte; ++i) {
        snprintf(out + 2 * i, 3, "%02x", byte[i]);
    }
    return drawn;
}

// The one script of the page gets the nonce of the policy. What is data has a type, and runs not.
static bool add_nonce(view_server *server)
{
    static const char tag[] = "<script>";
    const char *at = strstr(server->page, tag);
    char with[96];
    const size_t n = (size_t)snprintf(with, sizeof with, "<script nonce=\"%s\">", server->nonce);
    const size_t bytes = server->page_bytes + n - (sizeof tag - 1);
    char *page = at ? malloc(bytes + 1) : NULL;
    if (!page) {
        cli_complain(at ? "out of memory" : "the page has no script");
        return false;
    }
    const size_t before = (size_t)(at - server->page);
    memcpy(page, server->page, before);
    memcpy(page + before, with, n);
    memcpy(page + before + n, at + sizeof tag - 1, bytes - before - n);
    page[bytes] = '\0';
    free(server->page);
    server->page = page;
    server->page_bytes = bytes;
    return true;
}

static bool make_page(view_server *server)
{
    char data[96];
    if (!draw(server->token) || !draw(server->nonce)) {
        cli_complain("/dev/urandom could not be read");
        return false;
    }
    snprintf(data, sizeof data, "{\"live\":true,\"token\":\"%s\"}", server->token);
    if (dp_replay_viewer(&server->page, &server->page_bytes, data, NULL) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return false;
    }
    if (!add_nonce(server)) {
        free(server->page);
        return false;
    }
    return true;
}

bool view_server_create(view_server **out)
{
    *out = NULL;
    view_server *server = calloc(1, sizeof *server);
    if (!server) {
        cli_complain("out of memory");
        return false;
    }
    if (!make_page(server)) {
        free(server);
        return false;
    }
    pthread_mutex_init(&server->lock, NULL);
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        server->client[i].server = server;
        server->client[i].number = i;
        pthread_cond_init(&server->client[i].wake, NULL);
    }
    *out = server;
    return true;
}

view_audience view_server_audience(view_server *server)
{
    return (view_audience){server, tell, show, get_spent};
}

int view_server_open(view_server *server, view_session *session, int port)
{
    const view_gate_host host = {server, answer, adopt};
    int found = port;
    server->session = session;
    if (!view_gate_open(&server->gate, &found, &host)) {
        cli_complain("--port %d: 127.0.0.1 cannot be listened to there: %s", port, strerror(errno));
        return 0;
    }
    server->port = found;
    return found;
}

// Pages that do not read what they are sent, to the end of it.
static void cut_off(view_server *server)
{
    const double end = cli_clock() + 1e-3 * FAREWELL;
    bool any = true;
    while (any && cli_clock() < end) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000L}, NULL);
        any = false;
        pthread_mutex_lock(&server->lock);
        for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
            any = any || server->client[i].taken;
        }
        pthread_mutex_unlock(&server->lock);
    }
    pthread_mutex_lock(&server->lock);
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        if (server->client[i].taken) {
            shutdown(server->client[i].socket, SHUT_RDWR);
        }
    }
    pthread_mutex_unlock(&server->lock);
}

void view_server_close(view_server *server)
{
    atomic_store(&server->ending, true);
    view_gate_close(server->gate); // nobody comes in any more
    server->gate = NULL;
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        client *c = &server->client[i];
        if (c->joinable) {
            begin_closing(c, WEBSOCKET_NORMAL);
        }
    }
    cut_off(server);
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        client *c = &server->client[i];
        if (c->joinable) {
            pthread_join(c->reader, NULL);
            c->joinable = false;
        }
    }
}

void view_server_destroy(view_server *server)
{
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        pthread_cond_destroy(&server->client[i].wake);
        free(server->client[i].sent.byte);
        free(server->client[i].heard.byte);
    }
    pthread_mutex_destroy(&server->lock);
    free(server->frames.byte);
    free(server->page);
    free(server);
}
