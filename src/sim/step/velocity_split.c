// A step moves bodies by one velocity and ends with another where
//  * rigid rows start violated: closing their gaps moves bodies, and leaves no velocity behind;
//  * contacts have impacts with restitution (solve/impact.h);
//  * rigid.stabilisation=projection asks for it.
//
// Position correction. With the rows of the step, v_P ends in positions without violation. The
// velocity that ends the step is v_V, by the same rows less the gaps that were violated at its
// start; v_P − v_V is the correcting velocity. Momentum balances with v_V, and no kinetic energy
// comes of closing gaps.
#include "sim/step/step.h"

#include "base/span.h"
#include "problem/laws/rigid.h"
#include "problem/laws/row_law.h"
#include "sim/query/query.h"

#include <math.h>
#include <string.h>

// ---- position correction

bool dp_row_is_rigid(const dp_constrained *c, const dp_law_options *law, int row)
{
    const bool given =
        c->compliance.s > 0.0 && dp_law_has(law, DP_LAW_TRAIT_RIGID) && c->compliance.given[row];
    return given || isinf(c->problem.row[row].k);
}

// Does no motion change the gap of a row? Gradients are of unit length, or of the arms of bodies.
static bool is_stuck(const dp_rows *rows, int block, int row)
{
    const double round_off = 1e-12;
    const int ncol = rows->col_start[block + 1] - rows->col_start[block];
    const double *G =
        rows->G + rows->G_start[block] + (size_t)(row - rows->row_start[block]) * (size_t)ncol;
    for (int k = 0; k < ncol; ++k) {
        if (fabs(G[k]) > round_off) {
            return false;
        }
    }
    return true;
}

double dp_correction_of(const dp_data *d, int block, int row, double phi, double h)
{
    const dp_constrained *c = &d->rows;
    const dp_row *r = &c->rows.row[row];
    const bool rubs =
        c->rows.owner[block].source == DP_ROW_SOURCE_CONTACT && row > c->rows.row_start[block];
    const bool one_sided = dp_row_is_one_sided(r);
    const bool two_sided = isinf(r->lo) && isinf(r->hi);
    if (rubs || !(one_sided || two_sided) || (one_sided && !(phi < 0.0)) ||
        !dp_row_is_rigid(c, &d->options.solver, row)) {
        return 0.0;
    }
    if (phi != 0.0 && is_stuck(&c->rows, block, row)) {
        return copysign(DP_NO_CORRECTION, phi);
    }
    const double most = h * d->options.correction_speed / r->len;
    return copysign(fmin(fabs(phi), most), phi);
}

// The rows of the step. @return whether any was violated
static bool copy_rows(dp_velocity_split *split, const dp_constrained *c)
{
    const dp_step_problem *p = &c->problem;
    bool any = false;
    memcpy(split->row, p->row, (size_t)p->nrow * sizeof *split->row);
    for (int r = 0; r < p->nrow; ++r) {
        any = any || c->gaps.correction[r] != 0.0;
    }
    return any;
}

static void take(dp_data *d, int tree, const double *move, const double *end, int why);

// Islands with a row that is violated by more than the tolerance, in the scratch of impacts. Where
// an island was solved loosely, gaps that its residual opens within a step are not kept apart.
static void find_corrected_islands(const dp_data *d)
{
    const dp_constrained *c = &d->rows;
    const dp_step_problem *p = &c->problem;
    const dp_impact *scratch = &c->split.impact;
    const int count = dp_law_islands(scratch->island, c->task);
    memset(scratch->wanted, 0, (size_t)count + 1);
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const double gap = fabs(c->gaps.start[r]) * p->row[r].len;
            if (fabs(c->gaps.correction[r]) > DP_NO_CORRECTION && gap > d->options.gap_tolerance &&
                p->col_start[b + 1] > p->col_start[b]) {
                const int tree = dp_span_of(p->tree_start, p->ntree, p->col[p->col_start[b]]);
                const int island = scratch->island[tree];
                scratch->wanted[island] |= gap > p->h * dp_law_loose_residual(c->task, island);
            }
        }
    }
}

static void take_corrected(dp_data *d)
{
    const dp_constrained *c = &d->rows;
    const dp_impact *scratch = &c->split.impact;
    for (int i = 0; i < c->problem.ntree; ++i) {
        if (scratch->island[i] >= 0 && scratch->wanted[scratch->island[i]]) {
            take(d, i, c->solution.v, c->split.found.v, DP_SPLIT_BY_CORRECTION);
        }
    }
}

static dp_status solve_without_corrections(dp_data *d)
{
    dp_constrained *c = &d->rows;
    dp_velocity_split *split = &c->split;
    const dp_step_problem *p = &c->problem;
    const dp_warm warm = {
        .nblock = p->nblock, .id = p->id, .row_start = p->row_start, .gamma = split->found.gamma};
    dp_solve_info info;
    DP_TRY(dp_law_continue_some(&split->found, c->task, &split->problem, &warm,
                                split->impact.wanted, &info));
    d->report->work.passes++;
    d->report->work.iterations += info.iterations;
    d->report->work.factorizations += info.factorizations;
    split->solved = dp_outcome_is_solved(info.outcome);
    take_corrected(d);
    return DP_OK;
}

static bool nonlinear_row(const dp_constrained *c, int row)
{
    return c->rows.owner[dp_span_of(c->rows.row_start, c->rows.nblock, row)].nonlinear;
}

// The share of the residual that the next pass over the gaps takes. Fixed-point iterates that turn
// back by more than half of the last residual alternate: then the next one is their mean.
// @param last nrow: the last residual, zero before the first pass. @param residual nrow
static double relaxation(double *last, const dp_constrained *c, const double *residual)
{
    const double turned = 0.5, mean = 0.5;
    double along = 0.0, square = 0.0;
    for (int r = 0; r < c->next.nbend; ++r) {
        const double len = c->split.row[r].len;
        along += last[r] * residual[r] * len * len;
        square += last[r] * last[r] * len * len;
    }
    memcpy(last, residual, (size_t)c->next.nbend * sizeof *residual);
    return along < -turned * square ? mean : 1.0;
}

// How gaps bend along v_V, where they are not linear; those along v_P have the curvature of the
// correction in them. @param change [m] of the largest gap
static dp_status bend_gaps(double *change, double *last, dp_data *d, const dp_attempt *s)
{
    dp_constrained *c = &d->rows;
    dp_velocity_split *split = &c->split;
    double *const phi = c->gaps.bend; // not needed any more
    DP_TRY(dp_gaps_bend(phi, d, s, split->found.v, split->end));
    for (int r = 0; r < c->next.nbend; ++r) {
        if (!nonlinear_row(c, r)) {
            phi[r] = 0.0;
            continue;
        }
        const double own = c->gaps.correction[r] != 0.0 ? phi[r] - c->gaps.start[r] : phi[r];
        phi[r] = own - split->row[r].phi;
        *change = fmax(*change, fabs(phi[r]) * split->row[r].len);
    }
    const double share = relaxation(last, c, phi);
    for (int r = 0; r < c->next.nbend; ++r) {
        if (nonlinear_row(c, r)) {
            dp_gap_set(&split->row[r], split->row[r].phi + share * phi[r],
                       c->gaps.correction[r] != 0.0 ? 0.0 : c->gaps.start[r], s->h);
        }
    }
    return DP_OK;
}

static void copy_solution(dp_step_solution *to, const dp_step_solution *from,
                          const dp_step_problem *p)
{
    memcpy(to->v, from->v, (size_t)p->nv * sizeof *to->v);
    memcpy(to->gamma, from->gamma, (size_t)p->nrow * sizeof *to->gamma);
    memcpy(to->state, from->state, (size_t)p->nrow * sizeof *to->state);
}

// How gaps bend along v_V: a projection goes without.
static void note_bends(dp_constrained *c, bool met)
{
    const double h = c->problem.h;
    for (int r = 0; r < c->next.nbend; ++r) {
        const double start = c->gaps.correction[r] != 0.0 ? 0.0 : c->gaps.start[r];
        const bool bends = met && !c->gaps.closes_part && nonlinear_row(c, r);
        c->gaps.bend[r] = bends ? (c->split.row[r].phi - start) / (h * h) : 0.0;
    }
}

// v_V and its impulses. Without bends it is a projection, and loses energy. A gap that bends by b
// adds ½ (b/h)²/w to that, w the mobility of its row: of what turns by the angle θ in the step
// (θ/2)² of its energy. Where the mechanism can hardly move, bent gaps may ask for more, and passes
// may converge to another branch: then, and where they do not converge, the projection is taken and
// the step counts as not solved. The energy of v_P is no measure: it has that of the correction.
static dp_status correct(dp_data *d, const dp_attempt *s)
{
    const double more = 1e-2;                           // θ = 0.2
    const double aim = 1e-3 * d->options.gap_tolerance; // stiff springs see the rest of it
    dp_constrained *c = &d->rows;
    dp_velocity_split *split = &c->split;
    const dp_step_problem *p = &c->problem;
    dp_step_solution *const projection = &split->impact.found; // not needed yet
    double *const residual = split->impact.u_before;           // the same
    double bearable = (double)INFINITY, first = 0.0, change = (double)INFINITY;
    find_corrected_islands(d);
    copy_solution(&split->found, &c->solution, p);
    split->problem = *p;
    split->problem.row = split->row;
    for (int r = 0; r < p->nrow; ++r) { // without any bend, to begin with
        // Springs of which the step closes a share close the same share along v_V.
        if (r < c->next.nbend && !c->gaps.closes_part && nonlinear_row(c, r)) {
            dp_gap_set(&split->row[r], c->gaps.start[r], c->gaps.start[r], s->h);
        }
        split->row[r].phi = c->gaps.correction[r] != 0.0 ? 0.0 : split->row[r].phi;
    }
    memset(residual, 0, (size_t)p->nrow * sizeof *residual);
    for (int pass = 0; pass < d->options.max_passes && change > aim; ++pass) {
        DP_TRY(solve_without_corrections(d));
        const double energy = dp_trees_energy(c, split->found.v);
        if (!(energy <= bearable)) {
            change = (double)INFINITY;
            break;
        }
        change = 0.0;
        if (c->next.nbend > 0 && !c->gaps.closes_part) {
            DP_TRY(bend_gaps(&change, residual, d, s));
        }
        if (pass == 0) {
            copy_solution(projection, &split->found, p);
            bearable = fmax(energy, c->gaps.recovery) * (1.0 + more);
            first = change;
        }
    }
    const bool met = change <= d->options.gap_tolerance;
    note_bends(c, met);
    if (!met) {
        copy_solution(&split->found, projection, p);
        c->gaps.error = fmax(c->gaps.error, first);
        c->solved = false;
    }
    take_corrected(d);
    c->solved = c->solved && split->solved;
    for (int r = 0; r < p->nrow; ++r) {
        const double closed = fabs(c->gaps.correction[r]) * p->row[r].len;
        split->correction = fmax(split->correction, closed / p->h);
        if (closed > 0.0) {
            d->report->corrected =
                fmax(d->report->corrected, fabs(c->gaps.start[r]) * p->row[r].len);
        }
    }
    return DP_OK;
}

// ---- impacts

// Of a contact, 0 where none was given; of other rows negative.
static double restitution_of(const dp_rows *rows, int block)
{
    const dp_row_owner *owner = &rows->owner[block];
    if (owner->source != DP_ROW_SOURCE_CONTACT) {
        return -1.0;
    }
    return rows->mixed[rows->mixed_of[owner->element]].law.restitution;
}

// Is the spring of a contact resolved so well that it has the restitution that was given?
static bool is_resolved(const dp_constrained *c, int row, double restitution)
{
    const double most = 0.005; // of the restitution
    const double own = dp_row_restitution(&c->problem.row[row], c->problem.h, c->mobility[row]);
    return fabs(own - restitution) <= most * restitution;
}

// Which contacts obey the rule of impacts? Of rigid laws all do, as if they had a restitution of 0
// where none was given; of others those that close with a restitution that their springs, by such
// steps, do not have. @return whether any has an impact
static dp_status find_restitutions(bool *any, dp_data *d, const dp_step_problem *p,
                                   const dp_step_solution *found)
{
    dp_constrained *c = &d->rows;
    dp_velocity_split *split = &c->split;
    const dp_law_options *opt = &d->options.solver;
    const bool rigid = dp_law_has(opt, DP_LAW_TRAIT_RIGID);
    *any = false;
    bool known = false;
    split->by_rule = split->by_spring = 0;
    for (int b = 0; b < p->nblock; ++b) {
        const double given = restitution_of(&c->rows, b);
        const bool contact = c->rows.owner[b].source == DP_ROW_SOURCE_CONTACT;
        const bool closes = given > 0.0 && dp_impact_closes(p, found, b, opt->impact.speed,
                                                            d->options.gap_tolerance);
        split->restitution[b] = contact && rigid ? fmax(given, 0.0) : -1.0;
        if (closes && !rigid) {
            if (!known) {
                DP_TRY(dp_law_mobility(c->mobility, c->task));
                known = true;
            }
            const bool resolved = is_resolved(c, p->row_start[b], given);
            split->restitution[b] = resolved ? -1.0 : given;
            split->by_spring += resolved;
        }
        split->by_rule += closes && split->restitution[b] > 0.0;
    }
    *any = split->by_rule > 0;
    return DP_OK;
}

// A row takes time to act unless it is rigid.
static void find_soft(dp_velocity_split *split, const dp_constrained *c, const dp_law_options *law)
{
    const dp_step_problem *p = &c->problem;
    for (int b = 0; b < p->nblock; ++b) {
        const bool contact = c->rows.owner[b].source == DP_ROW_SOURCE_CONTACT;
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const dp_row *row = &p->row[r];
            const bool rubs = contact && r > p->row_start[b];
            const bool bounded =
                !dp_row_is_one_sided(row) && (isfinite(row->lo) || isfinite(row->hi));
            split->soft[r] = !rubs && (bounded || !dp_row_is_rigid(c, law, r));
        }
    }
}

// A free rigid body turns as it does in the end, since its momentum and energy go with that; its
// centre of mass goes the way of (IM 6).
static void turn_as_at_the_end(dp_data *d)
{
    const dp_model *m = d->model;
    const dp_constrained *c = &d->rows;
    const dp_impact *impact = &c->split.impact;
    for (int i = 0; i < c->problem.ntree; ++i) {
        const int t = c->rows.tree[i], n = m->tree_start[t + 1] - m->tree_start[t];
        if (!impact->struck[i] || d->scratch.tree_mode[t] != DP_TREE_SPIN) {
            continue;
        }
        double *const move = impact->v_move + c->problem.tree_start[i];
        const double *const end = impact->v + c->problem.tree_start[i];
        const int turn = n == 6 ? 3 : 0; // of a free joint, or a ball
        const dp_v3 more = dp_v3_sub(dp_v3_load(move + turn), dp_v3_load(end + turn));
        if (n == 6) {
            const dp_v3 w = dp_m3_apply(&d->kin.link[m->tree_body[t]].R, more);
            dp_v3_store(move,
                        dp_v3_add(dp_v3_load(move), dp_v3_cross(w, dp_tree_centre(&d->kin, m, t))));
        }
        dp_v3_store(move + turn, dp_v3_load(end + turn));
    }
}

static void add_work(dp_data *d)
{
    const dp_impact *impact = &d->rows.split.impact;
    d->report->work.passes += impact->passes;
    d->report->work.iterations += impact->iterations;
    d->report->work.factorizations += impact->factorizations;
    d->rows.solved = d->rows.solved && impact->solved;
}

// ---- both velocities

static void take(dp_data *d, int tree, const double *move, const double *end, int why)
{
    dp_constrained *c = &d->rows;
    const dp_model *m = d->model;
    const int t = c->rows.tree[tree], first = m->tree_start[t], at = c->problem.tree_start[tree];
    const size_t bytes = (size_t)(m->tree_start[t + 1] - first) * sizeof(double);
    memcpy(c->split.move + first, move + at, bytes);
    memcpy(c->split.end + first, end + at, bytes);
    memcpy(c->split.row_move + at, move + at, bytes);
    memcpy(c->split.row_end + at, end + at, bytes);
    c->split.tree[t] = (uint8_t)why;
}

// Forces of the step are those that lead to the velocity at its end: of all phases of an impact, of
// the projection.
static void note_forces(dp_constrained *c)
{
    const dp_step_problem *p = &c->problem;
    const dp_impact *impact = &c->split.impact;
    for (int b = 0; b < p->nblock; ++b) {
        const int i = impact->block_island[b];
        const bool struck = i >= 0 && impact->wanted[i];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            c->lambda[r] = struck ? impact->gamma[r] / p->h : c->lambda[r];
        }
    }
}

static dp_status split_by_impacts(dp_data *d, const dp_step_problem *p,
                                  const dp_step_solution *found, bool projects, bool strikes)
{
    dp_constrained *c = &d->rows;
    dp_velocity_split *split = &c->split;
    dp_impact *impact = &split->impact;
    const dp_impact_step step = {.p = p,
                                 .found = found,
                                 .restitution = split->restitution,
                                 .soft = split->soft,
                                 .opt = &d->options.solver,
                                 .gap = d->options.gap_tolerance,
                                 .arena = &c->arena,
                                 .workers = d->workers};
    if (projects) {
        DP_TRY(dp_impact_project(impact, &c->task, &step));
        add_work(d);
        for (int i = 0; i < p->ntree; ++i) {
            if (impact->struck[i]) {
                take(d, i, c->solution.v, impact->v, DP_SPLIT_BY_IMPACT);
            }
        }
        note_forces(c);
        impact->count = 0;
    }
    if (!strikes) {
        return DP_OK;
    }
    find_soft(split, c, &d->options.solver);
    DP_TRY(dp_impact_solve(impact, &c->task, &step));
    if (impact->count == 0) {
        return DP_OK;
    }
    add_work(d);
    turn_as_at_the_end(d);
    for (int k = 0; k < p->nv; ++k) {
        impact->v_move[k] += c->solution.v[k] - found->v[k]; // positions are corrected, too
    }
    dp_impact_step moved = step;
    moved.p = &c->problem;
    moved.found = &c->solution;
    dp_impact_keep_gaps(impact, &moved);
    for (int i = 0; i < p->ntree; ++i) {
        if (impact->struck[i]) {
            take(d, i, impact->v_move, impact->v, DP_SPLIT_BY_IMPACT);
        }
    }
    note_forces(c);
    return DP_OK;
}

dp_status dp_velocity_split_find(dp_data *d, const dp_attempt *s)
{
    dp_constrained *c = &d->rows;
    dp_velocity_split *split = &c->split;
    const dp_law_options *opt = &d->options.solver;
    if (c->problem.nrow == 0 || !c->task) {
        return DP_OK;
    }
    const bool projects = dp_law_has(opt, DP_LAW_TRAIT_RIGID) &&
                          opt->rigid.stabilisation == DP_STABILISATION_PROJECTION;
    const bool corrects = c->gaps.corrects && copy_rows(split, c);
    const dp_step_problem *p = corrects ? &split->problem : &c->problem;
    const dp_step_solution *found = corrects ? &split->found : &c->solution;
    bool strikes = false;
    if (d->model->any_restitution) {
        DP_TRY(find_restitutions(&strikes, d, &c->problem, &c->solution));
    }
    if (!projects && !strikes && !corrects) {
        return DP_OK;
    }
    dp_stage_enter(&d->stopwatch, DP_STAGE_SOLVE);
    dp_law_certify(&split->certificate, c->task, &c->solution, c->compliance.given, d->workers,
                   c->scratch);
    split->certified = split->any = true;
    const size_t nv = (size_t)d->model->size.nv * sizeof *split->end;
    memcpy(split->move, s->v, nv);
    memcpy(split->end, s->v, nv);
    memcpy(split->row_move, c->solution.v, (size_t)c->problem.nv * sizeof *split->row_move);
    memcpy(split->row_end, c->solution.v, (size_t)c->problem.nv * sizeof *split->row_end);
    memset(split->tree, 0, (size_t)d->model->size.ntree);
    if (corrects) {
        DP_TRY(correct(d, s));
        for (int r = 0; r < p->nrow; ++r) {
            c->lambda[r] = found->gamma[r] / p->h;
        }
    }
    if (projects || strikes) {
        DP_TRY(split_by_impacts(d, p, found, projects, strikes));
    }
    c->end_known = false;
    return DP_OK;
}
