#include "dump.h"

#include "element_names.h"
#include "law_settings.h"
#include "program.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_problem(const char *name)
{
    const size_t n = strlen(name);
    return strncmp(name, "problem-", 8) == 0 && n > 4 && strcmp(name + n - 4, ".txt") == 0;
}

static bool holds_problems(DIR *folder)
{
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (is_problem(entry->d_name)) {
            return true;
        }
    }
    return false;
}

bool cli_dump_check(const char *folder)
{
    if (mkdir(folder, 0777) == 0) {
        return true;
    }
    const int why = errno;
    DIR *found = opendir(folder);
    if (!found) {
        cli_complain("--dump-problems: '%s' cannot be made or opened: %s", folder,
                     strerror(why == EEXIST ? errno : why));
        return false;
    }
    const bool used = holds_problems(found);
    closedir(found);
    if (used) {
        cli_complain(
            "--dump-problems: '%s' holds problems already (expected a new or empty folder)",
            folder);
        return false;
    }
    if (access(folder, W_OK) != 0) {
        cli_complain("--dump-problems: '%s' cannot be written: %s", folder, strerror(errno));
        return false;
    }
    return true;
}

// Where and when it was, and whose each block is. The caller frees it; NULL: out of memory.
static char *describe(const cli_dump *dump, const dp_model *m, const dp_data *d)
{
    const dp_step_problem *p = dp_data_problem(d);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) {
        return NULL;
    }
    fprintf(out, "%s, step %lld: from t = %.17g s", dump->scene, *dump->done + 1, dp_data_time(d));
    for (int b = 0; b < p->nblock; ++b) {
        const dp_row_info row = dp_data_row(d, p->row_start[b]);
        fprintf(out, "\nblock %d: %s", b, cli_row_name(m, &row).text);
    }
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

dp_status cli_dump_problem(void *context, const dp_model *m, const dp_data *d)
{
    cli_dump *dump = context;
    const dp_law_options *law = dump->law;
    char path[4096], tolerance[40], most[40];
    snprintf(tolerance, sizeof tolerance, "%.17g", law->tolerance);
    snprintf(most, sizeof most, "%d", law->max_factorizations);
    const dp_problem_option option[] = {{"tolerance", tolerance},
                                        {"max_factorizations", most},
                                        {"variant", cli_variant_name(law->variant)}};
    snprintf(path, sizeof path, "%s/problem-%06lld.txt", dump->folder, dump->count + 1);
    char *comment = describe(dump, m, d);
    const dp_problem_notes notes = {
        .comment = comment, .law = dp_law_name(law->law), .option = option, .noption = 3};
    const dp_status status =
        dp_problem_save(path, dp_data_problem(d), dp_data_warm(d), dp_data_solution(d), &notes);
    free(comment);
    if (status != DP_OK) {
        cli_complain("--dump-problems: %s", dp_last_error());
        return status;
    }
    ++dump->count;
    return DP_OK;
}
