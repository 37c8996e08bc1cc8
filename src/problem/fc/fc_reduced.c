#include "problem/fc/fc_parts.h"

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

// ---- what goes with impulses

void dp_fc_follow(double *lambda, double *v, const dp_fc_reduced *w, const double *r)
{
    const dp_fc *p = w->p;
    if (p->form == DP_FC_FORM_LOCAL) {
        if (p->nl > 0 && lambda) {
            for (int l = 0; l < p->nl; ++l) {
                lambda[l] = p->s[l];
                for (int k = p->V.start[l]; k < p->V.start[l + 1]; ++k) {
                    const int row = p->V.row[k];
                    lambda[l] += p->V.value[k] * r[3 * (row / p->dimension) + row % p->dimension];
                }
            }
            dp_fc_equations_solve(w, lambda);
        }
        return;
    }
    dp_fc_push(w->force, w, r);
    dp_fc_accelerate(w->motion, w, w->force);
    for (int i = 0; i < w->nv; ++i) {
        w->motion[i] += w->v_free[i];
    }
    if (p->nl > 0) {
        dp_fc_equations_rates(w->lambda, w, w->motion);
        for (int l = 0; l < p->nl; ++l) {
            w->lambda[l] += p->b[l];
        }
        dp_fc_equations_solve(w, w->lambda);
        dp_fc_equations_push(w->force, w, w->lambda);
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

// ---- all of it

static void free_velocities(dp_fc_reduced *w)
{
    const dp_fc *p = w->p;
    if (p->form == DP_FC_FORM_LOCAL) {
        dp_fc_widen(w->q, p, p->q);
        if (p->nl > 0) {
            memcpy(w->lambda, p->s, (size_t)p->nl * sizeof *w->lambda);
            dp_fc_equations_solve(w, w->lambda);
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
        dp_fc_equations_rates(w->lambda, w, w->motion);
        for (int l = 0; l < p->nl; ++l) {
            w->lambda[l] += p->b[l];
        }
        dp_fc_equations_solve(w, w->lambda);
        dp_fc_equations_push(w->force, w, w->lambda);
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
    *out = (dp_fc_reduced){.p = p, .nc = p->nc, .nv = p->form == DP_FC_FORM_GLOBAL ? p->M.rows : 0};
    dp_pool_init(&out->pool, a);
    DP_TRY(take(out));
    if (p->form == DP_FC_FORM_GLOBAL) {
        DP_TRY(dp_fc_groups_make(out, a));
    }
    if (p->nl > 0) {
        DP_TRY(dp_fc_equations_factor(out));
    }
    free_velocities(out);
    if (form_W || p->form == DP_FC_FORM_LOCAL || p->nl > 0) {
        DP_TRY(dp_fc_reduced_form(out, a));
    }
    dp_fc_measure_mobility(out);
    measure_q(out);
    return DP_OK;
}

void dp_fc_reduced_end(dp_fc_reduced *w)
{
    dp_fc_matrix_end(&w->groups.mass);
    dp_pool_destroy(&w->pool);
}
