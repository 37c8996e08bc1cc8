// Files that a model names. They are looked for in the folder of the main file and then in that of
// the file that names them, and must lie in the folder tree of the main file.
#include "io/mjcf/mjcf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// "a/b/c.xml" → "a/b/"; "c.xml" → ""
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

static bool from_root(const char *path)
{
    return path[0] == '/';
}

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

// An empty folder does not exist and holds nothing.
static bool is_inside(const char *folder, const char *real)
{
    const size_t n = strlen(folder);
    return n > 0 && strncmp(real, folder, n) == 0 && (real[n] == '/' || folder[n - 1] == '/');
}

// `file` in `folder`, as seen from the folder of `beside`. Absolute paths stay. Files from Windows
// have backslashes.
static bool join(char out[DP_MJCF_PATH], const char *beside, const char *folder, const char *file)
{
    const char *slash =
        from_root(file) || folder[0] == '\0' || folder[strlen(folder) - 1] == '/' ? "" : "/";
    const int n = snprintf(out, DP_MJCF_PATH, "%.*s%s%s%s",
                           from_root(file) || from_root(folder) ? 0 : folder_length(beside), beside,
                           from_root(file) ? "" : folder, slash, file);
    if (n < 0 || n >= DP_MJCF_PATH) {
        return false;
    }
    for (char *c = strchr(out, '\\'); c && !is_file(out); c = strchr(c, '\\')) {
        *c = '/';
    }
    return is_file(out);
}

dp_status dp_mjcf_set_folder(dp_mjcf *m, const char *path)
{
    char folder[DP_MJCF_PATH], real[DP_MJCF_PATH];
    const int n = folder_length(path);
    snprintf(folder, sizeof folder, "%.*s", n, path);
    if (!realpath(n > 0 ? folder : ".", real)) {
        real[0] = '\0'; // no such folder: then it has no files either
    }
    return dp_pool_text(&m->folder, &m->pool, real);
}

// Where it was looked for, in full: a relative path says little where several folders could be
// meant. Meshes and height fields have a folder of their own.
static dp_status refuse_missing(const dp_mjcf *m, const dp_xml_node *node, const char *folder,
                                const char *file)
{
    char place[512] = "";
    const bool includes = strcmp(node->name, "include") == 0 || strcmp(node->name, "model") == 0;
    if (!from_root(file)) {
        const bool beside_main = !from_root(folder);
        snprintf(place, sizeof place, " (looked in '%.200s%s%.200s'%s)",
                 beside_main ? m->folder : "", beside_main && folder[0] != '\0' ? "/" : "", folder,
                 includes ? "" : "; meshdir or assetdir of <compiler> names the folder");
    }
    return dp_fail(DP_ERROR_IO, "%s:%d: %s: found no file '%.300s'%s", node->file, node->line,
                   node->name, file, place);
}

dp_status dp_mjcf_find_file(dp_mjcf_file *out, const dp_mjcf *m, const dp_xml_node *node,
                            const char *folder, const char *file)
{
    const char *main = m->root->file;
    if ((!join(out->path, main, folder, file) && !join(out->path, node->file, folder, file)) ||
        !realpath(out->path, out->real)) {
        return refuse_missing(m, node, folder, file);
    }
    if (!m->options->allow_outside && !is_inside(m->folder, out->real)) {
        return dp_mjcf_fail(node,
                            "found '%s', which lies outside of the folder of the scene (expected a "
                            "file in '%s'; allow_outside lifts this)",
                            file, m->folder);
    }
    return DP_OK;
}
