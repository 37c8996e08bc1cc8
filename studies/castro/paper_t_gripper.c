// [CastroQuKuppuswamyAlspachSherman2020], section VI-A: a gripper shakes a mug, which slips and
// sticks. Fig. 7: simulated time against what it costs. Fig. 8: errors of velocities against the
// step, made dimensionless by the period and the amplitude; the reference is the same law with a
// much smaller step, as in the paper.
#include "common/progress.h"
#include "common/signals.h"
#include "common/text.h"
#include "paper.h"

#include <dashpot/advanced/law.h>
#include <dashpot/advanced/step.h>

#include <stdio.h>
#include <string.h>

enum { STEPS = 6, MUG = 6, SAMPLES = 24 };
static const double period = 0.5, amplitude = 0.15; // of the scene [s, m]
static const double grip_step = 0.003, grip_seconds = 5.0;

typedef struct gripper {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    int first_v, first_q; // of the mug
} gripper;

static bool begin(gripper *o)
{
    if (!cli_paper_open(&o->scene, o->p, NAN)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    dp_joint_id mug, lift;
    if (dp_model_find_joint(&mug, m, "mug") != DP_OK ||
        dp_model_find_joint(&lift, m, "lift") != DP_OK || dp_model_sizes(m)->nkey < 1 ||
        dp_model_joint(m, mug).kind != DP_JOINT_FREE ||
        dp_model_joint(m, lift).kind != DP_JOINT_SLIDE) {
        return cli_paper_refuse(o->p, "a free joint 'mug', a slide 'lift' and a keyframe");
    }
    o->first_q = dp_model_joint(m, mug).q_index;
    o->first_v = dp_model_joint(m, mug).v_index;
    return cli_paper_works(o->p, cli_data_create(&o->data, m));
}

static bool start(gripper *o, dp_law_kind law, double h)
{
    dp_options *options = dp_data_options(o->data);
    if (!cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0}))) {
        return false;
    }
    options->solver.law = law;
    options->step = h;
    return true;
}

// --- held -------------------------------------------------------------------------------------

// 5 s at h = 3 ms: does the mug stay, and what does that cost?
static bool tell_grip(gripper *o, cli_curve *way)
{
    const double h = grip_step, seconds = grip_seconds;
    const int steps = (int)(seconds / h + 0.5);
    const double *q = dp_data_q(o->data);
    double furthest = 0.0, least = INFINITY;
    long iterations = 0;
    int unsolved = 0;
    for (int turn = 0; turn < (o->p->quick ? 1 : 5); ++turn) {
        if (!start(o, DP_LAW_TAMSI, h)) {
            return false;
        }
        iterations = unsolved = 0;
        const double before = cli_processor_clock();
        for (int i = 0; i < steps; ++i) {
            if (!cli_paper_works(o->p, dp_step(o->data))) {
                return false;
            }
            const dp_step_report *info = dp_data_report(o->data);
            const double slipped = q[o->first_q + 2] - q[0];
            iterations += info->work.iterations;
            unsolved += info->unsolved;
            furthest = fmax(furthest, fabs(slipped));
            if (turn == 0) {
                cli_curve_add(o->p, way, (i + 1) * h, slipped);
            }
        }
        least = fmin(least, cli_processor_clock() - before);
    }
    cli_paper_tell(o->p, "5 s, h = 3 ms", "furthest that the mug slips in the grip", "m", NAN,
                   furthest, "it is 0.1 m high: it stays in the grip");
    cli_paper_tell(o->p, "5 s, h = 3 ms", "steps that were not solved", "1", NAN, unsolved, "%s",
                   "");
    cli_paper_tell(o->p, "5 s, h = 3 ms", "Newton iterations of a step", "1", NAN,
                   (double)iterations / steps, "on average");
    cli_paper_tell(o->p, "5 s, h = 3 ms", "times real time", "1", 40.0, seconds / least,
                   "processor time, one thread; the paper's on a processor of 3.2 GHz of 2016");
    return true;
}

// --- order ------------------------------------------------------------------------------------

// The velocities of the mug at SAMPLES times of the first period.
static bool sample(double v[SAMPLES][MUG], gripper *o, dp_law_kind law, int steps)
{
    if (!start(o, law, period / steps)) {
        return false;
    }
    for (int i = 0, next = 0; i < steps; ++i) {
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
        if ((i + 1) * SAMPLES >= (next + 1) * steps) {
            memcpy(v[next++], dp_data_v(o->data) + o->first_v, MUG * sizeof(double));
        }
    }
    return true;
}

// The root of the mean square of the differences of v[first] … v[first + 2].
static double distance(double a[SAMPLES][MUG], double b[SAMPLES][MUG], int first)
{
    double sum = 0.0;
    for (int i = 0; i < SAMPLES; ++i) {
        for (int k = first; k < first + 3; ++k) {
            sum += (a[i][k] - b[i][k]) * (a[i][k] - b[i][k]);
        }
    }
    return sqrt(sum / SAMPLES);
}

static bool tell_orders(gripper *o, dp_law_kind law, double reference[SAMPLES][MUG],
                        cli_curve *moves, cli_curve *turns)
{
    char of[32];
    snprintf(of, sizeof of, "law %s", dp_law_name(law));
    const int coarse = 240; // h = 2.1 ms
    double error[2][STEPS];
    for (int k = 0; k < STEPS; ++k) {
        double v[SAMPLES][MUG];
        const int steps = coarse << k;
        if (!sample(v, o, law, steps)) {
            return false;
        }
        error[0][k] = distance(v, reference, 0) * period / amplitude;
        error[1][k] = distance(v, reference, 3) * period;
        cli_curve_add(o->p, moves, period / steps, error[0][k]);
        cli_curve_add(o->p, turns, period / steps, error[1][k]);
    }
    const int last = STEPS - 1;
    cli_paper_tell(o->p, of, "order of the velocity", "1", 1.0,
                   0.5 * log2(error[0][last - 2] / error[0][last]),
                   law == DP_LAW_TAMSI
                       ? "between the last three steps; errors over the amplitude over the period"
                       : "from the same reference: with smaller steps the creep of that, 1e-4 m/s "
                         "at most, is left");
    cli_paper_tell(o->p, of, "order of the angular velocity", "1", 1.0,
                   0.5 * log2(error[1][last - 2] / error[1][last]), "errors over the period");
    cli_paper_tell(o->p, of, "smallest error of the velocity", "1", NAN, error[0][last], "h = %s s",
                   cli_short(2, period / (coarse << last)).text);
    return true;
}

static bool draw(cli_paper *p, cli_curve *way, cli_curve *curves[2][2])
{
    const dp_plot_series slip[] = {cli_curve_series(way, NULL, DP_PLOT_STYLE_LINE, 1)};
    const dp_plot_series order[] = {
        cli_curve_series(curves[0][0], "tamsi, velocity", DP_PLOT_STYLE_MARKED, 1),
        cli_curve_series(curves[0][1], "tamsi, angular", DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(curves[1][0], "compliant, velocity", DP_PLOT_STYLE_MARKED, 3),
        cli_curve_series(curves[1][1], "compliant, angular", DP_PLOT_STYLE_MARKED, 4),
    };
    const dp_plot_panel panel[] = {
        {"the mug in the grip, h = 3 ms",
         {.name = "time", .unit = "s"},
         {.name = "slipped", .unit = "m"},
         slip,
         1},
        {"errors within one period",
         {.name = "step h", .unit = "s", .log = true},
         {.name = "error", .unit = "1", .log = true},
         order,
         4},
    };
    const dp_plot plot = {"A gripper shakes a mug", panel, 2, 2};
    return cli_paper_draw(p, &plot);
}

bool cli_paper_gripper(cli_paper *p)
{
    gripper o = {.p = p};
    cli_curve *way = cli_paper_curve(p), *curves[2][2];
    for (int k = 0; k < 4; ++k) {
        curves[k / 2][k % 2] = cli_paper_curve(p);
    }
    const int finest = p->quick ? 240 << 9 : 240 << 12; // 4 µs, 0.5 µs
    double reference[SAMPLES][MUG];
    bool fine = begin(&o) && tell_grip(&o, way) && sample(reference, &o, DP_LAW_TAMSI, finest) &&
                tell_orders(&o, DP_LAW_TAMSI, reference, curves[0][0], curves[0][1]) &&
                tell_orders(&o, DP_LAW_COMPLIANT, reference, curves[1][0], curves[1][1]) &&
                draw(p, way, curves);
    dp_data_destroy(o.data);
    cli_scene_destroy(&o.scene);
    return fine;
}

// --- cost -------------------------------------------------------------------------------------

// A run of Fig. 7. The clock is read once in BLOCK steps: more often it would measure itself.
enum { RUNS = 3, BLOCK = 10, BLOCKS = 167 }; // 1670 steps, 5.01 s

typedef struct paced {
    const char *name;
    double paper; // its time over that of `tamsi`
    dp_law_kind law;
    bool by_euler, plain;       // implicit Euler; without transition-aware line search
    double seconds[BLOCKS];     // of the processor, the least of several turns
    double evaluations[BLOCKS]; // of the dynamics, up to here
    double furthest, parts, repeated, iterations, factorizations;
} paced;

// One turn of a run.
static bool pace(paced *r, gripper *o)
{
    const double *q = dp_data_q(o->data);
    double evaluations = 0.0;
    r->furthest = r->parts = r->repeated = r->iterations = r->factorizations = 0.0;
    dp_options *options = dp_data_options(o->data);
    options->solver.user = r->plain ? dp_law_tamsi_variant(DP_TAMSI_VARIANT_PLAIN) : NULL;
    options->integrator = r->by_euler ? DP_INTEGRATOR_IMPLICIT_EULER : DP_INTEGRATOR_SEMI_IMPLICIT;
    options->ode_stiffness = 1e5; // [N/m] of what shakes the gripper, which is rigid elsewhere
    dp_data_set_full_newton(o->data, true);
    if (!start(o, r->law, grip_step)) {
        return false;
    }
    for (int b = 0; b < BLOCKS; ++b) {
        const double before = cli_processor_clock();
        for (int i = 0; i < BLOCK; ++i) {
            if (!cli_paper_works(o->p, dp_step(o->data))) {
                return false;
            }
            const dp_step_report *info = dp_data_report(o->data);
            evaluations += info->work.evaluations;
            r->parts += info->work.substeps;
            r->repeated += info->work.rejected;
            r->iterations += info->work.iterations;
            r->factorizations += info->work.factorizations;
            r->furthest = fmax(r->furthest, fabs(q[o->first_q + 2] - q[0]));
        }
        r->seconds[b] = fmin(r->seconds[b], cli_processor_clock() - before);
        r->evaluations[b] = evaluations;
    }
    return true;
}

static double total(const paced *r)
{
    double sum = 0.0;
    for (int b = 0; b < BLOCKS; ++b) {
        sum += r->seconds[b];
    }
    return sum;
}

static void tell_pace(cli_paper *p, const paced *r, const paced *tamsi)
{
    const double steps = BLOCKS * BLOCK;
    if (r != tamsi) {
        cli_paper_tell(
            p, r->name, "times the time of tamsi", "1", r->paper, total(r) / total(tamsi), "%s",
            !r->plain ? "processor time, the least of several turns of every ten steps. Slopes "
                        "by differences, as in the paper; what an evaluation costs beside the "
                        "rest of a step differs from program to program"
                      : "the paper does not say when its Newton's method gives up. Here it does "
                        "as soon as its increments do not shrink: the step is made in halves "
                        "before much is spent on it");
    }
    cli_paper_tell(p, r->name, "times real time", "1", r->paper == 1.0 ? 40.0 : NAN,
                   steps * grip_step / total(r),
                   "processor time, one thread; the paper's on a processor of 3.2 GHz of 2016");
    cli_paper_tell(p, r->name, "evaluations of a step", "1", NAN,
                   r->evaluations[BLOCKS - 1] / steps,
                   "of the dynamics, contacts included: these do not depend on the machine");
    cli_paper_tell(p, r->name, "Newton iterations of a step", "1", NAN, r->iterations / steps, "%s",
                   "");
    cli_paper_tell(p, r->name, "matrices factored in a step", "1", NAN, r->factorizations / steps,
                   "%s", "");
    cli_paper_tell(p, r->name, "parts of a step", "1", NAN, r->parts / steps,
                   "above 1: Newton's method failed, and the step was made in halves");
    cli_paper_tell(p, r->name, "furthest that the mug slips in the grip", "m", NAN, r->furthest,
                   "%s", "");
}

static bool draw_paces(cli_paper *p, const paced *run)
{
    dp_plot_series series[2][RUNS];
    for (int k = 0; k < RUNS; ++k) {
        cli_curve *time = cli_paper_curve(p), *work = cli_paper_curve(p);
        cli_curve_add(p, time, 0.0, 0.0);
        cli_curve_add(p, work, 0.0, 0.0);
        double spent = 0.0;
        for (int b = 0; b < BLOCKS; ++b) {
            const double t = (b + 1) * BLOCK * grip_step;
            spent += run[k].seconds[b];
            cli_curve_add(p, time, 1e3 * spent, t);
            cli_curve_add(p, work, run[k].evaluations[b], t);
        }
        series[0][k] = cli_curve_series(time, run[k].name, DP_PLOT_STYLE_LINE, k + 1);
        series[1][k] = cli_curve_series(work, run[k].name, DP_PLOT_STYLE_LINE, k + 1);
    }
    const dp_plot_panel panel[] = {
        {"by the clock of the processor",
         {.name = "processor time", .unit = "ms"},
         {.name = "simulated time", .unit = "s"},
         series[0],
         RUNS},
        {"by evaluations of the dynamics",
         {.name = "evaluations", .unit = "1"},
         {.name = "simulated time", .unit = "s"},
         series[1],
         RUNS},
    };
    const dp_plot plot = {"What five seconds of the gripper cost, h = 3 ms", panel, 2, 2};
    return cli_paper_draw(p, &plot);
}

bool cli_paper_paces(cli_paper *p)
{
    gripper o = {.p = p};
    paced run[RUNS] = {
        {.name = "tamsi", .paper = 1.0, .law = DP_LAW_TAMSI},
        {.name = "implicit Euler, transition-aware",
         .paper = 25.0,
         .law = DP_LAW_TAMSI,
         .by_euler = true},
        {.name = "implicit Euler, plain",
         .paper = 55.0,
         .law = DP_LAW_TAMSI,
         .by_euler = true,
         .plain = true},
    };
    for (int k = 0; k < RUNS; ++k) {
        for (int b = 0; b < BLOCKS; ++b) {
            run[k].seconds[b] = INFINITY;
        }
    }
    bool fine = begin(&o);
    for (int turn = 0; turn < (p->quick ? 2 : 10) && fine; ++turn) {
        for (int k = 0; k < RUNS && fine; ++k) { // by turns: what else runs disturbs all alike
            fine = pace(&run[k], &o);
        }
    }
    for (int k = 0; k < RUNS && fine; ++k) {
        tell_pace(p, &run[k], &run[0]);
    }
    fine = fine && draw_paces(p, run);
    dp_data_destroy(o.data);
    cli_scene_destroy(&o.scene);
    return fine;
}
