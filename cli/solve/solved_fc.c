#include "solve/solved_fc.h"

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
    const dp_fc_file *file;
    const dp_fc *p;
    dp_fc_options opt;
    dp_fc_solution solution;
    dp_fc_info info;
    dp_fc_residual stored; // of the r of the file
} solved;

static const char *const state_name[] = {"open", "stick", "slide"};

static bool choose(dp_fc_options *opt, const cli_fc_options *o)
{
    *opt = dp_fc_options_default();
    for (int i = 0; i < o->settings.count; ++i) {
        char name[CLI_NAME_BYTES];
        const char *value = cli_split_assignment(name, o->settings.item[i]);
        if (!value ||
            !cli_is_option("--set", name, dp_fc_options_name, dp_fc_options_name_count())) {
            return false;
        }
        if (dp_fc_options_set(opt, name, value) != DP_OK) {
            cli_complain("--set %s", dp_last_error());
            return false;
        }
    }
    return true;
}

// ---- what was found

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

static void print_feasibility(cli_table *t, const dp_fc_info *info)
{
    static const double nearly = 1e-3;
    if (info->outcome == DP_FC_OUTCOME_SOLVED || info->feasibility < 0.0) {
        return;
    }
    cli_cell(t, "feasible");
    cli_cell(t, "%s (certificate %.3g)",
             info->outcome == DP_FC_OUTCOME_INFEASIBLE ? "no: no velocity opens all contacts"
             : info->feasibility < nearly ? "hardly: a small change would close every way out"
                                          : "nothing speaks against it",
             info->feasibility);
}

static void print_table(const solved *s)
{
    const dp_fc_info *info = &s->info;
    const dp_fc_residual *r = &info->residual;
    const bool global = s->p->form == DP_FC_FORM_GLOBAL;
    cli_table t = cli_table_new(2, NULL);
    cli_print("%s\n", s->path);
    if (dp_fc_title(s->file)[0]) {
        cli_cell(&t, "title");
        cli_cell(&t, "%.80s", dp_fc_title(s->file));
    }
    cli_cell(&t, "size");
    cli_cell(&t, "%d contact%s in %d dimensions, %s form", s->p->nc, plural(s->p->nc),
             s->p->dimension, global ? "global" : "local");
    if (global) {
        cli_cell(&t, "velocities");
        cli_cell(&t, "%d", s->p->M.rows);
    }
    if (s->p->nl > 0) {
        cli_cell(&t, "equations");
        cli_cell(&t, "%d", s->p->nl);
    }
    cli_cell(&t, "method");
    cli_cell(&t, "%s, found by %s", dp_fc_method_name(s->opt.method),
             dp_fc_method_name(info->method));
    cli_cell(&t, "outcome");
    cli_cell(&t, "%s, worst residual %.3g (tolerance %g)", dp_fc_outcome_name(info->outcome),
             r->worst, s->opt.tolerance);
    print_feasibility(&t, info);
    cli_cell(&t, "residuals");
    cli_cell(&t, "natural map: %.3g as Siconos has it, %.3g as FCLIB does", r->siconos, r->fclib);
    cli_cell(&t, "%s", "");
    cli_cell(&t, "of impulses %.3g, of velocities %.3g", r->impulse, r->velocity);
    cli_cell(&t, "penetration");
    cli_cell(&t, "%.3g m/s", r->penetration);
    cli_cell(&t, "cone");
    cli_cell(&t, "%.3g N s beyond", r->cone);
    cli_cell(&t, "friction");
    cli_cell(&t, "%.3g J off, of %.3g J", r->friction, r->friction_size);
    cli_cell(&t, "contacts");
    cli_cell(&t, "%d open, %d stick, %d slide", r->open, r->stick, r->slide);
    cli_cell(&t, "work");
    cli_cell(&t,
             "%d outer step%s (%d failed), %d Newton step%s, %d factorization%s, last shift %.1g",
             info->outer, plural(info->outer), info->failed, info->newton, plural(info->newton),
             info->factorizations, plural(info->factorizations), info->shift);
    if (dp_fc_stored(s->file)) {
        cli_cell(&t, "stored");
        cli_cell(&t, "the r of the file has %.3g as Siconos has it, worst residual %.3g",
                 s->stored.siconos, s->stored.worst);
    }
    cli_table_print(&t);
}

static void print_rows(const solved *s)
{
    static const char *const heading[] = {">contact", ">mu",  ">r_n", ">r_t", ">r_o",
                                          ">u_n",     ">u_t", ">u_o", "state"};
    const int n = s->p->dimension;
    cli_table t = cli_table_new(9, heading);
    for (int i = 0; i < s->p->nc; ++i) {
        cli_cell(&t, "%d", i);
        cli_cell(&t, "%.4g", s->p->mu[i]);
        for (int k = 0; k < 6; ++k) {
            const double *x = k < 3 ? s->solution.r : s->solution.u;
            if (k % 3 < n) {
                cli_cell(&t, "%.6g", x[n * i + k % 3]);
            } else {
                cli_cell(&t, "-");
            }
        }
        cli_cell(&t, "%s", state_name[s->solution.state[i]]);
    }
    putchar('\n');
    cli_table_print(&t);
}

static void json_residual(cli_json *j, const char *key, const dp_fc_residual *r)
{
    cli_json_open(j, key);
    cli_json_number(j, "natural", r->natural);
    cli_json_number(j, "siconos", r->siconos);
    cli_json_number(j, "fclib", r->fclib);
    cli_json_number(j, "impulse", r->impulse);
    cli_json_number(j, "velocity", r->velocity);
    cli_json_number(j, "worst", r->worst);
    cli_json_number(j, "penetration", r->penetration);
    cli_json_number(j, "cone", r->cone);
    cli_json_number(j, "friction", r->friction);
    cli_json_number(j, "friction_size", r->friction_size);
    cli_json_count(j, "open", r->open);
    cli_json_count(j, "stick", r->stick);
    cli_json_count(j, "slide", r->slide);
    cli_json_close(j);
}

static void print_json(const solved *s, bool rows)
{
    const dp_fc_info *info = &s->info;
    const int n = s->p->dimension * s->p->nc;
    cli_json j = {0};
    cli_json_open(&j, NULL);
    cli_json_text(&j, "version", dp_version());
    cli_json_text(&j, "file", s->path);
    cli_json_text(&j, "problem", "friction");
    cli_json_text(&j, "form", s->p->form == DP_FC_FORM_GLOBAL ? "global" : "local");
    cli_json_count(&j, "dimension", s->p->dimension);
    cli_json_count(&j, "contacts", s->p->nc);
    cli_json_count(&j, "velocities", s->p->form == DP_FC_FORM_GLOBAL ? s->p->M.rows : 0);
    cli_json_count(&j, "equations", s->p->nl);
    cli_json_text(&j, "method", dp_fc_method_name(s->opt.method));
    cli_json_text(&j, "found_by", dp_fc_method_name(info->method));
    cli_json_number(&j, "tolerance", s->opt.tolerance);
    cli_json_text(&j, "outcome", dp_fc_outcome_name(info->outcome));
    json_residual(&j, "residual", &info->residual);
    cli_json_count(&j, "outer", info->outer);
    cli_json_count(&j, "newton", info->newton);
    cli_json_count(&j, "failed", info->failed);
    cli_json_count(&j, "factorizations", info->factorizations);
    cli_json_number(&j, "shift", info->shift);
    if (info->feasibility >= 0.0) {
        cli_json_number(&j, "feasibility", info->feasibility);
    } else {
        cli_json_null(&j, "feasibility");
    }
    if (dp_fc_stored(s->file)) {
        json_residual(&j, "stored", &s->stored);
    } else {
        cli_json_null(&j, "stored");
    }
    if (rows) {
        cli_json_numbers(&j, "r", s->solution.r, n);
        cli_json_numbers(&j, "u", s->solution.u, n);
    }
    cli_json_close(&j);
}

// ---- files

bool cli_is_hdf5_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".h5") == 0);
}

static bool save(const dp_fc *p, const dp_fc_solution *solution, const char *write,
                 const char *title)
{
    const dp_status status =
        cli_is_hdf5_name(write) ? dp_fc_save_hdf5(write, p, solution, title) : dp_fc_save(write, p);
    if (status != DP_OK) {
        cli_complain("--write %s", dp_last_error());
    }
    return status == DP_OK;
}

// In the form that is asked for; a problem without M and H cannot become global.
static bool export(const dp_fc *p, const dp_fc_solution *solution, const char *path,
                   const char *write, const char *form)
{
    if (form && strcmp(form, "global") == 0 && p->form == DP_FC_FORM_LOCAL) {
        cli_complain("--form global: %s has no M and H (expected a problem in the global form)",
                     path);
        return false;
    }
    if (!form || strcmp(form, "global") == 0 || (p->form == DP_FC_FORM_LOCAL && p->nl == 0)) {
        return save(p, solution, write, path);
    }
    dp_fc_file *local;
    if (dp_fc_localise(&local, p, NULL) != DP_OK) {
        cli_complain("%s: %s", path, dp_last_error());
        return false;
    }
    const bool ok = save(dp_fc_of(local), solution, write, path);
    dp_fc_destroy(local);
    return ok;
}

bool cli_export_step(const dp_step_problem *p, const char *path, const char *write,
                     const char *form)
{
    dp_fc_file *file;
    int dropped;
    if (dp_fc_from_step(&file, &dropped, p, NULL) != DP_OK) {
        cli_complain("%s: %s", path, dp_last_error());
        return false;
    }
    if (dropped > 0) {
        cli_complain("note: %s has no place for %d row%s of %s: torsion, rolling, or with a range",
                     write, dropped, plural(dropped), path);
    }
    const bool ok = export(dp_fc_of(file), NULL, path, write, form ? form : "local");
    dp_fc_destroy(file);
    return ok;
}

bool cli_export_lcp(const dp_lcp_file *file, const char *write)
{
    const char *dot = strrchr(write, '.');
    const dp_status status =
        dot && strcmp(dot, ".txt") == 0
            ? dp_lcp_save(write, dp_lcp_of(file), dp_lcp_stored(file), dp_lcp_notes(file))
            : dp_lcp_save_siconos(write, dp_lcp_of(file));
    if (status != DP_OK) {
        cli_complain("--write %s", dp_last_error());
    }
    return status == DP_OK;
}

// ---- the call

static int solve(solved *s, const cli_fc_options *o, double *r)
{
    const double *stored = dp_fc_stored(s->file);
    if (dp_fc_solve(&s->solution, s->p, NULL, &s->opt, NULL, &s->info) != DP_OK) {
        cli_complain("%s: %s", o->path, dp_last_error());
        return CLI_FAILED;
    }
    if (stored) {
        memcpy(r, stored, (size_t)s->p->dimension * (size_t)s->p->nc * sizeof *r);
        if (dp_fc_judge(&s->stored, s->p, &(dp_fc_solution){.r = r}, NULL) != DP_OK) {
            cli_complain("%s: %s", o->path, dp_last_error());
            return CLI_FAILED;
        }
    }
    if (o->json) {
        print_json(s, o->rows);
    } else {
        print_table(s);
        if (o->rows) {
            print_rows(s);
        }
    }
    if (o->write && !export(s->p, &s->solution, o->path, o->write, o->form)) {
        return CLI_FAILED;
    }
    return s->info.outcome == DP_FC_OUTCOME_SOLVED ? CLI_OK : CLI_FAILED;
}

int cli_solve_fc(const dp_fc_file *file, const cli_fc_options *o)
{
    solved s = {.path = o->path, .file = file, .p = dp_fc_of(file)};
    if (!choose(&s.opt, o)) {
        return CLI_USAGE;
    }
    const size_t n = (size_t)s.p->dimension * (size_t)s.p->nc;
    const size_t nv = s.p->form == DP_FC_FORM_GLOBAL ? (size_t)s.p->M.rows : 0,
                 nl = (size_t)s.p->nl;
    double *numbers = calloc(3 * n + nv + nl + 1, sizeof *numbers); // r, u, scratch, v, λ
    uint8_t *state = calloc((size_t)s.p->nc + 1, sizeof *state);
    int code = CLI_FAILED;
    if (!numbers || !state) {
        cli_complain("out of memory");
    } else {
        s.solution = (dp_fc_solution){.r = numbers,
                                      .u = numbers + n,
                                      .v = numbers + 3 * n,
                                      .lambda = numbers + 3 * n + nv,
                                      .state = state};
        code = solve(&s, o, numbers + 2 * n);
    }
    free(numbers);
    free(state);
    return code;
}
