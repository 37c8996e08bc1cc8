// The state as bytes: saved, restored, hashed.
#include "sim/data.h"

#include <string.h>

typedef struct state_header {
    char magic[8]; // format and version
    uint64_t signature;
    double time;
} state_header;

static const char MAGIC[8] = "dpstate1";

size_t dp_state_bytes(const dp_model *m)
{
    const dp_model_size *n = &m->size;
    const size_t numbers = (size_t)n->nq + (size_t)n->nv + (size_t)n->na;
    return sizeof(state_header) + numbers * sizeof(double) + (size_t)n->nmocap * sizeof(dp_pose);
}

// The arrays of the state, in the order in which they are saved.
typedef struct part {
    void *at;
    size_t bytes;
} part;
enum { PARTS = 4 };

static void list_parts(part out[PARTS], const dp_data *d)
{
    const dp_model_size *n = &d->model->size;
    out[0] = (part){d->q, (size_t)n->nq * sizeof(double)};
    out[1] = (part){d->v, (size_t)n->nv * sizeof(double)};
    out[2] = (part){d->activation, (size_t)n->na * sizeof(double)};
    out[3] = (part){d->mocap, (size_t)n->nmocap * sizeof(dp_pose)};
}

dp_status dp_state_save(void *out, size_t bytes, const dp_data *d)
{
    const size_t needed = dp_state_bytes(d->model);
    if (bytes < needed) {
        return dp_fail(DP_ERROR_CAPACITY, "the buffer for a state has %zu bytes (needed: %zu)",
                       bytes, needed);
    }
    state_header header = {.signature = d->model->signature, .time = d->time};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    char *at = out;
    memcpy(at, &header, sizeof header);
    at += sizeof header;
    part parts[PARTS];
    list_parts(parts, d);
    for (int i = 0; i < PARTS; ++i) {
        memcpy(at, parts[i].at, parts[i].bytes);
        at += parts[i].bytes;
    }
    return DP_OK;
}

dp_status dp_state_restore(dp_data *d, const void *saved, size_t bytes)
{
    state_header header;
    if (bytes != dp_state_bytes(d->model)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "a saved state of %zu bytes does not fit the model (expected %zu)", bytes,
                       dp_state_bytes(d->model));
    }
    memcpy(&header, saved, sizeof header);
    if (memcmp(header.magic, MAGIC, sizeof MAGIC) != 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "not a saved state of this version");
    }
    if (header.signature != d->model->signature) {
        return dp_fail(DP_ERROR_ARGUMENT, "the saved state belongs to another model");
    }
    const char *at = (const char *)saved + sizeof header;
    const char *end = (const char *)saved + bytes;
    for (const char *x = at; x < end; x += sizeof(double)) {
        double value;
        memcpy(&value, x, sizeof value);
        if (!isfinite(value)) {
            return dp_fail(DP_ERROR_NUMERIC, "the saved state holds a number that is not finite");
        }
    }
    if (!isfinite(header.time)) {
        return dp_fail(DP_ERROR_NUMERIC, "the saved state holds a time that is not finite");
    }
    part parts[PARTS];
    list_parts(parts, d);
    for (int i = 0; i < PARTS; ++i) {
        memcpy(parts[i].at, at, parts[i].bytes);
        at += parts[i].bytes;
    }
    d->time = header.time;
    dp_data_refresh(d);
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
    part parts[PARTS];
    list_parts(parts, d);
    for (int i = 0; i < PARTS; ++i) {
        hash = fnv1a(hash, parts[i].at, parts[i].bytes);
    }
    return hash;
}
