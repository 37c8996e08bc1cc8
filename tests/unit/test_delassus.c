// The Delassus matrix within its envelope.
#include "law_problem.h"

#include "solve/rows/delassus.h"

#include <math.h>
#include <stdlib.h>

static dp_step_size size_of(const dp_step_problem *p)
{
    return (dp_step_size){p->nv,
                          p->ntree,
                          p->nblock,
                          p->nrow,
                          p->Mt_start[p->nv],
                          (size_t)p->col_start[p->nblock],
                          p->G_start[p->nblock]};
}

// Build in memory of its own, which the caller frees.
static void *build(dp_delassus *d, const dp_step_problem *p)
{
    const dp_step_size size = size_of(p);
    const size_t bytes = dp_delassus_memory(&size) + DP_ARENA_ALIGNMENT;
    void *memory = malloc(bytes);
    assert_non_null(memory);
    dp_arena arena;
    dp_arena_init(&arena, memory, bytes);
    assert_int_equal(dp_delassus_plan(d, p, &arena), DP_OK);
    assert_int_equal(dp_delassus_fill(d), DP_OK);
    return memory;
}

// Column i of W is what an impulse on the row at that place does to the velocities of all rows.
static void assert_column(const dp_delassus *d, const dp_step_problem *p, int i)
{
    double x[64] = {0.0}, gamma[64] = {0.0}, u[64] = {0.0}, W[64], force[64], y[64];
    x[i] = 1.0;
    gamma[d->row[i]] = 1.0;
    dp_delassus_apply(W, d, x);
    law_problem_force(force, p, gamma);
    dp_tree_ldl_solve(y, d->tree, d->LD, force);
    for (int b = 0; b < p->nblock; ++b) { // G y, row by row
        const double *G = p->G + p->G_start[b];
        for (int row = p->row_start[b]; row < p->row_start[b + 1]; ++row) {
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                u[row] += *G++ * y[p->col[k]];
            }
        }
    }
    for (int j = 0; j < p->nrow; ++j) {
        const double size = sqrt(dp_delassus_diagonal(d, i) * dp_delassus_diagonal(d, j));
        assert_near(W[j], u[d->row[j]], 1e-12 * size); // condition of M̃ below 1e3
    }
}

static void each_column_is_what_an_impulse_does(void **state)
{
    (void)state;
    random_source r = {.state = 11};
    const law_rows kinds = {1.0, 1e6, 0.5, 0.5, 0.3, 0.3};
    for (int repeat = 0; repeat < 50; ++repeat) {
        law_problem lp =
            law_problem_random(1e-3, 1 + random_below(&r, 6), 1 + random_below(&r, 8), &kinds, &r);
        dp_delassus d;
        void *memory = build(&d, &lp.p);
        for (int i = 0; i < lp.p.nrow; ++i) {
            assert_column(&d, &lp.p, i);
        }
        free(memory);
        law_problem_destroy(&lp);
    }
}

static void factors_that_are_given_lead_to_the_same_bits(void **state)
{
    (void)state;
    random_source r = {.state = 12};
    const law_rows kinds = {1.0, 1e6, 0.5, 0.5, 0.3, 0.3};
    for (int repeat = 0; repeat < 20; ++repeat) {
        law_problem lp =
            law_problem_random(1e-3, 1 + random_below(&r, 6), 1 + random_below(&r, 8), &kinds, &r);
        dp_delassus found, given;
        void *memory = build(&found, &lp.p);
        dp_step_problem p = lp.p;
        p.mass_factor = found.LD;
        void *other = build(&given, &p);
        assert_memory_equal(found.W, given.W, found.at.start[p.nrow] * sizeof *found.W);
        assert_true(found.least_pivot == given.least_pivot);
        free(memory);
        free(other);
        law_problem_destroy(&lp);
    }
}

// n trees of eight velocities, each welded to the next by six rows.
static void columns_of_welds_are_what_an_impulse_does(void **state)
{
    (void)state;
    enum { TREES = 3, NV = 8 };
    random_source r = {.state = 13};
    law_problem lp = law_problem_create(1e-3, NV * TREES, 6 * TREES);
    for (int i = 0; i < TREES; ++i) {
        law_problem_tree(&lp, NV, true, 1.0, &r);
    }
    for (int i = 0; i + 1 < TREES; ++i) {
        int col[2 * NV];
        double G[6 * 2 * NV];
        for (int k = 0; k < 2 * NV; ++k) {
            col[k] = NV * i + k;
        }
        for (int k = 0; k < 6 * 2 * NV; ++k) {
            G[k] = random_between(&r, -1.0, 1.0);
        }
        law_problem_block(&lp, 6, 2 * NV, col, G);
    }
    dp_delassus d;
    void *memory = build(&d, &lp.p);
    for (int i = 0; i < lp.p.nrow; ++i) {
        assert_column(&d, &lp.p, i);
    }
    free(memory);
    law_problem_destroy(&lp);
}

// n free bodies of six velocities, each pinned to the next by three rows, in a shuffled order.
static law_problem chain(int n, bool ring, random_source *r)
{
    law_problem lp = law_problem_create(1e-3, 6 * n, 3 * n);
    for (int i = 0; i < n; ++i) {
        law_problem_tree(&lp, 6, true, 1.0, r);
    }
    const int pins = ring ? n : n - 1;
    for (int k = 0; k < pins; ++k) {
        const int i = (int)((long)k * 7919 % pins), j = (i + 1) % n; // 7919 is prime
        const int low = i < j ? i : j, high = i < j ? j : i;
        int col[12];
        double G[36];
        for (int m = 0; m < 6; ++m) {
            col[m] = 6 * low + m;
            col[6 + m] = 6 * high + m;
        }
        for (int m = 0; m < 36; ++m) {
            G[m] = random_between(r, -1.0, 1.0);
        }
        law_problem_block(&lp, 3, 12, col, G);
    }
    return lp;
}

static void the_envelope_of_a_chain_is_linear_in_its_length(void **state)
{
    (void)state;
    random_source r = {.state = 12};
    for (int n = 50; n <= 200; n *= 2) {
        law_problem lp = chain(n, false, &r);
        dp_delassus d;
        void *memory = build(&d, &lp.p);
        // a row meets the three of its own pin and the three of the one before
        assert_true(d.at.start[d.at.n] <= (size_t)(6 * lp.p.nrow));
        free(memory);
        law_problem_destroy(&lp);
        lp = chain(n, true, &r); // two fronts run around a ring and meet
        memory = build(&d, &lp.p);
        assert_true(d.at.start[d.at.n] <= (size_t)(12 * lp.p.nrow));
        free(memory);
        law_problem_destroy(&lp);
    }
}

static void memory_for_less_than_the_problem_is_refused(void **state)
{
    (void)state;
    random_source r = {.state = 13};
    const law_rows kinds = {1.0, 1e6, 0.5, 0.5, 0.3, 0.3};
    law_problem lp = law_problem_random(1e-3, 3, 4, &kinds, &r);
    const dp_step_size size = size_of(&lp.p);
    const size_t bytes = dp_delassus_memory(&size) + DP_ARENA_ALIGNMENT;
    char *memory = malloc(bytes);
    dp_arena arena;
    dp_arena_init(&arena, memory, bytes);
    dp_delassus d;
    assert_int_equal(dp_delassus_plan(&d, &lp.p, &arena), DP_OK);
    const size_t used = arena.used;
    for (size_t part = 0; part < used; part += 64) {
        dp_arena_init(&arena, memory, part);
        assert_int_equal(dp_delassus_plan(&d, &lp.p, &arena), DP_ERROR_CAPACITY);
    }
    free(memory);
    law_problem_destroy(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_column_is_what_an_impulse_does),
        cmocka_unit_test(factors_that_are_given_lead_to_the_same_bits),
        cmocka_unit_test(columns_of_welds_are_what_an_impulse_does),
        cmocka_unit_test(the_envelope_of_a_chain_is_linear_in_its_length),
        cmocka_unit_test(memory_for_less_than_the_problem_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
