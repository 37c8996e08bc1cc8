// JSON on stdout or to a file, written as it is made. Always valid: numbers that are not finite
// become null, text that is not UTF-8 gets replacement characters.
#ifndef DASHPOT_CLI_JSON_H
#define DASHPOT_CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

/// Where the writer stands. Start with all zeros.
typedef struct cli_json {
    FILE *file; // NULL: stdout
    int depth;
    bool filled[16]; // whether the object or array at this depth has an element yet
} cli_json;

// `key` is NULL inside arrays and for the outermost object.
void cli_json_open(cli_json *json, const char *key);  ///< {
void cli_json_close(cli_json *json);                  ///< }
void cli_json_array(cli_json *json, const char *key); ///< [ of objects, one per line
void cli_json_end(cli_json *json);                    ///< ]
void cli_json_text(cli_json *json, const char *key, const char *text);
void cli_json_number(cli_json *json, const char *key, double x); ///< 17 digits
void cli_json_count(cli_json *json, const char *key, long long n);
void cli_json_bool(cli_json *json, const char *key, bool b);
void cli_json_null(cli_json *json, const char *key);
void cli_json_raw(cli_json *json, const char *key, const char *text); ///< JSON as it is
void cli_json_numbers(cli_json *json, const char *key, const double *x, int count);

#endif
