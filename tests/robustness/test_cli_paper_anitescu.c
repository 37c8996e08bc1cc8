// `dashpot paper a-…`: what [AnitescuPotraStewart1998] says in words, where mathematics has numbers
// for it.
#include "near.h"
#include "paper_rows.h"

#include <math.h>
#include <stdio.h>

// |w_nt| v/(w_nn w_tt − w_nt²) of a slender rod of 1 kg and 2 m at tan θ = 2; a ball of 1 mm at its
// end and a step of 1e-6 s make 1e-3 of difference.
static void painleves_rod_is_stopped_by_one_impulse(void **state)
{
    (void)state;
    const char *json = paper_json("a-painleve");
    const double nn = 1.0 + 3.0 * 0.2, tt = 1.0 + 3.0 * 0.8, nt = 3.0 * 0.4;
    const double impulse = nt / (nn * tt - nt * nt);
    assert_near(paper_ours(json, "μ = 2, h = 1e-6 s", "impulse of the first step"), impulse,
                1e-3 * impulse);
    assert_near(paper_ours(json, "μ = 2, h = 1e-6 s", "slip of the end after it"), 0.0, 1e-12);
    assert_near(paper_ours(json, "μ = 2, h = 1e-6 s", "energy lost"), 0.5 * impulse * nn / nt,
                2e-3 * impulse);
    assert_near(paper_ours(json, "μ = 2", "forces that (P 1) allows"), 0.0, 0.0);
    assert_near(paper_ours(json, "μ = 2", "solved as forces and accelerations (1: yes)"), 0.0, 0.0);
    assert_near(paper_ours(json, "μ = 2, turning", "forces that (P 1) allows"), 2.0, 0.0);
    assert_near(paper_ours(json, "μ = 2, h = 1e-6 s", "contacts that the certificate names"), 1.0,
                0.0);
    assert_near(paper_ours(json, "μ = 1, h = 1e-6 s", "contacts that the certificate names"), 0.0,
                0.0);
    // Below the threshold a step has the impulse of a force.
    assert_near(paper_ours(json, "μ = 1, h = 1e-6 s", "impulse of the first step"),
                9.81e-6 / (nn - nt), 5e-3 * 2.5e-5);
    // Bisection ends at 40^(2^-14) − 1 = 2e-4 of its value.
    assert_near(paper_ours(json, "least friction for it", "by bisection"), 4.0 / 3.0, 3e-3);
}

// Headings are 9 of a continuum: the largest of them is a little less than the largest of all.
static void polyhedral_friction_is_biased_as_predicted(void **state)
{
    (void)state;
    const char *json = paper_json("a-cone");
    static const int sides[] = {4, 8, 16, 32};
    for (int i = 0; i < 4; ++i) {
        char of[32];
        snprintf(of, sizeof of, "r = %d", sides[i]);
        const double half = acos(-1.0) / sides[i];
        const double angle = paper_ours(json, of, "the same, predicted"); // the first of the two
        assert_near(paper_ours(json, of, "worst heading error"), angle, 0.01 * angle);
        assert_near(paper_ours(json, of, "longest way, over that on a disc"), 1.0 / cos(half),
                    2e-5);
        assert_near(paper_ours(json, of, "least force that moves it, over its weight"),
                    0.5 * cos(half), 1e-6); // bisection: 0.35/2²⁴
        assert_near(paper_ours(json, of, "largest distance from the predicted place"), 0.0, 5e-6);
    }
    // Known from an independent program, to their digits.
    assert_near(paper_ours(json, "r = 4", "worst heading error"), 13.0, 0.5);
    assert_near(paper_ours(json, "r = 8", "worst heading error"), 5.9, 0.15);
    assert_near(paper_ours(json, "disc, law compliant", "worst heading error"), 0.0, 1e-9);
}

// Directions of friction differ by up to π/r, and ways by 1/cos(π/r): two doublings, quick steps.
static void polygons_come_to_the_cone_of_ncp_with_the_orders_of_their_corners(void **state)
{
    (void)state;
    const char *json = paper_json("a-ncp");
    assert_near(paper_ours(json, "r → ∞", "heading of the way: order in 1/r"), 1.0, 0.02);
    assert_near(paper_ours(json, "r → ∞", "length of the way: order in 1/r"), 2.0, 0.02);
    assert_near(paper_ours(json, "r → ∞", "velocity after a step: order in 1/r"), 1.0, 0.02);
    assert_near(paper_ours(json, "r → ∞", "place where it stops: order in 1/r"), 1.0, 0.02);
    // Steps of 5 ms, friction 0.5: 2 μ g h sin(δ/2) with δ the largest heading, 7/8 of π/r.
    const double delta = 0.875 * acos(-1.0) / 16.0;
    const double step = 2.0 * 0.5 * 9.81 * 5e-3 * sin(0.5 * delta);
    assert_near(paper_ours(json, "r = 16", "velocity after a step, lcp from ncp"), step,
                1e-6 * step);
    assert_near(paper_ours(json, "law ncp", "worst heading error"), 0.0, 1e-12);
    // What the last step leaves open: h² μ g/8.
    assert_near(paper_ours(json, "law ncp", "largest error of the way"), 0.0,
                5e-3 * 5e-3 * 0.5 * 9.81 / 8.0 + 1e-9);
}

// |x|² = (1 + ε²)/2 + 1/(8 ε²): regularised numbers have s = 6e-20.
static void a_wedge_has_a_shortest_reaction_but_where_its_cone_is_open(void **state)
{
    (void)state;
    const char *json = paper_json("a-wedge");
    static const char *const of[] = {"ε = 1", "ε = 0.1", "ε = 0.01", "ε = 0.001"};
    for (int i = 0; i < 4; ++i) {
        const double e = pow(10.0, -i), norm = sqrt(0.5 * (1.0 + e * e) + 0.125 / (e * e));
        assert_near(paper_ours(json, of[i], "the same, regularised, s → 0"), norm, 1e-6 * norm);
        assert_near(paper_ours(json, of[i], "exponent of its growth in 1/s"), 0.0, 1e-6);
    }
    // No number: the norm grows as s^{−1/4}.
    assert_near(paper_ours(json, "ε = 0", "exponent of its growth in 1/s"), 0.25, 1e-6);
    assert_true(paper_gives_none(json, "ε = 0", "the same, regularised, s → 0"));
    assert_true(paper_gives_none(json, "ε = 0", "law vi: reactions, s → 0"));
    assert_near(paper_ours(json, "ε = 0", "law vi: exponent of their growth in 1/s"), 0.25, 1e-3);
    // To 1e-12 in s, which is far below ε⁴ and no more.
    assert_near(paper_ours(json, "ε = 0.1", "law vi: reactions, s → 0"), sqrt(0.5 * 1.01 + 12.5),
                1e-6);
    // Round-off over s, s ≥ 1e-8.
    assert_near(paper_ours(json, "ε = 0", "law vi: largest relative error of their norm"), 0.0,
                1e-6);
    // Coulomb's law is met by sliding: two normals that hold ε, and friction against the slip.
    assert_near(paper_ours(json, "ε = 0.01", "law ncp: acceleration"), 1.0 - sqrt(2.0) * 0.01,
                1e-6);
}

static void the_default_rule_of_impact_never_gains_energy_and_others_do(void **state)
{
    (void)state;
    const char *json = paper_json("a-impact");
    static const char *const ours[] = {"one contact, default (I 1)", "two to four, default (I 1)"};
    static const char *const others[] = {
        "one contact, Poisson (27), (28)", "two to four, Poisson (27), (28)",
        "one contact, Newton, per contact", "two to four, Newton, per contact"};
    for (int i = 0; i < 2; ++i) {
        assert_true(paper_ours(json, ours[i], "largest energy after over before") <= 1.0 + 1e-12);
        assert_near(paper_ours(json, ours[i], "share that gains"), 0.0, 0.0);
        assert_near(paper_ours(json, ours[i], "not solved"), 0.0, 0.0);
    }
    for (int i = 0; i < 4; ++i) {
        assert_true(paper_ours(json, others[i], "largest energy after over before") > 1.1);
    }
    static const char *const balls[] = {"a ball, e = 0.5, default (I 1)",
                                        "a ball, e = 0.5, Poisson (27), (28)",
                                        "a ball, e = 0.5, Newton, per contact"};
    for (int i = 0; i < 3; ++i) {
        assert_near(paper_ours(json, balls[i], "steps of law lcp: largest difference"), 0.0, 1e-12);
    }
    const char *quantity = "speed of its lowest point over that before"; // tangential restitution
    assert_near(paper_ours(json, "a ball, e = 0.5, default (I 1)", quantity), -0.5, 1e-12);
    assert_near(paper_ours(json, "a ball, e = 0.5, Poisson (27), (28)", quantity), 0.0, 1e-12);
}

static void the_length_of_quaternions_drifts_as_printed_and_stays_in_dashpot(void **state)
{
    (void)state;
    const char *json = paper_json("a-quaternion");
    assert_near(paper_ours(json, "spin of 10 rad/s, h = 0.01 s", "|q| after 10 s"),
                pow(1.0025, 500.0), 1e-10);
    assert_near(paper_ours(json, "as printed", "order of |q| − 1 in h"), 1.0, 0.05);
    assert_near(paper_ours(json, "projected", "change of the orientation by it"), 0.0, 1e-12);
    assert_near(paper_ours(json, "projected", "order of the error in h"), 1.0, 0.05);
    assert_near(paper_ours(json, "Dashpot", "largest ||q| − 1|"), 0.0, 1e-14);
    assert_near(paper_ours(json, "Dashpot", "order of the error in h"), 2.0, 0.05);
}

static void islands_one_by_one_take_linear_work_and_at_once_cubic(void **state)
{
    (void)state;
    const char *json = paper_json("a-islands");
    assert_near(paper_ours(json, "the scene", "islands"), 16.0, 0.0);
    // Pivots are counts of some tens: exponents of one doubling know no more.
    assert_near(paper_ours(json, "at once", "exponent of the work in n"), 3.0, 0.25);
    assert_near(paper_ours(json, "one by one", "exponent of the work in n"), 1.0, 0.25);
    assert_near(paper_ours(json, "4 islands", "work at once over one by one"), 16.0, 2.0);
    assert_near(paper_ours(json, "4 islands", "not solved"), 0.0, 0.0);
}

static void projection_cures_drift_and_not_the_loss_of_energy(void **state)
{
    (void)state;
    const char *json = paper_json("a-drift");
    const char *gap = "largest gap of a pin, h = 5 ms";
    const char *energy = "largest error of the energy within 2 s, h = 5 ms";
    const char *rates = "(15), rates alone", *projected = "(15) and projection";
    const char *gaps = "gap over the step, φ/h";
    assert_true(paper_ours(json, projected, gap) < 1e-4 * paper_ours(json, rates, gap));
    assert_true(paper_ours(json, projected, energy) > 5.0 * paper_ours(json, gaps, energy));
    assert_true(paper_ours(json, gaps, gap) < 0.5 * paper_ours(json, rates, gap));
    assert_true(paper_ours(json, "law lcp, gaps", energy) <
                0.2 * paper_ours(json, "law lcp, projection", energy));
    // The tolerance of gaps.
    assert_near(paper_ours(json, "law lcp, gaps", gap), 0.0, 1e-10);
    assert_near(paper_ours(json, "law lcp, projection", gap), 0.0, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(painleves_rod_is_stopped_by_one_impulse),
        cmocka_unit_test(polyhedral_friction_is_biased_as_predicted),
        cmocka_unit_test(polygons_come_to_the_cone_of_ncp_with_the_orders_of_their_corners),
        cmocka_unit_test(a_wedge_has_a_shortest_reaction_but_where_its_cone_is_open),
        cmocka_unit_test(islands_one_by_one_take_linear_work_and_at_once_cubic),
        cmocka_unit_test(projection_cures_drift_and_not_the_loss_of_energy),
        cmocka_unit_test(the_default_rule_of_impact_never_gains_energy_and_others_do),
        cmocka_unit_test(the_length_of_quaternions_drifts_as_printed_and_stays_in_dashpot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
