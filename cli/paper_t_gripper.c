// [CastroQuKuppuswamyAlspachSherman2020], section VI-A and Fig. 8: a gripper shakes a mug, which
// slips and sticks. Errors of velocities against the step, made dimensionless by the period and the
// amplitude; the reference is the same law with a much smaller step, as in the paper.
#include "paper.h"
#include "progress.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 6, MUG = 6, SAMPLES = 24 };
static const double period = 0.5, amplitude = 0.15; // of the scene [s, m]

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
        dp_model_joint(m, mug).kind != DP_FREE || dp_model_joint(m, lift).kind != DP_SLIDE) {
        return cli_paper_refuse(o->p, "a free joint 'mug', a slide 'lift' and a keyframe");
    }
    o->first_q = dp_model_joint(m, mug).q_index;
    o->first_v = dp_model_joint(m, mug).v_index;
    return cli_paper_works(o->p, dp_data_create(&o->data, m, NULL));
}

static bool start(gripper *o, dp_law_kind law, double h)
{
    dp_options *options = dp_data_options(o->data);
    if (!cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0}))) {
        return false;
    }
    options->law.law = law;
    options->step = h;
    return true;
}

// --- held -------------------------------------------------------------------------------------

// 5 s at h = 3 ms: does the mug stay, and what does that cost?
static bool tell_grip(gripper *o, cli_curve *way)
{
    const double h = 0.003, seconds = 5.0;
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
            if (!cli_paper_works(o->p, dp_step(o->scene.model, o->data))) {
                return false;
            }
            const dp_step_info *info = dp_data_step_info(o->data);
            const double slipped = q[o->first_q + 2] - q[0];
            iterations += info->iterations;
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
        if (!cli_paper_works(o->p, dp_step(o->scene.model, o->data))) {
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
    const dp_plot_series slip[] = {cli_curve_series(way, NULL, DP_PLOT_LINE, 1)};
    const dp_plot_series order[] = {
        cli_curve_series(curves[0][0], "tamsi, velocity", DP_PLOT_MARKED, 1),
        cli_curve_series(curves[0][1], "tamsi, angular", DP_PLOT_MARKED, 2),
        cli_curve_series(curves[1][0], "compliant, velocity", DP_PLOT_MARKED, 3),
        cli_curve_series(curves[1][1], "compliant, angular", DP_PLOT_MARKED, 4),
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
