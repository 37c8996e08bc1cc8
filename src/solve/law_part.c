// One island by the method that suits its rows: the law `compliant`, and what other laws begin
// with.
#include "solve/law_part.h"

#include "problem/laws/row_law.h"
#include "solve/tamsi.h"

#include <float.h>
#include <string.h>

size_t dp_part_memory(const dp_step_size *max, const dp_law_options *opt)
{
    (void)opt;
    // What is shared among islands is no more than what one has; ends of pieces are rounded up.
    return dp_compliant_memory(max) +
           dp_most_islands(max) * DP_COMPLIANT_PIECES * dp_arena_bytes(DP_ARENA_ALIGNMENT + 1, 1);
}

enum {
    MANY_ROWS = 64,        // below, the Delassus matrix is cheap enough
    ROWS_PER_VELOCITY = 3, // above, H is smaller than the Delassus matrix by an order
};
static const double LEAST_COMPLIANCE = 1e-10; // R over the mobility of a row: what is a spring

// The mobility of a row is taken to be Σ G²/diag M̃.
bool dp_has_many_springs(const dp_step_problem *p)
{
    bool all = p->nrow >= MANY_ROWS && p->nrow >= ROWS_PER_VELOCITY * p->nv;
    for (int b = 0; all && b < p->nblock; ++b) {
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; all && r < p->row_start[b + 1]; ++r) {
            const double R = dp_row_softness(p->row + r, p->h).R;
            double w = 0.0;
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k, ++G) {
                w += *G * *G / p->Mt[p->Mt_start[p->col[k]]];
            }
            all = R >= LEAST_COMPLIANCE * w && R <= DBL_MAX && w > 0.0;
        }
    }
    return all;
}

// Is an island one for the natural map?
static bool is_for_map(const dp_law_part *part)
{
    return dp_has_friction(part->p) ||
           (part->p->nv > 0 && dp_law_has(part->opt, DP_LAW_TRAIT_CONVEX));
}

// Where an island like this is solved among velocities; NULL: it is one of rows.
static dp_coulomb *suited(dp_shared_part *s, const dp_law_part *part)
{
    return is_for_map(part) ? &s->coulomb : dp_has_many_springs(part->p) ? &s->springs : NULL;
}

// The same as it was found when it was prepared.
static dp_coulomb *among_velocities(dp_shared_part *s)
{
    return s->coulomb.p ? &s->coulomb : s->springs.p ? &s->springs : NULL;
}

dp_status dp_part_prepare(dp_law_part *part)
{
    dp_shared_part *s = part->memory;
    DP_ASSERT(s);
    dp_coulomb *c = suited(s, part);
    if (c) {
        DP_TRY(dp_coulomb_begin(c, part->p, part->opt, part->scratch));
        part->later = c->room.later;
        return DP_OK;
    }
    DP_TRY(dp_compliant_begin(&s->rows, part->p, part->opt, part->scratch));
    part->no_guess = s->rows.two_sided;
    return DP_OK;
}

bool dp_part_is_reusable(dp_law_part *part)
{
    dp_shared_part *s = part->memory;
    const dp_coulomb *now = among_velocities(s), *then = suited(s, part);
    return now == then && (!now || dp_coulomb_is_reusable(now));
}

dp_status dp_part_restart(dp_law_part *part)
{
    dp_shared_part *s = part->memory;
    dp_coulomb *c = among_velocities(s);
    if (c) {
        return dp_coulomb_restart(c, part->opt);
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
        return s->coulomb.room.status;
    }
    if (s->springs.p) {
        dp_springs_solve(out, &s->springs, guess, part->opt, info);
        return s->springs.room.status;
    }
    dp_compliant_solve(out, &s->rows, guess, part->opt, info);
    return DP_OK;
}

dp_status dp_part_mobility(double *w, dp_law_part *part)
{
    dp_shared_part *s = part->memory;
    const dp_coulomb *c = among_velocities(s);
    if (c) {
        memcpy(w, c->w, (size_t)part->p->nrow * sizeof *w);
        return DP_OK;
    }
    for (int k = 0; k < s->rows.n; ++k) {
        w[s->rows.d.row[k]] = s->rows.w[k];
    }
    return DP_OK;
}
