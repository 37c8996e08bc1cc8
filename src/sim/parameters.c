// Parameters of one simulation (dashpot/parameters.h): the model in force becomes a variant of the
// shared one, and what was derived from the model before is derived anew.
#include "sim/data.h"

#include "sim/step/step.h"

#include <dashpot/parameters.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the model in force

// Let the variant be the model in force, or the shared one where they are equal.
static dp_status adopt(dp_data *d)
{
    d->model = dp_variant_differs(d->variant) ? &d->variant->model : d->shared;
    if (!dp_rows_have_room(&d->rows.rows, d->model, d->rows.most) ||
        d->rows.possible != dp_rows_possible(d->model, d->rows.most)) {
        DP_TRY(dp_constrained_create(d, d->rows.most));
    }
    if (d->model->size.ntendon > 0) {
        dp_tendon_inertia_init(&d->tendon_inertia, d->model);
        dp_data_measure_tendons(d);
    }
    dp_rows_forget_laws(&d->rows.rows);
    d->rows.inertia.known = false;
    d->key.fixed = d->key.moving = false;
    dp_sleep_wake_all(d);
    return DP_OK;
}

// Make the model of the values that are given. Where that is none, or there is no memory for it, of
// those before.
static dp_status apply(dp_data *d)
{
    dp_variant *v = d->variant;
    dp_constrained_certify(d); // the last step was that of the model before
    dp_status status = dp_variant_apply(v);
    const bool valid = status == DP_OK;
    status = valid ? adopt(d) : status;
    if (status != DP_OK) {
        const size_t n = (size_t)v->shared->nparameter;
        memcpy(v->value, v->value_before, n * sizeof *v->value);
        memcpy(v->given, v->given_before, n * sizeof *v->given);
        dp_status again = dp_variant_apply(v);
        again = valid && again == DP_OK ? adopt(d) : again; // there is room for it
        DP_ASSERT(again == DP_OK);
        (void)again;
    }
    dp_data_refresh(d);
    return status;
}

static dp_status need_variant(dp_data *d)
{
    return d->variant ? DP_OK : dp_variant_create(&d->variant, d->shared, &d->allocator);
}

static void keep_values(dp_variant *v)
{
    const size_t n = (size_t)v->shared->nparameter;
    memcpy(v->value_before, v->value, n * sizeof *v->value);
    memcpy(v->given_before, v->given, n * sizeof *v->given);
}

// ---- values

static bool exists(const dp_data *d, dp_parameter_id parameter)
{
    return parameter.index >= 0 && parameter.index < d->shared->nparameter;
}

// Where in the options a parameter of theirs is.
static double *option_at(dp_data *d, dp_parameter p)
{
    return (void *)((char *)&d->options + dp_parameter_quantity(p)->offset);
}

double dp_data_parameter(const dp_data *d, dp_parameter_id parameter)
{
    if (!exists(d, parameter)) {
        return 0.0;
    }
    const dp_parameter p = d->shared->parameter[parameter.index];
    if (p.kind == DP_PARAMETER_OF_OPTIONS) {
        double value;
        memcpy(&value, (const char *)&d->options + dp_parameter_quantity(p)->offset, sizeof value);
        return value;
    }
    return d->variant && d->variant->given[parameter.index] ? d->variant->value[parameter.index]
                                                            : dp_parameter_value(d->model, p);
}

static dp_status check_bounds(const dp_data *d, dp_parameter_id parameter, double value)
{
    if (!exists(d, parameter)) {
        return dp_fail(DP_ERROR_ARGUMENT, "parameter %d does not exist (expected 0 to %d)",
                       parameter.index, d->shared->nparameter - 1);
    }
    const dp_quantity *q = dp_parameter_quantity(d->shared->parameter[parameter.index]);
    const bool above = q->lower_open ? value > q->lower : value >= q->lower;
    const bool rigid = q->effect == DP_EFFECT_RIGIDITY && value == (double)INFINITY;
    if (above && value <= q->upper && (isfinite(value) || rigid)) {
        return DP_OK;
    }
    const dp_parameter_info info = dp_model_parameter(d->shared, parameter);
    const bool pure = strcmp(info.unit, "1") == 0;
    char expected[32] = "finite number";
    if (isfinite(q->upper)) {
        snprintf(expected, sizeof expected, "number ≤ %g", q->upper);
    } else if (isfinite(q->lower)) {
        snprintf(expected, sizeof expected, "finite number %s %g", q->lower_open ? ">" : "≥",
                 q->lower);
    }
    return dp_fail(DP_ERROR_ARGUMENT, "parameter %s is %g%s%s (expected a %s)", info.name, value,
                   pure ? "" : " ", pure ? "" : info.unit, expected);
}

static dp_status refuse_in_callback(const dp_data *d)
{
    return d->callbacks.running || d->callbacks.row_running
               ? dp_fail(DP_ERROR_ARGUMENT, "a parameter was set by a callback of the step")
               : DP_OK;
}

dp_status dp_data_set_parameters(dp_data *d, int count, const dp_parameter_id *parameter,
                                 const double *value)
{
    DP_TRY(refuse_in_callback(d));
    bool of_model = false;
    for (int i = 0; i < count; ++i) {
        DP_TRY(check_bounds(d, parameter[i], value[i]));
        of_model |= d->shared->parameter[parameter[i].index].kind != DP_PARAMETER_OF_OPTIONS;
    }
    if (of_model) {
        DP_TRY(need_variant(d));
        keep_values(d->variant);
        for (int i = 0; i < count; ++i) { // those of options have no effect there
            d->variant->value[parameter[i].index] = value[i];
            d->variant->given[parameter[i].index] = 1;
        }
        DP_TRY(apply(d));
    }
    for (int i = 0; i < count; ++i) {
        const dp_parameter p = d->shared->parameter[parameter[i].index];
        if (p.kind == DP_PARAMETER_OF_OPTIONS) {
            *option_at(d, p) = value[i];
        }
    }
    return DP_OK;
}

dp_status dp_data_set_parameter(dp_data *d, dp_parameter_id parameter, double value)
{
    return dp_data_set_parameters(d, 1, &parameter, &value);
}

dp_status dp_data_reset_parameters(dp_data *d)
{
    DP_TRY(refuse_in_callback(d));
    if (d->variant) {
        keep_values(d->variant);
        memset(d->variant->given, 0, (size_t)d->shared->nparameter);
        DP_TRY(apply(d));
    }
    d->options.gravity = d->shared->options.gravity;
    return DP_OK;
}

dp_status dp_parameters_copy(dp_data *to, const dp_data *from)
{
    const bool any = from->variant && dp_variant_differs(from->variant);
    if (!any && !(to->variant && dp_variant_differs(to->variant))) {
        return DP_OK;
    }
    DP_TRY(need_variant(to));
    dp_variant *v = to->variant;
    const size_t n = (size_t)v->shared->nparameter;
    keep_values(v);
    if (any) {
        memcpy(v->value, from->variant->value, n * sizeof *v->value);
        memcpy(v->given, from->variant->given, n * sizeof *v->given);
    } else {
        memset(v->given, 0, n * sizeof *v->given);
    }
    const bool same = memcmp(v->given, v->given_before, n * sizeof *v->given) == 0 &&
                      memcmp(v->value, v->value_before, n * sizeof *v->value) == 0;
    return same ? DP_OK : apply(to);
}
