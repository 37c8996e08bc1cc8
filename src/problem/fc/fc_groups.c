// Velocities of the global form in groups: the mass of each, and what contacts meet.
#include "problem/fc/fc_parts.h"

#include "base/union_find.h"
#include "problem/sparse.h"

#include <string.h>

// Bodies up to this many velocities are one group; larger ones are cut.
enum { BODY = 12, CUT = 3 };

static dp_status name_groups(dp_fc_reduced *w)
{
    const dp_sparse *M = &w->p->M;
    dp_fc_groups *g = &w->groups;
    const size_t nv = (size_t)w->nv;
    int *parent, *members, *open, *filled;
    DP_TRY(dp_pool_take(&parent, &w->pool, nv, sizeof(int)));
    DP_TRY(dp_pool_take(&members, &w->pool, nv, sizeof(int)));
    DP_TRY(dp_pool_take(&open, &w->pool, nv, sizeof(int)));
    DP_TRY(dp_pool_take(&filled, &w->pool, nv, sizeof(int)));
    for (int i = 0; i < w->nv; ++i) {
        parent[i] = i;
    }
    for (int j = 0; j < w->nv; ++j) {
        for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
            dp_union_join(parent, j, M->row[k]);
        }
    }
    for (int i = 0; i < w->nv; ++i) {
        members[dp_union_lowest(parent, i)] += 1;
        open[i] = -1;
    }
    DP_TRY(dp_pool_take(&g->of_place, &w->pool, nv, sizeof(int)));
    DP_TRY(dp_pool_take(&g->place, &w->pool, nv, sizeof(int)));
    DP_TRY(dp_pool_take(&g->size, &w->pool, nv, sizeof(int)));
    DP_TRY(dp_pool_take(&g->alone, &w->pool, nv, sizeof *g->alone));
    int *group = g->of_place; // by velocity, for now
    for (int i = 0; i < w->nv; ++i) {
        const int root = dp_union_lowest(parent, i);
        const bool whole = members[root] <= BODY;
        if (open[root] < 0 || (!whole && filled[root] == CUT)) {
            open[root] = g->n++;
            filled[root] = 0;
            g->alone[open[root]] = whole;
        }
        group[i] = open[root];
        g->size[group[i]] += 1;
        filled[root] += 1;
    }
    DP_TRY(dp_pool_take(&g->start, &w->pool, (size_t)g->n + 1, sizeof(int)));
    for (int i = 0; i < g->n; ++i) {
        g->start[i + 1] = g->start[i] + g->size[i];
        open[i] = g->start[i];
    }
    for (int i = 0; i < w->nv; ++i) {
        g->place[i] = open[group[i]]++;
    }
    for (int i = 0; i < g->n; ++i) {
        for (int k = g->start[i]; k < g->start[i + 1]; ++k) {
            g->of_place[k] = i;
        }
    }
    return DP_OK;
}

// Which groups M couples: the places of a matrix over groups, above its diagonal.
static dp_status list_pairs(dp_fc_reduced *w)
{
    const dp_sparse *M = &w->p->M;
    dp_fc_groups *g = &w->groups;
    const size_t most = w->nv > 0 ? (size_t)M->start[w->nv] : 0;
    dp_triplets t = {.rows = g->n, .columns = g->n};
    DP_TRY(dp_pool_take(&t.row, &w->pool, most, sizeof *t.row));
    DP_TRY(dp_pool_take(&t.column, &w->pool, most, sizeof *t.column));
    DP_TRY(dp_pool_take(&t.value, &w->pool, most, sizeof *t.value));
    for (int j = 0; j < w->nv; ++j) {
        const int b = g->of_place[g->place[j]];
        for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
            const int a = g->of_place[g->place[M->row[k]]];
            if (a != b) {
                t.row[t.count] = a < b ? a : b;
                t.column[t.count++] = a < b ? b : a;
            }
        }
    }
    dp_sparse coupled;
    DP_TRY(dp_sparse_build(&coupled, &w->pool, &t));
    g->npair = g->n > 0 ? coupled.start[g->n] : 0;
    DP_TRY(dp_pool_take(&g->pair, &w->pool, 2 * (size_t)g->npair, sizeof(int)));
    DP_TRY(dp_pool_take(&g->pair_start, &w->pool, (size_t)g->npair + 1, sizeof(int)));
    for (int j = 0; j < g->n; ++j) {
        for (int k = coupled.start[j]; k < coupled.start[j + 1]; ++k) {
            g->pair[2 * k] = coupled.row[k];
            g->pair[2 * k + 1] = j;
            g->pair_start[k + 1] = 2 * (k + 1);
        }
    }
    return DP_OK;
}

// A⁻¹ in place, n × n by rows, n ≤ BODY.
static bool invert(double *A, int n)
{
    double LU[BODY * BODY], value[BODY], unit[BODY];
    int row[BODY], column[BODY];
    dp_dense f = {.n = n, .LU = LU, .row = row, .column = column, .value = value};
    memcpy(LU, A, (size_t)(n * n) * sizeof *A);
    dp_dense_factor(&f, n, 0.0);
    if (f.rank < n) {
        return false;
    }
    dp_dense_inverse(A, &f, unit);
    return true;
}

static dp_status factor_mass(dp_fc_reduced *w, const dp_allocator *a)
{
    const dp_sparse *M = &w->p->M;
    dp_fc_groups *g = &w->groups;
    DP_TRY(dp_fc_matrix_begin(&g->mass, g->n, g->size, g->npair, g->pair_start, g->pair, a));
    dp_block_clear(&g->mass.A, false);
    size_t cells = 0;
    DP_TRY(dp_pool_take(&g->inverse_at, &w->pool, (size_t)g->n, sizeof *g->inverse_at));
    for (int i = 0; i < g->n; ++i) {
        g->inverse_at[i] = cells;
        cells += g->alone[i] ? (size_t)g->size[i] * (size_t)g->size[i] : 0;
    }
    DP_TRY(dp_pool_take(&g->inverse, &w->pool, cells, sizeof *g->inverse));
    for (int j = 0; j < w->nv; ++j) {
        const int column = g->place[j], b = g->of_place[column], c = column - g->start[b];
        for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
            const int row = g->place[M->row[k]], i = g->of_place[row], r = row - g->start[i];
            *dp_fc_matrix_element(&g->mass, i, b, r, c) += M->value[k];
            if (g->alone[b]) {
                g->inverse[g->inverse_at[b] + (size_t)(r * g->size[b] + c)] += M->value[k];
            }
        }
    }
    for (int i = 0; i < g->n; ++i) {
        if (g->alone[i] && !invert(g->inverse + g->inverse_at[i], g->size[i])) {
            return dp_fail(DP_ERROR_ARGUMENT, "M has no inverse (expected it positive definite)");
        }
    }
    if (!dp_block_factor(&g->mass.A)) {
        return dp_fail(DP_ERROR_ARGUMENT, "M has no inverse (expected it positive definite)");
    }
    return DP_OK;
}

// The columns of H, contact by contact, and which contacts meet a group.
static dp_status cut_rows(dp_fc_reduced *w)
{
    const dp_sparse *H = &w->p->H;
    const int dimension = w->p->dimension;
    dp_fc_groups *g = &w->groups;
    int *mark;
    DP_TRY(dp_pool_take(&mark, &w->pool, (size_t)g->n, sizeof(int)));
    DP_TRY(dp_pool_take(&g->part_start, &w->pool, (size_t)w->nc + 1, sizeof(int)));
    size_t most = w->nc > 0 ? (size_t)H->start[H->columns] : 0, cells = 0;
    DP_TRY(dp_pool_take(&g->part_group, &w->pool, most, sizeof(int)));
    DP_TRY(dp_pool_take(&g->part_at, &w->pool, most, sizeof *g->part_at));
    DP_TRY(dp_pool_take(&g->meet_start, &w->pool, (size_t)g->n + 1, sizeof(int)));
    int count = 0;
    for (int i = 0; i < w->nc; ++i) {
        for (int k = H->start[dimension * i]; k < H->start[dimension * (i + 1)]; ++k) {
            const int group = g->of_place[g->place[H->row[k]]];
            if (mark[group] != i + 1) {
                mark[group] = i + 1;
                g->meet_start[group + 1] += 1;
                int at = count++; // ascending: few
                for (; at > g->part_start[i] && g->part_group[at - 1] > group; --at) {
                    g->part_group[at] = g->part_group[at - 1];
                }
                g->part_group[at] = group;
            }
        }
        g->part_start[i + 1] = count;
        for (int k = g->part_start[i]; k < count; ++k) {
            g->part_at[k] = cells;
            cells += 3 * (size_t)g->size[g->part_group[k]];
        }
    }
    DP_TRY(dp_pool_take(&g->part, &w->pool, cells, sizeof *g->part));
    DP_TRY(dp_pool_take(&g->meet, &w->pool, (size_t)count, sizeof(int)));
    for (int i = 0; i < g->n; ++i) {
        g->meet_start[i + 1] += g->meet_start[i];
        mark[i] = g->meet_start[i];
    }
    for (int i = 0; i < w->nc; ++i) {
        for (int k = g->part_start[i]; k < g->part_start[i + 1]; ++k) {
            g->meet[mark[g->part_group[k]]++] = i;
        }
        for (int c = 0; c < dimension; ++c) {
            const int column = dimension * i + c;
            for (int k = H->start[column]; k < H->start[column + 1]; ++k) {
                const int place = g->place[H->row[k]], group = g->of_place[place];
                int part = g->part_start[i];
                while (g->part_group[part] != group) {
                    ++part;
                }
                g->part[g->part_at[part] + (size_t)(c * g->size[group] + place - g->start[group])] =
                    H->value[k];
            }
        }
    }
    return DP_OK;
}

dp_status dp_fc_groups_make(dp_fc_reduced *w, const dp_allocator *a)
{
    DP_TRY(name_groups(w));
    DP_TRY(list_pairs(w));
    DP_TRY(factor_mass(w, a));
    return cut_rows(w);
}
