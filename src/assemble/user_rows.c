// The user's own rows, asked for by callback and checked: what comes from outside may be anything.
#include "assemble/row_sources.h"

#include <math.h>
#include <string.h>

static dp_row blank_row(void)
{
    return (dp_row){.lo = -INFINITY, .hi = INFINITY, .len = 1.0};
}

// What is wrong with a row; NULL: nothing.
static const char *fault_of(const dp_row *row)
{
    if (!isfinite(row->phi) || !isfinite(row->phi_t) || !isfinite(row->b_ref)) {
        return "a gap or rate that is not finite (expected numbers)";
    }
    if (!(row->k >= 0.0 && row->b >= 0.0)) {
        return "a negative stiffness or damping (expected k ≥ 0 and b ≥ 0)";
    }
    if (!(row->lo <= 0.0 && row->hi >= 0.0)) {
        return "a range of impulses without 0 (expected lo ≤ 0 ≤ hi)";
    }
    return row->len > 0.0 && isfinite(row->len) ? NULL : "a bad len (expected > 0)";
}

static dp_status fail(int index, const char *what)
{
    return dp_fail(DP_ERROR_ARGUMENT, "row %d of the user has %s", index, what);
}

// Close the open block over the degrees of freedom where the user's gradient is not zero.
static dp_status close_row(dp_rows *rows, int index, const dp_row *row)
{
    for (int k = 0; k < rows->nv; ++k) {
        if (!isfinite(rows->gradient[k])) {
            return fail(index, "a gradient that is not finite (expected numbers)");
        }
    }
    for (int k = 0; k < rows->nv; ++k) {
        if (rows->gradient[k] != 0.0) {
            dp_block_add(rows, 0, k, 0.0);
        }
    }
    dp_row *out = dp_block_close(
        rows,
        (dp_row_owner){.source = DP_ROW_SOURCE_USER, .nonlinear = row->k > 0.0, .element = index});
    if (out) {
        *out = *row;
    }
    return DP_OK;
}

dp_status dp_user_make(dp_rows *rows, const dp_rows_input *in)
{
    const size_t bytes = (size_t)rows->nv * sizeof *rows->gradient;
    for (int i = 0; in->user && i < in->user->count; ++i) {
        dp_row row = blank_row();
        dp_block_open(rows, 1);
        dp_status status = in->user->evaluate(in->user->context, i, false, &row, rows->gradient);
        const char *fault = status == DP_OK ? fault_of(&row) : NULL;
        if (fault) {
            status = fail(i, fault);
        }
        const bool there = row.k > 0.0 || row.b > 0.0;
        if (status == DP_OK && there) {
            status = close_row(rows, i, &row);
        }
        memset(rows->gradient, 0, bytes); // whatever was written
        DP_TRY(status);
    }
    return DP_OK;
}

dp_status dp_user_gap(double *phi, dp_rows *rows, const dp_rows_input *in, int index)
{
    dp_row row = blank_row();
    const dp_status status =
        in->user->evaluate(in->user->context, index, true, &row, rows->gradient);
    memset(rows->gradient, 0, (size_t)rows->nv * sizeof *rows->gradient);
    DP_TRY(status);
    if (!isfinite(row.phi)) {
        return fail(index, "a gap that is not finite at the end of the step (expected a number)");
    }
    *phi = row.phi;
    return DP_OK;
}
