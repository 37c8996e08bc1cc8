#include "report/overlaps.h"

#include <dashpot/contact.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// Numbers in files are rounded: this much [m] is not.
static const double ROUNDED = 1e-6;

// Keep the deepest few, in order.
static void add_pair(cli_overlaps *out, cli_overlap pair)
{
    if (!(pair.depth > ROUNDED)) {
        return;
    }
    ++out->pairs;
    for (int i = 0; i < CLI_WORST_OVERLAPS; ++i) {
        if (pair.depth > out->worst[i].depth) {
            const cli_overlap next = out->worst[i];
            out->worst[i] = pair;
            pair = next;
        }
    }
}

// [J] in the spring of a contact point, of the law of its normal.
static double energy_of(const dp_contact *c, double depth)
{
    if (!(depth > 0.0) || isinf(c->stiffness)) {
        return 0.0;
    }
    return c->law.kind == DP_NORMAL_HERTZ ? 0.4 * c->stiffness * depth * depth * sqrt(depth)
                                          : 0.5 * c->stiffness * depth * depth;
}

static void find_contacts(cli_overlaps *out, const dp_data *d)
{
    cli_overlap pair = {.geom = {{-1}, {-1}}};
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        const dp_contact c = dp_data_contact(d, i);
        const double depth = -c.start_gap;
        if (c.geom[0].index != pair.geom[0].index || c.geom[1].index != pair.geom[1].index) {
            add_pair(out, pair);
            pair = (cli_overlap){{c.geom[0], c.geom[1]}, 0.0};
        }
        pair.depth = fmax(pair.depth, depth);
        out->energy += out->rigid ? 0.0 : energy_of(&c, depth);
    }
    add_pair(out, pair);
}

static void find_foundations(cli_overlaps *out, const dp_model *m, const dp_data *d)
{
    for (int i = 0; i < dp_model_sizes(m)->nfoundation; ++i) {
        const dp_foundation_info f = dp_model_foundation(m, i);
        cli_overlap pair = {{f.geom, f.plane}, 0.0};
        int row;
        for (int k = 0; (row = dp_data_find_row(d, DP_ROW_SOURCE_FOUNDATION, i, k)) >= 0; ++k) {
            const double depth = fmax(0.0, -dp_data_row(d, row).start_gap);
            pair.depth = fmax(pair.depth, depth);
            out->energy += out->rigid ? 0.0 : 0.5 * f.stiffness * depth * depth;
        }
        add_pair(out, pair);
    }
}

void cli_overlaps_find(cli_overlaps *out, const dp_model *m, dp_data *d)
{
    *out = (cli_overlaps){.rigid = dp_law_is_rigid(dp_data_options(d)->solver.law)};
    find_contacts(out, d);
    find_foundations(out, m, d);
}

static int told(const cli_overlaps *overlaps)
{
    return overlaps->pairs < CLI_WORST_OVERLAPS ? overlaps->pairs : CLI_WORST_OVERLAPS;
}

void cli_overlaps_words(char *out, size_t size, const cli_overlaps *overlaps, const dp_model *m)
{
    char energy[80];
    if (overlaps->rigid) {
        snprintf(energy, sizeof energy, "rigid under this law");
    } else {
        snprintf(energy, sizeof energy, "%.3g J in their springs", overlaps->energy);
    }
    snprintf(out, size, "%d pair%s of geoms, %s:", overlaps->pairs, overlaps->pairs == 1 ? "" : "s",
             energy);
    for (int i = 0; i < told(overlaps); ++i) {
        const cli_overlap *o = &overlaps->worst[i];
        const size_t used = strlen(out);
        snprintf(out + used, size - used, "%s %s and %s by %.3g m", i > 0 ? "," : "",
                 cli_geom_label(m, o->geom[0]).text, cli_geom_label(m, o->geom[1]).text, o->depth);
    }
}

void cli_overlaps_cells(cli_table *t, const cli_overlaps *overlaps, const dp_model *m)
{
    if (overlaps->pairs == 0) {
        return;
    }
    char words[2400];
    cli_overlaps_words(words, sizeof words, overlaps, m);
    cli_cell(t, "initial overlap");
    cli_cell(t, "%s", words);
}

void cli_overlaps_json(cli_json *j, const cli_overlaps *overlaps, const dp_model *m)
{
    cli_json_open(j, "start");
    cli_json_count(j, "overlapping_pairs", overlaps->pairs);
    cli_json_number(j, "elastic_energy", overlaps->energy);
    cli_json_array(j, "overlaps");
    for (int i = 0; i < told(overlaps); ++i) {
        const cli_overlap *o = &overlaps->worst[i];
        cli_json_open(j, NULL);
        cli_json_array(j, "geoms");
        cli_json_text(j, NULL, cli_geom_label(m, o->geom[0]).text);
        cli_json_text(j, NULL, cli_geom_label(m, o->geom[1]).text);
        cli_json_end(j);
        cli_json_number(j, "depth", o->depth);
        cli_json_close(j);
    }
    cli_json_end(j);
    cli_json_close(j);
}
