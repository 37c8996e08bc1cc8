// options.accuracy: steps are made in parts until halving them changes little.
#include "mechanism.h"

#include <math.h>

// A double pendulum whose second link is a free body on a pin, with a limit that it runs into.
static mechanism linkage(double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = h;
    const dp_body_id upper = mechanism_body(&x, DP_WORLD, "upper", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                            (dp_v3){0.3, 0.0, 0.0}, (dp_v3){0.01, 0.03, 0.03});
    dp_joint_spec *joint = mechanism_joint(&x, upper, "hinge", DP_HINGE, (dp_v3){0.0, 1.0, 0.0});
    joint->limited = true;
    joint->range[0] = -3.0;
    joint->range[1] = 2.2;
    joint->limit = (dp_bearing){2e3, 5.0};
    const dp_body_id lower = mechanism_body(&x, DP_WORLD, "lower", (dp_v3){0.9, 0.0, 0.0}, 0.5,
                                            (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.02, 0.02});
    (void)mechanism_joint(&x, lower, "free", DP_FREE, (dp_v3){0.0, 0.0, 1.0});
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = DP_EQUALITY_CONNECT;
    e.object[0] = "upper";
    e.object[1] = "lower";
    e.anchor = (dp_v3){0.6, 0.0, 0.0};
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
static result run(double h, double accuracy)
{
    mechanism x = linkage(h);
    dp_data_options(x.d)->accuracy = accuracy;
    result out = {{0.0}, 0, 0, 0.0};
    for (int n = 0; n < (int)lround(1.0 / h); ++n) {
        mechanism_steps(&x, 1);
        const dp_step_info *info = dp_data_step_info(x.d);
        assert_true(info->substeps >= 1);
        out.substeps += info->substeps;
        out.rejected += info->rejected;
        out.worst_error = fmax(out.worst_error, info->error);
    }
    assert_near(dp_data_time(x.d), 1.0, 1e-12);
    for (int i = 0; i < NQ; ++i) {
        out.q[i] = dp_data_q(x.d)[i];
    }
    mechanism_end(&x);
    return out;
}

static double distance(const result *a, const result *b)
{
    double worst = 0.0;
    for (int i = 0; i < NQ; ++i) {
        worst = fmax(worst, fabs(a->q[i] - b->q[i]));
    }
    return worst;
}

// From steps of 20 and 40 µs, extrapolated.
static result fine_reference(void)
{
    const result coarse = run(4e-5, 0.0), fine = run(2e-5, 0.0);
    result out = fine;
    for (int i = 0; i < NQ; ++i) {
        out.q[i] = 2.0 * fine.q[i] - coarse.q[i];
    }
    return out;
}

static void the_error_falls_with_the_tolerance(void **state)
{
    (void)state;
    const double h = 0.02;
    const result exact = fine_reference(), plain = run(h, 0.0);
    double error = distance(&plain, &exact);
    int substeps = plain.substeps;
    print_message("as it is: error %.1e in %d parts\n", error, substeps);
    for (double accuracy = 1e-3; accuracy > 0.9e-5; accuracy *= 0.1) {
        const result found = run(h, accuracy);
        const double now = distance(&found, &exact);
        print_message("accuracy %.0e: error %.1e in %d parts, %d repeated\n", accuracy, now,
                      found.substeps, found.rejected);
        assert_true(found.worst_error <= 1.0); // in units of the tolerance
        assert_true(now < 0.3 * error);        // a tenth, were it of order 1 all along
        assert_true(found.substeps > substeps);
        // The tolerance is what a step of 20 ms may add; in 50 of them errors grow, but not much.
        assert_true(now <= 50.0 * accuracy * 2.0);
        error = now;
        substeps = found.substeps;
    }
}

static void a_tolerance_that_is_met_costs_no_more_parts_than_two(void **state)
{
    (void)state;
    const result found = run(1e-3, 1.0);
    assert_int_equal(found.substeps, 2 * 1000); // the two halves, which are kept
    assert_int_equal(found.rejected, 0);
}

// Wherever the step ends, this row is open there.
static dp_status hopeless_row(void *context, const dp_model *m, dp_data *d, bool end, dp_row *row,
                              double *gradient)
{
    (void)context, (void)m, (void)d;
    row->phi = end ? 1.0 : 0.0;
    gradient[0] = 1.0;
    return DP_OK;
}

// Of a row that cannot be met in so large a step, the parts are told; without halving it is
// accepted as it is, and told, too.
static void a_step_that_is_not_solved_is_halved_as_often_as_allowed(void **state)
{
    (void)state;
    for (int halvings = 0; halvings <= 3; ++halvings) {
        mechanism x = linkage(0.01);
        dp_data_options(x.d)->max_halvings = halvings;
        assert_ok(dp_data_add_row(NULL, x.d, hopeless_row, NULL));
        mechanism_steps(&x, 5);
        const dp_step_info *info = dp_data_step_info(x.d);
        assert_int_equal(info->substeps, 1 << halvings);
        assert_int_equal(info->rejected, (1 << halvings) - 1);
        assert_int_equal(info->unsolved, 1 << halvings);
        assert_int_equal(info->outcome, DP_CAPPED);
        assert_near(info->gap_error, 1.0, 1e-9);
        assert_near(dp_data_time(x.d), 0.05, 1e-15);
        mechanism_end(&x);
    }
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
        cmocka_unit_test(a_tolerance_that_is_met_costs_no_more_parts_than_two),
        cmocka_unit_test(a_step_that_is_not_solved_is_halved_as_often_as_allowed),
        cmocka_unit_test(the_same_tolerance_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
