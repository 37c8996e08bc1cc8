// Stages are timed by calling the functions of src/dynamics and src/sim that the step calls.
#include "engine_dashpot.h"

#include "bench_chain.h"
#include "sim/data.h"
#include "sim/step/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct dashpot_engine {
    dp_model *m;
    dp_data *d;
    bool sensors;
    double *q0, *v0, *activation0;
} dashpot_engine;

static void destroy(void *self)
{
    dashpot_engine *e = self;
    dp_data_destroy(e->d);
    dp_model_destroy(e->m);
    free(e->q0);
    free(e->v0);
    free(e->activation0);
    free(e);
}

static void reset(void *self)
{
    dashpot_engine *e = self;
    const dp_model_size *size = dp_model_sizes(e->m);
    memcpy(dp_data_q(e->d), e->q0, (size_t)size->nq * sizeof(double));
    memcpy(dp_data_v(e->d), e->v0, (size_t)size->nv * sizeof(double));
    memcpy(dp_data_activation(e->d), e->activation0, (size_t)size->na * sizeof(double));
    dp_data_set_time(e->d, 0.0);
}

static void start(void *self, const double *q, const double *v)
{
    dashpot_engine *e = self;
    const dp_model_size *size = dp_model_sizes(e->m);
    memcpy(e->q0, q, (size_t)size->nq * sizeof(double));
    memcpy(e->v0, v, (size_t)size->nv * sizeof(double));
    reset(e);
}

static bool run(void *self, int steps)
{
    dashpot_engine *e = self;
    for (int i = 0; i < steps; ++i) {
        if (dp_step(e->d) != DP_OK || (e->sensors && dp_sense(e->d) != DP_OK)) {
            return false;
        }
    }
    return true;
}

static void state(double *q, double *v, void *self)
{
    dashpot_engine *e = self;
    const dp_model_size *size = dp_model_sizes(e->m);
    memcpy(q, dp_data_q(e->d), (size_t)size->nq * sizeof *q);
    memcpy(v, dp_data_v(e->d), (size_t)size->nv * sizeof *v);
}

static void repeat_kinematics(void *self, int times)
{
    dp_data *d = ((dashpot_engine *)self)->d;
    for (int i = 0; i < times; ++i) {
        dp_kin_update(&d->kin, d->model, d->q, d->v);
    }
}

static void repeat_forces(void *self, int times)
{
    dp_data *d = ((dashpot_engine *)self)->d;
    for (int i = 0; i < times; ++i) {
        (void)!dp_forces_evaluate(d);
        dp_forces_actuate(d, d->rows.possible ? d->rows.rows.drive : d->scratch.no_row);
        dp_forces_total(d->scratch.rhs, d, 0, d->model->size.nv);
    }
}

static void repeat_factor_solve(void *self, int times)
{
    dp_data *d = ((dashpot_engine *)self)->d;
    for (int i = 0; i < d->model->size.nbody; ++i) {
        d->scratch.wrench[i] = d->kin.link[i].F0;
    }
    for (int i = 0; i < times; ++i) {
        dp_articulated_factor_solve(d->scratch.v, &d->art, &d->kin, d->model,
                                    d->model->dof_armature, (dp_body_drag){NULL, 0.0},
                                    d->scratch.rhs, d->scratch.wrench);
    }
}

static void repeat_integrate(void *self, int times)
{
    dp_data *d = ((dashpot_engine *)self)->d;
    for (int i = 0; i < times; ++i) {
        dp_kin_advance(d->scratch.q, d->model, d->q, d->v, d->options.step);
    }
}

static void repeat_checks(void *self, int times)
{
    dp_data *d = ((dashpot_engine *)self)->d;
    for (int i = 0; i < times; ++i) {
        (void)!dp_data_check(d);
        dp_data_refresh(d);
    }
}

static const bench_stage STAGES[] = {
    {"kinematics", repeat_kinematics}, // poses, velocities, inertias, velocity terms
    {"forces", repeat_forces},
    {"factor+solve", repeat_factor_solve},
    {"integrate", repeat_integrate},
    {"checks", repeat_checks},
    {NULL, NULL},
};

static dp_status load(dp_model **out, const bench_setup *setup)
{
    dp_spec *spec = NULL;
    dp_status status;
    const dp_import_options options = dp_import_options_default();
    if (setup->path) {
        status = dp_mjcf_load(&spec, NULL, setup->path, &options);
    } else if (setup->text) {
        status =
            dp_mjcf_parse(&spec, NULL, setup->text, strlen(setup->text), "scene.xml", &options);
    } else {
        status = bench_chain_spec(&spec, setup->links);
    }
    if (status == DP_OK) {
        status = dp_model_compile(out, spec);
    }
    dp_spec_destroy(spec);
    return status;
}

static dp_status prepare(dashpot_engine *e, const bench_setup *setup)
{
    dp_status status = dp_data_create(&e->d, e->m, NULL);
    if (status == DP_OK && setup->keyframe) {
        dp_key_id key;
        status = dp_model_find_key(&key, e->m, setup->keyframe);
        status = status == DP_OK ? dp_data_reset_to_key(e->d, key) : status;
    }
    if (status != DP_OK) {
        return status;
    }
    dp_options *options = dp_data_options(e->d);
    options->step = setup->h;
    options->integrator = setup->method == BENCH_REFERENCE ? DP_INTEGRATOR_RK45
                          : setup->method == BENCH_RK4     ? DP_INTEGRATOR_RK4
                                                           : DP_INTEGRATOR_SEMI_IMPLICIT;
    if (setup->method == BENCH_REFERENCE) {
        options->relative_tolerance = options->absolute_tolerance = 1e-12; // near round-off
    }
    options->disable_dampers = options->disable_actuation = setup->conservative;
    options->disable_contact = true; // bench_contact.c measures it
    e->sensors = setup->sensors;

    const dp_model_size *size = dp_model_sizes(e->m);
    e->q0 = calloc((size_t)size->nq + 1, sizeof(double));
    e->v0 = calloc((size_t)size->nv + 1, sizeof(double));
    e->activation0 = calloc((size_t)size->na + 1, sizeof(double));
    if (!e->q0 || !e->v0 || !e->activation0) {
        return DP_ERROR_MEMORY;
    }
    state(e->q0, e->v0, e);
    memcpy(e->activation0, dp_data_activation(e->d), (size_t)size->na * sizeof(double));
    return dp_kinematics(e->d);
}

dp_status bench_dashpot(bench_engine *out, const bench_setup *setup)
{
    *out = (bench_engine){.name = "dashpot"};
    dashpot_engine *e = calloc(1, sizeof *e);
    if (!e) {
        return DP_ERROR_MEMORY;
    }
    dp_status status = load(&e->m, setup);
    status = status == DP_OK ? prepare(e, setup) : status;
    if (status != DP_OK) {
        destroy(e);
        return status;
    }
    strncpy(out->version, dp_version(), sizeof out->version - 1);
    out->self = e;
    out->start = start;
    out->reset = reset;
    out->run = run;
    out->state = state;
    out->stages = STAGES;
    out->destroy = destroy;
    return DP_OK;
}

const dp_model *bench_dashpot_model(const bench_engine *dashpot)
{
    return ((const dashpot_engine *)dashpot->self)->m;
}

dp_data *bench_dashpot_data(const bench_engine *dashpot)
{
    return ((dashpot_engine *)dashpot->self)->d;
}

static void store_v3(double *to, dp_v3 from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static void store_quat(double *to, dp_quat from)
{
    to[0] = from.w;
    to[1] = from.x;
    to[2] = from.y;
    to[3] = from.z;
}

static bool describe(bench_link *link, const dp_model *m, int b)
{
    const dp_body_info body = dp_model_body(m, (dp_body_id){b});
    const dp_joint_info joint = dp_model_joint(m, dp_model_body_joint(m, (dp_body_id){b}, 0));
    if (body.njoint != 1 || joint.kind != DP_JOINT_HINGE || joint.v_index != b - 1 ||
        joint.armature != 0.0 || joint.stiffness != 0.0 || body.gravity_compensation != 0.0) {
        return false;
    }
    link->parent = body.parent.index - 1;
    store_v3(link->position, body.pose.p);
    store_quat(link->rotation, body.pose.q);
    store_v3(link->anchor, joint.anchor);
    store_v3(link->axis, joint.axis);
    link->ref = joint.ref;
    link->damping = joint.damping;
    link->mass = body.inertial.mass;
    store_v3(link->com, body.inertial.frame.p);
    store_quat(link->principal, body.inertial.frame.q);
    store_v3(link->moments, body.inertial.moments);
    return true;
}

bench_link *bench_dashpot_links(int *count, const dp_model *m)
{
    const int n = dp_model_sizes(m)->nbody - 1;
    bench_link *link = calloc((size_t)n + 1, sizeof *link);
    bool fits = link && dp_model_sizes(m)->nactuator == 0;
    for (int b = 1; fits && b <= n; ++b) {
        fits = describe(&link[b - 1], m, b);
    }
    if (!fits) {
        free(link);
        return NULL;
    }
    *count = n;
    return link;
}

static void place(const bench_engine *dashpot, const double *q, const double *v)
{
    const dashpot_engine *e = dashpot->self;
    const dp_model_size *size = dp_model_sizes(e->m);
    memcpy(dp_data_q(e->d), q, (size_t)size->nq * sizeof *q);
    memcpy(dp_data_v(e->d), v, (size_t)size->nv * sizeof *v);
    (void)!dp_kinematics(e->d);
}

bench_energy bench_dashpot_energy(const bench_engine *dashpot, const double *q, const double *v)
{
    place(dashpot, q, v);
    const dp_energy energy = dp_data_energy(((const dashpot_engine *)dashpot->self)->d);
    return (bench_energy){energy.kinetic, energy.kinetic + energy.gravity + energy.spring};
}

void bench_dashpot_motion(double *x, double *u, const bench_engine *dashpot, const double *q,
                          const double *v)
{
    place(dashpot, q, v);
    const dashpot_engine *e = dashpot->self;
    for (int b = 1; b < dp_model_sizes(e->m)->nbody; ++b) {
        const dp_v3 centre = dp_inertial_pose(e->d, (dp_body_id){b}).p;
        const dp_v3 origin = dp_body_pose(e->d, (dp_body_id){b}).p;
        const dp_twist V =
            dp_twist_shift(dp_body_velocity(e->d, (dp_body_id){b}), dp_v3_sub(centre, origin));
        store_v3(x + 3 * (b - 1), centre);
        store_v3(u + 3 * (b - 1), V.v);
    }
}

// How far an equality is from being met [m, rad]; turning of a weld times its torque scale.
static double gap_of(const dp_data *d, const dp_equality *equality)
{
    const dp_model *m = d->model;
    const int *object = equality->object;
    if (equality->kind == DP_EQUALITY_JOINT) {
        const int y = m->joint[object[0]].q_index;
        double x = 0.0, sum = 0.0;
        if (object[1] >= 0) {
            const int at = m->joint[object[1]].q_index;
            x = d->q[at] - m->q_reference[at];
        }
        for (int k = 4; k >= 0; --k) {
            sum = sum * x + equality->polynomial[k];
        }
        return fabs(d->q[y] - m->q_reference[y] - sum);
    }
    dp_pose X[2];
    for (int i = 0; i < 2; ++i) {
        X[i] = dp_pose_mul(dp_body_pose(d, (dp_body_id){object[i]}), equality->frame[i]);
    }
    const double apart = dp_v3_norm(dp_v3_sub(X[1].p, X[0].p));
    if (equality->kind != DP_EQUALITY_WELD) {
        return apart;
    }
    const dp_quat turn = dp_quat_mul(dp_quat_conjugate(X[0].q), X[1].q);
    const double angle = 2.0 * dp_v3_norm((dp_v3){turn.x, turn.y, turn.z}); // small
    return fmax(apart, equality->torque_scale * angle);
}

bench_gaps bench_dashpot_gaps(const bench_engine *dashpot, const double *q, const double *v)
{
    place(dashpot, q, v);
    const dp_data *d = ((const dashpot_engine *)dashpot->self)->d;
    const dp_model *m = d->model;
    bench_gaps worst = {0.0, 0.0};
    for (int i = 0; i < m->size.nequality; ++i) {
        worst.loop = fmax(worst.loop, gap_of(d, &m->equality[i]));
    }
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        if (joint->limited && (joint->kind == DP_JOINT_HINGE || joint->kind == DP_JOINT_SLIDE)) {
            const double x = d->q[joint->q_index];
            worst.limit = fmax(worst.limit, fmax(joint->range[0] - x, x - joint->range[1]));
        }
    }
    return worst;
}

bool bench_dashpot_limited(const bench_engine *dashpot)
{
    const dp_model *m = bench_dashpot_model(dashpot);
    bool any = false;
    for (int j = 0; j < m->size.njoint; ++j) {
        any = any || m->joint[j].limited;
    }
    return any;
}
