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

// Of a product, W is formed where there are fewer contacts than velocities: steps are then found
// among impulses, and those of contacts that are open leave them.
static bool has_few_contacts(const dp_fc *p)
{
    return p->form == DP_FC_FORM_GLOBAL && p->nc < p->M.rows;
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

typedef enum begin { AT_START, AT_BEST, AT_NOTHING } begin;

static bool search(solver *v, dp_fc_method method, dp_fc_variant variant, begin where)
{
    dp_fc_search *s = &v->s;
    const double before = s->best_residual.worst;
    memset(s->x, 0, 3 * (size_t)v->w.nc * sizeof *s->x);
    if (where == AT_BEST && isfinite(before)) {
        memcpy(s->x, s->best, 3 * (size_t)v->w.nc * sizeof *s->x);
    }
    for (int i = 0; where == AT_START && v->start && i < v->w.nc; ++i) { // within their cones
        dp_fc_project(s->x + 3 * (ptrdiff_t)i, v->start + 3 * (ptrdiff_t)i, v->w.p->mu[i]);
    }
    s->most = v->l.factorizations + v->opt.max_factorizations;
    const bool solved = dp_fc_proximal(s, variant);
    if (s->best_residual.worst < before) {
        v->info->method = method;
    }
    return solved;
}

// A warm start is near: less compliance than from nowhere.
static const double WARM = 1e-2, COUPLING = 0.1, STRONG = 0.3;

static bool search_all(solver *v)
{
    const double first = v->start ? WARM : 1.0;
    const dp_fc_variant newton = {false, COUPLING, first}, cone = {true, COUPLING, first},
                        strong = {true, STRONG, WARM}, anew = {true, COUPLING, 1.0};
    if (v->opt.method == DP_FC_METHOD_CONE) {
        return search(v, DP_FC_METHOD_CONE, cone, AT_START);
    }
    if (search(v, DP_FC_METHOD_NEWTON, newton, AT_START)) {
        return true;
    }
    return v->opt.method == DP_FC_METHOD_AUTOMATIC && !v->s.diverged &&
           (search(v, DP_FC_METHOD_CONE, strong, AT_BEST) ||
            (!v->s.diverged && search(v, DP_FC_METHOD_CONE, anew, AT_NOTHING)));
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
    info->outcome = solved ? DP_FC_OUTCOME_SOLVED : DP_FC_OUTCOME_CAPPED;
    if (!solved) {
        DP_TRY(dp_fc_feasibility(&info->feasibility, &v->w, &v->a));
        DP_TRY(dp_interrupt_status());
        if (info->feasibility >= 0.0 && info->feasibility <= INFEASIBLE) {
            info->outcome = DP_FC_OUTCOME_INFEASIBLE;
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
    *info = (dp_fc_info){.outcome = DP_FC_OUTCOME_CAPPED, .feasibility = -1.0};
    DP_TRY(dp_fc_check(p));
    DP_TRY(dp_fc_options_check(&v.opt));
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
    if (info->outcome == DP_FC_OUTCOME_SOLVED && !(info->residual.worst <= v.opt.tolerance)) {
        info->outcome = DP_FC_OUTCOME_CAPPED;
    }
    return DP_OK;
}
