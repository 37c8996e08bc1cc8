#include "view/view_commands.h"

#include "common/keyframe.h"
#include "view/view_steps.h"
#include "view/view_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void say_number(const view_sim *s, int client, const char *format, double x)
{
    char text[VIEW_COMPLAINT];
    snprintf(text, sizeof text, format, x);
    view_sim_say(s, client, true, text);
}

void view_join(view_sim *s, int client)
{
    s->clients += !s->client[client];
    s->client[client] = true;
    if (!s->visited) {
        s->visited = true;
        view_sim_set_clocks(s);
    }
    view_sim_tell_scene(s, client);
    view_sim_tell_state(s, -1);
    s->changed = true;
    s->stream.last = -INFINITY;
}

void view_leave(view_sim *s, int client)
{
    s->clients -= s->client[client];
    s->client[client] = false;
    view_grab_release(&s->grab[client], s->d);
    if (s->clients == 0) {
        view_stream_drop(&s->stream); // who comes next begins with what is then
    }
    view_sim_tell_state(s, -1);
}

static void reset(view_sim *s, int client, const char *name)
{
    dp_key_id key = {-1};
    if (name && cli_find_keyframe(&key, s->m, name) != DP_OK) {
        view_sim_say(s, client, true, dp_last_error());
        return;
    }
    view_sim_end_record(s);
    s->again = false;
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        view_grab_release(&s->grab[i], s->d);
    }
    if (!name) {
        dp_data_reset(s->d);
    } else if (dp_data_reset_to_key(s->d, key) != DP_OK) {
        view_sim_say(s, client, true, dp_last_error());
    }
    view_sim_look_around(s);
    view_sim_tell_state(s, -1);
}

static void set_speed(view_sim *s, int client, double speed)
{
    if (!(speed >= 0.0 && speed <= 1000.0)) {
        say_number(s, client, "speed: found %g (expected 0 to 1000)", speed);
        return;
    }
    s->speed = speed;
    view_sim_set_clocks(s);
    view_sim_tell_state(s, -1);
}

static void set_law(view_sim *s, int client, const char *name)
{
    if (dp_options_set(dp_data_options(s->d), "law", name) != DP_OK) {
        view_sim_say(s, client, true, dp_last_error());
        return;
    }
    s->altered = true;
    view_sim_tell_state(s, -1);
}

static void set_number(view_sim *s, int client, const char *name, double value)
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
                view_sim_say(s, client, true, text);
                return;
            }
            *known[i].number = value;
            s->altered = true;
            view_sim_tell_state(s, -1);
            return;
        }
    }
    char text[VIEW_COMPLAINT];
    snprintf(text, sizeof text, "set: unknown name '%.60s' (expected step, stiffness or friction)",
             name);
    view_sim_say(s, client, true, text);
}

static void set_control(view_sim *s, int client, int actuator, double value)
{
    if (actuator >= dp_model_sizes(s->m)->nu) {
        say_number(s, client, "control: there is no actuator %g", actuator);
        return;
    }
    dp_data_control(s->d)[actuator] = value;
    s->changed = true;
}

static void grab(view_sim *s, int client, const view_message *message)
{
    const dp_v3 at = {message->at[0], message->at[1], message->at[2]};
    view_grab *g = &s->grab[client];
    view_grab_release(g, s->d);
    if (view_grab_hold(g, s->m, s->d, (dp_body_id){message->body}, at) != DP_OK) {
        say_number(s, client, "grab: body %g cannot be moved", message->body);
    }
}

static void pull(view_sim *s, int client, const view_message *message)
{
    view_grab *g = &s->grab[client];
    if (g->held) {
        g->to = (dp_v3){message->to[0], message->to[1], message->to[2]};
        dp_body_wake(s->d, g->body);
    }
}

static void drop_scene(view_sim *s, int client, view_scene *scene)
{
    const char *complaint;
    if (!view_sim_change_scene(s, scene, &complaint)) {
        view_sim_say(s, client, true, complaint);
        view_scene_destroy(scene);
        return;
    }
    view_sim_tell_scene(s, -1);
    view_sim_tell_state(s, -1);
}

static void record(view_sim *s, int client, bool on)
{
    char words[VIEW_SAVED];
    if (!on) {
        view_sim_end_record(s);
    } else if (!s->record.replay && !view_record_fits(words, sizeof words, &s->record,
                                                      s->setup.ground.folder, s->left)) {
        view_sim_say(s, client, true, words);
    } else if (!s->record.replay && view_record_begin(&s->record, s->m, s->d) != DP_OK) {
        view_sim_say(s, client, true, dp_last_error());
    }
    if (s->record.replay) {
        view_sim_look_at_record(s); // the state in which it begins
    }
    view_sim_tell_state(s, -1);
}

void view_obey(view_sim *s, int client, const view_message *message, view_scene *scene)
{
    switch (message->verb) {
    case VIEW_RUN:
    case VIEW_PAUSE:
        s->running = message->verb == VIEW_RUN;
        s->again = false;
        s->changed = true;
        view_sim_set_clocks(s);
        view_sim_tell_state(s, -1);
        break;
    case VIEW_STEP:
        if (!s->running) {
            (void)view_step(s);
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
        drop_scene(s, client, scene);
        break;
    case VIEW_RECORD:
        record(s, client, message->on);
        break;
    }
}
