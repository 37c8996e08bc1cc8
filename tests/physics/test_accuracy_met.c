// options.accuracy is what errors are: against the differential equation, to 1e-11, and against a
// motion in closed form.
#include "accuracy_rig.h"

#include <dashpot/format.h>

#include <math.h>
#include <string.h>

static accuracy_run reference;

static void meets(const accuracy_scene *scene, dp_law_kind law, double least)
{
    accuracy_run_make(&reference, scene, (rig_method){.by = DP_INTEGRATOR_RK45});
    assert_accuracies_met(scene, (rig_method){.law = law}, &reference, least);
}

static void smooth_motion_has_the_accuracy_that_is_asked_for(void **state)
{
    (void)state;
    meets(&RIG_SPRINGS, DP_LAW_COMPLIANT, 1e-8);
    meets(&RIG_TOP, DP_LAW_COMPLIANT, 1e-8);
    meets(&RIG_FOUR_BAR, DP_LAW_COMPLIANT, 1e-6);
}

static void a_box_that_slides_until_it_stops_has_it(void **state)
{
    (void)state;
    meets(&RIG_SLIDE, DP_LAW_TAMSI, 1e-8);
    meets(&RIG_SLIDE, DP_LAW_COMPLIANT, 1e-8);
}

static void a_box_that_slips_and_sticks_has_it(void **state)
{
    (void)state;
    meets(&RIG_BELT, DP_LAW_TAMSI, 1e-6);
    meets(&RIG_PUSH, DP_LAW_TAMSI, 1e-7);
}

// Falls by 5 cm, is braked by the blow, slides and stops.
static const double DROP = 0.05, SPEED = 2.0, MU = 0.3, G = 9.81;
static const accuracy_scene DROPPED = {
    .name = "drop",
    .text = "<mujoco><option gravity='0 0 -9.81'/><default><geom friction='0.3'/></default>"
            "<worldbody><geom type='plane' size='2 2 .1'/><body pos='0 0 0.1'>"
            "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
            "<geom type='box' size='.05 .05 .05' mass='1'/></body></worldbody>"
            "<keyframe><key qvel='2 0'/></keyframe></mujoco>",
    .seconds = 0.8,
    .step = 0.01,
};

static void a_rigid_blow_costs_no_more_than_what_is_asked_for(void **state)
{
    (void)state;
    const double fall = sqrt(2.0 * DROP / G), after = SPEED - MU * G * fall;
    const double stops_at = SPEED * fall + after * after / (2.0 * MU * G);
    for (int law = 0; law < 2; ++law) {
        for (int i = 3; i <= 8; ++i) {
            const rig_method how = {.law = law == 0 ? DP_LAW_NCP : DP_LAW_LCP,
                                    .accuracy = pow(10.0, -i)};
            accuracy_run_make(&reference, &DROPPED, how);
            const double *q = reference.q[reference.steps - 1];
            print_message("law %d, accuracy %.0e: stops %.1e m off, %ld parts\n", (int)how.law,
                          how.accuracy, q[0] - stops_at, reference.parts);
            assert_near(q[0], stops_at, how.accuracy);
            assert_near(q[1], -DROP, 1e-9);
            assert_true(reference.parts < 1000); // the moment of the blow is found by halving
        }
    }
}

static void implicit_euler_has_it_too(void **state)
{
    (void)state;
    accuracy_run_make(&reference, &RIG_SPRINGS, (rig_method){.by = DP_INTEGRATOR_RK45});
    assert_accuracies_met(&RIG_SPRINGS, (rig_method){.by = DP_INTEGRATOR_IMPLICIT_EULER},
                          &reference, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_motion_has_the_accuracy_that_is_asked_for),
        cmocka_unit_test(a_box_that_slides_until_it_stops_has_it),
        cmocka_unit_test(a_box_that_slips_and_sticks_has_it),
        cmocka_unit_test(a_rigid_blow_costs_no_more_than_what_is_asked_for),
        cmocka_unit_test(implicit_euler_has_it_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
