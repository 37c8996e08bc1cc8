// Gauss–Seidel iterations and Newton steps in turn, for collapses of bodies that touch at single
// points: many contacts open, close and change between stick and slip at once. Each update of a
// contact takes the impulses that meet its own law while the others stay as they are, as far as one
// projection goes. That removes errors between neighbours, while those that concern many bodies
// decay slowly; Newton's method does the opposite, once most contacts have the modes of the
// solution. So they take turns, as smoother and correction do in multigrid methods
// [GraserKornhuber2009]. A Newton step is one of the proximal search (proximal_newton.c) about the
// point that the iterations led to, and s follows its success.
//
// What an iteration changes is taken for a gradient, and conjugate directions are made of them
// [SilcowitzNiebeErleben2010]: they go on in the directions in which iterations make little
// progress.
//
// Where a few contacts nearly have a solution and yet have none, merit functions have minima that
// Newton steps fall back to. Gauss–Seidel iterations drift past, if slowly: so steps that went
// nowhere are undone. If that takes too long, another attempt begins with no impulses, and more
// iterations: it goes another way.
//
// Departures. There the functions are convex and each half descends on the same one. Coulomb's law
// has none: nothing is proved here, and the cycles are bounded by work.
#include "math/f64x2.h"
#include "solve/contact/gauss_seidel/gauss_seidel_simd.h"

#include <math.h>
#include <string.h>

// ---- the update of a point

enum { PAIRS = DP_FREE_BODY / 2, BODIES = 2 }; // of each of them at most two

static inline double velocity_of(const double *G, const dp_f64x2 *v, const int npair)
{
    dp_f64x2 sum = dp_f64x2_mul(dp_f64x2_load(G), v[0]);
    for (int k = 1; k < npair; ++k) {
        sum = dp_f64x2_madd(sum, dp_f64x2_load(G + 2 * k), v[k]);
    }
    return dp_f64x2_sum(sum);
}

static inline void push_by(dp_f64x2 *v, const double *y, double change, const int npair)
{
    const dp_f64x2 by = dp_f64x2_both(change);
    for (int k = 0; k < npair; ++k) {
        v[k] = dp_f64x2_madd(v[k], dp_f64x2_load(y + 2 * k), by);
    }
}

static inline void update_point(dp_coulomb *c, int b, const int nparts)
{
    const int npair = nparts * PAIRS, ncol = nparts * DP_FREE_BODY, r = c->p->row_start[b];
    const dp_block_part *part = c->part + c->block[b].part;
    const double *G = c->p->G + c->p->G_start[b], *y = c->gs.response + c->gs.response_at[r];
    const double *u_free = c->u_free + r, *scale = c->scale + r, *by = c->one_over_a + r;
    const dp_soft *soft = c->soft + r;
    double *x = c->x + r;
    dp_f64x2 v[BODIES * PAIRS];
    for (int k = 0; k < npair; ++k) {
        v[k] = dp_f64x2_load(c->v + part[k / PAIRS].from + 2 * (k % PAIRS));
    }
    const double u = u_free[0] + scale[0] * velocity_of(G, v, npair);
    const double pushed = x[0] - dp_soft_slack(soft[0], x[0], u) * by[0];
    const dp_row *row = &c->p->row[r];
    const double next = pushed < row->lo ? row->lo : pushed > row->hi ? row->hi : pushed;
    if (next != x[0]) {
        push_by(v, y, next - x[0], npair);
        x[0] = next;
    } else if (!(next > 0.0) && x[1] == 0.0 && x[2] == 0.0) {
        return; // open, as it was
    }
    double held[2];
    for (int k = 0; k < 2; ++k) {
        const int i = k + 1;
        const double u_t = u_free[i] + scale[i] * velocity_of(G + i * ncol, v, npair);
        held[k] = x[i] - dp_soft_slack(soft[i], x[i], u_t) * by[i];
    }
    const double radius = c->block[b].group[0].reach * x[0];
    const double square = held[0] * held[0] + held[1] * held[1];
    if (!(square <= radius * radius)) {
        const double shrink = radius / sqrt(square);
        held[0] *= shrink;
        held[1] *= shrink;
    }
    for (int k = 0; k < 2; ++k) {
        push_by(v, y + (k + 1) * ncol, held[k] - x[k + 1], npair);
        x[k + 1] = held[k];
    }
    for (int k = 0; k < npair; ++k) {
        dp_f64x2_store(c->v + part[k / PAIRS].from + 2 * (k % PAIRS), v[k]);
    }
}

static void update_block(dp_coulomb *c, int b)
{
    if (c->block[b].nparts == 2) {
        update_point(c, b, 2);
    } else {
        update_point(c, b, 1);
    }
}

// ---- iterations in a row

// M̃⁻¹ Gᵀ of each row, over the trees that its block acts on.
static void respond(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    for (int b = 0; b < p->nblock; ++b) {
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            double *y = c->gs.response + c->gs.response_at[r];
            for (int k = 0; k < ncol; ++k) {
                y[k] = c->scale[r] * G[k];
            }
            for (int m = 0; m < c->block[b].nparts; ++m) {
                dp_coulomb_accelerate_tree(c, c->part[c->block[b].part + m].tree,
                                           y + m * DP_FREE_BODY);
            }
        }
    }
}

// Σ a dx² of what an iteration changed.
static double change_since(const dp_coulomb *c, const double *before)
{
    const int n = c->p->nrow;
    const double *x = c->x, *a = c->a;
    double sum = 0.0;
    for (int r = 0; r < n; ++r) {
        const double change = x[r] - before[r];
        sum += a[r] * change * change;
    }
    return sum;
}

// y is at a point that an iteration led to from `before`: go on along the conjugate direction d.
static void go_along(double *restrict y, double *restrict d, const double *restrict before,
                     double more, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const double change = y[i] - before[i], before_it = more * d[i];
        y[i] += before_it;
        d[i] = before_it + change;
    }
}

// Blocks one after the other, every second time backwards.
static void update_all(dp_coulomb *c, bool forwards)
{
    const int n = c->p->nblock;
    for (int b = 0; b < n; ++b) {
        update_block(c, forwards ? b : n - 1 - b);
    }
}

static bool iterate(dp_coulomb *c, int most)
{
    if (c->gs.by_points) {
        dp_coulomb_velocities(c, c->u, c->x);
        return dp_gauss_seidel_until(c, most, 0.0);
    }
    const size_t nrow = (size_t)c->p->nrow, nv = (size_t)c->p->nv, bytes = nrow * sizeof *c->x;
    double *before = c->trial, *v_before = c->force, last = 0.0;
    if (!c->gs.responds) {
        respond(c);
        c->gs.responds = true;
    }
    dp_coulomb_velocities(c, c->u, c->x); // c->v = M̃⁻¹ Gᵀ x
    memset(c->direction, 0, bytes);
    memset(c->v_direction, 0, nv * sizeof *c->v_direction);
    for (int k = 0; k < most && !dp_coulomb_is_interrupted(c); ++k) {
        memcpy(before, c->x, bytes);
        memcpy(v_before, c->v, nv * sizeof *v_before);
        update_all(c, k % 2 == 0);
        if (k + 1 < most) { // the last leaves impulses that are within their discs
            const double now = change_since(c, before);
            const double more = now <= last && last > 0.0 ? now / last : 0.0; // or anew
            go_along(c->x, c->direction, before, more, nrow);
            go_along(c->v, c->v_direction, v_before, more, nv);
            last = now;
        }
    }
    dp_coulomb_velocities(c, c->u, c->x);
    return dp_coulomb_judge(c, c->x, c->u) <= c->tol.solved;
}

// ---- in turn

// One Newton step on a map from c->x, c->u, c->F, with a monotone line search on *merit, which
// belongs to them before and after. @return its length; 0: none was found, nothing changed but c->F
static double descend(dp_coulomb *c, const dp_coulomb_map *map, double *merit)
{
    const int n = c->p->nrow;
    ++c->work.iterations;
    if (!dp_coulomb_direction(c, c->dx, map, c->x, c->u)) {
        return 0.0;
    }
    dp_coulomb_mobility(c, c->du, c->dx);
    double step = 1.0;
    while (step >= DP_FALL) { // shorter ones lead nowhere
        for (int r = 0; r < n; ++r) {
            c->trial[r] = c->x[r] + step * c->dx[r];
            c->u_trial[r] = c->u[r] + step * c->du[r];
        }
        const double now = dp_coulomb_evaluate(c, c->F, map, c->trial, c->u_trial);
        if (now <= (1.0 - 2.0 * DP_DIGITS * step) * *merit) {
            memcpy(c->x, c->trial, (size_t)n * sizeof *c->x);
            dp_coulomb_velocities(c, c->u, c->x);
            dp_coulomb_tangents(c, c->x, c->u);
            *merit = dp_coulomb_evaluate(c, c->F, map, c->x, c->u);
            return step;
        }
        step *= 0.5;
    }
    return 0.0;
}

// ρ as it goes with the shift s.
static void reach(dp_coulomb *c, double shift)
{
    for (int r = 0; r < c->p->nrow; ++r) {
        c->rho[r] = fmax(1.0, DP_FALL / shift) / c->a[r];
    }
}

// Newton steps about c->x with the shift s. @return the length of the last, 0: it was none
static double correct(dp_coulomb *c, double s)
{
    const size_t bytes = (size_t)c->p->nrow * sizeof *c->x;
    reach(c, s);
    memcpy(c->centre, c->x, bytes);
    const dp_coulomb_map map = {s, c->centre, c->rho, false};
    dp_coulomb_tangents(c, c->x, c->u);
    double merit = dp_coulomb_evaluate(c, c->F, &map, c->x, c->u), step = 1.0;
    const double enough = DP_DIGITS * merit;
    for (int k = 0; k < DP_COUPLING_STEPS && (k == 0 || merit > enough); ++k) {
        step = descend(c, &map, &merit);
        if (!(step > 0.0)) {
            memcpy(c->x, c->centre, bytes);
            dp_coulomb_velocities(c, c->u, c->x);
            break;
        }
        if (dp_coulomb_judge(c, c->x, c->u) <= c->tol.solved) {
            break;
        }
    }
    return step;
}

// One attempt from c->x.
static bool attempt(dp_coulomb *c, int iterations, int limit)
{
    double s = DP_FIRST_SHIFT;
    bool solved = iterate(c, iterations);
    for (int k = 0; k < DP_ROUNDS && !solved && c->work.factorizations < limit &&
                    !dp_coulomb_is_interrupted(c);
         ++k) {
        const double before = dp_coulomb_residual(c, c->x, c->u);
        const double step = correct(c, s);
        solved = c->best.residual <= c->tol.solved;
        s *= step == 1.0 ? 2.0 * DP_FALL : step < 2.0 * DP_FALL ? 3.0 : 1.0;
        s = fmin(fmax(s, DP_LEAST_SHIFT), 1.0);
        const bool gained =
            step == 1.0 && dp_coulomb_residual(c, c->x, c->u) < DP_PROGRESS * before;
        if (!solved && !gained) {
            solved = iterate(c, iterations);
        }
    }
    return solved;
}

bool dp_gauss_seidel_newton(dp_coulomb *c, int max_factorizations)
{
    const int limit = c->work.factorizations + max_factorizations;
    bool solved = attempt(c, DP_ITERATIONS, limit);
    for (int k = 1; k < DP_PATIENCE && !solved && c->work.factorizations < limit &&
                    !dp_coulomb_is_interrupted(c);
         ++k) {
        memset(c->x, 0, (size_t)c->p->nrow * sizeof *c->x);
        solved = attempt(c, (k + 1) * DP_ITERATIONS, limit);
    }
    return solved;
}
