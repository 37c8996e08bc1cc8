#include "solve/rows/velocity_newton.h"

#include "base/interrupt.h"
#include "problem/gradient.h"
#include "problem/row_law.h"
#include "solve/rows/line_search.h"
#include "solve/rows/row_constants.h"
#include "solve/rows/row_mode.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Σ G²/diag M̃: of the size of the mobility of a row.
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

bool dp_velocity_newton_applies(const dp_step_problem *p)
{
    if (p->nrow < DP_WIDE_ROWS || p->nrow < DP_WIDE_ROWS_PER_VELOCITY * p->nv) {
        return false;
    }
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const double R = dp_row_soft(p->row + r, p->h).R;
            const double w = rough_mobility(p, b, r - p->row_start[b]);
            if (!(R >= DP_WIDE_COMPLIANCE * w) || !(R <= DBL_MAX) || w == 0.0) {
                return false;
            }
        }
    }
    return true;
}

dp_status dp_velocity_newton_begin(dp_velocity_newton *s, const dp_step_problem *p,
                                   const dp_law_options *opt, dp_arena *scratch)
{
    *s = (dp_velocity_newton){.p = p, .tree = {p->nv, p->parent, p->Mt_start}};
    const size_t nv = (size_t)p->nv, nrow = (size_t)p->nrow;
    int *parent;
    size_t *start;
    DP_TRY(dp_arena_take(&parent, scratch, nv, sizeof *parent));
    DP_TRY(dp_arena_take(&start, scratch, nv + 1, sizeof *start));
    for (size_t i = 0; i <= nv; ++i) {
        start[i] = i * (i + 1) / 2;
    }
    for (int i = 0; i < p->nv; ++i) {
        parent[i] = i - 1;
    }
    s->dense = (dp_branch){p->nv, parent, start};
    DP_TRY(dp_arena_take(&s->LD, scratch, p->Mt_start[nv], sizeof *s->LD));
    DP_TRY(dp_arena_take(&s->H, scratch, start[nv], sizeof *s->H));
    DP_TRY(dp_arena_take(&s->law, scratch, nrow, sizeof *s->law));
    double **of_row[] = {&s->w, &s->R_closing, &s->gamma, &s->u, &s->du, &s->gap};
    for (size_t k = 0; k < sizeof of_row / sizeof *of_row; ++k) {
        DP_TRY(dp_arena_take(of_row[k], scratch, nrow, sizeof(double)));
    }
    DP_TRY(dp_arena_take(&s->mode, scratch, nrow, sizeof *s->mode));
    DP_TRY(dp_arena_take(&s->before, scratch, nrow, sizeof *s->before));
    DP_TRY(dp_arena_take(&s->v, scratch, nv, sizeof *s->v));
    DP_TRY(dp_arena_take(&s->dv, scratch, nv, sizeof *s->dv));
    DP_TRY(dp_arena_take(&s->gradient, scratch, nv, sizeof *s->gradient));
    return dp_velocity_newton_restart(s, opt);
}

dp_status dp_velocity_newton_restart(dp_velocity_newton *s, const dp_law_options *opt)
{
    const dp_step_problem *p = s->p;
    s->max_iterations = opt->max_factorizations;
    memcpy(s->LD, p->LD ? p->LD : p->Mt, p->Mt_start[p->nv] * sizeof *s->LD);
    if (!p->LD && dp_branch_factor(s->LD, s->tree) >= 0) {
        return dp_fail(DP_ERROR_NUMERIC, "step problem: M̃ is not positive definite");
    }
    for (int b = 0; b < p->nblock; ++b) { // gᵀ M̃⁻¹ g = (L⁻ᵀ g)ᵀ D⁻¹ (L⁻ᵀ g)
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            memset(s->dv, 0, (size_t)p->nv * sizeof *s->dv);
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                s->dv[p->col[k]] = *G++;
            }
            dp_branch_solve_upper(s->dv, s->tree, s->LD, s->dv);
            s->w[r] = 0.0;
            for (int i = 0; i < p->nv; ++i) {
                s->w[r] += s->dv[i] * s->dv[i] / s->LD[p->Mt_start[i]];
            }
            s->R_closing[r] = DP_CLOSING_COMPLIANCE * s->w[r];
        }
    }
    return DP_OK;
}

static void apply_G(double *u, const dp_step_problem *p, const double *v)
{
    for (int b = 0; b < p->nblock; ++b) {
        dp_gradient_apply(u + p->row_start[b], p, b, v);
    }
}

// f += Gᵀ x, column by column: blocks have many rows
static void add_G_transposed(double *f, const dp_step_problem *p, const double *x)
{
    for (int b = 0; b < p->nblock; ++b) {
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        for (int k = 0; k < ncol; ++k) {
            const double *G = p->G + p->G_start[b] + k;
            double sum = 0.0;
            for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
                sum += *G * x[r];
            }
            f[col[k]] += sum;
        }
    }
}

// ---- rows

// γ(u) of row i, and its mode there
static double impulse_at(uint8_t *mode, const dp_velocity_newton *s, int i, double u)
{
    const dp_soft *law = &s->law[i];
    return dp_row_impulse(mode, (law->u_hat - u) / law->R, (law->u_stop - u) / s->R_closing[i],
                          s->p->row[i].lo, s->p->row[i].hi);
}

// −dγ/du
static double slope_in(const dp_velocity_newton *s, int i, uint8_t mode)
{
    return mode == DP_MODE_REGULARISED ? 1.0 / s->law[i].R
           : mode == DP_MODE_CLOSING   ? 1.0 / s->R_closing[i]
                                       : 0.0;
}

static void set_impulses(dp_velocity_newton *s)
{
    for (int i = 0; i < s->p->nrow; ++i) {
        s->gamma[i] = impulse_at(&s->mode[i], s, i, s->u[i]);
    }
}

// gradient = Gᵀγ − M̃ (v − v_free): minus that of F
static void set_gradient(dp_velocity_newton *s)
{
    for (int i = 0; i < s->p->nv; ++i) {
        s->dv[i] = s->p->v_free[i] - s->v[i];
    }
    dp_branch_apply(s->gradient, s->tree, s->p->Mt, s->dv);
    add_G_transposed(s->gradient, s->p, s->gamma);
}

// ---- Newton

// (VN 2) for the modes of the rows, factored.
static void factor(dp_velocity_newton *s)
{
    const dp_step_problem *p = s->p;
    memset(s->H, 0, s->dense.start[p->nv] * sizeof *s->H);
    for (int i = 0; i < p->nv; ++i) {
        const double *M = p->Mt + p->Mt_start[i];
        for (int j = i; j >= 0; j = p->parent[j]) {
            s->H[s->dense.start[i] + (size_t)(i - j)] = *M++;
        }
    }
    for (int b = 0; b < p->nblock; ++b) {
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            const double slope = slope_in(s, r, s->mode[r]);
            for (int i = 0; slope > 0.0 && i < ncol; ++i) {
                double *row = s->H + s->dense.start[col[i]] + col[i]; // H(i, j) at row − j
                const double scaled = slope * G[i];
                for (int j = 0; j <= i; ++j) {
                    row[-col[j]] += scaled * G[j];
                }
            }
        }
    }
    dp_branch_factor(s->H, s->dense);
}

// dF/dt along dv, and its slope
static double derivative(double *slope, const void *context, double t)
{
    const dp_velocity_newton *s = context;
    double d = s->linear + t * s->curvature;
    *slope = s->curvature;
    for (int i = 0; i < s->p->nrow; ++i) {
        uint8_t mode;
        d -= impulse_at(&mode, s, i, s->u[i] + t * s->du[i]) * s->du[i];
        *slope += slope_in(s, i, mode) * s->du[i] * s->du[i];
    }
    return d;
}

// The Newton step for the modes at hand. @param exact whether its length is searched for, where
// rows change their modes on the way. @return whether all keep them
static bool step(dp_velocity_newton *s, bool exact)
{
    const dp_step_problem *p = s->p;
    set_gradient(s);
    factor(s);
    dp_branch_solve(s->dv, s->dense, s->H, s->gradient);
    apply_G(s->du, p, s->dv);
    memcpy(s->before, s->mode, (size_t)p->nrow);
    bool same = true;
    for (int i = 0; i < p->nrow && same; ++i) {
        impulse_at(&s->mode[i], s, i, s->u[i] + s->du[i]);
        same = s->mode[i] == s->before[i];
    }
    double t = 1.0;
    if (exact && !same) {
        dp_branch_apply(s->gradient, s->tree, p->Mt, s->dv);
        s->linear = s->curvature = 0.0;
        for (int i = 0; i < p->nv; ++i) {
            s->linear += s->gradient[i] * (s->v[i] - p->v_free[i]);
            s->curvature += s->gradient[i] * s->dv[i];
        }
        t = dp_line_search(derivative, s, (double)INFINITY);
    }
    for (int i = 0; i < p->nv; ++i) {
        s->v[i] += t * s->dv[i];
    }
    apply_G(s->u, p, s->v);
    set_impulses(s);
    return same;
}

// γ and v together satisfy M̃ (v − v_free) = Gᵀγ and u = f(γ) of the active rows; corrected with
// the factor at hand, so that γ does not suffer from the division by R.
static void refine(dp_velocity_newton *s)
{
    const dp_step_problem *p = s->p;
    for (int pass = 0; pass < DP_WIDE_REFINEMENTS; ++pass) {
        for (int i = 0; i < p->nrow; ++i) { // closing rows are rigid
            const dp_soft *law = &s->law[i];
            const double gap = s->before[i] == DP_MODE_REGULARISED
                                   ? law->u_hat - law->R * s->gamma[i] - s->u[i]
                                   : law->u_stop - s->u[i];
            const double slope = slope_in(s, i, s->before[i]);
            s->gap[i] = slope > 0.0 ? gap * slope : 0.0;
        }
        set_gradient(s);
        add_G_transposed(s->gradient, p, s->gap);
        dp_branch_solve(s->dv, s->dense, s->H, s->gradient);
        apply_G(s->du, p, s->dv);
        double size = 0.0, change = 0.0;
        for (int i = 0; i < p->nv; ++i) {
            s->v[i] += s->dv[i];
            size = fmax(size, fmax(fabs(s->v[i]), fabs(p->v_free[i])));
            change = fmax(change, fabs(s->dv[i]));
        }
        for (int i = 0; i < p->nrow; ++i) {
            s->gamma[i] += s->gap[i] - slope_in(s, i, s->before[i]) * s->du[i];
            s->gamma[i] = fmin(fmax(s->gamma[i], p->row[i].lo), p->row[i].hi);
        }
        apply_G(s->u, p, s->v);
        if (change <= DBL_EPSILON * size) {
            break; // another pass would stir round-off
        }
    }
    // v = v_free + M̃⁻¹ Gᵀ γ
    memset(s->dv, 0, (size_t)p->nv * sizeof *s->dv);
    add_G_transposed(s->dv, p, s->gamma);
    dp_branch_solve(s->dv, s->tree, s->LD, s->dv);
    for (int i = 0; i < p->nv; ++i) {
        s->v[i] = p->v_free[i] + s->dv[i];
    }
    apply_G(s->u, p, s->v);
}

static uint8_t state_of(const dp_row *row, double gamma)
{
    if (gamma == row->lo) {
        return gamma == 0.0 && isinf(row->hi) ? DP_ROW_OPEN : DP_ROW_AT_LO;
    }
    return gamma == row->hi ? DP_ROW_AT_HI : DP_ROW_ACTIVE;
}

// The modes that the impulses of the last step had.
static void guess_modes(dp_velocity_newton *s, const double *warm)
{
    for (int i = 0; i < s->p->nrow; ++i) {
        const dp_row *row = s->p->row + i;
        const double gamma = dp_row_impulse(&s->mode[i], warm[i], INFINITY, row->lo, row->hi);
        const bool active = s->mode[i] == DP_MODE_REGULARISED;
        s->gamma[i] = active ? (s->law[i].u_hat - s->u[i]) / s->law[i].R : gamma;
    }
}

void dp_velocity_newton_solve(dp_step_solution *out, dp_velocity_newton *s, const double *warm,
                              const dp_law_options *opt, dp_solve_info *info)
{
    const dp_step_problem *p = s->p;
    for (int i = 0; i < p->nrow; ++i) {
        s->law[i] = dp_row_soft(p->row + i, p->h);
    }
    memcpy(s->v, p->v_free, (size_t)p->nv * sizeof *s->v);
    apply_G(s->u, p, s->v);
    if (warm) {
        guess_modes(s, warm);
    } else {
        set_impulses(s);
    }
    bool settled = false;
    const size_t work = (size_t)p->nv * (size_t)p->nv * (size_t)p->nv / 6;
    s->iterations = 0;
    while (!settled && s->iterations < s->max_iterations && !dp_interrupted(work)) {
        settled = step(s, !warm || s->iterations > 0); // a guess has no F to descend from
        s->iterations++;
    }
    refine(s);
    *info = (dp_solve_info){.outcome = DP_CONVERGED,
                            .islands = 1,
                            .iterations = s->iterations,
                            .factorizations = s->iterations};
    for (int i = 0; i < p->nrow; ++i) {
        const dp_row *row = p->row + i;
        const double residual = dp_soft_residual(s->law[i], row->lo, row->hi, s->w[i] + s->law[i].R,
                                                 s->gamma[i], s->u[i]);
        info->residual = fmax(info->residual, row->len * residual);
        out->gamma[i] = s->gamma[i];
        out->state[i] = state_of(row, s->gamma[i]);
    }
    memcpy(out->v, s->v, (size_t)p->nv * sizeof *out->v);
    if (!(info->residual <= opt->tolerance)) {
        info->outcome = DP_CAPPED;
    }
}
