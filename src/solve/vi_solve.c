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

static bool is_contact(const dp_step_problem *p, int block)
{
    return p->friction_of && p->friction_of[block] >= 0;
}

// Contacts and one-sided rows are rigid, others where they have hardly more than the compliance of
// the law.
void dp_vi_vanishing(uint8_t *out, const dp_step_problem *p, const dp_law_options *opt)
{
    const double uneven = 1e3; // how far weights may be from their mean
    for (int b = 0; b < p->nblock; ++b) {
        const int *col = p->col + p->col_start[b];
        const int ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            double w = 0.0;
            for (int k = 0; k < ncol; ++k) {
                w += G[k] * G[k] / p->Mt[p->Mt_start[col[k]]];
            }
            const double R = dp_row_soft(&p->row[r], p->h).R;
            out[r] = dp_law_is_limit(opt) && (is_contact(p, b) || dp_row_is_one_sided(&p->row[r]) ||
                                              R <= uneven * dp_law_compliance(opt) * (w + R));
        }
    }
}

// Those of them that no stiff spring can be taken for.
static void find_rigid(uint8_t *out, const dp_step_problem *p, const dp_law_options *opt)
{
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            out[r] = dp_law_is_limit(opt) && (is_contact(p, b) || dp_row_is_one_sided(&p->row[r]));
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
    double *gamma, *ray; // nrow
    void *room;
} workspace;

static workspace lay_out(dp_carver *carver, const dp_step_problem *p)
{
    const size_t nrow = (size_t)p->nrow;
    workspace out;
    out.gamma = dp_carve(carver, nrow, sizeof(double));
    out.ray = dp_carve(carver, nrow, sizeof(double));
    out.room = dp_carve(carver, dp_vi_feasible_memory(p), 1);
    return out;
}

// @return DP_ERROR_CAPACITY
static dp_status take_room(dp_vi_room *room, const dp_coulomb *c)
{
    dp_carver measure = {NULL, 0};
    (void)lay_out(&measure, c->p);
    if (measure.used <= room->bytes) {
        return DP_OK;
    }
    room->bytes = 0;
    DP_TRY(dp_arena_take(&room->memory, c->scratch, measure.used, 1));
    room->bytes = measure.used;
    return DP_OK;
}

// The same for what the certificate needs.
static dp_status take_flags(dp_vi_room *room, const dp_coulomb *c)
{
    if (room->nrow < c->p->nrow) {
        room->nrow = 0;
        DP_TRY(dp_arena_take(&room->flags, c->scratch, (size_t)c->p->nrow, 1));
        room->nrow = c->p->nrow;
    }
    return DP_OK;
}

static void add_work(dp_solve_info *info, const dp_solve_info *before)
{
    info->iterations += before->iterations;
    info->factorizations += before->factorizations;
}

// Large impulses may leave a small residual beside the compliance of the law, and yet velocities
// that it forbids. Of a heap that was solved loosely, and of rows that contradict each other, no
// more is asked than that.
// @param flags nrow: scratch
static bool is_certified(const dp_coulomb *c, const dp_step_solution *found, uint8_t *flags,
                         const dp_law_options *opt, const dp_solve_info *info)
{
    dp_certificate certificate;
    if (info->outcome != DP_CONVERGED || info->heaps > 0) {
        return dp_outcome_is_solved(info->outcome);
    }
    find_rigid(flags, c->p, opt);
    dp_problem_certify_as(&certificate, c->p, found,
                          (dp_certify_view){.set = dp_law_set(opt), .vanishing = flags}, c->force);
    return dp_certificate_is_solved(&certificate, opt->tolerance + info->inconsistent);
}

dp_status dp_vi_solve(dp_step_solution *out, dp_coulomb *c, const double *guess,
                      const dp_law_options *opt, dp_vi_room *room, dp_solve_info *info)
{
    const int most = c->max_factorizations;
    const bool decides = dp_vi_feasible_memory(c->p) > 0;
    c->max_factorizations = decides && most > FIRST_FACTORIZATIONS ? FIRST_FACTORIZATIONS : most;
    dp_coulomb_solve(out, c, guess, opt, info);
    c->max_factorizations = most;
    DP_TRY(c->status);
    DP_TRY(take_flags(room, c));
    if (is_certified(c, out, room->flags, opt, info)) {
        return DP_OK;
    }
    if (!decides) { // the island is too large
        info->outcome = dp_outcome_is_solved(info->outcome) ? DP_CAPPED : info->outcome;
        return DP_OK;
    }
    DP_TRY(take_room(room, c));
    dp_carver carver = {room->memory, 0};
    const workspace at = lay_out(&carver, c->p);
    dp_vi_vanishing(room->flags, c->p, opt);
    dp_vi_decision decision = {.gamma = at.gamma, .ray = at.ray};
    dp_vi_feasible(&decision, c->p,
                   (dp_certify_view){.set = DP_FRICTION_CONE, .vanishing = room->flags}, at.room);
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
    } else if (!is_certified(c, out, room->flags, opt, info)) {
        info->outcome = DP_CAPPED;
    }
    return c->status;
}
