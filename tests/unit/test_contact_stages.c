// What each stage of the contact solver is for: it is left out, or all others are.
#include "law_problem.h"
#include "near.h"

#include "solve/contact/coulomb_stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 120 };

static unsigned stage_bit(const char *name)
{
    for (int k = 0; k < dp_coulomb_stage_count(); ++k) {
        if (strcmp(dp_coulomb_stage_name(k), name) == 0) {
            return 1U << k;
        }
    }
    fail_msg("no stage is called '%s'", name);
    return 0;
}

// The stages that find a solution, rather than begin or end a search.
static unsigned searches(void)
{
    return stage_bit("accept the guess") | stage_bit("Gauss-Seidel") | stage_bit("settle at rest") |
           stage_bit("Newton") | stage_bit("alternate, loosely") | stage_bit("relax suspect rows") |
           stage_bit("alternate Gauss-Seidel and Newton") | stage_bit("proximal Newton") |
           stage_bit("relax rows") | stage_bit("patient proximal Newton") |
           stage_bit("proximal Newton from rest");
}

static dp_solve_info solve(law_problem *lp, const double *warm, const dp_law_options *opt,
                           unsigned skip)
{
    const size_t bytes = (size_t)1 << 22;
    void *memory = malloc(bytes);
    assert_non_null(memory);
    dp_arena arena;
    dp_arena_init(&arena, memory, bytes);
    dp_coulomb c;
    dp_solve_info info = {0};
    assert_int_equal(dp_coulomb_begin(&c, &lp->p, opt, &arena), DP_OK);
    c.skip = skip;
    dp_coulomb_solve(&lp->s, &c, warm, opt, &info);
    assert_int_equal(c.room.status, DP_OK);
    dp_arena_end(&arena);
    free(memory);
    return info;
}

// A particle of 1 kg on a plane that asks for the speed `closes` away from it.
static law_problem particle(double k, double closes)
{
    const double h = 1e-2;
    law_problem lp = law_problem_create(h, 3, 3);
    for (int i = 0; i < 3; ++i) {
        law_problem_particle(&lp, 1.0, i == 2 ? -9.81 * h : 0.0);
        lp.v0[i] = 0.0;
    }
    const int col[3] = {0, 1, 2};
    const double G[9] = {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    const dp_friction friction = {.mu = {0.5, 0.5}};
    dp_row *row = law_problem_contact(&lp, 3, 3, col, G, &friction);
    row[0].k = k;
    row[0].phi = -closes * h;
    return lp;
}

static void names_are_unique(void **state)
{
    (void)state;
    for (int i = 0; i < dp_coulomb_stage_count(); ++i) {
        assert_int_equal(stage_bit(dp_coulomb_stage_name(i)), 1U << i);
    }
}

static void the_guess_spares_all_factorizations_at_rest(void **state)
{
    (void)state;
    const dp_law_options opt = dp_law_options_default();
    law_problem lp = particle(1e5, 0.0);
    lp.row[0].phi = -9.81 / 1e5; // sunk in as far as its weight asks for
    const dp_solve_info first = solve(&lp, NULL, &opt, 0);
    assert_int_equal(first.outcome, DP_OUTCOME_CONVERGED);
    double warm[3];
    memcpy(warm, lp.s.gamma, sizeof warm);
    assert_int_equal(solve(&lp, warm, &opt, 0).factorizations, 0);
    assert_int_equal(solve(&lp, warm, &opt, stage_bit("accept the guess")).outcome,
                     DP_OUTCOME_CONVERGED);
    law_problem_destroy(&lp);
}

// How many of random problems are solved with some stages left out, and what that costs.
typedef struct tally {
    int solved, factorizations;
} tally;

// The same contacts a step later: other velocities by a thousandth, from the impulses before.
static dp_solve_info solve_next(law_problem *lp, const dp_law_options *opt, unsigned skip,
                                random_source *r)
{
    double *warm = calloc((size_t)lp->p.nrow, sizeof *warm);
    assert_non_null(warm);
    memcpy(warm, lp->s.gamma, (size_t)lp->p.nrow * sizeof *warm);
    for (int i = 0; i < lp->p.nv; ++i) {
        lp->v_free[i] *= 1.0 + random_between(r, -1e-3, 1e-3);
    }
    const dp_solve_info info = solve(lp, warm, opt, skip);
    free(warm);
    return info;
}

// @param cold from no impulses; else from those of a step before
static tally solve_random(dp_law_kind law, bool cold, unsigned skip)
{
    dp_law_options opt = dp_law_options_default();
    opt.law = law;
    random_source r = {.state = 11};
    tally out = {0, 0};
    for (int k = 0; k < PROBLEMS; ++k) {
        law_problem lp = law_problem_random_contacts(8, &r);
        dp_solve_info info = solve(&lp, NULL, &opt, cold ? skip : 0);
        if (!cold) {
            info = solve_next(&lp, &opt, skip, &r);
        }
        out.solved += info.outcome == DP_OUTCOME_CONVERGED;
        out.factorizations += info.factorizations;
        law_problem_destroy(&lp);
    }
    print_message("%d of %d solved, %d factorizations\n", out.solved, PROBLEMS, out.factorizations);
    return out;
}

static void newton_solves_some_impacts_alone_and_the_searches_the_rest(void **state)
{
    (void)state;
    const tally all = solve_random(DP_LAW_NCP, true, 0);
    const tally newton = solve_random(DP_LAW_NCP, true, searches() & ~stage_bit("Newton"));
    assert_int_equal(all.solved, PROBLEMS);
    assert_in_range(newton.solved, PROBLEMS / 5, PROBLEMS - 1);
}

// A column of particles, each on the one below it.
static law_problem column(int n, double k)
{
    const double h = 1e-2;
    law_problem lp = law_problem_create(h, 3 * n, 3 * n);
    for (int i = 0; i < 3 * n; ++i) {
        law_problem_particle(&lp, 1.0, i % 3 == 2 ? -9.81 * h : 0.0);
        lp.v0[i] = 0.0;
    }
    const dp_friction friction = {.mu = {0.5, 0.5}};
    for (int i = 0; i < n; ++i) {
        const int parts = i > 0 ? 2 : 1, ncol = 3 * parts;
        int col[6];
        double G[18] = {0.0};
        for (int m = 0; m < parts; ++m) {
            const int body = i - (parts - 1) + m;
            for (int axis = 0; axis < 3; ++axis) {
                col[3 * m + axis] = 3 * body + axis;
                G[(axis + 1) % 3 * ncol + 3 * m + axis] = m == parts - 1 ? 1.0 : -1.0;
            }
        }
        law_problem_contact(&lp, 3, ncol, col, G, &friction)[0].k = k;
    }
    return lp;
}

// Where modes stay, one factorization gives all digits; the search comes to them by way of a
// compliance that is lowered.
static void newton_takes_one_factorization_where_modes_stay(void **state)
{
    (void)state;
    const dp_law_options opt = dp_law_options_default();
    law_problem lp = column(30, 1e7);
    double warm[90];
    assert_int_equal(solve(&lp, NULL, &opt, 0).outcome, DP_OUTCOME_CONVERGED);
    memcpy(warm, lp.s.gamma, sizeof warm);
    lp.v_free[87] += 1e-3; // pushed sideways by less than friction holds
    lp.v_free[89] -= 1e-2;
    assert_int_equal(solve(&lp, warm, &opt, 0).factorizations, 1);
    const dp_solve_info without = solve(&lp, warm, &opt, stage_bit("Newton"));
    assert_int_equal(without.outcome, DP_OUTCOME_CONVERGED);
    print_message("%d factorizations by the search\n", without.factorizations);
    assert_true(without.factorizations > 1);
    law_problem_destroy(&lp);
}

static void following_saves_factorizations_from_step_to_step(void **state)
{
    (void)state;
    const unsigned follow = searches() & ~stage_bit("proximal Newton");
    const unsigned patient = searches() & ~stage_bit("patient proximal Newton");
    const tally one = solve_random(DP_LAW_COMPLIANT, false, follow);
    const tally other = solve_random(DP_LAW_COMPLIANT, false, patient);
    assert_in_range(other.solved, one.solved, PROBLEMS);
    assert_true(one.factorizations < other.factorizations);
}

static void each_search_alone_solves_most_impacts(void **state)
{
    (void)state;
    const char *name[] = {"proximal Newton", "patient proximal Newton",
                          "proximal Newton from rest"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        const tally one = solve_random(DP_LAW_NCP, true, searches() & ~stage_bit(name[i]));
        assert_in_range(one.solved, PROBLEMS * 9 / 10, PROBLEMS);
    }
}

// Two rigid limits that ask for opposite speeds, beside a contact.
static void relaxed_rows_solve_what_contradicts_itself(void **state)
{
    (void)state;
    const dp_law_options opt = dp_law_options_default();
    const unsigned relax = stage_bit("relax suspect rows") | stage_bit("relax rows");
    for (int left_out = 0; left_out < 2; ++left_out) {
        law_problem lp = law_problem_create(1e-2, 3, 5);
        for (int i = 0; i < 3; ++i) {
            law_problem_particle(&lp, 1.0, 0.0);
        }
        const int col[3] = {0, 1, 2};
        const double G[9] = {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
        const dp_friction friction = {.mu = {0.5, 0.5}};
        (void)law_problem_contact(&lp, 3, 3, col, G, &friction);
        for (int side = -1; side <= 1; side += 2) {
            const double g = side;
            dp_row *row = law_problem_block(&lp, 1, 1, col, &g);
            row->lo = 0.0;
            row->phi = -1e-4; // 0.01 m/s each way
        }
        const dp_solve_info info = solve(&lp, NULL, &opt, left_out ? relax : 0);
        if (left_out) {
            assert_int_not_equal(info.outcome, DP_OUTCOME_CONVERGED);
        } else {
            assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
            assert_near(info.inconsistent, 0.01, 1e-6);
            assert_near(lp.s.v[0], 0.0, 1e-9); // in the middle
        }
        law_problem_destroy(&lp);
    }
}

// A particle in a groove that jams: impulses that solve it do not exist.
static void unsolved_impulses_are_projected_into_their_cones(void **state)
{
    (void)state;
    dp_law_options opt = dp_law_options_default();
    opt.law = DP_LAW_NCP;
    const double half = 0.1, h = 1e-3, mu = 2.0 * tan(half);
    double outside[2];
    for (int left_out = 0; left_out < 2; ++left_out) {
        law_problem lp = law_problem_create(h, 3, 6);
        for (int i = 0; i < 3; ++i) {
            law_problem_particle(&lp, 1.0, i == 2 ? -9.81 * h : 0.0);
        }
        const int col[3] = {0, 1, 2};
        const dp_friction friction = {.mu = {mu, mu}};
        for (int side = -1; side <= 1; side += 2) {
            const double n[3] = {side * cos(half), 0.0, sin(half)};
            const double G[9] = {n[0], n[1], n[2], 0.0, 1.0, 0.0, -n[2], 0.0, n[0]};
            law_problem_contact(&lp, 3, 3, col, G, &friction)[0].phi = -1e-3 * h;
        }
        const dp_solve_info info =
            solve(&lp, NULL, &opt, left_out ? stage_bit("project into the sets") : 0);
        assert_int_equal(info.outcome, DP_OUTCOME_CAPPED);
        outside[left_out] = 0.0;
        for (int b = 0; b < 2; ++b) {
            const double *g = lp.s.gamma + 3 * b;
            outside[left_out] = fmax(outside[left_out], hypot(g[1], g[2]) - mu * g[0]);
        }
        law_problem_destroy(&lp);
    }
    assert_true(outside[0] <= 1e-12);
    print_message("outside by %g N s, left out %g N s\n", outside[0], outside[1]);
}

// All stages together keep within what they are given.
static void the_work_of_a_solve_is_bounded(void **state)
{
    (void)state;
    random_source r = {.state = 5};
    for (int k = 0; k < 60; ++k) {
        law_problem lp = law_problem_random_contacts(8, &r);
        for (int most = 1; most <= 64; most *= 4) {
            dp_law_options opt = dp_law_options_default();
            opt.law = k % 2 == 0 ? DP_LAW_NCP : DP_LAW_COMPLIANT;
            opt.max_factorizations = most;
            const dp_solve_info info = solve(&lp, NULL, &opt, 0);
            assert_in_range(info.factorizations, 0, most);
            assert_true(isfinite(info.residual));
        }
        law_problem_destroy(&lp);
    }
}

// Passes of a step ask for other velocities with the same masses and rows: while modes stay, the
// factors serve all of them, and the solution has the bits that new factors would give.
static void factors_are_used_again_within_a_step_with_the_same_bits(void **state)
{
    (void)state;
    const dp_law_options opt = dp_law_options_default();
    const size_t bytes = (size_t)1 << 22;
    law_problem lp = column(30, 1e7);
    double warm[90], gamma[90];
    void *memory = malloc(bytes);
    assert_non_null(memory);
    dp_arena arena;
    dp_arena_init(&arena, memory, bytes);
    dp_coulomb c;
    dp_solve_info info = {0};
    assert_int_equal(dp_coulomb_begin(&c, &lp.p, &opt, &arena), DP_OK);
    dp_coulomb_solve(&lp.s, &c, NULL, &opt, &info);
    for (int pass = 0; pass < 2; ++pass) {
        memcpy(warm, lp.s.gamma, sizeof warm);
        lp.v_free[87] += 1e-3;
        lp.v_free[89] -= 1e-2;
        dp_coulomb_solve(&lp.s, &c, warm, &opt, &info);
        assert_int_equal(info.factorizations, pass == 0 ? 1 : 0);
    }
    memcpy(gamma, lp.s.gamma, sizeof gamma);
    assert_int_equal(dp_coulomb_restart(&c, &opt), DP_OK);
    dp_coulomb_solve(&lp.s, &c, warm, &opt, &info);
    assert_int_equal(info.factorizations, 1);
    assert_memory_equal(lp.s.gamma, gamma, sizeof gamma);
    dp_arena_end(&arena);
    free(memory);
    law_problem_destroy(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(the_guess_spares_all_factorizations_at_rest),
        cmocka_unit_test(newton_solves_some_impacts_alone_and_the_searches_the_rest),
        cmocka_unit_test(newton_takes_one_factorization_where_modes_stay),
        cmocka_unit_test(following_saves_factorizations_from_step_to_step),
        cmocka_unit_test(each_search_alone_solves_most_impacts),
        cmocka_unit_test(relaxed_rows_solve_what_contradicts_itself),
        cmocka_unit_test(unsolved_impulses_are_projected_into_their_cones),
        cmocka_unit_test(the_work_of_a_solve_is_bounded),
        cmocka_unit_test(factors_are_used_again_within_a_step_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
