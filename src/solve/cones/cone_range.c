// The smallest and largest value of each variable in (CP 1): the revised simplex method over the
// extreme rays of K, with column generation.
//
// A friction cone has infinitely many of them, and the best of all to enter the basis is known in
// closed form: with the reduced costs r = c − Eᵀπ of its variables, the ray
// (1, −a∘(a∘r_g)/‖a∘r_g‖ …), of reduced cost r_n − Σ ‖a∘r_g‖. So cones are exact; nothing is made
// polyhedral. Every basis is a point of the set, and the last reduced cost bounds what may be
// missing.
//
// Contacts that cannot carry anything, whatever the others do, are found first and left out: their
// prices would never settle. For this friction has a box around its ellipse, which has corners, so
// that the search ends and errs on the safe side.
//
// Vertices where several bases meet are the rule (supports that carry nothing), so the load is
// perturbed into the cone: e + B ξ with small ξ > 0 of a basis B that holds it. The value that is
// reported belongs to the load itself.
#include "base/interrupt.h"
#include "linalg/dense.h"
#include "linalg/vector.h"
#include "solve/cones/cone_program.h"

#include <math.h>
#include <string.h>

static const double LEAST_PIVOT = 1e-9; // of orthonormal equations
static const double LEAST_STUCK = 1e-7; // the same where only round-off is to be expected
static const double LEAST_COST = 1e-10; // reduced costs beyond are worth a pivot
static const double TRUST = 1e-9;       // of reduced costs, where rays are near to each other
static const double PARALLEL = 1e-13;   // a ray that is in the basis already, to round-off
// Over 1 + ‖e‖:
static const double PERTURBATION = 1e-11; // ξ
static const double EMPTY = 1e-7;         // what may be missing of the load
static const double INFEASIBLE = 1e-9;    // the same of the points that are reported
static const double UNLOADED = 1e-9;      // normals up to this are none
enum { FRESH = 40, MOST_PIVOTS = 2000 };  // pivots on one inverse; pivots of one search

typedef enum column_kind {
    RAY,        // of a factor of K
    SLACK,      // of an interval with two ends
    ARTIFICIAL, // ± a unit vector
} column_kind;

typedef struct column {
    column_kind kind;
    int cone;  // or the equation of an artificial column
    bool free; // may have either sign
    double direction[DP_CONTACT_ROWS];
} column;

struct dp_cone_search {
    dp_pool pool;
    dp_allocator allocator;
    dp_cone_program p;
    int m;                             // equations, those of intervals with two ends behind them
    bool boxed;                        // friction has a box around its ellipse
    uint8_t *unloaded;                 // ncone: a contact that carries nothing
    int *extra;                        // ncone: the equation of such an interval, −1: none
    double *load;                      // m
    column *basis;                     // m
    double *level;                     // m: values of the basis, for the perturbed load
    double *B;                         // m × m by rows: the inverse
    double *LU;                        // m × m
    double *cost;                      // n
    double *price;                     // m
    double *reduced;                   // n
    double *entering, *step, *scratch; // m
    int *row, *order;                  // m
    double size;                       // 1 + ‖e‖
    int stale;                         // pivots since the inverse was made
    long long work;
};

// Where an interval is counted from, and in which direction.
static double origin(const dp_cone *cone)
{
    return isfinite(cone->lo) ? cone->lo : isfinite(cone->hi) ? cone->hi : 0.0;
}

static double heading(const dp_cone *cone)
{
    return !isfinite(cone->lo) && isfinite(cone->hi) ? -1.0 : 1.0;
}

static bool is_free(const dp_cone *cone)
{
    return cone->ngroup < 0 && !isfinite(cone->lo) && !isfinite(cone->hi);
}

// The column as the equations see it.
static void expand(double *out, const dp_cone_search *s, const column *c)
{
    memset(out, 0, (size_t)s->m * sizeof *out);
    if (c->kind == ARTIFICIAL) {
        out[c->cone] = c->direction[0];
        return;
    }
    if (s->extra[c->cone] >= 0) {
        out[s->extra[c->cone]] = 1.0;
    }
    if (c->kind == SLACK) {
        return;
    }
    const dp_cone *cone = &s->p.cone[c->cone];
    const int size = dp_cone_size(cone);
    for (int i = 0; i < s->p.m; ++i) {
        const double *E = s->p.E + (size_t)i * (size_t)s->p.n + cone->first;
        for (int k = 0; k < size; ++k) {
            out[i] += E[k] * c->direction[k];
        }
    }
}

// Make the inverse anew. @return false: the basis is singular
static bool invert(dp_cone_search *s)
{
    const size_t m = (size_t)s->m;
    for (int k = 0; k < s->m; ++k) {
        expand(s->scratch, s, &s->basis[k]);
        for (size_t i = 0; i < m; ++i) {
            s->LU[i * m + (size_t)k] = s->scratch[i];
        }
    }
    dp_dense f = {.LU = s->LU, .row = s->row, .column = s->order, .value = s->entering};
    dp_dense_factor(&f, s->m, 0.0);
    s->work -= 3 * (long long)s->m * s->m * s->m;
    if (f.rank < s->m) {
        return false;
    }
    dp_dense_inverse(s->B, &f, s->step);
    s->stale = 0;
    return true;
}

static double cost_of(const dp_cone_search *s, const column *c, bool first_phase)
{
    if (first_phase || c->kind != RAY) {
        return first_phase && c->kind == ARTIFICIAL ? 1.0 : 0.0;
    }
    const dp_cone *cone = &s->p.cone[c->cone];
    double cost = 0.0;
    for (int k = 0; k < dp_cone_size(cone); ++k) {
        cost += s->cost[cone->first + k] * c->direction[k];
    }
    return cost;
}

// π with Bᵀπ = c_B, and what is left of the costs.
static void find_prices(dp_cone_search *s, bool first_phase)
{
    const size_t m = (size_t)s->m, n = (size_t)s->p.n;
    memset(s->price, 0, m * sizeof *s->price);
    for (size_t i = 0; i < m; ++i) {
        const double cost = cost_of(s, &s->basis[i], first_phase);
        for (size_t k = 0; cost != 0.0 && k < m; ++k) {
            s->price[k] += cost * s->B[i * m + k];
        }
    }
    for (size_t j = 0; j < n; ++j) {
        s->reduced[j] = first_phase ? 0.0 : s->cost[j];
    }
    dp_add_transposed(s->reduced, s->p.E, s->price, s->p.m, s->p.n, -1.0);
}

// The ray of a contact with the least reduced cost, which is returned.
static double best_ray(column *out, const dp_cone *cone, const double *r, bool boxed)
{
    double least = r[0];
    memset(out->direction, 0, sizeof out->direction);
    out->direction[0] = 1.0;
    for (int g = 0; g < cone->ngroup; ++g) {
        const dp_friction_group *group = &cone->group[g];
        double pull[2] = {0.0, 0.0}, size = 0.0;
        for (int k = 0; k < group->count; ++k) {
            pull[k] = group->reach * group->scale[k] * r[group->first + k];
            size = boxed ? size + fabs(pull[k]) : sqrt(size * size + pull[k] * pull[k]);
        }
        for (int k = 0; size > 0.0 && k < group->count; ++k) {
            const double share = boxed ? (pull[k] > 0.0) - (pull[k] < 0.0) : pull[k] / size;
            out->direction[group->first + k] = -group->reach * group->scale[k] * share;
        }
        least -= size;
    }
    return least;
}

// The column that is worth most. @return its reduced cost
static double choose(column *out, const dp_cone_search *s)
{
    double least = 0.0;
    for (int c = 0; c < s->p.ncone; ++c) {
        const dp_cone *cone = &s->p.cone[c];
        const double *r = s->reduced + cone->first;
        column ray = {.kind = RAY, .cone = c, .free = is_free(cone)};
        double cost;
        if (s->unloaded[c]) {
            continue;
        }
        if (cone->ngroup >= 0) {
            cost = best_ray(&ray, cone, r, s->boxed);
        } else if (ray.free) {
            ray.direction[0] = r[0] > 0.0 ? -1.0 : 1.0;
            cost = -fabs(r[0]);
        } else {
            ray.direction[0] = heading(cone);
            cost = heading(cone) * r[0];
        }
        if (s->extra[c] >= 0) {
            const double price = s->price[s->extra[c]];
            cost -= price;
            if (-price < least) {
                least = -price;
                *out = (column){.kind = SLACK, .cone = c};
            }
        }
        if (cost < least) {
            least = cost;
            *out = ray;
        }
    }
    return least;
}

// Columns that stay at zero once the first phase is over.
static bool is_stuck(const dp_cone_search *s, int i, bool first_phase)
{
    return !first_phase && s->basis[i].kind == ARTIFICIAL;
}

// How fast row i of the basis falls to its end; 0: it does not.
static double rate_of(const dp_cone_search *s, int i, bool first_phase)
{
    const double d = s->step[i];
    if (is_stuck(s, i, first_phase)) {
        return fabs(d) > LEAST_STUCK ? fabs(d) : 0.0;
    }
    return !s->basis[i].free && d > LEAST_PIVOT ? d : 0.0;
}

// The ratio test: the row that blocks first; −1: none, there is no end. Of those that do so at
// nearly the same time, the one with the largest pivot [Harris1973].
static int blocking(const dp_cone_search *s, bool first_phase)
{
    const double slack = 0.1 * PERTURBATION * s->size;
    double least = (double)INFINITY, most = 0.0;
    int best = -1;
    for (int i = 0; i < s->m; ++i) {
        const double d = rate_of(s, i, first_phase);
        const bool stuck = is_stuck(s, i, first_phase);
        if (d > 0.0) {
            least = fmin(least, stuck ? 0.0 : (fmax(s->level[i], 0.0) + slack) / d);
        }
    }
    for (int i = 0; i < s->m; ++i) {
        const double d = rate_of(s, i, first_phase);
        const bool stuck = is_stuck(s, i, first_phase);
        if (d > most && (stuck || fmax(s->level[i], 0.0) / d <= least)) {
            most = d;
            best = i;
        }
    }
    return best;
}

static void exchange(dp_cone_search *s, int out, const column *in)
{
    const size_t m = (size_t)s->m;
    double *pivot = s->B + (size_t)out * m;
    const double scale = 1.0 / s->step[out];
    const double t = s->level[out] * scale;
    for (size_t k = 0; k < m; ++k) {
        pivot[k] *= scale;
    }
    for (int i = 0; i < s->m; ++i) {
        const double d = s->step[i];
        if (i == out || d == 0.0) {
            continue;
        }
        double *row = s->B + (size_t)i * m;
        for (size_t k = 0; k < m; ++k) {
            row[k] -= d * pivot[k];
        }
        s->level[i] -= d * t;
    }
    s->level[out] = t;
    s->basis[out] = *in;
}

// Is the ray in the basis already? Then the reduced cost is round-off.
static bool is_known(const dp_cone_search *s, const column *c)
{
    for (int i = 0; i < s->m; ++i) {
        const column *b = &s->basis[i];
        if (b->kind != c->kind || b->cone != c->cone) {
            continue;
        }
        double off = 0.0;
        for (int k = 0; k < DP_CONTACT_ROWS; ++k) {
            off = fmax(off, fabs(b->direction[k] - c->direction[k]));
        }
        if (off <= PARALLEL || b->free) {
            return true;
        }
    }
    return false;
}

typedef enum ending { AT_BEST, NO_END, OUT_OF_WORK } ending;

static ending descend(dp_cone_search *s, bool first_phase, double *left)
{
    *left = 0.0;
    const long long m = s->m, one = m * (3 * m + 2 * s->p.n) + 8 * s->p.n + 1; // a pivot
    for (int k = 0; k < MOST_PIVOTS && s->work > 0; ++k, s->work -= one) {
        if (dp_interrupted((size_t)one) || (s->stale >= FRESH && !invert(s))) {
            return OUT_OF_WORK;
        }
        column in = {.kind = RAY};
        find_prices(s, first_phase);
        *left = choose(&in, s);
        const bool best = *left > -LEAST_COST || is_known(s, &in);
        if (!best) {
            expand(s->entering, s, &in);
            dp_times(s->step, s->B, s->entering, s->m, s->m);
        }
        const int out = best ? -1 : blocking(s, first_phase);
        if (out < 0) {
            if (s->stale == 0) {
                return best ? AT_BEST : NO_END;
            }
            s->stale = FRESH; // round-off may have had a say
            continue;
        }
        exchange(s, out, &in);
        ++s->stale;
    }
    return OUT_OF_WORK;
}

// Move the load into the cone of the basis, by different amounts for different columns.
static void perturb(dp_cone_search *s, double shift, bool artificial)
{
    for (int i = 0; i < s->m; ++i) {
        const column *c = &s->basis[i];
        shift += 0.6180339887498949; // spreads evenly over [0, 1)
        shift -= floor(shift);
        s->level[i] = c->free ? s->level[i] : fmax(s->level[i], 0.0);
        if (!c->free && (artificial || c->kind != ARTIFICIAL)) {
            s->level[i] += PERTURBATION * s->size * (0.5 + shift);
        }
    }
}

static void count_equations(dp_cone_search *s)
{
    s->m = s->p.m;
    for (int c = 0; c < s->p.ncone; ++c) {
        const dp_cone *cone = &s->p.cone[c];
        const bool two_ends = cone->ngroup < 0 && isfinite(cone->lo) && isfinite(cone->hi);
        s->extra[c] = two_ends ? s->m++ : -1;
    }
}

static void lay_out(dp_cone_search *s)
{
    const dp_cone_program *p = &s->p;
    const size_t n = (size_t)p->n, m = (size_t)s->m;
    for (int i = 0; i < p->m; ++i) {
        s->load[i] = p->e[i];
    }
    for (int c = 0; c < p->ncone; ++c) {
        const dp_cone *cone = &p->cone[c];
        const double from = cone->ngroup < 0 ? origin(cone) : 0.0;
        for (int i = 0; i < p->m; ++i) {
            s->load[i] -= p->E[(size_t)i * n + (size_t)cone->first] * from;
        }
        if (s->extra[c] >= 0) {
            s->load[s->extra[c]] = cone->hi - cone->lo;
        }
    }
    memset(s->B, 0, m * m * sizeof *s->B);
    for (int i = 0; i < s->m; ++i) {
        const double sign = s->load[i] < 0.0 ? -1.0 : 1.0;
        s->basis[i] = (column){.kind = ARTIFICIAL, .cone = i, .direction = {sign}};
        s->B[(size_t)i * m + (size_t)i] = sign;
        s->level[i] = fabs(s->load[i]);
    }
    s->size = 1.0 + dp_norm(s->load, s->m);
    perturb(s, 0.0, true);
}

// Find a basis that holds the load.
static dp_cone_holds begin(dp_cone_search *s)
{
    double left, missing = 0.0;
    lay_out(s);
    if (descend(s, true, &left) != AT_BEST || !invert(s)) {
        return DP_CONE_UNKNOWN;
    }
    dp_times(s->level, s->B, s->load, s->m, s->m);
    for (int i = 0; i < s->m; ++i) {
        const column *c = &s->basis[i];
        missing += c->kind == ARTIFICIAL ? fabs(s->level[i])
                   : c->free             ? 0.0
                                         : fmax(-s->level[i], 0.0);
    }
    perturb(s, 0.5, false);
    return missing <= EMPTY * s->size ? DP_CONE_HOLDS : DP_CONE_HOLDS_NOT;
}

// Find the contacts that carry nothing, and begin without them. What artificial columns are left of
// equations that were about them alone stays at zero.
static dp_cone_holds begin_with_the_loaded(dp_cone_search *s)
{
    s->boxed = true;
    dp_cone_holds holds = begin(s);
    for (int c = 0; holds == DP_CONE_HOLDS && c < s->p.ncone; ++c) {
        if (s->p.cone[c].ngroup >= 0) {
            const dp_cone_end most = dp_cone_search_end(s, s->p.cone[c].first, 1.0);
            s->unloaded[c] = most.known && most.value <= UNLOADED * s->size;
        }
    }
    s->boxed = false;
    return holds == DP_CONE_HOLDS ? begin(s) : holds;
}

static dp_status prepare(dp_cone_holds *holds, dp_cone_search *s)
{
    const size_t n = (size_t)s->p.n, ncone = (size_t)s->p.ncone;
    DP_TRY(dp_pool_take(&s->extra, &s->pool, ncone, sizeof(int)));
    DP_TRY(dp_pool_take(&s->unloaded, &s->pool, ncone, sizeof(uint8_t)));
    count_equations(s);
    const size_t m = (size_t)s->m;
    double **const of_m[] = {&s->load, &s->level, &s->price, &s->entering, &s->step, &s->scratch};
    for (size_t k = 0; k < sizeof of_m / sizeof *of_m; ++k) {
        DP_TRY(dp_pool_take(of_m[k], &s->pool, m, sizeof(double)));
    }
    DP_TRY(dp_pool_take(&s->basis, &s->pool, m, sizeof(column)));
    DP_TRY(dp_pool_take(&s->B, &s->pool, m * m, sizeof(double)));
    DP_TRY(dp_pool_take(&s->LU, &s->pool, m * m, sizeof(double)));
    DP_TRY(dp_pool_take(&s->cost, &s->pool, n, sizeof(double)));
    DP_TRY(dp_pool_take(&s->reduced, &s->pool, n, sizeof(double)));
    DP_TRY(dp_pool_take(&s->row, &s->pool, m, sizeof(int)));
    DP_TRY(dp_pool_take(&s->order, &s->pool, m, sizeof(int)));
    *holds = begin_with_the_loaded(s);
    return DP_OK;
}

dp_status dp_cone_search_create(dp_cone_search **out, dp_cone_holds *holds,
                                const dp_cone_program *p, long long work,
                                const dp_allocator *allocator)
{
    dp_cone_search *s;
    *out = NULL;
    *holds = DP_CONE_UNKNOWN;
    const dp_allocator a = dp_allocator_or_default(allocator);
    DP_TRY(dp_allocate(&s, &a, 1, sizeof *s));
    s->allocator = a;
    s->p = *p;
    s->work = work;
    dp_pool_init(&s->pool, &s->allocator);
    const dp_status status = prepare(holds, s);
    if (status != DP_OK) {
        dp_cone_search_destroy(s);
        return status;
    }
    *out = s;
    return DP_OK;
}

void dp_cone_search_destroy(dp_cone_search *s)
{
    if (s) {
        const dp_allocator a = s->allocator;
        dp_pool_destroy(&s->pool);
        dp_release(&a, s, 1, sizeof *s);
    }
}

long long dp_cone_search_left(const dp_cone_search *s)
{
    return s->work;
}

// The point at the end of a descent, for the load itself, in s->reduced.
static void find_point(dp_cone_search *s)
{
    double *x = s->reduced;
    memset(x, 0, (size_t)s->p.n * sizeof *x);
    for (int c = 0; c < s->p.ncone; ++c) {
        x[s->p.cone[c].first] = s->p.cone[c].ngroup < 0 ? origin(&s->p.cone[c]) : 0.0;
    }
    dp_times(s->scratch, s->B, s->load, s->m, s->m);
    for (int i = 0; i < s->m; ++i) {
        const column *b = &s->basis[i];
        const int size = b->kind == RAY ? dp_cone_size(&s->p.cone[b->cone]) : 0;
        for (int k = 0; k < size; ++k) {
            x[s->p.cone[b->cone].first + k] += b->direction[k] * s->scratch[i];
        }
    }
}

// Is it in the set? Single rays may have gone astray by more, where others are near to them. The
// inverse is made anew for this.
static bool is_in_the_set(dp_cone_search *s)
{
    const dp_cone_program *p = &s->p;
    if (!invert(s)) {
        return false;
    }
    find_point(s);
    double off = dp_cone_distance(p, s->reduced);
    for (int i = 0; i < p->m; ++i) {
        const double held = dp_dot(p->E + (size_t)i * (size_t)p->n, s->reduced, p->n);
        off = fmax(off, fabs(p->e[i] - held));
    }
    return off <= INFEASIBLE * s->size;
}

// The sum of all normals and intervals, by which reduced costs may be multiplied.
static double total_of(const dp_cone_search *s)
{
    double total = 1.0;
    for (int i = 0; i < s->m; ++i) {
        total += s->basis[i].kind == RAY ? fabs(s->scratch[i]) : 0.0;
    }
    return total;
}

dp_cone_end dp_cone_search_end(dp_cone_search *s, int j, double sign)
{
    const dp_cone_end none = {.value = sign * (double)INFINITY};
    double left;
    memset(s->cost, 0, (size_t)s->p.n * sizeof *s->cost);
    s->cost[j] = -sign;
    const ending end = descend(s, false, &left);
    if (end == NO_END) {
        return (dp_cone_end){.value = none.value, .known = true};
    }
    if (s->work <= 0 || !is_in_the_set(s)) {
        return none;
    }
    const double gap = fmax(-left, TRUST) * total_of(s);
    return (dp_cone_end){.value = s->reduced[j], .gap = gap, .known = true};
}
