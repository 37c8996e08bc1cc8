#include "common/compose/compose.h"

#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Rotations about the fixed axes x, y, z in turn, as in URDF.
static dp_quat from_rpy(const double rpy[3])
{
    const double cr = cos(rpy[0] / 2.0), sr = sin(rpy[0] / 2.0);
    const double cp = cos(rpy[1] / 2.0), sp = sin(rpy[1] / 2.0);
    const double cy = cos(rpy[2] / 2.0), sy = sin(rpy[2] / 2.0);
    return (dp_quat){cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
                     cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy};
}

// "x,y,z" or "x,y,z,roll,pitch,yaw", each perhaps with ",floating" behind it
static bool read_place(cli_added_file *out, const char *text)
{
    double x[6] = {0.0};
    char copy[400];
    int count = 0;
    if (strlen(text) >= sizeof copy) {
        return false;
    }
    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = copy, *comma; at; at = comma ? comma + 1 : NULL) {
        comma = strchr(at, ',');
        if (comma) {
            *comma = '\0';
        }
        if (!comma && strcmp(at, "floating") == 0) {
            out->floating = true;
        } else if (count == 6 || !cli_read_number(&x[count++], at)) {
            return false;
        }
    }
    out->pose = (dp_pose){from_rpy(x + 3), {x[0], x[1], x[2]}};
    return count == 3 || count == 6;
}

bool cli_read_added(cli_added_file *out, const char *text)
{
    *out = (cli_added_file){.pose = DP_IDENTITY_POSE};
    const char *at = strrchr(text, '@');
    const size_t length = at ? (size_t)(at - text) : strlen(text);
    if (length == 0 || length >= sizeof out->path) {
        return false;
    }
    memcpy(out->path, text, length);
    return !at || read_place(out, at + 1);
}

// "a/b/table.urdf", 2 → "table2/"
static void make_prefix(char *out, size_t bytes, const char *path, int number)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    const int length = dot && dot > file ? (int)(dot - file) : (int)strlen(file);
    char digits[16] = "";
    if (number > 1) {
        snprintf(digits, sizeof digits, "%d", number);
    }
    snprintf(out, bytes, "%.*s%s/", length < 200 ? length : 200, file, digits);
}

// Names stay as they are unless one is taken; then all get the name of the file in front.
static dp_status attach(cli_scene *scene, const dp_spec *part, const cli_added_file *file)
{
    dp_status status = dp_spec_attach(scene->spec, part, file->pose, NULL);
    for (int number = 1; status == DP_ERROR_ARGUMENT && number <= CLI_MOST_ADDED; ++number) {
        char prefix[256];
        make_prefix(prefix, sizeof prefix, file->path, number);
        status = dp_spec_attach(scene->spec, part, file->pose, prefix);
    }
    return status;
}

static dp_status add_file(cli_scene *scene, const dp_import_options *options, const char *text)
{
    cli_added_file file;
    if (scene->nadded == CLI_MOST_ADDED || !cli_read_added(&file, text)) {
        return DP_ERROR_ARGUMENT; // cli_allow_check has complained
    }
    dp_import_options own = *options;
    own.urdf_floating_base = file.floating;
    dp_spec *part;
    dp_status status = dp_model_file_load(&part, &scene->added[scene->nadded++], file.path, &own);
    if (status == DP_OK) {
        status = attach(scene, part, &file);
    }
    dp_spec_destroy(part);
    return status;
}

dp_status cli_compose(cli_scene *scene, const dp_import_options *options, const cli_allow *allow)
{
    dp_status status = DP_OK;
    if (allow->ground) {
        status = cli_add_ground(scene->spec, scene->note, sizeof scene->note);
    }
    for (int i = 0; i < allow->added.count && status == DP_OK; ++i) {
        status = add_file(scene, options, allow->added.item[i]);
    }
    return status;
}
