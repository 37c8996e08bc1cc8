// Runs the library under audit by its public API, and writes down what it says. The only file of
// the auditor that knows the library.
#include "audit_recording.h"

#include <dashpot/advanced/problem.h>
#include <dashpot/advanced/step.h>
#include <dashpot/contact.h>
#include <dashpot/dashpot.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct run {
    dp_spec *spec;
    dp_model *m;
    dp_data *d, *shadow; // the shadow evaluates forces where the run itself must not
} run;

static void run_close(run *x)
{
    dp_data_destroy(x->shadow);
    dp_data_destroy(x->d);
    dp_model_destroy(x->m);
    dp_spec_destroy(x->spec);
    *x = (run){NULL, NULL, NULL, NULL};
}

static dp_status run_begin(dp_data **out, const dp_model *m)
{
    const dp_status status = dp_data_create(out, m, NULL);
    if (status != DP_OK) {
        return status;
    }
    return dp_data_reset_to_key(*out, (dp_key_id){0});
}

static dp_status run_open(run *x, const char *mjcf)
{
    *x = (run){NULL, NULL, NULL, NULL};
    const dp_import_options options = dp_import_options_default();
    dp_status status = dp_mjcf_parse(&x->spec, NULL, mjcf, strlen(mjcf), "scene.xml", &options);
    if (status == DP_OK) {
        status = dp_model_compile(&x->m, x->spec);
    }
    if (status == DP_OK) {
        status = run_begin(&x->d, x->m);
    }
    return status;
}

static void complain(audit_recording *out, audit_end end, const char *text)
{
    out->end = end;
    (void)snprintf(out->message, sizeof out->message, "%s", text);
}

// Ids of the model are numbers of the scene.
static bool same_numbers(audit_recording *out, const audit_scene *s, const dp_model *m)
{
    const dp_model_size *size = dp_model_sizes(m);
    if (size->nbody != s->nbody || size->njoint != s->njoint || size->ngeom != s->ngeom ||
        size->nq != s->nq || size->nv != s->nv || size->ntendon != s->ntendon ||
        size->nequality != s->nequality || size->nactuator != s->nactuator ||
        size->nmocap != s->nmocap || size->nforce != s->nforce || size->nmotion != s->nmotion) {
        complain(out, AUDIT_BROKEN, "the model has other sizes than the scene");
        return false;
    }
    char name[16];
    for (int i = 1; i < s->nbody; ++i) {
        dp_body_id id;
        (void)snprintf(name, sizeof name, "b%d", i);
        if (dp_model_find_body(&id, m, name) != DP_OK || id.index != i ||
            dp_model_body(m, id).parent.index != s->body[i].parent ||
            dp_model_body(m, id).mocap != s->body[i].mocap) {
            complain(out, AUDIT_BROKEN, name);
            return false;
        }
    }
    for (int i = 0; i < s->ngeom; ++i) {
        dp_geom_id id;
        (void)snprintf(name, sizeof name, "g%d", i);
        if (dp_model_find_geom(&id, m, name) != DP_OK || id.index != i ||
            dp_model_geom(m, id).body.index != s->geom[i].body) {
            complain(out, AUDIT_BROKEN, name);
            return false;
        }
    }
    for (int i = 0; i < s->njoint; ++i) {
        dp_joint_id id;
        (void)snprintf(name, sizeof name, "j%d", i);
        if (dp_model_find_joint(&id, m, name) != DP_OK || id.index != i ||
            dp_model_joint(m, id).v_index != s->joint[i].v ||
            dp_model_joint(m, id).q_index != s->joint[i].q) {
            complain(out, AUDIT_BROKEN, name);
            return false;
        }
    }
    return true;
}

static void store3(double *out, dp_v3 x)
{
    out[0] = x.x;
    out[1] = x.y;
    out[2] = x.z;
}

static void take_sample(audit_sample *out, const audit_scene *s, run *x)
{
    const dp_model_size *size = dp_model_sizes(x->m);
    memset(out, 0, sizeof *out);
    out->t = dp_data_time(x->d);
    memcpy(out->q, dp_data_q(x->d), (size_t)size->nq * sizeof(double));
    memcpy(out->v, dp_data_v(x->d), (size_t)size->nv * sizeof(double));
    memcpy(out->activation, dp_data_activation(x->d), (size_t)size->na * sizeof(double));
    out->hash = dp_state_hash(x->d);
    for (int b = 0; b < s->nbody; ++b) {
        const dp_pose X = dp_body_pose(x->d, (dp_body_id){b});
        const dp_twist V = dp_body_velocity(x->d, (dp_body_id){b});
        audit_body_state *o = &out->body[b];
        store3(o->pos, X.p);
        o->quat[0] = X.q.w;
        o->quat[1] = X.q.x;
        o->quat[2] = X.q.y;
        o->quat[3] = X.q.z;
        store3(o->w, V.w);
        store3(o->v, V.v);
    }
    const dp_energy e = dp_data_energy(x->d);
    const dp_ledger *l = dp_data_ledger(x->d);
    out->ledger = (audit_ledger){.kept = dp_data_options(x->d)->ledger && l->begun,
                                 .kinetic = e.kinetic,
                                 .gravity = e.gravity,
                                 .spring = e.spring,
                                 .elastic_before = l->elastic_before,
                                 .elastic = l->elastic,
                                 .applied = l->applied,
                                 .drives = l->drives,
                                 .moved = l->moved,
                                 .corrected = l->corrected,
                                 .damped = l->damped,
                                 .friction = l->friction,
                                 .impacts = l->impacts,
                                 .remainder = l->remainder};
    // What the next step would refuse, dp_forward does, too.
    out->tendons_known =
        s->ntendon > 0 && dp_data_copy(x->shadow, x->d) == DP_OK && dp_forward(x->shadow) == DP_OK;
    for (int i = 0; out->tendons_known && i < s->ntendon; ++i) {
        out->tendon_length[i] = dp_tendon_length(x->shadow, (dp_tendon_id){i});
        out->tendon_rate[i] = dp_tendon_velocity(x->shadow, (dp_tendon_id){i});
    }
}

static void take_contact(audit_contact *o, const dp_contact *c, double h)
{
    *o = (audit_contact){.geom = {c->geom[0].index, c->geom[1].index},
                         .body = {c->body[0].index, c->body[1].index},
                         .pair = c->pair.index,
                         .start_gap = c->start_gap,
                         .gap = c->gap,
                         .normal_impulse = h * c->normal_force,
                         .friction = {h * c->friction[0], h * c->friction[1]},
                         .torsion = h * c->torsion,
                         .roll = {h * c->roll[0], h * c->roll[1]},
                         .approach = c->approach,
                         .slip = {c->slip[0], c->slip[1]},
                         .spin = c->spin,
                         .mode = (audit_contact_mode)c->state,
                         .law = (audit_normal_law)c->law.kind,
                         .stiffness = c->stiffness,
                         .damping = c->damping,
                         .dissipation = c->law.dissipation,
                         .condim = c->condim,
                         .mu = {c->limit.mu[0], c->limit.mu[1]},
                         .mu_torsion = c->limit.torsion,
                         .mu_roll = {c->limit.roll[0], c->limit.roll[1]}};
    store3(o->point, c->point);
    store3(o->normal, c->normal);
    store3(o->tangent[0], c->tangent[0]);
    store3(o->tangent[1], c->tangent[1]);
    const dp_wrench w = (dp_wrench){c->torque, c->force};
    store3(o->impulse, w.f);
    store3(o->moment, w.t);
    for (int i = 0; i < 3; ++i) {
        o->impulse[i] *= h;
        o->moment[i] *= h;
    }
}

// Trees that an element moves: the problem numbers the velocities of trees with rows alone, in the
// order of the model.
static void mark_body(bool *held, const dp_model *m, int body)
{
    const int tree = body > 0 ? dp_model_body(m, (dp_body_id){body}).tree : -1;
    if (tree >= 0) {
        held[tree] = true;
    }
}

static void mark_joint(bool *held, const audit_scene *s, const dp_model *m, int joint)
{
    if (joint >= 0) {
        mark_body(held, m, s->joint[joint].body);
    }
}

static void mark_tendon(bool *held, const audit_scene *s, const dp_model *m, int tendon)
{
    const audit_tendon *t = &s->tendon[tendon];
    for (int i = 0; i < t->nwrap; ++i) {
        const audit_wrap *w = &t->wrap[i];
        if (w->kind == AUDIT_WRAP_JOINT) {
            mark_joint(held, s, m, w->object);
        } else if (w->kind == AUDIT_WRAP_SITE) {
            mark_body(held, m, s->site[w->object].body);
        } else if (w->kind == AUDIT_WRAP_GEOM) {
            mark_body(held, m, s->geom[w->object].body);
        }
    }
}

static void mark_row(bool *held, const audit_scene *s, const dp_model *m, const dp_row_info *row,
                     const audit_step *step)
{
    switch (row->source) {
    case DP_ROW_SOURCE_EQUALITY: {
        const audit_equality *e = &s->equality[row->element];
        for (int k = 0; k < 2; ++k) {
            if (e->kind == AUDIT_EQ_JOINT) {
                mark_joint(held, s, m, e->object[k]);
            } else if (e->kind == AUDIT_EQ_TENDON) {
                if (e->object[k] >= 0) {
                    mark_tendon(held, s, m, e->object[k]);
                }
            } else {
                mark_body(held, m, e->object[k]);
            }
        }
        break;
    }
    case DP_ROW_SOURCE_JOINT_LIMIT:
    case DP_ROW_SOURCE_JOINT_FRICTION:
        mark_joint(held, s, m, row->element);
        break;
    case DP_ROW_SOURCE_TENDON_LIMIT:
    case DP_ROW_SOURCE_TENDON_SPRING:
    case DP_ROW_SOURCE_TENDON_FRICTION:
        mark_tendon(held, s, m, row->element);
        break;
    case DP_ROW_SOURCE_DRIVE: {
        const audit_actuator *a = &s->actuator[row->element];
        if (a->target == AUDIT_ON_JOINT) {
            mark_joint(held, s, m, a->object);
        } else if (a->target == AUDIT_ON_TENDON) {
            mark_tendon(held, s, m, a->object);
        } else {
            mark_body(held, m, s->site[a->object].body);
        }
        break;
    }
    case DP_ROW_SOURCE_MOTION:
        mark_joint(held, s, m, s->motion[row->element].joint);
        break;
    case DP_ROW_SOURCE_FOUNDATION: {
        const dp_foundation_info f = dp_model_foundation(m, row->element);
        mark_body(held, m, dp_model_geom(m, f.geom).body.index);
        mark_body(held, m, dp_model_geom(m, f.plane).body.index);
        break;
    }
    case DP_ROW_SOURCE_CONTACT:
        if (row->element < step->ncontact) {
            mark_body(held, m, step->contact[row->element].body[0]);
            mark_body(held, m, step->contact[row->element].body[1]);
        }
        break;
    case DP_ROW_SOURCE_USER:
    case DP_ROW_SOURCES:
        break;
    }
}

// Velocity of the model for each one of the problem; false: not known.
static bool velocities_of(int *velocity, const audit_scene *s, const run *x, const audit_step *step,
                          const dp_step_problem *p)
{
    const dp_model_size *size = dp_model_sizes(x->m);
    bool held[AUDIT_NV] = {false};
    for (int i = 0; i < step->nrow; ++i) {
        const dp_row_info row = dp_data_row(x->d, i);
        mark_row(held, s, x->m, &row, step);
    }
    int n = 0;
    for (int b = 1; b < s->nbody; ++b) { // bodies are in the order of their velocities
        const dp_body_info info = dp_model_body(x->m, (dp_body_id){b});
        if (info.tree >= 0 && held[info.tree]) {
            for (int k = 0; k < info.nv; ++k) {
                if (n < size->nv) {
                    velocity[n] = info.v_index + k;
                }
                ++n;
            }
        }
    }
    return n == p->nv;
}

static void *take(size_t count, size_t bytes)
{
    void *out = calloc(count > 0 ? count : 1, bytes);
    if (!out) {
        abort();
    }
    return out;
}

static void take_rows(audit_step *out, const audit_scene *s, const run *x)
{
    const dp_step_problem *p = dp_data_problem(x->d);
    out->part_length = p->nrow > 0 ? p->h : s->option.step / (out->parts > 0 ? out->parts : 1);
    out->ncontact = dp_data_contact_count(x->d);
    out->contact = take((size_t)out->ncontact, sizeof *out->contact);
    for (int i = 0; i < out->ncontact; ++i) {
        const dp_contact c = dp_data_contact(x->d, i);
        take_contact(&out->contact[i], &c, out->part_length);
    }
    out->nrow = dp_data_row_count(x->d);
    out->row = take((size_t)out->nrow, sizeof *out->row);
    if (out->nrow == 0) {
        return;
    }
    int velocity[AUDIT_NV];
    const bool known = out->nrow == p->nrow && velocities_of(velocity, s, x, out, p);
    out->G = known ? take((size_t)(out->nrow * s->nv), sizeof *out->G) : NULL;
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->col_start[b], ncol = p->col_start[b + 1] - first;
        for (int i = p->row_start[b]; i < p->row_start[b + 1]; ++i) {
            const dp_row_info row = dp_data_row(x->d, i);
            out->row[i] = (audit_row){.source = (audit_row_source)row.source,
                                      .element = row.element,
                                      .component = row.component,
                                      .start_gap = row.start_gap,
                                      .start_rate = row.start_rate,
                                      .gap = row.gap,
                                      .rate = row.rate,
                                      .impulse = row.force * p->h,
                                      .state = (int)row.state,
                                      .len = p->row[i].len,
                                      .k = p->row[i].k,
                                      .b = p->row[i].b,
                                      .lo = p->row[i].lo,
                                      .hi = p->row[i].hi,
                                      .jacobian = known ? i * s->nv : -1};
            const double *G = p->G + p->G_start[b] + (size_t)(i - p->row_start[b]) * (size_t)ncol;
            for (int k = 0; known && k < ncol; ++k) {
                out->G[i * s->nv + velocity[p->col[first + k]]] = G[k];
            }
        }
    }
}

static void take_step(audit_step *out, const audit_scene *s, const run *x)
{
    const dp_step_report *info = dp_data_report(x->d);
    const dp_certificate *c = &dp_data_report(x->d)->certificate;
    *out = (audit_step){.parts = info->work.substeps > 0 ? info->work.substeps : 1,
                        .rejected = info->work.rejected,
                        .recovering = info->recovering,
                        .dropped = info->dropped,
                        .impacts = info->impacts,
                        .impact_gains = info->impact_gains,
                        .unsolved = info->unsolved,
                        .transported = info->transported,
                        .asleep = info->asleep,
                        .outcome = (int)info->outcome,
                        .fallbacks = c->fallbacks,
                        .painleve = c->painleve,
                        .replaced = c->replaced,
                        .residual = info->residual,
                        .gap_error = info->gap_error,
                        .inconsistent = info->inconsistent,
                        .corrected = info->corrected,
                        .correction = c->correction,
                        .certificate = {c->momentum, c->normal_law, c->complementarity,
                                        c->penetration, c->lift_off, c->cone, c->friction_power,
                                        c->creep, c->drift, c->heading, c->shortfall}};
    take_rows(out, s, x);
}

// The final hash of the same steps in a new simulation, saved and restored at `middle` where that
// is not negative. 0: a step failed.
static uint64_t other_hash(const dp_model *m, int nstep, int threads, int middle)
{
    dp_data *d = NULL, *other = NULL;
    uint64_t hash = 0;
    if (run_begin(&d, m) != DP_OK || (threads > 1 && dp_data_set_threads(d, threads) != DP_OK)) {
        goto cleanup;
    }
    for (int i = 0; i < nstep; ++i) {
        if (i == middle) {
            const size_t bytes = dp_state_bytes(d);
            void *saved = take(bytes, 1);
            const bool ok = dp_state_save(saved, bytes, d) == DP_OK &&
                            run_begin(&other, m) == DP_OK &&
                            dp_state_restore(other, saved, bytes) == DP_OK;
            free(saved);
            if (!ok) {
                goto cleanup;
            }
            dp_data_destroy(d);
            d = other;
            other = NULL;
        }
        if (dp_step(d) != DP_OK) {
            goto cleanup;
        }
    }
    hash = dp_state_hash(d);
cleanup:
    dp_data_destroy(other);
    dp_data_destroy(d);
    return hash;
}

void audit_record(audit_recording *out, const audit_scene *s, const char *mjcf, double seconds,
                  bool hashes)
{
    const clock_t start = clock();
    memset(out, 0, sizeof *out);
    out->law = s->option.law;
    out->h = s->option.step;
    out->sample = take((size_t)s->nsteps + 1, sizeof *out->sample);
    out->step = take((size_t)s->nsteps, sizeof *out->step);
    run x;
    if (run_open(&x, mjcf) != DP_OK || dp_kinematics(x.d) != DP_OK) {
        complain(out, AUDIT_REFUSED, dp_last_error());
        goto cleanup;
    }
    if (!same_numbers(out, s, x.m)) {
        goto cleanup;
    }
    if (s->ntendon > 0 && dp_data_create(&x.shadow, x.m, NULL) != DP_OK) {
        complain(out, AUDIT_BROKEN, dp_last_error());
        goto cleanup;
    }
    take_sample(&out->sample[0], s, &x);
    for (int i = 0; i < s->nsteps; ++i) {
        if ((double)(clock() - start) > seconds * CLOCKS_PER_SEC) {
            out->cut = true;
            break;
        }
        const dp_status status = dp_step(x.d);
        if (status != DP_OK) {
            const bool refused = i == 0 && status == DP_ERROR_UNSUPPORTED;
            complain(out, refused ? AUDIT_REFUSED : AUDIT_FAILED, dp_last_error());
            goto cleanup;
        }
        take_step(&out->step[i], s, &x);
        take_sample(&out->sample[i + 1], s, &x);
        out->nstep = i + 1;
    }
    if (hashes && !out->cut) {
        out->hash_again = other_hash(x.m, s->nsteps, 1, -1);
        out->hash_restored = other_hash(x.m, s->nsteps, 1, s->nsteps / 2);
        out->hash_threads = other_hash(x.m, s->nsteps, 3, -1);
        out->hashes_made = true;
    }
cleanup:
    run_close(&x);
}

void audit_recording_free(audit_recording *r)
{
    for (int i = 0; r->step && i < r->nstep; ++i) {
        free(r->step[i].contact);
        free(r->step[i].row);
        free(r->step[i].G);
    }
    free(r->step);
    free(r->sample);
    memset(r, 0, sizeof *r);
}
