// `tamsi`, `compliant` and `ode` are one motion in the limit of small steps and small slip speeds:
// how fast they come together, on a box that is pushed to and fro, a gripper that shakes a mug and
// a hand that turns one. Errors are local, of windows of time, by `dashpot work`; orders are least
// squares.
#include "json_text.h"
#include "near.h"
#include "paper_rows.h"
#include "program_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct scene {
    const char *file, *keyframe, *window, *seconds;
    const char *stiffness; // of what is rigid, under ode
} scene;

// All slip and stick within their seconds. A motion that is prescribed is rigid: a spring of 1e8
// N/m gives by 28 N/1e8 N/m, which is nothing beside the errors here.
static const scene box = {DP_SCENES "/paper/castro_box.xml", NULL, "0.025", "0.5", "0"};
static const scene gripper = {DP_SCENES "/paper/castro_gripper.xml", "held", "0.0125", "0.25",
                              "1e8"};
static const scene hand = {DP_SCENES "/paper/castro_hand.xml", "turning", "0.005", "0.2", "0"};

static const char *work(const scene *s, const char *law, const char *reference, const char *steps,
                        const char *slips)
{
    char stiffness[64];
    snprintf(stiffness, sizeof stiffness, "ode.stiffness=%s", s->stiffness);
    const program_result *r =
        s->keyframe ? RUN("work", s->file, "--laws", law, "--reference", reference, "--steps",
                          steps, "--slip-speeds", slips, "--window", s->window, "--seconds",
                          s->seconds, "--set", stiffness, "--json", "--keyframe", s->keyframe)
                    : RUN("work", s->file, "--laws", law, "--reference", reference, "--steps",
                          steps, "--slip-speeds", slips, "--window", s->window, "--seconds",
                          s->seconds, "--set", stiffness, "--json");
    assert_string_equal(r->err, "");
    assert_int_equal(r->code, 0);
    return r->out;
}

// All orders in this, of velocities and of positions, are near to `expected`.
static void assert_orders(const char *json, const char *in, double expected, double tolerance)
{
    int count = 0;
    for (const char *order = json_first(json, "orders"); order; order = json_next(order)) {
        if (json_is_text(order, "in", in)) {
            assert_near(json_number(order, NULL, "order_v"), expected, tolerance);
            assert_near(json_number(order, NULL, "order_q"), expected, tolerance);
            ++count;
        }
    }
    assert_true(count > 0);
}

// What a term of second order bends: of errors c h (1 + a h) with a h = 0.2 at the largest of steps
// that differ by 8, the line has the slope 1.08.
static const double bend = 0.08;

static void tamsi_comes_to_the_differential_equation_as_the_step(void **state)
{
    (void)state;
    assert_orders(work(&box, "tamsi", "ode", "5e-3,2.5e-3,1.25e-3,6.25e-4", "1e-3,1e-4"), "step",
                  1.0, bend);
    assert_orders(work(&gripper, "tamsi", "ode", "1.25e-3,6.25e-4,3.125e-4,1.5625e-4", "1e-3"),
                  "step", 1.0, bend);
    assert_orders(work(&hand, "tamsi", "ode", "1e-3,5e-4,2.5e-4,1.25e-4", "1e-3"), "step", 1.0,
                  bend);
}

// Beside Coulomb's friction that of tamsi creeps, at v_s at most, whatever the step is.
static void compliant_and_tamsi_differ_by_the_slip_speed_whatever_the_step(void **state)
{
    (void)state;
    static const struct {
        const scene *scene;
        const char *steps;
    } with[] = {{&box, "2.5e-3,6.25e-4"}, {&gripper, "1.25e-3,3.125e-4"}, {&hand, "1e-3,2.5e-4"}};
    for (int i = 0; i < 3; ++i) {
        const char *json =
            work(with[i].scene, "compliant", "tamsi", with[i].steps, "1e-3,1e-4,1e-5,1e-6");
        assert_orders(json, "slip_speed", 1.0, bend);
        assert_orders(json, "step", 0.0, bend);
    }
}

// Errors along the diagonal of steps and slip speeds that are halved together, from the first row
// to the last.
static void assert_diagonal(const char *json, int steps)
{
    double first = 0.0, last = 0.0;
    const char *row = json_first(json, "rows");
    for (int i = 0; row; ++i, row = json_next(row)) {
        first = i == 0 ? json_number(row, NULL, "error_v") : first;
        last = i == steps * steps - 1 ? json_number(row, NULL, "error_v") : last;
    }
    assert_near(log2(first / last) / (steps - 1), 1.0, bend);
}

static void compliant_comes_to_the_differential_equation_as_both(void **state)
{
    (void)state;
    assert_diagonal(work(&box, "compliant", "ode", "5e-3,2.5e-3,1.25e-3", "2e-3,1e-3,5e-4"), 3);
    assert_diagonal(work(&hand, "compliant", "ode", "1e-3,5e-4", "2e-3,1e-3"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tamsi_comes_to_the_differential_equation_as_the_step),
        cmocka_unit_test(compliant_and_tamsi_differ_by_the_slip_speed_whatever_the_step),
        cmocka_unit_test(compliant_comes_to_the_differential_equation_as_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
