// dashpot_bench: time and accuracy beside MuJoCo, ODE, Bullet and DART. README.md says how to read
// the tables.
#include "bench_broad.h"
#include "bench_collide.h"
#include "bench_contact.h"
#include "bench_friction.h"
#include "bench_print.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const bench_scene SCENES[] = {
    {"pendulum", NULL, 0.0, false, false},       {"chain_10", "swaying", 1.2, true, true},
    {"chain_50", "swaying", 1.2, true, true},    {"chain_100", "swaying", 1.2, true, true},
    {"arm_7dof", "reach", 1.3, false, false},    {"hand_16dof", "closing", 1.5, false, false},
    {"quadruped", "leaping", 0.0, false, false}, {"humanoid", "falling", 1.5, false, false},
};
enum { NSCENES = sizeof SCENES / sizeof *SCENES, MAX_LINKAGES = 32, MAX_CONTACTS = 32 };

static const double STEP = 1e-3; // [s]

static const char HELP[] =
    "usage: dashpot_bench [options]\n"
    "\n"
    "Time and accuracy of Dashpot beside MuJoCo, ODE, Bullet and DART, where they are installed.\n"
    "\n"
    "  --scene NAME        only this scene; may be repeated. Without any, all scenes and the "
    "growth\n"
    "                      of the cost with the number of links\n"
    "  --linkages          only the scenes with loops, limits and servos of bounded force\n"
    "  --contact           only the scenes with bodies that touch, and how their cost grows\n"
    "  --growth            only how their cost grows\n"
    "  --hash              of these scenes, the hash of Dashpot's last state and nothing else\n"
    "  --threads N         with --hash: on so many threads\n"
    "  --settle            let the balls of balls_rest come to rest again and keep their places\n"
    "  --plot FILE         a picture of these scenes, as SVG\n"
    "  --broad             only the broad phase: 10 000 boxes that move, beside Bullet's\n"
    "  --collide           only queries between two shapes, beside libccd and Bullet\n"
    "  --pair NAME         the same for one pair, as box-hull\n"
    "  --friction FOLDER   only the friction-contact problems of a folder, FCLIB's or Siconos',\n"
    "                      beside Siconos\n"
    "  --quick             less patience: a few minutes in all, less for a part\n"
    "  --json              one JSON object on stdout instead of tables\n"
    "  --csv FILE          where the rows go; by default, and only after a full run,\n"
    "                      bench/results/<date>-rows.csv\n"
    "  --scenes FOLDER     where the scenes are\n"
    "  --instructions NAME N   run N steps of Dashpot and nothing else, for callgrind and perf\n"
    "  --queries NAME N    the same for queries, as box-hull-contacts-resting-slow\n"
    "  --help\n"
    "\n"
    "examples:\n"
    "  dashpot_bench --quick --scene humanoid --scene chain_100\n"
    "  dashpot_bench --json > results.json\n"
    "  valgrind --tool=callgrind dashpot_bench --instructions humanoid 1000\n";

typedef struct bench_arguments {
    bench_scene scene[NSCENES];
    int nscene;
    bench_linkage linkage[MAX_LINKAGES];
    int nlinkage;
    const char *contact[MAX_CONTACTS];
    int ncontact;
    bool quick, json, broad, collide, all_contacts, growth, hash, settle;
    const char *csv, *plot, *folder;
    const char *pair;     // --pair
    const char *friction; // --friction
    const char *queries;  // --queries
    int steps;            // --instructions, --queries
    int threads;          // --threads
} bench_arguments;

static void add_linkages(bench_arguments *a, const char *name)
{
    for (int i = 0; i < BENCH_NLINKAGE && a->nlinkage < MAX_LINKAGES; ++i) {
        if (!name || strcmp(BENCH_LINKAGES[i].name, name) == 0) {
            a->linkage[a->nlinkage++] = BENCH_LINKAGES[i];
        }
    }
}

static void add_scene(bench_arguments *a, const char *name)
{
    const int before = a->nscene + a->nlinkage;
    if (bench_contact_knows(name) && a->ncontact < MAX_CONTACTS) {
        a->contact[a->ncontact++] = name;
        return;
    }
    for (int i = 0; i < NSCENES && a->nscene < NSCENES; ++i) {
        if (strcmp(SCENES[i].name, name) == 0) {
            a->scene[a->nscene++] = SCENES[i];
        }
    }
    add_linkages(a, name);
    if (a->nscene + a->nlinkage > before) {
        return;
    }
    fprintf(stderr, "dashpot_bench: unknown scene '%s' (expected", name);
    for (int i = 0; i < NSCENES; ++i) {
        fprintf(stderr, " %s,", SCENES[i].name);
    }
    for (int i = 0; i < BENCH_NLINKAGE; ++i) {
        fprintf(stderr, " %s,", BENCH_LINKAGES[i].name);
    }
    bench_contact_list(stderr);
    fprintf(stderr, ")\n");
    exit(2);
}

static const char *next(int argc, char **argv, int *i)
{
    if (*i + 1 >= argc) {
        fprintf(stderr, "dashpot_bench: %s needs a value (see --help)\n", argv[*i]);
        exit(2);
    }
    return argv[++*i];
}

static int next_count(int argc, char **argv, int *i)
{
    const char *word = next(argc, argv, i);
    const int count = (int)strtol(word, NULL, 10);
    if (count < 1) {
        fprintf(stderr, "dashpot_bench: '%s' is no count (expected 1 or more)\n", word);
        exit(2);
    }
    return count;
}

static bench_arguments parse(int argc, char **argv)
{
    bench_arguments a = {.folder = BENCH_SOURCE "/scenes", .threads = 1};
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(HELP, stdout);
            exit(0);
        } else if (strcmp(argv[i], "--scene") == 0) {
            add_scene(&a, next(argc, argv, &i));
        } else if (strcmp(argv[i], "--linkages") == 0) {
            add_linkages(&a, NULL);
        } else if (strcmp(argv[i], "--contact") == 0) {
            a.all_contacts = true;
        } else if (strcmp(argv[i], "--growth") == 0) {
            a.growth = true;
        } else if (strcmp(argv[i], "--hash") == 0) {
            a.hash = true;
        } else if (strcmp(argv[i], "--settle") == 0) {
            a.settle = true;
        } else if (strcmp(argv[i], "--threads") == 0) {
            a.threads = next_count(argc, argv, &i);
        } else if (strcmp(argv[i], "--plot") == 0) {
            a.plot = next(argc, argv, &i);
        } else if (strcmp(argv[i], "--broad") == 0) {
            a.broad = true;
        } else if (strcmp(argv[i], "--collide") == 0) {
            a.collide = true;
        } else if (strcmp(argv[i], "--pair") == 0) {
            a.collide = true;
            a.pair = next(argc, argv, &i);
        } else if (strcmp(argv[i], "--friction") == 0) {
            a.friction = next(argc, argv, &i);
        } else if (strcmp(argv[i], "--quick") == 0) {
            a.quick = true;
        } else if (strcmp(argv[i], "--json") == 0) {
            a.json = true;
        } else if (strcmp(argv[i], "--csv") == 0) {
            a.csv = next(argc, argv, &i);
        } else if (strcmp(argv[i], "--scenes") == 0) {
            a.folder = next(argc, argv, &i);
        } else if (strcmp(argv[i], "--instructions") == 0) {
            add_scene(&a, next(argc, argv, &i));
            a.steps = next_count(argc, argv, &i);
        } else if (strcmp(argv[i], "--queries") == 0) {
            a.queries = next(argc, argv, &i);
            a.steps = next_count(argc, argv, &i);
        } else {
            fprintf(stderr, "dashpot_bench: unknown option '%s' (see --help)\n", argv[i]);
            exit(2);
        }
    }
    return a;
}

static bool save(const bench_results *results, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "dashpot_bench: %s cannot be written\n", path);
        return false;
    }
    bench_write_csv(file, results);
    const bool fine = !ferror(file);
    return fclose(file) == 0 && fine;
}

int main(int argc, char **argv)
{
    bench_arguments a = parse(argc, argv);
    if (a.settle) {
        return bench_contact_settle() ? 0 : 1;
    }
    if (a.friction) {
        return bench_friction(a.friction, a.quick, a.csv) ? 0 : 1;
    }
    if (a.queries) {
        return bench_collide_only(a.queries, a.steps) ? 0 : 1;
    }
    if (a.steps > 0 && a.ncontact > 0) {
        return bench_contact_only(a.contact[0], a.folder, a.steps) ? 0 : 1;
    }
    if (a.steps > 0) {
        return (a.nscene > 0 ? bench_run_only(a.scene, a.folder, STEP, a.steps)
                             : bench_run_linkage(a.linkage, a.folder, STEP, a.steps))
                   ? 0
                   : 1;
    }
    if (a.broad) {
        return bench_measure_broad(stdout, a.quick, a.json) ? 0 : 1;
    }
    const bool all = a.nscene + a.nlinkage == 0;
    if (all) {
        memcpy(a.scene, SCENES, sizeof SCENES);
        a.nscene = NSCENES;
        add_linkages(&a, NULL);
    }
    const bench_effort patient = {.seconds = 0.2,
                                  .repetitions = 5,
                                  .extra_seconds = 0.05,
                                  .extra_repetitions = 3,
                                  .stage_seconds = 0.004,
                                  .longest_chain = 1000,
                                  .longest_mujoco = 200,
                                  .largest_check = 50,
                                  .energy_seconds = 2.0};
    const bench_effort quick = {.seconds = 0.03,
                                .repetitions = 3,
                                .extra_seconds = 0.02,
                                .extra_repetitions = 3,
                                .stage_seconds = 0.001,
                                .longest_chain = 200,
                                .longest_mujoco = 100,
                                .energy_seconds = 0.5};
    const bench_effort *effort = a.quick ? &quick : &patient;

    static bench_results results;
    bench_results_init(&results, BENCH_SOURCE);
    if (a.collide) {
        return bench_collide(&results, a.pair, a.quick, a.csv) ? 0 : 1;
    }
    bench_contact_options contact = {.scene = a.contact,
                                     .nscene = a.ncontact,
                                     .growth = a.growth,
                                     .folder = a.folder,
                                     .quick = a.quick,
                                     .threads = a.threads,
                                     .csv = a.csv,
                                     .plot = a.plot};
    if (a.hash) {
        return bench_contact_hash(&contact) ? 0 : 1;
    }
    if (a.all_contacts || a.growth || a.ncontact > 0) {
        return bench_contact(&results, &contact) ? 0 : 1;
    }
    results.h = STEP;
    results.horizon = BENCH_RUN_STEPS * STEP;
    results.energy_seconds = effort->energy_seconds;
    const bool chatty = isatty(STDERR_FILENO) != 0;
    for (int i = 0; i < a.nscene; ++i) {
        if (chatty) {
            fprintf(stderr, "\r\033[K%d/%d %s", i + 1, a.nscene, a.scene[i].name);
        }
        if (!bench_measure_scene(&results, &a.scene[i], a.folder, effort)) {
            return 1;
        }
    }
    for (int i = 0; i < a.nlinkage; ++i) {
        if (chatty) {
            fprintf(stderr, "\r\033[K%d/%d %s", i + 1, a.nlinkage, a.linkage[i].name);
        }
        if (!bench_measure_linkage(&results, &a.linkage[i], a.folder, effort)) {
            return 1;
        }
    }
    if (all) {
        if (chatty) {
            fprintf(stderr, "\r\033[Kgrowth");
        }
        if (!bench_measure_growth(&results, effort)) {
            return 1;
        }
    }
    if (chatty) {
        fprintf(stderr, "\r\033[K");
    }
    if (a.json) {
        bench_write_json(stdout, &results);
    } else {
        bench_print(stdout, &results, a.scene, a.nscene, a.linkage, a.nlinkage);
        if (all && !bench_measure_broad(stdout, a.quick, false)) {
            return 1;
        }
    }
    char path[600];
    snprintf(path, sizeof path, BENCH_SOURCE "/bench/results/%s-rows.csv", results.date);
    mkdir(BENCH_SOURCE "/bench/results", 0777); // where it is missing
    const char *csv = a.csv ? a.csv : all && !a.quick ? path : NULL;
    if (csv) {
        if (!save(&results, csv)) {
            return 1;
        }
        fprintf(stderr, "\nRows: %s\n", csv);
    }
    if (all && !a.json) {
        snprintf(path, sizeof path, BENCH_SOURCE "/bench/results/%s-collide.csv", results.date);
        if (!bench_collide(&results, NULL, a.quick, a.csv || a.quick ? NULL : path)) {
            return 1;
        }
        char picture[600];
        snprintf(path, sizeof path, BENCH_SOURCE "/bench/results/%s-contact.csv", results.date);
        snprintf(picture, sizeof picture, BENCH_SOURCE "/bench/results/%s-contact.svg",
                 results.date);
        contact.csv = a.csv || a.quick ? NULL : path;
        contact.plot = a.plot ? a.plot : a.quick ? NULL : picture;
        if (!bench_contact(&results, &contact)) {
            return 1;
        }
    }
    return 0;
}
