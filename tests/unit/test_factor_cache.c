// Factors that serve again: of which numbers, and what steps with rounded numbers are worth.
#include "law_problem.h"
#include "near.h"
#include "solve/contact/operator/factor_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 10, BODY = 6, ROWS = 3, COLUMNS = 2 * BODY, BYTES = 1 << 22 };

typedef struct rig {
    law_problem lp;
    dp_law_options opt;
    void *memory;
    dp_arena arena;
    dp_coulomb c;
} rig;

// A chain of bodies that push each other.
static void begin(rig *x, random_source *r)
{
    const dp_friction rough = {.mu = {0.5, 0.7}};
    x->lp = law_problem_create(0.01, BODY * BODIES, ROWS * BODIES);
    for (int i = 0; i < BODIES; ++i) {
        law_problem_tree(&x->lp, BODY, true, random_between(r, 0.5, 2.0), r);
    }
    for (int i = 0; i + 1 < BODIES; ++i) {
        int col[COLUMNS];
        double G[ROWS * COLUMNS];
        for (int k = 0; k < COLUMNS; ++k) {
            col[k] = BODY * i + k;
        }
        for (int k = 0; k < ROWS * COLUMNS; ++k) {
            G[k] = random_between(r, -1.0, 1.0);
        }
        dp_row *row = law_problem_contact(&x->lp, ROWS, COLUMNS, col, G, &rough);
        row[0].k = 1e6;
        row[0].phi = -0.1; // 10 m/s are asked for
    }
    x->opt = dp_law_options_default();
    x->memory = malloc(BYTES);
    assert_non_null(x->memory);
    dp_arena_init(&x->arena, x->memory, BYTES);
    assert_int_equal(dp_coulomb_begin(&x->c, &x->lp.p, &x->opt, &x->arena), DP_OK);
    assert_true(x->c.op.cache.usable);
}

static void end(rig *x)
{
    dp_arena_end(&x->arena);
    free(x->memory);
    law_problem_destroy(&x->lp);
}

// The map at no impulses, where all contacts push, and some slip.
static void linearise(dp_coulomb *c, const dp_law_options *opt)
{
    dp_coulomb_aim(c, NULL, opt);
    memcpy(c->centre, c->x, (size_t)c->p->nrow * sizeof *c->x);
    dp_coulomb_linearise(c, &(dp_coulomb_map){1e-6, c->centre, c->one_over_a, true}, c->x, c->u);
}

// As Newton's method does. @return whether factors were there
static bool factor(dp_coulomb *c, const dp_law_options *opt)
{
    linearise(c, opt);
    assert_true(dp_cache_begin(c));
    dp_cache_round(c);
    assert_true(dp_cache_factor(c));
    memcpy(c->op.C_factored, c->C, c->op.nC * sizeof *c->C);
    dp_cache_end(c);
    return c->work.spared > 0;
}

static void factors_serve_while_numbers_hardly_change(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    for (int draw = 0; draw < 20; ++draw) {
        rig x;
        begin(&x, &r);
        assert_false(factor(&x.c, &x.opt));
        assert_true(factor(&x.c, &x.opt));
        for (size_t k = 0; k < x.lp.p.G_start[x.lp.p.nblock]; ++k) {
            x.lp.G[k] *= 1.0 + 1e-16 * random_between(&r, -1.0, 1.0);
        }
        assert_true(factor(&x.c, &x.opt));
        end(&x);
    }
}

// Each number counts, in each place, and so does who has factored.
static void factors_of_other_numbers_do_not_serve(void **state)
{
    (void)state;
    random_source r = {.state = 2};
    rig x;
    begin(&x, &r);
    (void)factor(&x.c, &x.opt);
    const int nG = (int)x.lp.p.G_start[x.lp.p.nblock], nM = (int)x.lp.p.Mt_start[x.lp.p.nv];
    for (int draw = 0; draw < 200; ++draw) {
        double *one = draw % 2 ? x.lp.G + random_below(&r, nG) : x.lp.Mt + random_below(&r, nM);
        const double was = *one;
        dp_coulomb *c = &x.c;
        linearise(c, &x.opt); // C stays
        *one += (draw % 2 ? 1.0 : 0.1) * 1e-6;
        assert_true(dp_cache_begin(c));
        assert_false(c->op.cache.valid);
        dp_cache_end(c);
        *one = was;
        assert_false(factor(c, &x.opt));
        assert_true(factor(c, &x.opt));
    }
    linearise(&x.c, &x.opt);
    x.c.scale[1] *= 0.5;
    assert_true(dp_cache_begin(&x.c));
    assert_false(x.c.op.cache.valid);
    x.c.scale[1] *= 2.0;
    assert_false(factor(&x.c, &x.opt));
    assert_true(factor(&x.c, &x.opt));
    assert_true(dp_coulomb_factor(&x.c)); // of numbers that are not rounded
    assert_false(factor(&x.c, &x.opt));
    end(&x);
}

// Last digits of all numbers change.
static void stir(rig *x, random_source r)
{
    for (size_t k = 0; k < x->lp.p.G_start[x->lp.p.nblock]; ++k) {
        x->lp.G[k] *= 1.0 + 4e-16 * random_between(&r, -1.0, 1.0);
    }
    for (size_t k = 0; k < x->lp.p.Mt_start[x->lp.p.nv]; ++k) {
        x->lp.Mt[k] *= 1.0 + 4e-16 * random_between(&r, -1.0, 1.0);
    }
    assert_int_equal(dp_coulomb_restart(&x->c, &x->opt), DP_OK);
}

static void step(double *dx, rig *x, bool kept)
{
    assert_true(factor(&x->c, &x->opt) == kept);
    assert_true(dp_cache_begin(&x->c));
    dp_cache_step(&x->c, dx);
    dp_cache_end(&x->c);
}

static void steps_have_the_same_bits_whether_factors_were_kept_or_not(void **state)
{
    (void)state;
    random_source r = {.state = 4};
    for (int draw = 0; draw < 20; ++draw) {
        rig x, y;
        random_source same = r;
        double by_kept[ROWS * BODIES], by_own[ROWS * BODIES];
        begin(&x, &r);
        begin(&y, &same);
        (void)factor(&x.c, &x.opt);
        stir(&x, r);
        stir(&y, r);
        step(by_kept, &x, true);
        step(by_own, &y, false);
        assert_memory_equal(by_kept, by_own, (size_t)x.c.p->nrow * sizeof *by_own);
        end(&x);
        end(&y);
    }
}

static void steps_by_rounded_numbers_are_nearly_those_of_the_numbers(void **state)
{
    (void)state;
    random_source r = {.state = 3};
    for (int draw = 0; draw < 50; ++draw) {
        rig x;
        begin(&x, &r);
        dp_coulomb *c = &x.c;
        double dx[ROWS * BODIES], rounded[ROWS * BODIES], most = 0.0, off = 0.0;
        linearise(c, &x.opt);
        assert_true(dp_coulomb_factor(c));
        dp_coulomb_step(c, dx);
        (void)factor(c, &x.opt);
        assert_true(dp_cache_begin(c));
        dp_cache_step(c, rounded);
        dp_cache_end(c);
        for (int i = 0; i < c->p->nrow; ++i) {
            most = fmax(most, fabs(dx[i]));
            off = fmax(off, fabs(rounded[i] - dx[i]));
        }
        assert_true(most > 0.0);
        assert_true(off < 0x1p-7 * most); // friction is known to 2^−8 of its size
        end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_serve_while_numbers_hardly_change),
        cmocka_unit_test(factors_of_other_numbers_do_not_serve),
        cmocka_unit_test(steps_have_the_same_bits_whether_factors_were_kept_or_not),
        cmocka_unit_test(steps_by_rounded_numbers_are_nearly_those_of_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
