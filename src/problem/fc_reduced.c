#include "problem/fc_reduced.h"

#include "problem/sparse.h"

#include <string.h>

// ---- rows

void dp_fc_widen(double *out, const dp_fc *p, const double *x)
{
    for (int i = 0; i < p->nc; ++i) {
        for (int k = 0; k < 3; ++k) {
            out[3 * i + k] = k < p->dimension ? x[p->dimension * i + k] : 0.0;
        }
    }
}

void dp_fc_narrow(double *out, const dp_fc *p, const double *x)
{
    for (int i = 0; i < p->nc; ++i) {
        for (int k = 0; k < p->dimension; ++k) {
            out[p->dimension * i + k] = x[3 * i + k];
        }
    }
}

// ---- groups of velocities

// Bodies up to this many velocities are one group; larger ones are cut.
enum { BODY = 12, CUT = 3 };

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

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
            const int a = root_of(parent, j), b = root_of(parent, M->row[k]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int i = 0; i < w->nv; ++i) {
        members[root_of(parent, i)] += 1;
        open[i] = -1;
    }
    DP_TRY(dp_pool_take(&g->of_place, &w->pool, nv, sizeof(int)));
    DP_TRY(dp_pool_take(&g->place, &w->pool, nv, sizeof(int)));
    DP_TRY(dp_pool_take(&g->size, &w->pool, nv, sizeof(int)));
    DP_TRY(dp_pool_take(&g->alone, &w->pool, nv, sizeof *g->alone));
    int *group = g->of_place; // by velocity, for now
    for (int i = 0; i < w->nv; ++i) {
        const int root = root_of(parent, i);
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
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            unit[i] = i == j ? 1.0 : 0.0;
        }
        dp_dense_solve(unit, &f, unit);
        for (int i = 0; i < n; ++i) {
            A[i * n + j] = unit[i];
        }
    }
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
            const dp_block_view at = dp_block_at(&g->mass.A, i, b);
            at.value[at.by_columns ? (ptrdiff_t)c * at.stride + r : (ptrdiff_t)r * at.stride + c] +=
                M->value[k];
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

// ---- products

void dp_fc_push(double *force, const dp_fc_reduced *w, const double *r)
{
    const dp_fc_groups *g = &w->groups;
    memset(force, 0, (size_t)w->nv * sizeof *force);
    for (int i = 0; i < w->nc; ++i) {
        for (int k = g->part_start[i]; k < g->part_start[i + 1]; ++k) {
            const int group = g->part_group[k], n = g->size[group];
            const double *part = g->part + g->part_at[k];
            double *out = force + g->start[group];
            for (int c = 0; c < n; ++c) {
                out[c] += part[c] * r[3 * i] + part[n + c] * r[3 * i + 1] +
                          part[2 * n + c] * r[3 * i + 2];
            }
        }
    }
}

void dp_fc_accelerate(double *v, const dp_fc_reduced *w, const double *force)
{
    if (w->nv > 0) {
        dp_block_solve(v, &w->groups.mass.A, w->groups.start, force);
    }
}

void dp_fc_rates(double *u, const dp_fc_reduced *w, const double *v)
{
    const dp_fc_groups *g = &w->groups;
    for (int i = 0; i < w->nc; ++i) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = g->part_start[i]; k < g->part_start[i + 1]; ++k) {
            const int group = g->part_group[k], n = g->size[group];
            const double *part = g->part + g->part_at[k], *x = v + g->start[group];
            for (int c = 0; c < n; ++c) {
                sum[0] += part[c] * x[c];
                sum[1] += part[n + c] * x[c];
                sum[2] += part[2 * n + c] * x[c];
            }
        }
        for (int k = 0; k < 3; ++k) {
            u[3 * i + k] = sum[k];
        }
    }
}

void dp_fc_apply(double *u, const dp_fc_reduced *w, const double *r)
{
    if (!w->formed) {
        dp_fc_push(w->force, w, r);
        dp_fc_accelerate(w->motion, w, w->force);
        dp_fc_rates(u, w, w->motion);
        for (int i = 0; w->p->dimension == 2 && i < w->nc; ++i) {
            u[3 * i + 2] = w->d[i] * r[3 * i + 2];
        }
        return;
    }
    for (int i = 0; i < w->nc; ++i) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = w->start[i]; k < w->start[i + 1]; ++k) {
            const double *B = w->block + 9 * (ptrdiff_t)k, *x = r + 3 * (ptrdiff_t)w->column[k];
            sum[0] += B[0] * x[0] + B[1] * x[1] + B[2] * x[2];
            sum[1] += B[3] * x[0] + B[4] * x[1] + B[5] * x[2];
            sum[2] += B[6] * x[0] + B[7] * x[1] + B[8] * x[2];
        }
        for (int k = 0; k < 3; ++k) {
            u[3 * i + k] = sum[k];
        }
    }
}

// ---- equations

// t = Gᵀ v, and force += G λ, by place
static void rates_of_equations(double *t, const dp_fc_reduced *w, const double *v)
{
    const dp_sparse *G = &w->p->G;
    for (int l = 0; l < w->p->nl; ++l) {
        t[l] = 0.0;
        for (int k = G->start[l]; k < G->start[l + 1]; ++k) {
            t[l] += G->value[k] * v[w->groups.place[G->row[k]]];
        }
    }
}

static void push_equations(double *force, const dp_fc_reduced *w, const double *lambda)
{
    const dp_sparse *G = &w->p->G;
    for (int l = 0; l < w->p->nl; ++l) {
        for (int k = G->start[l]; k < G->start[l + 1]; ++k) {
            force[w->groups.place[G->row[k]]] += G->value[k] * lambda[l];
        }
    }
}

// λ ← −S⁺ λ, or −R⁻¹ λ
static void solve_equations(const dp_fc_reduced *w, double *lambda)
{
    const int nl = w->p->nl;
    if (w->p->form == DP_FC_LOCAL) {
        dp_dense_solve(lambda, &w->R, lambda);
    } else {
        for (int l = 0; l < nl; ++l) {
            lambda[l] *= w->S_scale[l];
        }
        dp_semidefinite_solve(lambda, &w->S, lambda);
        for (int l = 0; l < nl; ++l) {
            lambda[l] *= w->S_scale[l];
        }
    }
    for (int l = 0; l < nl; ++l) {
        lambda[l] = -lambda[l];
    }
}

// Pivots of equations of unit size below this are of those that follow from others.
static const double DEPENDENT = 1e-12;

static dp_status factor_local_equations(dp_fc_reduced *w)
{
    const size_t nl = (size_t)w->p->nl;
    const dp_sparse *R = &w->p->R;
    dp_dense *f = &w->R;
    *f = (dp_dense){.n = w->p->nl};
    DP_TRY(dp_pool_take(&f->LU, &w->pool, nl * nl, sizeof *f->LU));
    DP_TRY(dp_pool_take(&f->row, &w->pool, nl, sizeof *f->row));
    DP_TRY(dp_pool_take(&f->column, &w->pool, nl, sizeof *f->column));
    DP_TRY(dp_pool_take(&f->value, &w->pool, nl, sizeof *f->value));
    double most = 0.0;
    for (size_t j = 0; j < nl; ++j) {
        for (int k = R->start[j]; k < R->start[j + 1]; ++k) {
            f->LU[(size_t)R->row[k] * nl + j] = R->value[k];
            most = fmax(most, fabs(R->value[k]));
        }
    }
    dp_dense_factor(f, w->p->nl, DEPENDENT * most);
    return DP_OK;
}

static dp_status factor_equations(dp_fc_reduced *w)
{
    const int nl = w->p->nl;
    DP_TRY(dp_pool_take(&w->lambda, &w->pool, (size_t)nl, sizeof *w->lambda));
    if (w->p->form == DP_FC_LOCAL) {
        return factor_local_equations(w);
    }
    dp_semidefinite *S = &w->S;
    DP_TRY(dp_pool_take(&S->L, &w->pool, dp_triangle(nl), sizeof *S->L));
    DP_TRY(dp_pool_take(&S->order, &w->pool, (size_t)nl, sizeof *S->order));
    DP_TRY(dp_pool_take(&S->tau, &w->pool, (size_t)nl, sizeof *S->tau));
    DP_TRY(dp_pool_take(&S->work, &w->pool, (size_t)nl, sizeof *S->work));
    DP_TRY(dp_pool_take(&w->S_scale, &w->pool, (size_t)nl, sizeof *w->S_scale));
    const dp_sparse *G = &w->p->G;
    for (int l = 0; l < nl; ++l) {
        memset(w->force, 0, (size_t)w->nv * sizeof *w->force);
        for (int k = G->start[l]; k < G->start[l + 1]; ++k) {
            w->force[w->groups.place[G->row[k]]] = G->value[k];
        }
        dp_fc_accelerate(w->motion, w, w->force);
        rates_of_equations(w->lambda, w, w->motion);
        for (int i = l; i < nl; ++i) {
            S->L[dp_triangle(i) + (size_t)l] = w->lambda[i];
        }
    }
    for (int l = 0; l < nl; ++l) {
        const double own = S->L[dp_triangle(l) + (size_t)l];
        w->S_scale[l] = own > 0.0 ? 1.0 / sqrt(own) : 0.0;
    }
    for (int i = 0; i < nl; ++i) {
        for (int j = 0; j <= i; ++j) {
            S->L[dp_triangle(i) + (size_t)j] *= w->S_scale[i] * w->S_scale[j];
        }
    }
    dp_semidefinite_factor(S, nl, DEPENDENT);
    return DP_OK;
}

void dp_fc_follow(double *lambda, double *v, const dp_fc_reduced *w, const double *r)
{
    const dp_fc *p = w->p;
    if (p->form == DP_FC_LOCAL) {
        if (p->nl > 0 && lambda) {
            for (int l = 0; l < p->nl; ++l) {
                lambda[l] = p->s[l];
                for (int k = p->V.start[l]; k < p->V.start[l + 1]; ++k) {
                    const int row = p->V.row[k];
                    lambda[l] += p->V.value[k] * r[3 * (row / p->dimension) + row % p->dimension];
                }
            }
            solve_equations(w, lambda);
        }
        return;
    }
    dp_fc_push(w->force, w, r);
    dp_fc_accelerate(w->motion, w, w->force);
    for (int i = 0; i < w->nv; ++i) {
        w->motion[i] += w->v_free[i];
    }
    if (p->nl > 0) {
        rates_of_equations(w->lambda, w, w->motion);
        for (int l = 0; l < p->nl; ++l) {
            w->lambda[l] += p->b[l];
        }
        solve_equations(w, w->lambda);
        push_equations(w->force, w, w->lambda);
        dp_fc_accelerate(w->motion, w, w->force);
        for (int i = 0; i < w->nv; ++i) {
            w->motion[i] += w->v_free[i];
        }
        if (lambda) {
            memcpy(lambda, w->lambda, (size_t)p->nl * sizeof *lambda);
        }
    }
    for (int i = 0; v && i < w->nv; ++i) {
        v[i] = w->motion[w->groups.place[i]];
    }
}

// ---- W

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
    solve_equations(w, w->lambda);
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
            rates_of_equations(w->lambda, w, w->motion);
            solve_equations(w, w->lambda);
            push_equations(w->force, w, w->lambda);
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
            DP_TRY(w->p->form == DP_FC_LOCAL ? local_column(c, w, i, k)
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

// ---- all of it

static void measure_mobility(dp_fc_reduced *w)
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

static void free_velocities(dp_fc_reduced *w)
{
    const dp_fc *p = w->p;
    if (p->form == DP_FC_LOCAL) {
        dp_fc_widen(w->q, p, p->q);
        if (p->nl > 0) {
            memcpy(w->lambda, p->s, (size_t)p->nl * sizeof *w->lambda);
            solve_equations(w, w->lambda);
            for (int l = 0; l < p->nl; ++l) {
                for (int e = p->V.start[l]; e < p->V.start[l + 1]; ++e) {
                    const int row = p->V.row[e];
                    w->q[3 * (row / p->dimension) + row % p->dimension] +=
                        p->V.value[e] * w->lambda[l];
                }
            }
        }
        return;
    }
    for (int i = 0; i < w->nv; ++i) {
        w->force[w->groups.place[i]] = p->f[i];
    }
    dp_fc_accelerate(w->v_free, w, w->force);
    memcpy(w->motion, w->v_free, (size_t)w->nv * sizeof *w->motion);
    if (p->nl > 0) {
        rates_of_equations(w->lambda, w, w->motion);
        for (int l = 0; l < p->nl; ++l) {
            w->lambda[l] += p->b[l];
        }
        solve_equations(w, w->lambda);
        push_equations(w->force, w, w->lambda);
        dp_fc_accelerate(w->motion, w, w->force);
    }
    dp_fc_rates(w->q, w, w->motion);
    for (int i = 0; i < w->nc; ++i) {
        for (int k = 0; k < p->dimension; ++k) {
            w->q[3 * i + k] += p->w[p->dimension * i + k];
        }
    }
}

static void measure_q(dp_fc_reduced *w)
{
    double squares = 0.0, most = 0.0;
    for (int i = 0; i < w->nc; ++i) {
        const double *q = w->q + 3 * (ptrdiff_t)i;
        const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
        squares += square;
        most = square > most ? square : most;
    }
    w->q_norm = sqrt(squares);
    w->q_most = sqrt(most);
}

static dp_status take(dp_fc_reduced *w)
{
    const size_t rows = 3 * (size_t)w->nc, nv = (size_t)w->nv;
    DP_TRY(dp_pool_take(&w->q, &w->pool, rows + 1, sizeof *w->q));
    DP_TRY(dp_pool_take(&w->d, &w->pool, (size_t)w->nc + 1, sizeof *w->d));
    DP_TRY(dp_pool_take(&w->force, &w->pool, nv, sizeof *w->force));
    DP_TRY(dp_pool_take(&w->motion, &w->pool, nv, sizeof *w->motion));
    return dp_pool_take(&w->v_free, &w->pool, nv, sizeof *w->v_free);
}

dp_status dp_fc_reduce(dp_fc_reduced *out, const dp_fc *p, bool form_W, const dp_allocator *a)
{
    *out = (dp_fc_reduced){.p = p, .nc = p->nc, .nv = p->form == DP_FC_GLOBAL ? p->M.rows : 0};
    dp_pool_init(&out->pool, a);
    DP_TRY(take(out));
    if (p->form == DP_FC_GLOBAL) {
        DP_TRY(name_groups(out));
        DP_TRY(list_pairs(out));
        DP_TRY(factor_mass(out, a));
        DP_TRY(cut_rows(out));
    }
    if (p->nl > 0) {
        DP_TRY(factor_equations(out));
    }
    free_velocities(out);
    if (form_W || p->form == DP_FC_LOCAL || p->nl > 0) {
        DP_TRY(dp_fc_reduced_form(out, a));
    }
    measure_mobility(out);
    measure_q(out);
    return DP_OK;
}

void dp_fc_reduced_end(dp_fc_reduced *w)
{
    dp_fc_matrix_end(&w->groups.mass);
    dp_pool_destroy(&w->pool);
}
