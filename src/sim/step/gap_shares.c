// Wide gaps, and what a mechanism can bear. Closing a gap within the step takes the velocity φ/h.
// Where the mechanism can hardly move that way, or has come far apart, that is more than it can
// bear: then a share ½, ¼ … of the gaps is closed, such that it takes no more than recovery_energy.
// A share of 0 only slows the mechanism down.
//
// Shares belong to islands: one that cannot close its gaps does not hold up another.
#include "sim/step/step.h"

#include "base/span.h"
#include "problem/laws/normal_law.h"

#include <string.h>

void dp_gap_shares_begin(dp_gaps *g, int nrow)
{
    g->nisland = 0;
    g->borne = g->knows_mobility = false;
    memset(g->part, 0, (size_t)nrow);
}

// Islands, none of which has been judged.
static void find_islands(dp_constrained *c)
{
    dp_gaps *g = &c->gaps;
    g->nisland = dp_law_islands(g->tree_island, c->task);
    for (int i = 0; i < g->nisland; ++i) {
        g->island[i] = (dp_island_gaps){.phase = DP_GAPS_WHOLE};
    }
}

static bool closes_part(const dp_island_gaps *g)
{
    return g->phase == DP_GAPS_BORNE && g->share < 1.0;
}

// −1: none, there is nothing that the block could move.
static int island_of_block(const dp_constrained *c, int block)
{
    const dp_step_problem *p = &c->problem;
    if (p->col_start[block + 1] == p->col_start[block]) {
        return -1;
    }
    const int col = p->col[p->col_start[block]];
    return c->gaps.tree_island[dp_span_of(p->tree_start, p->ntree, col)];
}

// Close only a share of the gaps that rows cannot leave open: those of springs too stiff for the
// step to resolve.
static void scale_gaps(dp_constrained *c, int block, double share)
{
    const double h = c->problem.h;
    const dp_rows *rows = &c->rows;
    const dp_normal *law = dp_normal_of(&c->problem, block);
    for (int i = rows->row_start[block]; i < rows->row_start[block + 1]; ++i, law = NULL) {
        dp_row *row = &rows->row[i];
        const double start = c->gaps.start[i];
        const double k = law ? dp_normal_force_at(law, row->k, -start, 0.0).stiffness : row->k;
        const bool pushes = isinf(row->hi) && (isinf(row->lo) || row->lo == 0.0); // without end
        const bool violated = pushes && (isinf(row->lo) || start < 0.0);
        const bool stiff = h * h * k * c->mobility[i] > 1.0;
        if (rows->owner[block].nonlinear) { // its dashpot, too
            dp_gap_set(row, c->gaps.target[i], start, h);
        }
        row->phi = violated && stiff ? share * c->gaps.target[i] : c->gaps.target[i];
    }
}

// The gaps of islands that have another share. Islands that close a part keep theirs from then on.
static void take_shares(dp_constrained *c)
{
    const dp_rows *rows = &c->rows;
    for (int b = 0; b < rows->nblock; ++b) {
        const int island = island_of_block(c, b);
        if (island < 0) {
            continue;
        }
        const dp_island_gaps *g = &c->gaps.island[island];
        if (g->changes) {
            scale_gaps(c, b, g->share);
        }
        if (closes_part(g)) {
            const int first = rows->row_start[b];
            memset(c->gaps.part + first, 1, (size_t)(rows->row_start[b + 1] - first));
        }
    }
}

// The next share of an island. @return whether its gaps are to be solved for with that
static bool next_share(dp_island_gaps *g)
{
    enum { MOST_HALVINGS = 10 };
    switch (g->phase) {
    case DP_GAPS_WHOLE:
        if (g->energy <= g->recovery || g->energy <= fmin(g->free, g->unthrown) + g->recovery) {
            g->share = 1.0;
            g->phase = DP_GAPS_BORNE; // most are slow
            return false;
        }
        g->phase = DP_GAPS_SLOWED;
        g->share = 0.0;
        return true;
    case DP_GAPS_SLOWED:
        g->bearable = g->energy + g->recovery;
        g->phase = DP_GAPS_SHARED;
        g->share = 1.0;
        return true;
    case DP_GAPS_SHARED:
        if (g->energy <= g->bearable) {
            g->phase = DP_GAPS_BORNE;
            return false;
        }
        g->share *= 0.5;
        if (!(g->share > 1.0 / (1 << MOST_HALVINGS))) {
            g->share = 0.0;
            g->phase = DP_GAPS_BORNE;
        }
        return true;
    case DP_GAPS_BORNE:
        break;
    }
    return false;
}

static void sum_energies(const dp_data *d)
{
    const dp_constrained *c = &d->rows;
    const dp_gaps *g = &c->gaps;
    for (int i = 0; i < g->nisland; ++i) {
        dp_island_gaps *sum = &g->island[i];
        sum->energy = sum->recovery = sum->free = sum->unthrown = 0.0;
    }
    for (int t = 0; t < c->problem.ntree; ++t) {
        if (g->tree_island[t] < 0) {
            continue;
        }
        dp_island_gaps *sum = &g->island[g->tree_island[t]];
        sum->energy += g->tree_energy[t];
        sum->recovery += g->tree_recovery[t];
    }
    for (int t = 0; t < c->problem.ntree; ++t) {
        dp_island_gaps *sum = &g->island[g->tree_island[t] < 0 ? 0 : g->tree_island[t]];
        if (g->tree_island[t] >= 0 && sum->phase == DP_GAPS_WHOLE &&
            !(sum->energy <= sum->recovery)) { // else nobody asks
            sum->free += dp_tree_energy(c, t, c->problem.v_free);
            sum->unthrown += dp_unthrown_energy(d, t);
        }
    }
}

// Then no island has more than it may recover with.
static bool all_are_slow(const dp_constrained *c)
{
    const dp_gaps *g = &c->gaps;
    bool slow = true;
    for (int t = 0; t < c->problem.ntree; ++t) {
        slow = slow && g->tree_energy[t] <= g->tree_recovery[t];
    }
    return slow;
}

dp_status dp_gap_shares_bear(bool *again, dp_data *d)
{
    dp_constrained *c = &d->rows;
    dp_gaps *g = &c->gaps;
    *again = false;
    if (g->borne || (g->nisland == 0 && all_are_slow(c))) {
        return DP_OK;
    }
    if (g->nisland == 0) {
        find_islands(c);
    }
    sum_energies(d);
    for (int i = 0; i < g->nisland; ++i) {
        g->island[i].changes = next_share(&g->island[i]);
        g->recovering = g->recovering || closes_part(&g->island[i]);
        *again = *again || g->island[i].changes;
    }
    if (*again && !g->knows_mobility) {
        DP_TRY(dp_law_mobility(c->mobility, c->task));
        g->knows_mobility = true;
    }
    if (*again || g->recovering) {
        g->scaled = true;
        take_shares(c);
    }
    return DP_OK;
}

void dp_gap_shares_renew(dp_gaps *g)
{
    g->borne = false;
    for (int i = 0; i < g->nisland; ++i) {
        if (!closes_part(&g->island[i])) {
            g->island[i].phase = DP_GAPS_WHOLE;
        }
    }
}

void dp_gaps_close_nothing(dp_constrained *c)
{
    dp_gaps *g = &c->gaps;
    find_islands(c);
    for (int b = 0; b < c->rows.nblock; ++b) {
        const int island = island_of_block(c, b);
        const bool solved = island >= 0 && dp_outcome_is_solved(dp_law_outcome(c->task, island));
        for (int r = c->rows.row_start[b]; !solved && r < c->rows.row_start[b + 1]; ++r) {
            if (g->correction[r] != 0.0) {
                g->correction[r] = copysign(DP_NO_CORRECTION, g->start[r]);
            }
        }
    }
}
