// The point of least norm of (CP 1): Newton's method on the dual problem (CP 2), whose gradient
// e − E P_K(Eᵀy) is piecewise smooth, with a line search
// [QiSun1993].
//
// Departure. Where only some of K is within reach the second derivative is singular: it is shifted
// by a multiple of the length of the gradient, which goes to zero with it.
#include "base/interrupt.h"
#include "linalg/dense.h"
#include "linalg/vector.h"
#include "solve/cones/cone_program.h"

#include <math.h>
#include <string.h>

static const double TOLERANCE = 1e-14; // ‖E x − e‖ over 1 + ‖e‖
static const double SHIFT = 1e-6;      // of the second derivative, over the gradient
static const double LEAST_SHIFT = 1e-14;
static const double ENOUGH = 1e-4; // of the promised rise [Armijo1966]
enum { MOST_STEPS = 200, MOST_HALVINGS = 40 };

typedef struct dual {
    const dp_cone_program *p;
    double *y, *trial, *step;   // m
    double *z, *x;              // n
    double *missing;            // m: e − E x
    double *slope;              // of P_K, factor by factor
    double *H, *part, *scratch; // m × m, m × DP_CONTACT_ROWS, m
    int *row, *column;          // m
    double value;               // of the dual
} dual;

// z, x, the gradient and the value at y.
static void evaluate(dual *d, const double *y, bool with_slope)
{
    const dp_cone_program *p = d->p;
    memset(d->z, 0, (size_t)p->n * sizeof *d->z);
    dp_add_transposed(d->z, p->E, y, p->m, p->n, 1.0);
    double *slope = d->slope;
    for (int c = 0; c < p->ncone; ++c) {
        const int first = p->cone[c].first, size = dp_cone_size(&p->cone[c]);
        dp_cone_project(d->x + first, with_slope ? slope : NULL, &p->cone[c], d->z + first);
        slope += size * size;
    }
    d->value = dp_dot(p->e, y, p->m) + 0.5 * dp_dot(d->x, d->x, p->n) - dp_dot(d->x, d->z, p->n);
    for (int i = 0; i < p->m; ++i) {
        d->missing[i] = p->e[i] - dp_dot(p->E + (size_t)i * (size_t)p->n, d->x, p->n);
    }
}

// H += E_c D E_cᵀ of one factor of K
static void add_factor(dual *d, const dp_cone *cone, const double *slope)
{
    const dp_cone_program *p = d->p;
    const size_t n = (size_t)p->n;
    const int size = dp_cone_size(cone);
    for (int i = 0; i < p->m; ++i) {
        const double *E = p->E + (size_t)i * n + cone->first;
        for (int b = 0; b < size; ++b) {
            double sum = 0.0;
            for (int a = 0; a < size; ++a) {
                sum += E[a] * slope[a * size + b];
            }
            d->part[i * size + b] = sum;
        }
    }
    for (int i = 0; i < p->m; ++i) {
        for (int k = 0; k < p->m; ++k) {
            const double *E = p->E + (size_t)k * n + cone->first;
            double sum = 0.0;
            for (int b = 0; b < size; ++b) {
                sum += d->part[i * size + b] * E[b];
            }
            d->H[(size_t)i * (size_t)p->m + (size_t)k] += sum;
        }
    }
}

static void find_step(dual *d, double gradient)
{
    const dp_cone_program *p = d->p;
    const size_t m = (size_t)p->m;
    memset(d->H, 0, m * m * sizeof *d->H);
    const double *slope = d->slope;
    for (int c = 0; c < p->ncone; ++c) {
        add_factor(d, &p->cone[c], slope);
        slope += dp_cone_size(&p->cone[c]) * dp_cone_size(&p->cone[c]);
    }
    for (size_t i = 0; i < m; ++i) {
        d->H[i * m + i] += LEAST_SHIFT + SHIFT * fmin(gradient, 1.0);
    }
    dp_dense f = {.LU = d->H, .row = d->row, .column = d->column, .value = d->scratch};
    dp_dense_factor(&f, p->m, 0.0);
    dp_dense_solve(d->step, &f, d->missing);
}

// Go along the step as far as the dual rises; false: it does not, to round-off.
static bool go(dual *d)
{
    const dp_cone_program *p = d->p;
    const double before = d->value, size = dp_norm(d->missing, p->m);
    const double promised = dp_dot(d->step, d->missing, p->m);
    double t = 1.0;
    for (int k = 0; k < MOST_HALVINGS; ++k, t *= 0.5) {
        for (int i = 0; i < p->m; ++i) {
            d->trial[i] = d->y[i] + t * d->step[i];
        }
        evaluate(d, d->trial, true);
        // near the end the value is round-off, and the gradient decides
        if (d->value >= before + ENOUGH * t * promised || dp_norm(d->missing, p->m) < 0.5 * size) {
            memcpy(d->y, d->trial, (size_t)p->m * sizeof *d->y);
            return true;
        }
    }
    return false;
}

static dp_status take_room(dual *d, dp_pool *pool)
{
    const size_t n = (size_t)d->p->n, m = (size_t)d->p->m;
    double **const of_m[] = {&d->y, &d->trial, &d->step, &d->missing, &d->scratch};
    for (size_t k = 0; k < sizeof of_m / sizeof *of_m; ++k) {
        DP_TRY(dp_pool_take(of_m[k], pool, m, sizeof(double)));
    }
    DP_TRY(dp_pool_take(&d->z, pool, n, sizeof(double)));
    DP_TRY(dp_pool_take(&d->x, pool, n, sizeof(double)));
    DP_TRY(dp_pool_take(&d->slope, pool, n * DP_CONTACT_ROWS, sizeof(double)));
    DP_TRY(dp_pool_take(&d->H, pool, m * m, sizeof(double)));
    DP_TRY(dp_pool_take(&d->part, pool, m * DP_CONTACT_ROWS, sizeof(double)));
    DP_TRY(dp_pool_take(&d->row, pool, m, sizeof(int)));
    return dp_pool_take(&d->column, pool, m, sizeof(int));
}

dp_status dp_cone_least(double *x, double *missed, const dp_cone_program *p,
                        const dp_allocator *allocator)
{
    dp_pool pool;
    dual d = {.p = p};
    dp_pool_init(&pool, allocator);
    const dp_status status = take_room(&d, &pool);
    if (status == DP_OK) {
        if (p->m > 0) { // the least norm without K
            memcpy(d.y, p->e, (size_t)p->m * sizeof *d.y);
        }
        evaluate(&d, d.y, true);
        double gradient = dp_norm(d.missing, p->m);
        const double enough = TOLERANCE * (1.0 + dp_norm(p->e, p->m));
        *missed = gradient;
        memcpy(x, d.x, (size_t)p->n * sizeof *x);
        const size_t work = (size_t)p->m * (size_t)p->m * (size_t)(p->m + p->n);
        for (int k = 0; k < MOST_STEPS && gradient > enough && !dp_interrupted(work); ++k) {
            find_step(&d, gradient);
            if (!go(&d)) {
                break;
            }
            gradient = dp_norm(d.missing, p->m);
            if (gradient < *missed) {
                *missed = gradient;
                memcpy(x, d.x, (size_t)p->n * sizeof *x);
            }
        }
    }
    dp_pool_destroy(&pool);
    return status;
}
