#include "sim/step/step.h"

// For the time of a callback, the end of the step is the present.
static void swap_ends(dp_data *d, double **q, double **v)
{
    const dp_kin kin = d->kin;
    d->kin = d->kin_end;
    d->kin_end = kin;
    double *const q_now = d->q, *const v_now = d->v;
    d->q = *q;
    d->v = *v;
    *q = q_now;
    *v = v_now;
}

static dp_status evaluate_user(void *context, int index, bool end, dp_row *row, double *gradient)
{
    const dp_attempt *s = context;
    dp_data *d = s->d;
    const dp_user_row *own = &d->rows.user[index];
    if (!d->rows.user_active[index]) {
        return DP_OK; // no gradient: left out
    }
    const double time = d->time;
    double *q = s->q1, *v = s->v1;
    *row = (dp_row){.k = INFINITY, .lo = -INFINITY, .hi = INFINITY, .len = 1.0};
    if (end) {
        swap_ends(d, &q, &v);
        d->time = time + s->h;
    }
    d->callbacks.row_running = true;
    const dp_status status = own->callback(own->context, d, end, row, gradient);
    d->callbacks.row_running = false;
    if (end) {
        swap_ends(d, &q, &v);
        d->time = time;
    }
    if (status != DP_OK) {
        return dp_fail(DP_ERROR_CALLBACK, "the callback of row %d failed at t = %.17g s (%s)",
                       index, time, dp_status_name(status));
    }
    if (!isfinite(row->phi) || !isfinite(row->phi_t) || !isfinite(row->b_ref)) {
        return dp_fail(DP_ERROR_NUMERIC,
                       "the callback of row %d gave a gap of %g, a rate of %g and a reference of "
                       "%g at t = %.17g s (expected finite numbers)",
                       index, row->phi, row->phi_t, row->b_ref, time);
    }
    if (!(row->k >= 0.0) || !(row->b >= 0.0) || !(row->lo <= 0.0) || !(row->hi >= 0.0) ||
        !(row->len > 0.0)) {
        return dp_fail(
            DP_ERROR_ARGUMENT,
            "the callback of row %d gave k = %g, b = %g, range [%g, %g], len = %g at t = "
            "%.17g s (expected k, b ≥ 0, lo ≤ 0 ≤ hi, len > 0)",
            index, row->k, row->b, row->lo, row->hi, row->len, time);
    }
    for (int k = 0; !end && k < d->model->size.nv; ++k) {
        if (!isfinite(gradient[k])) {
            return dp_fail(DP_ERROR_NUMERIC,
                           "the callback of row %d gave the gradient %g for velocity %d (joint "
                           "'%s') at t = %.17g s",
                           index, gradient[k], k, d->model->joint[d->model->dof_joint[k]].name,
                           time);
        }
    }
    row->lo *= s->h;
    row->hi *= s->h;
    return DP_OK;
}

dp_user_rows dp_row_callbacks(dp_attempt *s)
{
    return (dp_user_rows){.count = s->d->rows.most.nuser, .context = s, .evaluate = evaluate_user};
}
