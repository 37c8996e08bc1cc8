// The stages of a step: in which order they run, and what makes the step go back to an earlier one.
//
// Everything that a step may do more than once is a line of CHANGE: what was found, the stage that
// it puts out of date, and how often that can happen. Each is bounded, and monotone in something
// that no other takes back, so a step ends.
#include "sim/step/step.h"

#include "sim/integrators/integrators.h"
#include "sim/parallel_for.h"

#include <string.h>

// The ways through the stages.
enum {
    STEP = 1,   // the semi-implicit step
    METHOD = 2, // a method that makes the step by itself: no law
    FORCES = 4, // dp_forward: forces of rows, and no new state
    ROWS = 8,   // left out where no row acts in the part
    BLOCKS = 16 // left out where there are no rows
};

// ---- the stages

// Poses and velocities of bodies; nothing is left of the part or the attempt before, which may have
// had rows where this one has none.
static dp_status update_kinematics(dp_attempt *s)
{
    dp_data *d = s->d;
    dp_constrained_certify(d); // the part before
    s->before = *d->report;
    dp_data_refresh(d);
    d->rows.end_known = false;
    d->rows.solved = true;
    if (d->rows.possible) {
        d->rows.gaps.recovering = false;
        d->rows.gaps.error = 0.0;
        dp_constrained_clear(d);
    }
    return DP_OK;
}

static dp_status evaluate_forces(dp_attempt *s)
{
    dp_data *d = s->d;
    DP_TRY(dp_timed_expect(d, s->h));
    if (s->way == STEP) {
        DP_TRY(dp_forces_evaluate(d));
        d->report->work.evaluations++;
    }
    return DP_OK;
}

// Where rows can only be drives that come to an end of their force range or leave it, the last step
// had none, and none does so in this one, there are no rows.
static dp_status move_freely(dp_attempt *s)
{
    dp_data *d = s->d;
    const double h = s->h;
    double *v = s->v;
    s->free = false;
    if (d->rows.possible && !(d->rows.only_drives && d->rows.now.nblock == 0)) {
        return DP_OK;
    }
    uint8_t *mode = d->rows.possible ? d->rows.rows.drive : d->scratch.no_row;
    dp_forces_foresee(mode, d, h);
    dp_forces_actuate(d, mode);
    dp_sleep_check_forces(d);
    dp_tree_modes_choose(d, h);
    dp_free_velocity_by_links(v, d, h);
    if (dp_tree_modes_revise(d, v, h)) {
        dp_free_velocity_by_links(v, d, h);
    }
    DP_TRY(dp_free_velocity_check(d, v));
    s->free = dp_forces_judge(mode, d, v, h) == 0;
    return DP_OK;
}

// Points that may touch within the part, and limits and drives that may come to an end.
static dp_status find_candidates(dp_attempt *s)
{
    dp_data *d = s->d;
    s->count[DP_CHANGE_CONTACT] = 0;
    DP_TRY(dp_constrained_expect(d, s->h));
    dp_forces_actuate(d, d->rows.rows.drive);
    if (s->way == FORCES) {
        memset(d->scratch.tree_mode, DP_TREE_EXPLICIT, (size_t)d->model->size.ntree);
        return DP_OK;
    }
    const int asleep = d->sleep.count;
    dp_sleep_check_forces(d);
    dp_report_change(s, DP_CHANGE_SLEEPER, asleep - d->sleep.count);
    dp_tree_modes_choose(d, s->h);
    return DP_OK;
}

static dp_status find_free_velocity(dp_attempt *s)
{
    dp_data *d = s->d;
    dp_tendon_rates_expect(d, s->h, s->way == FORCES);
    dp_free_velocity(d->scratch.free, d, s->h);
    return dp_free_velocity_check(d, d->scratch.free);
}

enum { MOST_GROWTHS = 40, MOST_ROUNDS = 10 };

// Contacts and limits that nobody looked at, and that bodies come to as `moved` says.
static dp_status add_contacts(dp_attempt *s, const dp_attempt *moved)
{
    int late = 0;
    if (s->count[DP_CHANGE_CONTACT] < MOST_ROUNDS) {
        DP_TRY(dp_contacts_add(&late, s->d, moved));
    }
    dp_report_change(s, DP_CHANGE_CONTACT, late);
    dp_stage_enter(&s->d->stopwatch, DP_STAGE_END);
    return DP_OK;
}

// What was left out and acts, or acts and should not, if bodies go on with the velocities found.
static dp_status verify(dp_attempt *s)
{
    dp_data *d = s->d;
    DP_TRY(add_contacts(s, s));
    if (s->way == FORCES) {
        dp_kin_advance(s->q1, d->model, d->q, s->v, s->h);
        memcpy(s->v1, s->v, (size_t)d->model->size.nv * sizeof *s->v1);
    } else {
        dp_report_change(s, DP_CHANGE_MODE, dp_tree_modes_revise(d, s->v, s->h));
    }
    dp_report_change(s, DP_CHANGE_DRIVE, dp_forces_judge(d->rows.rows.drive, d, s->v, s->h));
    dp_report_change(s, DP_CHANGE_LIMIT, dp_limits_add(d, s));
    if (s->changes == 0) {
        const bool first = !d->rows.candidates.judged;
        dp_report_change(s, DP_CHANGE_FALSE_CONTACT, dp_false_contacts_find(d, s));
        if (s->changes != 0 && first && s->way == STEP) {
            dp_tree_modes_choose(d, s->h); // what they threw does not turn far without them
        }
    }
    if (s->changes != 0) {
        dp_forces_actuate(d, d->rows.rows.drive);
    }
    return DP_OK;
}

// Corrections of positions and impacts move bodies by one velocity and end with another. A rebound
// takes bodies elsewhere than the part without it: the contacts and limits that it would pass.
static dp_status split_velocity(dp_attempt *s)
{
    dp_data *d = s->d;
    DP_TRY(dp_velocity_split_find(d, s));
    dp_limit_unmet(d, s);
    if (d->rows.split.impact.count == 0) {
        return DP_OK;
    }
    dp_attempt moved = *s;
    moved.v = d->rows.split.move;
    moved.once = true; // what is known of the end is that of the part without the impact
    DP_TRY(add_contacts(s, &moved));
    dp_drift_all_the_way(s->q1, s->v1, d, moved.v, moved.h);
    d->rows.end_known = false;
    dp_report_change(s, DP_CHANGE_LIMIT, dp_limits_add(d, &moved));
    if (s->changes != 0) {
        dp_forces_actuate(d, d->rows.rows.drive);
    }
    return DP_OK;
}

// Gaps are met at the end of the whole way: a tree with rows that cannot go there needs shorter
// parts.
static bool rows_are_reached(const dp_data *d)
{
    for (int t = 0; t < d->model->size.ntree; ++t) {
        if (d->scratch.tree_held[t] && d->scratch.tree_limited[t] &&
            d->scratch.budget[t].share < 1.0) {
            return false;
        }
    }
    return true;
}

// Positions and velocities at the end, within the budget of energy of each limited tree.
static dp_status end_part(dp_attempt *s)
{
    dp_data *d = s->d;
    const double h = s->h;
    double *q1 = s->q1, *v1 = s->v1;
    const bool split = !s->free && d->rows.split.any;
    const double *move = split ? d->rows.split.move : s->v;
    const double *end = split ? d->rows.split.end : s->v;
    s->limited = 0;
    dp_forces_advance_activation(d->scratch.activation, d, h);
    if (d->options.ledger) {
        dp_stage_enter(&d->stopwatch, DP_STAGE_LEDGER);
        dp_ledger_open(d);
        dp_ledger_enter(d, move, h);
        dp_stage_enter(&d->stopwatch, DP_STAGE_END);
    }
    if (!dp_balance_open(d, move, end, h)) {
        if (s->free || split) {
            dp_drift(q1, v1, d, move, end, h);
        }
        dp_tendons_carry(d, end, q1, v1);
        return DP_OK;
    }
    d->rows.end_known = false; // it may end elsewhere
    do {
        dp_drift(q1, v1, d, move, end, h);
    } while (dp_balance_shorten(d, q1, v1)); // ways are halved, 40 times at most
    d->rows.solved = d->rows.solved && rows_are_reached(d);
    if (d->options.ledger) {
        dp_ledger_shorten(d, move, h);
    }
    s->limited = dp_balance_close(q1, v1, &end, d, h);
    dp_tendons_carry(d, end, q1, v1);
    return DP_OK;
}

static dp_status integrate_by_method(dp_attempt *s)
{
    return dp_integrate(s->d, s->h);
}

// Show the problem to the callback of the user; rows that are not solved may be in shorter parts.
static dp_status judge(dp_attempt *s)
{
    dp_data *d = s->d;
    if (d->callbacks.problem && d->rows.problem.nrow > 0) {
        d->callbacks.running = true;
        DP_TRY(
            dp_callback_end(d, d->callbacks.problem(d->callbacks.problem_context, d), "problem"));
    }
    dp_report_change(s, DP_CHANGE_PART,
                     !d->rows.solved && !d->rows.info.exhausted && s->level < s->halvings);
    return DP_OK;
}

static void note_outcome(const dp_attempt *s)
{
    dp_data *d = s->d;
    const dp_constrained *c = &d->rows;
    dp_step_report *info = d->report;
    info->work.substeps += !(s->way == METHOD && dp_integrator_counts_substeps(&d->options));
    info->limited += s->limited;
    if (!c->possible) {
        return;
    }
    if (!c->solved) {
        info->unsolved++;
        info->outcome = DP_OUTCOME_CAPPED;
    } else if (info->outcome == DP_OUTCOME_CONVERGED) {
        info->outcome = c->info.outcome;
    }
    info->recovering += c->gaps.recovering;
    if (c->gaps.corrects) {
        info->corrected = fmax(info->corrected, c->gaps.violation);
    }
    if (c->split.impact.count > 0) {
        info->impacts += c->split.impact.count;
        info->impact_gains += c->split.impact.gains;
        info->impact_loss += c->split.impact.lost;
    }
    info->by_rule += c->split.by_rule;
    info->by_spring += c->split.by_spring;
    info->dropped += c->candidates.dropped;
    info->residual = fmax(info->residual, c->info.residual);
    info->gap_error = fmax(info->gap_error, c->gaps.error);
    info->dependent = c->info.dependent > info->dependent ? c->info.dependent : info->dependent;
    info->inconsistent = fmax(info->inconsistent, c->info.inconsistent);
    c->verdict->pending = c->problem.nrow > 0;
}

// The next state becomes the state. After a second half the next part is as long as both.
static dp_status accept(dp_attempt *s)
{
    dp_data *d = s->d;
    note_outcome(s);
    DP_TRY(dp_accept(d, s->h));
    if (d->options.ledger && s->way == STEP) {
        dp_stage_enter(&d->stopwatch, DP_STAGE_LEDGER);
        dp_ledger_close(d);
        dp_stage_enter(&d->stopwatch, DP_STAGE_STEP);
    }
    s->islands = d->rows.info.islands;
    for (++s->part; s->level > 0 && s->part % 2 == 0; s->part /= 2) {
        s->level--;
        s->h *= 2.0;
        dp_impulses_scale(&d->rows.now, 2.0);
    }
    dp_report_change(s, DP_CHANGE_NEXT, s->level);
    return DP_OK;
}

// The order of the stages, by the ways that lead through them.
typedef struct stage {
    const char *name;
    dp_stage clock;
    unsigned ways;
    dp_status (*run)(dp_attempt *s);
} stage;

enum { KINEMATICS = 0, CANDIDATES = 3, FREE_VELOCITY = 4, LAW = 7 };

static const stage STAGE[] = {
    [KINEMATICS] = {"kinematics", DP_STAGE_STEP, STEP | METHOD | FORCES, update_kinematics},
    {"forces", DP_STAGE_FORCES, STEP | FORCES, evaluate_forces},
    {"free motion", DP_STAGE_FORCES, STEP, move_freely},
    [CANDIDATES] = {"candidate contacts", DP_STAGE_CONTACTS, STEP | FORCES | ROWS, find_candidates},
    [FREE_VELOCITY] = {"free velocity", DP_STAGE_FORCES, STEP | FORCES | ROWS, find_free_velocity},
    {"rows", DP_STAGE_ROWS, STEP | FORCES | ROWS, dp_constrained_make},
    {"step problem", DP_STAGE_ROWS, STEP | FORCES | ROWS | BLOCKS, dp_constrained_problem},
    [LAW] = {"law", DP_STAGE_SOLVE, STEP | FORCES | ROWS | BLOCKS, dp_gaps_solve},
    {"integrate", DP_STAGE_END, STEP | FORCES | ROWS, dp_gaps_integrate},
    {"gaps at q1", DP_STAGE_END, STEP | FORCES | ROWS | BLOCKS, dp_constrained_judge},
    {"contacts and limits at q1", DP_STAGE_CONTACTS, STEP | FORCES | ROWS, verify},
    {"velocity split", DP_STAGE_SOLVE, STEP | ROWS, split_velocity},
    {"end of the part", DP_STAGE_END, STEP, end_part},
    {"method", DP_STAGE_STEP, METHOD, integrate_by_method},
    {"solved", DP_STAGE_STEP, STEP | METHOD, judge},
    {"accept", DP_STAGE_STEP, STEP | METHOD, accept},
};
enum { STAGES = sizeof STAGE / sizeof *STAGE };

// ---- the changes

// There is no room for the contacts, or for what the law makes of them.
static dp_status make_room(dp_attempt *s)
{
    *s->d->report = s->before; // no number depends on how much room there was
    return dp_constrained_grow(s->d);
}

// Halves of the part: what forces that stay do in that time.
static dp_status halve(dp_attempt *s)
{
    dp_data *d = s->d;
    d->report->work.rejected++;
    s->islands = d->rows.info.islands;
    dp_snapshot_keep_given(d); // the second half may fail when the first is accepted
    dp_impulses_scale(&d->rows.now, 0.5);
    s->h *= 0.5;
    s->level++;
    s->part *= 2;
    s->jams = s->jams || s->level == s->halvings;
    return DP_OK;
}

// What a change puts out of date, and why there are not many of it.
static const struct {
    int back; // to this stage
    dp_status (*prepare)(dp_attempt *s);
} CHANGE[DP_CHANGES] = {
    [DP_CHANGE_ROOM] = {KINEMATICS, make_room}, // memory grows by half: 40 times
    [DP_CHANGE_PART] = {KINEMATICS, halve},     // parts are 2^-max_halvings at least
    [DP_CHANGE_NEXT] = {KINEMATICS, NULL},      // time goes on: 2^max_halvings parts
    [DP_CHANGE_SLEEPER] = {CANDIDATES, NULL},   // sleepers only wake: once for each
    // max_passes, each of them 12 solves at most where the mechanism can hardly move; twice, where
    // bodies jam. A pass that does not bring the gaps nearer is among the last.
    [DP_CHANGE_GAP] = {LAW, NULL},
    [DP_CHANGE_CONTACT] = {FREE_VELOCITY, NULL},       // pairs come, or see further: 10 rounds
    [DP_CHANGE_FALSE_CONTACT] = {FREE_VELOCITY, NULL}, // dropped once, then only taken back
    [DP_CHANGE_LIMIT] = {FREE_VELOCITY, NULL},         // rows are only added: once for each end
    [DP_CHANGE_DRIVE] = {FREE_VELOCITY, NULL},         // drives only become rows: once for each
    [DP_CHANGE_MODE] = {FREE_VELOCITY, NULL}, // trees only leave explicit terms: once for each
};

static bool applies(const stage *at, const dp_attempt *s)
{
    return (at->ways & s->way) && !((at->ways & ROWS) && s->free) &&
           !((at->ways & BLOCKS) && s->d->rows.rows.nblock == 0);
}

// To the earliest stage that a change puts out of date.
static dp_status go_back(int *at, dp_attempt *s)
{
    for (int k = 0; k < DP_CHANGES; ++k) {
        if (s->changes >> k & 1u) {
            s->count[k]++;
            *at = CHANGE[k].back < *at ? CHANGE[k].back : *at;
            if (CHANGE[k].prepare) {
                DP_TRY(CHANGE[k].prepare(s));
            }
        }
    }
    return DP_OK;
}

// The loop of a step.
static dp_status run_stages(dp_attempt *s)
{
    dp_data *d = s->d;
    s->user = dp_row_callbacks(s);
    for (int at = 0; at < STAGES;) {
        s->changes = 0;
        if (applies(&STAGE[at], s)) {
            dp_stage_enter(&d->stopwatch, STAGE[at].clock);
            const dp_status status = STAGE[at].run(s);
            if (status == DP_ERROR_CAPACITY && s->count[DP_CHANGE_ROOM] < MOST_GROWTHS &&
                dp_constrained_lacks_room(d)) {
                s->changes = 1u << DP_CHANGE_ROOM;
            } else {
                DP_TRY(status);
            }
        }
        ++at;
        DP_TRY(go_back(&at, s));
    }
    return DP_OK;
}

static dp_attempt attempt_of(dp_data *d, double h, unsigned way)
{
    return (dp_attempt){.d = d,
                        .way = way,
                        .iterations = d->report->work.iterations,
                        .h = h,
                        .v_free = d->scratch.free,
                        .v = d->scratch.kicked,
                        .once = way == FORCES,
                        .q1 = d->scratch.q,
                        .v1 = d->scratch.v};
}

dp_status dp_advance(dp_data *d, double h, int halvings)
{
    dp_attempt s = attempt_of(d, h, dp_is_semi_implicit(&d->options) ? STEP : METHOD);
    s.halvings = halvings;
    return run_stages(&s);
}

// Has the last problem rows other than drives?
static bool has_other_than_drives(const dp_data *d)
{
    for (int i = 0; i < d->rows.problem.nblock; ++i) {
        if (d->rows.rows.owner[i].source != DP_ROW_SOURCE_DRIVE) {
            return true;
        }
    }
    return false;
}

dp_status dp_mean_forces(dp_data *d, double h)
{
    dp_attempt s = attempt_of(d, h, FORCES);
    d->sleep.ignored = true; // sleepers are held by contacts, too
    const dp_status status = run_stages(&s);
    d->sleep.ignored = false;
    DP_TRY(status);
    if (!has_other_than_drives(d)) { // drives alone have their forces of this moment
        dp_constrained_clear(d);
        dp_forces_actuate(d, NULL);
        return DP_OK;
    }
    dp_forces_finish(d, s.v, h, d->rows.drive_force);
    for (int k = 0; k < d->model->size.nv; ++k) {
        d->acceleration[k] = (s.v[k] - d->v[k]) / h;
    }
    return DP_OK;
}
