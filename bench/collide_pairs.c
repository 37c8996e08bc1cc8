#include "collide_pairs.h"

#include <math.h>
#include <string.h>

static void add(bench_sample *sum, const bench_sample *x)
{
    const bool first = sum->n == 0;
    for (int i = 0; i < x->n; ++i) {
        if (first) {
            bench_sample_add(sum, x->value[i]);
        } else if (i < sum->n) {
            sum->value[i] += x->value[i];
        }
    }
}

void bench_pair_add(bench_pair_total *total, char name[][32], const bench_sample *ns,
                    const double *error)
{
    ++total->placements;
    for (int i = 0; i < BENCH_COLLIDE_ENGINES; ++i) {
        if (ns[i].n > 0) {
            memcpy(total->engine[i].name, name[i], sizeof total->engine[i].name);
            total->engine[i].error = fmax(total->engine[i].error, error[i]);
            ++total->engine[i].placements;
            add(&total->engine[i].ns, &ns[i]);
            add(&total->engine[i].dashpot_ns, &ns[0]);
        }
    }
}

static double ratio_of(const bench_pair_total *total, int i)
{
    const bench_sample ratio = bench_ratios(&total->engine[i].dashpot_ns, &total->engine[i].ns);
    return bench_median(&ratio);
}

// The time of the fastest peer over Dashpot's, of those whose worst error is no more than `error`.
// ∞: there is none.
static double best_peer(const bench_pair_total *total, double error)
{
    double least = (double)INFINITY;
    for (int i = 1; i < BENCH_COLLIDE_ENGINES; ++i) {
        if (total->engine[i].placements > 0 && total->engine[i].error <= error) {
            least = fmin(least, ratio_of(total, i));
        }
    }
    return least;
}

static double mean_ns(const bench_sample *sum, int placements)
{
    return bench_median(sum) / placements;
}

static void print_total(const bench_pair_total *total)
{
    printf("%-19s %-9s %7.0f", total->pair, total->task,
           mean_ns(&total->engine[0].ns, total->engine[0].placements));
    for (int i = 1; i < BENCH_COLLIDE_ENGINES; ++i) {
        if (total->engine[i].placements > 0) {
            printf(" %8.2f /%-2d", ratio_of(total, i), total->engine[i].placements);
        } else {
            printf(" %12s", "");
        }
    }
    fputc('\n', stdout);
}

static void print_count(const bench_pair_total *total, int n, const char *task, bool hull,
                        double error)
{
    const double target = hull ? 1.0 / 1.3 : 1.0;
    const bench_pair_total *worst = NULL;
    double least = (double)INFINITY;
    int count = 0, met = 0;
    for (int i = 0; i < n; ++i) {
        const double best = best_peer(&total[i], error);
        if (total[i].hull != hull || strcmp(total[i].task, task) != 0 || !isfinite(best)) {
            continue;
        }
        ++count;
        met += best >= target;
        if (best < least) {
            least = best;
            worst = &total[i];
        }
    }
    if (worst) {
        printf("  %-9s %d of %d; least ratio %.2f (%s)\n", task, met, count, least, worst->pair);
    }
}

void bench_pairs_print(const bench_pair_total *total, int n, double right)
{
    static const char *const TASK[] = {"overlap", "distance", "contacts", "all"};
    printf("\nPairs, all placements together: apart, touching, resting and deep, random and slow, "
           "equally many of each\nmean ns per query of Dashpot; time of each peer over Dashpot's, "
           "and in how many of the placements it answers\n");
    printf("%-19s %-9s %7s %12s %12s %12s %12s\n", "pair", "query", "ns", "ccd-epa", "ccd-mpr",
           "bullet", "bul-64");
    for (int i = 0; i < n; ++i) {
        print_total(&total[i]);
    }
    for (int k = 0; k < 4; ++k) {
        const bool hull = k % 2 == 1, exact = k >= 2;
        printf("\n%s: %s libccd and Bullet%s, pairs in\n",
               hull ? "Pairs with a hull" : "Primitive pairs", hull ? "within 1.3 of" : "ahead of",
               exact ? " where they answer to 1e-6 m" : "");
        for (int t = 0; t < 4; ++t) {
            print_count(total, n, TASK[t], hull, exact ? right : (double)INFINITY);
        }
    }
}

void bench_pairs_write(FILE *file, const bench_pair_total *total, int n, const bench_results *facts)
{
    fprintf(file, "date,pair,task,engine,placements,mean_ns,dashpot_mean_ns,ratio,gap_error_m,"
                  "commit,compiler,machine\n");
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < BENCH_COLLIDE_ENGINES; ++i) {
            const int placements = total[k].engine[i].placements;
            if (placements > 0) {
                fprintf(file, "%s,%s,%s,%s,%d,%.6g,%.6g,%.4g,%.3g,%s,\"%s\",\"%s\"\n", facts->date,
                        total[k].pair, total[k].task, total[k].engine[i].name, placements,
                        mean_ns(&total[k].engine[i].ns, placements),
                        mean_ns(&total[k].engine[i].dashpot_ns, placements), ratio_of(&total[k], i),
                        total[k].engine[i].error, facts->commit, facts->compiler, facts->machine);
            }
        }
    }
}
