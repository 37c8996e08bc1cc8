#include "solve/small_run.h"

#include "base/error.h"
#include "base/twice.h"
#include "math/pair2.h"

#include <string.h>

#ifdef DP_AVX2
#include <immintrin.h>
#endif

enum { NORMAL = DP_SMALL_NORMAL, ALONG, ACROSS, ROWS };
enum { AT_ONCE = 8 }; // contacts

int dp_small_run_width(int ncol)
{
    return ncol > 6 ? (ncol + 3) / 4 * 4 : ncol + ncol % 2;
}

// The numbers of v that belong to the columns of a run. @param room of its width
static const double *gather(double *room, const dp_small_run *run, const double *v)
{
    if (!run->col && run->ncol == run->width) {
        return v;
    }
    for (int k = 0; k < run->ncol; ++k) {
        room[k] = run->col ? v[run->col[k]] : v[k];
    }
    for (int k = run->ncol; k < run->width; ++k) {
        room[k] = 0.0;
    }
    return room;
}

// ---- two numbers at once

// Columns of the three rows of a contact that are beside each other in the problem, too.
DP_INLINE void take_columns(double *G, dp_pair2 w[ROWS], const int width, const double *from, int n,
                            int ncol, const double *inverse, const dp_pair2 scale[ROWS])
{
    int k = 0;
    for (; k + 2 <= n; k += 2) {
        const dp_pair2 over = dp_pair2_load(inverse + k);
        for (int i = 0; i < ROWS; ++i) {
            const dp_pair2 g = dp_pair2_mul(scale[i], dp_pair2_load(from + i * ncol + k));
            dp_pair2_store(G + i * width + k, g);
            w[i] = dp_pair2_madd(w[i], dp_pair2_mul(g, g), over);
        }
    }
    if (k < n) {
        const dp_pair2 over = dp_pair2_of(inverse[k], 0.0);
        for (int i = 0; i < ROWS; ++i) {
            const dp_pair2 g = dp_pair2_mul(scale[i], dp_pair2_of(from[i * ncol + k], 0.0));
            G[i * width + k] = dp_pair2_first(g);
            w[i] = dp_pair2_madd(w[i], dp_pair2_mul(g, g), over);
        }
    }
}

DP_INLINE void take_rows(dp_small_contact *c, const dp_small_run *run, const int width,
                         const dp_step_problem *p, const double *inverse)
{
    double *G = run->G;
    for (int i = 0; i < run->count; ++i, ++c, G += ROWS * width) {
        const int ncol = p->col_start[c->block + 1] - p->col_start[c->block];
        const double *from = p->G + p->G_start[c->block];
        const int missing = c->missing, after = missing + 1;
        const dp_pair2 scale[ROWS] = {dp_pair2_both(c->scale[NORMAL]),
                                      dp_pair2_both(c->scale[ALONG]),
                                      dp_pair2_both(c->scale[ACROSS])};
        dp_pair2 w[ROWS] = {dp_pair2_zero(), dp_pair2_zero(), dp_pair2_zero()};
        take_columns(G, w, width, from, missing, ncol, inverse, scale);
        take_columns(G + after, w, width, from + missing, ncol - missing, ncol, inverse + after,
                     scale);
        for (int k = 0; k < ROWS; ++k) {
            c->w[k] = dp_pair2_sum(w[k]);
        }
    }
}

// A sum of products in four parts, as wide registers have it.
DP_INLINE double product(const double *g, const double *v, const int width)
{
    const dp_pair2 first = dp_pair2_mul(dp_pair2_load(g), dp_pair2_load(v));
    if (width == 2) {
        return dp_pair2_sum(first);
    }
    dp_pair2 part[2] = {first, dp_pair2_mul(dp_pair2_load(g + 2), dp_pair2_load(v + 2))};
    for (int k = 4; k < width; k += 2) {
        const int i = k / 2 % 2;
        part[i] = dp_pair2_madd(part[i], dp_pair2_load(g + k), dp_pair2_load(v + k));
    }
    return dp_pair2_sum(part[0]) + dp_pair2_sum(part[1]);
}

DP_INLINE void take_rates(dp_small_contact *c, const dp_small_run *run, const int width,
                          const double *v)
{
    const double *G = run->G;
    for (int i = 0; i < run->count; ++i, ++c, G += ROWS * width) {
        for (int k = 0; k < ROWS; ++k) {
            c->du[k] = product(G + k * width, v, width);
        }
    }
}

// force = Σ Gᵀ push
DP_INLINE void add_pushes(double *force, const dp_small_contact *c, const dp_small_run *run,
                          const int width)
{
    const double *G = run->G;
    dp_pair2 sum[DP_SMALL_MOST / 2];
    for (int k = 0; k < width / 2; ++k) {
        sum[k] = dp_pair2_zero();
    }
    for (int i = 0; i < run->count; ++i, ++c, G += ROWS * width) {
        const dp_pair2 n = dp_pair2_both(c->push[NORMAL]), t1 = dp_pair2_both(c->push[ALONG]),
                       t2 = dp_pair2_both(c->push[ACROSS]);
        for (int k = 0; k < width; k += 2) {
            dp_pair2 more = dp_pair2_madd(sum[k / 2], n, dp_pair2_load(G + k));
            more = dp_pair2_madd(more, t1, dp_pair2_load(G + width + k));
            sum[k / 2] = dp_pair2_madd(more, t2, dp_pair2_load(G + 2 * width + k));
        }
    }
    for (int k = 0; k < width; k += 2) {
        dp_pair2_store(force + k, sum[k / 2]);
    }
}

// (TS 2) of a contact as products lᵀ r, of two pairs of rows or of three, each l before its r.
// @return the place after them
DP_INLINE double *split(double *room, const dp_small_contact *c, const double *G, const int width)
{
    const double *along = G + width, *across = along + width;
    double *pull = room, *normal = room + width, *one = normal + width, *two = one + width;
    double *three = two + width, *four = three + width;
    const dp_pair2 m1 = dp_pair2_both(c->m[0]), m2 = dp_pair2_both(c->m[1]);
    const dp_pair2 hold = dp_pair2_both(c->hold), reach = dp_pair2_both(c->reach);
    const dp_pair2 slope = dp_pair2_both(c->c);
    for (int k = 0; k < width; k += 2) {
        const dp_pair2 n = dp_pair2_load(G + k), t1 = dp_pair2_load(along + k),
                       t2 = dp_pair2_load(across + k);
        const dp_pair2 t = dp_pair2_madd(dp_pair2_mul(m1, t1), m2, t2);
        dp_pair2_store(pull + k, dp_pair2_msub(n, reach, t));
        dp_pair2_store(normal + k, dp_pair2_mul(slope, n));
        if (c->slips) { // I − ττᵀ is what is across
            const dp_pair2 side = dp_pair2_msub(dp_pair2_mul(m1, t2), m2, t1);
            dp_pair2_store(one + k, side);
            dp_pair2_store(two + k, dp_pair2_mul(hold, side));
        } else {
            dp_pair2_store(one + k, t1);
            dp_pair2_store(two + k, dp_pair2_mul(hold, t1));
            dp_pair2_store(three + k, t2);
            dp_pair2_store(four + k, dp_pair2_mul(hold, t2));
        }
    }
    return c->slips ? three : four + width;
}

// K += Σ lᵀ r, two rows of K at once
DP_INLINE void add_products(double *K, int stride, const double *room, const double *end, int ncol,
                            const int width)
{
    for (int k = 0; k < ncol; k += 2) {
        const int next = k + 1 < ncol; // else the same again
        double *row = K + k * stride, *other = row + next * stride;
        dp_pair2 sum[DP_SMALL_MOST / 2], more[DP_SMALL_MOST / 2];
        for (int j = 0; j < width / 2; ++j) {
            sum[j] = dp_pair2_load(row + 2 * j);
            more[j] = dp_pair2_load(other + 2 * j);
        }
        for (const double *l = room; l < end; l += 2 * width) {
            const dp_pair2 left = dp_pair2_both(l[k]), beside = dp_pair2_both(l[k + next]);
            for (int j = 0; j < width / 2; ++j) {
                const dp_pair2 r = dp_pair2_load(l + width + 2 * j);
                sum[j] = dp_pair2_madd(sum[j], left, r);
                more[j] = dp_pair2_madd(more[j], beside, r);
            }
        }
        for (int j = 0; j < width / 2; ++j) {
            dp_pair2_store(row + 2 * j, sum[j]);
            dp_pair2_store(other + 2 * j, more[j]);
        }
    }
}

DP_INLINE void add_matrices(double *K, int stride, const dp_small_contact *c,
                            const dp_small_run *run, const int width)
{
    for (int i = 0; i < run->count;) {
        double room[AT_ONCE * 2 * ROWS * DP_SMALL_MOST], *end = room;
        for (int k = 0; k < AT_ONCE && i < run->count; ++k, ++i) {
            const double *G = run->G + i * ROWS * width;
            end = c[i].c == 0.0 ? end : split(end, &c[i], G, width);
        }
        add_products(K, stride, room, end, run->ncol, width);
    }
}

// ---- four numbers at once, in the same order

#ifdef DP_AVX2
DP_AVX2 DP_INLINE void take_rates_wide(dp_small_contact *c, const dp_small_run *run,
                                       const int width, const double *v)
{
    const double *G = run->G;
    for (int i = 0; i < run->count; ++i, ++c, G += ROWS * width) {
        __m256d sum[ROWS];
        for (int k = 0; k < ROWS; ++k) {
            const double *g = G + k * width;
            sum[k] = _mm256_mul_pd(_mm256_loadu_pd(g), _mm256_loadu_pd(v));
            for (int j = 4; j < width; j += 4) {
                const __m256d more = _mm256_mul_pd(_mm256_loadu_pd(g + j), _mm256_loadu_pd(v + j));
                sum[k] = _mm256_add_pd(sum[k], more);
            }
        }
        const __m256d two = _mm256_hadd_pd(sum[NORMAL], sum[ALONG]);
        const __m256d one = _mm256_hadd_pd(sum[ACROSS], sum[ACROSS]);
        _mm_storeu_pd(c->du,
                      _mm_add_pd(_mm256_castpd256_pd128(two), _mm256_extractf128_pd(two, 1)));
        _mm_store_sd(c->du + ACROSS,
                     _mm_add_sd(_mm256_castpd256_pd128(one), _mm256_extractf128_pd(one, 1)));
    }
}

DP_AVX2 DP_INLINE void add_pushes_wide(double *force, const dp_small_contact *c,
                                       const dp_small_run *run, const int width)
{
    const double *G = run->G;
    __m256d sum[DP_SMALL_MOST / 4];
    for (int k = 0; k < width / 4; ++k) {
        sum[k] = _mm256_setzero_pd();
    }
    for (int i = 0; i < run->count; ++i, ++c, G += ROWS * width) {
        for (int j = 0; j < ROWS; ++j) {
            const __m256d push = _mm256_broadcast_sd(c->push + j);
            for (int k = 0; k < width / 4; ++k) {
                const __m256d g = _mm256_loadu_pd(G + j * width + 4 * k);
                sum[k] = _mm256_add_pd(sum[k], _mm256_mul_pd(push, g));
            }
        }
    }
    for (int k = 0; k < width / 4; ++k) {
        _mm256_storeu_pd(force + 4 * k, sum[k]);
    }
}

DP_AVX2 DP_INLINE double *split_wide(double *room, const dp_small_contact *c, const double *G,
                                     const int width)
{
    const double *along = G + width, *across = along + width;
    double *pull = room, *normal = room + width, *one = normal + width, *two = one + width;
    double *three = two + width, *four = three + width;
    const __m256d m1 = _mm256_set1_pd(c->m[0]), m2 = _mm256_set1_pd(c->m[1]);
    const __m256d hold = _mm256_set1_pd(c->hold), reach = _mm256_set1_pd(c->reach);
    const __m256d slope = _mm256_set1_pd(c->c);
    for (int k = 0; k < width; k += 4) {
        const __m256d n = _mm256_loadu_pd(G + k), t1 = _mm256_loadu_pd(along + k),
                      t2 = _mm256_loadu_pd(across + k);
        const __m256d t = _mm256_add_pd(_mm256_mul_pd(m1, t1), _mm256_mul_pd(m2, t2));
        _mm256_storeu_pd(pull + k, _mm256_sub_pd(n, _mm256_mul_pd(reach, t)));
        _mm256_storeu_pd(normal + k, _mm256_mul_pd(slope, n));
        if (c->slips) {
            const __m256d side = _mm256_sub_pd(_mm256_mul_pd(m1, t2), _mm256_mul_pd(m2, t1));
            _mm256_storeu_pd(one + k, side);
            _mm256_storeu_pd(two + k, _mm256_mul_pd(hold, side));
        } else {
            _mm256_storeu_pd(one + k, t1);
            _mm256_storeu_pd(two + k, _mm256_mul_pd(hold, t1));
            _mm256_storeu_pd(three + k, t2);
            _mm256_storeu_pd(four + k, _mm256_mul_pd(hold, t2));
        }
    }
    return c->slips ? three : four + width;
}

// K += Σ lᵀ r for four rows of K from `k` on, and four columns of them or eight from `first` on.
DP_AVX2 DP_INLINE void add_tile(double *K, int stride, const double *room, const double *end, int k,
                                int ncol, int first, const int width, const int quads)
{
    double *row[4];
    __m256d sum[4][2];
    int at[4];
    for (int i = 0; i < 4; ++i) {
        at[i] = k + i < ncol ? k + i : ncol - 1; // the last may be there several times
        row[i] = K + at[i] * stride + first;
        for (int j = 0; j < quads; ++j) {
            sum[i][j] = _mm256_loadu_pd(row[i] + 4 * j);
        }
    }
    for (const double *l = room; l < end; l += 2 * width) {
        const double *r = l + width + first;
        for (int i = 0; i < 4; ++i) {
            const __m256d left = _mm256_broadcast_sd(l + at[i]);
            for (int j = 0; j < quads; ++j) {
                const __m256d more = _mm256_mul_pd(left, _mm256_loadu_pd(r + 4 * j));
                sum[i][j] = _mm256_add_pd(sum[i][j], more);
            }
        }
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < quads; ++j) {
            _mm256_storeu_pd(row[i] + 4 * j, sum[i][j]);
        }
    }
}

DP_AVX2 DP_INLINE void add_matrices_wide(double *K, int stride, const dp_small_contact *c,
                                         const dp_small_run *run, const int width)
{
    for (int i = 0; i < run->count;) {
        double room[AT_ONCE * 2 * ROWS * DP_SMALL_MOST], *end = room;
        for (int k = 0; k < AT_ONCE && i < run->count; ++k, ++i) {
            const double *G = run->G + i * ROWS * width;
            end = c[i].c == 0.0 ? end : split_wide(end, &c[i], G, width);
        }
        for (int k = 0; k < run->ncol; k += 4) {
            int first = 0;
            for (; first + 8 <= width; first += 8) {
                add_tile(K, stride, room, end, k, run->ncol, first, width, 2);
            }
            if (first < width) {
                add_tile(K, stride, room, end, k, run->ncol, first, width, 1);
            }
        }
    }
}
#endif

// ---- which of both

// Most runs have one of a few widths: loops of a length that the compiler knows.
#define BY_WIDTH(work, width)                                                                      \
    switch (width) {                                                                               \
    case 6:                                                                                        \
        work(6);                                                                                   \
        break;                                                                                     \
    case 8:                                                                                        \
        work(8);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        work(width);                                                                               \
    }

#define TAKE(width) take_rows(c, run, width, p, own)
#define RATES(width) take_rates(c, run, width, own)
#define PUSH(width) add_pushes(own, c, run, width)
#define ADD(width) add_matrices(K, stride, c, run, width)

#ifdef DP_AVX2
// Of a width that is a multiple of four.
#define BY_FOURS(work, width)                                                                      \
    switch (width) {                                                                               \
    case 8:                                                                                        \
        work(8);                                                                                   \
        break;                                                                                     \
    case 12:                                                                                       \
        work(12);                                                                                  \
        break;                                                                                     \
    default:                                                                                       \
        work(width);                                                                               \
    }

#define RATES_WIDE(width) take_rates_wide(c, run, width, own)
#define PUSH_WIDE(width) add_pushes_wide(own, c, run, width)
#define ADD_WIDE(width) add_matrices_wide(K, stride, c, run, width)

static bool is_wide(const dp_small_run *run)
{
    return run->width % 4 == 0 && dp_has_avx2();
}

DP_AVX2 static void take_by_fours(dp_small_contact *c, const dp_small_run *run,
                                  const dp_step_problem *p,
                                  const double *own){BY_FOURS(TAKE, run->width)}

DP_AVX2 static void rates_by_fours(dp_small_contact *c, const dp_small_run *run,
                                   const double *own){BY_FOURS(RATES_WIDE, run->width)}

DP_AVX2 static void push_by_fours(double *own, const dp_small_contact *c,
                                  const dp_small_run *run){BY_FOURS(PUSH_WIDE, run->width)}

DP_AVX2 static void add_by_fours(double *K, int stride, const dp_small_contact *c,
                                 const dp_small_run *run)
{
    BY_FOURS(ADD_WIDE, run->width)
}
#endif

void dp_small_run_take(dp_small_contact *c, const dp_small_run *run, const dp_step_problem *p,
                       const double *inverse)
{
    double room[DP_SMALL_MOST];
    const double *own = gather(room, run, inverse);
#ifdef DP_AVX2
    if (is_wide(run)) {
        take_by_fours(c, run, p, own);
        return;
    }
#endif
    BY_WIDTH(TAKE, run->width)
}

void dp_small_run_rates(dp_small_contact *c, const dp_small_run *run, const double *v)
{
    double room[DP_SMALL_MOST];
    const double *own = gather(room, run, v);
#ifdef DP_AVX2
    if (is_wide(run)) {
        rates_by_fours(c, run, own);
        return;
    }
#endif
    BY_WIDTH(RATES, run->width)
}

static void push(double *own, const dp_small_contact *c, const dp_small_run *run)
{
#ifdef DP_AVX2
    if (is_wide(run)) {
        push_by_fours(own, c, run);
        return;
    }
#endif
    BY_WIDTH(PUSH, run->width)
}

void dp_small_run_push(double *force, const dp_small_contact *c, const dp_small_run *run)
{
    double own[DP_SMALL_MOST];
    memset(own, 0, (size_t)run->ncol * sizeof *own);
    push(own, c, run);
    for (int k = 0; k < run->ncol; ++k) {
        force[run->col ? run->col[k] : k] += own[k];
    }
}

void dp_small_run_add(double *K, int stride, const dp_small_contact *c, const dp_small_run *run)
{
    DP_ASSERT(run->width >= 2 && stride >= run->width);
#ifdef DP_AVX2
    if (is_wide(run)) {
        add_by_fours(K, stride, c, run);
        return;
    }
#endif
    BY_WIDTH(ADD, run->width)
}
