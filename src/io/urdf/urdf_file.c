// Where a mesh file is. Packages are looked for in the folders that the caller names, then in the
// folders above the URDF file. A file is read only if it lies in one of the caller's folders, in
// the folder of the URDF file, or in the package that the URDF file is part of. That is the nearest
// folder above with a package.xml, and for package://NAME also a folder above of that name.
#include "io/urdf/urdf.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = PATH_MAX };

typedef struct search {
    const dp_urdf *u;
    char folder[PATH_BYTES];  // of the URDF file, real; "": there is none
    char tree[PATH_BYTES];    // the package that it is part of, else the folder itself
    char found[PATH_BYTES];   // real; "": nothing yet
    char outside[PATH_BYTES]; // the folder to name for what was found where it may not be read
} search;

// An empty folder does not exist and holds nothing.
static bool is_inside(const char *folder, const char *real)
{
    const size_t n = strlen(folder);
    return n > 0 && strncmp(real, folder, n) == 0 && (real[n] == '/' || folder[n - 1] == '/');
}

static bool is_package(const char *folder)
{
    char path[PATH_BYTES + 16];
    struct stat about;
    snprintf(path, sizeof path, "%s/package.xml", folder);
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_callers(const dp_import_options *o, const char *real)
{
    bool inside = false;
    for (int i = 0; i < o->npackage_path && !inside; ++i) {
        char folder[PATH_BYTES];
        inside = realpath(o->package_path[i], folder) && is_inside(folder, real);
    }
    return inside;
}

// What the caller must name for a file to be read: the place of its package, or the nearest folder
// that holds both the robot and the file; if only the root does, that of the file.
static void note_outside(search *s, const char *folder, const char *inside, const char *real)
{
    size_t n = 0, end = 0;
    for (; s->folder[n] != '\0' && s->folder[n] == real[n]; ++n) {
        end = real[n] == '/' ? n : end;
    }
    if (inside[0] != '\0') {
        snprintf(s->outside, sizeof s->outside, "%s", folder);
    } else {
        end = end > 0 ? end : (size_t)(last_part(real) - real) - 1;
        snprintf(s->outside, sizeof s->outside, "%.*s", (int)end, real);
    }
}

// Try folder/inside/file; it must lie in `tree`, a real path, or in a folder of the caller. Reports
// whether the search is over.
static bool try_file(search *s, const char *tree, const char *folder, const char *inside,
                     const char *file)
{
    char path[PATH_BYTES], real[PATH_BYTES];
    const int n = snprintf(path, sizeof path, "%s%s%s%s%s", folder, folder[0] != '\0' ? "/" : "",
                           inside, inside[0] != '\0' ? "/" : "", file);
    struct stat about;
    if (n < 0 || n >= PATH_BYTES || stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
        !realpath(path, real)) {
        return false;
    }
    const dp_import_options *o = s->u->m.options;
    if (!o->allow_outside && !is_inside(tree, real) && !is_callers(o, real)) {
        note_outside(s, folder, inside, real);
        return false;
    }
    memcpy(s->found, real, sizeof real);
    return true;
}

static bool is_named(const char *folder, const char *name, size_t length)
{
    const char *last = last_part(folder);
    return strlen(last) == length && memcmp(last, name, length) == 0;
}

// In the folders that the caller names. A folder that is the package itself will do.
static bool try_package_paths(search *s, const char *package, size_t length, const char *file)
{
    const dp_import_options *o = s->u->m.options;
    char name[PATH_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)length, package);
    for (int i = 0; i < o->npackage_path; ++i) {
        char real[PATH_BYTES];
        if (!realpath(o->package_path[i], real)) {
            continue;
        }
        if (try_file(s, real, real, name, file) ||
            (is_named(real, package, length) && try_file(s, real, real, "", file))) {
            return true;
        }
    }
    return false;
}

// In the folders above the URDF file. The package that the URDF file is in may be read.
static bool try_ancestors(search *s, const char *package, size_t length, const char *file)
{
    char above[PATH_BYTES], name[PATH_BYTES];
    memcpy(above, s->folder, sizeof above);
    snprintf(name, sizeof name, "%.*s", (int)length, package);
    while (above[0] != '\0') {
        if (is_named(above, package, length) && try_file(s, above, above, "", file)) {
            return true;
        }
        if (try_file(s, s->tree, above, name, file)) {
            return true;
        }
        *strrchr(above, '/') = '\0'; // real paths begin with one
    }
    return false;
}

// Whether the package.xml of a folder has this name. It need not be well-formed for that.
static dp_status package_is_called(bool *out, const search *s, const char *folder, const char *name,
                                   size_t length)
{
    static const char tag[] = "<name>";
    const dp_allocator a = dp_allocator_or_default(s->u->m.options->allocator);
    char path[PATH_BYTES + 16], *text;
    size_t bytes;
    *out = false;
    snprintf(path, sizeof path, "%s/package.xml", folder);
    DP_TRY(dp_file_read(&text, &bytes, path, &a));
    const char *at = strstr(text, tag);
    if (at) {
        at += sizeof tag - 1;
        at += strspn(at, " \t\r\n");
        *out = strncmp(at, name, length) == 0 && strchr(" \t\r\n<", at[length]) != NULL;
    }
    dp_release(&a, text, bytes + 1, 1);
    return DP_OK;
}

// In the packages that the URDF file lies in, whatever their folders are called.
static dp_status try_own_packages(search *s, const char *package, size_t length, const char *file)
{
    char above[PATH_BYTES];
    memcpy(above, s->folder, sizeof above);
    for (bool own; above[0] != '\0'; *strrchr(above, '/') = '\0') { // real paths begin with one
        if (!is_package(above)) {
            continue;
        }
        DP_TRY(package_is_called(&own, s, above, package, length));
        if (own && try_file(s, s->tree, above, "", file)) {
            break;
        }
    }
    return DP_OK;
}

static void search_path(search *s, const char *file)
{
    if (file[0] == '/') {
        try_file(s, s->tree, "", "", file);
        return;
    }
    if (try_file(s, s->tree, s->folder, "", file)) {
        return;
    }
    const dp_import_options *o = s->u->m.options;
    for (int i = 0; i < o->npackage_path; ++i) {
        char real[PATH_BYTES];
        if (realpath(o->package_path[i], real) && try_file(s, real, real, "", file)) {
            return;
        }
    }
}

static dp_status search_package(search *s, const dp_xml_node *node, const char *package)
{
    package += strspn(package, "/"); // some have package:///NAME
    const size_t length = strcspn(package, "/");
    if (length == 0 || length >= PATH_BYTES) {
        return dp_mjcf_fail(node,
                            "found filename '%.100s' (expected a package and a path: "
                            "package://NAME/meshes/part.stl)",
                            dp_xml_value(node, "filename", ""));
    }
    if (package[length] == '\0') {
        search_path(s, package); // a file without a package lies beside the robot, as in MuJoCo
        return DP_OK;
    }
    const char *file = package + length + 1;
    if (!try_package_paths(s, package, length, file) && !try_ancestors(s, package, length, file)) {
        return try_own_packages(s, package, length, file);
    }
    return DP_OK;
}

// <compiler meshdir="…"/> has the last word: the file by its path, then by its bare name.
static void search_mesh_folder(search *s, const char *file)
{
    const char *inside = s->u->mesh_folder;
    if (s->found[0] != '\0' || !inside || s->folder[0] == '\0') {
        return;
    }
    const char *folder = inside[0] == '/' ? "" : s->folder;
    if (!try_file(s, s->tree, folder, inside, file)) {
        try_file(s, s->tree, folder, inside, last_part(file));
    }
}

static void find_folder(search *s)
{
    const char *file = s->u->robot->file;
    char folder[PATH_BYTES];
    const int n = (int)(last_part(file) - file);
    snprintf(folder, sizeof folder, "%.*s", n, file);
    if (!realpath(n > 0 ? folder : ".", s->folder)) {
        s->folder[0] = '\0'; // no such folder: then it has no files either
    }
}

// The nearest folder that is a package; else that of the URDF file alone.
static void find_tree(search *s)
{
    memcpy(s->tree, s->folder, sizeof s->tree);
    while (s->tree[0] != '\0' && !is_package(s->tree)) {
        *strrchr(s->tree, '/') = '\0'; // real paths begin with one
    }
    if (s->tree[0] == '\0') {
        memcpy(s->tree, s->folder, sizeof s->tree);
    }
}

static const char *after(const char *text, const char *scheme)
{
    const size_t n = strlen(scheme);
    return strncmp(text, scheme, n) == 0 ? text + n : NULL;
}

static dp_status run_search(search *s, const dp_xml_node *node, const char *name)
{
    const char *package = after(name, "package://");
    if (!package) {
        package = after(name, "model://");
    }
    const char *file = after(name, "file://");
    if (!package && !file && strstr(name, "://")) {
        return dp_mjcf_fail(node,
                            "found filename '%.100s' (expected a path, file://, package:// or "
                            "model://)",
                            name);
    }
    if (package) {
        DP_TRY(search_package(s, node, package));
    } else {
        search_path(s, file ? file : name);
    }
    search_mesh_folder(s, package ? package : file ? file : name);
    return DP_OK;
}

// Files from Windows have backslashes.
static dp_status search_with_slashes(search *s, const dp_xml_node *node, const char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", name);
    for (char *c = strchr(path, '\\'); c; c = strchr(c, '\\')) {
        *c = '/';
    }
    return run_search(s, node, path);
}

// @param out NULL where there is none
static dp_status look_for(const char **out, search *s, dp_urdf *u, const dp_xml_node *node,
                          const char *name)
{
    *out = NULL;
    find_folder(s);
    find_tree(s);
    DP_TRY(run_search(s, node, name));
    if (s->found[0] == '\0' && strchr(name, '\\')) {
        DP_TRY(search_with_slashes(s, node, name));
    }
    return s->found[0] != '\0' ? dp_pool_text(out, &u->m.pool, s->found) : DP_OK;
}

dp_status dp_urdf_look_for_file(const char **out, dp_urdf *u, const dp_xml_node *node)
{
    search s = {.u = u};
    return look_for(out, &s, u, node, dp_xml_value(node, "filename", ""));
}

dp_status dp_urdf_find_file(const char **out, dp_urdf *u, const dp_xml_node *node)
{
    search s = {.u = u};
    const char *name = dp_xml_value(node, "filename", "");
    DP_TRY(look_for(out, &s, u, node, name));
    if (*out) {
        return DP_OK;
    }
    if (s.outside[0] != '\0') {
        return dp_mjcf_fail(node,
                            "found '%.200s' outside of the folder of the robot (expected a file in "
                            "'%.200s'; package_path '%.200s' adds a folder that holds it, "
                            "allow_outside lifts this)",
                            name, s.tree, s.outside);
    }
    char why[600];
    snprintf(why, sizeof why,
             "found no file '%.200s' (expected it in '%.200s' or in a package; package_path adds a "
             "folder to look in)",
             name, s.tree);
    if (dp_mjcf_allowed(&u->m, "mesh-file")) {
        return dp_mjcf_refuse(&u->m, node, NULL, "mesh-file", why);
    }
    dp_fail(DP_ERROR_IO, "%s:%d: mesh: %s (to go on without: allow \"mesh-file\")", node->file,
            node->line, why);
    return dp_fail_feature(DP_ERROR_IO, "mesh-file");
}
