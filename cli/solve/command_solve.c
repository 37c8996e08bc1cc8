// `dashpot solve`: one problem from a file: a step problem, by the law of choice, a linear
// complementarity problem or a friction-contact problem.
#include "common/arguments.h"
#include "common/law_settings.h"
#include "common/outputs.h"
#include "common/program.h"
#include "common/signals.h"
#include "common/text.h"
#include "report/caveats.h"
#include "solve/profile_folder.h"
#include "solve/solved.h"
#include "solve/solved_fc.h"
#include "solve/solved_lcp.h"

#include <stdlib.h>
#include <string.h>

typedef struct solve_options {
    const char *path, *law, *write, *form;
    const char *profile, *plot, *csv;
    cli_list settings;
    bool cold, rows, json;
} solve_options;

static cli_parsed parse(solve_options *o, int argc, char **argv)
{
    *o = (solve_options){0};
    const cli_option option[] = {
        {"--law", 0, CLI_TEXT, &o->law, "NAME",
         "compliant, lcp, ncp, vi or tamsi; default: the file's, else compliant"},
        {"--set", 0, CLI_LIST, &o->settings, "OPTION=VALUE",
         "change an option of the law, may be repeated: law.tolerance [m/s],\n"
         "law.error_share, law.max_factorizations,\n"
         "lcp.directions, lcp.method=automatic, lemke or map; rigid.compliance,\n"
         "rigid.weights=stiffness or equal, vi.friction=cone or disc,\n"
         "vi.desaxce=true or false, friction.slip_speed, tamsi.slip_turn,\n"
         "rigid.stabilisation,\n"
         "impact.rule and impact.speed concern whole steps. Of a complementarity problem: "
         "lcp.method=automatic, lemke or pivoting,\n"
         "lcp.tolerance, lcp.threshold, lcp.max_pivots, lcp.restarts, lcp.seed.\n"
         "Of a friction-contact problem: fc.method=automatic, newton or cone,\n"
         "fc.tolerance, fc.max_factorizations.\n"
         "What stands before the dot may be left out"},
        {"--cold", 0, CLI_FLAG, &o->cold, NULL, "without the impulses that the file starts from"},
        {"--rows", 0, CLI_FLAG, &o->rows, NULL,
         "also each row: impulse, rate, gap at the end, state; or z, w, state; or r, u,\n"
         "state"},
        {"--write", 0, CLI_TEXT, &o->write, "FILE",
         "also write the problem: as FCLIB does where the name ends with .hdf5 or .h5,\n"
         "else as Siconos does. A step problem becomes one of rigid contacts"},
        {"--form", 0, CLI_TEXT, &o->form, "FORM",
         "local or global: what --write writes of contacts; default: as the problem is,\n"
         "of a step problem local"},
        {"--profile", 0, CLI_TEXT, &o->profile, "FOLDER",
         "instead of FILE: all solvers over all problems of a folder, and how they compare"},
        {"--plot", 0, CLI_TEXT, &o->plot, "FILE.svg", "of --profile: draw the performance profile"},
        {"--csv", 0, CLI_TEXT, &o->csv, "FILE", "of --profile: each problem by each solver"},
        {"--json", 0, CLI_FLAG, &o->json, NULL, "print one JSON object instead of tables"},
    };
    const cli_syntax syntax = {
        .command = "solve",
        .arguments = "FILE [options]",
        .argument = "FILE",
        .optional = true,
        .about =
            "Solve one step problem (docs/problem-file.md) and tell how well its law is met.\n"
            "Or a linear complementarity problem (docs/lcp-file.md): w = M z + q, lo <= z <= hi.\n"
            "Or a friction-contact problem of FCLIB or Siconos (docs/fc-file.md): u = W r + q.\n"
            "Where the file has a solution, it is compared with what is found.\n"
            "Exit code: 0 solved (as well as can be, where rigid rows contradict each other),\n"
            "1 the law did not converge or no z was found, 2 bad usage or input,\n"
            "130 or 143 interrupted.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples =
            "  dashpot solve scenes/problems/rod_on_two_feet.txt --rows\n"
            "  dashpot solve scenes/problems/rod_on_two_feet.txt --json | jq .certificate\n"
            "  dashpot solve scenes/problems/sliding_block_lcp.txt --set lcp.method=lemke --rows\n"
            "  dashpot solve scenes/problems/rod_on_two_feet.txt --write rod.dat\n"
            "  dashpot solve rod.dat --set fc.method=cone\n"
            "  dashpot solve --profile problems --plot profile.svg --csv profile.csv\n",
    };
    return cli_parse(&o->path, &syntax, argc, argv);
}

// The default, then what the file says, then the command line.
static bool choose(dp_law_options *law, const solve_options *o, const dp_problem_notes *notes)
{
    *law = dp_law_options_default();
    if (o->law ? !cli_choose_law(law, "--law", o->law)
               : notes->law && !cli_choose_law(law, o->path, notes->law)) {
        return false;
    }
    for (int i = 0; i < notes->noption; ++i) {
        if (!cli_set_law_option(law, o->path, notes->option[i].name, notes->option[i].value)) {
            return false;
        }
    }
    for (int i = 0; i < o->settings.count; ++i) {
        if (!cli_set_law(law, o->settings.item[i])) {
            return false;
        }
    }
    return true;
}

// Options that the law does not use.
static void note_idle(const dp_law_options *law)
{
    char text[200];
    for (int i = -1; (i = cli_idle_option(text, sizeof text, law, i + 1)) >= 0;) {
        cli_complain("note: no effect: %s", text);
    }
}

// By a direction of impulses that proves that no velocity meets all rows, or in which they grow.
static void tell_why_not(const cli_solved *s)
{
    const dp_step_problem *p = dp_problem_of(s->file);
    double *ray = calloc((size_t)p->nrow + 1, sizeof *ray);
    dp_ray_certificate c = {0};
    int rows = 0;
    if (ray && dp_law_ray(&c, ray, p, &s->law, NULL) == DP_OK) {
        for (int r = 0; r < p->nrow; ++r) {
            rows += ray[r] != 0.0;
        }
    }
    free(ray);
    if (s->info.outcome == DP_OUTCOME_INFEASIBLE) {
        cli_complain("%s: infeasible: no velocity meets all rows. Proof: impulses on %d rows that "
                     "have no effect (%.2g of what they have one by one) and gain %.3g J (expected "
                     "rows that do not contradict each other, or --set rigid.compliance above 0)",
                     s->path, rows, c.effect, c.gain);
        return;
    }
    cli_complain(
        "%s: weakly infeasible: no impulses solve the problem; the better they do, the "
        "larger they are, along impulses on %d rows that have no effect (%.2g of what they "
        "have one by one) (expected contacts that are not wedged, or --set "
        "rigid.compliance above 0)",
        s->path, rows, c.effect);
}

static int tell(const cli_solved *s, const solve_options *o)
{
    if (o->json) {
        cli_solved_json(s, o->rows);
    } else {
        cli_solved_table(s);
        if (o->rows) {
            cli_solved_rows(s);
        }
    }
    if (s->info.outcome == DP_OUTCOME_INFEASIBLE ||
        s->info.outcome == DP_OUTCOME_WEAKLY_INFEASIBLE) {
        tell_why_not(s);
        return CLI_FAILED;
    }
    return s->info.outcome == DP_OUTCOME_CONVERGED || s->info.outcome == DP_OUTCOME_CONTRADICTORY
               ? CLI_OK
               : CLI_FAILED;
}

static int solve(const solve_options *o, const dp_problem_file *file)
{
    const dp_step_problem *p = dp_problem_of(file);
    const dp_warm *warm = o->cold ? NULL : dp_problem_warm(file);
    const size_t nv = (size_t)p->nv, nrow = (size_t)p->nrow;
    cli_solved s = {.path = o->path, .file = file, .warm = warm && warm->nblock > 0};
    if (!choose(&s.law, o, dp_problem_notes_of(file))) {
        return CLI_USAGE;
    }
    note_idle(&s.law);
    double *numbers = calloc(2 * nv + nrow + 1, sizeof *numbers); // v, scratch, γ
    uint8_t *state = calloc(nrow + 1, sizeof *state);
    int code = CLI_FAILED;
    if (!numbers || !state) {
        cli_complain("out of memory");
        goto cleanup;
    }
    s.solution = (dp_step_solution){numbers, numbers + 2 * nv, state};
    if (dp_law_solve(&s.solution, p, warm, &s.law, NULL, &s.info) != DP_OK) {
        cli_complain("%s: %s", o->path, dp_last_error());
        goto cleanup;
    }
    if (dp_law_judge(&s.certificate, p, &s.solution, &s.law, &s.info, numbers + nv, NULL) !=
        DP_OK) {
        cli_complain("%s: %s", o->path, dp_last_error());
        goto cleanup;
    }
    code = tell(&s, o);
    if (o->write && !cli_export_step(p, o->path, o->write, o->form)) {
        code = CLI_FAILED;
    }

cleanup:
    free(numbers);
    free(state);
    return code;
}

static int solve_step(const solve_options *o, const char *text, size_t bytes)
{
    dp_problem_file *file = NULL;
    const dp_status status = text ? dp_problem_parse(&file, text, bytes, o->path, NULL)
                                  : dp_problem_load(&file, o->path, NULL); // it knows why not
    if (status != DP_OK) {
        cli_complain("%s", dp_last_error());
        return CLI_USAGE;
    }
    const int code = solve(o, file);
    dp_problem_destroy(file);
    return code;
}

// Options that only a step problem has.
static bool fits(const solve_options *o, const char *problem)
{
    if (o->law || o->cold) {
        cli_complain("%s: found a %s problem, which has no %s (expected a step "
                     "problem, or no %s)",
                     o->path, problem, o->law ? "law" : "impulses to start from",
                     o->law ? "--law" : "--cold");
    }
    return !o->law && !o->cold;
}

static int solve_lcp(const solve_options *o, const char *text, size_t bytes)
{
    if (!fits(o, "complementarity")) {
        return CLI_USAGE;
    }
    dp_lcp_file *file = NULL;
    const dp_status status = dp_lcp_is_text(text, bytes)
                                 ? dp_lcp_parse(&file, text, bytes, o->path, NULL)
                                 : dp_lcp_parse_siconos(&file, text, bytes, o->path, NULL);
    if (status != DP_OK) {
        cli_complain("%s", dp_last_error());
        return CLI_USAGE;
    }
    const cli_lcp_options options = {o->path, o->settings, o->rows, o->json};
    int code = cli_solve_lcp(file, &options);
    if (o->write && code != CLI_USAGE && !cli_export_lcp(file, o->write)) {
        code = CLI_FAILED;
    }
    dp_lcp_destroy(file);
    return code;
}

static int solve_fc(const solve_options *o)
{
    dp_fc_file *file = NULL;
    if (!fits(o, "friction-contact")) {
        return CLI_USAGE;
    }
    if (dp_fc_load(&file, o->path, NULL) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return CLI_USAGE;
    }
    const cli_fc_options options = {o->path, o->settings, o->write, o->form, o->rows, o->json};
    const int code = cli_solve_fc(file, &options);
    dp_fc_destroy(file);
    return code;
}

static int solve_folder(const solve_options *o)
{
    if (o->path || o->law || o->cold || o->rows || o->write || o->form) {
        cli_complain("--profile: found %s (expected --plot, --csv, --set or --json besides)",
                     o->path    ? "a file"
                     : o->law   ? "--law"
                     : o->cold  ? "--cold"
                     : o->rows  ? "--rows"
                     : o->write ? "--write"
                                : "--form");
        return CLI_USAGE;
    }
    const cli_profile_options options = {o->profile, o->plot, o->csv, o->settings, o->json};
    return cli_profile_folder(&options);
}

static bool begins_as_xml(const char *text)
{
    const char *mark = "\xEF\xBB\xBF"; // of UTF-8
    text += strncmp(text, mark, 3) == 0 ? 3 : 0;
    return text[strspn(text, " \t\r\n")] == '<';
}

static int solve_file(const solve_options *o)
{
    if (o->profile) {
        return solve_folder(o);
    }
    if (!o->path || o->plot || o->csv) {
        if (o->path) {
            cli_complain("--%s goes with --profile", o->plot ? "plot" : "csv");
        } else {
            cli_complain("no FILE given, and no --profile ('dashpot help solve' tells more)");
        }
        return CLI_USAGE;
    }
    if (o->form && strcmp(o->form, "local") != 0 && strcmp(o->form, "global") != 0) {
        cli_complain("--form '%s' is unknown (expected local or global)", o->form);
        return CLI_USAGE;
    }
    if (o->write && !cli_output_check("--write", o->write, (const char *const[]){o->path, NULL})) {
        return CLI_USAGE;
    }
    size_t bytes = 0;
    char *text;
    if (dp_file_read(&text, &bytes, o->path, NULL) != DP_OK) {
        text = NULL; // reported by whoever reads it
    }
    if (text && begins_as_xml(text)) {
        cli_complain("%s: found XML, as of a scene (expected a problem; 'dashpot run' simulates "
                     "scenes, and with --dump-problems it writes their problems)",
                     o->path);
        free(text);
        return CLI_USAGE;
    }
    const bool numbers = text && dp_fc_format_of(text, bytes) != DP_FC_FORMAT_NONE;
    const bool lcp =
        text && (dp_lcp_is_text(text, bytes) || (numbers && dp_lcp_is_siconos(text, bytes)));
    const int code = lcp       ? solve_lcp(o, text, bytes)
                     : numbers ? solve_fc(o)
                               : solve_step(o, text, bytes);
    free(text);
    return code;
}

int cli_solve(int argc, char **argv)
{
    solve_options o;
    int code = CLI_OK;
    switch (parse(&o, argc, argv)) {
    case CLI_PARSED:
        if (o.path) {
            cli_interrupt_at("while solving %s", o.path);
        }
        code = solve_file(&o);
        break;
    case CLI_PARSED_HELP:
        break;
    case CLI_PARSED_BADLY:
        code = CLI_USAGE;
        break;
    }
    free(o.settings.item);
    return code;
}
