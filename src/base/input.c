// Only regular files are read, and pipes that are open already: a device has no end, and a named
// pipe has none until somebody writes to it.
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OF_FILE = 1 << 30, MOST_OF_PIPE = 1 << 26 };

// A descriptor that whoever started the program has opened: "/dev/stdin", "/dev/fd/63".
static bool is_open_already(const char *path)
{
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdin") == 0) {
        return true;
    }
    for (int i = 0; i < 2; ++i) {
        const size_t n = strlen(folder[i]);
        if (strncmp(path, folder[i], n) == 0) {
            return path[n] != '\0' && path[n + strspn(path + n, "0123456789")] == '\0';
        }
    }
    return false;
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a named pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

// @param most [bytes]
static dp_status check_kind(size_t *most, const struct stat *about, const char *path)
{
    const bool pipe =
        (S_ISFIFO(about->st_mode) || S_ISSOCK(about->st_mode)) && is_open_already(path);
    *most = pipe ? MOST_OF_PIPE : MOST_OF_FILE;
    if (!S_ISREG(about->st_mode) && !pipe) {
        return dp_fail(DP_ERROR_IO, "%s: cannot be read: found %s (expected a file)", path,
                       kind_of(about->st_mode));
    }
    if (S_ISREG(about->st_mode) && about->st_size > (off_t)*most) {
        return dp_fail(DP_ERROR_IO, "%s: found %lld bytes (expected at most %zu)", path,
                       (long long)about->st_size, *most);
    }
    return DP_OK;
}

// All that comes, in a block that grows. Files of unknown length (those of /proc) have size 0.
static dp_status read_all(char **out, size_t *bytes, int file, size_t expected, size_t most,
                          const char *path, const dp_allocator *a)
{
    enum { FIRST = 1 << 14 };
    size_t capacity = (expected > FIRST ? expected : FIRST) + 2, used = 0; // the end and a zero
    char *text;
    DP_TRY(dp_allocate_unset(&text, a, capacity, 1));
    for (;;) {
        const ssize_t n = read(file, text + used, capacity - 1 - used);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            dp_release(a, text, capacity, 1);
            return dp_fail(DP_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
        }
        used += (size_t)n;
        if (n == 0) {
            break;
        }
        if (used > most) {
            dp_release(a, text, capacity, 1);
            return dp_fail(DP_ERROR_IO, "%s: found more than %zu bytes (expected at most that)",
                           path, most);
        }
        if (used < capacity - 1) {
            continue;
        }
        char *grown;
        const dp_status status = dp_allocate_unset(&grown, a, 2 * capacity, 1);
        if (status == DP_OK) {
            memcpy(grown, text, used);
        }
        dp_release(a, text, capacity, 1);
        DP_TRY(status);
        text = grown;
        capacity *= 2;
    }
    // Hand it over in a block of its exact size, which is what the caller knows.
    const dp_status status = dp_allocate_unset(out, a, used + 1, 1);
    if (status == DP_OK) {
        memcpy(*out, text, used);
        (*out)[used] = '\0';
        *bytes = used;
    }
    dp_release(a, text, capacity, 1);
    return status;
}

dp_status dp_file_read(char **out, size_t *bytes, const char *path, const dp_allocator *allocator)
{
    *out = NULL;
    *bytes = 0;
    const dp_allocator a = dp_allocator_or_default(allocator);
    struct stat about;
    size_t most = 0;
    if (stat(path, &about) == 0) { // before it is opened, which some devices take as a command
        DP_TRY(check_kind(&most, &about, path));
    }
    const bool given = is_open_already(path);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (given ? 0 : O_NONBLOCK));
    if (file < 0) {
        return dp_fail(DP_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    }
    dp_status status = fstat(file, &about) == 0
                           ? check_kind(&most, &about, path) // it may be another one by now
                           : dp_fail(DP_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (status == DP_OK) {
        const size_t expected = S_ISREG(about.st_mode) ? (size_t)about.st_size : 0;
        status = read_all(out, bytes, file, expected, most, path, &a);
    }
    close(file);
    return status;
}
