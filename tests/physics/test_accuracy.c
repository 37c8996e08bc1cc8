// options.accuracy: steps are made in parts whose errors are small. (How small: test_accuracy_met.)
#include "contact_scene.h"

#include <dashpot/advanced/problem.h>
#include <dashpot/advanced/step.h>

#include <math.h>
#include <string.h>

// A double pendulum whose second link is a free body on a pin, with a limit that it runs into.
static mechanism linkage(double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = h;
    const dp_body_id upper = mechanism_body(&x, DP_WORLD, "upper", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                            (dp_v3){0.3, 0.0, 0.0}, (dp_v3){0.01, 0.03, 0.03});
    dp_joint_spec *joint =
        mechanism_joint(&x, upper, "hinge", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    joint->limited = true;
    joint->range[0] = -3.0;
    joint->range[1] = 2.2;
    joint->limit = (dp_bearing){2e3, 5.0};
    const dp_body_id lower = mechanism_body(&x, DP_WORLD, "lower", (dp_v3){0.9, 0.0, 0.0}, 0.5,
                                            (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.02, 0.02});
    (void)mechanism_joint(&x, lower, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_CONNECT;
    e.object[0] = "upper";
    e.object[1] = "lower";
    e.anchor = (dp_v3){0.6, 0.0, 0.0};
    e.bearing = (dp_bearing){1e5, 100.0}; // a differential equation takes no rigid pin
    assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    mechanism_compile(&x);
    return x;
}

enum { NQ = 8 };

typedef struct result {
    double q[NQ];
    int substeps, rejected;
    double worst_error;
} result;

// A second, in steps of h.
static result run_by(dp_integrator integrator, double h, double accuracy)
{
    mechanism x = linkage(h);
    dp_options *o = dp_data_options(x.d);
    o->integrator = integrator;
    o->accuracy = accuracy;
    o->relative_tolerance = o->absolute_tolerance = 1e-12; // of rk45
    result out = {{0.0}, 0, 0, 0.0};
    for (int n = 0; n < (int)lround(1.0 / h); ++n) {
        mechanism_steps(&x, 1);
        const dp_step_report *info = dp_data_report(x.d);
        assert_true(info->work.substeps >= 1);
        out.substeps += info->work.substeps;
        out.rejected += info->work.rejected;
        out.worst_error = fmax(out.worst_error, info->error);
    }
    assert_near(dp_data_time(x.d), 1.0, 1e-12);
    for (int i = 0; i < NQ; ++i) {
        out.q[i] = dp_data_q(x.d)[i];
    }
    mechanism_end(&x);
    return out;
}

static result run(double h, double accuracy)
{
    return run_by(DP_INTEGRATOR_SEMI_IMPLICIT, h, accuracy);
}

// The same forces as a differential equation, by a method that knows no error control but its own.
static result run_exactly(void)
{
    return run_by(DP_INTEGRATOR_RK45, 0.02, 0.0);
}

static double distance(const result *a, const result *b)
{
    double worst = 0.0;
    for (int i = 0; i < NQ; ++i) {
        worst = fmax(worst, fabs(a->q[i] - b->q[i]));
    }
    return worst;
}

static void the_error_falls_with_the_tolerance(void **state)
{
    (void)state;
    const double h = 0.02;
    const result exact = run_exactly(), plain = run(h, 0.0);
    double error = distance(&plain, &exact);
    int substeps = plain.substeps;
    print_message("as it is: error %.1e in %d parts\n", error, substeps);
    for (double accuracy = 1e-3; accuracy > 0.9e-5; accuracy *= 0.1) {
        const result found = run(h, accuracy);
        const double now = distance(&found, &exact);
        print_message("accuracy %.0e: error %.1e in %d parts, %d repeated\n", accuracy, now,
                      found.substeps, found.rejected);
        assert_true(found.worst_error <= 1.0); // in units of the tolerance
        assert_true(now <= accuracy);
        assert_true(now < error);
        assert_true(found.substeps > substeps);
        error = now;
        substeps = found.substeps;
    }
}

// What the error control is measured by is what steps as they are tend to.
static void steps_as_they_are_tend_to_it(void **state)
{
    (void)state;
    const result exact = run_exactly(), coarse = run(4e-4, 0.0), fine = run(1e-4, 0.0);
    const double first = distance(&coarse, &exact), second = distance(&fine, &exact);
    print_message("steps of 0.4 ms: %.1e off, of 0.1 ms: %.1e\n", first, second);
    assert_true(second < 0.35 * first); // a quarter, by first order
}

static void a_tolerance_that_is_met_costs_four_parts(void **state)
{
    (void)state;
    const result found = run(1e-3, 1e3);
    assert_int_equal(found.substeps, 4 * 1000); // the quarters, which are kept
    assert_int_equal(found.rejected, 0);
}

// Wherever the step ends, this row is open there.
static dp_status hopeless_row(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    (void)context, (void)m, (void)d;
    row->phi = end ? 1.0 : 0.0;
    gradient[0] = 1.0;
    return DP_OK;
}

// Of a row that cannot be met in so large a step, the parts are reported; without halving it is
// accepted as it is, and told, too.
static void a_step_that_is_not_solved_is_halved_as_often_as_allowed(void **state)
{
    (void)state;
    for (int halvings = 0; halvings <= 3; ++halvings) {
        mechanism x = linkage(0.01);
        dp_data_options(x.d)->max_halvings = halvings;
        assert_ok(dp_data_add_row(NULL, x.d, hopeless_row, NULL));
        mechanism_steps(&x, 5);
        const dp_step_report *info = dp_data_report(x.d);
        assert_int_equal(info->work.substeps, 1 << halvings);
        assert_int_equal(info->work.rejected, (1 << halvings) - 1);
        assert_int_equal(info->unsolved, 1 << halvings);
        assert_int_equal(info->outcome, DP_OUTCOME_CAPPED);
        assert_near(info->gap_error, 1.0, 1e-9);
        assert_near(dp_data_time(x.d), 0.05, 1e-15);
        mechanism_end(&x);
    }
}

enum { FEW_ROWS = 16 };

typedef struct attempts {
    int count;                                    // so far: a step, then its halves, and so on
    double warm[FEW_ROWS], found[FEW_ROWS], most; // of the last; [N s] of all that were begun with
} attempts;

// Impulses of forces that stay are half as large in half a step.
static dp_status compare_attempt(void *context, const dp_data *d)
{
    attempts *a = context;
    const dp_warm *warm = dp_data_warm(d);
    const dp_step_solution *found = dp_data_solution(d);
    const int n = dp_data_problem(d)->nrow, part = a->count++ % 3;
    assert_true(n <= FEW_ROWS);
    for (int r = 0; r < n; ++r) {
        const double gamma = warm->gamma[r];
        assert_int_equal(warm->row_start[warm->nblock], n);
        if (a->count > 1) {
            const double expected = part == 0   ? 2.0 * a->found[r]
                                    : part == 1 ? 0.5 * a->warm[r]
                                                : a->found[r];
            assert_true(gamma == expected);
        }
        a->warm[r] = gamma;
        a->found[r] = found->gamma[r];
        a->most = fmax(a->most, fabs(gamma));
    }
    return DP_OK;
}

static void halves_of_a_step_begin_with_half_the_impulses(void **state)
{
    (void)state;
    mechanism x = linkage(0.01);
    attempts a = {.count = 0};
    dp_data_options(x.d)->max_halvings = 1;
    assert_ok(dp_data_add_row(NULL, x.d, hopeless_row, NULL));
    mechanism_steps(&x, 1);
    dp_data_set_problem_callback(x.d, compare_attempt, &a);
    mechanism_steps(&x, 3);
    assert_int_equal(a.count, 9);
    assert_true(a.most > 0.01);
    mechanism_end(&x);
}

// A ball at rest: each piece of a step begins with what its weight does in that time.
static dp_status expect_weight(void *context, const dp_data *d)
{
    const dp_warm *warm = dp_data_warm(d);
    const double weight = 9.81;
    ++*(int *)context;
    assert_int_equal(warm->nblock, 1);
    assert_near(warm->gamma[0], weight * dp_data_problem(d)->h, 1e-6);
    return DP_OK;
}

static void pieces_of_an_accurate_step_begin_with_their_share_of_the_impulses(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.5, .stiffness = 1e4, .damping = 300.0, .condim = 3};
    mechanism x = contact_scene_begin((contact_stuff){.mu = 0.5, .condim = 3},
                                      (dp_v3){0.0, 0.0, -9.81}, 0x1p-6);
    (void)contact_scene_add(&x, "ball", DP_GEOM_SPHERE, 0.1, 1.0, 0.1, stuff);
    mechanism_compile(&x);
    dp_data_options(x.d)->accuracy = 1e-3;
    mechanism_steps(&x, 100);
    int pieces = 0;
    dp_data_set_problem_callback(x.d, expect_weight, &pieces);
    mechanism_steps(&x, 3);
    assert_true(pieces >= 3 * (1 + 2 + 4));
    mechanism_end(&x);
}

static void a_method_with_tolerances_of_its_own_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        mechanism x = linkage(0.01);
        dp_options *o = dp_data_options(x.d);
        o->accuracy = 1e-4;
        o->integrator = i == 0 ? DP_INTEGRATOR_RK45 : DP_INTEGRATOR_CVODE;
        assert_int_equal(dp_step(x.d), DP_ERROR_ARGUMENT);
        assert_non_null(strstr(dp_last_error(), i == 0 ? "rk45" : "cvode"));
        assert_true(dp_data_time(x.d) == 0.0);
        mechanism_end(&x);
    }
}

static void an_accuracy_that_cannot_be_had_is_refused(void **state)
{
    (void)state;
    mechanism x = linkage(0.02);
    dp_data_options(x.d)->accuracy = 1e-15;
    dp_data_options(x.d)->max_substeps = 1000;
    const uint64_t hash = dp_state_hash(x.d);
    assert_int_equal(dp_step(x.d), DP_ERROR_NUMERIC);
    assert_non_null(strstr(dp_last_error(), "parts of at most 1000"));
    assert_non_null(strstr(dp_last_error(), "accuracy 1e-15"));
    assert_true(dp_state_hash(x.d) == hash);
    mechanism_end(&x);
}

// A pendulum, and an accuracy below round-off: the smallest parts are accepted, and it is reported.
static void where_the_smallest_parts_do_not_do_the_error_is_told(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = 0.01;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.3, 0.0, 0.0}, (dp_v3){0.01, 0.03, 0.03});
    (void)mechanism_joint(&x, body, "hinge", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    mechanism_compile(&x);
    dp_data_q(x.d)[0] = dp_data_v(x.d)[0] = 1.0;
    dp_data_options(x.d)->accuracy = 1e-18;
    mechanism_steps(&x, 1);
    const dp_step_report *info = dp_data_report(x.d);
    print_message("%d parts, %d repeated, error %.3g\n", info->work.substeps, info->work.rejected,
                  info->error);
    assert_true(info->error > 1.0);
    assert_true(info->work.substeps > 4 * (1 << 13)); // quarters of parts of 2⁻¹⁴, most of them
    assert_true(info->work.substeps + info->work.rejected <= dp_data_options(x.d)->max_substeps);
    assert_true(dp_data_time(x.d) == 0.01);
    mechanism_end(&x);
}

// Boxes that begin within each other and in the floor.
static void a_heap_that_begins_with_overlaps_goes_on_under_tamsi(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.5, .stiffness = 1e7, .damping = 1e3};
    static const double q[3][7] = {{0.07, -0.02, 0.08, 0.6, 0.8, -0.6, -0.3},
                                   {-0.03, 0.05, 0.20, 0.1, -0.5, 0.3, 0.2},
                                   {0.03, 0.02, 0.32, 0.8, 0.4, -0.7, 0.2}};
    static const char *const name[] = {"one", "two", "three"};
    mechanism x = contact_scene_begin(stuff, (dp_v3){0.0, 0.0, -10.0}, 0.01);
    for (int i = 0; i < 3; ++i) {
        (void)contact_scene_add(&x, name[i], DP_GEOM_BOX, 0.1, 1.0, 0.0, stuff);
    }
    mechanism_compile(&x);
    memcpy(dp_data_q(x.d), q, sizeof q);
    dp_data_options(x.d)->solver.law = DP_LAW_TAMSI;
    dp_data_options(x.d)->accuracy = 1e-3;
    for (int n = 0; n < 3; ++n) {
        mechanism_steps(&x, 1);
        const dp_step_report *info = dp_data_report(x.d);
        print_message("%d parts, %d repeated, error %.3g\n", info->work.substeps,
                      info->work.rejected, info->error);
        assert_true(info->error < 1.0 || n == 0);
    }
    mechanism_end(&x);
}

static void the_same_tolerance_gives_the_same_bits(void **state)
{
    (void)state;
    const result a = run(0.02, 1e-4), b = run(0.02, 1e-4);
    assert_memory_equal(a.q, b.q, sizeof a.q);
    assert_int_equal(a.substeps, b.substeps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_falls_with_the_tolerance),
        cmocka_unit_test(steps_as_they_are_tend_to_it),
        cmocka_unit_test(a_tolerance_that_is_met_costs_four_parts),
        cmocka_unit_test(a_step_that_is_not_solved_is_halved_as_often_as_allowed),
        cmocka_unit_test(halves_of_a_step_begin_with_half_the_impulses),
        cmocka_unit_test(pieces_of_an_accurate_step_begin_with_their_share_of_the_impulses),
        cmocka_unit_test(a_method_with_tolerances_of_its_own_is_refused),
        cmocka_unit_test(an_accuracy_that_cannot_be_had_is_refused),
        cmocka_unit_test(where_the_smallest_parts_do_not_do_the_error_is_told),
        cmocka_unit_test(a_heap_that_begins_with_overlaps_goes_on_under_tamsi),
        cmocka_unit_test(the_same_tolerance_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
