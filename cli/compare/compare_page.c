// The page of a comparison: the motions of all runs, laid over each other by the viewer, with the
// table, what is to be said about it, and how differences grow (docs/replay.md).
#include "compare/compare.h"

#include "common/json.h"
#include "common/program.h"
#include "common/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_note(void *context, const char *names, const char *sentence)
{
    cli_json *j = context;
    cli_json_open(j, NULL);
    cli_json_text(j, "of", names);
    cli_json_text(j, "text", sentence);
    cli_json_close(j);
}

static void put_measures(cli_json *j, const cli_comparison *c)
{
    cli_json_array(j, "measures");
    for (int i = 0; i < cli_ncompared_measure; ++i) {
        const cli_compared_measure *what = &cli_compared_measures[i];
        double value[CLI_MOST_COMPARED];
        bool any = false;
        for (int k = 0; k < c->nrun; ++k) {
            value[k] = what->value(&c->run[k]);
            any = any || (isfinite(value[k]) && value[k] != 0.0);
        }
        if (any) {
            cli_json_open(j, NULL);
            cli_json_text(j, "key", what->key);
            cli_json_text(j, "label", what->label);
            cli_json_numbers(j, "values", value, c->nrun);
            cli_json_close(j);
        }
    }
    cli_json_end(j);
}

// The replay of a run as it stands alone.
static bool put_replay(cli_json *j, const cli_compared *r, const char *title)
{
    const dp_replay_page page = {.title = title, .channels = r->channels};
    char *text = NULL;
    size_t bytes = 0;
    if (dp_replay_write_json(&text, &bytes, r->replay, &page, NULL) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return false;
    }
    cli_json_raw(j, "run", text);
    free(text);
    return true;
}

static bool put_runs(cli_json *j, const cli_comparison *c)
{
    bool fine = true;
    cli_json_array(j, "runs");
    for (int i = 0; i < c->nrun && fine; ++i) {
        const cli_compared *r = &c->run[i];
        char name[300];
        cli_compared_name(name, sizeof name, c, r);
        cli_json_open(j, NULL);
        cli_json_text(j, "name", name);
        cli_json_text(j, "law", r->law->name);
        cli_json_number(j, "step", r->h);
        cli_json_number(j, "cost", r->steps > 0 ? r->seconds / ((double)r->steps * r->h) : NAN);
        cli_json_bool(j, "reference", r == c->reference);
        cli_json_numbers(j, "difference", r->difference, r->judged);
        if (r->samples > 0) {
            fine = put_replay(j, r, name);
        }
        cli_json_close(j);
    }
    cli_json_end(j);
    return fine;
}

static bool put_all(FILE *file, const cli_comparison *c)
{
    cli_json j = {.file = file};
    const char *title = dp_model_title(c->scene.model);
    char reference[300];
    cli_compare_reference_name(reference, sizeof reference, c);
    cli_json_open(&j, NULL);
    cli_json_bool(&j, "compare", true);
    cli_json_text(&j, "title", title[0] != '\0' ? title : c->o->scene);
    cli_json_text(&j, "reference", reference);
    cli_json_number(&j, "seconds", c->seconds);
    cli_json_number(&j, "sample", c->sample);
    cli_json_array(&j, "notes");
    bool fine = cli_compare_words(c, add_note, &j);
    cli_json_end(&j);
    put_measures(&j, c);
    fine = fine && put_runs(&j, c);
    cli_json_close(&j);
    return fine;
}

// Within a page, '<' could end the data: in JSON it only stands in strings, and can be written
// otherwise.
static char *without_angles(const char *text)
{
    size_t more = 0;
    for (const char *c = text; *c != '\0'; ++c) {
        more += *c == '<' ? 5 : 0;
    }
    char *out = malloc(strlen(text) + more + 1);
    for (char *to = out; out; ++text) {
        if (*text == '<') {
            memcpy(to, "\\u003c", 6);
            to += 6;
            continue;
        }
        *to++ = *text;
        if (*text == '\0') {
            break;
        }
    }
    return out;
}

static bool write_page(const char *path, const char *data)
{
    char *page = NULL;
    size_t bytes = 0;
    if (dp_replay_viewer(&page, &bytes, data, NULL) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return false;
    }
    cli_whole_file whole;
    bool fine = cli_whole_open(&whole, path);
    if (fine) {
        fwrite(page, 1, bytes, whole.file);
        fine = cli_whole_close(&whole, true);
    }
    free(page);
    return fine;
}

bool cli_compare_page(const cli_comparison *c, const char *path)
{
    char *text = NULL, *data = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    bool fine = memory && put_all(memory, c);
    const bool complete = memory && ferror(memory) == 0 && fclose(memory) == 0;
    if (fine && complete) {
        data = without_angles(text);
    }
    if (fine && !data) {
        cli_complain("%s: out of memory", path);
    }
    fine = fine && data && write_page(path, data);
    free(text);
    free(data);
    return fine;
}
