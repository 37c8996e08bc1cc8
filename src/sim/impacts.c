#include "sim/impacts.h"

#include "problem/rigid.h"

#include <math.h>
#include <string.h>

// Of a contact, 0 where none was given; of other rows negative.
static double restitution_of(const dp_rows *rows, int block)
{
    const dp_row_owner *owner = &rows->owner[block];
    if (owner->source != DP_ROWS_CONTACT) {
        return -1.0;
    }
    const double given = rows->mixed[rows->mixed_of[owner->element]].law.restitution;
    return given > 0.0 ? given : 0.0;
}

// Does any pair of the model throw back? Mostly none does.
static bool find_restitutions(dp_constrained *c)
{
    bool any = false;
    for (int b = 0; b < c->problem.nblock; ++b) {
        c->landing.restitution[b] = restitution_of(&c->rows, b);
        any = any || c->landing.restitution[b] > 0.0;
    }
    return any;
}

// The velocities of struck trees, in the order of the model.
static void take_velocities(dp_data *d)
{
    dp_constrained *c = &d->rows;
    const dp_model *m = d->model;
    for (int i = 0; i < c->problem.ntree; ++i) {
        const int t = c->rows.tree[i], first = m->tree_start[t];
        if (c->landing.impact.struck[i]) {
            memcpy(c->landing.v + first, c->landing.impact.v + c->problem.tree_start[i],
                   (size_t)(m->tree_start[t + 1] - first) * sizeof *c->landing.v);
            c->landing.tree[t] = 1;
        }
    }
}

static void add_work(dp_data *d)
{
    const dp_impact *impact = &d->rows.landing.impact;
    d->info.passes += impact->passes;
    d->info.iterations += impact->iterations;
    d->info.factorizations += impact->factorizations;
    d->rows.solved = d->rows.solved && impact->solved;
}

// Forces of the step are those that led to the impact and those of the impact itself.
static void note_rows(dp_constrained *c)
{
    const dp_step_problem *p = &c->problem;
    const dp_impact *impact = &c->landing.impact;
    for (int b = 0; b < p->nblock; ++b) {
        const int i = impact->block_island[b];
        const bool struck = i >= 0 && impact->wanted[i];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const dp_row *row = &p->row[r];
            const bool end = dp_friction_of(p, b) || (row->lo == 0.0 && isinf(row->hi));
            c->landing.row[r] = struck && end;
            c->lambda[r] = struck ? impact->gamma[r] / p->h : c->lambda[r];
        }
    }
}

dp_status dp_impacts_find(dp_data *d, const dp_row_solve *s)
{
    dp_constrained *c = &d->rows;
    dp_landing *landing = &c->landing;
    const dp_law_options *opt = &d->options.law;
    const double gap = d->options.gap_tolerance;
    if (!dp_law_is_rigid(opt->law) || c->problem.nrow == 0 || !c->task) {
        return DP_OK;
    }
    const bool projects = opt->stabilisation == DP_STABILISE_PROJECTION;
    const bool strikes =
        find_restitutions(c) &&
        dp_impact_any(&c->problem, &c->solution, landing->restitution, opt->impact_speed);
    if (!projects && !strikes) {
        return DP_OK;
    }
    dp_stage_enter(&d->stopwatch, DP_STAGE_SOLVE);
    dp_law_certify(&landing->certificate, c->task, &c->solution, c->compliance.given, d->crew,
                   c->scratch);
    landing->certified = true;
    memcpy(landing->v, s->v, (size_t)d->model->size.nv * sizeof *landing->v);
    memset(landing->tree, 0, (size_t)d->model->size.ntree);
    landing->any = true;
    if (projects) {
        DP_TRY(dp_impact_project(&landing->impact, c->task, &c->problem, &c->solution, opt, gap));
        add_work(d);
        take_velocities(d);
    }
    landing->impact.count = 0;
    if (strikes) {
        DP_TRY(dp_impact_solve(&landing->impact, c->task, &c->problem, &c->solution,
                               landing->restitution, opt, gap));
        add_work(d);
        take_velocities(d);
        note_rows(c);
    }
    s->drift(landing->q1, landing->v1, d, landing->v, s->h);
    c->end_known = false; // other velocities end it
    return DP_OK;
}

void dp_impacts_land(dp_data *d, double *v1)
{
    const dp_model *m = d->model;
    const dp_landing *landing = &d->rows.landing;
    for (int t = 0; landing->any && t < m->size.ntree; ++t) {
        const int first = m->tree_start[t];
        if (landing->tree[t]) {
            memcpy(v1 + first, landing->v1 + first,
                   (size_t)(m->tree_start[t + 1] - first) * sizeof *v1);
        }
    }
}
