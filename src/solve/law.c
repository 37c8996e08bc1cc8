#include "solve/law.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "problem/island.h"
#include "problem/links/links.h"
#include "problem/problem_mass.h"
#include "problem/sparsity.h"

#include <stdatomic.h>
#include <string.h>

// Of arrays by row and by velocity each island has its own part: islands.row_start and v_start say
// where it begins.
struct dp_law_task {
    dp_law_options opt;
    dp_thread_pool *workers; // NULL: the caller alone
    dp_sparsity structure;
    dp_islands islands;
    dp_law_part *part;             // islands.count
    char *memory;                  // of the parts, one after the other
    dp_solve_info *info;           // islands.count
    dp_certificate *certificate;   // islands.count
    double *warm;                  // nrow, by row of the whole
    double *guess;                 // nrow
    double *change, *guess_change; // nrow: of warm impulses and guesses since the step before
    dp_links_scratch links;        // of a problem that is given as links
    double *LD; // M̃ factored and nv numbers, for a law that does not find mobilities; else NULL
    dp_step_solution found;
};

// Bytes of one part in task->memory.
static size_t part_stride(const dp_law *law)
{
    const size_t unit = DP_ARENA_ALIGNMENT;
    return (law->part_bytes + unit - 1) / unit * unit;
}

size_t dp_most_islands(const dp_step_size *max)
{
    const int fewer = max->nblock < max->ntree ? max->nblock : max->ntree;
    return fewer > 1 ? (size_t)fewer : 1;
}

// All arrays but those of structure, islands and parts.
static void carve(dp_law_task *t, dp_carver *c, const dp_step_size *size, size_t islands)
{
    const dp_law *law = dp_law_of(&t->opt);
    const size_t nrow = (size_t)size->nrow, nv = (size_t)size->nv;
    double **const of_row[] = {&t->warm, &t->guess, &t->change, &t->guess_change, &t->found.gamma};
    for (size_t k = 0; k < sizeof of_row / sizeof *of_row; ++k) {
        *of_row[k] = dp_carve(c, nrow, sizeof(double));
    }
    t->found.state = dp_carve(c, nrow, sizeof(uint8_t));
    t->found.v = dp_carve(c, nv, sizeof(double));
    t->LD = law->mobility ? NULL : dp_carve(c, size->nMt + nv, sizeof(double));
    t->part = dp_carve(c, islands, sizeof *t->part);
    t->memory = dp_carve(c, islands, part_stride(law));
    t->info = dp_carve(c, islands, sizeof *t->info);
    t->certificate = dp_carve(c, islands, sizeof *t->certificate);
}

size_t dp_law_memory(const dp_step_size *max, const dp_law_options *opt)
{
    const dp_law *law = dp_law_of(opt);
    dp_law_task task = {.opt = *opt};
    dp_carver c = {NULL, 0};
    carve(&task, &c, max, dp_most_islands(max));
    return dp_arena_bytes(1, sizeof task) + dp_sparsity_memory(max) + dp_islands_memory(max) +
           dp_arena_bytes(c.used, 1) + (law->memory ? law->memory(max, opt) : 0);
}

// So many rows take as long to solve as it takes to wake a thread, or longer.
enum { WORTHWHILE = 64 };

static dp_status spread_islands(const dp_law_task *task, dp_thread_pool *workers,
                                dp_thread_pool_span work, void *job)
{
    const dp_islands *islands = &task->islands;
    const long long n = islands->count, nrow = n > 0 ? islands->row_start[n] : 0;
    const int least = workers && nrow > 0 ? 1 + (int)(WORTHWHILE * n / nrow) : 1;
    return dp_thread_pool_spread(workers, islands->count, least, work, job);
}

// [multiplications] That an island takes at the least, for polls.
static size_t work_of(const dp_law_task *task, int i)
{
    return 100 * (size_t)task->islands.island[i].nrow;
}

static dp_status begin_islands(void *job, int first, int end)
{
    dp_law_task *task = job;
    const dp_law *law = dp_law_of(&task->opt);
    for (int i = first; i < end; ++i) {
        DP_TRY(dp_interrupt_check(work_of(task, i)));
        DP_TRY(law->prepare ? law->prepare(&task->part[i]) : DP_OK);
    }
    return DP_OK;
}

// Is there room for what islands are likely to take when they are solved?
static dp_status leave_room(const dp_law_task *task, dp_arena *scratch)
{
    const size_t mark = dp_arena_mark(scratch);
    size_t later = 0;
    for (int i = 0; i < task->islands.count; ++i) {
        later += task->part[i].later;
    }
    if (later > 0) {
        void *room;
        DP_TRY(dp_arena_take(&room, scratch, later, 1));
        dp_arena_rewind(scratch, mark);
    }
    return DP_OK;
}

static dp_status take_arrays(dp_law_task *task, const dp_step_problem *p, dp_arena *scratch)
{
    const dp_step_size size = dp_step_size_of(p);
    const size_t count = (size_t)task->islands.count, stride = part_stride(dp_law_of(&task->opt));
    dp_carver c = {NULL, 0};
    carve(task, &c, &size, count);
    DP_TRY(dp_arena_take(&c.base, scratch, c.used, 1));
    c.used = 0;
    carve(task, &c, &size, count);
    memset(task->memory, 0, count * stride);
    for (size_t i = 0; i < count; ++i) {
        task->part[i] = (dp_law_part){.p = &task->islands.island[i],
                                      .opt = &task->opt,
                                      .scratch = scratch,
                                      .memory = task->memory + i * stride};
    }
    return DP_OK;
}

static dp_status take_links(dp_law_task *task, const dp_step_problem *p, dp_arena *scratch)
{
    dp_links_scratch *at = &task->links;
    const size_t n = (size_t)p->links->n, nv = (size_t)p->nv;
    DP_TRY(dp_arena_take(&at->V, scratch, n, sizeof *at->V));
    DP_TRY(dp_arena_take(&at->F, scratch, n, sizeof *at->F));
    DP_TRY(dp_arena_take(&at->composite, scratch, n, sizeof *at->composite));
    DP_TRY(dp_arena_take(&at->omega, scratch, 36 * n, sizeof *at->omega));
    DP_TRY(dp_arena_take(&at->velocity, scratch, nv, sizeof *at->velocity));
    DP_TRY(dp_arena_take(&at->other, scratch, nv, sizeof *at->other));
    return dp_arena_take(&at->third, scratch, nv, sizeof *at->third);
}

dp_status dp_law_begin(dp_law_task **out, const dp_step_problem *p, const dp_law_options *opt,
                       dp_arena *scratch, dp_thread_pool *workers)
{
    *out = NULL;
    DP_TRY(dp_law_check(p, opt));
    dp_law_task *task;
    DP_TRY(dp_arena_take(&task, scratch, 1, sizeof *task));
    *task = (dp_law_task){.opt = *opt, .workers = workers};
    DP_TRY(dp_sparsity_of(&task->structure, p, scratch));
    DP_TRY(dp_islands_split(&task->islands, p, scratch));
    DP_TRY(take_arrays(task, p, scratch));
    if (p->links && dp_islands_are_one(&task->islands)) {
        DP_TRY(take_links(task, p, scratch));
    }
    DP_TRY(spread_islands(task, workers, begin_islands, task));
    DP_TRY(leave_room(task, scratch));
    *out = task;
    return DP_OK;
}

// Have the blocks of an island the columns that they had?
static bool has_columns(const dp_law_task *task, const dp_step_problem *p, int i)
{
    const dp_islands *islands = &task->islands;
    if (dp_islands_are_one(islands)) {
        return dp_sparsity_has_columns(&task->structure, p, 0, p->nblock);
    }
    const int *block = islands->block_of + islands->block_start[i];
    for (int k = 0; k < islands->island[i].nblock; ++k) {
        if (!dp_sparsity_has_columns(&task->structure, p, block[k], block[k] + 1)) {
            return false;
        }
    }
    return true;
}

typedef struct restarting {
    dp_law_task *task;
    const dp_step_problem *p;
    atomic_bool unfit; // the plan of an island is of no use any more
} restarting;

static dp_status restart_islands(void *job, int first, int end)
{
    restarting *s = job;
    const dp_law *law = dp_law_of(&s->task->opt);
    for (int i = first; i < end; ++i) {
        if (!has_columns(s->task, s->p, i)) {
            atomic_store(&s->unfit, true);
            return DP_OK;
        }
        dp_islands_reload_one(&s->task->islands, s->p, i);
        if (!law->is_reusable(&s->task->part[i])) {
            atomic_store(&s->unfit, true);
            return DP_OK;
        }
        DP_TRY(law->restart ? law->restart(&s->task->part[i]) : DP_OK);
    }
    return DP_OK;
}

// @return whether that could be done; *status tells how it went
static bool start_anew(dp_status *status, dp_law_task *task, const dp_step_problem *p,
                       const dp_law_options *opt, dp_thread_pool *workers)
{
    const dp_law *law = dp_law_of(opt);
    if (law != dp_law_of(&task->opt) || dp_law_traits(opt) != dp_law_traits(&task->opt) ||
        !law->is_reusable || !dp_sparsity_is_that_of(&task->structure, p)) {
        return false;
    }
    *status = dp_law_check(p, opt);
    if (*status != DP_OK) {
        return true;
    }
    task->opt = *opt;
    task->workers = workers;
    restarting s = {.task = task, .p = p};
    *status = spread_islands(task, workers, restart_islands, &s);
    return !s.unfit;
}

dp_status dp_law_restart(dp_law_task **task, const dp_step_problem *p, const dp_law_options *opt,
                         dp_arena *scratch, dp_thread_pool *workers)
{
    dp_status status = DP_OK;
    if (!*task || !start_anew(&status, *task, p, opt, workers)) {
        dp_arena_rewind(scratch, 0);
        return dp_law_begin(task, p, opt, scratch, workers);
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

// Impulses of the last step, or their changes, for the rows of the problem, 0 where there are
// none. Both lists of blocks ascend by id. @param values of the rows of `warm`
// @return them, in `out` if need be; NULL: there are none
static const double *match_warm(double *out, const dp_step_problem *p, const dp_warm *warm,
                                const double *values)
{
    if (!values || warm->nblock == 0) {
        return NULL;
    }
    if (is_of(warm, p)) {
        return values;
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
            out[r] = m < rows ? values[warm->row_start[from] + m] : 0.0;
        }
    }
    return out;
}

// Worst of both where it is a residual, sum where it is work.
static void add_info(dp_solve_info *info, const dp_solve_info *part)
{
    if (part->outcome == DP_OUTCOME_CAPPED) { // exhausted: all that are capped
        info->exhausted =
            part->exhausted && (info->outcome != DP_OUTCOME_CAPPED || info->exhausted);
    }
    if (part->outcome != DP_OUTCOME_CONVERGED &&
        info->outcome != DP_OUTCOME_CAPPED) { // another try may help that
        info->outcome = part->outcome;
    }
    info->residual = dp_worse(info->residual, part->residual);
    info->inconsistent = dp_worse(info->inconsistent, part->inconsistent);
    info->islands += part->islands;
    info->fallbacks += part->fallbacks;
    info->within_error += part->within_error;
    info->painleve += part->painleve;
    info->iterations += part->iterations;
    info->factorizations += part->factorizations;
    info->dependent += part->dependent;
}

typedef struct solving {
    dp_law_task *task;
    const dp_step_problem *p;
    dp_step_solution *out;
    const double *warm;    // nrow of the whole; NULL: none
    const double *change;  // the same
    const uint8_t *wanted; // islands; NULL: all
} solving;

static bool is_wanted(const uint8_t *wanted, int i)
{
    return !wanted || wanted[i];
}

// The part of an island of what was found; not used where it is the whole.
static dp_step_solution found_of(const dp_law_task *task, int i)
{
    const int row = task->islands.row_start[i];
    return (dp_step_solution){.v = task->found.v + task->islands.v_start[i],
                              .gamma = task->found.gamma + row,
                              .state = task->found.state + row};
}

// @param guess where the rows of island i go, if need be
static const double *guess_of(double *guess, const dp_law_task *task, const double *warm, int i)
{
    const dp_islands *islands = &task->islands;
    if (!warm || task->part[i].no_guess) {
        return NULL;
    }
    if (dp_islands_are_one(islands)) {
        return warm;
    }
    for (int r = islands->row_start[i]; r < islands->row_start[i + 1]; ++r) {
        guess[r] = warm[islands->row_of[r]];
    }
    return guess + islands->row_start[i];
}

static dp_status solve_island(const solving *s, int i)
{
    dp_law_task *task = s->task;
    dp_islands_refresh_one(&task->islands, s->p, i);
    const bool whole = dp_islands_are_one(&task->islands);
    dp_step_solution own = found_of(task, i);
    dp_step_solution *found = whole ? s->out : &own;
    const double *guess = guess_of(task->guess, task, s->warm, i);
    task->part[i].change = guess_of(task->guess_change, task, s->change, i);
    task->info[i] = (dp_solve_info){.islands = 1};
    DP_TRY(dp_law_of(&task->opt)->solve(found, &task->part[i], guess, &task->info[i]));
    if (!whole) {
        dp_islands_scatter(s->out, &task->islands, i, found);
    }
    return DP_OK;
}

static dp_status solve_islands(void *job, int first, int end)
{
    const solving *s = job;
    for (int i = first; i < end; ++i) {
        if (is_wanted(s->wanted, i)) {
            DP_TRY(dp_interrupt_check(work_of(s->task, i)));
            DP_TRY(solve_island(s, i));
        }
    }
    return DP_OK;
}

dp_status dp_law_continue(dp_step_solution *out, dp_law_task *task, const dp_step_problem *p,
                          const dp_warm *warm, dp_solve_info *info)
{
    const dp_islands *islands = &task->islands;
    const int held = islands->count > 0 ? islands->v_start[islands->count] : 0;
    if (held < p->nv) {
        memcpy(out->v, p->v_free, (size_t)p->nv * sizeof *out->v); // trees without rows
    }
    return dp_law_continue_some(out, task, p, warm, NULL, info);
}

dp_status dp_law_continue_some(dp_step_solution *out, dp_law_task *task, const dp_step_problem *p,
                               const dp_warm *warm, const uint8_t *wanted, dp_solve_info *info)
{
    *info = (dp_solve_info){.outcome = DP_OUTCOME_CONVERGED};
    solving s = {task, p, out, NULL, NULL, wanted};
    if (warm) {
        s.warm = match_warm(task->warm, p, warm, warm->gamma);
        s.change = match_warm(task->change, p, warm, warm->change);
    }
    DP_TRY(spread_islands(task, task->workers, solve_islands, &s));
    DP_TRY(dp_interrupt_status()); // else what was found is what loops left when they ended
    if (dp_islands_are_one(&task->islands) && !wanted) {
        *info = task->info[0];
    } else {
        for (int i = 0; i < task->islands.count; ++i) {
            if (is_wanted(wanted, i)) {
                add_info(info, &task->info[i]);
            }
        }
    }
    if (info->outcome == DP_OUTCOME_CONVERGED && info->inconsistent > task->opt.tolerance) {
        info->outcome = DP_OUTCOME_CONTRADICTORY;
    }
    return DP_OK;
}

typedef struct certifying {
    dp_law_task *task;
    const dp_step_solution *whole;
    const uint8_t *vanishing; // nrow of the whole; NULL: none
    double *scratch;
} certifying;

static dp_status certify_islands(void *job, int first, int end)
{
    const certifying *s = job;
    const dp_islands *islands = &s->task->islands;
    for (int i = first; i < end; ++i) {
        const dp_step_solution own = found_of(s->task, i);
        const bool whole = dp_islands_are_one(islands);
        if (s->task->links.V) {
            dp_links_certify(&s->task->certificate[i], &islands->island[i], s->whole,
                             &s->task->links);
            continue;
        }
        dp_certify_view view = dp_law_view(&s->task->opt, &s->task->info[i]);
        view.vanishing = s->vanishing;
        view.row_of = whole ? NULL : islands->row_of + islands->row_start[i];
        dp_problem_certify_as(&s->task->certificate[i], &islands->island[i],
                              whole ? s->whole : &own, view, s->scratch + islands->v_start[i]);
        s->task->certificate[i].fallbacks = s->task->info[i].fallbacks;
        s->task->certificate[i].within_error = s->task->info[i].within_error;
        s->task->certificate[i].painleve = s->task->info[i].painleve;
    }
    return DP_OK;
}

void dp_law_certify(dp_certificate *out, dp_law_task *task, const dp_step_solution *found,
                    const uint8_t *given, dp_thread_pool *workers, double *scratch)
{
    certifying s = {task, found, dp_law_has(&task->opt, DP_LAW_TRAIT_LIMIT) ? given : NULL,
                    scratch};
    const dp_status status = spread_islands(task, workers, certify_islands, &s);
    DP_ASSERT(status == DP_OK);
    (void)status;
    *out = (dp_certificate){.nrow = 0};
    for (int i = 0; i < task->islands.count; ++i) {
        dp_certificate_add(out, &task->certificate[i]);
    }
}

int dp_law_islands(int *island, const dp_law_task *task)
{
    const dp_islands *islands = &task->islands;
    const dp_sparsity *s = &task->structure;
    for (int t = 0; t < s->ntree; ++t) {
        island[t] = -1;
    }
    for (int i = 0; i < islands->count; ++i) {
        const int *v_of = islands->v_of + islands->v_start[i];
        int t = 0;
        for (int k = 0; k < islands->island[i].nv; ++k) { // both ascend
            while (s->tree_start[t + 1] <= v_of[k]) {
                ++t;
            }
            island[t] = i;
        }
    }
    return islands->count;
}

dp_outcome dp_law_outcome(const dp_law_task *task, int island)
{
    return task->info[island].outcome;
}

double dp_law_loose_residual(const dp_law_task *task, int island)
{
    const dp_solve_info *info = &task->info[island];
    return info->within_error > 0 ? info->residual : 0.0;
}

dp_status dp_law_mobility(double *w, dp_law_task *task)
{
    const dp_law *law = dp_law_of(&task->opt);
    for (int i = 0; i < task->islands.count; ++i) {
        const int *row_of = task->islands.row_of + task->islands.row_start[i];
        DP_TRY(law->mobility
                   ? law->mobility(task->guess, &task->part[i])
                   : dp_problem_mobilities(task->guess, &task->islands.island[i], task->LD));
        for (int r = 0; r < task->islands.island[i].nrow; ++r) {
            w[row_of[r]] = task->guess[r];
        }
    }
    return DP_OK;
}
