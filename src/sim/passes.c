#include "sim/passes.h"

#include "problem/normal_law.h"
#include "sim/bends.h"
#include "sim/spread.h"
#include "sim/stepping.h"
#include "sim/tree_energy.h"
#include "sim/velocity_split.h"

#include <string.h>

static void keep_gaps(double *phi, const dp_rows *rows, int first, int end)
{
    for (int i = first; i < end; ++i) {
        phi[i] = rows->row[i].phi;
    }
}

static dp_status keep_start(void *job, int part, int first, int end)
{
    dp_constrained *c = job;
    const int *start = c->rows.row_start;
    if (part == 0) {
        keep_gaps(c->phi_start, &c->rows, start[first], start[end]);
        return DP_OK;
    }
    double *phi = c->phi_start; // friction has no gaps
    memset(phi + start[first], 0, (size_t)(start[end] - start[first]) * sizeof *phi);
    for (int b = first; b < end; ++b) {
        phi[start[b]] = c->rows.row[start[b]].phi;
    }
    return DP_OK;
}

// The dashpot of a row sees what its gap really does in the step, (φ(q₁) − φ(q₀))/h, like its
// spring.
static void set_gap(dp_constrained *c, int row, double phi)
{
    dp_row *r = &c->rows.row[row];
    r->phi = phi;
    r->b_ref = r->phi_t + (phi - c->phi_start[row]) / c->problem.h;
}

// Gaps that do not bend are those of the start, unless they have been scaled.
static void set_gaps(dp_constrained *c, const double *phi)
{
    const dp_rows *rows = &c->rows;
    const int end = c->scaled ? rows->nrow : (int)c->next.nbend;
    c->scaled = false;
    for (int i = 0; rows->row_start[i] < end; ++i) {
        for (int r = rows->row_start[i]; r < rows->row_start[i + 1]; ++r) {
            if (rows->owner[i].nonlinear) {
                set_gap(c, r, phi[r]);
            } else {
                rows->row[r].phi = phi[r];
            }
        }
    }
}

typedef struct moving {
    dp_data *d;
    double *v;
    const double *v_free;
} moving;

// v of all trees, those without rows go freely, and the energies of those with.
static dp_status move_trees(void *job, int first, int end)
{
    const moving *s = job;
    const dp_model *m = s->d->model;
    dp_constrained *c = &s->d->rows;
    for (int t = first; t < end; ++t) {
        const int at = m->tree_start[t], n = m->tree_start[t + 1] - at, i = c->rows.tree_index[t];
        const double *v = i < 0 ? s->v_free + at : c->solution.v + c->rows.tree_start[i];
        memcpy(s->v + at, v, (size_t)n * sizeof *v);
        if (i >= 0) {
            c->tree_energy[i] = dp_tree_energy(c, i, c->solution.v);
        }
    }
    return DP_OK;
}

// The first pass starts from the impulses of the last step, the next from those that it found. Rows
// without friction hardly need a guess.
static void take_guess(dp_constrained *c)
{
    const dp_step_problem *p = &c->problem;
    if (c->continues) {
        memcpy(c->guess, c->solution.gamma, (size_t)p->nrow * sizeof *c->guess);
        c->warm = (dp_warm){
            .nblock = p->nblock, .id = p->id, .row_start = p->row_start, .gamma = c->guess};
    }
}

static dp_status solve_once(dp_data *d, const dp_row_solve *s, dp_law_task *task)
{
    dp_constrained *c = &d->rows;
    take_guess(c);
    keep_gaps(c->phi, &c->rows, 0, (int)c->next.nbend);
    dp_stage_enter(&d->stopwatch, DP_STAGE_SOLVE);
    DP_TRY(dp_law_continue(&c->solution, task, &c->problem, &c->warm, &c->info));
    c->continues = c->problem.nfriction > 0 && dp_outcome_is_solved(c->info.outcome);
    dp_stage_enter(&d->stopwatch, DP_STAGE_END);
    d->info.passes++;
    d->info.iterations += c->info.iterations;
    d->info.factorizations += c->info.factorizations;
    moving moved = {d, s->v, s->v_free};
    dp_spread_trees(d, move_trees, &moved);
    c->energy = 0.0;
    for (int t = 0; t < c->problem.ntree; ++t) {
        c->energy += c->tree_energy[t];
    }
    if (!s->once) {
        DP_TRY(dp_refuse_velocities(d, s->v));
        s->drift(s->q1, s->v1, d, s->v, s->h);
        c->end_known = false;
    }
    return DP_OK;
}

// Close only a share of the gaps that rows cannot leave open: those of springs too stiff for the
// step to resolve.
static void scale_gaps(dp_constrained *c, double share)
{
    const double h = c->problem.h;
    int block = 0;
    c->scaled = true;
    for (int i = 0; i < c->rows.nrow; ++i) {
        block += c->rows.row_start[block + 1] <= i;
        const dp_normal *law =
            i == c->rows.row_start[block] ? dp_normal_of(&c->problem, block) : NULL;
        dp_row *row = &c->rows.row[i];
        const double k =
            law ? dp_normal_force_at(law, row->k, -c->phi_start[i], 0.0).stiffness : row->k;
        const bool pushes = isinf(row->hi) && (isinf(row->lo) || row->lo == 0.0); // without end
        const bool violated = pushes && (isinf(row->lo) || c->phi_start[i] < 0.0);
        const bool stiff = h * h * k * c->mobility[i] > 1.0;
        row->phi = violated && stiff ? share * c->phi_aim[i] : c->phi_aim[i];
    }
}

// Closing a gap within the step takes the velocity φ/h. Where the mechanism can hardly move that
// way, or has come far apart, that is more than it can bear: then a share of the gaps is closed,
// such that it takes no more than recovery_energy. A share of 0 only slows the mechanism down.
// @param phi the gaps to begin with; NULL: as they are
static dp_status solve_gently(dp_data *d, const dp_row_solve *s, dp_law_task *task,
                              const double *phi)
{
    dp_constrained *c = &d->rows;
    if (phi) {
        set_gaps(c, phi);
    }
    DP_TRY(solve_once(d, s, task));
    const double allowance = c->recovery;
    if (c->energy <= allowance || c->energy <= dp_usual_energy(d) + allowance) { // most are slow
        return DP_OK;
    }
    set_gaps(c, c->phi_aim);
    DP_TRY(dp_law_mobility(c->mobility, task));
    scale_gaps(c, 0.0);
    DP_TRY(solve_once(d, s, task));
    const double limit = c->energy + allowance;
    double share = 1.0;
    for (int halvings = 0; halvings < 10; ++halvings, share *= 0.5) {
        scale_gaps(c, share);
        DP_TRY(solve_once(d, s, task));
        if (c->energy <= limit) {
            c->recovering = share < 1.0;
            return DP_OK;
        }
    }
    c->recovering = true;
    scale_gaps(c, 0.0);
    return solve_once(d, s, task);
}

dp_moment dp_passes_end(dp_data *d, const dp_row_solve *s, bool look)
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

// The gaps at the end go to phi_end, what bent them to bend; those of the last solve stay.
static dp_status look_at_the_end(double *worst, dp_data *d, const dp_row_solve *s,
                                 const dp_rows_input *in)
{
    dp_constrained *c = &d->rows;
    const dp_moment end = dp_passes_end(d, s, true);
    c->end_known = true;
    for (int i = 0; i < c->next.nbend; ++i) { // what is not to be closed yet stays
        c->rows.row[i].phi += c->phi_start[i] - c->phi_aim[i];
    }
    DP_TRY(dp_rows_refresh(worst, &c->rows, in, &end, c->solution.v));
    for (int i = 0; i < c->next.nbend; ++i) {
        c->phi_end[i] = c->rows.row[i].phi - (c->phi_start[i] - c->phi_aim[i]);
        c->bend[i] = (c->phi_end[i] - c->phi_aim[i]) / (s->h * s->h);
        c->rows.row[i].phi = c->phi[i];
    }
    return DP_OK;
}

dp_status dp_passes_bend(double *phi, dp_data *d, const dp_row_solve *s, const dp_rows_input *in,
                         const double *v, const double *moved)
{
    dp_constrained *c = &d->rows;
    s->drift(s->q1, s->v1, d, moved, s->h);
    const dp_moment end = dp_passes_end(d, s, true);
    c->end_known = false;
    keep_gaps(c->phi, &c->rows, 0, (int)c->next.nbend);
    double worst;
    DP_TRY(dp_rows_refresh(&worst, &c->rows, in, &end, v));
    for (int i = 0; i < c->next.nbend; ++i) {
        phi[i] = c->rows.row[i].phi;
        c->rows.row[i].phi = c->phi[i];
    }
    return DP_OK;
}

// (CS 1)
static dp_status solve_to_the_end(dp_data *d, const dp_row_solve *s, const dp_rows_input *in,
                                  dp_law_task *task)
{
    const double hopeless = 4.0;   // a pass that ends this much worse than the best will not settle
    const double slowly = 0.7;     // passes that leave more than this of the error do not settle,
    const int patience = 4;        // unless these are not many
    const double too_small = 1e-3; // a bend, of the tolerance, to be taken into account
    const double most =
        1.02; // of the energy before and after the first pass: more is no correction
    dp_constrained *c = &d->rows;
    double worst = INFINITY, best = INFINITY, before = INFINITY, limit = INFINITY;
    int slow = 0;
    dp_bends_expect(c, too_small * d->options.gap_tolerance / (s->h * s->h));
    memcpy(c->phi_end, c->phi_aim, (size_t)c->rows.nrow * sizeof *c->phi_end);
    for (int i = 0; i < c->next.nbend; ++i) {
        c->phi_end[i] += s->h * s->h * c->bend[i];
    }
    for (int pass = 0; pass < d->options.max_passes; ++pass) {
        DP_TRY(pass == 0 ? solve_gently(d, s, task, c->phi_end) : solve_once(d, s, task));
        DP_TRY(look_at_the_end(&worst, d, s, in));
        if (c->recovering) {
            dp_bends_forget(c);
            return DP_OK;
        }
        if (!(c->energy <= limit)) {
            break;
        }
        if (worst <= d->options.gap_tolerance &&
            (c->gap_aim == 0.0 || worst <= c->gap_aim || worst > slowly * before ||
             pass + 1 == d->options.max_passes)) {
            c->gap_error = worst;
            return DP_OK;
        }
        limit = pass == 0 ? most * fmax(c->energy, dp_usual_energy(d)) + c->recovery : limit;
        slow = worst > slowly * before ? slow + 1 : 0;
        before = worst;
        if (!(worst < hopeless * best) || slow > patience) {
            break;
        }
        best = worst < best ? worst : best;
        set_gaps(c, c->phi_end);
    }
    DP_TRY(solve_gently(d, s, task, c->phi_aim));
    DP_TRY(look_at_the_end(&worst, d, s, in));
    c->gap_error = worst;
    c->solved = false;
    return DP_OK;
}

dp_status dp_passes_begin(dp_data *d)
{
    d->rows.scaled = false;
    return dp_rows_share(&d->rows.rows, d->crew, keep_start, &d->rows);
}

// Is a block a contact that is a spring?
static bool is_spring(const dp_rows *rows, int block, bool rigid)
{
    return rows->owner[block].source == DP_ROWS_CONTACT && !rigid &&
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
            if (fabs(c->phi_start[r]) * rows->row[r].len > d->options.gap_tolerance &&
                dp_correction_of(d, b, r, c->phi_start[r], h) != 0.0) {
                return true;
            }
        }
    }
    return false;
}

// Rigid rows that start violated, and how much of that the step closes. Where one is, those within
// the tolerance count, too: rows that all but depend on each other must ask for the same.
// @return whether some are violated by more than is closed
static bool find_corrections(dp_data *d, double h)
{
    dp_constrained *c = &d->rows;
    const dp_rows *rows = &c->rows;
    const bool rigid = dp_law_has(&d->options.law, DP_TRAIT_RIGID);
    bool wide = false;
    c->phi_aim = c->phi_start;
    c->corrects = any_violated(d, h, rigid);
    for (int b = 0; c->corrects && b < rows->nblock; ++b) {
        const bool spring = is_spring(rows, b, rigid);
        for (int r = rows->row_start[b]; r < rows->row_start[b + 1]; ++r) {
            const double phi = c->phi_start[r];
            c->correction[r] = spring ? 0.0 : dp_correction_of(d, b, r, phi, h);
            wide = wide || (c->correction[r] != 0.0 && c->correction[r] != phi);
        }
    }
    for (int r = 0; wide && r < rows->nrow; ++r) {
        c->phi_part[r] = c->correction[r] != 0.0 ? c->correction[r] : c->phi_start[r];
    }
    c->phi_aim = wide ? c->phi_part : c->phi_start;
    return wide;
}

// What was closed where gaps were scaled.
static void note_corrections(dp_constrained *c)
{
    for (int r = 0; c->corrects && c->closes_part && r < c->rows.nrow; ++r) {
        c->correction[r] = c->correction[r] != 0.0 ? c->rows.row[r].phi : 0.0;
    }
}

// Violated gaps stay as they are: their rows neither open nor close.
static void close_nothing(dp_constrained *c)
{
    const double nothing = 1e-300; // [m, rad] and still a correction
    for (int r = 0; r < c->rows.nrow; ++r) {
        if (c->correction[r] != 0.0) {
            c->correction[r] = copysign(nothing, c->phi_start[r]);
        }
        c->phi_part[r] = c->correction[r] != 0.0 ? c->correction[r] : c->phi_start[r];
    }
    c->phi_aim = c->phi_part;
}

// @param wide some gaps are closed in part only
static dp_status solve_gaps(dp_data *d, const dp_row_solve *s, const dp_rows_input *in, bool wide)
{
    dp_constrained *c = &d->rows;
    c->scaled = wide; // rows that do not bend have gaps of their own, too
    if (s->once || c->next.nbend == 0) {
        dp_bends_forget(c);
        DP_TRY(solve_gently(d, s, c->task, c->next.nbend > 0 || wide ? c->phi_aim : NULL));
    } else {
        DP_TRY(solve_to_the_end(d, s, in, c->task));
    }
    c->closes_part = c->recovering;
    c->recovering = c->recovering || wide;
    return DP_OK;
}

dp_status dp_passes_solve(dp_data *d, const dp_row_solve *s, const dp_rows_input *in)
{
    dp_constrained *c = &d->rows;
    c->recovering = c->continues = false;
    c->next.nbend = dp_bends_count(&c->rows);
    DP_TRY(solve_gaps(d, s, in, find_corrections(d, s->h)));
    if (c->corrects && !dp_outcome_is_solved(c->info.outcome)) {
        close_nothing(c); // bodies that jam may have no way out in this step
        DP_TRY(solve_gaps(d, s, in, true));
    }
    note_corrections(c);
    return DP_OK;
}
