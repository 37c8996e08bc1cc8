// The plugin dashpot_cvode: CVODE of SUNDIALS 6, backward differences of orders 1 to 5 with error
// control [HindmarshBrownGrantLeeSerbanShumakerWoodward2005] and dense Jacobians by differences.
#include "sim/integrators/cvode_plugin.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <math.h>
#include <stdlib.h>

struct dp_cvode_solver {
    SUNContext context;
    N_Vector y, between; // states: the present one, and samples
    SUNMatrix J;
    SUNLinearSolver linear;
    void *memory; // CVODE's
    dp_cvode_rate rate;
    void *user;
};

static int rate(realtype t, N_Vector y, N_Vector slope, void *context)
{
    const dp_cvode_solver *s = context;
    return s->rate(N_VGetArrayPointer(slope), t, N_VGetArrayPointer(y), s->user);
}

// The library never prints.
static void keep_quiet(int code, const char *module, const char *function, char *message,
                       void *context)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)context;
}

// @return false where there is no memory
static bool set_up(dp_cvode_solver *s, sunindextype n)
{
    if (SUNContext_Create(NULL, &s->context) != 0) {
        return false;
    }
    s->y = N_VNew_Serial(n, s->context);
    s->between = N_VNew_Serial(n, s->context);
    s->J = SUNDenseMatrix(n, n, s->context);
    s->memory = CVodeCreate(CV_BDF, s->context);
    if (!s->y || !s->between || !s->J || !s->memory) {
        return false;
    }
    N_VConst(0.0, s->y);
    s->linear = SUNLinSol_Dense(s->y, s->J, s->context);
    return s->linear && CVodeSetErrHandlerFn(s->memory, keep_quiet, NULL) == CV_SUCCESS &&
           CVodeInit(s->memory, rate, 0.0, s->y) == CV_SUCCESS &&
           CVodeSetUserData(s->memory, s) == CV_SUCCESS &&
           CVodeSetLinearSolver(s->memory, s->linear, s->J) == CV_SUCCESS;
}

static void destroy(dp_cvode_solver *s)
{
    CVodeFree(&s->memory);
    if (s->linear) {
        SUNLinSolFree(s->linear);
    }
    if (s->J) {
        SUNMatDestroy(s->J);
    }
    if (s->between) {
        N_VDestroy(s->between);
    }
    if (s->y) {
        N_VDestroy(s->y);
    }
    SUNContext_Free(&s->context);
    free(s);
}

static dp_cvode_solver *create(size_t n, dp_cvode_rate f, void *user)
{
    dp_cvode_solver *s = malloc(sizeof *s);
    if (!s) {
        return NULL;
    }
    *s = (dp_cvode_solver){.rate = f, .user = user};
    if (!set_up(s, (sunindextype)n)) {
        destroy(s);
        return NULL;
    }
    return s;
}

static double *state(dp_cvode_solver *s)
{
    return N_VGetArrayPointer(s->y);
}

static bool begin(dp_cvode_solver *s, double relative, double absolute, double end)
{
    return CVodeReInit(s->memory, 0.0, s->y) == CV_SUCCESS &&
           CVodeSStolerances(s->memory, relative, absolute) == CV_SUCCESS &&
           CVodeSetStopTime(s->memory, end) == CV_SUCCESS;
}

static const char *advance(dp_cvode_solver *s, double *t, double end)
{
    const int flag = CVode(s->memory, end, s->y, t, CV_ONE_STEP);
    switch (flag) {
    case CV_TOO_MUCH_ACC:
        return "tolerances below round-off";
    case CV_ERR_FAILURE:
        return "errors too large in the shortest substep";
    case CV_CONV_FAILURE:
        return "Newton's method fails in the shortest substep";
    default:
        return flag < CV_SUCCESS ? "no reason that has a name here" : NULL;
    }
}

static double *between(dp_cvode_solver *s, double t)
{
    return CVodeGetDky(s->memory, t, 0, s->between) == CV_SUCCESS ? N_VGetArrayPointer(s->between)
                                                                  : NULL;
}

static dp_cvode_work work(const dp_cvode_solver *s)
{
    long too_far = 0, unsolved = 0, iterations = 0, factored = 0;
    (void)CVodeGetNumErrTestFails(s->memory, &too_far);
    (void)CVodeGetNumStepSolveFails(s->memory, &unsolved);
    (void)CVodeGetNumNonlinSolvIters(s->memory, &iterations);
    (void)CVodeGetNumLinSolvSetups(s->memory, &factored);
    return (dp_cvode_work){(int)(too_far + unsolved), (int)iterations, (int)factored};
}

extern __attribute__((visibility("default"))) const dp_cvode_table dashpot_plugin;
const dp_cvode_table dashpot_plugin = {DP_CVODE_VERSION, create,  destroy, state, begin,
                                       advance,          between, work};
