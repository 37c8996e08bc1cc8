#include "solve/tamsi.h"

#include "base/interrupt.h"
#include "math/angle.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SHIFT = 1e-8; // proximal compliance of rows without one, over their mobility

// ---- the line search

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

// The share t of ds at which the slip s has turned as far as it may; 1: it does not in a step.
static double share_of_turn(const double s[2], const double ds[2], dp_turn_limit most)
{
    const double sine = s[0] * ds[1] - s[1] * ds[0] < 0.0 ? -most.sine : most.sine;
    const double to[2] = {most.cosine * s[0] - sine * s[1], sine * s[0] + most.cosine * s[1]};
    const double across = ds[0] * to[1] - ds[1] * to[0]; // s + t ds along `to` has none of it
    const double t = (s[1] * to[0] - s[0] * to[1]) / across;
    return t > 0.0 && t < 1.0 ? t : 1.0;
}

double dp_transition_step(const double s[2], const double ds[2], double v_s, dp_turn_limit most)
{
    const double end[2] = {s[0] + ds[0], s[1] + ds[1]};
    const double disc = v_s * v_s, length = dot(ds, ds), along = dot(s, ds);
    if (dot(s, s) <= disc || dot(end, end) <= disc) {
        return 1.0;
    }
    if (along < 0.0 && -along < length) { // the nearest point to rest lies between
        const double t = -along / length;
        const double at[2] = {s[0] + t * ds[0], s[1] + t * ds[1]};
        if (dot(at, at) <= disc) {
            return t;
        }
    }
    const bool turns = dot(s, end) < most.cosine * sqrt(dot(s, s) * dot(end, end));
    return turns ? share_of_turn(s, ds, most) : 1.0;
}

// The slip of a group of friction at the velocities u of the rows.
static void slip_of(double s[2], const dp_coulomb *c, const dp_friction_group *g, int first,
                    const double *u)
{
    s[0] = s[1] = 0.0;
    for (int k = 0; k < g->count; ++k) {
        const int r = first + g->first + k;
        s[k] = u[r] - c->soft[r].u_hat;
    }
}

// What is taken of the step from the velocities `at` to c->u.
static double shortest_step(const dp_coulomb *c, const double *at, dp_turn_limit most)
{
    double step = 1.0;
    for (int b = 0; b < c->p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int first = c->p->row_start[b];
        for (int g = 0; c->x[first] > 0.0 && g < block->ngroup; ++g) {
            const dp_friction_group *group = &block->group[g];
            double s[2], to[2];
            slip_of(s, c, group, first, at);
            slip_of(to, c, group, first, c->u);
            const double ds[2] = {to[0] - s[0], to[1] - s[1]};
            step = fmin(step, dp_transition_step(
                                  s, ds, dp_coulomb_slip_speed(c, first + group->first), most));
        }
    }
    return step;
}

// ---- the one-way scheme

// [N s] What a normal gives at the start of the step, if it stays so.
static double first_push(const dp_coulomb *c, int b, double u)
{
    const dp_row *row = &c->p->row[c->p->row_start[b]];
    const double rate = -(u + row->phi_t), h = c->p->h;
    if (c->block[b].normal) {
        return h * dp_normal_force_at(c->block[b].normal, row->k, -row->phi, rate).force;
    }
    return row->phi < 0.0 ? fmax(h * (-row->k * row->phi - row->b * (u + row->b_ref)), 0.0) : 0.0;
}

// Normals that push as at the start, whatever happens: springs so soft that nothing moves them.
static void freeze_normals(dp_coulomb *c)
{
    const double softest = 1e12, never = -1e30;
    dp_coulomb_row_velocities(c, c->du, c->p->v0);
    for (int b = 0; b < c->p->nblock; ++b) {
        const int r = c->p->row_start[b];
        if (c->block[b].ngroup > 0) {
            const double push = first_push(c, b, c->du[r]), R = softest * c->a[r];
            c->soft[r] = (dp_soft){R, push > 0.0 ? R * push : never, (double)INFINITY};
            c->block[b].normal = NULL;
        }
    }
}

// They have their laws again.
static void thaw_normals(dp_coulomb *c)
{
    c->law.frozen = false;
    for (int b = 0; b < c->p->nblock; ++b) {
        c->block[b].normal = c->block[b].ngroup > 0 ? dp_normal_of(c->p, b) : NULL;
    }
}

// ---- the Newton step

dp_row_slope dp_tamsi_row_slope(const dp_row *row, dp_soft soft, double a, double x, double u)
{
    const double slack = dp_soft_slack(soft, x, u), y = x - slack / a;
    if (y < row->lo || y > row->hi || (y == row->lo && row->lo == 0.0)) {
        return (dp_row_slope){(y > row->hi ? row->hi : row->lo) - x, 0.0, false};
    }
    const bool stopped = soft.u_hat - soft.R * x > soft.u_stop;
    const double R = stopped ? 0.0 : soft.R, least = SHIFT * a;
    const double E = R > least ? R : R + least;
    return (dp_row_slope){-slack / E, 1.0 / E, !stopped && E == R};
}

static void linearise_row(dp_coulomb *c, int r, double *C)
{
    const dp_row_slope at =
        dp_tamsi_row_slope(&c->p->row[r], c->soft[r], c->a[r], c->x[r], c->u[r]);
    c->q[r] = at.q;
    *C = at.C;
}

// A normal with a law of its own, about the velocities `at`. @return its impulse there
static double linearise_normal(dp_coulomb *c, int b, const double *at, double *C)
{
    const int r = c->p->row_start[b];
    const double push = dp_normal_impulse(C, c->block[b].normal, &c->p->row[r], c->p->h, at[r]);
    c->q[r] = push - *C * (c->u[r] - at[r]) - c->x[r];
    return push;
}

// (TA 2) of a group of friction, about the velocities `at`. @param push the normal impulse there
static void linearise_friction(dp_coulomb *c, int b, int group, double push, const double *at,
                               double *C)
{
    const dp_friction_group *g = &c->block[b].group[group];
    const int first = c->p->row_start[b], nrow = c->p->row_start[b + 1] - first;
    const double v_s = dp_coulomb_slip_speed(c, first + g->first);
    double s[2];
    slip_of(s, c, g, first, at);
    const double speed = sqrt(dot(s, s));
    const bool slips = speed > v_s;
    const double over = 1.0 / (slips ? speed : v_s), hold = g->reach * push * over;
    const double m[2] = {s[0] * over, s[1] * over};
    const double normal = c->x[first] + c->q[first]; // what it would be if nothing moved
    DP_ASSERT(g->count == 1 || g->count == 2);
    for (int k = 0; k < g->count; ++k) {
        const int i = g->first + k;
        double pull = 0.0;
        for (int l = 0; l < g->count; ++l) {
            const double slope = hold * ((k == l) - (slips ? m[k] * m[l] : 0.0));
            C[i * nrow + g->first + l] = slope;
            pull += slope * (c->u[first + g->first + l] - at[first + g->first + l]);
        }
        C[i * nrow] = -g->reach * m[k] * C[0];
        c->q[first + i] = -g->reach * normal * m[k] - pull - c->x[first + i];
    }
}

void dp_tamsi_linearise(dp_coulomb *c, const double *at)
{
    const dp_step_problem *p = c->p;
    c->symmetric = true;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        double *C = c->C + block->C;
        if (block->ngroup == 0) {
            for (int i = 0; i < nrow; ++i) {
                linearise_row(c, first + i, C + i);
            }
            continue;
        }
        memset(C, 0, (size_t)(nrow * nrow) * sizeof *C);
        double push = c->x[first];
        if (block->normal) {
            push = linearise_normal(c, b, at, C);
        } else {
            linearise_row(c, first, C);
        }
        push = push > 0.0 && C[0] != 0.0 ? push : 0.0; // what opens does not rub
        for (int g = 0; g < block->ngroup; ++g) {
            linearise_friction(c, b, g, push, at, C);
        }
        c->symmetric = c->symmetric && C[0] == 0.0;
    }
}

// Is (c->x, c->u) so near to the law, which was taken at c->u, that it is worth judging? q is what
// impulses lack.
static bool is_near(const dp_coulomb *c)
{
    double lack = 0.0, most = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        lack = fmax(lack, c->w[r] * fabs(c->q[r]));
        most = fmax(most, c->w[r] * fabs(c->x[r]));
    }
    return lack <= DP_TAMSI_NEAR * most;
}

// Newton's method from the velocities at the start of the step. @return whether it met the
// tolerance
static bool solve_by_newton(dp_coulomb *c, bool held_back, dp_turn_limit most)
{
    const int nrow = c->p->nrow;
    double *at = c->u_trial; // where the law is taken, which u has gone ahead of
    bool there = false;      // they are the same
    dp_coulomb_row_velocities(c, at, c->p->v0);
    for (int k = 0; k <= DP_TAMSI_STEPS; ++k) {
        dp_tamsi_linearise(c, at);
        if (there && is_near(c) && dp_coulomb_judge(c, c->x, c->u) <= c->tol.solved) {
            return true;
        }
        if (k == DP_TAMSI_STEPS || dp_interrupted(100 * (size_t)nrow) || !dp_coulomb_factor(c)) {
            break;
        }
        ++c->work.iterations;
        dp_coulomb_step(c, c->dx);
        for (int r = 0; r < nrow; ++r) {
            c->x[r] += c->dx[r];
        }
        dp_coulomb_velocities(c, c->u, c->x);
        const double step = held_back ? shortest_step(c, at, most) : 1.0;
        double largest = 0.0;
        for (int r = 0; r < nrow; ++r) {
            at[r] = step < 1.0 ? at[r] + step * (c->u[r] - at[r]) : c->u[r];
            largest = fmax(largest, fabs(c->u[r]));
        }
        there = step == 1.0;
        if (!(largest < DP_COULOMB_HUGE)) {
            return false;
        }
    }
    return dp_coulomb_judge(c, c->x, c->u) <= c->tol.solved;
}

void dp_tamsi_solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                    const dp_law_options *opt, dp_solve_info *info)
{
    dp_law_options own = *opt;
    own.tolerance = dp_tamsi_tolerance(opt);
    const bool one_way = opt->tamsi_scheme == DP_TAMSI_ONE_WAY;
    if (c->law.frozen) {
        thaw_normals(c);
    }
    dp_coulomb_aim(c, warm, &own);
    c->law.frozen = one_way;
    if (one_way) {
        freeze_normals(c);
        c->best.residual = (double)INFINITY; // that was of other normals
    }
    dp_turn_limit most;
    dp_sincos(&most.sine, &most.cosine, opt->slip_turn);
    const bool solved = solve_by_newton(c, opt->tamsi_search == DP_TAMSI_TRANSITION, most);
    if (solved || one_way || opt->tamsi_search == DP_TAMSI_PLAIN) {
        dp_coulomb_tangents(c, c->best.x, c->best.u); // states go by them
        dp_coulomb_conclude(out, c, solved, info);
        return;
    }
    const int iterations = c->work.iterations, factorizations = c->work.factorizations;
    dp_coulomb_solve(out, c, warm, &own, info);
    info->iterations += iterations;
    info->factorizations += factorizations;
}
