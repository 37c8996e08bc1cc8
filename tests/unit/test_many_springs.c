// Many springs on few velocities: Newton's method on the velocities against that on the impulses.
#include "near.h"

#include "mechanism.h"
#include "solve/law.h"
#include "solve/law_part.h"
#include "test_random.h"

#include <math.h>
#include <stdlib.h>

// A plate that can heave, roll and pitch on a grid of springs.
enum { NV = 3, SIDE = 12, NROW = SIDE * SIDE };

typedef struct plate {
    dp_step_problem p;
    int tree_start[2], parent[NV], row_start[NROW + 1], col_start[NROW + 1], col[NV * NROW];
    size_t Mt_start[NV + 1], G_start[NROW + 1];
    double Mt[6], v0[NV], v_free[NV], G[NV * NROW];
    uint64_t id[NROW];
    dp_row row[NROW];
} plate;

static void make_plate(plate *x, random_source *r, double k, double b, bool two_sided)
{
    *x = (plate){.tree_start = {0, NV}, .parent = {-1, 0, 1}, .Mt_start = {0, 1, 3, 6}};
    const double Mt[6] = {8.0, 1.4, 0.1, 1.3, -0.05, 0.2};
    for (int i = 0; i < 6; ++i) {
        x->Mt[i] = Mt[i];
    }
    const double h = 0.01;
    for (int i = 0; i < NV; ++i) {
        x->v_free[i] = random_between(r, -1.0, 1.0) - (i == 0);
    }
    for (int i = 0; i < NROW; ++i) {
        x->row_start[i + 1] = i + 1;
        x->col_start[i + 1] = NV * (i + 1);
        x->G_start[i + 1] = (size_t)(NV * (i + 1));
        x->id[i] = (uint64_t)i;
        const double at[NV] = {1.0, (i % SIDE) / (SIDE - 1.0) - 0.5,
                               (double)(i / SIDE) / (SIDE - 1.0) - 0.5};
        for (int j = 0; j < NV; ++j) {
            x->col[NV * i + j] = j;
            x->G[NV * i + j] = at[j];
        }
        x->row[i] = (dp_row){.phi = random_between(r, -1e-3, 8e-3),
                             .k = k,
                             .b = b,
                             .lo = two_sided && i % 3 == 0 ? -INFINITY : 0.0,
                             .hi = two_sided && i % 5 == 0 ? 1e-3 : INFINITY,
                             .len = 1.0};
    }
    x->p = (dp_step_problem){h,     NV,           1,         x->tree_start, x->parent, x->Mt_start,
                             x->Mt, x->v0,        x->v_free, NROW,          NROW,      x->row_start,
                             x->id, x->col_start, x->col,    x->G_start,    x->G,      x->row,
                             0,     NULL,         NULL,      NULL,          NULL,      NULL};
}

typedef struct answer {
    double v[NV], gamma[NROW];
    uint8_t state[NROW];
    dp_solve_info info;
} answer;

static void solve_by(answer *out, const plate *x, bool by_velocities, const double *warm)
{
    static char memory[1 << 24];
    const dp_law_options opt = dp_law_options_default();
    dp_arena scratch;
    dp_arena_init(&scratch, memory, sizeof memory);
    dp_step_solution s = {out->v, out->gamma, out->state};
    assert_true(dp_has_many_springs(&x->p));
    if (by_velocities) {
        dp_law_task *task;
        const dp_warm from = {NROW, x->id, x->row_start, warm, NULL};
        assert_ok(dp_law_begin(&task, &x->p, &opt, &scratch, NULL));
        assert_ok(dp_law_continue(&s, task, &x->p, warm ? &from : NULL, &out->info));
    } else {
        dp_compliant c;
        assert_ok(dp_compliant_begin(&c, &x->p, &opt, &scratch));
        dp_compliant_solve(&s, &c, warm, &opt, &out->info);
    }
    dp_arena_end(&scratch);
}

static void both_methods_find_the_same_impulses(void **state)
{
    (void)state;
    random_source r = {1};
    for (int repeat = 0; repeat < 60; ++repeat) {
        plate x;
        const double k = pow(10.0, repeat % 10), b = repeat % 3 == 0 ? 0.0 : 1e-2 * k;
        make_plate(&x, &r, k, b, repeat % 2 == 1);
        answer a, c, again;
        solve_by(&a, &x, true, NULL);
        solve_by(&c, &x, false, NULL);
        solve_by(&again, &x, true, c.gamma);
        assert_int_equal(a.info.outcome, DP_OUTCOME_CONVERGED);
        assert_int_equal(c.info.outcome, DP_OUTCOME_CONVERGED);
        double size = 0.0;
        for (int i = 0; i < NROW; ++i) {
            size = fmax(size, fabs(c.gamma[i]));
        }
        for (int i = 0; i < NV; ++i) {
            assert_near(a.v[i], c.v[i], 1e-10); // the tolerance of the law is 1e-9
            assert_near(again.v[i], c.v[i], 1e-10);
        }
        for (int i = 0; i < NROW; ++i) {
            assert_near(a.gamma[i], c.gamma[i], 1e-6 * size);
        }
    }
}

static void a_plate_on_springs_takes_few_steps(void **state)
{
    (void)state;
    random_source r = {2};
    int most = 0;
    for (int repeat = 0; repeat < 100; ++repeat) {
        plate x;
        make_plate(&x, &r, pow(10.0, 4.0 + repeat % 6), 1.0, false);
        answer a;
        solve_by(&a, &x, true, NULL);
        assert_int_equal(a.info.outcome, DP_OUTCOME_CONVERGED);
        most = a.info.iterations > most ? a.info.iterations : most;
    }
    assert_in_range(most, 1, 15);
}

static void rigid_rows_are_not_for_this_search(void **state)
{
    (void)state;
    random_source r = {3};
    plate x;
    make_plate(&x, &r, 1e6, 0.0, false);
    assert_true(dp_has_many_springs(&x.p));
    x.row[NROW - 1].k = INFINITY;
    assert_false(dp_has_many_springs(&x.p));
    x.row[NROW - 1].k = 1e20;
    assert_false(dp_has_many_springs(&x.p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_methods_find_the_same_impulses),
        cmocka_unit_test(a_plate_on_springs_takes_few_steps),
        cmocka_unit_test(rigid_rows_are_not_for_this_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
