// `dashpot run`: simulate a scene.
#include "run/run.h"
#include "run/run_notes.h"

#include "common/element_names.h"
#include "common/import_report.h"
#include "common/keyframe.h"
#include "common/law_settings.h"
#include "common/program.h"
#include "common/progress.h"
#include "common/settings.h"
#include "common/signals.h"
#include "common/text.h"
#include "report/conserved.h"
#include "report/warnings.h"

#include <dashpot/advanced/step.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// --- what was asked for -----------------------------------------------------------------------

static cli_parsed parse(cli_run_options *o, int argc, char **argv)
{
    *o = (cli_run_options){.step = NAN,
                           .seconds = NAN,
                           .tolerance = NAN,
                           .accuracy = NAN,
                           .sample = NAN,
                           .stiffness_scale = NAN,
                           .friction_scale = NAN,
                           .every = -1,
                           .threads = -1};
    const cli_option option[] = {
        {"--seconds", 0, CLI_NUMBER, &o->seconds, "T",
         "how long to simulate [s]; default 10, or to the last row of --control"},
        {"--step", 0, CLI_NUMBER, &o->step, "h", "time step [s]; default: the scene's"},
        {"--integrator", 0, CLI_TEXT, &o->integrator, "NAME",
         "semi-implicit, rk4 or rk45; default: the scene's"},
        {"--tolerance", 0, CLI_NUMBER, &o->tolerance, "x",
         "relative error per step of rk45 and cvode; the\n"
         "absolute one is x/100"},
        {"--accuracy", 0, CLI_NUMBER, &o->accuracy, "x",
         "make steps in parts such that the error of a second of motion is\n"
         "about x or less, in positions [m, rad] and velocities [m/s,\n"
         "rad/s]; default: steps as they are"},
        {"--law", 0, CLI_TEXT, &o->law, "NAME",
         "how contacts, loops, limits and drives are solved: compliant\n"
         "(springs), lcp (rigid, polyhedral friction), ncp (rigid,\n"
         "Coulomb's cone), vi (rigid, convex, impulses unique), tamsi\n"
         "(springs, regularised friction) or ode (the same as a\n"
         "differential equation); default: the scene's"},
        {"--stiffness-scale", 0, CLI_NUMBER, &o->stiffness_scale, "x",
         "multiply the stiffness of contacts and foundations by x, and\n"
         "their damping by its root; default 1"},
        {"--friction-scale", 0, CLI_NUMBER, &o->friction_scale, "x",
         "multiply the friction of contacts by x; default 1"},
        {"--keyframe", 0, CLI_TEXT, &o->keyframe, "NAME", "start from this keyframe of the scene"},
        {"--control", 0, CLI_TEXT, &o->control, "FILE",
         "CSV with the header time,ACTUATOR,…: controls over time,\n"
         "each held until the next row"},
        {"--interpolate", 0, CLI_FLAG, &o->interpolate, NULL,
         "draw straight lines between the rows of --control"},
        {"--csv", 0, CLI_TEXT, &o->outputs.csv, "FILE", "write the channels as text, 17 digits"},
        {"--npz", 0, CLI_TEXT, &o->outputs.npz, "FILE",
         "write the channels for numpy.load, one array each"},
        {"--plot", 0, CLI_TEXT, &o->outputs.plot, "FILE",
         "draw the channels over time as SVG, one panel per unit"},
        {"--pressure", 0, CLI_TEXT, &o->outputs.pressure, "FILE",
         "draw the pressures on elastic foundations at the end as SVG"},
        {"--html", 0, CLI_TEXT, &o->outputs.html, "FILE",
         "write a replay: one page with the moving scene, its contacts\n"
         "and plots, to be opened in any browser"},
        {"--channels", 0, CLI_TEXT, &o->channels, "LIST",
         "what to record: names separated by commas, with * and ?;\n"
         "default: all joint positions and velocities, and energies;\n"
         "'dashpot check --channels SCENE' lists them"},
        {"--every", 0, CLI_COUNT, &o->every, "N", "record every N-th step; default 1"},
        {"--sample", 0, CLI_NUMBER, &o->sample, "dt", "record every dt seconds instead"},
        {"--dump-problems", 0, CLI_TEXT, &o->dump, "DIR",
         "write every step problem with its solution to this folder, for\n"
         "'dashpot solve'; replaces those of an earlier run"},
        CLI_ALLOW(&o->allow),
        {"--set", 0, CLI_LIST, &o->set, "OPTION=VALUE",
         "change a setting; may be repeated: step, gravity=x,y,z,\n"
         "magnetic=x,y,z, fluid_density, fluid_viscosity, wind=x,y,z,\n"
         "integrator, relative_tolerance,\n"
         "absolute_tolerance, max_substeps, large_rotation, accuracy,\n"
         "gap_tolerance, correction_speed, max_passes, max_halvings, patch_points,\n"
         "law.tolerance,\n"
         "law.error_share, law.max_factorizations,\n"
         "lcp.directions, lcp.method, rigid.stabilisation, rigid.compliance,\n"
         "rigid.weights, vi.friction, vi.desaxce, impact.rule,\n"
         "impact.speed, friction.slip_speed, tamsi.slip_turn,\n"
         "ode.stiffness, sleep_speed,\n"
         "sleep_time, contact_stiffness_scale, contact_friction_scale,\n"
         "disable_gravity|contact|limits|equality|springs|dampers|\n"
         "actuation|clamp_control=true"},
        {"--threads", 0, CLI_COUNT, &o->threads, "N",
         "share the work among N threads; no result depends on it; default 1"},
        {"--certificate", 0, CLI_FLAG, &o->certificate, NULL,
         "also print rows, work and how well the law was met"},
        {"--profile", 0, CLI_FLAG, &o->profile, NULL, "also tell where the time of the steps went"},
        {"--json", 0, CLI_FLAG, &o->json, NULL, "print one JSON object instead of the table"},
        {"--report", 0, CLI_FLAG, &o->report, NULL,
         "also tell what became of each part of the file"},
        {"--quiet", 'q', CLI_FLAG, &o->quiet, NULL, "no table, no notes, no progress bar"},
    };
    const cli_syntax syntax = {
        .command = "run",
        .arguments = "SCENE [options]",
        .argument = "SCENE",
        .about =
            "Simulate a scene (an MJCF, URDF or SDF file) and tell how it went: steps, speed, how "
            "well\n"
            "loops and limits were met, where energy and momentum went.\n"
            "Ctrl-C and SIGTERM end it within a step, too; files hold what was recorded until "
            "then.\n"
            "Exit code: 0 done, 1 the run failed, 2 bad usage or input, 130 or 143 interrupted.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples =
            "  dashpot run scenes/pendulum.xml\n"
            "  dashpot run scenes/double_pendulum.xml --seconds 20 --plot out.svg --csv out.csv\n"
            "  dashpot run scenes/spinning_top.xml --keyframe spinning --integrator rk45\n"
            "  dashpot run scenes/cart_pole.xml --control push.csv --csv out.csv --channels "
            "'joint.*.q,energy.*'\n"
            "  dashpot run scenes/four_bar.xml --keyframe turning --plot out.svg --channels "
            "'equality.*.force.*,cert.drift'\n"
            "  dashpot run scenes/slider_crank.xml --keyframe turning --step 0.01 --accuracy 1e-4\n"
            "  dashpot run scenes/four_bar.xml --seconds 0.1 --dump-problems problems\n"
            "  dashpot run scenes/cube_on_foundation.xml --seconds 1 --pressure pressure.svg\n"
            "  dashpot run scenes/humanoid.xml --json | jq .energy\n"
            "  dashpot run scenes/pendulum.xml --set gravity=0,0,-1.62\n",
    };
    return cli_parse(&o->scene, &syntax, argc, argv);
}

// --- a run --------------------------------------------------------------------------------------

static bool positive(const char *option, double x)
{
    if (x <= 0.0) { // NaN: not given
        cli_complain("%s must be above 0 (found %g)", option, x);
        return false;
    }
    return true;
}

static bool check_options(const cli_run_options *o)
{
    if (!positive("--step", o->step) || !positive("--tolerance", o->tolerance) ||
        !positive("--accuracy", o->accuracy) || !positive("--sample", o->sample)) {
        return false;
    }
    if (!positive("--stiffness-scale", o->stiffness_scale)) {
        return false;
    }
    if (o->friction_scale < 0.0) {
        cli_complain("--friction-scale must not be negative (found %g)", o->friction_scale);
        return false;
    }
    if (o->seconds < 0.0) {
        cli_complain("--seconds must not be negative (found %g)", o->seconds);
        return false;
    }
    if (o->interpolate && !o->control) {
        cli_complain("--interpolate needs --control");
        return false;
    }
    if (o->every == 0) {
        cli_complain("--every must be at least 1 (found 0)");
        return false;
    }
    if (!isnan(o->sample) && o->every > 0) {
        cli_complain("--every and --sample exclude each other");
        return false;
    }
    const char *recording = o->channels         ? "--channels"
                            : o->every > 0      ? "--every"
                            : !isnan(o->sample) ? "--sample"
                                                : NULL;
    const bool plotted = o->outputs.html && o->channels;
    if (recording && !plotted && !cli_outputs_any(&o->outputs)) {
        cli_complain("%s needs a file to record to: --csv, --npz or --plot", recording);
        return false;
    }
    return true;
}

static bool apply_settings(dp_options *settings, const cli_run_options *o)
{
    settings->ledger = true; // unless --set says otherwise
    const cli_twin twins[] = {
        {"step", "--step", !isnan(o->step)},
        {"integrator", "--integrator", o->integrator != NULL},
        {"law", "--law", o->law != NULL},
        {"relative_tolerance", "--tolerance", !isnan(o->tolerance)},
        {"absolute_tolerance", "--tolerance", !isnan(o->tolerance)},
        {"contact_stiffness_scale", "--stiffness-scale", !isnan(o->stiffness_scale)},
        {"contact_friction_scale", "--friction-scale", !isnan(o->friction_scale)},
        {"accuracy", "--accuracy", !isnan(o->accuracy)},
        {NULL, NULL, false}};
    if (!cli_set_all(settings, &o->set, twins)) {
        return false;
    }
    if (o->law && !cli_set_word(settings, "law", "--law", o->law)) {
        return false;
    }
    if (o->integrator && !cli_set_word(settings, "integrator", "--integrator", o->integrator)) {
        return false;
    }
    if (!isnan(o->step)) {
        settings->step = o->step;
    }
    if (!isnan(o->stiffness_scale)) {
        settings->contact_stiffness_scale = o->stiffness_scale;
    }
    if (!isnan(o->friction_scale)) {
        settings->contact_friction_scale = o->friction_scale;
    }
    if (!isnan(o->accuracy)) {
        settings->accuracy = o->accuracy;
    }
    const bool controlled = cli_has_error_control(settings);
    if (settings->accuracy > 0.0 && controlled) {
        cli_complain("--accuracy halves steps; %s has an error control of its own: use "
                     "--tolerance",
                     dp_integrator_name(settings->integrator));
        return false;
    }
    if (!isnan(o->tolerance)) {
        if (!controlled) {
            cli_complain("--tolerance belongs to the integrators rk45 and cvode (found %s)",
                         dp_integrator_name(settings->integrator));
            return false;
        }
        settings->relative_tolerance = o->tolerance;
        settings->absolute_tolerance = 0.01 * o->tolerance;
    }
    return true;
}

// How many steps, and which of them are recorded.
static bool plan_steps(cli_run_state *r, const cli_run_options *o)
{
    const double default_seconds = 10.0;
    double seconds = o->seconds;
    if (isnan(seconds) && r->controlled) {
        seconds = cli_controls_end(&r->controls) - r->start;
        if (!(seconds > 0.0)) {
            cli_complain("%s: the last row is not later than the start at %g s; use --seconds",
                         o->control, r->start);
            return false;
        }
    } else if (isnan(seconds)) {
        seconds = default_seconds;
    }
    const double steps = round(seconds / r->h), most = 1e15;
    if (steps > most) {
        cli_complain("%g s in steps of %g s are too many steps", seconds, r->h);
        return false;
    }
    if (steps < 1.0 && seconds > 0.0) {
        cli_complain("%g s is less than half a step of %g s", seconds, r->h);
        return false;
    }
    r->steps = (long long)steps;
    const double round_off = 1e-9;
    if (fabs(steps * r->h - seconds) > round_off * seconds && !o->quiet) {
        cli_complain("note: %g s is not a multiple of the step %g s: simulating %.10g s", seconds,
                     r->h, steps * r->h);
    }
    r->every = o->every > 0 ? o->every : 1;
    if (!isnan(o->sample)) {
        const double every = round(o->sample / r->h);
        if (every < 1.0 || every > most) {
            cli_complain("--sample %g s does not fit the step of %g s", o->sample, r->h);
            return false;
        }
        r->every = (long long)every;
        if (fabs(every * r->h - o->sample) > round_off * o->sample && !o->quiet) {
            cli_complain("note: %g s is not a multiple of the step %g s: recording every %.10g s",
                         o->sample, r->h, every * r->h);
        }
    }
    return true;
}

// A table that does not fit would be killed by the system after minutes; better to know at once.
static bool table_fits(const cli_run_state *r)
{
    const long long rows = r->steps / r->every + 2;
    const double bytes = (double)rows * 8.0 * dp_recorder_columns(r->recorder);
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (memory > 0.0 && bytes > 0.4 * memory) { // the table is copied when it grows
        cli_complain("recording %.3g samples of %d channels needs %.3g GB of memory; "
                     "use --every, --sample or --channels",
                     (double)rows, dp_recorder_columns(r->recorder), bytes / 1e9);
        return false;
    }
    return true;
}

// Say why a scene cannot be run and, where that helps, with which options it can.
static void complain_about_scene(const cli_run_options *o)
{
    cli_scene scene;
    cli_missing missing;
    const dp_status status = cli_scene_load_anyway(&scene, &missing, o->scene, &o->allow);
    cli_complain_of_missing(&missing, status);
    cli_scene_destroy(&scene);
}

// What the scene asks for and is simulated without, as allowed.
static bool find_what_is_left_out(cli_run_state *r, const cli_run_options *o)
{
    cli_allow nothing = o->allow;
    nothing.features = (cli_list){0};
    cli_scene scene;
    const dp_status status = cli_scene_load_anyway(&scene, &r->without, o->scene, &nothing);
    cli_scene_destroy(&scene);
    return status == DP_OK;
}

static double read_clock(void *context)
{
    (void)context;
    return cli_clock();
}

static bool use_threads(cli_run_state *r, long long threads)
{
    r->status = dp_data_set_threads(r->d, threads > INT_MAX ? INT_MAX : (int)threads);
    if (r->status != DP_OK) {
        cli_complain("--threads: %s", dp_last_error());
    }
    return r->status == DP_OK;
}

static bool take_controls(cli_run_state *r, const cli_run_options *o)
{
    if (!cli_controls_load(&r->controls, o->control, r->m)) {
        return false;
    }
    if (!o->quiet && !dp_data_options(r->d)->disable_clamp_control) {
        cli_controls_note_clamped(&r->controls, o->control, r->m);
    }
    r->controlled = true;
    r->controls.interpolate = o->interpolate;
    r->controls.tolerance = 1e-3 * r->h; // above the round-off in a sum of many steps
    if (o->interpolate) {
        dp_data_set_control_callback(r->d, cli_controls_callback, &r->controls);
    }
    return true;
}

// What is recorded, and where it goes.
static bool take_outputs(cli_run_state *r, const cli_run_options *o)
{
    if (cli_outputs_any(&o->outputs)) {
        if (dp_recorder_create(&r->recorder, r->m, o->channels, NULL) != DP_OK) {
            cli_complain("%s%s", o->channels ? "--channels: " : "", dp_last_error());
            return false;
        }
        if (!table_fits(r)) {
            return false;
        }
    }
    if (o->outputs.html && !cli_film_begin(&r->film, r->m, r->steps, o->channels)) {
        return false;
    }
    if (o->outputs.pressure && dp_model_sizes(r->m)->nfoundation == 0) {
        cli_complain("--pressure: '%s' has no elastic foundation over a plane (expected a geom "
                     "with dp:foundation)",
                     o->scene);
        return false;
    }
    return true;
}

// Everything before the first step. @return an exit code; complaints have been printed.
static int prepare(cli_run_state *r, const cli_run_options *o)
{
    if (!check_options(o) || !cli_allow_check(&o->allow, NULL, 0)) {
        return CLI_USAGE;
    }
    r->status = cli_scene_load(&r->scene, o->scene, &o->allow);
    if (r->status != DP_OK) {
        complain_about_scene(o);
        return CLI_USAGE;
    }
    if (!cli_allow_fits(&o->allow, o->scene, r->scene.report)) {
        return CLI_USAGE;
    }
    if (o->allow.features.count > 0 && !find_what_is_left_out(r, o)) {
        r->status = DP_ERROR_MEMORY; // nothing else fails the second time
        cli_complain("%s", dp_last_error());
        return CLI_FAILED;
    }
    r->m = r->scene.model;
    r->status = cli_data_create(&r->d, r->m);
    if (r->status != DP_OK) {
        cli_complain("%s", dp_last_error());
        return CLI_FAILED;
    }
    if (o->profile) {
        dp_data_set_clock(r->d, read_clock, NULL);
    }
    if (o->threads >= 0 && !use_threads(r, o->threads)) {
        return CLI_USAGE;
    }
    if (!apply_settings(dp_data_options(r->d), o) ||
        (o->keyframe && !cli_go_to_keyframe(r->m, r->d, o->keyframe))) {
        return CLI_USAGE;
    }
    r->h = dp_data_options(r->d)->step;
    r->start = dp_data_time(r->d);
    if (o->control && !take_controls(r, o)) {
        return CLI_USAGE;
    }
    if (!plan_steps(r, o)) {
        return CLI_USAGE;
    }
    if (!take_outputs(r, o)) {
        return CLI_USAGE;
    }
    cli_caveats_find(&r->caveats, &r->scene, dp_data_options(r->d));
    if (r->caveats.failed) {
        r->status = DP_ERROR_MEMORY;
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    const char *const inputs[] = {o->scene, o->control, NULL};
    if (!cli_outputs_check(&o->outputs, inputs)) {
        return CLI_USAGE;
    }
    if (o->dump) {
        if (!cli_dump_prepare(o->dump)) {
            return CLI_USAGE;
        }
        r->dump = (cli_dump){.folder = o->dump,
                             .scene = o->scene,
                             .law = &dp_data_options(r->d)->solver,
                             .done = &r->done};
        dp_data_set_problem_callback(r->d, cli_dump_problem, &r->dump);
    }
    return CLI_OK;
}

static dp_status look(cli_run_state *r, dp_energy *energy)
{
    const dp_status status = dp_kinematics(r->d);
    if (status == DP_OK) {
        *energy = dp_data_energy(r->d);
        r->largest_kinetic = fmax(r->largest_kinetic, energy->kinetic);
    }
    return status;
}

static dp_status record(cli_run_state *r, bool sampled)
{
    const dp_status status = cli_film_look(&r->film, r->d, r->done, r->steps);
    if (status != DP_OK || !r->recorder || !sampled) {
        return status;
    }
    if (r->controlled) { // channels show the control that acts from now on
        cli_controls_apply(&r->controls, r->d, dp_data_time(r->d));
    }
    return dp_recorder_sample(r->recorder, r->d);
}

// Up to `count` steps, without a look at anything but a signal.
static dp_status advance(cli_run_state *r, long long count)
{
    dp_status status = DP_OK;
    for (long long i = 0; i < count && !cli_interrupted(NULL); ++i) {
        if (r->controlled && !r->controls.interpolate) {
            cli_controls_apply(&r->controls, r->d, dp_data_time(r->d)); // constant during the step
        }
        status = dp_step(r->d);
        if (status != DP_OK) {
            break;
        }
        const dp_step_report *info = dp_data_report(r->d);
        r->evaluations += info->work.evaluations;
        r->substeps += info->work.substeps;
        r->rejected += info->work.rejected;
        r->transported_steps += info->transported > 0 ? 1 : 0;
        r->asleep = info->asleep;
        r->most_asleep = info->asleep > r->most_asleep ? info->asleep : r->most_asleep;
        cli_rows_note(&r->rows, r->m, r->d);
        cli_motion_note(&r->motion, r->d);
        ++r->done;
    }
    return status;
}

static dp_status simulate_all(cli_run_state *r, cli_progress *progress)
{
    const double glance = 0.02; // [s] between looks at the energy and the progress bar
    dp_energy energy;
    dp_status status = look(r, &r->first_energy);
    if (status != DP_OK) {
        return status;
    }
    r->last_energy = r->first_energy;
    r->first_momentum = cli_total_momentum(r->m, r->d);
    r->motion = cli_motion_begin();
    status = record(r, true);
    long long chunk = 1;
    while (status == DP_OK && r->done < r->steps && !cli_interrupted(NULL)) {
        const long long to_sample = r->every - r->done % r->every, left = r->steps - r->done;
        long long count = chunk < left ? chunk : left;
        const long long to_frame = cli_film_wait(&r->film, r->done);
        count = r->recorder && to_sample < count ? to_sample : count;
        count = to_frame < count ? to_frame : count;
        const double before = cli_clock();
        status = advance(r, count);
        const double took = cli_clock() - before;
        r->stepping_seconds += took;
        if (took < 0.5 * glance && count == chunk) {
            chunk *= 2;
        } else if (took > 2.0 * glance && chunk > 1) {
            chunk /= 2;
        }
        if (status == DP_OK) {
            status = look(r, &energy);
            const bool due =
                r->done % r->every == 0 || r->done == r->steps || cli_interrupted(NULL);
            status = status == DP_OK ? record(r, due) : status;
        }
        cli_progress_show(progress, (double)r->done / (double)r->steps, dp_data_time(r->d));
    }
    return status;
}

static void simulate(cli_run_state *r, bool quiet)
{
    cli_progress progress = cli_progress_start(quiet);
    const double before = cli_clock();
    const dp_status status = simulate_all(r, &progress);
    r->real_seconds = cli_clock() - before;
    cli_progress_end(&progress);

    if (status != DP_OK && status != DP_ERROR_INTERRUPTED) {
        r->outcome = CLI_RUN_FAILED;
        r->status = status;
        snprintf(r->message, sizeof r->message, "step %lld failed: %.2000s", r->done + 1,
                 dp_last_error());
        const bool has_last = r->recorder && dp_recorder_rows(r->recorder) > 0 &&
                              dp_recorder_value(r->recorder, dp_recorder_rows(r->recorder) - 1,
                                                0) == dp_data_time(r->d);
        if (r->recorder && !has_last && record(r, true) != DP_OK) {
            cli_complain("the last state could not be recorded: %s", dp_last_error());
        }
    } else if (r->done < r->steps && cli_interrupted(NULL)) {
        r->outcome = CLI_RUN_INTERRUPTED;
        snprintf(r->message, sizeof r->message,
                 "interrupted at t = %.10g s, after %lld of %lld steps", dp_data_time(r->d),
                 r->done, r->steps);
    }
    if (look(r, &r->last_energy) == DP_OK) {
        r->last_momentum = cli_total_momentum(r->m, r->d);
    }
}

// Only the semi-implicit step has rows to be evaluated. What cannot be evaluated is reported by the
// first step.
static void look_for_overlaps(cli_run_state *r)
{
    if (dp_data_options(r->d)->integrator == DP_INTEGRATOR_SEMI_IMPLICIT &&
        dp_forward(r->d) == DP_OK) {
        cli_overlaps_find(&r->overlaps, r->m, r->d);
    }
}

static bool write_outputs(cli_run_state *r, const cli_run_options *o, const char *title)
{
    cli_table facts = cli_run_facts(r, o);
    const dp_replay_page page = {.title = title,
                                 .fact = cli_film_facts(&r->film, &facts),
                                 .nfact = r->film.nfact,
                                 .channels = r->film.channels};
    const cli_results results = {.m = r->m,
                                 .d = r->d,
                                 .title = title,
                                 .recorder = r->recorder,
                                 .replay = r->film.replay,
                                 .page = &page};
    const bool fine = cli_outputs_write(r->written, &r->nwritten, &o->outputs, &results);
    cli_table_destroy(&facts);
    return fine;
}

static int run_scene(cli_run_state *r, const cli_run_options *o)
{
    const int code = prepare(r, o);
    if (code != CLI_OK) {
        if (o->json) {
            cli_run_json_refusal(r);
        }
        return code;
    }
    if (o->report && !o->json && !o->quiet) {
        cli_print_report(&r->scene, o->scene, &o->allow);
        putchar('\n');
    }
    if (!o->quiet) {
        cli_note_scene(&r->scene, &o->allow);
        cli_note_periods(r);
        cli_note_start(r);
    }
    look_for_overlaps(r);
    cli_interrupt_set(CLI_ENDS_SAVED);
    simulate(r, o->quiet);
    bool fine = r->outcome == CLI_RUN_DONE;
    if (!fine) {
        cli_complain("%s", r->message);
        cli_advise(r, o);
    }
    const char *title = dp_model_title(r->m);
    const bool written = write_outputs(r, o, title[0] != '\0' ? title : o->scene);
    if (!written) {
        fine = false;
        r->status = r->status == DP_OK ? DP_ERROR_IO : r->status;
    }
    if (r->outcome != CLI_RUN_DONE && r->nwritten > 0 && !o->quiet) {
        char names[1024] = "";
        for (int i = 0; i < r->nwritten; ++i) {
            const size_t n = strlen(names);
            snprintf(names + n, sizeof names - n, "%s%s", i > 0 ? ", " : "", r->written[i]);
        }
        cli_complain("what was recorded until then is in %s", names);
    }
    if (o->json) {
        cli_run_json(r, o, fine);
    } else if (!o->quiet) {
        cli_run_table(r, o);
    }
    if (!o->quiet) {
        fflush(stdout);
        cli_rows_complain(&r->rows, r->d, o->scene);
        cli_note_energy(r);
        cli_hint_at_keyframes(r, o);
    }
    return !written ? CLI_LOST : fine ? CLI_OK : CLI_FAILED;
}

int cli_run(int argc, char **argv)
{
    cli_run_options o;
    cli_run_state r = {0};
    int code = CLI_OK;
    switch (parse(&o, argc, argv)) {
    case CLI_PARSED:
        o.allow.visuals = o.outputs.html != NULL;
        code = run_scene(&r, &o);
        break;
    case CLI_PARSED_HELP:
        break;
    case CLI_PARSED_BADLY:
        code = CLI_USAGE;
        break;
    }
    cli_caveats_destroy(&r.caveats);
    cli_film_end(&r.film);
    dp_recorder_destroy(r.recorder);
    dp_data_destroy(r.d);
    cli_controls_destroy(&r.controls);
    cli_scene_destroy(&r.scene);
    cli_allow_free(&o.allow);
    free(o.set.item);
    return code;
}
