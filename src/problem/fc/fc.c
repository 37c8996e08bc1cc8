// Friction-contact problems: are they sound, and how well are they met?
#include "problem/fc/fc_reduced.h"

#include <limits.h>
#include <string.h>

// ---- check

static dp_status check_numbers(const char *name, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!isfinite(x[i])) {
            return dp_fail(DP_ERROR_ARGUMENT, "%s[%d] is %g (expected a finite number)", name, i,
                           x[i]);
        }
    }
    return DP_OK;
}

static dp_status check_column(const char *name, const dp_sparse *A, int column)
{
    for (int k = A->start[column], before = -1; k < A->start[column + 1]; ++k) {
        if (A->row[k] <= before || A->row[k] >= A->rows) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "%s: column %d has a number in row %d after row %d (expected rows "
                           "ascending, below %d)",
                           name, column, A->row[k], before, A->rows);
        }
        before = A->row[k];
        if (!isfinite(A->value[k])) {
            return dp_fail(DP_ERROR_ARGUMENT, "%s(%d, %d) is %g (expected a finite number)", name,
                           before, column, A->value[k]);
        }
    }
    return DP_OK;
}

static dp_status check_matrix(const char *name, const dp_sparse *A, int rows, int columns)
{
    if (A->rows != rows || A->columns != columns || !A->start) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s is %d × %d (expected %d × %d)", name, A->rows,
                       A->columns, rows, columns);
    }
    for (int j = 0; j < columns; ++j) {
        if (A->start[0] != 0 || A->start[j + 1] < A->start[j]) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "%s: column %d begins at %d, the next at %d (expected 0 at first, and "
                           "ascending)",
                           name, j, A->start[j], A->start[j + 1]);
        }
        DP_TRY(check_column(name, A, j));
    }
    return DP_OK;
}

dp_status dp_fc_check(const dp_fc *p)
{
    if (p->dimension != 2 && p->dimension != 3) {
        return dp_fail(DP_ERROR_ARGUMENT, "dimension is %d (expected 2 or 3)", p->dimension);
    }
    if (p->nc < 0 || p->nc > INT_MAX / 16) {
        return dp_fail(DP_ERROR_ARGUMENT, "nc is %d (expected 0 or more, at most %d)", p->nc,
                       INT_MAX / 16);
    }
    if (p->nl < 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "nl is %d (expected 0 or more)", p->nl);
    }
    const int n = p->dimension * p->nc;
    DP_TRY(check_numbers("mu", p->mu, p->nc));
    for (int i = 0; i < p->nc; ++i) {
        if (p->mu[i] < 0.0) {
            return dp_fail(DP_ERROR_ARGUMENT, "mu[%d] is %g (expected 0 or more)", i, p->mu[i]);
        }
    }
    if (p->form == DP_FC_FORM_LOCAL) {
        DP_TRY(check_matrix("W", &p->W, n, n));
        DP_TRY(check_numbers("q", p->q, n));
        if (p->nl > 0) {
            DP_TRY(check_matrix("V", &p->V, n, p->nl));
            DP_TRY(check_matrix("R", &p->R, p->nl, p->nl));
            DP_TRY(check_numbers("s", p->s, p->nl));
        }
        return DP_OK;
    }
    if (p->form != DP_FC_FORM_GLOBAL) {
        return dp_fail(DP_ERROR_ARGUMENT, "form is %d (expected local or global)", (int)p->form);
    }
    const int nv = p->M.rows;
    DP_TRY(check_matrix("M", &p->M, nv, nv));
    DP_TRY(check_matrix("H", &p->H, nv, n));
    DP_TRY(check_numbers("f", p->f, nv));
    DP_TRY(check_numbers("w", p->w, n));
    if (p->nl > 0) {
        DP_TRY(check_matrix("G", &p->G, nv, p->nl));
        DP_TRY(check_numbers("b", p->b, p->nl));
    }
    return DP_OK;
}

// ---- residuals

static double length(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static double over(double x, double scale)
{
    return scale > 0.0 ? x / scale : x;
}

// ‖r − P_K(r − ρ û)‖ of one contact
static double natural_map(const double *r, const double *u, double mu, double rho)
{
    const double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    const double y[3] = {r[0] - rho * (u[0] + mu * slip), r[1] - rho * u[1], r[2] - rho * u[2]};
    double z[3];
    dp_fc_project(z, y, mu);
    const double e[3] = {r[0] - z[0], r[1] - z[1], r[2] - z[2]};
    return length(e, 3);
}

// Friction that is within this part of the rim slides, and a normal impulse below this part of the
// largest is none.
static const double RIM = 1e-6, NOTHING = 1e-12;

void dp_fc_judge_reduced(dp_fc_residual *out, const dp_fc_reduced *w, const double *r,
                         const double *u, uint8_t *state)
{
    *out = (dp_fc_residual){0};
    double squares = 0.0, e_most = 0.0, de_most = 0.0, r_most = 0.0;
    for (int i = 0; i < w->nc; ++i) {
        r_most = greater(length(r + 3 * i, 3), r_most);
    }
    for (int i = 0; i < w->nc; ++i) {
        const double *ri = r + 3 * i, *ui = u + 3 * i, mu = w->p->mu[i];
        const double e = natural_map(ri, ui, mu, 1.0 / w->d[i]),
                     plain = natural_map(ri, ui, mu, 1.0);
        squares += plain * plain;
        e_most = greater(e, e_most);
        de_most = greater(w->d[i] * e, de_most);
        const double slip = length(ui + 1, 2), held = length(ri + 1, 2);
        out->penetration = greater(-ui[0], out->penetration);
        out->cone = greater(held - mu * ri[0], out->cone);
        out->friction += ri[1] * ui[1] + ri[2] * ui[2] + mu * ri[0] * slip;
        out->friction_size += mu * ri[0] * slip;
        const dp_fc_state is = !(ri[0] > NOTHING * r_most)        ? DP_FC_STATE_OPEN
                               : held >= (1.0 - RIM) * mu * ri[0] ? DP_FC_STATE_SLIDE
                                                                  : DP_FC_STATE_STICK;
        out->open += is == DP_FC_STATE_OPEN;
        out->stick += is == DP_FC_STATE_STICK;
        out->slide += is == DP_FC_STATE_SLIDE;
        if (state) {
            state[i] = (uint8_t)is;
        }
    }
    const int n = 3 * w->nc;
    out->natural = sqrt(squares);
    const double given =
        w->p->form == DP_FC_FORM_GLOBAL ? 0.0 : w->q_norm; // Siconos leaves it out there
    out->siconos = over(out->natural, fmax(given, fmax(length(r, n), length(u, n))));
    out->fclib = out->natural / (1.0 + sqrt(w->q_norm));
    out->impulse = over(e_most, r_most);
    out->velocity = over(de_most, w->q_most);
    out->worst = fmax(out->siconos, fmax(out->impulse, out->velocity));
    if (!(isfinite(squares) && isfinite(e_most) && isfinite(de_most))) {
        out->worst = (double)INFINITY;
    }
}

// y += A x or Aᵀ x
static void multiply(double *y, const dp_sparse *A, const double *x, bool transposed, double factor)
{
    for (int j = 0; j < A->columns; ++j) {
        for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
            if (transposed) {
                y[j] += factor * A->value[k] * x[A->row[k]];
            } else {
                y[A->row[k]] += factor * A->value[k] * x[j];
            }
        }
    }
}

// What Siconos adds for the global form, and how it divides; FCLIB what is left of the equations.
static dp_status judge_equations(dp_fc_residual *out, const dp_fc *p, const double *r,
                                 const double *u, const double *v, const double *lambda,
                                 const dp_allocator *a)
{
    const int n = p->dimension * p->nc;
    const int rows = p->form == DP_FC_FORM_GLOBAL ? p->M.rows : 0, nl = p->nl;
    double *work;
    const size_t count = 3 * (size_t)rows + (size_t)nl + 1; // no pointer is to be NULL
    DP_TRY(dp_allocate(&work, a, count, sizeof *work));
    double *Mv = work, *Hr = work + rows, *rest = work + 2 * (ptrdiff_t)rows, *miss = rest + rows;
    for (int i = 0; i < nl; ++i) {
        miss[i] = p->form == DP_FC_FORM_GLOBAL ? p->b[i] : p->s[i];
    }
    const double given = length(miss, nl);
    if (p->form == DP_FC_FORM_GLOBAL) {
        multiply(Mv, &p->M, v, false, 1.0);
        multiply(Hr, &p->H, r, false, 1.0);
        for (int i = 0; i < rows; ++i) {
            rest[i] = p->f[i] + Hr[i] - Mv[i];
        }
        if (nl > 0) {
            multiply(rest, &p->G, lambda, false, 1.0);
            multiply(miss, &p->G, v, true, 1.0);
        }
        const double scale = fmax(length(p->f, rows), fmax(length(Mv, rows), length(Hr, rows)));
        out->siconos =
            over(length(rest, rows), scale) + over(out->natural, fmax(length(u, n), length(r, n)));
    } else {
        multiply(miss, &p->V, r, true, 1.0);
        multiply(miss, &p->R, lambda, false, 1.0);
    }
    out->fclib += length(miss, nl) / (1.0 + given);
    dp_release(a, work, count, sizeof *work);
    return DP_OK;
}

typedef struct judged {
    double *r, *u;      // 3 nc
    double *v, *lambda; // nv, nl
    double *rates;      // n: as the problem has rows
} judged;

static dp_status judge(dp_fc_residual *out, const dp_fc_reduced *w, const dp_fc_solution *s,
                       judged *j, const dp_allocator *a)
{
    const dp_fc *p = w->p;
    dp_fc_widen(j->r, p, s->r);
    dp_fc_apply(j->u, w, j->r);
    for (int i = 0; i < 3 * w->nc; ++i) {
        j->u[i] += w->q[i];
    }
    dp_fc_judge_reduced(out, w, j->r, j->u, s->state);
    dp_fc_narrow(j->rates, p, j->u);
    dp_fc_follow(j->lambda, j->v, w, j->r);
    if (p->form == DP_FC_FORM_GLOBAL || p->nl > 0) {
        DP_TRY(judge_equations(out, p, s->r, j->rates, j->v, j->lambda, a));
    }
    const size_t n = (size_t)p->dimension * (size_t)p->nc;
    if (s->u) {
        memcpy(s->u, j->rates, n * sizeof *s->u);
    }
    if (s->v && w->nv > 0) {
        memcpy(s->v, j->v, (size_t)w->nv * sizeof *s->v);
    }
    if (s->lambda && p->nl > 0) {
        memcpy(s->lambda, j->lambda, (size_t)p->nl * sizeof *s->lambda);
    }
    return DP_OK;
}

dp_status dp_fc_judge(dp_fc_residual *out, const dp_fc *p, const dp_fc_solution *s,
                      const dp_allocator *allocator)
{
    const dp_allocator a = dp_allocator_or_default(allocator);
    *out = (dp_fc_residual){0};
    DP_TRY(dp_fc_check(p));
    dp_fc_reduced w;
    dp_status status = dp_fc_reduce(&w, p, false, &a);
    if (status == DP_OK) {
        const size_t rows = 3 * (size_t)p->nc;
        judged j = {0};
        double **part[] = {&j.r, &j.u, &j.rates, &j.v, &j.lambda};
        const size_t count[] = {rows, rows, rows, (size_t)w.nv, (size_t)p->nl};
        for (size_t k = 0; status == DP_OK && k < sizeof part / sizeof *part; ++k) {
            status = dp_pool_take(part[k], &w.pool, count[k] + 1, sizeof(double));
        }
        if (status == DP_OK) {
            status = judge(out, &w, s, &j, &a);
        }
    }
    dp_fc_reduced_end(&w);
    return status;
}
