#include "solve/coulomb_points.h"

#include "math/pair2.h"

#include <math.h>
#include <string.h>

enum { PAIRS = DP_WHOLE / 2, BODIES = 2 };

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

void dp_points_respond(dp_coulomb *c)
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

void dp_points_aim(dp_coulomb *c)
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

void dp_points_gather(dp_coulomb *c)
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

// As dp_soft_slack, with the impulse that it is met by: velocities across are found together with
// that along the normal, before it changes, so that nothing waits for it.
static inline void visit(double *to, double *x, const dp_point *point)
{
    dp_pair2 z[BODIES * PAIRS];
    load_bodies(z, to, point);
    const double asked = point->off[0] + point->R[0] * x[0];
    const double pushed =
        x[0] -
        (velocity_of(point->y[0], z) + (asked > point->stop ? asked : point->stop)) * point->along;
    const double next = pushed > 0.0 ? pushed : 0.0;
    double change[3] = {next - x[0], 0.0, 0.0};
    if (!(next > 0.0) && change[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0) {
        return; // open, as it was
    }
    double held[2];
    for (int k = 0; k < 2; ++k) {
        const double creep = velocity_of(point->y[k + 1], z) + point->beside[k] * change[0] +
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
    change[1] = held[0] - x[1];
    change[2] = held[1] - x[2];
    push(to, z, point, change);
    x[0] = next;
    x[1] = held[0];
    x[2] = held[1];
}

void dp_points_sweep(dp_coulomb *c, bool forwards)
{
    const int n = c->p->nblock;
    for (int b = 0; b < n; ++b) {
        const dp_point *point = &c->point[forwards ? b : n - 1 - b];
        visit(c->z, c->x + point->row, point);
    }
}
