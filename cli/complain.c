// How the program talks to the user when something is wrong.
#include "program.h"

#include <stdarg.h>
#include <stdio.h>

void cli_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout); // keep the order when both streams go to one place
    fputs("dashpot: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
