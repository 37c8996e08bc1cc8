// What is left of a step problem when its numbers are taken away.
#include "law_problem.h"

#include "problem/sparsity.h"

#include <stdlib.h>

static const law_rows ANY_ROWS = {1.0, 1e6, 0.5, 0.5, 0.3, 0.3};

// The structure of a problem, in memory of the stated size, which the caller frees.
static void *structure_of(dp_sparsity *out, const dp_step_problem *p)
{
    const dp_step_size size = {.nv = p->nv,
                               .ntree = p->ntree,
                               .nblock = p->nblock,
                               .nrow = p->nrow,
                               .ncol = (size_t)p->col_start[p->nblock]};
    const size_t bytes = dp_sparsity_memory(&size) + DP_ARENA_ALIGNMENT;
    void *memory = malloc(bytes);
    assert_non_null(memory);
    dp_arena arena;
    dp_arena_init(&arena, memory, bytes);
    assert_int_equal(dp_sparsity_of(out, p, &arena), DP_OK);
    return memory;
}

static bool is_that_of(const dp_sparsity *s, const dp_step_problem *p)
{
    return dp_sparsity_is_that_of(s, p) && dp_sparsity_has_columns(s, p, 0, p->nblock);
}

static void numbers_do_not_change_the_structure(void **state)
{
    (void)state;
    random_source r = {.state = 21};
    for (int repeat = 0; repeat < 50; ++repeat) {
        law_problem lp = law_problem_random(1e-3, 1 + random_below(&r, 5), 1 + random_below(&r, 5),
                                            &ANY_ROWS, &r);
        dp_sparsity s;
        void *memory = structure_of(&s, &lp.p);
        lp.p.h = 0.1;
        lp.Mt[0] *= 2.0;
        lp.G[0] = 0.0;
        lp.id[0] += 1;
        law_problem_random_row(&lp.row[0], &ANY_ROWS, &r);
        assert_true(is_that_of(&s, &lp.p));
        free(memory);
        law_problem_destroy(&lp);
    }
}

static void any_other_place_is_another_structure(void **state)
{
    (void)state;
    random_source r = {.state = 22};
    law_problem lp = law_problem_random(1e-3, 4, 4, &ANY_ROWS, &r);
    dp_sparsity s;
    void *memory = structure_of(&s, &lp.p);
    int *const places[] = {&lp.p.nv,         &lp.p.ntree,       &lp.p.nblock,
                           &lp.p.nrow,       &lp.tree_start[2], &lp.parent[1],
                           &lp.row_start[2], &lp.col_start[3],  &lp.col[1]};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        *places[i] += 1;
        assert_false(is_that_of(&s, &lp.p));
        *places[i] -= 1;
        assert_true(is_that_of(&s, &lp.p));
    }
    free(memory);
    law_problem_destroy(&lp);
}

static void too_little_memory_is_refused(void **state)
{
    (void)state;
    random_source r = {.state = 23};
    law_problem lp = law_problem_random(1e-3, 2, 2, &ANY_ROWS, &r);
    char memory[DP_ARENA_ALIGNMENT];
    dp_arena arena;
    dp_arena_init(&arena, memory, sizeof memory);
    dp_sparsity s;
    assert_int_equal(dp_sparsity_of(&s, &lp.p, &arena), DP_ERROR_CAPACITY);
    dp_arena_end(&arena);
    law_problem_destroy(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_do_not_change_the_structure),
        cmocka_unit_test(any_other_place_is_another_structure),
        cmocka_unit_test(too_little_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
