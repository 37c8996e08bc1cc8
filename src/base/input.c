#include "base/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static dp_status read_stream(char **out, size_t *bytes, FILE *stream, const char *path,
                             const dp_allocator *a)
{
    enum { FIRST = 1 << 14, LIMIT = 1 << 30 };
    size_t capacity = FIRST, used = 0;
    char *text;
    DP_TRY(dp_allocate(&text, a, capacity, 1));
    for (;;) {
        used += fread(text + used, 1, capacity - 1 - used, stream);
        if (ferror(stream)) {
            dp_release(a, text, capacity, 1);
            return dp_fail(DP_ERROR_IO, "%s: reading failed: %s", path, strerror(errno));
        }
        if (used < capacity - 1) {
            break; // the end
        }
        if (capacity >= LIMIT) {
            dp_release(a, text, capacity, 1);
            return dp_fail(DP_ERROR_IO, "%s: found more than 1 GiB (expected less)", path);
        }
        char *grown;
        const dp_status status = dp_allocate(&grown, a, 2 * capacity, 1);
        if (status != DP_OK) {
            dp_release(a, text, capacity, 1);
            return status;
        }
        memcpy(grown, text, used);
        dp_release(a, text, capacity, 1);
        text = grown;
        capacity *= 2;
    }

    // Hand it over in a block of its exact size, which is what the caller knows.
    const dp_status status = dp_allocate(out, a, used + 1, 1);
    if (status == DP_OK) {
        memcpy(*out, text, used);
        *bytes = used;
    }
    dp_release(a, text, capacity, 1);
    return status;
}

dp_status dp_file_read(char **out, size_t *bytes, const char *path, const dp_allocator *allocator)
{
    *out = NULL;
    *bytes = 0;
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        return dp_fail(DP_ERROR_IO, "%s: found a folder (expected a file)", path);
    }
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        return dp_fail(DP_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    }
    const dp_status status = read_stream(out, bytes, stream, path, allocator);
    fclose(stream);
    return status;
}
