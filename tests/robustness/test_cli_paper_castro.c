// `dashpot paper t-…`: what [CastroQuKuppuswamyAlspachSherman2020] shows.
#include "near.h"
#include "paper_rows.h"

static void the_gripper_holds_the_mug_in_three_iterations_a_step_with_order_one(void **state)
{
    (void)state;
    const char *json = paper_json("t-fig8"), *of = "5 s, h = 3 ms";
    assert_true(paper_ours(json, of, "furthest that the mug slips in the grip") < 0.05);
    assert_near(paper_ours(json, of, "steps that were not solved"), 0.0, 0.0);
    assert_true(paper_ours(json, of, "Newton iterations of a step") <= 3.2);
    assert_near(paper_ours(json, "law tamsi", "order of the velocity"), 1.0, 0.1);
    assert_near(paper_ours(json, "law tamsi", "order of the angular velocity"), 1.0, 0.1);
    // Its friction has no slip speed: they differ by what 1e-4 m/s makes of 0.3 m/s.
    assert_near(paper_ours(json, "law compliant", "smallest error of the velocity"), 0.0, 3e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gripper_holds_the_mug_in_three_iterations_a_step_with_order_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
