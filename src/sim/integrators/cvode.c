// CVODE of SUNDIALS on the law `ode`: backward differences of orders 1 to 5 with error control
// [HindmarshBrownGrantLeeSerbanShumakerWoodward2005], on the same y = (q, v, activations) and the
// same rates as the Runge–Kutta pair. It begins anew in each step, so that a state is q, v and the
// time.
//
// The only file that knows SUNDIALS. Without DP_SUNDIALS it knows how to say so.
#include "sim/integrators/integrators.h"

#ifndef DP_SUNDIALS

bool dp_ode_has_cvode(void)
{
    return false;
}

dp_status dp_advance_cvode(double *y, dp_data *d, double t, double h)
{
    (void)y;
    (void)d;
    (void)t;
    (void)h;
    (void)dp_fail(DP_ERROR_UNSUPPORTED,
                  "ode.integrator is cvode, which this library was built without (expected "
                  "runge-kutta or implicit-euler; for cvode, build with libsundials-dev)");
    return dp_fail_feature(DP_ERROR_UNSUPPORTED, "sundials");
}

void dp_cvode_release(dp_data *d)
{
    (void)d;
}

#else

#include "base/memory.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <math.h>
#include <string.h>

bool dp_ode_has_cvode(void)
{
    return true;
}

struct dp_cvode {
    SUNContext context;
    N_Vector y, between; // states: the present one, and samples
    SUNMatrix J;
    SUNLinearSolver solver;
    void *memory;     // CVODE's
    double start;     // of the step; CVODE counts time from there
    dp_status status; // of the last evaluation
};

// What CVODE is told of an evaluation.
enum { EVALUATED = 0, TRY_SHORTER = 1, STOP = -1 };

// As the stages of Runge–Kutta methods are evaluated.
static int rate(realtype s, N_Vector y, N_Vector slope, void *context)
{
    dp_data *d = context;
    dp_cvode *c = d->cvode;
    const dp_model *m = d->model;
    const size_t n = dp_stage_numbers(m);
    double *at = d->scratch.stage + n, *k = N_VGetArrayPointer(slope);
    memcpy(at, N_VGetArrayPointer(y), n * sizeof *at);
    c->status = DP_OK;
    if (!dp_stage_is_finite(at, n)) {
        return TRY_SHORTER;
    }
    dp_activations_clamp(at + m->size.nq + m->size.nv, m);
    c->status = dp_stage_rate(k, d, c->start + s, at);
    if (d->art.singular >= 0) { // a trial too long may lead to where joints lock
        d->art.singular = -1;
        return TRY_SHORTER;
    }
    if (c->status != DP_OK) {
        return STOP;
    }
    return dp_stage_is_finite(k, n) ? EVALUATED : TRY_SHORTER;
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
static bool set_up(dp_cvode *c, dp_data *d)
{
    const sunindextype n = (sunindextype)dp_stage_numbers(d->model);
    if (SUNContext_Create(NULL, &c->context) != 0) {
        return false;
    }
    c->y = N_VNew_Serial(n, c->context);
    c->between = N_VNew_Serial(n, c->context);
    c->J = SUNDenseMatrix(n, n, c->context);
    c->memory = CVodeCreate(CV_BDF, c->context);
    if (!c->y || !c->between || !c->J || !c->memory) {
        return false;
    }
    N_VConst(0.0, c->y);
    c->solver = SUNLinSol_Dense(c->y, c->J, c->context);
    return c->solver && CVodeSetErrHandlerFn(c->memory, keep_quiet, NULL) == CV_SUCCESS &&
           CVodeInit(c->memory, rate, 0.0, c->y) == CV_SUCCESS &&
           CVodeSetUserData(c->memory, d) == CV_SUCCESS &&
           CVodeSetLinearSolver(c->memory, c->solver, c->J) == CV_SUCCESS;
}

void dp_cvode_release(dp_data *d)
{
    dp_cvode *c = d->cvode;
    if (!c) {
        return;
    }
    CVodeFree(&c->memory);
    if (c->solver) {
        SUNLinSolFree(c->solver);
    }
    if (c->J) {
        SUNMatDestroy(c->J);
    }
    if (c->between) {
        N_VDestroy(c->between);
    }
    if (c->y) {
        N_VDestroy(c->y);
    }
    SUNContext_Free(&c->context);
    dp_release(&d->allocator, c, 1, sizeof *c);
    d->cvode = NULL;
}

static dp_status make(dp_data *d)
{
    if (d->cvode) {
        return DP_OK;
    }
    DP_TRY(dp_allocate(&d->cvode, &d->allocator, 1, sizeof *d->cvode));
    *d->cvode = (dp_cvode){.context = NULL};
    if (!set_up(d->cvode, d)) {
        dp_cvode_release(d);
        return dp_fail(DP_ERROR_MEMORY, "no memory for CVODE on %zu numbers",
                       dp_stage_numbers(d->model));
    }
    return DP_OK;
}

// From y at the start of the step. CVODE bounds the root of the mean of the squares of errors; by
// √n less, the error of each number is within the tolerances, as it is of the Runge–Kutta pair.
static bool begin(dp_cvode *c, const dp_options *o, double h, size_t n)
{
    const double part = 1.0 / sqrt((double)n);
    return CVodeReInit(c->memory, 0.0, c->y) == CV_SUCCESS &&
           CVodeSStolerances(c->memory, part * o->relative_tolerance,
                             part * o->absolute_tolerance) == CV_SUCCESS &&
           CVodeSetStopTime(c->memory, h) == CV_SUCCESS;
}

// The samples up to the time s of a step of length h.
static bool sample(dp_data *d, double s, double h)
{
    for (double at; (at = dp_sample_due(d, h)) <= s;) {
        if (CVodeGetDky(d->cvode->memory, at, 0, d->cvode->between) != CV_SUCCESS) {
            return false;
        }
        dp_sample_keep(d, N_VGetArrayPointer(d->cvode->between));
    }
    return true;
}

static void note_work(dp_data *d)
{
    void *memory = d->cvode->memory;
    long too_far = 0, unsolved = 0, iterations = 0, factored = 0;
    (void)CVodeGetNumErrTestFails(memory, &too_far);
    (void)CVodeGetNumStepSolveFails(memory, &unsolved);
    (void)CVodeGetNumNonlinSolvIters(memory, &iterations);
    (void)CVodeGetNumLinSolvSetups(memory, &factored);
    d->report->work.rejected += (int)(too_far + unsolved);
    d->report->work.iterations += (int)iterations;
    d->report->work.factorizations += (int)factored;
}

static const char *reason(int flag)
{
    switch (flag) {
    case CV_TOO_MUCH_WORK:
        return "too many substeps";
    case CV_TOO_MUCH_ACC:
        return "tolerances below round-off";
    case CV_ERR_FAILURE:
        return "errors too large in the shortest substep";
    case CV_CONV_FAILURE:
        return "Newton's method fails in the shortest substep";
    default:
        return "no reason that has a name here";
    }
}

static dp_status refuse(const dp_data *d, double s, int made, int flag)
{
    if (d->cvode->status != DP_OK) { // the last evaluation failed, and has said why
        return d->cvode->status;
    }
    const dp_options *o = &d->options;
    return dp_fail(DP_ERROR_NUMERIC,
                   "CVODE gave up at t = %.10g s after %d substeps of at most %d (%d: %s; "
                   "tolerances %g relative, %g absolute: larger ones, more substeps or the law %s "
                   "may help)",
                   d->cvode->start + s, made, o->max_substeps, flag, reason(flag),
                   o->relative_tolerance, o->absolute_tolerance, dp_law_of(&o->law)->alternative);
}

static dp_status advance(dp_data *d, double h)
{
    dp_cvode *c = d->cvode;
    realtype s = 0.0;
    if (!begin(c, &d->options, h, dp_stage_numbers(d->model))) {
        return refuse(d, s, 0, CV_ILL_INPUT);
    }
    for (int made = 0; s < h; ++made) {
        if (made >= d->options.max_substeps) {
            return refuse(d, s, made, CV_TOO_MUCH_WORK);
        }
        const int flag = CVode(c->memory, h, c->y, &s, CV_ONE_STEP);
        if (flag < CV_SUCCESS) {
            return refuse(d, s, made, flag);
        }
        if (!sample(d, s, h)) {
            return refuse(d, s, made, CV_BAD_T);
        }
        d->report->work.substeps++;
    }
    return DP_OK;
}

dp_status dp_advance_cvode(double *y, dp_data *d, double t, double h)
{
    const size_t n = dp_stage_numbers(d->model);
    if (n == 0) { // CVODE wants something to integrate
        return dp_advance_rk45(y, d, t, h);
    }
    DP_TRY(make(d));
    DP_ASSERT(d->cvode);
    double *own = N_VGetArrayPointer(d->cvode->y);
    d->cvode->start = t;
    d->cvode->status = DP_OK;
    memcpy(own, y, n * sizeof *y);
    const dp_status status = advance(d, h);
    memcpy(y, own, n * sizeof *y);
    note_work(d);
    return status;
}

#endif
