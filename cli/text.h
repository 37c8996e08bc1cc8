// Small help with text: numbers read strictly, the nearest word, widths on a terminal.
#ifndef DASHPOT_CLI_TEXT_H
#define DASHPOT_CLI_TEXT_H

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

/// The length of the valid UTF-8 character at `text`, 0 when there is none.
size_t cli_character(const char *text);

/// The name of an element, or its number written to `number` when it has none.
const char *cli_label(char number[16], const char *name, int index);

#endif
