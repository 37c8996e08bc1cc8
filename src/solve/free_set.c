// The linear system of the rows that are free to push, S γ = t with S = W + R: Cholesky within the
// envelope; where a pivot is lost in round-off, rows depend on others, and the factor with complete
// pivoting gives the least-squares solution of least norm, so that equal rows share equally. Norms
// are of √S(i,i) γ_i, which no unit changes.
#include "solve/compliant.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A pivot of S, scaled to unit diagonal, that is below this is round-off of the elements of W. Soft
// rows that repeat each other leave pivots of about R/w, which may come close: refinement is what
// decides then (dp_refine).
static const double LEAST_PIVOT = 32.0 * DBL_EPSILON;
// Rigid rows that repeat each other leave nothing but round-off, grown by the condition of the rows
// before; soft ones that have come so near to rigid count as rigid beside them.
static const double LEAST_PIVOT_RIGID = 1e-13;
// With complete pivoting and after n subtractions from elements of size 1.
static double least_pivot_any(int n)
{
    return 8.0 * DBL_EPSILON * (n + 4);
}
// Rows that are so nearly rigid that their springs are lost in round-off count as rigid.
static const double LEAST_PIVOT_COARSE = 1e-12;

static double effective_R(const dp_compliant *c, int i, double shift)
{
    return (c->stand[i] == DP_STAND_SOFT ? c->R[i] : 0.0) + shift * c->a[i];
}

static void collect(dp_compliant *c, double shift)
{
    dp_free_set *set = &c->set;
    set->n = 0;
    set->shift = shift;
    set->rigid = false;
    int *index = set->any.order; // of the first free row at or behind each place; n of them
    for (int i = 0; i < c->n; ++i) {
        index[i] = set->n;
        set->stand[i] = c->stand[i];
        if (dp_is_free(c->stand[i])) {
            set->place[set->n] = i;
            set->first[set->n] = index[c->d.at.first[i]];
            const double R = effective_R(c, i, shift), S = c->w[i] + R;
            set->rigid = set->rigid || R <= DP_RIGID * c->a[i];
            set->scale[set->n] = S > 0.0 ? 1.0 / sqrt(S) : 0.0;
            ++set->n;
        }
    }
    set->at = (dp_envelope){set->n, set->first, set->start};
    dp_envelope_layout(set->start, set->n, set->first);
}

// Row f of the scaled S from column `from` on.
static void fill_row(double *out, const dp_compliant *c, int f, int from)
{
    const dp_free_set *set = &c->set;
    const int i = set->place[f];
    const double *W = c->d.W + c->d.at.start[i];
    const int first = c->d.at.first[i];
    for (int g = from; g < f; ++g) {
        *out++ = set->scale[f] * set->scale[g] * W[set->place[g] - first];
    }
    *out = set->scale[f] > 0.0 ? 1.0 : 0.0;
}

void dp_free_set_factor_any(dp_compliant *c, double shift, bool coarse)
{
    dp_free_set *set = &c->set;
    collect(c, shift);
    for (int f = 0; f < set->n; ++f) {
        double *row = set->any.L + dp_triangle(f);
        memset(row, 0, (size_t)f * sizeof *row);
        fill_row(row + set->first[f], c, f, set->first[f]);
    }
    const double fine = least_pivot_any(set->n);
    dp_semidefinite_factor(&set->any, set->n,
                           coarse       ? LEAST_PIVOT_COARSE + fine
                           : set->rigid ? LEAST_PIVOT_RIGID + fine
                                        : fine);
    set->dependent = true;
    set->forced = true;
    set->least_pivot = set->any.least_pivot;
    set->determinant = 0.0;
    set->valid = true;
    ++c->factorizations;
}

void dp_free_set_factor(dp_compliant *c, double shift)
{
    dp_free_set *set = &c->set;
    if (set->valid && set->shift == shift &&
        memcmp(set->stand, c->stand, (size_t)c->n * sizeof *c->stand) == 0) {
        return;
    }
    collect(c, shift);
    for (int f = 0; f < set->n; ++f) {
        fill_row(set->L + set->start[f], c, f, set->first[f]);
    }
    ++c->factorizations;
    set->valid = true;
    set->dependent = set->forced = false;
    const double least = set->rigid ? LEAST_PIVOT_RIGID : LEAST_PIVOT;
    if (dp_envelope_factor(set->L, set->at, least, &set->least_pivot) >= 0) {
        --c->factorizations; // counted there
        dp_free_set_factor_any(c, shift, false);
        set->forced = false;
        return;
    }
    set->determinant = 1.0;
    for (int f = 0; f < set->n; ++f) {
        const double root = set->L[set->start[f + 1] - 1];
        set->determinant *= root * root;
    }
}

void dp_free_set_solve(double *x, const dp_free_set *set, const double *b)
{
    for (int f = 0; f < set->n; ++f) {
        x[f] = b[f] * set->scale[f];
    }
    if (set->dependent) {
        dp_semidefinite_solve(x, &set->any, x);
    } else {
        dp_envelope_solve(x, set->at, set->L, x);
    }
    for (int f = 0; f < set->n; ++f) {
        x[f] *= set->scale[f];
    }
}

void dp_free_set_impulses(dp_compliant *c, dp_prox prox)
{
    dp_free_set *set = &c->set;
    bool fixed = false; // does any row push from an end of its range?
    for (int i = 0; i < c->n; ++i) {
        const uint8_t stand = c->stand[i];
        c->x[i] = stand == DP_STAND_LO ? c->lo[i] : stand == DP_STAND_HI ? c->hi[i] : 0.0;
        fixed = fixed || c->x[i] != 0.0;
    }
    if (fixed) {
        dp_envelope_apply(c->Wx, c->d.at, c->d.W, c->x);
    }
    for (int f = 0; f < set->n; ++f) {
        const int i = set->place[f];
        const double target = c->stand[i] == DP_STAND_SOFT ? c->u_hat[i] : c->u_stop[i];
        c->rhs[f] = target - c->u_free[i] - (fixed ? c->Wx[i] : 0.0);
        if (prox.centre) {
            c->rhs[f] += prox.shift * c->a[i] * prox.centre[i];
        }
    }
    dp_free_set_solve(c->rhs, set, c->rhs);
    memcpy(c->gamma, c->x, (size_t)c->n * sizeof *c->x);
    for (int f = 0; f < set->n; ++f) {
        c->gamma[set->place[f]] = c->rhs[f];
    }
}
