// A step problem on its own: taken as the law takes it, solved in memory of its own, and judged.
#include "base/memory.h"
#include "problem/compliance.h"
#include "problem/feasibility.h"
#include "problem/island.h"
#include "problem/rigid.h"
#include "solve/law.h"
#include "solve/vi_feasible.h"
#include "solve/vi_solve.h"

#include <string.h>

enum {
    MAX_GROWTHS = 30
}; // of memory: how contacts fill a factor is known only when it is laid out

static dp_status solve_within(dp_step_solution *out, const dp_step_problem *p, const dp_warm *warm,
                              const dp_law_options *opt, const dp_allocator *allocator,
                              size_t bytes, dp_solve_info *info)
{
    void *memory;
    DP_TRY(dp_allocate(&memory, allocator, bytes, 1));
    dp_arena scratch;
    dp_arena_init(&scratch, memory, bytes);
    dp_law_task *task;
    dp_status status = dp_law_begin(&task, p, opt, &scratch, NULL);
    if (status == DP_OK) {
        status = dp_law_continue(out, task, p, warm, info);
    }
    dp_arena_end(&scratch);
    dp_release(allocator, memory, bytes, 1);
    return status;
}

// The problem as a law takes it.
typedef struct taken {
    dp_step_problem p;
    dp_row *row;    // NULL: that of the problem
    uint8_t *given; // nrow: rows whose compliance is that of the law; NULL: none
    int nrow, ntree;
    int replaced;
} taken;

static void release_taken(taken *t, const dp_allocator *from)
{
    dp_release(from, t->row, (size_t)t->nrow, sizeof *t->row);
    dp_release(from, t->given, (size_t)t->nrow, sizeof *t->given);
    t->row = NULL;
    t->given = NULL;
}

static dp_status take_problem(taken *out, const dp_step_problem *p, const dp_law_options *opt,
                              const dp_allocator *from)
{
    *out = (taken){.p = *p, .nrow = p->nrow, .ntree = p->ntree};
    out->p.LD = NULL;
    if (!dp_law_is_rigid(opt->law) || p->nrow == 0) {
        out->nrow = 0;
        return DP_OK;
    }
    const size_t ntree = (size_t)p->ntree, nsum = DP_COMPLIANCE_SUMS * ntree;
    int *island = NULL;
    double *sum = NULL;
    const double s = dp_law_compliance(opt);
    dp_status status = dp_allocate_unset(&out->row, from, (size_t)p->nrow, sizeof *out->row);
    if (status == DP_OK && s > 0.0) {
        status = dp_allocate_unset(&island, from, ntree, sizeof *island);
    }
    if (status == DP_OK && s > 0.0) {
        status = dp_allocate_unset(&sum, from, nsum, sizeof *sum);
    }
    if (status == DP_OK && s > 0.0 && p->ntree > 0) {
        status = dp_allocate_unset(&out->given, from, (size_t)p->nrow, sizeof *out->given);
    }
    if (status == DP_OK) {
        memcpy(out->row, p->row, (size_t)p->nrow * sizeof *out->row);
        const dp_compliance by = {s, opt->weights == DP_WEIGHTS_EQUAL, island, sum, out->given};
        out->replaced = s > 0.0 && p->ntree > 0 ? dp_compliant_rows(out->row, p, &by)
                                                : dp_rigid_rows(out->row, p);
        out->p.row = out->row;
        out->p.normal = NULL;
    } else {
        release_taken(out, from);
    }
    dp_release(from, island, island ? ntree : 0, sizeof *island);
    dp_release(from, sum, sum ? nsum : 0, sizeof *sum);
    return status;
}

static dp_step_size size_of(const dp_step_problem *p)
{
    return (dp_step_size){p->nv,
                          p->ntree,
                          p->nblock,
                          p->nrow,
                          p->Mt_start[p->nv],
                          (size_t)p->col_start[p->nblock],
                          p->G_start[p->nblock]};
}

dp_status dp_law_solve(dp_step_solution *out, const dp_step_problem *p, const dp_warm *warm,
                       const dp_law_options *opt, const dp_allocator *allocator,
                       dp_solve_info *info)
{
    if (opt->law == DP_LAW_ODE) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "the law ode is about instants and has no step problem (expected another "
                       "law; tamsi has its forces at the end of a step)");
    }
    DP_TRY(dp_problem_check(p, allocator));
    const dp_step_size size = size_of(p);
    const dp_allocator from = dp_allocator_or_default(allocator);
    taken own;
    DP_TRY(take_problem(&own, p, opt, &from));
    dp_status status = DP_ERROR_CAPACITY;
    size_t bytes = dp_law_memory(&size, opt) + DP_ARENA_ALIGNMENT;
    for (int k = 0; k < MAX_GROWTHS && status == DP_ERROR_CAPACITY; ++k, bytes *= 2) {
        status = solve_within(out, &own.p, warm, opt, &from, bytes, info);
    }
    info->replaced = own.replaced;
    release_taken(&own, &from);
    return status;
}

dp_status dp_law_judge(dp_certificate *out, const dp_step_problem *p, const dp_step_solution *s,
                       const dp_law_options *opt, const dp_solve_info *info, double *scratch,
                       const dp_allocator *allocator)
{
    const dp_allocator from = dp_allocator_or_default(allocator);
    const bool polyhedral = opt->law == DP_LAW_LCP && info->fallbacks == 0;
    taken own;
    DP_TRY(take_problem(&own, p, opt, &from));
    const dp_certify_view view = {.corners = polyhedral ? opt->directions : 0,
                                  .set = dp_law_set(opt),
                                  .slip_speed = dp_law_slip_speed(opt),
                                  .vanishing = dp_law_is_limit(opt) ? own.given : NULL};
    dp_problem_certify_as(out, &own.p, s, view, scratch);
    release_taken(&own, &from);
    out->fallbacks = info->fallbacks;
    out->heaps = info->heaps;
    out->painleve = info->painleve;
    out->replaced = info->replaced;
    return DP_OK;
}

static dp_status check_cones(const dp_law_options *opt)
{
    return dp_law_lifts_off(opt)
               ? DP_OK
               : dp_fail(DP_ERROR_ARGUMENT,
                         "the law %s%s has no certificate of infeasibility "
                         "(expected vi with vi.friction=cone, without "
                         "vi.desaxce)",
                         dp_law_name(opt->law), opt->law == DP_LAW_VI ? " as it is set" : "");
}

static dp_certify_view view_of_cones(const taken *own, const dp_law_options *opt)
{
    return (dp_certify_view){.set = DP_FRICTION_CONE,
                             .vanishing = dp_law_is_limit(opt) ? own->given : NULL};
}

// The direction of one island, if it says more than that of those before.
static dp_status look_at_island(double *ray, dp_ray_certificate *best, const dp_step_problem *p,
                                const int *row_of, int nwhole, const dp_law_options *opt,
                                const dp_allocator *from)
{
    const size_t nrow = (size_t)p->nrow, bytes = dp_vi_feasible_memory(p);
    dp_pool pool;
    dp_vi_decision d = {0};
    uint8_t *vanishing;
    char *memory;
    if (bytes == 0) {
        return DP_OK;
    }
    dp_pool_init(&pool, from);
    dp_status status = dp_pool_take(&d.gamma, &pool, nrow, sizeof *d.gamma);
    if (status == DP_OK) {
        status = dp_pool_take(&d.ray, &pool, nrow, sizeof *d.ray);
    }
    if (status == DP_OK) {
        status = dp_pool_take(&vanishing, &pool, nrow, sizeof *vanishing);
    }
    if (status == DP_OK) {
        status = dp_pool_take(&memory, &pool, bytes + DP_ARENA_ALIGNMENT, 1);
    }
    if (status == DP_OK) {
        const size_t past = (size_t)((uintptr_t)memory % DP_ARENA_ALIGNMENT);
        dp_vi_vanishing(vanishing, p, opt);
        dp_vi_feasible(&d, p, (dp_certify_view){.set = DP_FRICTION_CONE, .vanishing = vanishing},
                       memory + (past > 0 ? DP_ARENA_ALIGNMENT - past : 0));
        const bool shows = d.verdict == DP_VI_INFEASIBLE || d.verdict == DP_VI_WEAKLY_INFEASIBLE;
        if (shows && !best->proven &&
            (d.certificate.proven || d.certificate.effect < best->effect)) {
            *best = d.certificate;
            memset(ray, 0, (size_t)nwhole * sizeof *ray);
            for (int r = 0; r < p->nrow; ++r) {
                ray[row_of[r]] = d.ray[r];
            }
        }
    }
    dp_pool_destroy(&pool);
    return status;
}

static dp_status find_ray(double *ray, const dp_step_problem *p, const dp_law_options *opt,
                          const dp_allocator *from)
{
    const dp_step_size size = size_of(p);
    const size_t bytes = dp_islands_memory(&size) + DP_ARENA_ALIGNMENT;
    void *memory;
    dp_arena arena;
    dp_islands islands;
    dp_ray_certificate best = {.effect = 1.0};
    DP_TRY(dp_allocate(&memory, from, bytes, 1));
    dp_arena_init(&arena, memory, bytes);
    dp_status status = dp_islands_split(&islands, p, &arena);
    for (int i = 0; status == DP_OK && i < islands.count; ++i) {
        status = look_at_island(ray, &best, &islands.island[i],
                                islands.row_of + islands.row_start[i], p->nrow, opt, from);
    }
    dp_arena_end(&arena);
    dp_release(from, memory, bytes, 1);
    return status;
}

dp_status dp_law_ray(dp_ray_certificate *out, double *ray, const dp_step_problem *p,
                     const dp_law_options *opt, const dp_allocator *allocator)
{
    *out = (dp_ray_certificate){.outside = 0.0};
    memset(ray, 0, (size_t)(p->nrow > 0 ? p->nrow : 0) * sizeof *ray);
    DP_TRY(check_cones(opt));
    DP_TRY(dp_problem_check(p, allocator));
    const dp_allocator from = dp_allocator_or_default(allocator);
    taken own;
    double *scratch = NULL;
    DP_TRY(take_problem(&own, p, opt, &from));
    dp_status status = find_ray(ray, &own.p, opt, &from);
    if (status == DP_OK) {
        status = dp_allocate(&scratch, &from, (size_t)p->nv, sizeof *scratch);
    }
    if (status == DP_OK) {
        dp_problem_certify_ray_as(out, &own.p, ray, view_of_cones(&own, opt), scratch);
    }
    dp_release(&from, scratch, scratch ? (size_t)p->nv : 0, sizeof *scratch);
    release_taken(&own, &from);
    return status;
}

dp_status dp_law_judge_ray(dp_ray_certificate *out, const dp_step_problem *p, const double *ray,
                           const dp_law_options *opt, double *scratch,
                           const dp_allocator *allocator)
{
    *out = (dp_ray_certificate){.outside = 0.0};
    DP_TRY(check_cones(opt));
    const dp_allocator from = dp_allocator_or_default(allocator);
    taken own;
    DP_TRY(take_problem(&own, p, opt, &from));
    dp_problem_certify_ray_as(out, &own.p, ray, view_of_cones(&own, opt), scratch);
    release_taken(&own, &from);
    return DP_OK;
}
