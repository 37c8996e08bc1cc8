// `dashpot bench`: how fast a scene is simulated, how well, and the hash of where it ends.
#include "common/arguments.h"
#include "common/import_report.h"
#include "common/json.h"
#include "common/keyframe.h"
#include "common/program.h"
#include "common/scene.h"
#include "common/settings.h"
#include "common/signals.h"
#include "common/text.h"

#include <dashpot/contact.h>

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct bench_options {
    const char *scene, *keyframe;
    double seconds, step; // NaN: not given
    long long repeat, threads;
    bool hash, json;
    cli_list settings;
    cli_allow allow;
} bench_options;

static cli_parsed parse(bench_options *o, int argc, char **argv)
{
    *o = (bench_options){.seconds = 2.0, .step = (double)NAN, .repeat = 5, .threads = 1};
    const cli_option option[] = {
        {"--seconds", 0, CLI_NUMBER, &o->seconds, "T", "how long to simulate [s]; default 2"},
        {"--step", 0, CLI_NUMBER, &o->step, "h", "time step [s]; default: the scene's"},
        {"--keyframe", 0, CLI_TEXT, &o->keyframe, "NAME", "start from this keyframe of the scene"},
        {"--repeat", 0, CLI_COUNT, &o->repeat, "N", "runs; default 5"},
        {"--threads", 0, CLI_COUNT, &o->threads, "N",
         "share the work among N threads; no result depends on it; default 1"},
        {"--set", 0, CLI_LIST, &o->settings, "OPTION=VALUE",
         "change a setting, as of 'dashpot run'; may be repeated"},
        CLI_ALLOW(&o->allow),
        {"--hash", 0, CLI_FLAG, &o->hash, NULL,
         "one run, and nothing but the hash of its last state and the scene"},
        {"--json", 0, CLI_FLAG, &o->json, NULL, "print one JSON object instead of the table"},
    };
    const cli_syntax syntax = {
        .command = "bench",
        .arguments = "SCENE [options]",
        .argument = "SCENE",
        .about =
            "Simulate a scene several times from the same start: steps per second of CPU time, "
            "how\n"
            "well contacts and other rows were met, and the hash of the last state, which is the\n"
            "same for every compiler and number of threads. 'make bench' compares with other\n"
            "engines.\n"
            "Exit code: 0 done, 1 a run failed, 2 bad usage or input, 130 or 143 interrupted: "
            "whole runs\n"
            "are reported.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples = "  dashpot bench scenes/humanoid_stands.xml --keyframe falling\n"
                    "  dashpot bench scenes/contact/sphere_stack.xml --seconds 0.5 --threads 2\n"
                    "  dashpot bench scenes/contact/ramp.xml --hash\n"
                    "  dashpot bench scenes/contact/ramp.xml --json | jq .steps_per_cpu_second\n",
    };
    return cli_parse(&o->scene, &syntax, argc, argv);
}

enum { MOST_RUNS = 1000 };

// What the runs came to.
typedef struct bench {
    cli_scene scene;
    dp_data *d;
    long long steps; // of a run
    int runs;
    double speed[MOST_RUNS]; // [1/s] steps per CPU second
    int contacts, unsolved;  // most points that push; steps of a run that were not solved
    dp_certificate worst;
    uint64_t hash;
} bench;

static bool check(const bench_options *o)
{
    if (o->repeat < 1 || o->repeat > MOST_RUNS) {
        cli_complain("--repeat must be 1 to %d (found %lld)", MOST_RUNS, o->repeat);
        return false;
    }
    if (!(o->seconds > 0.0) || o->step <= 0.0) { // a step of NaN: not given
        const bool seconds = !(o->seconds > 0.0);
        cli_complain("--%s must be above 0 (found %g)", seconds ? "seconds" : "step",
                     seconds ? o->seconds : o->step);
        return false;
    }
    return cli_allow_check(&o->allow, NULL, 0);
}

static bool apply(bench *b, const bench_options *o)
{
    dp_options *options = dp_data_options(b->d);
    const cli_twin twins[] = {{"step", "--step", !isnan(o->step)}, {NULL, NULL, false}};
    if (!cli_set_all(options, &o->settings, twins)) {
        return false;
    }
    if (!isnan(o->step)) {
        options->step = o->step;
    }
    if (o->keyframe && !cli_go_to_keyframe(b->scene.model, b->d, o->keyframe)) {
        return false;
    }
    if (dp_data_set_threads(b->d, o->threads > INT_MAX ? INT_MAX : (int)o->threads) != DP_OK) {
        cli_complain("--threads: %s", dp_last_error());
        return false;
    }
    const double most = 1e9, steps = round(o->seconds / options->step);
    if (!(steps >= 1.0 && steps <= most)) {
        cli_complain("%g s in steps of %g s are %g steps (expected 1 to %g)", o->seconds,
                     options->step, steps, most);
        return false;
    }
    b->steps = (long long)steps;
    return true;
}

static int count_pushing(const dp_data *d)
{
    int sum = 0;
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        sum += dp_data_contact(d, i).normal_force > 0.0;
    }
    return sum;
}

static void keep_worst(bench *b)
{
    const dp_certificate *c = &dp_data_report(b->d)->certificate;
    b->worst.normal_law = fmax(b->worst.normal_law, c->normal_law);
    b->worst.penetration = fmax(b->worst.penetration, c->penetration);
    b->worst.creep = fmax(b->worst.creep, c->creep);
    b->worst.drift = fmax(b->worst.drift, c->drift);
    b->unsolved += dp_data_report(b->d)->unsolved > 0;
    const int pushing = count_pushing(b->d);
    b->contacts = pushing > b->contacts ? pushing : b->contacts;
}

// One run from where `d` is. @param look also at how well each step went, which takes time
static bool run(bench *b, bool look)
{
    const clock_t begin = clock();
    for (long long i = 0; i < b->steps; ++i) {
        const dp_status status = cli_interrupted(NULL) ? DP_ERROR_INTERRUPTED : dp_step(b->d);
        if (status == DP_ERROR_INTERRUPTED) {
            cli_complain("interrupted after %lld of %lld steps of %s, and %d whole runs", i,
                         b->steps, look ? "the first look" : "a run", b->runs);
            return false;
        }
        if (status != DP_OK) {
            cli_complain("step %lld: %s", i + 1, dp_last_error());
            return false;
        }
        if (look) {
            keep_worst(b);
        }
    }
    const double cpu = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (!look) {
        b->speed[b->runs++] = (double)b->steps / fmax(cpu, 1.0 / CLOCKS_PER_SEC);
    }
    b->hash = dp_state_hash(b->d);
    return true;
}

static bool run_all(bench *b, const bench_options *o)
{
    const size_t bytes = dp_state_bytes(b->d);
    void *start = malloc(bytes);
    bool fine = start && dp_state_save(start, bytes, b->d) == DP_OK && run(b, !o->hash);
    for (long long i = 0; fine && !o->hash && i < o->repeat; ++i) {
        fine = dp_state_restore(b->d, start, bytes) == DP_OK && run(b, false);
    }
    free(start);
    return fine;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(bench *b, const bench_options *o)
{
    if (o->hash) {
        cli_print("%016" PRIx64 "  %s\n", b->hash, o->scene);
        return;
    }
    qsort(b->speed, (size_t)b->runs, sizeof *b->speed, ascending);
    const double median = 0.5 * (b->speed[(b->runs - 1) / 2] + b->speed[b->runs / 2]);
    const double least = b->speed[0], most = b->speed[b->runs - 1];
    const double h = dp_data_options(b->d)->step;
    if (o->json) {
        cli_json json = {0};
        char hash[20];
        snprintf(hash, sizeof hash, "%016" PRIx64, b->hash);
        cli_json_open(&json, NULL);
        cli_json_text(&json, "version", dp_version());
        cli_json_text(&json, "scene", o->scene);
        cli_json_number(&json, "step", h);
        cli_json_count(&json, "steps", b->steps);
        cli_json_count(&json, "threads", o->threads);
        cli_json_count(&json, "runs", b->runs);
        cli_json_number(&json, "steps_per_cpu_second", median);
        cli_json_number(&json, "least", least);
        cli_json_number(&json, "most", most);
        cli_json_count(&json, "contacts", b->contacts);
        cli_json_number(&json, "law_error", b->worst.normal_law);
        cli_json_number(&json, "penetration", b->worst.penetration);
        cli_json_number(&json, "creep", b->worst.creep);
        cli_json_number(&json, "drift", b->worst.drift);
        cli_json_count(&json, "unsolved_steps", b->unsolved);
        cli_json_text(&json, "hash", hash);
        cli_json_close(&json);
        return;
    }
    cli_print("%s\n", o->scene);
    cli_print("  steps            %lld of %g s, %d runs\n", b->steps, h, b->runs);
    cli_print("  speed            %.4g steps per CPU second (%.4g to %.4g), %.3g times real time\n",
              median, least, most, median * h);
    cli_print("  contacts         %d points at most that push\n", b->contacts);
    cli_print(
        "  worst            law error %.2g m/s, penetration %.2g m, creep %.2g m/s, drift %.2g m\n",
        b->worst.normal_law, b->worst.penetration, b->worst.creep, b->worst.drift);
    if (b->unsolved > 0) {
        cli_print("  not solved       %d of the steps\n", b->unsolved);
    }
    cli_print("  last state       %016" PRIx64 "\n", b->hash);
}

static int bench_scene(const bench_options *o)
{
    if (!check(o)) {
        return CLI_USAGE;
    }
    static bench b;
    int code = CLI_USAGE;
    if (cli_scene_load(&b.scene, o->scene, &o->allow) != DP_OK) {
        cli_complain_of_file(dp_last_error(), dp_last_feature());
    } else if (!cli_allow_fits(&o->allow, o->scene, b.scene.report)) {
        code = CLI_USAGE;
    } else if (cli_data_create(&b.d, b.scene.model) != DP_OK) {
        cli_complain("%s", dp_last_error());
        code = CLI_FAILED;
    } else if (apply(&b, o)) {
        if (!o->hash) {
            cli_note_scene(&b.scene, &o->allow);
        }
        cli_interrupt_set(CLI_ENDS_SOON);
        code = run_all(&b, o) ? CLI_OK : CLI_FAILED;
    }
    if (code == CLI_OK || (cli_interrupted(NULL) && b.runs > 0)) {
        tell(&b, o);
    }
    dp_data_destroy(b.d);
    cli_scene_destroy(&b.scene);
    return code;
}

int cli_bench(int argc, char **argv)
{
    bench_options o;
    int code = CLI_OK;
    switch (parse(&o, argc, argv)) {
    case CLI_PARSED:
        code = bench_scene(&o);
        break;
    case CLI_PARSED_HELP:
        break;
    case CLI_PARSED_BADLY:
        code = CLI_USAGE;
        break;
    }
    free(o.settings.item);
    cli_allow_free(&o.allow);
    return code;
}
