// How the program talks to the user when something is wrong.
#include "common/program.h"

#include "common/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char first[2048]; // what went wrong first, without notes

const char *cli_first_complaint(void)
{
    return first;
}

void cli_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *formatted = cli_format(format, arguments);
    va_end(arguments);
    const char *text = formatted ? formatted : "out of memory";
    if (first[0] == '\0' && strncmp(text, "note: ", 6) != 0) {
        dp_text_printable(first, sizeof first, text); // cut between characters
    }
    fflush(stdout); // keep the order when both streams go to one place
    fprintf(stderr, "dashpot: %s\n", text);
    free(formatted);
}
