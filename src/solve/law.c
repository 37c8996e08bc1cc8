#include "solve/law.h"

#include "base/memory.h"
#include "problem/island.h"
#include "problem/structure.h"
#include "solve/compliant.h"
#include "solve/coulomb.h"
#include "solve/published.h"
#include "solve/wide.h"

#include <math.h>
#include <string.h>

struct dp_law_task {
    dp_law_options opt;
    dp_structure structure;
    dp_islands islands;
    dp_compliant *part;      // islands.count
    dp_wide *wide;           // islands.count; p NULL: the island is not one for that
    dp_coulomb *coulomb;     // islands.count; p NULL: the island has no friction of contacts
    dp_published *published; // islands.count; NULL: not asked for
    // Of one island at a time:
    double *warm; // nrow
    dp_step_solution found;
};

dp_law_options dp_law_options_default(void)
{
    return (dp_law_options){.law = DP_LAW_COMPLIANT,
                            .variant = DP_COMPLIANT_EXACT,
                            .tolerance = 1e-9,
                            .max_factorizations = 500};
}

static const char *const LAW_NAMES[] = {[DP_LAW_COMPLIANT] = "compliant"};
enum {
    MAX_GROWTHS = 30
}; // of memory: how contacts fill a factor is known only when it is laid out
enum { LAWS = sizeof LAW_NAMES / sizeof *LAW_NAMES };

const char *dp_law_name(dp_law_kind law)
{
    return (unsigned)law < LAWS ? LAW_NAMES[law] : "unknown";
}

dp_status dp_law_find(dp_law_kind *out, const char *name)
{
    for (int i = 0; i < LAWS; ++i) {
        if (name && strcmp(name, LAW_NAMES[i]) == 0) {
            *out = (dp_law_kind)i;
            return DP_OK;
        }
    }
    return dp_fail(DP_ERROR_ARGUMENT, "law '%s' is unknown (expected compliant)",
                   name ? name : "(none)");
}

const char *dp_outcome_name(dp_outcome outcome)
{
    switch (outcome) {
    case DP_CONVERGED:
        return "converged";
    case DP_CAPPED:
        return "capped";
    case DP_CONTRADICTORY:
        return "contradictory";
    }
    return "unknown";
}

size_t dp_law_memory(const dp_step_size *max, const dp_law_options *opt)
{
    const int fewer = max->nblock < max->ntree ? max->nblock : max->ntree;
    const size_t islands = fewer > 1 ? (size_t)fewer : 1; // rows without any tree are one, too
    // What is shared among islands is no more than what one has; ends of pieces are rounded up.
    size_t bytes = dp_arena_bytes(1, sizeof(dp_law_task)) + dp_islands_memory(max);
    bytes += dp_structure_memory(max);
    bytes += dp_arena_bytes(islands, sizeof(dp_compliant)) + dp_compliant_memory(max);
    bytes += dp_arena_bytes(islands, sizeof(dp_wide));
    bytes += islands * DP_COMPLIANT_PIECES * dp_arena_bytes(DP_ARENA_ALIGNMENT + 1, 1);
    if (opt->variant == DP_COMPLIANT_PUBLISHED) {
        bytes += dp_arena_bytes(islands, sizeof(dp_published)) + dp_published_memory(max);
        bytes += islands * DP_PUBLISHED_PIECES * dp_arena_bytes(DP_ARENA_ALIGNMENT + 1, 1);
    }
    bytes += 2 * dp_arena_bytes((size_t)max->nrow, sizeof(double)); // warm, found.gamma
    bytes += dp_arena_bytes((size_t)max->nv, sizeof(double));       // found.v
    bytes += dp_arena_bytes((size_t)max->nrow, sizeof(uint8_t));    // found.state
    return bytes;
}

dp_status dp_law_begin(dp_law_task **out, const dp_step_problem *p, const dp_law_options *opt,
                       dp_arena *scratch)
{
    *out = NULL;
    dp_law_task *task;
    DP_TRY(dp_arena_take(&task, scratch, 1, sizeof *task));
    *task = (dp_law_task){.opt = *opt};
    DP_TRY(dp_structure_of(&task->structure, p, scratch));
    DP_TRY(dp_islands_split(&task->islands, p, scratch));
    int nrow = 0, nv = 0; // of the largest island
    for (int i = 0; i < task->islands.count; ++i) {
        const dp_step_problem *island = &task->islands.island[i];
        nrow = island->nrow > nrow ? island->nrow : nrow;
        nv = island->nv > nv ? island->nv : nv;
    }
    DP_TRY(dp_arena_take(&task->warm, scratch, (size_t)nrow, sizeof(double)));
    DP_TRY(dp_arena_take(&task->found.gamma, scratch, (size_t)nrow, sizeof(double)));
    DP_TRY(dp_arena_take(&task->found.state, scratch, (size_t)nrow, sizeof(uint8_t)));
    DP_TRY(dp_arena_take(&task->found.v, scratch, (size_t)nv, sizeof(double)));
    DP_TRY(dp_arena_take(&task->part, scratch, (size_t)task->islands.count, sizeof *task->part));
    DP_TRY(dp_arena_take(&task->wide, scratch, (size_t)task->islands.count, sizeof *task->wide));
    DP_TRY(
        dp_arena_take(&task->coulomb, scratch, (size_t)task->islands.count, sizeof *task->coulomb));
    for (int i = 0; i < task->islands.count; ++i) {
        const dp_step_problem *island = &task->islands.island[i];
        task->wide[i].p = NULL;
        task->coulomb[i].p = NULL;
        if (dp_has_friction(island)) {
            DP_TRY(dp_coulomb_begin(&task->coulomb[i], island, opt, scratch));
        } else if (opt->variant == DP_COMPLIANT_EXACT && dp_is_wide(island)) {
            DP_TRY(dp_wide_begin(&task->wide[i], island, opt, scratch));
        } else {
            DP_TRY(dp_compliant_begin(&task->part[i], island, opt, scratch));
        }
    }
    if (opt->variant == DP_COMPLIANT_PUBLISHED) {
        DP_TRY(dp_arena_take(&task->published, scratch, (size_t)task->islands.count,
                             sizeof *task->published));
        for (int i = 0; i < task->islands.count; ++i) {
            DP_TRY(dp_published_begin(&task->published[i], &task->part[i], opt, scratch));
        }
    }
    *out = task;
    return DP_OK;
}

// Has each island still a plan that is right for it?
static bool serves(const dp_law_task *task)
{
    for (int i = 0; i < task->islands.count; ++i) {
        const dp_step_problem *island = &task->islands.island[i];
        const bool wide = task->wide[i].p, coulomb = task->coulomb[i].p;
        if (coulomb != dp_has_friction(island)) {
            return false;
        }
        if (coulomb) {
            if (!dp_coulomb_serves(&task->coulomb[i])) {
                return false;
            }
            continue;
        }
        if (dp_is_wide(island) != wide || !(wide || dp_delassus_serves(&task->part[i].d, island))) {
            return false;
        }
    }
    return true;
}

// @return whether that could be done; *status tells how it went
static bool start_anew(dp_status *status, dp_law_task *task, const dp_step_problem *p,
                       const dp_law_options *opt)
{
    const bool exact = opt->variant == DP_COMPLIANT_EXACT;
    if (!exact || task->published || !dp_structure_is_that_of(&task->structure, p)) {
        return false;
    }
    dp_islands_reload(&task->islands, p);
    if (!serves(task)) {
        return false;
    }
    task->opt = *opt;
    *status = DP_OK;
    for (int i = 0; i < task->islands.count && *status == DP_OK; ++i) {
        if (task->coulomb[i].p) {
            *status = dp_coulomb_restart(&task->coulomb[i], opt);
        } else if (task->wide[i].p) {
            dp_wide_restart(&task->wide[i], opt);
        } else {
            *status = dp_compliant_restart(&task->part[i], opt);
        }
    }
    return true;
}

dp_status dp_law_restart(dp_law_task **task, const dp_step_problem *p, const dp_law_options *opt,
                         dp_arena *scratch)
{
    dp_status status = DP_OK;
    if (!*task || !start_anew(&status, *task, p, opt)) {
        dp_arena_rewind(scratch, 0);
        return dp_law_begin(task, p, opt, scratch);
    }
    if (status != DP_OK) {
        *task = NULL;
    }
    return status;
}

// Has the last step impulses for the very blocks of the problem?
static bool is_of(const dp_warm *warm, const dp_step_problem *p)
{
    const size_t n = (size_t)p->nblock;
    return warm->nblock == p->nblock && memcmp(warm->id, p->id, n * sizeof *p->id) == 0 &&
           memcmp(warm->row_start, p->row_start, (n + 1) * sizeof *p->row_start) == 0;
}

// Impulses of the last step for the rows of an island, 0 where there are none. Both lists of blocks
// ascend by id. @return them, in `gamma` if need be; NULL: there are none
static const double *match_warm(double *gamma, const dp_step_problem *p, const dp_warm *warm)
{
    if (!warm || warm->nblock == 0) {
        return NULL;
    }
    if (is_of(warm, p)) {
        return warm->gamma;
    }
    int from = 0;
    for (int b = 0; b < p->nblock; ++b) {
        while (from < warm->nblock && warm->id[from] < p->id[b]) {
            ++from;
        }
        const bool known = from < warm->nblock && warm->id[from] == p->id[b];
        const int rows = known ? warm->row_start[from + 1] - warm->row_start[from] : 0;
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const int m = r - p->row_start[b];
            gamma[r] = m < rows ? warm->gamma[warm->row_start[from] + m] : 0.0;
        }
    }
    return gamma;
}

// Worst of both where it is a residual, sum where it is work.
static void add_info(dp_solve_info *info, const dp_solve_info *part)
{
    if (part->outcome != DP_CONVERGED) {
        info->outcome = part->outcome;
    }
    info->residual = dp_worse(info->residual, part->residual);
    info->inconsistent = dp_worse(info->inconsistent, part->inconsistent);
    info->islands += part->islands;
    info->iterations += part->iterations;
    info->factorizations += part->factorizations;
    info->dependent += part->dependent;
}

dp_status dp_law_continue(dp_step_solution *out, dp_law_task *task, const dp_step_problem *p,
                          const dp_warm *warm, dp_solve_info *info)
{
    *info = (dp_solve_info){.outcome = DP_CONVERGED};
    dp_islands_refresh(&task->islands, p);
    const bool whole = dp_islands_are_one(&task->islands);
    if (p->nv > 0 && !whole) {
        memcpy(out->v, p->v_free, (size_t)p->nv * sizeof *out->v); // trees without rows
    }
    dp_step_solution *found = whole ? out : &task->found;
    for (int i = 0; i < task->islands.count; ++i) {
        const dp_step_problem *island = &task->islands.island[i];
        const bool two_sided =
            !task->coulomb[i].p && !task->wide[i].p && task->part[i].two_sided; // needs no guess
        const double *guess = two_sided ? NULL : match_warm(task->warm, island, warm);
        dp_solve_info part;
        if (task->coulomb[i].p) {
            dp_coulomb_solve(found, &task->coulomb[i], guess, &task->opt, &part);
        } else if (task->wide[i].p) {
            dp_wide_solve(found, &task->wide[i], guess, &task->opt, &part);
        } else {
            dp_compliant_solve(found, &task->part[i], guess, &task->opt, &part);
        }
        if (task->published) {
            dp_published_solve(found, &task->published[i], &task->opt, &part);
        }
        if (!whole) {
            dp_islands_scatter(out, &task->islands, i, found);
        }
        add_info(info, &part);
    }
    if (info->outcome == DP_CONVERGED && info->inconsistent > task->opt.tolerance) {
        info->outcome = DP_CONTRADICTORY;
    }
    return DP_OK;
}

void dp_law_mobility(double *w, const dp_law_task *task)
{
    for (int i = 0; i < task->islands.count; ++i) {
        const dp_compliant *part = &task->part[i];
        const int *row_of = task->islands.row_of + task->islands.row_start[i];
        if (task->coulomb[i].p) {
            for (int r = 0; r < task->coulomb[i].p->nrow; ++r) {
                w[row_of[r]] = task->coulomb[i].w[r];
            }
            continue;
        }
        if (task->wide[i].p) {
            dp_wide_mobility(task->warm, &task->wide[i]);
            for (int r = 0; r < task->wide[i].nrow; ++r) {
                w[row_of[r]] = task->warm[r];
            }
            continue;
        }
        for (int k = 0; k < part->n; ++k) {
            w[row_of[part->d.row[k]]] = part->w[k];
        }
    }
}

static dp_status solve_within(dp_step_solution *out, const dp_step_problem *p, const dp_warm *warm,
                              const dp_law_options *opt, const dp_allocator *allocator,
                              size_t bytes, dp_solve_info *info)
{
    void *memory;
    DP_TRY(dp_allocate(&memory, allocator, bytes, 1));
    dp_arena scratch;
    dp_arena_init(&scratch, memory, bytes);
    dp_law_task *task;
    dp_status status = dp_law_begin(&task, p, opt, &scratch);
    if (status == DP_OK) {
        status = dp_law_continue(out, task, p, warm, info);
    }
    dp_arena_end(&scratch);
    dp_release(allocator, memory, bytes, 1);
    return status;
}

dp_status dp_law_solve(dp_step_solution *out, const dp_step_problem *p, const dp_warm *warm,
                       const dp_law_options *opt, const dp_allocator *allocator,
                       dp_solve_info *info)
{
    DP_TRY(dp_problem_check(p, allocator));
    const dp_step_size size = {p->nv,
                               p->ntree,
                               p->nblock,
                               p->nrow,
                               p->Mt_start[p->nv],
                               (size_t)p->col_start[p->nblock],
                               p->G_start[p->nblock]};
    const dp_allocator from = dp_allocator_or_default(allocator);
    dp_status status = DP_ERROR_CAPACITY;
    size_t bytes = dp_law_memory(&size, opt) + DP_ARENA_ALIGNMENT;
    for (int k = 0; k < MAX_GROWTHS && status == DP_ERROR_CAPACITY; ++k, bytes *= 2) {
        status = solve_within(out, p, warm, opt, &from, bytes, info);
    }
    return status;
}
