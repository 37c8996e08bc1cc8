#include "view/view_frame.h"

#include <dashpot/contact.h>

#include <stdlib.h>
#include <string.h>

enum {
    RUNNING = 1 << 0, // flags
    SOLVED = 1 << 1,
    HEAD = 6 * 4 + 8 + 8 * 4, // bytes
    POSE = 7,                 // numbers
    CONTACT = 12,
};

bool view_bytes_reserve(view_bytes *out, size_t count)
{
    if (count <= out->capacity) {
        return true;
    }
    const size_t capacity = count + count / 2;
    unsigned char *grown = realloc(out->byte, capacity);
    if (!grown) {
        return false;
    }
    out->byte = grown;
    out->capacity = capacity;
    return true;
}

static void put_word(view_bytes *out, uint32_t word)
{
    unsigned char byte[4];
    for (int i = 0; i < 4; ++i) {
        byte[i] = (unsigned char)(word >> (8 * i) & 0xff);
    }
    memcpy(out->byte + out->count, byte, sizeof byte);
    out->count += sizeof byte;
}

static void put_float(view_bytes *out, double x)
{
    const float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    put_word(out, bits);
}

static void put_double(view_bytes *out, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_word(out, (uint32_t)(bits & 0xffffffffu));
    put_word(out, (uint32_t)(bits >> 32));
}

static void put_v3(view_bytes *out, dp_v3 v)
{
    put_float(out, v.x);
    put_float(out, v.y);
    put_float(out, v.z);
}

static void put_pose(view_bytes *out, dp_pose X)
{
    put_v3(out, X.p);
    put_float(out, X.q.w);
    put_float(out, X.q.x);
    put_float(out, X.q.y);
    put_float(out, X.q.z);
}

static void put_contact(view_bytes *out, const dp_contact *c)
{
    put_v3(out, c->point);
    put_v3(out, c->normal);
    put_v3(out, c->force);
    put_float(out, c->gap);
    put_float(out, c->geom[0].index);
    put_float(out, c->geom[1].index);
}

// Contacts that push, and behind them whether they slip: kept behind the room for all contacts
// until it is known how many push. @return how many
static uint32_t put_contacts(view_bytes *out, const dp_data *d)
{
    const int count = dp_data_contact_count(d);
    unsigned char *slips = out->byte + out->count + (size_t)(4 * CONTACT) * (size_t)count;
    uint32_t pushing = 0;
    for (int i = 0; i < count; ++i) {
        const dp_contact c = dp_data_contact(d, i);
        if (c.state != DP_CONTACT_STATE_OPEN) {
            put_contact(out, &c);
            slips[pushing++] = c.state == DP_CONTACT_STATE_SLIP;
        }
    }
    memmove(out->byte + out->count, slips, pushing);
    out->count += pushing;
    while (out->count % 4 != 0) {
        out->byte[out->count++] = 0;
    }
    return pushing;
}

static void put_head(view_bytes *out, const dp_model *m, const dp_data *d, uint32_t version,
                     bool running, uint32_t ncontact, const view_pace *pace)
{
    const dp_step_report *info = dp_data_report(d);
    const dp_certificate *certificate = &dp_data_report(d)->certificate;
    const dp_energy energy = dp_data_energy(d);
    const bool solved = info->unsolved == 0 && info->outcome == DP_OUTCOME_CONVERGED;
    put_word(out, VIEW_FRAME_MAGIC);
    put_word(out, version);
    put_word(out, (running ? RUNNING : 0u) | (solved ? SOLVED : 0u));
    put_word(out, (uint32_t)dp_model_sizes(m)->nbody);
    put_word(out, ncontact);
    put_word(out, (uint32_t)dp_model_sizes(m)->nu);
    put_double(out, dp_data_time(d));
    put_float(out, pace->factor);
    put_float(out, pace->cost_us);
    put_float(out, info->residual);
    put_float(out, certificate->penetration);
    put_float(out, certificate->creep);
    put_float(out, info->work.iterations);
    put_float(out, energy.kinetic + energy.gravity + energy.spring);
    put_float(out, pace->share);
}

bool view_frame_add(view_bytes *out, const dp_model *m, dp_data *d, uint32_t version, bool running,
                    const view_pace *pace)
{
    const size_t start = out->count;
    const size_t nbody = (size_t)dp_model_sizes(m)->nbody, nu = (size_t)dp_model_sizes(m)->nu;
    const size_t most = (size_t)dp_data_contact_count(d);
    if (!view_bytes_reserve(out, start + HEAD + 4 * POSE * nbody + (4 * CONTACT + 1) * most + 3 +
                                     4 * nu)) {
        return false;
    }
    out->count = start + HEAD; // written last: it counts the contacts
    for (size_t i = 0; i < nbody; ++i) {
        put_pose(out, dp_body_pose(d, (dp_body_id){(int)i}));
    }
    const uint32_t ncontact = put_contacts(out, d);
    for (size_t i = 0; i < nu; ++i) {
        put_float(out, dp_data_control(d)[i]);
    }
    const size_t end = out->count;
    out->count = start;
    put_head(out, m, d, version, running, ncontact, pace);
    out->count = end;
    return true;
}
