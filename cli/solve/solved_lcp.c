#include "solve/solved_lcp.h"

#include "common/json.h"
#include "common/law_settings.h"
#include "common/program.h"
#include "common/table.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct solved {
    const char *path;
    const dp_lcp_file *file;
    const dp_lcp *p;
    dp_lcp_options opt;
    dp_lcp_solution solution;
    dp_lcp_info info;
    double stored_residual; // of the z of the file
} solved;

static const char *const state_name[] = {"lo", "between", "hi", "dependent"};

// ---- options

static bool set(dp_lcp_options *opt, const char *where, const char *name, const char *value)
{
    if (!cli_is_option(where, name, dp_lcp_options_name, dp_lcp_options_name_count())) {
        return false;
    }
    if (dp_lcp_options_set(opt, name, value) != DP_OK) {
        cli_complain("%s %s", where, dp_last_error());
        return false;
    }
    return true;
}

// The default, then what the file says, then the command line.
static bool choose(dp_lcp_options *opt, const cli_lcp_options *o, const dp_problem_notes *notes)
{
    *opt = dp_lcp_options_default();
    for (int i = 0; i < notes->noption; ++i) {
        if (!set(opt, o->path, notes->option[i].name, notes->option[i].value)) {
            return false;
        }
    }
    for (int i = 0; i < o->settings.count; ++i) {
        char name[CLI_NAME_BYTES];
        const char *value = cli_split_assignment(name, o->settings.item[i]);
        if (!value || !set(opt, "--set", name, value)) {
            return false;
        }
    }
    return true;
}

// ---- what was found

static double stored_difference(const solved *s)
{
    const double *stored = dp_lcp_stored(s->file);
    double most = 0.0;
    for (int i = 0; i < s->p->n; ++i) {
        const double difference = fabs(s->solution.z[i] - stored[i]);
        most = difference <= most ? most : difference;
    }
    return most;
}

static const char *kind_of(const solved *s, int i)
{
    const bool lo = !s->p->lo || isfinite(s->p->lo[i]), hi = s->p->hi && isfinite(s->p->hi[i]);
    return lo && hi ? "box" : lo ? "above" : hi ? "below" : "free";
}

static int count_of(const solved *s, const char *kind)
{
    int count = 0;
    for (int i = 0; i < s->p->n; ++i) {
        count += strcmp(kind_of(s, i), kind) == 0;
    }
    return count;
}

static int count_between(const solved *s)
{
    int count = 0;
    for (int i = 0; i < s->p->n; ++i) {
        count += s->solution.state[i] == DP_LCP_STATE_BETWEEN;
    }
    return count;
}

static void print_table(const solved *s)
{
    const dp_lcp_info *info = &s->info;
    cli_table t = cli_table_new(2, NULL);
    cli_print("%s\n", s->path);
    cli_cell(&t, "size");
    cli_cell(&t, "%d variable%s: %d free, %d with a range at both ends", s->p->n,
             s->p->n == 1 ? "" : "s", count_of(s, "free"), count_of(s, "box"));
    cli_cell(&t, "method");
    cli_cell(&t, "%s%s%s", dp_lcp_method_name(s->opt.method),
             s->opt.method == DP_LCP_METHOD_AUTOMATIC ? ", found by " : "",
             s->opt.method == DP_LCP_METHOD_AUTOMATIC ? dp_lcp_method_name(info->method) : "");
    cli_cell(&t, "outcome");
    cli_cell(&t, "%s%s, residual %.3g (tolerance %g)", dp_lcp_outcome_name(info->outcome),
             info->infeasible ? ": proven to have no solution" : "", info->residual,
             s->opt.tolerance);
    cli_cell(&t, "work");
    cli_cell(&t, "%d pivot%s of Lemke's with %d restart%s, %d step%s of others, %d factorization%s",
             info->pivots, info->pivots == 1 ? "" : "s", info->restarts,
             info->restarts == 1 ? "" : "s", info->iterations, info->iterations == 1 ? "" : "s",
             info->factorizations, info->factorizations == 1 ? "" : "s");
    cli_cell(&t, "between");
    cli_cell(&t, "%d of %d variables", count_between(s), s->p->n);
    if (info->dependent > 0) {
        cli_cell(&t, "dependent");
        cli_cell(&t, "%d row%s dropped, off by %.3g", info->dependent,
                 info->dependent == 1 ? "" : "s", info->inconsistent);
    }
    if (dp_lcp_stored(s->file)) {
        cli_cell(&t, "stored");
        cli_cell(&t, "the z of the file has residual %.3g, and differs by %.3g", s->stored_residual,
                 stored_difference(s));
    }
    cli_table_print(&t);
}

static void print_rows(const solved *s)
{
    static const char *const heading[] = {">row", ">z", ">w", "state"};
    cli_table t = cli_table_new(4, heading);
    for (int i = 0; i < s->p->n; ++i) {
        cli_cell(&t, "%d", i);
        cli_cell(&t, "%.10g", s->solution.z[i]);
        cli_cell(&t, "%.10g", s->solution.w[i]);
        cli_cell(&t, "%s", state_name[s->solution.state[i]]);
    }
    putchar('\n');
    cli_table_print(&t);
}

static void print_json(const solved *s, bool rows)
{
    const dp_lcp_info *info = &s->info;
    cli_json j = {0};
    cli_json_open(&j, NULL);
    cli_json_text(&j, "version", dp_version());
    cli_json_text(&j, "file", s->path);
    cli_json_text(&j, "problem", "lcp");
    cli_json_count(&j, "n", s->p->n);
    cli_json_count(&j, "free", count_of(s, "free"));
    cli_json_count(&j, "box", count_of(s, "box"));
    cli_json_text(&j, "method", dp_lcp_method_name(s->opt.method));
    cli_json_text(&j, "found_by", dp_lcp_method_name(info->method));
    cli_json_number(&j, "tolerance", s->opt.tolerance);
    cli_json_text(&j, "outcome", dp_lcp_outcome_name(info->outcome));
    cli_json_bool(&j, "infeasible", info->infeasible);
    cli_json_number(&j, "residual", info->residual);
    cli_json_count(&j, "pivots", info->pivots);
    cli_json_count(&j, "restarts", info->restarts);
    cli_json_count(&j, "iterations", info->iterations);
    cli_json_count(&j, "factorizations", info->factorizations);
    cli_json_count(&j, "dependent", info->dependent);
    cli_json_number(&j, "inconsistent", info->inconsistent);
    if (dp_lcp_stored(s->file)) {
        cli_json_open(&j, "stored");
        cli_json_number(&j, "residual", s->stored_residual);
        cli_json_number(&j, "z", stored_difference(s));
        cli_json_close(&j);
    } else {
        cli_json_null(&j, "stored");
    }
    if (rows) {
        cli_json_numbers(&j, "z", s->solution.z, s->p->n);
        cli_json_numbers(&j, "w", s->solution.w, s->p->n);
    }
    cli_json_close(&j);
}

static void tell(const solved *s, const cli_lcp_options *o)
{
    if (o->json) {
        print_json(s, o->rows);
        return;
    }
    print_table(s);
    if (o->rows) {
        print_rows(s);
    }
}

int cli_solve_lcp(const dp_lcp_file *file, const cli_lcp_options *o)
{
    solved s = {.path = o->path, .file = file, .p = dp_lcp_of(file)};
    if (!choose(&s.opt, o, dp_lcp_notes(file))) {
        return CLI_USAGE;
    }
    const size_t n = (size_t)s.p->n;
    double *numbers = calloc(2 * n + 1, sizeof *numbers);
    uint8_t *state = calloc(n + 1, sizeof *state);
    int *scratch = calloc(4 * n + 1, sizeof *scratch);
    int code = CLI_FAILED;
    if (!numbers || !state || !scratch) {
        cli_complain("out of memory");
    } else {
        s.solution = (dp_lcp_solution){numbers, numbers + n, state};
        if (dp_lcp_solve(&s.solution, s.p, &s.opt, NULL, &s.info) != DP_OK) {
            cli_complain("%s: %s", o->path, dp_last_error());
        } else {
            const double *stored = dp_lcp_stored(file);
            s.stored_residual = stored ? dp_lcp_residual(s.p, stored, NULL, scratch) : 0.0;
            tell(&s, o);
            code = s.info.outcome == DP_LCP_OUTCOME_SOLVED ? CLI_OK : CLI_FAILED;
        }
    }
    free(numbers);
    free(state);
    free(scratch);
    return code;
}
