// What can be asked about the rows of the last step, and the switches of those that have one.
#include "base/span.h"
#include "sim/query/query.h"

void dp_data_set_row_active(dp_data *d, int row, bool active)
{
    if (row >= 0 && row < d->rows.most.nuser) {
        d->rows.user_active[row] = active;
    }
}

bool dp_data_equality_active(const dp_data *d, dp_equality_id equality)
{
    const int i = equality.index;
    return i >= 0 && i < d->model->size.nequality && d->rows.equality_active[i];
}

void dp_data_set_equality_active(dp_data *d, dp_equality_id equality, bool active)
{
    const int i = equality.index;
    if (i >= 0 && i < d->model->size.nequality) {
        d->rows.equality_active[i] = active;
    }
}

const char *dp_row_source_name(dp_row_source source)
{
    static const char *const name[DP_ROW_SOURCES] = {
        "equality",       "joint limit",     "tendon limit", "tendon spring",
        "joint friction", "tendon friction", "drive",        "user row",
        "motion",         "foundation",      "contact",
    };
    return (unsigned)source < DP_ROW_SOURCES ? name[source] : "";
}

int dp_data_row_count(const dp_data *d)
{
    return d->rows.problem.nrow;
}

// The last block whose id is not above `id`; −1: none.
static int block_of_id(const dp_step_problem *p, uint64_t id)
{
    int low = -1, high = p->nblock - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (p->id[middle] <= id) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

int dp_data_find_row(const dp_data *d, dp_row_source source, int element, int component)
{
    const dp_step_problem *p = &d->rows.problem;
    if (p->nrow == 0 || (unsigned)source >= DP_ROW_SOURCES || element < 0 || component < 0) {
        return -1;
    }
    const int feature = component < UINT8_MAX ? component : UINT8_MAX;
    const int block = block_of_id(p, dp_row_id(source, element, feature));
    if (block < 0) {
        return -1;
    }
    const dp_row_owner *owner = &d->rows.rows.owner[block];
    const int row = p->row_start[block] + component - owner->feature;
    return (dp_row_source)owner->source == source && owner->element == element &&
                   row < p->row_start[block + 1]
               ? row
               : -1;
}

dp_row_info dp_row_of_block(const dp_data *d, int block, int row)
{
    const dp_constrained *c = &d->rows;
    const dp_step_problem *p = &c->problem;
    const dp_row_owner *owner = &c->rows.owner[block];
    const double phi_t = p->row[row].phi_t;
    const double way = phi_t + dp_row_speed(p, block, row, dp_moving_velocities(c));
    return (dp_row_info){.source = owner->source,
                         .element = owner->element,
                         .component = owner->feature + row - p->row_start[block],
                         .start_gap = c->gaps.start[row],
                         .start_rate = phi_t + dp_row_speed(p, block, row, p->v0),
                         .gap = p->row[row].phi + dp_gap_left_open(c, row) + p->h * way,
                         .rate = phi_t + dp_row_speed(p, block, row, dp_end_velocities(c)),
                         .force = c->lambda[row],
                         .state = c->solution.state[row]};
}

dp_row_info dp_data_row(const dp_data *d, int row)
{
    const dp_step_problem *p = &d->rows.problem;
    if (row < 0 || row >= p->nrow) {
        return (dp_row_info){.element = -1};
    }
    return dp_row_of_block(d, dp_span_of(p->row_start, p->nblock, row), row);
}

static bool has_tendon(const dp_data *d, dp_tendon_id tendon)
{
    return tendon.index >= 0 && tendon.index < d->model->size.ntendon;
}

double dp_tendon_length(const dp_data *d, dp_tendon_id tendon)
{
    return has_tendon(d, tendon) ? d->tendon.length[tendon.index] : 0.0;
}

double dp_tendon_velocity(const dp_data *d, dp_tendon_id tendon)
{
    return has_tendon(d, tendon) ? dp_tendon_rate(&d->tendon, tendon.index, d->v) : 0.0;
}

double dp_tendon_tension(const dp_data *d, dp_tendon_id tendon)
{
    if (!has_tendon(d, tendon)) {
        return 0.0;
    }
    const dp_model *m = d->model;
    double tension = dp_constrained_tension(d, tendon.index);
    for (int u = 0; u < m->size.nu; ++u) {
        if (m->actuator[u].tendon == tendon.index) {
            tension -= m->actuator[u].gear[0] * d->forces.actuator[u];
        }
    }
    return tension;
}

const dp_step_report *dp_data_report(const dp_data *d)
{
    dp_constrained_certify(d);
    return d->report;
}

const dp_step_problem *dp_data_problem(const dp_data *d)
{
    const dp_constrained *c = &d->rows;
    if (!c->problem.links) {
        return &c->problem;
    }
    if (!c->verdict->unfolded) {
        dp_rows_unfold(&c->verdict->whole, &c->problem, &c->rows);
        c->verdict->unfolded = true;
    }
    return &c->verdict->whole;
}

const dp_warm *dp_data_warm(const dp_data *d)
{
    return &d->rows.warm;
}

const dp_step_solution *dp_data_solution(const dp_data *d)
{
    return &d->rows.solution;
}
