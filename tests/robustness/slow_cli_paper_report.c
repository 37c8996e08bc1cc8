// The report of all papers: everything is in it, and what differs has a reason.
#include "near.h"
#include "program_run.h"

#include <stdio.h>
#include <string.h>

static const char folder[] = DP_SCRATCH "/paper_report";
static const char page[] = DP_SCRATCH "/paper_report/report.md";
static const char html[] = DP_SCRATCH "/paper_report/report.html";

static void every_figure_is_in_it_and_all_that_differs_has_its_reason(void **state)
{
    (void)state;
    assert_int_equal(RUN("paper", "all", "--quick", "--out", folder)->code, 0);
    static char text[MOST_TEXT], id[32], heading[64];
    read_text(text, page);
    assert_non_null(strstr(text, "each with its reason below"));
    const program_result *list = RUN("paper", "--list");
    const char *line = strchr(list->out, '\n') + 1; // below the headings
    int count = 0;
    for (; sscanf(line, " %31s", id) == 1; ++count) {
        snprintf(heading, sizeof heading, "\n## %s\n", id);
        assert_non_null(strstr(text, heading));
        line = strchr(line, '\n') + 1;
    }
    assert_true(count >= 30);
}

static void the_page_needs_no_other_file(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    read_text(text, html);
    assert_non_null(strstr(text, "src=\"data:image/svg+xml;base64,"));
    assert_null(strstr(text, "src=\"http"));
    assert_null(strstr(text, "href=\"http"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_is_in_it_and_all_that_differs_has_its_reason),
        cmocka_unit_test(the_page_needs_no_other_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
