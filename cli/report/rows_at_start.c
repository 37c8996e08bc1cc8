#include "report/rows_at_start.h"

#include <dashpot/advanced/law.h>
#include <dashpot/advanced/step.h>

#include <math.h>
#include <stdlib.h>

cli_gap cli_equality_gap(const dp_model *m, const dp_data *d, dp_equality_id equality)
{
    const dp_equality_info e = dp_model_equality(m, equality);
    cli_gap worst = {.there = false};
    int row;
    for (int i = 0; (row = dp_data_find_row(d, DP_ROW_SOURCE_EQUALITY, equality.index, i)) >= 0;
         ++i) {
        const dp_row_info info = dp_data_row(d, row);
        const double arm = e.kind == DP_EQUALITY_WELD && i >= 3 ? e.torque_scale : 1.0;
        worst.there = true;
        if (fabs(arm * info.start_gap) > fabs(worst.gap)) {
            worst.gap = arm * info.start_gap;
        }
        if (fabs(arm * info.start_rate) > fabs(worst.rate)) {
            worst.rate = arm * info.start_rate;
        }
    }
    return worst;
}

bool cli_solve_at_start(dp_solve_info *out, const dp_law_options *law, const dp_data *d)
{
    const dp_step_problem *p = dp_data_problem(d);
    if (p->nrow == 0) {
        return false;
    }
    double *numbers = calloc((size_t)p->nv + (size_t)p->nrow, sizeof *numbers);
    uint8_t *state = calloc((size_t)p->nrow, sizeof *state);
    bool fine = numbers && state;
    if (fine) {
        dp_step_solution solution = {numbers, numbers + p->nv, state};
        fine = dp_law_solve(&solution, p, NULL, law, NULL, out) == DP_OK;
    }
    free(numbers);
    free(state);
    return fine;
}
