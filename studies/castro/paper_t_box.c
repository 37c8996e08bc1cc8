// [CastroQuKuppuswamyAlspachSherman2020], Figs. 4 and 5: a box that is pushed to and fro slips and
// sticks, and implicit Euler's method needs Newton's, which misses where friction changes.
//
// The force is 4 cos 2πt: with a sine the box sticks first at 0.44 s, not at 0.160 s. What Newton's
// method does when it fails is not said, and the savings of Fig. 5 depend on it: both ways are
// told.
#include "common/signals.h"
#include "common/text.h"
#include "drumwright/box_euler.h"
#include "paper.h"

#include <dashpot/sim.h>

#include <stdio.h>

static const double PUSH = 4.0, OMEGA = 6.283185307179586; // [N, rad/s] as in the paper
static const double WINDOW = 0.025;                        // [s]

static bool take_box(cli_box *out, cli_paper *p)
{
    cli_scene scene;
    if (!cli_paper_open(&scene, p, NAN)) {
        cli_scene_destroy(&scene);
        return false;
    }
    const dp_model *m = scene.model;
    dp_geom_id floor, box;
    const bool found = dp_model_sizes(m)->nv == 1 &&
                       dp_model_find_geom(&floor, m, "floor") == DP_OK &&
                       dp_model_find_geom(&box, m, "box") == DP_OK;
    if (found) {
        const dp_geom_info of = dp_model_geom(m, box);
        const double mass = dp_model_body(m, of.body).inertial.mass;
        const double mu = fmax(of.friction[0], dp_model_geom(m, floor).friction[0]);
        *out = (cli_box){.mass = mass,
                         .grip = -mu * mass * dp_model_options(m)->gravity.z,
                         .v_s = dp_model_options(m)->solver.friction.slip_speed,
                         .push = PUSH,
                         .omega = OMEGA};
    }
    cli_scene_destroy(&scene);
    return found && out->grip > 0.0
               ? true
               : cli_paper_refuse(p, "a geom 'box' on one slide over a geom 'floor', with weight "
                                     "and friction");
}

// --- Fig. 4 -----------------------------------------------------------------------------------

typedef struct transition {
    double start, v; // of the step in which the box sticks first [s, m/s]
} transition;

// Steps of length h by the method that finds its way.
static transition find_transition(const cli_box *box, double h)
{
    cli_box_euler e = {.box = *box, .transition = true, .policy = CLI_NEWTON_PATIENT};
    double v = 0.0;
    for (int i = 0; i < 1000; ++i) {
        const double before = v;
        if (cli_box_euler_step(&v, &e, i * h, h, 1e-12, NULL) && fabs(before) > box->v_s &&
            fabs(v) <= box->v_s) {
            return (transition){i * h, before};
        }
    }
    return (transition){NAN, NAN};
}

typedef struct solution {
    cli_newton_history history;
    long iterations;
    bool solved;
} solution;

static solution solve_at(const cli_box *box, transition at, double h, bool aware)
{
    cli_box_euler e = {.box = *box, .transition = aware, .policy = CLI_NEWTON_PATIENT};
    solution out = {.solved = false};
    double v = at.v;
    out.solved = cli_box_euler_step(&v, &e, at.start, h, 1e-12, &out.history);
    out.iterations = e.iterations;
    return out;
}

// The number of iterations until one is back where it has been, to the bit; 0: none is.
static int period_of(const cli_newton_history *h)
{
    for (int k = h->count - 2; k >= 0; --k) {
        if (h->v[k] == h->v[h->count - 1]) {
            return h->count - 1 - k;
        }
    }
    return 0;
}

static cli_curve *residuals(cli_paper *p, const cli_newton_history *history, int most)
{
    cli_curve *curve = cli_paper_curve(p);
    for (int k = 0; k < history->count && k <= most; ++k) {
        cli_curve_add(p, curve, k, fmax(history->residual[k], 1e-17)); // zeros have a place, too
    }
    return curve;
}

// The same steps by implicit Euler on the scene, with contacts and all: the largest distance from
// the velocities of the one equation, until the box sticks.
static bool compare_scene(double *off, double *halvings, cli_paper *p, const cli_box *box,
                          transition at, double h)
{
    cli_scene scene;
    dp_data *d = NULL;
    bool fine =
        cli_paper_open(&scene, p, NAN) && cli_paper_works(p, cli_data_create(&d, scene.model));
    if (fine) {
        dp_options *o = dp_data_options(d);
        o->step = h;
        o->integrator = DP_INTEGRATOR_IMPLICIT_EULER;
    }
    cli_box_euler e = {.box = *box, .transition = true, .policy = CLI_NEWTON_PATIENT};
    double v = 0.0;
    *off = *halvings = 0.0;
    for (int i = 0; fine && i <= (int)lround(at.start / h); ++i) {
        fine = cli_paper_works(p, dp_step(d)) && cli_box_euler_step(&v, &e, i * h, h, 1e-12, NULL);
        *off = fmax(*off, fine ? fabs(dp_data_v(d)[0] - v) : 0.0);
        *halvings += fine ? dp_data_report(d)->work.rejected : 0.0;
    }
    dp_data_destroy(d);
    cli_scene_destroy(&scene);
    return fine;
}

bool cli_paper_transition(cli_paper *p)
{
    cli_box box = {0};
    if (!take_box(&box, p)) {
        return false;
    }
    const double h = 0.01;
    const transition at = find_transition(&box, h);
    const solution plain = solve_at(&box, at, h, false), aware = solve_at(&box, at, h, true);
    cli_paper_tell(p, "box", "start of the first step from slipping to sticking", "s", 0.160,
                   at.start, "force 4 cos(2πt) N, h = 10 ms, from rest");
    cli_paper_tell(p, "box", "its velocity there", "m/s", NAN, at.v, "%s", "");
    const char *of = "plain Newton";
    cli_paper_tell(p, of, "it converges (1: yes)", "1", 0.0, plain.solved, "50 iterations");
    cli_paper_tell(p, of, "length of the cycle of its iterates", "1", 2.0,
                   period_of(&plain.history), "equal to the bit; 0: none");
    cli_paper_tell(p, of, "residual after 50 iterations", "m/s", NAN,
                   plain.history.residual[plain.history.count - 1], "%s", "");
    of = "transition-aware";
    cli_paper_tell(p, of, "it converges (1: yes)", "1", 1.0, aware.solved, "%s", "");
    cli_paper_tell(p, of, "iterations", "1", NAN, (double)aware.iterations,
                   "one that is held back, one to the solution, one that finds nothing to do");
    cli_paper_tell(p, of, "residual after the second", "m/s", NAN, aware.history.residual[2],
                   "the residual is straight in the region of sticking");
    cli_paper_tell(p, of, "residual after the step that is held back, over that before", "1", NAN,
                   aware.history.residual[1] / aware.history.residual[0],
                   "it may rise: the search is not one of descent");
    double off, halvings;
    if (!compare_scene(&off, &halvings, p, &box, at, h)) {
        return false;
    }
    of = "law ode, implicit Euler";
    cli_paper_tell(p, of, "velocities up to there, from those of one equation", "m/s", 0.0, off,
                   "the scene with its contacts, by the library's own Newton method");
    cli_paper_tell(p, of, "steps that had to be halved", "1", 0.0, halvings, "%s", "");
    const dp_plot_series lines[] = {
        cli_curve_series(residuals(p, &plain.history, 12), "plain Newton", DP_PLOT_STYLE_MARKED, 1),
        cli_curve_series(residuals(p, &aware.history, 12), "transition-aware", DP_PLOT_STYLE_MARKED,
                         2)};
    const dp_plot_panel panel = {NULL,
                                 {.name = "iteration", .unit = "1"},
                                 {.name = "residual", .unit = "m/s", .log = true},
                                 lines,
                                 2};
    const dp_plot plot = {"The first step from slipping to sticking: Newton's residuals", &panel, 1,
                          1};
    return cli_paper_draw(p, &plot);
}

// --- Fig. 5 -----------------------------------------------------------------------------------

enum { POINTS = 14, VARIANTS = 4 };
static const char *const variant_names[VARIANTS] = {"full Newton", "full Newton, transition-aware",
                                                    "quasi-Newton",
                                                    "quasi-Newton, transition-aware"};

typedef struct study {
    cli_paper *p;
    cli_box box;
    int windows, points;
    double error[VARIANTS][POINTS], work[VARIANTS][POINTS]; // falling and rising
} study;

// @param h fixed; 0: by `accuracy`
static void measure(double *error, double *work, const study *s, cli_box_euler e, double h,
                    double accuracy)
{
    const double share = 1e-3 * s->box.push * s->box.omega / s->box.mass; // of h²: 1e-3 |v̈|
    const int steps = h > 0.0 ? (int)lround(WINDOW / h) : 0;
    double v = 0.0, sum = 0.0, next = 1e-3;
    for (int w = 0; w < s->windows; ++w) {
        const double t0 = w * WINDOW, t1 = (w + 1) * WINDOW, start = v;
        for (int i = 0; i < steps; ++i) {
            cli_box_euler_fixed(&v, &e, t0 + i * h, h, share);
        }
        if (steps == 0) {
            cli_box_euler_controlled(&v, &e, t0, t1, accuracy, &next);
        }
        const double off = v - cli_box_flow(&s->box, t0, t1, start);
        sum += off * off;
    }
    *error = sqrt(sum / s->windows);
    *work = (double)e.evaluations / (s->windows * WINDOW);
}

// The work of variant k at this error, between its points on logarithmic axes; NAN: beyond them.
static double work_at(const study *s, int k, double error)
{
    for (int i = 0; i + 1 < s->points; ++i) {
        const double a = s->error[k][i], b = s->error[k][i + 1];
        if (a >= error && error >= b && a > b) {
            const double share = log(a / error) / log(a / b);
            return exp((1.0 - share) * log(s->work[k][i]) + share * log(s->work[k][i + 1]));
        }
    }
    return NAN;
}

// How much work the search saves at best, at equal errors.
static double best_saving(const study *s, int plain)
{
    double best = 0.0;
    for (int i = 0; i < s->points; ++i) {
        const double ratio = s->work[plain][i] / work_at(s, plain + 1, s->error[plain][i]);
        best = ratio > best ? ratio : best;
    }
    return best;
}

// Of the error in the work, over the last points.
static double order(const study *s, int k)
{
    const int last = s->points - 1, first = last - 3;
    return log(s->error[k][first] / s->error[k][last]) / log(s->work[k][last] / s->work[k][first]);
}

static const char *policy_name(cli_newton_policy policy)
{
    return policy == CLI_NEWTON_STRICT ? "strict Newton" : "patient Newton";
}

static void run_study(study *s, cli_newton_policy policy, bool controlled)
{
    for (int k = 0; k < VARIANTS; ++k) {
        const cli_box_euler e = {
            .box = s->box, .quasi = k >= 2, .transition = k % 2 == 1, .policy = policy};
        for (int i = 0; i < s->points; ++i) {
            const double h = controlled ? 0.0 : WINDOW / (double)(1 << i);
            measure(&s->error[k][i], &s->work[k][i], s, e, h, 0.1 * pow(4.0, -i));
        }
    }
}

static void tell_study(const study *s, cli_newton_policy policy, bool controlled)
{
    char of[96];
    snprintf(of, sizeof of, "%s, %s", controlled ? "error control" : "fixed steps",
             policy_name(policy));
    static const double savings[2] = {10.0, 3.0};
    for (int i = 0; i < 2; ++i) {
        char quantity[96];
        snprintf(quantity, sizeof quantity, "best saving by transition awareness, %s",
                 variant_names[2 * i]);
        cli_paper_tell(s->p, of, quantity, "1", savings[i], best_saving(s, 2 * i),
                       "evaluations at equal error; the paper: \"up to\", without its policy. %s",
                       policy == CLI_NEWTON_STRICT
                           ? "Here Newton's method gives up when increments "
                             "grow or fall too slowly for ten of them"
                           : "Here it gives up after fifty increments");
    }
    for (int k = 0; k < VARIANTS && policy == CLI_NEWTON_STRICT; ++k) {
        char quantity[96];
        snprintf(quantity, sizeof quantity, "order, %s", variant_names[k]);
        cli_paper_tell(s->p, of, quantity, "1", 1.0, order(s, k),
                       "of the error in the evaluations, smallest errors");
    }
    if (!controlled) {
        for (int k = 0; k < VARIANTS; ++k) {
            char quantity[96];
            snprintf(quantity, sizeof quantity, "evaluations per step, h = 6.25 ms, %s",
                     variant_names[k]);
            cli_paper_tell(s->p, of, quantity, "1", NAN, s->work[k][2] * WINDOW / 4.0,
                           "error %s m/s", cli_short(2, s->error[k][2]).text);
        }
    }
}

// Kutta's third order with steps of 1e-7 s, the paper's reference, over the window of the first
// transition.
static double runge_kutta_end(const cli_box *box, double t, double v)
{
    const double h = 1e-7;
    for (int i = 0; i < 250000; ++i) {
        const double at = t + i * h, k1 = cli_box_rate(box, at, v);
        const double k2 = cli_box_rate(box, at + 0.5 * h, v + 0.5 * h * k1);
        const double k3 = cli_box_rate(box, at + h, v + h * (2.0 * k2 - k1));
        v += h * (k1 + 4.0 * k2 + k3) / 6.0;
    }
    return v;
}

static void tell_reference(const study *s)
{
    const double t0 = 0.15, v0 = cli_box_flow(&s->box, 0.0, t0, 0.0);
    const double exact = cli_box_flow(&s->box, t0, t0 + WINDOW, v0);
    cli_paper_tell(s->p, "reference", "closed forms less Runge–Kutta of order 3, h = 1e-7 s", "m/s",
                   0.0, fabs(exact - runge_kutta_end(&s->box, t0, v0)),
                   "over the window from 0.150 s, in which the box comes to stick");
}

bool cli_paper_work(cli_paper *p)
{
    study s = {.p = p, .windows = 200};
    if (!take_box(&s.box, p)) {
        return false;
    }
    tell_reference(&s);
    dp_plot_panel panel[4];
    dp_plot_series series[4][VARIANTS + 1];
    static const char *const titles[4] = {
        "fixed steps, strict Newton", "fixed steps, patient Newton", "error control, strict Newton",
        "error control, patient Newton"};
    for (int i = 0; i < 4; ++i) {
        const bool controlled = i >= 2;
        const cli_newton_policy policy = i % 2 ? CLI_NEWTON_PATIENT : CLI_NEWTON_STRICT;
        s.points = p->quick && policy == CLI_NEWTON_PATIENT ? 8 : POINTS;
        run_study(&s, policy, controlled);
        tell_study(&s, policy, controlled);
        for (int k = 0; k < VARIANTS; ++k) {
            cli_curve *curve = cli_paper_curve(p);
            for (int n = 0; n < s.points; ++n) {
                cli_curve_add(p, curve, s.error[k][n], s.work[k][n]);
            }
            series[i][k] = cli_curve_series(curve, variant_names[k], DP_PLOT_STYLE_MARKED, k + 1);
        }
        cli_curve *line = cli_paper_curve(p); // work ~ 1/error
        const double e1 = s.error[1][s.points - 1], w1 = s.work[1][s.points - 1];
        cli_curve_add(p, line, e1, 0.5 * w1);
        cli_curve_add(p, line, 1e3 * e1, 0.5e-3 * w1);
        series[i][VARIANTS] = cli_curve_series(line, "first order", DP_PLOT_STYLE_REFERENCE, 0);
        panel[i] = (dp_plot_panel){
            titles[i],
            {.name = "error of the velocity", .unit = "m/s", .log = true},
            {.name = "evaluations per simulated second", .unit = "1/s", .log = true},
            series[i],
            VARIANTS + 1};
    }
    const dp_plot plot = {"Implicit Euler on a box that slips and sticks: work against precision",
                          panel, 4, 2};
    return cli_paper_draw(p, &plot);
}
