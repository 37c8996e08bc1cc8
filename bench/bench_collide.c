// Shapes of about a metre in random poses whose gap is what the state says, or in poses along a
// slow motion. Errors are against the definition of the gap (tests/support/shape_reference.h).
#include "bench_collide.h"

#include "bench_clock.h"
#include "collide_engine.h"
#include "collide_pairs.h"
#include "shape_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POSES = 96,
    RUN = 16,    // of them along one slow motion
    JUDGED = 24, // poses whose gap is compared with the reference
    NKIND = 8,   // two hulls
    ENGINES = BENCH_COLLIDE_ENGINES,
    MOST_TOTALS = 4 * NKIND * NKIND, // of each pair by kinds of query, and over all of them
    SMALL_HULL = 24,
    LARGE_HULL = 200,
};

typedef enum state { APART, TOUCHING, RESTING, DEEP, STATES } state;
static const char *const STATE[] = {"apart", "touching", "resting", "deep"};
static const char *const KIND[] = {"plane",     "sphere", "capsule", "cylinder",
                                   "ellipsoid", "box",    "hull",    "large"};
static const char *const TASK[] = {"overlap", "distance", "contacts"};
static const double MARGIN = 0.02; // [m] Bullet's own threshold for contacts
static const double RIGHT = 1e-6;  // [m] a worst error that still counts as an answer

static double small_hull[3 * SMALL_HULL], large_hull[3 * LARGE_HULL];

static double draw(uint64_t *seed) // SplitMix64, −1 … 1
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

static void draw_unit(double *x, int n, uint64_t *seed)
{
    double square;
    do {
        square = 0.0;
        for (int i = 0; i < n; ++i) {
            x[i] = draw(seed);
            square += x[i] * x[i];
        }
    } while (square > 1.0 || square < 0.01);
    for (int i = 0; i < n; ++i) {
        x[i] /= sqrt(square);
    }
}

static void make_hulls(void)
{
    uint64_t seed = 3;
    const double stretch[3] = {0.4, 0.5, 0.6};
    for (int i = 0; i < SMALL_HULL + LARGE_HULL; ++i) {
        double *x = i < SMALL_HULL ? small_hull + 3 * i : large_hull + 3 * (i - SMALL_HULL);
        draw_unit(x, 3, &seed);
        for (int k = 0; k < 3; ++k) {
            x[k] *= stretch[k];
        }
    }
}

static bench_shape shape_of(int kind)
{
    static const double SIZE[][3] = {{0.0, 0.0, 0.0}, {0.5, 0.0, 0.0}, {0.3, 0.5, 0.0},
                                     {0.4, 0.5, 0.0}, {0.3, 0.4, 0.6}, {0.3, 0.4, 0.5},
                                     {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    bench_shape s = {.kind = kind < NKIND - 1 ? (bench_shape_kind)kind : BENCH_HULL,
                     .size = {SIZE[kind][0], SIZE[kind][1], SIZE[kind][2]}};
    if (s.kind == BENCH_HULL) {
        s.vertex = kind < NKIND - 1 ? small_hull : large_hull;
        s.nvertex = kind < NKIND - 1 ? SMALL_HULL : LARGE_HULL;
    }
    return s;
}

static reference_body body(const bench_shape *s, const bench_pose *x)
{
    const dp_shape shape = {.kind = s->kind == BENCH_HULL ? DP_GEOM_MESH : (dp_geom_kind)s->kind,
                            .size = {s->size[0], s->size[1], s->size[2]}};
    return reference_place(
        &shape, s->vertex, s->nvertex,
        (dp_pose){{x->q[0], x->q[1], x->q[2], x->q[3]}, {x->p[0], x->p[1], x->p[2]}});
}

static double reference(const bench_shape shape[2], const bench_pose pose[2])
{
    const reference_body a = body(&shape[0], &pose[0]), b = body(&shape[1], &pose[1]);
    reference_search how = reference_search_default(&a, &b);
    how.tolerance = 1e-13L;
    how.most_evaluations = 20000;
    return (double)reference_gap(&a, &b, &how).gap;
}

// B where it faces A along a direction with a gap; resting: faces on each other but for 1e-3 rad.
static void draw_poses(bench_pose pose[2], const bench_shape shape[2], state s, uint64_t *seed)
{
    for (int i = 0; i < 2; ++i) {
        draw_unit(pose[i].q, 4, seed);
        for (int k = 0; k < 3; ++k) {
            pose[i].p[k] = i == 0 ? draw(seed) : 0.0;
        }
    }
    double x[3];
    draw_unit(x, 3, seed);
    wide_v3 n = {x[0], x[1], x[2]};
    if (s == RESTING || shape[0].kind == BENCH_PLANE) {
        const reference_body a = body(&shape[0], &pose[0]);
        n = (wide_v3){a.R[0][2], a.R[1][2], a.R[2][2]};
    }
    if (s == RESTING) {
        memcpy(pose[1].q, pose[0].q, sizeof pose[1].q);
        double square = 0.0;
        for (int k = 0; k < 4; ++k) {
            pose[1].q[k] += 1e-3 * draw(seed);
            square += pose[1].q[k] * pose[1].q[k];
        }
        for (int k = 0; k < 4; ++k) {
            pose[1].q[k] /= sqrt(square);
        }
    }
    const double t = 0.5 + 0.5 * draw(seed);
    const double gap = s == APART      ? 0.05 + 0.25 * t
                       : s == TOUCHING ? -0.005 * t
                       : s == RESTING  ? -0.001 * t
                                       : -0.1 - 0.3 * t;
    const reference_body a = body(&shape[0], &pose[0]), b = body(&shape[1], &pose[1]);
    const wide_v3 from_b = reference_support(&b, wide_scale(n, -1.0L));
    const wide_v3 from_a =
        shape[0].kind == BENCH_PLANE ? (wide_v3){0.0L, 0.0L, 0.0L} : reference_support(&a, n);
    pose[1].p[0] = (double)(a.p.x + from_a.x - from_b.x + gap * n.x);
    pose[1].p[1] = (double)(a.p.y + from_a.y - from_b.y + gap * n.y);
    pose[1].p[2] = (double)(a.p.z + from_a.z - from_b.z + gap * n.z);
    if (s == RESTING && shape[0].kind != BENCH_PLANE) { // centre on centre, somewhat beside
        const wide_v3 d = wide_sub((wide_v3){pose[1].p[0], pose[1].p[1], pose[1].p[2]}, a.p);
        const long double high = wide_dot(d, n);
        for (int k = 0; k < 3; ++k) {
            pose[1].p[k] = pose[0].p[k] + (double)(high * (&n.x)[k]) + 0.05 * draw(seed);
        }
        const reference_body c = body(&shape[1], &pose[1]);
        const double now = (double)reference_gap_along(&a, &c, n);
        for (int k = 0; k < 3; ++k) {
            pose[1].p[k] += (gap - now) * (double)(&n.x)[k];
        }
    }
}

// A slow motion: to and fro by 1e-4 m and rad a time, and elsewhere after some while.
static void move_on(bench_pose next[2], int i, uint64_t *seed)
{
    uint64_t same = *seed; // the way does not change
    double spin[4] = {0.0}, drift[3], square = 0.0;
    draw_unit(spin + 1, 3, &same);
    draw_unit(drift, 3, &same);
    memcpy(next, next - 2, 2 * sizeof *next);
    const double step = i % 8 < 4 ? 1e-4 : -1e-4;
    for (int k = 0; k < 4; ++k) {
        next[1].q[k] += 0.5 * step * spin[k];
        square += next[1].q[k] * next[1].q[k];
    }
    for (int k = 0; k < 4; ++k) {
        next[1].q[k] /= sqrt(square);
    }
    for (int k = 0; k < 3; ++k) {
        next[1].p[k] += step * drift[k];
    }
}

static void fill(bench_pose pose[2 * POSES], const bench_shape shape[2], state s, bool coherent,
                 uint64_t *seed)
{
    for (int i = 0; i < POSES; ++i) {
        if (coherent && i % RUN > 0) {
            move_on(&pose[2 * i], i, seed);
        } else {
            draw_poses(&pose[2 * i], shape, s, seed);
        }
    }
}

typedef struct cell {
    int kind[2];
    state s;
    bool coherent;
    bench_collide_task task;
    char engine[ENGINES][32];
    bench_sample ns[ENGINES];
    double error[ENGINES];  // [m] worst; a missed overlap counts by its depth
    double points[ENGINES]; // mean
} cell;

static void create(bench_collide_engine engine[ENGINES], bench_collide_setup *setup)
{
    bench_collide_dashpot(&engine[0], setup);
    for (int i = 1; i < ENGINES; ++i) {
        engine[i] = (bench_collide_engine){0};
    }
#ifdef BENCH_CCD
    bench_collide_ccd(&engine[1], setup);
    setup->other_way = true;
    bench_collide_ccd(&engine[2], setup);
#endif
    bench_collide_bullet(&engine[3], setup, 0);
    bench_collide_bullet(&engine[4], setup, 1);
}

static void measure(cell *c, bool quick)
{
    bench_collide_setup setup = {.shape = {shape_of(c->kind[0]), shape_of(c->kind[1])},
                                 .task = c->task,
                                 .coherent = c->coherent,
                                 .margin = MARGIN};
    uint64_t seed = (uint64_t)(100 * c->kind[0] + 10 * c->kind[1]) + (uint64_t)c->s;
    bench_pose pose[2 * POSES];
    fill(pose, setup.shape, c->s, c->coherent, &seed);
    double truth[JUDGED];
    for (int i = 0; i < JUDGED; ++i) {
        truth[i] = reference(setup.shape, &pose[2 * i]);
    }
    bench_collide_engine engine[ENGINES];
    create(engine, &setup);
    int times[ENGINES];
    for (int i = 0; i < ENGINES; ++i) {
        memcpy(c->engine[i], engine[i].name, sizeof c->engine[i]);
        c->error[i] = (double)NAN;
        c->points[i] = (double)NAN;
        if (!engine[i].self) {
            continue;
        }
        double gap[POSES];
        int points[POSES];
        engine[i].run(engine[i].self, pose, POSES, 1, gap, points);
        c->error[i] = 0.0;
        c->points[i] = 0.0;
        bool tells = true; // gaps; who only says "apart" does less, and is left out
        for (int k = 0; k < POSES; ++k) {
            c->points[i] += (double)points[k] / POSES;
            tells = tells && (c->task != BENCH_DISTANCE || isfinite(gap[k]));
            if (k < JUDGED && isfinite(gap[k])) {
                c->error[i] = fmax(c->error[i], fabs(gap[k] - truth[k]));
            } else if (k < JUDGED && (gap[k] < 0.0) != (truth[k] < 0.0)) {
                const bool silent = c->task == BENCH_CONTACTS && truth[k] > 0.0;
                c->error[i] = fmax(c->error[i], silent ? 0.0 : fabs(truth[k]));
            }
        }
        if (!tells) {
            engine[i].destroy(engine[i].self);
            engine[i].self = NULL;
            continue;
        }
        const double begin = bench_cpu();
        engine[i].run(engine[i].self, pose, POSES, 1, gap, points);
        const double once = bench_cpu() - begin + 1e-7;
        times[i] = 1 + (int)((quick ? 2e-4 : 2e-3) / once);
    }
    for (int repetition = 0; repetition < (quick ? 3 : 7); ++repetition) {
        for (int i = 0; i < ENGINES; ++i) { // in turn, so that a slow moment slows all of them
            if (engine[i].self) {
                double gap[POSES];
                int points[POSES];
                const double begin = bench_cpu();
                engine[i].run(engine[i].self, pose, POSES, times[i], gap, points);
                bench_sample_add(&c->ns[i], 1e9 * (bench_cpu() - begin) / (times[i] * POSES));
            }
        }
    }
    for (int i = 0; i < ENGINES; ++i) {
        if (engine[i].self) {
            engine[i].destroy(engine[i].self);
        }
    }
}

// The time of the fastest peer over Dashpot's; of those only whose worst error is no more than
// `error` [m]. ∞: there is none.
static double best_peer(const cell *c, double error)
{
    double least = (double)INFINITY;
    for (int i = 1; i < ENGINES; ++i) {
        const bench_sample ratio = bench_ratios(&c->ns[0], &c->ns[i]);
        if (ratio.n > 0 && c->error[i] <= error) {
            least = fmin(least, bench_median(&ratio));
        }
    }
    return least;
}

static void print_cell(FILE *file, const cell *c)
{
    fprintf(file, "%-19s %-9s %-7s %7.0f", "", STATE[c->s], c->coherent ? "slow" : "random",
            bench_median(&c->ns[0]));
    for (int i = 1; i < ENGINES; ++i) {
        const bench_sample ratio = bench_ratios(&c->ns[0], &c->ns[i]);
        if (ratio.n > 0) {
            fprintf(file, " %7.2f", bench_median(&ratio));
        } else {
            fprintf(file, " %7s", "");
        }
    }
    const double right = best_peer(c, RIGHT);
    if (isfinite(right)) {
        fprintf(file, " %7.2f", right);
    } else {
        fprintf(file, " %7s", isfinite(best_peer(c, (double)INFINITY)) ? "none" : "");
    }
    fprintf(file, "  ");
    for (int i = 0; i < ENGINES; ++i) {
        if (isfinite(c->error[i])) {
            fprintf(file, " %7.0e", c->error[i]);
        } else {
            fprintf(file, " %7s", "");
        }
    }
    if (c->task == BENCH_CONTACTS) {
        fprintf(file, "  %4.1f %4.1f", c->points[0], c->points[ENGINES - 1]);
    }
    fputc('\n', file);
}

static void write_cell(FILE *file, const cell *c, const bench_results *facts)
{
    for (int i = 0; i < ENGINES; ++i) {
        if (c->ns[i].n > 0) {
            fprintf(file, "%s,%s-%s,%s,%s,%s,%s,%d,%.6g,%.6g,%.6g,%.3g,%.3g,%s,\"%s\",\"%s\"\n",
                    facts->date, KIND[c->kind[0]], KIND[c->kind[1]], TASK[c->task], STATE[c->s],
                    c->coherent ? "slow" : "random", c->engine[i], c->ns[i].n,
                    bench_median(&c->ns[i]), bench_least(&c->ns[i]), bench_greatest(&c->ns[i]),
                    c->error[i], c->points[i], facts->commit, facts->compiler, facts->machine);
        }
    }
}

// What is asked: ahead of every peer on primitives, within 1.3 of the best where hulls meet.
typedef struct verdict {
    int cells, met;
    double least; // ratio of the best peer to Dashpot
    char where[96];
} verdict;

static void judge(verdict *v, const cell *c, double error, double target)
{
    const double least = best_peer(c, error);
    if (isfinite(least)) {
        ++v->cells;
        v->met += least >= target;
        if (v->cells == 1 || least < v->least) {
            v->least = least;
            snprintf(v->where, sizeof v->where, "%s-%s %s %s %s", KIND[c->kind[0]],
                     KIND[c->kind[1]], STATE[c->s], c->coherent ? "slow" : "random", TASK[c->task]);
        }
    }
}

static void print_verdict(const char *pairs, const char *what, const char *peers, const verdict *v)
{
    printf("%s: %s %s in %d of %d", pairs, what, peers, v->met, v->cells);
    if (v->cells > 0) {
        printf("; least ratio %.2f (%s)", v->least, v->where);
    }
    fputc('\n', stdout);
}

static void heading(bench_collide_task task)
{
    static const char *const WHAT[] = {
        [BENCH_OVERLAP] = "Do they overlap?",
        [BENCH_DISTANCE] = "Distance or depth, normal and nearest points",
        [BENCH_CONTACTS] = "Contact manifold",
    };
    printf(
        "\n%s\nns per query of Dashpot; time of each peer over Dashpot's, and of the fastest that "
        "answers to 1e-6 m (right); worst error of the gap [m] of all five%s\n",
        WHAT[task],
        task == BENCH_CONTACTS ? "; mean number of points of Dashpot and of bullet64" : "");
    printf("%-19s %-9s %-7s %7s %7s %7s %7s %7s %7s   %7s %7s %7s %7s %7s\n", "pair", "state",
           "motion", "ns", "ccd-epa", "ccd-mpr", "bullet", "bul-64", "right", "dashpot", "ccd-epa",
           "ccd-mpr", "bullet", "bul-64");
}

// The total of a pair in a kind of query (NULL: in all of them); a new one where there is none.
static bench_pair_total *total_of(bench_pair_total *total, int *n, const char *pair,
                                  const char *task, bool hull)
{
    const char *name = task ? task : "all";
    for (int i = 0; i < *n; ++i) {
        if (strcmp(total[i].pair, pair) == 0 && strcmp(total[i].task, name) == 0) {
            return &total[i];
        }
    }
    bench_pair_total *t = &total[(*n)++];
    *t = (bench_pair_total){.task = name, .hull = hull};
    snprintf(t->pair, sizeof t->pair, "%s", pair);
    return t;
}

// Beside the rows of cells, FILE.csv: FILE-pairs.csv.
static bool write_pairs(const char *csv, const bench_pair_total *total, int n,
                        const bench_results *facts)
{
    char path[4096];
    const size_t length = strlen(csv);
    const bool ends = length >= 4 && strcmp(csv + length - 4, ".csv") == 0;
    snprintf(path, sizeof path, "%.*s-pairs.csv", (int)(length - (ends ? 4 : 0)), csv);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "dashpot_bench: %s cannot be written\n", path);
        return false;
    }
    bench_pairs_write(file, total, n, facts);
    const bool fine = !ferror(file);
    return fclose(file) == 0 && fine;
}

bool bench_collide(const bench_results *facts, const char *only, bool quick, const char *csv)
{
    static bench_pair_total total[MOST_TOTALS];
    int ntotal = 0;
    FILE *file = csv ? fopen(csv, "w") : NULL;
    if (csv && !file) {
        fprintf(stderr, "dashpot_bench: %s cannot be written\n", csv);
        return false;
    }
    if (file) {
        fprintf(file, "date,pair,task,state,motion,engine,repetitions,median_ns,min_ns,max_ns,"
                      "gap_error_m,points,commit,compiler,machine\n");
    }
    make_hulls();
    verdict primitives[2] = {0},
            hulls[2] = {0}; // beside all peers, and beside those that are right
    for (int task = BENCH_OVERLAP; task <= BENCH_CONTACTS; ++task) {
        heading((bench_collide_task)task);
        for (int a = 0; a < NKIND; ++a) {
            for (int b = a > 0 ? a : 1; b < NKIND; ++b) {
                char name[40];
                snprintf(name, sizeof name, "%s-%s", KIND[a], KIND[b]);
                if (only && strcmp(only, name) != 0) {
                    continue;
                }
                printf("%s\n", name);
                for (int k = 0; k < 2 * STATES; ++k) {
                    cell c = {.kind = {a, b},
                              .s = (state)(k / 2),
                              .coherent = k % 2 == 1,
                              .task = (bench_collide_task)task};
                    measure(&c, quick);
                    print_cell(stdout, &c);
                    fflush(stdout);
                    const bool hull = b >= BENCH_HULL;
                    for (int right = 0; right < 2; ++right) {
                        judge(hull ? &hulls[right] : &primitives[right], &c,
                              right ? RIGHT : (double)INFINITY, hull ? 1.0 / 1.3 : 1.0);
                    }
                    for (int all = 0; all < 2; ++all) {
                        bench_pair_add(
                            total_of(total, &ntotal, name, all ? NULL : TASK[task], hull), c.engine,
                            c.ns, c.error);
                    }
                    if (file) {
                        write_cell(file, &c, facts);
                    }
                }
            }
        }
    }
    static const char *const PEERS[] = {"the best peer", "the best peer that answers to 1e-6 m"};
    printf("\nCells: a pair in one placement and one kind of query\n");
    for (int right = 0; right < 2; ++right) {
        print_verdict("Primitive pairs", "ahead of", PEERS[right], &primitives[right]);
        print_verdict("Pairs with a hull", "within 1.3 of", PEERS[right], &hulls[right]);
    }
    bench_pairs_print(total, ntotal, RIGHT);
    const bool written = !csv || write_pairs(csv, total, ntotal, facts);
    const bool fine = !file || !ferror(file);
    return (!file || fclose(file) == 0) && fine && written;
}

bool bench_collide_only(const char *name, int n)
{
    make_hulls();
    for (int i = 0; i < NKIND * NKIND * 2 * STATES * 3; ++i) {
        const int a = i / (6 * STATES) / NKIND, b = i / (6 * STATES) % NKIND;
        const int k = i % (6 * STATES); // task, state, motion
        char here[96];
        snprintf(here, sizeof here, "%s-%s-%s-%s-%s", KIND[a], KIND[b], TASK[k % 3],
                 STATE[k / 3 % STATES], k / (3 * STATES) ? "slow" : "random");
        if (strcmp(here, name) != 0) {
            continue;
        }
        bench_collide_setup setup = {.shape = {shape_of(a), shape_of(b)},
                                     .task = (bench_collide_task)(k % 3),
                                     .coherent = k / (3 * STATES) == 1,
                                     .margin = MARGIN};
        uint64_t seed = (uint64_t)(100 * a + 10 * b + k / 3 % STATES);
        bench_pose pose[2 * POSES];
        fill(pose, setup.shape, (state)(k / 3 % STATES), setup.coherent, &seed);
        bench_collide_engine engine;
        bench_collide_dashpot(&engine, &setup);
        double gap[POSES];
        int points[POSES];
        engine.run(engine.self, pose, POSES, 1 + n / POSES, gap, points);
        engine.destroy(engine.self);
        return true;
    }
    fprintf(stderr,
            "dashpot_bench: unknown query '%s' (expected as box-hull-contacts-resting-slow)\n",
            name);
    return false;
}
