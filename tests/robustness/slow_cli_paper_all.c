// `dashpot paper all`: each figure gives its numbers, its files and its scene, and is in the
// report.
#include "json_text.h"
#include "near.h"
#include "paper_rows.h"
#include "program_run.h"
#include "well_formed.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT DP_SCRATCH "/paper_all"

enum { MOST_IDS = 64 };
static char ids[MOST_IDS][32];
static int id_count;
static char rows[MOST_TEXT]; // what `paper all` printed

// All figures, once for all tests.
static int run_all(void **state)
{
    (void)state;
    const program_result *list = RUN("paper", "--list", "--json");
    assert_int_equal(list->code, 0);
    for (const char *row = json_first(list->out, "papers"); row; row = json_next(row)) {
        assert_true(id_count < MOST_IDS);
        assert_int_equal(sscanf(json_at(row, NULL, "id"), "\"%31[^\"]", ids[id_count++]), 1);
    }
    const program_result *r = RUN("paper", "all", "--quick", "--json", "--out", OUT);
    assert_string_equal(r->err, "");
    assert_int_equal(r->code, 0);
    assert_true(snprintf(rows, sizeof rows, "%s", r->out) < MOST_TEXT);
    return 0;
}

static bool is_null(const char *value)
{
    return value && strncmp(value, "null", 4) == 0;
}

static bool is_number(const char *value)
{
    char *end = NULL;
    return value && isfinite(strtod(value, &end)) && end > value && strchr(",}", *end);
}

static void rows_have_the_promised_keys_and_each_figure_has_some(void **state)
{
    (void)state;
    int count[MOST_IDS] = {0};
    for (const char *row = json_first(rows, "rows"); row; row = json_next(row)) {
        static const char *const texts[] = {"case", "quantity", "unit", "note"};
        for (int k = 0; k < 4; ++k) {
            const char *at = json_at(row, NULL, texts[k]);
            assert_true(at && at[0] == '"');
        }
        assert_true(is_null(json_at(row, NULL, "paper")) || is_number(json_at(row, NULL, "paper")));
        // What has no answer says so: impulses in a wedge have no bound.
        assert_true(is_number(json_at(row, NULL, "ours")) ||
                    (is_null(json_at(row, NULL, "ours")) && json_is_text(row, "id", "a-wedge")));
        for (int i = 0; i < id_count; ++i) {
            count[i] += json_is_text(row, "id", ids[i]);
        }
    }
    for (int i = 0; i < id_count; ++i) {
        if (count[i] < 5) {
            fail_msg("%s: %d rows (expected at least 5)", ids[i], count[i]);
        }
    }
    assert_true(id_count >= 30);
}

static void files_are_a_plot_curves_and_numbers(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    for (int i = 0; i < id_count; ++i) {
        char path[3000];
        snprintf(path, sizeof path, OUT "/%s.svg", ids[i]);
        read_text(text, path);
        assert_true(assert_well_formed(text) > 50);
        assert_null(strstr(text, "nan"));
        snprintf(path, sizeof path, OUT "/%s.csv", ids[i]);
        read_text(text, path);
        assert_int_equal(strncmp(text, "case,quantity,unit,paper,ours,note\n", 35), 0);
        snprintf(path, sizeof path, OUT "/%s-curves.csv", ids[i]);
        read_text(text, path);
        assert_int_equal(strncmp(text, "panel,curve,x,x_unit,y,y_unit\n", 30), 0);
    }
}

static void scenes_that_are_built_in_are_those_of_the_folder(void **state)
{
    (void)state;
    static char text[MOST_TEXT], source[MOST_TEXT];
    DIR *folder = opendir(DP_SCENES "/paper");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".xml") != 0) {
            continue;
        }
        char path[3000];
        snprintf(path, sizeof path, OUT "/%s", entry->d_name);
        read_text(text, path);
        snprintf(path, sizeof path, DP_SCENES "/paper/%s", entry->d_name);
        read_text(source, path);
        assert_string_equal(text, source);
        ++count;
    }
    closedir(folder);
    assert_true(count >= 18);
}

static void every_figure_is_in_the_report_and_all_that_differs_has_its_reason(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    read_text(text, OUT "/report.md");
    assert_non_null(strstr(text, "each with its reason below"));
    for (int i = 0; i < id_count; ++i) {
        char heading[64];
        snprintf(heading, sizeof heading, "\n## %.31s\n", ids[i]);
        assert_non_null(strstr(text, heading));
    }
}

static void the_page_needs_no_other_file(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    read_text(text, OUT "/report.html");
    assert_non_null(strstr(text, "src=\"data:image/svg+xml;base64,"));
    assert_null(strstr(text, "src=\"http"));
    assert_null(strstr(text, "href=\"http"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_promised_keys_and_each_figure_has_some),
        cmocka_unit_test(files_are_a_plot_curves_and_numbers),
        cmocka_unit_test(scenes_that_are_built_in_are_those_of_the_folder),
        cmocka_unit_test(every_figure_is_in_the_report_and_all_that_differs_has_its_reason),
        cmocka_unit_test(the_page_needs_no_other_file),
    };
    return cmocka_run_group_tests(tests, run_all, NULL);
}
