#include "view/view_sim.h"

#include "common/keyframe.h"
#include "common/program.h"
#include "common/progress.h"
#include "view/view_words.h"

#include <math.h>
#include <stdlib.h>

// [s] Over which paces and costs are means.
static const double WINDOW = 0.5;

static const view_pace unmeasured = {.factor = NAN, .cost_us = NAN};

// --- talking

static void tell(const view_sim *s, int client, view_words words)
{
    if (words.text) {
        s->setup.audience.tell(s->setup.audience.context, client, words.text, words.bytes);
        free(words.text);
    }
}

void view_sim_say(const view_sim *s, int client, bool error, const char *text)
{
    tell(s, client, view_words_say(error, text));
}

void view_sim_tell_scene(view_sim *s, int client)
{
    tell(s, client, view_words_scene(s->m, s->d, s->own_control, s->version, s->scene.title));
}

void view_sim_tell_state(view_sim *s, int client)
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

static double spent(const view_sim *s)
{
    return s->setup.audience.spent(s->setup.audience.context);
}

void view_sim_start_meter(view_sim *s, double now)
{
    s->meter = (view_meter){.wall = now, .time = dp_data_time(s->d), .spent = spent(s)};
}

void view_sim_read_meter(view_sim *s, double now)
{
    view_meter *x = &s->meter;
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
    view_sim_start_meter(s, now);
}

void view_sim_set_clocks(view_sim *s)
{
    s->wall0 = cli_clock();
    s->time0 = dp_data_time(s->d);
    s->pace.factor = NAN;
    view_sim_start_meter(s, s->wall0);
}

// --- recording

void view_sim_end_record(view_sim *s)
{
    char words[VIEW_SAVED];
    if (!s->record.replay) {
        return;
    }
    if (view_record_end(&s->record, words, sizeof words, s->setup.ground.folder, s->scene.title,
                        &s->left)) {
        tell(s, -1, view_words_saved(words));
    } else {
        view_sim_say(s, -1, true, words);
    }
    view_sim_set_clocks(s); // that took a while
}

void view_sim_end_last_record(view_sim *s)
{
    if (s->record.replay && !view_record_end(&s->record, s->saved, sizeof s->saved,
                                             s->setup.ground.folder, s->scene.title, &s->left)) {
        cli_complain("%s", s->saved);
        s->saved[0] = '\0';
        s->lost = true;
    }
}

void view_sim_look_at_record(view_sim *s)
{
    const char *full;
    const bool kept = view_record_look(&s->record, s->m, s->d, s->left, &full) == DP_OK;
    if (!kept) {
        view_sim_say(s, -1, true, dp_last_error());
    } else if (full) {
        view_sim_say(s, -1, false, full);
    }
    if (!kept || full) {
        view_sim_end_record(s);
        view_sim_tell_state(s, -1);
    }
}

// --- scenes

static void forget_grabs(view_sim *s)
{
    for (int i = 0; i < VIEW_MOST_CLIENTS; ++i) {
        free(s->grab[i].jacobian);
        s->grab[i] = (view_grab){0};
    }
}

void view_sim_look_around(view_sim *s)
{
    s->step_began = cli_clock();
    if (dp_forward(s->d) != DP_OK) {
        s->pace = unmeasured;
    }
    s->changed = true;
    view_sim_set_clocks(s);
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

static dp_status create_data(dp_data **out, const view_sim *s, const dp_model *m)
{
    const dp_status status = dp_data_create(out, m, NULL);
    if (status == DP_OK) {
        dp_data_set_interrupt(*out, s->setup.interrupt, s->setup.interrupt_user);
    }
    return status;
}

bool view_sim_change_scene(view_sim *s, view_scene *scene, const char **complaint)
{
    dp_data *d;
    if (create_data(&d, s, scene->loaded.model) != DP_OK) {
        *complaint = dp_last_error();
        return false;
    }
    double *own = copy_controls(scene->loaded.model, d);
    if (!own) {
        *complaint = "out of memory";
        dp_data_destroy(d);
        return false;
    }
    view_sim_end_record(s);
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
    view_sim_look_around(s);
    return true;
}

// --- beginning and end

static bool prepare(view_sim *s)
{
    if (create_data(&s->d, s, s->m) != DP_OK) {
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
    view_sim_look_around(s);
    return true;
}

bool view_sim_begin(view_sim *s, view_scene *scene, const view_setup *setup)
{
    *s = (view_sim){.setup = *setup,
                    .scene = *scene,
                    .m = scene->loaded.model,
                    .version = 1,
                    .running = !setup->paused,
                    .speed = setup->speed,
                    .left = setup->most_recorded};
    *scene = (view_scene){0};
    view_stream_begin(&s->stream);
    return prepare(s);
}

void view_sim_end(view_sim *s)
{
    forget_grabs(s);
    view_record_drop(&s->record);
    dp_data_destroy(s->d);
    view_scene_destroy(&s->scene);
    view_stream_free(&s->stream);
    free(s->own_control);
}
