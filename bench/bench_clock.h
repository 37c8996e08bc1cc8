// Time, and statistics of times.
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

/// CPU time of this process [s]. Other programs cost us caches, but do not count themselves.
double bench_cpu(void);
/// [s] Of a clock on the wall, since whenever.
double bench_wall(void);

enum { BENCH_MAX_REPETITIONS = 64 };

/// Repeated measurements of one thing.
typedef struct bench_sample {
    int n;
    double value[BENCH_MAX_REPETITIONS];
} bench_sample;

void bench_sample_add(bench_sample *sample, double value);
double bench_median(const bench_sample *sample);
double bench_least(const bench_sample *sample);
double bench_greatest(const bench_sample *sample);
/// Half the range over the median: the ± that a reader may put behind it.
double bench_spread(const bench_sample *sample);
/// Measurements of a and b taken in turn: b/a of each pair. More than the ratio of two medians,
/// since what slows the machine for a while slows both.
bench_sample bench_ratios(const bench_sample *a, const bench_sample *b);

/// The slope of log y over log x by least squares.
double bench_exponent(const double *x, const double *y, int n);

#endif
