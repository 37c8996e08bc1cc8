#include "bench_threads.h"

#include "bench_clock.h"
#include "contact_dashpot.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

// ---- batches

enum { WORLDS = 64 };

// Ways to step as many humanoids: a loop over simulations, and batches of one thread and of two.
typedef struct ways {
    dp_data *loop[WORLDS];
    dp_batch *batch[2];
    double *states; // where each starts: velocities differ a little
} ways;

static bool make_ways(ways *w, const dp_model *m, const dp_data *from)
{
    w->states = malloc((size_t)(WORLDS * dp_batch_state_size(m)) * sizeof *w->states);
    for (int i = 0; i < WORLDS; ++i) {
        if (dp_data_create(&w->loop[i], m, NULL) != DP_OK) {
            return false;
        }
    }
    if (!w->states || dp_batch_create(&w->batch[0], from, WORLDS, 1, NULL) != DP_OK ||
        dp_batch_create(&w->batch[1], from, WORLDS, 2, NULL) != DP_OK) {
        return false;
    }
    const dp_batch_arrays a = dp_batch_arrays_of(w->batch[0]);
    for (int i = 0; i < WORLDS * a.nv; ++i) {
        a.v[i] += 0.01 * sin(1.0 + 3.0 * i);
    }
    dp_batch_states(w->states, w->batch[0]);
    return true;
}

static void free_ways(ways *w)
{
    for (int i = 0; i < WORLDS; ++i) {
        dp_data_destroy(w->loop[i]);
    }
    dp_batch_destroy(w->batch[0]);
    dp_batch_destroy(w->batch[1]);
    free(w->states);
}

// All back to their starts, as dp_batch_reset_to_states has it.
static void start_loop(ways *w, const dp_model *m)
{
    const dp_model_size *n = dp_model_sizes(m);
    for (int i = 0; i < WORLDS; ++i) {
        const double *state = w->states + (size_t)i * (size_t)dp_batch_state_size(m);
        dp_data *d = w->loop[i];
        dp_data_reset(d);
        dp_data_set_time(d, state[0]);
        memcpy(dp_data_q(d), state + 1, (size_t)n->nq * sizeof *state);
        memcpy(dp_data_v(d), state + 1 + n->nq, (size_t)n->nv * sizeof *state);
    }
}

// Closed loops: all worlds make a step before any makes the next.
static double time_loop(ways *w, const dp_model *m, int steps) // [s]; NAN: a step failed
{
    start_loop(w, m);
    const double start = bench_wall();
    for (int k = 0; k < steps; ++k) {
        for (int i = 0; i < WORLDS; ++i) {
            if (dp_step(w->loop[i]) != DP_OK) {
                return (double)NAN;
            }
        }
    }
    return bench_wall() - start;
}

static double time_batch(ways *w, int which, int steps)
{
    dp_batch *b = w->batch[which];
    dp_status status = dp_batch_reset_to_states(b, NULL, w->states);
    const double start = bench_wall();
    for (int k = 0; k < steps && status == DP_OK; ++k) {
        status = dp_batch_step(b, 1, NULL);
    }
    return status == DP_OK ? bench_wall() - start : (double)NAN;
}

static void measure_batches(const dp_model *m, const dp_data *d, effort e)
{
    ways w = {.states = NULL};
    turns loop = {.alone.n = 0}, threads = {.alone.n = 0};
    if (make_ways(&w, m, d)) {
        for (int k = 0; k < e.rounds; ++k) {
            const double alone = time_batch(&w, 0, e.steps);
            bench_sample_add(&loop.alone, time_loop(&w, m, e.steps));
            bench_sample_add(&loop.both, alone);
            bench_sample_add(&threads.alone, alone);
            bench_sample_add(&threads.both, time_batch(&w, 1, e.steps));
        }
        print_gain("batch", &threads, (double)WORLDS * e.steps, "steps/s of humanoids that fall");
        print_gain("loop, batch", &loop, (double)WORLDS * e.steps,
                   "the same: a loop over simulations, a batch of one thread");
    }
    free_ways(&w);
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
        measure_batches(m, d, e);
    } else {
        printf("  batch: %s\n", dp_last_error());
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
    const effort batches = quick ? (effort){3, 20} : (effort){10, 100};
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
    measure_humanoids(folder, batches);
    fflush(stdout);
}
