#include "view_session.h"

#include "keyframe.h"
#include "program.h"
#include "progress.h"
#include "text.h"
#include "view_frame.h"
#include "view_grab.h"
#include "view_record.h"
#include "view_stream.h"
#include "view_words.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// [s] So long after somebody has done something, frames go at once.
static const double ATTENTION = 1.0;
// [s] So long steps go on before commands are looked at.
static const double SLICE = 0.008;
// [s] A simulation that is so far behind the clock has lost that time for good.
static const double MOST_DEBT = 0.1;
// [s] The shortest sleep: several steps are made at once where they are shorter.
static const double SHORTEST_SLEEP = 0.002;
// [m/s] To which rows are solved while a body is pulled, at worst and at best.
static const double LOOSE_TOLERANCE = 1e-4, TIGHT_TOLERANCE = 1e-6;
// [s] Over which paces and costs are means.
static const double WINDOW = 0.5;
// [s] The longest sleep: a simulation that hardly moves is due after all times.
static const double LONGEST_SLEEP = 60.0;

enum {
    MOST_WAITING = 256,   // commands
    FEW_ITERATIONS = 16,  // of a step while a body is pulled: the next may be solved more exactly
    MANY_ITERATIONS = 24, // the same: less exactly beyond
};

static const view_pace unmeasured = {.factor = NAN, .cost_us = NAN};

typedef enum command_kind { COMMAND_JOIN, COMMAND_LEAVE, COMMAND_MESSAGE } command_kind;

typedef struct command {
    struct command *next;
    command_kind kind;
    int client;
    view_message message;
    view_scene scene; // of VIEW_SCENE, read already
} command;

// What was measured since the window began.
typedef struct meter {
    double wall, time, spent; // when it began: clock, simulated time, what sending had taken
    view_costs costs;
} meter;

struct view_session {
    view_setup setup;
    pthread_t thread;

    pthread_mutex_t lock; // of what stands here
    pthread_cond_t wake;
    command *first, *last;
    int waiting;
    bool stopping;

    // The thread's own.
    view_scene scene;
    const dp_model *m;
    dp_data *d;
    uint32_t version;
    dp_options good;  // of the last step that was made
    bool altered;     // options are not those
    double tolerance; // [m/s] of rows, while a body is pulled
    bool client[VIEW_MOST_CLIENTS];
    int clients;
    bool visited; // somebody has been there: the simulation may begin
    bool running;
    double speed;
    double wall0, time0; // the clock and the simulated time that belong together
    bool changed;        // since the last frame
    double heard;        // [s] the clock, when somebody has said something
    view_stream stream;
    view_grab grab[VIEW_MOST_CLIENTS];
    view_record record;
    view_pace pace;
    meter meter;
    double *own_control; // of each actuator, as the scene begins
    char saved[VIEW_SAVED];
    bool lost; // a recording, at the end
};

// --- talking

static void tell(const view_session *s, int client, view_words words)
{
    if (words.text) {
        s->setup.audience.tell(s->setup.audience.context, client, words.text, words.bytes);
        free(words.text);
    }
}

static void say(const view_session *s, int client, bool error, const char *text)
{
    tell(s, client, view_words_say(error, text));
}

static void say_number(const view_session *s, int client, const char *format, double x)
{
    char text[VIEW_COMPLAINT];
    snprintf(text, sizeof text, format, x);
    say(s, client, true, text);
}

static void tell_scene(view_session *s, int client)
{
    tell(s, client, view_words_scene(s->m, s->d, s->own_control, s->version, s->scene.title));
}

static void tell_state(view_session *s, int client)
{
    const dp_options *options = dp_data_options(s->d);
    const view_state state = {.running = s->running,
                              .recording = s->record.replay != NULL,
                              .speed = s->speed,
                              .stiffness = options->contact_stiffness_scale,
                              .friction = options->contact_friction_scale,
                              .clients = s->clients,
                              .scene = s->scene.title};
    tell(s, client, view_words_state(&state, options));
}

// --- pace

static double spent(const view_session *s)
{
    return s->setup.audience.spent(s->setup.audience.context);
}

static void start_meter(view_session *s, double now)
{
    s->meter = (meter){.wall = now, .time = dp_data_time(s->d), .spent = spent(s)};
}

static void read_meter(view_session *s, double now)
{
    meter *x = &s->meter;
    const double wall = now - x->wall;
    if (wall < WINDOW) {
        return;
    }
    s->pace.factor = (dp_data_time(s->d) - x->time) / wall;
    if (x->costs.step_count > 0.0) {
        x->costs.wall = wall;
        x->costs.messages += spent(s) - x->spent;
        s->pace.cost_us = 1e6 * x->costs.steps / x->costs.step_count;
        s->pace.share = view_stream_learn(&s->stream, &x->costs);
    }
    start_meter(s, now);
}

// From now on the simulated time goes with the clock. How fast, is measured anew.
static void set_clocks(view_session *s)
{
    s->wall0 = cli_clock();
    s->time0 = dp_data_time(s->d);
    s->pace.factor = NAN;
    start_meter(s, s->wall0);
}

// --- recording

static void end_record(view_session *s)
{
    char words[VIEW_SAVED];
    if (!s->record.replay) {
        return;
    }
    if (view_record_end(&s->record, words, sizeof words, s->setup.ground.folder, s->scene.title)) {
        tell(s, -1, view_words_saved(words));
    } else {
        say(s, -1, true, words);
    }
    set_clocks(s); // that took a while
}

// When the pages have gone.
static void end_last_record(view_session *s)
{
    if (s->record.replay && !view_record_end(&s->record, s->saved, sizeof s->saved,
                                             s->setup.ground.folder, s->scene.title)) {
        cli_complain("%s", s->saved);
        s->saved[0] = '\0';
        s->lost = true;
    }
}

static void look_at_record(view_session *s)
{
    bool full;
    const bool kept = view_record_look(&s->record, s->m, s->d, &full) == DP_OK;
    if (!kept) {
        say(s, -1, true, dp_last_error());
    } else if (full) {
        say(s, -1, false, "the recording is as long as it can be, and is written");
    }
    if (!kept || full) {
        end_record(s);
        tell_state(s, -1);
    }
}

// --- steps

static bool any_held(const view_session *s)
{
    bool held = false;
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        held = held || s->grab[i].held;
    }
    return held;
}

// While somebody pulls, heaps that give way would take seconds a step to the last digits: they are
// solved to what an eye can see. What comes to rest then needs more digits, or the errors of each
// step keep it moving, and it never gets cheap. The page shows what is left.
static dp_status step_in_time(view_session *s)
{
    double *tolerance = &dp_data_options(s->d)->law.tolerance;
    const double usual = *tolerance;
    const bool held = any_held(s);
    *tolerance = held ? fmax(usual, s->tolerance) : usual;
    const dp_status status = dp_step(s->m, s->d);
    *tolerance = usual;
    const int iterations = dp_data_step_info(s->d)->iterations;
    if (!held) {
        s->tolerance = LOOSE_TOLERANCE;
    } else if (iterations <= FEW_ITERATIONS) {
        s->tolerance = fmax(0.8 * s->tolerance, TIGHT_TOLERANCE);
    } else if (iterations > MANY_ITERATIONS) {
        s->tolerance = fmin(10.0 * s->tolerance, LOOSE_TOLERANCE);
    }
    return status;
}

// A step that fails with new options is made with the old ones.
static dp_status step_with_care(view_session *s)
{
    dp_options *options = dp_data_options(s->d);
    dp_status status = step_in_time(s);
    if (status != DP_OK && s->altered) {
        say(s, -1, true, dp_last_error());
        *options = s->good;
        s->altered = false;
        status = step_in_time(s);
        tell_state(s, -1);
    }
    if (status == DP_OK && s->altered) {
        s->good = *options;
        s->altered = false;
    }
    return status;
}

static bool make_step(view_session *s)
{
    const double start = cli_thread_clock();
    const dp_status status = step_with_care(s);
    s->meter.costs.steps += cli_thread_clock() - start;
    ++s->meter.costs.step_count;
    s->changed = true;
    if (status != DP_OK) {
        say(s, -1, true, dp_last_error());
        s->running = false;
        tell_state(s, -1);
        return false;
    }
    if (s->record.replay) {
        look_at_record(s);
    }
    return true;
}

// Steps that are due by now, as far as a slice of time goes. @return when the next one is due [s]
static double make_steps(view_session *s)
{
    const double start = cli_clock();
    double now = start;
    while (s->running) {
        const double h = dp_data_options(s->d)->step;
        const double due =
            s->speed > 0.0 ? s->wall0 + (dp_data_time(s->d) + h - s->time0) / s->speed : now;
        if (now < due) {
            return due;
        }
        if (now - due > MOST_DEBT) {
            s->wall0 += now - due;
        }
        if (now - start > SLICE) {
            return now;
        }
        make_step(s);
        now = cli_clock();
    }
    return INFINITY;
}

// --- showing

// While somebody does something, waits for what it does, or looks at what stands still.
static bool is_hurried(const view_session *s, double now)
{
    return !s->running || any_held(s) || now < s->heard + ATTENTION;
}

static void make_frame(view_session *s)
{
    view_stream *x = &s->stream;
    const double start = cli_thread_clock();
    if (dp_kinematics(s->m, s->d) == DP_OK &&
        view_frame_add(&x->message, s->m, s->d, s->version, s->running, &s->pace)) {
        view_stream_note_frame(x, cli_clock());
    }
    s->changed = false;
    s->meter.costs.frames += cli_thread_clock() - start;
    ++s->meter.costs.frame_count;
}

static void send_frames(view_session *s, bool at_once)
{
    view_stream *x = &s->stream;
    const double start = cli_thread_clock();
    s->setup.audience.show(s->setup.audience.context, x->message.byte, x->message.count);
    view_stream_note_message(x, at_once);
    s->meter.costs.messages += cli_thread_clock() - start;
    ++s->meter.costs.message_count;
}

// What is due by now. @return when there will be more [s]
static double show(view_session *s, double now)
{
    view_stream *x = &s->stream;
    const bool at_once = is_hurried(s, now);
    double next = INFINITY;
    if (s->changed) {
        const double due = view_stream_frame_due(x, at_once);
        if (now >= due) {
            make_frame(s);
        } else {
            next = due;
        }
    }
    if (x->waiting > 0) {
        const double due = view_stream_message_due(x, at_once);
        if (now >= due) {
            send_frames(s, at_once);
        } else {
            next = fmin(next, due);
        }
    }
    return next;
}

// --- scenes

static void forget_grabs(view_session *s)
{
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        free(s->grab[i].jacobian);
        s->grab[i] = (view_grab){0};
    }
}

// Forces and contacts of a state that no step led to; what cannot be evaluated fails with a step.
static void look_around(view_session *s)
{
    if (dp_forward(s->m, s->d) != DP_OK) {
        s->pace = unmeasured;
    }
    s->changed = true;
    set_clocks(s);
}

// What the controls are now is what the scene says.
static double *copy_controls(const dp_model *m, dp_data *d)
{
    const size_t n = (size_t)dp_model_sizes(m)->nu;
    double *out = malloc((n + 1) * sizeof *out);
    for (size_t i = 0; out && i < n; ++i) {
        out[i] = dp_data_control(d)[i];
    }
    return out;
}

// Put another scene in the place of this one, or leave all as it is.
static bool change_scene(view_session *s, view_scene *scene, const char **complaint)
{
    dp_data *d;
    if (dp_data_create(&d, scene->loaded.model, NULL) != DP_OK) {
        *complaint = dp_last_error();
        return false;
    }
    double *own = copy_controls(scene->loaded.model, d);
    if (!own) {
        *complaint = "out of memory";
        dp_data_destroy(d);
        return false;
    }
    end_record(s);
    forget_grabs(s);
    dp_data_destroy(s->d);
    view_scene_destroy(&s->scene);
    s->scene = *scene;
    *scene = (view_scene){0};
    s->m = s->scene.loaded.model;
    s->d = d;
    ++s->version;
    free(s->own_control);
    s->own_control = own;
    s->good = *dp_data_options(d);
    s->altered = false;
    s->pace = unmeasured;
    look_around(s);
    return true;
}

// --- commands

static void join(view_session *s, int client)
{
    s->clients += !s->client[client];
    s->client[client] = true;
    if (!s->visited) {
        s->visited = true;
        set_clocks(s);
    }
    tell_scene(s, client);
    tell_state(s, -1);
    s->changed = true;
    s->stream.last = -INFINITY;
}

static void leave(view_session *s, int client)
{
    s->clients -= s->client[client];
    s->client[client] = false;
    view_grab_release(&s->grab[client], s->d);
    if (s->clients == 0) {
        view_stream_drop(&s->stream); // who comes next begins with what is then
    }
    tell_state(s, -1);
}

static void reset(view_session *s, int client, const char *name)
{
    dp_key_id key = {-1};
    if (name && cli_find_keyframe(&key, s->m, name) != DP_OK) {
        say(s, client, true, dp_last_error());
        return;
    }
    end_record(s);
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        view_grab_release(&s->grab[i], s->d);
    }
    if (!name) {
        dp_data_reset(s->d);
    } else if (dp_data_reset_to_key(s->d, key) != DP_OK) {
        say(s, client, true, dp_last_error());
    }
    look_around(s);
    tell_state(s, -1);
}

static void set_speed(view_session *s, int client, double speed)
{
    if (!(speed >= 0.0 && speed <= 1000.0)) {
        say_number(s, client, "speed: found %g (expected 0 to 1000)", speed);
        return;
    }
    s->speed = speed;
    set_clocks(s);
    tell_state(s, -1);
}

static void set_law(view_session *s, int client, const char *name)
{
    if (dp_options_set(dp_data_options(s->d), "law", name) != DP_OK) {
        say(s, client, true, dp_last_error());
        return;
    }
    s->altered = true;
    tell_state(s, -1);
}

static void set_number(view_session *s, int client, const char *name, double value)
{
    dp_options *options = dp_data_options(s->d);
    double step[2];
    view_step_range(step, dp_model_options(s->m)->step);
    const struct {
        const char *name;
        double *number;
        double lo, hi;
    } known[] = {{"step", &options->step, step[0], step[1]},
                 {"stiffness", &options->contact_stiffness_scale, 1e-6, 1e6},
                 {"friction", &options->contact_friction_scale, 0.0, 1e6}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (strcmp(known[i].name, name) == 0) {
            if (!(value >= known[i].lo && value <= known[i].hi)) {
                char text[VIEW_COMPLAINT];
                snprintf(text, sizeof text, "%s: found %g (expected %g to %g)", name, value,
                         known[i].lo, known[i].hi);
                say(s, client, true, text);
                return;
            }
            *known[i].number = value;
            s->altered = true;
            tell_state(s, -1);
            return;
        }
    }
    char text[VIEW_COMPLAINT];
    snprintf(text, sizeof text, "set: unknown name '%.60s' (expected step, stiffness or friction)",
             name);
    say(s, client, true, text);
}

static void set_control(view_session *s, int client, int actuator, double value)
{
    if (actuator >= dp_model_sizes(s->m)->nu) {
        say_number(s, client, "control: there is no actuator %g", actuator);
        return;
    }
    dp_data_control(s->d)[actuator] = value;
    s->changed = true;
}

static void grab(view_session *s, int client, const view_message *message)
{
    const dp_v3 at = {message->at[0], message->at[1], message->at[2]};
    view_grab *g = &s->grab[client];
    view_grab_release(g, s->d);
    if (view_grab_hold(g, s->m, s->d, (dp_body_id){message->body}, at) != DP_OK) {
        say_number(s, client, "grab: body %g cannot be moved", message->body);
    }
}

static void pull(view_session *s, int client, const view_message *message)
{
    view_grab *g = &s->grab[client];
    if (g->held) {
        g->to = (dp_v3){message->to[0], message->to[1], message->to[2]};
        dp_body_wake(s->d, g->body);
    }
}

static void drop_scene(view_session *s, int client, view_scene *scene)
{
    const char *complaint;
    if (!change_scene(s, scene, &complaint)) {
        say(s, client, true, complaint);
        view_scene_destroy(scene);
        return;
    }
    tell_scene(s, -1);
    tell_state(s, -1);
}

static void record(view_session *s, int client, bool on)
{
    if (!on) {
        end_record(s);
    } else if (!s->record.replay && view_record_begin(&s->record, s->m, s->d) != DP_OK) {
        say(s, client, true, dp_last_error());
    }
    if (s->record.replay) {
        look_at_record(s); // the state in which it begins
    }
    tell_state(s, -1);
}

static void obey(view_session *s, int client, command *c)
{
    const view_message *message = &c->message;
    switch (message->verb) {
    case VIEW_RUN:
    case VIEW_PAUSE:
        s->running = message->verb == VIEW_RUN;
        s->changed = true;
        set_clocks(s);
        tell_state(s, -1);
        break;
    case VIEW_STEP:
        if (!s->running) {
            make_step(s);
        }
        break;
    case VIEW_RESET:
        reset(s, client, message->key);
        break;
    case VIEW_SPEED:
        set_speed(s, client, message->value);
        break;
    case VIEW_LAW:
        set_law(s, client, message->word);
        break;
    case VIEW_SET:
        set_number(s, client, message->name, message->value);
        break;
    case VIEW_CONTROL:
        set_control(s, client, message->actuator, message->value);
        break;
    case VIEW_GRAB:
        grab(s, client, message);
        break;
    case VIEW_PULL:
        pull(s, client, message);
        break;
    case VIEW_RELEASE:
        view_grab_release(&s->grab[client], s->d);
        break;
    case VIEW_SCENE:
        drop_scene(s, client, &c->scene);
        break;
    case VIEW_RECORD:
        record(s, client, message->on);
        break;
    }
}

static void free_command(command *c)
{
    view_message_free(&c->message);
    view_scene_destroy(&c->scene);
    free(c);
}

static void execute(view_session *s, command *c)
{
    s->heard = cli_clock();
    switch (c->kind) {
    case COMMAND_JOIN:
        join(s, c->client);
        break;
    case COMMAND_LEAVE:
        leave(s, c->client);
        break;
    case COMMAND_MESSAGE:
        if (s->client[c->client]) { // what is left of one that has gone is nobody's
            obey(s, c->client, c);
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
    if (c) {
        s->first = c->next;
        s->last = s->first ? s->last : NULL;
        --s->waiting;
    }
    *stopping = s->stopping;
    pthread_mutex_unlock(&s->lock);
    return c;
}

static void *run(void *context)
{
    view_session *s = context;
    double moment = 0.0; // to wait for
    start_meter(s, cli_clock());
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
        moment = s->visited ? make_steps(s) : INFINITY;
        const double now = cli_clock();
        read_meter(s, now);
        if (s->clients > 0) {
            moment = fmin(moment, show(s, now));
        }
        moment = moment > now ? fmax(moment, now + SHORTEST_SLEEP) : moment;
    }
    end_last_record(s);
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
         !view_scene_drop(&c->scene, &c->message, &s->setup.ground, complaint, sizeof complaint))) {
        say(s, client, true, complaint);
    } else if (post(s, c)) {
        return;
    } else {
        say(s, client, true, "too many commands at once");
    }
    if (c) {
        free_command(c);
    }
}

// --- beginning and end

static bool prepare(view_session *s)
{
    if (dp_data_create(&s->d, s->m, NULL) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return false;
    }
    *dp_data_options(s->d) = s->setup.options;
    s->good = s->setup.options;
    if (s->setup.key && !cli_go_to_keyframe(s->m, s->d, s->setup.key)) {
        return false;
    }
    s->own_control = copy_controls(s->m, s->d);
    if (!s->own_control) {
        cli_complain("out of memory");
        return false;
    }
    s->pace = unmeasured;
    look_around(s);
    return true;
}

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

static void free_session(view_session *s)
{
    forget_grabs(s);
    view_record_drop(&s->record);
    dp_data_destroy(s->d);
    view_scene_destroy(&s->scene);
    view_stream_free(&s->stream);
    free(s->own_control);
    free(s);
}

bool view_session_start(view_session **out, view_scene *scene, const view_setup *setup)
{
    *out = NULL;
    view_session *s = calloc(1, sizeof *s);
    if (!s) {
        cli_complain("out of memory");
        return false;
    }
    s->setup = *setup;
    s->running = !setup->paused;
    s->speed = setup->speed;
    s->version = 1;
    s->tolerance = LOOSE_TOLERANCE;
    view_stream_clear(&s->stream);
    s->scene = *scene;
    *scene = (view_scene){0};
    s->m = s->scene.loaded.model;
    if (!prepare(s) || !start_thread(s)) {
        free_session(s);
        return false;
    }
    *out = s;
    return true;
}

bool view_session_stop(view_session *s, char saved[VIEW_SAVED])
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
    memcpy(saved, s->saved, VIEW_SAVED);
    const bool good = !s->lost;
    free_session(s);
    return good;
}
