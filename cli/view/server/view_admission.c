// Which requests the server of `dashpot view` answers.
#include "view/server/view_admission.h"

#include "view/server/websocket.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_same(const char *a, const char *b, size_t n)
{
    unsigned differ = 0; // in a time that does not tell where
    for (size_t i = 0; i < n; ++i) {
        differ |= (unsigned)(a[i] ^ b[i]);
    }
    return differ == 0;
}

static bool is_own_host(int port, const char *host)
{
    char own[64];
    static const char *const name[] = {"127.0.0.1", "localhost"};
    for (int i = 0; port > 0 && i < 2; ++i) {
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
    return strncmp(origin, scheme, strlen(scheme)) == 0 &&
           strcmp(origin + strlen(scheme), host) == 0;
}

static bool has_token(const char *token, const char *query)
{
    static const char key[] = "token=";
    return strlen(query) == strlen(key) + strlen(token) && strncmp(query, key, strlen(key)) == 0 &&
           is_same(query + strlen(key), token, strlen(token));
}

int view_find_fault(const char **words, const view_request *r, int port, const char *token)
{
    const bool get = strcmp(r->method, "GET") == 0, head = strcmp(r->method, "HEAD") == 0;
    const bool upgrade = r->upgrade[0] != '\0';
    if (!is_own_host(port, r->host)) {
        *words = "another host was asked for";
        return 403;
    }
    if (!upgrade && strcmp(r->path, "/") == 0 && (get || head)) {
        return 0;
    }
    if (!upgrade || !get) {
        *words = "there is only /";
        return 404;
    }
    if (strcmp(r->path, "/live") != 0 || !is_own_origin(r->origin, r->host) ||
        !has_token(token, r->query)) {
        *words = "a page of this server is expected, with its token";
        return 403;
    }
    if (strcasecmp(r->upgrade, "websocket") != 0 || !view_request_lists(r->connection, "upgrade") ||
        strcmp(r->version, "13") != 0 || !websocket_is_key(r->key)) {
        *words = "a handshake of WebSocket, version 13, is expected";
        return 400;
    }
    return 0;
}
