// The table, the JSON object, the CSV file and the picture of `dashpot work`; orders of errors.
#include "work/work.h"

#include "common/json.h"
#include "common/program.h"
#include "common/table.h"
#include "common/text.h"
#include "common/whole_file.h"

#include <dashpot/record.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *reference_name(const cli_work_method *m)
{
    switch (m->to) {
    case CLI_WORK_ODE:
        return "ode";
    case CLI_WORK_OWN:
        return "own";
    case CLI_WORK_LAW:
        break;
    }
    return dp_law_name(m->to_law);
}

static const char *title_of(const cli_work_study *s)
{
    const char *title = dp_model_title(s->scene.model);
    return title[0] ? title : s->o->scene;
}

// --- orders -----------------------------------------------------------------------------------

// How errors of a method depend on the step at one slip speed, or on the slip speed at one step:
// the exponent, by least squares in logarithms.
typedef struct fitted {
    const cli_work_method *of;
    bool in_slip;
    double at; // the other one; 0: the scene's slip speed
    int points;
    double order_v, order_q; // NAN: there are not two errors
} fitted;

static double slope(const double *x, const double *y, int n)
{
    double mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < n; ++i) {
        mean_x += log(x[i]) / n;
        mean_y += log(y[i]) / n;
    }
    for (int i = 0; i < n; ++i) {
        xx += (log(x[i]) - mean_x) * (log(x[i]) - mean_x);
        xy += (log(x[i]) - mean_x) * (log(y[i]) - mean_y);
    }
    return xx > 0.0 ? xy / xx : NAN;
}

static fitted fit(const cli_work_study *s, int method, bool in_slip, double at)
{
    double x[CLI_WORK_VALUES] = {0}, v[CLI_WORK_VALUES] = {0}, q[CLI_WORK_VALUES] = {0};
    fitted f = {.of = &s->method[method], .in_slip = in_slip, .at = at};
    for (int i = 0; i < s->count; ++i) {
        const cli_work_row *r = &s->row[i];
        const bool belongs = r->index == method && r->step > 0.0 &&
                             (in_slip ? r->step : r->slip) == at && f.points < CLI_WORK_VALUES;
        if (belongs && r->error_v > 0.0 && r->error_q > 0.0) { // no NAN
            x[f.points] = in_slip ? r->slip : r->step;
            v[f.points] = r->error_v;
            q[f.points++] = r->error_q;
        }
    }
    f.order_v = f.points > 1 ? slope(x, v, f.points) : NAN;
    f.order_q = f.points > 1 ? slope(x, q, f.points) : NAN;
    return f;
}

// All that there are, one after the other: the n-th, from 0. False behind the last.
static bool next_order(fitted *out, const cli_work_study *s, int *n)
{
    const int of_steps = s->nstep > 1 ? s->nslip : 0, of_slips = s->nslip > 1 ? s->nstep : 0;
    while (*n < s->nmethod * (of_steps + of_slips)) {
        const int method = *n / (of_steps + of_slips), k = *n % (of_steps + of_slips);
        const bool in_slip = k >= of_steps;
        *out = fit(s, method, in_slip, in_slip ? s->step[k - of_steps] : s->slip[k]);
        ++*n;
        if (!isnan(out->order_v)) {
            return true;
        }
    }
    return false;
}

static void print_orders(const cli_work_study *s)
{
    fitted f;
    int n = 0;
    bool begun = false;
    cli_table table =
        cli_table_new(6, (const char *const[]){"law", "error as a power of", ">at", ">order of v",
                                               ">order of q", ">points"});
    while (next_order(&f, s, &n)) {
        begun = true;
        cli_cell(&table, "%s", f.of->name);
        cli_cell(&table, "%s", f.in_slip ? "the slip speed" : "the step");
        if (f.in_slip) {
            cli_cell(&table, "%s s", cli_short(4, f.at).text);
        } else {
            cli_cell(&table, "%s%s", f.at > 0.0 ? cli_short(4, f.at).text : "",
                     f.at > 0.0 ? " m/s" : "");
        }
        cli_cell(&table, "%s", cli_short(3, f.order_v).text);
        cli_cell(&table, "%s", cli_short(3, f.order_q).text);
        cli_cell(&table, "%d", f.points);
    }
    if (begun) {
        cli_print("\n");
        cli_table_print(&table);
    }
}

// --- the table and the JSON object --------------------------------------------------------------

static void print_failures(const cli_work_study *s)
{
    for (int i = 0; i < s->count; ++i) {
        const cli_work_row *r = &s->row[i];
        if (r->failure[0]) {
            cli_print_sentence(4, "  %s, %s %s: %s", r->of.name,
                               r->step > 0.0 ? "step" : "accuracy",
                               cli_short(4, fmax(r->step, r->accuracy)).text, r->failure);
        }
    }
}

static void print_reference(const cli_work_study *s)
{
    for (int i = 0; i < s->nmethod; ++i) {
        if (s->method[i].to == CLI_WORK_ODE) {
            cli_print_sentence(2, "  the reference ode is by %s, to a relative %s",
                               dp_integrator_name(CLI_WORK_REFERENCE_BY),
                               cli_short(3, CLI_WORK_REFERENCE_TOLERANCE).text);
            return;
        }
    }
}

void cli_work_print_table(const cli_work_study *s)
{
    cli_print("%s\n", title_of(s));
    cli_table table =
        cli_table_new(10, (const char *const[]){"law", ">step [s]", ">accuracy", ">slip [m/s]",
                                                ">error of v", ">error of q", ">CPU [s/s]",
                                                ">parts/s", ">evaluations/s", "reference"});
    for (int i = 0; i < s->count; ++i) {
        const cli_work_row *r = &s->row[i];
        cli_cell(&table, "%s", r->of.name);
        cli_cell(&table, "%s", r->step > 0.0 ? cli_short(4, r->step).text : "");
        cli_cell(&table, "%s", r->accuracy > 0.0 ? cli_short(4, r->accuracy).text : "");
        cli_cell(&table, "%s", r->slip > 0.0 ? cli_short(4, r->slip).text : "");
        cli_cell(&table, "%s", r->failure[0] ? "failed" : cli_short(3, r->error_v).text);
        cli_cell(&table, "%s", r->failure[0] ? "" : cli_short(3, r->error_q).text);
        cli_cell(&table, "%s", cli_short(3, r->seconds).text);
        cli_cell(&table, "%s", cli_short(4, r->steps).text);
        cli_cell(&table, "%s", cli_short(4, r->evaluations).text);
        cli_cell(&table, "%s", reference_name(&r->of));
    }
    cli_table_print(&table);
    print_orders(s);
    cli_print_sentence(
        2,
        "  errors are what a window of %s s adds, the root of the mean square over %d "
        "windows; v in m/s and rad/s, q in m and rad",
        cli_short(4, s->o->window).text, s->windows);
    print_reference(s);
    print_failures(s);
}

void cli_work_print_json(const cli_work_study *s)
{
    cli_json json = {0};
    cli_json_open(&json, NULL);
    cli_json_text(&json, "scene", s->o->scene);
    cli_json_number(&json, "window", s->o->window);
    cli_json_count(&json, "windows", s->windows);
    cli_json_array(&json, "rows");
    for (int i = 0; i < s->count; ++i) {
        const cli_work_row *r = &s->row[i];
        cli_json_open(&json, NULL);
        cli_json_text(&json, "law", r->of.name);
        cli_json_text(&json, "reference", reference_name(&r->of));
        cli_json_number(&json, "step", r->step > 0.0 ? r->step : NAN);
        cli_json_number(&json, "accuracy", r->accuracy > 0.0 ? r->accuracy : NAN);
        cli_json_number(&json, "slip_speed", r->slip > 0.0 ? r->slip : NAN);
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
    cli_json_array(&json, "orders");
    fitted f;
    for (int n = 0; next_order(&f, s, &n);) {
        cli_json_open(&json, NULL);
        cli_json_text(&json, "law", f.of->name);
        cli_json_text(&json, "in", f.in_slip ? "slip_speed" : "step");
        cli_json_number(&json, f.in_slip ? "step" : "slip_speed", f.at > 0.0 ? f.at : NAN);
        cli_json_number(&json, "order_v", f.order_v);
        cli_json_number(&json, "order_q", f.order_q);
        cli_json_count(&json, "points", f.points);
        cli_json_close(&json);
    }
    cli_json_end(&json);
    cli_json_close(&json);
}

// --- files ------------------------------------------------------------------------------------

bool cli_work_write_csv(const cli_work_study *s)
{
    cli_whole_file whole;
    if (!cli_whole_open(&whole, s->o->csv)) {
        return false;
    }
    FILE *file = whole.file;
    fputs("law,reference,step,accuracy,slip_speed,error_v,error_q,cpu,parts,evaluations,"
          "factorizations\n",
          file);
    for (int i = 0; i < s->count; ++i) {
        const cli_work_row *r = &s->row[i];
        fprintf(file, "%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", r->of.name,
                reference_name(&r->of), r->step, r->accuracy, r->slip, r->error_v, r->error_q,
                r->seconds, r->steps, r->evaluations, r->factorizations);
    }
    return cli_whole_close(&whole, true);
}

// Cost against error, and error against step: one curve for the steps of a method, one for its
// accuracies, at each slip speed.
typedef struct curve {
    double step[CLI_WORK_VALUES], error[CLI_WORK_VALUES], time[CLI_WORK_VALUES],
        work[CLI_WORK_VALUES];
    size_t count;
    char name[96];
} curve;

enum { PANELS = 3 };
typedef struct picture {
    curve *curve;
    dp_plot_series *series[PANELS];
    int ncurve, drawn, with_steps;
} picture;

static int slip_index(const cli_work_study *s, double slip)
{
    int k = 0;
    while (k + 1 < s->nslip && s->slip[k] != slip) {
        ++k;
    }
    return k;
}

static void name_curve(curve *c, const cli_work_row *r)
{
    const bool controlled = r->accuracy > 0.0 && !cli_work_steps_itself(&r->of);
    char slip[48] = "";
    if (r->slip > 0.0) {
        snprintf(slip, sizeof slip, ", %s m/s", cli_short(3, r->slip).text);
    }
    snprintf(c->name, sizeof c->name, "%s%s%s", r->of.name, controlled ? ", controlled" : "", slip);
}

static void fill(picture *p, const cli_work_study *s)
{
    for (int i = 0; i < s->count; ++i) {
        const cli_work_row *r = &s->row[i];
        curve *c =
            &p->curve[(2 * r->index + (r->accuracy > 0.0)) * s->nslip + slip_index(s, r->slip)];
        const size_t n = c->count++;
        c->step[n] = r->step > 0.0 ? r->step : NAN;
        c->error[n] = r->error_v;
        c->time[n] = r->failure[0] ? NAN : r->seconds;
        c->work[n] = r->failure[0] ? NAN : r->evaluations;
        name_curve(c, r);
    }
    for (int k = 0; k < p->ncurve; ++k) {
        const curve *c = &p->curve[k];
        if (c->count == 0) {
            continue;
        }
        const dp_plot_series series = {.name = c->name,
                                       .x = c->error,
                                       .y = c->time,
                                       .count = c->count,
                                       .style = DP_PLOT_STYLE_MARKED,
                                       .colour = p->drawn % 8 + 1};
        p->series[0][p->drawn] = p->series[1][p->drawn] = series;
        p->series[1][p->drawn++].y = c->work;
        if (!isnan(c->step[0])) {
            p->series[2][p->with_steps] = series;
            p->series[2][p->with_steps].x = c->step;
            p->series[2][p->with_steps++].y = c->error;
        }
    }
}

static bool write_picture(const picture *p, const cli_work_study *s)
{
    const dp_plot_axis error = {.name = "error of the velocity", .unit = "m/s", .log = true};
    const dp_plot_panel panel[PANELS] = {
        {"time",
         error,
         {.name = "CPU time per second", .unit = "s/s", .log = true},
         p->series[0],
         p->drawn},
        {"evaluations",
         error,
         {.name = "evaluations per second", .unit = "1/s", .log = true},
         p->series[1],
         p->drawn},
        {"error", {.name = "step", .unit = "s", .log = true}, error, p->series[2], p->with_steps}};
    const dp_plot plot = {title_of(s), panel, p->with_steps > 0 ? 3 : 2, p->with_steps > 0 ? 3 : 2};
    const dp_status status = dp_plot_write_svg(s->o->plot, &plot, NULL);
    if (status != DP_OK) {
        cli_complain("%s", dp_last_error());
    }
    return status == DP_OK;
}

bool cli_work_draw(const cli_work_study *s)
{
    picture p = {.ncurve = 2 * s->nmethod * s->nslip};
    p.curve = calloc((size_t)p.ncurve, sizeof *p.curve);
    bool fine = p.curve;
    for (int i = 0; i < PANELS; ++i) {
        p.series[i] = calloc((size_t)p.ncurve, sizeof *p.series[i]);
        fine = fine && p.series[i];
    }
    if (fine) {
        fill(&p, s);
        fine = write_picture(&p, s);
    } else {
        cli_complain("out of memory");
    }
    for (int i = 0; i < PANELS; ++i) {
        free(p.series[i]);
    }
    free(p.curve);
    return fine;
}
