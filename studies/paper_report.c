#include "paper_report.h"

#include "common/program.h"
#include "common/text.h"
#include "common/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

cli_paper_verdict cli_paper_judge(const cli_paper_row *row)
{
    const double share = 0.05, round_off = 1e-9;
    if (isnan(row->paper)) {
        return CLI_PAPER_NONE;
    }
    const double off = fabs(row->ours - row->paper);
    const double allowed = row->paper == 0.0 ? round_off : share * fabs(row->paper);
    return off <= allowed ? CLI_PAPER_AGREES : CLI_PAPER_DIFFERS;
}

int cli_paper_note_number(const cli_paper *p, int first, int i)
{
    int number = 0;
    for (int k = first; k <= i; ++k) {
        bool seen = p->row[k].note[0] == '\0';
        for (int j = first; j < k && !seen; ++j) {
            seen = strcmp(p->row[j].note, p->row[k].note) == 0;
        }
        number += seen ? 0 : 1;
        if (p->row[i].note[0] != '\0' && strcmp(p->row[k].note, p->row[i].note) == 0) {
            return number;
        }
    }
    return 0;
}

int cli_paper_figure_end(const cli_paper *p, int first)
{
    int end = first;
    while (end < p->count && p->row[end].item == p->row[first].item) {
        ++end;
    }
    return end;
}

// How many numbers of a figure, or of all, end in each verdict.
typedef struct tally {
    int count[3];
} tally;

static tally count_verdicts(const cli_paper *p, int first, int end)
{
    tally t = {{0}};
    for (int i = first; i < end; ++i) {
        ++t.count[cli_paper_judge(&p->row[i])];
    }
    return t;
}

static int count_unexplained(const cli_paper *p)
{
    int count = 0;
    for (int i = 0; i < p->count; ++i) {
        count += cli_paper_judge(&p->row[i]) == CLI_PAPER_DIFFERS && p->row[i].note[0] == '\0';
    }
    return count;
}

static const char *unit_of(const cli_paper_row *row)
{
    return strcmp(row->unit, "1") == 0 ? "" : row->unit;
}

// --- a form: HTML or Markdown ------------------------------------------------------------------

typedef struct form {
    FILE *file;
    bool html;
    const char *folder;
} form;

static void put(const form *f, const char *text)
{
    for (; *text != '\0'; ++text) {
        const char *escaped = NULL;
        if (f->html) {
            escaped = *text == '&'   ? "&amp;"
                      : *text == '<' ? "&lt;"
                      : *text == '>' ? "&gt;"
                      : *text == '"' ? "&quot;"
                                     : NULL;
        } else if (*text == '|' || *text == '*' || *text == '_' || *text == '<') {
            escaped = *text == '|' ? "\\|" : *text == '*' ? "\\*" : *text == '_' ? "\\_" : "\\<";
        }
        if (escaped) {
            fputs(escaped, f->file);
        } else {
            fputc(*text, f->file);
        }
    }
}

static void put_cell(const form *f, const char *text, bool number)
{
    fputs(f->html ? (number ? "<td class=n>" : "<td>") : "| ", f->file);
    put(f, text);
    fputs(f->html ? "</td>" : " ", f->file);
}

static void end_row(const form *f)
{
    fputs(f->html ? "</tr>\n" : "|\n", f->file);
}

// `columns` names, separated by '|'; those that begin with '>' are above numbers.
static void begin_table(const form *f, const char *const *column, int columns)
{
    fputs(f->html ? "<div class=wide><table>\n<thead><tr>" : "\n", f->file);
    for (int i = 0; i < columns; ++i) {
        const bool number = column[i][0] == '>';
        fprintf(f->file, f->html ? (number ? "<th class=n>%s</th>" : "<th>%s</th>") : "| %s ",
                column[i] + (number ? 1 : 0));
    }
    fputs(f->html ? "</tr></thead>\n" : "|\n", f->file);
    for (int i = 0; i < columns && !f->html; ++i) {
        fputs(column[i][0] == '>' ? "|---:" : "|---", f->file);
    }
    fputs(f->html ? "" : "|\n", f->file);
}

static void end_table(const form *f)
{
    fputs(f->html ? "</table></div>\n" : "\n", f->file);
}

static void put_base64(FILE *file, const unsigned char *bytes, size_t count)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned a = bytes[i], b = left > 1 ? bytes[i + 1] : 0,
                       c = left > 2 ? bytes[i + 2] : 0;
        fputc(digit[a >> 2], file);
        fputc(digit[(a & 3) << 4 | b >> 4], file);
        fputc(left > 1 ? digit[(b & 15) << 2 | c >> 6] : '=', file);
        fputc(left > 2 ? digit[c & 63] : '=', file);
    }
}

// The picture goes into the page itself, which then needs no other file.
static bool put_plot(const form *f, const cli_paper_item *item)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.svg", f->folder, item->id);
    struct stat about;
    if (stat(path, &about) != 0 && errno == ENOENT) {
        return true; // a figure without a plot
    }
    size_t bytes;
    char *text;
    if (dp_file_read(&text, &bytes, path, NULL) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return false;
    }
    if (f->html) {
        fputs("<img alt=\"", f->file);
        put(f, item->about);
        fputs("\" src=\"data:image/svg+xml;base64,", f->file);
        put_base64(f->file, (const unsigned char *)text, bytes);
        fputs("\">\n", f->file);
    } else {
        fprintf(f->file, "![%s](%s.svg)\n\n", item->about, item->id);
    }
    free(text);
    return true;
}

// --- a figure ---------------------------------------------------------------------------------

static void put_rows(const form *f, const cli_paper *p, int first, int end)
{
    static const char *const column[] = {"case", "quantity", "unit", ">paper", ">ours", "verdict"};
    static const char *const words[] = {"", "agrees", "differs"};
    begin_table(f, column, 6);
    for (int i = first; i < end; ++i) {
        const cli_paper_row *row = &p->row[i];
        const cli_paper_verdict verdict = cli_paper_judge(row);
        const int note = cli_paper_note_number(p, first, i);
        if (f->html) {
            fprintf(f->file, "<tr%s>", verdict == CLI_PAPER_DIFFERS ? " class=off" : "");
        }
        put_cell(f, row->of, false);
        put_cell(f, row->quantity, false);
        put_cell(f, unit_of(row), false);
        put_cell(f, isnan(row->paper) ? "" : cli_short(6, row->paper).text, true);
        put_cell(f, cli_short(6, row->ours).text, true);
        char last[40];
        snprintf(last, sizeof last, note > 0 ? "%s (%d)" : "%s", words[verdict], note);
        put_cell(f, note > 0 && verdict == CLI_PAPER_NONE ? last + 1 : last, false);
        end_row(f);
    }
    end_table(f);
    int told = 0;
    for (int i = first; i < end; ++i) {
        const int note = cli_paper_note_number(p, first, i);
        if (note > told) {
            fprintf(f->file, f->html ? "<p class=note>(%d) " : "(%d) ", note);
            put(f, p->row[i].note);
            fputs(f->html ? "</p>\n" : "\n\n", f->file);
            told = note;
        }
    }
}

static bool put_figure(const form *f, const cli_paper *p, int first, int end)
{
    const cli_paper_item *item = p->row[first].item;
    if (f->html) {
        fprintf(f->file, "<h2 id=\"%s\">%s: ", item->id, item->id);
    } else {
        fprintf(f->file, "## %s\n\n**", item->id);
    }
    put(f, item->source);
    fputs(f->html ? "</h2>\n<p>" : "**: ", f->file);
    put(f, item->about);
    fprintf(f->file, f->html ? ". <code>dashpot paper %s</code></p>\n" : ". `dashpot paper %s`\n\n",
            item->id);
    const bool fine = put_plot(f, item);
    put_rows(f, p, first, end);
    return fine;
}

// Markdown leaves the dots of a heading out of its anchor.
static void put_link(const form *f, const cli_paper_item *item)
{
    if (f->html) {
        fprintf(f->file, "<tr><td><a href=\"#%s\">%s</a></td>", item->id, item->id);
        return;
    }
    fprintf(f->file, "| [%s](#", item->id);
    for (const char *c = item->id; *c != '\0'; ++c) {
        if (*c != '.') {
            fputc(*c, f->file);
        }
    }
    fputs(") ", f->file);
}

static void put_summary(const form *f, const cli_paper *p)
{
    static const char *const column[] = {"figure",  "of",       "what",
                                         ">agrees", ">differs", ">without a number of the paper"};
    begin_table(f, column, 6);
    for (int first = 0, end; first < p->count; first = end) {
        end = cli_paper_figure_end(p, first);
        const cli_paper_item *item = p->row[first].item;
        const tally t = count_verdicts(p, first, end);
        put_link(f, item);
        put_cell(f, item->source, false);
        put_cell(f, item->about, false);
        const int order[] = {CLI_PAPER_AGREES, CLI_PAPER_DIFFERS, CLI_PAPER_NONE};
        for (int k = 0; k < 3; ++k) {
            char number[16];
            snprintf(number, sizeof number, "%d", t.count[order[k]]);
            put_cell(f, number, true);
        }
        end_row(f);
    }
    end_table(f);
}

// --- the report -------------------------------------------------------------------------------

static const char STYLE[] =
    ":root{color-scheme:light dark;--ink:#1d2733;--soft:#566170;--back:#fff;--card:#f4f6f9;"
    "--line:#d5dce5;--accent:#0b62c4;--off:#8a5300}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf5;--soft:#a3afbd;--back:#10151b;"
    "--card:#1a212a;--line:#303a46;--accent:#6cb2ff;--off:#f2b35c}}\n"
    "body{margin:0 auto;max-width:1080px;padding:12px 16px 60px;font:15px/1.5 system-ui,sans-serif;"
    "color:var(--ink);background:var(--back)}\n"
    "h1{font-size:26px}h2{font-size:19px;margin:44px 0 4px;padding-top:10px;border-top:1px solid "
    "var(--line)}\n"
    "a{color:var(--accent)}code{background:var(--card);padding:1px 5px;border-radius:4px}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px;margin:10px 0}\n"
    "th,td{padding:3px 10px 3px 0;text-align:left;border-bottom:1px solid var(--line);"
    "vertical-align:top}\n"
    "th{color:var(--soft);font-weight:600}td:first-child{white-space:nowrap}.n{text-align:right;"
    "white-space:nowrap;"
    "font-variant-numeric:tabular-nums}\n"
    ".off td:last-child{color:var(--off)}.note{font-size:13px;color:var(--soft);margin:4px 0}\n"
    "img{max-width:100%;height:auto;margin:8px 0;border-radius:8px}\n";

static void put_head(const form *f, const cli_paper *p)
{
    const tally t = count_verdicts(p, 0, p->count);
    char reasons[80] = "each with its reason below";
    const int unexplained = count_unexplained(p);
    if (unexplained > 0) {
        snprintf(reasons, sizeof reasons, "with a reason below but for %d", unexplained);
    }
    if (f->html) {
        fprintf(f->file,
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<title>Papers, computed again</title>\n<style>\n%s</style>\n</head>\n<body>\n"
                "<h1>Papers, computed again</h1>\n<p>",
                STYLE);
    } else {
        fputs("# Papers, computed again\n\n", f->file);
    }
    fprintf(f->file,
            "Written by %sdashpot paper all --out DIR%s%s, version %s: %d numbers that papers "
            "give, of which ours agree with %d to five in a hundred and differ from %d, %s; and %d "
            "that only we give. Times are those of the machine that wrote this.",
            f->html ? "<code>" : "`", p->quick ? " --quick" : "", f->html ? "</code>" : "`",
            dp_version(), t.count[CLI_PAPER_AGREES] + t.count[CLI_PAPER_DIFFERS],
            t.count[CLI_PAPER_AGREES], t.count[CLI_PAPER_DIFFERS], reasons,
            t.count[CLI_PAPER_NONE]);
    fputs(f->html ? "</p>\n" : "\n", f->file);
}

static bool write_form(const cli_paper *p, bool html)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/report.%s", p->out, html ? "html" : "md");
    cli_whole_file whole;
    if (!cli_whole_open(&whole, path)) {
        return false;
    }
    const form f = {whole.file, html, p->out};
    put_head(&f, p);
    put_summary(&f, p);
    bool fine = true;
    for (int first = 0, end; first < p->count; first = end) {
        end = cli_paper_figure_end(p, first);
        fine = put_figure(&f, p, first, end) && fine;
    }
    fputs(html ? "</body>\n</html>\n" : "", f.file);
    return cli_whole_close(&whole, fine);
}

bool cli_paper_report(const cli_paper *p)
{
    return write_form(p, true) && write_form(p, false);
}
