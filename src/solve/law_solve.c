// A step problem on its own: taken as the law takes it, solved in memory of its own, and judged.
#include "base/memory.h"
#include "base/option.h"
#include "problem/compliance.h"
#include "problem/laws/rigid.h"
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

void dp_law_release_problem(dp_taken_problem *t, const dp_allocator *from)
{
    dp_release(from, t->memory, t->bytes, 1);
    *t = (dp_taken_problem){.memory = NULL};
}

// The rows, and what their compliance is found by.
static void carve(dp_taken_problem *t, dp_compliance *by, dp_carver *c)
{
    const size_t nrow = (size_t)t->p.nrow, ntree = (size_t)t->p.ntree;
    t->row = dp_carve(c, nrow, sizeof *t->row);
    if (by->s > 0.0 && ntree > 0) {
        t->given = dp_carve(c, nrow, sizeof *t->given);
        by->island = dp_carve(c, ntree, sizeof *by->island);
        by->sum = dp_carve(c, DP_COMPLIANCE_SUMS * ntree, sizeof *by->sum);
    }
}

dp_status dp_law_take_problem(dp_taken_problem *out, const dp_step_problem *p,
                              const dp_law_options *opt, const dp_allocator *from)
{
    *out = (dp_taken_problem){.p = *p};
    out->p.mass_factor = NULL;
    if (!dp_law_has(opt, DP_LAW_TRAIT_RIGID) || p->nrow == 0) {
        return DP_OK;
    }
    dp_compliance by = {.s = dp_law_compliance(opt),
                        .equal = opt->rigid.weights == DP_RIGID_WEIGHTS_EQUAL,
                        .limit = dp_law_has(opt, DP_LAW_TRAIT_LIMIT)};
    dp_carver c = {NULL, 0};
    carve(out, &by, &c);
    out->bytes = c.used;
    DP_TRY(dp_allocate_unset(&out->memory, from, out->bytes, 1));
    c = (dp_carver){out->memory, 0};
    carve(out, &by, &c);
    by.given = out->given;
    memcpy(out->row, p->row, (size_t)p->nrow * sizeof *out->row);
    out->replaced = by.given ? dp_compliant_rows(out->row, p, &by) : dp_rigid_rows(out->row, p);
    out->p.row = out->row;
    out->p.normal = NULL;
    return DP_OK;
}

dp_step_size dp_step_size_of(const dp_step_problem *p)
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
    DP_TRY(dp_law_check(p, opt));
    DP_TRY(dp_problem_check(p, allocator));
    const dp_step_size size = dp_step_size_of(p);
    const dp_allocator from = dp_allocator_or_default(allocator);
    dp_taken_problem own;
    DP_TRY(dp_law_take_problem(&own, p, opt, &from));
    dp_status status = DP_ERROR_CAPACITY;
    size_t bytes = dp_law_memory(&size, opt) + DP_ARENA_ALIGNMENT;
    for (int k = 0; k < MAX_GROWTHS && status == DP_ERROR_CAPACITY; ++k, bytes *= 2) {
        status = solve_within(out, &own.p, warm, opt, &from, bytes, info);
    }
    info->replaced = own.replaced;
    dp_law_release_problem(&own, &from);
    return status;
}

dp_status dp_law_judge(dp_certificate *out, const dp_step_problem *p, const dp_step_solution *s,
                       const dp_law_options *opt, const dp_solve_info *info, double *scratch,
                       const dp_allocator *allocator)
{
    const dp_allocator from = dp_allocator_or_default(allocator);
    dp_taken_problem own;
    DP_TRY(dp_law_take_problem(&own, p, opt, &from));
    dp_certify_view view = dp_law_view(opt, info);
    view.vanishing = dp_law_vanishing(&own, opt);
    dp_problem_certify_as(out, &own.p, s, view, scratch);
    dp_law_release_problem(&own, &from);
    out->fallbacks = info->fallbacks;
    out->within_error = info->within_error;
    out->painleve = info->painleve;
    out->replaced = info->replaced;
    return DP_OK;
}

const char *dp_outcome_name(dp_outcome outcome)
{
    static const char *const names[] = {[DP_OUTCOME_CONVERGED] = "converged",
                                        [DP_OUTCOME_CAPPED] = "capped",
                                        [DP_OUTCOME_CONTRADICTORY] = "contradictory",
                                        [DP_OUTCOME_INFEASIBLE] = "infeasible",
                                        [DP_OUTCOME_WEAKLY_INFEASIBLE] = "weakly infeasible"};
    return dp_word_of(names, sizeof names / sizeof *names, (int)outcome);
}
