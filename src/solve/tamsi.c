#include "solve/tamsi.h"

#include "linalg/tree_ldl.h"
#include "math/angle.h"
#include "problem/links/links.h"

#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 100, // factorizations, before the searches of coulomb.h take over
    PLAIN_STEPS = 30, // of Newton's method as it is
    HALVINGS = 40,    // of the interval that holds a zero of the power, at most
};
// Proximal compliance over mobility of rows that are rigid, or no more compliant than RIGID. The
// least gives all digits at once; after a step that was held back, many rows stand at the ends of
// their ranges, and more of it takes them apart.
static const double RIGID = 1e-11, SHIFT = 1e-8, MORE_SHIFT = 1e-2, LESS_SHIFT = 0.1;
static const double TURNS = 0.25; // of a slip: a step that leaves less turns it
static const double NEAR = 100.0; // times the tolerance: what a row may be off to be judged
// [m/s] Slips at which friction has its full size, on the way to a law where it has it at once.
static const double FIRST_SLIP = 1e-3, LESS_SLIP = 1e-2;
static const double LAST_SLIP = 0.5;  // of the tolerance
static const double PRECISE = 1e-2;   // of the slip
static const double LEFT = 0.5;       // of the power: what a whole step may leave,
static const double LEFT_OVER = 0.01; // and what a search along it may

// ---- transitions

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

// ---- the law at given velocities

// [N s] What a normal gives at the start of the step, where its row has the velocity u.
static double first_push(const dp_coulomb *c, int b, double u)
{
    const dp_row *row = &c->p->row[c->p->row_start[b]];
    const double rate = -(u + row->phi_t), h = c->p->h;
    if (c->block[b].normal) {
        return h * dp_normal_force_at(c->block[b].normal, row->k, -row->phi, rate).force;
    }
    return row->phi < 0.0 ? fmax(h * (-row->k * row->phi - row->b * (u + row->b_ref)), 0.0) : 0.0;
}

// The impulse of a row without friction at the velocity u, and −dγ/du. Rigid rows, and dashpots
// that end where the gap does, have a proximal compliance about c->centre.
static double row_impulse(double *C, const dp_coulomb *c, int r, double shift, double u)
{
    const dp_row *row = &c->p->row[r];
    const dp_soft soft = c->soft[r];
    const double least = shift * c->a[r], centre = c->centre[r];
    const bool is_law = soft.R > RIGID * c->a[r] && !(soft.u_stop < soft.u_hat);
    const double E = is_law ? soft.R : soft.R + least;
    double x = (soft.u_hat - u + (is_law ? 0.0 : least * centre)) / E;
    *C = 1.0 / E;
    if (!is_law && centre - (u - soft.u_stop) / least < x) {
        x = centre - (u - soft.u_stop) / least;
        *C = 1.0 / least;
    }
    if (x <= row->lo || x >= row->hi) {
        *C = 0.0;
        return x <= row->lo ? row->lo : row->hi;
    }
    return x;
}

// The slip of a group of friction at the velocities u of its block.
static inline void slip_of(double s[2], const dp_coulomb *c, const dp_friction_group *g, int first,
                           const double *u)
{
    s[0] = u[g->first] - c->soft[first + g->first].u_hat;
    s[1] = g->count == 2 ? u[g->first + 1] - c->soft[first + g->first + 1].u_hat : 0.0;
}

// (TA 1) of a group of friction next to a normal that pushes by x[0]. @param C rows of −dγ/du,
// where C[0] is that of the normal; NULL: not asked for
static inline void friction_impulse(double *x, double *C, const dp_coulomb *c,
                                    const dp_friction_group *g, int first, int nrow,
                                    const double *u, const dp_tamsi_slopes *of)
{
    double s[2];
    slip_of(s, c, g, first, u);
    const double v_s = dp_coulomb_slip_speed(c, first + g->first), square = dot(s, s);
    const bool slips = square > v_s * v_s;
    const double over = 1.0 / (slips ? sqrt(square) : v_s), hold = g->reach * x[0] * over;
    const double m[2] = {s[0] * over, s[1] * over};
    bool along = slips; // is there no slope along the slip?
    DP_ASSERT(g->count == 1 || g->count == 2);
    if (C && slips && of->ahead > 0.0) {
        const double *du = c->du + first + g->first;
        const double ds[2] = {du[0], g->count == 2 ? du[1] : 0.0};
        along = square + of->ahead * dot(s, ds) > TURNS * square;
    }
    for (int k = 0; k < g->count; ++k) {
        const int i = g->first + k;
        x[i] = -g->reach * x[0] * m[k];
        for (int l = 0; C && l < g->count; ++l) {
            C[i * nrow + g->first + l] = hold * ((k == l) - (along ? m[k] * m[l] : 0.0));
        }
        if (C) {
            C[i * nrow] = of->coupled ? -g->reach * m[k] * C[0] : 0.0;
        }
    }
}

// The impulses x of a block at the velocities u of its rows. @param C of its rows, zeros but what
// the law has; NULL: not asked for
static void block_impulses(double *x, double *C, const dp_coulomb *c, int b, const double *u,
                           const dp_tamsi_slopes *of)
{
    const dp_coulomb_block *block = &c->block[b];
    const int first = c->p->row_start[b], nrow = c->p->row_start[b + 1] - first;
    double slope;
    if (block->ngroup == 0) {
        for (int i = 0; i < nrow; ++i) {
            x[i] = row_impulse(C ? C + i : &slope, c, first + i, of->shift, u[i]);
        }
        return;
    }
    if (of->start) {
        slope = 0.0;
        x[0] = first_push(c, b, of->start[first]);
    } else if (block->normal) {
        x[0] = dp_normal_impulse(&slope, block->normal, &c->p->row[first], c->p->h, u[0]);
    } else {
        x[0] = row_impulse(&slope, c, first, of->shift, u[0]);
    }
    if (C) {
        C[0] = slope;
    }
    for (int g = 0; g < block->ngroup; ++g) {
        friction_impulse(x, C, c, &block->group[g], first, nrow, u, of);
    }
}

void dp_tamsi_linearise(dp_coulomb *c, const double *at, const dp_tamsi_slopes *of)
{
    const dp_step_problem *p = c->p;
    c->op.symmetric = true;
    memset(c->C, 0, c->op.nC * sizeof *c->C);
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b];
        double *C = c->C + c->block[b].C;
        block_impulses(c->q + first, C, c, b, at + first, of);
        c->op.symmetric =
            c->op.symmetric && !(of->coupled && c->block[b].ngroup > 0 && C[0] != 0.0);
    }
}

// ---- Newton's method

// Where Newton's method is, and a step from there: dv, c->du = G dv, and the impulses at its end in
// c->dx.
typedef struct search {
    dp_coulomb *c;
    double *v, *u;  // nv, nrow: velocities, and those of the rows
    double *dv;     // nv
    double inertia; // dvᵀ M̃ dv
    dp_tamsi_slopes of;
    double goal; // [m/s] a residual that ends it; beyond c->tol.solved, round-off does, too
    int budget;  // of c->work.factorizations
    bool solved;
} search;

// dv = (M̃ + Gᵀ C G)⁻¹ (M̃ a + Gᵀ γ) with a = v_free − v in c->v and γ in c->q, of links: what
// impulses do to these goes into the solution as wrenches.
static void solve_links(const search *s)
{
    const dp_coulomb *c = s->c;
    const dp_step_problem *p = c->p;
    const dp_links *l = p->links;
    dp_wrench *wrench = c->op.wrench;
    dp_links_apply(c->force, l, c->v, c->op.motion, wrench);
    memset(wrench, 0, (size_t)l->n * sizeof *wrench);
    for (int b = 0; b < p->nblock; ++b) {
        const int on = l->on[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const double gamma = c->scale[r] * c->q[r];
            if (on >= 0) {
                wrench[on] = dp_wrench_madd(wrench[on], -gamma, l->along[r]);
            } else {
                c->force[-1 - on] += l->along[r].t.x * gamma;
            }
        }
    }
    dp_link_factor_solve(s->dv, &c->op.matrix, l, c->force, c->op.motion, wrench);
}

// The same of trees.
static void solve_trees(const search *s)
{
    const dp_coulomb *c = s->c;
    const dp_step_problem *p = c->p;
    dp_tree_ldl_apply(s->dv, (dp_tree_ldl){p->nv, p->parent, p->Mt_start}, p->Mt, c->v);
    dp_coulomb_forces(c, c->force, c->q);
    for (int i = 0; i < p->nv; ++i) {
        c->force[i] += s->dv[i];
    }
    dp_coulomb_solve_factored(c, s->dv, c->force);
}

// vᵀ M̃ v
static double twice_energy(const dp_coulomb *c, const double *v)
{
    const dp_step_problem *p = c->p;
    return c->op.by_links ? dp_links_square(p->links, v, c->op.motion)
                          : dp_tree_ldl_square((dp_tree_ldl){p->nv, p->parent, p->Mt_start}, p->Mt,
                                               v, 0, p->nv);
}

// Row i of C times z, of a block whose rows begin at `first`.
static double slope_times(const dp_coulomb *c, int b, int i, const double *z)
{
    const int first = c->p->row_start[b], nrow = c->p->row_start[b + 1] - first;
    const double *C = c->C + c->block[b].C;
    if (c->block[b].ngroup == 0) {
        return C[i] * z[first + i];
    }
    double sum = 0.0;
    for (int j = 0; j < nrow; ++j) {
        sum += C[i * nrow + j] * z[first + j];
    }
    return sum;
}

// The step of (TA 2), and x = γ − C G dv. @return false: H is singular, or there is no room
static bool take_step(search *s, bool coupled)
{
    dp_coulomb *c = s->c;
    s->of.coupled = coupled;
    dp_tamsi_linearise(c, s->u, &s->of);
    if (!dp_coulomb_factor(c)) {
        return false;
    }
    for (int i = 0; i < c->p->nv; ++i) {
        c->v[i] = c->p->v_free[i] - s->v[i];
    }
    if (c->op.by_links) {
        solve_links(s);
    } else {
        solve_trees(s);
    }
    dp_coulomb_row_velocities(c, c->du, s->dv);
    s->inertia = twice_energy(c, s->dv);
    for (int b = 0; b < c->p->nblock; ++b) {
        const int first = c->p->row_start[b];
        for (int r = first; r < c->p->row_start[b + 1]; ++r) {
            c->dx[r] = c->q[r] - slope_times(c, b, r - first, c->du);
        }
    }
    return true;
}
// P(t) of (TA 4), where M̃ (v + dv − v_free) = Gᵀ x at the end of a step; γ there in c->F.
static double power_at(const search *s, double t)
{
    const dp_coulomb *c = s->c;
    double power = -(1.0 - t) * s->inertia;
    for (int r = 0; r < c->p->nrow; ++r) {
        c->trial[r] = s->u[r] + t * c->du[r];
    }
    for (int b = 0; b < c->p->nblock; ++b) {
        const int first = c->p->row_start[b];
        block_impulses(c->F + first, NULL, c, b, c->trial + first, &s->of);
    }
    for (int r = 0; r < c->p->nrow; ++r) {
        power += (c->dx[r] - c->F[r]) * c->du[r];
    }
    return power;
}

// The power at the start of a step.
static double power_at_start(const search *s)
{
    const dp_coulomb *c = s->c;
    double power = -s->inertia;
    for (int r = 0; r < c->p->nrow; ++r) {
        power += (c->dx[r] - c->q[r]) * c->du[r];
    }
    return power;
}

// The share of a step at which its power is next to 0. @param start, end its power there
static double share_of_balance(const search *s, double start, double end)
{
    double low = 0.0, high = 1.0, t = 1.0, below = start, above = end;
    for (int k = 0; k < HALVINGS; ++k) {
        // Halves and secants take turns: laws have kinks, and slopes of every size.
        t = k % 2 ? 0.5 * (low + high) : low + (high - low) * (below / (below - above));
        const double power = power_at(s, t);
        if (fabs(power) <= LEFT_OVER * fabs(start)) {
            break;
        }
        if (power > 0.0) {
            high = t;
            above = power;
        } else {
            low = t;
            below = power;
        }
    }
    return t;
}

// What is taken of a step such that no slip passes by the disc or turns further than it may.
static double step_to_transition(const search *s, dp_turn_limit most)
{
    const dp_coulomb *c = s->c;
    double step = 1.0;
    for (int b = 0; b < c->p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int first = c->p->row_start[b];
        for (int g = 0; c->dx[first] > 0.0 && g < block->ngroup; ++g) {
            const dp_friction_group *group = &block->group[g];
            const double v_s = dp_coulomb_slip_speed(c, first + group->first);
            const double *du = c->du + first + group->first;
            const double ds[2] = {du[0], group->count == 2 ? du[1] : 0.0};
            double from[2];
            slip_of(from, c, group, first, s->u + first);
            step = fmin(step, dp_transition_step(from, ds, v_s, most));
        }
    }
    return step;
}

// Are the impulses of a step so near to what the law says at its end, in c->F, that they are worth
// judging?
static bool is_near(const dp_coulomb *c)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        const int first = c->p->row_start[b], nrow = c->p->row_start[b + 1] - first;
        const int next = c->block[b].ngroup > 0 ? nrow + 1 : 1; // on the diagonal
        const double *C = c->C + c->block[b].C;
        for (int r = first; r < first + nrow; ++r) {
            const double off = c->w[r] * fabs(c->F[r] - c->dx[r]);
            if (!(off <= NEAR * c->tol.solved * fmax(c->w[r] * C[(r - first) * next], 1.0))) {
                return false;
            }
        }
    }
    return true;
}

// Do the impulses of the last step, within their sets, meet the goal where they lead?
static bool is_solved(const search *s)
{
    dp_coulomb *c = s->c;
    memcpy(c->x, c->dx, (size_t)c->p->nrow * sizeof *c->x);
    dp_coulomb_project(c, c->x);
    dp_coulomb_velocities(c, c->u, c->x);
    const double residual = dp_coulomb_judge(c, c->x, c->u);
    return residual <= s->goal || (residual <= c->tol.solved && dp_coulomb_is_exhausted(c));
}

// A step, and the share of it that is taken. @return 0: there is none
static double find_step(search *s, bool held_back, dp_turn_limit most)
{
    if (!take_step(s, true)) {
        return 0.0;
    }
    double end = power_at(s, 1.0);
    s->solved = is_near(s->c) && is_solved(s);
    if (s->solved || !held_back) {
        return 1.0;
    }
    double start = power_at_start(s);
    if (!(start < 0.0) && s->c->work.factorizations < s->budget) {
        // Uphill: with friction that stays as it is, it leads down.
        if (!take_step(s, false)) {
            return 0.0;
        }
        end = power_at(s, 1.0);
        start = power_at_start(s);
    }
    return start < 0.0 && end > LEFT * -start ? share_of_balance(s, start, end)
                                              : step_to_transition(s, most);
}

// At the velocities at the start of the step, with the impulses of the last one about rows that are
// rigid; none are the best so far.
static void begin(search *s, const double *warm, double tolerance)
{
    dp_coulomb *c = s->c;
    const size_t bytes = (size_t)c->p->nrow * sizeof(double);
    c->work = (dp_coulomb_work){.most = s->budget};
    c->found = (dp_coulomb_found){.inconsistent = 0.0};
    c->gs.by_points = false;
    c->tol.solved = c->tol.strict = tolerance;
    dp_coulomb_row_velocities(c, c->u_free, c->p->v_free);
    dp_coulomb_take_targets(c);
    dp_coulomb_take_guess(c, warm);
    memcpy(c->centre, c->x, bytes);
    memcpy(s->v, c->p->v0, (size_t)c->p->nv * sizeof *s->v);
    dp_coulomb_row_velocities(c, s->u, s->v);
    memcpy(c->last.u, s->u, bytes);
    memset(c->x, 0, bytes);
    memset(c->v, 0, (size_t)c->p->nv * sizeof *c->v);
    dp_coulomb_keep(c, c->x, c->u_free, (double)INFINITY);
}

// @param step the share of it. @return the largest velocity of a row
static double add_step(search *s, double step)
{
    dp_coulomb *c = s->c;
    double largest = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        s->u[r] += step * c->du[r];
        c->centre[r] = step < 1.0 ? c->centre[r] + step * (c->dx[r] - c->centre[r]) : c->dx[r];
        largest = fmax(largest, fabs(s->u[r]));
    }
    for (int i = 0; i < c->p->nv; ++i) {
        s->v[i] += step * s->dv[i];
    }
    return largest;
}

// @return whether it met the tolerance
static bool solve_by_newton(search *s, bool held_back, dp_turn_limit most)
{
    dp_coulomb *c = s->c;
    while (c->work.factorizations < s->budget && !dp_coulomb_is_interrupted(c)) {
        ++c->work.iterations;
        const double step = find_step(s, held_back, most);
        if (s->solved) {
            return true;
        }
        const double largest = add_step(s, step);
        s->of.ahead = 1.0 - step;
        s->of.shift =
            step < 1.0 ? fmax(s->of.shift, MORE_SHIFT) : fmax(s->of.shift * LESS_SHIFT, SHIFT);
        if (!(step > 0.0) || !isfinite(largest)) {
            return false;
        }
    }
    return is_solved(s);
}

// @param goal [m/s] what Newton's method is ended by; opt->tolerance is what counts as solved
static void solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                  const dp_law_options *opt, double goal, dp_solve_info *info)
{
    const bool one_way = dp_tamsi_is(opt, DP_TAMSI_VARIANT_ONE_WAY);
    const bool plain = dp_tamsi_is(opt, DP_TAMSI_VARIANT_PLAIN);
    const int steps = plain ? PLAIN_STEPS : MOST_STEPS, most = opt->max_factorizations;
    c->law.frozen = one_way;
    dp_turn_limit turn;
    dp_sincos(&turn.sine, &turn.cosine, opt->tamsi.slip_turn);
    search s = {.c = c,
                .v = c->v_direction,
                .u = c->u_trial,
                .dv = out->v,
                .of = {.shift = SHIFT, .start = one_way ? c->last.u : NULL},
                .goal = goal,
                .budget = steps < most ? steps : most};
    begin(&s, warm, opt->tolerance);
    const bool solved = solve_by_newton(&s, !plain, turn) || c->best.residual <= opt->tolerance;
    if (solved || one_way || plain || c->work.factorizations >= most) {
        dp_coulomb_tangents(c, c->best.x, c->best.u); // by which states are found
        dp_coulomb_conclude(out, c, solved, info);
        return;
    }
    const int iterations = c->work.iterations, factorizations = c->work.factorizations;
    dp_law_options left = *opt;
    left.max_factorizations = most - factorizations;
    dp_coulomb_solve(out, c, warm, &left, info);
    info->iterations += iterations;
    info->factorizations += factorizations;
}

void dp_tamsi_solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                    const dp_law_options *opt, dp_solve_info *info)
{
    const double precision = 1e-5; // of v_s
    dp_law_options own = *opt;
    own.tolerance = fmin(opt->tolerance, precision * opt->friction.slip_speed);
    solve(out, c, warm, &own, own.tolerance, info);
}

void dp_springs_solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                      const dp_law_options *opt, dp_solve_info *info)
{
    dp_law_options own = *opt;
    own.user = NULL; // variants concern friction
    solve(out, c, warm, &own, DP_GOAL * opt->tolerance, info);
}

bool dp_tamsi_approach(dp_coulomb *c, double *v, double *dv, const dp_law_options *opt, int most)
{
    const dp_coulomb_tolerances usual = c->tol;
    dp_turn_limit turn;
    dp_sincos(&turn.sine, &turn.cosine, opt->tamsi.slip_turn);
    search s = {.c = c,
                .v = v,
                .u = c->u_trial,
                .dv = dv,
                .of = {.shift = SHIFT},
                .budget = c->work.factorizations + most};
    bool near = true;
    memcpy(s.v, c->p->v0, (size_t)c->p->nv * sizeof *s.v);
    dp_coulomb_row_velocities(c, s.u, s.v);
    memcpy(c->centre, c->best.x, (size_t)c->p->nrow * sizeof *c->centre);
    for (double slip = FIRST_SLIP; near && slip >= LAST_SLIP * usual.strict; slip *= LESS_SLIP) {
        c->law.slip_speed = slip;
        c->tol.solved = fmax(PRECISE * slip, usual.digits);
        c->best.residual = (double)INFINITY;
        s.goal = c->tol.solved;
        s.solved = false;
        near = solve_by_newton(&s, true, turn);
        add_step(&s, 1.0);
    }
    c->law.slip_speed = 0.0;
    c->tol = usual;
    return near;
}
