// Are links sound, and do they say the same as the matrices beside them? The latter is tried on one
// vector of velocities: who writes a file by other means should learn of a mistake, and no more.
#include "base/memory.h"
#include "problem/gradient.h"
#include "problem/laws/contact_law.h"
#include "problem/links/links.h"
#include "problem/problem_check.h"

#include <math.h>

enum { NUMBERS = 10 }; // of the inertia of a link

static dp_status check_numbers(const dp_step_problem *p)
{
    const dp_links *l = p->links;
    for (int i = 0; i < l->n; ++i) {
        bool finite = dp_v3_finite(l->offset[i]);
        for (int k = 0; k < NUMBERS; ++k) {
            finite = finite && isfinite(l->inertia[NUMBERS * (ptrdiff_t)i + k]);
        }
        if (!finite) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "links: offset or inertia of link %d is not finite (expected numbers)",
                           i);
        }
    }
    for (int k = 0; k < p->nv; ++k) {
        if (!dp_v3_finite(l->motion[k].w) || !dp_v3_finite(l->motion[k].v) ||
            !(l->diagonal[k] >= 0.0 && isfinite(l->diagonal[k]))) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "links: motion or diagonal of velocity %d (expected finite numbers, the "
                           "latter 0 or more)",
                           k);
        }
    }
    for (int r = 0; r < p->nrow; ++r) {
        if (!dp_v3_finite(l->along[r].t) || !dp_v3_finite(l->along[r].f)) {
            return dp_fail(DP_ERROR_ARGUMENT, "links: along[%d] is not finite (expected numbers)",
                           r);
        }
    }
    return DP_OK;
}

dp_status dp_links_check_places(const dp_step_problem *p)
{
    const dp_links *l = p->links;
    if (p->ntree != 1) {
        return dp_fail(DP_ERROR_ARGUMENT, "links: found %d trees (expected one)", p->ntree);
    }
    for (int i = 0; i < l->n; ++i) {
        if (l->parent[i] < -1 || l->parent[i] >= i) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "links: parent[%d] is %d (expected -1, or one before it)", i,
                           l->parent[i]);
        }
    }
    DP_TRY(dp_problem_check_starts(l->first, l->n, p->nv, "links: first"));
    for (int b = 0; b < p->nblock; ++b) {
        const int on = l->on[b], most = on < 0 ? 1 : DP_CONTACT_ROWS;
        if (on >= l->n || on < -p->nv) {
            return dp_fail(DP_ERROR_ARGUMENT, "links: on[%d] is %d (expected %d to %d)", b, on,
                           -p->nv, l->n - 1);
        }
        if (p->row_start[b + 1] - p->row_start[b] > most) {
            return dp_fail(
                DP_ERROR_ARGUMENT, "links: block %d has %d rows (expected at most %d on %s)", b,
                p->row_start[b + 1] - p->row_start[b], most, on < 0 ? "a velocity" : "a link");
        }
    }
    return DP_OK;
}

// Velocities to try, none of them 0.
static double trial(int i)
{
    const double few[] = {1.0, -0.5, 0.25, 0.75, -1.0};
    return few[i % 5];
}

// Two numbers whose terms have that size.
static bool agree(double a, double b, double size)
{
    const double nearly = 1e-9;
    return fabs(a - b) <= nearly * size;
}

// @param x, y, size nv. @return DP_OK, or what differs
static dp_status compare(const dp_step_problem *p, double *x, double *y, double *size, dp_twist *V,
                         dp_wrench *F)
{
    for (int i = 0; i < p->nv; ++i) {
        x[i] = trial(i);
    }
    dp_links_apply(y, p->links, x, V, F);
    for (int i = 0; i < p->nv; ++i) { // y − M̃ x
        const double *element = p->Mt + p->Mt_start[i];
        size[i] = fabs(y[i]);
        for (int j = i; j >= 0; j = p->parent[j], ++element) {
            y[i] -= *element * x[j];
            size[i] += fabs(*element * x[j]);
            if (j < i) {
                y[j] -= *element * x[i];
                size[j] += fabs(*element * x[i]);
            }
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        if (!agree(y[i], 0.0, size[i])) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "links: velocity %d has another mass than Mt (expected the same)", i);
        }
    }
    dp_links_move(V, p->links, x);
    for (int b = 0; b < p->nblock; ++b) {
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            const double rate = dp_links_rate(p->links, b, r, V, x);
            double u = 0.0, terms = fabs(rate);
            for (int k = 0; k < ncol; ++k) {
                u += G[k] * x[col[k]];
                terms += fabs(G[k] * x[col[k]]);
            }
            if (!agree(rate, u, terms)) {
                return dp_fail(DP_ERROR_ARGUMENT,
                               "links: row %d has another gradient than G (expected the same)", r);
            }
        }
    }
    return DP_OK;
}

dp_status dp_links_check(const dp_step_problem *p, const dp_allocator *a)
{
    DP_TRY(dp_links_check_places(p));
    DP_TRY(check_numbers(p));
    const size_t n = (size_t)p->links->n, nv = (size_t)p->nv;
    double *x = NULL;
    dp_twist *V = NULL;
    dp_wrench *F = NULL;
    dp_status status = dp_allocate(&x, a, 3 * nv, sizeof *x);
    status = status != DP_OK ? status : dp_allocate(&V, a, n, sizeof *V);
    status = status != DP_OK ? status : dp_allocate(&F, a, n, sizeof *F);
    status = status != DP_OK ? status : compare(p, x, x + nv, x + 2 * nv, V, F);
    dp_release(a, F, n, sizeof *F);
    dp_release(a, V, n, sizeof *V);
    dp_release(a, x, 3 * nv, sizeof *x);
    return status;
}
