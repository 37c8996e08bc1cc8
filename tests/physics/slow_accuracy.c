// options.accuracy from 1e-3 to 1e-8 over the scenes of the rig. Friction that is not that of the
// differential equation is compared to a run of its own, refined.
#include "accuracy_rig.h"

#include <math.h>

static accuracy_run reference, other;

static void against_ode(const accuracy_scene *scene, rig_method how, double least)
{
    accuracy_run_make(&reference, scene, (rig_method){.by = DP_INTEGRATOR_RK45});
    assert_accuracies_met(scene, how, &reference, least);
}

// A run with the accuracy `finest` is the reference, and steps as they are approach it, so that it
// is the limit of the law and not of the error control alone.
// @param divide steps of the scene are made in so many, and in four times as many
static void against_own(const accuracy_scene *scene, dp_law_kind law, double least, double finest,
                        int divide)
{
    accuracy_run_make(&reference, scene, (rig_method){.law = law, .accuracy = finest});
    double error[2];
    for (int i = 0; i < 2; ++i) {
        accuracy_run_make(&other, scene, (rig_method){.law = law, .divide = divide << (2 * i)});
        error[i] = accuracy_run_distance_q(&other, &reference);
    }
    print_message("%s: steps as they are, %.1e and %.1e off\n", scene->name, error[0], error[1]);
    assert_true(error[1] < 0.35 * error[0]); // a quarter, by first order
    assert_accuracies_met(scene, (rig_method){.law = law}, &reference, least);
}

static void smooth_motion_has_the_accuracy_that_is_asked_for(void **state)
{
    (void)state;
    static const dp_law_kind law[] = {DP_LAW_COMPLIANT, DP_LAW_TAMSI};
    for (int i = 0; i < 2; ++i) {
        against_ode(&RIG_SPRINGS, (rig_method){.law = law[i]}, 1e-8);
        against_ode(&RIG_TOP, (rig_method){.law = law[i]}, 1e-8);
        against_ode(&RIG_FOUR_BAR, (rig_method){.law = law[i]}, 1e-8);
    }
    against_ode(&RIG_FOUR_BAR, (rig_method){.by = DP_INTEGRATOR_IMPLICIT_EULER}, 1e-7);
}

static void stick_and_slip_have_it(void **state)
{
    (void)state;
    against_ode(&RIG_SLIDE, (rig_method){.law = DP_LAW_COMPLIANT}, 1e-8);
    static const accuracy_scene *const scene[] = {&RIG_SLIDE, &RIG_SLOPE, &RIG_PUSH, &RIG_BELT};
    for (int i = 0; i < 4; ++i) {
        against_ode(scene[i], (rig_method){.law = DP_LAW_TAMSI}, 1e-8);
    }
    against_ode(&RIG_BOUNCE, (rig_method){.law = DP_LAW_TAMSI}, 1e-5);
}

static void friction_that_does_not_creep_has_it(void **state)
{
    (void)state;
    against_own(&RIG_BELT, DP_LAW_COMPLIANT, 1e-6, 1e-8, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_motion_has_the_accuracy_that_is_asked_for),
        cmocka_unit_test(stick_and_slip_have_it),
        cmocka_unit_test(friction_that_does_not_creep_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
