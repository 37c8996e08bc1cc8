#include "sim/sleep.h"

#include "sim/integrators/integrators.h"
#include "sim/parallel_for.h"
#include "sim/step/step.h"

#include <string.h>

void dp_sleep_carve(dp_sleep *s, dp_carver *c, const dp_model *m)
{
    const dp_model_size *n = &m->size;
    const size_t ntree = (size_t)n->ntree, nv = (size_t)n->nv;
    s->group = dp_carve(c, ntree, sizeof *s->group);
    dp_carve_doubles(c, ntree, (double **[]){&s->rest, &s->elastic, NULL});
    s->q = dp_carve(c, (size_t)n->nq, sizeof *s->q);
    dp_carve_doubles(c, nv, (double **[]){&s->force, &s->applied, &s->actuation, NULL});
    s->wrench = dp_carve(c, (size_t)n->nbody, sizeof *s->wrench);
    s->mocap = dp_carve(c, (size_t)n->nmocap, sizeof *s->mocap);
    s->control = dp_carve(c, (size_t)n->nu, sizeof *s->control);
    s->equality_active = dp_carve(c, (size_t)n->nequality, sizeof *s->equality_active);
    s->forces_known = dp_carve(c, ntree, sizeof *s->forces_known);
    s->island = dp_carve(c, ntree, sizeof *s->island);
    s->lowest = dp_carve(c, ntree, sizeof *s->lowest);
    s->island_sleeps = dp_carve(c, ntree + 1, sizeof *s->island_sleeps);
}

static bool is_on(const dp_data *d)
{
    return d->options.sleep_speed > 0.0 && dp_is_semi_implicit(&d->options);
}

void dp_sleep_reset(dp_data *d)
{
    const dp_model_size *n = &d->model->size;
    for (int t = 0; t < n->ntree; ++t) {
        d->sleep.group[t] = -1;
        d->sleep.rest[t] = d->sleep.elastic[t] = 0.0;
    }
    dp_sleep_renewed(d);
}

void dp_sleep_count(dp_data *d)
{
    d->sleep.count = 0;
    for (int t = 0; t < d->model->size.ntree; ++t) {
        d->sleep.count += d->sleep.group[t] >= 0;
    }
}

void dp_sleep_renewed(dp_data *d)
{
    const dp_model_size *n = &d->model->size;
    dp_sleep *s = &d->sleep;
    dp_sleep_count(d);
    memset(s->forces_known, 0, (size_t)n->ntree * sizeof *s->forces_known);
    memcpy(s->q, d->q, (size_t)n->nq * sizeof *s->q);
    memcpy(s->mocap, d->mocap, (size_t)n->nmocap * sizeof *s->mocap);
    memcpy(s->equality_active, d->rows.equality_active, (size_t)n->nequality);
    s->options = d->options;
}

static void wake_group(dp_sleep *s, int ntree, int group)
{
    for (int t = group; t < ntree; ++t) {
        if (s->group[t] == group) {
            s->group[t] = -1;
            s->rest[t] = 0.0;
            s->count--;
        }
    }
    s->elastic[group] = 0.0;
}

static void wake(dp_data *d, int tree)
{
    if (d->sleep.group[tree] >= 0) {
        wake_group(&d->sleep, d->model->size.ntree, d->sleep.group[tree]);
    }
}

void dp_sleep_wake_all(dp_data *d)
{
    for (int t = 0; t < d->model->size.ntree; ++t) {
        wake(d, t);
    }
}

// ---- what disturbs

static bool differ(const double *a, const double *b, int first, int end)
{
    return memcmp(a + first, b + first, (size_t)(end - first) * sizeof *a) != 0;
}

// Has the world changed?
static bool options_differ(const dp_options *a, const dp_options *b)
{
    return memcmp(&a->gravity, &b->gravity, sizeof a->gravity) != 0 ||
           memcmp(&a->wind, &b->wind, sizeof a->wind) != 0 ||
           a->fluid_density != b->fluid_density || a->fluid_viscosity != b->fluid_viscosity ||
           a->contact_stiffness_scale != b->contact_stiffness_scale ||
           a->contact_friction_scale != b->contact_friction_scale ||
           a->disable_gravity != b->disable_gravity || a->disable_contact != b->disable_contact ||
           a->disable_limits != b->disable_limits || a->disable_equality != b->disable_equality ||
           a->disable_springs != b->disable_springs || a->disable_dampers != b->disable_dampers ||
           a->disable_actuation != b->disable_actuation;
}

static bool was_moved(const dp_data *d, int t)
{
    const dp_model *m = d->model;
    const dp_sleep *s = &d->sleep;
    const int first = m->tree_start[t], end = m->tree_start[t + 1];
    for (int k = first; k < end; ++k) {
        if (d->v[k] != 0.0) {
            return true;
        }
    }
    return differ(d->q, s->q, dp_tree_q(m, t), dp_tree_q(m, t + 1)) ||
           differ(d->force, s->force, first, end);
}

// Drives whose control has changed wake what they move.
static void check_controls(dp_data *d)
{
    const dp_model *m = d->model;
    const dp_transmission_set *t = &d->transmission;
    for (int u = 0; u < m->size.nu; ++u) {
        for (int k = 0; d->control[u] != d->sleep.control[u] && k < t->count[u]; ++k) {
            wake(d, m->body[m->dof_body[t->dof[t->start[u] + (size_t)k]]].tree);
        }
    }
}

void dp_sleep_check_state(dp_data *d)
{
    const dp_model *m = d->model;
    dp_sleep *s = &d->sleep;
    const size_t mocap_bytes = (size_t)m->size.nmocap * sizeof *s->mocap;
    s->mocap_moved = m->moves_mocap || memcmp(s->mocap, d->mocap, mocap_bytes) != 0;
    memcpy(s->mocap, d->mocap, mocap_bytes);
    if (s->count == 0) {
        return;
    }
    if (!is_on(d) || options_differ(&s->options, &d->options) || d->rows.most.nuser > 0 ||
        memcmp(s->equality_active, d->rows.equality_active, (size_t)m->size.nequality) != 0) {
        dp_sleep_wake_all(d);
        return;
    }
    for (int t = 0; t < m->size.ntree; ++t) {
        if (s->group[t] >= 0 && was_moved(d, t)) {
            wake(d, t);
        }
    }
    for (int i = 1; i < m->size.nbody; ++i) {
        const int t = m->body[i].tree;
        if (t >= 0 && s->group[t] >= 0 &&
            memcmp(&s->wrench[i], &d->wrench[i], sizeof *s->wrench) != 0) {
            wake(d, t);
        }
    }
    check_controls(d);
}

// Those that they sleep with, where nobody has noted them yet.
static void note_forces(dp_data *d, int t)
{
    const dp_model *m = d->model;
    dp_sleep *s = &d->sleep;
    const size_t first = (size_t)m->tree_start[t], n = (size_t)m->tree_start[t + 1] - first;
    memcpy(s->applied + first, d->forces.applied + first, n * sizeof *s->applied);
    memcpy(s->actuation + first, d->forces.actuation + first, n * sizeof *s->actuation);
    s->forces_known[t] = true;
}

void dp_sleep_check_forces(dp_data *d)
{
    const dp_model *m = d->model;
    dp_sleep *s = &d->sleep;
    for (int t = 0; s->count > 0 && t < m->size.ntree; ++t) {
        if (s->group[t] < 0) {
            continue;
        }
        const int first = m->tree_start[t], end = m->tree_start[t + 1];
        if (!s->forces_known[t]) {
            note_forces(d, t);
        } else if (differ(s->applied, d->forces.applied, first, end) ||
                   differ(s->actuation, d->forces.actuation, first, end)) {
            wake(d, t);
        }
    }
}

bool dp_sleep_check_contacts(dp_data *d)
{
    const dp_model *m = d->model;
    const dp_contact_list *list = &d->contacts.now;
    bool any = false;
    if (d->sleep.count == 0 || d->sleep.ignored) {
        return false;
    }
    for (int i = 0; i < list->npair; ++i) {
        for (int k = 0; k < 2; ++k) { // pairs that nothing moves are not in the list
            const int t = m->body[m->geom[list->pair[i].geom[k]].body].tree;
            if (t >= 0 && d->sleep.group[t] >= 0) {
                wake(d, t);
                any = true;
            }
        }
    }
    return any;
}

// ---- falling asleep

static dp_status watch_trees(void *job, int first, int end)
{
    const dp_tree_job *r = job;
    dp_data *d = r->d;
    const dp_model *m = d->model;
    const dp_trees part = dp_trees_of(m, first, end);
    dp_tree_balance *sum = d->scratch.balance;
    memset(sum + first, 0, (size_t)(end - first) * sizeof *sum);
    for (int i = part.first_body; i < part.end_body; ++i) {
        const int t = m->body[i].tree;
        if (t >= 0 && d->sleep.group[t] < 0) {
            const dp_link *link = &d->kin.link[i];
            sum[t].mass += link->J.m;
            sum[t].kinetic += 0.5 * dp_power(link->V, dp_rigid_inertia_apply(&link->J, link->V));
        }
    }
    const double limit = d->options.sleep_speed * d->options.sleep_speed;
    for (int t = first; t < end; ++t) {
        const bool rests = 2.0 * sum[t].kinetic <= limit * sum[t].mass;
        d->sleep.rest[t] = d->sleep.group[t] >= 0 || rests ? d->sleep.rest[t] + r->h : 0.0;
    }
    return DP_OK;
}

// Which islands may sleep: those that have contacts and no other rows, and whose trees all rest.
static void judge_islands(dp_data *d)
{
    const dp_model *m = d->model;
    const dp_constrained *c = &d->rows;
    dp_sleep *s = &d->sleep;
    const int count = dp_law_islands(s->island, c->task);
    for (int i = 0; i < count; ++i) {
        s->island_sleeps[i] = true;
    }
    for (int i = 0; i < c->problem.ntree; ++i) {
        const bool tired = s->rest[c->rows.tree[i]] >= d->options.sleep_time;
        if (s->island[i] >= 0 && !tired) {
            s->island_sleeps[s->island[i]] = false;
        }
    }
    const int others = c->rows.col_start[dp_first_contact(&c->rows)];
    for (int k = 0; k < others; ++k) {
        const int i = c->rows.tree_index[m->body[m->dof_body[c->rows.col[k]]].tree];
        if (s->island[i] >= 0) {
            s->island_sleeps[s->island[i]] = false;
        }
    }
}

static void put_to_sleep(dp_data *d, int t, int group)
{
    const dp_model *m = d->model;
    dp_sleep *s = &d->sleep;
    const size_t q = (size_t)dp_tree_q(m, t), nq = (size_t)dp_tree_q(m, t + 1) - q;
    const size_t v = (size_t)m->tree_start[t], nv = (size_t)m->tree_start[t + 1] - v;
    memset(d->v + v, 0, nv * sizeof *d->v);
    memcpy(s->q + q, d->q + q, nq * sizeof *s->q);
    memcpy(s->force + v, d->force + v, nv * sizeof *s->force);
    s->forces_known[t] = false; // they were those of a tree that moved a little
    s->group[t] = group;
    s->count++;
}

// What is left in the springs of contacts, once it is known who sleeps.
static void keep_elastic(dp_data *d)
{
    const dp_model *m = d->model;
    const dp_constrained *c = &d->rows;
    const dp_contact_parts *contacts = &c->rows.contacts;
    for (int b = contacts->first; b < contacts->first + contacts->count; ++b) {
        const int t = m->body[m->dof_body[c->rows.col[c->rows.col_start[b]]]].tree;
        if (d->sleep.group[t] >= 0) {
            d->sleep.elastic[d->sleep.group[t]] += dp_ledger_held(d, b);
        }
    }
}

// @return how many
static int fall_asleep(dp_data *d)
{
    const dp_model *m = d->model;
    const dp_constrained *c = &d->rows;
    dp_sleep *s = &d->sleep;
    const bool rows = c->possible && c->problem.nrow > 0;
    int *lowest = d->sleep.lowest;
    const int before = s->count;
    if (rows) {
        judge_islands(d);
        for (int i = 0; i < c->problem.ntree; ++i) {
            lowest[i] = -1;
        }
    }
    for (int t = 0; t < m->size.ntree; ++t) {
        const int i = rows ? c->rows.tree_index[t] : -1, island = i >= 0 ? s->island[i] : -1;
        const bool sleeps =
            island >= 0 ? s->island_sleeps[island] : s->rest[t] >= d->options.sleep_time;
        if (s->group[t] >= 0 || !sleeps) {
            continue;
        }
        if (island >= 0 && lowest[island] < 0) {
            lowest[island] = t;
        }
        put_to_sleep(d, t, island >= 0 ? lowest[island] : t);
    }
    if (s->count > before && rows && d->options.ledger) {
        keep_elastic(d);
    }
    return s->count - before;
}

void dp_sleep_fall(dp_data *d, double h)
{
    const dp_model_size *n = &d->model->size;
    dp_sleep *s = &d->sleep;
    if (!is_on(d)) {
        return;
    }
    dp_tree_job r = {.d = d, .h = h};
    dp_spread_trees(d, watch_trees, &r);
    if (fall_asleep(d) > 0) {
        memcpy(s->control, d->control, (size_t)n->nu * sizeof *s->control);
        memcpy(s->equality_active, d->rows.equality_active, (size_t)n->nequality);
        memcpy(s->wrench, d->wrench, (size_t)n->nbody * sizeof *s->wrench);
        s->options = d->options;
        dp_data_refresh(d);
    }
    d->report->asleep = s->count;
}

double dp_sleep_elastic(const dp_data *d)
{
    double sum = 0.0;
    for (int t = 0; d->sleep.count > 0 && t < d->model->size.ntree; ++t) {
        sum += d->sleep.elastic[t];
    }
    return sum;
}

// ---- questions

bool dp_body_is_asleep(const dp_data *d, dp_body_id b)
{
    const dp_model *m = d->model;
    const int t = b.index > 0 && b.index < m->size.nbody ? m->body[b.index].tree : -1;
    return t >= 0 && d->sleep.group[t] >= 0;
}

void dp_body_wake(dp_data *d, dp_body_id b)
{
    if (dp_body_is_asleep(d, b)) {
        wake(d, d->model->body[b.index].tree);
    }
}
