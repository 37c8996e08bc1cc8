// The homogeneous embedding of (CI 1): with τ, κ ≥ 0 and τκ = 0,
//
//     P x + c τ − Aᵀz = 0,   s = A x + R z − b τ,   κ = bᵀz − cᵀx − (xᵀP x + zᵀR z)/τ.      (CI 2)
//
// Where τ stays above 0, (x, z)/τ is a solution. Where κ does, z is a proof that there is none:
// Aᵀz = 0, R z = 0 and bᵀz > 0. Where both vanish the program is at the edge between the two, and
// z/τ grows without bound. Newton's method with the scaling of Nesterov and Todd, W z = W⁻¹s = λ, a
// predictor and a corrector [GoulartChen2024, AndersenRoosTerlaky2003].
//
// Departure. Solutions are wanted to round-off, also where z is not unique. Of the matrix
// [P, −Aᵀ; A, R + W²] only rows of cones with a moderate W⁻¹ are eliminated, in product form, by
// B = W⁻¹A and P + BᵀB; what remains is factored with complete pivoting, and its solutions are
// refined.
#include "solve/cones/interior_point.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { REFINEMENTS = 2, IN_VAIN = 12 };
static const double BACK = 0.985;   // of the way to the boundary
static const double DONE = 1e-15;   // of what a solution is off by
static const double PROVEN = 1e14;  // dp_interior_result.proof
static const double STUCK = 1e-9;   // shorter steps lead nowhere
static const double LEAST = 1e-280; // of τ and κ

typedef struct interior {
    const dp_interior_program *p;
    double *x, *z, *s; // n, m behind them, m
    double tau, kappa;
    double *rest_x, *rest_z, rest_tau; // residuals of (CI 2)
    double *dx, *dz, *ds, dtau, dkappa;
    double *slope, squares;    // N: of xᵀP x/τ + zᵀR z/τ + cᵀx − bᵀz; xᵀP x + zᵀR z
    double *w;                 // m: w̄ of each cone
    double *eta;               // ncone
    double *lambda;            // m
    bool *eliminated;          // ncone
    int *place, *stay, nstay;  // m, nstay: the other rows in the matrix, −1: eliminated
    double *T;                 // m × DP_INTERIOR_WIDEST: of each cone, size × size
    double *LU, *reduced;      // N × N, N: of n and the rows that stay
    int *row, *column;         // N
    double *right, *one, *two; // N: a right side, its solution, and that of what belongs to τ
    double *left, *pivot;      // N: scratch
    double *corrector, *scratch, *part; // m
    double degree;
} interior;

// ---- cones

// s_0² − ‖s_1‖², without the cancellation.
static double lorentz(const double *s, int size)
{
    const double tail = sqrt(dp_dot(s + 1, s + 1, size - 1));
    return (s[0] - tail) * (s[0] + tail);
}

// W a, or W⁻¹ a, of a Lorentz cone.
static void scale_lorentz(double *out, const double *w, double eta, int size, const double *a,
                          bool inverse)
{
    const double sign = inverse ? -1.0 : 1.0, by = inverse ? 1.0 / eta : eta;
    const double tail = dp_dot(w + 1, a + 1, size - 1), head = a[0];
    const double along = sign * head + tail / (1.0 + w[0]);
    out[0] = by * (w[0] * head + sign * tail);
    for (int i = 1; i < size; ++i) {
        out[i] = by * (a[i] + along * w[i]);
    }
}

// W a or W⁻¹ a. Rows that are in no cone stay 0 here and in all that follows.
static void scale(double *out, const interior *o, const double *a, bool inverse)
{
    for (int k = 0; k < o->p->ncone; ++k) {
        const dp_interior_cone *cone = &o->p->cone[k];
        const int f = cone->first;
        scale_lorentz(out + f, o->w + f, o->eta[k], cone->size, a + f, inverse);
    }
}

// @return false where round-off has led to the boundary
static bool find_scaling(interior *o)
{
    for (int k = 0; k < o->p->ncone; ++k) {
        const dp_interior_cone *cone = &o->p->cone[k];
        const int size = cone->size;
        double *w = o->w + cone->first;
        const double *s = o->s + cone->first, *z = o->z + cone->first;
        const double ss = lorentz(s, size), zz = lorentz(z, size);
        if (!(ss > 0.0 && zz > 0.0 && s[0] > 0.0 && z[0] > 0.0)) {
            return false;
        }
        const double sj = sqrt(ss), zj = sqrt(zz);
        const double gamma = sqrt(0.5 * (1.0 + dp_dot(s, z, size) / (sj * zj)));
        for (int i = 1; i < size; ++i) {
            w[i] = (s[i] / sj - z[i] / zj) / (2.0 * gamma);
        }
        w[0] = sqrt(1.0 + dp_dot(w + 1, w + 1, size - 1));
        o->eta[k] = sqrt(sj / zj);
    }
    scale(o->lambda, o, o->z, false);
    return true;
}

// out = λ \ a, the solution of λ ∘ out = a. out may be a.
static void divide(double *out, const interior *o, const double *a)
{
    for (int k = 0; k < o->p->ncone; ++k) {
        const dp_interior_cone *cone = &o->p->cone[k];
        const int f = cone->first, size = cone->size;
        const double *l = o->lambda + f;
        const double head = (l[0] * a[f] - dp_dot(l + 1, a + f + 1, size - 1)) / lorentz(l, size);
        for (int i = 1; i < size; ++i) {
            out[f + i] = (a[f + i] - head * l[i]) / l[0];
        }
        out[f] = head;
    }
}

// out = a ∘ b. out may be either.
static void multiply(double *out, const interior *o, const double *a, const double *b)
{
    for (int k = 0; k < o->p->ncone; ++k) {
        const int f = o->p->cone[k].first, size = o->p->cone[k].size;
        const double head = dp_dot(a + f, b + f, size);
        for (int i = f + 1; i < f + size; ++i) {
            out[i] = a[f] * b[i] + b[f] * a[i];
        }
        out[f] = head;
    }
}

// The length of d at which a leaves its Lorentz cone.
static double leave_lorentz(const double *a, const double *d, int size)
{
    const double A = lorentz(d, size), C = lorentz(a, size);
    const double B = a[0] * d[0] - dp_dot(a + 1, d + 1, size - 1);
    double end = d[0] < 0.0 ? -a[0] / d[0] : (double)INFINITY;
    const double D = B * B - A * C;
    if (A < 0.0 || (B < 0.0 && D >= 0.0)) { // A t² + 2 B t + C = 0, the first t > 0
        const double root = sqrt(fmax(D, 0.0));
        const double t = B >= 0.0 ? -(B + root) / A : C / (root - B);
        end = t > 0.0 ? fmin(end, t) : end;
    }
    return end;
}

static double leave(const interior *o, const double *a, const double *d)
{
    double end = (double)INFINITY;
    for (int k = 0; k < o->p->ncone; ++k) {
        const dp_interior_cone *cone = &o->p->cone[k];
        end = fmin(end, leave_lorentz(a + cone->first, d + cone->first, cone->size));
    }
    return end;
}

// ---- linear systems

// out = Aᵀ z
static void pull_back(double *out, const dp_interior_program *p, const double *z)
{
    memset(out, 0, (size_t)p->n * sizeof *out);
    dp_add_transposed(out, p->A, z, p->m, p->n, 1.0);
}

// Element (i, j) of W².
static double square_element(const double *w, double eta, int i, int j)
{
    return eta * eta * (2.0 * w[i] * w[j] - (i != j ? 0.0 : i == 0 ? 1.0 : -1.0));
}

// T = L⁻¹, L the Cholesky factor of R + W², row by row.
static void invert_cholesky(double *T, const double *R, const double *w, double eta, int size)
{
    for (int i = 0; i < size; ++i) {
        double l[DP_INTERIOR_WIDEST]; // of L
        const double diagonal = R[i] + square_element(w, eta, i, i);
        double square = diagonal;
        for (int j = 0; j < i; ++j) {
            l[j] = 0.0;
            for (int c = 0; c <= j; ++c) {
                l[j] += T[j * size + c] * square_element(w, eta, c, i);
            }
            square -= l[j] * l[j];
        }
        const double pivot = 1.0 / sqrt(fmax(square, DBL_EPSILON * diagonal));
        T[i * size + i] = pivot;
        for (int c = 0; c < i; ++c) {
            for (int j = c; j < i; ++j) {
                T[i * size + c] -= pivot * l[j] * T[j * size + c];
            }
        }
    }
}

// T with TᵀT = (R + W²)⁻¹ of an eliminated cone: W⁻¹, where it has no compliance.
static void find_root(interior *o, int k)
{
    const int first = o->p->cone[k].first, size = o->p->cone[k].size;
    const double *R = o->p->R + first, *w = o->w + first;
    double *T = o->T + (size_t)first * DP_INTERIOR_WIDEST;
    memset(T, 0, (size_t)(size * size) * sizeof *T);
    if (dp_largest(R, size, 0.0) > 0.0) {
        invert_cholesky(T, R, w, o->eta[k], size);
        return;
    }
    for (int i = 0; i < size; ++i) {
        T[i * size + i] = 1.0;
        scale_lorentz(T + i * size, w, o->eta[k], size, T + i * size, true);
    }
}

// out = (R + W²)⁻¹ a of eliminated rows, 0 of others
static void divide_by_square(double *out, const interior *o, const double *a)
{
    memset(out, 0, (size_t)o->p->m * sizeof *out);
    for (int k = 0; k < o->p->ncone; ++k) {
        const int f = o->p->cone[k].first, size = o->p->cone[k].size;
        const double *T = o->T + (size_t)f * DP_INTERIOR_WIDEST;
        for (int i = 0; o->eliminated[k] && i < size; ++i) {
            const double image = dp_dot(T + i * size, a + f, size);
            for (int j = 0; j < size; ++j) {
                out[f + j] += T[i * size + j] * image;
            }
        }
    }
}

// LU += BᵀB, B = T A of an eliminated cone
static void add_product(interior *o, int k)
{
    const int f = o->p->cone[k].first, size = o->p->cone[k].size;
    const size_t n = (size_t)o->p->n, N = n + (size_t)o->nstay;
    find_root(o, k);
    for (int i = 0; i < size; ++i) {
        const double *T = o->T + (size_t)f * DP_INTERIOR_WIDEST + i * size;
        memset(o->reduced, 0, n * sizeof *o->reduced);
        dp_add_transposed(o->reduced, o->p->A + (size_t)f * n, T, size, o->p->n, 1.0);
        for (size_t j = 0; j < n; ++j) {
            for (size_t l = 0; o->reduced[j] != 0.0 && l < n; ++l) {
                o->LU[j * N + l] += o->reduced[j] * o->reduced[l];
            }
        }
    }
}

// W² of a cone whose rows stay
static void add_square(interior *o, int k)
{
    const dp_interior_cone *cone = &o->p->cone[k];
    const size_t n = (size_t)o->p->n, N = n + (size_t)o->nstay,
                 at = n + (size_t)o->place[cone->first];
    for (int i = 0; i < cone->size; ++i) {
        for (int j = 0; j < cone->size; ++j) {
            o->LU[(at + (size_t)i) * N + at + (size_t)j] +=
                square_element(o->w + cone->first, o->eta[k], i, j);
        }
    }
}

// Rows that stay in the matrix: equations, and those of cones whose W⁻² is large, beside which P
// would be lost.
static void choose_rows(interior *o)
{
    const dp_interior_program *p = o->p;
    memset(o->place, 0, (size_t)p->m * sizeof *o->place);
    for (int k = 0; k < p->ncone; ++k) {
        const int first = p->cone[k].first, size = p->cone[k].size;
        const double *w = o->w + first, most = (w[0] + dp_norm(w + 1, size - 1)) / o->eta[k];
        o->eliminated[k] = most <= p->light;
        for (int i = 0; o->eliminated[k] && i < size; ++i) {
            o->place[first + i] = -1;
        }
    }
    o->nstay = 0;
    for (int i = 0; i < p->m; ++i) {
        if (o->place[i] == 0) {
            o->place[i] = o->nstay;
            o->stay[o->nstay++] = i;
        }
    }
}

static void factor_matrix(dp_dense *f, interior *o)
{
    const dp_interior_program *p = o->p;
    choose_rows(o);
    const size_t n = (size_t)p->n, N = n + (size_t)o->nstay;
    memset(o->LU, 0, N * N * sizeof *o->LU);
    for (size_t i = 0; i < n; ++i) {
        memcpy(o->LU + i * N, p->P + i * n, n * sizeof *o->LU);
    }
    for (size_t r = 0; r < N - n; ++r) {
        const double *A = p->A + (size_t)o->stay[r] * n;
        for (size_t j = 0; j < n; ++j) {
            o->LU[(n + r) * N + j] = A[j];
            o->LU[j * N + n + r] = -A[j];
        }
        o->LU[(n + r) * N + n + r] = p->R[o->stay[r]];
    }
    for (int k = 0; k < p->ncone; ++k) {
        if (o->eliminated[k]) {
            add_product(o, k);
        } else {
            add_square(o, k);
        }
    }
    *f = (dp_dense){.LU = o->LU, .row = o->row, .column = o->column, .value = o->pivot};
    dp_dense_factor(f, (int)N, 0.0);
}

// out += the solution for o->left, which is lost
static void add_solution(double *out, const interior *o, const dp_dense *f)
{
    const dp_interior_program *p = o->p;
    double *dx = o->reduced, *left = o->left + p->n;
    divide_by_square(o->part, o, left);
    memcpy(dx, o->left, (size_t)p->n * sizeof *dx);
    dp_add_transposed(dx, p->A, o->part, p->m, p->n, 1.0);
    for (int r = 0; r < o->nstay; ++r) {
        dx[p->n + r] = left[o->stay[r]];
    }
    dp_dense_solve(dx, f, dx);
    for (int i = 0; i < p->m; ++i) {
        left[i] -= dp_dot(p->A + (size_t)i * (size_t)p->n, dx, p->n);
    }
    divide_by_square(o->part, o, left);
    for (int i = 0; i < p->n; ++i) {
        out[i] += dx[i];
    }
    for (int i = 0; i < p->m; ++i) {
        out[p->n + i] += o->place[i] < 0 ? o->part[i] : dx[p->n + o->place[i]];
    }
}

// [P, −Aᵀ; A, R + W²] out = right
static void solve(double *out, const interior *o, const dp_dense *f, const double *right)
{
    const dp_interior_program *p = o->p;
    const int n = p->n, m = p->m;
    memset(out, 0, (size_t)(n + m) * sizeof *out);
    memcpy(o->left, right, (size_t)(n + m) * sizeof *out);
    add_solution(out, o, f);
    for (int k = 0; k < REFINEMENTS; ++k) {
        pull_back(o->left, p, out + n);
        memset(o->part, 0, (size_t)m * sizeof *o->part);
        scale(o->part, o, out + n, false);
        scale(o->part, o, o->part, false);
        for (int i = 0; i < n; ++i) {
            o->left[i] += right[i] - dp_dot(p->P + (size_t)i * (size_t)n, out, n);
        }
        for (int i = n; i < n + m; ++i) {
            const double *A = p->A + (size_t)(i - n) * (size_t)n;
            o->left[i] = right[i] - dp_dot(A, out, n) - p->R[i - n] * out[i] - o->part[i - n];
        }
        add_solution(out, o, f);
    }
}

// ---- steps

// By how much (CI 2) is missed.
static void find_rest(interior *o)
{
    const dp_interior_program *p = o->p;
    pull_back(o->rest_x, p, o->z);
    o->squares = 0.0;
    for (int i = 0; i < p->n; ++i) {
        const double Px = dp_dot(p->P + (size_t)i * (size_t)p->n, o->x, p->n);
        o->squares += o->x[i] * Px;
        o->rest_x[i] -= Px + p->c[i] * o->tau;
        o->slope[i] = 2.0 * Px / o->tau + p->c[i];
    }
    for (int i = 0; i < p->m; ++i) {
        const double Ax = dp_dot(p->A + (size_t)i * (size_t)p->n, o->x, p->n),
                     Rz = p->R[i] * o->z[i];
        o->squares += o->z[i] * Rz;
        o->rest_z[i] = o->s[i] - (Ax + Rz - p->b[i] * o->tau);
        o->slope[p->n + i] = 2.0 * Rz / o->tau - p->b[i];
    }
    o->rest_tau =
        o->kappa + o->squares / o->tau + dp_dot(p->c, o->x, p->n) - dp_dot(p->b, o->z, p->m);
}

static double gap(const interior *o)
{
    return (dp_dot(o->s, o->z, o->p->m) + o->tau * o->kappa) / o->degree;
}

// The direction that leaves `sigma` of the residuals and of the gap.
// @param corrects with o->corrector = W⁻¹ds ∘ W dz of the predictor and dτ dκ of it
static void find_direction(interior *o, const dp_dense *f, double sigma, double mu, bool corrects)
{
    const dp_interior_program *p = o->p;
    const int n = p->n, m = p->m;
    double *right = o->right, *a = o->scratch;
    const double target = sigma * mu, both = corrects ? o->dtau * o->dkappa : 0.0;
    multiply(a, o, o->lambda, o->lambda);
    for (int k = 0; k < p->ncone; ++k) {
        const dp_interior_cone *cone = &p->cone[k];
        for (int i = cone->first; i < cone->first + cone->size; ++i) {
            a[i] = (i == cone->first ? target : 0.0) - a[i] - (corrects ? o->corrector[i] : 0.0);
        }
    }
    divide(a, o, a);
    scale(o->ds, o, a, false); // ds = W(λ \ …) − W² dz
    for (int i = 0; i < n + m; ++i) {
        right[i] = (1.0 - sigma) * o->rest_x[i] + (i < n ? 0.0 : o->ds[i - n]);
    }
    solve(o->one, o, f, right);
    const double d_kappa = target - o->tau * o->kappa - both;
    const double above =
        -(1.0 - sigma) * o->rest_tau - d_kappa / o->tau - dp_dot(o->slope, o->one, n + m);
    const double below =
        -o->kappa / o->tau - o->squares / (o->tau * o->tau) + dp_dot(o->slope, o->two, n + m);
    o->dtau = above / below;
    o->dkappa = (d_kappa - o->kappa * o->dtau) / o->tau;
    for (int i = 0; i < n + m; ++i) {
        o->dx[i] = o->one[i] + o->dtau * o->two[i];
    }
    scale(a, o, o->dz, false);
    scale(a, o, a, false);
    for (int i = 0; i < m; ++i) {
        o->ds[i] -= a[i];
    }
}

static double step_length(const interior *o)
{
    double end = fmin(leave(o, o->s, o->ds), leave(o, o->z, o->dz));
    end = o->dtau < 0.0 ? fmin(end, -o->tau / o->dtau) : end;
    end = o->dkappa < 0.0 ? fmin(end, -o->kappa / o->dkappa) : end;
    return fmin(1.0, BACK * end);
}

// @return the length of the step; 0: there is none
static double advance(interior *o)
{
    const dp_interior_program *p = o->p;
    const int n = p->n, m = p->m, N = n + m;
    if (!find_scaling(o)) {
        return 0.0;
    }
    dp_dense f;
    factor_matrix(&f, o);
    for (int i = 0; i < N; ++i) {
        o->right[i] = i < n ? -p->c[i] : p->b[i - n];
    }
    solve(o->two, o, &f, o->right);
    const double mu = gap(o);
    find_direction(o, &f, 0.0, mu, false);
    const double first = step_length(o), left = 1.0 - first;
    const double sigma = fmax(left * left * left, p->centring);
    scale(o->corrector, o, o->dz, false);
    scale(o->scratch, o, o->ds, true);
    multiply(o->corrector, o, o->corrector, o->scratch);
    find_direction(o, &f, sigma, mu, true);
    const double length = step_length(o);
    if (!(length > STUCK)) {
        return 0.0;
    }
    for (int i = 0; i < N; ++i) {
        o->x[i] += length * o->dx[i];
    }
    for (int i = 0; i < m; ++i) {
        o->s[i] += length * o->ds[i];
    }
    o->tau += length * o->dtau;
    o->kappa += length * o->dkappa;
    return o->tau > LEAST && o->kappa > LEAST ? length : 0.0;
}

// ---- the call

static void begin(interior *o)
{
    const dp_interior_program *p = o->p;
    double *const of_rows[] = {o->z, o->s, o->ds, o->w, o->lambda, o->corrector, o->scratch};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; ++k) {
        memset(of_rows[k], 0, (size_t)p->m * sizeof(double));
    }
    memset(o->x, 0, (size_t)p->n * sizeof *o->x);
    o->tau = o->kappa = o->degree = 1.0;
    for (int k = 0; k < p->ncone; ++k) {
        o->s[p->cone[k].first] = o->z[p->cone[k].first] = 1.0;
        o->degree += 1.0;
    }
}

// What the current point is as a solution, and as a proof that there is none.
static bool look(dp_interior_result *out, interior *o)
{
    const dp_interior_program *p = o->p;
    const double size = dp_norm(o->z, p->m);
    const double rest = dp_largest(o->rest_x, p->n + p->m, 0.0) / o->tau;
    const double gap = fmax(dp_dot(o->s, o->z, p->m), 0.0) / (o->tau * o->tau);
    const double off = fmax(rest, p->centring > 0.0 ? gap : sqrt(gap));
    const bool better = off < out->off;
    if (better) {
        out->off = off;
        out->rest = rest;
        out->size = size / o->tau;
        for (int i = 0; i < p->n; ++i) {
            out->x[i] = o->x[i] / o->tau;
        }
        for (int i = 0; i < p->m; ++i) {
            out->z[i] = o->z[i] / o->tau;
        }
    }
    pull_back(o->left, p, o->z);
    double square = dp_dot(o->left, o->left, p->n);
    for (int i = 0; i < p->m; ++i) {
        square += p->R[i] * o->z[i] * (p->R[i] * o->z[i]);
    }
    const double gain = dp_dot(p->b, o->z, p->m), proof = gain > 0.0 ? gain / sqrt(square) : 0.0;
    const bool stronger = proof > out->proof;
    if (stronger || (better && !(out->proof > 1.0))) {
        out->proof = stronger ? proof : out->proof;
        for (int i = 0; i < p->m; ++i) {
            out->ray[i] = size > 0.0 ? o->z[i] / size : 0.0;
        }
    }
    return better || stronger;
}

static void lay_out(interior *o, dp_carver *c, int n_, int m_, int ncone)
{
    const size_t n = (size_t)n_, m = (size_t)m_, N = n + m;
    double **of_m[] = {&o->s, &o->w, &o->lambda, &o->ds, &o->corrector, &o->scratch, &o->part};
    double **of_both[] = {&o->x,   &o->rest_x, &o->dx,   &o->slope, &o->right,
                          &o->one, &o->two,    &o->left, &o->pivot, &o->reduced};
    for (size_t k = 0; k < sizeof of_m / sizeof *of_m; ++k) {
        *of_m[k] = dp_carve(c, m, sizeof(double));
    }
    for (size_t k = 0; k < sizeof of_both / sizeof *of_both; ++k) {
        *of_both[k] = dp_carve(c, N, sizeof(double));
    }
    if (o->x) { // behind x, rest_x and dx, so that both are unknowns of one system
        o->z = o->x + n;
        o->rest_z = o->rest_x + n;
        o->dz = o->dx + n;
    }
    o->eta = dp_carve(c, (size_t)ncone, sizeof(double));
    o->T = dp_carve(c, m * DP_INTERIOR_WIDEST, sizeof(double));
    o->LU = dp_carve(c, N * N, sizeof(double));
    o->eliminated = dp_carve(c, (size_t)ncone, sizeof(bool));
    o->place = dp_carve(c, m, sizeof(int));
    o->stay = dp_carve(c, m, sizeof(int));
    o->row = dp_carve(c, N, sizeof(int));
    o->column = dp_carve(c, N, sizeof(int));
}

size_t dp_interior_memory(int n, int m, int ncone)
{
    interior o = {.x = NULL};
    dp_carver measure = {NULL, 0};
    lay_out(&o, &measure, n, m, ncone);
    return measure.used;
}

void dp_interior_solve(dp_interior_result *out, const dp_interior_program *p, void *memory)
{
    interior o = {.p = p};
    dp_carver carver = {memory, 0};
    lay_out(&o, &carver, p->n, p->m, p->ncone);
    out->off = (double)INFINITY;
    out->rest = out->size = out->proof = 0.0;
    out->iterations = 0;
    begin(&o);
    find_rest(&o);
    const size_t work = (size_t)(p->n + p->m) * (size_t)(p->n + p->m) * (size_t)p->n;
    for (int vain = 0;
         vain < IN_VAIN && out->iterations < DP_INTERIOR_ITERATIONS && !dp_interrupted(work);) {
        vain = look(out, &o) ? 0 : vain + 1;
        if (out->off <= DONE || out->proof >= PROVEN || !(advance(&o) > 0.0)) {
            break;
        }
        find_rest(&o);
        ++out->iterations;
    }
}
