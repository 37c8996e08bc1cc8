#include "bench_contact.h"

#include "bench_lcp.h"
#include "bench_threads.h"
#include "contact_case.h"
#include "contact_dashpot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- engines

typedef struct party {
    const char *name;
    contact_create *create;
    int variant;
    int colour; // of a plot, 1 … 8
} party;

static const party PARTIES[] = {
    {"dashpot", contact_dashpot, 1, 1},
#ifdef BENCH_MUJOCO
    {"mujoco", contact_mujoco, CONTACT_MUJOCO_PYRAMID, 2},
    {"mujoco cone", contact_mujoco, CONTACT_MUJOCO_ELLIPTIC, 3},
    {"mujoco stiff", contact_mujoco, CONTACT_MUJOCO_STIFF, 4},
#endif
#ifdef BENCH_NEWER_MUJOCO // "mujoco" and its major version
    {BENCH_NEWER_MUJOCO, contact_mujoco_newer, CONTACT_MUJOCO_PYRAMID, 2},
    {BENCH_NEWER_MUJOCO " cone", contact_mujoco_newer, CONTACT_MUJOCO_ELLIPTIC, 3},
    {BENCH_NEWER_MUJOCO " stiff", contact_mujoco_newer, CONTACT_MUJOCO_STIFF, 4},
#endif
#ifdef BENCH_ODE
    {"ode direct", contact_ode, CONTACT_ODE_DIRECT, 5},
    {"ode quick", contact_ode, CONTACT_ODE_QUICK, 6},
#endif
    {"bullet32", contact_bullet, CONTACT_BULLET_FLOAT, 7},
    {"bullet64", contact_bullet, CONTACT_BULLET_DOUBLE, 7},
    {"dart", contact_dart, 0, 8},
};
enum { NPARTY = sizeof PARTIES / sizeof *PARTIES };
#ifndef BENCH_NEWER_MUJOCO
#define BENCH_NEWER_MUJOCO "none" // no party has this name
#endif

// ---- scenes

// What is asked of Dashpot: a speed, or a ratio to a peer's.
typedef struct goal {
    const char *against; // a party; NULL: steps per second
    double least;        // 0: nothing
} goal;

typedef struct entry {
    const char *name;
    contact_generator *make; // NULL: a file
    int n;
    const char *file, *keyframe;
    double h, seconds; // of a file [s]
    bool holds;        // its bodies should stay where they are
    bool exact;        // Dashpot solves heaps to all digits, however they move
    bool settled;      // starts where the bodies of another run came to rest
    goal goal;
} entry;

static const entry ENTRIES[] = {
    {.name = "stack_10", .make = contact_stack, .n = 10, .goal = {"ode direct", 1.2}},
    {.name = "stack_100", .make = contact_stack, .n = 100, .goal = {NULL, 10e3}},
    {.name = "stack_400", .make = contact_stack, .n = 400, .goal = {NULL, 2e3}},
    {.name = "ramp", .make = contact_ramp, .goal = {NULL, 300e3}},
    {.name = "wall_105", .make = contact_wall, .n = 10, .goal = {NULL, 1.5e3}},
    {.name = "pyramid_210", .make = contact_pyramid, .n = 20, .goal = {NULL, 0.8e3}},
    {.name = "balls_fall", .make = contact_balls, .n = 666, .goal = {NULL, 150.0}},
    {.name = "balls_fall_exact", .make = contact_balls, .n = 666, .exact = true},
    {.name = "balls_rest", .make = contact_balls, .n = 666, .settled = true, .goal = {NULL, 400.0}},
    {.name = "cube_900", .make = contact_feet, .n = 900, .goal = {NULL, 10e3}},
    {.name = "humanoid_falls",
     .file = "humanoid",
     .keyframe = "falling",
     .h = 0.005,
     .seconds = 2.0,
     .goal = {"mujoco", 1.2}},
    {.name = "hand_ball",
     .file = "hand_holds_ball",
     .keyframe = "held",
     .h = 0.001,
     .seconds = 1.0,
     .holds = true,
     .goal = {"mujoco", 1.3}},
    {.name = "heavy_1000", .make = contact_heavy, .n = 1000, .goal = {"ode direct", 1.0}},
    {.name = "hard_1e11", .make = contact_hard},
};
enum { NENTRY = sizeof ENTRIES / sizeof *ENTRIES };

static const entry *find_entry(const char *name)
{
    for (int i = 0; i < NENTRY; ++i) {
        if (strcmp(ENTRIES[i].name, name) == 0) {
            return &ENTRIES[i];
        }
    }
    return NULL;
}

bool bench_contact_knows(const char *name)
{
    return find_entry(name) != NULL;
}

void bench_contact_list(FILE *file)
{
    for (int i = 0; i < NENTRY; ++i) {
        fprintf(file, "%s%s", i ? ", " : " ", ENTRIES[i].name);
    }
}

// The mechanism of a file, with contact, as MJCF that all engines read.
static bool load_file(contact_scene *out, const entry *e, const char *folder)
{
    *out = (contact_scene){.h = e->h,
                           .seconds = e->seconds,
                           .keyframe = e->keyframe,
                           .moves = !e->holds,
                           .upright = 0.02};
    snprintf(out->name, sizeof out->name, "%s", e->name);
    char path[600];
    snprintf(path, sizeof path, "%s/%s.xml", folder, e->file);
    const dp_import_options options = dp_import_options_default();
    dp_spec *spec = NULL;
    size_t bytes;
    dp_status status = dp_mjcf_load(&spec, NULL, path, &options);
    if (status == DP_OK) {
        dp_spec_options(spec)->disable_contact = false;
        status = dp_mjcf_write(&out->text, &bytes, spec, NULL);
    }
    dp_spec_destroy(spec);
    return status == DP_OK;
}

// Where the bodies are after a while of Dashpot's steps. They stop there.
static bool wait_for(contact_scene *scene, double seconds)
{
    contact_engine e;
    contact_dashpot(&e, scene, 1);
    double *q = calloc(7 * (size_t)scene->nbody, sizeof *q);
    const bool fine = e.self && q && e.run(e.self, (int)lround(seconds / scene->h));
    if (fine) {
        e.state(q, e.self);
        for (int i = scene->nfixed; i < scene->nbody; ++i) {
            memcpy(scene->body[i].position, q + 7 * (size_t)(i - scene->nfixed),
                   sizeof scene->body[i].position);
        }
    }
    if (e.self) {
        e.destroy(e.self);
    }
    free(q);
    return fine;
}

// Balls at rest, as bench_contact_settle left them.
static const char AT_REST[] = BENCH_SOURCE "/bench/balls_at_rest.txt";

static bool settle(contact_scene *scene)
{
    FILE *file = fopen(AT_REST, "r");
    bool fine = file != NULL;
    for (int i = scene->nfixed; fine && i < scene->nbody; ++i) {
        double *x = scene->body[i].position;
        fine = fscanf(file, "%lf %lf %lf", &x[0], &x[1], &x[2]) == 3;
    }
    if (file) {
        fclose(file);
    }
    if (!fine) {
        fprintf(stderr, "dashpot_bench: %s has not %d places\n", AT_REST,
                scene->nbody - scene->nfixed);
    }
    scene->seconds = 0.75;
    return fine;
}

bool bench_contact_settle(void)
{
    // Impulses are not kept, and friction finds others: balls that have come to rest stir once
    // more.
    static const double SECONDS[] = {3.0, 2.0, 1.0};
    contact_scene scene;
    if (!contact_balls(&scene, 666, 0.0)) {
        return false;
    }
    bool fine = true;
    for (size_t k = 0; fine && k < sizeof SECONDS / sizeof *SECONDS; ++k) {
        fine = wait_for(&scene, SECONDS[k]);
    }
    FILE *file = fine ? fopen(AT_REST, "w") : NULL;
    for (int i = scene.nfixed; file && i < scene.nbody; ++i) {
        const double *x = scene.body[i].position;
        fprintf(file, "%.17g %.17g %.17g\n", x[0], x[1], x[2]);
    }
    contact_scene_free(&scene);
    return file && fclose(file) == 0;
}

static bool make_scene(contact_scene *out, const entry *e, const char *folder, double h)
{
    const bool made =
        e->make ? e->make(out, e->n, h) && (!e->settled || settle(out)) : load_file(out, e, folder);
    if (!made) {
        fprintf(stderr, "dashpot_bench: %s cannot be made: %s\n", e->name, dp_last_error());
        return false;
    }
    snprintf(out->name, sizeof out->name, "%s", e->name);
    out->exact = e->exact;
    return true;
}

// ---- measurements

// An engine on a scene.
typedef struct cell {
    contact_result result; // of the first run
    bench_sample ns;
    double to_accuracy;   // [s] CPU time of a simulated second at the longest step that is accurate
    double accurate_step; // [s] that step; 0: none was; NAN: not looked for
} cell;

typedef struct table {
    const entry *scene;
    contact_scene what; // without its bodies: h, seconds, names
    cell cell[NPARTY];
    double slide; // [m] of the first body by the law, along both axes; 0: it should stay
} table;

// Halve the step until bodies end where the law takes them.
static void find_accurate_step(cell *c, const entry *e, const party *p, const char *folder,
                               double h, double tolerance, double budget)
{
    const int halvings = 5;
    if (c->result.error <= tolerance) {
        c->accurate_step = h;
        c->to_accuracy = 1e-9 * bench_median(&c->ns) / h;
        return;
    }
    for (int k = 1; k <= halvings; ++k) {
        const double step = h / (1 << k);
        contact_scene scene;
        if (!make_scene(&scene, e, folder, step)) {
            return;
        }
        const contact_effort effort = {.least = 0.05, .budget = budget, .judge = true};
        contact_result r;
        contact_run_apart(&r, &scene, p->create, p->variant, &effort);
        const bool accurate = r.end == CONTACT_DONE && r.error <= tolerance;
        contact_scene_free(&scene);
        if (accurate) {
            c->accurate_step = step;
            c->to_accuracy = 1e-9 * r.ns / step;
            return;
        }
        if (r.end == CONTACT_CUT || r.end == CONTACT_CRASHED) {
            return; // smaller steps would take even longer
        }
    }
}

static bool measure(table *t, const char *folder, bool quick)
{
    const entry *e = t->scene;
    const double budget = quick ? 1.0 : 3.0, slow = 0.3, brief = 0.3; // [s] of CPU time
    const int repetitions = quick ? 1 : 3;
    contact_scene scene;
    if (!make_scene(&scene, e, folder, 0.0)) {
        return false;
    }
    contact_effort effort = {.least = quick ? 0.02 : 0.1, .budget = budget, .judge = true};
    effort.skip = e->settled ? 50 : 0;
    for (int r = 0; r < repetitions; ++r) {
        for (int i = 0; i < NPARTY; ++i) { // in turn, so that a slow moment slows all of them
            cell *c = &t->cell[i];
            const double first = 1e-9 * c->result.ns * c->result.steps; // [s]
            const bool whole = c->result.end == CONTACT_DONE || c->result.end == CONTACT_FELL;
            if (r > 0 && (!whole || first > slow)) {
                continue;
            }
            contact_result again;
            effort.judge = r == 0;
            contact_run_apart(r == 0 ? &c->result : &again, &scene, PARTIES[i].create,
                              PARTIES[i].variant, &effort);
            const double ns = r == 0 ? c->result.ns : again.ns;
            if (ns > 0.0) {
                bench_sample_add(&c->ns, ns);
            }
        }
    }
    for (int i = 0; i < NPARTY; ++i) {
        cell *c = &t->cell[i];
        c->to_accuracy = c->accurate_step = (double)NAN;
        if (!isnan(c->result.error) && e->make && !quick) {
            c->accurate_step = 0.0;
            find_accurate_step(c, e, &PARTIES[i], folder, scene.h, scene.tolerance, brief);
        }
    }
    if (scene.nbody > 0 && scene.moves && !isnan(scene.body[scene.nfixed].end[0])) {
        t->slide = scene.body[scene.nfixed].end[0];
    }
    t->what = scene;
    t->what.body = NULL;
    t->what.geom = NULL;
    t->what.text = NULL;
    contact_scene_free(&scene);
    return true;
}

// ---- growth

typedef struct family {
    const char *name, *unit;
    contact_generator *make;
    int size[6]; // ascending, 0 ends
} family;

static const family FAMILIES[] = {
    {"stack", "balls", contact_stack, {10, 30, 100, 300, 1000}},
    {"islands", "pairs of balls", contact_pairs, {1, 10, 100, 1000}},
    {"contacts of a body", "contacts", contact_feet, {9, 100, 900, 10000}},
    {"chain, all links touch", "links", contact_chain, {10, 30, 100, 300}},
    {"chain, its tip touches", "links", contact_tip, {10, 30, 100, 300, 1000}},
};
enum { NFAMILY = sizeof FAMILIES / sizeof *FAMILIES, NSIZE = 6 };

typedef struct growth {
    int n; // sizes that were measured
    double size[NSIZE], ns[NSIZE];
    double exponent;
} growth;

static bool is_grown(const party *p) // peers of which growth is of interest
{
    return strcmp(p->name, "dashpot") == 0 || strcmp(p->name, "mujoco") == 0 ||
           strcmp(p->name, BENCH_NEWER_MUJOCO) == 0 || strcmp(p->name, "ode direct") == 0;
}

// [ns] of a step, once. NAN: there is none
static double cost_of(const family *f, int size, const party *p, const contact_effort *effort)
{
    contact_scene scene;
    contact_result r = {.ns = (double)NAN};
    if (!f->make(&scene, size, 0.0)) {
        return (double)NAN;
    }
    if (scene.links == 0 || p->create == contact_dashpot) { // peers are not given joints
        scene.seconds = 60 * scene.h;
        contact_run_apart(&r, &scene, p->create, p->variant, effort);
    }
    contact_scene_free(&scene);
    return r.ns;
}

// The least of several runs, all sizes in turn: what else the machine does adds to some of them.
static void grow(growth *g, const family *f, const party *p, bool quick)
{
    const double longest = quick ? 2e7 : 5e7; // [ns] of a step; beyond, nobody waits for the next
    const int turns = quick ? 1 : 5;
    const contact_effort effort = {
        .least = quick ? 0.02 : 0.1, .budget = quick ? 1.0 : 4.0, .skip = 10};
    for (int k = 0; k < NSIZE && f->size[k] > 0; ++k) {
        const double ns = cost_of(f, f->size[k], p, &effort);
        if (!(ns > 0.0)) {
            break;
        }
        g->size[g->n] = f->size[k];
        g->ns[g->n++] = ns;
        if (ns > longest || (quick && k == 2)) {
            break;
        }
    }
    for (int turn = 1; turn < turns; ++turn) {
        for (int k = 0; k < g->n && g->ns[k] < longest; ++k) {
            g->ns[k] = fmin(g->ns[k], cost_of(f, f->size[k], p, &effort));
        }
    }
    g->exponent = g->n > 1 ? bench_exponent(g->size, g->ns, g->n) : (double)NAN;
}

// ---- tables

static const char *const ENDS[] = {
    [CONTACT_ABSENT] = "-",         [CONTACT_DONE] = "stands", [CONTACT_FELL] = "FALLS",
    [CONTACT_GAVE_UP] = "GIVES UP", [CONTACT_CUT] = "cut",     [CONTACT_CRASHED] = "CRASHES",
};

// What became of it, in the words of the scene.
static const char *verdict(const table *t, const cell *c)
{
    if (c->result.end == CONTACT_DONE && t->what.moves) {
        return "runs";
    }
    return ENDS[c->result.end];
}

static void print_small(double x)
{
    if (isnan(x)) {
        printf(" %9s", "");
    } else {
        printf(" %9.1e", x);
    }
}

static double speed(const cell *c) // steps per second
{
    return 1e9 / bench_median(&c->ns);
}

static void print_table(const table *t)
{
    printf("\n%s: h = %.4g ms, %.4g s\n", t->scene->name, 1e3 * t->what.h, t->what.seconds);
    printf("  %-13s %9s %5s %7s %-9s %8s %9s %9s %9s %9s %9s %9s %s\n", "engine", "steps/s", "±%",
           "ratio", "", "contacts", "overlap m", "at end m", "creep m/s", "drift m", "error m",
           "CPU s/s", t->slide != 0.0 ? "slide" : "");
    for (int i = 0; i < NPARTY; ++i) {
        const cell *c = &t->cell[i];
        if (c->result.end == CONTACT_ABSENT) {
            printf("  %-13s %s\n", PARTIES[i].name, c->result.why);
            continue;
        }
        printf("  %-13s", PARTIES[i].name);
        if (c->ns.n > 0) {
            const bench_sample ratio = bench_ratios(&t->cell[0].ns, &c->ns);
            char spread[16] = "";
            if (c->ns.n > 1) {
                snprintf(spread, sizeof spread, "%.1f", 100.0 * bench_spread(&c->ns));
            }
            printf(" %9.4g %5s %7.3g", speed(c), spread, bench_median(&ratio));
        } else {
            printf(" %9s %5s %7s", "", "", "");
        }
        printf(" %-9s %8d", verdict(t, c), c->result.contacts);
        print_small(c->result.penetration);
        print_small(c->result.end_penetration);
        print_small(c->result.creep);
        print_small(t->what.moves ? (double)NAN : c->result.drift);
        print_small(c->result.error);
        if (c->accurate_step > 0.0) {
            printf(" %9.2g", c->to_accuracy);
        } else {
            printf(" %9s", isnan(c->accurate_step) ? "" : "never");
        }
        if (t->slide != 0.0 && c->result.end == CONTACT_DONE) {
            const double mean = 0.5 * (c->result.slide[0] + c->result.slide[1]);
            printf(" %+.4g %%", 100.0 * (mean - t->slide) / t->slide);
        }
        if (c->result.end == CONTACT_CUT) {
            printf(" (%.2g s of it)", c->result.seconds);
        } else if (c->result.why[0]) {
            printf(" (%s)", c->result.why);
        }
        printf("\n");
    }
}

// Dashpot's speed over that of a party; NAN: it has none, or is not there.
static double ratio_to(const table *t, const char *name)
{
    for (int i = 1; i < NPARTY; ++i) {
        if (strcmp(PARTIES[i].name, name) == 0) {
            const bench_sample ratio = bench_ratios(&t->cell[0].ns, &t->cell[i].ns);
            return ratio.n > 0 ? bench_median(&ratio) : (double)NAN;
        }
    }
    return (double)NAN;
}

static void print_goal(const table *t)
{
    const goal *g = &t->scene->goal;
    if (!(g->least > 0.0) || t->cell[0].ns.n == 0) {
        return;
    }
    const double found = g->against ? ratio_to(t, g->against) : speed(&t->cell[0]);
    printf("  %-15s %9.3g of %9.3g %-12s %s", t->scene->name, found, g->least,
           g->against ? g->against : "steps/s", found >= g->least ? "met" : "missed");
    const double newer = ratio_to(t, BENCH_NEWER_MUJOCO);
    if (g->against && strcmp(g->against, "mujoco") == 0 && !isnan(newer)) {
        printf(" (" BENCH_NEWER_MUJOCO ": %.3g)", newer); // which no goal names
    }
    printf("\n");
}

static void print_growth(const family *f, growth g[NPARTY])
{
    printf("\n%s: us per step\n  %-13s", f->name, f->unit);
    for (int k = 0; k < NSIZE && f->size[k] > 0; ++k) {
        printf(" %9d", f->size[k]);
    }
    printf(" exponent\n");
    for (int i = 0; i < NPARTY; ++i) {
        if (g[i].n == 0) {
            continue;
        }
        printf("  %-13s", PARTIES[i].name);
        for (int k = 0; k < NSIZE && f->size[k] > 0; ++k) {
            if (k < g[i].n) {
                printf(" %9.4g", 1e-3 * g[i].ns[k]);
            } else {
                printf(" %9s", "");
            }
        }
        printf(" %8.2f%s\n", g[i].exponent,
               i > 0                  ? ""
               : g[i].exponent <= 1.1 ? "  at most 1.1: met"
                                      : "  at most 1.1: missed");
    }
}

// ---- files

static void csv_number(FILE *file, double x)
{
    if (isfinite(x)) {
        fprintf(file, ",%.6g", x);
    } else {
        fprintf(file, ",");
    }
}

static void write_facts(FILE *file, const bench_results *facts)
{
    fprintf(file, ",%s,\"%s\",\"%s\"\n", facts->commit, facts->compiler, facts->machine);
}

static bool write_csv(const char *path, const bench_results *facts, const table *t, int n,
                      growth (*g)[NPARTY], int ngrowth)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "dashpot_bench: %s cannot be written\n", path);
        return false;
    }
    fprintf(file,
            "date,scene,size,engine,version,step_s,seconds,repetitions,median_ns,min_ns,max_ns,"
            "end,contacts,penetration_m,end_penetration_m,creep_m_per_s,drift_m,error_m,"
            "accurate_step_s,cpu_per_second_at_accuracy,commit,compiler,machine\n");
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < NPARTY; ++i) {
            const cell *c = &t[k].cell[i];
            const contact_result *r = &c->result;
            if (r->end == CONTACT_ABSENT) {
                continue;
            }
            fprintf(file, "%s,%s,,%s,%s,%.6g,%.6g,%d", facts->date, t[k].scene->name,
                    PARTIES[i].name, r->version, t[k].what.h, r->seconds, c->ns.n);
            csv_number(file, bench_median(&c->ns));
            csv_number(file, bench_least(&c->ns));
            csv_number(file, bench_greatest(&c->ns));
            fprintf(file, ",%s,%d", verdict(&t[k], c), r->contacts);
            csv_number(file, r->penetration);
            csv_number(file, r->end_penetration);
            csv_number(file, r->creep);
            csv_number(file, r->drift);
            csv_number(file, r->error);
            csv_number(file, c->accurate_step > 0.0 ? c->accurate_step : (double)NAN);
            csv_number(file, c->to_accuracy);
            write_facts(file, facts);
        }
    }
    for (int k = 0; k < ngrowth; ++k) {
        for (int i = 0; i < NPARTY; ++i) {
            for (int j = 0; j < g[k][i].n; ++j) {
                fprintf(file, "%s,\"growth: %s\",%g,%s,,,,1,%.6g,,,,,,,,,,,", facts->date,
                        FAMILIES[k].name, g[k][i].size[j], PARTIES[i].name, g[k][i].ns[j]);
                write_facts(file, facts);
            }
        }
    }
    const bool fine = !ferror(file);
    return fclose(file) == 0 && fine;
}

// One panel per scene, speed over error (overlap where no end is known), and one per growth.
static bool write_plot(const char *path, const table *t, int n, growth (*g)[NPARTY], int ngrowth)
{
    enum { MOST = NENTRY + NFAMILY };
    static dp_plot_panel panel[MOST];
    static dp_plot_series series[MOST][NPARTY];
    static double x[NENTRY][NPARTY], y[NENTRY][NPARTY];
    for (int k = 0; k < n; ++k) {
        bool known = false;
        for (int i = 0; i < NPARTY; ++i) {
            known = known || !isnan(t[k].cell[i].result.error);
        }
        panel[k] =
            (dp_plot_panel){.title = t[k].scene->name,
                            .x = {.name = known ? "error" : "overlap", .unit = "m", .log = true},
                            .y = {.name = "steps per CPU second", .log = true},
                            .series = series[k],
                            .nseries = NPARTY};
        for (int i = 0; i < NPARTY; ++i) {
            const cell *c = &t[k].cell[i];
            x[k][i] = known ? c->result.error : c->result.penetration;
            y[k][i] = c->ns.n > 0 ? speed(c) : (double)NAN;
            series[k][i] = (dp_plot_series){.name = k == 0 ? PARTIES[i].name : NULL,
                                            .x = &x[k][i],
                                            .y = &y[k][i],
                                            .count = 1,
                                            .style = DP_PLOT_STYLE_MARKS,
                                            .colour = PARTIES[i].colour};
        }
    }
    for (int k = 0; k < ngrowth; ++k) {
        panel[n + k] = (dp_plot_panel){.title = FAMILIES[k].name,
                                       .x = {.name = FAMILIES[k].unit, .log = true},
                                       .y = {.name = "time of a step", .unit = "ns", .log = true},
                                       .series = series[n + k]};
        for (int i = 0; i < NPARTY; ++i) {
            if (g[k][i].n > 0) {
                series[n + k][panel[n + k].nseries++] =
                    (dp_plot_series){.name = PARTIES[i].name,
                                     .x = g[k][i].size,
                                     .y = g[k][i].ns,
                                     .count = (size_t)g[k][i].n,
                                     .style = DP_PLOT_STYLE_MARKED,
                                     .colour = PARTIES[i].colour};
            }
        }
    }
    const dp_plot plot = {
        .title = "Bodies that touch", .panel = panel, .npanel = n + ngrowth, .columns = 3};
    if (dp_plot_write_svg(path, &plot, NULL) != DP_OK) {
        fprintf(stderr, "dashpot_bench: %s\n", dp_last_error());
        return false;
    }
    return true;
}

// ---- all of it

static int choose(const entry **out, const bench_contact_options *options)
{
    int n = 0;
    for (int i = 0; i < options->nscene && n < NENTRY; ++i) {
        const entry *e = find_entry(options->scene[i]);
        if (e) {
            out[n++] = e;
        }
    }
    for (int i = 0; i < NENTRY && options->nscene == 0; ++i) {
        out[n++] = &ENTRIES[i];
    }
    return n;
}

static void explain(void)
{
    printf("\nBodies that touch. Steps per CPU second: median ± half the range; ratio: Dashpot's "
           "speed over this one's.\nOverlap: the deepest of the run, and that at its end; creep: "
           "fastest body in the "
           "last tenth; drift: furthest body from its start, level;\nerror: furthest body from "
           "where the law takes it with the stiffness that is given; CPU s/s: CPU time of a "
           "simulated\nsecond at the longest step, of h, h/2 … h/32, whose error is below 0.1 mm "
           "(ramp: 1 %% of the slide).\n");
}

bool bench_contact(const bench_results *facts, const bench_contact_options *options)
{
    static table t[NENTRY];
    static growth g[NFAMILY][NPARTY];
    const entry *chosen[NENTRY];
    const int n = options->growth ? 0 : choose(chosen, options);
    const bool chatty = isatty(STDERR_FILENO) != 0;
    if (n > 0) {
        explain();
    }
    for (int k = 0; k < n; ++k) {
        if (chatty) {
            fprintf(stderr, "\r\033[K%d/%d %s", k + 1, n, chosen[k]->name);
        }
        t[k].scene = chosen[k];
        if (!measure(&t[k], options->folder, options->quick)) {
            return false;
        }
        if (chatty) {
            fprintf(stderr, "\r\033[K");
        }
        print_table(&t[k]);
        fflush(stdout);
        if (options->csv && !write_csv(options->csv, facts, t, k + 1, g, 0)) {
            return false; // what has been measured is kept, whatever comes
        }
    }
    const int ngrowth = options->nscene == 0 ? NFAMILY : 0;
    for (int k = 0; k < ngrowth; ++k) {
        for (int i = 0; i < NPARTY; ++i) {
            if (is_grown(&PARTIES[i])) {
                grow(&g[k][i], &FAMILIES[k], &PARTIES[i], options->quick);
            }
        }
        print_growth(&FAMILIES[k], g[k]);
        fflush(stdout);
    }
    if (ngrowth > 0) {
        bench_threads(options->quick, options->folder);
        if (!bench_lcp(options->quick)) {
            return false;
        }
    }
    for (int k = 0; k < n; ++k) {
        printf("%s", k > 0 ? "" : "\nGoals\n");
        print_goal(&t[k]);
    }
    return (!options->csv || write_csv(options->csv, facts, t, n, g, ngrowth)) &&
           (!options->plot || write_plot(options->plot, t, n, g, ngrowth));
}

bool bench_contact_hash(const bench_contact_options *options)
{
    const entry *chosen[NENTRY];
    const int n = choose(chosen, options);
    for (int k = 0; k < n; ++k) {
        contact_scene scene;
        if (!make_scene(&scene, chosen[k], options->folder, 0.0)) {
            return false;
        }
        if (options->quick) {
            scene.seconds = fmin(scene.seconds, 20 * scene.h);
        }
        const contact_effort effort = {.budget = (double)INFINITY};
        contact_result r;
        contact_run(&r, &scene, contact_dashpot, options->threads, &effort);
        printf("%016" PRIx64 "  %-15s %d steps%s\n", r.hash, scene.name, r.steps,
               r.end == CONTACT_DONE ? "" : ", not all of them");
        fflush(stdout);
        contact_scene_free(&scene);
    }
    return true;
}

bool bench_contact_only(const char *name, const char *folder, int n)
{
    const entry *e = find_entry(name);
    contact_scene scene;
    if (!e || !make_scene(&scene, e, folder, 0.0)) {
        return false;
    }
    contact_engine engine;
    contact_dashpot(&engine, &scene, 1);
    const bool fine = engine.self && engine.run(engine.self, n);
    if (engine.self) {
        engine.destroy(engine.self);
    }
    contact_scene_free(&scene);
    return fine;
}
