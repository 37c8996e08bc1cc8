#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "contact_case.h"

#include "bench_clock.h"
#include "contact_dashpot.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- Dashpot as the judge of states

typedef struct meter {
    dp_model *m;
    dp_data *d;
    int nbody;              // besides the world
    double *first, *before; // 3 × nbody: centres of mass at the start, and a tenth before the end
} meter;

static void meter_close(meter *r)
{
    dp_data_destroy(r->d);
    dp_model_destroy(r->m);
    free(r->first);
    free(r->before);
}

static bool meter_open(meter *r, const contact_scene *scene)
{
    *r = (meter){0};
    if (contact_dashpot_model(&r->m, scene) != DP_OK ||
        dp_data_create(&r->d, r->m, NULL) != DP_OK) {
        meter_close(r);
        return false;
    }
    r->nbody = dp_model_sizes(r->m)->nbody - 1;
    r->first = calloc(3 * (size_t)r->nbody + 1, sizeof(double));
    r->before = calloc(3 * (size_t)r->nbody + 1, sizeof(double));
    return r->first && r->before;
}

static void read_places(double *x, const meter *r)
{
    for (int i = 0; i < r->nbody; ++i) {
        const dp_v3 p = dp_inertial_pose(r->d, (dp_body_id){i + 1}).p;
        x[3 * i] = p.x;
        x[3 * i + 1] = p.y;
        x[3 * i + 2] = p.z;
    }
}

// The deepest overlap at the state of an engine; infinite for one that is not finite.
static double read_overlap(meter *r, const contact_engine *e)
{
    e->state(dp_data_q(r->d), e->self);
    dp_status status = dp_kinematics(r->d);
    status = status != DP_OK ? status : dp_find_contacts(r->d, NULL);
    if (status == DP_ERROR_CAPACITY) {
        const dp_contact_room room = dp_data_contact_room(r->d);
        status = dp_data_reserve_contacts(r->d, 2 * room.needed_pairs, 2 * room.needed_points);
        status = status != DP_OK ? status : dp_find_contacts(r->d, NULL);
    }
    if (status != DP_OK) {
        return (double)INFINITY;
    }
    double deepest = 0.0;
    for (int i = 0; i < dp_data_found_contact_count(r->d); ++i) {
        deepest = fmax(deepest, -dp_data_found_contact(r->d, i).at.gap);
    }
    return deepest;
}

static void judge_end(contact_result *out, const meter *r, const contact_scene *scene,
                      double since_before)
{
    double *now = calloc(3 * (size_t)r->nbody + 1, sizeof *now);
    if (!now) {
        return;
    }
    read_places(now, r);
    out->drift = 0.0;
    out->creep = since_before > 0.0 ? 0.0 : (double)NAN;
    out->error = scene->nbody > 0 && out->end == CONTACT_DONE ? 0.0 : (double)NAN;
    double furthest = 0.0;
    for (int i = 0; i < r->nbody; ++i) {
        const double *x = now + 3 * i, *x0 = r->first + 3 * i, *xb = r->before + 3 * i;
        const double across = hypot(x[0] - x0[0], x[1] - x0[1]);
        const double moved =
            sqrt((x[0] - xb[0]) * (x[0] - xb[0]) + (x[1] - xb[1]) * (x[1] - xb[1]) +
                 (x[2] - xb[2]) * (x[2] - xb[2]));
        out->drift = fmax(out->drift, across);
        out->creep = since_before > 0.0 ? fmax(out->creep, moved / since_before) : out->creep;
        furthest = fmax(furthest, hypot(across, x[2] - x0[2]));
        if (scene->nbody > 0) {
            const double *e = scene->body[i].end;
            const double off = hypot(hypot(x[0] - e[0], x[1] - e[1]), x[2] - e[2]);
            if (isnan(off) || off > out->error) {
                out->error = off;
            }
        }
    }
    if (scene->nbody > scene->nfixed) {
        out->slide[0] = now[3 * scene->nfixed] - r->first[3 * scene->nfixed];
        out->slide[1] = now[3 * scene->nfixed + 1] - r->first[3 * scene->nfixed + 1];
    }
    const bool fell = (furthest > scene->upright && !scene->moves) ||
                      (out->end_penetration > scene->upright && scene->upright > 0.0);
    if (fell) {
        out->end = CONTACT_FELL;
    }
    free(now);
}

// ---- a run

// One run from the start. @param r NULL: the states are not looked at @return CPU time [s]
static double run_once(contact_result *out, const contact_scene *scene, const contact_engine *e,
                       const contact_effort *effort, meter *r)
{
    const int samples = 50;
    const int n = (int)lround(scene->seconds / scene->h);
    int chunk = 1;
    int before_at = -1, steps = 0; // done so far
    double cpu = 0.0, wall = 0.0, worst = 0.0, deepest = 0.0;
    out->end = CONTACT_DONE;
    e->reset(e->self);
    if (r) {
        deepest = read_overlap(r, e);
        read_places(r->first, r);
    }
    while (steps < n && out->end == CONTACT_DONE) {
        const int some = n - steps < chunk ? n - steps : chunk;
        const double begin = bench_cpu(), noon = bench_wall();
        const bool fine = e->run(e->self, some);
        const double took = bench_cpu() - begin, waited = bench_wall() - noon;
        steps += some;
        if (steps > effort->skip) {
            cpu += took;
            wall += waited;
            out->steps += some;
        }
        if (took < 0.01 * effort->budget) { // otherwise it is looked at again soon
            const int parts = r ? samples : 2;
            chunk = n / parts > 1 ? n / parts : 1;
        }
        out->seconds = scene->h * steps;
        out->ns = 1e9 * cpu / (out->steps > 0 ? out->steps : 1);
        out->wall_ns = 1e9 * wall / (out->steps > 0 ? out->steps : 1);
        if (r) {
            deepest = read_overlap(r, e);
            worst = fmax(worst, deepest);
            if (before_at < 0 && steps >= n - n / 10) {
                before_at = steps;
                read_places(r->before, r);
            }
        }
        if (!fine || !isfinite(deepest)) {
            out->end = CONTACT_GAVE_UP;
        } else if (cpu > effort->budget && steps < n) {
            out->end = CONTACT_CUT;
        }
    }
    out->contacts = e->contacts(e->self);
    out->penetration = worst;
    out->end_penetration = deepest;
    if (r && out->end != CONTACT_GAVE_UP) {
        judge_end(out, r, scene, before_at < 0 ? 0.0 : scene->h * (steps - before_at));
    }
    return cpu;
}

void contact_run(contact_result *out, const contact_scene *scene, contact_create *create,
                 int variant, const contact_effort *effort)
{
    *out = (contact_result){.ns = (double)NAN,
                            .penetration = (double)NAN,
                            .end_penetration = (double)NAN,
                            .creep = (double)NAN,
                            .drift = (double)NAN,
                            .error = (double)NAN};
    contact_engine e;
    create(&e, scene, variant);
    memcpy(out->version, e.version, sizeof out->version);
    memcpy(out->why, e.why, sizeof out->why);
    if (!e.self) {
        return;
    }
    meter r;
    const bool judge = effort->judge && meter_open(&r, scene);
    out->end = CONTACT_CRASHED; // until it comes back
    double cpu = run_once(out, scene, &e, effort, judge ? &r : NULL);
    if (create == contact_dashpot) {
        out->hash = contact_dashpot_hash(&e);
    }
    int steps = out->steps;
    if (cpu < effort->least) { // a short run is timed without looking at it
        cpu = 0.0;
        steps = 0;
    }
    while (cpu < effort->least && (out->end == CONTACT_DONE || out->end == CONTACT_FELL)) {
        contact_result again = {0};
        cpu += run_once(&again, scene, &e, effort, NULL);
        steps += again.steps;
        out->ns = 1e9 * cpu / steps;
    }
    if (judge) {
        meter_close(&r);
    }
    e.destroy(e.self);
}

void contact_run_apart(contact_result *out, const contact_scene *scene, contact_create *create,
                       int variant, const contact_effort *effort)
{
    const rlim_t patience = (rlim_t)(2.0 * effort->budget) + 2; // [s] also for a single step
    contact_result *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        *out = (contact_result){.end = CONTACT_ABSENT, .why = "no memory"};
        return;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){patience, patience});
        if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)) {
            _exit(1); // engines talk a lot when they fail
        }
        contact_run(shared, scene, create, variant, effort);
        _exit(0);
    }
    int status = 0;
    struct rusage used = {0};
    if (child < 0 || wait4(child, &status, 0, &used) < 0) {
        shared->end = CONTACT_ABSENT;
        strcpy(shared->why, "no process");
    } else if (!WIFEXITED(status)) {
        const int signal = WTERMSIG(status);
        shared->end = signal == SIGKILL || signal == SIGXCPU ? CONTACT_CUT : CONTACT_CRASHED;
        const double cpu = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
        const int steps = (int)lround(shared->seconds / scene->h); // those not clocked, too
        shared->ns = 1e9 * cpu / (steps + 1); // in the middle of a step, or of some more
    }
    *out = *shared;
    munmap(shared, sizeof *shared);
}
