#include "view/view_scene.h"

#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void view_scene_title(char *out, size_t bytes, const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t n = 0;
    for (const char *c = slash ? slash + 1 : name; *c != '\0';) {
        const size_t length = cli_character(c);
        if (n + (length > 0 ? length : 1) >= bytes) {
            break; // whole characters only
        }
        memcpy(out + n, length > 0 ? c : "?", length > 0 ? length : 1);
        n += length > 0 ? length : 1;
        c += length > 0 ? length : 1;
    }
    out[n] = '\0';
    char *dot = strrchr(out, '.');
    if (dot && dot != out) {
        *dot = '\0';
    }
}

// The folder of a file, with its slash.
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// A character of names besides dots and slashes, as long as `n` bytes; 0x80 to 0x9f are controls.
static bool is_plain(const char *at, size_t n)
{
    const unsigned char c = (unsigned char)at[0];
    return n > 1 ? !(c == 0xc2 && (unsigned char)at[1] < 0xa0)
                 : n == 1 && c >= ' ' && c != 0x7f && !strchr("./\\", c);
}

// A name within a folder: none of its parts is hidden or empty, so that it leads nowhere else.
static bool is_inner_name(const char *name)
{
    const size_t n = strlen(name);
    if (n == 0 || n > 200) {
        return false;
    }
    bool fresh = true; // at the start of a part
    for (const char *c = name; *c != '\0';) {
        const size_t length = cli_character(c);
        if (!is_plain(c, length) && (fresh || (*c != '.' && *c != '/'))) {
            return false;
        }
        fresh = *c == '/';
        c += length; // 0 has been refused
    }
    return !fresh;
}

// --- files that come with a scene lie in a folder of their own while it is read

static bool make_folders(const char *root, char *path)
{
    for (char *c = path + strlen(root) + 1; *c != '\0'; ++c) {
        if (*c == '/') {
            *c = '\0';
            const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
            *c = '/';
            if (!made) {
                return false;
            }
        }
    }
    return true;
}

static bool write_file(const char *root, const char *name, const void *byte, size_t bytes)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/%s", root, name);
    if (n < 0 || (size_t)n >= sizeof path || !make_folders(root, path)) {
        return false;
    }
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (file < 0) {
        return false;
    }
    size_t done = 0;
    while (done < bytes) {
        const ssize_t now = write(file, (const char *)byte + done, bytes - done);
        if (now <= 0) {
            break;
        }
        done += (size_t)now;
    }
    return close(file) == 0 && done == bytes;
}

// Files first, then the folders that held them, deepest first; others leave theirs in place.
static void remove_files(const char *root, const view_message *message)
{
    for (int i = 0; i < message->nfile; ++i) {
        char path[4096];
        const int n = snprintf(path, sizeof path, "%s/%s", root, message->file[i].name);
        if (n < 0 || (size_t)n >= sizeof path || !is_inner_name(message->file[i].name)) {
            continue;
        }
        unlink(path);
    }
    for (int i = 0; i < message->nfile; ++i) {
        char path[4096];
        const int n = snprintf(path, sizeof path, "%s/%s", root, message->file[i].name);
        if (n < 0 || (size_t)n >= sizeof path || !is_inner_name(message->file[i].name)) {
            continue;
        }
        for (char *slash = strrchr(path, '/'); slash && slash > path + strlen(root);
             slash = strrchr(path, '/')) {
            *slash = '\0';
            rmdir(path);
        }
    }
    rmdir(root);
}

static bool lay_out_files(const char *root, const view_message *message, char *complaint,
                          size_t bytes)
{
    for (int i = 0; i < message->nfile; ++i) {
        const view_file *file = &message->file[i];
        if (!is_inner_name(file->name)) {
            snprintf(complaint, bytes, "the scene brings a file '%.100s' (expected a plain name)",
                     file->name);
            return false;
        }
        if (!write_file(root, file->name, file->byte, file->bytes)) {
            snprintf(complaint, bytes, "the file '%.100s' of the scene could not be kept: %s",
                     file->name, strerror(errno));
            return false;
        }
    }
    return true;
}

// --- reading

static bool parse(view_scene *out, const view_message *message, const char *name,
                  const cli_allow *allow, char *complaint, size_t bytes)
{
    if (cli_scene_parse(&out->loaded, message->text, message->text_bytes, name, allow) == DP_OK) {
        view_scene_title(out->title, sizeof out->title, name);
        return true;
    }
    snprintf(complaint, bytes, "%s", dp_last_error());
    cli_scene_destroy(&out->loaded);
    return false;
}

static bool parse_with_files(view_scene *out, const view_message *message,
                             const view_ground *ground, const char *name, char *complaint,
                             size_t bytes)
{
    char root[4096], path[4096 + 300];
    const int n = snprintf(root, sizeof root, "%s/.dashpot-scene-XXXXXX", ground->folder);
    if (n < 0 || (size_t)n >= sizeof root || !mkdtemp(root)) {
        snprintf(complaint, bytes, "the files of the scene need a folder within %.200s: %s",
                 ground->folder, strerror(errno));
        return false;
    }
    snprintf(path, sizeof path, "%s/%.200s", root, name);
    const bool good = lay_out_files(root, message, complaint, bytes) &&
                      parse(out, message, path, ground->allow, complaint, bytes);
    remove_files(root, message);
    return good;
}

bool view_scene_drop(view_scene *out, const view_message *message, const view_ground *ground,
                     char *complaint, size_t bytes)
{
    *out = (view_scene){0};
    if (!is_inner_name(message->name) || strchr(message->name, '/')) {
        snprintf(complaint, bytes, "the scene is called '%.100s' (expected a plain name)",
                 message->name);
        return false;
    }
    if (message->nfile > 0) {
        return parse_with_files(out, message, ground, message->name, complaint, bytes);
    }
    char path[4096 + 300];
    snprintf(path, sizeof path, "%.*s%.200s", (int)folder_length(ground->beside), ground->beside,
             message->name);
    return parse(out, message, path, ground->allow, complaint, bytes);
}

void view_scene_destroy(view_scene *scene)
{
    cli_scene_destroy(&scene->loaded);
}
