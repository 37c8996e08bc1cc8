// The law `lcp` on step problems: what it takes rows for, how it is judged, when it falls back.
#include "counting_allocator.h"
#include "law_problem.h"

#include "base/memory.h"
#include "base/stack.h"
#include "solve/law.h"
#include "solve/lcp/polyhedral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, infinite = (double)INFINITY;

static dp_law_options lcp_options(int directions)
{
    dp_law_options opt = dp_law_options_default();
    opt.law = DP_LAW_LCP;
    opt.lcp.directions = directions;
    return opt;
}

// A particle of mass m on a floor.
static void add_particle(law_problem *lp, double m, double vx, double vy, double vz, double mu)
{
    const int first = lp->p.nv;
    law_problem_particle(lp, m, vx);
    law_problem_particle(lp, m, vy);
    law_problem_particle(lp, m, vz);
    const int col[3] = {first, first + 1, first + 2};
    const double G[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    law_problem_contact(lp, 3, 3, col, G, &(dp_friction){{mu, mu}, 0.0, {0.0, 0.0}});
}

static law_problem particle(double vx, double vy, double vz, double mu)
{
    law_problem lp = law_problem_create(0.01, 3, 3);
    add_particle(&lp, 2.0, vx, vy, vz, mu);
    return lp;
}

static void springs_of_contacts_are_not_used_and_that_is_told(void **state)
{
    (void)state;
    law_problem lp = particle(1.0, 0.0, -0.1, 0.5);
    lp.row[0].k = 1e3;
    lp.row[0].b = 20.0;
    lp.row[1].k = lp.row[2].k = 1e2;
    lp.row[1].b = lp.row[2].b = 0.0;
    const dp_normal hertz = {.kind = DP_NORMAL_HERTZ, .dissipation = 1.0};
    const dp_row kept = lp.row[0];
    const dp_law_options opt = lcp_options(8);
    const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_int_equal(info.replaced, 3);
    assert_int_equal(info.fallbacks, 0);
    assert_near(lp.s.v[2], 0.0, 1e-16);
    assert_near(lp.s.v[0], 0.95, 1e-15);
    assert_memory_equal(&lp.row[0], &kept, sizeof kept); // the problem is the caller's
    lp.row[0].b = 0.0;
    *lp.normal = hertz;
    lp.p.normal = lp.normal;
    const dp_solve_info again = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(again.outcome, DP_OUTCOME_CONVERGED);
    assert_near(lp.s.v[2], 0.0, 1e-16);
    law_problem_destroy(&lp);
}

// The cone of `compliant` with rigid rows is the limit of many corners.
static void many_corners_come_near_the_cone(void **state)
{
    (void)state;
    const double heading = 0.7;
    for (int r = 4; r <= 256; r *= 2) {
        law_problem lp = particle(cos(heading), sin(heading), -0.1, 0.5);
        const dp_law_options opt = lcp_options(r);
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
        const double vx = lp.s.v[0], vy = lp.s.v[1];
        const dp_solve_info cone = law_problem_solve(&lp, NULL, NULL);
        assert_int_equal(cone.outcome, DP_OUTCOME_CONVERGED);
        const double chord = 2.0 * sin(PI / (2.0 * r)) * 0.05; // of the disc, over the mass
        assert_near(vx, lp.s.v[0], chord);
        assert_near(vy, lp.s.v[1], chord);
        law_problem_destroy(&lp);
    }
}

static void the_certificate_tells_what_the_polygon_misses(void **state)
{
    (void)state;
    const double off = PI / 8.0;
    double scratch[3];
    dp_certificate c;
    for (int k = 0; k < 16; ++k) { // along a corner, and midway between two
        const double heading = 0.5 * k * off;
        law_problem lp = particle(cos(heading), sin(heading), -0.1, 0.5);
        const dp_law_options opt = lcp_options(8);
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
        const double nearest = fabs(remainder(heading, 2.0 * off));
        assert_near(c.normal_law, 0.0, 1e-15);
        assert_true(c.cone <= 1e-16);
        if (k % 4 != 2) { // one corner
            assert_near(c.heading, nearest, 0.02);
            assert_near(c.shortfall, 0.0, 1e-15);
        } else { // any mixture of two
            assert_true(c.heading <= off + 0.02);
            assert_true(c.shortfall <= 1.0 - cos(off) + 1e-15);
        }
        // By the disc, it is not Coulomb's friction.
        dp_problem_certify(&c, &lp.p, &lp.s, scratch);
        assert_true((c.normal_law > 1e-3) == (nearest > 0.01));
        law_problem_destroy(&lp);
    }
}

// What the certificate holds against impulses that are off: the same as a search for the nearest
// point of the polygon.
static void the_residual_of_a_polygon_is_that_of_the_nearest_point(void **state)
{
    (void)state;
    random_source r = {.state = 5};
    double scratch[3];
    for (int draw = 0; draw < 200; ++draw) {
        const int corners = 4 + 2 * random_below(&r, 6);
        law_problem lp = particle(0.0, 0.0, -0.1, 0.5);
        double v[3], gamma[3] = {0.2, 0.0, 0.0};
        for (int k = 0; k < 3; ++k) {
            v[k] = k < 2 ? random_between(&r, -0.1, 0.1) : 0.0;
            gamma[k] += k > 0 ? random_between(&r, -0.1, 0.1) : 0.0;
        }
        dp_step_solution s = {v, gamma, NULL};
        dp_certificate c;
        dp_problem_certify_as(&c, &lp.p, &s, (dp_certify_view){.rigid = true, .corners = corners},
                              scratch);
        const double a = 0.5, radius = 0.5 * 0.2; // 1/m
        const double y[2] = {gamma[1] - v[0] / a, gamma[2] - v[1] / a};
        double nearest = infinite, at[2] = {0.0, 0.0};
        bool inside = true;
        for (int k = 0; k < corners; ++k) {
            const double from = 2.0 * PI * k / corners, to = 2.0 * PI * (k + 1) / corners;
            const double mid = 0.5 * (from + to);
            inside = inside && y[0] * cos(mid) + y[1] * sin(mid) <= radius * cos(PI / corners);
            for (int i = 0; i <= 2000; ++i) {
                const double t = i / 2000.0;
                const double x[2] = {radius * ((1.0 - t) * cos(from) + t * cos(to)),
                                     radius * ((1.0 - t) * sin(from) + t * sin(to))};
                const double d = hypot(y[0] - x[0], y[1] - x[1]);
                if (d < nearest) {
                    nearest = d;
                    at[0] = x[0];
                    at[1] = x[1];
                }
            }
        }
        const double off =
            inside ? hypot(v[0], v[1]) / a : hypot(gamma[1] - at[0], gamma[2] - at[1]);
        assert_near(c.normal_law, a * off, a * 2.0 * radius * PI / corners / 2000.0);
        law_problem_destroy(&lp);
    }
}

// A box in a slot that is too narrow: no velocity meets both walls.
static void what_no_velocity_can_meet_is_met_in_the_middle_and_told(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(0.01, 3, 6);
    law_problem_particle(&lp, 1.0, 0.0);
    law_problem_particle(&lp, 1.0, 0.0);
    law_problem_particle(&lp, 1.0, 0.1);
    const int col[3] = {0, 1, 2};
    const double left[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, right[9] = {-1, 0, 0, 0, 1, 0, 0, 0, -1};
    law_problem_contact(&lp, 3, 3, col, left, &(dp_friction){{0.5, 0.5}, 0.0, {0.0, 0.0}})->phi =
        -1e-3;
    law_problem_contact(&lp, 3, 3, col, right, &(dp_friction){{0.5, 0.5}, 0.0, {0.0, 0.0}})->phi =
        -2e-3;
    const dp_law_options opt = lcp_options(8);
    const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(info.outcome, DP_OUTCOME_CONTRADICTORY);
    assert_int_equal(info.fallbacks, 0);
    assert_near(info.inconsistent, 0.15, 1e-9); // on either side
    assert_near(lp.s.v[0], -0.05, 1e-9);
    law_problem_destroy(&lp);
}

static void directions_that_make_no_polygon_are_refused(void **state)
{
    (void)state;
    law_problem lp = particle(1.0, 0.0, -0.1, 0.5);
    static const int bad[] = {0, -8, 2, 7, 258};
    for (int k = 0; k < 5; ++k) {
        const dp_law_options opt = lcp_options(bad[k]);
        dp_solve_info info;
        assert_int_equal(dp_law_solve(&lp.s, &lp.p, NULL, &opt, NULL, &info), DP_ERROR_ARGUMENT);
        assert_non_null(strstr(dp_last_error(), "even"));
    }
    law_problem_destroy(&lp);
}

static void each_allocation_may_fail_in_turn(void **state)
{
    (void)state;
    law_problem lp = particle(1.0, 0.0, -0.1, 0.5);
    const dp_law_options opt = lcp_options(8);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_solve_info info;
    assert_int_equal(dp_law_solve(&lp.s, &lp.p, NULL, &opt, &allocator, &info), DP_OK);
    assert_int_equal(counts.blocks, 0);
    const size_t calls = counts.calls;
    for (size_t k = 1; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(dp_law_solve(&lp.s, &lp.p, NULL, &opt, &allocator, &info),
                         DP_ERROR_MEMORY);
        assert_int_equal(counts.blocks, 0);
    }
    law_problem_destroy(&lp);
}

// Independent bodies and rows of every kind: the law is met as its own problem says, to round-off,
// and the bound on memory holds.
static void problems_of_every_kind_are_solved_to_round_off(void **state)
{
    (void)state;
    int fallbacks = 0;
    for (int draw = 0; draw < 400; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        law_problem lp = law_problem_random_contacts(3, &r);
        dp_law_options opt = lcp_options(4 + 2 * (draw % 4));
        opt.lcp.method = DP_POLYHEDRAL_METHOD_LEMKE;
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        double scratch[32], most = 1.0;
        for (int i = 0; i < lp.p.nrow; ++i) {
            most = fmax(most, fabs(lp.s.gamma[i]));
        }
        dp_certificate c;
        assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
        assert_int_not_equal(info.outcome, DP_OUTCOME_CAPPED);
        assert_true(c.momentum <= 1e-11 * most);
        if (info.fallbacks == 0) {
            assert_true(c.normal_law <= 1e-11 * most);
            assert_true(c.cone <= 1e-12 * most);
        }
        fallbacks += info.fallbacks;

        const size_t bytes = dp_polyhedral_memory(&lp.p, opt.lcp.directions);
        void *memory = malloc(bytes);
        dp_stack stack;
        dp_stack_init(&stack, memory, bytes);
        const dp_allocator a = dp_stack_allocator(&stack);
        dp_polyhedral_info own;
        assert_int_equal(dp_polyhedral_solve(&lp.s, &lp.p, opt.lcp.directions, NULL, &a, &own),
                         DP_OK);
        assert_int_equal(stack.used, 0);
        free(memory);
        law_problem_destroy(&lp);
    }
    assert_true(fallbacks <= 8); // 2 %: problems with random rows may have no solution
}

// Impulses of redundant rows may differ; what they do may not.
static void both_methods_find_the_same_velocities(void **state)
{
    (void)state;
    for (int draw = 0; draw < 400; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        law_problem lp = law_problem_random_contacts(3, &r);
        dp_law_options opt = lcp_options(4 + 2 * (draw % 4));
        double v[32];
        opt.lcp.method = DP_POLYHEDRAL_METHOD_LEMKE;
        const dp_solve_info lemke = law_problem_solve(&lp, NULL, &opt);
        memcpy(v, lp.s.v, (size_t)lp.p.nv * sizeof *v);
        opt.lcp.method = DP_POLYHEDRAL_METHOD_MAP;
        const dp_solve_info map = law_problem_solve(&lp, NULL, &opt);
        assert_true(map.residual <= fmax(opt.tolerance, lemke.residual));
        for (int i = 0; i < lp.p.nv; ++i) {
            assert_true(fabs(lp.s.v[i] - v[i]) <= 100.0 * opt.tolerance);
        }
        law_problem_destroy(&lp);
    }
}

// A body of 1e4 kg and more on one of a tenth of a gram and less, on the floor: 1e8 … 1e14.
static law_problem heavy_on_light(double ratio, random_source *r)
{
    enum { BODY = 6, ON_TOP = 4, BELOW = 3 };
    static const int col[2 * BODY] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    law_problem lp = law_problem_create(0.01, 2 * BODY, 3 * (ON_TOP + BELOW));
    for (int i = 0; i < 2 * BODY; ++i) {
        const double mass = i < BODY ? 1.0 / sqrt(ratio) : sqrt(ratio);
        law_problem_particle(&lp, (i % BODY < 3 ? 1.0 : 0.01) * mass,
                             i % BODY == 2 ? -0.0981 : random_between(r, -0.2, 0.2));
    }
    for (int c = 0; c < ON_TOP + BELOW; ++c) {
        const int ncol = c < ON_TOP ? 2 * BODY : BODY;
        const double x = random_between(r, -0.1, 0.1), y = random_between(r, -0.1, 0.1);
        const double mu = random_between(r, 0.1, 0.8);
        double G[3 * 2 * BODY] = {0.0};
        for (int side = 0; side < ncol / BODY; ++side) {
            const double sign = ncol > BODY && side == 0 ? -1.0 : 1.0;
            const double z = ncol > BODY && side == 0 ? 0.1 : -0.1;
            const double rows[3][BODY] = {
                {0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
            for (int k = 0; k < 3 * BODY; ++k) {
                G[k / BODY * ncol + side * BODY + k % BODY] = sign * rows[k / BODY][k % BODY];
            }
        }
        law_problem_contact(&lp, 3, ncol, col, G, &(dp_friction){{mu, mu}, 0.0, {0.0, 0.0}});
    }
    return lp;
}

static void what_counts_as_solved_is_solved_by_its_certificate_at_any_mass_ratio(void **state)
{
    (void)state;
    random_source r = {77};
    int solved = 0;
    for (int k = 0; k < 200; ++k) {
        law_problem lp = heavy_on_light(pow(10.0, random_between(&r, 8.0, 14.0)), &r);
        dp_law_options opt = dp_law_options_default();
        opt.law = DP_LAW_LCP;
        opt.lcp.directions = 4;
        opt.lcp.method = DP_POLYHEDRAL_METHOD_LEMKE;
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        dp_certificate c;
        double scratch[12];
        assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
        double floor = 0.0; // 4 ε max w|γ|, from the numbers of the problem
        for (int b = 0, at = 0; b < lp.p.nblock; ++b) {
            const int ncol = lp.col_start[b + 1] - lp.col_start[b];
            for (int row = lp.row_start[b]; row < lp.row_start[b + 1]; ++row) {
                double w = 0.0;
                for (int i = 0; i < ncol; ++i, ++at) {
                    w += lp.G[at] * lp.G[at] / lp.Mt[lp.col[lp.col_start[b] + i]];
                }
                floor = fmax(floor, 4.0 * 0x1p-52 * w * fabs(lp.s.gamma[row]));
            }
        }
        if (info.outcome == DP_OUTCOME_CONVERGED) {
            assert_true(c.normal_law <= fmax(opt.tolerance, floor));
            ++solved;
        }
        law_problem_destroy(&lp);
    }
    assert_true(solved > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_of_contacts_are_not_used_and_that_is_told),
        cmocka_unit_test(many_corners_come_near_the_cone),
        cmocka_unit_test(the_certificate_tells_what_the_polygon_misses),
        cmocka_unit_test(the_residual_of_a_polygon_is_that_of_the_nearest_point),
        cmocka_unit_test(what_no_velocity_can_meet_is_met_in_the_middle_and_told),
        cmocka_unit_test(directions_that_make_no_polygon_are_refused),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
        cmocka_unit_test(both_methods_find_the_same_velocities),
        cmocka_unit_test(problems_of_every_kind_are_solved_to_round_off),
        cmocka_unit_test(what_counts_as_solved_is_solved_by_its_certificate_at_any_mass_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
