#include "bench_linkage.h"

#include "engine_dashpot.h"
#ifdef BENCH_MUJOCO
#include "engine_mujoco.h"
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

const bench_linkage BENCH_LINKAGES[] = {
    {.name = "four_bar", .file = "four_bar", .keyframe = "turning"},
    {.name = "five_bar", .file = "five_bar", .keyframe = "turning"},
    {.name = "slider_crank", .file = "slider_crank", .keyframe = "turning"},
    {.name = "parallel_links", .file = "parallel_links", .keyframe = "swinging"},
    {.name = "bricard", .file = "bricard", .keyframe = "moving"},
    {.name = "gripper_linkage", .file = "gripper_linkage", .keyframe = "closing"},
    {.name = "pinned_20", .links = 20},
    {.name = "pinned_50", .links = 50},
    {.name = "pinned_100", .links = 100},
    {.name = "arm_limits", .file = "arm_7dof", .keyframe = "reach", .reach = 0.3, .friction = 0.5},
    {.name = "hand_limits",
     .file = "hand_16dof",
     .keyframe = "closing",
     .reach = 0.4,
     .friction = 0.005},
    {.name = "humanoid_limits",
     .file = "humanoid",
     .keyframe = "falling",
     .reach = 0.3,
     .friction = 1.0,
     .servos = true},
};
const int BENCH_NLINKAGE = sizeof BENCH_LINKAGES / sizeof *BENCH_LINKAGES;

// ---- scenes

// One free body per link, each pinned to the one before: every joint is a row.
static dp_status add_pinned_link(dp_spec *spec, int i)
{
    const double length = 0.1, radius = 0.02, half = 0.03, mass = 0.08;
    char name[32], before[32];
    snprintf(name, sizeof name, "link_%d", i);
    snprintf(before, sizeof before, "link_%d", i - 1);
    dp_body_id body;
    dp_body_spec link = dp_body_spec_default();
    link.name = name;
    link.pose.p = (dp_v3){length * (i - 1), 0.0, 0.0};
    dp_status status = dp_spec_add_body(&body, spec, DP_WORLD, &link);

    dp_joint_spec loose = dp_joint_spec_default();
    loose.kind = DP_JOINT_FREE;
    status = status != DP_OK ? status : dp_spec_add_joint(NULL, spec, body, &loose);

    dp_geom_spec rod = dp_geom_spec_default();
    rod.kind = DP_GEOM_CAPSULE;
    rod.size[0] = radius;
    rod.size[1] = half;
    rod.pose = (dp_pose){{sqrt(0.5), 0.0, sqrt(0.5), 0.0}, {0.5 * length, 0.0, 0.0}};
    rod.mass = mass;
    status = status != DP_OK ? status : dp_spec_add_geom(NULL, spec, body, &rod);

    dp_equality_spec pin = dp_equality_spec_default();
    pin.kind = DP_EQUALITY_CONNECT;
    pin.object[0] = name;
    pin.object[1] = i > 1 ? before : NULL;
    return status != DP_OK ? status : dp_spec_add_equality(NULL, spec, &pin);
}

static dp_status make_pinned_chain(dp_spec **out, int links)
{
    dp_status status = dp_spec_create(out, NULL);
    if (status == DP_OK) {
        dp_spec_options(*out)->disable_contact = true;
    }
    for (int i = 1; i <= links && status == DP_OK; ++i) {
        status = add_pinned_link(*out, i);
    }
    return status;
}

static const dp_key_spec *find_key(dp_spec *spec, const char *name)
{
    for (int i = 0; i < dp_spec_key_count(spec); ++i) {
        const dp_key_spec *key = dp_spec_key(spec, (dp_key_id){i});
        if (strcmp(key->name, name) == 0) {
            return key;
        }
    }
    return NULL;
}

static void limit_hinges(dp_spec *spec, const bench_linkage *linkage)
{
    static const int NQ[] = {
        [DP_JOINT_FREE] = 7, [DP_JOINT_BALL] = 4, [DP_JOINT_SLIDE] = 1, [DP_JOINT_HINGE] = 1};
    const dp_key_spec *key = find_key(spec, linkage->keyframe);
    int at = 0;
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        dp_joint_spec *joint = dp_spec_joint(spec, (dp_joint_id){j});
        if (joint->kind == DP_JOINT_HINGE) {
            const double start = key && at < key->nq ? key->q[at] : joint->ref;
            joint->limited = true;
            joint->range[0] = start - linkage->reach;
            joint->range[1] = start + linkage->reach;
            joint->friction_loss = linkage->friction;
        }
        at += NQ[joint->kind];
    }
}

static void make_servos(dp_spec *spec)
{
    const double stiffness = 300.0, damping = 10.0, strongest = 60.0; // N m/rad, N m s/rad, N m
    for (int u = 0; u < dp_spec_actuator_count(spec); ++u) {
        dp_actuator_spec *servo = dp_spec_actuator(spec, (dp_actuator_id){u});
        servo->gear[0] = 1.0;
        servo->gain[0] = stiffness;
        servo->bias[1] = -stiffness;
        servo->bias[2] = -damping;
        servo->force_limited = true;
        servo->force_range[0] = -strongest;
        servo->force_range[1] = strongest;
    }
}

// The scene as MJCF (free it), so that all engines read the same text. NULL: dp_last_error() tells.
static char *write_scene(const bench_linkage *linkage, const char *folder)
{
    dp_spec *spec = NULL;
    char *text = NULL;
    size_t bytes;
    dp_status status;
    if (linkage->file) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s.xml", folder, linkage->file);
        const dp_import_options options = dp_import_options_default();
        status = dp_mjcf_load(&spec, NULL, path, &options);
    } else {
        status = make_pinned_chain(&spec, linkage->links);
    }
    if (status == DP_OK && linkage->reach > 0.0) {
        limit_hinges(spec, linkage);
    }
    if (status == DP_OK && linkage->servos) {
        make_servos(spec);
    }
    if (status == DP_OK && dp_mjcf_write(&text, &bytes, spec, NULL) != DP_OK) {
        text = NULL;
    }
    dp_spec_destroy(spec);
    return text;
}

// ---- measurements

enum { DASHPOT, MUJOCO, STIFF, PARTIES };

typedef struct party {
    bench_engine engine[PARTIES];
    bench_engine meter; // Dashpot, whose kinematics judge all of them
    double *q, *v;
} party;

static void disband(party *all)
{
    for (int e = 0; e < PARTIES; ++e) {
        if (all->engine[e].self) {
            all->engine[e].destroy(all->engine[e].self);
        }
    }
    if (all->meter.self) {
        all->meter.destroy(all->meter.self);
    }
    free(all->q);
    free(all->v);
}

static bool assemble(party *all, const char *scene, bench_setup setup)
{
    *all = (party){.q = NULL};
    if (bench_dashpot(&all->engine[DASHPOT], &setup) != DP_OK ||
        bench_dashpot(&all->meter, &setup) != DP_OK) {
        fprintf(stderr, "dashpot_bench: dashpot does not run %s: %s\n", scene, dp_last_error());
        disband(all);
        return false;
    }
    const dp_model_size *size = dp_model_sizes(bench_dashpot_model(&all->meter));
    all->q = calloc((size_t)size->nq + 1, sizeof(double));
    all->v = calloc((size_t)size->nv + 1, sizeof(double));
    if (!all->q || !all->v) {
        disband(all);
        return false;
    }
#ifdef BENCH_MUJOCO
    for (int e = MUJOCO; e <= STIFF; ++e) {
        char why[500];
        setup.stiff = e == STIFF;
        bench_mujoco(&all->engine[e], &setup, why, sizeof why);
        if (!all->engine[e].self) {
            fprintf(stderr, "dashpot_bench: mujoco does not run %s: %s\n", scene, why);
        }
    }
#endif
    // Keyframes need not obey the loops: a first step makes velocities that do.
    if (!all->engine[DASHPOT].run(all->engine[DASHPOT].self, 1)) {
        fprintf(stderr, "dashpot_bench: dashpot does not run %s: %s\n", scene, dp_last_error());
        disband(all);
        return false;
    }
    all->engine[DASHPOT].state(all->q, all->v, all->engine[DASHPOT].self);
    for (int e = 0; e < PARTIES; ++e) {
        if (all->engine[e].self) {
            all->engine[e].start(all->engine[e].self, all->q, all->v);
        }
    }
    return true;
}

// The widest gaps in so many steps.
static void watch_gaps(bench_row *const *row, const party *all, int steps)
{
    for (int e = 0; e < PARTIES; ++e) {
        const bench_engine *engine = &all->engine[e];
        if (!engine->self || row[e]->diverged) {
            continue;
        }
        engine->reset(engine->self);
        bench_gaps worst = {0.0, 0.0};
        for (int s = 0; s < steps && engine->run(engine->self, 1); ++s) {
            engine->state(all->q, all->v, engine->self);
            const bench_gaps now = bench_dashpot_gaps(&all->meter, all->q, all->v);
            worst.loop = fmax(worst.loop, now.loop);
            worst.limit = fmax(worst.limit, now.limit);
        }
        const dp_model *m = bench_dashpot_model(&all->meter);
        row[e]->loop_gap = dp_model_sizes(m)->nequality > 0 ? worst.loop : NAN;
        row[e]->limit_excess = bench_dashpot_limited(&all->meter) ? worst.limit : NAN;
    }
}

// The largest change of energy without dampers and actuators, over Dashpot's greatest kinetic one.
static void watch_energy(bench_row *const *row, const party *all, int steps)
{
    double scale = NAN;
    for (int e = 0; e < PARTIES; ++e) {
        const bench_engine *engine = &all->engine[e];
        if (!engine->self || row[e]->diverged) {
            continue;
        }
        engine->reset(engine->self);
        double first = NAN, largest = 0.0, kinetic = 0.0;
        bool fine = true;
        for (int s = 0; s <= steps && fine; ++s) {
            engine->state(all->q, all->v, engine->self);
            const bench_energy energy = bench_dashpot_energy(&all->meter, all->q, all->v);
            first = s == 0 ? energy.total : first;
            largest = fmax(largest, fabs(energy.total - first));
            kinetic = fmax(kinetic, energy.kinetic);
            fine = engine->run(engine->self, 1);
        }
        scale = e == DASHPOT ? kinetic : scale;
        row[e]->energy_drift = fine ? largest / scale : INFINITY;
    }
}

static void open_rows(bench_row **row, bench_results *results, const party *all, const char *scene)
{
    static const char *const METHOD[] = {"default", "default", "stiff"};
    const dp_model_size *size = dp_model_sizes(bench_dashpot_model(&all->meter));
    for (int e = 0; e < PARTIES; ++e) {
        const bench_engine *engine = &all->engine[e];
        row[e] = NULL;
        if (engine->self) {
            row[e] = bench_row_add(results, scene, engine->name, METHOD[e], "step");
            row[e]->bodies = size->nbody - 1;
            row[e]->nv = size->nv;
            memcpy(row[e]->version, engine->version, sizeof row[e]->version);
        }
    }
}

static void add_verdicts(bench_results *results, bench_row *const *row)
{
    const double no_slower = 1.0;
    for (int e = MUJOCO; e <= STIFF; ++e) {
        if (!row[e] || row[e]->ns.n == 0 || row[DASHPOT]->ns.n == 0 ||
            results->nverdict == BENCH_MAX_VERDICTS) {
            continue;
        }
        bench_verdict *verdict = &results->verdict[results->nverdict++];
        const bench_sample ratios = bench_ratios(&row[DASHPOT]->ns, &row[e]->ns);
        *verdict = (bench_verdict){.method = row[e]->method,
                                   .against = "mujoco",
                                   .ratio = bench_median(&ratios),
                                   .target = no_slower};
        memcpy(verdict->scene, row[e]->scene, sizeof verdict->scene);
        memcpy(verdict->engine, row[e]->engine, sizeof verdict->engine);
    }
}

bool bench_measure_linkage(bench_results *results, const bench_linkage *linkage, const char *folder,
                           const bench_effort *effort)
{
    char *text = write_scene(linkage, folder);
    if (!text) {
        fprintf(stderr, "dashpot_bench: %s: %s\n", linkage->name, dp_last_error());
        return false;
    }
    bench_setup setup = {.text = text, .keyframe = linkage->keyframe, .h = results->h};
    bench_row *row[PARTIES];
    party all;
    const bool loaded = assemble(&all, linkage->name, setup);
    if (loaded) {
        const int steps = (int)(results->energy_seconds / results->h + 0.5);
        open_rows(row, results, &all, linkage->name);
        bench_time_engines(row, all.engine, PARTIES, BENCH_RUN_STEPS, effort->seconds,
                           effort->repetitions);
        add_verdicts(results, row);
        watch_gaps(row, &all, steps);
        disband(&all);
        // Limits and friction take energy away, rightly.
        setup.conservative = true;
        if (isnan(row[DASHPOT]->limit_excess) && assemble(&all, linkage->name, setup)) {
            watch_energy(row, &all, steps);
            disband(&all);
        }
    }
    free(text);
    return loaded;
}

bool bench_run_linkage(const bench_linkage *linkage, const char *folder, double h, int n)
{
    char *text = write_scene(linkage, folder);
    const bench_setup setup = {.text = text, .keyframe = linkage->keyframe, .h = h};
    bench_engine dashpot = {.self = NULL};
    const bool fine = text && bench_dashpot(&dashpot, &setup) == DP_OK;
    const bool ran = fine && dashpot.run(dashpot.self, n);
    if (!ran) {
        fprintf(stderr, "dashpot_bench: %s: %s\n", linkage->name, dp_last_error());
    }
    if (fine) {
        dashpot.destroy(dashpot.self);
    }
    free(text);
    return ran;
}
