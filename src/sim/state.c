// The state as bytes: copied, saved, restored, hashed. Numbers are in the byte order of the
// machine; a state of a machine with the other order does not have the checksum that this one
// reads.
#include "base/checksum.h"
#include "problem/laws/contact_law.h"
#include "sim/data.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

// How many impulses there is room for, and how many bends.
typedef struct impulse_room {
    int64_t nblock, nrow, nbend;
} impulse_room;

typedef struct state_header {
    char magic[8];     // format and version
    uint64_t checksum; // dp_checksum64 of all bytes behind it
    uint64_t signature;
    double time;
    int64_t nblock; // impulses
    int64_t nbend;
    impulse_room room; // in what follows
} state_header;

static const char MAGIC[8] = "dpstate9"; // the last character is the version
enum { VERSION_AT = 7, SUMMED_FROM = offsetof(state_header, signature) };

static impulse_room room_of(const dp_data *d)
{
    return (impulse_room){d->rows.rows.max_block, d->rows.rows.max_row, d->rows.max_bend};
}

// An array of the state. `SLEEP` and those behind it: who sleeps, and with which forces. Those from
// `FIELDS` on are no part of it: what sleepers are compared with, which copies take along.
typedef struct field {
    void *at;
    void *copy;        // what a snapshot has of it; NULL: nothing
    size_t room, used; // bytes that there is room for, and that count; the others are zero
    size_t size;       // of an element
    bool numbers;      // doubles, which must be finite
} field;
enum { SLEEP = 11, FIELDS = 17, ALL_FIELDS = 23 };

// The whole state, in the order in which it is saved.
static void list_fields(field out[ALL_FIELDS], const dp_data *d, int snapshot, impulse_room room,
                        impulse_room count)
{
    const dp_snapshot *to = &d->snapshot[snapshot];
    const dp_model_size *n = &d->model->size;
    const dp_impulses *own = &d->rows.now;
    const dp_sleep *s = &d->sleep;
    const size_t nq = (size_t)n->nq, nv = (size_t)n->nv, na = (size_t)n->na, nu = (size_t)n->nu;
    const size_t nmocap = (size_t)n->nmocap, nbody = (size_t)n->nbody, ntree = (size_t)n->ntree;
    const size_t nequality = (size_t)n->nequality, nuser = (size_t)d->rows.most.nuser;
    const size_t max_block = (size_t)room.nblock, nblock = (size_t)count.nblock;
    const size_t max_row = (size_t)room.nrow, nrow = (size_t)count.nrow;
    const size_t max_start = max_block + (max_block > 0), nstart = nblock + (nblock > 0);
    const size_t max_bend = (size_t)room.nbend, nbend = (size_t)count.nbend;
    const size_t real = sizeof(double), flag = sizeof(uint8_t);
    const field list[ALL_FIELDS] = {
        // elements, so far
        {d->q, to->q, nq, nq, real, true},
        {d->v, to->v, nv, nv, real, true},
        {d->activation, to->activation, na, na, real, true},
        {d->mocap, to->mocap, nmocap, nmocap, sizeof(dp_pose), true},
        {own->gamma, NULL, max_row, nrow, real, true},
        {own->id, NULL, max_block, nblock, sizeof(uint64_t), false},
        {own->row_start, NULL, max_start, nstart, sizeof(int), false},
        {d->rows.equality_active, to->equality_active, nequality, nequality, flag, false},
        {d->rows.user_active, to->user_active, nuser, nuser, flag, false},
        {own->bend, NULL, max_bend, nbend, sizeof(dp_bend), true},
        {own->change, NULL, max_row, nrow, real, true},
        [SLEEP] = {s->rest, to->rest, ntree, ntree, real, true},
        {s->elastic, to->elastic, ntree, ntree, real, true},
        {s->group, to->group, ntree, ntree, sizeof(int), false},
        {s->force, NULL, nv, nv, real, true},
        {s->control, NULL, nu, nu, real, true},
        {s->wrench, NULL, nbody, nbody, sizeof(dp_wrench), true},
        [FIELDS] = {s->q, NULL, nq, nq, real, true},
        {s->applied, NULL, nv, nv, real, true},
        {s->actuation, NULL, nv, nv, real, true},
        {s->forces_known, NULL, ntree, ntree, sizeof(bool), false},
        {s->mocap, NULL, nmocap, nmocap, sizeof(dp_pose), true},
        {s->equality_active, NULL, nequality, nequality, flag, false},
    };
    for (int i = 0; i < ALL_FIELDS; ++i) {
        out[i] = list[i];
        out[i].room *= list[i].size;
        out[i].used *= list[i].size;
    }
}

// What the impulses of the state take.
static impulse_room used_by(const dp_data *d)
{
    const dp_impulses *now = &d->rows.now;
    return (impulse_room){now->nblock, now->nblock > 0 ? now->row_start[now->nblock] : 0,
                          now->nbend};
}

static size_t bytes_for(const dp_data *d, impulse_room room)
{
    field parts[ALL_FIELDS];
    list_fields(parts, d, DP_SNAPSHOT_GIVEN, room, (impulse_room){0, 0, 0});
    size_t bytes = sizeof(state_header);
    for (int i = 0; i < FIELDS; ++i) {
        bytes += parts[i].room;
    }
    return bytes;
}

size_t dp_state_bytes(const dp_data *d)
{
    return bytes_for(d, room_of(d));
}

dp_status dp_state_save(void *out, size_t bytes, const dp_data *d)
{
    const size_t needed = dp_state_bytes(d);
    if (bytes < needed) {
        return dp_fail(DP_ERROR_CAPACITY, "the buffer for a state has %zu bytes (needed: %zu)",
                       bytes, needed);
    }
    state_header header = {.signature = d->model->signature,
                           .time = d->time,
                           .nblock = d->rows.now.nblock,
                           .nbend = d->rows.now.nbend,
                           .room = room_of(d)};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    char *at = out;
    memcpy(at, &header, sizeof header);
    at += sizeof header;
    field parts[ALL_FIELDS];
    list_fields(parts, d, DP_SNAPSHOT_GIVEN, header.room, used_by(d));
    for (int i = 0; i < FIELDS; ++i) {
        if (parts[i].used > 0) {
            memcpy(at, parts[i].at, parts[i].used);
        }
        memset(at + parts[i].used, 0, parts[i].room - parts[i].used);
        at += parts[i].room;
    }
    header.checksum = dp_checksum64((char *)out + SUMMED_FROM, needed - SUMMED_FROM);
    memcpy(out, &header, sizeof header);
    return DP_OK;
}

static dp_status refuse_not_finite(const char *at, size_t bytes)
{
    for (size_t x = 0; x < bytes; x += sizeof(double)) {
        double value;
        memcpy(&value, at + x, sizeof value);
        if (!isfinite(value)) {
            return dp_fail(DP_ERROR_NUMERIC, "the saved state holds a number that is not finite");
        }
    }
    return DP_OK;
}

// Impulses whose blocks are not in order would be read beyond their end. @param nrow of them all
static dp_status count_rows(int64_t *nrow, const state_header *header, const char *starts)
{
    int before = 0;
    for (int64_t i = 0; header->nblock > 0 && i <= header->nblock; ++i) {
        int start;
        memcpy(&start, starts + (size_t)i * sizeof start, sizeof start);
        if (start < before || start > header->room.nrow || (i == 0 && start != 0)) {
            return dp_fail(DP_ERROR_ARGUMENT, "the saved state holds impulses out of order");
        }
        before = start;
    }
    *nrow = before;
    return DP_OK;
}

static dp_status check_groups(const char *groups, int ntree)
{
    for (int t = 0; t < ntree; ++t) {
        int group;
        memcpy(&group, groups + (size_t)t * sizeof group, sizeof group);
        if (group < -1 || group > t) {
            return dp_fail(DP_ERROR_ARGUMENT, "the saved state holds sleepers out of order");
        }
    }
    return DP_OK;
}

// Bytes that this version did not save, or that were changed or cut off since.
static dp_status check_integrity(const state_header *header, const void *saved, size_t bytes)
{
    if (memcmp(header->magic, MAGIC, VERSION_AT) != 0) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "not a saved state: found '%.8s' at its start (expected '%.8s', the format "
                       "and its version)",
                       header->magic, MAGIC);
    }
    if (header->magic[VERSION_AT] != MAGIC[VERSION_AT]) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "the saved state has version '%c' of the format (expected %c: states are "
                       "restored by the version that saved them)",
                       header->magic[VERSION_AT], MAGIC[VERSION_AT]);
    }
    const uint64_t sum = dp_checksum64((const char *)saved + SUMMED_FROM, bytes - SUMMED_FROM);
    if (sum != header->checksum) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "the saved state is damaged or cut off: the checksum of its %zu bytes is "
                       "%016" PRIx64 " (expected %016" PRIx64 ")",
                       bytes, sum, header->checksum);
    }
    return DP_OK;
}

// A buffer that was not saved from a simulation of this model, or is damaged.
static dp_status read_header(state_header *out, const dp_data *d, const void *saved, size_t bytes)
{
    if (bytes < sizeof *out) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "a saved state of %zu bytes does not fit the model (expected %zu)", bytes,
                       dp_state_bytes(d));
    }
    memcpy(out, saved, sizeof *out);
    DP_TRY(check_integrity(out, saved, bytes));
    const int64_t most = bytes < INT_MAX ? (int64_t)bytes : INT_MAX; // each takes a byte at least
    const impulse_room *room = &out->room;
    if (out->signature != d->model->signature || room->nblock < 0 || room->nblock > most ||
        room->nrow < 0 || room->nrow > most || out->nblock < 0 || out->nblock > room->nblock ||
        room->nbend != room_of(d).nbend || out->nbend < 0 || out->nbend > room->nbend ||
        (room->nblock > 0 && !d->rows.possible)) {
        return dp_fail(DP_ERROR_ARGUMENT, "the saved state belongs to another model");
    }
    if (bytes_for(d, *room) != bytes) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "a saved state of %zu bytes does not fit the model (expected %zu)", bytes,
                       bytes_for(d, *room));
    }
    if (!isfinite(out->time)) {
        return dp_fail(DP_ERROR_NUMERIC, "the saved state holds a time that is not finite");
    }
    return DP_OK;
}

// Each contact brings a block, and rows that only contacts can be many of.
static dp_status make_room(dp_data *d, impulse_room used)
{
    const impulse_room room = room_of(d);
    const int64_t blocks = used.nblock - room.nblock;
    const int64_t rows = (used.nrow - room.nrow + DP_CONTACT_ROWS - 1) / DP_CONTACT_ROWS;
    const int64_t more = blocks > rows ? blocks : rows;
    if (more <= 0) {
        return DP_OK;
    }
    if (d->rows.most.ncontact == 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "the saved state belongs to another model");
    }
    return dp_constrained_create(
        d, (dp_rows_most){d->rows.most.nuser, d->rows.most.ncontact + (int)more});
}

dp_status dp_state_restore(dp_data *d, const void *saved, size_t bytes)
{
    state_header header = {.nblock = 0};
    DP_TRY(read_header(&header, d, saved, bytes));
    impulse_room used = {.nblock = header.nblock, .nbend = header.nbend};
    field parts[ALL_FIELDS];
    list_fields(parts, d, DP_SNAPSHOT_GIVEN, header.room, used);
    const char *at = (const char *)saved + sizeof header;
    for (int i = 0; i < FIELDS; ++i) {
        if (parts[i].numbers) {
            DP_TRY(refuse_not_finite(at, parts[i].room));
        } else if (parts[i].at == d->rows.now.row_start) {
            DP_TRY(count_rows(&used.nrow, &header, at));
        } else if (parts[i].at == d->sleep.group) {
            DP_TRY(check_groups(at, d->model->size.ntree));
        }
        at += parts[i].room;
    }
    DP_TRY(make_room(d, used));
    list_fields(parts, d, DP_SNAPSHOT_GIVEN, header.room, used);
    at = (const char *)saved + sizeof header;
    for (int i = 0; i < FIELDS; ++i) {
        if (parts[i].used > 0) {
            memcpy(parts[i].at, at, parts[i].used);
        }
        at += parts[i].room;
    }
    d->time = header.time;
    d->rows.now.nblock = header.nblock;
    d->rows.now.nbend = header.nbend;
    dp_data_refresh(d);
    dp_sleep_renewed(d);
    return DP_OK;
}

static uint64_t fnv1a(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; ++i) {
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

uint64_t dp_state_hash(const dp_data *d)
{
    uint64_t hash = fnv1a(UINT64_C(14695981039346656037), &d->time, sizeof d->time);
    field parts[ALL_FIELDS];
    list_fields(parts, d, DP_SNAPSHOT_GIVEN, room_of(d), used_by(d));
    for (int i = 0; i < (d->options.sleep_speed > 0.0 ? FIELDS : SLEEP); ++i) {
        hash = fnv1a(hash, parts[i].at, parts[i].used);
    }
    return hash;
}

void dp_state_copy(dp_data *to, const dp_data *from)
{
    const impulse_room used = used_by(from);
    field mine[ALL_FIELDS], other[ALL_FIELDS];
    list_fields(mine, to, DP_SNAPSHOT_GIVEN, used, used);
    list_fields(other, from, DP_SNAPSHOT_GIVEN, used, used);
    for (int i = 0; i < ALL_FIELDS; ++i) {
        if (other[i].used > 0) {
            memcpy(mine[i].at, other[i].at, other[i].used);
        }
    }
    to->time = from->time;
    to->rows.now.nblock = from->rows.now.nblock;
    to->rows.now.nbend = from->rows.now.nbend;
    to->sleep.options = from->sleep.options;
    to->sleep.count = from->sleep.count;
}

// ---- snapshots

// Copy what a snapshot has of the state, to it or back.
static void exchange(const dp_data *d, int which, bool back)
{
    const impulse_room none = {0, 0, 0};
    field list[ALL_FIELDS];
    list_fields(list, d, which, none, none);
    for (const field *f = list; f < list + FIELDS; ++f) {
        if (f->copy) {
            memcpy(back ? f->at : f->copy, back ? f->copy : f->at, f->used);
        }
    }
}

void dp_snapshot_take(dp_data *d, int which)
{
    dp_snapshot *copy = &d->snapshot[which];
    exchange(d, which, false);
    copy->time = d->time;
    copy->ledger = d->ledger;
    copy->taken = true;
    copy->has_impulses = false;
}

void dp_snapshot_take_impulses(dp_data *d, int which)
{
    dp_impulses_copy(&d->snapshot[which].impulses, &d->rows.now);
    d->snapshot[which].has_impulses = true;
}

void dp_snapshot_restore(dp_data *d, int which)
{
    const dp_snapshot *copy = &d->snapshot[which];
    if (!copy->taken) {
        return;
    }
    exchange(d, which, true);
    d->time = copy->time;
    d->ledger = copy->ledger;
    if (copy->has_impulses) {
        dp_impulses_copy(&d->rows.now, &copy->impulses);
    }
    dp_sleep_count(d);
}

void dp_snapshot_keep_given(dp_data *d)
{
    if (!d->snapshot[DP_SNAPSHOT_GIVEN].taken) {
        dp_snapshot_take(d, DP_SNAPSHOT_GIVEN);
    }
    if (!d->snapshot[DP_SNAPSHOT_GIVEN].has_impulses) {
        dp_snapshot_take_impulses(d, DP_SNAPSHOT_GIVEN);
    }
}
