#include "text_file.h"

#include "near.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void read_text(char text[MOST_TEXT], const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t n = fread(text, 1, MOST_TEXT - 1, file);
    assert_true(n < MOST_TEXT - 1);
    text[n] = '\0';
    fclose(file);
}

void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}
