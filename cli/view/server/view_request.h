// Heads of HTTP requests, as strictly as RFC 9112 allows. No input and output here.
#ifndef DASHPOT_CLI_VIEW_REQUEST_H
#define DASHPOT_CLI_VIEW_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

/// What is asked for. Texts lie in the head that was read; "" where there is none.
typedef struct view_request {
    const char *method, *path, *query; // query: behind the first "?"
    const char *host, *origin, *upgrade, *connection, *key, *version;
} view_request;

/// The length of the head that the bytes begin with, its empty line included; 0: it is not whole.
size_t view_request_bytes(const char *bytes, size_t count);
/// Read a head in place. False: it is malformed, or says one of these things twice.
bool view_request_read(view_request *out, char *head, size_t bytes);
/// Whether a list such as "keep-alive, Upgrade" has the word, whatever the case of its letters.
bool view_request_lists(const char *list, const char *word);

#endif
