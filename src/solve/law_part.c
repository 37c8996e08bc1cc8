// One island by the method that suits its rows: the law `compliant`, and what other laws begin
// with.
#include "solve/law_part.h"

#include <string.h>

size_t dp_part_memory(const dp_step_size *max, const dp_law_options *opt)
{
    (void)opt;
    // What is shared among islands is no more than what one has; ends of pieces are rounded up.
    return dp_compliant_memory(max) +
           dp_most_islands(max) * DP_COMPLIANT_PIECES * dp_arena_bytes(DP_ARENA_ALIGNMENT + 1, 1);
}

// Is an island one for the natural map?
static bool is_for_map(const dp_law_part *part)
{
    return dp_has_friction(part->p) || (part->p->nv > 0 && dp_law_has(part->opt, DP_TRAIT_CONVEX));
}

dp_status dp_part_prepare(dp_law_part *part)
{
    dp_shared_part *s = part->memory;
    if (is_for_map(part)) {
        DP_TRY(dp_coulomb_begin(&s->coulomb, part->p, part->opt, part->scratch));
        part->later = s->coulomb.later;
        return DP_OK;
    }
    DP_TRY(dp_compliant_begin(&s->rows, part->p, part->opt, part->scratch));
    part->no_guess = s->rows.two_sided;
    return DP_OK;
}

bool dp_part_is_reusable(dp_law_part *part)
{
    const dp_shared_part *s = part->memory;
    const bool map = s->coulomb.p;
    if (map != is_for_map(part)) {
        return false;
    }
    return map ? dp_coulomb_is_reusable(&s->coulomb) : dp_delassus_is_reusable(&s->rows.d, part->p);
}

dp_status dp_part_restart(dp_law_part *part)
{
    dp_shared_part *s = part->memory;
    if (s->coulomb.p) {
        return dp_coulomb_restart(&s->coulomb, part->opt);
    }
    DP_TRY(dp_compliant_restart(&s->rows, part->opt));
    part->no_guess = s->rows.two_sided;
    return DP_OK;
}

dp_status dp_part_solve(dp_step_solution *out, dp_law_part *part, const double *guess,
                        dp_solve_info *info)
{
    dp_shared_part *s = part->memory;
    if (s->coulomb.p) {
        s->coulomb.change = part->change;
        dp_coulomb_solve(out, &s->coulomb, guess, part->opt, info);
        return s->coulomb.status;
    }
    dp_compliant_solve(out, &s->rows, guess, part->opt, info);
    return DP_OK;
}

dp_status dp_part_mobility(double *w, dp_law_part *part)
{
    dp_shared_part *s = part->memory;
    if (s->coulomb.p) {
        memcpy(w, s->coulomb.w, (size_t)part->p->nrow * sizeof *w);
    } else {
        for (int k = 0; k < s->rows.n; ++k) {
            w[s->rows.d.row[k]] = s->rows.w[k];
        }
    }
    return DP_OK;
}
