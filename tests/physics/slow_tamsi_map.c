// Two boxes on each other, the upper one pushed about: how often the law `tamsi` does not solve a
// step, over slip speeds, stiffnesses, ratios of masses and steps.
#include "mechanism.h"

#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double GRAVITY = 9.81;

// The push is stronger than friction at times, so that both slip and stick.
static mechanism stack(double k, double ratio, double h)
{
    char text[900];
    const double push = 0.7 * 0.5 * GRAVITY * ratio;
    snprintf(text, sizeof text,
             "<mujoco xmlns:dp='dashpot'><option timestep='%.17g'/>"
             "<dp:option law='tamsi' law.tolerance='1e-10' max_halvings='0'/>"
             "<default><geom type='box' size='.1 .1 .1' friction='0.5' dp:stiffness='%.17g' "
             "dp:dissipation='1'/></default><worldbody><geom type='plane' size='5 5 1'/>"
             "<body name='a' pos='0 0 0.1'><freejoint/><geom mass='1'/></body>"
             "<body name='b' pos='0.01 0 0.3'><freejoint/><geom mass='%.17g'/></body></worldbody>"
             "<dp:force body='b' force='%.17g*sin(20*t); %.17g*cos(13*t);'/></mujoco>",
             h, 2.0 * k, ratio, push, push);
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "stack.xml", NULL));
    return mechanism_from(spec);
}

static void nearly_every_step_of_the_map_is_solved(void **state)
{
    (void)state;
    static const double slip_speed[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
    static const double ratio[] = {1.0, 1e2, 1e4}, step[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2};
    enum { STEPS = 400 };
    long steps = 0, unsolved = 0, iterations = 0;
    for (int combination = 0; combination < 5 * 10 * 3 * 5; ++combination) {
        const double v_s = slip_speed[combination % 5], h = step[combination / 5 % 5];
        const double r = ratio[combination / 25 % 3], k = pow(10.0, 3 + combination / 75);
        mechanism x = stack(k, r, h);
        dp_data_options(x.d)->solver.friction.slip_speed = v_s;
        long missed = 0;
        for (int i = 0; i < STEPS; ++i) {
            assert_ok(dp_step(x.d));
            const dp_step_report *info = dp_data_report(x.d);
            missed += info->unsolved > 0;
            iterations += info->work.iterations;
            if (info->unsolved == 0) {
                assert_true(info->residual <= 1e-6 * h * GRAVITY);
                assert_true(dp_data_report(x.d)->certificate.creep <= v_s * (1.0 + 1e-6));
            }
        }
        if (missed > 0) {
            print_message("v_s %g m/s, k %g N/m, ratio %g, h %g s: %ld of %d not solved\n", v_s, k,
                          r, h, missed, STEPS);
        }
        steps += STEPS;
        unsolved += missed;
        mechanism_end(&x);
    }
    print_message("%ld steps, %ld not solved, %.2f iterations a step\n", steps, unsolved,
                  (double)iterations / (double)steps);
    assert_true(steps >= 300000 && (double)unsolved <= 0.0005 * (double)steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_every_step_of_the_map_is_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
