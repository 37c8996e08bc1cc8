#include "common/whole_file.h"

#include "common/program.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool complain(const char *path)
{
    cli_complain("%s: could not be written: %s", path, strerror(errno));
    return false;
}

bool cli_whole_open(cli_whole_file *f, const char *path)
{
    *f = (cli_whole_file){.path = path};
    struct stat info;
    const bool special = lstat(path, &info) == 0 && !S_ISREG(info.st_mode);
    if (!special) {
        const int n = snprintf(f->part, sizeof f->part, "%s.part", path);
        if (n < 0 || (size_t)n >= sizeof f->part) {
            errno = ENAMETOOLONG;
            return complain(path);
        }
    }
    f->file = fopen(special ? path : f->part, "wb");
    return f->file ? true : complain(path);
}

bool cli_whole_close(cli_whole_file *f, bool fine)
{
    const bool bad = ferror(f->file) != 0;
    bool written = fclose(f->file) == 0 && !bad;
    if (written && fine && f->part[0] != '\0') {
        written = rename(f->part, f->path) == 0;
    }
    if (!written) {
        complain(f->path);
    }
    if (!(written && fine) && f->part[0] != '\0') {
        remove(f->part);
    }
    f->file = NULL;
    return written && fine;
}
