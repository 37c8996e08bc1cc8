#include "bench_print.h"

#include <math.h>
#include <string.h>

static const char *const ENGINE[] = {"dashpot", "mujoco", "bullet32", "bullet64"};
enum { ENGINES = sizeof ENGINE / sizeof *ENGINE };

// "23.4k ±1%", right-aligned in 14 columns.
static void print_speed(FILE *file, const bench_row *row)
{
    if (!row || (row->ns.n == 0 && !row->diverged)) {
        fprintf(file, "%14s", "-");
    } else if (row->diverged) {
        fprintf(file, "%14s", "diverged");
    } else {
        fprintf(file, "%8.1fk ±%2.0f%%", 1e6 / bench_median(&row->ns),
                100.0 * bench_spread(&row->ns));
    }
}

static const bench_verdict *find_verdict(const bench_results *results, const char *scene,
                                         const char *method, const char *against)
{
    for (int i = 0; i < results->nverdict; ++i) {
        if (strcmp(results->verdict[i].scene, scene) == 0 &&
            strcmp(results->verdict[i].method, method) == 0 &&
            strcmp(results->verdict[i].against, against) == 0) {
            return &results->verdict[i];
        }
    }
    return NULL;
}

static void print_ratio(FILE *file, const bench_verdict *verdict)
{
    if (verdict) {
        fprintf(file, "%8.2f", verdict->ratio);
    } else {
        fprintf(file, "%8s", "-");
    }
}

// One line per scene: all engines, the ratios, and what is asked of them.
static void print_comparison(FILE *file, const bench_results *results, const bench_scene *scene,
                             int nscene, const char *method)
{
    fprintf(file, "%-12s%7s%5s", "scene", "bodies", "dof");
    for (int e = 0; e < ENGINES; ++e) {
        fprintf(file, "%14s", ENGINE[e]);
    }
    fprintf(file, "%8s%8s  %s\n", "/mujoco", "/best", "target");
    for (int i = 0; i < nscene; ++i) {
        const char *name = scene[i].name;
        const bench_row *own = bench_row_find(results, name, "dashpot", method, "step");
        if (!own) {
            continue;
        }
        fprintf(file, "%-12s%7d%5d", name, own->bodies, own->nv);
        for (int e = 0; e < ENGINES; ++e) {
            print_speed(file, bench_row_find(results, name, ENGINE[e], method, "step"));
        }
        const bench_verdict *mujoco = find_verdict(results, name, method, "mujoco");
        const bench_verdict *best = find_verdict(results, name, method, "best peer");
        print_ratio(file, mujoco);
        print_ratio(file, best);
        const bench_verdict *asked = scene[i].target_is_best ? best : mujoco;
        if (asked && asked->target > 0.0) {
            fprintf(file, "  %.1f x %s: %s", asked->target,
                    scene[i].target_is_best ? "best" : "mujoco",
                    asked->ratio >= asked->target ? "met" : "missed");
        }
        fprintf(file, "\n");
    }
}

static void print_speeds(FILE *file, const bench_results *results, const bench_scene *scene,
                         int nscene)
{
    fprintf(
        file,
        "\nSpeed: thousand steps per CPU second, one thread, h = %g ms; median and half the range."
        "\nMuJoCo without its sensors, which Dashpot evaluates only when asked.\n\n",
        1e3 * results->h);
    print_comparison(file, results, scene, nscene, "default");
    bool any = false;
    for (int i = 0; i < nscene; ++i) {
        any = any || scene[i].undamped;
    }
    if (any) {
        fprintf(file, "\nWithout dampers in the joints, where MuJoCo factors once per step and not "
                      "twice\n\n");
        print_comparison(file, results, scene, nscene, "undamped");
    }
}

static void print_sensors(FILE *file, const bench_results *results, const bench_scene *scene,
                          int nscene)
{
    fprintf(file, "\nThe same with all sensors evaluated in every step\n\n%-12s%14s%14s%8s\n",
            "scene", "dashpot", "mujoco", "/mujoco");
    for (int i = 0; i < nscene; ++i) {
        const bench_row *own = bench_row_find(results, scene[i].name, "dashpot", "sensors", "step");
        const bench_row *peer = bench_row_find(results, scene[i].name, "mujoco", "sensors", "step");
        if (own) {
            fprintf(file, "%-12s", scene[i].name);
            print_speed(file, own);
            print_speed(file, peer);
            const bench_sample ratios =
                peer ? bench_ratios(&own->ns, &peer->ns) : (bench_sample){0};
            if (ratios.n > 0) {
                fprintf(file, "%8.2f", bench_median(&ratios));
            }
            fprintf(file, "\n");
        }
    }
}

static void print_small(FILE *file, double x)
{
    if (isnan(x)) {
        fprintf(file, "%12s", "-");
    } else if (isinf(x)) {
        fprintf(file, "%12s", "diverged");
    } else {
        fprintf(file, "%12.1e", x);
    }
}

static void print_accuracy(FILE *file, const bench_results *results, const bench_scene *scene,
                           int nscene)
{
    fprintf(file,
            "\nTime and accuracy: cost of one simulated second, and errors of the centres of mass "
            "after %g s"
            "\nagainst Dashpot's error-controlled Runge-Kutta pair at 1e-12. Energy: largest "
            "change in %g s without"
            "\ndampers and actuators, over the greatest kinetic energy. rk4 h/16 bounds the error "
            "of the reference.\n\n",
            results->horizon, results->energy_seconds);
    fprintf(file, "%-12s%-10s%-11s%12s%12s%12s%12s\n", "scene", "engine", "method", "CPU ms",
            "position m", "speed m/s", "energy");
    for (int i = 0; i < nscene; ++i) {
        for (int k = 0; k < results->nrow; ++k) {
            const bench_row *row = &results->row[k];
            if (strcmp(row->scene, scene[i].name) != 0 || strcmp(row->stage, "step") != 0 ||
                strcmp(row->method, "sensors") == 0 || strcmp(row->method, "undamped") == 0) {
                continue;
            }
            fprintf(file, "%-12s%-10s%-11s", row->scene, row->engine, row->method);
            if (row->diverged) {
                fprintf(file, "%12s\n", "diverged");
                continue;
            }
            fprintf(file, "%12.3f", 1e-6 * bench_median(&row->ns) / row->h);
            print_small(file, row->position_error);
            print_small(file, row->velocity_error);
            print_small(file, row->energy_drift);
            fprintf(file, "\n");
        }
    }
}

static void print_stages(FILE *file, const bench_results *results, const bench_scene *scene,
                         int nscene)
{
    static const char *const STAGE[] = {
        "kinematics",   "forces",    "velocity terms", "factor", "solve", "factor+solve",
        "all dynamics", "integrate", "checks",         "rest",   "step"};
    fprintf(file, "\nStages: ns per step (per body)\n\n%-12s%-16s", "scene", "stage");
    for (int e = 0; e < ENGINES; ++e) {
        fprintf(file, "%18s", ENGINE[e]);
    }
    fprintf(file, "\n");
    for (int i = 0; i < nscene; ++i) {
        for (size_t s = 0; s < sizeof STAGE / sizeof *STAGE; ++s) {
            const bench_row *row[ENGINES];
            bool any = false;
            for (int e = 0; e < ENGINES; ++e) {
                row[e] = bench_row_find(results, scene[i].name, ENGINE[e], "default", STAGE[s]);
                any = any || row[e];
            }
            if (!any) {
                continue;
            }
            fprintf(file, "%-12s%-16s", scene[i].name, STAGE[s]);
            for (int e = 0; e < ENGINES; ++e) {
                if (row[e] && row[e]->ns.n > 0) {
                    const double ns = bench_median(&row[e]->ns);
                    fprintf(file, "%9.0f (%6.1f)", ns, ns / row[e]->bodies);
                } else {
                    fprintf(file, "%18s", "");
                }
            }
            fprintf(file, "\n");
        }
    }
}

static void print_growth(FILE *file, const bench_results *results)
{
    const double linear = 1.1; // what still counts as linear: caches end, loops get longer
    fprintf(file, "\nGrowth: ns per step and link of a chain; exponent of cost over links\n\n%-10s",
            "links");
    const bench_growth *longest = &results->growth[0];
    for (int k = 0; k < longest->n; ++k) {
        fprintf(file, "%8g", longest->links[k]);
    }
    fprintf(file, "%10s\n", "exponent");
    for (int i = 0; i < results->ngrowth; ++i) {
        const bench_growth *growth = &results->growth[i];
        fprintf(file, "%-10s", growth->engine);
        for (int k = 0; k < longest->n; ++k) {
            if (k < growth->n) {
                fprintf(file, "%8.0f", growth->ns[k] / growth->links[k]);
            } else {
                fprintf(file, "%8s", "");
            }
        }
        fprintf(file, "%10.2f", growth->exponent);
        if (strcmp(growth->engine, "dashpot") == 0) {
            fprintf(file, "  linear (at most %.1f): %s", linear,
                    growth->exponent <= linear ? "met" : "missed");
        }
        fprintf(file, "\n");
    }
}

// Loops, limits and servos: one line per scene and engine.
static void print_linkages(FILE *file, const bench_results *results, const bench_linkage *linkage,
                           int nlinkage)
{
    static const char *const PARTY[][2] = {
        {"dashpot", "default"}, {"mujoco", "default"}, {"mujoco", "stiff"}};
    fprintf(file,
            "\nLoops, limits, dry friction and servos of bounded force: thousand steps per CPU "
            "second, Dashpot's speed over"
            "\nthis one's; widest gap of a loop and furthest joint beyond its range in %g s; "
            "energy as above, without dampers"
            "\nand actuators. MuJoCo as it comes, and with its constraints as stiff as it takes "
            "them at this step.\n\n",
            results->energy_seconds);
    fprintf(file, "%-16s%7s%5s  %-16s%14s%8s%12s%12s%12s\n", "scene", "bodies", "dof", "engine",
            "speed", "ratio", "gap", "beyond", "energy");
    for (int i = 0; i < nlinkage; ++i) {
        const char *name = linkage[i].name;
        for (size_t k = 0; k < sizeof PARTY / sizeof *PARTY; ++k) {
            const bench_row *row = bench_row_find(results, name, PARTY[k][0], PARTY[k][1], "step");
            if (!row) {
                continue;
            }
            char engine[48];
            snprintf(engine, sizeof engine, "%s%s", row->engine,
                     strcmp(row->method, "stiff") == 0 ? ", stiff" : "");
            fprintf(file, "%-16s%7d%5d  %-16s", name, row->bodies, row->nv, engine);
            print_speed(file, row);
            if (k == 0) {
                fprintf(file, "%8s", "");
            } else {
                print_ratio(file, find_verdict(results, name, row->method, "mujoco"));
            }
            print_small(file, row->loop_gap);
            print_small(file, row->limit_excess);
            print_small(file, row->energy_drift);
            fprintf(file, "\n");
        }
    }
}

void bench_print(FILE *file, const bench_results *results, const bench_scene *scene, int nscene,
                 const bench_linkage *linkage, int nlinkage)
{
    fprintf(file, "commit    %s\ncompiler  %s\nmachine   %s\n", results->commit, results->compiler,
            results->machine);
    for (int e = 1; e < ENGINES; ++e) {
        for (int k = 0; k < results->nrow; ++k) {
            if (strcmp(results->row[k].engine, ENGINE[e]) == 0) {
                fprintf(file, "%-9s %s\n", ENGINE[e], results->row[k].version);
                break;
            }
        }
    }
    if (nscene > 0) {
        print_speeds(file, results, scene, nscene);
        print_sensors(file, results, scene, nscene);
        print_accuracy(file, results, scene, nscene);
        print_stages(file, results, scene, nscene);
    }
    if (nlinkage > 0) {
        print_linkages(file, results, linkage, nlinkage);
    }
    if (results->ngrowth > 0) {
        print_growth(file, results);
    }
}
