// The law `vi`: rigid contacts, impulses in convex sets, the least ones. docs/laws/vi.md.
//
// A search that does not end says nothing: impulses of thousands of newtons may be the right ones.
// So what it leaves is decided by a method that ends with a solution or with a proof that there is
// none (vi_feasible.h); its solution is where the search begins anew.
#include "base/memory.h"
#include "linalg/vector.h"
#include "problem/compliance.h"
#include "problem/feasibility.h"
#include "problem/island.h"
#include "problem/laws/rigid.h"
#include "problem/laws/row_law.h"
#include "solve/cones/interior_point.h"
#include "solve/law_option.h"
#include "solve/law_part.h"
#include "solve/paradox.h"
#include "solve/vi/vi_feasibility.h"

#include <math.h>
#include <string.h>

// ---- options

static dp_option_words frictions = {[DP_VI_FRICTION_CONE] = "cone", [DP_VI_FRICTION_DISC] = "disc"};

const dp_law_option dp_vi_law_options[] = {
    DP_LAW_OPTION("vi.friction", vi.friction, .words = &frictions),
    DP_LAW_OPTION("vi.desaxce", vi.desaxce, .setting = DP_SETTING_SWITCH),
    DP_LAST_OPTION,
};

const char *dp_vi_friction_name(dp_vi_friction friction)
{
    return dp_option_word(frictions, (int)friction);
}

unsigned dp_vi_traits(const dp_law_options *opt)
{
    const bool cone = opt->vi.friction == DP_VI_FRICTION_CONE;
    if (cone && opt->vi.desaxce) {
        return 0;
    }
    return DP_LAW_TRAIT_CONVEX | (cone ? DP_LAW_TRAIT_LIFTS_OFF : 0) |
           (opt->rigid.compliance < 0.0 ? DP_LAW_TRAIT_LIMIT : 0);
}

double dp_vi_compliance(const dp_law_options *opt)
{
    // In the limit it is there for its ratios; else round-off takes ε/s.
    return opt->rigid.compliance >= 0.0               ? opt->rigid.compliance
           : (dp_vi_traits(opt) & DP_LAW_TRAIT_LIMIT) ? 1e-12
                                                      : 1e-6;
}

size_t dp_vi_memory(const dp_step_size *max, const dp_law_options *opt)
{
    return dp_part_memory(max, opt) + dp_arena_bytes((size_t)max->nrow, sizeof(uint8_t)) +
           dp_most_islands(max) * dp_arena_bytes(DP_ARENA_ALIGNMENT + 1, 1);
}

dp_certify_view dp_vi_view(const dp_law_options *opt, const dp_solve_info *info)
{
    (void)info;
    const unsigned traits = dp_vi_traits(opt);
    return (dp_certify_view){.set = !(traits & DP_LAW_TRAIT_CONVEX)     ? DP_FRICTION_SET_OF_NORMAL
                                    : (traits & DP_LAW_TRAIT_LIFTS_OFF) ? DP_FRICTION_SET_CONE
                                                                        : DP_FRICTION_SET_GIVEN};
}

// ---- solve

// A decision is made where it can be ended, and as much is left for the search behind it as for the
// one before.
enum {
    FIRST_FACTORIZATIONS = 60,
    FEWEST_FACTORIZATIONS = 2 * FIRST_FACTORIZATIONS + DP_INTERIOR_ITERATIONS
};

static const double MOST_LESS = 0.1; // of impulses that grew: the least that do the same are these

// In the limit contacts and one-sided rows are rigid, and others that have hardly more than the
// compliance of the law.
// @param strictly only those that no stiff spring can be taken for
static void find_rigid(uint8_t *out, const dp_step_problem *p, const dp_law_options *opt,
                       bool strictly)
{
    const bool limit = dp_law_has(opt, DP_LAW_TRAIT_LIMIT);
    for (int b = 0; b < p->nblock; ++b) {
        const int *col = p->col + p->col_start[b];
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            const double R = dp_row_soft(&p->row[r], p->h).R;
            double w = R;
            for (int k = 0; k < ncol; ++k) {
                w += G[k] * G[k] / p->Mt[p->Mt_start[col[k]]];
            }
            out[r] =
                limit && (dp_friction_of(p, b) || dp_row_is_one_sided(&p->row[r]) ||
                          (!strictly && dp_has_little_compliance(R, dp_law_compliance(opt), w)));
        }
    }
}

// What a decision takes.
typedef struct workspace {
    double *gamma, *ray; // nrow
    uint8_t *rigid;      // nrow
    void *room;
} workspace;

// @return bytes
static size_t lay_out(workspace *out, const dp_step_problem *p, void *memory)
{
    const size_t nrow = (size_t)p->nrow;
    dp_carver carver = {memory, 0};
    out->rigid = dp_carve(&carver, nrow, 1);
    out->gamma = dp_carve(&carver, nrow, sizeof(double));
    out->ray = dp_carve(&carver, nrow, sizeof(double));
    out->room = dp_carve(&carver, dp_vi_feasible_memory(p), 1);
    return carver.used;
}

static dp_vi_decision decide(const workspace *at, const dp_step_problem *p,
                             const dp_law_options *opt)
{
    dp_vi_decision out = {.gamma = at->gamma, .ray = at->ray};
    find_rigid(at->rigid, p, opt, false);
    dp_vi_feasible(&out, p, (dp_certify_view){.set = DP_FRICTION_SET_CONE, .vanishing = at->rigid},
                   at->room);
    return out;
}

// Memory that is kept for the next time. @return DP_ERROR_CAPACITY
static dp_status take_room(dp_vi_part *room, const dp_coulomb *c, size_t bytes)
{
    if (bytes > room->bytes) {
        room->bytes = 0;
        DP_TRY(dp_arena_take(&room->memory, c->room.scratch, bytes, 1));
        room->bytes = bytes;
    }
    return DP_OK;
}

static void add_work(dp_solve_info *info, int iterations, int factorizations)
{
    info->iterations += iterations;
    info->factorizations += factorizations;
}

// Large impulses may leave a small residual beside the compliance of the law, and yet velocities
// that it forbids. Of inconsistent rows no more is asked than what they have.
// @param flags nrow: scratch
static bool is_certified(const dp_coulomb *c, const dp_step_solution *found, uint8_t *flags,
                         const dp_law_options *opt, const dp_solve_info *info)
{
    dp_certificate certificate;
    if (info->outcome != DP_OUTCOME_CONVERGED) {
        return dp_outcome_is_solved(info->outcome);
    }
    find_rigid(flags, c->p, opt, true);
    dp_problem_certify_as(&certificate, c->p, found,
                          (dp_certify_view){.set = DP_FRICTION_SET_CONE, .vanishing = flags},
                          c->force);
    return dp_certificate_is_solved(&certificate, opt->tolerance + info->inconsistent);
}

static dp_status solve_with_cones(dp_step_solution *out, dp_law_part *part, const double *guess,
                                  dp_solve_info *info)
{
    dp_vi_part *room = part->memory;
    dp_coulomb *c = &room->shared.coulomb;
    const dp_law_options *opt = part->opt;
    const bool decides =
        opt->max_factorizations >= FEWEST_FACTORIZATIONS && dp_vi_feasible_memory(c->p) > 0;
    dp_law_options brief = *opt, rest = *opt;
    brief.max_factorizations = decides ? FIRST_FACTORIZATIONS : opt->max_factorizations;
    dp_coulomb_solve(out, c, guess, &brief, info);
    DP_TRY(c->room.status);
    DP_TRY(take_room(room, c, (size_t)c->p->nrow));
    if (is_certified(c, out, room->memory, opt, info)) {
        return DP_OK;
    }
    if (!decides) { // the island is too large, or little work is left
        info->outcome = dp_outcome_is_solved(info->outcome) ? DP_OUTCOME_CAPPED : info->outcome;
        return DP_OK;
    }
    workspace at;
    DP_TRY(take_room(room, c, lay_out(&at, c->p, NULL)));
    (void)lay_out(&at, c->p, room->memory);
    const dp_vi_decision decision = decide(&at, c->p, opt);
    const dp_solve_info first = *info;
    if (decision.verdict != DP_VI_INFEASIBLE) {
        rest.max_factorizations -= first.factorizations + decision.iterations;
        dp_coulomb_solve(out, c, at.gamma, &rest, info);
        add_work(info, first.iterations, first.factorizations);
    }
    add_work(info, decision.work, decision.iterations);
    const bool grown =
        dp_largest(out->gamma, c->p->nrow, 0.0) > MOST_LESS * dp_largest(at.gamma, c->p->nrow, 0.0);
    if (decision.verdict == DP_VI_INFEASIBLE) {
        info->outcome = DP_OUTCOME_INFEASIBLE;
    } else if (decision.verdict == DP_VI_WEAKLY_INFEASIBLE && grown) {
        info->outcome =
            DP_OUTCOME_WEAKLY_INFEASIBLE; // however small a residual such impulses leave
    } else if (!is_certified(c, out, at.rigid, opt, info)) {
        info->outcome = DP_OUTCOME_CAPPED;
    }
    return c->room.status;
}

// (61) of [PreclikRuedePopa2011]: what normals push without friction gives friction its discs.
static void solve_with_discs(dp_step_solution *found, dp_coulomb *c, const double *guess,
                             const dp_law_options *opt, dp_solve_info *info)
{
    const dp_step_problem *p = c->p;
    dp_solve_info first;
    memset(c->law.bound, 0, (size_t)p->nrow * sizeof *c->law.bound);
    dp_coulomb_solve(found, c, guess, opt, &first);
    for (int b = 0; b < p->nblock; ++b) {
        const int r = p->row_start[b];
        for (int g = 0; g < c->block[b].ngroup; ++g) {
            const dp_friction_group *group = &c->block[b].group[g];
            c->law.bound[r + group->first] = group->reach * fmax(found->gamma[r], 0.0);
        }
    }
    dp_coulomb_solve(found, c, guess ? guess : found->gamma, opt, info);
    add_work(info, first.iterations, first.factorizations);
    info->outcome = first.outcome != DP_OUTCOME_CONVERGED ? first.outcome : info->outcome;
    info->residual = dp_worse(info->residual, first.residual);
}

dp_status dp_vi_solve(dp_step_solution *out, dp_law_part *part, const double *guess,
                      dp_solve_info *info)
{
    dp_coulomb *c = &((dp_vi_part *)part->memory)->shared.coulomb;
    const unsigned traits = dp_vi_traits(part->opt);
    if (!c->p) {
        return dp_part_solve(out, part, guess, info);
    }
    if (traits & DP_LAW_TRAIT_LIFTS_OFF) {
        return solve_with_cones(out, part, guess, info);
    }
    if (traits & DP_LAW_TRAIT_CONVEX) {
        solve_with_discs(out, c, guess, part->opt, info);
        return c->room.status;
    }
    return dp_ncp_solve(out, part, guess, info);
}

// ---- what shows that there is no solution

static dp_status check_cones(const dp_law_options *opt)
{
    const bool own = dp_law_of(opt)->option == dp_vi_law_options;
    return own && dp_law_has(opt, DP_LAW_TRAIT_LIFTS_OFF)
               ? DP_OK
               : dp_fail(DP_ERROR_ARGUMENT,
                         "the law %s%s has no certificate of infeasibility "
                         "(expected vi with vi.friction=cone, without "
                         "vi.desaxce)",
                         dp_law_of(opt)->name, own ? " as it is set" : "");
}

// The direction of one island, if it says more than that of those before.
static dp_status look_at_island(double *ray, dp_ray_certificate *best, const dp_step_problem *p,
                                const int *row_of, int nwhole, const dp_law_options *opt,
                                const dp_allocator *from)
{
    workspace at;
    char *memory;
    if (dp_vi_feasible_memory(p) == 0) {
        return DP_OK;
    }
    const size_t bytes = lay_out(&at, p, NULL);
    DP_TRY(dp_allocate(&memory, from, bytes, 1));
    (void)lay_out(&at, p, memory);
    const dp_vi_decision d = decide(&at, p, opt);
    const bool shows = d.verdict == DP_VI_INFEASIBLE || d.verdict == DP_VI_WEAKLY_INFEASIBLE;
    if (shows && !best->proven && (d.certificate.proven || d.certificate.effect < best->effect)) {
        *best = d.certificate;
        memset(ray, 0, (size_t)nwhole * sizeof *ray);
        for (int r = 0; r < p->nrow; ++r) {
            ray[row_of[r]] = d.ray[r];
        }
    }
    dp_release(from, memory, bytes, 1);
    return DP_OK;
}

static dp_status find_ray(double *ray, const dp_step_problem *p, const dp_law_options *opt,
                          const dp_allocator *from)
{
    const dp_step_size size = dp_step_size_of(p);
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

dp_status dp_law_judge_ray(dp_ray_certificate *out, const dp_step_problem *p, const double *ray,
                           const dp_law_options *opt, double *scratch,
                           const dp_allocator *allocator)
{
    *out = (dp_ray_certificate){.outside = 0.0};
    DP_TRY(check_cones(opt));
    const dp_allocator from = dp_allocator_or_default(allocator);
    dp_taken_problem own;
    DP_TRY(dp_law_take_problem(&own, p, opt, &from));
    dp_problem_certify_ray_as(
        out, &own.p, ray,
        (dp_certify_view){.set = DP_FRICTION_SET_CONE, .vanishing = dp_law_vanishing(&own, opt)},
        scratch);
    dp_law_release_problem(&own, &from);
    return DP_OK;
}

dp_status dp_law_ray(dp_ray_certificate *out, double *ray, const dp_step_problem *p,
                     const dp_law_options *opt, const dp_allocator *allocator)
{
    *out = (dp_ray_certificate){.outside = 0.0};
    memset(ray, 0, (size_t)(p->nrow > 0 ? p->nrow : 0) * sizeof *ray);
    DP_TRY(check_cones(opt));
    DP_TRY(dp_problem_check(p, allocator));
    const dp_allocator from = dp_allocator_or_default(allocator);
    dp_taken_problem own;
    double *scratch;
    DP_TRY(dp_law_take_problem(&own, p, opt, &from));
    const dp_status status = find_ray(ray, &own.p, opt, &from);
    dp_law_release_problem(&own, &from);
    DP_TRY(status);
    DP_TRY(dp_allocate(&scratch, &from, (size_t)p->nv, sizeof *scratch));
    const dp_status judged = dp_law_judge_ray(out, p, ray, opt, scratch, allocator);
    dp_release(&from, scratch, (size_t)p->nv, sizeof *scratch);
    return judged;
}
