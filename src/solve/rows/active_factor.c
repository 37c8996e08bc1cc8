// The linear system of the active rows, S γ = t with S = W + R scaled to unit diagonal: Cholesky
// within the envelope. Where a pivot is lost in round-off, rows depend on others, and the factor
// with complete pivoting gives the least-squares solution of minimum norm, so that equal rows share
// equally. Norms are of √S(i,i) γ_i, which no unit changes.
#include "solve/rows/compliant.h"
#include "solve/rows/row_constants.h"

#include <math.h>
#include <string.h>

static double effective_R(const dp_compliant *c, int i, double shift)
{
    return (c->mode[i] == DP_MODE_REGULARISED ? c->R[i] : 0.0) + shift * c->a[i];
}

// The active rows, and the envelope of S over them.
static void collect(dp_compliant *c, double shift)
{
    dp_active_factor *s = &c->factor;
    const dp_delassus *d = &c->d;
    int *index = s->any.order; // of the first active row at or behind each place
    s->n = 0;
    s->shift = shift;
    s->rigid = false;
    s->has_springs = false;
    for (int i = 0; i < c->n; ++i) {
        index[i] = s->n;
        s->mode[i] = c->mode[i];
        if (dp_is_active(c->mode[i])) {
            const int f = s->n++;
            const double R = effective_R(c, i, shift), S = c->w[i] + R;
            s->place[f] = i;
            s->first[f] = index[d->direction_place[d->at.first[d->direction[i]]]];
            s->scale[f] = S > 0.0 ? 1.0 / sqrt(S) : 0.0;
            s->rigid = s->rigid || R <= DP_RIGID * c->a[i];
            s->has_springs = s->has_springs || R > 0.0;
        }
    }
    s->at = (dp_envelope){s->n, s->first, s->start};
    dp_envelope_layout(s->start, s->n, s->first);
}

// Row f of the scaled S from column s->first[f] on.
static void fill_row(double *out, const dp_compliant *c, int f)
{
    const dp_active_factor *s = &c->factor;
    const dp_delassus *d = &c->d;
    const int i = s->place[f], k = d->direction[i], first = d->at.first[k];
    const double *W = d->W + d->at.start[k];
    const double scale = s->scale[f];
    if (d->ndirection == d->nrow) {
        for (int g = s->first[f]; g < f; ++g) {
            *out++ = scale * s->scale[g] * W[s->place[g] - first];
        }
    } else {
        for (int g = s->first[f]; g < f; ++g) {
            const int j = s->place[g], m = d->direction[j];
            const double ratio = d->ratio[i] * d->ratio[j];
            *out++ = scale * s->scale[g] * ratio * dp_delassus_element(d, k, m);
        }
    }
    *out = scale * scale *
           (c->w[i] + effective_R(c, i, s->shift)); // 1, but for the round-off of scale
}

// The product of the eigenvalues of S other than 0 is the sum of all its minors of r = rank rows,
// hence at least the one of the pivots; and r − 1 of them, whose sum is at most n, have at most the
// product (n/(r − 1))^(r−1). So the least is bounded as that of a matrix of full rank with this
// determinant (refine.c). 0 where springs may be taken for round-off: corrections decide.
static double equivalent_determinant(const dp_active_factor *s)
{
    const double e = 2.718281828459045, share = (s->any.rank - 1) / (double)s->n;
    double determinant = s->has_springs ? 0.0 : e * s->any.determinant;
    for (int k = 1; k < s->any.rank; ++k) {
        determinant *= share;
    }
    return determinant;
}

static void factor_pivoted(dp_compliant *c, bool coarse)
{
    dp_active_factor *s = &c->factor;
    for (int f = 0; f < s->n; ++f) {
        double *row = s->any.L + dp_triangle(f);
        memset(row, 0, (size_t)f * sizeof *row);
        fill_row(row + s->first[f], c, f);
    }
    const double fine = DP_LEAST_PIVOT_ANY * (s->n + 4);
    dp_semidefinite_factor(&s->any, s->n,
                           fine + (coarse     ? DP_LEAST_PIVOT_COARSE
                                   : s->rigid ? DP_LEAST_PIVOT_RIGID
                                              : 0.0));
    s->pivoted = true;
    s->least_pivot = fmin(1.0, s->any.least_pivot);
    s->determinant = equivalent_determinant(s);
    s->valid = true;
    ++c->factorizations;
}

void dp_active_factor_pivoted(dp_compliant *c, double shift, bool coarse)
{
    collect(c, shift);
    factor_pivoted(c, coarse);
    c->factor.forced = true;
}

void dp_active_factor_update(dp_compliant *c, double shift)
{
    dp_active_factor *s = &c->factor;
    if (s->valid && s->shift == shift &&
        memcmp(s->mode, c->mode, (size_t)c->n * sizeof *c->mode) == 0) {
        return;
    }
    collect(c, shift);
    for (int f = 0; f < s->n; ++f) {
        fill_row(s->L + s->start[f], c, f);
    }
    s->valid = true;
    s->pivoted = s->forced = false;
    const double least = s->rigid ? DP_LEAST_PIVOT_RIGID : DP_LEAST_PIVOT;
    if (dp_envelope_factor(s->L, s->at, least, &s->least_pivot) >= 0) {
        factor_pivoted(c, false);
        return;
    }
    ++c->factorizations;
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

void dp_active_factor_solve(double *x, const dp_active_factor *s, int nrow, double *b)
{
    for (int f = 0; f < s->n; ++f) { // b by place and by active row: place[f] ≥ f
        b[f] = b[s->place[f]] * s->scale[f];
    }
    if (s->pivoted) {
        dp_semidefinite_solve(b, &s->any, b);
    } else {
        dp_envelope_solve(b, s->at, s->L, b);
    }
    memset(x, 0, (size_t)nrow * sizeof *x);
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
        const double target = c->mode[i] == DP_MODE_REGULARISED ? c->u_hat[i] : c->u_stop[i];
        c->rhs[i] = target - c->u_free[i] - (bounded ? c->Wx[i] : 0.0);
        if (prox.centre) {
            c->rhs[i] += prox.shift * c->a[i] * prox.centre[i];
        }
    }
    dp_active_factor_solve(c->gamma, &c->factor, c->n, c->rhs);
    for (int i = 0; bounded && i < c->n; ++i) {
        c->gamma[i] = dp_is_active(c->mode[i]) ? c->gamma[i] : c->x[i];
    }
}
