// The import report: what became of every element and attribute of a file.
#ifndef DP_FORMAT_REPORT_H
#define DP_FORMAT_REPORT_H

#include "base/memory.h"

#include <dashpot/format.h>

/// An empty report that the caller owns (dp_import_report_destroy).
dp_status dp_report_create(dp_import_report **out, const dp_allocator *allocator);

/// Append an item and tell its index. Its strings are not copied: they are constants, or the
/// report's own (dp_report_text).
dp_status dp_report_add(int *index, dp_import_report *report, const dp_import_item *item);

/// Change the verdict of an item. The feature is a constant, or NULL for none; the note is
/// formatted.
dp_status dp_report_set(dp_import_report *report, int index, dp_import_verdict verdict,
                        const char *feature, const char *format, ...) DP_PRINTF(5, 6);

/// A copy of a text that lives as long as the report; NULL becomes "".
dp_status dp_report_text(const char **out, dp_import_report *report, const char *text);

/// Is it one of dp_feature_at()? Nothing else is refused.
bool dp_feature_known(const char *name);
/// Is it a defect of files that dp_import_options.repair goes on without?
bool dp_feature_is_flaw(const char *name);

#endif
