// <include file="…"/> stands for the elements of another file. No file is included twice, which
// also rules out cycles.
#include "io/mjcf/mjcf.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 1000 };

// A file that is part of the model.
typedef struct source {
    const char *file; // as in messages
    const char *real; // without symbolic links; NULL: there is no such file (parsed from memory)
    struct source *from;
} source;

typedef struct sources {
    source list[MAX_FILES];
    int count;
} sources;

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
    const char *name = dp_xml_value(node, "file", "");
    if (name[0] == '\0') {
        return dp_mjcf_fail(node, "found no file (expected file=\"…\")");
    }
    dp_mjcf_file at;
    DP_TRY(dp_mjcf_find_file(&at, m, node, "", name));
    source *from = find_source(s, node->file);
    DP_TRY(check_repetition(s, from, at.real, node));
    if (s->count == MAX_FILES) {
        return dp_mjcf_fail(node, "found more than %d files (expected fewer)", MAX_FILES);
    }
    source *file = &s->list[s->count];
    *file = (source){.from = from};
    DP_TRY(dp_report_text(&file->file, m->report, at.path));
    DP_TRY(dp_pool_text(&file->real, &m->pool, at.real));
    ++s->count;

    char *text;
    size_t bytes;
    DP_TRY(dp_file_read(&text, &bytes, at.path, &m->pool.allocator));
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
    char real[DP_MJCF_PATH];
    s->list[0] = (source){.file = m->root->file};
    s->count = 1;
    if (realpath(path, real)) {
        DP_TRY(dp_pool_text(&s->list[0].real, &m->pool, real));
    }
    for (dp_xml_node *node = m->root; node; node = dp_xml_next(m->root, node, false)) {
        if (strcmp(node->name, "include") == 0) {
            DP_TRY(include_file(m, s, node));
        }
    }
    return DP_OK;
}
