// Proximal point around Newton's method on (FC 6), with ρ tied to the proximal compliance.
//
// Each outer step solves the problem with the compliance s·d about the last impulses; the limit is
// the problem without it, and s need not become small. Where the Newton steps of a subproblem do
// not end, s is raised; where they do quickly, it falls.
#include "solve/fc/fc_search.h"

#include "base/interrupt.h"

#include <string.h>

enum { OUTER = 200, NEWTON = 40, HALVINGS = 12, QUICK = 15, SLOW = 25 };

// Of s: how it begins to fall, grows after failures, and where it ends.
static const double FALL = 0.3, LEAST_FALL = 0.8, SMALLEST = 1e-12, LARGEST = 1e4;

// Line searches that find nothing at this part of the impulses have met round-off.
static const double ROUND_OFF = 1e-9;

// Impulses beyond this many times q/d are growing for ever.
static const double BEYOND = 1e6;

static void law(double z[3], double slope[9], const double y[3], double mu, bool cone)
{
    const double size = sqrt(y[1] * y[1] + y[2] * y[2]);
    memset(slope, 0, 9 * sizeof *slope);
    z[0] = z[1] = z[2] = 0.0;
    if (cone ? mu * size <= -y[0] : y[0] <= 0.0) {
        return;
    }
    if (size <= mu * y[0]) {
        memcpy(z, y, 3 * sizeof *z);
        slope[0] = slope[4] = slope[8] = 1.0;
        return;
    }
    const double t[2] = {y[1] / size, y[2] / size};
    const double share = cone ? 1.0 / (1.0 + mu * mu) : 1.0; // of y_n in the normal
    const double normal = cone ? share * (mu * size + y[0]) : y[0];
    const double keep = mu * normal / size; // across the slip
    z[0] = normal;
    slope[0] = share;
    for (int i = 0; i < 2; ++i) {
        z[1 + i] = mu * normal * t[i];
        slope[3 * (1 + i)] = mu * share * t[i];
        slope[1 + i] = cone ? share * mu * t[i] : 0.0;
        for (int j = 0; j < 2; ++j) {
            slope[3 * (1 + i) + 1 + j] = keep * ((i == j ? 1.0 : 0.0) - t[i] * t[j]) +
                                         (cone ? mu * mu * share * t[i] * t[j] : 0.0);
        }
    }
}

typedef struct map {
    dp_fc_variant variant;
    double shift, times; // s, and ρ d
} map;

// F of one contact. @param A, B NULL: not wanted
static void evaluate_contact(double *F, double *A, double *B, const dp_fc_search *s, const map *m,
                             int i, const double *x, const double *u)
{
    const double d = s->w->d[i], mu = s->w->p->mu[i], rho = m->times / d;
    const double *centre = s->centre + 3 * (ptrdiff_t)i;
    double slack[3], y[3], z[3], slope[9];
    for (int k = 0; k < 3; ++k) {
        slack[k] = u[k] + m->shift * d * (x[k] - centre[k]);
    }
    const double slip = m->variant.cone ? sqrt(slack[1] * slack[1] + slack[2] * slack[2]) : 0.0;
    y[0] = x[0] - rho * (slack[0] + (m->variant.cone ? mu * slip : 0.0));
    y[1] = x[1] - rho * slack[1];
    y[2] = x[2] - rho * slack[2];
    law(z, slope, y, mu, m->variant.cone);
    for (int k = 0; k < 3; ++k) {
        F[k] = x[k] - z[k];
    }
    if (!A || !B) {
        return;
    }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            double with = slope[3 * r + c];
            if (c > 0 && slip > 0.0) {
                with += slope[3 * r] * mu * slack[c] / slip;
            }
            A[3 * r + c] = rho * with;
            B[3 * r + c] = (r == c ? 1.0 : 0.0) - slope[3 * r + c] + m->shift * d * A[3 * r + c];
        }
    }
}

// @return Σ d ‖F‖²
static double evaluate(double *F, double *A, double *B, const dp_fc_search *s, const map *m,
                       const double *x, const double *u)
{
    double merit = 0.0;
    for (int i = 0; i < s->w->nc; ++i) {
        const ptrdiff_t at = 3 * (ptrdiff_t)i;
        evaluate_contact(F + at, A ? A + 3 * at : NULL, B ? B + 3 * at : NULL, s, m, i, x + at,
                         u + at);
        merit += s->w->d[i] * (F[at] * F[at] + F[at + 1] * F[at + 1] + F[at + 2] * F[at + 2]);
    }
    return merit;
}

static double offer(dp_fc_search *s, const double *x, const double *u)
{
    dp_fc_residual residual;
    dp_fc_judge_reduced(&residual, s->w, x, u, NULL);
    if (residual.worst < s->best_residual.worst) {
        s->best_residual = residual;
        memcpy(s->best, x, 3 * (size_t)s->w->nc * sizeof *x);
    }
    return residual.worst;
}

static double size_of(const dp_fc_search *s, const double *x, double *most)
{
    double sum = 0.0;
    *most = 0.0;
    for (int i = 0; i < s->w->nc; ++i) {
        const double *at = x + 3 * (ptrdiff_t)i;
        const double square = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
        sum += s->w->d[i] * square;
        *most = square > *most ? square : *most;
    }
    *most = sqrt(*most);
    return sqrt(sum);
}

static bool is_small(const dp_fc_search *s, double merit, double part)
{
    double x_most, F_most;
    const double scale = size_of(s, s->x, &x_most);
    (void)size_of(s, s->F, &F_most);
    return sqrt(merit) <= part * scale && F_most <= 10.0 * part * x_most;
}

static void find_velocities(const dp_fc_search *s, double *u, const double *x)
{
    dp_fc_apply(u, s->w, x);
    for (int i = 0; i < 3 * s->w->nc; ++i) {
        u[i] += s->w->q[i];
    }
}

typedef enum ending { SOLVED, ENDED, FAILED, SPENT } ending;

// Newton steps from s->x, s->u. @param steps how many were made @param err of the centre
static ending newton(dp_fc_search *s, const map *m, double err, int *steps)
{
    const int rows = 3 * s->w->nc;
    const double part = 1e-3 * err < 1e-13 ? 1e-13 : 1e-3 * err > 1e-2 ? 1e-2 : 1e-3 * err;
    double merit = evaluate(s->F, s->A, s->B, s, m, s->x, s->u);
    for (*steps = 0; *steps < NEWTON; ++*steps) {
        if (*steps > 0 && is_small(s, merit, part)) {
            return ENDED;
        }
        if (s->l->factorizations >= s->most || dp_interrupted(200 * (size_t)rows)) {
            return SPENT;
        }
        if (!dp_fc_linear_step(s->l, s->dx, s->du, s->F, s->A, s->B)) {
            return FAILED;
        }
        s->newton += 1;
        double length = 1.0;
        bool found = false;
        for (int half = 0; half < HALVINGS && !found; ++half, length *= found ? 1.0 : 0.5) {
            for (int k = 0; k < rows; ++k) {
                s->trial[k] = s->x[k] + length * s->dx[k];
                s->u_trial[k] = s->u[k] + length * s->du[k];
            }
            const double next = evaluate(s->F, NULL, NULL, s, m, s->trial, s->u_trial);
            const double less = 1.0 - 1e-4 * length;
            found = next < less * less * merit;
        }
        if (!found) {
            (void)evaluate(s->F, NULL, NULL, s, m, s->x, s->u);
            return is_small(s, merit, ROUND_OFF) ? ENDED : FAILED;
        }
        memcpy(s->x, s->trial, (size_t)rows * sizeof *s->x);
        find_velocities(s, s->u, s->x);
        merit = evaluate(s->F, s->A, s->B, s, m, s->x, s->u);
        if (offer(s, s->x, s->u) <= s->tolerance) {
            return SOLVED;
        }
    }
    return FAILED;
}

static bool grows(const dp_fc_search *s)
{
    for (int i = 0; i < s->w->nc; ++i) {
        const double *x = s->centre + 3 * (ptrdiff_t)i;
        if (s->w->d[i] * sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) > BEYOND * s->w->q_most) {
            return true;
        }
    }
    return false;
}

bool dp_fc_proximal(dp_fc_search *s, dp_fc_variant variant)
{
    const size_t bytes = 3 * (size_t)s->w->nc * sizeof *s->x;
    double fall = FALL;
    s->shift = variant.shift;
    memcpy(s->centre, s->x, bytes);
    find_velocities(s, s->u, s->x);
    double err = offer(s, s->x, s->u);
    for (int outer = 0; outer < OUTER && err > s->tolerance && s->shift <= LARGEST; ++outer) {
        const map m = {variant, s->shift, fmax(1.0, variant.coupling / s->shift)};
        int steps;
        memcpy(s->x, s->centre, bytes);
        find_velocities(s, s->u, s->x);
        const ending end = newton(s, &m, err, &steps);
        s->outer += 1;
        if (end == SOLVED || end == SPENT) {
            return end == SOLVED;
        }
        const double reached = offer(s, s->x, s->u);
        if (end == ENDED || reached < err) { // what failed may still be better
            memcpy(s->centre, s->x, bytes);
            err = reached;
        }
        if (end == FAILED) {
            s->failed += 1;
            s->shift *= 3.0;
            fall = fmin(LEAST_FALL, sqrt(fall));
        } else if (steps <= QUICK) {
            s->shift = fmax(fall * s->shift, SMALLEST);
            fall = fmax(FALL, 0.7 * fall);
        } else if (steps > SLOW) {
            s->shift *= 2.0;
        }
        if (grows(s)) {
            s->diverged = true;
            return false;
        }
    }
    return err <= s->tolerance;
}
