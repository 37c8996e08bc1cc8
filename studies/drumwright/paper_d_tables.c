// [Drumwright2019], section 5.5: a cube on 100 or 900 springs, pressed by a load that goes round on
// its top. Table 1 has the times of methods for one second, Table 2 the errors at its end.
//
// Departures. The paper's errors of up to 0.8 cannot be those of the model that it states: the cube
// moves by 1e-5 m (E = 1e7) and 1e-9 m (E = 1e11).
#include "drumwright/paper_d_cube.h"

#include "common/progress.h"

#include <stdio.h>
#include <stdlib.h>

static const double seconds = 1.0;
static const double paper_step = 0.01; // [s] of the law, and the longest of the ODE methods

// What the paper prints of a case; NAN: nothing.
typedef struct printed {
    cli_cube_case of;
    double law_time, implicit_time, explicit_time; // [s] Table 1: ode15s, ode45
    double absolute, relative, absolute_fine;      // Table 2; fine: h = 1e-3
    // Springs open and close some ten thousand times: the motion is chaotic, and no tolerance
    // settles what rings in the end.
    bool sensitive;
} printed;

enum { CASES = 8 };
static const printed cases[CASES] = {
    {{10, 1e7, 5.0}, 0.331, 0.302, 28.0, 2.96e-5, 2.65e-5, NAN, false},
    {{10, 1e7, 50.0}, 0.332, 9.55, 15.5, 0.813, 0.724, 3.14e-3, false},
    {{10, 1e11, 5.0}, 0.286, 0.189, 27.4, 2.91e-7, 2.60e-7, NAN, false},
    {{10, 1e11, 50.0}, 0.396, 5550.0, 621.0, 0.814, 0.728, 9.22e-5, true},
    {{30, 1e7, 5.0}, 7.40, 4.75, 829.0, 1.98e-5, 1.77e-5, NAN, false},
    {{30, 1e7, 50.0}, 12.98, 27.3, 346.0, 1.0e-2, 8.87e-3, NAN, false},
    {{30, 1e11, 5.0}, 8.23, 1.10, 17100.0, 2.71e-9, 2.42e-9, NAN, false},
    {{30, 1e11, 50.0}, 26.00, 2.31, 17400.0, 1.0e-2, 8.95e-3, NAN, false},
};

// The first cases are those of 100 springs, and of these the first two those of E = 1e7.
static int count_of_cases(const cli_paper *p)
{
    return p->quick ? CASES / 2 : CASES;
}

static int count_of_timed(const cli_paper *p)
{
    return p->quick ? 2 : CASES;
}

typedef struct name {
    char text[64];
} name;

static name name_of(const cli_cube_case *c)
{
    name n;
    snprintf(n.text, sizeof n.text, "%d springs, E = %s, %g N", c->side * c->side,
             c->E > 1e9 ? "1e11" : "1e7", c->load);
    return n;
}

static int steps_of(double h)
{
    return (int)(seconds / h + 0.5);
}

static bool solve(cli_ode_result *out, cli_cube_run *o, cli_ode_method method, double tolerance)
{
    *out = cli_cube_solve(&o->cube, method, seconds, tolerance * o->depth, paper_step);
    return !out->failed || cli_paper_refuse(o->p, "loads that have a value all the time");
}

// --- Table 1 ----------------------------------------------------------------------------------

static const double timed_tolerance = 1e-3; // of the depth to which the weight presses the cube

typedef struct times {
    double law, published, is_explicit, implicit; // [s] for one second
    int iterations;                               // most of a step of the law
    int published_steps;                          // that were timed
    long explicit_steps, implicit_steps;
} times;

// The best of a few: what else the machine does only ever adds.
static bool time_law(times *out, cli_cube_run *o)
{
    out->law = INFINITY;
    for (int k = 0; k < 10; ++k) {
        const double before = cli_processor_clock();
        if (!cli_cube_advance(o, paper_step, steps_of(paper_step))) {
            return false;
        }
        out->law = fmin(out->law, cli_processor_clock() - before);
    }
    dp_data_reset(o->data);
    for (int i = 0; i < steps_of(paper_step); ++i) {
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
        const int iterations = dp_data_report(o->data)->work.iterations;
        out->iterations = iterations > out->iterations ? iterations : out->iterations;
    }
    return true;
}

static bool time_published(times *out, cli_cube_run *o)
{
    const bool many = o->cube.nx * o->cube.ny > 100;
    out->published_steps = many ? 3 : o->p->quick ? 10 : steps_of(paper_step);
    const double before = cli_processor_clock();
    if (!cli_cube_advance_printed(o, paper_step, out->published_steps)) {
        return false;
    }
    out->published = (cli_processor_clock() - before) * steps_of(paper_step) / out->published_steps;
    return true;
}

static bool time_ode(double *out, long *steps, cli_cube_run *o, cli_ode_method method)
{
    cli_ode_result r;
    const double before = cli_processor_clock();
    const bool fine = solve(&r, o, method, timed_tolerance);
    *out = cli_processor_clock() - before;
    *steps = r.steps;
    return fine;
}

static bool time_case(times *out, cli_paper *p, const printed *c)
{
    *out = (times){0};
    cli_cube_run o;
    const bool fine = cli_cube_begin(&o, p, &c->of) && time_law(out, &o) &&
                      time_published(out, &o) &&
                      time_ode(&out->is_explicit, &out->explicit_steps, &o, CLI_ODE_EXPLICIT) &&
                      time_ode(&out->implicit, &out->implicit_steps, &o, CLI_ODE_IMPLICIT);
    cli_cube_end(&o);
    return fine;
}

static void tell_times(cli_paper *p, const printed *c, const times *t)
{
    const name of = name_of(&c->of);
    cli_paper_tell(p, of.text, "time, law", "s", c->law_time, t->law,
                   "processor time for one second by steps of 1e-2 s, the least of ten runs; the "
                   "paper's times are those of its own machine");
    cli_paper_tell(p, of.text, "most iterations in a step, law", "1", NAN, t->iterations, "%s", "");
    cli_paper_tell(p, of.text, "speed-up of the law over the paper's", "1", NAN,
                   c->law_time / t->law, "%s", "");
    if (t->published_steps < steps_of(paper_step)) {
        cli_paper_tell(p, of.text, "time, published QP", "s", NAN, t->published,
                       "(83)–(85) as printed: %d steps were timed and scaled to 100",
                       t->published_steps);
    } else {
        cli_paper_tell(p, of.text, "time, published QP", "s", NAN, t->published,
                       "(83)–(85) as printed");
    }
    cli_paper_tell(p, of.text, "time, explicit ODE", "s", c->explicit_time, t->is_explicit,
                   "Dormand and Prince's pair 5(4), the paper: ode45. Errors of a step: %g of the "
                   "depth to which the weight presses the cube",
                   timed_tolerance);
    cli_paper_tell(p, of.text, "steps, explicit ODE", "1", NAN, (double)t->explicit_steps, "%s",
                   "");
    cli_paper_tell(
        p, of.text, "time, implicit ODE", "s", c->implicit_time, t->implicit,
        "Shampine's Rosenbrock pair 2(3), the paper: ode15s. Errors of a step: %g of the "
        "depth to which the weight presses the cube",
        timed_tolerance);
    cli_paper_tell(p, of.text, "steps, implicit ODE", "1", NAN, (double)t->implicit_steps, "%s",
                   "");
}

// Times against springs, for E and load of case `first`, which has 100 springs.
static void put_panel(cli_paper *p, dp_plot_panel *panel, dp_plot_series *series, const times *t,
                      int first, const char *title)
{
    static const char *const names[4] = {"law", "published QP", "explicit ODE", "implicit ODE"};
    cli_curve *curve[5];
    for (int k = 0; k < 5; ++k) {
        curve[k] = cli_paper_curve(p);
    }
    for (int i = first; i < count_of_timed(p); i += CASES / 2) {
        const double springs = cases[i].of.side * cases[i].of.side;
        cli_curve_add(p, curve[0], springs, t[i].law);
        cli_curve_add(p, curve[1], springs, t[i].published);
        cli_curve_add(p, curve[2], springs, t[i].is_explicit);
        cli_curve_add(p, curve[3], springs, t[i].implicit);
        cli_curve_add(p, curve[4], springs, cases[i].law_time);
    }
    for (int k = 0; k < 4; ++k) {
        series[k] = cli_curve_series(curve[k], names[k], DP_PLOT_STYLE_MARKED, k + 1);
    }
    series[4] = cli_curve_series(curve[4], "the paper's law", DP_PLOT_STYLE_DASHED, 5);
    *panel = (dp_plot_panel){title,
                             {.name = "springs", .log = true, .lo = 80.0, .hi = 1200.0},
                             {.name = "time for 1 s", .unit = "s", .log = true},
                             series,
                             5};
}

// The law on 100, 900 and 10 000 springs, E = 1e7, 50 N: the slope of log time over log springs.
static bool tell_growth(cli_paper *p, const times *t)
{
    const cli_cube_case large = {100, 1e7, 50.0};
    times found = {0};
    cli_cube_run o;
    const bool fine = cli_cube_begin(&o, p, &large) && time_law(&found, &o);
    cli_cube_end(&o);
    if (!fine) {
        return false;
    }
    const double x[3] = {log(100.0), log(900.0), log(10000.0)};
    const double y[3] = {log(t[1].law), log(t[1 + CASES / 2].law), log(found.law)};
    const double x_mean = (x[0] + x[1] + x[2]) / 3.0;
    double above = 0.0, below = 0.0;
    for (int i = 0; i < 3; ++i) {
        above += (x[i] - x_mean) * y[i];
        below += (x[i] - x_mean) * (x[i] - x_mean);
    }
    const name of = name_of(&large);
    cli_paper_tell(p, of.text, "time, law", "s", NAN, found.law, "not in the paper");
    cli_paper_tell(p, of.text, "most iterations in a step, law", "1", NAN, found.iterations, "%s",
                   "");
    cli_paper_tell(p, of.text, "exponent of the time in the springs", "1", NAN, above / below,
                   "100, 900 and 10 000 springs: 1 is linear");
    return true;
}

bool cli_paper_cube_times(cli_paper *p)
{
    times t[CASES];
    for (int i = 0; i < count_of_timed(p); ++i) {
        if (!time_case(&t[i], p, &cases[i])) {
            return false;
        }
        tell_times(p, &cases[i], &t[i]);
    }
    if (!p->quick && !tell_growth(p, t)) {
        return false;
    }
    static const char *const title[4] = {"E = 10⁷ Pa, 5 N", "E = 10⁷ Pa, 50 N", "E = 10¹¹ Pa, 5 N",
                                         "E = 10¹¹ Pa, 50 N"};
    dp_plot_panel panel[4];
    dp_plot_series series[4][5];
    const int panels = p->quick ? 2 : 4;
    for (int k = 0; k < panels; ++k) {
        put_panel(p, &panel[k], series[k], t, k, title[k]);
    }
    const dp_plot plot = {"A cube on springs: time for one second", panel, panels, 2};
    return cli_paper_draw(p, &plot);
}

// --- Table 2 ----------------------------------------------------------------------------------

enum { STEPS = 4 };
static const double law_step[STEPS] = {1e-2, 5e-3, 2.5e-3, 1e-3};

typedef struct errors {
    double law[STEPS], published[STEPS];
    bool has_published;
    double order;           // by successive differences of the law
    double size;            // of the reference, what relative errors refer to
    double tolerance;       // of it, [m, rad]
    double change;          // of it, for half the tolerance; NAN: not measured
    double against_ringing; // error for the first step, of sensitive cases
    double lost;            // digits that a disturbance of those grows by
} errors;

// The explicit method, with this tolerance and half of it.
static bool solve_twice(cli_cube_place *out, errors *e, cli_cube_run *o, double tolerance)
{
    cli_ode_result r[2];
    e->tolerance = tolerance * o->depth;
    if (!solve(&r[0], o, CLI_ODE_EXPLICIT, tolerance)) {
        return false;
    }
    *out = cli_cube_placed(o, r[0].y);
    if (o->p->quick) {
        return true;
    }
    if (!solve(&r[1], o, CLI_ODE_EXPLICIT, 0.5 * tolerance)) {
        return false;
    }
    const cli_cube_place half = cli_cube_placed(o, r[1].y);
    e->change = cli_cube_distance(out, &half);
    return true;
}

// Whether errors are those against rest: quickly, where the ODE takes long.
static bool is_at_rest(const cli_paper *p, const printed *c)
{
    return c->sensitive || (p->quick && c->of.E > 1e9);
}

// The reference; for sensitive cases rest under the last load, and what the ODE gives besides.
static bool find_reference(cli_cube_place *out, cli_cube_place *ringing, errors *e, cli_cube_run *o,
                           bool at_rest)
{
    e->change = NAN;
    if (!at_rest) {
        return solve_twice(out, e, o, o->p->quick ? 1e-6 : 1e-9);
    }
    double y[CLI_CUBE_STATES];
    if (!cli_cube_rest(y, &o->cube, seconds)) {
        return cli_paper_refuse(o->p, "loads under which the box comes to rest");
    }
    *out = cli_cube_placed(o, y);
    if (o->p->quick) {
        return true;
    }
    e->lost = cli_cube_growth(&o->cube, seconds, 1e-8 * o->depth);
    return solve_twice(ringing, e, o, 1e-6);
}

static bool find_errors(errors *out, cli_paper *p, const printed *c)
{
    *out = (errors){0};
    cli_cube_run o;
    cli_cube_place at, ringing = {{0.0}}, place[STEPS];
    bool fine =
        cli_cube_begin(&o, p, &c->of) && find_reference(&at, &ringing, out, &o, is_at_rest(p, c));
    for (int i = 0; i < STEPS && fine; ++i) {
        fine = cli_cube_advance(&o, law_step[i], steps_of(law_step[i]));
        if (fine) {
            place[i] = cli_cube_stepped(&o);
            out->law[i] = cli_cube_distance(&place[i], &at);
        }
    }
    if (fine) {
        const cli_cube_place none = {{0.0}};
        out->size = cli_cube_distance(&at, &none);
        out->against_ringing = cli_cube_distance(&place[0], &ringing);
        out->order =
            log2(cli_cube_distance(&place[0], &place[1]) / cli_cube_distance(&place[1], &place[2]));
    }
    out->has_published = c->of.side == 10 && c->of.E < 1e9 && c->of.load > 5.0;
    const int last = p->quick ? 2 : 3;
    for (int i = 0; i < STEPS && fine && out->has_published; ++i) {
        out->published[i] = NAN;
        if (i < last) {
            fine = cli_cube_advance_printed(&o, law_step[i], steps_of(law_step[i]));
            const cli_cube_place found = cli_cube_stepped(&o);
            out->published[i] = cli_cube_distance(&found, &at);
        }
    }
    cli_cube_end(&o);
    return fine;
}

static const char *note_of(const cli_paper *p, const printed *c)
{
    if (c->sensitive) {
        return "against rest under the last load, which the cube rings about: springs open and "
               "close ten thousand times, a disturbance grows by far more digits than numbers "
               "have, and no tolerance settles what rings in the end";
    }
    if (is_at_rest(p, c)) {
        return "against rest under the last load; against the ODE without --quick";
    }
    if (c->of.side == 10 && c->absolute < 1e-3) {
        return "position and quaternion, as in the paper. On 100 springs the cube still rings "
               "after "
               "1 s, by 2 to 5 % of its tilt; steps of this size damp that";
    }
    if (c->absolute > 1e-3) {
        return "position and quaternion, as in the paper, whose error is larger than what the "
               "stated model moves by";
    }
    return "position and quaternion, as in the paper";
}

// To the digits that the reference settles.
static double rounded(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.2e", x);
    return strtod(text, NULL);
}

static void tell_errors(cli_paper *p, const printed *c, const errors *e)
{
    static const char *const step_name[STEPS] = {"h = 1e-2", "h = 5e-3", "h = 2.5e-3", "h = 1e-3"};
    const name of = name_of(&c->of);
    const char *why = note_of(p, c);
    cli_paper_tell(p, of.text, "absolute error, h = 1e-2", "1", c->absolute, rounded(e->law[0]),
                   "%s", why);
    cli_paper_tell(p, of.text, "relative error, h = 1e-2", "1", c->relative,
                   rounded(e->law[0] / e->size), "%s", why);
    cli_paper_tell(p, of.text, "absolute error, h = 1e-3", "1", c->absolute_fine,
                   rounded(e->law[3]), "%s", why);
    cli_paper_tell(p, of.text, "order of the law in h", "1", 1.0, e->order,
                   "from what halving the step changes, h = 1e-2, 5e-3, 2.5e-3 s");
    if (c->of.side > 10) {
        cli_paper_tell(p, of.text, "order of the error in h", "1", 1.0,
                       log10(e->law[0] / e->law[3]), "h = 1e-2 to 1e-3 s");
    }
    if (!isnan(e->change)) {
        cli_paper_tell(p, of.text,
                       c->sensitive ? "ringing of the ODE, for two tolerances"
                                    : "error of the reference, for half its tolerance",
                       "1", NAN, rounded(e->change),
                       "Dormand and Prince's pair 5(4), errors of a step at most %g m, rad",
                       e->tolerance);
    }
    if (c->sensitive && !p->quick) {
        cli_paper_tell(p, of.text, "digits that a disturbance of the ODE grows by in one second",
                       "1", NAN, round(e->lost),
                       "two neighbours, 1e-8 of the depth apart, brought back to that every 50 "
                       "steps; double precision has 16 digits, quadruple 34");
        cli_paper_tell(p, of.text, "absolute error against the ringing ODE, h = 1e-2", "1", NAN,
                       rounded(e->against_ringing), "%s", why);
    }
    for (int i = 0; i < STEPS && e->has_published; ++i) {
        char quantity[96];
        snprintf(quantity, sizeof quantity, "absolute error, published QP, %s", step_name[i]);
        if (!isnan(e->published[i])) {
            cli_paper_tell(p, of.text, quantity, "1", i == 0 ? c->absolute : NAN,
                           rounded(e->published[i]),
                           "(83)–(85) as printed are not the law where springs share a body: the "
                           "error does not fall with h");
        }
    }
}

static void put_errors(cli_paper *p, dp_plot_series *series, const errors *e, int i)
{
    static const char *const names[4] = {"E = 10⁷ Pa, 5 N", "E = 10⁷ Pa, 50 N", "E = 10¹¹ Pa, 5 N",
                                         "E = 10¹¹ Pa, 50 N"};
    cli_curve *curve = cli_paper_curve(p);
    for (int k = 0; k < STEPS; ++k) {
        cli_curve_add(p, curve, law_step[k], e->law[k]);
    }
    *series = cli_curve_series(curve, names[i % 4], DP_PLOT_STYLE_MARKED, i % 4 + 1);
}

static bool draw_errors(cli_paper *p, const errors *e)
{
    dp_plot_series series[2][6];
    int count[2] = {0, 0};
    for (int i = 0; i < count_of_cases(p); ++i) {
        put_errors(p, &series[i / 4][count[i / 4]++], &e[i], i);
    }
    cli_curve *published = cli_paper_curve(p);
    for (int k = 0; k < STEPS; ++k) {
        cli_curve_add(p, published, law_step[k], e[1].published[k]);
    }
    series[0][count[0]++] =
        cli_curve_series(published, "published QP, 10⁷ Pa, 50 N", DP_PLOT_STYLE_DASHED, 5);
    dp_plot_panel panel[2];
    for (int k = 0; k < 2; ++k) {
        cli_curve *slope = cli_paper_curve(p);
        for (int i = 0; i < STEPS; ++i) {
            cli_curve_add(p, slope, law_step[i], 1e-5 * law_step[i]);
        }
        series[k][count[k]++] = cli_curve_series(slope, "∝ h", DP_PLOT_STYLE_REFERENCE, 0);
        panel[k] =
            (dp_plot_panel){k == 0 ? "100 springs" : "900 springs",
                            {.name = "step h", .unit = "s", .log = true, .lo = 8e-4, .hi = 1.25e-2},
                            {.name = "absolute error", .log = true},
                            series[k],
                            count[k]};
    }
    const int panels = p->quick ? 1 : 2;
    const dp_plot plot = {"A cube on springs: error after one second", panel, panels, panels};
    return cli_paper_draw(p, &plot);
}

bool cli_paper_cube_errors(cli_paper *p)
{
    errors e[CASES];
    for (int i = 0; i < count_of_cases(p); ++i) {
        if (!find_errors(&e[i], p, &cases[i])) {
            return false;
        }
        tell_errors(p, &cases[i], &e[i]);
    }
    return draw_errors(p, e);
}
