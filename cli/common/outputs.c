#include "common/outputs.h"

#include "common/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_outputs_any(const cli_outputs *outputs)
{
    return outputs->csv || outputs->npz || outputs->plot;
}

enum { LONGEST = 4200 }; // path

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool look_at_folder(struct stat *out, const char *path)
{
    char folder[LONGEST];
    const int n = snprintf(folder, sizeof folder, "%.*s.", (int)(last_name(path) - path), path);
    return n > 0 && (size_t)n < sizeof folder && stat(folder, out) == 0;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Files that are not there yet have a folder and a name.
static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(last_name(a), last_name(b)) == 0 && look_at_folder(&x, a) && look_at_folder(&y, b) &&
        same(&x, &y)) {
        return true;
    }
    return strcmp(a, b) == 0 ||
           (stat(a, &x) == 0 && stat(b, &y) == 0 && same(&x, &y) && S_ISREG(x.st_mode));
}

static bool is_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

// Open for appending, which changes nothing, and remove what was not there before: of a link that
// is what it leads to.
static bool can_be_opened(const char *path)
{
    struct stat info;
    const bool existed = stat(path, &info) == 0;
    FILE *file = fopen(path, "ab");
    if (!file) {
        return false;
    }
    fclose(file);
    char *made = existed ? NULL : realpath(path, NULL);
    if (made) {
        remove(made);
        free(made);
    }
    return true;
}

// Plain files are written to a neighbour, which then takes their name.
static bool can_have_a_neighbour(const char *path)
{
    char part[LONGEST];
    const int n = snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    return can_be_opened(part);
}

bool cli_can_be_written(const char *what, const char *path)
{
    struct stat info;
    const bool existed = stat(path, &info) == 0;
    if (existed && S_ISDIR(info.st_mode)) {
        cli_complain("%s: '%s' is a folder (expected a file name)", what, path);
        return false;
    }
    if (existed && !S_ISREG(info.st_mode)) {
        return true; // a pipe or a device: opening it may wait or be seen at the other end
    }
    if (!can_be_opened(path) || !(is_link(path) || can_have_a_neighbour(path))) {
        cli_complain("%s: '%s' cannot be written: %s", what, path, strerror(errno));
        return false;
    }
    return true;
}

// A name that says so, or a pipe or device, whose name says nothing.
static bool may_hold(const char *ending, const char *path)
{
    struct stat info;
    const size_t n = strlen(path), k = strlen(ending);
    return (n > k && strcmp(path + n - k, ending) == 0) ||
           (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

bool cli_output_check(const char *option, const char *path, const char *const *inputs)
{
    if (strcmp(path, "-") == 0) {
        cli_complain("%s: the standard output belongs to the table (expected a file name)", option);
        return false;
    }
    for (const char *const *input = inputs; *input; ++input) {
        if (same_file(path, *input)) {
            cli_complain("%s: '%s' is an input of this run", option, path);
            return false;
        }
    }
    return cli_can_be_written(option, path);
}

bool cli_outputs_check(const cli_outputs *outputs, const char *const *inputs)
{
    const char *const option[CLI_OUTPUTS] = {"--csv", "--npz", "--plot", "--pressure", "--html"};
    const char *const path[CLI_OUTPUTS] = {outputs->csv, outputs->npz, outputs->plot,
                                           outputs->pressure, outputs->html};
    for (int i = 0; i < CLI_OUTPUTS; ++i) {
        if (!path[i]) {
            continue;
        }
        for (int j = 0; j < i; ++j) {
            if (path[j] && same_file(path[i], path[j])) {
                cli_complain("%s and %s both write '%s'", option[j], option[i], path[i]);
                return false;
            }
        }
        if (!cli_output_check(option[i], path[i], inputs)) {
            return false;
        }
        const char *ending = i == 2 || i == 3 ? ".svg" : (i == 4 ? ".html" : "");
        if (!may_hold(ending, path[i])) {
            cli_complain("%s: '%s': it writes %s (expected a name that ends in %s)", option[i],
                         path[i], i == 4 ? "HTML" : "SVG", ending);
            return false;
        }
    }
    return true;
}

static dp_status write_one(int which, const char *path, const cli_results *r)
{
    switch (which) {
    case 0:
        return dp_recorder_write_csv(r->recorder, path);
    case 1:
        return dp_recorder_write_npz(r->recorder, path);
    case 2:
        return dp_recorder_write_svg(r->recorder, path, r->title);
    case 3:
        return dp_pressure_write_svg(r->d, path, r->title);
    default:
        return dp_replay_write_html(r->replay, path, r->page);
    }
}

bool cli_outputs_write(const char *written[CLI_OUTPUTS], int *count, const cli_outputs *outputs,
                       const cli_results *results)
{
    bool fine = true;
    *count = 0;
    const char *const path[CLI_OUTPUTS] = {outputs->csv, outputs->npz, outputs->plot,
                                           outputs->pressure, outputs->html};
    for (int i = 0; i < CLI_OUTPUTS; ++i) {
        if (!path[i]) {
            continue;
        }
        if (write_one(i, path[i], results) == DP_OK) {
            written[(*count)++] = path[i];
        } else {
            cli_complain("%s", dp_last_error());
            fine = false;
        }
    }
    return fine;
}
