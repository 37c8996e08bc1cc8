// Which reactions equilibrium determines, and what the others may be.
//
// Components are scaled to forces: x̂ = x for forces, x/L for moments; so are the equations of the
// bodies, moments about centres of mass. The singular values of the scaled Gᵀ give the rank, and
// its row space U the rest: of any reaction x̂ that holds the loads, U Uᵀ x̂ is the one of least
// norm, and a component i is determined where the unit vector i lies in the row space. Components
// that share null vectors or a friction cone form parts, which are looked at one by one.
#include "sim/statics/statics.h"
#include "base/interrupt.h"
#include "base/union_find.h"
#include "linalg/jacobi_svd.h"
#include "linalg/vector.h"
#include "solve/cones/cone_program.h"

static const double DETERMINED = 1e-8; // part of a unit vector in the null space that is round-off
static const double COUPLED = 1e-12;   // element of a projector that is not
static const double ROUND_OFF = 1e-9;  // of ranges, over the largest force
static const double WITHIN = 1e-12;    // of the largest force: how far bounds may be passed

struct dp_statics {
    dp_allocator allocator;
    dp_pool pool;
    dp_statics_info info;
    dp_reaction *reaction;
    int count;
};

// The linear algebra of a report.
typedef struct algebra {
    int n, m; // unknowns, equations
    int rank;
    double *A;     // n × m: columns, the equations
    double *U;     // n × m: columns, of which the first `rank` span the row space
    double *moves; // n × nv: [N] accelerations of a typical body, where friction slides
    double *R;     // m × m: scratch
    double *sigma; // m
    double *x;     // n: scaled, holds the loads
    double *least; // n: scaled
    double *P;     // n × n: projector on the null space
    double *freedom;
    uint8_t *open; // n: not determined
    int *place;    // n: of the unknown among all components
    int *root;     // n: the first unknown of its part
} algebra;

static double unit_of(const dp_report *s, int i)
{
    return s->component[i].reaction.moment ? s->length : 1.0;
}

// ---- equations

// Add `scale` times what component i does to the column of unknown u.
static void add_column(algebra *a, dp_report *s, int u, int i, double scale)
{
    dp_report_act(s, i);
    if (s->slides) {
        dp_report_respond(s);
        for (int r = 0; r < s->nclosed; ++r) {
            a->A[((size_t)s->nequation + (size_t)r) * (size_t)a->n + (size_t)u] +=
                scale * s->opening[r];
        }
        for (int k = 0; k < s->m->size.nv; ++k) {
            a->moves[(size_t)k * (size_t)a->n + (size_t)u] += scale * s->mass * s->response[k];
        }
    }
    for (int b = 0; b < s->m->size.nbody; ++b) {
        if (s->equation[b] < 0) {
            continue;
        }
        const dp_wrench w = s->wrench[b];
        const dp_v3 r = dp_v3_sub(dp_report_centre(s->d, b), s->d->kin.link[b].X.p);
        const dp_v3 t = dp_v3_sub(w.t, dp_v3_cross(r, w.f));
        const double six[6] = {w.f.x,           w.f.y,           w.f.z,
                               t.x / s->length, t.y / s->length, t.z / s->length};
        for (int k = 0; k < 6; ++k) {
            const size_t row = (size_t)s->equation[b] + (size_t)k,
                         at = row * (size_t)a->n + (size_t)u;
            a->A[at] += scale * six[k];
        }
    }
}

static dp_status assemble(algebra *a, dp_report *s)
{
    const size_t n = (size_t)s->n, m = (size_t)s->nequation + (size_t)s->nclosed;
    *a = (algebra){.n = s->n, .m = s->nequation + s->nclosed};
    DP_TRY(dp_pool_take(&a->A, s->pool, n * m, sizeof(double)));
    DP_TRY(dp_pool_take(&a->U, s->pool, n * m, sizeof(double)));
    DP_TRY(dp_pool_take(&a->R, s->pool, n > m ? m * m : 0, sizeof(double)));
    DP_TRY(dp_pool_take(&a->moves, s->pool, s->slides ? n * (size_t)s->m->size.nv : 0,
                        sizeof(double)));
    DP_TRY(dp_pool_take(&a->sigma, s->pool, m, sizeof(double)));
    DP_TRY(dp_pool_take(&a->x, s->pool, n, sizeof(double)));
    DP_TRY(dp_pool_take(&a->least, s->pool, n, sizeof(double)));
    DP_TRY(dp_pool_take(&a->P, s->pool, n * n, sizeof(double)));
    DP_TRY(dp_pool_take(&a->freedom, s->pool, n, sizeof(double)));
    DP_TRY(dp_pool_take(&a->place, s->pool, n, sizeof(int)));
    DP_TRY(dp_pool_take(&a->root, s->pool, n, sizeof(int)));
    DP_TRY(dp_pool_take(&a->open, s->pool, n, sizeof(uint8_t)));
    for (int i = 0; i < s->count; ++i) {
        const dp_component *one = &s->component[i];
        const int u = one->column;
        if (u >= 0) {
            a->place[u] = i;
            a->x[u] = one->found / unit_of(s, i);
            add_column(a, s, u, i, unit_of(s, i));
        } else { // per unit of its normal
            add_column(a, s, s->component[one->normal].column, i, one->reaction.limit);
        }
    }
    return DP_OK;
}

static void find_rank(algebra *a, dp_statics_info *info, double tolerance)
{
    dp_jacobi_svd(a->U, a->sigma, a->A, a->R, a->n, a->m);
    const double most = a->m > 0 ? a->sigma[0] : 0.0;
    while (a->rank < a->m && a->sigma[a->rank] > tolerance * most) {
        ++a->rank;
    }
    info->ncomponent = a->n;
    info->rank = a->rank;
    info->nullity = a->n - a->rank;
    info->tolerance = tolerance;
    info->smallest = a->rank > 0 ? a->sigma[a->rank - 1] / most : 0.0;
    // zeros beyond the number of unknowns are none of geometry
    info->largest_zero = a->rank < a->m && a->rank < a->n ? a->sigma[a->rank] / most : 0.0;
    for (int k = 0; k < a->rank; ++k) { // U Uᵀ x
        const double *u = a->U + (size_t)k * (size_t)a->n;
        const double along = dp_dot(u, a->x, a->n);
        for (int i = 0; i < a->n; ++i) {
            a->least[i] += along * u[i];
        }
    }
}

// The projector on the null space, and how much of each unit vector lies in it.
static void find_null(algebra *a)
{
    const size_t n = (size_t)a->n;
    for (size_t i = 0; i < n; ++i) {
        a->P[i * n + i] = 1.0;
    }
    for (int k = 0; k < a->rank; ++k) {
        const double *u = a->U + (size_t)k * n;
        for (size_t i = 0; i < n; ++i) {
            for (size_t j = 0; u[i] != 0.0 && j <= i; ++j) {
                a->P[i * n + j] -= u[i] * u[j];
            }
        }
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) {
            a->P[j * n + i] = a->P[i * n + j];
        }
    }
    for (size_t i = 0; i < n; ++i) { // as a length: its square alone would lose half the digits
        a->freedom[i] = fmin(sqrt(dp_dot(a->P + i * n, a->P + i * n, a->n)), 1.0);
        a->open[i] = a->freedom[i] > DETERMINED;
    }
}

// Do reactions between which equilibrium cannot choose make different motions?
static bool moves_by_choice(const algebra *a, int nv)
{
    for (int u = 0; u < a->n; ++u) {
        for (int k = 0; a->open[u] && k < nv; ++k) {
            const double *moves = a->moves + (size_t)k * (size_t)a->n;
            if (fabs(dp_dot(moves, a->P + (size_t)u * (size_t)a->n, a->n)) > DETERMINED) {
                return true;
            }
        }
    }
    return false;
}

// ---- parts

// Components that hang together have the same root, the first of them.
static void find_parts(algebra *a, const dp_report *s)
{
    for (int u = 0; u < a->n; ++u) {
        a->root[u] = u;
    }
    for (int u = 0; u < a->n; ++u) {
        const int normal = s->component[a->place[u]].normal;
        if (normal >= 0) {
            dp_union_join(a->root, u, s->component[normal].column);
        }
        for (int w = 0; a->open[u] && w < u; ++w) {
            if (fabs(a->P[(size_t)u * (size_t)a->n + (size_t)w]) > COUPLED) {
                dp_union_join(a->root, u, w);
            }
        }
    }
    for (int u = 0; u < a->n; ++u) {
        a->root[u] = dp_union_lowest(a->root, u);
    }
}

// One part as a program over cones.
typedef struct part {
    dp_cone_program program;
    int *unknown; // n of the program: which they are
    double *least;
} part;

static void add_cone(dp_cone_program *p, dp_cone *cone, const algebra *a, const dp_report *s, int u,
                     int at, double size)
{
    const dp_reaction *one = &s->component[a->place[u]].reaction;
    const double limit = one->limit / unit_of(s, a->place[u]) / size;
    const double infinite = (double)INFINITY;
    dp_cone new = {.first = at, .ngroup = -1, .lo = -infinite, .hi = infinite};
    if (one->bound == DP_REACTION_BOUND_FRICTION) { // behind its normal
        dp_cone *of = &cone[p->ncone - 1];
        const double reach = one->limit / unit_of(s, a->place[u]);
        const bool second = one->component == 2 || one->component == 5;
        of->ngroup = of->ngroup < 0 ? 0 : of->ngroup;
        if (!second) {
            of->group[of->ngroup++] = (dp_friction_group){.first = at - of->first, .reach = 1.0};
        }
        dp_friction_group *g = &of->group[of->ngroup - 1];
        g->scale[g->count++] = reach;
        return;
    }
    if (one->bound == DP_REACTION_BOUND_PUSHES) {
        new.lo = 0.0;
    } else if (one->bound == DP_REACTION_BOUND_LIMITED) {
        new.lo = -limit;
        new.hi = limit;
    }
    cone[p->ncone++] = new;
}

// @param size [N] by which forces are divided
static dp_status make_part(part *out, const algebra *a, const dp_report *s, int root, double size,
                           dp_pool *pool)
{
    dp_cone_program *p = &out->program;
    *out = (part){.program = {.n = 0}};
    for (int u = root; u < a->n; ++u) {
        p->n += a->root[u] == root;
    }
    const size_t n = (size_t)p->n;
    double *U, *E, *e, *x, trace = 0.0;
    dp_cone *cone;
    DP_TRY(dp_pool_take(&out->unknown, pool, n, sizeof(int)));
    DP_TRY(dp_pool_take(&out->least, pool, n, sizeof(double)));
    DP_TRY(dp_pool_take(&cone, pool, n, sizeof(dp_cone)));
    DP_TRY(dp_pool_take(&U, pool, n * (size_t)a->rank, sizeof(double)));
    for (int u = root, k = 0; u < a->n; ++u) {
        if (a->root[u] == root) {
            out->unknown[k] = u;
            add_cone(p, cone, a, s, u, k, size);
            trace += 1.0 - a->P[(size_t)u * (size_t)a->n + (size_t)u];
            ++k;
        }
    }
    for (size_t i = 0; i < (size_t)a->rank; ++i) { // its part of the row space
        for (size_t k = 0; k < n; ++k) {
            U[i * n + k] = a->U[i * (size_t)a->n + (size_t)out->unknown[k]];
        }
    }
    p->m = (int)(trace + 0.5);
    DP_TRY(dp_pool_take(&E, pool, (size_t)p->m * n, sizeof(double)));
    DP_TRY(dp_pool_take(&e, pool, (size_t)p->m, sizeof(double)));
    DP_TRY(dp_pool_take(&x, pool, n, sizeof(double)));
    for (size_t k = 0; k < n; ++k) {
        x[k] = a->x[out->unknown[k]] / size;
    }
    dp_span(E, U, p->n, a->rank, p->m);
    for (int i = 0; i < p->m; ++i) {
        for (size_t k = 0; k < n; ++k) {
            e[i] += E[(size_t)i * n + k] * x[k];
        }
    }
    p->E = E;
    p->e = e;
    p->cone = cone;
    return DP_OK;
}

static void set_range(dp_reaction *one, const dp_cone_end end[2], double unit)
{
    one->lowest = end[0].known ? unit * end[0].value : -(double)INFINITY;
    one->highest = end[1].known ? unit * end[1].value : (double)INFINITY;
    one->range_known = end[0].known && end[1].known;
    if (one->bound == DP_REACTION_BOUND_PUSHES) { // but for round-off it is
        one->lowest = fmax(one->lowest, 0.0);
    }
}

static dp_status find_ranges(dp_report *s, dp_statics_info *info, const algebra *a, const part *of,
                             double size, long long *work, dp_pool *pool)
{
    dp_cone_search *search;
    dp_cone_holds holds;
    DP_TRY(dp_cone_search_create(&search, &holds, &of->program, *work, &pool->allocator));
    info->admissible = info->admissible && holds != DP_CONE_HOLDS_NOT;
    for (int k = 0; k < of->program.n; ++k) {
        const int i = a->place[of->unknown[k]];
        dp_cone_end end[2] = {{.known = false}, {.known = false}};
        for (int side = 0; side < 2 && holds == DP_CONE_HOLDS && a->open[of->unknown[k]]; ++side) {
            end[side] = dp_cone_search_end(search, k, side == 0 ? -1.0 : 1.0);
            info->range_gap = fmax(info->range_gap, size * end[side].gap);
        }
        if (a->open[of->unknown[k]]) {
            set_range(&s->component[i].reaction, end, size * unit_of(s, i));
        }
    }
    *work = dp_cone_search_left(search);
    dp_cone_search_destroy(search);
    return DP_OK;
}

static dp_status look_at_part(dp_report *s, dp_statics_info *info, algebra *a, int root,
                              double size, long long *work, dp_pool *pool)
{
    part of;
    DP_TRY(make_part(&of, a, s, root, size, pool));
    const dp_cone_program *p = &of.program;
    for (int k = 0; k < p->n; ++k) {
        of.least[k] = a->least[of.unknown[k]] / size;
    }
    if (dp_cone_excess(p, of.least) > WITHIN) {
        double missed;
        DP_TRY(dp_cone_least(of.least, &missed, p, &pool->allocator));
        info->missed = fmax(info->missed, size * missed);
        for (int k = 0; k < p->n; ++k) {
            a->least[of.unknown[k]] = size * of.least[k];
        }
    }
    return s->options.ranges ? find_ranges(s, info, a, &of, size, work, pool) : DP_OK;
}

// ---- the report

static bool has_open(const algebra *a, int root)
{
    for (int u = root; u < a->n; ++u) {
        if (a->root[u] == root && a->open[u]) {
            return true;
        }
    }
    return false;
}

// The largest force [N].
static double size_of(const algebra *a)
{
    const double size = dp_largest(a->x, a->n, 0.0);
    return size > 0.0 ? size : 1.0;
}

static dp_status look_at_parts(dp_report *s, dp_statics_info *info, algebra *a)
{
    const double size = size_of(a);
    long long work = s->options.work;
    for (int root = 0; root < a->n; ++root) {
        if (a->root[root] == root && has_open(a, root)) {
            dp_pool pool;
            dp_pool_init(&pool, &s->pool->allocator);
            const dp_status status = look_at_part(s, info, a, root, size, &work, &pool);
            dp_pool_destroy(&pool);
            DP_TRY(status);
        }
    }
    return DP_OK;
}

// Round-off must not put the minimum norm beside its range.
static void widen(dp_reaction *one, double round_off)
{
    if (fabs(one->least_norm - one->lowest) <= round_off) {
        one->lowest = fmin(one->lowest, one->least_norm);
    }
    if (fabs(one->least_norm - one->highest) <= round_off) {
        one->highest = fmax(one->highest, one->least_norm);
    }
}

// What is determined, and what follows something else.
static void fill_in(dp_report *s, dp_statics_info *info, const algebra *a)
{
    const double size = size_of(a);
    for (int i = 0; i < s->count; ++i) {
        const dp_component *own = &s->component[i];
        dp_reaction *one = &s->component[i].reaction;
        const int from = own->column >= 0 ? i : own->normal, u = s->component[from].column;
        const double unit = own->column >= 0 ? unit_of(s, i) : one->limit;
        one->freedom = a->freedom[u];
        one->determined = !a->open[u];
        one->least_norm = unit * a->least[u] + 0.0; // no −0
        if (one->determined) {
            one->lowest = one->highest = one->least_norm;
            one->range_known = true;
        } else if (from != i) { // its normal comes before it
            const double ends[2] = {unit != 0.0 ? unit * s->component[from].reaction.lowest : 0.0,
                                    unit != 0.0 ? unit * s->component[from].reaction.highest : 0.0};
            one->lowest = fmin(ends[0], ends[1]);
            one->highest = fmax(ends[0], ends[1]);
            one->range_known = s->component[from].reaction.range_known;
        } else if (!s->options.ranges) {
            one->lowest = -(double)INFINITY;
            one->highest = (double)INFINITY;
        }
        widen(one, ROUND_OFF * size * unit_of(s, i));
        info->nundetermined += !one->determined;
        info->unknown_ranges += !one->range_known;
    }
}

static dp_status make_report(dp_statics *out, dp_report *s)
{
    algebra a;
    DP_TRY(dp_instant_find(&s->now, s->d, s->options.touch, s->pool));
    DP_TRY(dp_report_list(s));
    DP_TRY(assemble(&a, s));
    out->info = (dp_statics_info){.length = s->length,
                                  .admissible = true,
                                  .outcome = s->now.solve.outcome,
                                  .residual = s->now.solve.residual,
                                  .impacts = s->now.impacts};
    find_rank(&a, &out->info, s->options.tolerance);
    find_null(&a);
    out->info.nequation = s->nequation;
    out->info.mobility = s->slides ? -1 : s->nequation - a.rank;
    out->info.motion_open = s->slides && moves_by_choice(&a, s->m->size.nv);
    find_parts(&a, s);
    DP_TRY(look_at_parts(s, &out->info, &a));
    fill_in(s, &out->info, &a);
    out->count = s->count;
    DP_TRY(dp_pool_take(&out->reaction, &out->pool, (size_t)s->count, sizeof(dp_reaction)));
    for (int i = 0; i < s->count; ++i) {
        out->reaction[i] = s->component[i].reaction;
    }
    return DP_OK;
}

static dp_status copy_and_report(dp_statics *out, const dp_data *d,
                                 const dp_statics_options *options)
{
    dp_pool pool;
    dp_report s = {.options = *options, .pool = &pool};
    DP_TRY(dp_data_create(&s.d, d->shared, &out->allocator));
    dp_pool_init(&pool, &out->allocator);
    dp_status status = dp_data_copy(s.d, d);
    if (status == DP_OK) {
        s.m = s.d->model;
        status = make_report(out, &s);
    }
    dp_pool_destroy(&pool);
    dp_data_destroy(s.d);
    return status;
}

dp_statics_options dp_statics_options_default(void)
{
    return (dp_statics_options){
        .tolerance = 1e-9, .touch = 1e-7, .ranges = true, .work = 5000000000};
}

static dp_status check_options(const dp_statics_options *o)
{
    if (!(o->length >= 0.0) || isinf(o->length)) {
        return dp_fail(DP_ERROR_ARGUMENT, "length is %g m (expected a number > 0, or 0: automatic)",
                       o->length);
    }
    if (!(o->tolerance > 0.0) || !(o->tolerance < 1.0)) {
        return dp_fail(DP_ERROR_ARGUMENT, "tolerance is %g (expected a number in 0 … 1)",
                       o->tolerance);
    }
    if (!(o->touch >= 0.0) || isinf(o->touch)) {
        return dp_fail(DP_ERROR_ARGUMENT, "touch is %g m (expected a number ≥ 0)", o->touch);
    }
    if (o->work < 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "work is %lld (expected a number ≥ 0)", o->work);
    }
    return DP_OK;
}

dp_status dp_statics_create(dp_statics **out, const dp_data *d, const dp_statics_options *options,
                            const dp_allocator *allocator)
{
    const dp_statics_options o = options ? *options : dp_statics_options_default();
    const dp_allocator a = dp_allocator_or_default(allocator);
    dp_statics *s;
    *out = NULL;
    DP_TRY(check_options(&o));
    DP_TRY(dp_allocate(&s, &a, 1, sizeof *s));
    s->allocator = a;
    dp_pool_init(&s->pool, &s->allocator);
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, d->callbacks.interrupt, d->callbacks.interrupt_user);
    dp_status status = copy_and_report(s, d, &o);
    status = dp_interrupt_is_raised() ? dp_interrupt_fail() : status;
    dp_interrupt_end(&scope);
    if (status != DP_OK) {
        dp_statics_destroy(s);
        return status;
    }
    *out = s;
    return DP_OK;
}

void dp_statics_destroy(dp_statics *s)
{
    if (s) {
        const dp_allocator a = s->allocator;
        dp_pool_destroy(&s->pool);
        dp_release(&a, s, 1, sizeof *s);
    }
}

const dp_statics_info *dp_statics_info_of(const dp_statics *s)
{
    return &s->info;
}

int dp_statics_count(const dp_statics *s)
{
    return s->count;
}

const dp_reaction *dp_statics_reaction(const dp_statics *s, int index)
{
    return index >= 0 && index < s->count ? &s->reaction[index] : NULL;
}
