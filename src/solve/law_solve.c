// A step problem on its own: taken as the law takes it, solved in memory of its own, and judged.
#include "base/memory.h"
#include "problem/compliance.h"
#include "problem/rigid.h"
#include "solve/law.h"

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
    const dp_step_size size = {p->nv,
                               p->ntree,
                               p->nblock,
                               p->nrow,
                               p->Mt_start[p->nv],
                               (size_t)p->col_start[p->nblock],
                               p->G_start[p->nblock]};
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
