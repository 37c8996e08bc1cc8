#include "common/import_report.h"

#include "common/program.h"
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_name[] = {"used", "approximated", "ignored", "refused"};

void cli_item_place(char *out, size_t size, const dp_import_item *item)
{
    const bool named = item->name[0] != '\0', attribute = item->attribute[0] != '\0';
    snprintf(out, size, "%s:%d: <%s>%s%s%s%s%s", item->file, item->line, item->element,
             named ? " '" : "", item->name, named ? "'" : "", attribute ? " " : "",
             item->attribute);
}

void cli_count_verdicts(int count[4], const dp_import_report *report)
{
    memset(count, 0, 4 * sizeof *count);
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        ++count[dp_import_report_item(report, i).verdict];
    }
}

// --- groups of items that say the same ----------------------------------------------------------

typedef struct entry {
    dp_import_item item;
    int index; // in the report
    int count; // as the first of a group: how many say the same
} entry;

typedef struct entries {
    entry *at;
    int count;
} entries;

static int by_place(const void *a, const void *b)
{
    const int i = ((const entry *)a)->index, j = ((const entry *)b)->index;
    return (i > j) - (i < j);
}

static int compare_reasons(const dp_import_item *a, const dp_import_item *b)
{
    const int verdict = (int)a->verdict - (int)b->verdict;
    const int feature = verdict != 0 ? verdict : strcmp(a->feature, b->feature);
    return feature != 0 ? feature : strcmp(a->note, b->note);
}

// Equal reasons together, each in the order of the file.
static int by_reason(const void *a, const void *b)
{
    const int order = compare_reasons(&((const entry *)a)->item, &((const entry *)b)->item);
    return order != 0 ? order : by_place(a, b);
}

typedef bool (*chooser)(const dp_import_item *item, const cli_allow *allow);

// An attribute that shares the fate of its element, which was entered before it.
static bool follows(const dp_import_item *attribute, const dp_import_item *element)
{
    return attribute->attribute[0] != '\0' && attribute->line == element->line &&
           strcmp(attribute->element, element->element) == 0 &&
           compare_reasons(attribute, element) == 0;
}

// The items that are chosen, those with equal reasons reported by the first of them; in the order
// of the file. `followers`: count the attributes of an element that is itself among them.
static entries group(const dp_import_report *report, const cli_allow *allow, chooser choose,
                     bool followers)
{
    const int count = dp_import_report_count(report);
    entries all = {calloc((size_t)count + 1, sizeof *all.at), 0};
    if (!all.at) {
        cli_complain("out of memory");
        return all;
    }
    dp_import_item element = dp_import_report_item(report, -1);
    for (int i = 0; i < count; ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (item.attribute[0] == '\0') {
            element = item;
        }
        if (choose(&item, allow) && (followers || !follows(&item, &element))) {
            all.at[all.count++] = (entry){item, i, 1};
        }
    }
    qsort(all.at, (size_t)all.count, sizeof *all.at, by_reason);
    int groups = 0;
    for (int i = 0; i < all.count; ++i) {
        if (groups > 0 && compare_reasons(&all.at[groups - 1].item, &all.at[i].item) == 0) {
            ++all.at[groups - 1].count;
        } else {
            all.at[groups++] = all.at[i];
        }
    }
    all.count = groups;
    qsort(all.at, (size_t)all.count, sizeof *all.at, by_place);
    return all;
}

static bool is_refused(const dp_import_item *item, const cli_allow *allow)
{
    (void)allow;
    return item->verdict == DP_IMPORT_VERDICT_REFUSED;
}

static bool is_approximated(const dp_import_item *item, const cli_allow *allow)
{
    (void)allow;
    return item->verdict == DP_IMPORT_VERDICT_APPROXIMATED;
}

// Used, but not with MuJoCo's meaning: the note says with which.
static bool is_other(const dp_import_item *item, const cli_allow *allow)
{
    (void)allow;
    return item->verdict == DP_IMPORT_VERDICT_USED && item->note[0] != '\0';
}

static bool is_ignored(const dp_import_item *item, const cli_allow *allow)
{
    (void)allow;
    return item->verdict == DP_IMPORT_VERDICT_IGNORED;
}

// A defect of the file that was repaired or left out, and that nobody has asked to overlook.
static bool is_flaw(const dp_import_item *item, const cli_allow *allow)
{
    for (int i = 0; item->feature[0] != '\0' && i < dp_feature_count(); ++i) {
        const dp_feature feature = dp_feature_at(i);
        if (strcmp(feature.name, item->feature) == 0) {
            return feature.flaw && !cli_allowed(allow, feature.name);
        }
    }
    return false;
}

static bool is_objectionable(const dp_import_item *item, const cli_allow *allow)
{
    return item->verdict == DP_IMPORT_VERDICT_APPROXIMATED || is_flaw(item, allow) ||
           (item->verdict == DP_IMPORT_VERDICT_IGNORED && item->feature[0] != '\0' &&
            !cli_allowed(allow, item->feature));
}

// The name of a file inside of the folder of the main file.
static const char *short_name(const char *file, const char *main_file)
{
    const char *slash = strrchr(main_file, '/');
    const size_t folder = slash ? (size_t)(slash - main_file) + 1 : 0;
    return strncmp(file, main_file, folder) == 0 ? file + folder : file;
}

// --- text ---------------------------------------------------------------------------------------

// What can be done about a refusal.
static void put_remedy(char out[100], const dp_import_item *item, const cli_allow *allow)
{
    out[0] = '\0';
    if (item->verdict != DP_IMPORT_VERDICT_REFUSED || item->feature[0] == '\0') {
        return;
    }
    if (cli_allowed(allow, item->feature)) {
        snprintf(out, 100, "; left out, as allowed");
    } else if (is_flaw(item, allow)) {
        snprintf(out, 100, "; left out");
    } else {
        snprintf(out, 100, " (--allow %s)", item->feature);
    }
}

static void print_each(const char *heading, entries all, const char *main_file,
                       const cli_allow *allow)
{
    if (all.count > 0) {
        cli_print("  %s\n", heading);
    }
    for (int i = 0; i < all.count; ++i) {
        dp_import_item item = all.at[i].item;
        char place[600], remedy[100], more[40] = "";
        item.file = short_name(item.file, main_file);
        cli_item_place(place, sizeof place, &item);
        put_remedy(remedy, &item, allow);
        if (all.at[i].count > 1) {
            snprintf(more, sizeof more, " and %d more", all.at[i].count - 1);
        }
        cli_print_sentence(6, "    %s%s%s%s%s", place, more, item.note[0] != '\0' ? ": " : "",
                           item.note, remedy);
    }
    free(all.at);
}

static void print_reasons(const char *heading, entries all, const char *main_file)
{
    if (all.count > 0) {
        cli_print("  %s\n", heading);
    }
    for (int i = 0; i < all.count; ++i) {
        const dp_import_item *item = &all.at[i].item;
        const bool attribute = item->attribute[0] != '\0';
        cli_print_sentence(11, "    %5d  %s: <%s>%s%s%s at %s:%d", all.at[i].count, item->note,
                           item->element, attribute ? " " : "", item->attribute,
                           all.at[i].count > 1 ? " …, first" : "",
                           short_name(item->file, main_file), item->line);
    }
    free(all.at);
}

// "Import: 3 elements …" and the lists below.
static void print_one(const char *heading, const dp_import_report *report, const char *main_file,
                      const cli_allow *allow)
{
    int count[4];
    cli_count_verdicts(count, report);
    cli_print("%s: %d element%s used, %d approximated, %d ignored, %d refused\n", heading,
              count[DP_IMPORT_VERDICT_USED],
              count[DP_IMPORT_VERDICT_USED] == 1 ? " or attribute" : "s and attributes",
              count[DP_IMPORT_VERDICT_APPROXIMATED], count[DP_IMPORT_VERDICT_IGNORED],
              count[DP_IMPORT_VERDICT_REFUSED]);
    print_each("refused", group(report, allow, is_refused, false), main_file, allow);
    print_each("approximated", group(report, allow, is_approximated, false), main_file, allow);
    print_reasons("used, with another meaning", group(report, allow, is_other, true), main_file);
    print_reasons("ignored", group(report, allow, is_ignored, true), main_file);
}

void cli_print_report(const cli_scene *scene, const char *main_file, const cli_allow *allow)
{
    print_one("Import", scene->report, main_file, allow);
    for (int i = 0; i < scene->nadded; ++i) {
        const char *file = dp_import_report_item(scene->added[i], 0).file;
        char heading[600];
        snprintf(heading, sizeof heading, "Import of %.580s", file);
        print_one(heading, scene->added[i], file, allow);
    }
}

static void print_items(const dp_import_report *report, const cli_allow *allow)
{
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        char place[600], remedy[100];
        cli_item_place(place, sizeof place, &item);
        put_remedy(remedy, &item, allow);
        cli_print("  %s: %s%s%s%s\n", place, verdict_name[item.verdict],
                  item.note[0] != '\0' ? ", " : "", item.note, remedy);
    }
}

void cli_print_items(const cli_scene *scene, const cli_allow *allow)
{
    print_items(scene->report, allow);
    for (int i = 0; i < scene->nadded; ++i) {
        print_items(scene->added[i], allow);
    }
}

static int object(const dp_import_report *report, const char *main_file, const cli_allow *allow,
                  void (*tell)(void *context, const char *objection), void *context)
{
    const entries all = group(report, allow, is_objectionable, false);
    for (int i = 0; i < all.count; ++i) {
        dp_import_item item = all.at[i].item;
        char place[600], more[40] = "", text[1400];
        item.file = short_name(item.file, main_file);
        cli_item_place(place, sizeof place, &item);
        if (all.at[i].count > 1) {
            snprintf(more, sizeof more, " and %d more", all.at[i].count - 1);
        }
        const bool named = item.feature[0] != '\0';
        snprintf(text, sizeof text, "%s%s: %s, %s%s%s%s", place, more, verdict_name[item.verdict],
                 item.note, named ? " (--allow " : "", item.feature, named ? ")" : "");
        tell(context, text);
    }
    free(all.at);
    return all.count;
}

int cli_report_objections(const cli_scene *scene, const char *main_file, const cli_allow *allow,
                          void (*tell)(void *context, const char *objection), void *context)
{
    int count = object(scene->report, main_file, allow, tell, context);
    for (int i = 0; i < scene->nadded; ++i) {
        count += object(scene->added[i], main_file, allow, tell, context);
    }
    return count;
}

// Several places with the same defect, though its words differ, make one note.
static bool is_noted(const dp_import_report *report, const cli_allow *allow, int last)
{
    const dp_import_item item = dp_import_report_item(report, last);
    for (int i = 0; i < last; ++i) {
        const dp_import_item earlier = dp_import_report_item(report, i);
        if (is_flaw(&earlier, allow) && strcmp(earlier.feature, item.feature) == 0) {
            return true;
        }
    }
    return false;
}

static void note_flaws(const dp_import_report *report, const cli_allow *allow)
{
    const int count = dp_import_report_count(report);
    for (int i = 0; i < count; ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (!is_flaw(&item, allow) || is_noted(report, allow, i)) {
            continue;
        }
        int more = 0;
        for (int k = i + 1; k < count; ++k) {
            const dp_import_item other = dp_import_report_item(report, k);
            more += is_flaw(&other, allow) && strcmp(other.feature, item.feature) == 0;
        }
        char place[600], rest[80] = "", text[2000];
        cli_item_place(place, sizeof place, &item);
        if (more > 0) {
            snprintf(rest, sizeof rest, "; %d more like this, which 'dashpot check' lists", more);
        }
        snprintf(text, sizeof text, "note: %s: %s%s%s", place, item.note,
                 item.verdict == DP_IMPORT_VERDICT_REFUSED ? "; left out" : "", rest);
        cli_complain_of_file(text, "");
    }
}

void cli_note_scene(const cli_scene *scene, const cli_allow *allow)
{
    note_flaws(scene->report, allow);
    for (int i = 0; i < scene->nadded; ++i) {
        note_flaws(scene->added[i], allow);
    }
    if (scene->note[0] != '\0') {
        cli_complain("note: %s", scene->note);
    }
}

// --- JSON ---------------------------------------------------------------------------------------

static void json_items(cli_json *json, const dp_import_report *report)
{
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
        cli_json_text(json, "feature", item.feature);
        cli_json_text(json, "note", item.note);
        cli_json_close(json);
    }
}

void cli_json_report(cli_json *json, const cli_scene *scene)
{
    cli_json_array(json, "report");
    json_items(json, scene->report);
    for (int i = 0; i < scene->nadded; ++i) {
        json_items(json, scene->added[i]);
    }
    cli_json_end(json);
}
