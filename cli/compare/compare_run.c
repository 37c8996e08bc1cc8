// The runs of a comparison: each law on a simulation of its own, several at a time, all looked at
// the same moments.
#include "compare/compare.h"

#include "common/keyframe.h"
#include "common/law_settings.h"
#include "common/program.h"
#include "common/progress.h"
#include "common/settings.h"
#include "common/signals.h"

#include <dashpot/contact.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bodies(const cli_comparison *c)
{
    return dp_model_sizes(c->scene.model)->nbody;
}

// --- one run ----------------------------------------------------------------------------------

static bool stop(cli_compared *r, cli_compared_outcome outcome)
{
    r->outcome = outcome;
    snprintf(r->message, sizeof r->message, "%.500s", dp_last_error());
    return false;
}

// @return false after a complaint, which can only be about what the user said
static bool set_up(const cli_comparison *c, const cli_compared *r, dp_data *d)
{
    const cli_compare_options *o = c->o;
    dp_options *options = dp_data_options(d);
    *options = r->law->options;
    options->step = r->h;
    options->contact_stiffness_scale =
        isnan(o->stiffness) ? options->contact_stiffness_scale : o->stiffness;
    options->contact_friction_scale =
        isnan(o->friction) ? options->contact_friction_scale : o->friction;
    if (!cli_has_error_control(&r->law->options) && !isnan(o->accuracy)) {
        options->accuracy = o->accuracy;
    }
    return !o->keyframe || cli_go_to_keyframe(c->scene.model, d, o->keyframe);
}

static double total_energy(dp_energy e)
{
    return e.kinetic + e.gravity + e.spring;
}

// Poses, overlaps and frames at a moment that all runs have.
static dp_status look(const cli_comparison *c, cli_compared *r, dp_data *d)
{
    dp_status status = dp_kinematics(d);
    for (int b = 0; b < bodies(c) && status == DP_OK; ++b) {
        r->pose[r->samples * bodies(c) + b] = dp_inertial_pose(d, (dp_body_id){b});
    }
    if (status == DP_OK && r->replay) {
        status = dp_replay_sample(r->replay, d);
        status = status == DP_OK ? dp_recorder_sample(r->channels, d) : status;
    }
    if (status == DP_OK) {
        status = dp_find_contacts(d, NULL);
    }
    if (status == DP_ERROR_CAPACITY) {
        const dp_contact_room room = dp_data_contact_room(d);
        status = dp_data_reserve_contacts(d, 2 * room.needed_pairs, 2 * room.needed_points);
        status = status == DP_OK ? dp_find_contacts(d, NULL) : status;
    }
    for (int i = 0; i < dp_data_found_contact_count(d) && status == DP_OK; ++i) {
        r->overlap = fmax(r->overlap, -dp_data_found_contact(d, i).at.gap);
    }
    ++r->samples;
    r->kinetic = fmax(r->kinetic, dp_data_energy(d).kinetic);
    return status;
}

static void note_step(cli_compared *r, const dp_model *m, const dp_data *d)
{
    ++r->steps;
    r->iterations += dp_data_report(d)->work.iterations;
    cli_rows_note(&r->rows, m, d);
    double force = 0.0;
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        force += dp_data_contact(d, i).normal_force;
    }
    r->force += (force - r->force) / (double)r->steps; // the mean so far
    r->top_force = fmax(r->top_force, force);
}

// From one sample to the next.
static bool advance(const cli_comparison *c, cli_compared *r, dp_data *d)
{
    const int count = (int)lround(c->sample / r->h);
    for (int i = 0; i < count; ++i) {
        const double before = cli_thread_clock();
        const dp_status status = cli_interrupted(NULL) ? DP_ERROR_INTERRUPTED : dp_step(d);
        r->seconds += cli_thread_clock() - before;
        if (status == DP_ERROR_INTERRUPTED) {
            r->outcome = CLI_COMPARED_INTERRUPTED;
            snprintf(r->message, sizeof r->message, "interrupted at t = %.3g s", dp_data_time(d));
            return false;
        }
        if (status != DP_OK) {
            return stop(r, r->steps == 0 ? CLI_COMPARED_REFUSED : CLI_COMPARED_FAILED);
        }
        note_step(r, c->scene.model, d);
        if (r->seconds > c->o->patience) {
            r->outcome = CLI_COMPARED_GAVE_UP;
            snprintf(r->message, sizeof r->message,
                     "given up at t = %.3g s after %.3g s of the processor (--patience)",
                     dp_data_time(d), r->seconds);
            return false;
        }
    }
    return true;
}

static void simulate(const cli_comparison *c, cli_compared *r, dp_data *d)
{
    if (look(c, r, d) != DP_OK) {
        stop(r, CLI_COMPARED_REFUSED);
        return;
    }
    r->energy[0] = r->energy[1] = total_energy(dp_data_energy(d));
    while (r->samples < c->samples && advance(c, r, d)) {
        if (look(c, r, d) != DP_OK) {
            stop(r, CLI_COMPARED_FAILED);
            return;
        }
    }
    if (dp_kinematics(d) == DP_OK) {
        r->energy[1] = total_energy(dp_data_energy(d));
    }
    const dp_ledger *ledger = dp_data_ledger(d);
    r->remainder = ledger->begun ? ledger->remainder : (double)NAN;
}

static bool take_memory(const cli_comparison *c, cli_compared *r)
{
    const size_t samples = (size_t)c->samples;
    r->pose = calloc(samples * (size_t)bodies(c), sizeof *r->pose);
    r->difference = calloc(samples, sizeof *r->difference);
    dp_status status = DP_OK;
    if (c->o->html) {
        status = dp_replay_create(&r->replay, c->scene.model, NULL);
        status = status == DP_OK ? dp_recorder_create(&r->channels, c->scene.model,
                                                      "energy.*,cert.*,step.*", NULL)
                                 : status;
    }
    return r->pose && r->difference && status == DP_OK;
}

// @return false after a complaint
static bool make(const cli_comparison *c, cli_compared *r)
{
    r->remainder = (double)NAN;
    dp_data *d = NULL;
    if (!take_memory(c, r) || cli_data_create(&d, c->scene.model) != DP_OK) {
        snprintf(r->message, sizeof r->message, "out of memory");
        r->outcome = CLI_COMPARED_REFUSED;
    } else if (!set_up(c, r, d)) {
        dp_data_destroy(d);
        return false;
    } else {
        simulate(c, r, d);
    }
    dp_data_destroy(d);
    return true;
}

// --- all runs ---------------------------------------------------------------------------------

typedef struct queue {
    cli_comparison *c;
    pthread_mutex_t lock;
    int next, done;
    bool fine;
} queue;

static void *work(void *context)
{
    queue *q = context;
    for (;;) {
        pthread_mutex_lock(&q->lock);
        const int i = q->next++;
        pthread_mutex_unlock(&q->lock);
        if (i >= q->c->nrun) {
            return NULL;
        }
        const bool fine = make(q->c, &q->c->run[i]);
        pthread_mutex_lock(&q->lock);
        q->fine = q->fine && fine;
        ++q->done;
        pthread_mutex_unlock(&q->lock);
    }
}

// The first run is made alone, so that what is wrong with the user's words is said once.
static bool make_all(cli_comparison *c)
{
    enum { MOST_THREADS = 64 };
    queue q = {.c = c, .next = 1, .fine = true};
    if (!make(c, &c->run[0])) {
        return false;
    }
    pthread_mutex_init(&q.lock, NULL);
    pthread_t thread[MOST_THREADS];
    int started = 0;
    for (int i = 1; i < c->o->threads && i < MOST_THREADS && i < c->nrun - 1; ++i) {
        started += pthread_create(&thread[started], NULL, work, &q) == 0;
    }
    work(&q);
    for (int i = 0; i < started; ++i) {
        pthread_join(thread[i], NULL);
    }
    pthread_mutex_destroy(&q.lock);
    return q.fine;
}

// --- differences ------------------------------------------------------------------------------

static double angle_between(dp_quat a, dp_quat b)
{
    const double w = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    return 2.0 * acos(fmin(1.0, fabs(w)));
}

static double apart(const dp_pose *a, const dp_pose *b)
{
    return hypot(hypot(a->p.x - b->p.x, a->p.y - b->p.y), a->p.z - b->p.z);
}

static void judge(const cli_comparison *c, cli_compared *r)
{
    const cli_compared *ref = c->reference;
    const int n = bodies(c), samples = r->samples < ref->samples ? r->samples : ref->samples;
    const double visible = 1e-3; // [m]
    r->parted = (double)INFINITY;
    r->judged = samples;
    r->body = (dp_body_id){0};
    for (int s = 0; s < samples; ++s) {
        double worst = 0.0, turned = 0.0;
        for (int b = 0; b < n; ++b) {
            const dp_pose *x = &r->pose[s * n + b], *y = &ref->pose[s * n + b];
            const double d = apart(x, y);
            turned = fmax(turned, angle_between(x->q, y->q));
            if (d > worst) {
                worst = d;
                r->body = (dp_body_id){b};
            }
        }
        r->difference[s] = worst;
        r->apart[0] = worst;
        r->apart[1] = turned;
        r->most_apart = fmax(r->most_apart, worst);
        if (worst > visible && isinf(r->parted)) {
            r->parted = s * c->sample;
        }
    }
}

// [m] The farthest that a body of one run is from where it is in the other.
static double distance(const cli_comparison *c, const cli_compared *a, const cli_compared *b)
{
    const int samples = a->samples < b->samples ? a->samples : b->samples;
    double most = 0.0;
    for (int i = 0; i < samples * bodies(c); ++i) {
        most = fmax(most, apart(&a->pose[i], &b->pose[i]));
    }
    return most;
}

static void compare_with_first(cli_comparison *c)
{
    const cli_compared *first = NULL;
    for (int i = 0; i < c->nrun; ++i) {
        cli_compared *r = &c->run[i];
        const bool ran =
            r->outcome == CLI_COMPARED_DONE && !cli_has_error_control(&r->law->options);
        const bool new_step = ran && (!first || first->h != r->h);
        r->from_first = ran && !new_step ? distance(c, r, first) : (double)NAN;
        first = new_step ? r : first; // what ended early is not compared
    }
}

static cli_compared *find_done(cli_comparison *c, const char *name)
{
    for (int i = c->nrun - 1; i >= 0; --i) { // the last one has the shortest step
        cli_compared *r = &c->run[i];
        if (r->outcome == CLI_COMPARED_DONE && strcmp(r->law->name, name) == 0) {
            return r;
        }
    }
    return NULL;
}

static bool make_extra(cli_comparison *c)
{
    const bool ode = c->o->reference && strcmp(c->o->reference, "ode") == 0;
    c->extra_law =
        ode ? (cli_compared_law){"ode", c->of_ode} : (cli_compared_law){"compliant", c->of_law};
    if (!cli_set_word(&c->extra_law.options, "law", "--reference", c->extra_law.name)) {
        return false;
    }
    const double finer = 8.0;
    c->extra.law = &c->extra_law;
    c->extra.h = ode ? c->sample : c->step[c->nstep - 1] / finer;
    if (!make(c, &c->extra)) {
        return false;
    }
    c->reference = c->extra.outcome == CLI_COMPARED_DONE ? &c->extra : NULL;
    return true;
}

static bool choose_reference(cli_comparison *c)
{
    const char *name = c->o->reference;
    if (name && strcmp(name, "none") == 0) {
        return true;
    }
    if (!name || strcmp(name, "finest") != 0) {
        c->reference = find_done(c, name ? name : "ode");
    }
    return c->reference || cli_interrupted(NULL) || make_extra(c);
}

bool cli_compare_run_all(cli_comparison *c)
{
    if (!make_all(c) || !choose_reference(c)) {
        return false;
    }
    compare_with_first(c);
    for (int i = 0; i < c->nrun && c->reference; ++i) {
        if (&c->run[i] != c->reference && c->run[i].outcome != CLI_COMPARED_REFUSED) {
            judge(c, &c->run[i]);
        }
    }
    return true;
}

static void release(cli_compared *r)
{
    free(r->pose);
    free(r->difference);
    dp_replay_destroy(r->replay);
    dp_recorder_destroy(r->channels);
}

void cli_compare_release(cli_comparison *c)
{
    for (int i = 0; i < c->nrun; ++i) {
        release(&c->run[i]);
    }
    release(&c->extra);
    cli_scene_destroy(&c->scene);
}
