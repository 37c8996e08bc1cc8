// [CastroQuKuppuswamyAlspachSherman2020], section VI-B: a hand of sixteen joints turns a mug to and
// fro. The hand is of our own making, and so is what it is commanded: examples/hand_turns_mug.h.
#include "common/progress.h"
#include "paper.h"

#include "../../examples/hand_turns_mug.h"
#include "common/signals.h"

#include <dashpot/advanced/law.h>

enum { RUNS = 4, SHOWN = 2 }; // periods of which the tips are drawn
static const double hand_step = 0.0007;

typedef struct grasp {
    cli_paper *p;
    cli_scene scene;
    dp_data *data;
    hand fingers;
    dp_geom_id tip[HAND_FINGERS];
    cli_curve *share[HAND_FINGERS]; // of the friction that a tip has, under `tamsi`
} grasp;

// What a run comes to.
typedef struct outcome {
    double side[2];  // [rad] furthest that the mug is turned, to the one side and to the other
    double furthest; // [m] that it goes from where it was
    double steps, iterations, evaluations, parts, unsolved, contacts;
    double seconds; // of the processor
} outcome;

typedef struct held_run {
    const char *name;
    dp_law_kind law;
    bool by_euler, plain; // implicit Euler; without transition-aware line search
    double periods;
    int turns; // the clock has the fastest of so many
    outcome found;
    cli_curve *angle;
} held_run;

static const char *const tip_name[] = {"index_tip", "middle_tip", "ring_tip", "thumb_tip"};

static bool find_tips(grasp *o)
{
    for (int i = 0; i < HAND_FINGERS; ++i) {
        if (dp_model_find_geom(&o->tip[i], o->scene.model, tip_name[i]) != DP_OK) {
            return false;
        }
    }
    return true;
}

static bool begin(grasp *o)
{
    if (!cli_paper_open(&o->scene, o->p, NAN)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    dp_joint_id mug;
    if (hand_find(&o->fingers, m) != DP_OK || !find_tips(o) ||
        dp_model_find_joint(&mug, m, "mug") != DP_OK ||
        dp_model_joint(m, mug).kind != DP_JOINT_FREE || dp_model_sizes(m)->nkey < 1) {
        return cli_paper_refuse(o->p, "servos 'index_turn', 'index_1' … 'thumb_3', geoms "
                                      "'index_tip' … 'thumb_tip', a free joint 'mug' and a "
                                      "keyframe");
    }
    return cli_paper_works(o->p, cli_data_create(&o->data, m));
}

static bool start(grasp *o, const held_run *r)
{
    dp_options *options = dp_data_options(o->data);
    options->solver.law = r->law;
    options->solver.user = r->plain ? dp_law_tamsi_variant(DP_TAMSI_VARIANT_PLAIN) : NULL;
    options->integrator = r->by_euler ? DP_INTEGRATOR_IMPLICIT_EULER : DP_INTEGRATOR_SEMI_IMPLICIT;
    options->step = hand_step;
    dp_data_set_control_callback(o->data, hand_tell, &o->fingers);
    return cli_paper_works(o->p, dp_data_reset_to_key(o->data, (dp_key_id){0}));
}

// Points that push at the mug.
static int count_contacts(const dp_data *d)
{
    int count = 0;
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        count += dp_data_contact(d, i).normal_force > 0.0;
    }
    return count;
}

static void note_shares(grasp *o, double t)
{
    for (int i = 0; i < dp_data_contact_count(o->data); ++i) {
        const dp_contact at = dp_data_contact(o->data, i);
        const double most = at.limit.mu[0] * at.normal_force;
        for (int k = 0; k < HAND_FINGERS && most > 0.0; ++k) {
            if (at.geom[0].index == o->tip[k].index || at.geom[1].index == o->tip[k].index) {
                cli_curve_add(o->p, o->share[k], t, hypot(at.friction[0], at.friction[1]) / most);
            }
        }
    }
}

static bool turn_mug(outcome *out, const held_run *r, grasp *o, bool first)
{
    *out = (outcome){.steps = round(r->periods * hand_period / hand_step)};
    if (!start(o, r)) {
        return false;
    }
    const dp_v3 from = hand_mug_place(&o->fingers, o->data);
    for (int i = 0; i < (int)out->steps; ++i) {
        const double before = cli_processor_clock();
        if (!cli_paper_works(o->p, dp_step(o->data))) {
            return false;
        }
        out->seconds += cli_processor_clock() - before;
        const dp_step_report *info = dp_data_report(o->data);
        const double angle = hand_mug_angle(&o->fingers, o->data);
        const dp_v3 at = hand_mug_place(&o->fingers, o->data);
        out->contacts += count_contacts(o->data);
        out->iterations += info->work.iterations;
        out->evaluations += info->work.evaluations;
        out->parts += info->work.substeps;
        out->unsolved += info->unsolved;
        out->side[0] = fmax(out->side[0], angle);
        out->side[1] = fmin(out->side[1], angle);
        out->furthest =
            fmax(out->furthest, hypot(hypot(at.x - from.x, at.y - from.y), at.z - from.z));
        if (first && i % 10 == 0) {
            const double t = (i + 1) * hand_step;
            cli_curve_add(o->p, r->angle, t, angle);
            if (r->law == DP_LAW_TAMSI && t < SHOWN * hand_period) {
                note_shares(o, t);
            }
        }
    }
    return true;
}

static bool run_turns(held_run *r, grasp *o)
{
    r->angle = cli_paper_curve(o->p);
    double least = INFINITY;
    for (int turn = 0; turn < r->turns; ++turn) {
        if (!turn_mug(&r->found, r, o, turn == 0)) {
            return false;
        }
        least = fmin(least, r->found.seconds);
    }
    r->found.seconds = least;
    return true;
}

static void tell(cli_paper *p, const held_run *r, const held_run *tamsi)
{
    const outcome *o = &r->found;
    cli_paper_tell(p, r->name, "periods", "1", NAN, r->periods, "of 1.5 s, h = 0.7 ms");
    cli_paper_tell(p, r->name, "furthest that the mug goes in the hand", "m", NAN, o->furthest,
                   "it is held by balls of 12 mm: it stays in the hand");
    cli_paper_tell(p, r->name, "turned to one side", "rad", NAN, o->side[0], "%s", "");
    cli_paper_tell(p, r->name, "turned to the other", "rad", NAN, o->side[1], "%s", "");
    if (!r->by_euler) { // which keeps no list of forces
        cli_paper_tell(p, r->name, "contact points that push", "1", NAN, o->contacts / o->steps,
                       "on average");
        cli_paper_tell(p, r->name, "steps that were not solved", "1", NAN, o->unsolved, "%s", "");
    }
    cli_paper_tell(p, r->name, "Newton iterations of a step", "1", NAN, o->iterations / o->steps,
                   "on average");
    cli_paper_tell(p, r->name, "parts of a step", "1", NAN, o->parts / o->steps,
                   "above 1: Newton's method failed, and the step was made in halves");
    cli_paper_tell(p, r->name, "evaluations of a step", "1", NAN, o->evaluations / o->steps,
                   "of the dynamics, contacts included: these do not depend on the machine");
    cli_paper_tell(p, r->name, "times real time", "1", r == tamsi ? 2.14 : NAN,
                   o->steps * hand_step / o->seconds,
                   "processor time, one thread; the paper's for 15 s of its own hand, on a "
                   "processor of 3.2 GHz of 2016");
    if (r->by_euler) {
        cli_paper_tell(p, r->name, "times the time of tamsi", "1", NAN,
                       o->seconds / o->steps / (tamsi->found.seconds / tamsi->found.steps),
                       "of a step. The paper has 7.8 for its fastest implicit Euler, with error "
                       "control to 0.01 m/s, and says that transition awareness does not help it");
    }
}

static bool draw(const grasp *o, const held_run *run)
{
    const dp_plot_series angle[] = {
        cli_curve_series(run[0].angle, "tamsi", DP_PLOT_STYLE_LINE, 1),
        cli_curve_series(run[1].angle, "compliant", DP_PLOT_STYLE_LINE, 2),
    };
    dp_plot_series share[HAND_FINGERS];
    for (int k = 0; k < HAND_FINGERS; ++k) {
        share[k] = cli_curve_series(o->share[k], tip_name[k], DP_PLOT_STYLE_LINE, k + 1);
    }
    const dp_plot_panel panel[] = {
        {"the mug", {.name = "time", .unit = "s"}, {.name = "turned", .unit = "rad"}, angle, 2},
        {"friction of the tips over what they have, tamsi",
         {.name = "time", .unit = "s"},
         {.name = "share", .unit = "1"},
         share,
         HAND_FINGERS},
    };
    const dp_plot plot = {"A hand turns a mug, h = 0.7 ms", panel, 2, 1};
    return cli_paper_draw(o->p, &plot);
}

bool cli_paper_hand(cli_paper *p)
{
    grasp o = {.p = p};
    const double periods = p->quick ? 2.0 : 10.0, of_euler = p->quick ? 0.25 : 1.0;
    const int turns = p->quick ? 1 : 3;
    held_run run[RUNS] = {
        {.name = "tamsi", .law = DP_LAW_TAMSI, .periods = periods, .turns = turns},
        {.name = "compliant", .law = DP_LAW_COMPLIANT, .periods = periods, .turns = turns},
        {.name = "implicit Euler, transition-aware",
         .law = DP_LAW_TAMSI,
         .by_euler = true,
         .periods = of_euler,
         .turns = 1},
        {.name = "implicit Euler, plain",
         .law = DP_LAW_TAMSI,
         .by_euler = true,
         .plain = true,
         .periods = of_euler,
         .turns = 1},
    };
    for (int k = 0; k < HAND_FINGERS; ++k) {
        o.share[k] = cli_paper_curve(p);
    }
    bool fine = begin(&o);
    for (int k = 0; k < RUNS && fine; ++k) {
        fine = run_turns(&run[k], &o);
    }
    for (int k = 0; k < RUNS && fine; ++k) {
        tell(p, &run[k], &run[0]);
    }
    fine = fine && draw(&o, run);
    dp_data_destroy(o.data);
    cli_scene_destroy(&o.scene);
    return fine;
}
