// The equations of a friction-contact problem: λ = −S⁻¹ (T r + t).
#include "problem/fc/fc_parts.h"

#include "problem/sparse.h"

#include <string.h>

void dp_fc_equations_rates(double *t, const dp_fc_reduced *w, const double *v)
{
    const dp_sparse *G = &w->p->G;
    for (int l = 0; l < w->p->nl; ++l) {
        t[l] = 0.0;
        for (int k = G->start[l]; k < G->start[l + 1]; ++k) {
            t[l] += G->value[k] * v[w->groups.place[G->row[k]]];
        }
    }
}

void dp_fc_equations_push(double *force, const dp_fc_reduced *w, const double *lambda)
{
    const dp_sparse *G = &w->p->G;
    for (int l = 0; l < w->p->nl; ++l) {
        for (int k = G->start[l]; k < G->start[l + 1]; ++k) {
            force[w->groups.place[G->row[k]]] += G->value[k] * lambda[l];
        }
    }
}

void dp_fc_equations_solve(const dp_fc_reduced *w, double *lambda)
{
    const int nl = w->p->nl;
    if (w->p->form == DP_FC_FORM_LOCAL) {
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

dp_status dp_fc_equations_factor(dp_fc_reduced *w)
{
    const int nl = w->p->nl;
    DP_TRY(dp_pool_take(&w->lambda, &w->pool, (size_t)nl, sizeof *w->lambda));
    if (w->p->form == DP_FC_FORM_LOCAL) {
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
        dp_fc_equations_rates(w->lambda, w, w->motion);
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
