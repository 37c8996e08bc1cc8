#include "bench_friction.h"

#include "bench_clock.h"
#ifdef BENCH_SICONOS
#include "friction_siconos.h"
#endif

#include <dashpot/advanced/fc.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OURS = 2, MOST = 8, NAME = 256 };

static const char *const ours_name[OURS] = {"Dashpot", "Dashpot, cone"};
static const dp_fc_method ours[OURS] = {DP_FC_METHOD_AUTOMATIC, DP_FC_METHOD_CONE};

static int solvers(void)
{
#ifdef BENCH_SICONOS
    return OURS + FRICTION_SICONOS;
#else
    return OURS;
#endif
}

static const char *name_of(int solver)
{
#ifdef BENCH_SICONOS
    if (solver >= OURS) {
        return friction_siconos_name[solver - OURS];
    }
#endif
    return ours_name[solver];
}

// What a solver made of a problem. Judged by us, whoever solved it.
typedef struct outcome {
    double seconds, siconos, worst;
    bool ended; // before its time was up
} outcome;

typedef struct row {
    char file[NAME];
    int nc;
    outcome by[MOST];
} row;

static void solve(outcome *out, const dp_fc *p, int solver)
{
    const size_t n = (size_t)p->dimension * (size_t)p->nc;
    double *r = calloc(2 * n + 1, sizeof *r);
    if (!r) {
        return;
    }
    const dp_fc_solution s = {.r = r, .u = r + n};
    dp_fc_residual residual = {.worst = (double)INFINITY, .siconos = (double)INFINITY};
    if (solver < OURS) {
        dp_fc_options opt = dp_fc_options_default();
        dp_fc_info info;
        opt.method = ours[solver];
        const double began = bench_cpu();
        if (dp_fc_solve(&s, p, NULL, &opt, NULL, &info) == DP_OK) {
            residual = info.residual;
        }
        out->seconds = bench_cpu() - began;
    }
#ifdef BENCH_SICONOS
    if (solver >= OURS) {
        (void)friction_siconos_solve(r, &out->seconds, p, solver - OURS);
        if (dp_fc_judge(&residual, p, &s, NULL) != DP_OK) {
            residual.worst = residual.siconos = (double)INFINITY;
        }
    }
#endif
    out->siconos = residual.siconos;
    out->worst = residual.worst;
    out->ended = true;
    free(r);
}

// In a process of its own, which the system ends after `limit` seconds, whatever it does.
static void solve_apart(outcome *out, const dp_fc *p, int solver, unsigned limit)
{
    int ends[2];
    *out =
        (outcome){.seconds = (double)limit, .siconos = (double)INFINITY, .worst = (double)INFINITY};
    if (pipe(ends) != 0) {
        return;
    }
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit time = {limit, limit + 1};
        setrlimit(RLIMIT_CPU, &time);
        close(ends[0]);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) {
            _exit(1);
        }
        outcome found = *out;
        solve(&found, p, solver);
        const ssize_t written = write(ends[1], &found, sizeof found);
        _exit(written == (ssize_t)sizeof found ? 0 : 1);
    }
    close(ends[1]);
    outcome found;
    if (child > 0 && read(ends[0], &found, sizeof found) == (ssize_t)sizeof found) {
        *out = found;
    }
    close(ends[0]);
    if (child > 0) {
        (void)waitpid(child, NULL, 0);
    }
}

static const double TOLERANCE = 1e-8, TICK = 1e-4; // [1], [s]

// By the measure that Siconos was asked for, or by all three of ours.
static bool is_solved(const outcome *o, bool all)
{
    return o->ended && (all ? o->worst : o->siconos) <= TOLERANCE * 1.0001;
}

static int solved_within(const row *rows, int count, int solver, double factor, bool all)
{
    int solved = 0;
    for (int k = 0; k < count; ++k) {
        double best = (double)INFINITY;
        for (int s = 0; s < solvers(); ++s) {
            if (is_solved(&rows[k].by[s], all)) {
                best = fmin(best, fmax(rows[k].by[s].seconds, TICK));
            }
        }
        solved += is_solved(&rows[k].by[solver], all) &&
                  fmax(rows[k].by[solver].seconds, TICK) <= factor * best;
    }
    return solved;
}

// On what both have solved: how many times as long.
static double ratio_to_ours(const row *rows, int count, int solver, int *both)
{
    double theirs = 0.0, own = 0.0;
    *both = 0;
    for (int k = 0; k < count; ++k) {
        if (is_solved(&rows[k].by[0], false) && is_solved(&rows[k].by[solver], false)) {
            own += rows[k].by[0].seconds;
            theirs += rows[k].by[solver].seconds;
            *both += 1;
        }
    }
    return theirs / own;
}

static void print(const row *rows, int count, unsigned limit)
{
    printf(
        "\n%d friction-contact problems, at most %u s each; solved: residual of Siconos 1e-8, and "
        "all three\n\n",
        count, limit);
    printf("%-16s %7s %6s %6s %6s %6s %7s %9s %18s\n", "solver", "solved", "by all", "best", "by 2",
           "by 10", "by 100", "CPU s", "time over ours (on)");
    for (int s = 0; s < solvers(); ++s) {
        double seconds = 0.0;
        for (int k = 0; k < count; ++k) {
            seconds += rows[k].by[s].seconds;
        }
        int both;
        const double ratio = ratio_to_ours(rows, count, s, &both);
        printf("%-16s %7d %6d %6d %6d %6d %7d %9.3f %12.2f (%d)\n", name_of(s),
               solved_within(rows, count, s, (double)INFINITY, false),
               solved_within(rows, count, s, (double)INFINITY, true),
               solved_within(rows, count, s, 1.0, false), solved_within(rows, count, s, 2.0, false),
               solved_within(rows, count, s, 10.0, false),
               solved_within(rows, count, s, 100.0, false), seconds, ratio, both);
    }
}

static bool save(const row *rows, int count, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "dashpot_bench: %s cannot be written\n", path);
        return false;
    }
    fputs("file,contacts,solver,ended,seconds,siconos,worst\n", file);
    for (int k = 0; k < count; ++k) {
        for (int s = 0; s < solvers(); ++s) {
            const outcome *o = &rows[k].by[s];
            fprintf(file, "%s,%d,\"%s\",%d,%.6g,%.3g,%.3g\n", rows[k].file, rows[k].nc, name_of(s),
                    o->ended, o->seconds, o->siconos, o->worst);
        }
    }
    return fclose(file) == 0;
}

// Siconos has the local form; so that all have the same, everybody gets it.
static bool take(row *out, const char *folder, const char *name, unsigned limit)
{
    char path[4096];
    dp_fc_file *file, *local;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (dp_fc_load(&file, path, NULL) != DP_OK) {
        fprintf(stderr, "left out: %s\n", dp_last_error());
        return false;
    }
    const bool fits = dp_fc_of(file)->dimension == 3 && dp_fc_of(file)->nc > 0 &&
                      dp_fc_localise(&local, dp_fc_of(file), NULL) == DP_OK;
    dp_fc_destroy(file);
    if (!fits) {
        return false;
    }
    *out = (row){.nc = dp_fc_of(local)->nc};
    snprintf(out->file, sizeof out->file, "%.200s", name);
    for (int s = 0; s < solvers(); ++s) {
        solve_apart(&out->by[s], dp_fc_of(local), s, limit);
    }
    dp_fc_destroy(local);
    return true;
}

bool bench_friction(const char *folder, bool quick, const char *csv)
{
    const unsigned limit = quick ? 2 : 20;
    DIR *found = opendir(folder);
    row *rows = NULL;
    int count = 0;
    bool fine = found != NULL;
    if (!found) {
        fprintf(stderr, "dashpot_bench: %s cannot be read\n", folder);
    }
    for (const struct dirent *e = fine ? readdir(found) : NULL; e; e = readdir(found)) {
        row *more = realloc(rows, ((size_t)count + 1) * sizeof *rows);
        if (!more) {
            fine = false;
            break;
        }
        rows = more;
        if (e->d_name[0] != '.' && take(&rows[count], folder, e->d_name, limit)) {
            ++count;
        }
    }
    if (found) {
        closedir(found);
    }
    if (fine && count > 0) {
        print(rows, count, limit);
        fine = !csv || save(rows, count, csv);
    }
    free(rows);
    return fine;
}
