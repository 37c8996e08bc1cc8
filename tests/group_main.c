// The tests of a group in one program:
//
//     PROGRAM FILE [PATTERN]    run the tests of one file, or those of them whose names match (*
//     and ?) PROGRAM --list            the files
//
// The build renames the main of each file (CMakeLists.txt), so that a file is a program when it is
// read, and when it is run: one process runs one file.
#include "near.h"

#include <stdio.h>
#include <string.h>

#define TEST_FILE(name) int run_##name(void);
#include "test_files.inc"
#undef TEST_FILE

static const struct {
    const char *name;
    int (*run)(void);
} files[] = {
#define TEST_FILE(name) {#name, run_##name},
#include "test_files.inc"
#undef TEST_FILE
};

enum { FILES = sizeof files / sizeof files[0], USAGE = 2 };

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; i < FILES; ++i) {
            puts(files[i].name);
        }
        return 0;
    }
    for (int i = 0; argc > 1 && i < FILES; ++i) {
        if (strcmp(argv[1], files[i].name) == 0) {
            cmocka_set_test_filter(argc > 2 ? argv[2] : NULL);
            return files[i].run();
        }
    }
    fprintf(stderr, "usage: %s FILE [PATTERN] (--list prints the files)\n", argv[0]);
    return USAGE;
}
