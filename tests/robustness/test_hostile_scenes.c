// Small files that ask for much: counts are refused with the place where they are written, and
// nothing takes a time that is quadratic in the length of a file.
#include "near.h"

#include <dashpot/format.h>
#include <dashpot/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FLAT(name, n) "<hfield name='" name "' nrow='" n "' ncol='" n "' size='1 1 1 1'/>\n"
#define ON(name) "<geom type='hfield' hfield='" name "'/>"

static dp_status compile(dp_model **m, const char *text)
{
    dp_spec *spec;
    dp_import_report *report;
    *m = NULL;
    dp_status status = dp_mjcf_parse(&spec, &report, text, strlen(text), "a.xml", NULL);
    if (status == DP_OK) {
        status = dp_model_compile(m, spec);
    }
    dp_spec_destroy(spec);
    dp_import_report_destroy(report);
    return status;
}

static void assert_refused(const char *text, const char *words)
{
    dp_model *m;
    assert_int_not_equal(compile(&m, text), DP_OK);
    if (!strstr(dp_last_error(), words)) {
        fail_msg("found '%s' (expected '%s')", dp_last_error(), words);
    }
    dp_model_destroy(m);
}

static void height_fields_beyond_the_limit_are_refused_where_they_are_written(void **state)
{
    (void)state;
    assert_refused("<mujoco><asset>\n" FLAT("h", "100000") "</asset><worldbody>" ON(
                       "h") "</worldbody></mujoco>",
                   "a.xml:2: hfield 'h' has 100000 × 100000 points, with the height fields before "
                   "it 10000000000 (expected at most 67108864 in all)");
    assert_refused("<mujoco><asset>\n" FLAT("h", "2147483647") "</asset><worldbody>" ON(
                       "h") "</worldbody></mujoco>",
                   "a.xml:2: hfield 'h' has 2147483647 × 2147483647 points");
    assert_refused("<mujoco><asset>\n" FLAT("a", "7000")
                       FLAT("b", "7000") "</asset><worldbody>" ON("a")
                           ON("b") "</worldbody></mujoco>",
                   "a.xml:3: hfield 'b' has 7000 × 7000 points, with the height fields before it "
                   "98000000 (expected at most 67108864 in all)");
}

// [s] Of the processor, to make a simulation of bodies in bodies, of which none has a joint.
static double time_of_nesting(int depth)
{
    static const char head[] = "<mujoco><worldbody>", open[] = "<body>", close[] = "</body>";
    static const char tail[] = "<body pos='9 0 0'><freejoint/><geom size='1'/></body>"
                               "<geom type='plane' size='9 9 9'/></worldbody></mujoco>";
    char *text = malloc(sizeof head + sizeof tail + (size_t)depth * (sizeof open + sizeof close));
    assert_non_null(text);
    char *at = text + sprintf(text, "%s", head);
    for (int i = 0; i < 2 * depth; ++i) {
        at += sprintf(at, "%s", i < depth ? open : close);
    }
    sprintf(at, "%s", tail);
    dp_model *m;
    dp_data *d;
    assert_int_equal(compile(&m, text), DP_OK);
    const clock_t start = clock();
    assert_int_equal(dp_data_create(&d, m, NULL), DP_OK);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    dp_data_destroy(d);
    dp_model_destroy(m);
    free(text);
    return seconds;
}

static void the_time_for_nested_bodies_grows_with_their_number(void **state)
{
    (void)state;
    const double one = time_of_nesting(4000), ten = time_of_nesting(40000);
    if (ten > 30.0 * one + 0.05) { // quadratic: 100 times
        fail_msg("4000 bodies take %g s, 40000 take %g s", one, ten);
    }
}

static void *no_more_than_a_gibibyte(void *context, size_t bytes)
{
    (void)context;
    return bytes <= (size_t)1 << 30 ? malloc(bytes) : NULL;
}

static void release(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(memory);
}

// A chain of n joints has an inertia matrix of n (n + 1)/2 entries, which contacts need.
static void a_simulation_that_is_too_large_is_refused_with_its_size(void **state)
{
    (void)state;
    enum { LINKS = 20000 };
    static const char link[] = "<body><joint/><geom size='1'/>";
    char *text = malloc((size_t)LINKS * (sizeof link + 8) + 100);
    assert_non_null(text);
    char *at = text + sprintf(text, "<mujoco><worldbody>");
    for (int i = 0; i < LINKS; ++i) {
        at += sprintf(at, "%s", link);
    }
    for (int i = 0; i < LINKS; ++i) {
        at += sprintf(at, "</body>");
    }
    sprintf(at, "</worldbody></mujoco>");
    dp_model *m;
    dp_data *d;
    assert_int_equal(compile(&m, text), DP_OK);
    const dp_allocator small = {NULL, no_more_than_a_gibibyte, release};
    assert_int_equal(dp_data_create(&d, m, &small), DP_ERROR_MEMORY);
    assert_null(d);
    assert_non_null(strstr(dp_last_error(), "a simulation of 20001 bodies and 20000 degrees of "
                                            "freedom, whose inertia matrix has 200010000 entries: "
                                            "out of memory"));
    dp_model_destroy(m);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(height_fields_beyond_the_limit_are_refused_where_they_are_written),
        cmocka_unit_test(the_time_for_nested_bodies_grows_with_their_number),
        cmocka_unit_test(a_simulation_that_is_too_large_is_refused_with_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
