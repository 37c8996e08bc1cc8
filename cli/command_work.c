// `dashpot work`: what precision costs. Any scene by several methods, each with several steps or
// accuracies: cost against the error that a window of time adds
// [CastroQuKuppuswamyAlspachSherman2020, section IV].
//
// Errors are local: at the start of each window a reference starts from the state of the run that
// is judged, and at its end the two are compared. So a run that has drifted is not blamed for it.
#include "arguments.h"
#include "json.h"
#include "keyframe.h"
#include "law_settings.h"
#include "program.h"
#include "progress.h"
#include "scene.h"
#include "settings.h"
#include "table.h"
#include "text.h"

#include <dashpot/record.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METHODS = 8, MOST_VALUES = 32, MOST_STEPS = 10000000 };

typedef struct work_options {
    const char *scene, *keyframe, *csv, *plot, *reference;
    cli_list laws, steps, accuracies, settings;
    double seconds, window;
    bool json;
} work_options;

static cli_parsed parse(work_options *o, int argc, char **argv)
{
    *o = (work_options){.seconds = 1.0, .window = 0.025};
    const cli_option option[] = {
        {"--laws", 0, CLI_WORDS, &o->laws, "NAMES",
         "laws, separated by commas, and implicit-euler, which is the law\n"
         "ode by that method (default: compliant,tamsi,implicit-euler,ode)"},
        {"--steps", 0, CLI_WORDS, &o->steps, "LIST",
         "lengths of steps [s], of which the window is a multiple, for all\n"
         "but ode (default: the window over 1, 2, 4, … 64)"},
        {"--accuracy", 0, CLI_WORDS, &o->accuracies, "LIST",
         "also with error control: step doubling to these accuracies [m,\n"
         "rad] per window; of ode the tolerances (default: of ode alone,\n"
         "1e-3, 1e-5 and 1e-7)"},
        {"--window", 0, CLI_NUMBER, &o->window, "T", "[s] of an error (default 0.025)"},
        {"--seconds", 0, CLI_NUMBER, &o->seconds, "T", "to simulate (default 1)"},
        {"--reference", 0, CLI_TEXT, &o->reference, "R",
         "ode: the differential equation to 1e-10; own: the same law with\n"
         "a sixteenth of its smallest step (default: ode for laws with\n"
         "regularised friction, own for others)"},
        {"--keyframe", 0, CLI_TEXT, &o->keyframe, "K", "start there"},
        {"--set", 0, CLI_LIST, &o->settings, "NAME=X", "as for 'dashpot run'; may be repeated"},
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
            "Exit code: 0 done, 1 every run failed, 2 bad usage or input.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples = "  dashpot work scenes/paper/castro_box.xml --seconds 0.25 --plot work.svg\n"
                    "  dashpot work scenes/paper/castro_box.xml --laws tamsi --steps 5e-3,1e-3 "
                    "--seconds 0.1\n",
    };
    return cli_parse(&o->scene, &syntax, argc, argv);
}

// --- what is run ------------------------------------------------------------------------------

typedef struct method {
    const char *name;
    dp_law_kind law;
    bool euler;    // implicit, of the law ode
    bool to_ode;   // its reference is the differential equation
    double finest; // [s] step of its own reference
} method;

typedef struct measurement {
    method of;
    int index;             // of the method
    double step, accuracy; // one of them is 0
    double error_v, error_q;
    double seconds;                            // of the processor, per second that is simulated
    double steps, evaluations, factorizations; // per second that is simulated
    char failure[256];                         // "" for none
} measurement;

typedef struct study {
    const work_options *o;
    cli_scene scene;
    dp_data *data, *reference;
    method method[MOST_METHODS];
    int nmethod;
    double step[MOST_VALUES], accuracy[MOST_VALUES];
    int nstep, naccuracy;
    bool only_ode; // accuracies are those of ode alone
    int windows;
    measurement *row;
    int count;
} study;

static bool read_list(double *out, int *count, const cli_list *list, const char *option)
{
    *count = 0;
    for (int i = 0; i < list->count; ++i) {
        if (*count == MOST_VALUES) {
            cli_complain("%s: more than %d numbers", option, MOST_VALUES);
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

static bool choose_method(study *s, const char *name)
{
    if (s->nmethod == MOST_METHODS) {
        cli_complain("--laws: more than %d", MOST_METHODS);
        return false;
    }
    method *m = &s->method[s->nmethod++];
    *m = (method){.name = name, .euler = strcmp(name, "implicit-euler") == 0};
    dp_law_options law = dp_law_options_default();
    if (!cli_choose_law(&law, "--laws", m->euler ? "ode" : name)) {
        return false;
    }
    m->law = law.law;
    m->to_ode = dp_law_is_regularised(m->law) || m->law == DP_LAW_ODE;
    if (s->o->reference) {
        m->to_ode = strcmp(s->o->reference, "ode") == 0;
    }
    return true;
}

static bool choose_methods(study *s)
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

static bool check_window(const study *s)
{
    const work_options *o = s->o;
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

static bool choose(study *s)
{
    const work_options *o = s->o;
    if (o->reference && strcmp(o->reference, "ode") != 0 && strcmp(o->reference, "own") != 0) {
        cli_complain("--reference: found '%s' (expected ode or own)", o->reference);
        return false;
    }
    if (!read_list(s->step, &s->nstep, &o->steps, "--steps") ||
        !read_list(s->accuracy, &s->naccuracy, &o->accuracies, "--accuracy")) {
        return false;
    }
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

static bool apply(dp_options *options, const work_options *o)
{
    for (int i = 0; i < o->settings.count; ++i) {
        if (!cli_set(options, o->settings.item[i])) {
            return false;
        }
    }
    return true;
}

static void use(dp_options *options, const method *m)
{
    options->law.law = m->law;
    options->law.ode_integrator = m->euler ? DP_ODE_IMPLICIT_EULER : DP_ODE_RUNGE_KUTTA;
    options->integrator = DP_SEMI_IMPLICIT;
    options->accuracy = 0.0;
    options->max_substeps = MOST_STEPS;
}

static void use_measured(dp_options *options, const study *s, const measurement *r)
{
    use(options, &r->of);
    options->step = r->step > 0.0 ? r->step : s->o->window;
    if (r->accuracy > 0.0 && r->of.law == DP_LAW_ODE && !r->of.euler) {
        options->relative_tolerance = options->absolute_tolerance = r->accuracy;
    } else {
        options->accuracy = r->accuracy;
    }
}

// @return the steps in a window
static int use_reference(dp_options *options, const study *s, const method *m)
{
    use(options, m);
    if (m->to_ode) {
        options->law.law = DP_LAW_ODE;
        options->law.ode_integrator = DP_ODE_RUNGE_KUTTA;
        options->relative_tolerance = 1e-10;
        options->absolute_tolerance = 1e-12;
        options->step = s->o->window;
        return 1;
    }
    options->step = m->finest;
    return (int)lround(s->o->window / m->finest);
}

static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static dp_status steps(dp_data *d, const dp_model *m, int count, measurement *r)
{
    for (int i = 0; i < count; ++i) {
        const dp_status status = dp_step(m, d);
        if (status != DP_OK) {
            return status;
        }
        if (r) {
            const dp_step_info *info = dp_data_step_info(d);
            r->steps += info->substeps;
            r->evaluations += info->evaluations;
            r->factorizations += info->factorizations;
        }
    }
    return DP_OK;
}

static dp_status judge_window(study *s, measurement *r)
{
    const dp_model *m = s->scene.model;
    dp_status status = dp_data_copy(s->reference, s->data);
    if (status != DP_OK) {
        return status;
    }
    const int fine = use_reference(dp_data_options(s->reference), s, &r->of);
    status = steps(s->reference, m, fine, NULL);
    if (status != DP_OK) {
        return status;
    }
    const int count = r->step > 0.0 ? (int)lround(s->o->window / r->step) : 1;
    const double before = cli_processor_clock();
    status = steps(s->data, m, count, r);
    r->seconds += cli_processor_clock() - before;
    const dp_model_size *n = dp_model_sizes(m);
    const double v = distance(dp_data_v(s->data), dp_data_v(s->reference), n->nv);
    const double q = distance(dp_data_q(s->data), dp_data_q(s->reference), n->nq);
    r->error_v += v * v;
    r->error_q += q * q;
    return status;
}

static bool start(study *s)
{
    if (s->o->keyframe) {
        return cli_go_to_keyframe(s->scene.model, s->data, s->o->keyframe);
    }
    dp_data_reset(s->data);
    return true;
}

static bool measure(study *s, measurement *r)
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

static void plan(study *s)
{
    double least = s->o->window;
    for (int i = 0; i < s->nstep; ++i) {
        least = fmin(least, s->step[i]);
    }
    for (int i = 0; i < s->nmethod; ++i) {
        method *m = &s->method[i];
        const bool steps_itself = m->law == DP_LAW_ODE && !m->euler;
        m->finest = least / 16.0;
        for (int k = 0; k < s->nstep && !steps_itself; ++k) {
            s->row[s->count++] = (measurement){.of = *m, .index = i, .step = s->step[k]};
        }
        for (int k = 0; k < s->naccuracy && (steps_itself || !s->only_ode); ++k) {
            s->row[s->count++] = (measurement){.of = *m, .index = i, .accuracy = s->accuracy[k]};
        }
    }
}

static bool run_all(study *s)
{
    cli_progress progress = cli_progress_start(false);
    bool fine = true;
    for (int i = 0; i < s->count && fine; ++i) {
        fine = measure(s, &s->row[i]);
        cli_progress_show(&progress, (i + 1.0) / s->count, (i + 1.0) * s->o->seconds);
    }
    cli_progress_end(&progress);
    return fine;
}

// --- what comes out ---------------------------------------------------------------------------

static const char *reference_name(const method *m)
{
    return m->to_ode ? "ode" : "own";
}

static const char *title_of(const study *s)
{
    const char *title = dp_model_title(s->scene.model);
    return title[0] ? title : s->o->scene;
}

static void print_table(const study *s)
{
    printf("%s\n", title_of(s));
    cli_table table = cli_table_new(
        9, (const char *const[]){"law", ">step [s]", ">accuracy", ">error of v", ">error of q",
                                 ">CPU [s/s]", ">parts/s", ">evaluations/s", "reference"});
    for (int i = 0; i < s->count; ++i) {
        const measurement *r = &s->row[i];
        cli_cell(&table, "%s", r->of.name);
        cli_cell(&table, "%s", r->step > 0.0 ? cli_short(4, r->step).text : "");
        cli_cell(&table, "%s", r->accuracy > 0.0 ? cli_short(4, r->accuracy).text : "");
        cli_cell(&table, "%s", r->failure[0] ? "failed" : cli_short(3, r->error_v).text);
        cli_cell(&table, "%s", r->failure[0] ? "" : cli_short(3, r->error_q).text);
        cli_cell(&table, "%s", cli_short(3, r->seconds).text);
        cli_cell(&table, "%s", cli_short(4, r->steps).text);
        cli_cell(&table, "%s", cli_short(4, r->evaluations).text);
        cli_cell(&table, "%s", reference_name(&r->of));
    }
    cli_table_print(&table);
    cli_print_sentence(
        2,
        "  errors are what a window of %s s adds, the root of the mean square over %d "
        "windows; v in m/s and rad/s, q in m and rad",
        cli_short(4, s->o->window).text, s->windows);
    for (int i = 0; i < s->count; ++i) {
        const measurement *r = &s->row[i];
        if (r->failure[0]) {
            cli_print_sentence(4, "  %s, %s %s: %s", r->of.name,
                               r->step > 0.0 ? "step" : "accuracy",
                               cli_short(4, fmax(r->step, r->accuracy)).text, r->failure);
        }
    }
}

static void print_json(const study *s)
{
    cli_json json = {0};
    cli_json_open(&json, NULL);
    cli_json_text(&json, "scene", s->o->scene);
    cli_json_number(&json, "window", s->o->window);
    cli_json_count(&json, "windows", s->windows);
    cli_json_array(&json, "rows");
    for (int i = 0; i < s->count; ++i) {
        const measurement *r = &s->row[i];
        cli_json_open(&json, NULL);
        cli_json_text(&json, "law", r->of.name);
        cli_json_text(&json, "reference", reference_name(&r->of));
        cli_json_number(&json, "step", r->step > 0.0 ? r->step : NAN);
        cli_json_number(&json, "accuracy", r->accuracy > 0.0 ? r->accuracy : NAN);
        cli_json_number(&json, "error_v", r->error_v);
        cli_json_number(&json, "error_q", r->error_q);
        cli_json_number(&json, "cpu", r->seconds);
        cli_json_number(&json, "parts", r->steps);
        cli_json_number(&json, "evaluations", r->evaluations);
        cli_json_number(&json, "factorizations", r->factorizations);
        cli_json_text(&json, "failure", r->failure);
        cli_json_close(&json);
    }
    cli_json_end(&json);
    cli_json_close(&json);
}

static bool write_csv(const study *s)
{
    FILE *file = fopen(s->o->csv, "wb");
    if (!file) {
        cli_complain("%s: could not be written: %s", s->o->csv, strerror(errno));
        return false;
    }
    fputs("law,reference,step,accuracy,error_v,error_q,cpu,parts,evaluations,factorizations\n",
          file);
    for (int i = 0; i < s->count; ++i) {
        const measurement *r = &s->row[i];
        fprintf(file, "%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", r->of.name,
                reference_name(&r->of), r->step, r->accuracy, r->error_v, r->error_q, r->seconds,
                r->steps, r->evaluations, r->factorizations);
    }
    const bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad) {
        cli_complain("%s: could not be written: %s", s->o->csv, strerror(errno));
        return false;
    }
    return true;
}

// Cost against error: one curve for the steps of a method, one for its accuracies.
typedef struct picture {
    double x[2 * MOST_METHODS][MOST_VALUES], time[2 * MOST_METHODS][MOST_VALUES],
        work[2 * MOST_METHODS][MOST_VALUES];
    size_t count[2 * MOST_METHODS];
    char name[2 * MOST_METHODS][64];
} picture;

static void fill(picture *p, const study *s)
{
    for (int i = 0; i < s->count; ++i) {
        const measurement *r = &s->row[i];
        const int k = 2 * r->index + (r->accuracy > 0.0);
        const size_t n = p->count[k]++;
        p->x[k][n] = r->error_v;
        p->time[k][n] = r->failure[0] ? NAN : r->seconds;
        p->work[k][n] = r->failure[0] ? NAN : r->evaluations;
        snprintf(p->name[k], sizeof p->name[k], "%s%s", r->of.name,
                 r->accuracy > 0.0 && (r->of.law != DP_LAW_ODE || r->of.euler) ? ", error control"
                                                                               : "");
    }
}

static bool draw(const study *s)
{
    picture *p = calloc(1, sizeof *p);
    if (!p) {
        cli_complain("out of memory");
        return false;
    }
    fill(p, s);
    dp_plot_series series[2][2 * MOST_METHODS];
    int n = 0;
    for (int k = 0; k < 2 * s->nmethod; ++k) {
        if (p->count[k] > 0) {
            series[0][n] = series[1][n] = (dp_plot_series){.name = p->name[k],
                                                           .x = p->x[k],
                                                           .y = p->time[k],
                                                           .count = p->count[k],
                                                           .style = DP_PLOT_MARKED,
                                                           .colour = n % 8 + 1};
            series[1][n++].y = p->work[k];
        }
    }
    const dp_plot_axis error = {.name = "error of the velocity", .unit = "m/s", .log = true};
    const dp_plot_panel panel[] = {
        {"time", error, {.name = "CPU time per second", .unit = "s/s", .log = true}, series[0], n},
        {"evaluations",
         error,
         {.name = "evaluations per second", .unit = "1/s", .log = true},
         series[1],
         n}};
    const dp_plot plot = {title_of(s), panel, 2, 2};
    const dp_status status = dp_plot_write_svg(s->o->plot, &plot, NULL);
    if (status != DP_OK) {
        cli_complain("%s", dp_last_error());
    }
    free(p);
    return status == DP_OK;
}

// --- the command ------------------------------------------------------------------------------

static bool all_failed(const study *s)
{
    for (int i = 0; i < s->count; ++i) {
        if (!s->row[i].failure[0]) {
            return false;
        }
    }
    return s->count > 0;
}

static int load(study *s)
{
    const cli_allow allow = {0};
    if (cli_scene_load(&s->scene, s->o->scene, &allow) != DP_OK) {
        cli_complain_of_file(dp_last_error(), dp_last_feature());
        return CLI_USAGE;
    }
    if (dp_data_create(&s->data, s->scene.model, NULL) != DP_OK ||
        dp_data_create(&s->reference, s->scene.model, NULL) != DP_OK) {
        cli_complain("%s", dp_last_error());
        return CLI_FAILED;
    }
    return apply(dp_data_options(s->data), s->o) && start(s) ? CLI_OK : CLI_USAGE;
}

static int run(study *s)
{
    if (!choose(s)) {
        return CLI_USAGE;
    }
    const int code = load(s);
    if (code != CLI_OK) {
        return code;
    }
    s->windows = (int)fmax(1.0, round(s->o->seconds / s->o->window));
    s->row = calloc((size_t)s->nmethod * 2 * MOST_VALUES, sizeof *s->row);
    if (!s->row) {
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    plan(s);
    if (!run_all(s)) {
        return CLI_USAGE;
    }
    if (s->o->json) {
        print_json(s);
    } else {
        print_table(s);
    }
    if ((s->o->csv && !write_csv(s)) || (s->o->plot && !draw(s))) {
        return CLI_FAILED;
    }
    return all_failed(s) ? CLI_FAILED : CLI_OK;
}

int cli_work(int argc, char **argv)
{
    work_options o;
    const cli_parsed parsed = parse(&o, argc, argv);
    int code = parsed == CLI_PARSED_HELP ? CLI_OK : CLI_USAGE;
    if (parsed == CLI_PARSED) {
        study s = {.o = &o};
        code = run(&s);
        free(s.row);
        dp_data_destroy(s.data);
        dp_data_destroy(s.reference);
        cli_scene_destroy(&s.scene);
    }
    free(o.laws.item);
    free(o.steps.item);
    free(o.accuracies.item);
    free(o.settings.item);
    return code;
}
