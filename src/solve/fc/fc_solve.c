// Friction-contact problems: the searches in turn, and the truth about what they found.
#include "solve/fc/fc_search.h"

#include "base/interrupt.h"

#include <string.h>

// (FC 5) below which a problem has no solution.
static const double INFEASIBLE = 1e-12;

// What the searches ask of the tolerance: the last word has the judge, who forms W in another way.
static const double SAFE = 0.99;

typedef struct solver {
    dp_fc_reduced w;
    dp_fc_linear l;
    dp_fc_search s;
    const double *start; // 3 nc, NULL: 0
    dp_fc_options opt;
    dp_fc_info *info;
    dp_allocator a;
} solver;

static dp_status check_options(const dp_fc_options *opt)
{
    if (!(opt->tolerance > 0.0 && opt->tolerance < 1.0)) {
        return dp_fail(DP_ERROR_ARGUMENT, "tolerance is %g (expected a number between 0 and 1)",
                       opt->tolerance);
    }
    if (opt->max_factorizations < 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "max_factorizations is %d (expected 0 or more)",
                       opt->max_factorizations);
    }
    return DP_OK;
}

// Of a product, W is formed where there are fewer contacts than velocities: steps are then found
// among impulses, and those of contacts that are open leave them.
static bool has_few_contacts(const dp_fc *p)
{
    return p->form == DP_FC_GLOBAL && p->nc < p->M.rows;
}

static dp_status take(dp_fc_search *s)
{
    dp_pool *pool = &s->w->pool;
    const size_t rows = 3 * (size_t)s->w->nc + 1;
    double **vectors[] = {&s->x,  &s->u,     &s->centre,  &s->F,   &s->dx,
                          &s->du, &s->trial, &s->u_trial, &s->best};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) {
        DP_TRY(dp_pool_take(vectors[k], pool, rows, sizeof(double)));
    }
    DP_TRY(dp_pool_take(&s->A, pool, 3 * rows, sizeof(double)));
    return dp_pool_take(&s->B, pool, 3 * rows, sizeof(double));
}

// Where a search begins: the caller's impulses within their cones, or 0.
static void begin(solver *v)
{
    for (int i = 0; i < v->w.nc; ++i) {
        const ptrdiff_t at = 3 * (ptrdiff_t)i;
        if (v->start) {
            dp_fc_project(v->s.x + at, v->start + at, v->w.p->mu[i]);
        } else {
            memset(v->s.x + at, 0, 3 * sizeof *v->s.x);
        }
    }
}

static void note(solver *v, double before, dp_fc_method method)
{
    if (v->s.best_residual.worst < before) {
        v->info->method = method;
    }
}

static bool search(solver *v, dp_fc_method method, dp_fc_variant variant, bool from_best)
{
    const double before = v->s.best_residual.worst;
    begin(v);
    if (from_best && isfinite(before)) {
        memcpy(v->s.x, v->s.best, 3 * (size_t)v->w.nc * sizeof *v->s.x);
    }
    v->s.most = v->l.factorizations + v->opt.max_factorizations;
    const bool solved = dp_fc_proximal(&v->s, variant);
    note(v, before, method);
    return solved;
}

// A warm start is near: less compliance than from nowhere.
static const double WARM = 1e-2, COUPLING = 0.1, STRONG = 0.3;

static bool search_all(solver *v)
{
    const double first = v->start ? WARM : 1.0;
    const dp_fc_variant newton = {false, COUPLING, first}, cone = {true, COUPLING, first};
    switch (v->opt.method) {
    case DP_FC_AUTOMATIC:
        break;
    case DP_FC_NEWTON:
        return search(v, DP_FC_NEWTON, newton, false);
    case DP_FC_CONE:
        return search(v, DP_FC_CONE, cone, false);
    }
    if (search(v, DP_FC_NEWTON, newton, false)) {
        return true;
    }
    if (v->s.diverged) {
        return false;
    }
    if (search(v, DP_FC_CONE, (dp_fc_variant){true, STRONG, WARM}, true)) {
        return true;
    }
    v->start = NULL;
    return !v->s.diverged && search(v, DP_FC_CONE, (dp_fc_variant){true, COUPLING, 1.0}, false);
}

static dp_status solve(solver *v)
{
    dp_fc_info *info = v->info;
    const bool solved = search_all(v);
    DP_TRY(dp_interrupt_status());
    info->outer = v->s.outer;
    info->newton = v->s.newton;
    info->failed = v->s.failed;
    info->factorizations = v->l.factorizations;
    info->shift = v->s.shift;
    info->outcome = solved ? DP_FC_SOLVED : DP_FC_CAPPED;
    if (!solved) {
        DP_TRY(dp_fc_feasibility(&info->feasibility, &v->w, &v->a));
        DP_TRY(dp_interrupt_status());
        if (info->feasibility >= 0.0 && info->feasibility <= INFEASIBLE) {
            info->outcome = DP_FC_INFEASIBLE;
        }
    }
    return DP_OK;
}

static dp_status run(solver *v, const double *start)
{
    v->s = (dp_fc_search){.w = &v->w, .l = &v->l, .tolerance = SAFE * v->opt.tolerance};
    v->s.best_residual.worst = (double)INFINITY;
    DP_TRY(take(&v->s));
    if (start) {
        double *wide;
        DP_TRY(dp_pool_take(&wide, &v->w.pool, 3 * (size_t)v->w.nc + 1, sizeof *wide));
        dp_fc_widen(wide, v->w.p, start);
        v->start = wide;
    }
    return solve(v);
}

dp_status dp_fc_solve(const dp_fc_solution *out, const dp_fc *p, const double *start,
                      const dp_fc_options *opt, const dp_allocator *allocator, dp_fc_info *info)
{
    solver v = {.opt = opt ? *opt : dp_fc_options_default(),
                .info = info,
                .a = dp_allocator_or_default(allocator)};
    *info = (dp_fc_info){.outcome = DP_FC_CAPPED, .feasibility = -1.0};
    DP_TRY(dp_fc_check(p));
    DP_TRY(check_options(&v.opt));
    dp_status status = dp_fc_reduce(&v.w, p, has_few_contacts(p), &v.a);
    if (status == DP_OK) {
        status = dp_fc_linear_begin(&v.l, &v.w, &v.a);
    }
    if (status == DP_OK) {
        status = run(&v, start);
    }
    dp_fc_linear_end(&v.l);
    if (status == DP_OK) {
        dp_fc_narrow(out->r, p, v.s.best);
    }
    dp_fc_reduced_end(&v.w);
    DP_TRY(status);
    DP_TRY(dp_fc_judge(&info->residual, p, out, allocator));
    if (info->outcome == DP_FC_SOLVED && !(info->residual.worst <= v.opt.tolerance)) {
        info->outcome = DP_FC_CAPPED;
    }
    return DP_OK;
}
