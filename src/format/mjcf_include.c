// <include file="…"/> stands for the elements of another file. The file is looked for in the folder
// of the main file and then in that of the including file; it must lie in the folder tree of the
// main file, and no file is included twice (which also rules out cycles).
#include "format/mjcf.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = PATH_MAX, MAX_FILES = 1000 };

// A file that is part of the model.
typedef struct source {
    const char *file; // as in messages
    const char *real; // without symbolic links; NULL: there is no such file (parsed from memory)
    struct source *from;
} source;

typedef struct sources {
    source list[MAX_FILES];
    int count;
    char folder[PATH_BYTES]; // of the main file, real
} sources;

// "a/b/c.xml" → "a/b/"; "c.xml" → ""
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

static bool join(char out[PATH_BYTES], const char *beside, const char *file)
{
    const int folder = file[0] == '/' ? 0 : folder_length(beside);
    const int n = snprintf(out, PATH_BYTES, "%.*s%s", folder, beside, file);
    return n >= 0 && n < PATH_BYTES;
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

static source *find_source(sources *s, const char *file)
{
    for (int i = 0; i < s->count; ++i) {
        if (s->list[i].file == file) { // node->file is the same pointer
            return &s->list[i];
        }
    }
    return NULL;
}

static dp_status check_repetition(const sources *s, const source *from, const char *real,
                                  const dp_xml_node *node)
{
    for (int i = 0; i < s->count; ++i) {
        if (!s->list[i].real || strcmp(s->list[i].real, real) != 0) {
            continue;
        }
        for (const source *up = from; up; up = up->from) {
            if (up == &s->list[i]) {
                return dp_mjcf_fail(node, "found '%s', which includes itself (expected no cycle)",
                                    s->list[i].file);
            }
        }
        return dp_mjcf_fail(node, "found '%s' a second time (expected each file at most once)",
                            s->list[i].file);
    }
    return DP_OK;
}

// The path to open, and the real one.
static dp_status locate(char path[PATH_BYTES], char real[PATH_BYTES], const dp_mjcf *m,
                        const sources *s, const dp_xml_node *node)
{
    const char *file = dp_xml_value(node, "file", NULL);
    if (!file || file[0] == '\0') {
        return dp_mjcf_fail(node, "found no file (expected file=\"…\")");
    }
    const bool found = (join(path, s->list[0].file, file) && is_file(path)) ||
                       (join(path, node->file, file) && is_file(path));
    if (!found || !realpath(path, real)) {
        return dp_fail(
            DP_ERROR_IO, "%s:%d: include: found no file '%s' (expected a path relative to '%.*s')",
            node->file, node->line, file, folder_length(s->list[0].file), s->list[0].file);
    }
    if (!m->options->allow_outside && !is_inside(s->folder, real)) {
        return dp_mjcf_fail(node,
                            "found '%s', which lies outside of the folder of the scene (expected a "
                            "file in '%s'; --allow-outside lifts this)",
                            file, s->folder);
    }
    return DP_OK;
}

// Put the children of `root` behind `node`.
static void splice(dp_xml_node *node, dp_xml_node *root)
{
    if (!root->child) {
        return;
    }
    for (dp_xml_node *child = root->child; child; child = child->next) {
        child->parent = node->parent;
    }
    root->last_child->next = node->next;
    if (node->parent->last_child == node) {
        node->parent->last_child = root->last_child;
    }
    node->next = root->child;
}

static dp_status include_file(dp_mjcf *m, sources *s, dp_xml_node *node)
{
    if (node->child) {
        return dp_mjcf_fail(node, "found <%s> inside (expected nothing inside <include>)",
                            node->child->name);
    }
    if (!node->parent) {
        return dp_mjcf_fail(node, "found at the root (expected <mujoco>)");
    }
    char path[PATH_BYTES], real[PATH_BYTES];
    DP_TRY(locate(path, real, m, s, node));
    source *from = find_source(s, node->file);
    DP_TRY(check_repetition(s, from, real, node));
    if (s->count == MAX_FILES) {
        return dp_mjcf_fail(node, "found more than %d files (expected fewer)", MAX_FILES);
    }
    source *file = &s->list[s->count];
    *file = (source){.from = from};
    DP_TRY(dp_report_text(&file->file, m->report, path));
    DP_TRY(dp_pool_text(&file->real, &m->pool, real));
    ++s->count;

    char *text;
    size_t bytes;
    DP_TRY(dp_file_read(&text, &bytes, path, &m->pool.allocator));
    dp_xml_node *root;
    const dp_status status = dp_xml_parse(&root, &m->pool, text, bytes, file->file);
    dp_release(&m->pool.allocator, text, bytes + 1, 1);
    DP_TRY(status);
    node->included = root;
    splice(node, root);
    return DP_OK;
}

dp_status dp_mjcf_include(dp_mjcf *m, const char *path)
{
    sources *s;
    DP_TRY(dp_pool_take(&s, &m->pool, 1, sizeof *s));
    char real[PATH_BYTES];
    s->list[0] = (source){.file = m->root->file};
    s->count = 1;
    if (realpath(path, real)) {
        DP_TRY(dp_pool_text(&s->list[0].real, &m->pool, real));
    }
    char folder[PATH_BYTES];
    const int n = folder_length(path);
    snprintf(folder, sizeof folder, "%.*s", n, path);
    if (!realpath(n > 0 ? folder : ".", s->folder)) {
        s->folder[0] = '\0'; // no such folder: then it has no files either
    }
    for (dp_xml_node *node = m->root; node; node = dp_xml_next(m->root, node, false)) {
        if (strcmp(node->name, "include") == 0) {
            DP_TRY(include_file(m, s, node));
        }
    }
    return DP_OK;
}
