// `dashpot work`: cost against errors, and what it refuses.
#include "json_text.h"
#include "near.h"
#include "paper_rows.h"
#include "program_run.h"

#include <dashpot/sim.h>

#include <math.h>
#include <string.h>

static const char box[] = DP_SCENES "/paper/castro_box.xml";
static const char hand[] = DP_SCENES "/paper/castro_hand.xml";
static const char rigid[] = DP_SCRATCH "/work_rigid.xml";
static const char nothing[] = DP_SCRATCH "/there_is_none.xml";
static const char csv[] = DP_SCRATCH "/work.csv", svg[] = DP_SCRATCH "/work.svg";

// The n-th row of a law, from 0.
static const char *row_of(const char *json, const char *law, int n)
{
    for (const char *row = json_first(json, "rows"); row; row = json_next(row)) {
        if (json_is_text(row, "law", law) && n-- == 0) {
            return row;
        }
    }
    return NULL;
}

static void errors_of_a_window_fall_as_the_step(void **state)
{
    (void)state;
    const program_result *r = RUN("work", box, "--laws", "tamsi,compliant,implicit-euler",
                                  "--steps", "2.5e-3,1.25e-3", "--seconds", "1", "--json");
    assert_int_equal(r->code, 0);
    static const char *const laws[] = {"tamsi", "compliant", "implicit-euler"};
    for (int i = 0; i < 3; ++i) {
        const char *coarse = row_of(r->out, laws[i], 0), *fine = row_of(r->out, laws[i], 1);
        assert_true(coarse && fine);
        // Of eighty windows eight have a transition, each at another place of its step.
        assert_near(json_number(coarse, NULL, "error_v") / json_number(fine, NULL, "error_v"), 2.0,
                    0.3);
        assert_near(json_number(coarse, NULL, "error_q") / json_number(fine, NULL, "error_q"), 2.0,
                    0.3);
        assert_near(json_number(fine, NULL, "parts"), 800.0, i == 2 ? 80.0 : 1e-9);
        assert_true(json_is_text(fine, "reference", i == 1 ? "own" : "ode"));
    }
}

static void smaller_tolerances_make_the_pair_better_and_dearer(void **state)
{
    (void)state;
    const program_result *r = RUN("work", box, "--laws", "ode,tamsi", "--steps", "2.5e-2",
                                  "--accuracy", "1e-3,1e-6", "--seconds", "0.25", "--json");
    assert_int_equal(r->code, 0);
    static const char *const laws[] = {"ode", "tamsi"};
    for (int i = 0; i < 2; ++i) { // the first row of tamsi has a step
        const char *coarse = row_of(r->out, laws[i], i), *fine = row_of(r->out, laws[i], i + 1);
        assert_true(coarse && fine && !row_of(r->out, laws[i], i + 2));
        assert_true(json_number(fine, NULL, "error_v") <
                    0.1 * json_number(coarse, NULL, "error_v"));
        assert_true(json_number(fine, NULL, "evaluations") >
                    json_number(coarse, NULL, "evaluations"));
    }
}

static void implicit_euler_is_measured_by_steps_and_error_control_by_tolerances(void **state)
{
    (void)state;
    const program_result *r = RUN("work", box, "--laws", "implicit-euler,rk45,ode", "--steps",
                                  "2.5e-3", "--accuracy", "1e-3", "--seconds", "0.05", "--json");
    assert_int_equal(r->code, 0);
    const char *euler = row_of(r->out, "implicit-euler", 0);
    assert_non_null(euler);
    assert_near(json_number(euler, NULL, "step"), 2.5e-3, 0.0);
    assert_non_null(row_of(r->out, "implicit-euler", 1)); // controlled
    assert_non_null(row_of(r->out, "ode", 0));
    assert_null(row_of(r->out, "ode", 1)); // it has no steps but its own, and is measured once
    r = RUN("work", box, "--laws", "implicit-euler", "--steps", "2.5e-3", "--seconds", "0.05");
    assert_non_null(strstr(r->out, "the reference ode is by rk45"));
    r = RUN("work", box, "--set", "integrator=implicit-euler");
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, "use --laws"));
}

// Its own reference is better than the run that it judges, and so tells the error that the pair to
// 1e-10 tells.
static void a_law_of_its_own_steps_is_not_compared_with_itself(void **state)
{
    (void)state;
    static const char *const laws[] = {"ode", "cvode"};
    for (int i = 0; i < (dp_has_cvode() ? 2 : 1); ++i) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            const program_result *r =
                RUN("work", box, "--laws", i == 0 ? "rk45" : "cvode", "--reference",
                    k == 0 ? "ode" : "own", "--accuracy", "1e-7", "--seconds", "0.25", "--json");
            assert_int_equal(r->code, 0);
            const char *row = row_of(r->out, laws[i], 0);
            assert_non_null(row);
            error[k] = json_number(row, NULL, "error_v");
        }
        assert_true(error[0] > 1e-8);
        assert_near(error[1] / error[0], 1.0, 1e-3);
    }
}

static void cvode_costs_less_than_the_pair_where_friction_is_stiff(void **state)
{
    (void)state;
    const program_result *r = RUN("work", box, "--laws", "rk45,cvode", "--accuracy", "1e-5",
                                  "--seconds", "0.25", "--json");
    assert_int_equal(r->code, 0);
    const char *pair = row_of(r->out, "ode", 0), *other = row_of(r->out, "cvode", 0);
    assert_true(pair && other);
    if (!dp_has_cvode()) {
        assert_false(json_is_text(other, "failure", ""));
        skip();
    }
    assert_true(json_number(other, NULL, "evaluations") <
                0.1 * json_number(pair, NULL, "evaluations"));
    assert_near(json_number(other, NULL, "error_v"), 0.0, 1e-3);
}

static void orders_are_slopes_of_logarithms_in_the_step_and_in_the_slip_speed(void **state)
{
    (void)state;
    const program_result *r =
        RUN("work", box, "--laws", "compliant", "--reference", "tamsi", "--steps", "2.5e-3,1.25e-3",
            "--slip-speeds", "1e-3,1e-4", "--seconds", "0.25", "--json");
    assert_int_equal(r->code, 0);
    double error[4];
    for (int i = 0; i < 4; ++i) { // both steps at the first slip speed, then at the second
        const char *row = row_of(r->out, "compliant", i);
        assert_non_null(row);
        assert_true(json_is_text(row, "reference", "tamsi"));
        assert_near(json_number(row, NULL, "slip_speed"), i < 2 ? 1e-3 : 1e-4, 0.0);
        error[i] = json_number(row, NULL, "error_v");
    }
    const double expected[] = {log2(error[0] / error[1]), log2(error[2] / error[3]),
                               log10(error[0] / error[2]), log10(error[1] / error[3])};
    const char *order = json_first(r->out, "orders");
    for (int i = 0; i < 4; ++i, order = json_next(order)) {
        assert_non_null(order);
        assert_true(json_is_text(order, "in", i < 2 ? "step" : "slip_speed"));
        assert_near(json_number(order, NULL, "order_v"), expected[i], 1e-9);
        assert_near(json_number(order, NULL, "points"), 2.0, 0.0);
    }
    assert_null(order);
}

static void implicit_euler_in_a_hand_is_as_accurate_as_it_was_asked_to_be(void **state)
{
    (void)state;
    const program_result *r =
        RUN("work", hand, "--keyframe", "turning", "--laws", "implicit-euler", "--set",
            "friction.slip_speed=1e-3", "--steps", "5e-3", "--accuracy", "1e-5", "--window", "0.01",
            "--seconds", "0.2", "--json");
    assert_int_equal(r->code, 0);
    const char *row = row_of(r->out, "implicit-euler", 1);
    assert_non_null(row);
    assert_near(json_number(row, NULL, "error_q") / 1e-5, 0.0, 1.0);
    assert_near(json_number(row, NULL, "error_v") / 1e-5, 0.0, 1.0);
}

static void a_law_that_cannot_is_told_beside_those_that_can(void **state)
{
    (void)state;
    write_text(rigid,
               "<mujoco><worldbody><body name='a'><joint type='hinge' axis='0 1 0'/>"
               "<geom size='.1' pos='.3 0 0'/></body><body name='b' pos='1 0 0'>"
               "<joint type='hinge' axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body>"
               "</worldbody><equality><connect body1='a' body2='b' anchor='.5 0 .1'/></equality>"
               "</mujoco>");
    const program_result *r = RUN("work", rigid, "--laws", "ncp,ode", "--steps", "2.5e-2",
                                  "--seconds", "0.05", "--csv", csv, "--plot", svg);
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "failed"));
    assert_non_null(strstr(r->out, "equality 0 is rigid"));
    static char text[MOST_TEXT];
    read_text(text, csv);
    assert_non_null(strstr(text, "law,reference,step,accuracy,slip_speed,error_v"));
    assert_non_null(strstr(text, "\nncp,own,"));
    read_text(text, svg);
    assert_non_null(strstr(text, "<svg"));
    assert_int_equal(RUN("work", rigid, "--laws", "ode")->code, 1);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value, *words;
    } bad[] = {
        {"--steps", "7e-3", "expected parts of the window"},
        {"--steps", "0", "expected numbers above 0"},
        {"--accuracy", "fine", "expected numbers above 0"},
        {"--laws", "coulomb", "coulomb"},
        {"--reference", "mujoco", "expected ode, own or another law"},
        {"--slip-speeds", "-1", "expected numbers above 0"},
        {"--window", "0", "expected numbers above 0"},
        {"--keyframe", "nowhere", "nowhere"},
        {"--set", "gravitty=1", "did you mean"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const program_result *r = RUN("work", box, bad[i].option, bad[i].value);
        assert_int_equal(r->code, 2);
        assert_non_null(strstr(r->err, bad[i].words));
    }
    assert_int_equal(RUN("work", nothing)->code, 2);
    assert_int_equal(RUN("work")->code, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_a_window_fall_as_the_step),
        cmocka_unit_test(smaller_tolerances_make_the_pair_better_and_dearer),
        cmocka_unit_test(implicit_euler_is_measured_by_steps_and_error_control_by_tolerances),
        cmocka_unit_test(a_law_of_its_own_steps_is_not_compared_with_itself),
        cmocka_unit_test(cvode_costs_less_than_the_pair_where_friction_is_stiff),
        cmocka_unit_test(orders_are_slopes_of_logarithms_in_the_step_and_in_the_slip_speed),
        cmocka_unit_test(implicit_euler_in_a_hand_is_as_accurate_as_it_was_asked_to_be),
        cmocka_unit_test(a_law_that_cannot_is_told_beside_those_that_can),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
