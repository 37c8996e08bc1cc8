// [CastroQuKuppuswamyAlspachSherman2020], section VI-C: an arm with a gripper fetches a bottle,
// shakes it and puts it down elsewhere. The paper shows a film; here is what can be measured. The
// controller is that of examples/control.
#include "../../examples/control/arm_control.h"
#include "common/progress.h"
#include "common/signals.h"
#include "common/text.h"
#include "paper.h"

#include <stdio.h>
#include <string.h>

// What is seen of one run.
typedef struct seen {
    dp_law_kind law;
    double step; // [s]
    int steps, unsolved;
    long iterations;
    double seconds;          // of the processor, in steps: the controller is not counted
    double slip, turn;       // [m, rad] of the bottle in the hand while it is shaken, at most
    bool lost;               // a finger does not touch it, while it is carried
    double off, off_turn;    // [m, rad] of the tool from where it is wanted, at most
    double joint_off, speed; // [rad, rad/s] of a joint from where it is wanted; of the fastest
    double effort;           // [1] of a motor over its range, at most
    double least, most;      // [N] that a finger feels while it shakes
    double acceleration;     // [m/s²] wanted of the tool while it shakes, at most
    double beside, lean;     // [m, rad] of the bottle from its place, from upright, in the end
    bool shaken, missed;
} seen;

// A run over time, for plots.
typedef struct arm_curves {
    cli_curve *bottle, *wanted, *slip, *off, *squeeze[ARM_FINGERS];
} arm_curves;

typedef struct arm_run {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    arm_control *arm;
    const arm_state *state; // of the arm
    dp_body_id bottle;
    dp_site_id place;
    dp_pose in_hand; // X_TB when the shaking began
} arm_run;

static bool begin(arm_run *o)
{
    if (!cli_paper_open(&o->scene, o->p, NAN)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    if (dp_model_sizes(m)->nkey < 1 || dp_model_find_body(&o->bottle, m, "bottle") != DP_OK ||
        dp_model_find_site(&o->place, m, "place") != DP_OK ||
        arm_control_create(&o->arm, m, arm_shakes_bottle, arm_nshakes_bottle) != DP_OK) {
        return cli_paper_refuse(o->p, "hinges joint_1 … joint_7 and slides left and right with "
                                      "motors, sites tool, pick, shake and place, a body 'bottle' "
                                      "and a keyframe");
    }
    o->state = arm_control_state(o->arm);
    return cli_paper_works(o->p, cli_data_create(&o->data, m));
}

static bool busy(const arm_run *o)
{
    return o->state->keyframe < arm_nshakes_bottle && !o->state->missed;
}

static bool doing(const arm_run *o, const char *name)
{
    return strcmp(arm_shakes_bottle[o->state->keyframe].name, name) == 0;
}

// How far are hand and joints from where they are wanted?
static void see_arm(seen *s, const arm_run *o, dp_pose tool)
{
    const dp_model *m = o->scene.model;
    s->off = fmax(s->off, arm_distance(o->state->tool, tool));
    s->off_turn = fmax(s->off_turn, arm_angle(o->state->tool, tool));
    for (int k = 0; k < ARM_JOINTS; ++k) {
        const dp_joint_info joint = dp_model_joint(m, arm_control_joint(o->arm, k));
        s->joint_off = fmax(s->joint_off, fabs(dp_data_q(o->data)[joint.q_index] - o->state->q[k]));
        s->speed = fmax(s->speed, fabs(dp_data_v(o->data)[joint.v_index]));
    }
    for (int k = 0; k < dp_model_sizes(m)->nu; ++k) {
        const dp_actuator_info motor = dp_model_actuator(m, (dp_actuator_id){k});
        s->effort = fmax(s->effort, fabs(dp_data_control(o->data)[k]) / motor.control_range[1]);
    }
}

// What does the bottle do in the hand?
static void see_bottle(seen *s, arm_run *o, dp_pose now)
{
    const double *squeeze = o->state->squeeze;
    const double least = fmin(squeeze[0], squeeze[1]);
    if (doing(o, "shake")) {
        o->in_hand = s->shaken ? o->in_hand : now;
        s->shaken = true;
        const dp_v3 a = o->state->acceleration;
        s->acceleration = fmax(s->acceleration, sqrt(a.x * a.x + a.y * a.y + a.z * a.z));
        s->slip = fmax(s->slip, arm_distance(o->in_hand, now));
        s->turn = fmax(s->turn, arm_angle(o->in_hand, now));
        s->least = fmin(s->least, least);
        s->most = fmax(s->most, fmax(squeeze[0], squeeze[1]));
    }
    if (doing(o, "lift") || doing(o, "carry") || doing(o, "shake") || doing(o, "bring")) {
        s->lost = s->lost || least <= 0.0;
    }
}

static void record(const arm_curves *c, const arm_run *o, dp_pose tool, dp_pose now)
{
    const double t = dp_data_time(o->data);
    const bool shakes = doing(o, "shake");
    cli_curve_add(o->p, c->bottle, t, dp_body_pose(o->data, o->bottle).p.z);
    cli_curve_add(o->p, c->wanted, t, o->state->tool.p.z);
    cli_curve_add(o->p, c->slip, t, shakes ? 1e3 * arm_distance(o->in_hand, now) : NAN);
    cli_curve_add(o->p, c->off, t, 1e3 * arm_distance(o->state->tool, tool));
    for (int k = 0; k < ARM_FINGERS; ++k) {
        cli_curve_add(o->p, c->squeeze[k], t, o->state->squeeze[k]);
    }
}

// One step of controller and scene.
static bool step(seen *s, arm_run *o)
{
    if (!cli_paper_works(o->p, arm_control_update(o->arm, o->data))) {
        return false;
    }
    const double before = cli_processor_clock();
    if (!cli_paper_works(o->p, dp_step(o->data))) {
        return false;
    }
    const dp_step_report *info = dp_data_report(o->data);
    s->seconds += cli_processor_clock() - before;
    s->steps++;
    s->iterations += info->work.iterations;
    s->unsolved += info->unsolved;
    return true;
}

// The whole task by one law. @param curves may be NULL
static bool act(seen *s, arm_run *o, dp_law_kind law, double h, const arm_curves *curves)
{
    *s = (seen){.law = law, .step = h, .least = INFINITY};
    dp_data_options(o->data)->solver.law = law;
    dp_data_options(o->data)->step = h;
    if (!cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0})) ||
        !cli_paper_works(o->p, arm_control_start(o->arm, o->data))) {
        return false;
    }
    while (busy(o)) {
        if (!step(s, o)) {
            return false;
        }
        if (busy(o)) {
            const dp_pose tool = arm_control_tool(o->arm, o->data);
            const dp_pose now = arm_relative(tool, dp_body_pose(o->data, o->bottle));
            see_arm(s, o, tool);
            see_bottle(s, o, now);
            if (curves) {
                record(curves, o, tool, now);
            }
        }
    }
    const dp_pose end = dp_body_pose(o->data, o->bottle), place = dp_site_pose(o->data, o->place);
    const double up = 1.0 - 2.0 * (end.q.x * end.q.x + end.q.y * end.q.y); // of its axis
    s->beside = hypot(end.p.x - place.p.x, end.p.y - place.p.y);
    s->lean = acos(fmax(-1.0, fmin(1.0, up)));
    s->missed = o->state->missed;
    return true;
}

// --- rows and plots -----------------------------------------------------------------------------

// Nowhere lost, and neither turned over nor pulled out: pads are 0.03 m by 0.04 m.
static bool held(const seen *s)
{
    return !s->lost && !s->missed && s->slip < 0.01 && s->turn < 0.2;
}

static const char *note_of_slip(const seen *s)
{
    if (dp_law_is_rigid(s->law)) {
        return "between rigid bodies the grip may come to act at one end of each pad alone, kept "
               "there by friction. About the line through these two points nothing holds the "
               "bottle";
    }
    return "falls as the step does, for both laws: in a step the bottle goes straight on, and the "
           "hand around its joints. What is left is the creep of tamsi, less than 1e-4 m/s";
}

static void tell(cli_paper *p, const seen *s)
{
    char of[48];
    snprintf(of, sizeof of, "%s, h = %s ms", dp_law_name(s->law), cli_short(2, 1e3 * s->step).text);
    cli_paper_tell(p, of, "held, grasp to ground", "1", dp_law_is_rigid(s->law) ? NAN : 1.0,
                   held(s) ? 1.0 : 0.0, "1: yes. The paper shows so, by its method, in a film");
    cli_paper_tell(p, of, "slip in the hand while shaken", "m", NAN, s->slip, "%s",
                   note_of_slip(s));
    cli_paper_tell(p, of, "turn in the hand while shaken", "rad", NAN, s->turn, "%s", "");
    cli_paper_tell(p, of, "bottle from its place in the end", "m", NAN, s->beside, "%s", "");
    cli_paper_tell(p, of, "bottle from upright in the end", "rad", NAN, s->lean, "%s", "");
    cli_paper_tell(p, of, "tool from where it is wanted", "m", NAN, s->off,
                   "at most: when the bottle leaves the ground and is not weighed yet");
    cli_paper_tell(p, of, "steps that were not solved", "1", NAN, s->unsolved, "%s", "");
    cli_paper_tell(p, of, "Newton iterations of a step", "1", NAN, (double)s->iterations / s->steps,
                   "on average");
    cli_paper_tell(p, of, "times real time", "1", NAN, s->steps * s->step / s->seconds,
                   "processor time of steps, one thread; the controller is not counted");
}

// What was asked of the machine.
static void tell_task(cli_paper *p, const seen *s)
{
    const char *of = "the task";
    cli_paper_tell(p, of, "acceleration of the tool while shaking", "m/s2", NAN, s->acceleration,
                   "at most, beside gravity");
    cli_paper_tell(p, of, "fastest joint", "rad/s", NAN, s->speed, "%s", "");
    cli_paper_tell(p, of, "joint from where it is wanted", "rad", NAN, s->joint_off, "%s", "");
    cli_paper_tell(p, of, "largest torque over its range", "1", NAN, s->effort, "%s", "");
    cli_paper_tell(p, of, "least a finger feels while shaking", "N", NAN, s->least,
                   "25 N are wanted; what is shaken along the fingers' way presses on them");
    cli_paper_tell(p, of, "most a finger feels while shaking", "N", NAN, s->most, "%s", "");
}

enum { DRAWN = 3 }; // runs

static bool draw(cli_paper *p, const arm_curves *c)
{
    const dp_plot_series height[] = {
        cli_curve_series(c[0].bottle, "bottle", DP_PLOT_STYLE_LINE, 1),
        cli_curve_series(c[0].wanted, "tool, wanted", DP_PLOT_STYLE_DASHED, 2),
    };
    const dp_plot_series force[] = {
        cli_curve_series(c[0].squeeze[0], "left", DP_PLOT_STYLE_LINE, 1),
        cli_curve_series(c[0].squeeze[1], "right", DP_PLOT_STYLE_LINE, 2),
    };
    const dp_plot_series slip[] = {
        cli_curve_series(c[0].slip, "tamsi, 3 ms", DP_PLOT_STYLE_LINE, 1),
        cli_curve_series(c[1].slip, "compliant, 3 ms", DP_PLOT_STYLE_DASHED, 2),
        cli_curve_series(c[2].slip, "tamsi, 1 ms", DP_PLOT_STYLE_LINE, 3),
    };
    const dp_plot_series off[] = {
        cli_curve_series(c[0].off, "tamsi, 3 ms", DP_PLOT_STYLE_LINE, 1),
        cli_curve_series(c[2].off, "tamsi, 1 ms", DP_PLOT_STYLE_DASHED, 3),
    };
    const dp_plot_axis time = {.name = "time", .unit = "s"};
    const dp_plot_panel panel[] = {
        {"height", time, {.name = "height", .unit = "m"}, height, 2},
        {"what the fingers feel", time, {.name = "force", .unit = "N"}, force, 2},
        {"the bottle in the hand, while shaken", time, {.name = "slip", .unit = "mm"}, slip, 3},
        {"the tool from where it is wanted", time, {.name = "distance", .unit = "mm"}, off, 2},
    };
    const dp_plot plot = {"An arm fetches a bottle, shakes it and puts it down", panel, 4, 2};
    return cli_paper_draw(p, &plot);
}

bool cli_paper_arm(cli_paper *p)
{
    const struct {
        dp_law_kind law;
        double h;
    } run[] = {
        {DP_LAW_TAMSI, 0.003},     {DP_LAW_COMPLIANT, 0.003}, {DP_LAW_TAMSI, 0.001},
        {DP_LAW_COMPLIANT, 0.001}, {DP_LAW_VI, 0.003},        {DP_LAW_LCP, 0.003},
        {DP_LAW_NCP, 0.003},
    };
    arm_run o = {.p = p};
    arm_curves curves[DRAWN];
    for (int k = 0; k < DRAWN; ++k) {
        curves[k] = (arm_curves){cli_paper_curve(p),
                                 cli_paper_curve(p),
                                 cli_paper_curve(p),
                                 cli_paper_curve(p),
                                 {cli_paper_curve(p), cli_paper_curve(p)}};
    }
    bool fine = begin(&o);
    for (int k = 0; k < (int)(sizeof run / sizeof run[0]) && fine; ++k) {
        seen s;
        fine = act(&s, &o, run[k].law, run[k].h, k < DRAWN ? &curves[k] : NULL);
        if (fine && k == 0) {
            tell_task(p, &s);
        }
        if (fine) {
            tell(p, &s);
        }
    }
    fine = fine && draw(p, curves);
    arm_control_destroy(o.arm);
    dp_data_destroy(o.data);
    cli_scene_destroy(&o.scene);
    return fine;
}
