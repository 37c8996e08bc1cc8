// Scaling by powers of two until the largest elements are about 1 [Ruiz2001].
#include "problem/lcp/lcp_scale.h"

#include "problem/lcp/lcp_row.h"

#include <math.h>

int dp_exponent_of(double x)
{
    int e = 0;
    (void)dp_mantissa(x, &e);
    return e - 1;
}

static int half(int x)
{
    return x >= 0 ? (x + 1) / 2 : -((1 - x) / 2);
}

enum { NONE = -(1 << 20) };

static bool is_fixed(const dp_lcp *p, int i)
{
    return dp_lcp_lo(p, i) == dp_lcp_hi(p, i);
}

static bool counts(const dp_lcp_scaling *s, int i, int j, double x)
{
    return x != 0.0 && !(s->of && (is_fixed(s->of, i) || is_fixed(s->of, j)));
}

// The largest exponents of rows and columns, NONE where there is no element. @return the largest
// less the smallest of all
static int look(dp_lcp_scaling *s, const double *M, int n)
{
    int most = NONE, least = -NONE;
    for (int i = 0; i < n; ++i) {
        s->of_row[i] = s->of_column[i] = NONE;
    }
    for (int i = 0; i < n; ++i) {
        const double *row = M + (size_t)i * (size_t)n;
        int largest = NONE;
        for (int j = 0; j < n; ++j) {
            if (!counts(s, i, j, row[j])) {
                continue;
            }
            int e = 0;
            (void)dp_mantissa(row[j], &e);
            e += s->row[i] + s->column[j] - 1;
            largest = e > largest ? e : largest;
            least = e < least ? e : least;
            s->of_column[j] = e > s->of_column[j] ? e : s->of_column[j];
        }
        s->of_row[i] = largest;
        most = largest > most ? largest : most;
    }
    return most == NONE ? 0 : most - least;
}

// The mean exponents of rows and columns.
static void look_at_means(dp_lcp_scaling *s, const double *M, int n)
{
    for (int i = 0; i < n; ++i) {
        s->of_row[i] = s->of_column[i] = NONE;
    }
    for (int pass = 0; pass < 2; ++pass) { // by rows, then by columns
        for (int i = 0; i < n; ++i) {
            long long sum = 0;
            int count = 0;
            for (int j = 0; j < n; ++j) {
                const int a = pass == 0 ? i : j, b = pass == 0 ? j : i;
                const double x = M[(size_t)a * (size_t)n + (size_t)b];
                if (counts(s, a, b, x)) {
                    sum += dp_exponent_of(x) + s->row[a] + s->column[b];
                    ++count;
                }
            }
            *(pass == 0 ? &s->of_row[i] : &s->of_column[i]) = count > 0 ? (int)(sum / count) : NONE;
        }
    }
}

// Rows and columns, each by half of what it would take. @return whether there is nothing to do
static bool even_out(dp_lcp_scaling *s, int n)
{
    bool is_even = true;
    for (int i = 0; i < n; ++i) {
        const int r = s->of_row[i] == NONE ? 0 : s->of_row[i];
        const int c = s->of_column[i] == NONE ? 0 : s->of_column[i];
        is_even = is_even && r >= -1 && r <= 1 && c >= -1 && c <= 1;
        s->row[i] -= half(r);
        s->column[i] -= half(c);
    }
    return is_even;
}

// Exponents such that the largest of 2^(row_i + column_j) M_ij in each row and column are about 1.
// Where the elements are further apart than units can explain, the means are evened out first: the
// largest alone do not tell how rows and columns of a triangle, say, were scaled.
void dp_lcp_equilibrate(dp_lcp_scaling *s, const double *M, int n)
{
    enum { PASSES = 12, MEAN_PASSES = 40, FAR_APART = 128 };
    for (int i = 0; i < n; ++i) {
        s->row[i] = s->column[i] = 0;
    }
    if (look(s, M, n) >= FAR_APART) {
        bool is_even = false;
        look_at_means(s, M, n);
        for (int pass = 0; pass < MEAN_PASSES && !is_even; ++pass) {
            is_even = even_out(s, n);
            look_at_means(s, M, n);
        }
        (void)look(s, M, n);
    }
    for (int pass = 0; pass < PASSES && !even_out(s, n); ++pass) {
        (void)look(s, M, n);
    }
}
