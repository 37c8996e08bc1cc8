#include "imported.h"

#include <math.h>
#include <string.h>

static const double ROUND_OFF = 1e-15; // of a few operations on numbers of order one

void assert_v3(dp_v3 a, double x, double y, double z)
{
    assert_near(a.x, x, 8 * ROUND_OFF);
    assert_near(a.y, y, 8 * ROUND_OFF);
    assert_near(a.z, z, 8 * ROUND_OFF);
}

void assert_rotation(dp_quat a, dp_quat b)
{
    const double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    assert_near(fabs(dot), 1.0, 4 * ROUND_OFF);
}

dp_import_item item_of(const dp_import_report *report, const char *element, const char *attribute)
{
    for (int i = 0; i < dp_import_report_count(report); ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        if (strcmp(item.element, element) == 0 && strcmp(item.attribute, attribute) == 0) {
            return item;
        }
    }
    fail_msg("the report does not mention %s %s", element, attribute);
    return (dp_import_item){0};
}
