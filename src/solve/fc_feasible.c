// Does any velocity have u_n ≥ 0 at all contacts? There is none if and only if some z ≥ 0 on the
// normals has no effect and qᵀz < 0: what closes is held by nothing that could move. Friction
// cannot help. The least of
//
//     ‖N z / d‖² + (qᵀz/max‖q‖ + 1)²   over z ≥ 0                                          (FC 5)
//
// is 0 then: non-negative least squares [LawsonHanson1974, §23], on the normal equations.
#include "solve/fc_search.h"

#include "base/interrupt.h"

#include <string.h>

enum { MOST = 2000 }; // contacts: the matrix is dense

// Pivots below this belong to columns that depend on those before.
static const double DEPENDENT = 1e-14, GAIN = 1e-13;

typedef struct least {
    int n;
    double *A, *b; // n × n, n: AᵀA and −Aᵀ of the right side, of columns of unit size
    double *scale; // n
    double *z;     // n, ≥ 0
    int *set;      // those > 0
    int count;
    uint8_t *state;  // n: 0 at zero, 1 in the set, 2 left out
    double *L;       // of the set, packed
    double *y, *row; // n
} least;

// Add the row of `column` to the factor. @return false where it depends on the others
static bool append(least *s, int column)
{
    const size_t n = (size_t)s->n;
    double *row = s->L + dp_triangle(s->count);
    for (int k = 0; k < s->count; ++k) {
        const double *of = s->L + dp_triangle(k);
        double sum = s->A[(size_t)column * n + (size_t)s->set[k]];
        for (int j = 0; j < k; ++j) {
            sum -= row[j] * of[j];
        }
        row[k] = sum / of[k];
    }
    double pivot = s->A[(size_t)column * n + (size_t)column];
    for (int k = 0; k < s->count; ++k) {
        pivot -= row[k] * row[k];
    }
    if (!(pivot > DEPENDENT)) {
        return false;
    }
    row[s->count] = sqrt(pivot);
    s->set[s->count++] = column;
    return true;
}

static void solve(least *s)
{
    for (int k = 0; k < s->count; ++k) {
        const double *row = s->L + dp_triangle(k);
        double sum = -s->b[s->set[k]];
        for (int j = 0; j < k; ++j) {
            sum -= row[j] * s->y[j];
        }
        s->y[k] = sum / row[k];
    }
    for (int k = s->count - 1; k >= 0; --k) {
        double sum = s->y[k];
        for (int j = k + 1; j < s->count; ++j) {
            sum -= s->L[dp_triangle(j) + (size_t)k] * s->y[j];
        }
        s->y[k] = sum / s->L[dp_triangle(k) + (size_t)k];
    }
}

// Go towards the solution of the set as far as all stay above 0; drop what is at 0 then.
static void settle(least *s)
{
    while (!dp_interrupted((size_t)s->count * (size_t)s->count * (size_t)(s->count + 6) / 6)) {
        solve(s);
        double way = 1.0;
        for (int k = 0; k < s->count; ++k) {
            const double z = s->z[s->set[k]];
            if (s->y[k] <= 0.0) {
                way = fmin(way, z > 0.0 ? z / (z - s->y[k]) : 0.0);
            }
        }
        int kept = 0;
        for (int k = 0; k < s->count; ++k) {
            const int i = s->set[k];
            s->z[i] += way * (s->y[k] - s->z[i]);
            if (way < 1.0 && (s->z[i] <= 0.0 || (s->y[k] <= 0.0 && s->z[i] < 1e-15))) {
                s->z[i] = 0.0;
                s->state[i] = 0;
            } else {
                s->row[kept++] = i;
            }
        }
        if (way >= 1.0) {
            return;
        }
        s->count = 0;
        for (int k = 0; k < kept; ++k) {
            const int i = (int)s->row[k];
            if (!append(s, i)) {
                s->z[i] = 0.0;
                s->state[i] = 0;
            }
        }
    }
}

static int steepest(const least *s)
{
    const size_t n = (size_t)s->n;
    int best = -1;
    double most = GAIN;
    for (int i = 0; i < s->n; ++i) {
        if (s->state[i] != 0) {
            continue;
        }
        double down = -s->b[i];
        for (int k = 0; k < s->count; ++k) {
            down -= s->A[(size_t)i * n + (size_t)s->set[k]] * s->z[s->set[k]];
        }
        if (down > most) {
            most = down;
            best = i;
        }
    }
    return best;
}

static void minimise(least *s)
{
    for (int turn = 0; turn < 3 * s->n + 10; ++turn) {
        if (dp_interrupted((size_t)s->n * (size_t)s->count)) {
            return;
        }
        const int next = steepest(s);
        if (next < 0) {
            return;
        }
        if (!append(s, next)) {
            s->state[next] = 2;
            continue;
        }
        s->state[next] = 1;
        settle(s);
        for (int i = 0; i < s->n; ++i) { // what depended on others may not do so any more
            s->state[i] = s->state[i] == 2 ? 0 : s->state[i];
        }
    }
}

// Column j of N/d with q_n/max‖q‖ below it: 3 nc + 1 numbers.
static double take_column(double *out, const dp_fc_reduced *w, int j, double *unit)
{
    const int rows = 3 * w->nc;
    unit[3 * j] = 1.0;
    dp_fc_apply(out, w, unit);
    unit[3 * j] = 0.0;
    double square = 0.0;
    for (int i = 0; i < rows; ++i) {
        out[i] /= w->d[i / 3];
        square += out[i] * out[i];
    }
    out[rows] = w->q[3 * j] / w->q_most;
    return sqrt(square + out[rows] * out[rows]);
}

static dp_status take(least *s, dp_pool *pool, int n)
{
    const size_t count = (size_t)n;
    s->n = n;
    DP_TRY(dp_pool_take(&s->A, pool, count * count, sizeof(double)));
    DP_TRY(dp_pool_take(&s->L, pool, dp_triangle(n + 1), sizeof(double)));
    double **of_n[] = {&s->b, &s->scale, &s->z, &s->y, &s->row};
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; ++k) {
        DP_TRY(dp_pool_take(of_n[k], pool, count, sizeof(double)));
    }
    DP_TRY(dp_pool_take(&s->set, pool, count, sizeof(int)));
    return dp_pool_take(&s->state, pool, count, sizeof *s->state);
}

static dp_status find(double *out, const dp_fc_reduced *w, dp_pool *pool)
{
    const int nc = w->nc;
    const size_t rows = 3 * (size_t)nc + 1;
    least s = {0};
    double *N, *unit, *rest;
    DP_TRY(take(&s, pool, nc));
    DP_TRY(dp_pool_take(&N, pool, rows * (size_t)nc, sizeof *N));
    DP_TRY(dp_pool_take(&unit, pool, rows, sizeof *unit));
    DP_TRY(dp_pool_take(&rest, pool, rows, sizeof *rest));
    for (int j = 0; j < nc; ++j) {
        double *column = N + (size_t)j * rows;
        const double size = take_column(column, w, j, unit);
        s.scale[j] = size > 0.0 ? 1.0 / size : 1.0;
        for (size_t i = 0; i < rows; ++i) {
            column[i] *= s.scale[j];
        }
        s.b[j] = column[rows - 1];
        for (int k = 0; k <= j; ++k) {
            const double *other = N + (size_t)k * rows;
            double sum = 0.0;
            for (size_t i = 0; i < rows; ++i) {
                sum += column[i] * other[i];
            }
            s.A[(size_t)j * (size_t)nc + (size_t)k] = sum;
            s.A[(size_t)k * (size_t)nc + (size_t)j] = sum;
        }
    }
    minimise(&s);
    rest[rows - 1] = 1.0;
    for (int j = 0; j < nc; ++j) {
        for (size_t i = 0; s.z[j] > 0.0 && i < rows; ++i) {
            rest[i] += s.z[j] * N[(size_t)j * rows + i];
        }
    }
    *out = 0.0;
    for (size_t i = 0; i < rows; ++i) {
        *out += rest[i] * rest[i];
    }
    return DP_OK;
}

dp_status dp_fc_feasibility(double *out, const dp_fc_reduced *w, const dp_allocator *a)
{
    *out = -1.0;
    if (w->nc > MOST || !(w->q_most > 0.0)) {
        return DP_OK;
    }
    dp_pool pool;
    dp_pool_init(&pool, a);
    const dp_status status = find(out, w, &pool);
    dp_pool_destroy(&pool);
    return status;
}
