// Files and residuals beside Siconos' own: it reads what we write to the same bits, we read what it
// writes, and both call the same numbers an error.
#include "fc_draw.h"

#include <fc3d_compute_error.h>
#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <gfc3d_compute_error.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH(name) DP_SCRATCH "/siconos_" name

// Sums of a few hundred numbers in another order.
static const double ROUND_OFF = 1e-12;

static double length(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static drawn_fc draw(int k)
{
    return k % 3 == 0   ? fc_wall(2, 3, 0.6, 0.1)
           : k % 3 == 1 ? fc_pile(2, 2, 3, 0.4, (uint64_t)k)
                        : fc_network(5, 15, 2.0, 0.7, (uint64_t)k);
}

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void residuals_of_the_local_form_agree(void **state)
{
    (void)state;
    for (int k = 0; k < 12; ++k) {
        drawn_fc x = draw(k);
        dp_fc_file *local;
        assert_int_equal(dp_fc_localise(&local, &x.p, NULL), DP_OK);
        const dp_fc *p = dp_fc_of(local);
        assert_int_equal(dp_fc_save(SCRATCH("local.dat"), p), DP_OK);
        FrictionContactProblem *other = frictionContact_new_from_filename(SCRATCH("local.dat"));
        const int n = 3 * p->nc;
        assert_int_equal(other->numberOfContacts, p->nc);
        assert_memory_equal(other->q, p->q, (size_t)n * sizeof *p->q);
        assert_memory_equal(other->mu, p->mu, (size_t)p->nc * sizeof *p->mu);
        for (int j = 0; j < n; ++j) {
            for (int e = p->W.start[j]; e < p->W.start[j + 1]; ++e) {
                assert_true(NM_get_value(other->M, p->W.row[e], j) == p->W.value[e]);
            }
        }
        double *r = numbers(n), *u = numbers(n), *w = numbers(n), error;
        random_source random = {.state = (uint64_t)k};
        for (int i = 0; i < n; ++i) {
            r[i] = random_between(&random, -1.0, 1.0);
        }
        SolverOptions *opt = solver_options_create(SICONOS_FRICTION_3D_NSN_AC);
        for (int solved = 0; solved < 2; ++solved) { // anywhere, and at a solution
            dp_fc_residual ours;
            if (solved == 1) {
                (void)fc_solve(p, r, NULL);
            }
            assert_int_equal(dp_fc_judge(&ours, p, &(dp_fc_solution){.r = r, .u = u}, NULL), DP_OK);
            (void)fc3d_compute_error(other, r, w, 1e-8, opt, length(p->q, n), &error);
            assert_near(ours.siconos, error, ROUND_OFF * fmax(error, 1e-3));
            for (int i = 0; i < n; ++i) {
                assert_near(u[i], w[i], 1e-11);
            }
        }
        solver_options_delete(opt);
        free(opt);
        frictionContactProblem_free(other);
        free(r);
        free(u);
        free(w);
        dp_fc_destroy(local);
        fc_free(&x);
    }
}

static void residuals_of_the_global_form_agree(void **state)
{
    (void)state;
    for (int k = 0; k < 12; ++k) {
        drawn_fc x = draw(k);
        const dp_fc *p = &x.p;
        const int n = 3 * p->nc, nv = p->M.rows;
        assert_int_equal(dp_fc_save(SCRATCH("global.dat"), p), DP_OK);
        GlobalFrictionContactProblem *other =
            globalFrictionContact_new_from_filename(SCRATCH("global.dat"));
        assert_int_equal(other->numberOfContacts, p->nc);
        assert_memory_equal(other->q, p->f, (size_t)nv * sizeof *p->f);
        double *r = numbers(n), *u = numbers(n), *w = numbers(n), *v = numbers(nv), error;
        random_source random = {.state = (uint64_t)k};
        for (int i = 0; i < n; ++i) {
            r[i] = random_between(&random, -1.0, 1.0);
        }
        dp_fc_residual ours;
        assert_int_equal(dp_fc_judge(&ours, p, &(dp_fc_solution){.r = r, .u = u, .v = v}, NULL),
                         DP_OK);
        SolverOptions *opt = solver_options_create(SICONOS_GLOBAL_FRICTION_3D_NSN_AC);
        (void)gfc3d_compute_error(other, r, w, v, 1e-8, opt, length(p->f, nv), length(p->w, n),
                                  &error);
        assert_near(ours.siconos, error, ROUND_OFF * fmax(error, 1e-3));
        solver_options_delete(opt);
        free(opt);
        globalFrictionContact_free(other);
        free(r);
        free(u);
        free(w);
        free(v);
        fc_free(&x);
    }
}

static void what_siconos_writes_is_read(void **state)
{
    (void)state;
    drawn_fc x = draw(1);
    dp_fc_file *local, *again;
    assert_int_equal(dp_fc_localise(&local, &x.p, NULL), DP_OK);
    const dp_fc *p = dp_fc_of(local);
    assert_int_equal(dp_fc_save(SCRATCH("local.dat"), p), DP_OK);
    FrictionContactProblem *other = frictionContact_new_from_filename(SCRATCH("local.dat"));
    char path[] = SCRATCH("theirs.dat");
    assert_int_equal(frictionContact_printInFilename(other, path), 0);
    assert_int_equal(dp_fc_load(&again, path, NULL), DP_OK);
    const dp_fc *q = dp_fc_of(again);
    const size_t n = 3 * (size_t)p->nc;
    assert_memory_equal(q->q, p->q, n * sizeof *p->q);
    assert_int_equal(q->W.start[n], p->W.start[n]);
    assert_memory_equal(q->W.value, p->W.value, (size_t)p->W.start[n] * sizeof *p->W.value);
    frictionContactProblem_free(other);
    dp_fc_destroy(again);
    dp_fc_destroy(local);
    fc_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_of_the_local_form_agree),
        cmocka_unit_test(residuals_of_the_global_form_agree),
        cmocka_unit_test(what_siconos_writes_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
