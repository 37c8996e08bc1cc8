// The compliant law on problems whose answers are known in closed form, and its promises.
#include "counting_allocator.h"
#include "law_problem.h"

#include "solve/law.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double infinite = (double)INFINITY;

// A particle of 2 kg that falls at 0.3 m/s onto a row of G = 1.
static law_problem particle(double h, dp_row **row)
{
    law_problem lp = law_problem_create(h, 1, 1);
    law_problem_particle(&lp, 2.0, -0.3);
    const int col = 0;
    const double G = 1.0;
    *row = law_problem_block(&lp, 1, 1, &col, &G);
    return lp;
}

static void laws_and_outcomes_have_names(void **state)
{
    (void)state;
    dp_law_kind law = (dp_law_kind)7;
    assert_string_equal(dp_law_name(DP_LAW_COMPLIANT), "compliant");
    assert_int_equal(dp_law_find(&law, "compliant"), DP_OK);
    assert_int_equal(law, DP_LAW_COMPLIANT);
    assert_string_equal(dp_law_name(DP_LAW_LCP), "lcp");
    assert_int_equal(dp_law_find(&law, "lcp"), DP_OK);
    assert_int_equal(law, DP_LAW_LCP);
    assert_string_equal(dp_law_name(DP_LAW_NCP), "ncp");
    assert_int_equal(dp_law_find(&law, "ncp"), DP_OK);
    assert_int_equal(law, DP_LAW_NCP);
    assert_string_equal(dp_law_name(DP_LAW_VI), "vi");
    assert_int_equal(dp_law_find(&law, "vi"), DP_OK);
    assert_int_equal(law, DP_LAW_VI);
    assert_true(dp_law_is_rigid(DP_LAW_VI));
    assert_true(dp_law_is_rigid(DP_LAW_NCP) && dp_law_is_rigid(DP_LAW_LCP) &&
                !dp_law_is_rigid(DP_LAW_COMPLIANT));
    assert_int_equal(dp_law_find(&law, "nonsense"), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "nonsense"));
    assert_non_null(strstr(dp_last_error(), "compliant"));
    assert_string_equal(dp_law_name((dp_law_kind)99), "unknown");
    assert_string_equal(dp_outcome_name(DP_OUTCOME_CONVERGED), "converged");
    assert_string_equal(dp_outcome_name(DP_OUTCOME_CAPPED), "capped");
    assert_string_equal(dp_outcome_name(DP_OUTCOME_CONTRADICTORY), "contradictory");
    assert_string_equal(dp_outcome_name(DP_OUTCOME_WEAKLY_INFEASIBLE), "weakly infeasible");
    assert_string_equal(dp_outcome_name((dp_outcome)99), "unknown");
}

static void one_row_is_a_spring_and_dashpot_at_the_end_of_the_step(void **state)
{
    (void)state;
    for (double h = 1e-5; h < 0.5; h *= 10.0) {
        for (double k = 1.0; k < 1e16; k *= 10.0) {
            dp_row *row;
            law_problem lp = particle(h, &row);
            *row = (dp_row){-1e-3, 0.02, k, 5.0, 0.1, -infinite, infinite, 1.0};
            const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
            assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
            // m (v − v_free) = γ = −h k (φ + h (v + φ_t)) − h b (v + b_ref), solved by hand
            const double v = (2.0 * -0.3 - h * (k * (-1e-3 + h * 0.02) + 5.0 * 0.1)) /
                             (2.0 + h * h * k + h * 5.0);
            assert_near(lp.s.v[0], v, 4e-16 * (0.3 + 1e-3 / h)); // round-off of v_free and û
            assert_near(lp.s.gamma[0], 2.0 * (lp.s.v[0] + 0.3), 4e-16 * (1.0 + 1e-3 / h));
            law_problem_destroy(&lp);
        }
    }
}

static void a_dashpot_does_not_push_at_a_distance(void **state)
{
    (void)state;
    dp_row *row;
    law_problem lp = particle(0.01, &row);
    // 1 cm away at 0.3 m/s: not reached within the step
    *row = (dp_row){0.01, 0.0, 1e3, 1e6, 0.0, 0.0, infinite, 1.0};
    law_problem_solve(&lp, NULL, NULL);
    assert_true(lp.s.gamma[0] == 0.0);
    assert_int_equal(lp.s.state[0], DP_ROW_STATE_OPEN);
    // 1 mm: reached, and the dashpot stops it there instead of far before
    row->phi = 1e-3;
    law_problem_solve(&lp, NULL, NULL);
    assert_near(lp.s.v[0], -0.1, 1e-15);          // just at the gap's end
    assert_near(lp.s.gamma[0], 2.0 * 0.2, 1e-15); // what stops it there
    assert_int_equal(lp.s.state[0], DP_ROW_STATE_ACTIVE);
    // touching: the dashpot pushes
    row->phi = 0.0;
    law_problem_solve(&lp, NULL, NULL);
    assert_near(lp.s.v[0], -0.6 / (2.0 + 1e-4 * 1e3 + 0.01 * 1e6), 1e-15);
    law_problem_destroy(&lp);
}

static void a_range_of_force_is_kept_exactly(void **state)
{
    (void)state;
    dp_row *row;
    law_problem lp = particle(0.01, &row);
    *row = (dp_row){0.0, 0.0, 1e9, 0.0, 0.0, -0.25, 0.125, 1.0};
    law_problem_solve(&lp, NULL, NULL);
    assert_true(lp.s.gamma[0] == 0.125);
    assert_int_equal(lp.s.state[0], DP_ROW_STATE_AT_HI);
    row->phi = 1.0; // pulls
    law_problem_solve(&lp, NULL, NULL);
    assert_true(lp.s.gamma[0] == -0.25);
    assert_int_equal(lp.s.state[0], DP_ROW_STATE_AT_LO);
    law_problem_destroy(&lp);
}

static void ten_rigid_copies_share_equally_and_change_nothing(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    law_problem one = law_problem_create(1e-3, 6, 3), ten = law_problem_create(1e-3, 6, 30);
    law_problem_tree(&one, 6, true, 1.0, &r);
    r.state = 1;
    law_problem_tree(&ten, 6, true, 1.0, &r);
    const int col[6] = {0, 1, 2, 3, 4, 5};
    double G[18];
    for (int k = 0; k < 18; ++k) {
        G[k] = random_between(&r, -1.0, 1.0);
    }
    law_problem_block(&one, 3, 6, col, G);
    for (int copy = 0; copy < 10; ++copy) {
        law_problem_block(&ten, 3, 6, col, G);
    }
    law_problem_solve(&one, NULL, NULL);
    const dp_solve_info info = law_problem_solve(&ten, NULL, NULL);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_int_equal(info.dependent, 27);
    assert_true(info.inconsistent < 1e-15);
    for (int i = 0; i < 6; ++i) {
        assert_near(ten.s.v[i], one.s.v[i], 1e-14); // round-off of velocities of about 1
    }
    for (int k = 0; k < 30; ++k) {
        assert_near(ten.s.gamma[k], one.s.gamma[k % 3] / 10.0, 1e-13);
    }
    law_problem_destroy(&one);
    law_problem_destroy(&ten);
}

static void soft_copies_share_by_stiffness(void **state)
{
    (void)state;
    for (double k = 1.0; k < 1e16; k *= 10.0) {
        law_problem lp = law_problem_create(1e-3, 1, 4);
        law_problem_particle(&lp, 1.0, -1.0);
        const int col = 0;
        const double G = 1.0, share[4] = {0.1, 0.2, 0.3, 0.4};
        for (int i = 0; i < 4; ++i) {
            law_problem_block(&lp, 1, 1, &col, &G)->k = share[i] * k;
        }
        const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
        assert_int_equal(info.dependent, 0);
        const double all = 1.0 / (1.0 + 1.0 / (1e-6 * k)); // of one spring k
        for (int i = 0; i < 4; ++i) {
            assert_near(lp.s.gamma[i], share[i] * all, 1e-14 * all);
        }
        law_problem_destroy(&lp);
    }
}

static void contradictory_rigid_gaps_give_the_mean_and_say_so(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(0.01, 1, 2);
    law_problem_particle(&lp, 1.0, 0.0);
    const int col = 0;
    const double G = 1.0;
    law_problem_block(&lp, 1, 1, &col, &G)->phi = 0.01;
    law_problem_block(&lp, 1, 1, &col, &G)->phi = 0.03;
    const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
    assert_int_equal(info.dependent, 1);
    assert_near(info.inconsistent, 1.0, 1e-14); // −1 and −3 m/s are wanted
    assert_near(lp.s.v[0], -2.0, 1e-14);
    assert_near(lp.s.gamma[0], -1.0, 1e-14);
    assert_near(lp.s.gamma[1], -1.0, 1e-14);
    assert_int_equal(info.outcome, DP_OUTCOME_CONTRADICTORY); // solved as well as can be
    law_problem_destroy(&lp);
}

static void a_body_between_two_jaws_that_overlap_stays_in_the_middle(void **state)
{
    (void)state;
    for (int rigid = 0; rigid < 2; ++rigid) {
        law_problem lp = law_problem_create(0.01, 1, 2);
        law_problem_particle(&lp, 1.0, 0.7);
        const int col = 0;
        const double up = 1.0, down = -1.0;
        dp_row *a = law_problem_block(&lp, 1, 1, &col, &up);
        dp_row *b = law_problem_block(&lp, 1, 1, &col, &down);
        a->lo = b->lo = 0.0;
        a->phi = -0.01; // wants +1 m/s
        b->phi = -0.03; // wants −3 m/s
        a->k = b->k = rigid ? infinite : 1e12;
        const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
        assert_int_equal(info.outcome, rigid ? DP_OUTCOME_CONTRADICTORY : DP_OUTCOME_CONVERGED);
        assert_near(lp.s.v[0], -1.0, 1e-7); // soft: 1 part in 1e8 of the 4 m/s
        if (rigid) {
            assert_near(info.inconsistent, 2.0, 1e-9);
            assert_true(fabs(lp.s.gamma[0]) < 10.0 && fabs(lp.s.gamma[1]) < 10.0);
        } else {
            assert_near(lp.s.gamma[0] * 1e-8, 2.0, 1e-6); // 2 m/s on a spring of 1e8 kg/s
        }
        law_problem_destroy(&lp);
    }
}

// A square table of 1 kg on four rigid legs, pushed by `tilt`: one leg too many.
static law_problem table(double tilt)
{
    law_problem lp = law_problem_create(1e-3, 3, 4);
    law_problem_particle(&lp, 1.0, -9.81e-3);
    law_problem_particle(&lp, 1.0 / 6.0, tilt);
    law_problem_particle(&lp, 1.0 / 6.0, 0.0);
    const int col[3] = {0, 1, 2};
    const double G[4][3] = {{1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {1, -1, -1}};
    for (int leg = 0; leg < 4; ++leg) {
        law_problem_block(&lp, 1, 3, col, G[leg])->lo = 0.0;
    }
    return lp;
}

static void four_legs_bear_the_same_whatever_the_start(void **state)
{
    (void)state;
    const double warm[5][4] = {{0}, {1, 1, 1, 0}, {1, 0, 0, 1}, {0, 1, 1, 0}, {1, 1, 1, 1}};
    for (int k = 0; k < 5; ++k) {
        law_problem lp = table(0.0);
        const dp_warm from = {4, lp.id, lp.row_start, warm[k], NULL};
        const dp_solve_info info = law_problem_solve(&lp, &from, NULL);
        assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
        for (int leg = 0; leg < 4; ++leg) {
            assert_near(lp.s.gamma[leg], 9.81e-3 / 4.0, 1e-17); // eps of 9.81e-3
        }
        law_problem_destroy(&lp);
    }
}

static void tables_of_many_legs_bear_the_same_whatever_the_start(void **state)
{
    (void)state;
    random_source r = {.state = 15};
    for (int repeat = 0; repeat < 300; ++repeat) {
        law_problem lp = law_problem_create(1e-3, 3, 12);
        law_problem_particle(&lp, 1.0, -9.81e-3);
        law_problem_particle(&lp, 1.0 / 6.0, random_between(&r, -0.01, 0.01));
        law_problem_particle(&lp, 1.0 / 6.0, random_between(&r, -0.01, 0.01));
        const int col[3] = {0, 1, 2}, legs = 3 + random_below(&r, 10);
        const bool grid = random_chance(&r, 0.5); // many in line, some at the same place
        for (int leg = 0; leg < legs; ++leg) {
            double G[3] = {1.0, random_between(&r, -1.0, 1.0), random_between(&r, -1.0, 1.0)};
            G[1] = grid ? random_below(&r, 3) - 1 : G[1];
            G[2] = grid ? random_below(&r, 3) - 1 : G[2];
            dp_row *row = law_problem_block(&lp, 1, 3, col, G);
            row->lo = 0.0;
            row->phi = random_chance(&r, 0.3) ? 1e-5 : 0.0;
        }
        const dp_solve_info cold = law_problem_solve(&lp, NULL, NULL);
        assert_int_equal(cold.outcome, DP_OUTCOME_CONVERGED);
        double gamma[12], guess[12];
        memcpy(gamma, lp.s.gamma, (size_t)legs * sizeof *gamma);
        for (int start = 0; start < 4; ++start) {
            for (int leg = 0; leg < legs; ++leg) {
                guess[leg] = random_chance(&r, 0.5) ? 0.0 : random_between(&r, 0.0, 0.01);
            }
            const dp_warm warm = {legs, lp.id, lp.row_start, guess, NULL};
            law_problem_solve(&lp, &warm, NULL);
            assert_memory_equal(lp.s.gamma, gamma, (size_t)legs * sizeof *gamma);
        }
        law_problem_destroy(&lp);
    }
}

static void a_tilted_table_stands_on_the_legs_that_push(void **state)
{
    (void)state;
    law_problem lp = table(0.5); // turns so fast that the legs at +1 lift
    const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_true(lp.s.gamma[0] == 0.0 && lp.s.gamma[2] == 0.0);
    assert_near(lp.s.gamma[1], lp.s.gamma[3], 1e-16);
    assert_near(lp.s.v[0] - lp.s.v[1], 0.0, 1e-15); // the feet at −1 do not move
    law_problem_destroy(&lp);
}

static void a_warm_start_changes_no_answer(void **state)
{
    (void)state;
    random_source r = {.state = 5};
    const law_rows kinds = {1e2, 1e8, 0.2, 0.5, 0.5, 0.3};
    int saved = 0;
    for (int repeat = 0; repeat < 300; ++repeat) {
        law_problem lp = law_problem_random(1e-3, 4, 3, &kinds, &r);
        const dp_solve_info cold = law_problem_solve(&lp, NULL, NULL);
        double gamma[9], v[20];
        memcpy(gamma, lp.s.gamma, (size_t)lp.p.nrow * sizeof *gamma);
        memcpy(v, lp.s.v, (size_t)lp.p.nv * sizeof *v);
        const dp_warm own = {lp.p.nblock, lp.id, lp.row_start, gamma, NULL};
        const dp_solve_info again = law_problem_solve(&lp, &own, NULL);
        assert_true(again.factorizations <= cold.factorizations);
        saved += cold.factorizations - again.factorizations;
        double wild[9];
        for (int i = 0; i < lp.p.nrow; ++i) {
            wild[i] = random_chance(&r, 0.1) ? (double)NAN : random_between(&r, -10.0, 10.0);
        }
        const dp_warm any = {lp.p.nblock, lp.id, lp.row_start, wild, NULL};
        law_problem_solve(&lp, &any, NULL);
        double speed = 0.0;
        for (int i = 0; i < lp.p.nv; ++i) {
            speed = fmax(speed, fabs(v[i]));
        }
        if (cold.inconsistent < 1e-9) { // where there is a solution, there is one
            for (int i = 0; i < lp.p.nv; ++i) {
                assert_near(lp.s.v[i], v[i], 1e-11 * (1.0 + speed)); // condition up to 1e4
            }
        }
        law_problem_destroy(&lp);
    }
    assert_true(saved > 100); // of 300 problems
}

static void other_gaps_reuse_what_was_factored(void **state)
{
    (void)state;
    random_source r = {.state = 6};
    const law_rows kinds = {1.0, 1e15, 0.0, 0.5, 0.0, 0.0};
    law_problem lp = law_problem_random(1e-3, 6, 4, &kinds, &r);
    const dp_law_options opt = dp_law_options_default();
    const dp_step_size size = {lp.p.nv,
                               lp.p.ntree,
                               lp.p.nblock,
                               lp.p.nrow,
                               lp.p.Mt_start[lp.p.nv],
                               (size_t)lp.p.col_start[lp.p.nblock],
                               lp.p.G_start[lp.p.nblock]};
    const size_t bytes = dp_law_memory(&size, &opt) + DP_ARENA_ALIGNMENT;
    void *memory = malloc(bytes);
    dp_arena arena;
    dp_arena_init(&arena, memory, bytes);
    dp_law_task *task;
    dp_solve_info info;
    assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &arena, NULL), DP_OK);
    assert_int_equal(dp_law_continue(&lp.s, task, &lp.p, NULL, &info), DP_OK);
    assert_int_equal(info.factorizations, info.islands);
    const size_t used = arena.used;
    for (int repeat = 0; repeat < 5; ++repeat) {
        for (int i = 0; i < lp.p.nrow; ++i) {
            lp.row[i].phi += random_between(&r, -1e-3, 1e-3);
            lp.row[i].phi_t += random_between(&r, -1.0, 1.0);
            lp.row[i].b_ref += random_between(&r, -1.0, 1.0);
        }
        for (int i = 0; i < lp.p.nv; ++i) {
            lp.v_free[i] += random_between(&r, -1.0, 1.0);
        }
        assert_int_equal(dp_law_continue(&lp.s, task, &lp.p, NULL, &info), DP_OK);
        assert_int_equal(info.factorizations, 0);
        double v[30], gamma[12];
        memcpy(v, lp.s.v, (size_t)lp.p.nv * sizeof *v);
        memcpy(gamma, lp.s.gamma, (size_t)lp.p.nrow * sizeof *gamma);
        law_problem_solve(&lp, NULL, NULL);
        assert_memory_equal(v, lp.s.v, (size_t)lp.p.nv * sizeof *v);
        assert_memory_equal(gamma, lp.s.gamma, (size_t)lp.p.nrow * sizeof *gamma);
    }
    assert_true(arena.used == used);
    free(memory);
    law_problem_destroy(&lp);
}

// New numbers for a problem, and now and then a row of one velocity that vanishes.
static void change_numbers(law_problem *lp, const law_rows *kinds, random_source *r)
{
    const double heavier = random_between(r, 0.5, 2.0);
    for (size_t k = 0; k < lp->Mt_start[lp->p.nv]; ++k) {
        lp->Mt[k] *= heavier;
    }
    for (int i = 0; i < lp->p.nv; ++i) {
        lp->v_free[i] = random_between(r, -1.0, 1.0);
    }
    for (size_t k = 0; k < lp->G_start[lp->p.nblock]; ++k) {
        lp->G[k] = random_below(r, 10) == 0 ? 0.0 : random_between(r, -1.0, 1.0);
    }
    for (int i = 0; i < lp->p.nrow; ++i) {
        law_problem_random_row(&lp->row[i], kinds, r);
    }
    lp->p.h = random_between(r, 1e-3, 1e-1);
}

static void a_task_that_is_used_again_gives_the_bits_of_a_new_one(void **state)
{
    (void)state;
    random_source r = {.state = 61};
    const law_rows kinds = {1.0, 1e12, 0.3, 0.5, 0.4, 0.3};
    const dp_law_options opt = dp_law_options_default();
    const dp_step_size most = {100, 20, 20, 60, 600, 400, 1200}; // of 6 trees and 8 blocks
    const size_t bytes = dp_law_memory(&most, &opt) + DP_ARENA_ALIGNMENT;
    void *memory = malloc(bytes);
    assert_non_null(memory);
    dp_arena arena;
    dp_arena_init(&arena, memory, bytes);
    dp_law_task *task = NULL;
    int kept = 0, problems = 0;
    for (int structure = 0; structure < 60; ++structure) {
        law_problem lp =
            law_problem_random(1e-2, 1 + random_below(&r, 6), 1 + random_below(&r, 8), &kinds, &r);
        for (int step = 0; step < 6; ++step, ++problems) {
            const size_t used = arena.used;
            dp_solve_info info;
            assert_int_equal(dp_law_restart(&task, &lp.p, &opt, &arena, NULL), DP_OK);
            assert_int_equal(dp_law_continue(&lp.s, task, &lp.p, NULL, &info), DP_OK);
            kept += step > 0 && arena.used == used;
            double v[100], gamma[60];
            memcpy(v, lp.s.v, (size_t)lp.p.nv * sizeof *v);
            memcpy(gamma, lp.s.gamma, (size_t)lp.p.nrow * sizeof *gamma);
            law_problem_solve(&lp, NULL, NULL);
            assert_memory_equal(v, lp.s.v, (size_t)lp.p.nv * sizeof *v);
            assert_memory_equal(gamma, lp.s.gamma, (size_t)lp.p.nrow * sizeof *gamma);
            change_numbers(&lp, &kinds, &r);
        }
        law_problem_destroy(&lp);
    }
    assert_true(kept > problems / 2); // otherwise it was not put to the test
    dp_arena_end(&arena);
    free(memory);
}

// Springs of one velocity whose gaps contradict each other: their impulses are 1e8 times what is
// left of them for the velocity.
static void springs_that_fight_leave_the_velocity_to_the_last_digits(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(0.1, 1, 3);
    law_problem_particle(&lp, 2.0, -0.3);
    const int col = 0;
    const double G[3] = {-0.65, 0.82, 1.0}, k[3] = {1e12, 8e13, 1e5}, phi[3] = {2e-3, -6e-3, 0.0};
    for (int i = 0; i < 3; ++i) {
        dp_row *row = law_problem_block(&lp, 1, 1, &col, &G[i]);
        row->k = k[i];
        row->phi = phi[i];
    }
    // (m + h² Σ k G²) v = m v_free − h Σ k φ G: nothing cancels in it
    long double momentum = 2.0L * -0.3L, inertia = 2.0L;
    const long double h = lp.p.h;
    for (int i = 0; i < 3; ++i) {
        momentum -= h * k[i] * phi[i] * G[i];
        inertia += h * h * k[i] * G[i] * G[i];
    }
    const long double v = momentum / inertia;
    assert_int_equal(law_problem_solve(&lp, NULL, NULL).outcome, DP_OUTCOME_CONVERGED);
    assert_near(lp.s.v[0], (double)v, 4.0 * DBL_EPSILON * fabs((double)v));
    for (int i = 0; i < 3; ++i) {
        const double gamma = (double)(-h * k[i] * (phi[i] + h * G[i] * v));
        assert_near(lp.s.gamma[i], gamma, 1e-12 * fabs(gamma));
    }
    law_problem_destroy(&lp);
}

static void springs_beside_a_rigid_row_of_the_same_velocity_follow_it(void **state)
{
    (void)state;
    random_source r = {.state = 62};
    for (int repeat = 0; repeat < 100; ++repeat) {
        law_problem lp = law_problem_create(1e-2, 4, 8);
        law_problem_tree(&lp, 4, true, 1.0, &r);
        for (int i = 0; i < 8; ++i) { // a rigid row and a spring on each velocity
            const int col = i / 2;
            const double G = random_between(&r, 0.5, 2.0) * (random_below(&r, 2) ? 1.0 : -1.0);
            dp_row *row = law_problem_block(&lp, 1, 1, &col, &G);
            row->phi = random_between(&r, -1e-3, 1e-3);
            row->k = i % 2 == 0 ? infinite : pow(10.0, random_between(&r, 0.0, 9.0));
        }
        long double gamma[8], y[4];
        law_reference_two_sided(gamma, y, &lp.p);
        const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
        assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
        assert_int_equal(info.dependent, 0);
        double size = 0.0;
        for (int i = 0; i < 8; ++i) {
            size = fmax(size, fabs((double)gamma[i]));
        }
        for (int i = 0; i < 8; ++i) {
            assert_near(lp.s.gamma[i], (double)gamma[i], 1e-12 * size);
        }
        law_problem_destroy(&lp);
    }
}

static void rigid_rows_of_one_velocity_share_what_they_bear(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(0.1, 1, 3);
    law_problem_particle(&lp, 2.0, -0.3);
    const int col = 0;
    const double G[3] = {1.0, -2.0, 0.5};
    for (int i = 0; i < 3; ++i) {
        law_problem_block(&lp, 1, 1, &col, &G[i]);
    }
    const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
    assert_int_equal(info.dependent, 2);
    assert_true(info.inconsistent <= DBL_EPSILON);
    assert_near(lp.s.v[0], 0.0, DBL_EPSILON);
    for (int i = 0; i < 3; ++i) { // of minimum norm in √S γ, and S goes with G²
        assert_near(G[i] * lp.s.gamma[i], 2.0 * 0.3 / 3.0, 4.0 * DBL_EPSILON);
    }
    law_problem_destroy(&lp);
}

static void the_stated_memory_is_enough(void **state)
{
    (void)state;
    random_source r = {.state = 7};
    const law_rows kinds = {1.0, 1e15, 0.3, 0.5, 0.4, 0.3};
    for (int repeat = 0; repeat < 200; ++repeat) {
        law_problem lp =
            law_problem_random(1e-3, 1 + random_below(&r, 8), 1 + random_below(&r, 8), &kinds, &r);
        dp_law_options opt = dp_law_options_default();
        const dp_step_size size = {lp.p.nv,
                                   lp.p.ntree,
                                   lp.p.nblock,
                                   lp.p.nrow,
                                   lp.p.Mt_start[lp.p.nv],
                                   (size_t)lp.p.col_start[lp.p.nblock],
                                   lp.p.G_start[lp.p.nblock]};
        const size_t bytes = dp_law_memory(&size, &opt);
        char *memory = aligned_alloc(DP_ARENA_ALIGNMENT, bytes);
        dp_arena arena;
        dp_arena_init(&arena, memory, bytes);
        dp_law_task *task;
        dp_solve_info info;
        assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &arena, NULL), DP_OK);
        assert_int_equal(dp_law_continue(&lp.s, task, &lp.p, NULL, &info), DP_OK);
        const size_t used = arena.used;
        dp_arena_init(&arena, memory, used); // exactly enough
        assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &arena, NULL), DP_OK);
        dp_arena_init(&arena, memory, used - 1);
        assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &arena, NULL), DP_ERROR_CAPACITY);
        assert_null(task);
        free(memory);
        law_problem_destroy(&lp);
    }
}

static void a_mass_that_is_not_positive_is_refused(void **state)
{
    (void)state;
    dp_row *row;
    law_problem lp = particle(1e-3, &row);
    lp.Mt[0] = -1.0;
    dp_solve_info info;
    const dp_law_options opt = dp_law_options_default();
    assert_int_equal(dp_law_solve(&lp.s, &lp.p, NULL, &opt, NULL, &info), DP_ERROR_ARGUMENT);
    const dp_step_size size = {1, 1, 1, 1, 1, 1, 1};
    const size_t bytes = dp_law_memory(&size, &opt) + DP_ARENA_ALIGNMENT;
    void *memory = malloc(bytes);
    dp_arena arena;
    dp_arena_init(&arena, memory, bytes);
    dp_law_task *task;
    assert_int_equal(dp_law_begin(&task, &lp.p, &opt, &arena, NULL), DP_ERROR_NUMERIC);
    assert_null(task);
    free(memory);
    law_problem_destroy(&lp);
}

static void a_failing_allocation_is_an_error_without_a_leak(void **state)
{
    (void)state;
    dp_row *row;
    law_problem lp = particle(1e-3, &row);
    const dp_law_options opt = dp_law_options_default();
    counting_allocator counts = {.fail_at = 1};
    dp_allocator from = counting_allocator_for(&counts);
    dp_solve_info info;
    while (dp_law_solve(&lp.s, &lp.p, NULL, &opt, &from, &info) == DP_ERROR_MEMORY) {
        assert_int_equal(counts.blocks, 0);
        counts.calls = 0;
        ++counts.fail_at;
    }
    assert_true(counts.fail_at > 1);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
    law_problem_destroy(&lp);
}

static void the_work_limit_is_kept_and_told(void **state)
{
    (void)state;
    random_source r = {.state = 8};
    const law_rows kinds = {1.0, 1e15, 0.5, 0.5, 0.8, 0.5};
    int capped = 0;
    for (int repeat = 0; repeat < 200; ++repeat) {
        law_problem lp = law_problem_random(1e-3, 3, 6, &kinds, &r);
        dp_law_options opt = dp_law_options_default();
        opt.max_factorizations = 1;
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        dp_certificate certificate;
        double scratch[15];
        dp_problem_certify(&certificate, &lp.p, &lp.s, scratch);
        assert_true(isfinite(certificate.normal_law));
        if (info.outcome == DP_OUTCOME_CAPPED) {
            ++capped;
            assert_true(info.residual > opt.tolerance);
            assert_true(certificate.normal_law > 1e-3 * opt.tolerance); // w is another there
        }
        law_problem_destroy(&lp);
    }
    assert_true(capped > 20); // one factorisation does not do for all
}

static void rows_that_move_nothing_do_no_harm(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(0.01, 1, 5);
    law_problem_particle(&lp, 1.0, -1.0);
    const int col = 0;
    const double zero = 0.0, one = 1.0;
    law_problem_block(&lp, 1, 1, &col, &zero)->phi = 0.02; // rigid: cannot be closed
    dp_row *open = law_problem_block(&lp, 1, 1, &col, &zero);
    *open = (dp_row){0.01, 0.0, 1e3, 1e3, -2.0, 0.0, infinite, 1.0}; // the dashpot alone would push
    dp_row *pushing = law_problem_block(&lp, 1, 1, &col, &zero);
    *pushing = (dp_row){-0.01, 0.0, 1e3, 0.0, 0.0, 0.0, infinite, 1.0};
    dp_row *touching = law_problem_block(&lp, 1, 1, &col, &zero);
    *touching = (dp_row){0.0, 0.0, 1e3, 1e3, -2.0, 0.0, infinite, 1.0};
    law_problem_block(&lp, 1, 1, &col, &one);
    const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
    assert_int_equal(info.outcome, DP_OUTCOME_CONTRADICTORY);
    assert_near(info.inconsistent, 2.0, 1e-15); // the first row wants −2 m/s
    assert_true(lp.s.gamma[0] == 0.0 && lp.s.gamma[1] == 0.0);
    assert_near(lp.s.gamma[2], 0.01 * 1e3 * 0.01, 1e-15); // h k 0.01 m, pushing at nothing
    assert_true(lp.s.gamma[3] == 0.0);
    assert_near(lp.s.gamma[4], 1.0, 1e-15);
    assert_near(lp.s.v[0], 0.0, 1e-15);
    law_problem_destroy(&lp);
}

static void numbers_near_the_ends_of_their_range_give_numbers(void **state)
{
    (void)state;
    random_source r = {.state = 14};
    const law_rows kinds = {1e-200, 1e200, 0.2, 0.5, 0.5, 0.3};
    for (int repeat = 0; repeat < 500; ++repeat) {
        law_problem lp =
            law_problem_random(pow(10.0, random_between(&r, -8.0, 3.0)), 3, 4, &kinds, &r);
        const double size = pow(10.0, random_between(&r, -100.0, 100.0));
        for (int i = 0; i < lp.p.nrow; ++i) {
            lp.row[i].phi *= random_chance(&r, 0.5) ? size : 1.0;
            lp.row[i].phi_t *= random_chance(&r, 0.1) ? size : 1.0;
        }
        const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
        assert_true(isfinite(info.residual));
        for (int i = 0; i < lp.p.nrow; ++i) {
            assert_true(isfinite(lp.s.gamma[i]));
        }
        for (int i = 0; i < lp.p.nv; ++i) {
            assert_true(isfinite(lp.s.v[i]));
        }
        law_problem_destroy(&lp);
    }
}

static void a_problem_without_rows_keeps_its_free_motion(void **state)
{
    (void)state;
    random_source r = {.state = 9};
    law_problem lp = law_problem_create(1e-3, 6, 1);
    law_problem_tree(&lp, 6, false, 1.0, &r);
    const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_int_equal(info.islands, 0);
    assert_memory_equal(lp.s.v, lp.v_free, 6 * sizeof(double));
    law_problem_destroy(&lp);
}

static void an_option_that_a_law_does_not_have_changes_no_bit(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
    } other[] = {{"lcp.directions", "12"},
                 {"lcp.method", "map"},
                 {"rigid.stabilisation", "projection"},
                 {"rigid.compliance", "0.125"},
                 {"rigid.weights", "equal"},
                 {"vi.friction", "disc"},
                 {"vi.desaxce", "true"},
                 {"impact.rule", "poisson"},
                 {"impact.speed", "0.25"},
                 {"friction.slip_speed", "0.5"},
                 {"tamsi.slip_turn", "0.75"}};
    random_source r = {.state = 31};
    int tried = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
        law_problem lp = law_problem_random_contacts(6, &r);
        const size_t nv = (size_t)lp.p.nv, nrow = (size_t)lp.p.nrow;
        double *before = malloc((nv + nrow) * sizeof *before);
        for (int law = DP_LAW_COMPLIANT; law <= DP_LAW_TAMSI; ++law) {
            dp_law_options opt = dp_law_options_default();
            opt.law = (dp_law_kind)law;
            law_problem_solve(&lp, NULL, &opt);
            memcpy(before, lp.s.v, nv * sizeof *before);
            memcpy(before + nv, lp.s.gamma, nrow * sizeof *before);
            for (int i = 0; i < dp_law_options_name_count(); ++i) {
                for (size_t k = 0; k < sizeof other / sizeof *other; ++k) {
                    if (strcmp(other[k].name, dp_law_options_name(i)) != 0 ||
                        dp_law_has_option(opt.law, i)) {
                        continue;
                    }
                    dp_law_options changed = opt;
                    assert_int_equal(dp_law_options_set(&changed, other[k].name, other[k].value),
                                     DP_OK);
                    law_problem_solve(&lp, NULL, &changed);
                    assert_memory_equal(lp.s.v, before, nv * sizeof *before);
                    assert_memory_equal(lp.s.gamma, before + nv, nrow * sizeof *before);
                    ++tried;
                }
            }
        }
        free(before);
        law_problem_destroy(&lp);
    }
    assert_true(tried > 150);
    for (int i = 0; i < dp_law_options_name_count(); ++i) { // each concerns some law
        int laws = 0;
        for (int law = DP_LAW_COMPLIANT; law <= DP_LAW_TAMSI; ++law) {
            laws += dp_law_has_option((dp_law_kind)law, i);
        }
        assert_true(laws > 0);
    }
    assert_false(dp_law_has_option(DP_LAW_COMPLIANT, -1));
    assert_false(dp_law_has_option((dp_law_kind)99, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_and_outcomes_have_names),
        cmocka_unit_test(one_row_is_a_spring_and_dashpot_at_the_end_of_the_step),
        cmocka_unit_test(a_dashpot_does_not_push_at_a_distance),
        cmocka_unit_test(a_range_of_force_is_kept_exactly),
        cmocka_unit_test(ten_rigid_copies_share_equally_and_change_nothing),
        cmocka_unit_test(soft_copies_share_by_stiffness),
        cmocka_unit_test(contradictory_rigid_gaps_give_the_mean_and_say_so),
        cmocka_unit_test(a_body_between_two_jaws_that_overlap_stays_in_the_middle),
        cmocka_unit_test(four_legs_bear_the_same_whatever_the_start),
        cmocka_unit_test(tables_of_many_legs_bear_the_same_whatever_the_start),
        cmocka_unit_test(a_tilted_table_stands_on_the_legs_that_push),
        cmocka_unit_test(a_warm_start_changes_no_answer),
        cmocka_unit_test(other_gaps_reuse_what_was_factored),
        cmocka_unit_test(the_stated_memory_is_enough),
        cmocka_unit_test(a_mass_that_is_not_positive_is_refused),
        cmocka_unit_test(a_failing_allocation_is_an_error_without_a_leak),
        cmocka_unit_test(the_work_limit_is_kept_and_told),
        cmocka_unit_test(rows_that_move_nothing_do_no_harm),
        cmocka_unit_test(a_task_that_is_used_again_gives_the_bits_of_a_new_one),
        cmocka_unit_test(springs_that_fight_leave_the_velocity_to_the_last_digits),
        cmocka_unit_test(springs_beside_a_rigid_row_of_the_same_velocity_follow_it),
        cmocka_unit_test(rigid_rows_of_one_velocity_share_what_they_bear),
        cmocka_unit_test(numbers_near_the_ends_of_their_range_give_numbers),
        cmocka_unit_test(a_problem_without_rows_keeps_its_free_motion),
        cmocka_unit_test(an_option_that_a_law_does_not_have_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
