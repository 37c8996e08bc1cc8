// `dashpot bench`, run as a user runs it.
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RAMP DP_SCENES "/contact/ramp.xml"
#define STACK DP_SCENES "/contact/sphere_stack.xml"

static void the_hash_is_that_of_every_run_with_any_number_of_threads(void **state)
{
    (void)state;
    char alone[17];
    const program_result *r = RUN("bench", STACK, "--seconds", "0.1", "--hash");
    assert_int_equal(r->code, 0);
    assert_int_equal(strspn(r->out, "0123456789abcdef"), 16);
    snprintf(alone, sizeof alone, "%.16s", r->out);
    static const char *const threads[] = {"1", "2", "3"};
    for (int i = 0; i < 3; ++i) {
        r = RUN("bench", STACK, "--seconds", "0.1", "--hash", "--threads", threads[i]);
        assert_int_equal(strncmp(r->out, alone, 16), 0);
    }
    r = RUN("bench", STACK, "--seconds", "0.1", "--repeat", "2");
    assert_non_null(strstr(r->out, alone)); // of the last of three
    r = RUN("bench", STACK, "--seconds", "0.11", "--hash");
    assert_null(strstr(r->out, alone)); // a step more is another state
}

static void speed_and_how_well_contacts_are_met_are_told(void **state)
{
    (void)state;
    const program_result *r = RUN("bench", RAMP, "--seconds", "0.5", "--repeat", "3", "--json");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    assert_near(json_number(r->out, NULL, "steps"), 50.0, 0.0);
    assert_near(json_number(r->out, NULL, "runs"), 3.0, 0.0);
    assert_near(json_number(r->out, NULL, "contacts"), 8.0, 0.0); // two boxes
    const double speed = json_number(r->out, NULL, "steps_per_cpu_second");
    assert_true(speed > 0.0 && speed >= json_number(r->out, NULL, "least") &&
                speed <= json_number(r->out, NULL, "most"));
    // 4 kg on 1e7 N/m, at 20°; at an edge twice that, as long as the box settles
    const double sink = 4.0 * 9.81 * cos(20.0 * 3.14159265358979323846 / 180.0) / 1e7;
    const double penetration = json_number(r->out, NULL, "penetration");
    assert_true(penetration > 0.99 * sink && penetration < 2.0 * sink);
    assert_true(json_number(r->out, NULL, "creep") <= 1e-9); // the law's tolerance
    assert_near(json_number(r->out, NULL, "unsolved_steps"), 0.0, 0.0);
}

static void step_and_settings_count(void **state)
{
    (void)state;
    const program_result *r = RUN("bench", RAMP, "--seconds", "0.1", "--step", "0.005", "--repeat",
                                  "1", "--set", "disable_contact=true", "--json");
    assert_int_equal(r->code, 0);
    assert_near(json_number(r->out, NULL, "steps"), 20.0, 0.0);
    assert_near(json_number(r->out, NULL, "contacts"), 0.0, 0.0);
}

static void bad_usage_is_refused_in_words(void **state)
{
    (void)state;
    static const struct {
        const char *argument[4], *words;
    } bad[] = {
        {{RAMP, "--repeat", "0"}, "--repeat must be 1 to 1000 (found 0)"},
        {{RAMP, "--seconds", "0"}, "--seconds must be above 0 (found 0)"},
        {{RAMP, "--step", "-1"}, "--step must be above 0 (found -1)"},
        {{RAMP, "--seconds", "1e-9"}, "are 0 steps"},
        {{RAMP, "--threads", "0"}, "0 threads"},
        {{RAMP, "--keyframe", "none"}, "none"},
        {{RAMP, "--set", "gravty=0"}, "gravty"},
        {{DP_SCENES "/missing.xml"}, "missing.xml"},
        {{NULL}, "SCENE"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const program_result *r =
            RUN("bench", bad[i].argument[0], bad[i].argument[1], bad[i].argument[2]);
        assert_int_equal(r->code, 2);
        if (!strstr(r->err, bad[i].words)) {
            fail_msg("found no '%s' in: %s", bad[i].words, r->err);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_is_that_of_every_run_with_any_number_of_threads),
        cmocka_unit_test(speed_and_how_well_contacts_are_met_are_told),
        cmocka_unit_test(step_and_settings_count),
        cmocka_unit_test(bad_usage_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
