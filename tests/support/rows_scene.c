#include "rows_scene.h"

#include "base/memory.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

static void carve_moment(scene_moment *at, dp_carver *c, const dp_model *m)
{
    at->q = dp_carve(c, (size_t)m->size.nq, sizeof *at->q);
    at->v = dp_carve(c, (size_t)m->size.nv, sizeof *at->v);
    dp_kin_carve(&at->kin, c, m);
    dp_tendon_carve(&at->tendon, c, m);
}

static void carve_scene(rows_scene *s, dp_carver *c)
{
    carve_moment(&s->start, c, s->m);
    carve_moment(&s->end, c, s->m);
    dp_transmission_carve(&s->transmission, c, s->m);
    s->drive = dp_carve(c, (size_t)s->m->size.nu, sizeof *s->drive);
    s->active = dp_carve(c, (size_t)s->m->size.nequality, sizeof *s->active);
    s->Mt = dp_carve(c, s->m->dof_packed[s->m->size.nv], sizeof *s->Mt);
    s->v_free = dp_carve(c, (size_t)s->m->size.nv, sizeof *s->v_free);
    dp_rows_carve(&s->rows, c, s->m, (dp_rows_most){s->user.count, s->ncontact});
}

static void begin_moment(rows_scene *s, scene_moment *at)
{
    const dp_model *m = s->m;
    memcpy(at->q, m->q_reference, (size_t)m->size.nq * sizeof *at->q);
    for (int i = 0; i < m->size.nmocap; ++i) {
        assert_non_null(dp_data_mocap(s->x.d, i));
    }
    const dp_pose *mocap = m->size.nmocap > 0 ? dp_data_mocap(s->x.d, 0) : NULL;
    dp_kin_fix(&at->kin, m, mocap, s->options.gravity);
    dp_tendon_init(&at->tendon, m);
    dp_tendon_rest(&at->tendon, &at->kin, m, mocap);
    at->at = (dp_moment){.m = m, .kin = &at->kin, .q = at->q, .v = at->v, .tendon = &at->tendon};
    rows_scene_place(s, at);
}

static void begin(rows_scene *s, dp_spec *spec, double h, const dp_user_rows *user, int ncontact)
{
    static const char *const allowed[] = {"limit", "frictionloss", "equality", "tendon",
                                          "transmission"};
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; ++i) {
        assert_ok(dp_spec_allow(spec, allowed[i]));
    }
    *s = (rows_scene){.x = mechanism_from(spec), .ncontact = ncontact};
    s->m = s->x.m;
    s->options = s->m->options;
    s->user = user ? *user : s->user;
    dp_carver measure = {NULL, 0};
    carve_scene(s, &measure);
    s->bytes = measure.used;
    assert_ok(dp_allocate(&s->memory, &s->m->pool.allocator, s->bytes, 1));
    dp_carver c = {s->memory, 0};
    carve_scene(s, &c);

    begin_moment(s, &s->start);
    begin_moment(s, &s->end);
    dp_transmission_init(&s->transmission, s->m);
    for (int i = 0; i < s->m->size.nequality; ++i) {
        s->active[i] = s->m->equality[i].active;
    }
    for (int i = 0; i < s->m->size.nv; ++i) {
        s->Mt[s->m->dof_packed[i]] = 1.0;
    }
    s->in = (dp_rows_input){.start = s->start.at,
                            .h = h,
                            .options = &s->options,
                            .equality_active = s->active,
                            .transmission = &s->transmission,
                            .drive = s->drive,
                            .user = user ? &s->user : NULL};
    rows_scene_place(s, &s->start);
}

void rows_scene_begin(rows_scene *s, dp_spec *spec, double h, const dp_user_rows *user)
{
    begin(s, spec, h, user, 0);
}

void rows_scene_begin_touching(rows_scene *s, dp_spec *spec, double h, int ncontact)
{
    begin(s, spec, h, NULL, ncontact);
}

void rows_scene_end(rows_scene *s)
{
    dp_release(&s->m->pool.allocator, s->memory, s->bytes, 1);
    mechanism_end(&s->x);
}

void rows_scene_place(rows_scene *s, scene_moment *at)
{
    dp_kin_update(&at->kin, s->m, at->q, at->v);
    dp_tendon_update(&at->tendon, &at->kin, s->m, at->q);
    if (at == &s->start && s->in.transmission) {
        dp_transmission_update(&s->transmission, &at->kin, s->m, at->q, &at->tendon);
    }
}

void rows_scene_advance(rows_scene *s, const double *v, double t)
{
    dp_kin_advance(s->end.q, s->m, s->start.q, v, t);
    rows_scene_place(s, &s->end);
}

void rows_scene_take_all(rows_scene *s)
{
    const unsigned both = 3;
    memset(s->rows.joint_limit, (int)both, (size_t)s->m->size.njoint);
    memset(s->rows.tendon_limit, (int)both, (size_t)s->m->size.ntendon);
    memset(s->rows.drive, 1, (size_t)s->m->size.nu);
    memset(s->rows.foundation, 1, (size_t)s->m->size.nfoundation);
}

dp_step_problem rows_scene_make(rows_scene *s)
{
    assert_ok(dp_rows_make(&s->rows, &s->in));
    dp_step_problem p;
    dp_rows_problem(&p, &s->rows, s->m, s->in.h, s->Mt, s->start.v, s->v_free, NULL);
    return p;
}

int rows_scene_block(const rows_scene *s, int row)
{
    int b = 0;
    while (s->rows.row_start[b + 1] <= row) {
        ++b;
    }
    return b;
}

double rows_scene_rate(const rows_scene *s, int row, const double *v)
{
    const int b = rows_scene_block(s, row), first = s->rows.col_start[b];
    const int ncol = s->rows.col_start[b + 1] - first;
    const double *G =
        s->rows.G + s->rows.G_start[b] + (size_t)(row - s->rows.row_start[b]) * (size_t)ncol;
    double rate = 0.0;
    for (int j = 0; j < ncol; ++j) {
        rate += G[j] * v[s->rows.col[first + j]];
    }
    return rate;
}

int rows_scene_find(const rows_scene *s, dp_row_source source, int element, int feature)
{
    for (int b = 0; b < s->rows.nblock; ++b) {
        if (s->rows.id[b] == dp_row_id(source, element, feature)) {
            return b;
        }
    }
    return -1;
}

void rows_scene_randomise(rows_scene *s, random_source *r, double speed)
{
    random_state(s->x.d, r, speed);
    memcpy(s->start.q, dp_data_q(s->x.d), (size_t)s->m->size.nq * sizeof(double));
    memcpy(s->start.v, dp_data_v(s->x.d), (size_t)s->m->size.nv * sizeof(double));
    rows_scene_place(s, &s->start);
}

// ---- random rows

static dp_v3 random_point(random_source *r)
{
    return (dp_v3){random_between(r, -0.5, 0.5), random_between(r, -0.5, 0.5),
                   random_between(r, -0.5, 0.5)};
}

static dp_pose random_pose(random_source *r)
{
    double x[4];
    random_direction(x, 4, r);
    return (dp_pose){{x[0], x[1], x[2], x[3]}, random_point(r)};
}

static void limit_joints(dp_spec *spec, random_source *r)
{
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){j});
        joint->limited = joint->kind != DP_JOINT_FREE;
        joint->range[0] = joint->kind == DP_JOINT_BALL ? 0.0 : random_between(r, -1.0, -0.1);
        joint->range[1] = random_between(r, 0.1, 1.0);
        joint->friction_loss = random_between(r, 0.1, 1.0);
        if (random_chance(r, 0.5)) {
            joint->limit = (dp_bearing){random_between(r, 1.0, 1e3), random_between(r, 0.0, 10.0)};
        }
    }
}

static const char *random_body(char name[16], const dp_spec *spec, random_source *r)
{
    const int b = random_below(r, dp_spec_body_count(spec));
    snprintf(name, 16, "b%d", b);
    return b == 0 ? "world" : name;
}

static void hold_bodies(dp_spec *spec, random_source *r, dp_equality_kind kind)
{
    char name[2][16];
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = kind;
    e.object[0] = random_body(name[0], spec, r);
    e.object[1] = random_body(name[1], spec, r);
    if (strcmp(e.object[0], e.object[1]) == 0) {
        return;
    }
    e.anchor = random_point(r);
    e.second_anchor = random_point(r);
    e.relative = random_pose(r);
    e.relative_given = random_chance(r, 0.5);
    e.distance = random_between(r, 0.1, 1.0);
    e.torque_scale = random_chance(r, 0.2) ? 0.0 : random_between(r, 0.1, 2.0);
    if (random_chance(r, 0.5)) {
        e.bearing = (dp_bearing){random_between(r, 1.0, 1e3), random_between(r, 0.0, 10.0)};
    }
    assert_ok(dp_spec_add_equality(NULL, spec, &e));
}

static void hold_scalars(dp_spec *spec, random_source *r, dp_equality_kind kind,
                         const char *const *name, int count)
{
    dp_equality_spec e = dp_equality_spec_default();
    e.kind = kind;
    const int i = random_below(r, count), j = random_below(r, count);
    e.object[0] = name[i];
    e.object[1] = i == j ? NULL : name[j];
    for (int k = 0; k < 5; ++k) {
        e.polynomial[k] = random_chance(r, 0.7) ? random_between(r, -1.0, 1.0) : 0.0;
    }
    assert_ok(dp_spec_add_equality(NULL, spec, &e));
}

enum { MAX_SCALARS = 64, TENDONS = 4 };

// Names of the hinges and slides, borrowed from the spec.
static int scalar_joints(const char *name[MAX_SCALARS], dp_spec *spec)
{
    int count = 0;
    for (int j = 0; j < dp_spec_joint_count(spec) && count < MAX_SCALARS; ++j) {
        const dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){j});
        if (joint->kind == DP_JOINT_HINGE || joint->kind == DP_JOINT_SLIDE) {
            name[count++] = joint->name;
        }
    }
    return count;
}

static bool add_tendon(dp_spec *spec, random_source *r, const char *name, const char *const *joint,
                       int njoint, bool spatial)
{
    const int nsite = dp_spec_site_count(spec);
    dp_wrap_spec wrap[3] = {{.kind = spatial ? DP_WRAP_SITE : DP_WRAP_JOINT}};
    int nwrap = 0;
    if (spatial) {
        const int first = random_below(r, nsite);
        for (int k = 0; k < 3 && k < nsite; ++k) {
            wrap[nwrap++] = (dp_wrap_spec){
                .kind = DP_WRAP_SITE,
                .object = dp_spec_site(spec, (dp_site_id){(first + k) % nsite})->name};
        }
    } else {
        for (int k = 0; k < 3 && k < njoint; ++k) {
            wrap[nwrap++] = (dp_wrap_spec){.kind = DP_WRAP_JOINT,
                                           .object = joint[random_below(r, njoint)],
                                           .coefficient = random_between(r, -1.0, 1.0)};
        }
    }
    if (nwrap < 2) {
        return false;
    }
    dp_tendon_spec t = dp_tendon_spec_default();
    t.name = name;
    t.spatial = spatial;
    t.wrap = wrap;
    t.nwrap = nwrap;
    t.limited = true;
    t.range[0] = random_between(r, 0.1, 0.5);
    t.range[1] = random_between(r, 0.6, 1.0);
    t.stiffness = random_between(r, 1.0, 100.0);
    t.damping = random_between(r, 0.1, 1.0);
    t.friction_loss = random_between(r, 0.1, 1.0);
    if (random_chance(r, 0.5)) {
        t.spring_range[0] = random_between(r, 0.1, 0.5);
        t.spring_range[1] = random_between(r, 0.6, 1.0);
    }
    assert_ok(dp_spec_add_tendon(NULL, spec, &t));
    return true;
}

dp_spec *random_rows_spec(uint64_t seed)
{
    random_spec_options options = random_spec_default(seed);
    options.actuators = true;
    dp_spec *spec = random_spec(&options);
    random_source r = {seed + 5000};
    limit_joints(spec, &r);
    for (int repeat = 0; repeat < 3; ++repeat) {
        hold_bodies(spec, &r, DP_EQUALITY_CONNECT);
        hold_bodies(spec, &r, DP_EQUALITY_WELD);
        hold_bodies(spec, &r, DP_EQUALITY_DISTANCE);
        hold_bodies(spec, &r, DP_EQUALITY_PLANE);
    }
    const char *joint[MAX_SCALARS];
    const int njoint = scalar_joints(joint, spec);
    static const char *const tendon[TENDONS] = {"t0", "t1", "t2", "t3"};
    int ntendon = 0;
    for (int i = 0; i < TENDONS; ++i) {
        ntendon += add_tendon(spec, &r, tendon[ntendon], joint, njoint, i % 2 == 1);
    }
    for (int repeat = 0; repeat < 2; ++repeat) {
        if (njoint > 0) {
            hold_scalars(spec, &r, DP_EQUALITY_JOINT, joint, njoint);
        }
        if (ntendon > 0) {
            hold_scalars(spec, &r, DP_EQUALITY_TENDON, tendon, ntendon);
        }
    }
    return spec;
}
