// Joints that are there several times: the motion is that of one, the force is shared.
#include "mechanism.h"

#include <math.h>

enum { COPIES = 10, STEPS = 2000 }; // 2 s of a single pendulum in space, which is not chaotic

// A rigid pendulum in absolute coordinates: a free body that is held at its end by copies of a pin
// (or welded to a body that swings on a hinge).
static mechanism pendulum(const dp_bearing *bearing, int copies, dp_equality_kind kind)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = 1e-3;
    const dp_body_id arm = mechanism_body(&x, DP_WORLD, "arm", (dp_v3){0.0, 0.0, 0.0}, 0.5,
                                          (dp_v3){0.2, 0.0, 0.0}, (dp_v3){0.01, 0.02, 0.02});
    (void)mechanism_joint(&x, arm, "hinge", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    const dp_body_id bob = mechanism_body(&x, DP_WORLD, "bob", (dp_v3){0.4, 0.0, 0.0}, 1.0,
                                          (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.03, 0.04, 0.05});
    (void)mechanism_joint(&x, bob, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    for (int i = 0; i < copies; ++i) {
        dp_equality_spec e = dp_equality_spec_default();
        e.kind = kind;
        e.object[0] = kind == DP_EQUALITY_CONNECT ? "bob" : "arm";
        e.object[1] = kind == DP_EQUALITY_CONNECT ? NULL : "bob";
        e.anchor = kind == DP_EQUALITY_CONNECT ? (dp_v3){-0.4, 0.0, 0.0} : (dp_v3){0.0, 0.0, 0.0};
        e.bearing = bearing[i];
        assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    }
    mechanism_compile(&x);
    return x;
}

static double largest_difference(const mechanism *x, const mechanism *y)
{
    double worst = 0.0;
    for (int i = 0; i < dp_model_sizes(x->m)->nq; ++i) {
        worst = fmax(worst, fabs(dp_data_q(x->d)[i] - dp_data_q(y->d)[i]));
    }
    return worst;
}

// Steps both and checks that every copy has its share of the one force.
static double compare(const dp_bearing *one, const dp_bearing *many, const double *share,
                      dp_equality_kind kind)
{
    mechanism x = pendulum(one, 1, kind), y = pendulum(many, COPIES, kind);
    const int width = kind == DP_EQUALITY_CONNECT ? 3 : 6;
    double worst = 0.0;
    for (int n = 0; n < STEPS; ++n) {
        mechanism_steps(&x, 1);
        mechanism_steps(&y, 1);
        worst = fmax(worst, largest_difference(&x, &y));
        assert_int_equal(dp_data_row_count(x.d), width);
        assert_int_equal(dp_data_row_count(y.d), COPIES * width);
        for (int r = 0; r < COPIES * width; ++r) {
            const dp_row_info row = dp_data_row(y.d, r);
            const double whole = dp_data_row(x.d, r % width).force;
            // Forces of 10 to 50 N; their last digits follow those of the motion.
            assert_near(row.force, share[row.element] * whole, 1e-6);
        }
    }
    mechanism_end(&x);
    mechanism_end(&y);
    return worst;
}

static void a_rigid_joint_ten_times_moves_as_one_and_shares_its_force_equally(void **state)
{
    (void)state;
    const dp_bearing rigid = {INFINITY, 0.0};
    dp_bearing many[COPIES];
    double share[COPIES];
    for (int i = 0; i < COPIES; ++i) {
        many[i] = rigid;
        share[i] = 1.0 / COPIES;
    }
    const double pins = compare(&rigid, many, share, DP_EQUALITY_CONNECT);
    const double welds = compare(&rigid, many, share, DP_EQUALITY_WELD);
    print_message("2 s apart by %.1e (pins), %.1e (welds)\n", pins, welds);
    assert_true(pins <= 1e-9);
    assert_true(welds <= 1e-9);
}

static void ten_joints_of_a_tenth_move_as_one_and_share_its_force(void **state)
{
    (void)state;
    for (double k = 1e3; k <= 1e15; k *= 1e4) {
        const dp_bearing one = {k, 1e-3 * k};
        dp_bearing many[COPIES];
        double share[COPIES];
        for (int i = 0; i < COPIES; ++i) {
            share[i] = 1.0 / COPIES;
            many[i] = (dp_bearing){share[i] * one.stiffness, share[i] * one.damping};
        }
        const double pins = compare(&one, many, share, DP_EQUALITY_CONNECT);
        const double welds = compare(&one, many, share, DP_EQUALITY_WELD);
        print_message("k = %.0e: 2 s apart by %.1e (pins), %.1e (welds)\n", k, pins, welds);
        assert_true(pins <= 1e-9);
        assert_true(welds <= 1e-9);
    }
}

static void unequal_joints_share_their_force_by_stiffness(void **state)
{
    (void)state;
    for (double k = 1e3; k <= 1e15; k *= 1e4) {
        const dp_bearing one = {k, 1e-3 * k};
        dp_bearing many[COPIES];
        double share[COPIES];
        for (int i = 0; i < COPIES; ++i) {
            share[i] = (i + 1) / 55.0;
            many[i] = (dp_bearing){share[i] * one.stiffness, share[i] * one.damping};
        }
        assert_true(compare(&one, many, share, DP_EQUALITY_CONNECT) <= 1e-9);
    }
}

// Where one copy is rigid, soft ones beside it carry what their gap of 0 gives them: nothing.
static void a_rigid_joint_takes_all_from_soft_ones_beside_it(void **state)
{
    (void)state;
    const dp_bearing rigid = {INFINITY, 0.0};
    dp_bearing many[COPIES] = {rigid};
    double share[COPIES] = {1.0};
    for (int i = 1; i < COPIES; ++i) {
        many[i] = (dp_bearing){1e3, 1.0};
    }
    assert_true(compare(&rigid, many, share, DP_EQUALITY_CONNECT) <= 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_joint_ten_times_moves_as_one_and_shares_its_force_equally),
        cmocka_unit_test(ten_joints_of_a_tenth_move_as_one_and_share_its_force),
        cmocka_unit_test(unequal_joints_share_their_force_by_stiffness),
        cmocka_unit_test(a_rigid_joint_takes_all_from_soft_ones_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
