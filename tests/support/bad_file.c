#include "bad_file.h"

#include "near.h"

#include <string.h>

void assert_files_refused(file_parser parse, const char *path, const bad_file *bad, int count)
{
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        dp_spec *spec = (dp_spec *)1; // must be overwritten
        const dp_status status = parse(&spec, NULL, bad[i].text, strlen(bad[i].text), path, NULL);
        if (status != bad[i].status || !strstr(dp_last_error(), bad[i].message)) {
            print_error("%s\n  found    %s: %s\n  expected %s: %s\n", bad[i].text,
                        dp_status_name(status), status == DP_OK ? "" : dp_last_error(),
                        dp_status_name(bad[i].status), bad[i].message);
            ++wrong;
        }
        if (status != DP_OK) {
            assert_null(spec);
        }
        dp_spec_destroy(spec);
    }
    assert_int_equal(wrong, 0);
}

void assert_files_load(file_parser parse, const char *path, const char *const *text, int count)
{
    for (int i = 0; i < count; ++i) {
        dp_spec *spec;
        if (parse(&spec, NULL, text[i], strlen(text[i]), path, NULL) != DP_OK) {
            fail_msg("%s", dp_last_error());
        }
        dp_spec_destroy(spec);
    }
}
