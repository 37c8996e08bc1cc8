#include "solve/coulomb_points.h"

#include "math/pair2.h"

#include <math.h>
#include <string.h>

enum { PAIRS = DP_WHOLE / 2, BODIES = 2 };
// How far impulses go on between sweeps: a part of the way that grows while sweeps agree with it.
static const double SLOWLY = 3.0; // [1] sweeps, until it is half
// Where contacts change to and fro between stick and slip, less of it brings them to an end.
enum { SOON = 128, LATE = 256 };                                  // sweeps
static const double AT_FIRST = 0.9, THEN = 0.8, IN_THE_END = 0.6; // [1] at most

bool dp_points_serve(const dp_coulomb *c)
{
    bool all = c->p->nblock > 0 && !c->by_links && !c->redundant;
    for (int b = 0; all && b < c->p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        all = block->plain && block->whole && block->nparts >= 1 && block->nparts <= BODIES;
    }
    return all;
}

// y of a row of one body
static void respond_body(const dp_coulomb *c, double *y, int tree)
{
    const int from = c->p->tree_start[tree];
    if (!c->diagonal[tree]) {
        for (int i = DP_WHOLE - 1; i >= 0; --i) {
            const double *row = c->LD + c->p->Mt_start[from + i];
            for (int k = 1; k <= i; ++k) {
                y[i - k] -= row[k] * y[i];
            }
        }
    }
    for (int i = 0; i < DP_WHOLE; ++i) {
        y[i] *= sqrt(c->inverse[from + i]);
    }
}

static double dot(const double *x, const double *y)
{
    double sum = 0.0;
    for (int k = 0; k < BODIES * DP_WHOLE; ++k) {
        sum += x[k] * y[k];
    }
    return sum;
}

// Rows y of all blocks, in c->point.
static void respond(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const double *G = p->G + p->G_start[b];
        dp_point *point = &c->point[b];
        memset(point, 0, sizeof *point);
        point->row = p->row_start[b];
        point->body[1] = p->nv; // nobody's
        for (int i = 0; i < 3; ++i) {
            for (int m = 0; m < block->nparts; ++m, G += DP_WHOLE) {
                const dp_block_part *part = &c->part[block->part + m];
                double *y = point->y[i] + m * DP_WHOLE;
                for (int k = 0; k < DP_WHOLE; ++k) {
                    y[k] = c->scale[point->row + i] * G[k];
                }
                respond_body(c, y, part->tree);
                point->body[m] = part->from;
            }
        }
        point->reach = block->group[0].reach;
        point->beside[0] = dot(point->y[0], point->y[1]);
        point->beside[1] = dot(point->y[0], point->y[2]);
    }
}

// What the law asks of them now.
static void aim(dp_coulomb *c)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        dp_point *point = &c->point[b];
        const int r = point->row;
        for (int i = 0; i < 3; ++i) {
            point->off[i] = c->u_free[r + i] - c->soft[r + i].u_hat;
            point->R[i] = c->soft[r + i].R;
        }
        point->stop = c->u_free[r] - c->soft[r].u_stop;
        point->along = c->one_over_a[r];
        point->across = c->one_over_a[r + 1];
        point->weight[0] = c->a[r];
        point->weight[1] = c->a[r + 1];
    }
}

static inline double velocity_of(const double *y, const dp_pair2 *z)
{
    dp_pair2 sum[2] = {dp_pair2_mul(dp_pair2_load(y), z[0]),
                       dp_pair2_mul(dp_pair2_load(y + 2), z[1])};
    for (int k = 2; k < BODIES * PAIRS; ++k) {
        sum[k % 2] = dp_pair2_madd(sum[k % 2], dp_pair2_load(y + 2 * (ptrdiff_t)k), z[k]);
    }
    return dp_pair2_sum(dp_pair2_add(sum[0], sum[1]));
}

static inline void load_bodies(dp_pair2 *z, const double *from, const dp_point *point)
{
    for (int k = 0; k < BODIES * PAIRS; ++k) {
        z[k] = dp_pair2_load(from + point->body[k / PAIRS] + 2 * (ptrdiff_t)(k % PAIRS));
    }
}

// z += y of three rows, times what their impulses change by
static inline void push(double *to, const dp_pair2 *z, const dp_point *point, const double *change)
{
    const dp_pair2 by[3] = {dp_pair2_both(change[0]), dp_pair2_both(change[1]),
                            dp_pair2_both(change[2])};
    for (int k = 0; k < BODIES * PAIRS; ++k) {
        const ptrdiff_t at = 2 * (ptrdiff_t)k;
        const dp_pair2 across = dp_pair2_madd(dp_pair2_mul(dp_pair2_load(point->y[1] + at), by[1]),
                                              dp_pair2_load(point->y[2] + at), by[2]);
        const dp_pair2 all = dp_pair2_madd(across, dp_pair2_load(point->y[0] + at), by[0]);
        dp_pair2_store(to + point->body[k / PAIRS] + 2 * (ptrdiff_t)(k % PAIRS),
                       dp_pair2_add(z[k], all));
    }
}

// c->z of the impulses c->x
static void gather(dp_coulomb *c)
{
    memset(c->z, 0, ((size_t)c->p->nv + DP_WHOLE) * sizeof *c->z);
    for (int b = 0; b < c->p->nblock; ++b) {
        const dp_point *point = &c->point[b];
        const double *x = c->x + point->row;
        if (x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0) {
            dp_pair2 z[BODIES * PAIRS];
            load_bodies(z, c->z, point);
            push(c->z, z, point, x);
        }
    }
}

// ---- a sweep

// Where impulses come from, and how far they go on that way before they are visited.
typedef struct travel {
    double *x;
    double *turn;  // from the start of the last sweep to that of this one
    double *went;  // by the last sweep
    double on;     // of `turn`
    double agrees; // Σ a turn · went of this sweep: positive where it goes on that way
} travel;

// As dp_soft_slack, with the impulse that it is met by: velocities across are found together with
// that along the normal, before it changes, so that nothing waits for it.
static inline void visit(double *to, travel *t, const dp_point *point)
{
    double *x = t->x + point->row, *turn = t->turn + point->row, *went = t->went + point->row;
    for (int k = 0; k < 3; ++k) {
        const double more = t->on * turn[k];
        turn[k] = more + went[k];
        x[k] += more;
    }
    dp_pair2 z[BODIES * PAIRS];
    load_bodies(z, to, point);
    const double asked = point->off[0] + point->R[0] * x[0];
    const double pushed =
        x[0] -
        (velocity_of(point->y[0], z) + (asked > point->stop ? asked : point->stop)) * point->along;
    const double next = pushed > 0.0 ? pushed : 0.0;
    went[0] = next - x[0];
    if (!(next > 0.0) && went[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0) {
        went[1] = went[2] = 0.0;
        return; // open, as it was
    }
    double held[2];
    for (int k = 0; k < 2; ++k) {
        const double creep = velocity_of(point->y[k + 1], z) + point->beside[k] * went[0] +
                             (point->off[k + 1] + point->R[k + 1] * x[k + 1]);
        held[k] = x[k + 1] - creep * point->across;
    }
    const double radius = point->reach * next;
    const double square = held[0] * held[0] + held[1] * held[1];
    if (!(square <= radius * radius)) {
        const double shrink = radius / sqrt(square);
        held[0] *= shrink;
        held[1] *= shrink;
    }
    went[1] = held[0] - x[1];
    went[2] = held[1] - x[2];
    push(to, z, point, went);
    x[0] = next;
    x[1] = held[0];
    x[2] = held[1];
    t->agrees += point->weight[0] * (went[0] * turn[0]) +
                 point->weight[1] * (went[1] * turn[1] + went[2] * turn[2]);
}

// Velocities go on as impulses do.
static void go_on(dp_coulomb *c, double on)
{
    double *z = c->z, *drift = c->drift, *before = c->force;
    for (int i = 0; i < c->p->nv; ++i) {
        const double more = on * drift[i];
        drift[i] = more + (z[i] - before[i]);
        z[i] += more;
        before[i] = z[i];
    }
}

static void sweep(dp_coulomb *c, travel *t, bool forwards)
{
    const int n = c->p->nblock;
    go_on(c, t->on);
    t->agrees = 0.0;
    for (int b = 0; b < n; ++b) {
        visit(c->z, t, &c->point[forwards ? b : n - 1 - b]);
    }
}

// ---- sweeps in a row

// As dp_coulomb_residual has it, of one point: is it no more than `enough`?
static bool is_within(const dp_coulomb *c, const dp_point *point, double enough)
{
    const double *x = c->x + point->row;
    dp_pair2 z[BODIES * PAIRS];
    load_bodies(z, c->z, point);
    const double asked = point->off[0] + point->R[0] * x[0];
    const double slack = velocity_of(point->y[0], z) + (asked > point->stop ? asked : point->stop);
    const double normal = x[0] < slack * point->along ? point->weight[0] * x[0] : fabs(slack);
    double creep[2], y[2];
    for (int k = 0; k < 2; ++k) {
        creep[k] =
            velocity_of(point->y[k + 1], z) + (point->off[k + 1] + point->R[k + 1] * x[k + 1]);
        y[k] = x[k + 1] - creep[k] * point->across;
    }
    const double radius = point->reach * x[0], square = y[0] * y[0] + y[1] * y[1];
    if (!(square <= radius * radius)) {
        const double shrink = radius / sqrt(square);
        creep[0] = point->weight[1] * (x[1] - shrink * y[0]);
        creep[1] = point->weight[1] * (x[2] - shrink * y[1]);
    }
    return normal * c->len[point->row] <= enough &&
           creep[0] * creep[0] + creep[1] * creep[1] <= enough * enough;
}

// Are all? @param worst where to begin, since it was not; where that ends
static bool are_within(const dp_coulomb *c, int *worst, double enough)
{
    for (int k = 0; k < c->p->nblock; ++k) {
        if (!is_within(c, &c->point[*worst], enough)) {
            return false;
        }
        *worst = *worst + 1 < c->p->nblock ? *worst + 1 : 0;
    }
    return true;
}

static void begin(dp_coulomb *c)
{
    if (!c->points_respond) {
        respond(c);
        c->points_respond = true;
    }
    aim(c);
    gather(c);
    memcpy(c->force, c->z, (size_t)c->p->nv * sizeof *c->z);
    memset(c->drift, 0, (size_t)c->p->nv * sizeof *c->drift);
    memset(c->turn, 0, (size_t)c->p->nrow * sizeof *c->turn);
    memset(c->trial, 0, (size_t)c->p->nrow * sizeof *c->trial);
}

static double most_on(int sweep)
{
    return sweep < SOON ? AT_FIRST : sweep < LATE ? THEN : IN_THE_END;
}

// A heavy ball [Polyak1964]: each sweep begins a part of the way further that the last ones came.
// Where a sweep turns back, so does the ball. That takes half the sweeps that conjugate directions
// do, for two digits as for three.
bool dp_points_sweep_until(dp_coulomb *c, int most, double enough)
{
    travel t = {.x = c->x, .turn = c->turn, .went = c->trial};
    int worst = 0, agreed = 0;
    bool known = false;
    begin(c);
    for (int k = 0; k < most && !known; ++k) {
        sweep(c, &t, k % 2 == 0);
        agreed = t.agrees > 0.0 ? agreed + 1 : 0;
        t.on = fmin(agreed / (agreed + SLOWLY), most_on(k));
        known = are_within(c, &worst, enough);
    }
    dp_coulomb_velocities(c, c->u, c->x);
    return dp_coulomb_judge(c, c->x, c->u) <= c->tolerance;
}
