// dp_lcp_solve: the methods in turn, each judged by the residual of the z of its last basis, solved
// from the numbers of the problem.
#include "base/error.h"
#include "base/interrupt.h"
#include "base/stack.h"
#include "problem/lcp/lcp_row.h"
#include "solve/lcp/lcp_dictionary.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct solver {
    dp_lcp_core core;
    dp_lcp_dictionary dictionary;
    dp_lcp_options opt;
    double *covering;    // n
    double *z;           // n: a candidate
    uint8_t *state;      // n: its
    double *best_z;      // n
    uint8_t *best_state; // n
    dp_lcp_info *info;
    dp_lcp_end end; // of the last search that has not solved it
    int most;       // pivots of Lemke's
    int most_steps; // of the others, a factorization each
} solver;

// ---- options

static dp_status check_options(const dp_lcp_options *opt, int n)
{
    DP_TRY(dp_lcp_options_check(opt));
    for (int i = 0; opt->covering && i < n; ++i) {
        if (!(opt->covering[i] > 0.0 && isfinite(opt->covering[i]))) {
            return dp_fail(DP_ERROR_ARGUMENT, "covering[%d] is %g (expected a positive number)", i,
                           opt->covering[i]);
        }
    }
    return DP_OK;
}

// ---- candidates

// Residuals beyond this are more than the round-off of a solve: a better basis is looked for.
static const double GOOD = 1e-13;

// Values that may be 0: what many pivots leave, and what one solve does. Ties and rows that are
// nearly at rest lie between the two.
static const double COARSE = 1e-12, FINE = 1e-15;

static bool is_solved(const solver *s)
{
    return s->info->residual <= s->opt.tolerance;
}

// The z of the current basis, kept where it is the best so far. @return whether it solves the
// problem
static bool offer(solver *s, dp_lcp_method method)
{
    const size_t n = (size_t)s->core.p->n;
    const double residual = dp_lcp_core_finish(s->z, s->state, &s->core);
    if (residual < s->info->residual) {
        for (size_t i = 0; i < n; ++i) {
            s->best_z[i] = s->z[i];
            s->best_state[i] = s->state[i];
        }
        s->info->residual = residual;
        s->info->method = method;
    }
    return is_solved(s);
}

// Where nothing else is known: every variable at the end of its range nearest to 0.
static void begin_at_bounds(solver *s)
{
    const dp_lcp *p = s->core.p;
    for (int i = 0; i < p->n; ++i) {
        const double lo = dp_lcp_lo(p, i), hi = dp_lcp_hi(p, i);
        const double z = lo > 0.0 ? lo : hi < 0.0 ? hi : 0.0;
        s->best_z[i] = z;
        s->best_state[i] = z == lo   ? DP_LCP_STATE_AT_LO
                           : z == hi ? DP_LCP_STATE_AT_HI
                                     : DP_LCP_STATE_BETWEEN;
    }
    s->info->residual = dp_lcp_core_residual(&s->core, s->best_z, NULL);
}

// ---- methods

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15U; // SplitMix64 [SteeleLeaFlood2014]
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

// The caller's in the units of (LC 1), its largest about 1; ones; or between 1/2 and 2: rows have
// been scaled.
static const double *covering_of(solver *s, int start, uint64_t *random)
{
    const int n = s->core.p->n;
    int largest = INT_MIN, e;
    for (int i = 0; start < 2 && s->opt.covering && i < n; ++i) {
        (void)frexp(s->opt.covering[i], &e);
        largest = e + s->core.row[i] > largest ? e + s->core.row[i] : largest;
    }
    for (int i = 0; i < n; ++i) {
        if (start >= 2) {
            s->covering[i] = 0.5 + 1.5 * ldexp((double)(next_random(random) >> 11), -53);
        } else if (s->opt.covering) {
            const double value = frexp(s->opt.covering[i], &e);
            s->covering[i] = fmax(ldexp(value, e + s->core.row[i] - largest), 1e-280);
        } else {
            s->covering[i] = 1.0;
        }
    }
    return s->covering;
}

// The end of a path that round-off led astray is mostly near a solution: a few principal pivots.
static void repair(solver *s)
{
    enum { FEW = 10 };
    const dp_lcp_search search = dp_lcp_pivoting(&s->core, FINE, FEW);
    s->info->iterations += search.steps;
    if (search.end == DP_END_FOUND) {
        (void)offer(s, DP_LCP_METHOD_LEMKE);
    }
}

// A residual that is more than round-off is worth one more start, one that is much more all.
static bool will_do(const solver *s, int starts)
{
    const double most = starts > 1 ? 10.0 * GOOD : GOOD;
    return s->info->residual <= most;
}

static dp_status run_lemke(bool *solved, solver *s)
{
    uint64_t random = s->opt.seed;
    for (int start = 0; start <= s->opt.restarts && !will_do(s, start); ++start) {
        DP_TRY(dp_interrupt_status());
        s->info->restarts += start > 0; // at first the same, with finer distinctions
        const double *covering = covering_of(s, start, &random);
        const double round_off = start % 2 == 0 ? COARSE : FINE;
        const dp_lcp_search search =
            dp_lcp_lemke(&s->dictionary, covering, s->opt.threshold, round_off, s->most);
        s->info->pivots =
            search.steps > INT_MAX - s->info->pivots ? INT_MAX : s->info->pivots + search.steps;
        s->end = search.end == DP_END_FOUND ? DP_END_LOST : search.end;
        if (search.end == DP_END_RAY && search.infeasible) {
            s->info->infeasible = true;
            break;
        }
        if (search.end == DP_END_FOUND) {
            (void)offer(s, DP_LCP_METHOD_LEMKE);
            if (!(s->info->residual <= GOOD)) {
                repair(s);
            }
        }
    }
    *solved = is_solved(s);
    return DP_OK;
}

// All at their ends, but for those that were exchanged with the rows of equations.
static void begin_at_ends(solver *s)
{
    const dp_lcp_dictionary *D = &s->dictionary;
    for (int k = 0; k < D->N; ++k) {
        if (D->of[k].ranged < 0) {
            s->core.basis[D->of[k].column] = D->begins[k + D->most] ? DP_PAIR_BETWEEN : DP_PAIR_LO;
        }
    }
}

// @return whether it solves the problem
static bool run_pivoting(solver *s)
{
    begin_at_ends(s);
    const dp_lcp_search search = dp_lcp_pivoting(&s->core, COARSE, s->most_steps);
    s->info->iterations += search.steps;
    s->end = search.end == DP_END_FOUND ? DP_END_LOST : search.end;
    return search.end == DP_END_FOUND && offer(s, DP_LCP_METHOD_PIVOTING);
}

static dp_status run_all(bool *solved, solver *s)
{
    enum { FEW = 100 }; // steps of a method that is tried before or after Lemke's
    s->most_steps = s->most_steps < FEW ? s->most_steps : FEW;
    *solved = s->core.symmetric && run_pivoting(s);
    if (*solved) {
        return DP_OK;
    }
    DP_TRY(run_lemke(solved, s));
    if (*solved || s->info->infeasible) {
        return DP_OK;
    }
    const dp_lcp_end end = s->end;
    *solved = !s->core.symmetric && run_pivoting(s);
    s->end = end; // Lemke's word counts
    return DP_OK;
}

static void limit_work(solver *s)
{
    enum { STEPS = 500 };
    const int n = s->core.p->n, given = s->opt.max_pivots;
    s->most = given > 0 ? given : n > (INT_MAX - 1000) / 50 ? INT_MAX : 50 * n + 1000;
    s->most_steps = given > 0 ? given : STEPS;
}

static dp_status run(solver *s)
{
    bool solved = false;
    limit_work(s);
    switch (s->opt.method) {
    case DP_LCP_METHOD_AUTOMATIC:
        DP_TRY(run_all(&solved, s));
        break;
    case DP_LCP_METHOD_LEMKE:
        DP_TRY(run_lemke(&solved, s));
        break;
    case DP_LCP_METHOD_PIVOTING:
        solved = run_pivoting(s);
        break;
    }
    dp_lcp_info *info = s->info;
    if (!is_solved(s)) { // rows that are at rest where it begins prove nothing
        begin_at_ends(s);
        (void)offer(s, DP_LCP_METHOD_LEMKE);
    }
    solved = is_solved(s);
    for (int i = 0; !solved && i < s->core.p->n && !info->infeasible; ++i) {
        info->infeasible = dp_lcp_row_proves(s->core.p, i);
        s->end = info->infeasible ? DP_END_RAY : s->end;
    }
    info->outcome = solved                                    ? DP_LCP_OUTCOME_SOLVED
                    : s->core.inconsistent > s->opt.tolerance ? DP_LCP_OUTCOME_CONTRADICTORY
                    : s->end == DP_END_RAY                    ? DP_LCP_OUTCOME_RAY
                    : s->end == DP_END_CAPPED                 ? DP_LCP_OUTCOME_CAPPED
                                                              : DP_LCP_OUTCOME_INACCURATE;
    info->infeasible = info->infeasible && info->outcome == DP_LCP_OUTCOME_RAY;
    return DP_OK;
}

// ---- the call

static void carve(solver *s, dp_carver *c, int count, int rows)
{
    const size_t n = (size_t)count;
    double **const reals[] = {&s->covering, &s->z, &s->best_z};
    dp_lcp_core_carve(&s->core, c, count);
    for (size_t k = 0; k < sizeof reals / sizeof *reals; ++k) {
        *reals[k] = dp_carve(c, n, sizeof(double));
    }
    s->state = dp_carve(c, n, 1);
    s->best_state = dp_carve(c, n, 1);
    dp_lcp_dictionary_carve(&s->dictionary, c, rows);
}

static size_t bytes_of(int n, int rows)
{
    solver s = {.info = NULL};
    dp_carver measure = {NULL, 0};
    carve(&s, &measure, n, rows);
    return measure.used;
}

size_t dp_lcp_memory(int n, int extra)
{
    return dp_stack_bytes(bytes_of(n, n + extra), 1);
}

static dp_status solve(const dp_lcp_solution *out, solver *s)
{
    s->dictionary.core = &s->core;
    dp_lcp_core_scale(&s->core);
    DP_TRY(dp_lcp_dictionary_begin(&s->dictionary));
    begin_at_bounds(s);
    DP_TRY(run(s));
    DP_TRY(dp_interrupt_status());
    s->info->factorizations = s->core.factorizations;
    s->info->dependent = s->core.dependent;
    s->info->inconsistent = s->core.inconsistent;
    (void)dp_lcp_core_residual(&s->core, s->best_z, out->w);
    for (int i = 0; i < s->core.p->n; ++i) {
        out->z[i] = s->best_z[i];
        if (out->state) {
            out->state[i] = s->core.lost_row[i] ? DP_LCP_STATE_DEPENDENT : s->best_state[i];
        }
    }
    return DP_OK;
}

dp_status dp_lcp_solve(const dp_lcp_solution *out, const dp_lcp *p, const dp_lcp_options *opt,
                       const dp_allocator *allocator, dp_lcp_info *info)
{
    solver s = {.core = {.p = p}, .opt = opt ? *opt : dp_lcp_options_default(), .info = info};
    const dp_allocator a = dp_allocator_or_default(allocator);
    *info = (dp_lcp_info){.outcome = DP_LCP_OUTCOME_INACCURATE, .residual = (double)INFINITY};
    DP_TRY(dp_lcp_check(p));
    DP_TRY(check_options(&s.opt, p->n));
    char *memory;
    const int rows = dp_lcp_dictionary_size(p);
    const size_t bytes = bytes_of(p->n, rows);
    DP_TRY(dp_allocate(&memory, &a, bytes, 1));
    dp_carver carver = {memory, 0};
    carve(&s, &carver, p->n, rows);
    const dp_status status = solve(out, &s);
    dp_release(&a, memory, bytes, 1);
    return status;
}
