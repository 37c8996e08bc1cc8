// `dashpot view` under attack: requests that are never finished, pages that are never read, frames
// that break the protocol.
#include "live_client.h"
#include "near.h"
#include "text_file.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PENDULUM DP_SCENES "/pendulum.xml"

enum { ATTACKERS = 200 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int open_socket(const live_server *server)
{
    union {
        struct sockaddr_in in;
        struct sockaddr any;
    } to = {.in = {.sin_family = AF_INET,
                   .sin_port = htons((uint16_t)server->port),
                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(s >= 0);
    assert_int_equal(connect(s, &to.any, sizeof to.in), 0);
    return s;
}

static void send_text(int s, const char *text)
{
    (void)!send(s, text, strlen(text), MSG_NOSIGNAL); // it may have been hung up on
}

// [s] The least of three: the machine may be busy.
static double time_to_get(const live_server *server)
{
    double least = 1e9;
    static char page[MOST_TEXT];
    for (int i = 0; i < 3; ++i) {
        const double start = now();
        assert_int_equal(live_get(server, "/", NULL, page, sizeof page), 200);
        const double seconds = now() - start;
        least = seconds < least ? seconds : least;
    }
    return least;
}

static void close_all(const int *s)
{
    for (int i = 0; i < ATTACKERS; ++i) {
        close(s[i]);
    }
}

static void the_page_is_served_while_200_requests_are_not_finished(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    int s[ATTACKERS];
    for (int i = 0; i < ATTACKERS; ++i) {
        s[i] = open_socket(&server);
        send_text(s[i], i % 2 ? "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " : "");
    }
    assert_true(time_to_get(&server) < 1.0);
    for (int k = 0; k < 5; ++k) { // a byte now and then
        for (int i = 0; i < ATTACKERS; ++i) {
            send_text(s[i], "x");
        }
        assert_true(time_to_get(&server) < 1.0);
    }
    live_page page;
    assert_int_equal(live_connect(&page, &server, NULL), 101);
    live_text(&page, "scene");
    live_close(&page);
    close_all(s);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void a_request_that_is_not_finished_in_time_is_hung_up_on(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    const int s = open_socket(&server);
    const struct timeval patience = {.tv_sec = 20};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    send_text(s, "GET / HTTP/1.1\r\n");
    char byte;
    const double start = now();
    assert_int_equal(recv(s, &byte, 1, 0), 0);
    assert_true(now() - start < 10.0); // two seconds in fact
    close(s);
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void the_page_is_served_while_200_others_do_not_read_it(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    int s[ATTACKERS];
    char request[200];
    snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", server.port);
    for (int i = 0; i < ATTACKERS; ++i) {
        s[i] = open_socket(&server);
        send_text(s[i], request);
    }
    assert_true(time_to_get(&server) < 1.0);
    close_all(s);
    assert_int_equal(live_stop(&server), CTRL_C);
}

// The status of the close frame that ends the connection.
static int status_after(const live_server *server, const char *bytes, size_t count)
{
    live_page page;
    assert_int_equal(live_connect(&page, server, NULL), 101);
    assert_int_equal(send(page.socket, bytes, count, MSG_NOSIGNAL), (ssize_t)count);
    const int opcode = live_next_opcode(&page, 8);
    assert_int_equal(opcode, 8);
    assert_true(page.bytes >= 2);
    const int status = page.message[0] << 8 | page.message[1];
    char byte;
    assert_true(recv(page.socket, &byte, 1, 0) <= 0); // and nothing follows
    live_close(&page);
    return status;
}

static void frames_that_break_the_protocol_close_the_connection(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t count;
        int status;
    } bad[] = {
        {"\x81\x0e{\"do\":\"pause\"}", 16, 1002},                       // a command, not masked
        {"\x89\x00", 2, 1002},                                          // a ping, not masked
        {"\xc1\x80\x01\x02\x03\x04", 6, 1002},                          // a reserved bit
        {"\x83\x80\x01\x02\x03\x04", 6, 1002},                          // a reserved opcode
        {"\x80\x80\x01\x02\x03\x04", 6, 1002},                          // goes on with nothing
        {"\x09\x80\x01\x02\x03\x04", 6, 1002},                          // a ping in parts
        {"\x01\x80\x01\x02\x03\x04\x81\x80\x01\x02\x03\x04", 12, 1002}, // begins within another
        {"\x82\x80\x01\x02\x03\x04", 6, 1003},                          // no text
        {"\x88\x80\x01\x02\x03\x04", 6, 1000},                          // ends by itself
    };
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const int status = status_after(&server, bad[i].bytes, bad[i].count);
        if (status != bad[i].status) {
            fail_msg("frame %zu: found status %d (expected %d)", i, status, bad[i].status);
        }
    }
    assert_int_equal(live_stop(&server), CTRL_C);
}

static void the_page_comes_with_a_policy_that_allows_its_script_alone(void **state)
{
    (void)state;
    live_server server = {0};
    LIVE_START(&server, PENDULUM);
    static char page[MOST_TEXT];
    assert_int_equal(live_get(&server, "/", NULL, page, sizeof page), 200);
    static const char *const header[] = {
        "\r\nX-Content-Type-Options: nosniff\r\n", "\r\nReferrer-Policy: no-referrer\r\n",
        "\r\nX-Frame-Options: DENY\r\n", "default-src 'none'; ", "frame-ancestors 'none'\r\n"};
    for (size_t i = 0; i < sizeof header / sizeof *header; ++i) {
        assert_non_null(strstr(page, header[i]));
    }
    const char *nonce = strstr(page, "script-src 'nonce-");
    assert_non_null(nonce);
    char tag[100];
    snprintf(tag, sizeof tag, "<script nonce=\"%.32s\">", nonce + strlen("script-src 'nonce-"));
    assert_non_null(strstr(page, tag));
    assert_int_equal(live_get(&server, "/x", NULL, page, sizeof page), 404);
    assert_non_null(strstr(page, "\r\nContent-Security-Policy: default-src 'none'\r\n"));
    assert_int_equal(live_stop(&server), CTRL_C);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_served_while_200_requests_are_not_finished),
        cmocka_unit_test(a_request_that_is_not_finished_in_time_is_hung_up_on),
        cmocka_unit_test(the_page_is_served_while_200_others_do_not_read_it),
        cmocka_unit_test(frames_that_break_the_protocol_close_the_connection),
        cmocka_unit_test(the_page_comes_with_a_policy_that_allows_its_script_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
