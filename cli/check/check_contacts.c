// `dashpot check --contacts`: what touches what, and where.
#include "check/checked.h"
#include "common/element_names.h"
#include "common/table.h"
#include "common/text.h"

#include <dashpot/contact.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

dp_status cli_find_contacts(cli_checked *c)
{
    const dp_contact_search search = {.margin = c->margin};
    dp_status status;
    // Each time it fails it says what it needs; beyond a million points something else is wrong.
    while ((status = dp_find_contacts(c->data, &search)) == DP_ERROR_CAPACITY) {
        const dp_contact_room room = dp_data_contact_room(c->data);
        if (room.needed_points > 1000000 || room.needed_pairs > 1000000) {
            break;
        }
        status = dp_data_reserve_contacts(c->data, room.needed_pairs, room.needed_points);
        if (status != DP_OK) {
            break;
        }
    }
    return status;
}

static bool same_pair(const dp_found_contact *a, const dp_found_contact *b)
{
    return a->geom[0].index == b->geom[0].index && a->geom[1].index == b->geom[1].index;
}

typedef struct summary {
    int points, pairs, touching;
    dp_found_contact deepest;
} summary;

static summary sum_up(const dp_data *d)
{
    summary s = {.points = dp_data_found_contact_count(d)};
    dp_found_contact before = dp_data_found_contact(d, -1);
    for (int i = 0; i < s.points; ++i) {
        const dp_found_contact c = dp_data_found_contact(d, i);
        s.pairs += !same_pair(&c, &before);
        s.touching += c.at.gap <= 0.0;
        if (i == 0 || c.at.gap < s.deepest.at.gap) {
            s.deepest = c;
        }
        before = c;
    }
    return s;
}

// The points of one pair are those from `first` up to the next that is of another.
static int end_of_pair(const dp_data *d, int first)
{
    const dp_found_contact c = dp_data_found_contact(d, first);
    int end = first + 1;
    while (end < dp_data_found_contact_count(d)) {
        const dp_found_contact next = dp_data_found_contact(d, end);
        if (!same_pair(&c, &next)) {
            break;
        }
        ++end;
    }
    return end;
}

static void print_pairs(const dp_model *m, const dp_data *d)
{
    static const char *const heading[] = {">pair",   "~geom A", "~geom B",       "~body A",
                                          "~body B", ">points", ">least gap [m]"};
    cli_table t = cli_table_new(7, heading);
    for (int i = 0, end, pair = 0; i < dp_data_found_contact_count(d); i = end, ++pair) {
        const dp_found_contact c = dp_data_found_contact(d, i);
        double least = c.at.gap;
        end = end_of_pair(d, i);
        for (int k = i + 1; k < end; ++k) {
            least = fmin(least, dp_data_found_contact(d, k).at.gap);
        }
        cli_cell(&t, "%d", pair);
        cli_cell(&t, "%s", cli_geom_label(m, c.geom[0]).text);
        cli_cell(&t, "%s", cli_geom_label(m, c.geom[1]).text);
        cli_cell(&t, "%s", cli_body_label(m, c.body[0]).text);
        cli_cell(&t, "%s", cli_body_label(m, c.body[1]).text);
        cli_cell(&t, "%d", end - i);
        cli_cell(&t, "%s", cli_short(4, cli_tidy(least)).text);
    }
    cli_table_print(&t);
}

static void print_point(cli_table *t, int pair, const dp_contact_point *at)
{
    cli_cell(t, "%d", pair);
    cli_cell(t, "%s", cli_short(4, cli_tidy(at->point.x)).text);
    cli_cell(t, "%s", cli_short(4, cli_tidy(at->point.y)).text);
    cli_cell(t, "%s", cli_short(4, cli_tidy(at->point.z)).text);
    cli_cell(t, "%.3g %.3g %.3g", cli_tidy(at->normal.x), cli_tidy(at->normal.y),
             cli_tidy(at->normal.z));
    cli_cell(t, "%s", cli_short(4, cli_tidy(at->gap)).text);
    cli_cell(t, "%.3f", at->weight);
    cli_cell(t, "%" PRId32, at->patch);
    cli_cell(t, "%" PRIx64, at->feature);
}

static void print_points(const dp_data *d)
{
    static const char *const heading[] = {">pair",    ">x [m]",  ">y [m]", ">z [m]", "normal",
                                          ">gap [m]", ">weight", ">patch", "feature"};
    cli_table t = cli_table_new(9, heading);
    for (int i = 0, end, pair = 0; i < dp_data_found_contact_count(d); i = end, ++pair) {
        end = end_of_pair(d, i);
        for (int k = i; k < end; ++k) {
            const dp_found_contact c = dp_data_found_contact(d, k);
            print_point(&t, pair, &c.at);
        }
    }
    cli_table_print(&t);
}

static void print_summary(const dp_model *m, const dp_data *d)
{
    const summary s = sum_up(d);
    if (s.points == 0) {
        puts(dp_model_options(m)->disable_contact ? "  none: contact is switched off" : "  none");
        return;
    }
    cli_print("\n  %d point%s of %d pair%s of geoms, %d of them with overlap; ", s.points,
              s.points == 1 ? "" : "s", s.pairs, s.pairs == 1 ? "" : "s", s.touching);
    cli_print("least gap %s m, %s and %s\n", cli_short(4, s.deepest.at.gap).text,
              cli_geom_label(m, s.deepest.geom[0]).text, cli_geom_label(m, s.deepest.geom[1]).text);
    if (dp_data_found_contact_outcome(d) == DP_QUERY_OUTCOME_CAPPED) {
        puts("  some gaps are not exact: the search for them was stopped");
    }
    puts("  points lie midway, in the world; normals lead from A to B; gap < 0: overlap\n"
         "  weights sum to 1 in each patch");
}

void cli_print_contacts(const cli_checked *c)
{
    const dp_model *m = c->scene.model;
    const dp_data *d = c->data;
    cli_print("Contacts at %s%s, margin %s m\n", c->keyframe ? "keyframe " : "the start",
              c->keyframe ? c->keyframe : "", cli_short(4, c->margin).text);
    if (dp_data_found_contact_count(d) > 0) {
        print_pairs(m, d);
        putchar('\n');
        print_points(d);
    }
    print_summary(m, d);
}

void cli_json_contacts(cli_json *json, const cli_checked *c)
{
    const dp_data *d = c->data;
    const summary s = sum_up(d);
    cli_json_open(json, "contacts");
    cli_json_number(json, "margin", c->margin);
    cli_json_count(json, "pairs", s.pairs);
    cli_json_count(json, "overlapping_points", s.touching);
    cli_json_number(json, "least_gap", s.points > 0 ? s.deepest.at.gap : NAN);
    cli_json_bool(json, "exact", dp_data_found_contact_outcome(d) != DP_QUERY_OUTCOME_CAPPED);
    cli_json_array(json, "points");
    for (int i = 0; i < s.points; ++i) {
        const dp_found_contact contact = dp_data_found_contact(d, i);
        const dp_contact_point *at = &contact.at;
        char feature[32];
        snprintf(feature, sizeof feature, "%" PRIx64, at->feature);
        cli_json_open(json, NULL);
        cli_json_count(json, "geom_a", contact.geom[0].index);
        cli_json_count(json, "geom_b", contact.geom[1].index);
        cli_json_count(json, "body_a", contact.body[0].index);
        cli_json_count(json, "body_b", contact.body[1].index);
        cli_json_count(json, "pair", contact.pair.index);
        cli_json_number(json, "margin", contact.margin);
        cli_json_numbers(json, "point", (double[]){at->point.x, at->point.y, at->point.z}, 3);
        cli_json_numbers(json, "normal", (double[]){at->normal.x, at->normal.y, at->normal.z}, 3);
        cli_json_number(json, "gap", at->gap);
        cli_json_number(json, "weight", at->weight);
        cli_json_count(json, "patch", at->patch);
        cli_json_text(json, "feature", feature);
        cli_json_close(json);
    }
    cli_json_end(json);
    cli_json_close(json);
}
