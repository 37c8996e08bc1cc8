#include "bench_measure.h"

#include "bench_chain.h"
#include "engine_bullet.h"
#include "engine_dashpot.h"
#ifdef BENCH_MUJOCO
#include "engine_mujoco.h"
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DASHPOT, MUJOCO, BULLET32, BULLET64, ENGINES };

// All engines on one setup; those that cannot run it have self == NULL.
typedef struct bench_team {
    bench_engine engine[ENGINES];
    int nq, nv, bodies;
    double *q, *v, *q_ref, *v_ref; // states
    double *x, *u, *x_ref, *u_ref; // motions of the centres of mass
} bench_team;

static void disband(bench_team *team)
{
    for (int e = 0; e < ENGINES; ++e) {
        if (team->engine[e].self) {
            team->engine[e].destroy(team->engine[e].self);
        }
    }
    free(team->q);
    free(team->x);
    *team = (bench_team){0};
}

static void complain(const char *engine, const char *scene, const char *why)
{
    fprintf(stderr, "dashpot_bench: %s does not run %s: %s\n", engine, scene, why);
}

// All engines at the same start. @param peers also those besides Dashpot
static bool assemble(bench_team *team, const char *scene, const bench_setup *setup, bool peers,
                     bool bullet)
{
    *team = (bench_team){0};
    if (bench_dashpot(&team->engine[DASHPOT], setup) != DP_OK) {
        complain("dashpot", scene, dp_last_error());
        return false;
    }
    const dp_model *m = bench_dashpot_model(&team->engine[DASHPOT]);
    const size_t nq = (size_t)dp_model_sizes(m)->nq, nv = (size_t)dp_model_sizes(m)->nv;
    const size_t n3 = 3 * (size_t)(dp_model_sizes(m)->nbody - 1);
    team->nq = (int)nq;
    team->nv = (int)nv;
    team->bodies = dp_model_sizes(m)->nbody - 1;
    team->q = calloc(2 * (nq + nv), sizeof(double));
    team->x = calloc(4 * n3, sizeof(double));
    if (!team->q || !team->x) {
        complain("dashpot", scene, "out of memory");
        disband(team);
        return false;
    }
    team->v = team->q + nq;
    team->q_ref = team->v + nv;
    team->v_ref = team->q_ref + nq;
    team->u = team->x + n3;
    team->x_ref = team->u + n3;
    team->u_ref = team->x_ref + n3;

    if (peers) {
#ifdef BENCH_MUJOCO
        char why[500];
        bench_mujoco(&team->engine[MUJOCO], setup, why, sizeof why);
        if (!team->engine[MUJOCO].self) {
            complain("mujoco", scene, why);
        }
#endif
        if (bullet) {
            bench_bullet(&team->engine[BULLET32], BENCH_FLOAT, m, setup);
            bench_bullet(&team->engine[BULLET64], BENCH_DOUBLE, m, setup);
        }
    }
    const bench_engine *dashpot = &team->engine[DASHPOT];
    dashpot->state(team->q, team->v, dashpot->self);
    if (!setup->path && !setup->text) {
        bench_chain_start(team->q, setup->links);
    }
    for (int e = 0; e < ENGINES; ++e) {
        if (team->engine[e].self) {
            team->engine[e].start(team->engine[e].self, team->q, team->v);
        }
    }
    return true;
}

// ns per step over `runs` runs from the start; NAN when the engine gave up.
static double time_runs(const bench_engine *engine, int runs, int steps)
{
    bool fine = true;
    const double begin = bench_cpu();
    for (int r = 0; r < runs; ++r) {
        engine->reset(engine->self);
        fine = engine->run(engine->self, steps) && fine;
    }
    const double end = bench_cpu();
    return fine ? 1e9 * (end - begin) / ((double)runs * steps) : NAN;
}

void bench_time_engines(bench_row *const *row, const bench_engine *engine, int n, int steps,
                        double seconds, int repetitions)
{
    int runs[BENCH_MAX_ENGINES] = {0};
    for (int e = 0; e < n; ++e) {
        if (engine[e].self) {
            const double warm_up = time_runs(&engine[e], 1, steps);
            const double once = 1e-9 * steps * time_runs(&engine[e], 1, steps);
            row[e]->diverged = !isfinite(warm_up) || !isfinite(once);
            runs[e] = row[e]->diverged ? 0 : (int)ceil(seconds / once);
        }
    }
    for (int r = 0; r < repetitions; ++r) {
        for (int e = 0; e < n; ++e) {
            if (runs[e] > 0) {
                bench_sample_add(&row[e]->ns, time_runs(&engine[e], runs[e], steps));
            }
        }
    }
}

static void time_team(bench_row *row[ENGINES], const bench_team *team, int steps, double seconds,
                      int repetitions)
{
    bench_time_engines(row, team->engine, ENGINES, steps, seconds, repetitions);
}

static void open_rows(bench_row *row[ENGINES], bench_results *results, const bench_team *team,
                      const char *scene, const char *method)
{
    for (int e = 0; e < ENGINES; ++e) {
        row[e] = NULL;
        if (team->engine[e].self) {
            row[e] = bench_row_add(results, scene, team->engine[e].name, method, "step");
            row[e]->bodies = team->bodies;
            row[e]->nv = team->nv;
            memcpy(row[e]->version, team->engine[e].version, sizeof row[e]->version);
        }
    }
}

static double largest_distance(const double *a, const double *b, int points)
{
    double largest = 0.0;
    for (int i = 0; i < points; ++i) {
        const double dx = a[3 * i] - b[3 * i], dy = a[3 * i + 1] - b[3 * i + 1],
                     dz = a[3 * i + 2] - b[3 * i + 2];
        const double distance = sqrt(dx * dx + dy * dy + dz * dz);
        largest = distance > largest || isnan(distance) ? distance : largest;
    }
    return largest;
}

// Distances of the engine's final state from the reference in team->x_ref, u_ref. Dashpot's
// kinematics turn every engine's state into points.
static void judge_state(bench_row *row, const bench_team *team, const bench_engine *engine,
                        const bench_engine *kinematics)
{
    engine->state(team->q, team->v, engine->self);
    bench_dashpot_motion(team->x, team->u, kinematics, team->q, team->v);
    row->position_error = largest_distance(team->x, team->x_ref, team->bodies);
    row->velocity_error = largest_distance(team->u, team->u_ref, team->bodies);
}

// Every engine's state after the horizon against the reference.
static void judge_team(bench_row *row[ENGINES], const bench_team *team,
                       const bench_engine *kinematics, int steps)
{
    for (int e = 0; e < ENGINES; ++e) {
        const bench_engine *engine = &team->engine[e];
        if (engine->self && !row[e]->diverged) {
            engine->reset(engine->self);
            if (engine->run(engine->self, steps)) {
                judge_state(row[e], team, engine, kinematics);
            }
        }
    }
}

// Largest change of energy of a mechanism without dampers and actuators, over the greatest kinetic
// energy.
static void measure_drift(bench_row *row[ENGINES], const bench_team *team, int steps)
{
    enum { STRIDE = 10 };
    double scale = 0.0;
    const bench_engine *meter = &team->engine[DASHPOT]; // the first to run, then free to measure
    for (int e = 0; e < ENGINES; ++e) {
        const bench_engine *engine = &team->engine[e];
        if (!engine->self || !row[e]) {
            continue;
        }
        engine->reset(engine->self);
        double first = NAN, largest = 0.0, kinetic = 0.0;
        bool fine = true;
        for (int s = 0; s <= steps && fine; s += STRIDE) {
            engine->state(team->q, team->v, engine->self);
            const bench_energy energy = bench_dashpot_energy(meter, team->q, team->v);
            first = s == 0 ? energy.total : first;
            const double change = fabs(energy.total - first);
            largest = change > largest || isnan(change) ? change : largest;
            kinetic = fmax(kinetic, energy.kinetic);
            fine = engine->run(engine->self, STRIDE);
        }
        scale = e == DASHPOT ? kinetic : scale; // one measure for all
        row[e]->energy_drift = fine ? largest / scale : INFINITY;
    }
}

static void measure_stages(bench_results *results, const bench_team *team, const char *scene,
                           double seconds)
{
    enum { STATES = 5, SPACING = BENCH_RUN_STEPS / STATES };
    for (int e = 0; e < ENGINES; ++e) {
        const bench_engine *engine = &team->engine[e];
        const bench_row *step =
            engine->self ? bench_row_find(results, scene, engine->name, "default", "step") : NULL;
        if (!step || step->diverged) {
            continue;
        }
        double sum = 0.0;
        for (const bench_stage *stage = engine->stages; stage->name; ++stage) {
            bench_row *row = bench_row_add(results, scene, engine->name, "default", stage->name);
            row->bodies = team->bodies;
            row->nv = team->nv;
            memcpy(row->version, engine->version, sizeof row->version);
            for (int s = 0; s < STATES; ++s) {
                engine->reset(engine->self);
                engine->run(engine->self, 1 + s * SPACING);
                const double expected = 1e-9 * bench_median(&step->ns); // an upper bound
                const int times = 1 + (int)(seconds / expected);
                stage->repeat(engine->self, 1 + times / 10);
                const double begin = bench_cpu();
                stage->repeat(engine->self, times);
                bench_sample_add(&row->ns, 1e9 * (bench_cpu() - begin) / times);
            }
            sum += bench_median(&row->ns);
        }
        bench_row *rest = bench_row_add(results, scene, engine->name, "default", "rest");
        rest->bodies = team->bodies;
        rest->nv = team->nv;
        memcpy(rest->version, engine->version, sizeof rest->version);
        bench_sample_add(&rest->ns, bench_median(&step->ns) - sum);
    }
}

static void add_verdict(bench_results *results, const bench_scene *scene, bench_row *row[ENGINES],
                        const char *method, bool best)
{
    int peer = -1;
    for (int e = MUJOCO; e < (best ? ENGINES : BULLET32); ++e) {
        if (row[e] && row[e]->ns.n > 0 &&
            (peer < 0 || bench_median(&row[e]->ns) < bench_median(&row[peer]->ns))) {
            peer = e;
        }
    }
    if (peer < 0 || row[DASHPOT]->ns.n == 0 || results->nverdict == BENCH_MAX_VERDICTS) {
        return;
    }
    bench_verdict *verdict = &results->verdict[results->nverdict++];
    const bench_sample ratios = bench_ratios(&row[DASHPOT]->ns, &row[peer]->ns);
    *verdict = (bench_verdict){.method = method,
                               .against = best ? "best peer" : "mujoco",
                               .ratio = bench_median(&ratios),
                               .target = best == scene->target_is_best ? scene->target : 0.0};
    memcpy(verdict->scene, row[DASHPOT]->scene, sizeof verdict->scene);
    memcpy(verdict->engine, row[peer]->engine, sizeof verdict->engine);
}

// The reference itself, from the other engine's fourth-order method at a much smaller step.
static void check_reference(bench_results *results, const bench_scene *scene, bench_setup setup,
                            const bench_team *team, const bench_engine *kinematics)
{
#ifdef BENCH_MUJOCO
    enum { FINER = 16 };
    setup.method = BENCH_RK4;
    setup.h /= FINER;
    bench_engine mujoco;
    char why[500];
    bench_mujoco(&mujoco, &setup, why, sizeof why);
    if (!mujoco.self) {
        return;
    }
    bench_row *row = bench_row_add(results, scene->name, mujoco.name, "rk4 h/16", "step");
    row->bodies = team->bodies;
    row->nv = team->nv;
    row->h = setup.h;
    memcpy(row->version, mujoco.version, sizeof row->version);
    const double begin = bench_cpu();
    row->diverged = !mujoco.run(mujoco.self, FINER * BENCH_RUN_STEPS);
    bench_sample_add(&row->ns, 1e9 * (bench_cpu() - begin) / (FINER * BENCH_RUN_STEPS));
    if (!row->diverged) {
        judge_state(row, team, &mujoco, kinematics);
    }
    mujoco.destroy(mujoco.self);
#else
    (void)results, (void)scene, (void)setup, (void)team, (void)kinematics;
#endif
}

// Fill x_ref and u_ref of the team.
static bool find_reference(bench_team *team, bench_engine *reference, bench_setup setup,
                           const char *scene)
{
    setup.method = BENCH_REFERENCE;
    if (bench_dashpot(reference, &setup) != DP_OK) {
        complain("dashpot", scene, dp_last_error());
        return false;
    }
    if (!reference->run(reference->self, BENCH_RUN_STEPS)) {
        complain("the reference", scene, dp_last_error());
        return false;
    }
    reference->state(team->q_ref, team->v_ref, reference->self);
    bench_dashpot_motion(team->x_ref, team->u_ref, reference, team->q_ref, team->v_ref);
    return true;
}

// The same scene by another method, with less effort.
static void measure_variant(bench_results *results, const bench_scene *scene, bench_setup setup,
                            const char *method, const bench_team *judge,
                            const bench_engine *kinematics, const bench_effort *effort)
{
    bench_team team;
    if (!assemble(&team, scene->name, &setup, true, false)) {
        return;
    }
    bench_row *row[ENGINES];
    open_rows(row, results, &team, scene->name, method);
    time_team(row, &team, BENCH_RUN_STEPS, effort->extra_seconds, effort->extra_repetitions);
    if (kinematics) {
        memcpy(team.x_ref, judge->x_ref, 3 * (size_t)team.bodies * sizeof *team.x_ref);
        memcpy(team.u_ref, judge->u_ref, 3 * (size_t)team.bodies * sizeof *team.u_ref);
        judge_team(row, &team, kinematics, BENCH_RUN_STEPS);
    }
    disband(&team);
}

bool bench_measure_scene(bench_results *results, const bench_scene *scene, const char *folder,
                         const bench_effort *effort)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s.xml", folder, scene->name);
    bench_setup setup = {.path = path, .keyframe = scene->keyframe, .h = results->h};
    bench_team team;
    if (!assemble(&team, scene->name, &setup, true, true)) {
        return false;
    }
    bench_row *row[ENGINES];
    open_rows(row, results, &team, scene->name, "default");
    time_team(row, &team, BENCH_RUN_STEPS, effort->seconds, effort->repetitions);
    add_verdict(results, scene, row, "default", false);
    add_verdict(results, scene, row, "default", true);

    bench_engine reference;
    const bool judged = find_reference(&team, &reference, setup, scene->name);
    if (judged) {
        judge_team(row, &team, &reference, BENCH_RUN_STEPS);
    }

    bench_setup conservative = setup;
    conservative.conservative = true;
    bench_team ideal;
    if (assemble(&ideal, scene->name, &conservative, true, true)) {
        measure_drift(row, &ideal, (int)(results->energy_seconds / results->h + 0.5));
        if (scene->undamped) {
            open_rows(row, results, &ideal, scene->name, "undamped");
            time_team(row, &ideal, BENCH_RUN_STEPS, effort->extra_seconds,
                      effort->extra_repetitions);
            add_verdict(results, scene, row, "undamped", false);
            add_verdict(results, scene, row, "undamped", true);
        }
        disband(&ideal);
    }

    bench_setup variant = setup;
    variant.method = BENCH_RK4;
    measure_variant(results, scene, variant, "rk4", &team, judged ? &reference : NULL, effort);
    if (judged && team.nv <= effort->largest_check) {
        check_reference(results, scene, setup, &team, &reference);
    }
    variant = setup;
    variant.sensors = true;
    measure_variant(results, scene, variant, "sensors", &team, NULL, effort);
    measure_stages(results, &team, scene->name, effort->stage_seconds);

    if (reference.self) {
        reference.destroy(reference.self);
    }
    disband(&team);
    return true;
}

bool bench_measure_growth(bench_results *results, const bench_effort *effort)
{
    static const int LENGTHS[] = {10, 20, 50, 100, 200, 500, 1000};
    enum { STEPS = 100 }; // of one run; the longest chain takes a while
    bench_growth *growth = results->growth;
    for (size_t k = 0; k < sizeof LENGTHS / sizeof *LENGTHS && LENGTHS[k] <= effort->longest_chain;
         ++k) {
        char name[32];
        snprintf(name, sizeof name, "links_%d", LENGTHS[k]);
        const bench_setup setup = {.links = LENGTHS[k], .h = results->h};
        bench_team team;
        if (!assemble(&team, name, &setup, true, true)) {
            return false;
        }
        if (LENGTHS[k] > effort->longest_mujoco && team.engine[MUJOCO].self) {
            team.engine[MUJOCO].destroy(team.engine[MUJOCO].self);
            team.engine[MUJOCO].self = NULL;
        }
        bench_row *row[ENGINES];
        open_rows(row, results, &team, name, "default");
        time_team(row, &team, STEPS, effort->extra_seconds, effort->extra_repetitions);
        for (int e = 0; e < ENGINES; ++e) {
            if (row[e] && row[e]->ns.n > 0) {
                bench_growth *g = &growth[e];
                memcpy(g->engine, row[e]->engine, sizeof g->engine);
                g->links[g->n] = LENGTHS[k];
                g->ns[g->n++] = bench_median(&row[e]->ns);
            }
        }
        disband(&team);
    }
    for (int e = 0; e < ENGINES; ++e) {
        if (growth[e].n > 1) {
            growth[e].exponent = bench_exponent(growth[e].links, growth[e].ns, growth[e].n);
            results->growth[results->ngrowth++] = growth[e];
        }
    }
    return true;
}

bool bench_run_only(const bench_scene *scene, const char *folder, double h, int n)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s.xml", folder, scene->name);
    const bench_setup setup = {.path = path, .keyframe = scene->keyframe, .h = h};
    bench_engine dashpot;
    if (bench_dashpot(&dashpot, &setup) != DP_OK || !dashpot.run(dashpot.self, n)) {
        complain("dashpot", scene->name, dp_last_error());
        return false;
    }
    dashpot.destroy(dashpot.self);
    return true;
}
