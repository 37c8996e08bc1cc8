// An interior point method for cone programs: Newton steps on (CP 1) with sᵀz > 0, scaled by W
// [NesterovTodd1997], each with a prediction and a correction [Mehrotra1992].
//
// W is the scaling, W z = W⁻¹ s = λ. A step solves
//
//     [ H      −Cᵀ W⁻¹ ] [  dx  ]   [ −r_x           ]      r_x = H x + g − Cᵀ z
//     [ W⁻¹ C     1    ] [ W dz ] = [ r_s − W⁻¹ r_z  ],     r_z = C x − d − s,   ds = r_z + C dx.
//
// It is solved as it is, by elimination with pivots: where W⁻¹ is large the smaller matrix
// H + Cᵀ W⁻² C would have lost what H says.
//
// To be included once, by what says which numbers it takes.
#ifndef DASHPOT_CLI_CONVEX_CONE_METHOD_H
#define DASHPOT_CLI_CONVEX_CONE_METHOD_H

#include "methods/convex_cone.h"

#include <stdlib.h>

typedef cli_twofold real;

typedef struct cone_work {
    const cli_cone_program *p;
    int n, rows, size;
    double scale;    // of the objective: its largest weight
    real *x, *s, *z; // n, rows, rows
    real *dx, *ds, *dz;
    real *W, *inverse, *column; // 9 for each row of the first kind and each cone; rows
    real *lambda, *rs;          // rows
    real *rx, *rz;
    real *K, *rhs; // size × size, size
    int *pivot;
} cone_work;

static real zero(void)
{
    return cli_twofold_of(0.0);
}

static bool make_work(cone_work *w, const cli_cone_program *p, void **memory)
{
    const size_t n = (size_t)p->n, rows = (size_t)p->linear + 3 * (size_t)p->cones, size = n + rows;
    const size_t count = 3 * n + 8 * rows + 6 * rows + size * size + size;
    *w = (cone_work){.p = p, .n = p->n, .rows = (int)rows, .size = (int)size, .scale = 0.0};
    real *at = malloc((count > 0 ? count : 1) * sizeof *at);
    w->pivot = malloc((size > 0 ? size : 1) * sizeof *w->pivot);
    *memory = at;
    if (!at || !w->pivot) {
        return false;
    }
    real **const part[] = {&w->x,  &w->dx, &w->rx,     &w->s, &w->z,       &w->ds,     &w->dz,
                           &w->rz, &w->rs, &w->lambda, &w->W, &w->inverse, &w->column, &w->K};
    const size_t length[] = {n,    n,    n,    rows,     rows,     rows, rows,
                             rows, rows, rows, 3 * rows, 3 * rows, rows, size * size};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        *part[i] = at;
        at += length[i];
    }
    w->rhs = at;
    for (int i = 0; i < p->n; ++i) {
        w->scale = fmax(w->scale, fabs(p->H[i * p->n + i].hi));
    }
    w->scale = w->scale > 0.0 ? w->scale : 1.0;
    return true;
}

// --- the cone ---------------------------------------------------------------------------------

static bool is_cone(const cone_work *w, int row)
{
    return row >= w->p->linear;
}

static int next_row(const cone_work *w, int row)
{
    return row + (is_cone(w, row) ? 3 : 1);
}

static real across(const real *a)
{
    return cli_root(cli_plus(cli_times(a[1], a[1]), cli_times(a[2], a[2])));
}

// √(a₀² − ‖(a₁, a₂)‖²)
static real depth(const real *a)
{
    const real t = across(a);
    return cli_root(cli_times(cli_minus(a[0], t), cli_plus(a[0], t)));
}

static real dot3(const real *a, const real *b)
{
    return cli_plus(cli_times(a[0], b[0]), cli_plus(cli_times(a[1], b[1]), cli_times(a[2], b[2])));
}

// W of a cone and its inverse, from s and z.
static void scaling(real W[9], real inverse[9], const real *s, const real *z)
{
    const real of_s = depth(s), of_z = depth(z), one = cli_twofold_of(1.0);
    real a[3], b[3], v[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = cli_over(s[i], of_s);
        b[i] = cli_over(z[i], of_z);
    }
    const real both = cli_plus(one, dot3(a, b));
    const real c = cli_root(cli_plus(both, both)); // 2 √((1 + aᵀb)/2)
    for (int i = 0; i < 3; ++i) {
        v[i] = cli_over(i == 0 ? cli_plus(a[i], b[i]) : cli_minus(a[i], b[i]), c);
    }
    const real eta = cli_root(cli_over(of_s, of_z));
    const real bend = cli_over(one, cli_plus(one, v[0]));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            real e = i == 0 ? v[j] : v[i];
            if (i > 0 && j > 0) {
                e = cli_times(bend, cli_times(v[i], v[j]));
                e = i == j ? cli_plus(one, e) : e;
            }
            W[3 * i + j] = cli_times(eta, e);
            e = cli_over(e, eta);
            inverse[3 * i + j] = (i == 0) == (j == 0) ? e : cli_minus(zero(), e);
        }
    }
}

static void find_scaling(cone_work *w)
{
    for (int r = 0; r < w->rows; r = next_row(w, r)) {
        if (is_cone(w, r)) {
            scaling(w->W + 3 * r, w->inverse + 3 * r, w->s + r, w->z + r);
        } else {
            w->W[3 * r] = cli_root(cli_over(w->s[r], w->z[r]));
            w->inverse[3 * r] = cli_over(cli_twofold_of(1.0), w->W[3 * r]);
        }
    }
}

// out = W a, or W⁻¹ a
static void scale_by(const cone_work *w, real *out, const real *by, const real *a)
{
    for (int r = 0; r < w->rows; r = next_row(w, r)) {
        const real *W = by + 3 * r;
        if (!is_cone(w, r)) {
            out[r] = cli_times(W[0], a[r]);
            continue;
        }
        const real b[3] = {dot3(W, a + r), dot3(W + 3, a + r), dot3(W + 6, a + r)};
        for (int i = 0; i < 3; ++i) {
            out[r + i] = b[i];
        }
    }
}

// out of λ ∘ out = a, the product (a ∘ b) = (aᵀb, a₀ b₁ + b₀ a₁, …)
static void divide(const cone_work *w, real *out, const real *a)
{
    for (int r = 0; r < w->rows; r = next_row(w, r)) {
        const real *l = w->lambda + r;
        if (!is_cone(w, r)) {
            out[r] = cli_over(a[r], l[0]);
            continue;
        }
        const real d = depth(l);
        const real first =
            cli_over(cli_minus(cli_times(l[0], a[r]),
                               cli_plus(cli_times(l[1], a[r + 1]), cli_times(l[2], a[r + 2]))),
                     cli_times(d, d));
        for (int i = 1; i < 3; ++i) {
            out[r + i] = cli_over(cli_minus(a[r + i], cli_times(first, l[i])), l[0]);
        }
        out[r] = first;
    }
}

// −λ ∘ λ − a ∘ b + c e
static void complement(const cone_work *w, real *out, const real *a, const real *b, real c)
{
    for (int r = 0; r < w->rows; r = next_row(w, r)) {
        const real *l = w->lambda + r;
        if (!is_cone(w, r)) {
            out[r] = cli_minus(c, cli_plus(cli_times(l[0], l[0]), cli_times(a[r], b[r])));
            continue;
        }
        real o[3] = {cli_minus(c, cli_plus(dot3(l, l), dot3(a + r, b + r))), zero(), zero()};
        for (int i = 1; i < 3; ++i) {
            const real own = cli_times(l[0], l[i]);
            o[i] = cli_minus(
                zero(), cli_plus(cli_plus(own, own),
                                 cli_plus(cli_times(a[r], b[r + i]), cli_times(b[r], a[r + i]))));
        }
        for (int i = 0; i < 3; ++i) {
            out[r + i] = o[i];
        }
    }
}

// The longest part of the way d from a that stays in K.
static double longest(const cone_work *w, const real *a, const real *d)
{
    double most = INFINITY;
    for (int r = 0; r < w->rows; r = next_row(w, r)) {
        if (!is_cone(w, r)) {
            const double ratio = cli_over(d[r], a[r]).hi;
            most = ratio < 0.0 ? fmin(most, -1.0 / ratio) : most;
            continue;
        }
        const real size = depth(a + r), one = cli_twofold_of(1.0);
        real u[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = cli_over(a[r + i], size);
        }
        const real along = cli_minus(
            cli_times(u[0], d[r]), cli_plus(cli_times(u[1], d[r + 1]), cli_times(u[2], d[r + 2])));
        const real part = cli_over(cli_plus(along, d[r]), cli_plus(u[0], one));
        const real side[3] = {zero(), cli_minus(d[r + 1], cli_times(part, u[1])),
                              cli_minus(d[r + 2], cli_times(part, u[2]))};
        const double inverse = cli_over(cli_minus(across(side), along), size).hi;
        most = inverse > 0.0 ? fmin(most, 1.0 / inverse) : most;
    }
    return most;
}

// --- a step -----------------------------------------------------------------------------------

static real weight(const cone_work *w, real a)
{
    return cli_over(a, cli_twofold_of(w->scale));
}

// The matrix as L U with rows exchanged. False: no pivot.
static bool factor(cone_work *w)
{
    const int n = w->n, size = w->size;
    for (int i = 0; i < size * size; ++i) {
        w->K[i] = zero();
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            w->K[i * size + j] = weight(w, w->p->H[i * n + j]);
        }
        for (int r = 0; r < w->rows; ++r) {
            w->column[r] = w->p->C[r * n + i];
        }
        scale_by(w, w->column, w->inverse, w->column);
        for (int r = 0; r < w->rows; ++r) {
            w->K[(n + r) * size + i] = w->column[r];
            w->K[i * size + n + r] = cli_minus(zero(), w->column[r]);
        }
    }
    for (int r = n; r < size; ++r) {
        w->K[r * size + r] = cli_twofold_of(1.0);
    }
    for (int c = 0; c < size; ++c) {
        int best = c;
        for (int i = c + 1; i < size; ++i) {
            best = fabs(w->K[i * size + c].hi) > fabs(w->K[best * size + c].hi) ? i : best;
        }
        w->pivot[c] = best;
        for (int j = 0; j < size && best != c; ++j) {
            const real keep = w->K[c * size + j];
            w->K[c * size + j] = w->K[best * size + j];
            w->K[best * size + j] = keep;
        }
        const real pivot = w->K[c * size + c];
        if (!(fabs(pivot.hi) > 0.0)) {
            return false;
        }
        for (int i = c + 1; i < size; ++i) {
            real *row = w->K + i * size;
            if (row[c].hi == 0.0) {
                continue;
            }
            row[c] = cli_over(row[c], pivot);
            for (int j = c + 1; j < size; ++j) {
                row[j] = cli_minus(row[j], cli_times(row[c], w->K[c * size + j]));
            }
        }
    }
    return true;
}

static void back_substitute(cone_work *w)
{
    const int size = w->size;
    for (int c = 0; c < size; ++c) {
        const real keep = w->rhs[c];
        w->rhs[c] = w->rhs[w->pivot[c]];
        w->rhs[w->pivot[c]] = keep;
    }
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < i; ++j) {
            w->rhs[i] = cli_minus(w->rhs[i], cli_times(w->K[i * size + j], w->rhs[j]));
        }
    }
    for (int i = size - 1; i >= 0; --i) {
        for (int j = i + 1; j < size; ++j) {
            w->rhs[i] = cli_minus(w->rhs[i], cli_times(w->K[i * size + j], w->rhs[j]));
        }
        w->rhs[i] = cli_over(w->rhs[i], w->K[i * size + i]);
    }
}

// dx, dz and ds for the right-hand side `rs` of the scaled complementarity.
static void direction(cone_work *w)
{
    divide(w, w->rs, w->rs);
    scale_by(w, w->column, w->inverse, w->rz);
    for (int i = 0; i < w->n; ++i) {
        w->rhs[i] = cli_minus(zero(), w->rx[i]);
    }
    for (int r = 0; r < w->rows; ++r) {
        w->rhs[w->n + r] = cli_minus(w->rs[r], w->column[r]);
    }
    back_substitute(w);
    for (int i = 0; i < w->n; ++i) {
        w->dx[i] = w->rhs[i];
    }
    scale_by(w, w->dz, w->inverse, w->rhs + w->n);
    for (int r = 0; r < w->rows; ++r) {
        // from r_z, which keeps s = C x − d to the last bit
        w->ds[r] = w->rz[r];
        for (int i = 0; i < w->n; ++i) {
            w->ds[r] = cli_plus(w->ds[r], cli_times(w->p->C[r * w->n + i], w->dx[i]));
        }
    }
}

static void find_residuals(cone_work *w)
{
    const int n = w->n;
    for (int i = 0; i < n; ++i) {
        real sum = weight(w, w->p->g[i]);
        for (int j = 0; j < n; ++j) {
            sum = cli_plus(sum, cli_times(weight(w, w->p->H[i * n + j]), w->x[j]));
        }
        for (int r = 0; r < w->rows; ++r) {
            sum = cli_minus(sum, cli_times(w->p->C[r * n + i], w->z[r]));
        }
        w->rx[i] = sum;
    }
    for (int r = 0; r < w->rows; ++r) {
        real sum = cli_minus(zero(), cli_plus(w->p->d[r], w->s[r]));
        for (int j = 0; j < n; ++j) {
            sum = cli_plus(sum, cli_times(w->p->C[r * n + j], w->x[j]));
        }
        w->rz[r] = sum;
    }
}

static real gap_of(const cone_work *w)
{
    real gap = zero();
    for (int r = 0; r < w->rows; ++r) {
        gap = cli_plus(gap, cli_times(w->s[r], w->z[r]));
    }
    return gap;
}

static void move(cone_work *w, double part)
{
    const real a = cli_twofold_of(part);
    for (int i = 0; i < w->n; ++i) {
        w->x[i] = cli_plus(w->x[i], cli_times(a, w->dx[i]));
    }
    for (int r = 0; r < w->rows; ++r) {
        w->s[r] = cli_plus(w->s[r], cli_times(a, w->ds[r]));
        w->z[r] = cli_plus(w->z[r], cli_times(a, w->dz[r]));
    }
}

// A point well within K: what ought to be there, moved along the axes of the cones.
static void put_within(const cone_work *w, real *a)
{
    double out = -INFINITY, size = 0.0;
    for (int r = 0; r < w->rows; r = next_row(w, r)) {
        const double t = is_cone(w, r) ? across(a + r).hi : 0.0;
        out = fmax(out, t - a[r].hi);
        size = fmax(size, fmax(t, fabs(a[r].hi)));
    }
    const double least = 1e-3 * size + 1e-9;
    for (int r = 0; r < w->rows && out > -least; r = next_row(w, r)) {
        a[r] = cli_plus(a[r], cli_twofold_of(out + size + least));
    }
}

// The minimum of the objective and ½ ‖C x − d‖² together.
static bool start(cone_work *w)
{
    for (int r = 0; r < w->rows; ++r) {
        w->s[r] = w->z[r] = cli_twofold_of(is_cone(w, r) && (r - w->p->linear) % 3 ? 0.0 : 1.0);
    }
    for (int i = 0; i < w->n; ++i) {
        w->x[i] = zero();
    }
    find_scaling(w);
    if (!factor(w)) {
        return false;
    }
    for (int i = 0; i < w->n; ++i) {
        w->rhs[i] = cli_minus(zero(), weight(w, w->p->g[i]));
    }
    for (int r = 0; r < w->rows; ++r) {
        w->rhs[w->n + r] = w->p->d[r];
    }
    back_substitute(w);
    for (int i = 0; i < w->n; ++i) {
        w->x[i] = w->rhs[i];
    }
    for (int r = 0; r < w->rows; ++r) {
        w->z[r] = w->rhs[w->n + r];
        w->s[r] = cli_minus(zero(), w->z[r]);
    }
    put_within(w, w->s);
    put_within(w, w->z);
    return true;
}

// How far x may be from the solution, as in cli_cone_judge but with what is available.
static double doubt(const cone_work *w)
{
    double r = 0.0, out = 0.0;
    for (int i = 0; i < w->n; ++i) {
        r = hypot(r, w->rx[i].hi);
    }
    for (int i = 0; i < w->rows; ++i) {
        out = fmax(out, fabs(w->rz[i].hi));
    }
    const double c = w->p->convexity / w->scale;
    return sqrt(fabs(gap_of(w).hi) / c) + r / c + out;
}

// Is a + part d within K, and a number?
static bool is_within(const cone_work *w, const real *a, const real *d, double part)
{
    bool within = true;
    for (int r = 0; r < w->rows; r = next_row(w, r)) {
        real e[3] = {zero(), zero(), zero()};
        for (int i = 0; i < (is_cone(w, r) ? 3 : 1); ++i) {
            e[i] = cli_plus(a[r + i], cli_times(cli_twofold_of(part), d[r + i]));
        }
        within = within && cli_minus(e[0], across(e)).hi > 0.0 && isfinite(e[0].hi);
    }
    return within;
}

// One prediction and correction. False: no way on.
static bool improve(cone_work *w)
{
    find_scaling(w);
    scale_by(w, w->lambda, w->W, w->z);
    if (!factor(w)) {
        return false;
    }
    const int degree = w->p->linear + w->p->cones;
    const double gap = gap_of(w).hi;
    for (int r = 0; r < w->rows; ++r) {
        w->ds[r] = w->dz[r] = zero();
    }
    complement(w, w->rs, w->ds, w->dz, zero());
    direction(w);
    const double reach = fmin(1.0, fmin(longest(w, w->s, w->ds), longest(w, w->z, w->dz)));
    // The product of the predicted changes, W⁻¹ ds = r_s/λ − W dz, with r_s/λ = −λ.
    scale_by(w, w->dz, w->W, w->dz);
    for (int r = 0; r < w->rows; ++r) {
        w->ds[r] = cli_minus(zero(), cli_plus(w->lambda[r], w->dz[r]));
    }
    const double left = 1.0 - reach;
    const double centre = degree > 0 ? left * left * left * gap / degree : 0.0;
    complement(w, w->rs, w->ds, w->dz, cli_twofold_of(centre));
    direction(w);
    const double most = fmin(longest(w, w->s, w->ds), longest(w, w->z, w->dz));
    double part = fmin(1.0, (left < 0.01 ? 0.9999 : 0.99) * most);
    bool way = false;
    for (int k = 0; k < 5 && part > 1e-8 && !way; ++k) {
        way = is_within(w, w->s, w->ds, part) && is_within(w, w->z, w->dz, part);
        part *= way ? 1.0 : 0.9; // round-off of what is almost on the rim
    }
    if (way) {
        move(w, part);
    }
    return way;
}

static void keep(const cone_work *w, real *x, real *z)
{
    for (int i = 0; i < w->n; ++i) {
        x[i] = w->x[i];
    }
    for (int r = 0; r < w->rows; ++r) {
        z[r] = cli_times(cli_twofold_of(w->scale), w->z[r]);
    }
}

// Until it is as good as asked for or, for some iterations, no better than it has been: round-off.
static bool solve_cone_program(cli_cone_solution *out, const cli_cone_program *p, double tolerance)
{
    enum { MOST = 100, PATIENCE = 15 };
    cone_work w;
    void *memory;
    const bool fine = make_work(&w, p, &memory);
    if (fine) {
        double best = INFINITY;
        bool goes_on = start(&w);
        out->iterations = 0;
        keep(&w, out->x, out->z);
        for (int idle = 0; goes_on && out->iterations < MOST && idle < PATIENCE;) {
            find_residuals(&w);
            const double now = doubt(&w);
            idle = now < best ? 0 : idle + 1;
            if (now < best) {
                best = now;
                keep(&w, out->x, out->z);
            }
            goes_on = best > 0.5 * tolerance && improve(&w);
            out->iterations += goes_on;
        }
        out->residual = cli_cone_judge(p, out->x, out->z);
    }
    free(w.pivot);
    free(memory);
    return fine;
}

#endif
