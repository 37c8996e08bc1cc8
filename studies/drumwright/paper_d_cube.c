#include "drumwright/paper_d_cube.h"

#include "common/signals.h"
#include "drumwright/paper_d_qp.h"
#include "methods/free_joint.h"

#include <dashpot/advanced/problem.h>
#include <dashpot/advanced/step.h>

#include <stdio.h>
#include <string.h>

// --- the scene --------------------------------------------------------------------------------

static bool refuse(cli_cube_run *o)
{
    return cli_paper_refuse(o->p, "a box that floats, with springs under its lower face over a "
                                  "level plane, and forces on points of it in world axes");
}

static bool is_given(const char *text)
{
    return text && text[0] != '\0';
}

// The force of the scene at t = 0, downwards.
static bool load_at_start(double *out, cli_cube_run *o)
{
    *out = 0.0;
    for (int i = 0; i < dp_spec_force_count(o->scene.spec); ++i) {
        const char *text = dp_spec_force(o->scene.spec, (dp_force_id){i})->force[2];
        dp_expression *e = NULL;
        double value = 0.0;
        const bool fine =
            !is_given(text) || (cli_paper_works(o->p, dp_expression_parse(&e, text, NULL)) &&
                                cli_paper_works(o->p, dp_expression_value(e, 0.0, &value)));
        dp_expression_destroy(e);
        if (!fine) {
            o->p->bad_input = true;
            return false;
        }
        *out -= value;
    }
    return true;
}

static bool set_force(cli_cube_run *o, int i, double factor)
{
    dp_force_spec *force = dp_spec_force(o->scene.spec, (dp_force_id){i});
    cli_cube_force *to = &o->cube.force[i];
    to->point = force->point;
    if (!force->body || force->site || force->joint || force->local) {
        return refuse(o);
    }
    for (int k = 0; k < 3; ++k) {
        if (is_given(force->torque[k])) {
            return refuse(o);
        }
        if (!is_given(force->force[k])) {
            continue;
        }
        char *text = o->text[i][k];
        const int length = snprintf(text, CLI_CUBE_TEXT, "%.17g*(%s)", factor, force->force[k]);
        if (length >= CLI_CUBE_TEXT) {
            return refuse(o);
        }
        force->force[k] = text;
        if (!cli_paper_works(o->p, dp_expression_parse(&to->along[k], text, NULL))) {
            o->p->bad_input = true;
            return false;
        }
    }
    return true;
}

static bool set_forces(cli_cube_run *o, double load)
{
    const int count = dp_spec_force_count(o->scene.spec);
    double now;
    if (count > CLI_CUBE_FORCES) {
        return refuse(o);
    }
    if (!load_at_start(&now, o)) {
        return false;
    }
    if (load > 0.0 && !(now > 0.0)) {
        return cli_paper_refuse(o->p, "forces that press downwards at the start");
    }
    for (int i = 0; i < count; ++i) {
        o->cube.nforce = i + 1;
        if (!set_force(o, i, load > 0.0 ? load / now : 1.0)) {
            return false;
        }
    }
    return true;
}

static bool set_springs(cli_cube_run *o, const cli_cube_case *which)
{
    for (int i = 0; i < dp_spec_geom_count(o->scene.spec); ++i) {
        dp_foundation_spec *f = &dp_spec_geom(o->scene.spec, (dp_geom_id){i})->foundation;
        if (f->nx > 0) {
            f->nx = which->side > 0 ? which->side : f->nx;
            f->ny = which->side > 0 ? which->side : f->ny;
            f->youngs_modulus = which->E > 0.0 ? which->E : f->youngs_modulus;
            return true;
        }
    }
    return refuse(o);
}

// --- the same as an ODE -----------------------------------------------------------------------

static bool is_still(dp_quat q)
{
    return fabs(fabs(q.w) - 1.0) < 1e-12;
}

static bool is_zero(dp_v3 x)
{
    return fabs(x.x) + fabs(x.y) + fabs(x.z) < 1e-12;
}

static bool read_model(cli_cube_run *o)
{
    const dp_model *m = o->scene.model;
    const dp_model_size *size = dp_model_sizes(m);
    const dp_foundation_info f = dp_model_foundation(m, 0);
    if (size->nv != 6 || size->nq != 7 || size->nfoundation != 1) {
        return refuse(o);
    }
    const dp_geom_info box = dp_model_geom(m, f.geom), plane = dp_model_geom(m, f.plane);
    const dp_body_info body = dp_model_body(m, box.body);
    const dp_v3 g = dp_model_options(m)->gravity;
    if (plane.body.index != 0 || !is_still(plane.pose.q) || !is_still(body.pose.q) ||
        !is_still(box.pose.q) || !is_zero(box.pose.p) || !is_still(body.inertial.frame.q) ||
        !is_zero(body.inertial.frame.p) || box.foundation.face != DP_BOX_FACE_MINUS_Z ||
        body.nv != 6 || !is_zero((dp_v3){g.x, g.y, 0.0}) || g.z >= 0.0) {
        return refuse(o);
    }
    o->geom = f.geom;
    cli_cube *c = &o->cube;
    const dp_v3 moments = body.inertial.moments;
    c->mass = body.inertial.mass;
    memcpy(c->moments, (const double[3]){moments.x, moments.y, moments.z}, sizeof c->moments);
    memcpy(c->half, box.size, sizeof c->half);
    c->gap = body.pose.p.z - plane.pose.p.z - c->half[2];
    c->gravity = -g.z;
    c->nx = box.foundation.nx;
    c->ny = box.foundation.ny;
    c->k = f.stiffness;
    c->b = box.foundation.damping;
    o->depth = c->mass * c->gravity / (c->k * c->nx * c->ny);
    return true;
}

bool cli_cube_begin(cli_cube_run *o, cli_paper *p, const cli_cube_case *which)
{
    *o = (cli_cube_run){.p = p};
    if (!cli_paper_load(&o->scene, p) || !set_springs(o, which) || !set_forces(o, which->load)) {
        return false;
    }
    if (!cli_paper_works(p, dp_model_compile(&o->scene.model, o->scene.spec))) {
        p->bad_input = true;
        return false;
    }
    return read_model(o) && cli_paper_works(p, cli_data_create(&o->data, o->scene.model));
}

void cli_cube_end(cli_cube_run *o)
{
    for (int i = 0; i < o->cube.nforce; ++i) {
        for (int k = 0; k < 3; ++k) {
            dp_expression_destroy(o->cube.force[i].along[k]);
        }
    }
    dp_data_destroy(o->data);
    cli_scene_destroy(&o->scene);
}

// --- where it gets ----------------------------------------------------------------------------

static void start(cli_cube_run *o, double h)
{
    dp_data_reset(o->data);
    dp_data_options(o->data)->step = h;
}

bool cli_cube_advance(cli_cube_run *o, double h, int steps)
{
    start(o, h);
    for (int i = 0; i < steps; ++i) {
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
    }
    return true;
}

// One step by the program.
static bool step_printed(cli_cube_run *o, cli_qp *q)
{
    dp_data *d = o->data;
    if (!cli_paper_works(o->p, dp_forward(d))) {
        return false;
    }
    const dp_step_problem *p = dp_data_problem(d);
    if (p->nrow == 0) {
        return cli_paper_works(o->p, dp_step(d));
    }
    if (!cli_qp_solve(q, p)) {
        o->p->out_of_memory = o->p->out_of_memory || !q->memory;
        return q->memory ? refuse(o) : false;
    }
    memcpy(dp_data_v(d), q->v, (size_t)p->nv * sizeof *q->v);
    cli_free_joint_move(dp_data_q(d), q->v, p->h);
    dp_data_set_time(d, dp_data_time(d) + p->h);
    return cli_paper_works(o->p, dp_kinematics(d));
}

bool cli_cube_advance_printed(cli_cube_run *o, double h, int steps)
{
    start(o, h);
    cli_qp q = {0};
    bool fine = true;
    for (int i = 0; i < steps && fine; ++i) {
        fine = step_printed(o, &q);
    }
    cli_qp_end(&q);
    return fine;
}

cli_cube_place cli_cube_stepped(const cli_cube_run *o)
{
    cli_cube_place at;
    memcpy(at.q, dp_data_q(o->data), sizeof at.q);
    return at;
}

cli_cube_place cli_cube_placed(const cli_cube_run *o, const double *y)
{
    const dp_body_id body = dp_model_geom(o->scene.model, o->geom).body;
    const dp_v3 p = dp_model_body(o->scene.model, body).pose.p;
    const double angle = sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5]);
    const double s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    return (cli_cube_place){
        {p.x + y[0], p.y + y[1], p.z + y[2], cos(0.5 * angle), s * y[3], s * y[4], s * y[5]}};
}

double cli_cube_distance(const cli_cube_place *a, const cli_cube_place *b)
{
    double sum = 0.0;
    for (int i = 0; i < 7; ++i) {
        sum += (a->q[i] - b->q[i]) * (a->q[i] - b->q[i]);
    }
    return sqrt(sum);
}
