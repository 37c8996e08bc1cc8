// What came out of a file: comparisons of poses, and items of the report.
#ifndef DP_TESTS_IMPORTED_H
#define DP_TESTS_IMPORTED_H

#include "near.h"

#include <dashpot/format.h>

/// Equal but for the round-off of a few operations on numbers of order one.
void assert_v3(dp_v3 a, double x, double y, double z);
/// The same rotation; q and −q are.
void assert_rotation(dp_quat a, dp_quat b);

/// The item about an element of that name (attribute "": itself), the first in the file.
dp_import_item item_of(const dp_import_report *report, const char *element, const char *attribute);

#endif
