// `dashpot work`: what precision costs. Any scene by several methods, each with several steps or
// accuracies: cost against the error that a window of time adds
// [CastroQuKuppuswamyAlspachSherman2020, section IV].
//
// Errors are local: at the start of each window a reference starts from the state of the run that
// is judged, and at its end the two are compared. So a run that has drifted is not blamed for it.
#include "work/work.h"

#include "common/import_report.h"
#include "common/keyframe.h"
#include "common/outputs.h"
#include "common/program.h"
#include "common/progress.h"
#include "common/settings.h"
#include "common/signals.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 10000000 };

static cli_parsed parse(cli_work_options *o, int argc, char **argv)
{
    *o = (cli_work_options){.seconds = 1.0, .window = 0.025};
    const cli_option option[] = {
        {"--laws", 0, CLI_WORDS, &o->laws, "NAMES",
         "laws, separated by commas; rk45, implicit-euler and cvode are ode by\n"
         "that integrator, ode is by that of the scene, else by rk45\n"
         "(default: compliant,tamsi,implicit-euler,ode)"},
        {"--steps", 0, CLI_WORDS, &o->steps, "LIST",
         "lengths of steps [s], of which the window is a multiple, for all\n"
         "but rk45 and cvode (default: the window over 1, 2, 4, … 64)"},
        {"--accuracy", 0, CLI_WORDS, &o->accuracies, "LIST",
         "also with error control: to these accuracies, as for 'dashpot\n"
         "run'; of ode the tolerances (default: of ode alone, 1e-3, 1e-5\n"
         "and 1e-7)"},
        {"--slip-speeds", 0, CLI_WORDS, &o->slips, "LIST",
         "all of this with each friction.slip_speed [m/s] (default: the\n"
         "scene's)"},
        {"--window", 0, CLI_NUMBER, &o->window, "T", "[s] of an error (default 0.025)"},
        {"--seconds", 0, CLI_NUMBER, &o->seconds, "T", "to simulate (default 1)"},
        {"--reference", 0, CLI_TEXT, &o->reference, "R",
         "ode: the differential equation by rk45 to 1e-10; own: the\n"
         "same law with a sixteenth of its smallest step, or to 1e-10; a law:\n"
         "that with the same steps (default: ode for laws with regularised\n"
         "friction, own for others)"},
        {"--keyframe", 0, CLI_TEXT, &o->keyframe, "K", "start there"},
        {"--set", 0, CLI_LIST, &o->settings, "NAME=X", "as for 'dashpot run'; may be repeated"},
        CLI_ALLOW(&o->allow),
        {"--csv", 0, CLI_TEXT, &o->csv, "FILE", "write the table as CSV"},
        {"--plot", 0, CLI_TEXT, &o->plot, "FILE", "draw cost against error as SVG"},
        {"--json", 0, CLI_FLAG, &o->json, NULL, "print one JSON object instead of a table"},
    };
    const cli_syntax syntax = {
        .command = "work",
        .arguments = "SCENE [options]",
        .argument = "SCENE",
        .about =
            "What precision costs: a scene by several laws with several steps and accuracies,\n"
            "the time of the processor against the error that a window of time adds.\n"
            "Exit code: 0 done, 1 every run failed, 2 bad usage or input, 130 or 143 interrupted: "
            "rows\n"
            "that are complete are reported.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples = "  dashpot work scenes/paper/castro_box.xml --seconds 0.25 --plot work.svg\n"
                    "  dashpot work scenes/paper/castro_box.xml --laws tamsi --steps 5e-3,1e-3 "
                    "--seconds 0.1\n"
                    "  dashpot work scenes/paper/castro_box.xml --laws compliant --reference tamsi "
                    "--slip-speeds 1e-3,1e-4\n",
    };
    return cli_parse(&o->scene, &syntax, argc, argv);
}

static bool read_list(double *out, int *count, const cli_list *list, const char *option)
{
    *count = 0;
    for (int i = 0; i < list->count; ++i) {
        if (*count == CLI_WORK_VALUES) {
            cli_complain("%s: more than %d numbers", option, CLI_WORK_VALUES);
            return false;
        }
        double x;
        if (!cli_read_number(&x, list->item[i]) || !(x > 0.0)) {
            cli_complain("%s: found '%s' (expected numbers above 0)", option, list->item[i]);
            return false;
        }
        out[(*count)++] = x;
    }
    return true;
}

static bool choose_reference(cli_work_method *m, const char *name)
{
    if (strcmp(name, "ode") == 0 || strcmp(name, "own") == 0) {
        m->to = name[1] == 'd' ? CLI_WORK_ODE : CLI_WORK_OWN;
        return true;
    }
    if (dp_law_find(&m->to_law, name) != DP_OK) {
        cli_complain("--reference: found '%s' (expected ode, own or another law)", name);
        return false;
    }
    m->to = CLI_WORK_LAW;
    return true;
}

// A law, or an integrator without laws: "ode" is that of the scene, or rk45.
static bool name_method(cli_work_method *m, const cli_work_study *s, const char *name)
{
    dp_options options = *dp_data_options(s->data);
    const bool by_itself = dp_options_set(&options, "integrator", name) == DP_OK;
    if (by_itself ? !dp_options_is_ode(&options) : dp_options_set(&options, "law", name) != DP_OK) {
        cli_complain("--laws: found '%s' (expected compliant, lcp, ncp, vi, tamsi, ode, or "
                     "rk45, implicit-euler, cvode for ode by that integrator)",
                     name);
        return false;
    }
    const bool is_ode = dp_options_is_ode(&options);
    *m = (cli_work_method){.name = name,
                           .law = is_ode ? DP_LAW_COMPLIANT : options.solver.law,
                           .by = is_ode ? options.integrator : DP_INTEGRATOR_SEMI_IMPLICIT};
    if (is_ode) {
        m->name = m->by == DP_INTEGRATOR_RK45 ? "ode" : dp_integrator_name(m->by);
    }
    return true;
}

static bool choose_method(cli_work_study *s, const char *name)
{
    if (s->nmethod == CLI_WORK_METHODS) {
        cli_complain("--laws: more than %d", CLI_WORK_METHODS);
        return false;
    }
    cli_work_method *m = &s->method[s->nmethod];
    if (!name_method(m, s, name)) {
        return false;
    }
    for (int i = 0; i < s->nmethod; ++i) {
        if (strcmp(s->method[i].name, m->name) == 0) {
            return true; // implicit-euler and ode, where the scene has ode by that
        }
    }
    ++s->nmethod;
    m->to = dp_law_is_regularised(m->law) || m->by != DP_INTEGRATOR_SEMI_IMPLICIT ? CLI_WORK_ODE
                                                                                  : CLI_WORK_OWN;
    return !s->o->reference || choose_reference(m, s->o->reference);
}

static bool choose_methods(cli_work_study *s)
{
    static const char *const usual[] = {"compliant", "tamsi", "implicit-euler", "ode"};
    const cli_list *laws = &s->o->laws;
    const int count = laws->count > 0 ? laws->count : 4;
    for (int i = 0; i < count; ++i) {
        if (!choose_method(s, laws->count > 0 ? laws->item[i] : usual[i])) {
            return false;
        }
    }
    return true;
}

static bool check_window(const cli_work_study *s)
{
    const cli_work_options *o = s->o;
    const double windows = o->seconds / o->window;
    if (!(o->window > 0.0) || !(o->seconds > 0.0) || !(windows <= 1e6)) {
        cli_complain("--window %g, --seconds %g (expected numbers above 0, a million windows at "
                     "most)",
                     o->window, o->seconds);
        return false;
    }
    for (int i = 0; i < s->nstep; ++i) {
        const double count = o->window / s->step[i];
        if (!(fabs(count - round(count)) <= 1e-6 * count) || count < 0.5 || count > MOST_STEPS) {
            cli_complain("--steps: found %g (expected parts of the window, %g s)", s->step[i],
                         o->window);
            return false;
        }
    }
    return true;
}

static bool choose(cli_work_study *s)
{
    const cli_work_options *o = s->o;
    if (!read_list(s->step, &s->nstep, &o->steps, "--steps") ||
        !read_list(s->accuracy, &s->naccuracy, &o->accuracies, "--accuracy") ||
        !read_list(s->slip, &s->nslip, &o->slips, "--slip-speeds")) {
        return false;
    }
    s->nslip += s->nslip == 0; // 0: that of the scene
    for (int i = 0; s->nstep < 7 && o->steps.count == 0; ++i) {
        s->step[s->nstep++] = o->window / (double)(1 << i);
    }
    s->only_ode = s->naccuracy == 0;
    for (int i = 0; s->naccuracy < 3 && s->only_ode; ++i) {
        s->accuracy[s->naccuracy++] = (const double[]){1e-3, 1e-5, 1e-7}[i];
    }
    return check_window(s) && choose_methods(s);
}

// --- runs -------------------------------------------------------------------------------------

static void use(dp_options *options, const cli_work_method *m)
{
    options->solver.law = m->law;
    options->integrator = m->by;
    options->accuracy = 0.0;
    options->max_substeps = MOST_STEPS;
}

static void use_measured(dp_options *options, const cli_work_study *s, const cli_work_row *r)
{
    use(options, &r->of);
    if (r->slip > 0.0) {
        options->solver.friction.slip_speed = r->slip;
    }
    options->step = r->step > 0.0 ? r->step : s->o->window;
    if (r->accuracy > 0.0 && cli_work_steps_itself(&r->of)) {
        options->relative_tolerance = options->absolute_tolerance = r->accuracy;
    } else {
        options->accuracy = r->accuracy;
    }
}

static int steps_of(const cli_work_study *s, const cli_work_row *r)
{
    return r->step > 0.0 ? (int)lround(s->o->window / r->step) : 1;
}

// @return the steps in a window
static int use_reference(dp_options *options, const cli_work_study *s, const cli_work_row *r)
{
    if (r->of.to == CLI_WORK_LAW) { // all else stays
        options->solver.law = r->of.to_law;
        options->integrator = DP_INTEGRATOR_SEMI_IMPLICIT;
        return steps_of(s, r);
    }
    use(options, &r->of);
    if (r->of.to == CLI_WORK_OWN && !cli_work_steps_itself(&r->of)) {
        options->step = r->of.finest;
        return (int)lround(s->o->window / r->of.finest);
    }
    if (r->of.to == CLI_WORK_ODE) {
        options->solver.law = DP_LAW_COMPLIANT;
        options->integrator = CLI_WORK_REFERENCE_BY;
    }
    options->relative_tolerance = CLI_WORK_REFERENCE_TOLERANCE;
    options->absolute_tolerance = 0.01 * CLI_WORK_REFERENCE_TOLERANCE;
    options->step = s->o->window;
    return 1;
}

static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static dp_status steps(dp_data *d, int count, cli_work_row *r)
{
    for (int i = 0; i < count; ++i) {
        const dp_status status = cli_interrupted(NULL) ? DP_ERROR_INTERRUPTED : dp_step(d);
        if (status != DP_OK) {
            return status;
        }
        if (r) {
            const dp_step_report *info = dp_data_report(d);
            r->steps += info->work.substeps;
            r->evaluations += info->work.evaluations;
            r->factorizations += info->work.factorizations;
        }
    }
    return DP_OK;
}

static dp_status judge_window(cli_work_study *s, cli_work_row *r)
{
    const dp_model *m = s->scene.model;
    dp_status status = dp_data_copy(s->reference, s->data);
    if (status != DP_OK) {
        return status;
    }
    const int fine = use_reference(dp_data_options(s->reference), s, r);
    status = steps(s->reference, fine, NULL);
    if (status != DP_OK) {
        return status;
    }
    const int count = steps_of(s, r);
    const double before = cli_processor_clock();
    status = steps(s->data, count, r);
    r->seconds += cli_processor_clock() - before;
    const dp_model_size *n = dp_model_sizes(m);
    const double v = distance(dp_data_v(s->data), dp_data_v(s->reference), n->nv);
    const double q = distance(dp_data_q(s->data), dp_data_q(s->reference), n->nq);
    r->error_v += v * v;
    r->error_q += q * q;
    return status;
}

static bool start(cli_work_study *s)
{
    if (s->o->keyframe) {
        return cli_go_to_keyframe(s->scene.model, s->data, s->o->keyframe);
    }
    dp_data_reset(s->data);
    return true;
}

static bool measure(cli_work_study *s, cli_work_row *r)
{
    if (!start(s)) {
        return false;
    }
    use_measured(dp_data_options(s->data), s, r);
    for (int w = 0; w < s->windows; ++w) {
        if (judge_window(s, r) != DP_OK) {
            snprintf(r->failure, sizeof r->failure, "%s", dp_last_error());
            r->error_v = r->error_q = NAN;
            break;
        }
    }
    const double time = s->windows * s->o->window;
    r->error_v = sqrt(r->error_v / s->windows);
    r->error_q = sqrt(r->error_q / s->windows);
    r->seconds /= time;
    r->steps /= time;
    r->evaluations /= time;
    r->factorizations /= time;
    return true;
}

static void plan_method(cli_work_study *s, int index, double slip)
{
    const cli_work_method *m = &s->method[index];
    const bool steps_itself = cli_work_steps_itself(m);
    for (int k = 0; k < s->nstep && !steps_itself; ++k) {
        s->row[s->count++] =
            (cli_work_row){.of = *m, .index = index, .slip = slip, .step = s->step[k]};
    }
    for (int k = 0; k < s->naccuracy && (steps_itself || !s->only_ode); ++k) {
        s->row[s->count++] =
            (cli_work_row){.of = *m, .index = index, .slip = slip, .accuracy = s->accuracy[k]};
    }
}

static void plan(cli_work_study *s)
{
    double least = s->o->window;
    for (int i = 0; i < s->nstep; ++i) {
        least = fmin(least, s->step[i]);
    }
    for (int i = 0; i < s->nmethod; ++i) {
        s->method[i].finest = least / 16.0;
        for (int k = 0; k < s->nslip; ++k) {
            plan_method(s, i, s->slip[k]);
        }
    }
}

static bool run_all(cli_work_study *s)
{
    cli_progress progress = cli_progress_start(false);
    bool fine = true;
    const int planned = s->count;
    for (int i = 0; i < s->count && fine; ++i) {
        fine = measure(s, &s->row[i]);
        if (cli_interrupted(NULL)) {
            s->count = i; // those that are complete
            break;
        }
        cli_progress_show(&progress, (i + 1.0) / s->count, (i + 1.0) * s->o->seconds);
    }
    cli_progress_end(&progress);
    if (cli_interrupted(NULL)) {
        cli_complain("interrupted after %d of %d rows", s->count, planned);
    }
    return fine;
}

// --- the command ------------------------------------------------------------------------------

static bool all_failed(const cli_work_study *s)
{
    for (int i = 0; i < s->count; ++i) {
        if (!s->row[i].failure[0]) {
            return false;
        }
    }
    return s->count > 0;
}

static int load(cli_work_study *s)
{
    const cli_allow *allow = &s->o->allow;
    if (!cli_allow_check(allow, NULL, 0)) {
        return CLI_USAGE;
    }
    if (cli_scene_load(&s->scene, s->o->scene, allow) != DP_OK) {
        cli_complain_of_file(dp_last_error(), dp_last_feature());
        return CLI_USAGE;
    }
    if (!cli_allow_fits(allow, s->o->scene, s->scene.report)) {
        return CLI_USAGE;
    }
    cli_note_scene(&s->scene, allow);
    if (cli_data_create(&s->data, s->scene.model) != DP_OK ||
        cli_data_create(&s->reference, s->scene.model) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return CLI_FAILED;
    }
    const cli_twin twins[] = {{"law", "--laws", CLI_TWIN_INSTEAD}, // what work is about
                              {"integrator", "--laws", CLI_TWIN_INSTEAD},
                              {"step", "--steps", CLI_TWIN_INSTEAD},
                              {"accuracy", "--accuracy", CLI_TWIN_INSTEAD},
                              {"friction.slip_speed", "--slip-speeds", s->o->slips.count > 0},
                              {NULL, NULL, false}};
    return cli_set_all(dp_data_options(s->data), &s->o->settings, twins) && start(s) ? CLI_OK
                                                                                     : CLI_USAGE;
}

static int run(cli_work_study *s)
{
    const cli_outputs outputs = {.csv = s->o->csv, .plot = s->o->plot};
    if (!cli_outputs_check(&outputs, (const char *const[]){s->o->scene, NULL})) {
        return CLI_USAGE;
    }
    const int code = load(s);
    if (code != CLI_OK) {
        return code;
    }
    if (!choose(s)) {
        return CLI_USAGE;
    }
    s->windows = (int)fmax(1.0, round(s->o->seconds / s->o->window));
    s->row = calloc((size_t)(s->nmethod * s->nslip) * 2 * CLI_WORK_VALUES, sizeof *s->row);
    if (!s->row) {
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    plan(s);
    cli_interrupt_set(CLI_ENDS_SAVED);
    if (!run_all(s)) {
        return CLI_USAGE;
    }
    if (s->count == 0) {
        return CLI_FAILED;
    }
    if (s->o->json) {
        cli_work_print_json(s);
    } else {
        cli_work_print_table(s);
    }
    if ((s->o->csv && !cli_work_write_csv(s)) || (s->o->plot && !cli_work_draw(s))) {
        return CLI_LOST;
    }
    return all_failed(s) ? CLI_FAILED : CLI_OK;
}

int cli_work(int argc, char **argv)
{
    cli_work_options o;
    const cli_parsed parsed = parse(&o, argc, argv);
    int code = parsed == CLI_PARSED_HELP ? CLI_OK : CLI_USAGE;
    if (parsed == CLI_PARSED) {
        cli_work_study s = {.o = &o};
        code = run(&s);
        free(s.row);
        dp_data_destroy(s.data);
        dp_data_destroy(s.reference);
        cli_scene_destroy(&s.scene);
    }
    free(o.laws.item);
    free(o.steps.item);
    free(o.accuracies.item);
    free(o.slips.item);
    free(o.settings.item);
    cli_allow_free(&o.allow);
    return code;
}
