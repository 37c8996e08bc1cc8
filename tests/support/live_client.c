#include "live_client.h"

#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60 }; // [s] for sanitizers on a busy machine

// --- the program

static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

// Programs of tests that have failed end with the tests.
enum { MOST_STARTED = 64 };
static pid_t started[MOST_STARTED];

static void end_started(void)
{
    for (int i = 0; i < MOST_STARTED; ++i) {
        if (started[i] > 0) {
            kill(started[i], SIGKILL);
        }
    }
}

static void note_started(pid_t child)
{
    static int count;
    if (count == 0) {
        atexit(end_started);
    }
    assert_true(count < MOST_STARTED);
    started[count++] = child;
}

static void note_ended(pid_t child)
{
    for (int i = 0; i < MOST_STARTED; ++i) {
        started[i] = started[i] == child ? 0 : started[i];
    }
}

static bool read_address(int *port, const char *path)
{
    char line[200] = "";
    FILE *file = fopen(path, "r");
    if (!file) {
        return false;
    }
    const bool whole = fgets(line, sizeof line, file) && strchr(line, '\n');
    fclose(file);
    if (whole && sscanf(line, "http://127.0.0.1:%d/", port) != 1) {
        fail_msg("the first line is '%s' (expected an address)", line);
    }
    return whole;
}

static void read_token(live_server *server)
{
    static char page[MOST_TEXT];
    assert_int_equal(live_get(server, "/", NULL, page, sizeof page), 200);
    const char *token = strstr(page, "\"token\":\"");
    assert_non_null(token);
    token += strlen("\"token\":\"");
    const size_t n = strcspn(token, "\"");
    assert_true(n >= 32 && n < sizeof server->token);
    memcpy(server->token, token, n);
    server->token[n] = '\0';
}

void live_start(live_server *server, const char *const *arguments)
{
    const char *all[MOST_ARGUMENTS] = {"view"};
    for (int i = 0; arguments[i]; ++i) {
        assert_true(i + 2 < MOST_ARGUMENTS);
        all[i + 1] = arguments[i];
    }
    char out[2000];
    snprintf(out, sizeof out, "%s/live_%ld.txt", DP_SCRATCH, (long)getpid());
    remove(out);
    server->child = program_start(all, out);
    note_started(server->child);
    for (int i = 0; i < 50 * PATIENCE && !read_address(&server->port, out); ++i) {
        int status;
        assert_int_equal(waitpid(server->child, &status, WNOHANG), 0); // it is still there
        wait_a_moment();
    }
    remove(out);
    assert_true(server->port > 0);
    read_token(server);
}

int live_stop(live_server *server)
{
    int status;
    assert_int_equal(kill(server->child, SIGINT), 0);
    assert_int_equal(waitpid(server->child, &status, 0), server->child);
    note_ended(server->child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// --- bytes

// So little that the other side cannot keep much for it, either: what it sends goes in small parts.
static void make_room(int s, int room)
{
    const int part = room / 4;
    assert_int_equal(setsockopt(s, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), 0);
    assert_int_equal(setsockopt(s, IPPROTO_TCP, TCP_MAXSEG, &part, sizeof part), 0);
}

// @param room as of a live_claim
static int connect_to(int port, int room)
{
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(s >= 0);
    const struct timeval patience = {.tv_sec = PATIENCE};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (room > 0) { // before it connects: the other side is reported then
        make_room(s, room);
    }
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    union {
        struct sockaddr_in in;
        struct sockaddr any;
    } to = {.in = address};
    assert_int_equal(connect(s, &to.any, sizeof address), 0);
    return s;
}

static void send_bytes(int s, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        const ssize_t n = send(s, (const char *)bytes + done, count - done, MSG_NOSIGNAL);
        assert_true(n > 0);
        done += (size_t)n;
    }
}

// As many as there are. @return fewer where the other side has closed
static size_t receive(int s, void *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        const ssize_t n = recv(s, (char *)bytes + done, count - done, 0);
        if (n <= 0) {
            break;
        }
        done += (size_t)n;
    }
    return done;
}

// --- requests

static int read_status(const char *head)
{
    int status = 0;
    return sscanf(head, "HTTP/1.1 %d", &status) == 1 ? status : 0;
}

static const char *own_host(const live_server *server)
{
    static char host[64];
    snprintf(host, sizeof host, "127.0.0.1:%d", server->port);
    return host;
}

int live_ask(const live_server *server, const char *method, const char *path, const char *headers,
             char *answer, size_t bytes)
{
    char request[2000];
    const int s = connect_to(server->port, 0);
    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\n%s\r\n", method, path, headers);
    send_bytes(s, request, strlen(request));
    const size_t n = receive(s, answer, bytes - 1);
    answer[n] = '\0';
    close(s);
    return read_status(answer);
}

int live_get(const live_server *server, const char *path, const char *host, char *body,
             size_t bytes)
{
    char headers[300];
    static char answer[MOST_TEXT];
    snprintf(headers, sizeof headers, "Host: %s\r\n", host ? host : own_host(server));
    const int status = live_ask(server, "GET", path, headers, answer, sizeof answer);
    if (body) {
        snprintf(body, bytes, "%s", answer);
    }
    return status;
}

// --- pages

int live_connect(live_page *page, const live_server *server, const live_claim *claim)
{
    const live_claim own = claim ? *claim : (live_claim){0};
    *page = (live_page){.socket = connect_to(server->port, own.room)};
    const char *host = own.host ? own.host : own_host(server);
    char origin[300], request[2000];
    snprintf(origin, sizeof origin, "Origin: %s%s\r\n", own.origin ? "" : "http://",
             own.origin ? own.origin : host);
    snprintf(request, sizeof request,
             "GET %s?token=%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\n"
             "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
             "Sec-WebSocket-Version: 13\r\n%s\r\n",
             own.path ? own.path : "/live", own.token ? own.token : server->token, host,
             own.origin && own.origin[0] == '\0' ? "" : origin);
    send_bytes(page->socket, request, strlen(request));
    char head[4000];
    size_t n = 0;
    while (n + 1 < sizeof head && receive(page->socket, head + n, 1) == 1) {
        head[++n] = '\0';
        if (n >= 4 && strcmp(head + n - 4, "\r\n\r\n") == 0) {
            break;
        }
    }
    head[n] = '\0';
    const int status = read_status(head);
    if (status != 101) {
        live_close(page);
    }
    return status;
}

void live_close(live_page *page)
{
    if (page->socket >= 0) {
        close(page->socket);
    }
    free(page->message);
    *page = (live_page){.socket = -1};
}

// A masked frame. The mask is 1 2 3 4.
static void send_frame(live_page *page, int first, const char *text, size_t n)
{
    unsigned char *frame = malloc(n + 14);
    assert_non_null(frame);
    size_t at = 0;
    frame[at++] = (unsigned char)first;
    const int longer = n < 126 ? 0 : n < 65536 ? 2 : 8;
    frame[at++] = (unsigned char)(0x80 | (longer == 0 ? n : longer == 2 ? 126u : 127u));
    for (int i = longer - 1; i >= 0; --i) {
        frame[at++] = (unsigned char)((uint64_t)n >> (8 * i) & 0xff);
    }
    for (unsigned char i = 1; i <= 4; ++i) {
        frame[at++] = i;
    }
    for (size_t i = 0; i < n; ++i) {
        frame[at++] = (unsigned char)((unsigned char)text[i] ^ (i % 4 + 1));
    }
    send_bytes(page->socket, frame, at);
    free(frame);
}

void live_send(live_page *page, const char *text)
{
    send_frame(page, 0x81, text, strlen(text));
}

void live_send_in_parts(live_page *page, const char *text)
{
    const size_t half = strlen(text) / 2;
    send_frame(page, 0x01, text, half);
    send_frame(page, 0x80, text + half, strlen(text) - half);
}

// @return the opcode
static int next_message(live_page *page)
{
    unsigned char head[10];
    assert_int_equal(receive(page->socket, head, 2), 2);
    uint64_t n = head[1] & 127u;
    const size_t longer = n == 126 ? 2 : n == 127 ? 8 : 0;
    if (longer > 0) {
        assert_int_equal(receive(page->socket, head + 2, longer), longer);
        n = 0;
        for (size_t i = 0; i < longer; ++i) {
            n = n << 8 | head[2 + i];
        }
    }
    assert_true(n < (1u << 30));
    free(page->message);
    page->message = malloc((size_t)n + 1);
    assert_non_null(page->message);
    page->bytes = (size_t)n;
    assert_int_equal(receive(page->socket, page->message, page->bytes), page->bytes);
    page->message[n] = '\0';
    page->at = page->bytes;
    page->number = 0;
    return head[0] & 15;
}

int live_next_opcode(live_page *page, int opcode)
{
    for (;;) {
        const int found = next_message(page);
        if (found == opcode || found == 8) {
            return found;
        }
    }
}

const char *live_text(live_page *page, const char *kind)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\"", kind);
    for (;;) {
        const int opcode = next_message(page);
        assert_int_not_equal(opcode, 8); // it is not closed
        const char *text = (const char *)page->message;
        if (opcode == 1) {
            assert_one_json_object(text);
            if (strncmp(json_at(text, NULL, "kind"), wanted, strlen(wanted)) == 0) {
                return text;
            }
        }
    }
}

static uint32_t word_at(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static float float_at(const unsigned char *bytes)
{
    const uint32_t word = word_at(bytes);
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

live_frame live_next_frame(live_page *page, int body)
{
    while (page->at == page->bytes) {
        const int opcode = next_message(page);
        assert_int_not_equal(opcode, 8);
        page->at = opcode == 2 ? 0 : page->bytes;
    }
    const unsigned char *b = page->message + page->at;
    assert_true(page->bytes - page->at >= 64);
    assert_int_equal(word_at(b), 0x46504431);
    live_frame f = {.version = word_at(b + 4),
                    .flags = word_at(b + 8),
                    .nbody = word_at(b + 12),
                    .ncontact = word_at(b + 16),
                    .nchannel = word_at(b + 20)};
    const uint64_t time = word_at(b + 24) | (uint64_t)word_at(b + 28) << 32;
    memcpy(&f.time, &time, sizeof f.time);
    float *const number[] = {&f.factor, &f.cost_us,    &f.residual, &f.overlap,
                             &f.creep,  &f.iterations, &f.energy,   &f.share};
    for (size_t i = 0; i < 8; ++i) {
        *number[i] = float_at(b + 32 + 4 * i);
    }
    const size_t states = (f.ncontact + 3) / 4 * 4;
    const size_t bytes = 64 + 28 * f.nbody + 48 * f.ncontact + states + 4 * f.nchannel;
    assert_true(bytes <= page->bytes - page->at);
    assert_true((uint32_t)body < f.nbody);
    f.x = float_at(b + 64 + 28 * (size_t)body);
    f.y = float_at(b + 68 + 28 * (size_t)body);
    f.z = float_at(b + 72 + 28 * (size_t)body);
    f.control = f.nchannel > 0 ? float_at(b + bytes - 4) : 0.0f;
    f.number = page->number++;
    page->at += bytes;
    return f;
}
