// With one row z for each variable x, A = Eᵀ and c = e in (CI 1), multipliers are the x ∈ K with
// E x = e + P y, y the unknowns:
//
//     the minimum norm            P = 0, R = 1: the least ½ ‖x‖²
//     the nearest load          P = 1, R = 0: the least ½ ‖E x − e‖²
//     the largest value of x_j  P = R = 0, b = 1 in the row of x_j
#include "solve/cones/cone_program.h"

#include "base/interrupt.h"
#include "linalg/vector.h"
#include "solve/cones/conic_rows.h"

#include <math.h>
#include <string.h>

static const double CENTRING = 0.3; // of dp_interior_program
static const double SOLVED = 1e-6;  // dp_interior_result.off of what counts, over 1 + ‖e‖
static const double HELD = 1e-7;    // what may be missing of the load, over the same
static const double PROVEN = 1e9;   // dp_interior_result.proof that there is no end
static const double DIGITS = 1e-15; // of sums
static const double SURE = 1e-9; // dp_cone_end.gap of what is not looked at again, over all forces
static const double FAST = (double)INFINITY, CAREFUL = 0.0; // dp_interior_program.light
static const double LEAST = 1e-12; // R of variables without bounds: of many the least ones

struct dp_cone_search {
    dp_pool pool;
    dp_allocator allocator;
    dp_cone_program p;
    dp_conic_rows rows;
    dp_interior_program program;
    dp_interior_result found;
    double *P, *b, *R; // of the program
    void *room;
    double size; // 1 + ‖e‖
    long long work;
};

int dp_cone_size(const dp_cone *cone)
{
    int size = 1;
    for (int g = 0; g < cone->ngroup; ++g) {
        size += cone->group[g].count;
    }
    return size;
}

// By how much friction of a group passes its ellipse, in units of its largest semi-axis.
static double excess_of_group(const dp_friction_group *g, const double *x, double normal)
{
    double square = 0.0, beyond = 0.0;
    for (int k = 0; k < g->count; ++k) {
        const double axis = g->reach * g->scale[k];
        square += axis > 0.0 ? (x[k] / g->scale[k]) * (x[k] / g->scale[k]) : 0.0;
        beyond = axis > 0.0 ? beyond : fmax(beyond, fabs(x[k]));
    }
    return fmax(beyond, sqrt(square) - g->reach * normal);
}

double dp_cone_excess(const dp_cone_program *p, const double *x)
{
    double most = 0.0;
    for (int c = 0; c < p->ncone; ++c) {
        const dp_cone *cone = &p->cone[c];
        const double *own = x + cone->first;
        most = cone->ngroup < 0 ? fmax(most, fmax(cone->lo - own[0], own[0] - cone->hi))
                                : fmax(most, -own[0]);
        for (int g = 0; g < cone->ngroup; ++g) {
            const dp_friction_group *group = &cone->group[g];
            most = fmax(most, excess_of_group(group, own + group->first, own[0]));
        }
    }
    return most;
}

// ---- the program

static void add_cones(dp_cone_search *s)
{
    s->rows.n = s->p.m;
    s->rows.m = s->rows.ncone = 0;
    for (int c = 0; c < s->p.ncone; ++c) {
        const dp_cone *cone = &s->p.cone[c];
        if (cone->ngroup < 0) {
            dp_conic_add_interval(&s->rows, cone->first, cone->lo, cone->hi);
        } else {
            dp_conic_add_contact(&s->rows, cone->first, cone->group, cone->ngroup);
        }
    }
}

static dp_status take_room(dp_cone_search *s)
{
    dp_conic_rows *rows = &s->rows;
    add_cones(s);
    const size_t n = (size_t)rows->n, m = (size_t)rows->m, ncone = (size_t)rows->ncone;
    double **const of_m[] = {&s->b, &s->R, &s->found.z, &s->found.ray};
    for (size_t k = 0; k < sizeof of_m / sizeof *of_m; ++k) {
        DP_TRY(dp_pool_take(of_m[k], &s->pool, m, sizeof(double)));
    }
    DP_TRY(dp_pool_take(&s->P, &s->pool, n * n, sizeof(double)));
    DP_TRY(dp_pool_take(&s->found.x, &s->pool, n, sizeof(double)));
    DP_TRY(dp_pool_take(&rows->A, &s->pool, m * n, sizeof(double)));
    DP_TRY(dp_pool_take(&rows->c, &s->pool, n, sizeof(double)));
    DP_TRY(dp_pool_take(&rows->cone, &s->pool, ncone, sizeof *rows->cone));
    DP_TRY(dp_pool_take(&rows->from, &s->pool, m, sizeof *rows->from));
    char *room;
    const size_t bytes = dp_interior_memory(rows->n, rows->m, rows->ncone);
    DP_TRY(dp_pool_take(&room, &s->pool, bytes, 1));
    s->room = room;
    return DP_OK;
}

static dp_status begin(dp_cone_search *s, const dp_cone_program *p, long long work,
                       const dp_allocator *allocator)
{
    *s = (dp_cone_search){.p = *p, .work = work, .size = 1.0 + dp_norm(p->e, p->m)};
    s->allocator = dp_allocator_or_default(allocator);
    dp_pool_init(&s->pool, &s->allocator);
    DP_TRY(take_room(s));
    dp_conic_rows *rows = &s->rows;
    rows->width = rows->n;
    add_cones(s);
    for (int k = 0; k < p->m; ++k) {
        rows->c[k] = p->e[k];
    }
    for (int i = 0; i < rows->m; ++i) {
        const dp_conic_source *from = &rows->from[i];
        for (int k = 0; from->of >= 0 && k < p->m; ++k) {
            const double E = p->E[(size_t)k * (size_t)p->n + (size_t)from->of];
            rows->A[(size_t)i * (size_t)rows->width + (size_t)k] = from->factor * E;
            rows->c[k] -= from->at * E;
        }
    }
    s->program = (dp_interior_program){rows->n, rows->m,    s->P,        rows->c,  rows->A, s->b,
                                       s->R,    rows->cone, rows->ncone, CENTRING, 0.0};
    return DP_OK;
}

// Variables without bounds, whose rows are equations, may be any: the least are taken.
static void regularise(dp_cone_search *s)
{
    for (int i = 0; i < s->rows.m; ++i) {
        s->R[i] = LEAST;
    }
    for (int k = 0; k < s->rows.ncone; ++k) {
        const dp_interior_cone *cone = &s->rows.cone[k];
        memset(s->R + cone->first, 0, (size_t)cone->size * sizeof *s->R);
    }
}

static void solve(dp_cone_search *s, double light)
{
    const long long n = s->rows.n, m = s->rows.m, stay = light > 0.0 ? 0 : m;
    s->program.light = light;
    dp_interior_solve(&s->found, &s->program, s->room);
    s->work -= s->found.iterations * (n + stay) * (n + stay) * (n + m);
}

// The x whose load is nearest. @return ‖E x − e‖
static double find_nearest_load(dp_cone_search *s)
{
    const size_t n = (size_t)s->rows.n, m = (size_t)s->rows.m;
    memset(s->b, 0, m * sizeof *s->b);
    for (size_t k = 0; k < (size_t)s->p.m; ++k) {
        s->P[k * n + k] = 1.0;
    }
    solve(s, CAREFUL);
    memset(s->P, 0, n * n * sizeof *s->P);
    return dp_norm(s->found.x, s->p.m);
}

static void find_least(dp_cone_search *s)
{
    for (int i = 0; i < s->rows.m; ++i) {
        const dp_conic_source *from = &s->rows.from[i];
        s->R[i] = from->factor * from->factor;
        s->b[i] = -from->factor * from->at;
    }
    solve(s, FAST);
}

dp_status dp_cone_least(double *x, double *missed, const dp_cone_program *p,
                        const dp_allocator *allocator)
{
    dp_cone_search s;
    const dp_status status = begin(&s, p, 0, allocator);
    if (status == DP_OK) {
        find_least(&s);
        if (!(s.found.off <= SOLVED * s.size)) {
            regularise(&s);
            (void)find_nearest_load(&s);
        }
        memset(x, 0, (size_t)p->n * sizeof *x);
        for (int i = 0; i < s.rows.m; ++i) {
            const dp_conic_source *from = &s.rows.from[i];
            if (from->of >= 0) {
                x[from->of] = from->at + from->factor * s.found.z[i];
            }
        }
        double square = 0.0;
        for (int k = 0; k < p->m; ++k) {
            const double miss = dp_dot(p->E + (size_t)k * (size_t)p->n, x, p->n) - p->e[k];
            square += miss * miss;
        }
        *missed = sqrt(square);
    }
    dp_pool_destroy(&s.pool);
    return status;
}

// ---- ranges

dp_status dp_cone_search_create(dp_cone_search **out, dp_cone_holds *holds,
                                const dp_cone_program *p, long long work,
                                const dp_allocator *allocator)
{
    dp_cone_search *s;
    *out = NULL;
    *holds = DP_CONE_UNKNOWN;
    const dp_allocator a = dp_allocator_or_default(allocator);
    DP_TRY(dp_allocate(&s, &a, 1, sizeof *s));
    const dp_status status = begin(s, p, work, &a);
    if (status != DP_OK) {
        dp_cone_search_destroy(s);
        return status;
    }
    regularise(s);
    const double missed = work > 0 ? find_nearest_load(s) : (double)INFINITY;
    if (work > 0 && s->found.off <= SOLVED * s->size) {
        *holds = missed <= HELD * s->size ? DP_CONE_HOLDS : DP_CONE_HOLDS_NOT;
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

// Between cᵀy, which no x_j passes, and bᵀz, which the current x has, but for what they miss.
// @param total the size of all forces
static double gap_of(double *total, const dp_cone_search *s)
{
    const dp_interior_result *f = &s->found;
    double gap = 0.0;
    *total = s->size;
    for (int k = 0; k < s->rows.n; ++k) {
        *total += fabs(f->x[k]);
        gap += s->rows.c[k] * f->x[k];
    }
    for (int i = 0; i < s->rows.m; ++i) {
        *total += fabs(f->z[i]);
        gap -= s->b[i] * f->z[i];
    }
    return fabs(gap) + (f->rest + DIGITS) * *total;
}

// The end for the current b, as the program leaves it. @param row that of the variable
// @return whether nothing better is to be expected
static bool find_end(dp_cone_end *out, dp_cone_search *s, int row, double sign, double light)
{
    const dp_conic_source *from = &s->rows.from[row];
    double total;
    solve(s, light);
    *out = (dp_cone_end){.value = sign * (double)INFINITY, .known = s->found.proof >= PROVEN};
    if (!(s->found.off <= SOLVED * s->size)) {
        return out->known;
    }
    *out = (dp_cone_end){.value = from->at + from->factor * s->found.z[row],
                         .gap = gap_of(&total, s),
                         .known = true};
    return out->gap <= SURE * total;
}

// Is there enough for a careful look at all ends?
static bool leaves_work(const dp_cone_search *s)
{
    enum { ITERATIONS = 40 }; // as a rule
    const double N = s->rows.n + s->rows.m;
    return ITERATIONS * N * N * N * 2.0 * s->p.n <= (double)s->work;
}

dp_cone_end dp_cone_search_end(dp_cone_search *s, int j, double sign)
{
    int row = -1;
    if (s->work <= 0 || dp_interrupted(0)) {
        return (dp_cone_end){.value = sign * (double)INFINITY};
    }
    for (int i = 0; i < s->rows.m; ++i) {
        const dp_conic_source *from = &s->rows.from[i];
        s->b[i] = from->of == j ? sign * from->factor : 0.0;
        row = from->of == j ? i : row;
    }
    if (row < 0) { // friction without a reach
        return (dp_cone_end){.value = 0.0, .known = true};
    }
    dp_cone_end end;
    const bool sure = find_end(&end, s, row, sign, FAST);
    if (!sure && (!end.known || leaves_work(s))) {
        (void)find_end(&end, s, row, sign, CAREFUL);
    }
    return end;
}
