#include "lcp_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

drawn_lcp lcp_new(int n)
{
    const size_t count = (size_t)n;
    drawn_lcp x = {.M = calloc(count * count + 1, sizeof(double))};
    double **const arrays[] = {&x.q, &x.lo, &x.hi, &x.z, &x.w};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        *arrays[k] = calloc(count + 1, sizeof(double));
        assert_non_null(*arrays[k]);
    }
    x.state = calloc(count + 1, 1);
    assert_true(x.M && x.state);
    x.p = (dp_lcp){.n = n, .M = x.M, .q = x.q};
    for (int i = 0; i < n; ++i) {
        x.hi[i] = (double)INFINITY;
    }
    return x;
}

void lcp_free(drawn_lcp *x)
{
    void *const arrays[] = {x->M, x->q, x->lo, x->hi, x->z, x->w, x->state};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        free(arrays[k]);
    }
}

static double *at(drawn_lcp *x, int i, int j)
{
    return &x->M[(size_t)i * (size_t)x->p.n + (size_t)j];
}

// M = Bᵀ B with `rank` rows of B
static void draw_square(drawn_lcp *x, int rank, bool whole, random_source *r)
{
    const size_t n = (size_t)x->p.n;
    double *B = calloc((size_t)rank * n + 1, sizeof *B);
    assert_non_null(B);
    for (size_t k = 0; k < (size_t)rank * n; ++k) {
        const double b = random_between(r, -1.0, 1.0);
        B[k] = whole ? rint(1.5 * b) : b;
    }
    for (size_t k = 0; k < (size_t)rank; ++k) {
        for (size_t i = 0; i < n; ++i) {
            for (size_t j = 0; j < n; ++j) {
                x->M[i * n + j] += B[k * n + i] * B[k * n + j];
            }
        }
    }
    free(B);
}

static void add_skew(drawn_lcp *x, bool whole, random_source *r)
{
    for (int i = 0; i < x->p.n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double drawn = random_between(r, -1.0, 1.0),
                         a = whole ? rint(1.5 * drawn) : drawn;
            *at(x, i, j) += a;
            *at(x, j, i) -= a;
        }
    }
}

static void draw_triangle(drawn_lcp *x, random_source *r)
{
    const int n = x->p.n;
    int *place = calloc((size_t)n + 1, sizeof *place);
    assert_non_null(place);
    for (int i = 0; i < n; ++i) {
        const int k = (int)(random_bits(r) % ((uint64_t)i + 1));
        place[i] = place[k];
        place[k] = i;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            *at(x, place[i], place[j]) =
                i == j ? random_between(r, 0.5, 2.0) : random_between(r, -3.0, 3.0);
        }
    }
    free(place);
}

void lcp_draw_matrix(drawn_lcp *x, lcp_kind kind, random_source *r)
{
    const int n = x->p.n;
    memset(x->M, 0, (size_t)n * (size_t)n * sizeof *x->M);
    switch (kind) {
    case LCP_POSITIVE_DEFINITE:
    case LCP_MONOTONE:
        draw_square(x, n, false, r);
        for (int i = 0; i < n; ++i) {
            *at(x, i, i) += 0.1;
        }
        break;
    case LCP_P:
        draw_triangle(x, r);
        break;
    case LCP_SEMIDEFINITE:
    case LCP_SKEW:
        draw_square(x, n / 2, false, r);
        break;
    case LCP_COPOSITIVE:
    case LCP_GENERAL:
    case LCP_KINDS:
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const double a = random_between(r, -1.0, 1.0);
                *at(x, i, j) = kind == LCP_GENERAL ? a : fmax(a, i == j ? 0.1 : 0.0);
            }
        }
        break;
    }
    if (kind == LCP_MONOTONE || kind == LCP_SKEW) {
        add_skew(x, false, r);
    }
}

void lcp_draw_whole(drawn_lcp *x, int rank, bool skew, random_source *r)
{
    memset(x->M, 0, (size_t)x->p.n * (size_t)x->p.n * sizeof *x->M);
    draw_square(x, rank, true, r);
    if (skew) {
        add_skew(x, true, r);
    }
}

void lcp_draw_vector(drawn_lcp *x, bool whole, random_source *r)
{
    for (int i = 0; i < x->p.n; ++i) {
        const double q = random_between(r, -2.5, 2.5);
        x->q[i] = whole ? rint(q) : q;
    }
}

void lcp_draw_solution(drawn_lcp *x, random_source *r)
{
    const int n = x->p.n;
    for (int i = 0; i < n; ++i) {
        const double lo = x->p.lo ? x->lo[i] : 0.0, hi = x->p.hi ? x->hi[i] : (double)INFINITY;
        const double part = random_between(r, -1.0, 1.0), size = random_between(r, 0.1, 1.0);
        const double from = isfinite(lo) ? lo : isfinite(hi) ? hi - 2.0 : -1.0;
        const double to = isfinite(hi) ? hi : from + 2.0;
        x->z[i] = from + (to - from) * fabs(part);
        x->w[i] = 0.0;
        if (part < 0.0 && isfinite(lo)) {
            x->z[i] = lo;
            x->w[i] = size;
        } else if (part > 0.5 && isfinite(hi)) {
            x->z[i] = hi;
            x->w[i] = -size;
        }
    }
    for (int i = 0; i < n; ++i) {
        long double sum = x->w[i];
        for (int j = 0; j < n; ++j) {
            sum -= (long double)*at(x, i, j) * x->z[j];
        }
        x->q[i] = (double)sum;
    }
}

void lcp_scale(drawn_lcp *x, int decades, random_source *r)
{
    const int n = x->p.n;
    for (int i = 0; i < n; ++i) {
        const double row = pow(10.0, random_between(r, -decades, decades));
        const double column = pow(10.0, random_between(r, -decades, decades));
        for (int j = 0; j < n; ++j) {
            *at(x, i, j) *= row;
            *at(x, j, i) *= column;
        }
        x->q[i] *= row;
    }
}

double lcp_error(const dp_lcp *p, const double *z)
{
    long double worst = 0.0L, size = 0.0L;
    for (int i = 0; i < p->n; ++i) {
        const long double lo = p->lo ? p->lo[i] : 0.0, hi = p->hi ? p->hi[i] : (double)INFINITY;
        long double w = p->q[i], terms = fabsl(w);
        for (int j = 0; j < p->n; ++j) {
            const long double term = (long double)p->M[(size_t)i * (size_t)p->n + (size_t)j] * z[j];
            w += term;
            terms = fmaxl(terms, fabsl(term));
        }
        long double to = z[i] - w; // z − Π(z − w)
        to = to < lo ? lo : to > hi ? hi : to;
        worst = fmaxl(worst, fabsl(z[i] - to));
        size = fmaxl(size, terms);
    }
    return size > 0.0L ? (double)(worst / size) : (double)worst;
}

// ---- all bases

enum { MOST_BASES = 12 };
typedef struct basis {
    const dp_lcp *p;
    int digit[MOST_BASES]; // 0: at lo, 1: between, 2: at hi
    long double z[MOST_BASES];
} basis;

// z of the basis by Gauss with the largest element of the column. @return false: singular
static bool solve_basis(basis *b)
{
    const int n = b->p->n;
    int place[MOST_BASES], count = 0;
    long double A[MOST_BASES][MOST_BASES + 1];
    for (int i = 0; i < n; ++i) {
        b->z[i] = b->digit[i] == 0   ? (b->p->lo ? b->p->lo[i] : 0.0)
                  : b->digit[i] == 2 ? b->p->hi[i]
                                     : 0.0;
        if (b->digit[i] == 1) {
            place[count++] = i;
        }
    }
    for (int i = 0; i < count; ++i) {
        const double *row = b->p->M + (size_t)place[i] * (size_t)n;
        A[i][count] = -(long double)b->p->q[place[i]];
        for (int j = 0; j < n; ++j) {
            A[i][count] -= row[j] * b->z[j];
        }
        for (int j = 0; j < count; ++j) {
            A[i][j] = row[place[j]];
        }
    }
    for (int k = 0; k < count; ++k) {
        int best = k;
        for (int i = k + 1; i < count; ++i) {
            best = fabsl(A[i][k]) > fabsl(A[best][k]) ? i : best;
        }
        if (fabsl(A[best][k]) < 1e-12L) {
            return false;
        }
        for (int j = 0; j <= count; ++j) {
            const long double kept = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = kept;
        }
        for (int i = 0; i < count; ++i) {
            const long double factor = i == k ? 0.0L : A[i][k] / A[k][k];
            for (int j = k; j <= count && factor != 0.0L; ++j) {
                A[i][j] -= factor * A[k][j];
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        b->z[place[k]] = A[k][count] / A[k][k];
    }
    return true;
}

static bool is_solution(const basis *b)
{
    const int n = b->p->n;
    const long double ROUND_OFF = 1e-13L; // of values of about 1 in long double
    for (int i = 0; i < n; ++i) {
        const long double lo = b->p->lo ? b->p->lo[i] : 0.0;
        const long double hi = b->p->hi ? b->p->hi[i] : (double)INFINITY;
        long double w = b->p->q[i];
        for (int j = 0; j < n; ++j) {
            w += b->p->M[(size_t)i * (size_t)n + (size_t)j] * b->z[j];
        }
        if (b->z[i] < lo - ROUND_OFF || b->z[i] > hi + ROUND_OFF ||
            (b->digit[i] == 0 && w < -ROUND_OFF) || (b->digit[i] == 2 && w > ROUND_OFF)) {
            return false;
        }
    }
    return true;
}

// The next basis; false after the last.
static bool next_basis(basis *b)
{
    for (int i = 0; i < b->p->n; ++i) {
        const bool has_hi = b->p->hi && isfinite(b->p->hi[i]);
        const bool has_lo = !b->p->lo || isfinite(b->p->lo[i]);
        do {
            b->digit[i] = (b->digit[i] + 1) % 3;
        } while ((b->digit[i] == 2 && !has_hi) || (b->digit[i] == 0 && !has_lo && has_hi));
        if (b->digit[i] == 0 || (!has_lo && b->digit[i] == 1)) {
            if (!has_lo) {
                b->digit[i] = 1;
            }
            continue; // carried over
        }
        return true;
    }
    return false;
}

static basis first_basis(const dp_lcp *p)
{
    assert_true(p->n <= MOST_BASES);
    basis b = {.p = p};
    for (int i = 0; i < p->n; ++i) {
        b.digit[i] = !p->lo || isfinite(p->lo[i]) ? 0 : 1;
    }
    return b;
}

int lcp_enumerate(double *z, const dp_lcp *p)
{
    int count = 0;
    basis b = first_basis(p);
    do {
        if (solve_basis(&b) && is_solution(&b)) {
            for (int i = 0; i < p->n && count == 0; ++i) {
                z[i] = (double)b.z[i];
            }
            ++count;
        }
    } while (next_basis(&b));
    return count;
}

bool lcp_is_enumerated(const dp_lcp *p, const double *z, double tolerance)
{
    basis b = first_basis(p);
    do {
        if (!solve_basis(&b) || !is_solution(&b)) {
            continue;
        }
        long double size = 0.0L, most = 0.0L;
        for (int i = 0; i < p->n; ++i) {
            size = fmaxl(size, fabsl(b.z[i]));
            most = fmaxl(most, fabsl(b.z[i] - z[i]));
        }
        if (most <= tolerance * fmaxl(1.0L, size)) {
            return true;
        }
    } while (next_basis(&b));
    return false;
}

dp_lcp_info lcp_solve(drawn_lcp *x, dp_lcp_method method)
{
    dp_lcp_options opt = dp_lcp_options_default();
    opt.method = method;
    dp_lcp_info info;
    if (dp_lcp_solve(&(dp_lcp_solution){x->z, x->w, x->state}, &x->p, &opt, NULL, &info) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return info;
}
