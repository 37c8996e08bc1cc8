// The two searches for the right stand of rows, each on its own, from poor starts.
#include "law_problem.h"

#include "solve/rows/compliant.h"

#include <math.h>
#include <stdlib.h>

enum { PROBLEMS = 300, MOST_ROWS = 18 };

typedef struct island {
    law_problem lp;
    dp_compliant c;
    void *memory;
} island;

// A random problem of springs, so that there is one solution, with all rows at an end at first.
static void make(island *out, random_source *r)
{
    const law_rows kinds = {1e2, 1e7, 0.0, 0.5, 0.6, 0.5};
    out->lp = law_problem_random(1e-2, 3, 6, &kinds, r);
    const dp_step_problem *p = &out->lp.p;
    const dp_law_options opt = dp_law_options_default();
    const dp_step_size size = {p->nv,
                               p->ntree,
                               p->nblock,
                               p->nrow,
                               p->Mt_start[p->nv],
                               (size_t)p->col_start[p->nblock],
                               p->G_start[p->nblock]};
    const size_t bytes = dp_compliant_memory(&size) + DP_ARENA_ALIGNMENT;
    out->memory = malloc(bytes);
    assert_non_null(out->memory);
    dp_arena arena;
    dp_arena_init(&arena, out->memory, bytes);
    assert_int_equal(dp_compliant_begin(&out->c, p, &opt, &arena), DP_OK);
    dp_compliant_targets(&out->c);
    for (int i = 0; i < out->c.n; ++i) {
        out->c.gamma[i] = 0.0;
        out->c.mode[i] = isfinite(out->c.lo[i]) ? DP_MODE_LO : DP_MODE_REGULARISED;
    }
}

static void destroy(island *is)
{
    free(is->memory);
    law_problem_destroy(&is->lp);
}

static void a_settled_newton_is_the_solution(void **state)
{
    (void)state;
    random_source r = {.state = 42};
    int settled = 0;
    for (int k = 0; k < PROBLEMS; ++k) {
        island is;
        make(&is, &r);
        if (dp_compliant_newton(&is.c, (dp_prox){0.0, NULL}, 20)) {
            ++settled;
            dp_refine(&is.c);
            assert_true(dp_compliant_residual(&is.c) < 1e-9);
        }
        destroy(&is);
    }
    assert_true(settled > 9 * PROBLEMS / 10); // it may cycle, seldom
}

// The proximal problem is the problem of softer springs about other gaps.
static void the_proximal_method_settles_from_anywhere(void **state)
{
    (void)state;
    random_source r = {.state = 43};
    for (int k = 0; k < PROBLEMS; ++k) {
        island is;
        make(&is, &r);
        double centre[MOST_ROWS];
        for (int i = 0; i < is.c.n; ++i) {
            centre[i] = random_between(&r, -1.0, 1.0);
            is.c.gamma[i] = random_between(&r, -1e3, 1e3);
        }
        const dp_prox prox = {pow(10.0, random_between(&r, -8.0, 0.0)), centre};
        assert_true(dp_compliant_newton(&is.c, prox, 60));
        assert_int_equal(dp_row_modes_update(&is.c, prox), 0);
        for (int i = 0; i < is.c.n; ++i) { // the law of each row, by hand
            const double R = prox.shift * is.c.a[i], pull = R * (is.c.gamma[i] - centre[i]);
            const double soft = is.c.u_hat[i] - is.c.R[i] * is.c.gamma[i];
            const double law = (soft < is.c.u_stop[i] ? soft : is.c.u_stop[i]) - pull;
            const double slack = is.c.u[i] - law, small = 1e-9 * (1.0 + is.c.size[i]);
            assert_true(is.c.gamma[i] <= is.c.lo[i] ? slack > -small : slack < small);
            assert_true(is.c.gamma[i] >= is.c.hi[i] ? slack < small : slack > -small);
        }
        destroy(&is);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_settled_newton_is_the_solution),
        cmocka_unit_test(the_proximal_method_settles_from_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
