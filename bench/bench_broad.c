#include "bench_broad.h"

#include "bench_clock.h"
#include "collide/broad/broad_phase.h"
#include "engine_bullet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WALLS = 6 };

// Balls or bricks in a room: how big, where, how fast.
typedef struct crowd {
    const char *name;
    int n; // that move
    double half, room;
    double *place, *velocity; // 3·n
    double *box;              // 6·(n + WALLS)
    uint64_t random;
} crowd;

static double draw(crowd *c)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(c->random >> 11) * 0x1p-53;
}

static void *must(void *memory)
{
    if (!memory) {
        fprintf(stderr, "dashpot_bench: out of memory\n");
        exit(1);
    }
    return memory;
}

static void set_boxes(crowd *c)
{
    for (int i = 0; i < 3 * c->n; ++i) {
        double *box = c->box + 6 * (i / 3);
        box[i % 3] = c->place[i] - c->half;
        box[3 + i % 3] = c->place[i] + c->half;
    }
}

static crowd make_crowd(const char *name, int n)
{
    crowd c = {.name = name, .n = n, .half = 0.5, .random = 12345};
    c.place = must(malloc(3 * (size_t)n * sizeof *c.place));
    c.velocity = must(calloc(3 * (size_t)n, sizeof *c.velocity));
    c.box = must(malloc(6 * ((size_t)n + WALLS) * sizeof *c.box));
    return c;
}

static void end_crowd(crowd *c)
{
    free(c->place);
    free(c->velocity);
    free(c->box);
}

static void add_walls(crowd *c)
{
    for (int w = 0; w < WALLS; ++w) {
        double *box = c->box + 6 * ((size_t)c->n + (size_t)w);
        for (int k = 0; k < 3; ++k) {
            box[k] = -c->room - 1.0;
            box[3 + k] = c->room + 1.0;
        }
        if (w % 2 == 0) {
            box[3 + w / 2] = -c->room;
        } else {
            box[w / 2] = c->room;
        }
    }
}

// Balls of 1 m at a fifth of the density of a full room, 5 cm and less on each axis per update.
static crowd gas(int n)
{
    crowd c = make_crowd("gas", n);
    c.room = 0.5 * cbrt(5.0 * n);
    for (int i = 0; i < 3 * n; ++i) {
        c.place[i] = c.room * (2.0 * draw(&c) - 1.0);
        c.velocity[i] = 0.05 * (2.0 * draw(&c) - 1.0);
    }
    add_walls(&c);
    set_boxes(&c);
    return c;
}

static void move_gas(crowd *c)
{
    for (int i = 0; i < 3 * c->n; ++i) {
        c->place[i] += c->velocity[i];
        if (fabs(c->place[i]) > c->room) {
            c->velocity[i] = -c->velocity[i];
        }
    }
    set_boxes(c);
}

// Cubes of 1 m stacked face to face, trembling by a nanometre.
static crowd heap(int n)
{
    crowd c = make_crowd("heap", n);
    const int side = (int)ceil(cbrt(n));
    c.room = 0.5 * side;
    for (int i = 0; i < n; ++i) {
        const int at[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) {
            c.place[3 * i + k] = at[k] + 0.5 - c.room;
        }
    }
    add_walls(&c);
    set_boxes(&c);
    return c;
}

static void move_heap(crowd *c)
{
    for (int i = 0; i < 3 * c->n; ++i) {
        const double tremor = 1e-9 * (2.0 * draw(c) - 1.0);
        c->place[i] += tremor - c->velocity[i];
        c->velocity[i] = tremor;
    }
    set_boxes(c);
}

// Dashpot

typedef struct own_boxes {
    dp_broad_phase broad;
    int nmoving;
    const dp_id_pair *pair;
    int npair;
} own_boxes;

static void check(dp_status status)
{
    if (status != DP_OK) {
        fprintf(stderr, "dashpot_bench: %s\n", dp_last_error());
        exit(1);
    }
}

static void put(own_boxes *o, const double *box, int i, dp_broad_kind kind)
{
    const double *x = box + 6 * (size_t)i;
    check(dp_broad_put(&o->broad, i, kind, (dp_bounds){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}));
}

static long long update_own(void *self, const double *box)
{
    own_boxes *o = self;
    for (int i = 0; i < o->nmoving; ++i) {
        put(o, box, i, DP_BROAD_MOVING);
    }
    check(dp_broad_pairs(&o->pair, &o->npair, &o->broad));
    return o->npair;
}

static long long answer_own(void *self)
{
    const own_boxes *o = self;
    return o->npair; // sifted and sorted already
}

static void pair_own(int *a, int *b, void *self, long long k)
{
    const own_boxes *o = self;
    *a = o->pair[k].a;
    *b = o->pair[k].b;
}

static void destroy_own(void *self)
{
    own_boxes *o = self;
    dp_broad_destroy(&o->broad);
    free(o);
}

static void make_own(bench_boxes *out, const double *box, int n, int nmoving)
{
    own_boxes *o = must(calloc(1, sizeof *o));
    o->nmoving = nmoving;
    check(dp_broad_create(&o->broad, n, 64 * n, NULL, NULL, NULL));
    for (int i = nmoving; i < n; ++i) {
        put(o, box, i, DP_BROAD_FIXED);
    }
    *out = (bench_boxes){o, update_own, answer_own, pair_own, destroy_own};
}

enum { SUBJECTS = 3 };
static const char *const NAME[SUBJECTS] = {"dashpot", "bullet32", "bullet64"};

typedef struct outcome {
    bench_sample ns[SUBJECTS];  // per update of all boxes
    bench_sample all[SUBJECTS]; // until there is a sorted list of true pairs
    long long known[SUBJECTS], pairs[SUBJECTS];
    long long different[SUBJECTS]; // pairs beside the same place in our list
    bool there[SUBJECTS];
} outcome;

static long long differences(const bench_boxes *a, long long na, const bench_boxes *b, long long nb)
{
    long long n = na > nb ? na - nb : nb - na;
    for (long long k = 0; k < na && k < nb; ++k) {
        int i[2], j[2];
        a->pair(&i[0], &j[0], a->self, k);
        b->pair(&i[1], &j[1], b->self, k);
        n += i[0] != i[1] || j[0] != j[1];
    }
    return n;
}

// All of them follow the same boxes, one update each in turn.
static outcome measure(crowd *c, void (*move)(crowd *), int warm, int repetitions, int updates)
{
    outcome out = {.pairs = {0}};
    bench_boxes subject[SUBJECTS] = {{0}};
    make_own(&subject[0], c->box, c->n + WALLS, c->n);
    for (int s = 1; s < SUBJECTS; ++s) {
        bench_boxes_create *create = bench_bullet_boxes_in((bench_precision)(s - 1));
        if (create) {
            create(&subject[s], c->box, c->n + WALLS, c->n);
        }
    }
    for (int k = -warm; k < repetitions; ++k) {
        double spent[SUBJECTS] = {0.0}, more[SUBJECTS] = {0.0};
        for (int u = 0; u < updates; ++u) {
            move(c);
            for (int s = 0; s < SUBJECTS; ++s) {
                if (subject[s].self) {
                    const double start = bench_cpu();
                    out.known[s] = subject[s].update(subject[s].self, c->box);
                    const double middle = bench_cpu();
                    out.pairs[s] = subject[s].answer(subject[s].self);
                    spent[s] += middle - start;
                    more[s] += bench_cpu() - middle;
                }
            }
        }
        for (int s = 0; s < SUBJECTS && k >= 0; ++s) {
            if (subject[s].self) {
                bench_sample_add(&out.ns[s], 1e9 * spent[s] / updates);
                bench_sample_add(&out.all[s], 1e9 * (spent[s] + more[s]) / updates);
            }
        }
    }
    for (int s = 0; s < SUBJECTS; ++s) {
        out.there[s] = subject[s].self != NULL;
        if (s > 0 && out.there[s]) {
            out.different[s] = differences(&subject[0], out.pairs[0], &subject[s], out.pairs[s]);
        }
    }
    for (int s = 0; s < SUBJECTS; ++s) {
        if (out.there[s]) {
            subject[s].destroy(subject[s].self);
        }
    }
    return out;
}

static void print_row(FILE *file, bool json, const crowd *c, const outcome *o, int s)
{
    const bench_sample ratio = bench_ratios(&o->ns[0], &o->ns[s]);
    const bench_sample same = bench_ratios(&o->all[0], &o->all[s]);
    if (json) {
        fprintf(file,
                "    {\"scene\": \"%s\", \"boxes\": %d, \"engine\": \"%s\", \"update_ns\": %.6g, "
                "\"answer_ns\": %.6g, \"known\": %lld, \"pairs\": %lld, \"different\": %lld, "
                "\"update_ratio\": %.4g, \"answer_ratio\": %.4g}",
                c->name, c->n, NAME[s], bench_median(&o->ns[s]), bench_median(&o->all[s]),
                o->known[s], o->pairs[s], o->different[s], bench_median(&ratio),
                bench_median(&same));
    } else {
        fprintf(file, "  %-5s %7d  %-9s %8.3f ±%3.0f %% %8.3f %9lld %8lld %9lld %8.2f %7.2f\n",
                c->name, c->n, NAME[s], 1e-6 * bench_median(&o->ns[s]),
                100.0 * bench_spread(&o->ns[s]), 1e-6 * bench_median(&o->all[s]), o->known[s],
                o->pairs[s], o->different[s], bench_median(&ratio), bench_median(&same));
    }
}

typedef struct growth {
    double n[8], ns[8];
    int count;
} growth;

bool bench_measure_broad(FILE *file, bool quick, bool json)
{
    static const int size[] = {10000, 1000, 3000, 30000};
    const int nsize = quick ? 3 : 4;
    fputs(json ? "{\n  \"broad\": [\n"
               : "\nBroad phase: CPU time in ms until all boxes are in place and pairs are known, "
                 "and until there is a\nsorted list of those that overlap. Bullet knows the pairs "
                 "of its fat boxes. Last: times Dashpot's.\n\n"
                 "  scene   boxes  engine      known         listed     known    pairs different "
                 " known× listed×\n",
          file);
    static crowd (*const make[])(int) = {gas, heap};
    static void (*const move[])(crowd *) = {move_gas, move_heap};
    growth grown[2] = {{.count = 0}};
    bool first = true;
    for (int k = 0; k < nsize; ++k) {
        for (int scene = 0; scene < 2; ++scene) {
            crowd c = make[scene](size[k]);
            const int updates = size[k] > 10000 ? 5 : 20;
            const outcome o = measure(&c, move[scene], 2, quick ? 3 : 5, updates);
            for (int s = 0; s < SUBJECTS; ++s) {
                if (o.there[s]) {
                    fputs(json && !first ? ",\n" : "", file);
                    print_row(file, json, &c, &o, s);
                    first = false;
                }
            }
            growth *g = &grown[scene];
            g->n[g->count] = size[k];
            g->ns[g->count++] = bench_median(&o.ns[0]);
            end_crowd(&c);
        }
    }
    const double exponent[2] = {bench_exponent(grown[0].n, grown[0].ns, grown[0].count),
                                bench_exponent(grown[1].n, grown[1].ns, grown[1].count)};
    fprintf(file,
            json ? "\n  ],\n  \"growth\": {\"gas\": %.3f, \"heap\": %.3f}\n}\n"
                 : "\n  Cost grows as n^%.2f for the gas and n^%.2f for the heap.\n",
            exponent[0], exponent[1]);
    return true;
}
