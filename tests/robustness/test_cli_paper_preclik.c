// `dashpot paper p-…`: what [PreclikRuedePopa2011] shows, and what springs that become rigid do.
#include "near.h"
#include "paper_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *table; // what p-fig2 prints

static int run_table(void **state)
{
    (void)state;
    const char *json = paper_json("p-fig2");
    const size_t bytes = strlen(json) + 1;
    table = malloc(bytes);
    if (table) {
        memcpy(table, json, bytes);
    }
    return table ? 0 : -1;
}

static int forget_table(void **state)
{
    (void)state;
    free(table);
    return 0;
}

static double load(const char *json, const char *of, int leg)
{
    char quantity[64];
    snprintf(quantity, sizeof quantity, "load of leg %d in the first step", leg);
    return paper_ours(json, of, quantity);
}

static void the_table_stops_in_the_order_of_the_paper(void **state)
{
    (void)state;
    const char *json = table;
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
    const char *json = table;
    assert_near(paper_ours(json, "least norm", "loads, from the pseudo-inverse of (23)"), 0.0,
                1e-10);
    assert_true(paper_ours(json, "least norm", "smallest load of all") > 0.0);
    const char *report = "report on reactions";
    assert_near(paper_ours(json, report, "least norm, from the pseudo-inverse of (23)"), 0.0,
                1e-10);
    // Ranges end where the report's own search does.
    assert_near(paper_ours(json, report, "ranges, from the ends of N ≥ 0"), 0.0, 1e-9);
}

// Sliding along x with friction μ̄ = Σ μ_i N_i at the floor, half a unit below the centre of mass,
// moves μ̄/2 of load to the front pair and as much from the rear one. Springs of equal stiffness
// share by places alone: N = 1/4 ± μ̄/4, μ̄ = 0.075. Laws end at 1e-9 m/s, over steps of 10 ms.
static void rigid_laws_share_the_load_as_equal_springs_do(void **state)
{
    (void)state;
    const char *json = table;
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
    const char *json = table;
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
    const char *json = table;
    assert_near(paper_ours(json, "law compliant", "order of that in 1/k"), 1.0, 0.02);
    assert_near(paper_ours(json, "law compliant, leg 1 ten times softer", "order of that in 1/k"),
                1.0, 0.02);
    assert_true(paper_ours(json, "law compliant",
                           "velocity after 5 s, from rigid springs, k = 1e7 N/m") < 1e-9);
    // And law ncp is there: 500 steps to 1e-13 m/s.
    assert_near(paper_ours(json, "law ncp", "velocity after 5 s, from rigid springs"), 0.0, 1e-10);
}

static void the_table_on_polygons_comes_to_that_on_cones(void **state)
{
    (void)state;
    const char *json = table;
    // Headings that turn make orders of single doublings uneven.
    const char *quantity = "velocity after 1 s, from law ncp";
    const double order = log2(paper_ours(json, "law lcp, map, r = 8", quantity) /
                              paper_ours(json, "law lcp, map, r = 256", quantity)) /
                         5.0;
    assert_near(order, 1.0, 0.1);
}

// Convex cones have the least energy of all: min |v|²/2 over their impulses. They lift it by h μ v,
// which changes energies by some 1e-4 of them.
static void cones_of_law_vi_take_the_motion_of_least_energy_whatever_the_weights(void **state)
{
    (void)state;
    const char *json = table;
    const double least = paper_ours(json, "least energy", "energy after 5 s");
    assert_near(paper_ours(json, "law vi, cones", "energy after 5 s"), least, 1e-3 * least);
    assert_near(paper_ours(json, "law vi, cones, leg 1 ten times softer", "energy after 5 s"),
                paper_ours(json, "law vi, cones", "energy after 5 s"), 1e-6 * least);
    assert_near(paper_ours(json, "law vi, cones", "time until it stops"),
                paper_ours(json, "least energy", "time until it stops"), 0.02); // two steps
}

// compliant has s = 1/(h² k w̄), some 1e-2, where the law has 1e-6, and the order 1.
static void law_vi_shares_as_springs_do_with_de_saxces_term(void **state)
{
    (void)state;
    const char *json = table;
    const char *of = "law vi, De Saxcé's term, leg 1 ten times softer";
    const char *springs = "springs, leg 1 ten times softer";
    for (int leg = 1; leg <= 4; ++leg) {
        assert_near(load(json, of, leg), load(json, springs, leg), 2e-6);
    }
    assert_near(paper_ours(json, of, "energy after 5 s"),
                paper_ours(json, "law compliant, leg 1 ten times softer", "energy after 5 s"),
                1e-6);
    // Loads without friction are 1/4 each, and so is friction on discs: it does not turn.
    assert_near(paper_ours(json, "law vi, discs", "time until it stops"), 1.0 / 0.075, 1e-3);
    assert_near(paper_ours(json, "law vi, discs", "turning speed after 5 s"), 0.0, 1e-7); // by s
}

static void impulses_of_law_vi_come_to_weighted_least_norms_with_exponent_one_in_s(void **state)
{
    (void)state;
    const char *json = paper_json("p-rates");
    static const char *const mode[] = {"stick", "no friction", "slide, discs",
                                       "slide, De Saxcé's term", "slide, cones"};
    static const char *const weights[] = {"equal", "leg 1 ten times softer",
                                          "legs 1 and 3 four times softer",
                                          "1, 2, 3, 5 times softer"};
    for (int m = 0; m < 5; ++m) {
        for (int w = 0; w < 4; ++w) {
            char of[96];
            snprintf(of, sizeof of, "%s, %s", mode[m], weights[w]);
            assert_near(paper_ours(json, of, "exponent in s"), 1.0, 0.02);
            // Round-off over s, 2.2e-16/1e-13, by the condition of the rest.
            assert_true(paper_ours(json, of, "with s = 1e-13") < 10.0 * 2.2e-16 / 1e-13);
            if (m < 2) { // Theorem 4.1
                assert_near(paper_ours(json, of, "law vi itself, s → 0"), 0.0, 1e-13);
            }
            if (m < 4) {
                assert_near(paper_ours(json, of, "extrapolated from s = 1e-5 and 1e-6"), 0.0,
                            1e-10); // s², and round-off over s
            }
        }
    }
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
        cmocka_unit_test(cones_of_law_vi_take_the_motion_of_least_energy_whatever_the_weights),
        cmocka_unit_test(law_vi_shares_as_springs_do_with_de_saxces_term),
        cmocka_unit_test(impulses_of_law_vi_come_to_weighted_least_norms_with_exponent_one_in_s),
        cmocka_unit_test(a_contact_with_too_little_damping_breaks_and_with_enough_does_not),
        cmocka_unit_test(implicit_springs_damp_more_the_stiffer_they_are),
    };
    return cmocka_run_group_tests(tests, run_table, forget_table);
}
