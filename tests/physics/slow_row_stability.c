// Random mechanisms with rows of every kind at any stiffness, damping and step: none fails, none
// gains energy without bound, and steps whose rows are not solved are rare.
//
// DP_DRAWS and DP_FIRST choose other mechanisms; CI draws 1e4 in parts that run side by side, and
// `make torture` a million.
#include "mechanism.h"
#include "row_draw.h"

#include <stdlib.h>

static unsigned long long number_of(const char *variable, unsigned long long otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void any_rows_at_any_step_are_stable(void **state)
{
    (void)state;
    const unsigned long long first = number_of("DP_FIRST", 0), count = number_of("DP_DRAWS", 2500);
    row_tally t = row_tally_begin();
    for (unsigned long long i = 0; i < count; ++i) {
        row_draw(&t, first + i);
    }
    row_tally_judge(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_rows_at_any_step_are_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
