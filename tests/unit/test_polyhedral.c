// Rigid contacts with polyhedral friction as complementarity problems: closed forms of a particle,
// the law `compliant` where both say the same, and the conditions themselves at random.
#include "counting_allocator.h"
#include "law_problem.h"
#include "near.h"
#include "solve/lcp/polyhedral.h"

#include <math.h>

#define INF ((double)INFINITY)

static const double PI = 3.14159265358979323846;

static dp_polyhedral_info solve(law_problem *lp, int directions)
{
    dp_polyhedral_info info;
    if (dp_polyhedral_solve(&lp->s, &lp->p, directions, NULL, NULL, &info) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return info;
}

// A particle of mass m with three velocities on the floor z = 0.
static law_problem particle(double h, double m, double vx, double vy, double vz, double mu)
{
    law_problem lp = law_problem_create(h, 3, 3);
    law_problem_particle(&lp, m, vx);
    law_problem_particle(&lp, m, vy);
    law_problem_particle(&lp, m, vz);
    const int col[3] = {0, 1, 2};
    const double G[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    law_problem_contact(&lp, 3, 3, col, G, &(dp_friction){{mu, mu}, 0.0, {0.0, 0.0}});
    return lp;
}

// ---- a particle

static void a_particle_sticks_exactly_within_the_polygon(void **state)
{
    (void)state;
    const double h = 0.01, fall = 10.0 * h, mu = 0.5;
    for (int r = 4; r <= 16; r *= 2) {
        for (int heading = 0; heading < 40; ++heading) {
            const double angle = 0.157 * heading, speed = 0.999 * mu * fall * cos(PI / r);
            law_problem lp = particle(h, 2.0, speed * cos(angle), speed * sin(angle), -fall, mu);
            const dp_polyhedral_info info = solve(&lp, r);
            assert_int_equal(info.lcp.outcome, DP_LCP_OUTCOME_SOLVED);
            assert_int_equal(info.n, r + 2);
            for (int k = 0; k < 3; ++k) {
                assert_near(lp.s.v[k], 0.0, 1e-16);
            }
            assert_int_equal(lp.s.state[0], DP_ROW_STATE_ACTIVE);
            assert_int_equal(lp.s.state[1], DP_ROW_STATE_STICK);
            law_problem_destroy(&lp);
        }
    }
}

// Along a direction friction is μ times the normal impulse; midway between two it is less by
// cos π/r, which makes the way to rest longer by 1/cos π/r.
static void friction_along_and_between_directions_is_as_predicted(void **state)
{
    (void)state;
    const double h = 0.01, fall = 10.0 * h, mu = 0.5, speed = 1.0;
    for (int r = 4; r <= 32; r *= 2) {
        for (int k = 0; k < 2 * r; ++k) {
            const double angle = PI / r * k, x = cos(angle), y = sin(angle);
            const double left = speed - mu * fall * (k % 2 == 0 ? 1.0 : cos(PI / r));
            law_problem lp = particle(h, 2.0, speed * x, speed * y, -fall, mu);
            const dp_polyhedral_info info = solve(&lp, r);
            assert_int_equal(info.lcp.outcome, DP_LCP_OUTCOME_SOLVED);
            assert_near(lp.s.v[0], left * x, 1e-14);
            assert_near(lp.s.v[1], left * y, 1e-14);
            assert_int_equal(lp.s.state[1], DP_ROW_STATE_SLIP);
            law_problem_destroy(&lp);
        }
    }
}

// The nearest corner is at most π/r off: the chord is 2 sin(π/2r) of the radius, and no less where
// the heading is almost between two.
static void friction_differs_from_the_disc_by_the_chord_at_most(void **state)
{
    (void)state;
    const double h = 0.01, m = 2.0, fall = 10.0 * h, mu = 0.5, speed = 3.0;
    for (int r = 4; r <= 64; r *= 2) {
        double worst = 0.0;
        const double chord = 2.0 * sin(PI / (2.0 * r)) * mu * m * fall;
        for (int heading = 0; heading < 400; ++heading) {
            const double angle = 2.0 * PI * heading / 400.0 + 1e-3, x = cos(angle), y = sin(angle);
            law_problem lp = particle(h, m, speed * x, speed * y, -fall, mu);
            const dp_polyhedral_info info = solve(&lp, r);
            assert_int_equal(info.lcp.outcome, DP_LCP_OUTCOME_SOLVED);
            const double off_x = lp.s.gamma[1] + mu * m * fall * x;
            const double off_y = lp.s.gamma[2] + mu * m * fall * y;
            worst = fmax(worst, sqrt(off_x * off_x + off_y * off_y));
            law_problem_destroy(&lp);
        }
        assert_true(worst <= chord * (1.0 + 1e-12));
        assert_true(worst >= 0.75 * chord);
    }
}

static void a_gap_is_closed_and_not_more_and_a_belt_carries(void **state)
{
    (void)state;
    const double h = 0.01;
    law_problem lp = particle(h, 1.0, 0.0, 0.0, -2.0, 0.5);
    lp.row[0].phi = 0.005;  // 0.5 m/s are left
    lp.row[1].b_ref = -0.3; // the belt moves with 0.3 m/s along x
    lp.row[0].phi_t = 0.25; // and the floor sinks
    dp_polyhedral_info info = solve(&lp, 8);
    assert_int_equal(info.lcp.outcome, DP_LCP_OUTCOME_SOLVED);
    assert_near(lp.s.v[2], -0.75, 1e-15);
    assert_near(lp.s.v[0], 0.3, 1e-15); // 0.3 N s of at most 0.5·1.25
    lp.row[0].phi = 0.1;
    info = solve(&lp, 8);
    assert_true(lp.s.gamma[0] == 0.0 && lp.s.gamma[1] == 0.0 && lp.s.v[2] == -2.0);
    assert_int_equal(lp.s.state[0], DP_ROW_STATE_OPEN);
    assert_int_equal(lp.s.state[1], DP_ROW_STATE_OPEN);
    lp.row[0].k = 1e4; // rigid all the same, and told
    info = solve(&lp, 8);
    assert_int_equal(info.replaced, 1);
    law_problem_destroy(&lp);
}

// What is left of a speed of 0 by round-off, from 1e-8 down to 1e-40 m/s: it sticks.
static void speeds_of_any_smallness_are_stopped(void **state)
{
    (void)state;
    for (int k = 8; k <= 40; ++k) {
        for (int heading = 0; heading < 7; ++heading) {
            const double speed = pow(10.0, -k), angle = 0.9 * heading;
            law_problem lp = particle(0.01, 0.2, speed * cos(angle), speed * sin(angle), -0.1, 0.5);
            lp.G[3] += 1e-17; // and the normal is not quite decoupled
            const dp_polyhedral_info info = solve(&lp, 8);
            assert_int_equal(info.lcp.outcome, DP_LCP_OUTCOME_SOLVED);
            assert_near(lp.s.gamma[0], 0.02, 1e-15);
            assert_near(lp.s.v[0], 0.0, 1e-16);
            assert_near(lp.s.v[1], 0.0, 1e-16);
            law_problem_destroy(&lp);
        }
    }
}

// An ellipse: slip along its axes meets the friction of that axis.
static void the_polygon_of_an_ellipse_has_its_semi_axes(void **state)
{
    (void)state;
    const double h = 0.01, fall = 0.1;
    for (int k = 0; k < 2; ++k) {
        law_problem lp = particle(h, 1.0, k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, -fall, 0.5);
        lp.friction[0].mu[0] = 0.6;
        lp.friction[0].mu[1] = 0.2;
        const dp_polyhedral_info info = solve(&lp, 8);
        assert_int_equal(info.lcp.outcome, DP_LCP_OUTCOME_SOLVED);
        assert_near(lp.s.v[k], 1.0 - (k == 0 ? 0.6 : 0.2) * fall, 1e-15);
        assert_near(lp.s.v[1 - k], 0.0, 1e-15);
        law_problem_destroy(&lp);
    }
}

// ---- without friction

// Two-sided, bounded and rigid one-sided rows mean the same to both laws, and v is unique.
static void without_friction_it_agrees_with_the_compliant_law(void **state)
{
    (void)state;
    const dp_law_options opt = dp_law_options_default();
    int compared = 0;
    for (int draw = 0; draw < 400; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        const bool rigid = draw % 2 == 0;
        const law_rows kinds = {.k_least = 1e1,
                                .k_most = 1e6,
                                .rigid = rigid ? 1.0 : 0.0,
                                .one_sided = rigid ? 0.7 : 0.0,
                                .bounded = 0.3};
        law_problem lp = law_problem_random(0.01, 4, rigid ? 4 : 8, &kinds, &r);
        const dp_solve_info law = law_problem_solve(&lp, NULL, &opt);
        double v[64];
        for (int j = 0; j < lp.p.nv; ++j) {
            v[j] = lp.s.v[j];
        }
        if (law.outcome == DP_OUTCOME_CONVERGED && law.dependent == 0) {
            const dp_polyhedral_info info = solve(&lp, 8);
            assert_int_equal(info.lcp.outcome, DP_LCP_OUTCOME_SOLVED);
            assert_int_equal(info.n, lp.p.nrow);
            double size = 1.0;
            for (int j = 0; j < lp.p.nv; ++j) {
                size = fmax(size, fabs(v[j]));
            }
            for (int j = 0; j < lp.p.nv; ++j) {
                assert_near(lp.s.v[j], v[j], 1e-8 * size); // the law's tolerance is 1e-9 m/s
            }
            ++compared;
        }
        law_problem_destroy(&lp);
    }
    assert_true(compared > 300);
}

// ---- friction at random

// Contacts over random trees with any gradients: normal and tangents couple, as in Painlevé's rod.
static law_problem random_contacts(random_source *r)
{
    const int ntree = 1 + random_below(r, 3), contacts = 1 + random_below(r, 3);
    law_problem lp = law_problem_create(0.01, 4 * ntree, 3 * contacts);
    for (int t = 0; t < ntree; ++t) {
        const double mass = random_between(r, 0.1, 10.0);
        law_problem_tree(&lp, 2 + random_below(r, 3), random_chance(r, 0.5), mass, r);
    }
    for (int j = 0; j < lp.p.nv; ++j) {
        lp.v_free[j] = random_between(r, -1.0, 1.0);
    }
    int col[12];
    for (int c = 0; c < contacts; ++c) {
        double G[36];
        for (int k = 0; k < lp.p.nv; ++k) {
            col[k] = k;
        }
        for (int k = 0; k < 3 * lp.p.nv; ++k) {
            G[k] = random_between(r, -1.0, 1.0);
        }
        const double mu = random_between(r, 0.0, 3.0);
        law_problem_contact(&lp, 3, lp.p.nv, col, G, &(dp_friction){{mu, mu}, 0.0, {0.0, 0.0}});
    }
    return lp;
}

static double energy_of(const dp_step_problem *p, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < p->nv; ++i) {
        size_t at = p->Mt_start[i];
        sum += 0.5 * p->Mt[at++] * v[i] * v[i];
        for (int j = p->parent[i]; j >= 0; j = p->parent[j]) {
            sum += p->Mt[at++] * v[i] * v[j];
        }
    }
    return sum;
}

// A solution exists for every friction coefficient, Lemke's finds it [AnitescuPotraStewart1998,
// §2], and no energy is gained. Where normal and tangents couple too much for forces, impulses do.
static void contacts_at_random_are_solved_and_lose_energy(void **state)
{
    (void)state;
    for (int draw = 0; draw < 500; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        law_problem lp = random_contacts(&r);
        const dp_polyhedral_info info = solve(&lp, 4 + 2 * (draw % 5));
        assert_int_equal(info.lcp.outcome, DP_LCP_OUTCOME_SOLVED);
        double scratch[16];
        dp_certificate c;
        dp_problem_certify(&c, &lp.p, &lp.s, scratch);
        double most = 1.0; // impulses may be large where the contact is almost jammed
        for (int i = 0; i < lp.p.nrow; ++i) {
            most = fmax(most, fabs(lp.s.gamma[i]));
        }
        assert_true(c.momentum <= 1e-12 * most);
        assert_true(c.penetration <= 1e-12 * most);
        assert_true(c.cone <= 1e-12 * most); // the polygon lies within the disc
        assert_true(c.complementarity <= 1e-12 * most * most);
        const double before = energy_of(&lp.p, lp.v_free);
        assert_true(energy_of(&lp.p, lp.s.v) <= before + 1e-12 * most * most);
        law_problem_destroy(&lp);
    }
}

// ---- the call

static void bad_directions_and_scarce_memory_are_told(void **state)
{
    (void)state;
    law_problem lp = particle(0.01, 1.0, 1.0, 0.0, -1.0, 0.5);
    dp_polyhedral_info info;
    static const int bad[] = {0, 2, 5, -8};
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(dp_polyhedral_solve(&lp.s, &lp.p, bad[k], NULL, NULL, &info),
                         DP_ERROR_ARGUMENT);
    }
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    assert_int_equal(dp_polyhedral_solve(&lp.s, &lp.p, 8, NULL, &allocator, &info), DP_OK);
    const size_t calls = counts.calls;
    for (size_t k = 1; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(dp_polyhedral_solve(&lp.s, &lp.p, 8, NULL, &allocator, &info),
                         DP_ERROR_MEMORY);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
    }
    lp.Mt[0] = -1.0;
    assert_int_equal(dp_polyhedral_solve(&lp.s, &lp.p, 8, NULL, NULL, &info), DP_ERROR_NUMERIC);
    law_problem_destroy(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_sticks_exactly_within_the_polygon),
        cmocka_unit_test(friction_along_and_between_directions_is_as_predicted),
        cmocka_unit_test(friction_differs_from_the_disc_by_the_chord_at_most),
        cmocka_unit_test(a_gap_is_closed_and_not_more_and_a_belt_carries),
        cmocka_unit_test(speeds_of_any_smallness_are_stopped),
        cmocka_unit_test(the_polygon_of_an_ellipse_has_its_semi_axes),
        cmocka_unit_test(without_friction_it_agrees_with_the_compliant_law),
        cmocka_unit_test(contacts_at_random_are_solved_and_lose_energy),
        cmocka_unit_test(bad_directions_and_scarce_memory_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
