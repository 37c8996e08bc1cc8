// Memory of a report on reactions: every allocation fails once, nothing leaks, sizes are given
// back right, and what was asked is not changed.
#include "counting_allocator.h"
#include "mechanism.h"

#include <dashpot/advanced/statics.h>
#include <dashpot/format.h>

#include <math.h>
#include <string.h>

// A table that slides, with a lid on two hinges: contacts, friction, equalities, motion.
static const char table[] =
    "<mujoco><worldbody><geom type='plane' size='5 5 1' friction='.2'/><body pos='0 0 .2'>"
    "<freejoint/><geom type='box' size='.2 .2 .01' contype='0' conaffinity='0'/>"
    "<geom size='.05' pos='.2 .2 -.15' friction='.2'/>"
    "<geom size='.05' pos='-.2 .2 -.15' friction='.2'/>"
    "<geom size='.05' pos='-.2 -.2 -.15' friction='.2'/>"
    "<geom size='.05' pos='.2 -.2 -.15' friction='.2'/>"
    "<body name='lid' pos='0 0 .1'><joint axis='0 1 0'/>"
    "<geom type='box' size='.1 .1 .01' contype='0' conaffinity='0'/></body></body></worldbody>"
    "<equality><weld body1='lid'/></equality></mujoco>";

// The same at rest and without the weld to the world.
static mechanism prepare(bool moving)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, table, strlen(table), "table.xml", NULL));
    mechanism x = mechanism_from(spec);
    dp_data_set_equality_active(x.d, (dp_equality_id){0}, !moving);
    dp_data_v(x.d)[0] = moving ? 0.5 : 0.0;
    return x;
}

static void each_allocation_may_fail_in_turn(void **state)
{
    (void)state;
    for (int moving = 0; moving < 2; ++moving) {
        mechanism x = prepare(moving != 0);
        counting_allocator counts = {0};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_statics *s;
        assert_ok(dp_statics_create(&s, x.d, NULL, &allocator));
        assert_true(dp_statics_count(s) > 10);
        dp_statics_destroy(s);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
        const size_t calls = counts.calls;
        assert_true(calls > 10);
        for (size_t k = 1; k <= calls; ++k) {
            counts = (counting_allocator){.fail_at = k};
            assert_int_equal(dp_statics_create(&s, x.d, NULL, &allocator), DP_ERROR_MEMORY);
            assert_null(s);
            assert_non_null(strstr(dp_last_error(), "out of memory"));
            assert_int_equal(counts.blocks, 0);
            assert_int_equal(counts.wrong_sizes, 0);
        }
        mechanism_end(&x);
    }
}

// What the state does not allow is reported as dp_forward tells it.
static void a_state_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    mechanism x = prepare(false);
    dp_data_q(x.d)[0] = (double)NAN;
    dp_statics *s;
    assert_int_equal(dp_statics_create(&s, x.d, NULL, NULL), DP_ERROR_NUMERIC);
    assert_null(s);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail_in_turn),
        cmocka_unit_test(a_state_that_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
