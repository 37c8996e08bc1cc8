#include "bench_clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_wall(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void bench_sample_add(bench_sample *sample, double value)
{
    if (sample->n < BENCH_MAX_REPETITIONS) {
        sample->value[sample->n++] = value;
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(const bench_sample *sample)
{
    const int n = sample->n;
    if (n == 0) {
        return NAN;
    }
    double sorted[BENCH_MAX_REPETITIONS];
    memcpy(sorted, sample->value, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

double bench_least(const bench_sample *sample)
{
    double least = INFINITY;
    for (int i = 0; i < sample->n; ++i) {
        least = fmin(least, sample->value[i]);
    }
    return least;
}

double bench_greatest(const bench_sample *sample)
{
    double greatest = -INFINITY;
    for (int i = 0; i < sample->n; ++i) {
        greatest = fmax(greatest, sample->value[i]);
    }
    return greatest;
}

double bench_spread(const bench_sample *sample)
{
    return 0.5 * (bench_greatest(sample) - bench_least(sample)) / bench_median(sample);
}

bench_sample bench_ratios(const bench_sample *a, const bench_sample *b)
{
    bench_sample ratio = {0};
    for (int i = 0; i < a->n && i < b->n; ++i) {
        bench_sample_add(&ratio, b->value[i] / a->value[i]);
    }
    return ratio;
}

double bench_exponent(const double *x, const double *y, int n)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int i = 0; i < n; ++i) {
        const double u = log(x[i]), w = log(y[i]);
        sx += u;
        sy += w;
        sxx += u * u;
        sxy += u * w;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}
