#include "scene.h"

#include "import_report.h"
#include "program.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dp_status import(cli_scene *out, const char *path, const char *const *features, int count,
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
    return dp_model_file_load(&out->spec, &out->report, path, &options);
}

dp_status cli_scene_load(cli_scene *out, const char *path, const cli_allow *allow)
{
    const dp_status status = import(out, path, allow->features.item, allow->features.count, allow);
    return status == DP_OK ? dp_model_compile(&out->model, out->spec) : status;
}

bool cli_allowed(const cli_allow *allow, const char *name)
{
    for (int i = 0; i < allow->features.count; ++i) {
        if (strcmp(allow->features.item[i], name) == 0) {
            return true;
        }
    }
    return false;
}

// Enter a feature that is missing; false when that helps no more.
static bool add_missing(cli_missing *missing, const cli_allow *allow, const char *name,
                        const char *message)
{
    if (name[0] == '\0' || missing->count == CLI_MOST_MISSING || cli_allowed(allow, name)) {
        return false;
    }
    for (int i = 0; i < missing->count; ++i) {
        if (strcmp(missing->item[i].feature, name) == 0) {
            return false;
        }
    }
    cli_missing_feature *item = &missing->item[missing->count++];
    snprintf(item->feature, sizeof item->feature, "%s", name);
    snprintf(item->message, sizeof item->message, "%s", message);
    return true;
}

// Everything that the report of a failed import refuses. False: nothing new.
static bool add_refused(cli_missing *missing, const cli_allow *allow,
                        const dp_import_report *report)
{
    bool any = false;
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (item.verdict == DP_IMPORT_REFUSED) {
            char place[600], message[1024];
            cli_item_place(place, sizeof place, &item);
            snprintf(message, sizeof message, "%s: %s", place, item.note);
            any = add_missing(missing, allow, item.feature, message) || any;
        }
    }
    return any;
}

// The names that the user gave, and those that turned out to be missing.
static int list_features(const char **features, const cli_missing *missing, const cli_allow *allow)
{
    int n = 0;
    for (int i = 0; i < allow->features.count; ++i) {
        features[n++] = allow->features.item[i];
    }
    for (int i = 0; i < missing->count; ++i) {
        features[n++] = missing->item[i].feature;
    }
    return n;
}

// Read the file, again and again, each time without what was refused the time before.
static dp_status import_anyway(cli_scene *out, cli_missing *missing, const char *path,
                               const cli_allow *allow, const char **features)
{
    for (;;) {
        const int count = list_features(features, missing, allow);
        const dp_status status = import(out, path, features, count, allow);
        if (status != DP_ERROR_UNSUPPORTED) {
            return status;
        }
        if (missing->count == 0) {
            snprintf(missing->complaint, sizeof missing->complaint, "%s", dp_last_error());
        }
        if (!add_refused(missing, allow, out->report) &&
            !add_missing(missing, allow, dp_last_feature(), dp_last_error())) {
            return status;
        }
        cli_scene_destroy(out);
    }
}

// A spec that holds what is not simulated says so one feature at a time.
static dp_status compile_anyway(cli_scene *out, cli_missing *missing, const cli_allow *allow)
{
    for (;;) {
        dp_status status = dp_model_compile(&out->model, out->spec);
        if (status != DP_ERROR_UNSUPPORTED) {
            return status;
        }
        if (missing->count == 0) {
            snprintf(missing->complaint, sizeof missing->complaint, "%s", dp_last_error());
        }
        if (!add_missing(missing, allow, dp_last_feature(), dp_last_error())) {
            return status;
        }
        status = dp_spec_allow(out->spec, missing->item[missing->count - 1].feature);
        if (status != DP_OK) {
            return status;
        }
    }
}

dp_status cli_scene_load_anyway(cli_scene *out, cli_missing *missing, const char *path,
                                const cli_allow *allow)
{
    *out = (cli_scene){0};
    missing->count = 0;
    missing->complaint[0] = '\0';
    const size_t most = (size_t)allow->features.count + CLI_MOST_MISSING;
    const char **features = calloc(most, sizeof *features);
    if (!features) {
        return DP_ERROR_MEMORY;
    }
    dp_status status = import_anyway(out, missing, path, allow, features);
    if (status == DP_OK) {
        status = compile_anyway(out, missing, allow);
    }
    free(features);
    return status;
}

void cli_note_unknown_features(const cli_allow *allow, const char *const *others, int nother)
{
    const int known = dp_feature_count();
    const char **words = calloc((size_t)(known + nother), sizeof *words);
    for (int i = 0; words && i < known + nother; ++i) {
        words[i] = i < known ? dp_feature_at(i).name : others[i - known];
    }
    for (int i = 0; words && i < allow->features.count; ++i) {
        const char *name = allow->features.item[i];
        bool found = false;
        for (int k = 0; k < known + nother && !found; ++k) {
            found = strcmp(words[k], name) == 0;
        }
        const char *near = cli_nearest(name, words, (size_t)(known + nother));
        if (!found && near) {
            cli_complain("note: --allow %s: no such feature (did you mean '%s'?)", name, near);
        } else if (!found) {
            cli_complain("note: --allow %s: no such feature", name);
        }
    }
    free(words);
}

void cli_scene_destroy(cli_scene *scene)
{
    dp_model_destroy(scene->model);
    dp_spec_destroy(scene->spec);
    dp_import_report_destroy(scene->report);
    *scene = (cli_scene){0};
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
