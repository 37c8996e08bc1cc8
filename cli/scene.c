#include "scene.h"

#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dp_status load(cli_scene *out, const char *path, const char *const *features, int count,
                      const cli_allow *allow)
{
    *out = (cli_scene){0};
    dp_import_options options = dp_import_options_default();
    options.allow = features;
    options.nallow = count;
    options.allow_outside = allow->outside;
    options.package_path = allow->packages.item;
    options.npackage_path = allow->packages.count;
    options.urdf_floating_base = allow->floating;
    const dp_status status = dp_model_file_load(&out->spec, &out->report, path, &options);
    return status == DP_OK ? dp_model_compile(&out->model, out->spec) : status;
}

dp_status cli_scene_load(cli_scene *out, const char *path, const cli_allow *allow)
{
    return load(out, path, allow->features.item, allow->features.count, allow);
}

// A message about what is not simulated says how to go on without it: "--allow contact".
static bool read_feature(char feature[64], const char *message)
{
    static const char hint[] = "--allow ";
    const char *at = strstr(message, hint);
    if (!at) {
        return false;
    }
    at += sizeof hint - 1;
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz:-_");
    if (length == 0 || length >= 64) {
        return false;
    }
    memcpy(feature, at, length);
    feature[length] = '\0';
    return true;
}

dp_status cli_scene_load_anyway(cli_scene *out, cli_missing *missing, const char *path,
                                const cli_allow *allow)
{
    enum { MOST = sizeof missing->name / sizeof missing->name[0] };
    *missing = (cli_missing){0};
    const int given = allow->features.count;
    const char **features = calloc((size_t)given + MOST, sizeof *features);
    if (!features) {
        *out = (cli_scene){0};
        return DP_ERROR_MEMORY;
    }
    for (int i = 0; i < given; ++i) {
        features[i] = allow->features.item[i];
    }
    dp_import_report *report = NULL;
    dp_status status;
    for (;;) {
        status = load(out, path, features, given + missing->count, allow);
        if (status != DP_ERROR_UNSUPPORTED || missing->count == MOST ||
            !read_feature(missing->name[missing->count], dp_last_error())) {
            break;
        }
        if (missing->count == 0) {
            snprintf(missing->message, sizeof missing->message, "%s", dp_last_error());
            report = out->report;
            out->report = NULL;
        }
        features[given + missing->count] = missing->name[missing->count];
        ++missing->count;
        cli_scene_destroy(out);
    }
    if (report) {
        dp_import_report_destroy(out->report);
        out->report = report;
    }
    free(features);
    return status;
}

void cli_scene_destroy(cli_scene *scene)
{
    dp_model_destroy(scene->model);
    dp_spec_destroy(scene->spec);
    dp_import_report_destroy(scene->report);
    *scene = (cli_scene){0};
}

const char *cli_label(char number[16], const char *name, int index)
{
    if (name[0] != '\0') {
        return name;
    }
    snprintf(number, 16, "%d", index);
    return number;
}

const char *cli_integrator_name(dp_integrator integrator)
{
    switch (integrator) {
    case DP_SEMI_IMPLICIT:
        return "semi-implicit";
    case DP_RK4:
        return "rk4";
    case DP_RK45:
        break;
    }
    return "rk45";
}

static const char *const verdict_name[] = {"used", "approximated", "ignored", "refused"};

// Items that differ only in their place and name are told once, with their number.
static bool same_news(const dp_import_item *a, const dp_import_item *b)
{
    return a->verdict == b->verdict && strcmp(a->element, b->element) == 0 &&
           strcmp(a->attribute, b->attribute) == 0 && strcmp(a->note, b->note) == 0;
}

static void print_verdict(const dp_import_report *report, dp_import_verdict verdict)
{
    const int count = dp_import_report_count(report);
    bool *told = calloc((size_t)count, sizeof *told);
    bool heading = false;
    for (int i = 0; told && i < count; ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (item.verdict != verdict || told[i]) {
            continue;
        }
        int times = 1;
        for (int j = i + 1; j < count; ++j) {
            const dp_import_item other = dp_import_report_item(report, j);
            if (same_news(&item, &other)) {
                told[j] = true;
                ++times;
            }
        }
        if (!heading) {
            printf("  %s\n", verdict_name[verdict]);
            heading = true;
        }
        printf("    %s:%d: <%s>", item.file, item.line, item.element);
        if (item.name[0] != '\0') {
            printf(" '%s'", item.name);
        }
        if (item.attribute[0] != '\0') {
            printf(" %s", item.attribute);
        }
        if (times > 1) {
            printf(" and %d more", times - 1);
        }
        printf("%s%s\n", item.note[0] != '\0' ? ": " : "", item.note);
    }
    free(told);
}

void cli_print_report(const dp_import_report *report)
{
    int number[4] = {0};
    const int count = dp_import_report_count(report);
    for (int i = 0; i < count; ++i) {
        ++number[dp_import_report_item(report, i).verdict];
    }
    printf("Import: %d elements and attributes used, %d approximated, %d ignored, %d refused\n",
           number[DP_IMPORT_USED], number[DP_IMPORT_APPROXIMATED], number[DP_IMPORT_IGNORED],
           number[DP_IMPORT_REFUSED]);
    print_verdict(report, DP_IMPORT_REFUSED);
    print_verdict(report, DP_IMPORT_APPROXIMATED);
    print_verdict(report, DP_IMPORT_IGNORED);
}

void cli_json_report(cli_json *json, const dp_import_report *report)
{
    cli_json_array(json, "report");
    const int count = report ? dp_import_report_count(report) : 0;
    for (int i = 0; i < count; ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        cli_json_open(json, NULL);
        cli_json_text(json, "verdict", verdict_name[item.verdict]);
        cli_json_text(json, "file", item.file);
        cli_json_count(json, "line", item.line);
        cli_json_text(json, "element", item.element);
        cli_json_text(json, "attribute", item.attribute);
        cli_json_text(json, "name", item.name);
        cli_json_text(json, "note", item.note);
        cli_json_close(json);
    }
    cli_json_end(json);
}
