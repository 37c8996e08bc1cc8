// The law gives velocities for gaps that are linear in them; where a gap is not, it is evaluated at
// the end of the step, φ(q₁), and the problem solved again with φ ← φ(q₁) − h φ̇ until that changes
// nothing:
//
//     φ(q₀ ⊕ h v) met along G(q₀).                                                         (CS 1)
//
// So gaps do not drift, and G need not be differentiated. Only φ changes between passes, hence
// everything is factored once. A pass leaves about hω of the error of the one before; when the
// mechanism turns too far in the step for that to settle, the solution of the first pass is kept,
// which is bounded at any step, and the part counts as unsolved.
#include "sim/step/step.h"

#include "sim/parallel_for.h"

#include <string.h>

static void keep_gaps(double *phi, const dp_rows *rows, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        phi[i] = rows->row[i].phi;
    }
}

// Gaps that do not bend are those of the start, unless they have been scaled. Those of islands that
// close a part stay.
static void set_gaps(dp_constrained *c, const double *phi)
{
    const dp_rows *rows = &c->rows;
    const int end = c->gaps.scaled ? rows->nrow : (int)c->next.nbend;
    c->gaps.scaled = false;
    for (int i = 0; rows->row_start[i] < end; ++i) {
        for (int r = rows->row_start[i]; r < rows->row_start[i + 1]; ++r) {
            if (c->gaps.part[r]) {
                continue;
            }
            if (rows->owner[i].nonlinear) {
                dp_gap_set(&rows->row[r], phi[r], c->gaps.start[r], c->problem.h);
            } else {
                rows->row[r].phi = phi[r];
            }
        }
    }
}

// v1 of all trees, those without rows go freely (v), and the energies of those with.
static dp_status move_trees(void *job, int first, int end)
{
    const dp_tree_job *s = job;
    const dp_model *m = s->d->model;
    dp_constrained *c = &s->d->rows;
    for (int t = first; t < end; ++t) {
        const int at = m->tree_start[t], n = m->tree_start[t + 1] - at, i = c->rows.tree_index[t];
        const double *v = i < 0 ? s->v + at : c->solution.v + c->rows.tree_start[i];
        memcpy(s->v1 + at, v, (size_t)n * sizeof *v);
        if (i >= 0) {
            c->gaps.tree_energy[i] = dp_tree_energy(c, i, c->solution.v);
        }
    }
    return DP_OK;
}

// The first pass starts from the impulses of the last step, the next from those that it found. Rows
// without friction hardly need a guess.
static void take_guess(dp_constrained *c)
{
    const dp_step_problem *p = &c->problem;
    if (c->gaps.continues) {
        memcpy(c->gaps.guess, c->solution.gamma, (size_t)p->nrow * sizeof *c->gaps.guess);
        c->warm = (dp_warm){
            .nblock = p->nblock, .id = p->id, .row_start = p->row_start, .gamma = c->gaps.guess};
    }
}

dp_status dp_gaps_solve(dp_attempt *s)
{
    dp_data *d = s->d;
    dp_constrained *c = &d->rows;
    take_guess(c);
    keep_gaps(c->gaps.last, &c->rows, c->next.nbend);
    DP_TRY(dp_law_continue(&c->solution, c->task, &c->problem, &c->warm, &c->info));
    c->gaps.continues = c->problem.nfriction > 0 && dp_outcome_is_solved(c->info.outcome);
    d->report->work.passes++;
    d->report->work.iterations += c->info.iterations;
    d->report->work.factorizations += c->info.factorizations;
    return DP_OK;
}

dp_status dp_gaps_integrate(dp_attempt *s)
{
    dp_data *d = s->d;
    dp_constrained *c = &d->rows;
    dp_tree_job moved = {.d = d, .v = s->v_free, .v1 = s->v};
    if (c->rows.nblock > 0) {
        dp_spread_trees(d, move_trees, &moved);
    } else {
        memcpy(s->v, s->v_free, (size_t)d->model->size.nv * sizeof *s->v);
    }
    c->gaps.energy = 0.0;
    for (int t = 0; t < c->problem.ntree; ++t) {
        c->gaps.energy += c->gaps.tree_energy[t];
    }
    if (!s->once) {
        DP_TRY(dp_refuse_velocities(d, s->v));
        dp_drift_all_the_way(s->q1, s->v1, d, s->v, s->h);
        c->end_known = false;
    }
    return DP_OK;
}

dp_moment dp_gaps_end(dp_data *d, const dp_attempt *s, bool look)
{
    if (look) {
        dp_spread_kin(&d->kin_end, d, s->q1, s->v1);
        if (d->model->size.ntendon > 0) {
            dp_tendon_lengths(d->rows.tendon_end.length, &d->kin_end, d->model, s->q1);
        }
    }
    return (dp_moment){.m = d->model,
                       .kin = &d->kin_end,
                       .q = s->q1,
                       .v = s->v1,
                       .time = d->time + s->h,
                       .tendon = &d->rows.tendon_end};
}

// The gaps at the end go to c->gaps.end, what bent them to bend; those of the last solve stay.
// @param worst [m] by which a row misses what it is solved for; of islands that close a part, none
static dp_status look_at_the_end(double *worst, dp_data *d, const dp_attempt *s)
{
    dp_constrained *c = &d->rows;
    const dp_rows_input in = dp_constrained_input(s);
    const dp_moment end = dp_gaps_end(d, s, true);
    c->end_known = true;
    for (int i = 0; i < c->next.nbend; ++i) { // what is not to be closed yet stays
        c->rows.row[i].phi += c->gaps.start[i] - c->gaps.target[i];
    }
    DP_TRY(dp_rows_refresh(worst, &c->rows, &in, &end, c->solution.v));
    for (int i = 0; i < c->next.nbend; ++i) {
        c->gaps.end[i] = c->rows.row[i].phi - (c->gaps.start[i] - c->gaps.target[i]);
        c->gaps.bend[i] = (c->gaps.end[i] - c->gaps.target[i]) / (s->h * s->h);
        c->rows.row[i].phi = c->gaps.last[i];
    }
    if (c->gaps.recovering) {
        dp_bends_forget(c->gaps.bend, &c->next, c->gaps.part);
        *worst = 0.0;
        for (int i = 0; i < c->next.nbend; ++i) {
            const double change = fabs(c->gaps.end[i] - c->gaps.last[i]) * c->rows.row[i].len;
            *worst = c->gaps.part[i] ? *worst : fmax(*worst, change);
        }
    }
    return DP_OK;
}

dp_status dp_gaps_bend(double *phi, dp_data *d, const dp_attempt *s, const double *v,
                       const double *moved)
{
    dp_constrained *c = &d->rows;
    const dp_rows_input in = dp_constrained_input(s);
    dp_drift_all_the_way(s->q1, s->v1, d, moved, s->h);
    const dp_moment end = dp_gaps_end(d, s, true);
    c->end_known = false;
    keep_gaps(c->gaps.last, &c->rows, c->next.nbend);
    double worst;
    DP_TRY(dp_rows_refresh(&worst, &c->rows, &in, &end, v));
    for (int i = 0; i < c->next.nbend; ++i) {
        phi[i] = c->rows.row[i].phi;
        c->rows.row[i].phi = c->gaps.last[i];
    }
    return DP_OK;
}

// The gaps at the start, and be done: those at the end are not met.
static void give_up(dp_constrained *c)
{
    c->gaps.unsettled = true;
    dp_gap_shares_renew(&c->gaps);
    set_gaps(c, c->gaps.target);
}

// (CS 1). @param again there are other gaps to be solved for
static dp_status meet_the_end(bool *again, dp_data *d, const dp_attempt *s)
{
    const double hopeless = 4.0; // a pass that ends this much worse than the best will not settle
    const double slowly = 0.7;   // passes that leave more than this of the error do not settle,
    const int patience = 4;      // unless these are not many
    const double most =
        1.02; // of the energy before and after the first pass: more is no correction
    dp_constrained *c = &d->rows;
    dp_gaps *g = &c->gaps;
    const int most_passes = d->options.max_passes;
    double worst;
    *again = false;
    DP_TRY(look_at_the_end(&worst, d, s));
    if (g->unsettled) {
        g->error = worst;
        c->solved = false;
        return DP_OK;
    }
    const bool first = g->pass++ == 0;
    if (g->energy <= g->most_energy && worst <= d->options.gap_tolerance &&
        (g->tolerance == 0.0 || worst <= g->tolerance || worst > slowly * g->before ||
         g->pass == most_passes)) {
        g->error = worst;
        return DP_OK;
    }
    *again = true;
    const bool thrown = !(g->energy <= g->most_energy);
    g->most_energy =
        first ? most * fmax(g->energy, dp_usual_energy(d)) + g->recovery : g->most_energy;
    g->slow = worst > slowly * g->before ? g->slow + 1 : 0;
    g->before = worst;
    if (thrown || !(worst < hopeless * g->best) || g->slow > patience) {
        give_up(c);
        return DP_OK;
    }
    g->best = fmin(worst, g->best);
    set_gaps(c, g->end);
    g->borne = true;
    if (g->pass == most_passes) {
        give_up(c);
    }
    return DP_OK;
}

void dp_gaps_keep(dp_constrained *c)
{
    c->gaps.scaled = false;
    keep_gaps(c->gaps.start, &c->rows, c->rows.nrow);
}

// Is a block a contact that is a spring?
static bool is_spring(const dp_rows *rows, int block, bool rigid)
{
    return rows->owner[block].source == DP_ROW_SOURCE_CONTACT && !rigid &&
           isfinite(rows->row[rows->row_start[block]].k);
}

// Is a rigid row violated by more than the tolerance?
static bool any_violated(const dp_data *d, double h, bool rigid)
{
    const dp_constrained *c = &d->rows;
    const dp_rows *rows = &c->rows;
    for (int b = 0; b < rows->nblock; ++b) {
        for (int r = rows->row_start[b]; !is_spring(rows, b, rigid) && r < rows->row_start[b + 1];
             ++r) {
            if (fabs(c->gaps.start[r]) * rows->row[r].len > d->options.gap_tolerance &&
                dp_correction_of(d, b, r, c->gaps.start[r], h) != 0.0) {
                return true;
            }
        }
    }
    return false;
}

// Solve for the corrections where there are any, and else for the gaps at the start.
static void take_corrections(dp_gaps *g, int nrow)
{
    for (int r = 0; r < nrow; ++r) {
        g->partial[r] = g->correction[r] != 0.0 ? g->correction[r] : g->start[r];
    }
    g->target = g->partial;
}

// Rigid rows that start violated, and how much of that the step closes. Where one is, those within
// the tolerance count, too: rows that all but depend on each other must ask for the same.
// @return whether some are violated by more than is closed
static bool find_corrections(dp_data *d, double h)
{
    dp_constrained *c = &d->rows;
    const dp_rows *rows = &c->rows;
    const bool rigid = dp_law_has(&d->options.solver, DP_LAW_TRAIT_RIGID);
    bool wide = false;
    c->gaps.violation = 0.0;
    c->gaps.target = c->gaps.start;
    c->gaps.corrects = any_violated(d, h, rigid);
    for (int b = 0; c->gaps.corrects && b < rows->nblock; ++b) {
        const bool spring = is_spring(rows, b, rigid);
        for (int r = rows->row_start[b]; r < rows->row_start[b + 1]; ++r) {
            const double phi = c->gaps.start[r];
            c->gaps.correction[r] = spring ? 0.0 : dp_correction_of(d, b, r, phi, h);
            wide = wide || (c->gaps.correction[r] != 0.0 && c->gaps.correction[r] != phi);
            if (c->gaps.correction[r] != 0.0) {
                c->gaps.violation = fmax(c->gaps.violation, fabs(phi) * rows->row[r].len);
            }
        }
    }
    if (wide) {
        take_corrections(&c->gaps, rows->nrow);
    }
    return wide;
}

// What was closed where gaps were scaled.
static void note_corrections(dp_constrained *c)
{
    for (int r = 0; c->gaps.corrects && c->gaps.closes_part && r < c->rows.nrow; ++r) {
        if (c->gaps.part[r] && c->gaps.correction[r] != 0.0) {
            c->gaps.correction[r] = c->rows.row[r].phi;
        }
    }
}

// @param wide some gaps are closed in part only
static void begin(dp_data *d, const dp_attempt *s, bool wide)
{
    const double too_small = 1e-3; // a bend, of the tolerance, to be taken into account
    dp_constrained *c = &d->rows;
    dp_gaps *g = &c->gaps;
    g->wide = g->scaled = wide; // rows that do not bend have gaps of their own, too
    dp_gap_shares_begin(g, c->rows.nrow);
    g->pass = g->slow = 0;
    g->best = g->before = g->most_energy = (double)INFINITY;
    g->unsettled = false;
    if (s->once || c->next.nbend == 0) {
        dp_bends_forget(g->bend, &c->next, NULL);
        if (c->next.nbend > 0 || wide) {
            set_gaps(c, g->target);
        }
        return;
    }
    dp_bends_expect(g->bend, &c->next, &c->now, &c->rows,
                    too_small * d->options.gap_tolerance / (s->h * s->h));
    memcpy(g->end, g->target, (size_t)c->rows.nrow * sizeof *g->end);
    for (int i = 0; i < c->next.nbend; ++i) {
        g->end[i] += s->h * s->h * g->bend[i];
    }
    set_gaps(c, g->end);
}

void dp_gaps_begin(dp_data *d, const dp_attempt *s)
{
    dp_constrained *c = &d->rows;
    c->gaps.recovering = c->gaps.continues = c->gaps.closes_nothing = false;
    c->next.nbend = dp_bends_count(&c->rows);
    begin(d, s, find_corrections(d, s->h));
}

dp_status dp_gaps_judge(bool *again, dp_data *d, const dp_attempt *s)
{
    dp_constrained *c = &d->rows;
    dp_gaps *g = &c->gaps;
    DP_TRY(dp_gap_shares_bear(again, d));
    if (!*again && !s->once && c->next.nbend > 0) {
        DP_TRY(meet_the_end(again, d, s));
    }
    if (*again) {
        return DP_OK;
    }
    g->closes_part = g->recovering;
    g->recovering = g->recovering || g->wide;
    if (g->corrects && !g->closes_nothing && !dp_outcome_is_solved(c->info.outcome)) {
        g->closes_nothing = *again = true;
        g->recovering = false;    // other gaps are met at the end all the same
        dp_gaps_close_nothing(c); // bodies that jam may have no way to separate in this step
        take_corrections(g, c->rows.nrow);
        begin(d, s, true);
        return DP_OK;
    }
    note_corrections(c);
    return DP_OK;
}
