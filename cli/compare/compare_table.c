// What a comparison prints: a table with a column for each run, the same as JSON and as CSV.
#include "compare/compare.h"

#include "common/program.h"
#include "common/text.h"
#include "common/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- table ------------------------------------------------------------------------------------

enum { COLUMNS = 6 }; // runs side by side, at most

static bool any_has(const cli_comparison *c, const cli_compared_measure *what)
{
    for (int i = 0; i < c->nrun; ++i) {
        const double x = what->value(&c->run[i]);
        if (isfinite(x) && x != 0.0) {
            return true;
        }
    }
    return false;
}

static void number(cli_table *t, const cli_compared *r, const cli_compared_measure *what)
{
    const double x = what->value(r);
    if (isnan(x)) {
        cli_cell(t, "%s", "-");
    } else {
        cli_cell(t, "%s", cli_short(3, x).text);
    }
}

// "lcp+lcp.directions=16" is "lcp+directions=16" above its column.
static void column_name(char out[80], const cli_compared *r)
{
    out[0] = '\0';
    const char *plus = strchr(r->law->name, '+');
    if (!plus) {
        snprintf(out, 80, ">%.70s", r->law->name);
        return;
    }
    const char *dot = strchr(plus, '.');
    snprintf(out, 80, ">%.*s+%.40s", plus - r->law->name < 20 ? (int)(plus - r->law->name) : 20,
             r->law->name, dot ? dot + 1 : plus + 1);
}

static void print_columns(const cli_comparison *c, int first, int count)
{
    char names[COLUMNS][80];
    const char *heading[1 + COLUMNS] = {""};
    for (int k = 0; k < count; ++k) {
        column_name(names[k], &c->run[first + k]);
        heading[1 + k] = names[k];
    }
    cli_table t = cli_table_new(1 + count, heading);
    for (int i = 0; i < cli_ncompared_measure; ++i) {
        const cli_compared_measure *what = &cli_compared_measures[i];
        if (!any_has(c, what)) {
            continue;
        }
        cli_cell(&t, "%s", what->label);
        for (int k = 0; k < count; ++k) {
            number(&t, &c->run[first + k], what);
        }
    }
    cli_table_print(&t);
}

// Runs of one step belong together, as many as fit the page; error control is in the first table.
static int side_by_side(const cli_comparison *c, int first)
{
    const int narrowest = 9, room = CLI_PAGE - 32; // beside the labels
    int count = 0, width = 0;
    while (first + count < c->nrun && count < COLUMNS) {
        const cli_compared *r = &c->run[first + count];
        char name[80];
        column_name(name, r);
        const int own = cli_width(name) + 1; // two spaces, less the mark of alignment
        width += own > narrowest ? own : narrowest;
        const bool same = r->h == c->run[first].h || dp_options_is_ode(&r->law->options);
        if (count > 0 && (!same || width > room)) {
            break;
        }
        ++count;
    }
    return count;
}

static void print_sentence(void *context, const char *names, const char *sentence)
{
    (void)context;
    if (names[0] == '\0') {
        cli_print_sentence(2, "  %s", sentence);
    } else {
        cli_print_sentence(4, "  %s: %s", names, sentence);
    }
}

void cli_compare_table(const cli_comparison *c)
{
    const char *title = dp_model_title(c->scene.model);
    cli_print("%s\n", title[0] != '\0' ? title : c->o->scene);
    char reference[300];
    cli_compare_reference_name(reference, sizeof reference, c);
    cli_print_sentence(2, "  %s s; differences from: %s", cli_short(4, c->seconds).text, reference);
    for (int first = 0; first < c->nrun;) {
        const int count = side_by_side(c, first);
        cli_print("\n  steps of %s s\n", cli_short(4, c->run[first].h).text);
        print_columns(c, first, count);
        first += count;
    }
    putchar('\n');
    cli_compare_words(c, print_sentence, NULL);
}

// --- JSON -------------------------------------------------------------------------------------

static const char *outcome_name(cli_compared_outcome outcome)
{
    static const char *const name[] = {"done", "refused", "failed", "gave up", "interrupted"};
    return name[outcome];
}

static void add_sentence(void *context, const char *names, const char *sentence)
{
    cli_json *j = context;
    cli_json_open(j, NULL);
    cli_json_text(j, "of", names);
    cli_json_text(j, "text", sentence);
    cli_json_close(j);
}

void cli_compare_json(const cli_comparison *c)
{
    cli_json j = {0};
    char reference[300];
    cli_compare_reference_name(reference, sizeof reference, c);
    cli_json_open(&j, NULL);
    cli_json_text(&j, "version", dp_version());
    cli_json_text(&j, "scene", c->o->scene);
    cli_json_text(&j, "title", dp_model_title(c->scene.model));
    cli_json_number(&j, "seconds", c->seconds);
    cli_json_text(&j, "reference", reference);
    cli_json_array(&j, "notes");
    cli_compare_words(c, add_sentence, &j);
    cli_json_end(&j);
    cli_json_array(&j, "runs");
    for (int i = 0; i < c->nrun; ++i) {
        const cli_compared *r = &c->run[i];
        cli_json_open(&j, NULL);
        cli_json_text(&j, "law", r->law->name);
        cli_json_number(&j, "step", r->h);
        cli_json_text(&j, "outcome", outcome_name(r->outcome));
        cli_json_count(&j, "steps", r->steps);
        for (int k = 0; k < cli_ncompared_measure; ++k) {
            cli_json_number(&j, cli_compared_measures[k].key, cli_compared_measures[k].value(r));
        }
        cli_json_close(&j);
    }
    cli_json_end(&j);
    cli_json_close(&j);
}

// --- CSV --------------------------------------------------------------------------------------

bool cli_compare_csv(const cli_comparison *c, const char *path)
{
    cli_whole_file whole;
    if (!cli_whole_open(&whole, path)) {
        return false;
    }
    FILE *file = whole.file;
    fputs("law,step,outcome,steps", file);
    for (int k = 0; k < cli_ncompared_measure; ++k) {
        fprintf(file, ",%s", cli_compared_measures[k].key);
    }
    fputc('\n', file);
    for (int i = 0; i < c->nrun; ++i) {
        const cli_compared *r = &c->run[i];
        fprintf(file, "%s,%.17g,%s,%lld", r->law->name, r->h, outcome_name(r->outcome), r->steps);
        for (int k = 0; k < cli_ncompared_measure; ++k) {
            const double x = cli_compared_measures[k].value(r);
            fprintf(file, isnan(x) ? "," : ",%.17g", x);
        }
        fputc('\n', file);
    }
    return cli_whole_close(&whole, true);
}
