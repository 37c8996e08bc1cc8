#include "import_report.h"

#include "program.h"

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

// Equal reasons together, each in the order of the file.
static int compare_reasons(const dp_import_item *a, const dp_import_item *b)
{
    const int verdict = (int)a->verdict - (int)b->verdict;
    const int feature = verdict != 0 ? verdict : strcmp(a->feature, b->feature);
    return feature != 0 ? feature : strcmp(a->note, b->note);
}

static int compare_news(const dp_import_item *a, const dp_import_item *b)
{
    const int reason = compare_reasons(a, b);
    const int element = reason != 0 ? reason : strcmp(a->element, b->element);
    return element != 0 ? element : strcmp(a->attribute, b->attribute);
}

static int by_reason(const void *a, const void *b)
{
    const int order = compare_reasons(&((const entry *)a)->item, &((const entry *)b)->item);
    return order != 0 ? order : by_place(a, b);
}

static int by_news(const void *a, const void *b)
{
    const int order = compare_news(&((const entry *)a)->item, &((const entry *)b)->item);
    return order != 0 ? order : by_place(a, b);
}

typedef bool (*chooser)(const dp_import_item *item, const cli_allow *allow);

// The items that are chosen, equal ones told by the first of them; in the order of the file.
static entries group(const dp_import_report *report, const cli_allow *allow, chooser choose,
                     int (*order)(const void *, const void *),
                     int (*compare)(const dp_import_item *, const dp_import_item *))
{
    const int count = dp_import_report_count(report);
    entries all = {calloc((size_t)count + 1, sizeof *all.at), 0};
    if (!all.at) {
        cli_complain("out of memory");
        return all;
    }
    for (int i = 0; i < count; ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (choose(&item, allow)) {
            all.at[all.count++] = (entry){item, i, 1};
        }
    }
    qsort(all.at, (size_t)all.count, sizeof *all.at, order);
    int groups = 0;
    for (int i = 0; i < all.count; ++i) {
        if (groups > 0 && compare(&all.at[groups - 1].item, &all.at[i].item) == 0) {
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
    return item->verdict == DP_IMPORT_REFUSED;
}

static bool is_approximated(const dp_import_item *item, const cli_allow *allow)
{
    (void)allow;
    return item->verdict == DP_IMPORT_APPROXIMATED;
}

static bool is_ignored(const dp_import_item *item, const cli_allow *allow)
{
    (void)allow;
    return item->verdict == DP_IMPORT_IGNORED;
}

static bool is_objectionable(const dp_import_item *item, const cli_allow *allow)
{
    return item->verdict == DP_IMPORT_APPROXIMATED ||
           (item->verdict == DP_IMPORT_IGNORED && item->feature[0] != '\0' &&
            !cli_allowed(allow, item->feature));
}

// --- text ---------------------------------------------------------------------------------------

// What can be done about a refusal.
static void put_remedy(const dp_import_item *item, const cli_allow *allow)
{
    if (item->verdict != DP_IMPORT_REFUSED || item->feature[0] == '\0') {
        return;
    }
    if (cli_allowed(allow, item->feature)) {
        fputs("; left out, as allowed", stdout);
    } else {
        printf(" (--allow %s)", item->feature);
    }
}

static void print_each(const char *heading, entries all, const cli_allow *allow)
{
    if (all.count > 0) {
        printf("  %s\n", heading);
    }
    for (int i = 0; i < all.count; ++i) {
        const entry *e = &all.at[i];
        char place[600];
        cli_item_place(place, sizeof place, &e->item);
        printf("    %s", place);
        if (e->count > 1) {
            printf(" and %d more", e->count - 1);
        }
        printf("%s%s", e->item.note[0] != '\0' ? ": " : "", e->item.note);
        put_remedy(&e->item, allow);
        putchar('\n');
    }
    free(all.at);
}

static void print_reasons(const char *heading, entries all)
{
    if (all.count > 0) {
        printf("  %s\n", heading);
    }
    for (int i = 0; i < all.count; ++i) {
        const entry *e = &all.at[i];
        const bool attribute = e->item.attribute[0] != '\0';
        printf("    %5d  %s: <%s>%s%s%s at %s:%d\n", e->count, e->item.note, e->item.element,
               attribute ? " " : "", e->item.attribute, e->count > 1 ? " …, first" : "",
               e->item.file, e->item.line);
    }
    free(all.at);
}

void cli_print_report(const dp_import_report *report, const cli_allow *allow)
{
    int count[4];
    cli_count_verdicts(count, report);
    printf("Import: %d elements and attributes used, %d approximated, %d ignored, %d refused\n",
           count[DP_IMPORT_USED], count[DP_IMPORT_APPROXIMATED], count[DP_IMPORT_IGNORED],
           count[DP_IMPORT_REFUSED]);
    print_each("refused", group(report, allow, is_refused, by_news, compare_news), allow);
    print_each("approximated", group(report, allow, is_approximated, by_news, compare_news), allow);
    print_reasons("ignored", group(report, allow, is_ignored, by_reason, compare_reasons));
}

void cli_print_items(const dp_import_report *report, const cli_allow *allow)
{
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        char place[600];
        cli_item_place(place, sizeof place, &item);
        printf("  %s: %s%s%s", place, verdict_name[item.verdict], item.note[0] != '\0' ? ", " : "",
               item.note);
        put_remedy(&item, allow);
        putchar('\n');
    }
}

int cli_report_objections(const dp_import_report *report, const cli_allow *allow,
                          void (*tell)(void *context, const char *objection), void *context)
{
    const entries all = group(report, allow, is_objectionable, by_news, compare_news);
    for (int i = 0; i < all.count; ++i) {
        const entry *e = &all.at[i];
        char place[600], more[40] = "", text[1400];
        cli_item_place(place, sizeof place, &e->item);
        if (e->count > 1) {
            snprintf(more, sizeof more, " and %d more", e->count - 1);
        }
        snprintf(text, sizeof text, "%s%s: %s, %s%s%s%s", place, more,
                 verdict_name[e->item.verdict], e->item.note,
                 e->item.feature[0] != '\0' ? " (--allow " : "", e->item.feature,
                 e->item.feature[0] != '\0' ? ")" : "");
        tell(context, text);
    }
    free(all.at);
    return all.count;
}

// --- JSON ---------------------------------------------------------------------------------------

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
        cli_json_text(json, "feature", item.feature);
        cli_json_text(json, "note", item.note);
        cli_json_close(json);
    }
    cli_json_end(json);
}
