#include "bench_threads.h"

#include "bench_clock.h"
#include "contact_dashpot.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// How long each is measured.
typedef struct effort {
    int rounds, steps;
} effort;

// Times on the wall of the same work by one thread and by two, in turn.
typedef struct turns {
    bench_sample alone, both;
} turns;

static void print_gain(const char *name, const turns *t, double work, const char *unit)
{
    const bench_sample gain = bench_ratios(&t->both, &t->alone);
    printf("  %-13s %9.4g %9.4g %7.3g %7.3g ± %-4.1f %s\n", name, work / bench_least(&t->alone),
           work / bench_least(&t->both), bench_least(&t->alone) / bench_least(&t->both),
           bench_median(&gain), 100.0 * bench_spread(&gain), unit);
}

// ---- steps

static const int THREADS[] = {1, 2, 3, 8};
enum { NTHREADS = sizeof THREADS / sizeof *THREADS, SKIP = 10 };

static bool time_steps(turns *out, contact_engine engine[2], effort e)
{
    bool fine = true;
    for (int k = 0; fine && k < e.rounds; ++k) {
        for (int i = 0; fine && i < 2; ++i) {
            const double start = bench_wall();
            fine = engine[i].run(engine[i].self, e.steps);
            bench_sample_add(i ? &out->both : &out->alone, bench_wall() - start);
        }
    }
    return fine;
}

static void measure_scene(const contact_scene *scene, effort e)
{
    contact_engine engine[NTHREADS];
    bool fine = true;
    for (int i = 0; i < NTHREADS; ++i) {
        contact_dashpot(&engine[i], scene, THREADS[i]);
        const int all = SKIP + (i < 2 ? 0 : e.rounds * e.steps);
        fine = fine && engine[i].self && engine[i].run(engine[i].self, all);
    }
    turns t = {.alone.n = 0};
    if (fine && time_steps(&t, engine, e)) {
        print_gain(scene->name, &t, e.steps, "steps/s");
        for (int i = 0; i < NTHREADS; ++i) {
            printf("%s%d: %016" PRIx64, i > 0 ? ", " : "  last states by threads ", THREADS[i],
                   contact_dashpot_hash(&engine[i]));
        }
        printf("\n");
    }
    for (int i = 0; i < NTHREADS; ++i) {
        if (engine[i].self) {
            engine[i].destroy(engine[i].self);
        }
    }
}

static void measure_steps(contact_generator *make, int n, effort e)
{
    contact_scene scene;
    if (make(&scene, n, 0.0)) {
        measure_scene(&scene, e);
        contact_scene_free(&scene);
    }
}

// ---- rollouts

enum { STATES = 64 };

// The same state with velocities that differ a little.
static void spread_states(double *start, const dp_model *m, const dp_data *d)
{
    const int size = dp_rollout_state_size(m), nq = dp_model_sizes(m)->nq,
              nv = dp_model_sizes(m)->nv;
    for (int i = 0; i < STATES; ++i) {
        double *state = start + (size_t)i * (size_t)size;
        dp_rollout_state(state, d);
        for (int k = 0; k < nv; ++k) {
            state[1 + nq + k] += 0.01 * sin(1.0 + 7.0 * i + 3.0 * k);
        }
    }
}

static bool time_rollouts(turns *out, dp_rollout *const rollout[2], const dp_rollout_task *task,
                          int rounds)
{
    for (int k = 0; k < rounds; ++k) {
        for (int i = 0; i < 2; ++i) {
            const double start = bench_wall();
            if (dp_rollout_run(rollout[i], task) != DP_OK) {
                return false;
            }
            bench_sample_add(i ? &out->both : &out->alone, bench_wall() - start);
        }
    }
    return true;
}

static void measure_rollouts(const dp_model *m, dp_data *d, effort e)
{
    dp_rollout *rollout[2] = {NULL, NULL};
    const size_t size = (size_t)dp_rollout_state_size(m);
    double *start = malloc(STATES * size * sizeof *start);
    const dp_rollout_task task = {.count = STATES, .steps = e.steps, .start = start};
    turns t = {.alone.n = 0};
    if (start && dp_rollout_create(&rollout[0], d, 1, NULL) == DP_OK &&
        dp_rollout_create(&rollout[1], d, 2, NULL) == DP_OK) {
        spread_states(start, m, d);
        if (time_rollouts(&t, rollout, &task, e.rounds)) {
            print_gain("rollouts", &t, (double)STATES * e.steps,
                       "steps/s of a humanoid that falls");
        }
    }
    dp_rollout_destroy(rollout[0]);
    dp_rollout_destroy(rollout[1]);
    free(start);
}

static void measure_humanoids(const char *folder, effort e)
{
    char path[512];
    snprintf(path, sizeof path, "%s/humanoid.xml", folder);
    const dp_import_options options = dp_import_options_default();
    dp_spec *spec = NULL;
    dp_model *m = NULL;
    dp_data *d = NULL;
    dp_key_id key;
    if (dp_mjcf_load(&spec, NULL, path, &options) == DP_OK && dp_model_compile(&m, spec) == DP_OK &&
        dp_data_create(&d, m, NULL) == DP_OK && dp_model_find_key(&key, m, "falling") == DP_OK &&
        dp_data_reset_to_key(d, key) == DP_OK) {
        measure_rollouts(m, d, e);
    } else {
        printf("  rollouts: %s\n", dp_last_error());
    }
    dp_data_destroy(d);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

// ---- the machine

// A number goes to another thread and back: what threads of one job ask of each other. Processors
// that share a cache take about 100 ns, others several times as long, and gain less.
typedef struct ball {
    atomic_int there;
    char apart[64];
    atomic_int back;
} ball;

enum { BATCH = 1000, THROWS = 20 * BATCH };

static void *throw_back(void *context)
{
    ball *b = context;
    for (int i = 1; i <= THROWS; ++i) {
        while (atomic_load(&b->there) < i) {
        }
        atomic_store(&b->back, i);
    }
    return NULL;
}

static double round_trip(void) // [s]; NAN: there is no other thread
{
    ball b = {.there = 0};
    pthread_t other;
    if (pthread_create(&other, NULL, throw_back, &b) != 0) {
        return (double)NAN;
    }
    double least = (double)INFINITY,
           start = bench_wall(); // of a batch: others need processors, too
    for (int i = 1; i <= THROWS; ++i) {
        atomic_store(&b.there, i);
        while (atomic_load(&b.back) < i) {
        }
        if (i % BATCH == 0) {
            const double now = bench_wall();
            least = fmin(least, now - start);
            start = now;
        }
    }
    pthread_join(other, NULL);
    return least / BATCH;
}

void bench_threads(bool quick, const char *folder)
{
    const effort steps = quick ? (effort){6, 10} : (effort){30, 20};
    const effort rollouts = quick ? (effort){3, 20} : (effort){10, 100};
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    printf("\nThreads, on %ld processors: 1 and 2 in turn, the best of %d times on the wall\n",
           processors, steps.rounds);
    if (processors > 1) {
        printf("  from one thread to another and back: %.0f ns\n", 1e9 * round_trip());
    }
    printf("  %-13s %9s %9s %7s %s\n", "", "1", "2", "gain", "median ± %");
    measure_steps(contact_hard, 1, (effort){steps.rounds, 100 * steps.steps});
    for (int n = 1; n <= 100; n *= 10) { // so few are left to one thread
        measure_steps(contact_pairs, n, (effort){steps.rounds, 100 / n * steps.steps});
    }
    measure_steps(contact_pairs, 1000, steps);
    measure_steps(contact_towers, 400, steps);
    measure_humanoids(folder, rollouts);
    fflush(stdout);
}
