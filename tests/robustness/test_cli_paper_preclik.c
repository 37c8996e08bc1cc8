// `dashpot paper p-…`: what [PreclikRuedePopa2011] shows, and what springs that become rigid do.
#include "near.h"
#include "paper_rows.h"

#include <math.h>
#include <stdio.h>

static double load(const char *json, const char *of, int leg)
{
    char quantity[64];
    snprintf(quantity, sizeof quantity, "load of leg %d in the first step", leg);
    return paper_ours(json, of, quantity);
}

static void the_table_stops_in_the_order_of_the_paper(void **state)
{
    (void)state;
    const char *json = paper_json("p-fig2");
    assert_near(
        paper_ours(json, "three solutions", "least energy stops first, most energy last (1: yes)"),
        1.0, 0.0);
    assert_near(
        paper_ours(json, "three solutions", "energy of least norm strictly between (1: yes)"), 1.0,
        0.0);
    assert_near(paper_ours(json, "least norm", "dimension of the null space, least"), 1.0, 0.0);
    assert_near(paper_ours(json, "least norm", "dimension of the null space, most"), 1.0, 0.0);
    // Braking is between 0.05 g and 0.1 g and, but for what pitching moves, 0.05, 0.075 and 0.1.
    assert_near(paper_ours(json, "least energy", "time until it stops"), 10.0, 0.5);
    assert_near(paper_ours(json, "least norm", "time until it stops"), 1.0 / 0.075, 0.1);
    assert_near(paper_ours(json, "most energy", "time until it stops"), 20.0, 0.5);
}

static void the_least_norm_is_that_of_the_pseudo_inverse(void **state)
{
    (void)state;
    const char *json = paper_json("p-fig2");
    assert_near(paper_ours(json, "least norm", "loads, from the pseudo-inverse of (23)"), 0.0,
                1e-10);
    assert_true(paper_ours(json, "least norm", "smallest load of all") > 0.0);
}

// Sliding along x with friction μ̄ = Σ μ_i N_i at the floor, half a unit below the centre of mass,
// moves μ̄/2 of load to the front pair and as much from the rear one. Springs of equal stiffness
// share by places alone: N = 1/4 ± μ̄/4, μ̄ = 0.075. Laws end at 1e-9 m/s, over steps of 10 ms.
static void rigid_laws_share_the_load_as_equal_springs_do(void **state)
{
    (void)state;
    const char *json = paper_json("p-fig2");
    static const char *const of[] = {"springs", "law ncp", "law lcp, r = 64"};
    for (int i = 0; i < 3; ++i) {
        for (int leg = 1; leg <= 4; ++leg) {
            assert_near(load(json, of[i], leg), 0.25 + (leg <= 2 ? 1.0 : -1.0) * 0.01875, 1e-7);
        }
    }
    assert_near(paper_ours(json, "law ncp", "energy after 5 s"),
                paper_ours(json, "law compliant", "energy after 5 s"), 1e-8);
}

// Depths N_i/k_i of the legs of a level table lie in a plane, leg 1 ten times softer.
static void unequal_springs_share_by_their_stiffness(void **state)
{
    (void)state;
    const char *json = paper_json("p-fig2");
    const char *of = "springs, leg 1 ten times softer";
    const double N[4] = {load(json, of, 1), load(json, of, 2), load(json, of, 3),
                         load(json, of, 4)};
    assert_near(N[0] + N[1] + N[2] + N[3], 1.0, 1e-12);
    assert_near(10.0 * N[0] + N[2], N[1] + N[3], 1e-12);
    // Moments about y: half the friction, which the loads make.
    const double friction = 0.1 * (N[0] + N[2]) + 0.05 * (N[1] + N[3]);
    assert_near(0.5 * (N[0] + N[1] - N[2] - N[3]), 0.5 * friction, 1e-12);
}

static void compliant_springs_come_to_the_rigid_motion_with_order_one_in_1_over_k(void **state)
{
    (void)state;
    const char *json = paper_json("p-fig2");
    assert_near(paper_ours(json, "law compliant", "order of that in 1/k"), 1.0, 0.02);
    assert_near(paper_ours(json, "law compliant, leg 1 ten times softer", "order of that in 1/k"),
                1.0, 0.02);
    assert_true(paper_ours(json, "law compliant",
                           "velocity after 5 s, from rigid springs, k = 1e7 N/m") < 1e-9);
}

static void the_table_on_polygons_comes_to_that_on_cones(void **state)
{
    (void)state;
    const char *json = paper_json("p-fig2");
    // Headings that turn make orders of single doublings uneven.
    const char *quantity = "velocity after 1 s, from law ncp";
    const double order = log2(paper_ours(json, "law lcp, map, r = 8", quantity) /
                              paper_ours(json, "law lcp, map, r = 256", quantity)) /
                         5.0;
    assert_near(order, 1.0, 0.1);
}

static void a_contact_with_too_little_damping_breaks_and_with_enough_does_not(void **state)
{
    (void)state;
    const char *json = paper_json("p-fig3");
    static const char *const of[] = {"ζ = 0.1", "ζ = 0.5", "ζ = 1", "ζ = 2"};
    for (int i = 0; i < 4; ++i) {
        assert_near(paper_ours(json, of[i], "it leaves again (1: yes)"),
                    paper_theirs(json, of[i], "it leaves again (1: yes)"), 0.0);
        // Where in a step it lands blurs the order.
        assert_near(paper_ours(json, of[i], "order of that in h"), 1.0, 0.15);
    }
    assert_true(paper_ours(json, "ζ = 0.1", "largest pull as printed, (30)") > 1.0);
    assert_true(paper_ours(json, "ζ = 0.5", "the same as printed, (30)") <
                0.5 * paper_ours(json, "ζ = 0.5", "speed with which it leaves, one-sided"));
}

static void implicit_springs_damp_more_the_stiffer_they_are(void **state)
{
    (void)state;
    const char *json = paper_json("p-fig4");
    static const char *const of[] = {"k = 10 N/m", "k = 1e2 N/m", "k = 1e3 N/m", "k = 1e4 N/m",
                                     "k = 1e6 N/m"};
    double before = 1.0;
    for (int i = 0; i < 5; ++i) {
        const double now = paper_ours(json, of[i], "speed that comes back over that before");
        assert_true(now < before);
        before = now;
        // Round-off of 500 steps.
        assert_near(paper_ours(json, of[i], "law compliant, from (33) by hand"), 0.0, 1e-13);
    }
    assert_true(before < 0.01);
    // Rigid contacts are the limit, in the first order of 1/k.
    const char *quantity = "law compliant, from law ncp";
    assert_near(log10(paper_ours(json, "k = 1e8 N/m", quantity) /
                      paper_ours(json, "k = 1e10 N/m", quantity)),
                2.0, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_stops_in_the_order_of_the_paper),
        cmocka_unit_test(the_least_norm_is_that_of_the_pseudo_inverse),
        cmocka_unit_test(rigid_laws_share_the_load_as_equal_springs_do),
        cmocka_unit_test(unequal_springs_share_by_their_stiffness),
        cmocka_unit_test(compliant_springs_come_to_the_rigid_motion_with_order_one_in_1_over_k),
        cmocka_unit_test(the_table_on_polygons_comes_to_that_on_cones),
        cmocka_unit_test(a_contact_with_too_little_damping_breaks_and_with_enough_does_not),
        cmocka_unit_test(implicit_springs_damp_more_the_stiffer_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
