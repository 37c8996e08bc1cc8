// Tables on stdout with aligned columns.
#ifndef DASHPOT_CLI_TABLE_H
#define DASHPOT_CLI_TABLE_H

#include <dashpot/base.h>

#include <stdbool.h>
#include <stddef.h>

/// Rows of cells; numbers and their headings are aligned to the right.
typedef struct cli_table {
    int columns;
    // "" for none. One that starts with '>' aligns its column to the right; one that starts with
    // '~' is above names, whose middle may be left out where the table is wider than the page.
    const char *heading[12];
    char **cell;            // rows × columns
    size_t count, capacity; // of cells
    bool failed;            // out of memory; the table is not printed
} cli_table;

cli_table cli_table_new(int columns, const char *const *heading);
/// Append a cell, row by row.
void cli_cell(cli_table *table, const char *format, ...) DP_PRINTF(2, 3);
/// Whether the table fits the page with names cut to no less than `least` columns.
bool cli_table_fits(const cli_table *table, int least);
void cli_table_destroy(cli_table *table);
/// Print with two spaces in front, and release.
void cli_table_print(cli_table *table);

#endif
