// How far a point (x, u) is from the law, and what its rows do there.
#include "problem/laws/polygon.h"
#include "solve/contact/cone_map.h"
#include "solve/contact/coulomb.h"
#include "solve/contact/three_row.h"

#include <math.h>

// ---- residuals

// As dp_contact_residual, with the laws of normal and friction themselves.
static double judge_exact(const dp_coulomb *c, int b, const double *x, const double *u)
{
    const dp_coulomb_block *block = &c->block[b];
    const int first = c->p->row_start[b], nrow = c->p->row_start[b + 1] - first;
    dp_soft soft[DP_CONTACT_ROWS];
    double a[DP_CONTACT_ROWS];
    for (int i = 0; i < nrow; ++i) {
        soft[i] = c->soft[first + i];
        a[i] = c->a[first + i];
    }
    if (block->normal) {
        soft[0] = dp_normal_exact(block->normal, &c->p->row[first], c->p->h, x[first]);
        a[0] = c->w[first] > 0.0 ? c->w[first] : 1.0;
    }
    if (c->law.frozen) {
        soft[0] = (dp_soft){0.0, u[first], (double)INFINITY};
    }
    if (c->law.slip_speed > 0.0) {
        dp_coulomb_regularise(soft, c, b, x[first]);
    }
    return dp_contact_residual(soft, block->group, block->ngroup, a, c->gauge + first, x + first,
                               u + first);
}

// The worse of both, or what is no number. @param worst so far
static inline double worse(double worst, double r)
{
    return isnan(worst) || r <= worst ? worst : r;
}

// As dp_contact_residual. @param worst so far, a number. @return the worse of both
static inline double judge_three_row(double worst, const dp_three_row *at, const double *a,
                                     const double *gauge, const double *x)
{
    const double normal = (at->y[0] < 0.0 ? a[0] * fabs(x[0]) : fabs(at->way[0])) * gauge[0];
    double square = at->way[1] * at->way[1] + at->way[2] * at->way[2];
    if (!at->within) {
        const double shrink = at->radius / sqrt(at->square);
        const double off[2] = {x[1] - shrink * at->y[1], x[2] - shrink * at->y[2]};
        square = a[1] * a[1] * (off[0] * off[0] + off[1] * off[1]);
    }
    square *= gauge[1] * gauge[1];
    if (normal <= worst && square <= worst * worst) {
        return worst;
    }
    const double friction = sqrt(square);
    return normal > friction || isnan(normal) ? normal : friction;
}

static double judge_any(double worst, const dp_coulomb *c, int b, const double *x, const double *u)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const int first = p->row_start[b];
    if (block->ngroup > 0) {
        return worse(worst, block->normal || c->law.slip_speed > 0.0 ? judge_exact(c, b, x, u)
                            : c->law.cone || c->law.bound
                                ? dp_cone_judge(c, b, x, u)
                                : dp_contact_residual_polygon(
                                      c->soft + first, block->group, block->ngroup, c->law.corners,
                                      c->a + first, c->gauge + first, x + first, u + first));
    }
    for (int r = first; r < p->row_start[b + 1]; ++r) {
        worst = worse(
            worst, dp_soft_residual(c->soft[r], p->row[r].lo, p->row[r].hi, c->a[r], x[r], u[r]) *
                       c->gauge[r]);
    }
    return worst;
}

// ---- states

static inline void set_three_row(uint8_t state[3], const dp_three_row *at, const double *x)
{
    const bool pushes = x[0] > 0.0, sticks = at->radius > 0.0 && at->within;
    state[0] = pushes ? DP_ROW_STATE_ACTIVE : DP_ROW_STATE_OPEN;
    state[1] = state[2] = !pushes  ? DP_ROW_STATE_OPEN
                          : sticks ? DP_ROW_STATE_STICK
                                   : DP_ROW_STATE_SLIP;
}

bool dp_coulomb_sticks(const dp_coulomb *c, const dp_friction_group *group, const double *y,
                       double radius)
{
    const double across = group->count == 2 ? y[1] : 0.0;
    return group->count == 2 && c->law.corners > 0
               ? dp_polygon_nearest(y, radius, c->law.corners).within
               : !(sqrt(y[0] * y[0] + across * across) > radius);
}

static void set_any(uint8_t *state, const dp_coulomb *c, int b, const double *x, const double *u)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const int first = p->row_start[b];
    for (int r = first; r < p->row_start[b + 1]; ++r) {
        const dp_row *row = &p->row[r];
        const bool one_sided = dp_row_is_one_sided(row);
        state[r] = x[r] <= row->lo   ? (one_sided ? DP_ROW_STATE_OPEN : DP_ROW_STATE_AT_LO)
                   : x[r] >= row->hi ? DP_ROW_STATE_AT_HI
                                     : DP_ROW_STATE_ACTIVE;
    }
    for (int g = 0; g < block->ngroup; ++g) {
        const dp_friction_group *group = &block->group[g];
        const int r0 = first + group->first;
        double y[2] = {0.0, 0.0};
        for (int k = 0; k < group->count; ++k) {
            y[k] = x[r0 + k] - dp_soft_slack(c->soft[r0 + k], x[r0 + k], u[r0 + k]) / c->a[r0];
        }
        const double radius = c->law.bound ? c->law.bound[r0] : group->reach * x[first];
        const bool slips = !(radius > 0.0) || !dp_coulomb_sticks(c, group, y, radius);
        for (int k = 0; k < group->count; ++k) {
            state[r0 + k] = !(x[first] > 0.0) ? DP_ROW_STATE_OPEN
                            : slips           ? DP_ROW_STATE_SLIP
                                              : DP_ROW_STATE_STICK;
        }
    }
}

void dp_coulomb_states(uint8_t *state, const dp_coulomb *c, const double *x, const double *u,
                       bool but_runs)
{
    const dp_step_problem *p = c->p;
    for (int b = 0, next; b < p->nblock; b = next) {
        const dp_coulomb_block *block = &c->block[b];
        const int first = p->row_start[b];
        next = b + (but_runs && block->batch > 0 ? block->batch : 1);
        if (block->three_row && !(but_runs && block->batch > 0)) {
            const dp_three_row at =
                dp_three_row_judge(c, first, block->group[0].reach, x + first, u + first);
            set_three_row(state + first, &at, x + first);
        } else if (block->ngroup > 0 && c->law.cone) {
            dp_cone_states(state, c, b, x, u);
        } else if (!block->three_row) {
            set_any(state, c, b, x, u);
        }
    }
}

// ---- both

// Contacts in a row. @param state NULL: not asked for
static inline double judge_batch(double worst, const dp_coulomb *c, int b, int n, const double *x,
                                 const double *u, uint8_t *state)
{
    const double reach = c->block[b].group[0].reach;
    int first = c->p->row_start[b];
    for (int i = 0; i < n; ++i, first += 3) {
        const dp_three_row at = dp_three_row_judge(c, first, reach, x + first, u + first);
        if (state) {
            set_three_row(state + first, &at, x + first);
        }
        if (!(c->soft[first].R < (double)INFINITY)) {
            worst = judge_any(worst, c, b + i, x, u);
        } else if (!isnan(worst)) {
            worst = judge_three_row(worst, &at, c->a + first, c->gauge + first, x + first);
        }
    }
    return worst;
}

static inline double judge_all(const dp_coulomb *c, const double *x, const double *u,
                               uint8_t *state)
{
    double worst = 0.0;
    for (int b = 0, next; b < c->p->nblock; b = next) {
        const dp_coulomb_block *block = &c->block[b];
        const bool regularised = c->law.slip_speed > 0.0;
        next = b + (block->batch > 0 && !regularised ? block->batch : 1);
        if (block->three_row && !regularised) {
            worst = judge_batch(worst, c, b, next - b, x, u, block->batch > 0 ? state : NULL);
        } else {
            worst = judge_any(worst, c, b, x, u);
        }
    }
    return worst;
}

double dp_coulomb_residual(const dp_coulomb *c, const double *x, const double *u)
{
    return judge_all(c, x, u, NULL);
}

double dp_coulomb_residual_of_guess(uint8_t *state, const dp_coulomb *c, const double *x,
                                    const double *u)
{
    return judge_all(c, x, u, state);
}
