// dp_step: the state is kept, advanced by the stages, and put back where that fails.
#include "sim/step/step.h"
#include "base/interrupt.h"
#include "sim/integrators/integrators.h"

#include <string.h>

// What can a step that fails have touched before a part of it is accepted? Quaternions are
// normalised on the way, expressions move mocap bodies, callbacks may do as they like.
static void keep_what_is_at_risk(dp_data *d)
{
    const dp_model_size *n = &d->model->size;
    d->snapshot[DP_SNAPSHOT_GIVEN].taken = false;
    if (d->options.accuracy > 0.0 || d->callbacks.control || d->callbacks.force ||
        d->options.sleep_speed > 0.0) {
        dp_snapshot_keep_given(d);
    } else if (n->nq > n->nv || n->nmocap > 0) {
        dp_snapshot_take(d, DP_SNAPSHOT_GIVEN);
    }
}

// The step, or the state as it was.
static dp_status step_or_stay(dp_data *d)
{
    DP_TRY(dp_data_check(d));
    DP_TRY(dp_integrator_prepare(d));
    *d->report = (dp_step_report){.outcome = DP_OUTCOME_CONVERGED};
    if (d->rows.possible) {
        d->rows.verdict->pending = false;
        dp_constrained_clear(d);
    }
    keep_what_is_at_risk(d);
    DP_TRY(dp_timed_look(d, d->time));
    dp_timed_put(d);
    dp_sleep_check_state(d);
    dp_data_refresh(d);
    const double h = d->options.step;
    const dp_status status = d->options.accuracy > 0.0 ? dp_advance_accurately(d, h)
                                                       : dp_advance(d, h, d->options.max_halvings);
    if (status != DP_OK) {
        dp_snapshot_restore(d, DP_SNAPSHOT_GIVEN);
        dp_data_refresh(d);
        dp_snapshot_restore(d, DP_SNAPSHOT_GIVEN); // even quaternions are as they were
    }
    return status;
}

dp_status dp_end_interrupted(dp_data *d, dp_status status, const char *undone)
{
    if (status == DP_OK || !dp_interrupt_is_raised()) {
        return status;
    }
    d->rows.task = NULL;
    return dp_fail(DP_ERROR_INTERRUPTED, "interrupted at t = %.10g s; %s", d->time, undone);
}

// May a step begin? @param name of the function that was called
static dp_status check_start(const dp_data *d, const char *name)
{
    if (d->callbacks.running || d->callbacks.row_running) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s was called by a callback of the step", name);
    }
    return DP_OK;
}

dp_status dp_step(dp_data *d)
{
    DP_TRY(check_start(d, "dp_step"));
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, d->callbacks.interrupt, d->callbacks.interrupt_user);
    dp_stage_begin(&d->stopwatch);
    dp_data_share(d);
    const dp_status status =
        dp_end_interrupted(d, step_or_stay(d), "the state is as it was before the step");
    dp_stage_end(&d->stopwatch);
    dp_interrupt_end(&scope);
    return status;
}

dp_status dp_step_sampled(dp_data *d, int count, double *q, double *v)
{
    const dp_model *m = d->model;
    DP_TRY(check_start(d, "dp_step_sampled")); // samples of a step on its way stay
    if (count < 1) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_step_sampled: %d samples (expected 1 or more)",
                       count);
    }
    if (!dp_has_tolerances(&d->options)) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_step_sampled needs the integrator rk45 or cvode: "
                                          "other methods know nothing between "
                                          "the ends of a step");
    }
    d->samples = (dp_samples){.count = count, .q = q, .v = v};
    const dp_status status = dp_step(d);
    d->samples = (dp_samples){.count = 0};
    DP_TRY(status);
    memcpy(q + (size_t)(count - 1) * (size_t)m->size.nq, d->q, (size_t)m->size.nq * sizeof *q);
    memcpy(v + (size_t)(count - 1) * (size_t)m->size.nv, d->v, (size_t)m->size.nv * sizeof *v);
    return DP_OK;
}
