// Rigid rows that contradict each other, as the walls of a slot that is too narrow for what is in
// it: is there any velocity that meets them all, and if not, how are they relaxed?
//
// Friction can neither help nor harm: what counts are the rows that ask for a velocity and may push
// without limit, u ≥ û of one-sided rows and u = û of two-sided ones. With e the part of û that u
// misses, the least of
//
//     ½ Σ e²/w + ½ δ |v − v_k|²   (|·| by M̃)                                              (CY 1)
//
// over v is found by Newton's method, and v_k follows: a proximal point method on a convex
// function, which ends where Σ e²/w is least [Rockafellar1976]. If it is not 0 there, z = e/w
// proves that no velocity will do: one-sided elements of z are not negative, Gᵀz = 0 and zᵀe > 0,
// whereas zᵀ(û − G v') ≤ 0 for a v' that meets all rows. Where Gᵀz is nearly 0 only, v' must be far
// away, |v' − v| ≥ zᵀe/|Gᵀz|, and that is what is looked at. Then û − e is asked for instead of û:
// the rows are met in the least squares, as by the law without friction.
#include "solve/contact/coulomb.h"

#include <math.h>
#include <string.h>

// What row r misses of the velocity that it asks for, 0 unless it may push without limit.
static inline double missing(const dp_coulomb *c, int r, double u)
{
    const dp_row *row = &c->p->row[r];
    const double target = fmin(c->soft[r].u_hat, c->soft[r].u_stop), e = target - u;
    return (e > 0.0 && row->hi == (double)INFINITY) || (e < 0.0 && row->lo == -(double)INFINITY)
               ? e
               : 0.0;
}

// Rows of block b that ask for a velocity: of a contact the normal, of other blocks all.
static inline int end_of_rows(const dp_coulomb *c, int b)
{
    return c->block[b].ngroup > 0 ? c->p->row_start[b] + 1 : c->p->row_start[b + 1];
}

static inline bool is_rigid(const dp_coulomb *c, int b, int r)
{
    return !c->block[b].normal && c->soft[r].R == 0.0 && c->w[r] > 0.0;
}

// e in c->F, where the step of length t leads to. @return ½ Σ e²/w
static double miss(dp_coulomb *c, double t)
{
    double sum = 0.0;
    for (int b = 0; b < c->p->nblock; ++b) {
        for (int r = c->p->row_start[b]; r < end_of_rows(c, b); ++r) {
            c->F[r] = is_rigid(c, b, r) ? missing(c, r, c->u[r] + t * c->du[r]) : 0.0;
            sum += 0.5 * c->F[r] * c->F[r] / c->w[r];
        }
    }
    return sum;
}

// q and C of dx = q − C du, which leads to x = e/(δ w) where rows miss and to 0 elsewhere.
static void linearise(dp_coulomb *c, double delta)
{
    const dp_step_problem *p = c->p;
    memset(c->C, 0, c->op.nC * sizeof *c->C);
    for (int r = 0; r < p->nrow; ++r) {
        c->q[r] = -c->x[r];
    }
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < end_of_rows(c, b); ++r) {
            if (c->F[r] != 0.0) {
                const double C = 1.0 / (delta * c->w[r]);
                c->C[c->block[b].C + (size_t)(r - p->row_start[b])] = C;
                c->q[r] += C * c->F[r];
            }
        }
    }
    c->op.symmetric = true;
}

static double product(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// (CY 1) about the present velocities, from x = 0. c->x and c->u end at its solution, c->F has e.
// @return ½ Σ e²/w; no number: the matrix is singular
static double solve_inner(dp_coulomb *c, double delta, int limit)
{
    const int n = c->p->nrow;
    memset(c->x, 0, (size_t)n * sizeof *c->x);
    memset(c->du, 0, (size_t)n * sizeof *c->du);
    double missed = miss(c, 0.0);
    double way = 0.0; // |v − v_k|²
    for (int k = 0; k < DP_NEWTON_STEPS && c->work.factorizations < limit; ++k) {
        linearise(c, delta);
        if (!dp_coulomb_factor(c)) {
            return (double)NAN;
        }
        dp_coulomb_step(c, c->dx); // and c->du
        const double turn = product(c->x, c->du, n), step = product(c->dx, c->du, n);
        double fall = delta * turn; // derivative at t = 0
        for (int r = 0; r < n; ++r) {
            fall -= c->F[r] != 0.0 ? c->F[r] * c->du[r] / c->w[r] : 0.0;
        }
        const double before = missed + 0.5 * delta * way;
        double t = 1.0, now = miss(c, t);
        for (int i = 0;
             i < DP_HALVINGS && !(now + 0.5 * delta * (way + t * (2.0 * turn + t * step)) <=
                                  before + DP_DIGITS * t * fall);
             ++i) {
            t *= 0.5;
            now = miss(c, t);
        }
        for (int r = 0; r < n; ++r) {
            c->x[r] += t * c->dx[r];
            c->u[r] += t * c->du[r];
        }
        way += t * (2.0 * turn + t * step);
        missed = now;
        if (!(-fall > DP_STILL * before)) {
            break;
        }
    }
    return missed;
}

static bool has_rigid_rows(const dp_coulomb *c)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        for (int r = c->p->row_start[b]; r < end_of_rows(c, b); ++r) {
            if (is_rigid(c, b, r)) {
                return true;
            }
        }
    }
    return false;
}

static double worst_of(const dp_coulomb *c)
{
    double worst = 0.0;
    for (int b = 0; b < c->p->nblock; ++b) {
        for (int r = c->p->row_start[b]; r < end_of_rows(c, b); ++r) {
            worst = fmax(worst, fabs(c->F[r]) * c->len[r]);
        }
    }
    return worst;
}

double dp_relax_rows(dp_coulomb *c, int most)
{
    const int n = c->p->nrow, limit = c->work.factorizations + most;
    if (!has_rigid_rows(c)) {
        return 0.0;
    }
    memset(c->F, 0, (size_t)n * sizeof *c->F); // friction asks for nothing
    memcpy(c->u, c->best.u, (size_t)n * sizeof *c->u);
    double delta = DP_GOAL;
    for (int k = 0;
         k < DP_NEWTON_STEPS && c->work.factorizations < limit && !dp_coulomb_is_interrupted(c);
         ++k, delta = fmax(DP_STILL, DP_FALL * DP_FALL * delta)) {
        const double energy =
            2.0 * solve_inner(c, delta, limit); // zᵀe; Gᵀz = δ M̃ (v − v_k) = δ Gᵀx
        const double worst = worst_of(c);
        if (!(energy > 0.0) || worst <= c->tol.solved) {
            return 0.0;
        }
        dp_coulomb_mobility(c, c->du, c->x);
        const double pull = delta * sqrt(fmax(product(c->x, c->du, n), 0.0)); // |Gᵀz|
        if (!(DP_FAR * pull > sqrt(energy))) {
            for (int r = 0; r < n; ++r) {
                c->soft[r].u_hat -= c->F[r];
                c->soft[r].u_stop -= c->F[r];
            }
            return worst;
        }
        if (k > 0 && DP_NEAR * pull > sqrt(energy)) {
            return 0.0;
        }
    }
    return 0.0;
}
