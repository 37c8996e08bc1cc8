// W of a friction-contact problem in blocks of 3 × 3, column by column, and what of it rests on
// the diagonal.
#include "problem/fc/fc_parts.h"

#include "problem/sparse.h"

#include <string.h>

typedef struct cell {
    double value[9]; // by rows
} cell;

typedef struct columns {
    int *row;
    cell *block;
    size_t rows, blocks; // capacities
    size_t count;
    int *start; // nc + 1
    int *at;    // nc: where a row stands in the present column, −1: nowhere
    dp_allocator a;
} columns;

static dp_status block_of(cell **out, columns *c, int row)
{
    if (c->at[row] < 0) {
        DP_TRY(dp_grow(&c->row, &c->rows, c->count, sizeof *c->row, &c->a));
        DP_TRY(dp_grow(&c->block, &c->blocks, c->count, sizeof *c->block, &c->a));
        c->at[row] = (int)c->count;
        c->row[c->count] = row;
        c->block[c->count] = (cell){{0.0}};
        c->count += 1;
    }
    *out = &c->block[c->at[row]];
    return DP_OK;
}

static dp_status put(columns *c, int row, int k, int column, double value)
{
    cell *block;
    DP_TRY(block_of(&block, c, row));
    block->value[3 * k + column] += value;
    return DP_OK;
}

static dp_status local_column(columns *c, dp_fc_reduced *w, int i, int k)
{
    const dp_fc *p = w->p;
    const int dimension = p->dimension, column = dimension * i + k;
    for (int e = p->W.start[column]; e < p->W.start[column + 1]; ++e) {
        const int row = p->W.row[e];
        DP_TRY(put(c, row / dimension, row % dimension, k, p->W.value[e]));
    }
    if (p->nl == 0) {
        return DP_OK;
    }
    for (int l = 0; l < p->nl; ++l) {
        w->lambda[l] = 0.0;
        for (int e = p->V.start[l]; e < p->V.start[l + 1]; ++e) {
            w->lambda[l] += p->V.row[e] == column ? p->V.value[e] : 0.0;
        }
    }
    dp_fc_equations_solve(w, w->lambda);
    for (int l = 0; l < p->nl; ++l) {
        for (int e = p->V.start[l]; w->lambda[l] != 0.0 && e < p->V.start[l + 1]; ++e) {
            const int row = p->V.row[e];
            DP_TRY(put(c, row / dimension, row % dimension, k, p->V.value[e] * w->lambda[l]));
        }
    }
    return DP_OK;
}

// M⁻¹ of column k of contact i in w->motion. @return whether only its own groups move: the rest is
// then not set
static bool answer(dp_fc_reduced *w, int i, int k)
{
    const dp_fc_groups *g = &w->groups;
    bool alone = w->p->nl == 0;
    for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
        alone = alone && g->alone[g->part_group[e]];
    }
    if (!alone) {
        memset(w->force, 0, (size_t)w->nv * sizeof *w->force);
    }
    for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
        const int group = g->part_group[e], n = g->size[group];
        const double *part = g->part + g->part_at[e] + (ptrdiff_t)k * n;
        double *out = w->motion + g->start[group];
        if (!alone) {
            memcpy(w->force + g->start[group], part, (size_t)n * sizeof *part);
            continue;
        }
        const double *inverse = g->inverse + g->inverse_at[group];
        for (int r = 0; r < n; ++r) {
            out[r] = 0.0;
            for (int c = 0; c < n; ++c) {
                out[r] += inverse[r * n + c] * part[c];
            }
        }
    }
    if (!alone) {
        dp_fc_accelerate(w->motion, w, w->force);
        if (w->p->nl > 0) {
            dp_fc_equations_rates(w->lambda, w, w->motion);
            dp_fc_equations_solve(w, w->lambda);
            dp_fc_equations_push(w->force, w, w->lambda);
            dp_fc_accelerate(w->motion, w, w->force);
        }
    }
    return alone;
}

// What the motion of a group does to row c of part e.
static double rate_of(const dp_fc_reduced *w, int e, int c)
{
    const dp_fc_groups *g = &w->groups;
    const int group = g->part_group[e], n = g->size[group];
    const double *part = g->part + g->part_at[e] + (ptrdiff_t)c * n;
    double sum = 0.0;
    for (int r = 0; r < n; ++r) {
        sum += part[r] * w->motion[g->start[group] + r];
    }
    return sum;
}

static dp_status meet(columns *c, const dp_fc_reduced *w, int contact, int group, int k, bool all)
{
    const dp_fc_groups *g = &w->groups;
    for (int e = g->part_start[contact]; e < g->part_start[contact + 1]; ++e) {
        if (!all && g->part_group[e] != group) {
            continue;
        }
        for (int row = 0; row < w->p->dimension; ++row) {
            const double value = rate_of(w, e, row);
            if (!all || value != 0.0) {
                DP_TRY(put(c, contact, row, k, value));
            }
        }
    }
    return DP_OK;
}

static dp_status global_column(columns *c, dp_fc_reduced *w, int i, int k)
{
    const dp_fc_groups *g = &w->groups;
    if (!answer(w, i, k)) {
        for (int j = 0; j < w->nc; ++j) {
            DP_TRY(meet(c, w, j, -1, k, true));
        }
        return DP_OK;
    }
    for (int e = g->part_start[i]; e < g->part_start[i + 1]; ++e) {
        const int group = g->part_group[e];
        for (int m = g->meet_start[group]; m < g->meet_start[group + 1]; ++m) {
            DP_TRY(meet(c, w, g->meet[m], group, k, false));
        }
    }
    return DP_OK;
}

// The second tangent of a problem in the plane moves as easily as the others do on average.
static void embed(cell *own, int dimension)
{
    if (dimension == 2) {
        const double mean = 0.5 * (own->value[0] + own->value[4]);
        own->value[8] = mean > 0.0 ? mean : 1.0;
    }
}

static dp_status list_columns(columns *c, dp_fc_reduced *w)
{
    for (int i = 0; i < w->nc; ++i) {
        c->at[i] = -1;
    }
    for (int i = 0; i < w->nc; ++i) {
        cell *own;
        DP_TRY(block_of(&own, c, i));
        for (int k = 0; k < w->p->dimension; ++k) {
            DP_TRY(w->p->form == DP_FC_FORM_LOCAL ? local_column(c, w, i, k)
                                                  : global_column(c, w, i, k));
        }
        DP_TRY(block_of(&own, c, i));
        embed(own, w->p->dimension);
        for (size_t e = (size_t)c->start[i]; e < c->count; ++e) {
            c->at[c->row[e]] = -1;
        }
        if (c->count > (size_t)INT32_MAX / 9) {
            return dp_fail(DP_ERROR_MEMORY, "W has too many blocks");
        }
        c->start[i + 1] = (int)c->count;
    }
    return DP_OK;
}

// From columns to rows.
static dp_status turn(dp_fc_reduced *w, const columns *c)
{
    DP_TRY(dp_pool_take(&w->start, &w->pool, (size_t)w->nc + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&w->column, &w->pool, c->count, sizeof(int)));
    DP_TRY(dp_pool_take(&w->block, &w->pool, 9 * c->count, sizeof(double)));
    for (size_t e = 0; e < c->count; ++e) {
        w->start[c->row[e] + 1] += 1;
    }
    for (int i = 0; i < w->nc; ++i) {
        w->start[i + 1] += w->start[i];
        c->at[i] = w->start[i];
    }
    for (int j = 0; j < w->nc; ++j) {
        for (int e = c->start[j]; e < c->start[j + 1]; ++e) {
            const int to = c->at[c->row[e]]++;
            w->column[to] = j;
            memcpy(w->block + 9 * (ptrdiff_t)to, c->block[e].value, sizeof c->block[e].value);
        }
    }
    return DP_OK;
}

dp_status dp_fc_reduced_form(dp_fc_reduced *w, const dp_allocator *a)
{
    columns c = {.a = *a};
    DP_TRY(dp_pool_take(&c.start, &w->pool, (size_t)w->nc + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&c.at, &w->pool, (size_t)w->nc, sizeof(int)));
    dp_status status = list_columns(&c, w);
    if (status == DP_OK) {
        status = turn(w, &c);
    }
    dp_release(a, c.row, c.rows, sizeof *c.row);
    dp_release(a, c.block, c.blocks, sizeof *c.block);
    w->formed = true;
    return status;
}

void dp_fc_measure_mobility(dp_fc_reduced *w)
{
    for (int i = 0; i < w->nc; ++i) {
        double trace = 0.0;
        if (w->formed) {
            for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
                const double *B = w->block + 9 * (ptrdiff_t)e;
                trace += w->column[e] == i ? B[0] + B[4] + B[8] : 0.0;
            }
            trace /= 3.0;
        } else {
            for (int k = 0; k < w->p->dimension; ++k) {
                (void)answer(w, i, k);
                for (int e = w->groups.part_start[i]; e < w->groups.part_start[i + 1]; ++e) {
                    trace += rate_of(w, e, k);
                }
            }
            trace /= (double)w->p->dimension;
        }
        w->d[i] = trace > 0.0 && isfinite(trace) ? trace : 1.0;
    }
}
