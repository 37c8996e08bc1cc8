// `dashpot paper t-allegro`: what [CastroQuKuppuswamyAlspachSherman2020] shows of a hand.
#include "near.h"
#include "paper_rows.h"

static void the_hand_keeps_the_mug_and_turns_it_by_half_a_radian_to_both_sides(void **state)
{
    (void)state;
    const char *json = paper_json("t-allegro");
    static const char *const laws[] = {"tamsi", "compliant"};
    for (int i = 0; i < 2; ++i) {
        // The tips are balls of 12 mm: what has gone less far has not left them.
        assert_true(paper_ours(json, laws[i], "furthest that the mug goes in the hand") < 0.012);
        assert_true(paper_ours(json, laws[i], "turned to one side") > 0.5);
        assert_true(paper_ours(json, laws[i], "turned to the other") < -0.5);
        assert_near(paper_ours(json, laws[i], "steps that were not solved"), 0.0, 0.0);
        assert_near(paper_ours(json, laws[i], "contact points that push"), 4.0, 0.01);
    }
    assert_true(paper_ours(json, "tamsi", "Newton iterations of a step") <= 3.2);
    assert_near(paper_theirs(json, "tamsi", "times real time"), 2.14, 0.0);
    // What differs is creep: 1e-4 m/s at most at fingers 45 mm apart, for two periods of 1.5 s.
    assert_near(paper_ours(json, "tamsi", "turned to one side"),
                paper_ours(json, "compliant", "turned to one side"), 1e-4 * 3.0 / 0.045);
}

static void implicit_euler_of_the_hand_gains_by_transition_awareness(void **state)
{
    (void)state;
    const char *json = paper_json("t-allegro"), *aware = "implicit Euler, transition-aware";
    const char *plain = "implicit Euler, plain", *evaluations = "evaluations of a step";
    assert_near(paper_ours(json, "tamsi", evaluations), 1.0, 0.0);
    // One Jacobian of 22 slopes for each step, at least.
    assert_true(paper_ours(json, aware, evaluations) > 23.0);
    assert_true(paper_ours(json, plain, evaluations) > 1.5 * paper_ours(json, aware, evaluations));
    assert_true(paper_ours(json, plain, "parts of a step") >
                paper_ours(json, aware, "parts of a step"));
    // All go the same way, but for what 0.7 ms leave of it: 4 rad/s at most, for one step.
    assert_near(paper_ours(json, plain, "turned to one side"),
                paper_ours(json, aware, "turned to one side"), 4.0 * 0.0007);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hand_keeps_the_mug_and_turns_it_by_half_a_radian_to_both_sides),
        cmocka_unit_test(implicit_euler_of_the_hand_gains_by_transition_awareness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
