// The linear system of the active rows, S γ = t with S = W + R scaled to unit diagonal: Cholesky
// within the envelope. Where a pivot is lost in round-off, rows depend on others, and the factor
// with complete pivoting gives the least-squares solution of minimum norm, so that equal rows share
// equally. Norms are of √S(i,i) γ_i, which no unit changes.
#include "solve/rows/compliant.h"
#include "solve/rows/row_constants.h"

#include <math.h>
#include <string.h>

// The active rows, and the envelope of S over them.
static void collect(dp_compliant *c, double shift)
{
    dp_active_factor *s = &c->factor;
    int *index = s->any.order; // of the first active row at or behind each place
    s->n = 0;
    s->shift = shift;
    s->rigid = false;
    for (int i = 0; i < c->n; ++i) {
        index[i] = s->n;
        s->mode[i] = c->mode[i];
        if (dp_is_active(c->mode[i])) {
            const int f = s->n++;
            const double R = dp_active_compliance(c, i), S = c->w[i] + R;
            s->place[f] = i;
            s->first[f] = index[c->d.at.first[i]];
            s->scale[f] = S > 0.0 ? 1.0 / sqrt(S) : 0.0;
            s->rigid = s->rigid || R <= DP_RIGID * c->a[i];
        }
    }
    s->at = (dp_envelope){s->n, s->first, s->start};
    dp_envelope_layout(s->start, s->n, s->first);
}

// Row f of the scaled S from column s->first[f] on.
static void fill_row(double *out, const dp_compliant *c, int f)
{
    const dp_active_factor *s = &c->factor;
    const int i = s->place[f];
    const double *W = c->d.W + c->d.at.start[i + 1] - 1; // W(i, j) at W + j − i
    for (int g = s->first[f]; g < f; ++g) {
        *out++ = s->scale[f] * s->scale[g] * W[s->place[g] - i];
    }
    *out = s->scale[f] * s->scale[f] *
           (c->w[i] + dp_active_compliance(c, i)); // 1, but for the round-off of scale
}

static void factor_pivoted(dp_compliant *c)
{
    dp_active_factor *s = &c->factor;
    for (int f = 0; f < s->n; ++f) {
        double *row = s->any.L + dp_triangle(f);
        memset(row, 0, (size_t)f * sizeof *row);
        fill_row(row + s->first[f], c, f);
    }
    const double least = s->rigid ? DP_LEAST_PIVOT_RIGID : 0.0;
    dp_semidefinite_factor(&s->any, s->n, least + DP_LEAST_PIVOT_ANY * (s->n + 4));
    s->pivoted = true;
    s->least_pivot = fmin(1.0, s->any.least_pivot);
    s->determinant = 0.0; // corrections decide what it is good for
    s->valid = true;
}

void dp_active_factor_pivoted(dp_compliant *c)
{
    collect(c, 0.0);
    factor_pivoted(c);
    c->factor.forced = true;
    ++c->factorizations;
}

void dp_active_factor_update(dp_compliant *c, double shift)
{
    dp_active_factor *s = &c->factor;
    if (s->valid && s->shift == shift &&
        memcmp(s->mode, c->mode, (size_t)c->n * sizeof *c->mode) == 0) {
        return;
    }
    s->valid = true;
    s->pivoted = s->forced = false;
    ++c->factorizations;
    collect(c, shift);
    for (int f = 0; f < s->n; ++f) {
        fill_row(s->L + s->start[f], c, f);
    }
    const double least = s->rigid ? DP_LEAST_PIVOT_RIGID : DP_LEAST_PIVOT;
    if (dp_envelope_factor(s->L, s->at, least, &s->least_pivot) >= 0) {
        factor_pivoted(c);
        return;
    }
    s->determinant = 1.0;
    for (int f = 0; f < s->n; ++f) {
        const double root = s->L[s->start[f + 1] - 1];
        s->determinant *= root * root;
    }
}

int dp_active_factor_dependent(const dp_active_factor *s)
{
    return s->pivoted ? s->n - s->any.rank : 0;
}

void dp_active_factor_solve(dp_compliant *c, double *x, double *b)
{
    const dp_active_factor *s = &c->factor;
    for (int f = 0; f < s->n; ++f) { // b by place and by active row: place[f] ≥ f
        b[f] = b[s->place[f]] * s->scale[f];
    }
    if (s->pivoted) {
        dp_semidefinite_solve(b, &s->any, b);
    } else {
        dp_envelope_solve(b, s->at, s->L, b);
    }
    memset(x, 0, (size_t)c->n * sizeof *x);
    for (int f = 0; f < s->n; ++f) {
        x[s->place[f]] = b[f] * s->scale[f];
    }
}

void dp_active_impulses(dp_compliant *c, dp_prox prox)
{
    bool bounded = false; // does any row push from an end of its range?
    for (int i = 0; i < c->n; ++i) {
        c->x[i] = c->mode[i] == DP_MODE_LO ? c->lo[i] : c->mode[i] == DP_MODE_HI ? c->hi[i] : 0.0;
        bounded = bounded || c->x[i] != 0.0;
    }
    if (bounded) {
        dp_delassus_apply(c->Wx, &c->d, c->x);
    }
    for (int i = 0; i < c->n; ++i) {
        c->rhs[i] = dp_row_target(c, i) - c->u_free[i] - (bounded ? c->Wx[i] : 0.0);
        if (prox.centre) {
            c->rhs[i] += prox.shift * c->a[i] * prox.centre[i];
        }
    }
    dp_active_factor_solve(c, c->gamma, c->rhs);
    for (int i = 0; bounded && i < c->n; ++i) {
        c->gamma[i] = dp_is_active(c->mode[i]) ? c->gamma[i] : c->x[i];
    }
}
