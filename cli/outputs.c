#include "outputs.h"

#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool cli_outputs_any(const cli_outputs *outputs)
{
    return outputs->csv || outputs->npz || outputs->plot;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, b) == 0) {
        return true;
    }
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino &&
           S_ISREG(x.st_mode);
}

// Open for appending, which changes nothing, and remove what was not there before.
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
    FILE *file = fopen(path, "ab");
    if (!file) {
        cli_complain("%s: '%s' cannot be written: %s", what, path, strerror(errno));
        return false;
    }
    fclose(file);
    if (!existed) {
        remove(path);
    }
    return true;
}

// A name that says so, or a pipe or device, whose name says nothing.
static bool may_hold_svg(const char *path)
{
    struct stat info;
    const size_t n = strlen(path);
    return (n > 4 && strcmp(path + n - 4, ".svg") == 0) ||
           (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

bool cli_outputs_check(const cli_outputs *outputs, const char *const *inputs)
{
    const char *const option[CLI_OUTPUTS] = {"--csv", "--npz", "--plot", "--pressure"};
    const char *const path[CLI_OUTPUTS] = {outputs->csv, outputs->npz, outputs->plot,
                                           outputs->pressure};
    for (int i = 0; i < CLI_OUTPUTS; ++i) {
        if (!path[i]) {
            continue;
        }
        if (strcmp(path[i], "-") == 0) {
            cli_complain("%s: the standard output belongs to the table (expected a file name)",
                         option[i]);
            return false;
        }
        for (int j = 0; j < i; ++j) {
            if (path[j] && same_file(path[i], path[j])) {
                cli_complain("%s and %s both write '%s'", option[j], option[i], path[i]);
                return false;
            }
        }
        for (const char *const *input = inputs; *input; ++input) {
            if (same_file(path[i], *input)) {
                cli_complain("%s: '%s' is an input of this run", option[i], path[i]);
                return false;
            }
        }
        if (!cli_can_be_written(option[i], path[i])) {
            return false;
        }
        const bool svg = path[i] == outputs->plot || path[i] == outputs->pressure;
        if (svg && !may_hold_svg(path[i])) {
            cli_complain("%s: '%s': it writes SVG (expected a name that ends in .svg)", option[i],
                         path[i]);
            return false;
        }
    }
    return true;
}

static dp_status write_one(int which, const char *path, const dp_recorder *recorder,
                           const dp_model *m, const dp_data *d, const char *title)
{
    switch (which) {
    case 0:
        return dp_recorder_write_csv(recorder, path);
    case 1:
        return dp_recorder_write_npz(recorder, path);
    case 2:
        return dp_recorder_write_svg(recorder, path, title);
    default:
        return dp_pressure_write_svg(m, d, path, title);
    }
}

bool cli_outputs_write(const char *written[CLI_OUTPUTS], int *count, const cli_outputs *outputs,
                       const dp_recorder *recorder, const dp_model *m, const dp_data *d,
                       const char *title)
{
    bool fine = true;
    *count = 0;
    const char *const path[CLI_OUTPUTS] = {outputs->csv, outputs->npz, outputs->plot,
                                           outputs->pressure};
    for (int i = 0; i < CLI_OUTPUTS; ++i) {
        if (!path[i]) {
            continue;
        }
        if (write_one(i, path[i], recorder, m, d, title) == DP_OK) {
            written[(*count)++] = path[i];
        } else {
            cli_complain("%s", dp_last_error());
            fine = false;
        }
    }
    return fine;
}
