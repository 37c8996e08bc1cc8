#include "written.h"

#include <stdlib.h>
#include <string.h>

char *written(const dp_spec *spec)
{
    char *text;
    size_t bytes;
    assert_ok(dp_mjcf_write(&text, &bytes, spec, NULL));
    assert_int_equal(strlen(text), bytes);
    return text;
}

dp_spec *read_written(const char *text)
{
    dp_spec *spec;
    if (dp_mjcf_parse(&spec, NULL, text, strlen(text), "written.xml", NULL) != DP_OK) {
        fail_msg("%s\n%s", dp_last_error(), text);
    }
    return spec;
}

dp_spec *round_trip(const dp_spec *spec)
{
    char *text = written(spec);
    dp_spec *again = read_written(text);
    assert_same_spec(spec, again);
    char *second = written(again);
    assert_string_equal(text, second);
    free(text);
    free(second);
    return again;
}

void assert_round_trip(const dp_spec *spec)
{
    dp_spec_destroy(round_trip(spec));
}

void assert_holds(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    if (!at || strstr(at + 1, part)) {
        fail_msg("%s: %s in\n%s", at ? "found twice" : "not found", part, text);
    }
}

void assert_not_written(const dp_spec *spec, dp_status expected, const char *part)
{
    char *text = (char *)1;
    size_t bytes = 1;
    const dp_status status = dp_mjcf_write(&text, &bytes, spec, NULL);
    if (status != expected || !strstr(dp_last_error(), part)) {
        fail_msg("%s: %s (expected %s: … %s …)", dp_status_name(status), dp_last_error(),
                 dp_status_name(expected), part);
    }
    assert_null(text);
    assert_int_equal(bytes, 0);
}
