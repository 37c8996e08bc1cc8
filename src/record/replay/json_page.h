// JSON for a page: text that is safe within a script element, and arrays of numbers in a few bytes.
#ifndef DP_RECORD_JSON_PAGE_H
#define DP_RECORD_JSON_PAGE_H

#include "io/codec/zlib_stream.h"

/// Where the writer stands. The first failure stays; nothing is written after it.
typedef struct dp_json_page {
    dp_byte_buffer out;
    bool filled; // the object or array that is open has an element
    dp_status status;
} dp_json_page;

// `key` is NULL inside arrays and for the outermost object.
void dp_json_open(dp_json_page *j, const char *key, char bracket); // '{' or '['
void dp_json_close(dp_json_page *j, char bracket);                 // '}' or ']'
void dp_json_text(dp_json_page *j, const char *key, const char *text);
void dp_json_number(dp_json_page *j, const char *key, double x); // 7 digits; not finite: null
void dp_json_numbers(dp_json_page *j, const char *key, const double *x, int count);
void dp_json_count(dp_json_page *j, const char *key, long long n);
void dp_json_bool(dp_json_page *j, const char *key, bool b);
/// Bytes as text: compressed (zlib), then base64.
void dp_json_bytes(dp_json_page *j, const char *key, const unsigned char *bytes, size_t count);

#endif
