#include "bad_mechanism.h"

#include <stdio.h>
#include <string.h>

void assert_sound(spec_maker make)
{
    dp_spec *spec;
    dp_model *m;
    assert_int_equal(make(&spec, NULL), DP_OK);
    if (dp_model_compile(&m, spec) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

// Spoil, compile and compare the status. The message is dp_last_error().
static void refuse(spec_maker make, const bad_mechanism *bad)
{
    dp_spec *spec;
    assert_int_equal(make(&spec, NULL), DP_OK);
    dp_model *m = NULL;
    dp_status status = bad->spoil(spec);
    if (status == DP_OK) {
        status = dp_model_compile(&m, spec);
    }
    if (status != bad->status) {
        fail_msg("%s: %s (expected %s)", bad->name, dp_status_name(status),
                 dp_status_name(bad->status));
    }
    assert_null(m);
    dp_spec_destroy(spec);
}

void assert_refused(spec_maker make, const bad_mechanism *bad, int count)
{
    for (int i = 0; i < count; ++i) {
        refuse(make, &bad[i]);
        for (int k = 0; k < MAX_FRAGMENTS && bad[i].fragment[k]; ++k) {
            if (!strstr(dp_last_error(), bad[i].fragment[k])) {
                fail_msg("%s: the message is \"%s\" (expected it to contain \"%s\")", bad[i].name,
                         dp_last_error(), bad[i].fragment[k]);
            }
        }
    }
}

void assert_helpful(spec_maker make, const bad_mechanism *bad, int count)
{
    static const char *const hint[] = {"(expected",         "(to go on",        "did you mean",
                                       "the model has",     "the nearest name", "missing",
                                       "has a name like it"};
    for (int i = 0; i < count; ++i) {
        refuse(make, &bad[i]);
        bool helpful = false;
        for (size_t k = 0; k < sizeof hint / sizeof *hint; ++k) {
            helpful = helpful || strstr(dp_last_error(), hint[k]);
        }
        if (!helpful) {
            fail_msg("%s: \"%s\" says nothing of what was expected", bad[i].name, dp_last_error());
        }
    }
}
