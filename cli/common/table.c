#include "common/table.h"

#include "common/program.h"
#include "common/text.h"

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
    va_list arguments;
    va_start(arguments, format);
    char *text = cli_format(format, arguments);
    va_end(arguments);
    if (text) {
        table->cell[table->count++] = text;
    } else {
        table->failed = true;
    }
}

// --- widths

typedef struct columns {
    int width[12];
    bool right[12], names[12];
    const char *heading[12];
    bool any_heading, any_names;
} columns;

static columns measure(const cli_table *table)
{
    columns c = {.any_heading = false};
    const size_t n = (size_t)table->columns, rows = table->count / n;
    for (size_t j = 0; j < n; ++j) {
        const char first = table->heading[j][0];
        c.right[j] = first == '>';
        c.names[j] = first == '~';
        c.heading[j] = table->heading[j] + (c.right[j] || c.names[j] ? 1 : 0);
        c.any_names = c.any_names || c.names[j];
        c.any_heading = c.any_heading || c.heading[j][0] != '\0';
        c.width[j] = cli_width(c.heading[j]);
        for (size_t i = 0; i < rows; ++i) {
            const int w = cli_width(table->cell[i * n + j]);
            c.width[j] = w > c.width[j] ? w : c.width[j];
        }
    }
    return c;
}

// Make the widest column narrower, again and again, until the table fits the page or no column is
// wider than `least`. Only names, or all text.
static bool fit(columns *c, int n, int least, bool only_names)
{
    for (;;) {
        int total = 0, widest = -1;
        for (int j = 0; j < n; ++j) {
            total += 2 + c->width[j];
            if (!c->right[j] && (c->names[j] || !only_names) && c->width[j] > least &&
                (widest < 0 || c->width[j] > c->width[widest])) {
                widest = j;
            }
        }
        if (total <= CLI_PAGE || widest < 0) {
            return total <= CLI_PAGE;
        }
        --c->width[widest];
    }
}

bool cli_table_fits(const cli_table *table, int least)
{
    columns c = measure(table);
    return fit(&c, table->columns, least, true);
}

// The bytes of the first `count` characters.
static size_t bytes_of(const char *text, int count)
{
    size_t n = 0;
    for (int i = 0; i < count && text[n] != '\0'; ++i) {
        const size_t length = cli_character(text + n);
        n += length > 0 ? length : 1;
    }
    return n;
}

// The branches of a tree in front of a name: how many characters.
static int branch_width(const char *text)
{
    int n = 0;
    for (; text[0] == ' ' || (unsigned char)text[0] == 0xE2; ++n) { // box drawing
        text += bytes_of(text, 1);
    }
    return n;
}

// Text with "…" in the place of its middle, so that it takes no more than `width` columns.
static void print_elided(const char *text, int width)
{
    const int all = cli_width(text), branch = branch_width(text);
    const int left = width - branch - 1; // besides the dots
    if (all <= width || left < 2) {
        fputs(text, stdout);
        return;
    }
    const int tail = left / 2, head = branch + left - tail;
    fwrite(text, 1, bytes_of(text, head), stdout);
    fputs("…", stdout);
    fputs(text + bytes_of(text, all - tail), stdout);
}

static void print_padded(const char *text, int width, bool right, bool last)
{
    const int space = width > cli_width(text) ? width - cli_width(text) : 0;
    if (right) {
        cli_print("%*s", space, "");
    }
    print_elided(text, width);
    if (!right && !last) {
        cli_print("%*s", space, "");
    }
}

void cli_table_destroy(cli_table *table)
{
    for (size_t i = 0; i < table->count; ++i) {
        free(table->cell[i]);
    }
    free(table->cell);
    *table = (cli_table){0};
}

void cli_table_print(cli_table *table)
{
    const int n = table->columns, narrow = 8;
    const size_t rows = table->count / (size_t)n;
    columns c = measure(table);
    if (c.any_names && !fit(&c, n, narrow, true)) { // other tables are there to be copied from
        fit(&c, n, narrow, false);
    }
    for (size_t i = c.any_heading ? 0 : 1; i <= rows && !table->failed; ++i) {
        const char *const *row =
            i == 0 ? c.heading : (const char *const *)table->cell + (i - 1) * (size_t)n;
        int end = n; // one past the last cell with text: no spaces at the end of a line
        while (end > 0 && row[end - 1][0] == '\0') {
            --end;
        }
        for (int j = 0; j < end; ++j) {
            fputs("  ", stdout);
            print_padded(row[j], c.width[j], c.right[j], j == end - 1);
        }
        putchar('\n');
    }
    if (table->failed) {
        cli_complain("out of memory");
    }
    cli_table_destroy(table);
}
