// WebSocket (RFC 6455), as far as a server needs it: the answer to a handshake, and the heads of
// frames. No input and output here.
#ifndef DASHPOT_CLI_WEBSOCKET_H
#define DASHPOT_CLI_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WEBSOCKET_CONTINUATION = 0,
    WEBSOCKET_TEXT = 1,
    WEBSOCKET_BINARY = 2,
    WEBSOCKET_CLOSE = 8,
    WEBSOCKET_PING = 9,
    WEBSOCKET_PONG = 10,

    WEBSOCKET_NORMAL = 1000,      // status of a close frame, section 7.4.1
    WEBSOCKET_PROTOCOL = 1002,    // the other side breaks the protocol
    WEBSOCKET_UNSUPPORTED = 1003, // no text

    WEBSOCKET_KEY = 24,       // characters of a client's key
    WEBSOCKET_ACCEPT = 28,    // characters of the answer to it
    WEBSOCKET_HEAD = 10,      // most bytes in front of a server's payload
    WEBSOCKET_MOST_HEAD = 14, // and of a client's
};

/// Whether a key is one: 16 bytes in base64.
bool websocket_is_key(const char *key);
/// Sec-WebSocket-Accept for a key (section 4.2.2).
void websocket_accept(char out[WEBSOCKET_ACCEPT + 1], const char *key);

/// The head of a frame from a client.
typedef struct websocket_head {
    bool last; // of its message
    int opcode;
    uint64_t bytes;        // of payload
    unsigned char mask[4]; // of payload
} websocket_head;

/// How long the head is that begins with these two bytes, or 0 where a client must not send it: not
/// masked (section 5.1), reserved bits or opcodes, a control frame that is long or in parts.
size_t websocket_head_bytes(const unsigned char first[2]);
/// Read a head, all of it. False: its length is not written in the shortest way, or beyond 2⁶³.
bool websocket_read_head(websocket_head *out, const unsigned char *bytes);
/// Write the head of a frame that is a whole message, not masked. @return its length
size_t websocket_write_head(unsigned char out[WEBSOCKET_HEAD], int opcode, size_t bytes);

#endif
