// The linear system of the rows that are free to push, S γ = t with S = W + R: Cholesky within the
// envelope; where a pivot is lost in round-off, rows depend on others, and the factor with complete
// pivoting gives the least-squares solution of least norm, so that equal rows share equally. Norms
// are of √S(i,i) γ_i, which no unit changes.
//
// Rows of one kind (dp_delassus), ρ_i times one of velocity y, are solved for as a group with the
// one unknown Γ = Σ ρ_i γ_i. Springs side by side, R_i γ_i + ρ_i y = t_i, act as one:
//
//     Γ/K + y = t̄,   K = Σ ρ_i²/R_i,   t̄ = Σ (ρ_i/R_i) t_i / K,
//     γ_i = (ρ_i/R_i) Γ/K + (t_i − ρ_i t̄)/R_i.                                            (FS 1)
//
// r rigid rows of one kind have y = t̄, the mean of t_i/ρ_i, which is their least-squares solution,
// and share what they bear, γ_i = Γ/(r ρ_i). Springs beside them follow: γ_i = (t_i − ρ_i t̄)/R_i.
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

// ---- groups

enum { RIGID = 1, SOFT = 2 }; // what there is of a kind

// Does free row f count as rigid, beside others of its kind? The less R is of S, the more digits
// (FS 1) loses.
static bool is_rigid(const dp_compliant *c, int f)
{
    const dp_free_set *set = &c->set;
    const int i = set->place[f];
    const double least = set->has[c->d.kind[i]] & RIGID ? DP_RIGID : LEAST_PIVOT;
    return set->give[f] <= least * c->a[i];
}

// The free rows with R, and what there is of each kind.
static void collect_rows(dp_compliant *c, double shift)
{
    dp_free_set *set = &c->set;
    set->n = 0;
    set->shift = shift;
    memset(set->has, 0, (size_t)c->d.nkind);
    for (int i = 0; i < c->n; ++i) {
        set->stand[i] = c->stand[i];
        if (dp_is_free(c->stand[i])) {
            const int f = set->n++;
            const double R = effective_R(c, i, shift), S = c->w[i] + R;
            set->place[f] = i;
            set->scale[f] = S > 0.0 ? 1.0 / sqrt(S) : 0.0;
            set->give[f] = R; // for now
            set->has[c->d.kind[i]] |= R <= LEAST_PIVOT * c->a[i] ? RIGID : 0;
        }
    }
    for (int f = 0; f < set->n; ++f) {
        set->has[c->d.kind[set->place[f]]] |= is_rigid(c, f) ? RIGID : SOFT;
    }
}

// Number the groups by kind. @param split rigid rows and springs of a kind are two groups
static void number_groups(dp_compliant *c, bool split)
{
    dp_free_set *set = &c->set;
    int *index = set->any.order; // by kind: the first group at or behind it
    set->ngroup = 0;
    for (int k = 0; k < c->d.nkind; ++k) {
        index[k] = set->ngroup;
        const int count = set->has[k] == 0 ? 0 : split && set->has[k] == (RIGID | SOFT) ? 2 : 1;
        for (int m = 0; m < count; ++m) {
            const int g = set->ngroup++;
            set->kind[g] = k;
            set->first[g] = index[c->d.at.first[k]];
            set->rigid_rows[g] = set->rows[g] = 0;
            set->R[g] = 0.0;
        }
    }
    set->at = (dp_envelope){set->ngroup, set->first, set->start};
    dp_envelope_layout(set->start, set->ngroup, set->first);
    for (int f = 0; f < set->n; ++f) {
        const int i = set->place[f], k = c->d.kind[i];
        const bool soft = !is_rigid(c, f);
        const bool both = set->has[k] == (RIGID | SOFT);
        const int g = index[k] + (split && both && soft);
        set->group[f] = g;
        set->follows[f] = !split && both && soft;
        set->soft[f] = soft;
        set->rows[g] += 1;
        set->rigid_rows[g] += !soft;
        set->R[g] += soft && !set->follows[f] ? c->d.ratio[i] * c->d.ratio[i] / set->give[f] : 0.0;
    }
}

// R and scale of each group, and the part of each row in its own.
static void weigh(dp_compliant *c, bool split)
{
    dp_free_set *set = &c->set;
    set->rigid = false;
    set->repeated = 0;
    set->least_pivot = set->determinant = 1.0;
    for (int g = 0; g < set->ngroup; ++g) {
        set->R[g] = set->rigid_rows[g] > 0 ? 0.0 : 1.0 / set->R[g]; // 1/K
        set->repeated += set->rigid_rows[g] > 1 ? set->rigid_rows[g] - 1 : 0;
    }
    for (int f = 0; f < set->n; ++f) {
        const int g = set->group[f];
        const double ratio = c->d.ratio[set->place[f]], R = set->give[f];
        set->give[f] = 0.0;
        if (set->rows[g] == 1) {
            set->R[g] = R / (ratio * ratio);
            set->weight[f] = 1.0 / ratio;
        } else if (set->soft[f]) {
            set->weight[f] = set->follows[f] ? 0.0 : ratio / R * set->R[g];
            set->give[f] = 1.0 / R;
            const double pivot = R * set->scale[f] * set->scale[f];
            set->least_pivot = pivot < set->least_pivot ? pivot : set->least_pivot;
            set->determinant *= pivot;
        } else {
            set->weight[f] = 1.0 / (ratio * set->rigid_rows[g]);
        }
    }
    for (int g = 0; g < set->ngroup; ++g) {
        const int k = set->kind[g];
        const double S = c->d.W[c->d.at.start[k + 1] - 1] + set->R[g];
        set->rigid = set->rigid || set->R[g] <= DP_RIGID * S;
        // Where rows share, the norm of their impulses is that of Γ/√r.
        const double rows = split && set->rigid_rows[g] > 1 ? set->rigid_rows[g] : 1.0;
        set->group_scale[g] = S > 0.0 ? sqrt(rows / S) : 0.0;
    }
}

// Where each row is of a kind of its own: each is a group.
static void collect_alone(dp_compliant *c, double shift)
{
    dp_free_set *set = &c->set;
    int *index = set->any.order; // of the first free row at or behind each place
    set->n = 0;
    set->shift = shift;
    set->rigid = false;
    set->repeated = 0;
    set->least_pivot = set->determinant = 1.0;
    for (int i = 0; i < c->n; ++i) {
        index[i] = set->n;
        set->stand[i] = c->stand[i];
        if (dp_is_free(c->stand[i])) {
            const int f = set->n++;
            const double R = effective_R(c, i, shift), S = c->w[i] + R;
            set->place[f] = set->kind[f] = i;
            set->first[f] = index[c->d.at.first[i]];
            set->R[f] = R;
            set->scale[f] = set->group_scale[f] = S > 0.0 ? 1.0 / sqrt(S) : 0.0;
            set->rigid = set->rigid || R <= DP_RIGID * c->a[i];
        }
    }
    set->ngroup = set->n;
    set->at = (dp_envelope){set->n, set->first, set->start};
    dp_envelope_layout(set->start, set->n, set->first);
}

static void make_groups(dp_compliant *c, double shift, bool split)
{
    c->set.alone = c->d.nkind == c->n;
    if (c->set.alone) {
        collect_alone(c, shift);
        return;
    }
    collect_rows(c, shift);
    number_groups(c, split);
    weigh(c, split);
}

// ---- factors

// Row g of the scaled S from column `from` on.
static void fill_row(double *out, const dp_compliant *c, int g, int from)
{
    const dp_free_set *set = &c->set;
    const int k = set->kind[g], first = c->d.at.first[k];
    const double *W = c->d.W + c->d.at.start[k];
    const double scale = set->group_scale[g];
    for (int h = from; h < g; ++h) {
        *out++ = scale * set->group_scale[h] * W[set->kind[h] - first];
    }
    *out = scale * scale * (W[k - first] + set->R[g]);
}

// The product of the eigenvalues of S other than 0 is the sum of all its minors of r = rank rows,
// hence at least the one of the pivots; and r − 1 of them, whose sum is at most n, have at most the
// product (n/(r − 1))^(r−1). So the least is bounded as that of a matrix of full rank with this
// determinant (refine.c). 0 where springs may be taken for round-off: corrections are to tell.
static double equivalent_determinant(const dp_free_set *set)
{
    const double e = 2.718281828459045, share = (set->any.rank - 1) / (double)set->ngroup;
    double determinant = set->alone ? e * set->any.determinant : 0.0;
    for (int k = 1; k < set->any.rank; ++k) {
        determinant *= share;
    }
    for (int g = 0; g < set->ngroup; ++g) {
        determinant = set->R[g] == 0.0 ? determinant : 0.0;
    }
    return determinant;
}

// The groups are made.
static void factor_pivoted(dp_compliant *c, bool coarse)
{
    dp_free_set *set = &c->set;
    for (int g = 0; g < set->ngroup; ++g) {
        double *row = set->any.L + dp_triangle(g);
        memset(row, 0, (size_t)g * sizeof *row);
        fill_row(row + set->first[g], c, g, set->first[g]);
    }
    const double fine = least_pivot_any(set->ngroup);
    dp_semidefinite_factor(&set->any, set->ngroup,
                           coarse       ? LEAST_PIVOT_COARSE + fine
                           : set->rigid ? LEAST_PIVOT_RIGID + fine
                                        : fine);
    set->pivoted = true;
    set->forced = true;
    set->least_pivot = fmin(set->least_pivot, set->any.least_pivot);
    set->determinant = equivalent_determinant(set);
    set->valid = true;
    ++c->factorizations;
}

void dp_free_set_factor_any(dp_compliant *c, double shift, bool coarse)
{
    make_groups(c, shift, true);
    factor_pivoted(c, coarse);
}

void dp_free_set_factor(dp_compliant *c, double shift)
{
    dp_free_set *set = &c->set;
    if (set->valid && set->shift == shift &&
        memcmp(set->stand, c->stand, (size_t)c->n * sizeof *c->stand) == 0) {
        return;
    }
    make_groups(c, shift, false);
    for (int g = 0; g < set->ngroup; ++g) {
        fill_row(set->L + set->start[g], c, g, set->first[g]);
    }
    set->valid = true;
    set->pivoted = set->forced = false;
    const double least = set->rigid ? LEAST_PIVOT_RIGID : LEAST_PIVOT;
    double smallest;
    if (dp_envelope_factor(set->L, set->at, least, &smallest) >= 0) {
        if (!set->alone) { // else no group can be split
            make_groups(c, shift, true);
        }
        factor_pivoted(c, false);
        set->forced = false;
        return;
    }
    ++c->factorizations;
    set->least_pivot = fmin(set->least_pivot, smallest);
    for (int g = 0; g < set->ngroup; ++g) {
        const double root = set->L[set->start[g + 1] - 1];
        set->determinant *= root * root;
    }
}

int dp_free_set_dependent(const dp_free_set *set)
{
    return set->repeated + (set->pivoted ? set->ngroup - set->any.rank : 0);
}

double dp_free_set_null(const dp_free_set *set, int f)
{
    if (set->alone) {
        return set->pivoted ? dp_semidefinite_null(&set->any, f) : 0.0;
    }
    const int g = set->group[f];
    const double rows = set->rigid_rows[g] > 0 && !set->follows[f] ? set->rigid_rows[g] : 1.0;
    const double of_group = set->pivoted ? dp_semidefinite_null(&set->any, g) : 0.0;
    return 1.0 - 1.0 / rows + of_group / rows;
}

// ---- solutions

// x = S⁻¹ b by group. x may be b.
static void solve_groups(double *x, const dp_free_set *set, const double *b)
{
    for (int g = 0; g < set->ngroup; ++g) {
        x[g] = b[g] * set->group_scale[g];
    }
    if (set->pivoted) {
        dp_semidefinite_solve(x, &set->any, x);
    } else {
        dp_envelope_solve(x, set->at, set->L, x);
    }
    for (int g = 0; g < set->ngroup; ++g) {
        x[g] *= set->group_scale[g];
    }
}

void dp_free_set_solve(double *x, const dp_compliant *c, const double *b)
{
    const dp_free_set *set = &c->set;
    const double *ratio = c->d.ratio;
    if (set->alone) {
        solve_groups(x, set, b);
        return;
    }
    for (int g = 0; g < set->ngroup; ++g) {
        set->target[g] = 0.0;
    }
    for (int f = 0; f < set->n; ++f) {
        set->target[set->group[f]] += set->weight[f] * b[f];
    }
    solve_groups(set->impulse, set, set->target);
    for (int f = 0; f < set->n; ++f) { // (FS 1), but for Γ
        const int g = set->group[f];
        const double rho = ratio[set->place[f]];
        x[f] = set->give[f] == 0.0 ? 0.0 : (b[f] - rho * set->target[g]) * set->give[f];
        set->impulse[g] -= rho * x[f]; // of springs side by side only the round-off: Γ stays
    }
    for (int f = 0; f < set->n; ++f) {
        x[f] += set->weight[f] * set->impulse[set->group[f]];
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
        dp_delassus_apply(c->Wx, &c->d, c->x);
    }
    for (int f = 0; f < set->n; ++f) {
        const int i = set->place[f];
        const double target = c->stand[i] == DP_STAND_SOFT ? c->u_hat[i] : c->u_stop[i];
        c->rhs[f] = target - c->u_free[i] - (fixed ? c->Wx[i] : 0.0);
        if (prox.centre) {
            c->rhs[f] += prox.shift * c->a[i] * prox.centre[i];
        }
    }
    dp_free_set_solve(c->rhs, c, c->rhs);
    memcpy(c->gamma, c->x, (size_t)c->n * sizeof *c->x);
    for (int f = 0; f < set->n; ++f) {
        c->gamma[set->place[f]] = c->rhs[f];
    }
}
