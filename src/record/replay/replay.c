#include "record/replay/replay.h"

#include <string.h>

static size_t count_springs(const dp_model *m)
{
    size_t n = 0;
    for (int g = 0; g < dp_model_sizes(m)->ngeom; ++g) {
        const dp_foundation_spec f = dp_model_geom(m, (dp_geom_id){g}).foundation;
        n += (size_t)f.nx * (size_t)f.ny;
    }
    return n;
}

enum { MOST_GEOMS = 1 << 16 }; // contacts name theirs in 16 bits

dp_status dp_replay_create(dp_replay **out, const dp_model *m, const dp_allocator *allocator)
{
    *out = NULL;
    if (dp_model_sizes(m)->ngeom > MOST_GEOMS) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "dp_replay_create: a model of %d geoms (expected %d at most)",
                       dp_model_sizes(m)->ngeom, MOST_GEOMS);
    }
    const dp_allocator a = dp_allocator_or_default(allocator);
    dp_replay *r;
    DP_TRY(dp_allocate(&r, &a, 1, sizeof *r));
    r->allocator = a;
    r->model = m;
    r->nbody = (size_t)dp_model_sizes(m)->nbody;
    r->nspring = count_springs(m);
    *out = r;
    return DP_OK;
}

void dp_replay_destroy(dp_replay *r)
{
    if (!r) {
        return;
    }
    const dp_allocator a = r->allocator;
    dp_release(&a, r->frame, r->frame_capacity, sizeof *r->frame);
    dp_release(&a, r->pose, r->pose_capacity, r->nbody * 7 * sizeof *r->pose);
    dp_release(&a, r->pressure, r->pressure_capacity, r->nspring * sizeof *r->pressure);
    dp_release(&a, r->contact, r->contact_capacity, sizeof *r->contact);
    dp_release(&a, r, 1, sizeof *r);
}

size_t dp_replay_frames(const dp_replay *r)
{
    return r->frames;
}

static void keep_poses(dp_replay *r, const dp_data *d)
{
    float *out = r->pose + r->frames * r->nbody * 7;
    for (size_t b = 0; b < r->nbody; ++b, out += 7) {
        const dp_pose X = dp_body_pose(d, (dp_body_id){(int)b});
        const double numbers[7] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
        for (int k = 0; k < 7; ++k) {
            out[k] = (float)numbers[k];
        }
    }
}

static void keep_pressures(dp_replay *r, const dp_data *d)
{
    float *out = r->pressure + r->frames * r->nspring;
    for (int g = 0; g < dp_model_sizes(r->model)->ngeom; ++g) {
        const dp_foundation_spec f = dp_model_geom(r->model, (dp_geom_id){g}).foundation;
        const int n = f.nx * f.ny;
        const double *p = dp_foundation_pressure(d, (dp_geom_id){g}, NULL, NULL);
        for (int k = 0; k < n; ++k) {
            *out++ = p ? (float)p[k] : 0.0f; // none over a plane
        }
    }
}

static dp_status keep_contacts(dp_replay *r, const dp_data *d)
{
    const int count = dp_data_contact_count(d);
    for (int i = 0; i < count; ++i) {
        const dp_contact c = dp_data_contact(d, i);
        if (c.state == DP_CONTACT_STATE_OPEN) {
            continue;
        }
        DP_TRY(dp_grow(&r->contact, &r->contact_capacity, r->contacts, sizeof *r->contact,
                       &r->allocator));
        const dp_v3 f = c.force;
        r->contact[r->contacts++] =
            (dp_replay_contact){.point = {(float)c.point.x, (float)c.point.y, (float)c.point.z},
                                .normal = {(float)c.normal.x, (float)c.normal.y, (float)c.normal.z},
                                .force = {(float)f.x, (float)f.y, (float)f.z},
                                .gap = (float)c.gap,
                                .geom = {c.geom[0].index, c.geom[1].index},
                                .state = c.state};
    }
    return DP_OK;
}

dp_status dp_replay_sample(dp_replay *r, dp_data *d)
{
    const dp_model *m = dp_data_model(d);
    if (m != r->model) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_replay_sample: the replay is of another model");
    }
    DP_TRY(dp_kinematics(d));
    DP_TRY(dp_grow(&r->frame, &r->frame_capacity, r->frames, sizeof *r->frame, &r->allocator));
    DP_TRY(dp_grow(&r->pose, &r->pose_capacity, r->frames, r->nbody * 7 * sizeof *r->pose,
                   &r->allocator));
    if (r->nspring > 0) {
        DP_TRY(dp_grow(&r->pressure, &r->pressure_capacity, r->frames,
                       r->nspring * sizeof *r->pressure, &r->allocator));
        keep_pressures(r, d);
    }
    keep_poses(r, d);
    const size_t before = r->contacts;
    const dp_status status = keep_contacts(r, d);
    if (status != DP_OK) {
        r->contacts = before;
        return status;
    }
    r->frame[r->frames++] = (dp_replay_frame){dp_data_time(d), before, r->contacts - before};
    return DP_OK;
}
