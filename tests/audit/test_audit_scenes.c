// The instrument itself: texts of scenes, and their reduction.
#include "audit_scene.h"
#include "audit_shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void scenes_read_back_to_the_same_text(void **state)
{
    (void)state;
    static audit_scene drawn, read;
    for (uint64_t seed = 1; seed <= 500; ++seed) {
        audit_generate(&drawn, seed);
        drawn.option.law = (audit_law)(seed % AUDIT_LAWS);
        char *text = audit_write_mjcf(&drawn, NULL);
        const char *problem = audit_read_mjcf(&read, text);
        if (problem) {
            print_error("seed %llu: %s\n", (unsigned long long)seed, problem);
        }
        assert_null(problem);
        char *again = audit_write_mjcf(&read, NULL);
        assert_string_equal(text, again);
        free(again);
        free(text);
    }
}

static void the_same_seed_draws_the_same_scene(void **state)
{
    (void)state;
    static audit_scene a, b;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        audit_generate(&a, seed);
        audit_generate(&b, seed);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

// A violation that needs one actuated joint and nothing else.
static bool has_actuator_on_a_joint(void *context, const audit_scene *s)
{
    (void)context;
    for (int i = 0; i < s->nactuator; ++i) {
        if (s->actuator[i].target == AUDIT_ON_JOINT) {
            return true;
        }
    }
    return false;
}

static bool cannot_advance(void *context, audit_scene *s, int steps)
{
    (void)context;
    (void)s;
    (void)steps;
    return false;
}

static bool never_expires(void *context)
{
    (void)context;
    return false;
}

static void reduction_leaves_what_the_violation_needs(void **state)
{
    (void)state;
    static audit_scene s;
    int reduced = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        audit_generate(&s, seed);
        if (!has_actuator_on_a_joint(NULL, &s)) {
            continue;
        }
        audit_shrink(&s, has_actuator_on_a_joint, cannot_advance, never_expires, NULL);
        ++reduced;
        assert_int_equal(s.nactuator, 1);
        assert_int_equal(s.njoint, 1);
        assert_int_equal(s.ngeom + s.nsite + s.ntendon + s.nequality + s.nmotion + s.nforce, 0);
        assert_int_equal(s.nsteps, 1);
        assert_int_equal(s.actuator[0].object, 0);
        assert_int_equal(s.nmesh + s.hfield.nrow, 0);
    }
    assert_true(reduced > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_read_back_to_the_same_text),
        cmocka_unit_test(the_same_seed_draws_the_same_scene),
        cmocka_unit_test(reduction_leaves_what_the_violation_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
