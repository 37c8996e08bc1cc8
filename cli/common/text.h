// Small help with text: numbers read strictly, the nearest word, widths on a terminal.
#ifndef DASHPOT_CLI_TEXT_H
#define DASHPOT_CLI_TEXT_H

#include <dashpot/base.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/// A finite decimal number that is all of `text`: "1e-3", "-.5"; no spaces, no hexadecimal, no nan.
bool cli_read_number(double *out, const char *text);

/// A whole number in decimal, 0 or more.
bool cli_read_count(long long *out, const char *text);

/// The word that `text` may be a slip for; NULL when none is near.
const char *cli_nearest(const char *text, const char *const *words, size_t count);

/// Columns that UTF-8 text takes on a terminal, one per character.
int cli_width(const char *text);

/// The columns that tables and sentences keep to.
enum { CLI_PAGE = 100 };

/// What printf would print, in memory to free(); NULL: there is none. Names and paths among the
/// arguments cannot break lines or reach the terminal: all text is made printable, but for the line
/// ends of the format itself. All that the program prints goes through this, but for its own help.
char *cli_format(const char *format, va_list arguments);
/// printf by cli_format, on stdout.
void cli_print(const char *format, ...) DP_PRINTF(1, 2);

/// Print a sentence on stdout, with a line end. Where it is longer than the page it goes on in the
/// next line, behind `hang` spaces; a word that is longer than the page stays whole.
void cli_print_sentence(int hang, const char *format, ...) DP_PRINTF(2, 3);

/// A number without the zeros of its exponent: "1.2e-5".
typedef struct cli_number {
    char text[32];
} cli_number;
cli_number cli_short(int digits, double x);

/// The length of the valid UTF-8 character at `text`, 0 when there is none.
size_t cli_character(const char *text);

#endif
