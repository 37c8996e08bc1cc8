// How a run went: the closing table and the JSON object.
#include "run/run.h"

#include "common/import_report.h"
#include "common/json.h"
#include "common/program.h"
#include "common/table.h"
#include "common/text.h"
#include "report/conserved.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ----------------------------------------------------------------------------------

static double potential(dp_energy e)
{
    return e.gravity + e.spring;
}

static double total(dp_energy e)
{
    return e.kinetic + potential(e);
}

// Three digits or a little more, for people: 0.25, 47.5, 365889, 1.19 million.
static void short_number(char out[32], double x)
{
    if (x >= 1e6) {
        snprintf(out, 32, "%.3g million", x / 1e6);
    } else {
        snprintf(out, 32, x >= 100.0 ? "%.0f" : "%.3g", x);
    }
}

// Where the method has taken much of the energy, a line says so. It may have taken nothing worth
// the word: settling, round-off.
static void dissipation_cells(cli_table *t, double change, double remainder, const cli_run_state *r)
{
    const double much = 0.1;    // of the change
    const double little = 1e-6; // of the largest kinetic energy
    if (fabs(remainder) > much * fabs(change) && fabs(remainder) > little * r->largest_kinetic) {
        cli_cell(t, "%s", "");
        cli_cell(t,
                 "numerical dissipation is what a step of %g s does not resolve, impacts on stiff "
                 "springs most of all: --step %.2g has less",
                 r->h, 0.1 * r->h);
    }
}

static void energy_cells(cli_table *t, const cli_run_state *r)
{
    const dp_ledger *ledger = dp_data_ledger(r->d);
    const double first = total(r->first_energy) + ledger->elastic_before;
    const double last = total(r->last_energy) + ledger->elastic;
    const double change = last - first;
    char why[400];
    if (ledger->begun) {
        cli_ledger_words(why, sizeof why, ledger);
    } else {
        cli_energy_exchange(why, sizeof why, r->m, dp_data_options(r->d));
    }
    cli_cell(t, "energy");
    cli_cell(t, "%.8g J at the start, %.8g J at the end", first, last);
    cli_cell(t, "%s", why[0] != '\0' ? "energy change" : "energy drift");
    if (why[0] != '\0' && ledger->begun) {
        cli_cell(t, "%.3g J: %s", change, why);
        dissipation_cells(t, change, ledger->remainder, r);
    } else if (why[0] != '\0') {
        cli_cell(t, "%.3g J: work of %s, and the error of the method", change, why);
    } else if (r->largest_kinetic > 0.0) {
        cli_cell(t, "%.3g J, %.2g of the largest kinetic energy", change,
                 fabs(change) / r->largest_kinetic);
    } else {
        cli_cell(t, "%.3g J", change);
    }
}

static double profile_sum(const dp_profile *profile)
{
    double sum = 0.0;
    for (int i = 0; i < DP_STAGES; ++i) {
        sum += profile->seconds[i];
    }
    return sum;
}

static void profile_table(const cli_run_state *r)
{
    static const char *const heading[] = {"stage", ">µs per step", ">share"};
    const dp_profile *profile = dp_data_profile(r->d);
    const double sum = profile_sum(profile);
    if (profile->steps == 0 || !(sum > 0.0)) {
        return;
    }
    cli_table t = cli_table_new(3, heading);
    for (int i = 0; i < DP_STAGES; ++i) {
        if (profile->seconds[i] > 0.0) {
            cli_cell(&t, "%s", dp_stage_name((dp_stage)i));
            cli_cell(&t, "%.4g", 1e6 * profile->seconds[i] / (double)profile->steps);
            cli_cell(&t, "%.1f %%", 100.0 * profile->seconds[i] / sum);
        }
    }
    cli_cell(&t, "all");
    cli_cell(&t, "%.4g", 1e6 * sum / (double)profile->steps);
    cli_cell(&t, "100 %%");
    putchar('\n');
    cli_table_print(&t);
}

// What is conserved, what it cost, and how well the law was met.
static void certificate_cells(cli_table *t, const cli_run_state *r, const dp_options *settings)
{
    char why[256];
    cli_momentum_exchange(why, sizeof why, r->m, settings);
    cli_cell(t, "%s", why[0] != '\0' ? "momentum" : "momentum drift");
    if (why[0] != '\0') {
        cli_cell(t, "not conserved: %s", why);
    } else {
        double drift[2];
        cli_momentum_drift(drift, &r->first_momentum, &r->last_momentum, settings,
                           dp_data_time(r->d) - r->start);
        cli_cell(t, "%.2g kg m/s%s, angular %.2g kg m2/s", drift[0],
                 settings->disable_gravity ? "" : " beside gravity", drift[1]);
    }
    cli_cell(t, "evaluations");
    if (dp_options_is_ode(settings) || settings->accuracy > 0.0) {
        cli_cell(t, "%lld in %lld substeps, %lld repeated", r->evaluations, r->substeps,
                 r->rejected);
    } else {
        cli_cell(t, "%lld", r->evaluations);
    }
    cli_rows_certificate_cells(t, &r->rows);
}

cli_table cli_run_facts(const cli_run_state *r, const cli_run_options *o)
{
    const dp_options *settings = dp_data_options(r->d);
    const dp_model_size *size = dp_model_sizes(r->m);
    cli_table t = cli_table_new(2, NULL);
    cli_cell(&t, "scene");
    cli_cell(&t, "%s, %d degree%s of freedom", o->scene, size->nv, size->nv == 1 ? "" : "s");
    if (r->without.count > 0) {
        char list[1024] = "";
        for (int i = 0; i < r->without.count; ++i) {
            const size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                     r->without.item[i].feature);
        }
        cli_cell(&t, "without");
        cli_cell(&t, "%s", list);
    }
    cli_caveats_cells(&t, &r->caveats);
    cli_cell(&t, "simulated");
    cli_cell(&t, "%.10g s in %lld steps of %g s, %s", dp_data_time(r->d) - r->start, r->done, r->h,
             dp_integrator_name(settings->integrator));
    cli_cell(&t, "wall time");
    if (r->done > 0 && r->stepping_seconds > 0.0) {
        char rate[32];
        short_number(rate, (double)r->done / r->stepping_seconds);
        char ratio[32];
        short_number(ratio, (double)r->done * r->h / r->stepping_seconds);
        cli_cell(&t, "%.3g s: %s steps per second, real-time factor %s", r->real_seconds, rate,
                 ratio);
    } else {
        cli_cell(&t, "%.3g s", r->real_seconds);
    }
    cli_overlaps_cells(&t, &r->overlaps, r->m);
    cli_motion_cells(&t, &r->motion, r->d);
    energy_cells(&t, r);
    cli_rows_outcome_cells(&t, &r->rows);
    if (r->dump.count > 0) {
        cli_cell(&t, "problems");
        cli_cell(&t, "%lld in %s", r->dump.count, r->dump.folder);
    }
    if (settings->sleep_speed > 0.0) {
        cli_cell(&t, "asleep");
        cli_cell(&t, "%d of %d trees in the end, %d at most", r->asleep,
                 dp_model_sizes(r->m)->ntree, r->most_asleep);
    }
    if (r->transported_steps > 0) {
        cli_cell(&t, "large rotations");
        cli_cell(&t, "in %lld steps a tree turned more than %g rad: momentum was transported",
                 r->transported_steps, settings->large_rotation);
    }
    if (o->certificate) {
        certificate_cells(&t, r, settings);
    }
    return t;
}

void cli_run_table(const cli_run_state *r, const cli_run_options *o)
{
    const char *title = dp_model_title(r->m);
    cli_table t = cli_run_facts(r, o);
    cli_print("%s\n", title[0] != '\0' ? title : o->scene);
    for (int i = 0; i < r->nwritten; ++i) {
        cli_cell(&t, "%s", i == 0 ? "written" : "");
        if (i == 0 && r->recorder) {
            const int channels = dp_recorder_columns(r->recorder);
            const size_t samples = dp_recorder_rows(r->recorder);
            cli_cell(&t, "%s (%d channel%s, %zu sample%s)", r->written[i], channels,
                     channels == 1 ? "" : "s", samples, samples == 1 ? "" : "s");
        } else {
            cli_cell(&t, "%s", r->written[i]);
        }
    }
    cli_table_print(&t);
    if (o->profile) {
        profile_table(r);
    }
}

// What went wrong. `begun`: in a run, and not before.
static void json_error(cli_json *j, const cli_run_state *r, bool begun)
{
    const char *first = cli_first_complaint();
    cli_json_open(j, "error");
    cli_json_text(j, "status",
                  r->outcome == CLI_RUN_INTERRUPTED ? "interrupted"
                  : r->status != DP_OK              ? dp_status_name(r->status)
                                                    : dp_status_name(DP_ERROR_ARGUMENT));
    cli_json_text(j, "message", r->message[0] != '\0' ? r->message : first);
    if (begun) {
        cli_json_number(j, "time", dp_data_time(r->d));
        cli_json_count(j, "step", r->outcome == CLI_RUN_FAILED ? r->done + 1 : r->done);
    } else {
        cli_json_null(j, "time");
        cli_json_null(j, "step");
    }
    cli_json_close(j);
}

void cli_run_json_refusal(const cli_run_state *r)
{
    cli_json j = {0};
    cli_json_open(&j, NULL);
    json_error(&j, r, false);
    cli_json_close(&j);
}

void cli_run_json(const cli_run_state *r, const cli_run_options *o, bool fine)
{
    static const char *const outcome[] = {"done", "failed", "interrupted"};
    const dp_options *settings = dp_data_options(r->d);
    const dp_model_size *size = dp_model_sizes(r->m);
    cli_json j = {0};
    cli_json_open(&j, NULL);
    cli_json_text(&j, "version", dp_version());
    cli_json_text(&j, "scene", o->scene);
    cli_json_text(&j, "title", dp_model_title(r->m));
    cli_json_text(&j, "outcome", outcome[r->outcome]);
    if (r->outcome != CLI_RUN_DONE) {
        cli_json_text(&j, "message", r->message);
    }
    if (!fine) {
        json_error(&j, r, true);
    }
    cli_json_array(&j, "without");
    for (int i = 0; i < r->without.count; ++i) {
        cli_json_text(&j, NULL, r->without.item[i].feature);
    }
    cli_json_end(&j);
    cli_caveats_json(&j, &r->caveats);
    cli_overlaps_json(&j, &r->overlaps, r->m);
    cli_json_count(&j, "nq", size->nq);
    cli_json_count(&j, "nv", size->nv);
    cli_json_count(&j, "na", size->na);
    cli_json_count(&j, "nu", size->nu);
    cli_json_text(&j, "integrator", dp_integrator_name(settings->integrator));
    cli_json_text(&j, "law", dp_options_law_name(settings));
    cli_json_number(&j, "step", r->h);
    cli_json_count(&j, "steps", r->done);
    cli_json_number(&j, "time", dp_data_time(r->d));
    cli_json_open(&j, "final");
    cli_json_numbers(&j, "q", dp_data_q(r->d), size->nq);
    cli_json_numbers(&j, "v", dp_data_v(r->d), size->nv);
    cli_json_numbers(&j, "activation", dp_data_activation(r->d), size->na);
    cli_json_close(&j);
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, dp_state_hash(r->d));
    cli_json_text(&j, "hash", hash);

    cli_json_open(&j, "energy");
    cli_json_number(&j, "kinetic", r->last_energy.kinetic);
    cli_json_number(&j, "potential", potential(r->last_energy));
    cli_json_number(&j, "gravity", r->last_energy.gravity);
    cli_json_number(&j, "spring", r->last_energy.spring);
    cli_json_number(&j, "initial", total(r->first_energy));
    cli_json_number(&j, "final", total(r->last_energy));
    cli_json_number(&j, "largest_kinetic", r->largest_kinetic);
    cli_json_close(&j);
    cli_ledger_json(&j, dp_data_ledger(r->d), r->first_energy, r->last_energy);
    cli_rows_json(&j, &r->rows);
    cli_motion_json(&j, &r->motion, r->d);

    char why[256];
    cli_momentum_exchange(why, sizeof why, r->m, settings);
    const dp_momentum *p = &r->last_momentum;
    cli_json_open(&j, "momentum");
    cli_json_number(&j, "mass", p->mass);
    cli_json_numbers(&j, "com", (double[]){p->com.x, p->com.y, p->com.z}, 3);
    cli_json_numbers(&j, "linear", (double[]){p->linear.x, p->linear.y, p->linear.z}, 3);
    cli_json_numbers(&j, "angular", (double[]){p->angular.x, p->angular.y, p->angular.z}, 3);
    if (why[0] != '\0') {
        cli_json_null(&j, "linear_drift");
        cli_json_null(&j, "angular_drift");
    } else {
        double drift[2];
        cli_momentum_drift(drift, &r->first_momentum, p, settings, dp_data_time(r->d) - r->start);
        cli_json_number(&j, "linear_drift", drift[0]);
        cli_json_number(&j, "angular_drift", drift[1]);
    }
    cli_json_close(&j);

    cli_json_count(&j, "evaluations", r->evaluations);
    cli_json_count(&j, "substeps", r->substeps);
    cli_json_count(&j, "rejected", r->rejected);
    cli_json_count(&j, "transported_steps", r->transported_steps);
    cli_json_count(&j, "asleep", r->asleep);
    cli_json_count(&j, "most_asleep", r->most_asleep);
    if (o->dump) {
        cli_json_count(&j, "problems", r->dump.count);
    }
    cli_json_number(&j, "real_seconds", r->real_seconds);
    cli_json_number(&j, "steps_per_second",
                    r->stepping_seconds > 0.0 ? (double)r->done / r->stepping_seconds : 0.0);
    if (o->profile) {
        const dp_profile *profile = dp_data_profile(r->d);
        cli_json_open(&j, "profile");
        for (int i = 0; i < DP_STAGES; ++i) {
            cli_json_number(&j, dp_stage_name((dp_stage)i), profile->seconds[i]);
        }
        cli_json_close(&j);
    }
    cli_json_array(&j, "outputs");
    for (int i = 0; i < r->nwritten; ++i) {
        cli_json_text(&j, NULL, r->written[i]);
    }
    cli_json_end(&j);
    if (o->report) {
        cli_json_report(&j, &r->scene);
    }
    cli_json_close(&j);
}
