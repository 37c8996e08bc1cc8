// Handshakes and heads of frames (RFC 6455), and heads of requests.
#include "near.h"
#include "view/server/view_request.h"
#include "view/server/websocket.h"

#include <stdlib.h>
#include <string.h>

static void the_answer_to_the_key_of_the_rfc_is_that_of_the_rfc(void **state)
{
    (void)state;
    char accept[WEBSOCKET_ACCEPT + 1];
    websocket_accept(accept, "dGhlIHNhbXBsZSBub25jZQ=="); // section 1.3
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_true(websocket_is_key("dGhlIHNhbXBsZSBub25jZQ=="));
    assert_false(websocket_is_key("dGhlIHNhbXBsZSBub25jZQ="));
    assert_false(websocket_is_key("dGhlIHNhbXBsZSBub25jZQA="));
    assert_false(websocket_is_key(""));
}

static void heads_that_a_client_must_not_send_are_refused(void **state)
{
    (void)state;
    static const unsigned char bad[][2] = {
        {0x81, 0x05},                                           // not masked
        {0xC1, 0x85}, {0xA1, 0x85}, {0x91, 0x85},               // reserved bits
        {0x83, 0x80}, {0x87, 0x80}, {0x8B, 0x80}, {0x8F, 0x80}, // reserved opcodes
        {0x09, 0x80},                                           // a ping in parts
        {0x89, 0xFE}, {0x88, 0xFF}                              // a ping and a close that are long
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(websocket_head_bytes(bad[i]), 0);
    }
    static const unsigned char good[][2] = {{0x81, 0x85}, {0x01, 0xFE}, {0x80, 0xFF}, {0x8A, 0xFD}};
    static const size_t bytes[] = {6, 8, 14, 6};
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        assert_int_equal(websocket_head_bytes(good[i]), bytes[i]);
    }
    websocket_head head;
    assert_false(websocket_read_head(&head, (unsigned char[]){0x81, 0xFE, 0, 125, 1, 2, 3, 4}));
    assert_true(websocket_read_head(&head, (unsigned char[]){0x81, 0xFE, 0, 126, 1, 2, 3, 4}));
    assert_true(head.last && head.opcode == WEBSOCKET_TEXT && head.bytes == 126);
    assert_int_equal(head.mask[3], 4);
    assert_false(websocket_read_head(
        &head, (unsigned char[]){0x81, 0xFF, 0x80, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4}));
}

static bool is_read(view_request *out, char *copy, const char *text)
{
    strcpy(copy, text);
    const size_t n = strlen(text);
    return view_request_bytes(copy, n) == n && view_request_read(out, copy, n);
}

static void requests_are_read_strictly(void **state)
{
    (void)state;
    view_request r;
    char copy[500];
    assert_true(is_read(&r, copy,
                        "GET /live?token=1 HTTP/1.1\r\nhOST:  a:1 \r\nConnection: keep-alive, "
                        "Upgrade\r\nOther: x:y\r\n\r\n"));
    assert_string_equal(r.method, "GET");
    assert_string_equal(r.path, "/live");
    assert_string_equal(r.query, "token=1");
    assert_string_equal(r.host, "a:1");
    assert_string_equal(r.origin, "");
    assert_true(view_request_lists(r.connection, "upgrade"));
    assert_false(view_request_lists("upgraded", "upgrade"));
    static const char *const bad[] = {
        "\r\n\r\n",
        "GET /\r\n\r\n",
        "GET / HTTP/2\r\n\r\n",
        " / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: \x01\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        if (is_read(&r, copy, bad[i])) {
            fail_msg("request %zu is read", i);
        }
    }
}

static void damaged_requests_are_read_or_refused_within_their_bytes(void **state)
{
    (void)state;
    random_source random = {3};
    for (int i = 0; i < 20000; ++i) {
        static const char piece[][12] = {"GET ",  "/",         " HTTP/1.1", "\r\n", "\r\n\r\n",
                                         "Host:", " ",         ":",         "?",    "\n",
                                         "x",     "Origin: a", "\xff"};
        char text[200] = "";
        for (int k = 0; k < 12; ++k) {
            strcat(text, piece[random_bits(&random) % (sizeof piece / sizeof *piece)]);
        }
        strcat(text, "\r\n\r\n");
        const size_t n = view_request_bytes(text, strlen(text));
        char *exact = malloc(n); // without a zero behind it
        assert_non_null(exact);
        memcpy(exact, text, n);
        view_request r;
        (void)view_request_read(&r, exact, n);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_to_the_key_of_the_rfc_is_that_of_the_rfc),
        cmocka_unit_test(heads_that_a_client_must_not_send_are_refused),
        cmocka_unit_test(requests_are_read_strictly),
        cmocka_unit_test(damaged_requests_are_read_or_refused_within_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
