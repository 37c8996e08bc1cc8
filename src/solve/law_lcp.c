// The law `lcp`: rigid contacts with polyhedral friction, as a complementarity problem. Small
// islands are solved by pivots (polyhedral.h), larger ones by the natural map with polygons
// (coulomb.h). docs/laws/lcp.md.
#include "base/error.h"
#include "base/interrupt.h"
#include "base/stack.h"
#include "solve/law_option.h"
#include "solve/law_part.h"
#include "solve/lcp/polyhedral.h"
#include "solve/paradox.h"

#include <stdio.h>
#include <string.h>

enum {
    FEW_VARIABLES = 60,   // pivots are soon done
    MANY_VARIABLES = 500, // for pivots after all else: a second and some megabytes
    TOO_MANY = 2000       // for pivots that are asked for: minutes, and hundreds of megabytes
};

// ---- options

static dp_option_words methods = {[DP_POLYHEDRAL_METHOD_AUTOMATIC] = "automatic",
                                  [DP_POLYHEDRAL_METHOD_LEMKE] = "lemke",
                                  [DP_POLYHEDRAL_METHOD_MAP] = "map"};

static dp_status check_directions(const void *field, const char *name)
{
    const int directions = *(const int *)field;
    return dp_directions_are_sound(directions)
               ? DP_OK
               : dp_fail(DP_ERROR_ARGUMENT, "%s: found %d (expected an even number, %d to %d)",
                         name, directions, DP_LEAST_DIRECTIONS, DP_MOST_DIRECTIONS);
}

const dp_law_option dp_lcp_law_options[] = {
    DP_LAW_OPTION("lcp.directions", lcp.directions, .setting = DP_SETTING_COUNT_ABOVE_0,
                  .check = check_directions),
    DP_LAW_OPTION("lcp.method", lcp.method, .words = &methods),
    DP_LAST_OPTION,
};

const char *dp_polyhedral_method_name(dp_polyhedral_method method)
{
    return dp_option_word(methods, (int)method);
}

bool dp_lcp_refuses(char *why, size_t bytes, const dp_step_problem *p, const dp_law_options *opt)
{
    (void)p;
    if (dp_directions_are_sound(opt->lcp.directions)) {
        return false;
    }
    snprintf(why, bytes, "has directions = %d (expected an even number, %d to %d)",
             opt->lcp.directions, DP_LEAST_DIRECTIONS, DP_MOST_DIRECTIONS);
    return true;
}

// ---- memory

static bool begins_with_pivots(const dp_law_part *part)
{
    const dp_polyhedral_method method = part->opt->lcp.method;
    return method == DP_POLYHEDRAL_METHOD_LEMKE ||
           (method == DP_POLYHEDRAL_METHOD_AUTOMATIC &&
            dp_polyhedral_variables(part->p, part->opt->lcp.directions) <= FEW_VARIABLES);
}

static size_t room_for_pivots(const dp_law_part *part)
{
    const int directions = part->opt->lcp.directions;
    const int most =
        part->opt->lcp.method == DP_POLYHEDRAL_METHOD_LEMKE ? TOO_MANY : MANY_VARIABLES;
    return dp_polyhedral_variables(part->p, directions) <= most
               ? dp_polyhedral_memory(part->p, directions)
               : 0;
}

dp_status dp_lcp_prepare(dp_law_part *part)
{
    dp_lcp_part *l = part->memory;
    DP_TRY(dp_part_prepare(part));
    if (!l->shared.coulomb.p) {
        return DP_OK;
    }
    l->pivots_first = begins_with_pivots(part);
    l->bytes = room_for_pivots(part);
    if (l->pivots_first) {
        const size_t nrow = (size_t)part->p->nrow;
        DP_TRY(dp_arena_take(&l->other.v, part->scratch, (size_t)part->p->nv, sizeof(double)));
        DP_TRY(dp_arena_take(&l->other.gamma, part->scratch, nrow, sizeof(double)));
        DP_TRY(dp_arena_take(&l->other.state, part->scratch, nrow, sizeof(uint8_t)));
    }
    return l->bytes > 0 ? dp_arena_take(&l->memory, part->scratch, l->bytes, 1) : DP_OK;
}

bool dp_lcp_is_reusable(dp_law_part *part)
{
    dp_lcp_part *l = part->memory;
    const bool reusable = dp_part_is_reusable(part);
    if (!reusable || !l->shared.coulomb.p) {
        return reusable;
    }
    l->pivots_first = begins_with_pivots(part);
    return room_for_pivots(part) <= l->bytes && (!l->pivots_first || l->other.v);
}

// ---- solve

dp_certify_view dp_lcp_view(const dp_law_options *opt, const dp_solve_info *info)
{
    return (dp_certify_view){.rigid = true,
                             .corners = info->fallbacks == 0 ? opt->lcp.directions : 0};
}

// The complementarity problem of an island by Lemke's method and its relatives.
static dp_status solve_by_pivots(dp_step_solution *found, dp_law_part *part, dp_solve_info *info)
{
    dp_lcp_part *l = part->memory;
    dp_stack stack;
    dp_stack_init(&stack, l->memory, l->bytes);
    const dp_allocator memory = dp_stack_allocator(&stack);
    dp_polyhedral_info own;
    DP_TRY(dp_polyhedral_solve(found, part->p, part->opt->lcp.directions, NULL, &memory, &own));
    *info = (dp_solve_info){.islands = 1,
                            .iterations = own.lcp.pivots + own.lcp.iterations,
                            .factorizations = own.lcp.factorizations,
                            .dependent = own.lcp.dependent};
    dp_certificate certificate;
    dp_problem_certify_as(&certificate, part->p, found, dp_lcp_view(part->opt, info),
                          l->shared.coulomb.v);
    const bool solved = dp_certificate_is_solved(&certificate, part->opt->tolerance);
    info->outcome = solved ? DP_OUTCOME_CONVERGED : DP_OUTCOME_CAPPED;
    info->residual = certificate.normal_law;
    return DP_OK;
}

// The same, or with discs instead of polygons, as a zero of the natural map.
static void solve_by_map(dp_step_solution *found, dp_law_part *part, int corners,
                         const double *guess, dp_solve_info *info)
{
    dp_coulomb *c = &((dp_lcp_part *)part->memory)->shared.coulomb;
    c->law.corners = corners;
    dp_coulomb_solve(found, c, guess, part->opt, info);
}

// Pivots end at a corner of the set of solutions, where contacts may slide that need not: some
// carry all of the load, others nothing. The map begins at the impulses of the last step, or at
// none. Of the two solutions the one with fewer contacts that slide is taken.
static void prefer_sticking(dp_step_solution *found, dp_law_part *part, const double *guess,
                            dp_solve_info *info)
{
    dp_step_solution *other = &((dp_lcp_part *)part->memory)->other;
    const dp_step_problem *island = part->p;
    const dp_law_options *opt = part->opt;
    const int slide = dp_polyhedral_sliding(island, found, opt->tolerance);
    if (slide == 0) {
        return;
    }
    dp_solve_info again;
    solve_by_map(other, part, opt->lcp.directions, guess, &again);
    const bool sticks = again.outcome == DP_OUTCOME_CONVERGED &&
                        dp_polyhedral_sliding(island, other, opt->tolerance) < slide;
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
dp_status dp_lcp_solve_part(dp_step_solution *found, dp_law_part *part, const double *guess,
                            dp_solve_info *info)
{
    dp_lcp_part *l = part->memory;
    dp_coulomb *c = &l->shared.coulomb;
    if (!c->p) {
        return dp_part_solve(found, part, guess, info);
    }
    *info = (dp_solve_info){.outcome = DP_OUTCOME_CAPPED};
    int iterations = 0, factorizations = 0;
    for (int attempt = 0; attempt < 3 && info->outcome != DP_OUTCOME_CONVERGED; ++attempt) {
        DP_TRY(dp_interrupt_status());
        const bool pivots = attempt == (l->pivots_first ? 0 : 1);
        iterations += info->iterations;
        factorizations += info->factorizations;
        if (attempt == 2) {
            solve_by_map(found, part, 0, guess, info);
            info->fallbacks = 1;
        } else if (!pivots) {
            solve_by_map(found, part, part->opt->lcp.directions, guess, info);
        } else if (l->memory) {
            DP_TRY(solve_by_pivots(found, part, info));
            if (attempt == 0 && info->outcome == DP_OUTCOME_CONVERGED) {
                prefer_sticking(found, part, guess, info);
                DP_TRY(c->room.status);
            }
        }
    }
    info->iterations += iterations;
    info->factorizations += factorizations;
    DP_TRY(c->room.status);
    info->painleve = dp_count_paradoxes(c, found);
    return DP_OK;
}
