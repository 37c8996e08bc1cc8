// Given a centre r, solve F(x) = 0 of (CO 2) by Newton's method; take the solution as the next
// centre, lower s, and so on until the law itself holds. A factorisation is paid for only where
// modes (open, closed, stick, slip) change or s is lowered:
//
//     repeat
//         until F is small:  a Newton step with the last factors where modes stayed and that
//                            leaves little of F, else with new ones, halved until F falls   (PN 1)
//         while the residual halves:  r := x, and one back-substitution                     (PN 2)
//         if impulses grow and move nothing:  wedged                                        (PN 3)
//         lower s, by less where many factorisations were needed; raise it where (PN 1) failed
//
// s sets how many contacts change their mode at once, and the contraction of (PN 2). The step
// length ρ of the map grows as s falls, such that projections look as far ahead as centres move.
//
// (PN 3) is the certificate of a wedge, whose rigid contacts jam whatever the impulses: centres
// differ by d with W d + R d = 0, to round-off, while the residual stays, and d may grow for ever
// without leaving the cones.
//
// Departures. Proximal point methods converge for monotone maps [Rockafellar1976]. Coulomb friction
// is not one, and nothing is proved here: the search is bounded by its budget, and the best point
// that it came to counts. A wedge is likewise evidence and no proof.
#include "solve/contact/proximal_newton.h"

#include <math.h>
#include <string.h>

const dp_search_plan DP_SEARCH_FOLLOW = {DP_FIRST_SHIFT, DP_FALL, DP_FALL, true, DP_FOLLOW_BUDGET};
const dp_search_plan DP_SEARCH_PATIENT = {DP_FIRST_SHIFT, DP_PROGRESS, DP_FALL *DP_FALL, false,
                                          DP_SEARCH_BUDGET};
const dp_search_plan DP_SEARCH_FAR = {1.0, DP_PROGRESS, DP_FALL *DP_FALL, false, DP_SEARCH_BUDGET};

typedef struct search {
    dp_coulomb *c;
    const dp_search_plan *plan;
    double s;
    dp_coulomb_map map;
    double merit;      // of F at c->x
    int limit;         // of c->work.factorizations
    bool factored;     // are there factors?
    double s_factored; // their s
    int newton;        // factorisations of this centre
    double centre_residual;
    double last_residual; // of the last centre that was solved
    bool has_last;        // c->last.x and c->last.u
    int still;            // centres in a row that look like a wedge
} search;

typedef enum outcome { CONVERGED, CENTRED, FAILED } outcome;

static size_t bytes_of(const dp_coulomb *c)
{
    return (size_t)c->p->nrow * sizeof *c->x;
}

static void set_map(search *s)
{
    dp_coulomb *c = s->c;
    const double reach = fmax(1.0, DP_REACH / s->s);
    for (int r = 0; r < c->p->nrow; ++r) {
        c->rho[r] = reach * c->one_over_a[r];
    }
    s->map = (dp_coulomb_map){s->s, c->centre, c->rho, false};
}

// F and its merit at (x, u), with the tangents there.
static void evaluate(search *s)
{
    dp_coulomb *c = s->c;
    dp_coulomb_tangents(c, c->x, c->u);
    s->merit = dp_coulomb_evaluate(c, c->F, &s->map, c->x, c->u);
}

// [m/s] The worst row of F, in terms of velocities: by each row's ρ.
static double worst_row(const dp_coulomb *c, const double *F, const double *rho)
{
    double worst = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        const double error = fabs(F[r]) * c->gauge[r] / rho[r];
        worst = isnan(worst) || error <= worst ? worst : error;
    }
    return worst;
}

// [m/s] How far c->x is from a zero of the map, as the residual measures it: with ρ = 1/a.
// @param enough more than this need not be known exactly
static double map_residual(const search *s, double enough)
{
    dp_coulomb *c = s->c;
    const double least = worst_row(c, c->F, c->rho);
    if (!(least <= enough)) {
        return least;
    }
    const dp_coulomb_map map = {s->s, c->centre, c->one_over_a, true};
    dp_coulomb_evaluate(c, c->q, &map, c->x, c->u);
    return worst_row(c, c->q, c->one_over_a);
}

// [m/s] What refinement is spent for.
static double refined_of(const dp_coulomb *c)
{
    return fmax(DP_GOAL * DP_GOAL * c->tol.solved, c->tol.digits);
}

// The residual at c->x, which is kept if it is the best so far.
static double judge(dp_coulomb *c)
{
    return dp_coulomb_judge_sum(c, c->op.one_tree, c->tol.solved);
}

// Is C that of the factors, mode by mode and about as large?
static bool has_same_modes(const dp_coulomb *c, double similar)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        const size_t end = b + 1 < c->p->nblock ? c->block[b + 1].C : c->op.nC;
        double most = 0.0, change = 0.0;
        for (size_t k = c->block[b].C; k < end; ++k) {
            const double C = c->C[k], factored = c->op.C_factored[k];
            if ((C != 0.0) != (factored != 0.0)) {
                return false;
            }
            const double size = fabs(factored), off = fabs(C - factored);
            most = size > most ? size : most;
            change = off > change ? off : change;
        }
        if (change > similar * most) {
            return false;
        }
    }
    return true;
}

static void swap_C(dp_coulomb *c)
{
    double *C = c->C;
    c->C = c->op.C_factored;
    c->op.C_factored = C;
}

// dx and du from q by the last factors: du = W dx, since both go by the C of the factors.
static void step_by_factors(dp_coulomb *c)
{
    swap_C(c);
    dp_coulomb_step(c, c->dx);
    swap_C(c);
}

// F at a part of the step. @return its merit
static double try_step(search *s, double t)
{
    dp_coulomb *c = s->c;
    for (int r = 0; r < c->p->nrow; ++r) {
        c->trial[r] = c->x[r] + t * c->dx[r];
        c->u_trial[r] = c->u[r] + t * c->du[r];
    }
    return dp_coulomb_evaluate(c, c->F, &s->map, c->trial, c->u_trial);
}

static void accept_trial(search *s, double merit)
{
    dp_coulomb *c = s->c;
    memcpy(c->x, c->trial, bytes_of(c));
    memcpy(c->u, c->u_trial, bytes_of(c));
    s->merit = merit;
    if (c->p->normal || c->law.slip_speed > 0.0) { // tangents move on
        evaluate(s);
    }
}

// @return whether a step with the last factors is accepted
static bool reuse_factors(search *s)
{
    dp_coulomb *c = s->c;
    if (!s->plan->reuse || !s->factored || s->s_factored != s->s ||
        !has_same_modes(c, DP_PROGRESS)) {
        return false;
    }
    step_by_factors(c);
    const double now = try_step(s, 1.0);
    if (!(now <= DP_PROGRESS * DP_PROGRESS * s->merit)) {
        return false;
    }
    accept_trial(s, now);
    return true;
}

// @return whether a Newton step with new factors leads downhill
static bool factor_and_descend(search *s)
{
    dp_coulomb *c = s->c;
    if (c->work.factorizations >= s->limit) {
        return false;
    }
    s->factored = dp_coulomb_factor(c);
    if (!s->factored) {
        return false;
    }
    s->s_factored = s->s;
    dp_coulomb_step(c, c->dx);
    double t = 1.0;
    for (int k = 0; k < DP_HALVINGS; ++k, t *= 0.5) {
        const double now = try_step(s, t);
        if (now <= (1.0 - 2.0 * DP_DIGITS * t) * s->merit) {
            accept_trial(s, now);
            return true;
        }
    }
    return false;
}

// (PN 1) @param residual at c->x
static outcome solve_centre(search *s, double *residual)
{
    dp_coulomb *c = s->c;
    set_map(s);
    evaluate(s);
    s->newton = 0;
    for (int reused = 0; s->newton < DP_NEWTON_STEPS && reused < DP_SAME_FACTORS &&
                         !dp_coulomb_is_interrupted(c);) {
        ++c->work.iterations;
        dp_coulomb_linearise_known(c, &s->map, c->x, c->u);
        if (reuse_factors(s)) {
            ++reused;
        } else {
            reused = 0;
            if (!factor_and_descend(s)) {
                return FAILED;
            }
            ++s->newton;
        }
        const double enough = fmax(s->plan->inner * *residual, DP_FALL * c->tol.solved);
        if (!s->plan->reuse && !c->redundant && judge(c) <= c->tol.solved) {
            *residual = c->best.residual;
            return CONVERGED;
        }
        const double error = map_residual(s, enough);
        if (error <= enough) {
            *residual = judge(c);
            return *residual <= c->tol.solved ? CONVERGED : CENTRED;
        }
        if (!isfinite(error)) {
            return FAILED;
        }
    }
    return FAILED;
}

// (PN 2) @param same set to whether modes stayed
static outcome move_centre(search *s, int most, bool *same, double *residual)
{
    dp_coulomb *c = s->c;
    *same = true;
    for (int k = 0; k < most; ++k) {
        memcpy(c->centre, c->x, bytes_of(c));
        dp_coulomb_tangents(c, c->x, c->u);
        dp_coulomb_linearise(c, &s->map, c->x, c->u);
        *same = s->factored && has_same_modes(c, DP_PROGRESS);
        if (!*same) {
            break;
        }
        step_by_factors(c);
        memcpy(c->trial, c->x, bytes_of(c));
        memcpy(c->u_trial, c->u, bytes_of(c));
        for (int r = 0; r < c->p->nrow; ++r) {
            c->x[r] += c->dx[r];
            c->u[r] += c->du[r];
        }
        ++c->work.iterations;
        const double now = judge(c), before = *residual;
        if (!(now < before)) {
            memcpy(c->x, c->trial, bytes_of(c));
            memcpy(c->u, c->u_trial, bytes_of(c));
            break;
        }
        *residual = now;
        if (now <= c->tol.solved) {
            return CONVERGED;
        }
        if (!(now < DP_PROGRESS * before)) {
            break;
        }
    }
    return CENTRED;
}

// May the impulses of a block go on by d for ever? @param little [m/s] what is as good as 0
static bool recedes(const dp_coulomb *c, int b, double little)
{
    const int first = c->p->row_start[b];
    for (int r = first; r < c->p->row_start[b + 1]; ++r) {
        const double d = c->x[r] - c->last.x[r], size = c->a[r] * fabs(d) * c->len[r];
        const double end = d > 0.0 ? c->p->row[r].hi : c->p->row[r].lo;
        if (fabs(end) < (double)INFINITY && size > little) {
            return false;
        }
    }
    for (int g = 0; g < c->block[b].ngroup; ++g) {
        const dp_friction_group *group = &c->block[b].group[g];
        double square = 0.0;
        for (int r = first + group->first; r < first + group->first + group->count; ++r) {
            square += (c->x[r] - c->last.x[r]) * (c->x[r] - c->last.x[r]);
        }
        const double limit = group->reach * fmax(c->x[first] - c->last.x[first], 0.0);
        if (c->a[first + group->first] * (sqrt(square) - limit) > little) {
            return false;
        }
    }
    return true;
}

// (PN 3), from one solved centre to the next.
static bool is_wedged(search *s, double residual)
{
    dp_coulomb *c = s->c;
    double moves = 0.0, grows = 0.0, rigid = 0.0;
    for (int b = 0; s->has_last && b < c->p->nblock; ++b) {
        for (int r = c->p->row_start[b]; r < c->p->row_start[b + 1]; ++r) {
            const double d = c->x[r] - c->last.x[r], size = c->a[r] * fabs(d) * c->len[r];
            const bool normal = dp_row_is_one_sided(&c->p->row[r]) && c->soft[r].R == 0.0;
            moves = fmax(moves, fabs(c->u[r] - c->last.u[r] + c->soft[r].R * d) * c->len[r]);
            grows = fmax(grows, size);
            rigid = fmax(rigid, normal && !c->block[b].normal ? size : 0.0);
        }
    }
    const bool steady = fabs(residual - s->last_residual) <= DP_PROGRESS * s->last_residual;
    bool wedge = s->has_last && steady && moves <= DP_STILL * grows && grows > residual &&
                 rigid > DP_GOAL * grows;
    for (int b = 0; wedge && b < c->p->nblock; ++b) {
        wedge = recedes(c, b, DP_GOAL * grows);
    }
    s->still = wedge ? s->still + 1 : 0;
    s->last_residual = residual;
    s->has_last = true;
    memcpy(c->last.x, c->x, bytes_of(c));
    memcpy(c->last.u, c->u, bytes_of(c));
    return s->still >= DP_PATIENCE;
}

static void lower_shift(search *s)
{
    const double by = s->newton <= DP_EASY ? s->plan->drop : DP_PROGRESS;
    s->s *= by;
}

static void raise_shift(search *s, double *residual)
{
    dp_coulomb *c = s->c;
    s->s /= DP_FALL;
    if (*residual < s->centre_residual) {
        memcpy(c->centre, c->x, bytes_of(c));
        s->centre_residual = *residual;
    } else {
        *residual = s->centre_residual;
        memcpy(c->x, c->centre, bytes_of(c));
        dp_coulomb_velocities(c, c->u, c->x);
    }
}

// More digits of a solution, as far as the last factors give them.
static void refine_solution(search *s, double residual)
{
    dp_coulomb *c = s->c;
    bool same;
    for (int k = 0; k < DP_SAME_FACTORS && s->factored && residual > refined_of(c); ++k) {
        const double before = residual;
        (void)move_centre(s, 1, &same, &residual);
        if (!same || !(residual < DP_PROGRESS * before)) {
            return;
        }
    }
}

static bool search_from(search *s)
{
    dp_coulomb *c = s->c;
    double residual = s->centre_residual;
    // A centre may take no factorisation: it counts as one all the same.
    for (int k = 0; k < s->plan->factorizations && c->work.factorizations < s->limit &&
                    !dp_coulomb_is_interrupted(c);
         ++k) {
        const double before = residual;
        outcome end = solve_centre(s, &residual);
        bool same = true;
        if (end == CENTRED) {
            end = move_centre(s, DP_SAME_FACTORS, &same, &residual);
        }
        if (end == CONVERGED) {
            refine_solution(s, residual);
            return true;
        }
        if (end == CENTRED) {
            memcpy(c->centre, c->x, bytes_of(c));
            s->centre_residual = residual;
            if (is_wedged(s, residual)) {
                c->found.wedged = true;
                return false;
            }
            if (s->s <= DP_LEAST_SHIFT && !(residual < DP_PROGRESS * before)) {
                return false; // digits are exhausted
            }
            lower_shift(s);
        } else {
            residual = judge(c);
            if (residual <= c->tol.solved) {
                return true;
            }
            raise_shift(s, &residual);
        }
        s->s = fmin(fmax(s->s, DP_LEAST_SHIFT), DP_MOST_SHIFT);
    }
    return false;
}

bool dp_proximal_newton(dp_coulomb *c, const dp_search_plan *plan)
{
    search s = {.c = c,
                .plan = plan,
                .s = plan->shift,
                .limit = c->work.factorizations + plan->factorizations,
                .last_residual = (double)INFINITY};
    memcpy(c->centre, c->x, bytes_of(c));
    dp_coulomb_velocities(c, c->u, c->x);
    s.centre_residual = dp_coulomb_judge(c, c->x, c->u);
    if (s.centre_residual <= c->tol.solved) {
        return true;
    }
    const bool solved = search_from(&s);
    dp_coulomb_complete_best(c);
    return solved && c->best.residual <= c->tol.solved;
}
