// How the program talks to the user when something is wrong.
#include "program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char first[2048]; // what went wrong first, without notes

const char *cli_first_complaint(void)
{
    return first;
}

void cli_complain(const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (first[0] == '\0' && strncmp(text, "note: ", 6) != 0) {
        snprintf(first, sizeof first, "%.2047s", text);
    }
    fflush(stdout); // keep the order when both streams go to one place
    fprintf(stderr, "dashpot: %s\n", text);
}
