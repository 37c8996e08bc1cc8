#include "solve/contact/gauss_seidel/gauss_seidel_simd.h"

#include "base/error.h"
#include "base/simd_dispatch.h"
#include "math/f32x8.h"

#include <math.h>
#include <string.h>

enum { BODIES = 2, AT_ONCE = DP_AT_ONCE };

bool dp_are_single_points(const dp_coulomb *c)
{
    bool all = c->p->nblock > 0 && !c->op.by_links && !c->redundant;
    for (int b = 0; all && b < c->p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        all =
            block->three_row && block->full_wrench && block->nparts >= 1 && block->nparts <= BODIES;
    }
    return all;
}

// ---- which points are updated at once

// The first group that has room, from one on. @param next of each: itself, or one after it if it is
// full
static int with_room(int *next, int group)
{
    while (next[group] != group) {
        next[group] = next[next[group]];
        group = next[group];
    }
    return group;
}

// Each point to the first group after those of its bodies so far, in c->gs.place. @param next
// nblock +
// 1
// @param count nblock. @param after ntree. @return how many groups that makes
static int place_points(dp_coulomb *c, int *next, int *count, int *after)
{
    const int n = c->p->nblock;
    int ngroup = 0;
    for (int k = 0; k <= n; ++k) {
        next[k] = k;
    }
    memset(count, 0, (size_t)n * sizeof *count);
    memset(after, 0, (size_t)c->p->ntree * sizeof *after);
    for (int b = 0; b < n; ++b) {
        const dp_block_part *part = &c->part[c->block[b].part];
        int *one = &after[part[0].tree], *other = &after[part[c->block[b].nparts - 1].tree];
        const int group = with_room(next, *one > *other ? *one : *other);
        c->gs.place[b] = AT_ONCE * group + count[group];
        *one = *other = group + 1;
        if (++count[group] == AT_ONCE) {
            next[group] = group + 1;
        }
        ngroup = ngroup > group ? ngroup : group + 1;
    }
    return ngroup;
}

// Numbers of a motion: of all bodies, of nobody, and whole eights of them.
static int size_of_motion(const dp_step_problem *p)
{
    return (p->nv + DP_FREE_BODY + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
}

dp_status dp_gauss_seidel_lay_out(dp_coulomb *c, dp_arena *scratch)
{
    const size_t n = (size_t)c->p->nblock, size = (size_t)size_of_motion(c->p);
    DP_TRY(dp_arena_take(&c->gs.z, scratch, 3 * size, sizeof *c->gs.z));
    DP_TRY(dp_arena_take(&c->gs.place, scratch, n, sizeof *c->gs.place));
    DP_TRY(dp_arena_take(&c->gs.response_at, scratch, (size_t)c->p->nrow, sizeof(size_t)));
    size_t length = 0;
    for (int b = 0; b < c->p->nblock; ++b) {
        for (int r = c->p->row_start[b]; r < c->p->row_start[b + 1]; ++r) {
            c->gs.response_at[r] = length;
            length += (size_t)(DP_FREE_BODY * c->block[b].nparts);
        }
    }
    DP_TRY(dp_arena_take(&c->gs.response, scratch, length, sizeof(double)));
    int *next, *count, *after;
    DP_TRY(dp_arena_take(&next, scratch, n + 1, sizeof *next));
    DP_TRY(dp_arena_take(&count, scratch, n, sizeof *count));
    DP_TRY(dp_arena_take(&after, scratch, (size_t)c->p->ntree, sizeof *after));
    c->gs.npoints = place_points(c, next, count, after); // they stay: others may have taken theirs
    return dp_arena_take(&c->gs.points, scratch, (size_t)c->gs.npoints, sizeof *c->gs.points);
}

// ---- what an update needs

// A row of one body, times L^−ᵀ
static void turn_row(const dp_coulomb *c, double *y, int tree)
{
    const int from = c->p->tree_start[tree];
    for (int i = DP_FREE_BODY - 1; i >= 0; --i) {
        const double *row = c->op.LD + c->p->Mt_start[from + i];
        for (int k = 1; k <= i; ++k) {
            y[i - k] -= row[k] * y[i];
        }
    }
}

// Rows y of a point. @param root √ of c->op.inverse. @param over 1/√a of its rows
static void respond(dp_points *to, int lane, const dp_coulomb *c, int b, const double *root,
                    const double *over)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const double *G = p->G + p->G_start[b], *scale = c->scale + p->row_start[b];
    for (int i = 0; i < 3; ++i) {
        for (int m = 0; m < block->nparts; ++m, G += DP_FREE_BODY) {
            const dp_block_part *part = &c->part[block->part + m];
            const double by = scale[i] * over[i], *d = root + part->from;
            double y[DP_FREE_BODY];
            for (int k = 0; k < DP_FREE_BODY; ++k) {
                y[k] = by * G[k];
            }
            if (!c->op.diagonal[part->tree]) {
                turn_row(c, y, part->tree);
            }
            for (int k = 0; k < DP_FREE_BODY; ++k) {
                to->y[i][m][k][lane] = (float)(y[k] * d[k]);
            }
            to->body[m][lane] = part->from;
        }
    }
}

// What the law asks of it, from c->x on. @param enough [m/s]
static void aim(dp_points *to, int lane, const dp_coulomb *c, int b, const double *over,
                double enough)
{
    const int r = c->p->row_start[b];
    for (int i = 0; i < 3; ++i) {
        const dp_soft soft = c->soft[r + i];
        to->x[i][lane] = (float)(c->x[r + i] / over[i]);
        to->off[i][lane] = (float)((c->u[r + i] - (soft.u_hat - soft.R * c->x[r + i])) * over[i]);
        to->R[i][lane] = (float)(soft.R * (over[i] * over[i]));
    }
    to->stop[lane] = (float)((c->u[r] - c->soft[r].u_stop) * over[0]);
    to->reach[lane] = (float)(c->block[b].group[0].reach * over[0] / over[1]);
    const double most[2] = {enough / c->gauge[r] * over[0], enough / c->gauge[r + 1] * over[1]};
    to->enough[0][lane] = (float)(most[0] * most[0]);
    to->enough[1][lane] = (float)(most[1] * most[1]);
}

// From the rows.
static void take_beside(dp_points *to)
{
    for (int i = 0; i < 2; ++i) {
        dp_f32x8 sum = dp_f32x8_all(0.0F);
        for (int k = 0; k < BODIES * DP_FREE_BODY; ++k) {
            const int m = k / DP_FREE_BODY, at = k % DP_FREE_BODY;
            sum = dp_f32x8_madd(sum, dp_f32x8_load(to->y[0][m][at]),
                                dp_f32x8_load(to->y[i + 1][m][at]));
        }
        dp_f32x8_store(to->beside[i], sum);
    }
}

// Velocities: what impulses change them by, how these went on, and how they were.
typedef struct motion {
    float *z, *drift, *before; // n
    int n;
} motion;

static motion begin(dp_coulomb *c, double enough)
{
    const dp_step_problem *p = c->p;
    const int n = size_of_motion(p);
    const motion of = {
        .z = c->gs.z, .drift = c->gs.z + n, .before = c->gs.z + 2 * (ptrdiff_t)n, .n = n};
    double *root = c->v_direction;
    memset(c->gs.z, 0, 3 * (size_t)n * sizeof *c->gs.z);
    memset(c->gs.points, 0, (size_t)c->gs.npoints * sizeof *c->gs.points);
    for (int k = 0; k < c->gs.npoints; ++k) {
        for (int lane = 0; lane < AT_ONCE; ++lane) {
            c->gs.points[k].body[0][lane] = c->gs.points[k].body[1][lane] = p->nv; // nobody's
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        root[i] = sqrt(c->op.inverse[i]);
    }
    for (int b = 0; b < p->nblock; ++b) {
        const double *one_over_a = c->one_over_a + p->row_start[b];
        const double across = sqrt(one_over_a[1]); // of both rows
        const double over[3] = {sqrt(one_over_a[0]), across, across};
        dp_points *to = &c->gs.points[c->gs.place[b] / AT_ONCE];
        const int lane = c->gs.place[b] % AT_ONCE;
        respond(to, lane, c, b, root, over);
        aim(to, lane, c, b, over, enough);
    }
    for (int k = 0; k < c->gs.npoints; ++k) {
        take_beside(&c->gs.points[k]);
    }
    return of;
}

// ---- an iteration

// How far impulses go on before an iteration, of how they went; and how far each update takes them
// of its way.
typedef struct momentum {
    double on, by;
} momentum;

#define EIGHT dp_f32x8
#define EIGHT_(name) dp_f32x8_##name
#define UPDATE(name) name##_usual
#define UPDATE_FOR
#include "solve/contact/gauss_seidel/gauss_seidel_update.h"

#ifdef DP_AVX2
#undef EIGHT
#undef EIGHT_
#undef UPDATE
#undef UPDATE_FOR
#define EIGHT dp_wide
#define EIGHT_(name) dp_wide_##name
#define UPDATE(name) name##_wide
#define UPDATE_FOR DP_AVX2
#include "solve/contact/gauss_seidel/gauss_seidel_update.h"
#endif

static bool iterate(const dp_coulomb *c, const motion *of, const momentum *at, bool forwards)
{
#ifdef DP_AVX2
    if (dp_has_avx2()) {
        return iterate_wide(c, of, at, forwards);
    }
#endif
    return iterate_usual(c, of, at, forwards);
}

static bool are_within(const dp_coulomb *c, const motion *of, int *worst)
{
#ifdef DP_AVX2
    if (dp_has_avx2()) {
        return are_within_wide(c, of, worst);
    }
#endif
    return are_within_usual(c, of, worst);
}

// ---- iterations in a row

// Impulses to all digits, in c->x: those that friction has lie in its disc.
static void conclude(dp_coulomb *c)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        const dp_points *from = &c->gs.points[c->gs.place[b] / AT_ONCE];
        const int r = c->p->row_start[b], lane = c->gs.place[b] % AT_ONCE;
        const double across = sqrt(c->one_over_a[r + 1]);
        const double over[3] = {sqrt(c->one_over_a[r]), across, across};
        double *x = c->x + r;
        for (int i = 0; i < 3; ++i) {
            const double next = x[i] + from->change[i][lane] * over[i];
            x[i] = from->x[i][lane] == 0.0F ? 0.0 : next;
        }
        x[0] = x[0] > 0.0 ? x[0] : 0.0;
        const double radius = c->block[b].group[0].reach * x[0];
        const double square = x[1] * x[1] + x[2] * x[2];
        if (square > radius * radius) {
            const double shrink = radius / sqrt(square);
            x[1] *= shrink;
            x[2] *= shrink;
        }
    }
}

// How far impulses go on between iterations, at most: a part of the way that grows while iterations
// agree with it. Where contacts change to and fro between stick and slip, less of it brings them to
// an end. Rigid points take thousands of iterations: they go far, and each update a part of its
// way.
static double most_on(int iteration)
{
    return iteration < DP_SOON ? 1.0 - DP_FALL : DP_MOMENTUM;
}

// A heavy ball [Polyak1964]: each iteration begins a part of the way further that the last ones
// came. Where an iteration turns back, so does the ball. That takes half the iterations that
// conjugate directions do, for two digits as for three.
bool dp_gauss_seidel_until(dp_coulomb *c, int most, double enough)
{
    const double goal = fmax(enough, c->tol.solved);
    double residual = (double)INFINITY;
    for (int k = 0; k < most && !(residual <= goal) &&
                    !dp_coulomb_is_interrupted(c);) { // once, unless digits of changes lack
        const motion of = begin(c, enough);
        int worst = 0, agreed = 0;
        bool known = false;
        for (momentum at = {0.0, 1.0}; k < most && !known && !dp_coulomb_is_interrupted(c); ++k) {
            at.by = k < 8 * DP_SOON ? 1.0 : DP_MOMENTUM;
            agreed = iterate(c, &of, &at, k % 2 == 0) ? agreed + 1 : 0;
            at.on = fmin(agreed / (agreed + DP_SLOWLY), most_on(k));
            known = are_within(c, &of, &worst);
        }
        conclude(c);
        dp_coulomb_velocities(c, c->u, c->x);
        residual = dp_coulomb_judge(c, c->x, c->u);
    }
    return residual <= c->tol.solved;
}
