// Geoms that overlap before the first step: their springs are loaded, and push apart.
#ifndef DASHPOT_CLI_OVERLAPS_H
#define DASHPOT_CLI_OVERLAPS_H

#include "common/element_names.h"
#include "common/json.h"
#include "common/table.h"

/// Two geoms, and how deep.
typedef struct cli_overlap {
    dp_geom_id geom[2];
    double depth; // [m] > 0
} cli_overlap;

enum { CLI_WORST_OVERLAPS = 3 };
typedef struct cli_overlaps {
    int pairs;     // that overlap by more than what rounded numbers do
    double energy; // [J] in the springs of all contacts and foundations; rigid ones have none
    bool rigid;    // contacts are rigid under the law
    cli_overlap worst[CLI_WORST_OVERLAPS]; // deepest first
} cli_overlaps;

/// After dp_forward at the start.
void cli_overlaps_find(cli_overlaps *out, const dp_model *m, dp_data *d);

/// "3 pairs, 1.2 J in their springs: ball and floor 0.01 m deep, …"
void cli_overlaps_words(char *out, size_t size, const cli_overlaps *overlaps, const dp_model *m);
/// A line of a table where there are any.
void cli_overlaps_cells(cli_table *t, const cli_overlaps *overlaps, const dp_model *m);
/// "start": an object with "overlapping_pairs", "elastic_energy" and "overlaps", the worst.
void cli_overlaps_json(cli_json *j, const cli_overlaps *overlaps, const dp_model *m);

#endif
