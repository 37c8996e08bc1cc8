#include "table.h"

#include "program.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cli_table cli_table_new(int columns, const char *const *heading)
{
    cli_table table = {.columns = columns};
    for (int i = 0; i < columns; ++i) {
        table.heading[i] = heading ? heading[i] : "";
    }
    return table;
}

void cli_cell(cli_table *table, const char *format, ...)
{
    if (table->count == table->capacity) {
        const size_t more = 2 * table->capacity + 64;
        char **grown = realloc(table->cell, more * sizeof *grown);
        if (!grown) {
            table->failed = true;
            return;
        }
        table->cell = grown;
        table->capacity = more;
    }
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = malloc((size_t)length + 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
        table->cell[table->count++] = text;
    } else {
        table->failed = true;
    }
    va_end(again);
}

static void print_padded(const char *text, int width, bool right, bool last)
{
    const int space = width - cli_width(text);
    if (right) {
        printf("%*s", space, "");
    }
    fputs(text, stdout);
    if (!right && !last) {
        printf("%*s", space, "");
    }
}

void cli_table_print(cli_table *table)
{
    const int columns = table->columns;
    const size_t rows = table->count / (size_t)columns;
    int width[12] = {0};
    bool right[12] = {false}, any_heading = false;
    for (int j = 0; j < columns; ++j) {
        right[j] = table->heading[j][0] == '>';
        table->heading[j] += right[j] ? 1 : 0;
        any_heading = any_heading || table->heading[j][0] != '\0';
        width[j] = cli_width(table->heading[j]);
        for (size_t i = 0; i < rows; ++i) {
            const int w = cli_width(table->cell[i * (size_t)columns + (size_t)j]);
            width[j] = w > width[j] ? w : width[j];
        }
    }
    for (size_t i = any_heading ? 0 : 1; i <= rows && !table->failed; ++i) {
        const char *const *row =
            i == 0 ? table->heading : (const char *const *)table->cell + (i - 1) * (size_t)columns;
        int end = columns; // one past the last cell with text: no spaces at the end of a line
        while (end > 0 && row[end - 1][0] == '\0') {
            --end;
        }
        for (int j = 0; j < end; ++j) {
            fputs("  ", stdout);
            print_padded(row[j], width[j], right[j], j == end - 1);
        }
        putchar('\n');
    }
    for (size_t i = 0; i < table->count; ++i) {
        free(table->cell[i]);
    }
    free(table->cell);
    if (table->failed) {
        cli_complain("out of memory");
    }
    *table = (cli_table){0};
}
