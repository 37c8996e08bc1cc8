// `dashpot paper t-…`: what [CastroQuKuppuswamyAlspachSherman2020] shows of implicit Euler.
#include "near.h"
#include "paper_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *work; // what t-fig5 prints

static int run_work(void **state)
{
    (void)state;
    const char *json = paper_json("t-fig5");
    const size_t bytes = strlen(json) + 1;
    work = malloc(bytes);
    if (work) {
        memcpy(work, json, bytes);
    }
    return work ? 0 : -1;
}

static int forget_work(void **state)
{
    (void)state;
    free(work);
    return 0;
}

static void newton_cycles_between_two_points_where_the_box_comes_to_stick(void **state)
{
    (void)state;
    const char *json = paper_json("t-fig4");
    assert_near(paper_ours(json, "box", "start of the first step from slipping to sticking"), 0.16,
                1e-12);
    assert_near(paper_ours(json, "plain Newton", "it converges (1: yes)"), 0.0, 0.0);
    assert_near(paper_ours(json, "plain Newton", "length of the cycle of its iterates"), 2.0, 0.0);
    assert_near(paper_ours(json, "transition-aware", "iterations"), 3.0, 0.0);
    // Straight up to the round-off of residuals whose terms are of the size 0.1 m/s, and of a slope
    // by differences: 1e-8 of it.
    assert_near(paper_ours(json, "transition-aware", "residual after the second"), 0.0, 1e-8);
    assert_true(paper_ours(json, "transition-aware",
                           "residual after the step that is held back, over that before") > 1.0);
    // Straight pieces: Newton's method ends at the round-off of gaps of 3e-4 m, over 17 steps.
    assert_near(paper_ours(json, "law ode, implicit Euler",
                           "velocities up to there, from those of one equation"),
                0.0, 1e-11);
    assert_near(paper_ours(json, "law ode, implicit Euler", "steps that had to be halved"), 0.0,
                0.0);
}

static void closed_forms_are_the_references_of_the_paper(void **state)
{
    (void)state;
    // 250 000 additions to a velocity of 0.1 m/s, each rounded to 1e-17.
    assert_near(
        paper_ours(work, "reference", "closed forms less Runge–Kutta of order 3, h = 1e-7 s"), 0.0,
        1e-11);
}

static void implicit_euler_has_order_one_by_every_newton_method(void **state)
{
    (void)state;
    static const char *const names[] = {"full Newton", "full Newton, transition-aware",
                                        "quasi-Newton", "quasi-Newton, transition-aware"};
    static const char *const controls[] = {"fixed steps, strict Newton",
                                           "error control, strict Newton"};
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 4; ++k) {
            char quantity[96];
            snprintf(quantity, sizeof quantity, "order, %s", names[k]);
            // Twenty transitions in five seconds, each with an error of its own.
            assert_near(paper_ours(work, controls[i], quantity), 1.0, 0.05);
        }
    }
}

static void what_transition_awareness_saves_is_the_patience_of_newton(void **state)
{
    (void)state;
    const char *full = "best saving by transition awareness, full Newton";
    const char *quasi = "best saving by transition awareness, quasi-Newton";
    const double strict = paper_ours(work, "fixed steps, strict Newton", full);
    const double patient = paper_ours(work, "fixed steps, patient Newton", full);
    assert_true(strict > 1.2 && strict < 2.0); // a third of the iterations of a few steps
    assert_true(patient > 8.0);                // fifty iterations for nothing
    assert_true(paper_ours(work, "fixed steps, strict Newton", quasi) > 2.0);
    assert_true(paper_ours(work, "error control, strict Newton", full) > 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_cycles_between_two_points_where_the_box_comes_to_stick),
        cmocka_unit_test(closed_forms_are_the_references_of_the_paper),
        cmocka_unit_test(implicit_euler_has_order_one_by_every_newton_method),
        cmocka_unit_test(what_transition_awareness_saves_is_the_patience_of_newton),
    };
    return cmocka_run_group_tests(tests, run_work, forget_work);
}
