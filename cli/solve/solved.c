#include "solve/solved.h"

#include "common/json.h"
#include "common/table.h"
#include "common/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const state_name[] = {"open", "active", "lo", "hi", "stick", "slip"};

static const char *name_of_state(uint8_t state)
{
    return state < sizeof state_name / sizeof *state_name ? state_name[state] : "";
}

// A row as the user sees it.
typedef struct shown_row {
    int block, place; // number of its block, and of the row in it
    double u, end;    // G v, gap at the end of the step
} shown_row;

static shown_row show_row(const cli_solved *s, int block, int row)
{
    const dp_step_problem *p = dp_problem_of(s->file);
    const int first = p->col_start[block], columns = p->col_start[block + 1] - first;
    shown_row shown = {.block = block, .place = row - p->row_start[block]};
    const double *G = p->G + p->G_start[block] + (size_t)shown.place * (size_t)columns;
    for (int c = 0; c < columns; ++c) {
        shown.u += G[c] * s->solution.v[p->col[first + c]];
    }
    shown.end = p->row[row].phi + p->h * (shown.u + p->row[row].phi_t);
    return shown;
}

// ---- against the solution of the file

typedef struct comparison {
    bool same_bits;
    double v, gamma; // largest differences
    int states;      // rows whose state differs
} comparison;

static double largest_difference(bool *same, const double *a, const double *b, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        *same = *same && memcmp(&a[i], &b[i], sizeof a[i]) == 0;
        const double difference = a[i] == b[i] ? 0.0 : fabs(a[i] - b[i]);
        most = difference <= most ? most : difference;
    }
    return most;
}

// False where the file has no solution.
static bool compare(comparison *out, const cli_solved *s)
{
    const dp_step_problem *p = dp_problem_of(s->file);
    const dp_step_solution *stored = dp_problem_solution(s->file);
    if (!stored->v) {
        return false;
    }
    *out = (comparison){.same_bits = true};
    out->v = largest_difference(&out->same_bits, s->solution.v, stored->v, p->nv);
    out->gamma = largest_difference(&out->same_bits, s->solution.gamma, stored->gamma, p->nrow);
    for (int i = 0; i < p->nrow; ++i) {
        out->states += s->solution.state[i] != stored->state[i];
    }
    out->same_bits = out->same_bits && out->states == 0;
    return true;
}

// ---- table

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

static void comparison_cells(cli_table *t, const cli_solved *s)
{
    comparison c;
    if (!compare(&c, s)) {
        return;
    }
    cli_cell(t, "stored");
    if (c.same_bits) {
        cli_cell(t, "the solution of the file has the same bits");
    } else {
        cli_cell(t, "the solution of the file differs by %.3g m/s, %.3g N s, %d state%s", c.v,
                 c.gamma, c.states, plural(c.states));
    }
}

void cli_solved_table(const cli_solved *s)
{
    const dp_step_problem *p = dp_problem_of(s->file);
    const dp_solve_info *info = &s->info;
    const dp_certificate *c = &s->certificate;
    cli_table t = cli_table_new(2, NULL);
    cli_print("%s\n", s->path);
    cli_cell(&t, "size");
    cli_cell(&t, "%d velocit%s in %d tree%s, %d row%s in %d block%s, step %g s", p->nv,
             p->nv == 1 ? "y" : "ies", p->ntree, plural(p->ntree), p->nrow, plural(p->nrow),
             p->nblock, plural(p->nblock), p->h);
    cli_cell(&t, "law");
    cli_cell(&t, "%s%s", dp_law_name(s->law.law), s->warm ? ", from the impulses of the file" : "");
    cli_cell(&t, "outcome");
    cli_cell(&t, "%s, residual %.3g m/s (tolerance %g)", dp_outcome_name(info->outcome),
             info->residual, s->law.tolerance);
    cli_cell(&t, "work");
    cli_cell(&t, "%d island%s, %d iteration%s, %d factorization%s", info->islands,
             plural(info->islands), info->iterations, plural(info->iterations),
             info->factorizations, plural(info->factorizations));
    cli_cell(&t, "rows");
    cli_cell(&t, "%d with an impulse, %d dependent on others", c->nactive, info->dependent);
    if (info->replaced > 0) {
        cli_cell(&t, "not used");
        cli_cell(&t, "springs, dashpots and laws of %d row%s: rigid", info->replaced,
                 plural(info->replaced));
    }
    if (info->fallbacks > 0) {
        cli_cell(&t, "fallback");
        cli_cell(&t, "to the cone of Coulomb in %d of %d islands", info->fallbacks, info->islands);
    }
    if (info->within_error > 0) {
        cli_cell(&t, "within error");
        cli_cell(&t, "%d of %d islands solved to %g of the error of the step (law.error_share)",
                 info->within_error, info->islands, s->law.error_share);
    }
    if (info->painleve > 0) {
        cli_cell(&t, "Painlevé");
        cli_cell(&t,
                 "sliding friction has no force or several at %d contact%s: an impulse stops it",
                 info->painleve, plural(info->painleve));
    }
    if (info->inconsistent > 0.0) {
        cli_cell(&t, "contradiction");
        cli_cell(&t, "%.3g m/s between dependent rows", info->inconsistent);
    }
    const struct {
        const char *name;
        double value;
        const char *unit;
    } line[] = {{"momentum error", c->momentum, "N s"},
                {"law error", c->normal_law, "m/s"},
                {"complementarity", c->complementarity, "J"},
                {"beyond the cone", c->cone, "N s"},
                {"friction power", c->friction_power, "W"},
                {"penetration", c->penetration, "m"},
                {"lift-off", c->lift_off, "m"},
                {"creep", c->creep, "m/s"},
                {"drift", c->drift, "m"},
                {"friction off by", c->heading, "rad"},
                {"friction missing", c->shortfall, "of its size"}};
    for (size_t i = 0; i < sizeof line / sizeof *line; ++i) {
        cli_cell(&t, "%s", line[i].name);
        cli_cell(&t, "%.3g %s", line[i].value, line[i].unit);
    }
    comparison_cells(&t, s);
    cli_table_print(&t);
}

void cli_solved_rows(const cli_solved *s)
{
    static const char *const heading[] = {"block", ">row", ">impulse", ">G v", ">end gap", "state"};
    const dp_step_problem *p = dp_problem_of(s->file);
    cli_table t = cli_table_new(6, heading);
    for (int block = 0; block < p->nblock; ++block) {
        for (int row = p->row_start[block]; row < p->row_start[block + 1]; ++row) {
            const shown_row shown = show_row(s, block, row);
            cli_cell(&t, "%" PRIx64, p->id[block]);
            cli_cell(&t, "%d", shown.place);
            cli_cell(&t, "%.10g", s->solution.gamma[row]);
            cli_cell(&t, "%.10g", shown.u);
            cli_cell(&t, "%.10g", shown.end);
            cli_cell(&t, "%s", name_of_state(s->solution.state[row]));
        }
    }
    putchar('\n');
    cli_table_print(&t);
}

// ---- JSON

static void json_certificate(cli_json *j, const dp_certificate *c)
{
    cli_json_open(j, "certificate");
    cli_json_number(j, "momentum", c->momentum);
    cli_json_number(j, "normal_law", c->normal_law);
    cli_json_number(j, "complementarity", c->complementarity);
    cli_json_number(j, "cone", c->cone);
    cli_json_number(j, "friction_power", c->friction_power);
    cli_json_number(j, "penetration", c->penetration);
    cli_json_number(j, "lift_off", c->lift_off);
    cli_json_number(j, "creep", c->creep);
    cli_json_number(j, "drift", c->drift);
    cli_json_number(j, "heading", c->heading);
    cli_json_number(j, "shortfall", c->shortfall);
    cli_json_count(j, "fallbacks", c->fallbacks);
    cli_json_count(j, "within_error", c->within_error);
    cli_json_count(j, "painleve", c->painleve);
    cli_json_count(j, "replaced", c->replaced);
    cli_json_count(j, "active", c->nactive);
    cli_json_close(j);
}

static void json_stored(cli_json *j, const cli_solved *s)
{
    comparison c;
    if (!compare(&c, s)) {
        cli_json_null(j, "stored");
        return;
    }
    cli_json_open(j, "stored");
    cli_json_bool(j, "same_bits", c.same_bits);
    cli_json_number(j, "v", c.v);
    cli_json_number(j, "gamma", c.gamma);
    cli_json_count(j, "states", c.states);
    cli_json_close(j);
}

static void json_rows(cli_json *j, const cli_solved *s)
{
    const dp_step_problem *p = dp_problem_of(s->file);
    cli_json_array(j, "rows");
    for (int block = 0; block < p->nblock; ++block) {
        for (int row = p->row_start[block]; row < p->row_start[block + 1]; ++row) {
            const shown_row shown = show_row(s, block, row);
            char id[20];
            snprintf(id, sizeof id, "%" PRIx64, p->id[block]);
            cli_json_open(j, NULL);
            cli_json_text(j, "block", id);
            cli_json_count(j, "row", shown.place);
            cli_json_number(j, "gamma", s->solution.gamma[row]);
            cli_json_number(j, "u", shown.u);
            cli_json_number(j, "end", shown.end);
            cli_json_text(j, "state", name_of_state(s->solution.state[row]));
            cli_json_close(j);
        }
    }
    cli_json_end(j);
}

void cli_solved_json(const cli_solved *s, bool rows)
{
    const dp_step_problem *p = dp_problem_of(s->file);
    cli_json j = {0};
    cli_json_open(&j, NULL);
    cli_json_text(&j, "version", dp_version());
    cli_json_text(&j, "file", s->path);
    cli_json_text(&j, "law", dp_law_name(s->law.law));
    cli_json_number(&j, "tolerance", s->law.tolerance);
    cli_json_bool(&j, "warm", s->warm);
    cli_json_number(&j, "step", p->h);
    cli_json_count(&j, "nv", p->nv);
    cli_json_count(&j, "ntree", p->ntree);
    cli_json_count(&j, "nblock", p->nblock);
    cli_json_count(&j, "nrow", p->nrow);
    cli_json_text(&j, "outcome", dp_outcome_name(s->info.outcome));
    cli_json_number(&j, "residual", s->info.residual);
    cli_json_count(&j, "islands", s->info.islands);
    cli_json_count(&j, "iterations", s->info.iterations);
    cli_json_count(&j, "factorizations", s->info.factorizations);
    cli_json_count(&j, "dependent", s->info.dependent);
    cli_json_number(&j, "inconsistent", s->info.inconsistent);
    json_certificate(&j, &s->certificate);
    json_stored(&j, s);
    if (rows) {
        cli_json_numbers(&j, "v", s->solution.v, p->nv);
        json_rows(&j, s);
    }
    cli_json_close(&j);
}
