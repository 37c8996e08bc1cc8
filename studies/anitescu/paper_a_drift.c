// [AnitescuPotraStewart1998], section 2.5: equality constraints drift, and what is done about it.
//
// A chain of rods in coordinates of their own, held by pins φ = 0. Rates alone, G v₁ = 0 as in
// (15), leave an error of order h² in each step, which adds up. The paper projects: it adds the
// smallest δq with ∇φ δq = −φ to the positions and leaves the velocities. [Berard2006] has the gap
// over the step in the problem, G v₁ = −φ/h. Dashpot's law meets φ(q₁) = 0, by gaps in the problem
// or by projection (`rigid.stabilisation`).
#include "berard/mixed_step.h"
#include "common/signals.h"

#include <dashpot/advanced/step.h>

#include <stdio.h>

enum { SCHEMES = 5, STEPS = 4 };
typedef enum scheme { RATES, PROJECTION, GAPS, LAW, LAW_PROJECTION } scheme;
static const char *const names[SCHEMES] = {"(15), rates alone", "(15) and projection",
                                           "gap over the step, φ/h", "law lcp, gaps",
                                           "law lcp, projection"};
static const double seconds = 2.0, told = 0.005;
static const double steps[STEPS] = {0.01, 0.005, 0.0025, 0.00125};

typedef struct chain {
    cli_scene scene;
    cli_mixed_run run;
} chain;

typedef struct result {
    double drift;  // [m] largest gap of a pin
    double energy; // [J] at the end, less that at the start
    double off;    // [J] its largest error
} result;

static bool read_chain(chain *o, cli_paper *p)
{
    *o = (chain){.run = {.p = p, .directions = 4}};
    if (!cli_paper_open(&o->scene, p, NAN)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    const dp_model_size *size = dp_model_sizes(m);
    bool fine = size->nequality > 0 && size->nq == size->nv &&
                dp_model_options(m)->solver.law == DP_LAW_LCP;
    for (int i = 0; i < size->nequality; ++i) {
        fine = fine && dp_model_equality(m, (dp_equality_id){i}).kind == DP_EQUALITY_CONNECT;
    }
    if (!fine) {
        return cli_paper_refuse(p, "bodies on slides and hinges that pins hold, without friction "
                                   "and dampers, and law lcp");
    }
    return cli_paper_works(p, cli_data_create(&o->run.data, m));
}

static void end(chain *o)
{
    dp_data *data = o->run.data;
    cli_mixed_run_end(&o->run);
    dp_data_destroy(data);
    cli_scene_destroy(&o->scene);
}

static double energy_of(const dp_data *d)
{
    const dp_energy e = dp_data_energy(d);
    return e.kinetic + e.gravity;
}

// The widest gap of a pin: rows of the present state.
static bool find_gap(double *out, chain *o)
{
    *out = 0.0;
    if (!cli_mixed_run_build(&o->run, CLI_WITH_GAPS)) {
        return false;
    }
    const int rows = dp_data_problem(o->run.data)->nrow;
    for (int i = 0; i < rows; ++i) {
        *out = fmax(*out, fabs(o->run.gap[i]));
    }
    return true;
}

static bool advance(chain *o, scheme s)
{
    if (s >= LAW) {
        dp_law_options *law = &dp_data_options(o->run.data)->solver;
        *law = dp_model_options(o->scene.model)->solver;
        law->rigid.stabilisation = s == LAW ? DP_STABILISATION_GAP : DP_STABILISATION_PROJECTION;
        return cli_paper_works(o->run.p, dp_step(o->run.data)) &&
               cli_paper_works(o->run.p, dp_kinematics(o->run.data));
    }
    return cli_mixed_run_step(&o->run, s == GAPS ? CLI_WITH_GAPS : CLI_WITHOUT_GAPS) &&
           (s != PROJECTION || cli_mixed_run_project(&o->run));
}

static bool follow(result *out, chain *o, scheme s, double h, cli_curve *drift, cli_curve *energy)
{
    cli_paper *p = o->run.p;
    dp_data_reset(o->run.data);
    dp_data_options(o->run.data)->step = h;
    if (!cli_paper_works(p, dp_kinematics(o->run.data))) {
        return false;
    }
    *out = (result){0};
    const double before = energy_of(o->run.data);
    const int count = (int)lround(seconds / h);
    for (int i = 1; i <= count; ++i) {
        double gap;
        if (!advance(o, s)) {
            return false;
        }
        out->energy = energy_of(o->run.data) - before;
        out->off = fmax(out->off, fabs(out->energy));
        if (!find_gap(&gap, o)) {
            return false;
        }
        out->drift = fmax(out->drift, gap);
        if (drift) {
            cli_curve_add(p, drift, i * h, gap);
            cli_curve_add(p, energy, i * h, out->energy);
        }
    }
    return true;
}

typedef struct curves {
    cli_curve *drift[SCHEMES], *energy[SCHEMES]; // against time
    cli_curve *drift_of_step[SCHEMES], *loss_of_step[SCHEMES];
} curves;

static bool tell_scheme(chain *o, scheme s, curves *c)
{
    cli_paper *p = o->run.p;
    const int count = p->quick ? 3 : STEPS;
    for (int i = 0; i < count; ++i) {
        result r;
        const bool shown = steps[i] == told;
        if (!follow(&r, o, s, steps[i], shown ? c->drift[s] : NULL, shown ? c->energy[s] : NULL)) {
            return false;
        }
        cli_curve_add(p, c->drift_of_step[s], steps[i], r.drift);
        cli_curve_add(p, c->loss_of_step[s], steps[i], r.off);
        if (shown) {
            cli_paper_tell(p, names[s], "largest gap of a pin, h = 5 ms", "m", NAN, r.drift, "%s",
                           s == RATES ? "the paper: it can increase until the constraint does not "
                                        "hold in any practical sense"
                           : s >= LAW ? "the tolerance of gaps, 1e-10 m"
                                      : "");
            cli_paper_tell(p, names[s], "energy after 2 s, less that before, h = 5 ms", "J", NAN,
                           r.energy, "0 of the true motion");
            cli_paper_tell(p, names[s], "largest error of the energy within 2 s, h = 5 ms", "J",
                           NAN, r.off, "%s", "");
        }
    }
    if (s < LAW) {
        const cli_curve *d = c->drift_of_step[s];
        cli_paper_tell(p, names[s], "order of the gap in h", "1", NAN,
                       log2(d->y[count - 2] / d->y[count - 1]), "%s", "");
    }
    const cli_curve *e = c->loss_of_step[s];
    cli_paper_tell(p, names[s], "order of the energy error in h", "1", NAN,
                   log2(e->y[count - 2] / e->y[count - 1]), "%s", "");
    return true;
}

static bool draw(cli_paper *p, const curves *c)
{
    dp_plot_series series[4][SCHEMES];
    for (int s = 0; s < SCHEMES; ++s) {
        const int colour = s + 1;
        series[0][s] = cli_curve_series(c->drift[s], names[s], DP_PLOT_STYLE_LINE, colour);
        series[1][s] = cli_curve_series(c->energy[s], names[s], DP_PLOT_STYLE_LINE, colour);
        series[2][s] =
            cli_curve_series(c->drift_of_step[s], names[s], DP_PLOT_STYLE_MARKED, colour);
        series[3][s] = cli_curve_series(c->loss_of_step[s], names[s], DP_PLOT_STYLE_MARKED, colour);
    }
    const dp_plot_axis time = {.name = "time", .unit = "s", .lo = 0.0, .hi = seconds};
    const dp_plot_axis step = {.name = "step h", .unit = "s", .log = true};
    const dp_plot_axis gap = {.name = "gap", .unit = "m", .log = true};
    const dp_plot_panel panel[] = {
        {"widest gap of a pin, h = 5 ms", time, gap, series[0], SCHEMES},
        {"energy, h = 5 ms", time, {.name = "energy", .unit = "J"}, series[1], SCHEMES},
        {"widest gap within 2 s", step, gap, series[2], SCHEMES},
        {"largest error of the energy within 2 s",
         step,
         {.name = "energy", .unit = "J", .log = true},
         series[3],
         SCHEMES},
    };
    const dp_plot plot = {"A chain of eight rods: drift and energy", panel, 4, 2};
    return cli_paper_draw(p, &plot);
}

bool cli_paper_drift(cli_paper *p)
{
    chain o;
    curves c;
    for (int s = 0; s < SCHEMES; ++s) {
        c.drift[s] = cli_paper_curve(p);
        c.energy[s] = cli_paper_curve(p);
        c.drift_of_step[s] = cli_paper_curve(p);
        c.loss_of_step[s] = cli_paper_curve(p);
    }
    bool fine = read_chain(&o, p);
    for (int s = 0; s < SCHEMES && fine; ++s) {
        fine = tell_scheme(&o, (scheme)s, &c);
    }
    fine = fine && draw(p, &c);
    end(&o);
    return fine;
}
