#include "common/scene.h"

#include "common/compose/compose.h"
#include "common/import_report.h"
#include "common/law_settings.h"
#include "common/program.h"
#include "common/signals.h"
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const self_collision_name[] = {[DP_SELF_COLLISION_AUTO] = "auto",
                                                  [DP_SELF_COLLISION_ALL] = "all",
                                                  [DP_SELF_COLLISION_NONE] = "none"};

// False: no rule has this name.
static bool find_self_collision(dp_self_collision *out, const char *name)
{
    for (int i = DP_SELF_COLLISION_AUTO; i <= DP_SELF_COLLISION_NONE; ++i) {
        if (!name || strcmp(self_collision_name[i], name) == 0) {
            *out = (dp_self_collision)i;
            return true;
        }
    }
    return false;
}

dp_import_options cli_import_options(const char *const *features, int count, const cli_allow *allow)
{
    dp_import_options options = dp_import_options_default();
    options.allow = features;
    options.nallow = count;
    options.allow_outside = !allow->confined;
    options.package_path = allow->packages.item;
    options.npackage_path = allow->packages.count;
    options.urdf_floating_base = allow->floating;
    options.visuals = allow->visuals;
    (void)find_self_collision(&options.urdf_self_collision, allow->self_collision); // was checked
    options.repair = true;
    options.interrupt = cli_interrupted;
    return options;
}

static dp_status import(cli_scene *out, const char *path, const char *const *features, int count,
                        const cli_allow *allow)
{
    *out = (cli_scene){0};
    cli_interrupt_at("while reading %s", path);
    const dp_import_options options = cli_import_options(features, count, allow);
    const dp_status status = dp_model_file_load(&out->spec, &out->report, path, &options);
    return status == DP_OK ? cli_compose(out, &options, allow) : status;
}

dp_status cli_scene_parse(cli_scene *out, const char *text, size_t bytes, const char *name,
                          const cli_allow *allow)
{
    *out = (cli_scene){0};
    dp_import_options options =
        cli_import_options(allow->features.item, allow->features.count, allow);
    options.allow_outside = false; // nobody at this machine has named it
    const dp_status status =
        dp_model_file_parse(&out->spec, &out->report, text, bytes, name, &options);
    return status == DP_OK ? dp_model_compile(&out->model, out->spec) : status;
}

dp_status cli_scene_read(cli_scene *out, const char *path, const cli_allow *allow)
{
    return import(out, path, allow->features.item, allow->features.count, allow);
}

dp_status cli_scene_load(cli_scene *out, const char *path, const cli_allow *allow)
{
    const dp_status status = cli_scene_read(out, path, allow);
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
        if (item.verdict == DP_IMPORT_VERDICT_REFUSED) {
            char place[600], message[1024];
            cli_item_place(place, sizeof place, &item);
            snprintf(message, sizeof message, "%s: %s", place, item.note);
            any = add_missing(missing, allow, item.feature, message) || any;
        }
    }
    return any;
}

// The same of the report of each file.
static bool add_all_refused(cli_missing *missing, const cli_allow *allow, const cli_scene *scene)
{
    bool any = add_refused(missing, allow, scene->report);
    for (int i = 0; i < scene->nadded; ++i) {
        any = add_refused(missing, allow, scene->added[i]) || any;
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
        if (!add_all_refused(missing, allow, out) &&
            !add_missing(missing, allow, dp_last_feature(), dp_last_error())) {
            return status;
        }
        cli_scene_destroy(out);
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
        status = dp_model_compile(&out->model, out->spec);
    }
    free(features);
    return status;
}

void cli_complain_of_file(const char *message, const char *feature)
{
    // The library names its own settings, the program its options.
    static const struct {
        const char *setting, *advice;
    } helps[] = {{"allow_outside", "to read it all the same: leave out --confined"},
                 {"package_path", "to look in another folder: add --package DIR"}};
    cli_complain("%s", message);
    for (size_t i = 0; i < sizeof helps / sizeof helps[0]; ++i) {
        if (strstr(message, helps[i].setting)) {
            cli_complain("%s", helps[i].advice);
        }
    }
    if (feature[0] != '\0') {
        cli_complain("to go on without: add --allow %s", feature);
    }
}

void cli_complain_of_missing(const cli_missing *missing, dp_status status)
{
    char options[1024] = "";
    for (int i = 0; i < missing->count; ++i) {
        const size_t used = strlen(options);
        snprintf(options + used, sizeof options - used, " --allow %s", missing->item[i].feature);
    }
    if (missing->count == 0) {
        cli_complain_of_file(dp_last_error(), dp_last_feature());
        return;
    }
    cli_complain_of_file(missing->complaint, "");
    if (status == DP_OK) {
        cli_complain("to go on without: add%s", options);
    } else {
        cli_complain("to go on with%s does not help: %s", options, dp_last_error());
    }
}

static bool is_known(const char *name, const char *const *words, int count)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(words[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_features(const cli_list *features, const char *const *words, int count)
{
    for (int i = 0; i < features->count; ++i) {
        const char *name = features->item[i];
        if (is_known(name, words, count)) {
            continue;
        }
        const char *near = cli_nearest(name, words, (size_t)count);
        if (near) {
            cli_complain("--allow %s: no such feature (did you mean '%s'?)", name, near);
        } else {
            cli_complain("--allow %s: no such feature ('dashpot check' tells what a file needs)",
                         name);
        }
        return false;
    }
    return true;
}

// To allow what is simulated changes nothing, and is said once.
static void note_simulated(const cli_list *features)
{
    char names[512] = "";
    bool contact = false;
    for (int i = 0; i < dp_feature_count(); ++i) {
        const dp_feature feature = dp_feature_at(i);
        for (int k = 0; k < features->count && feature.simulated; ++k) {
            if (strcmp(features->item[k], feature.name) == 0) {
                contact = contact || strcmp(feature.name, "contact") == 0;
                const size_t used = strlen(names);
                snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", feature.name);
                break;
            }
        }
    }
    if (names[0] != '\0') {
        cli_complain("note: --allow %s: simulated, nothing is left out%s", names,
                     contact ? " (to run without contact: --set disable_contact=true)" : "");
    }
}

static bool check_added(const cli_list *added)
{
    if (added->count > CLI_MOST_ADDED) {
        cli_complain("--add: found %d files (expected at most %d)", added->count, CLI_MOST_ADDED);
        return false;
    }
    for (int i = 0; i < added->count; ++i) {
        cli_added_file file;
        if (!cli_read_added(&file, added->item[i])) {
            cli_complain("--add: found '%s' (expected FILE, FILE@x,y,z or "
                         "FILE@x,y,z,roll,pitch,yaw, perhaps with ,floating behind it)",
                         added->item[i]);
            return false;
        }
    }
    return true;
}

bool cli_allow_check(const cli_allow *allow, const char *const *others, int nother)
{
    for (int i = 0; i < allow->packages.count; ++i) {
        struct stat info;
        const char *path = allow->packages.item[i];
        if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
            cli_complain("--package %s: no such folder", path);
            return false;
        }
    }
    if (!check_added(&allow->added)) {
        return false;
    }
    dp_self_collision rule;
    if (!find_self_collision(&rule, allow->self_collision)) {
        cli_complain("--self-collision %s: expected auto, all or none", allow->self_collision);
        return false;
    }
    const int known = dp_feature_count();
    const char **words = calloc((size_t)known + (size_t)nother, sizeof *words);
    if (!words) {
        cli_complain("out of memory");
        return false;
    }
    for (int i = 0; i < known + nother; ++i) {
        words[i] = i < known ? dp_feature_at(i).name : others[i - known];
    }
    const bool fine = check_features(&allow->features, words, known + nother);
    free(words);
    if (fine) {
        note_simulated(&allow->features);
    }
    return fine;
}

bool cli_allow_fits(const cli_allow *allow, const char *path, const dp_import_report *report)
{
    const char *element = dp_import_report_item(report, 0).element;
    const bool packages = allow->packages.count > 0 && allow->added.count == 0;
    const char *option = allow->floating         ? "--floating"
                         : packages              ? "--package"
                         : allow->self_collision ? "--self-collision"
                                                 : NULL;
    const bool finds_packages = !allow->floating && packages && strcmp(element, "sdf") == 0;
    if (option && strcmp(element, "robot") != 0 && !finds_packages) {
        cli_complain("%s belongs to URDF files (%s is an %s file)", option, path,
                     strcmp(element, "mujoco") == 0 ? "MJCF" : "SDF");
        return false;
    }
    return true;
}

void cli_allow_free(cli_allow *allow)
{
    free(allow->features.item);
    free(allow->packages.item);
    free(allow->added.item);
}

void cli_scene_destroy(cli_scene *scene)
{
    dp_model_destroy(scene->model);
    dp_spec_destroy(scene->spec);
    dp_import_report_destroy(scene->report);
    for (int i = 0; i < scene->nadded; ++i) {
        dp_import_report_destroy(scene->added[i]);
    }
    *scene = (cli_scene){0};
}

bool cli_has_error_control(const dp_options *options)
{
    return dp_options_is_ode(options) && options->integrator != DP_INTEGRATOR_IMPLICIT_EULER;
}
