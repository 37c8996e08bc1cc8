// The law `ode` beside SUNDIALS' CVODE: the same accelerations, integrated by somebody else's
// backward differences.
#include "accuracy_rig.h"

#include "sim/integrators/integrators.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <math.h>
#include <string.h>

// y = (q, v, activations), as the law integrates it.
static int rate(realtype t, N_Vector y, N_Vector slope, void *context)
{
    mechanism *x = context;
    dp_status status = dp_stage_rate(NV_DATA_S(slope), x->d, t, NV_DATA_S(y));
    while (status == DP_ERROR_CAPACITY && x->d->rows.candidates.no_room) {
        assert_ok(dp_constrained_grow(x->d));
        status = dp_stage_rate(NV_DATA_S(slope), x->d, t, NV_DATA_S(y));
    }
    return status == DP_OK ? 0 : 1; // 1: to be tried with a shorter step
}

// By CVODE, to 1e-10 in each step. @param worst of all steps of the scene
static double distance_to_cvode(const accuracy_scene *scene, const accuracy_run *run)
{
    mechanism x = accuracy_scene_load(scene);
    dp_data_options(x.d)->integrator = DP_INTEGRATOR_RK45;
    const int n = (int)dp_stage_numbers(x.m);
    SUNContext sun;
    assert_int_equal(SUNContext_Create(NULL, &sun), 0);
    N_Vector y = N_VNew_Serial(n, sun);
    dp_stage_load(NV_DATA_S(y), x.d);
    void *cvode = CVodeCreate(CV_BDF, sun);
    assert_int_equal(CVodeInit(cvode, rate, 0.0, y), CV_SUCCESS);
    assert_int_equal(CVodeSetUserData(cvode, &x), CV_SUCCESS);
    assert_int_equal(CVodeSStolerances(cvode, 1e-10, 1e-12), CV_SUCCESS);
    assert_int_equal(CVodeSetMaxNumSteps(cvode, 1000000), CV_SUCCESS);
    SUNMatrix J = SUNDenseMatrix(n, n, sun);
    SUNLinearSolver solver = SUNLinSol_Dense(y, J, sun);
    assert_int_equal(CVodeSetLinearSolver(cvode, solver, J), CV_SUCCESS);
    double worst = 0.0;
    for (int i = 0; i < run->steps; ++i) {
        realtype t;
        assert_int_equal(CVode(cvode, scene->step * (i + 1), y, &t, CV_NORMAL), CV_SUCCESS);
        for (int k = 0; k < run->nq; ++k) {
            worst = fmax(worst, fabs(NV_DATA_S(y)[k] - run->q[i][k]));
        }
    }
    SUNLinSolFree(solver);
    SUNMatDestroy(J);
    CVodeFree(&cvode);
    N_VDestroy(y);
    SUNContext_Free(&sun);
    mechanism_end(&x);
    return worst;
}

static void cvode_finds_the_same_motion(void **state)
{
    (void)state;
    static accuracy_run run;
    static const accuracy_scene *const scene[] = {&RIG_SPRINGS, &RIG_FOUR_BAR, &RIG_SLIDE,
                                                  &RIG_SLOPE,   &RIG_PUSH,     &RIG_BELT};
    for (size_t i = 0; i < sizeof scene / sizeof scene[0]; ++i) {
        accuracy_run_make(&run, scene[i], (rig_method){.by = DP_INTEGRATOR_RK45});
        const double off = distance_to_cvode(scene[i], &run);
        print_message("%s: %.1e off\n", scene[i]->name, off);
        // CVODE's tolerance of 1e-10 is one of each step, of which there are some thousand.
        assert_true(off < 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cvode_finds_the_same_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
