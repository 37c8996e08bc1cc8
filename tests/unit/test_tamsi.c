// The law `tamsi` on step problems: its line search, its derivatives, what it solves and how.
#include "law_problem.h"

#include "base/memory.h"
#include "solve/tamsi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static dp_turn_limit turn(double angle)
{
    return (dp_turn_limit){sin(angle), cos(angle)};
}

static dp_law_options tamsi_options(double slip_speed)
{
    dp_law_options opt = dp_law_options_default();
    opt.law = DP_LAW_TAMSI;
    opt.friction.slip_speed = slip_speed;
    return opt;
}

// ---- the line search

static void a_step_across_the_disc_ends_at_its_nearest_point(void **state)
{
    (void)state;
    random_source r = {1};
    int crossed = 0;
    for (int i = 0; i < 10000; ++i) {
        const double a = random_between(&r, -3.0, 3.0), b = random_between(&r, -3.0, 3.0);
        const double c = random_between(&r, -6.0, 6.0), d = random_between(&r, -6.0, 6.0);
        const double s[2] = {a, b}, ds[2] = {c, d};
        const double t = dp_transition_step(s, ds, 1.0, turn(PI));
        assert_true(t > 0.0 && t <= 1.0);
        const double end = hypot(a + c, b + d), at = hypot(a + t * c, b + t * d);
        double nearest = INFINITY; // of many points on the way
        for (int k = 0; k <= 200; ++k) {
            nearest = fmin(nearest, hypot(a + k * c / 200.0, b + k * d / 200.0));
        }
        if (hypot(a, b) > 1.0 && end > 1.0 && nearest < 1.0) {
            ++crossed;
            assert_near((a + t * c) * c + (b + t * d) * d, 0.0, 1e-12);
            assert_true(at <= nearest + 1e-12);
        } else if (hypot(a, b) <= 1.0 || end <= 1.0 || nearest > 1.01) {
            assert_true(t == 1.0);
        }
    }
    assert_true(crossed > 500);
}

static void no_step_turns_a_slip_further_than_allowed(void **state)
{
    (void)state;
    random_source r = {2};
    int held = 0;
    for (int i = 0; i < 10000; ++i) {
        const double a = random_between(&r, -3.0, 3.0), b = random_between(&r, -3.0, 3.0);
        const double c = random_between(&r, -6.0, 6.0), d = random_between(&r, -6.0, 6.0);
        const double s[2] = {a, b}, ds[2] = {c, d}, most = PI / 3.0;
        const double t = dp_transition_step(s, ds, 1e-3, turn(most));
        const double e[2] = {a + t * c, b + t * d};
        const double angle = fabs(atan2(a * e[1] - b * e[0], a * e[0] + b * e[1]));
        if (hypot(e[0], e[1]) > 1e-3) { // else it is caught
            assert_true(angle <= most + 1e-9);
        }
        if (t < 1.0 && hypot(e[0], e[1]) > 1e-3) {
            ++held;
            assert_near(angle, most, 1e-9);
        }
    }
    assert_true(held > 1000);
}

// ---- one contact

// A block of mass m on a floor, pushed along x; it cannot turn.
static law_problem block(double m, double h, double vx, double force, double k, double mu)
{
    const double g = 9.8;
    law_problem lp = law_problem_create(h, 3, 3);
    law_problem_particle(&lp, m, vx + h * force / m);
    law_problem_particle(&lp, m, 0.0);
    law_problem_particle(&lp, m, -h * g);
    lp.v0[0] = vx;
    lp.v0[1] = lp.v0[2] = 0.0;
    const int col[3] = {0, 1, 2};
    const double G[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    dp_row *row = law_problem_contact(&lp, 3, 3, col, G, &(dp_friction){{mu, mu}, 0.0, {0.0, 0.0}});
    row[0].k = k;
    row[0].b = 0.0;
    row[0].phi = -m * g / k; // in balance
    return lp;
}

// Fig. 4 of the paper: a block that is shaken comes to rest within a step of 10 ms.
static void newton_alone_goes_to_and_fro_where_the_line_search_ends_in_three_steps(void **state)
{
    (void)state;
    const double m = 0.33, h = 0.01, mu = 1.0, v_s = 1e-4, k = 1e5, g = 9.8;
    double v = 0.0;
    int stuck_at = -1, sliding = 0;
    for (int i = 1; i < 40 && stuck_at < 0; ++i) { // closed form of each step
        const double force = 4.0 * cos(2.0 * PI * (double)i * h);
        law_problem lp = block(m, h, v, force, k, mu);
        dp_law_options opt = tamsi_options(v_s);
        const dp_solve_info held = law_problem_solve(&lp, NULL, &opt);
        const double found = lp.s.v[0];
        assert_int_equal(held.outcome, DP_OUTCOME_CONVERGED);
        opt.user = dp_law_tamsi_variant(DP_TAMSI_VARIANT_PLAIN);
        const dp_solve_info plain = law_problem_solve(&lp, NULL, &opt);
        const double free_v = v + h * force / m, brake = h * mu * g;
        const bool sticks = fabs(free_v) <= brake + v_s;
        const double expected =
            sticks ? free_v / (1.0 + brake / v_s) : free_v - (free_v > 0.0 ? brake : -brake);
        assert_near(found, expected, 1e-12);
        sliding += !sticks;
        if (sticks && sliding > 0) {
            stuck_at = i;
            assert_int_equal(plain.outcome, DP_OUTCOME_CAPPED);
            assert_true(held.iterations <= 3);
        }
        v = found;
        law_problem_destroy(&lp);
    }
    assert_int_equal(stuck_at, 17); // the step from t = 0.160 s
}

static void what_holds_creeps_in_proportion_and_what_slides_has_full_friction(void **state)
{
    (void)state;
    const double m = 2.0, h = 0.01, mu = 0.5, g = 9.8, full = mu * m * g;
    for (int i = -12; i <= 12; ++i) {
        const double v_s = 1e-3, force = 0.1 * i * full;
        law_problem lp = block(m, h, 0.0, force, 1e6, mu);
        const dp_law_options opt = tamsi_options(v_s);
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
        const double expected = h * force / (m + h * full / v_s); // m v = h (f − full v/v_s)
        const double slid = (fabs(force) - full) * h / m;
        if (fabs(expected) <= v_s) {
            assert_near(lp.s.v[0], expected, 1e-11);
            assert_int_equal(lp.s.state[1], DP_ROW_STATE_STICK);
        } else {
            assert_near(fabs(lp.s.v[0]), slid, 1e-11);
            assert_int_equal(lp.s.state[1], DP_ROW_STATE_SLIP);
        }
        law_problem_destroy(&lp);
    }
}

// ---- derivatives

// What the law asks for at the velocities u of the rows.
static void impulses_at(double *gamma, double *C, dp_coulomb *c, const double *u)
{
    const size_t bytes = (size_t)c->p->nrow * sizeof *u;
    dp_tamsi_linearise(c, u, &(dp_tamsi_slopes){.coupled = true});
    memcpy(gamma, c->q, bytes);
    memcpy(C, c->C, c->op.nC * sizeof *C);
}

static void the_jacobian_is_that_of_differences(void **state)
{
    (void)state;
    random_source r = {3};
    int stick = 0, slip = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        law_problem lp = block(1.0, 0.01, 0.0, 0.0, 1e4, 0.7);
        lp.normal->kind = trial % 2 ? DP_NORMAL_HUNT_CROSSLEY : DP_NORMAL_HERTZ;
        lp.normal->dissipation = 0.5;
        lp.p.normal = lp.normal;
        lp.row[0].phi = -1e-3;
        dp_law_options opt = tamsi_options(1e-2);
        static double memory[1 << 14];
        dp_arena arena;
        dp_arena_init(&arena, memory, sizeof memory);
        dp_coulomb c;
        assert_int_equal(dp_coulomb_begin(&c, &lp.p, &opt, &arena), DP_OK);
        dp_coulomb_aim(&c, NULL, &opt);
        double u[3], gamma[3], C[9], other[3], unused[9];
        u[0] = random_between(&r, -0.05, 0.05);
        u[1] = random_between(&r, -0.02, 0.02);
        u[2] = random_between(&r, -0.02, 0.02);
        const double speed = hypot(u[1], u[2]), away = fabs(speed - opt.friction.slip_speed);
        impulses_at(gamma, C, &c, u);
        if (away > 1e-4 && gamma[0] > 1e-3) { // at the rim there is no derivative
            stick += speed < opt.friction.slip_speed;
            slip += speed > opt.friction.slip_speed;
            for (int k = 0; k < 3; ++k) {
                const double e = 1e-7;
                double moved[3] = {u[0], u[1], u[2]}, less[3];
                moved[k] += e;
                impulses_at(other, unused, &c, moved);
                moved[k] -= 2.0 * e;
                impulses_at(less, unused, &c, moved);
                for (int i = 0; i < 3; ++i) {
                    const double slope = -(other[i] - less[i]) / (2.0 * e);
                    assert_near(C[3 * i + k], slope, 1e-7 * (fabs(C[0]) + gamma[0] / 1e-2));
                }
            }
        }
        law_problem_destroy(&lp);
    }
    assert_true(stick > 300 && slip > 300);
}

// ---- many contacts

// Bodies of three velocities in a chain of contacts, the last one with the world.
// @param spare velocities that there is room for
static law_problem chain(random_source *r, int n, int spare)
{
    law_problem lp = law_problem_create(0.005, 3 * n + spare, 6 * n);
    for (int i = 0; i < n; ++i) {
        const double m = pow(10.0, random_between(r, -1.5, 1.5));
        for (int k = 0; k < 3; ++k) {
            law_problem_particle(&lp, m, random_between(r, -1.0, 1.0));
        }
    }
    for (int i = 0; i < n; ++i) {
        const dp_friction friction = {{0.5, 0.5}, 0.0, {0.0, 0.0}};
        double G[18];
        for (int k = 0; k < 18; ++k) {
            G[k] = random_between(r, -1.0, 1.0);
        }
        const int col[6] = {3 * i, 3 * i + 1, 3 * i + 2, 3 * i + 3, 3 * i + 4, 3 * i + 5};
        dp_row *row = law_problem_contact(&lp, 3, i + 1 < n ? 6 : 3, col, G, &friction);
        row[0].k = pow(10.0, random_between(r, 3.0, 8.0));
        row[0].b = 0.0;
        row[0].phi = random_between(r, -1e-3, 1e-4);
    }
    return lp;
}

static void random_contacts_are_solved_and_certified(void **state)
{
    (void)state;
    random_source r = {4};
    int unsolved = 0, problems = 300;
    for (int trial = 0; trial < problems; ++trial) {
        const int n = 2 + (int)(random_bits(&r) % (trial % 2 ? 6 : 20));
        law_problem lp = chain(&r, n, 0);
        const dp_law_options opt = tamsi_options(1e-4);
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        unsolved += info.outcome != DP_OUTCOME_CONVERGED;
        double *scratch = calloc((size_t)lp.p.nv, sizeof *scratch);
        dp_certificate c;
        assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
        assert_true(c.momentum < 1e-12 && c.friction_power <= 0.0);
        assert_true(c.cone < 1e-8); // the tolerance over the least mobility
        assert_true(c.creep <= opt.friction.slip_speed * (1.0 + 1e-9));
        if (info.outcome == DP_OUTCOME_CONVERGED) {
            assert_true(c.normal_law < 1e-7); // the judge has other mobilities
        }
        free(scratch);
        law_problem_destroy(&lp);
    }
    assert_int_equal(unsolved, 0);
}

// Springs with and without dashpots, laws of their own, ellipses, and a rigid row that holds two
// bodies together.
static law_problem varied_chain(random_source *r, int n, int spare)
{
    law_problem lp = chain(r, n, spare);
    for (int b = 0; b < lp.p.nblock; ++b) {
        dp_row *row = &lp.row[lp.p.row_start[b]];
        lp.normal[b] = (dp_normal){(dp_normal_kind)(random_bits(r) % 3), 0.3};
        row[0].b = lp.normal[b].kind == DP_NORMAL_SPRING ? 10.0 : 0.0;
        lp.friction[b].mu[1] = random_between(r, 0.05, 0.5);
    }
    lp.p.normal = lp.normal;
    law_problem_block(&lp, 1, 2, (int[]){0, 3}, (double[]){1.0, -1.0});
    return lp;
}

static void every_kind_of_row_is_solved_next_to_others(void **state)
{
    (void)state;
    random_source r = {5};
    for (int trial = 0; trial < 300; ++trial) {
        law_problem lp = varied_chain(&r, 2 + (int)(random_bits(&r) % 4), 0);
        const dp_law_options opt = tamsi_options(1e-3);
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
        double scratch[32];
        dp_certificate c;
        assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
        assert_true(dp_certificate_is_solved(&c, 1e-7) && c.momentum < 1e-12);
        assert_near(lp.s.v[0], lp.s.v[3], 1e-8); // the rigid row
        law_problem_destroy(&lp);
    }
}

static void contacts_of_three_four_and_six_rows_are_solved_next_to_joints(void **state)
{
    (void)state;
    random_source r = {6};
    int unsolved = 0;
    for (int trial = 0; trial < 300; ++trial) {
        law_problem lp = law_problem_random_contacts(6, &r);
        const dp_law_options opt = tamsi_options(1e-3);
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        unsolved +=
            info.outcome != DP_OUTCOME_CONVERGED && info.outcome != DP_OUTCOME_CONTRADICTORY;
        double scratch[32];
        dp_certificate c;
        assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
        assert_true(c.momentum < 1e-10 * (1.0 + c.normal_law));
        law_problem_destroy(&lp);
    }
    assert_int_equal(unsolved, 0);
}

static void bodies_that_touch_nothing_change_nothing(void **state)
{
    (void)state;
    enum { SPARE = 33, MOST = 15 };
    random_source r = {5};
    static double memory[1 << 17];
    for (int trial = 0; trial < 200; ++trial) {
        law_problem lp = varied_chain(&r, 2 + (int)(random_bits(&r) % 4), SPARE);
        const dp_law_options opt = tamsi_options(1e-3);
        const int nv = lp.p.nv;
        double v[MOST];
        uint8_t states[64];
        for (int many = 0; many < 2; ++many) {
            for (int i = 0; many && i < SPARE; ++i) {
                law_problem_particle(&lp, 1.0, 1.0);
            }
            dp_arena arena;
            dp_arena_init(&arena, memory, sizeof memory);
            dp_coulomb c;
            dp_solve_info info;
            assert_int_equal(dp_coulomb_begin(&c, &lp.p, &opt, &arena), DP_OK);
            dp_tamsi_solve(&lp.s, &c, NULL, &opt, &info);
            assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
            for (int k = 0; k < nv; ++k) {
                v[k] = many ? v[k] : lp.s.v[k];
                assert_near(lp.s.v[k], v[k], 1e-6); // the tolerance, as softly as they are held
            }
            if (many) {
                assert_memory_equal(states, lp.s.state, (size_t)lp.p.nrow);
            } else {
                memcpy(states, lp.s.state, (size_t)lp.p.nrow);
            }
            dp_arena_end(&arena);
        }
        law_problem_destroy(&lp);
    }
}

static void a_budget_that_ends_early_is_kept_and_leaves_impulses_in_their_sets(void **state)
{
    (void)state;
    random_source r = {8};
    int capped = 0;
    for (int trial = 0; trial < 300; ++trial) {
        law_problem lp = varied_chain(&r, 2 + (int)(random_bits(&r) % 14), 0);
        dp_law_options opt = tamsi_options(1e-5);
        opt.max_factorizations = 1 + (int)(random_bits(&r) % 6);
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        assert_true(info.factorizations <= opt.max_factorizations);
        capped += info.outcome == DP_OUTCOME_CAPPED;
        assert_true((info.outcome == DP_OUTCOME_CONVERGED) == (info.residual <= 1e-10));
        double *scratch = calloc((size_t)lp.p.nv, sizeof *scratch);
        dp_certificate c;
        assert_int_equal(dp_law_judge(&c, &lp.p, &lp.s, &opt, &info, scratch, NULL), DP_OK);
        assert_true(c.momentum < 1e-12 * (1.0 + c.normal_law) && c.cone < 1e-12);
        free(scratch);
        law_problem_destroy(&lp);
    }
    assert_in_range(capped, 50, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_across_the_disc_ends_at_its_nearest_point),
        cmocka_unit_test(no_step_turns_a_slip_further_than_allowed),
        cmocka_unit_test(newton_alone_goes_to_and_fro_where_the_line_search_ends_in_three_steps),
        cmocka_unit_test(what_holds_creeps_in_proportion_and_what_slides_has_full_friction),
        cmocka_unit_test(the_jacobian_is_that_of_differences),
        cmocka_unit_test(random_contacts_are_solved_and_certified),
        cmocka_unit_test(every_kind_of_row_is_solved_next_to_others),
        cmocka_unit_test(contacts_of_three_four_and_six_rows_are_solved_next_to_joints),
        cmocka_unit_test(bodies_that_touch_nothing_change_nothing),
        cmocka_unit_test(a_budget_that_ends_early_is_kept_and_leaves_impulses_in_their_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
