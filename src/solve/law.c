#include "solve/law.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/stack.h"
#include "problem/island.h"
#include "problem/structure.h"
#include "solve/compliant.h"
#include "solve/coulomb.h"
#include "solve/paradox.h"
#include "solve/polyhedral.h"
#include "solve/tamsi.h"
#include "solve/tamsi_small.h"
#include "solve/vi_solve.h"
#include "solve/wide.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// What the complementarity problem of an island is solved in.
typedef struct polyhedral_room {
    bool pivots_first;
    void *memory; // NULL: it has too many variables for pivots
    size_t bytes;
    dp_step_solution other; // what another method finds
    bool fell_back;         // its last solution is that of Coulomb's cone
} polyhedral_room;
enum {
    FEW_VARIABLES = 60,   // pivots are soon done
    MANY_VARIABLES = 500, // for pivots after all else: a second and some megabytes
    TOO_MANY = 2000       // for pivots that are asked for: minutes, and hundreds of megabytes
};

static bool begins_with_pivots(const dp_step_problem *island, const dp_law_options *opt)
{
    const dp_polyhedral_method method = opt->polyhedral_method;
    return method == DP_POLYHEDRAL_LEMKE ||
           (method == DP_POLYHEDRAL_AUTOMATIC &&
            dp_polyhedral_variables(island, opt->directions) <= FEW_VARIABLES);
}

static size_t room_for_pivots(const dp_step_problem *island, const dp_law_options *opt)
{
    const int most = opt->polyhedral_method == DP_POLYHEDRAL_LEMKE ? TOO_MANY : MANY_VARIABLES;
    return dp_polyhedral_variables(island, opt->directions) <= most
               ? dp_polyhedral_memory(island, opt->directions)
               : 0;
}

// Of arrays by row and by velocity each island has its own part: islands.row_start and v_start say
// where it begins.
struct dp_law_task {
    dp_law_options opt;
    dp_crew *crew; // NULL: the caller alone
    dp_structure structure;
    dp_islands islands;
    dp_compliant *part;    // islands.count
    dp_wide *wide;         // islands.count; p NULL: the island is not one for that
    dp_coulomb *coulomb;   // islands.count; p NULL: the island has no friction of contacts
    dp_tamsi_small *small; // islands.count, p NULL: not one for that; NULL: another law
    bool *behind;   // islands.count: `coulomb` has the numbers of an earlier problem; next to small
    dp_vi_room *vi; // islands.count; NULL: another law
    polyhedral_room *polyhedral; // islands.count; NULL: another law; only where coulomb is, too
    dp_solve_info *info;         // islands.count
    dp_certificate *certificate; // islands.count
    double *warm;                // nrow, by row of the whole
    double *guess;               // nrow
    double *judge;               // nv
    dp_step_solution found;
};

size_t dp_law_memory(const dp_step_size *max, const dp_law_options *opt)
{
    const int fewer = max->nblock < max->ntree ? max->nblock : max->ntree;
    const size_t islands = fewer > 1 ? (size_t)fewer : 1; // rows without any tree are one, too
    // What is shared among islands is no more than what one has; ends of pieces are rounded up.
    size_t bytes = dp_arena_bytes(1, sizeof(dp_law_task)) + dp_islands_memory(max);
    bytes += dp_structure_memory(max);
    bytes += dp_arena_bytes(islands, sizeof(dp_compliant)) + dp_compliant_memory(max);
    bytes += dp_arena_bytes(islands, sizeof(dp_wide)) + dp_arena_bytes(islands, sizeof(dp_coulomb));
    bytes += islands * DP_COMPLIANT_PIECES * dp_arena_bytes(DP_ARENA_ALIGNMENT + 1, 1);
    if (dp_law_is_regularised(opt->law)) {
        bytes += dp_arena_bytes(islands, sizeof(dp_tamsi_small)) + dp_tamsi_small_memory(max);
        bytes += dp_arena_bytes(islands, sizeof(bool));
        bytes += islands * DP_SMALL_PIECES * dp_arena_bytes(DP_ARENA_ALIGNMENT + 1, 1);
    }
    if (dp_law_lifts_off(opt)) {
        bytes += dp_arena_bytes(islands, sizeof(dp_vi_room));
        bytes += dp_arena_bytes((size_t)max->nrow, sizeof(uint8_t)); // flags of rows under vi
        bytes += islands * dp_arena_bytes(DP_ARENA_ALIGNMENT + 1, 1);
    }
    if (opt->law == DP_LAW_LCP) { // the problems themselves take what they need
        bytes += dp_arena_bytes(islands, sizeof(polyhedral_room));
    }
    bytes += dp_arena_bytes(islands, sizeof(dp_solve_info));
    bytes += dp_arena_bytes(islands, sizeof(dp_certificate));
    bytes += 3 * dp_arena_bytes((size_t)max->nrow, sizeof(double)); // warm, guess, found.gamma
    bytes += 2 * dp_arena_bytes((size_t)max->nv, sizeof(double));   // found.v, judge
    bytes += dp_arena_bytes((size_t)max->nrow, sizeof(uint8_t));    // found.state
    return bytes;
}

// So many rows take as long to solve as it takes to wake a thread, or longer.
enum { WORTHWHILE = 64 };

static dp_status spread_islands(const dp_law_task *task, dp_crew *crew, dp_crew_span work,
                                void *job)
{
    const dp_islands *islands = &task->islands;
    const long long n = islands->count, nrow = n > 0 ? islands->row_start[n] : 0;
    const int least = crew && nrow > 0 ? 1 + (int)(WORTHWHILE * n / nrow) : 1;
    return dp_crew_spread(crew, islands->count, least, work, job);
}

// [multiplications] That an island takes at the least, for polls.
static size_t work_of(const dp_law_task *task, int i)
{
    return 100 * (size_t)task->islands.island[i].nrow;
}

// What an island needs, and what depends on the structure of it.
typedef struct beginning {
    dp_law_task *task;
    dp_arena *scratch;
} beginning;

static dp_status begin_polyhedral(const beginning *b, int i)
{
    polyhedral_room *room = &b->task->polyhedral[i];
    const dp_step_problem *island = &b->task->islands.island[i];
    *room = (polyhedral_room){.pivots_first = begins_with_pivots(island, &b->task->opt),
                              .bytes = room_for_pivots(island, &b->task->opt)};
    if (room->pivots_first) {
        const size_t nrow = (size_t)island->nrow;
        DP_TRY(dp_arena_take(&room->other.v, b->scratch, (size_t)island->nv, sizeof(double)));
        DP_TRY(dp_arena_take(&room->other.gamma, b->scratch, nrow, sizeof(double)));
        DP_TRY(dp_arena_take(&room->other.state, b->scratch, nrow, sizeof(uint8_t)));
    }
    return room->bytes > 0 ? dp_arena_take(&room->memory, b->scratch, room->bytes, 1) : DP_OK;
}

// Is an island one for the natural map?
static bool is_for_map(const dp_step_problem *island, const dp_law_options *opt)
{
    return dp_has_friction(island) || (dp_law_is_convex(opt) && island->nv > 0);
}

static dp_status begin_island(const beginning *b, int i)
{
    dp_law_task *task = b->task;
    const dp_law_options *opt = &task->opt;
    const dp_step_problem *island = &task->islands.island[i];
    task->wide[i].p = NULL;
    task->coulomb[i].p = NULL;
    if (is_for_map(island, opt)) {
        DP_TRY(dp_coulomb_lay_out(&task->coulomb[i], island, opt, b->scratch));
        if (task->small && dp_tamsi_is_small(island, opt)) {
            task->behind[i] = true;
            return dp_tamsi_small_begin(&task->small[i], island, b->scratch);
        }
        DP_TRY(dp_coulomb_restart(&task->coulomb[i], opt));
        return task->polyhedral ? begin_polyhedral(b, i) : DP_OK;
    }
    if (dp_is_wide(island)) {
        return dp_wide_begin(&task->wide[i], island, opt, b->scratch);
    }
    return dp_compliant_begin(&task->part[i], island, opt, b->scratch);
}

static dp_status begin_islands(void *job, int first, int end)
{
    const beginning *b = job;
    for (int i = first; i < end; ++i) {
        DP_TRY(dp_interrupt_check(work_of(b->task, i)));
        DP_TRY(begin_island(b, i));
    }
    return DP_OK;
}

// Is there room for what islands are likely to take when they are solved?
static dp_status leave_room(const dp_law_task *task, dp_arena *scratch)
{
    const size_t mark = dp_arena_mark(scratch);
    size_t later = 0;
    for (int i = 0; i < task->islands.count; ++i) {
        later += task->coulomb[i].p ? task->coulomb[i].later : 0;
    }
    if (later > 0) {
        void *room;
        DP_TRY(dp_arena_take(&room, scratch, later, 1));
        dp_arena_rewind(scratch, mark);
    }
    return DP_OK;
}

dp_status dp_law_begin(dp_law_task **out, const dp_step_problem *p, const dp_law_options *opt,
                       dp_arena *scratch, dp_crew *crew)
{
    *out = NULL;
    if (opt->law == DP_LAW_LCP) {
        DP_TRY(dp_directions_check(opt->directions));
    }
    dp_law_task *task;
    DP_TRY(dp_arena_take(&task, scratch, 1, sizeof *task));
    *task = (dp_law_task){.opt = *opt, .crew = crew};
    DP_TRY(dp_structure_of(&task->structure, p, scratch));
    DP_TRY(dp_islands_split(&task->islands, p, scratch));
    const size_t count = (size_t)task->islands.count, nrow = (size_t)p->nrow;
    DP_TRY(dp_arena_take(&task->warm, scratch, nrow, sizeof(double)));
    DP_TRY(dp_arena_take(&task->guess, scratch, nrow, sizeof(double)));
    DP_TRY(dp_arena_take(&task->found.gamma, scratch, nrow, sizeof(double)));
    DP_TRY(dp_arena_take(&task->found.state, scratch, nrow, sizeof(uint8_t)));
    DP_TRY(dp_arena_take(&task->found.v, scratch, (size_t)p->nv, sizeof(double)));
    DP_TRY(dp_arena_take(&task->judge, scratch, (size_t)p->nv, sizeof(double)));
    DP_TRY(dp_arena_take(&task->info, scratch, count, sizeof *task->info));
    DP_TRY(dp_arena_take(&task->certificate, scratch, count, sizeof *task->certificate));
    DP_TRY(dp_arena_take(&task->part, scratch, count, sizeof *task->part));
    DP_TRY(dp_arena_take(&task->wide, scratch, count, sizeof *task->wide));
    DP_TRY(dp_arena_take(&task->coulomb, scratch, count, sizeof *task->coulomb));
    if (dp_law_is_regularised(opt->law)) {
        DP_TRY(dp_arena_take(&task->small, scratch, count, sizeof *task->small));
        DP_TRY(dp_arena_take(&task->behind, scratch, count, sizeof *task->behind));
        memset(task->small, 0, count * sizeof *task->small);
        memset(task->behind, 0, count * sizeof *task->behind);
    }
    if (dp_law_lifts_off(opt)) {
        DP_TRY(dp_arena_take(&task->vi, scratch, count, sizeof *task->vi));
        memset(task->vi, 0, count * sizeof *task->vi);
    }
    if (opt->law == DP_LAW_LCP) {
        DP_TRY(dp_arena_take(&task->polyhedral, scratch, count, sizeof *task->polyhedral));
    }
    beginning b = {task, scratch};
    DP_TRY(spread_islands(task, crew, begin_islands, &b));
    DP_TRY(leave_room(task, scratch));
    *out = task;
    return DP_OK;
}

// Has an island still a plan that is right for it?
static bool serves(const dp_law_task *task, int i)
{
    const dp_step_problem *island = &task->islands.island[i];
    const bool wide = task->wide[i].p, coulomb = task->coulomb[i].p;
    if (coulomb != is_for_map(island, &task->opt)) {
        return false;
    }
    if (coulomb) {
        const bool room =
            !task->polyhedral || room_for_pivots(island, &task->opt) <= task->polyhedral[i].bytes;
        const bool pivots = task->polyhedral && begins_with_pivots(island, &task->opt);
        if (task->polyhedral) {
            task->polyhedral[i].pivots_first = pivots;
        }
        return room && (!pivots || task->polyhedral[i].other.v) &&
               dp_coulomb_serves(&task->coulomb[i]);
    }
    return dp_is_wide(island) == wide && (wide || dp_delassus_serves(&task->part[i].d, island));
}

static bool is_small(const dp_law_task *task, int i)
{
    return task->small && task->small[i].p;
}

// Before `coulomb` of an island is looked at: small ones mostly do without it.
static dp_status catch_up(dp_law_task *task, int i)
{
    const bool behind = task->behind && task->behind[i];
    if (behind) {
        task->behind[i] = false;
    }
    return behind ? dp_coulomb_restart(&task->coulomb[i], &task->opt) : DP_OK;
}

static dp_status restart_island(dp_law_task *task, int i)
{
    if (is_small(task, i)) {
        dp_tamsi_small_restart(&task->small[i]);
        task->behind[i] = true;
        return DP_OK;
    }
    if (task->coulomb[i].p) {
        return dp_coulomb_restart(&task->coulomb[i], &task->opt);
    }
    if (task->wide[i].p) {
        dp_wide_restart(&task->wide[i], &task->opt);
        return DP_OK;
    }
    return dp_compliant_restart(&task->part[i], &task->opt);
}

// Have the blocks of an island the columns that they had?
static bool has_columns(const dp_law_task *task, const dp_step_problem *p, int i)
{
    const dp_islands *islands = &task->islands;
    if (dp_islands_are_one(islands)) {
        return dp_structure_has_columns(&task->structure, p, 0, p->nblock);
    }
    const int *block = islands->block_of + islands->block_start[i];
    for (int k = 0; k < islands->island[i].nblock; ++k) {
        if (!dp_structure_has_columns(&task->structure, p, block[k], block[k] + 1)) {
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
    for (int i = first; i < end; ++i) {
        if (!has_columns(s->task, s->p, i)) {
            atomic_store(&s->unfit, true);
            return DP_OK;
        }
        dp_islands_reload_one(&s->task->islands, s->p, i);
        if (!serves(s->task, i)) {
            atomic_store(&s->unfit, true);
            return DP_OK;
        }
        DP_TRY(restart_island(s->task, i));
    }
    return DP_OK;
}

// @return whether that could be done; *status tells how it went
static bool start_anew(dp_status *status, dp_law_task *task, const dp_step_problem *p,
                       const dp_law_options *opt, dp_crew *crew)
{
    if (opt->law != task->opt.law || opt->vi_friction != task->opt.vi_friction ||
        opt->desaxce != task->opt.desaxce || dp_law_is_limit(opt) != dp_law_is_limit(&task->opt) ||
        (task->polyhedral && !dp_directions_are_sound(opt->directions)) ||
        !dp_structure_is_that_of(&task->structure, p)) {
        return false;
    }
    task->opt = *opt;
    task->crew = crew;
    restarting s = {.task = task, .p = p};
    *status = spread_islands(task, crew, restart_islands, &s);
    return !s.unfit;
}

dp_status dp_law_restart(dp_law_task **task, const dp_step_problem *p, const dp_law_options *opt,
                         dp_arena *scratch, dp_crew *crew)
{
    dp_status status = DP_OK;
    if (!*task || !start_anew(&status, *task, p, opt, crew)) {
        dp_arena_rewind(scratch, 0);
        return dp_law_begin(task, p, opt, scratch, crew);
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

// Impulses of the last step for the rows of the problem, 0 where there are none. Both lists of
// blocks ascend by id. @return them, in `gamma` if need be; NULL: there are none
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
    if (part->outcome == DP_CAPPED) { // exhausted: all that are capped
        info->exhausted = part->exhausted && (info->outcome != DP_CAPPED || info->exhausted);
    }
    if (part->outcome != DP_CONVERGED && info->outcome != DP_CAPPED) { // another try may help that
        info->outcome = part->outcome;
    }
    info->residual = dp_worse(info->residual, part->residual);
    info->inconsistent = dp_worse(info->inconsistent, part->inconsistent);
    info->islands += part->islands;
    info->fallbacks += part->fallbacks;
    info->heaps += part->heaps;
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

static const double *guess_of(dp_law_task *task, const double *warm, int i)
{
    const dp_islands *islands = &task->islands;
    const bool two_sided =
        !task->coulomb[i].p && !task->wide[i].p && task->part[i].two_sided; // needs no guess
    if (!warm || two_sided) {
        return NULL;
    }
    if (dp_islands_are_one(islands)) {
        return warm;
    }
    for (int r = islands->row_start[i]; r < islands->row_start[i + 1]; ++r) {
        task->guess[r] = warm[islands->row_of[r]];
    }
    return task->guess + islands->row_start[i];
}

// How an island is certified; its rows are what the law takes them for.
static dp_certify_view view_of(const dp_law_task *task, int i)
{
    const bool polyhedral =
        task->polyhedral && task->coulomb[i].p && !task->polyhedral[i].fell_back;
    return (dp_certify_view){.rigid = task->opt.law == DP_LAW_LCP,
                             .corners = polyhedral ? task->opt.directions : 0,
                             .set = dp_law_set(&task->opt),
                             .slip_speed = dp_law_slip_speed(&task->opt)};
}

// The complementarity problem of an island by Lemke's method and its relatives.
static dp_status solve_by_pivots(dp_step_solution *found, dp_law_task *task, int i,
                                 dp_solve_info *info)
{
    polyhedral_room *room = &task->polyhedral[i];
    const dp_step_problem *island = &task->islands.island[i];
    dp_stack stack;
    dp_stack_init(&stack, room->memory, room->bytes);
    const dp_allocator memory = dp_stack_allocator(&stack);
    dp_polyhedral_info own;
    DP_TRY(dp_polyhedral_solve(found, island, task->opt.directions, NULL, &memory, &own));
    dp_certificate certificate;
    dp_problem_certify_as(&certificate, island, found, view_of(task, i),
                          task->judge + task->islands.v_start[i]);
    const bool solved = dp_certificate_is_solved(&certificate, task->opt.tolerance);
    *info = (dp_solve_info){.outcome = solved ? DP_CONVERGED : DP_CAPPED,
                            .residual = certificate.normal_law,
                            .islands = 1,
                            .iterations = own.lcp.pivots + own.lcp.iterations,
                            .factorizations = own.lcp.factorizations,
                            .dependent = own.lcp.dependent};
    return DP_OK;
}

// The same, or with discs in the place of polygons, as a zero of the natural map.
static void solve_by_map(dp_step_solution *found, dp_law_task *task, int i, int corners,
                         const double *guess, dp_solve_info *info)
{
    task->coulomb[i].corners = corners;
    dp_coulomb_solve(found, &task->coulomb[i], guess, &task->opt, info);
}

// Pivots end at a corner of the set of solutions, where contacts may slide that need not: some
// carry all of the load, others nothing. The map begins at the impulses of the last step, or at
// none. Of the two solutions the one with fewer contacts that slide is taken.
static void prefer_sticking(dp_step_solution *found, dp_law_task *task, int i, const double *guess,
                            dp_solve_info *info)
{
    dp_step_solution *other = &task->polyhedral[i].other;
    const dp_step_problem *island = &task->islands.island[i];
    const int slide = dp_polyhedral_sliding(island, found, task->opt.tolerance);
    if (slide == 0) {
        return;
    }
    dp_solve_info again;
    solve_by_map(other, task, i, task->opt.directions, guess, &again);
    const bool sticks = again.outcome == DP_CONVERGED &&
                        dp_polyhedral_sliding(island, other, task->opt.tolerance) < slide;
    again.iterations += info->iterations;
    again.factorizations += info->factorizations;
    if (!sticks) {
        info->iterations = again.iterations;
        info->factorizations = again.factorizations;
        return;
    }
    memcpy(found->v, other->v, (size_t)island->nv * sizeof *found->v);
    memcpy(found->gamma, other->gamma, (size_t)island->nrow * sizeof *found->gamma);
    memcpy(found->state, other->state, (size_t)island->nrow * sizeof *found->state);
    *info = again;
}

// By the method that is asked for, by the other where it has failed, and with Coulomb's cone where
// both have.
static dp_status solve_polyhedral(dp_step_solution *found, dp_law_task *task, int i,
                                  const double *guess, dp_solve_info *info)
{
    polyhedral_room *room = &task->polyhedral[i];
    room->fell_back = false;
    *info = (dp_solve_info){.outcome = DP_CAPPED};
    int iterations = 0, factorizations = 0;
    for (int attempt = 0; attempt < 3 && info->outcome != DP_CONVERGED; ++attempt) {
        DP_TRY(dp_interrupt_status());
        const bool pivots = attempt == (room->pivots_first ? 0 : 1);
        iterations += info->iterations;
        factorizations += info->factorizations;
        if (attempt == 2) {
            room->fell_back = true;
            solve_by_map(found, task, i, 0, guess, info);
            info->fallbacks = 1;
        } else if (!pivots) {
            solve_by_map(found, task, i, task->opt.directions, guess, info);
        } else if (room->memory) {
            DP_TRY(solve_by_pivots(found, task, i, info));
            if (attempt == 0 && info->outcome == DP_CONVERGED) {
                prefer_sticking(found, task, i, guess, info);
                DP_TRY(task->coulomb[i].status);
            }
        }
    }
    info->iterations += iterations;
    info->factorizations += factorizations;
    return DP_OK;
}

// (61) of [PreclikRuedePopa2011]: what normals push without friction gives friction its discs.
static void solve_with_discs(dp_step_solution *found, dp_coulomb *c, const double *guess,
                             const dp_law_options *opt, dp_solve_info *info)
{
    const dp_step_problem *p = c->p;
    dp_solve_info first;
    memset(c->bound, 0, (size_t)p->nrow * sizeof *c->bound);
    dp_coulomb_solve(found, c, guess, opt, &first);
    for (int b = 0; b < p->nblock; ++b) {
        const int r = p->row_start[b];
        for (int g = 0; g < c->block[b].ngroup; ++g) {
            const dp_friction_group *group = &c->block[b].group[g];
            c->bound[r + group->first] = group->reach * fmax(found->gamma[r], 0.0);
        }
    }
    dp_coulomb_solve(found, c, guess ? guess : found->gamma, opt, info);
    info->iterations += first.iterations;
    info->factorizations += first.factorizations;
    info->outcome = first.outcome != DP_CONVERGED ? first.outcome : info->outcome;
    info->residual = dp_worse(info->residual, first.residual);
}

// By Newton's method, of a small island with matrices of its own.
static dp_status solve_regularised(dp_step_solution *found, dp_law_task *task, int i,
                                   const double *guess, dp_solve_info *info)
{
    const bool small = is_small(task, i) && task->opt.tamsi_scheme == DP_TAMSI_TWO_WAY;
    dp_solve_info first = {.iterations = 0};
    if (small && dp_tamsi_small_solve(found, &task->small[i], guess, &task->opt, &first)) {
        *info = first;
        return DP_OK;
    }
    DP_TRY(catch_up(task, i));
    dp_tamsi_solve(found, &task->coulomb[i], guess, &task->opt, info);
    info->iterations += first.iterations;
    info->factorizations += first.factorizations;
    return DP_OK;
}

static dp_status solve_island(const solving *s, int i)
{
    dp_law_task *task = s->task;
    dp_islands_refresh_one(&task->islands, s->p, i);
    const bool whole = dp_islands_are_one(&task->islands);
    dp_step_solution own = found_of(task, i);
    dp_step_solution *found = whole ? s->out : &own;
    const double *guess = guess_of(task, s->warm, i);
    dp_solve_info *info = &task->info[i];
    if (task->coulomb[i].p && task->polyhedral) {
        DP_TRY(solve_polyhedral(found, task, i, guess, info));
    } else if (task->coulomb[i].p && dp_law_is_regularised(task->opt.law)) {
        DP_TRY(solve_regularised(found, task, i, guess, info));
    } else if (task->coulomb[i].p && task->coulomb[i].bound) {
        solve_with_discs(found, &task->coulomb[i], guess, &task->opt, info);
    } else if (task->coulomb[i].p && task->vi) {
        DP_TRY(dp_vi_solve(found, &task->coulomb[i], guess, &task->opt, &task->vi[i], info));
    } else if (task->coulomb[i].p) {
        dp_coulomb_solve(found, &task->coulomb[i], guess, &task->opt, info);
    } else if (task->wide[i].p) {
        dp_wide_solve(found, &task->wide[i], guess, &task->opt, info);
    } else {
        dp_compliant_solve(found, &task->part[i], guess, &task->opt, info);
    }
    if (task->coulomb[i].p) {
        DP_TRY(task->coulomb[i].status);
    }
    if (task->coulomb[i].p && dp_law_is_rigid(task->opt.law) && !dp_law_is_convex(&task->opt)) {
        info->painleve = dp_count_paradoxes(&task->coulomb[i], found);
    }
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
    *info = (dp_solve_info){.outcome = DP_CONVERGED};
    solving s = {task, p, out, match_warm(task->warm, p, warm), wanted};
    DP_TRY(spread_islands(task, task->crew, solve_islands, &s));
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
    if (info->outcome == DP_CONVERGED && info->inconsistent > task->opt.tolerance) {
        info->outcome = DP_CONTRADICTORY;
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
        const dp_coulomb *by = &s->task->coulomb[i];
        if (s->task->opt.law == DP_LAW_COMPLIANT && by->p && by->by_links) {
            dp_coulomb_certify(&s->task->certificate[i], &s->task->coulomb[i], s->whole);
            continue;
        }
        const bool whole = dp_islands_are_one(islands);
        dp_certify_view view = view_of(s->task, i);
        view.vanishing = s->vanishing;
        view.row_of = whole ? NULL : islands->row_of + islands->row_start[i];
        dp_problem_certify_as(&s->task->certificate[i], &islands->island[i],
                              whole ? s->whole : &own, view, s->scratch + islands->v_start[i]);
        s->task->certificate[i].fallbacks = s->task->info[i].fallbacks;
        s->task->certificate[i].heaps = s->task->info[i].heaps;
        s->task->certificate[i].painleve = s->task->info[i].painleve;
    }
    return DP_OK;
}

void dp_law_certify(dp_certificate *out, dp_law_task *task, const dp_step_solution *found,
                    const uint8_t *given, dp_crew *crew, double *scratch)
{
    certifying s = {task, found, dp_law_is_limit(&task->opt) ? given : NULL, scratch};
    const dp_status status = spread_islands(task, crew, certify_islands, &s);
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
    const dp_structure *s = &task->structure;
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

double dp_law_loose_residual(const dp_law_task *task, int island)
{
    const dp_solve_info *info = &task->info[island];
    return info->heaps > 0 ? info->residual : 0.0;
}

dp_status dp_law_mobility(double *w, dp_law_task *task)
{
    for (int i = 0; i < task->islands.count; ++i) {
        const dp_compliant *part = &task->part[i];
        const int *row_of = task->islands.row_of + task->islands.row_start[i];
        if (task->coulomb[i].p) {
            DP_TRY(catch_up(task, i));
            for (int r = 0; r < task->coulomb[i].p->nrow; ++r) {
                w[row_of[r]] = task->coulomb[i].w[r];
            }
            continue;
        }
        if (task->wide[i].p) {
            dp_wide_mobility(task->guess, &task->wide[i]);
            for (int r = 0; r < task->wide[i].nrow; ++r) {
                w[row_of[r]] = task->guess[r];
            }
            continue;
        }
        for (int k = 0; k < part->n; ++k) {
            w[row_of[part->d.row[k]]] = part->w[k];
        }
    }
    return DP_OK;
}
