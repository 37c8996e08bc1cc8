// Memory of what rows need: one block for their arrays, another for the scratch of the law. Both
// grow between attempts of a step, where contacts ask for it.
#include "problem/laws/contact_law.h"
#include "sim/data.h"

#include <limits.h>
#include <string.h>

// A law takes memory with the square of the rows in one island. Models that could have thousands of
// rows at once hardly ever do; those that do are reported (DP_ERROR_CAPACITY).
static const size_t MOST_SCRATCH = (size_t)1 << 28;
static const size_t FIRST_SCRATCH = (size_t)1 << 20; // grows where there are contacts

// @param snapshot of the state: what they keep of rows
static void carve(dp_constrained *c, dp_snapshot *snapshot, dp_carver *at, const dp_model *m)
{
    const int nuser = c->most.nuser;
    c->user = dp_carve(at, (size_t)nuser, sizeof *c->user);
    c->equality_active = dp_carve(at, (size_t)m->size.nequality, sizeof *c->equality_active);
    c->user_active = dp_carve(at, (size_t)nuser, sizeof *c->user_active);
    c->verdict = dp_carve(at, 1, sizeof *c->verdict);
    for (int i = 0; i < DP_SNAPSHOTS; ++i) {
        snapshot[i].user_active = dp_carve(at, (size_t)nuser, sizeof *c->user_active);
    }
    if (!c->possible) {
        return;
    }
    const size_t nv = (size_t)m->size.nv, nu = (size_t)m->size.nu;
    dp_rows_carve(&c->rows, at, m, c->most);
    c->candidates.point = dp_carve(at, (size_t)c->most.ncontact, sizeof *c->candidates.point);
    dp_tendon_carve(&c->tendon_end, at, m);
    dp_carve_doubles(at, m->dof_packed[m->size.nv],
                     (double **[]){&c->inertia.Mt, &c->inertia.LD, NULL});
    c->drive = dp_carve(at, nu, sizeof *c->drive);
    c->drive_force = dp_carve(at, nu, sizeof(double));
    const size_t nrow = (size_t)c->rows.max_row, ntree = (size_t)m->size.ntree;
    dp_gaps *gaps = &c->gaps;
    dp_velocity_split *split = &c->split;
    dp_carve_doubles(at, nrow,
                     (double **[]){&c->solution.gamma, &split->found.gamma, &c->mobility,
                                   &c->lambda, &gaps->guess, &gaps->last, &gaps->start, &gaps->end,
                                   &gaps->bend, &gaps->correction, &gaps->partial, NULL});
    dp_carve_doubles(at, nv,
                     (double **[]){&c->solution.v, &split->found.v, &c->scratch, &split->move,
                                   &split->end, &split->row_move, &split->row_end, NULL});
    dp_carve_doubles(at, ntree, (double **[]){&gaps->tree_recovery, &gaps->tree_energy, NULL});
    gaps->island = dp_carve(at, ntree, sizeof *gaps->island);
    gaps->tree_island = dp_carve(at, ntree, sizeof(int));
    gaps->part = dp_carve(at, nrow, sizeof(uint8_t));
    c->solution.state = dp_carve(at, nrow, sizeof(uint8_t));
    c->pressure = dp_carve(at, (size_t)m->nspring, sizeof(double));
    c->compliance.island = dp_carve(at, ntree, sizeof(int));
    c->compliance.sum = dp_carve(at, DP_COMPLIANCE_SUMS * ntree, sizeof(double));
    c->compliance.given = dp_carve(at, nrow, sizeof(uint8_t));
    const dp_step_size largest = dp_rows_size(&c->rows, m);
    dp_impact_carve(&split->impact, at, &largest);
    split->restitution = dp_carve(at, (size_t)c->rows.max_block, sizeof(double));
    split->soft = dp_carve(at, nrow, sizeof(uint8_t));
    split->row = dp_carve(at, nrow, sizeof(dp_row));
    split->found.state = dp_carve(at, nrow, sizeof(uint8_t));
    split->tree = dp_carve(at, ntree, sizeof(uint8_t));
    c->max_bend = c->rows.max_row - DP_CONTACT_ROWS * c->most.ncontact;
    dp_impulses_carve(&c->now, at, &c->rows, c->max_bend);
    dp_impulses_carve(&c->next, at, &c->rows, c->max_bend);
    dp_impulses_carve(&c->before, at, &c->rows, c->max_bend);
    for (int i = 0; i < DP_SNAPSHOTS; ++i) {
        dp_impulses_carve(&snapshot[i].impulses, at, &c->rows, c->max_bend);
    }
}

// What the law needs at most where there are no contacts; else what will do for a beginning.
static size_t usual_scratch(const dp_constrained *c, const dp_model *m)
{
    const dp_step_size largest = dp_rows_size(&c->rows, m);
    const size_t needed = // steps may have different laws
        dp_law_most_memory(&largest, &m->options.solver) + DP_ARENA_ALIGNMENT;
    const size_t limit = c->most.ncontact > 0 ? FIRST_SCRATCH : MOST_SCRATCH;
    return needed < limit ? needed : limit;
}

static dp_status take_scratch(dp_constrained *c, size_t bytes, const dp_allocator *allocator)
{
    void *memory;
    DP_TRY(dp_allocate_unset(&memory, allocator, 1, bytes));
    dp_arena_end(&c->arena);
    dp_release(allocator, c->memory.scratch, 1, c->memory.scratch_bytes);
    c->task = NULL;
    c->memory.scratch = memory;
    c->memory.scratch_bytes = bytes;
    dp_arena_init(&c->arena, memory, bytes);
    return DP_OK;
}

// The copies of the state that a step under way has made.
static void keep_snapshots(dp_snapshot *to, const dp_data *d)
{
    for (int i = 0; i < DP_SNAPSHOTS; ++i) {
        if (to[i].has_impulses) {
            dp_impulses_copy(&to[i].impulses, &d->snapshot[i].impulses);
        }
        memcpy(to[i].user_active, d->snapshot[i].user_active, (size_t)d->rows.most.nuser);
    }
}

dp_status dp_constrained_create(dp_data *d, dp_rows_most most)
{
    const dp_model *m = d->model;
    const dp_constrained old = d->rows;
    dp_constrained c = {.possible = dp_rows_possible(m, most),
                        .only_drives = dp_rows_only_drives(m, most),
                        .most = most};
    dp_snapshot snapshot[DP_SNAPSHOTS];
    memcpy(snapshot, d->snapshot, sizeof snapshot);
    dp_carver at = {NULL, 0};
    carve(&c, snapshot, &at, m);
    c.memory.bytes = dp_carve_room(at.used);
    DP_TRY(dp_allocate(&c.memory.block, &d->allocator, 1, c.memory.bytes));
    at = dp_carve_in(c.memory.block, 0);
    carve(&c, snapshot, &at, m);
    if (c.possible) {
        const dp_status status = take_scratch(&c, usual_scratch(&c, m), &d->allocator);
        if (status != DP_OK) {
            dp_release(&d->allocator, c.memory.block, 1, c.memory.bytes);
            return status;
        }
        dp_tendon_init(&c.tendon_end, m);
    }
    if (old.memory.block) { // there is more room now: the state stays
        dp_constrained_certify(d);
        *c.verdict = *old.verdict;
        c.gaps.tolerance = old.gaps.tolerance;
        const int fewer = old.most.nuser < most.nuser ? old.most.nuser : most.nuser;
        const size_t kept = (size_t)fewer;
        memcpy(c.user, old.user, kept * sizeof *c.user);
        memcpy(c.user_active, old.user_active, kept);
        memcpy(c.equality_active, old.equality_active, (size_t)m->size.nequality);
        const bool room = c.rows.max_block >= old.rows.max_block &&
                          c.rows.max_row >= old.rows.max_row && c.max_bend >= old.max_bend;
        if (old.possible && room) {
            dp_impulses_copy(&c.now, &old.now);
            keep_snapshots(snapshot, d);
        }
        dp_constrained_destroy(d);
    }
    d->rows = c;
    memcpy(d->snapshot, snapshot, sizeof snapshot);
    d->key.fixed = false; // kin_end is to be filled
    return DP_OK;
}

void dp_constrained_destroy(dp_data *d)
{
    dp_constrained *c = &d->rows;
    dp_arena_end(&c->arena);
    dp_release(&d->allocator, c->memory.scratch, 1, c->memory.scratch_bytes);
    dp_release(&d->allocator, c->memory.block, 1, c->memory.bytes);
    c->memory.block = c->memory.scratch = NULL;
}

static int half_as_many_again(int n)
{
    return n > INT_MAX / 3 * 2 ? INT_MAX : n + n / 2;
}

bool dp_constrained_lacks_room(const dp_data *d)
{
    return d->rows.candidates.no_room || d->rows.arena.needed > d->rows.arena.capacity;
}

// An attempt may want more points than its last search found: pairs that blows brought together in
// one round and kept apart in the next stay.
dp_status dp_constrained_grow(dp_data *d)
{
    dp_constrained *c = &d->rows;
    const dp_contact_room room = dp_data_contact_room(d);
    const int needed =
        room.needed_points > c->candidates.wanted ? room.needed_points : c->candidates.wanted;
    const int points = half_as_many_again(needed);
    if (points > 0 || room.needed_pairs > room.npair) {
        const int pairs = half_as_many_again(room.needed_pairs);
        DP_TRY(dp_data_reserve_contacts(d, pairs, points > room.npoint ? points : room.npoint));
    }
    if (needed > c->most.ncontact) {
        DP_TRY(dp_constrained_create(d, (dp_rows_most){c->most.nuser, points}));
    }
    if (c->arena.needed > c->arena.capacity) {
        DP_TRY(take_scratch(c, 2 * c->arena.needed, &d->allocator));
    }
    c->candidates.no_room = false;
    return DP_OK;
}

void dp_constrained_reset(dp_data *d)
{
    const dp_model *m = d->model;
    for (int i = 0; i < m->size.nequality; ++i) {
        d->rows.equality_active[i] = m->equality[i].active;
    }
    d->rows.now.nblock = d->rows.now.nbend = 0;
    *d->rows.verdict = (dp_verdict){.pending = false};
    dp_constrained_clear(d);
}

dp_status dp_data_add_row(int *out, dp_data *d, dp_row_callback callback, void *context)
{
    if (!callback) {
        return dp_fail(DP_ERROR_ARGUMENT, "a row without a callback (expected a function)");
    }
    if (d->callbacks.running || d->callbacks.row_running) {
        return dp_fail(DP_ERROR_ARGUMENT, "a row was added by a callback of the step");
    }
    const int index = d->rows.most.nuser;
    DP_TRY(dp_constrained_create(d, (dp_rows_most){index + 1, d->rows.most.ncontact}));
    d->rows.user[index] = (dp_user_row){.callback = callback, .context = context};
    d->rows.user_active[index] = 1;
    dp_data_refresh(d);
    if (out) {
        *out = index;
    }
    return DP_OK;
}
