#include "view/view_session.h"

#include "common/program.h"
#include "common/progress.h"
#include "common/signals.h"
#include "view/view_commands.h"
#include "view/view_steps.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// [s] The shortest sleep: several steps are made at once where they are shorter.
static const double SHORTEST_SLEEP = 0.002;
// [s] The longest sleep: a simulation that hardly moves is due after all times.
static const double LONGEST_SLEEP = 60.0;

enum { MOST_WAITING = 256 }; // commands

typedef enum command_kind { COMMAND_JOIN, COMMAND_LEAVE, COMMAND_MESSAGE } command_kind;

typedef struct command {
    struct command *next;
    command_kind kind;
    int client;
    view_message message;
    view_scene scene; // of VIEW_SCENE, read already
} command;

struct view_session {
    pthread_t thread;

    pthread_mutex_t lock; // of what stands here
    pthread_cond_t wake;
    command *first, *last;
    int waiting;
    bool stopping;
    atomic_bool urgent; // a command waits that no step is worth

    view_sim sim; // the thread's own, but for its setup, which stays as it is
};

static void free_command(command *c)
{
    view_message_free(&c->message);
    view_scene_destroy(&c->scene);
    free(c);
}

static void execute(view_session *s, command *c)
{
    s->sim.heard = cli_clock();
    switch (c->kind) {
    case COMMAND_JOIN:
        view_join(&s->sim, c->client);
        break;
    case COMMAND_LEAVE:
        view_leave(&s->sim, c->client);
        break;
    case COMMAND_MESSAGE:
        if (s->sim.client[c->client]) { // what is left of one that has gone is nobody's
            view_obey(&s->sim, c->client, &c->message, &c->scene);
        }
        break;
    }
    free_command(c);
}

// --- the thread

// The next command; NULL when there is none. Waits until `moment` [s] for one where it may.
static command *next_command(view_session *s, double moment, bool *stopping)
{
    pthread_mutex_lock(&s->lock);
    const double patience = moment - cli_clock();
    if (!s->first && !s->stopping && patience > 0.0) {
        if (isinf(patience)) {
            pthread_cond_wait(&s->wake, &s->lock);
        } else {
            const double end = fmin(moment, cli_clock() + LONGEST_SLEEP);
            const double seconds = floor(end);
            const struct timespec until = {(time_t)seconds, (long)((end - seconds) * 1e9)};
            pthread_cond_timedwait(&s->wake, &s->lock, &until);
        }
    }
    command *c = s->first;
    atomic_store(&s->urgent, false); // all of them are looked at before the next step
    if (c) {
        s->first = c->next;
        s->last = s->first ? s->last : NULL;
        --s->waiting;
    }
    *stopping = s->stopping;
    pthread_mutex_unlock(&s->lock);
    return c;
}

// [s] A step that takes longer is given up for an urgent command, and made again.
static const double LONG_STEP = 0.1;

// Of the steps.
static bool must_end(void *context)
{
    view_session *s = context;
    return cli_interrupted(NULL) ||
           (atomic_load(&s->urgent) && cli_clock() > s->sim.step_began + LONG_STEP);
}

static void *run(void *context)
{
    view_session *s = context;
    view_sim *sim = &s->sim;
    double moment = 0.0; // to wait for
    view_steps_begin(sim);
    for (;;) {
        bool stopping;
        command *c = next_command(s, moment, &stopping);
        if (stopping) {
            if (c) {
                free_command(c);
            }
            break;
        }
        if (c) {
            execute(s, c);
            moment = 0.0; // there may be more
            continue;
        }
        moment = sim->visited ? view_steps(sim) : INFINITY;
        const double now = cli_clock();
        view_sim_read_meter(sim, now);
        if (sim->clients > 0) {
            moment = fmin(moment, view_show(sim, now));
        }
        moment = moment > now ? fmax(moment, now + SHORTEST_SLEEP) : moment;
    }
    view_sim_end_last_record(sim);
    return NULL;
}

// --- from other threads

// Whether w, which waits, stands between two commands of c's kind: one for both would not do.
static bool separates(const command *w, const command *c)
{
    const bool same_client = w->client == c->client;
    if (w->kind != COMMAND_MESSAGE) {
        return same_client; // a page of the same number that comes later
    }
    if (c->message.verb == VIEW_PAUSE) {
        return w->message.verb == VIEW_RUN; // whoever said so
    }
    return same_client && (w->message.verb == VIEW_GRAB || w->message.verb == VIEW_PULL ||
                           w->message.verb == VIEW_RELEASE);
}

// One that waits and that c may take the place of: pulls come faster than a long step ends.
static command *find_same(const view_session *s, const command *c)
{
    command *same = NULL;
    for (command *w = s->first; w; w = w->next) {
        if (w->kind == COMMAND_MESSAGE && w->client == c->client &&
            w->message.verb == c->message.verb) {
            same = w;
        } else if (separates(w, c)) {
            same = NULL;
        }
    }
    return same;
}

// Under the lock. Letting go and pausing are never refused.
static bool is_welcome(const view_session *s, const command *c)
{
    return s->waiting < MOST_WAITING || c->kind != COMMAND_MESSAGE ||
           c->message.verb == VIEW_RELEASE || c->message.verb == VIEW_PAUSE;
}

// Who comes must see something, and who has had enough of a step that takes minutes must not wait
// for its end.
static bool is_urgent(const command *c)
{
    const view_verb verb = c->message.verb;
    return c->kind == COMMAND_JOIN ||
           (c->kind == COMMAND_MESSAGE &&
            (verb == VIEW_PAUSE || verb == VIEW_RESET || verb == VIEW_SCENE || verb == VIEW_LAW ||
             verb == VIEW_SET));
}

// Takes over the command where it returns true.
static bool post(view_session *s, command *c)
{
    const view_verb verb = c->message.verb;
    const bool idempotent = c->kind == COMMAND_MESSAGE &&
                            (verb == VIEW_PULL || verb == VIEW_RELEASE || verb == VIEW_PAUSE);
    pthread_mutex_lock(&s->lock);
    command *same = idempotent ? find_same(s, c) : NULL;
    const bool room = same || is_welcome(s, c);
    if (same) {
        memcpy(same->message.to, c->message.to, sizeof same->message.to);
    } else if (room) {
        if (s->last) {
            s->last->next = c;
        } else {
            s->first = c;
        }
        s->last = c;
        ++s->waiting;
        if (is_urgent(c)) {
            atomic_store(&s->urgent, true);
        }
        pthread_cond_signal(&s->wake);
    }
    pthread_mutex_unlock(&s->lock);
    if (same) {
        free_command(c);
    }
    return room;
}

static void post_notice(view_session *s, command_kind kind, int client)
{
    command *c = calloc(1, sizeof *c);
    if (c) {
        c->kind = kind;
        c->client = client;
        post(s, c);
    }
}

void view_session_join(view_session *s, int client)
{
    post_notice(s, COMMAND_JOIN, client);
}

void view_session_leave(view_session *s, int client)
{
    post_notice(s, COMMAND_LEAVE, client);
}

void view_session_hear(view_session *s, int client, const char *text, size_t bytes)
{
    char complaint[2048] = "out of memory";
    command *c = calloc(1, sizeof *c);
    if (c) {
        c->kind = COMMAND_MESSAGE;
        c->client = client;
    }
    // Scenes are read here, so that the simulation does not wait for it.
    if (!c || !view_message_read(&c->message, text, bytes, complaint) ||
        (c->message.verb == VIEW_SCENE &&
         !view_scene_drop(&c->scene, &c->message, &s->sim.setup.ground, complaint,
                          sizeof complaint))) {
        view_sim_say(&s->sim, client, true, complaint);
    } else if (post(s, c)) {
        return;
    } else {
        view_sim_say(&s->sim, client, true, "too many commands at once");
    }
    if (c) {
        free_command(c);
    }
}

// --- beginning and end

static bool start_thread(view_session *s)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); // that of cli_clock
    pthread_cond_init(&s->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&s->lock, NULL);
    const int code = pthread_create(&s->thread, NULL, run, s);
    if (code != 0) {
        cli_complain("no thread for the simulation: %s", strerror(code));
        pthread_cond_destroy(&s->wake);
        pthread_mutex_destroy(&s->lock);
    }
    return code == 0;
}

bool view_session_start(view_session **out, view_scene *scene, const view_setup *setup)
{
    *out = NULL;
    view_session *s = calloc(1, sizeof *s);
    if (!s) {
        cli_complain("out of memory");
        return false;
    }
    view_setup own = *setup;
    own.interrupt = must_end;
    own.interrupt_user = s;
    if (!view_sim_begin(&s->sim, scene, &own) || !start_thread(s)) {
        view_sim_end(&s->sim);
        free(s);
        return false;
    }
    *out = s;
    return true;
}

bool view_session_stop(view_session *s, char saved[VIEW_SAVED], double *time)
{
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    while (s->first) {
        command *c = s->first;
        s->first = c->next;
        free_command(c);
    }
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    memcpy(saved, s->sim.saved, VIEW_SAVED);
    *time = dp_data_time(s->sim.d);
    const bool good = !s->sim.lost;
    view_sim_end(&s->sim);
    free(s);
    return good;
}
