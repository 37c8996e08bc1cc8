#include "run/dump.h"

#include "common/element_names.h"
#include "common/program.h"

#include <dashpot/advanced/problem.h>
#include <dashpot/advanced/step.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// problem-000123.txt and nothing else
static bool is_problem(const char *name)
{
    const char *const head = "problem-";
    const size_t skip = strlen(head);
    if (strncmp(name, head, skip) != 0) {
        return false;
    }
    const size_t digits = strspn(name + skip, "0123456789");
    return digits >= 6 && strcmp(name + skip + digits, ".txt") == 0;
}

// Those of an earlier run would be taken for those of this one.
static bool remove_problems(const char *path, DIR *folder)
{
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char file[4096];
        if (is_problem(entry->d_name)) {
            snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
            if (remove(file) != 0) {
                cli_complain("--dump-problems: '%s' cannot be replaced: %s", file, strerror(errno));
                return false;
            }
        }
    }
    return true;
}

bool cli_dump_prepare(const char *folder)
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
    bool fine = remove_problems(folder, found);
    closedir(found);
    if (fine && access(folder, W_OK) != 0) {
        cli_complain("--dump-problems: '%s' cannot be written: %s", folder, strerror(errno));
        fine = false;
    }
    return fine;
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

dp_status cli_dump_problem(void *context, const dp_data *d)
{
    const dp_model *m = dp_data_model(d);
    cli_dump *dump = context;
    const dp_law_options *law = dump->law;
    enum { MOST = 16 };
    char path[4096], value[MOST][64];
    dp_problem_option option[MOST];
    const int count = dp_law_options_name_count() < MOST ? dp_law_options_name_count() : MOST;
    for (int i = 0; i < count; ++i) {
        dp_law_options_text(value[i], sizeof value[i], law, i);
        option[i] = (dp_problem_option){dp_law_options_name(i), value[i]};
    }
    snprintf(path, sizeof path, "%s/problem-%06lld.txt", dump->folder, dump->count + 1);
    char *comment = describe(dump, m, d);
    const dp_problem_notes notes = {
        .comment = comment, .law = dp_law_name(law->law), .option = option, .noption = count};
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
