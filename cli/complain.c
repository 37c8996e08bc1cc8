// How the program talks to the user when something is wrong.
#include "program.h"

#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char first[2048]; // what went wrong first, without notes

const char *cli_first_complaint(void)
{
    return first;
}

// Files may hold anything, also what a terminal takes for a command: what is no text becomes "?".
static void make_plain(char *text)
{
    for (char *c = text; *c != '\0';) {
        const size_t length = cli_character(c);
        const bool control = ((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7F;
        const bool more_control = // U+0080 to U+009F
            length == 2 && (unsigned char)c[0] == 0xC2 && (unsigned char)c[1] < 0xA0;
        const bool plain = length > 0 && !control && !more_control;
        if (!plain) {
            *c = '?';
        }
        c += plain ? length : 1;
    }
}

void cli_complain(const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    make_plain(text);
    if (first[0] == '\0' && strncmp(text, "note: ", 6) != 0) {
        snprintf(first, sizeof first, "%.2047s", text);
    }
    fflush(stdout); // keep the order when both streams go to one place
    fprintf(stderr, "dashpot: %s\n", text);
}
