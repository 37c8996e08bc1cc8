// Random mechanisms as files, for compare.py: oracle_random FOLDER COUNT writes 1.xml … COUNT.xml.
#include "random_mechanism.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MuJoCo 3 has two flags in the place of one.
static void put_text(FILE *file, const char *text)
{
    static const char old[] = " passive=\"disable\"";
    for (const char *at; (at = strstr(text, old)) != NULL; text = at + strlen(old)) {
        fwrite(text, 1, (size_t)(at - text), file);
        fputs(" spring=\"disable\" damper=\"disable\"", file);
    }
    fputs(text, file);
}

static bool write_mechanism(const char *folder, int seed)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%d.xml", folder, seed) >= (int)sizeof path) {
        return false;
    }
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    const random_mechanism_options options = random_mechanism_default((uint64_t)seed);
    char *text = random_mechanism(&options);
    put_text(file, text);
    free(text);
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: oracle_random FOLDER COUNT\n", stderr);
        return 2;
    }
    for (int seed = 1; seed <= atoi(argv[2]); ++seed) {
        if (!write_mechanism(argv[1], seed)) {
            fprintf(stderr, "oracle_random: cannot write %s/%d.xml\n", argv[1], seed);
            return 1;
        }
    }
    return 0;
}
