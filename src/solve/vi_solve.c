// A search that does not end says nothing: impulses of thousands of newtons may be the right ones.
// So what it leaves is decided by a method that ends with a solution or with a proof that there is
// none; its solution is where the search begins anew.
#include "solve/vi_solve.h"

#include "base/memory.h"
#include "problem/row_law.h"
#include "solve/vi_feasible.h"

#include <math.h>
#include <string.h>

enum { FIRST_FACTORIZATIONS = 60 }; // before the decision, which costs as much as some tens

static const double MOST_LESS = 0.1; // of impulses that grew: the least that do the same are these

// Contacts and one-sided rows are rigid, others where they have hardly more than the compliance of
// the law.
void dp_vi_vanishing(uint8_t *out, const dp_step_problem *p, const dp_law_options *opt)
{
    const double uneven = 1e3; // how far weights may be from their mean
    for (int b = 0; b < p->nblock; ++b) {
        const int *col = p->col + p->col_start[b];
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        const bool contact = p->friction_of && p->friction_of[b] >= 0;
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            double w = 0.0;
            for (int k = 0; k < ncol; ++k) {
                w += G[k] * G[k] / p->Mt[p->Mt_start[col[k]]];
            }
            const double R = dp_row_soft(&p->row[r], p->h).R;
            out[r] = dp_law_is_limit(opt) && (contact || dp_row_is_one_sided(&p->row[r]) ||
                                              R <= uneven * dp_law_compliance(opt) * (w + R));
        }
    }
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

typedef struct workspace {
    uint8_t *vanishing;  // nrow
    double *gamma, *ray; // nrow
    void *room;
} workspace;

static workspace lay_out(dp_carver *carver, const dp_step_problem *p)
{
    const size_t nrow = (size_t)p->nrow;
    workspace out;
    out.gamma = dp_carve(carver, nrow, sizeof(double));
    out.ray = dp_carve(carver, nrow, sizeof(double));
    out.vanishing = dp_carve(carver, nrow, 1);
    out.room = dp_carve(carver, dp_vi_feasible_memory(p), 1);
    return out;
}

// @return false: the island is too large, *status is DP_OK; or there is no room
static bool take_room(dp_status *status, dp_vi_room *room, const dp_coulomb *c)
{
    *status = DP_OK;
    if (dp_vi_feasible_memory(c->p) == 0) {
        return false;
    }
    dp_carver measure = {NULL, 0};
    (void)lay_out(&measure, c->p);
    if (measure.used > room->bytes) {
        room->bytes = 0;
        *status = dp_arena_take(&room->memory, c->scratch, measure.used, 1);
        room->bytes = *status == DP_OK ? measure.used : 0;
    }
    return *status == DP_OK;
}

static void add_work(dp_solve_info *info, const dp_solve_info *before)
{
    info->iterations += before->iterations;
    info->factorizations += before->factorizations;
}

// Large impulses may leave a small residual, and yet velocities that the law forbids.
static bool is_certified(const dp_coulomb *c, const dp_step_solution *found,
                         const uint8_t *vanishing, const dp_law_options *opt)
{
    dp_certificate certificate;
    dp_problem_certify_as(&certificate, c->p, found,
                          (dp_certify_view){.set = dp_law_set(opt), .vanishing = vanishing},
                          c->force);
    return dp_certificate_is_solved(&certificate, opt->tolerance);
}

dp_status dp_vi_solve(dp_step_solution *out, dp_coulomb *c, const double *guess,
                      const dp_law_options *opt, dp_vi_room *room, dp_solve_info *info)
{
    const int most = c->max_factorizations;
    const bool decides = dp_vi_feasible_memory(c->p) > 0;
    c->max_factorizations = decides && most > FIRST_FACTORIZATIONS ? FIRST_FACTORIZATIONS : most;
    dp_coulomb_solve(out, c, guess, opt, info);
    c->max_factorizations = most;
    dp_status status = c->status;
    if (status != DP_OK || dp_outcome_is_solved(info->outcome) || !take_room(&status, room, c)) {
        return status;
    }
    dp_carver carver = {room->memory, 0};
    const workspace at = lay_out(&carver, c->p);
    dp_vi_vanishing(at.vanishing, c->p, opt);
    dp_vi_decision decision = {.gamma = at.gamma, .ray = at.ray};
    dp_vi_feasible(&decision, c->p,
                   (dp_certify_view){.set = DP_FRICTION_CONE, .vanishing = at.vanishing}, at.room);
    const dp_solve_info first = *info;
    if (decision.verdict != DP_VI_INFEASIBLE) {
        dp_coulomb_solve(out, c, at.gamma, opt, info);
        add_work(info, &first);
    }
    info->iterations += decision.iterations;
    info->factorizations += decision.iterations;
    const bool grown = largest(out->gamma, c->p->nrow) > MOST_LESS * largest(at.gamma, c->p->nrow);
    if (decision.verdict == DP_VI_INFEASIBLE) {
        info->outcome = DP_INFEASIBLE;
    } else if (decision.verdict == DP_VI_WEAKLY_INFEASIBLE && grown) {
        info->outcome = DP_WEAKLY_INFEASIBLE; // however small a residual such impulses leave
    } else if (!dp_outcome_is_solved(info->outcome) || !is_certified(c, out, at.vanishing, opt)) {
        info->outcome = DP_CAPPED;
    }
    return c->status;
}
