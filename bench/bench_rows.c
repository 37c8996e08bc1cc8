#include "bench_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void chop(char *text)
{
    text[strcspn(text, "\n")] = '\0';
}

static void find_commit(char *out, size_t size, const char *source)
{
    char command[600];
    snprintf(out, size, "unknown");
    snprintf(command, sizeof command,
             "git -C '%s' describe --always --dirty --abbrev=12 2>/dev/null", source);
    FILE *git = popen(command, "r");
    char line[64];
    if (git) {
        if (fgets(line, sizeof line, git) && line[0] != '\n') {
            chop(line);
            snprintf(out, size, "%s", line);
        }
        pclose(git);
    }
}

static void find_machine(char *out, size_t size)
{
    char model[100] = "unknown processor", line[256];
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && fgets(line, sizeof line, info)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            chop(line);
            snprintf(model, sizeof model, "%s", colon + 2);
            break;
        }
    }
    if (info) {
        fclose(info);
    }
    struct utsname os = {0};
    uname(&os);
    snprintf(out, size, "%.80s, %ld cores, %.12s %.12s", model, sysconf(_SC_NPROCESSORS_ONLN),
             os.sysname, os.machine);
}

void bench_results_init(bench_results *results, const char *source)
{
    memset(results, 0, sizeof *results);
    const time_t now = time(NULL);
    strftime(results->date, sizeof results->date, "%Y-%m-%d", localtime(&now));
    find_commit(results->commit, sizeof results->commit, source);
    find_machine(results->machine, sizeof results->machine);
    snprintf(results->compiler, sizeof results->compiler, "%s, %s", COMPILER, BENCH_BUILD);
}

bench_row *bench_row_add(bench_results *results, const char *scene, const char *engine,
                         const char *method, const char *stage)
{
    if (results->nrow == BENCH_MAX_ROWS) {
        fprintf(stderr, "dashpot_bench: more than %d rows\n", BENCH_MAX_ROWS);
        exit(1);
    }
    bench_row *row = &results->row[results->nrow++];
    *row = (bench_row){.method = method,
                       .stage = stage,
                       .h = results->h,
                       .position_error = NAN,
                       .velocity_error = NAN,
                       .energy_drift = NAN,
                       .loop_gap = NAN,
                       .limit_excess = NAN};
    snprintf(row->scene, sizeof row->scene, "%s", scene);
    snprintf(row->engine, sizeof row->engine, "%s", engine);
    return row;
}

const bench_row *bench_row_find(const bench_results *results, const char *scene, const char *engine,
                                const char *method, const char *stage)
{
    for (int i = 0; i < results->nrow; ++i) {
        const bench_row *row = &results->row[i];
        if (strcmp(row->scene, scene) == 0 && strcmp(row->engine, engine) == 0 &&
            strcmp(row->method, method) == 0 && strcmp(row->stage, stage) == 0) {
            return row;
        }
    }
    return NULL;
}

static void csv_number(FILE *file, double x)
{
    if (isfinite(x)) {
        fprintf(file, ",%.6g", x);
    } else {
        fprintf(file, ",");
    }
}

void bench_write_csv(FILE *file, const bench_results *results)
{
    fprintf(file,
            "date,scene,bodies,nv,engine,version,method,stage,step_s,repetitions,median_ns,min_ns,"
            "max_ns,position_error_m,velocity_error_m_per_s,energy_drift,loop_gap,limit_excess,"
            "diverged,commit,compiler,machine\n");
    for (int i = 0; i < results->nrow; ++i) {
        const bench_row *row = &results->row[i];
        fprintf(file, "%s,%s,%d,%d,%s,%s,%s,%s,%.6g,%d", results->date, row->scene, row->bodies,
                row->nv, row->engine, row->version, row->method, row->stage, row->h, row->ns.n);
        csv_number(file, bench_median(&row->ns));
        csv_number(file, bench_least(&row->ns));
        csv_number(file, bench_greatest(&row->ns));
        csv_number(file, row->position_error);
        csv_number(file, row->velocity_error);
        csv_number(file, row->energy_drift);
        csv_number(file, row->loop_gap);
        csv_number(file, row->limit_excess);
        fprintf(file, ",%d,%s,\"%s\",\"%s\"\n", row->diverged, results->commit, results->compiler,
                results->machine);
    }
}

static void json_number(FILE *file, const char *key, double x)
{
    if (isfinite(x)) {
        fprintf(file, ", \"%s\": %.10g", key, x);
    } else {
        fprintf(file, ", \"%s\": null", key);
    }
}

static void json_row(FILE *file, const bench_row *row)
{
    fprintf(file,
            "    {\"scene\": \"%s\", \"bodies\": %d, \"nv\": %d, \"engine\": \"%s\", \"version\": "
            "\"%s\", \"method\": \"%s\", \"stage\": \"%s\"",
            row->scene, row->bodies, row->nv, row->engine, row->version, row->method, row->stage);
    json_number(file, "step", row->h);
    json_number(file, "median_ns", bench_median(&row->ns));
    json_number(file, "min_ns", bench_least(&row->ns));
    json_number(file, "max_ns", bench_greatest(&row->ns));
    json_number(file, "steps_per_cpu_second", 1e9 / bench_median(&row->ns));
    json_number(file, "position_error", row->position_error);
    json_number(file, "velocity_error", row->velocity_error);
    json_number(file, "energy_drift", row->energy_drift);
    json_number(file, "loop_gap", row->loop_gap);
    json_number(file, "limit_excess", row->limit_excess);
    fprintf(file, ", \"diverged\": %s}", row->diverged ? "true" : "false");
}

static void json_growth(FILE *file, const bench_growth *growth)
{
    fprintf(file, "    {\"engine\": \"%s\", \"exponent\": %.4g, \"links\": [", growth->engine,
            growth->exponent);
    for (int k = 0; k < growth->n; ++k) {
        fprintf(file, "%s%g", k ? ", " : "", growth->links[k]);
    }
    fprintf(file, "], \"ns\": [");
    for (int k = 0; k < growth->n; ++k) {
        fprintf(file, "%s%.6g", k ? ", " : "", growth->ns[k]);
    }
    fprintf(file, "]}");
}

void bench_write_json(FILE *file, const bench_results *results)
{
    fprintf(file,
            "{\n  \"date\": \"%s\",\n  \"commit\": \"%s\",\n  \"compiler\": \"%s\",\n"
            "  \"machine\": \"%s\",\n  \"rows\": [\n",
            results->date, results->commit, results->compiler, results->machine);
    for (int i = 0; i < results->nrow; ++i) {
        json_row(file, &results->row[i]);
        fprintf(file, "%s\n", i + 1 < results->nrow ? "," : "");
    }
    fprintf(file, "  ],\n  \"targets\": [\n");
    for (int i = 0; i < results->nverdict; ++i) {
        const bench_verdict *v = &results->verdict[i];
        fprintf(file,
                "    {\"scene\": \"%s\", \"method\": \"%s\", \"against\": \"%s\", \"peer\": \"%s\"",
                v->scene, v->method, v->against, v->engine);
        json_number(file, "ratio", v->ratio);
        json_number(file, "target", v->target > 0.0 ? v->target : NAN);
        fprintf(file, ", \"met\": %s}%s\n",
                !(v->target > 0.0)      ? "null"
                : v->ratio >= v->target ? "true"
                                        : "false",
                i + 1 < results->nverdict ? "," : "");
    }
    fprintf(file, "  ],\n  \"growth\": [\n");
    for (int i = 0; i < results->ngrowth; ++i) {
        json_growth(file, &results->growth[i]);
        fprintf(file, "%s\n", i + 1 < results->ngrowth ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
}
