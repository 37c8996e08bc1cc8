#include "solve/wide.h"

#include "base/interrupt.h"
#include "linalg/branch.h"
#include "problem/row_law.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    LEAST_ROWS = 64, // below, impulses are cheap enough
    ROWS_PER_VELOCITY = 3,
    LINE_STEPS = 60, // of the line search: one for each piece that it crosses, hardly ever ten
    REFINEMENTS = 3,
};
// Compliance of a row over its mobility: less would cost more digits than refinement gives back.
static const double LEAST_COMPLIANCE = 1e-10;
static const double STOP_SHARE = 1e-9;

// An upper bound on the mobility of a row is not needed: Σ G²/diag M̃ has its size.
static double rough_mobility(const dp_step_problem *p, int block, int row)
{
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    const double *G = p->G + p->G_start[block] + (size_t)row * (size_t)ncol;
    double sum = 0.0;
    for (int k = 0; k < ncol; ++k) {
        sum += G[k] * G[k] / p->Mt[p->Mt_start[p->col[p->col_start[block] + k]]];
    }
    return sum;
}

bool dp_is_wide(const dp_step_problem *p)
{
    if (p->nrow < LEAST_ROWS || p->nrow < ROWS_PER_VELOCITY * p->nv) {
        return false;
    }
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const double R = dp_row_soft(p->row + r, p->h).R;
            const double w = rough_mobility(p, b, r - p->row_start[b]);
            if (!(R >= LEAST_COMPLIANCE * w) || !(R <= DBL_MAX) || w == 0.0) {
                return false;
            }
        }
    }
    return true;
}

dp_status dp_wide_begin(dp_wide *w, const dp_step_problem *p, const dp_law_options *opt,
                        dp_arena *scratch)
{
    *w = (dp_wide){.p = p, .nv = p->nv, .nrow = p->nrow};
    const size_t nv = (size_t)p->nv, nrow = (size_t)p->nrow;
    DP_TRY(dp_arena_take(&w->Mt, scratch, nv * nv, sizeof(double)));
    DP_TRY(dp_arena_take(&w->H, scratch, nv * nv, sizeof(double)));
    double **of_row[] = {&w->R,     &w->u_hat, &w->u_stop, &w->R_stop,
                         &w->gamma, &w->u,     &w->du,     &w->gap};
    for (size_t k = 0; k < sizeof of_row / sizeof *of_row; ++k) {
        DP_TRY(dp_arena_take(of_row[k], scratch, nrow, sizeof(double)));
    }
    DP_TRY(dp_arena_take(&w->stand, scratch, nrow, sizeof *w->stand));
    DP_TRY(dp_arena_take(&w->before, scratch, nrow, sizeof *w->before));
    DP_TRY(dp_arena_take(&w->v, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&w->dv, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&w->gradient, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&w->pivot, scratch, nv, sizeof(double)));
    dp_wide_restart(w, opt);
    return DP_OK;
}

void dp_wide_restart(dp_wide *w, const dp_law_options *opt)
{
    const dp_step_problem *p = w->p;
    w->max_iterations = opt->max_factorizations;
    dp_branch_expand(w->Mt, (dp_branch){p->nv, p->parent, p->Mt_start}, p->Mt);
}

// ---- products with G

static void apply_G(double *u, const dp_step_problem *p, const double *v)
{
    for (int b = 0; b < p->nblock; ++b) {
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            double sum = 0.0;
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                sum += *G++ * v[p->col[k]];
            }
            u[r] = sum;
        }
    }
}

// x += Gᵀ y
static void add_transposed(double *x, const dp_step_problem *p, const double *y)
{
    for (int b = 0; b < p->nblock; ++b) {
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const size_t next = (size_t)ncol;
        const double *G = p->G + p->G_start[b];
        int r = p->row_start[b];
        for (; r + 4 <= p->row_start[b + 1]; r += 4, G += 4 * next) { // fewer waits for x
            for (int k = 0; k < ncol; ++k) {
                const double *g = G + k;
                x[col[k]] += (g[0] * y[r] + g[next] * y[r + 1]) +
                             (g[2 * next] * y[r + 2] + g[3 * next] * y[r + 3]);
            }
        }
        for (; r < p->row_start[b + 1]; ++r, G += next) {
            for (int k = 0; k < ncol; ++k) {
                x[col[k]] += G[k] * y[r];
            }
        }
    }
}

// ---- one row

typedef enum stand { AT_LO, AT_HI, SOFT, STOPPED } stand;

// How a row stands at velocity u.
static stand stand_at(const dp_wide *w, int i, double u)
{
    const dp_row *row = w->p->row + i;
    const double soft = (w->u_hat[i] - u) / w->R[i];
    if (u > w->u_stop[i] || soft <= row->lo) {
        return AT_LO;
    }
    if ((w->u_stop[i] - u) / w->R_stop[i] < soft) {
        return STOPPED;
    }
    return soft >= row->hi ? AT_HI : SOFT;
}

static double impulse_at(const dp_wide *w, int i, stand s, double u)
{
    const dp_row *row = w->p->row + i;
    switch (s) {
    case AT_LO:
        return row->lo;
    case AT_HI:
        return row->hi;
    case STOPPED:
        return (w->u_stop[i] - u) / w->R_stop[i];
    case SOFT:
        break;
    }
    return (w->u_hat[i] - u) / w->R[i];
}

// −dγ/du
static double slope_of(const dp_wide *w, int i, stand s)
{
    return s == SOFT ? 1.0 / w->R[i] : s == STOPPED ? 1.0 / w->R_stop[i] : 0.0;
}

// ---- Newton

static void set_impulses(dp_wide *w)
{
    for (int i = 0; i < w->nrow; ++i) {
        const stand s = stand_at(w, i, w->u[i]);
        w->stand[i] = (uint8_t)s;
        w->gamma[i] = impulse_at(w, i, s, w->u[i]);
    }
}

// M̃ x, dense.
static void apply_Mt(double *y, const dp_wide *w, const double *x)
{
    for (int i = 0; i < w->nv; ++i) {
        double sum = 0.0;
        for (int j = 0; j < w->nv; ++j) {
            sum += w->Mt[(size_t)i * (size_t)w->nv + (size_t)j] * x[j];
        }
        y[i] = sum;
    }
}

// gradient = Gᵀγ − M̃ (v − v_free): minus that of F
static void set_gradient(dp_wide *w)
{
    for (int i = 0; i < w->nv; ++i) {
        w->dv[i] = w->p->v_free[i] - w->v[i];
    }
    apply_Mt(w->gradient, w, w->dv);
    add_transposed(w->gradient, w->p, w->gamma);
}

// Σ Gᵀ G/R over the rows that push, added to the lower triangle of H.
static void add_rows(dp_wide *w)
{
    const dp_step_problem *p = w->p;
    const size_t n = (size_t)w->nv;
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->col_start[b], ncol = p->col_start[b + 1] - first;
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            const double slope = slope_of(w, r, (stand)w->stand[r]);
            for (int i = 0; slope > 0.0 && i < ncol; ++i) {
                double *row = w->H + (size_t)p->col[first + i] * n;
                const double scaled = slope * G[i];
                for (int j = 0; j <= i; ++j) { // columns ascend: the lower triangle
                    row[p->col[first + j]] += scaled * G[j];
                }
            }
        }
    }
}

// (WI 2), or M̃ alone, factored: H = L Lᵀ in the lower triangle.
static void factor(dp_wide *w, bool with_rows)
{
    const size_t n = (size_t)w->nv;
    memcpy(w->H, w->Mt, n * n * sizeof *w->H);
    if (with_rows) {
        add_rows(w);
    }
    for (size_t j = 0; j < n; ++j) {
        for (size_t i = j; i < n; ++i) {
            double sum = w->H[i * n + j];
            for (size_t k = 0; k < j; ++k) {
                sum -= w->H[i * n + k] * w->H[j * n + k];
            }
            // M̃ is positive definite and the rest adds to it: a pivot at 0 is round-off.
            w->H[i * n + j] = i == j ? sqrt(fmax(sum, DBL_MIN)) : sum / w->H[j * n + j];
        }
        w->pivot[j] = 1.0 / w->H[j * n + j];
    }
}

// L x = b
static void solve_lower(double *x, const dp_wide *w, const double *b)
{
    const size_t n = (size_t)w->nv;
    for (size_t i = 0; i < n; ++i) {
        double sum = b[i];
        for (size_t k = 0; k < i; ++k) {
            sum -= w->H[i * n + k] * x[k];
        }
        x[i] = sum * w->pivot[i];
    }
}

static void solve(double *x, const dp_wide *w, const double *b)
{
    const size_t n = (size_t)w->nv;
    solve_lower(x, w, b);
    for (size_t i = n; i-- > 0;) {
        double sum = x[i];
        for (size_t k = i + 1; k < n; ++k) {
            sum -= w->H[k * n + i] * x[k];
        }
        x[i] = sum * w->pivot[i];
    }
}

// dF/dα along dv, and its slope.
static double derivative(double *slope, const dp_wide *w, double linear, double curvature,
                         double alpha)
{
    double d = linear + alpha * curvature;
    *slope = curvature;
    for (int i = 0; i < w->nrow; ++i) {
        const double u = w->u[i] + alpha * w->du[i];
        const stand s = stand_at(w, i, u);
        d -= impulse_at(w, i, s, u) * w->du[i];
        *slope += slope_of(w, i, s) * w->du[i] * w->du[i];
    }
    return d;
}

// The α that minimises F along dv: the zero of a function that ascends and is linear in pieces, by
// Newton's method within an interval that shrinks.
static double search(const dp_wide *w, double linear, double curvature)
{
    const double enough = 1e-12; // of the derivative at the start
    double low = 0.0, high = INFINITY, alpha = 1.0, slope;
    const double start = fabs(derivative(&slope, w, linear, curvature, 0.0));
    for (int k = 0; k < LINE_STEPS; ++k) {
        const double d = derivative(&slope, w, linear, curvature, alpha);
        if (fabs(d) <= enough * start) {
            break;
        }
        if (d < 0.0) {
            low = alpha;
        } else {
            high = alpha;
        }
        alpha -= d / slope;
        if (!(alpha > low && alpha < high)) {
            alpha = isinf(high) ? 2.0 * low : 0.5 * (low + high);
        }
    }
    return alpha;
}

// One step of Newton's method. @return whether all rows stand as they did
static bool step(dp_wide *w)
{
    factor(w, true);
    solve(w->dv, w, w->gradient);
    apply_G(w->du, w->p, w->dv);
    // F' along dv without the rows: dvᵀ M̃ (v − v_free) + α dvᵀ M̃ dv.
    double linear = 0.0, curvature = 0.0;
    for (int i = 0; i < w->nv; ++i) {
        double row = 0.0;
        for (int j = 0; j < w->nv; ++j) {
            row += w->Mt[(size_t)i * (size_t)w->nv + (size_t)j] * w->dv[j];
        }
        linear += row * (w->v[i] - w->p->v_free[i]);
        curvature += row * w->dv[i];
    }
    memcpy(w->before, w->stand, (size_t)w->nrow);
    bool same = true;
    for (int i = 0; i < w->nrow && same; ++i) {
        same = stand_at(w, i, w->u[i] + w->du[i]) == (stand)w->before[i];
    }
    const double alpha = same ? 1.0 : search(w, linear, curvature);
    for (int i = 0; i < w->nv; ++i) {
        w->v[i] += alpha * w->dv[i];
    }
    apply_G(w->u, w->p, w->v);
    set_impulses(w);
    set_gradient(w);
    return same;
}

// γ and v together satisfy M̃ (v − v_free) = Gᵀγ and u = f(γ) of the rows that push; corrected with
// the factor at hand, so that γ does not suffer from the division by R.
static void refine(dp_wide *w)
{
    for (int pass = 0; pass < REFINEMENTS; ++pass) {
        for (int i = 0; i < w->nrow; ++i) {
            const stand s = (stand)w->before[i];
            if (s == SOFT) {
                w->gap[i] = (w->u_hat[i] - w->R[i] * w->gamma[i] - w->u[i]) / w->R[i];
            } else { // stopped rows are rigid
                w->gap[i] = s == STOPPED ? (w->u_stop[i] - w->u[i]) / w->R_stop[i] : 0.0;
            }
        }
        set_gradient(w);
        add_transposed(w->gradient, w->p, w->gap);
        solve(w->dv, w, w->gradient);
        apply_G(w->du, w->p, w->dv);
        double size = 0.0, change = 0.0;
        for (int i = 0; i < w->nv; ++i) {
            w->v[i] += w->dv[i];
            size = fmax(size, fmax(fabs(w->v[i]), fabs(w->p->v_free[i])));
            change = fmax(change, fabs(w->dv[i]));
        }
        for (int i = 0; i < w->nrow; ++i) {
            w->gamma[i] += w->gap[i] - slope_of(w, i, (stand)w->before[i]) * w->du[i];
            const dp_row *row = w->p->row + i;
            w->gamma[i] = fmin(fmax(w->gamma[i], row->lo), row->hi);
        }
        apply_G(w->u, w->p, w->v);
        if (change <= DBL_EPSILON * size) {
            break; // another pass would stir round-off
        }
    }
}

// v = v_free + M̃⁻¹ Gᵀ γ
static void set_velocities(dp_wide *w)
{
    factor(w, false);
    memset(w->gradient, 0, (size_t)w->nv * sizeof *w->gradient);
    add_transposed(w->gradient, w->p, w->gamma);
    solve(w->dv, w, w->gradient);
    for (int i = 0; i < w->nv; ++i) {
        w->v[i] = w->p->v_free[i] + w->dv[i];
    }
    apply_G(w->u, w->p, w->v);
}

static uint8_t state_of(const dp_row *row, double gamma)
{
    if (gamma == row->lo) {
        return gamma == 0.0 && isinf(row->hi) ? DP_ROW_OPEN : DP_ROW_AT_LO;
    }
    return gamma == row->hi ? DP_ROW_AT_HI : DP_ROW_ACTIVE;
}

static void targets(dp_wide *w)
{
    const dp_step_problem *p = w->p;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const dp_soft soft = dp_row_soft(p->row + r, p->h);
            w->R[r] = soft.R;
            w->u_hat[r] = soft.u_hat;
            w->u_stop[r] = soft.u_stop;
            w->R_stop[r] = STOP_SHARE * rough_mobility(p, b, r - p->row_start[b]);
        }
    }
}

// The solution for rows that stand as the impulses of the last step say. @return whether they do
static bool try_warm(dp_wide *w, const double *warm)
{
    const dp_step_problem *p = w->p;
    for (int i = 0; i < w->nrow; ++i) {
        const dp_row *row = p->row + i;
        const stand s = warm[i] <= row->lo ? AT_LO : warm[i] >= row->hi ? AT_HI : SOFT;
        w->stand[i] = (uint8_t)s;
        w->gamma[i] = impulse_at(w, i, s, w->u[i]);
    }
    set_gradient(w);
    factor(w, true);
    solve(w->dv, w, w->gradient);
    for (int i = 0; i < w->nv; ++i) {
        w->v[i] += w->dv[i];
    }
    apply_G(w->u, p, w->v);
    memcpy(w->before, w->stand, (size_t)w->nrow);
    set_impulses(w);
    set_gradient(w);
    return memcmp(w->before, w->stand, (size_t)w->nrow) == 0;
}

void dp_wide_solve(dp_step_solution *out, dp_wide *w, const double *warm, const dp_law_options *opt,
                   dp_solve_info *info)
{
    const dp_step_problem *p = w->p;
    targets(w);
    memcpy(w->v, p->v_free, (size_t)w->nv * sizeof *w->v);
    apply_G(w->u, p, w->v);
    bool settled = false;
    w->iterations = 0;
    if (warm) {
        settled = try_warm(w, warm);
        w->iterations++;
    } else {
        set_impulses(w);
        set_gradient(w);
    }
    while (!settled && w->iterations < w->max_iterations &&
           !dp_interrupted((size_t)w->nv * (size_t)w->nv * (size_t)w->nv / 6)) {
        settled = step(w);
        w->iterations++;
    }
    refine(w);
    set_velocities(w);
    dp_wide_mobility(w->gap, w);
    *info = (dp_solve_info){.outcome = DP_CONVERGED,
                            .islands = 1,
                            .iterations = w->iterations,
                            .factorizations = w->iterations + 1};
    for (int i = 0; i < w->nrow; ++i) {
        const dp_row *row = p->row + i;
        const double a = w->gap[i] + w->R[i];
        const dp_soft soft = {w->R[i], w->u_hat[i], w->u_stop[i]};
        const double residual = dp_soft_residual(soft, row->lo, row->hi, a, w->gamma[i], w->u[i]);
        info->residual = fmax(info->residual, row->len * residual);
        out->gamma[i] = w->gamma[i];
        out->state[i] = state_of(row, w->gamma[i]);
    }
    memcpy(out->v, w->v, (size_t)w->nv * sizeof *out->v);
    if (!(info->residual <= opt->tolerance)) {
        info->outcome = DP_CAPPED;
    }
}

void dp_wide_mobility(double *diagonal, dp_wide *w)
{
    const dp_step_problem *p = w->p;
    factor(w, false);
    for (int b = 0; b < p->nblock; ++b) {
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            memset(w->gradient, 0, (size_t)w->nv * sizeof *w->gradient);
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                w->gradient[p->col[k]] = *G++;
            }
            solve_lower(w->dv, w, w->gradient); // gᵀ M̃⁻¹ g = ‖L⁻¹ g‖²
            double sum = 0.0;
            for (int k = 0; k < w->nv; ++k) {
                sum += w->dv[k] * w->dv[k];
            }
            diagonal[r] = sum;
        }
    }
}
