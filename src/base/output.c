// Bytes go to a neighbour of the file, which is renamed when it is complete. What is not a plain
// file (a pipe, /dev/null, a symbolic link) is written in place: renaming would replace the thing
// itself.
#include "base/output.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool can_be_replaced(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0) {
        return true; // it does not exist yet; should the folder be missing, opening tells
    }
    return S_ISREG(info.st_mode);
}

static void release_part(dp_output *out)
{
    dp_release(&out->allocator, out->part, out->part_bytes, 1);
    out->part = NULL;
}

dp_status dp_output_open(dp_output *out, const char *path, const dp_allocator *allocator)
{
    *out = (dp_output){.path = path, .allocator = *allocator};
    if (can_be_replaced(path)) {
        enum { SUFFIX = 32 };
        out->part_bytes = strlen(path) + SUFFIX;
        DP_TRY(dp_allocate(&out->part, allocator, out->part_bytes, 1));
        snprintf(out->part, out->part_bytes, "%s.%ld.part", path, (long)getpid());
    }
    out->file = fopen(out->part ? out->part : path, "wb");
    if (!out->file) {
        const int reason = errno;
        release_part(out);
        return dp_fail(DP_ERROR_IO, "%s: cannot be written: %s", path, strerror(reason));
    }
    return DP_OK;
}

dp_status dp_output_close(dp_output *out)
{
    // A write that failed earlier has left its reason; writes that succeed leave errno alone.
    bool written = !ferror(out->file) && fflush(out->file) == 0;
    int reason = written ? 0 : errno;
    if (fclose(out->file) != 0 && written) {
        written = false;
        reason = errno;
    }
    out->file = NULL;
    if (written && out->part && rename(out->part, out->path) != 0) {
        written = false;
        reason = errno;
    }
    if (!written && out->part) {
        remove(out->part);
    }
    release_part(out);
    if (!written) {
        return dp_fail(DP_ERROR_IO, "%s: could not be written: %s", out->path,
                       reason != 0 ? strerror(reason) : "an earlier write failed");
    }
    return DP_OK;
}

void dp_plain_number(char *text)
{
    static const char plain[] = "0123456789+-e";
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        if (strchr(plain, *from)) {
            *to++ = *from++;
            continue;
        }
        *to++ = '.';
        while (*from != '\0' && !strchr(plain, *from)) {
            ++from;
        }
    }
    *to = '\0';
}

void dp_output_number(FILE *file, double x)
{
    if (!isfinite(x)) {
        fputs(isnan(x) ? "nan" : x > 0.0 ? "inf" : "-inf", file);
        return;
    }
    char text[64];
    snprintf(text, sizeof text, "%.17g", x);
    dp_plain_number(text);
    fputs(text, file);
}
