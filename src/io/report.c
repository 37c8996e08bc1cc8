#include "io/report.h"

#include <stdarg.h>
#include <stdio.h>

struct dp_import_report {
    dp_pool pool; // owns every string
    dp_import_item *item;
    size_t count, capacity;
};

dp_status dp_report_create(dp_import_report **out, const dp_allocator *allocator)
{
    const dp_allocator a = dp_allocator_or_default(allocator);
    DP_TRY(dp_allocate(out, &a, 1, sizeof **out));
    dp_pool_init(&(*out)->pool, &a);
    return DP_OK;
}

void dp_import_report_destroy(dp_import_report *report)
{
    if (!report) {
        return;
    }
    const dp_allocator a = report->pool.allocator;
    dp_release(&a, report->item, report->capacity, sizeof *report->item);
    dp_pool_destroy(&report->pool);
    dp_release(&a, report, 1, sizeof *report);
}

int dp_import_report_count(const dp_import_report *report)
{
    return report ? (int)report->count : 0;
}

dp_import_item dp_import_report_item(const dp_import_report *report, int index)
{
    if (index < 0 || index >= dp_import_report_count(report)) {
        return (dp_import_item){DP_IMPORT_VERDICT_USED, "", 0, "", "", "", "", ""};
    }
    return report->item[index];
}

dp_status dp_report_text(const char **out, dp_import_report *report, const char *text)
{
    if (!text || text[0] == '\0') {
        *out = ""; // needs no memory
        return DP_OK;
    }
    return dp_pool_text(out, &report->pool, text);
}

dp_status dp_report_add(int *index, dp_import_report *report, const dp_import_item *item)
{
    DP_TRY(dp_grow(&report->item, &report->capacity, report->count, sizeof *report->item,
                   &report->pool.allocator));
    *index = (int)report->count;
    report->item[report->count] = *item;
    if (!item->feature) {
        report->item[report->count].feature = "";
    }
    ++report->count;
    return DP_OK;
}

dp_status dp_report_set(dp_import_report *report, int index, dp_import_verdict verdict,
                        const char *feature, const char *format, ...)
{
    char note[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note, sizeof note, format, arguments);
    va_end(arguments);
    DP_ASSERT(index >= 0 && (size_t)index < report->count);
    DP_ASSERT(!feature || dp_feature_known(feature)); // else enter it in feature.c
    DP_TRY(dp_report_text(&report->item[index].note, report, note));
    report->item[index].verdict = verdict;
    report->item[index].feature = feature ? feature : "";
    return DP_OK;
}
