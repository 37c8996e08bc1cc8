// How well a solution meets its problem, from the two alone.
//
// The residual of a row needs a = w + R with w = G M̃⁻¹ Gᵀ, and M̃ is not factored here. Only the
// unit in which an impulse counts as a velocity depends on it, and zero is zero for every a > 0, so
// the diagonal of M̃ stands for M̃: w = Σ G²/diag M̃.
#include "problem/gradient.h"
#include "problem/row_law.h"

#include <math.h>

// The larger one, or the one that is no number.
static double worse(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

// M̃(v − v_free) − Gᵀγ, largest element.
static double momentum_error(const dp_step_problem *p, const dp_step_solution *s, double *defect)
{
    for (int i = 0; i < p->nv; ++i) {
        const double *element = p->Mt + p->Mt_start[i];
        const double dv = s->v[i] - p->v_free[i];
        double sum = *element * dv;
        for (int j = p->parent[i]; j >= 0; j = p->parent[j]) {
            ++element;
            sum += *element * (s->v[j] - p->v_free[j]);
            defect[j] -= *element * dv;
        }
        defect[i] = -sum;
    }
    for (int block = 0; block < p->nblock; ++block) {
        dp_gradient_add(defect, p, block, s->gamma + p->row_start[block]);
    }
    double most = 0.0;
    for (int i = 0; i < p->nv; ++i) {
        most = worse(most, fabs(defect[i]));
    }
    return most;
}

// |γ · slack|, γ counted from the end of its range that the slack points to.
static double slack_work(const dp_row *row, double gamma, double slack)
{
    const double end = slack > 0.0 ? row->lo : row->hi;
    return fabs((isfinite(end) ? gamma - end : gamma) * slack);
}

// One row with u = G v and w = Σ G²/diag M̃.
static void certify_row(dp_certificate *out, const dp_row *row, double h, double w, double gamma,
                        double u)
{
    const dp_soft soft = dp_row_soft(row, h);
    const double slack = dp_soft_slack(soft, gamma, u);
    const double a = w + soft.R > 0.0 ? w + soft.R : 1.0; // a rigid row that moves nothing
    const double residual = dp_soft_residual(soft, row->lo, row->hi, a, gamma, u);
    out->normal_law = worse(out->normal_law, residual * row->len);
    if (dp_row_is_one_sided(row)) {
        const double end = row->phi + h * (u + row->phi_t);
        out->penetration = worse(out->penetration, -end * row->len);
    }
    if (isinf(row->lo) && isinf(row->hi)) {
        out->drift = worse(out->drift, h * fabs(slack) * row->len); // |φ₁| where R = 0
    } else {
        out->complementarity += slack_work(row, gamma, slack);
    }
    out->nactive += gamma != 0.0;
}

void dp_problem_certify(dp_certificate *out, const dp_step_problem *p, const dp_step_solution *s,
                        double *scratch)
{
    *out = (dp_certificate){.nrow = p->nrow};
    double *inverse = scratch; // of diag M̃
    for (int i = 0; i < p->nv; ++i) {
        inverse[i] = 1.0 / p->Mt[p->Mt_start[i]];
    }
    for (int block = 0; block < p->nblock; ++block) {
        const int *col = p->col + p->col_start[block];
        const int ncol = p->col_start[block + 1] - p->col_start[block];
        const double *G = p->G + p->G_start[block];
        for (int r = p->row_start[block]; r < p->row_start[block + 1]; ++r, G += ncol) {
            double u = 0.0, w = 0.0;
            for (int k = 0; k < ncol; ++k) {
                u += G[k] * s->v[col[k]];
                w += G[k] * G[k] * inverse[col[k]];
            }
            certify_row(out, &p->row[r], p->h, w, s->gamma[r], u);
        }
    }
    out->momentum = momentum_error(p, s, scratch);
}
