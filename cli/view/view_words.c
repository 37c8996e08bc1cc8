#include "view/view_words.h"

#include "common/json.h"

#include <dashpot/record.h>

#include <stdlib.h>
#include <string.h>

static cli_json begin(view_words *w, const char *kind)
{
    *w = (view_words){NULL, 0};
    cli_json json = {.file = open_memstream(&w->text, &w->bytes)};
    if (json.file) {
        cli_json_open(&json, NULL);
        cli_json_text(&json, "kind", kind);
    }
    return json;
}

static void end(view_words *w, cli_json *json)
{
    cli_json_close(json);
    if (fclose(json->file) != 0) {
        free(w->text);
        *w = (view_words){NULL, 0};
    }
}

// The scene as a replay of one frame.
static dp_status describe(char **out, const dp_model *m, dp_data *d, const char *title)
{
    *out = NULL;
    dp_replay *replay;
    dp_status status = dp_replay_create(&replay, m, NULL);
    if (status != DP_OK) {
        return status;
    }
    size_t bytes;
    status = dp_replay_sample(replay, d);
    if (status == DP_OK) {
        const dp_replay_page page = {.title = title};
        status = dp_replay_write_json(out, &bytes, replay, &page, NULL);
    }
    dp_replay_destroy(replay);
    return status;
}

static void put_law(cli_json *json, const char *name, const char *about)
{
    cli_json_open(json, NULL);
    cli_json_text(json, "name", name);
    cli_json_text(json, "words", about);
    cli_json_close(json);
}

static void put_laws(cli_json *json)
{
    static const char *const about[] = {
        [DP_LAW_COMPLIANT] = "springs and dashpots, solved at the end of the step",
        [DP_LAW_LCP] = "rigid, friction in polygons",
        [DP_LAW_NCP] = "rigid, friction in Coulomb's cone",
        [DP_LAW_VI] = "rigid, convex, forces that are unique",
        [DP_LAW_TAMSI] = "springs, friction that grows with the slip",
    };
    cli_json_array(json, "laws");
    for (size_t i = 0; i < sizeof about / sizeof about[0]; ++i) {
        put_law(json, dp_law_name((dp_law_kind)i), about[i]);
    }
    put_law(json, "ode", "springs as a differential equation, with error control");
    cli_json_end(json);
}

// Its name, or that of the joint, tendon or site that it drives.
static const char *actuator_label(const dp_model *m, const dp_actuator_info *a)
{
    if (a->name[0] != '\0') {
        return a->name;
    }
    return a->joint.index >= 0    ? dp_model_joint(m, a->joint).name
           : a->tendon.index >= 0 ? dp_model_tendon(m, a->tendon).name
           : a->site.index >= 0   ? dp_model_site(m, a->site).name
                                  : "";
}

static void put_actuators(cli_json *json, const dp_model *m, dp_data *d, const double *own)
{
    cli_json_array(json, "actuators");
    for (int i = 0; i < dp_model_sizes(m)->nactuator; ++i) {
        const dp_actuator_info a = dp_model_actuator(m, (dp_actuator_id){i});
        cli_json_open(json, NULL);
        cli_json_text(json, "name", actuator_label(m, &a));
        cli_json_number(json, "lo", a.control_limited ? a.control_range[0] : -1.0);
        cli_json_number(json, "hi", a.control_limited ? a.control_range[1] : 1.0);
        cli_json_number(json, "value", dp_data_control(d)[i]);
        cli_json_number(json, "own", own[i]);
        cli_json_close(json);
    }
    cli_json_end(json);
}

void view_step_range(double range[2], double h)
{
    const double factor = 20.0;
    range[0] = h / factor;
    range[1] = h * factor;
}

view_words view_words_scene(const dp_model *m, dp_data *d, const double *own, uint32_t version,
                            const char *title)
{
    char *run;
    view_words w = {NULL, 0};
    if (describe(&run, m, d, title) != DP_OK) {
        return w;
    }
    cli_json json = begin(&w, "scene");
    if (json.file) {
        double range[2];
        view_step_range(range, dp_model_options(m)->step);
        cli_json_count(&json, "version", version);
        cli_json_raw(&json, "run", run);
        cli_json_open(&json, "offer");
        put_laws(&json);
        put_actuators(&json, m, d, own);
        cli_json_array(&json, "keys");
        for (int i = 0; i < dp_model_sizes(m)->nkey; ++i) {
            const char *name = dp_model_key_name(m, (dp_key_id){i});
            char number[16];
            snprintf(number, sizeof number, "%d", i);
            cli_json_text(&json, NULL, name[0] != '\0' ? name : number);
        }
        cli_json_end(&json);
        cli_json_numbers(&json, "step", range, 2);
        cli_json_close(&json);
        end(&w, &json);
    }
    free(run);
    return w;
}

view_words view_words_state(const view_state *state, const dp_options *options)
{
    view_words w;
    cli_json json = begin(&w, "state");
    if (json.file) {
        cli_json_bool(&json, "running", state->running);
        cli_json_number(&json, "speed", state->speed);
        cli_json_text(&json, "law", dp_options_law_name(options));
        cli_json_number(&json, "step", options->step);
        cli_json_number(&json, "stiffness", state->stiffness);
        cli_json_number(&json, "friction", state->friction);
        cli_json_bool(&json, "recording", state->recording);
        cli_json_count(&json, "clients", state->clients);
        cli_json_text(&json, "scene", state->scene);
        end(&w, &json);
    }
    return w;
}

view_words view_words_say(bool error, const char *text)
{
    view_words w;
    cli_json json = begin(&w, "say");
    if (json.file) {
        cli_json_text(&json, "level", error ? "error" : "note");
        cli_json_text(&json, "text", text);
        end(&w, &json);
    }
    return w;
}

view_words view_words_saved(const char *file)
{
    view_words w;
    cli_json json = begin(&w, "saved");
    if (json.file) {
        cli_json_text(&json, "file", file);
        end(&w, &json);
    }
    return w;
}
