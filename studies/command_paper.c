// `dashpot paper`: figures and tables of papers, the paper's numbers beside ours.
#include "common/arguments.h"
#include "common/json.h"
#include "common/program.h"
#include "common/progress.h"
#include "common/signals.h"
#include "common/table.h"
#include "common/text.h"
#include "paper.h"
#include "paper_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct paper_options {
    const char *id, *scene, *out;
    bool list, quick, json;
} paper_options;

static cli_parsed parse(paper_options *o, int argc, char **argv)
{
    *o = (paper_options){0};
    const cli_option option[] = {
        {"--list", 0, CLI_FLAG, &o->list, NULL, "which there are"},
        {"--out", 0, CLI_TEXT, &o->out, "DIR",
         "write to this folder, which is made if it does not exist: ID.svg,\n"
         "ID-curves.csv, ID.csv, the scene, and report.html and report.md\n"
         "with all of it"},
        {"--scene", 0, CLI_TEXT, &o->scene, "FILE",
         "in the place of the scene of this figure; scenes/paper has them"},
        {"--quick", 0, CLI_FLAG, &o->quick, NULL, "less of what takes long, for tests"},
        {"--json", 0, CLI_FLAG, &o->json, NULL, "print one JSON object instead of a table"},
    };
    const cli_syntax syntax = {
        .command = "paper",
        .arguments = "[ID | all] [options]",
        .argument = "ID",
        .optional = true,
        .about = "Compute a figure or a table of a paper again and print its numbers beside ours,\n"
                 "with notes where they differ. Without an ID: list them.\n"
                 "Exit code: 0 done, 1 it failed, 2 bad usage or input, 130 or 143 interrupted: "
                 "figures that\n"
                 "are complete are reported.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples = "  dashpot paper\n"
                    "  dashpot paper d-fig4 --out pendulum\n"
                    "  dashpot paper d-fig6 --quick --json | jq .rows\n"
                    "  dashpot paper d-fig1 --scene scenes/paper/spring_mass_damper.xml\n",
    };
    return cli_parse(&o->id, &syntax, argc, argv);
}

static int list(const paper_options *o)
{
    if (o->json) {
        cli_json json = {0};
        cli_json_open(&json, NULL);
        cli_json_array(&json, "papers");
        for (int i = 0; i < cli_npaper; ++i) {
            cli_json_open(&json, NULL);
            cli_json_text(&json, "id", cli_papers[i].id);
            cli_json_text(&json, "source", cli_papers[i].source);
            cli_json_text(&json, "about", cli_papers[i].about);
            cli_json_text(&json, "scene", cli_papers[i].scene);
            cli_json_close(&json);
        }
        cli_json_end(&json);
        cli_json_close(&json);
        return CLI_OK;
    }
    cli_table table = cli_table_new(3, (const char *const[]){"id", "figure", "what"});
    for (int i = 0; i < cli_npaper; ++i) {
        cli_cell(&table, "%s", cli_papers[i].id);
        cli_cell(&table, "%s", cli_papers[i].source);
        cli_cell(&table, "%s", cli_papers[i].about);
    }
    cli_table_print(&table);
    return CLI_OK;
}

static void print_json(const cli_paper *p, const char *id)
{
    const bool all = strcmp(id, "all") == 0;
    cli_json json = {0};
    cli_json_open(&json, NULL);
    cli_json_text(&json, "id", id);
    cli_json_array(&json, "rows");
    for (int i = 0; i < p->count; ++i) {
        const cli_paper_row *row = &p->row[i];
        cli_json_open(&json, NULL);
        if (all) {
            cli_json_text(&json, "id", row->item->id);
        }
        cli_json_text(&json, "case", row->of);
        cli_json_text(&json, "quantity", row->quantity);
        cli_json_text(&json, "unit", row->unit);
        cli_json_number(&json, "paper", row->paper);
        cli_json_number(&json, "ours", row->ours);
        cli_json_text(&json, "note", row->note);
        cli_json_close(&json);
    }
    cli_json_end(&json);
    cli_json_close(&json);
}

// Rows [first, end) belong to one figure. Notes stand below, each once.
static void print_table(const cli_paper *p, int first, int end)
{
    const cli_paper_item *item = p->row[first].item;
    cli_print("%s: %s, %s\n", item->id, item->source, item->about);
    cli_table table = cli_table_new(
        6, (const char *const[]){"case", "quantity", "unit", ">paper", ">ours", ">note"});
    for (int i = first; i < end; ++i) {
        const cli_paper_row *row = &p->row[i];
        const int note = cli_paper_note_number(p, first, i);
        cli_cell(&table, "%s", row->of);
        cli_cell(&table, "%s", row->quantity);
        cli_cell(&table, "%s", strcmp(row->unit, "1") == 0 ? "" : row->unit);
        cli_cell(&table, "%s", isnan(row->paper) ? "" : cli_short(6, row->paper).text);
        cli_cell(&table, "%s", cli_short(6, row->ours).text);
        char mark[16] = "";
        if (note > 0) {
            snprintf(mark, sizeof mark, "%d", note);
        }
        cli_cell(&table, "%s", mark);
    }
    cli_table_print(&table);
    int told = 0;
    for (int i = first; i < end; ++i) {
        const int note = cli_paper_note_number(p, first, i);
        if (note > told) {
            cli_print_sentence(5, "  %d  %s", note, p->row[i].note);
            told = note;
        }
    }
}

static void print_tables(const cli_paper *p)
{
    for (int first = 0, end; first < p->count; first = end) {
        end = cli_paper_figure_end(p, first);
        fputs(first > 0 ? "\n" : "", stdout);
        print_table(p, first, end);
    }
    if (p->out && p->count > 0) {
        cli_print("\n  plots, curves, numbers, scenes and the report, report.html, are in %s\n",
                  p->out);
    }
}

static bool make_folder(const char *out)
{
    struct stat info;
    if (mkdir(out, 0777) != 0 && errno != EEXIST) {
        cli_complain("--out %s: could not be made: %s", out, strerror(errno));
        return false;
    }
    if (stat(out, &info) != 0 || !S_ISDIR(info.st_mode)) {
        cli_complain("--out %s: is no folder", out);
        return false;
    }
    if (access(out, W_OK | X_OK) != 0) {
        cli_complain("--out %s: could not be written: %s", out, strerror(errno));
        return false;
    }
    return true;
}

static int unknown(const char *id)
{
    enum { MOST = 64 };
    const char *known[MOST] = {"all"};
    size_t count = 1;
    for (int i = 0; i < cli_npaper && count < MOST; ++i) {
        known[count++] = cli_papers[i].id;
    }
    const char *near = cli_nearest(id, known, count);
    if (near) {
        cli_complain("there is no '%s' (did you mean '%s'?)", id, near);
    } else {
        cli_complain("there is no '%s' ('dashpot paper' lists what there is)", id);
    }
    return CLI_USAGE;
}

static bool is_known(const char *id)
{
    bool known = strcmp(id, "all") == 0;
    for (int i = 0; i < cli_npaper && !known; ++i) {
        known = strcmp(cli_papers[i].id, id) == 0;
    }
    return known;
}

static int run(const paper_options *o)
{
    cli_paper p = {.scene = o->scene, .out = o->out, .quick = o->quick};
    const bool all = strcmp(o->id, "all") == 0;
    bool fine = true;
    if (!is_known(o->id)) {
        return unknown(o->id);
    }
    if (all && o->scene) {
        cli_complain("--scene belongs to one figure (found 'all')");
        return CLI_USAGE;
    }
    if (o->out && !make_folder(o->out)) {
        return CLI_USAGE;
    }
    int done = 0;
    cli_progress progress = cli_progress_start(!all);
    for (int i = 0; i < cli_npaper && fine; ++i) {
        if (all || strcmp(cli_papers[i].id, o->id) == 0) {
            const int rows = p.count;
            p.item = &cli_papers[i];
            cli_progress_name(&progress, (double)i / cli_npaper, p.item->id);
            cli_interrupt_at("in %s, after %d of %d", p.item->id, done, all ? cli_npaper : 1);
            cli_interrupt_set(CLI_ENDS_SOON);
            fine = p.item->run(&p) && !cli_interrupted(NULL);
            cli_interrupt_set(CLI_ENDS_SAVED);
            if (cli_interrupted(NULL)) { // those before it are reported
                p.count = rows;
                break;
            }
            ++done;
        }
    }
    cli_progress_end(&progress);
    if (cli_interrupted(NULL) && p.item) {
        cli_complain("interrupted in %s, after %d of %d", p.item->id, done, all ? cli_npaper : 1);
        fine = p.count > 0;
    }
    fine = fine && (!o->out || cli_paper_report(&p));
    if (fine && o->json) {
        print_json(&p, o->id);
    } else if (fine) {
        print_tables(&p);
    }
    cli_paper_end(&p);
    return fine ? CLI_OK : p.bad_input ? CLI_USAGE : CLI_FAILED;
}

int cli_paper_command(int argc, char **argv)
{
    paper_options o;
    switch (parse(&o, argc, argv)) {
    case CLI_PARSED:
        break;
    case CLI_PARSED_HELP:
        return CLI_OK;
    case CLI_PARSED_BADLY:
        return CLI_USAGE;
    }
    if (o.list && o.id) {
        cli_complain("--list takes no ID (found '%s')", o.id);
        return CLI_USAGE;
    }
    if (!o.id && (o.out || o.scene || o.quick)) {
        cli_complain("no ID given (usage: dashpot paper ID [options]; 'dashpot paper' lists them)");
        return CLI_USAGE;
    }
    return o.id ? run(&o) : list(&o);
}
