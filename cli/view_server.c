#include "view_server.h"

#include "program.h"

bool view_server_exists(void)
{
#ifdef DP_CIVETWEB
    return true;
#else
    return false;
#endif
}

#ifdef DP_CIVETWEB

#include "progress.h"
#include "view_frame.h"
#include "view_words.h"

#include <dashpot/record.h>

#include <arpa/inet.h>
#include <civetweb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MOST_TEXTS = 64, // that wait for a page; it is lost beyond
    TOKEN = 32,      // characters
    OPCODES = 15,
    FIN = 0x80, // of a WebSocket frame's first byte
};

typedef struct text {
    struct text *next;
    size_t bytes;
    char byte[];
} text;

// A page. Its thread sends what it is to hear; a thread of the server's hears what it says.
typedef struct client {
    view_server *server;
    int number;
    bool taken;
    struct mg_connection *connection;
    pthread_t thread;
    pthread_cond_t wake;
    bool closing;
    bool cut; // what was sent last; nothing can follow it
    text *first, *last;
    int texts;
    long long seen;   // the number of the message of frames that it got last
    view_bytes sent;  // the thread's own
    double clock;     // [s] the thread's, as far as it is counted
    view_bytes heard; // of a message that comes in parts
    bool too_long;
} client;

struct view_server {
    struct mg_context *context;
    view_session *session;
    char *page;
    size_t page_bytes;
    char token[TOKEN + 1];
    atomic_int port; // 0 until it is known; nothing is own before
    atomic_bool stopped;

    pthread_mutex_t lock; // of all below
    client client[VIEW_MOST_CLIENTS];
    view_bytes frames; // the newest message of them
    long long messages;
    double spent; // [s]
};

// --- sending

static void add_text(client *c, const char *words, size_t bytes)
{
    text *t = c->texts < MOST_TEXTS ? malloc(sizeof *t + bytes) : NULL;
    if (!t) {
        c->closing = true; // it would miss something: it has to come again
        pthread_cond_signal(&c->wake);
        return;
    }
    t->next = NULL;
    t->bytes = bytes;
    memcpy(t->byte, words, bytes);
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
            add_text(c, words, bytes);
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

// A WebSocket frame in the client's buffer, so that all of it is sent at once (RFC 6455, section
// 5.2). Frames of servers are not masked.
static bool pack(client *c, int opcode, const void *bytes, size_t count)
{
    if (!view_bytes_reserve(&c->sent, count + 10)) {
        return false;
    }
    unsigned char *to = c->sent.byte;
    *to++ = (unsigned char)(FIN | opcode);
    const int long_bytes = count < 126 ? 0 : count < 65536 ? 2 : 8;
    *to++ = (unsigned char)(long_bytes == 0 ? count : long_bytes == 2 ? 126 : 127);
    for (int i = long_bytes - 1; i >= 0; --i) {
        *to++ = (unsigned char)((uint64_t)count >> (8 * i) & 0xff);
    }
    memcpy(to, bytes, count);
    c->sent.count = (size_t)(to - c->sent.byte) + count;
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
        open = pack(c, MG_WEBSOCKET_OPCODE_TEXT, t->byte, t->bytes);
        free(t);
    } else if (open) {
        c->seen = server->messages;
        open = pack(c, MG_WEBSOCKET_OPCODE_BINARY, server->frames.byte, server->frames.count);
    }
    pthread_mutex_unlock(&server->lock);
    return open;
}

static void send_work(client *c)
{
    mg_lock_connection(c->connection);
    const int done = mg_write(c->connection, c->sent.byte, c->sent.count);
    mg_unlock_connection(c->connection);
    const double now = cli_thread_clock(); // all that the thread does is sending
    pthread_mutex_lock(&c->server->lock);
    c->server->spent += now - c->clock;
    c->clock = now;
    c->cut = done < 0 || (size_t)done < c->sent.count;
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
        mg_websocket_write(c->connection, MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, "", 0);
    }
    return NULL;
}

// --- who may come in

static bool is_same(const char *a, const char *b, size_t n)
{
    unsigned differ = 0; // in a time that does not tell where
    for (size_t i = 0; i < n; ++i) {
        differ |= (unsigned)(a[i] ^ b[i]);
    }
    return differ == 0;
}

static bool is_own_host(const view_server *server, const char *host)
{
    char own[64];
    static const char *const name[] = {"127.0.0.1", "localhost"};
    const int port = server->port;
    for (int i = 0; host && port > 0 && i < 2; ++i) {
        snprintf(own, sizeof own, "%s:%d", name[i], port);
        if (strcmp(own, host) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_own_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return origin && strncmp(origin, scheme, strlen(scheme)) == 0 &&
           strcmp(origin + strlen(scheme), host) == 0;
}

static bool has_token(const view_server *server, const char *query)
{
    static const char key[] = "token=";
    return query && strlen(query) == strlen(key) + TOKEN && strncmp(query, key, strlen(key)) == 0 &&
           is_same(query + strlen(key), server->token, TOKEN);
}

static void refuse(struct mg_connection *connection, int code, const char *words)
{
    mg_printf(connection,
              "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\n"
              "Content-Length: %zu\r\nConnection: close\r\n\r\n%s\n",
              code, code == 403 ? "Forbidden" : "Not Found", strlen(words) + 1, words);
}

// As it was sent and as the library reads it: it looks for handlers by the beginnings of paths, and
// whatever the case of letters.
static bool is_path(const struct mg_request_info *request, const char *path)
{
    return request->request_uri && strcmp(request->request_uri, path) == 0 && request->local_uri &&
           strcmp(request->local_uri, path) == 0;
}

// 0: all is well. Otherwise the code to refuse it with: all but the page itself needs the token.
static int find_fault(const view_server *server, const struct mg_connection *connection,
                      const char **words)
{
    const struct mg_request_info *request = mg_get_request_info(connection);
    const char *host = mg_get_header(connection, "Host");
    const bool get = strcmp(request->request_method, "GET") == 0;
    const bool head = strcmp(request->request_method, "HEAD") == 0;
    if (!is_own_host(server, host)) {
        *words = "another host was asked for";
        return 403;
    }
    if (is_path(request, "/") && (get || head)) {
        return 0;
    }
    if (!is_path(request, "/live") || !get) {
        *words = "there is only /";
        return 404;
    }
    if (!is_own_origin(mg_get_header(connection, "Origin"), host) ||
        !has_token(server, request->query_string)) {
        *words = "a page of this server is expected, with its token";
        return 403;
    }
    return 0;
}

// Called before anything else is done, whatever is asked for. @return 0: go on
static int examine(struct mg_connection *connection)
{
    const char *words;
    const int code = find_fault(mg_get_request_info(connection)->user_data, connection, &words);
    if (code != 0) {
        refuse(connection, code, words);
    }
    return code;
}

static int answer(struct mg_connection *connection, void *context)
{
    const view_server *server = context;
    const struct mg_request_info *request = mg_get_request_info(connection);
    if (!is_path(request, "/")) { // as an ordinary request, /live is nothing
        refuse(connection, 404, "there is only /");
        return 404;
    }
    mg_printf(connection,
              "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
              "Content-Length: %zu\r\nCache-Control: no-store\r\n"
              "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
              "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
              "Connection: close\r\n\r\n",
              server->page_bytes);
    if (strcmp(request->request_method, "GET") == 0) {
        mg_write(connection, server->page, server->page_bytes);
    }
    return 200;
}

// --- pages

static int connect_page(const struct mg_connection *connection, void *context)
{
    view_server *server = context;
    const char *words;
    if (!is_path(mg_get_request_info(connection), "/live") ||
        find_fault(server, connection, &words) != 0) {
        return 1;
    }
    pthread_mutex_lock(&server->lock);
    int free_places = 0;
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        free_places += !server->client[i].taken;
    }
    pthread_mutex_unlock(&server->lock);
    return free_places > 0 ? 0 : 1;
}

static client *take_place(view_server *server, struct mg_connection *connection)
{
    client *c = NULL;
    pthread_mutex_lock(&server->lock);
    for (int i = 0; i < VIEW_MOST_CLIENTS && !c; ++i) {
        if (!server->client[i].taken) {
            c = &server->client[i];
            c->taken = true;
            c->closing = false;
            c->cut = false;
            c->connection = connection;
            c->seen = server->messages; // the session sends a new one
            c->heard.count = 0;
            c->too_long = false;
        }
    }
    pthread_mutex_unlock(&server->lock);
    return c;
}

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

static void begin_page(struct mg_connection *connection, void *context)
{
    view_server *server = context;
    client *c = take_place(server, connection);
    if (!c) {
        return;
    }
    if (pthread_create(&c->thread, NULL, send_all, c) != 0) {
        pthread_mutex_lock(&server->lock);
        leave_place(c);
        pthread_mutex_unlock(&server->lock);
        return;
    }
    mg_set_user_connection_data(connection, c);
    view_session_join(server->session, c->number);
}

// Under no lock.
static bool is_cut(client *c)
{
    pthread_mutex_lock(&c->server->lock);
    const bool cut = c->cut;
    pthread_mutex_unlock(&c->server->lock);
    return cut;
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

// Messages may come in parts; one that is too long is answered and forgotten.
static void add_part(client *c, bool first, const char *bytes, size_t count)
{
    if (first) {
        c->heard.count = 0;
        c->too_long = false;
    }
    c->too_long = c->too_long || count > VIEW_MOST_BYTES - c->heard.count ||
                  !view_bytes_reserve(&c->heard, c->heard.count + count + 1);
    if (!c->too_long && count > 0) {
        memcpy(c->heard.byte + c->heard.count, bytes, count);
        c->heard.count += count;
    }
}

static int hear_page(struct mg_connection *connection, int bits, char *bytes, size_t count,
                     void *context)
{
    (void)context;
    client *c = mg_get_user_connection_data(connection);
    const int opcode = bits & OPCODES;
    if (!c || opcode == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE || is_cut(c)) {
        return 0;
    }
    if (opcode != MG_WEBSOCKET_OPCODE_TEXT && opcode != MG_WEBSOCKET_OPCODE_CONTINUATION) {
        return opcode != MG_WEBSOCKET_OPCODE_BINARY;
    }
    add_part(c, opcode == MG_WEBSOCKET_OPCODE_TEXT, bytes, count);
    if (bits & FIN) {
        hear(c);
        c->heard.count = 0;
    }
    return 1;
}

static void end_page(const struct mg_connection *connection, void *context)
{
    (void)context;
    client *c = mg_get_user_connection_data(connection);
    if (!c) {
        return;
    }
    pthread_mutex_lock(&c->server->lock);
    c->closing = true;
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->server->lock);
    pthread_join(c->thread, NULL);
    // Whoever hears that it has gone finds its place free; whoever takes it comes later.
    pthread_mutex_lock(&c->server->lock);
    view_session_leave(c->server->session, c->number);
    leave_place(c);
    pthread_mutex_unlock(&c->server->lock);
}

// --- beginning and end

static bool draw_token(char out[TOKEN + 1])
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

static bool make_page(view_server *server)
{
    char data[96];
    if (!draw_token(server->token)) {
        cli_complain("/dev/urandom could not be read");
        return false;
    }
    snprintf(data, sizeof data, "{\"live\":true,\"token\":\"%s\"}", server->token);
    if (dp_replay_viewer(&server->page, &server->page_bytes, data, NULL) != DP_OK) {
        cli_complain("%s", dp_last_error());
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

static int keep_message(const struct mg_connection *connection, const char *message)
{
    (void)connection;
    (void)message;
    return 1; // and print nothing
}

int view_server_open(view_server *server, view_session *session, int port)
{
    char address[32], threads[16];
    snprintf(address, sizeof address, "127.0.0.1:%d", port);
    snprintf(threads, sizeof threads, "%d",
             VIEW_MOST_CLIENTS + 4); // one for each, and for requests
    const char *options[] = {"listening_ports",
                             address,
                             "num_threads",
                             threads,
                             "request_timeout_ms",
                             "10000",
                             "websocket_timeout_ms",
                             "10000",
                             "enable_websocket_ping_pong",
                             "yes",
                             "enable_directory_listing",
                             "no",
                             "access_control_allow_origin",
                             "",
                             "access_control_allow_methods",
                             "",
                             NULL};
    const struct mg_callbacks callbacks = {.begin_request = examine, .log_message = keep_message};
    server->session = session;
    mg_init_library(0);
    server->context = mg_start(&callbacks, server, options);
    struct mg_server_port found[1];
    if (!server->context || mg_get_server_ports(server->context, 1, found) < 1) {
        cli_complain("--port %d: 127.0.0.1 cannot be listened to there (is the port in use?)",
                     port);
        view_server_close(server);
        return 0;
    }
    server->port = found[0].port;
    mg_set_request_handler(server->context, "/", answer, server);
    mg_set_websocket_handler(server->context, "/live", connect_page, begin_page, hear_page,
                             end_page, server);
    return server->port;
}

static void *stop_context(void *context)
{
    view_server *server = context;
    mg_stop(server->context);
    atomic_store(&server->stopped, true);
    return NULL;
}

// The library looks up every two seconds, or when somebody knocks.
static void knock(int port)
{
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    union {
        struct sockaddr_in in;
        struct sockaddr any;
    } to = {.in = {.sin_family = AF_INET,
                   .sin_port = htons((uint16_t)port),
                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    if (s >= 0) {
        (void)!connect(s, &to.any, sizeof to.in);
        close(s);
    }
}

static void stop(view_server *server)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, stop_context, server) != 0) {
        mg_stop(server->context);
        return;
    }
    while (!atomic_load(&server->stopped)) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        knock(server->port);
    }
    pthread_join(thread, NULL);
}

void view_server_close(view_server *server)
{
    pthread_mutex_lock(&server->lock);
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        server->client[i].closing = server->client[i].taken;
        pthread_cond_signal(&server->client[i].wake);
    }
    pthread_mutex_unlock(&server->lock);
    if (server->context) {
        stop(server);
        server->context = NULL;
    }
    mg_exit_library();
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

#else // built without a server

bool view_server_create(view_server **out)
{
    *out = NULL;
    cli_complain("this program was built without civetweb (libcivetweb-dev), which `view` needs");
    return false;
}

view_audience view_server_audience(view_server *server)
{
    (void)server;
    return (view_audience){0};
}

int view_server_open(view_server *server, view_session *session, int port)
{
    (void)server;
    (void)session;
    (void)port;
    return 0;
}

void view_server_close(view_server *server)
{
    (void)server;
}

void view_server_destroy(view_server *server)
{
    (void)server;
}

#endif
