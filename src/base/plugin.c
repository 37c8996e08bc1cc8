#include "base/plugin.h"

#include <assert.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

static const void *entry_of_program(void)
{
    const unsigned long at = getauxval(AT_ENTRY);
    const void *entry;
    static_assert(sizeof entry == sizeof at, "an address");
    memcpy(&entry, &at, sizeof entry);
    return entry;
}

// The file that this code is in. The loader knows a program by the name it was called by, which
// says nothing.
static bool find_own_file(char path[PATH_MAX])
{
    static const char here;
    Dl_info own, program;
    if (dladdr(&here, &own) == 0) {
        return false;
    }
    const bool in_program =
        dladdr(entry_of_program(), &program) != 0 && program.dli_fbase == own.dli_fbase;
    return realpath(in_program ? "/proc/self/exe" : own.dli_fname, path) != NULL;
}

// Whoever owns the program decides what it runs; so does root; nobody else.
static bool is_trusted(const char *path, const struct stat *own)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && (file.st_mode & S_IWOTH) == 0 &&
           (file.st_uid == 0 || file.st_uid == own->st_uid);
}

static const void *load(const char *path, int version)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const int *table = module ? dlsym(module, "dashpot_plugin") : NULL;
    if (table && *table == version) {
        return table;
    }
    if (module) {
        (void)dlclose(module);
    }
    return NULL;
}

const void *dp_plugin(const char *name, int version)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct stat own;
    if (!find_own_file(folder) || stat(folder, &own) != 0) {
        return NULL;
    }
    *strrchr(folder, '/') = '\0';
    static const struct {
        bool beside; // the library's own file
        const char *folder;
    } places[] = {{true, "/"},
                  {true, "/dashpot/"},
                  {true, "/" DP_PROGRAM_TO_PLUGINS "/"},
                  {false, DP_INSTALLED_PLUGINS "/"}};
    const void *table = NULL;
    for (size_t i = 0; !table && i < sizeof places / sizeof places[0]; ++i) {
        const int n = snprintf(path, sizeof path, "%s%s%s.so", places[i].beside ? folder : "",
                               places[i].folder, name);
        if (n > 0 && (size_t)n < sizeof path && is_trusted(path, &own)) {
            table = load(path, version);
        }
    }
    return table;
}
